"""k nearest neighbours in many subsets of features that differ little from one base.

The squared distance in a subset is *defined* as the sum of w(x - y)², feature after feature in
ascending order; of equal distances the earlier row of the training part is nearer. What is
computed first is another sum: the base's distance plus or minus what a unit of features
contributes. It costs one feature instead of all, but its rounding errors differ, and taking away
may leave little else. So it decides only where the k-th and the next distance are farther apart
than the errors can be. The few rows in doubt are summed anew, so that every way to a subset, by
adding or by removing, leads to the same neighbours to the last bit.

Units are judged side by side, one a lane: what is done for one is done for all, in vector
instructions. Tested rows come in blocks of one split, so that no more distances are held at a
time. Indices of inner loops are unsigned: the check for negative ones would keep them scalar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Counts = NDArray[np.uint64]
    Floats = NDArray[np.float64]

LANES = 8
WIDEST = 32
BLOCK = 64
SPARE = 12
EPS = float(np.finfo(np.float64).eps)
u64 = np.uint64
ZERO, ONE = u64(0), u64(1)


class NeighborData(NamedTuple):
    """Samples in rows with their classes, the limits of each feature, and how many vote."""

    X: Floats
    classes: Ints
    lows: Floats
    highs: Floats
    n_classes: int
    k: int


class TestedRowBlock(NamedTuple):
    """Some tested rows of a split, the training part, and their distances in the base.

    `near` are the smallest distances of each tested row in ascending order, equal ones in the
    order of the training part; `place` says where in the training part they are.
    """

    tested: Ints
    train: Ints
    kinds: Counts
    weights: Floats
    base: Ints
    table: Floats
    near: Floats
    place: Counts


class Tile(NamedTuple):
    """Units side by side, ``features[starts[lane]:starts[lane + 1]]`` in each lane.

    The last axis of all other arrays is the lane. The first axis of `weights`, `own` (tested
    rows) and `others` (training part) is the place of a feature in its unit; weights are negative
    where features go, and 0 where a unit has no more of them. `reach` is how much smaller than in
    the base a distance can be.
    """

    features: Ints
    starts: Ints
    weights: Floats
    own: Floats
    others: Floats
    reach: Floats


class Search(NamedTuple):
    """Working space of the search for the nearest rows of one tested row, in all lanes.

    `best` are the smallest distances so far, k + 1 of them in ascending order (and one more, for
    two are renewed at a time), before and after the last row looked at; `seen` are distances of
    the rows that were among them in some lane once, and `kinds` the classes of these rows.
    """

    best: Floats
    seen: Floats
    kinds: Counts
    votes: Floats


class Contest(NamedTuple):
    """Working space for rows in doubt: the nearest, and the features of each lane's subset.

    `sizes` are the numbers of these features, 0 before they are asked for.
    """

    near: Floats
    names: Counts
    subsets: Ints
    sizes: Ints


@kernel
def score_units(
    data: NeighborData,
    weights: Floats,
    train: Ints,
    trains: Ints,
    test: Ints,
    tests: Ints,
    worth: Floats,
    base: Ints,
    features: Ints,
    starts: Ints,
    sign: float,
) -> Floats:
    """Return what the right predictions are worth, a mean over splits, for each unit of features.

    `weights` has a row for each split. The training part of split s is
    ``train[trains[s]:trains[s + 1]]``, and likewise for tests and for the features of units,
    which are added to the base (`sign` 1.0) or removed from it (-1.0).
    """
    n_splits, n_units = len(trains) - 1, len(starts) - 1
    width = min((n_units + LANES - 1) // LANES * LANES, WIDEST)
    size = data.k + 1 + (SPARE if n_units > LANES else SPARE // 2)
    values = np.zeros(n_units + width)
    for s in range(n_splits):
        part = train[trains[s] : trains[s + 1]]
        for first in range(tests[s], tests[s + 1], BLOCK):
            last = min(first + BLOCK, tests[s + 1])
            block = _block(data, weights[s], part, test[first:last], base, size)
            for c in range(0, n_units, width):
                tile = _tile(data, block, features, starts[c : c + width + 1], sign, width)
                _add_right(data, block, tile, worth[first:last], values[c : c + width])
    return values[:n_units] / n_splits


@kernel
def _block(
    data: NeighborData, weights: Floats, train: Ints, tested: Ints, base: Ints, size: int
) -> TestedRowBlock:
    """Compute what all units share: the distances by the base's features."""
    table = np.zeros((len(tested), len(train)))
    for f in base:
        column = data.X[:, f]
        _add_squares(table, column[tested], column[train], weights[f])
    near = np.full((len(tested), min(size, len(train))), np.inf)
    place = np.zeros(near.shape, u64)
    for i in range(len(tested)):
        _rank(table[i], near[i], place[i])
    kinds = data.classes[train].astype(u64)
    return TestedRowBlock(tested, train, kinds, weights, base, table, near, place)


@kernel
def _add_squares(table: Floats, own: Floats, others: Floats, w: float) -> None:
    """Add one feature to the distances."""
    for i in range(u64(len(own))):
        for j in range(u64(len(others))):
            gap = own[i] - others[j]
            table[i, j] += w * gap * gap


@kernel
def _rank(distances: Floats, near: Floats, place: Counts) -> None:
    """Sort out the smallest distances, and where they are."""
    last = u64(len(near)) - ONE
    for j in range(u64(len(distances))):
        if distances[j] < near[last]:
            _insert(near, place, distances[j], j)


@kernel
def _insert(distances: Floats, names: Counts, distance: float, name: int) -> None:
    """Put a distance, smaller than the last, in its place behind equal ones; drop the last."""
    t = u64(len(distances)) - ONE
    while t > ZERO and distances[t - ONE] > distance:
        distances[t], names[t] = distances[t - ONE], names[t - ONE]
        t -= ONE
    distances[t], names[t] = distance, name


@kernel
def _tile(
    data: NeighborData, block: TestedRowBlock, features: Ints, starts: Ints, sign: float, width: int
) -> Tile:
    """Collect the values of some units."""
    n_tested, n_train = len(block.tested), len(block.train)
    depth = max(np.max(starts[1:] - starts[:-1]), 1)  # units may be empty
    weights, reach = np.zeros((depth, width)), np.zeros((n_tested, width))
    own, others = np.zeros((depth, n_tested, width)), np.zeros((depth, n_train, width))
    for lane in range(len(starts) - 1):
        for at in range(starts[lane], starts[lane + 1]):
            f, d = features[at], at - starts[lane]
            w = block.weights[f]
            weights[d, lane] = sign * w
            for j in range(n_train):
                others[d, j, lane] = data.X[block.train[j], f]
            for i in range(n_tested):
                x = data.X[block.tested[i], f]
                own[d, i, lane] = x
                if sign < 0.0:
                    gap = max(x - data.lows[f], data.highs[f] - x)
                    reach[i, lane] += w * gap * gap
    return Tile(features, starts, weights, own, others, reach)


@kernel
def _add_right(
    data: NeighborData, block: TestedRowBlock, tile: Tile, worth: Floats, values: Floats
) -> None:
    """Add what the right predictions of a block are worth, in all lanes."""
    k, width, n_train = data.k, len(values), len(block.train)
    search = Search(
        np.empty((2, k + 2, width)),
        np.empty((n_train + 1, width)),
        np.empty(n_train, u64),
        np.empty((data.n_classes, width)),
    )
    most = len(block.base) + len(tile.weights)
    contest = Contest(
        np.empty(k), np.zeros(k, u64), np.empty((width, most), np.int64), np.zeros(width, np.int64)
    )
    slack = 4.0 * EPS * (most + 8)
    for i in range(len(worth)):
        count, now = _search(block, tile, u64(i), search)
        best = search.best[now]
        _vote(search, best[k - 1], count)
        for lane in range(len(tile.starts) - 1):
            border = best[k - 1, lane]
            doubt = slack * (border + tile.reach[i, lane])
            if not best[k, lane] > border + doubt:
                _settle(data, block, tile, i, lane, border, doubt, contest, search.votes[:, lane])
        _add_worth(search.votes, data.classes[block.tested[i]], worth[i], values)


@kernel
def _search(block: TestedRowBlock, tile: Tile, i: u64, search: Search) -> tuple[u64, u64]:
    """Find the smallest distances of one tested row in all lanes; who wins a tie is left open.

    The base's distances, less the reach, are bounds. Near rows come in their order until no lane
    can gain by any other. Returns how many rows were seen, and which of `best` holds the result.
    All in one body: calls with so many arrays would cost more than the work on a few lanes.
    """
    own, others, weights, reach = tile.own, tile.others, tile.weights, tile.reach
    best, seen = search.best, search.seen
    lanes, last, a, count = u64(seen.shape[1]), u64(best.shape[1]) - ONE - ONE, ZERO, ZERO
    for h in range(last + ONE + ONE):
        for lane in range(lanes):
            best[a, h, lane] = np.inf
    near = u64(block.near.shape[1])
    edge, where = block.near[i, near - ONE], block.place[i, near - ONE]
    for t in range(near + u64(len(block.train))):
        if t < near:
            base, j = block.near[i, t], block.place[i, t]
            hope = 0
            for lane in range(lanes):
                hope += 0 if base - reach[i, lane] > best[a, last, lane] else 1
            if hope == 0:
                break
        else:
            j = t - near
            base = block.table[i, j]
            if base < edge or (base == edge and j <= where):
                continue
        gain = 0
        for lane in range(lanes):
            gap = own[ZERO, i, lane] - others[ZERO, j, lane]
            new = base + weights[ZERO, lane] * gap * gap
            seen[count, lane] = new
            gain += 1 if new < best[a, last, lane] else 0
        if len(weights) > 1:
            for d in range(ONE, u64(len(weights))):
                for lane in range(lanes):
                    gap = own[d, i, lane] - others[d, j, lane]
                    seen[count, lane] += weights[d, lane] * gap * gap
            gain = 1
        if gain == 0:
            continue
        b = ONE - a  # written where it was not read: else the compiler masks every store
        for lane in range(lanes):
            new, low, held = seen[count, lane], best[a, ZERO, lane], best[a, ONE, lane]
            best[b, ZERO, lane] = new if new < low else low
            new = low if new < low else new
            best[b, ONE, lane] = new if new < held else held
        for h in range(ONE + ONE, last + ONE, ONE + ONE):
            g = h + ONE
            for lane in range(lanes):
                new, lower, held = seen[count, lane], best[a, h - ONE, lane], best[a, h, lane]
                top = best[a, g, lane]
                low = lower if new < lower else new
                best[b, h, lane] = low if low < held else held
                low = held if new < held else new
                best[b, g, lane] = low if low < top else top
        search.kinds[count] = block.kinds[j]
        a = b
        count += ONE
    return count, a


@kernel
def _vote(search: Search, border: Floats, count: u64) -> None:
    """Count the classes of the rows within the border."""
    votes, seen = search.votes, search.seen
    votes[:] = 0.0
    for t in range(count):
        c = search.kinds[t]
        for lane in range(u64(len(border))):
            votes[c, lane] += 1.0 if seen[t, lane] <= border[lane] else 0.0


@kernel
def _add_worth(votes: Floats, kind: int, worth: float, values: Floats) -> None:
    """Add the worth of a row where its class has most votes; the lowest of equal classes wins."""
    for lane in range(len(values)):
        rivals = 0
        for c in range(len(votes)):
            ahead = votes[c, lane] > votes[kind, lane]
            rivals += ahead or (c < kind and votes[c, lane] == votes[kind, lane])
        values[lane] += worth if rivals == 0 else 0.0


@kernel
def _settle(
    data: NeighborData,
    block: TestedRowBlock,
    tile: Tile,
    i: int,
    lane: int,
    border: float,
    doubt: float,
    contest: Contest,
    votes: Floats,
) -> None:
    """Let the k nearest vote where distances near the border are too close to call.

    Rows clearly nearer vote at once, and rows in doubt are summed anew for the places left.
    """
    near, names, places = contest.near, contest.names, data.k
    subset = _subset(block.base, tile, lane, contest)
    near[:] = np.inf
    votes[:] = 0.0
    row, column = u64(i), u64(lane)
    for j in range(u64(len(block.train))):
        distance = block.table[row, j]
        for d in range(u64(len(tile.weights))):
            gap = tile.own[d, row, column] - tile.others[d, j, column]
            distance += tile.weights[d, column] * gap * gap
        if distance < border - doubt:
            votes[block.kinds[j]] += 1.0
            places -= 1
        elif not distance > border + doubt:
            distance = _distance(data.X, block.weights, subset, block.tested[i], block.train[j])
            if distance < near[-1]:
                _insert(near, names, distance, j)
    for t in range(places):
        votes[block.kinds[names[t]]] += 1.0


@kernel
def _subset(base: Ints, tile: Tile, lane: int, contest: Contest) -> Ints:
    """The features of the base with a lane's unit added or removed, in ascending order."""
    subset, size = contest.subsets[lane], contest.sizes[lane]
    if size == 0:
        unit = tile.features[tile.starts[lane] : tile.starts[lane + 1]]
        comes = tile.weights[0, lane] > 0.0
        for f in np.sort(np.concatenate((base, unit))) if comes else base:
            if comes or not np.any(unit == f):
                subset[size] = f
                size += 1
        contest.sizes[lane] = size
    filled: Ints = subset[:size]
    return filled


@kernel
def _distance(X: Floats, weights: Floats, subset: Ints, a: int, b: int) -> float:
    """Squared distance of two rows, summed in the order that defines it."""
    total = 0.0
    for f in subset:
        gap = X[a, f] - X[b, f]
        total += weights[f] * gap * gap
    return total
