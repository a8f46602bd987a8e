"""Parameters of stability selection: two are given, the third follows; or calibration."""

from __future__ import annotations

import warnings
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import binom

from holdfast._typing import FloatArray
from holdfast._validation import check_choice, check_integer
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.select._ensemble._error_bounds import (
    check_assumption,
    check_pfer,
    error_bound,
    largest_q,
    least_count,
    least_threshold,
)

Sampling = Literal["complementary pairs", "half"]
SAMPLINGS: tuple[str, ...] = get_args(Sampling)
CALIBRATED = "calibrated"
MIN_HALVES_FOR_BOUND = 20
"""With fewer unpaired halves a warning is raised, as the bound holds in the limit only; chosen by
hand."""


class SubsampleDesign(NamedTuple):
    """How subsamples are drawn, and what is assumed about the selection shares."""

    sampling: str
    assumption: str
    n_pairs: int

    @classmethod
    def from_parameters(
        cls, sampling: str, assumption: str | None, n_pairs: int
    ) -> SubsampleDesign:
        """Check the parameters."""
        design = cls(
            check_choice(sampling, "sampling", SAMPLINGS),
            check_assumption(assumption),
            check_integer(n_pairs, "n_pairs", 1),
        )
        if design.sampling != SAMPLINGS[0] and design.assumption != "none":
            raise InvalidInputError(
                f"sampling={sampling!r} allows assumption='none' only, got {assumption!r}: the "
                "other bounds require complementary pairs."
            )
        return design

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
        """Warn if the half-samples are unpaired and too few for the error bound."""
        if self.sampling == SAMPLINGS[0] or self.total >= MIN_HALVES_FOR_BOUND:
            return
        warnings.warn(
            f"{self.total} unpaired halves are too few: the bound of false selections needs at "
            f"least {MIN_HALVES_FOR_BOUND}. Raise n_pairs to {MIN_HALVES_FOR_BOUND // 2}, or draw "
            "complementary pairs, whose bound holds for any number.",
            HoldfastWarning,
            stacklevel=2,
        )


class SelectionTarget(NamedTuple):
    """The requested threshold, bound and q: two of the three, or a calibrated threshold."""

    threshold: float | str | None
    pfer: float | None
    q: int | None

    @property
    def is_calibrated(self) -> bool:
        """Whether the threshold is chosen from the data."""
        if isinstance(self.threshold, str) and self.threshold != CALIBRATED:
            raise InvalidInputError(
                f"threshold must be a number from 0.5 to 1, None or {CALIBRATED!r}; got "
                f"{self.threshold!r}."
            )
        return self.threshold == CALIBRATED

    def max_q(self, n_features: int, n_samples: int, design: SubsampleDesign) -> int:
        """Return the largest q that calibration tries."""
        if self.q is not None:
            return self._capped_q(n_features)
        if self.pfer is None:
            # without a bound to keep, at most as many features as a subsample has samples
            return max(1, min(n_features, n_samples // 2))
        return max(1, self._largest_q(n_features, THRESHOLDS[-1], design))

    def solve_q_and_threshold(self, n_features: int, design: SubsampleDesign) -> tuple[int, float]:
        """Return q and the threshold if two of the three are given."""
        names = [name for name, value in zip(self._fields, self, strict=True) if value is not None]
        if len(names) != 2:
            raise InvalidInputError(
                "exactly two of threshold, pfer and q must be given, the third follows from them; "
                f"got {', '.join(names) or 'none'}. Set the one to be computed to None."
            )
        if self.q is None:
            threshold = float(self.threshold)  # type: ignore[arg-type]  # given, as q is not
            return max(1, self._largest_q(n_features, threshold, design)), threshold
        q = self._capped_q(n_features)
        if self.threshold is None:
            assert self.pfer is not None
            threshold = least_threshold(
                n_features, q, self.pfer, n_pairs=design.n_pairs, assumption=design.assumption
            )
            return q, min(1.0, threshold)
        return q, float(self.threshold)

    def _capped_q(self, n_features: int) -> int:
        return min(check_integer(self.q, "q", 1), n_features)

    def _largest_q(self, n_features: int, threshold: float, design: SubsampleDesign) -> int:
        assert self.pfer is not None
        return largest_q(
            n_features, threshold, self.pfer, n_pairs=design.n_pairs, assumption=design.assumption
        )

    def warn_if_missed(self, bound: float) -> None:
        """Warn if the bound exceeds the number of false selections that was requested."""
        if self.pfer is None or bound <= check_pfer(self.pfer):
            return
        warnings.warn(
            f"pfer={self.pfer:g} cannot be guaranteed: on average up to {bound:.3g} features may "
            "be falsely selected. A smaller q, a higher threshold (up to 1) or a stronger "
            "assumption lowers the bound.",
            HoldfastWarning,
            stacklevel=2,
        )


# Calibration: the threshold and q at which the selection is least like a random one.

THRESHOLDS = tuple(round(0.01 * percent, 2) for percent in range(60, 91))
"""Thresholds that calibration tries: the standard range of Bodinier et al. (2023)."""


def stability_score(
    counts: NDArray[np.integer], total: int, thresholds: tuple[float, ...] = THRESHOLDS
) -> FloatArray:
    r"""Return how unlikely the selection counts are if features are selected at random.

    Each of p features was selected in some of m subsamples. At a threshold :math:`\pi` it is
    stably selected (in at least :math:`m\pi`), stably excluded (in at most :math:`m(1 - \pi)`), or
    neither. If all were selected with equal probability, the counts would be binomial; the score
    is minus the log-likelihood of the three groups under that distribution.

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
    array of shape (len(thresholds),)
        The scores, 0 or more; larger is more stable.
    """
    tally = np.bincount(counts, minlength=total + 1)
    share = float(counts.sum() / (total * len(counts)))
    masses = binom.logpmf(np.arange(total + 1), total, share)
    scores = []
    for threshold in thresholds:
        high = least_count(threshold, total)
        score = 0.0
        # stably in, undecided, stably out: the three groups of [Bodinier2023]_
        for part in (slice(high, None), slice(total - high + 1, high), slice(total - high + 1)):
            number = int(tally[part].sum())
            if number:  # an empty group adds 0, though its probability may be 0, too
                # rounding may raise the logarithm of a probability above 0
                score -= number * min(float(logsumexp(masses[part])), 0.0)
        scores.append(score)
    return np.array(scores)


def calibrate_q_and_threshold(
    counts: NDArray[np.integer], total: int, pfer: float | None, assumption: str
) -> tuple[int, float]:
    """Choose q and the threshold of the largest score among those that keep the bound.

    If none does, q is 1 and the threshold is the highest one.

    Parameters
    ----------
    counts : array of shape (most, p)
        How often each feature is selected when q is 1, 2, ...
    total : int
        The number of subsamples.
    pfer : float or None
        The largest bound allowed; None: no limit.
    assumption : str
        As for `error_bound`.
    """
    p = counts.shape[1]
    scores = np.array([stability_score(row, total) for row in counts])
    if pfer is not None:
        bounds = [
            [
                error_bound(p, q, threshold, n_pairs=total // 2, assumption=assumption)
                for threshold in THRESHOLDS
            ]
            for q in range(1, len(counts) + 1)
        ]
        scores[np.array(bounds) > pfer] = -np.inf
    if not np.isfinite(scores).any():
        # no pair keeps the bound: the strictest one is returned, and the caller warns
        return 1, THRESHOLDS[-1]
    row, column = np.unravel_index(np.argmax(scores), scores.shape)
    return int(row) + 1, THRESHOLDS[column]
