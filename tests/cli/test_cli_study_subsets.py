"""Selectors that choose a subset, on the command line and in study files."""

from __future__ import annotations

import json

import holdfast as hf
from tests.cli.studies import run

SELECTORS = (
    "forward_selection:classifier=knn3(n_neighbors=7),cv=cross_validation(3),forced_in=(ash,hue),"
    "n_features_to_select=(2,5),random_subset"
)
FILE = """
[data]
file = "@wine"

[study]
protocol = "subsampling:n_resamples=3"
replication = 0
classifiers = []

[study.selectors.forward_selection]
classifier = "knn3(n_neighbors=7)"
cv = "cross_validation:n_folds=3"
forced_in = ["ash", "hue"]
n_features_to_select = [2, 5]

[study.selectors.random_subset]

[run]
n_jobs = 1
"""


def test_options_and_study_files_say_the_same(tmp_path):
    (tmp_path / "study.toml").write_text(FILE)
    asked = [
        "@wine",
        "--selectors",
        SELECTORS,
        "--protocol=subsampling:n_resamples=3",
        "--replication=0",
    ]
    given = run("study", *asked, "--classifiers=none", "--n-jobs=1", "--out", tmp_path / "a")
    filed = run("study", tmp_path / "study.toml", "--out", tmp_path / "b")
    assert (given.exit_code, filed.exit_code) == (0, 0), given.stderr + filed.stderr
    assert given.stdout == filed.stdout
    table = hf.load(tmp_path / "a").frequencies.set_index(["selector", "feature"])["frequency"]
    assert table["forward_selection"][["ash", "hue"]].tolist() == [1.0, 1.0]


def test_a_finished_study_is_resumed_without_work(tmp_path):
    asked = [
        "@wine",
        "--selectors=random_subset",
        "--protocol=subsampling:n_resamples=3",
        "--replication=0",
    ]
    first = run("study", *asked, "--classifiers=none", "--n-jobs=1", "--out", tmp_path / "a")
    again = run("resume", tmp_path / "a", "--n-jobs=1")
    assert again.exit_code == 0, again.stderr
    assert again.stdout == first.stdout
    assert "own sizes: mean" in first.stdout


def test_the_list_says_what_they_give():
    listed = {
        one["name"]: one["gives"] for one in json.loads(run("list", "selectors", "--json").stdout)
    }
    choosing = {name for name, form in listed.items() if form == "subset"}
    searches = {"backward_selection", "floating_selection", "forward_selection"}
    assert searches | {"oscillating_search", "random_subset"} <= choosing
    assert choosing.isdisjoint({"any_selector", "f_score", "relieff", "svm_rfe", "ensemble"})
