"""How large the effects of features are: laws of effects."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtri

from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

LARGEST = 100.0
"""Effects beyond so many standard deviations are a mistake: the classes have no overlap."""


@dataclass(frozen=True, kw_only=True)
class TriangularEffects:
    r"""Many small effects and few large ones: the powered triangular law.

    Values from the density :math:`2 - 2x` on [0, 1] are raised to the power `gamma`, then all of
    them are scaled, either to a largest effect or to the error of the best classifier of all
    features, :math:`\Phi(-\lVert\mu\rVert)`. Nothing is drawn: the p effects are the law's
    quantiles at :math:`(i - 1/2)/p`,

    .. math:: \mu_i \propto \left(1 - \sqrt{1 - (i - 1/2)/p}\right)^\gamma.

    Parameters
    ----------
    gamma : float, default 2
        The power; the larger, the fewer features have an effect worth the name.
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
                f"(the error of the best classifier); received largest={self.largest!r}, "
                f"bayes_error={self.bayes_error!r}."
            )
        for name, most in (("largest", LARGEST), ("bayes_error", 0.5)):
            if getattr(self, name) is not None:
                object.__setattr__(
                    self, name, check_positive_number(getattr(self, name), name, most)
                )

    def effects(self, n_features: int) -> Array:
        """Return the effects of so many features, ascending."""
        shares = (np.arange(n_features) + 0.5) / n_features
        powers = (shares / (1 + np.sqrt(1 - shares))) ** self.gamma  # 1 − √(1 − u), uncancelled
        if self.largest is not None:
            return np.asarray(powers * (self.largest / powers[-1]))
        assert self.bayes_error is not None
        return np.asarray(powers * (-ndtri(self.bayes_error) / np.linalg.norm(powers)))


@dataclass(frozen=True, eq=False)
class EffectMixture:
    """A few effects, each with its share of the features: what a fit to data yields.

    Of p features, the effect at place i of the sorted ones is the quantile at (i - 1/2)/p, so
    each effect gets its share of p, rounded, and shares too small for one feature add up.

    Parameters
    ----------
    effects : array of shape (k,)
        The effects: class means lie at plus and minus an effect, in standard deviations within a
        class. Their sign does not matter.
    weights : array of shape (k,)
        Their shares; they are scaled to a sum of 1.

    Examples
    --------
    >>> from holdfast.theory import EffectMixture
    >>> EffectMixture([0, 0.3], [0.9, 0.1]).counts(200).tolist()
    [180, 20]
    """

    effects: Array
    weights: Array

    def __init__(self, effects: ArrayLike, weights: ArrayLike) -> None:
        values = np.abs(_numbers(effects, "effects"))
        shares = _numbers(weights, "weights", least=0.0)
        if len(values) != len(shares) or not 0 < shares.sum() < math.inf:
            raise InvalidInputError(
                "EffectMixture needs a weight for each effect, and one above 0; received "
                f"{len(values)} effects and {len(shares)} weights with sum {shares.sum():g}."
            )
        order = np.argsort(values, kind="stable")
        object.__setattr__(self, "effects", values[order])
        object.__setattr__(self, "weights", shares[order] / shares.sum())

    def counts(self, n_features: int) -> NDArray[np.int64]:
        """Return how many of so many features have each effect."""
        ends = np.floor(n_features * np.minimum(np.cumsum(self.weights), 1.0) + 0.5)
        ends[-1] = n_features
        return np.diff(ends, prepend=0.0).astype(np.int64)

    def effects_of(self, n_features: int) -> Array:
        """Return the effects of so many features, ascending."""
        return np.repeat(self.effects, self.counts(n_features))

    def to_frame(self) -> pd.DataFrame:
        """Return a table with the columns ``effect`` and ``weight``."""
        import pandas as pd  # noqa: PLC0415  (kept out of the way of numbers)

        return pd.DataFrame({"effect": self.effects, "weight": self.weights})


Effect: TypeAlias = "float | Sequence[float] | Array | TriangularEffects | EffectMixture"


@dataclass(frozen=True, eq=False)
class Population:
    """Effects, ascending, and how many features have each of them."""

    effects: Array
    counts: Array


def population_of(effect: Effect, n_informative: int | None, n_features: int) -> Population:
    """Return the effects of all features; those that are not spoken of have none."""
    chosen = n_features if n_informative is None else n_informative
    if isinstance(effect, EffectMixture):
        own, counts = effect.effects, effect.counts(chosen).astype(np.float64)
    elif isinstance(effect, TriangularEffects):
        own, counts = effect.effects(chosen), np.ones(chosen)
    elif isinstance(effect, numbers.Real) and not isinstance(effect, bool):
        own, counts = _read_equal_effects(float(effect), n_informative)
    else:
        own = _sequence(effect, n_informative, n_features)
        counts = np.ones(len(own))
    return _join_equal_effects(own, counts, n_features)


def _read_equal_effects(effect: float, n_informative: int | None) -> tuple[Array, Array]:
    if n_informative is None:
        raise InvalidInputError(
            f"effect={effect!r} is one number: say how many features have it by n_informative=; "
            "the others have none. For unequal effects give a sequence, TriangularEffects or "
            "EffectMixture."
        )
    return np.abs(_numbers([effect], "effect")), np.array([float(n_informative)])


def _sequence(effect: object, n_informative: int | None, n_features: int) -> Array:
    own = np.abs(_numbers(effect, "effect"))
    if len(own) > n_features or (n_informative is not None and len(own) != n_informative):
        wanted = f"n_features ({n_features:,})" if n_informative is None else f"{n_informative:,}"
        raise InvalidInputError(
            f"effect has {len(own):,} values; at most {wanted} fit: one a feature, or one an "
            "informative feature, the others having none."
        )
    return own


def _numbers(values: object, name: str, least: float = -LARGEST) -> Array:
    """Return finite numbers within reason as a vector."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    most = LARGEST if name != "weights" else math.inf
    if array.ndim != 1 or not len(array) or not ((array >= least) & (array <= most)).all():
        limits = f"from {least:g} to {most:g}" if math.isfinite(most) else f"from {least:g} on"
        raise InvalidInputError(
            f"{name} must be a number or a list of numbers {limits} (effects are standard "
            f"deviations within a class); received {values!r}."
        )
    return array


def _join_equal_effects(effects: Array, counts: Array, n_features: int) -> Population:
    """Join features of equal effects; the rest of the features has effect 0."""
    values, place = np.unique(np.append(effects, 0.0), return_inverse=True)
    sums = np.bincount(place, weights=np.append(counts, n_features - counts.sum()))
    kept = sums > 0
    return Population(values[kept], sums[kept].astype(np.float64))
