"""What a comparison of cohorts says in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import plural, shortened
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.judge._cohorts._compared import Against
    from holdfast.judge._cohorts._result import CohortComparison

HARDLY = 0.5
"""Power below which a comparison could hardly have shown a difference."""
CLEAR = 0.05
"""p-value up to which cohorts are said to differ."""


def sentences_of(found: CohortComparison) -> tuple[str, ...]:
    """Say whether cohorts agree as they should, where they do not, and how much recurs."""
    return tuple(_sentences(found))


def _sentences(found: CohortComparison) -> Iterator[str]:
    against = found.overall
    if np.isnan(against.p_value):
        yield f"{_who(found)} cannot be compared: {found.measure} has no value for them."
        return
    verdict, rest = _verdict(found)
    yield f"{_who(found)} select {verdict}: {_numbers(found, against)}.{rest}"
    if len(found.pairs) > 1 and against.p_value <= CLEAR:
        worst = found.pairs.sort_values("p_value", kind="stable").iloc[0]
        yield (
            f"Least alike beside what is expected: {worst['cohort_a']} and {worst['cohort_b']}, "
            f"{worst['value']:.2f} instead of {worst['expected']:.2f}."
        )
    if len(found.recurrence):
        yield _recurring(found)


def _who(found: CohortComparison) -> str:
    counted = [f"{name} ({n:,})" for name, n in found.cohorts.items()]
    if len(counted) == 2:
        return f"The cohorts {counted[0]} and {counted[1]}"
    return f"The {len(counted)} cohorts {shortened(counted, most=8)}"


def _verdict(found: CohortComparison) -> tuple[str, str]:
    """Return how cohorts select, and what a reader is to think of it."""
    against, distance = found.overall, get_measure(found.measure).distance
    beyond = against.value < against.low if distance else against.value > against.high
    if against.p_value <= CLEAR:
        rest = " They differ: in population, platform or batch."
        return "less alike than samples of these sizes from one population would", rest
    if beyond:
        rest = (
            " Samples dealt from all cohorts are noisier than the cohorts, as they are where each "
            "cohort has a level of its own: centre the features within cohorts, and compare again."
        )
        return "more alike than samples of these sizes dealt from all of them do", rest
    return "about as much alike as samples of these sizes from one population do", _missed(found)


def _missed(found: CohortComparison) -> str:
    """Say what a difference had to be like to be noticed."""
    every, half = found.power
    if np.isnan(every):
        return " That does not show that they agree: a difference may have been missed."
    sizes = " + ".join(f"{n:,}" for n in found.cohorts.values())
    if every < HARDLY:
        head = f" {sizes} samples could hardly have shown a difference"
    else:
        head = f" {sizes} samples may have missed a difference"
    return (
        f"{head}: if the cohorts had no informative feature in common, about {every:.0%} of such "
        f"comparisons would notice; if half of them, {half:.0%}; far fewer where features "
        "correlate."
    )


def _numbers(found: CohortComparison, against: Against) -> str:
    mean = " on average" if len(found.pairs) > 1 else ""
    return (
        f"{found.measure} {against.value:.2f}{mean}, {against.expected:.2f} is expected "
        f"({against.low:.2f} to {against.high:.2f}; p = {against.p_value:.3f})"
    )


def _recurring(found: CohortComparison) -> str:
    last: Any = found.recurrence.iloc[-1]
    every = "both cohorts" if len(found.cohorts) == 2 else f"all {len(found.cohorts)} cohorts"
    return (
        f"In {every}: {plural(int(last['features']), 'feature')}, where {last['expected']:.1f} "
        f"are expected ({last['low']:.0f} to {last['high']:.0f})."
    )
