r"""A model of how ranks repeat: deconvolution of rank tables from pairs of disjoint parts.

Method. In a study of m samples feature j has a latent score
:math:`Z_j = \theta_j (2m/n)^\gamma + N(0, 1)`, and the study ranks features by it. Only ranks are
observed, so neither the scale nor the origin of the selector's own scores matters. Two disjoint
parts of the data are two independent studies; the table of (rank bin in one, rank bin in the
other), over all features and pairs of parts, has the expectation
:math:`M = \sum_g G_g f_g f_g^T`, with :math:`f_g` the probabilities of the bins for the effect
:math:`\theta_g`. The weights G of a grid of effects are found by EM (nonparametric maximum
likelihood on a grid, Kiefer and Wolfowitz 1956; Laird 1978). Bin thresholds follow from G: the
share of features above the threshold of a rank is that rank divided by p.

All functions fit several models at once: arrays begin with an axis of models.

References
----------
J. Kiefer, J. Wolfowitz (1956). Consistency of the maximum likelihood estimator in the presence of
infinitely many incidental parameters. Annals of Mathematical Statistics 27, 887-906.
N. Laird (1978). Nonparametric maximum likelihood estimation of a mixing distribution. JASA 73,
805-811.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from scipy.special import ndtr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EFFECTS = np.concatenate([np.arange(-3.0, 6.01, 0.25), np.arange(6.5, 9.1, 0.5)])
"""Grid of latent effects in a study of n/2 samples, in standard deviations of the latent noise.

Standard: its step is a quarter of the noise that blurs it; beyond 9 a feature is always first.
"""
SCORES = np.linspace(-6.0, 14.0, 251)
"""Grid of latent scores on which thresholds are looked up."""
EDGES_BY_SIZE = (0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 13, 20, 35, 60, 100)
EDGES_BY_FEATURES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Ends of rank bins, as multiples of the size of the list and as shares of all features."""
STEPS_PER_THRESHOLD = 10
"""EM steps between two updates of the thresholds."""
MARGIN_SWEEPS = 12
"""Sweeps of the symmetric scaling that restores the margins of weighted tables."""
SMALLEST_PROBABILITY = 1e-12
PAIRS_PER_BLOCK = 16
"""Pairs of parts that are counted at a time; keeps memory low where there are many features."""


def rank_edges(size: int, n_features: int) -> NDArray[np.intp]:
    """Return the ends of rank bins from 0 to `n_features`; `size` is one of them."""
    inner = np.concatenate(
        [size * np.array(EDGES_BY_SIZE), n_features * np.array(EDGES_BY_FEATURES)]
    )
    ends = np.unique(np.append(np.round(inner).astype(np.intp), size))
    return np.concatenate([[0], ends[(ends > 0) & (ends < n_features)], [n_features]])


@dataclass(frozen=True, eq=False)
class RankTable:
    """Pairs of parts of one size: how often features fall into each two rank bins.

    Attributes
    ----------
    counts : sparse matrix of shape (p, B * B)
        For each feature the pairs of parts in which it has these two bins.
    edges : ndarray of int, shape (B + 1,)
        Ends of the bins; `size` is one of them.
    size : int
        How many features are selected on each part.
    fraction : float
        Size of each part, as a share of the data.
    """

    counts: scipy.sparse.csr_matrix
    edges: NDArray[np.intp]
    size: int
    fraction: float

    @classmethod
    def from_ranks(
        cls, ranks: NDArray[np.integer], edges: NDArray[np.intp], size: int, fraction: float
    ) -> RankTable:
        """Count the pairs; `ranks` has the shape (pairs, 2, p) and begins with 0."""
        n_bins, n_features = len(edges) - 1, ranks.shape[-1]
        counts = scipy.sparse.csr_matrix((n_features, n_bins**2), dtype=np.float64)
        features = np.arange(n_features)
        for start in range(0, len(ranks), PAIRS_PER_BLOCK):
            bins = np.searchsorted(edges, ranks[start : start + PAIRS_PER_BLOCK], side="right") - 1
            cells = bins[:, 0] * n_bins + bins[:, 1]
            rows = np.broadcast_to(features, cells.shape)
            counts = counts + scipy.sparse.csr_matrix(
                (np.ones(cells.size), (rows.ravel(), cells.ravel())), counts.shape
            )
        return cls(counts, edges, size, fraction)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.edges[-1])

    @property
    def n_bins(self) -> int:
        """Number of rank bins."""
        return len(self.edges) - 1

    @cached_property
    def bin_shares(self) -> Array:
        """Share of the features in each bin."""
        return np.diff(self.edges) / self.n_features

    def weighted(self, weights: Array) -> Array:
        """Return symmetric tables that add up to 1, one for each row of feature weights.

        The margins of a weighted table are scaled back to the shares of the bins: each study
        ranks all features, whatever their weights.
        """
        raw = (self.counts.T @ weights.T).T.reshape(-1, self.n_bins, self.n_bins)
        table = raw + raw.swapaxes(1, 2)
        for _ in range(MARGIN_SWEEPS):
            scale = np.sqrt(self.bin_shares / np.maximum(table.sum(axis=2), 1e-12))
            table = table * scale[:, :, np.newaxis] * scale[:, np.newaxis, :]
        return np.asarray(table / table.sum(axis=(1, 2), keepdims=True))


@lru_cache(maxsize=256)
def _exceedance(scale: float) -> Array:
    """Return the probability that an effect (columns) gives at least a score (rows)."""
    return np.asarray(ndtr(EFFECTS * scale - SCORES[:, np.newaxis]))


def score_thresholds(weights: Array, scales: Array, shares: Array) -> Array:
    """Return the scores that these shares of all features exceed, for each model.

    Parameters
    ----------
    weights : ndarray of shape (models, effects)
        Weights of the effects.
    scales : ndarray of shape (models,)
        What the effects are multiplied by.
    shares : ndarray of shape (s,)
        Ascending.

    Returns
    -------
    ndarray of shape (models, s)
    """
    return np.stack(
        [
            np.interp(shares, (_exceedance(float(scale)) @ own)[::-1], SCORES[::-1])
            for own, scale in zip(weights, scales, strict=True)
        ]
    )


def bin_probabilities(weights: Array, scales: Array, table: RankTable) -> Array:
    """Return the probability of each rank bin for each effect: shape (models, effects, bins)."""
    thresholds = score_thresholds(weights, scales, table.edges[1:-1] / table.n_features)
    effects = EFFECTS * scales[:, np.newaxis]
    below = ndtr(thresholds[:, np.newaxis, :] - effects[:, :, np.newaxis])
    ends = np.zeros((*below.shape[:2], 1))
    falling = np.concatenate([ends + 1, below, ends], axis=2)
    return np.asarray(np.maximum(-np.diff(falling, axis=2), SMALLEST_PROBABILITY))


def fit_effects(
    tables: Sequence[tuple[Array, RankTable]],
    scales: Sequence[Array],
    importance: Sequence[float],
    start: Array,
    n_steps: int,
) -> Array:
    """Fit the weights of the effects by EM.

    Parameters
    ----------
    tables : sequence of (ndarray of shape (models, B, B), RankTable)
        For each size of parts the tables to explain, and their bins.
    scales : sequence of ndarray of shape (models,)
        For each size of parts, what effects are multiplied by.
    importance : sequence of float
        Weight of each size of parts.
    start : ndarray of shape (models, effects)
        Where EM begins.
    n_steps : int
        How many steps are done. Stopping early is part of the method: it keeps G smooth.

    Returns
    -------
    ndarray of shape (models, effects)
    """
    weights = start / start.sum(axis=1, keepdims=True)
    known: list[Array] = []
    for step in range(n_steps):
        if step % STEPS_PER_THRESHOLD == 0:
            known = [
                bin_probabilities(weights, own, table)
                for own, (_, table) in zip(scales, tables, strict=True)
            ]
        update = np.zeros_like(weights)
        for probability, (observed, _), share in zip(known, tables, importance, strict=True):
            expected = _expected_table(weights, probability)
            ratio = probability @ (observed / expected)
            update += share * weights * (ratio * probability).sum(axis=2)
        weights = update / update.sum(axis=1, keepdims=True)
    return np.asarray(weights)


def log_likelihood(
    weights: Array, tables: Sequence[tuple[Array, RankTable]], scales: Sequence[Array]
) -> Array:
    """Return the mean log likelihood of a pair of ranks, summed over the sizes of parts."""
    total = np.zeros(len(weights))
    for (observed, table), own in zip(tables, scales, strict=True):
        expected = _expected_table(weights, bin_probabilities(weights, own, table))
        total += (observed * np.log(expected)).sum(axis=(1, 2))
    return total


def _expected_table(weights: Array, probability: Array) -> Array:
    """Return the table that a model expects."""
    both = (probability.swapaxes(1, 2) * weights[:, np.newaxis, :]) @ probability
    return np.asarray(np.maximum(both, 1e-300))
