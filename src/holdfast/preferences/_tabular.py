"""What Weights and Rankings share: an m x p table of numbers, in memory or mapped from disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.preferences._base import Preferences, frozen
from holdfast.preferences._features import Features
from holdfast.preferences._read_subsets import is_frame, names_of
from holdfast.preferences._storage import empty_table, spooled

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


class Tabular(Preferences):
    """m rows of p numbers."""

    __slots__ = ("_values",)
    _values: NDArray[Any]

    @property
    def values(self) -> NDArray[Any]:
        """The m x p table, read-only; a memory map stays one."""
        return self._values

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self._values.shape[1])

    def _set(self, values: NDArray[Any], features: Features) -> None:
        self._values = frozen(values.view())  # the user's own map stays writable for the user
        self._features = features

    @classmethod
    def _of(cls, values: NDArray[Any], features: Features) -> Self:
        """Build from a table that is known to be valid."""
        new = cls.__new__(cls)
        new._set(values, features)
        return new

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row a preference and one column a feature."""
        import pandas as pd  # noqa: PLC0415  (kept out of the import of the nouns)

        return pd.DataFrame(self._values, columns=list(self._features.all_labels()))

    def __len__(self) -> int:
        return len(self._values)

    def _one(self, index: int) -> NDArray[Any]:
        return np.asarray(self._values[index])

    def _some(self, indices: NDArray[np.intp]) -> Self:
        return self._of(self._values[indices], self._features)

    @classmethod
    def _joined(cls, parts: Sequence[Self]) -> Self:
        rows = sum(len(part) for part in parts)
        dtype = np.result_type(*(part._values.dtype for part in parts))
        values = empty_table((rows, parts[0].n_features), dtype)
        start = 0
        for part in parts:
            values[start : start + len(part)] = part._values
            start += len(part)
        return cls._of(values, parts[0]._features)

    def _same_results(self, other: Self) -> bool:
        return all(np.array_equal(a, b) for a, b in zip(self, other, strict=True))


def read_table(
    data: Any,  # noqa: ANN401
    attributes: Sequence[str],
    n_features: int | None,
    feature_names: Iterable[object] | None,
) -> tuple[NDArray[Any], Features]:
    """Read an array, a frame, fitted estimators or any iterable of vectors as a finite table."""
    features = Features.of(n_features, feature_names)
    if is_frame(data):
        names = tuple(str(column) for column in data.columns)
        if features.names not in (None, names):
            raise InvalidInputError("feature_names differ from the column names of the frame.")
        features, data = Features(features.count, names), np.asarray(data.to_numpy())
    if not isinstance(data, np.ndarray):
        data, features = _from_iterable(data, attributes, features)
    if data.ndim != 2 or data.size == 0 or data.dtype.kind not in "biuf":
        raise InvalidInputError(
            "a table of m rows and p columns of numbers is needed, "
            f"got shape {data.shape} of {data.dtype}."
        )
    features = features.with_count(data.shape[1], "the table")
    check_finite(data)
    return data if isinstance(data, np.memmap) else np.array(data), features


def _from_iterable(
    data: Any,  # noqa: ANN401
    attributes: Sequence[str],
    features: Features,
) -> tuple[NDArray[Any], Features]:
    if isinstance(data, str | bytes) or not isinstance(data, Iterable):
        raise InvalidInputError(f"rows of numbers are needed, got {type(data).__name__}.")
    if isinstance(data, Iterator):
        return spooled(data), features
    rows = list(data)
    if rows and all(hasattr(row, "fit") for row in rows):
        names = names_of(rows)
        if names is not None and features.names is None:
            features = Features(features.count, tuple(names))
        rows = [importance(row, position, attributes) for position, row in enumerate(rows)]
    lengths = {np.shape(row) for row in rows}
    if len(lengths) > 1:
        raise InvalidInputError(f"rows must have one length, got shapes {sorted(lengths)}.")
    return np.asarray(rows), features


def importance(estimator: Any, position: int, attributes: Sequence[str]) -> NDArray[Any]:  # noqa: ANN401
    """Return the vector a fitted estimator keeps; coefficients of several classes are summed."""
    for attribute in attributes:
        found = getattr(estimator, attribute, None)
        if found is not None and not isinstance(found, dict):  # LogisticRegressionCV has one
            values = np.asarray(found)
            return np.abs(np.atleast_2d(values)).sum(axis=0) if attribute == "coef_" else values
    raise InvalidInputError(
        f"estimator {position} ({type(estimator).__name__}) has none of "
        f"{', '.join(attributes)}; is it fitted?"
    )


def check_finite(table: NDArray[Any]) -> None:
    """Refuse missing and infinite values, naming the first."""
    for index, row in enumerate(table):
        finite = np.isfinite(row)
        if not finite.all():
            column = int(np.flatnonzero(~finite)[0])
            raise InvalidInputError(
                f"row {index}, feature {column} holds {row[column]}; all values must be finite. "
                "Drop the feature or give it the lowest weight."
            )
