"""Figure 1: which features the folds select."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import holdfast as hf
from holdfast.papers._claims import Claim, Seen, Unchecked, unchecked
from holdfast.papers._made import Made
from holdfast.papers._record import Experiment
from holdfast.papers.kalousis2005._study import (
    CHOICES,
    DATA,
    LEFT_OUT,
    METHODS,
    OVARIAN,
    PEAKS,
    SETTINGS,
    outer_groups,
    studied,
)

if TYPE_CHECKING:
    from holdfast.papers._workshop import Workshop

BEST = 10
WITHIN, BETWEEN = "shared within outer folds", "shared between outer folds"
EVER, ALWAYS = "ever selected", "always selected"


def figure1(shop: Workshop) -> Made:
    """Draw stripes, and count what they show."""
    results = {setting.name: studied(shop, setting.name) for setting in SETTINGS}
    rows = [
        {"setting": setting, "data": OVARIAN, "method": method, "what": what, "value": value}
        for setting, result in results.items()
        for method in METHODS
        if method in result.selectors
        for what, value in counted(result, method).items()
    ]
    pictures = {name: results[PEAKS].plot_stripes(name, BEST) for name in METHODS}
    return Made(values=pd.DataFrame(rows), pictures=pictures)


def counted(result: hf.Result, method: str) -> dict[str, float]:
    """Count the features that inner folds share, and those selected at all and always."""
    subsets = result.preferences[method, BEST]
    alike = hf.pairwise("jaccard", subsets)
    groups = outer_groups(result)
    within = np.mean(
        [alike[np.ix_(one, one)][np.triu_indices(len(one), 1)].mean() for one in groups]
    )
    apart = np.ones_like(alike, dtype=bool)
    for one in groups:
        apart[np.ix_(one, one)] = False
    counts = np.bincount(subsets.indices)
    return {
        WITHIN: shared(float(within)),
        BETWEEN: shared(float(alike[apart].mean())),
        EVER: float((counts > 0).sum()),
        ALWAYS: float((counts == len(subsets)).sum()),
    }


def shared(similarity: float) -> float:
    """Return how many of the features two sets have in common, from S_S, as the paper does."""
    return 2 * BEST * similarity / (1 + similarity)


def wide(seen: Seen) -> pd.DataFrame:
    """Return the counts: a row a method."""
    table = seen.pivot("method", "what")
    if missing := [name for name in METHODS if name not in table.index]:
        raise Unchecked(f"nothing was counted of {', '.join(missing)}")
    return table.loc[list(METHODS)]


def pictures_agree(seen: Seen) -> tuple[bool, str]:
    """The more features are shared, the fewer are selected at all."""
    table = wide(seen).sort_values(WITHIN, ascending=False)
    texts = [f"{name}: {row[WITHIN]:.2f} shared, {row[EVER]:.0f} selected"
             for name, row in table.iterrows()]  # fmt: skip
    return bool(table[EVER].is_monotonic_increasing), "; ".join(texts)


def nearer_within(seen: Seen) -> tuple[bool, str]:
    """Inner folds of one outer fold share more features."""
    table = wide(seen)
    texts = [f"{name}: {row[WITHIN]:.2f} and {row[BETWEEN]:.2f}" for name, row in table.iterrows()]
    return bool((table[WITHIN] > table[BETWEEN]).all()), "; ".join(texts)


FIGURE1 = Experiment(
    name="figure1",
    label="Figure 1",
    title="Which ten features each fold selects",
    make=figure1,
    size=("5 x 5 nested cross-validation", "10 x 10 nested cross-validation, as in the paper"),
    data=DATA,
    reduced=(OVARIAN,),
    work=("study", "heavy", "wider", "lowest"),
    keys=("data", "method", "what"),
    part="what",
    settings=SETTINGS,
    choices=(
        "The paper shows prostate, whose spectra cannot be had; here it is ovarian.",
        (
            "How many of ten features two folds share is computed from S_S, as in the paper's "
            "text, which prints that number."
        ),
        *CHOICES,
    ),
    claims=(
        Claim(
            "The picture agrees with S_S: the more features folds share, the fewer different ones "
            "are selected at all.",
            pictures_agree,
        ),
        Claim(
            "Inner folds of one outer fold, which have more samples in common, share more features "
            "than those of different outer folds, for each method (implied: the paper speaks of "
            "the samples).",
            nearer_within,
        ),
        unchecked(
            "On prostate information gain is the least stable, even within one outer fold.",
            LEFT_OUT,
        ),
        unchecked("On prostate the other three methods often select the same features.", LEFT_OUT),
    ),
)
"""The experiment."""
