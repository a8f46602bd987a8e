"""Measures that are a mean over all pairs of preferences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from holdfast._formatting import format_list, plural
from holdfast._typing import FloatArray, IntArray, PreferenceView
from holdfast.measures._registry import ChanceLevel, Estimate, Measure, Score, zero_chance
from holdfast.measures._subset_tables import SubsetTables, evaluate_score

TINY = 1e-12  # relative distance of chance from the best value that counts as rounding: 0/0


@dataclass(frozen=True, kw_only=True)
class PairSimilarities:
    """The similarities of all pairs, in blocks of rows of the m x m table, and the chance level."""

    blocks: Iterable[FloatArray]
    chance: Callable[[], ChanceLevel]


@dataclass(frozen=True, kw_only=True, eq=False)
class PairMeasure(Measure):
    """A mean over pairs, whose `function` returns `PairSimilarities`."""

    def estimate(
        self, view: PreferenceView, fill: float | None, options: Mapping[str, Any]
    ) -> Estimate:
        pairs: PairSimilarities = self.function(view, **options)
        rows, undefined = row_sums(pairs.blocks, fill)
        m = len(rows)
        totals = sums_with_and_without(rows, undefined)
        number = np.concatenate(([m * (m - 1.0)], np.full(m, (m - 1.0) * (m - 2) or np.nan)))
        values = totals / number
        return Estimate(
            value=float(values[0]),
            leave_one_out=values[1:],
            chance=pairs.chance,
            undefined=_explain_undefined_pairs(view, undefined) if undefined.any() else "",
        )

    def against_reference(
        self,
        view: PreferenceView,
        fill: float | None,
        options: Mapping[str, Any],
    ) -> Estimate:
        """Compare preference 0 with each of the others, instead of all pairs."""
        pairs: PairSimilarities = self.function(view, **options)
        values = next(iter(pairs.blocks))[0, 1:]
        if fill is not None:
            values = np.where(np.isnan(values), fill, values)
        with np.errstate(divide="ignore", invalid="ignore"):  # a single preference
            without = (values.sum() - values) / (len(values) - 1)
        undefined = [str(i) for i in np.flatnonzero(np.isnan(values))]
        return Estimate(
            value=float(values.mean()),
            leave_one_out=without,
            chance=lambda: ChanceLevel(np.nan, 0.0, "no chance level against a reference"),
            undefined=f"the reference against {format_preferences(undefined)}" if undefined else "",
        )


def row_sums(blocks: Iterable[FloatArray], fill: float | None) -> tuple[FloatArray, IntArray]:
    """Sum each row without the diagonal; count its undefined pairs, or fill them.

    Undefined pairs that are not filled add 0.
    """
    sums, undefined, start = [], [], 0
    for block in blocks:
        table = block.copy()
        diagonal = np.arange(len(table))
        table[diagonal, start + diagonal] = 0.0
        missing = np.isnan(table)
        table[missing] = 0.0 if fill is None else fill
        if fill is not None:
            missing[:] = False
        sums.append(table.sum(axis=1))
        undefined.append(missing.sum(axis=1))
        start += len(table)
    return np.concatenate(sums), np.concatenate(undefined)


def sums_with_and_without(rows: FloatArray, undefined: IntArray) -> FloatArray:
    """Return the sum over all pairs, then the sums over the pairs without each preference.

    NaN where an undefined pair is among them.
    """
    totals = np.concatenate(([rows.sum()], rows.sum() - 2 * rows))
    missing = undefined.sum()
    return np.where(np.concatenate(([missing], missing - 2 * undefined)) > 0, np.nan, totals)


def _explain_undefined_pairs(view: PreferenceView, undefined: IntArray) -> str:
    """Name the preferences behind an undefined mean: those in most undefined pairs."""
    pairs = int(undefined.sum()) // 2
    causes = [
        describe_preference(view, int(i)) for i in np.flatnonzero(undefined == undefined.max())
    ]
    return f"{plural(pairs, 'pair')} without a value because of {format_preferences(causes)}"


def format_preferences(causes: list[str]) -> str:
    """Return ``preference 3 (empty)`` or ``preferences 3 (empty), 5 (empty)``."""
    return f"preference{'s' if len(causes) > 1 else ''} {format_list(causes)}"


def describe_preference(view: PreferenceView, index: int) -> str:
    """Return the number of a preference, with its size if that is unusual."""
    if not isinstance(view, SubsetTables):
        return str(index)
    size = int(view.sizes[index])
    if size == 0:
        return f"{index} (empty)"
    full = view.knows_p and size == view.p
    return f"{index} (all features)" if full else f"{index} (size {size:,})"


def chance_corrected(
    value: FloatArray, expected: FloatArray, best: FloatArray | float
) -> FloatArray:
    """Return (value - expected) / (best - expected), NaN if chance gives the best value."""
    room = best - expected
    room = np.where(np.abs(room) <= TINY * np.maximum(1.0, np.abs(best)), np.nan, room)
    return np.asarray((value - expected) / room)


def expected_mean(tables: SubsetTables, expected: FloatArray) -> float:
    """Average an expectation per pair of distinct sizes over all pairs of subsets."""
    shares = tables.size_pair_shares
    return float(np.sum(np.where(shares > 0, shares * expected, 0.0)))


@dataclass(frozen=True, kw_only=True, eq=False)
class OverlapMeasure(PairMeasure):
    """A mean over pairs of a score of overlap and sizes.

    The decorated function takes the overlap r, the sizes a and b and the number of features p,
    as arrays. A similarity that is not corrected by definition gets the option ``corrected``.
    """

    @classmethod
    def from_function(cls, function: Score, **attributes: Any) -> Self:
        if attributes["corrected"] or attributes["distance"]:
            compute = _uncorrected(function, corrected=attributes["corrected"])
        else:
            compute = _correctable(function, best=attributes["maximum"])
        compute.__doc__ = function.__doc__
        return cls(function=compute, **attributes)


def _uncorrected(score: Score, *, corrected: bool) -> Callable[..., PairSimilarities]:
    def compute(tables: SubsetTables) -> PairSimilarities:
        return PairSimilarities(
            blocks=score_blocks(tables, score),
            chance=zero_chance if corrected else lambda: _chance_level(tables, score),
        )

    return compute


def _correctable(score: Score, *, best: float) -> Callable[..., PairSimilarities]:
    uncorrected = _uncorrected(score, corrected=False)

    def compute(tables: SubsetTables, *, corrected: bool = False) -> PairSimilarities:
        if not corrected:
            return uncorrected(tables)
        expected = tables.expected(score)
        return PairSimilarities(
            blocks=_corrected_blocks(tables, score, expected, best), chance=zero_chance
        )

    return compute


def score_blocks(tables: SubsetTables, score: Score) -> Iterator[FloatArray]:
    """Yield the pair table of a score, block by block of rows."""
    sizes = tables.sizes.astype(np.float64)
    p = float(tables.p) if tables.knows_p else np.nan
    for rows in tables.blocks():
        yield evaluate_score(score, tables.overlaps(rows), sizes[rows, None], sizes[None, :], p)


def _corrected_blocks(
    tables: SubsetTables, score: Score, expected: FloatArray, best: float
) -> Iterator[FloatArray]:
    size_class = tables.size_class
    for rows, block in zip(tables.blocks(), score_blocks(tables, score), strict=True):
        yield chance_corrected(block, expected[size_class[rows, None], size_class[None, :]], best)


def _chance_level(tables: SubsetTables, score: Score) -> ChanceLevel:
    if not tables.knows_p:
        return ChanceLevel(np.nan, 0.0, "the chance level needs n_features")
    return ChanceLevel(expected_mean(tables, tables.expected(score)))
