r"""Rank model: deconvolution of rank tables from pairs of disjoint parts.

Method
------
In a study of m samples feature j has a latent score :math:`Z_j = \theta_j (2m/n)^\gamma +
\varepsilon_j` with :math:`\varepsilon_j \sim N(0, 1)`, and the study ranks features by it. Only
ranks are observed, so neither the scale nor the origin of the selector's scores matters. Two
disjoint parts of the data are two independent studies. The table N of (rank bin in one, rank bin in
the other), over all features and pairs of parts, has the expectation

.. math:: M(G) = \sum_g G_g\, f_g f_g^T, \qquad
   f_{gb} = \Phi(t_{b-1} - \theta_g s) - \Phi(t_b - \theta_g s)
   \quad (\text{from above}), \quad s = (2m/n)^\gamma,

with the weights G of a grid of effects :math:`\theta_g`. The thresholds follow from G: a share
:math:`r/p` of the features exceeds the threshold of rank r, :math:`\sum_g G_g \Phi(\theta_g s - t)
= r/p`. G maximises :math:`\sum_m w_m \sum N_m \log M_m(G)` over the sizes m of parts with the
weights :math:`w_m` (nonparametric maximum likelihood on a grid [Kiefer1956]_) and is found by EM
[Laird1978]_:

.. math:: G_g \leftarrow G_g \sum_m w_m\, f_g^T (N_m / M_m) f_g \; / \; \text{sum}.

Deviations
----------
Thresholds are updated every ten EM steps only, so a step need not increase the likelihood. EM is
stopped early, which keeps G smooth. Features are treated as independent in the likelihood; the
weighted bootstrap of `_chance_model` accounts for correlation. Weighted tables are scaled back to
the margins of unweighted ones (iterative proportional fitting), because each study ranks all
features.

All functions fit several models at once: the first axis of arrays is that of models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.special import ndtr

from holdfast._typing import FloatArray, IndexArray

EFFECTS = np.concatenate([np.arange(-3.0, 6.01, 0.25), np.arange(6.5, 9.1, 0.5)])
"""Grid of latent effects in a study of n/2 samples, in standard deviations of the latent noise.

Standard: its step is a quarter of the noise; a feature with an effect of 9 is always ranked first.
"""
SCORES = np.linspace(-6.0, 14.0, 251)
"""Grid of latent scores on which thresholds are interpolated; standard."""
EDGES_BY_SIZE = (0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 13, 20, 35, 60, 100)
EDGES_BY_FEATURES = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Ends of rank bins, as multiples of the list size and shares of all features; chosen by hand."""
STEPS_PER_THRESHOLD = 10
"""EM steps between two updates of the thresholds; chosen by hand."""
MARGIN_SWEEPS = 12
"""Sweeps of the symmetric scaling that restores the margins of weighted tables; chosen by hand."""
SMALLEST_PROBABILITY = 1e-12
PAIRS_PER_BLOCK = 16
"""Pairs of parts counted at a time; limits memory with many features."""


def rank_edges(size: int, n_features: int) -> IndexArray:
    """Return the ends of rank bins from 0 to `n_features`; `size` is one of them."""
    # narrow bins around the list size, where ranks decide on selection; wide ones in the noise
    inner = np.concatenate(
        [size * np.array(EDGES_BY_SIZE), n_features * np.array(EDGES_BY_FEATURES)]
    )
    ends = np.unique(np.append(np.round(inner).astype(np.intp), size))
    return np.concatenate([[0], ends[(ends > 0) & (ends < n_features)], [n_features]])


@dataclass(frozen=True, eq=False)
class RankTable:
    """Joint counts of the rank bins of features in pairs of parts of one size.

    Attributes
    ----------
    counts : sparse matrix of shape (p, B * B)
        For each feature, the number of pairs of parts in which it falls into each pair of bins.
    edges : ndarray of int, shape (B + 1,)
        Ends of the bins; `size` is one of them.
    size : int
        Number of features selected on each part.
    fraction : float
        Size of each part, as a share of the data.
    """

    counts: scipy.sparse.csr_matrix
    edges: IndexArray
    size: int
    fraction: float

    @classmethod
    def from_ranks(
        cls, ranks: NDArray[np.integer], edges: IndexArray, size: int, fraction: float
    ) -> RankTable:
        """Count the bins of ranks, of shape (pairs, 2, p); 0 is the best rank."""
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
    def bin_shares(self) -> FloatArray:
        """Share of the features in each bin."""
        return np.diff(self.edges) / self.n_features

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Return symmetric tables that sum to 1, one per row of feature weights.

        The margins of a weighted table are scaled back to the shares of the bins, because each
        study ranks all features, whatever their weights.
        """
        raw = (self.counts.T @ weights.T).T.reshape(-1, self.n_bins, self.n_bins)
        table = raw + raw.swapaxes(1, 2)  # the order of the two parts is arbitrary
        for _ in range(MARGIN_SWEEPS):
            # each cell is scaled for its row and its column: the root of the ratio on both sides
            scale = np.sqrt(self.bin_shares / np.maximum(table.sum(axis=2), 1e-12))
            table = table * scale[:, :, np.newaxis] * scale[:, np.newaxis, :]
        return np.asarray(table / table.sum(axis=(1, 2), keepdims=True))


@lru_cache(maxsize=256)
def _exceedance(scale: float) -> FloatArray:
    """Return the probability that the score of an effect (columns) exceeds a score (rows)."""
    return np.asarray(ndtr(EFFECTS * scale - SCORES[:, np.newaxis]))


def score_thresholds(weights: FloatArray, scales: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the latent scores that given shares of all features exceed, for each model.

    Parameters
    ----------
    weights : ndarray of shape (models, effects)
        Weights of the effects.
    scales : ndarray of shape (models,)
        Factors of the effects.
    shares : ndarray of shape (s,)
        Ascending.

    Returns
    -------
    ndarray of shape (models, s)
    """
    return np.stack(
        [
            # the share above a score falls with the score; np.interp needs ascending abscissae
            np.interp(shares, (_exceedance(float(scale)) @ row)[::-1], SCORES[::-1])
            for row, scale in zip(weights, scales, strict=True)
        ]
    )


def bin_probabilities(weights: FloatArray, scales: FloatArray, table: RankTable) -> FloatArray:
    """Return the probability of each rank bin for each effect: shape (models, effects, bins)."""
    thresholds = score_thresholds(weights, scales, table.edges[1:-1] / table.n_features)
    effects = EFFECTS * scales[:, np.newaxis]
    below = ndtr(thresholds[:, np.newaxis, :] - effects[:, :, np.newaxis])
    ends = np.zeros((*below.shape[:2], 1))
    # P(score below threshold) for thresholds from infinity (1) down to minus infinity (0)
    falling = np.concatenate([ends + 1, below, ends], axis=2)
    return np.asarray(np.maximum(-np.diff(falling, axis=2), SMALLEST_PROBABILITY))


def fit_effects(
    tables: Sequence[tuple[FloatArray, RankTable]],
    scales: Sequence[FloatArray],
    importance: Sequence[float],
    start: FloatArray,
    n_steps: int,
) -> FloatArray:
    """Fit the weights of the effects by EM.

    Parameters
    ----------
    tables : sequence of (ndarray of shape (models, B, B), RankTable)
        For each size of parts, the observed tables and their bins.
    scales : sequence of ndarray of shape (models,)
        For each size of parts, the factors of the effects.
    importance : sequence of float
        Weight of each size of parts.
    start : ndarray of shape (models, effects)
        Starting weights.
    n_steps : int
        Number of steps. Stopping early is part of the method: it keeps G smooth.

    Returns
    -------
    ndarray of shape (models, effects)
    """
    weights = start / start.sum(axis=1, keepdims=True)
    probabilities: list[FloatArray] = []
    for step in range(n_steps):
        if step % STEPS_PER_THRESHOLD == 0:
            probabilities = [
                bin_probabilities(weights, scale, table)
                for scale, (_, table) in zip(scales, tables, strict=True)
            ]
        update = np.zeros_like(weights)
        for probability, (observed, _), share in zip(
            probabilities, tables, importance, strict=True
        ):
            # f_g' (N / M) f_g of the EM step, for all effects g at once
            expected = _expected_table(weights, probability)
            ratio = probability @ (observed / expected)
            update += share * weights * (ratio * probability).sum(axis=2)
        weights = update / update.sum(axis=1, keepdims=True)
    return np.asarray(weights)


def log_likelihood(
    weights: FloatArray,
    tables: Sequence[tuple[FloatArray, RankTable]],
    scales: Sequence[FloatArray],
) -> FloatArray:
    """Return the mean log likelihood per pair of ranks, summed over the sizes of parts."""
    total = np.zeros(len(weights))
    for (observed, table), scale in zip(tables, scales, strict=True):
        expected = _expected_table(weights, bin_probabilities(weights, scale, table))
        total += (observed * np.log(expected)).sum(axis=(1, 2))
    return total


def _expected_table(weights: FloatArray, probability: FloatArray) -> FloatArray:
    """Return the expected table M(G)."""
    joint = (probability.swapaxes(1, 2) * weights[:, np.newaxis, :]) @ probability
    return np.asarray(np.maximum(joint, 1e-300))  # avoids division by 0
