"""A plan without data: what theory says of the t-score."""

from __future__ import annotations

import math
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from holdfast._spelling import made_of, parse_spelling
from holdfast.cli._paragraph import paragraph
from holdfast.cli._plan_sizes import counts_of
from holdfast.cli._print import Column, print_json, print_table
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.theory import TriangularEffects, expected_stability, required_samples

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.theory._effects import Effect

OPTIONS = {
    "n_informative=?": "--informative",
    "n_features": "--features",
    "n_selected": "--sizes",
    "n_per_class": "--samples",
}
"""What the command line calls the parameters of the library."""
OF_LAW = ("gamma", "largest", "bayes_error")


def run_theory(options: Mapping[str, Any]) -> int:
    """Compute and print; whatever cannot be used is wrong usage, as there are no data."""
    try:
        sizes = counts_of(options["sizes"], options["features"])
        rows = [_row(size, _setting(options), options) for size in sizes]
    except (InvalidInputError, UnknownNameError) as error:
        raise click.UsageError(_in_options(str(error)), click.get_current_context()) from error
    if options["as_json"]:
        print_json({"n_features": options["features"], "measure": options["measure"],
                    "target": options["stability"], "plan": rows})  # fmt: skip
        return 0
    _print(rows, options)
    return 0


def _in_options(message: str) -> str:
    """Name what people gave by its option, not as the library has it."""
    for name, said in OPTIONS.items():
        message = re.sub(rf"\b{name}\b", said, message)
    return message


def _setting(options: Mapping[str, Any]) -> dict[str, Any]:
    effect, informative = _effect(options["effects"]), options["informative"]
    _check_counts(effect, informative, options["features"])
    return {"effect": effect, "n_informative": informative, "n_features": options["features"]}


def _check_counts(effect: Effect, informative: int | None, features: int) -> None:
    """Refuse effects that do not go with the number of features that have one."""
    if isinstance(effect, float) and informative is None:
        raise InvalidInputError(
            "--effects is one number: say by --informative how many features have it; the others "
            "have none."
        )
    if informative is not None and informative > features:
        raise InvalidInputError(
            f"--informative must be at most --features ({features:,}); received {informative:,}."
        )
    if not isinstance(effect, list):
        return
    if informative is not None and informative != len(effect):
        raise InvalidInputError(
            f"--informative says {informative:,} but {len(effect):,} effects are given; leave it "
            f"out, or give {informative:,}."
        )
    if len(effect) > features:
        raise InvalidInputError(
            f"{len(effect):,} effects are given but --features says {features:,}; give at most "
            "one a feature."
        )


def _effect(text: str) -> Effect:
    """Return one effect, several, or a law of effects."""
    if text.lstrip()[:1].isalpha():
        name, law = parse_spelling(text)
        if name != "triangular":
            raise InvalidInputError(
                f"effects are numbers, or triangular:gamma=2,largest=0.15; received {text!r}."
            )
        return _triangular(text, law)
    try:
        effects = [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInputError(
            f"effects are numbers between commas, or triangular:gamma=2,largest=0.15; received "
            f"{text!r}."
        ) from None
    return effects[0] if len(effects) == 1 else effects


def _triangular(text: str, law: Mapping[str, Any]) -> TriangularEffects:
    if set(law) <= set(OF_LAW) and ("largest" in law) == ("bayes_error" in law):
        raise InvalidInputError(
            "triangular effects need either largest (the largest effect) or bayes_error (the error "
            f"of the best classifier), as in triangular:gamma=2,largest=0.15; received {text!r}."
        )
    made: TriangularEffects = made_of(text, TriangularEffects, law)
    return made


def _row(size: int, setting: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"size": size}
    measure, samples = options["measure"], options["samples"] or 4
    classes = ((samples + 1) // 2, samples // 2)
    # also where nothing is asked of it: what follows can then fail for one reason only
    value = expected_stability(measure, n_per_class=classes, n_selected=size, **setting)
    if options["samples"]:
        row |= {"n_samples": samples, "value": value, "again": _again(size, classes, setting)}
    try:
        found = required_samples(options["stability"], measure, n_selected=size, **setting)
    except InvalidInputError as error:
        return {**row, "needed": math.inf, "note": _in_options(str(error))}
    return {**row, "needed": found.n_samples, "note": ""}


def _again(size: int, classes: tuple[int, int], setting: dict[str, Any]) -> float:
    """Return how many features two samples are expected to share."""
    share: float = expected_stability("pog", n_per_class=classes, n_selected=size, **setting)
    return size * share


def _print(rows: list[dict[str, Any]], options: Mapping[str, Any]) -> None:
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
    click.echo()
    click.echo(paragraph(_sentence(options), sys.stdout))
    for row in rows:
        if row["note"]:
            click.echo(paragraph(f"Not reached with {row['size']:,}: {row['note']}", sys.stdout))


def _sentence(options: Mapping[str, Any]) -> str:
    return (
        f"Expected {options['measure']} between the selections of two independent studies by the "
        "t-score: independent Gaussian features, two classes of one size. Effects are half the "
        "difference of the class means, in standard deviations within a class. Real data have "
        "correlated features and unknown effects: plan with pilot data where you have any."
    )
