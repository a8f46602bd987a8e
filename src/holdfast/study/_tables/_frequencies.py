"""The table of frequencies: how often each feature was selected, and its ranks."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from numpy.typing import NDArray

from holdfast._typing import AnyArray, FloatArray, IndexArray, IntArray
from holdfast.errors import InvalidInputError
from holdfast.preferences import Groups
from holdfast.study._storage._reader import (
    OWN_SIZE,
    StudyPreferences,
    StudyReader,
    cut,
    size_label,
)
from holdfast.study._storage._store import to_integers

RANK_COLUMNS = ("rank_low", "rank_median", "rank_high")
FREQUENCY_COLUMNS = [
    *("feature", "selector", "size", "frequency", "count", "n", "low", "high"),
    *RANK_COLUMNS,
    "direction",
]
INTERVAL_NOTE = (
    "low and high are 95% Wilson intervals of the frequency in resamples of these data; they do "
    "not cover the chance to be selected from a new sample of the population"
)
DRAWN_INTERVAL_NOTE = (
    "low and high are 95% Wilson intervals for new data sets of the same population"
)
RANK_QUANTILES = (0.05, 0.5, 0.95)
NORMAL_QUANTILE = NormalDist().inv_cdf(0.975)
"""Of the two-sided 95% intervals."""


def frequencies_table(reader: StudyReader) -> pd.DataFrame:
    """List the features that were selected at least once, by selector and size."""
    parts = [
        part
        for selector in range(len(reader.selectors))
        for part in _selector_frequencies(reader, selector)
    ]
    table = (
        pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=FREQUENCY_COLUMNS)
    )
    table.attrs["interval"] = DRAWN_INTERVAL_NOTE if reader.is_drawn else INTERVAL_NOTE
    return table


def _selector_frequencies(reader: StudyReader, selector: int) -> Iterator[pd.DataFrame]:
    by_resample = reader.selected_features(selector)
    numbers = reader.compared(by_resample)
    if not numbers:
        return
    rows = [by_resample[number] for number in numbers]
    offered = _count_offered(reader, numbers)
    sizes = reader.sizes(selector)
    for size in sizes:
        selected = cut(rows, size)
        features, count = np.unique(np.concatenate(selected), return_counts=True)
        order = np.lexsort((features, -count / offered[features]))
        features, count = features[order], count[order]
        if sizes == [OWN_SIZE]:
            ranks = np.full((3, len(features)), np.nan)
        else:
            ranks = rank_quantiles(rows, features, offered[features])
        yield _frequency_frame(
            reader, (selector, size), (features, count, offered[features]), ranks
        )


def _count_offered(reader: StudyReader, numbers: list[int]) -> IntArray:
    """Return the number of resamples that offered each feature."""
    limited = {i for i in numbers if reader.resamples[i].n_offered is not None}
    counts = np.full(reader.n_features, len(numbers) - len(limited), dtype=np.int64)
    if limited:
        for number, data in reader.store.query("SELECT resample, features FROM resamples"):
            if number in limited:
                counts[to_integers(data)] += 1
    return counts


def rank_quantiles(
    rows: list[NDArray[np.int32]], features: NDArray[np.int32], n: IntArray
) -> FloatArray:
    """Return low, median and high ranks of features, each a rank that occurred.

    Rows hold the stored features, best first; a quantile beyond the last stored rank is NaN.
    """
    wanted = np.zeros(1 + max(int(row.max(initial=0)) for row in rows), dtype=bool)
    wanted[features] = True
    places = [np.flatnonzero(wanted[row]) for row in rows]  # of few features in long rows
    owners = np.concatenate([row[place] for row, place in zip(rows, places, strict=True)])
    ranks = np.concatenate(places) + 1
    order = np.lexsort((ranks, owners))
    owners, ranks = owners[order], ranks[order]
    first, stop = (np.searchsorted(owners, features, side) for side in ("left", "right"))
    quantiles = []
    for share in RANK_QUANTILES:
        # the lowest rank that at least this share of the resamples reaches; less a rounding
        # error, so that a product such as 0.05 * 20 is not rounded up to 2
        place = first + np.maximum(np.ceil(share * n - 1e-9).astype(np.int64), 1) - 1
        known = place < stop
        quantiles.append(np.where(known, ranks[np.where(known, place, 0)], np.nan))
    return np.array(quantiles)


def wilson(count: IntArray, n: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's 95% interval for a share."""
    share, z = count / n, NORMAL_QUANTILE
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # rounding must not put the share outside of its interval
    return np.clip(middle - half, 0.0, share), np.clip(middle + half, share, 1.0)


def _frequency_frame(
    reader: StudyReader,
    cell: tuple[int, int],
    counts: tuple[NDArray[np.int32], AnyArray, IntArray],
    ranks: FloatArray,
) -> pd.DataFrame:
    features, count, n = counts
    low, high = wilson(count, n)
    columns: dict[str, Any] = {
        "feature": reader.feature_names[features],
        "selector": reader.selectors[cell[0]],
        "size": size_label(cell[1]),
        "frequency": count / n,
        "count": count,
        "n": n,
        "low": low,
        "high": high,
        **{name: pd.array(r, dtype="Int64") for name, r in zip(RANK_COLUMNS, ranks, strict=True)},
        "direction": reader.directions[features],
    }
    return pd.DataFrame(columns)


# How often features belong to selected groups, and with which others.

COLUMNS_MEMBERSHIPS = ["feature", "member", "representative", "n", "companions"]
MIN_COMPANION_SHARE = 0.5
"""Share of the groups of a feature that contain its companions; chosen by hand."""


def memberships(
    reader: StudyReader, selector: str, size: int | str | None = None, most: int = 50
) -> pd.DataFrame:
    """List the features that are most often in selected groups, with their companions."""
    number = reader.selector_index(selector)
    if not reader.has_groups(selector):
        raise InvalidInputError(
            f"{selector} selects no groups of features, or none of its resamples is done; its "
            "selections are in result.frequencies."
        )
    if size is None:
        size = size_label(reader.sizes(number)[-1])
    groups = StudyPreferences(reader).groups(selector, size)
    n_member, n_representative = _count_memberships(groups, reader.n_features)
    order = np.lexsort((np.arange(reader.n_features), -n_representative, -n_member))[:most]
    order = order[n_member[order] > 0]
    columns = {
        "feature": reader.feature_names[order],
        "member": n_member[order] / len(groups),
        "representative": n_representative[order] / len(groups),
        "n": len(groups),
        "companions": _companions(groups, order, reader.feature_names),
    }
    return pd.DataFrame(columns, columns=COLUMNS_MEMBERSHIPS)


def _count_memberships(groups: Groups, n_features: int) -> tuple[IntArray, IntArray]:
    """Count the results in which each feature is a member, and a representative."""
    n_member, n_representative = np.zeros((2, n_features), dtype=np.int64)
    for result, representatives in zip(groups, groups.representatives or (), strict=True):
        n_member[np.unique(np.concatenate([*result, np.zeros(0, dtype=np.int64)]))] += 1
        n_representative[np.unique(representatives)] += 1
    return n_member, n_representative


def _companions(
    groups: Groups, features: IndexArray, names: NDArray[np.object_]
) -> list[tuple[str, ...]]:
    """Return the companions of each feature, the most frequent first."""
    flat = [group for result in groups for group in result]
    indptr = np.cumsum([0, *map(len, flat)])
    members = np.concatenate([*flat, np.zeros(0, dtype=np.int64)])
    shape = (len(flat), len(names))
    incidence = scipy.sparse.csr_array((np.ones(len(members)), members, indptr), shape=shape)
    # entry (i, j): how many groups hold both; only rows of the listed features are computed
    together = (incidence.tocsc()[:, features].T @ incidence).tocsr()
    companions = []
    for position, feature in enumerate(features):
        row = together[[position]]
        often = row.indices[row.data >= MIN_COMPANION_SHARE * row[0, feature]]
        counts = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        others = sorted((f for f in often.tolist() if f != feature), key=lambda f: (-counts[f], f))
        companions.append(tuple(names[others]))
    return companions
