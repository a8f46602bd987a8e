r"""What a comparison of cohorts could have shown: its power at the given sizes.

Method. Scores of features that do not correlate are simulated: k informative ones of p, all of the
same effect :math:`\delta`, have in a cohort of n samples the score
:math:`\sqrt{n/4}\,\delta` plus standard normal noise; the k highest are selected. The effect is
the one at which dealt cohorts have as many features in common as those of the data. Then cohorts
are simulated that share no informative feature, or half of them, dealt as the data were, and
tested. Where features correlate, power is lower.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MAX_FEATURES = 2000
"""Most features that are simulated; more hardly change the power."""
N_STUDIES, N_DEALINGS = 100, 39
N_TRIAL_STUDIES, N_TRIAL_DEALINGS, N_BISECTIONS = 20, 4, 10
MAX_EFFECT = 5.0
ALPHA = 0.05


class CohortPower(NamedTuple):
    """Share of studies that would notice (p at most 0.05) that cohorts differ.

    Attributes
    ----------
    all_differ : float
        Where no informative feature of one cohort is informative in another.
    half_differ : float
        Where half of the informative features are.
    """

    all_differ: float
    half_differ: float


def estimate_power(
    sizes: Sequence[int], n_features: int, n_selected: int, n_common: float
) -> CohortPower:
    """Estimate the power of a comparison of cohorts.

    Parameters
    ----------
    sizes : sequence of int
        Samples of each cohort.
    n_features, n_selected : int
        Features to select from, and selected in each cohort.
    n_common : float
        How many features two dealt cohorts have in common, on average.

    Returns
    -------
    CohortPower
        Both are NaN where all features are selected.
    """
    p = min(n_features, MAX_FEATURES)
    if not 0 < n_selected < p:
        return CohortPower(np.nan, np.nan)
    n = np.array(sizes, dtype=np.float64)
    informative = min(n_selected, p // (len(n) + 1))
    effect = _effect_of(n, p, n_selected, informative, n_common)
    return CohortPower(
        *(
            _noticed(n, p, n_selected, effect * _patterns(len(n), p, informative, shared))
            for shared in (0, informative // 2)
        )
    )


def _patterns(n_cohorts: int, p: int, informative: int, shared: int) -> Array:
    """Return 1 where a feature (column) is informative in a cohort (row)."""
    pattern = np.zeros((n_cohorts, p))
    pattern[:, :shared] = 1
    own = informative - shared
    for cohort, row in enumerate(pattern):
        start = shared + cohort * own
        row[start : start + own] = 1
    return pattern


def _effect_of(n: Array, p: int, k: int, informative: int, n_common: float) -> float:
    """Return the effect at which dealt cohorts have so many features in common."""
    same, low, high = _patterns(len(n), p, informative, informative), 0.0, MAX_EFFECT
    for _ in range(N_BISECTIONS):
        effect = (low + high) / 2
        generator = np.random.default_rng(0)
        common = [
            _deal(n, k, effect * same, N_TRIAL_DEALINGS, generator)[1:].mean()
            for _ in range(N_TRIAL_STUDIES)
        ]
        low, high = (effect, high) if np.mean(common) < n_common else (low, effect)
    return (low + high) / 2


def _noticed(n: Array, p: int, k: int, effects: Array) -> float:
    """Return the share of studies with a p-value of at most 0.05."""
    generator = np.random.default_rng(1)
    p_values = []
    for _ in range(N_STUDIES):
        signs = generator.choice([-1.0, 1.0], p)
        common = _deal(n, k, effects * signs, N_DEALINGS, generator)
        p_values.append((1 + np.sum(common[1:] <= common[0] + 1e-9)) / (1 + N_DEALINGS))
    return float(np.mean(np.array(p_values) <= ALPHA))


def _deal(
    n: Array, k: int, effects: Array, n_dealings: int, generator: np.random.Generator
) -> Array:
    """Return how many features cohorts have in common, on average over pairs; then dealt ones.

    Dealt cohorts are parts of the same samples, so their mean is that of all samples.
    """
    c, p = effects.shape
    spread = np.sqrt(4 / n)[:, np.newaxis]
    shares = (n / n.sum())[:, np.newaxis]
    means = effects + spread * generator.standard_normal((c, p))
    own = spread * generator.standard_normal((n_dealings, c, p))
    dealt = (shares * means).sum(axis=0) + own - (shares * own).sum(axis=1, keepdims=True)
    # dealt samples with and without the effect, in one class of two: more spread within classes
    mixed = (shares * np.square(effects - (shares * effects).sum(axis=0))).sum(axis=0) / 2
    scores = np.abs(np.concatenate([means[np.newaxis], dealt / np.sqrt(1 + mixed)]))
    top = np.argpartition(-scores, k, axis=2)[:, :, :k]
    chosen = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(chosen, top, values=True, axis=2)
    pairs = [(chosen[:, a] & chosen[:, b]).sum(axis=1) for a, b in combinations(range(c), 2)]
    return np.asarray(np.mean(pairs, axis=0), dtype=np.float64)
