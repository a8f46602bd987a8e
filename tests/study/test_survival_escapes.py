"""Selectors that fork, ignore the alarm or leave their process: only their own unit fails."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.select._ranker import Scorer
from tests.study.run_folders import units
from tests.study.runs import Order, finished
from tests.study.selectors import _busy, position

pytestmark = [pytest.mark.integration, pytest.mark.slow]

RESAMPLES = 4
TIMEOUT = 5
TIMED_OUT = "took longer than the time limit"


class Escaping(Scorer):
    """Does something bad on the first resample."""

    def __init__(self, deed, folder="", *, n_features_to_select=None, random_state=0):
        self.deed = deed
        self.folder = folder
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        if position(generator) == 0:
            globals()[self.deed](Path(self.folder))
        return np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))


def die_with_child(folder):
    """End this process while one that it forked keeps the pipes open."""
    _fork_sleeper(folder / "child")
    os.kill(os.getpid(), signal.SIGKILL)


def die_with_child_in_another_session(folder):
    _fork_sleeper(folder / "distant", os.setsid)
    os.kill(os.getpid(), signal.SIGKILL)


def _fork_sleeper(file, prepare=lambda: None):
    child = os.fork()
    if not child:
        prepare()
        while True:
            time.sleep(1)
    with file.open("a") as log:
        log.write(f"{child}\n")


def come_back_twice(folder):
    """Return in a forked process, too."""
    if os.fork():
        os.wait()


def leave(folder):
    os._exit(7)


def ignore_alarm(folder):
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    time.sleep(3600)


def block_alarm(folder):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    _busy(1 << 62)  # holds the interpreter's lock


def replace_alarm(folder):
    signal.alarm(3600)
    time.sleep(3600)


def print_much(folder):
    """Write to the streams that a worker talks through; this is no failure."""
    os.write(1, b"\x80\x04K\x01.")
    sys.stdout.write("written by a selector")
    subprocess.run([sys.executable, "-c", "input()"], check=False, capture_output=True)


DEEDS = {
    "die_with_child": r"its process died (SIGKILL(-9))",
    "die_with_child_in_another_session": r"its process died (SIGKILL(-9))",
    "come_back_twice": None,
    "leave": r"its process died (EXIT(7))",
    "ignore_alarm": TIMED_OUT,
    "block_alarm": TIMED_OUT,
    "replace_alarm": TIMED_OUT,
    "print_much": None,
}


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_each_fails_alone_and_what_it_started_ends(tmp_path):
    study = {
        "selectors": {**{deed: Escaping(deed, str(tmp_path)) for deed in DEEDS}, "t": "t_score"},
        "protocol": hf.Subsampling(RESAMPLES, 0.9),
        "replication": 0,
        "sizes": [5],
        "classifiers": (),
    }
    order = Order(tmp_path / "run", study, {"n_jobs": 2, "timeout": TIMEOUT})
    distant = tmp_path / "distant"
    try:
        assert finished(tmp_path, order, leaves_processes=True) == {"error": None}
        children = (tmp_path / "child").read_text().split()
        assert len(children) >= 2  # the unit was tried again
        assert not any(is_running(int(child)) for child in children)
    finally:
        for child in distant.read_text().split():  # they left the session: nobody may end them
            os.kill(int(child), signal.SIGKILL)
    found = units(tmp_path / "run")
    assert len(found) == RESAMPLES * (len(DEEDS) + 1)
    failed = {unit: message for unit, message in found.items() if message is not None}
    assert failed == {(deed, 0): message for deed, message in DEEDS.items() if message}
