"""Features cut into bins by the MDL principle or by rank, and scores of bins against classes.

**Method.** An interval of values is cut where the class entropy of its two sides, weighted by
their sizes, is lowest, if the gain in entropy pays for the description of the cut,

    H - (L H₁ + R H₂) / N > (log₂(cuts) + log₂(3^c - 2) - (c H - c₁ H₁ - c₂ H₂)) / N,

with H, H₁, H₂ the class entropies in bits of the interval and of its sides, N, L, R their numbers
of rows, and c, c₁, c₂ their numbers of classes. Both sides are then cut in turn. Bins of equal
frequency put each value where its mean rank falls. A table of bins by classes is scored by
information gain, by symmetrical uncertainty, or by mutual information in nats.

Columns are sorted once, each as a run of entries: `rows` and `values` from `start[j]` to `stop[j]`
in ascending order, then up to `start[j + 1]` the missing ones. Rows without an entry hold zero (a
sparse column). A resample is a count for each row, so one sort serves all resamples. Within a
column the *groups* are its distinct values; `cumulative[g]` counts the rows of each class in the
first g groups.

With two classes, columns without any cut are ruled out in one pass. The margin of a first cut,
its gain minus all of its cost but log₂(cuts)/N, depends only on how many rows of each class lie
below it, so it is tabulated. A column whose highest margin over all positions, those between equal
values included, is at most log₂(lower bound of cuts)/N has no cut: every cut is one of these
positions, and none pays even for the cheaper description.

**Reference.** [Fayyad1993]_ for cuts and their cost; [Press1988]_ for symmetrical uncertainty.

**Deviations.** The cost of naming a cut is log₂ of the number of possible cuts, that is of distinct
values in the interval minus 1. This is WEKA's "better encoding", which its InfoGainAttributeEval
uses; the paper, and WEKA without this option, have log₂(N - 1) with the number of rows. All
positions between distinct values are tried; by the paper's theorem only those between different
classes can be best. Rows with a missing value are left out of the search and then spread over the
bins in proportion to the sizes of the bins, as in WEKA. WEKA takes an entropy below 1e-6 bits for
0; here it is the entropy in nats times the rows, which makes a difference beyond 10^7 rows only.

**Rounding.** n log n is tabulated and sums run in the order that WEKA 3.6 uses: cuts that are
equally good on paper win or lose by the same last bit as there. Cut points equal WEKA's to the
bit and scores to 1e-12 (``tests/select/test_information.py``). The test that rules out columns
allows 1e-9 for rounding, so it decides nothing but the time taken.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import BoolArray, FloatArray, IntArray

Int32Array: TypeAlias = NDArray[np.int32]

GAIN, UNCERTAINTY, NATS = range(3)
_LOG2 = math.log(2.0)
_TINY = 1e-6  # WEKA's: smaller counts and entropies are 0 in its contingency tables
_MAX_EXACT_CLASSES = 600  # derived: 3^646 is the largest power of 3 in the range of doubles
_ROUNDING = 1e-9  # chosen: far above the rounding error of a margin, about 1e-15 log n


def n_log_n(largest: int) -> FloatArray:
    """Tabulate n log n for counts from 0 to the largest."""
    # math.log, as in the kernels: numpy's logarithm differs in the last bit on some processors
    return np.array([0.0] + [n * math.log(n) for n in range(1, largest + 1)])


@kernel
def sort_sparse(start: IntArray, rows: Int32Array, values: FloatArray) -> None:
    """Sort the entries of each sparse column by value in place, missing ones last.

    Parameters
    ----------
    start : ndarray of shape (p + 1,)
        Where the entries of each column begin.
    rows, values : ndarray of shape (n_entries,)
        The row and the value of each entry.
    """
    for j in range(len(start) - 1):
        column = slice(start[j], start[j + 1])
        order = np.argsort(values[column])
        rows[column] = rows[column][order]
        values[column] = values[column][order]


@subroutine
def _x_log_x(x: float, table: FloatArray) -> float:
    """Return x log x, from `table` (shape (n + 1,), see `n_log_n`) where x is an integer.

    Other values of x come from missing values that were spread over bins.
    """
    if x < _TINY:
        return 0.0
    n = int(x)
    return table[n] if n == x else x * math.log(x)


@subroutine
def _append_groups(
    g: int,
    first: int,
    last: int,
    rows: Int32Array,
    values: FloatArray,
    codes: Int32Array,
    weights: Int32Array,
    tied: bool,
    group_values: FloatArray,
    cumulative: IntArray,
) -> int:
    """Append the groups of the entries from first to last to g groups; return the new number.

    The loop has no branches, as no processor can predict which rows a resample leaves out: a row of
    weight 0 writes to where the next row will write again.

    Parameters
    ----------
    rows, values : ndarray of shape (n_entries,)
        The sorted entries of all columns.
    codes : ndarray of shape (n,)
        The class of each row.
    weights : ndarray of shape (n,)
        How often the resample holds each row.
    tied : bool
        Whether equal values occur; if not, every entry starts a group.
    group_values : ndarray of shape (n + 2,)
        The value of group g at g, from 1 on.
    cumulative : ndarray of shape (n + 3, c)
        Rows of each class in the first g groups at g; the last row is scratch.
    """
    n_classes = cumulative.shape[1]
    running = cumulative[len(cumulative) - 1]
    for k in range(n_classes):
        running[k] = cumulative[g, k]
    for i in range(first, last):
        row = rows[i]
        running[codes[row]] += weights[row]
        position = g + 1
        if tied:
            position -= group_values[g] == values[i]
        group_values[position] = values[i]
        for k in range(n_classes):
            cumulative[position, k] = running[k]
        g += (position - g) * (weights[row] > 0)
    return g


@subroutine
def _append_zeros(
    g: int,
    first: int,
    last: int,
    rows: Int32Array,
    codes: Int32Array,
    weights: Int32Array,
    totals: IntArray,
    missing: IntArray,
    group_values: FloatArray,
    cumulative: IntArray,
) -> int:
    """Append the group of rows without an entry to g groups, if the resample has any.

    Parameters
    ----------
    rows : ndarray of shape (n_entries,)
        The rows of the entries of all columns.
    codes, weights, group_values, cumulative : ndarray
        As in `_append_groups`.
    totals, missing : ndarray of shape (c,)
        Rows of each class in the resample, and those of them with a missing value.
    """
    n_zeros = 0
    for k in range(len(totals)):
        cumulative[g + 1, k] = cumulative[g, k] + totals[k] - missing[k]
        n_zeros += totals[k] - missing[k]
    for i in range(first, last):
        cumulative[g + 1, codes[rows[i]]] -= weights[rows[i]]
        n_zeros -= weights[rows[i]]
    group_values[g + 1] = 0.0
    return g + (n_zeros > 0)


@subroutine
def _group_by_value(
    first: int,
    last: int,
    end: int,
    rows: Int32Array,
    values: FloatArray,
    codes: Int32Array,
    weights: Int32Array,
    totals: IntArray,
    tied: bool,
    group_values: FloatArray,
    cumulative: IntArray,
    missing: IntArray,
) -> int:
    """Find the distinct values of a column on a resample; return how many there are.

    Entries from first to last hold values, those from last to end are missing.

    Parameters
    ----------
    rows, values, codes, weights, group_values, cumulative : ndarray
        As in `_append_groups`.
    totals : ndarray of shape (c,)
        Rows of each class in the resample.
    missing : ndarray of shape (c,)
        Receives the rows of each class with a missing value.
    """
    # NaN equals no value, so the first entry always starts a group
    group_values[0] = np.nan
    for k in range(len(missing)):
        cumulative[0, k] = 0
        missing[k] = 0
    for i in range(last, end):
        missing[codes[rows[i]]] += weights[rows[i]]
    g, start = 0 * first, first
    if end - first < len(weights):
        # rows without an entry hold zero: their group comes between negative and positive values
        for i in range(first, last):
            start += values[i] < 0
        g = _append_groups(
            g, first, start, rows, values, codes, weights, tied, group_values, cumulative
        )
        g = _append_zeros(
            g, first, last, rows, codes, weights, totals, missing, group_values, cumulative
        )
        # stored zeros join the others
        tied = True
    return _append_groups(
        g, start, last, rows, values, codes, weights, tied, group_values, cumulative
    )


@subroutine
def _entropy(a: int, b: int, cumulative: IntArray, table: FloatArray) -> tuple[float, int, int]:
    """Class entropy in bits of groups a to b, and how many rows and classes they hold.

    Parameters
    ----------
    cumulative : ndarray of shape (n + 3, c)
        Rows of each class in the first groups.
    table : ndarray of shape (n + 1,)
        n log n.
    """
    total, present, value = 0, 0, 0.0
    # N H = N log N - sum(n_k log n_k), in nats
    for k in range(cumulative.shape[1]):
        n = cumulative[b, k] - cumulative[a, k]
        value -= table[n]
        total += n
        present += n > 0
    return (value + table[total]) / (total * _LOG2), total, present


@subroutine
def _lowest_entropy_cut(
    a: int, b: int, prior: float, total: int, cumulative: IntArray, table: FloatArray
) -> tuple[float, int]:
    """Find the first cut of groups a to b with the lowest entropy; -1 if none is below `prior`.

    Parameters
    ----------
    cumulative, table : ndarray
        As in `_entropy`.
    """
    n_classes = cumulative.shape[1]
    best, cut, highest = prior, -1, -np.inf
    for g in range(a + 1, b):
        # order = sum(l log l) - L log L + sum(r log r) - R log R, minus the entropy in nats times N
        order, left, right = 0.0, 0, 0
        for k in range(n_classes):
            n = cumulative[g, k] - cumulative[a, k]
            order += table[n]
            left += n
        order -= table[left]
        for k in range(n_classes):
            n = cumulative[b, k] - cumulative[g, k]
            order += table[n]
            right += n
        order -= table[right]
        # The division is needed for a new highest order only. The comparison of entropies is
        # WEKA's: of cuts whose entropies round to the same number the first wins.
        if order > highest:
            highest = order
            entropy = -order / (total * _LOG2)
            if entropy < best:
                best, cut = entropy, g
    return best, cut


@subroutine
def _class_choice_bits(present: int) -> float:
    """Return log₂(3^c - 2): the bits that name the classes on both sides of a cut."""
    # 3^c overflows from c = 647 on; from c = 35 on the 2 is below its last bit
    exact = present < _MAX_EXACT_CLASSES
    log = math.log(3.0**present - 2.0) if exact else present * math.log(3.0)
    return log / _LOG2


@subroutine
def _best_cut(a: int, b: int, cumulative: IntArray, table: FloatArray) -> int:
    """Find the best cut of groups a to b that pays for its description; -1 if there is none.

    Groups a to b have b - a distinct values and so b - a - 1 possible cuts.

    Parameters
    ----------
    cumulative, table : ndarray
        As in `_entropy`.
    """
    if b - a < 2:
        return -1
    prior, total, present = _entropy(a, b, cumulative, table)
    best, cut = _lowest_entropy_cut(a, b, prior, total, cumulative, table)
    if cut < 0:
        return -1
    left, _, present_left = _entropy(a, cut, cumulative, table)
    right, _, present_right = _entropy(cut, b, cumulative, table)
    # gain > (log2(cuts) + log2(3^c - 2) - (c H - c1 H1 - c2 H2)) / N
    delta = _class_choice_bits(present) - (
        present * prior - present_right * right - present_left * left
    )
    cost = (math.log(b - a - 1.0) / _LOG2 + delta) / total
    return cut if prior - best > cost else -1


@subroutine
def _first_cut_margins(totals: IntArray, table: FloatArray) -> FloatArray:
    """Tabulate gain minus cost of a first cut of two classes, without the cost of naming the cut.

    The entry at i (n₁ + 1) + j is for i rows of the first and j rows of the second class below the
    cut, if the second class has n₁ rows.

    Parameters
    ----------
    totals : ndarray of shape (2,)
        Rows of each class in the resample.
    table : ndarray of shape (n + 1,)
        n log n.
    """
    zeros, ones = totals[0], totals[1]
    n = zeros + ones
    whole = table[n] - table[zeros] - table[ones]
    needed = _class_choice_bits(len(totals)) - 2.0 * whole / (n * _LOG2)
    margins = np.empty((zeros + 1) * (ones + 1))
    for a in range(zeros + 1):
        for b in range(ones + 1):
            # left = L H1, right = R H2, whole = N H, in nats; sides = c1 H1 + c2 H2
            low, high = max(a + b, 1), max(n - a - b, 1)
            left = table[low] - table[a] - table[b]
            right = table[high] - table[zeros - a] - table[ones - b]
            sides = ((a > 0) + (b > 0)) * left / low + ((a < zeros) + (b < ones)) * right / high
            margins[a * (ones + 1) + b] = ((whole - left - right - sides) / _LOG2 - needed) / n
    # a cut needs rows on both sides
    margins[0] = margins[len(margins) - 1] = -np.inf
    return margins


@subroutine
def _count_ties(start: IntArray, stop: IntArray, values: FloatArray) -> IntArray:
    """Count the entries of each column that equal the entry before.

    Parameters
    ----------
    start : ndarray of shape (p + 1,)
        Where the entries of each column begin.
    stop : ndarray of shape (p,)
        Where its missing values begin.
    values : ndarray of shape (n_entries,)
        The sorted values.
    """
    ties = np.empty(len(stop), np.int64)
    for j in range(len(stop)):
        ties[j] = 0
        for i in range(start[j] + 1, stop[j]):
            ties[j] += values[i] == values[i - 1]
    return ties


@subroutine
def _highest_margin(
    first: int, last: int, rows: Int32Array, steps: IntArray, margins: FloatArray
) -> float:
    """Highest margin over all positions of a column, those between equal values included.

    Parameters
    ----------
    rows : ndarray of shape (n_entries,)
        The rows of the sorted entries.
    steps : ndarray of shape (n,)
        How far each row moves the position in `margins`.
    margins : ndarray of shape ((n₀ + 1) (n₁ + 1),)
        See `_first_cut_margins`.
    """
    position, highest = 0, -np.inf
    for i in range(first, last):
        position += steps[rows[i]]
        highest = max(highest, margins[position])
    return highest


@subroutine
def _midpoint(lower: float, upper: float) -> float:
    """Return the middle of two numbers, also where their sum overflows."""
    middle = (lower + upper) / 2.0
    return lower / 2.0 + upper / 2.0 if math.isinf(middle) else middle


@subroutine
def _mdl_cuts(
    n_groups: int,
    cumulative: IntArray,
    table: FloatArray,
    group_values: FloatArray,
    stack: IntArray,
    edges: IntArray,
    cuts: FloatArray,
) -> int:
    """Cut a column wherever a cut pays for its description; return the number of cuts.

    Both sides of a cut wait on the stack, the left one on top, so cuts come out in ascending order.
    A value equal to a cut belongs below it: where the middle of two neighbouring numbers is rounded
    to the upper one, the edge between the bins lies one group above the cut.

    Parameters
    ----------
    cumulative, table : ndarray
        As in `_entropy`.
    group_values : ndarray of shape (n + 2,)
        The value of each group, from 1 on.
    stack : ndarray of shape (n + 2,)
        Scratch: the upper ends of the intervals still to cut.
    edges : ndarray of shape (n + 1,)
        Receives the last group of each bin.
    cuts : ndarray of shape (n_groups - 1,) or more
        Receives the cuts.
    """
    count, depth, a = 0, 1, 0 * n_groups
    stack[0] = n_groups
    while depth > 0:
        b = stack[depth - 1]
        cut = _best_cut(a, b, cumulative, table)
        if cut >= 0:
            stack[depth] = cut
            depth += 1
            continue
        depth -= 1
        a = b
        if depth > 0:
            cuts[count] = _midpoint(group_values[b], group_values[b + 1])
            edges[count] = b + (group_values[b + 1] <= cuts[count])
            count += 1
    edges[count] = n_groups
    return count


@subroutine
def _bins_by_edges(n_bins: int, cumulative: IntArray, edges: IntArray, bins: FloatArray) -> None:
    """Count the classes in the bins between edges.

    Parameters
    ----------
    cumulative : ndarray of shape (n + 3, c)
        Rows of each class in the first groups.
    edges : ndarray of shape (n_bins,) or more
        The last group of each bin.
    bins : ndarray of shape (n_bins, c) or more
        Receives the counts.
    """
    below = 0
    for i in range(n_bins):
        for k in range(cumulative.shape[1]):
            bins[i, k] = cumulative[edges[i], k] - cumulative[below, k]
        below = edges[i]


@subroutine
def _bins_by_rank(n_groups: int, cumulative: IntArray, n_bins: int, bins: FloatArray) -> None:
    """Count the classes in bins of equal frequency: a value goes where its mean rank falls.

    Parameters
    ----------
    cumulative : ndarray of shape (n + 3, c)
        Rows of each class in the first groups.
    bins : ndarray of shape (n_bins, c) or more
        Receives the counts.
    """
    n_classes = cumulative.shape[1]
    for i in range(n_bins):
        for k in range(n_classes):
            bins[i, k] = 0.0
    total, below = 0, 0
    for k in range(n_classes):
        total += cumulative[n_groups, k]
    for g in range(n_groups):
        upper = 0
        for k in range(n_classes):
            upper += cumulative[g + 1, k]
        # floor((r - 1/2) b / n) in integers, for the mean rank r = (below + upper + 1) / 2
        bin_ = (below + upper) * n_bins // (2 * total)
        for k in range(n_classes):
            bins[bin_, k] += cumulative[g + 1, k] - cumulative[g, k]
        below = upper


@subroutine
def _spread_missing(n_bins: int, missing: IntArray, bins: FloatArray) -> None:
    """Spread the rows with a missing value over the bins, in proportion to the sizes of the bins.

    Parameters
    ----------
    missing : ndarray of shape (c,)
        Rows of each class with a missing value.
    bins : ndarray of shape (n_bins, c) or more
        Rows of each class in each bin, changed in place.
    """
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


@subroutine
def _score_bins(kind: int, n_bins: int, bins: FloatArray, table: FloatArray) -> float:
    """Score a table of bins by classes.

    Parameters
    ----------
    kind : int
        `GAIN` in bits, `UNCERTAINTY` (symmetrical) or `NATS` (gain in nats).
    bins : ndarray of shape (n_bins, c) or more
        Rows of each class in each bin.
    table : ndarray of shape (n + 1,)
        n log n.
    """
    total, class_term, bin_term, within = 0.0, 0.0, 0.0, 0.0
    for k in range(bins.shape[1]):
        size = 0.0
        for i in range(n_bins):
            size += bins[i, k]
        class_term += _x_log_x(size, table)
        total += size
    for i in range(n_bins):
        size = 0.0
        for k in range(bins.shape[1]):
            size += bins[i, k]
            within += _x_log_x(bins[i, k], table)
        bin_term += _x_log_x(size, table)
    whole = _x_log_x(total, table)
    # minus N H(class), minus N H(class | bin), minus N H(bin), in nats
    class_term, within, bin_term = class_term - whole, within - bin_term, bin_term - whole
    # rounding may take the gain of an uninformative feature below 0
    gain = max(within - class_term, 0.0)
    if kind == NATS:
        return gain / total
    if kind == GAIN:
        return gain / (total * _LOG2)
    if -class_term <= _TINY or -bin_term <= _TINY:
        return 0.0
    return 2.0 * gain / -(class_term + bin_term)


@subroutine
def _mark_promising(
    start: IntArray,
    stop: IntArray,
    rows: Int32Array,
    ties: IntArray,
    codes: Int32Array,
    weights: Int32Array,
    totals: IntArray,
    table: FloatArray,
    promising: BoolArray,
) -> None:
    """Rule out columns of two classes that cannot have a cut.

    Only columns with a value in every row are ruled out. What passes is searched properly, so this
    decides nothing but the time taken; see **Method**.

    Parameters
    ----------
    start, stop : ndarray of shapes (p + 1,) and (p,)
        Where the entries of each column and its missing values begin.
    rows : ndarray of shape (n_entries,)
        The rows of the sorted entries.
    ties : ndarray of shape (p,)
        Entries of each column that equal the one before.
    codes, weights : ndarray of shape (n,)
        Class of each row, and how often the resample holds it.
    totals : ndarray of shape (2,)
        Rows of each class in the resample.
    table : ndarray of shape (n + 1,)
        n log n.
    promising : ndarray of shape (p,)
        Receives whether a column may have a cut.
    """
    steps = np.empty(len(codes), np.int64)
    n, present = totals[0] + totals[1], 0
    for row in range(len(codes)):
        # in the table of margins, a row of the second class moves one entry, one of the first
        # class a whole line of n₁ + 1 entries
        steps[row] = weights[row] * (1 if codes[row] else totals[1] + 1)
        present += weights[row] > 0
    margins = _first_cut_margins(totals, table)
    for j in range(len(stop)):
        # a resample has at least present - ties distinct values, so at least this many cuts
        places = max(present - ties[j] - 1, 1)
        needed = math.log(places) / _LOG2 / n - _ROUNDING
        whole = stop[j] - start[j] == len(codes)
        promising[j] = (
            not whole or _highest_margin(start[j], stop[j], rows, steps, margins) > needed
        )


@subroutine
def _margins_pay_off(totals: IntArray, n_entries: int) -> bool:
    """Return whether a table of margins is cheap next to a pass over the entries.

    The factor 4 is chosen: one entry of the table costs about as much as several entries of a pass.
    It changes the time taken only.

    Parameters
    ----------
    totals : ndarray of shape (2,)
        Rows of each class in the resample.
    """
    return bool(4 * (totals[0] + 1) * (totals[1] + 1) < n_entries)


@kernel
def score_rank_bins(
    kind: int,
    n_bins: int,
    start: IntArray,
    stop: IntArray,
    rows: Int32Array,
    values: FloatArray,
    codes: Int32Array,
    weights: Int32Array,
    totals: IntArray,
    table: FloatArray,
    scores: FloatArray,
) -> None:
    """Score sorted columns on each resample, with bins of equal frequency.

    Parameters
    ----------
    kind : int
        See `_score_bins`.
    start, stop, rows, values, codes, weights, totals, table, scores : ndarray
        As in `score_mdl_bins`.
    """
    n, n_classes = len(codes), totals.shape[1]
    group_values = np.empty(n + 2)
    cumulative = np.empty((n + 3, n_classes), np.int64)
    missing = np.empty(n_classes, np.int64)
    bins = np.empty((n_bins, n_classes))
    ties = _count_ties(start, stop, values)
    for r in range(len(weights)):
        for j in range(len(stop)):
            n_groups = _group_by_value(
                start[j],
                stop[j],
                start[j + 1],
                rows,
                values,
                codes,
                weights[r],
                totals[r],
                ties[j] > 0,
                group_values,
                cumulative,
                missing,
            )
            scores[r, j] = 0.0
            if n_groups < 2:
                continue
            _bins_by_rank(n_groups, cumulative, n_bins, bins)
            if start[j + 1] > stop[j]:
                _spread_missing(n_bins, missing, bins)
            scores[r, j] = _score_bins(kind, n_bins, bins, table)


@kernel
def score_mdl_bins(
    kind: int,
    start: IntArray,
    stop: IntArray,
    rows: Int32Array,
    values: FloatArray,
    codes: Int32Array,
    weights: Int32Array,
    totals: IntArray,
    table: FloatArray,
    scores: FloatArray,
    cuts: FloatArray,
    n_cuts: IntArray,
) -> None:
    """Score sorted columns on each resample, with bins between MDL cuts.

    Parameters
    ----------
    kind : int
        See `_score_bins`.
    start, stop : ndarray of shapes (p + 1,) and (p,)
        Where the entries of each column and its missing values begin.
    rows, values : ndarray of shape (n_entries,)
        The sorted entries.
    codes : ndarray of shape (n,)
        The class of each row.
    weights : ndarray of shape (n_resamples, n)
        How often each resample holds each row.
    totals : ndarray of shape (n_resamples, c)
        Rows of each class in each resample.
    table : ndarray of shape (n_max + 1,)
        n log n for counts up to the rows of the largest resample.
    scores : ndarray of shape (n_resamples, p)
        Receives the scores.
    cuts : ndarray of shape (n_entries,)
        Receives the cuts of column j on the last resample, from `start[j]` on.
    n_cuts : ndarray of shape (p,)
        Receives the number of cuts of each column on the last resample.
    """
    n, n_classes = len(codes), totals.shape[1]
    group_values = np.empty(n + 2)
    cumulative = np.empty((n + 3, n_classes), np.int64)
    missing = np.empty(n_classes, np.int64)
    bins = np.empty((n + 1, n_classes))
    stack, edges = np.empty(n + 2, np.int64), np.empty(n + 1, np.int64)
    ties = _count_ties(start, stop, values)
    promising = np.empty(len(stop), np.bool_)
    for r in range(len(weights)):
        weight, total = weights[r], totals[r]
        for j in range(len(stop)):
            promising[j] = True
        if n_classes == 2 and _margins_pay_off(total, len(rows)):
            _mark_promising(start, stop, rows, ties, codes, weight, total, table, promising)
        for j in range(len(stop)):
            first, end = start[j], start[j + 1]
            scores[r, j] = 0.0
            if not promising[j]:
                n_cuts[j] = 0
                continue
            n_groups = _group_by_value(
                first,
                stop[j],
                end,
                rows,
                values,
                codes,
                weight,
                total,
                ties[j] > 0,
                group_values,
                cumulative,
                missing,
            )
            column_cuts = cuts[first:end]
            n_cuts[j] = _mdl_cuts(
                n_groups, cumulative, table, group_values, stack, edges, column_cuts
            )
            if n_cuts[j] == 0:
                continue
            n_bins = n_cuts[j] + 1
            _bins_by_edges(n_bins, cumulative, edges, bins)
            if end > stop[j]:
                _spread_missing(n_bins, missing, bins)
            scores[r, j] = _score_bins(kind, n_bins, bins, table)
