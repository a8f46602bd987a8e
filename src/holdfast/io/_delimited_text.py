"""Text with cells between separators: which separator it is, and rows as lists of cells."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator

from holdfast.errors import HoldfastError
from holdfast.io._text_files import COMMENT, SourceText, long_line_error, longest_line

SEPARATORS = "\t;,"  # the first wins a tie, as commas may also be decimal commas
SEPARATOR_NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas"}


def detect_separator(source: SourceText) -> str:
    """Return the separator: the most frequent candidate in the header."""
    if source.suffix == ".tsv":
        return "\t"
    header = next((line for line in source.lines() if is_content(line)), "")
    unquoted = "".join(header.split('"')[::2])  # every second part is inside quotes
    return max(SEPARATORS, key=unquoted.count) if unquoted.strip() else ","


def is_content(line: str) -> bool:
    """Return whether a line is neither blank nor a comment."""
    return bool(line.strip()) and not line.startswith(COMMENT)


def read_records(
    lines: Iterable[str], separator: str, error_at: Callable[[str, int], HoldfastError]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not blank, with the line it begins on."""
    line, size, longest = 0, 0, longest_line()

    def limit_rows() -> Iterator[str]:
        nonlocal size
        for text in lines:
            size += len(text)
            if size > longest:  # quoted cells may go on over any number of lines
                raise long_line_error(lambda message: error_at(message, line + 1))
            yield text

    reader = csv.reader(limit_rows(), delimiter=separator, strict=True)
    try:
        for cells in reader:
            size = 0
            if len(cells) > 1 or (cells and cells[0].strip()):
                yield line + 1, cells
            line = reader.line_num
    except csv.Error as error:
        raise error_at(
            f"the row cannot be split at {SEPARATOR_NAMES[separator]} ({error}); is a "
            "quote not closed?",
            line + 1,
        ) from None
