"""Copies of samples, values too large to be squared, and columns of unusual types."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest

from holdfast.errors import FileFormatError, HoldfastWarning, InvalidInputError
from holdfast.io import check_for_study, from_arrays, read_data
from holdfast.resample import Subsampling
from holdfast.study import Study

X = np.random.default_rng(0).normal(size=(20, 4))
Y = ["a", "b"] * 10
COPIED = np.vstack([X[:16], X[:4]])


def test_copies_of_samples_are_counted():
    rows = np.array([[0.0, np.nan], [1, 2], [-0.0, np.nan], [1, 2], [1, 2], [3, 4]])
    summary = from_arrays(rows, ["a", "b"] * 3).summary()
    assert summary.copies == ((0, 2), (1, 3, 4))
    assert "5 samples are exact copies of each other, in 2 groups." in summary.lines()
    assert from_arrays(X, Y).summary().copies == ()


def study():
    settings = {"sizes": [1], "classifiers": [], "replication": 0}
    return Study(["f_score"], protocol=Subsampling(3, train_size=0.5), **settings)


def test_copies_that_may_be_on_both_sides_of_a_split_are_warned_of():
    with pytest.warns(HoldfastWarning, match=r"8 samples are exact copies .*samples 0, 16,"):
        study().run(COPIED, Y, n_jobs=1)


def test_copies_of_one_subject_stay_together():
    subjects = [f"s{i % 16}" for i in range(20)]
    result = study().run(COPIED, Y, groups=subjects, n_jobs=1)  # a warning would be an error
    assert result.complete
    with pytest.warns(HoldfastWarning, match="2 samples are exact copies"):
        study().run(COPIED, Y, groups=[*subjects[:19], "s20"], n_jobs=1)


@pytest.mark.parametrize(
    ("value", "dtype"), [(1e300, np.float64), (-1e154, np.float64), (1e19, np.float32)]
)
def test_values_that_overflow_are_refused_by_name(value, dtype):
    large = X.astype(dtype)
    large[3, 2] = value
    with pytest.raises(InvalidInputError, match="the values of 'f2' are too large"):
        check_for_study(from_arrays(large, Y))


def test_large_values_whose_variance_is_a_number_are_taken():
    large = X * 1e150
    summary = check_for_study(from_arrays(large, Y))
    assert summary.too_large == ()
    with np.errstate(all="raise"):
        assert np.isfinite(((large - large.mean(axis=0)) ** 2).sum(axis=0)).all()


def write_parquet(path, require, **columns):
    pa = require("parquet")
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), path)
    return path


def test_times_of_day_in_parquet_are_labels(tmp_path, require):
    pa = require("parquet")
    nanoseconds = pa.array([1, 10**9, 1, 3_600 * 10**9 + 5], pa.time64("ns"))
    path = write_parquet(tmp_path / "a.parquet", require, x=[1.0, 2, 3, 4], when=nanoseconds)
    assert read_data(path, target="when").y.tolist() == [
        "00:00:00.000000001", "00:00:01.000000000", "00:00:00.000000001", "01:00:00.000000005",
    ]  # fmt: skip
    with pytest.raises(FileFormatError, match=r"features must be numbers, got text in .*'when'"):
        read_data(
            write_parquet(
                tmp_path / "b.parquet", require, when=nanoseconds, **{"class": ["a", "b", "a", "b"]}
            )
        )


@pytest.mark.parametrize(
    ("kind", "values", "labels"),
    [
        ("date32", [dt.date(2020, 1, 31), dt.date(1900, 1, 1)], None),
        ("date64", [dt.date(2020, 1, 31), dt.date(1900, 1, 1)], None),
        ("decimal128", [Decimal("1.10"), Decimal("2.25")], ["1.10", "2.25"]),
        ("dictionary", ["u", "v"], ["u", "v"]),
        ("bool_", [True, False], ["True", "False"]),
        ("large_string", ["u", "v"], ["u", "v"]),
        ("time32", [dt.time(1, 2, 3), dt.time(4, 5, 6)], ["01:02:03", "04:05:06"]),
    ],
)
def test_labels_of_other_types_in_parquet(tmp_path, require, kind, values, labels):
    pa = require("parquet")
    kinds = {
        "decimal128": lambda: pa.decimal128(10, 2),
        "dictionary": lambda: pa.dictionary(pa.int8(), pa.string()),
        "time32": lambda: pa.time32("s"),
    }
    column = pa.array(values, kinds.get(kind, getattr(pa, kind))())
    path = write_parquet(tmp_path / "a.parquet", require, x=[1.0, 2.0], who=column)
    expected = labels or [str(value) for value in values]
    found = read_data(path, target="who").y.tolist()
    assert [label.removesuffix("T00:00:00.000") for label in found] == expected


def test_decimals_in_parquet_are_numbers(tmp_path, require):
    pa = require("parquet")
    column = pa.array([Decimal("1.10"), None], pa.decimal128(10, 2))
    path = write_parquet(tmp_path / "a.parquet", require, x=column, **{"class": ["a", "b"]})
    np.testing.assert_array_equal(read_data(path).X, [[1.1], [np.nan]])


@pytest.mark.parametrize("role", ["feature", "target"])
@pytest.mark.parametrize("values", [[[1], [2, 3]], [{"u": 1}, {"u": 2}]])
def test_nested_columns_in_parquet_are_refused(tmp_path, require, role, values):
    label = ["a", "b"] if role == "feature" else values
    columns = {"x": values if role == "feature" else [1.0, 2.0], "class": label}
    path = write_parquet(tmp_path / "a.parquet", require, **columns)
    with pytest.raises(FileFormatError, match=r"must hold one value per row, got (list|struct)<"):
        read_data(path)
