"""Write the tables of docs/false_discoveries.md from the results of the claim of this name."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.claims._page import DOCS, RESULTS, format_table, wrap
from benchmarks.claims.false_discoveries import LEVELS, MONTE_CARLO_ERRORS, exceeds

NAME = "false_discoveries"
PAGE = DOCS / f"{NAME}.md"
START, END = "<!-- tables -->\n", "<!-- end of the tables -->\n"
"""Lines of the page between which the tables stand."""
Rows = list[dict[str, Any]]


def tables() -> str:
    """Return what the results make: data sets, tables at each level, and the levels exceeded."""
    document = json.loads((RESULTS / f"{NAME}.json").read_text(encoding="utf-8"))
    rows: Rows = document["rows"]
    parts = [wrap(_describe_data_sets(rows))]
    for fdr in LEVELS:
        about = (
            f"Mean false discovery proportion at a level of {fdr:g}; bold where it exceeds the "
            f"level by more than {MONTE_CARLO_ERRORS:g} standard errors of the simulation:"
        )
        parts += [wrap(about), _pivot(rows, "FDP", fdr)]
    for fdr in LEVELS:
        parts += [f"Power at a level of {fdr:g}:", _pivot(rows, "power", fdr)]
    parts.append(_list_exceeded(rows))
    parts.append(f"*`python -m benchmarks.claims {NAME} --write`, {document['date']}.*")
    return "\n\n".join(parts) + "\n"


def page_with_tables() -> str:
    """Return the page with the tables that the results make, and its other text as it is."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    return f"{before}{START}\n{tables()}\n{END}{rest.split(END)[1]}"


def write_tables() -> None:
    """Write the tables into the page."""
    PAGE.write_text(page_with_tables(), encoding="utf-8")


def _describe_data_sets(rows: Rows) -> str:
    """Say how many data sets there are, and which settings and methods have fewer."""
    counts = {row["setting"]: 0 for row in rows}
    for row in rows:
        counts[row["setting"]] = max(counts[row["setting"]], row["data sets"])
    most = max(counts.values())
    fewer = [f"{name}: {count}" for name, count in counts.items() if count < most]
    behind = {
        row["method"]: row["data sets"] for row in rows if row["data sets"] < counts[row["setting"]]
    }
    fewer += [f"{method}: {count} in every setting" for method, count in behind.items()]
    text = f"All numbers are means over {most} data sets"
    text += f", some over fewer ({'; '.join(fewer)})." if fewer else "."
    error = max(row[f"SE at {fdr:g}"] for row in rows for fdr in LEVELS)
    return f"{text} The standard errors of the proportions are at most {error:.2f}."


def _pivot(rows: Rows, quantity: str, fdr: float) -> str:
    """Return a table with one row per setting and one column per method."""
    by_place = {(row["setting"], row["method"]): row for row in rows}
    settings = dict.fromkeys(row["setting"] for row in rows)
    methods = dict.fromkeys(row["method"] for row in rows)
    return format_table(
        [
            {
                "setting": setting,
                **{
                    method: _format_mean(by_place.get((setting, method)), quantity, fdr)
                    for method in methods
                },
            }
            for setting in settings
        ]
    )


def _format_mean(row: dict[str, Any] | None, quantity: str, fdr: float) -> str | None:
    if row is None or row[f"{quantity} at {fdr:g}"] is None:
        return None
    text = f"{row[f'{quantity} at {fdr:g}']:.2f}"
    return f"**{text}**" if quantity == "FDP" and exceeds(row, fdr) else text


def _list_exceeded(rows: Rows) -> str:
    """Return one item per method that exceeds a level, and one for all others."""
    items, kept = [], []
    for method in dict.fromkeys(row["method"] for row in rows if row["has level"]):
        places = [
            f"{row['setting']} ({row[f'FDP at {fdr:g}']:.2f} at {fdr:g})"
            for row in rows
            for fdr in LEVELS
            if row["method"] == method and exceeds(row, fdr)
        ]
        if places:
            items.append(_wrap_item(f"by {method}: {'; '.join(places)};"))
        else:
            kept.append(method)
    if not items:
        return f"No level is exceeded by more than {MONTE_CARLO_ERRORS:g} standard errors."
    if kept:
        items.append(_wrap_item(f"nowhere by {', '.join(kept)}."))
    return "\n".join(["Levels are exceeded:", "", *items])


def _wrap_item(text: str) -> str:
    """Return an item of a list, with its later lines indented."""
    return wrap(f"- {text}").replace("\n", "\n  ")
