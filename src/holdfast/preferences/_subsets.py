"""Subsets: which features were selected, stored as indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean, format_list, plural
from holdfast._typing import AnyArray, IndexArray, IntArray, MatrixLike
from holdfast.errors import InvalidInputError
from holdfast.preferences._base import FeatureSpace, Preferences, freeze

if TYPE_CHECKING:
    import pandas as pd


class Subsets(Preferences):
    """m selected subsets of p features.

    Stored as sorted indices, never as an m x p table: a thousand selections of 500 out of ten
    million features take 2 MB.

    Parameters
    ----------
    data : sequence, array, frame, sparse matrix or sequence of fitted selectors
        One of: a sequence of sequences of feature indices or of feature names; a two-dimensional
        boolean array or sparse matrix, one row per selection; a pandas or polars frame of booleans
        or of 0 and 1, one column per feature; a sequence of fitted scikit-learn selectors (anything
        with ``get_support``). A row may be empty. Whole numbers in plain arrays and lists are
        always indices: make a 0/1 array boolean first.
    n_features : int, optional
        Number of features that could have been selected, p. Taken from the data if they have it;
        None leaves it unknown, and many measures need it.
    feature_names : iterable of str, optional
        Names of all p features.

    Raises
    ------
    InvalidInputError
        A feature twice in one selection, an index outside 0..p-1, an unknown name, rows of
        different kinds, no rows.

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 3, 7], [0, 3, 9]], n_features=2000)
    >>> s.sizes, s[1]
    (array([3, 3]), array([0, 3, 9], dtype=int32))
    >>> hf.Subsets([["TP53", "MYC"], ["TP53"]], n_features=20000).frequencies()
    TP53    1.0
    MYC     0.5
    Name: frequency, dtype: float64
    """

    __slots__ = ("_indices", "_indptr")
    form = "subset"

    def __init__(
        self,
        data: MatrixLike,
        *,
        n_features: int | None = None,
        feature_names: Iterable[object] | None = None,
    ) -> None:
        read = read_subsets(data, FeatureSpace.from_input(n_features, feature_names))
        self._set(*read)

    def _set(self, indptr: IntArray, indices: NDArray[np.integer], features: FeatureSpace) -> None:
        self._indptr = freeze(indptr)
        self._indices = freeze(indices)
        self._features = features

    @classmethod
    def _from_valid(
        cls, indptr: IntArray, indices: NDArray[np.integer], features: FeatureSpace
    ) -> Self:
        """Build from arrays that are known to be valid."""
        new = cls.__new__(cls)
        new._set(indptr, indices, features)
        return new

    @property
    def indices(self) -> NDArray[np.integer]:
        """Selected features of all preferences, concatenated; ascending within each preference."""
        return self._indices

    @property
    def indptr(self) -> IntArray:
        """Preference i is ``indices[indptr[i]:indptr[i + 1]]``."""
        return self._indptr

    @property
    def sizes(self) -> IntArray:
        """Number of features in each preference."""
        return np.diff(self._indptr)

    def frequencies(self) -> pd.Series[float]:
        """Share of preferences with each feature that was ever selected, highest first."""
        import pandas as pd

        union, counts = np.unique(self._indices, return_counts=True)
        order = np.lexsort((union, -counts))
        labels = self._features.labels(union[order])
        index = pd.Index(labels.tolist())
        return pd.Series(counts[order] / len(self), index=index, name="frequency")

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per selected feature: preference, feature."""
        import pandas as pd

        preference = np.repeat(np.arange(len(self)), self.sizes)
        labels = self._features.labels(self._indices).tolist()
        return pd.DataFrame({"preference": preference, "feature": labels})

    def __len__(self) -> int:
        return len(self._indptr) - 1

    def _get_preference(self, index: int) -> NDArray[np.integer]:
        return self._indices[self._indptr[index] : self._indptr[index + 1]]

    def _take(self, indices: IndexArray) -> Self:
        rows = [self._get_preference(i) for i in indices]
        return self._from_valid(*concatenate_rows(rows), self._features)

    @classmethod
    def _concatenate(cls, parts: Sequence[Self]) -> Self:
        return cls._from_valid(
            *concatenate_rows([row for part in parts for row in part]), parts[0]._features
        )

    def _same_results(self, other: Self) -> bool:
        return np.array_equal(self._indptr, other._indptr) and np.array_equal(
            self._indices, other._indices
        )

    def _summary(self) -> tuple[str, str]:
        sizes, known = self.sizes, self.n_features
        low, high = int(sizes.min()), int(sizes.max())
        size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        total = "an unknown number of features" if known is None else plural(known, "feature")
        return (
            f"{plural(len(self), 'selection')} of {size} out of {total}",
            'hf.measure(["nogueira", "jaccard"], subsets)',
        )


def concatenate_rows(rows: Sequence[NDArray[np.integer]]) -> tuple[IntArray, NDArray[np.integer]]:
    """Concatenate index arrays; return where each begins, and the concatenated array."""
    indptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=indptr[1:])
    return indptr, np.concatenate(rows)


# Readers of all supported containers: lists, matrices, frames, fitted selectors.

Read: TypeAlias = tuple[IntArray, NDArray[np.integer], FeatureSpace]


def read_subsets(data: MatrixLike, features: FeatureSpace) -> Read:
    """Read any supported container of selections."""
    if isinstance(data, Mapping | str | bytes):
        raise InvalidInputError(
            f"subsets are rows of indices, names or booleans, got {type(data).__name__}; "
            "for a file of selections use `holdfast measure FILE`."
        )
    if is_frame(data):
        return _read_frame(data, features)
    if scipy.sparse.issparse(data):
        return _read_sparse(data, features)
    if isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype == bool:
        features = features.with_count(data.shape[1], "the boolean matrix")
        return _read_sparse(scipy.sparse.csr_array(data), features)
    rows = list(data) if isinstance(data, Iterable) else []
    if not rows:
        raise InvalidInputError("at least one selection is needed, got none.")
    if all(hasattr(row, "get_support") for row in rows):
        return _read_selectors(rows, features)
    return _read_rows(rows, features)


def is_frame(data: object) -> bool:
    """Return whether `data` is a pandas or polars frame, without importing either."""
    return hasattr(data, "columns") and hasattr(data, "to_numpy")


def _read_frame(frame: MatrixLike, features: FeatureSpace) -> Read:
    names = [str(column) for column in frame.columns]
    features = _name_features(features, names, "the frame")
    values = _cells_as_numbers(frame)
    if values.dtype != bool:
        odd = ~np.isin(values, (0, 1))
        if odd.any():
            row, column = np.argwhere(odd)[0]
            raise InvalidInputError(
                "a frame of selections holds booleans or 0 and 1; "
                f"row {row}, column {names[column]!r} holds {values[row, column]!r}."
            )
        values = values.astype(bool)
    return _read_sparse(scipy.sparse.csr_array(values), features)


def _cells_as_numbers(frame: MatrixLike) -> AnyArray:
    """Return the cells of a frame; mixed and nullable columns as numbers, missing ones as NaN."""
    values = np.asarray(frame.to_numpy())
    if values.dtype != object:
        return values
    try:
        return np.asarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))
    except (TypeError, ValueError):
        raise InvalidInputError("a frame of selections holds booleans or 0 and 1 only.") from None


def _name_features(features: FeatureSpace, names: Sequence[str], source: str) -> FeatureSpace:
    """Return the features with the names in the data; names from the user must be the same."""
    if features.names is not None and tuple(names) != features.names:
        raise InvalidInputError(f"feature_names differ from the column names of {source}.")
    return FeatureSpace(features.with_count(len(names), source).count, tuple(names))


def _read_sparse(matrix: MatrixLike, features: FeatureSpace) -> Read:
    rows = scipy.sparse.csr_array(matrix, copy=True)  # the user's matrix is not changed
    # a repeated entry becomes 2 and is refused below, instead of counting twice
    rows.sum_duplicates()
    if not np.isin(rows.data, (0, 1)).all():
        raise InvalidInputError("a matrix of selections holds booleans or 0 and 1 only.")
    features = features.with_count(rows.shape[1], "the matrix")
    if rows.shape[0] == 0:
        raise InvalidInputError("at least one selection is needed, got a matrix without rows.")
    rows.eliminate_zeros()
    rows.sort_indices()
    indices = rows.indices.astype(_index_type(features), copy=False)
    return rows.indptr.astype(np.int64), indices, features


def _read_selectors(selectors: Sequence[Any], features: FeatureSpace) -> Read:
    names = get_feature_names(selectors)
    if names is not None:
        features = _name_features(features, names, "the selectors")
    masks = [np.asarray(selector.get_support(), dtype=bool) for selector in selectors]
    for position, mask in enumerate(masks):
        features = features.with_count(len(mask), f"selector {position}")
    return _sort_rows([np.flatnonzero(mask) for mask in masks], features)


def get_feature_names(estimators: Sequence[Any]) -> list[str] | None:
    """Return the feature names that estimators were fitted on; all must have the same."""
    columns = [getattr(estimator, "feature_names_in_", None) for estimator in estimators]
    names = [None if labels is None else [str(name) for name in labels] for labels in columns]
    for position, labels in enumerate(names):
        if labels != names[0]:
            raise InvalidInputError(
                f"estimator {position} was fitted on other features, or in another order, than "
                "estimator 0; fit all of them on the same columns."
            )
    return names[0]


def _read_rows(rows: Sequence[Any], features: FeatureSpace) -> Read:
    arrays = [_read_row(row, position) for position, row in enumerate(rows)]
    kinds = {array.dtype.kind for array in arrays if array.size or array.dtype.kind == "b"}
    # empty rows are of no kind: they fit numbers, masks and names
    if kinds <= {"i"}:
        return _sort_rows([array.astype(np.int64, copy=False) for array in arrays], features)
    if kinds == {"b"}:
        for position, array in enumerate(arrays):
            features = features.with_count(len(array), f"row {position}")
        return _sort_rows([np.flatnonzero(array) for array in arrays], features)
    if kinds == {"U"}:
        return _read_names(arrays, features)
    raise InvalidInputError(
        "rows must all be of one kind: indices, names or booleans; these are mixed."
    )


def _read_row(row: Any, position: int) -> AnyArray:  # noqa: ANN401
    """Return one selection as a one-dimensional array of integers, booleans or strings."""
    if isinstance(row, str | bytes) or not isinstance(row, Iterable):
        raise InvalidInputError(
            f"row {position} must be a sequence of indices or names, got {row!r}."
        )
    if isinstance(row, np.ndarray):
        array = row
    else:
        items = list(row)
        if any(isinstance(item, str) for item in items):
            _require_all_text(items, position)
        array = np.asarray(items)
    if array.ndim == 1 and array.size == 0 and array.dtype.kind != "b":
        return np.zeros(0, dtype=np.int64)
    if array.ndim == 1 and array.dtype == object:
        _require_all_text(array.tolist(), position)
        array = array.astype(str)
    if array.ndim == 1 and array.dtype.kind in "iu":
        return array.astype(np.int64, copy=False)
    if array.ndim == 1 and array.dtype.kind in "bU":
        return array
    raise InvalidInputError(
        f"row {position} must hold whole-number indices, names or booleans in one dimension, "
        f"got {array.ndim} dimension(s) of {array.dtype}."
    )


def _require_all_text(items: Sequence[object], position: int) -> None:
    other = [item for item in items if not isinstance(item, str)]
    if other:
        raise InvalidInputError(
            f"row {position} mixes names with other values: {format_list(map(repr, other))}."
        )


def _read_names(rows: Sequence[NDArray[np.str_]], features: FeatureSpace) -> Read:
    if features.names is None:
        # features are numbered in the order in which they first occur
        names = dict.fromkeys(name for row in rows for name in row.tolist())
        features = FeatureSpace(features.count, tuple(names))
    index_of = features.index_of()
    try:
        numbered = [
            np.array([index_of[name] for name in row.tolist()], dtype=np.int64) for row in rows
        ]
    except KeyError as error:
        name = str(error.args[0])
        raise InvalidInputError(
            f"{name!r} is not among the feature names.{did_you_mean(name, index_of)}"
        ) from None
    return _sort_rows(numbered, features)


def _sort_rows(rows: Sequence[IntArray], features: FeatureSpace) -> Read:
    """Sort each row; raise for repeats and indices out of range."""
    indptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=indptr[1:])
    ascending = [np.sort(row) for row in rows]
    for position, row in enumerate(ascending):
        _check_row(row, position, features)
    indices = np.concatenate(ascending).astype(_index_type(features), copy=False)
    return indptr, indices, features


def _check_row(row: IntArray, position: int, features: FeatureSpace) -> None:
    if row.size == 0:
        return
    repeated = row[1:][row[1:] == row[:-1]]
    if repeated.size:
        hint = (
            " (a matrix of 0 and 1? make it boolean: matrix.astype(bool))" if row[-1] <= 1 else ""
        )
        labels = features.labels(np.unique(repeated)).tolist()
        raise InvalidInputError(
            f"selection {position} holds a feature more than once: {format_list(labels)}{hint}."
        )
    if row[0] < 0 or (features.count is not None and row[-1] >= features.count):
        odd = int(row[0] if row[0] < 0 else row[-1])
        allowed = "0 or more" if features.count is None else f"0 to {features.count - 1:,}"
        raise InvalidInputError(
            f"selection {position} holds the index {odd:,}; indices run from {allowed}."
        )


def _index_type(features: FeatureSpace) -> type[np.integer]:
    # half the memory where indices fit; an unknown number of features may exceed 32 bits
    small = features.count is not None and features.count <= np.iinfo(np.int32).max
    return np.int32 if small else np.int64
