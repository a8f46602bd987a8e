"""``holdfast list``: measures, selectors, protocols and papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.cli._options import data_option, examples, form_option, json_option
from holdfast.cli._output import Column, print_json, print_table
from holdfast.cli._program import Program

if TYPE_CHECKING:
    from holdfast._registry import Row


@click.group(
    "list",
    cls=Program,
    epilog=examples("holdfast list measures", "holdfast list selectors"),
    commands_at={
        "measures": "holdfast.cli._list:measures",
        "selectors": "holdfast.cli._list:selectors",
        "protocols": "holdfast.cli._list:protocols",
        "papers": "holdfast.cli._list:papers",
    },
)
def list_() -> None:
    """List measures, selectors, protocols or papers.

    Each list is a table; with --json, it is JSON.
    """


# ``holdfast list measures``.

_MEASURE_COLUMNS = (
    Column("measure"),
    Column("form"),
    Column("range"),
    Column("corrected"),
    Column("focus"),
    Column("registers"),
    Column("size-biased"),
    Column("title", free=True),
    Column("needs", free=True, named=True),
    Column("reference", free=True),
)
_FORMS = ("weights", "rankings", "subset", "groups")


@click.command("measures", epilog=examples("holdfast list measures --form subset"))
@form_option(_FORMS, help="Only measures of this form of preferences.")
@json_option
def measures(form: str | None, *, as_json: bool) -> None:
    """List all stability measures.

    For each measure: its name, the form of preferences it takes, its range (distances are best
    at their lowest value, all others at their highest), whether it is corrected for chance
    (random selections average to 0), its title, what else it needs and where it was published.

    For measures of subsets also: whether it looks at the frequencies of features or at pairs of
    subsets (focus), whether features that no subset selects count as agreement (registers), and
    whether its value for random subsets changes with their size (size-biased).
    """
    from holdfast.measures import measure_rows

    rows = [
        {**row, "needs": row["needs"].split(", ") if row["needs"] else []}
        for row in measure_rows("ranking" if form == "rankings" else form)
    ]
    if as_json:
        print_json(rows)
    else:
        print_table(_MEASURE_COLUMNS, [_format_measure_row(row) for row in rows])


def _format_measure_row(record: Row) -> list[str]:
    span = f"{record['minimum']:g} to {record['maximum']:g}"
    return [
        record["name"],
        record["form"],
        f"{span} (distance)" if record["distance"] else span,
        "yes" if record["corrected"] else "no",
        record["focus"],
        record["registers"],
        {True: "yes", False: "no", None: ""}[record["size_biased"]],
        record["title"],
        ", ".join(record["needs"]),
        record["reference"],
    ]


# ``holdfast list papers``.

_PAPER_COLUMNS = (
    Column("paper"),
    Column("experiment"),
    Column("claims", right=True),
    Column("title", free=True),
    Column("data available", free=True, named=True),
    Column("missing", free=True, named=True),
)


@click.command(
    "papers", epilog=examples("holdfast list papers", "holdfast list papers --data folder --json")
)
@data_option
@json_option
def papers(*, data: str | None, as_json: bool) -> None:
    """List the papers' tables and figures.

    For each one: its paper, its name, how many of the paper's findings are checked, what it shows,
    and which of its data sets are available. 'holdfast reproduce' runs it again.

    Data sets of scikit-learn are always available. Others are files in a folder, named after the
    data set: colon.parquet, colon.csv, colon.arff.
    """
    from holdfast.papers import paper_rows

    records = paper_rows(data)
    if as_json:
        print_json(records)
        return
    rows = [
        [
            row["paper"],
            row["experiment"],
            str(row["claims"]),
            row["title"],
            ", ".join(row["at_hand"]) or ("simulated" if not row["missing"] else "none"),
            ", ".join(row["missing"]),
        ]
        for row in records
    ]
    print_table(_PAPER_COLUMNS, rows)


# ``holdfast list protocols``.

_PROTOCOL_COLUMNS = (
    Column("protocol"),
    Column("tested"),
    Column("title", free=True),
    Column("estimates", free=True, named=True),
    Column("overlap", free=True, named=True),
    Column("reference", free=True),
)


@click.command("protocols", epilog=examples("holdfast list protocols --json"))
@json_option
def protocols(*, as_json: bool) -> None:
    """List all resampling protocols.

    For each protocol: its name, how often a sample is tested (once, repeatedly or never), its
    title, what the stability over its resamples estimates, how much of a training part another one
    is expected to share (overlap), and where it was used.
    """
    from holdfast.resample import PROTOCOLS

    records = PROTOCOLS.rows()
    if as_json:
        print_json(records)
    else:
        keys = ("name", *(column.title for column in _PROTOCOL_COLUMNS[1:]))
        print_table(_PROTOCOL_COLUMNS, [[record[key] for key in keys] for record in records])


# ``holdfast list selectors``.

_SELECTOR_COLUMNS = (
    Column("selector"),
    Column("gives"),
    Column("missing"),
    Column("sparse"),
    Column("title", free=True),
    Column("also", free=True, named=True),
    Column("reference", free=True),
)


@click.command("selectors", epilog=examples("holdfast list selectors --json"))
@json_option
def selectors(*, as_json: bool) -> None:
    """List all selectors.

    For each selector: its name, what it returns (weights, a ranking only, groups of features, or
    a subset whose size it chooses), whether it accepts missing values and sparse matrices, its
    title, other names for it (also) and where it was published.
    """
    from holdfast.select import SELECTORS

    records = SELECTORS.rows()
    if as_json:
        lists = [{"aliases": [*filter(None, record["aliases"].split(", "))]} for record in records]
        print_json([record | aliases for record, aliases in zip(records, lists, strict=True)])
    else:
        print_table(_SELECTOR_COLUMNS, [_format_selector_row(record) for record in records])


def _format_selector_row(record: Row) -> list[str]:
    return [
        record["name"],
        record["gives"],
        "yes" if record["missing"] else "no",
        "yes" if record["sparse"] else "no",
        record["title"],
        record["aliases"],
        record["reference"],
    ]
