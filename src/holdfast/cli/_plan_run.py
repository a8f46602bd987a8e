"""Sample size plans: from pilot data, or from theory."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
import pandas as pd

from holdfast._formatting import did_you_mean, plural
from holdfast._object_spec import make_object, parse_object_spec
from holdfast.cli._output import Column, log_line, paragraph, print_json, print_line, print_table
from holdfast.cli._plan_command import DATA_OPTIONS
from holdfast.cli._program import FAILED
from holdfast.cli._progress import read
from holdfast.errors import HoldfastError, InvalidInputError, UnknownNameError
from holdfast.judge import check_missing, has_predictions, plan_samples, replication
from holdfast.measures import get_measure
from holdfast.preferences import as_feature_count
from holdfast.select import named_selector
from holdfast.study import USUAL_SIZES
from holdfast.theory import TriangularEffects, expected_stability, required_samples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.io import Dataset
    from holdfast.judge import Replication
    from holdfast.theory import Effect


def count_sizes(sizes: Sequence[float] | None, n_features: int) -> list[int]:
    """Return counts in ascending order; by default, the usual ones below `n_features`."""
    if sizes is None:
        return [size for size in USUAL_SIZES if size < n_features] or [max(1, n_features // 2)]
    return sorted({as_feature_count(size, n_features, "a size") for size in sizes})


# A plan from data: for each selector and size, the expectation and the samples for a target.


def run_plan(source: str, options: Mapping[str, Any]) -> int:
    """Plan and print; usage errors are reported before the data are read."""
    _check_options(options)
    quiet = options["quiet"]
    data = read(source, {key: options[key] for key in DATA_OPTIONS if key in options}, quiet=quiet)
    by_size = get_measure(options["measure"]).by_size
    # measures that do not depend on the size compare all features
    sizes = count_sizes(options.get("sizes"), data.n_features) if by_size else [None]
    names = [str(name) for name in data.feature_names]
    for name in options.get("features_for") or []:
        if name not in names:
            raise UnknownNameError(f"the data have no feature {name!r}.{did_you_mean(name, names)}")
    selectors = {name: named_selector(name)[1] for name in options["selectors"]}
    check_missing(data, selectors, get_measure(options["measure"]), options.get("impute"))
    if not quiet:
        log_line("work", f"{plural(len(selectors), 'selector')} x {plural(len(sizes), 'size')}.")
    rows = [
        _plan_selector(name, size, data, options) for name in options["selectors"] for size in sizes
    ]
    failed = [row for row in rows if "error" in row]
    if len(failed) == len(rows):
        raise failed[0]["error"]
    for row in failed:
        log_line("error", f"{row['selector']}: {row['error']}")
    _print_plans(rows, data, options)
    return FAILED if failed else 0


def _check_options(options: Mapping[str, Any]) -> None:
    """Raise usage errors that need no data."""
    if options.get("features_for") and "found_again" not in options:
        raise click.UsageError(
            "--for needs --found-again, such as --found-again 0.8.",
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
            named_selector(name)
    except InvalidInputError as error:
        raise click.UsageError(str(error), click.get_current_context()) from error


def _plan_selector(
    name: str, size: int | None, data: Dataset, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the plan for a selector and size, or the error."""
    row: dict[str, Any] = {"selector": name, "size": size}
    try:
        estimate = replication(
            name, pd.DataFrame(data.X, columns=list(data.feature_names)), data.y, size=size,
            measure=options["measure"], n_pairs=options["n_pairs"], groups=data.groups,
            random_state=options["seed"], impute=options.get("impute"),
        )  # fmt: skip
    except HoldfastError as error:
        return {**row, "error": error}
    if not options["quiet"] and estimate.note:
        log_line("note", f"{name}{'' if size is None else f', size {size:,}'}: {estimate.note}.")
    target = _plan_for_target(estimate, options["stability"])
    return {**target, **_feature_plan(estimate, options), **row}


def _feature_plan(estimate: Replication, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many samples single features need, if requested and known."""
    if "found_again" not in options:
        return {}
    if estimate.chances is None:
        return {"features": [], "why_no_features": estimate.why_no_chances}
    table = estimate.samples_for(options["found_again"], options.get("features_for") or None)
    rows: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    return {"features": rows}


def _plan_for_target(estimate: Replication, target: float) -> dict[str, Any]:
    half = {
        "half_n_samples": estimate.n_samples,
        "half_value": estimate.value,
        "half_low": estimate.low,
        "half_high": estimate.high,
    }
    predicted = has_predictions(estimate)
    planned = asdict(plan_samples(estimate, target=target)) if predicted else {}
    return {**half, **planned, "note": estimate.note}


def _print_plans(rows: list[dict[str, Any]], data: Dataset, options: Mapping[str, Any]) -> None:
    if not options["as_json"]:
        subjects = data.groups is not None
        print_plan(rows, options["measure"], options["stability"], subjects=subjects)
        if "found_again" in options:
            print_feature_plan(rows, options["found_again"], subjects=subjects)
        return
    plain = [{**row, "error": str(row["error"])} if "error" in row else row for row in rows]
    print_json({"n_features": data.n_features, "target": options["stability"], "plan": plain})


# A plan without data: what theory says of the t-score.

OPTIONS = {
    "n_informative=?": "--informative",
    "n_features": "--features",
    "n_selected": "--sizes",
    "n_per_class": "--samples",
}
"""Options of the command line, by parameter of the library."""
LAW_PARAMETERS = ("gamma", "largest", "bayes_error")


def run_theory(options: Mapping[str, Any]) -> int:
    """Compute and print; without data, every invalid input is a usage error."""
    try:
        sizes = count_sizes(options["sizes"], options["features"])
        effect, informative = _parse_effect(options["effects"]), options["informative"]
        _check_counts(effect, informative, options["features"])
        setting = {
            "effect": effect,
            "n_informative": informative,
            "n_features": options["features"],
        }
        rows = [_build_theory_row(size, setting, options) for size in sizes]
    except (InvalidInputError, UnknownNameError) as error:
        raise click.UsageError(_name_options(str(error)), click.get_current_context()) from error
    if options["as_json"]:
        print_json({"n_features": options["features"], "measure": options["measure"],
                    "target": options["stability"], "plan": rows})  # fmt: skip
        return 0
    _print_theory(rows, options)
    return 0


def _name_options(message: str) -> str:
    """Replace parameters of the library by options in a message."""
    for name, option in OPTIONS.items():
        message = re.sub(rf"\b{name}\b", option, message)
    return message


def _check_counts(effect: Effect, informative: int | None, features: int) -> None:
    """Raise if the effects contradict the number of features that have one."""
    if isinstance(effect, float) and informative is None:
        raise InvalidInputError(
            "--effects is one number: give the number of features that have it by --informative; "
            "the others have none."
        )
    if informative is not None and informative > features:
        raise InvalidInputError(
            f"--informative must be at most --features ({features:,}); got {informative:,}."
        )
    if not isinstance(effect, list):
        return
    if informative is not None and informative != len(effect):
        raise InvalidInputError(
            f"--informative is {informative:,} but {len(effect):,} effects are given; omit it, or "
            f"give {informative:,}."
        )
    if len(effect) > features:
        raise InvalidInputError(
            f"{len(effect):,} effects are given but --features is {features:,}; give at most one "
            "per feature."
        )


def _parse_effect(text: str) -> Effect:
    """Return one effect, a list of effects, or their distribution."""
    if text.lstrip()[:1].isalpha():
        name, law = parse_object_spec(text)
        if name != "triangular":
            raise InvalidInputError(
                f"effects are numbers, or triangular:gamma=2,largest=0.15; got {text!r}."
            )
        return _parse_triangular(text, law)
    try:
        effects = [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInputError(
            f"effects are comma-separated numbers, or triangular:gamma=2,largest=0.15; got "
            f"{text!r}."
        ) from None
    return effects[0] if len(effects) == 1 else effects


def _parse_triangular(text: str, law: Mapping[str, Any]) -> TriangularEffects:
    if set(law) <= set(LAW_PARAMETERS) and ("largest" in law) == ("bayes_error" in law):
        raise InvalidInputError(
            "triangular effects need either largest (the largest effect) or bayes_error (the error "
            f"of the best classifier), as in triangular:gamma=2,largest=0.15; got {text!r}."
        )
    effects: TriangularEffects = make_object(text, TriangularEffects, law)
    return effects


def _build_theory_row(
    size: int, setting: dict[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    row: dict[str, Any] = {"size": size}
    measure, samples = options["measure"], options["samples"] or 4
    classes = ((samples + 1) // 2, samples // 2)
    # computed even if not printed: `required_samples` can then fail for one reason only
    value = expected_stability(measure, n_per_class=classes, n_selected=size, **setting)
    if options["samples"]:
        # the percentage of overlapping genes is the share of the features that two samples share
        shared = expected_stability("pog", n_per_class=classes, n_selected=size, **setting)
        row |= {"n_samples": samples, "value": value, "again": size * shared}
    try:
        required = required_samples(options["stability"], measure, n_selected=size, **setting)
    except InvalidInputError as error:
        return {**row, "needed": math.inf, "note": _name_options(str(error))}
    return {**row, "needed": required.n_samples, "note": ""}


def _print_theory(rows: list[dict[str, Any]], options: Mapping[str, Any]) -> None:
    columns = {Column("size", right=True): [str(row["size"]) for row in rows]}
    if options["samples"]:
        columns[Column(f"at {options['samples']:,}", right=True)] = [
            f"{row['value']:.2f}" for row in rows
        ]
        columns[Column("found again", right=True)] = [
            f"{row['again']:.1f} of {row['size']}" for row in rows
        ]
    columns[Column(f"samples for {options['stability']:g}", right=True)] = [
        "not reached" if math.isinf(row["needed"]) else f"{row['needed']:,}" for row in rows
    ]
    print_table(list(columns), list(zip(*columns.values(), strict=True)))
    print_line()
    explanation = (
        f"Expected {options['measure']} between the selections of two independent studies by the "
        "t-score: independent Gaussian features, two classes of one size. Effects are half the "
        "difference of the class means, in standard deviations within a class. Real data have "
        "correlated features and unknown effects: plan with pilot data where you have any."
    )
    print_line(paragraph(explanation, sys.stdout))
    for row in rows:
        if row["note"]:
            print_line(paragraph(f"Not reached with {row['size']:,}: {row['note']}", sys.stdout))


# The table of a plan, and what its numbers mean.

RELIABLE_FACTOR = 4
"""Beyond this multiple of the data, predictions are orders of magnitude; chosen by hand."""
AT_CHANCE = "at chance"
"""Replaces the number of samples if selections agree no better than chance."""


def print_plan(
    rows: Sequence[dict[str, Any]], measure: str, target: float, *, subjects: bool
) -> None:
    """Print one row per selector and size, and explanations."""
    planned = [row for row in rows if "error" not in row]
    if not planned:
        return
    noun = "subjects" if subjects else "samples"
    half = planned[0]["half_n_samples"]
    now = next((row["n_samples"] for row in planned if "n_samples" in row), None)
    columns = {
        Column("selector"): [row["selector"] for row in planned],
        Column("size", right=True): [
            "all" if row["size"] is None else str(row["size"]) for row in planned
        ],
        Column(f"at {half:,}", right=True): [_format_interval(row, "half_") for row in planned],
    }
    if now is not None:
        columns[Column(f"at {now:,}", right=True)] = [_format_interval(row, "") for row in planned]
        if _has_again(planned):
            columns[Column("found again", right=True)] = [_format_again(row) for row in planned]
        columns[Column(f"{noun} for {target:g}", right=True)] = [
            needed_text(row) for row in planned
        ]
    print_table(list(columns), list(zip(*columns.values(), strict=True)))
    print_line()
    for sentence in _explain_columns(planned, measure, half, now, noun):
        print_line(paragraph(sentence, sys.stdout))


def _format_interval(row: dict[str, Any], prefix: str) -> str:
    if math.isnan(row.get(f"{prefix}value", math.nan)):
        return "-"
    value, low, high = (row[f"{prefix}{key}"] for key in ("value", "low", "high"))
    return f"{value:.2f} [{low:.2f}, {high:.2f}]".replace("-0.00", "0.00")


def _has_again(rows: Sequence[dict[str, Any]]) -> bool:
    """Return whether the measure implies how many features are found again."""
    return any(not math.isnan(row.get("again", math.nan)) for row in rows)


def _format_again(row: dict[str, Any]) -> str:
    if math.isnan(row.get("again", math.nan)):
        return "-"
    return f"{row['again']:.0f} of {row['size']} [{row['again_low']:.0f}, {row['again_high']:.0f}]"


def needed_text(row: dict[str, Any]) -> str:
    """Return how many samples are needed, with an interval."""
    if "needed" not in row:
        return "-"
    needed, low, high = (row[key] for key in ("needed", "needed_low", "needed_high"))
    if math.isinf(needed):
        return AT_CHANCE
    if math.isnan(needed):
        return f"at least {low:,.0f}"
    most = "unknown" if math.isnan(high) else _format_compared(high, row["fewest_compared"])
    ends = [_format_compared(count, row["fewest_compared"]) for count in (needed, low)]
    return f"{ends[0]} [{ends[1]}, {most}]"


def _format_compared(count: float, fewest: int) -> str:
    """Return a number of samples; below the smallest parts that were compared, only that it is."""
    return f"<{fewest:,}" if count < fewest else f"{count:,.0f}"


def _explain_columns(
    rows: Sequence[dict[str, Any]], measure: str, half: int, now: int | None, noun: str
) -> list[str]:
    record = get_measure(measure)
    first = (
        f"Stability is {record.name} ({record.title}) between two independent studies. At "
        f"{half:,} {noun} each it is estimated from disjoint halves of the data, with the 95% "
        "interval for other data."
    )
    if now is None:
        reasons = dict.fromkeys(row["note"] for row in rows if row["note"])  # each once
        return [first, *(f"Nothing is predicted for larger studies: {why}." for why in reasons)]
    again = "; found again: how many of the selected features a second study of this size selects"
    sentences = [first, f"At {now:,} it is predicted{again if _has_again(rows) else ''}."]
    needed = [row["needed"] for row in rows if "needed" in row]
    if any(map(math.isinf, needed)):
        sentences.append(
            "At chance: selections agree no better than random ones, so no number of "
            f"{noun} can be named."
        )
    if any(map(math.isnan, needed)):
        sentences.append(f"At least: how many more {noun} it takes is not known.")
    fewest = [row["fewest_compared"] for row in rows if "needed" in row]
    lows = [row["needed_low"] for row in rows if "needed" in row]
    if any(low < count for low, count in zip(lows, fewest, strict=True)):
        sentences.append(
            f"No parts of fewer than {min(fewest):,} {noun} were compared: smaller numbers are not "
            "named."
        )
    if any(RELIABLE_FACTOR * now < count < math.inf for count in needed):
        sentences.append(f"Take numbers above {RELIABLE_FACTOR * now:,} as orders of magnitude.")
    return sentences


def print_feature_plan(rows: list[dict[str, Any]], chance: float, *, subjects: bool) -> None:
    """Print how many samples a study needs to select single features with a given chance."""
    noun = "subjects" if subjects else "samples"
    cells = [
        [
            row["selector"],
            str(row["size"]),
            str(feature["feature"]),
            f"{feature['found_again']:.2f}",
            "not reached" if math.isinf(feature["needed"]) else f"{feature['needed']:,.0f}",
        ]
        for row in rows
        for feature in row.get("features", [])
    ]
    print_line()
    if cells:
        titles = ["selector", "size", "feature", "chance now", f"{noun} for {chance:g}"]
        columns = [Column(title, right=title not in titles[:3:2]) for title in titles]
        print_table(columns, cells)
        print_line(
            f"A study of this many {noun} selects the feature with a chance of {chance:g}, if its "
            "effect is as in these data; take it as a rough guide."
        )
    reasons = dict.fromkeys(row["why_no_features"] for row in rows if "why_no_features" in row)
    for reason in reasons:
        print_line(f"No chances of single features: {reason}.")
