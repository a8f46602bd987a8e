"""The cells of a table as selections, or as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.io._selections import Selections
from holdfast.io._source import shown
from holdfast.io._table import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from numpy.typing import NDArray

    from holdfast.io._table import Table

    Row: TypeAlias = NDArray[np.float64]
    Check: TypeAlias = Callable[[Table, int, Row], None]

_PLAIN = {"0", "1"}
_SELECTED = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}


def read_matrix(table: Table) -> Selections:
    """Read a 0/1 matrix, one row a selection; ``true`` and ``false`` are understood, too."""
    rows: list[list[int]] = []
    lines: list[int] = []
    for line, cells in table.rows():
        rows.append(_selected(table, line, cells))
        lines.append(line)
    if not rows:
        raise table.source.error("at least one selection is needed below the header, got none.")
    return Selections(rows, lambda row, _: lines[row], table.names)


def _selected(table: Table, line: int, cells: list[str]) -> list[int]:
    if set(cells) <= _PLAIN:
        digits = np.frombuffer("".join(cells).encode(), dtype=np.uint8)
        return np.flatnonzero(digits == ord("1")).tolist()
    marks = [_SELECTED.get(cell.strip().lower()) for cell in cells]
    if None in marks:
        column = marks.index(None)
        raise table.source.error(
            f"a table of selections holds 0 and 1, got {shown(cells[column])} in "
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
            f"cells, between {WORDS[table.separator]}, must be finite numbers, "
            f"got {shown(cells[column])} in {table.column(column)}.",
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
