"""Replication stability at larger numbers of samples than could be observed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast._checks import whole
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._curve_fit import fit_curves
from holdfast.measures._measure import check_confidence

if TYPE_CHECKING:
    from collections.abc import Sequence


def extrapolate(
    points: pd.DataFrame,
    *,
    at: Sequence[float],
    n_features: int,
    size: int | None,
    measure: str = "nogueira",
    confidence: float = 0.95,
) -> pd.DataFrame:
    r"""Predict replication stability at other numbers of samples by curves of theory alone.

    Many curves of stability against the number of samples are weighed by how well they agree with
    the points. Measures of subsets take theirs from the theory of independent Gaussian scores:
    with :math:`p_j(n)` the probability of feature j to lie above the threshold that lets k of p
    features pass,

    .. math:: \rho(n) = \frac{\frac{1}{k} \sum_j p_j(n)^2 - k/p}{1 - k/p}

    for laws of effects from a few strong features to many weak ones; a law with fewer than k
    informative features has a ceiling below 1. Measures of rankings, of weights and of subsets of
    no fixed size take :math:`\rho(n) = c\, x^b / (x^b + 1)` with x proportional to n, which is
    the Spearman-Brown formula for b = c = 1. The prediction is the median of the curves that
    follow the points closely, and not below the last of them; its interval holds the given part
    of the weight of all curves that the errors of the points allow.

    Parameters
    ----------
    points : DataFrame
        ``n_samples``, ``value`` and ``standard_error`` (between data sets, not between splits) of
        some estimates, as ``Replication.points`` holds them. The error of the largest number of
        samples counts; those of the others follow from it. With ``n_pairs``, few pairs make a
        point noisy.
    at : sequence of float
        Numbers of samples to predict for.
    n_features : int
        Number of features.
    size : int or None
        How many features are selected; None where that varies.
    measure : str, default "nogueira"
        The measure of the values.
    confidence : float, default 0.95
        Level of the prediction intervals.

    Returns
    -------
    DataFrame
        ``n_samples``, ``value``, ``low`` and ``high``. Values grow with the number of samples
        (distances shrink) and lie between chance and perfect agreement.

    Raises
    ------
    InvalidInputError
        No point has a value, no point has a standard error, or a number is out of range.

    Notes
    -----
    The predictions of :func:`replication` and :func:`plan_samples` use these curves together with
    the chances of single features, which are closer to the truth; see the guide, page "Planning".

    Examples
    --------
    >>> import pandas as pd
    >>> import holdfast as hf
    >>> points = pd.DataFrame(
    ...     {"n_samples": [20, 30, 40], "value": [0.11, 0.19, 0.28], "standard_error": 0.05}
    ... )
    >>> hf.judge.extrapolate(points, at=[80, 160], n_features=500, size=20).round(2)
       n_samples  value   low  high
    0         80   0.47  0.24  0.68
    1        160   0.65  0.24  0.95
    """
    check_confidence(confidence)
    _check_size(size, whole(n_features, "n_features", 1))
    fit = fit_curves(points, n_features=n_features, size=size, measure=measure)
    wanted = np.asarray(at)
    if wanted.ndim != 1 or not (np.isfinite(wanted) & (wanted > 0)).all():
        raise InvalidInputError(
            f"at must hold numbers of samples above 0; received {wanted.tolist()}."
        )
    rows = np.array([fit.at(float(n), confidence) for n in wanted]).reshape(-1, 3)
    columns = dict(zip(("value", "low", "high"), rows.T, strict=True))
    return pd.DataFrame({"n_samples": wanted, **columns})


def _check_size(size: int | None, n_features: int) -> None:
    if size is not None and whole(size, "size", 1) > n_features:
        raise InvalidInputError(
            f"size must be at most n_features ({n_features:,}); received {size:,}."
        )
