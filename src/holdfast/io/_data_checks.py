"""What a data set refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.io._data_blocks import row_blocks
from holdfast.io._source import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def check_matrix(X: NDArray[Any]) -> None:
    """Refuse what is no matrix of numbers, or an empty one."""
    if X.ndim != 2 or X.dtype not in (np.float64, np.float32):
        raise InvalidInputError(
            f"X must be a matrix of float64 or float32, got {X.ndim} dimensions of {X.dtype}."
        )
    if 0 in X.shape:
        raise InvalidInputError(
            "at least one sample and one feature are needed, "
            f"got {plural(X.shape[0], 'sample')} of {plural(X.shape[1], 'feature')}."
        )


def check_length(name: str, items: Any, count: int, noun: str) -> None:  # noqa: ANN401
    """Refuse another number of entries than there are samples or features."""
    if len(items) != count:
        raise InvalidInputError(
            f"{name} must have one entry a {noun}, {count:,} in all, got {len(items):,}."
        )


def check_labels(name: str, labels: NDArray[Any], count: int) -> None:
    """Refuse labels that are no text, or another number of them than of samples."""
    if labels.dtype.kind != "U" or labels.ndim != 1:
        raise InvalidInputError(
            f"{name} must be an array of text, got {labels.ndim} dimensions of {labels.dtype}; "
            "from_arrays takes labels of all kinds."
        )
    check_length(name, labels, count, "sample")
    check_text(name, np.unique(labels).tolist())


def check_text(name: str, items: Iterable[str]) -> None:
    """Refuse text that no file can hold: halves of characters, as undecodable bytes leave them."""
    for item in items:
        if not is_text(item):
            raise InvalidInputError(
                f"{name} must be text that can be written as UTF-8, got {item!a}."
            )


def is_text(item: str) -> bool:
    """Return whether something can be written as UTF-8."""
    try:
        item.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_nominal(nominal: tuple[int, ...], n_features: int) -> None:
    """Refuse numbers that no feature has."""
    odd = [j for j in nominal if not 0 <= j < n_features]
    if odd:
        raise InvalidInputError(
            f"nominal must be numbers of features, from 0 to {n_features - 1:,}, got {odd[0]}."
        )


def check_finite(X: NDArray[Any], names: tuple[str, ...]) -> None:
    """Refuse infinite values, by the first of them."""
    for start, block in row_blocks(X):
        odd = np.argwhere(np.isinf(block))
        if odd.size:
            row, column = odd[0]
            raise InvalidInputError(
                f"values must be finite or missing, got {block[row, column]} in feature "
                f"{shown(names[column])} of sample {start + row} (counted from 0)."
            )
