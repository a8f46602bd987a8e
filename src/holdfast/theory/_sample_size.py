"""Sample sizes for a given stability, and effects fitted to observed t-scores.

Effects are fitted as a mixture on a grid by the EM algorithm, a nonparametric maximum likelihood
estimate [Laird1978]_ that is stopped early. Plans from a pilot study, for any selector, are made by
:func:`holdfast.judge.plan_samples`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from holdfast._typing import FloatArray
from holdfast._validation import check_choice, check_integer, check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.theory._effects import MAX_EFFECT, Effect, EffectMixture, Population
from holdfast.theory._expected_stability import (
    ExpectedSelections,
    compute_expectation,
    get_supported_measure,
)
from holdfast.theory._selection_probability import (
    LAWS,
    Classes,
    Law,
    read_population,
    read_scores,
)
from holdfast.theory._t_score import TScoreDistribution

MIN_CLASS_SIZE, MAX_FIRST_CLASS = 2, 10**9
"""Samples of the first class that are tried; chosen by hand."""
EFFECT_DISTANCE, MIN_BIN_WIDTH = 0.25, 0.1
"""Distances of effects and widths of bins of scores, in standard deviations of a score; chosen by
hand, finer than a sample can resolve."""
MAX_EFFECTS, MAX_BINS = 120, 300
"""The most effects and bins, where scores are far apart; chosen by hand."""
START_NULL_SHARE = 0.5
"""The share of features without an effect that the fit starts from; chosen by hand."""


@dataclass(frozen=True, kw_only=True)
class RequiredSamples:
    """The fewest samples that reach a stability.

    Attributes
    ----------
    n_per_class : tuple of int
        Samples of each class.
    n_samples : int
        Samples of both.
    expected : float
        Their expected stability.
    """

    n_per_class: tuple[int, int]
    expected: float

    @property
    def n_samples(self) -> int:
        """Samples of both classes."""
        return sum(self.n_per_class)


def required_samples(
    target: float,
    measure: str = "nogueira",
    *,
    effect: Effect,
    n_informative: int | None = None,
    n_features: int,
    n_selected: int,
    ratio: float = 1.0,
    law: Law = "f",
) -> RequiredSamples:
    """Find the fewest samples with which selection by the t-score reaches a stability.

    The inverse of :func:`expected_stability`, which grows with the number of samples, by
    bisection.

    Parameters
    ----------
    target : float
        The stability to reach, above 0 and below 1.
    measure : str, default "nogueira"
        The measure of stability: a similarity that :func:`expected_stability` supports.
    effect, n_informative, n_features, n_selected, law
        As in :func:`selection_probability`.
    ratio : float, default 1.0
        Samples of the second class for each of the first, rounded, at least 2.

    Returns
    -------
    RequiredSamples
        With ``.n_per_class``, ``.n_samples`` and their stability ``.expected``.

    Raises
    ------
    InvalidInputError
        No number of samples is enough: where more features are selected than have an effect,
        or fewer than have the same effect, some selections stay random. The message names the
        stability that 10⁹ samples reach.

    Examples
    --------
    >>> from holdfast.theory import required_samples
    >>> found = required_samples(
    ...     0.8, effect=0.35, n_informative=20, n_features=500, n_selected=20
    ... )
    >>> found.n_samples, found.n_per_class, round(found.expected, 3)
    (144, (72, 72), 0.804)
    """
    name = get_supported_measure(measure)
    if get_measure(name).distance:
        raise InvalidInputError(f"{name} is a distance; choose a similarity, such as nogueira.")
    checked_target, checked_ratio = (
        check_positive_number(target, "target", 1.0),
        check_positive_number(ratio, "ratio", math.inf),
    )
    population = read_population(effect, n_informative, n_features, n_selected)
    search = _SampleSizeSearch(
        name, population, n_selected, checked_ratio, check_choice(law, "law", LAWS)
    )
    # stability grows with the number of samples, so the
    # largest number decides whether any is enough
    best = search.stability(MAX_FIRST_CLASS)
    if best < checked_target:
        raise InvalidInputError(
            _unreachable_message(name, checked_target, best, population, n_selected)
        )
    first_class = search.fewest(checked_target)
    return RequiredSamples(
        n_per_class=search.classes(first_class), expected=search.stability(first_class)
    )


@dataclass(frozen=True)
class _SampleSizeSearch:
    measure: str
    population: Population
    n_selected: int
    ratio: float
    law: str

    def classes(self, first: int) -> tuple[int, int]:
        return first, max(MIN_CLASS_SIZE, round(self.ratio * first))

    def stability(self, first: int) -> float:
        scores = TScoreDistribution.from_class_sizes(self.classes(first), self.law)
        return compute_expectation(
            self.measure, ExpectedSelections(self.population, scores, self.n_selected)
        )

    def fewest(self, target: float) -> int:
        """Return the fewest samples of the first class that reach a stability, by bisection."""
        # invariant: `high` samples are enough, `low` samples are not, or are too few for a variance
        low, high = MIN_CLASS_SIZE - 1, MAX_FIRST_CLASS
        while high - low > 1:
            # bisect the logarithm first: the range spans nine orders of magnitude
            middle = math.isqrt(low * high) if high > 4 * low else (low + high) // 2
            low, high = (low, middle) if self.stability(middle) >= target else (middle, high)
        return high


def _unreachable_message(
    name: str, target: float, best: float, population: Population, n_selected: int
) -> str:
    known = int(population.counts[population.effects > 0].sum())
    return (
        f"{name} cannot reach {target:g} here: {MAX_FIRST_CLASS:,} samples per class give "
        f"{best:.3f}. {n_selected:,} features are selected and {known:,} have an effect; among "
        "features with equal effects, or none, selection is random. Select another number of "
        "features, or lower the target."
    )


def fit_effects(
    t_scores: ArrayLike, *, n_per_class: Classes, n_steps: int = 200, law: Law = "f"
) -> EffectMixture:
    r"""Estimate how effects are distributed over features, from their t-scores in one data set.

    The likelihood of a mixture over a grid of effects,
    :math:`\prod_i \sum_k w_k f(|t_i|; \mu_k)` with the density f of the absolute pooled t-score,
    is increased by `n_steps` steps of the EM algorithm. They start from a smooth distribution with
    half of the features without effect, and stop early: the maximum itself has a few distinct
    effects, and its stability at larger samples is too low.

    Parameters
    ----------
    t_scores : array of shape (p,)
        Pooled t-scores, signed or absolute. Those that are NaN (of constant features) are left
        out; infinite ones count as the largest that an effect of 100 gives.
    n_per_class : int or pair of int
        Samples of each class behind the scores.
    n_steps : int, default 200
        Steps of the algorithm: with more, the mixture comes closer to maximum likelihood and
        becomes rougher.
    law : {"f", "chi2"}, default "f"
        As in :func:`selection_probability`.

    Returns
    -------
    EffectMixture
        Effects: half the difference of the class means, in standard deviations within a class.

    Notes
    -----
    Features are treated as independent. The sum over features of squared effects is estimated
    well; the largest effect, and whether many effects are tiny or zero, is not.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.theory import fit_effects
    >>> rng = np.random.default_rng(0)
    >>> t = rng.standard_t(98, size=2000) + np.repeat([0.0, 5.0], [1900, 100])
    >>> fitted = fit_effects(t, n_per_class=50)
    >>> round(fitted.weights[fitted.effects > 0.3].sum(), 2)  # 5 is the score of an effect of 0.5
    np.float64(0.05)
    """
    scores, steps = read_scores(n_per_class, law), check_integer(n_steps, "n_steps", 1)
    most = scores.shifts(np.array([MAX_EFFECT]))
    places = scores.to_place(np.minimum(_read_t_scores(t_scores), most))
    top = float(places.max())
    # bins that hold scores, by their middles: millions of features cost no more than a few
    width = max(MIN_BIN_WIDTH, top / MAX_BINS)
    bins, counts = np.unique(np.floor(places / width), return_counts=True)
    # in places z a score has a standard deviation of about 1 at
    # every effect, so an even grid is equally fine everywhere
    grid = np.linspace(0.0, top, 2 + min(int(top / EFFECT_DISTANCE), MAX_EFFECTS))
    shifts = scores.to_score(grid)
    densities = scores.densities(shifts, (bins + 0.5) * width)
    weights = _fit_mixture_weights(densities, counts / len(places), steps)
    return EffectMixture(np.minimum(shifts / scores.shift_per_effect, MAX_EFFECT), weights)


def _read_t_scores(t_scores: ArrayLike) -> FloatArray:
    """Return the absolute values of the scores that are not NaN."""
    try:
        values = np.abs(np.asarray(t_scores, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    numbers = values[~np.isnan(values)]
    if values.ndim != 1 or len(numbers) == 0:
        raise InvalidInputError(
            "t_scores must be a list of numbers, one per feature, at least one of them not NaN; "
            f"got {t_scores!r}."
        )
    return numbers


def _fit_mixture_weights(densities: FloatArray, shares: FloatArray, n_steps: int) -> FloatArray:
    """Return mixture weights after `n_steps` of EM; `densities` has one row per effect."""
    # all weights start above 0: EM cannot raise a weight of 0
    weights = np.full(len(densities), (1 - START_NULL_SHARE) / (len(densities) - 1))
    weights[0] = START_NULL_SHARE
    for _ in range(n_steps):
        # w_k ← w_k Σ_i s_i f_ik / Σ_l w_l f_il
        weights = weights * (densities @ (shares / np.maximum(weights @ densities, 1e-300)))
    return np.asarray(weights / weights.sum())
