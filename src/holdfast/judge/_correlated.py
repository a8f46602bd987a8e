"""Correlations between features where values may be missing and features very many."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.judge._blocks import blocks
from holdfast.measures._similarity import DataSimilarity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PAIRS = 4 * 10**7  # correlations that are taken at most to learn what chance brings


class FilledSimilarity(DataSimilarity):
    """Absolute correlations of the data with medians in place of missing values.

    Up to some 6,000 features the number of similar ones of each, which says how many stand-ins
    chance brings, is exact; beyond, it is estimated from a random sample of features against all.
    """

    def standardised(self, features: NDArray[Any] | slice) -> Array:
        """Return columns centred and scaled to length 1, so that products are correlations."""
        columns = DataSimilarity(filled(self.data[:, features]), self.threshold)
        return DataSimilarity.standardised(columns, slice(None))

    @property
    def sampled(self) -> NDArray[np.intp]:
        """The features whose correlations with all features are looked at."""
        p = self.n_features
        count = min(p, max(1, PAIRS // p))
        return np.sort(np.random.default_rng(0).choice(p, count, replace=False))

    @cached_property
    def _profile(self) -> tuple[NDArray[np.int64], float]:
        """Number of neighbours of each feature, and the sum of all similarities.

        Where only a sample was looked at, its numbers are repeated for the others: measures ask
        how many features have so many neighbours, not which.
        """
        rows = self.sampled
        degrees, total = np.zeros(len(rows), dtype=np.int64), 0.0
        for block in self._against_all(rows):
            degrees += (block > 0).sum(axis=1)
            total += float(block.sum())
        return np.resize(degrees, self.n_features), total * self.n_features / len(rows)

    def _against_all(self, rows: NDArray[np.intp]) -> Iterator[Array]:
        """Yield the similarities of some features with all, block by block of columns."""
        points = self.standardised(rows)
        for columns in blocks(self.n_features, len(rows)):
            block = np.abs(points.T @ self.standardised(columns))
            block[block < self.threshold - 1e-12] = 0.0  # rounding of perfect correlations
            itself = np.flatnonzero((rows >= columns.start) & (rows < columns.stop))
            block[itself, rows[itself] - columns.start] = 0.0
            yield np.minimum(block, 1.0)


def filled(columns: NDArray[Any]) -> NDArray[Any]:
    """Return columns with their median, 0 if there is none, in place of missing values."""
    missing = np.isnan(columns)
    if not missing.any():
        return columns
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        medians = np.nan_to_num(np.nanmedian(columns, axis=0))
    return np.where(missing, medians, columns)
