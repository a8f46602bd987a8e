"""Rows of cells, read one by one: features as numbers, all else as text."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.io._data_numbers import Blocks, NumberReader
from holdfast.io._data_parts import codes_of, finished, is_missing, labels_of, text_features
from holdfast.io._data_target import TargetOrigin, check_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.io._data_roles import Roles
    from holdfast.io._data_stream import TextFile
    from holdfast.io._dataset import Dataset

    Floats = NDArray[np.float64]


class RowReader:
    """Takes the rows of a text file in; cells never stay as text but for those that are text."""

    def __init__(
        self,
        file: TextFile,
        roles: Roles,
        *,
        decimal_comma: bool,
        is_missing: Callable[[str], bool] = is_missing,
    ) -> None:
        self._file, self._roles, self._is_missing = file, roles, is_missing
        self._numeric = np.setdiff1d(roles.features, roles.nominal)
        # a list, as Python runs through it faster than through an array
        self._plain = np.isin(np.arange(len(roles.names)), self._numeric).tolist()
        self._texts: dict[int, list[str]] = {column: [] for column in self._text_columns()}
        self._memo: dict[str, str] = {}
        self._lines: list[int] = []
        names = [roles.names[column] for column in self._numeric]
        self._numbers = NumberReader(file, names, decimal_comma=decimal_comma)
        self._blocks = Blocks(len(names))

    def add(self, line: int, cells: list[str]) -> None:
        """Take a row in; there is a cell for each column."""
        self._lines.append(line)
        for column, texts in self._texts.items():
            cell = cells[column].strip()
            texts.append(self._memo.setdefault(cell, cell))
        self._blocks.add(self._numbers.row(line, list(compress(cells, self._plain))))

    def dataset(self, source: dict[str, Any], notes: tuple[str, ...]) -> Dataset:
        """Return all rows as a data set; refuse text in features, and gaps in labels."""
        file, roles = self._file, self._roles
        if not self._lines:
            raise file.error("at least one row is needed below the header, got none.")
        if self._numbers.refused:
            refused = self._numbers.refused
            raise file.error(text_features(refused), next(iter(refused.values()))[0])
        nominal = np.flatnonzero(np.isin(roles.features, roles.nominal)).tolist()
        labels = {name: self._labels(column) for name, column in roles.labels.items()}
        if not roles.classes:
            check_target(file.where, roles.names[roles.target], labels["y"], TargetOrigin.TEXT)
        return finished(
            {
                "X": self._matrix(nominal),
                **labels,
                "feature_names": roles.feature_names,
                "nominal": tuple(nominal),
                "source": source,
                "notes": (*notes, *roles.notes, *self._numbers.notes),
            },
            [roles.names[column] for column in roles.nominal],
        )

    def _text_columns(self) -> list[int]:
        return [*self._roles.labels.values(), *self._roles.nominal]

    def _labels(self, column: int) -> NDArray[np.str_]:
        lines, texts = self._lines, self._texts[column]
        for line, text in zip(lines, texts, strict=True):
            self._file.refuse_control(text, line)
        return labels_of(
            self._file.error,
            self._roles.names[column],
            texts,
            lambda row: f"row {row + 1:,} (line {lines[row]:,})",
        )

    def _matrix(self, nominal: list[int]) -> Floats:
        """Return the numbers with the codes of nominal features in between."""
        if not nominal:
            return self._blocks.joined()
        X = np.empty((len(self._lines), len(self._roles.features)))
        X[:, np.isin(self._roles.features, self._numeric)] = self._blocks.joined()
        for feature, column in zip(nominal, self._roles.nominal, strict=True):
            texts = self._texts[column]
            X[:, feature] = codes_of([None if self._is_missing(text) else text for text in texts])
        return X
