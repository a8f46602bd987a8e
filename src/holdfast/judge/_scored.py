"""The errors of all pairs on weighted samples, and the tests of one of them against the others."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from holdfast.judge._tests import corrected_t_p, mcnemar_p, summed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._pair import Tested

    Array = NDArray[np.float64]
    Counts = NDArray[np.float32]  # half the room, and exact for whole numbers up to 16 million


class Sheet:
    """Right and wrong as numbers, made once for any weights of the predictions."""

    def __init__(self, tested: Tested) -> None:
        self.tested = tested
        self.wrong: Counts = (tested.wrong & tested.known).astype(np.float32)
        self.every: Counts = tested.known.astype(np.float32)

    @cached_property
    def _group(self) -> NDArray[np.intp]:
        return np.unique(self.tested.group, return_inverse=True)[1]

    def weighed(self, weights: NDArray[np.integer] | None = None) -> Once | Repeated:
        """Return the errors where each prediction counts so many times."""
        times = np.ones(self.wrong.shape[1]) if weights is None else weights
        given = times.astype(np.float32)
        if self.tested.once:
            return Once(self, given)
        return Repeated(self.shares(given), self.tested.overlap)

    def shares(self, weights: Counts) -> Array:
        """Return the share of wrong predictions of each pair in each test part; NaN: unknown."""
        return self.shares_in(self._group, weights)

    def shares_in(self, part: NDArray[np.intp], weights: Counts) -> Array:
        """Return the share of wrong predictions of each pair in parts of any kind."""
        used = np.flatnonzero(weights)
        shape = (int(part.max(initial=-1)) + 1, len(weights))
        place = csr_array((weights[used], (part[used], used)), shape=shape)
        return _share((place @ self._wrong_columns).T, (place @ self._every_columns).T)

    @cached_property
    def _wrong_columns(self) -> Counts:
        return np.ascontiguousarray(self.wrong.T)

    @cached_property
    def _every_columns(self) -> Counts:
        return np.ascontiguousarray(self.every.T)


class Once:
    """Samples that are tested once: pooled errors, McNemar's test."""

    test = "McNemar's exact test"

    def __init__(self, sheet: Sheet, weights: Counts) -> None:
        self._sheet = sheet
        self._weights = weights
        self._count: Counts = sheet.every @ weights
        self.errors = _share(sheet.wrong @ weights, self._count)

    @property
    def spreads(self) -> Array:
        """Binomial standard errors."""
        return np.sqrt(_share(self.errors * (1 - self.errors), self._count))

    def p_values(self, best: int) -> Array:
        """Test a pair against each other; NaN where no sample is known of both."""
        sheet = self._sheet
        wrong, every = sheet.wrong[best] * self._weights, sheet.every[best] * self._weights
        both = sheet.wrong @ wrong
        p = mcnemar_p(sheet.every @ wrong - both, sheet.wrong @ every - both)
        return np.where(sheet.every @ every > 0, p, np.nan)


class Repeated:
    """Samples that are tested repeatedly: means over test parts, the corrected t-test."""

    test = "the corrected resampled t-test"

    def __init__(self, shares: Array, overlap: float) -> None:
        self._shares = shares
        self._overlap = overlap
        self.errors, self.spreads, _ = summed(shares, overlap)

    def p_values(self, best: int) -> Array:
        """Test a pair against each other; NaN where fewer than two test parts are shared."""
        return corrected_t_p(self._shares - self._shares[best], self._overlap)


def _share(part: NDArray[np.floating], whole: NDArray[np.floating]) -> Array:
    """Divide counts; NaN where nothing is counted."""
    with np.errstate(invalid="ignore"):
        share: Array = np.divide(part, whole, dtype=np.float64)
    return share
