"""Correlations between features where values may be missing and features very many."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError
from holdfast.judge._significance import Z
from holdfast.measures._feature_similarity import DataSimilarity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        columns = DataSimilarity(impute_medians(self.data[:, features]), self.threshold)
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


def impute_medians(columns: NDArray[Any]) -> NDArray[Any]:
    """Return columns with their median, 0 if there is none, in place of missing values."""
    missing = np.isnan(columns)
    if not missing.any():
        return columns
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        medians = np.nan_to_num(np.nanmedian(columns, axis=0))
    return np.where(missing, medians, columns)


# Work on many columns in blocks, so that memory stays small.

CELLS = 2**22  # numbers that are looked at together


def blocks(count: int, each: int) -> Iterator[slice]:
    """Cut `count` things, of `each` numbers every one, into blocks of not too many numbers."""
    height = max(1, CELLS // max(each, 1))
    return (slice(start, min(start + height, count)) for start in range(0, count, height))


# How strongly features differ between classes: standardised mean differences.


class ClassSums(NamedTuple):
    """Of a block of features, by class: known values, their mean, and squares around it."""

    counts: Array
    means: Array
    squares: Array
    scale: Array


def effect_sizes(X: NDArray[Any], codes: NDArray[Any], classes: Sequence[str]) -> pd.DataFrame:
    r"""Return the standardised mean difference of each feature, towards its highest class.

    With c the class in which the mean of the feature is highest,

    .. math:: d = \frac{\bar x_c - \bar x_{\text{rest}}}{s}, \qquad
       s^2 = \frac{\sum_k \sum_{i \in k} (x_i - \bar x_k)^2}{n - C}

    where the rest are all samples of the other classes together and s is the standard deviation
    within the C classes. With two classes d is the absolute value of Cohen's d. The 95% interval
    is :math:`d \pm 1.96 \sqrt{(n_c + n_r)/(n_c n_r) + d^2/(2(n_c + n_r))}`, for large samples.

    Effect and interval are about a feature that was named before the data were seen. Of features
    that were selected on the same data they are too high, because these were chosen for being high:
    of 2,000 features without any effect in 60 samples, the ten best show 0.84 on average.
    :func:`shrunken_effects` corrects for that.

    Parameters
    ----------
    X : array of shape (n, p)
        The data; missing values (NaN) are left out, feature by feature.
    codes : array of shape (n,)
        Class of each sample, as a number from 0.
    classes : sequence of str
        Labels of the classes.

    Returns
    -------
    DataFrame
        p rows: ``effect``, ``low``, ``high``, ``direction`` (the label of c). For a constant
        feature, or with too few known values for s, all are missing. If only the spread within
        classes is zero, the effect is infinite, without an interval.

    References
    ----------
    Cohen (1988), chapter 2; Hedges and Olkin (1985), chapter 5, for the interval.

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]])
    >>> effects = hf.judge.effect_sizes(X, np.array([0, 0, 1, 1]), ["ill", "well"])
    >>> effects[["effect", "low", "high"]].round(2)
       effect   low  high
    0    2.83  0.06   5.6
    1     NaN   NaN   NaN
    >>> effects["direction"][0]
    'well'
    """
    if len(codes) != len(X) or not np.all((codes >= 0) & (codes < len(classes))):
        raise InvalidInputError(
            f"each of the {plural(len(X), 'sample')} needs a class from 0 to {len(classes) - 1}, "
            f"got {len(codes):,} codes."
        )
    parts = [
        _effects(class_sums(X[:, block], codes, len(classes)))
        for block in blocks(X.shape[1], len(X))
    ]
    effect, half, highest = (np.concatenate(column) for column in zip(*parts, strict=True))
    labels = np.array([*classes, None], dtype=object)
    return pd.DataFrame(
        {
            "effect": effect,
            "low": effect - half,
            "high": effect + half,
            "direction": labels[np.where(np.isnan(effect), len(classes), highest)],
        }
    )


def class_sums(block: NDArray[Any], codes: NDArray[Any], n_classes: int) -> ClassSums:
    block = block.astype(np.float64)
    known = ~np.isnan(block)
    block[~known] = 0.0
    members = np.eye(n_classes)[:, codes]
    counts = members @ known
    with np.errstate(divide="ignore", invalid="ignore"):  # a class without known values
        means = (members @ block) / counts
    apart = np.where(known, block - np.nan_to_num(means)[codes], 0.0)
    scale = np.abs(block).max(axis=0, initial=0.0)
    return ClassSums(counts, means, members @ np.square(apart), scale)


def _effects(sums: ClassSums) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return effects, half the width of their intervals, and the class of the highest mean."""
    counts, means = sums.counts, sums.means
    highest = np.argmax(np.where(counts > 0, means, -np.inf), axis=0)
    columns = np.arange(counts.shape[1])
    n_all, n_own = counts.sum(axis=0), counts[highest, columns]
    n_rest = n_all - n_own
    own, total = means[highest, columns], np.nansum(means * counts, axis=0)
    free = n_all - (counts > 0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # too few known values, no spread
        spread = np.sqrt(sums.squares.sum(axis=0) / free)
        apart = own - (total - own * n_own) / n_rest
        spread, apart = (np.where(v <= 1e-12 * sums.scale, 0.0, v) for v in (spread, apart))
        effect = np.where(free > 0, apart / spread, np.nan)
        half = Z * np.sqrt(n_all / (n_own * n_rest) + np.square(effect) / (2 * n_all))
    return effect, np.where(np.isfinite(effect), half, np.nan), highest
