"""Agreement of two subsets when similar features count as partly the same.

**Method.** A pair of subsets is described by its *common* features (positions that hold the same
feature) and its *edges* (positions that hold different features whose similarity reaches a
threshold), grouped by the position in the first subset. With r common features, a and b the sizes
of the subsets, and edges between features that are not common:

* `MBM`: r plus the size of a maximum bipartite matching, found by augmenting paths;
* `GREEDY`: r plus the size of the matching that takes the strongest edge first;
* `COUNT`: r plus the smaller of the numbers of features with an edge in the two subsets;
* `MEAN`: the same with the mean strength of a feature's edges in place of 1;
* `YU`: r plus the mean of the two numbers of `COUNT`;
* `ZUCKNICK`: (r + t₁ + t₂) / (a + b - r), where t₁ sums the strengths of all edges into features of
  the second subset that are not common, divided by b, and t₂ likewise for the first, divided by a.

Scores can be taken for the first a and b positions only, so that one pair of random sequences
serves every pair of sizes.

**Reference.** [Bommert2020]_ for the first four, [Yu2012]_ and [Zhang2009]_ for `YU`,
[Zucknick2008]_; [Berge1957]_ for matching by augmenting paths.

**Deviations.** Among equally strong edges `GREEDY` takes the first, so that its value depends on
the order of the features. Two empty subsets have no value (NaN) by `YU` and `ZUCKNICK`.

**Rounding.** Sizes of matchings and counts are exact. Strengths are added in the order of the
positions, so a score may differ in the last bits when the two subsets are exchanged; each pair is
scored once.
"""

from __future__ import annotations

import numpy as np

from holdfast._kernels import kernel, subroutine
from holdfast._kernels.shuffling import shuffle_front
from holdfast._typing import FloatArray, IntArray

MBM, GREEDY, COUNT, MEAN, YU, ZUCKNICK = range(6)


@subroutine
def _describe_pair(
    first: IntArray,
    second: IntArray,
    position: IntArray,
    indptr: IntArray,
    neighbors: IntArray,
    strengths: FloatArray,
    common: IntArray,
    common_back: IntArray,
    start: IntArray,
    left: IntArray,
    right: IntArray,
    strength: FloatArray,
) -> None:
    """Find common features and edges of two subsets in a similarity graph.

    Parameters
    ----------
    first, second : ndarray of shapes (a,) and (b,)
        The features of the subsets.
    position : ndarray of shape (p,)
        Scratch: zero before and after.
    indptr, neighbors, strengths : ndarray of shapes (p + 1,), (n_edges,) and (n_edges,)
        The graph: feature x is similar to ``neighbors[indptr[x]:indptr[x + 1]]``.
    common, common_back : ndarray of shapes (at least a,) and (at least b,)
        Receive the position of the same feature in the other subset, -1 if it is not there.
    start : ndarray of shape (at least a + 1,)
        Receives where the edges of each position of the first subset begin.
    left, right, strength : ndarray of shape (at least the number of edges,)
        Receive the positions in both subsets and the strength of each edge.
    """
    for j in range(len(second)):
        position[second[j]] = j + 1
        common_back[j] = -1
    count = 0
    for i in range(len(first)):
        x = first[i]
        start[i] = count
        common[i] = position[x] - 1
        if common[i] >= 0:
            common_back[common[i]] = i
        for e in range(indptr[x], indptr[x + 1]):
            j = position[neighbors[e]] - 1
            if j >= 0:
                left[count] = i
                right[count] = j
                strength[count] = strengths[e]
                count += 1
    start[len(first)] = count
    # reset only the entries that were set: p may be far larger than the subsets
    for j in range(len(second)):
        position[second[j]] = 0


@subroutine
def _max_matching_size(
    a: int,
    b: int,
    common: IntArray,
    common_back: IntArray,
    start: IntArray,
    right: IntArray,
    work: IntArray,
) -> int:
    """Size of a maximum matching of features that are not common, by augmenting paths.

    Parameters
    ----------
    common, common_back, start, right : ndarray
        As in `_describe_pair`.
    work : ndarray of shape (5, at least max(a, b) + 1)
        Scratch.
    """
    partner, partner_back, came_from, queue = work[0], work[1], work[2], work[3]
    # marked by the root of the search, so that marks need not be reset for the next root
    visited_by = work[4]
    for i in range(a):
        partner[i] = -1
    for j in range(b):
        partner_back[j] = visited_by[j] = -1
    size = 0
    for root in range(a):
        if 0 <= common[root] < b:
            continue
        # breadth-first search for an augmenting path from the root to an unmatched position
        queue[0] = root
        head, tail, free = 0, 1, -1
        while head < tail and free < 0:
            i = queue[head]
            head += 1
            for e in range(start[i], start[i + 1]):
                j = right[e]
                # common features count by themselves and take no part in the matching
                if j >= b or 0 <= common_back[j] < a or visited_by[j] == root:
                    continue
                visited_by[j] = root
                came_from[j] = i
                if partner_back[j] < 0:
                    free = j
                    break
                # a matched position may still be reached: its partner can look for another one
                queue[tail] = partner_back[j]
                tail += 1
        if free >= 0:
            size += 1
        # swap matched and unmatched edges along the path from the root to the free position
        while free >= 0:
            i = came_from[free]
            previous = partner[i]
            partner[i] = free
            partner_back[free] = i
            free = previous
    return size


@subroutine
def _greedy_matching_size(
    a: int,
    b: int,
    common: IntArray,
    common_back: IntArray,
    left: IntArray,
    right: IntArray,
    order: IntArray,
    work: IntArray,
) -> int:
    """Size of the matching that takes the strongest edge first.

    Parameters
    ----------
    common, common_back, left, right : ndarray
        As in `_describe_pair`.
    order : ndarray of shape (n_edges,)
        The edges, strongest first.
    work : ndarray of shape (5, at least max(a, b) + 1)
        Scratch.
    """
    taken_left, taken_right = work[0], work[1]
    for i in range(a):
        taken_left[i] = 0
    for j in range(b):
        taken_right[j] = 0
    size = 0
    for e in order:
        i, j = left[e], right[e]
        if i >= a or j >= b or 0 <= common[i] < b or 0 <= common_back[j] < a:
            continue
        if taken_left[i] == 0 and taken_right[j] == 0:
            taken_left[i] = 1
            taken_right[j] = 1
            size += 1
    return size


@subroutine
def _score_pair(
    kind: int,
    a: int,
    b: int,
    common: IntArray,
    common_back: IntArray,
    start: IntArray,
    left: IntArray,
    right: IntArray,
    strength: FloatArray,
    order: IntArray | None,
    work: IntArray,
    sums: FloatArray,
) -> float:
    """Score the first a and b positions of a pair of subsets.

    Parameters
    ----------
    common, common_back, start, left, right, strength : ndarray
        As in `_describe_pair`.
    order : ndarray of shape (n_edges,) or None
        The edges, strongest first; empty unless `kind` is `GREEDY`. None, with which matchings are
        not compiled, unless `kind` is `GREEDY` or `MBM`.
    work, sums : ndarray of shapes (5, at least max(a, b) + 1) and (2, at least max(a, b))
        Scratch.
    """
    shared = 0
    for i in range(a):
        if 0 <= common[i] < b:
            shared += 1
    if order is not None:
        if kind == MBM:
            return shared + _max_matching_size(a, b, common, common_back, start, right, work)
        if kind == GREEDY:
            return shared + _greedy_matching_size(
                a, b, common, common_back, left, right, order, work
            )
    edges = start[a]
    if kind == ZUCKNICK:
        forth, back = 0.0, 0.0
        # edges are grouped by the position in the first subset, so those of the first a come first
        for e in range(edges):
            if right[e] >= b:
                continue
            if not 0 <= common_back[right[e]] < a:
                forth += strength[e]
            if not 0 <= common[left[e]] < b:
                back += strength[e]
        if a == 0 or b == 0:
            return np.nan if a == b else 0.0
        # common features and both sums, over the size of the union
        return (shared + forth / b + back / a) / (a + b - shared)
    n_left, n_right = work[0], work[1]
    for i in range(a):
        n_left[i], sums[0, i] = 0, 0.0
    for j in range(b):
        n_right[j], sums[1, j] = 0, 0.0
    for e in range(edges):
        i, j = left[e], right[e]
        if j >= b or 0 <= common[i] < b or 0 <= common_back[j] < a:
            continue
        n_left[i] += 1
        n_right[j] += 1
        sums[0, i] += strength[e]
        sums[1, j] += strength[e]
    forth, back = 0.0, 0.0
    for i in range(a):
        if n_left[i] > 0:
            forth += sums[0, i] / n_left[i] if kind == MEAN else 1.0
    for j in range(b):
        if n_right[j] > 0:
            back += sums[1, j] / n_right[j] if kind == MEAN else 1.0
    if kind == YU:
        return np.nan if a + b == 0 else shared + (forth + back) / 2
    return shared + min(forth, back)


@subroutine
def _strongest_first(
    kind: int, strength: FloatArray, count: int, order: IntArray, scratch: IntArray
) -> IntArray:
    """Order of the first `count` edges by falling strength, for `GREEDY`; else nothing.

    Merge sort: of equally strong edges the first comes first.

    Parameters
    ----------
    strength : ndarray of shape (at least count,)
        The strengths of the edges.
    order, scratch : ndarray of shape (at least count,)
        Scratch; the result is a part of one of them.
    """
    if kind != GREEDY:
        return order[:0]
    for e in range(count):
        order[e] = e
    width = 1
    while width < count:
        for low in range(0, count, 2 * width):
            middle, high = min(low + width, count), min(low + 2 * width, count)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j == high or strength[order[i]] >= strength[order[j]]):
                    scratch[k] = order[i]
                    i += 1
                else:
                    scratch[k] = order[j]
                    j += 1
        order, scratch = scratch, order
        width *= 2
    return order[:count]


@kernel
def pair_table(
    kind: int,
    bounds: IntArray,
    members: IntArray,
    indptr: IntArray,
    neighbors: IntArray,
    strengths: FloatArray,
    max_size: int,
    max_edges: int,
    scratch: IntArray | None,
) -> FloatArray:
    """Scores of all pairs of subsets.

    Parameters
    ----------
    bounds, members : ndarray of shapes (m + 1,) and (n_members,)
        The features of subset i are ``members[bounds[i]:bounds[i + 1]]``.
    indptr, neighbors, strengths : ndarray
        As in `_describe_pair`.
    max_size, max_edges : int
        Size of the largest subset, and most neighbours that the members of one subset have
        together.
    scratch : ndarray of shape (2, max_edges) or None
        Needed if `kind` is `MBM` or `GREEDY`. With None, the code of matchings, which takes as
        long to compile as the rest, is left out.
    """
    m = len(bounds) - 1
    position = np.empty(len(indptr) - 1, np.int64)
    for x in range(len(position)):
        position[x] = 0
    # few arrays: each allocation adds to the time of compilation
    by_position = np.empty((3, max_size + 1), np.int64)
    common, common_back, start = by_position[0], by_position[1], by_position[2]
    ends = np.empty((2, max_edges), np.int64)
    left, right = ends[0], ends[1]
    strength = np.empty(max_edges)
    work = np.empty((5, max_size + 1), np.int64)
    sums = np.empty((2, max_size))
    table = np.empty((m, m))
    for i in range(m):
        first = members[bounds[i] : bounds[i + 1]]
        for j in range(i, m):
            second = members[bounds[j] : bounds[j + 1]]
            _describe_pair(
                first,
                second,
                position,
                indptr,
                neighbors,
                strengths,
                common,
                common_back,
                start,
                left,
                right,
                strength,
            )
            if scratch is None:
                order = None
            else:
                order = _strongest_first(kind, strength, start[len(first)], scratch[0], scratch[1])
            table[i, j] = _score_pair(
                kind,
                len(first),
                len(second),
                common,
                common_back,
                start,
                left,
                right,
                strength,
                order,
                work,
                sums,
            )
            table[j, i] = table[i, j]
    return table


@kernel
def prefix_scores(
    kind: int,
    sizes_a: IntArray,
    sizes_b: IntArray,
    common: IntArray,
    common_back: IntArray,
    start: IntArray,
    left: IntArray,
    right: IntArray,
    strength: FloatArray,
    scores: FloatArray,
) -> None:
    """Score every pair of sizes on the beginnings of one pair of sequences.

    Parameters
    ----------
    sizes_a, sizes_b : ndarray of shape (n_sizes,)
        The pairs of sizes.
    common, common_back, start, left, right, strength : ndarray
        As in `_describe_pair`.
    scores : ndarray of shape (n_sizes,)
        Receives the scores.
    """
    count = start[len(start) - 1]
    edges, scratch = np.empty(count, np.int64), np.empty(count, np.int64)
    order = _strongest_first(kind, strength, count, edges, scratch)
    size = max(len(common), len(common_back))
    work = np.empty((5, size + 1), np.int64)
    sums = np.empty((2, size))
    for k in range(len(sizes_a)):
        scores[k] = _score_pair(
            kind,
            sizes_a[k],
            sizes_b[k],
            common,
            common_back,
            start,
            left,
            right,
            strength,
            order,
            work,
            sums,
        )


@kernel
def simulated_scores(
    kind: int,
    draws: int,
    sizes_a: IntArray,
    sizes_b: IntArray,
    indptr: IntArray,
    neighbors: IntArray,
    strengths: FloatArray,
    generator: np.random.Generator,
) -> FloatArray:
    """Sums of the scores, and of their squares, over random subsets of each pair of sizes.

    Parameters
    ----------
    sizes_a, sizes_b : ndarray of shape (n_sizes,)
        The pairs of sizes.
    indptr, neighbors, strengths : ndarray
        As in `_describe_pair`.

    Returns
    -------
    ndarray of shape (2, n_sizes)
        The sums over all draws.
    """
    p = len(indptr) - 1
    a, b = sizes_a.max(), sizes_b.max()
    deck = np.arange(p)
    position = np.zeros(p, np.int64)
    common, common_back = np.empty(a, np.int64), np.empty(b, np.int64)
    start = np.empty(a + 1, np.int64)
    scores = np.empty(len(sizes_a))
    sums = np.zeros((2, len(sizes_a)))
    for _ in range(draws):
        shuffle_front(deck, a, generator)
        first = deck[:a].copy()
        shuffle_front(deck, b, generator)
        max_edges = 0
        for x in first:
            max_edges += min(indptr[x + 1] - indptr[x], b)
        left, right = np.empty(max_edges, np.int64), np.empty(max_edges, np.int64)
        strength = np.empty(max_edges)
        _describe_pair(
            first,
            deck[:b],
            position,
            indptr,
            neighbors,
            strengths,
            common,
            common_back,
            start,
            left,
            right,
            strength,
        )
        prefix_scores(
            kind,
            sizes_a,
            sizes_b,
            common,
            common_back,
            start,
            left,
            right,
            strength,
            scores,
        )
        for k in range(len(scores)):
            sums[0, k] += scores[k]
            sums[1, k] += scores[k] ** 2
    return sums


@subroutine
def _next_combination(chosen: IntArray, p: int) -> bool:
    """Advance to the next combination in lexicographic order; False after the last.

    `chosen`, of shape (k,), holds k of the numbers below p, ascending.
    """
    k = len(chosen)
    for i in range(k - 1, -1, -1):
        # the last entry that has not reached its largest value rises; those behind it restart
        if chosen[i] < p - k + i:
            chosen[i] += 1
            for j in range(i + 1, k):
                chosen[j] = chosen[j - 1] + 1
            return True
    return False


@kernel
def enumerated_mean(
    kind: int, a: int, b: int, indptr: IntArray, neighbors: IntArray, strengths: FloatArray
) -> float:
    """Mean score over all pairs of subsets of sizes a and b.

    Parameters
    ----------
    indptr, neighbors, strengths : ndarray
        As in `_describe_pair`.
    """
    p = len(indptr) - 1
    position = np.zeros(p, np.int64)
    common, common_back = np.empty(a, np.int64), np.empty(b, np.int64)
    start = np.empty(a + 1, np.int64)
    max_edges = a * b
    left, right = np.empty(max_edges, np.int64), np.empty(max_edges, np.int64)
    strength = np.empty(max_edges)
    edges, scratch = np.empty(max_edges, np.int64), np.empty(max_edges, np.int64)
    work = np.empty((5, max(a, b) + 1), np.int64)
    sums = np.empty((2, max(a, b)))
    total, count = 0.0, 0
    first = np.arange(a)
    while True:
        second = np.arange(b)
        while True:
            _describe_pair(
                first,
                second,
                position,
                indptr,
                neighbors,
                strengths,
                common,
                common_back,
                start,
                left,
                right,
                strength,
            )
            order = _strongest_first(kind, strength, start[a], edges, scratch)
            total += _score_pair(
                kind, a, b, common, common_back, start, left, right, strength, order, work, sums
            )
            count += 1
            if not _next_combination(second, p):
                break
        if not _next_combination(first, p):
            break
    return total / count
