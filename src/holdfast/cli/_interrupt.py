"""Ctrl-C, and the signal by which clusters end jobs, stop a run in good order."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def orderly_stop() -> Iterator[None]:
    """Let both signals raise KeyboardInterrupt; impatient repetitions change nothing.

    Ending takes a moment, as the workers are killed and the store is closed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
        return
    before = {one: signal.signal(one, _stop) for one in SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _stop(_: int, __: FrameType | None) -> None:
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)
    raise KeyboardInterrupt
