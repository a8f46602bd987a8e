"""What a search may choose from: units of features that come and go as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from holdfast._text import shortened
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
        unit_of = np.empty(n_features, dtype=np.intp)
        for number, unit in enumerate(units):
            unit_of[unit] = number
        inside = _whole_units(columns.read(forced_in, "forced_in"), units, unit_of, "forced_in")
        outside = _whole_units(columns.read(forced_out, "forced_out"), units, unit_of, "forced_out")
        both = set(inside) & set(outside)
        if both:
            raise InvalidInputError(
                f"features cannot be forced in and out at once: {shortened(units[min(both)])}."
            )
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
        n_features = sum(map(len, self.units))
        unit_of = np.empty(n_features, dtype=np.intp)
        for number, unit in enumerate(self.units):
            unit_of[unit] = number
        given = Columns(n_features, names).read(features, what)
        subset = _whole_units(given, self.units, unit_of, what)
        banned = set(subset) - {*self.free, *self.forced}
        if banned:
            raise InvalidInputError(
                f"{what} holds features that are forced out: {shortened(self.units[min(banned)])}."
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
    features: list[int],
    units: Sequence[NDArray[np.intp]],
    unit_of: NDArray[np.intp],
    what: str,
) -> Subset:
    """Return the units that some features make up; a part of a unit is refused."""
    numbers = sorted({int(unit_of[feature]) for feature in features})
    parted = [number for number in numbers if not set(units[number].tolist()) <= set(features)]
    if parted:
        raise InvalidInputError(
            f"{what} holds a part of a feature group; a group comes and goes as one: "
            f"{shortened(units[parted[0]])}."
        )
    return tuple(numbers)
