"""The chances of all features of a selector at a size to be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._estimate import no_features
from holdfast.judge._replication._feature_chances import (
    DisjointDesign,
    FeatureChances,
    chances_from_orders,
    chances_from_subsets,
    chances_of_groups,
    named_members,
)
from holdfast.judge._replication._score_model import MAX_PAIRS, signed_scores_of
from holdfast.resample import ReplicationPairs
from holdfast.resample._replication_design import FULL
from holdfast.study._planning._plan import DISJOINT, REPLICATION, seed_of
from holdfast.study._storage._reader import OWN_SIZE, size_label
from holdfast.study._storage._store import SIGNED, to_floats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._replication._score_model import SignedScores
    from holdfast.study._storage._reader import FeatureGroup, View


NOT_ASKED = "it was not asked for"
EARLIER_VERSION = (
    "the study was begun by an earlier version, which did not run selectors on the full data"
)


def why_none(view: View) -> str:
    """Say why there is no replication stability; nothing where there is."""
    if any(part.role in DISJOINT for part in view.parts.values()):
        return ""
    return str(view.plan.get("beside", {}).get("why_none") or NOT_ASKED)


def feature_chances(view: View, selector: int, size: int) -> FeatureChances | str:
    """Return the chances of all features of a selector at a size, or why they are not known.

    They are kept, as several tables rest on them.
    """
    kept: dict[tuple[int, int], FeatureChances | str] = view.feature_chances
    if (selector, size) not in kept:
        kept[selector, size] = _estimate_chances(view, selector, size)
    return kept[selector, size]


def _estimate_chances(view: View, selector: int, size: int) -> FeatureChances | str:
    if why := why_none(view):
        return why
    if not any(part.role == FULL for part in view.parts.values()):
        return EARLIER_VERSION
    names = [str(name) for name in view.feature_names]
    facts, beside = view.plan["data"], view.plan.get("beside", {})
    design = DisjointDesign(
        pairs=ReplicationPairs.of(list(view.parts.values())),
        n_features=view.n_features,
        n_units=int(beside.get("units") or facts["subjects"] or facts["n_samples"]),
        seed=seed_of(view.plan["seed"], REPLICATION, selector),
    )
    members = None
    try:
        if view.finds_groups(view.selectors[selector]):
            groups = _on_parts(view, view.feature_groups(selector))
            selected = {at: _Groups.from_rows(rows, size) for at, rows in groups.items()}
            found, chosen = chances_of_groups(selected, design)
            members = named_members(names, chosen)
        elif size == OWN_SIZE:
            found = chances_from_subsets(_on_parts(view, view.choices(selector)), design)
        else:
            found = chances_from_orders(
                _on_parts(view, view.choices(selector)),
                design,
                size=size,
                scores=_signed_scores(view, selector, design.pairs),
            )
    except InvalidInputError as error:
        return str(error)
    return FeatureChances(names=names, found=found, n_units=design.n_units, members=members)


def _signed_scores(view: View, selector: int, pairs: ReplicationPairs) -> SignedScores | None:
    """Read the t statistics of a selector that ranks by them; None where some are missing."""
    stored = dict(view.raw(selector, SIGNED))
    full, *halves = (
        to_floats(stored[at]) if at in stored else None
        for at in (pairs.full[0], *pairs.halves[:MAX_PAIRS].ravel())
    )
    return signed_scores_of(full, halves, int(view.plan["data"]["n_samples"]))


class _Groups(NamedTuple):
    """Groups of features, the best first, and the member that stands for each."""

    members: list[NDArray[np.intp]]
    representatives: NDArray[np.intp]

    @classmethod
    def from_rows(cls, rows: list[FeatureGroup], size: int) -> _Groups:
        """Take the first groups; all of them where the selector chooses their number."""
        chosen = rows if size == OWN_SIZE else rows[:size]
        return cls(
            [np.asarray(one.members, dtype=np.intp) for one in chosen],
            np.array([one.representative for one in chosen], dtype=np.intp),
        )


def _on_parts(view: View, rows: dict[int, Any]) -> dict[int, Any]:
    """Keep what was found on disjoint parts and on the full data."""
    roles = (*DISJOINT, FULL)
    return {number: row for number, row in rows.items() if view.parts[number].role in roles}


# The table of features: each one's chance to be found again, by selector and size.

MIN_LISTED_CHANCE = 0.01
"""Features that are not selected are listed from this chance on."""


def features_table(view: View) -> pd.DataFrame:
    """List the features that are selected, or may well be by another study."""
    tables, reasons = [], []
    for selector, name in enumerate(view.selectors):
        for size in view.sizes(selector):
            chances = feature_chances(view, selector, size)
            if isinstance(chances, str):
                reasons.append(chances)
                continue
            table = chances.table()
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


def longest_lists(view: View, share: float) -> pd.DataFrame:
    """Return, for each selector, the longest list with an expected share found again."""
    check_positive_number(share, "found_again", 1.0)
    rows = []
    for selector, name in enumerate(view.selectors):
        lists = []
        for size in view.sizes(selector):
            chances = feature_chances(view, selector, size)
            if not isinstance(chances, str):
                features = chances.longest_list(share)
                lists.append((len(features), size_label(size), features, chances))
        if not lists:
            continue
        count, best_size, features, chances = max(lists, key=lambda one: one[0])
        table = chances.table().set_index("feature")["found_again"]
        expected = float(table[features].mean()) if features else np.nan
        rows.append((name, best_size if features else None, count, expected, features))
    columns = ["selector", "size", "n_features", "expected_share", "features"]
    longest = pd.DataFrame(rows, columns=columns)
    longest["size"] = pd.Series([row[1] for row in rows], dtype=object)
    return longest
