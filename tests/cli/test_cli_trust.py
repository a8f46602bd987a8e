"""``holdfast resume --trust``: plans that name other code than estimators of installed packages."""

import subprocess
import sys
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import StudyError
from tests.cli.studies import run
from tests.study.crafted_plans import X, Y, copy_with, named, wrapped, write_study
from tests.waiting import PATIENCE

LOCAL_MODULE = """
def score(X, y):
    return abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))

def fail(X, y):
    raise ArithmeticError("out of luck")
"""
OS_SYSTEM = named("os:system", command="touch canary")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    write_study(folder)
    return folder


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a working directory with a module that only this directory has."""
    (tmp_path / "crafted_scores.py").write_text(LOCAL_MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # `resume --trust` adds the working directory
    monkeypatch.delitem(sys.modules, "crafted_scores", raising=False)
    yield tmp_path
    sys.modules.pop("crafted_scores", None)


def start_program(*arguments):
    """Run the installed program, as a user does, in the working directory."""
    program = Path(sys.executable).with_name("holdfast")
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def test_a_plan_that_names_a_command_is_refused(whole, here):
    copy_with(whole, here / "run", selector=OS_SYSTEM)
    result = run("resume", "run", "--n-jobs=1")
    assert result.exit_code == 1
    assert result.stdout == ""
    [line] = [line for line in result.stderr.splitlines() if "os:system" in line]
    assert line.startswith("error: run: the plan of this study names code that needs trust: ")
    assert "os:system for selector 'f_score' (part of Python's standard library)" in line
    assert "holdfast resume run --trust" in line
    assert "go on with" not in result.stderr
    assert not (here / "canary").exists()


@pytest.mark.slow
def test_the_trusted_folder_is_run(whole, here):
    copy_with(whole, here / "run", selector=wrapped({"function": "crafted_scores:score"}))
    refused = run("resume", "run", "--n-jobs=1")
    assert refused.exit_code == 1
    assert "crafted_scores:score for selector 'f_score'" in refused.stderr
    assert run("resume", "run", "--n-jobs=1", "--trust").exit_code == 0


def test_how_to_go_on_includes_trust_where_it_is_needed(here, monkeypatch):
    monkeypatch.syspath_prepend(here)
    failing = __import__("crafted_scores").fail
    study = hf.Study(
        {"mine": failing}, protocol=hf.Subsampling(3, 0.8), sizes=[2], classifiers=(), replication=0
    )
    with pytest.raises(StudyError, match=r"hf\.resume\('run', trust=True\)"):
        study.run(X, Y, out="run", n_jobs=1)
    result = run("resume", "run", "--n-jobs=1", "--trust")
    assert result.exit_code == 1
    assert "go on with: holdfast resume run --trust" in result.stderr
    plain = run("resume", "run", "--n-jobs=1")
    assert "go on with" not in plain.stderr


@pytest.mark.slow
def test_no_trust_is_suggested_for_own_names(here):
    options = ["--protocol=subsampling:n_resamples=4", "--sizes=2", "--replication=0"]
    result = run("study", "@wine", "--selectors=f_score", *options, "--n-jobs=1", "--part=1/2")
    assert result.exit_code == 0
    assert "--trust" not in result.stderr
    assert run("resume", "wine-study", "--n-jobs=1").exit_code == 0


@pytest.mark.integration
@pytest.mark.slow
def test_the_program_finds_modules_of_the_working_directory_only_with_trust(here, monkeypatch):
    monkeypatch.syspath_prepend(here)
    study = hf.Study(
        {"mine": __import__("crafted_scores").score}, protocol=hf.Subsampling(4, 0.8), sizes=[2],
        classifiers=["knn3"], replication=0,
    )  # fmt: skip
    study.run(X, Y, out="run", n_jobs=1, part="1/2")
    refused = start_program("resume", "run")
    assert refused.returncode == 1
    assert "crafted_scores:score" in refused.stderr
    assert "Traceback" not in refused.stderr
    trusted = start_program("resume", "run", "--trust", "--n-jobs", "2")
    assert trusted.returncode == 0, trusted.stderr
    assert hf.load("run").complete


@pytest.mark.integration
@pytest.mark.slow
def test_the_program_reads_a_foreign_folder_and_runs_nothing_of_it(whole, here):
    copy_with(whole, here / "run", selector=OS_SYSTEM, classifier=named("os:abort"))
    for name in ("sklearn.py", "numpy.py", "os.py"):
        (here / name).write_text("open('canary', 'w').close()")
    assert start_program("report", "run").returncode == 0
    assert start_program("merge", "run", "--out", "merged").returncode == 0
    refused = start_program("resume", "run")
    assert refused.returncode == 1
    assert "os:system for selector 'f_score'" in refused.stderr
    assert "os:abort for classifier 'knn3'" in refused.stderr
    assert not (here / "canary").exists()
