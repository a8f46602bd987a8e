"""Claims of Yu, Ding and Loscalzo (2008): accuracy, neighbours, stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from scipy.stats import spearmanr

import holdfast as hf
from holdfast.papers._claims import (
    Cause,
    Check,
    Claim,
    UncheckableClaim,
    count_datasets,
    format_range,
    format_values,
    require_rows,
)
from holdfast.papers.yu2008._experiments import (
    filter_datasets,
    get_method_rows,
    list_pairs,
)
from holdfast.papers.yu2008._studies import DGF, DRAGS, KMEANS, RFE

if TYPE_CHECKING:
    from holdfast.papers._claims import ClaimInput


LYMPHOMA = ("lymphoma3",)
CLEAR_LEAD_DATASETS = ("colon", "srbct")
MAX_FEW_GROUPS = 10
"""Largest k that counts as few groups in the paper."""
TEST_TO_TRAIN_RATIO = 0.5
"""Test samples per training sample in three folds."""
SIGNIFICANCE_LEVEL = 0.05


def compute_leads(inputs: ClaimInput, other: str) -> pd.DataFrame:
    """Return the lead of DRAGS in points, and its p-value: one row per cell of the table.

    The p-value is missing where there are means only, as in the published table.
    """
    table = get_method_rows(inputs, "folds", DRAGS, other)
    cells = ["data", "classifier", "k"]
    wide = table.pivot(index=[*cells, "resample"], columns="method", values="accuracy").dropna()
    ahead = (wide[DRAGS] - wide[other]).groupby(level=cells, sort=False)
    rows = {"lead": ahead.mean(), "p": ahead.agg(hf.judge.corrected_t_test, TEST_TO_TRAIN_RATIO)}
    return pd.DataFrame(rows).reset_index()


def format_points(lead: float) -> str:
    """Return a lead in points; one that rounds to 0 is shown as +0.0."""
    return f"{round(lead, 1) + 0.0:+.1f} points"


def at_least_as_accurate(inputs: ClaimInput) -> tuple[bool, str]:
    """DRAGS is not behind SVM-RFE for few groups."""
    cells = filter_datasets(compute_leads(inputs, RFE), data=LYMPHOMA, among=False)
    cells = require_rows(cells[cells["k"] <= MAX_FEW_GROUPS])
    return bool((cells["lead"] >= 0).all()), _format_leads(cells, cells["lead"] >= 0, "not behind")


def check_ahead(
    other: str, data: tuple[str, ...], *, among: bool = True, most: float = 50, exceptions: int = 0
) -> Check:
    """Return a check that DRAGS is ahead in each cell, with some exceptions."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        cells = filter_datasets(compute_leads(inputs, other), data=data, among=among)
        cells = require_rows(cells[cells["k"] <= most])
        ahead = cells["lead"] > 0
        surely = int((ahead & (cells["p"] < SIGNIFICANCE_LEVEL)).sum())
        text = _format_leads(cells, ahead, "ahead")
        if cells["p"].notna().any():
            text += f"; significantly, by a corrected resampled t-test at 5%, in {surely}"
        return int((~ahead).sum()) <= exceptions, text

    return check


def check_similar(other: str, data: tuple[str, ...], least: float, most: float) -> Check:
    """Return a check that DRAGS and another method are close, averaged over k."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        cells = filter_datasets(compute_leads(inputs, other), data=data, among=False)
        cells = require_rows(cells[cells["k"] > least])
        means = cells.groupby(["data", "classifier"], sort=False)["lead"].mean()
        texts = [
            f"{name}, {judge} {format_points(lead)}" for name, judge, lead in list_pairs(means)
        ]
        return bool(means.abs().max() <= most), f"{count_datasets(cells)}; " + "; ".join(texts)

    return check


def few_are_enough(inputs: ClaimInput) -> tuple[bool, str]:
    """DRAGS with ten groups is near its best."""
    table = get_method_rows(inputs, "folds", DRAGS)
    wide = table.groupby(["data", "classifier", "k"], sort=False)["accuracy"].mean().unstack("k")
    wide = require_rows(
        wide.reindex(columns=sorted({*wide.columns, MAX_FEW_GROUPS})).dropna(
            subset=[MAX_FEW_GROUPS]
        )
    )
    behind = wide.max(axis=1) - wide[MAX_FEW_GROUPS]
    texts = [f"{name}, {judge} {gap:.1f}" for name, judge, gap in list_pairs(behind)]
    evidence = f"behind its best k by {behind.mean():.1f} on average: {'; '.join(texts)}"
    return bool(behind.mean() <= 5), evidence


def all_clusters_are_worse(inputs: ClaimInput) -> tuple[bool, str]:
    """All clusters together are less accurate than the more relevant half of them."""
    table: pd.DataFrame = require_rows(inputs.fact("halves"))
    worse = table["all"] < table["half"]
    gaps = (table["half"] - table["all"]).groupby(table["data"], sort=False).mean()
    texts = [f"{name} {format_points(gap)}" for name, gap in gaps.items()]
    share = f"the half is ahead in {int(worse.sum())} of {len(worse)} comparisons"
    return bool(worse.all()), f"{share}; on average {'; '.join(texts)}"


def _format_leads(cells: pd.DataFrame, held: pd.Series, words: str) -> str:
    """Return in how many cells a comparison held, and the mean lead, by data set."""
    texts = [
        f"{name} {words} in {int(held[own.index].sum())} of {len(own)} "
        f"(lead {format_points(own['lead'].mean())})"
        for name, own in cells.groupby("data", sort=False)
    ]
    return f"{count_datasets(cells)}, both classifiers; {'; '.join(texts)}"


NO_TEST = "the test that the paper used is not stated"
READ_FROM_THE_END = Cause(
    "paper",
    "the published accuracies and indices of SVM-RFE fit features read from the wrong end of its "
    "list",
)
CLAIMS = (
    Claim(
        "DRAGS is at least as accurate as SVM-RFE for k up to 10 on every data set except lymphoma "
        "(threshold: in every cell, with both classifiers).",
        at_least_as_accurate,
        cause=READ_FROM_THE_END,
    ),
    Claim(
        "On colon and SRBCT, DRAGS is significantly more accurate than SVM-RFE at every k "
        f"(threshold: ahead in all cells but one, as in the published table; {NO_TEST}).",
        check_ahead(RFE, CLEAR_LEAD_DATASETS, exceptions=1),
        cause=READ_FROM_THE_END,
    ),
    Claim(
        "On the other data sets except lymphoma, DRAGS is significantly more accurate than SVM-RFE "
        f"for k up to 10 (threshold: ahead in every cell; {NO_TEST}).",
        check_ahead(RFE, (*CLEAR_LEAD_DATASETS, *LYMPHOMA), among=False, most=MAX_FEW_GROUPS),
        cause=READ_FROM_THE_END,
    ),
    Claim(
        "On data sets other than colon and SRBCT, DRAGS and SVM-RFE are about equally accurate for "
        "k from 20 on (threshold: within 3 points, averaged over k).",
        check_similar(RFE, CLEAR_LEAD_DATASETS, MAX_FEW_GROUPS, 3),
    ),
    Claim(
        "On SRBCT, DRAGS is significantly more accurate than K-means at every k (threshold: ahead "
        f"in every cell; {NO_TEST}).",
        check_ahead(KMEANS, ("srbct",)),
    ),
    Claim(
        "On data sets other than SRBCT, DRAGS and K-means are about equally accurate (threshold: "
        "within 5 points, averaged over k).",
        check_similar(KMEANS, ("srbct",), 0, 5),
    ),
    Claim(
        "A few groups are enough: DRAGS with 10 groups is about as accurate as with its best k "
        "(threshold: within 5 points on average).",
        few_are_enough,
    ),
    Claim(
        "All clusters of K-means together are less accurate than the more relevant of them "
        "(threshold: all K against the best K/2, K = 8 to 40, in every comparison; the paper does "
        "not print its numbers).",
        all_clusters_are_worse,
        main_only=True,
        cause=Cause(
            "paper", "it prints no numbers of this and does not state the number of clusters"
        ),
    ),
)


# Claims about nearest neighbours: Figure 1.

SHOWN_DATASET = "colon"
"""The data set that the paper shows."""
MIN_SPREAD_NEIGHBOURS = 4
"""Neighbours from which on distributions spread, according to the paper."""


def get_neighbour_curve(inputs: ClaimInput, what: str) -> pd.Series:
    """Return a number by K on the data set that the paper shows."""
    curve = inputs.table(data=SHOWN_DATASET, what=what).set_index("K")["value"].sort_index()
    if not (
        (curve.index < MIN_SPREAD_NEIGHBOURS).any() and (curve.index >= MIN_SPREAD_NEIGHBOURS).any()
    ):
        raise UncheckableClaim(f"{SHOWN_DATASET} was not run with few and many neighbours")
    return curve


def narrow_for_few(inputs: ClaimInput) -> tuple[bool, str]:
    """Distributions are narrower for few neighbours than for any larger number."""
    spread = get_neighbour_curve(inputs, "sd")
    few, many = (
        spread[spread.index < MIN_SPREAD_NEIGHBOURS],
        spread[spread.index >= MIN_SPREAD_NEIGHBOURS],
    )
    evidence = (
        f"standard deviation {format_range(few, 3)} for K < 4, {format_range(many, 3)} from 4 on"
    )
    return bool(few.max() < many.min()), evidence


def skewed_for_few(inputs: ClaimInput) -> tuple[bool, str]:
    """Distributions are highly skewed for few neighbours."""
    curve = get_neighbour_curve(inputs, "skewness")
    few = curve[curve.index < MIN_SPREAD_NEIGHBOURS]
    texts = [f"K = {count} {value:.2f}" for count, value in few.items()]
    return bool((few.abs() > 1).all()), f"skewness: {', '.join(texts)}"


def medians_fall(inputs: ClaimInput) -> tuple[bool, str]:
    """Medians fall with every step of K."""
    curve = get_neighbour_curve(inputs, "median")
    evidence = f"median from {curve.iloc[0]:.2f} at K = {curve.index[0]} to {curve.iloc[-1]:.2f}"
    return bool((curve.diff().dropna() < 0).all()), f"{evidence} at K = {curve.index[-1]}"


def same_elsewhere(inputs: ClaimInput) -> tuple[bool, str]:
    """Other data sets show the same: medians fall and spreads grow up to ten neighbours."""
    table = inputs.table()
    others = table[(table["data"] != SHOWN_DATASET) & (table["K"] <= 10)]
    if others.empty:
        raise UncheckableClaim("no other data set was run")
    held, texts = [], []
    for name, own in others.groupby("data", sort=False):
        wide = own.pivot(index="K", columns="what", values="value").sort_index()
        steps = wide[["median", "sd"]].diff().dropna()
        held.append(bool((steps["median"] < 0).all() and (steps["sd"] > 0).all()))
        texts.append(f"{name}: sd {format_range(wide['sd'], 3)}")
    return all(held), f"{count_datasets(others)}; {'; '.join(texts)}"


FIGURE1 = (
    Claim(
        "Distributions are narrow for K < 4 (threshold: each narrower than all from 4 on).",
        narrow_for_few,
    ),
    Claim(
        "Distributions are highly skewed for K < 4 (threshold: absolute skewness above 1, where "
        "there is any spread).",
        skewed_for_few,
    ),
    Claim("Distributions move to lower correlations with every step of K.", medians_fall),
    Claim(
        "Other data sets show the same trend (threshold: up to K = 10, medians fall and standard "
        "deviations grow with every step).",
        same_elsewhere,
    ),
)


# Claims about stability: Figures 2 and 3.

INDEX, VALUE = "index", "value"
EXCEPTION = ("srbct",)
"""The data set that the paper calls an exception."""
MIN_MAJORITY_COUNT = 5
"""Values of k, of eight, that count as most of them."""


def get_stability(inputs: ClaimInput, *methods: str, measure: str | None = None) -> pd.DataFrame:
    """Return the stability of methods, by one measure or all, without gaps."""
    table = get_method_rows(inputs, "stability", *methods).dropna(subset=["value"])
    return require_rows(table if measure is None else table[table["measure"] == measure])


def pair_methods(inputs: ClaimInput, one: str, other: str) -> pd.DataFrame:
    """Return two methods side by side: one row per data set, measure and k."""
    table = get_stability(inputs, one, other)
    wide = table.pivot(index=["data", "measure", "k"], columns="method", values="value")
    return require_rows(wide.reindex(columns=[one, other]).dropna()).reset_index()


def index_and_value_means(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return index and value side by side, averaged within the groups of `keys`."""
    means = table.groupby([*keys, "measure"], sort=False)["value"].mean().unstack()
    return require_rows(means.reindex(columns=[INDEX, VALUE]).dropna())


def above_by_index(inputs: ClaimInput) -> tuple[bool, str]:
    """DGF has an index above 0.7 for most k, on all data sets but one."""
    rows = get_stability(inputs, DGF, measure=INDEX)
    high = (rows["value"] > 0.7).groupby(rows["data"], sort=False).sum()
    if len(high) < 2:
        raise UncheckableClaim("one data set cannot tell a rule from its exception")
    texts = [
        f"{name} {count} of {len(values)} ({format_range(values)})"
        for (name, values), count in zip(
            rows.groupby("data", sort=False)["value"], high, strict=True
        )
    ]
    good = int((high >= MIN_MAJORITY_COUNT).sum())
    held = good >= len(high) - 1
    evidence = f"index above 0.7 for most k on {good} of {count_datasets(rows)}"
    return held, f"{evidence}: {'; '.join(texts)}"


def near_one_by_value(inputs: ClaimInput) -> tuple[bool, str]:
    """DGF has a value near 1 for every k, except on SRBCT."""
    rows = filter_datasets(get_stability(inputs, DGF, measure=VALUE), data=EXCEPTION, among=False)
    return bool(rows["value"].min() >= 0.9), f"{count_datasets(rows)}; {_ranges(rows)}"


def exception_by_value(inputs: ClaimInput) -> tuple[bool, str]:
    """SRBCT is the exception."""
    rows = get_stability(inputs, DGF, measure=VALUE)
    means = rows.groupby("data", sort=False)["value"].mean()
    if not set(EXCEPTION) < set(means.index):
        raise UncheckableClaim("SRBCT and another data set are needed")
    lowest = bool(means.idxmin() in EXCEPTION and means.min() < 0.9)
    return lowest, f"mean value over k: {format_values(means)}"


def index_below_value(method: str) -> Check:
    """Return a check that the index is lower than the value at every k."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        wide = index_and_value_means(get_stability(inputs, method), ["data", "k"])
        gaps = (wide[VALUE] - wide[INDEX]).groupby(level="data", sort=False)
        texts = [f"{name} {format_range(gap)}" for name, gap in gaps]
        return bool((wide[INDEX] < wide[VALUE]).all()), f"value less index: {'; '.join(texts)}"

    return check


def clusters_below_groups(inputs: ClaimInput) -> tuple[bool, str]:
    """K-means is less stable than DGF everywhere, except on SRBCT at four clusters."""
    wide = pair_methods(inputs, DGF, KMEANS)
    wide = require_rows(wide[~(wide["data"].isin(EXCEPTION) & (wide["k"] == 4))])
    below = wide[KMEANS] < wide[DGF]
    texts = [
        f"{name} by {measure} {int(below[own.index].sum())} of {len(own)}"
        for (name, measure), own in wide.groupby(["data", "measure"], sort=False)
    ]
    return bool(below.all()), f"K-means below DGF: {'; '.join(texts)}"


def clusters_fall(inputs: ClaimInput) -> tuple[bool, str]:
    """K-means gets less stable with more clusters."""
    own, texts, held = get_stability(inputs, KMEANS), [], []
    for (name, measure), line in own.groupby(["data", "measure"], sort=False):
        values = line.sort_values("k")["value"].to_numpy()
        if len(set(values)) < 2:
            raise UncheckableClaim("stability does not change with k")
        trend = float(spearmanr(range(len(values)), values).statistic)
        held.append(bool(values[-1] < values[0] and trend <= -0.7))
        texts.append(f"{name} by {measure} {values[0]:.2f} to {values[-1]:.2f}")
    return all(held), f"from the fewest to the most clusters: {'; '.join(texts)}"


def many_clusters_near_zero(inputs: ClaimInput) -> tuple[bool, str]:
    """K-means has an index near 0 with many clusters."""
    rows = get_stability(inputs, KMEANS, measure=INDEX)
    rows = require_rows(rows[rows["k"] > 20])
    return bool(rows["value"].max() < 0.2), f"{count_datasets(rows)}; {_ranges(rows)}"


def highly_stable(inputs: ClaimInput) -> tuple[bool, str]:
    """DRAGS is stable by both measures."""
    means = index_and_value_means(get_stability(inputs, DRAGS), ["data"])
    texts = [f"{name} {row[INDEX]:.2f} and {row[VALUE]:.2f}" for name, row in means.iterrows()]
    held = bool((means[INDEX] >= 0.6).all() and (means[VALUE] >= 0.8).all())
    return held, f"index and value, mean over k: {'; '.join(texts)}"


def below_drags(other: str, gap: float) -> Check:
    """Return a check that another method is less stable than DRAGS, averaged over k."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        wide = pair_methods(inputs, DRAGS, other)
        means = wide.groupby(["data", "measure"], sort=False)[[DRAGS, other]].mean()
        texts = [
            f"{name} by {measure} {low:.2f} to {high:.2f}"
            for (name, measure, low), high in zip(
                list_pairs(means[other]), means[DRAGS], strict=True
            )
        ]
        held = bool((means[DRAGS] - means[other] > gap).all())
        return held, f"{other} to DRAGS, mean over k: {'; '.join(texts)}"

    return check


def single_features_change(inputs: ClaimInput) -> tuple[bool, str]:
    """SVM-RFE has an index near 0."""
    rows = get_stability(inputs, RFE, measure=INDEX)
    return bool(rows["value"].max() < 0.1), f"{count_datasets(rows)}; {_ranges(rows)}"


def _ranges(rows: pd.DataFrame) -> str:
    return "; ".join(
        f"{name} {format_range(values)}"
        for name, values in rows.groupby("data", sort=False)["value"]
    )


MATCHED_WITH_TOP = Cause(
    "setting", "the k groups are matched with the top k of the other result only, not with all"
)
FIGURE2 = (
    Claim(
        "DGF has an index above 0.7 for most k, on all data sets but one (threshold: at least 5 of "
        "the 8 values of k, on all data sets that were run except at most one).",
        above_by_index,
        cause=MATCHED_WITH_TOP,
    ),
    Claim(
        "DGF has a value near 1 for every k on all data sets except SRBCT (threshold 0.9).",
        near_one_by_value,
        cause=MATCHED_WITH_TOP,
    ),
    Claim(
        "SRBCT is the exception: its value is the lowest, and not near 1 (threshold 0.9, mean over "
        "k).",
        exception_by_value,
    ),
    Claim("DGF is less stable by index than by value, at every k.", index_below_value(DGF)),
    Claim(
        "K-means is less stable than DGF by both measures at every k, except on SRBCT at 4.",
        clusters_below_groups,
        cause=MATCHED_WITH_TOP,
    ),
    Claim(
        "K-means gets less stable with more clusters (threshold: by both measures, stability is "
        "lower with the most clusters than with the fewest, and its rank correlation with k is at "
        "most -0.7).",
        clusters_fall,
        main_only=True,
    ),
    Claim(
        "K-means has an index near 0 for more than 20 clusters (threshold 0.2).",
        many_clusters_near_zero,
        main_only=True,
        cause=Cause(
            "paper",
            "no reading was found in which clusters of correlated genes are not found again",
        ),
    ),
)
FIGURE3 = (
    Claim(
        "DRAGS is highly stable by both measures on every data set (thresholds: an index of 0.6 "
        "and a value of 0.8, mean over k).",
        highly_stable,
        cause=MATCHED_WITH_TOP,
    ),
    Claim(
        "K-means is much less stable than DRAGS on every data set (threshold: by 0.1, mean over k, "
        "by both measures).",
        below_drags(KMEANS, 0.1),
        cause=MATCHED_WITH_TOP,
    ),
    Claim(
        "SVM-RFE has an index near 0 at every k (threshold 0.1).",
        single_features_change,
        cause=READ_FROM_THE_END,
    ),
    Claim(
        "SVM-RFE is more stable by value than by index, at every k.",
        index_below_value(RFE),
    ),
    Claim(
        "SVM-RFE is much less stable than DRAGS on every data set (threshold: by 0.1, mean over k, "
        "by both measures; the threshold was raised to that of K-means after the run).",
        below_drags(RFE, 0.1),
        cause=READ_FROM_THE_END,
    ),
)
