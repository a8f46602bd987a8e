"""Random generators that are seeded by position, so that blocks can be drawn separately."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

RandomState: TypeAlias = "int | np.random.Generator | np.random.RandomState | None"


def generators(
    random_state: RandomState, count: int, first: int = 0
) -> Iterator[np.random.Generator]:
    """Yield one independent generator per position: `first`, `first` + 1, and so on.

    A generator depends only on the seed and its position, so a block of resamples gets the same
    generators whether it is run alone or together with others.
    """
    entropy: Any = random_state
    if isinstance(random_state, np.random.Generator):
        entropy = int(random_state.integers(2**63))
    elif isinstance(random_state, np.random.RandomState):
        entropy = int(random_state.randint(2**31))
    for position in range(first, first + count):
        yield np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(position,)))
