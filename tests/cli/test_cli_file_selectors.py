"""Selectors from modules and files on the command line and in study files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast._imported_objects import IMPORTED_FILES
from tests.cli.studies import run
from tests.study.inline import work_here
from tests.waiting import PATIENCE

SELECTORS = """
from sklearn.feature_selection import SelectKBest

def score(X, y):
    return abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))

def fail(X, y):
    raise ArithmeticError("out of luck")

class Mine(SelectKBest):
    def __init__(self, score_func=score, *, k=2):
        super().__init__(score_func, k=k)
"""
SMALL = ("--protocol=subsampling:n_resamples=5", "--sizes=2", "--classifiers=knn3",
         "--replication=0", "--n-jobs=1", "--out=run")  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "crafted_mine.py").write_text(SELECTORS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = {*IMPORTED_FILES, *sys.modules}
    yield tmp_path
    for name in [name for name in sys.modules if "crafted_mine" in name and name not in before]:
        IMPORTED_FILES.pop(name, None)
        del sys.modules[name]


def plan_names():
    return [part["name"] for part in json.loads(Path("run/plan.json").read_text())["selectors"]]


def test_files_modules_and_options(here, monkeypatch):
    work_here(monkeypatch)
    names = "crafted_mine.py:score,crafted_mine:Mine:k=3,f_score,crafted_mine.py:Mine(k=1)"
    result = run("study", "@wine", f"--selectors={names}", *SMALL)
    assert result.exit_code == 0, result.stderr
    assert plan_names() == [
        "score", "crafted_mine:Mine:k=3", "f_score", "crafted_mine.py:Mine(k=1)"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.py:score", "error: nowhere.py: this file does not exist"),
        ("crafted_mine.py:scor", "error: crafted_mine.py has no 'scor'. Did you mean 'score'?"),
        ("no_such_module:score", "error: no module is called 'no_such_module'"),
        ("relieff:5", "options must have the form key=value; got 5"),
    ],
)
def test_wrong_names_are_wrong_usage(here, name, message):
    for command in (("study", "@wine", "--out=run"), ("plan", "@wine")):
        result = run(*command, f"--selectors={name}")
        assert result.exit_code == 2
        assert message in result.stderr
    assert not (here / "run").exists()


def test_a_study_file_names_files_next_to_it(here, monkeypatch):
    work_here(monkeypatch)
    (here / "sub").mkdir()
    (here / "crafted_mine.py").rename(here / "sub" / "crafted_mine.py")
    text = '[data]\nfile = "@wine"\n[study]\nselectors = ["crafted_mine.py:score", "f_score"]\n'
    (here / "sub" / "study.toml").write_text(text)
    result = run("study", "sub/study.toml", "--trust", *SMALL)
    assert result.exit_code == 0, result.stderr
    assert plan_names() == ["score", "f_score"]
    (here / "sub" / "wrong.toml").write_text(text.replace("score", "scor"))
    result = run("study", "sub/wrong.toml", "--trust", *SMALL)
    assert result.exit_code == 3
    assert "study.selectors.0: sub/crafted_mine.py has no 'scor'." in result.stderr


FOREIGN = [
    'selectors = ["canary.py:score"]',
    'selectors = ["f_score", "canary:score"]',
    'selectors = ["ensemble:base=canary.py:score,n_bags=2"]',
    'selectors = ["ensemble:base=(relieff,canary:score),n_bags=2"]',
    '[study.selectors."canary.py:score"]',
]


@pytest.mark.parametrize("text", FOREIGN)
def test_a_study_file_runs_no_code_without_trust(here, text):
    (here / "canary.py").write_text("open('sung', 'w').close()\n")
    (here / "study.toml").write_text(f'[data]\nfile = "@wine"\n[study]\n{text}\n')
    result = run("study", "study.toml", "--out=run")
    assert result.exit_code == 3
    assert "study.selectors names code, which would be run: " in result.stderr
    assert "give --trust" in result.stderr
    assert not (here / "sung").exists()
    assert not (here / "run").exists()


DEEPER = [
    'selectors = ["ensemble:base=ensemble(base=canary.py:score,n_bags=2),n_bags=2"]',
    "[study.selectors.ensemble]\nbase = 'canary.py:score'",
    "[study.selectors.any_selector]\nestimator = 'canary.py:score'",
]


@pytest.mark.parametrize("text", DEEPER)
def test_what_is_nested_deeper_is_never_run(here, text, monkeypatch):
    work_here(monkeypatch)
    (here / "canary.py").write_text("open('sung', 'w').close()\n")
    (here / "study.toml").write_text(f'[data]\nfile = "@wine"\n[study]\n{text}\n')
    for trust in ((), ("--trust",)):
        assert run("study", "study.toml", *trust, *SMALL).exit_code in (1, 3)
    assert not (here / "sung").exists()


def test_a_file_selector_that_always_fails_ends_with_code_1(here, monkeypatch):
    work_here(monkeypatch)
    result = run("study", "@wine", "--selectors=crafted_mine.py:fail,f_score", *SMALL)
    assert result.exit_code == 1
    assert "error: 3 of 10 units failed:" in result.stderr
    message = "fail failed on all 3 resamples that were tried (2 not run): ArithmeticError: out of"
    assert result.stderr.count(message) == 1
    assert "holdfast resume run --trust" in result.stderr


@pytest.mark.integration
@pytest.mark.slow
def test_the_program_runs_files_and_modules_of_the_working_directory(here):
    program = Path(sys.executable).with_name("holdfast")
    names = "crafted_mine.py:score,crafted_mine:Mine"
    ran = subprocess.run(
        [program, "study", "@wine", "--selectors", names, *SMALL, "--n-jobs=2"],
        capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert plan_names() == ["score", "mine"]
