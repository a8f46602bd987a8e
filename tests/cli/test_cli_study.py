"""``holdfast study``: from data to a table, and what is refused before work starts."""

from __future__ import annotations

import hashlib
import json
import logging
import re

import numpy as np
import pytest

import holdfast as hf
from holdfast.cli._study_command import CLASSIFIERS, SELECTORS, build_request
from tests.cli.studies import SMALL, run


def stages(folder):
    """Write a table whose target holds the numbers 0 to 4."""
    rng = np.random.default_rng(0)
    rows = [
        ",".join([f"{i % 5}", *(f"{value:.4f}" for value in rng.standard_normal(6))])
        for i in range(60)
    ]
    path = folder / "stages.csv"
    path.write_text("\n".join(["stage,a,b,c,d,e,f", *rows, ""]))
    return path


FEW = ["--selectors=f_score", "--sizes=2", "--n-jobs=1", "--classifiers=none"]
FEW += ["--protocol=subsampling:n_resamples=3,train_size=0.8"]


@pytest.mark.slow
def test_a_target_of_numbers_must_be_declared(tmp_path):
    path = stages(tmp_path)
    refused = run("study", path, "--target=stage", *FEW, "--out", tmp_path / "run")
    assert refused.exit_code == 3
    assert "column 'stage' holds 5 distinct numbers (0, 1, 2 and 2 more)" in refused.stderr
    assert "--classes" in refused.stderr
    assert not (tmp_path / "run").exists()
    taken = run("study", path, "--target=stage", "--classes", *FEW, "--out", tmp_path / "run")
    assert taken.exit_code == 0, taken.stderr
    assert run("resume", tmp_path / "run", "--n-jobs=1").exit_code == 0


@pytest.mark.slow
def test_a_study_file_declares_classes(tmp_path):
    stages(tmp_path)
    said = '[data]\nfile = "stages.csv"\ntarget = "stage"\nclasses = true\n'
    (tmp_path / "study.toml").write_text(said)
    result = run("study", tmp_path / "study.toml", *FEW, "--out", tmp_path / "run")
    assert result.exit_code == 0, result.stderr
    (tmp_path / "study.toml").write_text(said.replace("true", '"yes"'))
    refused = run("study", tmp_path / "study.toml", *FEW, "--out", tmp_path / "other")
    assert refused.exit_code == 3
    assert "data.classes" in refused.stderr


def test_plans_need_the_declaration_too(tmp_path):
    path = stages(tmp_path)
    asked = ["plan", path, "--target=stage", "--selectors=f_score", "--sizes=2", "--n-pairs=4"]
    refused = run(*asked)
    assert refused.exit_code == 3
    assert "--classes" in refused.stderr
    assert run(*asked, "--classes").exit_code == 0


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return a finished run: its folder, and what was printed."""
    folder = tmp_path_factory.mktemp("study") / "run"
    result = run("study", *SMALL, "--export", "csv", "--out", folder)
    assert result.exit_code == 0, result.stderr
    return folder, result


def test_table_sentence_and_list_are_all_that_goes_to_standard_output(finished):
    folder, result = finished
    table, told = result.stdout.split("\n\n")
    _, header, *lines = table.splitlines()[:4]
    assert header.split() == [
        "selector",
        "of",
        "3",
        "of",
        "7",
        "lowest",
        "error,",
        "%",
        "classifier",
    ]
    assert [line.split()[0] for line in lines] == ["f_score", "relieff"]
    assert all(line.split()[-1] == "knn3" for line in lines)
    verdict = json.loads((folder / "report.json").read_text())["verdict"]
    assert told.splitlines()[0] == verdict["headline"]
    assert told.splitlines()[-2:] == [verdict["next_step"], verdict["certainty"]]


def test_data_and_work_are_reported_on_standard_error(finished):
    _, result = finished
    lines = result.stderr.splitlines()
    assert lines[0].startswith("data: 178 samples of 13 features in 3 classes: class_0 59,")
    assert "work: 2 selectors x 58 training parts = 116 units, on 1 local process." in lines


def test_the_files_are_named_and_there(finished):
    folder, result = finished
    written = [line[9:] for line in result.stderr.splitlines() if line.startswith("written: ")]
    first, *named = written[0].split(", ")
    assert first == str(folder / "study.sqlite")
    assert {"plan.json", "tables/stability.csv", "tables/features.csv", "report.md"} < set(named)
    assert all((folder / name).exists() for name in named)
    assert f"hf.load({str(folder)!r})" in result.stderr


def test_the_same_command_again_computes_nothing_and_prints_the_same(finished):
    folder, first = finished
    again = run("study", *SMALL, "--out", folder, "--quiet")
    assert again.exit_code == 0
    assert again.stdout == first.stdout
    assert again.stderr == ""


@pytest.mark.slow
def test_json_holds_all_tables(finished):
    folder, _ = finished
    result = run("study", *SMALL, "--out", folder, "--json")
    document = json.loads(result.stdout)
    assert document["units"] == {"all": 116, "done": 116, "failed": 0, "not_run": 0}
    assert len(document["stability"]) == 2 * 2 * 3
    assert {row["classifier"] for row in document["errors"]} == {"knn3"}
    assert document["failures"] == []
    names = ("study.sqlite", "plan.json", "report.html", "report.json", "report.md")
    assert document["files"] == [str(folder / name) for name in names]
    plan = (folder / "plan.json").read_bytes()
    assert document["plan"] == hashlib.sha256(plan).hexdigest()


def test_another_study_in_the_folder_is_refused_and_left_alone(finished):
    folder, _ = finished
    before = (folder / "plan.json").read_bytes()
    result = run("study", *SMALL, "--seed", 1, "--out", folder)
    assert result.exit_code == 1
    assert "this folder holds another study" in result.stderr
    assert "Traceback" not in result.stderr
    assert (folder / "plan.json").read_bytes() == before


def test_a_default_folder_in_use_is_refused_with_advice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wine-study").mkdir()
    (tmp_path / "wine-study" / "thesis.txt").write_text("mine")
    result = run("study", *SMALL)
    assert result.exit_code == 1
    assert "thesis.txt" in result.stderr
    assert result.stderr.rstrip().endswith("Name another folder by --out.")


@pytest.mark.parametrize(
    ("data", "folder"),
    [
        ("@breast_cancer", "breast_cancer-study"),
        ("/some/where/colon.csv", "colon-study"),
        ("colon.v2.csv.gz", "colon.v2-study"),
        ("colon", "colon-study"),
    ],
)
def test_the_default_folder_is_named_after_the_data(data, folder):
    assert str(build_request(data, {}).folder) == folder


def test_the_default_study():
    request = build_request("@wine", {"quiet": False})
    assert request.study["selectors"] == SELECTORS
    assert request.study["classifiers"] == CLASSIFIERS
    assert "protocol" not in request.study  # it depends on the number of samples
    assert "sizes" not in request.study


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--selectors", "relief"], 2, "no selector is called 'relief'. Did you mean 'relieff'?"),
        (["--selectors", "relieff:n_neighbour=2"], 2, "Did you mean 'n_neighbors'?"),
        (["--selectors", "f_score,f_score"], 2, "each selector may be given once"),
        (["--classifiers", "knn"], 2, "no classifier is called 'knn'"),
        (["--measures", "jacard"], 2, "Did you mean 'jaccard'?"),
        (["--protocol", "subsamplin"], 2, "Did you mean 'subsampling'?"),
        (["--protocol", "subsampling:5"], 2, "key=value"),
        (["--sizes", "0"], 2, "counts or fractions"),
        (["--sizes", "1.5"], 2, "counts or fractions"),
        (["--part", "4/3"], 2, "expected a part such as 1/3"),
        (["--n-jobs", "0"], 2, "expected a number of processes"),
        (["--timeout", "0"], 2, "timeout"),
        (["--timeout", "inf"], 2, "timeout"),
        (["--timeout", "nan"], 2, "timeout"),
        (["--timeout", "1e15"], 2, "timeout"),
        (["--export", "xlsx"], 2, "'xlsx' is not one of 'csv', 'parquet'"),
        (["--seed", "-1"], 2, "seed"),
        (["--sizes", "14"], 3, "13 features"),
        (["--positive", "class_7"], 2, "no class is called 'class_7'"),
        (["--target", "clas"], 2, "Did you mean 'class'?"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_written(tmp_path, arguments, code, told):
    result = run("study", *SMALL, "--out", tmp_path / "run", *arguments)
    assert result.exit_code == code, result.stderr
    assert told in result.stderr
    assert result.stderr.count("error: ") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "the file is empty"),
        (b"a,b,class\n1,2,x\n1,y\n", "line 3"),
        (b"a,b\n1,2\n", "the target must be named"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a text file is needed"),
        (b"a,b,class\n1,2,x\n3,4,x\n", "at least two classes"),
    ],
)
def test_broken_data_are_bad_data(tmp_path, content, told):
    (tmp_path / "a.csv").write_bytes(content)
    result = run("study", tmp_path / "a.csv", "--out", tmp_path / "run")
    assert result.exit_code == 3, result.stderr
    assert told in result.stderr
    assert not (tmp_path / "run").exists()


def test_missing_data_are_bad_data(tmp_path):
    result = run("study", tmp_path / "a.csv")
    assert result.exit_code == 3
    assert "there is no such file" in result.stderr


def test_notes_about_the_data_are_reported(tmp_path):
    rows = "".join(f"{i},{i * i % 7},0,{'m' if i % 2 else 'w'}\n" for i in range(12))
    (tmp_path / "a.csv").write_bytes(f"größe,b,zero,class\n{rows}".encode("latin-1"))
    result = run("study", tmp_path / "a.csv", "--sizes", "9", "--out", tmp_path / "run")
    assert "data: 1 feature is constant: zero." in result.stderr
    assert "data: The file is not in UTF-8: it was read as Latin-1" in result.stderr


def test_warnings_of_the_library_are_reported_once(tmp_path, monkeypatch):
    def warn(*_, **__):
        for _ in range(2):
            logging.getLogger("holdfast.study").warning("relieff: a\nthing")
        raise hf.errors.StudyError("enough.")

    monkeypatch.setattr("holdfast.study.Study.run", warn)
    loud = run("study", *SMALL, "--out", tmp_path / "run")
    assert loud.stderr.count("warning: relieff: a thing\n") == 1
    assert loud.exit_code == 1
    quiet = run("study", *SMALL, "--out", tmp_path / "run", "--quiet")
    assert quiet.stderr == "error: enough.\n"
    assert not logging.getLogger("holdfast").handlers


def test_a_task_of_a_job_array_runs_its_own_part(tmp_path, monkeypatch):
    values = {"ID": "2", "MIN": "0", "MAX": "2", "COUNT": "3", "STEP": "1"}
    for name, value in values.items():
        monkeypatch.setenv(f"SLURM_ARRAY_TASK_{name}", value)
    result = run("study", *SMALL, "--out", tmp_path / "task", "--part", "auto")
    assert result.exit_code == 0, result.stderr
    assert "Part 3/3 alone does not show" in result.stdout
    stated = run("study", *SMALL, "--out", tmp_path / "part", "--part", "3/3")
    state = re.compile(r"next: [1-9]\d* of 116 units are done")
    assert state.findall(result.stderr) == state.findall(stated.stderr) != []


def test_part_auto_outside_a_job_array_is_wrong_usage(tmp_path, monkeypatch):
    for name in ("SLURM_ARRAY_TASK_ID", "SGE_TASK_ID", "LSB_JOBINDEX", "PBS_ARRAY_INDEX"):
        monkeypatch.delenv(name, raising=False)
    result = run("study", *SMALL, "--out", tmp_path / "run", "--part", "auto")
    assert result.exit_code == 2
    assert "sbatch --array=1-3" in result.stderr
    assert not (tmp_path / "run").exists()


def test_a_dry_run_prints_the_cost_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("study", "@wine", *FEW, "--replication=0", "--dry-run", "--out=run")
    assert result.exit_code == 0
    header, row, total = result.stdout.splitlines()
    assert header.split() == [
        "selector",
        "resamples",
        "seconds",
        "each",
        "time",
        "memory",
        "problem",
    ]
    assert row.split()[:2] == ["f_score", "3"]
    assert re.match(r"all, 1 process +3 +under 10 s", total)
    assert "nothing was run or written" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_dry_run_prints_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("study", "@wine", *FEW, "--replication=0", "--dry-run", "--json", "--quiet")
    document = json.loads(result.stdout)
    (selector,) = document["selectors"]
    assert (selector["selector"], selector["resamples"]) == ("f_score", 3)
    assert selector["seconds"] == 3 * selector["seconds_each"]
    assert document["processes"] == 1
    assert result.stderr == ""


def test_a_dry_run_refuses_more_memory_than_there_is(tmp_path, monkeypatch):
    def refuse(n_processes, each, shared, error):
        raise error("too much; run one process at a time: --n-jobs 1.")

    monkeypatch.setattr("holdfast.study._execution._cost.check_process_memory", refuse)
    result = run("study", "@wine", *FEW, "--replication=0", "--dry-run")
    assert result.exit_code == 1
    assert "error: too much; run one process" in result.stderr
