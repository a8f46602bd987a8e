"""The connection to a Dask cluster."""

from __future__ import annotations

import json
import logging
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS = re.compile(r"([a-z]+://)?[^/]+:\d+/?")
REACH = 10.0
"""Seconds to reach the scheduler."""
LEAVE = 2.0
"""Seconds to say goodbye, as the scheduler may be gone."""


@contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """Yield a client of the cluster at an address or in a scheduler file; None without one."""
    if address is None:
        yield None
        return
    client = _connected(address)
    try:
        yield client
    finally:
        client.close(timeout=LEAVE)


def _connected(place: str) -> Any:  # noqa: ANN401  (a distributed.Client)
    connect = _client_class()
    address = _address(place)
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # their tracebacks help nobody
    try:
        return connect(address, timeout=REACH, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise StudyError(
            f"--dask {place}: no Dask scheduler can be reached there within {REACH:g} s "
            f"({reason}); is it running? Without --dask, the study runs in local processes."
        ) from error


def _client_class() -> Any:  # noqa: ANN401  (untyped)
    try:
        from distributed import Client  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as error:
        raise StudyError(
            "--dask needs Dask, which is not installed; install it: pip install 'holdfast[dask]'."
        ) from error
    return Client


def _address(place: str) -> str:
    """Return the address that is given, or that a scheduler file holds."""
    address = place
    if Path(place).is_file():
        try:
            address = str(json.loads(Path(place).read_text(encoding="utf-8"))["address"])
        except (OSError, ValueError, KeyError, TypeError):
            address = ""
    if not _ADDRESS.fullmatch(address):
        raise click.UsageError(
            f"--dask takes the address that 'dask scheduler' prints, as in tcp://host:8786, or the "
            f"path of its scheduler file; got {place!r}.",
            click.get_current_context(),
        )
    return address
