"""Somol and Novovičová's measures of how often each feature was selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from holdfast._typing import FloatArray, IntArray
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.measures._registry import ChanceLevel, Estimate, register_measure
from holdfast.measures._subset_tables import (
    SubsetTables,
    SystemMeasure,
    Totals,
    correct_for_chance,
    counts_with_and_without,
    expected_of_union,
    expected_square,
    explain_if_all_empty,
    frequency_totals,
)

if TYPE_CHECKING:
    import pandas as pd

Formula = Callable[[Totals], FloatArray]


def _estimate(
    tables: SubsetTables, sums: Totals, formula: Formula, chance: Callable[[], FloatArray]
) -> Estimate:
    """Apply a formula to the totals with all subsets and without each; and to expected totals."""

    def evaluate(totals: Totals) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):  # empty systems, one subset left
            return formula(totals)

    def level() -> ChanceLevel:
        if not tables.knows_p:
            return ChanceLevel(np.nan, 0.0, "the chance level needs n_features")
        whole = Totals(number=sums.number[:1], q=sums.q[:1], total=chance())
        return ChanceLevel(float(evaluate(whole)[0]))

    values = evaluate(sums)

    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=level,
        undefined=explain_if_all_empty(tables) if np.isnan(values[0]) else "",
    )


def _inverse_union(tables: SubsetTables) -> Totals:
    sums = frequency_totals(tables, lambda h: (h > 0).astype(np.float64))
    with np.errstate(divide="ignore"):  # empty systems
        return Totals(number=sums.number, q=sums.q, total=1 / sums.total)


def _expected_inverse_union(tables: SubsetTables) -> FloatArray:
    return np.array([expected_of_union(tables.p, tables.sizes, lambda u: 1 / u)])


def _consistency(sums: Totals) -> FloatArray:
    # C = (q / |union| - 1) / (m - 1): the mean over features ever selected of (h - 1) / (m - 1)
    return (sums.q * sums.total - 1) / (sums.number - 1)


@register_measure(
    SystemMeasure,
    title="consistency C",
    focus="features",
    registers="selection",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    references=("somol2008",),
)
def consistency(tables: SubsetTables) -> Estimate:
    r"""Mean over the features ever selected of how often they were selected again.

    .. math:: C = \frac{1}{|X|} \sum_{f \in X} \frac{h_f - 1}{m - 1}
       = \frac{q / |X| - 1}{m - 1}

    X is the union of all subsets. 0: no feature was selected twice; 1: all subsets are equal.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0.4
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measure("consistency", hf.Subsets([[0, 1], [0, 1], [0, 2]]))
    0.5
    """
    return _estimate(
        tables, _inverse_union(tables), _consistency, lambda: _expected_inverse_union(tables)
    )


@register_measure(
    SystemMeasure,
    title="relative consistency C_rel",
    focus="features",
    registers="selection",
    size_biased=False,
    minimum=0.0,
    maximum=1.0,
    needs=("n_features",),
    references=("somol2008",),
)
def relative_consistency(tables: SubsetTables) -> Estimate:
    r"""Where C lies between the least and the most that q selections in m subsets allow.

    .. math:: C_{\min} = \frac{q / \min(q, p) - 1}{m - 1}, \qquad
              C_{\max} = \frac{q / \lceil q/m \rceil - 1}{m - 1}

    The union has at most min(q, p) and at least ⌈q/m⌉ features. Where both bounds are equal the
    value is C itself. Somol and Novovičová ask for it as the size-free form of C.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 1], [0, 1], [0, 2]], n_features=4)
    >>> round(hf.measure("relative_consistency", s), 4)
    0.3333
    """
    p = tables.p

    def formula(sums: Totals) -> FloatArray:
        widest = np.minimum(sums.q, p)
        # q selections need at least q / m features, rounded up, as each is selected at most m times
        narrowest = -(-sums.q // sums.number)
        low, high = 1 / widest, 1 / narrowest
        relative = (sums.total - low) / (high - low)
        return np.where(widest == narrowest, _consistency(sums), relative)

    return _estimate(
        tables, _inverse_union(tables), formula, lambda: _expected_inverse_union(tables)
    )


def _squares(tables: SubsetTables) -> Totals:
    return frequency_totals(tables, np.square)


def _expected_squares(tables: SubsetTables) -> FloatArray:
    return np.array([expected_square(tables.p, tables.sizes)])


def square_bounds(sums: Totals, p: int) -> tuple[FloatArray, FloatArray]:
    """Least and largest sum of squared frequencies of q selections in m subsets of p features.

    Least: frequencies as even as possible; largest: as many features as possible in all subsets.
    """
    every, spare = np.divmod(sums.q, p)
    low = (p - spare) * every**2 + spare * (every + 1) ** 2
    spare = sums.q % sums.number
    high = sums.number * (sums.q - spare) + spare**2
    return low, high


def _weighted_consistency(sums: Totals) -> FloatArray:
    # sum h (h - 1) / (q (m - 1))
    return (sums.total - sums.q) / (sums.q * (sums.number - 1))


@register_measure(
    SystemMeasure,
    title="weighted consistency CW",
    focus="features",
    registers="selection",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    references=("somol2008",),
    aliases=("cw",),
)
def weighted_consistency(tables: SubsetTables) -> Estimate:
    r"""Consistency of the features, each weighted by how often it was selected.

    .. math:: CW = \sum_{f} \frac{h_f}{q} \cdot \frac{h_f - 1}{m - 1}

    0: no feature was selected twice; 1: all subsets are equal. It grows with the subset sizes:
    see ``relative_weighted_consistency``.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0.5714
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> round(hf.measure("weighted_consistency", hf.Subsets([[0, 1], [0, 1], [0, 2]])), 4)
    0.6667
    """
    return _estimate(
        tables, _squares(tables), _weighted_consistency, lambda: _expected_squares(tables)
    )


N_BOUND_SIZES = 500
"""Numbers of selections at which bounds are computed by default: smooth in a picture; by hand."""


def weighted_consistency_bounds(
    n_subsets: int, n_features: int, *, selected: Iterable[int] | None = None
) -> pd.DataFrame:
    """Return the least and the largest CW that numbers of selections allow.

    Parameters
    ----------
    n_subsets : int
        Number of subsets, m, at least 2.
    n_features : int
        Number of features, p.
    selected : iterable of int, optional
        Numbers of selections in all subsets together, q, from 1 to m p; default: all of them, or
        500 evenly spaced ones if there are more.

    Returns
    -------
    pandas.DataFrame
        One row per number of selections: ``selected``, ``minimum`` and ``maximum``, the bounds
        in ``relative_weighted_consistency``. :func:`holdfast.plot.consistency_bounds` draws them.

    References
    ----------
    Somol and Novovičová (2008): Weighted consistency, bounds.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measures.weighted_consistency_bounds(3, 4, selected=[4, 6, 12]).round(3)
       selected  minimum  maximum
    0         4    0.000     0.75
    1         6    0.333     1.00
    2        12    1.000     1.00
    """
    import pandas as pd

    m, p = check_integer(n_subsets, "n_subsets", 2), check_integer(n_features, "n_features", 1)
    if selected is None:
        q = np.unique(np.linspace(1, m * p, min(m * p, N_BOUND_SIZES)).round())
    else:
        q = np.array([check_integer(number, "selected", 1) for number in selected], np.float64)
        if q.max(initial=0) > m * p:
            raise InvalidInputError(
                f"{m:,} subsets of {p:,} features hold at most {m * p:,} selections; "
                f"got {q.max():,.0f}."
            )
    sums = Totals(number=np.full(len(q), float(m)), q=q, total=q)
    low, high = (
        _weighted_consistency(replace(sums, total=squares)) for squares in square_bounds(sums, p)
    )
    return pd.DataFrame({"selected": q.astype(np.int64), "minimum": low, "maximum": high})


@register_measure(
    SystemMeasure,
    title="relative weighted consistency CW_rel",
    focus="features",
    registers="selection",
    size_biased=False,
    minimum=0.0,
    maximum=1.0,
    needs=("n_features",),
    references=("somol2008", "dernoncourt2014"),
    aliases=("cw_rel", "somol"),
)
def relative_weighted_consistency(tables: SubsetTables) -> Estimate:
    r"""Where CW lies between the least and the most that q selections in m subsets allow.

    .. math:: CW_{rel} = \frac{CW - CW_{\min}}{CW_{\max} - CW_{\min}}

    with D = q mod p, H = q mod m and

    .. math:: CW_{\min} = \frac{q^2 - p(q - D) - D^2}{p\,q\,(m - 1)}, \qquad
              CW_{\max} = \frac{H^2 + q(m - 1) - Hm}{q(m - 1)}.

    Where both bounds are equal the value is CW itself. It is a rescaling to the possible range,
    not a correction for chance: random subsets stay above 0.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     0
    all 10, 4 of 10    0
    all 10, all 10     1
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 1], [0, 1], [0, 2]], n_features=4)
    >>> hf.measure("relative_weighted_consistency", s)
    0.5
    """
    p = tables.p

    def formula(sums: Totals) -> FloatArray:
        low, high = square_bounds(sums, p)
        return np.where(high > low, (sums.total - low) / (high - low), _weighted_consistency(sums))

    return _estimate(tables, _squares(tables), formula, lambda: _expected_squares(tables))


@register_measure(
    SystemMeasure,
    title="relative average normalised Hamming distance",
    focus="subsets",
    registers="selection",
    size_biased=False,
    minimum=0.0,
    maximum=1.0,
    distance=True,
    needs=("n_features",),
    references=("somol2008", "dunne2002"),
)
def relative_anhd(tables: SubsetTables) -> Estimate:
    r"""Where ANHD lies between the least and the most that q selections in m subsets allow.

    ANHD and CW both depend on the subsets through the sum of squared frequencies alone,

    .. math:: \mathrm{ANHD} = \frac{2\,(mq - \sum_f h_f^2)}{p\,m\,(m - 1)},

    so by the same bounds the relative distance is 1 - CW_rel. Where the bounds are equal the
    value is ANHD itself.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       0
    empty, 4 of 10     1
    all 10, 4 of 10    1
    all 10, all 10     0
    4 of 10, the same  0
    4 of 10, 4 others  1
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 1], [0, 1], [0, 2]], n_features=4)
    >>> hf.measure("relative_anhd", s)
    0.5
    """
    p = tables.p

    def formula(sums: Totals) -> FloatArray:
        low, high = square_bounds(sums, p)
        plain = 2 * (sums.number * sums.q - sums.total) / (p * sums.number * (sums.number - 1))
        return np.where(high > low, (high - sums.total) / (high - low), plain)

    return _estimate(tables, _squares(tables), formula, lambda: _expected_squares(tables))


# Davis et al.: mean frequency of the features ever selected, less a penalty for size.


@register_measure(
    SystemMeasure,
    title="Davis's score",
    focus="features",
    registers="selection",
    size_biased=True,
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
    values = _davis_values(tables, penalty)
    if corrected:
        # the best systems have subsets of one feature, or half of their subsets are empty
        m = counts_with_and_without(tables.m)
        best = np.maximum(1 - penalty / tables.p, (m - 1) // 2 / m)
        return correct_for_chance(
            values,
            tables,
            lambda sizes: _expected_davis(tables.p, sizes, penalty),
            best,
        )

    def chance() -> ChanceLevel:
        if not tables.knows_p:
            return ChanceLevel(np.nan, 0.0, "the chance level needs n_features")
        return ChanceLevel(_expected_davis(tables.p, tables.sizes, penalty))

    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=chance,
        undefined=explain_if_all_empty(tables),
    )


def _davis_values(tables: SubsetTables, penalty: float) -> FloatArray:
    sums = frequency_totals(tables, lambda h: (h > 0).astype(np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):  # empty systems
        frequency = sums.q / (sums.number * sums.total)
    if penalty == 0:
        return frequency
    # a median cannot be updated from sums, so each is computed from all other sizes
    without = [np.median(np.delete(tables.sizes, i)) for i in range(tables.m)]
    medians = np.array([np.median(tables.sizes), *without])
    return np.asarray(np.maximum(0.0, frequency - penalty / tables.p * medians))


def _expected_davis(p: int, sizes: IntArray, penalty: float) -> float:
    rate, charge = sizes.mean(), penalty / p * np.median(sizes)
    return expected_of_union(p, sizes, lambda union: np.maximum(0.0, rate / union - charge))
