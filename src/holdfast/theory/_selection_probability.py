"""How likely features are to be selected by the t-score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from holdfast._validation import check_integer, one_of
from holdfast.errors import InvalidInputError
from holdfast.theory._effects import population_of
from holdfast.theory._selection_threshold import evaluate_thresholds, merge_shifts
from holdfast.theory._t_score import scores_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.theory._effects import Effect, Population
    from holdfast.theory._t_score import Scores

    Array: TypeAlias = NDArray[np.float64]

Law: TypeAlias = Literal["f", "chi2"]
Classes: TypeAlias = "int | tuple[int, int]"
LAWS = ("f", "chi2")


@dataclass(frozen=True, eq=False, kw_only=True)
class SelectionProbability:
    """Probabilities of features to be selected.

    Attributes
    ----------
    informative : float
        Of features with an effect, on average; NaN if there are none.
    other : float
        Of features without one; NaN if there are none.
    effects : array of shape (k,)
        The distinct effects, ascending.
    counts : array of shape (k,)
        How many features have each.
    probabilities : array of shape (k,)
        The probability of a feature with each effect to be selected.

    Examples
    --------
    >>> from holdfast.theory import selection_probability
    >>> found = selection_probability(
    ...     n_per_class=500, effect=[0.05, 0.15], n_features=10, n_selected=2
    ... )
    >>> found.to_frame().round(3)
       effect  count  probability
    0    0.00      8        0.071
    1    0.05      1        0.434
    2    0.15      1        0.998
    """

    effects: Array
    counts: Array
    probabilities: Array

    @property
    def informative(self) -> float:
        """Probability of features with an effect, on average."""
        return self._mean(self.effects > 0)

    @property
    def other(self) -> float:
        """Probability of features without an effect."""
        return self._mean(self.effects == 0)

    def _mean(self, which: NDArray[np.bool_]) -> float:
        if not which.any():
            return math.nan
        return float(np.average(self.probabilities[which], weights=self.counts[which]))

    def to_frame(self) -> pd.DataFrame:
        """Return a table with the columns ``effect``, ``count`` and ``probability``."""
        import pandas as pd  # noqa: PLC0415  (kept out of the way of numbers)

        return pd.DataFrame(
            {
                "effect": self.effects,
                "count": self.counts.astype(np.int64),
                "probability": self.probabilities,
            }
        )


def selection_probability(
    *,
    n_per_class: Classes,
    effect: Effect,
    n_informative: int | None = None,
    n_features: int,
    n_selected: int,
    law: Law = "f",
) -> SelectionProbability:
    r"""Compute how likely features are to be among those with the largest t-scores.

    Features are independent and Gaussian, with class means at plus and minus an effect μ. The
    squared pooled t-score follows a noncentral F distribution with 1 and n₁ + n₂ - 2 degrees of
    freedom and noncentrality (2μ)² n₁n₂ / (n₁ + n₂), which is 2Nμ² for N samples a class. A
    feature is selected if fewer than d of the others score more,

    .. math:: p_j = \int f_j(x)\, P\Big(\sum_{i \ne j} [S_i > x] \le d - 1\Big)\, dx .

    The sum is a sum of independent binomial counts; its distribution is computed from its
    characteristic function, at a cost that does not grow with p. Results are accurate to 1e-7
    as a rule, to 1e-4 at worst. With more than 128 different effects, neighbours are joined: this
    costs 1e-5 as a rule, and less than 0.001 where effects lie in clumps that are far apart.

    Parameters
    ----------
    n_per_class : int or pair of int
        Samples of each class.
    effect : float, sequence of float, TriangularEffects or EffectMixture
        Effects, in standard deviations within a class: class means lie at plus and minus the
        effect, so it is *half* the difference of the means (half of
        ``Simulated.effects``). One number is the effect of `n_informative` features; a
        sequence has one effect a feature; features that are not spoken of have none.
    n_informative : int, optional
        Number of features that `effect` speaks of; needed where it is one number.
    n_features : int
        Number of features, p.
    n_selected : int
        Number of features that are selected, d.
    law : {"f", "chi2"}, default "f"
        The law of squared scores: noncentral F, or the noncentral χ² with 1 degree of freedom
        that is its limit for known variances (too optimistic for small samples).

    Returns
    -------
    SelectionProbability
        With ``.informative`` and ``.other``; probabilities lie in [0, 1] and add up to d over
        all features. All are 1 where d = p.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Section 3.

    Examples
    --------
    >>> from holdfast.theory import selection_probability
    >>> found = selection_probability(
    ...     n_per_class=2000, effect=0.05, n_informative=100, n_features=1000, n_selected=100
    ... )
    >>> round(found.informative, 3), round(found.other, 3)
    (0.806, 0.022)
    """
    population = read_population(effect, n_informative, n_features, n_selected)
    return selection_of(population, read_scores(n_per_class, law), n_selected)


def selection_of(population: Population, scores: Scores, n_selected: int) -> SelectionProbability:
    """Return the probabilities of features to be selected."""
    return SelectionProbability(
        effects=population.effects,
        counts=population.counts,
        probabilities=_probabilities(population, scores, n_selected),
    )


def read_population(
    effect: Effect, n_informative: int | None, n_features: int, n_selected: int
) -> Population:
    """Refuse counts that do not fit each other, and return the effects of all features."""
    p = check_integer(n_features, "n_features", 1)
    for name, value, least in (("n_selected", n_selected, 1), ("n_informative", n_informative, 0)):
        if value is not None and check_integer(value, name, least) > p:
            raise InvalidInputError(
                f"{name} must be at most n_features ({p:,}); received {value:,}."
            )
    return population_of(effect, n_informative, p)


def read_scores(n_per_class: Classes, law: Law) -> Scores:
    """Return the law of the scores of two classes."""
    pair = n_per_class if isinstance(n_per_class, tuple | list) else (n_per_class, n_per_class)
    if len(pair) != 2:
        raise InvalidInputError(
            f"n_per_class must be a whole number or a pair of them; received {n_per_class!r}."
        )
    first, second = (check_integer(value, "n_per_class", 2) for value in pair)
    return scores_of((first, second), one_of(law, "law", LAWS))


def _probabilities(population: Population, scores: Scores, n_selected: int) -> Array:
    """Return the probability of each effect's features to be selected."""
    if n_selected >= population.counts.sum():
        return np.ones(len(population.counts))
    shifts = scores.shifts(population.effects)
    groups = merge_shifts(scores, shifts, population.counts, n_selected)
    own = evaluate_thresholds(scores, groups.shifts, groups.counts, n_selected).probabilities()
    return groups.spread(own)
