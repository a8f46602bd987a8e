r"""Score model: simulated studies from an empirical Bayes model of signed scores.

Method
------
For selectors whose score is a signed test statistic (a two-sample t), each feature has :math:`z_j
\sim N(\mu_j, 1)` after the t statistic is mapped to the normal quantile of the same tail.

*Prior and posterior.* :math:`\mu_j \sim \sum_l \pi_l N(0, \sigma_l^2)` with fixed
:math:`\sigma_l` (one of them 0) and weights fitted by EM to all features, the unimodal prior of
adaptive shrinkage [Stephens2017]_. Given component l, :math:`\mu_j \sim N(b_l z_j, b_l)` with
:math:`b_l = \sigma_l^2 / (1 + \sigma_l^2)`.

*Noise.* The difference of the z-scores of two disjoint halves, divided by :math:`\sqrt 2`, is noise
with variance 1 and the correlations of the features: the effects cancel. Its root mean square over
features and splits rescales both z and the noise, because samples of one subject inflate both.

*Simulation.* Each of 40 draws of all effects from the posterior has 12 studies :math:`\mu +
\varepsilon`, where :math:`\varepsilon` is the noise of a random split with a random sign; each
study selects the k features with the largest :math:`|\mu_j + \varepsilon_j|`. The chance of a
feature is the share of studies that select it; the expected share is the mean overlap of two
studies of one draw. Studies f times as large have the effects :math:`\sqrt f \mu`.

Assumptions
-----------
Effects of different features are independent in the posterior, although their z-scores are not; the
noise of halves has the same correlations as that of the full data.

``benchmarks/calibration`` calibrates the weight of this model in `_chance_model`; the numbers of
draws were chosen by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.stats

from holdfast._typing import FloatArray, IndexArray

PRIOR_SCALES = np.concatenate([[0.0], np.geomspace(0.25, 8.0, 12)])
"""Standard deviations of the components of the prior; standard for adaptive shrinkage."""
N_STEPS = 200
"""EM steps for the weights of the prior; chosen by hand."""
N_EFFECT_DRAWS, N_STUDIES = 40, 12
"""Draws of all effects, and studies simulated for each draw; chosen by hand."""
MAX_PAIRS = 42
"""Most pairs of parts of one size that chances are estimated from; more hardly change a chance.

30 splits into halves come with seven partitions into quarters, which have 42 pairs.
"""
LARGER_STUDIES = (2.0, 4.0, 8.0, 16.0)
"""Sizes of the larger studies whose overlap is simulated, relative to the data; chosen by hand."""
MIN_HALVES = 4
"""Fewest pairs of halves that the noise is estimated from; chosen by hand."""
MIN_TAIL = 1e-12
"""Keeps normal quantiles finite."""


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
        Degrees of freedom of the statistics.
    """

    full: FloatArray
    halves: FloatArray
    full_freedom: float
    half_freedom: float

    @cached_property
    def model(self) -> ScoreModel | None:
        """The model of the scores, for lists of any size; None if there is none."""
        return _fit_score_model(self)


@dataclass(frozen=True, eq=False)
class ScoreModel:
    """What studies are simulated from; features are sorted by their scores.

    Attributes
    ----------
    order : ndarray of int, shape (p,)
        The features in the order of the other attributes.
    z : ndarray of shape (p,)
        Normal scores on the full data, in standard deviations of the noise.
    noise : ndarray of shape (pairs, p)
        Differences of the scores on two halves, with a standard deviation of 1.
    components : ndarray of shape (p, components)
        Cumulated posterior weights of the components of the prior.
    """

    order: IndexArray
    z: FloatArray
    noise: FloatArray
    components: FloatArray


@dataclass(frozen=True, eq=False)
class ScoreVote:
    """Selections of the simulated studies.

    Attributes
    ----------
    chance : ndarray of shape (p,)
        Share of the studies that select each feature.
    share : float
        Mean overlap of two studies with the same effects, as a share of the list size.
    larger : ndarray of shape (4,)
        The same for studies `LARGER_STUDIES` times as large.
    """

    chance: FloatArray
    share: float
    larger: FloatArray

    @property
    def shares(self) -> tuple[float, ...]:
        """`share` and `larger` together."""
        return (self.share, *self.larger.tolist())


def signed_scores_of(
    full: FloatArray | None, halves: Sequence[FloatArray | None], n_samples: int
) -> SignedScores | None:
    """Collect t statistics; None where a part has none.

    `halves` holds the two halves of each split one after the other.
    """
    known = [scores for scores in halves if scores is not None]
    if full is None or not known or len(known) < len(halves):
        return None
    table = np.array(known).reshape(-1, 2, len(full))
    if not (np.isfinite(full).all() and np.isfinite(table).all()):
        return None  # constant features that differ between classes have no finite statistic
    return SignedScores(full, table, n_samples - 2, n_samples / 2 - 2)


def simulate_score_vote(scores: SignedScores, size: int, seed: int = 0) -> ScoreVote | None:
    """Simulate studies that select the `size` features with the highest absolute scores.

    None where there are too few halves, or no noise, to simulate from.
    """
    model = scores.model
    if model is None or size >= len(model.z):
        return None
    order, z, noise, components = model.order, model.z, model.noise, model.components
    generator = np.random.default_rng(seed)
    counts, overlaps = np.zeros(len(z)), []
    factors = np.sqrt([1.0, *LARGER_STUDIES])  # the mean of a z-score grows with the root of n
    n_studies = min(N_STUDIES, len(noise))
    for _ in range(N_EFFECT_DRAWS):
        # inverse transform: the first component whose cumulated weight exceeds a uniform number
        component = (components > generator.random((len(z), 1))).argmax(axis=1)
        variance = PRIOR_SCALES[component] ** 2
        shrink = variance / (1 + variance)
        # given its component, an effect is normal with mean b z and variance b
        effects = shrink * z + np.sqrt(shrink) * generator.standard_normal(len(z))
        # without replacement: two studies with the same noise would agree too well
        rows = generator.choice(len(noise), n_studies, replace=False)
        # the sign of a difference is arbitrary
        signs = generator.choice([-1.0, 1.0], (n_studies, 1))
        errors = signs * noise[rows]
        n_selected = _count_selections(factors[:, np.newaxis, np.newaxis] * effects + errors, size)
        counts += n_selected[0]
        # sum over features of the pairs of studies that both select the feature
        in_both = (n_selected * (n_selected - 1)).sum(axis=1)
        overlaps.append(in_both / (n_studies * (n_studies - 1)) / size)
    chance = np.empty(len(z))
    chance[order] = counts / (N_EFFECT_DRAWS * n_studies)
    share, *larger = np.mean(overlaps, axis=0).tolist()
    return ScoreVote(chance, share, np.array(larger))


def _fit_score_model(scores: SignedScores) -> ScoreModel | None:
    # random numbers belong to places in this order: the order of the columns does not matter
    order = np.lexsort((*scores.halves.reshape(-1, len(scores.full)), scores.full))
    z = _normal_scores(scores.full[order], scores.full_freedom)
    halves = _normal_scores(scores.halves[:, :, order], scores.half_freedom)
    noise = (halves[:, 0] - halves[:, 1]) / np.sqrt(2)
    noise_level = float(np.sqrt(np.square(noise).mean())) if noise.size else 0.0
    if len(noise) < MIN_HALVES or noise_level == 0:
        return None
    # samples of one subject inflate statistics and noise by the same factor
    z, noise = z / noise_level, noise / noise_level
    return ScoreModel(order, z, noise, np.cumsum(_posterior_weights(z), axis=1))


def _count_selections(scores: FloatArray, size: int) -> IndexArray:
    """Count, for each factor, the studies in which each feature has one of the highest scores.

    Scores have the shape (factors, studies, p); the `size` highest absolute ones are selected.
    """
    n_factors, _, n_features = scores.shape
    selected = np.argpartition(-np.abs(scores), size, axis=2)[:, :, :size]
    # one count for all factors: each has a range of numbers of its own
    selected += (n_features * np.arange(n_factors))[:, np.newaxis, np.newaxis]
    counts = np.bincount(selected.ravel(), minlength=n_factors * n_features)
    return counts.reshape(n_factors, n_features)


def _normal_scores(t: FloatArray, freedom: float) -> FloatArray:
    """Map t statistics to normal quantiles with the same tail probability."""
    tail = scipy.stats.t.sf(np.abs(t), max(freedom, 1.0))
    return np.asarray(np.sign(t) * scipy.stats.norm.isf(np.clip(tail, MIN_TAIL, 0.5)))


def _posterior_weights(z: FloatArray) -> FloatArray:
    """Fit the prior weights; return the posterior weights of the components of each feature."""
    # marginally z ~ N(0, 1 + sigma_l^2) in component l
    density = scipy.stats.norm.pdf(z[:, np.newaxis], 0.0, np.sqrt(1 + np.square(PRIOR_SCALES)))
    density /= density.max(axis=1, keepdims=True)  # avoids underflow of large scores
    weights = np.full(len(PRIOR_SCALES), 1 / len(PRIOR_SCALES))
    for _ in range(N_STEPS):
        each = density * weights
        each /= each.sum(axis=1, keepdims=True)
        weights = each.mean(axis=0)
    return np.asarray(each)
