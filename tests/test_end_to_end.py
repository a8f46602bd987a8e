"""One study as a user runs it: from a file, in two processes, to tables and a report.

The only test of `make test` that starts processes; the others are marked as integration tests.
"""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np

import holdfast as hf
from tests.study.run_folders import contents

SELECTORS = ["f_score", "relieff:n_neighbors=5", "svm_rfe"]
N_INFORMATIVE = 4


def write_data(path):
    """Write two classes of 40 samples each, which differ in the first few of 30 features."""
    generator = np.random.default_rng(5)
    y = np.arange(80) % 2
    X = generator.standard_normal((80, 30))
    X[:, :N_INFORMATIVE] += 2 * y[:, None]
    names = [f"gene_{i}" for i in range(30)]
    rows = [
        ",".join([*map(repr, row.tolist()), "ab"[label]]) for row, label in zip(X, y, strict=True)
    ]
    path.write_text("\n".join([",".join([*names, "class"]), *rows, ""]), encoding="utf-8")
    return names


def test_a_study_from_a_file_in_two_processes_to_its_report(tmp_path):
    names = write_data(tmp_path / "data.csv")
    run = subprocess.run(
        [
            *(sys.executable, "-m", "holdfast", "study", "data.csv", "--out", "run", "--json"),
            *("--selectors", ",".join(SELECTORS), "--sizes", f"{N_INFORMATIVE},10"),
            *("--protocol", "subsampling:n_resamples=10,train_size=0.8"),
            *("--classifiers", "knn3", "--replication", "4", "--export", "csv", "--n-jobs", "2"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "on 2 local processes" in run.stderr
    document = json.loads(run.stdout)
    assert document["units"]["failed"] == 0
    assert document["units"]["done"] == document["units"]["all"]
    report = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert report.count("<svg") >= 5
    assert (tmp_path / "run" / "tables" / "stability.csv").is_file()

    features = hf.load(tmp_path / "run").features
    selected = features[features["selected"] & (features["size"] == N_INFORMATIVE)]
    assert set(selected["feature"]) == set(names[:N_INFORMATIVE])

    here = hf.Study(
        SELECTORS,
        protocol=hf.Subsampling(10, 0.8),
        sizes=[N_INFORMATIVE, 10],
        classifiers=["knn3"],
        replication=4,
    )
    here.run(hf.io.read_data(tmp_path / "data.csv"), out=tmp_path / "here", n_jobs=1)
    assert contents(tmp_path / "run", tmp_path) == contents(tmp_path / "here", tmp_path)
