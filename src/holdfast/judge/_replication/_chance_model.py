r"""Each feature's chance to be found again by an independent study of the same size.

Method. :math:`P_n(j)` is the probability that an independent study of n samples selects feature j.
Disjoint halves and quarters of the data are independent studies of n/2 and n/4 samples; how the
rank of a feature in one goes with its rank in the other is seen without bias, for any selector.
Only the step from n/2 to n needs an assumption. Two are made, and their log odds averaged:

1. *Rank deconvolution* (`_rank_model`): the distribution of latent effects that explains the
   tables, moved from n/2 to n by :math:`\theta \to 2^\gamma \theta`, gives each place in the order
   of the features its posterior chance.
2. *Odds step*: the log odds of being selected again, given the rank, go on in a straight line
   from n/4 over n/2 to n. No model of effects is needed.

The order of the features comes from the full data and from all halves together. Everything is
repeated with random feature weights (weighted likelihood bootstrap, Newton and Raftery 1994), which
carries the uncertainty about the distribution of effects into the chances.

How much of a list is found again is known better from whole lists than from single features: the
chances of each repetition are stretched on the scale of log odds so that they add up to the number
of selected features, and their mean over the first places is a draw of the *expected share*
(`expected_share`): the replication curve of `_curve_fit` (too low where few samples show much) and
the share of the halves of these data that select the listed features (too high, as the list was
selected on the same data), averaged. Where a selector has signed z-scores, an empirical Bayes model
of the scores (`_score_model`) votes on the share and on the chances.

Constants are calibrated by ``benchmarks/calibration`` unless they say otherwise; the guide, page
"Found again", shows how often the chances are right.

References
----------
M. A. Newton, A. E. Raftery (1994). Approximate Bayesian inference with the weighted likelihood
bootstrap. JRSS B 56, 3-48.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from holdfast.judge._replication._rank_model import (
    EFFECTS,
    RankTable,
    fit_effects,
    log_likelihood,
    rank_edges,
    score_thresholds,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.judge._replication._score_model import ScoreVote

    Array = NDArray[np.float64]

N_DRAWS = 20
"""Repetitions with random feature weights."""
WEIGHT_SHAPE = 0.3
"""Shape of the gamma law of feature weights: correlated features count as fewer than p."""
GROWTHS = np.array([0.35, 0.5, 0.7, 1.0])
GROWTH_MEAN, GROWTH_SD = 0.5, 0.25
"""How effects grow with the number of samples m, as m ** growth; 0.5 for a mean of m values."""
QUARTER_IMPORTANCE = 0.5
"""Weight of quarters of the data compared with halves."""
FULL_IMPORTANCE, HALF_IMPORTANCE = 1.0, 2.0
"""The order of features: log rank in the full data and mean log rank in the halves."""
GROWTH_STEPS, MAIN_STEPS, DRAW_STEPS = 150, 300, 200
"""EM steps."""
START_SPREAD, START_FLOOR, START_UNIFORM = 1.5, 0.01, 0.02
"""EM begins with a normal law of effects; repetitions begin near the main fit."""
ODDS_SHARE = 0.5
"""Share of the odds step in the mean of both."""
PSEUDO_FEATURES = 0.05
"""Features per rank bin that are selected again by chance, added to what was observed."""
SMALLEST_CHANCE = 1e-5
MIN_SCORE_CHANCE = 1e-3
"""Least chance that simulated studies of the model of scores can show."""
LOW_LEVEL = 0.03
"""The lower bound is this quantile of the posterior; it holds for at least 90% of the features.

The rest is for what the posterior leaves out.
"""
CAREFUL_QUANTILE = 0.25
"""A list is as long as this quantile, over the repetitions, of its share found again allows."""
CURVE_WEIGHT, HALVES_WEIGHT = 0.7, 0.28
"""Weights of the replication curve and of the halves in the log odds of the expected share."""
SHARE_SD, SHARE_SD_SAMPLES, SHARE_SD_RANGE = 0.7, 80, (0.25, 0.8)
"""Standard deviation of the expected share over the repetitions, in log odds.

It is 0.7 for 80 samples and falls with the square root of their number, within the range. That is
wider than the error of the share itself: it also stands for what the model of ranks leaves out.
"""
SHARE_MARGIN = 0.02
"""Keeps the log odds of the expected share finite at chance and at perfect agreement."""
MAX_SHIFT, MAX_SHIFT_STEPS, SHIFT_TOLERANCE = 40.0, 60, 1e-12
"""Largest shift of log odds, most steps to find it, and the step they end with."""
STRETCHES = (0.6, 2.0)
"""Least and greatest factor of the log odds."""
SCORE_SHARE_WEIGHT, SCORE_CHANCE_WEIGHT = 0.5, 0.33
"""Weight of the model of signed scores in the expected share and in the chances."""
LARGER = (2.0, 4.0, 8.0, 16.0, 32.0)
"""How many times as large studies are for which chances are predicted."""
N_EXACT_PLACES = 4
"""Places up to this multiple of the size are computed one by one, later ones interpolated."""
GRADES = {"very likely": 0.9, "likely": 0.7, "uncertain": 0.3, "unlikely": 0.0}
"""The least chance of each grade."""
GRADE_HIT_RATES = {"very likely": 0.97, "likely": 0.85, "uncertain": 0.52, "unlikely": 0.13}
"""Share of independent studies that selected features of each grade.

Measured on the hold-out settings of ``benchmarks/calibration``; see docs/found_again.md.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class DisjointRanks:
    """Ranks of all features on the full data and on pairs of disjoint parts; 0 is the best.

    Features of a subset without ranks all have the middle rank of the subset, the others the
    middle rank of the rest.

    Attributes
    ----------
    full : ndarray of int, shape (fits, p)
        Ranks on the full data.
    halves, quarters : ndarray of int, shape (pairs, 2, p)
        Ranks on pairs of disjoint halves and quarters; there may be no quarters.
    selected : ndarray of bool, shape (p,)
        The selection that is asked about: that of the first fit of the full data.
    size : int
        How many features are selected on the full data.
    part_sizes : tuple of int
        How many features are selected on halves and on quarters.
    ordered : bool
        Whether features are ranked; else they are only selected or not.
    """

    full: NDArray[np.integer]
    halves: NDArray[np.integer]
    quarters: NDArray[np.integer]
    selected: NDArray[np.bool_]
    size: int
    part_sizes: tuple[int, int]
    ordered: bool = True

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.full.shape[1])

    def rank_tables(self) -> list[RankTable]:
        """Count the rank bins of pairs of halves and, where there are any, of quarters."""
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
        What is selected on the full data.
    chance : ndarray of shape (p,)
        The chance of each feature; they add up to the size.
    low : ndarray of shape (p,)
        One-sided 90% lower bound of each chance.
    draws : ndarray of shape (draws, p)
        The chances in each repetition.
    share : float
        Expected share of a list that an independent study selects again.
    larger : ndarray of shape (factors, p)
        The chances in studies `LARGER` times as large.
    score_shares : tuple of float
        The shares that the model of signed scores has for studies of the same size and of
        `_score_model.LARGER_STUDIES` times as large; empty without one.
    """

    selected: NDArray[np.bool_]
    chance: Array
    low: Array
    draws: Array
    share: float
    larger: Array
    score_shares: tuple[float, ...] = ()

    @property
    def expected(self) -> float:
        """Expected number of the selected features that an independent study finds again."""
        return float(self.chance[self.selected].sum())


def expected_share(ranks: DisjointRanks, curve: float, scores: ScoreVote | None = None) -> float:
    r"""Return the share of the selected features that an independent study is expected to select.

    With shares r on the scale from 0 (chance, k/p) to 1, and L their log odds,
    :math:`L(r) = 0.7 L(r_{curve}) + 0.28 L(r_{halves})`, averaged with that of the model of signed
    scores where there is one.

    Parameters
    ----------
    ranks : DisjointRanks
        The ranks.
    curve : float
        The share that the replication curve predicts.
    scores : ScoreVote, optional
        What the model of signed scores says.
    """
    scale = _ShareScale(ranks.size / ranks.n_features)
    picks = ranks.halves.reshape(-1, ranks.n_features)[:, ranks.selected] < ranks.part_sizes[0]
    log_odds = CURVE_WEIGHT * scale.log_odds(curve)
    log_odds += HALVES_WEIGHT * scale.log_odds(float(picks.mean()) if picks.size else 0.0)
    if scores is not None:
        log_odds += SCORE_SHARE_WEIGHT * (scale.log_odds(scores.share) - log_odds)
    return float(scale.share(np.array([log_odds]))[0])


def estimate_found_again(
    ranks: DisjointRanks,
    curve: float,
    n_units: int,
    *,
    scores: ScoreVote | None = None,
    seed: int = 0,
) -> FoundAgain:
    """Estimate each feature's chance to be selected by an independent study of the same size.

    Where nothing or everything is selected on the full data, or on all halves or quarters, all
    features have the same chance.

    Parameters
    ----------
    ranks : DisjointRanks
        Ranks on the full data and on disjoint parts.
    curve : float
        Share of the selected features found again that the replication curve predicts.
    n_units : int
        Number of samples, or of subjects.
    scores : ScoreVote, optional
        What the model of signed scores says.
    seed : int, default 0
        Seed of the repetitions.
    """
    size, n_features = ranks.size, ranks.n_features
    if not all(0 < count < n_features for count in (size, *ranks.part_sizes)):
        return _certain(ranks)
    tables = ranks.rank_tables()
    order = _feature_order(ranks)
    generator = np.random.default_rng(seed)
    draws = _draw_models(tables, order, generator)
    places = _computed_places(size, n_features)
    posterior, by_model = _posterior_chances(draws, places, size, n_features)
    log_odds = by_model
    if len(tables) > 1:
        steps = _odds_step(draws.tables, tables, places)
        log_odds = (1 - ODDS_SHARE) * by_model + ODDS_SHARE * _shift_to_sum(
            _interpolate(steps, places, n_features), size
        )[:, places]
    every = _shift_to_sum(_interpolate(log_odds, places, n_features), size)
    moved = every[:, places] - by_model
    share = expected_share(ranks, curve, scores)
    slopes, shifts = _stretch_to_share(every, size, _share_draws(share, ranks, n_units, generator))
    larger = _larger_studies(draws, posterior, moved, slopes, places, ranks)
    every = slopes[:, np.newaxis] * every + shifts[:, np.newaxis]
    values = slopes[:, np.newaxis, np.newaxis] * (
        posterior.log_odds[:, np.newaxis, :] + moved[:, :, np.newaxis]
    )
    low = _lower_bound(
        posterior.weights, values + shifts[:, np.newaxis, np.newaxis], places, n_features
    )
    every, low = _pool_places(every, low, _order_scores(ranks)[order])
    rank = np.empty(n_features, dtype=np.intp)
    rank[order] = np.arange(n_features)
    every, low = every[:, rank], low[rank]
    if scores is not None:
        every, low = _with_score_vote(every, low, scores, size)
    chance = expit(every)
    # chances grow from the estimate for studies of this size, whatever it rests on
    growth = logit(larger[1:]) - logit(larger[0])
    larger = expit(logit(chance.mean(axis=0)) + growth[:, rank])
    return FoundAgain(
        selected=ranks.selected,
        chance=chance.mean(axis=0),
        low=np.minimum(low, chance.mean(axis=0)),
        draws=chance,
        share=share,
        larger=larger,
        score_shares=() if scores is None else (scores.share, *scores.larger.tolist()),
    )


def _certain(ranks: DisjointRanks) -> FoundAgain:
    """Return equal chances: all or no features are selected, so nothing sets them apart."""
    chance = np.full(ranks.n_features, ranks.size / ranks.n_features)
    return FoundAgain(
        selected=ranks.selected,
        chance=chance,
        low=chance,
        draws=np.repeat(chance[np.newaxis], N_DRAWS, axis=0),
        share=ranks.size / ranks.n_features,
        larger=np.repeat(chance[np.newaxis], len(LARGER), axis=0),
    )


def grade_chances(chance: Array) -> NDArray[np.str_]:
    """Return the grade of each chance, from "very likely" to "unlikely".

    Chances are graded as they are shown, in hundredths.
    """
    return np.select(
        [chance.round(2) >= least for least in GRADES.values()], list(GRADES), default="unlikely"
    )


def longest_list(found: FoundAgain, share: float) -> NDArray[np.intp]:
    """Return the longest list whose expected share found again is at least `share`.

    Features are taken by decreasing chance, at most as many as are selected, and as many as keep
    the lower quartile, over the repetitions, of their mean chance at or above the share: taking
    the longest of many lists favours those whose chances are overestimated. The list may be empty.
    """
    order = np.lexsort((np.arange(len(found.chance)), -found.chance))
    order = order[: int(found.selected.sum())]
    means = np.cumsum(found.draws[:, order], axis=1) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(np.quantile(means, CAREFUL_QUANTILE, axis=0) >= share)
    return np.asarray(order[: enough[-1] + 1] if len(enough) else order[:0])


@dataclass(frozen=True, eq=False)
class _Draws:
    """Repetitions: weighted tables, growth and weights of the effects of each."""

    tables: list[Array]
    growths: Array
    weights: Array


def _feature_order(ranks: DisjointRanks) -> NDArray[np.intp]:
    """Order the features by their ranks in the full data and in all halves.

    Ties are ordered by the ranks themselves, so that the order of the columns does not matter.
    """
    _, place, counts = np.unique(-_order_scores(ranks), return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    tied = counts[place] > 1
    features = np.flatnonzero(tied)
    parts = (own.reshape(-1, ranks.n_features) for own in (ranks.quarters, ranks.halves))
    keys = [row[features] for own in (*parts, ranks.full) for row in own[::-1]]
    order[tied[order]] = features[np.lexsort((*keys, place[features]))]
    return order


def _order_scores(ranks: DisjointRanks) -> Array:
    """Return the mean log rank of each feature in the full data and in all halves, best high."""
    size, n_features = ranks.size, ranks.n_features

    def tail(own: NDArray[np.integer]) -> Array:
        # a quarter of the size keeps the very first ranks from counting more than the list
        return np.asarray(-np.log((own + 0.5 + size / 4) / n_features))

    halves = ranks.halves.reshape(-1, n_features)
    score = FULL_IMPORTANCE * tail(ranks.full).mean(axis=0)
    return np.asarray((score + HALF_IMPORTANCE * tail(halves).mean(axis=0)).round(12))


def _pool_places(log_odds: Array, low: Array, scores: Array) -> tuple[Array, Array]:
    """Average the chances of places that nothing sets apart, and of places in the wrong order.

    Features with the same score are exchangeable. Elsewhere mean chances may rise with the place,
    as the odds step continues a difference of two falling curves. Sums stay as they are.

    Parameters
    ----------
    log_odds : ndarray of shape (draws, p)
        Log odds at each place.
    low : ndarray of shape (p,)
        Lower bounds.
    scores : ndarray of shape (p,)
        What features are ordered by; falls with the place.
    """
    chance = expit(log_odds)
    tied = np.cumsum(np.append(0, np.diff(scores) != 0))
    counts = np.bincount(tied)
    means = np.bincount(tied, weights=chance.mean(axis=0)) / counts
    falling = _decreasing(means, counts.astype(np.float64))
    block = np.cumsum(np.append(0, np.diff(falling) != 0))[tied]
    starts = np.flatnonzero(np.append(1, np.diff(block)))
    lengths = np.diff(np.append(starts, len(block)))
    pooled = np.repeat(np.add.reduceat(chance, starts, axis=1) / lengths, lengths, axis=1)
    bounds = np.repeat(np.add.reduceat(low, starts) / lengths, lengths)
    alone = np.repeat(lengths == 1, lengths)
    least = np.finfo(np.float64).eps
    return np.where(alone, log_odds, logit(np.clip(pooled, least, 1 - least))), bounds


def _draw_models(
    tables: Sequence[RankTable], order: NDArray[np.intp], generator: np.random.Generator
) -> _Draws:
    """Fit the distribution of effects, and fit it again with random feature weights."""
    plain = [(one.weighted(np.ones((1, one.n_features))), one) for one in tables]
    start = np.exp(-0.5 * (EFFECTS / START_SPREAD) ** 2) + START_FLOOR
    log_weight = -0.5 * ((GROWTHS - GROWTH_MEAN) / GROWTH_SD) ** 2
    if len(tables) > 1:
        log_weight = log_weight + _growth_likelihood(plain, start)
    growth_weight = np.exp(log_weight - log_weight.max())
    growth_weight /= growth_weight.sum()
    importance = [1.0, QUARTER_IMPORTANCE][: len(tables)]
    best = GROWTHS[growth_weight.argmax()]
    main = fit_effects(
        plain, _scales(tables, np.array([best])), importance, start[np.newaxis], MAIN_STEPS
    )
    # one draw for each equal share of the weight: less noise than drawing growths at random
    levels = (generator.permutation(N_DRAWS) + 0.5) / N_DRAWS
    last = len(GROWTHS) - 1
    growths = GROWTHS[np.minimum(np.searchsorted(np.cumsum(growth_weight), levels), last)]
    by_place = generator.gamma(WEIGHT_SHAPE, 1 / WEIGHT_SHAPE, (N_DRAWS, len(order)))
    features = np.empty_like(by_place)
    features[:, order] = by_place  # weights belong to places: columns may come in any order
    weighted = [(one.weighted(features), one) for one in tables]
    near = (1 - START_UNIFORM) * main + START_UNIFORM / len(EFFECTS)
    weights = fit_effects(
        weighted,
        _scales(tables, growths),
        importance,
        np.repeat(near, N_DRAWS, axis=0),
        DRAW_STEPS,
    )
    return _Draws([table for table, _ in weighted], growths, weights)


def _growth_likelihood(plain: list[tuple[Array, RankTable]], start: Array) -> Array:
    """Return the log likelihood of each growth, features counted as independent."""
    count = len(GROWTHS)
    repeated = [(np.repeat(table, count, axis=0), one) for table, one in plain]
    scales = _scales([one for _, one in plain], GROWTHS)
    weights = fit_effects(
        repeated, scales, [1.0] * len(plain), np.repeat(start[np.newaxis], count, axis=0),
        GROWTH_STEPS,
    )  # fmt: skip
    return np.asarray(plain[0][1].n_features * log_likelihood(weights, repeated, scales))


def _scales(tables: Sequence[RankTable], growths: Array) -> list[Array]:
    """Return what effects at n/2 are multiplied by, for each size of parts."""
    return [(2 * one.fraction) ** growths for one in tables]


def _computed_places(size: int, n_features: int) -> NDArray[np.intp]:
    """Return the places whose chances are computed: all early ones, fewer and fewer later."""
    exact = min(n_features, max(N_EXACT_PLACES * size, 100))
    if exact == n_features:
        return np.arange(n_features)
    later = np.geomspace(exact, n_features - 1, 60).round().astype(np.intp)
    return np.unique(np.concatenate([np.arange(exact), later]))


def _interpolate(values: Array, places: NDArray[np.intp], n_features: int) -> Array:
    """Return values at all places, linear in the log of the place."""
    at = np.log(np.arange(n_features) + 0.5)
    known = np.log(places + 0.5)
    return np.stack([np.interp(at, known, row) for row in values])


@dataclass(frozen=True, eq=False)
class _EffectPosterior:
    """Weights of the effects at each place, and the log odds of selection of each effect."""

    weights: Array
    log_odds: Array


def _posterior_chances(
    draws: _Draws, places: NDArray[np.intp], size: int, n_features: int
) -> tuple[_EffectPosterior, Array]:
    """Return the posterior of the effects at each place, and the log odds of being found again."""
    scales = 2.0**draws.growths
    effects = EFFECTS * scales[:, np.newaxis]
    cut = score_thresholds(draws.weights, scales, np.array([size / n_features]))
    scores = score_thresholds(draws.weights, scales, (places + 0.5) / n_features)
    density = np.exp(-0.5 * (scores[:, :, np.newaxis] - effects[:, np.newaxis, :]) ** 2)
    weights = draws.weights[:, np.newaxis, :] * density
    weights /= weights.sum(axis=2, keepdims=True)
    chance = np.clip(ndtr(effects - cut), SMALLEST_CHANCE, 1 - SMALLEST_CHANCE)
    mean = (weights @ chance[:, :, np.newaxis])[:, :, 0]
    return _EffectPosterior(weights, logit(chance)), logit(mean)


def _larger_studies(
    draws: _Draws,
    posterior: _EffectPosterior,
    moved: Array,
    slopes: Array,
    places: NDArray[np.intp],
    ranks: DisjointRanks,
) -> Array:
    """Predict the chances in studies of this size and in larger ones, by place.

    Effects grow on, what is known of them stays. The log odds of the model are moved and stretched
    as those of studies of the same size are.
    """
    size, n_features = ranks.size, ranks.n_features
    found = []
    for factor in (1.0, *LARGER):
        scales = (2 * factor) ** draws.growths
        cut = score_thresholds(draws.weights, scales, np.array([size / n_features]))
        chance = ndtr(EFFECTS * scales[:, np.newaxis] - cut)
        chance = np.clip(chance, SMALLEST_CHANCE, 1 - SMALLEST_CHANCE)
        mean = (posterior.weights @ chance[:, :, np.newaxis])[:, :, 0]
        log_odds = slopes[:, np.newaxis] * (logit(mean) + moved)
        every = _shift_to_sum(_interpolate(log_odds, places, n_features), size)
        found.append(expit(every).mean(axis=0))
    return np.array(found)


def _odds_step(
    weighted: Sequence[Array], tables: Sequence[RankTable], places: NDArray[np.intp]
) -> Array:
    """Continue the log odds of being selected again from n/4 over n/2 to n."""
    half, quarter = (
        _selected_again(own, table, places) for own, table in zip(weighted, tables, strict=True)
    )
    return 2 * half - quarter


def _selected_again(weighted: Array, table: RankTable, places: NDArray[np.intp]) -> Array:
    """Return the log odds of selection in the other part by place; they fall with the place."""
    size, n_features = table.size, table.n_features
    first_out = int(np.searchsorted(table.edges, size))
    shares = weighted[:, :, :first_out].sum(axis=2) * n_features
    every = weighted.sum(axis=2) * n_features
    chance = (shares + PSEUDO_FEATURES * size / n_features) / (every + PSEUDO_FEATURES)
    falling = np.stack(
        [_decreasing(row, own + PSEUDO_FEATURES) for row, own in zip(chance, every, strict=True)]
    )
    log_odds = logit(np.clip(falling, SMALLEST_CHANCE, 1 - SMALLEST_CHANCE))
    middles = np.log((table.edges[1:] + table.edges[:-1]) / 2 + size / 4)
    at = np.log(places + 0.5 + size / 4)
    return np.stack([np.interp(at, middles, row) for row in log_odds])


def _decreasing(values: Array, weights: Array) -> Array:
    """Return the closest decreasing values, by pooling neighbours that are not."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] < block[0]:
            mean, total, count = blocks.pop()
            both = total + block[1]
            pooled = (mean * total + block[0] * block[1]) / both
            block = (pooled, both, count + block[2])
        blocks.append(block)
    return np.repeat([mean for mean, _, _ in blocks], [count for _, _, count in blocks])


def _shift_to_sum(log_odds: Array, size: int) -> Array:
    """Shift log odds so that the chances of each row add up to the size.

    Newton's method on the log of the sum, with a step of bisection where it leaves the bracket.
    """
    low, high = np.full(len(log_odds), -MAX_SHIFT), np.full(len(log_odds), MAX_SHIFT)
    shift = np.zeros(len(log_odds))
    for _ in range(MAX_SHIFT_STEPS):
        chance = expit(log_odds + shift[:, np.newaxis])
        total = chance.sum(axis=1)
        short = total < size
        low, high = np.where(short, shift, low), np.where(short, high, shift)
        slope = (total - np.einsum("rp,rp->r", chance, chance)) / total
        step = np.log(size / total) / np.maximum(slope, np.finfo(np.float64).tiny)
        inside = (low <= shift + step) & (shift + step <= high)
        step = np.where(inside, step, (low + high) / 2 - shift)
        shift = shift + step
        if np.abs(step).max() < SHIFT_TOLERANCE:
            break
    return np.asarray(log_odds + shift[:, np.newaxis])


@dataclass(frozen=True)
class _ShareScale:
    """Log odds of the part of the way from chance to perfect agreement that a share has gone."""

    chance: float

    def log_odds(self, share: float) -> float:
        """Return the log odds of a share."""
        part = min(max((share - self.chance) / (1 - self.chance), 0.0), 1.0)
        return float(logit(SHARE_MARGIN + (1 - 2 * SHARE_MARGIN) * part))

    def share(self, log_odds: Array) -> Array:
        """Return the shares of log odds, just above chance at least."""
        part = (expit(log_odds) - SHARE_MARGIN) / (1 - 2 * SHARE_MARGIN)
        return np.asarray(self.chance + np.clip(part, 0.002, 0.998) * (1 - self.chance))


def _share_draws(
    share: float, ranks: DisjointRanks, n_units: int, generator: np.random.Generator
) -> Array:
    """Return a share for each repetition: normal in log odds, one from each equal part."""
    scale = _ShareScale(ranks.size / ranks.n_features)
    steps = ndtri((np.arange(N_DRAWS) + 0.5) / N_DRAWS)
    spread = np.clip(SHARE_SD * np.sqrt(SHARE_SD_SAMPLES / n_units), *SHARE_SD_RANGE)
    steps *= spread / steps.std()
    return scale.share(scale.log_odds(share) + generator.permutation(steps))


def _stretch_to_share(log_odds: Array, size: int, shares: Array) -> tuple[Array, Array]:
    """Find slopes and shifts such that chances add up to the size and the first ones to the share.

    `log_odds` falls along each row; ``slope * log_odds + shift`` has the mean chance `share` over
    the first `size` places, as far as `STRETCHES` allows.
    """
    low, high = (np.full(len(log_odds), end) for end in STRETCHES)
    for _ in range(20):
        slope = (low + high) / 2
        stretched = _shift_to_sum(slope[:, np.newaxis] * log_odds, size)
        short = expit(stretched[:, :size]).mean(axis=1) < shares
        low, high = np.where(short, slope, low), np.where(short, high, slope)
    shift = stretched[:, 0] - slope * log_odds[:, 0]
    return slope, shift


def _with_score_vote(
    log_odds: Array, low: Array, scores: ScoreVote, size: int
) -> tuple[Array, Array]:
    """Average the log odds of chances with those of the model of signed scores."""
    vote = logit(np.clip(scores.chance, MIN_SCORE_CHANCE, 1 - MIN_SCORE_CHANCE))
    mean = (1 - SCORE_CHANCE_WEIGHT) * log_odds + SCORE_CHANCE_WEIGHT * vote
    averaged = _shift_to_sum(mean, size)
    change = (averaged - log_odds).mean(axis=0)
    bounded = logit(np.clip(low, SMALLEST_CHANCE, 1 - SMALLEST_CHANCE))
    return averaged, np.asarray(expit(bounded + change))


def _lower_bound(
    weights: Array, log_odds: Array, places: NDArray[np.intp], n_features: int
) -> Array:
    """Return a quantile of the posterior of each chance, over all repetitions.

    `weights` and `log_odds` have the shape (draws, places, effects).
    """
    n_draws, n_places, _ = weights.shape
    flat = log_odds.transpose(1, 0, 2).reshape(n_places, -1)
    shares = weights.transpose(1, 0, 2).reshape(n_places, -1) / n_draws
    order = np.argsort(flat, axis=1)
    reached = np.cumsum(np.take_along_axis(shares, order, axis=1), axis=1) < LOW_LEVEL
    first = np.minimum(reached.sum(axis=1), flat.shape[1] - 1)
    low = np.take_along_axis(flat, order, axis=1)[np.arange(n_places), first]
    return np.asarray(expit(_interpolate(low[np.newaxis], places, n_features)[0]))
