"""The similarities of pairs of disjoint samples: what replication stability is estimated from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class PairValues:
    """The similarity of each pair of a replication design; NaN where there is none.

    Attributes
    ----------
    halves : ndarray of shape (K,)
        One value a split of the data into halves.
    parts : ndarray of shape (B, 2)
        Two splits of each subset of three quarters of the data; B may be 0.
    quarters : ndarray of shape (Q, 6)
        The six pairs of each partition into quarters (1-2, 1-3, 1-4, 2-3, 2-4, 3-4); Q may be 0.
    n_units : int
        How many samples, or subjects, the data have.
    chance : float
        What two random selections of these sizes give; NaN where that is not known.
    why : str
        Why some pairs have no value, as far as is known.
    classes_left_out : str
        Which classes the parts leave out, as a sentence; empty where they leave out none.
    design : str
        Tells designs apart: equal where the same samples are in the same parts.
    """

    halves: Array
    parts: Array
    quarters: Array
    n_units: int
    chance: float = math.nan
    why: str = ""
    classes_left_out: str = ""
    design: str = ""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many units a quarter, a part and a half have."""
        kept = self.n_units - self.n_units // 4
        return self.n_units // 4, kept // 2, self.n_units // 2

    @property
    def left_out(self) -> float:
        """The share of the units that each subset leaves out."""
        return (self.n_units // 4) / self.n_units
