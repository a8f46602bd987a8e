"""Similarities between the selections of several selectors, over other and the same resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast.judge._jackknife import FEW, means_without_each
from holdfast.measures._tables import SubsetTables
from holdfast.preferences import concat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.measures._pairs import PairMeasure
    from holdfast.preferences import Subsets

    Array = NDArray[np.float64]


class Crossed(NamedTuple):
    """Mean similarities of s selectors: between different resamples, on the same, replicates."""

    values: Array
    same: Array
    replicates: Array


def crossed(
    systems: Sequence[Subsets], record: PairMeasure, groups: Sequence[Sequence[int]]
) -> Crossed:
    """Compare all selections of all systems within groups of resamples, then average."""
    parts = [_within([system[group] for system in systems], record) for group in groups]
    if len(parts) == 1:
        return parts[0]
    values = np.array([part.values for part in parts])
    same = np.mean([part.same for part in parts], axis=0)
    return Crossed(values.mean(axis=0), same, means_without_each(values))


def _within(systems: Sequence[Subsets], record: PairMeasure) -> Crossed:
    m = len(systems[0])
    others, same = _sums(systems, record, m)
    total = others.sum(axis=0)
    number = m * (m - 1)
    values = total / number
    if m < FEW:
        return Crossed(values, same, others[:0])
    # without a resample: neither the first selector's selection on it nor the second's
    without = (total - others - others.transpose(0, 2, 1)) / ((m - 1) * (m - 2))
    return Crossed(values, same, without)


def _sums(systems: Sequence[Subsets], record: PairMeasure, m: int) -> tuple[Array, Array]:
    """Sum similarities of each resample's selections to those on other resamples.

    Returns an array of shape (m, s, s), and the mean similarities on the same resample.
    """
    count = len(systems)
    tables = SubsetTables(concat(list(systems)))
    others, same = np.empty((count * m, count)), np.empty((count * m, count))
    start = 0
    for block in record.function(tables).blocks:
        table = block.reshape(len(block), count, m)
        rows = np.arange(start, start + len(block))
        same[rows] = np.take_along_axis(table, (rows % m)[:, None, None], axis=2)[:, :, 0]
        others[rows] = table.sum(axis=2) - same[rows]
        start += len(block)
    by_resample = others.reshape(count, m, count).transpose(1, 0, 2)
    return by_resample, same.reshape(count, m, count).mean(axis=1)
