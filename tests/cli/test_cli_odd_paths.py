"""Paths with bytes that are no text, and study files that are no ordinary TOML."""

from __future__ import annotations

import io
import os
import sys

import pytest

from holdfast.cli._program import exit_code
from holdfast.cli._study_file import read_study_file
from holdfast.errors import FileFormatError, StoreError
from holdfast.io import read_preferences
from holdfast.study._storage._folder import create_folder

ODD_NAME = os.fsdecode(b"o\xff")


def test_a_message_with_such_a_path_is_printed(monkeypatch, tmp_path):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(written, encoding="utf-8"))
    assert exit_code(lambda: read_preferences(tmp_path / ODD_NAME)) == 3
    sys.stderr.flush()
    assert b"o\\udcff: there is no such file" in written.getvalue()


def test_a_run_folder_needs_a_name_that_is_text(tmp_path):
    with pytest.raises(StoreError, match=r"not valid UTF-8, got '.*o\\udcff'; name another"):
        create_folder(tmp_path / ODD_NAME)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("[data]\nfile = 'a.csv'\n[data.more]\nx = 1", r"data\.more: there is no such key"),
        ("[data]\nfile = 'a.csv'\n[data.file.more]\n", "this is not TOML"),
        ("[data.file]\nname = 'a.csv'", r"data\.file: .*got {'name': 'a.csv'}"),
        ("[data]\nfile = 'a.csv'\n[more.and.more]\nx = 1", "more: there is no such key"),
        ("[data]\nfile = 'a.csv'\n[study.protocol.more]\nx = 1", r"study\.protocol: .*more"),
        (
            "[data]\nfile = 'a.csv'\n[study.protocol]\nname = 'bootstrap'\nmore = {x = 1}",
            r"study\.protocol: .*'more'",
        ),
        (
            "[data]\nfile = 'a.csv'\n[study.selectors.f_score.more]\nx = 1",
            r"study\.selectors: f_score has no option 'more'",
        ),
        ("x = " + "[" * 5000 + "]" * 5000, "this is not TOML"),
        ("x = " + "9" * 5000, "this is not TOML"),
        ("data = '" + "x" * 5000 + "'", "data: "),
    ],
)
def test_odd_study_files(tmp_path, text, match):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(FileFormatError, match=match) as caught:
        read_study_file(tmp_path / "a.toml")
    assert len(str(caught.value)) < 600
