"""The table of replication stability: what two independent studies would have in common."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from holdfast._formatting import plural
from holdfast.errors import InvalidInputError
from holdfast.judge import compare_replication
from holdfast.judge._replication._cohort_comparison import (
    EXPECTED,
    PAIRS,
    cohort_pairs,
    compare_cohorts,
)
from holdfast.judge._replication._cohorts import features_in
from holdfast.judge._replication._estimate import PairValues, estimate
from holdfast.judge._replication._pair_similarities import pair_chance, pair_similarities
from holdfast.judge._significance import check_correction, correct_p_values
from holdfast.measures import get_measure
from holdfast.resample import ReplicationPairs
from holdfast.resample._cohort_design import cohort_places
from holdfast.resample._replication_design import left_out_note
from holdfast.study._planning._plan import DISJOINT, OF_COHORTS
from holdfast.study._storage._reader import OWN_SIZE, FeatureGroup, cut, size_label
from holdfast.study._tables._feature_chances import feature_chances, why_none
from holdfast.study._tables._stability import BUILD, KEPT, OF_SIZES
from holdfast.study._tables._summary import chief_measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.judge import CohortComparison, Replication
    from holdfast.judge._replication._feature_chances import FeatureChances
    from holdfast.judge._significance import Correction
    from holdfast.measures import Measure
    from holdfast.preferences import Preferences
    from holdfast.study._storage._reader import View
    from holdfast.study._tables._stability import LazyDataset


REPLICATION_COLUMNS = [
    *("selector", "size", "measure", "n_samples", "value", "low", "high", "chance"),
    "standard_error",
    *("n_pairs", "at", "predicted", "predicted_low", "predicted_high", "note"),
]
NUMBERS = (
    *("value", "low", "high", "chance", "standard_error"),
    *("predicted", "predicted_low", "predicted_high"),
)
TYPES = dict.fromkeys(NUMBERS, "float64") | dict.fromkeys(("n_samples", "n_pairs", "at"), "Int64")
PREDICTED = {
    "at": "n_samples",
    "predicted": "value",
    "predicted_low": "low",
    "predicted_high": "high",
}
"""What the table calls the columns of a curve, at as many samples as the data have."""


def replication_table(view: View, data: LazyDataset) -> pd.DataFrame:
    """Estimate replication stability by each measure, for each selector and size."""
    why = why_none(view)
    rows = [
        {
            "selector": view.selectors[selector],
            "size": size_label(size),
            "measure": record.name,
            **_row(view, data, selector, size, record),
        }
        for selector, size, record in cells(view)
        if not why
    ]
    table = pd.DataFrame(rows, columns=REPLICATION_COLUMNS).astype(TYPES)
    table.attrs["why_none"] = why
    return table


def cells(view: View) -> Iterator[tuple[int, int, Measure]]:
    """Yield each selector at each size by each measure; the size is all features for some."""
    for selector in range(len(view.selectors)):
        for record in map(get_measure, view.plan["measures"]):
            for size in view.sizes(selector) if record.by_size else [view.n_features]:
                yield selector, size, record


def estimate_replication(
    view: View, data: LazyDataset, selector: int, size: int, record: Measure
) -> Replication:
    """Estimate the replication stability of a selector at a size by one measure."""
    values = values_on(view, data, selector, size, record)
    if not np.isfinite(values.halves).any():
        raise InvalidInputError(_nothing(view, selector, record))
    chances: FeatureChances | str = f"{record.name} compares all features"
    if record.by_size:
        chances = feature_chances(view, selector, size)
    return estimate(
        values,
        measure=record.name,
        size=None if size == OWN_SIZE else size,
        n_features=view.n_features,
        chances=chances,
    )


def replicated_of(
    view: View, data: LazyDataset, selector: str, size: int | str | None, measure: str | None
) -> Replication:
    """Find the selector, size and measure that are meant; refuse where there is no estimate."""
    if why := why_none(view):
        raise InvalidInputError(
            f"the study has no replication stability: {why}. Ask for it by replication=30, or "
            "call holdfast.judge.replication."
        )
    return estimate_replication(view, data, *asked_of(view, selector, size, measure))


def asked_of(
    view: View, selector: str, size: int | str | None, measure: str | None
) -> tuple[int, int, Measure]:
    """Return the selector, the size and the measure that are meant; the largest size if none is."""
    number = view.number(selector)
    record = get_measure(measure or chief_measure(view.plan["measures"]) or "nogueira")
    sizes = view.sizes(number)
    chosen = sizes[-1] if size is None or sizes == [OWN_SIZE] else int(size)
    return number, chosen if record.by_size else view.n_features, record


def values_on(
    view: View, data: LazyDataset, selector: int, size: int, record: Measure
) -> PairValues:
    """Return the similarity of each two disjoint parts; NaN where one of them is not there."""
    pairs = ReplicationPairs.of(list(view.parts.values()))
    found, build = found_on(view, selector, size, record, DISJOINT)
    facts = view.plan["data"]
    halves, parts, quarters = (
        pair_similarities(
            record, found, own, build, n_features=view.n_features, data=matrix_for(record, data)
        )
        for own in (pairs.halves, pairs.parts, pairs.quarters)
    )
    beside = view.plan.get("beside", {})
    units = int(beside.get("units") or facts["subjects"] or facts["n_samples"])
    noun = "sample" if facts["subjects"] is None else "subject"
    return PairValues(
        halves=halves,
        parts=parts,
        quarters=quarters,
        n_units=units,
        chance=pair_chance(record, found, pairs.halves, n_features=view.n_features),
        why=_failures(view, selector),
        classes_left_out=left_out_note(beside.get("left_out", {}), noun),
        design=str(beside.get("sha256", "")),
    )


def found_on(
    view: View, selector: int, size: int, record: Measure, roles: Sequence[str]
) -> tuple[dict[int, Any], Callable[[list[Any]], Preferences]]:
    """Return the preferences on resamples of these roles, and how to put them together."""
    if record.form in OF_SIZES:
        find, make = OF_SIZES[record.form]
        rows = _filter_by_role(view, find(view, selector), roles)
        found = dict(zip(rows, cut(list(rows.values()), size), strict=True))
        return found, partial(make, n_features=view.n_features)
    kept = view.kept(selector, KEPT[record.form])
    whole = {} if kept is None else dict(view.raw(selector, kept))
    return _filter_by_role(view, whole, roles), partial(
        BUILD.get(kept or "", BUILD["weights"]), n_features=view.n_features
    )


def _filter_by_role(view: View, found: dict[int, Any], roles: Sequence[str]) -> dict[int, Any]:
    return {number: row for number, row in found.items() if view.parts[number].role in roles}


def matrix_for(record: Measure, data: LazyDataset) -> NDArray[Any] | None:
    """Return the data that a measure needs; None where it needs none."""
    if not record.needs & {"similarity", "data"}:
        return None
    if data.matrix is None:
        raise InvalidInputError(f"{record.name} needs the data, which are not at hand.")
    return data.matrix


def _nothing(view: View, selector: int, record: Measure) -> str:
    """Say why no pair has a value."""
    if record.form in KEPT and view.kept(selector, KEPT[record.form]) is None:
        kind = "rankings" if record.form == "ranking" else record.form
        return f"the store holds no {kind} of this selector"
    if why := _failures(view, selector):
        return f"on parts of the data the selector fails: {why}"
    return f"{record.name} has no value on any two halves"


def _row(
    view: View, data: LazyDataset, selector: int, size: int, record: Measure
) -> dict[str, Any]:
    try:
        told = estimate_replication(view, data, selector, size, record)
    except InvalidInputError as error:
        return {"note": str(error)}
    fields = ("n_samples", "value", "low", "high", "chance", "standard_error", "n_pairs", "note")
    row = {name: getattr(told, name) for name in fields}
    ahead = told.curve[told.curve["kind"] == "predicted"].to_dict("records")
    return row | {ours: ahead[0][theirs] for ours, theirs in PREDICTED.items() if ahead}


def _failures(view: View, selector: int) -> str:
    """Count the disjoint parts on which a selector failed, with the first message."""
    rows = view.store.query(
        "SELECT message FROM units JOIN resamples USING (resample) WHERE selector = ? "
        f"AND status = 'failed' AND role IN {DISJOINT} ORDER BY resample",
        (selector,),
    )
    return f"{plural(len(rows), 'fit')} failed: {rows[0][0]}" if rows else ""


# The table of cohorts: whether what is found in one of them recurs in another.

COLUMNS_COHORTS = ["selector", "size", "measure", *PAIRS, *EXPECTED, "note"]


def cohorts_table(view: View, data: LazyDataset) -> pd.DataFrame:
    """Compare each two cohorts by each measure, for each selector and size."""
    parts = [
        _pairs(view, data, cell).assign(
            selector=view.selectors[cell[0]], size=size_label(cell[1]), measure=cell[2].name
        )
        for cell in cells(view)
        if has_cohorts(view)
    ]
    return (
        pd.concat(parts, ignore_index=True)[COLUMNS_COHORTS]
        if parts
        else pd.DataFrame(columns=COLUMNS_COHORTS)
    )


def _pairs(view: View, data: LazyDataset, cell: tuple[int, int, Measure]) -> pd.DataFrame:
    try:
        return _compare_cohorts(view, data, *cell).pairs.assign(note="")
    except InvalidInputError as error:
        return pd.DataFrame({"note": [str(error)]}).reindex(columns=[*PAIRS, *EXPECTED, "note"])


def has_cohorts(view: View) -> bool:
    """Tell whether the study compares cohorts."""
    return any(part.role in OF_COHORTS for part in view.parts.values())


def cohorts_of(
    view: View, data: LazyDataset, selector: str, size: int | str | None, measure: str | None
) -> CohortComparison:
    """Compare cohorts by one selector, at one size, by one measure."""
    if not has_cohorts(view):
        raise InvalidInputError(
            "the study compares no cohorts; say which column holds them by --cohort, or in "
            "Study.run by cohorts=."
        )
    return _compare_cohorts(view, data, *asked_of(view, selector, size, measure))


def _compare_cohorts(
    view: View, data: LazyDataset, selector: int, size: int, record: Measure
) -> CohortComparison:
    found, build = found_on(view, selector, size, record, OF_COHORTS)
    places = cohort_places({number: view.parts[number] for number in found})
    names = view.plan["beside"]["cohorts"]
    if places.shape != (len(places), len(names)) or len(places) < 2:
        raise InvalidInputError(
            f"{view.selectors[selector]} has no result in each cohort, or in any shuffle; see "
            "what failed, or resume the study."
        )
    values = pair_similarities(
        record,
        found,
        cohort_pairs(places),
        build,
        n_features=view.n_features,
        data=matrix_for(record, data),
    )
    return compare_cohorts(
        values,
        names=names,
        sizes=[view.parts[at].n_train for at in places[0].tolist()],
        measure=record.name,
        selected=[[_features(found[at]) for at in row] for row in places.tolist()]
        if record.by_size
        else None,
        feature_names=view.feature_names.tolist(),
    )


def _features(row: Any) -> Any:  # noqa: ANN401  (features, or groups of them)
    groups = isinstance(row, list) and row and isinstance(row[0], FeatureGroup)
    return features_in([one.members for one in row] if groups else row)


# The table of tests: which selector replicates better in new studies?

COLUMNS_COMPARED_REPLICATION = [
    *("selector_a", "selector_b", "size", "measure", "n_samples"),
    *("replication_a", "replication_b", "difference", "low", "high"),
    *("standard_error", "p_value", "p_corrected"),
]


def compared_replication(
    view: View, data: LazyDataset, *, size: int | None, measure: str | None, correction: Correction
) -> pd.DataFrame:
    """Compare the replication stability of all pairs of selectors at a size."""
    check_correction(correction)
    found: dict[str, Replication] = {}
    reasons = []
    for name in view.selectors:
        try:
            found[name] = replicated_of(view, data, name, size, measure)
        except InvalidInputError as error:
            reasons.append(str(error))
    if not found:
        raise InvalidInputError(next(iter(reasons), "the study has no selector."))
    rows = []
    for first, second in combinations(found, 2):
        told = compare_replication(found[first], found[second])
        sizes = dict.fromkeys(str(found[name].size or "own") for name in (first, second))
        rows.append(
            {
                "selector_a": first,
                "selector_b": second,
                "size": ", ".join(sizes),
                "measure": told.measure,
                "n_samples": told.n_samples,
                "replication_a": told.first,
                "replication_b": told.second,
                "difference": told.difference,
                "low": told.low,
                "high": told.high,
                "standard_error": told.standard_error,
                "p_value": told.p_value,
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS_COMPARED_REPLICATION[:-1])
    p_values = table["p_value"].to_numpy(dtype=np.float64)
    return table.assign(p_corrected=correct_p_values(p_values, correction))
