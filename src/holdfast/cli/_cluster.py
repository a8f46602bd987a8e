"""The connection to a Dask cluster."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def _connected(address: str) -> Any:  # noqa: ANN401  (a distributed.Client)
    try:
        from distributed import Client  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError as error:
        raise StudyError(
            "--dask needs Dask, which is not installed; install it: pip install 'holdfast[dask]'."
        ) from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # its tracebacks help nobody
    where = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
    try:
        return Client(**where, timeout=REACH, set_as_default=False)
    except (OSError, ValueError, TypeError, KeyError, ImportError) as error:
        raise StudyError(
            f"--dask {address}: no Dask scheduler can be reached there within {REACH:g} s "
            f"({_reason(error)}). Give the address that 'dask scheduler' prints, as in "
            "tcp://host:8786, or the path of its scheduler file; or leave --dask out."
        ) from error


def _reason(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
