"""Data that come as a matrix of features, with what is known of each sample beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.io._data_labels import as_texts
from holdfast.io._data_parts import codes_of, finished, labels_of
from holdfast.io._data_roles import default_target, position
from holdfast.io._source import first_repeat, problem, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.io._data_roles import Column, Wishes
    from holdfast.io._dataset import Dataset
    from holdfast.simulate import Generator


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Features as a matrix, and columns beside it that may be the target or the groups."""

    where: str
    X: NDArray[Any]
    feature_names: list[str]
    side: Mapping[str, NDArray[Any]]
    truth: NDArray[np.bool_] | None = None
    generator: Generator | None = None
    notes: tuple[str, ...] = field(default=())

    def labels(self, column: Column | None) -> NDArray[np.str_]:
        """Return a column beside the matrix as text; None is the one called ``class``."""
        names = list(self.side)
        if column is None:
            name = names[default_target(self.where, names)]
        else:
            name = names[position(self.where, names, column)]
        return labels_of(partial(problem, self.where), name, as_texts(self.side[name]))


def matrix_data(matrix: Matrix, wishes: Wishes, source: dict[str, Any] | None) -> Dataset:
    """Make a data set of a matrix and what stands beside it."""
    _check(matrix)
    drop = [_feature(matrix, column) for column in wishes.drop]
    kept = np.delete(np.arange(len(matrix.feature_names)), drop)
    nominal = sorted({_feature(matrix, column) for column in wishes.nominal} - set(drop))
    X = matrix.X[:, kept] if drop else matrix.X
    places = np.searchsorted(kept, nominal)
    X = _coded(X, places)
    return finished(
        {
            "X": np.ascontiguousarray(X),
            "y": matrix.labels(wishes.target),
            "groups": None if wishes.groups is None else matrix.labels(wishes.groups),
            "feature_names": tuple(matrix.feature_names[j] for j in kept),
            "nominal": tuple(places.tolist()),
            "truth": None if matrix.truth is None else matrix.truth[kept],
            "generator": None if drop or nominal else matrix.generator,
            "source": source,
            "notes": matrix.notes,
        },
        [matrix.feature_names[j] for j in nominal],
    )


def _check(matrix: Matrix) -> None:
    names = matrix.feature_names
    if len(set(names)) < len(names):
        double = shown(names[first_repeat(names)])
        raise problem(matrix.where, f"feature names must be unique, got {double} more than once.")


def _feature(matrix: Matrix, column: Column) -> int:
    return position(matrix.where, matrix.feature_names, column, noun="feature")


def _coded(X: NDArray[Any], nominal: NDArray[np.intp]) -> NDArray[Any]:
    """Return the matrix with codes for the values of nominal features."""
    if not len(nominal):
        return X
    coded = X.copy()
    for j in nominal.tolist():
        coded[:, j] = codes_of(as_texts(X[:, j]))
    return coded
