"""Probabilities of features to be selected by the t-score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from holdfast._typing import BoolArray, FloatArray
from holdfast._validation import check_choice, check_integer
from holdfast.errors import InvalidInputError
from holdfast.theory._effects import Effect, Population, build_population
from holdfast.theory._selection_threshold import evaluate_thresholds, merge_shifts
from holdfast.theory._t_score import TScoreDistribution

if TYPE_CHECKING:
    import pandas as pd

Law: TypeAlias = Literal["f", "chi2"]
Classes: TypeAlias = "int | tuple[int, int]"
LAWS = ("f", "chi2")


@dataclass(frozen=True, eq=False, kw_only=True)
class SelectionProbability:
    """Probabilities of features to be selected.

    Attributes
    ----------
    informative : float
        Mean probability of features with an effect; NaN if there are none.
    other : float
        Probability of features without an effect; NaN if there are none.
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

    effects: FloatArray
    counts: FloatArray
    probabilities: FloatArray

    @property
    def informative(self) -> float:
        """Mean probability of features with an effect."""
        return self._mean(self.effects > 0)

    @property
    def other(self) -> float:
        """Probability of features without an effect."""
        return self._mean(self.effects == 0)

    def _mean(self, which: BoolArray) -> float:
        if not which.any():
            return math.nan
        return float(np.average(self.probabilities[which], weights=self.counts[which]))

    def to_frame(self) -> pd.DataFrame:
        """Return a table with the columns ``effect``, ``count`` and ``probability``."""
        import pandas as pd

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
    freedom and noncentrality (2μ)² n₁n₂ / (n₁ + n₂), which is 2Nμ² for N samples per class. A
    feature is selected if fewer than d of the others score more,

    .. math:: p_j = \int f_j(x)\, P\Big(\sum_{i \ne j} [S_i > x] \le d - 1\Big)\, dx .

    The sum is a sum of independent binomial counts; its distribution is computed from its
    characteristic function, at a cost that does not grow with p. Results are usually accurate to
    1e-7, and to 1e-4 at worst. More than 128 different effects are merged with their neighbours:
    this usually costs 1e-5, and less than 0.001 where effects lie in clusters far apart.

    Parameters
    ----------
    n_per_class : int or pair of int
        Samples of each class.
    effect : float, sequence of float, TriangularEffects or EffectMixture
        Effects, in standard deviations within a class: class means lie at plus and minus the
        effect, so it is *half* the difference of the means (half of
        ``Simulated.effects``). One number is the effect of `n_informative` features; a
        sequence has one effect per feature. Features beyond those have no effect.
    n_informative : int, optional
        Number of features that `effect` describes; required where it is one number.
    n_features : int
        Number of features, p.
    n_selected : int
        Number of features that are selected, d.
    law : {"f", "chi2"}, default "f"
        The distribution of squared scores: noncentral F, or its limit for known variances, the
        noncentral χ² with 1 degree of freedom (too optimistic for small samples).

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
    return compute_selection(population, read_scores(n_per_class, law), n_selected)


def compute_selection(
    population: Population, scores: TScoreDistribution, n_selected: int
) -> SelectionProbability:
    """Return the selection probabilities of all features of a population."""
    # d = p: every feature is selected
    probabilities = np.ones(len(population.counts))
    if n_selected < population.counts.sum():
        shifts = scores.shifts(population.effects)
        groups = merge_shifts(scores, shifts, population.counts, n_selected)
        grid = evaluate_thresholds(scores, groups.shifts, groups.counts, n_selected)
        # merged groups share one integral; single effects are interpolated between them
        probabilities = groups.spread_to_shifts(grid.probabilities())
    return SelectionProbability(
        effects=population.effects, counts=population.counts, probabilities=probabilities
    )


def read_population(
    effect: Effect, n_informative: int | None, n_features: int, n_selected: int
) -> Population:
    """Check that the counts are compatible, and return the effects of all features."""
    p = check_integer(n_features, "n_features", 1)
    for name, value, least in (("n_selected", n_selected, 1), ("n_informative", n_informative, 0)):
        if value is not None and check_integer(value, name, least) > p:
            raise InvalidInputError(f"{name} must be at most n_features ({p:,}); got {value:,}.")
    return build_population(effect, n_informative, p)


def read_scores(n_per_class: Classes, law: Law) -> TScoreDistribution:
    """Return the distribution of the scores of two classes."""
    pair = n_per_class if isinstance(n_per_class, tuple | list) else (n_per_class, n_per_class)
    if len(pair) != 2:
        raise InvalidInputError(
            f"n_per_class must be an integer or a pair of integers; got {n_per_class!r}."
        )
    first, second = (check_integer(value, "n_per_class", 2) for value in pair)
    return TScoreDistribution.from_class_sizes((first, second), check_choice(law, "law", LAWS))
