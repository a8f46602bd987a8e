"""Tables of data as text: a header of names, then one row of cells a sample."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast.io._data_parts import is_missing
from holdfast.io._data_roles import roles_of
from holdfast.io._data_rows import RowReader
from holdfast.io._lines import COMMENT
from holdfast.io._source import Source, refuse_repeats, shown
from holdfast.io._table import WORDS, is_content, records_of, separator_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.io._data_roles import Wishes
    from holdfast.io._data_stream import TextFile
    from holdfast.io._dataset import Dataset


def read_table(file: TextFile, wishes: Wishes, source: dict[str, Any]) -> Dataset:
    """Read a table: cells between commas, semicolons or tabs, as the header has them.

    Lines above the header that begin with ``#`` are skipped, and blank lines everywhere.
    """
    line, separator = _header(file)
    records = records_of(_from(file, line), separator, file.error)
    header = next(records)[1]
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


def _header(file: TextFile) -> tuple[int, str]:
    """Return the number of the line that holds the header, and the sign between cells."""
    comment, at = "", 0
    for number, line in enumerate(file.lines(), start=1):
        if is_content(line):
            separator = separator_of(Source(file.where, file.suffix, line))
            return (at if _names_columns(comment, line, separator) else number), separator
        if line.strip():
            comment, at = line, number
    raise file.error("a header of column names is needed, got blank lines or comments only.", 1)


def _names_columns(comment: str, row: str, separator: str) -> bool:
    """Tell whether a comment is a header, as in ``#id,x,class``: names above as many values."""
    names, cells = comment[1:].split(separator), row.split(separator)
    return (
        len(names) == len(cells) > 1
        and not comment[1].isspace()
        and any(map(_is_number, cells))
        and not any(map(_is_number, names))
    )


def _from(file: TextFile, header: int) -> Iterator[str]:
    """Yield the lines, blank above the header; below it, # may begin a cell."""
    for number, line in enumerate(file.lines(), start=1):
        if number > header:
            yield line
        else:
            yield line.removeprefix(COMMENT) if number == header else "\n"


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
    refuse_repeats(names, "column", partial(file.error, line=line))


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
