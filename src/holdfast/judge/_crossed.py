"""Similarities between the selections of several selectors, over other and the same resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast.judge._jackknife import means_without_each
from holdfast.measures._interval import MIN_PREFERENCES
from holdfast.measures._tables import SubsetTables
from holdfast.preferences import concat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.measures._pairs import PairMeasure
    from holdfast.preferences import Subsets

    Array = NDArray[np.float64]


class Crossed(NamedTuple):
    """Mean similarities of s selectors: between different resamples, on the same, replicates.

    ``undefined`` is the share of the pairs of different resamples that have no similarity; means
    are over the others, NaN where there are none.
    """

    values: Array
    same: Array
    replicates: Array
    undefined: Array


class _Sums(NamedTuple):
    """Sums of similarities, and how many there are, of shape (m, s, s): the resample first."""

    others: Array
    known: Array
    same: Array


def crossed(
    systems: Sequence[Subsets], record: PairMeasure, groups: Sequence[Sequence[int]] | None
) -> Crossed:
    """Compare all selections of all systems, or those within groups of resamples, then average."""
    if groups is None:
        return _within(systems, record)
    parts = [_within([system[group] for system in systems], record) for group in groups]
    values = np.array([part.values for part in parts])
    same, undefined = (
        np.mean(each, axis=0) for each in zip(*((p.same, p.undefined) for p in parts), strict=True)
    )
    return Crossed(values.mean(axis=0), same, means_without_each(values), undefined)


def _within(systems: Sequence[Subsets], record: PairMeasure) -> Crossed:
    m = len(systems[0])
    sums = _sums(systems, record, m)
    total, number = sums.others.sum(axis=0), sums.known.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair has a similarity
        values = total / number
        without = _without(total, sums.others) / _without(number, sums.known)
    undefined = 1 - number / (m * (m - 1))
    return Crossed(values, _mean(sums.same), without[: m if m >= MIN_PREFERENCES else 0], undefined)


def _without(total: Array, parts: Array) -> Array:
    """Leave each resample out: neither the first selector's selection on it nor the second's."""
    return np.asarray(total - parts - parts.transpose(0, 2, 1))


def _mean(values: Array) -> Array:
    """Average what there is along axis 0; NaN where there is nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nansum(values, axis=0) / (~np.isnan(values)).sum(axis=0))


def _sums(systems: Sequence[Subsets], record: PairMeasure, m: int) -> _Sums:
    """Sum similarities of each resample's selections to those on other resamples."""
    count = len(systems)
    tables = SubsetTables(concat(list(systems)))
    others, known, same = np.empty((3, count * m, count))
    start = 0
    for block in record.function(tables).blocks:
        table = block.reshape(len(block), count, m)
        rows = np.arange(start, start + len(block))
        own = (rows % m)[:, None, None]
        same[rows] = np.take_along_axis(table, own, axis=2)[:, :, 0]
        apart = table.copy()
        np.put_along_axis(apart, own, np.nan, axis=2)
        others[rows] = np.nansum(apart, axis=2)
        known[rows] = (~np.isnan(apart)).sum(axis=2)
        start += len(block)
    return _Sums(*(_by_resample(each, m) for each in (others, known, same)))


def _by_resample(table: Array, m: int) -> Array:
    return table.reshape(-1, m, table.shape[1]).transpose(1, 0, 2)
