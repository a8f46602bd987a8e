"""Parquet files: row labels of pandas, and columns of one name."""

import pandas as pd
import pytest

from holdfast.errors import FileFormatError
from holdfast.io import read_data


@pytest.fixture
def labelled(tmp_path, require):
    require("parquet")
    path = tmp_path / "data.parquet"
    index = pd.Index([101, 102, 103], name="patient")
    pd.DataFrame({"x": [1.0, 2, 3], "class": ["a", "b", "a"]}, index=index).to_parquet(path)
    return path


def test_a_named_index_is_no_feature(labelled):
    data = read_data(labelled)
    assert data.feature_names == ("x",)
    assert data.notes == ("Row labels of pandas (patient) are left out.",)
    assert read_data(labelled, target=-1).y.tolist() == ["a", "b", "a"]


def test_a_named_index_may_be_asked_for(labelled):
    data = read_data(labelled, groups="patient")
    assert data.groups.tolist() == ["101", "102", "103"]
    assert data.feature_names == ("x",)
    assert data.notes == ()
    assert read_data(labelled, drop="patient").feature_names == ("x",)


def test_every_level_of_an_index_is_left_out(tmp_path, require):
    require("parquet")
    path = tmp_path / "data.parquet"
    index = pd.MultiIndex.from_arrays([[1, 2], [3, 4]], names=["site", None])
    pd.DataFrame({"x": [1.0, 2], "class": ["a", "b"]}, index=index).to_parquet(path)
    data = read_data(path)
    assert data.feature_names == ("x",)
    assert "__index_level_1__, site" in data.notes[0]


@pytest.mark.parametrize("index", [[], ["__index_level_0__"]])
def test_columns_of_one_name_are_refused(tmp_path, require, index):
    pyarrow = require("parquet")
    path = tmp_path / "data.parquet"
    names = ["x", "x", "class", *index]
    columns = [pyarrow.array(values) for values in ([1], [2], ["a"], [7])][: len(names)]
    parquet = __import__("pyarrow.parquet").parquet
    parquet.write_table(pyarrow.Table.from_arrays(columns, names=names), path)
    with pytest.raises(FileFormatError, match="column names must be unique, got 'x'"):
        read_data(path)
