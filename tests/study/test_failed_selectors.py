"""Selectors that fail on every resample: what is raised, warned of, said and kept."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import HoldfastWarning, StudyError
from holdfast.select._ranker import Scorer
from tests.cli.studies import run
from tests.study.inline import work_here

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
    message = r"no selector succeeded. one failed on all 4 resamples: ArithmeticError: out of luck,"
    with pytest.raises(StudyError, match=message) as error:
        asked.run(X, Y, out=folder, n_jobs=1)
    assert str(folder) in str(error.value)
    assert "hf.resume(" in str(error.value)
    assert len(hf.load(folder).failures) == 8
    with pytest.raises(StudyError, match="no selector succeeded"):
        hf.resume(folder, n_jobs=1, trust=True)
    mended.touch()
    assert hf.resume(folder, n_jobs=1, trust=True).complete


def test_in_memory_nothing_is_kept():
    with pytest.raises(StudyError, match=r"Nothing is kept, as no folder was named \(out=\)"):
        study({"one": Failing()}).run(X, Y, n_jobs=1)


def test_some_selectors_that_fail_throughout_are_a_warning():
    with pytest.warns(HoldfastWarning, match="one failed on all 4 resamples: ArithmeticError"):
        result = study({"one": Failing(), "f": "f_score"}).run(X, Y, n_jobs=1)
    assert result.n_done == 4


def test_a_selector_that_fails_on_some_resamples_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = study({"odd": Failing(36)}, replication=4).run(X, Y, n_jobs=1)
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


@pytest.mark.slow
def test_the_command_ends_with_1_and_names_the_selector(tmp_path):
    folder = tmp_path / "run"
    asked = study({"one": Failing(), "two": Failing(1)})
    with pytest.raises(StudyError):
        asked.run(X, Y, out=folder, n_jobs=1)
    result = run("resume", folder, "--trust", "--n-jobs=1")
    assert result.exit_code == 1
    assert "no selector succeeded. one failed on all 4 resamples: Arith" in result.stderr
    mixed = tmp_path / "mixed"
    with pytest.warns(HoldfastWarning, match="one failed"):
        study({"one": Failing(), "f": "f_score"}).run(X, Y, out=mixed, n_jobs=1)
    result = run("resume", mixed, "--trust", "--n-jobs=1")
    assert result.exit_code == 1
    assert result.stderr.count("one failed on all 4 resamples: ArithmeticError: out of") == 1
