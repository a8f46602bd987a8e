"""What speaks against relying on a feature, each in half a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.report._words import called, known, number
from holdfast.resample._words import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import FeatureRow

OFTEN = 0.9
"""Share of the resamples from which on a feature is selected often."""
TINY = 0.2
"""Standardised difference that Cohen calls small."""
WIDE = 5
"""A rank range is wide if it spans more than this many times the size."""
MISSING = 0.05
"""Share of missing values that is worth a word."""


def caveats(evidence: Evidence, row: FeatureRow) -> list[str]:
    """Return what a reader should know before relying on the feature."""
    return [
        text
        for find in (_by_chance, _ranks, _copy, _stand_ins, _effect, _missing, _alone)
        for text in find(evidence, row)
    ]


def _by_chance(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.all_selected:
        yield "selected each time, as all features are"
    elif row["frequency_low"] is not None and row["frequency_low"] <= evidence.chance:
        yield f"resamples select it hardly more often than by chance ({percent(evidence.chance)})"


def _ranks(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.cell is None or row["rank_low"] is None or evidence.cell[1] == "own":
        return
    low, high = row["rank_low"], row["rank_high"]
    if high is None and "in_group" in row:
        return  # another member stood for its group; that is no rank
    if high is None:
        yield f"rank varies widely: from {low:,} to beyond what was kept"
    elif high - low > WIDE * int(evidence.cell[1]):
        yield f"rank varies widely: {low:,} to {high:,}"


def _copy(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if row["feature"] in evidence.copies:
        other, correlation = evidence.copies[row["feature"]]
        yield f"nearly a copy of {called(other)} (correlation {number(correlation, 3)})"


def _stand_ins(_: Evidence, row: FeatureRow) -> Iterator[str]:
    taking = max(row["stand_ins"], key=lambda one: one["share"] or 0.0, default=None)
    if taking is not None:
        yield (
            f"{called(taking['feature'])} takes its place: in {taking['count']:,} of "
            f"{plural(taking['n'], 'resample')} without it, in {taking['count_with']:,} of "
            f"{taking['n_with']:,} with it"
        )


def _effect(_: Evidence, row: FeatureRow) -> Iterator[str]:
    observed, low = row["observed_effect"], row["effect_low"]
    if known(observed) and abs(observed) < TINY:  # type: ignore[arg-type]
        yield "classes hardly differ in it when it is looked at alone"
    elif known(low) and low <= 0:  # type: ignore[operator]
        yield "looked at alone, it may have no effect: its interval holds 0"


def _missing(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.data is None or row["feature"] not in evidence.position:
        return
    column = evidence.data.X[:, evidence.position[row["feature"]]]
    share = float(np.isnan(column).mean())
    if share >= MISSING:
        yield f"{percent(share)} of its values are missing"


def _alone(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    """Tell of features that are often selected, but by this selector only."""
    often = evidence.n_rivals and row["frequency"] >= OFTEN
    if often and row["feature"] not in evidence.elsewhere:
        yield "selected by no other selector"
