"""Studies that run in processes of their own, to be killed, starved and watched."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import re
import resource
import signal
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import holdfast as hf
from holdfast.errors import HoldfastError
from tests.study.selectors import LOG, Slow
from tests.study.small_data import small_data
from tests.waiting import PATIENCE, until

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.study.runs"])  # what takes seconds to import is there already
MARK = "HOLDFAST_TEST_RUN"


def once(factory, name: str, make):
    """Return a folder that `make` filled: once in a test session, whichever of its processes asks.

    Processes of pytest-xdist would each run the fixtures of a module that they share.
    """
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / f"once-{name}"
    folder.mkdir(exist_ok=True)
    with locked_or_waiting(folder):
        if not (folder / "begun").exists():
            (folder / "begun").touch()
            make(folder)
            (folder / "made").touch()
    assert (folder / "made").exists(), f"what was to be in {folder} could not be made"
    return folder


@contextmanager
def locked_or_waiting(folder: Path):
    """Hold a folder, when whoever holds it has let it go."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


SECONDS = 0.02
STUDY = {
    "selectors": {"slow": Slow(SECONDS), "t_score": "t_score", "relieff": "relieff"},
    "protocol": hf.Subsampling(200, 0.9),
    "sizes": [5],
    "replication": 0,
}
"""A study that takes a few seconds, to be disturbed."""


@dataclass
class Order:
    """What a process is to do: a study with settings, or, without one, to go on."""

    folder: Path
    study: dict | None
    options: dict = field(default_factory=dict)
    scheduler: str | None = None
    features: int = 200
    file_limit: int | None = None
    """Most bytes that any file may have: what a full disk is like."""


def obey(order: Order, tmp: str, mark: str) -> None:
    """Run a study; what became of it is left in a file beside the folder."""
    os.environ |= {MARK: mark, LOG: f"{tmp}.log", "TMPDIR": tmp}
    with Path(f"{tmp}.out").open("w") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    if order.file_limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order.file_limit, order.file_limit))
    try:
        _run(order)
        said = {"error": None}
    except HoldfastError as error:
        said = {"error": type(error).__name__, "message": str(error)}
    Path(tmp, "said.json").write_text(json.dumps(said))


def _run(order: Order) -> None:
    if order.scheduler is None:
        _study(order, None)
        return
    from distributed import Client

    with Client(order.scheduler, timeout=60) as client:
        _study(order, client)


def _study(order: Order, client) -> None:
    if order.study is None:
        hf.resume(order.folder, client=client, trust=True, **order.options)
    else:
        data = small_data(order.features)
        hf.Study(**order.study).run(*data, out=order.folder, client=client, **order.options)


class Started:
    """A process that runs a study, and all that it starts."""

    def __init__(self, tmp_path: Path, order: Order) -> None:
        self.mark = uuid.uuid4().hex
        self.tmp = tmp_path / f"tmp-{self.mark}"
        self.tmp.mkdir()
        self.process = FORKS.Process(target=obey, args=(order, str(self.tmp), self.mark))
        self.process.start()

    def wait(self) -> dict:
        """Wait for the end and return what was said."""
        self.process.join(PATIENCE)
        assert self.process.exitcode == 0, self.printed()
        said = self.tmp / "said.json"
        found = json.loads(said.read_text())
        said.unlink()
        return found

    def kill(self) -> bool:
        """Kill the process; return whether it still ran."""
        ran = self.process.is_alive()
        self.process.kill()
        self.process.join()
        return ran and self.process.exitcode == -signal.SIGKILL

    def printed(self) -> str:
        """Return what it and its workers wrote to the terminal."""
        return self.tmp.with_suffix(".out").read_text(errors="backslashreplace")

    def begun(self) -> list[tuple[int, int]]:
        """Return what slow selectors began: process and resample."""
        log = self.tmp.with_suffix(".log")
        lines = log.read_text().splitlines() if log.exists() else []
        return [(int(pid), int(resample)) for pid, resample in map(str.split, lines)]

    def workers(self) -> list[int]:
        """Return the processes that it started and that are there."""
        return processes_with(self.mark)

    def leftovers(self) -> list[str]:
        """Return what is left of it: processes, temporary files, shared memory."""
        # names of others may hold the digits of the process number, as a part of a longer number
        own = re.compile(rf"(?<![0-9a-f]){self.process.pid}(?![0-9a-f])")
        shared = [path for path in Path("/dev/shm").glob("*") if own.search(path.name)]
        return [*map(str, self.workers()), *map(str, self.tmp.iterdir()), *map(str, shared)]


def finished(tmp_path: Path, order: Order, *, leaves_processes: bool = False) -> dict:
    """Run a study to its end, see that it leaves nothing behind, and return what it said."""
    run = Started(tmp_path, order)
    said = run.wait()
    until(lambda: leaves_processes or not run.leftovers(), "a run cleans up")
    assert not re.search("Traceback|Fatal Python error", run.printed())
    return said


def undisturbed(factory) -> Path:
    """Return the folder of a run of the study that nobody disturbed."""

    def make(folder: Path) -> None:
        order = Order(folder / "run", STUDY, {"n_jobs": 2})
        assert finished(folder, order) == {"error": None}

    return once(factory, "undisturbed", make) / "run"


def processes_with(mark: str) -> list[int]:
    """Return the processes that were started with a mark in their environment."""
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    return [pid for pid in numbers if f"{MARK}={mark}".encode() in _environment(pid)]


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # it is gone, or somebody else's
        return b""
