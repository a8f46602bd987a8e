"""Whether a selector favours features of one type, such as continuous ones, where nothing counts.

The bound of stability selection holds for features that are picked no more often than at random.
Some scores break this without any signal: mutual information with few neighbours prefers continuous
features to binary ones. Shuffled labels show it: whatever is picked there, is picked by chance.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from holdfast.errors import HoldfastWarning
from holdfast.select._ensemble._stability_path import pick_features

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from holdfast.select._ensemble._stability_path import StabilitySelectionData
    from holdfast.select._ranker import Ranker

BINARY, FEW = 2, 10
"""Most distinct values of a binary feature, and of one with a few values."""
TYPES = ("binary features", "features with few values", "continuous features")
MIN_FEATURES_OF_TYPE = 5
"""Fewest features of a type that is judged: chances of single ones depend on correlations."""
N_SHUFFLES = 20
MIN_RATIO, MIN_T = 1.5, 4.0
"""A type is favoured that is picked this many times as often as its share, clearly."""
MIN_SHARE_OF_COPIES = 0.05
"""Share of rows that are copies of others from which on subjects are asked for."""


def warn_if_types_are_favoured(
    make_base: Callable[[], Ranker],
    data: StabilitySelectionData,
    halves: Sequence[NDArray[np.intp]],
    q: int,
    seed: int,
) -> None:
    """Warn where the base picks one type of feature more often than others from shuffled labels.

    Types of fewer than five features are not judged; nothing is looked at where all features are
    of one type.

    Parameters
    ----------
    make_base : callable
        Returns the base selector.
    data : Data
        The data.
    halves : sequence of index arrays
        Subsamples; one is used for each shuffle.
    q : int
        How many features are picked on each.
    seed : int
        Seed of the shuffles and of the base.
    """
    types = feature_types(data.X)
    if types is None or q >= len(types):
        return
    if np.sum(np.bincount(types) >= MIN_FEATURES_OF_TYPE) < 2:
        return
    shares = np.array([np.mean(types == kind) for kind in range(len(TYPES))])
    generator, rows = np.random.default_rng(seed), list(halves)
    picks = []
    for half in rows[:N_SHUFFLES]:
        target = data.y.copy()
        own = np.unique(half)
        target[own] = generator.permutation(data.y[own])  # within a half, which keeps its classes
        counts = pick_features(make_base(), data._replace(y=target), [half], q, seed).counts()
        total = max(int(counts.sum()), 1)
        picks.append([counts[types == kind].sum() / total for kind in range(len(TYPES))])
    judged = shares * len(types) >= MIN_FEATURES_OF_TYPE - 0.5
    favoured = _find_favoured_type(np.array(picks), shares, judged)
    if favoured is not None:
        name, ratio = TYPES[favoured[0]], favoured[1]
        warnings.warn(
            f"with shuffled labels, the base picks {name} {ratio:.1f} times as often as their "
            "number lets expect: the bound of false selections does not hold for them. Select "
            "among features of one type at a time, or take a base that treats all types alike, "
            "such as t_score.",
            HoldfastWarning,
            stacklevel=2,
        )


def _find_favoured_type(
    picks: NDArray[np.float64], shares: NDArray[np.float64], judged: NDArray[np.bool_]
) -> tuple[int, float] | None:
    """Return the type that is favoured most, and how many times; None where none is."""
    if len(picks) < 2:
        return None
    there = judged & (shares > 0)
    ratio = np.where(there, picks.mean(axis=0) / np.where(there, shares, 1.0), 0.0)
    error = picks.std(axis=0, ddof=1) / np.sqrt(len(picks))
    clear = there & (picks.mean(axis=0) - shares > MIN_T * error)
    best = int(np.argmax(np.where(clear, ratio, 0.0)))
    return (best, float(ratio[best])) if clear[best] and ratio[best] >= MIN_RATIO else None


def feature_types(X: Any) -> NDArray[np.intp] | None:  # noqa: ANN401
    """Return the type of each feature by its distinct values; None for sparse data.

    Examples
    --------
    >>> import numpy as np
    >>> feature_types(np.column_stack([np.arange(20) % 2, np.arange(20) % 5, np.arange(20.0)]))
    array([0, 1, 2])
    """
    if scipy.sparse.issparse(X):
        return None
    ordered = np.sort(X, axis=0)  # missing values come last
    with np.errstate(invalid="ignore"):
        distinct = 1 + (np.diff(ordered, axis=0) > 0).sum(axis=0)
    return np.asarray(np.searchsorted([BINARY, FEW], distinct, side="left"), dtype=np.intp)


def warn_if_rows_are_copies(X: Any, subjects: NDArray[Any] | None) -> None:  # noqa: ANN401
    """Warn where many rows are copies of others and no subjects are named."""
    if subjects is not None or scipy.sparse.issparse(X):
        return
    types = feature_types(X)
    if types is None or not (types == len(TYPES) - 1).any():
        return  # rows of a few values coincide by chance
    n_copies = len(X) - len({row.tobytes() for row in np.ascontiguousarray(X)})
    if n_copies > 1 and n_copies >= MIN_SHARE_OF_COPIES * len(X):
        warnings.warn(
            f"{n_copies:,} of {len(X):,} rows are copies of others. The bound of false selections "
            "is about independent samples: give groups, the subject of each sample.",
            HoldfastWarning,
            stacklevel=2,
        )
