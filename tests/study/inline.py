"""Workers in this very process, who may die: studies without the time that processes take."""

from __future__ import annotations

from holdfast.study._execution._execute import ExecutionOptions
from holdfast.study._execution._local_pool import Report
from holdfast.study._execution._worker import Batch, obey, versions


class Died(BaseException):
    """The process is gone, as far as a test is concerned."""


class Inline:
    """A pool that works where it is."""

    name = "this process"

    def __init__(self, work, log, lives):
        self.work, self.log, self.lives = work, log, lives
        self.given = []

    def room(self):
        return 1 - len(self.given)

    def order(self, units):
        self.given.append(units)

    def reports(self, seconds):
        units = self.given.pop()
        if len(self.log) >= self.lives:
            raise Died
        answer = obey(self.work, Batch("", units, None, versions()))
        done = units[: answer.done]
        self.log.append(done)
        return [Report(units, answer)]

    def close(self):
        pass


def work_here(monkeypatch, lives=10_000):
    """Let studies work in this process, for so many orders; return the orders that were done."""
    log = []
    monkeypatch.setattr(ExecutionOptions, "pool", lambda self, work: Inline(work, log, lives))
    return log
