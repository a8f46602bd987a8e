"""Frames of pandas and polars, and tables of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from holdfast._memory import is_sparse
from holdfast._typing import AnyArray, FloatArray, LabelsLike, MatrixLike
from holdfast.errors import HoldfastError, InvalidInputError
from holdfast.io._columns import (
    Roles,
    TargetOrigin,
    assign_roles,
    build_dataset,
    check_labels_present,
    check_target,
    check_target_array,
    encode_nominal,
    encoding_note,
    format_text_features,
    refuse_structured,
)
from holdfast.io._dataset import Dataset
from holdfast.io._sparse import as_canonical_csr
from holdfast.io._text_files import quote_value, refuse_repeats
from holdfast.io._values import as_numbers, as_texts, common_type, first_non_number, flatten_column

if TYPE_CHECKING:
    from holdfast.io._columns import ColumnOptions


@dataclass(frozen=True)
class Frame:
    """A table of any library: names of its columns, and each column as an array."""

    where: str
    names: list[str]
    n_rows: int
    column: Callable[[int], AnyArray]
    kind: type[HoldfastError] = InvalidInputError
    categorical: frozenset[int] = frozenset()
    """Columns that the table itself declares as categories."""

    def error(self, message: str) -> HoldfastError:
        """Return an error about this table, of the class that its origin calls for."""
        return self.kind(f"{self.where}: {message}")

    def values(self, column: int) -> AnyArray:
        """Return a column as an array; raise if its entries are arrays."""
        values = self.column(column)
        if values.ndim != 1:
            raise self.error(
                f"column {quote_value(self.names[column])} must hold one value per row, got "
                f"arrays of the shape {values.shape[1:]}; make each entry a column."
            )
        return values

    def texts(self, column: int) -> list[str | None]:
        """Return a column as text, None where it is missing."""
        return as_texts(self.values(column))


def library_of(data: object) -> str:
    """Return the library that an object comes from: ``pandas``, ``polars`` or another."""
    return type(data).__module__.partition(".")[0]


def is_frame(data: object) -> bool:
    """Return whether an object is a frame of pandas or polars."""
    return library_of(data) in {"pandas", "polars"} and hasattr(type(data), "columns")


def as_frame(data: MatrixLike, where: str = "the frame") -> Frame:
    """Wrap a frame of pandas or polars."""
    if library_of(data) == "polars":
        data = data.lazy().collect()
        names, column = data.columns, lambda j: _polars_values(data.to_series(j))
        return check_frame(Frame(where, list(names), len(data), column))
    names, column = [str(name) for name in data.columns], _pandas_columns(data)
    categorical = frozenset(j for j, kind in enumerate(data.dtypes) if is_categorical(kind))
    return check_frame(Frame(where, names, len(data), column, categorical=categorical))


def is_categorical(dtype: object) -> bool:
    """Return whether a pandas type is categorical; the categories may be numbers."""
    return str(dtype) == "category"


def check_frame(frame: Frame) -> Frame:
    """Raise for a table without rows or columns, or with a repeated column name."""
    refuse_repeats(frame.names, "column", frame.error)
    if not frame.n_rows or not frame.names:
        raise frame.error("at least one row and one column are needed, got none.")
    return frame


def dataset_from_frame(
    frame: Frame,
    options: ColumnOptions,
    source: dict[str, Any] | None,
    notes: tuple[str, ...] = (),
) -> Dataset:
    """Build a data set from a table."""
    roles = assign_roles(frame.where, frame.names, options)
    X = read_features(frame, roles)
    if not (roles.classes or roles.target in frame.categorical):
        target = frame.values(roles.target)
        check_target(frame.where, frame.names[roles.target], target, TargetOrigin.TABLE)
    labels = {
        role: check_labels_present(frame.error, frame.names[column], frame.texts(column))
        for role, column in roles.labels.items()
    }
    nominal = np.flatnonzero(np.isin(roles.features, roles.nominal)).tolist()
    texts = {frame.names[j]: frame.values(j) for j in (*roles.labels.values(), *roles.nominal)}
    notes = (*notes, *roles.notes, *encoding_note(texts))
    fields = {"X": X, **labels, "feature_names": roles.feature_names, "source": source}
    return build_dataset(
        {**fields, "nominal": tuple(nominal), "notes": notes},
        [frame.names[column] for column in roles.nominal],
    )


def read_features(frame: Frame, roles: Roles) -> AnyArray:
    """Return the features as a matrix; raise for columns of text, by name."""
    texts: dict[str, tuple[int | None, str]] = {}
    nominal, columns = set(roles.nominal), []
    for j in roles.features.tolist():
        values = frame.values(j)
        numbers = encode_nominal(as_texts(values)) if j in nominal else as_numbers(values)
        if numbers is None:
            texts[frame.names[j]] = (None, first_non_number(values))
        else:
            columns.append(numbers)
    if texts:
        raise frame.error(format_text_features(texts))
    X = np.empty((frame.n_rows, len(columns)), dtype=common_type(columns))
    for j, numbers in enumerate(columns):
        X[:, j] = numbers
        infinite = np.flatnonzero(np.isinf(numbers))
        if infinite.size:
            raise frame.error(
                f"values must be finite or missing, got {numbers[infinite[0]]} in "
                f"column {quote_value(roles.feature_names[j])} of row {infinite[0]:,} (counted "
                "from 0)."
            )
    return X


def _pandas_columns(data: MatrixLike) -> Callable[[int], AnyArray]:
    """Return a function that returns a column by its position.

    Columns of plain numbers are extracted type by type: pandas is slow with single columns.
    """
    kinds: dict[Any, list[int]] = {}
    for j, kind in enumerate(data.dtypes):
        if isinstance(kind, np.dtype) and kind.kind in "biuf":
            kinds.setdefault(kind, []).append(j)
    plain: dict[int, AnyArray] = {}
    for columns in kinds.values():
        plain.update(zip(columns, data.iloc[:, columns].to_numpy().T, strict=True))
    return lambda j: plain[j] if j in plain else _pandas_values(data.iloc[:, j])


def _polars_values(series: LabelsLike) -> AnyArray:
    """Return a column of polars as an array."""
    values = np.asarray(series.to_numpy())
    # small integers with missing values come as float32, but are as exact as others
    return values.astype(np.float64) if series.dtype.is_integer() and series.has_nulls() else values


def _pandas_values(series: LabelsLike) -> AnyArray:
    """Return a column of pandas as an array, with NaN for missing nullable numbers."""
    if series.dtype.kind in "biuf" and series.hasnans:
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    return np.asarray(series.to_numpy())


# Data in memory.


def from_arrays(
    X: MatrixLike,
    y: LabelsLike,
    *,
    feature_names: Sequence[str] | None = None,
    groups: LabelsLike = None,
    cohorts: LabelsLike = None,
    sample_weight: LabelsLike = None,
    positive: str | None = None,
) -> Dataset:
    """Build a data set from a matrix and labels.

    Parameters
    ----------
    X : array-like, frame or sparse matrix of shape (n, p)
        Numbers; NaN and masked values are missing. float32 is kept, other types become float64.
        Frames of pandas and polars provide the feature names. Columns of text are refused: encode
        them first, or use :func:`read_data`, which accepts nominal columns. A C-contiguous array
        is not copied: do not modify it while the data set is in use. Sparse matrices and arrays of
        SciPy in the format csr or csc stay sparse; cells stored several times are summed.
    y : array-like of shape (n,)
        The label of each sample. Labels become text: 1 and 1.0 ``"1"``, True ``"True"``, a date
        ``"2020-12-31"``; surrounding blanks are removed. Integers are class labels. Floats are
        accepted only with two distinct values or with `positive`: otherwise they may be
        quantities. These and structured arrays are refused.
    feature_names : sequence of str, optional
        The names of the features; by default those of the frame, or ``f0``, ``f1``, ...
    groups : array-like of shape (n,), optional
        The group (the subject, the batch) of each sample.
    cohorts : array-like of shape (n,), optional
        The cohort (the study site) of each sample.
    sample_weight : array-like of shape (n,), optional
        The weight of each sample: finite numbers of at least 0, not all 0.
    positive : str, optional
        The class that is compared with all others merged.

    Returns
    -------
    Dataset

    Raises
    ------
    InvalidInputError
        Text, infinite values, missing labels, impossible weights, labels that may be quantities, a
        sparse matrix with wrong indices, or lengths that do not match.
    UnknownNameError
        No class is called `positive`.

    Examples
    --------
    >>> from holdfast.io import from_arrays
    >>> data = from_arrays([[1.5, 2], [3, float("nan")]], [0, 1])
    >>> data.y.tolist(), data.feature_names
    (['0', '1'], ('f0', 'f1'))
    >>> from_arrays([[1.5], [2.5], [3.5]], [0.5, 1.5, 2.5])
    Traceback (most recent call last):
    ...
    holdfast.errors.InvalidInputError: y holds 3 distinct numbers (0.5, 1.5, 2.5): classes or ...
    """
    values, names = _read_matrix(X)
    if feature_names is not None:
        names = _read_names(feature_names)
    side = {"y": y, "groups": groups, "cohorts": cohorts, "feature_names": feature_names}
    arrays = {name: _as_array(name, values) for name, values in side.items() if values is not None}
    data = Dataset(
        X=values if is_sparse(values) else np.ascontiguousarray(values),
        y=_read_labels("y", y, refuse_quantities=positive is None),
        feature_names=names,
        groups=None if groups is None else _read_labels("groups", groups),
        cohorts=None if cohorts is None else _read_labels("cohorts", cohorts),
        sample_weight=None if sample_weight is None else read_sample_weight(sample_weight),
        notes=encoding_note(arrays),
    )
    return data if positive is None else data.one_against_rest(positive)


def _read_matrix(X: MatrixLike) -> tuple[MatrixLike, tuple[str, ...]]:
    """Return the numbers and the names of the features."""
    if is_frame(X):
        frame = as_frame(X, "X")
        every = np.arange(len(frame.names))
        roles = Roles(names=tuple(frame.names), target=-1, features=every, nominal=())
        return read_features(frame, roles), roles.names
    if is_sparse(X):
        matrix = as_canonical_csr(X)
        return matrix, tuple(f"f{j}" for j in range(matrix.shape[1]))
    if hasattr(X, "toarray"):
        raise InvalidInputError(
            f"X must be an array or a sparse matrix of SciPy, got {type(X).__name__}; convert it "
            "to one of them."
        )
    values = _as_array("X", X)
    if values.ndim != 2:
        raise InvalidInputError(
            f"X must have two dimensions, samples and features, got the shape {values.shape}."
        )
    numbers = as_numbers(values.ravel() if values.dtype.kind == "O" else values)
    if numbers is None:
        raise InvalidInputError(
            f"X must hold numbers, got {values.dtype} with values such as "
            f"{quote_value(first_non_number(values.ravel()))}."
        )
    return numbers.reshape(values.shape), tuple(f"f{j}" for j in range(values.shape[1]))


def _read_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names as text, decoded if they are bytes."""
    items = list(names)
    if any(isinstance(name, bytes) for name in items):
        return tuple(map(str, as_texts(np.array(items, dtype=object))))
    return tuple(map(str, items))


def _read_labels(
    name: str, values: LabelsLike, *, refuse_quantities: bool = False
) -> NDArray[np.str_]:
    refuse_quantities = refuse_quantities and not _declares_categories(values)
    if is_frame(values) or library_of(values) in {"pandas", "polars"}:
        values = values.to_numpy()
    flat = flatten_column(_as_array(name, values))
    refuse_structured(name, flat)
    if flat.ndim != 1:
        raise InvalidInputError(
            f"{name} must have one dimension, one value per sample, got the shape {flat.shape}."
        )
    labels = check_labels_present(InvalidInputError, name, as_texts(flat))
    if refuse_quantities:
        check_target_array(name, flat)
    return labels


def read_sample_weight(values: LabelsLike) -> FloatArray:
    """Return the weights of samples as float64, NaN where missing; raise unless all are numbers."""
    if is_frame(values) or library_of(values) in {"pandas", "polars"}:
        values = values.to_numpy()
    flat = flatten_column(_as_array("sample_weight", values))
    numbers = as_numbers(flat) if flat.ndim == 1 else None
    if numbers is None:
        raise InvalidInputError(
            "sample_weight must have one number per sample, got the shape "
            f"{flat.shape} of {flat.dtype}."
        )
    return numbers.astype(np.float64)


def _declares_categories(values: LabelsLike) -> bool:
    """Return whether a series, or a frame of one column, declares its values as categories."""
    if is_frame(values):
        kinds = list(getattr(values, "dtypes", []))
        return len(kinds) == 1 and is_categorical(kinds[0])
    return is_categorical(getattr(values, "dtype", None))


def _as_array(name: str, values: LabelsLike) -> AnyArray:
    """Return values as an array; lists of mixed types keep the type of each value."""
    try:
        array = np.asarray(_fill_masked(values))
    except ValueError as error:
        raise InvalidInputError(
            f"{name} must be an array, got parts that differ ({error})."
        ) from None
    # NumPy turned the numbers of such a list into text
    if array.dtype.kind in "US" and isinstance(values, list | tuple):
        return np.array(values, dtype=object)
    return array


def _fill_masked(values: LabelsLike) -> MatrixLike:
    """Return an array with NaN or None for masked values; anything else as it is."""
    if not isinstance(values, np.ma.MaskedArray) or not values.mask.any():
        return values
    wanted = {"b": np.float64, "i": np.float64, "u": np.float64, "f": values.dtype}
    plain = np.array(values.data, dtype=wanted.get(values.dtype.kind, object))
    plain[values.mask] = None  # NaN in numbers
    return plain
