"""The verdict: which features to trust, which selector, how sure, what would change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.measures import get_measure
from holdfast.report._assurance import FEW, assurance, in_words, on_scale, scaled
from holdfast.report._evidence import FEWEST, TRUSTED
from holdfast.report._words import (
    called,
    features_of,
    known,
    listed,
    number,
    plus_minus,
    spoken,
)
from holdfast.resample._words import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.judge import Recommendation
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Verdict

MOST_REASONS = 4
"""Most things named that would change the verdict."""
CLOSE = 0.9
"""Correlation from which a stand-in is named in the verdict."""


def verdict(evidence: Evidence) -> Verdict:
    """Return what a reader takes away."""
    level, because = assurance(evidence)
    choice = evidence.choice
    return {
        "sentences": _sentences(evidence),
        "trusted": evidence.trusted,
        "selector": None if choice is None else choice.selector,
        "classifier": None if choice is None else choice.classifier,
        "size": None if choice is None else choice.size,
        "assurance": level,
        "because": because,
    }


def _sentences(evidence: Evidence) -> list[str]:
    if not evidence.n_compared:
        return [_nothing(evidence)]
    choice = evidence.choice
    used = (
        "No selector can be recommended: what is there does not suffice to measure stability."
        if choice is None
        else _use(evidence, choice)
    )
    return [_trust(evidence), used, f"What would change this: {'; '.join(_changes(evidence))}."]


def _nothing(evidence: Evidence) -> str:
    failed = len(evidence.result.failures)
    if failed:
        return (
            "Nothing can be said about the features: all units of work that were tried, "
            f"{failed:,}, failed; mend what the failures name and resume the study."
        )
    return "Nothing can be said about the features yet: no unit of work is done; run the study on."


def _trust(evidence: Evidence) -> str:
    names, (selector, size) = evidence.trusted, evidence.cell or ("", "own")
    where = f"{percent(TRUSTED)} of the {evidence.resamples}"
    who = spoken(selector, evidence.title(selector))
    among = "selected" if size == "own" else f"among the {features_of(size)} selected"
    if not names:
        return _no_trust(evidence, where)
    each = "it is" if len(names) == 1 else "each is"
    return f"Trust {listed(names)}: {each} {among} by {who} in at least {where}."


def _no_trust(evidence: Evidence, where: str) -> str:
    if evidence.n_compared < FEWEST:
        return (
            f"No feature can be trusted yet: {evidence.resamples} cannot show what would be found "
            f"again; it takes {FEWEST} at least."
        )
    best = evidence.found.iloc[0]
    reached = f"{called(best['feature'])}, the most frequent, was in {percent(best['frequency'])}"
    if best["frequency"] >= TRUSTED:
        why = f"with so many features selected, chance alone reaches {percent(evidence.chance)}"
        return f"No feature can be trusted: {reached}, but {why}; select fewer features."
    return (
        f"No feature can be trusted: none was found in {where} ({reached}). Take the table as "
        "candidates that have to be checked on new samples, not as a result."
    )


def _use(evidence: Evidence, choice: Recommendation) -> str:
    who = spoken(choice.selector, evidence.title(choice.selector))
    lead = "Use" if evidence.trusted else "The choice that comes out best is"
    what = f"{lead} {who} with {features_of(choice.size)}"
    if choice.classifier is not None:
        what += f" and the classifier {called(choice.classifier)}"
    told = [part for part in (_stability(choice), _error(evidence)) if part]
    return f"{what}: {', and '.join(told)}." if told else f"{what}."


def _stability(choice: Recommendation) -> str:
    if not known(choice.stability):
        return "the stability is not known"
    value, _ = scaled(choice)
    word = f"is {in_words(value)}" if value is not None else "was measured"
    text = f"the stability {word} ({number(choice.stability)}"
    if known(choice.low) and known(choice.high):
        text += f", 95% interval {number(choice.low)} to {number(choice.high)}"
    if get_measure(choice.measure).distance:
        text += "; lower is more stable"
    return text + (f"; chance gives {number(choice.chance)})" if known(choice.chance) else ")")


def _error(evidence: Evidence) -> str:
    if evidence.error is None:
        return ""
    guess = percent(evidence.guessing)
    return (
        f"an error of {plus_minus(*evidence.error)} is to be expected on samples not seen before "
        f"(guessing the largest class: {guess})"
    )


def _changes(evidence: Evidence) -> list[str]:
    return [*list(_small_changes(evidence))[: MOST_REASONS - 1], _new_samples(evidence)]


def _small_changes(evidence: Evidence) -> Iterator[str]:
    result = evidence.result
    if not result.complete:
        yield f"the {plural(result.n_units - result.n_done, 'unit')} of work not done"
    yield from _rivals(evidence)
    yield from _replaced(evidence)
    if evidence.n_compared < FEW:
        yield f"more than {evidence.resamples}"


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
        yield f"another selector, as {listed(names, most=3)} {verb} as well as far as can be told"


def _replaced(evidence: Evidence) -> Iterator[str]:
    """Name a trusted feature that a close relative could replace."""
    trusted = set(evidence.trusted)
    pairs = [
        (row["feature"], row["stand_in"], abs(row["correlation"]))
        for row in evidence.stand_in_rows
        if row["feature"] in trusted and abs(row["correlation"]) >= CLOSE
    ]
    if evidence.random_will_do:
        yield "other features, as some drawn at random classify as well as far as can be told"
    if pairs:
        feature, other, size = max(pairs, key=lambda pair: pair[2])
        yield (
            f"{called(other)} could take the place of {called(feature)} "
            f"(correlation {number(size)})"
        )


def _new_samples(evidence: Evidence) -> str:
    if evidence.drawn:
        return "data of another population or size, as each data set was drawn anew from this one"
    count = plural(int(evidence.plan["data"]["n_samples"]), "sample")
    return f"new samples, as all resamples come from the same {count} (a new study agrees less)"
