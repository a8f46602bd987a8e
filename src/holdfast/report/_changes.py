"""What would change a verdict, each in half a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.report._assurance import AGAIN, FEW, again, on_scale, scaled
from holdfast.report._words import called, joined, number, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.report._evidence import Evidence

MOST_REASONS = 5
"""Most things named that would change the verdict."""
CLOSE = 0.9
"""Correlation from which a stand-in is named in the verdict."""


def changes(evidence: Evidence) -> list[str]:
    """Return what would change the verdict, new samples last."""
    return [*list(_small_changes(evidence))[: MOST_REASONS - 1], new_samples(evidence)]


def _small_changes(evidence: Evidence) -> Iterator[str]:
    result = evidence.result
    if not result.complete:
        yield from _missing(evidence)
    if evidence.chosen_again is not None and evidence.chosen_again < AGAIN:
        yield f"choosing again, as the recommended pair is not sure: {again(evidence)}"
    yield from _rivals(evidence)
    yield from _replaced(evidence)
    if evidence.n_compared < FEW:
        yield f"more than {evidence.resamples}"


def _missing(evidence: Evidence) -> Iterator[str]:
    """Count the work that failed, and that which was not tried."""
    result, failed = evidence.result, len(evidence.result.failures)
    waiting = result.n_units - result.n_done - failed
    if failed:
        yield f"the {plural(failed, 'unit')} of work that failed"
    if waiting:
        yield f"the {plural(waiting, 'unit')} of work not done"


def _rivals(evidence: Evidence) -> Iterator[str]:
    """Name the other selectors that are as good, as far as can be told."""
    choice = evidence.choice
    _, low = scaled(choice)
    if choice is None or low is None:
        return
    rows = choice.rivals[choice.rivals["selector"] != choice.selector]
    as_stable = [
        name
        for name, value, chance in zip(
            rows["selector"], rows["stability"], rows["chance"], strict=True
        )
        if (on_scale(value, chance, choice.measure) or 0.0) >= low
    ]
    names = [spoken(name, evidence.title(name)) for name in dict.fromkeys(as_stable)]
    if names:
        verb = "does" if len(names) == 1 else "do"
        yield f"another selector, as {joined(names, most=3)} {verb} as well, as far as can be told"


def _replaced(evidence: Evidence) -> Iterator[str]:
    """Name a trusted feature that a close relative could replace."""
    trusted = set(evidence.trusted)
    pairs = [
        (row["feature"], row["stand_in"], abs(row["correlation"]))
        for row in evidence.stand_in_rows
        if row["feature"] in trusted and abs(row["correlation"]) >= CLOSE
    ]
    if evidence.control is not None and evidence.control.as_good:
        yield f"other features, as {evidence.control.sentence}"
    if pairs:
        feature, other, size = max(pairs, key=lambda pair: pair[2])
        yield (
            f"{called(other)} could take the place of {called(feature)} "
            f"(correlation {number(size)})"
        )


def new_samples(evidence: Evidence) -> str:
    """Say what other data would do."""
    if evidence.drawn:
        return "data of another population or size, as each data set was drawn anew from this one"
    count = plural(int(evidence.plan["data"]["n_samples"]), "sample")
    return f"new samples, as all resamples come from the same {count} ({_new_study(evidence)})"


def _new_study(evidence: Evidence) -> str:
    """Say how well new studies would agree."""
    second = evidence.second
    if second is None:
        return "how well a new study would agree was not measured"
    value = number(second.best.value)
    if second.full is None:
        return f"two new studies half as large would agree at {value}"
    return f"two new studies as large are predicted to agree at {value}"
