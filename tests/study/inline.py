"""Studies that run in the process of the test."""

from __future__ import annotations

import pickle

import cloudpickle
import pytest

from holdfast._memory import is_sparse
from holdfast.study._execution._execute import ExecutionOptions
from holdfast.study._execution._local_pool import fields_without_matrix
from holdfast.study._execution._unit import UnitRunner
from holdfast.study._execution._worker import run_batch


class Died(BaseException):
    """The process is gone, as far as a test is concerned."""


class InProcessPool:
    """A pool that runs units in this process.

    As in a worker process, the runner is a copy that went through pickle, and the matrix cannot
    be written.
    """

    def __init__(self, runner, name="this process", log=None, lives=10_000):
        X = runner.X.copy() if is_sparse(runner.X) else runner.X.view()
        for part in (X.data, X.indices, X.indptr) if is_sparse(X) else (X,):
            part.flags.writeable = False
        fields = pickle.loads(cloudpickle.dumps(fields_without_matrix(runner)))
        self.runner = UnitRunner(X=X, **fields)
        self.name, self.lives = name, lives
        self.log = [] if log is None else log
        self.submitted = []

    def n_free(self):
        return 1 - len(self.submitted)

    def submit(self, units):
        self.submitted.append(units)

    def wait(self, seconds):
        units = self.submitted.pop()
        if len(self.log) >= self.lives:
            raise Died
        event = run_batch(self.runner, units, None)
        self.log.append(units[: event.n_done])
        return [event]

    def close(self):
        pass


def local_pool_without_processes(runner, n_jobs, timeout):
    """Return a pool that looks like one local process: replaces `LocalPool` in unit tests."""
    if n_jobs > 1 or timeout is not None:
        pytest.fail(
            f"a study with {n_jobs} processes and timeout {timeout} needs processes: mark the "
            "test as integration, or pass n_jobs=1"
        )
    return InProcessPool(runner, "1 local process")


def work_here(monkeypatch, lives=10_000):
    """Run studies in this process, for at most this many batches; return the units that ran."""
    log = []
    monkeypatch.setattr(
        ExecutionOptions, "pool", lambda self, runner: InProcessPool(runner, log=log, lives=lives)
    )
    return log
