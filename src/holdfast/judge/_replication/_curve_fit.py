"""Curves of stability, weighted by how well they agree with what was observed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.judge._replication._curve_family import growth_family, overlap_family
from holdfast.judge._replication._scale import log_odds_of
from holdfast.measures import get_measure

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.judge._replication._curve_family import Array, Family
    from holdfast.judge._replication._scale import LogOdds
    from holdfast.measures import Measure

NEEDED = ("n_samples", "value", "standard_error")
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
        step = float(_place(np.array([n_samples]))[0]) - self.origin
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
    n, values, error, pairs = _observed(points)
    logs, parts = _place(n), scale.parts(values)
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


def _place(n_samples: Array) -> Array:
    """Return places on the axis of log n: curves of known variances, at the degrees of freedom.

    That two means are estimated costs scores of small samples about two samples.
    """
    return np.log(np.maximum(n_samples - MEANS, n_samples / 4))


def _family(record: Measure, n_features: int, size: int | None) -> Family:
    if record.form != "subset" or size is None or size >= n_features:
        return growth_family()
    return overlap_family(n_features, size, tanimoto=record.name in TANIMOTO)


def _observed(points: pd.DataFrame) -> tuple[Array, Array, float, Array]:
    """Return numbers of samples, ascending, the values, the error of the last, and the pairs."""
    lacking = [name for name in NEEDED if name not in points]
    if lacking:
        raise InvalidInputError(
            f"points must have the columns {', '.join(NEEDED)}; {', '.join(lacking)} is missing."
        )
    counted = points if "n_pairs" in points else points.assign(n_pairs=np.inf)
    known = counted.loc[points["value"].notna(), [*NEEDED, "n_pairs"]].astype(float)
    known = known.sort_values("n_samples")
    n, values, errors, pairs = known.to_numpy().T
    if not len(n) or n[0] <= 0 or not np.isfinite(n).all():
        raise InvalidInputError(
            "points must hold a value at some number of samples above 0; received "
            f"{points[list(NEEDED)].to_dict('list')}."
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
