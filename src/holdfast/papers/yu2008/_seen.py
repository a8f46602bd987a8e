"""What the claims of Yu, Ding and Loscalzo (2008) look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.papers._claims import Unchecked

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from holdfast.papers._claims import Seen


def numbers(seen: Seen, name: str, *methods: str) -> pd.DataFrame:
    """Return a table of these methods, where the setting changes one of them and all are there."""
    if not set(methods) & set(seen.values["method"]):
        raise Unchecked("the setting does not change what this is about")
    table: pd.DataFrame = seen.fact(name)
    lacking = [one for one in methods if one not in set(table["method"])]
    if lacking:
        raise Unchecked(f"{', '.join(lacking)} was not run in this setting")
    return table[table["method"].isin(methods)]


def some(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table that has rows; without any, there is nothing to decide by."""
    if table.empty:
        raise Unchecked("none of the numbers that it speaks about was measured")
    return table


def only(table: pd.DataFrame, *, data: Iterable[str], among: bool = True) -> pd.DataFrame:
    """Return the rows of some data sets, or of all others; without any, there is nothing to say."""
    own = table[table["data"].isin(list(data)) == among]
    if own.empty:
        raise Unchecked("none of the data sets that it speaks about was run")
    return own


def counted(table: pd.DataFrame) -> str:
    """Say over how many data sets something was decided."""
    count = table["data"].nunique()
    return f"{count} data set{'s' if count != 1 else ''}"


def by_pair(values: pd.Series) -> list[tuple[str, str, float]]:
    """Return numbers with the two words that tell them apart."""
    table = values.rename("value").reset_index()
    words = (table[column].astype(str) for column in table.columns[:2])
    return list(zip(*words, table["value"].astype(float), strict=True))


def span(values: pd.Series, digits: int = 2) -> str:
    """Return the range of numbers."""
    low, high = float(values.min()), float(values.max())
    return f"{low:.{digits}f} to {high:.{digits}f}"
