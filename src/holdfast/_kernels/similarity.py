"""Agreement of two subsets when similar features count as partly the same.

A pair of subsets is described by its *mates* (positions that hold the same feature) and its
*edges* (positions that hold similar, different features), grouped by the position in the first
subset. Scores can be taken for the first a and b positions only, so that one pair of random
sequences serves every pair of sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

MBM, GREEDY, COUNT, MEAN, YU, ZUCKNICK = range(6)


@kernel
def _find(
    first: Ints,
    second: Ints,
    place: Ints,
    indptr: Ints,
    neighbours: Ints,
    strengths: Floats,
    mate: Ints,
    mate_back: Ints,
    start: Ints,
    left: Ints,
    right: Ints,
    strength: Floats,
) -> None:
    """Find mates and edges of two subsets in a similarity graph; `place` is zero before, after."""
    for j in range(len(second)):
        place[second[j]] = j + 1
        mate_back[j] = -1
    count = 0
    for i in range(len(first)):
        x = first[i]
        start[i] = count
        mate[i] = place[x] - 1
        if mate[i] >= 0:
            mate_back[mate[i]] = i
        for e in range(indptr[x], indptr[x + 1]):
            j = place[neighbours[e]] - 1
            if j >= 0:
                left[count] = i
                right[count] = j
                strength[count] = strengths[e]
                count += 1
    start[len(first)] = count
    for j in range(len(second)):
        place[second[j]] = 0


@kernel
def _matching(
    a: int, b: int, mate: Ints, mate_back: Ints, start: Ints, right: Ints, work: Ints
) -> int:
    """Size of a maximum matching of features outside the overlap, by augmenting paths."""
    to, back, came, queue = work[0], work[1], work[2], work[3]
    to[:a] = -1
    back[:b] = -1
    seen = work[4]
    seen[:b] = -1
    size = 0
    for root in range(a):
        if 0 <= mate[root] < b:
            continue
        queue[0] = root
        head, tail, end = 0, 1, -1
        while head < tail and end < 0:
            i = queue[head]
            head += 1
            for e in range(start[i], start[i + 1]):
                j = right[e]
                if j >= b or 0 <= mate_back[j] < a or seen[j] == root:
                    continue
                seen[j] = root
                came[j] = i
                if back[j] < 0:
                    end = j
                    break
                queue[tail] = back[j]
                tail += 1
        if end >= 0:
            size += 1
        while end >= 0:
            i = came[end]
            following = to[i]
            to[i] = end
            back[end] = i
            end = following
    return size


@kernel
def _greedy(
    a: int,
    b: int,
    mate: Ints,
    mate_back: Ints,
    left: Ints,
    right: Ints,
    order: Ints,
    work: Ints,
) -> int:
    """Size of the matching that takes the strongest edge first."""
    taken_left, taken_right = work[0], work[1]
    taken_left[:a] = 0
    taken_right[:b] = 0
    size = 0
    for e in order:
        i, j = left[e], right[e]
        if i >= a or j >= b or 0 <= mate[i] < b or 0 <= mate_back[j] < a:
            continue
        if taken_left[i] == 0 and taken_right[j] == 0:
            taken_left[i] = 1
            taken_right[j] = 1
            size += 1
    return size


@kernel
def _score(
    kind: int,
    a: int,
    b: int,
    mate: Ints,
    mate_back: Ints,
    start: Ints,
    left: Ints,
    right: Ints,
    strength: Floats,
    order: Ints,
    work: Ints,
    sums: Floats,
) -> float:
    """Score the first a and b positions of a pair of subsets."""
    shared = 0
    for i in range(a):
        if 0 <= mate[i] < b:
            shared += 1
    if kind == MBM:
        return shared + _matching(a, b, mate, mate_back, start, right, work)
    if kind == GREEDY:
        return shared + _greedy(a, b, mate, mate_back, left, right, order, work)
    edges = start[a]
    if kind == ZUCKNICK:
        forth, back = 0.0, 0.0
        for e in range(edges):
            if right[e] >= b:
                continue
            if not 0 <= mate_back[right[e]] < a:
                forth += strength[e]
            if not 0 <= mate[left[e]] < b:
                back += strength[e]
        if a == 0 or b == 0:
            return np.nan if a == b else 0.0
        return (shared + forth / b + back / a) / (a + b - shared)
    of_left, of_right = work[0], work[1]
    of_left[:a] = 0
    of_right[:b] = 0
    sums[0, :a] = 0.0
    sums[1, :b] = 0.0
    for e in range(edges):
        i, j = left[e], right[e]
        if j >= b or 0 <= mate[i] < b or 0 <= mate_back[j] < a:
            continue
        of_left[i] += 1
        of_right[j] += 1
        sums[0, i] += strength[e]
        sums[1, j] += strength[e]
    forth, back = 0.0, 0.0
    for i in range(a):
        if of_left[i] > 0:
            forth += sums[0, i] / of_left[i] if kind == MEAN else 1.0
    for j in range(b):
        if of_right[j] > 0:
            back += sums[1, j] / of_right[j] if kind == MEAN else 1.0
    if kind == YU:
        return np.nan if a + b == 0 else shared + (forth + back) / 2
    return shared + min(forth, back)


@kernel
def _strongest_first(kind: int, strength: Floats) -> Ints:
    if kind != GREEDY:
        return np.zeros(0, np.int64)
    return np.argsort(-strength, kind="mergesort")


@kernel
def _widest(bounds: Ints, members: Ints, indptr: Ints) -> tuple[int, int]:
    """Largest subset, and most neighbours that the members of one subset have together."""
    size, edges = 0, 0
    for i in range(len(bounds) - 1):
        size = max(size, bounds[i + 1] - bounds[i])
        total = 0
        for k in range(bounds[i], bounds[i + 1]):
            total += indptr[members[k] + 1] - indptr[members[k]]
        edges = max(edges, total)
    return size, edges


@kernel
def pair_table(
    kind: int,
    bounds: Ints,
    members: Ints,
    indptr: Ints,
    neighbours: Ints,
    strengths: Floats,
) -> Floats:
    """Scores of all pairs of subsets."""
    m = len(bounds) - 1
    size, most = _widest(bounds, members, indptr)
    place = np.zeros(len(indptr) - 1, np.int64)
    mate, mate_back = np.empty(size, np.int64), np.empty(size, np.int64)
    start = np.empty(size + 1, np.int64)
    left, right = np.empty(most, np.int64), np.empty(most, np.int64)
    strength = np.empty(most)
    work = np.empty((5, size + 1), np.int64)
    sums = np.empty((2, size))
    table = np.zeros((m, m))
    for i in range(m):
        first = members[bounds[i] : bounds[i + 1]]
        for j in range(i, m):
            second = members[bounds[j] : bounds[j + 1]]
            _find(
                first,
                second,
                place,
                indptr,
                neighbours,
                strengths,
                mate,
                mate_back,
                start,
                left,
                right,
                strength,
            )
            order = _strongest_first(kind, strength[: start[len(first)]])
            table[i, j] = _score(
                kind,
                len(first),
                len(second),
                mate,
                mate_back,
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
    sizes_a: Ints,
    sizes_b: Ints,
    mate: Ints,
    mate_back: Ints,
    start: Ints,
    left: Ints,
    right: Ints,
    strength: Floats,
    scores: Floats,
) -> None:
    """Score every pair of sizes on the beginnings of one pair of sequences."""
    order = _strongest_first(kind, strength[: start[-1]])
    size = max(len(mate), len(mate_back))
    work = np.empty((5, size + 1), np.int64)
    sums = np.empty((2, size))
    for k in range(len(sizes_a)):
        scores[k] = _score(
            kind,
            sizes_a[k],
            sizes_b[k],
            mate,
            mate_back,
            start,
            left,
            right,
            strength,
            order,
            work,
            sums,
        )


@kernel
def _shuffle_start(deck: Ints, count: int, generator: np.random.Generator) -> None:
    """Bring a random sequence of `count` different features to the front of the deck."""
    for i in range(count):
        j = i + int(generator.random() * (len(deck) - i))
        deck[i], deck[j] = deck[j], deck[i]


@kernel
def simulated_scores(
    kind: int,
    draws: int,
    sizes_a: Ints,
    sizes_b: Ints,
    indptr: Ints,
    neighbours: Ints,
    strengths: Floats,
    generator: np.random.Generator,
) -> Floats:
    """Mean score and its variance for random subsets of each pair of sizes, in two rows."""
    p = len(indptr) - 1
    a, b = sizes_a.max(), sizes_b.max()
    deck = np.arange(p)
    place = np.zeros(p, np.int64)
    mate, mate_back = np.empty(a, np.int64), np.empty(b, np.int64)
    start = np.empty(a + 1, np.int64)
    scores = np.empty(len(sizes_a))
    sums = np.zeros((2, len(sizes_a)))
    for _ in range(draws):
        _shuffle_start(deck, a, generator)
        first = deck[:a].copy()
        _shuffle_start(deck, b, generator)
        most = 0
        for x in first:
            most += min(indptr[x + 1] - indptr[x], b)
        left, right = np.empty(most, np.int64), np.empty(most, np.int64)
        strength = np.empty(most)
        _find(
            first,
            deck[:b],
            place,
            indptr,
            neighbours,
            strengths,
            mate,
            mate_back,
            start,
            left,
            right,
            strength,
        )
        prefix_scores(
            kind,
            sizes_a,
            sizes_b,
            mate,
            mate_back,
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


@kernel
def _next_combination(chosen: Ints, p: int) -> bool:
    """Advance to the next combination in lexicographic order; False after the last."""
    k = len(chosen)
    for i in range(k - 1, -1, -1):
        if chosen[i] < p - k + i:
            chosen[i] += 1
            for j in range(i + 1, k):
                chosen[j] = chosen[j - 1] + 1
            return True
    return False


@kernel
def enumerated_mean(
    kind: int, a: int, b: int, indptr: Ints, neighbours: Ints, strengths: Floats
) -> float:
    """Mean score over all pairs of subsets of sizes a and b."""
    p = len(indptr) - 1
    place = np.zeros(p, np.int64)
    mate, mate_back = np.empty(a, np.int64), np.empty(b, np.int64)
    start = np.empty(a + 1, np.int64)
    most = a * b
    left, right = np.empty(most, np.int64), np.empty(most, np.int64)
    strength = np.empty(most)
    work = np.empty((5, max(a, b) + 1), np.int64)
    sums = np.empty((2, max(a, b)))
    total, count = 0.0, 0
    first = np.arange(a)
    while True:
        second = np.arange(b)
        while True:
            _find(
                first,
                second,
                place,
                indptr,
                neighbours,
                strengths,
                mate,
                mate_back,
                start,
                left,
                right,
                strength,
            )
            order = _strongest_first(kind, strength[: start[a]])
            total += _score(
                kind, a, b, mate, mate_back, start, left, right, strength, order, work, sums
            )
            count += 1
            if not _next_combination(second, p):
                break
        if not _next_combination(first, p):
            break
    return total / count
