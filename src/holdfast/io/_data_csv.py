"""Tables of data as text: a header of names, then one row of cells a sample."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from holdfast.io._data_parts import is_missing
from holdfast.io._data_roles import roles_of
from holdfast.io._data_rows import RowReader
from holdfast.io._lines import COMMENT
from holdfast.io._source import Source, first_repeat, shown
from holdfast.io._table import WORDS, separator_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.io._data_roles import Wishes
    from holdfast.io._data_stream import TextFile
    from holdfast.io._dataset import Dataset


def read_table(file: TextFile, wishes: Wishes, source: dict[str, Any]) -> Dataset:
    """Read a table: cells between commas, semicolons or tabs, as the header has them.

    Lines above the header that begin with ``#`` are skipped, and blank lines everywhere.
    """
    separator = _separator(file)
    records = _records(file, separator)
    line, header = next(records)
    names = [name.strip() for name in header]
    _check_header(file, names, line)
    roles = roles_of(file.where, names, wishes)
    rows = RowReader(file, roles, decimal_comma=separator != ",")
    for at, cells in records:
        if len(cells) != len(names):
            raise file.error(_ragged(len(cells), len(names), separator, line), at)
        rows.add(at, cells)
    data = rows.dataset(source, file.notes)
    _refuse_lost_header(file, names[roles.target], data, line)
    return data


def _separator(file: TextFile) -> str:
    header = next((line for line in file.lines() if _is_content(line)), None)
    if header is None:
        raise file.error("a header of column names is needed, got blank lines or comments only.", 1)
    return separator_of(Source(file.where, file.suffix, header))


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(COMMENT)


def _records(file: TextFile, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of the header and of each row, with the line it begins on."""
    reader = csv.reader(_without_comments(file), delimiter=separator, strict=True)
    line = 0
    try:
        for cells in reader:
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield line + 1, cells
            line = reader.line_num
    except csv.Error as error:
        raise file.error(
            f"the row cannot be taken apart at {WORDS[separator]} ({error}); is a quote left open?",
            line + 1,
        ) from None


def _without_comments(file: TextFile) -> Iterator[str]:
    """Yield the lines with comments above the header made blank; below it, # may begin a cell."""
    above = True
    for line in file.lines():
        above = above and not _is_content(line)
        yield "\n" if above else line


def _check_header(file: TextFile, names: list[str], line: int) -> None:
    """Refuse names that are missing, given twice, or no names at all."""
    if all(is_missing(name) or _is_number(name) for name in names) and not _numbered(names):
        raise file.error(
            "the first line must be a header of column names, got a row of numbers; "
            "add a line of names above it.",
            line,
        )
    if "" in names[1:]:
        raise file.error(
            f"each column needs a name in the header, got none for column "
            f"{names.index('', 1) + 1:,} (counted from 1); is there a separator too many?",
            line,
        )
    if len(set(names)) < len(names):
        double = shown(names[first_repeat(names)])
        raise file.error(
            f"column names must be unique, got {double} more than once; rename or remove one.", line
        )


def _numbered(names: list[str]) -> bool:
    """Tell whether columns are numbered from 0 or 1, perhaps behind a column of row labels."""
    rest = names[1:] if names[0] == "" else names
    return bool(rest) and any(
        rest == [str(j) for j in range(first, first + len(rest))] for first in (0, 1)
    )


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _ragged(got: int, width: int, separator: str, header_line: int) -> str:
    hint = "is the row cut off, or is a separator missing?"
    if got == width + 1:
        hint = "if the first column holds labels of the rows, give it a name in the header."
    return (
        f"each row must have {width:,} cells between {WORDS[separator]}, as the header in line "
        f"{header_line:,} has, got {got:,}; {hint}"
    )


def _refuse_lost_header(file: TextFile, target: str, data: Dataset, line: int) -> None:
    """Refuse names that are numbers but for the target's, which is one of its labels."""
    numbers = sum(map(_is_number, data.feature_names))
    if target in data.classes and 2 * numbers > data.n_features:
        raise file.error(
            f"the first line must be a header of column names, got {shown(target)} as the name of "
            "the target, which is one of its labels, too; add a line of names above it.",
            line,
        )
