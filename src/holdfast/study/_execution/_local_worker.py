"""A local worker process: started in a session of its own, watched by its id, ended with its group.

Workers are not started by a pool of another library, as these wait for the end of a pipe that
a process forked by a selector keeps open, and start processes that a Ctrl-C in the terminal ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, cast

from holdfast.errors import HoldfastError
from holdfast.study._execution._worker import SECONDS_OF_GRACE, THREAD_VARIABLES, PoolEvent
from holdfast.study._planning._plan import Unit

PROGRAM = """
import sys
sys.path[:], sys.argv[1:] = sys.argv[1:], []
from holdfast._memory import pause_collection
with pause_collection():
    from holdfast.study._execution._worker import serve_batches
serve_batches()
"""
SECONDS_TO_END = 1.0
"""Longest wait for a worker that has closed its pipe, and for what an ended one wrote last if
a process outside its session keeps the pipe open; chosen by hand."""
SECONDS_BETWEEN_POLLS = 0.01
"""Time between two looks at a worker that is ending; chosen by hand."""

Message = PoolEvent | HoldfastError | None
"""What a worker sends: an event, an error that ends the run, or None when a unit starts."""


class LocalWorker:
    """A process that runs batches of units.

    Parameters
    ----------
    arguments : tuple
        What the process needs to set itself up.
    timeout : float, optional
        Seconds per unit.
    received : SimpleQueue
        Takes the worker whenever it has sent something or has ended.
    """

    def __init__(
        self,
        arguments: tuple[Any, ...],
        timeout: float | None,
        received: SimpleQueue[LocalWorker],
    ) -> None:
        self.units: Sequence[Unit] | None = None
        """The batch that is running."""
        self._timeout = timeout
        self._unit_started_at: float | None = None
        self._answer: PoolEvent | HoldfastError | None = None
        self._closed = False
        self._received = received
        # a session is a process group: the terminal does not signal it, and it ends as a whole
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, *map(str, sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")},
            start_new_session=True,
        )
        self._commands = cast("IO[bytes]", self._process.stdin)
        self._messages = cast("IO[bytes]", self._process.stdout)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._send(arguments)

    def submit(self, units: Sequence[Unit], *arguments: Any) -> None:
        """Send a batch to the process."""
        self.units = units
        self._send((units, *arguments))

    def _send(self, value: object) -> None:
        with suppress(BrokenPipeError):  # it has ended, which `take_event` notices
            pickle.dump(value, self._commands)
            self._commands.flush()

    def _read(self) -> None:
        """Read messages until the process ends; runs in a thread."""
        try:
            with self._messages, suppress(EOFError, OSError, pickle.UnpicklingError):
                while True:
                    self._take_message(pickle.load(self._messages))
        finally:
            self._closed = True
            self._received.put(self)

    def _take_message(self, message: Message) -> None:
        if message is None:
            self._unit_started_at = time.monotonic()
            return
        self._answer = message
        self._received.put(self)

    def take_event(self) -> PoolEvent | None:
        """Return what became of the batch; None while it is running.

        Raises
        ------
        HoldfastError
            The process cannot work.
        """
        if self.units is None:
            return None
        elapsed = self._seconds_of_unit()
        overdue = self._timeout is not None and elapsed > self._timeout + SECONDS_OF_GRACE
        if self._answer is None and (overdue or self._closed or self.has_ended()):
            self._await_end()
            self.end()
            self._reader.join(SECONDS_TO_END)
        answer = self._answer or self._crash_event(elapsed)
        if answer is None:
            return None
        self.units = self._answer = self._unit_started_at = None
        if isinstance(answer, HoldfastError):
            raise answer
        return answer

    def _seconds_of_unit(self) -> float:
        """Return how long the current unit has been running; 0 if that is not known."""
        started_at = self._unit_started_at
        return 0.0 if started_at is None else time.monotonic() - started_at

    def _crash_event(self, elapsed: float) -> PoolEvent | None:
        code = self._process.returncode
        if code is None:
            return None
        # the alarm has no handler, so its name in the exit code shows that it went off
        over = elapsed >= (self._timeout or 0) or -code == getattr(signal, "SIGALRM", None)
        timed_out = self._timeout is not None and over
        crash = f"its process died ({_format_exit_code(code)})"
        return PoolEvent(self.units or (), [], crash=crash, timed_out=timed_out)

    def _await_end(self) -> None:
        """Let a process that has closed its pipe end by itself, so that its exit code is known."""
        end = time.monotonic() + SECONDS_TO_END
        while self._closed and not self.has_ended() and time.monotonic() < end:
            time.sleep(SECONDS_BETWEEN_POLLS)

    def has_ended(self) -> bool:
        """Return whether the process is gone, whoever keeps its pipes open."""
        if self._process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        # its id stays taken, so that no other process gets it before its group is ended
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, options) is not None

    def end(self) -> None:
        """Kill the process and those that it has started."""
        if self._commands.closed:
            return
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):  # macOS refuses ended groups
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()  # also where there are no groups, or it has not got its own yet
        self._process.wait()
        with suppress(OSError):  # it tries to write what is left
            self._commands.close()


def _format_exit_code(code: int) -> str:
    """Return an exit code with the name of its signal."""
    if code >= 0:
        return f"EXIT({code})"
    names = {member.value: member.name for member in signal.Signals}
    return f"{names.get(-code, 'UNKNOWN')}({code})"
