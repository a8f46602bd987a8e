"""A plan from data: for each selector and size what to expect, and what a target needs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
import pandas as pd

from holdfast._text import did_you_mean, plural
from holdfast.cli._plan import OF_DATA
from holdfast.cli._plan_sizes import counts_of
from holdfast.cli._plan_table import print_feature_plan, print_plan
from holdfast.cli._print import print_json
from holdfast.cli._program import FAILED
from holdfast.cli._reading import read
from holdfast.cli._talk import say
from holdfast.errors import HoldfastError, InvalidInputError, UnknownNameError
from holdfast.judge import plan_samples, replication
from holdfast.judge._replication._missing import check_missing
from holdfast.judge._replication._planning import predicts
from holdfast.measures import get_measure
from holdfast.select._given import as_selector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.io import Dataset
    from holdfast.judge import Replication


def run_plan(source: str, options: Mapping[str, Any]) -> int:
    """Plan and print; wrong usage is told before the data are read."""
    _check(options)
    quiet = options["quiet"]
    data = read(source, {key: options[key] for key in OF_DATA if key in options}, quiet=quiet)
    sizes = _sizes(options, data.n_features)
    _check_features(options.get("features_for") or [], data)
    selectors = {name: as_selector(name) for name in options["selectors"]}
    check_missing(data, selectors, get_measure(options["measure"]), options.get("impute"))
    if not quiet:
        say("work", f"{plural(len(selectors), 'selector')} x {plural(len(sizes), 'size')}.")
    rows = [_row(name, size, data, options) for name in options["selectors"] for size in sizes]
    failed = [row for row in rows if "error" in row]
    if len(failed) == len(rows):
        raise failed[0]["error"]
    for row in failed:
        say("error", f"{row['selector']}: {row['error']}")
    _print(rows, data, options)
    return FAILED if failed else 0


def _check(options: Mapping[str, Any]) -> None:
    """Refuse what can be seen to be wrong without data."""
    if options.get("features_for") and "found_again" not in options:
        raise click.UsageError(
            "--for names the features that --found-again is about; give --found-again, as 0.8.",
            click.get_current_context(),
        )
    if get_measure(options["measure"]).distance:
        raise click.BadParameter(
            f"{options['measure']} is a distance; plan by a similarity, such as nogueira.",
            click.get_current_context(),
            param_hint="--measure",
        )
    try:
        for name in options["selectors"]:
            as_selector(name)
    except InvalidInputError as error:
        raise click.UsageError(str(error), click.get_current_context()) from error


def _check_features(wanted: Sequence[str], data: Dataset) -> None:
    """Refuse features that the data do not have, before any work."""
    names = [str(name) for name in data.feature_names]
    for name in wanted:
        if name not in names:
            raise UnknownNameError(f"the data have no feature {name!r}.{did_you_mean(name, names)}")


def _frame_of(data: Dataset) -> pd.DataFrame:
    """Return the data with the names of the features."""
    return pd.DataFrame(data.X, columns=list(data.feature_names))


def _sizes(options: Mapping[str, Any], n_features: int) -> list[int | None]:
    """Return how many features to select; None once where all are compared."""
    if not get_measure(options["measure"]).by_size:
        return [None]
    return list(counts_of(options.get("sizes"), n_features))


def _row(name: str, size: int | None, data: Dataset, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is found of a selector at a size, or why nothing is."""
    row: dict[str, Any] = {"selector": name, "size": size}
    try:
        found = replication(
            name, _frame_of(data), data.y, size=size, measure=options["measure"],
            n_pairs=options["n_pairs"], groups=data.groups, random_state=options["seed"],
            impute=options.get("impute"),
        )  # fmt: skip
    except HoldfastError as error:
        return {**row, "error": error}
    if not options["quiet"] and found.note:
        say("note", f"{name}{'' if size is None else f', size {size:,}'}: {found.note}.")
    return {**_planned(found, options["stability"]), **_feature_plan(found, options), **row}


def _feature_plan(found: Replication, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many samples single features need, where that was asked for and is known."""
    if "found_again" not in options:
        return {}
    if found.chances is None:
        return {"features": [], "why_no_features": found.why_no_chances}
    table = found.samples_for(options["found_again"], options.get("features_for") or None)
    rows: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    return {"features": rows}


def _planned(found: Replication, target: float) -> dict[str, Any]:
    half = {
        "half_n_samples": found.n_samples,
        "half_value": found.value,
        "half_low": found.low,
        "half_high": found.high,
    }
    if not predicts(found):
        return {**half, "note": found.note}
    planned = asdict(plan_samples(found, target=target))
    return {**half, **planned, "note": found.note}


def _print(rows: list[dict[str, Any]], data: Dataset, options: Mapping[str, Any]) -> None:
    if not options["as_json"]:
        subjects = data.groups is not None
        print_plan(rows, options["measure"], options["stability"], subjects=subjects)
        if "found_again" in options:
            print_feature_plan(rows, options["found_again"], subjects=subjects)
        return
    plain = [{**row, "error": str(row["error"])} if "error" in row else row for row in rows]
    print_json({"n_features": data.n_features, "target": options["stability"], "plan": plain})
