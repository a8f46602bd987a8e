r"""Errors of all candidates with their standard errors, and paired tests between them.

A candidate is a `Pair`: a selector with a classifier at a size. All candidates predict the same
test samples, so their errors are compared prediction by prediction.

Method
------
With :math:`w_i \in \{0, 1\}` for a wrong prediction and weights :math:`a_i` that sum to 1, the
error is :math:`e = \sum_i a_i w_i`. Predictions count equally where each sample is tested once;
otherwise all test parts count equally. The variance of e between data sets has two parts:

.. math:: V = \sum_u \frac{\bigl(\sum_{i \in u} a_i (w_i - e)\bigr)^2}{1 - \sum_{i \in u} a_i}
   \; + \; V_{training},

the first over units u (samples, or subjects with several samples), which are independent; the
second because all classifiers are trained on nearly the same samples. `_significance` derives and
calibrates both. Differences of two candidates have the same form with :math:`w_i^{a} - w_i^{b} \in
\{-1, 0, 1\}` over the predictions that both have.

Three tests of "both err equally often", each in two forms:

=================  ==========================================  ==================================
test               predictions                                 form as published
=================  ==========================================  ==================================
`McNemarTest`      each sample once, samples are the units     McNemar's exact test
`ClusteredTest`    each sample once, subjects are the units    t-test on subjects
`CorrectedTTest`   samples repeatedly                          corrected resampled t-test
=================  ==========================================  ==================================

The default form enlarges the variance by :math:`V_{training}` and asks about the population; the
published forms find differences between equal candidates too often
(``python -m benchmarks.claims rivals``).

References
----------
[Mcnemar1947]_, [Nadeau2003]_.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from holdfast._typing import BoolArray, FloatArray, IndexArray
from holdfast.judge._candidates import (
    ComparablePairs,
    Pair,
    Tested,
    find_comparable_pairs,
    pairs_of,
)
from holdfast.judge._significance import (
    Correction,
    check_correction,
    clustered_variance,
    correct_p_values,
    corrected_t_p_values,
    learned_variance,
    mcnemar_p_values,
    t_test_p_values,
    training_variance_ratio,
)

Float32Array = NDArray[np.float32]  # half the memory, and exact for integers up to 16 million
UnitCounts = NDArray[np.integer]


class PairedTest(Protocol):
    """A test of one candidate against all others on the same predictions."""

    @property
    def name(self) -> str: ...
    @property
    def published_name(self) -> str: ...
    def p_values(self, reference: int, *, as_published: bool = False) -> FloatArray: ...


@dataclass(frozen=True, eq=False, kw_only=True)
class CandidateErrors:
    """Errors of all candidates, their standard errors, and the test between them.

    Attributes
    ----------
    errors, standard_errors : ndarray of shape (candidates,)
        NaN where a candidate has none.
    training_variance_ratio : ndarray of shape (candidates,)
        Variance due to shared training samples, relative to the variance of units that are tested
        once each; NaN without predictions.
    test : PairedTest or None
        None without predictions.
    tested : Tested or None
        The predictions behind the errors.
    rows : ndarray of int, shape (candidates,)
        The row of each candidate in `tested`; -1 where it has no predictions.
    """

    errors: FloatArray
    standard_errors: FloatArray
    training_variance_ratio: FloatArray
    test: PairedTest | None
    tested: Tested | None
    rows: IndexArray

    @classmethod
    def from_table(cls, table: pd.DataFrame, tested: Tested | None) -> CandidateErrors:
        """Take the errors of a table of candidates, and the test from predictions, if any."""
        errors = table["error"].to_numpy(dtype=np.float64)
        standard_errors = table["standard_error"].to_numpy(dtype=np.float64)
        if tested is None or not np.isfinite(errors).any():
            return cls.without_test(errors, standard_errors)
        row_of_pair = {pair: row for row, pair in enumerate(tested.pairs)}
        rows = np.array([row_of_pair.get(pair, -1) for pair in pairs_of(table)], dtype=np.intp)
        estimated = PredictionErrors(tested).candidate_errors()
        ratio = np.where(rows < 0, np.nan, estimated.training_variance_ratio[rows])
        return cls(
            errors=errors,
            standard_errors=standard_errors,
            training_variance_ratio=ratio,
            test=estimated.test,
            tested=tested,
            rows=rows,
        )

    @classmethod
    def without_test(cls, errors: FloatArray, standard_errors: FloatArray) -> CandidateErrors:
        """Take errors without predictions: p-values are NaN."""
        return cls(
            errors=errors,
            standard_errors=standard_errors,
            training_variance_ratio=np.full(len(errors), np.nan),
            test=None,
            tested=None,
            rows=np.full(len(errors), -1, dtype=np.intp),
        )

    @property
    def predicted_once(self) -> bool:
        """Whether there are predictions, one of each sample."""
        return self.tested is not None and self.tested.once

    def test_name(self, *, as_published: bool) -> str | None:
        """Return the name of the test; None without predictions."""
        if self.test is None:
            return None
        return self.test.published_name if as_published else self.test.name

    def comparable_pairs(self, among: BoolArray) -> ComparablePairs:
        """Find the candidates that predict nearly all samples that the others predict.

        Without predictions all candidates count as comparable.
        """
        if self.tested is None:
            return ComparablePairs(np.ones_like(among), np.zeros(len(among), dtype=np.int64), 0)
        tested_among = np.zeros(len(self.tested.pairs), dtype=bool)
        tested_among[self.rows[among & (self.rows >= 0)]] = True
        comparable = find_comparable_pairs(self.tested.known, tested_among)
        absent = self.rows < 0  # a candidate without predictions is not known to have too few
        return ComparablePairs(
            absent | comparable.enough[self.rows],
            np.where(absent, 0, comparable.known[self.rows]),
            comparable.total,
        )

    def p_values(self, reference: int, *, as_published: bool = False) -> FloatArray:
        """Test one candidate against each other; NaN where predictions are missing."""
        if self.test is None or self.rows[reference] < 0:
            return np.full(len(self.errors), np.nan)
        p_values = self.test.p_values(int(self.rows[reference]), as_published=as_published)
        return np.where(self.rows < 0, np.nan, p_values[self.rows])


class UnitSums(NamedTuple):
    """Sums over the predictions of each unit (columns), one row per candidate.

    The values summed are 1 for a wrong prediction, or differences of two such indicators.
    """

    values: FloatArray
    """Weighted sum of the values."""
    squares: FloatArray
    """Weighted sum of their squares."""
    weights: FloatArray
    """Weighted number of known predictions."""
    squared_differences: FloatArray
    """Squared differences of all pairs of predictions of one sample, summed over its pairs."""
    n_repeat_pairs: FloatArray
    """Number of such pairs; 0 where each sample is tested once."""


class PredictionErrors:
    """Right and wrong predictions as numbers, prepared once for many weightings of the units."""

    def __init__(self, tested: Tested) -> None:
        self.tested = tested
        self.wrong: Float32Array = (tested.wrong & tested.known).astype(np.float32)
        self.known: Float32Array = tested.known.astype(np.float32)
        self.unit = np.unique(np.asarray(tested.units), return_inverse=True)[1]
        self._group = np.unique(tested.group, return_inverse=True)[1]
        self._sample = np.unique(tested.samples, return_inverse=True)[1]
        self._difference_sums: dict[int, UnitSums] = {}

    @property
    def n_units(self) -> int:
        """Number of units: samples, subjects or data sets, which are drawn as a whole."""
        return _count_parts(self.unit)

    def candidate_errors(self, unit_counts: UnitCounts | None = None) -> CandidateErrors:
        """Return the errors where unit u counts ``unit_counts[u]`` times; by default once.

        Samples that are tested once each and are the units have binomial standard errors, others
        clustered ones; both are enlarged for shared training samples.
        """
        counts = np.ones(self.n_units, dtype=np.intp) if unit_counts is None else unit_counts
        # independent samples that are tested once each: binomial counts, the fastest case
        if self.tested.once and self.n_units == len(self.unit):
            return self._errors_of_samples(counts[self.unit].astype(np.float32))
        means = self.unit_means(self.sums, counts)
        test = (ClusteredTest if self.tested.once else CorrectedTTest)(self, counts)
        return self._with_test(means.mean, means.standard_error, means.training_ratio, test)

    def _errors_of_samples(self, weights: Float32Array) -> CandidateErrors:
        """Return pooled errors with binomial standard errors."""
        n_known: Float32Array = self.known @ weights
        errors = _divide(self.wrong @ weights, n_known)
        ratio = np.zeros(len(n_known))
        if self.tested.overlap > 0:
            ratio = training_variance_ratio(n_known.astype(np.float64))
        binomial = _divide(errors * (1 - errors), n_known)
        return self._with_test(
            errors, np.sqrt((1 + ratio) * binomial), ratio, McNemarTest(self, weights, ratio)
        )

    def _with_test(
        self,
        errors: FloatArray,
        standard_errors: FloatArray,
        training_ratio: FloatArray,
        test: PairedTest,
    ) -> CandidateErrors:
        return CandidateErrors(
            errors=errors,
            standard_errors=standard_errors,
            training_variance_ratio=training_ratio,
            test=test,
            tested=self.tested,
            rows=np.arange(len(errors)),
        )

    def unit_means(self, sums: UnitSums, counts: UnitCounts) -> UnitMeans:
        """Return means over units that count this many times, and their standard errors."""
        total = sums.weights @ counts
        mean, square = _divide(sums.values @ counts, total), _divide(sums.squares @ counts, total)
        # linearised mean: the contribution of a unit to the weighted mean
        contributions = _divide(sums.values - mean[:, None] * sums.weights, total[:, None])
        shares = _divide(sums.weights, total[:, None])
        between = clustered_variance(contributions, np.nan_to_num(shares), counts)
        n_units = ((sums.weights > 0) @ counts).astype(np.float64)
        ratio = training_variance_ratio(n_units)  # unless repeated predictions say more
        single = np.maximum(square - mean**2, 0.0)
        if self.tested.overlap == 0:  # separate data sets share no training samples
            ratio = np.zeros(len(mean))
        elif not self.tested.once:
            disagreement = _divide(sums.squared_differences @ counts, sums.n_repeat_pairs @ counts)
            learned = learned_variance(disagreement, single, self.tested.overlap)
            observed = _divide(learned, single)
            ratio = np.where(np.isnan(observed), ratio, observed)
        # the ratio is relative to units that are tested once each; tested repeatedly, `between` is
        # smaller than that
        added = ratio * (between if self.tested.once else _divide(single, n_units))
        return UnitMeans(mean, np.sqrt(between), np.sqrt(between + added), n_units, ratio)

    def errors_by_test_part(self, counts: UnitCounts) -> FloatArray:
        """Return the error of each candidate (rows) on each test part (columns).

        Where each test part belongs to one unit, it is repeated as often as its unit counts.
        """
        if self._unit_of_part is None:
            return self._errors_by_part(counts[self.unit].astype(np.float32))
        # each part belongs to one unit: drawing the unit twice repeats the part
        return np.repeat(self._unweighted_errors_by_part, counts[self._unit_of_part], axis=1)

    @cached_property
    def _unit_of_part(self) -> IndexArray | None:
        """The unit of each test part; None where some test parts have samples of several units."""
        first = np.unique(self._group, return_index=True)[1]
        unit = self.unit[first]
        return unit if np.array_equal(unit[self._group], self.unit) else None

    @cached_property
    def _unweighted_errors_by_part(self) -> FloatArray:
        return self._errors_by_part(np.ones(len(self.unit), dtype=np.float32))

    def _errors_by_part(self, weights: Float32Array) -> FloatArray:
        """Return the share of wrong predictions in each test part; NaN where none is known."""
        summing = _summing_matrix(self._group, weights)
        return _divide((summing @ self.wrong.T).T, (summing @ self.known.T).T)

    @cached_property
    def sums(self) -> UnitSums:
        """Wrong predictions, summed over each unit."""
        return self._sum_by_unit(self.wrong, self.known)

    def difference_sums(self, reference: int) -> UnitSums:
        """Return the sums of each candidate's errors minus those of a reference.

        Only predictions that both have count.
        """
        if reference not in self._difference_sums:
            shared = self.known * self.known[reference]
            differences = self.wrong * self.known[reference] - shared * self.wrong[reference]
            self._difference_sums[reference] = self._sum_by_unit(differences, shared)
        return self._difference_sums[reference]

    def _sum_by_unit(self, values: Float32Array, known: Float32Array) -> UnitSums:
        """Sum by unit. Where samples are tested repeatedly, all test parts count equally."""
        weights = np.ones(len(self.unit))
        if not self.tested.once:
            # a test part of few samples counts as much as one of many, as in a mean over resamples
            weights = 1 / np.bincount(self._group)[self._group]
        columns, squares, counted = values.T.astype(np.float64), values.T**2, known.T
        by_unit = _summing_matrix(self.unit, weights)
        squared_differences = n_repeat_pairs = np.zeros((len(values), self.n_units))
        if not self.tested.once:
            by_sample = _summing_matrix(self._sample)
            n = by_sample @ counted
            first = np.unique(self._sample, return_index=True)[1]
            to_unit = _summing_matrix(self.unit[first], n_parts=self.n_units)
            # sum over pairs i < j of (x_i - x_j)^2 = n sum x^2 - (sum x)^2
            apart = n * (by_sample @ squares) - (by_sample @ columns) ** 2
            squared_differences = (to_unit @ apart).T
            n_repeat_pairs = (to_unit @ (n * (n - 1) / 2)).T
        return UnitSums(
            (by_unit @ columns).T,
            (by_unit @ squares).T,
            (by_unit @ counted).T,
            squared_differences,
            n_repeat_pairs,
        )


class UnitMeans(NamedTuple):
    """Means (one per candidate), their standard errors, and the number of units behind them."""

    mean: FloatArray
    fixed_classifier_error: FloatArray
    """Standard error between units, as if the classifiers were fixed."""
    standard_error: FloatArray
    """Standard error between data sets."""
    n_units: FloatArray
    training_ratio: FloatArray
    """Variance due to shared training samples, relative to that of units tested once each."""


@dataclass(frozen=True, eq=False)
class McNemarTest:
    r"""Test on samples that are predicted once each.

    With :math:`n_{10}` and :math:`n_{01}` the samples that only one of both gets wrong,
    :math:`t = (n_{01} - n_{10}) / \sqrt{(1 + c)(n_{10} + n_{01})}`, where c is the training
    variance ratio; as published, McNemar's exact binomial test.
    """

    predictions: PredictionErrors
    weights: Float32Array
    training_ratio: FloatArray

    name = "McNemar's test, enlarged for shared training samples"
    published_name = "McNemar's exact test"

    def p_values(self, reference: int, *, as_published: bool = False) -> FloatArray:
        """Test one candidate against each other; NaN where both share no sample."""
        wrong, known = self.predictions.wrong, self.predictions.known
        reference_wrong = wrong[reference] * self.weights
        reference_known = known[reference] * self.weights
        both_wrong = wrong @ reference_wrong
        shared, only_reference, only_other = (
            known @ reference_known,
            known @ reference_wrong - both_wrong,
            wrong @ reference_known - both_wrong,
        )
        if as_published:
            return np.where(shared > 0, mcnemar_p_values(only_reference, only_other), np.nan)
        standard_error = np.sqrt((1 + self.training_ratio) * (only_reference + only_other))
        return t_test_p_values(only_other - only_reference, standard_error, shared)


@dataclass(frozen=True, eq=False)
class ClusteredTest:
    """t-test on the sums of units, such as subjects with several samples.

    As published, the variance is not enlarged for shared training samples.
    """

    predictions: PredictionErrors
    unit_counts: UnitCounts

    @property
    def name(self) -> str:
        """Name of the test, with what its units are."""
        units = self.predictions.tested.drawn
        if units == "data sets":
            return "the t-test on data sets"
        return f"the t-test on {units}, enlarged for shared training samples"

    @property
    def published_name(self) -> str:
        """Name of the published form."""
        return "the t-test on subjects"

    def p_values(self, reference: int, *, as_published: bool = False) -> FloatArray:
        """Test one candidate against each other; NaN where both share fewer than two units."""
        means = self.predictions.unit_means(
            self.predictions.difference_sums(reference), self.unit_counts
        )
        error = means.fixed_classifier_error if as_published else means.standard_error
        return t_test_p_values(means.mean, error, means.n_units)


class CorrectedTTest(ClusteredTest):
    """t-test on units whose samples are tested repeatedly.

    As published, the corrected resampled t-test of Nadeau & Bengio (2003) on test parts.
    """

    @property
    def published_name(self) -> str:
        """Name of the published form."""
        return "the corrected resampled t-test"

    def p_values(self, reference: int, *, as_published: bool = False) -> FloatArray:
        """Test one candidate against each other; NaN where both share fewer than two units."""
        if not as_published:
            return super().p_values(reference)
        errors = self.predictions.errors_by_test_part(self.unit_counts)
        return corrected_t_p_values(errors - errors[reference], self.predictions.tested.overlap)


def _count_parts(part: IndexArray) -> int:
    return int(part.max(initial=-1)) + 1


def _summing_matrix(
    part: IndexArray, weights: NDArray[np.floating] | None = None, n_parts: int | None = None
) -> csr_array:
    """Return the matrix that sums predictions by part."""
    values = np.ones(len(part), dtype=np.float32) if weights is None else weights
    used = np.flatnonzero(values)
    rows = _count_parts(part) if n_parts is None else n_parts
    return csr_array((values[used], (part[used], used)), shape=(rows, len(part)))


def _divide(part: NDArray[np.floating], whole: NDArray[np.floating]) -> FloatArray:
    """Divide counts; NaN where nothing is counted."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share: FloatArray = np.divide(part, whole, dtype=np.float64)
    return share


def compare_pairs(tested: Tested, *, correction: Correction = "holm") -> pd.DataFrame:
    """Test the difference in error between all pairs of selector, classifier and size.

    The question is about the population: would the selectors with their classifiers err equally
    often, over data sets like this one? Where each sample is predicted once, McNemar's test is
    used, or, where several samples belong to one subject (``tested.units``), a t-test on the
    subjects' sums of differences, because samples of one subject are not independent. Where samples
    are tested repeatedly, a t-test on the samples' (subjects') sums is used. All classifiers are
    trained on nearly the same samples, so variances are enlarged; see the guide, "Which selector to
    take". Predictions that only one of the two has are left out.

    Without a correction the tests are used as published: McNemar's exact test (`mcnemar`), which
    treats the classifiers as fixed, the plain t-test on subjects, and the corrected resampled
    t-test (`corrected_t_test`). They find differences between equal candidates too often.

    Parameters
    ----------
    tested : Tested
        The predictions of all of them.
    correction : {"holm", None}, default "holm"
        Correction of the p-values for multiple testing; None: none, with the tests as published.

    Returns
    -------
    pandas.DataFrame
        One row per comparison: ``selector_a``, ``classifier_a``, ``size_a``, the same for
        b; ``error_a``, ``error_b`` and their ``difference`` (a minus b), each on all predictions
        that are known; ``p_value``, ``p_corrected`` and the ``test``.

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
    candidates = PredictionErrors(tested).candidate_errors()
    count = len(tested.pairs)
    a, b = np.triu_indices(count, 1)
    as_published = correction is None
    rows = [
        candidates.p_values(first, as_published=as_published)[first + 1 :] for first in range(count)
    ]
    p_values = np.concatenate([*rows, np.empty(0)])
    columns = {
        f"{name}_{side}": pd.Series([pair[column] for pair in tested.pairs], dtype=object)
        .iloc[numbers]
        .to_numpy()
        for side, numbers in (("a", a), ("b", b))
        for column, name in enumerate(Pair._fields)
    }
    errors = {"error_a": candidates.errors[a], "error_b": candidates.errors[b]}
    return pd.DataFrame(columns).assign(
        **errors,
        difference=errors["error_a"] - errors["error_b"],
        p_value=p_values,
        p_corrected=correct_p_values(p_values, correction),
        test=candidates.test_name(as_published=as_published),
    )
