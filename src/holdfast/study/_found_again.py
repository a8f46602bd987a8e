"""The table of features: each one's chance to be found again, by selector and size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast.errors import InvalidInputError
from holdfast.judge._replication._feature_chances import (
    DisjointDesign,
    chances_from_orders,
    chances_from_subsets,
    chances_of_groups,
    feature_table,
    group_table,
)
from holdfast.judge._replication._result import no_features
from holdfast.judge._replication._score_model import signed_scores_of
from holdfast.resample import ReplicationPairs
from holdfast.resample._replication import FULL
from holdfast.study._beside import DISJOINT
from holdfast.study._replication import asked_of, replicated_of, why_none
from holdfast.study._seeds import REPLICATION, seed_of
from holdfast.study._store import SIGNED, to_floats
from holdfast.study._view import OWN, size_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge import Replication
    from holdfast.judge._replication._score_model import SignedScores
    from holdfast.study._measured import Data
    from holdfast.study._view import FeatureGroup, View

MIN_LISTED_CHANCE = 0.01
"""Features that are not selected are listed from this chance on."""
EARLIER_VERSION = (
    "the study was begun by an earlier version, which did not run selectors on the full data"
)


def features_table(view: View) -> pd.DataFrame:
    """List the features that are selected, or may well be by another study."""
    tables, reasons = [], []
    for selector, name in enumerate(view.selectors):
        for size in view.sizes(selector):
            table = feature_chances(view, selector, size)
            reasons += [reason] if (reason := table.attrs.get("why_none")) else []
            listed = table["selected"] | (table["found_again"] >= MIN_LISTED_CHANCE)
            own = table[listed]
            own.insert(0, "selector", name)
            own.insert(1, "size", pd.Series([size_label(size)] * len(own), own.index, dtype=object))
            tables.append(own)
    filled = [table for table in tables if len(table)]
    if filled:
        return pd.concat(filled, ignore_index=True)
    empty = no_features(next(iter(reasons), "nothing is done yet"))
    empty.insert(0, "selector", pd.Series(dtype=object))
    empty.insert(1, "size", pd.Series(dtype=object))
    return empty


def feature_chances(view: View, selector: int, size: int) -> pd.DataFrame:
    """Return the chances of all features of a selector at a size.

    The table is empty where they are not known; ``attrs["why_none"]`` says why.
    """
    if why := why_none(view):
        return no_features(why)
    if not any(part.role == FULL for part in view.parts.values()):
        return no_features(EARLIER_VERSION)
    names = view.feature_names.tolist()
    facts, beside = view.plan["data"], view.plan.get("beside", {})
    design = DisjointDesign(
        pairs=ReplicationPairs.of(list(view.parts.values())),
        n_features=view.n_features,
        n_units=int(beside.get("units") or facts["subjects"] or facts["n_samples"]),
        seed=seed_of(view.plan["seed"], REPLICATION, selector),
    )
    try:
        if view.finds_groups(view.selectors[selector]):
            groups = _on_parts(view, view.feature_groups(selector))
            chosen = {at: _Groups.from_rows(rows, size) for at, rows in groups.items()}
            return group_table(names, *chances_of_groups(chosen, design))
        choices = _on_parts(view, view.choices(selector))
        if size == OWN:
            return feature_table(names, chances_from_subsets(choices, design))
        scores = _signed_scores(view, selector, design.pairs)
        return feature_table(names, chances_from_orders(choices, design, size=size, scores=scores))
    except InvalidInputError as error:
        return no_features(str(error))


def _signed_scores(view: View, selector: int, pairs: ReplicationPairs) -> SignedScores | None:
    """Read the t statistics of a selector that ranks by them; None where some are missing."""
    stored = dict(view.raw(selector, SIGNED))
    full, *halves = (
        to_floats(stored[at]) if at in stored else None
        for at in (pairs.full[0], *pairs.halves.ravel())
    )
    return signed_scores_of(full, halves, int(view.plan["data"]["n_samples"]))


def replicated_with_features(
    view: View, data: Data, selector: str, size: int | str | None, measure: str | None
) -> Replication:
    """Estimate replication stability, with the chances of all features at this size."""
    number, count, record = asked_of(view, selector, size, measure)
    estimate = replicated_of(view, data, selector, size, measure)
    if not record.by_size:
        return replace(estimate, features=no_features(f"{record.name} compares all features"))
    return replace(estimate, features=feature_chances(view, number, count))


class _Groups(NamedTuple):
    """Groups of features, the best first, and the member that stands for each."""

    members: list[NDArray[np.intp]]
    representatives: NDArray[np.intp]

    @classmethod
    def from_rows(cls, rows: list[FeatureGroup], size: int) -> _Groups:
        """Take the first groups; all of them where the selector chooses their number."""
        chosen = rows if size == OWN else rows[:size]
        return cls(
            [np.asarray(one.members, dtype=np.intp) for one in chosen],
            np.array([one.representative for one in chosen], dtype=np.intp),
        )


def _on_parts(view: View, rows: dict[int, Any]) -> dict[int, Any]:
    """Keep what was found on disjoint parts and on the full data."""
    roles = (*DISJOINT, FULL)
    return {number: row for number, row in rows.items() if view.parts[number].role in roles}
