"""A Dask cluster on this machine, in processes that tests can kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import missing
from tests.study.selectors import LOG
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).parents[2]


class Cluster:
    """A scheduler and workers; each worker is a process, with a nanny that replaces it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "begun.log"
        self._file = folder / "scheduler.json"
        self._started: list[subprocess.Popen] = []
        self.scheduler = self._dask(
            "scheduler", "--host", "127.0.0.1", "--port", "0",
            "--scheduler-file", str(self._file),
        )  # fmt: skip
        self.address = until(self._written, "the scheduler starts")

    def _written(self) -> str:
        try:
            return json.loads(self._file.read_text())["address"]
        except (OSError, ValueError):
            return ""

    def _dask(self, *words: str) -> subprocess.Popen:
        environment = {
            **os.environ,
            LOG: str(self.log),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
        }
        with (self.folder / f"{words[0]}-{len(self._started)}.txt").open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, "--no-dashboard"],
                cwd=ROOT, env=environment, stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip
        self._started.append(process)
        return process

    def add_workers(self, count: int, *words: str) -> subprocess.Popen:
        """Start workers, and wait for them."""
        before = self.size()
        process = self._dask(
            "worker", self.address, "--nworkers", str(count), "--nthreads", "1",
            "--host", "127.0.0.1", "--local-directory", str(self.folder), *words,
        )  # fmt: skip
        until(lambda: self.size() == before + count, "workers start")
        return process

    def size(self) -> int:
        """Return the number of workers."""
        from distributed import Client

        with Client(self.address, timeout=PATIENCE) as client:
            return len(client.nthreads())

    def remove(self, process: subprocess.Popen) -> None:
        """End workers, and wait until the scheduler knows."""
        before = self.size()
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE)
        until(lambda: self.size() < before, "workers end")

    def begun(self) -> list[int]:
        """Return the worker processes that began units of slow selectors, the latest last."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [int(line.split()[0]) for line in lines]

    def close(self) -> None:
        """Kill all that was started."""
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._started:
            _wait(process)


def _wait(process: subprocess.Popen) -> None:
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def cluster(folder: Path, workers: int = 2):
    """Start a cluster, and end it at last."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        missing("dask", str(error))
    started = Cluster(folder)
    try:
        if workers:
            started.add_workers(workers)
        yield started
    finally:
        started.close()
