"""Broken files: one sentence that names the file, the line, what is allowed and what was got."""

from __future__ import annotations

import io
import os
import sys

import pytest

from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.io import read_preferences

JSON_START = '{\n "n_features": 5,\n "subsets": [\n  [0, 1],\n'

# name of the file, its content, the line at fault, and words of the message
SELECTIONS = {
    "empty": ("a.txt", "", 1, "empty"),
    "blank": ("a.txt", "\n \r\n\t\n", 1, "empty"),
    "empty JSON": ("a.json", "", 1, "empty"),
    "empty CSV": ("a.csv", "\ufeff", 1, "empty"),
    "binary": ("a.txt", b"a b\nc\x00d\n", 2, "binary data (byte 0x00)"),
    "compressed": ("a.csv", b"\x1f\x8b\x08\x00rest", 1, "binary"),
    "latin 1": ("a.txt", b"\xef\xbb\xbfa b\r\nc\r\n\xe9t\xe9 b\n", 3, "not UTF-8 (line 3)"),
    "utf-16": ("a.txt", "a b\n".encode("utf-16"), 1, "UTF-16"),
    "twice in text": ("a.txt", "a b\n# c\nb c b\n", 3, "'b' again"),
    "0/1 without header as text": ("a.txt", "0 1 1\n1 0 1\n", 1, "save it as .csv"),
    "dash among names": ("a.txt", "a b\na - b\n", 2, "single -"),
    "separators only": ("a.txt", "a\n,;\n", 2, "got ',;'"),
    "quotes in text": ("a.txt", 'a b\n"c d"\n', 2, "are not quoted"),
    "negative index": ("a.txt", "1 2\n-3 4\n", 2, "0 or more, got -3"),
    "huge index": ("a.txt", "1 2\n" + "9" * 50 + "\n", 2, "at most 19 digits"),
    "nearly huge index": ("a.txt", "1\n9999999999999999999\n", 2, "indices of features run from"),
    "comments only": ("a.txt", "# nothing\n", None, "at least one selection"),
    "truncated JSON": ("a.json", JSON_START + '  [0, "', 5, "unterminated string"),
    "JSON cut off": ("a.json", JSON_START + "  [0, 2],\n", 6, "seems to be cut off"),
    "nonsense JSON": ("a.json", "selected: 1, 2", 1, "valid JSON is needed"),
    "JSON of a number": ("a.json", "3", 1, "a list of selections"),
    "flat JSON": ("a.json", "[\n1,\n2]", 2, "must be a list of indices or names, got 1"),
    "JSON of mixed kinds": ("a.json", JSON_START + '  [2,\n "x"]]}', 6, '(in quotes), got "x"'),
    "JSON of booleans": ("a.json", "[[true, false]]", 1, "got true"),
    "JSON of numbers": ("a.json", "[[1.5]]", 1, "got 1.5"),
    "JSON of null": ("a.json", "[[0],\n[null]]", 2, "got null"),
    "JSON repeats": ("a.json", JSON_START + "  [3, 3]]}", 5, "got 3 again"),
    "JSON index": ("a.json", JSON_START + "  [],\n  [4, 5]]}", 6, "run from 0 to 4, got 5"),
    "JSON without rows": ("a.json", "[]", None, "at least one selection"),
    "JSON without subsets": ("a.json", '{"n_features": 3}', 1, "'subsets'"),
    "JSON key": ("a.json", '{"subsets": [[1]],\n"n_feature": 3}', 2, "mean 'n_features'"),
    "JSON key twice": ("a.json", '{"subsets": [[1]], "subsets": []}', None, "same key twice"),
    "JSON count": ("a.json", '{"subsets": [[1]],\n"n_features": true}', 2, "got True"),
    "JSON zero": ("a.json", '{"subsets": [[1]],\n"n_features": 0}', 2, "a positive integer, got 0"),
    "JSON names": ("a.json", '{"subsets": [[1]],\n"feature_names": ["a", 1]}', 2, "in quotes"),
    "JSON names repeat": (
        "a.json",
        '{"subsets": [[1]],\n"feature_names": ["a", "b", "a"]}',
        2,
        "'a' more than once",
    ),
    "JSON names and count": (
        "a.json",
        '{"subsets": [[1]],\n"feature_names": ["a", "b"], "n_features": 3}',
        2,
        "holds 2 names",
    ),
    "JSON unknown name": (
        "a.json",
        '{"feature_names": ["TP53", "MYC"], "subsets": [\n["TP53"],\n["TP35"]]}',
        3,
        "did you mean 'TP53'",
    ),
    "JSON too deep": ("a.json", "[" * 100_000, None, "valid JSON is needed"),
    "long number in JSON": ("a.json", "[[" + "9" * 5000 + "]]", None, "valid JSON is needed"),
    "large number in JSON": ("a.json", "[\n[99999999999999999999]]", 2, "indices of features"),
    "duplicate columns": ("a.csv", "# x\na,b,a\n1,0,1\n", 2, "'a' more than once"),
    "unnamed column": ("a.csv", "a,,b\n1,0,1\n", 1, "got none for column 2"),
    "second unnamed column": ("a.csv", ",a,\nx,1,0\n", 1, "got none for column 3"),
    "no header": ("a.csv", "1,0,1\n1,1,0\n", 1, "got a row of 0 and 1"),
    "header only": ("a.csv", "a,b\n", None, "below the header"),
    "comments only in CSV": ("a.csv", "# a\n# b\n", 1, "comments only"),
    "short row": ("a.csv", "a,b,c\n1,0,1\n\n1,0\n", 4, "must have 3 cells between commas"),
    "long row": ("a.csv", "a;b\n1;0;1\n", 2, "2 cells between semicolons"),
    "cell of 2": ("a.csv", "a,b\n0,1\n1,2\n", 3, "got '2' in column 'b'"),
    "missing cell": ("a.csv", "a,b\n0,1\n1,\n", 3, "got '' in column 'b'"),
    "NA": ("a.tsv", "a\tb\nNA\t1\n", 2, "got 'NA' in column 'a'"),
    "names in CSV": ("a.csv", "TP53,MYC\nAPC,KRAS\n", 2, "selection per line the extension .txt"),
    "open quote": ("a.csv", 'a,b\n1,0\n"1,0\n0,1\n', 3, "is a quote not closed?"),
    "quote inside": ("a.csv", 'a,b\n1,0\n"1"0,1\n', 3, "cannot be split"),
    "endless cell": ("a.csv", "a,b\n1," + "0" * 200_000 + "\n", 2, "field larger than"),
    "line after a break in quotes": ("a.csv", '"a\nb",c\n1,0\n1,3\n', 4, "got '3'"),
}

NUMBERS = {
    "text": ("a.csv", "a,b\n1,2\n3,x\n", 3, "got 'x' in column 'b'"),
    "missing": ("a.csv", "a,b\n1,\n", 2, "finite numbers, got ''"),
    "NaN": ("a.csv", "a,b\n1,2\nnan,2\n", 3, "got 'nan' in column 'a'"),
    "infinite": ("a.csv", "a,b\n1,-inf\n", 2, "got '-inf'"),
    "overflow": ("a.csv", "a,b\n1,1e999\n", 2, "got '1e999'"),
    "underscore": ("a.csv", "a,b\n1,1_0\n", 2, "got '1_0'"),
    "thousands": ("a.csv", 'a,b\n1,"1,5"\n', 2, "got '1,5'"),
    "two commas": ("a.csv", "a;b\n1;1,5,5\n", 2, "got '1,5,5'"),
    "ragged": ("a.csv", "a,b\n1,2\n3\n", 3, "must have 2 cells"),
    "duplicate columns": ("a.csv", "a,a\n1,2\n", 1, "'a' more than once"),
    "no header": ("a.csv", "0.5,0.25\n1,2\n", 1, "got a row of numbers"),
    "header only": ("a.csv", "a,b\n", None, "below the header"),
    "JSON": ("a.json", "[[1, 2]]", 1, "got JSON"),
    "JSON by content": ("a", "[[1, 2]]", 1, "got JSON"),
    "spaces": ("a.txt", "a b\n1 2\n", 2, "got '1 2' in column 'a b'"),
}

RANKS = {
    "rank 0": ("a.csv", "a,b,c\n1,2,3\n0,1,2\n", 3, "from 1 (best) to 3, got 0 in column 'a'"),
    "rank too high": ("a.csv", "a,b\n1,3\n", 2, "got 3 in column 'b'"),
    "no header": ("a.csv", "2,1,3\n1,2,3\n", 1, "got a row of numbers"),
}

CASES = [
    pytest.param(form, *case, id=f"{form}: {name}")
    for form, cases in (("subset", SELECTIONS), ("weights", NUMBERS), ("rankings", RANKS))
    for name, case in cases.items()
]


def refusal(path, **options):
    with pytest.raises(FileFormatError) as caught:
        read_preferences(path, **options)
    return str(caught.value)


@pytest.mark.parametrize(("form", "name", "content", "line", "words"), CASES)
def test_broken_files_are_refused_in_one_line(tmp_path, form, name, content, line, words):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    message = refusal(path, form=form)
    assert message.startswith(f"{path}: " if line is None else f"{path}, line {line}: ")
    assert words in message
    assert "\n" not in message
    assert message[-1] in ".?"
    assert len(message) < 400


@pytest.mark.parametrize(
    ("content", "n_features", "place", "words"),
    [
        ("0 1\n2 5\n", 5, ", line 2: ", "run from 0 to 4, got 5"),
        ("a b\nb c d\n", 3, ", line 2: ", "at most 3 different names"),
        ('{"n_features": 4, "subsets": [[1]]}', 5, ": ", "must be 4 as in the file, got 5"),
        ("a,b\n1,0\n", 3, ": ", "must be 2 as in the file, got 3"),
    ],
)
def test_a_number_of_features_that_contradicts_the_file(
    tmp_path, content, n_features, place, words
):
    path = tmp_path / "a"
    path.write_text(content)
    message = refusal(path, n_features=n_features)
    assert message.startswith(f"{path}{place}")
    assert words in message


def test_a_number_of_features_that_contradicts_a_table_of_scores(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    assert "3" in refusal(path, n_features=3, form="weights")


def test_an_impossible_number_of_features(tmp_path):
    with pytest.raises(InvalidInputError, match="at least 1, got 0"):
        read_preferences(tmp_path / "a.txt", n_features=0)


def test_missing_file(tmp_path):
    path = tmp_path / "missing.txt"
    assert refusal(path).startswith(f"{path}: there is no such file")


def test_folder(tmp_path):
    assert "folder" in refusal(tmp_path)


def test_impossible_path():
    assert "cannot be read" in refusal("a\0b")


def test_unreadable_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("a b")
    path.chmod(0)
    if os.access(path, os.R_OK):  # the administrator may read everything

        def refuse(*_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("pathlib.Path.open", refuse)
    assert "permissions" in refusal(path)


def test_standard_input_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\nc c\n")))
    assert refusal("-").startswith("standard input, line 2: ")
