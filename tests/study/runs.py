"""Studies that run in processes of their own, to be killed, starved and watched."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import resource
import shutil
import signal
import sqlite3
import tempfile
import time
import uuid
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.study._export import export
from holdfast.study._result import Result
from holdfast.study._store import FILE, Store
from tests.study.selectors import LOG

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.study.runs"])  # what takes seconds to import is there already
MARK = "HOLDFAST_TEST_RUN"
PATIENCE = 120.0
"""Seconds that a busy machine may need for what usually takes a few."""



def once(factory, name: str, make):
    """Return a folder that `make` filled: once in a test session, whichever of its processes asks.

    Processes of pytest-xdist would each run the fixtures of a module that they share.
    """
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / f"once-{name}"
    folder.mkdir(exist_ok=True)
    with locked_or_waiting(folder):
        if not (folder / "made").exists():
            make(folder)
            (folder / "made").touch()
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


def small_data(n_samples=60, n_features=200):
    """Return data in memory: noise, and five features that differ between two classes."""
    rng = np.random.default_rng(7)
    y = np.arange(n_samples) % 2
    X = rng.standard_normal((n_samples, n_features))
    X[:, :5] += y[:, None]
    return X, y


@dataclass
class Order:
    """What a process is to do: a study with settings, or, without one, to go on."""

    folder: Path
    study: dict | None
    options: dict = field(default_factory=dict)
    scheduler: str | None = None
    file_limit: int | None = None
    """Most bytes that any file may have: what a full disk is like."""


def obey(order: Order, tmp: str, mark: str) -> None:
    """Run a study; what became of it is left in a file beside the folder."""
    os.environ |= {MARK: mark, LOG: f"{tmp}.log", "TMPDIR": tmp}
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
    from distributed import Client  # noqa: PLC0415  (an extra)

    with Client(order.scheduler, timeout=60) as client:
        _study(order, client)


def _study(order: Order, client) -> None:
    if order.study is None:
        hf.resume(order.folder, client=client, **order.options)
    else:
        hf.Study(**order.study).run(*small_data(), out=order.folder, client=client, **order.options)


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
        assert self.process.exitcode == 0, self.process.exitcode
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

    def begun(self) -> list[tuple[int, int]]:
        """Return what slow selectors began: process and resample."""
        log = self.tmp.with_suffix(".log")
        lines = log.read_text().splitlines() if log.exists() else []
        return [(int(pid), int(resample)) for pid, resample in map(str.split, lines)]

    def workers(self) -> list[int]:
        """Return the processes that it started and that are there."""
        return [pid for pid in _processes() if f"{MARK}={self.mark}".encode() in _environment(pid)]

    def leftovers(self) -> list[str]:
        """Return what is left of it: processes, temporary files, shared memory."""
        shared = Path("/dev/shm").glob(f"*{self.process.pid}*")  # noqa: S108
        return [*map(str, self.workers()), *map(str, self.tmp.iterdir()), *map(str, shared)]


def finished(tmp_path: Path, order: Order) -> dict:
    """Run a study to its end, see that it leaves nothing behind, and return what it said."""
    run = Started(tmp_path, order)
    said = run.wait()
    until(lambda: not run.leftovers(), "a run cleans up", seconds=10)
    return said


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # it is gone, or somebody else's
        return b""


def until(condition, what: str, seconds: float = PATIENCE):
    """Return what a condition gives as soon as it gives something."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"not within {seconds:g} s: {what}"
        time.sleep(0.02)
    return found


def units(folder: Path) -> dict[tuple[str, int], str | None]:
    """Return the units that a store has: selector and resample, and why it failed or None.

    A copy is read: what a killed run left is for the next run to repair.
    """
    if not (folder / FILE).exists():
        return {}
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        with closing(sqlite3.connect(Path(copy, FILE))) as connection:
            return _units(connection)


def _units(connection: sqlite3.Connection) -> dict[tuple[str, int], str | None]:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'units'").fetchone():
        return {}
    rows = connection.execute(
        "SELECT name, resample, message FROM units JOIN selectors USING (selector)"
    )
    return {(name, resample): message for name, resample, message in rows}


def contents(folder: Path, tmp_path: Path) -> dict[str, object]:
    """Return all that a study found, but when and how fast: its tables, and the exported bytes."""
    target = tmp_path / f"export-{uuid.uuid4().hex}"
    with closing(Store.open(folder / FILE)) as store:
        export(Result(store), target)
    files = {path.name: path.read_bytes() for path in target.glob("*") if path.stem != "timings"}
    return files | tables(folder)


def tables(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of all tables but those that say when."""
    with closing(Store.open(folder / FILE)) as store:
        names = store.query("SELECT name FROM sqlite_master WHERE type = 'table'")
        timeless = [name for (name,) in names if name not in ("runs", "timings")]
        return {name: sorted(store.query(f"SELECT * FROM {name}"), key=repr) for name in timeless}
