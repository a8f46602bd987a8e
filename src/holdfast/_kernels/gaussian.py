"""Classes that are normal, each with a covariance of its own, on subsets of features.

Of each class the covariance S of a subset is kept as a triangular factor. It turns a deviation
from the mean into coordinates without correlation, whose squares add up to the Mahalanobis
distance. A feature that comes in adds a row to the factor and one coordinate; the rest stays. A
feature that leaves takes a square off the distance, by way of the inverse of S.

A subset counts as regular if all eigenvalues of S are above a bound: if S, less the bound on its
diagonal, has a factor as well. What rounding errors could decide (a factor that nearly fails,
classes that are nearly tied) is not decided here: the value is then not a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast._kernels import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

REGULAR, SINGULAR, UNCLEAR = range(3)
CLOSE = 1e-8  # of a variance or a distance: closer than this, rounding errors could decide
u64 = np.uint64


class SplitSamples(NamedTuple):
    """What is fitted and tested in each split.

    Attributes
    ----------
    X : ndarray of shape (p, n)
        The data, features in rows.
    factors : ndarray of shape (splits, p)
        What features are multiplied by in each split.
    train : ndarray
        Rows of the training parts, split by split and class by class.
    bounds : ndarray of shape (splits, classes + 1)
        Where the classes start in `train`, and where the last one ends.
    test, starts : ndarray
        Rows of the test parts, and where those of a split start.
    codes, weights : ndarray
        Class of each row of `test`, and what it is worth to predict it.
    log_priors : ndarray of shape (splits, classes)
        Logarithm of the prior probability of each class.
    means, variances : ndarray of shape (splits, classes, p)
        Means of the features as they are, and variances of the multiplied ones, of each class.
    """

    X: Floats
    factors: Floats
    train: Ints
    bounds: Ints
    test: Ints
    starts: Ints
    codes: Ints
    weights: Floats
    log_priors: Floats
    means: Floats
    variances: Floats


class CovarianceRule(NamedTuple):
    """How covariances are estimated.

    Attributes
    ----------
    ridge : float
        Share of the identity in the covariance.
    bound : float
        Eigenvalues have to be above it.
    lost : int
        Degrees of freedom that the mean takes.
    room : int
        The largest number of features that could be fitted.
    """

    ridge: float
    bound: float
    lost: int
    room: int


class Growth(NamedTuple):
    """A subset in one split that grows by a feature at a time; depth is how many it has.

    Attributes
    ----------
    centred : ndarray of shape (training part, size)
        Deviations from the mean of the class.
    fitted : ndarray of shape (training part,)
        Deviations of the feature that comes in.
    products, row : ndarray of shape (size,)
        Its covariances with those before, and its row of a factor.
    factor, bounded : ndarray of shape (classes, size, size)
        Transposed factor of the covariance, and of the covariance less the bound; the diagonal
        is inverted.
    white : ndarray of shape (classes, size, test part)
        Deviations from the mean of the class in coordinates without correlation.
    distances : ndarray of shape (classes, size + 1, test part)
        Squared Mahalanobis distances at each depth; at depth 0 what the others start from.
    logs : ndarray of shape (classes, size + 1)
        Logarithm of the determinant at each depth.
    """

    centred: Floats
    fitted: Floats
    products: Floats
    row: Floats
    factor: Floats
    bounded: Floats
    white: Floats
    distances: Floats
    logs: Floats


@kernel
def fill_moments(samples: SplitSamples, rule: CovarianceRule) -> None:
    """Fill in the means and variances of all features."""
    for s in range(len(samples.bounds)):
        for c in range(samples.bounds.shape[1] - 1):
            rows = samples.train[samples.bounds[s, c] : samples.bounds[s, c + 1]]
            for f in range(len(samples.X)):
                mean, variance = _moments(samples.X[f], rows, samples.factors[s, f], rule.lost)
                samples.means[s, c, f] = mean
                samples.variances[s, c, f] = (1.0 - rule.ridge) * variance + rule.ridge


@kernel
def _moments(values: Floats, rows: Ints, multiple: float, lost: int) -> tuple[float, float]:
    """Mean of some values, and variance of multiples of them."""
    total, squares = 0.0, 0.0
    for row in rows:
        total += values[row]
    mean = total / max(len(rows), 1)
    for row in rows:
        squares += ((values[row] - mean) * multiple) ** 2
    return mean, squares / max(len(rows) - lost, 1)


@kernel
def _seed(samples: SplitSamples, s: int, size: int) -> Growth:
    """Make room for up to `size` features in split s; there is none yet."""
    classes = samples.bounds.shape[1] - 1
    trained = samples.bounds[s, classes] - samples.bounds[s, 0]
    tested = samples.starts[s + 1] - samples.starts[s]
    return Growth(
        np.empty((trained, size)),
        np.empty(trained),
        np.empty(size),
        np.empty(size),
        np.empty((classes, size, size)),
        np.empty((classes, size, size)),
        np.empty((classes, size, tested)),
        np.zeros((classes, size + 1, tested)),
        np.zeros((classes, size + 1)),
    )


@kernel
def _extend(
    samples: SplitSamples, rule: CovarianceRule, growth: Growth, s: int, depth: int, feature: int
) -> int:
    """Let a feature come in at a depth; say whether the subset is regular."""
    values, multiple, bounds = samples.X[feature], samples.factors[s, feature], samples.bounds[s]
    test = samples.test[samples.starts[s] : samples.starts[s + 1]]
    products, row, white = growth.products, growth.row, growth.white
    for c in range(len(bounds) - 1):
        count, start = bounds[c + 1] - bounds[c], bounds[c] - bounds[0]
        if count == 0:
            continue
        mean, variance = samples.means[s, c, feature], samples.variances[s, c, feature]
        fitted = growth.fitted[start : start + count]
        _centre(values, samples.train[bounds[c] : bounds[c + 1]], mean, multiple, fitted)
        share = (1.0 - rule.ridge) / (count - rule.lost)
        _covary(growth.centred, start, fitted, share, depth, products)
        if rule.bound >= rule.ridge:  # else no eigenvalue is as low as the bound
            reduced = variance - rule.bound
            pivot = _factorise(growth.bounded, c, products, row, reduced, depth)
            if pivot < -CLOSE * variance:
                return SINGULAR
            if not pivot > CLOSE * variance:
                return UNCLEAR
        pivot = _factorise(growth.factor, c, products, row, variance, depth)
        if not pivot > CLOSE * variance:
            return UNCLEAR
        _centre(values, test, mean, multiple, white[c, depth])
        _whiten(white, c, row, depth, pivot)
        _add_squares(white, growth.distances, c, depth, 1.0)
        growth.logs[c, depth + 1] = growth.logs[c, depth] + np.log(pivot)
    return REGULAR


@kernel
def _centre(values: Floats, rows: Ints, mean: float, multiple: float, out: Floats) -> None:
    """Take multiples of deviations from a mean, in some rows."""
    for i in range(u64(len(rows))):
        out[i] = (values[u64(rows[i])] - mean) * multiple


@kernel
def _covary(
    centred: Floats, start: int, fitted: Floats, share: float, depth: int, products: Floats
) -> None:
    """Find the covariances of a feature with those before it; put it behind them."""
    end, first = u64(depth), u64(start)
    for k in range(end):
        products[k] = 0.0
    for i in range(u64(len(fitted))):
        value = fitted[i] * share
        for k in range(end):
            products[k] += value * centred[first + i, k]
        centred[first + i, end] = fitted[i]


@kernel
def _factorise(
    factor: Floats, c: int, products: Floats, row: Floats, variance: float, depth: int
) -> float:
    """Add a row to the factor of one class, for a feature of known products; return its pivot."""
    end, own = u64(depth), u64(c)
    for k in range(end):
        row[k] = products[k]
    for k in range(end):
        value = row[k] * factor[own, k, k]
        for j in range(k + u64(1), end):
            row[j] -= value * factor[own, k, j]
        row[k] = factor[own, k, end] = value
        variance -= value * value
    factor[own, end, end] = 1.0 / np.sqrt(variance) if variance > 0.0 else np.nan
    return variance


@kernel
def _whiten(white: Floats, c: int, row: Floats, depth: int, pivot: float) -> None:
    """Free the deviations at a depth from their correlation with those before."""
    own, end, tested = u64(c), u64(depth), u64(white.shape[2])
    for k in range(end):
        for t in range(tested):
            white[own, end, t] -= row[k] * white[own, k, t]
    inverse = 1.0 / np.sqrt(pivot)
    for t in range(tested):
        white[own, end, t] *= inverse


@kernel
def _add_squares(white: Floats, distances: Floats, c: int, depth: int, sign: float) -> None:
    """Add the squares of one coordinate to the distances, or take them off."""
    own, end = u64(c), u64(depth)
    for t in range(u64(white.shape[2])):
        square = sign * white[own, end, t] ** 2
        distances[own, end + u64(1), t] = distances[own, end, t] + square


@kernel
def _hits(samples: SplitSamples, growth: Growth, s: int, depth: int) -> float:
    """What the right predictions are worth; not a number where classes are nearly tied.

    A class that is not there has the logarithm of 0 for a prior, and never wins.
    """
    distances, logs, priors = growth.distances, growth.logs, samples.log_priors[s]
    first, end, none, total = u64(samples.starts[s]), u64(depth), u64(0), 0.0
    for t in range(u64(distances.shape[2])):
        best, error, rival, winner = -np.inf, 0.0, -np.inf, none
        for c in range(u64(len(priors))):
            distance = distances[c, end, t]
            score = priors[c] - 0.5 * (logs[c, end] + distance)
            # what is left of a distance is as wrong as the whole
            wrong = CLOSE * (1.0 + distance + distances[c, none, t])
            if score > best:
                rival = max(rival, best + error)
                best, error, winner = score, wrong, u64(c)
            else:
                rival = max(rival, score + wrong)
        if not best - error > rival:
            return np.nan
        if u64(samples.codes[first + t]) == winner:
            total += samples.weights[first + t]
    return total


@kernel
def score_additions(
    samples: SplitSamples,
    rule: CovarianceRule,
    base: Ints,
    features: Ints,
    starts: Ints,
    values: Floats,
) -> None:
    """Find the value of the base with each unit added: minus infinity if it is singular.

    Units of no finite value are left out; the others start from 0.
    """
    splits, depth, size = len(samples.bounds), len(base), 0
    for i in range(len(values)):
        if values[i] == 0.0:
            size = max(size, depth + starts[i + 1] - starts[i])
    for s in range(splits):
        growth, state = _seed(samples, s, size), REGULAR
        for k in range(depth):
            if state == REGULAR:
                state = _extend(samples, rule, growth, s, k, base[k])
        for i in range(len(values)):
            if values[i] >= 0.0:
                end, own = depth, state
                for k in range(starts[i], starts[i + 1]):
                    if own == REGULAR:
                        own = _extend(samples, rule, growth, s, end, features[k])
                    end += 1
                if own == REGULAR:
                    values[i] += _hits(samples, growth, s, end) / splits
                else:
                    values[i] = -np.inf if own == SINGULAR else np.nan


@kernel
def score_removals(
    samples: SplitSamples,
    rule: CovarianceRule,
    base: Ints,
    places: Ints,
    starts: Ints,
    values: Floats,
) -> None:
    """Find the value of the base without each unit, which goes by its places in the base.

    Not a number if the base is not regular; if it is, so are its subsets.
    """
    splits, depth, size = len(samples.bounds), len(base), 0
    for i in range(len(values)):
        size = max(size, starts[i + 1] - starts[i])
    for s in range(splits):
        growth, rest, state = _seed(samples, s, depth), _seed(samples, s, size), REGULAR
        for k in range(depth):
            if state == REGULAR:
                state = _extend(samples, rule, growth, s, k, base[k])
        if state == REGULAR:
            precision = _invert(samples, growth, s, rest)
        for i in range(len(values)):
            unit = places[starts[i] : starts[i + 1]]
            if state == REGULAR and _shrink(samples, growth, rest, precision, s, unit):
                values[i] += _hits(samples, rest, s, len(unit)) / splits
            else:
                values[i] = np.nan


@kernel
def _invert(samples: SplitSamples, growth: Growth, s: int, rest: Growth) -> Floats:
    """Return the inverse of each covariance; multiply the deviations by it, in place.

    Distances and determinants become those that the rest starts from.
    """
    classes, depth, tested = growth.white.shape
    precision = np.zeros((classes, depth, depth))
    for c in range(classes):
        if samples.bounds[s, c] == samples.bounds[s, c + 1]:
            continue
        for k in range(depth):
            precision[c, k, k] = 1.0
            for j in range(k):
                _subtract(precision, c, k, j, growth.factor[c, j, k])
            _multiply(precision, c, k, growth.factor[c, k, k])
        for k in range(depth - 1, -1, -1):
            for j in range(k + 1, depth):
                _subtract(precision, c, k, j, growth.factor[c, k, j])
                _subtract(growth.white, c, k, j, growth.factor[c, k, j])
            _multiply(precision, c, k, growth.factor[c, k, k])
            _multiply(growth.white, c, k, growth.factor[c, k, k])
        rest.logs[c, 0] = growth.logs[c, depth]
        for t in range(tested):
            rest.distances[c, 0, t] = growth.distances[c, depth, t]
    return precision


@kernel
def _subtract(block: Floats, c: int, k: int, j: int, multiple: float) -> None:
    """Subtract a multiple of one line from another."""
    own, line, other = u64(c), u64(k), u64(j)
    for t in range(u64(block.shape[2])):
        block[own, line, t] -= multiple * block[own, other, t]


@kernel
def _multiply(block: Floats, c: int, k: int, multiple: float) -> None:
    """Multiply one line."""
    own, line = u64(c), u64(k)
    for t in range(u64(block.shape[2])):
        block[own, line, t] *= multiple


@kernel
def _shrink(
    samples: SplitSamples, growth: Growth, rest: Growth, precision: Floats, s: int, unit: Ints
) -> bool:
    """Let the features at some places leave; say whether that could be done.

    The distance by those that stay is the whole one less the one by the inverse of the
    covariance of those that leave, which has a factor that grows as well.
    """
    products, row, white = rest.products, rest.row, rest.white
    for c in range(len(precision)):
        if samples.bounds[s, c] == samples.bounds[s, c + 1]:
            continue
        for u in range(len(unit)):
            for k in range(u):
                products[k] = precision[c, unit[k], unit[u]]
            variance = precision[c, unit[u], unit[u]]
            pivot = _factorise(rest.factor, c, products, row, variance, u)
            if not pivot > CLOSE * variance:
                return False
            for t in range(white.shape[2]):
                white[c, u, t] = growth.white[c, unit[u], t]
            _whiten(white, c, row, u, pivot)
            _add_squares(white, rest.distances, c, u, -1.0)
            rest.logs[c, u + 1] = rest.logs[c, u] + np.log(pivot)
    return True
