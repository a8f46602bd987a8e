"""What several checks share: tables without gaps, means, gains, and words about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.papers._claims import Unchecked
from holdfast.papers.saeys2008._selectors import CHANGED, ENSEMBLE, SELECTORS, SINGLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.papers._claims import Seen

    Check: TypeAlias = Callable[[Seen], tuple[bool, str]]

Pair: TypeAlias = tuple[str, str]
"""A selector, and whether it is single or an ensemble."""
Means: TypeAlias = dict[Pair, float]
PAIRS: list[Pair] = [(one, kind) for one in SELECTORS for kind in (SINGLE, ENSEMBLE)]


def about(check: Check, *selectors: str) -> Check:
    """Return a check that is silent in settings which change nothing about these selectors."""

    def told(seen: Seen) -> tuple[bool, str]:
        if not set(selectors) & set(CHANGED.get(seen.setting, selectors)):
            raise Unchecked("its numbers are those of another setting")
        return check(seen)

    return told


def wide(seen: Seen, *, needed: Sequence[Pair] = PAIRS, **keys: object) -> pd.DataFrame:
    """Return a row for what has all numbers that are needed: a column a selector and kind."""
    heads = ("selector", "kind", "value")
    others = [key for key in seen.values.columns if key not in (*heads, *keys)]
    table = seen.table(**keys).pivot(index=others, columns=list(heads[:2]), values="value")
    whole = table.reindex(columns=list(needed)).dropna()
    if whole.empty:
        raise Unchecked("no data set has all numbers that it speaks about")
    return whole


def means(table: pd.DataFrame) -> Means:
    """Return the mean of each column."""
    return {pair: float(table[pair].mean()) for pair in pairs_of(table)}


def pairs_of(table: pd.DataFrame) -> list[Pair]:
    """Return what heads the columns."""
    levels = [map(str, table.columns.get_level_values(place)) for place in (0, 1)]
    return list(zip(*levels, strict=True))


def gain(found: Means, selector: str) -> float:
    """Return what an ensemble has more than the single selector."""
    return found[selector, ENSEMBLE] - found[selector, SINGLE]


def gains(table: pd.DataFrame, selector: str) -> NDArray[np.float64]:
    """Return what ensembles have more than the single selector, row by row."""
    return (table[selector, ENSEMBLE] - table[selector, SINGLE]).to_numpy(dtype=float)


def of_kind(found: Means, kind: str) -> dict[str, float]:
    """Return the means of one kind, by selector."""
    return {one: found[one, kind] for one in SELECTORS}


def first_of(found: Mapping[Pair, float]) -> Pair:
    """Return the pair with the highest number."""
    return max(found, key=lambda pair: found[pair])


def over(table: pd.DataFrame) -> str:
    """Say over how many data sets a table speaks."""
    count = table.index.get_level_values("data").nunique()
    return f"({count} data set{'' if count == 1 else 's'})"


def steps(found: Means, selectors: Iterable[str] = SELECTORS) -> str:
    """Say how means change from single selectors to ensembles."""
    return ", ".join(
        f"{one} {said(found[one, SINGLE])} to {said(found[one, ENSEMBLE])}" for one in selectors
    )


def listed(found: Mapping[str, float]) -> str:
    """Say numbers by name."""
    return ", ".join(f"{name} {said(value)}" for name, value in found.items())


def said(value: float) -> str:
    """Return a number with two decimals; zero has no sign."""
    return f"{round(value, 2) + 0.0:.2f}"
