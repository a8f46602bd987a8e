"""How many features a plan selects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.preferences._ties import count_of
from holdfast.study._make_plan import USUAL_SIZES

if TYPE_CHECKING:
    from collections.abc import Sequence


def counts_of(sizes: Sequence[float] | None, n_features: int) -> list[int]:
    """Return counts, ascending; where none are named, the usual ones that are below p."""
    if sizes is None:
        return [size for size in USUAL_SIZES if size < n_features] or [max(1, n_features // 2)]
    return sorted({count_of(size, n_features, "a size") for size in sizes})
