"""What the paper says about accuracy, held against Table 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from scipy.stats import spearmanr

import holdfast as hf
from holdfast.papers._comparison import Claim, UncheckableClaim
from holdfast.papers.yu2008._experiments import (
    by_pair,
    filter_datasets,
    format_dataset_count,
    numbers,
    require_rows,
    span,
)
from holdfast.papers.yu2008._studies import DGF, DRAGS, KMEANS, RFE

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.papers._comparison import ClaimInput

    Check = Callable[[ClaimInput], tuple[bool, str]]


LYMPHOMA = ("lymphoma3",)
CLEAR_LEAD_DATASETS = ("colon", "srbct")
MAX_FEW_GROUPS = 10
"""Largest k of which the paper says that few groups are enough."""
OVERLAP = 0.5
"""Test samples for each training sample: one third and two thirds."""
SIGNIFICANCE_LEVEL = 0.05


def leads(seen: ClaimInput, other: str) -> pd.DataFrame:
    """Return by how many points DRAGS is ahead, and how surely: a row a cell of the table."""
    table = numbers(seen, "folds", DRAGS, other)
    cells = ["data", "classifier", "k"]
    wide = table.pivot(index=[*cells, "resample"], columns="method", values="accuracy").dropna()
    ahead = (wide[DRAGS] - wide[other]).groupby(level=cells, sort=False)
    rows = {"lead": ahead.mean(), "p": ahead.agg(hf.judge.corrected_t_test, OVERLAP)}
    return pd.DataFrame(rows).dropna().reset_index()


def points(lead: float) -> str:
    """Return a lead in points; one that is next to nothing has no sign of its own."""
    return f"{round(lead, 1) + 0.0:+.1f} points"


def at_least_as_accurate(seen: ClaimInput) -> tuple[bool, str]:
    """DRAGS is not behind SVM-RFE for few groups."""
    found = filter_datasets(leads(seen, RFE), data=LYMPHOMA, among=False)
    found = require_rows(found[found["k"] <= MAX_FEW_GROUPS])
    return bool((found["lead"] >= 0).all()), _format_leads(found, found["lead"] >= 0, "not behind")


def ahead(other: str, data: tuple[str, ...], *, among: bool = True, most: float = 50) -> Check:
    """Return a check that DRAGS is significantly ahead in each cell."""

    def check(seen: ClaimInput) -> tuple[bool, str]:
        found = filter_datasets(leads(seen, other), data=data, among=among)
        found = require_rows(found[found["k"] <= most])
        surely = (found["lead"] > 0) & (found["p"] < SIGNIFICANCE_LEVEL)
        return bool(surely.all()), _format_leads(found, surely, "significantly ahead")

    return check


def similar(other: str, data: tuple[str, ...], least: float, most: float) -> Check:
    """Return a check that DRAGS and another are near each other, averaged over k."""

    def check(seen: ClaimInput) -> tuple[bool, str]:
        found = filter_datasets(leads(seen, other), data=data, among=False)
        found = require_rows(found[found["k"] > least])
        means = found.groupby(["data", "classifier"], sort=False)["lead"].mean()
        texts = [f"{name}, {judge} {points(lead)}" for name, judge, lead in by_pair(means)]
        return bool(means.abs().max() <= most), f"{format_dataset_count(found)}; " + "; ".join(
            texts
        )

    return check


def few_are_enough(seen: ClaimInput) -> tuple[bool, str]:
    """DRAGS with ten groups is near its best."""
    table = numbers(seen, "folds", DRAGS)
    wide = table.groupby(["data", "classifier", "k"], sort=False)["accuracy"].mean().unstack("k")
    wide = require_rows(
        wide.reindex(columns=sorted({*wide.columns, MAX_FEW_GROUPS})).dropna(
            subset=[MAX_FEW_GROUPS]
        )
    )
    behind = wide.max(axis=1) - wide[MAX_FEW_GROUPS]
    texts = [f"{name}, {judge} {gap:.1f}" for name, judge, gap in by_pair(behind)]
    return bool(behind.max() <= 5), f"behind its best k by: {'; '.join(texts)}"


def all_clusters_are_worse(seen: ClaimInput) -> tuple[bool, str]:
    """All clusters classify worse than the more relevant half of them."""
    table: pd.DataFrame = require_rows(seen.fact("halves"))
    worse = table["all"] < table["half"]
    gaps = (table["half"] - table["all"]).groupby(table["data"], sort=False).mean()
    texts = [f"{name} {points(gap)}" for name, gap in gaps.items()]
    share = f"the half is ahead in {int(worse.sum())} of {len(worse)} comparisons"
    return bool(worse.all()), f"{share}; on average {'; '.join(texts)}"


def _format_leads(found: pd.DataFrame, held: pd.Series, words: str) -> str:
    """Say in how many cells something held, and the mean lead, by data set."""
    texts = [
        f"{name} {words} in {int(held[own.index].sum())} of {len(own)} "
        f"(lead {points(own['lead'].mean())})"
        for name, own in found.groupby("data", sort=False)
    ]
    return f"{format_dataset_count(found)}, both classifiers; {'; '.join(texts)}"


TEST = "corrected resampled t-test on the folds, 5%, each cell by itself"
CLAIMS = (
    Claim(
        "DRAGS is at least as accurate as SVM-RFE for k up to 10 on every data set except "
        "lymphoma (bar: in every cell, with both classifiers).",
        at_least_as_accurate,
    ),
    Claim(
        "On colon and SRBCT, DRAGS is significantly more accurate than SVM-RFE at every k "
        f"({TEST}; the published table has an exception of its own: colon, 1-NN, k = 50).",
        ahead(RFE, CLEAR_LEAD_DATASETS),
    ),
    Claim(
        "On the other data sets except lymphoma, DRAGS is significantly more accurate than SVM-RFE "
        f"for k up to 10 ({TEST}).",
        ahead(RFE, (*CLEAR_LEAD_DATASETS, *LYMPHOMA), among=False, most=MAX_FEW_GROUPS),
    ),
    Claim(
        "On data sets other than colon and SRBCT, DRAGS and SVM-RFE are about equally accurate for "
        "k from 20 on (bar: within 3 points, averaged over k).",
        similar(RFE, CLEAR_LEAD_DATASETS, MAX_FEW_GROUPS, 3),
    ),
    Claim(
        f"On SRBCT, DRAGS is significantly more accurate than K-means at every k ({TEST}).",
        ahead(KMEANS, ("srbct",)),
    ),
    Claim(
        "On other data sets than SRBCT, DRAGS and K-means are about equally accurate (bar: within "
        "5 points, averaged over k).",
        similar(KMEANS, ("srbct",), 0, 5),
    ),
    Claim(
        "A few groups are enough: DRAGS with 10 groups is about as accurate as with its best k "
        "(bar: within 5 points).",
        few_are_enough,
    ),
    Claim(
        "All clusters of K-means classify worse than the more relevant of them (bar: all K against "
        "the best K/2, K = 8 to 40, in every comparison; the paper does not print its numbers).",
        all_clusters_are_worse,
        main_only=True,
    ),
)


# What the paper says about nearest neighbours, held against Figure 1.

FIRST = "colon"
"""The data set that the paper shows."""
MIN_SPREAD_NEIGHBOURS = 4
"""Neighbours from which on distributions spread, according to the paper."""


def line(seen: ClaimInput, what: str) -> pd.Series:
    """Return a number by K on the data set that the paper shows."""
    own = seen.table(data=FIRST, what=what).set_index("K")["value"].sort_index()
    if not (
        (own.index < MIN_SPREAD_NEIGHBOURS).any() and (own.index >= MIN_SPREAD_NEIGHBOURS).any()
    ):
        raise UncheckableClaim(f"{FIRST} was not run with few and many neighbours")
    return own


def narrow_for_few(seen: ClaimInput) -> tuple[bool, str]:
    """Distributions are narrower for few neighbours than for any larger number."""
    spread = line(seen, "sd")
    few, many = (
        spread[spread.index < MIN_SPREAD_NEIGHBOURS],
        spread[spread.index >= MIN_SPREAD_NEIGHBOURS],
    )
    told = f"standard deviation {span(few, 3)} for K < 4, {span(many, 3)} from 4 on"
    return bool(few.max() < many.min()), told


def skewed_for_few(seen: ClaimInput) -> tuple[bool, str]:
    """Distributions are highly skewed for few neighbours."""
    own = line(seen, "skewness")
    few = own[own.index < MIN_SPREAD_NEIGHBOURS]
    texts = [f"K = {count} {value:.2f}" for count, value in few.items()]
    return bool((few.abs() > 1).all()), f"skewness: {', '.join(texts)}"


def less_skewed_for_more(seen: ClaimInput) -> tuple[bool, str]:
    """Distributions are less skewed for more neighbours."""
    own = line(seen, "skewness").abs()
    few, many = own[own.index < MIN_SPREAD_NEIGHBOURS], own[own.index >= MIN_SPREAD_NEIGHBOURS]
    told = f"absolute skewness {span(few)} for K < 4, {span(many)} from 4 on"
    return bool(many.max() < few.min()), told


def falls(seen: ClaimInput) -> tuple[bool, str]:
    """Medians fall with every step of K."""
    own = line(seen, "median")
    told = f"median from {own.iloc[0]:.2f} at K = {own.index[0]} to {own.iloc[-1]:.2f}"
    return bool((own.diff().dropna() < 0).all()), f"{told} at K = {own.index[-1]}"


def same_elsewhere(seen: ClaimInput) -> tuple[bool, str]:
    """Other data sets show the same: medians fall and spreads grow up to ten neighbours."""
    table = seen.table()
    others = table[(table["data"] != FIRST) & (table["K"] <= 10)]
    if others.empty:
        raise UncheckableClaim("no other data set was run")
    held, texts = [], []
    for name, own in others.groupby("data", sort=False):
        wide = own.pivot(index="K", columns="what", values="value").sort_index()
        steps = wide[["median", "sd"]].diff().dropna()
        held.append(bool((steps["median"] < 0).all() and (steps["sd"] > 0).all()))
        texts.append(f"{name}: sd {span(wide['sd'], 3)}")
    return all(held), f"{format_dataset_count(others)}; {'; '.join(texts)}"


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


# What the paper says about stability, held against Figures 2 and 3.

INDEX, VALUE = "index", "value"
ODD = ("srbct",)
"""The data set that the paper calls an exception."""
MIN_MAJORITY_COUNT = 5
"""Numbers k, of eight, that are most of them."""


def stable(seen: ClaimInput, *methods: str, measure: str | None = None) -> pd.DataFrame:
    """Return the stability of methods, perhaps by one measure, without gaps."""
    table = numbers(seen, "beside", *methods).dropna(subset=["value"])
    return require_rows(table if measure is None else table[table["measure"] == measure])


def pairs(seen: ClaimInput, one: str, other: str) -> pd.DataFrame:
    """Return two methods side by side: a row a data set, measure and k."""
    table = stable(seen, one, other)
    wide = table.pivot(index=["data", "measure", "k"], columns="method", values="value")
    return require_rows(wide.reindex(columns=[one, other]).dropna()).reset_index()


def index_and_value_means(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return index and value side by side, averaged over what the keys do not tell apart."""
    means = table.groupby([*keys, "measure"], sort=False)["value"].mean().unstack()
    return require_rows(means.reindex(columns=[INDEX, VALUE]).dropna())


def above_by_index(seen: ClaimInput) -> tuple[bool, str]:
    """DGF has an index above 0.7 for most k, on all data sets but one."""
    own = stable(seen, DGF, measure=INDEX)
    high = (own["value"] > 0.7).groupby(own["data"], sort=False).sum()
    if len(high) < 2:
        raise UncheckableClaim("one data set cannot tell a rule from its exception")
    texts = [
        f"{name} {count} of {len(values)} ({span(values)})"
        for (name, values), count in zip(
            own.groupby("data", sort=False)["value"], high, strict=True
        )
    ]
    good = int((high >= MIN_MAJORITY_COUNT).sum())
    held = good >= len(high) - 1
    return (
        held,
        f"index above 0.7 for most k on {good} of {format_dataset_count(own)}: {'; '.join(texts)}",
    )


def near_one_by_value(seen: ClaimInput) -> tuple[bool, str]:
    """DGF has a value near 1 for every k, but for SRBCT."""
    own = filter_datasets(stable(seen, DGF, measure=VALUE), data=ODD, among=False)
    return bool(own["value"].min() >= 0.9), f"{format_dataset_count(own)}; {_ranges(own)}"


def odd_by_value(seen: ClaimInput) -> tuple[bool, str]:
    """SRBCT is the exception."""
    own = stable(seen, DGF, measure=VALUE)
    means = own.groupby("data", sort=False)["value"].mean()
    if not set(ODD) < set(means.index):
        raise UncheckableClaim("SRBCT and another data set are needed")
    texts = [f"{name} {value:.2f}" for name, value in means.items()]
    lowest = bool(means.idxmin() in ODD and means.min() < 0.9)
    return lowest, f"mean value over k: {', '.join(texts)}"


def index_below_value(method: str) -> Check:
    """Return a check that the index is lower than the value at every k."""

    def check(seen: ClaimInput) -> tuple[bool, str]:
        wide = index_and_value_means(stable(seen, method), ["data", "k"])
        gaps = (wide[VALUE] - wide[INDEX]).groupby(level="data", sort=False)
        texts = [f"{name} {span(gap)}" for name, gap in gaps]
        return bool((wide[INDEX] < wide[VALUE]).all()), f"value less index: {'; '.join(texts)}"

    return check


def clusters_below_groups(seen: ClaimInput) -> tuple[bool, str]:
    """K-means is less stable than DGF everywhere, but for SRBCT at four clusters."""
    wide = pairs(seen, DGF, KMEANS)
    wide = require_rows(wide[~(wide["data"].isin(ODD) & (wide["k"] == 4))])
    below = wide[KMEANS] < wide[DGF]
    texts = [
        f"{name} by {measure} {int(below[own.index].sum())} of {len(own)}"
        for (name, measure), own in wide.groupby(["data", "measure"], sort=False)
    ]
    return bool(below.all()), f"K-means below DGF: {'; '.join(texts)}"


def clusters_fall(seen: ClaimInput) -> tuple[bool, str]:
    """K-means loses stability as clusters get more."""
    own, texts, held = stable(seen, KMEANS), [], []
    for (name, measure), line in own.groupby(["data", "measure"], sort=False):
        values = line.sort_values("k")["value"].to_numpy()
        if len(set(values)) < 2:
            raise UncheckableClaim("stability does not change with k")
        trend = float(spearmanr(range(len(values)), values).statistic)
        held.append(bool(values[-1] < values[0] and trend <= -0.7))
        texts.append(f"{name} by {measure} {values[0]:.2f} to {values[-1]:.2f}")
    return all(held), f"from the fewest to the most clusters: {'; '.join(texts)}"


def many_clusters_near_zero(seen: ClaimInput) -> tuple[bool, str]:
    """K-means has next to no overlap with many clusters."""
    own = stable(seen, KMEANS, measure=INDEX)
    own = require_rows(own[own["k"] > 20])
    return bool(own["value"].max() < 0.2), f"{format_dataset_count(own)}; {_ranges(own)}"


def highly_stable(seen: ClaimInput) -> tuple[bool, str]:
    """DRAGS is stable by both measures."""
    means = index_and_value_means(stable(seen, DRAGS), ["data"])
    texts = [f"{name} {row[INDEX]:.2f} and {row[VALUE]:.2f}" for name, row in means.iterrows()]
    held = bool((means[INDEX] >= 0.6).all() and (means[VALUE] >= 0.8).all())
    return held, f"index and value, mean over k: {'; '.join(texts)}"


def below_drags(other: str, gap: float) -> Check:
    """Return a check that another method is less stable than DRAGS, averaged over k."""

    def check(seen: ClaimInput) -> tuple[bool, str]:
        wide = pairs(seen, DRAGS, other)
        means = wide.groupby(["data", "measure"], sort=False)[[DRAGS, other]].mean()
        texts = [
            f"{name} by {measure} {low:.2f} to {high:.2f}"
            for (name, measure, low), high in zip(by_pair(means[other]), means[DRAGS], strict=True)
        ]
        held = bool((means[DRAGS] - means[other] > gap).all())
        return held, f"{other} to DRAGS, mean over k: {'; '.join(texts)}"

    return check


def single_features_change(seen: ClaimInput) -> tuple[bool, str]:
    """SVM-RFE selects next to nothing twice."""
    own = stable(seen, RFE, measure=INDEX)
    return bool(own["value"].max() < 0.1), f"{format_dataset_count(own)}; {_ranges(own)}"


def _ranges(own: pd.DataFrame) -> str:
    return "; ".join(
        f"{name} {span(values)}" for name, values in own.groupby("data", sort=False)["value"]
    )


FIGURE2 = (
    Claim(
        "DGF has an index above 0.7 for most k, on all data sets but one (bar: at least 5 of the 8 "
        "k, all data sets that were run but at most one).",
        above_by_index,
    ),
    Claim(
        "DGF has a value near 1 for every k on all data sets except SRBCT (bar 0.9).",
        near_one_by_value,
    ),
    Claim(
        "SRBCT is the exception: its value is the lowest, and not near 1 (bar 0.9, mean over k).",
        odd_by_value,
    ),
    Claim("DGF is less stable by index than by value, at every k.", index_below_value(DGF)),
    Claim(
        "K-means is less stable than DGF by both measures at every k, except on SRBCT at 4.",
        clusters_below_groups,
    ),
    Claim(
        "K-means gets less stable as clusters get more (bar: by both measures the most clusters "
        "are below the fewest, and the rank correlation with k is at most -0.7).",
        clusters_fall,
        main_only=True,
    ),
    Claim(
        "K-means has an index near 0 for more than 20 clusters (bar 0.2).",
        many_clusters_near_zero,
        main_only=True,
    ),
)
FIGURE3 = (
    Claim(
        "DRAGS is highly stable by both measures on every data set (bars: an index of 0.6 and a "
        "value of 0.8, mean over k).",
        highly_stable,
    ),
    Claim(
        "K-means is much less stable than DRAGS on every data set (bar: by 0.1, mean over k, by "
        "both measures).",
        below_drags(KMEANS, 0.1),
    ),
    Claim("SVM-RFE has an index near 0 at every k (bar 0.1).", single_features_change),
    Claim(
        "SVM-RFE is more stable by value than by index, at every k.",
        index_below_value(RFE),
    ),
    Claim(
        "SVM-RFE is much less stable than DRAGS on every data set (bar: by 0.1, mean over k, by "
        "both measures; the bar was raised to that of K-means after the run).",
        below_drags(RFE, 0.1),
    ),
)
