"""Selectors that misbehave on one resample, and slow ones: other people's code, at its worst."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from pathlib import Path

import numba
import numpy as np

from holdfast.select._ranker import Scorer


def position(generator: np.random.Generator) -> int:
    """Return the number of the resample that a generator was seeded for."""
    return generator.bit_generator.seed_seq.spawn_key[0]


LOG = "HOLDFAST_TEST_LOG"
"""Environment variable that names the file where slow selectors write what they began."""


class Slow(Scorer):
    """Takes its time, and writes down who began what: process and resample."""

    def __init__(self, seconds, *, n_features_to_select=None, random_state=0):
        self.seconds = seconds
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        if LOG in os.environ:
            with Path(os.environ[LOG]).open("a") as file:
                file.write(f"{os.getpid()} {position(generator)}\n")
        time.sleep(self.seconds)
        return np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))


class Gated(Scorer):
    """Waits for the file `gate` on the resamples from `at` on, and writes down who began what."""

    def __init__(self, gate, at, *, n_features_to_select=None, random_state=0):
        self.gate = gate
        self.at = at
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        if LOG in os.environ:
            with Path(os.environ[LOG]).open("a") as file:
                file.write(f"{os.getpid()} {position(generator)}\n")
        while position(generator) >= self.at and not Path(self.gate).exists():
            time.sleep(0.01)
        return np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))


class Odd(Scorer):
    """Does something bad on the resample `at`, unless the file `mended` is there."""

    def __init__(self, deed, at, mended="", *, n_features_to_select=None, random_state=0):
        self.deed = deed
        self.at = at
        self.mended = mended
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        scores = np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
        if position(generator) == self.at and not Path(self.mended).is_file():
            DEEDS[self.deed](self, scores)
        return scores


class OddInBlocks(Odd):
    """The same, asked for many resamples at once."""

    def _score_many(self, X, y, rows, seeded):
        self.many_ = len(rows)
        return super()._score_many(X, y, rows, seeded)


class Narrow(OddInBlocks):
    """Fails whenever it is asked for more than one resample."""

    def _score_many(self, X, y, rows, seeded):
        if len(rows) > 1:
            raise MemoryError("that many do not fit")
        return super()._score_many(X, y, rows, seeded)


def _raise(selector, scores):
    raise ZeroDivisionError("the data are beneath me")


def _leave(selector, scores):
    raise SystemExit("enough")


class Farewell(BaseException):
    """What no handler of `Exception` catches."""


def _raise_base_exception(selector, scores):
    raise Farewell("not for you")


def _ignore_alarm(selector, scores):
    """Ignore the alarm of the process from a thread, where `signal.signal` is refused."""
    ctypes.CDLL(None).signal(int(signal.SIGALRM), ctypes.c_void_p(int(signal.SIG_IGN)))
    time.sleep(3600)


def _return_nan(selector, scores):
    scores[3] = np.nan


def _sleep(selector, scores):
    time.sleep(3600)


def _spin(selector, scores):
    _busy(1 << 62)


@numba.njit(nogil=False)
def _busy(count):
    value = 0.3
    for _ in range(count):
        value *= 3.9 * (1 - value)  # chaos: no compiler knows where this ends
    return value


def _crash(selector, scores):
    ctypes.string_at(0)


def _be_killed(selector, scores):
    """End as the system ends processes when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


def _die_once(selector, scores):
    try:
        Path(selector.mended + ".died").touch(exist_ok=False)
    except FileExistsError:
        return
    _be_killed(selector, scores)


DEEDS = {
    "raise": _raise,
    "leave": _leave,
    "raise_base_exception": _raise_base_exception,
    "ignore_alarm": _ignore_alarm,
    "nan": _return_nan,
    "sleep": _sleep,
    "spin": _spin,
    "crash": _crash,
    "be_killed": _be_killed,
    "die_once": _die_once,
    "nothing": lambda selector, scores: None,
}
