"""Rank aggregation: from many rankings, or score vectors, to one consensus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, hyp2f1

from holdfast._formatting import did_you_mean
from holdfast._typing import AnyArray, FloatArray, IndexArray
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.preferences import as_feature_count

Vote = Callable[[FloatArray, int], FloatArray]
"""Turns the ranks or scores of one ranking, and the number of top features, into votes."""


class Aggregate(NamedTuple):
    """A rule that turns rankings, or scores, into a consensus."""

    vote: Vote
    combine: Callable[[FloatArray, int], FloatArray]
    """Turns votes, one row per ranking, and the number of features that each ranking has, into one
    score per feature, higher being better."""
    takes: Literal["ranks", "scores"] = "ranks"
    tops: bool = False
    """Whether the rule uses the number of top features."""


def _negative_ranks(ranks: FloatArray, _: int) -> FloatArray:
    return -ranks


def _negative_last_ranks(ranks: FloatArray, _: int) -> FloatArray:
    """Return minus the last rank of each tie, the rank that favours no tied feature."""
    # ranks are averages: k tied features occupy the ranks r - (k - 1)/2 to r + (k - 1)/2
    return -(ranks + (_tie_counts(ranks) - 1) / 2)


def _top_shares(ranks: FloatArray, top: int) -> FloatArray:
    """Return 1 for the top features; those that tie for the last positions share them."""
    counts = _tie_counts(ranks)
    before = ranks - (counts + 1) / 2  # the features ranked better, since tied ranks are averages
    shares: FloatArray = np.clip((top - before) / counts, 0.0, 1.0)
    return shares


def _tie_counts(ranks: FloatArray) -> IndexArray:
    """Return how many features share the rank of each feature, itself included."""
    _, positions, counts = np.unique(ranks, return_inverse=True, return_counts=True)
    return counts[positions]


def _scale_scores(scores: FloatArray, _: int) -> FloatArray:
    """Scale scores from 0 (the lowest) to 1 (the highest); 0 if all are equal."""
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def _mean_votes(votes: FloatArray, _: int) -> FloatArray:
    mean: FloatArray = votes.mean(axis=0)
    return mean


def _best_votes(votes: FloatArray, n_ranked: int) -> FloatArray:
    """Return the highest vote; ties are broken by the mean."""
    # votes are minus the ranks 1..p, so the tie-breaker lies in 0..1 and half of it is less than
    # the smallest difference of two average ranks
    tie_breaker = 1 + votes.mean(axis=0) / (n_ranked + 1)
    best: FloatArray = votes.max(axis=0) + tie_breaker / 2
    return best


AGGREGATES = {
    "linear": Aggregate(lambda ranks, _: len(ranks) + 1 - ranks, _mean_votes),
    "exponential": Aggregate(lambda ranks, top: np.exp(-ranks / top), _mean_votes, tops=True),
    "mean": Aggregate(_negative_ranks, _mean_votes),
    "median": Aggregate(_negative_ranks, lambda votes, _: np.median(votes, axis=0)),
    "best": Aggregate(_negative_ranks, _best_votes),
    "frequency": Aggregate(_top_shares, _mean_votes, tops=True),
    "rra": Aggregate(_negative_last_ranks, lambda votes, n_ranked: robust_scores(-votes, n_ranked)),
    "score_mean": Aggregate(_scale_scores, _mean_votes, takes="scores"),
    "score_norm": Aggregate(
        _scale_scores, lambda votes, _: np.sqrt(np.square(votes).mean(axis=0)), takes="scores"
    ),
}


def get_aggregate(aggregate: object) -> Aggregate:
    """Return the aggregate of a name, or one whose votes a function computes from ranks."""
    if callable(aggregate):
        return Aggregate(_make_vote(aggregate), _mean_votes)
    if not isinstance(aggregate, str) or aggregate not in AGGREGATES:
        hint = did_you_mean(str(aggregate), AGGREGATES)
        raise UnknownNameError(
            f"aggregate must be a name or a function of the ranks, got {aggregate!r}.{hint}"
        )
    return AGGREGATES[aggregate]


def compute_votes(table: AnyArray, aggregate: Aggregate, top: float) -> FloatArray:
    """Return the votes of each row of ranks (1 the best), or of scores.

    Parameters
    ----------
    table : array of shape (m, p)
        Ranks, tied ones averaged, or scores, as the aggregate takes them; NaN for features that a
        ranking leaves out, which are as many in every row.
    aggregate : Aggregate
        How to vote.
    top : int or float
        The number of top features, or their share.

    Returns
    -------
    array of shape (m, p)
        NaN for features that a ranking leaves out.
    """
    ranked = ~np.isnan(table)
    n_ranked = int(ranked[0].sum())
    count = as_feature_count(top, n_ranked, "top") if aggregate.tops else 0
    votes = np.full(table.shape, np.nan)
    for vote_row, row, present in zip(votes, table, ranked, strict=True):
        vote_row[present] = aggregate.vote(row[present].astype(np.float64, copy=False), count)
    return votes


def combine_votes(votes: FloatArray, aggregate: Aggregate) -> FloatArray:
    """Return the score of each feature from the votes of the rankings that have it.

    Parameters
    ----------
    votes : array of shape (m, p)
        As `compute_votes` returns them; every feature is in some ranking.
    aggregate : Aggregate
        How to combine them.

    Returns
    -------
    array of shape (p,)
    """
    ranked = ~np.isnan(votes)
    if ranked.all():
        return aggregate.combine(votes, votes.shape[1])
    n_ranked, n_rankings = int(ranked[0].sum()), ranked.sum(axis=0)
    scores = np.empty(votes.shape[1])
    # features with the same number of votes are combined in one call
    for count in np.unique(n_rankings):
        features = np.flatnonzero(n_rankings == count)
        part = votes[:, features].T[ranked[:, features].T].reshape(len(features), count).T
        scores[features] = aggregate.combine(part, n_ranked)
    return scores


def _make_vote(function: Callable[[FloatArray], Any]) -> Vote:
    """Return a vote that calls a user's function and checks what it returns."""

    def vote(ranks: FloatArray, _: int) -> FloatArray:
        votes = np.asarray(function(ranks.copy()))
        numeric = votes.dtype.kind in "fiub"
        finite = numeric and bool(np.isfinite(votes).all())
        if votes.shape != ranks.shape or not finite:
            returned = f"an array of {votes.dtype} of shape {votes.shape}"
            if numeric and votes.ndim and not finite:
                returned = "values that are NaN or infinite"
            raise InvalidInputError(
                f"aggregate, as a function, must turn an array of {len(ranks):,} ranks into as "
                f"many finite numbers; got {returned}."
            )
        return votes.astype(np.float64)

    return vote


# Robust rank aggregation: whether a feature is ranked better than expected by chance.

MIN_PROBABILITY = 1e-290
"""Smaller probabilities are computed as logarithms, since they underflow at about 1e-308."""


def robust_scores(
    ranks: NDArray[np.integer] | FloatArray, n_ranked: int | None = None
) -> FloatArray:
    r"""Return how much better each feature is ranked than expected by chance.

    .. math:: s = -\ln(m \rho), \quad \rho = \min_k P(B_k \le r_{(k)} / p)

    where :math:`r_{(1)} \le \dots \le r_{(m)}` are the m ranks of the feature and
    :math:`B_k \sim \mathrm{Beta}(k, m - k + 1)` is the k-th smallest of m uniform numbers.

    Parameters
    ----------
    ranks : array of shape (m, p)
        One ranking per row, 1 the best. Tied features should have their last rank: with average
        ranks, p features that are tied in every ranking would seem to agree on p/2.
    n_ranked : int, optional
        p, the number of features in each ranking; None: the number of columns.

    Returns
    -------
    array of shape (p,)
        The scores, from -ln m to m ln p - ln m; finite even if ρ underflows.

    Notes
    -----
    :math:`m \rho`, at most 1, bounds the p-value of the feature if the rankings are independent.
    Scores of 0 and less all mean the bound 1; they are not truncated, so that features ranked no
    better than by chance keep an order.

    References
    ----------
    R. Kolde, S. Laur, P. Adler, J. Vilo (2012). Robust rank aggregation for gene list integration
    and meta-analysis. Bioinformatics 28(4), 573-580.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.select._ensemble._rank_aggregation import robust_scores
    >>> robust_scores(np.array([[1, 2, 3, 4], [1, 3, 4, 2]])).round(2).tolist()
    [2.08, -0.12, -0.63, -0.41]
    """
    m, n_features = ranks.shape
    p = n_features if n_ranked is None else n_ranked
    # [Kolde2012]_: the k-th best normalised rank of m is compared with the k-th of m uniform
    # numbers; the least probability over k counts, corrected by m
    parts = np.sort(ranks, axis=0) / p
    lowest = np.zeros(n_features)
    for k, part in enumerate(parts, start=1):
        np.minimum(lowest, _log_probability(k, m, part), out=lowest)
    return -lowest - float(np.log(m))


def _log_probability(k: int, m: int, part: FloatArray) -> FloatArray:
    """Return ln P(the k-th smallest of m uniform numbers is at most `part`)."""
    chance = betainc(k, m - k + 1, part)
    small = chance < MIN_PROBABILITY
    logs: FloatArray = np.log(chance, where=~small, out=np.zeros_like(part))
    # power series of the incomplete beta function, in logarithms:
    # I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) * 2F1(a + b, 1; a + 1; x)
    x, b = part[small], m - k + 1
    front = k * np.log(x) + b * np.log1p(-x) - np.log(k) - betaln(k, b)
    logs[small] = front + np.log(hyp2f1(m + 1, 1, k + 1, x))
    return logs
