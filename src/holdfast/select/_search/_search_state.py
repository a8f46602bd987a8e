"""What a search may choose from: units of features that come and go as one."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.select._search._criterion import Moves
from holdfast.select._selector import OfferedFeatures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from holdfast.select._search._criterion import Criterion, Values
    from holdfast.select._search._subset_selector import Sizes


Subset: TypeAlias = tuple[int, ...]
"""Numbers of units, in order."""


@dataclass(frozen=True, eq=False)
class SearchSpace:
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

    def without(self, features: NDArray[np.intp]) -> SearchSpace:
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
    ) -> SearchSpace:
        """Read the units, by numbers or names of features; what is in no group is by itself."""
        columns = OfferedFeatures(n_features, names)
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
        columns = OfferedFeatures(sum(map(len, self.units)), names)
        subset = _whole_units(columns, features, self.units, what)
        banned = set(subset) - {*self.free, *self.forced}
        if banned:
            told = columns.called(self.units[min(banned)])
            raise InvalidInputError(
                f"{what} holds features that are forced out, or constant: {told}."
            )
        return tuple(sorted({*subset, *self.forced}))


def _units(columns: OfferedFeatures, groups: Any) -> list[NDArray[np.intp]]:  # noqa: ANN401
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
    columns: OfferedFeatures,
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


# A search under way: what was judged, where it went, and the best subset of each size.

logger = logging.getLogger("holdfast")

DIGITS = 12
"""Values that agree to so many digits are equal: sums of hits differ by rounding alone."""


class Step(NamedTuple):
    """A step of a search.

    Attributes
    ----------
    move : {"start", "add", "remove"}
        How the subset came about.
    moved : tuple of int
        The features that came or went.
    features : tuple of int
        The features of the subset, in order.
    size : int
        How many units the subset has: features, where none are grouped.
    value : float
        The criterion.
    best : bool
        Whether it is the best subset so far, of those whose size may be chosen.
    """

    move: str
    moved: tuple[int, ...]
    features: tuple[int, ...]
    size: int
    value: float
    best: bool


Callback: TypeAlias = "Callable[[Step], object]"
Memory: TypeAlias = dict[tuple[str, bytes], "Values"]


class Candidate(NamedTuple):
    """A subset, and what it is worth."""

    subset: Subset
    value: float

    @property
    def size(self) -> int:
        """Number of units."""
        return len(self.subset)

    def beats(self, other: Candidate | None) -> bool:
        """Tell whether it is worth more, or as much with fewer units."""
        if other is None:
            return True
        return (self.value, -self.size) > (other.value, -other.size)


class SearchStopped(Exception):  # noqa: N818  (nothing went wrong)
    """A callback has seen enough."""


@dataclass
class SearchState:
    """The state of a search; algorithms ask it for neighbours and tell it where to go.

    Attributes
    ----------
    criterion : Criterion
        What a subset is worth.
    space : Space
        The units to choose from.
    sizes : Sizes
        The sizes that the chosen subset may have.
    origin : callable
        Gives a fingerprint of all that the value of a subset depends on.
    callback : callable or None
        Told of each step; returns True to stop.
    memory : dict
        What was judged: values of all additions to, or removals from, a subset.
    steps : list
        Moves made, as (move, unit or -1 for a start, place, whether it was the best so far).
    kept : dict
        The best place of each size.
    best : Place or None
        The best place of a size that may be chosen.
    n_judged : int
        How many subsets the criterion was asked for.
    stopped : bool
        Whether the callback ended the search.
    """

    criterion: Criterion
    space: SearchSpace
    sizes: Sizes
    origin: Callable[[], str]
    callback: Callback | None = None
    memory: Memory = field(default_factory=dict)
    steps: list[tuple[str, int, Candidate, bool]] = field(default_factory=list)
    kept: dict[int, Candidate] = field(default_factory=dict)
    best: Candidate | None = None
    n_judged: int = 0
    stopped: bool = False

    def start(self, subset: Subset) -> Candidate:
        """Begin at a subset; one that cannot be judged, as the empty one, is worth nothing."""
        value = float(self._values("value", subset, ())[0]) if subset else -np.inf
        place = Candidate(subset, value)
        if value > -np.inf:
            self._arrive("start", -1, place)
        return place

    def larger(self, place: Candidate) -> tuple[int, Candidate] | None:
        """Return the unit whose addition is worth most, and where it leads.

        None where no unit is left, or the classifier cannot be fitted with any of them.
        """
        units = self.space.absent(place.subset)
        if not units:
            return None
        unit, value = self._best_move("add", place.subset, units)
        larger = Candidate(tuple(sorted((*place.subset, unit))), value)
        return (unit, larger) if value > -np.inf else None

    def smaller(self, place: Candidate) -> tuple[int, Candidate] | None:
        """Return the unit whose removal leaves most, and where it leads; None as for `larger`."""
        units = self.space.movable(place.subset)
        if not units or place.size <= self.space.least:
            return None
        unit, value = self._best_move("remove", place.subset, units)
        smaller = Candidate(tuple(other for other in place.subset if other != unit), value)
        return (unit, smaller) if value > -np.inf else None

    def _best_move(self, move: str, subset: Subset, units: Subset) -> tuple[int, float]:
        values = self._values(move, subset, units)
        at = int(np.argmax(values))  # the first of equals: the lowest index
        return units[at], float(values[at])

    def go(self, move: tuple[int, Candidate]) -> Candidate:
        """Make a move."""
        unit, place = move
        self._arrive("add" if unit in place.subset else "remove", unit, place)
        return place

    def _arrive(self, move: str, unit: int, place: Candidate) -> None:
        kept = self.kept.get(place.size)
        if kept is None or place.value > kept.value:
            self.kept[place.size] = place
        best = self.sizes.allow(place.size) and place.beats(self.best)
        if best:
            self.best = place
        self.steps.append((move, unit, place, best))
        logger.info("%s: %d units, value %.6g", move, place.size, place.value)
        if self.callback is not None and self.callback(self.told(len(self.steps) - 1)):
            self.stopped = True
            raise SearchStopped

    def told(self, position: int) -> Step:
        """Return a step as callbacks and users see it."""
        move, unit, place, best = self.steps[position]
        features = tuple(self.space.features(place.subset).tolist())
        moved = features if move == "start" else tuple(self.space.units[unit].tolist())
        return Step(move, moved, features, place.size, place.value, best)

    def _values(self, move: str, subset: Subset, units: Subset) -> Values:
        """Judge all moves from a subset, unless that was done before."""
        key = move, np.array(subset, dtype=np.int32).tobytes()
        if key not in self.memory:
            self.memory[key] = self._judged(move, subset, units)
            self.n_judged += len(self.memory[key])
        return self.memory[key]

    def _judged(self, move: str, subset: Subset, units: Subset) -> Values:
        base = self.space.features(subset)
        if move == "value":
            return _round_significant(self.criterion.added(base, Moves.of([base[:0]])))
        judge = self.criterion.added if move == "add" else self.criterion.removed
        return _round_significant(judge(base, Moves.of([self.space.units[unit] for unit in units])))


def get_best_subset(walk: SearchState) -> Candidate:
    """Return the best subset; where there is none, an error says why."""
    if walk.best is not None:
        return walk.best
    size = "features" if walk.sizes.low == walk.sizes.high else f"to {walk.sizes.high:,} features"
    if walk.stopped:
        raise InvalidInputError(
            f"the search was stopped before it met a subset of {walk.sizes.low:,} {size}."
        )
    if not walk.steps:
        why = f": {walk.criterion.failure}" if walk.criterion.failure else "."
        raise InvalidInputError(
            f"the classifier could not be fitted to any subset that the search starts from{why}"
        )
    why = f" The classifier said: {walk.criterion.failure}" if walk.criterion.failure else ""
    raise InvalidInputError(
        f"no subset of {walk.sizes.low:,} {size} was met that the classifier could be fitted to."
        f"{why}"
    )


def _round_significant(values: Values) -> Values:
    """Round each value to its own first digits, so that rounding errors make no difference."""
    rounded = np.where(np.isnan(values), -np.inf, values)
    some = np.isfinite(rounded) & (rounded != 0.0)
    places = DIGITS - np.ceil(np.log10(np.abs(rounded[some])))
    scale = 10.0 ** np.minimum(places, 290)  # what is smaller is as good as 0
    rounded[some] = np.round(rounded[some] * scale) / scale
    return rounded
