r"""A model of signed scores: what studies of the same population would select by them.

Method. For selectors whose score is a test statistic with a sign (a two-sample t), each feature has
:math:`z_j \sim N(\mu_j, 1)` after the t law is mapped to the normal one. The prior of
:math:`\mu_j` is a scale mixture of normals around 0, its weights fitted by EM to all features (the
unimodal prior of adaptive shrinkage, Stephens 2017). New studies draw effects from the posterior
and add noise with the correlations that the features have: the differences of the statistics of two
disjoint halves hold noise alone, as the effects cancel.

Reference
---------
M. Stephens (2017). False discovery rates: a new deal. Biostatistics 18, 275-294.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PRIOR_SCALES = np.concatenate([[0.0], np.geomspace(0.25, 8.0, 12)])
"""Standard deviations of the normal laws that the prior is mixed from; standard."""
N_STEPS = 200
"""EM steps for the weights of the prior."""
N_EFFECT_DRAWS, N_STUDIES = 40, 12
"""Draws of all effects, and studies simulated for each draw."""
MAX_PAIRS = 42
"""Most pairs of parts of one size that chances rest on; more of them hardly change a chance.

Seven partitions into quarters, what 30 splits into halves come with, have 42 pairs.
"""
LARGER_STUDIES = (2.0, 4.0, 8.0, 16.0)
"""How many times as large studies are whose overlap is simulated, too."""
MIN_HALVES = 4
"""Fewest pairs of halves that show how noise correlates."""
MIN_TAIL = 1e-12


@dataclass(frozen=True, eq=False)
class SignedScores:
    """Signed t statistics of all features and their degrees of freedom.

    Attributes
    ----------
    full : ndarray of shape (p,)
        On the full data.
    halves : ndarray of shape (pairs, 2, p)
        On pairs of disjoint halves.
    full_freedom, half_freedom : float
        Degrees of freedom of both.
    """

    full: Array
    halves: Array
    full_freedom: float
    half_freedom: float


@dataclass(frozen=True, eq=False)
class ScoreVote:
    """What simulated studies select.

    Attributes
    ----------
    chance : ndarray of shape (p,)
        Share of the studies that select each feature.
    share : float
        Mean overlap of two studies with the same effects, as a share of the list.
    larger : ndarray of shape (4,)
        The same in studies `LARGER_STUDIES` times as large.
    """

    chance: Array
    share: float
    larger: Array


def signed_scores_of(
    full: Array | None, halves: Sequence[Array | None], n_samples: int
) -> SignedScores | None:
    """Put t statistics together; None where a part has none.

    `halves` holds the two halves of each split one after the other.
    """
    known = [own for own in halves if own is not None]
    if full is None or not known or len(known) < len(halves):
        return None
    table = np.array(known).reshape(-1, 2, len(full))
    if not (np.isfinite(full).all() and np.isfinite(table).all()):
        return None  # constant features that differ between classes have no finite statistic
    return SignedScores(full, table, n_samples - 2, n_samples / 2 - 2)


def vote_of_scores(scores: SignedScores, size: int, seed: int = 0) -> ScoreVote | None:
    """Simulate studies that select the `size` features of the highest absolute scores.

    None where there are too few halves, or no noise, to simulate from.
    """
    # random numbers belong to places in this order: columns may come in any order
    order = np.lexsort((*scores.halves.reshape(-1, len(scores.full)), scores.full))
    z = _normal_scores(scores.full[order], scores.full_freedom)
    halves = _normal_scores(scores.halves[:, :, order], scores.half_freedom)
    noise = (halves[:, 0] - halves[:, 1]) / np.sqrt(2)
    spread = float(np.sqrt(np.square(noise).mean())) if noise.size else 0.0
    if len(noise) < MIN_HALVES or spread == 0 or size >= len(z):
        return None
    # samples of one subject inflate statistics and noise alike
    z, noise = z / spread, noise / spread
    generator = np.random.default_rng(seed)
    components = np.cumsum(_posterior_weights(z), axis=1)
    counts, overlaps = np.zeros(len(z)), []
    factors = np.sqrt([1.0, *LARGER_STUDIES])  # means of more samples are further from 0
    n_studies = min(N_STUDIES, len(noise))
    for _ in range(N_EFFECT_DRAWS):
        component = (components > generator.random((len(z), 1))).argmax(axis=1)
        variance = PRIOR_SCALES[component] ** 2
        shrink = variance / (1 + variance)
        effects = shrink * z + np.sqrt(shrink) * generator.standard_normal(len(z))
        rows = generator.choice(len(noise), n_studies, replace=False)
        signs = generator.choice([-1.0, 1.0], (n_studies, 1))  # a difference has no direction
        errors = signs * noise[rows]
        times = np.array([_times_selected(factor * effects + errors, size) for factor in factors])
        counts += times[0]
        overlaps.append((times * (times - 1)).sum(axis=1) / (n_studies * (n_studies - 1)) / size)
    chance = np.empty(len(z))
    chance[order] = counts / (N_EFFECT_DRAWS * n_studies)
    share, *larger = np.mean(overlaps, axis=0).tolist()
    return ScoreVote(chance, share, np.array(larger))


def _times_selected(scores: Array, size: int) -> NDArray[np.intp]:
    """Count in how many rows each feature has one of the `size` highest absolute scores."""
    chosen = np.argpartition(-np.abs(scores), size, axis=1)[:, :size]
    return np.bincount(chosen.ravel(), minlength=scores.shape[1])


def _normal_scores(t: Array, freedom: float) -> Array:
    """Map t statistics to normal ones of the same tail."""
    tail = scipy.stats.t.sf(np.abs(t), max(freedom, 1.0))
    return np.asarray(np.sign(t) * scipy.stats.norm.isf(np.clip(tail, MIN_TAIL, 0.5)))


def _posterior_weights(z: Array) -> Array:
    """Fit the weights of the prior's normal laws; return those of each feature's posterior."""
    density = scipy.stats.norm.pdf(z[:, np.newaxis], 0.0, np.sqrt(1 + np.square(PRIOR_SCALES)))
    density /= density.max(axis=1, keepdims=True)  # far scores have tiny densities everywhere
    weights = np.full(len(PRIOR_SCALES), 1 / len(PRIOR_SCALES))
    for _ in range(N_STEPS):
        each = density * weights
        each /= each.sum(axis=1, keepdims=True)
        weights = each.mean(axis=0)
    return np.asarray(each)
