"""Table 2: stability of weights, of rankings and of the ten best features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import holdfast as hf
from holdfast.papers._made import Made
from holdfast.papers._record import Experiment
from holdfast.papers.kalousis2005._study import (
    CHOICES,
    DATA,
    OVARIAN,
    SETTINGS,
    outer_groups,
    stability,
    studied,
    weights_of,
    zero_shares,
)
from holdfast.papers.kalousis2005._table2_claims import CLAIMS, S_R, S_R_RANDOM, S_S, S_W

if TYPE_CHECKING:
    from holdfast.papers._workshop import Workshop

BEST = 10


def table2(shop: Workshop) -> Made:
    """Measure stability in all forms, in percent."""
    rows, facts = [], {}
    for setting in (one.name for one in SETTINGS):
        result = studied(shop, setting)
        rows.append(numbers(result).assign(setting=setting, data=OVARIAN))
        facts[setting, "zeros"] = zero_shares(result)
    return Made(values=pd.concat(rows, ignore_index=True), facts=facts)


def numbers(result: hf.Result) -> pd.DataFrame:
    """Return the table of one study, a number a row."""
    whole = {name: stability(result, name).droplevel("size") for name in ("pearson", "spearman")}
    columns = {
        S_W: whole["pearson"],
        S_R: whole["spearman"],
        S_R_RANDOM: whole["spearman"],
        S_S: stability(result, "jaccard").xs(BEST, level="size"),
    }
    wide = pd.DataFrame(columns)
    for name, value in average_ranks(result).items():
        wide.loc[name, S_R] = value
    table = 100 * wide.loc[list(result.selectors)].rename_axis("method")
    return table.reset_index().melt("method", var_name="measure")


def average_ranks(result: hf.Result) -> dict[str, float]:
    """Return S_R where tied features share their average rank, for selectors with weights."""
    groups = outer_groups(result)
    found = {}
    for name, weights in weights_of(result).items():
        ranks = weights.to_rankings(ties="average").values
        parts = [hf.measure("spearman", hf.Rankings(ranks[group])) for group in groups]
        found[name] = float(np.mean(parts))
    return found


TABLE2 = Experiment(
    name="table2",
    label="Table 2",
    title="Stability of weights, rankings and the ten best features",
    make=table2,
    size=("5 x 5 nested cross-validation", "10 x 10 nested cross-validation, as in the paper"),
    data=DATA,
    reduced=(OVARIAN,),
    work=("study", "heavy", "wider", "lowest"),
    keys=("data", "method", "measure"),
    part="measure",
    settings=SETTINGS,
    choices=(
        *CHOICES,
        (
            "S_R is shown twice: with average ranks for tied features, as in the published table, "
            "and with ties broken at random, as the paper then recommends; it prints that number "
            "for IG alone."
        ),
        "S_S always breaks ties at random.",
    ),
    claims=CLAIMS,
)
"""The experiment."""
