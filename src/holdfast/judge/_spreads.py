"""Standard errors of errors: how much an estimate varies from one data set to the next.

Two things vary. First the samples that are tested: a sample, or a subject, that is tested several
times is one unit, so its contributions are summed before they are squared. Then what is learned:
all test parts share their training samples, and each sample helps to classify those that help to
classify it. No unbiased estimate of the second part exists where each sample is predicted once
(Bengio & Grandvalet 2004). On simulated data it falls with the number of units, so that the
variance is enlarged by `shared_training`. Where samples are predicted repeatedly, how often two
predictions of the same sample disagree says how much depends on what is learned; see
`learned_variance`. ``python -m benchmarks.claims error_spreads`` compares both with the truth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

EQUAL = 1e-12
"""Differences of shares that are less apart than this differ by rounding only."""
UNITS_OF_DOUBLE_VARIANCE = 40
"""Up to how many units the variance is doubled where each sample is predicted once.

Calibrated on simulated data: the ratio of the true variance to that of fixed classifiers was 1.0 to
2.4, about 1 + 40 / units in the middle.
"""


def shared_training(n_units: float) -> float:
    """Return by which share of itself the variance grows because all units train each other."""
    return min(1.0, UNITS_OF_DOUBLE_VARIANCE / n_units) if n_units > 0 else 1.0


def learned_variance(disagreement: Array, single: Array, overlap: float) -> Array:
    r"""Return how much of the variance of a prediction comes from what is learned.

    If scores are normal and two training parts share the part :math:`\omega` of their samples,
    predictions near the border disagree with probability :math:`\arccos(\omega)/\pi`, and
    :math:`2/\pi` of their variance is linear in the training samples. So a mean squared
    difference D of two predictions of one sample means :math:`D / (2 \arccos \omega)`, and never
    more than all of the variance.

    Parameters
    ----------
    disagreement : ndarray of shape (rows,)
        Mean squared difference of two predictions of the same sample; NaN where there are none.
    single : ndarray of shape (rows,)
        Variance of one prediction.
    overlap : float
        How many samples are tested for each that trains.
    """
    shared = 1 / (1 + overlap)
    return np.asarray(np.minimum(disagreement / (2 * np.arccos(shared)), single))


def summed(values: Array, overlap: float) -> tuple[Array, Array, Array]:
    """Return mean, enlarged standard error and number of the known values of each row.

    The standard error is that of Nadeau & Bengio (2003), see `corrected_t_test`.
    """
    known = np.isfinite(values)
    count = known.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=1) / count
        apart = np.where(known, values - mean[:, None], 0.0)
        apart[np.abs(apart) <= EQUAL] = 0.0
        spread = np.sqrt((apart**2).sum(axis=1) / (count - 1) * (1 / count + overlap))
    return mean, np.where(count > 1, spread, np.nan), count


def clustered_variance(parts: Array, shares: Array, times: NDArray[np.integer]) -> Array:
    r"""Return the variance of a mean, in rows, from what its units (columns) contribute.

    A unit, such as a subject, contributes the sum :math:`u_g` of what its samples do, measured
    from the mean; units are independent, samples of one unit are not. With the shares
    :math:`a_g` that units have in the mean the variance is :math:`\sum_g u_g^2 / (1 - a_g)`; for
    G equal units this is :math:`G/(G-1) \sum_g u_g^2`. Missing where there are fewer than two.

    `times` says how often each unit was drawn; shares are those of one copy.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.where(shares > 0, parts**2 / (1 - shares), 0.0)
    variance = squares @ times
    return np.where((shares > 0) @ times > 1, variance, np.nan)


def clustered_shares(wrong: Array, every: Array) -> tuple[Array, Array]:
    """Return the share of what is wrong in each row, and the standard error between units.

    `wrong` and `every` hold sums over the samples of each unit (columns).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = every.sum(axis=1)
        share = wrong.sum(axis=1) / whole
        parts = (wrong - share[:, None] * every) / whole[:, None]
        weights = every / whole[:, None]
    variance = clustered_variance(parts, weights, np.ones(parts.shape[1], dtype=np.intp))
    return share, np.sqrt(variance)
