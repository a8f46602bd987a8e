"""``holdfast measure``: the stability of selections that any program made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._options import examples, form_option, json_option, split_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.measures import Measure
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
    help="What the file holds.",
)
@click.option(
    "--measures",
    metavar="NAMES",
    callback=split_names,
    help="Names between commas; else all that apply.",
)
@click.option(
    "--n-features",
    type=click.IntRange(min=1),
    help="How many features could have been selected, where the file does not tell.",
)
@click.option(
    "--similarity",
    type=click.Path(),
    help="Similarities between all features: .npy, .npz, or CSV with a header of names.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    help="Similarity from which two features count as alike.",
)
@click.option(
    "--corrected/--raw",
    default=None,
    help="Correct all measures for chance, or none; else each as it is defined.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Level of the intervals.",
)
@click.option(
    "--seed",
    "random_state",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of whatever is simulated.",
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

    FILE holds one result of feature selection per resample of the data: JSON (a list of lists
    of indices or names, or an object with "n_features" and "subsets"), a CSV or TSV table of 0
    and 1 under a header of feature names, or plain text with one selection a line. With --form
    weights or rankings it is a CSV or TSV table of scores, or of ranks with 1 as the best.
    A single - reads standard input. All measures that apply are printed, with their
    confidence intervals and with the value that chance alone would give.
    """
    # imported here, as they are slow to import
    from holdfast.cli._measure_run import MeasureRequest as Given  # noqa: PLC0415
    from holdfast.cli._measure_run import all_measures, asked_measures, print_measured  # noqa: PLC0415
    from holdfast.measures import get_measure  # noqa: PLC0415
    from holdfast.measures import measure as compute  # noqa: PLC0415

    for name in measures or ():
        get_measure(name)  # an unknown name is told before a large file is read
    preferences, similarity = _read(
        file, form, options.pop("n_features"), options.pop("similarity")
    )
    given = Given(preferences, similarity, options["corrected"])
    chosen = asked_measures(measures, given) if measures else all_measures(given)
    table = compute(
        [record.name for record in chosen],
        preferences,
        confidence=confidence,
        **_keep_supported_options({**options, "similarity": similarity}, chosen),
    )
    print_measured(preferences, table, confidence, as_json=as_json)


def _keep_supported_options(options: dict[str, Any], measures: Sequence[Measure]) -> dict[str, Any]:
    """Return the options that were given and that at least one of the measures takes."""
    known = {option for measure in measures for option in measure.options}
    return {key: value for key, value in options.items() if key in known and value is not None}


def _read(
    file: str, form: str, n_features: int | None, similarity: str | None
) -> tuple[Subsets | Weights | Rankings, Any]:
    from holdfast.io import read_preferences, read_with_similarity  # noqa: PLC0415

    if similarity is None:
        return read_preferences(file, form=form, n_features=n_features), None  # type: ignore[arg-type]
    if form != "subset":
        raise click.UsageError(
            "--similarity goes with selections, not with --form weights or rankings.",
            click.get_current_context(),
        )
    return read_with_similarity(file, similarity, n_features=n_features)
