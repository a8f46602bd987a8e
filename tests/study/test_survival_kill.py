"""A run that is killed, again and again, ends with the bytes of a run that was left alone."""

import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress

import pytest

from holdfast.study._storage._folder_lock import folder_lock
from tests.study.run_folders import contents, units
from tests.study.runs import SECONDS, STUDY, Order, Started, finished, undisturbed
from tests.waiting import until

pytestmark = pytest.mark.integration

KILLS = 5
VICTIMS = ("parent", "worker", "both")
UNITS = 3 * 200
SLOW = pytest.mark.slow


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=SLOW) for seed in range(1, 10))])
def test_a_run_killed_at_five_random_moments_ends_with_the_same_bytes(
    seed, tmp_path, tmp_path_factory
):
    moments = random.Random(seed)
    folder = tmp_path / "run"
    hits = 0
    for kill in range(KILLS):
        run = Started(tmp_path, Order(folder, STUDY, {"n_jobs": 2}))
        if kill == 0:  # while the folder is made and the workers start
            time.sleep(moments.uniform(0, 2))
        else:
            until(lambda run=run: run.begun() or not run.process.is_alive(), "a unit is begun")
            time.sleep(moments.uniform(0, 0.5))
        victims = moments.choice(VICTIMS)
        if victims != "parent":
            kill_worker(run, moments)
        if victims == "worker":  # the run replaces it before the next disturbance
            wait_for_more(run)
        hits += run.kill() and len(units(folder)) < UNITS
        check_that_it_left_nothing(run, folder)
        check_that_little_is_lost(run, units(folder))
    assert hits >= 4  # of 50 kills at least 40 found work to spoil
    assert finished(tmp_path, Order(folder, None, {"n_jobs": 2})) == {"error": None}
    assert contents(folder, tmp_path) == contents(undisturbed(tmp_path_factory), tmp_path)


def kill_worker(run, moments):
    for pid in sorted(run.workers())[: moments.randint(1, 2)]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for_more(run):
    before = len(run.begun())
    until(lambda: len(run.begun()) > before or not run.process.is_alive(), "units are begun")


def check_that_it_left_nothing(run, folder):
    if folder.exists():
        with folder_lock(folder):
            pass
    until(lambda: not run.leftovers(), "what a killed run left is gone")


def check_that_little_is_lost(run, stored):
    lost = Counter(pid for pid, resample in run.begun() if ("slow", resample) not in stored)
    for count in lost.values():
        assert count == 1 or count * SECONDS <= 0.2
