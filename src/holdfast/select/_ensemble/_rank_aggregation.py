"""From many rankings, or many scores, to one: votes, and the consensus of the votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from scipy.special import betainc, betaln, hyp2f1

from holdfast._formatting import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.preferences._ranks import count_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Vote = Callable[[Array, int], Array]
    """From the ranks or scores of one ranking, and the number of top features, to votes."""


class Aggregate(NamedTuple):
    """A way to a consensus."""

    vote: Vote
    combine: Callable[[Array], Array]
    """From votes, a row a ranking, to one number a feature, higher being better."""
    takes: Literal["ranks", "scores"] = "ranks"
    tops: bool = False
    """Whether the number of top features counts."""


def _linear(ranks: Array, _: int) -> Array:
    return len(ranks) + 1 - ranks


def _exponential(ranks: Array, top: int) -> Array:
    votes: Array = np.exp(-ranks / top)
    return votes


def _negative(ranks: Array, _: int) -> Array:
    return -ranks


def _negative_last(ranks: Array, _: int) -> Array:
    """Minus the last rank of a tie: places that nobody earned say nothing for its features."""
    counts = _tied(ranks)
    return -(ranks + (counts - 1) / 2)


def _among_top(ranks: Array, top: int) -> Array:
    """1 for the top features; those that tie for the last places share them."""
    counts = _tied(ranks)
    before = ranks - (counts + 1) / 2
    shares: Array = np.clip((top - before) / counts, 0.0, 1.0)
    return shares


def _tied(ranks: Array) -> NDArray[np.intp]:
    """Return how many features have the rank of each, itself included."""
    _, who, counts = np.unique(ranks, return_inverse=True, return_counts=True)
    return counts[who]


def _scale_scores(scores: Array, _: int) -> Array:
    """Scores from 0, the lowest, to 1, the highest; 0 where all are equal."""
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def _mean(votes: Array) -> Array:
    mean: Array = votes.mean(axis=0)
    return mean


def _median(votes: Array) -> Array:
    return np.asarray(np.median(votes, axis=0))


def _best(votes: Array) -> Array:
    """The highest vote; a fraction of the least step between ranks orders by the mean."""
    share = 1 + votes.mean(axis=0) / (votes.shape[1] + 1)
    best: Array = votes.max(axis=0) + share / 2
    return best


def _robust(votes: Array) -> Array:
    return robust_scores(-votes)


def _norm(votes: Array) -> Array:
    norm: Array = np.sqrt(np.square(votes).mean(axis=0))
    return norm


AGGREGATES = {
    "linear": Aggregate(_linear, _mean),
    "exponential": Aggregate(_exponential, _mean, tops=True),
    "mean": Aggregate(_negative, _mean),
    "median": Aggregate(_negative, _median),
    "best": Aggregate(_negative, _best),
    "frequency": Aggregate(_among_top, _mean, tops=True),
    "rra": Aggregate(_negative_last, _robust),
    "score_mean": Aggregate(_scale_scores, _mean, takes="scores"),
    "score_norm": Aggregate(_scale_scores, _norm, takes="scores"),
}


def get_aggregate(given: Any) -> Aggregate:  # noqa: ANN401
    """Return the aggregate of a name, or one that votes by a function of the ranks."""
    if callable(given):
        return Aggregate(_make_vote(given), _mean)
    if not isinstance(given, str) or given not in AGGREGATES:
        hint = did_you_mean(str(given), AGGREGATES)
        raise UnknownNameError(
            f"aggregate must be a name or a function of the ranks, got {given!r}.{hint}"
        )
    return AGGREGATES[given]


def votes_of(table: NDArray[Any], aggregate: Aggregate, top: float) -> Array:
    """Return what each row of ranks (1 the best), or of scores, says of each feature.

    Parameters
    ----------
    table : array of shape (m, p)
        Ranks, tied ones averaged, or scores, as the aggregate takes them.
    aggregate : Aggregate
        How to vote.
    top : int or float
        The number of top features, or their share.

    Returns
    -------
    array of shape (m, p)
    """
    count = count_of(top, table.shape[1], "top") if aggregate.tops else 0
    votes = np.empty(table.shape)
    for row, own in zip(votes, table, strict=True):
        row[:] = aggregate.vote(own.astype(np.float64, copy=False), count)
    return votes


def _make_vote(function: Callable[[Array], Any]) -> Vote:
    """Return how to vote by a user's function, whose answer is looked at."""

    def vote(ranks: Array, _: int) -> Array:
        votes = np.asarray(function(ranks.copy()))
        numbers = votes.shape == ranks.shape and votes.dtype.kind in "fiub"
        if not (numbers and np.isfinite(votes).all()):
            raise InvalidInputError(
                f"aggregate, as a function, must turn an array of {len(ranks):,} ranks into as "
                f"many finite numbers; it returned {_describe_votes(votes)}."
            )
        return votes.astype(np.float64)

    return vote


def _describe_votes(votes: NDArray[Any]) -> str:
    if votes.dtype.kind in "fiub" and votes.ndim and not np.isfinite(votes).all():
        return "some that are NaN or infinite"
    return f"an array of {votes.dtype} of shape {votes.shape}"


# Robust rank aggregation: is a feature ranked better than chance would rank it?

TINY = 1e-290
"""Probabilities below this are computed as logarithms, before they vanish."""


def robust_scores(ranks: NDArray[np.integer] | Array) -> Array:
    r"""Return how much better each feature is ranked than by chance.

    .. math:: s = -\ln(m \rho), \quad \rho = \min_k P(B_k \le r_{(k)} / p)

    where :math:`r_{(1)} \le \dots \le r_{(m)}` are the m ranks of the feature and
    :math:`B_k \sim \mathrm{Beta}(k, m - k + 1)` is the k-th smallest of m uniform numbers.

    Parameters
    ----------
    ranks : array of shape (m, p)
        A ranking a row, 1 the best. Tied features should have their last rank: by their average
        rank, p features that are tied in every ranking would seem to agree on p/2.

    Returns
    -------
    array of shape (p,)
        The scores, from -ln m to m ln p - ln m, finite also where ρ is too small for a number.

    Notes
    -----
    :math:`m \rho`, at most 1, bounds the p-value of the feature where the rankings are
    independent. Scores of 0 and less all stand for the bound 1; they are not cut off there, so
    that features that chance could rank as well keep an order.

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
    m, p = ranks.shape
    parts = np.sort(ranks, axis=0) / p
    least = np.zeros(p)
    for k, part in enumerate(parts, start=1):
        np.minimum(least, _log_probability(k, m, part), out=least)
    return -least - float(np.log(m))


def _log_probability(k: int, m: int, part: Array) -> Array:
    """Return ln P(the k-th smallest of m uniform numbers is at most `part`)."""
    chance = betainc(k, m - k + 1, part)
    small = chance < TINY
    logs: Array = np.log(chance, where=~small, out=np.zeros_like(part))
    logs[small] = _log_small(k, m, part[small])
    return logs


def _log_small(k: int, m: int, part: Array) -> Array:
    """The same by the power series of the incomplete beta function, which never vanishes."""
    last = m - k + 1
    front = k * np.log(part) + last * np.log1p(-part) - np.log(k) - betaln(k, last)
    logs: Array = front + np.log(hyp2f1(m + 1, 1, k + 1, part))
    return logs
