"""What a study will take, before it runs."""

from __future__ import annotations

import math

import pytest

import holdfast as hf
from holdfast import _memory
from holdfast.errors import StudyError
from holdfast.study import SelectorCost, StudyCost, format_seconds
from holdfast.study._execution._scheduler import Scheduler
from holdfast.study._execution._worker import PoolEvent
from holdfast.study._planning._plan import Unit
from holdfast.study._storage._store import Store, UnitResult


def cost_of(*selectors, n_processes=2, shared=10**9, matrix=10**8):
    return StudyCost(selectors, n_processes, shared, matrix)


FAST = SelectorCost("fast", 100, 0.5, 3 * 10**8)
SLOW = SelectorCost("slow", 100, 6.0, 6 * 10**8)


def test_processes_share_the_time():
    assert cost_of(FAST, SLOW).seconds == (100 * 0.5 + 100 * 6) / 2
    assert cost_of(FAST, SLOW, n_processes=1).seconds == 650
    # no number of processes makes a single fit faster
    assert cost_of(FAST, SLOW, n_processes=1000).seconds == 6


def test_selectors_that_failed_cost_nothing_that_is_known():
    failed = SelectorCost("bad", 100, math.nan, 0, "no luck")
    assert cost_of(FAST, failed).seconds == cost_of(FAST).seconds
    assert cost_of(FAST, failed).table["problem"].tolist() == ["", "no luck"]


def test_every_process_holds_its_peak_without_the_shared_data():
    assert cost_of(FAST, SLOW).memory == 10**9 + 2 * (6 * 10**8 - 10**8)


def test_the_description_names_the_slowest_first():
    text = cost_of(FAST, SLOW).describe()
    assert text == (
        "estimated time: 5 min ('slow 5 min', 'fast 25 s'), memory: 2 GB in 2 processes"
    ).replace("'", "")


@pytest.mark.parametrize(
    ("machine", "fitting"), [(25 * 10**8, "3 processes"), (16 * 10**8, "one process")]
)
def test_too_little_memory_is_refused_with_a_remedy(monkeypatch, machine, fitting):
    monkeypatch.setattr(_memory, "_machine_memory", lambda: machine)
    number = fitting.split()[0].replace("one", "1")
    with pytest.raises(StudyError, match=rf"run {fitting} at a time: --n-jobs {number}"):
        cost_of(SLOW, n_processes=4).check_memory()
    cost_of(SLOW, n_processes=1).check_memory()  # what runs alone has been seen to run
    monkeypatch.setattr(_memory, "_machine_memory", lambda: 30 * 10**8)
    cost_of(SLOW, n_processes=4).check_memory()


def test_times_are_in_a_unit_that_suits_them():
    assert format_seconds(9.9) == "under 10 s"
    assert format_seconds(89) == "89 s"
    assert format_seconds(90) == "2 min"
    assert format_seconds(5400) == "1.5 h"
    assert format_seconds(math.nan) == "not known"


def test_the_table_counts_the_resamples_of_the_plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = hf.Study(
        ["f_score", "t_score"], protocol=hf.Subsampling(20, 0.9), sizes=[5], replication=2
    )
    data = hf.io.read_data("@breast_cancer")
    cost = study.estimate_cost(data, n_jobs=1)
    table = cost.table
    plan = study.run(data, n_jobs=1)
    assert table.index.tolist() == ["f_score", "t_score"]
    assert table["resamples"].sum() == plan.n_units
    assert (table["seconds_each"] > 0).all()
    assert table["seconds"].tolist() == (table["resamples"] * table["seconds_each"]).tolist()
    assert cost.n_processes == 1
    assert cost.memory > data.X.nbytes
    assert not list(tmp_path.iterdir())


def test_a_part_counts_its_own_resamples():
    study = hf.Study("f_score", protocol=hf.Subsampling(24, 0.9), replication=0, classifiers=())
    data = hf.io.read_data("@wine")
    parts = [study.estimate_cost(data, n_jobs=1, part=f"{k}/2").table for k in (1, 2)]
    assert [table.loc["f_score", "resamples"] for table in parts] == [12, 12]


def test_a_selector_that_fails_has_its_problem():
    def broken(X, y):
        raise ValueError("no luck")

    study = hf.Study({"broken": broken, "f": "f_score"}, sizes=[2], replication=0, classifiers=())
    cost = study.estimate_cost(hf.io.read_data("@wine"), n_jobs=1)
    assert "no luck" in cost.table.loc["broken", "problem"]
    assert math.isnan(cost.table.loc["broken", "seconds"])
    assert cost.table.loc["f", "problem"] == ""


class Timed:
    """A pool of one process whose units take a given time."""

    name = "timed"

    def __init__(self, seconds):
        self.seconds, self.batches = seconds, []

    def n_free(self):
        return int(not self.batches)

    def submit(self, units):
        self.batches.append(list(units))

    def wait(self, seconds):
        units = self.batches.pop()
        results = [
            UnitResult(unit.selector, at, selection=self.seconds[unit.selector], classification=1.0)
            for unit in units
            for at in range(unit.first, unit.stop)
        ]
        return [PoolEvent(units, results, len(units), peak_memory=1000)]


def test_first_runs_are_reported_once_when_all_selectors_have_run():
    reports = []
    units = [Unit(selector, at, at + 1) for selector in range(2) for at in range(9)]
    scheduler = Scheduler(
        Store.create(None),
        Timed([0.25, 4.0]),
        ["a", "b"],
        None,
        on_first_runs=lambda runs: reports.append(dict(runs)),
    )
    scheduler.run(units)
    assert reports == [{0: (0.25, 1.0, 1000), 1: (4.0, 1.0, 1000)}]


def test_a_run_reports_a_cost_that_is_worth_it(monkeypatch):
    monkeypatch.setattr("holdfast.study._execution._execute.MIN_SECONDS_SHOWN", 0.0)
    notes = []

    class Notes:
        def start(self, totals, done, where): ...
        def advance(self, done, failed): ...
        def stop(self): ...
        def note(self, text):
            notes.append(text)

    study = hf.Study("f_score", protocol=hf.Subsampling(5, 0.9), replication=0, classifiers=())
    study.run(hf.io.read_data("@wine"), n_jobs=1, progress=Notes())
    assert len(notes) == 1
    assert notes[0].startswith("estimated time: under 10 s, memory: ")
