r"""Sample planning: predicted stability of larger studies, and the samples that a target needs.

Method
------
Let :math:`L(m)` be the log odds of the stability x of studies of m samples, as the part of the way
from chance (0) to perfect agreement (1); :math:`L = \operatorname{logit}(0.02 + 0.96 x)`. A
piecewise linear curve in log m (`StabilityLine`) has three parts:

* *up to n/2*: the observed agreement of disjoint quarters, parts and halves, made monotone (smaller
  parts do not agree better than larger ones);
* *at n*: the log odds of the expected share of a list that an independent study selects again
  (`_chance_model.expected_share`), so that the prediction and the chances of single features agree.
  Where chances are not known, the mean log odds of the Spearman-Brown formula
  :math:`2x / (1 + x)` of halves and of the median of `extrapolate`;
* *beyond n*: :math:`L(m) = L(n) + g \log(m/n)`. g = 1 is the Spearman-Brown formula; on most data
  stability grows more slowly, because weaker features come into reach. Where a selector has signed
  scores, larger studies are simulated (`_score_model`) and the step of L is the mean of the
  simulated step and of :math:`\log(m/n)`; else g is `GROWTH`.

The standard error of L(m) is

.. math:: SE(m)^2 = (0.5 \, SE_{halves})^2 + 0.25^2 + (0.25 \log(m/n))^2,

for the halves, the step to n, and the slope beyond n. Intervals use Student's t with 10 degrees of
freedom, as in `_interval`.

What is derived, and what is calibrated
---------------------------------------
The Spearman-Brown formula is derived for sums of parallel scores; for overlaps of lists it is an
approximation. `GROWTH` and the three standard errors are calibrated by
``benchmarks/claims/planning.py``, on other populations and seeds than those of its table in the
guide, page "How we know", which shows errors and coverage.

References
----------
[Spearman1910]_, [Brown1910]_.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import scipy.stats
from scipy.special import expit, logit

from holdfast._typing import FloatArray
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._extrapolation import fit_curves
from holdfast.judge._replication._interval import T_DEGREES_OF_FREEDOM, LogOdds, make_log_odds
from holdfast.judge._replication._score_model import LARGER_STUDIES
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from holdfast.judge._replication._estimate import Replication

GROWTH = 0.9
"""Slope of the log odds against log n, without signed scores.

Calibrated by ``benchmarks/claims/planning.py``.
"""
LOGIT_MARGIN = 0.02
"""Keeps log odds finite at chance and at perfect agreement; chosen by hand."""
HALF_ERROR_SHARE, STEP_ERROR, GROWTH_ERROR = 0.5, 0.25, 0.25
"""Standard errors of log odds: share of that of the halves, the step to n, and the slope.

Calibrated by ``benchmarks/claims/planning.py``.
"""
SIZE_FACTORS = np.array([1.0, *LARGER_STUDIES])
"""Sizes of the simulated studies, relative to the data."""
MAX_FACTOR = 16
"""Size of the largest studies that are predicted, relative to the data; that of `SIZE_FACTORS`."""
MIN_SAMPLES = 4
"""Fewest samples that a plan names; derived: two of each class."""
CORRECTED_MEASURES = ("nogueira", "kuncheva", "kappa", "phi", "npog", "unadjusted")
"""Measures equal to the overlap of two subsets of one size, corrected for chance."""
SHARE_MEASURES = ("pog", "dice", "ochiai")
"""Measures equal to the overlap as a share of the size."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StabilityLine:
    """Predicted replication stability against the number of samples.

    Attributes
    ----------
    scale : LogOdds
        The scale from chance to perfect agreement.
    logs, log_odds : ndarray of shape (points,)
        Logs of the numbers of samples, ascending, and the log odds of the stability there; the
        last entry is that of the whole data.
    steps : ndarray of shape (5,)
        Growth of the log odds in studies `SIZE_FACTORS` times as large.
    error : float
        Standard error of the log odds of halves, between data sets.
    """

    scale: LogOdds
    logs: FloatArray
    log_odds: FloatArray
    steps: FloatArray
    error: float

    @property
    def n_samples(self) -> float:
        """Number of samples of the data."""
        return math.exp(float(self.logs[-1]))

    def predict(self, n_samples: float, confidence: float) -> tuple[float, float, float]:
        """Return the prediction and the ends of its interval, in units of the measure."""
        # beyond the largest simulated studies the line is continued as a constant
        log_n = math.log(min(n_samples, MAX_FACTOR * self.n_samples))
        half_width = _t_quantile(confidence) * self._error_at(log_n)
        middle = self._log_odds_at(log_n)
        log_odds = np.array([middle, middle - half_width, middle + half_width])
        value, *ends = self.scale.from_unit(_from_logit(log_odds)).tolist()
        return value, min(ends), max(ends)

    def samples_for(self, target: float, confidence: float) -> tuple[float, float, float]:
        """Return the number of samples that a stability needs, and the ends of its interval.

        NaN where `MAX_FACTOR` times the data are not enough; the lower end is then this number.
        """
        quantile = _t_quantile(confidence)
        target_log_odds = float(_to_logit(self.scale.to_unit(np.array([target])))[0])
        needed, low, high = (
            # the upper end of the stability reaches the target first: it gives the fewest samples
            self._fewest_samples(target_log_odds, step * quantile)
            for step in (0.0, 1.0, -1.0)
        )
        most = float(round(MAX_FACTOR * self.n_samples))
        return needed, most if math.isnan(low) else low, high

    def _fewest_samples(self, target_log_odds: float, n_errors: float) -> float:
        """Return the fewest samples at which the line plus `n_errors` errors reaches log odds."""
        # invariant of the bisection: `few` is not enough or not allowed, `many` is enough
        few, many = MIN_SAMPLES - 1, round(MAX_FACTOR * self.n_samples)

        def is_enough(n_samples: int) -> bool:
            log_n = math.log(n_samples)
            return self._log_odds_at(log_n) + n_errors * self._error_at(log_n) >= target_log_odds

        if not is_enough(many):
            return math.nan
        while many - few > 1:
            middle = (few + many) // 2
            few, many = (few, middle) if is_enough(middle) else (middle, many)
        return float(many)

    def _log_odds_at(self, log_n: float) -> float:
        beyond = max(log_n - float(self.logs[-1]), 0.0)
        before = max(float(self.logs[0]) - log_n, 0.0)
        inside = float(np.interp(log_n, self.logs, self.log_odds))
        # below the smallest part the line continues with the default slope
        return inside + float(np.interp(beyond, np.log(SIZE_FACTORS), self.steps)) - GROWTH * before

    def _error_at(self, log_n: float) -> float:
        beyond = max(log_n - float(self.logs[-1]), 0.0)
        return math.hypot(HALF_ERROR_SHARE * self.error, STEP_ERROR, GROWTH_ERROR * beyond)


def _t_quantile(confidence: float) -> float:
    return float(scipy.stats.t.ppf((1 + confidence) / 2, T_DEGREES_OF_FREEDOM))


def fit_stability_line(
    points: pd.DataFrame,
    *,
    n_units: int,
    n_features: int,
    size: int | None,
    measure: str,
    share: float | None = None,
    score_shares: Sequence[float] = (),
) -> StabilityLine:
    """Fit the line of a measure to estimates at several numbers of samples.

    Parameters
    ----------
    points : DataFrame
        ``n_samples``, ``value`` and ``standard_error`` of the estimates on disjoint parts.
    n_units : int
        Number of samples, or of subjects.
    n_features : int
        Number of features.
    size : int or None
        Number of selected features; None where the selector chooses it.
    measure : str
        The measure of the values.
    share : float, optional
        Expected share of a list that an independent study of `n_units` selects again.
    score_shares : sequence of float
        The same for studies `SIZE_FACTORS` times as large, by the score model; may be empty.
    """
    scale = make_log_odds(get_measure(measure), n_features, size)
    known = points[points["value"].notna()].sort_values("n_samples")
    units = scale.to_unit(known["value"].to_numpy(dtype=float))
    half = float(units[-1])
    # stability grows: smaller parts do not agree better than halves
    observed = np.minimum.accumulate(_to_logit(units)[::-1])[::-1]
    value = None if share is None else value_of_share(share, measure, size, n_features)
    if value is None:
        curves = fit_curves(points, n_features=n_features, size=size, measure=measure)
        extrapolated, _, _ = curves.predict(n_units, 0.95)
        unit = min(max(half, 0.0), 1.0)
        spearman_brown = 2 * unit / (1 + unit)
        both = np.array([float(scale.to_unit(np.array(extrapolated))), spearman_brown])
        full = float(_to_logit(both).mean())
    else:
        full = float(_to_logit(scale.to_unit(np.array([value])))[0])
    error = float(known["standard_error"].iloc[-1]) / abs(scale.best - scale.chance)
    return StabilityLine(
        scale=scale,
        logs=np.log([*known["n_samples"].to_numpy(dtype=float), n_units]),
        # the line never falls: a list found again less
        # often than halves agree is noise of the estimate
        log_odds=np.array([*observed, max(full, float(observed[-1]))]),
        steps=_growth_steps(
            [value_of_share(share, measure, size, n_features) for share in score_shares], scale
        ),
        error=_logit_error(half, error),
    )


def value_of_share(share: float, measure: str, size: int | None, n_features: int) -> float | None:
    """Return the measure of two lists of one size that have a share in common.

    None where the measure does not follow from the share.
    """
    if size is None or size >= n_features:
        return None
    chance = size / n_features
    if measure in CORRECTED_MEASURES:
        return (share - chance) / (1 - chance)
    if measure in SHARE_MEASURES:
        return share
    return share / (2 - share) if measure == "jaccard" else None


def _growth_steps(values: Sequence[float | None], scale: LogOdds) -> FloatArray:
    """Return the growth of the log odds, given the stability that the score model predicts."""
    known = [value for value in values if value is not None]
    if len(known) < len(SIZE_FACTORS):
        return np.asarray(GROWTH * np.log(SIZE_FACTORS))
    # only the growth of the simulated stability is used; its level is that of `full`
    simulated = _to_logit(scale.to_unit(np.array(known)))
    # stability grows: a decrease is noise of the simulation
    growth = np.maximum.accumulate(simulated) - simulated[0]
    return np.asarray((growth + np.log(SIZE_FACTORS)) / 2)


def _to_logit(units: FloatArray) -> FloatArray:
    return np.asarray(logit(LOGIT_MARGIN + (1 - 2 * LOGIT_MARGIN) * np.clip(units, 0.0, 1.0)))


def _from_logit(log_odds: FloatArray) -> FloatArray:
    return np.asarray(np.clip((expit(log_odds) - LOGIT_MARGIN) / (1 - 2 * LOGIT_MARGIN), 0.0, 1.0))


def _logit_error(unit: float, error: float) -> float:
    """Return the standard error of the log odds of a value with a standard error.

    Half the difference of the log odds one error above and below, both within [0, 1]: near the ends
    the log odds are too steep for the delta method.
    """
    error = min(error, 0.5)
    middle = min(max(unit, error), 1 - error)
    low, high = _to_logit(np.array([middle - error, middle + error])).tolist()
    return float(high - low) / 2


def is_at_chance(result: Replication) -> bool:
    """Return whether halves agree no better than random selections, by one standard error.

    For a distance, better is lower. Where the chance level is unknown, 0 stands for it, so that a
    distance counts as at chance, and nothing is predicted beyond the data. On noise the standard
    error is about twice the true one, so that 98 of 100 data sets of noise are at chance. The limit
    was chosen by hand; no committed script prints these figures.
    """
    chance = result.chance if math.isfinite(result.chance) else 0.0
    agreement = result.value - chance
    if get_measure(result.measure).distance:
        agreement = -agreement
    return agreement <= result.standard_error


# The samples that a target needs: the line is followed to where it, and the ends of its interval,
# reach the target.

ONE_POINT_NOTE = "stability is known at one number of samples only; each class needs 8 samples"


@dataclass(frozen=True, kw_only=True, repr=False)
class SamplePlan:
    """Expected agreement at the present number of samples, and the samples that a target needs.

    Attributes
    ----------
    measure : str
        The measure of stability.
    size : int or None
        Number of selected features.
    n_samples : int
        Number of samples, or of subjects.
    value, low, high : float
        Predicted stability of two studies of `n_samples` each.
    again, again_low, again_high : float
        Selected features that the other study is expected to select again; NaN where this does not
        follow from the measure.
    target : float
        The stability to reach.
    needed : float
        Fewest samples with a predicted stability of at least the target. NaN where 16 times the
        data are not enough and the number is unknown. Infinite where selections agree no better
        than chance, so that nothing can be planned.
    needed_low, needed_high : float
        Interval of the needed samples; `needed_high` is NaN where it is unknown.
    fewest_compared : int
        Samples of the smallest parts of the data that were compared. Smaller numbers of samples
        follow from the slope of the line only, and the sentence does not name them.
    confidence : float
        Level of the intervals.
    """

    measure: str
    size: int | None
    n_samples: int
    value: float
    low: float
    high: float
    again: float
    again_low: float
    again_high: float
    target: float
    needed: float
    needed_low: float
    needed_high: float
    fewest_compared: int
    confidence: float

    def to_frame(self) -> pd.DataFrame:
        """Return a table of one row with one column per attribute."""
        return pd.DataFrame([asdict(self)])

    @property
    def sentence(self) -> str:
        """The plan in words."""
        stability = f"{self.measure} {self.value:.2f} ({self.low:.2f} to {self.high:.2f})"
        studies = f"Two studies of {self.n_samples:,} each"
        again = ""
        if not math.isnan(self.again):
            span = f"{self.again_low:.0f} to {self.again_high:.0f}"
            again = f"expect {self.again:.0f} ({span}) of {self.size:,} features again; "
        return f"{studies}: {again}{stability}. {self._format_needed()}"

    def _format_needed(self) -> str:
        target = f"A stability of {self.target:g}"
        if math.isinf(self.needed):
            return f"{target} cannot be planned for: the data do not show agreement beyond chance."
        if math.isnan(self.needed):
            return f"{target} needs at least {self.needed_low:,.0f}."
        ends = format_needed_ends(self.needed_low, self.needed_high, self.fewest_compared)
        about = format_needed(self.needed, self.fewest_compared)
        return f"{target} needs {about}{ends and f' ({ends})'}."

    def __repr__(self) -> str:
        return f"<SamplePlan: {self.sentence}>"


def format_needed(needed: float, fewest: int) -> str:
    """Return a number of samples; below the smallest parts that were compared, only that it is.

    >>> format_needed(90, 20), format_needed(7, 20)
    ('about 90', 'fewer than 20')
    """
    return f"fewer than {fewest:,}" if needed < fewest else f"about {needed:,.0f}"


def format_needed_ends(low: float, high: float, fewest: int) -> str:
    """Return an interval of numbers of samples, without ends below the smallest parts compared.

    >>> format_needed_ends(40, 90, 20), format_needed_ends(4, 90, 20)
    ('40 to 90', 'at most 90')
    >>> format_needed_ends(40, math.nan, 20), format_needed_ends(4, math.nan, 20)
    ('at least 40, at most unknown', 'at most unknown')
    >>> format_needed_ends(4, 7, 20)
    ''
    """
    if high < fewest:
        return ""
    most = f"at most {'unknown' if math.isnan(high) else format(high, ',.0f')}"
    if low < fewest:
        return most
    return f"at least {low:,.0f}, {most}" if math.isnan(high) else f"{low:,.0f} to {high:,.0f}"


def plan_samples(found: Replication, *, target: float = 0.8) -> SamplePlan:
    r"""Find how many samples a target replication stability needs.

    The prediction of :func:`replication`, and the ends of its interval, are followed to where they
    reach the target. For measures of overlap that are corrected for chance, the value
    :math:`\rho` also gives how many of k selected features another study of the same size is
    expected to select again:

    .. math:: r = k \left(\rho\,(1 - k/p) + k/p\right).

    Parameters
    ----------
    found : Replication
        The result of :func:`replication` on the pilot data.
    target : float, default 0.8
        The stability to reach, above 0 and below 1.

    Returns
    -------
    SamplePlan

    Raises
    ------
    InvalidInputError
        The estimate has no predictions, because a class was too small or pairs have no value; the
        measure is a distance; the target is out of range.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = hf.judge.replication("t_score", X[:200], y[:200], size=5, n_pairs=20)
    >>> plan = hf.judge.plan_samples(found, target=0.9)
    >>> plan.n_samples, plan.low <= plan.value <= plan.high, plan.needed_low <= plan.needed
    (200, True, True)
    """
    # imported here because the file of this class imports the prediction from this one
    from holdfast.judge._replication._estimate import Replication

    if not isinstance(found, Replication):
        raise InvalidInputError(f"found must be a result of holdfast.replication, got {found!r}.")
    target = check_positive_number(target, "target", 1.0)
    if get_measure(found.measure).distance:
        raise InvalidInputError(
            f"{found.measure} is a distance; plan by a similarity, such as nogueira."
        )
    if not has_predictions(found):
        raise InvalidInputError(
            f"nothing can be predicted from this estimate: {found.note or ONE_POINT_NOTE}."
        )
    return _make_plan(found, target)


def has_predictions(found: Replication) -> bool:
    """Return whether an estimate has predictions for larger studies."""
    return len(found.points) > 1 and bool((found.curve["kind"] == "predicted").any())


def _make_plan(found: Replication, target: float) -> SamplePlan:
    n_samples = int(found.curve.loc[found.curve["kind"] == "predicted", "n_samples"].min())
    line = fit_stability_line(
        found.points,
        n_units=n_samples,
        n_features=found.n_features,
        size=found.size,
        measure=found.measure,
        share=found.share,
        score_shares=found.score_shares,
    )
    value, low, high = line.predict(n_samples, found.confidence)
    again = [
        expected_common_features(
            stability, measure=found.measure, size=found.size, n_features=found.n_features
        )
        for stability in (value, low, high)
    ]
    needed, needed_low, needed_high = line.samples_for(target, found.confidence)
    # a line that starts at chance would reach any target by its slope alone
    if is_at_chance(found):
        needed, needed_high = math.inf, math.nan
    return SamplePlan(
        measure=found.measure, size=found.size, n_samples=n_samples,
        value=value, low=low, high=high,
        again=again[0], again_low=again[1], again_high=again[2],
        target=target, needed=needed, needed_low=needed_low, needed_high=needed_high,
        fewest_compared=int(found.points["n_samples"].min()), confidence=found.confidence,
    )  # fmt: skip


def expected_common_features(
    value: float, *, measure: str, size: int | None, n_features: int
) -> float:
    r"""Return how many selected features another study is expected to select again.

    Of two lists of k of p features with agreement :math:`\rho` beyond chance,
    :math:`k(\rho(1 - k/p) + k/p)` features are expected in both. NaN for other measures, or where
    the selector chooses the size.
    """
    if size is None or measure not in CORRECTED_MEASURES + SHARE_MEASURES:
        return math.nan
    share = size / n_features if measure in CORRECTED_MEASURES else 0.0
    return min(max(size * (value * (1 - share) + share), 0.0), float(size))
