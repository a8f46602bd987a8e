"""The chances of all features of a selector at a size to be found again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdfast.errors import InvalidInputError
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
from holdfast.resample._replication import FULL
from holdfast.study._beside import DISJOINT
from holdfast.study._seeds import REPLICATION, seed_of
from holdfast.study._store import SIGNED, to_floats
from holdfast.study._view import OWN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.judge._replication._score_model import SignedScores
    from holdfast.study._view import FeatureGroup, View

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
        kept[selector, size] = _estimated(view, selector, size)
    return kept[selector, size]


def _estimated(view: View, selector: int, size: int) -> FeatureChances | str:
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
        elif size == OWN:
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
        chosen = rows if size == OWN else rows[:size]
        return cls(
            [np.asarray(one.members, dtype=np.intp) for one in chosen],
            np.array([one.representative for one in chosen], dtype=np.intp),
        )


def _on_parts(view: View, rows: dict[int, Any]) -> dict[int, Any]:
    """Keep what was found on disjoint parts and on the full data."""
    roles = (*DISJOINT, FULL)
    return {number: row for number, row in rows.items() if view.parts[number].role in roles}
