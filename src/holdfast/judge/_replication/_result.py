"""Replication stability: the value, its interval, and what larger studies may expect."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from holdfast._text import plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from holdfast.plot import Picture

FEATURE_COLUMNS = ["feature", "selected", "found_again", "low", "grade"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Replication:
    """How well the selections of two independent studies agree.

    Attributes
    ----------
    value : float
        The mean similarity of the selections from disjoint halves of the data: an unbiased
        estimate for two independent samples of `n_samples` each.
    low, high : float
        Its interval, at the level of the data: other data sets would give other values.
    n_samples : int
        Samples (subjects, where there are any) in each half.
    measure : str
        The measure of similarity.
    size : int or None
        How many features are selected; None where the selector decides.
    n_features : int
        How many features there are to select from.
    chance : float
        What two random selections of these sizes give by the measure; NaN where that is not known.
        For measures that depend on the number of selections it is not what many give.
    n_pairs : int
        How many splits into halves were compared.
    confidence : float
        Level of the intervals.
    standard_error : float
        Standard error of the value between data sets.
    points : DataFrame
        Estimates: ``n_samples``, ``value``, ``standard_error``, ``n_pairs``; a quarter, three
        eighths and half of the data.
    curve : DataFrame
        ``n_samples``, ``value``, ``low``, ``high`` and ``kind``: ``"estimated"`` for the points,
        ``"predicted"`` for all, twice and four times the data.
    note : str
        What a reader must know about the numbers; mostly empty.
    features : DataFrame
        Each feature's chance to be found again, the highest first. ``feature``; ``selected``,
        whether it is selected on all of these data; ``found_again``, the probability that an
        independent study of the same size selects it; ``low``, a one-sided 90% lower bound;
        ``grade``: *very likely* (at least 0.9), *likely* (0.7), *uncertain* (0.3) or *unlikely*.
        All chances add up to the number of selected features. For selectors of groups there is
        one row per selected group, named by its representative, with its ``members``; the chance
        is that a study selects at least half of them. Empty where chances are not known:
        ``features.attrs["why_none"]`` says why.
    """

    value: float
    low: float
    high: float
    n_samples: int
    measure: str
    size: int | None
    n_features: int
    chance: float
    n_pairs: int
    confidence: float
    standard_error: float
    points: pd.DataFrame
    curve: pd.DataFrame
    features: pd.DataFrame
    note: str = ""

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the curve."""
        return self.curve.copy()

    def plot(self, ax: Axes | None = None) -> Picture:
        """Draw the curve; see :func:`holdfast.plot.replication`."""
        # found by name when it is asked for: numbers do not depend on pictures
        drawn: Picture = importlib.import_module("holdfast.plot").replication(
            self.curve, measure=self.measure, ax=ax
        )
        return drawn

    def __repr__(self) -> str:
        span = f"{self.confidence:.0%} interval {self.low:.2f} to {self.high:.2f}"
        said = (
            f"<Replication: {self.measure} {self.value:.2f} ({span})>\n"
            f"Two independent studies of {self.n_samples:,} each would agree so on average; "
            f"estimated from {plural(self.n_pairs, 'pair')} of disjoint halves."
        )
        for row in self.curve[self.curve["kind"] == "predicted"].head(1).itertuples():
            ends = f"{row.low:.2f} to {row.high:.2f}"
            said += f"\nPredicted for studies of {row.n_samples:,.0f}: {row.value:.2f} ({ends})."
        return f"{said}\nNote: {self.note}." if self.note else said


def no_features(why: str) -> pd.DataFrame:
    """Return the table without a row, and why there is none."""
    kinds = dict.fromkeys(("found_again", "low"), "float64") | {"selected": "bool"}
    table = pd.DataFrame(columns=FEATURE_COLUMNS).astype(kinds)
    table.attrs["why_none"] = why
    return table
