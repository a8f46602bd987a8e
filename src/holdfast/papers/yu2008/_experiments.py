"""Figures 1 to 3: neighbours of features, and the stability of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.stats import skew

import holdfast as hf
from holdfast.papers._comparison import UncheckableClaim
from holdfast.papers._runner import SETTING, VALUE, ExperimentResult
from holdfast.papers.yu2008._studies import (
    ALL_CLUSTERS,
    CLASSIFIERS,
    DENSE,
    DGF,
    DOUBLE,
    DRAGS,
    KMEANS,
    LOGARITHMS,
    MAIN,
    MEASURES,
    OTHERS,
    RAW,
    RFE,
    SELECTION_SIZES,
    all_clusters,
    dense_groups,
    logarithmic_groups,
    logarithmic_selection,
    run_double_clusters,
    selection,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.papers._comparison import ClaimInput
    from holdfast.papers._runner import ExperimentRunner
    from holdfast.plot import Picture

    Reading: TypeAlias = Callable[[hf.Result], pd.DataFrame]
    """A table of a result with the columns ``selector`` and ``k``, and others."""


GROUP_KEYS = ("data", "method", "measure", "k")
NEIGHBOUR_KEYS = ("data", "K", "what")
EQUAL_CORRELATION_TOLERANCE = 1e-9
"""Correlations that differ by less are equal but for rounding."""


def figure1(shop: ExperimentRunner) -> ExperimentResult:
    """Describe how closely features correlate with their nearest neighbours."""
    rows, pictures = [], {}
    for name in shop.names:
        for setting, itself in ((MAIN, True), (OTHERS, False)):
            picture = hf.plot.neighbours(shop.data(name).X, count_itself=itself)
            rows.append(_describe_correlations(picture.numbers).assign(setting=setting, data=name))
            if itself:
                pictures[name] = picture
    return ExperimentResult(values=pd.concat(rows, ignore_index=True), pictures=pictures)


def _describe_correlations(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return median, spread and skewness by number of neighbours; no spread has no skewness."""
    found = numbers.rename(columns={"n_neighbors": "K"}).groupby("K")["correlation"]
    wide = {"median": found.median(), "sd": found.std(), "skewness": found.agg(_skewness)}
    return pd.DataFrame(wide).reset_index().melt("K", var_name="what", value_name=VALUE)


def _skewness(own: pd.Series) -> float:
    return float(skew(own)) if float(np.ptp(own)) > EQUAL_CORRELATION_TOLERANCE else np.nan


def figure2(shop: ExperimentRunner) -> ExperimentResult:
    """Measure dense groups and clusters of K-means, whatever their relevance."""
    return _stability(higher(collect_group_stability(shop)))


def figure3(shop: ExperimentRunner) -> ExperimentResult:
    """Measure what DRAGS, K-means and SVM-RFE select."""
    return _stability(higher(collect_selections(shop, stability)))


def _stability(found: pd.DataFrame) -> ExperimentResult:
    values = in_order(found, GROUP_KEYS)
    facts = {
        (one, "beside"): complete_with_main_setting(values, one)
        for one in values["setting"].unique()
    }
    pictures = {
        f"stability{'' if one == MAIN else f', {one}'}": _picture(table)
        for (one, _), table in facts.items()
        if one in (MAIN, LOGARITHMS)
    }
    return ExperimentResult(values=values, pictures=pictures, facts=facts)


def _picture(table: pd.DataFrame) -> Picture:
    return hf.plot.group_stability(table.rename(columns={"method": "selector", "k": "size"}))


# Table 2: accuracy after selection by DRAGS, K-means and SVM-RFE.

ACCURACY_KEYS = ("data", "classifier", "method", "k")
MAJORITY = (
    "The published accuracy of SVM-RFE on colon at k = 4, 64.8% with the SVM, is that of a rule "
    "which calls every sample a tumour: 40 of 62 are, 64.5%."
)


def table2(shop: ExperimentRunner) -> ExperimentResult:
    """Run all selections and average their accuracies over folds."""
    found = collect_selections(shop, folds)
    found = found[found["method"] != f"{KMEANS}, central"].drop(columns="selector")
    found["method"] = found["method"].replace(f"{KMEANS}, all", KMEANS)
    keys = [SETTING, *ACCURACY_KEYS]
    means = found.groupby(keys, sort=False)["accuracy"].mean().rename(VALUE).reset_index()
    facts: dict[tuple[str, str], Any] = {
        (setting, "folds"): complete_with_main_setting(found, setting)
        for setting in found[SETTING].unique()
    }
    facts[MAIN, "halves"] = pd.concat([halves(shop, name) for name in shop.names])
    notes = (MAJORITY,) if "colon" in shop.names else ()
    return ExperimentResult(values=in_order(means, ACCURACY_KEYS), facts=facts, notes=notes)


def halves(shop: ExperimentRunner, name: str) -> pd.DataFrame:
    """Return the accuracy of all K clusters beside that of the more relevant half of them."""
    found = folds(run_double_clusters(shop, name))
    found["clusters"] = [int(one.rpartition(" ")[2]) for one in found["selector"]]
    means = found.groupby(["clusters", "classifier", "k"])["accuracy"].mean().unstack("k")
    rows = [
        {"data": name, "clusters": count, "all": row[every], "half": row[count // 2]}
        for count, row in zip(
            means.index.get_level_values(0), means.to_dict("records"), strict=True
        )
        for every in [k for k in SELECTION_SIZES if k >= count][
            :1
        ]  # where more are asked for, all are taken
    ]
    return pd.DataFrame(rows, columns=["data", "clusters", "all", "half"])


# Tables of studies: accuracy fold by fold, and stability, by the names of the paper.

ORDER = {
    "classifier": tuple(CLASSIFIERS.values()),
    "method": (DGF, DRAGS, RFE, KMEANS),
    "measure": tuple(MEASURES.values()),
}


def collect_selections(shop: ExperimentRunner, read: Reading) -> pd.DataFrame:
    """Return a table of all selections, with ``setting``, ``data`` and ``method``."""
    tables = []
    for name in shop.names:
        chosen, halves = read(selection(shop, name)), read(run_double_clusters(shop, name))
        tables += [_main(chosen), _double(chosen, halves)]
        if name == RAW:
            logs = read(logarithmic_selection(shop))
            tables.append(logs.assign(setting=LOGARITHMS, method=logs["selector"]))
        tables = [table if "data" in table else table.assign(data=name) for table in tables]
    return pd.concat(tables, ignore_index=True)


def _main(chosen: pd.DataFrame) -> pd.DataFrame:
    """Give selectors the names of setting and method."""
    names = {f"{DRAGS}, {setting}": (setting, DRAGS) for setting in DENSE}
    names |= {RFE: (MAIN, RFE)}
    names |= {f"{KMEANS}, {kind}": (MAIN, f"{KMEANS}, {kind}") for kind in ("all", "central")}
    return _assign_settings(chosen, names)


def _double(chosen: pd.DataFrame, halves: pd.DataFrame) -> pd.DataFrame:
    """Take of 2k clusters those numbers that belong to k."""
    last = f"{KMEANS}, {ALL_CLUSTERS}"
    every = pd.concat([chosen.replace({"selector": {f"{KMEANS}, all": last}}), halves])
    own = every["selector"] == [f"{KMEANS}, {2 * k}" for k in every["k"]]
    named = every[own].assign(setting=DOUBLE, method=f"{KMEANS}, all")
    return named.sort_values("k", kind="stable")


def _assign_settings(table: pd.DataFrame, names: dict[str, tuple[str, str]]) -> pd.DataFrame:
    own = table[table["selector"].isin(names)]
    pairs = [names[name] for name in own["selector"]]
    settings, methods = zip(*pairs, strict=True)
    return own.assign(setting=settings, method=methods)


def collect_group_stability(shop: ExperimentRunner) -> pd.DataFrame:
    """Return the stability of all groups and clusters, whatever their relevance."""
    tables = []
    for name in shop.names:
        dense = stability(dense_groups(shop, name))
        names = {f"{DGF}, {setting}": (setting, DGF) for setting in DENSE}
        tables += [_assign_settings(dense, names), _as_many(stability(all_clusters(shop, name)))]
        if name == RAW:
            logs = stability(logarithmic_groups(shop))
            tables.append(logs.assign(setting=LOGARITHMS, method=DGF))
        tables = [table if "data" in table else table.assign(data=name) for table in tables]
    return pd.concat(tables, ignore_index=True)


def _as_many(table: pd.DataFrame) -> pd.DataFrame:
    """Take of k clusters the numbers at k."""
    names = {
        f"{KMEANS}, {k}, {kind}": (k, kind) for k in SELECTION_SIZES for kind in ("all", "central")
    }
    counts, kinds = zip(*(names[name] for name in table["selector"]), strict=True)
    named = table.assign(setting=MAIN, method=[f"{KMEANS}, {kind}" for kind in kinds])
    return named[named["k"].eq(pd.Series(counts, index=named.index))]


def stability(result: hf.Result) -> pd.DataFrame:
    """Return the stability of a study's selectors: ``selector``, ``k``, ``measure``, ``value``."""
    table = result.stability[["selector", "size", "measure", "value"]]
    table = table.assign(k=table["size"].astype(int), measure=table["measure"].map(MEASURES))
    return table.drop(columns="size")


def folds(result: hf.Result) -> pd.DataFrame:
    """Return accuracies in percent by fold: ``selector``, ``classifier``, ``k``, ``resample``."""
    found = result.predictions
    right = found["actual"].astype(str) == found["predicted"].astype(str)
    keys = ["selector", "classifier", "size", "resample"]
    parts = [found[key].astype(int if key in keys[2:] else str) for key in keys]
    table = 100 * right.groupby(parts, sort=False).mean().rename("accuracy")
    own = table.reset_index().rename(columns={"size": "k"})
    return own.assign(classifier=own["classifier"].map(CLASSIFIERS))


def higher(table: pd.DataFrame) -> pd.DataFrame:
    """Give K-means the higher of its two stabilities by index; centres are those of all members."""
    central = table["method"] == f"{KMEANS}, central"
    kept = table[~(central & (table["measure"] == "value"))]
    named = kept.assign(method=kept["method"].replace(f"{KMEANS}, .*", KMEANS, regex=True))
    keys = [SETTING, "data", "method", "measure", "k"]
    return named.groupby(keys, sort=False, observed=True)["value"].max().reset_index()


def in_order(table: pd.DataFrame, keys: tuple[str, ...]) -> pd.DataFrame:
    """Sort numbers as the paper does; settings and data sets stay in the order of the run."""

    def place(column: pd.Series) -> pd.Series:
        order = ORDER.get(str(column.name), list(dict.fromkeys(column)))
        return column if column.name == "k" else column.map(list(order).index)

    return table.sort_values([SETTING, *keys], key=place, ignore_index=True)


def complete_with_main_setting(table: pd.DataFrame, setting: str) -> pd.DataFrame:
    """Return the numbers of a setting, and those of the main one for methods that it leaves alone.

    Logarithms are other data: nothing else can stand beside them.
    """
    own = table[table[SETTING] == setting]
    if setting == LOGARITHMS:
        return own.drop(columns=SETTING)
    main = table[(table[SETTING] == MAIN) & ~table["method"].isin(own["method"])]
    return pd.concat([own, main], ignore_index=True).drop(columns=SETTING)


# What the claims of Yu, Ding and Loscalzo (2008) look at.


def numbers(seen: ClaimInput, name: str, *methods: str) -> pd.DataFrame:
    """Return a table of these methods, where the setting changes one of them and all are there."""
    if not set(methods) & set(seen.values["method"]):
        raise UncheckableClaim("the setting does not change what this is about")
    table: pd.DataFrame = seen.fact(name)
    lacking = [one for one in methods if one not in set(table["method"])]
    if lacking:
        raise UncheckableClaim(f"{', '.join(lacking)} was not run in this setting")
    return table[table["method"].isin(methods)]


def require_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table that has rows; without any, there is nothing to decide by."""
    if table.empty:
        raise UncheckableClaim("none of the numbers that it speaks about was measured")
    return table


def filter_datasets(
    table: pd.DataFrame, *, data: Iterable[str], among: bool = True
) -> pd.DataFrame:
    """Return the rows of some data sets, or of all others; without any, there is nothing to say."""
    own = table[table["data"].isin(list(data)) == among]
    if own.empty:
        raise UncheckableClaim("none of the data sets that it speaks about was run")
    return own


def format_dataset_count(table: pd.DataFrame) -> str:
    """Say over how many data sets something was decided."""
    count = table["data"].nunique()
    return f"{count} data set{'s' if count != 1 else ''}"


def by_pair(values: pd.Series) -> list[tuple[str, str, float]]:
    """Return numbers with the two words that tell them apart."""
    table = values.rename("value").reset_index()
    words = (table[column].astype(str) for column in table.columns[:2])
    return list(zip(*words, table["value"].astype(float), strict=True))


def span(values: pd.Series, digits: int = 2) -> str:
    """Return the range of numbers."""
    low, high = float(values.min()), float(values.max())
    return f"{low:.{digits}f} to {high:.{digits}f}"
