"""The column with the weight of each sample, in every format."""

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import HoldfastError, InvalidInputError
from holdfast.io import from_arrays, read_data
from tests.io.test_data_cohorts import arff, csv, frame, gct, npz, parquet

# the numbers of the column z
WEIGHTS = [2.0, 4.0, 1.0]


@pytest.mark.parametrize("write", [csv, arff, parquet, frame], ids=lambda write: write.__name__)
def test_the_weights_are_a_column_and_no_feature(write, tmp_path):
    data = read_data(write(tmp_path), sample_weight="z", drop=["who", "site"])
    assert data.sample_weight.tolist() == WEIGHTS
    assert data.sample_weight.dtype == np.float64
    assert data.feature_names == ("x",)
    if data.source is not None:
        assert data.source["sample_weight"] == "z"


def test_gct_takes_the_weights_from_a_row_about_the_samples(tmp_path):
    path = gct(tmp_path)
    text = path.read_text().replace("who\tp\tq\tr", "who\t0.5\t1\t1.5")
    path.write_text(text)
    data = read_data(path, target="class", sample_weight="who")
    assert data.sample_weight.tolist() == [0.5, 1, 1.5]


def test_an_npz_file_has_them_under_their_name(tmp_path):
    path = npz(tmp_path)
    with np.load(path) as parts:
        arrays = dict(parts)
    np.savez(path, **arrays, sample_weight=[1, 2.5, 0])
    assert read_data(path).sample_weight.tolist() == [1, 2.5, 0]
    assert read_data(npz(tmp_path)).sample_weight is None


def test_numbers_are_read_to_the_last_digit_with_decimal_commas_too(tmp_path):
    values = np.random.default_rng(0).random(3)
    table = pd.DataFrame([(1, w, c) for w, c in zip(values, "aab", strict=True)])
    table.columns = ["x", "w", "class"]
    path = tmp_path / "data.csv"
    table.to_csv(path, index=False)
    assert read_data(path, sample_weight="w").sample_weight.tolist() == values.tolist()
    assert read_data(table, sample_weight="w").sample_weight.tolist() == values.tolist()
    path.write_text("x;w;class\n1;0,5;a\n2;1,5;b\n")
    assert read_data(path, sample_weight="w").sample_weight.tolist() == [0.5, 1.5]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["heavy", "1", "1"], "at least 0, got 'heavy' for sample 0"),
        (["1", "", "1"], "each sample needs a value in 'w'"),
        (["1", "inf", "1"], "at least 0, got 'inf' for sample 1"),
        (["1", "1", "-2"], "at least 0, got -2 for sample 2"),
        (["0", "0", "0"], "must not all be 0"),
    ],
)
def test_a_column_that_holds_no_weights_is_refused(tmp_path, column, message):
    path = tmp_path / "data.csv"
    rows = [f"{x},{w},{c}" for x, w, c in zip([1, 2, 3], column, "aab", strict=True)]
    path.write_text("\n".join(["x,w,class", *rows]) + "\n")
    with pytest.raises(HoldfastError, match=message):
        read_data(path, sample_weight="w")


def test_a_column_has_one_role(tmp_path):
    with pytest.raises(InvalidInputError, match="can have one role only"):
        read_data(csv(tmp_path), sample_weight="z", groups="z")


def test_the_summary_and_the_fingerprint_have_them():
    X, y = [[1.0], [2.0], [4.0]], ["a", "a", "b"]
    plain, weighted = from_arrays(X, y), from_arrays(X, y, sample_weight=[1, 2, 3])
    assert plain.fingerprint != weighted.fingerprint
    assert weighted.fingerprint != from_arrays(X, y, sample_weight=[1, 2, 3.5]).fingerprint
    assert "The samples have weights from 1 to 3." in weighted.summary().lines()
    assert weighted.one_against_rest("a").sample_weight.tolist() == [1, 2, 3]
