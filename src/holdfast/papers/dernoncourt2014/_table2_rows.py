"""Table 2 by rows: a data set and a training size, with N/D and difficulty, ours and theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.papers._claims import Unchecked
from holdfast.papers.dernoncourt2014._table2 import ERROR, FEATURES

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Seen

FEATURES_PUBLISHED = {
    "vijver": 2000, "lung203": 2000, "leukemia": 7129, "breast_cancer": 30, "sonar": 60,
    "semeion": 256, "isolet": 618, "arrhythmia": 279,
}  # fmt: skip
"""Features as the headings of the table have them."""


def by_row(values: pd.DataFrame, features: dict[str, int]) -> pd.DataFrame:
    """Return a row for each data set and N: the measures, N/D, and the difficulty.

    The difficulty of a data set is its smallest error.
    """
    wide = values.pivot(index=["data", "n"], columns="measure", values="value").reset_index()
    wide["ratio"] = wide["n"] / wide["data"].map(features)
    wide["difficulty"] = wide.groupby("data")[ERROR].transform("min")
    return wide.sort_values(["data", "n"], ignore_index=True)


def ours(seen: Seen) -> pd.DataFrame:
    """Return our rows that have an error and a CW_rel."""
    table = by_row(seen.values, seen.fact(FEATURES)).dropna(subset=[ERROR, "CW_rel"])
    if table.empty:
        raise Unchecked("no data set was measured")
    return table


def theirs(seen: Seen) -> pd.DataFrame:
    """Return the published rows."""
    return by_row(seen.published, FEATURES_PUBLISHED)


def counted(count: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def sets(table: pd.DataFrame) -> str:
    """Say how many data sets there are."""
    return counted(table["data"].nunique(), "data set")


def steps(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return how much a number changes from each N of a data set to the next."""
    ordered = table.dropna(subset=[column]).sort_values(["data", "n"])
    grouped = ordered.groupby("data")
    made = ordered.assign(
        change=grouped[column].diff(),
        samples=grouped["n"].diff(),
        doublings=grouped["n"].transform(lambda n: np.log2(n).diff()),
        before=grouped["ratio"].shift(),
    ).dropna(subset=["change"])
    if made.empty:
        raise Unchecked("no data set was measured at two training sizes")
    return made
