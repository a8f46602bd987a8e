"""Gaussian classes whose features differ by many small effects, alone or in blocks."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from holdfast._validation import check_integer, check_positive_number, one_of, seed_of
from holdfast.errors import InvalidInputError
from holdfast.simulate._gaussian_model import GaussianModel, correlation_of
from holdfast.simulate._microarray import CLASSES, Generator, RandomStream, Simulated

if TYPE_CHECKING:
    from numpy.typing import NDArray

_POPULATION, _SAMPLES = 3, 4  # streams of random numbers that have nothing in common
_MIN_VALUES = {"n_samples": 2, "n_features": 1, "population": 0}
_USUAL_ERROR = 0.10
_KINDS = ("progressive", "two_point")
_LAYOUTS = ("scattered", "blocks")


@dataclass(frozen=True, kw_only=True)
class GaussianGenerator(Generator):
    """What Gaussian generators share: powered triangular effects, and how samples are drawn."""

    n_samples: int = 100
    n_features: int = 1000
    gamma: float = 2.0
    bayes_error: float | None = None
    largest_effect: float | None = None
    population: int = 0

    def __post_init__(self) -> None:
        for name, least in _MIN_VALUES.items():
            object.__setattr__(self, name, check_integer(getattr(self, name), name, least))
        object.__setattr__(self, "gamma", check_positive_number(self.gamma, "gamma", math.inf))
        self._check_scale()

    @property
    @abstractmethod
    def model(self) -> GaussianModel:
        """The population, with its exact errors."""

    @property
    def counts(self) -> tuple[int, int]:
        """Number of samples at +mu and at -mu."""
        return (self.n_samples + 1) // 2, self.n_samples // 2

    def draw(self, random_state: int) -> Simulated:
        """Draw a data set.

        Parameters
        ----------
        random_state : int
            Seed of the samples, from 0 on.

        Returns
        -------
        Simulated
            Its `effects` are the differences of the class means, ``2 * model.mu``.
        """
        seed = np.random.SeedSequence(seed_of(random_state), spawn_key=(_SAMPLES, self.population))
        X, positive = self.model.draw(self.counts, np.random.Generator(np.random.PCG64(seed)))
        return Simulated(
            X=X,
            y=np.where(positive, *CLASSES),
            feature_names=_names(self.n_features),
            informative=self.model.mu != 0,
            effects=2 * self.model.mu,
        )

    def _progressive(self) -> NDArray[np.float64]:
        """Return triangular effects, raised to a power and scaled."""
        base = RandomStream(_POPULATION, self.population).triangular(self.n_features)
        mu = (base / base.max()) ** self.gamma  # the largest is 1: no power makes all vanish
        if self.largest_effect is not None:
            return np.asarray(mu * self.largest_effect)
        error = _USUAL_ERROR if self.bayes_error is None else self.bayes_error
        return np.asarray(mu * (-ndtri(error) / np.linalg.norm(mu)))

    def _check_scale(self) -> None:
        if self.bayes_error is not None and self.largest_effect is not None:
            raise InvalidInputError(
                "bayes_error and largest_effect scale the same effects: give one of them; "
                f"received {self.bayes_error!r} and {self.largest_effect!r}."
            )
        for name, most in (("bayes_error", 0.5), ("largest_effect", math.inf)):
            if getattr(self, name) is not None:
                object.__setattr__(
                    self, name, check_positive_number(getattr(self, name), name, most)
                )


@dataclass(frozen=True, kw_only=True)
class IndependentGaussian(GaussianGenerator):
    r"""Two Gaussian classes at +mu and -mu that differ in independent features.

    The means come from the triangular density :math:`2 - 2x`, are raised to `gamma` and scaled:
    all features are informative, most of them little. The classes are ``case`` (at +mu) and
    ``control``.

    Parameters
    ----------
    n_samples : int, default 100
        Number of samples, half of them cases (one more if the number is odd).
    n_features : int, default 1000
        Number of features.
    gamma : float, default 2.0
        Power of the means, above 0; the larger, the fewer features carry the difference.
    bayes_error : float, optional
        Scale the means to this error :math:`\Phi(-\lVert\mu\rVert)` of the best rule on all
        features, between 0 and 0.5; 0.10 where neither this nor `largest_effect` is given.
    largest_effect : float, optional
        Scale the largest mean to this instead. Like all of mu it is half the difference of the
        classes.
    population : int, default 0
        Seed of the means. All draws share it.

    References
    ----------
    Dernoncourt et al. 2014, section 4.1.

    Examples
    --------
    >>> from holdfast.simulate import IndependentGaussian
    >>> generator = IndependentGaussian(n_samples=50, n_features=200)
    >>> round(float(generator.model.bayes_error()), 6), round(generator.model.best_error(20), 3)
    (0.1, 0.157)
    >>> drawn = generator.draw(0)
    >>> drawn.X.shape, drawn.y[0], bool((drawn.effects == 2 * generator.model.mu).all())
    ((50, 200), np.str_('case'), True)
    """

    @cached_property
    def model(self) -> GaussianModel:
        """The population, with its exact errors."""
        return GaussianModel(self._progressive())


@dataclass(frozen=True, kw_only=True)
class BlockGaussian(GaussianGenerator):
    r"""Two Gaussian classes at +mu and -mu whose features are correlated in blocks.

    A block is made of neighbours, each pair of which has the same correlation. The classes are
    ``case`` (at +mu) and ``control``.

    Parameters
    ----------
    n_samples : int, default 100
        Number of samples, half of them cases (one more if the number is odd).
    n_features : int, default 1000
        Number of features.
    block_size : int, default 10
        Number of features in a block; the last block is smaller if need be.
    correlation : float, default 0.5
        Correlation of two features of one block, from 0 to below 1.
    kind : {'progressive', 'two_point'}, default 'progressive'
        Progressive means are those of `IndependentGaussian` with the same `population`; of two
        points, `n_informative` means are `effect` and the others 0.
    layout : {'scattered', 'blocks'}, default 'scattered'
        Where large means lie: anywhere, or together. With ``'blocks'`` informative features fill
        the first blocks, and progressive means fall from the first feature to the last.
    n_informative, effect : int and float, default 100 and 0.1
        Number and mean of the informative features, with two points only.
    gamma : float, default 2.0
        Power of progressive means, above 0.
    bayes_error : float, optional
        Scale progressive means so that *without correlation* the error of the best rule,
        :math:`\Phi(-\lVert\mu\rVert)`, would be this; 0.10 where neither this nor
        `largest_effect` is given. So the means are the same for every correlation and layout;
        the error with correlation, :math:`\Phi(-\sqrt{\mu^\top\Sigma^{-1}\mu})`, is
        ``model.bayes_error()``.
    largest_effect : float, optional
        Scale the largest of progressive means to this instead.
    population : int, default 0
        Seed of the means and their places. All draws share it.

    References
    ----------
    Dernoncourt et al. 2014, section 4.1.

    Examples
    --------
    >>> from holdfast.simulate import BlockGaussian
    >>> scattered = BlockGaussian(kind="two_point")
    >>> together = BlockGaussian(kind="two_point", layout="blocks")
    >>> [round(float(each.model.bayes_error()), 2) for each in (scattered, together)]
    [0.1, 0.33]
    >>> int(together.draw(0).informative[:100].sum())
    100
    """

    block_size: int = 10
    correlation: float = 0.5
    kind: str = "progressive"
    layout: str = "scattered"
    n_informative: int = 100
    effect: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "block_size", check_integer(self.block_size, "block_size", 1))
        object.__setattr__(self, "correlation", correlation_of(self.correlation))
        object.__setattr__(
            self, "n_informative", check_integer(self.n_informative, "n_informative", 0)
        )
        object.__setattr__(self, "effect", check_positive_number(self.effect, "effect", math.inf))
        one_of(self.kind, "kind", _KINDS)
        one_of(self.layout, "layout", _LAYOUTS)
        self._check_two_points()

    @cached_property
    def model(self) -> GaussianModel:
        """The population, with its exact errors."""
        mu = self._progressive() if self.kind == "progressive" else self._two_points()
        if self.layout == "blocks":
            mu = np.sort(mu)[::-1]
        return GaussianModel(mu, self.block_size, self.correlation)

    def _two_points(self) -> NDArray[np.float64]:
        places = RandomStream(_POPULATION, self.population).order(self.n_features)
        mu = np.zeros(self.n_features)
        mu[places[: self.n_informative]] = self.effect
        return mu

    def _check_two_points(self) -> None:
        if self.kind != "two_point":
            return
        if self.n_informative > self.n_features:
            raise InvalidInputError(
                f"n_informative must be at most n_features ({self.n_features:,}); "
                f"received {self.n_informative:,}."
            )
        for name in ("bayes_error", "largest_effect"):
            if getattr(self, name) is not None:
                raise InvalidInputError(
                    f"{name} scales progressive means, and kind is 'two_point'; "
                    f"received {getattr(self, name)!r}. Give effect instead."
                )


def _names(count: int) -> tuple[str, ...]:
    digits = len(str(count))
    return tuple(f"x{number:0{digits}d}" for number in range(1, count + 1))
