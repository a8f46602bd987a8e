"""Tables and JSON on standard output; messages on standard error."""

from __future__ import annotations

import json
import logging
import math
import shutil
import sys
import textwrap
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import click

from holdfast._formatting import (
    INVISIBLE_CHARACTERS,
    LINE_BREAKS_AND_TABS,
    spell_out_invisible,
)
from holdfast.errors import HoldfastWarning

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast._typing import JSON


_INDENT = " " * 4
KERNEL_LOGGER = "holdfast._kernels"
"""The logger that says that code is being compiled."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, its alignment, and whether it contains free text.

    Free text is printed below its row if the line would be too long for the terminal; if the
    column is `named`, after its title.
    """

    title: str
    right: bool = False
    free: bool = False
    named: bool = False


def print_line(text: str = "", *, bold: bool = False, err: bool = False) -> None:
    """Print text in which no character moves the cursor or changes how the rest is read."""
    click.secho(spell_out_invisible(text), bold=bold or None, err=err)


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; nothing is cut off."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    header, *lines = table_lines(columns, rows, width)
    print_line(header, bold=True)
    for line in lines:
        print_line(line)


def print_json(document: JSON) -> None:
    """Print JSON; NaN and infinite numbers become null, as JSON has neither.

    Invisible characters, which only texts hold, are escaped as JSON does it.
    """
    text = json.dumps(_null_nonfinite(document), indent=2, ensure_ascii=False, allow_nan=False)
    print_line(INVISIBLE_CHARACTERS.sub(lambda match: json.dumps(match[0])[1:-1], text))


def table_lines(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None = None
) -> list[str]:
    """Return the lines of a table, the header first; columns are separated by two spaces."""
    rows = [[spell_out_invisible(cell, breaks=True) for cell in row] for row in rows]
    lines = _align_columns(columns, rows)
    if width is None or max(map(len, lines)) <= width:
        return lines
    # too wide for the terminal: free text goes below its row
    fixed = [i for i, column in enumerate(columns) if not column.free]
    lines = _align_columns([columns[i] for i in fixed], [[row[i] for i in fixed] for row in rows])
    wrap = partial(textwrap.wrap, width=max(20, width - len(_INDENT)), break_long_words=False)
    wrapped = [lines[0]]
    for line, row in zip(lines[1:], rows, strict=True):
        wrapped += [line, *(_INDENT + part for part in wrap(_join_free_text(columns, row)))]
    return wrapped


def _align_columns(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [[column.title for column in columns], *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return [
        "  ".join(
            cell.rjust(width) if column.right else cell.ljust(width)
            for cell, width, column in zip(line, widths, columns, strict=True)
        ).rstrip()
        for line in lines
    ]


def _join_free_text(columns: Sequence[Column], row: Sequence[str]) -> str:
    return "; ".join(
        f"{column.title}: {cell}" if column.named else cell
        for column, cell in zip(columns, row, strict=True)
        if column.free and cell
    )


def number(value: float) -> str:
    """Return a number with four decimals, or three significant digits if very large or small."""
    if math.isnan(value):
        return "-"
    # below 0.5e-4, four decimals would show 0; below 1e-12 it is the rounding error of a 0
    if math.isinf(value) or abs(value) >= 10_000 or 1e-12 < abs(value) < 0.5e-4:
        return f"{value:.3g}"
    return f"{value if abs(value) > 1e-12 else 0:.4f}"


def _null_nonfinite(value: Any) -> JSON:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _null_nonfinite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_null_nonfinite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# Messages on standard error.


def log_line(kind: str, message: object) -> None:
    """Print one line to standard error."""
    print_line(f"{kind}: {_join_lines(str(message))}", err=True)


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def print_error(message: str, code: int) -> int:
    """Print an error and return the exit code."""
    log_line("error", message)
    return code


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print the warnings of the library as plain lines, each once."""
    printed: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", HoldfastWarning)
        show_other = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, HoldfastWarning):
                show_other(message, category, filename, lineno, file, line)
            elif str(message) not in printed:
                printed.add(str(message))
                log_line("warning", message)

        warnings.showwarning = show
        with _printed_notices():
            yield


@contextmanager
def _printed_notices() -> Iterator[None]:
    """Print that code is being compiled, which otherwise looks like a program that hangs."""
    handler = logging.Handler(logging.INFO)
    handler.emit = lambda record: log_line("start", record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger(KERNEL_LOGGER)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


# Sentences, wrapped.


def paragraph(text: str, stream: TextIO) -> str:
    """Return a text wrapped to the width of the terminal; as one line without a terminal."""
    text = spell_out_invisible(LINE_BREAKS_AND_TABS.sub(" ", text))
    if not stream.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


# Warnings that the library logs, such as those of worker processes.


class WarningPrinter(logging.Handler):
    """Prints each message once, or nothing if quiet."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__(logging.WARNING)
        self._quiet = quiet
        self._printed: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a new message."""
        message = record.getMessage()
        if not self._quiet and message not in self._printed:
            self._printed.add(message)
            text = spell_out_invisible(_join_lines(message))
            click.echo(f"warning: {text}", file=sys.stderr)  # above the bars, if there are any


@contextmanager
def logged_warnings(*, quiet: bool) -> Iterator[None]:
    """Print the warnings of the library; suppress them if quiet."""
    handler = WarningPrinter(quiet=quiet)
    logger, notices = logging.getLogger("holdfast"), logging.getLogger(KERNEL_LOGGER)
    level = notices.level
    logger.addHandler(handler)
    if quiet:
        notices.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore", HoldfastWarning)
            yield
    finally:
        notices.setLevel(level)
        logger.removeHandler(handler)
