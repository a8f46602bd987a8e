"""Figures 1 to 3: neighbours of features, and the stability of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import skew

import holdfast as hf
from holdfast.papers._made import VALUE, Made
from holdfast.papers.yu2008._numbers import beside, grouped, higher, in_order, selected, stability
from holdfast.papers.yu2008._studies import LOGARITHMS, MAIN, OTHERS

if TYPE_CHECKING:
    from holdfast.papers._workshop import Workshop
    from holdfast.plot import Picture

GROUP_KEYS = ("data", "method", "measure", "k")
NEIGHBOUR_KEYS = ("data", "K", "what")
EQUAL = 1e-9
"""Correlations that differ by less are equal but for rounding."""


def figure1(shop: Workshop) -> Made:
    """Describe how closely features correlate with their nearest neighbours."""
    rows, pictures = [], {}
    for name in shop.names:
        for setting, itself in ((MAIN, True), (OTHERS, False)):
            picture = hf.plot.neighbours(shop.data(name).X, count_itself=itself)
            rows.append(_described(picture.numbers).assign(setting=setting, data=name))
            if itself:
                pictures[name] = picture
    return Made(values=pd.concat(rows, ignore_index=True), pictures=pictures)


def _described(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return median, spread and skewness by number of neighbours; no spread has no skewness."""
    found = numbers.rename(columns={"n_neighbors": "K"}).groupby("K")["correlation"]
    wide = {"median": found.median(), "sd": found.std(), "skewness": found.agg(_skewness)}
    return pd.DataFrame(wide).reset_index().melt("K", var_name="what", value_name=VALUE)


def _skewness(own: pd.Series) -> float:
    return float(skew(own)) if float(np.ptp(own)) > EQUAL else np.nan


def figure2(shop: Workshop) -> Made:
    """Measure dense groups and clusters of K-means, whatever their relevance."""
    return _stability(higher(grouped(shop)))


def figure3(shop: Workshop) -> Made:
    """Measure what DRAGS, K-means and SVM-RFE select."""
    return _stability(higher(selected(shop, stability)))


def _stability(found: pd.DataFrame) -> Made:
    values = in_order(found, GROUP_KEYS)
    facts = {(one, "beside"): beside(values, one) for one in values["setting"].unique()}
    pictures = {
        f"stability{'' if one == MAIN else f', {one}'}": _picture(table)
        for (one, _), table in facts.items()
        if one in (MAIN, LOGARITHMS)
    }
    return Made(values=values, pictures=pictures, facts=facts)


def _picture(table: pd.DataFrame) -> Picture:
    return hf.plot.group_stability(table.rename(columns={"method": "selector", "k": "size"}))
