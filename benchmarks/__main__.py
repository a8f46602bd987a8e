"""``python -m benchmarks``: run all benchmarks, print the table, write RESULTS.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks._compilation import compile_times
from benchmarks._knots import knot_lines
from benchmarks._record import load
from benchmarks._report import cells, header, markdown, replace_rows, text_table
from benchmarks._run import Outcome, outcome_of

RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> int:
    """Run, print, write; 1 if a benchmark crashed, 0 even where goals are missed."""
    arguments = _arguments()
    only = arguments.only
    rows = [row for name, row in load().items() if only.lower() in name.lower()]
    if not rows:
        print(f"no task contains {only!r}; there are: {', '.join(load())}", file=sys.stderr)
        return 2
    outcomes = []
    for number, row in enumerate(rows, 1):
        print(f"[{number}/{len(rows)}] {row.task}", file=sys.stderr, flush=True)
        outcomes.append(outcome_of(row))
    _publish(outcomes, whole=not only)
    if only and arguments.write:
        _write(replace_rows(RESULTS.read_text(encoding="utf-8"), outcomes))
    return int(any(outcome.failure for outcome in outcomes))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument(
        "--only",
        metavar="SUBSTRING",
        default="",
        help="run the tasks that contain this; RESULTS.md then stays as it is",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="with --only: replace these rows in RESULTS.md, measured on the same machine",
    )
    return parser.parse_args()


def _publish(outcomes: list[Outcome], *, whole: bool) -> None:
    top, rows = header(outcomes), [cells(outcome) for outcome in outcomes]
    if whole:
        top.append(compile_times())
        top += knot_lines()
    print("\n".join(top), text_table(rows), sep="\n\n")
    if whole:
        _write(markdown(top, rows))


def _write(page: str) -> None:
    RESULTS.write_text(page, encoding="utf-8")
    print(f"wrote {RESULTS.parent.name}/{RESULTS.name}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
