"""What a criterion is: a value for every subset that one move leads to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Features: TypeAlias = NDArray[np.intp]
Values: TypeAlias = NDArray[np.float64]


class Moves(NamedTuple):
    """Features that could be added or removed, one unit of them at a time.

    Unit i holds ``features[starts[i]:starts[i + 1]]``; most often that is a single feature.
    """

    features: Features
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, units: Sequence[Features]) -> Moves:
        """Join units of features."""
        starts = np.cumsum([0, *map(len, units)])
        features = np.concatenate([np.empty(0, dtype=np.intp), *units])
        return cls(features.astype(np.intp, copy=False), starts.astype(np.intp, copy=False))

    @property
    def units(self) -> list[Features]:
        """The features of each unit."""
        return np.split(self.features, self.starts[1:-1])


class Criterion(ABC):
    """A value for subsets of features, higher being better, always on the same splits.

    A subset that the classifier cannot be fitted to has the value minus infinity.

    Attributes
    ----------
    failure : str
        Why the classifier could not be fitted to some subset, empty if that never happened or
        is not known.
    """

    failure: str = ""

    @abstractmethod
    def added(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` with each unit added; `base` may be empty, and is sorted."""

    @abstractmethod
    def removed(self, base: Features, moves: Moves) -> Values:
        """Return the value of `base` without each unit; something is always left."""
