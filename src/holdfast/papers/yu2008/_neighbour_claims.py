"""What the paper says about nearest neighbours, held against Figure 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers.yu2008._seen import counted, span

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Seen

FIRST = "colon"
"""The data set that the paper shows."""
FEW = 4
"""Neighbours from which on distributions spread, according to the paper."""


def line(seen: Seen, what: str) -> pd.Series:
    """Return a number by K on the data set that the paper shows."""
    own = seen.table(data=FIRST, what=what).set_index("K")["value"].sort_index()
    if not ((own.index < FEW).any() and (own.index >= FEW).any()):
        raise Unchecked(f"{FIRST} was not run with few and many neighbours")
    return own


def narrow_for_few(seen: Seen) -> tuple[bool, str]:
    """Distributions are narrower for few neighbours than for any larger number."""
    spread = line(seen, "sd")
    few, many = spread[spread.index < FEW], spread[spread.index >= FEW]
    told = f"standard deviation {span(few, 3)} for K < 4, {span(many, 3)} from 4 on"
    return bool(few.max() < many.min()), told


def skewed_for_few(seen: Seen) -> tuple[bool, str]:
    """Distributions are highly skewed for few neighbours."""
    own = line(seen, "skewness")
    few = own[own.index < FEW]
    texts = [f"K = {count} {value:.2f}" for count, value in few.items()]
    return bool((few.abs() > 1).all()), f"skewness: {', '.join(texts)}"


def less_skewed_for_more(seen: Seen) -> tuple[bool, str]:
    """Distributions are less skewed for more neighbours."""
    own = line(seen, "skewness").abs()
    few, many = own[own.index < FEW], own[own.index >= FEW]
    told = f"absolute skewness {span(few)} for K < 4, {span(many)} from 4 on"
    return bool(many.max() < few.min()), told


def falls(seen: Seen) -> tuple[bool, str]:
    """Medians fall with every step of K."""
    own = line(seen, "median")
    told = f"median from {own.iloc[0]:.2f} at K = {own.index[0]} to {own.iloc[-1]:.2f}"
    return bool((own.diff().dropna() < 0).all()), f"{told} at K = {own.index[-1]}"


def same_elsewhere(seen: Seen) -> tuple[bool, str]:
    """Other data sets show the same: medians fall and spreads grow up to ten neighbours."""
    table = seen.table()
    others = table[(table["data"] != FIRST) & (table["K"] <= 10)]
    if others.empty:
        raise Unchecked("no other data set was run")
    held, texts = [], []
    for name, own in others.groupby("data", sort=False):
        wide = own.pivot(index="K", columns="what", values="value").sort_index()
        steps = wide[["median", "sd"]].diff().dropna()
        held.append(bool((steps["median"] < 0).all() and (steps["sd"] > 0).all()))
        texts.append(f"{name}: sd {span(wide['sd'], 3)}")
    return all(held), f"{counted(others)}; {'; '.join(texts)}"


FIGURE1 = (
    Claim(
        "Distributions are narrow for K < 4 (bar: each narrower than all from 4 on).",
        narrow_for_few,
    ),
    Claim(
        "Distributions are highly skewed for K < 4 (bar: skewness beyond 1 in size, where there is "
        "any spread).",
        skewed_for_few,
    ),
    Claim(
        "From K = 4 on they are less skewed (bar: all less than any for K < 4).",
        less_skewed_for_more,
    ),
    Claim("Distributions move to lower correlations with every step of K.", falls),
    Claim(
        "Other data sets show the same trend (bar: up to K = 10, medians fall and standard "
        "deviations grow with every step).",
        same_elsewhere,
    ),
)
