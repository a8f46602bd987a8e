"""Write docs/how_we_know.md from the results of the claims."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = DOCS / "_calibration" / "claims"
PAGE = DOCS / "how_we_know.md"
HEAD = (
    "Every interval, p-value and plan is tested by simulation: data sets are drawn from "
    "populations that are known, or large enough, and the results of holdfast are compared with "
    "the truth. `make calibrate` makes the tables; missed goals are listed. "
    "[Found again](found_again.md) does the same for the chances of single features, "
    "[the decision](decision.md) for recommendations."
)


def page() -> str:
    """Return the page that the results make."""
    documents = [
        (path.stem, json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(RESULTS.glob("*.json"))
    ]
    head = f"# How we know\n\n{_wrap(HEAD)}\n"
    return "\n".join([head, *(_section(name, document) for name, document in documents)])


def write_page() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def _section(name: str, document: dict[str, Any]) -> str:
    missed = document["missed"]
    verdict = f"Missed: {' '.join(missed)}" if missed else "All goals are met."
    return (
        f"## {document['title']}\n\n{_wrap(document['about'])}\n\n{_table(document['rows'])}\n\n"
        f"{_wrap(verdict)}\n\n"
        f"*`python -m benchmarks.claims {name}`, {document['data_sets']:,} data sets per setting, "
        f"{document['date']}.*\n"
    )


def _wrap(paragraph: str) -> str:
    return textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)


def _table(rows: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    texts = [any(isinstance(row.get(key), str) for row in rows) for key in columns]
    lines = [columns, ["---" if text else "--:" for text in texts]]
    lines += [[_cell(row.get(key)) for key in columns] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) >= 100 else f"{value:.3f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else str(value)
