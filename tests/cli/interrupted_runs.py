"""Commands in processes of their own, to which a signal comes in a phase of their work."""

from __future__ import annotations

import os
import signal
import sys
import uuid
from pathlib import Path

import numba
from numba.core import event

import holdfast.report._figures
from holdfast.cli import _reproduce_run, _study_run, main
from holdfast.papers import ExperimentSession, _document, _reproduce
from holdfast.study import Result
from holdfast.study._execution._execute import ExecutionOptions
from holdfast.study._execution._local_worker import LocalWorker
from holdfast.study._execution._scheduler import Scheduler
from holdfast.study._planning import _plan_checks
from tests.papers.sample import NAME, PUBLISHED, SAMPLE
from tests.study.inline import InProcessPool
from tests.study.runs import FORKS, MARK
from tests.waiting import PATIENCE

FORKS.set_forkserver_preload(["tests.study.runs", "tests.cli.interrupted_runs"])
COMMANDS = {
    "study": [
        "study", "@wine", "--selectors=f_score,random_score", "--sizes=3", "--n-jobs=1",
        "--protocol=subsampling:n_resamples=5,train_size=0.8", "--replication=0",
        "--classifiers=knn3", "--out=run",
    ],
    "reproduce": ["reproduce", NAME, "table", "--n-jobs=1", "--out=run"],
}  # fmt: skip
GO_ON = {"study": ["resume", "run", "--n-jobs=1"], "reproduce": COMMANDS["reproduce"]}


class Sender:
    """Sends a signal to its own process, once, before a function does its work."""

    def __init__(self, number: int, *, dropped: bool) -> None:
        self.number, self.dropped, self.sent = number, dropped, False

    def send(self) -> None:
        """Send the signal; `dropped`: where Python drops what the handler raises."""
        self.sent = True
        if self.dropped:
            Destroyed(self.number)
        else:
            os.kill(os.getpid(), self.number)

    def send_before(self, owner, name, when=lambda *_: True) -> None:
        """Send the signal as soon as a function is called."""
        original = getattr(owner, name)

        def replacement(*arguments, **options):
            if not self.sent and when(*arguments):
                self.send()
            return original(*arguments, **options)

        setattr(owner, name, replacement)

    def send_when_compiling(self) -> None:
        """Send the signal while numba compiles."""
        original = _plan_checks._try_selector

        def replacement(*arguments):
            if not self.sent:
                with event.install_listener("numba:compile", Listener(self)):
                    numba.njit(lambda x: x + 1)(1)
            return original(*arguments)

        _plan_checks._try_selector = replacement


class Destroyed:
    """Sends a signal while it is destroyed."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.kill(os.getpid(), self.number)


class Listener(event.Listener):
    """Sends a signal when a compilation starts."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender

    def on_start(self, event) -> None:
        if not self.sender.sent:
            self.sender.send()

    def on_end(self, event) -> None:
        pass


def _are_first(scheduler, results):
    return bool(results)


def _are_last(scheduler, results):
    return bool(results) and not scheduler._pending and not scheduler._n_running


PHASES = {
    "start": {
        "study": lambda sender: sender.send_before(_study_run, "read"),
        "reproduce": lambda sender: sender.send_before(ExperimentSession, "read"),
    },
    "rehearsal": lambda sender: sender.send_before(_plan_checks, "_try_selector"),
    "compilation": Sender.send_when_compiling,
    "workers": lambda sender: sender.send_before(LocalWorker, "_send"),
    "first unit": lambda sender: sender.send_before(Scheduler, "_store_results", _are_first),
    "last unit": lambda sender: sender.send_before(Scheduler, "_store_results", _are_last),
    "report": {
        "study": lambda sender: sender.send_before(Result, "report"),
        "reproduce": lambda sender: sender.send_before(_reproduce_run, "write"),
    },
}


def run_command(folder, arguments, mark, disturb, number, dropped) -> None:
    """Run a command in this process; what it prints is left in files of the folder."""
    os.environ[MARK] = mark
    os.environ.pop("HOLDFAST_DATA", None)
    os.chdir(folder)
    for stream, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    sys.unraisablehook = lambda *_: None  # Python would print what it drops
    holdfast.report._figures._request_figures = lambda *_: iter(())
    _reproduce.PAPERS._records[NAME] = SAMPLE
    for module in (_reproduce, _document):
        module.published_numbers = lambda *_: PUBLISHED
    if disturb != "workers":
        ExecutionOptions.pool = lambda self, runner: InProcessPool(runner)
    if disturb is not None:
        phase = PHASES[disturb]
        phase = phase if callable(phase) else phase[arguments[0]]
        phase(Sender(number, dropped=dropped))
    main(arguments, prog_name="holdfast")


class FinishedCommand:
    """A command that was run to its end."""

    def __init__(
        self, folder: Path, arguments, disturb=None, number=signal.SIGINT, *, dropped=False
    ) -> None:
        self.mark = uuid.uuid4().hex
        process = FORKS.Process(
            target=run_command, args=(folder, arguments, self.mark, disturb, number, dropped)
        )
        process.start()
        process.join(PATIENCE)
        self.exit_code = process.exitcode
        self.stderr = (folder / "stderr").read_text()
