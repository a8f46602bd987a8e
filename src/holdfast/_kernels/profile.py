"""Common features of all pairs of lists, the best features first, as the lists grow longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels._compile import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def extend_overlaps(
    table: NDArray[np.int64],
    owners: NDArray[np.uint8],
    lists: NDArray[np.int32],
    start: int,
    stop: int,
) -> None:
    """Add to the overlaps of all lists cut at `start` what there is more if they are cut at `stop`.

    Row f of `owners` marks the lists that hold feature f before `start`, afterwards before `stop`.
    Lists a and b gain the features that are new in a and now held by b, and those that are new in
    b and were held by a before. The marks of a feature lie side by side, so that it is counted
    for all lists in a few steps.
    """
    m = len(lists)
    before, since = np.zeros((m, m), dtype=np.int32), np.zeros((m, m), dtype=np.int32)
    _meet(before, owners, lists, start, stop)
    for a in range(m):
        for f in lists[a, start:stop]:
            owners[f, a] = 1
    _meet(since, owners, lists, start, stop)
    table += since + before.T


@kernel
def _meet(
    table: NDArray[np.int32],
    owners: NDArray[np.uint8],
    lists: NDArray[np.int32],
    start: int,
    stop: int,
) -> None:
    """Count, for each list, how many of its features from `start` to `stop` each list holds."""
    m = len(lists)
    for a in range(m):
        met = table[a]
        for f in lists[a, start:stop]:
            own = owners[f]
            for b in range(m):
                met[b] += own[b]
