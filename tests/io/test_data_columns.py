"""Columns by name and by number, and the one role of each."""

import json

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.io import read_data


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("who,x,z,kind\np,1,2,a\nq,3,4,b\n")
    return path


@pytest.fixture
def arrays(tmp_path):
    def arrays(**parts):
        path = tmp_path / "data.npz"
        np.savez(path, **{"X": [[1, 2], [3, 4]], "y": ["a", "b"], **parts})
        return path

    return arrays


@pytest.mark.parametrize(
    "wishes",
    [
        {"target": np.int64(3), "drop": np.int64(0)},
        {"target": np.int8(-1), "drop": np.array([0])},
        {"target": 3, "drop": np.array(0)},
        {"target": np.str_("kind"), "groups": np.int64(0)},
        {"target": "kind", "nominal": pd.Index(["who"])},
        {"target": "kind", "drop": (name for name in ["who"])},
    ],
)
def test_columns_of_numpy_are_written_down_as_json(table, wishes):
    data = read_data(table, **wishes)
    assert data.feature_names[-2:] == ("x", "z")
    source = json.loads(json.dumps(data.source))
    assert read_data(source.pop("file"), **source).fingerprint == data.fingerprint


@pytest.mark.parametrize(
    ("wishes", "match"),
    [
        ({"target": 1.0}, r"target: give a column by its name.* got 1.0 \(float\)"),
        ({"target": True}, r"target: .* got True \(bool\)"),
        ({"drop": [None]}, r"drop: .* got None \(NoneType\)"),
        ({"drop": None}, r"drop: .* got None \(NoneType\)"),
        ({"drop": b"who"}, r"drop: .* \(bytes\)"),
        ({"nominal": [("who", "x")]}, r"nominal: .* \(tuple\)"),
        ({"groups": 0.0}, r"groups: .* got 0.0 \(float\)"),
    ],
)
def test_columns_by_anything_else_are_refused(table, wishes, match):
    with pytest.raises(InvalidInputError, match=match):
        read_data(table, **{"target": "kind", **wishes})


def test_a_column_may_be_called_like_a_file_of_labels(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,leaf.cls\n1,a\n2,b\n")
    frame = pd.DataFrame({"x": [1, 2], "leaf.cls": ["a", "b"]})
    for source in (path, str(path), frame):
        assert read_data(source, target="leaf.cls").y.tolist() == ["a", "b"]


def test_only_text_that_begins_with_the_sign_is_a_bundled_name(tmp_path, monkeypatch, table):
    monkeypatch.chdir(tmp_path)
    table.rename("@x.csv")
    path = type(table)("@x.csv")
    assert read_data(path, target="kind", drop="who").n_samples == 2
    assert read_data("./@x.csv", target="kind", drop="who").n_samples == 2


def test_a_name_that_no_file_can_have_is_refused():
    with pytest.raises(FileFormatError, match=r"the file cannot be read .*null"):
        read_data("a\0b.csv")


def test_two_near_names_of_the_target_are_reported():
    frame = pd.DataFrame({"x": [1, 2], "Class": ["a", "b"], "CLASS": ["a", "b"]})
    with pytest.raises(InvalidInputError, match="as 2 columns are called 'class'"):
        read_data(frame)


def test_a_column_next_to_a_matrix_has_one_role(arrays):
    path = arrays()
    with pytest.raises(InvalidInputError, match="'y' is given as target and as groups"):
        read_data(path, groups="y")
    with pytest.raises(InvalidInputError, match="'class' is given as target and as groups"):
        read_data("@wine", groups="class")


def test_a_feature_of_a_matrix_has_one_role(arrays):
    with pytest.raises(InvalidInputError, match="feature 'f1' is given as drop and as nominal"):
        read_data(arrays(), drop="f1", nominal=-1)
    with pytest.raises(InvalidInputError, match="no column is left as a feature"):
        read_data(arrays(), drop=["f0", "f1"])


@pytest.mark.parametrize("names", [["u"], ["u", "v", "w"]])
@pytest.mark.parametrize("wishes", [{}, {"drop": 0}, {"nominal": "u"}])
def test_names_of_features_must_be_as_many_as_features(arrays, names, wishes):
    with pytest.raises(FileFormatError, match="'feature_names' must have one entry per feature, 2"):
        read_data(arrays(feature_names=names), **wishes)


def test_names_of_features_must_not_be_missing(arrays):
    with pytest.raises(FileFormatError, match="each feature needs a name, got none for feature 1"):
        read_data(arrays(feature_names=[1.5, np.nan]))


def test_arrays_of_one_column_are_labels(arrays):
    data = read_data(arrays(y=[["a"], ["b"]], groups=[[7], [8]], feature_names=[["u"], ["v"]]))
    assert data.y.tolist() == ["a", "b"]
    assert data.groups.tolist() == ["7", "8"]
    assert data.feature_names == ("u", "v")


@pytest.mark.parametrize("name", ["y", "groups", "other"])
@pytest.mark.parametrize("values", [["a", "b", "c"], ["a"], [["a", "b"], ["c", "d"]], "a"])
def test_labels_of_another_length_are_refused(arrays, name, values):
    target = "other" if name == "other" else "y"
    with pytest.raises(FileFormatError, match=f"{name!r} must have one entry per sample, 2 in all"):
        read_data(arrays(**{name: values}), target=target)


def test_arrays_that_nobody_asked_for_may_have_any_shape(arrays):
    assert read_data(arrays(other=[1, 2, 3])).n_samples == 2


def test_messages_about_values_name_the_file(arrays):
    with pytest.raises(FileFormatError, match=r"data\.npz: values must be finite"):
        read_data(arrays(X=[[1, np.inf], [2, 3]]))
    with pytest.raises(FileFormatError, match=r"data\.npz: at least one sample"):
        read_data(arrays(X=np.zeros((0, 2)), y=np.array([], dtype=str)))
