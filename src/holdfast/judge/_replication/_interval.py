r"""Confidence interval of replication stability, over data sets of the population.

Method
------
The estimate is the mean similarity :math:`\bar s` of the selections from K splits of the data into
disjoint halves. Standard errors and intervals are computed in log odds (`LogOdds`),

.. math:: \ell(s) = \log \frac{x + r}{1 - x + r}, \qquad x = \frac{s - c}{b - c} \in [0, 1], \qquad
   \ell'(s) = \frac{1}{|b - c|} \Bigl(\frac{1}{x + r} + \frac{1}{1 - x + r}\Bigr),

with the chance level c and the best value b of the measure, and the margin :math:`r = \max(0.03,
1 / \sqrt{p - 1})` for p features (`make_log_odds`). A variance of similarities becomes one of log
odds by the factor :math:`\ell'(\bar s)^2` (delta method).

*Spread over splits.* The sample variance of the similarity over the K splits,

.. math:: V_{split} = \ell'(\bar s)^2 \cdot \frac{1}{K-1} \sum_k (s_k - \bar s)^2 .

A split decides by chance which samples are in which half, much as a study decides by chance which
samples it has. With independent features :math:`V_{split}` is therefore about the variance of
:math:`\bar s` over data sets, or more. This is a heuristic, not a theorem; with correlated
informative features it is too small.

*Spread over subsets.* B random subsets leave out the share d of the samples (a quarter, rounded
down to whole samples) and have two splits each, :math:`s_{b1}` and :math:`s_{b2}`. With their means
:math:`\bar s_b`, and :math:`\bar{\bar s}` the mean over all subsets,

.. math:: V_{del} = \ell'(\bar{\bar s})^2 \cdot \frac{1 - d}{d}
   \Bigl[\operatorname{var}_b(\bar s_b) - \tfrac12 \operatorname{mean}_b
   \operatorname{var}(s_{b1}, s_{b2})\Bigr]_+ .

This is the delete-d jackknife ([Shao1989]_; [Kott2001]_ for groups of samples): :math:`(1 - d)/d`
carries the variance between subsets to the variance between data sets. The second term subtracts
what the two random splits of a subset add to the variance of its mean; negative results count as 0.
:math:`V_{del}` accounts for correlated features, but is noisy: few subsets, which overlap, have two
splits each.

*Combination.* The standard error is

.. math:: SE^2 = \max\Bigl(\frac{V_{split} + V_{del}}{2}, \; \frac{(r\, |b - c|\,
   \ell'(\bar s))^2}{k}\Bigr) + \frac{V_{split}}{K},

with k the number of selected features (1 where it is not fixed). The mean of the two variances is a
compromise chosen by hand: one is less noisy, the other accounts for correlated features. The floor
keeps the interval open where all splits agree and both variances are 0; it has the form of the
variance of a mean over k features with the standard deviation r each. The last term is the Monte
Carlo error of K splits. With fewer than two subsets (a class is too small for quarters),
:math:`V_{split}` takes the place of the mean.

*Interval.* :math:`\ell^{-1}(\ell(\bar s) \pm t_{10} \cdot SE)` with a quantile of Student's t, then
extended to :math:`\bar s` if that lies below chance, and cut to the range of the measure. The t
distribution accounts for the uncertainty of SE. K splits and B subsets of one data set are not
independent, so their numbers do not give the degrees of freedom; ten were chosen by hand.

What is derived, and what is calibrated
---------------------------------------
:math:`V_{del}` and the delta method are derived; the use of :math:`V_{split}`, the mean of both,
the floor, the least margin and the degrees of freedom were chosen by hand and checked by the
coverage on simulated data. Only the coverage is measured; no script compares :math:`V_{split}` or
:math:`V_{del}` alone with the variance over data sets. Measured coverage of the nominal 95%: 89% to
100% over 19 settings (lowest for few samples with blocks of strong correlated features); see
docs/replication.md, "How often it is right". ``docs/scripts/make_replication_tables.py`` prints the
table.

References
----------
[Shao1989]_, [Kott2001]_.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.stats

from holdfast._typing import FloatArray
from holdfast.measures import Measure, SubsetTables
from holdfast.preferences import Subsets

if TYPE_CHECKING:
    from holdfast.judge._replication._estimate import PairValues


T_DEGREES_OF_FREEDOM = 10
"""Degrees of freedom of the t distribution; chosen by hand, see the module docstring."""


def logit_standard_error(values: PairValues, scale: LogOdds, size: int | None) -> float:
    """Return the standard error of the stability of halves, in log odds.

    NaN for fewer than two splits with a value. The module docstring has the formula.
    """
    # pairs are NaN where the selector failed or the measure has no value
    halves = values.halves[np.isfinite(values.halves)]
    if len(halves) < 2:
        return np.nan
    # delta method: Var l(s) is about l'(s)^2 Var s
    slope = scale.slope(float(halves.mean()))
    variance = over_splits = float(halves.var(ddof=1)) * slope**2
    # both splits of a subset are needed: their difference is the noise that is subtracted
    parts = values.parts[np.isfinite(values.parts).all(axis=1)]
    if len(parts) >= 2:
        # halves of a subset have fewer samples and agree less: the slope at their own mean
        over_subsets = max(0.0, delete_group_variance(parts, values.left_out))
        over_subsets *= scale.slope(float(parts.mean())) ** 2
        variance = (over_splits + over_subsets) / 2
    # the margin r is in units of x; |b - c| turns it into units of the measure
    floor = (scale.margin * abs(scale.best - scale.chance) * slope) ** 2 / (size or 1)
    # the Monte Carlo error of K splits is added after the floor, which is about data sets only
    return math.sqrt(max(variance, floor) + over_splits / len(halves))


def delete_group_variance(parts: FloatArray, left_out: float) -> float:
    """Return the delete-d jackknife variance of a mean over splits; it may be negative.

    Parameters
    ----------
    parts : ndarray of shape (B, 2)
        The values of the splits of each subset.
    left_out : float
        The share of the samples that each subset leaves out.
    """
    # splits are independent given the subset: E var_b(mean) = Var(between) + Var(within) / 2
    added_by_splits = float(parts.var(axis=1, ddof=1).mean() / parts.shape[1])
    # deviations from the mean over subsets, not from the estimate on all data: halves of subsets
    # have fewer samples and agree less, which is a bias and not a variance
    between = float(parts.mean(axis=1).var(ddof=1)) - added_by_splits
    # [Shao1989]_: the factor (n - d) / d of the delete-d jackknife, with d / n = `left_out`
    return between * (1 - left_out) / left_out


def stability_interval(
    value: float, standard_error: float, confidence: float, scale: LogOdds, record: Measure
) -> tuple[float, float]:
    """Return the ends of the interval of a value, from its standard error in log odds.

    The interval contains the value and lies within the range of the measure.
    """
    if not math.isfinite(value + standard_error):
        return math.nan, math.nan
    quantile = float(scipy.stats.t.ppf((1 + confidence) / 2, T_DEGREES_OF_FREEDOM))
    half_width = quantile * standard_error
    # symmetric in log odds, so the interval is longer towards the middle of the scale
    ends = [scale.from_logit(scale.to_logit(value) + step) for step in (-half_width, half_width)]
    # the ends of a distance come in reverse order; a value below chance
    # counts as chance on the scale, so the ends alone could miss it
    low, high = min(*ends, value), max(*ends, value)
    # the scale reaches a margin r beyond both ends
    return max(record.minimum, low), min(record.maximum, high)


MIN_MARGIN = 0.03
"""Least margin beyond both ends of the scale; chosen by hand."""


@dataclass(frozen=True)
class LogOdds:
    """Log odds of the part x of the way from chance to best: log((x + r) / (1 - x + r)).

    On this scale the standard error between data sets hardly depends on the number of samples, and
    intervals stay within the range of the measure. Values beyond the ends count as the ends; the
    margin r keeps their log odds finite.
    """

    chance: float
    best: float
    margin: float

    def to_logit(self, value: float) -> float:
        """Return the log odds of a value."""
        unit = self._clipped_unit(value)
        return math.log((unit + self.margin) / (1 + self.margin - unit))

    def slope(self, value: float) -> float:
        """Return the derivative of the log odds at a value."""
        unit = self._clipped_unit(value)
        steepness = 1 / (unit + self.margin) + 1 / (1 + self.margin - unit)
        # a distance is best at its minimum: the factor of an error is positive all the same
        return steepness / abs(self.best - self.chance)

    def from_logit(self, log_odds: float) -> float:
        """Return the value of log odds."""
        # solves l = log((x + r) / (1 + r - x)) for x
        unit = (1 + 2 * self.margin) / (1 + math.exp(-log_odds)) - self.margin
        return self.chance + unit * (self.best - self.chance)

    def to_unit(self, values: FloatArray) -> FloatArray:
        """Return values as parts of the way from chance (0) to best (1)."""
        return (values - self.chance) / (self.best - self.chance)

    def from_unit(self, units: FloatArray) -> FloatArray:
        """Return the values at parts of the way from chance (0) to best (1)."""
        return self.chance + units * (self.best - self.chance)

    def _clipped_unit(self, value: float) -> float:
        return float(self.to_unit(np.array(value)).clip(0.0, 1.0))


def make_log_odds(record: Measure, n_features: int, size: int | None) -> LogOdds:
    """Return the scale of a measure for subsets of a size; `size` is None where it varies.

    The chance level is the expected value for two random subsets of that size; 0 for measures that
    are corrected for chance, and where it is not known or nearly the best value (for distances, the
    maximum). The margin is the standard deviation of the similarity of two random preferences,
    1 / sqrt(p - 1) for kuncheva, spearman and pearson at any size, but at least `MIN_MARGIN`.
    """
    # a measure without an upper bound (sechidis): identical subsets have the value 1
    best = record.best if math.isfinite(record.best) else 1.0
    chance = 0.0
    has_chance_level = record.form == "subset" and not record.corrected
    if has_chance_level and size is not None and "similarity" not in record.needs:
        # the chance level depends on the sizes alone, so any two subsets of this size will do
        tables = SubsetTables(Subsets([np.arange(size)] * 2, n_features=n_features))
        chance = float(record.estimate(tables, None, {}).chance().value)
    # where random subsets agree almost perfectly, the scale would have no length
    if not math.isfinite(chance) or abs(best - chance) < MIN_MARGIN:
        chance = record.maximum if record.distance else 0.0
    # 1 / (p - 1) is the variance of kuncheva (r p - k^2) / (k (p - k)) for two random subsets: r is
    # hypergeometric with Var r = k^2 (p - k)^2 / (p^2 (p - 1)), and k cancels
    return LogOdds(chance, best, max(MIN_MARGIN, 1 / math.sqrt(max(n_features - 1, 1))))
