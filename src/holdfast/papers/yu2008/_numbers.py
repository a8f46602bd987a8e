"""Tables of studies: accuracy fold by fold, and stability, by the names of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pandas as pd

from holdfast.papers._made import SETTING
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
    RAW,
    RFE,
    SIZES,
    all_clusters,
    dense_groups,
    doubled,
    logarithmic_groups,
    logarithmic_selection,
    selection,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import holdfast as hf
    from holdfast.papers._workshop import Workshop

    Reading: TypeAlias = Callable[[hf.Result], pd.DataFrame]
    """A table of a result with the columns ``selector`` and ``k``, and others."""

ORDER = {
    "classifier": tuple(CLASSIFIERS.values()),
    "method": (DGF, DRAGS, RFE, KMEANS),
    "measure": tuple(MEASURES.values()),
}


def selected(shop: Workshop, read: Reading) -> pd.DataFrame:
    """Return a table of all selections, with ``setting``, ``data`` and ``method``."""
    tables = []
    for name in shop.names:
        chosen, halves = read(selection(shop, name)), read(doubled(shop, name))
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
    return _named(chosen, names)


def _double(chosen: pd.DataFrame, halves: pd.DataFrame) -> pd.DataFrame:
    """Take of 2k clusters those numbers that belong to k."""
    last = f"{KMEANS}, {ALL_CLUSTERS}"
    every = pd.concat([chosen.replace({"selector": {f"{KMEANS}, all": last}}), halves])
    own = every["selector"] == [f"{KMEANS}, {2 * k}" for k in every["k"]]
    named = every[own].assign(setting=DOUBLE, method=f"{KMEANS}, all")
    return named.sort_values("k", kind="stable")


def _named(table: pd.DataFrame, names: dict[str, tuple[str, str]]) -> pd.DataFrame:
    own = table[table["selector"].isin(names)]
    pairs = [names[name] for name in own["selector"]]
    settings, methods = zip(*pairs, strict=True)
    return own.assign(setting=settings, method=methods)


def grouped(shop: Workshop) -> pd.DataFrame:
    """Return the stability of all groups and clusters, whatever their relevance."""
    tables = []
    for name in shop.names:
        dense = stability(dense_groups(shop, name))
        names = {f"{DGF}, {setting}": (setting, DGF) for setting in DENSE}
        tables += [_named(dense, names), _as_many(stability(all_clusters(shop, name)))]
        if name == RAW:
            logs = stability(logarithmic_groups(shop))
            tables.append(logs.assign(setting=LOGARITHMS, method=DGF))
        tables = [table if "data" in table else table.assign(data=name) for table in tables]
    return pd.concat(tables, ignore_index=True)


def _as_many(table: pd.DataFrame) -> pd.DataFrame:
    """Take of k clusters the numbers at k."""
    names = {f"{KMEANS}, {k}, {kind}": (k, kind) for k in SIZES for kind in ("all", "central")}
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


def beside(table: pd.DataFrame, setting: str) -> pd.DataFrame:
    """Return the numbers of a setting, and those of the main one for methods that it leaves alone.

    Logarithms are other data: nothing else can stand beside them.
    """
    own = table[table[SETTING] == setting]
    if setting == LOGARITHMS:
        return own.drop(columns=SETTING)
    main = table[(table[SETTING] == MAIN) & ~table["method"].isin(own["method"])]
    return pd.concat([own, main], ignore_index=True).drop(columns=SETTING)
