"""Two-sample and analysis-of-variance statistics from sums, for many resamples at once.

**Method.** The sums and sums of squares of each feature over each class of a resample give means
and variances, and from these t or F. `sums` holds the sum of each feature over each class of each
resample, `squares` the sums of squares, `counts` the number of rows.

**Reference.** [Welch1947]_ for unequal variances; [Dernoncourt2014]_ for the squared score
(x̄₁ - x̄₂)² / (s₁² + s₂²) and for absolute scores; [Chan1983]_ for the loss of digits.

**Deviations.** With more than two classes, t is the largest over classes of one class against the
rest. A feature without spread within classes but with different means has the largest double
instead of infinity.

**Rounding.** Sums of squares minus squared sums lose digits where the spread within classes is
small compared with the values. Where it is less than 1e-5 of the sum of squares the statistic is
left NaN, and `fill_missing_statistics` computes it from the rows in two passes, relative to the
first value of each class, so that a class of equal values has no spread at all. Results depend on
the order in which the caller's matrix products add up, in the last bits only.
"""

from __future__ import annotations

import math

import numpy as np

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

F, POOLED, WELCH, SQUARED = range(4)
MIN_SPREAD_SHARE = 1e-5  # chosen: above it a spread keeps about 11 of 16 digits
LARGEST_FLOAT = np.finfo(np.float64).max


@subroutine
def _sum(values: FloatArray) -> float:
    """Sum `values`, of shape (n,), one after the other."""
    total = 0.0
    for value in values:
        total += value
    return total


@subroutine
def _split_squares(
    sums: FloatArray, counts: FloatArray, r: int, f: int, square: float, total: float
) -> tuple[float, float]:
    """Sums of squares between and within classes of one feature on one resample.

    The second is NaN if digits were lost. `sums` and `counts` are as in `f_statistics`; `square` is
    the sum of squares over all rows.

    Parameters
    ----------
    sums : ndarray of shape (c, n_resamples, p)
        Sums over classes.
    counts : ndarray of shape (n_resamples, c)
        Rows of each class.
    """
    whole, explained = 0.0, 0.0
    for k in range(len(sums)):
        if counts[r, k] > 0:
            whole += sums[k, r, f]
            explained += sums[k, r, f] ** 2 / counts[r, k]
    # within = sum(x²) - sum(S_k² / n_k), between = sum(S_k² / n_k) - S² / n
    within = square - explained
    # a small difference of large sums has lost digits
    sound = within > MIN_SPREAD_SHARE * square
    return explained - whole**2 / total, within if sound else np.nan


@kernel
def f_statistics(
    sums: FloatArray, squares: FloatArray, counts: FloatArray, out: FloatArray
) -> None:
    """Between-class over within-class variance.

    Parameters
    ----------
    sums : ndarray of shape (c, n_resamples, p)
        Sums over classes.
    squares : ndarray of shape (n_resamples, p)
        Sums of squares over all rows of a resample.
    counts : ndarray of shape (n_resamples, c)
        Rows of each class.
    out : ndarray of shape (n_resamples, p)
        Receives the statistics, NaN where digits were lost.
    """
    classes, resamples, features = sums.shape
    for r in range(resamples):
        total, present = 0.0, 0
        for k in range(classes):
            total += counts[r, k]
            present += counts[r, k] > 0
        # ratio of the degrees of freedom within and between classes
        scale = (total - present) / (present - 1.0)
        for f in range(features):
            between, within = _split_squares(sums, counts, r, f, squares[r, f], total)
            out[r, f] = between / within * scale


@kernel
def sums_of_squares(
    sums: FloatArray,
    squares: FloatArray,
    counts: FloatArray,
    between: FloatArray,
    within: FloatArray,
) -> None:
    """Sums of squares between and within classes, whose ratio is F up to degrees of freedom.

    Parameters
    ----------
    sums, squares, counts : ndarray
        As in `f_statistics`.
    between, within : ndarray of shape (n_resamples, p)
        Receive the sums of squares; `within` is NaN where digits were lost.
    """
    _, resamples, features = sums.shape
    for r in range(resamples):
        total = _sum(counts[r])
        for f in range(features):
            between[r, f], within[r, f] = _split_squares(sums, counts, r, f, squares[r, f], total)


@kernel
def pooled_t(sums: FloatArray, squares: FloatArray, counts: FloatArray, out: FloatArray) -> None:
    """Largest absolute t of one class against the rest, with one variance for both.

    Parameters
    ----------
    sums, squares, counts, out : ndarray
        As in `f_statistics`.
    """
    classes, resamples, features = sums.shape
    # the two contrasts of two classes differ in sign only
    contrasts = 1 if classes == 2 else classes
    for r in range(resamples):
        total = _sum(counts[r])
        for f in range(features):
            whole = 0.0
            for k in range(classes):
                whole += sums[k, r, f]
            best = 0.0
            for k in range(contrasts):
                n, n_rest = counts[r, k], total - counts[r, k]
                if n == 0 or n_rest == 0:
                    continue
                class_sum, rest_sum = sums[k, r, f], whole - sums[k, r, f]
                within = squares[r, f] - class_sum**2 / n - rest_sum**2 / n_rest
                if within <= MIN_SPREAD_SHARE * squares[r, f]:
                    best = np.nan
                    break
                # t^2 = (mean difference)^2 / (within / (N - 2) (1/n + 1/n_rest)), N = n + n_rest; N
                # - 2 comes last
                difference = (class_sum / n - rest_sum / n_rest) ** 2 * (n * n_rest / total)
                best = max(best, difference / within)
            out[r, f] = math.sqrt(best * (total - 2))


@kernel
def separate_t(
    kind: int, sums: FloatArray, squares: FloatArray, counts: FloatArray, out: FloatArray
) -> None:
    """Largest score of one class against the rest, with a variance for each.

    Parameters
    ----------
    kind : int
        `WELCH` or `SQUARED`.
    sums, counts, out : ndarray
        As in `f_statistics`.
    squares : ndarray of shape (c, n_resamples, p)
        Sums of squares over classes.
    """
    classes, resamples, features = sums.shape
    contrasts = 1 if classes == 2 else classes
    for r in range(resamples):
        total = _sum(counts[r])
        for f in range(features):
            whole, square = 0.0, 0.0
            for k in range(classes):
                whole += sums[k, r, f]
                square += squares[k, r, f]
            best = 0.0
            for k in range(contrasts):
                n, n_rest = counts[r, k], total - counts[r, k]
                # a variance needs two rows
                if n < 2 or n_rest < 2:
                    continue
                class_sum, rest_sum = sums[k, r, f], whole - sums[k, r, f]
                class_squares = squares[k, r, f] - class_sum**2 / n
                rest_squares = square - squares[k, r, f] - rest_sum**2 / n_rest
                if min(class_squares, rest_squares) <= MIN_SPREAD_SHARE * square:
                    best = np.nan
                    break
                difference = (class_sum / n - rest_sum / n_rest) ** 2
                best = max(
                    best, difference / _squared_error(kind, class_squares, rest_squares, n, n_rest)
                )
            out[r, f] = best if kind == SQUARED else math.sqrt(best)


@subroutine
def _squared_error(
    kind: int, class_squares: float, rest_squares: float, n: float, n_rest: float
) -> float:
    """Squared error of a difference of means, from the sums of squares about the two means."""
    if kind == POOLED:
        return (class_squares + rest_squares) / (n + n_rest - 2) * (1 / n + 1 / n_rest)
    if kind == WELCH:
        return class_squares / (n - 1) / n + rest_squares / (n_rest - 1) / n_rest
    return class_squares / (n - 1) + rest_squares / (n_rest - 1)


@subroutine
def _bounded_ratio(difference: float, spread: float) -> float:
    """A squared difference over its squared error; the largest double if only the error is 0."""
    if spread == 0:
        return LARGEST_FLOAT if difference > 0 else 0.0
    return min(difference / spread, LARGEST_FLOAT)


@subroutine
def _moments_from_rows(
    column: FloatArray, codes: IntArray, weights: FloatArray, classes: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows, mean and sum of squares about the mean of each class, by two passes over the rows.

    Values are taken relative to the first one of their class, so that a class of equal values has
    no spread at all, and means relative to the first value of the first class.

    Parameters
    ----------
    column : ndarray of shape (n,)
        The values of one feature.
    codes, weights : ndarray of shape (n,)
        Class of each row, and how often the resample holds it.
    """
    # first pass: the mean of each class as base plus shift; second pass: squares about it
    n, base, shift = np.empty(classes), np.empty(classes), np.empty(classes)
    inside, mean, origin = np.empty(classes), np.empty(classes), np.nan
    for k in range(classes):
        n[k], base[k], shift[k], inside[k], mean[k] = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(column)):
        if weights[i] > 0:
            k = codes[i]
            if n[k] == 0:
                base[k] = column[i]
            n[k] += weights[i]
            shift[k] += weights[i] * (column[i] - base[k])
    for k in range(classes):
        if n[k] > 0:
            # means relative to the first class: large common values cancel before they cost digits
            origin = base[k] if math.isnan(origin) else origin
            shift[k] /= n[k]
            mean[k] = base[k] - origin + shift[k]
    for i in range(len(column)):
        if weights[i] > 0:
            k = codes[i]
            inside[k] += weights[i] * (column[i] - base[k] - shift[k]) ** 2
    return n, mean, inside


@subroutine
def _squares_between(n: FloatArray, mean: FloatArray) -> float:
    """Sum of squares of class means about their common mean; `n`, `mean` have the shape (c,)."""
    total, rows, between = 0.0, 0.0, 0.0
    for k in range(len(n)):
        total += n[k] * mean[k]
        rows += n[k]
    centre = total / rows
    for k in range(len(n)):
        between += n[k] * (mean[k] - centre) ** 2
    return between


@subroutine
def _statistic_from_rows(
    kind: int, column: FloatArray, codes: IntArray, weights: FloatArray, classes: int
) -> float:
    """The statistic of one feature on one resample, from its rows.

    Parameters
    ----------
    column, codes, weights : ndarray
        As in `_moments_from_rows`.
    """
    n, mean, inside = _moments_from_rows(column, codes, weights, classes)
    total, whole, present = 0.0, 0.0, 0
    for k in range(classes):
        total += n[k]
        whole += n[k] * mean[k]
        present += n[k] > 0
    if kind == F:
        between = _squares_between(n, mean)
        return _bounded_ratio(between / (present - 1), _sum(inside) / (total - present))
    best = 0.0
    min_rows = 1 if kind == POOLED else 2
    for k in range(1 if classes == 2 else classes):
        n_rest = total - n[k]
        if n[k] < min_rows or n_rest < min_rows:
            continue
        rest = (whole - n[k] * mean[k]) / n_rest
        outside = 0.0
        for j in range(classes):
            if j != k:
                # sum of squares of the rest about its mean: within its classes plus between them
                outside += inside[j] + n[j] * (mean[j] - rest) ** 2
        spread = _squared_error(kind, inside[k], outside, n[k], n_rest)
        best = max(best, _bounded_ratio((mean[k] - rest) ** 2, spread))
    return best if kind == SQUARED or best == LARGEST_FLOAT else math.sqrt(best)


@subroutine
def _copy_column(block: FloatArray, f: int, column: FloatArray) -> None:
    """Copy column f of `block`, of shape (n, p), to `column`, of shape (n,)."""
    for i in range(len(column)):
        column[i] = block[i, f]


@kernel
def fill_missing_statistics(
    kind: int,
    block: FloatArray,
    codes: IntArray,
    weights: FloatArray,
    classes: int,
    out: FloatArray,
) -> None:
    """Compute from the rows the statistics that are NaN.

    Parameters
    ----------
    block : ndarray of shape (n, p)
        The values.
    codes : ndarray of shape (n,)
        The class of each row.
    weights : ndarray of shape (n_resamples, n)
        How often each resample holds each row.
    out : ndarray of shape (n_resamples, p)
        The statistics, completed in place.
    """
    column = np.empty(len(block))
    for r in range(out.shape[0]):
        for f in range(out.shape[1]):
            if math.isnan(out[r, f]):
                _copy_column(block, f, column)
                out[r, f] = _statistic_from_rows(kind, column, codes, weights[r], classes)


@kernel
def fill_missing_squares(
    block: FloatArray,
    codes: IntArray,
    weights: FloatArray,
    classes: int,
    between: FloatArray,
    within: FloatArray,
) -> None:
    """Compute from the rows the sums of squares where the one within classes is NaN.

    Parameters
    ----------
    block, codes, weights : ndarray
        As in `fill_missing_statistics`.
    between, within : ndarray of shape (n_resamples, p)
        The sums of squares, completed in place.
    """
    column = np.empty(len(block))
    for r in range(within.shape[0]):
        for f in range(within.shape[1]):
            if math.isnan(within[r, f]):
                _copy_column(block, f, column)
                n, mean, inside = _moments_from_rows(column, codes, weights[r], classes)
                between[r, f], within[r, f] = _squares_between(n, mean), _sum(inside)
