"""Ctrl-C and SIGTERM in every phase of a run: an orderly end, and the same bytes afterwards."""

from __future__ import annotations

import json
import signal
import sys

import pytest

from tests.study.run_folders import tables
from tests.waiting import until

if sys.platform == "win32":
    pytest.skip("there are no signals between processes", allow_module_level=True)

from tests.cli.interrupted_runs import COMMANDS, GO_ON, PHASES, FinishedCommand
from tests.study.runs import once, processes_with

pytestmark = [pytest.mark.integration, pytest.mark.slow]

ATTEMPTS = [
    (number, dropped)
    for _ in range(3)
    for number in (signal.SIGINT, signal.SIGTERM)
    for dropped in (False, True)
][:10]
"""Ten attempts: both signals, each also where Python drops the exception of a handler."""


N_CONTINUED = 2
"""How many of the attempts are continued to their end, which takes longest: one of each kind."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return what each command leaves if it is not disturbed."""

    def make(folder):
        for name, arguments in COMMANDS.items():
            (folder / name).mkdir()
            assert FinishedCommand(folder / name, arguments).exit_code == 0

    folder = once(tmp_path_factory, "uninterrupted", make)
    return {name: contents(folder / name) for name in COMMANDS}


def contents(folder):
    """Return all that a command left, but when, how fast and in how many runs."""
    files = {path.relative_to(folder): path for path in folder.glob("run/**/*") if path.is_file()}
    stores = (path for path in files.values() if path.name == "study.sqlite")
    found = {name: read_result(path) for name, path in files.items() if is_result(path)}
    return found | {path.relative_to(folder): tables(path.parent) for path in stores}


def is_result(path):
    """Return whether a file holds results; the page of a study says what its other reports say."""
    return not path.name.startswith(("study.sqlite", ".", "report.html"))


def read_result(path):
    if path.name == "report.md":
        return [line for line in path.read_text().splitlines() if not line.startswith("| runs |")]
    if path.name == "report.json":
        return without_runs(json.loads(path.read_text()))
    return path.read_bytes()


def without_runs(value):
    """Return a document without the number of runs, which an interrupt adds to."""
    if isinstance(value, dict):
        return {key: without_runs(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_runs(part) for part in value if part != ["runs", "2 runs"]]
    return value


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_signal_ends_a_run_in_order_and_it_goes_on(command, phase, undisturbed, tmp_path):
    for attempt, (number, dropped) in enumerate(ATTEMPTS):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        run = FinishedCommand(folder, COMMANDS[command], phase, number, dropped=dropped)
        assert run.exit_code == 130, run.stderr
        assert run.stderr.splitlines()[-1].startswith("interrupted: "), run.stderr
        assert "Traceback" not in run.stderr
        until(lambda run=run: not processes_with(run.mark), "the run ends its processes")
        if attempt >= N_CONTINUED:
            continue
        go_on = GO_ON[command] if (folder / "run").exists() else COMMANDS[command]
        again = FinishedCommand(folder, go_on)
        assert again.exit_code == 0, again.stderr
        assert contents(folder) == undisturbed[command]
