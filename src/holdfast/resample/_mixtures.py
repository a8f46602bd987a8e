"""Subjects of like classes: how units are sorted into strata, and what a stratum must keep.

A unit of one class belongs to the stratum of that class. Subjects with samples of several
classes, as in paired designs, have strata of their own, by the class of most samples and by the
classes that are there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 5
"""Strata of fewer units are merged into others, unless a class lives in them above all."""


def like_classes(table: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the stratum of each unit, from the samples of each class that each unit has."""
    kinds = _kinds(table)
    sizes = np.bincount(kinds)
    homes = _homes(kinds, sizes, table)
    small = sizes < FEW
    small[homes] = False
    return _renumbered(np.where(small[kinds], homes[table.argmax(axis=1)], kinds))


def _kinds(table: NDArray[np.intp]) -> NDArray[np.intp]:
    """Number the mixtures of classes; units of one class come first, in the order of classes."""
    kinds = table.argmax(axis=1)
    mixed = np.count_nonzero(table, axis=1) > 1
    if mixed.any():
        traits = np.column_stack([kinds, table > 0])[mixed]
        inverse = np.unique(traits, axis=0, return_inverse=True)[1]
        kinds[mixed] = table.shape[1] + inverse.ravel()
    return _renumbered(kinds)


def _homes(
    kinds: NDArray[np.intp], sizes: NDArray[np.intp], table: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return, for each class, the largest stratum whose units have samples of it."""
    held = np.zeros((len(sizes), table.shape[1]), dtype=bool)
    held[kinds] = table > 0
    homes: NDArray[np.intp] = np.where(held, sizes[:, None], 0).argmax(axis=0)
    return homes


def _renumbered(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.unique(labels, return_inverse=True)[1]


def least_of(labels: NDArray[np.intp], table: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how many units of each stratum give a training part 2 samples of every class.

    Classes are gone through from the rarest on; those that then have 2 samples anyway, as the
    other class of a paired design, ask for no more.
    """
    shape, held = (labels.max() + 1, table.shape[1]), table > 0
    holders, fewest = np.zeros(shape, dtype=np.intp), np.full(shape, 2, dtype=np.intp)
    np.add.at(holders, labels, held)
    np.minimum.at(fewest, labels, np.where(held, table, 2))
    sizes = np.bincount(labels)
    lacking = sizes[:, None] - holders
    least = np.zeros(shape[0], dtype=np.intp)
    for code in np.argsort(held.sum(axis=0), kind="stable"):
        if np.maximum(least - lacking[:, code], 0) @ fewest[:, code] < 2:
            home = holders[:, code].argmax()
            # all drawn units that lack the class, then as many as have 2 samples of it
            enough = lacking[home, code] + 3 - fewest[home, code]
            least[home] = min(max(least[home], enough), sizes[home])
    return least
