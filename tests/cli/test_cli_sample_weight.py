"""``holdfast study --sample-weight``: a column of weights, from the run to the resumed run."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import holdfast as hf
from holdfast.errors import HoldfastWarning
from tests.cli.studies import run
from tests.study.small_data import small_data

SMALL = ["--protocol=subsampling:n_resamples=4,train_size=0.8", "--sizes=3", "--n-jobs=1"]
SMALL += ["--selectors=sklearn.linear_model:LogisticRegression,f_score", "--replication=0"]


@pytest.fixture
def table(tmp_path):
    X, y = small_data(6)
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    path = tmp_path / "cells.csv"
    names = [f"g{j}" for j in range(6)]
    rows = [",".join(map(str, row)) for row in zip(*X.T, weights, y, strict=True)]
    path.write_text("\n".join([",".join([*names, "w", "class"]), *rows]) + "\n")
    return path


def test_the_column_is_used_named_in_the_summary_and_found_by_resume(table, tmp_path):
    folder = tmp_path / "run"
    begun = run(
        *("study", table, "--sample-weight=w", "--classifiers=linear_svm,knn3", *SMALL),
        *("--out", folder, "--part=1/2"),
    )
    assert begun.exit_code == 0, begun.stderr
    assert "f_score, knn3 ignore the sample weights" in begun.stderr
    resumed = run("resume", folder, "--n-jobs=1")
    assert resumed.exit_code == 0, resumed.stderr
    assert "f_score and knn3 ignore the sample weights" in resumed.stdout
    plan = json.loads((folder / "plan.json").read_text())
    assert plan["data"]["source"]["sample_weight"] == "w"
    data = hf.io.read_data(table, sample_weight="w")
    study = hf.Study(
        {"LogisticRegression": LogisticRegression(), "f_score": "f_score"},
        protocol=hf.Subsampling(4, 0.8),
        sizes=[3],
        classifiers=["linear_svm"],
        replication=0,
    )
    with pytest.warns(HoldfastWarning, match="f_score ignores the sample weights"):
        same = study.run(data, n_jobs=1)
    found = hf.load(folder)
    assert found.stability["value"].tolist() == same.stability["value"].tolist()
    errors = found.errors.query("classifier == 'linear_svm'")["error"].tolist()
    assert errors == same.errors["error"].tolist()


def test_weights_that_nothing_uses_are_bad_data(table, tmp_path):
    refused = run(
        *("study", table, "--sample-weight=w", "--selectors=f_score", "--classifiers=knn3"),
        *("--out", tmp_path / "run", "--n-jobs=1"),
    )
    assert refused.exit_code == 3
    assert "no selector or classifier uses the sample weights: f_score, knn3" in refused.stderr
    assert not (tmp_path / "run").exists()


def test_a_study_file_names_the_column(table, tmp_path):
    (tmp_path / "study.toml").write_text(
        '[data]\nfile = "cells.csv"\nsample_weight = "w"\n'
        '[study]\nselectors = ["f_score"]\nclassifiers = ["linear_svm"]\nreplication = 0\n'
        'protocol = "subsampling:n_resamples=4,train_size=0.8"\nsizes = [3]\n'
    )
    begun = run("study", tmp_path / "study.toml", "--n-jobs=1", "--out", tmp_path / "run")
    assert begun.exit_code == 0, begun.stderr
    plan = json.loads((tmp_path / "run" / "plan.json").read_text())
    assert plan["weighting"] == {"ignored_by": {"selectors": ["f_score"], "classifiers": []}}
