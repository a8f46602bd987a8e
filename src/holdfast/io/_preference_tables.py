"""Tables of selections, scores or ranks: a header of names, then one row per preference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from holdfast._typing import FloatArray
from holdfast.io._delimited_text import SEPARATOR_NAMES, detect_separator, read_records
from holdfast.io._selection_formats import Selections
from holdfast.io._text_files import COMMENT, SourceText, quote_value, refuse_repeats


@dataclass(frozen=True, slots=True)
class Table:
    """The names in the header, and an iterator over the rows with their lines.

    A first column without a name holds row labels, which are left out.
    """

    source: SourceText
    separator: str
    names: list[str]
    header_line: int
    has_labels: bool
    _records: Iterator[tuple[int, list[str]]]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of each row, without row labels; raise for ragged rows."""
        width = len(self.names) + self.has_labels
        for line, cells in self._records:
            if len(cells) != width:
                raise self.source.error(
                    f"each row must have {width:,} cells between "
                    f"{SEPARATOR_NAMES[self.separator]}, like the header in line "
                    f"{self.header_line}, got {len(cells):,}; is the row truncated, or a separator "
                    "missing?",
                    line,
                )
            yield line, cells[1:] if self.has_labels else cells

    def column(self, position: int) -> str:
        """Return the name of a column in messages."""
        return f"column {quote_value(self.names[position])}"


def open_table(source: SourceText) -> Table:
    """Read the header of a table; rows are read on demand."""
    separator = detect_separator(source)
    kept = ("\n" if line.startswith(COMMENT) else line for line in source.lines())
    records = read_records(kept, separator, source.error)
    first = next(records, None)
    if first is None:
        raise source.error("a header of feature names is needed, got comments only.", 1)
    line, names = first[0], [name.strip() for name in first[1]]
    has_labels = names[0] == "" and len(names) > 1
    table = Table(source, separator, names[has_labels:], line, has_labels, records)
    _check_header(table)
    return table


def _check_header(table: Table) -> None:
    """Raise if a name is missing or repeated, or if the header is a row of data."""
    names, line = table.names, table.header_line
    if "" in names:
        column = names.index("") + 1 + table.has_labels
        raise table.source.error(
            f"each column needs a name in the header, got none for column {column:,}.", line
        )
    if set(names) <= {"0", "1"} and names not in (["0"], ["0", "1"]):  # numbered columns
        raise table.source.error(
            "the first line must be a header of feature names, got a row of 0 and 1.", line
        )
    refuse_repeats(names, "column", partial(table.source.error, line=line))


# The cells of a table as selections, or as numbers.


Check: TypeAlias = Callable[[Table, int, FloatArray], None]


_BINARY_CELLS = {"0", "1"}
_SELECTED = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}


def read_matrix(table: Table) -> Selections:
    """Read a 0/1 matrix with one row per selection; ``true`` and ``false`` are accepted."""
    rows: list[list[int]] = []
    lines: list[int] = []
    for line, cells in table.rows():
        rows.append(_parse_selection(table, line, cells))
        lines.append(line)
    if not rows:
        raise table.source.error("at least one selection is needed below the header, got none.")
    return Selections(rows, lambda row, _: lines[row], table.names)


def _parse_selection(table: Table, line: int, cells: list[str]) -> list[int]:
    if set(cells) <= _BINARY_CELLS:  # the usual case, and much faster
        digits = np.frombuffer("".join(cells).encode(), dtype=np.uint8)
        return np.flatnonzero(digits == ord("1")).tolist()
    marks = [_SELECTED.get(cell.strip().lower()) for cell in cells]
    if None in marks:
        column = marks.index(None)
        raise table.source.error(
            f"a table of selections holds 0 and 1, got {quote_value(cells[column])} in "
            f"{table.column(column)}; for scores and ranks use the form weights or rankings, for "
            "one selection per line the extension .txt.",
            line,
        )
    return [column for column, mark in enumerate(marks) if mark]


def read_numbers(table: Table, check: Check | None = None) -> FloatArray:
    """Read a table of finite numbers; `check` may raise for a row."""
    _refuse_numbers_as_header(table)
    rows = []
    for line, cells in table.rows():
        row = _parse_numbers(table, line, cells)
        if check is not None:
            check(table, line, row)
        rows.append(row)
    if not rows:
        raise table.source.error(
            "at least one row of numbers is needed below the header, got none."
        )
    return np.vstack(rows)


def check_ranks(table: Table, line: int, row: FloatArray) -> None:
    """Raise for ranks outside 1 to p."""
    odd = np.flatnonzero((row < 1) | (row > len(row)))
    if odd.size:
        column = int(odd[0])
        raise table.source.error(
            f"ranks run from 1 (best) to {len(row):,}, got {row[column]:g} in "
            f"{table.column(column)}; use the form weights for scores.",
            line,
        )


def _parse_numbers(table: Table, line: int, cells: list[str]) -> FloatArray:
    # float() accepts 1_000 as 1000
    plain = "_" not in "".join(cells)
    try:
        row = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        plain = False
    if not plain:
        row = np.array([_parse_number(cell, table.separator) for cell in cells])
    odd = np.flatnonzero(~np.isfinite(row))
    if odd.size:
        column = int(odd[0])
        raise table.source.error(
            f"cells, between {SEPARATOR_NAMES[table.separator]}, must be finite numbers, "
            f"got {quote_value(cells[column])} in {table.column(column)}.",
            line,
        )
    return row


def _parse_number(cell: str, separator: str = ",") -> float:
    """Return a cell as a number, NaN if it is not one; decimal commas need another separator."""
    if "_" in cell:
        return np.nan
    if separator != "," and "." not in cell:
        cell = cell.replace(",", ".", 1)
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _refuse_numbers_as_header(table: Table) -> None:
    """Raise if the first line is a row of data, which would be lost silently."""
    values = np.array([_parse_number(name, table.separator) for name in table.names])
    if np.isnan(values).any():
        return
    # columns may be named 1, 2, ...; other permutations of these numbers are a row of ranks
    ranks = np.arange(1, len(values) + 1)
    if (values != np.round(values)).any() or (
        np.array_equal(np.sort(values), ranks) and not np.array_equal(values, ranks)
    ):
        raise table.source.error(
            "the first line must be a header of feature names, got a row of numbers.",
            table.header_line,
        )
