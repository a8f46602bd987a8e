"""Generators of two Gaussian classes with independent or block-correlated features."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from holdfast._typing import FloatArray
from holdfast._validation import check_choice, check_integer, check_positive_number, check_seed
from holdfast.errors import InvalidInputError
from holdfast.simulate._gaussian_model import GaussianModel, check_correlation
from holdfast.simulate._microarray import (
    CLASSES,
    Generator,
    RandomStream,
    Simulated,
    check_drawn_memory,
    make_feature_names,
)

_POPULATION, _SAMPLES = 3, 4  # keys of independent random streams
_MIN_VALUES = {"n_samples": 2, "n_features": 1, "population": 0}
_DEFAULT_BAYES_ERROR = 0.10
_KINDS = ("progressive", "two_point")
_LAYOUTS = ("scattered", "blocks")


@dataclass(frozen=True, kw_only=True)
class GaussianGenerator(Generator):
    """Base of the Gaussian generators: progressive effects and drawing of samples."""

    n_samples: int = 100
    n_features: int = 1000
    gamma: float = 2.0
    bayes_error: float | None = None
    largest_effect: float | None = None
    population: int = 0

    def __post_init__(self) -> None:
        for name, minimum in _MIN_VALUES.items():
            object.__setattr__(self, name, check_integer(getattr(self, name), name, minimum))
        object.__setattr__(self, "gamma", check_positive_number(self.gamma, "gamma", math.inf))
        self._check_scale()

    @property
    @abstractmethod
    def model(self) -> GaussianModel:
        """The population, which gives exact errors."""

    @property
    def counts(self) -> tuple[int, int]:
        """Number of samples at +mu and at -mu."""
        return (self.n_samples + 1) // 2, self.n_samples // 2

    def draw(self, random_state: int) -> Simulated:
        """Draw a data set.

        Parameters
        ----------
        random_state : int
            Seed of the samples, at least 0.

        Returns
        -------
        Simulated
            Its `effects` are the differences of the class means, ``2 * model.mu``.
        """
        check_drawn_memory(self.n_samples, self.n_features)
        # samples and population have separate streams: more draws do not change the population
        key = (_SAMPLES, self.population)
        seed = np.random.SeedSequence(check_seed(random_state), spawn_key=key)
        X, positive = self.model.draw(self.counts, np.random.Generator(np.random.PCG64(seed)))
        return Simulated(
            X=X,
            y=np.where(positive, *CLASSES),
            feature_names=make_feature_names("x", self.n_features),
            informative=self.model.mu != 0,
            effects=2 * self.model.mu,
        )

    def _progressive_means(self) -> FloatArray:
        """Return triangular means, raised to a power and scaled."""
        base = RandomStream(_POPULATION, self.population).triangular(self.n_features)
        # dividing first keeps the largest at 1, so that no power underflows all means
        mu = (base / base.max()) ** self.gamma
        if self.largest_effect is not None:
            return np.asarray(mu * self.largest_effect)
        error = _DEFAULT_BAYES_ERROR if self.bayes_error is None else self.bayes_error
        # the Bayes error of independent features is Phi(-|mu|)
        return np.asarray(mu * (-ndtri(error) / np.linalg.norm(mu)))

    def _check_scale(self) -> None:
        if self.bayes_error is not None and self.largest_effect is not None:
            raise InvalidInputError(
                "bayes_error and largest_effect scale the same effects: give only one; "
                f"got {self.bayes_error!r} and {self.largest_effect!r}."
            )
        for name, limit in (("bayes_error", 0.5), ("largest_effect", math.inf)):
            if getattr(self, name) is not None:
                object.__setattr__(
                    self, name, check_positive_number(getattr(self, name), name, limit)
                )


@dataclass(frozen=True, kw_only=True)
class IndependentGaussian(GaussianGenerator):
    r"""Two Gaussian classes at +mu and -mu with independent features.

    The means are drawn from the triangular density :math:`2 - 2x`, raised to the power `gamma` and
    scaled: all features are informative, most of them weakly. The classes are ``case`` (at +mu) and
    ``control``.

    Parameters
    ----------
    n_samples : int, default 100
        Number of samples, half of them cases (one more case if the number is odd).
    n_features : int, default 1000
        Number of features.
    gamma : float, default 2.0
        Power of the means, above 0. The larger it is, the fewer features carry the difference.
    bayes_error : float, optional
        Scale the means to this error :math:`\Phi(-\lVert\mu\rVert)` of the best rule on all
        features, between 0 and 0.5. The default is 0.10 unless `largest_effect` is given.
    largest_effect : float, optional
        Scale the largest mean to this value instead. Like mu, it is half the difference between
        the classes.
    population : int, default 0
        Seed of the means, shared by all draws.

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
        """The population, which gives exact errors."""
        return GaussianModel(self._progressive_means())


@dataclass(frozen=True, kw_only=True)
class BlockGaussian(GaussianGenerator):
    r"""Two Gaussian classes at +mu and -mu with features correlated in blocks.

    A block consists of adjacent features; each pair in it has the same correlation. The classes
    are ``case`` (at +mu) and ``control``.

    Parameters
    ----------
    n_samples : int, default 100
        Number of samples, half of them cases (one more case if the number is odd).
    n_features : int, default 1000
        Number of features.
    block_size : int, default 10
        Number of features in a block; the last block may be smaller.
    correlation : float, default 0.5
        Correlation of two features in the same block, at least 0 and below 1.
    kind : {'progressive', 'two_point'}, default 'progressive'
        ``'progressive'``: the means of `IndependentGaussian` with the same `population`.
        ``'two_point'``: `n_informative` means equal `effect`, the others are 0.
    layout : {'scattered', 'blocks'}, default 'scattered'
        Where large means are placed: anywhere, or together. With ``'blocks'``, informative
        features fill the first blocks, and progressive means decrease from the first feature to
        the last.
    n_informative, effect : int and float, default 100 and 0.1
        Number and mean of the informative features; only used by ``'two_point'``.
    gamma : float, default 2.0
        Power of progressive means, above 0.
    bayes_error : float, optional
        Scale progressive means so that the error of the best rule *without correlation*,
        :math:`\Phi(-\lVert\mu\rVert)`, has this value. The default is 0.10 unless
        `largest_effect` is given. The means are therefore the same for every correlation and
        layout; ``model.bayes_error()`` is the error with correlation,
        :math:`\Phi(-\sqrt{\mu^\top\Sigma^{-1}\mu})`.
    largest_effect : float, optional
        Scale the largest progressive mean to this value instead.
    population : int, default 0
        Seed of the means and their placement, shared by all draws.

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
        object.__setattr__(self, "correlation", check_correlation(self.correlation))
        object.__setattr__(
            self, "n_informative", check_integer(self.n_informative, "n_informative", 0)
        )
        object.__setattr__(self, "effect", check_positive_number(self.effect, "effect", math.inf))
        check_choice(self.kind, "kind", _KINDS)
        check_choice(self.layout, "layout", _LAYOUTS)
        self._check_two_points()

    @cached_property
    def model(self) -> GaussianModel:
        """The population, which gives exact errors."""
        if self.kind == "progressive":
            mu = self._progressive_means()
        else:
            positions = RandomStream(_POPULATION, self.population).permutation(self.n_features)
            mu = np.zeros(self.n_features)
            mu[positions[: self.n_informative]] = self.effect
        if self.layout == "blocks":
            # strong features fill the first blocks together
            mu = np.sort(mu)[::-1]
        return GaussianModel(mu, self.block_size, self.correlation)

    def _check_two_points(self) -> None:
        if self.kind != "two_point":
            return
        if self.n_informative > self.n_features:
            raise InvalidInputError(
                f"n_informative must be at most n_features ({self.n_features:,}); "
                f"got {self.n_informative:,}."
            )
        for name in ("bayes_error", "largest_effect"):
            if getattr(self, name) is not None:
                raise InvalidInputError(
                    f"{name} scales progressive means, but kind is 'two_point'; "
                    f"got {getattr(self, name)!r}. Give effect instead."
                )
