"""What a data set looks like, told before work starts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import format_list, plural
from holdfast.errors import InvalidInputError
from holdfast.io._values import MAX_AMBIGUOUS_VALUES, number_of, row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.io._dataset import Dataset

    Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class DataSummary:
    r"""What a data set looks like.

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
        Number of missing values, and of the samples and features that have some.
    empty : tuple of str
        Features without any value.
    constant : tuple of str
        Features whose values are all equal.
    duplicates : tuple of tuple of str
        Groups of features, constant ones apart, that are exact copies of each other.
    notes : tuple of str
        What the reader of the file did that its owner should know.

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
        """Return the summary as sentences, one a line."""
        told = [self._size(), self._missing()]
        if self.n_groups is not None:
            told.append(f"The samples form {plural(self.n_groups, 'group')}.")
        if self.cohorts is not None:
            told.append(f"{_from(len(self.cohorts))}: {_format_counts(self.cohorts)}.")
        if self.n_nominal:
            told.append(f"{_features_are(self.n_nominal)} nominal.")
        if self.empty:
            told.append(f"{_features_are(len(self.empty))} empty: {format_list(self.empty)}.")
        if self.constant:
            told.append(
                f"{_features_are(len(self.constant))} constant: {format_list(self.constant)}."
            )
        if self.duplicates:
            told.append(self._copies())
        return [*told, *self.notes]

    def problems(self) -> list[str]:
        """Return what keeps a study from being run on these data; nothing for most data."""
        found = []
        if len(self.classes) < 2:
            found.append(
                "at least two classes are needed, got only "
                f"{format_list(map(repr, self.classes))}; is this the right target?"
            )
        single = [label for label, count in self.classes.items() if count < 2]
        if single:
            found.append(
                "each class needs at least two samples, got one only of "
                f"{format_list(map(repr, single))}; {self._single_remedy()}"
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary that JSON can hold."""
        return asdict(self)

    def _single_remedy(self) -> str:
        """Say what to do about classes of one sample, or that these may be no classes."""
        numeric = all(number_of(label) is not None for label in self.classes)
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
    """Look through a data set."""
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
    """Refuse data that no study can be run on.

    Parameters
    ----------
    data : Dataset
        The data.

    Returns
    -------
    DataSummary
        What the data look like, if nothing keeps a study from being run on them.

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


def _missing_by(X: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
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


def _from(cohorts: int) -> str:
    return f"The samples come from {plural(cohorts, 'cohort')}"


def _features_are(count: int) -> str:
    return f"{plural(count, 'feature')} {'is' if count == 1 else 'are'}"


def _cut(group: tuple[str, ...], most: int = 4) -> tuple[str, ...]:
    return group if len(group) <= most else (*group[:most], "...")


# Features that are constant, and features that are exact copies of each other.

_SEED = 7  # any fixed number: it only decides which columns collide, and these are compared


def constant_features(X: NDArray[Any]) -> Mask:
    """Tell which features have no two different values; those without any value are among them."""
    low = np.full(X.shape[1], np.inf)
    high = np.full(X.shape[1], -np.inf)
    for _, block in row_blocks(X):
        np.fmin(low, np.fmin.reduce(block, axis=0), out=low)
        np.fmax(high, np.fmax.reduce(block, axis=0), out=high)
    return low >= high


def duplicated_features(X: NDArray[Any], among: Mask) -> list[list[int]]:
    """Return groups of features with equal values in all rows, missing ones included.

    Columns are summed up by a number each, and only columns of equal numbers are compared.
    """
    columns = np.flatnonzero(among)
    keys = _column_keys(X)[columns]
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    runs = (run for run in np.split(columns[order], ends) if len(run) > 1)
    groups = [group for run in runs for group in _equal_groups(X, run.tolist())]
    return sorted(groups)


def _column_keys(X: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a weighted sum, modulo 2^64, of the bits of each column."""
    weights = np.asarray(np.random.PCG64(_SEED).random_raw(X.shape[0]))
    keys = np.zeros(X.shape[1], dtype=np.uint64)
    for start, block in row_blocks(X):
        values = block.astype(np.float64) + 0.0  # the sum has one zero only
        values[np.isnan(values)] = np.nan  # and one NaN
        bits = values.view(np.uint64)
        # low bits are 0 in round numbers and a product never carries downwards
        bits ^= bits >> np.uint64(32)
        keys += weights[start : start + len(bits)] @ bits
    return keys


def _equal_groups(X: NDArray[Any], columns: list[int]) -> list[list[int]]:
    """Split columns of one key into groups that are equal indeed; single ones are left out."""
    groups: list[list[int]] = []
    while columns:
        first = X[:, columns[0]]
        same = [j for j in columns if np.array_equal(first, X[:, j], equal_nan=True)]
        groups.append(same)
        columns = sorted(set(columns) - set(same))
    return [group for group in groups if len(group) > 1]
