r"""Comparison of the replication stability of two selectors.

Method
------
Both selectors run on the same disjoint parts. The estimate is the mean difference :math:`\bar d` of
their similarities over K splits into halves. Its variance between data sets is estimated from three
quantities:

* :math:`V_{split}`, the variance of the difference d over the splits of the data, which the mean
  over splits averages out;
* :math:`V_{quarter}`: two pairs of quarters without a common sample are independent, so half of
  their mean squared difference is unbiased for the whole variance of d between data sets, at a
  quarter of the data. Subtracting :math:`V_{split}` leaves the variance of the mean over all
  splits;
* :math:`V_{del}`, the delete-d jackknife variance of the mean over subsets that leave a quarter out
  (`_interval.delete_group_variance`; [Shao1989]_, [Kott2001]_).

Variances at fewer samples are carried to halves by the ratio of :math:`x(1 - x)`, the variance of a
share, with x the mean stability. Then

.. math:: SE^2 = \max\Bigl(\frac{(V_{quarter} - V_{split}) + V_{del}}{2 \cdot 1.2}, \;
   0.15\, V_{split}, \; \frac{r^2}{k}\Bigr) + \frac{V_{split}}{K}.

The mean is taken because the errors of both estimates hardly correlate; both are a little too
large, hence the divisor. The floors keep SE above 0 where all splits agree, as in `_interval`. The
test is :math:`\bar d / SE` against Student's t with 7 degrees of freedom. Without quarters or
subsets, :math:`SE^2 = \max(V_{split}, r^2/k) + V_{split}/K`, which is mostly too large.

What is derived, and what is calibrated
---------------------------------------
The two variances are derived. The divisor, the share 0.15 and the degrees of freedom are calibrated
by ``benchmarks/claims/compare_replication.py`` on other seeds than those of its table in the guide,
page "How we know", which shows level and power.

References
----------
[Shao1989]_, [Kott2001]_.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.stats

from holdfast._typing import FloatArray, LabelsLike, MatrixLike, SelectorLike
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._estimate import Replication
from holdfast.judge._replication._interval import LogOdds, delete_group_variance, make_log_odds
from holdfast.judge._replication._replication import replication
from holdfast.measures import check_confidence, get_measure

if TYPE_CHECKING:
    from holdfast.judge._replication._estimate import PairValues


OVERSTATEMENT = 1.2
"""Ratio of the mean of both variances to the variance between data sets; calibrated."""
MIN_SPLIT_SHARE = 0.15
"""Least variance between data sets, as a share of that over splits; calibrated."""
T_DEGREES_OF_FREEDOM = 7
"""Degrees of freedom of the t law: the standard error is an estimate, too; calibrated."""
OPPOSITE_QUARTERS = ((0, 5), (1, 4), (2, 3))
"""Pairs of quarters without a common sample: 1-2 and 3-4, 1-3 and 2-4, 1-4 and 2-3."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ReplicationComparison:
    """Difference in replication stability of two selectors.

    Attributes
    ----------
    measure : str
        The measure of agreement.
    n_samples : int
        Samples (or subjects) of each of the two studies.
    first, second : float
        Replication stability of both selectors.
    difference : float
        First minus second (second minus first for distances): positive where the first is better.
    low, high : float
        Confidence interval of the difference, over data sets of the population.
    standard_error : float
        Standard error of the difference between data sets.
    p_value : float
        Two-sided p-value of the hypothesis that both replicate equally well in the population.
    n_pairs : int
        Number of splits into halves that both were compared on.
    confidence : float
        Level of the interval.
    """

    measure: str
    n_samples: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    standard_error: float
    p_value: float
    n_pairs: int
    confidence: float

    def __str__(self) -> str:
        return (
            f"replication stability ({self.measure}) of two studies of {self.n_samples:,} each: "
            f"{self.first:.3f} against {self.second:.3f}, difference {self.difference:+.3f} "
            f"[{self.low:+.3f}, {self.high:+.3f}], p = {self.p_value:.3g} (about the population, "
            "not about these samples)"
        )

    def __repr__(self) -> str:
        return f"<ReplicationComparison: {self}>"


def compare_replication(
    first: SelectorLike,
    second: SelectorLike,
    X: MatrixLike = None,
    y: LabelsLike = None,
    *,
    confidence: float = 0.95,
    **options: Any,
) -> ReplicationComparison:
    r"""Compare how well the selections of two selectors replicate in new studies.

    The question is about the population: would two independent studies agree better on the
    selections of the first selector than on those of the second? Both run on the same disjoint
    halves. The difference is the mean over splits, with its standard error between data sets, and
    the test is a t-test with 7 degrees of freedom.

    Parameters
    ----------
    first, second : Replication or selector
        Results of :func:`replication` on the same samples with the same ``n_pairs`` and
        ``random_state``; or, with `X` and `y`, two selectors.
    X, y : array-like, optional
        The data, if selectors are given.
    confidence : float, default 0.95
        Level of the interval.
    **options
        Options of :func:`replication` for both selectors (``size``, ``measure``, ``n_pairs``,
        ``groups``, ...).

    Returns
    -------
    ReplicationComparison

    Raises
    ------
    InvalidInputError
        The estimates come from different splits or measures or have fewer than two splits in
        common, or selectors are given without data.

    Notes
    -----
    More pairs give a more precise standard error: 50 are enough, 100 are better. The guide, page
    "How we know", shows the level and the power of the test. Where a class is too small for
    quarters of the data, the standard error rests on the spread over splits alone, which is mostly
    too large.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = hf.compare_replication("t_score", "relieff", X[:200], y[:200], size=5, n_pairs=20)
    >>> found.n_samples, found.low < found.difference < found.high
    (100, True)
    """
    check_confidence(confidence)
    estimates = _get_estimates(first, second, X, y, options)
    values_a, values_b = (_require_pair_values(estimate) for estimate in estimates)
    measures = [estimate.measure for estimate in estimates]
    if measures[0] != measures[1]:
        raise InvalidInputError(
            f"both estimates must use one measure, got {measures[0]} and {measures[1]}."
        )
    # only on the same splits is the mean difference paired: what the splits share cancels
    if values_a.design != values_b.design or values_a.halves.shape != values_b.halves.shape:
        raise InvalidInputError(
            "both estimates must come from the same splits of the same samples; run both with the "
            "same samples, n_pairs and random_state."
        )
    record = get_measure(measures[0])
    scale_a, scale_b = (
        make_log_odds(record, estimate.n_features, estimate.size) for estimate in estimates
    )
    return compare_pair_values(
        (values_a, values_b),
        (scale_a, scale_b),
        size=min(estimate.size or 1 for estimate in estimates),
        measure=record.name,
        confidence=confidence,
    )


def compare_pair_values(
    values: tuple[PairValues, PairValues],
    scales: tuple[LogOdds, LogOdds],
    *,
    size: int,
    measure: str,
    confidence: float = 0.95,
) -> ReplicationComparison:
    """Compare two selectors by the similarities of the same pairs.

    Parameters
    ----------
    values : tuple of PairValues
        The similarities of both.
    scales : tuple of LogOdds
        The scales from chance to perfect agreement of both.
    size : int
        Number of selected features; the smaller of both.
    measure : str
        The measure of similarity.
    confidence : float, default 0.95
        Level of the interval.
    """
    sign = -1 if get_measure(measure).distance else 1
    both = np.isfinite(values[0].halves) & np.isfinite(values[1].halves)
    if both.sum() < 2:
        raise InvalidInputError(
            "both selectors must have a value on at least 2 splits in common, got "
            f"{int(both.sum())}."
        )
    mean_a, mean_b = (float(selector.halves[both].mean()) for selector in values)
    difference = sign * (mean_a - mean_b)
    error = math.sqrt(_difference_variance(values, scales, size))
    # in units of the measure, not in log odds: the difference of two values is centred on 0
    law = scipy.stats.t(T_DEGREES_OF_FREEDOM)
    half_width = float(law.ppf((1 + confidence) / 2)) * error
    return ReplicationComparison(
        measure=measure,
        n_samples=values[0].sizes[-1],
        first=mean_a,
        second=mean_b,
        difference=difference,
        low=difference - half_width,
        high=difference + half_width,
        standard_error=error,
        p_value=float(2 * law.sf(abs(difference) / error)),
        n_pairs=int(both.sum()),
        confidence=confidence,
    )


def _difference_variance(
    values: tuple[PairValues, PairValues], scales: tuple[LogOdds, LogOdds], size: int
) -> float:
    """Return the variance, between data sets, of the mean difference over splits."""
    halves, parts, quarters = (
        getattr(values[0], kind) - getattr(values[1], kind)
        for kind in ("halves", "parts", "quarters")
    )
    halves = halves[np.isfinite(halves)]
    over_splits = float(halves.var(ddof=1))
    # other data may differ even where all splits of these data agree
    floor = max(scale.margin * abs(scale.best - scale.chance) for scale in scales) ** 2 / size
    parts = parts[np.isfinite(parts).all(axis=1)]
    subset_variance = math.nan
    if len(parts) >= 2:
        subset_variance = delete_group_variance(parts, values[0].left_out)  # may be negative
    # the variance of a share depends on its level, which grows with the number of samples
    at_halves = [
        variance
        * _share_variance(values, scales, "halves")
        / max(_share_variance(values, scales, kind), floor)
        for variance, kind in (
            (_quarter_variance(quarters), "quarters"),
            (subset_variance, "parts"),
        )
        if math.isfinite(variance)
    ]
    # without both estimates the spread over splits has to stand in for the spread over data sets
    if len(at_halves) < 2:
        return max(over_splits, floor) + over_splits / len(halves)
    # may be negative: both estimates have had a variance subtracted; the floors below then apply
    mean = ((at_halves[0] - over_splits) + at_halves[1]) / 2 / OVERSTATEMENT
    return max(mean, MIN_SPLIT_SHARE * over_splits, floor) + over_splits / len(halves)


def _quarter_variance(quarters: FloatArray) -> float:
    """Return the variance of the difference of one pair, from pairs without a common sample."""
    gaps = np.concatenate([quarters[:, a] - quarters[:, b] for a, b in OPPOSITE_QUARTERS])
    gaps = gaps[np.isfinite(gaps)]
    # E (a - b)^2 = 2 Var for independent a and b with the same law
    return float(np.square(gaps).mean() / 2) if len(gaps) else math.nan


def _share_variance(
    values: tuple[PairValues, PairValues], scales: tuple[LogOdds, LogOdds], kind: str
) -> float:
    """Return x(1 - x), with a margin at both ends, for the mean stability of parts of a kind."""
    variances = []
    for selector, scale in zip(values, scales, strict=True):
        table = getattr(selector, kind)
        if np.isfinite(table).any():
            unit = float(scale.to_unit(np.array(np.nanmean(table))).clip(0.0, 1.0))
            variances.append((unit + scale.margin) * (1 - unit + scale.margin))
    return float(np.mean(variances)) if variances else math.nan


def _get_estimates(
    first: object, second: object, X: object, y: object, options: dict[str, Any]
) -> tuple[Replication, Replication]:
    """Return both estimates; run selectors."""
    if X is None:
        if not (isinstance(first, Replication) and isinstance(second, Replication)):
            raise InvalidInputError(
                "give two results of holdfast.replication, or two selectors with X and y, got "
                f"{first!r} and {second!r} without data."
            )
        if options:
            raise InvalidInputError(
                f"{', '.join(options)}: only for selectors with data, not for results."
            )
        return first, second
    return replication(first, X, y, **options), replication(second, X, y, **options)


def _require_pair_values(estimate: Replication) -> PairValues:
    if estimate.values is None:
        raise InvalidInputError(
            "the estimate does not hold the values of its pairs; make it with holdfast.replication "
            "or result.replicated."
        )
    return estimate.values
