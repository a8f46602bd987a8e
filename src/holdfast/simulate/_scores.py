"""Training sets of independent Gaussian features that are drawn as what the t-score sees of them.

The t-score looks at a data set through the class means and the pooled variance of each feature.
For independent Gaussian features these have known distributions and are independent of each other,
so they are drawn directly: the cost is that of p features, whatever the number of samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from holdfast.simulate._lda import LinearRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    r"""A training set, as far as the pooled t-score sees it.

    With :math:`n_1` and :math:`n_2` samples of N(μ, 1) and N(-μ, 1), independently by feature,

    .. math:: \bar x_1 - \bar x_2 \sim N(2\mu, 1/n_1 + 1/n_2), \qquad
              (n_1 + n_2 - 2)\, s^2 \sim \chi^2_{n_1 + n_2 - 2}.

    Parameters
    ----------
    counts : tuple of int
        Samples of the two classes.
    mu : array of shape (p,)
        Means of the first class; the second has their negatives.
    difference : array of shape (p,)
        Differences of the class means, first less second.
    variance : array of shape (p,)
        Pooled variances within classes.
    """

    counts: tuple[int, int]
    mu: Array
    difference: Array
    variance: Array

    @classmethod
    def drawn(cls, mu: Array, counts: tuple[int, int], generator: np.random.Generator) -> Moments:
        """Draw the moments of one training set."""
        difference = generator.standard_normal(len(mu))
        difference *= np.sqrt(1 / counts[0] + 1 / counts[1])
        difference += 2 * mu
        freedom = sum(counts) - 2
        variance = generator.chisquare(freedom, len(mu))
        variance /= freedom
        return cls(counts, mu, difference, variance)

    @cached_property
    def scores(self) -> Array:
        """The absolute pooled t-scores."""
        scale = self.variance * (1 / self.counts[0] + 1 / self.counts[1])
        return np.asarray(np.abs(self.difference) / np.sqrt(scale))


class Discriminants:
    r"""LDA on some features of a training set of which only the moments were drawn.

    The classifier also needs the mean of all samples and the correlations within classes. For
    independent Gaussian features neither depends on what was drawn, so they are drawn here: the
    mean is N((n₁ - n₂) μ / n, 1/n), and the scatter within classes is RᵀR with R from the QR
    decomposition of a Gaussian matrix of n - 2 rows (Bartlett: independent normal numbers above the
    diagonal, roots of χ² on it), its columns scaled to the variances that are known. The
    leading columns of R belong to the leading features, so one draw serves all sizes.

    Parameters
    ----------
    moments : Moments
        The training set.
    features : array of int
        Features, best first.
    generator : numpy.random.Generator
        Source of chance.
    """

    def __init__(
        self, moments: Moments, features: NDArray[np.integer[Any]], generator: np.random.Generator
    ) -> None:
        first, second = moments.counts
        n, mu = first + second, moments.mu[features]
        self._freedom = n - 2
        self._difference = moments.difference[features]
        spread = generator.standard_normal(len(features)) / np.sqrt(n)
        mean = (first - second) / n * mu + spread
        self._middle = mean + (second - first) / (2 * n) * self._difference
        root = _bartlett(self._freedom, len(features), generator)
        length = np.sqrt(np.square(root).sum(axis=0))
        self._root = root * (np.sqrt(moments.variance[features] * self._freedom) / length)

    def on_first(self, size: int) -> LinearRule:
        """Return LDA on the first features; the pseudo-inverse where these are too many."""
        difference = self._difference[:size]
        solve = self._inverse if size <= self._freedom else self._pseudo_inverse
        weights = self._freedom * solve(self._root[:size, :size], difference)
        return LinearRule(weights, float(-weights @ self._middle[:size]))

    @staticmethod
    def _inverse(root: Array, difference: Array) -> Array:
        """Solve RᵀR w = difference for a triangular R."""
        inner = solve_triangular(root, difference, trans="T", check_finite=False)
        return np.asarray(solve_triangular(root, inner, check_finite=False))

    @staticmethod
    def _pseudo_inverse(root: Array, difference: Array) -> Array:
        """Return the shortest solution for an R of more columns than rows."""
        basis, inner = qr(root.T, mode="economic", check_finite=False)
        once = solve_triangular(inner, basis.T @ difference, check_finite=False)
        return np.asarray(basis @ solve_triangular(inner, once, trans="T", check_finite=False))


def _bartlett(rows: int, columns: int, generator: np.random.Generator) -> Array:
    """Draw R of the QR decomposition of a Gaussian matrix, never more rows than columns."""
    height = min(rows, columns)
    root = np.triu(generator.standard_normal((height, columns)), 1)
    diagonal = np.sqrt(generator.chisquare(rows - np.arange(height)))
    root[np.arange(height), np.arange(height)] = diagonal
    return root
