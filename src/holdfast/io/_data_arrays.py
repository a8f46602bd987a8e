"""Data that are in memory already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.io._data_frame import as_frame, features_of, is_categorical, is_frame, library_of
from holdfast.io._data_labels import as_texts, flattened
from holdfast.io._data_parts import labels_of
from holdfast.io._data_roles import Roles
from holdfast.io._data_target import check_target_array, refuse_structured
from holdfast.io._data_values import as_numbers, first_text
from holdfast.io._dataset import Dataset
from holdfast.io._source import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def from_arrays(
    X: Any,  # noqa: ANN401  (arrays, lists and frames)
    y: Any,  # noqa: ANN401
    *,
    feature_names: Sequence[str] | None = None,
    groups: Any = None,  # noqa: ANN401
    cohorts: Any = None,  # noqa: ANN401
    positive: str | None = None,
) -> Dataset:
    """Make a data set of a matrix and labels.

    Parameters
    ----------
    X : array-like or frame of shape (n, p)
        Numbers; NaN and masked values are missing. float32 stays, all else becomes float64. Frames
        of pandas and polars give their column names. Columns of text are refused: encode them
        first, or use :func:`read_data`, which takes nominal columns. An array that has this form
        already (rows contiguous) is not copied: leave it as it is while the data set is in use.
    y : array-like of shape (n,)
        The label of each sample. Labels become text: 1 and 1.0 ``"1"``, True ``"True"``, a date
        ``"2020-12-31"``; blanks around them are cut. Integers are class labels. Fractions, that is
        a float type, are so only with two distinct values, or with `positive`: more may be amounts
        and are refused, as structured arrays are.
    feature_names : sequence of str, optional
        The names of the features; by default those of the frame, or ``f0``, ``f1``, ...
    groups : array-like of shape (n,), optional
        The group (the subject, the batch) of each sample.
    cohorts : array-like of shape (n,), optional
        The cohort (the study site) of each sample.
    positive : str, optional
        The class that is set against all others together.

    Returns
    -------
    Dataset

    Raises
    ------
    InvalidInputError
        Text, infinite values, missing labels, labels that may be amounts, a sparse matrix, or
        lengths that do not agree.
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
    holdfast.errors.InvalidInputError: y holds 3 distinct numbers (0.5, 1.5, 2.5): classes, or ...
    """
    values, names = _matrix(X)
    named = names if feature_names is None else tuple(str(name) for name in feature_names)
    data = Dataset(
        X=np.ascontiguousarray(values),
        y=_labels("y", y, amounts_refused=positive is None),
        feature_names=named,
        groups=None if groups is None else _labels("groups", groups),
        cohorts=None if cohorts is None else _labels("cohorts", cohorts),
    )
    return data if positive is None else data.one_against_rest(positive)


def _matrix(X: Any) -> tuple[NDArray[Any], tuple[str, ...]]:  # noqa: ANN401
    """Return the numbers and the names of the features."""
    if is_frame(X):
        frame = as_frame(X, "X")
        every = np.arange(len(frame.names))
        roles = Roles(names=tuple(frame.names), target=-1, features=every, nominal=())
        return features_of(frame, roles), roles.names
    if hasattr(X, "toarray"):
        raise InvalidInputError(
            f"X must be dense, got a sparse {type(X).__name__}; use X.toarray() if it fits "
            "into memory."
        )
    values = _array("X", X)
    if values.ndim != 2:
        raise InvalidInputError(
            f"X must have two dimensions, samples and features, got the shape {values.shape}."
        )
    return _numbers(values), tuple(f"f{j}" for j in range(values.shape[1]))


def _numbers(values: NDArray[Any]) -> NDArray[Any]:
    numbers = as_numbers(values.ravel() if values.dtype.kind == "O" else values)
    if numbers is None:
        raise InvalidInputError(
            f"X must hold numbers, got {values.dtype} with values such as "
            f"{shown(first_text(values.ravel()))}."
        )
    return numbers.reshape(values.shape)


def _labels(name: str, values: Any, *, amounts_refused: bool = False) -> NDArray[np.str_]:  # noqa: ANN401
    amounts_refused = amounts_refused and not _is_categorical(values)
    if is_frame(values) or library_of(values) in {"pandas", "polars"}:
        values = values.to_numpy()
    found = flattened(_array(name, values))
    refuse_structured(name, found)
    if found.ndim != 1:
        raise InvalidInputError(
            f"{name} must have one dimension, a value a sample, got the shape {found.shape}."
        )
    labels = labels_of(InvalidInputError, name, as_texts(found))
    if amounts_refused:
        check_target_array(name, found)
    return labels


def _is_categorical(values: Any) -> bool:  # noqa: ANN401
    """Return whether a series, or a frame of one column, declares its values as categories."""
    if is_frame(values):
        kinds = list(getattr(values, "dtypes", []))
        return len(kinds) == 1 and is_categorical(kinds[0])
    return is_categorical(getattr(values, "dtype", None))


def _array(name: str, values: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return values as an array; lists of mixed kinds keep the kind of each value."""
    try:
        found = np.asarray(_unmasked(values))
    except ValueError as error:
        raise InvalidInputError(
            f"{name} must be an array, got parts that differ ({error})."
        ) from None
    if found.dtype.kind in "US" and isinstance(values, list | tuple):
        return np.array(values, dtype=object)
    return found


def _unmasked(values: Any) -> Any:  # noqa: ANN401
    """Return an array with NaN or None for what is masked; all else as it is."""
    if not isinstance(values, np.ma.MaskedArray) or not values.mask.any():
        return values
    wanted = {"b": np.float64, "i": np.float64, "u": np.float64, "f": values.dtype}
    plain = np.array(values.data, dtype=wanted.get(values.dtype.kind, object))
    plain[values.mask] = None  # NaN in numbers
    return plain
