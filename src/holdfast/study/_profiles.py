"""From a store to profiles, likeness of selectors and stand-ins."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._text import shortened
from holdfast.errors import InvalidInputError
from holdfast.judge import (
    StabilityProfile,
    find_knot,
    selector_similarity,
)
from holdfast.judge import stand_ins as find_stand_ins
from holdfast.judge._profile import (
    COLUMNS,
    MEASURES,
    checked_measures,
    checked_sizes,
    knots_table,
    profile_sizes,
)
from holdfast.measures import get_measure
from holdfast.study._preferences import StudyPreferences
from holdfast.study._stability import Case, each_other, groups_of
from holdfast.study._system import subsets
from holdfast.study._view import OWN, cut, size_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.judge import Knot, SelectorSimilarity, StandIns
    from holdfast.measures import Measure
    from holdfast.study._measured import Data
    from holdfast.study._view import View


def profile(
    view: View,
    data: Data,
    *,
    sizes: Iterable[int] | None = None,
    measures: str | Iterable[str] = MEASURES,
) -> StabilityProfile:
    """Measure stability against size within groups of resamples, as the table of stability does."""
    names = checked_measures(measures)
    asked = None if sizes is None else checked_sizes(sorted(set(sizes)), view.depth)
    ranked = {n: i for i, n in enumerate(view.selectors) if view.sizes(i) != [OWN]}
    cases = {name: _whole(view, selector) for name, selector in ranked.items()}
    rows = [
        {"selector": name, **row}
        for name, case in cases.items()
        for row in _rows(view, case, asked, [get_measure(one) for one in names], data)
    ]
    return StabilityProfile(
        table=pd.DataFrame(rows, columns=COLUMNS),
        knots=knots_table({name: _knot(view, case) for name, case in cases.items()}),
        measures=names,
        left_out=tuple(name for name in view.selectors if name not in ranked),
    )


def _whole(view: View, selector: int) -> Case:
    build = partial(subsets, n_features=view.n_features)
    return Case(view.depth, view.choices(selector), build)


def _rows(
    view: View, case: Case, sizes: Sequence[int] | None, records: list[Measure], data: Data
) -> Iterator[dict[str, Any]]:
    groups = groups_of(view, case)
    points = profile_sizes(view.depth, view.plan["sizes"]) if sizes is None else sizes
    for size in points:
        found = dict(zip(case.found, cut(list(case.found.values()), size), strict=True))
        answers = each_other(view, Case(size, found, case.build), groups, records, data)
        for name, answer in answers.items():
            yield {"size": size, "measure": name, **answer.row()}


def _knot(view: View, case: Case) -> Knot:
    numbers = view.counted(case.found)
    places = _places(view, numbers, case)
    return find_knot([case.found[i] for i in numbers], view.n_features, groups=places)


def _places(view: View, numbers: list[int], case: Case) -> list[list[int]]:
    """Return the groups of resamples that are compared, as places among the given numbers."""
    place = {number: position for position, number in enumerate(numbers)}
    return [[place[number] for number in group] for group in groups_of(view, case)]


def similarity(view: View, *, size: int | None = None, measure: str = "phi") -> SelectorSimilarity:
    """Compare selectors on the resamples that all of them have done."""
    found = {name: view.choices(i) for i, name in enumerate(view.selectors)}
    done = {name: rows for name, rows in found.items() if view.counted(rows)}
    common = _common(view, done)
    case = Case(OWN, dict.fromkeys(common), subsets)
    groups = _places(view, common, case)
    if not groups:
        raise InvalidInputError(
            "no two resamples are done by all selectors "
            f"({shortened(done) or 'none has begun'}); resume the study."
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
    """Return the size asked of a selector: its own, or one for all, by default the largest."""
    sizes = view.sizes(view.selectors.index(name))
    if sizes == [OWN] or size is None:
        return sizes[-1]
    return int(checked_sizes([size], view.depth)[0])


def stand_ins(
    view: View,
    data: Data,
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
    selected = StudyPreferences(view)[selector, size or OWN]
    found = view.choices(view.selectors.index(selector))
    case = Case(OWN, found, subsets)
    groups = _places(view, view.counted(found), case)
    if not groups:
        raise InvalidInputError(f"{selector}: fewer than 2 resamples are done; resume the study.")
    return find_stand_ins(selected, data.matrix, groups=groups if view.grouped else None, **options)
