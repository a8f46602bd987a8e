"""Two-sample and analysis-of-variance statistics from sums, for many resamples at once.

`sums` holds the sum of each feature over each class of each resample (classes x resamples x
features), `squares` the sums of squares, `counts` the number of rows (resamples x classes). Where
the spread within classes is small beside the values, sums have lost digits: such a statistic is
left NaN, and `repair` computes it from the rows themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

F, POOLED, WELCH, SQUARED = range(4)
DOUBTFUL = 1e-5  # share of the squares below which a spread has lost too many digits
LARGEST = np.finfo(np.float64).max


@kernel
def f_statistics(sums: Floats, squares: Floats, counts: Floats, out: Floats) -> None:
    """Between-class over within-class variance."""
    classes, resamples, features = sums.shape
    for r in range(resamples):
        total, present = 0.0, 0
        for k in range(classes):
            total += counts[r, k]
            present += counts[r, k] > 0
        scale = (total - present) / (present - 1.0)
        for f in range(features):
            whole, explained = 0.0, 0.0
            for k in range(classes):
                if counts[r, k] > 0:
                    whole += sums[k, r, f]
                    explained += sums[k, r, f] ** 2 / counts[r, k]
            within = squares[r, f] - explained
            sound = within > DOUBTFUL * squares[r, f]
            out[r, f] = (explained - whole**2 / total) / within * scale if sound else np.nan


@kernel
def pooled_t(sums: Floats, squares: Floats, counts: Floats, out: Floats) -> None:
    """Largest absolute t of one class against the rest, with one variance for both."""
    classes, resamples, features = sums.shape
    contrasts = 1 if classes == 2 else classes
    for r in range(resamples):
        total = counts[r].sum()
        for f in range(features):
            whole = 0.0
            for k in range(classes):
                whole += sums[k, r, f]
            best = 0.0
            for k in range(contrasts):
                n, other = counts[r, k], total - counts[r, k]
                if n == 0 or other == 0:
                    continue
                one, rest = sums[k, r, f], whole - sums[k, r, f]
                within = squares[r, f] - one**2 / n - rest**2 / other
                if within <= DOUBTFUL * squares[r, f]:
                    best = np.nan
                    break
                difference = (one / n - rest / other) ** 2 * (n * other / total)
                best = max(best, difference / within)
            out[r, f] = np.sqrt(best * (total - 2))


@kernel
def separate_t(kind: int, sums: Floats, squares: Floats, counts: Floats, out: Floats) -> None:
    """Largest score of one class against the rest, with a variance each; `squares` by class."""
    classes, resamples, features = sums.shape
    contrasts = 1 if classes == 2 else classes
    for r in range(resamples):
        total = counts[r].sum()
        for f in range(features):
            whole, square = 0.0, 0.0
            for k in range(classes):
                whole += sums[k, r, f]
                square += squares[k, r, f]
            best = 0.0
            for k in range(contrasts):
                n, other = counts[r, k], total - counts[r, k]
                if n < 2 or other < 2:
                    continue
                one, rest = sums[k, r, f], whole - sums[k, r, f]
                first = squares[k, r, f] - one**2 / n
                second = square - squares[k, r, f] - rest**2 / other
                if min(first, second) <= DOUBTFUL * square:
                    best = np.nan
                    break
                difference = (one / n - rest / other) ** 2
                best = max(best, difference / _spread(kind, first, second, n, other))
            out[r, f] = best if kind == SQUARED else np.sqrt(best)


@kernel
def _spread(kind: int, first: float, second: float, n: float, other: float) -> float:
    """Squared error of a difference of means, from the sums of squares about the means."""
    if kind == POOLED:
        return (first + second) / (n + other - 2) * (1 / n + 1 / other)
    if kind == WELCH:
        return first / (n - 1) / n + second / (other - 1) / other
    return first / (n - 1) + second / (other - 1)


@kernel
def _ratio(difference: float, spread: float) -> float:
    """A squared difference over its squared error; the largest number if only the error is 0."""
    if spread == 0:
        return LARGEST if difference > 0 else 0.0
    return min(difference / spread, LARGEST)


@kernel
def _exact(kind: int, column: Floats, codes: Ints, weights: Floats, classes: int) -> float:
    """The statistic of one feature on one resample, by two passes over the rows.

    Values are taken relative to the first one of their class, so that a class of equal values
    has no spread at all, and means relative to one another.
    """
    n, base, shift = np.zeros(classes), np.zeros(classes), np.zeros(classes)
    for i in range(len(column)):
        if weights[i] > 0:
            k = codes[i]
            if n[k] == 0:
                base[k] = column[i]
            n[k] += weights[i]
            shift[k] += weights[i] * (column[i] - base[k])
    inside, mean, origin = np.zeros(classes), np.zeros(classes), np.nan
    for k in range(classes):
        if n[k] > 0:
            origin = base[k] if np.isnan(origin) else origin
            shift[k] /= n[k]
            mean[k] = base[k] - origin + shift[k]
    for i in range(len(column)):
        if weights[i] > 0:
            k = codes[i]
            inside[k] += weights[i] * (column[i] - base[k] - shift[k]) ** 2
    total = n.sum()
    if kind == F:
        centre, between, present = (n * mean).sum() / total, 0.0, 0
        for k in range(classes):
            between += n[k] * (mean[k] - centre) ** 2
            present += n[k] > 0
        return _ratio(between / (present - 1), inside.sum() / (total - present))
    best = 0.0
    least = 1 if kind == POOLED else 2
    for k in range(1 if classes == 2 else classes):
        other = total - n[k]
        if n[k] < least or other < least:
            continue
        rest = ((n * mean).sum() - n[k] * mean[k]) / other
        outside = 0.0
        for j in range(classes):
            if j != k:
                outside += inside[j] + n[j] * (mean[j] - rest) ** 2
        spread = _spread(kind, inside[k], outside, n[k], other)
        best = max(best, _ratio((mean[k] - rest) ** 2, spread))
    return best if kind == SQUARED or best == LARGEST else np.sqrt(best)


@kernel
def repair(
    kind: int, block: Floats, codes: Ints, weights: Floats, classes: int, out: Floats
) -> None:
    """Compute from the rows what the sums left open."""
    for r in range(out.shape[0]):
        for f in range(out.shape[1]):
            if np.isnan(out[r, f]):
                out[r, f] = _exact(kind, block[:, f].copy(), codes, weights[r], classes)
