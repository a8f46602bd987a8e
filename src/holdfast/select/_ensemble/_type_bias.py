"""Warnings if the error bound of stability selection does not hold: type bias, and copied rows.

The bound holds for features that are picked no more often than at random. Some scores violate
this without any signal: mutual information with few neighbours prefers continuous features to
binary ones. Shuffled labels reveal it: with them, every type should be picked in proportion to
its number of features.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse

from holdfast._typing import AnyArray, BoolArray, FloatArray, IndexArray, MatrixLike
from holdfast.errors import HoldfastWarning
from holdfast.select._ensemble._stability_path import pick_features

if TYPE_CHECKING:
    from holdfast.select._ensemble._stability_path import LabelledSamples
    from holdfast.select._ranker import Ranker

MAX_BINARY_VALUES, MAX_FEW_VALUES = 2, 10
"""Largest number of distinct values of a binary feature (derived), and of one with few values
(chosen by hand)."""
FEATURE_TYPES = ("binary features", "features with few values", "continuous features")
MIN_FEATURES_OF_TYPE = 5
"""Smallest number of features of a tested type: with fewer, correlations decide what is picked."""
N_SHUFFLES = 20
"""Number of shuffles, one half each: enough for a standard error; chosen by hand."""
MIN_RATIO, MIN_T = 1.5, 4.0
"""A type is favoured if it is picked at least this many times as often as its share, and the
excess is at least this many standard errors; chosen by hand, strict to avoid false alarms."""
MIN_SHARE_OF_COPIES = 0.05
"""Smallest share of copied rows for which a warning asks for subjects; chosen by hand."""


def warn_if_types_are_favoured(
    make_base: Callable[[], Ranker],
    data: LabelledSamples,
    halves: Sequence[IndexArray],
    q: int,
    seed: int,
) -> None:
    """Warn if the base picks one type of feature more often than others from shuffled labels.

    Types of fewer than five features are not tested.

    Parameters
    ----------
    make_base : callable
        Returns the base selector.
    data : LabelledSamples
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
    # with shuffled labels no feature is informative: picks should follow these shares
    shares = np.array([np.mean(types == kind) for kind in range(len(FEATURE_TYPES))])
    generator = np.random.default_rng(seed)
    picks = []
    for half in halves[:N_SHUFFLES]:
        target = data.y.copy()
        rows = np.unique(half)
        # shuffled within the half, so that it keeps its class frequencies
        target[rows] = generator.permutation(data.y[rows])
        counts = pick_features(make_base(), data._replace(y=target), [half], q, seed).counts()
        total = max(int(counts.sum()), 1)
        picks.append([counts[types == kind].sum() / total for kind in range(len(FEATURE_TYPES))])
    tested = shares * len(types) >= MIN_FEATURES_OF_TYPE - 0.5
    favoured = _find_favoured_type(np.array(picks), shares, tested)
    if favoured is not None:
        name, ratio = FEATURE_TYPES[favoured[0]], favoured[1]
        warnings.warn(
            f"with shuffled labels, the base picks {name} {ratio:.1f} times as often as expected "
            "from their number: the bound of false selections does not hold for them. Select "
            "among features of one type at a time, or use a base that treats all types equally, "
            "such as t_score.",
            HoldfastWarning,
            stacklevel=2,
        )


def _find_favoured_type(
    picks: FloatArray, shares: FloatArray, tested: BoolArray
) -> tuple[int, float] | None:
    """Return the type that is favoured most, and its ratio; None if no type is favoured."""
    if len(picks) < 2:
        return None
    tested = tested & (shares > 0)
    ratio = np.where(tested, picks.mean(axis=0) / np.where(tested, shares, 1.0), 0.0)
    error = picks.std(axis=0, ddof=1) / np.sqrt(len(picks))
    clear = tested & (picks.mean(axis=0) - shares > MIN_T * error)
    best = int(np.argmax(np.where(clear, ratio, 0.0)))
    return (best, float(ratio[best])) if clear[best] and ratio[best] >= MIN_RATIO else None


def feature_types(X: MatrixLike) -> IndexArray | None:
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
    return np.asarray(
        np.searchsorted([MAX_BINARY_VALUES, MAX_FEW_VALUES], distinct, side="left"), dtype=np.intp
    )


def warn_if_rows_are_copies(X: MatrixLike, subjects: AnyArray | None) -> None:
    """Warn if many rows are copies of others and no subjects are given."""
    if subjects is not None or scipy.sparse.issparse(X):
        return
    types = feature_types(X)
    if types is None or not (types == len(FEATURE_TYPES) - 1).any():
        return  # without continuous features, rows may be equal by chance
    n_copies = len(X) - len({row.tobytes() for row in np.ascontiguousarray(X)})
    if n_copies > 1 and n_copies >= MIN_SHARE_OF_COPIES * len(X):
        warnings.warn(
            f"{n_copies:,} of {len(X):,} rows are copies of others. The bound of false selections "
            "needs independent samples: pass groups, the subject of each sample.",
            HoldfastWarning,
            stacklevel=2,
        )
