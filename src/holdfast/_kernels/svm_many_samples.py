"""Loops over the samples of a linear SVM, for more samples than a Gram matrix has room for.

**Method.** The caller (`holdfast.select._svm_many_samples`) minimises the hinge losses by the
method of multipliers. A sample's multiplier, in signed form as in `svm`, is clipped to its box:

    b_i = clip(d_i + s_i r_i, low_i, high_i),  r_i = y_i - f(x_i),  s_i = (high_i - low_i) / width,

with the multiplier d_i before the update. Samples strictly inside their boxes are *free*: they are
what the Newton step of the caller depends on, apart from sums over all samples. Along a direction
the objective is piecewise quadratic in the step, and its slope is a sum of such clipped values.

**Reference.** [Hestenes1969]_ and [Rockafellar1976]_ for the method of multipliers.

**Deviations.** None: the two loops evaluate the formulas.

**Rounding.** A residual r_i carries the rounding error of the margin, multiplied by s_i; the caller
chooses widths so that the multipliers are precise enough.
"""

from __future__ import annotations

from holdfast._kernels import kernel
from holdfast._typing import FloatArray, IntArray

AT_LOW, FREE, AT_HIGH = range(3)


@kernel
def clip_multipliers(
    dual: FloatArray,
    residual: FloatArray,
    low: FloatArray,
    high: FloatArray,
    width: float,
    clipped: FloatArray,
    sides: IntArray,
) -> int:
    """Clip the updated multipliers to their boxes; return how many samples changed sides.

    Parameters
    ----------
    dual, residual : ndarray of shape (n,)
        The multipliers before the update, signed, and ``y - f(x)``.
    low, high : ndarray of shape (n,)
        The bounds of the multipliers.
    clipped : ndarray of shape (n,)
        Receives the multipliers.
    sides : ndarray of shape (n,)
        `AT_LOW`, `FREE` or `AT_HIGH`, brought up to date.
    """
    changed = 0
    for i in range(len(dual)):
        value = dual[i] + (high[i] - low[i]) / width * residual[i]
        side = FREE
        if value <= low[i]:
            value, side = low[i], AT_LOW
        elif value >= high[i]:
            value, side = high[i], AT_HIGH
        clipped[i] = value
        changed += sides[i] != side
        sides[i] = side
    return changed


@kernel
def slope_of_losses(
    dual: FloatArray,
    residual: FloatArray,
    change: FloatArray,
    low: FloatArray,
    high: FloatArray,
    width: float,
    step: float,
) -> float:
    """Slope of the losses along a direction, after a step.

    Parameters
    ----------
    dual, residual, low, high : ndarray
        As in `clip_multipliers`.
    change : ndarray of shape (n,)
        How much f(x) changes with a step of 1.
    """
    total = 0.0
    for i in range(len(dual)):
        value = dual[i] + (high[i] - low[i]) / width * (residual[i] - step * change[i])
        total -= min(max(value, low[i]), high[i]) * change[i]
    return total
