"""k nearest neighbours in many subsets of features that differ little from one base.

**Method.** The squared distance in a subset is *defined* as the sum of w(x - y)², feature after
feature in ascending order; of equal distances the earlier row of the training part is nearer. The
search uses another sum: the base's distance plus or minus the contribution of a unit of features.
It costs one unit instead of all features, but its rounding errors differ. So it decides only where
the k-th and the next distance are farther apart than the errors can be; the few rows in doubt are
summed again as defined.

Units are scored next to each other, one per lane, in vector instructions. Tested rows come in
blocks of one split, which bounds the memory. The training rows nearest in the base are visited
first, in order; the search ends as soon as the base distance minus the largest possible decrease
exceeds the (k + 1)-th distance in every lane. Otherwise all other rows are visited.

**Reference.** [Cover1967]_ for the rule; the update of distances is this project's.

**Deviations.** scikit-learn's choice among rows at equal distance depends on its tree or on the
order in which its heap was filled; here the earlier row is nearer. Of classes with equal votes the
lowest wins, as in scikit-learn.

**Rounding.** Neighbours are those of the defined sums to the last bit, by whatever sequence of
additions and removals a subset is reached. Indices of inner loops are unsigned: the check for
negative ones would keep them scalar.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

UInt64Array: TypeAlias = NDArray[np.uint64]

# The four sizes are chosen; they change the time taken only.
LANES = 8  # units per vector register of 512 bits
MAX_LANES = 32
ROWS_PER_BLOCK = 64
EXTRA_NEAR_ROWS = 12  # neighbours kept beyond the k + 1 that are needed
EPS = float(np.finfo(np.float64).eps)
u64 = np.uint64
ZERO, ONE = u64(0), u64(1)


class NeighborData(NamedTuple):
    """The samples, and how neighbours vote.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The data.
    classes : ndarray of shape (n,)
        The class of each sample.
    lows, highs : ndarray of shape (p,)
        The limits of each feature.
    n_classes, k : int
        The number of classes, and of neighbours that vote.
    """

    X: FloatArray
    classes: IntArray
    lows: FloatArray
    highs: FloatArray
    n_classes: int
    k: int


class TestedRowBlock(NamedTuple):
    """A block of tested rows of a split, the training part, and their distances in the base.

    Attributes
    ----------
    tested : ndarray of shape (b,)
        The tested rows.
    train : ndarray of shape (t,)
        The training rows.
    train_classes : ndarray of shape (t,)
        Their classes.
    weights : ndarray of shape (p,)
        What squared differences are multiplied by.
    base : ndarray of shape (n_base,)
        The features of the base.
    table : ndarray of shape (b, t)
        Squared distances in the base.
    smallest : ndarray of shape (b, s)
        The smallest distances of each tested row, ascending, equal ones in the order of `train`.
    positions : ndarray of shape (b, s)
        Where in `train` they are.
    """

    tested: IntArray
    train: IntArray
    train_classes: UInt64Array
    weights: FloatArray
    base: IntArray
    table: FloatArray
    smallest: FloatArray
    positions: UInt64Array


class UnitBatch(NamedTuple):
    """Units of features side by side, ``features[starts[lane]:starts[lane + 1]]`` in each lane.

    Attributes
    ----------
    features, starts : ndarray of shapes (n_features,) and (n_lanes + 1,)
        The features of the units, and where those of a lane start.
    weights : ndarray of shape (depth, width)
        Weight of each feature of a lane's unit: negative where it is removed, 0 where there is
        none.
    tested_values, train_values : ndarray of shapes (depth, b, width) and (depth, t, width)
        Values of the features in the tested and in the training rows.
    max_decrease : ndarray of shape (b, width)
        How much smaller than in the base a distance can be.
    """

    features: IntArray
    starts: IntArray
    weights: FloatArray
    tested_values: FloatArray
    train_values: FloatArray
    max_decrease: FloatArray


class NeighborSearch(NamedTuple):
    """Working arrays of the search for the nearest rows of one tested row, in all lanes.

    Attributes
    ----------
    best : ndarray of shape (2, k + 2, width)
        The k + 1 smallest distances so far, ascending (and one more, as two are updated at a time),
        before and after the last row visited.
    distances : ndarray of shape (t + 1, width)
        Distances of the rows that were among the smallest in any lane.
    classes : ndarray of shape (t,)
        The classes of these rows.
    votes : ndarray of shape (n_classes, width)
        The votes for each class.
    """

    best: FloatArray
    distances: FloatArray
    classes: UInt64Array
    votes: FloatArray


class DoubtfulRows(NamedTuple):
    """Working arrays for rows in doubt.

    Attributes
    ----------
    smallest, rows : ndarray of shape (k,)
        Their smallest distances as defined, and which rows these are.
    subsets : ndarray of shape (width, max_features)
        The features of each lane's subset.
    sizes : ndarray of shape (width,)
        How many there are; 0 before they are needed.
    """

    smallest: FloatArray
    rows: UInt64Array
    subsets: IntArray
    sizes: IntArray


@kernel
def score_units(
    data: NeighborData,
    weights: FloatArray,
    train: IntArray,
    train_starts: IntArray,
    test: IntArray,
    test_starts: IntArray,
    hit_weights: FloatArray,
    base: IntArray,
    features: IntArray,
    starts: IntArray,
    sign: float,
) -> FloatArray:
    """Return the weight of correct predictions for each unit of features, a mean over splits.

    Parameters
    ----------
    weights : ndarray of shape (n_splits, p)
        What squared differences are multiplied by in each split.
    train, train_starts : ndarray of shapes (n_train_total,) and (n_splits + 1,)
        Training rows, and where those of a split start.
    test, test_starts : ndarray of shapes (n_test_total,) and (n_splits + 1,)
        Tested rows, and where those of a split start.
    hit_weights : ndarray of shape (n_test_total,)
        Weight of a correct prediction of each tested row.
    base : ndarray of shape (n_base,)
        The features of the base, ascending.
    features, starts : ndarray of shapes (n_features,) and (n_units + 1,)
        The features of the units, and where those of a unit start.
    sign : float
        1.0 to add units to the base, -1.0 to remove them.
    """
    n_splits, n_units = len(train_starts) - 1, len(starts) - 1
    width = min((n_units + LANES - 1) // LANES * LANES, MAX_LANES)
    size = data.k + 1 + (EXTRA_NEAR_ROWS if n_units > LANES else EXTRA_NEAR_ROWS // 2)
    # padded: the last batch has as many lanes as the others
    values = np.zeros(n_units + width)
    for s in range(n_splits):
        train_part = train[train_starts[s] : train_starts[s + 1]]
        for first in range(test_starts[s], test_starts[s + 1], ROWS_PER_BLOCK):
            last = min(first + ROWS_PER_BLOCK, test_starts[s + 1])
            block = _prepare_block(data, weights[s], train_part, test[first:last], base, size)
            for c in range(0, n_units, width):
                batch = _gather_units(data, block, features, starts[c : c + width + 1], sign, width)
                _add_hits(data, block, batch, hit_weights[first:last], values[c : c + width])
    return values[:n_units] / n_splits


@subroutine
def _prepare_block(
    data: NeighborData,
    weights: FloatArray,
    train: IntArray,
    tested: IntArray,
    base: IntArray,
    size: int,
) -> TestedRowBlock:
    """Compute what all units share: the distances in the base.

    Parameters
    ----------
    weights : ndarray of shape (p,)
        What squared differences are multiplied by.
    train, tested : ndarray of shapes (t,) and (b,)
        Training and tested rows.
    base : ndarray of shape (n_base,)
        The features of the base.
    """
    table = np.zeros((len(tested), len(train)))
    for f in base:
        column = data.X[:, f]
        _add_squares(table, column[tested], column[train], weights[f])
    smallest = np.full((len(tested), min(size, len(train))), np.inf)
    positions = np.zeros(smallest.shape, u64)
    for i in range(len(tested)):
        _keep_smallest(table[i], smallest[i], positions[i])
    train_classes = data.classes[train].astype(u64)
    return TestedRowBlock(tested, train, train_classes, weights, base, table, smallest, positions)


@subroutine
def _add_squares(
    table: FloatArray, tested_values: FloatArray, train_values: FloatArray, w: float
) -> None:
    """Add one feature to the distances, ``table += w * (tested - train)**2``.

    `table` has shape (b, t), `tested_values` shape (b,) and `train_values` shape (t,).
    """
    for i in range(u64(len(tested_values))):
        for j in range(u64(len(train_values))):
            gap = tested_values[i] - train_values[j]
            table[i, j] += w * gap * gap


@subroutine
def _keep_smallest(distances: FloatArray, smallest: FloatArray, positions: UInt64Array) -> None:
    """Keep the smallest of the `distances` (shape (t,)), and where they are.

    `smallest` and `positions`, both of shape (s,), receive them; `smallest` is infinite before.
    """
    last = u64(len(smallest)) - ONE
    for j in range(u64(len(distances))):
        if distances[j] < smallest[last]:
            _insert_sorted(smallest, positions, distances[j], j)


@subroutine
def _insert_sorted(distances: FloatArray, names: UInt64Array, distance: float, name: int) -> None:
    """Insert a distance, smaller than the last, behind equal ones; drop the last.

    `distances` and `names`, both of shape (s,), hold ascending distances and their rows.
    """
    t = u64(len(distances)) - ONE
    while t > ZERO and distances[t - ONE] > distance:
        distances[t], names[t] = distances[t - ONE], names[t - ONE]
        t -= ONE
    distances[t], names[t] = distance, name


@subroutine
def _gather_units(
    data: NeighborData,
    block: TestedRowBlock,
    features: IntArray,
    starts: IntArray,
    sign: float,
    width: int,
) -> UnitBatch:
    """Collect the values of the units of one batch.

    `features` and `starts`, of shapes (n_features,) and (n_lanes + 1,), are those of the units.
    """
    n_tested, n_train = len(block.tested), len(block.train)
    depth = max(np.max(starts[1:] - starts[:-1]), 1)  # units may be empty
    weights, max_decrease = np.zeros((depth, width)), np.zeros((n_tested, width))
    tested_values, train_values = (
        np.zeros((depth, n_tested, width)),
        np.zeros((depth, n_train, width)),
    )
    for lane in range(len(starts) - 1):
        for position in range(starts[lane], starts[lane + 1]):
            f, d = features[position], position - starts[lane]
            w = block.weights[f]
            weights[d, lane] = sign * w
            for j in range(n_train):
                train_values[d, j, lane] = data.X[block.train[j], f]
            for i in range(n_tested):
                x = data.X[block.tested[i], f]
                tested_values[d, i, lane] = x
                if sign < 0.0:
                    # the largest contribution that removing the feature can take away
                    gap = max(x - data.lows[f], data.highs[f] - x)
                    max_decrease[i, lane] += w * gap * gap
    return UnitBatch(features, starts, weights, tested_values, train_values, max_decrease)


@subroutine
def _add_hits(
    data: NeighborData,
    block: TestedRowBlock,
    batch: UnitBatch,
    hit_weights: FloatArray,
    values: FloatArray,
) -> None:
    """Add the weights of the correct predictions of a block, in all lanes.

    `hit_weights` has shape (b,); `values`, of shape (width,), receives the sums.
    """
    k, width, n_train = data.k, len(values), len(block.train)
    search = NeighborSearch(
        np.empty((2, k + 2, width)),
        np.empty((n_train + 1, width)),
        np.empty(n_train, u64),
        np.empty((data.n_classes, width)),
    )
    max_features = len(block.base) + len(batch.weights)
    doubtful = DoubtfulRows(
        np.empty(k),
        np.zeros(k, u64),
        np.empty((width, max_features), np.int64),
        np.zeros(width, np.int64),
    )
    # derived: a sum of m terms w(x - y)² is off by less than (m + 3) EPS / 2 of the sum of their
    # sizes; the sum searched and the sum defined are compared for two rows, and 2 is to spare
    slack = 4.0 * EPS * (max_features + 8)
    for i in range(len(hit_weights)):
        count, now = _search_row(block, batch, u64(i), search)
        best = search.best[now]
        _count_votes(search, best[k - 1], count)
        for lane in range(len(batch.starts) - 1):
            # the k-th smallest distance; the neighbours are
            # certain if the next one is clearly larger
            border = best[k - 1, lane]
            doubt = slack * (border + batch.max_decrease[i, lane])
            # negated, so that NaN counts as doubt
            if not best[k, lane] > border + doubt:
                _settle_doubtful_rows(
                    data, block, batch, i, lane, border, doubt, doubtful, search.votes[:, lane]
                )
        _add_hit_weights(search.votes, data.classes[block.tested[i]], hit_weights[i], values)


@subroutine
def _search_row(
    block: TestedRowBlock, batch: UnitBatch, i: u64, search: NeighborSearch
) -> tuple[u64, u64]:
    """Find the smallest distances of one tested row in all lanes; ties are left undecided.

    Returns how many rows are in ``search.distances``, and which of ``search.best`` holds the
    result. All in one body: calls with this many arrays would cost more than the work on a few
    lanes.
    """
    tested_values, train_values, weights, max_decrease = (
        batch.tested_values,
        batch.train_values,
        batch.weights,
        batch.max_decrease,
    )
    best, distances = search.best, search.distances
    lanes, last, a, count = u64(distances.shape[1]), u64(best.shape[1]) - ONE - ONE, ZERO, ZERO
    for h in range(last + ONE + ONE):
        for lane in range(lanes):
            best[a, h, lane] = np.inf
    n_near = u64(block.smallest.shape[1])
    # rows up to the edge are visited first and skipped in the second pass
    edge, edge_position = block.smallest[i, n_near - ONE], block.positions[i, n_near - ONE]
    # first the rows of `smallest`, then all others in their order
    for t in range(n_near + u64(len(block.train))):
        if t < n_near:
            base, j = block.smallest[i, t], block.positions[i, t]
            n_open = 0
            for lane in range(lanes):
                n_open += 0 if base - max_decrease[i, lane] > best[a, last, lane] else 1
            if n_open == 0:
                break
        else:
            j = t - n_near
            base = block.table[i, j]
            if base < edge or (base == edge and j <= edge_position):
                continue
        n_gaining = 0
        for lane in range(lanes):
            gap = tested_values[ZERO, i, lane] - train_values[ZERO, j, lane]
            new = base + weights[ZERO, lane] * gap * gap
            distances[count, lane] = new
            n_gaining += 1 if new < best[a, last, lane] else 0
        if len(weights) > 1:
            for d in range(ONE, u64(len(weights))):
                for lane in range(lanes):
                    gap = tested_values[d, i, lane] - train_values[d, j, lane]
                    distances[count, lane] += weights[d, lane] * gap * gap
            # the count above saw the first feature only, so the row is always inserted
            n_gaining = 1
        if n_gaining == 0:
            continue
        b = ONE - a  # write where nothing was read, else the compiler masks every store
        # insert each lane's distance into its sorted list, two places at a time, without branches
        for lane in range(lanes):
            new, low, held = distances[count, lane], best[a, ZERO, lane], best[a, ONE, lane]
            best[b, ZERO, lane] = new if new < low else low
            new = low if new < low else new
            best[b, ONE, lane] = new if new < held else held
        for h in range(ONE + ONE, last + ONE, ONE + ONE):
            g = h + ONE
            for lane in range(lanes):
                new, lower, held = distances[count, lane], best[a, h - ONE, lane], best[a, h, lane]
                top = best[a, g, lane]
                low = lower if new < lower else new
                best[b, h, lane] = low if low < held else held
                low = held if new < held else new
                best[b, g, lane] = low if low < top else top
        search.classes[count] = block.train_classes[j]
        a = b
        count += ONE
    return count, a


@subroutine
def _count_votes(search: NeighborSearch, border: FloatArray, count: u64) -> None:
    """Count the classes of the rows within the border; `border` has shape (width,)."""
    votes, distances = search.votes, search.distances
    votes[:] = 0.0
    for t in range(count):
        c = search.classes[t]
        for lane in range(u64(len(border))):
            votes[c, lane] += 1.0 if distances[t, lane] <= border[lane] else 0.0


@subroutine
def _add_hit_weights(
    votes: FloatArray, class_: int, hit_weights: float, values: FloatArray
) -> None:
    """Add the weight of a row where its class has most votes; of equal classes the lowest wins.

    `votes` has shape (n_classes, width); `values`, of shape (width,), receives the sums.
    """
    for lane in range(len(values)):
        rivals = 0
        for c in range(len(votes)):
            ahead = votes[c, lane] > votes[class_, lane]
            rivals += ahead or (c < class_ and votes[c, lane] == votes[class_, lane])
        values[lane] += hit_weights if rivals == 0 else 0.0


@subroutine
def _settle_doubtful_rows(
    data: NeighborData,
    block: TestedRowBlock,
    batch: UnitBatch,
    i: int,
    lane: int,
    border: float,
    doubt: float,
    doubtful: DoubtfulRows,
    votes: FloatArray,
) -> None:
    """Let the k nearest vote where distances near the border are too close to call.

    Rows clearly nearer vote at once; rows in doubt are summed as defined for the places left.
    `votes`, of shape (n_classes,), receives the votes of one lane.
    """
    smallest, rows, n_places = doubtful.smallest, doubtful.rows, data.k
    subset = _lane_subset(block.base, batch, lane, doubtful)
    smallest[:] = np.inf
    votes[:] = 0.0
    row, column = u64(i), u64(lane)
    for j in range(u64(len(block.train))):
        distance = block.table[row, j]
        for d in range(u64(len(batch.weights))):
            gap = batch.tested_values[d, row, column] - batch.train_values[d, j, column]
            distance += batch.weights[d, column] * gap * gap
        # at least one of the k places is left, since the k-th distance itself is in doubt
        if distance < border - doubt:
            votes[block.train_classes[j]] += 1.0
            n_places -= 1
        elif not distance > border + doubt:
            distance = _defined_distance(
                data.X, block.weights, subset, block.tested[i], block.train[j]
            )
            if distance < smallest[-1]:
                _insert_sorted(smallest, rows, distance, j)
    for t in range(n_places):
        votes[block.train_classes[rows[t]]] += 1.0


@subroutine
def _lane_subset(base: IntArray, batch: UnitBatch, lane: int, doubtful: DoubtfulRows) -> IntArray:
    """The features of the base with a lane's unit added or removed, ascending.

    `base`, of shape (n_base,), holds the features of the base.
    """
    subset, size = doubtful.subsets[lane], doubtful.sizes[lane]
    if size == 0:
        unit = batch.features[batch.starts[lane] : batch.starts[lane + 1]]
        comes = batch.weights[0, lane] > 0.0
        for f in np.sort(np.concatenate((base, unit))) if comes else base:
            if comes or not np.any(unit == f):
                subset[size] = f
                size += 1
        doubtful.sizes[lane] = size
    filled: IntArray = subset[:size]
    return filled


@subroutine
def _defined_distance(
    X: FloatArray, weights: FloatArray, subset: IntArray, a: int, b: int
) -> float:
    """Squared distance of rows a and b, summed in the order that defines it.

    Parameters
    ----------
    X, weights : ndarray of shapes (n, p) and (p,)
        The data, and what squared differences are multiplied by.
    subset : ndarray of shape (n_subset,)
        The features, ascending.
    """
    total = 0.0
    for f in subset:
        gap = X[a, f] - X[b, f]
        total += weights[f] * gap * gap
    return total
