"""Data that come as a matrix of features, with what is known of each sample beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.io._data_columns import Columns
from holdfast.io._data_labels import as_texts, flattened
from holdfast.io._data_parts import codes_of, finished, labels_of
from holdfast.io._data_roles import give_all, give_beside, refuse_nothing_left
from holdfast.io._data_target import TargetOrigin, check_target
from holdfast.io._source import problem, refuse_repeats, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.io._data_roles import Wishes
    from holdfast.io._dataset import Dataset
    from holdfast.simulate import Generator


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Features as a matrix, and columns beside it: the target, the groups, the cohorts."""

    where: str
    X: NDArray[Any]
    feature_names: list[str]
    side: Mapping[str, NDArray[Any]]
    truth: NDArray[np.bool_] | None = None
    generator: Generator | None = None
    notes: tuple[str, ...] = field(default=())
    target_origin: TargetOrigin = TargetOrigin.TABLE

    def labels(self, column: int) -> NDArray[np.str_]:
        """Return a column beside the matrix as text; it must have a value a sample."""
        name = list(self.side)[column]
        values = one_each(self.where, name, self.side[name], len(self.X), "sample")
        return labels_of(partial(problem, self.where), name, as_texts(values))

    def check_target(self, column: int) -> None:
        """Refuse a target whose numbers may not be class labels."""
        name = list(self.side)[column]
        check_target(self.where, name, flattened(self.side[name]), self.target_origin)


def matrix_data(matrix: Matrix, wishes: Wishes, source: dict[str, Any] | None) -> Dataset:
    """Make a data set of a matrix and what stands beside it."""
    _check(matrix)
    beside = Columns(matrix.where, list(matrix.side))
    target = beside.give_target(wishes.target)
    groups, cohort = give_beside(beside, wishes)
    columns = Columns(matrix.where, matrix.feature_names, noun="feature")
    give_all(columns, wishes)
    labels = matrix.labels(target)
    if not wishes.classes:
        matrix.check_target(target)
    fields = {
        **_features(matrix, columns),
        "y": labels,
        "groups": None if groups is None else matrix.labels(groups),
        "cohorts": None if cohort is None else matrix.labels(cohort),
        "source": source,
        "notes": matrix.notes,
    }
    try:
        return finished(fields, [matrix.feature_names[j] for j in columns.having("nominal")])
    except InvalidInputError as error:
        raise problem(matrix.where, str(error)) from None


def one_each(where: str, name: str, values: NDArray[Any], count: int, noun: str) -> NDArray[Any]:
    """Return an array of one dimension; refuse it unless it has one entry a sample or feature."""
    flat = flattened(values)
    if flat.shape != (count,):
        raise problem(
            where,
            f"{shown(name)} must have one entry a {noun}, {count:,} in all, "
            f"got the shape {values.shape}.",
        )
    return flat


def _features(matrix: Matrix, columns: Columns) -> dict[str, Any]:
    """Return the fields of a data set that are about features, without those to drop."""
    drop, nominal = columns.having("drop"), columns.having("nominal")
    kept = np.delete(np.arange(len(matrix.feature_names)), drop)
    refuse_nothing_left(matrix.where, kept)
    places = np.searchsorted(kept, nominal)
    X = _coded(matrix.X[:, kept] if drop else matrix.X, places)
    return {
        "X": np.ascontiguousarray(X),
        "feature_names": tuple(matrix.feature_names[j] for j in kept),
        "nominal": tuple(places.tolist()),
        "truth": None if matrix.truth is None else matrix.truth[kept],
        "generator": None if drop or nominal else matrix.generator,
    }


def _check(matrix: Matrix) -> None:
    names = matrix.feature_names
    if len(names) != matrix.X.shape[1]:
        raise problem(
            matrix.where,
            f"each feature needs a name, {matrix.X.shape[1]:,} in all, got {len(names):,}.",
        )
    refuse_repeats(names, "feature", partial(problem, matrix.where))


def _coded(X: NDArray[Any], nominal: NDArray[np.intp]) -> NDArray[Any]:
    """Return the matrix with codes for the values of nominal features."""
    if not len(nominal):
        return X
    coded = X.copy()
    for j in nominal.tolist():
        coded[:, j] = codes_of(as_texts(X[:, j]))
    return coded
