"""The table of frequencies: how often each feature was selected, and where it ranked."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import scipy.sparse

from holdfast.errors import InvalidInputError
from holdfast.study._storage._reader import OWN_SIZE, StudyPreferences, cut, size_label
from holdfast.study._storage._store import to_integers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.preferences import Groups
    from holdfast.study._storage._reader import View


RANKS = ("rank_low", "rank_median", "rank_high")
FREQUENCY_COLUMNS = [
    *("feature", "selector", "size", "frequency", "count", "n", "low", "high"),
    *RANKS,
    "direction",
]
COVERS = (
    "low and high are 95% Wilson intervals of the frequency in resamples of these data; they do "
    "not cover the chance to be selected from a new sample of the population"
)
COVERS_DRAWS = "low and high are 95% Wilson intervals for new data sets of the same population"
QUANTILES = (0.05, 0.5, 0.95)
Z = NormalDist().inv_cdf(0.975)


def frequencies_table(view: View) -> pd.DataFrame:
    """List the features that were selected at least once, by selector and size."""
    parts = [
        part
        for selector in range(len(view.selectors))
        for part in _selector_frequencies(view, selector)
    ]
    table = (
        pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=FREQUENCY_COLUMNS)
    )
    table.attrs["interval"] = COVERS_DRAWS if view.drawn else COVERS
    return table


def _selector_frequencies(view: View, selector: int) -> Iterator[pd.DataFrame]:
    found = view.choices(selector)
    numbers = view.counted(found)
    if not numbers:
        return
    rows = [found[number] for number in numbers]
    offered = _count_offered(view, numbers)
    sizes = view.sizes(selector)
    for size in sizes:
        selected = cut(rows, size)
        features, count = np.unique(np.concatenate(selected), return_counts=True)
        order = np.lexsort((features, -count / offered[features]))
        features, count = features[order], count[order]
        if sizes == [OWN_SIZE]:
            ranks = np.full((3, len(features)), np.nan)
        else:
            ranks = rank_quantiles(rows, features, offered[features])
        yield _frame(view, (selector, size), (features, count, offered[features]), ranks)


def _count_offered(view: View, numbers: list[int]) -> NDArray[np.int64]:
    """Return for each feature the number of resamples in which it could be selected."""
    limited = {i for i in numbers if view.parts[i].n_offered is not None}
    counts = np.full(view.n_features, len(numbers) - len(limited), dtype=np.int64)
    if limited:
        for number, data in view.store.query("SELECT resample, features FROM resamples"):
            if number in limited:
                counts[to_integers(data)] += 1
    return counts


def rank_quantiles(
    rows: list[NDArray[np.int32]], features: NDArray[np.int32], n: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return low, middle and high ranks of features, each a rank that occurred.

    Rows name features, the best first, but only so many; where a quantile lies beyond the last
    of them it is NaN.
    """
    wanted = np.zeros(1 + max(int(row.max(initial=0)) for row in rows), dtype=bool)
    wanted[features] = True
    places = [np.flatnonzero(wanted[row]) for row in rows]  # rows may be long, few are wanted
    named = np.concatenate([row[at] for row, at in zip(rows, places, strict=True)])
    ranks = np.concatenate(places) + 1
    order = np.lexsort((ranks, named))
    named, ranks = named[order], ranks[order]
    first, stop = (np.searchsorted(named, features, side) for side in ("left", "right"))
    quantiles = []
    for share in QUANTILES:
        # the lowest rank that at least this share of the resamples keeps to
        place = first + np.maximum(np.ceil(share * n - 1e-9).astype(np.int64), 1) - 1
        known = place < stop
        quantiles.append(np.where(known, ranks[np.where(known, place, 0)], np.nan))
    return np.array(quantiles)


def wilson(
    count: NDArray[np.int64], n: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Wilson's 95% interval for a share."""
    share = count / n
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return np.clip(middle - half, 0.0, share), np.clip(middle + half, share, 1.0)


def _frame(
    view: View,
    cell: tuple[int, int],
    counts: tuple[NDArray[np.int32], NDArray[Any], NDArray[np.int64]],
    ranks: NDArray[np.float64],
) -> pd.DataFrame:
    features, count, n = counts
    low, high = wilson(count, n)
    columns: dict[str, Any] = {
        "feature": view.feature_names[features],
        "selector": view.selectors[cell[0]],
        "size": size_label(cell[1]),
        "frequency": count / n,
        "count": count,
        "n": n,
        "low": low,
        "high": high,
        **{name: pd.array(r, dtype="Int64") for name, r in zip(RANKS, ranks, strict=True)},
        "direction": view.directions[features],
    }
    return pd.DataFrame(columns)


# How often features lay in selected groups, and with which others.

COLUMNS_MEMBERSHIPS = ["feature", "member", "representative", "n", "companions"]
TOGETHER = 0.5
"""Companions lie in one group with a feature in this share of the times it is in a group."""


def memberships(
    view: View, selector: str, size: int | str | None = None, most: int = 50
) -> pd.DataFrame:
    """List the features that lay in selected groups most often, with their companions."""
    number = view.number(selector)
    if not view.finds_groups(selector):
        raise InvalidInputError(
            f"{selector} finds no groups of features, or none of its resamples is done; its "
            "selections are in result.frequencies."
        )
    if size is None:
        size = size_label(view.sizes(number)[-1])
    groups = StudyPreferences(view).groups(selector, size)
    inside, stands = _counts(groups, view.n_features)
    order = np.lexsort((np.arange(view.n_features), -stands, -inside))[:most]
    order = order[inside[order] > 0]
    columns = {
        "feature": view.feature_names[order],
        "member": inside[order] / len(groups),
        "representative": stands[order] / len(groups),
        "n": len(groups),
        "companions": _companions(groups, order, view.feature_names),
    }
    return pd.DataFrame(columns, columns=COLUMNS_MEMBERSHIPS)


def _counts(groups: Groups, n_features: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the results in which each feature lies in a group, and stands for one."""
    inside = np.zeros(n_features, dtype=np.int64)
    stands = np.zeros(n_features, dtype=np.int64)
    for result, representatives in zip(groups, groups.representatives or (), strict=True):
        inside[np.unique(np.concatenate([*result, np.zeros(0, dtype=np.int64)]))] += 1
        stands[np.unique(representatives)] += 1
    return inside, stands


def _companions(
    groups: Groups, features: NDArray[np.intp], names: NDArray[np.object_]
) -> list[tuple[str, ...]]:
    """Return for each feature those that share its group mostly, the most frequent first."""
    flat = [group for result in groups for group in result]
    indptr = np.cumsum([0, *map(len, flat)])
    members = np.concatenate([*flat, np.zeros(0, dtype=np.int64)])
    shape = (len(flat), len(names))
    incidence = scipy.sparse.csr_array((np.ones(len(members)), members, indptr), shape=shape)
    together = (incidence.tocsc()[:, features].T @ incidence).tocsr()
    found = []
    for at, feature in enumerate(features):
        row = together[[at]]
        often = row.indices[row.data >= TOGETHER * row[0, feature]]
        counts = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        others = sorted((f for f in often.tolist() if f != feature), key=lambda f: (-counts[f], f))
        found.append(tuple(names[others]))
    return found
