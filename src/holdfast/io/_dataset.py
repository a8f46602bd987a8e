"""The data of a study: numbers, labels, names and source; and the summary printed before it."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean, format_list, plural
from holdfast._memory import dense_columns, is_sparse, to_dense
from holdfast._typing import AnyArray, BoolArray, FloatArray, IndexArray, MatrixLike
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._sparse import (
    as_canonical_csr,
    column_extremes,
    column_keys,
    column_sums,
    content_digest,
    count_missing,
    row_keys,
)
from holdfast.io._text_files import quote_value, refuse_repeats
from holdfast.io._values import MAX_AMBIGUOUS_VALUES, parse_finite_number

# The summary of a data set, printed before a study starts.


@dataclass(frozen=True, kw_only=True)
class DataSummary:
    r"""Sizes, classes, missing values and suspicious features of a data set.

    Attributes
    ----------
    n_samples, n_features : int
        Size of the data.
    classes : dict
        Number of samples of each class, by its label.
    n_groups : int or None
        Number of groups of samples; None without groups.
    cohorts : dict or None
        Number of samples of each cohort, by its name; None without cohorts.
    n_nominal : int
        Number of nominal features.
    n_missing, n_samples_missing, n_features_missing : int
        Number of missing values, and of the samples and features with missing values.
    empty : tuple of str
        Features without any value.
    constant : tuple of str
        Features whose values are all equal.
    duplicates : tuple of tuple of str
        Groups of non-constant features that are exact copies of each other.
    notes : tuple of str
        Remarks of the file reader, such as columns it left out.
    copies : tuple of tuple of int
        Groups of samples with equal values in all features, by position from 0.
    too_large : tuple of str
        Features with values whose squares may exceed the range of numbers when they are summed.
    weights : tuple of float or None
        The lowest and the highest weight of a sample; None without weights.
    density : float or None
        The share of the values that a sparse matrix stores; None for arrays.

    Examples
    --------
    >>> from holdfast.io import from_arrays
    >>> data = from_arrays([[0, 1, 5, 5], [0, 2, 6, 6], [0, 4, 8, 8]], ["a", "a", "b"])
    >>> print("\n".join(data.summary().lines()))
    3 samples of 4 features in 2 classes: a 2, b 1.
    No value is missing.
    1 feature is constant: f0.
    2 features are exact copies of each other, in 1 group: f2 = f3.
    """

    n_samples: int
    n_features: int
    classes: dict[str, int]
    n_groups: int | None
    cohorts: dict[str, int] | None
    n_nominal: int
    n_missing: int
    n_samples_missing: int
    n_features_missing: int
    empty: tuple[str, ...]
    constant: tuple[str, ...]
    duplicates: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    copies: tuple[tuple[int, ...], ...] = ()
    too_large: tuple[str, ...] = ()
    weights: tuple[float, float] | None = None
    density: float | None = None

    def lines(self) -> list[str]:
        """Return the summary as sentences, one per line."""
        n_classes = f"{len(self.classes):,} class{'' if len(self.classes) == 1 else 'es'}"
        size = f"{plural(self.n_samples, 'sample')} of {plural(self.n_features, 'feature')}"
        lines = [f"{size} in {n_classes}: {_format_counts(self.classes)}.", self._format_missing()]
        if self.n_groups is not None:
            lines.append(f"The samples form {plural(self.n_groups, 'group')}.")
        if self.cohorts is not None:
            cohorts = plural(len(self.cohorts), "cohort")
            lines.append(f"The samples come from {cohorts}: {_format_counts(self.cohorts)}.")
        if self.weights is not None:
            low, high = self.weights
            lines.append(f"The samples have weights from {low:g} to {high:g}.")
        if self.density is not None:
            lines.append(f"The data are sparse: {self.density:.2%} of the values are stored.")
        if self.n_nominal:
            lines.append(f"{_features_are(self.n_nominal)} nominal.")
        if self.empty:
            lines.append(f"{_features_are(len(self.empty))} empty: {format_list(self.empty)}.")
        if self.constant:
            lines.append(
                f"{_features_are(len(self.constant))} constant: {format_list(self.constant)}."
            )
        if self.duplicates:
            lines.append(self._format_duplicates())
        if self.copies:
            lines.append(
                f"{sum(map(len, self.copies)):,} samples are exact copies of each other, in "
                f"{plural(len(self.copies), 'group')}."
            )
        return [*lines, *self.notes]

    def problems(self) -> list[str]:
        """Return the reasons why no study can be run on these data; [] for most data."""
        problems = []
        if len(self.classes) < 2:
            problems.append(
                "at least two classes are needed, got only "
                f"{format_list(map(repr, self.classes))}; is this the right target?"
            )
        if self.too_large:
            problems.append(
                f"the values of {format_list(map(quote_value, self.too_large))} are too large: "
                "their variance exceeds the range of numbers. Divide them by a constant, or mark "
                "wrong values as missing."
            )
        single = [label for label, count in self.classes.items() if count < 2]
        if single:
            problems.append(
                "each class needs at least two samples, got one only of "
                f"{format_list(map(repr, single))}; {self._suggest_remedy()}"
            )
        return problems

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary for JSON."""
        return asdict(self)

    def _suggest_remedy(self) -> str:
        """Return the advice on classes with one sample; many numeric labels may not be classes."""
        numeric = all(parse_finite_number(label) is not None for label in self.classes)
        if numeric and len(self.classes) > MAX_AMBIGUOUS_VALUES:
            return (
                f"{len(self.classes):,} distinct numbers look like a continuous outcome, which is "
                "not supported yet."
            )
        return "is this the right target? If so, leave out such classes or join them with others."

    def _format_missing(self) -> str:
        if not self.n_missing:
            return "No value is missing."
        share = self.n_missing / (self.n_samples * self.n_features)
        return (
            f"{plural(self.n_missing, 'value')} missing ({share:.2%}), in "
            f"{plural(self.n_samples_missing, 'sample')} and "
            f"{plural(self.n_features_missing, 'feature')}."
        )

    def _format_duplicates(self) -> str:
        groups = format_list(
            " = ".join(group if len(group) <= 4 else (*group[:4], "..."))
            for group in self.duplicates
        )
        count = sum(map(len, self.duplicates))
        return (
            f"{count:,} features are exact copies of each other, in "
            f"{plural(len(self.duplicates), 'group')}: {groups}."
        )


def summarize_data(data: Dataset) -> DataSummary:
    """Compute the summary of a data set."""
    rows, columns = _count_missing(data.X)
    constant = constant_features(data.X)
    empty = columns == data.n_samples
    names = np.array(data.feature_names, dtype=object)
    copies = duplicated_features(data.X, ~constant)
    cohorts, weights = None, data.sample_weight
    if data.cohorts is not None:
        labels, counts = np.unique(data.cohorts, return_counts=True)
        cohorts = dict(zip(labels.tolist(), counts.tolist(), strict=True))
    return DataSummary(
        n_samples=data.n_samples,
        n_features=data.n_features,
        classes=dict(zip(data.classes, np.bincount(data.codes).tolist(), strict=True)),
        n_groups=None if data.groups is None else len(np.unique(data.groups)),
        cohorts=cohorts,
        n_nominal=len(data.nominal),
        n_missing=int(rows.sum()),
        n_samples_missing=int(np.count_nonzero(rows)),
        n_features_missing=int(np.count_nonzero(columns)),
        empty=tuple(names[empty]),
        constant=tuple(names[constant & ~empty]),
        duplicates=tuple(tuple(names[group]) for group in copies),
        notes=data.notes,
        copies=tuple(map(tuple, _duplicated_samples(data.X))),
        too_large=tuple(names[_too_large_features(data.X)]),
        density=data.X.nnz / (data.n_samples * data.n_features) if data.is_sparse else None,
        weights=None if weights is None else (float(weights.min()), float(weights.max())),
    )


def check_for_study(data: Dataset) -> DataSummary:
    """Raise if no study can be run on the data.

    Parameters
    ----------
    data : Dataset
        The data.

    Returns
    -------
    DataSummary
        The summary of the data.

    Raises
    ------
    InvalidInputError
        There is only one class, or a class with one sample, or values whose variance exceeds the
        range of numbers.

    Examples
    --------
    >>> from holdfast.io import check_for_study, read_data
    >>> check_for_study(read_data("@wine")).n_samples
    178
    """
    summary = data.summary()
    problems = summary.problems()
    if problems:
        raise InvalidInputError(" ".join(problems))
    return summary


def _count_missing(X: MatrixLike) -> tuple[IndexArray, IndexArray]:
    """Count missing values by row and by column."""
    if is_sparse(X):
        return count_missing(X)
    rows, columns = np.zeros(X.shape[0], dtype=np.intp), np.zeros(X.shape[1], dtype=np.intp)
    for start, block in row_blocks(X):
        gaps = np.isnan(block)
        rows[start : start + len(block)] = gaps.sum(axis=1)
        columns += gaps.sum(axis=0)
    return rows, columns


def _format_counts(counts: dict[str, int]) -> str:
    return format_list((f"{label} {count:,}" for label, count in counts.items()), most=30)


def _features_are(count: int) -> str:
    return f"{plural(count, 'feature')} {'is' if count == 1 else 'are'}"


# Constant features, and features that are exact copies of each other.

# arbitrary: it only decides which columns collide, and colliding columns are compared
_HASH_SEED = 7


def constant_features(X: MatrixLike) -> BoolArray:
    """Return which features have fewer than two distinct values, empty ones included."""
    if is_sparse(X):
        low, high = column_extremes(X)
        return np.asarray(low >= high)
    low = np.full(X.shape[1], np.inf)
    high = np.full(X.shape[1], -np.inf)
    for _, block in row_blocks(X):
        np.fmin(low, np.fmin.reduce(block, axis=0), out=low)
        np.fmax(high, np.fmax.reduce(block, axis=0), out=high)
    return low >= high  # an empty feature keeps inf and -inf


def duplicated_features(X: MatrixLike, among: BoolArray) -> list[list[int]]:
    """Return groups of features with equal values in all rows, missing ones included.

    Each column is hashed to one number; only columns with equal hashes are compared.
    """
    columns = np.flatnonzero(among)
    keys = _column_keys(X)[columns]
    # sorting brings equal hashes together; only runs of at least two can be copies
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    runs = (run for run in np.split(columns[order], ends) if len(run) > 1)
    X = X.tocsc() if is_sparse(X) else X  # columns are compared one by one
    groups = [group for run in runs for group in _equal_groups(X, run.tolist())]
    return sorted(groups)


def class_means(X: MatrixLike, chosen: BoolArray) -> FloatArray:
    """Return the mean of each feature over some rows, without missing values; -inf without any."""
    part = X[chosen]
    if is_sparse(X):
        sums, counts = column_sums(part)
    else:
        sums = np.nansum(part, axis=0, dtype=np.float64)
        counts = np.count_nonzero(~np.isnan(part), axis=0)
    means = np.full(X.shape[1], -np.inf)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _too_large_features(X: MatrixLike) -> BoolArray:
    """Return which features have values whose sum of squared differences may overflow."""
    # n differences of up to twice the largest value, squared and summed
    most = np.sqrt(np.finfo(X.dtype).max / (4 * X.shape[0]))
    if is_sparse(X):
        return np.asarray(np.fmax(*np.abs(_finite_extremes(X))) > most)
    high = np.zeros(X.shape[1])
    for _, block in row_blocks(X):
        np.fmax(high, np.fmax.reduce(np.abs(block), axis=0), out=high)
    return np.asarray(high > most)


def _finite_extremes(X: MatrixLike) -> FloatArray:
    """Return the lowest and the highest value of each column, 0 if all are missing."""
    extremes = np.array(column_extremes(X))
    return np.where(np.isinf(extremes), 0.0, extremes)


def _duplicated_samples(X: MatrixLike) -> list[list[int]]:
    """Return groups of rows with equal values, missing ones included."""
    groups: dict[bytes, list[int]] = {}
    for row, digest in enumerate(row_keys(X) if is_sparse(X) else _dense_row_keys(X)):
        groups.setdefault(digest, []).append(row)
    return [group for group in groups.values() if len(group) > 1]


def _dense_row_keys(X: AnyArray) -> Iterator[bytes]:
    """Yield a digest of each row, equal for rows with equal values, missing ones included."""
    for row in X:
        values = row + X.dtype.type(0)  # -0.0 + 0.0 is 0.0: one bit pattern for zero
        values[np.isnan(values)] = np.nan  # one bit pattern for NaN
        yield hashlib.blake2b(values.tobytes(), digest_size=16).digest()


def _column_keys(X: MatrixLike) -> NDArray[np.uint64]:
    """Return a weighted sum, modulo 2^64, of the bits of each column."""
    weights = np.asarray(np.random.PCG64(_HASH_SEED).random_raw(X.shape[0]))
    if is_sparse(X):
        return column_keys(X, weights)
    keys = np.zeros(X.shape[1], dtype=np.uint64)
    for start, block in row_blocks(X):
        values = block.astype(np.float64) + 0.0  # -0.0 + 0.0 is 0.0: one bit pattern for zero
        values[np.isnan(values)] = np.nan  # one bit pattern for NaN
        bits = values.view(np.uint64)
        # round numbers have zero low bits, and products never carry downwards: mix the high bits in
        bits ^= bits >> np.uint64(32)
        keys += weights[start : start + len(bits)] @ bits
    return keys


def _equal_groups(X: MatrixLike, columns: list[int]) -> list[list[int]]:
    """Split columns with equal hashes into groups of equal columns of at least two."""
    groups: list[list[int]] = []
    while columns:
        first = _column(X, columns[0])
        same = [j for j in columns if np.array_equal(first, _column(X, j), equal_nan=True)]
        groups.append(same)
        columns = sorted(set(columns) - set(same))
    return [group for group in groups if len(group) > 1]


def _column(X: MatrixLike, position: int) -> AnyArray:
    """Return one column as an array."""
    return dense_columns(X, [position])[:, 0] if is_sparse(X) else X[:, position]


# The data of a study: numbers, labels, names, and their source.

REST = "rest"


class GeneratedData(Protocol):
    """A data set that a generator draws, with the truth about its features."""

    @property
    def X(self) -> FloatArray:  # noqa: N802  (the field's name)
        """The data, of shape (n, p)."""

    @property
    def y(self) -> NDArray[np.str_]:
        """The label of each sample."""

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The name of each feature."""

    @property
    def informative(self) -> BoolArray:
        """Which features differ between the classes."""

    @property
    def effects(self) -> FloatArray:
        """The difference of the class means, in standard deviations within a class."""


class DatasetGenerator(Protocol):
    """What draws data sets of one population, such as :class:`holdfast.simulate.Generator`."""

    def draw(self, random_state: int) -> GeneratedData:
        """Draw a data set; the seed decides the samples, not the population."""


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Dataset:
    """Samples in rows, features in columns, one label per sample.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n, p)
        float64 or float32. NaN is a missing value; infinities are refused. Copied only if its
        rows are not contiguous. Other sparse csr and csc matrices and arrays are converted; cells
        stored several times are summed, stored zeros left out.
    y : ndarray of shape (n,)
        The label of each sample, as text.
    feature_names : tuple of str
        The names of the features, without repeats.
    groups : ndarray of shape (n,), optional
        The group (the subject, the batch) of each sample, as text.
    cohorts : ndarray of shape (n,), optional
        The cohort (the study site) of each sample, as text.
    sample_weight : ndarray of shape (n,), optional
        The weight of each sample, float64: finite, at least 0, not all 0.
    nominal : tuple of int, default ()
        Positions of the nominal features; their values are codes 0, 1, ...
    source : mapping, optional
        How to read the data again: ``file`` and the arguments of :func:`read_data`; None if the
        data were in memory.
    truth : ndarray of shape (p,), optional
        Which features are informative, if known.
    generator : Generator, optional
        Draws more data sets like this one; for simulated data.
    notes : tuple of str, default ()
        Remarks of the file reader, such as columns it left out.

    Examples
    --------
    >>> from holdfast.io import read_data
    >>> data = read_data("@wine")
    >>> data
    <Dataset: 178 samples of 13 features in 3 classes. Next: .summary()>
    >>> data.classes
    ('class_0', 'class_1', 'class_2')
    """

    X: MatrixLike
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]
    groups: NDArray[np.str_] | None = None
    cohorts: NDArray[np.str_] | None = None
    sample_weight: FloatArray | None = None
    nominal: tuple[int, ...] = ()
    source: Mapping[str, Any] | None = None
    truth: BoolArray | None = None
    generator: DatasetGenerator | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # so that equal data have equal fingerprints
        X = as_canonical_csr(self.X) if self.is_sparse else np.ascontiguousarray(self.X)
        check_matrix(X)
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "feature_names", tuple(map(str, self.feature_names)))
        n, p = self.X.shape
        check_labels("y", self.y, n)
        for name in ("groups", "cohorts"):
            if getattr(self, name) is not None:
                check_labels(name, getattr(self, name), n)
        if self.sample_weight is not None:
            check_sample_weight(self.sample_weight, n)
        check_length("feature_names", self.feature_names, p, "feature")
        check_text("feature_names", self.feature_names)
        if self.truth is not None:
            check_length("truth", self.truth, p, "feature")
        refuse_repeats(self.feature_names, "feature", InvalidInputError)
        check_nominal(self.nominal, p)
        check_finite(self.X, self.feature_names)

    def __repr__(self) -> str:
        return (
            f"<Dataset: {plural(self.n_samples, 'sample')} of "
            f"{plural(self.n_features, 'feature')} in {len(self.classes)} "
            f"{'class' if len(self.classes) == 1 else 'classes'}. Next: .summary()>"
        )

    @property
    def is_sparse(self) -> bool:
        """Whether X is a sparse matrix."""
        return is_sparse(self.X)

    def dense_matrix(self) -> AnyArray:
        """Return X as an array.

        Returns
        -------
        ndarray of shape (n, p)
            X itself, if it is an array.

        Raises
        ------
        InvalidInputError
            X is sparse, and an array would exceed the limit on memory.
        """
        return to_dense(self.X)

    @property
    def n_samples(self) -> int:
        """Number of samples, n."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features, p."""
        return int(self.X.shape[1])

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The labels that occur, sorted as text."""
        return tuple(np.unique(self.y).tolist())

    @cached_property
    def codes(self) -> IndexArray:
        """The label of each sample as its position among `classes`."""
        return np.searchsorted(np.array(self.classes), self.y)

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 digest of everything that results depend on, such as whether X is sparse."""
        # stored studies compare fingerprints, so neither content nor order of the hash may change
        if self.is_sparse:
            digest = content_digest(self.X)
        else:
            digest = hashlib.sha256(f"{self.X.dtype.str} {self.X.shape}".encode())
            digest.update(np.ascontiguousarray(self.X).data)
        groups = [] if self.groups is None else self.groups.tolist()
        parts: list[Any] = [self.y.tolist(), list(self.feature_names), groups, list(self.nominal)]
        # data without cohorts keep the fingerprints of earlier versions
        if self.cohorts is not None:
            parts.append({"cohorts": self.cohorts.tolist()})
        if self.sample_weight is not None:
            parts.append({"sample_weight": self.sample_weight.tolist()})
        for part in parts:
            digest.update(repr(part).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def summary(self) -> DataSummary:
        """Count samples, classes and missing values; find constant and duplicated features.

        Returns
        -------
        DataSummary
        """
        return summarize_data(self)

    def one_against_rest(self, positive: str) -> Dataset:
        """Return the same data with two classes: `positive` and all others merged.

        Parameters
        ----------
        positive : str
            The class to keep. The others become ``"rest"``, or ``"not <positive>"`` if a class
            is called ``"rest"`` already.

        Returns
        -------
        Dataset
            Without a generator, whose data sets would have the old labels.

        Raises
        ------
        UnknownNameError
            There is no such class.

        Examples
        --------
        >>> from holdfast.io import read_data
        >>> read_data("@wine").one_against_rest("class_1").classes
        ('class_1', 'rest')
        """
        positive = str(positive)
        if positive not in self.classes:
            raise UnknownNameError(
                f"no class is called {positive!r}.{did_you_mean(positive, self.classes)}"
            )
        rest = f"not {positive}" if REST in self.classes else REST
        y = np.where(self.y == positive, positive, rest)
        source = None if self.source is None else {**self.source, "positive": positive}
        return replace(self, y=y, source=source, generator=None)


# Checks of the fields of a data set.


def check_matrix(X: MatrixLike) -> None:
    """Raise unless X is a non-empty matrix of floating-point numbers."""
    if X.ndim != 2 or X.dtype not in (np.float64, np.float32):
        raise InvalidInputError(
            f"X must be a matrix of float64 or float32, got {X.ndim} dimensions of {X.dtype}."
        )
    if 0 in X.shape:
        raise InvalidInputError(
            "at least one sample and one feature are needed, "
            f"got {plural(X.shape[0], 'sample')} of {plural(X.shape[1], 'feature')}."
        )


def check_length(name: str, items: Sized, count: int, noun: str) -> None:
    """Raise unless there is one entry per sample or feature."""
    if len(items) != count:
        raise InvalidInputError(
            f"{name} must have one entry per {noun}, {count:,} in all, got {len(items):,}."
        )


def check_labels(name: str, labels: AnyArray, count: int) -> None:
    """Raise unless labels are text, one per sample."""
    if labels.dtype.kind != "U" or labels.ndim != 1:
        raise InvalidInputError(
            f"{name} must be an array of text, got {labels.ndim} dimensions of {labels.dtype}; "
            "from_arrays takes labels of all kinds."
        )
    check_length(name, labels, count, "sample")
    check_text(name, np.unique(labels).tolist())


def check_sample_weight(weights: AnyArray, count: int) -> None:
    """Raise unless there is one weight per sample: finite, at least 0, and not all 0."""
    if weights.ndim != 1 or weights.dtype != np.float64:
        raise InvalidInputError(
            f"sample_weight must be an array of float64, got {weights.ndim} dimensions of "
            f"{weights.dtype}; from_arrays takes weights of all types of numbers."
        )
    check_length("sample_weight", weights, count, "sample")
    odd = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if odd.size:
        raise InvalidInputError(
            f"sample weights must be finite numbers of at least 0, got {weights[odd[0]]:g} for "
            f"sample {odd[0]:,} (counted from 0)."
        )
    if not weights.any():
        raise InvalidInputError("sample weights must not all be 0.")


def check_text(name: str, items: Iterable[str]) -> None:
    """Raise for text that cannot be written as UTF-8, such as lone surrogates."""
    for item in items:
        if not is_text(item):
            raise InvalidInputError(
                f"{name} must be text that can be written as UTF-8, got {item!a}."
            )


def is_text(item: str) -> bool:
    """Return whether a string can be written as UTF-8."""
    try:
        item.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_nominal(nominal: tuple[int, ...], n_features: int) -> None:
    """Raise for positions outside the features."""
    odd = [j for j in nominal if not 0 <= j < n_features]
    if odd:
        raise InvalidInputError(
            f"nominal must be numbers of features, from 0 to {n_features - 1:,}, got {odd[0]}."
        )


def check_finite(X: MatrixLike, names: tuple[str, ...]) -> None:
    """Raise for infinite values, naming the first; sparse matrices have been checked."""
    if is_sparse(X):
        return
    for start, block in row_blocks(X):
        odd = np.argwhere(np.isinf(block))
        if odd.size:
            row, column = odd[0]
            raise InvalidInputError(
                f"values must be finite or missing, got {block[row, column]} in feature "
                f"{quote_value(names[column])} of sample {start + row} (counted from 0)."
            )


# Large matrices in blocks of rows, so that temporary arrays stay small.

CELLS_PER_BLOCK = 1_000_000  # approximately; 8 MB of float64, chosen by hand


def rows_per_block(n_columns: int) -> int:
    """Return the number of rows per block for this many columns; at least one."""
    return max(1, CELLS_PER_BLOCK // max(1, n_columns))


def row_blocks(X: MatrixLike) -> Iterator[tuple[int, AnyArray]]:
    """Yield blocks of rows, each with the position of its first row."""
    step = rows_per_block(X.shape[1])
    for start in range(0, X.shape[0], step):
        yield start, X[start : start + step]


# Missing values.


def has_missing(X: MatrixLike) -> bool:
    """Return whether values are missing."""
    return bool(np.isnan(X.data if is_sparse(X) else X).any())


def impute_medians(X: AnyArray) -> AnyArray:
    """Replace missing values by the median of their feature, or 0 if it has no value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
        medians = np.nan_to_num(np.nanmedian(X, axis=0))
    return np.where(np.isnan(X), medians, X).astype(X.dtype, copy=False)
