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
    """Turns rows of cells into numbers; remembers columns that hold text.

    Attributes
    ----------
    refused : dict
        The columns that hold text, by name: the line and the first such cell.
    """

    def __init__(self, file: TextFile, names: list[str], *, decimal_comma: bool) -> None:
        self._file, self._names, self._decimal_comma = file, names, decimal_comma
        self.refused: dict[str, tuple[int | None, str]] = {}

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
        known = [_KNOWN.get(cell, cell) for cell in cells]
        if self._decimal_comma:
            known = [cell.replace(",", ".", 1) if "," in cell else cell for cell in known]
        try:
            return _quick(known)
        except ValueError:
            triples = zip(self._names, cells, known, strict=True)
            return np.array([self._cell(line, *triple) for triple in triples])

    def _cell(self, line: int, name: str, cell: str, known: str) -> float:
        try:
            return float(_quick([known])[0])
        except ValueError:
            if not is_missing(cell) and name not in self.refused:
                self._file.refuse_control(cell, line)
                self.refused[name] = line, cell
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
