"""Test the claims and write the tables of the guide.

``python -m benchmarks.claims [NAME ...] [--data-sets N] [--write]``: runs all claims, or those
named, one process per core, prints their tables and what they miss; ``--write`` keeps the tables in
docs/_calibration, each row as soon as it is known, and makes the page docs/how_we_know.md and the
tables of docs/false_discoveries.md.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import benchmarks.claims
from benchmarks.claims._false_discovery_tables import write_tables
from benchmarks.claims._page import RESULTS, write_page

if TYPE_CHECKING:
    from benchmarks.claims._claim import Claim, Rows


def claims() -> dict[str, Claim]:
    """Return all claims by name: the ``CLAIM`` of each module of this folder."""
    names = [one.name for one in pkgutil.iter_modules(benchmarks.claims.__path__)]
    modules = [
        importlib.import_module(f"benchmarks.claims.{name}")
        for name in names
        if not name.startswith("_")
    ]
    return {module.CLAIM.name: module.CLAIM for module in modules}


def run_claim(name: str, data_sets: int | None, *, write: bool = False) -> dict[str, object]:
    """Run a claim and return its document, which is written after each row if requested."""
    warnings.simplefilter("ignore")
    claim, started = claims()[name], time.perf_counter()
    count = data_sets or claim.data_sets
    rows: Rows = []
    document: dict[str, object] = {}
    for row in claim.run(count):
        rows.append(row)
        document = {
            "date": time.strftime("%Y-%m-%d"),
            "title": claim.title,
            "about": claim.about,
            "data_sets": count,
            "seconds": round(time.perf_counter() - started),
            "rows": [{key: _plain(value) for key, value in each.items()} for each in rows],
            "missed": claim.missed(rows, 0.0),
        }
        if write:
            _write(name, document)
    return document


def _write(name: str, document: dict[str, object]) -> None:
    path = Path(RESULTS) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _plain(value: object) -> object:
    """Return a value that JSON has; NaN as None."""
    if isinstance(value, float | np.floating):
        return round(float(value), 4) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def _recorded_seconds(name: str) -> float:
    """Return how long a claim took the last time, so that the longest starts first."""
    path = Path(RESULTS) / f"{name}.json"
    if not path.exists():
        return np.inf
    return float(json.loads(path.read_text(encoding="utf-8")).get("seconds", np.inf))


def _print(name: str, document: dict[str, object]) -> None:
    """Print the table of a claim, and what it misses."""
    print(f"{name}: {document['title']} ({document['seconds']} s)")
    print(pd.DataFrame(document["rows"]).to_string(index=False))
    for sentence in document["missed"]:
        print(f"  missed: {sentence}")
    sys.stdout.flush()


def main() -> int:
    """Run, print, and write."""
    known = claims()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--data-sets", type=int)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    unknown = set(options.names) - known.keys()
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    names = sorted(options.names or known, key=_recorded_seconds, reverse=True)
    with ProcessPoolExecutor(min(len(names), os.cpu_count() or 1)) as pool:
        running = {
            pool.submit(run_claim, name, options.data_sets, write=options.write): name
            for name in names
        }
        for done in as_completed(running):
            name, document = running[done], done.result()
            _print(name, document)
    if options.write:
        write_page()
        write_tables()
    return 0


if __name__ == "__main__":
    sys.exit(main())
