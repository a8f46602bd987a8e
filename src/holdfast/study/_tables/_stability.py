"""The table of stability, one row per selector, size and measure, and the summary of a study."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from holdfast._formatting import format_list
from holdfast._typing import AnyArray
from holdfast.errors import HoldfastError, InvalidInputError, UndefinedMeasureWarning
from holdfast.io import Dataset
from holdfast.judge import (
    DEFAULT_PROFILE_MEASURES,
    FEW_PREFERENCES_NOTE,
    MAX_KNOT_SHARE,
    MeasuredValue,
    SelectorSimilarity,
    StabilityProfile,
    StandIns,
    average_over_groups,
    check_profile_measures,
    check_profile_sizes,
    find_knot,
    find_shortfall,
    knots_table,
    make_measured_value,
    profile_rows,
    profile_sizes,
    selector_similarity,
    shrunken_effects,
)
from holdfast.judge import PROFILE_COLUMNS as COLUMNS_PROFILES
from holdfast.judge import stand_ins as find_stand_ins
from holdfast.measures import Measure, PairMeasure, estimate_all, get_measure
from holdfast.preferences import Preferences
from holdfast.study._storage._reader import (
    OWN_SIZE,
    StudyPreferences,
    StudyReader,
    cut,
    groups,
    rankings,
    size_label,
    subsets,
    weights,
)

STABILITY_COLUMNS = [
    *("selector", "size", "measure", "value", "low", "high", "interval"),
    *("chance", "against", "note", "n"),
]
STORED_FORMS: dict[str, tuple[str, ...]] = {
    "ranking": ("ranks", "weights"),
    "weights": ("weights",),
}
"""Stored forms that provide each form that measures of all features need, best first."""
BUILDERS: dict[str, Callable[..., Preferences]] = {"ranks": rankings, "weights": weights}


SIZED_FORMS: dict[
    str, tuple[Callable[[StudyReader, int], dict[int, Any]], Callable[..., Preferences]]
] = {
    "subset": (StudyReader.selected_features, subsets),
    "groups": (StudyReader.feature_groups, groups),
}
"""For each form that depends on the size: how rows are read, and how they are joined."""


@dataclass(frozen=True, slots=True)
class SelectorPreferences:
    """The preferences of one selector at one size, by resample, and how to join them."""

    size: int
    rows: dict[int, Any]
    build: Callable[[list[Any]], Preferences]

    def system(self, numbers: Sequence[int]) -> Callable[[], Preferences]:
        """Return a function that builds the preferences of these resamples."""
        return lambda: self.build([self.rows[i] for i in numbers])


def stability_table(reader: StudyReader, data: LazyDataset) -> pd.DataFrame:
    """Compute all measures of the plan."""
    records = [get_measure(name) for name in reader.plan["measures"]]
    rows = [
        {"selector": name, **row}
        for selector, name in enumerate(reader.selectors)
        for row in _measure_selector(reader, selector, records, data)
    ]
    return pd.DataFrame(rows, columns=STABILITY_COLUMNS)


def _measure_selector(
    reader: StudyReader, selector: int, records: Sequence[Measure], data: LazyDataset
) -> Iterator[dict[str, Any]]:
    forms: dict[str, list[Measure]] = defaultdict(list)
    for record in records:
        forms[record.form].append(record)
    for form in (*SIZED_FORMS, *STORED_FORMS):
        if form in forms:
            measure = _measure_sizes if form in SIZED_FORMS else _measure_all_features
            yield from measure(reader, selector, form, forms[form], data)


def _measure_sizes(
    reader: StudyReader, selector: int, form: str, records: list[Measure], data: LazyDataset
) -> Iterator[dict[str, Any]]:
    """Measure the best features, or the best groups of features, of each size."""
    read_rows, join = SIZED_FORMS[form]
    all_rows, build = read_rows(reader, selector), partial(join, n_features=reader.n_features)
    for size in reader.sizes(selector):
        rows = dict(zip(all_rows, cut(list(all_rows.values()), size), strict=True))
        yield from _measure_rows(reader, SelectorPreferences(size, rows, build), records, data)


def _measure_all_features(
    reader: StudyReader, selector: int, form: str, records: list[Measure], data: LazyDataset
) -> Iterator[dict[str, Any]]:
    """Measure rankings or weights of all features, if they are stored."""
    stored = reader.first_stored_form(selector, STORED_FORMS[form])
    rows = {} if stored is None else dict(reader.stored_data(selector, stored))
    build = partial(BUILDERS.get(stored or "", weights), n_features=reader.n_features)
    for row in _measure_rows(
        reader, SelectorPreferences(reader.n_features, rows, build), records, data
    ):
        if stored is None:
            kind = "rankings" if form == "ranking" else form
            row["note"] = f"the store holds no {kind} of this selector"
        yield row


def _measure_rows(
    reader: StudyReader, case: SelectorPreferences, records: list[Measure], data: LazyDataset
) -> Iterator[dict[str, Any]]:
    compared = compared_groups(reader, case.rows)
    against_reference: list[Measure] = []
    if reader.reference is not None:
        against_reference += [record for record in records if isinstance(record, PairMeasure)]
    others = [record for record in records if record not in against_reference]
    values = _measure_each_other(reader, case, compared, others, data)
    values |= _measure_against_reference(reader, case, compared, against_reference, data)
    notes = _preference_notes(reader, case, compared)
    for record in records:
        yield {
            "size": size_label(case.size),
            "measure": record.name,
            **values[record.name].row(*notes),
            "against": "reference" if record in against_reference else "each other",
            "n": sum(map(len, compared)) or len(reader.compared(case.rows)),
        }


def compared_groups(reader: StudyReader, rows: dict[int, Any]) -> list[list[int]]:
    """Return the resamples that are compared with each other: all, or those of an outer one."""
    compared: dict[int | None, list[int]] = defaultdict(list)
    for number in reader.compared(rows):
        compared[reader.resamples[number].outer].append(number)
    return [group for group in compared.values() if len(group) > 1]


def _measure_each_other(
    reader: StudyReader,
    case: SelectorPreferences,
    compared: list[list[int]],
    records: list[Measure],
    data: LazyDataset,
) -> dict[str, MeasuredValue]:
    if not compared:
        return no_values(records, FEW_PREFERENCES_NOTE)
    tables = [measure_all(records, case.system(group), data) for group in compared]
    if not reader.is_grouped:
        return tables[0]
    return {
        record.name: average_over_groups(record, [table[record.name] for table in tables])
        for record in records
    }


def _measure_against_reference(
    reader: StudyReader,
    case: SelectorPreferences,
    compared: list[list[int]],
    records: list[Measure],
    data: LazyDataset,
) -> dict[str, MeasuredValue]:
    if not compared:
        return no_values(records, FEW_PREFERENCES_NOTE)
    if reader.reference is None or reader.reference not in case.rows:
        return no_values(records, "the reference, the result on all data, is missing")
    system = case.system([number for group in compared for number in group])
    return measure_all(records, system, data, case.system([reader.reference]))


def _preference_notes(
    reader: StudyReader, case: SelectorPreferences, compared: list[list[int]]
) -> list[str]:
    """Return notes on the preferences behind the numbers."""
    notes = []
    numbers = [number for group in compared for number in group]
    sizes = [len(case.rows[number]) for number in numbers]
    if numbers and case.size == OWN_SIZE:
        spread = f"standard deviation {np.std(sizes, ddof=1):.1f}, {min(sizes)} to {max(sizes)}"
        notes.append(f"own sizes: mean {np.mean(sizes):.1f}, {spread}")
    elif (shortfall := find_shortfall(case.size, sizes)) is not None:
        notes.append(shortfall.remark)  # there may be fewer groups than requested
    if any(reader.resamples[number].n_offered is not None for number in numbers):
        notes.append(
            "each resample offered only some features: even perfect selectors stay below the best"
        )
    return notes


# Measures of preferences: each returns a number, or a note why there is none.


class LazyDataset:
    """The data of a study, loaded when they are first needed."""

    def __init__(self, source: Callable[[], Dataset | None] | None) -> None:
        self._source = source

    @cached_property
    def dataset(self) -> Dataset | None:
        """The data; None if they are not available."""
        return None if self._source is None else self._source()

    @property
    def matrix(self) -> AnyArray | None:
        """The matrix as an array; None if it is not available."""
        return None if self.dataset is None else self.dataset.dense_matrix()


def no_values(records: Sequence[Measure], why: str) -> dict[str, MeasuredValue]:
    """Return missing values with a note."""
    return {record.name: MeasuredValue(note=why) for record in records}


def measure_all(
    records: Sequence[Measure],
    system: Callable[[], Preferences],
    data: LazyDataset,
    reference: Callable[[], Preferences] | None = None,
) -> dict[str, MeasuredValue]:
    """Measure preferences against each other or against a reference."""
    with_data = [record for record in records if record.needs & {"similarity", "data"}]
    without_data = [record for record in records if record not in with_data]
    try:
        preferences = system()
        reference_preferences = None if reference is None else reference()
    except HoldfastError as error:
        return no_values(records, str(error))
    values = _estimate_all(without_data, preferences, reference_preferences, {})
    if not with_data:
        return values
    try:
        matrix = data.matrix
    except HoldfastError as error:  # sparse data too large to be dense
        return values | no_values(with_data, str(error))
    if matrix is None:
        return values | no_values(with_data, "needs the data, which are not available")
    options = {"data": matrix}
    return values | _estimate_all(with_data, preferences, reference_preferences, options)


def _estimate_all(
    records: Sequence[Measure],
    preferences: Preferences,
    reference: Preferences | None,
    options: dict[str, Any],
) -> dict[str, MeasuredValue]:
    """Compute all measures at once, as they share work; one by one if any of them fails."""
    if not records:
        return {}
    try:
        with warnings.catch_warnings():  # the notes report it
            warnings.simplefilter("ignore", UndefinedMeasureWarning)
            estimates = estimate_all(list(records), preferences, "warn", reference, options)
    except HoldfastError as error:
        if len(records) == 1:
            return no_values(records, str(error))
        singles = [_estimate_all([record], preferences, reference, options) for record in records]
        return {name: value for values in singles for name, value in values.items()}
    return {r.name: make_measured_value(r, e) for r, e in zip(records, estimates, strict=True)}


# Profiles, similarity of selectors, stand-ins and effects.


def profile(
    reader: StudyReader,
    *,
    sizes: Iterable[int] | None = None,
    measures: str | Iterable[str] = DEFAULT_PROFILE_MEASURES,
    selectors: Sequence[str] | None = None,
    max_knot_share: float = MAX_KNOT_SHARE,
) -> StabilityProfile:
    """Measure stability against size, within groups of resamples as in the table of stability."""
    names = check_profile_measures(measures)
    points: Sequence[int] = (
        profile_sizes(reader.depth, reader.plan["sizes"])
        if sizes is None
        else check_profile_sizes(sorted(set(sizes)), reader.depth)
    )
    selectors = reader.selectors if selectors is None else selectors
    numbers = {name: reader.selector_index(name) for name in selectors}
    ranked = {name: i for name, i in numbers.items() if reader.sizes(i) != [OWN_SIZE]}
    rows, knots = [], {}
    for name, selector in ranked.items():
        lists, groups = _get_compared_rows(reader, reader.selected_features(selector))
        within = groups if reader.is_grouped or not groups else None
        known = [size for size in points if size <= min(map(len, lists), default=reader.depth)]
        values = profile_rows(lists, reader.n_features, known, names, within)
        rows += [{"selector": name, **row} for row in values]
        knots[name] = find_knot(lists, reader.n_features, groups=groups, max_share=max_knot_share)
    return StabilityProfile(
        table=pd.DataFrame(rows, columns=COLUMNS_PROFILES),
        knots=knots_table(knots),
        measures=names,
        left_out=tuple(name for name in selectors if name not in ranked),
        max_knot_share=max_knot_share,
    )


def _get_compared_rows(
    reader: StudyReader, rows: dict[int, Any]
) -> tuple[list[Any], list[list[int]]]:
    """Return the rows of compared resamples, and the positions of each compared group."""
    numbers = reader.compared(rows)
    positions = {number: position for position, number in enumerate(numbers)}
    groups = [[positions[number] for number in group] for group in compared_groups(reader, rows)]
    return [rows[number] for number in numbers], groups


def similarity(
    reader: StudyReader,
    *,
    size: int | None = None,
    measure: str = "phi",
    selectors: Sequence[str] | None = None,
) -> SelectorSimilarity:
    """Compare selectors on the resamples that are done for all of them."""
    features = {
        name: reader.selected_features(reader.selector_index(name))
        for name in (reader.selectors if selectors is None else selectors)
    }
    done = {name: rows for name, rows in features.items() if reader.compared(rows)}
    compared = [set(reader.compared(rows)) for rows in done.values()]
    common = sorted(set.intersection(*compared)) if compared else []
    _, groups = _get_compared_rows(reader, dict.fromkeys(common))
    if not groups:
        raise InvalidInputError(
            "no two resamples are done for all selectors "
            f"({format_list(done) or 'none has begun'}); resume the study."
        )
    systems = {
        name: subsets(
            cut([rows[number] for number in common], _resolve_size(reader, name, size)),
            n_features=reader.n_features,
        )
        for name, rows in done.items()
    }
    return selector_similarity(systems, measure, groups=groups if reader.is_grouped else None)


def _resolve_size(reader: StudyReader, name: str, size: int | None) -> int:
    """Return the size of a selector: its own, or the requested one.

    By default the largest below the number of features, as all features are no selection.
    """
    sizes = reader.sizes(reader.selectors.index(name))
    if sizes == [OWN_SIZE] or size is None:
        return max((k for k in sizes if k < reader.n_features), default=sizes[-1])
    return int(check_profile_sizes([size], reader.depth)[0])


def stand_ins(
    reader: StudyReader,
    data: LazyDataset,
    selector: str,
    size: int | str | None = None,
    **options: Any,
) -> StandIns:
    """Find the stand-ins of often-selected features."""
    if data.matrix is None:
        raise InvalidInputError(
            "stand-ins need the data of the study, which are not available; put the file back "
            "in its place, or call holdfast.judge.stand_ins with the preferences and the data."
        )
    if size is None and selector in reader.selectors:
        size = size_label(reader.sizes(reader.selectors.index(selector))[-1])
    selected = StudyPreferences(reader)[selector, size or OWN_SIZE]
    _, groups = _get_compared_rows(
        reader, reader.selected_features(reader.selectors.index(selector))
    )
    if not groups:
        raise InvalidInputError(f"{selector}: fewer than 2 resamples are done; resume the study.")
    return find_stand_ins(
        selected, data.matrix, groups=groups if reader.is_grouped else None, **options
    )


def effects(reader: StudyReader, data: LazyDataset) -> pd.DataFrame:
    """Estimate the effect size of each feature, corrected for the selection."""
    dataset = data.dataset
    if dataset is None or reader.is_drawn:
        raise InvalidInputError(
            "effects need the data of the study, which are not available; put the file back in its "
            "place, or call holdfast.judge.shrunken_effects with the data."
        )
    X = dataset.dense_matrix()
    table = shrunken_effects(X, dataset.codes, dataset.classes, groups=dataset.groups)
    table.insert(0, "feature", pd.Series(list(dataset.feature_names), dtype=object))
    return table


# The summary: replication, stability and the lowest error of each selector and size.

REPLICATION_NAMES = {
    "value": "replication",
    "low": "replication_low",
    "high": "replication_high",
    "chance": "replication_chance",
    "n_samples": "replication_n",
    "predicted": "predicted",
    "predicted_low": "predicted_low",
    "predicted_high": "predicted_high",
}
"""Columns of the table of replication stability, and their names in the summary."""
SUMMARY_COLUMNS = [
    *("selector", "size", "selected", "selected_sd", "measure"),
    *REPLICATION_NAMES.values(),
    *("stability", "low", "high", "chance"),
    *("classifier", "error", "standard_error"),
]


def main_measure(measures: list[str]) -> str | None:
    """Return the measure of the summary: the first that depends on the size; None if none."""
    names = [get_measure(name).name for name in measures]
    by_size = [name for name in names if get_measure(name).by_size]
    return next(iter(by_size or names), None)


def summary_keys(measure: str | None) -> list[str]:
    """Return the columns that identify the stability of a measure in its table."""
    if measure is not None and not get_measure(measure).by_size:
        return ["selector"]  # measured once, on all features
    return ["selector", "size"]


def summary_cells(reader: StudyReader) -> list[dict[str, Any]]:
    """Return each selector and size with mean and deviation of the number of selected features."""
    cells = []
    for selector, name in enumerate(reader.selectors):
        features = reader.selected_features(selector)
        rows = [features[i] for i in reader.compared(features)]
        for size in reader.sizes(selector):
            counts = pd.Series([len(row) for row in cut(rows, size)], dtype=float)
            stats = {"selected": counts.mean(), "selected_sd": counts.std()}
            cells.append({"selector": name, "size": size_label(size), **stats})
    return cells


def summary_table(
    cells: list[dict[str, Any]],
    measure: str | None,
    replication: pd.DataFrame,
    stability: pd.DataFrame,
    errors: pd.DataFrame,
) -> pd.DataFrame:
    """Join replication, stability and the lowest error of each selector and size."""
    table = pd.DataFrame(cells, columns=["selector", "size", "selected", "selected_sd"])
    keys = summary_keys(measure)
    table = table.merge(_replication_part(replication, measure, keys), on=keys, how="left")
    table = table.merge(_stability_part(stability, measure, keys), on=keys, how="left")
    known = errors.dropna(subset="error")
    best = known.sort_values("error", kind="stable").drop_duplicates(["selector", "size"])
    columns = ["selector", "size", "classifier", "error", "standard_error"]
    return table.merge(best[columns], on=["selector", "size"], how="left")[SUMMARY_COLUMNS]


def _replication_part(table: pd.DataFrame, measure: str | None, keys: list[str]) -> pd.DataFrame:
    """Return the replication stability by one measure, as floats."""
    chosen = table[table["measure"] == measure].rename(columns=REPLICATION_NAMES)
    return chosen[[*keys, *REPLICATION_NAMES.values()]].astype(
        dict.fromkeys(REPLICATION_NAMES.values(), float)
    )


def _stability_part(table: pd.DataFrame, measure: str | None, keys: list[str]) -> pd.DataFrame:
    """Return the stability over the resamples by one measure."""
    chosen = table[table["measure"] == measure].rename(columns={"value": "stability"})
    return chosen[[*keys, "measure", "stability", "low", "high", "chance"]]
