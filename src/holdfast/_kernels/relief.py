"""ReliefF: distances, neighbours and scores, block of features by block of features.

Distances add up feature by feature in the order of the columns, as WEKA adds them: ties in
distance, and so the choice among tied neighbours, come out the same to the last bit.
Indices of inner loops are unsigned: the check for negative ones would keep them scalar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

PLAIN, GAPS, NOMINAL = range(3)
LANES = 8
u64 = np.uint64


@kernel
def scale(block: Floats, nominal: Flags, kinds: Ints, lack: Floats, constant: Flags) -> None:
    """Bring numeric columns to 0..1 in place; say which kind each column is, which are constant.

    `lack` becomes the difference to a missing value of a nominal column.
    """
    n, width = u64(block.shape[0]), u64(block.shape[1])
    low, high, gaps = _extent(block)
    for f in range(width):
        gappy, empty = gaps[f] > 0, gaps[f] == n
        constant[f] = empty or (not gappy and low[f] == high[f])
        kinds[f] = NOMINAL if nominal[f] else (GAPS if gappy else PLAIN)
        lack[f] = 1.0 - 1.0 / max(_distinct(block[:, f]), 1) if nominal[f] and gappy else 0.0
        if nominal[f] or empty:
            low[f], high[f] = 0.0, 1.0
        if high[f] - low[f] == np.inf:  # the range is beyond the largest float
            for i in range(n):
                block[i, f] *= 0.5
            low[f], high[f] = 0.5 * low[f], 0.5 * high[f]
        high[f] = high[f] - low[f] if high[f] > low[f] else 1.0
    for i in range(n):
        for f in range(width):
            # the operator would look for a divisor of 0 in every turn
            block[i, f] = np.divide(block[i, f] - low[f], high[f])


@kernel
def _extent(block: Floats) -> tuple[Floats, Floats, Floats]:
    """Smallest and largest value and number of missing values of each column."""
    n, width = u64(block.shape[0]), u64(block.shape[1])
    low, high = np.full(width, np.inf), np.full(width, -np.inf)
    gaps = np.zeros(width)
    for i in range(n):
        for f in range(width):
            value = block[i, f]
            low[f] = value if value < low[f] else low[f]
            high[f] = value if value > high[f] else high[f]
            gaps[f] += 1.0 if np.isnan(value) else 0.0
    return low, high, gaps


@kernel
def _distinct(column: Floats) -> int:
    """Count the different values of a nominal column, missing ones left out."""
    seen = np.empty(len(column))
    count = 0
    for value in column:
        known = np.isnan(value)
        for k in range(count):
            known = known or seen[k] == value
        if not known:
            seen[count] = value
            count += 1
    return count


@kernel
def _difference(a: float, b: float, kind: int, lack: float) -> float:
    """Difference of two scaled values of one feature, by WEKA's rules."""
    if kind == NOMINAL:
        if np.isnan(a) or np.isnan(b):
            return lack
        return 0.0 if a == b else 1.0
    if np.isnan(a):
        return 1.0 if np.isnan(b) else max(b, 1.0 - b)
    return max(a, 1.0 - a) if np.isnan(b) else abs(a - b)


@kernel
def add_distances(
    turned: Floats, kinds: Ints, lack: Floats, first: int, whole: bool, table: Floats
) -> None:
    """Add a block of features, one in a row, to the distances; row 0 of the table is `first`.

    The columns of `turned` and `table` are padded to a multiple of LANES. If the table is
    whole, entries left of the diagonal are not all filled.
    """
    f = 0
    while f < len(turned):
        plain = 0
        while plain < 4 and f + plain < len(turned) and kinds[f + plain] == PLAIN:
            plain += 1
        if plain == 4:
            _add_four(turned, f, first, whole, table)
            f += 4
        else:
            _add_one(turned[f], kinds[f], lack[f], first, whole, table)
            f += 1


@kernel
def _start(probe: np.uint64, whole: bool) -> np.uint64:
    """First column of a row of distances that has to be filled."""
    return probe // u64(LANES) * u64(LANES) if whole else u64(0)


@kernel
def _add_four(turned: Floats, f: int, first: int, whole: bool, table: Floats) -> None:
    """Add four numeric features without gaps: together, to touch the table less often."""
    z0, z1, z2, z3 = turned[f], turned[f + 1], turned[f + 2], turned[f + 3]
    n = u64(turned.shape[1])
    for i in range(u64(len(table))):
        probe = u64(first) + i
        a0, a1, a2, a3 = z0[probe], z1[probe], z2[probe], z3[probe]
        for j in range(_start(probe, whole), n):
            distance = table[i, j]
            distance += abs(a0 - z0[j])
            distance += abs(a1 - z1[j])
            distance += abs(a2 - z2[j])
            distance += abs(a3 - z3[j])
            table[i, j] = distance


@kernel
def _add_one(
    values: Floats, kind: int, lack: float, first: int, whole: bool, table: Floats
) -> None:
    """Add one feature of any kind; the probe's own value decides outside of the inner loop."""
    n = u64(len(values))
    alone = np.empty(len(values))  # the difference to a probe whose value is missing
    for k in range(len(values)):
        alone[k] = _difference(np.nan, values[k], kind, lack)
    for i in range(u64(len(table))):
        a = values[u64(first) + i]
        start = _start(u64(first) + i, whole)
        if np.isnan(a):
            for j in range(start, n):
                table[i, j] += alone[j]
        elif kind == NOMINAL:
            for j in range(start, n):
                b = values[j]
                differs = lack if np.isnan(b) else 1.0
                table[i, j] += 0.0 if a == b else differs
        else:
            other = max(a, 1.0 - a)
            for j in range(start, n):
                b = values[j]
                table[i, j] += other if np.isnan(b) else abs(a - b)


@kernel
def mirror(table: Floats) -> None:
    """Copy the upper triangle of a whole table to the lower one."""
    for i in range(len(table)):
        for j in range(i):
            table[i, j] = table[j, i]


@kernel
def neighbours(
    table: Floats,
    first: int,
    rows: int,
    place: Ints,
    codes: Ints,
    counts: Ints,
    times: Ints,
    k: int,
    pairs: Ints,
    weights: Floats,
) -> int:
    """List the pairs (probe, neighbour), with weights, of all probes that the table covers.

    Sample i of the resample is row ``place[i]`` of `rows`, and a probe ``times[i]`` times. Of each
    class the k nearest are held; a newcomer has to be nearer than the farthest held and takes its
    slot, the first such slot. A pair is coded as smaller row times rows plus larger row. Returns
    how many there are.
    """
    n, c = len(place), len(counts)
    held, far = np.empty((c, k), np.int64), np.empty((c, k))
    found, worst = np.empty(c, np.int64), np.empty(c, np.int64)
    size, probes = 0, times.sum()
    for i in range(n):
        if times[i] == 0 or not first <= place[i] < first + len(table):
            continue
        distances = table[place[i] - first]
        found[:] = 0
        for j in range(n):
            if j == i:
                continue
            own, slot = codes[j], found[codes[j]]
            if slot < k:
                found[own] += 1
            else:
                slot = worst[own]
                if distances[place[j]] >= far[own, slot]:
                    continue
            held[own, slot], far[own, slot] = place[j], distances[place[j]]
            worst[own] = 0
            for other in range(1, found[own]):
                if far[own, other] > far[own, worst[own]]:
                    worst[own] = other
        for own in range(c):
            share = -1.0 if own == codes[i] else counts[own] / (n - counts[codes[i]])
            for slot in range(found[own]):
                a, b = place[i], held[own, slot]
                pairs[size] = min(a, b) * rows + max(a, b)
                weights[size] = share * times[i] / (found[own] * probes)
                size += 1
    return size


@kernel
def add_scores(
    block: Floats,
    kinds: Ints,
    lack: Floats,
    left: Ints,
    right: Ints,
    weights: Floats,
    scores: Floats,
) -> None:
    """Add weighted differences of pairs of rows to the scores of a block of features."""
    width = u64(len(scores))
    total = np.zeros(len(scores))
    paired = len(weights) // 2 * 2
    for e in range(0, paired, 2):  # two at a time, to touch the totals less often
        a, b, c, d = u64(left[e]), u64(right[e]), u64(left[e + 1]), u64(right[e + 1])
        v, w = weights[e], weights[e + 1]
        for f in range(width):
            total[f] += v * abs(block[a, f] - block[b, f]) + w * abs(block[c, f] - block[d, f])
    for e in range(paired, len(weights)):
        a, b, v = u64(left[e]), u64(right[e]), weights[e]
        for f in range(width):
            total[f] += v * abs(block[a, f] - block[b, f])
    for f in range(len(scores)):
        if kinds[f] != PLAIN:
            total[f] = 0.0
            for e in range(len(weights)):
                a, b = left[e], right[e]
                total[f] += weights[e] * _difference(block[a, f], block[b, f], kinds[f], lack[f])
        scores[f] += total[f]
