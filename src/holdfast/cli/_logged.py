"""Warnings that the library logs, such as those of worker processes, as plain lines."""

from __future__ import annotations

import logging
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from holdfast.errors import HoldfastWarning

if TYPE_CHECKING:
    from collections.abc import Iterator


class SayOnce(logging.Handler):
    """Prints each message once, or none at all."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__(logging.WARNING)
        self._quiet = quiet
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message that is new."""
        message = record.getMessage()
        if not self._quiet and message not in self._said:
            self._said.add(message)
            text = " ".join(message.split())
            click.echo(f"warning: {text}", file=sys.stderr)  # where bars are drawn, above them


@contextmanager
def logged_warnings(*, quiet: bool) -> Iterator[None]:
    """Print what the library warns of; when quiet, keep its warnings away altogether."""
    handler = SayOnce(quiet=quiet)
    logger = logging.getLogger("holdfast")
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore", HoldfastWarning)
            yield
    finally:
        logger.removeHandler(handler)
