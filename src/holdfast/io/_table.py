"""CSV and its kin: a header of names, then one row of cells a preference."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from holdfast.io._lines import COMMENT
from holdfast.io._source import refuse_repeats, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.io._source import Source

SEPARATORS = "\t;,"  # the first wins a tie, as decimal commas make commas the weakest sign
WORDS = {"\t": "tabs", ";": "semicolons", ",": "commas"}


@dataclass(frozen=True, slots=True)
class Table:
    """The names in the header, and the rows below it with their lines, read as they are asked for.

    A first column without a name holds labels of the rows, which are kept apart.
    """

    source: Source
    separator: str
    names: list[str]
    header_line: int
    has_labels: bool
    _records: Iterator[tuple[int, list[str]]]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of each row, labels left out; all are of one length."""
        width = len(self.names) + self.has_labels
        for line, cells in self._records:
            if len(cells) != width:
                raise self.source.error(self._ragged(len(cells), width), line)
            yield line, cells[1:] if self.has_labels else cells

    def column(self, position: int) -> str:
        """Return how messages name a column."""
        return f"column {shown(self.names[position])}"

    def _ragged(self, got: int, width: int) -> str:
        return (
            f"each row must have {width:,} cells between {WORDS[self.separator]}, as the header "
            f"in line {self.header_line} has, got {got:,}; "
            "is the row cut off, or is a separator missing?"
        )


def open_table(source: Source) -> Table:
    """Read the header of a table and make its rows ready to be read."""
    separator = separator_of(source)
    kept = ("\n" if line.startswith(COMMENT) else line for line in source.lines())
    records = records_of(kept, separator, source.error)
    first = next(records, None)
    if first is None:
        raise source.error("a header of feature names is needed, got comments only.", 1)
    line, names = first[0], [name.strip() for name in first[1]]
    has_labels = names[0] == "" and len(names) > 1
    table = Table(source, separator, names[has_labels:], line, has_labels, records)
    _check_header(table)
    return table


def separator_of(source: Source) -> str:
    """Return the sign between cells: the most frequent candidate in the header."""
    if source.suffix == ".tsv":
        return "\t"
    header = next((line for line in source.lines() if is_content(line)), "")
    unquoted = "".join(header.split('"')[::2])
    return max(SEPARATORS, key=unquoted.count) if unquoted.strip() else ","


def is_content(line: str) -> bool:
    """Tell whether a line is neither blank nor a comment."""
    return bool(line.strip()) and not line.startswith(COMMENT)


def records_of(
    lines: Iterable[str], separator: str, error_at: Callable[[str, int], Exception]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not blank, with the line it begins on."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    line = 0
    try:
        for cells in reader:
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield line + 1, cells
            line = reader.line_num
    except csv.Error as error:
        raise error_at(
            f"the row cannot be taken apart at {WORDS[separator]} ({error}); is a quote left open?",
            line + 1,
        ) from None


def _check_header(table: Table) -> None:
    """Refuse names that are missing, given twice, or no names at all."""
    names, line = table.names, table.header_line
    if "" in names:
        column = names.index("") + 1 + table.has_labels
        raise table.source.error(
            f"each column needs a name in the header, got none for column {column:,}.", line
        )
    if set(names) <= {"0", "1"} and names not in (["0"], ["0", "1"]):  # numbered columns
        raise table.source.error(
            "the first line must be a header of feature names, got a row of 0 and 1.", line
        )
    refuse_repeats(names, "column", partial(table.source.error, line=line))
