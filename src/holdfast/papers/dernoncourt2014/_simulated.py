"""Tables of the simulated figures, shared between experiments, and ways to look at them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import spearmanr

import holdfast as hf
from holdfast.papers._claims import Unchecked

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Seen
    from holdfast.papers._workshop import Workshop

ONLY = "as published"
"""The setting of figures that are made in one way."""
SHORT = {
    "relative_weighted_consistency": "CW_rel",
    "ati_pa": "ATI_PA",
    "pearson": "S_W",
    "spearman": "S_R",
}
PANELS = {"n_samples": "N", "n_features": "D", "size": "d", "gamma": "γ"}
SHOWN = 5
"""Points of a panel whose numbers are given; the picture has all."""
STEADY = 0.9
"""A rank correlation from which numbers are said to rise or fall with something."""


def tables_of(shop: Workshop, number: int) -> dict[str, pd.DataFrame]:
    """Return the tables of a figure; simulated once, whichever experiment asks for them."""
    make = partial(
        hf.simulate.figure_tables,
        number,
        full=shop.full,
        random_state=shop.seed,
        n_jobs=shop.workers.n_jobs or -1,
    )
    return shop.tables(f"figure{number}", make)


def some_of(table: pd.DataFrame, count: int = SHOWN) -> pd.DataFrame:
    """Return a few rows, the first and the last among them, evenly in between."""
    places = np.unique(np.linspace(0, len(table) - 1, count).round().astype(int))
    return table.iloc[places]


def line(table: pd.DataFrame, x: str, y: str, **keys: object) -> pd.Series:
    """Return a column by another, in ascending order; without gaps."""
    for key, value in keys.items():
        table = table[table[key] == value]
    found = table.set_index(x)[y].dropna().sort_index()
    if len(found) < 2:
        raise Unchecked("fewer than two points were simulated")
    return found


def trend(found: pd.Series) -> float:
    """Return the rank correlation of numbers with what they are indexed by."""
    if found.nunique() < 2:
        return 0.0
    return float(spearmanr(found.index, found).statistic)


def at(found: pd.Series, place: float) -> float:
    """Return the number at a place."""
    if place not in found.index:
        raise Unchecked(f"nothing was simulated at {place:g}")
    return float(found[place])


def highest(found: pd.Series) -> float:
    """Return the place of the largest number, the first of several."""
    return float(found.index[int(found.argmax())])


def ends(found: pd.Series) -> str:
    """Return the first and the last number as text."""
    return f"{found.iloc[0]:.2f} to {found.iloc[-1]:.2f}"


def fact(seen: Seen, name: str) -> pd.DataFrame:
    """Return a table of a figure."""
    table: pd.DataFrame = seen.fact(name)
    return table
