r"""Replication stability of larger studies: one line for the report, the plan and the chances.

Method. On the scale of log odds L of the part x of the way from chance to perfect agreement, the
line goes through what was observed on disjoint parts, then through the prediction for studies as
large as the data, and on with a slope g:

.. math:: L(m) = L(n) + g \log(m / n).

With g = 1 that is the Spearman-Brown formula; stability grows more slowly than this on most data,
as weaker features come into reach. Where a selector has signed scores, their model (`_score_model`)
is simulated for larger studies: the step of L is the mean of what it says and of that formula; else
g is `GROWTH`. L(n) is that of the expected share of a list that an independent study selects again,
so the prediction and the chances of single features agree. Where chances are not known it is the
mean of the Spearman-Brown formula and of the curves of `extrapolate`.

The standard error of L(m) has three parts: that of the halves, that of the step to n, and one that
grows with the distance from n.

Constants are calibrated by ``benchmarks/claims/planning.py`` on other populations and seeds; the
guide, page "How we know", shows how far predictions are off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.stats
from scipy.special import expit, logit

from holdfast.judge._replication._extrapolation import fit_curves
from holdfast.judge._replication._interval import T_DEGREES_OF_FREEDOM, log_odds_of
from holdfast.judge._replication._score_model import LARGER_STUDIES
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.judge._replication._interval import LogOdds

    Array = NDArray[np.float64]

GROWTH = 0.9
"""Slope of the log odds against the log of the number of samples, without signed scores."""
MARGIN = 0.02
"""Keeps log odds finite at chance and at perfect agreement."""
HALF_ERROR_SHARE, STEP_ERROR, GROWTH_ERROR = 0.5, 0.25, 0.25
"""Standard errors of log odds: share of that of the halves, the step to n, and the slope."""
FACTORS = np.array([1.0, *LARGER_STUDIES])
MAX_FACTOR = 16
"""Times the data beyond which nothing is said."""
MIN_SAMPLES = 4
CORRECTED = ("nogueira", "kuncheva", "kappa", "phi", "npog", "unadjusted")
"""Measures that are the overlap of two subsets of one size, corrected for chance."""
SHARES = ("pog", "dice", "ochiai")
"""Measures that are the overlap as a share of the size."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StabilityLine:
    """Replication stability against the number of samples.

    Attributes
    ----------
    scale : LogOdds
        From chance to perfect agreement.
    logs, log_odds : ndarray of shape (points,)
        Logs of the numbers of samples, ascending, and the log odds of the stability there; the
        last are those of all of the data.
    steps : ndarray of shape (5,)
        By how much log odds grow in studies `FACTORS` times as large.
    error : float
        Standard error of the log odds of halves, between data sets.
    """

    scale: LogOdds
    logs: Array
    log_odds: Array
    steps: Array
    error: float

    @property
    def n_samples(self) -> float:
        """Number of samples of the data."""
        return math.exp(float(self.logs[-1]))

    def at(self, n_samples: float, confidence: float) -> tuple[float, float, float]:
        """Return the prediction and the ends of its interval, in units of the measure."""
        place = math.log(min(n_samples, MAX_FACTOR * self.n_samples))
        reach = float(scipy.stats.t.ppf((1 + confidence) / 2, T_DEGREES_OF_FREEDOM)) * self._error(
            place
        )
        middle = self._middle(place)
        value, *ends = self._values(np.array([middle, middle - reach, middle + reach])).tolist()
        return value, min(ends), max(ends)

    def samples_for(self, target: float, confidence: float) -> tuple[float, float, float]:
        """Return how many samples a stability needs, and the ends of the interval.

        NaN where `MAX_FACTOR` times the data are not enough: more is not known. The lower end is
        then this number.
        """
        reach = float(scipy.stats.t.ppf((1 + confidence) / 2, T_DEGREES_OF_FREEDOM))
        wanted = self._log_odds(target)
        needed, low, high = (self._first(wanted, step * reach) for step in (0.0, 1.0, -1.0))
        most = float(round(MAX_FACTOR * self.n_samples))
        return needed, most if math.isnan(low) else low, high

    def _first(self, wanted: float, steps: float) -> float:
        """Return the fewest samples at which the line, so many errors up, reaches log odds."""
        few, many = MIN_SAMPLES - 1, round(MAX_FACTOR * self.n_samples)

        def reached(n_samples: int) -> bool:
            place = math.log(n_samples)
            return self._middle(place) + steps * self._error(place) >= wanted

        if not reached(many):
            return math.nan
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if reached(middle) else (middle, many)
        return float(many)

    def _middle(self, place: float) -> float:
        beyond = max(place - float(self.logs[-1]), 0.0)
        before = max(float(self.logs[0]) - place, 0.0)
        inside = float(np.interp(place, self.logs, self.log_odds))
        return inside + float(np.interp(beyond, np.log(FACTORS), self.steps)) - GROWTH * before

    def _error(self, place: float) -> float:
        beyond = max(place - float(self.logs[-1]), 0.0)
        return math.hypot(HALF_ERROR_SHARE * self.error, STEP_ERROR, GROWTH_ERROR * beyond)

    def _log_odds(self, value: float) -> float:
        return float(_to_logit(self.scale.parts(np.array([value])))[0])

    def _values(self, log_odds: Array) -> Array:
        return self.scale.values(_from_logit(log_odds))


def line_through(
    points: pd.DataFrame,
    *,
    n_units: int,
    n_features: int,
    size: int | None,
    measure: str,
    share: float | None = None,
    score_shares: Sequence[float] = (),
) -> StabilityLine:
    """Draw the line of a measure through estimates at some numbers of samples.

    Parameters
    ----------
    points : DataFrame
        ``n_samples``, ``value`` and ``standard_error`` of the estimates on disjoint parts.
    n_units : int
        Samples (subjects, where there are any) of the data.
    n_features : int
        Number of features.
    size : int or None
        How many features are selected; None where the selector decides.
    measure : str
        The measure of the values.
    share : float, optional
        Expected share of a list that an independent study of `n_units` selects again.
    score_shares : sequence of float
        The same in studies `FACTORS` times as large, by a model of scores; may be empty.
    """
    scale = log_odds_of(get_measure(measure), n_features, size)
    known = points[points["value"].notna()].sort_values("n_samples")
    parts = scale.parts(known["value"].to_numpy(dtype=float))
    half = float(parts[-1])
    # stability grows: smaller parts do not agree better than halves
    observed = np.minimum.accumulate(_to_logit(parts)[::-1])[::-1]
    value = None if share is None else value_of_share(share, measure, size, n_features)
    if value is None:
        curve = fit_curves(points, n_features=n_features, size=size, measure=measure)
        ahead, _, _ = curve.at(n_units, 0.95)
        part = min(max(half, 0.0), 1.0)
        both = np.array([float(scale.parts(np.array(ahead))), 2 * part / (1 + part)])
        full = float(_to_logit(both).mean())
    else:
        full = float(_to_logit(scale.parts(np.array([value])))[0])
    error = float(known["standard_error"].iloc[-1]) / abs(scale.best - scale.chance)
    return StabilityLine(
        scale=scale,
        logs=np.log([*known["n_samples"].to_numpy(dtype=float), n_units]),
        log_odds=np.array([*observed, max(full, float(observed[-1]))]),
        steps=_steps(
            [value_of_share(one, measure, size, n_features) for one in score_shares], scale
        ),
        error=_log_odds_error(half, error),
    )


def value_of_share(share: float, measure: str, size: int | None, n_features: int) -> float | None:
    """Return the measure of two lists of one size of which a share is the same.

    None where the measure does not follow from the share.
    """
    if size is None or size >= n_features:
        return None
    chance = size / n_features
    if measure in CORRECTED:
        return (share - chance) / (1 - chance)
    if measure in SHARES:
        return share
    return share / (2 - share) if measure == "jaccard" else None


def _steps(values: Sequence[float | None], scale: LogOdds) -> Array:
    """Return by how much log odds grow, given the stability that scores predict."""
    known = [value for value in values if value is not None]
    if len(known) < len(FACTORS):
        return np.asarray(GROWTH * np.log(FACTORS))
    simulated = _to_logit(scale.parts(np.array(known)))
    return np.asarray((np.maximum.accumulate(simulated) - simulated[0] + np.log(FACTORS)) / 2)


def _to_logit(parts: Array) -> Array:
    return np.asarray(logit(MARGIN + (1 - 2 * MARGIN) * np.clip(parts, 0.0, 1.0)))


def _from_logit(log_odds: Array) -> Array:
    return np.asarray(np.clip((expit(log_odds) - MARGIN) / (1 - 2 * MARGIN), 0.0, 1.0))


def _log_odds_error(part: float, error: float) -> float:
    """Return the standard error of the log odds of a part of the way that has this error.

    Half the step over two errors, all of it between chance and perfect agreement: at the ends log
    odds are too steep for their slope to say anything.
    """
    error = min(error, 0.5)
    middle = min(max(part, error), 1 - error)
    low, high = _to_logit(np.array([middle - error, middle + error])).tolist()
    return float(high - low) / 2
