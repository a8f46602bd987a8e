"""``holdfast measure``: the stability of selections from any program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._early_checks import check_list, check_names
from holdfast.cli._options import examples, form_option, json_option, split_names

if TYPE_CHECKING:
    from holdfast.preferences import Rankings, Subsets, Weights


@click.command(
    "measure",
    epilog=examples(
        "holdfast measure markers.txt --n-features 2000",
        "holdfast measure scores.csv --form weights --json",
    ),
)
@click.argument("file", type=click.Path(allow_dash=True))
@form_option(
    ("subset", "weights", "rankings"),
    default="subset",
    show_default=True,
    help="Contents of the file.",
)
@click.option(
    "--measures",
    metavar="NAMES",
    callback=split_names,
    help="Comma-separated names; default: all that apply.",
)
@click.option(
    "--n-features",
    type=click.IntRange(min=1),
    help="Number of features to select from, if the file does not contain it.",
)
@click.option(
    "--similarity",
    type=click.Path(),
    help="Similarities of all features: .npy, .npz, or CSV with a header of names.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    help="Least similarity of features that count as similar.",
)
@click.option(
    "--corrected/--raw",
    default=None,
    help="Correct all measures for chance, or none; default: as each is defined.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the intervals.",
)
@click.option(
    "--seed",
    "random_state",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed of simulations.",
)
@json_option
def measure(
    file: str,
    form: str,
    measures: list[str] | None,
    *,
    as_json: bool,
    confidence: float,
    **options: Any,
) -> None:
    """Measure how stable the selections, scores or ranks in FILE are.

    FILE has one result of feature selection per resample of the data: JSON (a list of lists
    of indices or names, or an object with "n_features" and "subsets"), a CSV or TSV table of 0
    and 1 with a header of feature names, or plain text with one selection per line. With --form
    weights or rankings it is a CSV or TSV table of scores, or of ranks with 1 as the best.
    With - it is read from standard input. All measures that apply are printed, with confidence
    intervals and with the value that chance alone would give.
    """
    check_names({"measures": measures})  # before a large file is read
    check_list(file)
    # slow to import
    from holdfast.cli._measure_run import (
        MeasureRequest,
        get_applicable_measures,
        get_requested_measures,
        print_measurement,
    )
    from holdfast.measures import measure as compute

    preferences, similarity = _read_preferences(
        file, form, options.pop("n_features"), options.pop("similarity")
    )
    request = MeasureRequest(preferences, similarity, options["corrected"])
    records = (
        get_requested_measures(measures, request) if measures else get_applicable_measures(request)
    )
    names = [record.name for record in records]
    # an option that none of the measures takes would be refused
    supported = {option for record in records for option in record.options}
    options = {
        key: value
        for key, value in {**options, "similarity": similarity}.items()
        if key in supported and value is not None
    }
    table = compute(names, preferences, confidence=confidence, **options)
    print_measurement(preferences, table, confidence, as_json=as_json)


def _read_preferences(
    file: str, form: str, n_features: int | None, similarity: str | None
) -> tuple[Subsets | Weights | Rankings, Any]:
    from holdfast.io import read_preferences, read_with_similarity

    if similarity is None:
        return read_preferences(file, form=form, n_features=n_features), None  # type: ignore[arg-type]
    if form != "subset":
        raise click.UsageError(
            "--similarity applies to selections, not to --form weights or rankings.",
            click.get_current_context(),
        )
    return read_with_similarity(file, similarity, n_features=n_features)
