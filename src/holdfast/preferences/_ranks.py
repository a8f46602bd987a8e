"""From weights to ranks, with rules for ties."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean
from holdfast._typing import AnyArray, FloatArray
from holdfast.errors import InvalidInputError, UnknownNameError

Ties = Literal["random", "average", "index"]


def check_ties(ties: str) -> Ties:
    """Return the name of a tie rule; raise an error that lists all rules if it is unknown."""
    for known in get_args(Ties):
        if ties == known:
            rule: Ties = known
            return rule
    raise UnknownNameError(f"unknown tie rule {ties!r}.{did_you_mean(str(ties), get_args(Ties))}")


def rank_weights(
    weights: AnyArray, ties: Ties, generator: np.random.Generator
) -> NDArray[np.int32] | FloatArray:
    """Rank one vector, the highest weight first, rank 1 the best."""
    weights = weights.astype(np.float64, copy=False)  # unsigned numbers cannot be negated
    # not stable, which is faster; ties are put in order below
    order = np.argsort(-weights)
    ordered = weights[order]
    differs = ordered[1:] != ordered[:-1]
    if not differs.all():
        starts = np.flatnonzero(np.concatenate(([True], differs)))
        lengths = np.diff(starts, append=len(order))
        if ties == "average":
            ranks = np.empty(len(order))
            ranks[order] = np.repeat(starts + (lengths + 1) / 2, lengths)
            return ranks
        # Order tied features by index or at random. The random keys belong to the features, so the
        # result does not depend on the order in which the sort left equal weights.
        tied = np.repeat(lengths, lengths) > 1
        features = order[tied]
        run = np.searchsorted(starts, np.flatnonzero(tied), side="right")
        keys = features if ties == "index" else generator.random(len(order))[features]
        order[tied] = features[np.lexsort((keys, run))]
    positions = np.empty(len(order), dtype=np.int32)
    positions[order] = np.arange(1, len(order) + 1, dtype=np.int32)
    return positions


def as_feature_count(k: float, n_features: int, name: str = "k") -> int:
    """Turn "the top k", a count or a fraction of all features, into a count.

    A fraction is rounded to the nearest count, at least 1.
    """
    if isinstance(k, bool) or not isinstance(k, int | float | np.integer | np.floating):
        raise InvalidInputError(f"{name} must be a count or a fraction, got {k!r}.")
    if isinstance(k, int | np.integer):
        if not 1 <= k <= n_features:
            raise InvalidInputError(
                f"{name} as a count must lie between 1 and the {n_features:,} features, got {k:,}."
            )
        return int(k)
    if not 0 < k <= 1:
        raise InvalidInputError(f"{name} as a fraction must lie above 0 and up to 1, got {k!r}.")
    # halves round up: Python's round would take every second half down
    return max(1, int(np.floor(k * n_features + 0.5)))
