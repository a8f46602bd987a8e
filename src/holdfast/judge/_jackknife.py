"""Standard errors from values that leave one part of the resamples out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

FEW = 3  # parts below which there is no standard error


def means_without_each(values: Array) -> Array:
    """Return the means of the parts along axis 0 without each of them; none if they are few."""
    if len(values) < FEW:
        return values[:0]
    return np.asarray((values.sum(axis=0) - values) / (len(values) - 1))


def jackknife_error(replicates: Array) -> Array:
    """Return the standard error of what the replicates along axis 0 replicate; NaN without any."""
    count = len(replicates)
    if count == 0:
        return np.full(replicates.shape[1:], np.nan)
    spread = np.square(replicates - replicates.mean(axis=0)).sum(axis=0)
    return np.asarray(np.sqrt((count - 1) / count * spread))
