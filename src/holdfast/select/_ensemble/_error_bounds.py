"""Bounds of the expected number of false selections of stability selection."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from holdfast._typing import FloatArray, IndexArray
from holdfast._validation import check_choice, check_integer
from holdfast.errors import InvalidInputError

Assumption = Literal["none", "unimodal", "r-concave"]
ASSUMPTIONS: tuple[str, ...] = get_args(Assumption)
ROUNDING_TOLERANCE = 1e-9
"""Relative differences up to this size are taken for rounding; chosen by hand."""


def error_bound(
    n_features: int,
    q: int,
    threshold: float,
    *,
    n_pairs: int = 50,
    assumption: str | None = "unimodal",
) -> float:
    r"""Bound the expected number of features that stability selection selects falsely.

    q of p features are selected on each subsample, and those selected in a share of at least
    :math:`\tau` of the subsamples are kept. With :math:`\theta = q/p` and B pairs of
    complementary halves, consider the features whose probability of being selected on a half is
    at most :math:`\theta` (those that matter no more than a random choice). The expected number
    of them that are kept is at most

    - none: :math:`q\theta / (2\tau - 1)`, without any assumption. In the limit of many subsamples
      it also holds for unpaired halves; with few unpaired halves it can be exceeded;
    - unimodal: :math:`q\theta / (2 (2\tau - 1 - 1/(2B)))` for :math:`\tau \le 3/4`, above that
      :math:`4 q\theta (1 - \tau + 1/(2B)) / (1 + 1/B)`, if the shares of pairs that select a
      feature in both halves have a unimodal distribution and :math:`\theta \le 1/\sqrt 3`;
    - r-concave: :math:`p \min\{D(\theta^2, 2\tau - 1; B, -1/2), D(\theta, \tau; 2B, -1/4)\}`,
      D being the largest tail of an r-concave distribution on the grid of shares with mean
      :math:`\theta^2` or :math:`\theta`; it is computed exactly.

    A stronger assumption includes the weaker ones, and at most p features can be false: the
    smallest of the bounds that hold is returned. So the bound is p, not infinite, for
    :math:`\tau = 1/2`. Outside the range of the unimodal bound, which is
    :math:`\theta \le 1/\sqrt 3` and :math:`\tau \ge 1/2 + \min(\theta^2, 1/(2B) + 3\theta^2/4)`,
    the bound without assumption is used.

    Parameters
    ----------
    n_features : int
        p, the number of features.
    q : int
        The largest number of features selected on each subsample.
    threshold : float
        The smallest share of subsamples that must select a feature, from 0.5 to 1.
    n_pairs : int, default 50
        B, the number of pairs of subsamples.
    assumption : {"none", "unimodal", "r-concave"}, default "unimodal"
        What is assumed about the selection probabilities of features that do not matter. None is
        the same as "none".

    Returns
    -------
    float
        From 0 to p.

    References
    ----------
    N. Meinshausen, P. Bühlmann (2010). Stability selection. Journal of the Royal Statistical
    Society B 72(4), 417-473.

    R. D. Shah, R. J. Samworth (2013). Variable selection with error control: another look at
    stability selection. Journal of the Royal Statistical Society B 75(1), 55-80.

    Examples
    --------
    >>> from holdfast.select import error_bound
    >>> for assumption in ("none", "unimodal", "r-concave"):
    ...     print(assumption, round(error_bound(1000, 20, 0.75, assumption=assumption), 3))
    none 0.8
    unimodal 0.408
    r-concave 0.097
    """
    p, pairs = check_integer(n_features, "n_features", 1), check_integer(n_pairs, "n_pairs", 1)
    return _smallest_bound(
        p, _check_q(q, p), _check_threshold(threshold), pairs, check_assumption(assumption)
    )


def largest_q(
    n_features: int,
    threshold: float,
    pfer: float,
    *,
    n_pairs: int = 50,
    assumption: str | None = "unimodal",
) -> int:
    """Return the largest q whose `error_bound` does not exceed a number of false selections.

    Parameters
    ----------
    n_features, threshold, n_pairs, assumption
        As for `error_bound`.
    pfer : float
        How many features may be falsely selected on average (the per-family error rate).

    Returns
    -------
    int
        From 1 to p; 0 if even one feature per subsample exceeds it.

    Examples
    --------
    >>> from holdfast.select import largest_q
    >>> largest_q(2000, 0.75, 1.0)
    44
    """
    p, share, rate = (
        check_integer(n_features, "n_features", 1),
        _check_threshold(threshold),
        check_pfer(pfer),
    )
    pairs, kind = check_integer(n_pairs, "n_pairs", 1), check_assumption(assumption)
    # the bound grows with q, so the first q that exceeds it is found by bisection
    return _first_true(1, p, lambda q: _smallest_bound(p, q, share, pairs, kind) > rate) - 1


def least_threshold(
    n_features: int, q: int, pfer: float, *, n_pairs: int = 50, assumption: str | None = "unimodal"
) -> float:
    """Return the least threshold whose `error_bound` does not exceed a number of false selections.

    Parameters
    ----------
    n_features, q, n_pairs, assumption
        As for `error_bound`.
    pfer : float
        How many features may be falsely selected on average (the per-family error rate).

    Returns
    -------
    float
        From 0.5 to 1: a multiple of ``1 / (2 * n_pairs)``, since thresholds between two multiples
        select the same features; infinite if even a threshold of 1 exceeds it.

    Examples
    --------
    >>> from holdfast.select import least_threshold
    >>> least_threshold(2000, 50, 1.0)
    0.81
    """
    p, rate = check_integer(n_features, "n_features", 1), check_pfer(pfer)
    pairs, kind, count = (
        check_integer(n_pairs, "n_pairs", 1),
        check_assumption(assumption),
        _check_q(q, p),
    )
    # a share of subsamples is a multiple of 1 / total: no threshold in between matters
    total = 2 * pairs
    needed = _first_true(
        pairs, total, lambda t: _smallest_bound(p, count, t / total, pairs, kind) <= rate
    )
    return needed / total if needed <= total else math.inf


def least_count(threshold: float, total: int) -> int:
    """Return how many of `total` subsamples a threshold requires."""
    # 0.55 * 100 is slightly above 55
    return math.ceil(threshold * total - ROUNDING_TOLERANCE)


def check_assumption(assumption: str | None) -> str:
    """Return the name of an assumption; None is "none"."""
    return "none" if assumption is None else check_choice(assumption, "assumption", ASSUMPTIONS)


def check_pfer(pfer: float) -> float:
    """Return the number of false selections allowed, raised by the rounding tolerance."""
    try:
        if not isinstance(pfer, bool) and float(pfer) > 0:
            return float(pfer) * (1 + ROUNDING_TOLERANCE)
    except (TypeError, ValueError):
        pass
    raise InvalidInputError(
        f"pfer, the number of false selections allowed on average, must be above 0; got {pfer!r}."
    )


def _check_q(q: int, n_features: int) -> int:
    count = check_integer(q, "q", 1)
    if count <= n_features:
        return count
    raise InvalidInputError(
        f"q must lie between 1 and the number of features, {n_features:,}; got {count:,}."
    )


def _check_threshold(threshold: float) -> float:
    try:
        if not isinstance(threshold, bool) and 0.5 <= float(threshold) <= 1:
            return float(threshold)
    except (TypeError, ValueError):
        pass
    raise InvalidInputError(
        "threshold, the smallest share of subsamples, must be a number from 0.5 to 1; got "
        f"{threshold!r}."
    )


def _smallest_bound(p: int, q: int, threshold: float, n_pairs: int, assumption: str) -> float:
    """Return the smallest of the bounds that hold, and p."""
    bounds = [float(p)]
    if threshold > 0.5:  # Meinshausen and Bühlmann, Theorem 1
        bounds.append(q * q / (p * (2 * threshold - 1)))
    if assumption != "none":
        bounds.append(_unimodal_bound(p, q, threshold, n_pairs))
    if assumption == "r-concave":
        # both bounds of Shah and Samworth hold: the one by pairs, with r = -1/2, and the one by
        # single subsamples, with r = -1/4
        count, theta = least_count(threshold, 2 * n_pairs), q / p
        by_pairs = largest_tails(theta**2 * n_pairs, n_pairs, 2)[count - n_pairs]
        bounds.append(p * min(by_pairs, largest_tails(theta * 2 * n_pairs, 2 * n_pairs, 4)[count]))
    return min(bounds)


def _unimodal_bound(p: int, q: int, threshold: float, n_pairs: int) -> float:
    """Return the bound for unimodal shares (Shah and Samworth), infinite outside its range."""
    squared, step = (q / p) ** 2, 1 / (2 * n_pairs)
    margin = 2 * threshold - 1 - step
    least = 0.5 + min(squared, step + 0.75 * squared)
    # conditions of the bound for unimodal laws in [Shah2013]_
    if squared > 1 / 3 or threshold < least or margin <= ROUNDING_TOLERANCE:
        return math.inf
    above = 4 * (1 - threshold + step) / (1 + 2 * step)
    return q * q / p * (1 / (2 * margin) if threshold <= 0.75 else above)


def _first_true(start: int, stop: int, holds: Callable[[int], bool]) -> int:
    """Return the first of start..stop for which a monotone condition holds; stop + 1 if none."""
    return start + bisect_left(range(start, stop + 1), x=True, key=holds)


# The largest tails of r-concave distributions on a grid, given their mean.

N_RATE_HALVINGS = 60
"""Halvings of the unit interval in the search for a rate: more than the 53 bits of a float."""


@lru_cache(maxsize=1024)
def largest_tails(mean: float, top: int, power: int) -> tuple[float, ...]:
    r"""Return the largest P(X >= t) for t = 0..top over r-concave X on 0..top with E X = mean.

    A mass function f is r-concave (r = -1/power < 0) if f^r is convex; `power` is a power of 2.
    The largest tails are those of the truncated power laws
    :math:`f(i) \propto (1 + b i)^{-power}` on 0..k, b being set by the mean. The mass at a last
    point k + 1 may lie anywhere between 0 and the value of the law there, but the tail is largest
    at one of these two ends, and both are truncated laws. (Numerical searches in between found no
    larger tail.) For t up to twice the mean, 1 is returned.
    """
    first = int(np.ceil(2 * mean))
    tails = np.ones(top + 1)
    if first < top:
        # the extreme law is a power law cut off at some point; all cut-off points are tried
        lasts = np.arange(max(first, 1), top + 1)
        masses = _power_law_masses(_solve_rates(mean, lasts, power), lasts, power)
        above = np.cumsum(masses[:, ::-1], axis=1)[:, ::-1] / masses.sum(axis=1)[:, None]
        tails[first + 1 :] = above.max(axis=0)[first + 1 :]
    return tuple(tails.tolist())


def _solve_rates(mean: float, lasts: IndexArray, power: int) -> FloatArray:
    """Return the rates b >= 0 at which power laws on 0..last have the given mean, by bisection.

    The mean falls from last / 2 at b = 0 towards 0; b = v / (1 - v) maps 0..1 to all rates.
    """
    low, high = np.zeros(len(lasts)), np.ones(len(lasts))
    places = np.arange(lasts[-1] + 1)
    for _ in range(N_RATE_HALVINGS):
        middle = (low + high) / 2
        masses = _power_law_masses(middle / (1 - middle), lasts, power)
        above = masses @ places > mean * masses.sum(axis=1)
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return low / (1 - low)  # the side with the larger mean, so that the bound stays valid


def _power_law_masses(rates: FloatArray, lasts: IndexArray, power: int) -> FloatArray:
    """Return unnormalised power laws, one per row; 0 beyond the last point."""
    places = np.arange(lasts[-1] + 1)
    masses: FloatArray = (places <= lasts[:, None]) / (1 + rates[:, None] * places)
    for _ in range(power.bit_length() - 1):  # squaring is far faster than a general power
        masses *= masses
    return masses
