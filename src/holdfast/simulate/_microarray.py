"""What every generator of data gives, and how it is asked."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, cast

import numpy as np
from scipy.special import ndtri

from holdfast._validation import check_integer, seed_of
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulated:
    """A data set that was drawn, with the truth about its features.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The data, one row a sample.
    y : ndarray of shape (n,)
        The label of each sample, as text.
    feature_names : tuple of str
        The name of each feature.
    informative : ndarray of shape (p,)
        Which features differ between the classes.
    effects : ndarray of shape (p,)
        By how much: the difference of the class means in standard deviations within a class,
        0 for features that are not informative.

    Examples
    --------
    >>> from holdfast.simulate import Microarray
    >>> drawn = Microarray(n_samples=20, n_features=300).draw(0)
    >>> drawn.X.shape, int(drawn.informative.sum())
    ((20, 300), 40)
    """

    X: NDArray[np.float64]
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]
    informative: NDArray[np.bool_]
    effects: NDArray[np.float64]


class Generator(ABC):
    """A population that data sets are drawn from.

    Children are frozen dataclasses whose fields are numbers and text, so that a generator can be
    written down as JSON. The fields fix the population, hence the truth; a draw adds the samples.
    """

    @abstractmethod
    def draw(self, random_state: int) -> Simulated:
        """Draw a data set.

        Parameters
        ----------
        random_state : int
            Seed of the samples; another seed gives independent samples of the same population.

        Returns
        -------
        Simulated
        """


# Random numbers that are the same on every machine and with every version of NumPy.
#
# NumPy promises to keep the bits of its bit generators, not what its distributions make of them;
# so the bits are turned into numbers here.

_WORD = 32  # bits


class RandomStream:
    """A stream of random numbers, told apart from others by whole numbers."""

    def __init__(self, *keys: int) -> None:
        self._bits = np.random.PCG64(_seed(keys))

    def uniform(self, *shape: int) -> NDArray[np.float64]:
        """Draw from the open interval (0, 1)."""
        raw = self._bits.random_raw(int(np.prod(shape)))
        return ((raw >> np.uint64(11)).astype(np.float64) + 0.5).reshape(shape) * 2.0**-53

    def normal(self, *shape: int) -> NDArray[np.float64]:
        """Draw from the standard normal distribution."""
        return np.asarray(ndtri(self.uniform(*shape)))

    def triangular(self, *shape: int) -> NDArray[np.float64]:
        """Draw from the density 2 - 2x on (0, 1): small values are the likely ones."""
        return 1.0 - np.sqrt(1.0 - self.uniform(*shape))

    def order(self, count: int) -> NDArray[np.intp]:
        """Draw an order of `count` things."""
        return np.argsort(self.uniform(count), kind="stable")


def _seed(keys: tuple[int, ...]) -> np.random.SeedSequence:
    """Return a seed of its own for each list of keys.

    NumPy cuts numbers into words of 32 bits and forgets where one ended; so what is above them
    stands apart, behind its lengths.
    """
    above = [key >> _WORD for key in keys]
    if not any(above):
        return np.random.SeedSequence(keys)
    below = [key % (1 << _WORD) for key in keys]
    lengths = [part.bit_length() for part in above]
    return np.random.SeedSequence(below, spawn_key=(*lengths, *above))


# Data like those of microarrays: few samples, many features, some of them in modules.

CLASSES = ("case", "control")
_POPULATION, _SAMPLES = 1, 2  # streams of random numbers that have nothing in common
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
_DECIMALS = 3  # hides the last bits, in which machines differ


@dataclass(frozen=True)
class _Population:
    """What all data sets of a generator share; `module` is -1 outside modules."""

    module: NDArray[np.intp]
    effects: NDArray[np.float64]
    informative: NDArray[np.bool_]
    baseline: NDArray[np.float64]
    spread: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Microarray(Generator):
    """Two classes, ``case`` and ``control``, measured by many features on a logarithmic scale.

    Each feature is Gaussian within a class, with a baseline (about 8) and a spread (0.3 to 1) of
    its own. Features of a module rise and fall together: each pair has the same correlation.
    Informative features differ between the classes, up or down, by an effect from the triangular
    density :math:`2 - 2x`, scaled to `largest_effect`: many small effects, few large ones. The
    values are rounded to three decimals, so that they are the same on every machine.

    Parameters
    ----------
    n_samples : int, default 100
        Number of samples, half of them cases (one more if the number is odd).
    n_features : int, default 2000
        Number of features.
    n_informative : int, default 40
        Number of features that differ between the classes.
    largest_effect : float, default 2.0
        Upper limit of the effects, in standard deviations within a class.
    n_modules, module_size : int, default 20 and 10
        Number of modules, and of features in each.
    correlation : float, default 0.6
        Correlation of two features of one module.
    informative_in_modules : float, default 0.5
        Share of the informative features that lie inside modules, at random places.
    population : int, default 0
        Seed of the population: which features are informative, their effects, modules,
        baselines and spreads. All draws share it.

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
        for name, least in _MIN_VALUES.items():
            object.__setattr__(self, name, check_integer(getattr(self, name), name, least))
        for name, most in _MAX_VALUES.items():
            object.__setattr__(self, name, _real(getattr(self, name), name, most))
        self._check_room()

    def draw(self, random_state: int) -> Simulated:
        """Draw a data set.

        Parameters
        ----------
        random_state : int
            Seed of the samples, from 0 on.

        Returns
        -------
        Simulated
        """
        seed = seed_of(random_state)
        truth = self._population()
        cases = (self.n_samples + 1) // 2
        y = np.repeat(CLASSES, [cases, self.n_samples - cases])
        side = np.where(y == CLASSES[0], 0.5, -0.5)
        values = self._within_class(truth.module, RandomStream(_SAMPLES, self.population, seed))
        values += side[:, np.newaxis] * truth.effects
        values *= truth.spread
        values += truth.baseline
        return Simulated(
            X=np.round(values, _DECIMALS),
            y=y,
            feature_names=self._names(),
            informative=truth.informative,
            effects=truth.effects,
        )

    def _within_class(self, module: NDArray[np.intp], chance: RandomStream) -> NDArray[np.float64]:
        """Draw Gaussian values of variance 1, correlated inside modules."""
        values = chance.normal(self.n_samples, self.n_features)
        factors = chance.normal(self.n_samples, self.n_modules)
        inside = module >= 0
        values[:, inside] *= np.sqrt(1.0 - self.correlation)
        values[:, inside] += np.sqrt(self.correlation) * factors[:, module[inside]]
        return values

    def _population(self) -> _Population:
        chance = RandomStream(_POPULATION, self.population)
        p, places = self.n_features, chance.order(self.n_features)
        module = np.full(p, -1)
        members = places[: self._members]
        module[members] = np.arange(len(members)) // self.module_size
        outside = places[self._members :]
        chosen = [*members[chance.order(self._members)[: self._inside]],
                  *outside[: self.n_informative - self._inside]]  # fmt: skip
        sign = np.where(chance.uniform(p) < 0.5, -1.0, 1.0)
        sizes = self.largest_effect * chance.triangular(p)
        informative = np.zeros(p, dtype=np.bool_)
        informative[chosen] = True
        return _Population(
            module=module,
            effects=np.where(informative, sign * sizes, 0.0),
            informative=informative,
            baseline=8.0 + 1.5 * chance.normal(p),
            spread=0.3 + 0.7 * chance.triangular(p),
        )

    def _names(self) -> tuple[str, ...]:
        digits = len(str(self.n_features))
        return tuple(f"g{number:0{digits}d}" for number in range(1, self.n_features + 1))

    @property
    def _members(self) -> int:
        return self.n_modules * self.module_size

    @property
    def _inside(self) -> int:
        return round(self.informative_in_modules * self.n_informative)

    def _check_room(self) -> None:
        outside = self.n_features - self._members
        if outside < 0:
            raise InvalidInputError(
                f"n_modules x module_size must be at most n_features ({self.n_features:,}), "
                f"got {self._members:,}."
            )
        if self._inside > self._members or self.n_informative - self._inside > outside:
            raise InvalidInputError(
                f"n_informative ({self.n_informative:,}) is too large: {self._inside:,} of them "
                f"must fit into {self._members:,} features inside modules, the others into "
                f"{outside:,} outside; change informative_in_modules or the number of features."
            )


def _real(value: object, name: str, most: float) -> float:
    """Return a number from 0 on as a float that JSON can hold."""
    if (
        isinstance(value, Real)
        and not isinstance(value, bool)
        and 0 <= cast("float", value) <= most
    ):
        return float(value)
    allowed = "must lie between 0 and 1" if most == 1.0 else "must be a number from 0 on"
    raise InvalidInputError(f"{name} {allowed}, got {value!r}.")
