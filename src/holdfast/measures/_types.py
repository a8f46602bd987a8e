"""Short names for types that many measures use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Score: TypeAlias = Callable[..., Array]  # (overlap r, sizes a and b, features p) -> values
