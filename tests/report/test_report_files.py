"""Reports as files: beside each other, whole or not at all, never over others' files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.errors import InvalidInputError, StoreError
from holdfast.report import write_report
from tests.report.sample_results import ODD

NAMES = ["report.html", "report.json", "report.md"]


@pytest.fixture(scope="module")
def study():
    """Return a small result."""
    return ODD["no classifiers"]()


def contents(folder):
    """Return all files of a folder with what they hold."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_gets_three_files(study, tmp_path):
    paths = write_report(study, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == NAMES
    assert {path.name for path in paths} == set(contents(tmp_path / "new" / "folder"))
    assert paths[0].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads(paths[1].read_text(encoding="utf-8"))["format"] == "holdfast report"
    assert paths[2].read_text(encoding="utf-8").startswith("<!-- holdfast report")


def test_a_page_gets_twins_of_its_name(study, tmp_path):
    paths = write_report(study, str(tmp_path / "markers.v2.html"))
    assert [path.name for path in paths] == [
        "markers.v2.html", "markers.v2.json", "markers.v2.md",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_same_result_gives_the_same_bytes(study, tmp_path):
    write_report(study, tmp_path)
    before = contents(tmp_path)
    write_report(ODD["no classifiers"](), tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", NAMES)
def test_files_of_others_are_not_replaced(study, tmp_path, name):
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match=r"not a holdfast report.*--force"):
        write_report(study, tmp_path)
    assert contents(tmp_path) == {name: b"mine"}


@pytest.mark.slow
def test_files_of_others_are_replaced_if_asked(study, tmp_path):
    (tmp_path / "report.json").write_text("mine", encoding="utf-8")
    write_report(study, tmp_path, force=True)
    assert set(contents(tmp_path)) == set(NAMES)
    assert contents(tmp_path)["report.json"] != b"mine"


@pytest.mark.parametrize("name", ["report.json", "report.md", "data.csv"])
def test_other_kinds_of_files_are_refused(study, tmp_path, name):
    if name == "data.csv":
        (tmp_path / name).write_text("a,b", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"folder, or a file whose name ends in .html"):
        write_report(study, tmp_path / name)


@pytest.mark.slow
@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_a_full_disk_leaves_the_earlier_report(study, tmp_path, monkeypatch, step):
    write_report(study, tmp_path)
    before = contents(tmp_path)

    def full(self, *_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, step, full)
    with pytest.raises(StoreError, match=r"report.html: .*No space left on device.*study itself"):
        write_report(ODD["half done"](), tmp_path)
    monkeypatch.undo()
    assert contents(tmp_path) == before


@pytest.mark.slow
def test_a_place_that_cannot_be_a_folder_is_reported(study, tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        write_report(study, tmp_path / "file" / "report.html")
