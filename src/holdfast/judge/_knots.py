"""The knot of a stability profile: where agreement breaks as features are added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast._formatting import plural
from holdfast.judge._agreement import Agreement, agreement, stack_lists
from holdfast.judge._significance import half_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

RATIO = 1.08  # between neighbouring sizes that are looked at
FINE = 32  # sizes that are looked at around the best one
MAX_KNOT_SHARE = 0.4  # share of all features up to which knots are looked for
MAX_NEXT_AGREEMENT = 0.8  # the next features agree at most this often, relative to those before
MIN_CLARITY = 0.6  # clarity above which a knot is claimed

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
    """Where agreement breaks, or that it does not.

    Attributes
    ----------
    size : int or None
        Number of features at the knot; None where none is clear.
    low, high : float
        Sizes around it that could be the knot and are not clearly worse, by a 95% jackknife
        interval over resamples (over groups of resamples, by Student's t, where they come in
        groups); NaN without a knot, or with fewer than three resamples or two groups. They speak
        about repeating the protocol on the same data.
    agreed : float
        Share of the features up to the knot on which resamples agree beyond chance.
    next : float
        The same of the features added next.
    clarity : float
        log(1 + size) · agreed · (agreed - next).
    sentence : str
        All of it in words.
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
    r"""Find where features start to be added at random.

    Let r(k) be the mean overlap of two top-k lists of p features, and K(k) the number of features
    agreed on beyond chance,

    .. math:: K = \frac{p c}{1 + c}, \qquad c = \frac{p\,(r(k) - k^2/p)}{(p - k)^2}

    (K features that are always selected, joined by random ones, give K, whatever k). With the
    shares :math:`A(k) = K(k)/k` and, of the features added next,
    :math:`N(k) = (K(l) - K(k)) / (l - k)`, l = min(3k, (k + p)/2), the knot is the k that
    maximises :math:`\log(1 + k)\,A\,(A - N)`. There is none if this clarity is below 0.6 or
    N > 0.8 A: noise that overlapping resamples share also agrees, but does not break.

    Parameters
    ----------
    tops : sequence of arrays of int
        Features of each resample, the best first. All rows are read as far as the shortest.
    n_features : int
        Number of all features, p.
    groups : iterable of sequences of int, optional
        Positions in `tops` of resamples that are compared with each other; default: all are.

    Returns
    -------
    Knot
        Sizes from 2 to 0.4 p are looked at, but none whose next features are not there.

    References
    ----------
    Kalousis, Prados and Hilario (2005), section 4.1, who saw the knots; the rule is holdfast's
    own, its constants chosen on simulated data. How often it is right is among the benchmarks.

    Examples
    --------
    >>> import numpy as np, holdfast as hf
    >>> rng = np.random.default_rng(0)
    >>> tops = [np.append(rng.permutation(20), 20 + rng.permutation(180)) for _ in range(10)]
    >>> hf.judge.find_knot(tops, 200).size
    20
    """
    compared = [range(len(tops))] if groups is None else groups
    tables = _tables(tops, [list(group) for group in compared if len(group) > 1])
    depth = min(tables[0].shape[1], n_features - 1) if tables else 0
    if depth < 3:
        return Knot(sentence="no knot: there are too few resamples or features to look for one")
    sizes = _coarse(depth)
    found = agreement(tables, sizes, n_features)
    best = _best(found)
    if best is None:
        return Knot(sentence=_no_knot(found))
    fine = _fine(sizes, best)
    return _knot(agreement(tables, fine, n_features))


def _tables(
    tops: Sequence[NDArray[np.integer]], groups: list[list[int]]
) -> list[NDArray[np.int32]]:
    depth = min((len(tops[place]) for group in groups for place in group), default=0)
    return [stack_lists([tops[place] for place in group], depth) for group in groups]


def _coarse(depth: int) -> NDArray[np.int64]:
    """Return sizes from 1 to depth, each a little larger than the one before."""
    sizes = [1]
    while sizes[-1] < depth:
        sizes.append(min(depth, max(sizes[-1] + 1, round(sizes[-1] * RATIO))))
    return np.array(sizes)


def _fine(sizes: NDArray[np.int64], best: int) -> NDArray[np.int64]:
    """Add sizes between the neighbours of the best one."""
    low, high = sizes[max(best - 1, 0)], sizes[min(best + 1, len(sizes) - 1)]
    return np.union1d(sizes, np.linspace(low, high, FINE).round().astype(np.int64))


def _clarity(found: Agreement, agreed: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.maximum(found.share(agreed), 0.0)
    return np.asarray(np.log1p(found.sizes) * share * (share - found.share_of_next(agreed)))


def _looked_at(found: Agreement) -> NDArray[np.bool_]:
    """Tell which sizes could be a knot: not too many features, and the next ones are known."""
    sizes = found.sizes
    within = (sizes >= 2) & (sizes <= MAX_KNOT_SHARE * found.n_features)
    return np.asarray(within & (found.stops <= sizes[-1]))


def _best(found: Agreement) -> int | None:
    """Return the place of the clearest break, None where none is clear.

    A break at the last size is none: it may become clearer beyond.
    """
    agreed, places = found.agreed, np.flatnonzero(_looked_at(found))
    if len(places) == 0:
        return None
    breaks = found.share_of_next(agreed)[places] <= MAX_NEXT_AGREEMENT * found.share(agreed)[places]
    clarity = np.where(breaks, _clarity(found, agreed)[places], -np.inf)
    best = int(np.argmax(clarity))
    return int(places[best]) if clarity[best] > MIN_CLARITY and best < len(places) - 1 else None


def _knot(found: Agreement) -> Knot:
    best = _best(found)
    if best is None:  # the finer grid moved the next features a little
        return Knot(sentence=_no_knot(found))
    low, high = _around(found, best)
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
        sentence=_sentence((size, low, high), agreed, following, round(stop - size)),
    )


def _around(found: Agreement, best: int) -> tuple[float, float]:
    """Return the smallest and largest possible knot around the best that is not clearly worse."""
    if len(found.replicates) == 0:
        return np.nan, np.nan
    clarity, replicates = (_clarity(found, a) for a in (found.agreed, found.replicates))
    half = half_width(replicates[:, [best]] - replicates)
    with np.errstate(invalid="ignore"):  # NaN where the next features are not there
        as_clear = (clarity[best] - clarity <= half) & _looked_at(found)
    other = np.flatnonzero(~as_clear)
    first = other[other < best].max(initial=-1) + 1
    last = other[other > best].min(initial=len(clarity)) - 1
    return float(found.sizes[first]), float(found.sizes[last])


def _sentence(place: tuple[int, float, float], agreed: float, following: float, more: int) -> str:
    size, low, high = place
    interval = "" if np.isnan(low) or low == high else f" ({low:,.0f} to {high:,.0f})"
    return (
        f"agreement breaks at {plural(size, 'feature')}{interval}: up to there resamples agree on "
        f"{agreed:.0%} of what they select beyond chance, but only on {max(following, 0):.0%} of "
        f"the next {plural(more, 'feature')}"
    )


def _no_knot(found: Agreement) -> str:
    furthest = int(found.sizes[_looked_at(found)].max(initial=1))
    return (
        "no knot: agreement does not clearly break as features are added "
        f"(looked at up to {plural(furthest, 'feature')})"
    )
