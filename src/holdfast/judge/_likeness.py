"""Words about how alike selectors are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._text import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from holdfast.preferences import Subsets

NONE = "No two of the {count} selectors are clearly more alike than chance."


def sentences_of(table: pd.DataFrame) -> tuple[str, ...]:
    """Say which selectors are most and least alike, from the table of a similarity.

    Where it is known which pairs are more alike than chance, only these are called alike.
    """
    pairs = table[table["first"] != table["second"]].dropna(subset="similarity")
    if pairs.empty:
        return ()
    own = table[table["first"] == table["second"]].set_index("first")["similarity"]
    if len(pairs) == 1:
        return (_pair(pairs.iloc[0], own),)
    ordered = pairs.sort_values("similarity", ascending=False, kind="stable")
    alike = ordered[ordered["beyond_chance"].fillna(value=True)]
    if alike.empty:
        return (NONE.format(count=len(own)),)
    return (
        f"Most alike: {_pair(alike.iloc[0], own)}",
        f"Least alike: {_pair(ordered.iloc[-1], own)}",
    )


def _pair(row: pd.Series, own: pd.Series) -> str:
    first, second = row["first"], row["second"]
    between = f"{_number(row['low'])} to {_number(row['high'])}; "
    return (
        f"{first} and {second}: similarity {_number(row['similarity'])} "
        f"({'' if np.isnan(row['low']) else between}to themselves: {_number(own[first])} and "
        f"{_number(own[second])}){_compared(row)}."
    )


def _compared(row: pd.Series) -> str:
    """Say what a similarity is to be compared with."""
    beyond, share = row["beyond_chance"], row["relative"]
    if not pd.isna(beyond) and not beyond:
        return ", not clearly more than chance"
    raw = ", chance not taken out" if pd.isna(beyond) and not np.isnan(row["low"]) else ""
    return raw + ("" if np.isnan(share) else f", {share:.0%} of what their own noise allows")


def _number(value: Any) -> str:  # noqa: ANN401  (what a frame holds)
    return f"{round(float(value), 2) + 0.0:.2f}"  # no minus before a zero


def left_out(systems: Mapping[str, Subsets], undefined: NDArray[np.float64], measure: str) -> str:
    """Say which share of the pairs of selections has no similarity, and why; nothing if none."""
    share = float(undefined.mean())
    if share <= 0:
        return ""
    causes = shortened([cause for name, one in systems.items() for cause in _odd(name, one)])
    percent = f"{share:.0%}" if share >= 0.01 else "less than 1%"
    return (
        f"{percent} of the pairs of selections are left out, as {measure} has no value for them "
        f"({causes or 'their sizes differ'})"
    )


def _odd(name: str, subsets: Subsets) -> Iterator[str]:
    empty = int(np.sum(subsets.sizes == 0))
    full = int(np.sum(subsets.sizes == subsets.n_features))
    if empty:
        yield f"{name}: {empty} of {len(subsets)} selections are empty"
    if full:
        yield f"{name}: {full} of {len(subsets)} selections hold all features"
