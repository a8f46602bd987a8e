"""The data of a study: numbers, labels, names, and their source."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean, plural
from holdfast._typing import AnyArray, BoolArray, FloatArray, IndexArray
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._data_summary import summarize_data
from holdfast.io._text_files import quote_value, refuse_repeats
from holdfast.io._values import row_blocks

if TYPE_CHECKING:
    from holdfast.io._data_summary import DataSummary


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
    X : ndarray of shape (n, p)
        float64 or float32. NaN is a missing value; infinities are refused. Copied only if its
        rows are not contiguous.
    y : ndarray of shape (n,)
        The label of each sample, as text.
    feature_names : tuple of str
        The names of the features, without repeats.
    groups : ndarray of shape (n,), optional
        The group (the subject, the batch) of each sample, as text.
    cohorts : ndarray of shape (n,), optional
        The cohort (the study site) of each sample, as text.
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

    X: AnyArray
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]
    groups: NDArray[np.str_] | None = None
    cohorts: NDArray[np.str_] | None = None
    nominal: tuple[int, ...] = ()
    source: Mapping[str, Any] | None = None
    truth: BoolArray | None = None
    generator: DatasetGenerator | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_matrix(self.X)
        # so that equal data have equal fingerprints
        object.__setattr__(self, "X", np.ascontiguousarray(self.X))
        object.__setattr__(self, "feature_names", tuple(map(str, self.feature_names)))
        n, p = self.X.shape
        check_labels("y", self.y, n)
        for name in ("groups", "cohorts"):
            if getattr(self, name) is not None:
                check_labels(name, getattr(self, name), n)
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
        """A SHA-256 digest of everything that results depend on."""
        digest = hashlib.sha256(f"{self.X.dtype.str} {self.X.shape}".encode())
        digest.update(np.ascontiguousarray(self.X).data)
        groups = [] if self.groups is None else self.groups.tolist()
        parts: list[Any] = [self.y.tolist(), list(self.feature_names), groups, list(self.nominal)]
        if (
            self.cohorts is not None
        ):  # data without cohorts keep the fingerprints of earlier versions
            parts.append({"cohorts": self.cohorts.tolist()})
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


def check_matrix(X: AnyArray) -> None:
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


def check_finite(X: AnyArray, names: tuple[str, ...]) -> None:
    """Raise for infinite values, naming the first."""
    for start, block in row_blocks(X):
        odd = np.argwhere(np.isinf(block))
        if odd.size:
            row, column = odd[0]
            raise InvalidInputError(
                f"values must be finite or missing, got {block[row, column]} in feature "
                f"{quote_value(names[column])} of sample {start + row} (counted from 0)."
            )
