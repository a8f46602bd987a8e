"""What a store holds, in the words of the study: names for numbers, arrays for bytes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np

from holdfast._formatting import did_you_mean, format_list
from holdfast.errors import InvalidInputError, StoreError, UnknownNameError
from holdfast.preferences import Groups, Rankings, Subsets, Weights
from holdfast.preferences._scores import empty_table
from holdfast.study._planning._plan import kept_depth
from holdfast.study._storage._store import to_floats, to_integers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from holdfast.study._storage._store import Store


Row = TypeVar("Row", bound="NDArray[np.int32] | list[FeatureGroup]")
OWN_SIZE = 0
"""The size that the store writes where a selector chooses the number of features itself."""
COUNTED = ("main", "inner")
"""Roles of the resamples whose preferences are compared with each other."""
TESTED = ("main", "outer")
"""Roles of the resamples whose predictions count."""
DONE = "JOIN units USING (selector, resample) WHERE units.status = 'done' AND "


@dataclass(frozen=True, slots=True)
class ResampleInfo:
    """What the tables need to know about a resample."""

    role: str
    outer: int | None
    n_train: int
    n_test: int
    n_offered: int | None
    noise: float
    draw: int | None


class FeatureGroup(NamedTuple):
    """A group of features that a selector found."""

    representative: int
    members: NDArray[np.int32]


class View:
    """A store, read on demand; what is small is kept."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @cached_property
    def feature_chances(self) -> dict[tuple[int, int], Any]:
        """The chances of features that are estimated already, by selector and size."""
        return {}

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The plan of the study."""
        plan: dict[str, Any] | None = self.store.fact("plan")
        if plan is None:
            raise StoreError(
                f"{self.store.path or 'the store in memory'}: the study stopped before its plan "
                "was written; nothing was computed. Start it again in another folder."
            )
        return plan

    @cached_property
    def selectors(self) -> tuple[str, ...]:
        """Names of the selectors, in the order of the plan."""
        return tuple(one["name"] for one in self.plan["selectors"])

    @cached_property
    def classifiers(self) -> tuple[str, ...]:
        """Names of the classifiers, in the order of the plan."""
        return tuple(one["name"] for one in self.plan["classifiers"])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the classes."""
        return tuple(row[0] for row in self.store.query("SELECT label FROM classes ORDER BY class"))

    @cached_property
    def _features(self) -> list[tuple[str, int | None]]:
        return self.store.query("SELECT name, direction FROM features ORDER BY feature")

    @cached_property
    def feature_names(self) -> NDArray[np.object_]:
        """Names of the features."""
        return np.array([name for name, _ in self._features], dtype=object)

    @cached_property
    def directions(self) -> NDArray[np.object_]:
        """For each feature the label of the class in which its mean is highest, or None."""
        found = [None if way is None else self.labels[way] for _, way in self._features]
        return np.array(found, dtype=object)

    @cached_property
    def truth(self) -> tuple[str, ...] | None:
        """Names of the features that truly matter, None where that is not known."""
        rows = self.store.query("SELECT name, informative FROM features ORDER BY feature")
        if all(informative is None for _, informative in rows):
            return None
        return tuple(name for name, informative in rows if informative)

    @cached_property
    def depth(self) -> int:
        """How many features of each ranking are kept."""
        return kept_depth(self.plan)

    @cached_property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.plan["data"]["n_features"])

    @cached_property
    def parts(self) -> dict[int, ResampleInfo]:
        """The resamples by number, without their rows."""
        rows = self.store.query(
            "SELECT resample, role, outer_resample, length(train) / 4, length(test) / 4, "
            "length(features) / 4, noise, draw FROM resamples ORDER BY resample"
        )
        return {number: ResampleInfo(*rest) for number, *rest in rows}

    @cached_property
    def reference(self) -> int | None:
        """Number of the resample that the others are compared with; None if there is none."""
        return next((i for i, part in self.parts.items() if part.role == "reference"), None)

    @cached_property
    def grouped(self) -> bool:
        """Whether preferences are compared within groups of resamples, then averaged."""
        return any(p.role in COUNTED and p.outer is not None for p in self.parts.values())

    @cached_property
    def drawn(self) -> bool:
        """Whether each resample is a data set of its own, drawn from a generator."""
        return any(part.draw is not None for part in self.parts.values())

    @cached_property
    def tests(self) -> dict[int, NDArray[np.int32]]:
        """Rows of the test parts that count, by resample."""
        rows = self.store.query("SELECT resample, test FROM resamples ORDER BY resample")
        return {i: to_integers(test) for i, test in rows if self.parts[i].role in TESTED}

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """Class of each sample."""
        rows = self.store.query("SELECT class FROM samples ORDER BY sample")
        return np.array([row[0] for row in rows], dtype=np.int64)

    def number(self, selector: str) -> int:
        """Return the place of a selector in the plan."""
        if selector not in self.selectors:
            raise UnknownNameError(
                f"no selector of this study is called {selector!r}."
                f"{did_you_mean(selector, self.selectors)}"
            )
        return self.selectors.index(selector)

    def sizes(self, selector: int) -> list[int]:
        """Sizes asked of a selector; its own alone where it chooses the size."""
        if self.plan["selectors"][selector]["own_size"]:
            return [OWN_SIZE]
        return [int(size) for size in self.plan["sizes"]]

    def choices(self, selector: int) -> dict[int, NDArray[np.int32]]:
        """Return the features that a selector prefers, best first, by resample.

        As many as are kept; where the selector chooses the size, those that it chose.
        """
        own = self.sizes(selector) == [OWN_SIZE]
        return {i: to_integers(data) for i, data in self.raw(selector, "subset" if own else "top")}

    def finds_groups(self, selector: str) -> bool:
        """Return whether a selector has found groups of features."""
        found = self.store.query(
            "SELECT 1 FROM groups WHERE selector = ? LIMIT 1", (self.number(selector),)
        )
        return bool(found)

    def feature_groups(self, selector: int) -> dict[int, list[FeatureGroup]]:
        """Return the groups that a selector prefers, best first, by resample.

        The features of a selector that finds no groups stand each for itself.
        """
        rows = self.store.query(
            "SELECT resample, representative, members FROM groups WHERE selector = ? "
            "ORDER BY resample, position",
            (selector,),
        )
        alone = self.choices(selector)
        if not rows:
            return {
                i: [FeatureGroup(f, row[[at]]) for at, f in enumerate(row)]
                for i, row in alone.items()
            }
        found: dict[int, list[FeatureGroup]] = {number: [] for number in alone}
        for number, representative, members in rows:
            if number in found:
                found[number].append(FeatureGroup(representative, to_integers(members)))
        return found

    def raw(self, selector: int, form: str) -> list[tuple[int, bytes]]:
        """Return the stored preferences of one form: resample and data, of done units only."""
        return self.store.query(
            f"SELECT resample, data FROM preferences {DONE} selector = ? AND form = ? "
            "ORDER BY resample",
            (selector, form),
        )

    def forms(self, selector: int) -> set[str]:
        """Return the forms of preferences that are kept of a selector."""
        rows = self.store.query(
            f"SELECT DISTINCT form FROM preferences {DONE} selector = ?", (selector,)
        )
        return {row[0] for row in rows}

    def kept(self, selector: int, wanted: Iterable[str]) -> str | None:
        """Return the first of these forms that is kept of a selector; None where none is."""
        forms = self.forms(selector)
        return next((form for form in wanted if form in forms), None)

    def counted(self, found: dict[int, Any]) -> list[int]:
        """Return the numbers, among those found, of resamples that are compared."""
        return [i for i in found if self.parts[i].role in COUNTED]


def size_label(size: int) -> int | str:
    """Return a size as people read it."""
    return "own" if size == OWN_SIZE else size


def cut(rows: list[Row], size: int) -> list[Row]:
    """Return the first entries of each row; all of them where the size is the selector's own."""
    return rows if size == OWN_SIZE else [row[:size] for row in rows]  # type: ignore[misc]


# From stored rows to systems of preferences.


def subsets(rows: list[NDArray[np.int32]], **features: Any) -> Subsets:
    """Return selections of features."""
    return Subsets(rows, **features)


def groups(rows: list[list[FeatureGroup]], **features: Any) -> Groups:
    """Return results that are groups of features."""
    return Groups(
        [[group.members for group in row] for row in rows],
        representatives=[[group.representative for group in row] for row in rows],
        **features,
    )


def rankings(rows: list[bytes], **features: Any) -> Rankings:
    """Return rankings of all features."""
    return Rankings(_table(rows, to_integers), **features)


def weights(rows: list[bytes], **features: Any) -> Weights:
    """Return weights of all features."""
    return Weights(_table(rows, to_floats), **features)


def _table(rows: Sequence[bytes], read: Callable[[bytes], NDArray[Any]]) -> NDArray[Any]:
    if not rows:
        raise InvalidInputError("at least one preference is needed, got none.")
    first = read(rows[0])
    table = empty_table((len(rows), len(first)), first.dtype)
    for position, row in enumerate(rows):
        table[position] = read(row)
    return table


# The preferences behind a result, by selector and size.

Key: TypeAlias = "str | tuple[str, int | str]"


class StudyPreferences:
    """What the selectors of a study preferred, read from its store on demand.

    ``preferences["relieff", 10]`` are `Subsets`: the ten best features of each resample (any
    number up to `Result.depth`, the number of features of each ranking that are kept; ``"own"``
    for a selector that chooses the number itself). ``preferences["relieff"]`` are `Weights`, or
    else `Rankings`, of all features; they are kept where the study asked for a measure of them.
    ``preferences.groups("drags", 10)`` are `Groups`. Iteration gives the keys.

    Resamples whose selection failed or is still to do are left out; so are the outer ones of a
    nested study and the reference result on all data.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    @overload
    def __getitem__(self, key: str) -> Weights | Rankings: ...
    @overload
    def __getitem__(self, key: tuple[str, int | str]) -> Subsets: ...
    def __getitem__(self, key: Key) -> Subsets | Weights | Rankings:
        if isinstance(key, str):
            return self._whole(self._view.number(key), key)
        name, size = key
        selector = self._view.number(name)
        return self._subsets(selector, name, self._size(selector, name, size))

    def groups(self, name: str, size: int | str) -> Groups:
        """Return the groups of features that a selector preferred on each resample.

        Parameters
        ----------
        name : str
            The selector; the features of one that finds no groups stand each for itself.
        size : int or "own"
            The best so many groups; ``"own"`` for a selector that chooses their number itself.

        Returns
        -------
        Groups
            One result a resample, with representatives.
        """
        selector = self._view.number(name)
        count = self._size(selector, name, size)
        found = self._view.feature_groups(selector)
        rows = [found[number] for number in self._view.counted(found)]
        _check_any(name, len(rows))
        return groups(cut(rows, count), feature_names=self._view.feature_names)

    def keys(self) -> list[Key]:
        """Return the keys: pairs of selector and size, and selectors by themselves."""
        view = self._view
        keys: list[Key] = []
        for selector, name in enumerate(view.selectors):
            keys += [(name, size_label(size)) for size in view.sizes(selector)]
            keys += [name] * bool(view.forms(selector) & {"ranks", "weights"})
        return keys

    def __iter__(self) -> Iterator[Key]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __repr__(self) -> str:
        return f"<preferences: {format_list(self.keys())}. Next: preferences[key]>"

    def _size(self, selector: int, name: str, size: int | str) -> int:
        known = self._view.sizes(selector)
        if known == [OWN_SIZE] and size in ("own", OWN_SIZE):
            return OWN_SIZE
        if known != [OWN_SIZE] and not isinstance(size, str) and 1 <= size <= self._view.depth:
            return size
        allowed = '"own"' if known == [OWN_SIZE] else f"1 to {self._view.depth}"
        raise InvalidInputError(f"sizes of {name} are {allowed}, got {size!r}.")

    def _subsets(self, selector: int, name: str, size: int) -> Subsets:
        found = self._view.choices(selector)
        rows = [found[number] for number in self._view.counted(found)]
        _check_any(name, len(rows))
        return subsets(cut(rows, size), feature_names=self._view.feature_names)

    def _whole(self, selector: int, name: str) -> Weights | Rankings:
        forms = self._view.forms(selector)
        for form, build in (("weights", weights), ("ranks", rankings)):
            if form in forms:
                found = dict(self._view.raw(selector, form))
                rows = [found[number] for number in self._view.counted(found)]
                _check_any(name, len(rows))
                return build(rows, feature_names=self._view.feature_names)
        size = size_label(self._view.sizes(selector)[0])
        raise InvalidInputError(
            f"the whole rankings or weights of {name} were not kept: the study asked for no "
            f"measure of them, or {name} gives none. Its selections are there: "
            f"preferences[{name!r}, {size!r}]."
        )


def _check_any(name: str, count: int) -> None:
    if count == 0:
        raise InvalidInputError(f"no resample of {name} is done yet; resume the study.")
