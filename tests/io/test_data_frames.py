"""Frames, Parquet files and arrays in memory."""

import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from holdfast.errors import FileFormatError, InvalidInputError, UnknownNameError
from holdfast.io import from_arrays, read_data


def columns():
    return {
        "dose": [0.5, None, 2.0],
        "count": [1, 2, 3],
        "flag": [True, False, True],
        "stage": ["late", "early", None],
        "who": ["p", "q", "p"],
        "class": ["a", "b", "a"],
    }


@pytest.fixture(params=["pandas", "polars", "parquet"])
def source(request, require, tmp_path):
    if request.param == "pandas":
        return pd.DataFrame(columns())
    if request.param == "polars":
        return require("polars").DataFrame(columns())
    pyarrow = require("parquet")
    path = tmp_path / "data.parquet"
    pyarrow.parquet = __import__("pyarrow.parquet").parquet
    pyarrow.parquet.write_table(pyarrow.table(columns()), path)
    return path


def test_columns_of_all_kinds_are_read(source):
    data = read_data(source, nominal="stage", groups="who")
    assert data.feature_names == ("dose", "count", "flag", "stage")
    wanted = [[0.5, 1, 1, 1], [np.nan, 2, 0, 0], [2, 3, 1, np.nan]]
    np.testing.assert_array_equal(data.X, wanted)
    assert data.y.tolist() == ["a", "b", "a"]
    assert data.groups.tolist() == ["p", "q", "p"]
    assert data.nominal == (3,)


def test_numbers_and_truth_values_become_labels(source):
    counts = read_data(source, target="count", drop=["stage", "who", "class"], classes=True)
    assert counts.classes == ("1", "2", "3")
    data = read_data(source, target="flag", drop=["stage", "who", "class"])
    assert data.y.tolist() == ["True", "False", "True"]


def test_text_and_missing_labels_are_refused(source):
    kind = FileFormatError if isinstance(source, Path) else InvalidInputError
    with pytest.raises(kind, match=r"2 columns: 'stage' \('late'\), 'who' \('p'\)"):
        read_data(source)
    with pytest.raises(kind, match=r"a value in 'stage', got none in sample 2 \(counted"):
        read_data(source, target="stage", drop=["who", "class"])
    with pytest.raises(UnknownNameError, match="Did you mean 'stage'"):
        read_data(source, nominal="stages")


def test_single_precision_stays_where_all_columns_have_it(tmp_path, require):
    require("parquet")
    frame = pd.DataFrame({"x": np.float32([0.1, 2]), "class": ["a", "b"]})
    frame.to_parquet(tmp_path / "data.parquet")
    for source in (frame, tmp_path / "data.parquet"):
        data = read_data(source)
        assert data.X.dtype == np.float32
    frame["z"] = [1, 2]
    assert read_data(frame).X.dtype == np.float64


def test_row_labels_of_pandas_are_no_feature(tmp_path, require):
    require("parquet")
    path = tmp_path / "data.parquet"
    pd.DataFrame({"x": [1, 2], "class": ["a", "b"]}, index=[7, 9]).to_parquet(path)
    assert read_data(path).feature_names == ("x",)


def test_categories_are_text_unless_declared(require, tmp_path):
    require("parquet")
    frame = pd.DataFrame({"x": pd.Categorical(["u", "v", "u"]), "class": ["a", "b", "a"]})
    frame.to_parquet(tmp_path / "data.parquet")
    polars = require("polars").from_pandas(frame)
    for source in (frame, tmp_path / "data.parquet", polars):
        assert read_data(source, nominal="x").X.ravel().tolist() == [0, 1, 0]
        assert read_data(source, target="x", drop=[], nominal="class").y.tolist() == ["u", "v", "u"]
        with pytest.raises((FileFormatError, InvalidInputError), match="got text in 1 column: 'x'"):
            read_data(source)


def test_lazy_frames_are_collected(require):
    frame = require("polars").LazyFrame({"x": [1, 2], "class": ["a", "b"]})
    assert read_data(frame).X.ravel().tolist() == [1, 2]


def test_nullable_numbers_are_numbers():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 3], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "o": pd.Series([1, Decimal("2.5"), None], dtype=object),
            "class": pd.array([1, 2, 1], dtype="Int64"),
        }
    )
    data = read_data(frame)
    np.testing.assert_array_equal(data.X, [[1, 1, 1], [np.nan, np.nan, 2.5], [3, 0, np.nan]])
    assert data.y.tolist() == ["1", "2", "1"]


def test_small_whole_numbers_of_polars_with_gaps_are_exact(require):
    polars = require("polars")
    frame = polars.DataFrame(
        {"x": polars.Series([1, None], dtype=polars.Int8), "class": ["a", "b"]}
    )
    data = read_data(frame)
    assert data.X.dtype == np.float64
    np.testing.assert_array_equal(data.X, [[1], [np.nan]])


def test_columns_of_arrays_and_records_are_refused(require):
    polars = require("polars")
    array = polars.Series([[1, 2], [3, 4]], dtype=polars.Array(polars.Int64, 2))
    with pytest.raises(InvalidInputError, match=r"'x' must hold one value per row.* \(2,\)"):
        read_data(polars.DataFrame({"x": array, "class": ["a", "b"]}))
    record = polars.Series([{"a": 1}, {"a": 2}])
    with pytest.raises(InvalidInputError, match="'class' must hold one value per row"):
        read_data(polars.DataFrame({"x": [1, 2], "class": record}))


def test_numbers_beyond_all_floats_are_refused():
    frame = pd.DataFrame({"x": pd.Series([10**400, 1], dtype=object), "class": ["a", "b"]})
    with pytest.raises(InvalidInputError, match="got inf in column 'x' of row 0"):
        read_data(frame)


def test_damaged_parquet_and_frames_are_refused(tmp_path, require):
    require("parquet")
    path = tmp_path / "data.parquet"
    path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(FileFormatError, match="a Parquet file is needed"):
        read_data(path)
    path.write_bytes(b"")
    with pytest.raises(FileFormatError, match="a Parquet file is needed"):
        read_data(path)
    twice = pd.DataFrame([[1, 2, "a"]], columns=["x", "x", "class"])
    with pytest.raises(InvalidInputError, match="column names must be unique, got 'x'"):
        read_data(twice)
    with pytest.raises(InvalidInputError, match="at least one row"):
        read_data(pd.DataFrame({"x": [], "class": []}))
    with pytest.raises(InvalidInputError, match=r"got inf in column 'x' of row 1"):
        read_data(pd.DataFrame({"x": [1.0, np.inf], "class": ["a", "b"]}))


def test_without_pyarrow_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "data.parquet").write_bytes(b"")
    with pytest.raises(InvalidInputError, match=r"pip install 'holdfast\[parquet\]'"):
        read_data(tmp_path / "data.parquet")


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        ([1, 2], ["1", "2"]),
        ([1.0, 2.0], ["1", "2"]),
        (np.float32([0.5, 2]), ["0.5", "2"]),
        ([True, False], ["True", "False"]),
        (np.array(["NA", "b"]), ["NA", "b"]),
        (np.array(["NA", "b"], dtype=object), ["NA", "b"]),
        ([1, "b"], ["1", "b"]),
        (np.array([[3], [4]]), ["3", "4"]),
        (pd.Series(["u", "v"], dtype="category"), ["u", "v"]),
        (pd.Series([1, 2], dtype="Int64"), ["1", "2"]),
        (np.array([b"u", b"v"]), ["u", "v"]),
    ],
)
def test_labels_become_text(y, labels):
    data = from_arrays([[1, 2], [3, 4]], y)
    assert data.y.tolist() == labels
    assert data.y.dtype.kind == "U"


def test_frames_give_their_names(require):
    for frame in (
        pd.DataFrame({"u": [1, 2], "v": [0.5, None]}),
        require("polars").DataFrame({"u": [1, 2], "v": [0.5, None]}),
    ):
        data = from_arrays(frame, ["a", "b"], groups=[1, 1])
        assert data.feature_names == ("u", "v")
        np.testing.assert_array_equal(data.X, [[1, 0.5], [2, np.nan]])
        assert data.groups.tolist() == ["1", "1"]
    assert from_arrays(pd.DataFrame([[1, 2]]), ["a"]).feature_names == ("0", "1")


def test_single_precision_and_order_of_arrays():
    X = np.asfortranarray(np.ones((3, 2), dtype=np.float32))
    data = from_arrays(X, [0, 1, 0])
    assert data.X.dtype == np.float32
    assert data.X.flags.c_contiguous
    assert from_arrays(np.ones((2, 2), dtype=int), [0, 1]).X.dtype == np.float64
    assert from_arrays(np.array([[1, None]], dtype=object), [0]).X.dtype == np.float64


@pytest.mark.parametrize(
    ("X", "y", "match"),
    [
        ([[1, 2]], [0, 1], "y must have one entry per sample, 1 in all, got 2"),
        ([[1, 2], [3, 4]], [0, None], r"a value in 'y', got none in sample 1 \(counted from 0\)"),
        ([[1, 2], [3, 4]], [0, np.nan], "got none in sample 1"),
        ([[1, 2], [3, np.inf]], [0, 1], "got inf in feature 'f1' of sample 1"),
        ([["u", 2], [3, 4]], [0, 1], "X must hold numbers.*'u'"),
        ([1, 2], [0, 1], "X must have two dimensions"),
        ([[1, 2], [3]], [0, 1], "X must be an array, got parts that differ"),
        ([[1, 2], [3, 4]], [[0, 1], [1, 0]], "y must have one dimension"),
        (np.zeros((0, 3)), [], "at least one sample"),
        (np.zeros((2, 2), dtype=complex), [0, 1], "X must hold numbers, got complex128"),
        (scipy.sparse.eye_array(2), [0, 1], "must be a matrix in the format csr or csc, got dia"),
        (pd.DataFrame({"u": ["x", "y"]}), [0, 1], "text in 1 column: 'u'"),
    ],
)  # fmt: skip
def test_bad_arrays_are_refused(X, y, match):
    with pytest.raises(InvalidInputError, match=match):
        from_arrays(X, y)


def test_names_groups_and_the_positive_class_are_checked():
    X, y = [[1, 2], [3, 4]], ["a", "b"]
    assert from_arrays(X, y, feature_names=["u", "v"], positive="b").classes == ("b", "rest")
    with pytest.raises(InvalidInputError, match="feature_names must have one entry per feature"):
        from_arrays(X, y, feature_names=["u"])
    with pytest.raises(InvalidInputError, match="must be unique, got 'u'"):
        from_arrays(X, y, feature_names=["u", "u"])
    with pytest.raises(InvalidInputError, match="groups must have one entry per sample"):
        from_arrays(X, y, groups=[1])
    with pytest.raises(UnknownNameError, match="no class is called 'c'"):
        from_arrays(X, y, positive="c")
