"""Studies of selectors from files: in processes, on a cluster, resumed, with trust only."""

from __future__ import annotations

import json
import sys

import pytest

import holdfast as hf
from holdfast._imported_objects import IMPORTED_FILES
from holdfast.errors import StoreError, StudyError, UntrustedCodeError
from holdfast.judge import Pair
from tests.study.cluster import cluster
from tests.study.crafted_plans import copy_with, named, wrapped, write_study
from tests.study.inline import work_here
from tests.study.run_folders import contents
from tests.study.small_data import small_data

X, Y = small_data(6)
PAIR = Pair("score", "knn3", 2)
SELECTORS = """
import threading

LOCK = threading.Lock()  # cannot be pickled: workers import the file

def score(X, y):
    with LOCK:
        return abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
"""
CANARY = "open({!r}, 'w').close()\ndef score(X, y): ...\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SELECTORS)
    before = set(IMPORTED_FILES)
    yield tmp_path
    for name in set(IMPORTED_FILES) - before:
        del IMPORTED_FILES[name], sys.modules[name]


def study(*selectors):
    return hf.Study(
        list(selectors) or ["mine.py:score", "f_score"], protocol=hf.Subsampling(5, 0.8),
        sizes=[2], classifiers=["knn3"], replication=0,
    )  # fmt: skip


def test_the_plan_holds_the_path_and_a_digest(here, monkeypatch):
    work_here(monkeypatch)
    result = study().run(X, Y, out="run")
    [selector, _] = json.loads((here / "run" / "plan.json").read_text())["selectors"]
    assert selector["name"] == "score"
    estimator = selector["object"]["parameters"]["estimator"]
    assert estimator["function"] == "mine.py:score"
    assert len(estimator["sha256"]) == 64
    assert result.complete
    assert len(hf.load("run", trust=True).pipeline(X, Y, chosen=PAIR)) == 3


def test_one_name_for_two_functions_is_spelled_in_full(here, monkeypatch):
    work_here(monkeypatch)
    (here / "other.py").write_text(SELECTORS)
    result = study("mine.py:score", "other.py:score").run(X, Y)
    names = [selector["name"] for selector in result.plan["selectors"]]
    assert names == ["mine.py:score", "other.py:score"]


def test_a_run_goes_on_with_the_same_file_only(here, monkeypatch):
    work_here(monkeypatch)
    study().run(X, Y, out="run", part="1/2")
    with pytest.raises(UntrustedCodeError, match=r"mine.py:score for selector 'score' \(a file of"):
        hf.resume("run", n_jobs=1)
    (here / "mine.py").write_text(SELECTORS + "\n# changed\n")
    with pytest.raises(StudyError, match=r"mine\.py has changed since the study began"):
        hf.resume("run", n_jobs=1, trust=True)
    with pytest.raises(StoreError, match="this folder holds another study: its plan is not this"):
        study().run(X, Y, out="run")
    (here / "mine.py").unlink()
    with pytest.raises(StudyError, match=r"mine\.py:score cannot be imported .* does not exist"):
        hf.resume("run", n_jobs=1, trust=True)
    (here / "mine.py").write_text(SELECTORS)
    assert hf.resume("run", n_jobs=1, trust=True).complete


def nested(text):
    """Return serialized selectors that name a file, by where."""
    function = {"function": text, "sha256": "0" * 64}
    return {
        "function": wrapped(function),
        "class": {**named(text), "sha256": "0" * 64},
        "wrapped class": wrapped({**named(text), "sha256": "0" * 64}),
        "base": named("holdfast.select:Ensemble", base=function),
        "list": named("holdfast.select:Ensemble", base=["f_score", function]),
        "class as a value": named("holdfast.select:SVMRFE", step=function),
    }


@pytest.mark.parametrize("place", nested(""))
def test_a_foreign_plan_imports_no_file_without_trust(here, monkeypatch, place):
    work_here(monkeypatch)
    write_study(here / "whole")
    (here / "evil.py").write_text(CANARY.format("canary"))
    for text in ("evil.py:score", f"{here}/evil.py:score", "../evil.py:score"):
        folder = here / f"run{len(text)}"
        copy_with(here / "whole", folder, selector=nested(text)[place])
        with pytest.raises(UntrustedCodeError, match="a file of Python code"):
            hf.resume(folder, n_jobs=1)
        assert not (here / "canary").exists()


TEXTS = (
    "evil.py:score",
    "evil:score",
    "(f_score,evil.py:score)",
    "ensemble(base=evil.py:score,n_bags=2)",
    "ensemble(base=(relieff,evil:score),n_bags=2)",
    "(f_score,ensemble(base=evil.py:score,n_bags=2))",
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_in_a_foreign_plan_imports_nothing_even_with_trust(here, monkeypatch, text):
    work_here(monkeypatch)
    monkeypatch.syspath_prepend(here)
    part = hf.Study("f_score", sizes=[2], protocol=hf.Subsampling(8, 0.8), replication=0)
    part.run(X, Y, out="part", part="2/8")
    (here / "evil.py").write_text(CANARY.format("canary"))
    document = named("holdfast.select:Ensemble", base=text, n_bags=2)
    copy_with(here / "part", here / "run", selector=document)
    for trust in (False, True):
        with pytest.raises(StudyError, match="which is not imported here: pass the object itself"):
            hf.resume(here / "run", n_jobs=1, trust=trust)
    assert not (here / "canary").exists()


@pytest.mark.parametrize(
    "document",
    [
        {"function": "mine.py:score"},  # without a digest
        {"function": "mine.py:score", "sha256": 3},
        {"function": "mine.py:score", "sha256": "0", "more": 1},
        {"function": "mine:score", "sha256": "0" * 64},
        {"function": "mine.py:sc ore", "sha256": "0" * 64},
        {"function": "mi\nne.py:score", "sha256": "0" * 64},
        {"function": "m" * 500 + ".py:score", "sha256": "0" * 64},
        {"function": ".py", "sha256": "0" * 64},
    ],
)
def test_other_forms_of_files_are_damage(here, monkeypatch, document):
    work_here(monkeypatch)
    write_study(here / "whole")
    copy_with(here / "whole", here / "run", selector=wrapped(document))
    with pytest.raises(StoreError, match="of the plan is damaged"):
        hf.resume(here / "run", n_jobs=1)


@pytest.mark.integration
@pytest.mark.slow
def test_two_processes_and_a_cluster_give_the_bytes_of_one(here, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("dask")
    for n_jobs in (1, 2):
        study().run(X, Y, out=f"run{n_jobs}", n_jobs=n_jobs)
    expected = contents(here / "run1", here)
    assert contents(here / "run2", here) == expected
    from distributed import Client

    with cluster(elsewhere) as dask, Client(dask.address) as client:
        assert study().run(X, Y, out="run3", client=client).complete
    assert contents(here / "run3", here) == expected
