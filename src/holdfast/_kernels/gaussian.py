"""Quadratic discriminant analysis on many subsets of features that differ little from one base.

**Method.** Classes are normal, each with its own mean and covariance S. Of each class the Cholesky
factor L of S = LL' on a subset is kept. It turns deviations d from the mean into uncorrelated
coordinates z = L^-1 d, and d'S^-1 d = z'z. A feature that is added appends one row to L and one
coordinate to z; everything else stays. Features U that leave a subset are taken off by way of
P = S^-1: with R the features that remain,

    d_R' S_RR^-1 d_R = d'Pd - (Pd)_U' P_UU^-1 (Pd)_U  and  det S_RR = det S · det P_UU,

and P_UU^-1 is again applied through a Cholesky factor.

A subset counts as regular if all eigenvalues of S are above a bound, that is if S minus the bound
on its diagonal has a Cholesky factor as well.

**Reference.** [Golub2013]_, Section 4.2, for the Cholesky factor; the identities follow from block
elimination.

**Deviations.** The classifier is scikit-learn's ``QuadraticDiscriminantAnalysis`` with the "svd"
solver: S is mixed with the identity by `ridge`, its divisor is that of the installed version, and a
covariance with an eigenvalue up to `bound` cannot be fitted.

**Rounding.** What rounding errors could decide, a pivot near 0 or classes nearly tied (both to 1e-8
of the summands), is not decided here: the value is then NaN, and the caller refits scikit-learn's
classifier. Other values are sums of weights of hits in a fixed order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast._kernels import kernel, subroutine
from holdfast._typing import FloatArray, IntArray

REGULAR, SINGULAR, UNCLEAR = range(3)
# chosen, about the square root of eps: closer than this share, rounding could decide
DOUBT_SHARE = 1e-8
u64 = np.uint64


class SplitSamples(NamedTuple):
    """The data that are fitted and tested in each split.

    Attributes
    ----------
    X : ndarray of shape (p, n)
        The data, features in rows.
    factors : ndarray of shape (n_splits, p)
        What features are multiplied by in each split.
    train : ndarray of shape (n_train_total,)
        Rows of the training parts, split by split and class by class.
    bounds : ndarray of shape (n_splits, c + 1)
        Where the classes start in `train`, and where the last one ends.
    test, starts : ndarray of shapes (n_test_total,) and (n_splits + 1,)
        Rows of the test parts, and where those of a split start.
    codes, weights : ndarray of shape (n_test_total,)
        Class of each row of `test`, and the weight of a hit.
    log_priors : ndarray of shape (n_splits, c)
        Logarithm of the prior probability of each class; -inf for a class without training rows.
    means, variances : ndarray of shape (n_splits, c, p)
        Means of the features as they are, and variances of the multiplied ones, of each class.
    """

    X: FloatArray
    factors: FloatArray
    train: IntArray
    bounds: IntArray
    test: IntArray
    starts: IntArray
    codes: IntArray
    weights: FloatArray
    log_priors: FloatArray
    means: FloatArray
    variances: FloatArray


class CovarianceRule(NamedTuple):
    """How covariances are estimated.

    Attributes
    ----------
    ridge : float
        Share of the identity in the covariance.
    bound : float
        Eigenvalues have to be above it.
    lost_freedom : int
        Degrees of freedom that the mean takes.
    max_features : int
        The largest number of features that can be fitted.
    """

    ridge: float
    bound: float
    lost_freedom: int
    max_features: int


class GrowingSubset(NamedTuple):
    """A subset in one split that grows by one feature at a time; depth is how many it has.

    Attributes
    ----------
    centred : ndarray of shape (n_train, size)
        Deviations from the mean of the class.
    fitted : ndarray of shape (n_train,)
        Deviations of the feature that is added.
    products, row : ndarray of shape (size,)
        Its covariances with the features before, and its row of a factor.
    factor, bounded : ndarray of shape (c, size, size)
        Transposed Cholesky factor of the covariance, and of the covariance minus the bound; the
        diagonal is inverted.
    white : ndarray of shape (c, size, n_test)
        Deviations from the mean of the class in uncorrelated coordinates.
    distances : ndarray of shape (c, size + 1, n_test)
        Squared Mahalanobis distances at each depth; at depth 0 the distances to start from.
    logs : ndarray of shape (c, size + 1)
        Logarithm of the determinant at each depth.
    """

    centred: FloatArray
    fitted: FloatArray
    products: FloatArray
    row: FloatArray
    factor: FloatArray
    bounded: FloatArray
    white: FloatArray
    distances: FloatArray
    logs: FloatArray


@kernel
def fill_moments(samples: SplitSamples, rule: CovarianceRule) -> None:
    """Fill in the means and variances of all features in `samples`."""
    for s in range(len(samples.bounds)):
        for c in range(samples.bounds.shape[1] - 1):
            rows = samples.train[samples.bounds[s, c] : samples.bounds[s, c + 1]]
            for f in range(len(samples.X)):
                mean, variance = _mean_and_variance(
                    samples.X[f], rows, samples.factors[s, f], rule.lost_freedom
                )
                samples.means[s, c, f] = mean
                samples.variances[s, c, f] = (1.0 - rule.ridge) * variance + rule.ridge


@subroutine
def _mean_and_variance(
    values: FloatArray, rows: IntArray, multiple: float, lost_freedom: int
) -> tuple[float, float]:
    """Mean of `values` (shape (n,)) in `rows` (shape (m,)), and variance of their multiples."""
    total, squares = 0.0, 0.0
    for row in rows:
        total += values[row]
    # two passes: the difference of sums of squares would lose digits
    mean = total / max(len(rows), 1)
    for row in rows:
        squares += ((values[row] - mean) * multiple) ** 2
    return mean, squares / max(len(rows) - lost_freedom, 1)


@subroutine
def _allocate_subset(samples: SplitSamples, s: int, size: int) -> GrowingSubset:
    """Allocate arrays for up to `size` features in split s, at depth 0."""
    classes = samples.bounds.shape[1] - 1
    trained = samples.bounds[s, classes] - samples.bounds[s, 0]
    tested = samples.starts[s + 1] - samples.starts[s]
    return GrowingSubset(
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


@subroutine
def _add_feature(
    samples: SplitSamples,
    rule: CovarianceRule,
    growth: GrowingSubset,
    s: int,
    depth: int,
    feature: int,
) -> int:
    """Add a feature at a depth; return `REGULAR`, `SINGULAR` or `UNCLEAR` for the new subset."""
    values, multiple, bounds = samples.X[feature], samples.factors[s, feature], samples.bounds[s]
    test = samples.test[samples.starts[s] : samples.starts[s + 1]]
    products, row, white = growth.products, growth.row, growth.white
    for c in range(len(bounds) - 1):
        count, start = bounds[c + 1] - bounds[c], bounds[c] - bounds[0]
        if count == 0:
            continue
        mean, variance = samples.means[s, c, feature], samples.variances[s, c, feature]
        fitted = growth.fitted[start : start + count]
        _centre_values(values, samples.train[bounds[c] : bounds[c + 1]], mean, multiple, fitted)
        share = (1.0 - rule.ridge) / (count - rule.lost_freedom)
        _append_covariances(growth.centred, start, fitted, share, depth, products)
        if rule.bound >= rule.ridge:  # else every eigenvalue, at least ridge, is above the bound
            reduced = variance - rule.bound
            pivot = _append_factor_row(growth.bounded, c, products, row, reduced, depth)
            # S minus the bound has a clearly negative pivot: an eigenvalue of S is below the bound
            if pivot < -DOUBT_SHARE * variance:
                return SINGULAR
            if not pivot > DOUBT_SHARE * variance:
                return UNCLEAR
        pivot = _append_factor_row(growth.factor, c, products, row, variance, depth)
        if not pivot > DOUBT_SHARE * variance:
            return UNCLEAR
        _centre_values(values, test, mean, multiple, white[c, depth])
        _whiten_coordinate(white, c, row, depth, pivot)
        _add_squares(white, growth.distances, c, depth, 1.0)
        growth.logs[c, depth + 1] = growth.logs[c, depth] + np.log(pivot)
    return REGULAR


@subroutine
def _centre_values(
    values: FloatArray, rows: IntArray, mean: float, multiple: float, out: FloatArray
) -> None:
    """Write multiples of deviations from a mean.

    `values` of shape (n,) is read in `rows` of shape (m,) and written to `out` of shape (m,).
    """
    for i in range(u64(len(rows))):
        out[i] = (values[u64(rows[i])] - mean) * multiple


@subroutine
def _append_covariances(
    centred: FloatArray,
    start: int,
    fitted: FloatArray,
    share: float,
    depth: int,
    products: FloatArray,
) -> None:
    """Compute the covariances of a feature with those before it; store its deviations behind them.

    Parameters
    ----------
    centred : ndarray of shape (n_train, size)
        Deviations of the features before, in columns.
    fitted : ndarray of shape (n_class,)
        Deviations of the feature in the rows of one class, which begin at `start`.
    products : ndarray of shape (size,)
        Receives ``share * centred[rows, :depth].T @ fitted``.
    """
    end, first = u64(depth), u64(start)
    for k in range(end):
        products[k] = 0.0
    for i in range(u64(len(fitted))):
        value = fitted[i] * share
        for k in range(end):
            products[k] += value * centred[first + i, k]
        centred[first + i, end] = fitted[i]


@subroutine
def _append_factor_row(
    factor: FloatArray, c: int, products: FloatArray, row: FloatArray, variance: float, depth: int
) -> float:
    """Append a row to the Cholesky factor of class c; return its pivot.

    Parameters
    ----------
    factor : ndarray of shape (c, size, size)
        Transposed factors with inverted diagonals, changed in place.
    products : ndarray of shape (size,)
        Covariances with the features before.
    row : ndarray of shape (size,)
        Receives the row, without its diagonal entry.
    """
    end, class_ = u64(depth), u64(c)
    for k in range(end):
        row[k] = products[k]
    # solve L row = products by forward substitution; variance - row·row is the new pivot
    for k in range(end):
        value = row[k] * factor[class_, k, k]
        for j in range(k + u64(1), end):
            row[j] -= value * factor[class_, k, j]
        row[k] = factor[class_, k, end] = value
        variance -= value * value
    # inverted once, since substitutions divide by it many times; NaN if the caller must reject it
    factor[class_, end, end] = 1.0 / np.sqrt(variance) if variance > 0.0 else np.nan
    return variance


@subroutine
def _whiten_coordinate(
    white: FloatArray, c: int, row: FloatArray, depth: int, pivot: float
) -> None:
    """Remove the correlation of the deviations at a depth with those before.

    Parameters
    ----------
    white : ndarray of shape (c, size, n_test)
        Uncorrelated coordinates, changed in place at `depth`.
    row : ndarray of shape (size,)
        The feature's row of the Cholesky factor.
    """
    class_, end, tested = u64(c), u64(depth), u64(white.shape[2])
    for k in range(end):
        for t in range(tested):
            white[class_, end, t] -= row[k] * white[class_, k, t]
    inverse = 1.0 / np.sqrt(pivot)
    for t in range(tested):
        white[class_, end, t] *= inverse


@subroutine
def _add_squares(white: FloatArray, distances: FloatArray, c: int, depth: int, sign: float) -> None:
    """Add the squares of one coordinate to the distances, or subtract them (sign -1).

    `white` has shape (c, size, n_test), `distances` has shape (c, size + 1, n_test).
    """
    class_, end = u64(c), u64(depth)
    for t in range(u64(white.shape[2])):
        square = sign * white[class_, end, t] ** 2
        distances[class_, end + u64(1), t] = distances[class_, end, t] + square


@subroutine
def _weigh_hits(samples: SplitSamples, growth: GrowingSubset, s: int, depth: int) -> float:
    """Weight of the correct predictions of a split; NaN where two classes are nearly tied.

    A class without training rows has a log prior of -inf and never wins.
    """
    distances, logs, priors = growth.distances, growth.logs, samples.log_priors[s]
    first, end, first_depth, total = u64(samples.starts[s]), u64(depth), u64(0), 0.0
    # score of class c = log prior - (log det S + d' S^-1 d) / 2
    for t in range(u64(distances.shape[2])):
        best, best_doubt, rival, winner = -np.inf, 0.0, -np.inf, first_depth
        for c in range(u64(len(priors))):
            distance = distances[c, end, t]
            score = priors[c] - 0.5 * (logs[c, end] + distance)
            # a distance that was subtracted from a larger one has the error of the larger one
            doubt = DOUBT_SHARE * (1.0 + distance + distances[c, first_depth, t])
            if score > best:
                rival = max(rival, best + best_doubt)
                best, best_doubt, winner = score, doubt, u64(c)
            else:
                rival = max(rival, score + doubt)
        # negated, so that NaN counts as a tie
        if not best - best_doubt > rival:
            return np.nan
        if u64(samples.codes[first + t]) == winner:
            total += samples.weights[first + t]
    return total


@kernel
def score_additions(
    samples: SplitSamples,
    rule: CovarianceRule,
    base: IntArray,
    features: IntArray,
    starts: IntArray,
    values: FloatArray,
) -> None:
    """Compute the value of the base with each unit added: -inf if a covariance is singular.

    Parameters
    ----------
    base : ndarray of shape (n_base,)
        The features of the base.
    features, starts : ndarray of shapes (n_added,) and (n_units + 1,)
        The features of the units, and where those of a unit start.
    values : ndarray of shape (n_units,)
        Receives the values; 0 where a unit is to be scored, -inf where it is to be left out.
    """
    splits, depth, size = len(samples.bounds), len(base), 0
    for i in range(len(values)):
        if values[i] == 0.0:
            size = max(size, depth + starts[i + 1] - starts[i])
    for s in range(splits):
        # all units share the rows of the base; each unit overwrites the rows behind them
        growth, state = _allocate_subset(samples, s, size), REGULAR
        for k in range(depth):
            if state == REGULAR:
                state = _add_feature(samples, rule, growth, s, k, base[k])
        for i in range(len(values)):
            # -inf and NaN of an earlier split are final
            if values[i] >= 0.0:
                end, unit_state = depth, state
                for k in range(starts[i], starts[i + 1]):
                    if unit_state == REGULAR:
                        unit_state = _add_feature(samples, rule, growth, s, end, features[k])
                    end += 1
                if unit_state == REGULAR:
                    values[i] += _weigh_hits(samples, growth, s, end) / splits
                else:
                    values[i] = -np.inf if unit_state == SINGULAR else np.nan


@kernel
def score_removals(
    samples: SplitSamples,
    rule: CovarianceRule,
    base: IntArray,
    places: IntArray,
    starts: IntArray,
    values: FloatArray,
) -> None:
    """Compute the value of the base without each unit.

    NaN if the base is not regular; if it is, so are its subsets (their eigenvalues interlace).

    Parameters
    ----------
    base : ndarray of shape (n_base,)
        The features of the base.
    places, starts : ndarray of shapes (n_removed,) and (n_units + 1,)
        Positions of the units' features in the base, and where those of a unit start.
    values : ndarray of shape (n_units,)
        Receives the values; 0 before.
    """
    splits, depth, size = len(samples.bounds), len(base), 0
    for i in range(len(values)):
        size = max(size, starts[i + 1] - starts[i])
    for s in range(splits):
        growth, rest, state = (
            _allocate_subset(samples, s, depth),
            _allocate_subset(samples, s, size),
            REGULAR,
        )
        for k in range(depth):
            if state == REGULAR:
                state = _add_feature(samples, rule, growth, s, k, base[k])
        if state == REGULAR:
            precision = _invert_covariances(samples, growth, s, rest)
        for i in range(len(values)):
            unit = places[starts[i] : starts[i + 1]]
            if state == REGULAR and _remove_features(samples, growth, rest, precision, s, unit):
                values[i] += _weigh_hits(samples, rest, s, len(unit)) / splits
            else:
                values[i] = np.nan


@subroutine
def _invert_covariances(
    samples: SplitSamples, growth: GrowingSubset, s: int, rest: GrowingSubset
) -> FloatArray:
    """Return the inverse P of each covariance; multiply the deviations by it, in place.

    P = L^-T L^-1 by forward and back substitution on the identity. Distances and determinants
    become those that `rest` starts from.
    """
    classes, depth, tested = growth.white.shape
    precision = np.zeros((classes, depth, depth))
    for c in range(classes):
        if samples.bounds[s, c] == samples.bounds[s, c + 1]:
            continue
        for k in range(depth):
            precision[c, k, k] = 1.0
            for j in range(k):
                _subtract_line(precision, c, k, j, growth.factor[c, j, k])
            _scale_line(precision, c, k, growth.factor[c, k, k])
        for k in range(depth - 1, -1, -1):
            # back substitution with L': the factor is stored transposed
            for j in range(k + 1, depth):
                _subtract_line(precision, c, k, j, growth.factor[c, k, j])
                _subtract_line(growth.white, c, k, j, growth.factor[c, k, j])
            _scale_line(precision, c, k, growth.factor[c, k, k])
            _scale_line(growth.white, c, k, growth.factor[c, k, k])
        rest.logs[c, 0] = growth.logs[c, depth]
        for t in range(tested):
            rest.distances[c, 0, t] = growth.distances[c, depth, t]
    return precision


@subroutine
def _subtract_line(block: FloatArray, c: int, k: int, j: int, multiple: float) -> None:
    """Subtract a multiple of line j from line k of `block` (shape (c, size, m)) in class c."""
    class_, line, other = u64(c), u64(k), u64(j)
    for t in range(u64(block.shape[2])):
        block[class_, line, t] -= multiple * block[class_, other, t]


@subroutine
def _scale_line(block: FloatArray, c: int, k: int, multiple: float) -> None:
    """Multiply line k of `block` (shape (c, size, m)) in class c."""
    class_, line = u64(c), u64(k)
    for t in range(u64(block.shape[2])):
        block[class_, line, t] *= multiple


@subroutine
def _remove_features(
    samples: SplitSamples,
    growth: GrowingSubset,
    rest: GrowingSubset,
    precision: FloatArray,
    s: int,
    unit: IntArray,
) -> bool:
    """Remove the features at the given positions; return whether rounding allowed it.

    Parameters
    ----------
    precision : ndarray of shape (c, n_base, n_base)
        The inverse P of each covariance of the base.
    unit : ndarray of shape (n_unit,)
        Positions of the features to remove.
    """
    products, row, white = rest.products, rest.row, rest.white
    for c in range(len(precision)):
        if samples.bounds[s, c] == samples.bounds[s, c + 1]:
            continue
        for u in range(len(unit)):
            for k in range(u):
                products[k] = precision[c, unit[k], unit[u]]
            variance = precision[c, unit[u], unit[u]]
            pivot = _append_factor_row(rest.factor, c, products, row, variance, u)
            if not pivot > DOUBT_SHARE * variance:
                return False
            for t in range(white.shape[2]):
                white[c, u, t] = growth.white[c, unit[u], t]
            _whiten_coordinate(white, c, row, u, pivot)
            _add_squares(white, rest.distances, c, u, -1.0)
            rest.logs[c, u + 1] = rest.logs[c, u] + np.log(pivot)
    return True
