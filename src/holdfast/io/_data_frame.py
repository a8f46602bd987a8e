"""Frames of pandas and polars, and tables of Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.io._data_labels import as_texts
from holdfast.io._data_parts import codes_of, finished, labels_of, text_features
from holdfast.io._data_roles import roles_of
from holdfast.io._data_target import TargetOrigin, check_target
from holdfast.io._data_values import as_numbers, common_type, first_text
from holdfast.io._source import refuse_repeats, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from holdfast.errors import HoldfastError
    from holdfast.io._data_roles import Roles, Wishes
    from holdfast.io._dataset import Dataset


@dataclass(frozen=True)
class Frame:
    """A table of any library: names of its columns, and each column as an array."""

    where: str
    names: list[str]
    n_rows: int
    column: Callable[[int], NDArray[Any]]
    kind: type[HoldfastError] = InvalidInputError
    categorical: frozenset[int] = frozenset()
    """Columns that the table itself declares as categories."""

    def error(self, message: str) -> HoldfastError:
        """Return an error about this table, of the kind that its origin asks for."""
        return self.kind(f"{self.where}: {message}")

    def values(self, column: int) -> NDArray[Any]:
        """Return a column as an array; refuse one that holds arrays or records."""
        found = self.column(column)
        if found.ndim != 1:
            raise self.error(
                f"column {shown(self.names[column])} must hold one value a row, got arrays of the "
                f"shape {found.shape[1:]}; make each entry a column."
            )
        return found

    def texts(self, column: int) -> list[str | None]:
        """Return a column as text, None where it is missing."""
        return as_texts(self.values(column))


def library_of(data: object) -> str:
    """Return the library that an object comes from: ``pandas``, ``polars`` or another."""
    return type(data).__module__.partition(".")[0]


def is_frame(data: object) -> bool:
    """Tell whether something is a frame of pandas or polars."""
    return library_of(data) in {"pandas", "polars"} and hasattr(type(data), "columns")


def as_frame(data: Any, where: str = "the frame") -> Frame:  # noqa: ANN401
    """Wrap a frame of pandas or polars."""
    if library_of(data) == "polars":
        data = data.lazy().collect()
        names, column = data.columns, lambda j: _polars_series(data.to_series(j))
        return checked(Frame(where, list(names), len(data), column))
    names, column = [str(name) for name in data.columns], _pandas_columns(data)
    categorical = frozenset(j for j, kind in enumerate(data.dtypes) if is_categorical(kind))
    return checked(Frame(where, names, len(data), column, categorical=categorical))


def is_categorical(dtype: object) -> bool:
    """Return whether a type of pandas holds categories, which may be numbers."""
    return str(dtype) == "category"


def checked(frame: Frame) -> Frame:
    """Refuse a table without rows, or with two columns of one name."""
    refuse_repeats(frame.names, "column", frame.error)
    if not frame.n_rows or not frame.names:
        raise frame.error("at least one row and one column are needed, got none.")
    return frame


def frame_data(
    frame: Frame, wishes: Wishes, source: dict[str, Any] | None, notes: tuple[str, ...] = ()
) -> Dataset:
    """Make a data set of a table."""
    roles = roles_of(frame.where, frame.names, wishes)
    X = features_of(frame, roles)
    if not (roles.classes or roles.target in frame.categorical):
        target = frame.values(roles.target)
        check_target(frame.where, frame.names[roles.target], target, TargetOrigin.TABLE)
    labels = {
        role: labels_of(frame.error, frame.names[column], frame.texts(column))
        for role, column in roles.labels.items()
    }
    nominal = np.flatnonzero(np.isin(roles.features, roles.nominal)).tolist()
    fields = {"X": X, **labels, "feature_names": roles.feature_names, "source": source}
    return finished(
        {**fields, "nominal": tuple(nominal), "notes": (*notes, *roles.notes)},
        [frame.names[column] for column in roles.nominal],
    )


def features_of(frame: Frame, roles: Roles) -> NDArray[Any]:
    """Return the features as a matrix; refuse columns of text by their names."""
    texts: dict[str, tuple[int | None, str]] = {}
    nominal, columns = set(roles.nominal), []
    for j in roles.features.tolist():
        values = frame.values(j)
        numbers = codes_of(as_texts(values)) if j in nominal else as_numbers(values)
        if numbers is None:
            texts[frame.names[j]] = (None, first_text(values))
        else:
            columns.append(numbers)
    if texts:
        raise frame.error(text_features(texts))
    X = np.empty((frame.n_rows, len(columns)), dtype=common_type(columns))
    for j, numbers in enumerate(columns):
        X[:, j] = numbers
        _refuse_infinite(frame, roles, j, numbers)
    return X


def _refuse_infinite(frame: Frame, roles: Roles, feature: int, numbers: NDArray[Any]) -> None:
    odd = np.flatnonzero(np.isinf(numbers))
    if odd.size:
        raise frame.error(
            f"values must be finite or missing, got {numbers[odd[0]]} in "
            f"column {shown(roles.feature_names[feature])} of row {odd[0]:,} (counted from 0)."
        )


def _pandas_columns(data: Any) -> Callable[[int], NDArray[Any]]:  # noqa: ANN401
    """Return a function that gives a column by its position.

    Plain numbers are taken out together, type by type: pandas is slow with single columns.
    """
    kinds: dict[Any, list[int]] = {}
    for j, kind in enumerate(data.dtypes):
        if isinstance(kind, np.dtype) and kind.kind in "biuf":
            kinds.setdefault(kind, []).append(j)
    found: dict[int, NDArray[Any]] = {}
    for columns in kinds.values():
        found.update(zip(columns, data.iloc[:, columns].to_numpy().T, strict=True))
    return lambda j: found[j] if j in found else _series(data.iloc[:, j])


def _polars_series(series: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return a column of polars as an array."""
    values = np.asarray(series.to_numpy())
    # small whole numbers with gaps come as float32, but are as exact as others
    return values.astype(np.float64) if series.dtype.is_integer() and series.has_nulls() else values


def _series(series: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return a column of pandas as an array; nullable numbers have NaN for what is missing."""
    if series.dtype.kind in "biuf" and series.hasnans:
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(series.to_numpy())
