"""Figures 1 to 3: neighbours of features, and the stability of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from scipy.stats import skew

import holdfast as hf
from holdfast.papers._claims import UncheckableClaim, require_rows
from holdfast.papers._runner import SETTING, SPREAD, VALUE, ExperimentResult, sort_rows
from holdfast.papers.yu2008._studies import (
    ALL_CLUSTERS,
    CLASSIFIERS,
    DENSE,
    DGF,
    DOUBLE,
    DRAGS,
    FIRST_GROUPS,
    KMEANS,
    LOGARITHMS,
    MAIN,
    MEASURES,
    OTHERS,
    RAW,
    REPRESENTATIVES,
    REVERSED,
    RFE,
    SELECTION_SIZES,
    match_among_all_groups,
    run_all_clusters,
    run_central_members,
    run_dense_groups,
    run_double_clusters,
    run_logarithmic_selection,
    run_selection,
    take_logarithms,
)

if TYPE_CHECKING:
    from holdfast.papers._claims import ClaimInput
    from holdfast.papers._runner import ExperimentRunner


Reading: TypeAlias = Callable[[hf.Result], pd.DataFrame]
"""A table of a result with the columns ``selector`` and ``k``, and others."""


GROUP_KEYS = ("data", "method", "measure", "k")
NEIGHBOUR_KEYS = ("data", "K", "what")
EQUAL_CORRELATION_TOLERANCE = 1e-9
"""Correlations that differ by less are equal except for rounding; chosen by hand."""


def figure1(runner: ExperimentRunner) -> ExperimentResult:
    """Describe how closely features correlate with their nearest neighbours."""
    rows, pictures = [], {}
    for name in runner.names:
        for setting, itself in ((MAIN, True), (OTHERS, False)):
            picture = hf.plot.neighbours(runner.data(name).X, count_itself=itself)
            rows.append(_describe_correlations(picture.numbers).assign(setting=setting, data=name))
            if itself:
                pictures[name] = picture
    return ExperimentResult(values=pd.concat(rows, ignore_index=True), pictures=pictures)


def _describe_correlations(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return median, spread and skewness by number of neighbours; no spread has no skewness."""
    correlations = numbers.rename(columns={"n_neighbors": "K"}).groupby("K")["correlation"]
    wide = {
        "median": correlations.median(),
        "sd": correlations.std(),
        "skewness": correlations.agg(_skewness),
    }
    return pd.DataFrame(wide).reset_index().melt("K", var_name="what", value_name=VALUE)


def _skewness(values: pd.Series) -> float:
    return float(skew(values)) if float(np.ptp(values)) > EQUAL_CORRELATION_TOLERANCE else np.nan


def figure2(runner: ExperimentRunner) -> ExperimentResult:
    """Measure the stability of dense groups and K-means clusters, regardless of relevance."""
    return _make_stability_result(keep_higher_index(collect_group_stability(runner)))


def figure3(runner: ExperimentRunner) -> ExperimentResult:
    """Measure the stability of the selections of DRAGS, K-means and SVM-RFE."""
    table = collect_selections(runner, stability)
    # DRAGS is matched twice: the first k groups with all groups, and with the first k
    table[SETTING] = table[SETTING].where(
        (table[SETTING] != MAIN) | (table["method"] != DRAGS), FIRST_GROUPS
    )
    table = table[(table[SETTING] != LOGARITHMS) | (table["method"] != DRAGS)]
    matched = [tabulate_matching(runner, DRAGS, hf.DRAGS(), name) for name in runner.names]
    central = [
        stability(run_central_members(runner, name)).assign(
            setting=MAIN, data=name, method=f"{KMEANS}, central"
        )
        for name in runner.names
    ]
    return _make_stability_result(
        keep_higher_index(pd.concat([*matched, table, *central], ignore_index=True))
    )


def tabulate_matching(
    runner: ExperimentRunner, method: str, selector: hf.DenseGroups | hf.DRAGS, name: str
) -> pd.DataFrame:
    """Return the stability of groups that are looked for among all groups of the other result."""
    what = f"{method.lower()} {name}"
    tables = [
        match_among_all_groups(runner, what, selector, runner.data(name)).assign(setting=MAIN)
    ]
    if name == RAW:
        logs = match_among_all_groups(
            runner, f"{what} logarithms", selector, take_logarithms(runner)
        )
        tables.append(logs.assign(setting=LOGARITHMS))
    return pd.concat(tables, ignore_index=True).assign(data=name, method=method)


def _make_stability_result(table: pd.DataFrame) -> ExperimentResult:
    values = sort_rows(table, [SETTING, *GROUP_KEYS], ORDERS)
    facts = {
        (setting, "stability"): complete_with_main_setting(values, setting)
        for setting in values["setting"].unique()
    }
    pictures = {
        f"stability{'' if setting == MAIN else f', {setting}'}": hf.plot.group_stability(
            setting_table[setting_table["measure"] != REPRESENTATIVES].rename(
                columns={"method": "selector", "k": "size"}
            )
        )
        for (setting, _), setting_table in facts.items()
        if setting in (MAIN, LOGARITHMS)
    }
    return ExperimentResult(values=values, pictures=pictures, facts=facts)


# Table 2: accuracy after selection by DRAGS, K-means and SVM-RFE.

ACCURACY_KEYS = ("data", "classifier", "method", "k")
MAJORITY = (
    "The published accuracy of SVM-RFE on colon at k = 4, 64.8% with the SVM, is that of a rule "
    "which calls every sample a tumour: 40 of 62 are, 64.5%."
)


def table2(runner: ExperimentRunner) -> ExperimentResult:
    """Run all selections and average their accuracies over folds."""
    accuracies = collect_selections(runner, tabulate_folds)
    accuracies = accuracies.drop(columns="selector")
    accuracies["method"] = accuracies["method"].replace(f"{KMEANS}, all", KMEANS)
    keys = [SETTING, *ACCURACY_KEYS]
    folds = accuracies.groupby(keys, sort=False)["accuracy"]
    means = pd.DataFrame({VALUE: folds.mean(), SPREAD: folds.std()}).reset_index()
    facts: dict[tuple[str, str], Any] = {
        (setting, "folds"): complete_with_main_setting(accuracies, setting)
        for setting in accuracies[SETTING].unique()
    }
    facts[MAIN, "halves"] = pd.concat([compare_halves(runner, name) for name in runner.names])
    notes = (MAJORITY,) if "colon" in runner.names else ()
    return ExperimentResult(
        values=sort_rows(means, [SETTING, *ACCURACY_KEYS], ORDERS), facts=facts, notes=notes
    )


def compare_halves(runner: ExperimentRunner, name: str) -> pd.DataFrame:
    """Return the accuracy of all K clusters and that of the more relevant half of them."""
    accuracies = tabulate_folds(run_double_clusters(runner, name))
    accuracies["clusters"] = [
        int(selector.rpartition(" ")[2]) for selector in accuracies["selector"]
    ]
    means = accuracies.groupby(["clusters", "classifier", "k"])["accuracy"].mean().unstack("k")
    rows = [
        {"data": name, "clusters": count, "all": row[every], "half": row[count // 2]}
        for count, row in zip(
            means.index.get_level_values(0), means.to_dict("records"), strict=True
        )
        # with k >= count, all clusters are selected
        for every in [k for k in SELECTION_SIZES if k >= count][:1]
    ]
    return pd.DataFrame(rows, columns=["data", "clusters", "all", "half"])


# Tables of studies: accuracy fold by fold, and stability, by the names of the paper.

ORDERS = {
    "classifier": tuple(CLASSIFIERS.values()),
    "method": (DGF, DRAGS, RFE, KMEANS),
    "measure": (*MEASURES.values(), REPRESENTATIVES),
}


def collect_selections(runner: ExperimentRunner, read: Reading) -> pd.DataFrame:
    """Return a table of all selections, with ``setting``, ``data`` and ``method``."""
    tables = []
    for name in runner.names:
        chosen, halves = read(run_selection(runner, name)), read(run_double_clusters(runner, name))
        tables += [_name_main_selections(chosen), _select_double_clusters(chosen, halves)]
        if name == RAW:
            logs = read(run_logarithmic_selection(runner))
            tables.append(logs.assign(setting=LOGARITHMS, method=logs["selector"]))
        tables = [table if "data" in table else table.assign(data=name) for table in tables]
    return pd.concat(tables, ignore_index=True)


def _name_main_selections(chosen: pd.DataFrame) -> pd.DataFrame:
    """Replace selector names by settings and methods."""
    names = {f"{DRAGS}, {setting}": (setting, DRAGS) for setting in DENSE}
    names |= {RFE: (MAIN, RFE), f"{RFE}, reversed": (REVERSED, RFE)}
    names |= {f"{KMEANS}, all": (MAIN, f"{KMEANS}, all")}
    return _assign_settings(chosen, names)


def _select_double_clusters(chosen: pd.DataFrame, halves: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of 2k clusters at k."""
    last = f"{KMEANS}, {ALL_CLUSTERS}"
    every = pd.concat([chosen.replace({"selector": {f"{KMEANS}, all": last}}), halves])
    doubled = every["selector"] == [f"{KMEANS}, {2 * k}" for k in every["k"]]
    named = every[doubled].assign(setting=DOUBLE, method=f"{KMEANS}, all")
    return named.sort_values("k", kind="stable")


def _assign_settings(table: pd.DataFrame, names: dict[str, tuple[str, str]]) -> pd.DataFrame:
    rows = table[table["selector"].isin(names)]
    pairs = [names[name] for name in rows["selector"]]
    settings, methods = zip(*pairs, strict=True)
    return rows.assign(setting=settings, method=methods)


def collect_group_stability(runner: ExperimentRunner) -> pd.DataFrame:
    """Return the stability of all groups and clusters, regardless of relevance."""
    tables = []
    for name in runner.names:
        dense = stability(run_dense_groups(runner, name))
        names = {
            f"{DGF}, {setting}": (FIRST_GROUPS if setting == MAIN else setting, DGF)
            for setting in DENSE
        }
        tables += [
            tabulate_matching(runner, DGF, hf.DenseGroups(), name),
            _assign_settings(dense, names),
            _select_k_clusters(stability(run_all_clusters(runner, name))),
        ]
        tables = [table if "data" in table else table.assign(data=name) for table in tables]
    return pd.concat(tables, ignore_index=True)


def _select_k_clusters(table: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of k clusters at k."""
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


def tabulate_folds(result: hf.Result) -> pd.DataFrame:
    """Return accuracies in percent by fold: ``selector``, ``classifier``, ``k``, ``resample``."""
    predictions = result.predictions
    right = predictions["actual"].astype(str) == predictions["predicted"].astype(str)
    keys = ["selector", "classifier", "size", "resample"]
    parts = [predictions[key].astype(int if key in keys[2:] else str) for key in keys]
    table = 100 * right.groupby(parts, sort=False).mean().rename("accuracy")
    accuracies = table.reset_index().rename(columns={"size": "k"})
    return accuracies.assign(classifier=accuracies["classifier"].map(CLASSIFIERS))


def keep_higher_index(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the higher of the two indices of K-means; values use the centres of all members."""
    central = table["method"] == f"{KMEANS}, central"
    kept = table[~(central & (table["measure"] == "value"))]
    named = kept.assign(method=kept["method"].replace(f"{KMEANS}, .*", KMEANS, regex=True))
    keys = [SETTING, "data", "method", "measure", "k"]
    return named.groupby(keys, sort=False, observed=True)["value"].max().reset_index()


def complete_with_main_setting(table: pd.DataFrame, setting: str) -> pd.DataFrame:
    """Return the numbers of a setting, and those of the main one for unchanged methods.

    Logarithms are different data, so they are not completed.
    """
    rows = table[table[SETTING] == setting]
    if setting == LOGARITHMS:
        return rows.drop(columns=SETTING)
    main = table[(table[SETTING] == MAIN) & ~table["method"].isin(rows["method"])]
    return pd.concat([rows, main], ignore_index=True).drop(columns=SETTING)


# Rows that the claims use.


def get_method_rows(inputs: ClaimInput, name: str, *methods: str) -> pd.DataFrame:
    """Return the rows of methods, if the setting changes one of them and has them all."""
    if not set(methods) & set(inputs.values["method"]):
        raise UncheckableClaim("the setting does not change what this is about")
    table = inputs.fact_table(name)
    missing = [method for method in methods if method not in set(table["method"])]
    if missing:
        raise UncheckableClaim(f"{', '.join(missing)} was not run in this setting")
    return table[table["method"].isin(methods)]


def filter_datasets(
    table: pd.DataFrame, *, data: Iterable[str], among: bool = True
) -> pd.DataFrame:
    """Return the rows of these data sets, or those of all others."""
    rows = table[table["data"].isin(list(data)) == among]
    return require_rows(rows, "none of the data sets that it speaks about was run")


def list_pairs(values: pd.Series) -> list[tuple[str, str, float]]:
    """Return numbers with the two names that identify them."""
    table = values.rename("value").reset_index()
    words = (table[column].astype(str) for column in table.columns[:2])
    return list(zip(*words, table["value"].astype(float), strict=True))
