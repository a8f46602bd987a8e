"""What a new study would find: replication stability, cohorts, chances of single features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import plural
from holdfast._typing import AnyArray, IndexArray
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.judge import (
    COHORT_PAIR_COLUMNS,
    MAX_PAIRS,
    SHUFFLE_COLUMNS,
    CohortComparison,
    Correction,
    DisjointDesign,
    ExpectedShare,
    FeatureChances,
    PairValues,
    Replication,
    SignedScores,
    chances_from_groups,
    chances_from_orders,
    chances_from_subsets,
    check_correction,
    cohort_pairs,
    compare_cohorts,
    compare_replication,
    correct_p_values,
    empty_feature_table,
    estimate_replication,
    expected_share_of_orders,
    has_short_orders,
    name_members,
    pair_chance,
    pair_similarities,
    selected_features,
    signed_scores_of,
)
from holdfast.measures import Measure, get_measure
from holdfast.preferences import Preferences
from holdfast.resample import FULL, cohort_places, left_out_note
from holdfast.study._planning._plan import COHORT_ROLES, DISJOINT_ROLES, REPLICATION, derive_seed
from holdfast.study._storage._reader import OWN_SIZE, FeatureGroup, StudyReader, cut, size_label
from holdfast.study._storage._store import SIGNED, to_floats
from holdfast.study._tables._stability import (
    BUILDERS,
    SIZED_FORMS,
    STORED_FORMS,
    LazyDataset,
    main_measure,
)

REPLICATION_COLUMNS = [
    *("selector", "size", "measure", "n_samples", "value", "low", "high", "chance"),
    "standard_error",
    *("n_pairs", "at", "predicted", "predicted_low", "predicted_high", "note"),
]
FLOAT_COLUMNS = (
    *("value", "low", "high", "chance", "standard_error"),
    *("predicted", "predicted_low", "predicted_high"),
)
COLUMN_TYPES = dict.fromkeys(FLOAT_COLUMNS, "float64") | dict.fromkeys(
    ("n_samples", "n_pairs", "at"), "Int64"
)
PREDICTION_COLUMNS = {
    "at": "n_samples",
    "predicted": "value",
    "predicted_low": "low",
    "predicted_high": "high",
}
"""Columns of the curve, by their names in the table, for studies as large as this one."""


def replication_table(
    reader: StudyReader, data: LazyDataset, measure: str | None = None
) -> pd.DataFrame:
    """Estimate replication stability for each selector, size and measure, or for one measure.

    Rows are cached, as several tables use them.
    """
    why = why_none(reader)
    rows = []
    for selector, size, record in candidate_measures(reader):
        if why or measure not in (None, record.name):
            continue
        key = selector, size, record.name
        if key not in reader.replication_rows:
            reader.replication_rows[key] = {
                "selector": reader.selectors[selector],
                "size": size_label(size),
                "measure": record.name,
                **_replication_row(reader, data, selector, size, record),
            }
        rows.append(reader.replication_rows[key])
    table = pd.DataFrame(rows, columns=REPLICATION_COLUMNS).astype(COLUMN_TYPES)
    table.attrs["why_none"] = why
    return table


def candidate_measures(reader: StudyReader) -> Iterator[tuple[int, int, Measure]]:
    """Yield each selector, size and measure; the size is all features for some measures."""
    for selector in range(len(reader.selectors)):
        for record in map(get_measure, reader.plan["measures"]):
            for size in reader.sizes(selector) if record.by_size else [reader.n_features]:
                yield selector, size, record


def replication_of_candidate(
    reader: StudyReader,
    data: LazyDataset,
    selector: int,
    size: int,
    record: Measure,
    *,
    with_chances: bool = True,
) -> Replication:
    """Estimate the replication stability of a selector at a size by one measure.

    Without the chances of the features, which take longer, the numbers are the same.
    """
    values = read_pair_values(reader, data, selector, size, record)
    if not np.isfinite(values.halves).any():
        raise InvalidInputError(_why_no_value(reader, selector, record))
    options: dict[str, Any] = {"chances": f"{record.name} compares all features"}
    if record.by_size and not with_chances and not has_own_lists(reader, selector, size):
        options = {"expected": _expected_share(reader, selector, size)}
    elif record.by_size:
        options = {"chances": feature_chances(reader, selector, size)}
    return estimate_replication(
        values,
        measure=record.name,
        size=None if record.by_size and has_own_lists(reader, selector, size) else size,
        n_features=reader.n_features,
        **options,
    )


def has_own_lists(reader: StudyReader, selector: int, size: int) -> bool:
    """Return whether the number of features depends on the selector, on some disjoint part.

    It is cached, as all measures use it.
    """
    if size == OWN_SIZE or reader.has_groups(reader.selectors[selector]):
        return size == OWN_SIZE
    key = selector, size
    if key not in reader.short_lists:
        rows = _filter_by_role(reader, reader.selected_features(selector), CHANCE_ROLES)
        reader.short_lists[key] = has_short_orders(rows, size)
    return reader.short_lists[key]


def replication_of(
    reader: StudyReader,
    data: LazyDataset,
    selector: str,
    size: int | str | None,
    measure: str | None,
) -> Replication:
    """Estimate replication stability by name of the selector and measure."""
    if why := why_none(reader):
        raise InvalidInputError(
            f"the study has no replication stability: {why}. Request it by replication=30, or "
            "call holdfast.judge.replication."
        )
    return replication_of_candidate(
        reader, data, *resolve_candidate(reader, selector, size, measure)
    )


def resolve_candidate(
    reader: StudyReader, selector: str, size: int | str | None, measure: str | None
) -> tuple[int, int, Measure]:
    """Return selector, size and measure; by default the largest size and the main measure."""
    number = reader.selector_index(selector)
    record = get_measure(measure or main_measure(reader.plan["measures"]) or "nogueira")
    sizes = reader.sizes(number)
    chosen = sizes[-1] if size is None or sizes == [OWN_SIZE] else int(size)
    return number, chosen if record.by_size else reader.n_features, record


def read_pair_values(
    reader: StudyReader, data: LazyDataset, selector: int, size: int, record: Measure
) -> PairValues:
    """Return the similarity of each two disjoint parts; NaN if one of them is missing.

    They are cached, as several tables use them.
    """
    key = selector, size, record.name
    cache: dict[tuple[int, int, str], PairValues] = reader.pair_values
    if key not in cache:
        cache[key] = _measure_pairs(reader, data, selector, size, record)
    return cache[key]


def _measure_pairs(
    reader: StudyReader, data: LazyDataset, selector: int, size: int, record: Measure
) -> PairValues:
    pairs = reader.replication_pairs
    rows, build = read_preferences(reader, selector, size, record, DISJOINT_ROLES)
    facts = reader.plan["data"]
    halves, parts, quarters = (
        pair_similarities(
            record,
            rows,
            indices,
            build,
            n_features=reader.n_features,
            data=matrix_for(record, data),
        )
        for indices in (pairs.halves, pairs.parts, pairs.quarters)
    )
    auxiliary = reader.plan.get("beside", {})
    units = int(auxiliary.get("units") or facts["subjects"] or facts["n_samples"])
    noun = "sample" if facts["subjects"] is None else "subject"
    return PairValues(
        halves=halves,
        parts=parts,
        quarters=quarters,
        n_units=units,
        chance=pair_chance(record, rows, pairs.halves, n_features=reader.n_features),
        why=_describe_failures(reader, selector),
        classes_left_out=left_out_note(auxiliary.get("left_out", {}), noun),
        design=str(auxiliary.get("sha256", "")),
    )


def read_preferences(
    reader: StudyReader, selector: int, size: int, record: Measure, roles: Sequence[str]
) -> tuple[dict[int, Any], Callable[[list[Any]], Preferences]]:
    """Return the preferences on resamples of these roles, and the function that joins them."""
    if record.form in SIZED_FORMS:
        read_rows, join = SIZED_FORMS[record.form]
        rows = _filter_by_role(reader, read_rows(reader, selector), roles)
        sized = dict(zip(rows, cut(list(rows.values()), size), strict=True))
        return sized, partial(join, n_features=reader.n_features)
    form = reader.first_stored_form(selector, STORED_FORMS[record.form])
    rows = {} if form is None else dict(reader.stored_data(selector, form))
    return _filter_by_role(reader, rows, roles), partial(
        BUILDERS.get(form or "", BUILDERS["weights"]), n_features=reader.n_features
    )


def _filter_by_role(
    reader: StudyReader, rows: dict[int, Any], roles: Sequence[str]
) -> dict[int, Any]:
    return {number: row for number, row in rows.items() if reader.resamples[number].role in roles}


def matrix_for(record: Measure, data: LazyDataset) -> AnyArray | None:
    """Return the data if a measure needs them; else None."""
    if not record.needs & {"similarity", "data"}:
        return None
    if data.matrix is None:
        raise InvalidInputError(f"{record.name} needs the data, which are not available.")
    return data.matrix


def _why_no_value(reader: StudyReader, selector: int, record: Measure) -> str:
    """Return why no pair has a value."""
    if (
        record.form in STORED_FORMS
        and reader.first_stored_form(selector, STORED_FORMS[record.form]) is None
    ):
        kind = "rankings" if record.form == "ranking" else record.form
        return f"the store holds no {kind} of this selector"
    if why := _describe_failures(reader, selector):
        return f"the selector fails on parts of the data: {why}"
    return f"{record.name} has no value on any two halves"


def _replication_row(
    reader: StudyReader, data: LazyDataset, selector: int, size: int, record: Measure
) -> dict[str, Any]:
    try:
        estimate = replication_of_candidate(
            reader, data, selector, size, record, with_chances=False
        )
    except InvalidInputError as error:
        return {"note": str(error)}
    fields = ("n_samples", "value", "low", "high", "chance", "standard_error", "n_pairs", "note")
    row = {name: getattr(estimate, name) for name in fields}
    predicted = estimate.curve[estimate.curve["kind"] == "predicted"].to_dict("records")
    return row | {
        ours: predicted[0][theirs] for ours, theirs in PREDICTION_COLUMNS.items() if predicted
    }


def _describe_failures(reader: StudyReader, selector: int) -> str:
    """Count the disjoint parts on which a selector failed, with the first message."""
    rows = reader.query_units(
        "SELECT message FROM units JOIN resamples USING (resample) WHERE selector = ? "
        f"AND status = 'failed' AND role IN {DISJOINT_ROLES} ORDER BY resample",
        (selector,),
    )
    return f"{plural(len(rows), 'fit')} failed: {rows[0][0]}" if rows else ""


# The table of cohorts: how well their selections agree.

COLUMNS_COHORTS = ["selector", "size", "measure", *COHORT_PAIR_COLUMNS, *SHUFFLE_COLUMNS, "note"]


def cohorts_table(reader: StudyReader, data: LazyDataset) -> pd.DataFrame:
    """Compare each two cohorts by each measure, for each selector and size."""
    parts = [
        _cohort_pairs_table(reader, data, cell).assign(
            selector=reader.selectors[cell[0]], size=size_label(cell[1]), measure=cell[2].name
        )
        for cell in candidate_measures(reader)
        if has_cohorts(reader)
    ]
    if not parts:
        return pd.DataFrame(columns=COLUMNS_COHORTS)
    return pd.concat(parts, ignore_index=True)[COLUMNS_COHORTS]


def _cohort_pairs_table(
    reader: StudyReader, data: LazyDataset, cell: tuple[int, int, Measure]
) -> pd.DataFrame:
    try:
        return _compare_cohorts(reader, data, *cell).pairs.assign(note="")
    except InvalidInputError as error:
        return pd.DataFrame({"note": [str(error)]}).reindex(
            columns=[*COHORT_PAIR_COLUMNS, *SHUFFLE_COLUMNS, "note"]
        )


def has_cohorts(reader: StudyReader) -> bool:
    """Return whether the study compares cohorts."""
    return any(part.role in COHORT_ROLES for part in reader.resamples.values())


def cohorts_of(
    reader: StudyReader,
    data: LazyDataset,
    selector: str,
    size: int | str | None,
    measure: str | None,
) -> CohortComparison:
    """Compare cohorts by one selector, at one size, by one measure."""
    if not has_cohorts(reader):
        raise InvalidInputError(
            "the study has no cohorts; name their column by --cohort, or pass cohorts= to "
            "Study.run."
        )
    return _compare_cohorts(reader, data, *resolve_candidate(reader, selector, size, measure))


def _compare_cohorts(
    reader: StudyReader, data: LazyDataset, selector: int, size: int, record: Measure
) -> CohortComparison:
    rows, build = read_preferences(reader, selector, size, record, COHORT_ROLES)
    places = cohort_places({number: reader.resamples[number] for number in rows})
    names = reader.plan["beside"]["cohorts"]
    if places.shape != (len(places), len(names)) or len(places) < 2:
        raise InvalidInputError(
            f"{reader.selectors[selector]} lacks a result in a cohort, or in all shuffles; "
            "resume the study."
        )
    values = pair_similarities(
        record,
        rows,
        cohort_pairs(places),
        build,
        n_features=reader.n_features,
        data=matrix_for(record, data),
    )
    selected = None
    if record.by_size:  # rows of groups are lists: their members count as selected
        selected = [
            [
                selected_features(
                    [group.members for group in row] if isinstance(row, list) else row
                )
                for row in (rows[position] for position in positions)
            ]
            for positions in places.tolist()
        ]
    return compare_cohorts(
        values,
        names=names,
        sizes=[reader.resamples[position].n_train for position in places[0].tolist()],
        measure=record.name,
        selected=selected,
        feature_names=reader.feature_names.tolist(),
    )


# Tests of replication stability between selectors.

COLUMNS_COMPARED_REPLICATION = [
    *("selector_a", "selector_b", "size", "measure", "n_samples"),
    *("replication_a", "replication_b", "difference", "low", "high"),
    *("standard_error", "p_value", "p_corrected"),
]


def compared_replication(
    reader: StudyReader,
    data: LazyDataset,
    *,
    size: int | None,
    measure: str | None,
    correction: Correction,
) -> pd.DataFrame:
    """Compare the replication stability of all pairs of selectors at a size."""
    check_correction(correction)
    estimates: dict[str, Replication] = {}
    reasons = []
    for name in reader.selectors:
        try:
            estimates[name] = replication_of(reader, data, name, size, measure)
        except InvalidInputError as error:
            reasons.append(str(error))
    if not estimates:
        raise InvalidInputError(next(iter(reasons), "the study has no selector."))
    rows = []
    for first, second in combinations(estimates, 2):
        comparison = compare_replication(estimates[first], estimates[second])
        sizes = dict.fromkeys(str(estimates[name].size or "own") for name in (first, second))
        rows.append(
            {
                "selector_a": first,
                "selector_b": second,
                "size": ", ".join(sizes),
                "measure": comparison.measure,
                "n_samples": comparison.n_samples,
                "replication_a": comparison.first,
                "replication_b": comparison.second,
                "difference": comparison.difference,
                "low": comparison.low,
                "high": comparison.high,
                "standard_error": comparison.standard_error,
                "p_value": comparison.p_value,
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS_COMPARED_REPLICATION[:-1])
    p_values = table["p_value"].to_numpy(dtype=np.float64)
    return table.assign(p_corrected=correct_p_values(p_values, correction))


# The chance of each feature to be found again, by selector and size.

CHANCE_ROLES = (*DISJOINT_ROLES, FULL)
"""Roles of the resamples that chances are estimated from."""
NOT_REQUESTED = "it was not asked for"
EARLIER_VERSION = (
    "the study was begun by an earlier version, which did not run selectors on the full data"
)


def why_none(reader: StudyReader) -> str:
    """Return why there is no replication stability; empty if there is."""
    if any(part.role in DISJOINT_ROLES for part in reader.resamples.values()):
        return ""
    return str(reader.plan.get("beside", {}).get("why_none") or NOT_REQUESTED)


def feature_chances(reader: StudyReader, selector: int, size: int) -> FeatureChances | str:
    """Return the chances of all features of a selector at a size, or why they are unknown.

    They are cached, as several tables use them.
    """
    cache: dict[tuple[int, int], FeatureChances | str] = reader.feature_chances
    if (selector, size) not in cache:
        cache[selector, size] = _estimate_chances(reader, selector, size)
    return cache[selector, size]


def _estimate_chances(reader: StudyReader, selector: int, size: int) -> FeatureChances | str:
    if why := _why_no_chances(reader):
        return why
    names = [str(name) for name in reader.feature_names]
    design = _disjoint_design(reader, selector)
    members = None
    try:
        if reader.has_groups(reader.selectors[selector]):
            groups = _filter_by_role(reader, reader.feature_groups(selector), CHANCE_ROLES)
            selected = {i: _SelectedGroups.from_rows(rows, size) for i, rows in groups.items()}
            chances, groups_on_full_data = chances_from_groups(selected, design)
            members = name_members(names, groups_on_full_data)
        elif size == OWN_SIZE:
            rows = _filter_by_role(reader, reader.selected_features(selector), CHANCE_ROLES)
            chances = chances_from_subsets(rows, design)
        else:
            rows = _filter_by_role(reader, reader.selected_features(selector), CHANCE_ROLES)
            expected = _expected_share(reader, selector, size)
            chances = chances_from_orders(rows, design, size=size, expected=expected)
    except InvalidInputError as error:
        return str(error)
    return FeatureChances(names=names, found=chances, n_units=design.n_units, members=members)


def _expected_share(reader: StudyReader, selector: int, size: int) -> ExpectedShare | None:
    """Return the expected share of the list of a selector of features; None if unknown.

    It is cached, as all measures and the chances use it.
    """
    key = selector, size
    cache: dict[tuple[int, int], ExpectedShare | None] = reader.expected_shares
    if key not in cache:
        cache[key] = _estimate_share(reader, selector, size)
    return cache[key]


def _estimate_share(reader: StudyReader, selector: int, size: int) -> ExpectedShare | None:
    # chances of groups are about representatives, not about the features that the share counts
    if _why_no_chances(reader) or reader.has_groups(reader.selectors[selector]):
        return None
    rows = _filter_by_role(reader, reader.selected_features(selector), CHANCE_ROLES)
    if has_short_orders(rows, size):
        return None  # the chances are then those of subsets
    scores = _signed_scores(reader, selector)
    try:
        return expected_share_of_orders(
            rows, _disjoint_design(reader, selector), size=size, scores=scores
        )
    except InvalidInputError:  # the chances give the reason
        return None


def _why_no_chances(reader: StudyReader) -> str:
    """Return why no chances are known, of any selector; empty if they may be."""
    if why := why_none(reader):
        return why
    return "" if len(reader.replication_pairs.full) else EARLIER_VERSION


def _disjoint_design(reader: StudyReader, selector: int) -> DisjointDesign:
    facts, auxiliary = reader.plan["data"], reader.plan.get("beside", {})
    return DisjointDesign(
        pairs=reader.replication_pairs,
        n_features=reader.n_features,
        n_units=int(auxiliary.get("units") or facts["subjects"] or facts["n_samples"]),
        seed=derive_seed(reader.plan["seed"], REPLICATION, selector),
    )


def _signed_scores(reader: StudyReader, selector: int) -> SignedScores | None:
    """Read the t statistics of a selector that ranks by them; None if any is missing.

    Those of the last selector are cached, as all sizes use them.
    """
    cache: dict[int, SignedScores | None] = reader.signed_scores
    if selector not in cache:
        cache.clear()
        cache[selector] = _read_signed_scores(reader, selector)
    return cache[selector]


def _read_signed_scores(reader: StudyReader, selector: int) -> SignedScores | None:
    pairs = reader.replication_pairs
    stored = dict(reader.stored_data(selector, SIGNED))
    full, *halves = (
        to_floats(stored[number]) if number in stored else None
        for number in (pairs.full[0], *pairs.halves[:MAX_PAIRS].ravel())
    )
    return signed_scores_of(full, halves, int(reader.plan["data"]["n_samples"]))


class _SelectedGroups(NamedTuple):
    """Groups of features, best first, with the representative of each."""

    members: list[IndexArray]
    representatives: IndexArray

    @classmethod
    def from_rows(cls, rows: list[FeatureGroup], size: int) -> _SelectedGroups:
        """Take the first groups; all of them if the selector chooses their number."""
        groups = rows if size == OWN_SIZE else rows[:size]
        return cls(
            [np.asarray(group.members, dtype=np.intp) for group in groups],
            np.array([group.representative for group in groups], dtype=np.intp),
        )


# The table of features: the chance of each to be found again, by selector and size.

MIN_LISTED_CHANCE = 0.01
"""Smallest chance at which features that are not selected are listed; chosen by hand."""


def features_table(reader: StudyReader, selectors: Sequence[str] | None = None) -> pd.DataFrame:
    """List the features that are selected, or that another study may select."""
    tables, reasons = [], []
    for name in reader.selectors if selectors is None else selectors:
        selector = reader.selector_index(name)
        for size in reader.sizes(selector):
            chances = feature_chances(reader, selector, size)
            if isinstance(chances, str):
                reasons.append(chances)
                continue
            table = chances.table()
            listed = table["selected"] | (table["found_again"] >= MIN_LISTED_CHANCE)
            rows = table[listed]
            sizes = pd.Series([size_label(size)] * len(rows), rows.index, dtype=object)
            rows.insert(0, "selector", name)
            rows.insert(1, "size", sizes)
            tables.append(rows)
    filled = [table for table in tables if len(table)]  # empty ones would change column types
    if filled:
        return pd.concat(filled, ignore_index=True)
    empty = empty_feature_table(next(iter(reasons), "nothing is done yet"))
    empty.insert(0, "selector", pd.Series(dtype=object))
    empty.insert(1, "size", pd.Series(dtype=object))
    return empty


def longest_lists(reader: StudyReader, share: float) -> pd.DataFrame:
    """Return the longest list of each selector of which this share is expected again."""
    check_positive_number(share, "found_again", 1.0)
    rows = []
    for selector, name in enumerate(reader.selectors):
        lists = []
        for size in reader.sizes(selector):
            chances = feature_chances(reader, selector, size)
            if not isinstance(chances, str):
                features = chances.longest_list(share)
                lists.append((len(features), size_label(size), features, chances))
        if not lists:
            continue
        count, best_size, features, chances = max(lists, key=lambda entry: entry[0])
        table = chances.table().set_index("feature")["found_again"]
        expected = float(table[features].mean()) if features else np.nan
        rows.append((name, best_size if features else None, count, expected, features))
    columns = ["selector", "size", "n_features", "expected_share", "features"]
    longest = pd.DataFrame(rows, columns=columns)
    longest["size"] = pd.Series([row[1] for row in rows], dtype=object)
    return longest
