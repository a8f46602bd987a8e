"""What a search may choose from: units of features that come and go as one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.select._columns import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Subset: TypeAlias = tuple[int, ...]
"""Numbers of units, in order."""


@dataclass(frozen=True, eq=False)
class Space:
    """The units of features, those that are always in, and those that are free to move.

    Attributes
    ----------
    units : tuple of ndarray
        The features of each unit, ordered by the first of them.
    forced : tuple of int
        Units that are in every subset.
    free : tuple of int
        Units that may come and go; those left are in no subset.
    """

    units: tuple[NDArray[np.intp], ...]
    forced: Subset
    free: Subset

    def without(self, features: NDArray[np.intp]) -> Space:
        """Return a space where units of these features alone are not free."""
        free = [unit for unit in self.free if not np.isin(self.units[unit], features).all()]
        if not free and not self.forced:
            raise InvalidInputError("all features that could be chosen are constant.")
        return replace(self, free=tuple(free))

    @classmethod
    def of(
        cls,
        n_features: int,
        names: NDArray[np.object_] | None,
        groups: Any = None,  # noqa: ANN401
        forced_in: Any = (),  # noqa: ANN401
        forced_out: Any = (),  # noqa: ANN401
    ) -> Space:
        """Read the units, by numbers or names of features; what is in no group is by itself."""
        columns = Columns(n_features, names)
        units = _units(columns, groups)
        inside = _whole_units(columns, forced_in, units, "forced_in")
        outside = _whole_units(columns, forced_out, units, "forced_out")
        both = set(inside) & set(outside)
        if both:
            told = columns.called(units[min(both)])
            raise InvalidInputError(f"features cannot be forced in and out at once: {told}.")
        free = tuple(sorted(set(range(len(units))) - {*inside, *outside}))
        if not free and not inside:
            raise InvalidInputError("all features are forced out; none is left to choose.")
        return cls(tuple(units), inside, free)

    @property
    def least(self) -> int:
        """The smallest size of a subset that can be judged."""
        return max(1, len(self.forced))

    @property
    def most(self) -> int:
        """The largest size of a subset."""
        return len(self.forced) + len(self.free)

    @property
    def everything(self) -> Subset:
        """The largest subset."""
        return tuple(sorted((*self.forced, *self.free)))

    def absent(self, subset: Subset) -> Subset:
        """Return the free units that could be added."""
        return tuple(sorted(set(self.free).difference(subset)))

    def movable(self, subset: Subset) -> Subset:
        """Return the units that could be removed."""
        return tuple(sorted(set(subset).difference(self.forced)))

    def features(self, subset: Subset) -> NDArray[np.intp]:
        """Return the features of a subset, in order."""
        if not subset:
            return np.empty(0, dtype=np.intp)
        return np.sort(np.concatenate([self.units[unit] for unit in subset]))

    def mask(self, subset: Subset) -> NDArray[np.bool_]:
        """Return which features are in a subset."""
        chosen = np.zeros(sum(map(len, self.units)), dtype=bool)
        chosen[self.features(subset)] = True
        return chosen

    def subset_of(self, features: Any, names: NDArray[np.object_] | None, what: str) -> Subset:  # noqa: ANN401
        """Return the subset of some features, the forced ones included; units must be whole."""
        columns = Columns(sum(map(len, self.units)), names)
        subset = _whole_units(columns, features, self.units, what)
        banned = set(subset) - {*self.free, *self.forced}
        if banned:
            told = columns.called(self.units[min(banned)])
            raise InvalidInputError(
                f"{what} holds features that are forced out, or constant: {told}."
            )
        return tuple(sorted({*subset, *self.forced}))


def _units(columns: Columns, groups: Any) -> list[NDArray[np.intp]]:  # noqa: ANN401
    """Return the units in the order of their first features."""
    known = columns.read_groups(groups, "feature_groups")
    taken = [feature for group in known for feature in group]
    if len(set(taken)) < len(taken) or not all(known):
        raise InvalidInputError(
            "feature_groups must not be empty, nor share features with each other."
        )
    alone = sorted(set(range(columns.n_features)).difference(taken))
    units = [*map(sorted, known), *([feature] for feature in alone)]
    return [np.array(unit, dtype=np.intp) for unit in sorted(units)]


def _whole_units(
    columns: Columns,
    given: Any,  # noqa: ANN401
    units: Sequence[NDArray[np.intp]],
    what: str,
) -> Subset:
    """Return the units that some features make up; a part of a unit is refused."""
    features = set(columns.read(given, what))
    numbers = [n for n, unit in enumerate(units) if not features.isdisjoint(unit.tolist())]
    parted = [n for n in numbers if not features.issuperset(units[n].tolist())]
    if parted:
        raise InvalidInputError(
            f"{what} holds a part of a feature group; a group comes and goes as one: "
            f"{columns.called(units[parted[0]])}."
        )
    return tuple(numbers)
