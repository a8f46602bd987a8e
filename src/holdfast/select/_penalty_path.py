"""The models of one data set as an L1 penalty falls, and the order in which features enter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdfast._kernels.l1_path import GAUSSIAN, LOGISTIC, has_twin, loss, residuals, slopes, solve
from holdfast._kernels.svm_data import weights
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.select._selector import Array

NEVER = np.iinfo(np.int32).max
"""The place of a feature that does not enter."""
EXPLAINED = 0.999
"""Share of the deviance past which a path ends: coefficients then grow without bound."""


class Entries(NamedTuple):
    """When features enter: a row a data set, a column a feature.

    `places` is 1 for the feature that enters first and `NEVER` for those that do not; of features
    that enter at the same penalty, the one of the larger coefficient comes first. `penalties` are
    relative to the largest, 0 for those that do not enter.
    """

    places: NDArray[np.int32]
    penalties: Array

    @classmethod
    def none(cls, n_rows: int, n_features: int) -> Entries:
        """Return those of data sets in which nothing has entered yet."""
        shape = n_rows, n_features
        return cls(np.full(shape, NEVER, dtype=np.int32), np.zeros(shape))


class Path:
    """The models of one data set, from the largest penalty on downwards.

    Coefficients have one row, or one a class in the multinomial family. A feature joins those at
    work as soon as its slope exceeds the penalty, and the slopes of all features are looked
    at after every solution: at no penalty is a feature left out that belongs in.
    """

    def __init__(self, Z: Array, y: NDArray[Any], family: int, tolerance: float) -> None:
        self._Z, self._family, self._tolerance = Z, family, tolerance
        self._Y, self._eta = _targets(y, family)
        self._who = np.empty(0, dtype=np.int64)
        self._seen = np.zeros(len(Z), dtype=bool)
        self._null = loss(family, self._Y, self._eta)
        first = residuals(family, self._Y, self._eta)
        self._slopes = _finite(np.array([weights(Z, row) for row in first]) / Z.shape[1])
        self.coefficients: Array = np.zeros((len(first), len(Z)))
        self.largest = float(np.abs(self._slopes).max())
        self.violation = 0.0

    def walk(self, shares: Array) -> Iterator[float]:
        """Go through falling penalties, given as shares of the largest."""
        if self.largest == 0.0:  # no feature varies along with the target
            return
        for share in shares:
            self._solve(float(share) * self.largest)
            yield float(share)
            if loss(self._family, self._Y, self._eta) <= (1.0 - EXPLAINED) * self._null:
                return

    def enter(self, shares: Array, most: int, places: NDArray[np.int32], penalties: Array) -> None:
        """Note when features enter, the first `most` of them, in a row of `Entries`."""
        count = 0
        for share in self.walk(shares):
            sizes = np.abs(self.coefficients).sum(axis=0)
            new = np.flatnonzero((sizes > 0) & (penalties == 0))
            new = new[np.argsort(-sizes[new], kind="stable")[: most - count]]
            places[new] = np.arange(count + 1, count + len(new) + 1)
            penalties[new] = share
            count += len(new)
            if count == most:
                return

    def _solve(self, penalty: float) -> None:
        slack = self._tolerance * penalty
        newcomers = self._newcomers(penalty + slack)
        while True:
            self._admit(newcomers)
            left = solve(
                self._Z, self._Y, self._family, self._who, self.coefficients, self._eta,
                penalty, slack,
            )  # fmt: skip
            self.violation = max(self.violation, left / penalty)
            self._slopes = slopes(self._Z, residuals(self._family, self._Y, self._eta))
            newcomers = self._newcomers(penalty + slack)
            if not len(newcomers):
                return

    def _newcomers(self, limit: float) -> NDArray[np.intp]:
        return np.flatnonzero((np.abs(self._slopes).max(axis=0) > limit) & ~self._seen)

    def _admit(self, newcomers: NDArray[np.intp]) -> None:
        """Let features join; of equal ones the first stands for all."""
        for feature in newcomers:
            self._seen[feature] = True
            if not has_twin(self._Z, self._who, feature):
                self._who = np.append(self._who, feature)


def _targets(y: NDArray[Any], family: int) -> tuple[Array, Array]:
    """Return targets and the predictors of the model without features, one row a class."""
    if family == GAUSSIAN:
        target = _unit(y)
        target = _unit(target - target.mean())[None]
        return target, np.zeros_like(target)
    first = 1 if family == LOGISTIC else 0
    target = np.array([y == code for code in range(first, y.max() + 1)], dtype=np.float64)
    odds = target.mean(axis=1, keepdims=True)
    if family == LOGISTIC:
        odds /= 1.0 - odds
    return target, np.repeat(np.log(odds), len(y), axis=1)


def _unit(y: Array) -> Array:
    """Bring numbers into -1..1, so that no sum leaves their range; penalties are relative."""
    return y / (np.abs(y).max() or 1.0)


def _finite(slopes: Array) -> Array:
    if not np.isfinite(slopes).all():
        raise InvalidInputError(
            "X holds values too large or too close together for a path: their widths leave "
            "the range of floating-point numbers. Rescale the features first."
        )
    return slopes
