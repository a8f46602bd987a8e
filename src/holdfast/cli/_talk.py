"""What the command line says to people, on standard error."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import click

from holdfast.errors import HoldfastWarning

if TYPE_CHECKING:
    from collections.abc import Iterator


def say(kind: str, message: object) -> None:
    """Print one line to standard error."""
    click.echo(f"{kind}: {' '.join(str(message).split())}", err=True)


def say_error(message: str, code: int) -> int:
    """Print an error and return the exit code that goes with it."""
    say("error", message)
    return code


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print the library's own warnings as plain lines, each once."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", HoldfastWarning)
        usual = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if not issubclass(category, HoldfastWarning):
                usual(message, category, filename, lineno, file, line)
            elif str(message) not in said:
                said.add(str(message))
                say("warning", message)

        warnings.showwarning = show
        yield
