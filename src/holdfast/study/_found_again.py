"""The table of features: each one's chance to be found again, by selector and size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast._checks import between
from holdfast.judge._replication._result import no_features
from holdfast.study._feature_chances import feature_chances
from holdfast.study._view import size_label

if TYPE_CHECKING:
    from holdfast.study._view import View

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
    between(share, "found_again", 1.0)
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
