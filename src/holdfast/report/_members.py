"""The features that others stand for, where a selector finds groups."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.preferences import Groups

HALF = 0.5
"""A feature stands for those in this share of the groups that it is the representative of."""


def stood_for(groups: Groups, names: Collection[str]) -> dict[str, list[str]]:
    """Return for each of these features the others in most of its groups, the most frequent first.

    Examples
    --------
    >>> import holdfast as hf
    >>> rows = [[["a", "b", "c"]], [["a", "b"], ["d"]]]
    >>> found = hf.Groups(rows, feature_names=list("abcd"), representatives=[["a"], ["a", "d"]])
    >>> stood_for(found, ["a", "b", "d"])
    {'a': ['b', 'c'], 'b': [], 'd': []}
    """
    labels = groups.feature_names or ()
    wanted = {at: Counter[int]() for at, name in enumerate(labels) if name in set(names)}
    for result, representatives in zip(groups, groups.representatives or (), strict=True):
        for members, chosen in zip(result, representatives.tolist(), strict=True):
            if chosen in wanted:
                wanted[chosen].update(members.tolist())
    others = {str(labels[at]): _others(counts, at) for at, counts in wanted.items()}
    return {name: [str(labels[at]) for at in others[name]] for name in names}


def _others(counts: Counter[int], feature: int) -> list[int]:
    often = [other for other, count in counts.items() if count >= HALF * counts[feature]]
    return sorted((one for one in often if one != feature), key=lambda one: (-counts[one], one))
