"""``holdfast measure``."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from click.testing import CliRunner

import holdfast as hf
from holdfast.cli import main
from holdfast.measures import get_measure, list_measures

MARKERS = Path(__file__).parents[2] / "examples" / "markers.txt"
EQUAL = "0 1 2\n0 1 3\n0 1 4\n0 2 5\n"
UNEQUAL = "0 1 2\n0 1\n0 1 4\n0 2 5\n"
SUBSETS = hf.Subsets([[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 2, 5]], n_features=10)


def run(*arguments, **options):
    return CliRunner().invoke(
        main, ["measure", *map(str, arguments)], prog_name="holdfast", **options
    )


def run_json(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def names_of(document):
    return [record["name"] for record in document["measures"]]


@pytest.fixture
def write(tmp_path):
    def write(content, name="a.txt"):
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return write


def test_the_shipped_example():
    result = run(MARKERS, "--n-features", 2000)
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0] == "20 selections of 10 out of 2,000 features."
    assert lines[2].split() == ["measure", "value", "low", "high", "chance", "range", "note"]
    assert lines[-1].startswith("The 95% intervals")
    assert "same data" in lines[-1]
    assert "new data" in lines[-1]


def test_json_has_the_promised_shape(write):
    document = run_json(write(EQUAL), "--n-features", 10)
    measures = document.pop("measures")
    assert document == {
        "form": "subset",
        "n_preferences": 4,
        "n_features": 10,
        "sizes": {"min": 3, "max": 3},
        "confidence": 0.95,
    }
    for record in measures:
        assert list(record) == [
            "name",
            "value",
            "low",
            "high",
            "interval",
            "chance",
            "chance_error",
            "minimum",
            "maximum",
            "note",
        ]


def test_numbers_are_those_of_the_library(write):
    names = ["nogueira", "jaccard", "kuncheva"]
    document = run_json(
        write(EQUAL), "--n-features", 10, "--measures", ",".join(names), "--confidence", 0.9
    )
    table = hf.measure(names, SUBSETS, confidence=0.9)
    assert names_of(document) == names
    assert document["confidence"] == 0.9
    for record in document["measures"]:
        row = table.loc[record["name"]]
        for key in ("value", "low", "high", "chance"):
            assert record[key] == pytest.approx(row[key], abs=0)


def test_all_measures_whose_needs_are_met(write):
    subset_measures = list(list_measures("subset").index)
    needs = {name: get_measure(name).needs for name in subset_measures}
    path = write(EQUAL)
    assert names_of(run_json(path)) == [n for n in subset_measures if needs[n] <= {"equal_sizes"}]
    assert names_of(run_json(path, "--n-features", 10)) == [
        n for n in subset_measures if needs[n] <= {"equal_sizes", "n_features"}
    ]
    assert names_of(run_json(write(UNEQUAL), "--n-features", 10)) == [
        n for n in subset_measures if needs[n] <= {"n_features"}
    ]


def test_measures_left_out_for_want_of_the_number_of_features_are_named(write):
    result = run(write(EQUAL))
    assert result.exit_code == 0
    assert "out of an unknown number of features." in result.stdout
    assert result.stderr.startswith("note: ")
    assert "nogueira" in result.stderr
    assert "--n-features" in result.stderr


def test_weights_and_rankings(write):
    path = write("a,b,c\n3,2,1\n3,1,2\n2,3,1\n", "a.csv")
    weights = run_json(path, "--form", "weights")
    assert weights["form"] == "weights"
    assert weights["sizes"] is None
    assert weights["n_features"] == 3
    assert "pearson" in names_of(weights)
    rankings = run_json(path, "--form", "rankings")
    assert rankings["form"] == "ranking"
    assert {"spearman", "kendall", "rbo"} <= set(names_of(rankings))
    assert run(path, "--form", "weights").stdout.startswith("3 vectors of weights for 3 features.")
    assert run(path, "--form", "rankings").stdout.startswith("3 rankings of 3 features.")


def test_standard_input():
    result = run("-", "--n-features", 10, "--measures", "jaccard", "--json", input=EQUAL)
    assert json.loads(result.stdout)["n_preferences"] == 4


def test_undefined_values_are_null_with_a_warning(write):
    result = run(write(UNEQUAL), "--n-features", 10, "--measures", "kuncheva", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["measures"][0]["value"] is None
    assert result.stderr.startswith("warning: ")
    assert "kuncheva" in result.stderr
    assert ".py" not in result.stderr


def test_corrected_and_raw(write):
    path, options = write(EQUAL), ("--n-features", 10, "--measures", "jaccard")
    plain = run_json(path, *options)["measures"][0]
    raw = run_json(path, *options, "--raw")["measures"][0]
    corrected = run_json(path, *options, "--corrected")["measures"][0]
    assert raw["value"] == plain["value"]
    assert corrected["value"] == hf.measure("jaccard", SUBSETS, corrected=True)
    assert corrected["value"] < raw["value"]


@pytest.mark.parametrize(
    ("flag", "printed", "left_out"),
    [("--corrected", "kuncheva", "consistency"), ("--raw", "consistency", "kuncheva")],
)
def test_measures_that_cannot_be_corrected_or_raw_are_left_out_and_named(
    write, flag, printed, left_out
):
    result = run(write(EQUAL), "--n-features", 10, flag, "--json")
    names = names_of(json.loads(result.stdout))
    assert {printed, "jaccard"} <= set(names)
    assert left_out not in names
    assert result.stderr.startswith("note: left out as they ")
    assert f" {left_out}" in result.stderr


def test_correction_needs_the_number_of_features(write):
    result = run(write(EQUAL), "--corrected")
    assert result.exit_code == 2
    assert "--n-features" in result.stderr


def test_weights_may_be_measured_as_rankings(write):
    path = write("a,b,c,d\n3,2,1,1\n3,1,2,1\n2,3,1,1\n", "a.csv")
    document = run_json(path, "--form", "weights", "--measures", "spearman,pearson", "--seed", 5)
    weights = hf.Weights([[3, 2, 1, 1], [3, 1, 2, 1], [2, 3, 1, 1]])
    expected = [hf.measure("spearman", weights, random_state=5), hf.measure("pearson", weights)]
    assert [record["value"] for record in document["measures"]] == pytest.approx(expected)


@pytest.fixture
def similarity():
    matrix = np.eye(10)
    matrix[2, 3] = matrix[3, 2] = 0.95
    return matrix


def test_similarity(tmp_path, write, similarity):
    np.save(tmp_path / "s.npy", similarity)
    scipy.sparse.save_npz(tmp_path / "s.npz", scipy.sparse.csr_array(similarity))
    path = write(EQUAL)
    documents = [run_json(path, "--similarity", tmp_path / name) for name in ("s.npy", "s.npz")]
    for document in documents:
        assert document["n_features"] == 10
        assert {"zucknick", "yu", "intersection_mbm"} <= set(names_of(document))
    values = [[r["value"] for r in document["measures"]] for document in documents]
    assert values[0] == pytest.approx(values[1], nan_ok=True)


def test_threshold_and_seed_are_passed_on(tmp_path, write, similarity):
    np.save(tmp_path / "s.npy", similarity)
    options = (write(EQUAL), "--similarity", tmp_path / "s.npy", "--measures", "intersection_count")
    values = [
        run_json(*options, "--threshold", threshold, "--seed", 3)["measures"][0]["value"]
        for threshold in (0.9, 0.99)
    ]
    expected = [
        hf.measure(
            "intersection_count",
            SUBSETS,
            similarity=similarity,
            threshold=threshold,
            random_state=3,
        )
        for threshold in (0.9, 0.99)
    ]
    assert values == pytest.approx(expected)
    assert values[0] != values[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--measures", "jacard"), "Did you mean 'jaccard'?"),
        (("--measures", "pearson"), "--form"),
        (("--measures", "kuncheva"), "needs --n-features"),
        (("--measures", "consistency", "--corrected"), "cannot be corrected"),
        (("--measures", "jaccard", "--corrected"), "needs --n-features"),
        (("--measures", "kuncheva", "--raw"), "is corrected by definition"),
        (("--measures", "yu", "--n-features", 10), "needs --similarity"),
        (("--measures", "jaccard,"), "comma-separated names"),
        (("--form", "sets"), "no form is called 'sets'"),
        (("--n-features", 0), "--n-features"),
        (("--confidence", 1), "--confidence"),
        (("--threshold", 2), "--threshold"),
        (("--form", "weights", "--similarity", "s.npy"), "--similarity applies to selections"),
        (("--colour",), "--colour"),
    ],
)
def test_wrong_usage(write, arguments, words):
    result = run(write(EQUAL), *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "arguments", "place"),
    [
        ("a.txt", b"", (), ", line 1: "),
        ("a.txt", b"a b\nb \x00", (), ", line 2: "),
        ("a.txt", b"a b\n\xe9 b", (), ", line 2: "),
        ("a.txt", b"a b\nb c b\n", (), ", line 2: "),
        ("a.txt", b"0 1\n2 10\n", ("--n-features", 10), ", line 2: "),
        ("a.json", b"[[0, 1],\n[0, 2", (), ", line 2: "),
        ("a.json", b"nonsense", (), ", line 1: "),
        ("a.csv", b"a,a\n0,1\n", (), ", line 1: "),
        ("a.csv", b"a,b\n0,1\n0\n", (), ", line 3: "),
        ("a.csv", b"a,b\n0,1\n0,2\n", (), ", line 3: "),
        ("a.csv", b"a,b\n0,1\n0,NA\n", ("--form", "weights"), ", line 3: "),
        ("a.csv", b"a,b\n1,2\n0,1\n", ("--form", "rankings"), ", line 3: "),
    ],
)
def test_bad_data(tmp_path, name, content, arguments, place):
    path = tmp_path / name
    path.write_bytes(content)
    result = run(path, *arguments)
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith(f"error: {path}{place}")
    assert result.stderr.count("\n") == 1


def test_missing_file_and_folder(tmp_path):
    for path, words in ((tmp_path / "missing", "no such file"), (tmp_path, "folder")):
        result = run(path)
        assert result.exit_code == 3
        assert words in result.stderr


@pytest.mark.parametrize("matrix", [np.eye(3)[:2], np.eye(9), np.full((10, 10), math.nan)])
def test_similarity_that_does_not_fit(tmp_path, write, matrix):
    np.save(tmp_path / "s.npy", matrix)
    result = run(write(EQUAL), "--similarity", tmp_path / "s.npy", "--n-features", 10)
    assert result.exit_code == 3
    assert result.stderr.startswith(f"error: {tmp_path / 's.npy'}: ")


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX only")
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_nothing_is_cut_off_on_a_terminal(columns):
    import pty

    parent, child = pty.openpty()
    command = [sys.executable, "-m", "holdfast", "measure", MARKERS, "--n-features", "2000"]
    environment = {**os.environ, "COLUMNS": str(columns)}
    with subprocess.Popen(command, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        text = "".join(iter(lambda: read_terminal(parent), ""))
    os.close(parent)
    assert process.returncode == 0
    assert "relative_weighted_consistency" in text
    assert "lower is more stable" in text
    assert "…" not in text


def read_terminal(descriptor):
    try:
        return os.read(descriptor, 1000).decode()
    except OSError:  # Linux says so when the other side has closed
        return ""
