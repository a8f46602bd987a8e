"""What the paper says about Table 2: beside simulated data, and by regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.papers._claims import Unchecked
from holdfast.papers.dernoncourt2014._regression import least_squares
from holdfast.papers.dernoncourt2014._table2 import ERROR, SIMULATED
from holdfast.papers.dernoncourt2014._table2_rows import ours, theirs

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Seen
    from holdfast.papers.dernoncourt2014._regression import Slope

LEVEL = 0.05
FEWEST = 12
"""Rows that a regression needs: fewer cannot tell two slopes from 0."""


def beside_simulated(seen: Seen) -> pd.DataFrame:
    """Return our rows with those of simulated data of the same size beside them."""
    simulated = seen.fact(SIMULATED).rename(columns={"CW_rel": "simulated"})
    return ours(seen).merge(simulated, on=["data", "n"])


def above_simulated(seen: Seen) -> tuple[bool, str]:
    """CW_rel on real data exceeds that on simulated data of the same size."""
    table = beside_simulated(seen)
    table = table[table["ratio"] < 1]
    if table.empty:
        raise Unchecked("no training set has fewer samples than features")
    above = table["CW_rel"] > table["simulated"]
    return bool(above.all()), f"in {above.sum()} of {len(table)} rows; {_pairs(table)}"


def simulated_is_a_bound(seen: Seen) -> tuple[bool, str]:
    """CW_rel on simulated data exceeds that on real data."""
    table = beside_simulated(seen)
    below = table["CW_rel"] <= table["simulated"]
    return bool(below.all()), f"real data lower in {below.sum()} of {len(table)} rows"


def _pairs(table: pd.DataFrame) -> str:
    """Return real and simulated numbers at the smallest N of each data set."""
    first = table.groupby("data").first()
    texts = [
        f"{name} {row['CW_rel']:.2f} and {row['simulated']:.2f}" for name, row in first.iterrows()
    ]
    return "real and simulated: " + ", ".join(texts)


def vijver_is_more_stable(seen: Seen) -> tuple[bool, str]:
    """Vijver's data err as simulated ones do, but are more stable."""
    table = beside_simulated(seen)
    table = table[table["data"] == "vijver"]
    if table.empty:
        raise Unchecked("these data were not used")
    gap = (table[ERROR] - 100 * table["lda_error"]).abs()
    texts = [
        f"N = {row['n']}: CW_rel {row['CW_rel']:.2f} and {row['simulated']:.2f}, error "
        f"{row[ERROR]:.0f}% and {100 * row['lda_error']:.0f}%"
        for row in table.to_dict("records")
    ]
    held = (table["CW_rel"] > table["simulated"]).all() and gap.max() <= 10
    return bool(held), "; ".join(texts)


def regression(seen: Seen) -> tuple[bool, str]:
    """CW_rel depends on difficulty and on N/D, each beside the other."""
    own, published = ours(seen), theirs(seen)
    found = regressed(own)
    held = all(slope.p < LEVEL for slope in found.values())
    held = held and found["difficulty"].value < 0 < found["N/D"].value
    texts = [
        f"{whose} ({len(rows)} rows): {_said(regressed(rows))}, with log N/D: "
        + _said(regressed(rows, log=True))
        for whose, rows in (("ours", own), ("published numbers", published))
    ]
    return held, "; ".join(texts)


def regressed(table: pd.DataFrame, *, log: bool = False) -> dict[str, Slope]:
    """Regress CW_rel on difficulty, in percent, and N/D or its decimal logarithm."""
    if len(table) < FEWEST:
        raise Unchecked(f"a regression needs at least {FEWEST} rows, {len(table)} were measured")
    ratio = np.log10(table["ratio"]) if log else table["ratio"]
    predictors = table[["difficulty"]].assign(**{"N/D": ratio})
    try:
        return least_squares(table["CW_rel"].to_numpy(), predictors)
    except ValueError as error:
        raise Unchecked(str(error)) from error


def _said(slopes: dict[str, Slope]) -> str:
    return " and ".join(
        f"{name} {slope.value:+.3f} (p = {slope.p:.2g})" for name, slope in slopes.items()
    )
