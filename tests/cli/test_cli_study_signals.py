"""Ctrl-C and SIGTERM: what was done is kept, and how to go on is told."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from tests.cli.studies import SMALL, run
from tests.waiting import PATIENCE, until

LONG = [
    "@breast_cancer",
    "--selectors=f_score,relieff,svm_rfe",
    "--protocol=subsampling:n_resamples=400",
    "--sizes=5,10",
    "--replication=0",
    "--n-jobs=2",
]


def done(folder):
    """Return how many units the store of a run holds."""
    try:
        with closing(sqlite3.connect(f"file:{folder}/study.sqlite?mode=ro", uri=True)) as store:
            return store.execute("SELECT count(*) FROM units").fetchone()[0]
    except sqlite3.Error:
        return 0


def group_is_gone(number):
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
@pytest.mark.parametrize(
    ("sign", "send"),
    [
        (signal.SIGINT, os.killpg),  # a terminal sends Ctrl-C to all processes of a group
        (signal.SIGTERM, os.kill),  # a cluster's time limit
    ],
    ids=["ctrl-c", "sigterm"],
)
def test_an_interrupted_run_keeps_what_was_done(tmp_path, sign, send):
    folder = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "study", *LONG, "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: done(folder) or process.poll() is not None, "a unit is done")
    send(process.pid, sign)
    send(process.pid, sign)  # the impatient press twice
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, stderr
    assert stdout == ""
    assert "Traceback" not in stderr
    *_, last = stderr.splitlines()
    assert last == (
        f"interrupted: {done(folder):,} of 1,200 units are done and kept in {folder}; "
        f"go on with: holdfast resume {folder}"
    )
    until(lambda: group_is_gone(process.pid), "the run ends its processes")


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
@pytest.mark.parametrize("moment", [0.3, 0.8, 1.5])
def test_workers_that_start_are_not_heard_when_the_run_is_interrupted(tmp_path, moment):
    folder = tmp_path / "run"
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast", "study", *LONG, "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: (folder / "study.sqlite").exists() or process.poll() is not None, "a run begins")
    time.sleep(moment)  # the workers are importing what they need
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert stderr.splitlines()[-1].startswith("interrupted: ")


def test_an_interrupt_before_work_starts(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("holdfast.cli._study_run.read", interrupted)
    result = run("study", "@wine", "--out", tmp_path / "run")
    assert result.exit_code == 130
    assert result.stderr == "interrupted: nothing was done yet.\n"


def test_an_interrupted_part_continues_as_a_part(tmp_path, monkeypatch):
    part = ["study", *SMALL, "--out", tmp_path / "run", "--part", "1/2"]
    assert run(*part).exit_code == 0

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("holdfast.cli._study_run.read", interrupted)
    result = run(*part)
    assert result.exit_code == 130
    assert f"go on with: holdfast resume {tmp_path / 'run'} --part 1/2\n" in result.stderr


def test_the_usual_handlers_are_back_after_a_run(tmp_path):
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    assert run("study", "@wine", "--sizes", "99", "--out", tmp_path / "run").exit_code == 3
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before
