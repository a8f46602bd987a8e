"""Figures 4 and 5: how often features are selected, by their true effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import holdfast as hf
from holdfast.papers._claims import Claim, Unchecked, unchecked
from holdfast.papers._made import Made
from holdfast.papers._record import Experiment
from holdfast.papers.dernoncourt2014._simulated import ONLY, STEADY, at, tables_of, trend

if TYPE_CHECKING:
    from holdfast.papers._claims import Seen
    from holdfast.papers._workshop import Workshop

T, CAT, MI = "t-score", "CAT score", "mutual information"
FILTERS = {"t_score": T, "cat_score": CAT, "mutual_information": MI}
NONE, SMALL, MIDDLE, LARGEST = "effect 0", "effect 0.05", "effect 0.10", "effect 0.15"
EFFECTS = {NONE: 0.0, SMALL: 0.05, MIDDLE: 0.10, LARGEST: 0.15}
SURE = 0.9


def figure4(shop: Workshop) -> Made:
    """Show how often the t-score selects features."""
    tables = tables_of(shop, 4)
    return Made(
        values=on_curves(tables["curves"]).assign(setting=ONLY),
        pictures={"selection": hf.plot.simulated_figure(4, tables)},
    )


def figure5(shop: Workshop) -> Made:
    """Show the same of CAT score and mutual information, beside the t-score of Figure 4."""
    tables = tables_of(shop, 5)
    beside = on_curves(tables_of(shop, 4)["curves"])
    own = on_curves(tables["curves"])
    values = pd.concat([own, beside[beside["n"].isin(own["n"])]], ignore_index=True)
    return Made(
        values=values.assign(setting=ONLY),
        pictures={"selection": hf.plot.simulated_figure(5, tables)},
    )


def on_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the fitted probabilities at a few effects."""
    parts = [
        curves[np.isclose(curves["effect"], effect)].assign(effect=name)
        for name, effect in EFFECTS.items()
    ]
    found = pd.concat(parts, ignore_index=True)
    found["selector"] = found["selector"].map(FILTERS)
    found = found.rename(columns={"n_samples": "n", "probability": "value"})
    order = found.sort_values(["selector", "n", "effect"], ignore_index=True)
    return order[["selector", "n", "effect", "value"]]


def at_effect(seen: Seen, effect: str, selector: str = T) -> pd.Series:
    """Return the probability to be selected by N."""
    found = seen.table(effect=effect, selector=selector).set_index("n")["value"].sort_index()
    if len(found) < 2:
        raise Unchecked("fewer than two numbers of samples were simulated")
    return found


def small_samples_miss(seen: Seen) -> tuple[bool, str]:
    """With 50 samples even the most relevant features are seldom selected."""
    best, least = (at(at_effect(seen, effect), 50) for effect in (LARGEST, NONE))
    return best < 0.35 and least > 0.05, (
        f"probability {best:.2f} at the effect 0.15, {least:.2f} at 0"
    )


def large_samples_find(seen: Seen) -> tuple[bool, str]:
    """With 5,000 samples selection is accurate."""
    high, low = (at(at_effect(seen, effect), 5000) for effect in (MIDDLE, SMALL))
    return high >= SURE and low <= 1 - SURE, (
        f"probability {high:.2f} at the effect 0.10, {low:.2f} at 0.05"
    )


def curves_steepen(seen: Seen) -> tuple[bool, str]:
    """With N, relevant features are selected more often, and irrelevant ones less."""
    best, least = (at_effect(seen, effect) for effect in (LARGEST, NONE))
    held = best.is_monotonic_increasing and least.is_monotonic_decreasing
    return held, (
        f"from N = {best.index[0]:,} to {best.index[-1]:,}: {best.iloc[0]:.2f} to "
        f"{best.iloc[-1]:.2f} at the effect 0.15, {least.iloc[0]:.2f} to {least.iloc[-1]:.2f} at 0"
    )


def a_thousand_are_needed(seen: Seen) -> tuple[bool, str]:
    """From about 1,000 samples on the most relevant features are found."""
    best = at_effect(seen, LARGEST)
    before, after = best[best.index < 1000], best[best.index >= 1000]
    if before.empty or after.empty:
        raise Unchecked("no sizes below and above 1,000 were simulated")
    return bool(before.max() < SURE <= after.min()), (
        f"probability {before.iloc[-1]:.2f} at N = {before.index[-1]:,}, {after.iloc[0]:.2f} at "
        f"{after.index[0]:,}"
    )


def information_is_a_bit_worse(seen: Seen) -> tuple[bool, str]:
    """Mutual information finds relevant features less often than both scores."""
    wide = seen.pivot("n", "selector", effect=LARGEST)
    if not {T, CAT, MI} <= set(wide.columns):
        raise Unchecked("not all three filters were simulated")
    mean = wide.mean()
    gap = min(mean[T], mean[CAT]) - mean[MI]
    texts = [f"{name} {mean[name]:.2f}" for name in (T, CAT, MI)]
    return bool(0 < gap < 0.2), f"mean over {len(wide)} values of N: " + ", ".join(texts)


def filters_rise_alike(seen: Seen) -> tuple[bool, str]:
    """All filters find relevant features more often with more samples."""
    found = {name: at_effect(seen, LARGEST, name) for name in (T, CAT, MI)}
    texts = [f"{name} {one.iloc[0]:.2f} to {one.iloc[-1]:.2f}" for name, one in found.items()]
    return all(trend(one) >= STEADY for one in found.values()), "; ".join(texts)


CURVES = "Probabilities are those of a logistic regression on the effect, as in the paper."
FIGURE4 = Experiment(
    name="figure4",
    label="Figure 4",
    title="How often the t-score selects features, by their true effect",
    make=figure4,
    size=(
        "100 training sets for each of 7 values of N",
        "100 training sets for each of 9 values of N",
    ),
    work=("figure4",),
    keys=("selector", "n", "effect"),
    choices=(CURVES,),
    claims=(
        Claim(
            "With 50 samples the most relevant features are selected with a probability below "
            "0.35, and the least relevant ones not seldom (bar 0.05).",
            small_samples_miss,
        ),
        Claim(
            "With 5,000 samples features with effects above 0.10 are nearly always selected (bar "
            "0.9), and those with effects below 0.05 almost never (bar 0.1).",
            large_samples_find,
        ),
        Claim(
            "The more samples, the steeper the curve: the probability rises at the effect 0.15 "
            "and falls at 0 with each step of N.",
            curves_steepen,
        ),
        Claim(
            "Only from about 1,000 samples on are the most relevant features selected with good "
            "sensitivity (bar 0.9 at the effect 0.15).",
            a_thousand_are_needed,
        ),
    ),
)
FIGURE5 = Experiment(
    name="figure5",
    label="Figure 5",
    title="How often other filters select features, by their true effect",
    make=figure5,
    size=(
        "50 training sets for each of 4 values of N, 25 to 1,000",
        "100 training sets for each of 9 values of N, 25 to 10,000",
    ),
    work=("figure5", "figure4"),
    keys=("selector", "n", "effect"),
    choices=(
        CURVES,
        "The t-score of Figure 4 stands beside the two filters.",
        "How mutual information bins features is not said in the paper: as this library does.",
    ),
    claims=(
        Claim(
            "Mutual information is a bit worse than t-score and CAT score (probability at the "
            "effect 0.15, averaged over N: lower than both, by less than 0.2).",
            information_is_a_bit_worse,
        ),
        Claim(
            "All filters evolve alike: the probability at the effect 0.15 rises with N (rank "
            "correlation at least 0.9).",
            filters_rise_alike,
        ),
        unchecked(
            "SVM-RFE in one step is worse than mutual information.",
            "it is shown in the paper's supplement, which is not run again here",
        ),
    ),
)
