"""Cells of text as numbers, exact to the last bit; rows of them as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.io._data_blocks import rows_a_block
from holdfast.io._data_parts import is_missing
from holdfast.io._source import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.io._data_stream import TextFile

    Floats = NDArray[np.float64]

# as float() does not know them; all spellings of NaN it does
_KNOWN = {"": "nan", "NA": "nan", "na": "nan", "?": "nan", "null": "nan", "NULL": "nan"}


class NumberReader:
    """Turns rows of cells into numbers; remembers columns that hold text."""

    def __init__(self, file: TextFile, names: list[str], *, decimal_comma: bool) -> None:
        self._file, self._names, self._decimal_comma = file, names, decimal_comma
        self._text: dict[int, tuple[int | None, str]] = {}

    @property
    def refused(self) -> dict[str, tuple[int | None, str]]:
        """The columns that hold text, by name: the line and the first such cell."""
        return {self._names[column]: at for column, at in sorted(self._text.items())}

    def row(self, line: int, cells: list[str]) -> Floats:
        """Return a row as numbers, NaN where missing; refuse infinite ones."""
        try:
            row = _quick(cells)
        except ValueError:
            row = self._slow(line, cells)
        if np.isinf(row).any():
            column = int(np.flatnonzero(np.isinf(row))[0])
            raise self._file.error(
                f"values must be finite or missing, got {shown(cells[column])} in column "
                f"{shown(self._names[column])}.",
                line,
            )
        return row

    def _slow(self, line: int, cells: list[str]) -> Floats:
        """Read a row with missing values, decimal commas, or text."""
        known = [_KNOWN.get(cell.strip(), cell) for cell in cells]
        if self._decimal_comma:
            known = [cell.replace(",", ".", 1) if "," in cell else cell for cell in known]
        for column in self._text:  # they are refused anyway; others may be found the quick way
            known[column] = "nan"
        try:
            return _quick(known)
        except ValueError:
            return np.array([self._cell(line, *at, cells) for at in enumerate(known)])

    def _cell(self, line: int, column: int, known: str, cells: list[str]) -> float:
        try:
            return float("text" if "_" in known else known)
        except ValueError:
            if not is_missing(known):
                self._file.refuse_control(known, line)
                self._text[column] = line, cells[column]
            return np.nan


def _quick(cells: list[str]) -> Floats:
    """Return cells as numbers if all of them are; Python's own float() is exact to the last bit."""
    if "_" in "".join(cells):  # float() takes 1_000 as well
        raise ValueError
    return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))


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

    def joined(self) -> Floats:
        """Return all rows; blocks are let go one by one, so that memory is not needed twice."""
        X = np.empty((self._used, self._shape[1]))
        for start in range(0, self._used, self._shape[0]):
            part = X[start : start + self._shape[0]]
            part[:] = self._full.pop(0)[: len(part)]
        return X
