"""What the figures have in common: grids, seeds, what is asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

SAMPLES = (25, 50, 100, 200, 350, 500, 750, 1000, 1500, 2000, 3500, 5000, 7500, 10_000)
FEATURES = (50, 100, 150, 250, 350, 500, 750, 1000, 1500, 2500, 5000, 10_000)
SIZES = (2, 5, 10, 20, 35, 50, 75, 100, 125, 150, 180, 210, 250, 300, 400, 500, 600, 700, 800, 900,
         1000)  # fmt: skip
GAMMAS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
N_SETS = 100
FEW_SETS = 50
"""Training sets where each takes its time, on the reduced grid."""


class Asked(NamedTuple):
    """What is asked for: the whole grid or not, the seed, and how many processes."""

    full: bool
    random_state: int
    n_jobs: int

    def some(self, grid: tuple[float, ...]) -> tuple[float, ...]:
        """Return the grid, or about half of it with both ends."""
        return grid if self.full else (*grid[:-1:2], grid[-1])

    def seed(self, *keys: int) -> int:
        """Return a seed of its own for a part of a figure."""
        sequence = np.random.SeedSequence(self.random_state, spawn_key=keys)
        return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
