"""``holdfast report``: the page of a study, made again."""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.cli.studies import run
from tests.study.stores import Made, full, subsamples

MADE = Made(resamples=subsamples(30, 6))


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a study."""
    with closing(full(MADE, tmp_path / "run")):
        pass
    return tmp_path / "run"


def test_files_are_written_into_the_folder_and_named(folder):
    result = run("report", folder)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    paths = [folder / name for name in ("report.html", "report.json", "report.md")]
    assert result.stderr.splitlines() == [f"written: {path}" for path in paths]
    assert all(path.stat().st_size for path in paths)


def test_another_place_may_be_given(folder, tmp_path):
    result = run("report", folder, "--out", tmp_path / "markers.html", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (tmp_path / "markers.json").exists()
    assert not (folder / "report.html").exists()


def test_files_of_others_stay_unless_forced(folder):
    (folder / "report.md").write_text("mine", encoding="utf-8")
    result = run("report", folder)
    assert result.exit_code == 1
    assert "not a holdfast report" in result.stderr
    assert (folder / "report.md").read_text(encoding="utf-8") == "mine"
    assert run("report", folder, "--force").exit_code == 0
    assert "mine" not in (folder / "report.md").read_text(encoding="utf-8")


def test_a_study_with_failures_is_reported(tmp_path):
    with closing(full(MADE, tmp_path / "run", failed=[(0, 0)])):
        pass
    result = run("report", tmp_path / "run")
    assert result.exit_code == 0
    assert "ValueError: no" in (tmp_path / "run" / "report.md").read_text(encoding="utf-8")


def test_a_folder_without_a_study_is_refused(tmp_path):
    result = run("report", tmp_path / "nowhere")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: {tmp_path / 'nowhere'}: there is no such folder")


def test_other_kinds_of_files_are_refused(folder, tmp_path):
    result = run("report", folder, "--out", tmp_path / "x.pdf")
    assert result.exit_code == 3
    assert "ends in .html" in result.stderr
    assert "print the page" in result.stderr
    assert not (tmp_path / "x.pdf").exists()
