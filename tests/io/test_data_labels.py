"""Labels as text, nominal values as codes."""

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.io import from_arrays, read_data
from holdfast.io._columns import encode_nominal

ARFF = (
    "@relation r\n@attribute x {a,NA,null,nan,'?'}\n@attribute n numeric\n"
    "@attribute class {NA,'?'}\n@data\n"
)


def test_labels_of_a_whole_text_are_refused(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(f"x,note,class\n1,{'word ' * 60},a\n2,short,b\n")
    with pytest.raises(
        FileFormatError, match=r"'note' may have at most 256 characters, got .* with 299"
    ):
        read_data(path, target="note", drop="class")
    with pytest.raises(InvalidInputError, match=r"'groups' .* is this the right column"):
        from_arrays([[1], [2]], ["a", "b"], groups=["x" * 257, "y"])
    assert from_arrays([[1], [2]], ["a" * 256, "b"]).n_samples == 2


def test_masked_values_are_missing():
    mask = [[True, False], [False, False]]
    for kind, wanted in ((np.float32, np.float32), (int, np.float64), (object, np.float64)):
        X = np.ma.masked_array(np.array([[9, 2], [3, 4]], dtype=kind), mask=mask)
        data = from_arrays(X, ["a", "b"])
        np.testing.assert_array_equal(data.X, [[np.nan, 2], [3, 4]])
        assert data.X.dtype == wanted
    infinite = np.ma.masked_invalid([[np.inf, 1.0]])
    assert np.isnan(from_arrays(infinite, ["a"]).X[0, 0])


@pytest.mark.parametrize("values", [[1, 2], [1.5, 2.5], ["a", "b"], np.array(["a", 1], object)])
def test_masked_labels_are_refused(values):
    masked = np.ma.masked_array(values, mask=[False, True])
    with pytest.raises(InvalidInputError, match="each sample needs a value in 'y', got none in sa"):
        from_arrays([[1], [2]], masked)
    with pytest.raises(InvalidInputError, match="each sample needs a value in 'groups'"):
        from_arrays([[1], [2]], [0, 1], groups=masked)
    assert from_arrays([[1], [2]], np.ma.masked_array(values)).n_samples == 2


def test_blanks_around_labels_are_cut_everywhere(tmp_path):
    frame = pd.DataFrame({"x": [1, 2], "class": [" a", "a "]})
    np.savez(tmp_path / "data.npz", X=[[1], [2]], y=frame["class"].to_numpy(str))
    for data in (
        read_data(frame),
        read_data(tmp_path / "data.npz"),
        from_arrays(frame[["x"]], frame["class"]),
    ):
        assert data.y.tolist() == ["a", "a"]


def test_dates_become_text_that_people_read():
    for unit in ("D", "s", "ns"):
        days = np.array(["2020-01-31", "2020-02-01"], dtype=f"M8[{unit}]")
        assert from_arrays([[1], [2]], days).y.tolist() == ["2020-01-31", "2020-02-01"]
    with pytest.raises(InvalidInputError, match="got none in sample 1"):
        from_arrays([[1], [2]], np.array(["2020-01-31", "NaT"], dtype="M8[ns]"))


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["10", "9", "10"], [1, 0, 1]),
        (["-1", "2.5", "10", "2.5"], [0, 1, 2, 1]),
        (["10", "9", "10.0"], [0, 2, 1]),
        (["1", "01", "1.0"], [1, 0, 2]),
        (["1_0", "9"], [0, 1]),
        (["nan", "1", "nan"], [1, 0, 1]),
        (["12345678901234567891", "12345678901234567890"], [1, 0]),
        (["b", None, "a"], [1, np.nan, 0]),
        ([None, None], [np.nan, np.nan]),
    ],
)
def test_nominal_values_are_distinguished_as_text(texts, codes):
    np.testing.assert_array_equal(encode_nominal(texts), codes)


def test_declared_values_of_arff_are_never_missing(tmp_path):
    path = tmp_path / "data.arff"
    rows = "a,1,NA\nNA,2,NA\nnull,3,NA\nnan,?,NA\n'?',5,'?'\n?,6,'?'\n{0 '?', 2 '?'}\n{0 ?}\n"
    path.write_text(ARFF + rows)
    data = read_data(path)
    # sorted: ? NA a nan null
    np.testing.assert_array_equal(data.X[:, 0], [2, 1, 4, 3, 0, np.nan, 0, np.nan])
    np.testing.assert_array_equal(data.X[:, 1], [1, 2, 3, np.nan, 5, 6, 0, 0])
    assert data.y.tolist() == [*["NA"] * 4, *["?"] * 3, "NA"]


def test_unquoted_question_marks_are_missing_labels(tmp_path):
    path = tmp_path / "data.arff"
    path.write_text(ARFF + "a,1,NA\na,2,?\n")
    with pytest.raises(FileFormatError, match=r"got none in row 2 \(line 7\)"):
        read_data(path)
