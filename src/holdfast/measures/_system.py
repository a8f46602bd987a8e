"""Measures of a whole system of subsets, through how often each feature was selected."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.measures._estimate import Estimate, zero_chance
from holdfast.measures._pairs import chance_corrected
from holdfast.measures._record import Measure, register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from holdfast.measures._tables import SubsetTables
    from holdfast.measures._types import Array


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemMeasure(Measure):
    """A measure whose `function` returns an `Estimate`."""

    def estimate(self, view: Any, fill: float | None, options: Mapping[str, Any]) -> Estimate:  # noqa: ANN401
        estimate: Estimate = self.function(view, **options)
        if fill is not None and np.isnan(estimate.value):
            return dataclasses.replace(estimate, value=fill, undefined="")
        return estimate


def subset_system(  # noqa: PLR0913  (they are the fields of the record)
    *,
    title: str,
    minimum: float,
    maximum: float,
    references: tuple[str, ...],
    needs: Iterable[str] = (),
    aliases: tuple[str, ...] = (),
    corrected: bool = False,
    distance: bool = False,
    identical: str = "",
) -> Callable[[Callable[..., Estimate]], Measure]:
    """Register a measure of a whole system of subsets."""

    def record(function: Callable[..., Estimate]) -> Measure:
        return register(
            SystemMeasure(
                name=function.__name__,
                title=title,
                form="subset",
                minimum=minimum,
                maximum=maximum,
                references=references,
                needs=frozenset(needs),
                aliases=aliases,
                corrected=corrected,
                distance=distance,
                identical=identical,
                function=function,
            )
        )

    return record


@dataclass(frozen=True)
class Totals:
    """A sum over features of a function of their frequencies: with all subsets, and without one.

    `number` is how many subsets and `q` how many selections go into each; the arrays hold the
    whole system first, then the m systems without one subset.
    """

    number: Array
    q: Array
    total: Array


def totals(tables: SubsetTables, of: Callable[[Array], Array]) -> Totals:
    """Sum a function of h over all features of the union, and again without each subset in turn.

    Taking out a subset lowers h by one for its features and leaves all others alone.
    """
    h = tables.counts.astype(np.float64)
    total = of(h).sum()
    without = total - tables.within(of(h) - of(h - 1))
    return Totals(
        number=with_and_without(tables.m),
        q=np.concatenate(([tables.q], tables.q - tables.sizes)).astype(np.float64),
        total=np.concatenate(([total], without)),
    )


def with_and_without(m: int) -> Array:
    """Return how many subsets the whole system has, then how many each system without one."""
    return np.concatenate(([float(m)], np.full(m, m - 1.0)))


def corrected_by(
    values: Array,
    tables: SubsetTables,
    expected: Callable[[NDArray[np.int64]], float],
    best: Array | float,
) -> Estimate:
    """Correct a system's value for the chance level that its subset sizes imply.

    `values` holds the whole system first, then the systems without one subset; `expected`
    gives the chance level for a list of sizes, computed once per distinct size left out.
    """
    sizes = tables.sizes
    level = np.empty(len(values))
    level[0] = expected(sizes)
    without = [
        expected(np.delete(sizes, np.flatnonzero(sizes == size)[0]))
        for size in tables.distinct_sizes
    ]
    level[1:] = np.array(without)[tables.size_class]
    corrected = chance_corrected(values, level, best)
    why = "" if np.isfinite(corrected[0]) else "chance alone gives the maximum"
    return Estimate(
        value=float(corrected[0]),
        leave_one_out=corrected[1:],
        chance=zero_chance,
        undefined=why,
    )


def all_empty(tables: SubsetTables) -> str:
    """Explain an undefined value if no subset holds any feature."""
    return "all subsets are empty" if tables.q == 0 else ""
