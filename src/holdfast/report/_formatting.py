"""Words and numbers as the sentences of a report have them."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pandas as pd

from holdfast._formatting import plural
from holdfast.measures import get_measure
from holdfast.report._escaping import isolate_name
from holdfast.select._registry import all_selectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.report._schema import FeatureRow, Report, SecondStudy, StandIn
    from holdfast.select import SelectorRecord


LONGEST = 60
"""Most characters of a name inside a sentence; tables and lists have all of it."""


def format_name(name: object, longest: int = LONGEST) -> str:
    """Return a name as part of a sentence: set apart, on one line, not longer than a line."""
    return isolate_name(cut(name, longest))


def cut(name: object, longest: int) -> str:
    """Return a text on one line, cut where it is too long."""
    text = " ".join(str(name).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def join_names(items: Iterable[object], most: int = 8, last: str = "and") -> str:
    """Join names as people do: ``a, b and c``; past `most`, say how many more there are."""
    return join_texts([format_name(item) for item in items], most, last)


def join_texts(texts: Sequence[str], most: int = 8, last: str = "and") -> str:
    """Join texts as people do; past `most`, say how many more there are."""
    if len(texts) > most:
        texts = [*texts[: most - 1], f"{len(texts) - most + 1:,} more"]
    return f" {last} ".join(part for part in (", ".join(texts[:-1]), *texts[-1:]) if part)


def number(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals; never ``-0.00``."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def is_known_number(value: Any) -> bool:  # noqa: ANN401  (numbers, None, and what pandas has for missing)
    """Return whether there is a number that can be talked about."""
    return isinstance(value, int | float) and math.isfinite(value)


def plus_minus(value: float, spread: float | None) -> str:
    """Return a share with its standard error, in percent."""
    return f"{share(value)} ± {share(spread)}" if is_known_number(spread) else share(value)  # type: ignore[arg-type]


def share(value: float) -> str:
    """Return a share of samples in percent, always with one decimal."""
    return f"{100 * value:.1f}%"


def features_of(size: int | str) -> str:
    """Return how many features a selector selects, as people say it."""
    if size == "own":
        return "as many features as it chooses itself"
    return "1 feature" if size == 1 else f"{size:,} features"


def whole_size(cell: tuple[str, int | str] | None) -> int | None:
    """Return the size of a selector at a size as a number, None where it chooses itself."""
    return None if cell is None or cell[1] == "own" else int(cell[1])


def record_of(spelling: Any) -> SelectorRecord | None:  # noqa: ANN401  (JSON of a plan)
    """Return what is registered about a selector of a plan; None for somebody else's."""
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    for record in _known_selectors():
        if path.partition(":")[2] == record.kind.__name__ and _home(path) == _home_of(record.kind):
            return record
    return None


@cache
def _known_selectors() -> tuple[SelectorRecord, ...]:
    """Return all records, looked up once: asking the installed packages takes its time."""
    return tuple(all_selectors().values())


def _home(path: str) -> str:
    return path.partition(":")[0].partition(".")[0]


def _home_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def title_of(name: str, selectors: Sequence[dict[str, Any]]) -> str:
    """Return the title of a selector of a plan; its name where nothing is registered."""
    spelling = next((one["object"] for one in selectors if one["name"] == name), None)
    record = record_of(spelling)
    return name if record is None or record.name == "any_selector" else record.title


# Numbers and other values as the cells of a page show them.

MISSING = "–"
NOT_KNOWN = "not known"
OBSERVED_EFFECT = "observed effect (too high on average if selected)"
"""What tables call the effect size that is not corrected for the selection."""
EVIDENCE = {"frequencies", "profile", "stripes", "similarity", "stand_ins"}
"""Sections of pictures that are evidence."""


def percent(value: float | None) -> str:
    """Return a share as a whole percentage that says 0 or 100 only where it is.

    >>> percent(0.943), percent(0.999), percent(1.0), percent(0.001), percent(None)
    ('94%', '>99%', '100%', '<1%', '–')
    """
    return _percent(100 * value) if known_cells(value) else MISSING


def _percent(share: float) -> str:
    if 99.5 <= share < 100:
        return ">99%"
    return "<1%" if 0 < share <= 0.5 else f"{share:.0f}%"


def rounded(value: float | None) -> str:
    """Return a share as the nearest whole percentage: the end of an interval.

    >>> rounded(0.996), rounded(None)
    ('100%', '–')
    """
    return f"{100 * value:.0f}%" if known_cells(value) else MISSING


def tenths(value: float | None) -> str:
    """Return a share as a percentage with one decimal.

    >>> tenths(0.1234), tenths(None)
    ('12.3%', '–')
    """
    return f"{100 * value:.1f}%" if known_cells(value) else MISSING


def number_cells(value: float | None) -> str:
    """Return a number with three decimals; large ones have none, tiny ones two digits.

    >>> [number_cells(value) for value in (0.12345, 1234.5, 0.00012, -0.0, None)]
    ['0.123', '1,234', '0.00012', '0', '–']
    """
    return _number(float(value)) if known_cells(value) else MISSING


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) >= 0.001 else f"{value:.2g}"


def hundredths(value: float | None) -> str:
    """Return a number with two decimals; never ``-0.00``.

    >>> hundredths(0.7), hundredths(-0.001), hundredths(None)
    ('0.70', '0.00', '–')
    """
    return f"{round(value, 2) + 0.0:.2f}" if known_cells(value) else MISSING


def chosen_size(mean: float | None, deviation: float | None) -> str:
    """Return how many features a selector chooses itself.

    >>> chosen_size(7.25, 1.5), chosen_size(7.0, None), chosen_size(None, None)
    ('7.2 (sd 1.5)', '7.0', 'own')
    """
    if not known_cells(mean):
        return "own"
    return f"{mean:.1f} (sd {deviation:.1f})" if known_cells(deviation) else f"{mean:.1f}"


def p_value(value: float | None) -> str:
    """Return a p-value; tiny ones only say that they are.

    >>> p_value(0.0312), p_value(1e-9), p_value(1.0)
    ('0.031', '<0.001', '1.000')
    """
    if not known_cells(value):
        return MISSING
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def span(low: str, high: str) -> str:
    """Return an interval from its ends as shown; nothing where one is missing or both are equal.

    >>> span("90%", "97%"), span("-0.1", "0.2"), span("2", "2"), span(MISSING, "1")
    ('90–97%', '-0.1 to 0.2', '', '')
    """
    if low == high or MISSING in {low, high}:
        return ""
    if low.startswith("-"):
        return f"{low} to {high}"
    return f"{low.removesuffix('%')}–{high}"


def interval(low: float | None, high: float | None, measure: str | None) -> str:
    """Return the interval of a stability, within what the measure can be.

    >>> interval(0.953, 1.01, "nogueira"), interval(1.0, 1.0, "nogueira"), interval(None, 1, None)
    ('0.95–1.00', '1.00', '')
    """
    if not (known_cells(low) and known_cells(high)):
        return ""
    first, last = (hundredths(clip_to_measure(end, measure)) for end in (low, high))
    return span(first, last) or first


def clip_to_measure(value: float, measure: str | None) -> float:
    """Return a stability, or the nearest value that its measure can take."""
    if measure is None:
        return value
    record = get_measure(measure)
    return min(max(value, record.minimum), record.maximum)


def cell(value: object) -> str:
    """Return any value of a table of numbers as text.

    >>> cell(True), cell(12000), cell(0.5), cell(["a", "b"]), cell(None)
    ('yes', '12,000', '0.500', 'a, b', '–')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if value is None or isinstance(value, float):
        return number_cells(value)
    return ", ".join(map(cell, value)) if isinstance(value, list | tuple) else str(value)


def first_names(names: Sequence[str], total: int, most: int = 8) -> list[str]:
    """Return the first names as they are, and how many more there are.

    >>> first_names(["a", "b", "c"], 30, most=2), first_names(["a"], 1)
    (['a', 'b', 'and 28 more'], ['a'])
    """
    shown = list(names[:most])
    return [*shown, f"and {total - len(shown):,} more"] if total > len(shown) else shown


def replication_head(second: SecondStudy) -> str:
    """Return the heading of what was estimated from halves of the data."""
    return _studies(second, second["n_samples"], "replication stability", "two ")


def predicted_head(second: SecondStudy) -> str:
    """Return the heading of what is predicted for studies as large as this one."""
    return _studies(second, second["at"], "predicted", "predicted for ")


def _studies(second: SecondStudy, count: int | None, otherwise: str, what: str) -> str:
    return otherwise if count is None else f"{what}studies of {plural(count, second['noun'])}"


def expected_count(value: float | None) -> str:
    """Return an expected number of features, whole.

    >>> expected_count(3.62), expected_count(None)
    ('4', '–')
    """
    return f"{value:,.0f}" if known_cells(value) else MISSING


def shown_sections(report: Report) -> dict[str, bool]:
    """Say which sections have anything to show; others are left out."""
    second = report["replication"]
    drawn = {figure["section"] for figure in report["figures"]}
    sections = (report["profile"], report["similarity"], report["stand_ins"])
    told = any(one["sentences"] or one["rows"] for one in sections)
    return {
        "replication": bool(second["sentences"] or second["rows"] or "cohorts" in second),
        "evidence": told or report["groups"] is not None or bool(drawn & EVIDENCE),
    }


def effect_size(row: FeatureRow) -> str:
    """Return an effect size that is corrected for the selection, or that it is not known."""
    return hundredths(row["effect"]) if known_cells(row["effect"]) else NOT_KNOWN


def effect_interval(row: FeatureRow) -> str:
    """Return the interval of an effect size; nothing where it is not known."""
    return span(hundredths(row["effect_low"]), hundredths(row["effect_high"]))


def stand_in_counts(other: StandIn) -> str:
    """Return how often a stand-in is selected without and with a feature.

    >>> stand_in_counts({"count": 9, "n": 10, "count_with": 2, "n_with": 40})
    '9 of 10 without it, 2 of 40 with it'
    """
    return (
        f"{other['count']:,} of {other['n']:,} without it, "
        f"{other['count_with']:,} of {other['n_with']:,} with it"
    )


def chance_differs(second: SecondStudy) -> bool:
    """Say whether two random selections have anything in common by the measure."""
    return any(row["replication_chance"] for row in second["rows"])


def ranked(rows: Iterable[FeatureRow]) -> bool:
    """Say whether the rank of any feature is known: selectors of subsets give none."""
    return any(row["rank_low"] is not None for row in rows)


def raw(*values: float | None) -> str:
    """Return numbers for the page's script: separated by spaces, a dot for a missing one.

    >>> raw(0.94, 188, None)
    '0.94 188 .'
    """
    return " ".join(f"{value:.6g}" if known_cells(value) else "." for value in values)


def known_cells(value: float | None) -> TypeGuard[float]:
    """Say whether there is a number: neither None, nor infinite, nor none at all."""
    return value is not None and math.isfinite(value)


# Tables and numbers as plain Python: what JSON can hold, with None for what is missing.


def plain(value: Any) -> Any:  # noqa: ANN401  (whatever a table or a report holds)
    """Return a value made of plain Python; NaN, infinities and missing values become None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def records(table: pd.DataFrame, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the rows of a table; of the columns named, those that it has."""
    names = [name for name in columns or table.columns if name in table]
    rows: list[dict[str, Any]] = [plain(row) for row in table[list(names)].to_dict("records")]
    return rows
