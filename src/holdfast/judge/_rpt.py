"""One number for robustness and performance together."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def rpt(stability: ArrayLike, accuracy: ArrayLike, beta: float = 1.0) -> NDArray[np.float64]:
    r"""Return the trade-off between robustness and performance, RPT.

    A weighted harmonic mean of the stability R and the accuracy P:

    .. math:: RPT_\beta = \frac{(\beta^2 + 1) R P}{\beta^2 R + P}

    With :math:`\beta = 1` both weigh the same; above 1 the accuracy weighs more (RPT tends to P),
    below 1 the stability does (RPT tends to R). It lies between R and P, so between 0 and 1.

    Parameters
    ----------
    stability : array-like
        Where higher is more stable and 1 is best. Values below 0, that is worse than chance, count
        as 0.
    accuracy : array-like
        1 minus the error.
    beta : float, default 1.0
        The weight, above 0.

    Returns
    -------
    ndarray or float
        0 where stability or accuracy is 0; NaN where one of them is missing.

    References
    ----------
    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.judge.rpt([0.5, 0.9], [0.9, 0.9]).round(3).tolist()
    [0.643, 0.9]
    >>> print(f"{hf.judge.rpt(0.5, 0.9, beta=2):.3f}")
    0.776
    """
    check_beta(beta)
    robust = np.maximum(np.asarray(stability, dtype=np.float64), 0.0)
    good = np.asarray(accuracy, dtype=np.float64)
    length = math.hypot(1.0, beta)  # shares of 1, so that a huge beta stays finite
    below = (beta / length) ** 2 * robust + (1 / length) ** 2 * good
    with np.errstate(invalid="ignore", divide="ignore"):
        value = robust * good / below
    found: NDArray[np.float64] = np.where(below == 0, 0.0, value)[()]
    return found


def check_beta(beta: float) -> None:
    """Refuse a weight that is none."""
    if not (isinstance(beta, Real) and 0 < beta < math.inf):
        raise InvalidInputError(
            f"beta must be a number above 0: above 1 accuracy weighs more, below 1 stability "
            f"does; received {beta!r}."
        )
