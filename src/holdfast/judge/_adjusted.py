"""Stability with and without counting correlated features as agreement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from holdfast._kernels.similar import YU
from holdfast.judge._jackknife import CONFIDENCE, interval_of_mean
from holdfast.measures import get_measure
from holdfast.measures._estimate import Chance
from holdfast.measures._interval import interval_of
from holdfast.measures._pairs import Pairs, expected_mean
from holdfast.measures._similar_chance import expected_scores
from holdfast.measures._tables import SubsetTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from holdfast.judge._correlated import FilledSimilarity
    from holdfast.measures import Measure
    from holdfast.preferences import Subsets

    Array = NDArray[np.float64]

EXACT: Literal["exact"] = (
    "exact"  # by the closed form: the graph knows, or estimates, how many stand-ins there are
)
COLUMNS = ["measure", "stand_ins", "value", "low", "high", "chance"]
MOST, SOME = 0.5, 0.1  # shares of the disagreement that stand-ins explain
MORE = 0.1  # share of the features by which agreement grows noticeably


def _share(tables: SubsetTables, *, graph: FilledSimilarity) -> Pairs:
    """Count common features and those with a stand-in over the mean size of both selections.

    Without stand-ins it is Dice's coefficient, to the last digit.
    """
    found = get_measure("yu").function(tables, graph=graph, corrected=False)
    with np.errstate(invalid="ignore"):  # both are empty
        shares = [block / _means(tables.sizes) for block in found.blocks]

    def chance() -> Chance:
        expected = expected_scores(tables, graph, YU, EXACT, 0, 0).mean
        with np.errstate(invalid="ignore"):
            return Chance(expected_mean(tables, expected / _means(tables.distinct_sizes)))

    return Pairs(blocks=shares, chance=chance)


def _means(sizes: NDArray[np.int64]) -> Array:
    """Return the mean of each pair of sizes."""
    return np.asarray((sizes[:, None] + sizes[None, :]) / 2)


@dataclass(frozen=True)
class _Row:
    """A measure of the table; `counted` tells whether stand-ins count as agreement."""

    name: str
    record: Measure
    counted: bool = False

    def estimate(self, tables: SubsetTables, graph: FilledSimilarity) -> Array:
        """Return value, low, high and chance of one system."""
        options: dict[str, Any] = {"graph": graph} if self.counted else {}
        if self.name == "yu":
            options["correction"] = EXACT
        estimate = self.record.estimate(tables, None, options)
        interval = interval_of(estimate, CONFIDENCE, (self.record.minimum, self.record.maximum))
        return np.array([estimate.value, interval.low, interval.high, estimate.chance().value])


ROWS = (
    _Row("share", get_measure("dice")),
    _Row("share", replace(get_measure("yu"), function=_share, minimum=0.0), counted=True),
    _Row("kappa", get_measure("kappa")),
    _Row("yu", get_measure("yu"), counted=True),
    _Row("nogueira", get_measure("nogueira")),
    _Row("sechidis", get_measure("sechidis"), counted=True),
)


def adjusted_stability(
    subsets: Subsets, graph: FilledSimilarity, groups: Iterable[Sequence[int]] | None
) -> pd.DataFrame:
    """Measure stability both ways, within groups of selections."""
    systems = [subsets] if groups is None else [subsets[list(group)] for group in groups]
    tables = [SubsetTables(system) for system in systems]
    rows = []
    for row in ROWS:
        found = [row.estimate(one, graph) for one in tables]
        joined = found[0] if groups is None else _over_groups(row.record, np.array(found))
        rows.append((row.name, row.counted, *joined))
    return pd.DataFrame(rows, columns=COLUMNS)


def _over_groups(record: Measure, estimates: Array) -> Array:
    """Average the estimates of groups, with an interval from their spread."""
    value, _, _, chance = estimates.mean(axis=0)
    low, high = interval_of_mean(estimates[:, 0], (record.minimum, record.maximum))
    return np.array([value, low, high, chance])


def judged(stability: pd.DataFrame) -> str:
    """Say whether correlated features explain the disagreement between resamples."""
    values = stability.set_index(["measure", "stand_ins"])["value"]
    plain, adjusted = values["kappa", False], values["yu", True]
    if np.isnan(plain):
        return "Agreement is undefined here, so nothing can be said about correlated features."
    if plain >= 1 - 1e-9:
        return "Resamples agree fully; there is no disagreement for correlated features to explain."
    share, more = values["share", False], values["share", True]
    chance = stability["chance"].iloc[1]
    return (
        f"Two resamples share {share:.0%} of the selected features; if correlated features count "
        f"they agree on {more:.0%}, random selections on {chance:.0%}. "
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
