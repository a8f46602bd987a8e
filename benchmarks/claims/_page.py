"""Write docs/how_we_know.md from the results of the claims."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = DOCS / "_calibration" / "claims"
PAGE = DOCS / "how_we_know.md"
OWN_PAGES = {"false_discoveries"}
"""Claims with a page of their results alone."""
HEAD = (
    "Every interval, p-value and plan is tested by simulation: data sets are drawn from "
    "populations that are known, or large enough, and the results of holdfast are compared with "
    "the truth. `make calibrate` makes the tables; missed goals are listed. "
    "[Found again](found_again.md) does the same for the chances of single features, "
    "[false discoveries](false_discoveries.md) for selectors with error control, "
    "[the decision](decision.md) for recommendations."
)


def page() -> str:
    """Return the page that the results make."""
    documents = [
        (path.stem, json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(RESULTS.glob("*.json"))
        if path.stem not in OWN_PAGES
    ]
    head = f"# How we know\n\n{wrap(HEAD)}\n"
    return "\n".join([head, *(_section(name, document) for name, document in documents)])


def write_page() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def _section(name: str, document: dict[str, Any]) -> str:
    missed = document["missed"]
    verdict = f"Missed: {' '.join(missed)}" if missed else "All goals are met."
    table = format_table(document["rows"])
    return (
        f"## {document['title']}\n\n{wrap(document['about'])}\n\n{table}\n\n{wrap(verdict)}\n\n"
        f"*`python -m benchmarks.claims {name}`, {document['data_sets']:,} data sets per setting, "
        f"{document['date']}.*\n"
    )


def wrap(paragraph: str) -> str:
    """Break a paragraph into lines as the guide has them."""
    return textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)


def format_table(rows: list[dict[str, Any]]) -> str:
    """Return a table in Markdown; columns with any text are aligned to the left."""
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
