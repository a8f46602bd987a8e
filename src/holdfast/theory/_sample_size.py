"""How many samples a wanted stability needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from holdfast._validation import check_integer, check_positive_number, one_of
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.theory._effects import LARGEST, EffectMixture
from holdfast.theory._expected_stability import ExpectedSelections, known_measure, value_of
from holdfast.theory._selection_probability import LAWS, read_population, read_scores
from holdfast.theory._t_score import scores_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from holdfast.theory._effects import Effect, Population
    from holdfast.theory._selection_probability import Classes, Law

    Array: TypeAlias = NDArray[np.float64]


FEWEST, MOST = 2, 10**9
"""Samples of the first class that are tried."""


@dataclass(frozen=True, kw_only=True)
class RequiredSamples:
    """The fewest samples that reach a stability.

    Attributes
    ----------
    n_per_class : tuple of int
        Samples of either class.
    n_samples : int
        Samples of both.
    expected : float
        The expected stability of so many.
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
    """Find the fewest samples whose selections by the t-score are as stable as wanted.

    The answer to the inverse question of :func:`expected_stability`, which grows with the number
    of samples: found by bisection.

    Parameters
    ----------
    target : float
        The wanted stability, above 0 and below 1.
    measure : str, default "nogueira"
        What it is measured by; a similarity that :func:`expected_stability` knows.
    effect, n_informative, n_features, n_selected, law
        As in :func:`selection_probability`.
    ratio : float, default 1.0
        Samples of the second class for each of the first, rounded, at least 2.

    Returns
    -------
    RequiredSamples
        With ``.n_per_class``, ``.n_samples`` and the stability ``.expected`` of so many.

    Raises
    ------
    InvalidInputError
        No number of samples is enough: where more features are selected than have an effect,
        or fewer than have the same effect, some are chosen at random for ever. The message names
        the stability that a thousand million samples reach.

    Examples
    --------
    >>> from holdfast.theory import required_samples
    >>> found = required_samples(
    ...     0.8, effect=0.35, n_informative=20, n_features=500, n_selected=20
    ... )
    >>> found.n_samples, found.n_per_class, round(found.expected, 3)
    (144, (72, 72), 0.804)
    """
    name = known_measure(measure)
    if get_measure(name).distance:
        raise InvalidInputError(f"{name} is a distance; name a similarity, such as nogueira.")
    wanted, more = (
        check_positive_number(target, "target", 1.0),
        check_positive_number(ratio, "ratio", math.inf),
    )
    population = read_population(effect, n_informative, n_features, n_selected)
    search = _Search(name, population, n_selected, more, one_of(law, "law", LAWS))
    best = search.stability(MOST)
    if best < wanted:
        raise InvalidInputError(_unreachable(name, wanted, best, population, n_selected))
    first = search.fewest(wanted)
    return RequiredSamples(n_per_class=search.classes(first), expected=search.stability(first))


@dataclass(frozen=True)
class _Search:
    measure: str
    population: Population
    n_selected: int
    ratio: float
    law: str

    def classes(self, first: int) -> tuple[int, int]:
        return first, max(FEWEST, round(self.ratio * first))

    def stability(self, first: int) -> float:
        scores = scores_of(self.classes(first), self.law)
        return value_of(self.measure, ExpectedSelections(self.population, scores, self.n_selected))

    def fewest(self, wanted: float) -> int:
        low, high = FEWEST - 1, MOST
        while high - low > 1:
            middle = math.isqrt(low * high) if high > 4 * low else (low + high) // 2
            low, high = (low, middle) if self.stability(middle) >= wanted else (middle, high)
        return high


def _unreachable(
    name: str, wanted: float, best: float, population: Population, n_selected: int
) -> str:
    known = int(population.counts[population.effects > 0].sum())
    return (
        f"{name} cannot reach {wanted:g} here: {MOST:,} samples a class give {best:.3f}. "
        f"{n_selected:,} features are selected and {known:,} have an effect; those that are equal "
        "or have none are chosen at random. Select another number of features, or lower the "
        "target."
    )


# The effects behind observed scores: a mixture, fitted by maximum likelihood.

ATOM, BIN = 0.25, 0.1
"""Distances of effects and widths of bins of scores, in standard deviations of a score."""
ATOMS, BINS = 120, 300
"""The most effects and bins, where scores are far apart."""
NULL = 0.5
"""The share of features without an effect that the fit starts from."""


def fit_effects(
    t_scores: ArrayLike, *, n_per_class: Classes, n_steps: int = 200, law: Law = "f"
) -> EffectMixture:
    r"""Estimate how effects are distributed over features, from their t-scores in one data set.

    The likelihood of a mixture over a grid of effects,
    :math:`\prod_i \sum_k w_k f(|t_i|; \mu_k)` with the density f of the absolute pooled t-score,
    is climbed by `n_steps` steps of the EM algorithm. The climb starts from a law that is smooth
    but for its half of features without effect, and ends early: the maximum itself is a law of
    few atoms, whose stability at larger samples is too low.

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
        Effects as everywhere in this module: half the difference of the class means, in standard
        deviations within a class.

    Notes
    -----
    Features are taken as independent. The sum over features of squared effects is estimated
    well; a single largest effect, or whether many effects are tiny or none, is not.

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
    most = scores.shifts(np.array([LARGEST]))
    places = scores.place(np.minimum(_read_t_scores(t_scores), most))
    bins, shares = _bin_scores(places)
    top = float(places.max())
    grid = np.linspace(0.0, top, 2 + min(int(top / ATOM), ATOMS))
    shifts = scores.score(grid)
    weights = _fit_mixture_weights(scores.densities(shifts, bins), shares, steps)
    return EffectMixture(np.minimum(shifts / scores.shift_per_effect, LARGEST), weights)


def _read_t_scores(t_scores: ArrayLike) -> Array:
    """Return the absolute scores that are numbers."""
    try:
        values = np.abs(np.asarray(t_scores, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    known = values[~np.isnan(values)]
    if values.ndim != 1 or len(known) == 0:
        raise InvalidInputError(
            "t_scores must be a list of numbers, one a feature, at least one of them not NaN; "
            f"received {t_scores!r}."
        )
    return known


def _bin_scores(places: Array) -> tuple[Array, Array]:
    """Return the middles of the bins that hold scores, and their shares."""
    width = max(BIN, float(places.max()) / BINS)
    bins, counts = np.unique(np.floor(places / width), return_counts=True)
    return (bins + 0.5) * width, counts / len(places)


def _fit_mixture_weights(densities: Array, shares: Array, n_steps: int) -> Array:
    """Climb the likelihood of the weights of a mixture; `densities` has a row an effect."""
    weights = np.full(len(densities), (1 - NULL) / (len(densities) - 1))
    weights[0] = NULL
    for _ in range(n_steps):
        weights = weights * (densities @ (shares / np.maximum(weights @ densities, 1e-300)))
    return np.asarray(weights / weights.sum())
