"""Features cut into bins, and what the bins tell about the class.

Columns come sorted, each as a run of entries: `rows` and `values` from `start[j]` to `stop[j]` in
ascending order, then up to `start[j + 1]` the missing ones. Rows without an entry hold zero (a
sparse column). A resample is a count for each row, so one sort serves all resamples. Within a
column the *groups* are its distinct values; `upto[g]` counts the rows of each class in the first
g groups.

Sums run in the order that WEKA 3.6 uses: cuts that are equally good on paper then win or lose by
the same last bit as there.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Counts = NDArray[np.int32]
    Floats = NDArray[np.float64]

GAIN, UNCERTAINTY, NATS = range(3)
_LOG2 = math.log(2.0)
_TINY = 1e-6  # what counts as zero in WEKA's contingency tables


@kernel
def n_log_n(largest: int) -> Floats:
    """Tabulate n log n for counts from 0 to the largest."""
    table = np.zeros(largest + 1)
    for n in range(1, largest + 1):
        table[n] = n * math.log(n)
    return table


@kernel
def sort_sparse(start: Ints, rows: Counts, values: Floats) -> None:
    """Sort the entries of each sparse column by value in place, missing ones last."""
    for j in range(len(start) - 1):
        own = slice(start[j], start[j + 1])
        order = np.argsort(values[own])
        rows[own] = rows[own][order]
        values[own] = values[own][order]


@kernel
def take_sorted(block: Floats, order: Ints, rows: Counts, values: Floats) -> None:
    """Write down the entries of full columns (each a row of the block) in a given order."""
    n = block.shape[1]
    for j in range(len(block)):
        for i in range(n):
            rows[j * n + i] = order[j, i]
            values[j * n + i] = block[j, order[j, i]]


@kernel
def first_missing(start: Ints, values: Floats) -> Ints:
    """Find where the missing values of each sorted column begin."""
    stop = start[1:].copy()
    for j in range(len(stop)):
        while stop[j] > start[j] and np.isnan(values[stop[j] - 1]):
            stop[j] -= 1
    return stop


@kernel
def _x_log_x(x: float, table: Floats) -> float:
    """X log x; whole numbers are looked up, the others come from spread missing values."""
    if x < _TINY:
        return 0.0
    n = int(x)
    return table[n] if n == x else x * math.log(x)


@kernel
def _collect(
    g: int,
    first: int,
    last: int,
    rows: Counts,
    values: Floats,
    codes: Counts,
    weights: Counts,
    tied: bool,
    value: Floats,
    upto: Ints,
) -> int:
    """Append the groups of some entries to g groups; return how many there are then.

    Without branches, as no processor can foresee which rows a resample leaves out: such a row
    writes where the next one will write again.
    """
    n_classes = upto.shape[1]
    running = upto[-1]
    running[:] = upto[g]
    for i in range(first, last):
        row = rows[i]
        running[codes[row]] += weights[row]
        at = g + 1
        if tied:
            at -= value[g] == values[i]
        value[at] = values[i]
        for k in range(n_classes):
            upto[at, k] = running[k]
        g += (at - g) * (weights[row] > 0)
    return g


@kernel
def _add_zeros(
    g: int,
    first: int,
    last: int,
    rows: Counts,
    codes: Counts,
    weights: Counts,
    totals: Ints,
    missing: Ints,
    value: Floats,
    upto: Ints,
) -> int:
    """Append the rows without an entry to g groups, if the resample has any."""
    some = 0
    for k in range(len(totals)):
        upto[g + 1, k] = upto[g, k] + totals[k] - missing[k]
        some += totals[k] - missing[k]
    for i in range(first, last):
        upto[g + 1, codes[rows[i]]] -= weights[rows[i]]
        some -= weights[rows[i]]
    value[g + 1] = 0.0
    return g + (some > 0)


@kernel
def _groups(
    first: int,
    last: int,
    end: int,
    rows: Counts,
    values: Floats,
    codes: Counts,
    weights: Counts,
    totals: Ints,
    tied: bool,
    value: Floats,
    upto: Ints,
    missing: Ints,
) -> int:
    """Find the distinct values of a column on a resample; return how many there are."""
    value[0] = np.nan
    upto[0] = 0
    missing[:] = 0
    for i in range(last, end):
        missing[codes[rows[i]]] += weights[rows[i]]
    if end - first == len(weights):
        return _collect(0, first, last, rows, values, codes, weights, tied, value, upto)
    middle = first
    for i in range(first, last):
        middle += values[i] < 0
    g = _collect(0, first, middle, rows, values, codes, weights, tied, value, upto)
    g = _add_zeros(g, first, last, rows, codes, weights, totals, missing, value, upto)
    # stored zeros join the others
    return _collect(g, middle, last, rows, values, codes, weights, True, value, upto)


@kernel
def _entropy(a: int, b: int, upto: Ints, table: Floats) -> tuple[float, int, int]:
    """Entropy of the class in groups a to b in bits, how many rows and classes are there."""
    total, present, value = 0, 0, 0.0
    for k in range(upto.shape[1]):
        n = upto[b, k] - upto[a, k]
        value -= table[n]
        total += n
        present += n > 0
    return (value + table[total]) / (total * _LOG2), total, present


@kernel
def _lowest_entropy(
    a: int, b: int, prior: float, total: int, upto: Ints, table: Floats
) -> tuple[float, int]:
    """Find the first cut that leaves the class the lowest entropy; at -1 if none lowers it."""
    n_classes = upto.shape[1]
    best, at, highest = prior, -1, -np.inf
    for g in range(a + 1, b):
        order, left, right = 0.0, 0, 0
        for k in range(n_classes):
            n = upto[g, k] - upto[a, k]
            order += table[n]
            left += n
        order -= table[left]
        for k in range(n_classes):
            n = upto[b, k] - upto[g, k]
            order += table[n]
            right += n
        order -= table[right]
        if order > highest:
            highest = order
            entropy = -order / (total * _LOG2)
            if entropy < best:
                best, at = entropy, g
    return best, at


@kernel
def _choices(present: int) -> float:
    """Bits that say which classes the two sides of a cut hold."""
    # 3^c leaves the floating-point range, and the 2 its precision long before
    log = math.log(3.0**present - 2.0) if present < 600 else present * math.log(3.0)
    return log / _LOG2


@kernel
def _best_cut(a: int, b: int, upto: Ints, table: Floats) -> int:
    """Find the best cut within groups a to b that is worth its description; -1 if none is."""
    if b - a < 2:
        return -1
    prior, total, present = _entropy(a, b, upto, table)
    best, at = _lowest_entropy(a, b, prior, total, upto, table)
    if at < 0:
        return -1
    left, _, present_left = _entropy(a, at, upto, table)
    right, _, present_right = _entropy(at, b, upto, table)
    delta = _choices(present) - (present * prior - present_right * right - present_left * left)
    cost = (math.log(b - a - 1.0) / _LOG2 + delta) / total
    return at if prior - best > cost else -1


@kernel
def _margins(totals: Ints, table: Floats) -> Floats:
    """Gain of a first cut of two classes minus its cost but for naming the cut.

    The entry at zeros * (all ones + 1) + ones is for so many rows of each class below the cut.
    """
    zeros, ones = totals[0], totals[1]
    n = zeros + ones
    whole = table[n] - table[zeros] - table[ones]
    needed = _choices(2) - 2.0 * whole / (n * _LOG2)
    margins = np.empty((zeros + 1) * (ones + 1))
    for a in range(zeros + 1):
        for b in range(ones + 1):
            low, high = max(a + b, 1), max(n - a - b, 1)
            left = table[low] - table[a] - table[b]
            right = table[high] - table[zeros - a] - table[ones - b]
            sides = ((a > 0) + (b > 0)) * left / low + ((a < zeros) + (b < ones)) * right / high
            margins[a * (ones + 1) + b] = ((whole - left - right - sides) / _LOG2 - needed) / n
    margins[0] = margins[-1] = -np.inf
    return margins


@kernel
def _ties(start: Ints, stop: Ints, values: Floats) -> Ints:
    """Count in each column the entries that equal the one before."""
    ties = np.zeros(len(stop), np.int64)
    for j in range(len(stop)):
        for i in range(start[j] + 1, stop[j]):
            ties[j] += values[i] == values[i - 1]
    return ties


@kernel
def _highest(first: int, last: int, rows: Counts, steps: Ints, margins: Floats) -> float:
    """Highest margin of any cut of a column, cuts between equal values among them."""
    at, highest = 0, -np.inf
    for i in range(first, last):
        at += steps[rows[i]]
        highest = max(highest, margins[at])
    return highest


@kernel
def _middle(lower: float, upper: float) -> float:
    """Return the middle of two numbers, large ones too."""
    middle = (lower + upper) / 2.0
    return lower / 2.0 + upper / 2.0 if math.isinf(middle) else middle


@kernel
def _mdl_cuts(
    n_groups: int, upto: Ints, table: Floats, value: Floats, stack: Ints, edges: Ints, cuts: Floats
) -> int:
    """Cut a column wherever a cut is worth its description; return the number of cuts.

    Both sides of a cut wait on the stack, the left one on top, so the cuts come out in ascending
    order. A value equal to a cut belongs below it: where the middle of two neighbouring numbers
    is rounded to the upper one, the edge between the bins lies one group above the cut.
    """
    count, depth, a = 0, 1, 0
    stack[0] = n_groups
    while depth > 0:
        b = stack[depth - 1]
        at = _best_cut(a, b, upto, table)
        if at >= 0:
            stack[depth] = at
            depth += 1
            continue
        depth -= 1
        a = b
        if depth > 0:
            cuts[count] = _middle(value[b], value[b + 1])
            edges[count] = b + (value[b + 1] <= cuts[count])
            count += 1
    edges[count] = n_groups
    return count


@kernel
def _bins_by_edges(n_bins: int, upto: Ints, edges: Ints, bins: Floats) -> int:
    """Count the classes in the bins between edges."""
    below = 0
    for i in range(n_bins):
        for k in range(upto.shape[1]):
            bins[i, k] = upto[edges[i], k] - upto[below, k]
        below = edges[i]
    return n_bins


@kernel
def _bins_by_rank(n_groups: int, upto: Ints, n_bins: int, bins: Floats) -> int:
    """Count the classes in bins of equal frequency; each value goes where its mean rank falls."""
    n_classes = upto.shape[1]
    bins[:n_bins] = 0.0
    total, below = 0, 0
    for k in range(n_classes):
        total += upto[n_groups, k]
    for g in range(n_groups):
        upper = 0
        for k in range(n_classes):
            upper += upto[g + 1, k]
        own = (below + upper) * n_bins // (2 * total)
        for k in range(n_classes):
            bins[own, k] += upto[g + 1, k] - upto[g, k]
        below = upper
    return n_bins


@kernel
def _spread(n_bins: int, missing: Ints, bins: Floats) -> None:
    """Spread the rows with a missing value over the bins, in proportion to their sizes."""
    total = 0.0
    for i in range(n_bins):
        for k in range(len(missing)):
            total += bins[i, k]
    for i in range(n_bins):
        size = 0.0
        for k in range(len(missing)):
            size += bins[i, k]
        for k in range(len(missing)):
            bins[i, k] += size / total * missing[k]


@kernel
def _score(kind: int, n_bins: int, bins: Floats, table: Floats) -> float:
    """Score a table of bins by classes."""
    total, of_class, of_bins, within = 0.0, 0.0, 0.0, 0.0
    for k in range(bins.shape[1]):
        size = 0.0
        for i in range(n_bins):
            size += bins[i, k]
        of_class += _x_log_x(size, table)
        total += size
    for i in range(n_bins):
        size = 0.0
        for k in range(bins.shape[1]):
            size += bins[i, k]
            within += _x_log_x(bins[i, k], table)
        of_bins += _x_log_x(size, table)
    whole = _x_log_x(total, table)
    # all three are minus an entropy times the rows
    of_class, within, of_bins = of_class - whole, within - of_bins, of_bins - whole
    gain = max(within - of_class, 0.0)
    if kind == NATS:
        return gain / total
    if kind == GAIN:
        return gain / (total * _LOG2)
    if -of_class <= _TINY or -of_bins <= _TINY:
        return 0.0
    return 2.0 * gain / -(of_class + of_bins)


@kernel
def _promising(
    start: Ints,
    stop: Ints,
    rows: Counts,
    ties: Ints,
    codes: Counts,
    weights: Counts,
    totals: Ints,
    table: Floats,
    promising: NDArray[np.bool_],
) -> None:
    """Rule out columns of two classes that cannot have a cut: most of them, at a glance.

    What passes is searched properly, so this decides nothing but the time that it takes.
    """
    steps = np.empty(len(codes), np.int64)
    n, present = totals[0] + totals[1], 0
    for row in range(len(codes)):
        steps[row] = weights[row] * (1 if codes[row] else totals[1] + 1)
        present += weights[row] > 0
    margins = _margins(totals, table)
    for j in range(len(stop)):
        # as many places to cut as this there are at least
        places = max(present - ties[j] - 1, 1)
        needed = math.log(places) / _LOG2 / n - 1e-9
        whole = stop[j] - start[j] == len(codes)
        promising[j] = not whole or _highest(start[j], stop[j], rows, steps, margins) > needed


@kernel
def _worth(totals: Ints, n_entries: int) -> bool:
    """Say whether a table of margins takes little time, next to a walk through the entries."""
    return bool(4 * (totals[0] + 1) * (totals[1] + 1) < n_entries)


@kernel
def score_columns(
    kind: int,
    n_bins: int,
    start: Ints,
    stop: Ints,
    rows: Counts,
    values: Floats,
    codes: Counts,
    weights: Counts,
    totals: Ints,
    table: Floats,
    scores: Floats,
    cuts: Floats,
    n_cuts: Ints,
) -> None:
    """Score sorted columns on each resample, with bins of equal frequency or (0 bins) by MDL cuts.

    The cuts of column j on the last resample are left at `start[j]` in `cuts`.
    """
    n, n_classes = len(codes), totals.shape[1]
    value = np.empty(n + 2)
    upto = np.empty((n + 3, n_classes), np.int64)
    missing = np.empty(n_classes, np.int64)
    bins = np.empty((max(n_bins, n) + 1, n_classes))
    stack, edges = np.empty(n + 2, np.int64), np.empty(n + 1, np.int64)
    ties = _ties(start, stop, values)
    promising = np.ones(len(stop), np.bool_)
    for r in range(len(weights)):
        weight, total = weights[r], totals[r]
        promising[:] = True
        if n_bins == 0 and n_classes == 2 and _worth(total, len(rows)):
            _promising(start, stop, rows, ties, codes, weight, total, table, promising)
        for j in range(len(stop)):
            first, end = start[j], start[j + 1]
            scores[r, j] = 0.0
            if not promising[j]:
                n_cuts[j] = 0
                continue
            n_groups = _groups(
                first,
                stop[j],
                end,
                rows,
                values,
                codes,
                weight,
                total,
                ties[j] > 0,
                value,
                upto,
                missing,
            )
            if n_bins > 0:
                if n_groups < 2:
                    continue
                used = _bins_by_rank(n_groups, upto, n_bins, bins)
            else:
                own = cuts[first:end]
                n_cuts[j] = _mdl_cuts(n_groups, upto, table, value, stack, edges, own)
                if n_cuts[j] == 0:
                    continue
                used = _bins_by_edges(n_cuts[j] + 1, upto, edges, bins)
            if end > stop[j]:
                _spread(used, missing, bins)
            scores[r, j] = _score(kind, used, bins, table)
