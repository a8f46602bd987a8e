"""Groups: sets of features that are preferred together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import plural
from holdfast._typing import IndexArray, IntArray
from holdfast.errors import InvalidInputError
from holdfast.preferences._base import FeatureSpace, Preferences, freeze
from holdfast.preferences._subsets import read_subsets

if TYPE_CHECKING:
    import pandas as pd


Nested: TypeAlias = tuple[tuple[NDArray[np.integer], ...], ...]


class Groups(Preferences):
    """m results, each a list of feature groups; a group may have a representative.

    Parameters
    ----------
    data : sequence of sequences of sequences
        ``data[i][g]`` holds the features (indices or names) of group g of result i. Groups may
        overlap; a group is not empty; a result may have no groups.
    representatives : sequence of sequences, optional
        ``representatives[i][g]`` is the member that stands for the group.
    n_features : int, optional
        Number of features, p; None leaves it unknown.
    feature_names : iterable of str, optional
        Names of all p features.

    Raises
    ------
    InvalidInputError
        An empty group, a feature twice in one group, a representative that is not a member.

    Examples
    --------
    >>> import holdfast as hf
    >>> g = hf.Groups([[[0, 1, 2], [5]], [[0, 1], [5, 6]]], n_features=10)
    >>> [group.tolist() for group in g[1]]
    [[0, 1], [5, 6]]
    >>> g.sizes
    array([2, 2])
    """

    __slots__ = ("_groups", "_representatives")
    form = "groups"

    def __init__(
        self,
        data: Sequence[Sequence[Any]],
        *,
        representatives: Sequence[Sequence[Any]] | None = None,
        n_features: int | None = None,
        feature_names: Iterable[object] | None = None,
    ) -> None:
        results = [list(result) for result in data]
        if not results:
            raise InvalidInputError("at least one result is needed, got none.")
        space = FeatureSpace.from_input(n_features, feature_names)
        groups, features = _index_members(results, space)
        self._set(groups, _index_representatives(representatives, groups, features), features)

    def _set(
        self, groups: Nested, representatives: tuple[IntArray, ...] | None, features: FeatureSpace
    ) -> None:
        self._groups = groups
        self._representatives = representatives
        self._features = features

    @classmethod
    def _from_valid(
        cls, groups: Nested, representatives: tuple[IntArray, ...] | None, features: FeatureSpace
    ) -> Self:
        """Build from parts that are known to be valid."""
        new = cls.__new__(cls)
        new._set(groups, representatives, features)
        return new

    @property
    def sizes(self) -> IntArray:
        """Number of groups in each result."""
        return np.array([len(result) for result in self._groups], dtype=np.int64)

    @property
    def representatives(self) -> tuple[IntArray, ...] | None:
        """For each result the representatives of its groups; None if none were given."""
        return self._representatives

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per member: preference, group, feature, representative."""
        import pandas as pd

        chosen = self._representatives
        rows = [
            (index, number, label, chosen is not None and bool(chosen[index][number] == feature))
            for index, groups in enumerate(self._groups)
            for number, group in enumerate(groups)
            for feature, label in zip(group, self._features.labels(group), strict=True)
        ]
        return pd.DataFrame(rows, columns=["preference", "group", "feature", "representative"])

    def __len__(self) -> int:
        return len(self._groups)

    def _get_preference(self, index: int) -> tuple[NDArray[np.integer], ...]:
        return self._groups[index]

    def _take(self, indices: IndexArray) -> Self:
        chosen = self._representatives
        return self._from_valid(
            tuple(self._groups[i] for i in indices),
            None if chosen is None else tuple(chosen[i] for i in indices),
            self._features,
        )

    @classmethod
    def _concatenate(cls, parts: Sequence[Self]) -> Self:
        chosen = [part._representatives for part in parts]
        if any(part is None for part in chosen) and any(part is not None for part in chosen):
            raise InvalidInputError("either all parts must have representatives or none.")
        representatives = tuple(row for part in chosen if part is not None for row in part)
        groups = tuple(result for part in parts for result in part._groups)
        return cls._from_valid(groups, representatives or None, parts[0]._features)

    def _same_results(self, other: Self) -> bool:
        mine, theirs = self._representatives, other._representatives
        if (mine is None) != (theirs is None):
            return False
        return _equal(self._groups, other._groups) and (
            mine is None or theirs is None or _equal((mine,), (theirs,))
        )

    def _summary(self) -> tuple[str, str]:
        sizes = self.sizes
        low, high = int(sizes.min()), int(sizes.max())
        number = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        return (
            f"{plural(len(self), 'result')} of {number} feature groups",
            'hf.measure("group_matching_index", groups)',
        )


def _equal(mine: Nested, theirs: Nested) -> bool:
    return all(
        len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
        for a, b in zip(mine, theirs, strict=True)
    )


def _index_members(results: list[list[Any]], features: FeatureSpace) -> tuple[Nested, FeatureSpace]:
    """Turn members into sorted indices; a group is read like a selection."""
    flat = [group for result in results for group in result]
    if not flat:
        return tuple(() for _ in results), features
    # all groups at once: names get their numbers in one pass over all results
    indptr, indices, features = read_subsets(flat, features)
    owner = [(i, g) for i, result in enumerate(results) for g in range(len(result))]
    for (i, g), size in zip(owner, np.diff(indptr), strict=True):
        if size == 0:
            raise InvalidInputError(f"group {g} of result {i} is empty.")
    arrays = iter(np.split(freeze(indices), indptr[1:-1]))
    return tuple(tuple(next(arrays) for _ in result) for result in results), features


def _index_representatives(
    representatives: Sequence[Sequence[Any]] | None, groups: Nested, features: FeatureSpace
) -> tuple[IntArray, ...] | None:
    if representatives is None:
        return None
    if len(representatives) != len(groups):
        raise InvalidInputError(
            f"representatives of {len(representatives):,} results were given for "
            f"{len(groups):,} results."
        )
    index_of = features.index_of()
    chosen = []
    for i, (row, result) in enumerate(zip(representatives, groups, strict=True)):
        numbers = [index_of.get(x, -1) if isinstance(x, str) else int(x) for x in row]
        if len(numbers) != len(result):
            raise InvalidInputError(
                f"result {i} has {len(result):,} groups, but {len(numbers):,} representatives."
            )
        for g, (number, group) in enumerate(zip(numbers, result, strict=True)):
            if number not in group:
                raise InvalidInputError(
                    f"the representative {row[g]!r} of group {g} of result {i} is not in the group."
                )
        chosen.append(freeze(np.array(numbers, dtype=np.int64)))
    return tuple(chosen)
