"""The state of a subset search: units of features, visited subsets and their values."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._typing import BoolArray, FeaturesLike, FloatArray, IndexArray, LabelsLike
from holdfast.errors import InvalidInputError
from holdfast.select._search._criterion import Criterion, Moves
from holdfast.select._selector import OfferedFeatures

if TYPE_CHECKING:
    from holdfast.select._search._subset_selector import Sizes


Subset: TypeAlias = tuple[int, ...]
"""Indices of units, sorted."""


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """The units of features: those in every subset, and those that can be added and removed.

    Attributes
    ----------
    units : tuple of ndarray
        The features of each unit, ordered by the first of them.
    forced : tuple of int
        Units that are in every subset.
    free : tuple of int
        Units that can be added and removed; all others are in no subset.
    """

    units: tuple[IndexArray, ...]
    forced: Subset
    free: Subset

    def without_features(self, features: IndexArray) -> SearchSpace:
        """Return a space in which units that consist of these features only are not free."""
        free = [unit for unit in self.free if not np.isin(self.units[unit], features).all()]
        if not free and not self.forced:
            raise InvalidInputError("all features that could be chosen are constant.")
        return replace(self, free=tuple(free))

    @classmethod
    def from_parameters(
        cls,
        n_features: int,
        names: NDArray[np.object_] | None,
        groups: LabelsLike = None,
        forced_in: FeaturesLike = (),
        forced_out: FeaturesLike = (),
    ) -> SearchSpace:
        """Read features by name or index; a feature outside all groups is a single unit."""
        columns = OfferedFeatures(n_features, names)
        units = _group_into_units(columns, groups)
        inside = _whole_units(columns, forced_in, units, "forced_in")
        outside = _whole_units(columns, forced_out, units, "forced_out")
        both = set(inside) & set(outside)
        if both:
            features = columns.format_features(units[min(both)])
            raise InvalidInputError(f"features cannot be forced in and out at once: {features}.")
        free = tuple(sorted(set(range(len(units))) - {*inside, *outside}))
        if not free and not inside:
            raise InvalidInputError("all features are forced out; none is left to choose.")
        return cls(tuple(units), inside, free)

    @property
    def min_size(self) -> int:
        """The smallest size of a subset that can be evaluated."""
        return max(1, len(self.forced))

    @property
    def max_size(self) -> int:
        """The largest size of a subset."""
        return len(self.forced) + len(self.free)

    @property
    def full_subset(self) -> Subset:
        """The largest subset."""
        return tuple(sorted((*self.forced, *self.free)))

    def addable_units(self, subset: Subset) -> Subset:
        """Return the free units that could be added."""
        return tuple(sorted(set(self.free).difference(subset)))

    def removable_units(self, subset: Subset) -> Subset:
        """Return the units that could be removed."""
        return tuple(sorted(set(subset).difference(self.forced)))

    def features(self, subset: Subset) -> IndexArray:
        """Return the features of a subset, in order."""
        if not subset:
            return np.empty(0, dtype=np.intp)
        return np.sort(np.concatenate([self.units[unit] for unit in subset]))

    def mask(self, subset: Subset) -> BoolArray:
        """Return which features are in a subset."""
        chosen = np.zeros(sum(map(len, self.units)), dtype=bool)
        chosen[self.features(subset)] = True
        return chosen

    def read_subset(
        self, features: FeaturesLike, names: NDArray[np.object_] | None, parameter: str
    ) -> Subset:
        """Return the subset of features, with the forced ones; units must be complete."""
        columns = OfferedFeatures(sum(map(len, self.units)), names)
        subset = _whole_units(columns, features, self.units, parameter)
        banned = set(subset) - {*self.free, *self.forced}
        if banned:
            excluded = columns.format_features(self.units[min(banned)])
            raise InvalidInputError(
                f"{parameter} holds features that are forced out, or constant: {excluded}."
            )
        return tuple(sorted({*subset, *self.forced}))


def _group_into_units(columns: OfferedFeatures, groups: LabelsLike) -> list[IndexArray]:
    """Return the units in the order of their first features."""
    members = columns.read_groups(groups, "feature_groups")
    grouped = [feature for group in members for feature in group]
    if len(set(grouped)) < len(grouped) or not all(members):
        raise InvalidInputError(
            "feature_groups must not be empty, and must not share features with each other."
        )
    ungrouped = sorted(set(range(columns.n_features)).difference(grouped))
    units = [*map(sorted, members), *([feature] for feature in ungrouped)]
    return [np.array(unit, dtype=np.intp) for unit in sorted(units)]


def _whole_units(
    columns: OfferedFeatures, named: FeaturesLike, units: Sequence[IndexArray], parameter: str
) -> Subset:
    """Return the units of features; raise if a unit is incomplete."""
    features = set(columns.read(named, parameter))
    indices = [i for i, unit in enumerate(units) if not features.isdisjoint(unit.tolist())]
    incomplete = [i for i in indices if not features.issuperset(units[i].tolist())]
    if incomplete:
        raise InvalidInputError(
            f"{parameter} holds a part of a feature group; a group is added and removed as a "
            f"whole: {columns.format_features(units[incomplete[0]])}."
        )
    return tuple(indices)


# A running search: evaluated moves, visited subsets, and the best subset of each size.

logger = logging.getLogger("holdfast")

SIGNIFICANT_DIGITS = 12
"""Values that agree to this many digits are equal. Accuracies are multiples of a common fraction,
so smaller differences are rounding errors, which must not decide between subsets."""


class Step(NamedTuple):
    """A step of a search.

    Attributes
    ----------
    move : {"start", "add", "remove"}
        The kind of move.
    moved : tuple of int
        The features that were added or removed.
    features : tuple of int
        The features of the subset, sorted.
    size : int
        The number of units of the subset: of features, if none are grouped.
    value : float
        The value of the criterion.
    best : bool
        Whether it is the best subset so far among those of an allowed size.
    """

    move: str
    moved: tuple[int, ...]
    features: tuple[int, ...]
    size: int
    value: float
    best: bool


Callback: TypeAlias = "Callable[[Step], object]"
Memory: TypeAlias = dict[tuple[str, bytes], "FloatArray"]


class Candidate(NamedTuple):
    """A subset and its value."""

    subset: Subset
    value: float

    @property
    def size(self) -> int:
        """Number of units."""
        return len(self.subset)

    def beats(self, other: Candidate | None) -> bool:
        """Return whether its value is higher, or equal with fewer units."""
        if other is None:
            return True
        # of equally good subsets the smaller one is preferred
        return (self.value, -self.size) > (other.value, -other.size)


class SearchStopped(Exception):  # noqa: N818  (nothing went wrong)
    """Raised when a callback ends the search."""


@dataclass
class SearchState:
    """The state of a search: algorithms request neighbours of a subset and make moves.

    Attributes
    ----------
    criterion : Criterion
        The value of subsets.
    space : SearchSpace
        The units to choose from.
    sizes : Sizes
        The allowed sizes of the chosen subset.
    origin : callable
        Returns a hash of everything that the value of a subset depends on.
    callback : callable or None
        Called with each step; returns True to stop.
    memory : dict
        The values of all additions to, or removals from, the subsets visited.
    steps : list
        Moves made, as (move, unit or -1 for a start, candidate, whether it was the best so far).
    best_by_size : dict
        The best candidate of each size.
    best : Candidate or None
        The best candidate of an allowed size.
    n_evaluated : int
        The number of subsets evaluated.
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
    best_by_size: dict[int, Candidate] = field(default_factory=dict)
    best: Candidate | None = None
    n_evaluated: int = 0
    stopped: bool = False

    def start(self, subset: Subset) -> Candidate:
        """Start at a subset; the empty one, which cannot be evaluated, has the value -inf."""
        value = float(self._move_values("value", subset, ())[0]) if subset else -np.inf
        candidate = Candidate(subset, value)
        if value > -np.inf:
            self._record_step("start", -1, candidate)
        return candidate

    def best_addition(self, candidate: Candidate) -> tuple[int, Candidate] | None:
        """Return the unit whose addition gives the best subset, and that subset.

        None if no unit is left, or the classifier cannot be fitted with any of them.
        """
        units = self.space.addable_units(candidate.subset)
        if not units:
            return None
        unit, value = self._best_move("add", candidate.subset, units)
        larger = Candidate(tuple(sorted((*candidate.subset, unit))), value)
        return (unit, larger) if value > -np.inf else None

    def best_removal(self, candidate: Candidate) -> tuple[int, Candidate] | None:
        """Return the unit whose removal leaves the best subset, and that subset, or None."""
        units = self.space.removable_units(candidate.subset)
        if not units or candidate.size <= self.space.min_size:
            return None
        unit, value = self._best_move("remove", candidate.subset, units)
        smaller = Candidate(tuple(other for other in candidate.subset if other != unit), value)
        return (unit, smaller) if value > -np.inf else None

    def _best_move(self, move: str, subset: Subset, units: Subset) -> tuple[int, float]:
        values = self._move_values(move, subset, units)
        best = int(np.argmax(values))  # the first of equals: the lowest index
        return units[best], float(values[best])

    def make_move(self, move: tuple[int, Candidate]) -> Candidate:
        """Make a move."""
        unit, candidate = move
        self._record_step("add" if unit in candidate.subset else "remove", unit, candidate)
        return candidate

    def _record_step(self, move: str, unit: int, candidate: Candidate) -> None:
        best_of_size = self.best_by_size.get(candidate.size)
        if best_of_size is None or candidate.value > best_of_size.value:
            self.best_by_size[candidate.size] = candidate
        best = self.sizes.allow(candidate.size) and candidate.beats(self.best)
        if best:
            self.best = candidate
        self.steps.append((move, unit, candidate, best))
        logger.info("%s: %d units, value %.6g", move, candidate.size, candidate.value)
        # last, so that the step is recorded even if the callback raises
        if self.callback is not None and self.callback(self.get_step(len(self.steps) - 1)):
            self.stopped = True
            raise SearchStopped

    def get_step(self, position: int) -> Step:
        """Return a step in the form for callbacks and users."""
        move, unit, candidate, best = self.steps[position]
        features = tuple(self.space.features(candidate.subset).tolist())
        moved = features if move == "start" else tuple(self.space.units[unit].tolist())
        return Step(move, moved, features, candidate.size, candidate.value, best)

    def _move_values(self, move: str, subset: Subset, units: Subset) -> FloatArray:
        """Return the values of all moves from a subset, from memory if they are known."""
        # bytes are a compact key: a search may visit thousands of subsets
        key = move, np.array(subset, dtype=np.int32).tobytes()
        if key not in self.memory:
            base = self.space.features(subset)
            if move == "remove":
                evaluate = self.criterion.values_without
            else:
                evaluate = self.criterion.values_with
            # the value of the subset itself is that of adding nothing
            moved = [base[:0]] if move == "value" else [self.space.units[unit] for unit in units]
            self.memory[key] = _round_significant(evaluate(base, Moves.from_units(moved)))
            self.n_evaluated += len(self.memory[key])
        return self.memory[key]


def get_best_subset(state: SearchState) -> Candidate:
    """Return the best subset; raise with the reason if there is none."""
    if state.best is not None:
        return state.best
    size = (
        "features" if state.sizes.low == state.sizes.high else f"to {state.sizes.high:,} features"
    )
    if state.stopped:
        raise InvalidInputError(
            f"the search was stopped before it reached a subset of {state.sizes.low:,} {size}."
        )
    if not state.steps:
        why = f": {state.criterion.failure}" if state.criterion.failure else "."
        raise InvalidInputError(
            f"the classifier could not be fitted to any subset that the search starts from{why}"
        )
    why = f" The classifier failed: {state.criterion.failure}" if state.criterion.failure else ""
    raise InvalidInputError(
        f"the classifier could not be fitted to any subset of {state.sizes.low:,} {size} that the "
        f"search reached.{why}"
    )


def _round_significant(values: FloatArray) -> FloatArray:
    """Round each value to 12 significant digits; NaN becomes minus infinity."""
    rounded = np.where(np.isnan(values), -np.inf, values)
    nonzero = np.isfinite(rounded) & (rounded != 0.0)
    places = SIGNIFICANT_DIGITS - np.ceil(np.log10(np.abs(rounded[nonzero])))
    scale = 10.0 ** np.minimum(places, 290)  # larger powers overflow; such values are negligible
    rounded[nonzero] = np.round(rounded[nonzero] * scale) / scale
    return rounded
