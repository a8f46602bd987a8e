"""From weights to ranks, and what becomes of ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from holdfast._formatting import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Ties = Literal["random", "average", "index"]
RandomState: TypeAlias = "int | np.random.Generator | np.random.RandomState | None"


def checked_ties(ties: str) -> Ties:
    """Return the name of a tie rule, or say which there are."""
    for known in get_args(Ties):
        if ties == known:
            rule: Ties = known
            return rule
    raise UnknownNameError(f"unknown tie rule {ties!r}.{did_you_mean(str(ties), get_args(Ties))}")


def generators(
    random_state: RandomState, count: int, first: int = 0
) -> Iterator[np.random.Generator]:
    """Yield one independent generator per preference, seeded by its position alone.

    The positions are `first`, `first` + 1, ...: parts of a whole get the whole's generators.
    """
    entropy: Any = random_state
    if isinstance(random_state, np.random.Generator):
        entropy = int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        entropy = int(random_state.randint(2**31))
    for position in range(first, first + count):
        yield np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(position,)))


def ranks_of(
    weights: NDArray[Any], ties: Ties, generator: np.random.Generator
) -> NDArray[np.int32] | NDArray[np.float64]:
    """Rank one vector, the highest weight first, rank 1 the best."""
    weights = weights.astype(np.float64, copy=False)  # unsigned numbers have no negatives
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
        _order_ties(order, np.repeat(lengths, lengths) > 1, starts, ties, generator)
    positions = np.empty(len(order), dtype=np.int32)
    positions[order] = np.arange(1, len(order) + 1, dtype=np.int32)
    return positions


def _order_ties(
    order: NDArray[np.intp],
    tied: NDArray[np.bool_],
    starts: NDArray[np.intp],
    ties: Ties,
    generator: np.random.Generator,
) -> None:
    """Order features of equal weight by index or at random, in place.

    The random keys belong to the features, so the outcome does not depend on how the sort
    happened to leave equal weights.
    """
    features = order[tied]
    run = np.searchsorted(starts, np.flatnonzero(tied), side="right")
    keys = features if ties == "index" else generator.random(len(order))[features]
    order[tied] = features[np.lexsort((keys, run))]


def count_of(k: float, n_features: int, name: str = "k") -> int:
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
    return max(1, int(np.floor(k * n_features + 0.5)))
