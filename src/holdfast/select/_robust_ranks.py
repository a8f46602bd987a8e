"""Robust rank aggregation: is a feature ranked better than chance would rank it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, betaln, hyp2f1

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TINY = 1e-290
"""Probabilities below this are computed as logarithms, before they vanish."""


def robust_scores(ranks: NDArray[np.integer] | Array) -> Array:
    r"""Return how much better each feature is ranked than by chance.

    .. math:: s = -\ln(m \rho), \quad \rho = \min_k P(B_k \le r_{(k)} / p)

    where :math:`r_{(1)} \le \dots \le r_{(m)}` are the m ranks of the feature and
    :math:`B_k \sim \mathrm{Beta}(k, m - k + 1)` is the k-th smallest of m uniform numbers.

    Parameters
    ----------
    ranks : array of shape (m, p)
        A ranking a row, 1 the best. Tied features should have their last rank: by their average
        rank, p features that are tied in every ranking would seem to agree on p/2.

    Returns
    -------
    array of shape (p,)
        The scores, from -ln m to m ln p - ln m, finite also where ρ is too small for a number.

    Notes
    -----
    :math:`m \rho`, at most 1, bounds the p-value of the feature where the rankings are
    independent. Scores of 0 and less all stand for the bound 1; they are not cut off there, so
    that features that chance could rank as well keep an order.

    References
    ----------
    R. Kolde, S. Laur, P. Adler, J. Vilo (2012). Robust rank aggregation for gene list integration
    and meta-analysis. Bioinformatics 28(4), 573-580.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.select._robust_ranks import robust_scores
    >>> robust_scores(np.array([[1, 2, 3, 4], [1, 3, 4, 2]])).round(2).tolist()
    [2.08, -0.12, -0.63, -0.41]
    """
    m, p = ranks.shape
    parts = np.sort(ranks, axis=0) / p
    least = np.zeros(p)
    for k, part in enumerate(parts, start=1):
        np.minimum(least, _log_probability(k, m, part), out=least)
    return -least - float(np.log(m))


def _log_probability(k: int, m: int, part: Array) -> Array:
    """Return ln P(the k-th smallest of m uniform numbers is at most `part`)."""
    chance = betainc(k, m - k + 1, part)
    small = chance < TINY
    logs: Array = np.log(chance, where=~small, out=np.zeros_like(part))
    logs[small] = _log_small(k, m, part[small])
    return logs


def _log_small(k: int, m: int, part: Array) -> Array:
    """The same by the power series of the incomplete beta function, which never vanishes."""
    last = m - k + 1
    front = k * np.log(part) + last * np.log1p(-part) - np.log(k) - betaln(k, last)
    logs: Array = front + np.log(hyp2f1(m + 1, 1, k + 1, part))
    return logs
