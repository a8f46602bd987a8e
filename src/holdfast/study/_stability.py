"""The table of stability: each selector, at each size, by each measure."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast.judge._answer import FEW, across
from holdfast.judge._found import fewer
from holdfast.measures import get_measure
from holdfast.measures._pairs import PairMeasure
from holdfast.study._measured import measured, none
from holdfast.study._system import groups, rankings, subsets, weights
from holdfast.study._view import OWN, View, cut, size_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holdfast.judge._answer import Answer
    from holdfast.measures import Measure
    from holdfast.preferences import Preferences
    from holdfast.study._measured import Data

COLUMNS = [
    *("selector", "size", "measure", "value", "low", "high", "interval"),
    *("chance", "against", "note", "n"),
]
KEPT: dict[str, tuple[str, ...]] = {"ranking": ("ranks", "weights"), "weights": ("weights",)}
"""For each form that measures of all features take, the stored forms that serve, best first."""
BUILD: dict[str, Callable[..., Preferences]] = {"ranks": rankings, "weights": weights}


OF_SIZES: dict[str, tuple[Callable[[View, int], dict[int, Any]], Callable[..., Preferences]]] = {
    "subset": (View.choices, subsets),
    "groups": (View.feature_groups, groups),
}
"""For each form that is cut at sizes, how rows, the best first, are found and put together."""


@dataclass(frozen=True, slots=True)
class Case:
    """The preferences of one selector at one size, by resample, and how to put them together."""

    size: int
    found: dict[int, Any]
    build: Callable[[list[Any]], Preferences]

    def system(self, numbers: Sequence[int]) -> Callable[[], Preferences]:
        """Return a way to build the preferences of these resamples."""
        return lambda: self.build([self.found[i] for i in numbers])


def stability_table(view: View, data: Data) -> pd.DataFrame:
    """Measure everything that the plan asks for."""
    records = [get_measure(name) for name in view.plan["measures"]]
    rows = [
        {"selector": name, **row}
        for selector, name in enumerate(view.selectors)
        for row in _of_selector(view, selector, records, data)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _of_selector(
    view: View, selector: int, records: Sequence[Measure], data: Data
) -> Iterator[dict[str, Any]]:
    forms: dict[str, list[Measure]] = defaultdict(list)
    for record in records:
        forms[record.form].append(record)
    for form in (*OF_SIZES, *KEPT):
        if form in forms:
            measure = _of_sizes if form in OF_SIZES else _of_all_features
            yield from measure(view, selector, form, forms[form], data)


def _of_sizes(
    view: View, selector: int, form: str, records: list[Measure], data: Data
) -> Iterator[dict[str, Any]]:
    """Measure the best features, or the best groups of features, of each size."""
    find, make = OF_SIZES[form]
    found, build = find(view, selector), partial(make, n_features=view.n_features)
    for size in view.sizes(selector):
        rows = dict(zip(found, cut(list(found.values()), size), strict=True))
        yield from _rows(view, Case(size, rows, build), records, data)


def _of_all_features(
    view: View, selector: int, form: str, records: list[Measure], data: Data
) -> Iterator[dict[str, Any]]:
    """Measure rankings or weights of all features, where they are kept."""
    kept = view.kept(selector, KEPT[form])
    found = {} if kept is None else dict(view.raw(selector, kept))
    build = partial(BUILD.get(kept or "", weights), n_features=view.n_features)
    for row in _rows(view, Case(view.n_features, found, build), records, data):
        if kept is None:
            kind = "rankings" if form == "ranking" else form
            row["note"] = f"the store holds no {kind} of this selector"
        yield row


def _rows(view: View, case: Case, records: list[Measure], data: Data) -> Iterator[dict[str, Any]]:
    compared = groups_of(view, case.found)
    referred: list[Measure] = []
    if view.reference is not None:
        referred += [record for record in records if isinstance(record, PairMeasure)]
    others = [record for record in records if record not in referred]
    answers = _each_other(view, case, compared, others, data)
    answers |= _against_reference(view, case, compared, referred, data)
    remarks = _remarks(view, case, compared)
    for record in records:
        yield {
            "size": size_label(case.size),
            "measure": record.name,
            **answers[record.name].row(*remarks),
            "against": "reference" if record in referred else "each other",
            "n": sum(map(len, compared)) or len(view.counted(case.found)),
        }


def groups_of(view: View, found: dict[int, Any]) -> list[list[int]]:
    """Return the resamples that are compared with each other, those of one outer number or all."""
    compared: dict[int | None, list[int]] = defaultdict(list)
    for number in view.counted(found):
        compared[view.parts[number].outer].append(number)
    return [group for group in compared.values() if len(group) > 1]


def _each_other(
    view: View, case: Case, compared: list[list[int]], records: list[Measure], data: Data
) -> dict[str, Answer]:
    if not compared:
        return none(records, FEW)
    tables = [measured(records, case.system(group), data) for group in compared]
    if not view.grouped:
        return tables[0]
    return {
        record.name: across(record, [table[record.name] for table in tables]) for record in records
    }


def _against_reference(
    view: View, case: Case, compared: list[list[int]], records: list[Measure], data: Data
) -> dict[str, Answer]:
    if not compared:
        return none(records, FEW)
    if view.reference is None or view.reference not in case.found:
        return none(records, "the result on all data, the reference, is not there")
    system = case.system([number for group in compared for number in group])
    return measured(records, system, data, case.system([view.reference]))


def _remarks(view: View, case: Case, compared: list[list[int]]) -> list[str]:
    """Say what a reader of the numbers must know about the preferences behind them."""
    remarks = []
    numbers = [number for group in compared for number in group]
    sizes = [len(case.found[number]) for number in numbers]
    if numbers and case.size == OWN:
        spread = f"standard deviation {np.std(sizes, ddof=1):.1f}, {min(sizes)} to {max(sizes)}"
        remarks.append(f"own sizes: mean {np.mean(sizes):.1f}, {spread}")
    elif (short := fewer(case.size, sizes)) is not None:  # as many groups as there are
        remarks.append(short.remark)
    if any(view.parts[number].n_offered is not None for number in numbers):
        remarks.append(
            "resamples offered only some features each: a perfect selector stays below the best"
        )
    return remarks
