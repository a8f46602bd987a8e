"""Stability with and without counting stand-ins as agreement."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast.judge._jackknife import jackknife_error, means_without_each
from holdfast.measures import get_measure
from holdfast.measures._estimate import interval_of
from holdfast.measures._tables import SubsetTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from holdfast.judge._correlated import FilledSimilarity
    from holdfast.preferences import Subsets

    Array = NDArray[np.float64]

COLUMNS = ["measure", "stand_ins", "value", "low", "high", "chance"]
Z = NormalDist().inv_cdf(0.975)
MOST, SOME = 0.5, 0.1  # shares of the disagreement that stand-ins explain
MORE = 0.1  # share of the features by which agreement grows noticeably


@dataclass(frozen=True)
class _Row:
    """A measure of the table; `counted` tells whether stand-ins count as agreement."""

    name: str
    measure: str
    counted: bool
    corrected: bool = True

    def estimate(self, tables: SubsetTables, graph: FilledSimilarity) -> Array:
        """Return value, low, high and chance of one system."""
        options: dict[str, Any] = {"graph": graph} if self.counted else {}
        if not self.corrected and self.counted:
            options["corrected"] = False
        estimate = get_measure(self.measure).estimate(tables, None, options)
        interval = interval_of(estimate, 0.95)
        found = (estimate.value, interval.low, interval.high, estimate.chance().value)
        counts = self.counted and not self.corrected  # it is a number of features
        return np.array(found) / (tables.sizes.mean() if counts else 1.0)


ROWS = (
    _Row("share", "dice", counted=False, corrected=False),
    _Row("share", "yu", counted=True, corrected=False),
    _Row("kappa", "kappa", counted=False),
    _Row("yu", "yu", counted=True),
    _Row("nogueira", "nogueira", counted=False),
    _Row("sechidis", "sechidis", counted=True),
)


def adjusted_stability(
    subsets: Subsets, graph: FilledSimilarity, groups: Iterable[Sequence[int]] | None
) -> pd.DataFrame:
    """Measure stability both ways, within groups of selections."""
    systems = [subsets] if groups is None else [subsets[list(group)] for group in groups]
    tables = [SubsetTables(system) for system in systems]
    rows = [
        (row.name, row.counted, *_joined(np.array([row.estimate(one, graph) for one in tables])))
        for row in ROWS
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _joined(estimates: Array) -> Array:
    """Average the estimates of groups, with an interval from their spread."""
    if len(estimates) == 1:
        return np.asarray(estimates[0])
    value, _, _, chance = estimates.mean(axis=0)
    half = Z * float(jackknife_error(means_without_each(estimates[:, 0])))
    return np.array([value, value - half, value + half, chance])


def judged(stability: pd.DataFrame) -> str:
    """Say whether stand-ins explain the disagreement between resamples."""
    values = stability.set_index(["measure", "stand_ins"])["value"]
    plain, adjusted = values["kappa", False], values["yu", True]
    if np.isnan(plain):
        return "Agreement is undefined here, so nothing can be said about stand-ins."
    if plain >= 1 - 1e-9:
        return "Resamples agree fully; there is no disagreement for stand-ins to explain."
    share, more = values["share", False], values["share", True]
    chance = stability["chance"].iloc[1]
    return (
        f"Two resamples share {share:.0%} of the selected features; if stand-ins count they agree "
        f"on {more:.0%}, random selections on {chance:.0%}. "
        + _conclusion(np.nan_to_num((adjusted - plain) / (1 - plain)), more - share)
    )


def _conclusion(explained: float, gain: float) -> str:
    well = "which is how a selector can be unstable and yet classify well."
    if explained >= SOME:
        much = "Most" if explained >= MOST else "Part"
        return (
            f"{much} of the disagreement is between features that carry the same information, "
            + well
        )
    if gain >= MORE:
        return (
            "Correlated features are so common here that this is little more than chance: many "
            "selections carry much the same information, " + well
        )
    return "The disagreement is hardly between correlated features."
