"""From a store to profiles, likeness of selectors, stand-ins and effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._text import shortened
from holdfast.errors import InvalidInputError
from holdfast.judge import StabilityProfile, find_knot, selector_similarity, shrunken_effects
from holdfast.judge import stand_ins as find_stand_ins
from holdfast.judge._profile import (
    COLUMNS,
    MEASURES,
    checked_measures,
    checked_sizes,
    knots_table,
    profile_rows,
    profile_sizes,
)
from holdfast.study._preferences import StudyPreferences
from holdfast.study._stability import groups_of
from holdfast.study._system import subsets
from holdfast.study._view import OWN, cut, size_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.judge import SelectorSimilarity, StandIns
    from holdfast.study._measured import Data
    from holdfast.study._view import View


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
    ranked = {n: i for i, n in enumerate(view.selectors) if view.sizes(i) != [OWN]}
    rows, knots = [], {}
    for name, selector in ranked.items():
        lists, groups = _counted(view, view.choices(selector))
        within = groups if view.grouped or not groups else None
        known = [size for size in points if size <= min(map(len, lists), default=view.depth)]
        values = profile_rows(lists, view.n_features, known, names, within)
        rows += [{"selector": name, **row} for row in values]
        knots[name] = find_knot(lists, view.n_features, groups=groups)
    return StabilityProfile(
        table=pd.DataFrame(rows, columns=COLUMNS),
        knots=knots_table(knots),
        measures=names,
        left_out=tuple(name for name in view.selectors if name not in ranked),
    )


def _counted(view: View, found: dict[int, Any]) -> tuple[list[Any], list[list[int]]]:
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
    _, groups = _counted(view, dict.fromkeys(common))
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
    """Return the size asked of a selector: its own, or one for all.

    By default the largest below the number of features: with all of them nothing is selected.
    """
    sizes = view.sizes(view.selectors.index(name))
    if sizes == [OWN] or size is None:
        return max((one for one in sizes if one < view.n_features), default=sizes[-1])
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
    _, groups = _counted(view, view.choices(view.selectors.index(selector)))
    if not groups:
        raise InvalidInputError(f"{selector}: fewer than 2 resamples are done; resume the study.")
    return find_stand_ins(selected, data.matrix, groups=groups if view.grouped else None, **options)


def effects(view: View, data: Data) -> pd.DataFrame:
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
