"""Measures from information theory: Novovičová's of features, Křížek's of whole subsets."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
import scipy.stats

from holdfast._typing import FloatArray, IntArray
from holdfast.measures._registry import ChanceLevel, Estimate, register_measure
from holdfast.measures._subset_tables import (
    SubsetTables,
    SystemMeasure,
    correct_for_chance,
    counts_with_and_without,
    describe_preference,
    expected_of_frequency,
    explain_if_all_empty,
    format_preferences,
    frequency_totals,
)


def _information(h: FloatArray) -> FloatArray:
    """Return h log₂ h."""
    return np.asarray(scipy.special.xlogy(h, h) / np.log(2))


@register_measure(
    SystemMeasure,
    title="Novovičová's measure",
    focus="features",
    registers="selection",
    size_biased=True,
    minimum=0.0,
    maximum=1.0,
    references=("novovicova2009",),
)
def novovicova(tables: SubsetTables, *, corrected: bool = False) -> Estimate:
    r"""Information in the selection frequencies, from 0 (nothing repeats) to 1.

    .. math:: \frac{\sum_{f: h_f > 0} h_f \log_2 h_f}{q \log_2 m}

    ``corrected=True`` gives (value - E) / (1 - E), where E is the exact expectation for random
    subsets of the same sizes, all m of them together.

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
    >>> round(hf.measure("novovicova", hf.Subsets([[0, 1], [0, 1], [0, 2]])), 4)
    0.7103
    """
    sums = frequency_totals(tables, _information)
    with np.errstate(divide="ignore", invalid="ignore"):  # empty systems, one subset left
        values = sums.total / (sums.q * np.log2(sums.number))

    def expected(sizes: IntArray) -> float:
        bits = math.log2(len(sizes)) * sizes.sum()
        total = expected_of_frequency(tables.p, sizes, _information)
        return total / bits if bits > 0 else np.nan

    if corrected:
        return correct_for_chance(values, tables, expected, 1.0)

    def chance() -> ChanceLevel:
        if not tables.knows_p:
            return ChanceLevel(np.nan, 0.0, "the chance level needs n_features")
        return ChanceLevel(expected(tables.sizes))

    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=chance,
        undefined=explain_if_all_empty(tables),
    )


def _entropies(tables: SubsetTables) -> FloatArray:
    """Entropy of the distribution of whole subsets: with all of them, and without each."""
    number: dict[bytes, int] = {}
    # subsets are sorted, so equal subsets have equal bytes
    kind = [number.setdefault(row.tobytes(), len(number)) for row in tables.subsets]
    counts = np.bincount(kind).astype(np.float64)
    total = _information(counts).sum()
    # without a subset, only the count of its own kind changes
    without = total - (_information(counts) - _information(counts - 1))[kind]
    m = counts_with_and_without(tables.m)
    with np.errstate(divide="ignore", invalid="ignore"):  # no subset left
        return np.asarray(np.log2(m) - np.concatenate(([total], without)) / m)


def _log2_choices(p: int, size: int) -> float:
    """Return log₂ of the number of subsets of a size; exact where that number is small."""
    log2 = float(
        scipy.special.gammaln(p + 1)
        - scipy.special.gammaln(size + 1)
        - scipy.special.gammaln(p - size + 1)
    ) / math.log(2)
    # gammaln loses digits by cancellation, which matters only for small numbers of subsets
    return math.log2(math.comb(p, size)) if log2 < 60 else log2


def _expected_entropy(m: int, log2_choices: float) -> float:
    """Expected entropy of m subsets drawn from all subsets of a size.

    How often a given subset is drawn is binomial; weighting by that number shifts it by one.
    """
    others = np.arange(m)
    pmf = scipy.stats.binom.pmf(others, m - 1, 2.0**-log2_choices)
    return float(-(pmf * np.log2((others + 1) / m)).sum())


def _explain_unequal_sizes(tables: SubsetTables) -> str:
    if len(tables.distinct_sizes) == 1:
        return ""
    usual = tables.distinct_sizes[np.bincount(tables.size_class).argmax()]
    odd = [describe_preference(tables, int(i)) for i in np.flatnonzero(tables.sizes != usual)]
    return f"not all subsets have {usual:,} features, because of {format_preferences(odd)}"


@register_measure(
    SystemMeasure,
    title="Křížek's entropy γ_d",
    focus="subsets",
    registers="selection",
    size_biased=False,
    minimum=0.0,
    maximum=np.inf,
    distance=True,
    needs=("n_features", "equal_sizes"),
    references=("krizek2007", "somol2008"),
)
def krizek_entropy(tables: SubsetTables) -> Estimate:
    r"""Entropy, in bits, of the distribution of whole subsets.

    .. math:: \gamma_d = -\sum_j \hat p_j \log_2 \hat p_j

    p̂_j is the share of the m subsets that are equal to the j-th different one. A distance: 0
    when all are equal; at most log₂ min(m, C(p, d)) when all differ, however little. All
    subsets have d features; with other sizes it is undefined.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       0
    empty, 4 of 10     undefined
    all 10, 4 of 10    undefined
    all 10, all 10     0
    4 of 10, the same  0
    4 of 10, 4 others  1
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measure("krizek_entropy", hf.Subsets([[0, 1], [0, 1], [0, 2], [0, 3]], n_features=9))
    1.5
    """
    why = _explain_unequal_sizes(tables)
    values = np.full(tables.m + 1, np.nan) if why else _entropies(tables)
    return Estimate(
        value=float(values[0]),
        leave_one_out=values[1:],
        chance=lambda: ChanceLevel(
            np.nan if why else _expected_entropy(tables.m, _max_bits(tables))
        ),
        undefined=why,
    )


def _max_bits(tables: SubsetTables) -> float:
    return _log2_choices(tables.p, int(tables.sizes[0]))


@register_measure(
    SystemMeasure,
    title="Křížek's stability",
    focus="subsets",
    registers="selection",
    size_biased=False,
    minimum=0.0,
    maximum=1.0,
    needs=("n_features", "equal_sizes"),
    references=("krizek2007", "somol2008"),
)
def krizek(tables: SubsetTables) -> Estimate:
    r"""One minus the entropy of whole subsets, relative to the largest it can be.

    .. math:: 1 - \frac{\gamma_d}{\log_2 \min\left(m, \binom{p}{d}\right)}

    Subsets that differ in one feature count as quite different, so it is 0 for most selectors
    on many features. All subsets have d features; with other sizes it is undefined.

    Edge cases:

    =================  =========
    two subsets        value
    =================  =========
    empty, empty       undefined
    empty, 4 of 10     undefined
    all 10, 4 of 10    undefined
    all 10, all 10     undefined
    4 of 10, the same  1
    4 of 10, 4 others  0
    =================  =========

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measure("krizek", hf.Subsets([[0, 1], [0, 1], [0, 2], [0, 3]], n_features=9))
    0.25
    """
    why = _explain_unequal_sizes(tables)
    if why:
        nothing = np.full(tables.m, np.nan)
        return Estimate(
            value=np.nan, leave_one_out=nothing, chance=lambda: ChanceLevel(np.nan), undefined=why
        )
    bits = _max_bits(tables)
    m = counts_with_and_without(tables.m)
    most = np.minimum(np.log2(m), bits)  # 0: nothing can differ
    values = 1 - _entropies(tables) / np.where(most > 0, most, np.nan)
    only = "only one subset of this size exists" if bits == 0 else ""

    def chance() -> ChanceLevel:
        return ChanceLevel(
            float(1 - _expected_entropy(tables.m, bits) / most[0]) if bits else np.nan
        )

    return Estimate(value=float(values[0]), leave_one_out=values[1:], chance=chance, undefined=only)
