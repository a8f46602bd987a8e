"""Davis et al.: mean frequency of the features ever selected, less a penalty for size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.measures._chance import expected_of_union
from holdfast.measures._estimate import Chance, Estimate
from holdfast.measures._system import (
    all_empty,
    corrected_by,
    subset_system,
    totals,
    with_and_without,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.measures._tables import SubsetTables
    from holdfast.measures._types import Array


@subset_system(
    title="Davis's score",
    minimum=0.0,
    maximum=1.0,
    references=("davis2006",),
)
def davis(tables: SubsetTables, *, penalty: float = 0.0, corrected: bool = False) -> Estimate:
    r"""Mean frequency of the features ever selected, less a penalty for large subsets.

    .. math:: \max\left(0,\; \frac{q}{m\,|X|}
       - \frac{\text{penalty}}{p} \operatorname{median}_i |V_i|\right)

    X is the union of all subsets. A `penalty` other than 0 needs the number of features.
    ``corrected=True`` gives (value - E) / (best - E), where E is the expectation for random
    subsets of the same sizes, all m of them together.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0.5
    all 10, 4 of 10    0.7
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0.5
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("davis", hf.Subsets([[0, 1], [0, 1], [0, 2]])), 4)
    0.6667
    """
    if not penalty >= 0:
        raise InvalidInputError(f"penalty must be 0 or more, got {penalty}.")
    values = _values(tables, penalty)
    if corrected:
        return corrected_by(
            values,
            tables,
            lambda sizes: _expected(tables.p, sizes, penalty),
            _best(tables, penalty),
        )

    def chance() -> Chance:
        if not tables.knows_p:
            return Chance(np.nan, 0.0, "the chance level needs n_features")
        return Chance(_expected(tables.p, tables.sizes, penalty))

    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=chance,
        undefined=all_empty(tables),
    )


def _values(tables: SubsetTables, penalty: float) -> Array:
    sums = totals(tables, lambda h: (h > 0).astype(np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):  # empty systems
        frequency = sums.q / (sums.number * sums.total)
    if penalty == 0:
        return frequency
    without = [np.median(np.delete(tables.sizes, i)) for i in range(tables.m)]
    medians = np.array([np.median(tables.sizes), *without])
    return np.asarray(np.maximum(0.0, frequency - penalty / tables.p * medians))


def _expected(p: int, sizes: NDArray[np.int64], penalty: float) -> float:
    rate, charge = sizes.mean(), penalty / p * np.median(sizes)
    return expected_of_union(p, sizes, lambda union: np.maximum(0.0, rate / union - charge))


def _best(tables: SubsetTables, penalty: float) -> Array:
    """Best value any system can have: subsets of one feature, or half of them empty."""
    m = with_and_without(tables.m)
    return np.maximum(1 - penalty / tables.p, (m - 1) // 2 / m)
