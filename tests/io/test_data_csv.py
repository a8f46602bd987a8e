"""Tables of data as text: dialects, encodings, roles of columns."""

import gzip
import json
import logging

import numpy as np
import pytest

from holdfast.errors import FileFormatError, InvalidInputError, UnknownNameError
from holdfast.io import check_for_study, read_data

PLAIN = "TP53,KRAS,class\n0.1,2,tumor\n-3e-2,4,normal\n"


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def assert_same_as_plain(data):
    assert data.feature_names == ("TP53", "KRAS")
    np.testing.assert_array_equal(data.X, [[0.1, 2.0], [-0.03, 4.0]])
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert data.y.tolist() == ["tumor", "normal"]


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.rstrip("\n"),
        "\n" + PLAIN.replace("\n", "\n\n"),
        "# from the laboratory\n" + PLAIN,
        "# from the laboratory, in May, by us\n" + PLAIN,
        "#TP53,KRAS,source\n" + PLAIN,
        "# from the laboratory\n#" + PLAIN,
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.encode("utf-16"),
        PLAIN.encode("utf-32"),
        b"\x00\x00\xfe\xff" + PLAIN.encode("utf-32-be"),
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", ";").replace(".", ","),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", "\t").replace(".", ","),
        PLAIN.replace("tumor", '"tumor"').replace("KRAS", '"KRAS"').replace("0.1", '"0.1"'),
        PLAIN.replace(",", " , "),
        PLAIN.replace("class", "Class"),
    ],
)
def test_dialects_give_the_same_data(write, content):
    assert_same_as_plain(read_data(write(content)))


def test_packed_and_tab_separated_files_are_read(write):
    assert_same_as_plain(read_data(write(gzip.compress(PLAIN.encode()), "data.csv.gz")))
    assert_same_as_plain(read_data(write(PLAIN.replace(",", "\t"), "data.tsv")))
    packed = gzip.compress(PLAIN.replace(",", "\t").encode())
    assert_same_as_plain(read_data(str(write(packed, "DATA.TSV.GZ"))))


def test_latin_1_is_read_and_reported(write, caplog):
    path = write("größe,class\n1,früh\n2,spät\n".encode("latin-1"))
    with caplog.at_level(logging.INFO, logger="holdfast"):
        data = read_data(path)
    assert data.feature_names == ("größe",)
    assert data.classes == ("früh", "spät")
    assert "Latin-1" in data.notes[0]
    assert data.notes[0] in data.summary().lines()
    assert "Latin-1" in caplog.text


def test_latin_1_is_found_far_down_in_the_file(write):
    rows = "".join(f"{number},a\n" for number in range(50_000))
    data = read_data(write(b"x,class\n" + rows.encode() + b"7,\xe9\n"))
    assert data.y[-1] == "é"
    assert data.n_samples == 50_001


def test_labels_stay_as_they_are_written(write):
    labels = ["NA", "1", "1.0", "True", "nan", "01", "a,b", "null", "?"]
    text = "x,class\n" + "".join(f'{i},"{label}"\n' for i, label in enumerate(labels))
    assert read_data(write(text)).y.tolist() == labels


def test_missing_values_are_nan(write):
    cells = ["", "NA", "NaN", "nan", "?", "null", " ", " NA ", "NULL", "n.a."]
    text = "x,z,class\n" + "".join(f"{cell},1.5,a\n" for cell in cells[:-1])
    data = read_data(write(text))
    assert np.isnan(data.X[:, 0]).all()
    assert (data.X[:, 1] == 1.5).all()
    with pytest.raises(FileFormatError, match=r"line 2: .*'x' \('n.a.' in line 2\)"):
        read_data(write(f"x,class\n{cells[-1]},a\n"))


def test_numbers_are_exact(write):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 30)) * 10.0 ** rng.integers(-300, 300, size=(20, 30))
    lines = [",".join([*map(repr, row), "a"]) for row in X.tolist()]
    header = ",".join([*(f"f{j}" for j in range(30)), "class"])
    data = read_data(write("\n".join([header, *lines])))
    np.testing.assert_array_equal(data.X, X)


def test_roles_of_columns(write):
    path = write("id,stage,dose,who,outcome\ns1,late,3,p1,yes\ns2,early,NA,p2,no\ns3,,1,p1,no\n")
    data = read_data(path, target="outcome", drop=["id"], nominal=["stage"], groups="who")
    assert data.feature_names == ("stage", "dose")
    np.testing.assert_array_equal(data.X, [[1, 3], [0, np.nan], [np.nan, 1]])
    assert data.nominal == (0,)
    assert data.groups.tolist() == ["p1", "p2", "p1"]
    assert "coded 0, 1, ... in sorted order" in data.notes[0]


def test_numbers_may_be_nominal_and_are_sorted_as_numbers(write):
    path = write("x,grade,class\n1,10,a\n1,9,b\n1,10,a\n")
    data = read_data(path, nominal="grade")
    assert data.X[:, 1].tolist() == [1, 0, 1]
    assert data.nominal == (1,)


def test_columns_go_by_number_unless_the_number_is_a_name(write):
    path = write("7,b,1\n1,2,3\n4,5,6\n")
    assert read_data(path, target=-1).y.tolist() == ["3", "6"]
    assert read_data(path, target="0").y.tolist() == ["1", "4"]
    assert read_data(path, target="1").y.tolist() == ["3", "6"]
    assert read_data(path, target=1).y.tolist() == ["3", "6"]
    assert read_data(path, target="b", drop=7).feature_names == ("1",)
    with pytest.raises(UnknownNameError, match="from 0 to 2, or from -1 back to -3"):
        read_data(path, target=3)


def test_a_first_column_without_a_name_is_left_out(write):
    data = read_data(write(",x,class\nr1,1,a\nr2,2,b\n"))
    assert data.feature_names == ("x",)
    assert "left out" in data.notes[0]


def test_the_source_reads_the_same_data_again(write, tmp_path, monkeypatch):
    path = write("id,x,who,kind\ns1,1,p,a\ns2,2,q,b\ns3,5,q,c\n")
    monkeypatch.chdir(tmp_path)
    data = read_data(path.name, target=-1, drop="id", groups="who", positive="b")
    source = json.loads(json.dumps(dict(data.source)))
    assert source["file"] == str(path.resolve())
    again = read_data(source.pop("file"), **source)
    assert again.fingerprint == data.fingerprint
    assert again.classes == ("b", "rest")


def test_progress_grows_to_one(write):
    header = ",".join(f"f{j}" for j in range(20_000)) + ",class\n"
    row = ",".join(["0.123456789012345"] * 20_000)
    told = []
    read_data(
        write(header + "".join(f"{row},{'ab'[i % 2]}\n" for i in range(40))), progress=told.append
    )
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 2


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("", "line 1: the file is empty"),
        ("\n \n", "line 1: the file is empty"),
        ("# only\n# comments\n", "line 1: a header of column names is needed"),
        ("x,class\n", "at least one row is needed"),
        ("x,class\n1,a\n2\n", "line 3: each row must have 2 cells between commas.* got 1"),
        ("x,class\nr1,1,a\n", "line 2: .* got 3; if the first column holds row labels"),
        ("x,class\n1,a\n2,\n", r"a value in 'class', got none in row 2 \(line 3\)"),
        ("x,class\n1,a\n2, \n", r"row 2 \(line 3\)"),
        ("x,x,class\n1,2,a\n", "line 1: column names must be unique, got 'x'"),
        ("x,,class\n1,2,a\n", "line 1: each column needs a name .* column 2"),
        ("1.5,2.5,3\n1,2,3\n", "line 1: the first line must be a header .* row of numbers"),
        ("5.1,3.5,0\n4.9,3.0,0\n6.1,2.0,1\n", "line 1: the first line must be a header"),
        ("x,class\n1,a\ninf,b\n", "line 3: values must be finite .* got 'inf' in column 'x'"),
        ("x,class\n1,a\n1e999,b\n", "line 3: values must be finite .* got '1e999'"),
        ("x,class\n1_000,a\n", "got text in 1 column: 'x'"),
        ('x,class\n1,"a\n2,b\n', "line 2: the row cannot be split"),
        (b"x,class\n1,\x00\n", "line 2: a text file is needed, got binary data"),
        (b"x,class\n" + b"1,a\n" * 40_000 + b"1,\x00\n", "line 40002: a text file is needed"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "got binary data"),
        (gzip.compress(b"x,class\n", mtime=0), "got binary data"),
    ],
)  # fmt: skip
def test_broken_files_are_refused_with_the_line(write, content, match):
    with pytest.raises(FileFormatError, match=match):
        read_data(write(content))


def test_a_header_of_data_is_found_by_its_label(write):
    with pytest.raises(FileFormatError, match="got 'setosa' as the name of the target"):
        read_data(write("5.1,3.5,setosa\n4.9,3.0,setosa\n6,2,virginica\n"), target=-1)


def test_cut_off_packed_files_are_refused(write):
    rows = "x,class\n" + "".join(f"{hash((i, 1))},a\n" for i in range(50_000))
    packed = gzip.compress(rows.encode())
    with pytest.raises(
        FileFormatError, match=r"line \d+: the compressed file is damaged or incomplete"
    ):
        read_data(write(packed[: len(packed) // 2], "data.csv.gz"))
    with pytest.raises(FileFormatError, match="line 1: the compressed file is damaged"):
        read_data(write("x,class\n1,a\n", "data.csv.gz"))


def test_missing_files_folders_and_unknown_endings_are_refused(tmp_path, write):
    with pytest.raises(FileFormatError, match="there is no such file"):
        read_data(tmp_path / "none.csv")
    with pytest.raises(FileFormatError, match="this is a folder"):
        read_data(tmp_path)
    with pytest.raises(FileFormatError, match=r"the extension must be .*\.csv.* got '.xlsx'"):
        read_data(write("x,class\n1,a\n", "data.xlsx"))
    with pytest.raises(FileFormatError, match="the extension must be"):
        read_data(write("x", "data.npz.gz"))


def test_text_columns_are_refused_by_name_all_at_once(write):
    header = ",".join(["id", "x", *(f"t{j}" for j in range(10)), "class"])
    row = ",".join(["s1", "1", *["word"] * 10, "a"])
    with pytest.raises(FileFormatError) as error:
        read_data(write(f"{header}\n{row}\n{row}\n"))
    assert "line 2: " in str(error.value)
    assert "text in 11 columns: 'id' ('s1' in line 2), 't0'" in str(error.value)
    assert "and 3 more" in str(error.value)
    assert "drop" in str(error.value)
    assert "nominal" in str(error.value)


def test_unknown_columns_get_a_hint(write):
    path = write("gene,dose,label\n1,2,a\n")
    with pytest.raises(UnknownNameError, match=r"no column 'dosis'\. Did you mean 'dose'"):
        read_data(path, target="label", drop="dosis")
    with pytest.raises(InvalidInputError, match="the columns are 'gene', 'dose', 'label'"):
        read_data(path)


def test_a_column_has_one_role(write):
    path = write("x,z,class\n1,2,a\n")
    with pytest.raises(InvalidInputError, match="column 'class' is given as target and as drop"):
        read_data(path, drop="class")
    with pytest.raises(InvalidInputError, match="no column is left"):
        read_data(path, drop=["x", "z"])


def test_what_no_study_can_use_is_reported(write):
    one = read_data(write("x,class\n1,a\n2,a\n"))
    with pytest.raises(InvalidInputError, match="at least two classes are needed, got only 'a'"):
        check_for_study(one)
    single = read_data(write("x,class\n1,a\n2,a\n3,b\n"))
    with pytest.raises(InvalidInputError, match=r"each class needs at least two samples.* of 'b'"):
        check_for_study(single)


def test_only_data_are_taken():
    with pytest.raises(InvalidInputError, match="from_arrays takes a matrix"):
        read_data(np.zeros((3, 3)))
    data = read_data("@wine")
    assert read_data(data) is data
    with pytest.raises(InvalidInputError, match="a Dataset has them already"):
        read_data(data, target="class")
