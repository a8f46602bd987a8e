"""Data sets: what comes along, what a summary tells, one class against the rest."""

import json
import os
import time
from importlib.metadata import EntryPoint

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from holdfast.errors import FileFormatError, InvalidInputError, UnknownNameError
from holdfast.io import Dataset, from_arrays, read_data
from holdfast.io._dataset import duplicated_features


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [
        ("@wine", (178, 13), {"class_0": 59, "class_1": 71, "class_2": 48}),
        ("@breast_cancer", (569, 30), {"benign": 357, "malignant": 212}),
        ("@simulated", (100, 2000), {"case": 50, "control": 50}),
    ],
)
def test_bundled_data_have_a_target_called_class(name, shape, counts):
    data = read_data(name, target="class")
    assert data.X.shape == shape
    assert data.summary().classes == counts
    assert data.source == {"file": name, "target": "class"}
    assert read_data(name).fingerprint == data.fingerprint


def test_digits_have_their_digits_as_labels():
    data, found = read_data("@digits"), datasets.load_digits()
    np.testing.assert_array_equal(data.X, found.data)
    assert data.y.tolist() == [str(digit) for digit in found.target]
    assert data.classes == tuple("0123456789")


def test_simulated_data_know_the_truth():
    data = read_data("@simulated")
    drawn = data.generator.draw(0)
    np.testing.assert_array_equal(data.X, drawn.X)
    np.testing.assert_array_equal(data.truth, drawn.informative)
    fewer = read_data("@simulated", drop=["g0001", "g0003"])
    np.testing.assert_array_equal(fewer.truth, np.delete(drawn.informative, [0, 2]))
    assert fewer.generator is None


def test_unknown_bundled_data_and_columns_get_a_hint():
    with pytest.raises(UnknownNameError, match=r"no data set is called '@wines'\. Did you mean"):
        read_data("@wines")
    names = "Known: @breast_cancer, @digits, @simulated, @wine"
    with pytest.raises(UnknownNameError, match=names):
        read_data("@nonsense")
    with pytest.raises(UnknownNameError, match=r"no feature 'alkohol'\. Did you mean 'alcohol'"):
        read_data("@wine", drop="alkohol")


def test_other_packages_offer_data_sets(monkeypatch):
    point = EntryPoint("cells", "tests.io.test_data_sets:load_cells", "holdfast.datasets")
    monkeypatch.setattr("holdfast._registry.entry_points", lambda group: [point])
    data = read_data("@cells", drop="TP53")
    assert data.feature_names == ("KRAS", "sex")
    assert data.nominal == (1,)
    assert data.groups.tolist() == ["s1", "s1", "s2", "s2"]
    assert data.source == {"file": "@cells", "drop": ["TP53"]}


def load_cells():
    X = np.array([[0.5, 2.0, 0.0], [1.5, 3.0, 1.0], [2.5, 4.0, 1.0], [3.5, 5.0, 0.0]])
    return Dataset(
        X=X,
        y=np.array(["1", "2", "1", "3"]),
        feature_names=("TP53", "KRAS", "sex"),
        groups=np.array(["s1", "s1", "s2", "s2"]),
        nominal=(2,),
    )


def test_classes_and_codes_belong_together():
    data = from_arrays(np.zeros((5, 1)), ["b", "10", "b", "9", "a"])
    assert data.classes == ("10", "9", "a", "b")
    assert [data.classes[code] for code in data.codes] == data.y.tolist()


def test_one_class_is_set_against_the_rest():
    data = from_arrays(np.zeros((4, 1)), ["a", "b", "c", "b"])
    assert data.one_against_rest("b").y.tolist() == ["rest", "b", "rest", "b"]
    clash = from_arrays(np.zeros((3, 1)), ["a", "rest", "c"])
    assert clash.one_against_rest("a").y.tolist() == ["a", "not a", "not a"]
    assert clash.one_against_rest("rest").y.tolist() == ["not rest", "rest", "not rest"]
    with pytest.raises(UnknownNameError, match="no class is called 'd'"):
        data.one_against_rest("d")


def test_the_longest_label_is_kept_whole():
    data = from_arrays(np.zeros((2, 1)), ["a", "b"])
    assert data.one_against_rest("a").y.tolist() == ["a", "rest"]


@pytest.mark.parametrize(
    "change",
    [
        {"X": np.array([[1.0, 2.0], [3.0, 5.0]])},
        {"X": np.array([[1, 2], [3, 4]], dtype=np.float32)},
        {"y": np.array(["a", "c"])},
        {"feature_names": ("u", "w")},
        {"groups": np.array(["p", "q"])},
        {"nominal": (1,)},
    ],
)
def test_the_fingerprint_changes_with_all_that_matters(change):
    fields = {"X": np.array([[1.0, 2.0], [3.0, 4.0]]), "y": np.array(["a", "b"])}
    fields["feature_names"] = ("u", "v")
    one = Dataset(**fields)
    assert len(one.fingerprint) == 64
    assert Dataset(**fields, notes=("said",), source={"file": "x"}).fingerprint == one.fingerprint
    assert Dataset(**{**fields, **change}).fingerprint != one.fingerprint


def test_a_data_set_refuses_what_does_not_fit():
    with pytest.raises(InvalidInputError, match="float64 or float32, got 2 dimensions of int64"):
        Dataset(X=np.ones((2, 2), dtype=np.int64), y=np.array(["a", "b"]), feature_names=("u", "v"))
    with pytest.raises(InvalidInputError, match="truth must have one entry per feature"):
        Dataset(
            X=np.ones((1, 2)), y=np.array(["a"]), feature_names=("u", "v"), truth=np.array([True])
        )


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"y": np.array([0, 1])}, "y must be an array of text, got 1 dimensions of int64"),
        ({"y": np.array([["a"], ["b"]])}, "y must be an array of text, got 2 dimensions"),
        ({"groups": np.array(["p", "q"], dtype=object)}, "groups must be an array of text"),
        ({"nominal": (0, 2)}, "nominal must be numbers of features, from 0 to 1, got 2"),
        ({"nominal": (-1,)}, "from 0 to 1, got -1"),
    ],
)
def test_fields_of_another_kind_are_refused(change, match):
    fields = {"X": np.ones((2, 2)), "y": np.array(["a", "b"]), "feature_names": ("u", "v")}
    with pytest.raises(InvalidInputError, match=match):
        Dataset(**{**fields, **change})


def test_the_form_of_equal_data_does_not_matter():
    X, y = np.arange(6.0).reshape(2, 3), np.array(["a", "b"])
    plain = Dataset(X=X, y=y, feature_names=("u", "v", "w"))
    other = Dataset(X=np.asfortranarray(X), y=y, feature_names=np.array(["u", "v", "w"]))
    assert other.X.flags.c_contiguous
    assert other.feature_names == plain.feature_names
    assert other.fingerprint == plain.fingerprint


def untidy():
    nan = np.nan
    frame = pd.DataFrame(
        {
            "still": [2.0, 2, 2, 2],
            "gone": [nan, nan, nan, nan],
            "x": [1.0, nan, 0, 4],
            "steady": [nan, 5, 5, nan],
            "copy of x": [1.0, nan, -0.0, 4],
            "other": [4.0, 0, nan, 1],
            "u": [1, 2, 3, 4],
            "u again": [1, 2, 3, 4],
            "u once more": [1, 2, 3, 4],
            "shuffled": [1, 3, 2, 4],
        }
    )
    return from_arrays(frame, ["a", "b", "a", "b"], groups=[1, 1, 2, 3])


def test_a_summary_counts_and_names():
    summary = untidy().summary()
    assert (summary.n_missing, summary.n_samples_missing, summary.n_features_missing) == (9, 4, 5)
    assert summary.empty == ("gone",)
    assert summary.constant == ("still", "steady")
    assert summary.duplicates == (("x", "copy of x"), ("u", "u again", "u once more"))
    assert summary.n_groups == 3
    assert json.loads(json.dumps(summary.to_dict()))["classes"] == {"a": 2, "b": 2}
    assert summary.problems() == []


def test_a_summary_speaks_in_sentences():
    assert untidy().summary().lines() == [
        "4 samples of 10 features in 2 classes: a 2, b 2.",
        "9 values missing (22.50%), in 4 samples and 5 features.",
        "The samples form 3 groups.",
        "1 feature is empty: gone.",
        "2 features are constant: still, steady.",
        (
            "5 features are exact copies of each other, in 2 groups: "
            "x = copy of x, u = u again = u once more."
        ),
    ]


def test_columns_of_equal_keys_are_compared(monkeypatch):
    X = np.array([[1.0, 2, 1, 2, 3], [0, 0, 0, 0, 0]])
    monkeypatch.setattr(
        "holdfast.io._dataset._column_keys", lambda X: np.zeros(X.shape[1], np.uint64)
    )
    assert duplicated_features(X, np.ones(5, dtype=bool)) == [[0, 2], [1, 3]]


@pytest.mark.slow
def test_duplicates_are_found_in_wide_and_in_tall_data():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(20, 100_000))
    wide[:, 99_999] = wide[:, 5]
    start = time.process_time()
    assert from_arrays(wide, np.arange(20) % 2).summary().duplicates == (("f5", "f99999"),)
    assert time.process_time() - start < 5.0
    tall = rng.integers(2, size=(300_000, 4)).astype(float)
    tall[:, 2] = tall[:, 0]
    assert from_arrays(tall, np.arange(300_000) % 2).summary().duplicates == (("f0", "f2"),)


def test_the_data_of_the_papers_are_read(data_folder, require):
    require("parquet")
    colon = read_data(data_folder / "colon.parquet")
    assert colon.summary().classes == {"normal": 22, "tumor": 40}
    assert colon.X.dtype == np.float32
    assert sum(len(group) - 1 for group in colon.summary().duplicates) == 9
    lymphoma = read_data(data_folder / "lymphoma2.parquet").summary()
    assert (lymphoma.n_missing, lymphoma.n_features_missing) == (5978, 2117)
    arrhythmia = read_data(data_folder / "arrhythmia.parquet").summary()
    assert len(arrhythmia.constant) == 17
    assert arrhythmia.classes["8"] == 2


def test_text_that_no_file_can_hold_is_refused(tmp_path):
    X, y = np.eye(4), ["a", "b"] * 2
    with pytest.raises(InvalidInputError, match=r"feature_names must be text .*'f\\udcff'"):
        from_arrays(X, y, feature_names=["f\udcff", "g", "h", "i"])
    with pytest.raises(InvalidInputError, match="y must be text"):
        from_arrays(X, ["a", "b\udcff"] * 2)
    path = tmp_path / os.fsdecode(b"data\xff.csv")
    try:
        path.write_text("class,f\na,1\nb,2\n")
    except OSError:
        pytest.skip("this file system takes text as names only")
    with pytest.raises(FileFormatError, match=r"'data\\udcff.csv': the path is not valid UTF-8"):
        read_data(path)
