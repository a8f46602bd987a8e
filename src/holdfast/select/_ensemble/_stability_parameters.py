"""The parameters of stability selection: what is given, and what follows from it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom

from holdfast._validation import check_integer, one_of
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.select._ensemble._error_bounds import (
    checked_assumption,
    checked_rate,
    error_bound,
    largest_q,
    least_count,
    least_threshold,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


Sampling = Literal["complementary pairs", "half"]
SAMPLINGS: tuple[str, ...] = get_args(Sampling)
CALIBRATED = "calibrated"
MIN_HALVES_FOR_BOUND = 20
"""So many halves drawn one by one, or more, are enough for a bound that speaks of many."""


class Sampled(NamedTuple):
    """How subsamples are drawn, and what is assumed of the shares."""

    sampling: str
    assumption: str
    n_pairs: int

    @classmethod
    def of(cls, sampling: str, assumption: str | None, n_pairs: int) -> Sampled:
        """Check the parameters."""
        how = cls(
            one_of(sampling, "sampling", SAMPLINGS),
            checked_assumption(assumption),
            check_integer(n_pairs, "n_pairs", 1),
        )
        if how.sampling != SAMPLINGS[0] and how.assumption != "none":
            raise InvalidInputError(
                f"sampling={sampling!r} allows assumption='none' only, received {assumption!r}: "
                "the other bounds rest on complementary pairs."
            )
        return how

    @property
    def total(self) -> int:
        """The number of subsamples."""
        return 2 * self.n_pairs

    def bound(self, n_features: int, q: int, threshold: float) -> float:
        """Return the bound of these subsamples."""
        return error_bound(
            n_features, q, threshold, n_pairs=self.n_pairs, assumption=self.assumption
        )

    def warn_if_few(self) -> None:
        """Say so if the halves are no pairs, and too few for the bound."""
        if self.sampling == SAMPLINGS[0] or self.total >= MIN_HALVES_FOR_BOUND:
            return
        warnings.warn(
            f"{self.total} halves drawn one by one are few: the bound of false selections is one "
            f"for many, at least {MIN_HALVES_FOR_BOUND}. Raise n_pairs to "
            f"{MIN_HALVES_FOR_BOUND // 2}, or draw complementary pairs, "
            "whose bound holds for any number.",
            HoldfastWarning,
            stacklevel=2,
        )


class Target(NamedTuple):
    """What was asked for: two of the three, or a calibrated threshold."""

    threshold: float | str | None
    pfer: float | None
    q: int | None

    @property
    def calibrates(self) -> bool:
        """Whether the threshold is chosen from the data."""
        if isinstance(self.threshold, str) and self.threshold != CALIBRATED:
            raise InvalidInputError(
                f"threshold must be a number from 0.5 to 1, None or {CALIBRATED!r}; received "
                f"{self.threshold!r}."
            )
        return self.threshold == CALIBRATED

    def most(self, n_features: int, n_samples: int, how: Sampled) -> int:
        """Return the largest q that calibration looks at."""
        if self.q is not None:
            return self._at_most(n_features)
        if self.pfer is None:
            return max(1, min(n_features, n_samples // 2))
        return max(1, self._largest(n_features, THRESHOLDS[-1], how))

    def settled(self, n_features: int, how: Sampled) -> tuple[int, float]:
        """Return q and the threshold where two of the three are given."""
        given = [name for name, value in zip(self._fields, self, strict=True) if value is not None]
        if len(given) != 2:
            raise InvalidInputError(
                "exactly two of threshold, pfer and q must be given, the third follows from them; "
                f"received {', '.join(given) or 'none'}. Set the one to be computed to None."
            )
        if self.q is None:
            threshold = float(self.threshold)  # type: ignore[arg-type]  # given, as q is not
            return max(1, self._largest(n_features, threshold, how)), threshold
        q = self._at_most(n_features)
        if self.threshold is None:
            return q, min(1.0, self._least(n_features, q, how))
        return q, float(self.threshold)

    def _at_most(self, n_features: int) -> int:
        return min(check_integer(self.q, "q", 1), n_features)

    def _largest(self, n_features: int, threshold: float, how: Sampled) -> int:
        assert self.pfer is not None
        return largest_q(
            n_features, threshold, self.pfer, n_pairs=how.n_pairs, assumption=how.assumption
        )

    def _least(self, n_features: int, q: int, how: Sampled) -> float:
        assert self.pfer is not None
        return least_threshold(
            n_features, q, self.pfer, n_pairs=how.n_pairs, assumption=how.assumption
        )

    def warn_if_missed(self, bound: float) -> None:
        """Say so if the number of false selections that was asked for is not kept."""
        if self.pfer is None or bound <= checked_rate(self.pfer):
            return
        warnings.warn(
            f"pfer={self.pfer:g} cannot be kept: on average up to {bound:.3g} features may be "
            "falsely selected. A smaller q, a higher threshold (up to 1) or a stronger assumption "
            "lowers the bound.",
            HoldfastWarning,
            stacklevel=2,
        )


# The threshold and the number of features at which a selection is least like chance.

THRESHOLDS = tuple(round(0.01 * percent, 2) for percent in range(60, 91))
"""Thresholds that are tried."""


def stability_score(
    counts: NDArray[np.integer], total: int, thresholds: tuple[float, ...] = THRESHOLDS
) -> Array:
    r"""Return how unlike a random choice it is that features are selected so often, or so rarely.

    Each of p features was selected in some of m subsamples. At a threshold :math:`\pi` it is
    stably selected (in at least :math:`m\pi`), stably left out (in at most :math:`m(1 - \pi)`), or
    neither. If all were selected with equal probability the counts would be binomial; the score
    is minus the logarithm of the likelihood of the three groups under that distribution.

    Parameters
    ----------
    counts : array of shape (p,)
        In how many subsamples each feature was selected.
    total : int
        m, the number of subsamples.
    thresholds : tuple of float
        Each above 0.5.

    Returns
    -------
    array, one score a threshold, 0 or more; larger is more stable
    """
    tally = np.bincount(counts, minlength=total + 1)
    share = float(counts.sum() / (total * len(counts)))
    masses = binom.logpmf(np.arange(total + 1), total, share)
    scores = []
    for threshold in thresholds:
        high = least_count(threshold, total)
        groups = slice(high, None), slice(total - high + 1, high), slice(total - high + 1)
        scores.append(-sum(_log_likelihood(masses[part], tally[part]) for part in groups))
    return np.array(scores)


def _log_likelihood(masses: Array, tally: NDArray[np.integer]) -> float:
    """Return the log-likelihood that so many features fell into a group of counts."""
    number = int(tally.sum())
    return number * min(float(logsumexp(masses)), 0.0) if number else 0.0


def calibrate_q_and_threshold(
    counts: NDArray[np.integer],
    total: int,
    pfer: float | None,
    assumption: str,
) -> tuple[int, float]:
    """Choose q and the threshold of the largest score among those that keep the bound.

    Where none does, they are 1 and the highest threshold.

    Parameters
    ----------
    counts : array of shape (most, p)
        How often each feature is selected when q is 1, 2, ...
    total : int
        The number of subsamples.
    pfer : float or None
        The largest bound allowed; None: any.
    assumption : str
        As for `error_bound`.
    """
    p = counts.shape[1]
    scores = np.array([stability_score(row, total) for row in counts])
    if pfer is not None:
        scores[~_find_allowed_pairs(len(counts), p, total, pfer, assumption)] = -np.inf
    if not np.isfinite(scores).any():
        return 1, THRESHOLDS[-1]
    row, column = np.unravel_index(np.argmax(scores), scores.shape)
    return int(row) + 1, THRESHOLDS[column]


def _find_allowed_pairs(
    most: int, n_features: int, total: int, pfer: float, assumption: str
) -> NDArray[np.bool_]:
    """Return which numbers of features (rows) and thresholds (columns) keep the bound."""

    def bound(q: int, threshold: float) -> float:
        return error_bound(n_features, q, threshold, n_pairs=total // 2, assumption=assumption)

    sizes = range(1, most + 1)
    return np.array([[bound(q, threshold) <= pfer for threshold in THRESHOLDS] for q in sizes])
