"""From studies to the numbers of the tables and of the figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import pandas as pd

import holdfast as hf
from holdfast._typing import FloatArray
from holdfast.papers._claims import Check, UncheckableClaim, require_rows
from holdfast.papers._runner import ExperimentResult, sort_rows
from holdfast.papers.saeys2008._studies import (
    ALL_FEATURES_LABEL,
    CHANGED,
    CLASSIFIERS,
    ENSEMBLE,
    JUDGED,
    LARGE_RF,
    N_BAGS,
    PUBLISHED,
    SELECTORS,
    SINGLE,
    WAYS,
    Ties,
    Way,
    accuracy,
    accuracy_without_selection,
    bag_counts,
    ensemble_sizes,
    ordered_name,
    robustness,
)

if TYPE_CHECKING:
    from holdfast.papers._claims import ClaimInput
    from holdfast.papers._runner import ExperimentRunner
    from holdfast.plot import Picture


MEASURES = ("Sp", "JC5", "JC1")
SHARES = {"JC5": 0.05, "JC1": 0.01}
LARGE_FOREST_FACT = "large forest"


def rankings(result: hf.Result, name: str, ties: Ties) -> hf.Rankings:
    """Return the rankings of a selector, its ties treated by a rule."""
    weights = result.preferences[name]
    assert isinstance(weights, hf.Weights)  # the study requests a measure of weights
    return weights.to_rankings(ties=ties)


def measure_robustness(rankings: hf.Rankings) -> dict[str, float]:
    """Return the three measures of the paper."""
    subsets = {short: rankings.top(share) for short, share in SHARES.items()}
    return {
        "Sp": hf.measure("spearman", rankings),
        **{short: hf.measure("jaccard", subset) for short, subset in subsets.items()},
    }


def list_robustness_names(way: Way) -> Iterator[tuple[str, str, str]]:
    """Yield selector, kind, and the name in the study of robustness."""
    for selector in SELECTORS:
        yield selector, SINGLE, way.base(selector)
        yield selector, ENSEMBLE, way.ensemble(selector).name


def tabulate_robustness(result: hf.Result, data: str) -> pd.DataFrame:
    """Return the robustness of all selectors on a data set, in all settings."""
    known: dict[tuple[str, Ties], dict[str, float]] = {}
    rows = []
    for setting, way in WAYS.items():
        for selector, kind, name in list_robustness_names(way):
            if (name, way.ranks) not in known:
                known[name, way.ranks] = measure_robustness(rankings(result, name, way.ranks))
            keys = {"setting": setting, "data": data, "selector": selector, "kind": kind}
            rows += [
                {**keys, "measure": short, "value": value}
                for short, value in known[name, way.ranks].items()
            ]
    return sort_rows(pd.DataFrame(rows), ["measure"], {"measure": MEASURES})


def large_forests(result: hf.Result) -> dict[str, dict[str, float]]:
    """Return the robustness of a single forest of as many trees as an ensemble has, by setting."""
    return {
        setting: measure_robustness(rankings(result, way.base(LARGE_RF), way.ranks))
        for setting, way in WAYS.items()
    }


def table2(runner: ExperimentRunner) -> ExperimentResult:
    """Measure robustness on all data sets."""
    results = {data: robustness(runner, data) for data in runner.names}
    large = {data: large_forests(result) for data, result in results.items()}
    facts = {
        (setting, LARGE_FOREST_FACT): pd.DataFrame(
            {data: measures[setting] for data, measures in large.items()}
        ).T
        for setting in WAYS
    }
    values = pd.concat([tabulate_robustness(result, data) for data, result in results.items()])
    return ExperimentResult(values=values.reset_index(drop=True), facts=facts)


def tabulate_accuracy(
    accuracies: Mapping[str, Mapping[str, float]], data: str, setting: str
) -> pd.DataFrame:
    """Return accuracies on a data set in a setting; those with all features, if any, come last."""
    whole = [("All", "features", ALL_FEATURES_LABEL)] * (ALL_FEATURES_LABEL in accuracies)
    rows = [
        {
            "setting": setting,
            "data": data,
            "classifier": classifier,
            "selector": selector,
            "kind": kind,
            "value": value,
        }
        for selector, kind, name in [*ordered_names(WAYS[setting]), *whole]
        for classifier, value in accuracies[name].items()
    ]
    return sort_rows(pd.DataFrame(rows), ["classifier"], {"classifier": CLASSIFIERS})


def ordered_names(way: Way) -> Iterator[tuple[str, str, str]]:
    """Yield selector, kind, and the name in the study of accuracy."""
    for selector, kind, name in list_robustness_names(way):
        yield selector, kind, ordered_name(name, way.ranks) if kind == SINGLE else name


def _accuracies(result: hf.Result) -> dict[str, dict[str, float]]:
    """Return accuracies by selector and classifier."""
    errors = result.errors.set_index("classifier")
    return {
        str(name): {
            str(classifier): 1 - float(error) for classifier, error in rows["error"].items()
        }
        for name, rows in errors.groupby("selector", sort=False)
    }


def table3(runner: ExperimentRunner) -> ExperimentResult:
    """Measure accuracy on all data sets."""

    def tabulate(runner: ExperimentRunner, data: str) -> pd.DataFrame:
        return pd.concat(
            tabulate_accuracy(
                _accuracies(accuracy(runner, data, setting))
                | _accuracies(accuracy_without_selection(runner, data, setting)),
                data,
                setting,
            )
            for setting in JUDGED
        )

    return ExperimentResult(values=_concat_datasets(runner, tabulate))


def table4(runner: ExperimentRunner) -> ExperimentResult:
    """Combine robustness and accuracy (RPT) on all data sets."""
    return ExperimentResult(values=_concat_datasets(runner, robustness_accuracy_tradeoff))


def robustness_accuracy_tradeoff(runner: ExperimentRunner, data: str) -> pd.DataFrame:
    """Return the harmonic mean of the robustness of the top 1% and of the accuracy."""
    stable = (
        tabulate_robustness(robustness(runner, data), data)
        .query("measure == 'JC1'")
        .drop(columns="measure")
    )
    right = pd.concat(
        tabulate_accuracy(_accuracies(accuracy(runner, data, setting)), data, setting)
        for setting in JUDGED
    )
    both = right.merge(stable, on=["setting", "data", "selector", "kind"], suffixes=("", "_stable"))
    traded = hf.judge.rpt(both["value_stable"], both["value"])
    return both.assign(value=traded).drop(columns="value_stable")


def robustness_by_bags(runner: ExperimentRunner, data: str) -> pd.DataFrame:
    """Return the robustness of the top 1% by the number of bags."""
    usual, sizes = robustness(runner, data), ensemble_sizes(runner, data)
    rows = []
    for setting, selector, bags in product(JUDGED, SELECTORS, bag_counts(runner)):
        way = WAYS[setting]
        name = way.ensemble(selector, bags).name
        result = usual if bags == N_BAGS else sizes
        value = measure_robustness(rankings(result, name, way.ranks))["JC1"]
        keys = {"setting": setting, "data": data, "selector": selector, "bags": bags}
        rows.append({**keys, "value": value})
    return pd.DataFrame(rows)


def figure1(runner: ExperimentRunner) -> ExperimentResult:
    """Measure robustness by the number of bags on all data sets."""
    values = _concat_datasets(runner, robustness_by_bags)
    return ExperimentResult(values=values, pictures=dict(_plot_settings(values)))


def _plot_settings(values: pd.DataFrame) -> Iterator[tuple[str, Picture]]:
    """Draw means over data sets in each setting, and each data set in the main one."""
    names = list(values["data"].unique())
    title = names[0] if len(names) == 1 else f"mean of {len(names)} data sets"
    for setting, rows in values.groupby("setting", sort=False):
        mean = rows.groupby(["selector", "bags"], sort=False)["value"].mean().reset_index()
        yield f"{title}, {setting}", _plot_ensemble_sizes(mean)
    if len(names) > 1:
        for data, rows in values[values["setting"] == PUBLISHED].groupby("data", sort=False):
            yield f"{data}, {PUBLISHED}", _plot_ensemble_sizes(rows)


def _plot_ensemble_sizes(table: pd.DataFrame) -> Picture:
    return hf.plot.ensemble_sizes(
        table.rename(columns={"bags": "n_bags"}), measure="Jaccard index of the top 1%"
    )


def _concat_datasets(
    runner: ExperimentRunner, tabulate: Callable[[ExperimentRunner, str], pd.DataFrame]
) -> pd.DataFrame:
    return pd.concat([tabulate(runner, data) for data in runner.names], ignore_index=True)


# Helpers of the checks: tables without gaps, means and gains.

Pair: TypeAlias = tuple[str, str]
"""A selector, and whether it is single or an ensemble."""
Means: TypeAlias = dict[Pair, float]
PAIRS: list[Pair] = [(selector, kind) for selector in SELECTORS for kind in (SINGLE, ENSEMBLE)]


def limit_to_selectors(check: Check, *selectors: str) -> Check:
    """Return a check that skips settings which do not change these selectors."""

    def limited_check(inputs: ClaimInput) -> tuple[bool, str]:
        if not set(selectors) & set(CHANGED.get(inputs.setting, selectors)):
            raise UncheckableClaim("its numbers are those of another setting")
        return check(inputs)

    return limited_check


def tabulate_pairs(
    inputs: ClaimInput, *, needed: Sequence[Pair] = PAIRS, **keys: object
) -> pd.DataFrame:
    """Return the complete rows: one column per selector and kind."""
    heads = ("selector", "kind", "value")
    others = [key for key in inputs.values.columns if key not in (*heads, *keys)]
    table = inputs.table(**keys).pivot(index=others, columns=list(heads[:2]), values="value")
    whole = table.reindex(columns=list(needed)).dropna()
    return require_rows(whole, "no data set has all numbers that it speaks about")


def column_means(table: pd.DataFrame) -> Means:
    """Return the mean of each column."""
    return {pair: float(table[pair].mean()) for pair in column_pairs(table)}


def column_pairs(table: pd.DataFrame) -> list[Pair]:
    """Return the pairs of selector and kind that head the columns."""
    levels = [map(str, table.columns.get_level_values(place)) for place in (0, 1)]
    return list(zip(*levels, strict=True))


def ensemble_gain(means: Means, selector: str) -> float:
    """Return the gain of an ensemble over the single selector."""
    return means[selector, ENSEMBLE] - means[selector, SINGLE]


def ensemble_gains(table: pd.DataFrame, selector: str) -> FloatArray:
    """Return the gain of ensembles over the single selector, row by row."""
    return (table[selector, ENSEMBLE] - table[selector, SINGLE]).to_numpy(dtype=float)


def means_of_kind(means: Means, kind: str) -> dict[str, float]:
    """Return the means of one kind, by selector."""
    return {selector: means[selector, kind] for selector in SELECTORS}


def highest_pair(means: Mapping[Pair, float]) -> Pair:
    """Return the pair with the highest number."""
    return max(means, key=lambda pair: means[pair])


def format_gains(means: Means, selectors: Iterable[str] = SELECTORS) -> str:
    """Return text on how means change from single selectors to ensembles."""
    return ", ".join(
        f"{selector} {means[selector, SINGLE]:z.2f} to {means[selector, ENSEMBLE]:z.2f}"
        for selector in selectors
    )
