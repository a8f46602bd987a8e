"""Effects of features: a triangular distribution, a mixture, or given numbers.

The effect μ of a feature places its class means at ±μ, in standard deviations within a class.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtri

from holdfast._typing import FloatArray, IntArray
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import ArrayLike

MAX_EFFECT = 100.0
"""Larger effects are refused as mistakes, in standard deviations: the classes do not overlap."""


@dataclass(frozen=True, kw_only=True)
class TriangularEffects:
    r"""Many small effects and few large ones: powers of a triangular distribution.

    Values from the density :math:`2 - 2x` on [0, 1] are raised to the power `gamma`, then scaled,
    either to a largest effect or to the error of the best classifier of all features,
    :math:`\Phi(-\lVert\mu\rVert)`. Nothing is drawn: the p effects are the quantiles of the
    distribution at :math:`(i - 1/2)/p`,

    .. math:: \mu_i \propto \left(1 - \sqrt{1 - (i - 1/2)/p}\right)^\gamma.

    Parameters
    ----------
    gamma : float, default 2
        The power; the larger it is, the fewer features have a sizeable effect.
    largest : float, optional
        The largest effect. Class means lie at plus and minus an effect, in standard deviations
        within a class.
    bayes_error : float, optional
        The error of the best classifier, instead of `largest`; above 0 and below 0.5.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Section 4.1.

    Examples
    --------
    >>> from holdfast.theory import TriangularEffects
    >>> TriangularEffects(gamma=1, largest=0.2).effects(4).round(3).tolist()
    [0.02, 0.065, 0.12, 0.2]
    """

    gamma: float = 2.0
    largest: float | None = None
    bayes_error: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_positive_number(self.gamma, "gamma", math.inf))
        if (self.largest is None) == (self.bayes_error is None):
            raise InvalidInputError(
                "TriangularEffects needs either largest= (the largest effect) or bayes_error= "
                f"(the error of the best classifier); got largest={self.largest!r}, "
                f"bayes_error={self.bayes_error!r}."
            )
        for name, maximum in (("largest", MAX_EFFECT), ("bayes_error", 0.5)):
            if getattr(self, name) is not None:
                object.__setattr__(
                    self, name, check_positive_number(getattr(self, name), name, maximum)
                )

    def effects(self, n_features: int) -> FloatArray:
        """Return the effects of `n_features` features, ascending."""
        shares = (np.arange(n_features) + 0.5) / n_features
        powers = (
            shares / (1 + np.sqrt(1 - shares))
        ) ** self.gamma  # 1 − √(1 − u) without cancellation
        if self.largest is not None:
            return np.asarray(powers * (self.largest / powers[-1]))
        assert self.bayes_error is not None
        # the best classifier of independent features errs
        # by Phi(-|mu|): the norm of the effects is fixed
        return np.asarray(powers * (-ndtri(self.bayes_error) / np.linalg.norm(powers)))


@dataclass(frozen=True, eq=False)
class EffectMixture:
    """A few effects, each with a share of the features; the result of a fit to data.

    Of p features, the i-th smallest effect is the quantile at (i - 1/2)/p, so each effect gets its
    share of p, rounded; shares too small for one feature accumulate.

    Parameters
    ----------
    effects : array of shape (k,)
        The effects: class means lie at plus and minus an effect, in standard deviations within a
        class. Their sign does not matter.
    weights : array of shape (k,)
        Their shares, scaled to a sum of 1.

    Examples
    --------
    >>> from holdfast.theory import EffectMixture
    >>> EffectMixture([0, 0.3], [0.9, 0.1]).counts(200).tolist()
    [180, 20]
    """

    effects: FloatArray
    weights: FloatArray

    def __init__(self, effects: ArrayLike, weights: ArrayLike) -> None:
        values = np.abs(_read_numbers(effects, "effects"))
        shares = _read_numbers(weights, "weights", minimum=0.0)
        if len(values) != len(shares) or not 0 < shares.sum() < math.inf:
            raise InvalidInputError(
                "EffectMixture needs a weight for each effect, at least one above 0; got "
                f"{len(values)} effects and {len(shares)} weights with sum {shares.sum():g}."
            )
        # ascending, so that counts come from the cumulated weights as quantiles do
        order = np.argsort(values, kind="stable")
        object.__setattr__(self, "effects", values[order])
        object.__setattr__(self, "weights", shares[order] / shares.sum())

    def counts(self, n_features: int) -> IntArray:
        """Return how many of `n_features` features have each effect."""
        # rounding the cumulated shares, not each share: the counts add up to n_features
        ends = np.floor(n_features * np.minimum(np.cumsum(self.weights), 1.0) + 0.5)
        # the cumulated weights may end below 1 by rounding
        ends[-1] = n_features
        return np.diff(ends, prepend=0.0).astype(np.int64)

    def effects_of(self, n_features: int) -> FloatArray:
        """Return the effects of `n_features` features, ascending."""
        return np.repeat(self.effects, self.counts(n_features))

    def to_frame(self) -> pd.DataFrame:
        """Return a table with the columns ``effect`` and ``weight``."""
        import pandas as pd

        return pd.DataFrame({"effect": self.effects, "weight": self.weights})


Effect: TypeAlias = "float | Sequence[float] | FloatArray | TriangularEffects | EffectMixture"


@dataclass(frozen=True, eq=False)
class Population:
    """Effects, ascending, and how many features have each of them."""

    effects: FloatArray
    counts: FloatArray


def build_population(effect: Effect, n_informative: int | None, n_features: int) -> Population:
    """Return the effects of all features; those that `effect` does not describe have 0."""
    n_described = n_features if n_informative is None else n_informative
    if isinstance(effect, EffectMixture):
        values, counts = effect.effects, effect.counts(n_described).astype(np.float64)
    elif isinstance(effect, TriangularEffects):
        values, counts = effect.effects(n_described), np.ones(n_described)
    elif isinstance(effect, numbers.Real) and not isinstance(effect, bool):
        values, counts = _read_equal_effects(float(effect), n_informative)
    else:
        values = _read_effect_sequence(effect, n_informative, n_features)
        counts = np.ones(len(values))
    # the cost of the integrals grows with the number of distinct effects, not with that of features
    # merge equal effects; the remaining features have effect 0
    effects, position = np.unique(np.append(values, 0.0), return_inverse=True)
    sums = np.bincount(position, weights=np.append(counts, n_features - counts.sum()))
    kept = sums > 0
    return Population(effects[kept], sums[kept].astype(np.float64))


def _read_equal_effects(effect: float, n_informative: int | None) -> tuple[FloatArray, FloatArray]:
    if n_informative is None:
        raise InvalidInputError(
            f"effect={effect!r} is a single number: n_informative= must say how many features "
            "have it. For unequal effects give a sequence, TriangularEffects or EffectMixture."
        )
    return np.abs(_read_numbers([effect], "effect")), np.array([float(n_informative)])


def _read_effect_sequence(effect: object, n_informative: int | None, n_features: int) -> FloatArray:
    values = np.abs(_read_numbers(effect, "effect"))
    if len(values) > n_features or (n_informative is not None and len(values) != n_informative):
        limit = f"n_features ({n_features:,})" if n_informative is None else f"{n_informative:,}"
        raise InvalidInputError(
            f"effect has {len(values):,} values but may have at most {limit}: one per feature, or "
            "one per informative feature."
        )
    return values


def _read_numbers(values: object, name: str, minimum: float = -MAX_EFFECT) -> FloatArray:
    """Return finite numbers within the allowed range as a vector."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    maximum = MAX_EFFECT if name != "weights" else math.inf
    if array.ndim != 1 or not len(array) or not ((array >= minimum) & (array <= maximum)).all():
        limits = f"from {minimum:g}" + (f" to {maximum:g}" if math.isfinite(maximum) else "")
        raise InvalidInputError(
            f"{name} must be a number or a list of numbers {limits} (effects are in standard "
            f"deviations within a class); got {values!r}."
        )
    return array
