"""Figure 9: stability where samples and features grow together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

import holdfast as hf
from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers._made import Made
from holdfast.papers._record import Experiment
from holdfast.papers.dernoncourt2014._simulated import ONLY, fact, some_of, tables_of

if TYPE_CHECKING:
    from holdfast.papers._claims import Seen
    from holdfast.papers._workshop import Workshop

POINTS = "points"
SPREAD = 0.05
FEWEST = 100
"""Features of which a tenth is ten: with fewer, chance decides."""
LOWEST = 200
"""Features from which dimensions are not the lowest any more."""


def figure9(shop: Workshop) -> Made:
    """Show CW_rel by N, for each ratio of N to D."""
    tables = tables_of(shop, 9)
    table = tables["stability"]
    parts = [some_of(own) for _, own in table.groupby("ratio", sort=False)]
    some = pd.concat(parts, ignore_index=True).rename(columns={"ratio": "N/D", "n_samples": "n"})
    values = some[["N/D", "n", "value"]].assign(measure="CW_rel", setting=ONLY)
    return Made(
        values=values,
        pictures={"ratios": hf.plot.simulated_figure(9, tables)},
        facts={(ONLY, POINTS): table},
    )


def spreads(table: pd.DataFrame) -> pd.Series:
    """Return highest minus lowest CW_rel of each ratio."""
    grouped = table.groupby("ratio")["value"]
    found: pd.Series = (grouped.max() - grouped.min())[grouped.size() > 1]
    if found.empty:
        raise Unchecked("no ratio was simulated at two sizes")
    return found


def constant_below_five(seen: Seen) -> tuple[bool, str]:
    """CW_rel hardly varies at constant N/D."""
    table = fact(seen, POINTS)
    found = spreads(table[table["ratio"] < 5])
    return bool(found.max() <= SPREAD), f"highest minus lowest CW_rel: {_told(found)}"


def constant_from_a_hundred(seen: Seen) -> tuple[bool, str]:
    """The same where at least ten features are selected."""
    table = fact(seen, POINTS)
    found = spreads(table[(table["ratio"] < 5) & (table["n_features"] >= FEWEST)])
    return bool(found.max() <= SPREAD), f"highest minus lowest CW_rel: {_told(found)}"


def constant_from_five(seen: Seen) -> tuple[bool, str]:
    """The same for large ratios, but for the lowest dimensions."""
    table = fact(seen, POINTS)
    table = table[table["ratio"] >= 5]
    found = spreads(table[table["n_features"] >= LOWEST])
    return bool(found.max() <= SPREAD), (
        f"highest minus lowest CW_rel: {_told(found)}; with the lowest dimensions "
        f"{_told(spreads(table))}"
    )


def _told(found: pd.Series) -> str:
    return ", ".join(f"{value:.3f} at N/D = {ratio:g}" for ratio, value in found.items())


def grows_with_ratio(seen: Seen) -> tuple[bool, str]:
    """CW_rel grows with N/D."""
    means = fact(seen, POINTS).groupby("ratio")["value"].mean().sort_index()
    if len(means) < 2:
        raise Unchecked("fewer than two ratios were simulated")
    texts = [f"{value:.2f} at {ratio:g}" for ratio, value in means.items()]
    return bool(means.is_monotonic_increasing), "mean CW_rel " + ", ".join(texts)


def low_up_to_a_tenth(most: float, *, strictly: bool = False) -> Claim:
    """Say that CW_rel stays below a bar for small N/D."""

    def check(seen: Seen) -> tuple[bool, str]:
        table = fact(seen, POINTS)
        own = table[table["ratio"] <= 0.1]
        if own.empty:
            raise Unchecked("no N/D of 0.1 or less was simulated")
        top = own.iloc[int(own["value"].argmax())]
        return bool(top["value"] < most), (
            f"at most {top['value']:.3f}, at N/D = {top['ratio']:g} with N = "
            f"{top['n_samples']:,.0f}; {len(own)} points from N/D = {own['ratio'].min():g} on"
        )

    text = (
        f"Stability is almost 0 for N/D up to 0.1 (bar {most:g})."
        if strictly
        else f"Stability is below {most:g} for N/D up to 0.1, as expression data have it."
    )
    return Claim(text, check)


FIGURE9 = Experiment(
    name="figure9",
    label="Figure 9",
    title="Stability at constant ratios of samples to features",
    make=figure9,
    size=(
        "100 training sets, up to 10,000 features, half of the grid",
        "100 training sets, up to 100,000 features (10,000 in the paper)",
    ),
    work=("figure9",),
    keys=("N/D", "n", "measure"),
    choices=(
        (
            "The points of the grid and the ratios between 0.01 and 10 are not said: 0.01, 0.05, "
            "0.1, 0.5, 1, 5 and 10, with the numbers of samples of Figure 6. A few points are in "
            "the table, all are in the picture."
        ),
        "The Bayes error is 0.10, and a tenth of the features is selected.",
    ),
    claims=(
        Claim(
            "At constant N/D below 5, stability is constant (highest minus lowest CW_rel at most "
            "0.05).",
            constant_below_five,
        ),
        Claim(
            "The same with at least 100 features, of which 10 or more are selected (a condition "
            "that was added here).",
            constant_from_a_hundred,
        ),
        Claim(
            "At constant N/D from 5 on it is constant but for the lowest dimensions (the same bar; "
            "200 features or more).",
            constant_from_five,
        ),
        Claim("Stability grows with N/D (mean CW_rel at each ratio).", grows_with_ratio),
        low_up_to_a_tenth(0.2),
        low_up_to_a_tenth(0.1, strictly=True),
    ),
)
