"""Ctrl-C and SIGTERM: a run ends between two steps, and no signal is lost.

A handler of `signal` that raises is not enough: Python drops an exception that a handler raises in
a destructor or a callback, and libraries swallow some. So the handler also records the signal, and
the steps of a run ask for it.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

SECONDS_OF_ONE_INTERRUPT = 1.0
"""Signals this close count as one: make and other launchers pass on a Ctrl-C that the terminal has
sent to all processes, so that one key may arrive twice; chosen by hand."""
EXIT_CODE_OF_INTERRUPT = 130
"""128 + SIGINT, as shells report it; also after SIGTERM."""


@dataclass
class _State:
    """What signals have arrived; changed in the main thread only."""

    signals: tuple[signal.Signals, ...] = ()
    """The signals that are handled; none outside `handle_interrupts`."""
    arrived_at: float | None = None
    """When the first signal arrived."""
    is_delivered: bool = False
    """Whether it has left a block of `handle_interrupts` as a KeyboardInterrupt."""
    n_deferrals: int = 0
    """How many blocks are running that a signal must not cut short."""


_state = _State()


@contextmanager
def handle_interrupts(*signals: signal.Signals) -> Iterator[None]:
    """Let signals raise KeyboardInterrupt in this block, at the latest when it ends.

    The second signal ends the process at once; the store of a study survives that. Handlers that
    the caller's program has set itself stay, and in other threads nothing changes, as signals
    reach the main thread only. Blocks may be nested: the outermost one sets the handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = _set_handlers(signals) if not _state.signals else {}
    try:
        raise_if_interrupted()
        yield
        raise_if_interrupted()
    except Exception as error:
        if _is_pending():  # some libraries turn the interrupt into an error of their own
            _state.is_delivered = True
            raise KeyboardInterrupt from error
        raise
    except KeyboardInterrupt:
        _state.is_delivered = True
        raise
    finally:
        if handlers:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            _state.signals, _state.arrived_at, _state.is_delivered = (), None, False


def _set_handlers(signals: tuple[signal.Signals, ...]) -> dict[signal.Signals, Any]:
    """Set the handlers of signals for which the program has none of its own; return the others."""
    usual = (signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler)
    before = {number: signal.getsignal(number) for number in signals}
    handlers = {number: handler for number, handler in before.items() if handler in usual}
    _state.signals = tuple(handlers)
    for number in handlers:
        signal.signal(number, _record_interrupt)
    return handlers


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Delay interrupts until `raise_if_interrupted` is called or the block ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _state.n_deferrals += 1
    try:
        yield
    finally:
        _state.n_deferrals -= 1
    if not _state.n_deferrals:
        raise_if_interrupted()


def raise_if_interrupted() -> None:
    """Raise KeyboardInterrupt if a signal has arrived; called where a run can end in order."""
    if _is_pending() and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


def _is_pending() -> bool:
    return _state.arrived_at is not None and not _state.is_delivered


def _record_interrupt(_: int, __: FrameType | None) -> None:
    now = time.monotonic()
    if _state.arrived_at is None:
        _state.arrived_at = now
        if not _state.n_deferrals:
            raise KeyboardInterrupt
    elif now - _state.arrived_at > SECONDS_OF_ONE_INTERRUPT:
        os.write(2, b"interrupted again: ended at once; all that was stored is kept.\n")
        os._exit(EXIT_CODE_OF_INTERRUPT)
