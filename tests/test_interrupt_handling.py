"""Signals that are recorded: none is lost, and none cuts a block short that must not be."""

import os
import signal
import sys
import threading

import pytest

from holdfast import _interrupts
from holdfast._interrupts import defer_interrupts, handle_interrupts, raise_if_interrupted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals")


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


class Destroyed:
    def __del__(self):
        interrupt()


def drop_interrupt(monkeypatch):
    """Send a signal where Python drops what its handler raises."""
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    Destroyed()


def test_a_signal_ends_the_block_at_once():
    steps = []

    @handle_interrupts(signal.SIGINT)
    def work():
        interrupt()
        steps.append("goes on")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == []


def test_an_exception_that_is_dropped_is_raised_at_the_next_step(monkeypatch):
    steps = []

    @handle_interrupts(signal.SIGINT)
    def work():
        drop_interrupt(monkeypatch)
        steps.append("goes on")
        raise_if_interrupted()
        steps.append("goes on")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["goes on"]


def test_an_exception_that_is_dropped_is_raised_when_the_block_ends(monkeypatch):
    with pytest.raises(KeyboardInterrupt), handle_interrupts(signal.SIGINT):
        drop_interrupt(monkeypatch)


def test_no_inner_block_begins_after_a_signal(monkeypatch):
    steps = []

    @handle_interrupts(signal.SIGINT)
    def work():
        drop_interrupt(monkeypatch)
        with handle_interrupts(signal.SIGINT):
            steps.append("begins")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == []


def test_an_error_that_a_signal_caused_is_an_interrupt():

    @handle_interrupts(signal.SIGINT)
    def work():
        try:
            interrupt()
        except KeyboardInterrupt as error:
            raise ValueError("cannot compile") from error

    with pytest.raises(KeyboardInterrupt):
        work()


def test_a_deferred_signal_waits_for_the_end_of_the_block():
    steps = []

    @handle_interrupts(signal.SIGINT)
    def work():
        with defer_interrupts():
            with defer_interrupts():
                interrupt()
            steps.append("goes on")
        steps.append("goes on")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["goes on"]


def test_an_interrupt_that_was_handled_is_not_raised_again():
    before = signal.getsignal(signal.SIGINT)
    with handle_interrupts(signal.SIGINT):
        with pytest.raises(KeyboardInterrupt), handle_interrupts(signal.SIGINT):
            interrupt()
        raise_if_interrupted()
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(("seconds", "ends"), [(0.5, []), (1.5, [130])])
def test_only_a_later_signal_ends_the_process_at_once(monkeypatch, seconds, ends):
    codes, now = [], [100.0]
    monkeypatch.setattr(_interrupts.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(_interrupts.os, "_exit", codes.append)
    monkeypatch.setattr(_interrupts.os, "write", lambda *_: None)

    @handle_interrupts(signal.SIGINT)
    @defer_interrupts()
    def work():
        interrupt()
        now[0] += seconds
        interrupt()

    with pytest.raises(KeyboardInterrupt):
        work()
    assert codes == ends


def test_a_handler_of_the_program_stays():
    received = []
    before = signal.signal(signal.SIGINT, lambda *_: received.append("signal"))
    try:
        with handle_interrupts(signal.SIGINT):
            interrupt()
    finally:
        signal.signal(signal.SIGINT, before)
    assert received == ["signal"]


def test_other_threads_handle_no_signals():
    before = signal.getsignal(signal.SIGINT)
    handlers = []

    def record():
        with handle_interrupts(signal.SIGINT), defer_interrupts():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=record)
    thread.start()
    thread.join()
    assert handlers == [before]
