"""Which of two selectors would two independent studies agree on more?

The difference of two replication stabilities, paired over the same disjoint halves. Its standard
error is that between data sets. Three things are known of the difference d of one split:

* *within*, its variance over splits of the data: what the mean over splits averages out;
* *quarters*: two disjoint pairs of quarters are independent of each other, so half of their squared
  difference is unbiased for the whole variance of d between data sets, at a quarter of the data.
  What is left of it without *within* is the variance of the mean over all splits;
* *left out*: the variance of that mean over subsets that leave a quarter of the data out, as a
  jackknife that deletes groups has it.

The last two overstate the variance a little, and their errors hardly correlate: their mean is
taken, divided by `OVERSTATEMENT`, and not below a share of *within*. Variances at fewer samples are
brought to halves by x(1 - x), with x the stability: that of a share.

Constants are calibrated by ``benchmarks/claims/compare_replication.py`` on other seeds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.stats

from holdfast.errors import InvalidInputError
from holdfast.judge._replication._estimate import Replication
from holdfast.judge._replication._interval import log_odds_of
from holdfast.judge._replication._replication import replication
from holdfast.measures import get_measure
from holdfast.measures._measure import check_confidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._replication._estimate import PairValues
    from holdfast.judge._replication._interval import LogOdds

    Array = NDArray[np.float64]

OVERSTATEMENT = 1.2
"""How much the mean of both variances exceeds that between data sets."""
MIN_WITHIN_SHARE = 0.15
"""Least variance between data sets, as a share of that over splits."""
T_DEGREES_OF_FREEDOM = 7
"""Degrees of freedom of the t law: the standard error is an estimate, too."""
OPPOSITE_QUARTERS = ((0, 5), (1, 4), (2, 3))
"""Pairs of quarters that have no sample in common: 1-2 and 3-4, 1-3 and 2-4, 1-4 and 2-3."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ReplicationComparison:
    """How much better the selections of one selector replicate than those of another.

    Attributes
    ----------
    measure : str
        The measure of agreement.
    n_samples : int
        Samples (subjects, where there are any) of each of the two studies that would agree so.
    first, second : float
        Replication stability of both selectors.
    difference : float
        How much better the first one is: first minus second (second minus first for distances).
    low, high : float
        Interval of the difference, for other data of the same population.
    standard_error : float
        Standard error of the difference between data sets.
    p_value : float
        Two-sided p-value of the hypothesis that both replicate equally well in the population.
    n_pairs : int
        How many splits into halves both were compared on.
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
    first: Any,  # noqa: ANN401  (what replication returned, or a selector)
    second: Any,  # noqa: ANN401
    X: Any = None,  # noqa: ANN401
    y: Any = None,  # noqa: ANN401
    *,
    confidence: float = 0.95,
    **options: Any,
) -> ReplicationComparison:
    r"""Compare how well the selections of two selectors replicate in new studies.

    The question is about the population: would two independent studies agree better on what the
    first selector selects than on what the second selects? Both are run on the same disjoint
    halves; the difference is the mean over splits, its standard error that between data sets, and
    the test a t-test with 7 degrees of freedom.

    Parameters
    ----------
    first, second : Replication or selector
        What :func:`replication` found for both on the same samples with the same ``n_pairs`` and
        ``random_state``; or, with `X` and `y`, two selectors.
    X, y : array-like, optional
        The data, where selectors are given.
    confidence : float, default 0.95
        Level of the interval.
    **options
        What :func:`replication` takes (``size``, ``measure``, ``n_pairs``, ``groups``, ...), for
        both selectors.

    Returns
    -------
    ReplicationComparison

    Raises
    ------
    InvalidInputError
        The estimates come from other splits or measures, have fewer than two splits in common, or
        selectors come without data.

    Notes
    -----
    The more pairs, the better the standard error is known: 50 are enough, 100 are better. How often
    equal selectors are called unequal, and how often unequal ones are found out, is shown in the
    guide, page "How we know". Where a class is too small for quarters of the data, the standard
    error rests on the spread over splits alone, which is mostly too large.

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
    one, two = _estimates(first, second, X, y, options)
    own, other = _require_pair_values(one), _require_pair_values(two)
    if one.measure != two.measure:
        raise InvalidInputError(
            f"both estimates must use one measure; received {one.measure} and {two.measure}."
        )
    if own.design != other.design or own.halves.shape != other.halves.shape:
        raise InvalidInputError(
            "both estimates must come from the same splits of the same samples; run both with the "
            "same samples, n_pairs and random_state."
        )
    record = get_measure(one.measure)
    scales = [log_odds_of(record, found.n_features, found.size) for found in (one, two)]
    sizes = [found.size or 1 for found in (one, two)]
    return compare_values(
        (own, other),
        (scales[0], scales[1]),
        size=min(sizes),
        measure=record.name,
        confidence=confidence,
    )


def compare_values(
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
        From chance to perfect agreement, for both.
    size : int
        How many features are selected; the fewer of both.
    measure : str
        The measure of similarity.
    confidence : float, default 0.95
        Level of the interval.
    """
    sign = -1 if get_measure(measure).distance else 1
    both = np.isfinite(values[0].halves) & np.isfinite(values[1].halves)
    if both.sum() < 2:
        raise InvalidInputError(
            "both selectors must have a value on at least 2 splits in common; there are "
            f"{int(both.sum())}."
        )
    one, two = (float(own.halves[both].mean()) for own in values)
    difference = sign * (one - two)
    error = math.sqrt(_variance(values, scales, size))
    law = scipy.stats.t(T_DEGREES_OF_FREEDOM)
    reach = float(law.ppf((1 + confidence) / 2)) * error
    return ReplicationComparison(
        measure=measure,
        n_samples=values[0].sizes[-1],
        first=one,
        second=two,
        difference=difference,
        low=difference - reach,
        high=difference + reach,
        standard_error=error,
        p_value=float(2 * law.sf(abs(difference) / error)),
        n_pairs=int(both.sum()),
        confidence=confidence,
    )


def _variance(
    values: tuple[PairValues, PairValues], scales: tuple[LogOdds, LogOdds], size: int
) -> float:
    """Return the variance, between data sets, of the mean difference over splits."""
    halves, parts, quarters = (
        getattr(values[0], kind) - getattr(values[1], kind)
        for kind in ("halves", "parts", "quarters")
    )
    halves = halves[np.isfinite(halves)]
    within = float(halves.var(ddof=1))
    # other data may differ even where all splits of these agree
    least = max(scale.room * abs(scale.best - scale.chance) for scale in scales) ** 2 / size
    known = [
        one * _rate(values, scales, "halves") / max(_rate(values, scales, kind), least)
        for one, kind in (
            (_between_quarters(quarters), "quarters"),
            (_between_subsets(parts, values[0].left_out), "parts"),
        )
        if math.isfinite(one)
    ]
    if len(known) < 2:
        return max(within, least) + within / len(halves)
    mean = ((known[0] - within) + known[1]) / 2 / OVERSTATEMENT
    return max(mean, MIN_WITHIN_SHARE * within, least) + within / len(halves)


def _between_quarters(quarters: Array) -> float:
    """Return the variance of the difference of one pair, from pairs that share no sample."""
    gaps = np.concatenate([quarters[:, a] - quarters[:, b] for a, b in OPPOSITE_QUARTERS])
    gaps = gaps[np.isfinite(gaps)]
    return float(np.square(gaps).mean() / 2) if len(gaps) else math.nan


def _between_subsets(parts: Array, left_out: float) -> float:
    """Return the jackknife variance of the mean difference; it may be below 0."""
    parts = parts[np.isfinite(parts).all(axis=1)]
    if len(parts) < 2:
        return math.nan
    added = float(parts.var(axis=1, ddof=1).mean() / parts.shape[1])
    between = float(parts.mean(axis=1).var(ddof=1)) - added
    return between * (1 - left_out) / left_out


def _rate(
    values: tuple[PairValues, PairValues], scales: tuple[LogOdds, LogOdds], kind: str
) -> float:
    """Return x(1 - x), with room at both ends, for the mean stability of parts of a kind."""
    rates = []
    for own, scale in zip(values, scales, strict=True):
        table = getattr(own, kind)
        if np.isfinite(table).any():
            part = float(scale.parts(np.array(np.nanmean(table))).clip(0.0, 1.0))
            rates.append((part + scale.room) * (1 - part + scale.room))
    return float(np.mean(rates)) if rates else math.nan


def _estimates(
    first: object, second: object, X: object, y: object, options: dict[str, Any]
) -> tuple[Replication, Replication]:
    """Return both estimates; selectors are run."""
    if X is None:
        if not (isinstance(first, Replication) and isinstance(second, Replication)):
            raise InvalidInputError(
                "give two results of holdfast.replication, or two selectors with X and y; "
                f"received {first!r} and {second!r} without data."
            )
        if options:
            raise InvalidInputError(
                f"{', '.join(options)}: only with selectors and data; results have their own."
            )
        return first, second
    one, two = (replication(selector, X, y, **options) for selector in (first, second))
    return one, two


def _require_pair_values(found: Replication) -> PairValues:
    if found.values is None:
        raise InvalidInputError(
            "the estimate does not hold the values of its pairs; make it by holdfast.replication "
            "or result.replicated."
        )
    return found.values
