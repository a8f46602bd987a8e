"""The knot of a stability profile: the size at which agreement breaks.

The rule is described in `find_knot`; its constants were chosen on simulated data, and
``python -m benchmarks.claims knots`` measures how often noise has a knot (docs/how_we_know.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import plural
from holdfast._typing import BoolArray, FloatArray, IntArray
from holdfast.judge._agreement import Agreement, agreement, stack_lists
from holdfast.judge._significance import half_width

SIZE_RATIO = 1.08
"""Ratio of neighbouring sizes that are examined."""
N_FINE_SIZES = 32
"""Sizes that are examined around the best one."""
MAX_KNOT_SHARE = 0.4
"""Share of all features up to which knots are searched."""
MAX_NEXT_AGREEMENT = 0.8
"""Highest agreement of the next features at a knot, relative to the features before."""
MIN_CLARITY = 0.6
"""Clarity above which a knot is claimed."""

KNOT_EXPLANATION = (
    "How knots are found: A(k) is the share of k selected features on which resamples agree "
    "beyond chance, N(k) the same of the features added next (up to three times as many). The "
    "knot is the size k with the highest clarity log(1 + k) A (A - N); none is claimed where the "
    f"clarity is below {MIN_CLARITY:g} or N above {MAX_NEXT_AGREEMENT:g} A. Sizes up to "
    f"{MAX_KNOT_SHARE:.0%} of all "
    "features are looked at. A knot says where agreement breaks, not that the features before it "
    "are informative."
)


@dataclass(frozen=True, kw_only=True)
class Knot:
    """The size at which agreement breaks, if any.

    Attributes
    ----------
    size : int or None
        Number of features at the knot; None where none is clear.
    low, high : float
        Range of sizes around it that are not clearly worse, by a 95% jackknife interval over
        resamples (over groups of resamples, if there are groups); NaN without a knot, or with
        fewer than three resamples or two groups. The range is about repeating the protocol on the
        same data.
    agreed : float
        Share of the features up to the knot on which resamples agree beyond chance.
    next : float
        The same of the features added next.
    clarity : float
        log(1 + size) · agreed · (agreed - next).
    sentence : str
        The result in words.
    """

    size: int | None = None
    low: float = np.nan
    high: float = np.nan
    agreed: float = np.nan
    next: float = np.nan
    clarity: float = np.nan
    sentence: str


def find_knot(
    tops: Sequence[NDArray[np.integer]],
    n_features: int,
    *,
    groups: Iterable[Sequence[int]] | None = None,
) -> Knot:
    r"""Find the size from which features are added at random.

    Let r(k) be the mean overlap of two top-k lists of p features, and K(k) the number of features
    agreed on beyond chance,

    .. math:: K = \frac{p c}{1 + c}, \qquad c = \frac{p\,(r(k) - k^2/p)}{(p - k)^2}

    (K features that are always selected, followed by random ones, give K at any size k). With the
    shares :math:`A(k) = K(k)/k` and, of the features added next,
    :math:`N(k) = (K(l) - K(k)) / (l - k)`, l = min(3k, (k + p)/2), the knot is the k that
    maximises :math:`\log(1 + k)\,A\,(A - N)`. There is none if this clarity is below 0.6 or
    N > 0.8 A: noise that overlapping resamples share agrees, too, but does not break.

    Parameters
    ----------
    tops : sequence of arrays of int
        Features of each resample, the best first; rows are cut at the length of the shortest.
    n_features : int
        Number of all features, p.
    groups : iterable of sequences of int, optional
        Positions in `tops` of resamples that are compared with each other; default: all are.

    Returns
    -------
    Knot
        Sizes from 2 to 0.4 p are examined, if their next features are known.

    References
    ----------
    Kalousis, Prados and Hilario (2005), section 4.1, describe the knots; the rule is new, its
    constants were chosen on simulated data.

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> rng = np.random.default_rng(0)
    >>> tops = [np.append(rng.permutation(20), 20 + rng.permutation(180)) for _ in range(10)]
    >>> hf.judge.find_knot(tops, 200).size
    20
    """
    compared_groups = [range(len(tops))] if groups is None else groups
    tables = _stack_groups(tops, [list(group) for group in compared_groups if len(group) > 1])
    depth = min(tables[0].shape[1], n_features - 1) if tables else 0
    if depth < 3:
        return Knot(sentence="no knot: there are too few resamples or features to look for one")
    sizes = _coarse_sizes(depth)
    found = agreement(tables, sizes, n_features)
    best = _find_best(found)
    if best is None:
        return Knot(sentence=_describe_no_knot(found))
    fine_sizes = _fine_sizes(sizes, best)
    return _make_knot(agreement(tables, fine_sizes, n_features))


def _stack_groups(
    tops: Sequence[NDArray[np.integer]], groups: list[list[int]]
) -> list[NDArray[np.int32]]:
    depth = min((len(tops[place]) for group in groups for place in group), default=0)
    return [stack_lists([tops[place] for place in group], depth) for group in groups]


def _coarse_sizes(depth: int) -> IntArray:
    """Return sizes from 1 to depth, each a little larger than the one before."""
    sizes = [1]
    while sizes[-1] < depth:
        sizes.append(min(depth, max(sizes[-1] + 1, round(sizes[-1] * SIZE_RATIO))))
    return np.array(sizes)


def _fine_sizes(sizes: IntArray, best: int) -> IntArray:
    """Add sizes between the neighbours of the best one."""
    low, high = sizes[max(best - 1, 0)], sizes[min(best + 1, len(sizes) - 1)]
    return np.union1d(sizes, np.linspace(low, high, N_FINE_SIZES).round().astype(np.int64))


def _clarity(found: Agreement, agreed: FloatArray) -> FloatArray:
    share = np.maximum(found.share(agreed), 0.0)
    return np.asarray(np.log1p(found.sizes) * share * (share - found.share_of_next(agreed)))


def _is_examined(found: Agreement) -> BoolArray:
    """Return which sizes could be a knot: not too large, with known next features."""
    sizes = found.sizes
    in_range = (sizes >= 2) & (sizes <= MAX_KNOT_SHARE * found.n_features)
    return np.asarray(in_range & (found.stops <= sizes[-1]))


def _find_best(found: Agreement) -> int | None:
    """Return the place of the clearest break, None where none is clear.

    A break at the last size does not count: it may become clearer beyond.
    """
    agreed, places = found.agreed, np.flatnonzero(_is_examined(found))
    if len(places) == 0:
        return None
    breaks = found.share_of_next(agreed)[places] <= MAX_NEXT_AGREEMENT * found.share(agreed)[places]
    clarity = np.where(breaks, _clarity(found, agreed)[places], -np.inf)
    best = int(np.argmax(clarity))
    return int(places[best]) if clarity[best] > MIN_CLARITY and best < len(places) - 1 else None


def _make_knot(found: Agreement) -> Knot:
    best = _find_best(found)
    if best is None:  # the finer grid moved the next features a little
        return Knot(sentence=_describe_no_knot(found))
    low, high = _knot_range(found, best)
    agreed, following = (
        float(share(found.agreed)[best]) for share in (found.share, found.share_of_next)
    )
    size, stop = int(found.sizes[best]), found.stops[best]
    return Knot(
        size=size,
        low=low,
        high=high,
        agreed=agreed,
        next=following,
        clarity=float(_clarity(found, found.agreed)[best]),
        sentence=_describe_knot((size, low, high), agreed, following, round(stop - size)),
    )


def _knot_range(found: Agreement, best: int) -> tuple[float, float]:
    """Return the smallest and largest sizes around the best that are not clearly worse."""
    if len(found.replicates) == 0:
        return np.nan, np.nan
    clarity, replicates = (_clarity(found, a) for a in (found.agreed, found.replicates))
    half = half_width(replicates[:, [best]] - replicates)
    with np.errstate(invalid="ignore"):  # NaN where the next features are unknown
        as_clear = (clarity[best] - clarity <= half) & _is_examined(found)
    other = np.flatnonzero(~as_clear)
    first = other[other < best].max(initial=-1) + 1
    last = other[other > best].min(initial=len(clarity)) - 1
    return float(found.sizes[first]), float(found.sizes[last])


def _describe_knot(
    place: tuple[int, float, float], agreed: float, following: float, more: int
) -> str:
    size, low, high = place
    interval = "" if np.isnan(low) or low == high else f" ({low:,.0f} to {high:,.0f})"
    return (
        f"agreement breaks at {plural(size, 'feature')}{interval}: up to there resamples agree on "
        f"{agreed:.0%} of what they select beyond chance, but only on {max(following, 0):.0%} of "
        f"the next {plural(more, 'feature')}"
    )


def _describe_no_knot(found: Agreement) -> str:
    furthest = int(found.sizes[_is_examined(found)].max(initial=1))
    return (
        "no knot: agreement does not clearly break as features are added "
        f"(looked at up to {plural(furthest, 'feature')})"
    )
