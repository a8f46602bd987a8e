"""The table of stability: each selector, at each size, by each measure."""

from __future__ import annotations

import warnings
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._formatting import format_list
from holdfast.errors import HoldfastError, InvalidInputError, UndefinedMeasureWarning
from holdfast.judge import StabilityProfile, find_knot, selector_similarity, shrunken_effects
from holdfast.judge import stand_ins as find_stand_ins
from holdfast.judge._measurement import (
    FEW_PREFERENCES_NOTE,
    MeasuredValue,
    answer_of,
    average_over_groups,
    find_shortfall,
)
from holdfast.judge._stability_profile import (
    MEASURES,
    checked_measures,
    checked_sizes,
    knots_table,
    profile_rows,
    profile_sizes,
)
from holdfast.judge._stability_profile import PROFILE_COLUMNS as COLUMNS_PROFILES
from holdfast.measures import get_measure
from holdfast.measures._measure import estimate_all
from holdfast.measures._pair_measures import PairMeasure
from holdfast.study._storage._reader import (
    OWN_SIZE,
    StudyPreferences,
    View,
    cut,
    groups,
    rankings,
    size_label,
    subsets,
    weights,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.judge import SelectorSimilarity, StandIns
    from holdfast.measures import Measure
    from holdfast.preferences import Preferences


STABILITY_COLUMNS = [
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
class SelectorPreferences:
    """The preferences of one selector at one size, by resample, and how to put them together."""

    size: int
    found: dict[int, Any]
    build: Callable[[list[Any]], Preferences]

    def system(self, numbers: Sequence[int]) -> Callable[[], Preferences]:
        """Return a way to build the preferences of these resamples."""
        return lambda: self.build([self.found[i] for i in numbers])


def stability_table(view: View, data: LazyDataset) -> pd.DataFrame:
    """Measure everything that the plan asks for."""
    records = [get_measure(name) for name in view.plan["measures"]]
    rows = [
        {"selector": name, **row}
        for selector, name in enumerate(view.selectors)
        for row in _of_selector(view, selector, records, data)
    ]
    return pd.DataFrame(rows, columns=STABILITY_COLUMNS)


def _of_selector(
    view: View, selector: int, records: Sequence[Measure], data: LazyDataset
) -> Iterator[dict[str, Any]]:
    forms: dict[str, list[Measure]] = defaultdict(list)
    for record in records:
        forms[record.form].append(record)
    for form in (*OF_SIZES, *KEPT):
        if form in forms:
            measure = _of_sizes if form in OF_SIZES else _of_all_features
            yield from measure(view, selector, form, forms[form], data)


def _of_sizes(
    view: View, selector: int, form: str, records: list[Measure], data: LazyDataset
) -> Iterator[dict[str, Any]]:
    """Measure the best features, or the best groups of features, of each size."""
    find, make = OF_SIZES[form]
    found, build = find(view, selector), partial(make, n_features=view.n_features)
    for size in view.sizes(selector):
        rows = dict(zip(found, cut(list(found.values()), size), strict=True))
        yield from _rows(view, SelectorPreferences(size, rows, build), records, data)


def _of_all_features(
    view: View, selector: int, form: str, records: list[Measure], data: LazyDataset
) -> Iterator[dict[str, Any]]:
    """Measure rankings or weights of all features, where they are kept."""
    kept = view.kept(selector, KEPT[form])
    found = {} if kept is None else dict(view.raw(selector, kept))
    build = partial(BUILD.get(kept or "", weights), n_features=view.n_features)
    for row in _rows(view, SelectorPreferences(view.n_features, found, build), records, data):
        if kept is None:
            kind = "rankings" if form == "ranking" else form
            row["note"] = f"the store holds no {kind} of this selector"
        yield row


def _rows(
    view: View, case: SelectorPreferences, records: list[Measure], data: LazyDataset
) -> Iterator[dict[str, Any]]:
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
    view: View,
    case: SelectorPreferences,
    compared: list[list[int]],
    records: list[Measure],
    data: LazyDataset,
) -> dict[str, MeasuredValue]:
    if not compared:
        return no_values(records, FEW_PREFERENCES_NOTE)
    tables = [measure_all(records, case.system(group), data) for group in compared]
    if not view.grouped:
        return tables[0]
    return {
        record.name: average_over_groups(record, [table[record.name] for table in tables])
        for record in records
    }


def _against_reference(
    view: View,
    case: SelectorPreferences,
    compared: list[list[int]],
    records: list[Measure],
    data: LazyDataset,
) -> dict[str, MeasuredValue]:
    if not compared:
        return no_values(records, FEW_PREFERENCES_NOTE)
    if view.reference is None or view.reference not in case.found:
        return no_values(records, "the result on all data, the reference, is not there")
    system = case.system([number for group in compared for number in group])
    return measure_all(records, system, data, case.system([view.reference]))


def _remarks(view: View, case: SelectorPreferences, compared: list[list[int]]) -> list[str]:
    """Say what a reader of the numbers must know about the preferences behind them."""
    remarks = []
    numbers = [number for group in compared for number in group]
    sizes = [len(case.found[number]) for number in numbers]
    if numbers and case.size == OWN_SIZE:
        spread = f"standard deviation {np.std(sizes, ddof=1):.1f}, {min(sizes)} to {max(sizes)}"
        remarks.append(f"own sizes: mean {np.mean(sizes):.1f}, {spread}")
    elif (short := find_shortfall(case.size, sizes)) is not None:  # as many groups as there are
        remarks.append(short.remark)
    if any(view.parts[number].n_offered is not None for number in numbers):
        remarks.append(
            "resamples offered only some features each: a perfect selector stays below the best"
        )
    return remarks


# Measures of one system of preferences, each with an answer: a number, or why there is none.


class LazyDataset:
    """The data, asked for at most once, and only by what needs them."""

    def __init__(self, source: Callable[[], Dataset | None] | None) -> None:
        self._source = source

    @cached_property
    def dataset(self) -> Dataset | None:
        """The data, None where they are not at hand."""
        return None if self._source is None else self._source()

    @property
    def matrix(self) -> NDArray[Any] | None:
        """The matrix, None where it is not at hand."""
        return None if self.dataset is None else self.dataset.X


def no_values(records: Sequence[Measure], why: str) -> dict[str, MeasuredValue]:
    """Answer that there is no value."""
    return {record.name: MeasuredValue(note=why) for record in records}


def measure_all(
    records: Sequence[Measure],
    system: Callable[[], Preferences],
    data: LazyDataset,
    reference: Callable[[], Preferences] | None = None,
) -> dict[str, MeasuredValue]:
    """Measure a system of preferences, against each other or against a reference."""
    hungry = [record for record in records if record.needs & {"similarity", "data"}]
    plain = [record for record in records if record not in hungry]
    try:
        held = system()
        other = None if reference is None else reference()
    except HoldfastError as error:
        return no_values(records, str(error))
    answers = _estimate_all(plain, held, other, {})
    if not hungry:
        return answers
    if data.matrix is None:
        return answers | no_values(hungry, "needs the data, which are not at hand")
    return answers | _estimate_all(hungry, held, other, {"data": data.matrix})


def _estimate_all(
    records: Sequence[Measure],
    preferences: Preferences,
    reference: Preferences | None,
    options: dict[str, Any],
) -> dict[str, MeasuredValue]:
    """Ask all measures at once, for they share work; one by one if one of them objects."""
    if not records:
        return {}
    try:
        with warnings.catch_warnings():  # the notes say it
            warnings.simplefilter("ignore", UndefinedMeasureWarning)
            estimates = estimate_all(list(records), preferences, "warn", reference, options)
    except HoldfastError as error:
        if len(records) == 1:
            return no_values(records, str(error))
        alone = [_estimate_all([record], preferences, reference, options) for record in records]
        return {name: answer for answers in alone for name, answer in answers.items()}
    return {r.name: answer_of(r, one) for r, one in zip(records, estimates, strict=True)}


# From a store to profiles, likeness of selectors, stand-ins and effects.


def profile(
    view: View,
    *,
    sizes: Iterable[int] | None = None,
    measures: str | Iterable[str] = MEASURES,
) -> StabilityProfile:
    """Measure stability against size within groups of resamples, as the table of stability does."""
    names = checked_measures(measures)
    asked = None if sizes is None else checked_sizes(sorted(set(sizes)), view.depth)
    points = profile_sizes(view.depth, view.plan["sizes"]) if asked is None else asked
    ranked = {n: i for i, n in enumerate(view.selectors) if view.sizes(i) != [OWN_SIZE]}
    rows, knots = [], {}
    for name, selector in ranked.items():
        lists, groups = _get_compared_rows(view, view.choices(selector))
        within = groups if view.grouped or not groups else None
        known = [size for size in points if size <= min(map(len, lists), default=view.depth)]
        values = profile_rows(lists, view.n_features, known, names, within)
        rows += [{"selector": name, **row} for row in values]
        knots[name] = find_knot(lists, view.n_features, groups=groups)
    return StabilityProfile(
        table=pd.DataFrame(rows, columns=COLUMNS_PROFILES),
        knots=knots_table(knots),
        measures=names,
        left_out=tuple(name for name in view.selectors if name not in ranked),
    )


def _get_compared_rows(view: View, found: dict[int, Any]) -> tuple[list[Any], list[list[int]]]:
    """Return what counts of what was found, and the places in it that are compared."""
    numbers = view.counted(found)
    place = {number: position for position, number in enumerate(numbers)}
    groups = [[place[number] for number in group] for group in groups_of(view, found)]
    return [found[number] for number in numbers], groups


def similarity(view: View, *, size: int | None = None, measure: str = "phi") -> SelectorSimilarity:
    """Compare selectors on the resamples that all of them have done."""
    found = {name: view.choices(i) for i, name in enumerate(view.selectors)}
    done = {name: rows for name, rows in found.items() if view.counted(rows)}
    common = _common(view, done)
    _, groups = _get_compared_rows(view, dict.fromkeys(common))
    if not groups:
        raise InvalidInputError(
            "no two resamples are done by all selectors "
            f"({format_list(done) or 'none has begun'}); resume the study."
        )
    systems = {
        name: subsets(
            cut([rows[number] for number in common], _size(view, name, size)),
            n_features=view.n_features,
        )
        for name, rows in done.items()
    }
    return selector_similarity(systems, measure, groups=groups if view.grouped else None)


def _common(view: View, done: dict[str, dict[int, Any]]) -> list[int]:
    """Return the resamples that count and that all selectors have done."""
    sets = [set(view.counted(rows)) for rows in done.values()]
    return sorted(set.intersection(*sets)) if sets else []


def _size(view: View, name: str, size: int | None) -> int:
    """Return the size asked of a selector: its own, or one for all.

    By default the largest below the number of features: with all of them nothing is selected.
    """
    sizes = view.sizes(view.selectors.index(name))
    if sizes == [OWN_SIZE] or size is None:
        return max((one for one in sizes if one < view.n_features), default=sizes[-1])
    return int(checked_sizes([size], view.depth)[0])


def stand_ins(
    view: View,
    data: LazyDataset,
    selector: str,
    size: int | str | None = None,
    **options: Any,
) -> StandIns:
    """Find the stand-ins of the features that a selector selects often."""
    if data.matrix is None:
        raise InvalidInputError(
            "stand-ins need the data of the study, and they are not at hand; put the file back "
            "where it was, or call holdfast.judge.stand_ins with the preferences and the data."
        )
    if size is None and selector in view.selectors:
        size = size_label(view.sizes(view.selectors.index(selector))[-1])
    selected = StudyPreferences(view)[selector, size or OWN_SIZE]
    _, groups = _get_compared_rows(view, view.choices(view.selectors.index(selector)))
    if not groups:
        raise InvalidInputError(f"{selector}: fewer than 2 resamples are done; resume the study.")
    return find_stand_ins(selected, data.matrix, groups=groups if view.grouped else None, **options)


def effects(view: View, data: LazyDataset) -> pd.DataFrame:
    """Estimate the effect size of each feature, corrected for the selection."""
    dataset = data.dataset
    if dataset is None or view.drawn:
        raise InvalidInputError(
            "effects need the data of the study, and there are none; put the file back where it "
            "was, or call holdfast.judge.shrunken_effects with the data."
        )
    table = shrunken_effects(dataset.X, dataset.codes, dataset.classes, groups=dataset.groups)
    table.insert(0, "feature", pd.Series(list(dataset.feature_names), dtype=object))
    return table
