"""Seeds of units of work: functions of the study's seed and of positions, never of the worker."""

from __future__ import annotations

import numpy as np

RESAMPLING, SELECTOR, SELECTION, CLASSIFICATION, NOISE, DRAW, REPLICATION, COHORTS = range(1, 9)
"""What a seed is for; the first number after the study's own."""


def seed_of(seed: int, purpose: int, *position: int) -> int:
    """Return the seed for a purpose at a position."""
    return int(np.random.SeedSequence((seed, purpose, *position)).generate_state(1)[0])
