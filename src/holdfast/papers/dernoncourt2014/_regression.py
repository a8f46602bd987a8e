"""Ordinary least squares with p-values, for the regression over Table 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import t as student

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


class Slope(NamedTuple):
    """The coefficient of a predictor, and the p-value of its two-sided t-test against 0."""

    value: float
    p: float


def least_squares(y: NDArray[np.float64], predictors: pd.DataFrame) -> dict[str, Slope]:
    """Regress on predictors and a constant; return the slope of each predictor."""
    X = np.column_stack([np.ones(len(y)), predictors.to_numpy(dtype=np.float64)])
    free = len(y) - X.shape[1]
    if free < 1 or np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError("too few different rows for so many predictors")
    inverse = np.linalg.inv(X.T @ X)
    slopes = inverse @ X.T @ y
    variance = np.sum((y - X @ slopes) ** 2) / free
    error = np.sqrt(variance * np.diag(inverse))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * student.sf(np.abs(slopes / error), free)
    return {
        str(name): Slope(float(slope), float(one))
        for name, slope, one in zip(predictors.columns, slopes[1:], p[1:], strict=True)
    }
