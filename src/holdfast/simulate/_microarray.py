"""Base of data generators, reproducible random numbers, and microarray-like data."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from holdfast._memory import check_memory
from holdfast._typing import BoolArray, FloatArray, IndexArray
from holdfast._validation import check_integer, check_seed
from holdfast.errors import InvalidInputError
from holdfast.io import Dataset


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulated:
    """A simulated data set with the true effects of its features.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The data, one row per sample.
    y : ndarray of shape (n,)
        The label of each sample, as text.
    feature_names : tuple of str
        The name of each feature.
    informative : ndarray of shape (p,)
        Whether each feature differs between the classes.
    effects : ndarray of shape (p,)
        Difference of the class means in standard deviations within a class; 0 for features that
        are not informative.

    Examples
    --------
    >>> from holdfast.simulate import Microarray
    >>> drawn = Microarray(n_samples=20, n_features=300).draw(0)
    >>> drawn.X.shape, int(drawn.informative.sum())
    ((20, 300), 40)
    """

    X: FloatArray
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]
    informative: BoolArray
    effects: FloatArray


class Generator(ABC):
    """A population that data sets are drawn from.

    Subclasses are frozen dataclasses whose fields are numbers and strings, so that a generator can
    be stored as JSON. The fields determine the population; a draw adds the samples.
    """

    @abstractmethod
    def draw(self, random_state: int) -> Simulated:
        """Draw a data set.

        Parameters
        ----------
        random_state : int
            Seed of the samples; other seeds give independent samples of the same population.

        Returns
        -------
        Simulated
        """


BYTES_PER_DRAWN_VALUE = 24
"""Memory of a value while data are drawn: as bits, as noise, and rounded."""


def check_drawn_memory(n_samples: int, n_features: int) -> None:
    """Raise if a data set of this size needs more memory than the limit."""
    check_memory(
        BYTES_PER_DRAWN_VALUE * n_samples * n_features,
        f"a data set of {n_samples:,} samples and {n_features:,} features",
        InvalidInputError,
    )


# Random numbers that are the same on every machine and with every version of NumPy.
#
# NumPy guarantees the output of its bit generators across versions, but not that of its
# distributions. The bits are therefore converted here.

_WORD_BITS = 32


class RandomStream:
    """A stream of random numbers, identified by non-negative integers."""

    def __init__(self, *keys: int) -> None:
        self._bits = np.random.PCG64(_make_seed_sequence(keys))

    def uniform(self, *shape: int) -> FloatArray:
        """Draw from the open interval (0, 1)."""
        raw = self._bits.random_raw(int(np.prod(shape)))
        # 53 bits at the middles of 2^53 cells: never exactly 0 or 1, so quantiles are finite
        return ((raw >> np.uint64(11)).astype(np.float64) + 0.5).reshape(shape) * 2.0**-53

    def normal(self, *shape: int) -> FloatArray:
        """Draw from the standard normal distribution."""
        return np.asarray(ndtri(self.uniform(*shape)))

    def triangular(self, *shape: int) -> FloatArray:
        """Draw from the density 2 - 2x on (0, 1)."""
        return 1.0 - np.sqrt(1.0 - self.uniform(*shape))

    def permutation(self, count: int) -> IndexArray:
        """Draw a random permutation of the integers below `count`."""
        return np.argsort(self.uniform(count), kind="stable")


def _make_seed_sequence(keys: tuple[int, ...]) -> np.random.SeedSequence:
    """Return a distinct seed sequence for each tuple of keys.

    NumPy splits integers into 32-bit words without storing their lengths, so that different keys
    could give the same words. Bits above the lowest word are therefore passed separately, together
    with their lengths.
    """
    high = [key >> _WORD_BITS for key in keys]
    if not any(high):
        return np.random.SeedSequence(keys)
    low = [key % (1 << _WORD_BITS) for key in keys]
    # SeedSequence takes words of 32 bits: longer keys are split, and lengths keep the tuples apart
    lengths = [part.bit_length() for part in high]
    return np.random.SeedSequence(low, spawn_key=(*lengths, *high))


# Microarray-like data: few samples and many features, some of them in correlated modules.

CLASSES = ("case", "control")
_POPULATION, _SAMPLES = 1, 2  # keys of independent random streams
_MIN_VALUES = {
    "n_samples": 2,
    "n_features": 1,
    "n_informative": 0,
    "n_modules": 0,
    "module_size": 1,
    "population": 0,
}
_MAX_VALUES = {
    "largest_effect": sys.float_info.max,
    "correlation": 1.0,
    "informative_in_modules": 1.0,
}
_DECIMALS = 3  # hides differences between machines in the last bits


@dataclass(frozen=True)
class _Population:
    """Properties shared by all draws of a generator; `module` is -1 outside modules."""

    module: IndexArray
    effects: FloatArray
    informative: BoolArray
    baseline: FloatArray
    spread: FloatArray


@dataclass(frozen=True, kw_only=True)
class Microarray(Generator):
    """Microarray-like data of two classes, ``case`` and ``control``, on a logarithmic scale.

    Each feature is Gaussian within a class, with its own baseline (about 8) and spread (0.3 to 1).
    Features in the same module have the same pairwise correlation. Informative features are higher
    or lower in cases, by an effect drawn from the triangular density :math:`2 - 2x` and scaled to
    `largest_effect`: many effects are small, few are large. Values are rounded to three decimals,
    so that they are the same on every machine.

    Parameters
    ----------
    n_samples : int, default 100
        Number of samples, half of them cases (one more case if the number is odd).
    n_features : int, default 2000
        Number of features.
    n_informative : int, default 40
        Number of features that differ between the classes.
    largest_effect : float, default 2.0
        Upper limit of the effects, in standard deviations within a class.
    n_modules, module_size : int, default 20 and 10
        Number of modules, and number of features in each.
    correlation : float, default 0.6
        Correlation of two features in the same module.
    informative_in_modules : float, default 0.5
        Fraction of the informative features that lie inside modules, at random positions.
    population : int, default 0
        Seed of the population, shared by all draws: informative features, effects, modules,
        baselines and spreads.

    Examples
    --------
    >>> from holdfast.simulate import Microarray
    >>> one, other = (Microarray(n_samples=30).draw(seed) for seed in (1, 2))
    >>> one.X.shape, one.y[0], one.feature_names[-1]
    ((30, 2000), np.str_('case'), 'g2000')
    >>> bool((one.informative == other.informative).all()), bool((one.X == other.X).all())
    (True, False)
    """

    n_samples: int = 100
    n_features: int = 2000
    n_informative: int = 40
    largest_effect: float = 2.0
    n_modules: int = 20
    module_size: int = 10
    correlation: float = 0.6
    informative_in_modules: float = 0.5
    population: int = 0

    def __post_init__(self) -> None:
        for name, minimum in _MIN_VALUES.items():
            object.__setattr__(self, name, check_integer(getattr(self, name), name, minimum))
        for name, maximum in _MAX_VALUES.items():
            value = _check_nonnegative(getattr(self, name), name, maximum)
            object.__setattr__(self, name, value)
        self._check_module_counts()

    def draw(self, random_state: int) -> Simulated:
        """Draw a data set.

        Parameters
        ----------
        random_state : int
            Seed of the samples, at least 0.

        Returns
        -------
        Simulated
        """
        seed = check_seed(random_state)
        check_drawn_memory(self.n_samples, self.n_features)
        population = self._draw_population()
        cases = (self.n_samples + 1) // 2
        y = np.repeat(CLASSES, [cases, self.n_samples - cases])
        side = np.where(y == CLASSES[0], 0.5, -0.5)
        values = self._draw_noise(population.module, RandomStream(_SAMPLES, self.population, seed))
        # an effect is the distance of the class means: half of it on either side
        values += side[:, np.newaxis] * population.effects
        values *= population.spread
        values += population.baseline
        return Simulated(
            X=np.round(values, _DECIMALS),
            y=y,
            feature_names=make_feature_names("g", self.n_features),
            informative=population.informative,
            effects=population.effects,
        )

    def _draw_noise(self, module: IndexArray, stream: RandomStream) -> FloatArray:
        """Draw Gaussian values with variance 1, correlated within modules."""
        values = stream.normal(self.n_samples, self.n_features)
        factors = stream.normal(self.n_samples, self.n_modules)
        inside = module >= 0
        values[:, inside] *= np.sqrt(1.0 - self.correlation)
        values[:, inside] += np.sqrt(self.correlation) * factors[:, module[inside]]
        return values

    def _draw_population(self) -> _Population:
        stream = RandomStream(_POPULATION, self.population)
        p, positions = self.n_features, stream.permutation(self.n_features)
        module = np.full(p, -1)
        members = positions[: self._n_in_modules]
        module[members] = np.arange(len(members)) // self.module_size
        outside = positions[self._n_in_modules :]
        n_inside = self._n_informative_in_modules
        inside = members[stream.permutation(len(members))[:n_inside]]
        sign = np.where(stream.uniform(p) < 0.5, -1.0, 1.0)
        sizes = self.largest_effect * stream.triangular(p)
        informative = np.zeros(p, dtype=np.bool_)
        informative[inside] = True
        informative[outside[: self.n_informative - n_inside]] = True
        return _Population(
            module=module,
            effects=np.where(informative, sign * sizes, 0.0),
            informative=informative,
            baseline=8.0 + 1.5 * stream.normal(p),
            spread=0.3 + 0.7 * stream.triangular(p),
        )

    @property
    def _n_in_modules(self) -> int:
        return self.n_modules * self.module_size

    @property
    def _n_informative_in_modules(self) -> int:
        return round(self.informative_in_modules * self.n_informative)

    def _check_module_counts(self) -> None:
        n_inside, n_outside = self._n_in_modules, self.n_features - self._n_in_modules
        if n_outside < 0:
            raise InvalidInputError(
                f"n_modules x module_size must be at most n_features ({self.n_features:,}); "
                f"got {n_inside:,}."
            )
        informative = self._n_informative_in_modules
        if informative > n_inside or self.n_informative - informative > n_outside:
            raise InvalidInputError(
                f"n_informative ({self.n_informative:,}) is too large: {informative:,} of them "
                f"must fit into {n_inside:,} features inside modules, the others into "
                f"{n_outside:,} outside; change informative_in_modules or the number of features."
            )


def make_feature_names(prefix: str, count: int) -> tuple[str, ...]:
    """Return numbered names, padded with zeros to equal length."""
    digits = len(str(count))
    return tuple(f"{prefix}{number:0{digits}d}" for number in range(1, count + 1))


def _check_nonnegative(value: object, name: str, maximum: float) -> float:
    """Return a number from 0 to `maximum` as a float."""
    if (
        isinstance(value, Real)
        and not isinstance(value, bool)
        and 0 <= cast("float", value) <= maximum
    ):
        return float(value)
    expected = "between 0 and 1" if maximum == 1.0 else "a finite number of at least 0"
    raise InvalidInputError(f"{name} must be {expected}; got {value!r}.")


def load_simulated() -> Dataset:
    """Return the data set ``@simulated``: draw 0 of `Microarray` with default parameters."""
    generator = Microarray()
    drawn = generator.draw(0)
    return Dataset(
        X=drawn.X,
        y=drawn.y,
        feature_names=drawn.feature_names,
        truth=drawn.informative,
        generator=generator,
    )
