"""The table of cohorts: whether what is found in one of them recurs in another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast.errors import InvalidInputError
from holdfast.judge._cohorts._compared import EXPECTED, PAIRS, cohort_pairs, compare_cohorts
from holdfast.judge._cohorts._direct import features_in
from holdfast.judge._replication._pairs import pair_similarities
from holdfast.resample._cohorts import cohort_places
from holdfast.study._beside import OF_COHORTS
from holdfast.study._replication import asked_of, cells, found_on, matrix_for
from holdfast.study._view import FeatureGroup, size_label

if TYPE_CHECKING:
    from holdfast.judge import CohortComparison
    from holdfast.measures import Measure
    from holdfast.study._measured import Data
    from holdfast.study._view import View

COLUMNS = ["selector", "size", "measure", *PAIRS, *EXPECTED, "note"]


def cohorts_table(view: View, data: Data) -> pd.DataFrame:
    """Compare each two cohorts by each measure, for each selector and size."""
    parts = [
        _pairs(view, data, cell).assign(
            selector=view.selectors[cell[0]], size=size_label(cell[1]), measure=cell[2].name
        )
        for cell in cells(view)
        if has_cohorts(view)
    ]
    return pd.concat(parts, ignore_index=True)[COLUMNS] if parts else pd.DataFrame(columns=COLUMNS)


def _pairs(view: View, data: Data, cell: tuple[int, int, Measure]) -> pd.DataFrame:
    try:
        return _compared(view, data, *cell).pairs.assign(note="")
    except InvalidInputError as error:
        return pd.DataFrame({"note": [str(error)]}).reindex(columns=[*PAIRS, *EXPECTED, "note"])


def has_cohorts(view: View) -> bool:
    """Tell whether the study compares cohorts."""
    return any(part.role in OF_COHORTS for part in view.parts.values())


def cohorts_of(
    view: View, data: Data, selector: str, size: int | str | None, measure: str | None
) -> CohortComparison:
    """Compare cohorts by one selector, at one size, by one measure."""
    if not has_cohorts(view):
        raise InvalidInputError(
            "the study compares no cohorts; say which column holds them by --cohort, or in "
            "Study.run by cohorts=."
        )
    return _compared(view, data, *asked_of(view, selector, size, measure))


def _compared(
    view: View, data: Data, selector: int, size: int, record: Measure
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
