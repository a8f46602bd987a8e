"""ARFF, GCT and NumPy's files."""

import gzip

import numpy as np
import pytest

from holdfast.errors import FileFormatError, InvalidInputError, UnknownNameError
from holdfast.io import read_data

ARFF = r"""% made by hand
@RELATION 'some data'

@attribute 'my dose' NUMERIC
@attribute count integer
@Attribute colour {red, 'dark blue', "it's"}
@attribute note string
@attribute Class {yes,no}
@DATA
% a comment
1.5, 2, red, 'a, b', yes
?, -3e2, 'dark blue', ?, no

7,0,"it's",'don\'t',no
"""
LAST_ROW = r"""7,0,"it's",'don\'t',no"""
GCT_2 = "#1.2\n3\t2\nName\tDescription\tS1\tS2\nTP53\tp 53\t1.5\t2\nKRAS\t\tNA\t4\nAPC\tx\t5\t6\n"
GCT_3 = (
    "#1.3\n2\t3\t1\t2\nid\tsymbol\tS1\tS2\tS3\nkind\tna\ttumor\tnormal\tNA\ndonor\tna\t1\t2\t1\n"
    "g1\tTP53\t1\t2\t3\ng2\tKRAS\t0.5\t\t-7\n"
)


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_arff_attributes_have_their_types(write):
    data = read_data(write("data.arff", ARFF), drop="note")
    assert data.feature_names == ("my dose", "count", "colour")
    # sorted: dark blue, it's, red
    np.testing.assert_array_equal(data.X, [[1.5, 2, 2], [np.nan, -300, 0], [7, 0, 1]])
    assert data.nominal == (2,)
    assert data.y.tolist() == ["yes", "no", "no"]
    packed = write("data.arff.gz", gzip.compress(ARFF.replace("\n", "\r\n").encode()))
    assert read_data(packed, drop="note").fingerprint == data.fingerprint


def test_arff_strings_are_text(write):
    path = write("data.arff", ARFF)
    with pytest.raises(FileFormatError, match=r"text in 1 column: 'note' \('string' in line 7\)"):
        read_data(path)
    years = "@relation r\n@attribute d date yyyy\n@attribute class {a,b}\n@data\n2020,a\n2021,b\n"
    with pytest.raises(FileFormatError, match=r"line 2: .* text in 1 column: 'd' \('date' in"):
        read_data(write("years.arff", years))
    assert read_data(write("years.arff", years), nominal="d").X.ravel().tolist() == [0, 1]
    data = read_data(path, nominal="note")
    assert data.nominal == (2, 3)
    np.testing.assert_array_equal(data.X[:, 3], [0, np.nan, 1])


def test_the_last_arff_attribute_is_the_target_without_a_class(write):
    text = "@relation r\n@attribute x real\n@attribute kind {a,b}\n@data\n1,a\n2,b\n"
    assert read_data(write("data.arff", text)).y.tolist() == ["a", "b"]
    other = read_data(write("data.arff", text), target="x")
    assert other.nominal == (0,)
    assert other.y.tolist() == ["1", "2"]


def test_sparse_arff_rows_mean_zero_and_the_first_value(write):
    text = (
        "@relation r\n@attribute x real\n@attribute z real\n@attribute 'c c' {u,'v w'}\n"
        "@attribute class {a,b}\n@data\n{}\n{1 2.5, 2 'v w', 3 b}\n{0 ?}\n"
    )
    data = read_data(write("data.arff", text))
    np.testing.assert_array_equal(data.X, [[0, 0, 0], [0, 2.5, 1], [np.nan, 0, 0]])
    assert data.y.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("red, 'a, b'", "rde, 'a, b'", "line 11: attribute 'colour' has no value 'rde'. Did"),
        ("7,0,", "7,", "line 14: each row must have 5 values between commas.* got 4"),
        ("7,0,", "{9 1}", "line 14: a sparse row holds pairs"),
        ("t',no", "t,no", "line 14: a quote is not closed, or text follows it"),
        (LAST_ROW, "{1 2, 1 3}", "line 14: a sparse row may give each position once, got 1 again"),
        (LAST_ROW, "{1 'a}", "line 14: a sparse row holds pairs"),
        (LAST_ROW, "{" + "9" * 5000 + " 1}", "line 14: a sparse row holds pairs"),
        ("'my dose'", "'dose", "line 4: the quote in .* is not closed"),
        ("\"it's\"}", "\"its}", "line 6: a quote is not closed"),
        ("yes,no}", "yes,no} or so", "line 8: attribute 'Class' needs values"),
        ("{yes,no}", "{yes,,no}", "line 8: attribute 'Class' needs values"),
        ("{yes,no}", "{yes,no,yes}", "line 8: value names must be unique, got 'yes'"),
        ("no\n", "?\n", r"each sample needs a value in 'Class', got none in row 2 \(line 12\)"),
        ("@DATA", "@DATE", "line 9: an ARFF header has no line '@DATE'. Did you mean '@data'"),
        ("integer", "relational", "line 5: attribute 'count' must be numeric"),
        ("@attribute count integer", "@attribute count", "line 5: an attribute needs a name"),
        ("count", "note", "line 9: attribute names must be unique, got 'note'"),
        ("-3e2", "many", "text in 1 column: 'count'"),
    ],
)  # fmt: skip
def test_broken_arff_is_refused_with_the_line(write, old, new, match):
    with pytest.raises(FileFormatError, match=match):
        read_data(write("data.arff", ARFF.replace(old, new)), drop="note")


def test_arff_needs_attributes_and_data(write):
    with pytest.raises(FileFormatError, match="needs a line @data"):
        read_data(write("data.arff", "@relation r\n@attribute x real\n"))
    with pytest.raises(FileFormatError, match="line 2: at least one @attribute"):
        read_data(write("data.arff", "@relation r\n@data\n1\n"))


def test_gct_with_labels_in_a_cls_file(write, monkeypatch, tmp_path):
    path, labels = write("data.gct", GCT_2), write("data.cls", "2 2 1\n# tumor normal\n1 0\n")
    monkeypatch.chdir(tmp_path)
    data = read_data(path, target="data.cls", drop="APC")
    assert data.feature_names == ("TP53", "KRAS")
    np.testing.assert_array_equal(data.X, [[1.5, np.nan], [2, 4]])
    assert data.X.flags.c_contiguous
    # the first label that turns up stands for the first name
    assert data.y.tolist() == ["tumor", "normal"]
    assert data.source["target"] == str(labels.resolve())
    assert read_data(path, target=labels).y.tolist() == ["tumor", "normal"]


def test_gct_with_rows_about_the_samples(write):
    data = read_data(write("data.gct", GCT_3), target="kind", groups="donor")
    assert data.feature_names == ("g1", "g2")
    np.testing.assert_array_equal(data.X, [[1, 0.5], [2, np.nan], [3, -7]])
    assert data.y.tolist() == ["tumor", "normal", "NA"]
    assert data.groups.tolist() == ["1", "2", "1"]
    with pytest.raises(UnknownNameError, match=r"no column 'kinds'\. Did you mean 'kind'"):
        read_data(write("data.gct", GCT_3), target="kinds")
    with pytest.raises(InvalidInputError, match="the columns are 'kind', 'donor'"):
        read_data(write("data.gct", GCT_3))


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("#1.2", "#1.1", "line 1: the first line of GCT"),
        ("3\t2", "3", "line 2: the second line of GCT 1.2 holds 2 counts"),
        ("3\t2", "4\t2", "the file ends too early"),
        ("3\t2", "2\t2", "line 6: only 2 features are announced"),
        ("3\t2", "3\t5", "line 3: each row must have 7 cells"),
        ("\t6\n", "\n", "line 6: each row must have 4 cells between tabs.* got 3"),
        ("1.5", "high", "line 4: values must be numbers, got 'high' in sample 'S1'"),
        ("1.5", "inf", "line 4: values must be finite"),
        ("APC", "TP53", "feature names must be unique, got 'TP53'"),
    ],
)
def test_broken_gct_is_refused_with_the_line(write, old, new, match):
    labels = write("data.cls", "2 2 1\n# t n\n0 1\n")
    with pytest.raises(FileFormatError, match=match):
        read_data(write("data.gct", GCT_2.replace(old, new)), target=labels)


def test_gct_without_labels_says_where_they_may_come_from(write):
    path = write("data.gct", GCT_2)
    with pytest.raises(FileFormatError, match=r"path of a CLS file \(.cls\) as the target"):
        read_data(path)
    with pytest.raises(FileFormatError, match="2 labels are needed, one per sample, got 3"):
        read_data(path, target=write("data.cls", "3 2 1\n# t n\n0 1 1\n"))
    with pytest.raises(
        FileFormatError, match="1 classes are named, but there are 2 distinct labels"
    ):
        read_data(path, target=write("data.cls", "2 2 1\n# t\n0 1\n"))
    with pytest.raises(FileFormatError, match="a CLS file has three lines"):
        read_data(path, target=write("data.cls", "2 2 1\n0 1\n"))
    with pytest.raises(FileFormatError, match="there is no such file"):
        read_data(path, target="none.cls")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("3 2 1\n# t n\n0 1\n", "line 1: the first line must hold .*: '2 2 1', got '3 2 1'"),
        ("2 3 1\n# t n\n0 1\n", "line 1: the first line must hold"),
        ("2 2 1 x\n# t n\n0 1\n", "line 1: the first line must hold"),
        ("two 2 1\n# t n\n0 1\n", "line 1: the first line must hold"),
        ("9" * 5000 + " 2 1\n# t n\n0 1\n", "line 1: the first line must hold"),
        ("#numeric\n#AFFX\n0.5 1.5\n", "line 1: classes are needed, got a continuous phenotype"),
        ("2 2 1\n# t t\n0 1\n", "line 2: class names must be unique, got 't'"),
        ("2 2 1\n# t n\nn t\n", "line 3: labels stand for the classes in order of appearance"),
        ("2 2 1\n# t n\n0 1\n0 1\n", "a CLS file has three lines"),
    ],
)
def test_cls_files_that_contradict_themselves(write, text, match):
    with pytest.raises(FileFormatError, match=match):
        read_data(write("data.gct", GCT_2), target=write("data.cls", text))


def test_cls_files_in_words(write):
    path = write("data.gct", GCT_2)
    assert read_data(path, target=write("a.cls", "2 2\n#t n\nt n\n")).y.tolist() == ["t", "n"]


def test_numpy_files_hold_arrays(tmp_path):
    path = tmp_path / "data.npz"
    X = np.array([[1, 2], [3, 4]], dtype=np.float32)
    np.savez(path, X=X, y=[0, 1], feature_names=["u", "v"], groups=["p", "q"], other=["s", "t"])
    data = read_data(path)
    assert data.X.dtype == np.float32
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == ["0", "1"]
    assert data.feature_names == ("u", "v")
    assert data.groups.tolist() == ["p", "q"]
    assert read_data(path, target="other").y.tolist() == ["s", "t"]
    assert read_data(path, drop="u").X.tolist() == [[2], [4]]
    nominal = read_data(path, nominal="v")
    assert nominal.nominal == (1,)
    assert nominal.X.tolist() == [[1, 0], [3, 1]]


def test_bad_numpy_files_are_refused(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.array([[1, "a"]], dtype=object), y=[0])
    with pytest.raises(FileFormatError, match="without Python objects is needed"):
        read_data(path)
    np.savez(path, Z=[[1, 2]], y=[0])
    with pytest.raises(FileFormatError, match="an array called X is needed, got Z, y"):
        read_data(path)
    np.savez(path, X=[1, 2], y=[0, 1])
    with pytest.raises(FileFormatError, match="X must be a matrix of numbers"):
        read_data(path)
    np.savez(path, X=[[1, 2]], y=[0, 1])
    with pytest.raises(FileFormatError, match="'y' must have one entry per sample, 1 in all"):
        read_data(path)
    np.savez(path, X=[[1, 2]], Y=[0])
    with pytest.raises(InvalidInputError, match="target must be named"):
        read_data(path)
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_data(path)
