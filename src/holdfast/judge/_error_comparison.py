"""The errors of all pairs on samples drawn again, and the tests of one against the others."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from holdfast.judge._candidates import Pair
from holdfast.judge._significance import (
    check_correction,
    clustered_variance,
    correct_p_values,
    corrected_t_p,
    learned_variance,
    mcnemar_p,
    shared_training,
    t_p,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._candidates import Tested
    from holdfast.judge._significance import Correction

    Array = NDArray[np.float64]
    Counts = NDArray[np.float32]  # half the room, and exact for whole numbers up to 16 million
    Times = NDArray[np.integer]


class Sums(NamedTuple):
    """Sums over predictions, in rows: of each unit, and of each sample where tested repeatedly.

    Values are 1 for a wrong prediction, or differences of two such.
    """

    values: Array
    """Weighted sum of the values of each unit (columns)."""
    squares: Array
    """Weighted sum of their squares."""
    weights: Array
    """Weighted number of known predictions."""
    apart: Array
    """Sum of the squared differences of all two predictions of each sample, summed over units."""
    twos: Array
    """How many such twos there are."""


class PredictionErrors:
    """Right and wrong as numbers, made once for all draws of units."""

    def __init__(self, tested: Tested) -> None:
        self.tested = tested
        self.wrong: Counts = (tested.wrong & tested.known).astype(np.float32)
        self.every: Counts = tested.known.astype(np.float32)
        self.unit = np.unique(np.asarray(tested.units), return_inverse=True)[1]
        self._group = np.unique(tested.group, return_inverse=True)[1]
        self._sample = np.unique(tested.samples, return_inverse=True)[1]
        self._against: dict[int, Sums] = {}

    @property
    def n_units(self) -> int:
        """Number of units, which are drawn as a whole."""
        return _count(self.unit)

    def weighed(self, times: Times | None = None) -> McNemarTest | ClusteredTest:
        """Return the errors where each unit counts so many times; by default once."""
        drawn = np.ones(self.n_units, dtype=np.intp) if times is None else times
        if self.tested.once and self.n_units == len(self.unit):
            return McNemarTest(self, drawn[self.unit].astype(np.float32))
        return ClusteredTest(self, drawn)

    def shares_of(self, times: Times) -> Array:
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
        place = _summing_matrix(self._group, weights)
        return _share((place @ self.wrong.T).T, (place @ self.every.T).T)

    @cached_property
    def sums(self) -> Sums:
        """What is wrong, summed over the predictions of each unit."""
        return self._summed(self.wrong, self.every)

    def sums_against(self, best: int) -> Sums:
        """Return how much more often pairs err than one of them, where both are known."""
        if best not in self._against:
            shared = self.every * self.every[best]
            more = self.wrong * self.every[best] - shared * self.wrong[best]
            self._against[best] = self._summed(more, shared)
        return self._against[best]

    def _summed(self, values: Counts, known: Counts) -> Sums:
        """Sum by unit. Where samples are tested repeatedly, all test parts count the same."""
        weights = np.ones(len(self.unit))
        if not self.tested.once:
            weights = 1 / np.bincount(self._group)[self._group]
        columns, squares, every = values.T.astype(np.float64), values.T**2, known.T
        place = _summing_matrix(self.unit, weights)
        apart = twos = np.zeros((len(values), self.n_units))
        if not self.tested.once:
            by_sample = _summing_matrix(self._sample)
            count = by_sample @ every
            ends = np.unique(self._sample, return_index=True)[1]
            to_unit = _summing_matrix(self.unit[ends], n_parts=self.n_units)
            apart = (to_unit @ (count * (by_sample @ squares) - (by_sample @ columns) ** 2)).T
            twos = (to_unit @ (count * (count - 1) / 2)).T
        return Sums((place @ columns).T, (place @ squares).T, (place @ every).T, apart, twos)


class UnitMeans(NamedTuple):
    """Means in rows, their standard errors, and the number of units behind them."""

    mean: Array
    plain: Array
    """Standard error between units, as if classifiers were fixed."""
    spread: Array
    """Standard error between data sets."""
    n_units: Array
    learned: Array
    """What is learned adds, as a share of the variance of units that are tested once each."""


def estimate(sums: Sums, times: Times, *, once: bool, overlap: float) -> UnitMeans:
    """Return means over units that count so many times, and their standard errors."""
    whole = sums.weights @ times
    mean, square = _share(sums.values @ times, whole), _share(sums.squares @ times, whole)
    parts = _share(sums.values - mean[:, None] * sums.weights, whole[:, None])
    shares = _share(sums.weights, whole[:, None])
    between = clustered_variance(parts, np.nan_to_num(shares), times)
    count = ((sums.weights > 0) @ times).astype(np.float64)
    general = np.array([shared_training(one) for one in count])  # unless the data say more
    single = np.maximum(square - mean**2, 0.0)
    if overlap == 0:  # data sets of their own share nothing
        general = np.zeros(len(mean))
    elif not once:
        disagreement = _share(sums.apart @ times, sums.twos @ times)
        learned = _share(learned_variance(disagreement, single, overlap), single)
        general = np.where(np.isnan(learned), general, learned)
    more = general * (between if once else _share(single, count))
    return UnitMeans(mean, np.sqrt(between), np.sqrt(between + more), count, general)


class McNemarTest:
    """Samples that are tested once: pooled errors, McNemar's test."""

    test = "McNemar's test, enlarged for shared training samples"
    published = "McNemar's exact test"

    def __init__(self, sheet: PredictionErrors, weights: Counts) -> None:
        self._sheet = sheet
        self._weights = weights
        self._count: Counts = sheet.every @ weights
        self.errors = _share(sheet.wrong @ weights, self._count)

    @property
    def learned(self) -> Array:
        """What is learned adds to the variance, as a share of the binomial one."""
        if self._sheet.tested.overlap == 0:
            return np.zeros(len(self._count))
        return np.array([shared_training(float(one)) for one in self._count])

    @property
    def spreads(self) -> Array:
        """Binomial standard errors, enlarged for shared training samples."""
        binomial = _share(self.errors * (1 - self.errors), self._count)
        return np.sqrt((1 + self.learned) * binomial)

    def p_values(self, best: int, *, as_published: bool = False) -> Array:
        """Test a pair against each other; NaN where no sample is known of both."""
        sheet = self._sheet
        wrong, every = sheet.wrong[best] * self._weights, sheet.every[best] * self._weights
        both = sheet.wrong @ wrong
        shared, only_best, only_other = (
            sheet.every @ every,
            sheet.every @ wrong - both,
            sheet.wrong @ every - both,
        )
        if as_published:
            return np.where(shared > 0, mcnemar_p(only_best, only_other), np.nan)
        spread = np.sqrt((1 + self.learned) * (only_best + only_other))
        return t_p(only_other - only_best, spread, shared)


class ClusteredTest:
    """Samples that are tested repeatedly, or belong to subjects: sums over units, t-tests."""

    def __init__(self, sheet: PredictionErrors, times: Times) -> None:
        self._sheet = sheet
        self._times = times
        found = self._estimated(sheet.sums)
        self.errors = found.mean
        self.spreads = found.spread
        self.learned = found.learned

    def _estimated(self, sums: Sums) -> UnitMeans:
        tested = self._sheet.tested
        return estimate(sums, self._times, once=tested.once, overlap=tested.overlap)

    @property
    def test(self) -> str:
        """What the tests are called."""
        drawn = self._sheet.tested.drawn
        if drawn == "data sets":
            return "the t-test on data sets"
        return f"the t-test on {drawn}, enlarged for shared training samples"

    @property
    def published(self) -> str:
        """What they are called as published."""
        return (
            "the t-test on subjects"
            if self._sheet.tested.once
            else "the corrected resampled t-test"
        )

    def p_values(self, best: int, *, as_published: bool = False) -> Array:
        """Test a pair against each other; NaN where fewer than two units are shared."""
        if as_published and not self._sheet.tested.once:
            shares = self._sheet.shares_of(self._times)
            return corrected_t_p(shares - shares[best], self._sheet.tested.overlap)
        found = self._estimated(self._sheet.sums_against(best))
        return t_p(found.mean, found.plain if as_published else found.spread, found.n_units)


def _count(part: NDArray[np.intp]) -> int:
    return int(part.max(initial=-1)) + 1


def _summing_matrix(
    part: NDArray[np.intp],
    weights: NDArray[np.floating] | None = None,
    n_parts: int | None = None,
) -> csr_array:
    """Return the matrix that sums predictions by part."""
    given = np.ones(len(part), dtype=np.float32) if weights is None else weights
    used = np.flatnonzero(given)
    rows = _count(part) if n_parts is None else n_parts
    return csr_array((given[used], (part[used], used)), shape=(rows, len(part)))


def _share(part: NDArray[np.floating], whole: NDArray[np.floating]) -> Array:
    """Divide counts; NaN where nothing is counted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share: Array = np.divide(part, whole, dtype=np.float64)
    return share


# All pairs of selector, classifier and size against each other.


def compare_pairs(tested: Tested, *, correction: Correction = "holm") -> pd.DataFrame:
    """Test the difference in error between all pairs of selector, classifier and size.

    The question is about the population: would the selectors with their classifiers err equally
    often, over data sets like this one? Where each sample is predicted once, by McNemar's test,
    or, where several samples belong to one subject (``tested.units``), by a t-test on the
    subjects' sums of differences, because samples of one subject are not independent. Where samples
    are tested repeatedly, by a t-test on the samples' (subjects') sums. All classifiers are trained
    on nearly the same samples, so variances are enlarged; see the guide, "Which selector to take".
    Predictions that one of the two lacks are left out.

    Without a correction the tests are those published: McNemar's exact test (`mcnemar`), which
    takes the classifiers for fixed, the plain t-test on subjects, and the corrected resampled
    t-test (`corrected_t_test`). They find differences between equals too often.

    Parameters
    ----------
    tested : Tested
        The predictions of all of them.
    correction : {"holm", None}, default "holm"
        How p-values are corrected for being many; None: not at all, with the tests as published.

    Returns
    -------
    pandas.DataFrame
        One row for each two of them: ``selector_a``, ``classifier_a``, ``size_a``, the same of
        b; ``error_a``, ``error_b`` and their ``difference`` (a minus b), on all that is known of
        each; ``p_value`` as it is and ``p_corrected``; the ``test``.

    Examples
    --------
    >>> import holdfast as hf
    >>> tested = hf.judge.Tested(
    ...     pairs=(hf.judge.Pair("a", "knn3", 5), hf.judge.Pair("b", "knn3", 5)),
    ...     wrong=[[False] * 10, [True] * 6 + [False] * 4], known=[[True] * 10] * 2,
    ...     samples=range(10), group=[0] * 10, once=True, overlap=0.1,
    ... )
    >>> hf.judge.compare_pairs(tested)[["selector_a", "selector_b", "difference", "p_value"]]
      selector_a selector_b  difference   p_value
    0          a          b        -0.6  0.117307
    """
    check_correction(correction)
    scored = PredictionErrors(tested).weighed()
    count = len(tested.pairs)
    a, b = np.triu_indices(count, 1)
    as_published = correction is None
    rows = [
        scored.p_values(first, as_published=as_published)[first + 1 :] for first in range(count)
    ]
    p_values = np.concatenate([*rows, np.empty(0)])
    columns = {
        f"{part}_{side}": pd.Series([pair[at] for pair in tested.pairs], dtype=object)
        .iloc[numbers]
        .to_numpy()
        for side, numbers in (("a", a), ("b", b))
        for at, part in enumerate(Pair._fields)
    }
    errors = {"error_a": scored.errors[a], "error_b": scored.errors[b]}
    return pd.DataFrame(columns).assign(
        **errors,
        difference=errors["error_a"] - errors["error_b"],
        p_value=p_values,
        p_corrected=correct_p_values(p_values, correction),
        test=scored.published if as_published else scored.test,
    )
