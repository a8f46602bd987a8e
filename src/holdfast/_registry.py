"""Records by name: measures, selectors, protocols, classifiers, papers and data sets.

The names, aliases and listings of records that modules register are kept in an index, a file of
the package that ``python tools/record_index.py`` writes. So a listing or an unknown name imports
none of these modules, and a name imports only the module that registers it.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from holdfast._formatting import did_you_mean, nearest_name
from holdfast._object_spec import snake_case
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd


class NamedRecord(Protocol):
    """A record that is looked up by its name."""

    @property
    def name(self) -> str:
        """The name under which it is registered."""


RecordT = TypeVar("RecordT", bound=NamedRecord)
Row: TypeAlias = dict[str, Any]
"""The cells of a record in its listing, by column."""
INDEX_FILE = Path(__file__).with_name("_record_index.json")


class IndexEntry(NamedTuple):
    """What is known of a record before the module that registers it is imported."""

    module: str
    aliases: list[str]
    row: Row


@cache
def read_index() -> dict[str, dict[str, IndexEntry]]:
    """Return the entries by the noun of their registry and by name."""
    if not INDEX_FILE.exists():  # it is about to be written
        return {}
    content = json.loads(INDEX_FILE.read_text(encoding="utf-8"))
    return {
        noun: {name: IndexEntry(**entry) for name, entry in entries.items()}
        for noun, entries in content.items()
    }


class Registry(Mapping[str, RecordT]):
    """The records of one kind by name: those of the index, then others as they are registered.

    As a mapping it holds holdfast's records, by their main names. `get_record` also resolves
    aliases and the entry points of installed packages.

    Parameters
    ----------
    noun : str
        What a record describes, for messages, listings and the index: ``"measure"``.
    records : iterable of records, default ()
        Records to start with.
    describe : callable, optional
        Returns the cells of a record in its listing, by column.
    entry_point_group : str, optional
        The group of entry points by which other packages add records.
    record_from_entry_point : callable, optional
        Makes a record of such an entry point.
    prefix : str, default ""
        Prefix that turns the name of an entry point into that of a record.
    suggestions : iterable of str, default ()
        Further names that callers accept; they are suggested for unknown names.
    remedies : mapping, optional
        What to use instead, as a sentence, for names that people know from elsewhere and that no
        record has. A record or an alias of the same name takes precedence.
    """

    def __init__(
        self,
        noun: str,
        records: Iterable[RecordT] = (),
        *,
        describe: Callable[[RecordT], Row] | None = None,
        entry_point_group: str | None = None,
        record_from_entry_point: Callable[[EntryPoint], RecordT] | None = None,
        prefix: str = "",
        suggestions: Iterable[str] = (),
        remedies: Mapping[str, str] | None = None,
    ) -> None:
        self.noun = noun
        self._describe = describe
        self._group = entry_point_group
        self._record_from_entry_point = record_from_entry_point
        self._prefix = prefix
        self._suggestions = tuple(suggestions)
        self._remedies = dict(remedies or {})
        self._records: dict[str, RecordT] = {}
        self._aliases: dict[str, str] = {}
        for record in records:
            self.register(record)

    @property
    def _index(self) -> dict[str, IndexEntry]:
        return read_index().get(self.noun, {})

    def register(self, record: RecordT, *, aliases: Iterable[str] = ()) -> RecordT:
        """Add a record and return it.

        Raises
        ------
        RuntimeError
            Another record has the name or an alias: a mistake in the code, not of a user.
        """
        aliases = tuple(aliases)
        for name in (record.name, *aliases):
            if name in self._records or name in self._aliases:
                raise RuntimeError(f"two {self.noun}s are called {name!r}")
        self._records[record.name] = record
        self._aliases.update(dict.fromkeys(aliases, record.name))
        return record

    def __getitem__(self, name: str) -> RecordT:
        if name not in self._records and name in self._index:
            importlib.import_module(self._index[name].module)
        return self._records[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._index, *self._records]))

    def __len__(self) -> int:
        return len({*self._index, *self._records})

    def __contains__(self, name: object) -> bool:
        return name in self._records or name in self._index

    @property
    def aliases(self) -> dict[str, str]:
        """The names of records by their aliases."""
        indexed = {alias: name for name, entry in self._index.items() for alias in entry.aliases}
        return indexed | self._aliases

    def check_name(self, name: str) -> None:
        """Raise unless a record has this name or alias; nothing is imported.

        Raises
        ------
        UnknownNameError
            There is no such record; the message suggests a name, or lists all names.
        """
        # entry points are slow to look up
        if self.aliases.get(name, name) not in self and name not in self._entry_points():
            raise UnknownNameError(f"no {self.noun} is called {name!r}.{self._suggest(name)}")

    def get_record(self, name: str) -> RecordT:
        """Return a record by its name, an alias, or the name of an entry point.

        Raises
        ------
        UnknownNameError
            There is no such record; the message suggests a name, or lists all names.
        """
        self.check_name(name)
        name = self.aliases.get(name, name)
        return self[name] if name in self else self._load(self._entry_points()[name])

    def _suggest(self, name: str) -> str:
        """Return what to use for an unknown name: by meaning, else by letters, else all names."""
        aliases, names = self.aliases, [*self, *self._entry_points(), *self._suggestions]
        known = sorted([*names, *aliases, *self._remedies])
        text = str(name)  # what is no name is refused, too
        match = _find_contained_name(text, known) or nearest_name(text, known)
        if match in aliases:
            return f" Did you mean {match!r}, another name of {aliases[match]!r}?"
        if match and match not in names:
            return f" {self._remedies[match]}"
        return did_you_mean(match or text, names)

    def _entry_points(self) -> dict[str, EntryPoint]:
        """Return the entry points of other packages by the name of their record.

        An entry point does not replace a registered record of the same name.
        """
        if self._group is None or self._record_from_entry_point is None:
            return {}
        points = {self._prefix + point.name: point for point in entry_points(group=self._group)}
        return {name: point for name, point in points.items() if name not in self}

    def _load(self, point: EntryPoint) -> RecordT:
        assert self._record_from_entry_point is not None  # or there are no entry points
        return self._record_from_entry_point(point)

    def all_records(self) -> dict[str, RecordT]:
        """Return all records by name, including those of other packages."""
        return {
            **dict(self),
            **{name: self._load(point) for name, point in self._entry_points().items()},
        }

    def rows(self) -> list[Row]:
        """Return one row per record, by name, with its name first, from the index if it has one."""
        assert self._describe is not None  # or there is no listing
        rows = {name: entry.row for name, entry in self._index.items()}
        rows |= {name: self._describe(record) for name, record in self._records.items()}
        for name, point in self._entry_points().items():  # of other packages: only they know
            rows[name] = self._describe(self._load(point))
        return [{"name": name, **rows[name]} for name in sorted(rows)]

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per record, indexed by name."""
        import pandas as pd

        return pd.DataFrame(self.rows()).set_index("name").rename_axis(self.noun)

    def make_index(self, find_module: Callable[[RecordT], str]) -> dict[str, dict[str, Any]]:
        """Return the entries of all records that were registered, for the index file.

        `find_module` returns the module that registers a record.
        """
        assert self._describe is not None  # or there is no listing
        entries: dict[str, dict[str, Any]] = {}
        for name, record in sorted(self._records.items()):
            aliases = [alias for alias, owner in self._aliases.items() if owner == name]
            entry = IndexEntry(find_module(record), aliases, self._describe(record))
            entries[name] = entry._asdict()
        return entries


def _find_contained_name(name: str, known: Iterable[str]) -> str:
    """Return the longest known name that the words of a name contain; empty if there is none.

    >>> _find_contained_name("RandomForestClassifier", ["forest", "random_forest"])
    'random_forest'
    """
    words = [word for word in re.split(r"[\W_]+", snake_case(name)) if word]
    starts = range(len(words))
    parts = {"".join(words[i : j + 1]) for i in starts for j in starts[i:]}
    contained = [one for one in known if one.replace("_", "") in parts]
    return max(contained, key=len, default="")
