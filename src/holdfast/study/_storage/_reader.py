"""Read a store: names instead of numbers, arrays instead of bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import did_you_mean, format_list
from holdfast._typing import AnyArray, IntArray
from holdfast.errors import InvalidInputError, StoreError, UnknownNameError
from holdfast.preferences import Groups, Rankings, Subsets, Weights, empty_table
from holdfast.resample import ReplicationPairs
from holdfast.study._planning._plan import plan_depth
from holdfast.study._storage._store import Store, to_floats, to_integers

Row = TypeVar("Row", bound="NDArray[np.int32] | list[FeatureGroup]")
OWN_SIZE = 0
"""The size in the store if the selector chooses the number of features."""
COMPARED_ROLES = ("main", "inner")
"""Roles of the resamples whose preferences are compared with each other."""
TESTED_ROLES = ("main", "outer")
"""Roles of the resamples whose predictions count."""
DONE_UNITS_SQL = "JOIN units USING (selector, resample) WHERE units.status = 'done' AND "


@dataclass(frozen=True, slots=True)
class ResampleInfo:
    """A resample without its rows."""

    role: str
    outer: int | None
    n_train: int
    n_test: int
    n_offered: int | None
    noise: float
    draw: int | None


class FeatureGroup(NamedTuple):
    """A group of features selected on one resample."""

    representative: int
    members: NDArray[np.int32]


class StudyReader:
    """Reads the store of a study on demand; small parts are cached."""

    def __init__(self, store: Store) -> None:
        self.store = store

    @cached_property
    def feature_chances(self) -> dict[tuple[int, int], Any]:
        """Cache of the estimated chances of features, by selector and size."""
        return {}

    @cached_property
    def expected_shares(self) -> dict[tuple[int, int], Any]:
        """Cache of the expected shares of lists, by selector and size."""
        return {}

    @cached_property
    def signed_scores(self) -> dict[int, Any]:
        """Cache of the t statistics of one selector: those of all may not fit into memory."""
        return {}

    @cached_property
    def short_lists(self) -> dict[tuple[int, int], bool]:
        """Cache of whether a selector found fewer features than requested, by the same keys."""
        return {}

    @cached_property
    def pair_values(self) -> dict[tuple[int, int, str], Any]:
        """Cache of the similarities of disjoint parts, by selector, size and measure."""
        return {}

    @cached_property
    def replication_rows(self) -> dict[tuple[int, int, str], dict[str, Any]]:
        """Cache of the rows of the table of replication stability, by the same keys."""
        return {}

    @cached_property
    def replication_pairs(self) -> ReplicationPairs:
        """Positions of the disjoint parts of the data."""
        return ReplicationPairs.from_resamples(list(self.resamples.values()))

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
        return tuple(selector["name"] for selector in self.plan["selectors"])

    @cached_property
    def classifiers(self) -> tuple[str, ...]:
        """Names of the classifiers, in the order of the plan."""
        return tuple(entry["name"] for entry in self.plan["classifiers"])

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
        """The label of the class in which the mean of each feature is highest, or None."""
        labels = [None if code is None else self.labels[code] for _, code in self._features]
        return np.array(labels, dtype=object)

    @cached_property
    def truth(self) -> tuple[str, ...] | None:
        """Names of the truly informative features; None if unknown."""
        rows = self.store.query("SELECT name, informative FROM features ORDER BY feature")
        if all(informative is None for _, informative in rows):
            return None
        return tuple(name for name, informative in rows if informative)

    @cached_property
    def depth(self) -> int:
        """How many features of each ranking are stored."""
        return plan_depth(self.plan)

    @cached_property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.plan["data"]["n_features"])

    @cached_property
    def resamples(self) -> dict[int, ResampleInfo]:
        """The resamples by number, without their rows."""
        rows = self.store.query(
            "SELECT resample, role, outer_resample, length(train) / 4, length(test) / 4, "
            "length(features) / 4, noise, draw FROM resamples ORDER BY resample"
        )  # 4 bytes per row: the blobs themselves are not read
        return {number: ResampleInfo(*rest) for number, *rest in rows}

    @cached_property
    def reference(self) -> int | None:
        """Position of the resample that the others are compared with; None if there is none."""
        return next((i for i, info in self.resamples.items() if info.role == "reference"), None)

    @cached_property
    def is_grouped(self) -> bool:
        """Whether preferences are compared within groups of resamples, then averaged."""
        return any(
            p.role in COMPARED_ROLES and p.outer is not None for p in self.resamples.values()
        )

    @cached_property
    def is_drawn(self) -> bool:
        """Whether each resample is a new data set drawn from a generator."""
        return any(info.draw is not None for info in self.resamples.values())

    @cached_property
    def test_rows(self) -> dict[int, NDArray[np.int32]]:
        """Rows of the test parts that errors are computed on, by resample."""
        rows = self.store.query("SELECT resample, test FROM resamples ORDER BY resample")
        return {i: to_integers(test) for i, test in rows if self.resamples[i].role in TESTED_ROLES}

    @cached_property
    def classes(self) -> IntArray:
        """Class of each sample."""
        rows = self.store.query("SELECT class FROM samples ORDER BY sample")
        return np.array([row[0] for row in rows], dtype=np.int64)

    def query_units(
        self, statement: str, arguments: Sequence[object] = ()
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a query about units, whose checksums are verified before."""
        self.store.verify()
        return self.store.query(statement, arguments)

    def selector_index(self, selector: str) -> int:
        """Return the position of a selector in the plan."""
        if selector not in self.selectors:
            raise UnknownNameError(
                f"no selector of this study is called {selector!r}."
                f"{did_you_mean(selector, self.selectors)}"
            )
        return self.selectors.index(selector)

    def sizes(self, selector: int) -> list[int]:
        """Return the requested sizes; `OWN_SIZE` alone if the selector chooses the size."""
        if self.plan["selectors"][selector]["own_size"]:
            return [OWN_SIZE]
        return [int(size) for size in self.plan["sizes"]]

    def selected_features(self, selector: int) -> dict[int, NDArray[np.int32]]:
        """Return the stored features of a selector, best first, by resample.

        If the selector chooses the size, these are the selected ones.
        """
        form = "subset" if self.sizes(selector) == [OWN_SIZE] else "top"
        return {i: to_integers(data) for i, data in self.stored_data(selector, form)}

    def has_groups(self, selector: str) -> bool:
        """Return whether groups of features are stored for a selector."""
        rows = self.query_units(
            "SELECT 1 FROM groups WHERE selector = ? LIMIT 1", (self.selector_index(selector),)
        )
        return bool(rows)

    def feature_groups(self, selector: int) -> dict[int, list[FeatureGroup]]:
        """Return the groups of a selector, best first, by resample.

        Without groups, each feature is a group of one.
        """
        rows = self.query_units(
            "SELECT resample, representative, members FROM groups WHERE selector = ? "
            "ORDER BY resample, position",
            (selector,),
        )
        features = self.selected_features(selector)
        if not rows:
            return {
                i: [FeatureGroup(f, row[[rank]]) for rank, f in enumerate(row)]
                for i, row in features.items()
            }
        groups: dict[int, list[FeatureGroup]] = {number: [] for number in features}
        for number, representative, members in rows:
            if number in groups:
                groups[number].append(FeatureGroup(representative, to_integers(members)))
        return groups

    def stored_data(self, selector: int, form: str) -> list[tuple[int, bytes]]:
        """Return resample and data of the stored preferences of one form, of done units only."""
        return self.query_units(
            f"SELECT resample, data FROM preferences {DONE_UNITS_SQL} selector = ? AND form = ? "
            "ORDER BY resample",
            (selector, form),
        )

    def stored_forms(self, selector: int) -> set[str]:
        """Return the forms of preferences that are stored for a selector."""
        rows = self.query_units(
            f"SELECT DISTINCT form FROM preferences {DONE_UNITS_SQL} selector = ?", (selector,)
        )
        return {row[0] for row in rows}

    def first_stored_form(self, selector: int, wanted: Iterable[str]) -> str | None:
        """Return the first of these forms that is stored for a selector; None if none is."""
        forms = self.stored_forms(selector)
        return next((form for form in wanted if form in forms), None)

    def compared(self, rows: dict[int, Any]) -> list[int]:
        """Return the positions of resamples that are compared with each other."""
        return [i for i in rows if self.resamples[i].role in COMPARED_ROLES]


def size_label(size: int) -> int | str:
    """Return a size as the tables show it."""
    return "own" if size == OWN_SIZE else size


def cut(rows: list[Row], size: int) -> list[Row]:
    """Return the first entries of each row; all of them for `OWN_SIZE`."""
    return rows if size == OWN_SIZE else [row[:size] for row in rows]  # type: ignore[misc]


# Preferences from stored rows.


def subsets(rows: list[NDArray[np.int32]], **features: Any) -> Subsets:
    """Return selections of features."""
    return Subsets(rows, **features)


def groups(rows: list[list[FeatureGroup]], **features: Any) -> Groups:
    """Return groups of features."""
    return Groups(
        [[group.members for group in row] for row in rows],
        representatives=[[group.representative for group in row] for row in rows],
        **features,
    )


def rankings(rows: list[bytes], **features: Any) -> Rankings:
    """Return rankings of all features."""
    return Rankings(_stack_rows(rows, to_integers), **features)


def weights(rows: list[bytes], **features: Any) -> Weights:
    """Return weights of all features."""
    return Weights(_stack_rows(rows, to_floats), **features)


def _stack_rows(rows: Sequence[bytes], read: Callable[[bytes], AnyArray]) -> AnyArray:
    if not rows:
        raise InvalidInputError("at least one preference is needed, got none.")
    first = read(rows[0])  # row by row: a copy of all rows may not fit into memory
    table = empty_table((len(rows), len(first)), first.dtype)
    for position, row in enumerate(rows):
        table[position] = read(row)
    return table


# The preferences of a study, by selector and size.

Key: TypeAlias = "str | tuple[str, int | str]"


class StudyPreferences:
    """The preferences of the selectors of a study, read from its store on demand.

    ``preferences["relieff", 10]`` are `Subsets`: the ten best features of each resample (any
    number up to `Result.depth`; ``"own"`` for a selector that chooses the number).
    ``preferences["relieff"]`` are `Weights`, or else `Rankings`, of all features; they are stored
    if a measure of the study needs them. ``preferences.groups("drags", 10)`` are `Groups`.
    Iteration yields the keys.

    Resamples that failed or are still to do are left out, as are the outer resamples of a nested
    study and the reference result on all data.
    """

    def __init__(self, reader: StudyReader) -> None:
        self._reader = reader

    @overload
    def __getitem__(self, key: str) -> Weights | Rankings: ...
    @overload
    def __getitem__(self, key: tuple[str, int | str]) -> Subsets: ...
    def __getitem__(self, key: Key) -> Subsets | Weights | Rankings:
        if isinstance(key, str):
            return self._build_all_features(self._reader.selector_index(key), key)
        name, size = key
        selector = self._reader.selector_index(name)
        count = self._check_size(selector, name, size)
        by_resample = self._reader.selected_features(selector)
        rows = [by_resample[number] for number in self._reader.compared(by_resample)]
        _check_any_done(name, len(rows))
        return subsets(cut(rows, count), feature_names=self._reader.feature_names)

    def groups(self, name: str, size: int | str) -> Groups:
        """Return the groups of features that a selector prefers on each resample.

        Parameters
        ----------
        name : str
            The selector; without groups, each feature is a group of one.
        size : int or "own"
            The number of groups; ``"own"`` for a selector that chooses the number.

        Returns
        -------
        Groups
            One result per resample, with representatives.
        """
        selector = self._reader.selector_index(name)
        count = self._check_size(selector, name, size)
        by_resample = self._reader.feature_groups(selector)
        rows = [by_resample[number] for number in self._reader.compared(by_resample)]
        _check_any_done(name, len(rows))
        return groups(cut(rows, count), feature_names=self._reader.feature_names)

    def keys(self) -> list[Key]:
        """Return the keys: pairs of selector and size, and selectors alone."""
        reader = self._reader
        keys: list[Key] = []
        for selector, name in enumerate(reader.selectors):
            keys += [(name, size_label(size)) for size in reader.sizes(selector)]
            keys += [name] * bool(reader.stored_forms(selector) & {"ranks", "weights"})
        return keys

    def __iter__(self) -> Iterator[Key]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __repr__(self) -> str:
        return f"<preferences: {format_list(self.keys())}. Next: preferences[key]>"

    def _check_size(self, selector: int, name: str, size: int | str) -> int:
        known = self._reader.sizes(selector)
        if known == [OWN_SIZE] and size in ("own", OWN_SIZE):
            return OWN_SIZE
        if known != [OWN_SIZE] and not isinstance(size, str) and 1 <= size <= self._reader.depth:
            return size
        allowed = '"own"' if known == [OWN_SIZE] else f"1 to {self._reader.depth}"
        raise InvalidInputError(f"sizes of {name} are {allowed}, got {size!r}.")

    def _build_all_features(self, selector: int, name: str) -> Weights | Rankings:
        forms = self._reader.stored_forms(selector)
        for form, build in (("weights", weights), ("ranks", rankings)):
            if form in forms:
                by_resample = dict(self._reader.stored_data(selector, form))
                rows = [by_resample[number] for number in self._reader.compared(by_resample)]
                _check_any_done(name, len(rows))
                return build(rows, feature_names=self._reader.feature_names)
        size = size_label(self._reader.sizes(selector)[0])
        raise InvalidInputError(
            f"the whole rankings or weights of {name} were not stored: no measure of the study "
            f"needs them, or {name} has none. Its selections are available: "
            f"preferences[{name!r}, {size!r}]."
        )


def _check_any_done(name: str, count: int) -> None:
    if count == 0:
        raise InvalidInputError(f"no resample of {name} is done yet; resume the study.")
