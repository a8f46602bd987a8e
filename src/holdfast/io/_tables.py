"""CSV and its kin: a header of names, then one row of cells a preference."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from holdfast.io._selection_formats import COMMENT, Selections
from holdfast.io._text_files import quote_value, refuse_repeats

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from numpy.typing import NDArray

    from holdfast.io._text_files import SourceText

    Row: TypeAlias = NDArray[np.float64]


SEPARATORS = "\t;,"  # the first wins a tie, as decimal commas make commas the weakest sign
SEPARATOR_NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas"}


@dataclass(frozen=True, slots=True)
class Table:
    """The names in the header, and the rows below it with their lines, read as they are asked for.

    A first column without a name holds labels of the rows, which are kept apart.
    """

    source: SourceText
    separator: str
    names: list[str]
    header_line: int
    has_labels: bool
    _records: Iterator[tuple[int, list[str]]]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of each row, labels left out; all are of one length."""
        width = len(self.names) + self.has_labels
        for line, cells in self._records:
            if len(cells) != width:
                raise self.source.error(self._ragged(len(cells), width), line)
            yield line, cells[1:] if self.has_labels else cells

    def column(self, position: int) -> str:
        """Return how messages name a column."""
        return f"column {quote_value(self.names[position])}"

    def _ragged(self, got: int, width: int) -> str:
        return (
            f"each row must have {width:,} cells between {SEPARATOR_NAMES[self.separator]}, "
            "as the header "
            f"in line {self.header_line} has, got {got:,}; "
            "is the row cut off, or is a separator missing?"
        )


def open_table(source: SourceText) -> Table:
    """Read the header of a table and make its rows ready to be read."""
    separator = separator_of(source)
    kept = ("\n" if line.startswith(COMMENT) else line for line in source.lines())
    records = records_of(kept, separator, source.error)
    first = next(records, None)
    if first is None:
        raise source.error("a header of feature names is needed, got comments only.", 1)
    line, names = first[0], [name.strip() for name in first[1]]
    has_labels = names[0] == "" and len(names) > 1
    table = Table(source, separator, names[has_labels:], line, has_labels, records)
    _check_header(table)
    return table


def separator_of(source: SourceText) -> str:
    """Return the sign between cells: the most frequent candidate in the header."""
    if source.suffix == ".tsv":
        return "\t"
    header = next((line for line in source.lines() if is_content(line)), "")
    unquoted = "".join(header.split('"')[::2])
    return max(SEPARATORS, key=unquoted.count) if unquoted.strip() else ","


def is_content(line: str) -> bool:
    """Tell whether a line is neither blank nor a comment."""
    return bool(line.strip()) and not line.startswith(COMMENT)


def records_of(
    lines: Iterable[str], separator: str, error_at: Callable[[str, int], Exception]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not blank, with the line it begins on."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    line = 0
    try:
        for cells in reader:
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield line + 1, cells
            line = reader.line_num
    except csv.Error as error:
        raise error_at(
            f"the row cannot be taken apart at {SEPARATOR_NAMES[separator]} ({error}); is a "
            "quote left open?",
            line + 1,
        ) from None


def _check_header(table: Table) -> None:
    """Refuse names that are missing, given twice, or no names at all."""
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

if TYPE_CHECKING:
    Check: TypeAlias = Callable[[Table, int, Row], None]


_PLAIN = {"0", "1"}
_SELECTED = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}


def read_matrix(table: Table) -> Selections:
    """Read a 0/1 matrix, one row a selection; ``true`` and ``false`` are understood, too."""
    rows: list[list[int]] = []
    lines: list[int] = []
    for line, cells in table.rows():
        rows.append(_find_selected(table, line, cells))
        lines.append(line)
    if not rows:
        raise table.source.error("at least one selection is needed below the header, got none.")
    return Selections(rows, lambda row, _: lines[row], table.names)


def _find_selected(table: Table, line: int, cells: list[str]) -> list[int]:
    if set(cells) <= _PLAIN:
        digits = np.frombuffer("".join(cells).encode(), dtype=np.uint8)
        return np.flatnonzero(digits == ord("1")).tolist()
    marks = [_SELECTED.get(cell.strip().lower()) for cell in cells]
    if None in marks:
        column = marks.index(None)
        raise table.source.error(
            f"a table of selections holds 0 and 1, got {quote_value(cells[column])} in "
            f"{table.column(column)}; scores and ranks need the form weights or rankings, "
            "one selection a line the ending .txt.",
            line,
        )
    return [column for column, mark in enumerate(marks) if mark]


def read_numbers(table: Table, check: Check | None = None) -> NDArray[np.float64]:
    """Read a table of finite numbers; `check` may refuse a row."""
    _refuse_numbers_as_header(table)
    rows = list(_number_rows(table, check))
    if not rows:
        raise table.source.error(
            "at least one row of numbers is needed below the header, got none."
        )
    return np.vstack(rows)


def check_ranks(table: Table, line: int, row: Row) -> None:
    """Refuse ranks outside 1 to p."""
    odd = np.flatnonzero((row < 1) | (row > len(row)))
    if odd.size:
        column = int(odd[0])
        raise table.source.error(
            f"ranks run from 1 (best) to {len(row):,}, got {row[column]:g} in "
            f"{table.column(column)}; scores need the form weights.",
            line,
        )


def _number_rows(table: Table, check: Check | None) -> Iterator[Row]:
    for line, cells in table.rows():
        row = _numbers(table, line, cells)
        if check is not None:
            check(table, line, row)
        yield row


def _numbers(table: Table, line: int, cells: list[str]) -> Row:
    # Python's own float() takes 1_000 and reads it as 1000
    plain = "_" not in "".join(cells)
    try:
        row = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        plain = False
    if not plain:
        row = np.array([_number(cell, table.separator) for cell in cells])
    odd = np.flatnonzero(~np.isfinite(row))
    if odd.size:
        column = int(odd[0])
        raise table.source.error(
            f"cells, between {SEPARATOR_NAMES[table.separator]}, must be finite numbers, "
            f"got {quote_value(cells[column])} in {table.column(column)}.",
            line,
        )
    return row


def _number(cell: str, separator: str = ",") -> float:
    """Return a cell as a number, NaN if it is none; decimal commas count where cells allow them."""
    if "_" in cell:
        return np.nan
    if separator != "," and "." not in cell:
        cell = cell.replace(",", ".", 1)
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _refuse_numbers_as_header(table: Table) -> None:
    """Refuse a first line that is a row of data: it would be lost without a word."""
    values = np.array([_number(name, table.separator) for name in table.names])
    if np.isnan(values).any():
        return
    ranks = np.arange(1, len(values) + 1)
    if (values != np.round(values)).any() or (
        np.array_equal(np.sort(values), ranks) and not np.array_equal(values, ranks)
    ):
        raise table.source.error(
            "the first line must be a header of feature names, got a row of numbers.",
            table.header_line,
        )
