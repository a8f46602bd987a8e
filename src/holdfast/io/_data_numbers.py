"""Cells of text as numbers, exact to the last bit; rows of them as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels.decimals import parse_row
from holdfast.io._data_blocks import rows_a_block
from holdfast.io._data_decimals import DecimalSigns, number_in, with_point
from holdfast.io._data_parts import is_missing
from holdfast.io._source import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.io._data_stream import TextFile

    Floats = NDArray[np.float64]


class NumberReader:
    """Turns rows of cells into numbers; remembers columns that hold text."""

    def __init__(self, file: TextFile, names: list[str], *, decimal_comma: bool) -> None:
        self._file, self._names, self._decimal_comma = file, names, decimal_comma
        self._text: dict[int, tuple[int | None, str]] = {}
        self._open = np.empty(len(names), dtype=np.int64)
        self._signs = DecimalSigns(file)

    @property
    def refused(self) -> dict[str, tuple[int | None, str]]:
        """The columns that hold text, by name: the line and the first such cell."""
        return {self._names[column]: at for column, at in sorted(self._text.items())}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner of the file should know about its numbers."""
        return self._signs.notes

    def row(self, line: int, cells: list[str]) -> Floats:
        """Return a row as numbers, NaN where missing or text; refuse infinite ones."""
        row = np.empty(len(cells))
        joined = "\n".join(cells)
        if self._decimal_comma:
            self._signs.watch(line, cells, joined)
        text = np.frombuffer(joined.encode(), dtype=np.uint8)
        n_open = parse_row(text, self._decimal_comma, row, self._open) if cells else 0
        # line ends within cells let there seem to be more cells than there are
        left = range(len(cells)) if n_open < 0 else self._open[:n_open].tolist()
        for column in left:
            row[column] = self._cell(line, column, cells[column])
        return row

    def _cell(self, line: int, column: int, cell: str) -> float:
        """Read a cell that is no plain number: missing, infinite, of many digits, or text."""
        if is_missing(cell):
            return np.nan
        value = number_in(with_point(cell) if self._decimal_comma else cell)
        if value is None:
            self._file.refuse_control(cell, line)
            self._text.setdefault(column, (line, cell))
            return np.nan
        if np.isinf(value):
            raise self._file.error(
                f"values must be finite or missing, got {shown(cell)} in column "
                f"{shown(self._names[column])}.",
                line,
            )
        return value


class Blocks:
    """Rows that are gathered in blocks, as their number is not known before the end."""

    def __init__(self, n_columns: int) -> None:
        self._shape = rows_a_block(n_columns), n_columns
        self._full: list[Floats] = []
        self._used = 0

    def add(self, row: Floats) -> None:
        """Take a row in."""
        if self._used % self._shape[0] == 0:
            self._full.append(np.empty(self._shape))
        self._full[-1][self._used % self._shape[0]] = row
        self._used += 1

    def joined(self, *, as_columns: bool = False) -> Floats:
        """Return all rows, or a matrix with these rows as its columns.

        Blocks are let go one by one, so that memory is not needed twice.
        """
        n_rows, n_columns = self._used, self._shape[1]
        X = np.empty((n_columns, n_rows)).T if as_columns else np.empty((n_rows, n_columns))
        for start in range(0, self._used, self._shape[0]):
            part = X[start : start + self._shape[0]]
            part[:] = self._full.pop(0)[: len(part)]
        return X.T if as_columns else X
