"""What a file is: JSON, a table, or plain text."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

from holdfast.io._lines import COMMENT
from holdfast.io._table import separator_of

if TYPE_CHECKING:
    from holdfast.io._source import Source

_BY_ENDING: dict[str, Literal["json", "table"]] = {
    ".json": "json",
    ".csv": "table",
    ".tsv": "table",
}


def format_of(source: Source) -> Literal["json", "table", "lines"]:
    """Tell the format from the ending of the name, else from the first lines."""
    if source.suffix in _BY_ENDING:
        return _BY_ENDING[source.suffix]
    if source.text.lstrip().startswith(("[", "{")):
        return "json"
    return "table" if _is_matrix(source) else "lines"


def _is_matrix(source: Source) -> bool:
    """Tell whether a line of names is followed by a line of as many 0 and 1."""
    separator = separator_of(source)
    stripped = (line.strip("\r\n ") for line in source.lines())
    content = (line for line in stripped if line.strip() and not line.startswith(COMMENT))
    cells = [_cells(line, separator) for line in islice(content, 2)]
    if len(cells) < 2 or len(cells[0]) != len(cells[1]) or len(cells[0]) < 2:
        return False
    names, marks = cells
    labels = names[0] == ""
    return set(marks[labels:]) <= {"0", "1"} and not all(name.isdigit() for name in names[labels:])


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(separator)]
