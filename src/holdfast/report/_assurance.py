"""How far a list of features can be relied on: the rules, all in this place.

Stability is read on a scale from 0, what random selections give, to 1, the same features each
time (a measure that is not corrected for chance is first brought to this scale). Below 0.4 it is
called poor, from 0.75 on excellent, between them intermediate to good, as Nogueira et al. (2018)
do after Fleiss's scale for agreement between raters.

A second study counts by its replication stability: that predicted for two studies as large as this
one, else that of two studies half as large, which disjoint halves of the data tell. On its scale
0 is what two random selections give: some chance levels depend on how many are compared.

The assurance is *low* if any of these holds: no feature is trusted; the replication stability is
below 0.4; the 95% interval of the stability over the resamples reaches below 0.4; the error to
expect plus two standard errors reaches what guessing the largest class gives; less than half of the
work is done. It is *fair* if none of them holds, but one of these: the replication stability is
below 0.75, or its interval reaches below 0.4, or that of the halves from which it is predicted; the
interval of the stability over the resamples reaches below 0.75, or there is none; part of the work
is missing; there are fewer than 20 resamples; nothing was classified; where the choosing was
repeated, the recommended pair came out in less than 60% of the repetitions. It is *high* otherwise.

Where replication stability was not estimated, it does not count: the verdict then says that only
repeating the protocol on the same data was measured. Where data sets were drawn independently, the
stability over them is the replication stability. How random features classify is told beside the
assurance, but does not count: a study without this control must not look surer than one that has
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from holdfast.measures import get_measure
from holdfast.report._words import known, number, plus_minus, share
from holdfast.resample._words import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.judge import Recommendation
    from holdfast.report._evidence import Evidence
    from holdfast.report._second import Estimate, Second

POOR, EXCELLENT = 0.4, 0.75
AGAIN = 0.6
"""Share of repetitions in which the recommended pair should be chosen again."""
FEW = 20
"""Fewer resamples than this are few."""
Level = Literal["high", "fair", "low"]


class Doubt(NamedTuple):
    """A reason why the assurance is not higher than this level."""

    level: Level
    reason: str


def assurance(evidence: Evidence) -> tuple[Level, list[str]]:
    """Return how far the trusted features can be relied on, and why not further."""
    doubts = list(_doubts(evidence))
    levels = {doubt.level for doubt in doubts}
    level: Level = "low" if "low" in levels else "fair" if levels else "high"
    return level, [doubt.reason for doubt in doubts if doubt.level == level]


def in_words(stability: float) -> str:
    """Return what a stability between 0 (chance) and 1 is called."""
    if stability < POOR:
        return "poor"
    return "excellent" if stability >= EXCELLENT else "intermediate to good"


def on_scale(value: float, chance: float, measure: str) -> float | None:
    """Return a stability between 0 for chance and 1 for the best; None if it has no such scale."""
    if not known(value):
        return None
    record = get_measure(measure)
    start = 0.0 if record.corrected else chance
    if not known(start) or not known(record.best) or record.best == start:
        return None
    return (value - start) / (record.best - start)


def scaled(choice: Recommendation | None) -> tuple[float | None, float | None]:
    """Return the stability of the recommended pair, and the less good end of its interval."""
    if choice is None:
        return None, None
    ends = (choice.stability, choice.low, choice.high)
    return _ends(*ends, chance=choice.chance, measure=choice.measure)


def _ends(*values: float, chance: float, measure: str) -> tuple[float | None, float | None]:
    """Return a stability on the scale, and the less good end of its interval."""
    value, *ends = (on_scale(one, chance, measure) for one in values)
    return value, min((end for end in ends if end is not None), default=None)


def _doubts(evidence: Evidence) -> Iterator[Doubt]:
    if evidence.all_selected:
        yield Doubt("low", "all features are always selected, so nothing is chosen")
        return
    if not evidence.trusted:
        yield Doubt("low", "no feature was selected often enough to be trusted")
    yield from _of_replication(evidence)
    yield from _of_stability(evidence)
    yield from _of_error(evidence)
    yield from _of_choosing(evidence)
    yield from _of_work(evidence)


def _of_replication(evidence: Evidence) -> Iterator[Doubt]:
    second = evidence.second
    if second is None or second.halves is None:
        return  # of independent data sets, the stability is looked at below
    found = [_agreement(one, second) for one in (second.best, second.halves)]
    (value, _), lows = found[0], [low for _, low in found if low is not None]
    if value is None:
        return
    size = "as large" if second.full is not None else "half as large"
    text = f"a second study {size} would agree only at {number(second.best.value)}"
    if value < POOR:
        yield Doubt("low", f"{text}, which is poor")
    elif value < EXCELLENT:
        yield Doubt("fair", text)
    elif lows and min(lows) < POOR:
        reach = f"an interval of the replication stability reaches down to {number(min(lows))}"
        yield Doubt("fair", f"{reach}, so a second study might agree poorly")


def _agreement(found: Estimate, second: Second) -> tuple[float | None, float | None]:
    """Return the agreement of two studies on the scale: 0 is what two random selections give."""
    return _ends(found.value, found.low, found.high, chance=second.chance, measure=second.measure)


def _of_stability(evidence: Evidence) -> Iterator[Doubt]:
    value, low = scaled(evidence.choice)
    if value is None or low is None:
        yield Doubt("fair", "there is no interval that says how sure the stability is")
    elif low < POOR:
        yield Doubt("low", f"the stability may be poor: its interval reaches {number(low)}")
    elif low < EXCELLENT:
        yield Doubt("fair", f"the interval of the stability reaches down to {number(low)}")


def _of_error(evidence: Evidence) -> Iterator[Doubt]:
    if evidence.error is None:
        yield Doubt("fair", "how well the features classify was not tested")
        return
    error, spread = evidence.error
    if error + 2 * (spread or 0.0) >= evidence.guessing:
        yield Doubt(
            "low",
            f"the error, {plus_minus(error, spread)}, is not clearly below the "
            f"{share(evidence.guessing)} of guessing the largest class",
        )


def _of_choosing(evidence: Evidence) -> Iterator[Doubt]:
    times = evidence.chosen_again
    if times is not None and times < AGAIN:
        yield Doubt("fair", f"the recommended pair is not a sure choice: {again(evidence)}")


def again(evidence: Evidence) -> str:
    """Say how often the recommended pair was chosen when the choosing was repeated."""
    found = None if evidence.choice is None else evidence.choice.choice
    where = "outer training parts" if found and found.method == "nested" else "repeated choices"
    return f"it came out in {percent(round(evidence.chosen_again or 0.0, 2))} of the {where}"


def _of_work(evidence: Evidence) -> Iterator[Doubt]:
    done, units = evidence.result.n_done, evidence.result.n_units
    if done < units:
        level: Level = "low" if 2 * done < units else "fair"
        yield Doubt(level, f"{units - done:,} of {units:,} units of work are missing")
    if evidence.n_compared < FEW:
        yield Doubt("fair", f"there are only {evidence.resamples} to compare")
