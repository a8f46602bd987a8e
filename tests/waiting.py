"""Waiting for what other processes do, and not for what never ends."""

from __future__ import annotations

import faulthandler
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 600.0
"""Seconds until a test gives up on what usually takes a few, even on a busy machine."""


def until(condition, what: str):
    """Return what a condition gives as soon as it gives something."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {PATIENCE:g} s: {what}"
        time.sleep(0.02)
    return found


class HangError(BaseException):
    """Something takes too long; code that handles all exceptions must not handle this one."""


@contextmanager
def hang_limit(what: str, cpu_seconds: float = 10.0, seconds: float = 60.0) -> Iterator[None]:
    """Raise what takes more than some seconds of processor time, or waits for far longer.

    The machine may be busy, so the limit is on the time that this process computes. What neither
    computes nor returns, such as the opening of a pipe, is raised by the clock. Machine code hears
    no signal: the process then ends, and prints where it was.
    """

    def stop(*_: object) -> None:
        raise HangError(f"{what} does not end")

    signs = {
        signal.SIGPROF: (signal.ITIMER_PROF, cpu_seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, seconds),
    }
    previous = {sign: signal.signal(sign, stop) for sign in signs}
    for timer, limit in signs.values():
        signal.setitimer(timer, limit)
    faulthandler.dump_traceback_later(2 * seconds, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        for sign, (timer, _) in signs.items():
            signal.setitimer(timer, 0)
            signal.signal(sign, previous[sign])
