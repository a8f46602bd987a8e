"""``python -m benchmarks``: run all benchmarks, print the table, write RESULTS.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks._compilation import compile_times
from benchmarks._knots import knot_lines
from benchmarks._record import load
from benchmarks._report import cells, header, markdown, text_table
from benchmarks._run import Outcome, outcome_of

RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> int:
    """Run, print, write; 1 if a benchmark crashed, 0 even where goals are missed."""
    only = _arguments().only
    rows = [row for name, row in load().items() if only.lower() in name.lower()]
    if not rows:
        print(f"no task contains {only!r}; there are: {', '.join(load())}", file=sys.stderr)
        return 2
    outcomes = []
    for number, row in enumerate(rows, 1):
        print(f"[{number}/{len(rows)}] {row.task}", file=sys.stderr, flush=True)
        outcomes.append(outcome_of(row))
    _publish(outcomes, write=not only)
    return int(any(outcome.failure for outcome in outcomes))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument(
        "--only",
        metavar="SUBSTRING",
        default="",
        help="run the tasks that contain this; RESULTS.md then stays as it is",
    )
    return parser.parse_args()


def _publish(outcomes: list[Outcome], *, write: bool) -> None:
    top, rows = header(outcomes), [cells(outcome) for outcome in outcomes]
    if write:
        top.append(compile_times())
        top += knot_lines()
    print("\n".join(top), text_table(rows), sep="\n\n")
    if write:
        RESULTS.write_text(markdown(top, rows), encoding="utf-8")
        print(f"wrote {RESULTS.parent.name}/{RESULTS.name}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
