"""The summary of a data set, printed before a study starts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import format_list, plural
from holdfast._typing import AnyArray, BoolArray, IndexArray
from holdfast.errors import InvalidInputError
from holdfast.io._values import MAX_AMBIGUOUS_VALUES, parse_finite_number, row_blocks

if TYPE_CHECKING:
    from holdfast.io._dataset import Dataset


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

    def lines(self) -> list[str]:
        """Return the summary as sentences, one per line."""
        lines = [self._size(), self._missing()]
        if self.n_groups is not None:
            lines.append(f"The samples form {plural(self.n_groups, 'group')}.")
        if self.cohorts is not None:
            cohorts = plural(len(self.cohorts), "cohort")
            lines.append(f"The samples come from {cohorts}: {_format_counts(self.cohorts)}.")
        if self.n_nominal:
            lines.append(f"{_features_are(self.n_nominal)} nominal.")
        if self.empty:
            lines.append(f"{_features_are(len(self.empty))} empty: {format_list(self.empty)}.")
        if self.constant:
            lines.append(
                f"{_features_are(len(self.constant))} constant: {format_list(self.constant)}."
            )
        if self.duplicates:
            lines.append(self._copies())
        return [*lines, *self.notes]

    def problems(self) -> list[str]:
        """Return the reasons why no study can be run on these data; [] for most data."""
        problems = []
        if len(self.classes) < 2:
            problems.append(
                "at least two classes are needed, got only "
                f"{format_list(map(repr, self.classes))}; is this the right target?"
            )
        single = [label for label, count in self.classes.items() if count < 2]
        if single:
            problems.append(
                "each class needs at least two samples, got one only of "
                f"{format_list(map(repr, single))}; {self._single_remedy()}"
            )
        return problems

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary for JSON."""
        return asdict(self)

    def _single_remedy(self) -> str:
        """Return the advice on classes with one sample; many numeric labels may not be classes."""
        numeric = all(parse_finite_number(label) is not None for label in self.classes)
        if numeric and len(self.classes) > MAX_AMBIGUOUS_VALUES:
            return (
                f"{len(self.classes):,} distinct numbers look like a continuous outcome, which is "
                "not supported yet."
            )
        return "is this the right target? If so, leave out such classes or join them with others."

    def _size(self) -> str:
        classes = "1 class" if len(self.classes) == 1 else f"{len(self.classes):,} classes"
        size = f"{plural(self.n_samples, 'sample')} of {plural(self.n_features, 'feature')}"
        return f"{size} in {classes}: {_format_counts(self.classes)}."

    def _missing(self) -> str:
        if not self.n_missing:
            return "No value is missing."
        share = self.n_missing / (self.n_samples * self.n_features)
        return (
            f"{plural(self.n_missing, 'value')} missing ({share:.2%}), in "
            f"{plural(self.n_samples_missing, 'sample')} and "
            f"{plural(self.n_features_missing, 'feature')}."
        )

    def _copies(self) -> str:
        groups = format_list(" = ".join(_cut(group)) for group in self.duplicates)
        count = sum(map(len, self.duplicates))
        return (
            f"{count:,} features are exact copies of each other, in "
            f"{plural(len(self.duplicates), 'group')}: {groups}."
        )


def summarize_data(data: Dataset) -> DataSummary:
    """Compute the summary of a data set."""
    rows, columns = _missing_by(data.X)
    still = constant_features(data.X)
    empty = columns == data.n_samples
    names = np.array(data.feature_names, dtype=object)
    copies = duplicated_features(data.X, ~still)
    return DataSummary(
        n_samples=data.n_samples,
        n_features=data.n_features,
        classes=dict(zip(data.classes, np.bincount(data.codes).tolist(), strict=True)),
        n_groups=None if data.groups is None else len(np.unique(data.groups)),
        cohorts=None if data.cohorts is None else _counts(data.cohorts),
        n_nominal=len(data.nominal),
        n_missing=int(rows.sum()),
        n_samples_missing=int(np.count_nonzero(rows)),
        n_features_missing=int(np.count_nonzero(columns)),
        empty=tuple(names[empty]),
        constant=tuple(names[still & ~empty]),
        duplicates=tuple(tuple(names[group]) for group in copies),
        notes=data.notes,
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
        There is only one class, or a class with one sample.

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


def _missing_by(X: AnyArray) -> tuple[IndexArray, IndexArray]:
    """Count missing values by row and by column."""
    rows, columns = np.zeros(X.shape[0], dtype=np.intp), np.zeros(X.shape[1], dtype=np.intp)
    for start, block in row_blocks(X):
        gaps = np.isnan(block)
        rows[start : start + len(block)] = gaps.sum(axis=1)
        columns += gaps.sum(axis=0)
    return rows, columns


def _counts(labels: NDArray[np.str_]) -> dict[str, int]:
    names, counts = np.unique(labels, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def _format_counts(counts: dict[str, int]) -> str:
    return format_list((f"{label} {count:,}" for label, count in counts.items()), most=30)


def _features_are(count: int) -> str:
    return f"{plural(count, 'feature')} {'is' if count == 1 else 'are'}"


def _cut(group: tuple[str, ...], most: int = 4) -> tuple[str, ...]:
    return group if len(group) <= most else (*group[:most], "...")


# Constant features, and features that are exact copies of each other.

_SEED = 7  # arbitrary: it only decides which columns collide, and colliding columns are compared


def constant_features(X: AnyArray) -> BoolArray:
    """Return which features have fewer than two distinct values, empty ones included."""
    low = np.full(X.shape[1], np.inf)
    high = np.full(X.shape[1], -np.inf)
    for _, block in row_blocks(X):
        np.fmin(low, np.fmin.reduce(block, axis=0), out=low)
        np.fmax(high, np.fmax.reduce(block, axis=0), out=high)
    return low >= high


def duplicated_features(X: AnyArray, among: BoolArray) -> list[list[int]]:
    """Return groups of features with equal values in all rows, missing ones included.

    Each column is hashed to one number; only columns with equal hashes are compared.
    """
    columns = np.flatnonzero(among)
    keys = _column_keys(X)[columns]
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    runs = (run for run in np.split(columns[order], ends) if len(run) > 1)
    groups = [group for run in runs for group in _equal_groups(X, run.tolist())]
    return sorted(groups)


def _column_keys(X: AnyArray) -> NDArray[np.uint64]:
    """Return a weighted sum, modulo 2^64, of the bits of each column."""
    weights = np.asarray(np.random.PCG64(_SEED).random_raw(X.shape[0]))
    keys = np.zeros(X.shape[1], dtype=np.uint64)
    for start, block in row_blocks(X):
        values = block.astype(np.float64) + 0.0  # -0.0 + 0.0 is 0.0: one bit pattern for zero
        values[np.isnan(values)] = np.nan  # one bit pattern for NaN
        bits = values.view(np.uint64)
        # round numbers have zero low bits, and products never carry downwards: mix the high bits in
        bits ^= bits >> np.uint64(32)
        keys += weights[start : start + len(bits)] @ bits
    return keys


def _equal_groups(X: AnyArray, columns: list[int]) -> list[list[int]]:
    """Split columns with equal hashes into groups of equal columns of at least two."""
    groups: list[list[int]] = []
    while columns:
        first = X[:, columns[0]]
        same = [j for j in columns if np.array_equal(first, X[:, j], equal_nan=True)]
        groups.append(same)
        columns = sorted(set(columns) - set(same))
    return [group for group in groups if len(group) > 1]
