"""What is imported when: first use and workers load only what they need."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import holdfast as hf
from holdfast.study._execution._local_pool import pickle_runner
from holdfast.study._planning._make_plan import make_plan, make_unit_runner

HEAVY = {"numpy", "scipy", "sklearn", "pandas", "matplotlib", "numba", "pydantic", "joblib"}
PRINT_MODULES = "import json, sys; print(json.dumps(sorted(sys.modules)))"
RUN_UNIT = """
import pathlib, sys
import numpy as np
from holdfast._imported_objects import unpickle_with_files
from holdfast.study._execution._worker import UnitRunner, run_batch
from holdfast.study._planning._plan import Unit
fields = unpickle_with_files(pathlib.Path("runner").read_bytes())
event = run_batch(UnitRunner(X=np.load("matrix.npy"), **fields), [Unit(0, 0, 1)], None)
assert event.results[0].preferences, event
"""


def modules_after(program, folder):
    """Return the modules that a new process has imported when it has run a program."""
    run = subprocess.run(
        [sys.executable, "-c", f"{program}\n{PRINT_MODULES}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


@pytest.mark.integration
def test_naming_a_study_imports_nothing_heavy(tmp_path):
    imported = modules_after("import holdfast; holdfast.Study; holdfast.select", tmp_path)
    assert "holdfast.study._study" in imported
    assert not imported & HEAVY


@pytest.mark.integration
def test_names_are_completed_before_they_are_imported(tmp_path):
    program = """
import holdfast as hf
for room in (hf.io, hf.measures, hf.resample, hf.select, hf.study, hf.papers):
    assert {*room.__all__} <= {*dir(room)}
"""
    assert not modules_after(program, tmp_path) & HEAVY


def test_a_room_has_no_other_names():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = hf.io.nonsense


@pytest.mark.integration
def test_a_selector_is_imported_without_the_others(tmp_path):
    imported = modules_after("import holdfast; holdfast.TScore()", tmp_path)
    assert "holdfast.select._univariate" in imported
    others = {"_relieff", "_svm_rfe", "_models", "_groups._kmeans_groups", "_ensemble"}
    assert not imported & {f"holdfast.select.{name}" for name in others}


@pytest.mark.integration
def test_a_worker_imports_only_what_its_selectors_and_classifiers_need(tmp_path):
    study = hf.Study("t_score", protocol=hf.Subsampling(2, 0.9), sizes=[5], replication=0)
    data = hf.io.read_data("@breast_cancer")
    runner = make_unit_runner(make_plan(study._settings, data), data)
    np.save(tmp_path / "matrix.npy", runner.X)
    (tmp_path / "runner").write_bytes(pickle_runner(runner))
    imported = modules_after(RUN_UNIT, tmp_path)
    assert "holdfast.select._univariate" in imported
    rooms = {"measures", "theory", "simulate", "judge", "plot", "report", "papers", "cli"}
    assert not imported & {f"holdfast.{room}" for room in rooms}
    others = {"_relieff", "_svm_rfe", "_models", "_groups._kmeans_groups", "_ensemble"}
    assert not imported & {f"holdfast.select.{name}" for name in others}
    assert not imported & {"matplotlib", "click", "pydantic", "jinja2", "distributed"}
