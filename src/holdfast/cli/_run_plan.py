"""A plan from data: for each selector and size what to expect, and what a target needs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from holdfast._text import plural
from holdfast.cli._plan import OF_DATA
from holdfast.cli._plan_sizes import counts_of
from holdfast.cli._plan_table import print_plan
from holdfast.cli._print import print_json
from holdfast.cli._program import FAILED
from holdfast.cli._reading import read
from holdfast.cli._talk import say
from holdfast.errors import HoldfastError, InvalidInputError
from holdfast.judge import plan_samples, replication
from holdfast.judge._replication._missing import check_missing
from holdfast.judge._replication._planning import predicts
from holdfast.measures import get_measure
from holdfast.select._given import as_selector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.io import Dataset
    from holdfast.judge import Replication


def run_plan(source: str, options: Mapping[str, Any]) -> int:
    """Plan and print; wrong usage is told before the data are read."""
    _check(options)
    quiet = options["quiet"]
    data = read(source, {key: options[key] for key in OF_DATA if key in options}, quiet=quiet)
    sizes = _sizes(options, data.n_features)
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
            name, data.X, data.y, size=size, measure=options["measure"],
            n_pairs=options["n_pairs"], groups=data.groups, random_state=options["seed"],
            impute=options.get("impute"),
        )  # fmt: skip
    except HoldfastError as error:
        return {**row, "error": error}
    if not options["quiet"] and found.note:
        say("note", f"{name}{'' if size is None else f', size {size:,}'}: {found.note}.")
    return {**_planned(found, options["stability"]), **row}


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
        print_plan(rows, options["measure"], options["stability"], subjects=data.groups is not None)
        return
    plain = [{**row, "error": str(row["error"])} if "error" in row else row for row in rows]
    print_json({"n_features": data.n_features, "target": options["stability"], "plan": plain})
