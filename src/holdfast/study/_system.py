"""From stored rows to systems of preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.errors import InvalidInputError
from holdfast.preferences import Groups, Rankings, Subsets, Weights
from holdfast.preferences._storage import empty_table
from holdfast.study._store import to_floats, to_integers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from holdfast.study._view import FeatureGroup


def subsets(rows: list[NDArray[np.int32]], **features: Any) -> Subsets:
    """Return selections of features."""
    return Subsets(rows, **features)


def groups(rows: list[list[FeatureGroup]], **features: Any) -> Groups:
    """Return results that are groups of features."""
    return Groups(
        [[group.members for group in row] for row in rows],
        representatives=[[group.representative for group in row] for row in rows],
        **features,
    )


def rankings(rows: list[bytes], **features: Any) -> Rankings:
    """Return rankings of all features."""
    return Rankings(_table(rows, to_integers), **features)


def weights(rows: list[bytes], **features: Any) -> Weights:
    """Return weights of all features."""
    return Weights(_table(rows, to_floats), **features)


def _table(rows: Sequence[bytes], read: Callable[[bytes], NDArray[Any]]) -> NDArray[Any]:
    if not rows:
        raise InvalidInputError("at least one preference is needed, got none.")
    first = read(rows[0])
    table = empty_table((len(rows), len(first)), first.dtype)
    for position, row in enumerate(rows):
        table[position] = read(row)
    return table
