"""Records by name: measures, selectors, protocols, classifiers, papers and data sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

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


class Registry(Mapping[str, RecordT]):
    """The records of one kind by name, in the order in which they were registered.

    As a mapping it holds the records that were registered, by their main names. `get_record` also
    resolves aliases and the entry points of installed packages.

    Parameters
    ----------
    noun : str
        What a record describes, for messages and the index of listings: ``"measure"``.
    records : iterable of records, default ()
        Records to start with.
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
        entry_point_group: str | None = None,
        record_from_entry_point: Callable[[EntryPoint], RecordT] | None = None,
        prefix: str = "",
        suggestions: Iterable[str] = (),
        remedies: Mapping[str, str] | None = None,
    ) -> None:
        self.noun = noun
        self._group = entry_point_group
        self._record_from_entry_point = record_from_entry_point
        self._prefix = prefix
        self._suggestions = tuple(suggestions)
        self._remedies = dict(remedies or {})
        self._records: dict[str, RecordT] = {}
        self._aliases: dict[str, str] = {}
        for record in records:
            self.register(record)

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
        return self._records[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def get_record(self, name: str) -> RecordT:
        """Return a record by its name, an alias, or the name of an entry point.

        Raises
        ------
        UnknownNameError
            There is no such record; the message suggests a name, or lists all names.
        """
        name = self._aliases.get(name, name)
        if name in self._records:  # entry points are slow to look up
            return self._records[name]
        records = self.all_records()
        if name not in records:
            raise UnknownNameError(f"no {self.noun} is called {name!r}.{self._suggest(name)}")
        return records[name]

    def _suggest(self, name: str) -> str:
        """Return what to use for an unknown name: by meaning, else by letters, else all names."""
        names = [*self.all_records(), *self._suggestions]
        known = sorted([*names, *self._aliases, *self._remedies])
        text = str(name)  # what is no name is refused, too
        match = _find_contained_name(text, known) or nearest_name(text, known)
        if match in self._aliases:
            return f" Did you mean {match!r}, another name of {self._aliases[match]!r}?"
        if match and match not in names:
            return f" {self._remedies[match]}"
        return did_you_mean(match or text, names)

    def all_records(self) -> dict[str, RecordT]:
        """Return all records by name, including those of other packages.

        An entry point does not replace a registered record of the same name.
        """
        records = dict(self._records)
        if self._group is not None and self._record_from_entry_point is not None:
            for point in entry_points(group=self._group):
                name = self._prefix + point.name
                if name not in records:
                    records[name] = self._record_from_entry_point(point)
        return records

    def to_frame(
        self,
        describe: Callable[[RecordT], Mapping[str, object]],
        *,
        sort_key: Callable[[RecordT], Any] = lambda record: record.name,
    ) -> pd.DataFrame:
        """Return a table with one row per record, indexed by name, from its cells by column."""
        import pandas as pd

        records = sorted(self.all_records().values(), key=sort_key)
        rows = {record.name: dict(describe(record)) for record in records}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis(self.noun)


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
