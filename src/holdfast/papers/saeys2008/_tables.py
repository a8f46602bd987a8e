"""From studies to the numbers of the tables and of the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pandas as pd

import holdfast as hf
from holdfast.papers._comparison import UncheckableClaim
from holdfast.papers._runner import ExperimentResult
from holdfast.papers.saeys2008._studies import (
    ALL_FEATURES_LABEL,
    CHANGED,
    CLASSIFIERS,
    ENSEMBLE,
    JUDGED,
    LARGE_RF,
    MAIN,
    N_BAGS,
    SELECTORS,
    SINGLE,
    WAYS,
    Way,
    accuracy,
    ensemble_name,
    ensemble_sizes,
    ordered_name,
    robustness,
    sizes_of,
    without_selection,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from holdfast.papers._comparison import ClaimInput
    from holdfast.papers._runner import ExperimentRunner
    from holdfast.papers.saeys2008._studies import Ties
    from holdfast.plot import Picture

    Check: TypeAlias = Callable[[ClaimInput], tuple[bool, str]]


MEASURES = ("Sp", "JC5", "JC1")
SHARES = {"JC5": 0.05, "JC1": 0.01}
LARGE_FOREST_FACT = "large forest"


def rankings(result: hf.Result, name: str, ties: Ties) -> hf.Rankings:
    """Return the rankings of a selector, its ties treated by a rule."""
    found = result.preferences[name]
    assert isinstance(found, hf.Weights)  # the study asked for a measure of weights
    return found.to_rankings(ties=ties)


def measure_robustness(found: hf.Rankings) -> dict[str, float]:
    """Return the three measures of the paper."""
    subsets = {short: found.top(share) for short, share in SHARES.items()}
    return {
        "Sp": hf.measure("spearman", found),
        **{short: hf.measure("jaccard", own) for short, own in subsets.items()},
    }


def list_robustness_names(way: Way) -> Iterator[tuple[str, str, str]]:
    """Yield selector, kind, and what it is called in the study of robustness."""
    for one in SELECTORS:
        yield one, SINGLE, way.base(one)
        yield one, ENSEMBLE, ensemble_name(way.base(one), way.rule(one))


def tabulate_robustness(result: hf.Result, data: str) -> pd.DataFrame:
    """Return the robustness of all selectors on a data set, in all settings."""
    known: dict[tuple[str, Ties], dict[str, float]] = {}
    rows = []
    for setting, way in WAYS.items():
        for one, kind, name in list_robustness_names(way):
            if (name, way.ranks) not in known:
                known[name, way.ranks] = measure_robustness(rankings(result, name, way.ranks))
            own = {"setting": setting, "data": data, "selector": one, "kind": kind}
            rows += [
                {**own, "measure": short, "value": value}
                for short, value in known[name, way.ranks].items()
            ]
    return _sort_by_order(pd.DataFrame(rows), "measure", MEASURES)


def large_forests(result: hf.Result) -> dict[str, dict[str, float]]:
    """Return the robustness of a single forest of as many trees as an ensemble has, by setting."""
    return {
        setting: measure_robustness(rankings(result, LARGE_RF, way.ranks))
        for setting, way in WAYS.items()
    }


def table2(shop: ExperimentRunner) -> ExperimentResult:
    """Measure robustness on all data sets."""
    results = {data: robustness(shop, data) for data in shop.names}
    large = {data: large_forests(result) for data, result in results.items()}
    facts = {
        (setting, LARGE_FOREST_FACT): pd.DataFrame(
            {data: own[setting] for data, own in large.items()}
        ).T
        for setting in WAYS
    }
    values = pd.concat([tabulate_robustness(result, data) for data, result in results.items()])
    return ExperimentResult(values=values.reset_index(drop=True), facts=facts)


def tabulate_accuracy(found: Mapping[str, Mapping[str, float]], data: str) -> pd.DataFrame:
    """Return accuracies on a data set, those of all features last, if they are there."""
    whole = [("All", "features", ALL_FEATURES_LABEL)] * (ALL_FEATURES_LABEL in found)
    rows = [
        {"setting": setting, "data": data, "classifier": classifier, "selector": one, "kind": kind}
        | {"value": value}
        for setting in JUDGED
        for one, kind, name in [*ordered_names(WAYS[setting]), *whole]
        for classifier, value in found[name].items()
    ]
    return _sort_by_order(pd.DataFrame(rows), "classifier", tuple(CLASSIFIERS))


def ordered_names(way: Way) -> Iterator[tuple[str, str, str]]:
    """Yield selector, kind, and what it is called in the study of accuracy."""
    for one, kind, name in list_robustness_names(way):
        yield one, kind, ordered_name(name, way.ranks) if kind == SINGLE else name


def _accuracies(result: hf.Result) -> dict[str, dict[str, float]]:
    """Return accuracies by selector and classifier."""
    errors = result.errors.set_index("classifier")
    return {
        str(name): {str(one): 1 - float(value) for one, value in own["error"].items()}
        for name, own in errors.groupby("selector", sort=False)
    }


def table3(shop: ExperimentRunner) -> ExperimentResult:
    """Measure accuracy on all data sets."""

    def one(shop: ExperimentRunner, data: str) -> pd.DataFrame:
        chosen = _accuracies(accuracy(shop, data))
        return tabulate_accuracy(chosen | _accuracies(without_selection(shop, data)), data)

    return ExperimentResult(values=_concat_datasets(shop, one))


def table4(shop: ExperimentRunner) -> ExperimentResult:
    """Weigh robustness against accuracy on all data sets."""
    return ExperimentResult(values=_concat_datasets(shop, robustness_accuracy_tradeoff))


def robustness_accuracy_tradeoff(shop: ExperimentRunner, data: str) -> pd.DataFrame:
    """Return the harmonic mean of the robustness of the top 1% and of the accuracy."""
    stable = (
        tabulate_robustness(robustness(shop, data), data)
        .query("measure == 'JC1'")
        .drop(columns="measure")
    )
    right = tabulate_accuracy(_accuracies(accuracy(shop, data)), data)
    both = right.merge(stable, on=["setting", "data", "selector", "kind"], suffixes=("", "_stable"))
    traded = hf.judge.rpt(both["value_stable"], both["value"])
    return both.assign(value=traded).drop(columns="value_stable")


def robustness_by_bags(shop: ExperimentRunner, data: str) -> pd.DataFrame:
    """Return the robustness of the top 1% by the number of bags."""
    usual, sizes = robustness(shop, data), ensemble_sizes(shop, data)
    rows = [
        {"setting": setting, "data": data, "selector": one, "bags": bags}
        | {
            "value": measure_robustness(
                rankings(usual if bags in (1, N_BAGS) else sizes, name, way.ranks)
            )["JC1"]
        }
        for setting, way in ((setting, WAYS[setting]) for setting in JUDGED)
        for one in SELECTORS
        for bags in sizes_of(shop)
        for name in [_name_sized_selector(way, one, bags)]
    ]
    return pd.DataFrame(rows)


def _name_sized_selector(way: Way, selector: str, bags: int) -> str:
    base = way.base(selector)
    return base if bags == 1 else ensemble_name(base, way.rule(selector), bags)


def figure1(shop: ExperimentRunner) -> ExperimentResult:
    """Measure robustness by the number of bags on all data sets."""
    values = _concat_datasets(shop, robustness_by_bags)
    return ExperimentResult(values=values, pictures=dict(_pictures(values)))


def _pictures(values: pd.DataFrame) -> Iterator[tuple[str, Picture]]:
    """Draw means over data sets in each setting, and each data set in the main one."""
    names = list(values["data"].unique())
    what = names[0] if len(names) == 1 else f"mean of {len(names)} data sets"
    for setting, own in values.groupby("setting", sort=False):
        mean = own.groupby(["selector", "bags"], sort=False)["value"].mean().reset_index()
        yield f"{what}, {setting}", _plot_ensemble_sizes(mean)
    if len(names) > 1:
        for data, own in values[values["setting"] == MAIN].groupby("data", sort=False):
            yield f"{data}, {MAIN}", _plot_ensemble_sizes(own)


def _plot_ensemble_sizes(table: pd.DataFrame) -> Picture:
    return hf.plot.ensemble_sizes(
        table.rename(columns={"bags": "n_bags"}), measure="Jaccard index of the top 1%"
    )


def _concat_datasets(
    shop: ExperimentRunner, one: Callable[[ExperimentRunner, str], pd.DataFrame]
) -> pd.DataFrame:
    return pd.concat([one(shop, data) for data in shop.names], ignore_index=True)


def _sort_by_order(table: pd.DataFrame, key: str, order: tuple[str, ...]) -> pd.DataFrame:
    """Put rows into the order of the paper's; else they keep theirs."""
    place: Mapping[str, int] = {name: position for position, name in enumerate(order)}
    return table.sort_values(key, key=lambda column: column.map(place), kind="stable")


# What several checks share: tables without gaps, means, gains, and words about them.

Pair: TypeAlias = tuple[str, str]
"""A selector, and whether it is single or an ensemble."""
Means: TypeAlias = dict[Pair, float]
PAIRS: list[Pair] = [(one, kind) for one in SELECTORS for kind in (SINGLE, ENSEMBLE)]


def limit_to_selectors(check: Check, *selectors: str) -> Check:
    """Return a check that is silent in settings which change nothing about these selectors."""

    def told(seen: ClaimInput) -> tuple[bool, str]:
        if not set(selectors) & set(CHANGED.get(seen.setting, selectors)):
            raise UncheckableClaim("its numbers are those of another setting")
        return check(seen)

    return told


def wide(seen: ClaimInput, *, needed: Sequence[Pair] = PAIRS, **keys: object) -> pd.DataFrame:
    """Return a row for what has all numbers that are needed: a column a selector and kind."""
    heads = ("selector", "kind", "value")
    others = [key for key in seen.values.columns if key not in (*heads, *keys)]
    table = seen.table(**keys).pivot(index=others, columns=list(heads[:2]), values="value")
    whole = table.reindex(columns=list(needed)).dropna()
    if whole.empty:
        raise UncheckableClaim("no data set has all numbers that it speaks about")
    return whole


def means(table: pd.DataFrame) -> Means:
    """Return the mean of each column."""
    return {pair: float(table[pair].mean()) for pair in pairs_of(table)}


def pairs_of(table: pd.DataFrame) -> list[Pair]:
    """Return what heads the columns."""
    levels = [map(str, table.columns.get_level_values(place)) for place in (0, 1)]
    return list(zip(*levels, strict=True))


def gain(found: Means, selector: str) -> float:
    """Return what an ensemble has more than the single selector."""
    return found[selector, ENSEMBLE] - found[selector, SINGLE]


def gains(table: pd.DataFrame, selector: str) -> NDArray[np.float64]:
    """Return what ensembles have more than the single selector, row by row."""
    return (table[selector, ENSEMBLE] - table[selector, SINGLE]).to_numpy(dtype=float)


def of_kind(found: Means, kind: str) -> dict[str, float]:
    """Return the means of one kind, by selector."""
    return {one: found[one, kind] for one in SELECTORS}


def first_of(found: Mapping[Pair, float]) -> Pair:
    """Return the pair with the highest number."""
    return max(found, key=lambda pair: found[pair])


def format_dataset_count(table: pd.DataFrame) -> str:
    """Say over how many data sets a table speaks."""
    count = table.index.get_level_values("data").nunique()
    return f"({count} data set{'' if count == 1 else 's'})"


def steps(found: Means, selectors: Iterable[str] = SELECTORS) -> str:
    """Say how means change from single selectors to ensembles."""
    return ", ".join(
        f"{one} {format_two_decimals(found[one, SINGLE])} to "
        f"{format_two_decimals(found[one, ENSEMBLE])}"
        for one in selectors
    )


def format_named_values(found: Mapping[str, float]) -> str:
    """Say numbers by name."""
    return ", ".join(f"{name} {format_two_decimals(value)}" for name, value in found.items())


def format_two_decimals(value: float) -> str:
    """Return a number with two decimals; zero has no sign."""
    return f"{round(value, 2) + 0.0:.2f}"
