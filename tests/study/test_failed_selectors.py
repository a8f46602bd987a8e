"""Selectors that fail on every resample: what is raised, warned of, said and kept."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import HoldfastWarning, StudyError
from holdfast.select._ranker import Scorer
from holdfast.study._execution import _worker
from tests.cli.studies import run
from tests.study.inline import Died, work_here
from tests.study.selectors import position

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((40, 6)), np.repeat(["a", "b"], 20)


class Failing(Scorer):
    """Fails on data of so many rows and more; the file `mended` repairs it."""

    def __init__(self, least=0, mended="", *, n_features_to_select=None, random_state=0):
        self.least = least
        self.mended = mended
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        if len(X) >= self.least and not Path(self.mended).is_file():
            raise ArithmeticError("out of luck")
        return np.abs(X.mean(axis=0))


@pytest.fixture(autouse=True)
def without_processes(monkeypatch):
    """Work in this process: starting others takes longer than the work."""
    work_here(monkeypatch)


def study(selectors, **more):
    settings = {"sizes": [2], "classifiers": (), "replication": 0}
    return hf.Study(selectors, protocol=hf.Subsampling(4, 0.9), **{**settings, **more})


def test_a_study_in_which_no_selector_succeeds_is_an_error_and_kept(tmp_path):
    mended, folder = tmp_path / "mended", tmp_path / "run"
    asked = study({"one": Failing(0, str(mended)), "two": Failing(1, str(mended))})
    message = (
        r"no selector succeeded. one failed on all 3 resamples that were tried \(1 not run\): "
        "ArithmeticError: out of luck,"
    )
    with pytest.raises(StudyError, match=message) as error:
        asked.run(X, Y, out=folder, n_jobs=1)
    assert str(folder) in str(error.value)
    assert "hf.resume(" in str(error.value)
    assert len(hf.load(folder).failures) == 6
    with pytest.raises(StudyError, match="no selector succeeded"):
        hf.resume(folder, n_jobs=1, trust=True)
    mended.touch()
    assert hf.resume(folder, n_jobs=1, trust=True).complete


def test_in_memory_nothing_is_kept():
    with pytest.raises(StudyError, match=r"Nothing is kept, as no folder was named \(out=\)"):
        study({"one": Failing()}).run(X, Y, n_jobs=1)


def test_some_selectors_that_fail_throughout_are_a_warning():
    with pytest.warns(HoldfastWarning, match="one failed on all 3 resamples that were tried"):
        result = study({"one": Failing(), "f": "f_score"}).run(X, Y, n_jobs=1)
    assert result.n_done == 4


def test_a_selector_that_fails_on_some_resamples_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = study({"odd": FailingAt((3,))}, replication=4).run(X, Y, n_jobs=1)
    assert 0 < len(result.failures) < result.n_units


def test_parts_are_judged_by_what_they_tried(tmp_path):
    asked = study({"one": Failing(), "f": "f_score"})
    for number in (1, 2):
        with pytest.warns(HoldfastWarning, match="one failed on all 2 resamples"):
            asked.run(X, Y, out=tmp_path / str(number), n_jobs=1, part=f"{number}/2")
    whole = hf.merge([tmp_path / "1", tmp_path / "2"], tmp_path / "whole")
    assert (whole.n_done, len(whole.failures)) == (4, 4)


def test_a_study_that_grows_stops_when_everything_fails(tmp_path):
    asked = hf.Study(
        {"one": Failing()}, sizes=[2], classifiers=(), protocol=hf.Subsampling(500, 0.9),
        replication=0, until_width=0.1,
    )  # fmt: skip
    with pytest.raises(StudyError, match="no selector succeeded"):
        asked.run(X, Y, out=tmp_path / "run", n_jobs=1)
    assert len(hf.load(tmp_path / "run").failures) < 100


def rows_of(result, selector):
    """Return everything stored of a selector but the times."""
    tables = ("units", "preferences", "groups", "subset_values", "predictions")
    return {
        table: result.store.query(
            f"SELECT * FROM {table} WHERE selector = ? ORDER BY 2, 3", (selector,)
        )
        for table in tables
    }


def many(selectors, **more):
    settings = {"sizes": [2], "classifiers": ["knn3"], "replication": 0}
    return hf.Study(selectors, **{"protocol": hf.Subsampling(40, 0.9), **settings, **more})


def test_after_three_failures_a_selector_is_stopped_and_the_others_are_as_without_it(tmp_path):
    mended = tmp_path / "mended"
    asked = many({"one": Failing(0, str(mended)), "f": "f_score", "two": Failing(40)})
    with pytest.warns(HoldfastWarning, match=r"one failed on all 3 .* \(37 not run\): Arith"):
        result = asked.run(X, Y, n_jobs=1)
    assert result.failures["resample"].tolist() == [0, 1, 2]
    assert (result.n_units, result.n_done, result.n_not_run) == (120, 80, 37)
    assert not result.complete
    assert "80 of 120 units done, 3 failed (result.failures), 37 not run" in repr(result)
    mended.touch()
    whole = asked.run(X, Y, n_jobs=1)
    assert whole.complete
    for selector in (1, 2):
        assert rows_of(result, selector) == rows_of(whole, selector)


class FailingAt(Failing):
    """Fails on resamples by their positions."""

    def __init__(self, positions=(), *, n_features_to_select=None, random_state=0):
        self.positions = positions
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        if position(generator) in self.positions:
            raise ArithmeticError("out of luck")
        return np.abs(X.mean(axis=0))


class FailingInBlocks(FailingAt):
    """Is asked for blocks of resamples."""

    def _score_many(self, X, y, rows, seeded):
        return super()._score_many(X, y, rows, seeded)


@pytest.mark.parametrize(
    ("selector", "tried"),
    [
        (FailingAt((0, 1, 3, 4)), 40),
        (FailingAt((0, 1, 2)), 3),
        (FailingInBlocks((0, 1, 2, 30)), 40),
        (FailingInBlocks(tuple(range(12))), 12),
    ],
)
def test_one_success_among_the_first_resamples_is_enough(selector, tried):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HoldfastWarning)
        result = many({"f": "f_score", "odd": selector}, classifiers=()).run(X, Y, n_jobs=1)
    stored = result.store.query("SELECT resample, status FROM units WHERE selector = 1 ORDER BY 1")
    assert stored == [(at, "failed" if at in selector.positions else "done") for at in range(tried)]


@pytest.mark.parametrize("batches", [1, 2, 3, 6])
def test_an_interrupted_run_goes_on_to_the_same_state(tmp_path, monkeypatch, batches):
    monkeypatch.setattr(_worker, "SECONDS_PER_BATCH", 0.0)  # one unit, however fast the machine is
    asked = many({"f": "f_score", "odd": FailingAt(tuple(range(40))), "g": "t_score"})
    with pytest.warns(HoldfastWarning, match="odd failed on all 3"):
        whole = asked.run(X, Y, n_jobs=1)
    work_here(monkeypatch, lives=batches)
    with pytest.raises(Died):
        asked.run(X, Y, out=tmp_path / "run", n_jobs=1)
    work_here(monkeypatch)
    with pytest.warns(HoldfastWarning, match="odd failed on all 3"):
        result = asked.run(X, Y, out=tmp_path / "run", n_jobs=1)
    for selector in range(3):
        assert rows_of(result, selector) == rows_of(whole, selector)


def test_a_study_that_grows_runs_a_stopped_selector_in_no_later_step(monkeypatch):
    log = work_here(monkeypatch)
    asked = many(
        {"odd": FailingAt(tuple(range(1000))), "r": "random_score"},
        protocol=hf.Subsampling(400, 0.9), until_width=0.15, classifiers=(),
    )  # fmt: skip
    with pytest.warns(HoldfastWarning, match="odd failed on all 3"):
        result = asked.run(X, Y)
    assert result.n_resamples > 12
    assert sum(unit.selector == 0 for units in log for unit in units) == 3


@pytest.mark.integration
@pytest.mark.slow
def test_the_number_of_processes_does_not_change_what_is_tried(tmp_path, monkeypatch):
    monkeypatch.undo()  # in processes of their own
    asked = many({"odd": FailingAt(tuple(range(40))), "f": "f_score", "h": FailingAt((0, 1))})
    results = []
    for n_jobs in (1, 2):
        with pytest.warns(HoldfastWarning, match="odd failed on all 3"):
            results.append(asked.run(X, Y, out=tmp_path / str(n_jobs), n_jobs=n_jobs))
    for selector in range(3):
        assert rows_of(results[0], selector) == rows_of(results[1], selector)
    assert len(rows_of(results[0], 0)["units"]) == 3


@pytest.mark.slow
def test_the_command_ends_with_1_and_names_the_selector(tmp_path):
    folder = tmp_path / "run"
    asked = study({"one": Failing(), "two": Failing(1)})
    with pytest.raises(StudyError):
        asked.run(X, Y, out=folder, n_jobs=1)
    result = run("resume", folder, "--trust", "--n-jobs=1")
    assert result.exit_code == 1
    assert "no selector succeeded. one failed on all 3 resamples that were tried" in result.stderr
    mixed = tmp_path / "mixed"
    with pytest.warns(HoldfastWarning, match="one failed"):
        study({"one": Failing(), "f": "f_score"}).run(X, Y, out=mixed, n_jobs=1)
    result = run("resume", mixed, "--trust", "--n-jobs=1")
    assert result.exit_code == 1
    assert result.stderr.count("one failed on all 3 resamples that were tried") == 1
