"""Weights and rankings: a score or a rank for every feature."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from holdfast._formatting import format_list, plural
from holdfast._random import RandomState, generators
from holdfast._typing import AnyArray, BoolArray, EstimatorLike, FloatArray, IndexArray, MatrixLike
from holdfast._validation import check_finite_number
from holdfast.errors import InvalidInputError
from holdfast.preferences._base import FeatureSpace, Preferences, freeze
from holdfast.preferences._ranks import Ties, as_feature_count, check_ties, rank_weights
from holdfast.preferences._subsets import Subsets, concatenate_rows, get_feature_names, is_frame

if TYPE_CHECKING:
    import pandas as pd


# The base of Weights and Rankings: an m x p table of numbers, in memory or mapped from disk.


class Tabular(Preferences):
    """m rows of p numbers."""

    __slots__ = ("_values",)
    _values: AnyArray

    @property
    def values(self) -> AnyArray:
        """The m x p table, read-only; a memory map stays one."""
        return self._values

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self._values.shape[1])

    def _set(self, values: AnyArray, features: FeatureSpace) -> None:
        self._values = freeze(values.view())  # the user's memory map stays writable
        self._features = features

    @classmethod
    def _from_valid(cls, values: AnyArray, features: FeatureSpace) -> Self:
        """Build from a table that is known to be valid."""
        new = cls.__new__(cls)
        new._set(values, features)
        return new

    def _select_where(self, test: Callable[[AnyArray], BoolArray]) -> Subsets:
        rows: list[NDArray[np.integer]] = [
            np.flatnonzero(test(row)).astype(np.int32) for row in self
        ]
        return Subsets._from_valid(*concatenate_rows(rows), self._features)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per preference and one column per feature."""
        import pandas as pd

        return pd.DataFrame(self._values, columns=list(self._features.all_labels()))

    def __len__(self) -> int:
        return len(self._values)

    def _get_preference(self, index: int) -> AnyArray:
        return np.asarray(self._values[index])

    def _take(self, indices: IndexArray) -> Self:
        return self._from_valid(self._values[indices], self._features)

    @classmethod
    def _concatenate(cls, parts: Sequence[Self]) -> Self:
        rows = sum(len(part) for part in parts)
        dtype = np.result_type(*(part._values.dtype for part in parts))
        values = empty_table((rows, parts[0].n_features), dtype)
        start = 0
        for part in parts:
            values[start : start + len(part)] = part._values
            start += len(part)
        return cls._from_valid(values, parts[0]._features)

    def _same_results(self, other: Self) -> bool:
        return all(np.array_equal(a, b) for a, b in zip(self, other, strict=True))


def read_table(
    data: MatrixLike,
    attributes: Sequence[str],
    n_features: int | None,
    feature_names: Iterable[object] | None,
) -> tuple[AnyArray, FeatureSpace]:
    """Read an array, a frame, fitted estimators or any iterable of vectors as a finite table."""
    features = FeatureSpace.from_input(n_features, feature_names)
    if is_frame(data):
        names = tuple(str(column) for column in data.columns)
        if features.names not in (None, names):
            raise InvalidInputError("feature_names differ from the column names of the frame.")
        features, data = FeatureSpace(features.count, names), np.asarray(data.to_numpy())
    if not isinstance(data, np.ndarray):
        data, features = _read_iterable(data, attributes, features)
    if data.ndim != 2 or data.size == 0 or data.dtype.kind not in "biuf":
        raise InvalidInputError(
            "a table of m rows and p columns of numbers is needed, "
            f"got shape {data.shape} of {data.dtype}."
        )
    features = features.with_count(data.shape[1], "the table")
    check_finite(data)
    return data if isinstance(data, np.memmap) else np.array(data), features


def _read_iterable(
    data: MatrixLike, attributes: Sequence[str], features: FeatureSpace
) -> tuple[AnyArray, FeatureSpace]:
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InvalidInputError(f"rows of numbers are needed, got {type(data).__name__}.")
    if isinstance(data, Iterator):
        # an iterator may hold more rows than memory, and can be read only once
        return spool_rows(data), features
    rows = list(data)
    if rows and all(hasattr(row, "fit") for row in rows):
        names = get_feature_names(rows)
        if names is not None and features.names is None:
            features = FeatureSpace(features.count, tuple(names))
        rows = [get_importance(row, position, attributes) for position, row in enumerate(rows)]
    lengths = {np.shape(row) for row in rows}  # a clearer message than NumPy's
    if len(lengths) > 1:
        raise InvalidInputError(f"rows must have one length, got shapes {sorted(lengths)}.")
    return np.asarray(rows), features


def get_importance(estimator: EstimatorLike, position: int, attributes: Sequence[str]) -> AnyArray:
    """Return the importances of a fitted estimator; coefficients are summed over classes."""
    for attribute in attributes:
        stored = getattr(estimator, attribute, None)
        if stored is not None and not isinstance(stored, dict):  # LogisticRegressionCV has one
            values = np.asarray(stored)
            # signs of coefficients depend on the coding of the classes, their sizes do not
            return np.abs(np.atleast_2d(values)).sum(axis=0) if attribute == "coef_" else values
    raise InvalidInputError(
        f"estimator {position} ({type(estimator).__name__}) has none of "
        f"{', '.join(attributes)}; is it fitted?"
    )


def check_finite(table: AnyArray) -> None:
    """Raise for missing and infinite values, naming the first."""
    # row by row: a table on disk is never loaded as a whole
    for index, row in enumerate(table):
        finite = np.isfinite(row)
        if not finite.all():
            column = int(np.flatnonzero(~finite)[0])
            raise InvalidInputError(
                f"row {index}, feature {column} holds {row[column]}; all values must be finite. "
                "Drop the feature or give it the lowest weight."
            )


# Storage of m x p tables: small ones in memory, large ones in a temporary file.

# Limits of memory, chosen by hand; they do not change results.
MAX_BYTES_IN_MEMORY = 512 * 2**20  # larger tables go to a temporary file
BLOCK_BYTES = 16 * 2**20  # size of a block of columns


def empty_table(shape: tuple[int, int], dtype: DTypeLike) -> AnyArray:
    """Return an uninitialised table; a large one is backed by a file that is deleted with it."""
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    if size <= MAX_BYTES_IN_MEMORY:
        return np.empty(shape, dtype)
    return _map_file(_create_temporary_file(), shape, dtype)


def spool_rows(rows: Iterable[Any]) -> FloatArray:
    """Write rows of numbers to a temporary file one by one and return it as a mapped table."""
    path = _create_temporary_file()
    try:
        with path.open("wb") as file:
            shape = _write_rows(rows, file)
    # also on an interrupt: nobody else knows the file
    except BaseException:
        path.unlink()
        raise
    return _map_file(path, shape, np.float64)


def _write_rows(rows: Iterable[Any], file: BinaryIO) -> tuple[int, int]:
    """Write vectors of one length; return their number and their length."""
    width, count = -1, 0
    for count, row in enumerate(rows, start=1):
        try:
            values = np.ascontiguousarray(row, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInputError(f"row {count - 1} does not hold numbers: {row!r}.") from None
        width = values.size if width < 0 else width
        if values.ndim != 1 or values.size != width:
            raise InvalidInputError(
                f"row {count - 1} has the shape {values.shape}; "
                f"each row must be one vector of {width:,} numbers, as row 0 is."
            )
        file.write(values.data)
    if width <= 0:
        raise InvalidInputError("at least one row with at least one feature is needed, got none.")
    return count, width


def column_blocks(table: AnyArray) -> Iterator[slice]:
    """Cut the columns of a table so that one block of all rows, as float64, stays small."""
    rows, columns = table.shape
    width = max(1, BLOCK_BYTES // (8 * rows))
    return (slice(start, start + width) for start in range(0, columns, width))


def _create_temporary_file() -> Path:
    handle, name = tempfile.mkstemp(prefix="holdfast-", suffix=".table")
    os.close(handle)
    return Path(name)


def _map_file(path: Path, shape: tuple[int, int], dtype: DTypeLike) -> AnyArray:
    table: AnyArray
    # an empty file is a new table; mode "r+" would refuse it
    if path.stat().st_size:
        table = np.memmap(path, dtype=np.dtype(dtype), mode="r+", shape=shape)
    else:
        table = np.memmap(path, dtype=np.dtype(dtype), mode="w+", shape=shape)
    # views keep the map alive through .base, so the file is deleted after the last of them
    weakref.finalize(table, path.unlink, missing_ok=True)
    return table


# Rankings: the order in which features are preferred.


class Rankings(Tabular):
    """m rankings of p features; rank 1 is the best.

    Parameters
    ----------
    data : array, frame, sequence, iterator or sequence of fitted estimators
        Ranks as an m x p array (a memory-mapped one of proper ranks is not copied), a pandas or
        polars frame, a sequence or an iterator of vectors; or fitted scikit-learn estimators
        with ``ranking_``; or a sequence of lists of all feature names, the best first.
        Tied features may share a rank in any of the usual ways; the average rank is stored.
    n_features : int, optional
        Number of features, checked against the data.
    feature_names : iterable of str, optional
        Names of the features.

    Raises
    ------
    InvalidInputError
        Ranks below 1 or above p, missing or infinite values, a name missing from an order.

    Examples
    --------
    >>> import holdfast as hf
    >>> r = hf.Rankings([["b", "a", "c"], ["b", "c", "a"]], feature_names=["a", "b", "c"])
    >>> r.values.tolist()
    [[2, 1, 3], [3, 1, 2]]
    >>> r.top(1)[0]
    array([1], dtype=int32)
    >>> hf.Rankings([[1, 1, 2]]).values.tolist()
    [[1.5, 1.5, 3.0]]
    """

    __slots__ = ()
    form = "ranking"

    def __init__(
        self,
        data: MatrixLike,
        *,
        n_features: int | None = None,
        feature_names: Iterable[object] | None = None,
    ) -> None:
        if _is_orders_by_name(data):
            self._set(*_read_orders(data, FeatureSpace.from_input(n_features, feature_names)))
            return
        table, features = read_table(data, ("ranking_",), n_features, feature_names)
        self._set(_as_proper_ranks(table), features)

    def top(self, k: float, *, random_state: RandomState = 0) -> Subsets:
        """Select the k best features of each preference.

        Parameters
        ----------
        k : int or float
            A count, or a fraction of the features (rounded to nearest, at least 1).
        random_state : int, Generator, RandomState or None, default 0
            Seed of the choice among features that tie for the last places.

        Returns
        -------
        Subsets
        """
        count = as_feature_count(k, self.n_features)
        seeded = generators(random_state, len(self))
        rows = [_select_best(row, count, rng) for row, rng in zip(self, seeded, strict=True)]
        return Subsets._from_valid(*concatenate_rows(rows), self._features)

    def below(self, threshold: float) -> Subsets:
        """Select the features whose rank is at most `threshold`, a number of at least 1.

        Nothing is drawn, unlike in :meth:`top`: features that share an average rank are selected
        together or not at all, so subsets may differ in size and be empty.

        Examples
        --------
        >>> import holdfast as hf
        >>> r = hf.Rankings([[1, 2, 3, 4], [1, 2, 2, 2]])
        >>> [subset.tolist() for subset in r.below(2)]
        [[0, 1], [0]]
        """
        most = check_finite_number(threshold, "threshold")
        if most < 1:
            raise InvalidInputError(f"threshold must be at least 1, the best rank; got {most:g}.")
        return self._select_where(lambda row: row <= most)

    def _summary(self) -> tuple[str, str]:
        return (
            f"{plural(len(self), 'ranking')} of {plural(self.n_features, 'feature')}",
            'rankings.top(10) or hf.measure("spearman", rankings)',
        )


def _select_best(ranks: AnyArray, count: int, rng: np.random.Generator) -> NDArray[np.integer]:
    # features better than the last rank are in; ties for the last places are drawn
    last = np.partition(ranks, count - 1)[count - 1]
    sure, tied = np.flatnonzero(ranks < last), np.flatnonzero(ranks == last)
    drawn = tied
    if len(sure) + len(tied) > count:
        drawn = rng.choice(tied, count - len(sure), replace=False)
    return np.sort(np.concatenate((sure, drawn))).astype(np.int32)


def _as_proper_ranks(table: AnyArray) -> AnyArray:
    """Return the table itself if all rows are permutations or average ranks; else re-rank it."""
    for index, row in enumerate(table):
        if row.min() < 1 or row.max() > len(row):
            raise InvalidInputError(
                f"row {index} holds ranks from {row.min()} to {row.max()}; "
                f"ranks run from 1 (best) to {len(row):,}."
            )
    if all(_is_permutation(row) for row in table):  # no ties: integers take less memory
        return table if isinstance(table, np.memmap) else table.astype(np.int32)
    generator = np.random.default_rng(0)  # average ranks need no random numbers
    proper = empty_table(table.shape, np.float64)
    for index, row in enumerate(table):
        proper[index] = rank_weights(-row.astype(np.float64), "average", generator)
    return proper


def _is_permutation(row: AnyArray) -> bool:
    occurs = np.zeros(len(row) + 1, dtype=bool)
    integers = row.astype(np.int64)
    occurs[integers] = True
    return bool(occurs[1:].all()) and (row.dtype.kind in "iu" or bool((integers == row).all()))


def _is_orders_by_name(data: MatrixLike) -> bool:
    if not isinstance(data, list | tuple) or not data:
        return False
    return all(
        isinstance(row, list | tuple) and row and all(isinstance(x, str) for x in row)
        for row in data
    )


def _read_orders(
    orders: Sequence[Sequence[str]], features: FeatureSpace
) -> tuple[NDArray[np.int32], FeatureSpace]:
    if features.names is None:
        features = FeatureSpace(features.count, tuple(orders[0]))
    index_of = features.index_of()
    table = np.empty((len(orders), len(index_of)), dtype=np.int32)
    for position, order in enumerate(orders):
        odd = set(order) ^ set(index_of)
        if odd or len(order) != len(index_of):
            raise InvalidInputError(
                f"ranking {position} must name each of the {len(index_of):,} features once; "
                f"missing, unknown or repeated: {format_list(sorted(odd) or order)}."
            )
        table[position, [index_of[name] for name in order]] = np.arange(1, len(order) + 1)
    return table, features.with_count(len(index_of), "the rankings")


# Weights: a score for every feature; higher is better.


class Weights(Tabular):
    """m vectors of weights for p features; a higher weight is better.

    Parameters
    ----------
    data : array, frame, sequence, iterator or sequence of fitted estimators
        An m x p array (a memory-mapped one is not copied), a pandas or polars frame with one
        column per feature, a sequence of vectors, an iterator of vectors (written to a temporary
        file as they come, so that m x p may exceed memory), or fitted scikit-learn estimators
        with ``scores_``, ``feature_importances_`` or ``coef_`` (absolute values, summed over
        classes).
    n_features : int, optional
        Number of features, checked against the data.
    feature_names : iterable of str, optional
        Names of the features.

    Raises
    ------
    InvalidInputError
        Missing or infinite values, rows of different lengths, no rows.

    Examples
    --------
    >>> import holdfast as hf
    >>> w = hf.Weights([[0.9, 0.1, 0.5], [0.8, 0.3, 0.1]])
    >>> w.to_rankings().values.tolist()
    [[1, 3, 2], [1, 2, 3]]
    >>> w.top(2)[0]
    array([0, 2], dtype=int32)
    """

    __slots__ = ()
    form = "weights"

    def __init__(
        self,
        data: MatrixLike,
        *,
        n_features: int | None = None,
        feature_names: Iterable[object] | None = None,
    ) -> None:
        attributes = ("scores_", "feature_importances_", "coef_")
        self._set(*read_table(data, attributes, n_features, feature_names))

    def to_rankings(self, *, ties: Ties = "random", random_state: RandomState = 0) -> Rankings:
        """Rank the features of each preference.

        Parameters
        ----------
        ties : {"random", "average", "index"}, default "random"
            Equal weights get ranks in random order, their average rank, or ranks in the order
            of features. Ties by index create agreement that is not there, average ranks may.
        random_state : int, Generator, RandomState or None, default 0
            Seed of the random order; preference i is seeded by its position alone. So rank all
            preferences of a selector in one call, not in batches that each begin at position 0,
            and give two selectors that are to be compared different seeds: otherwise their ties
            are broken in the same way, which looks like agreement.

        Returns
        -------
        Rankings
        """
        ties = check_ties(ties)
        dtype = np.float64 if ties == "average" else np.int32
        table = empty_table(self._values.shape, dtype)
        seeded = generators(random_state, len(self))
        for index, generator in enumerate(seeded):
            table[index] = rank_weights(self._values[index], ties, generator)
        return Rankings._from_valid(table, self._features)

    def top(self, k: float, *, ties: Ties = "random", random_state: RandomState = 0) -> Subsets:
        """Select the k features of highest weight in each preference.

        Parameters
        ----------
        k : int or float
            A count, or a fraction of the features (rounded to nearest, at least 1).
        ties, random_state
            As in :meth:`to_rankings`; ``"average"`` also leaves the choice among features that tie
            for the last places to chance.

        Returns
        -------
        Subsets
        """
        return self.to_rankings(ties=ties, random_state=random_state).top(
            k, random_state=random_state
        )

    def above(self, threshold: float) -> Subsets:
        """Select the features whose weight is at least `threshold`, as for scores."""
        least = check_finite_number(threshold, "threshold")
        return self._select_where(lambda row: row >= least)

    def below(self, threshold: float) -> Subsets:
        """Select the features whose value is at most `threshold`, as for p-values."""
        most = check_finite_number(threshold, "threshold")
        return self._select_where(lambda row: row <= most)

    def _summary(self) -> tuple[str, str]:
        return (
            f"{plural(len(self), 'vector')} of weights for {plural(self.n_features, 'feature')}",
            'weights.top(10) or hf.measure("pearson", weights)',
        )
