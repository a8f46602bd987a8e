"""Linear support vector machines on more samples than features, without a Gram matrix.

The problem is that of `holdfast._kernels.svm`: hinge losses, and an offset that is not penalised,

    minimise  w'w/2 + sum_i box_i max(0, 1 - y_i (w'x_i + offset)).

The method of multipliers ([Hestenes1969]_, [Rockafellar1976]_) replaces each kink of a loss by a
parabola of some width around the sample's current multiplier. The smooth problem has p + 1 unknowns
and is minimised by Newton steps (piecewise quadratic: few steps, the last one exact). Then the
multipliers move to the slopes of the losses, and the width shrinks. As soon as the samples on the
margin are the right ones, a Newton step in the dual over them, as in `holdfast._kernels.svm`, gives
the solution to rounding error. Samples far from the margin are held at their bounds meanwhile and
checked afterwards. A solution needs products with the data only: time and memory grow as n p, plus
m² M for a Newton step, with m the smaller and M the larger of p and the number of free samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from holdfast._kernels.svm import ROUNDING, extreme_gradients, solve_free
from holdfast._kernels.svm_many_samples import FREE, clip_multipliers, slope_of_losses
from holdfast._typing import BoolArray, FloatArray, IntArray

COLD_WIDTHS = (1.0, 0.1)
"""Widths of the parabolas, in margins, before the first selection of samples near the margin."""
FIRST_WIDTH, NARROWEST_WIDTH = 1e-2, 1e-5
"""Widths after it, by steps of 10. Chosen: the next decade costs few Newton steps."""
MAX_STAGES = 40
"""Widths tried before a solution counts as not found; chosen, never reached in the tests."""
MAX_REFINEMENTS = 4
"""Wider parabolas tried after the tolerance is met, until only rounding errors are left."""
MAX_NEWTON_STEPS = 100
"""Newton steps for one width; chosen, never reached in the tests."""
NEAR_MARGIN = 0.5
"""Samples whose residual is smaller, in margins, are near the margin."""
MAX_CROSSED_SHARE = 0.1
"""Largest number of held samples that may cross the margin, as a share of those near it."""
MAX_NEAR_SHARE = 0.6
"""All samples are worked on if more than this share is near the margin: a copy saves little."""
SLOPE_SHARE = 0.1
"""A line search ends at this share of the first slope; chosen, as is usual."""
MAX_LINE_STEPS = 60
"""Slopes evaluated in a line search: enough for bisection to rounding error."""
MACHINE_EPSILON = float(np.finfo(np.float64).eps)


@dataclass
class MarginProblem:
    """Samples that are worked on, and what samples held at their bounds add to the weights."""

    Z: FloatArray  # (p, n), features in rows
    y: FloatArray
    low: FloatArray
    high: FloatArray
    held_weights: FloatArray
    held_sum: float

    def gradient(self, weights: FloatArray, dual: FloatArray) -> tuple[FloatArray, float]:
        """Return the gradient of the smooth problem with respect to weights and offset."""
        return weights - self.held_weights - self.Z @ dual, -self.held_sum - float(dual.sum())

    def weights(self, dual: FloatArray) -> FloatArray:
        """Return the weights that belong to multipliers."""
        return np.asarray(self.held_weights + self.Z @ dual)


def solve_many_samples(
    Z: FloatArray,
    y: FloatArray,
    box: FloatArray,
    dual: FloatArray,
    offset: float | None,
    tol: float,
) -> tuple[float, float]:
    """Solve in place; return the violation left above rounding error, and the offset.

    Parameters
    ----------
    Z : ndarray of shape (p, n)
        The scaled data, features in rows.
    y, box : ndarray of shape (n,)
        The signs of the classes, and the largest size of each multiplier.
    dual : ndarray of shape (n,)
        The start, signed and between the bounds; receives the solution.
    offset : float or None
        The offset of the start, or None if the start is not near a solution.
    tol : float
        Largest violation, in units of the margin.
    """
    everything = np.ones(len(y), dtype=bool)
    whole = MarginProblem(
        Z, y, np.minimum(0.0, y * box), np.maximum(0.0, y * box), np.zeros(len(Z)), 0.0
    )
    if offset is None:
        offset = 0.0
        for width in COLD_WIDTHS:
            offset, _ = _minimise_smooth(whole, dual, offset, width)
    squares = np.einsum("ij,ij->j", Z, Z)
    start, start_offset = dual.copy(), offset
    near = np.zeros(len(y), dtype=bool)
    while True:
        residual = y - (Z @ dual) @ Z - offset
        near |= np.abs(residual) < NEAR_MARGIN
        # the others are held at the bound that their side of the margin demands
        held = np.where(near, 0.0, np.where(residual > 0.0, whole.high, whole.low))
        if near.mean() > MAX_NEAR_SHARE or not _can_balance(whole, near, held.sum()):
            near = everything
        dual[~near] = held[~near]
        part = dual[near]
        problem = _restrict(whole, dual, near)
        offset = _solve_problem(problem, squares[near], part, offset, tol, len(y))
        dual[near] = part
        _balance(whole, dual)
        left, offset = _violation(whole, dual, offset)
        if left <= max(tol, _rounding(dual, squares, len(y))):
            return 0.0, offset
        if near.all():
            return left, offset
        residual = y - (Z @ dual) @ Z - offset
        has_crossed = ~near & np.where(dual == whole.low, residual > 0.0, residual < 0.0)
        if 0 < has_crossed.sum() <= MAX_CROSSED_SHARE * near.sum():
            near |= has_crossed
        else:  # the samples near the margin were too few to go by
            near, dual[:], offset = everything, start, start_offset


def _balance(whole: MarginProblem, dual: FloatArray) -> None:
    """Remove the rounding error of the sum of all multipliers, which is 0, in place."""
    inside = (whole.low < dual) & (dual < whole.high)
    if inside.any():
        dual[inside] -= dual.sum() / inside.sum()
        np.clip(dual, whole.low, whole.high, out=dual)


def _can_balance(whole: MarginProblem, near: BoolArray, held_sum: float) -> bool:
    """Return whether the multipliers of samples near the margin can make up for the held ones."""
    return bool(whole.low[near].sum() < -held_sum < whole.high[near].sum())


def _restrict(whole: MarginProblem, dual: FloatArray, near: BoolArray) -> MarginProblem:
    """Return the problem of the samples near the margin; the others are held."""
    if near.all():
        return whole
    held, inside = np.where(near, 0.0, dual), np.flatnonzero(near)
    return MarginProblem(
        np.take(whole.Z, inside, axis=1),
        whole.y[inside],
        whole.low[inside],
        whole.high[inside],
        whole.Z @ held,
        float(held.sum()),
    )


def _rounding(dual: FloatArray, squares: FloatArray, n: int) -> float:
    """Return the rounding error of the violation, as `holdfast._kernels.svm.solve` counts it."""
    return ROUNDING * n * max(1.0, float((np.abs(dual) * squares).max()))


def _solve_problem(
    problem: MarginProblem,
    squares: FloatArray,
    dual: FloatArray,
    offset: float,
    tol: float,
    n: int,
) -> float:
    """Solve in place, width by width; return the offset."""
    width, narrowest, n_refined = FIRST_WIDTH, NARROWEST_WIDTH, 0
    for _ in range(MAX_STAGES):
        offset, sides = _minimise_smooth(problem, dual, offset, width)
        left, offset = _violation(problem, dual, offset)
        free = np.flatnonzero(sides == FREE)
        # more free samples than unknowns: equal or degenerate ones, which the widths take care of
        if 0 < len(free) <= len(problem.Z) + 1:
            polished = _solve_for_free(problem, dual, free)
            polished_left, polished_offset = _violation(problem, polished, offset)
            if _is_feasible(problem, polished) and polished_left < left:
                left, offset, dual[:] = polished_left, polished_offset, polished
        # below the tolerance rounding errors remain, where weights should be 0
        if left <= _rounding(dual, squares, n) or (left <= tol and n_refined == MAX_REFINEMENTS):
            break
        n_refined += left <= tol
        # a residual's rounding error, times box / width, is one of the multiplier
        boxes = (problem.high - problem.low)[free].sum()
        noise = 16.0 * MACHINE_EPSILON * boxes / width * squares.max()
        if left <= max(tol, noise):
            width = narrowest = min(10.0 * width, COLD_WIDTHS[0])
        else:
            width = max(width / 10.0, narrowest)
    return offset


def _violation(problem: MarginProblem, dual: FloatArray, offset: float) -> tuple[float, float]:
    """Return the violation and the offset in the middle of what the conditions ask for."""
    gradient = problem.weights(dual) @ problem.Z + offset - problem.y
    rise, fall = extreme_gradients(dual, gradient, problem.low, problem.high)
    return fall - rise, offset - (rise + fall) / 2.0


def _solve_for_free(problem: MarginProblem, dual: FloatArray, free: IntArray) -> FloatArray:
    """Return multipliers that put the free samples on the margin."""
    dual = dual.copy()
    dual[free] -= (problem.held_sum + dual.sum()) / len(free)
    Z = problem.Z[:, free]
    gradient = problem.weights(dual) @ Z - problem.y[free]
    dual[free] += solve_free(Z.T @ Z, gradient)
    return dual


def _is_feasible(problem: MarginProblem, dual: FloatArray) -> bool:
    """Return whether all multipliers are between their bounds."""
    return bool(np.all((problem.low <= dual) & (dual <= problem.high)))


def _minimise_smooth(
    problem: MarginProblem, dual: FloatArray, offset: float, width: float
) -> tuple[float, IntArray]:
    """Minimise the smooth problem and update the multipliers in place.

    Returns the offset, and on which side of its box each sample is.
    """
    Z, y, low, high = problem.Z, problem.y, problem.low, problem.high
    clipped, sides = np.empty(len(y)), np.full(len(y), -1)
    weights = problem.weights(dual)
    values = weights @ Z
    # rounding errors of the gradient: sums of up to all boxes
    noise = 8.0 * MACHINE_EPSILON * (float((high - low).sum()) + abs(problem.held_sum))
    largest = max(1.0, float(np.abs(Z).max(initial=0.0)))
    is_newton_step = False
    for _ in range(MAX_NEWTON_STEPS):
        residual = y - values - offset
        n_changed = clip_multipliers(dual, residual, low, high, width, clipped, sides)
        slope_w, slope_offset = problem.gradient(weights, clipped)
        free = np.flatnonzero(sides == FREE)
        # on one piece the objective is quadratic: a full Newton step ends at its minimum
        if is_newton_step and n_changed == 0 and len(free) > 0:
            break
        if np.abs(slope_w).max() <= noise * largest and abs(slope_offset) <= noise:
            break
        step_w, step_offset = _newton_direction(problem, free, width, slope_w, slope_offset)
        change = step_w @ Z + step_offset
        step = _line_search(
            problem,
            dual,
            residual,
            change,
            width,
            first_slope=float(slope_w @ step_w) + slope_offset * step_offset,
            # the losses of samples that are held are linear in the weights and the offset
            linear=float((weights - problem.held_weights) @ step_w)
            - problem.held_sum * step_offset,
            quadratic=float(step_w @ step_w),
        )
        is_newton_step = step == 1.0
        weights += step * step_w
        offset += step * step_offset
        values += step * (change - step_offset)
    dual[:] = clipped
    return offset, sides


def _newton_direction(
    problem: MarginProblem,
    free: IntArray,
    width: float,
    slope_w: FloatArray,
    slope_offset: float,
) -> tuple[FloatArray, float]:
    """Return the Newton direction of weights and offset.

    The Hessian is I for the weights, plus s_i (x_i, 1)(x_i, 1)' for each free sample, with s_i =
    box_i / width. With the free samples centred at their weighted mean, the unknowns w and offset +
    mean'w separate.
    """
    curvatures = (problem.high - problem.low)[free] / width
    total = float(curvatures.sum())
    Z = np.take(problem.Z, free, axis=1)
    mean = Z @ curvatures / total if len(free) > 0 else np.zeros(len(Z))
    Z -= mean[:, None]
    Z *= np.sqrt(curvatures)
    step_w = _solve_ridge(Z, mean * slope_offset - slope_w)
    # without free samples the offset has no curvature: that of one sample stands in
    curvature = total if len(free) > 0 else float((problem.high - problem.low).max()) / width
    return step_w, -slope_offset / curvature - float(mean @ step_w)


def _solve_ridge(Z: FloatArray, target: FloatArray) -> FloatArray:
    """Return ``(I + ZZ')^-1 target``, in the space of features or of samples, whichever is smaller.

    `Z` has shape (p, n), `target` has shape (p,). With fewer samples than features, Woodbury's
    identity gives ``target - Z (I + Z'Z)^-1 Z' target``. The difference loses digits, so it is
    refined once.
    """
    in_samples = Z.shape[1] < len(Z)
    matrix = Z.T @ Z if in_samples else Z @ Z.T
    matrix.flat[:: len(matrix) + 1] += 1.0
    factor = cho_factor(matrix, overwrite_a=True, check_finite=False)
    if not in_samples:
        return np.asarray(cho_solve(factor, target, check_finite=False))
    solution = np.zeros_like(target)
    for _ in range(2):  # the second time it removes the rounding error of the first
        residual = target - solution - Z @ (Z.T @ solution)
        share = cho_solve(factor, Z.T @ residual, check_finite=False)
        solution += residual - Z @ share
    return solution


def _line_search(
    problem: MarginProblem,
    dual: FloatArray,
    residual: FloatArray,
    change: FloatArray,
    width: float,
    first_slope: float,
    linear: float,
    quadratic: float,
) -> float:
    """Return a step at which the slope along the direction is a small share of the first one.

    The slope is ``linear + step * quadratic``, plus that of the losses; `change` is how much the
    decision values change with a step of 1.
    """
    low, high, slope_low, slope_high = 0.0, np.inf, first_slope, np.inf
    step = 1.0
    for _ in range(MAX_LINE_STEPS):
        slope = linear + step * quadratic
        slope += slope_of_losses(dual, residual, change, problem.low, problem.high, width, step)
        if abs(slope) <= SLOPE_SHARE * abs(first_slope):
            break
        if slope > 0.0:
            high, slope_high = step, slope
        else:
            low, slope_low = step, slope
        if np.isinf(high):
            step *= 4.0
        else:
            share = -slope_low / (slope_high - slope_low)
            step = low + (high - low) * min(0.9, max(0.1, share))
    return step
