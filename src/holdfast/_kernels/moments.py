"""Two-sample and analysis-of-variance statistics from sums, for many resamples at once.

`sums` holds the sum of each feature over each class of each resample (classes x resamples x
features), `squares` the sums of squares, `counts` the number of rows (resamples x classes). Where
the spread within classes vanishes beside the values, a statistic is 0 if the means agree and the
largest number if they do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels._compile import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

VANISHING = 1e-13  # share of the total below which a sum of squares is rounding error
LARGEST = np.finfo(np.float64).max


@kernel
def _over(difference: float, spread: float, values: float) -> float:
    """A squared difference over its squared error, both compared with the squared values."""
    if spread > VANISHING * values:
        return difference / spread
    return LARGEST if difference > VANISHING * values else 0.0


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
            between = explained - whole**2 / total
            within = squares[r, f] - explained
            ratio = _over(between, within, squares[r, f])
            out[r, f] = ratio * scale if ratio < LARGEST / max(scale, 1.0) else LARGEST


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
                difference = (one / n - rest / other) ** 2 * (n * other / total)
                within = squares[r, f] - one**2 / n - rest**2 / other
                best = max(best, _over(difference, within, squares[r, f]))
            out[r, f] = np.sqrt(best) * np.sqrt(total - 2)


@kernel
def separate_t(sums: Floats, squares: Floats, counts: Floats, welch: bool, out: Floats) -> None:
    """Largest score of one class against the rest, with a variance each.

    `squares` is by class here. Welch's absolute t, or the squared difference of the means over
    the sum of both variances.
    """
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
                first = (squares[k, r, f] - one**2 / n) / (n - 1)
                second = (square - squares[k, r, f] - rest**2 / other) / (other - 1)
                spread = first / n + second / other if welch else first + second
                difference = (one / n - rest / other) ** 2
                best = max(best, _over(difference, spread, square / total))
            out[r, f] = np.sqrt(best) if welch else best
