"""How often features lay in selected groups, and with which others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import scipy.sparse

from holdfast.errors import InvalidInputError
from holdfast.study._preferences import StudyPreferences
from holdfast.study._view import size_label

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.preferences import Groups
    from holdfast.study._view import View

COLUMNS = ["feature", "member", "representative", "n", "companions"]
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
    return pd.DataFrame(columns, columns=COLUMNS)


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
