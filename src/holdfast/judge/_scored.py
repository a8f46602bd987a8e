"""The errors of all pairs on samples drawn anew, and the tests of one against the others."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from holdfast.judge._spreads import clustered_shares, summed
from holdfast.judge._tests import corrected_t_p, mcnemar_p

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._pair import Tested

    Array = NDArray[np.float64]
    Counts = NDArray[np.float32]  # half the room, and exact for whole numbers up to 16 million
    Times = NDArray[np.integer]


class Sheet:
    """Right and wrong as numbers, made once for all draws of units."""

    def __init__(self, tested: Tested) -> None:
        self.tested = tested
        self.wrong: Counts = (tested.wrong & tested.known).astype(np.float32)
        self.every: Counts = tested.known.astype(np.float32)
        self.unit = np.unique(np.asarray(tested.units), return_inverse=True)[1]
        self._group = np.unique(tested.group, return_inverse=True)[1]

    @property
    def n_units(self) -> int:
        """Number of units, which are drawn as a whole."""
        return _count(self.unit)

    def weighed(self, times: Times | None = None) -> Once | Subjects | Repeated:
        """Return the errors where each unit counts so many times; by default once."""
        drawn = np.ones(self.n_units, dtype=np.intp) if times is None else times
        if not self.tested.once:
            return Repeated(self._shares_of(drawn), self.tested.overlap)
        if self.n_units < len(self.unit):
            return Subjects(self, drawn)
        return Once(self, drawn[self.unit].astype(np.float32))

    def _shares_of(self, times: Times) -> Array:
        """Return the shares in each test part; a part that is a unit is there as often as drawn."""
        if self._owner is None:
            return self.shares(times[self.unit].astype(np.float32))
        return np.repeat(self._plain_shares, times[self._owner], axis=1)

    @cached_property
    def _owner(self) -> NDArray[np.intp] | None:
        """The unit that each test part lies in; None where some have samples of several."""
        first = np.unique(self._group, return_index=True)[1]
        owner = self.unit[first]
        return owner if np.array_equal(owner[self._group], self.unit) else None

    @cached_property
    def _plain_shares(self) -> Array:
        return self.shares(np.ones(len(self.unit), dtype=np.float32))

    def shares(self, weights: Counts) -> Array:
        """Return the share of wrong predictions of each pair in each test part; NaN: unknown."""
        return _share(*self._sums(self._group, weights))

    @cached_property
    def by_unit(self) -> tuple[Array, Array]:
        """What is wrong, and what is known, summed over the predictions of each unit.

        Where samples are tested repeatedly, all test parts count the same, as in errors.
        """
        weights = np.ones(len(self.unit))
        if not self.tested.once:
            weights = 1 / np.bincount(self._group)[self._group]
        return self._sums(self.unit, weights)

    def differences(self, best: int) -> Array:
        """Return how much more often pairs err than one of them, by unit; NaN: none is shared."""
        shared = self.every * self.every[best]
        more = _placed(self.unit) @ (self.wrong * self.every[best] - shared * self.wrong[best]).T
        known = _placed(self.unit) @ shared.T
        return np.where(known > 0, more, np.nan).T.astype(np.float64)

    def _sums(self, part: NDArray[np.intp], weights: NDArray[np.floating]) -> tuple[Array, Array]:
        """Return the weighted numbers of wrong and of all predictions in parts of any kind."""
        place = _placed(part, weights)
        return (place @ self._wrong_columns).T, (place @ self._every_columns).T

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


class Subjects:
    """Samples that are tested once and belong to subjects: pooled errors, a t-test on subjects."""

    test = "the t-test on subjects"

    def __init__(self, sheet: Sheet, times: Times) -> None:
        self._sheet = sheet
        self._times = times
        wrong, every = (np.repeat(part, times, axis=1) for part in sheet.by_unit)
        self.errors, self.spreads = clustered_shares(wrong, every)

    def p_values(self, best: int) -> Array:
        """Test a pair against each other; NaN where fewer than two subjects are shared."""
        differences = self._sheet.differences(best)
        return corrected_t_p(np.repeat(differences, self._times, axis=1), 0.0)


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


def _count(part: NDArray[np.intp]) -> int:
    return int(part.max(initial=-1)) + 1


def _placed(part: NDArray[np.intp], weights: NDArray[np.floating] | None = None) -> csr_array:
    """Return the matrix that sums predictions by part."""
    given = np.ones(len(part), dtype=np.float32) if weights is None else weights
    used = np.flatnonzero(given)
    return csr_array((given[used], (part[used], used)), shape=(_count(part), len(part)))


def _share(part: NDArray[np.floating], whole: NDArray[np.floating]) -> Array:
    """Divide counts; NaN where nothing is counted."""
    with np.errstate(invalid="ignore"):
        share: Array = np.divide(part, whole, dtype=np.float64)
    return share
