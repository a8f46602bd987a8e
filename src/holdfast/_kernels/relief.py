"""ReliefF: distances, neighbours and scores, one block of features at a time.

**Method.** For each probe the k nearest samples of its own class (hits) and of every other class
(misses) are found by the sum of the differences of all features. The score of a feature is the mean
over probes of its mean difference to the misses, weighted by P(c) / (1 - P(class of the probe)),
minus its mean difference to the hits. Numeric features are scaled to 0..1 by their range; the
difference of nominal values is 0 or 1.

**Reference.** [Kononenko1994]_ for ReliefF, [Robnik2003]_ for its analysis; WEKA 3.6
(ReliefFAttributeEval) for all details that the papers leave open.

**Deviations.** From the papers, as in WEKA: the difference to a missing numeric value is the
largest that its range allows, max(v, 1 - v), and 1 if both are missing; to a missing nominal value
it is 1 - 1/(number of values), not an estimate from class frequencies. Every sample is a probe
once, unless the caller draws probes. From WEKA: the caller gives constant features the lowest score
instead of 0, and only exactly constant features are constant (WEKA: a range below 1e-6).

**Rounding.** Distances add up feature by feature in the order of the columns, as in WEKA: ties in
distance, and so the choice among tied neighbours, come out the same to the last bit. Scores are
summed over pairs of rows in another order and agree with WEKA to 1e-10
(``tests/select/test_relieff.py``). Indices of inner loops are unsigned: the check for negative ones
would keep them scalar.
"""

from __future__ import annotations

import math

import numpy as np

from holdfast._kernels import kernel, subroutine
from holdfast._typing import BoolArray, FloatArray, IntArray

PLAIN, GAPS, NOMINAL = range(3)
LANES = 8  # chosen: doubles in a vector register of 512 bits
# chosen: the distances of a tile (64 kB) and four features of its columns stay in a core's caches
ROWS_PER_TILE, COLUMNS_PER_TILE = 16, 512
u64 = np.uint64


@kernel
def scale_block(
    block: FloatArray,
    nominal: BoolArray,
    kinds: IntArray,
    missing_difference: FloatArray,
    constant: BoolArray,
) -> None:
    """Scale numeric columns to 0..1 in place; classify all columns.

    Parameters
    ----------
    block : ndarray of shape (n, p)
        The values, NaN where missing; scaled in place.
    nominal : ndarray of shape (p,)
        Which columns are nominal.
    kinds : ndarray of shape (p,)
        Receives `PLAIN`, `GAPS` (numeric with missing values) or `NOMINAL`.
    missing_difference : ndarray of shape (p,)
        Receives the difference to a missing value of a nominal column.
    constant : ndarray of shape (p,)
        Receives which columns are constant or empty.
    """
    n, width = u64(block.shape[0]), u64(block.shape[1])
    low, high, gaps = _column_extremes(block)
    for f in range(width):
        has_gaps, empty = gaps[f] > 0, gaps[f] == n
        constant[f] = empty or (not has_gaps and low[f] == high[f])
        kinds[f] = NOMINAL if nominal[f] else (GAPS if has_gaps else PLAIN)
        missing_difference[f] = (
            1.0 - 1.0 / max(_count_distinct(block[:, f]), 1) if nominal[f] and has_gaps else 0.0
        )
        if nominal[f] or empty:
            low[f], high[f] = 0.0, 1.0
        if high[f] - low[f] == np.inf:  # the range overflows; the factor 0.5 cancels in the scaling
            for i in range(n):
                block[i, f] *= 0.5
            low[f], high[f] = 0.5 * low[f], 0.5 * high[f]
        high[f] = high[f] - low[f] if high[f] > low[f] else 1.0
    for i in range(n):
        for f in range(width):
            block[i, f] = (block[i, f] - low[f]) / high[f]


@subroutine
def _column_extremes(block: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Minimum, maximum and number of missing values by column of `block`, of shape (n, p)."""
    n, width = u64(block.shape[0]), u64(block.shape[1])
    low, high, gaps = np.empty(width), np.empty(width), np.empty(width)
    for f in range(width):
        low[f], high[f], gaps[f] = np.inf, -np.inf, 0.0
    for i in range(n):
        for f in range(width):
            value = block[i, f]
            # comparisons with NaN are false, so missing values change neither extreme
            low[f] = value if value < low[f] else low[f]
            high[f] = value if value > high[f] else high[f]
            gaps[f] += 1.0 if math.isnan(value) else 0.0
    return low, high, gaps


@subroutine
def _count_distinct(column: FloatArray) -> int:
    """Count the different values of `column`, of shape (n,), without missing ones."""
    distinct = np.empty(len(column))
    count = 0
    for value in column:
        known = math.isnan(value)
        for k in range(count):
            known = known or distinct[k] == value
        if not known:
            distinct[count] = value
            count += 1
    return count


@subroutine
def _difference(a: float, b: float, kind: int, missing_difference: float) -> float:
    """Difference of two scaled values of one feature, by WEKA's rules."""
    if kind == NOMINAL:
        if math.isnan(a) or math.isnan(b):
            return missing_difference
        return 0.0 if a == b else 1.0
    if math.isnan(a):
        return 1.0 if math.isnan(b) else max(b, 1.0 - b)
    return max(a, 1.0 - a) if math.isnan(b) else abs(a - b)


@kernel
def add_distances(
    transposed: FloatArray,
    kinds: IntArray,
    missing_difference: FloatArray,
    probes: IntArray,
    whole: bool,
    table: FloatArray,
) -> None:
    """Add a block of features to the distances, tile by tile: a tile stays in the cache.

    Parameters
    ----------
    transposed : ndarray of shape (p, width)
        The scaled values, one feature per row, columns padded to a multiple of `LANES`.
    kinds, missing_difference : ndarray of shape (p,)
        See `scale_block`.
    probes : ndarray of shape (n_rows,)
        The row of the data that each row of the table belongs to.
    whole : bool
        Whether the table has all rows in order; entries left of the diagonal are then not all
        filled.
    table : ndarray of shape (n_rows, width)
        The distances, changed in place.
    """
    width = table.shape[1]
    for top in range(0, len(table), ROWS_PER_TILE):
        bottom = min(top + ROWS_PER_TILE, len(table))
        for left in range(0, width, COLUMNS_PER_TILE):
            right = min(left + COLUMNS_PER_TILE, width)
            # entries left of the diagonal are mirrored later
            if whole and right <= top:
                continue
            f = 0 * top
            while f < len(transposed):
                plain = 0
                while plain < 4 and f + plain < len(transposed) and kinds[f + plain] == PLAIN:
                    plain += 1
                if plain == 4:
                    _add_four_features(transposed, f, probes, top, bottom, left, right, table)
                    f += 4
                else:
                    _add_feature(
                        transposed[f],
                        kinds[f],
                        missing_difference[f],
                        probes,
                        top,
                        bottom,
                        left,
                        right,
                        table,
                    )
                    f += 1


@subroutine
def _add_four_features(
    transposed: FloatArray,
    f: int,
    probes: IntArray,
    top: int,
    bottom: int,
    left: int,
    right: int,
    table: FloatArray,
) -> None:
    """Add four numeric features without gaps to a tile, which touches the table less often.

    The features are added one after the other, so the sum is that of `_add_feature`.

    Parameters
    ----------
    transposed, probes, table : ndarray
        See `add_distances`.
    """
    # slices of rows: the compiler knows that they are contiguous, and uses vectors
    z0, z1 = transposed[f][left:right], transposed[f + 1][left:right]
    z2, z3 = transposed[f + 2][left:right], transposed[f + 3][left:right]
    n = u64(right - left)
    for i in range(top, bottom):
        probe, row = probes[i], table[i][left:right]
        a0, a1 = transposed[f, probe], transposed[f + 1, probe]
        a2, a3 = transposed[f + 2, probe], transposed[f + 3, probe]
        for j in range(n):
            distance = row[j]
            distance += abs(a0 - z0[j])
            distance += abs(a1 - z1[j])
            distance += abs(a2 - z2[j])
            distance += abs(a3 - z3[j])
            row[j] = distance


@subroutine
def _add_feature(
    values: FloatArray,
    kind: int,
    missing_difference: float,
    probes: IntArray,
    top: int,
    bottom: int,
    left: int,
    right: int,
    table: FloatArray,
) -> None:
    """Add one feature to a tile; a missing value of the probe is handled outside of the loop.

    Parameters
    ----------
    values : ndarray of shape (width,)
        The scaled values of the feature.
    probes, table : ndarray
        See `add_distances`.
    """
    n = u64(right - left)
    others = values[left:right]
    to_missing_probe = np.empty(right - left)  # the difference to a probe whose value is missing
    for k in range(right - left):
        to_missing_probe[k] = _difference(np.nan, others[k], kind, missing_difference)
    for i in range(top, bottom):
        a, row = values[probes[i]], table[i][left:right]
        if math.isnan(a):
            for j in range(n):
                row[j] += to_missing_probe[j]
        elif kind == NOMINAL:
            for j in range(n):
                b = others[j]
                differs = missing_difference if math.isnan(b) else 1.0
                row[j] += 0.0 if a == b else differs
        else:
            to_missing = max(a, 1.0 - a)
            for j in range(n):
                b = others[j]
                row[j] += to_missing if math.isnan(b) else abs(a - b)


@kernel
def mirror_upper_triangle(table: FloatArray) -> None:
    """Copy the upper triangle of `table`, of shape (n, at least n), to the lower one."""
    for i in range(len(table)):
        for j in range(i):
            table[i, j] = table[j, i]


@kernel
def list_neighbor_pairs(
    table: FloatArray,
    row_of_table: IntArray,
    distinct_row: IntArray,
    codes: IntArray,
    counts: IntArray,
    n_probed: IntArray,
    k: int,
    pairs: IntArray,
    weights: FloatArray,
) -> int:
    """List the pairs (probe, neighbour), with weights, of all probes that the table covers.

    Of each class the k nearest samples are held; a later sample must be nearer than the farthest
    one held and takes its slot, the first such slot. Returns the number of pairs.

    Parameters
    ----------
    table : ndarray of shape (n_rows, width)
        Distances of some rows to all rows.
    row_of_table : ndarray of shape (rows,)
        The row of the table that each distinct row has, -1 if it has none.
    distinct_row : ndarray of shape (n,)
        The distinct row that each sample of the resample is.
    codes : ndarray of shape (n,)
        The class of each sample.
    counts : ndarray of shape (c,)
        Samples of each class.
    n_probed : ndarray of shape (n,)
        How often each sample is a probe.
    pairs : ndarray of shape (at least the number of pairs,)
        Receives the pairs, coded as smaller row times `rows` plus larger row.
    weights : ndarray of the same shape
        Receives the weights.
    """
    n, c, rows = len(distinct_row), len(counts), len(row_of_table)
    held, held_distances = np.empty((c, k), np.int64), np.empty((c, k))
    n_held, farthest = np.empty(c, np.int64), np.empty(c, np.int64)
    n_pairs, n_probes_total = 0, 0
    for i in range(n):
        n_probes_total += n_probed[i]
    for i in range(n):
        if n_probed[i] == 0 or row_of_table[distinct_row[i]] < 0:
            continue
        distances = table[row_of_table[distinct_row[i]]]
        for class_ in range(c):
            n_held[class_] = 0
        for j in range(n):
            if j == i:
                continue
            # invariant: `farthest` is the slot of the largest distance held of each class
            class_, slot = codes[j], n_held[codes[j]]
            if slot < k:
                n_held[class_] += 1
            else:
                slot = farthest[class_]
                if distances[distinct_row[j]] >= held_distances[class_, slot]:
                    continue
            held[class_, slot], held_distances[class_, slot] = (
                distinct_row[j],
                distances[distinct_row[j]],
            )
            # the first of equally far slots is replaced first, as in WEKA
            farthest[class_] = 0
            for other in range(1, n_held[class_]):
                if held_distances[class_, other] > held_distances[class_, farthest[class_]]:
                    farthest[class_] = other
        for class_ in range(c):
            # hits count -1, misses of class c P(c) / (1 - P(class of the probe))
            share = -1.0 if class_ == codes[i] else counts[class_] / (n - counts[codes[i]])
            for slot in range(n_held[class_]):
                a, b = distinct_row[i], held[class_, slot]
                pairs[n_pairs] = min(a, b) * rows + max(a, b)
                weights[n_pairs] = share * n_probed[i] / (n_held[class_] * n_probes_total)
                n_pairs += 1
    return n_pairs


@kernel
def add_scores(
    block: FloatArray,
    kinds: IntArray,
    missing_difference: FloatArray,
    left: IntArray,
    right: IntArray,
    weights: FloatArray,
    scores: FloatArray,
) -> None:
    """Add weighted differences of pairs of rows to the scores of a block of features.

    Parameters
    ----------
    block : ndarray of shape (n, p)
        The scaled values.
    kinds, missing_difference : ndarray of shape (p,)
        See `scale_block`.
    left, right, weights : ndarray of shape (n_pairs,)
        The rows of each pair, and its weight.
    scores : ndarray of shape (p,)
        The scores, changed in place.
    """
    width = u64(len(scores))
    total = np.empty(len(scores))
    for f in range(width):
        total[f] = 0.0
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
        # the loops above treat all features as plain, which is faster than a branch for each
        if kinds[f] != PLAIN:
            total[f] = 0.0
            for e in range(len(weights)):
                a, b = left[e], right[e]
                total[f] += weights[e] * _difference(
                    block[a, f], block[b, f], kinds[f], missing_difference[f]
                )
        scores[f] += total[f]
