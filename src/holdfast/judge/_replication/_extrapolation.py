"""Replication stability at larger numbers of samples than could be observed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import gammaincinv, ndtr

from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._interval import log_odds_of
from holdfast.measures import get_measure
from holdfast.measures._measure import check_confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.judge._replication._interval import LogOdds
    from holdfast.measures import Measure

    Array: TypeAlias = NDArray[np.float64]


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
    _check_size(size, check_integer(n_features, "n_features", 1))
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
    if size is not None and check_integer(size, "size", 1) > n_features:
        raise InvalidInputError(
            f"size must be at most n_features ({n_features:,}); received {size:,}."
        )


# Curves along which stability may grow with the number of samples.
#
# A curve of the overlap of selections belongs to a law of effects: how many features are
# informative, and how unlike they are. What is unknown besides is the scale of the effects, and
# that moves a curve along the axis of log n. So one table of curves serves every number of samples.

LOG_N_GRID = np.linspace(-3.0, 12.0, 121)
"""Places on the axis of log n, up to the scale of the effects, at which curves are tabulated."""
INFORMATIVE = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0, np.inf)
"""Informative features for each feature that is selected."""
SHAPES = (2.0, np.inf)
"""Shapes of gamma laws of effects: very unlike effects, and all alike."""
STEEPNESS = (0.5, 0.7, 1.0, 1.4, 2.0)
CEILINGS = (0.25, 0.5, 0.75, 1.0)
PRIOR_NO_SIGNAL = 0.1
"""Prior weight of there being nothing to find: stability stays at chance."""
PRIOR_FLAT = 0.05
"""Prior share of the places where a curve does not rise."""
NODES = 100
MAX_SCORE_DEVIATIONS = 9.0
"""Standard deviations beyond which no score lies."""
HALVINGS = 25


@dataclass(frozen=True, eq=False)
class Family:
    """Curves from 0 (chance) to at most 1 (perfect), tabulated at `PLACES`; the last is all 0."""

    values: Array

    @classmethod
    def of(cls, rising: Array) -> Family:
        """Add the curve that never rises."""
        return cls(np.vstack([rising, np.zeros(len(LOG_N_GRID))]))

    @property
    def prior(self) -> Array:
        """Weights of all curves at all places, before anything is observed.

        Any stability that a curve can reach is as likely as any other: places count by how much
        the curve rises there. The little that is added keeps flat parts possible. The last curve
        is the one that never rises.
        """
        rise = np.gradient(self.values, axis=1).clip(0.0)
        weights = rise + PRIOR_FLAT * self.values.max(axis=1, keepdims=True) / len(LOG_N_GRID)
        weights *= (1 - PRIOR_NO_SIGNAL) / weights.sum()
        weights[-1] = PRIOR_NO_SIGNAL / len(LOG_N_GRID)
        return np.asarray(weights)

    def moved(self, steps: Array) -> Array:
        """Return the values of all curves from all places, so many steps further on.

        The shape of the result is (curves, places, steps).
        """
        places = LOG_N_GRID[:, np.newaxis] + steps
        return np.stack([np.interp(places, LOG_N_GRID, curve) for curve in self.values])


@lru_cache(maxsize=64)
def overlap_family(n_features: int, size: int, *, tanimoto: bool = False) -> Family:
    """Return curves of the overlap of two selections, corrected for chance.

    With `tanimoto`, of the overlap as a part of the union.
    """
    curves = np.array(
        [_overlap(*_effects(n_features, *law), size) for law in _laws(n_features, size)]
    )
    chance = size / n_features
    if tanimoto:
        curves, chance = curves / (2 - curves), chance / (2 - chance)
    rising = np.maximum.accumulate((curves - chance) / (1 - chance), axis=1)  # but for rounding
    return Family.of(rising.clip(0.0, 1.0))


@lru_cache(maxsize=1)
def growth_family() -> Family:
    """Return curves c x^b / (x^b + 1); with c = b = 1, the Spearman-Brown formula."""
    grown = [1 / (1 + np.exp(-b * LOG_N_GRID)) for b in STEEPNESS]
    return Family.of(np.array([ceiling * curve for ceiling in CEILINGS for curve in grown]))


def _laws(n_features: int, size: int) -> list[tuple[float, float]]:
    """Return numbers of informative features and shapes, each once.

    Where all features are alike there is nothing to find, with any number of samples.
    """
    counts = [min(max(part * size, 1.0), float(n_features)) for part in INFORMATIVE]
    laws = dict.fromkeys(product(counts, SHAPES))
    return [law for law in laws if law != (n_features, np.inf)]


def _effects(n_features: int, informative: float, shape: float) -> tuple[Array, Array]:
    """Return effects with a mean of 1 and how many features have each; the others have 0."""
    nodes = 1 if np.isinf(shape) else int(min(informative, NODES))
    middles = (np.arange(nodes) + 0.5) / nodes
    effects = np.ones(nodes) if np.isinf(shape) else gammaincinv(shape, middles) / shape
    counts = np.full(nodes, informative / nodes)
    return np.append(effects, 0.0), np.append(counts, n_features - informative)


def _overlap(effects: Array, counts: Array, size: int) -> Array:
    """Return the expected share of a selection that another one holds, at all places.

    Scores are normal, with means that grow as the root of n. Selected is what lies above the
    threshold beyond which `size` scores are expected.
    """
    shifts = effects[:, np.newaxis] * np.exp(LOG_N_GRID / 2)
    low, high = np.zeros(len(LOG_N_GRID)), shifts.max(axis=0) + MAX_SCORE_DEVIATIONS
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        many = counts @ _tails(shifts, middle) > size
        low, high = np.where(many, middle, low), np.where(many, high, middle)
    tails = _tails(shifts, (low + high) / 2)
    return np.asarray((counts @ np.square(tails)) / (counts @ tails))


def _tails(shifts: Array, threshold: Array) -> Array:
    return np.asarray(ndtr(shifts - threshold) + ndtr(-shifts - threshold))


# Curves of stability, weighted by how well they agree with what was observed.

POINT_COLUMNS = ("n_samples", "value", "standard_error")
TANIMOTO = ("jaccard", "ati_pa", "consistency")
"""Measures that compare the overlap of two subsets with their union, not with their sizes."""
LIKENESS = 2.3
"""Errors of two points correlate by exp(-distance / LIKENESS) on the axis of log n."""
MODEL_ERROR = 0.03
"""Standard deviation of points from the nearest curve."""
MEANS = 2
SHARPENED = 0.5
"""Part of the error that counts for the prediction itself: it follows the points closely.

With the whole error, which its interval goes by, it would lean towards the middle of all curves;
that was further from the truth, on simulated and on real data.
"""
RESOLUTION = 0.25
"""Least error, in features that are found again."""


@dataclass(frozen=True, eq=False)
class CurveFit:
    """Curves with their weights; `origin` is the place of the last point.

    `weights` are for intervals, `sharp` ones for the prediction itself.
    """

    family: Family
    weights: Array
    sharp: Array
    origin: float
    scale: LogOdds
    last: float
    """The part of the way that the last point has gone."""

    def at(self, n_samples: float, confidence: float) -> tuple[float, float, float]:
        """Return the prediction and the ends of its interval, which holds it.

        Stability grows with the number of samples: beyond the last point it is not below
        what was observed there, nor above it before.
        """
        step = float(_to_log_n(np.array([n_samples]))[0]) - self.origin
        parts = self.family.moved(np.array([step])).ravel()
        order = np.argsort(parts)
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        low, high = _quantiles(parts[order], self.weights.ravel()[order], tails)
        (middle,) = _quantiles(parts[order], self.sharp.ravel()[order], [0.5])
        middle = max(middle, self.last) if step > 0 else min(middle, self.last)
        middle = self.last if step == 0 else middle
        low = min(low, middle, self.last)  # few curves are as sure as the points are not
        ends = np.array([middle, low, max(high, middle)])
        value, *both = self.scale.values(ends).tolist()
        return value, min(both), max(both)


def fit_curves(
    points: pd.DataFrame, *, n_features: int, size: int | None, measure: str
) -> CurveFit:
    """Weigh all curves of a measure by what was observed at some numbers of samples."""
    record = get_measure(measure)
    family, scale = _family(record, n_features, size), log_odds_of(record, n_features, size)
    n, values, error, pairs = _read_points(points)
    logs, parts = _to_log_n(n), scale.parts(values)
    error = error / abs(scale.best - scale.chance)
    if record.by_size and size:
        error = max(error, RESOLUTION / size)
    errors = error * _relative(parts)
    noise = MODEL_ERROR**2 + np.square(errors) / pairs  # splits vary about as data sets do
    weights, sharp = (
        _weights(family, logs, parts, share * errors, noise) for share in (1.0, SHARPENED)
    )
    last = float(parts[-1].clip(0.0, 1.0))
    return CurveFit(family, weights, sharp, float(logs[-1]), scale, last)


def _quantiles(values: Array, weights: Array, levels: list[float]) -> list[float]:
    """Return quantiles of weighted values in ascending order."""
    found = np.searchsorted(np.cumsum(weights), levels)
    quantiles: list[float] = values[np.minimum(found, len(values) - 1)].tolist()
    return quantiles


def _to_log_n(n_samples: Array) -> Array:
    """Return places on the axis of log n: curves of known variances, at the degrees of freedom.

    That two means are estimated costs scores of small samples about two samples.
    """
    return np.log(np.maximum(n_samples - MEANS, n_samples / 4))


def _family(record: Measure, n_features: int, size: int | None) -> Family:
    if record.form != "subset" or size is None or size >= n_features:
        return growth_family()
    return overlap_family(n_features, size, tanimoto=record.name in TANIMOTO)


def _read_points(points: pd.DataFrame) -> tuple[Array, Array, float, Array]:
    """Return numbers of samples, ascending, the values, the error of the last, and the pairs."""
    lacking = [name for name in POINT_COLUMNS if name not in points]
    if lacking:
        raise InvalidInputError(
            f"points must have the columns {', '.join(POINT_COLUMNS)}; {', '.join(lacking)} "
            "is missing."
        )
    counted = points if "n_pairs" in points else points.assign(n_pairs=np.inf)
    known = counted.loc[points["value"].notna(), [*POINT_COLUMNS, "n_pairs"]].astype(float)
    known = known.sort_values("n_samples")
    n, values, errors, pairs = known.to_numpy().T
    if not len(n) or n[0] <= 0 or not np.isfinite(n).all():
        raise InvalidInputError(
            "points must hold a value at some number of samples above 0; received "
            f"{points[list(POINT_COLUMNS)].to_dict('list')}."
        )
    return n, values, _error(errors), pairs


def _error(errors: Array) -> float:
    """Return the error of the last point, or the largest that is known."""
    known = errors[np.isfinite(errors)]
    if not len(known) or known.min() < 0:
        raise InvalidInputError(
            "points need a standard error of at least 0 at one number of samples; received "
            f"{errors.tolist()}."
        )
    return float(errors[-1] if np.isfinite(errors[-1]) else known.max())


def _relative(parts: Array) -> Array:
    """Return the errors of all points for an error of 1 of the last.

    Errors are alike on the scale of log odds: where stability is low they grow with it.
    """
    inside = parts.clip(0.02, 0.98)
    slopes = inside * (1 - inside)
    return np.asarray((slopes / slopes[-1]).clip(0.3, 1.0))


def _weights(family: Family, logs: Array, parts: Array, errors: Array, noise: Array) -> Array:
    """Return the weight of each curve at each place of its axis: prior times likelihood."""
    alike = np.exp(-np.abs(logs[:, np.newaxis] - logs) / LIKENESS)
    covariance = np.outer(errors, errors) * alike + np.diag(noise)
    gaps = family.moved(logs - logs[-1]) - parts
    distances = np.einsum("...i,ij,...j", gaps, np.linalg.inv(covariance), gaps)
    weights = family.prior * np.exp((distances.min() - distances) / 2)
    return np.asarray(weights / weights.sum())
