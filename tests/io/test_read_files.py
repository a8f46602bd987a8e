"""Every format that is read, and that all formats agree."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import UnknownNameError
from holdfast.io import read_preferences
from holdfast.preferences import Rankings, Subsets, Weights


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


EXPECTED = Subsets(
    [["TP53", "MYC"], ["MYC"], ["TP53", "APC"]], feature_names=["TP53", "MYC", "APC"]
)
TABLE = "TP53,MYC,APC\n1,1,0\n0,1,0\n1,0,1\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", TABLE),
        ("a.CSV", TABLE),
        ("a.tsv", TABLE.replace(",", "\t")),
        ("a.csv", TABLE.replace(",", ";")),
        ("a.csv", TABLE.replace(",", "\t")),
        ("a.csv", TABLE.replace("\n", "\r\n")),
        ("a.csv", TABLE.replace("\n", "\r")),
        ("a.csv", "\ufeff" + TABLE),
        ("a.csv", TABLE.rstrip()),
        ("a.csv", '# a comment with a " quote\n\n' + TABLE + "\n\n"),
        ("a.csv", '"TP53","MYC","APC"\n"1","1","0"\n"0","1","0"\n"1","0","1"\n'),
        ("a.csv", " TP53 , MYC , APC \n 1 , 1 , 0 \n0,1,0\n1,0,1\n"),
        ("a.csv", ",TP53,MYC,APC\nfold 1,1,1,0\nfold 2,0,1,0\nfold 3,1,0,1\n"),
        ("a.csv", "TP53,MYC,APC\nTRUE,TRUE,FALSE\nFalse,True,False\n1.0,0.0,1.0\n"),
        ("a.txt", TABLE),
        ("a", TABLE.replace(",", "\t")),
        ("a", "," + TABLE.replace("\n", "\nrow,").removesuffix("row,")),
        (
            "a.json",
            '{"feature_names": ["TP53", "MYC", "APC"], "subsets": [[0, 1], [1], [2, 0]]}',
        ),
        (
            "a",
            '\n {"subsets": [["TP53","MYC"],["MYC"],["APC","TP53"]],\n "n_features": 3}\n',
        ),
        ("a.json", b'\xef\xbb\xbf[["TP53", "MYC"], ["MYC"], ["TP53", "APC"]]'),
        ("a.txt", "TP53 MYC\nMYC\nTP53 APC\n"),
        ("a.txt", "# genes\r\nTP53, MYC\r\n\r\nMYC;\r\nAPC\tTP53"),
        ("a.weird", "TP53;MYC\nMYC\nTP53;;APC\n"),
    ],
)
def test_formats_of_selections_give_the_same_subsets(write, name, content):
    found = read_preferences(write(name, content), n_features=3)
    assert [sorted(found.feature_names[i] for i in row) for row in found] == [
        sorted(EXPECTED.feature_names[i] for i in row) for row in EXPECTED
    ]
    assert found.n_features == 3


def test_a_table_keeps_the_order_of_its_names(write):
    found = read_preferences(write("a.csv", "b,a,never\n1,0,0\n1,1,0\n"))
    assert found == Subsets([[0], [0, 1]], feature_names=["b", "a", "never"])


@pytest.mark.parametrize("content", ["0 3 7\n0,3,9\n-\n", "[[0, 3, 7], [9, 3, 0], []]"])
def test_whole_numbers_are_indices_and_a_dash_is_an_empty_selection(write, content):
    found = read_preferences(write("a", content), n_features=10)
    assert found == Subsets([[0, 3, 7], [0, 3, 9], []], n_features=10)


def test_one_name_turns_numbers_into_names(write):
    found = read_preferences(write("a.txt", "1 2\n1 x\n"))
    assert found.feature_names == ("1", "2", "x")
    assert found.n_features is None


def test_numbers_in_quotes_are_names_in_json(write):
    assert read_preferences(write("a.json", '[["7157", "672"]]')).feature_names == ("7157", "672")


def test_a_header_of_whole_numbers_is_a_header(write):
    assert read_preferences(write("a.csv", "0,1\n1,0\n")).feature_names == ("0", "1")


def test_names_may_hold_separators_and_line_ends_in_quotes(write):
    found = read_preferences(write("a.csv", '"a, b","c\nd"\n1,0\n'))
    assert found.feature_names == ("a, b", "c\nd")


def test_very_long_lines_are_read(write):
    names = [f"feature_{i}" for i in range(60_000)]
    table = ",".join(names) + "\n" + ",".join("01"[i % 2] for i in range(60_000)) + "\n"
    assert read_preferences(write("a.csv", table)).sizes.tolist() == [30_000]
    assert read_preferences(write("a.txt", " ".join(names))).sizes.tolist() == [60_000]


@pytest.mark.parametrize(
    "content",
    [
        "a,b,c\n0.5,-1e-3,2\n1,2.25,3\n",
        "a;b;c\n0,5;-1e-3;2\n1;2,25;3\n",
        "a\tb\tc\r\n0,5\t-0,001\t2\r\n1\t2.25\t3\r\n",
        ",a,b,c\nfold 1,0.5,-0.001,2\nfold 2,1,2.25,3\n",
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a"])
def test_weights(write, name, content):
    found = read_preferences(write(name, content), form="weights")
    assert found == Weights([[0.5, -1e-3, 2], [1, 2.25, 3]], feature_names=["a", "b", "c"])


def test_rankings(write):
    found = read_preferences(write("a.csv", "a,b,c\n1,2,3\n3,1,2\n"), form="rankings")
    assert found == Rankings([[1, 2, 3], [3, 1, 2]], feature_names=["a", "b", "c"])
    tied = read_preferences(write("b.csv", "a;b;c\n1,5;1,5;3\n"), form="rankings")
    assert tied.values.tolist() == [[1.5, 1.5, 3]]


def test_numbered_columns_are_names_of_rankings(write):
    found = read_preferences(write("a.csv", "1,2,3\n2,1,3\n"), form="rankings")
    assert found.feature_names == ("1", "2", "3")


def test_unknown_form_names_the_nearest(write):
    with pytest.raises(UnknownNameError, match="rankings"):
        read_preferences(write("a.csv", TABLE), form="rankins")


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=',;"'),
    min_size=1,
    max_size=8,
).filter(lambda name: not re.fullmatch(r"[+-]?[0-9]+|-|[#\[{].*", name))


@st.composite
def systems(draw):
    """Subsets with a name for each feature, in which the names turn up in order."""
    names = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    order = st.lists(st.integers(0, len(names) - 1), max_size=len(names), unique=True)
    return Subsets(draw(st.lists(order, min_size=1, max_size=6)), feature_names=names)


def as_table(subsets, separator):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(subsets.feature_names)
    for row in subsets:
        writer.writerow([int(i in row) for i in range(subsets.n_features)])
    return text.getvalue()


def rows_of(subsets, *, named):
    labels = subsets.feature_names if named else [str(i) for i in range(subsets.n_features)]
    return [[labels[i] for i in row] for row in subsets]


def as_text(subsets, separator, *, named):
    return "\n".join(separator.join(row) or "-" for row in rows_of(subsets, named=named))


@given(systems(), st.sampled_from([",", ";", "\t"]))
def test_tables_come_back(tmp_path_factory, subsets, separator):
    path = tmp_path_factory.mktemp("io") / ("a.tsv" if separator == "\t" else "a.csv")
    path.write_text(as_table(subsets, separator), encoding="utf-8", newline="")
    assert read_preferences(path) == subsets


@given(systems(), st.sampled_from([",", ";", "\t", " ", ", "]))
def test_indices_in_text_come_back(tmp_path_factory, subsets, separator):
    path = tmp_path_factory.mktemp("io") / "a.txt"
    path.write_text(as_text(subsets, separator, named=False), encoding="utf-8")
    bare = Subsets([row.tolist() for row in subsets], n_features=subsets.n_features)
    assert read_preferences(path, n_features=subsets.n_features) == bare


@given(systems(), st.sampled_from([",", ";", "\t", " ", ", "]))
def test_names_in_text_come_back(tmp_path_factory, subsets, separator):
    path = tmp_path_factory.mktemp("io") / "a.txt"
    path.write_text(as_text(subsets, separator, named=True), encoding="utf-8")
    rows = rows_of(subsets, named=True)
    assert read_preferences(path, n_features=9) == Subsets(rows, n_features=9)


@given(systems(), st.booleans(), st.sampled_from([None, 1]))
def test_json_comes_back(tmp_path_factory, subsets, named, indent):
    path = tmp_path_factory.mktemp("io") / "a.json"
    rows = rows_of(subsets, named=True) if named else [row.tolist() for row in subsets]
    document = {"feature_names": list(subsets.feature_names), "subsets": rows}
    path.write_text(json.dumps(document, indent=indent), encoding="utf-8")
    assert read_preferences(path) == subsets


@given(st.lists(st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=3), min_size=1, max_size=4))
def test_weights_come_back_to_the_bit(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("io") / "a.csv"
    lines = ["a,b,c", *(",".join(map(repr, row)) for row in rows)]
    path.write_text("\n".join(lines))
    assert np.array_equal(read_preferences(path, form="weights").values, rows)
