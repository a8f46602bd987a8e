r"""Extrapolation of replication stability to other numbers of samples.

Method
------
A Bayesian mixture over tabulated growth curves. Let x(n) be the stability as the part of the way
from chance (0) to perfect agreement (1), and :math:`u = \log \max(n - 2, n/4)` the place on the
axis of log n (`_to_log_n`; estimating the two class means costs about two samples). The data are m
points :math:`(u_i, x_i)`, the mean similarities of disjoint parts, with :math:`u_m` the largest.

*Curves* (`CurveFamily`). A law of effects gives a curve :math:`f_c(v)`. The unknown scale of the
effects shifts the curve along the axis of log n, so the model is

.. math:: x(u) = f_c(v + u - u_m), \qquad c = 1, \dots, C, \quad v \in \text{LOG\_N\_GRID},

where v is the place of the last point on the axis of the curve. Measures of subsets of a fixed size
k use the theory of independent Gaussian scores (`overlap_family`): scores are normal with means
:math:`\delta_j e^{v/2}` (a z-score grows with the root of n) and variance 1, features are selected
if their absolute score exceeds the threshold that k of p scores pass on average, and the expected
overlap of two studies, as a share of k, is :math:`o = \sum_j p_j^2 / \sum_j p_j` with :math:`p_j`
the probability of passing. The curve is :math:`(o - k/p) / (1 - k/p)`; measures that compare the
overlap with the union (`TANIMOTO_MEASURES`) map o and k/p by :math:`o \to o / (2 - o)` before.
Effects :math:`\delta_j` with mean 1 follow 8 x 2 laws: 0.25 to 4 times k informative features (from
1 to p), or all of them, with gamma(2) distributed or equal effects (without the law of equal
effects for all features, which leaves nothing to select). Other measures use :math:`f(v) = a\,
e^{bv} / (e^{bv} + 1)` (`growth_family`), which for a = b = 1 is the Spearman-Brown formula
([Spearman1910]_).

*Prior* (`CurveFamily.prior`). Uniform over the stability that a curve can reach: the prior of v is
proportional to the rise :math:`f_c'(v)`, plus 5% of the total rise spread evenly over the grid
(`PRIOR_FLAT`). Weights are normalised over all curves together, so a curve with a low ceiling has
less prior weight. The curve that never rises has the weight 0.1 (`PRIOR_NO_SIGNAL`).

*Likelihood* (`_posterior_weights`). Gaussian: the residuals :math:`x_i - f_c(v + u_i - u_m)` have
the covariance

.. math:: \Sigma_{ij} = \sigma_i \sigma_j e^{-|u_i - u_j| / 2.3}
   + 1_{i = j} \Bigl(0.03^2 + \frac{\sigma_i^2}{P_i}\Bigr).

:math:`\sigma_m` is the standard error of the last point between data sets (`_interval`), in units
of x; for measures that depend on k, at least a quarter of a feature, 0.25/k. The others follow from
equal errors in log odds: :math:`\sigma_i = \sigma_m x_i (1 - x_i) / (x_m (1 - x_m))`, between 0.3
and 1 times :math:`\sigma_m` (`_relative_errors`). All points come from the same data, so their
errors are correlated. The diagonal holds the deviation of points from the nearest curve and the
Monte Carlo error of :math:`P_i` pairs: splits vary about as much as data sets (`_interval`).
:math:`\Sigma` is the same for all (c, v), so its determinant cancels.

*Interval.* The quantiles of x(u) over the posterior of (c, v).

*Point estimate.* The median over a second posterior with the errors :math:`\sigma_i` halved
(`ERROR_SHARE_FOR_MEDIAN`) in the first term of :math:`\Sigma`, so that it follows the points
closely: with the whole error the median leans towards the middle of all curves.

*Monotone correction* (`CurveFit.predict`). Stability grows with n. Beyond the last point the
prediction is at least the last observed value, before it at most that value; at the last point it
is that value. The lower end of the interval is never above the last observed value, the upper end
never below the prediction. The last observed value counts as 0 below chance.

Assumptions and deviations
--------------------------
The theory holds for independent features; correlated features are covered only by the error
:math:`\sigma`. The selected features are the k that pass the threshold on average, not exactly k.

What is derived, and what is calibrated
---------------------------------------
The curves and the posterior are derived. The grids, the prior weights, the correlation length, the
model error and the limits of errors were chosen by hand; half the error for the median was chosen
because it was closer to the truth on simulated and real data.
``docs/scripts/make_extrapolation_tables.py`` measures errors and coverage; docs/planning.md, "The
curves of extrapolate", shows them.

References
----------
[Dernoncourt2014]_ for the theory of stability of the t-score; [Spearman1910]_ and [Brown1910]_ for
the formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import gammaincinv, ndtr

from holdfast._typing import FloatArray
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._interval import LogOdds, make_log_odds
from holdfast.measures import check_confidence, get_measure


def extrapolate(
    points: pd.DataFrame,
    *,
    at: Sequence[float],
    n_features: int,
    size: int | None,
    measure: str = "nogueira",
    confidence: float = 0.95,
) -> pd.DataFrame:
    r"""Predict replication stability at other numbers of samples by theoretical curves alone.

    Curves of stability against the number of samples are weighted by their agreement with the
    points. For measures of subsets they follow from the theory of independent Gaussian scores:
    with :math:`p_j(n)` the probability that feature j exceeds the threshold that k of p features
    pass,

    .. math:: \rho(n) = \frac{\frac{1}{k} \sum_j p_j(n)^2 - k/p}{1 - k/p}

    for laws of effects from a few strong features to many weak ones; a law with fewer than k
    informative features has a ceiling below 1. Measures of rankings, of weights and of subsets of
    no fixed size use :math:`\rho(n) = c\, x^b / (x^b + 1)` with x proportional to n, which is
    the Spearman-Brown formula for b = c = 1. The prediction is the weighted median of the curves
    that follow the points closely, and at least the last point; its interval has the given
    posterior probability over all curves that the errors of the points allow.

    Parameters
    ----------
    points : DataFrame
        ``n_samples``, ``value`` and ``standard_error`` (between data sets, not between splits) of
        the estimates, as in ``Replication.points``. The error at the largest number of samples is
        used; the others follow from it. With ``n_pairs``, points from few pairs count as noisier.
    at : sequence of float
        Numbers of samples to predict stability for.
    n_features : int
        Number of features.
    size : int or None
        Number of selected features; None where it varies.
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
    The predictions of :func:`replication` and :func:`plan_samples` combine these curves with the
    chances of single features and are closer to the truth; see the guide, page "Planning".

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
    check_integer(n_features, "n_features", 1)
    if size is not None and check_integer(size, "size", 1) > n_features:
        raise InvalidInputError(f"size must be at most n_features ({n_features:,}), got {size:,}.")
    fit = fit_curves(points, n_features=n_features, size=size, measure=measure)
    n_samples = np.asarray(at)
    if n_samples.ndim != 1 or not (np.isfinite(n_samples) & (n_samples > 0)).all():
        raise InvalidInputError(
            f"at must hold numbers of samples above 0, got {n_samples.tolist()}."
        )
    rows = np.array([fit.predict(float(n), confidence) for n in n_samples]).reshape(-1, 3)
    columns = dict(zip(("value", "low", "high"), rows.T, strict=True))
    return pd.DataFrame({"n_samples": n_samples, **columns})


# Growth curves. A law of effects (how many features are informative, and how much their effects
# differ) gives a curve; the scale of the effects shifts it along the axis of log n. One table of
# curves therefore serves every number of samples.

LOG_N_GRID = np.linspace(-3.0, 12.0, 121)
"""Places on the axis of log n, up to the scale of the effects; chosen by hand.

A score has the mean exp(v / 2) times its effect; beyond both ends curves are continued as
constants.
"""
INFORMATIVE_PER_SELECTED = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, np.inf)
"""Informative features per selected feature; chosen by hand."""
EFFECT_SHAPES = (2.0, np.inf)
"""Shapes of the gamma laws of effects: very unequal effects, and equal ones; chosen by hand."""
STEEPNESS = (0.5, 0.7, 1.0, 1.4, 2.0)
CEILINGS = (0.25, 0.5, 0.75, 1.0)
"""b and a of the curves a x^b / (x^b + 1), x = exp(v); chosen by hand."""
PRIOR_NO_SIGNAL = 0.1
"""Prior probability that there is no signal, so that stability stays at chance; chosen by hand."""
PRIOR_FLAT = 0.05
"""Prior weight spread evenly over all places of a curve, relative to its rise; chosen by hand."""
MAX_EFFECT_NODES = 100
"""Most quantiles that represent a law of effects; chosen by hand."""
MAX_SCORE_DEVIATIONS = 9.0
"""The threshold is at most this far above the largest mean; derived: beyond, tails are 1e-19."""
N_BISECTIONS = 25
"""Steps of the search for the threshold; derived: they leave at most 5e-5 standard deviations."""


@dataclass(frozen=True, eq=False)
class CurveFamily:
    """Curves from 0 (chance) to at most 1 (perfect) on `LOG_N_GRID`; the last one is all 0."""

    values: FloatArray

    @classmethod
    def from_rising(cls, rising: FloatArray) -> CurveFamily:
        """Add the curve that never rises."""
        return cls(np.vstack([rising, np.zeros(len(LOG_N_GRID))]))

    @property
    def prior(self) -> FloatArray:
        """Prior weights, of shape (curves, places).

        Every stability that a curve can reach is equally likely: places are weighted by the rise
        of the curve. The small constant keeps flat parts possible.
        """
        # a density of f'(v) over places v is a uniform density over the values f(v)
        rise = np.gradient(self.values, axis=1).clip(0.0)
        weights = rise + PRIOR_FLAT * self.values.max(axis=1, keepdims=True) / len(LOG_N_GRID)
        weights *= (1 - PRIOR_NO_SIGNAL) / weights.sum()
        # the flat curve is the same at all places: its weight is spread evenly
        weights[-1] = PRIOR_NO_SIGNAL / len(LOG_N_GRID)
        return np.asarray(weights)

    def shifted(self, steps: FloatArray) -> FloatArray:
        """Return the curves shifted by `steps` along log n; shape (curves, places, steps)."""
        # np.interp continues a curve as a constant beyond both ends of the grid
        places = LOG_N_GRID[:, np.newaxis] + steps
        return np.stack([np.interp(places, LOG_N_GRID, curve) for curve in self.values])


@lru_cache(maxsize=64)
def overlap_family(n_features: int, size: int, *, tanimoto: bool = False) -> CurveFamily:
    """Return curves of the overlap of two selections, corrected for chance.

    With `tanimoto`, the overlap is relative to the union instead of the size.
    """
    # a law needs at least one informative feature and has at most p
    counts = [min(max(part * size, 1.0), float(n_features)) for part in INFORMATIVE_PER_SELECTED]
    # equal effects of all features leave nothing to select
    laws = [law for law in product(counts, EFFECT_SHAPES) if law != (n_features, np.inf)]
    curves = np.array(
        [
            _expected_overlap(*_effects_and_counts(n_features, *law), size)
            # these limits make laws coincide for small p or
            # k; one curve must not count twice in the prior
            for law in dict.fromkeys(laws)
        ]
    )
    chance = size / n_features
    if tanimoto:
        # intersection by union of two sets of size k: o k / (2 k - o k)
        curves, chance = curves / (2 - curves), chance / (2 - chance)
    rising = np.maximum.accumulate((curves - chance) / (1 - chance), axis=1)  # up to rounding
    return CurveFamily.from_rising(rising.clip(0.0, 1.0))


@lru_cache(maxsize=1)
def growth_family() -> CurveFamily:
    """Return curves a x^b / (x^b + 1), x = exp(v); the Spearman-Brown formula for a = b = 1."""
    curves = [1 / (1 + np.exp(-b * LOG_N_GRID)) for b in STEEPNESS]
    return CurveFamily.from_rising(
        np.array([ceiling * curve for ceiling in CEILINGS for curve in curves])
    )


def _effects_and_counts(
    n_features: int, informative: float, shape: float
) -> tuple[FloatArray, FloatArray]:
    """Return effects with a mean of 1, and the number of features with each; the rest have 0."""
    # the gamma law as equally likely quantiles, at the middle of each stratum; their mean is 1 up
    # to discretisation, which a shift along log n absorbs
    nodes = 1 if np.isinf(shape) else int(min(informative, MAX_EFFECT_NODES))
    middles = (np.arange(nodes) + 0.5) / nodes
    effects = np.ones(nodes) if np.isinf(shape) else gammaincinv(shape, middles) / shape
    counts = np.full(nodes, informative / nodes)
    return np.append(effects, 0.0), np.append(counts, n_features - informative)


def _expected_overlap(effects: FloatArray, counts: FloatArray, size: int) -> FloatArray:
    """Return the expected overlap of two selections, as a share of their size, on the grid.

    The threshold that `size` absolute scores exceed on average is found by bisection.
    """
    shifts = effects[:, np.newaxis] * np.exp(LOG_N_GRID / 2)
    # at 0 all p scores pass, at the upper end hardly any: the number that pass falls in between
    low, high = np.zeros(len(LOG_N_GRID)), shifts.max(axis=0) + MAX_SCORE_DEVIATIONS
    for _ in range(N_BISECTIONS):
        middle = (low + high) / 2
        # invariant: more than k scores pass `low` on average, at most k pass `high`
        too_many = counts @ _tail_probabilities(shifts, middle) > size
        low, high = np.where(too_many, middle, low), np.where(too_many, high, middle)
    tails = _tail_probabilities(shifts, (low + high) / 2)
    # two independent studies both select j with probability p_j^2; the mean size is sum_j p_j
    return np.asarray((counts @ np.square(tails)) / (counts @ tails))


def _tail_probabilities(shifts: FloatArray, threshold: FloatArray) -> FloatArray:
    """Return the probability that the absolute value of N(shift, 1) exceeds a threshold."""
    return np.asarray(ndtr(shifts - threshold) + ndtr(-shifts - threshold))


# Posterior weights of the curves.

POINT_COLUMNS = ("n_samples", "value", "standard_error")
TANIMOTO_MEASURES = ("jaccard", "ati_pa", "consistency")
"""Measures that compare the overlap of two subsets with their union, not with their sizes."""
CORRELATION_LENGTH = 2.3
"""Errors of two points correlate by exp(-distance / 2.3) on the axis of log n; chosen by hand."""
MODEL_ERROR = 0.03
"""Standard deviation of points from the nearest curve; chosen by hand."""
N_ESTIMATED_MEANS = 2
"""Class means that a score estimates: each costs about one sample."""
ERROR_SHARE_FOR_MEDIAN = 0.5
"""Share of the error that the point estimate is computed with.

With the whole error, which the interval uses, the median leans towards the middle of all curves;
that was further from the truth on the simulated and real data of ``make_extrapolation_tables.py``.
"""
MIN_ERROR_IN_FEATURES = 0.25
"""Least error of a point, in selected features; chosen by hand."""


@dataclass(frozen=True, eq=False)
class CurveFit:
    """A family of curves with its posterior weights, of shape (curves, places).

    `weights` are for intervals, `point_weights` for the point estimate; `origin` is the log n of
    the last point.
    """

    family: CurveFamily
    weights: FloatArray
    point_weights: FloatArray
    origin: float
    scale: LogOdds
    last: float
    """The last point, from 0 (chance) to 1 (perfect)."""

    def predict(self, n_samples: float, confidence: float) -> tuple[float, float, float]:
        """Return the prediction and the ends of its interval, which contains it.

        Stability grows with the number of samples: beyond the last point the prediction is at least
        the last value, before it at most the last value.
        """
        step = float(_to_log_n(np.array([n_samples]))[0]) - self.origin
        units = self.family.shifted(np.array([step])).ravel()
        # posterior quantiles: values in ascending order with their cumulated weights
        order = np.argsort(units)
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        low, high = _quantiles(units[order], self.weights.ravel()[order], tails)
        (middle,) = _quantiles(units[order], self.point_weights.ravel()[order], [0.5])
        # monotone correction of the module docstring
        middle = max(middle, self.last) if step > 0 else min(middle, self.last)
        middle = self.last if step == 0 else middle
        # with few points the interval of the curves may lie above the last point
        low = min(low, middle, self.last)
        ends = np.array([middle, low, max(high, middle)])
        value, first, second = self.scale.from_unit(ends).tolist()
        return value, min(first, second), max(first, second)


def fit_curves(
    points: pd.DataFrame, *, n_features: int, size: int | None, measure: str
) -> CurveFit:
    """Compute the posterior of the curves of a measure, given points."""
    record = get_measure(measure)
    scale = make_log_odds(record, n_features, size)
    # the theory needs a list of fixed size k < p; the Spearman-Brown family does not
    if record.form != "subset" or size is None or size >= n_features:
        family = growth_family()
    else:
        family = overlap_family(n_features, size, tanimoto=record.name in TANIMOTO_MEASURES)
    n, values, error, pairs = _read_points(points)
    logs, units = _to_log_n(n), scale.to_unit(values)
    # from units of the measure to units of x
    error = error / abs(scale.best - scale.chance)
    if record.by_size and size:
        # overlaps are whole features, so an error far below 1 / k would claim too much
        error = max(error, MIN_ERROR_IN_FEATURES / size)
    errors = error * _relative_errors(units)
    # the Monte Carlo error: one pair varies over splits about as much as over data sets
    noise = MODEL_ERROR**2 + np.square(errors) / pairs
    weights, point_weights = (
        _posterior_weights(family, logs, units, share * errors, noise)
        for share in (1.0, ERROR_SHARE_FOR_MEDIAN)
    )
    last = float(units[-1].clip(0.0, 1.0))
    return CurveFit(family, weights, point_weights, float(logs[-1]), scale, last)


def _quantiles(values: FloatArray, weights: FloatArray, levels: list[float]) -> list[float]:
    """Return quantiles of weighted values in ascending order."""
    # by rounding the cumulated weights may end below a
    # level close to 1; the last value is taken then
    positions = np.searchsorted(np.cumsum(weights), levels)
    quantiles: list[float] = values[np.minimum(positions, len(values) - 1)].tolist()
    return quantiles


def _to_log_n(n_samples: FloatArray) -> FloatArray:
    """Return places on the axis of log n.

    The curves assume known means; estimating two class means costs about two samples.
    """
    # n / 4 takes over below 8/3 samples, where n - 2 would be near 0 or negative
    return np.log(np.maximum(n_samples - N_ESTIMATED_MEANS, n_samples / 4))


def _read_points(points: pd.DataFrame) -> tuple[FloatArray, FloatArray, float, FloatArray]:
    """Return numbers of samples, ascending, values, the error of the last, and numbers of pairs.

    Where the last point has no error, the largest known one takes its place.
    """
    missing = [name for name in POINT_COLUMNS if name not in points]
    if missing:
        raise InvalidInputError(
            f"points must have the columns {', '.join(POINT_COLUMNS)}; {', '.join(missing)} "
            "is missing."
        )
    # infinitely many pairs: no Monte Carlo error is added for points without a count
    counted = points if "n_pairs" in points else points.assign(n_pairs=np.inf)
    known = counted.loc[points["value"].notna(), [*POINT_COLUMNS, "n_pairs"]].astype(float)
    known = known.sort_values("n_samples")
    n, values, errors, pairs = known.to_numpy().T
    if not len(n) or n[0] <= 0 or not np.isfinite(n).all():
        raise InvalidInputError(
            "points must hold a value at some number of samples above 0, got "
            f"{points[list(POINT_COLUMNS)].to_dict('list')}."
        )
    finite = errors[np.isfinite(errors)]
    if not len(finite) or finite.min() < 0:
        raise InvalidInputError(
            "points need a standard error of at least 0 at one number of samples, got "
            f"{errors.tolist()}."
        )
    # without the error of the last point, the largest known error is the cautious choice
    return n, values, float(errors[-1] if np.isfinite(errors[-1]) else finite.max()), pairs


def _relative_errors(units: FloatArray) -> FloatArray:
    """Return the errors of all points relative to the last.

    Errors are equal on the scale of log odds, so they are proportional to x(1 - x). The limits were
    chosen by hand: a value at chance or at 1 is not known without error.
    """
    inside = units.clip(0.02, 0.98)
    slopes = inside * (1 - inside)
    return np.asarray((slopes / slopes[-1]).clip(0.3, 1.0))


def _posterior_weights(
    family: CurveFamily, logs: FloatArray, units: FloatArray, errors: FloatArray, noise: FloatArray
) -> FloatArray:
    """Return the posterior weight of each curve at each place: prior times Gaussian likelihood."""
    correlation = np.exp(-np.abs(logs[:, np.newaxis] - logs) / CORRELATION_LENGTH)
    covariance = np.outer(errors, errors) * correlation + np.diag(noise)
    residuals = family.shifted(logs - logs[-1]) - units
    # squared Mahalanobis distance r' Sigma^-1 r of each curve at
    # each place; -1/2 of it is the log likelihood up to a constant
    distances = np.einsum("...i,ij,...j", residuals, np.linalg.inv(covariance), residuals)
    # relative to the best fit: exp does not underflow for all curves at once
    weights = family.prior * np.exp((distances.min() - distances) / 2)
    return np.asarray(weights / weights.sum())
