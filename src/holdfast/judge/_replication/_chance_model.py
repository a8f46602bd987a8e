r"""Chance of each feature to be found again by an independent study of the same size.

Method
------
:math:`P_n(j)` is the probability that an independent study of n samples selects feature j among its
k best of p. Disjoint halves and quarters of the data are independent studies of n/2 and n/4
samples, so the joint distribution of a feature's ranks in two such studies is observed without
bias, for any selector. Only the step from n/2 to n needs an assumption.

1. *Order* (`_feature_order`). Features are ordered by :math:`t(R_{full}) + 2\,
   \overline{t(R_{half})}` with :math:`t(R) = -\log((R + 1/2 + k/4) / p)`, over the full data and
   all halves; ranks R begin with 0. Chances belong to places in this order.
2. *Rank deconvolution* (`_rank_model`, `_posterior_chances`). The distribution G of latent effects
   :math:`\theta` that explains the rank tables is carried from n/2 to n by :math:`\theta \to
   2^\gamma \theta`. The feature at place i has the latent score :math:`z_i`, the quantile
   :math:`(i + 1/2)/p` from above; its posterior is :math:`W_{ig} \propto G_g\, \phi(z_i - 2^\gamma
   \theta_g)`, and its chance :math:`a_i = \sum_g W_{ig}\, \Phi(2^\gamma \theta_g - c)` with c the
   threshold that k of p features exceed.
3. *Odds step* (`_odds_step`), without a model of effects. With :math:`h_m(R)` the observed
   probability of being selected in the other part, given rank R in one part of m samples, made
   decreasing in R by pooling adjacent violators [Robertson1988]_,
   :math:`l_i = 2 \operatorname{logit} h_{n/2}(i) - \operatorname{logit} h_{n/4}(i)`: the log odds
   continue in a straight line in log m.
4. *Mean*. The log odds of 2 and 3 are averaged and shifted so that all chances sum to k.
5. *Draws* (`_draw_models`). Steps 2 to 4 are repeated with gamma distributed feature weights
   (weighted likelihood bootstrap [Newton1994]_), which carries the uncertainty about G into the
   chances. Shape 0.3 instead of 1 makes correlated features count as fewer than p.
6. *Expected share* (`expected_share`, `_stretch_to_share`). How much of a list is found again is
   known better from whole lists than from single features. On the scale L of log odds between
   chance (k/p) and 1, :math:`L(r) = 0.7\, L(r_{curve}) + 0.28\, L(r_{halves})`: the replication
   curve (`_extrapolation`; too low where few samples show much) and the share of the halves of
   these data that select the listed features (too high, because the list was selected on the same
   data). Each draw takes r from a normal law around this value and stretches its log odds,
   :math:`m_i \to s\, m_i + b`, so that chances sum to k and average r over the first k places.
7. *Vote of scores*. Where a selector has signed z-scores, an empirical Bayes model of the scores
   (`_score_model`) has the weight 0.5 in L(r) and 0.33 in the log odds of the chances.

The chance is the mean over the draws. The lower bound is the 3% quantile of the posterior of
:math:`\Phi(2^\gamma \theta_g - c)` with the shifts of steps 4 and 6, pooled over the draws. Tied
places, and places where chances would rise with the place, are averaged (`_pool_places`).

Assumptions
-----------
Effects grow as a power of the number of samples; ranks depend on a latent normal score. Features
are treated as exchangeable given their place. Not covered: selectors with much randomness of their
own (forests of few trees), for which chances are too flat.

What is derived, and what is calibrated
---------------------------------------
The deconvolution and its posterior are derived. Weights, shapes, step numbers and the quantiles
below are calibrated on the development settings of ``benchmarks/calibration`` unless they say
otherwise; its hold-out settings measure the calibration of chances, grades and lists
(docs/found_again.md).

References
----------
[Newton1994]_; [Robertson1988]_; those of `_rank_model` and `_score_model`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri

from holdfast._typing import BoolArray, FloatArray, IndexArray
from holdfast.judge._replication._rank_model import (
    EFFECTS,
    RankTable,
    fit_effects,
    log_likelihood,
    rank_edges,
    score_thresholds,
)
from holdfast.judge._replication._score_model import ScoreVote

N_DRAWS = 20
"""Draws with random feature weights."""
WEIGHT_SHAPE = 0.3
"""Shape of the gamma law of feature weights: correlated features count as fewer than p.

Calibrated.
"""
GROWTHS = np.array([0.35, 0.5, 0.7, 1.0])
GROWTH_MEAN, GROWTH_SD = 0.5, 0.25
"""Grid and normal prior of the exponent gamma of the growth of effects.

Standard: the z-score of a mean of m values grows as m ** 0.5. The grid and the standard deviation
are calibrated.
"""
QUARTER_IMPORTANCE = 0.5
"""Weight of quarters of the data compared with halves; calibrated."""
FULL_IMPORTANCE, HALF_IMPORTANCE = 1.0, 2.0
"""Weights of the log rank in the full data and of the mean log rank in the halves; calibrated."""
GROWTH_STEPS, MAIN_STEPS, DRAW_STEPS = 150, 300, 200
"""EM steps of the fits for each growth, of the main fit and of the draws; calibrated.

Stopping EM early keeps G smooth.
"""
START_SPREAD, START_FLOOR, START_UNIFORM = 1.5, 0.01, 0.02
"""EM starts from a normal law of effects; draws start near the main fit; calibrated."""
ODDS_SHARE = 0.5
"""Weight of the odds step in the mean of the log odds; calibrated."""
PSEUDO_FEATURES = 0.05
"""Features per rank bin, selected again by chance, that are added to the observed ones."""
SMALLEST_CHANCE = 1e-5
"""Keeps log odds finite."""
MIN_SCORE_CHANCE = 1e-3
"""Least chance that the simulated studies of the score model can resolve."""
LOW_LEVEL = 0.03
"""The lower bound is this quantile of the posterior; it holds for at least 90% of the features.

Calibrated: the quantile is lower than 10%, because the posterior leaves out part of the
uncertainty.
"""
CAREFUL_QUANTILE = 0.25
"""Quantile, over the draws, of the share found again that decides on the longest list."""
CURVE_WEIGHT, HALVES_WEIGHT = 0.7, 0.28
"""Weights of the replication curve and of the halves in the log odds of the expected share.

Calibrated.
"""
SHARE_SD, SHARE_SD_SAMPLES, SHARE_SD_RANGE = 0.7, 80, (0.25, 0.8)
"""Standard deviation of the expected share over the draws, in log odds; calibrated.

It is 0.7 for 80 samples and falls with the square root of their number, within the range. This is
wider than the error of the share itself: it also covers what the rank model leaves out.
"""
SHARE_MARGIN = 0.02
"""Keeps the log odds of the expected share finite at chance and at 1."""
MAX_SHIFT, MAX_SHIFT_STEPS, SHIFT_TOLERANCE = 40.0, 60, 1e-12
"""Bounds, iteration limit and tolerance of the search for a shift of log odds."""
STRETCHES = (0.6, 2.0)
"""Least and greatest factor of the log odds; calibrated."""
SCORE_SHARE_WEIGHT, SCORE_CHANCE_WEIGHT = 0.5, 0.33
"""Weights of the score model in the expected share and in the chances; calibrated."""
LARGER_STUDIES = (2.0, 4.0, 8.0, 16.0, 32.0)
"""Sizes of larger studies that chances are predicted for, relative to the data."""
EXACT_PLACES_PER_SIZE = 4
"""Places up to this multiple of the size are computed one by one, later ones interpolated.

Chosen by hand; limits run time.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class DisjointRanks:
    """Ranks of all features on the full data and on pairs of disjoint parts; 0 is the best.

    Where a selector has no ranks, selected features have the middle rank of the subset and the
    others the middle rank of the rest.

    Attributes
    ----------
    full : ndarray of int, shape (fits, p)
        Ranks on the full data.
    halves, quarters : ndarray of int, shape (pairs, 2, p)
        Ranks on pairs of disjoint halves and quarters; there may be no quarters.
    selected : ndarray of bool, shape (p,)
        The selection whose chances are estimated: that of the first fit of the full data.
    size : int
        Number of features selected on the full data.
    part_sizes : tuple of int
        Numbers of features selected on halves and on quarters.
    ordered : bool
        Whether features are ranked; otherwise they are only selected or not.
    """

    full: NDArray[np.integer]
    halves: NDArray[np.integer]
    quarters: NDArray[np.integer]
    selected: BoolArray
    size: int
    part_sizes: tuple[int, int]
    ordered: bool = True

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.full.shape[1])

    def rank_tables(self) -> list[RankTable]:
        """Return the rank tables of pairs of halves and, if there are any, of quarters."""
        n_features = self.n_features
        kinds = zip((self.halves, self.quarters), self.part_sizes, (0.5, 0.25), strict=True)
        return [
            RankTable.from_ranks(
                ranks,
                rank_edges(size, n_features) if self.ordered else np.array([0, size, n_features]),
                size,
                fraction,
            )
            for ranks, size, fraction in kinds
            if len(ranks)
        ]


@dataclass(frozen=True, eq=False, kw_only=True)
class FoundAgain:
    """Chances to be found again.

    Attributes
    ----------
    selected : ndarray of bool, shape (p,)
        The features selected on the full data.
    chance : ndarray of shape (p,)
        The chance of each feature; chances sum to the size.
    low : ndarray of shape (p,)
        One-sided 90% lower bound of each chance.
    draws : ndarray of shape (draws, p)
        The chances in each draw.
    share : float
        Expected share of a list that an independent study selects again.
    larger : ndarray of shape (factors, p)
        The chances in studies `LARGER_STUDIES` times as large.
    score_shares : tuple of float
        The shares that the score model predicts for studies of the same size and of
        `_score_model.LARGER_STUDIES` times that size; empty without signed scores.
    """

    selected: BoolArray
    chance: FloatArray
    low: FloatArray
    draws: FloatArray
    share: float
    larger: FloatArray
    score_shares: tuple[float, ...] = ()

    @property
    def expected(self) -> float:
        """Expected number of selected features that an independent study selects again."""
        return float(self.chance[self.selected].sum())


def expected_share(ranks: DisjointRanks, curve: float, scores: ScoreVote | None = None) -> float:
    r"""Return the share of the selected features that an independent study is expected to select.

    With shares r on the scale from 0 (chance, k/p) to 1, and L their log odds,
    :math:`L(r) = 0.7 L(r_{curve}) + 0.28 L(r_{halves})`, averaged with the log odds of the score
    model if there is one.

    Parameters
    ----------
    ranks : DisjointRanks
        The ranks.
    curve : float
        The share that the replication curve predicts.
    scores : ScoreVote, optional
        The vote of the score model.
    """
    # step 6: a rank below the list size of halves means that the half selects the feature
    scale = _ShareScale(ranks.size / ranks.n_features)
    picks = ranks.halves.reshape(-1, ranks.n_features)[:, ranks.selected] < ranks.part_sizes[0]
    log_odds = CURVE_WEIGHT * scale.log_odds(curve)
    log_odds += HALVES_WEIGHT * scale.log_odds(float(picks.mean()) if picks.size else 0.0)
    if scores is not None:
        # step 7: a weighted mean of both log odds
        log_odds += SCORE_SHARE_WEIGHT * (scale.log_odds(scores.share) - log_odds)
    return float(scale.share(np.array([log_odds]))[0])


def is_selective(ranks: DisjointRanks) -> bool:
    """Return whether some features, but not all, are selected on the data and on their parts."""
    return all(0 < count < ranks.n_features for count in (ranks.size, *ranks.part_sizes))


def estimate_found_again(
    ranks: DisjointRanks,
    curve: float,
    n_units: int,
    *,
    scores: ScoreVote | None = None,
    seed: int = 0,
) -> FoundAgain:
    """Estimate each feature's chance to be selected by an independent study of the same size.

    Where nothing or everything is selected on the full data, on the halves or on the quarters, all
    features have the same chance.

    Parameters
    ----------
    ranks : DisjointRanks
        Ranks on the full data and on disjoint parts.
    curve : float
        Expected share found again that the replication curve predicts.
    n_units : int
        Number of samples, or of subjects.
    scores : ScoreVote, optional
        The vote of the score model.
    seed : int, default 0
        Seed of the draws.
    """
    size, n_features = ranks.size, ranks.n_features
    if not is_selective(ranks):
        return _equal_chances(ranks)
    # steps 1, 2 and 5 of the module docstring
    tables = ranks.rank_tables()
    order = _feature_order(ranks)
    generator = np.random.default_rng(seed)
    draws = _draw_models(tables, order, generator)
    places = _computed_places(size, n_features)
    posterior, by_model = _posterior_chances(draws, places, size, n_features)
    log_odds = by_model
    # step 3 needs two sizes of parts; its chances are shifted to the sum k before step 4 averages
    # them with those of the model, which sum to about k by its threshold
    if len(tables) > 1:
        steps = _odds_step(draws.tables, tables, places)
        log_odds = (1 - ODDS_SHARE) * by_model + ODDS_SHARE * _shift_to_sum(
            _interpolate(steps, places, n_features), size
        )[:, places]
    # chances of all p places must sum to k, so shifts are found after the interpolation
    at_places = _shift_to_sum(_interpolate(log_odds, places, n_features), size)
    # what steps 3 and 4 add to the rank model at each place; it moves the posterior of single
    # effects in the same way, so that bounds and larger studies stay in line with the chances
    shift = at_places[:, places] - by_model
    share = expected_share(ranks, curve, scores)
    share_draws = _draw_shares(share, ranks, n_units, generator)
    slopes, offsets = _stretch_to_share(at_places, size, share_draws)
    # before `at_places` is stretched: the function stretches its own log odds
    larger = _chances_in_larger_studies(draws, posterior, shift, slopes, places, ranks)
    at_places = slopes[:, np.newaxis] * at_places + offsets[:, np.newaxis]
    values = slopes[:, np.newaxis, np.newaxis] * (
        posterior.log_odds[:, np.newaxis, :] + shift[:, :, np.newaxis]
    )
    low = _lower_bound(
        posterior.weights, values + offsets[:, np.newaxis, np.newaxis], places, n_features
    )
    at_places, low = _pool_places(at_places, low, _order_scores(ranks)[order])
    # from places back to features: the inverse permutation of `order`
    rank = np.empty(n_features, dtype=np.intp)
    rank[order] = np.arange(n_features)
    by_feature, low = at_places[:, rank], low[rank]
    if scores is not None:
        by_feature, low = _average_with_score_vote(by_feature, low, scores, size)
    chance = expit(by_feature)
    # chances in larger studies grow from the final estimate for studies of this size
    growth = logit(larger[1:]) - logit(larger[0])
    larger = expit(logit(chance.mean(axis=0)) + growth[:, rank])
    return FoundAgain(
        selected=ranks.selected,
        chance=chance.mean(axis=0),
        # the quantile is of the posterior, the chance a
        # mean over draws after pooling: they could cross
        low=np.minimum(low, chance.mean(axis=0)),
        draws=chance,
        share=share,
        larger=larger,
        score_shares=() if scores is None else scores.shares,
    )


def _equal_chances(ranks: DisjointRanks) -> FoundAgain:
    """Return equal chances: with all or no features selected, nothing distinguishes them."""
    chance = np.full(ranks.n_features, ranks.size / ranks.n_features)
    return FoundAgain(
        selected=ranks.selected,
        chance=chance,
        low=chance,
        draws=np.repeat(chance[np.newaxis], N_DRAWS, axis=0),
        share=ranks.size / ranks.n_features,
        larger=np.repeat(chance[np.newaxis], len(LARGER_STUDIES), axis=0),
    )


def longest_list(found: FoundAgain, share: float) -> IndexArray:
    """Return the longest list whose expected share found again is at least `share`.

    Features are taken by decreasing chance, at most as many as are selected, and as many as keep
    the lower quartile, over the draws, of their mean chance at or above the share: the longest of
    many lists tends to be one whose chances are overestimated. The list may be empty.
    """
    order = np.lexsort((np.arange(len(found.chance)), -found.chance))
    order = order[: int(found.selected.sum())]
    means = np.cumsum(found.draws[:, order], axis=1) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(np.quantile(means, CAREFUL_QUANTILE, axis=0) >= share)
    return np.asarray(order[: enough[-1] + 1] if len(enough) else order[:0])


@dataclass(frozen=True, eq=False)
class _ModelDraws:
    """Weighted rank tables, growth exponent and effect weights of each draw."""

    tables: list[FloatArray]
    growths: FloatArray
    weights: FloatArray


def _feature_order(ranks: DisjointRanks) -> IndexArray:
    """Order the features by their ranks in the full data and in all halves.

    Ties are broken by the ranks themselves, so that the order of the columns does not matter.
    """
    # ascending in the negative score: place 0 is that of the best features
    _, place, counts = np.unique(-_order_scores(ranks), return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    tied = counts[place] > 1
    features = np.flatnonzero(tied)
    parts = (table.reshape(-1, ranks.n_features) for table in (ranks.quarters, ranks.halves))
    # lexsort sorts by its last key first: by place, then by the ranks
    # in the full data, halves and quarters, each from its first row on
    keys = [row[features] for table in (*parts, ranks.full) for row in table[::-1]]
    order[tied[order]] = features[np.lexsort((*keys, place[features]))]
    return order


def _order_scores(ranks: DisjointRanks) -> FloatArray:
    """Return the weighted mean log rank of each feature; the best features have the highest."""
    size, n_features = ranks.size, ranks.n_features

    def negative_log(table: NDArray[np.integer]) -> FloatArray:
        # a quarter of the size keeps the very first ranks from dominating
        return np.asarray(-np.log((table + 0.5 + size / 4) / n_features))

    halves = ranks.halves.reshape(-1, n_features)
    score = FULL_IMPORTANCE * negative_log(ranks.full).mean(axis=0)
    # features with the same ranks in another order of the halves have equal sums up to rounding
    return np.asarray((score + HALF_IMPORTANCE * negative_log(halves).mean(axis=0)).round(12))


def _pool_places(
    log_odds: FloatArray, low: FloatArray, scores: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Average the chances of tied places, and of places where chances would rise.

    Features with the same score are exchangeable. Elsewhere mean chances may rise with the place,
    because the odds step extrapolates the difference of two decreasing curves. Sums are kept.

    Parameters
    ----------
    log_odds : ndarray of shape (draws, p)
        Log odds at each place.
    low : ndarray of shape (p,)
        Lower bounds.
    scores : ndarray of shape (p,)
        The scores that order the features, decreasing.
    """
    chance = expit(log_odds)
    tied = np.cumsum(np.append(0, np.diff(scores) != 0))
    counts = np.bincount(tied)
    means = np.bincount(tied, weights=chance.mean(axis=0)) / counts
    # one value per group of ties, weighted by its size; equal neighbours of the fit are one block
    decreasing = _fit_decreasing(means, counts.astype(np.float64))
    block = np.cumsum(np.append(0, np.diff(decreasing) != 0))[tied]
    starts = np.flatnonzero(np.append(1, np.diff(block)))
    lengths = np.diff(np.append(starts, len(block)))
    pooled = np.repeat(np.add.reduceat(chance, starts, axis=1) / lengths, lengths, axis=1)
    bounds = np.repeat(np.add.reduceat(low, starts) / lengths, lengths)
    unpooled = np.repeat(lengths == 1, lengths)
    least = np.finfo(np.float64).eps
    # single places keep their log odds: logit(expit(x)) loses digits in the tails
    return np.where(unpooled, log_odds, logit(np.clip(pooled, least, 1 - least))), bounds


def _draw_models(
    tables: Sequence[RankTable], order: IndexArray, generator: np.random.Generator
) -> _ModelDraws:
    """Fit the distribution of effects, then again with random feature weights."""
    plain = [(table.weighted(np.ones((1, table.n_features))), table) for table in tables]
    start = np.exp(-0.5 * (EFFECTS / START_SPREAD) ** 2) + START_FLOOR
    log_weight = -0.5 * ((GROWTHS - GROWTH_MEAN) / GROWTH_SD) ** 2
    if len(tables) > 1:
        # the growth shows in the comparison of halves with
        # quarters; with halves alone the prior decides
        log_weight = log_weight + _growth_likelihood(plain, start)
    growth_weight = np.exp(log_weight - log_weight.max())  # relative to the best: no underflow
    growth_weight /= growth_weight.sum()
    importance = [1.0, QUARTER_IMPORTANCE][: len(tables)]
    best = GROWTHS[growth_weight.argmax()]
    main = fit_effects(
        plain, _effect_scales(tables, np.array([best])), importance, start[np.newaxis], MAIN_STEPS
    )
    # stratified draws of the growth: less noise than independent draws
    levels = (generator.permutation(N_DRAWS) + 0.5) / N_DRAWS
    last = len(GROWTHS) - 1
    growths = GROWTHS[np.minimum(np.searchsorted(np.cumsum(growth_weight), levels), last)]
    by_place = generator.gamma(WEIGHT_SHAPE, 1 / WEIGHT_SHAPE, (N_DRAWS, len(order)))
    features = np.empty_like(by_place)
    # weights belong to places, so that the order of the columns does not matter
    features[:, order] = by_place
    weighted = [(table.weighted(features), table) for table in tables]
    # mixed with a uniform law, since EM never raises a weight of exactly 0
    near = (1 - START_UNIFORM) * main + START_UNIFORM / len(EFFECTS)
    weights = fit_effects(
        weighted,
        _effect_scales(tables, growths),
        importance,
        np.repeat(near, N_DRAWS, axis=0),
        DRAW_STEPS,
    )
    return _ModelDraws([table for table, _ in weighted], growths, weights)


def _growth_likelihood(plain: list[tuple[FloatArray, RankTable]], start: FloatArray) -> FloatArray:
    """Return the log likelihood of each growth, treating features as independent."""
    n_growths = len(GROWTHS)
    repeated = [(np.repeat(counts, n_growths, axis=0), table) for counts, table in plain]
    scales = _effect_scales([table for _, table in plain], GROWTHS)
    weights = fit_effects(
        repeated, scales, [1.0] * len(plain), np.repeat(start[np.newaxis], n_growths, axis=0),
        GROWTH_STEPS,
    )  # fmt: skip
    # tables sum to 1, so the likelihood is one per feature: pairs of
    # parts of the same data are averaged and do not count as further data
    return np.asarray(plain[0][1].n_features * log_likelihood(weights, repeated, scales))


def _effect_scales(tables: Sequence[RankTable], growths: FloatArray) -> list[FloatArray]:
    """Return the factors that carry effects at n/2 to each size of parts."""
    # 1 for halves: `EFFECTS` are those of a study of n/2 samples
    return [(2 * table.fraction) ** growths for table in tables]


def _computed_places(size: int, n_features: int) -> IndexArray:
    """Return the places whose chances are computed: all early ones, then fewer and fewer."""
    exact = min(n_features, max(EXACT_PLACES_PER_SIZE * size, 100))
    if exact == n_features:
        return np.arange(n_features)
    # log odds of late places are low and close to linear in the log of the place
    later = np.geomspace(exact, n_features - 1, 60).round().astype(np.intp)
    return np.unique(np.concatenate([np.arange(exact), later]))


def _interpolate(values: FloatArray, places: IndexArray, n_features: int) -> FloatArray:
    """Return values at all places, linear in the log of the place."""
    log_places = np.log(np.arange(n_features) + 0.5)
    computed = np.log(places + 0.5)
    return np.stack([np.interp(log_places, computed, row) for row in values])


@dataclass(frozen=True, eq=False)
class _EffectPosterior:
    """Weights of the effects at each place, and the log odds of selection of each effect."""

    weights: FloatArray
    log_odds: FloatArray


def _posterior_chances(
    draws: _ModelDraws, places: IndexArray, size: int, n_features: int
) -> tuple[_EffectPosterior, FloatArray]:
    """Return the posterior of the effects at each place, and the log odds of its mean chance."""
    # from n/2 to n samples
    scales = 2.0**draws.growths
    effects = EFFECTS * scales[:, np.newaxis]
    cut = score_thresholds(draws.weights, scales, np.array([size / n_features]))
    scores = score_thresholds(draws.weights, scales, (places + 0.5) / n_features)
    # W_ig of step 2: prior weight G_g times the normal density of the latent score of the place
    density = np.exp(-0.5 * (scores[:, :, np.newaxis] - effects[:, np.newaxis, :]) ** 2)
    weights = draws.weights[:, np.newaxis, :] * density
    weights /= weights.sum(axis=2, keepdims=True)
    chance = np.clip(ndtr(effects - cut), SMALLEST_CHANCE, 1 - SMALLEST_CHANCE)
    mean = (weights @ chance[:, :, np.newaxis])[:, :, 0]
    return _EffectPosterior(weights, logit(chance)), logit(mean)


def _chances_in_larger_studies(
    draws: _ModelDraws,
    posterior: _EffectPosterior,
    shift: FloatArray,
    slopes: FloatArray,
    places: IndexArray,
    ranks: DisjointRanks,
) -> FloatArray:
    """Predict the chances in studies of this size and in larger ones, by place.

    Effects grow, their posterior stays. The log odds of the model are shifted and stretched like
    those of studies of this size.
    """
    size, n_features = ranks.size, ranks.n_features
    chances = []
    # the factor 1 is the base line that growth is counted from: it
    # shares the approximations of the larger studies, which then cancel
    for factor in (1.0, *LARGER_STUDIES):
        # from n/2 to `factor` times n samples
        scales = (2 * factor) ** draws.growths
        cut = score_thresholds(draws.weights, scales, np.array([size / n_features]))
        chance = ndtr(EFFECTS * scales[:, np.newaxis] - cut)
        chance = np.clip(chance, SMALLEST_CHANCE, 1 - SMALLEST_CHANCE)
        mean = (posterior.weights @ chance[:, :, np.newaxis])[:, :, 0]
        log_odds = slopes[:, np.newaxis] * (logit(mean) + shift)
        log_odds = _shift_to_sum(_interpolate(log_odds, places, n_features), size)
        chances.append(expit(log_odds).mean(axis=0))
    return np.array(chances)


def _odds_step(
    weighted: Sequence[FloatArray], tables: Sequence[RankTable], places: IndexArray
) -> FloatArray:
    """Extrapolate the log odds of being selected again linearly from n/4 and n/2 to n."""
    half, quarter = (
        _log_odds_of_reselection(counts, table, places)
        for counts, table in zip(weighted, tables, strict=True)
    )
    return 2 * half - quarter


def _log_odds_of_reselection(
    weighted: FloatArray, table: RankTable, places: IndexArray
) -> FloatArray:
    """Return the log odds of selection in the other part, decreasing with the place."""
    size, n_features = table.size, table.n_features
    # the list size is an edge, so the first bins hold exactly the selected ranks
    first_out = int(np.searchsorted(table.edges, size))
    selected = weighted[:, :, :first_out].sum(axis=2) * n_features
    n_in_bin = weighted.sum(axis=2) * n_features
    # draws can leave a bin without weight: it is then found again by chance, k/p
    chance = (selected + PSEUDO_FEATURES * size / n_features) / (n_in_bin + PSEUDO_FEATURES)
    decreasing = np.stack(
        [
            _fit_decreasing(row, counts + PSEUDO_FEATURES)
            for row, counts in zip(chance, n_in_bin, strict=True)
        ]
    )
    log_odds = logit(np.clip(decreasing, SMALLEST_CHANCE, 1 - SMALLEST_CHANCE))
    # the same log scale as that of the order of the features (`_order_scores`)
    middles = np.log((table.edges[1:] + table.edges[:-1]) / 2 + size / 4)
    log_places = np.log(places + 0.5 + size / 4)
    return np.stack([np.interp(log_places, middles, row) for row in log_odds])


def _fit_decreasing(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the decreasing least squares fit by pooling adjacent violators."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        # invariant: the means of `blocks` decrease; a
        # pooled block may violate it with the one before
        while blocks and blocks[-1][0] < block[0]:
            mean, total, count = blocks.pop()
            both = total + block[1]
            pooled = (mean * total + block[0] * block[1]) / both
            block = (pooled, both, count + block[2])
        blocks.append(block)
    return np.repeat([mean for mean, _, _ in blocks], [count for _, _, count in blocks])


def _shift_to_sum(log_odds: FloatArray, size: int) -> FloatArray:
    """Shift log odds so that the chances of each row sum to the size.

    Newton's method on the log of the sum, with bisection where a step leaves the bracket.
    """
    low, high = np.full(len(log_odds), -MAX_SHIFT), np.full(len(log_odds), MAX_SHIFT)
    shift = np.zeros(len(log_odds))
    for _ in range(MAX_SHIFT_STEPS):
        chance = expit(log_odds + shift[:, np.newaxis])
        total = chance.sum(axis=1)
        short = total < size
        low, high = np.where(short, shift, low), np.where(short, high, shift)
        # d/db log(sum_i c_i) = sum_i c_i (1 - c_i) / sum_i c_i for c_i = expit(l_i + b); the log of
        # the sum is close to linear in b where all chances are small
        slope = (total - np.einsum("rp,rp->r", chance, chance)) / total
        step = np.log(size / total) / np.maximum(slope, np.finfo(np.float64).tiny)
        # invariant: the sum is below the size at `low` and not below it at `high`
        inside = (low <= shift + step) & (shift + step <= high)
        step = np.where(inside, step, (low + high) / 2 - shift)
        shift = shift + step
        if np.abs(step).max() < SHIFT_TOLERANCE:
            break
    return np.asarray(log_odds + shift[:, np.newaxis])


@dataclass(frozen=True)
class _ShareScale:
    """Log odds of a share, as the part of the way from chance to 1."""

    chance: float

    def log_odds(self, share: float) -> float:
        """Return the log odds of a share."""
        unit = min(max((share - self.chance) / (1 - self.chance), 0.0), 1.0)
        return float(logit(SHARE_MARGIN + (1 - 2 * SHARE_MARGIN) * unit))

    def share(self, log_odds: FloatArray) -> FloatArray:
        """Return the shares of log odds, strictly between chance and 1."""
        unit = (expit(log_odds) - SHARE_MARGIN) / (1 - 2 * SHARE_MARGIN)
        # at exactly chance or 1 no finite stretch of log odds has this share
        return np.asarray(self.chance + np.clip(unit, 0.002, 0.998) * (1 - self.chance))


def _draw_shares(
    share: float, ranks: DisjointRanks, n_units: int, generator: np.random.Generator
) -> FloatArray:
    """Return one share per draw: stratified quantiles of a normal law in log odds, shuffled."""
    scale = _ShareScale(ranks.size / ranks.n_features)
    steps = ndtri((np.arange(N_DRAWS) + 0.5) / N_DRAWS)
    deviation = np.clip(SHARE_SD * np.sqrt(SHARE_SD_SAMPLES / n_units), *SHARE_SD_RANGE)
    steps *= deviation / steps.std()  # stratified quantiles vary less than the normal law
    return scale.share(scale.log_odds(share) + generator.permutation(steps))


def _stretch_to_share(
    log_odds: FloatArray, size: int, shares: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Find slopes and offsets such that chances sum to the size and the first ones match the share.

    `log_odds` decreases along each row; ``slope * log_odds + offset`` has the mean chance `share`
    over the first `size` places, as far as `STRETCHES` allows. Bisection on the slope.
    """
    # with the sum fixed, a greater slope moves chance from later places to the first ones, so the
    # mean over the first places grows with the slope
    low, high = (np.full(len(log_odds), end) for end in STRETCHES)
    for _ in range(20):  # leaves 2^-20 of the range of slopes
        slope = (low + high) / 2
        stretched = _shift_to_sum(slope[:, np.newaxis] * log_odds, size)
        short = expit(stretched[:, :size]).mean(axis=1) < shares
        low, high = np.where(short, slope, low), np.where(short, high, slope)
    # the shift of a row is the same at all places; it is read off at the first
    return slope, stretched[:, 0] - slope * log_odds[:, 0]


def _average_with_score_vote(
    log_odds: FloatArray, low: FloatArray, scores: ScoreVote, size: int
) -> tuple[FloatArray, FloatArray]:
    """Average the log odds of chances with those of the score model."""
    # shares of simulated studies can be 0 or 1
    vote = logit(np.clip(scores.chance, MIN_SCORE_CHANCE, 1 - MIN_SCORE_CHANCE))
    mean = (1 - SCORE_CHANCE_WEIGHT) * log_odds + SCORE_CHANCE_WEIGHT * vote
    averaged = _shift_to_sum(mean, size)
    # the bound moves with the chance
    change = (averaged - log_odds).mean(axis=0)
    bounded = logit(np.clip(low, SMALLEST_CHANCE, 1 - SMALLEST_CHANCE))
    return averaged, np.asarray(expit(bounded + change))


def _lower_bound(
    weights: FloatArray, log_odds: FloatArray, places: IndexArray, n_features: int
) -> FloatArray:
    """Return the `LOW_LEVEL` quantile of the posterior of each chance, pooled over the draws.

    `weights` and `log_odds` have the shape (draws, places, effects).
    """
    n_draws, n_places, _ = weights.shape
    # one mixture per place over all draws and effects, each draw with the weight 1 / draws
    flat = log_odds.transpose(1, 0, 2).reshape(n_places, -1)
    shares = weights.transpose(1, 0, 2).reshape(n_places, -1) / n_draws
    order = np.argsort(flat, axis=1)
    below = np.cumsum(np.take_along_axis(shares, order, axis=1), axis=1) < LOW_LEVEL
    first = np.minimum(below.sum(axis=1), flat.shape[1] - 1)
    low = np.take_along_axis(flat, order, axis=1)[np.arange(n_places), first]
    return np.asarray(expit(_interpolate(low[np.newaxis], places, n_features)[0]))
