"""What a verdict begins with: whether a second study would find the same features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.measures import get_measure
from holdfast.report._assurance import in_words, on_scale
from holdfast.report._second import WHY_DIFFERENT, Estimate, random_pairs, studies
from holdfast.report._words import features_of, known, number, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.judge import Recommendation
    from holdfast.report._evidence import Evidence
    from holdfast.report._second import Second, Shared


def lead(evidence: Evidence) -> Iterator[str]:
    """Say what a second study would find, and what the usual figure is beside it."""
    second, choice = evidence.second, evidence.choice
    if second is None or choice is None:
        return
    who = spoken(choice.selector, evidence.title(choice.selector))
    if evidence.shared is None:
        head, sizes = f"The replication stability of {who}", studies(second.best, evidence.noun)
    else:
        found = _found(evidence, second, evidence.shared, who)
        head, sizes = f"{found}: the replication stability", "two such studies"
    yield f"{head} {_how(evidence, second, sizes)}."
    yield from _beside(evidence, second, choice)


def _found(evidence: Evidence, second: Second, shared: Shared, who: str) -> str:
    size = plural(second.best.n, evidence.noun)
    also = "" if second.full is not None else " from as many"
    return (
        f"A second study of {size} would find again about {shared.told} of the "
        f"{features_of(shared.size)} that {who} selects{also}"
    )


def _how(evidence: Evidence, second: Second, sizes: str) -> str:
    """Say of what studies the replication stability is known, how, and how good it is."""
    best, measure = second.best, second.measure
    value = on_scale(best.value, second.chance, measure)
    word = "is" if value is None else f"is {in_words(value)},"
    if second.full is None:
        where = f"of {sizes}, measured on disjoint halves of the data,"
    elif second.halves is None:
        where = f"of {sizes}, measured on {evidence.resamples},"
    else:
        where = f"predicted for {sizes}"
    return f"{where} {word} {best.told(measure, _direction(measure), _by_chance(second))}"


def _beside(evidence: Evidence, second: Second, choice: Recommendation) -> Iterator[str]:
    """Give what was measured where the lead is a prediction, and the usual figure."""
    halves, usual = second.halves, usual_figure(choice)
    if halves is None:
        return  # the usual figure is that of a second study
    measured = (
        f"measured on disjoint halves of the data, of {plural(halves.n, evidence.noun)} each, it "
        f"is {halves.told(second.measure)}"
    )
    figure = (
        f"the usual figure, from repeating the protocol on the same {evidence.noun}s, is {usual}: "
        f"it differs, as {WHY_DIFFERENT}"
    )
    parts = (measured if second.full is not None else "", figure if usual else "")
    text = "; ".join(filter(None, parts))
    if text:
        yield f"{text[:1].upper()}{text[1:]}."


def usual_figure(choice: Recommendation) -> str:
    """Return the stability over the resamples with its interval; nothing where it is not known."""
    if not known(choice.stability):
        return ""
    chance = f"chance gives {number(choice.chance)}" if known(choice.chance) else ""
    found = Estimate(0, choice.stability, choice.low, choice.high)
    return found.told(choice.measure, _direction(choice.measure), chance)


def only_repeated(evidence: Evidence) -> Iterator[str]:
    """Say that no second study was looked at, where none was."""
    if evidence.choice is not None and evidence.second is None and not evidence.drawn:
        yield (
            f"This speaks about repeating the protocol on the same {evidence.noun}s only: whether "
            f"a second study would find these features was not measured ({evidence.why_no_second})."
        )


def _by_chance(second: Second) -> str:
    """Say what two random selections have in common, where it is not 0."""
    chance = "" if second.halves is None else random_pairs([second.chance])
    return f"two random selections give {chance}" if chance else ""


def _direction(measure: str) -> str:
    return "lower is more stable" if get_measure(measure).distance else ""
