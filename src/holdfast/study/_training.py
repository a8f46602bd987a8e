"""What selectors learn from: the training part of each resample, altered where it is to be."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdfast.judge._replication._missing import imputed
from holdfast.select._columns import Columns
from holdfast.select._selector import together
from holdfast.study._seeds import DRAW, NOISE, seed_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.resample import Resample
    from holdfast.select import Selector
    from holdfast.simulate import Generator


class Part(NamedTuple):
    """The training data of one resample, where they are not just rows of the study's data."""

    X: NDArray[Any]
    y: NDArray[np.intp]
    subjects: NDArray[Any] | None = None
    """The subject of each sample, for a selector that takes them."""
    test: tuple[NDArray[Any], NDArray[np.intp]] | None = None
    """Other samples to test on than the study's own."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Training:
    """The data of a study, and what becomes of them in each resample."""

    X: NDArray[Any]
    y: NDArray[np.intp]
    classes: tuple[str, ...]
    seed: int
    missing: bool
    """Whether the data have missing values."""
    nominal: tuple[int, ...]
    generator: Generator | None
    subjects: NDArray[Any] | None
    """The subject of each sample, None where each sample is by itself."""

    def changes(self, selector: Selector, resample: Resample) -> bool:
        """Return whether the selector sees other data than rows of the study's data."""
        imputed = self.missing and not selector.takes_missing
        return imputed or resample.features is not None or resample.noise > 0 or resample.draw >= 0

    def part(self, selector: Selector, resample: Resample, position: int) -> Part:
        """Return what a selector learns from on one resample."""
        if resample.draw >= 0:
            return self._drawn(resample)
        train = self.X[resample.train]
        if resample.noise > 0:
            train = self._noisy(train, resample.noise, position)
        if resample.features is not None:
            train = train[:, resample.features]
        if self.missing and not selector.takes_missing:
            train = imputed(train)
        subjects = None
        if selector.takes_subjects:
            subjects = together(self.subjects, resample.train)
        return Part(train, self.y[resample.train], subjects)

    def _noisy(self, train: NDArray[Any], level: float, position: int) -> NDArray[Any]:
        rng = np.random.default_rng(seed_of(self.seed, NOISE, position))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
            spread = np.nanstd(train, axis=0, dtype=np.float64)
        spread[list(self.nominal)] = 0.0  # codes, not amounts
        noisy: NDArray[Any] = train + level * spread * rng.standard_normal(train.shape)
        return noisy.astype(train.dtype)

    def _drawn(self, resample: Resample) -> Part:
        if self.generator is None:
            raise RuntimeError("data sets are to be drawn, but there is no generator")
        sides = [self.generator.draw(seed_of(self.seed, DRAW, resample.draw, i)) for i in (0, 1)]
        train, test = ((one.X, np.searchsorted(self.classes, one.y)) for one in sides)
        return Part(
            train[0][resample.train],
            train[1][resample.train],
            test=(test[0][resample.test], test[1][resample.test]),
        )


def offered(selector: Selector, features: NDArray[np.intp] | None, n_features: int) -> Selector:
    """Return a selector that speaks of the features it is offered only."""
    if features is None:
        return selector
    return selector.among(Columns(n_features, offered=features))
