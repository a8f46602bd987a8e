"""The chance of each feature to be found again, by selector and size."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._typing import IndexArray
from holdfast._validation import check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.judge import (
    MAX_PAIRS,
    DisjointDesign,
    FeatureChances,
    SignedScores,
    chances_from_groups,
    chances_from_orders,
    chances_from_subsets,
    empty_feature_table,
    name_members,
    signed_scores_of,
)
from holdfast.resample import FULL, ReplicationPairs
from holdfast.study._planning._plan import DISJOINT_ROLES, REPLICATION, seed_of
from holdfast.study._storage._reader import OWN_SIZE, FeatureGroup, StudyReader, size_label
from holdfast.study._storage._store import SIGNED, to_floats

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
    if why := why_none(reader):
        return why
    if not any(part.role == FULL for part in reader.resamples.values()):
        return EARLIER_VERSION
    names = [str(name) for name in reader.feature_names]
    facts, auxiliary = reader.plan["data"], reader.plan.get("beside", {})
    design = DisjointDesign(
        pairs=ReplicationPairs.from_resamples(list(reader.resamples.values())),
        n_features=reader.n_features,
        n_units=int(auxiliary.get("units") or facts["subjects"] or facts["n_samples"]),
        seed=seed_of(reader.plan["seed"], REPLICATION, selector),
    )
    members = None
    try:
        if reader.has_groups(reader.selectors[selector]):
            groups = _replication_rows(reader, reader.feature_groups(selector))
            selected = {at: _SelectedGroups.from_rows(rows, size) for at, rows in groups.items()}
            found, chosen = chances_from_groups(selected, design)
            members = name_members(names, chosen)
        elif size == OWN_SIZE:
            found = chances_from_subsets(
                _replication_rows(reader, reader.selected_features(selector)), design
            )
        else:
            found = chances_from_orders(
                _replication_rows(reader, reader.selected_features(selector)),
                design,
                size=size,
                scores=_signed_scores(reader, selector, design.pairs),
            )
    except InvalidInputError as error:
        return str(error)
    return FeatureChances(names=names, found=found, n_units=design.n_units, members=members)


def _signed_scores(
    reader: StudyReader, selector: int, pairs: ReplicationPairs
) -> SignedScores | None:
    """Read the t statistics of a selector that ranks by them; None if any is missing."""
    stored = dict(reader.stored_data(selector, SIGNED))
    full, *halves = (
        to_floats(stored[at]) if at in stored else None
        for at in (pairs.full[0], *pairs.halves[:MAX_PAIRS].ravel())
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


def _replication_rows(reader: StudyReader, rows: dict[int, Any]) -> dict[int, Any]:
    """Return the rows of disjoint parts and of the full data."""
    roles = (*DISJOINT_ROLES, FULL)
    return {number: row for number, row in rows.items() if reader.resamples[number].role in roles}


# The table of features: the chance of each to be found again, by selector and size.

MIN_LISTED_CHANCE = 0.01
"""Smallest chance at which features that are not selected are listed."""


def features_table(reader: StudyReader) -> pd.DataFrame:
    """List the features that are selected, or that another study may select."""
    tables, reasons = [], []
    for selector, name in enumerate(reader.selectors):
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
    filled = [table for table in tables if len(table)]
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
