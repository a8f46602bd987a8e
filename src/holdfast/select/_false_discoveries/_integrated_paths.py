"""Expected false positives and q-values from the stability paths of all features."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from holdfast._typing import FloatArray
from holdfast._validation import check_choice

PathFunction = Literal["h1", "h2", "h3"]
PATH_FUNCTIONS: tuple[str, ...] = get_args(PathFunction)
Scaling = Literal["theorem", "ipss"]
SCALINGS: tuple[str, ...] = get_args(Scaling)


class IntegratedPaths(NamedTuple):
    """What integration along the path gives.

    Attributes
    ----------
    scores : array of shape (p,)
        The integral of h(selection probability) of each feature, 0 to 1.
    bound : float
        The integral of the bound of false selections.
    n_steps : int
        How many steps of the path are integrated before the cutoff.
    efp_scores : array of shape (p,)
        The expected number of false positives, if all features with a score at least as large
        are selected; at most p.
    q_values : array of shape (p,)
        The smallest share of expected false positives at which the feature is selected.
    """

    scores: FloatArray
    bound: float
    n_steps: int
    efp_scores: FloatArray
    q_values: FloatArray


def integrate_stability_paths(
    probabilities: FloatArray,
    steps: FloatArray,
    n_pairs: int,
    *,
    function: str = "h3",
    delta: float = 1.0,
    cutoff: float = 0.05,
    scaling: str = "theorem",
) -> IntegratedPaths:
    r"""Integrate stability paths over the penalty, and bound the number of false positives.

    .. math:: S_j = \int h(\pi_j(\lambda)) \, \mu(d\lambda), \qquad
              \mathrm{efp}_j = \frac{1}{S_j} \int b(q(\lambda)) \, \mu(d\lambda), \qquad
              \mu(d\lambda) \propto \lambda^{-\delta} d\lambda

    with :math:`h_m(\pi) = (2\pi - 1)^m` above one half and 0 below, and the bound b of its
    expectation for a feature without effect, from the mean number q of selected features.

    Parameters
    ----------
    probabilities : array of shape (s, p)
        The share of subsamples that select a feature, one row per step.
    steps : array of shape (s,)
        The penalties or thresholds: positive, falling in equal ratios.
    n_pairs : int
        B, the number of pairs of disjoint subsamples.
    function : {"h1", "h2", "h3"}
        The power m.
    delta : float
        The weight of small penalties: 1 is uniform on the logarithmic scale.
    cutoff : float
        The path ends before the integral of the bound exceeds it.
    scaling : {"theorem", "ipss"}
        Whether all integrals use the measure with mass 1 on the part of the path before the
        cutoff, as the theorem demands, or that of the bound has mass 1 on the whole path, as in
        the package ipss. There the path ends where two steps change no share, once the mean share
        is above 0.01.

    Returns
    -------
    IntegratedPaths

    References
    ----------
    O. Melikechi, J. W. Miller (2025). Integrated path stability selection. Journal of the
    American Statistical Association. doi:10.1080/01621459.2025.2525589.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.select import integrate_stability_paths
    >>> shares = np.array([[0, 0, 0, 0], [0.9, 0.1, 0, 0], [1, 0.6, 0.2, 0]])
    >>> paths = integrate_stability_paths(shares, np.array([1, 0.5, 0.25]), 50, function="h2")
    >>> paths.efp_scores.round(2).tolist(), paths.q_values.round(2).tolist()
    ([0.03, 4.0, 4.0, 4.0], [0.03, 1.0, 1.0, 1.0])
    """
    p = probabilities.shape[1]
    power = PATH_FUNCTIONS.index(check_choice(function, "function", PATH_FUNCTIONS)) + 1
    if check_choice(scaling, "scaling", SCALINGS) == "ipss":
        changing = _count_changing_steps(probabilities)
        probabilities, steps = probabilities[:changing], steps[:changing]
    # on a grid of equal ratios these are the masses of the intervals, up to a factor; each takes
    # the value at its larger penalty, as the selection there is smaller
    weights = steps[1:] ** (1.0 - delta)
    bounds = expected_null_value(probabilities.sum(axis=1), p, n_pairs, power)[:-1]
    integrals = np.cumsum(weights * bounds)
    if scaling == "ipss":
        below = _normalise_as_ipss(steps, delta) * integrals <= cutoff
    else:
        below = integrals <= cutoff * np.cumsum(weights)
    used = int(np.logical_and.accumulate(below).sum())
    if used == 0:
        worst = np.full(p, float(p))
        return IntegratedPaths(np.zeros(p), 0.0, 0, worst, compute_q_values(worst))
    if scaling == "ipss":
        outer = _normalise_as_ipss(steps, delta)
        inner = _normalise_as_ipss(steps[: used + 1], delta)
    else:
        outer = inner = 1.0 / float(weights[:used].sum())
    scores = np.zeros(p)
    for weight, shares in zip(weights[:used], probabilities[:used], strict=True):
        # step by step: features with equal paths get equal bits, so that they tie
        scores += inner * weight * np.where(shares > 0.5, 2.0 * shares - 1.0, 0.0) ** power
    bound = outer * float(integrals[used - 1])
    # scores of bound / p and less mean p false positives: no more than there are features
    efp = np.full(p, float(p))
    np.divide(bound, scores, out=efp, where=scores * p > bound)
    return IntegratedPaths(scores, bound, used, efp, compute_q_values(efp))


def expected_null_value(
    mean_selected: FloatArray, n_features: int, n_pairs: int, power: int
) -> FloatArray:
    r"""Return p times the bound of E h(π) of a feature without effect.

    The bounds assume that such a feature is in all of 2m disjoint subsamples with probability at
    most (q/p)^(2m), for m up to the power. They are moments of the mean of B independent pairs,
    each of which selects the feature in both of its subsamples or not.

    Parameters
    ----------
    mean_selected : array
        q, the mean number of selected features, at each step.
    n_features, n_pairs : int
        p and B.
    power : int
        The power of h, from 1 to 3.
    """
    # [Melikechi2025]_; the counts of ways to have 1, 2 or 3 distinct pairs among `power`
    pair = (mean_selected / n_features) ** 2
    B = n_pairs
    if power == 1:
        return n_features * pair
    if power == 2:
        return n_features * (pair + (B - 1) * pair**2) / B
    return n_features * (pair + 3 * (B - 1) * pair**2 + (B - 1) * (B - 2) * pair**3) / B**2


def compute_q_values(efp_scores: FloatArray) -> FloatArray:
    """Return the smallest ratio of expected false positives to selected features, by feature.

    All cuts that select the feature count; features of equal scores are selected together.

    Parameters
    ----------
    efp_scores : array of shape (p,)
        The expected number of false positives at the cut of each feature.
    """
    levels, inverse, counts = np.unique(efp_scores, return_inverse=True, return_counts=True)
    ratios = levels / np.cumsum(counts)
    smallest: FloatArray = np.minimum.accumulate(ratios[::-1])[::-1]
    return smallest[inverse]


def _count_changing_steps(probabilities: FloatArray) -> int:
    """Return at which step ipss ends a path: the first that equals the one before the last."""
    for step in range(2, len(probabilities)):
        shares = probabilities[step]
        # the number is that of ipss
        if shares.mean() > 0.01 and np.array_equal(shares, probabilities[step - 2]):
            return step
    return len(probabilities)


def _normalise_as_ipss(steps: FloatArray, delta: float) -> float:
    """Return the factor by which ipss multiplies the weights of a grid; their sum is near 1."""
    high, low = float(steps[0]), float(steps[-1])
    width = 1.0 - (low / high) ** (1.0 / len(steps))
    if delta == 1.0:
        return float(width / np.log(high / low))
    rest = 1.0 - delta
    return float(rest * width / (high**rest - low**rest))
