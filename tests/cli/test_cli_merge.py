"""``holdfast merge``: parts become a whole."""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.cli.studies import document, run
from tests.study.stores import Made, full, subsamples

MADE = Made(resamples=subsamples(30, 6))
FIRST = [(0, i) for i in range(6)]
SECOND = [(1, i) for i in range(6)]


@pytest.fixture
def parts(tmp_path):
    """Return two folders, each with a half of the same study."""
    for name, skip in (("part1", SECOND), ("part2", FIRST)):
        with closing(full(MADE, tmp_path / name, skip=skip)):
            pass
    return tmp_path / "part1", tmp_path / "part2"


def test_parts_become_a_whole(parts, tmp_path):
    result = run("merge", *parts, "--out", tmp_path / "whole", "--json")
    assert result.exit_code == 0, result.stderr
    assert document(result)["units"] == {"all": 12, "done": 12, "failed": 0, "not_run": 0}
    assert f"written: {tmp_path / 'whole' / 'study.sqlite'}" in result.stderr


def test_the_table_is_that_of_the_whole(parts, tmp_path):
    result = run("merge", *parts, "--out", tmp_path / "whole")
    rows = result.stdout.split("\n\n")[0].splitlines()[2:4]
    assert [row.split()[0] for row in rows] == ["one", "two"]
    assert "next:" not in result.stderr


def test_a_missing_part_is_reported(parts, tmp_path):
    result = run("merge", parts[0], "--out", tmp_path / "whole")
    assert result.exit_code == 0
    assert "next: 6 of 12 units are done" in result.stderr


def test_parts_of_different_studies_are_refused(parts, tmp_path):
    other = Made(resamples=subsamples(30, 6), seed=1)
    with closing(full(other, tmp_path / "other")):
        pass
    result = run("merge", parts[0], tmp_path / "other", "--out", tmp_path / "whole")
    assert result.exit_code == 3
    assert "not parts of one study" in result.stderr


def test_a_folder_in_use_is_never_written_to(parts, tmp_path):
    before = (parts[1] / "study.sqlite").read_bytes()
    result = run("merge", *parts, "--out", parts[1])
    assert result.exit_code == 1
    assert (parts[1] / "study.sqlite").read_bytes() == before


@pytest.mark.parametrize("arguments", [["--out", "whole"], ["part1", "part2"]])
def test_folders_and_a_place_for_the_whole_are_needed(arguments):
    result = run("merge", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: Missing ")
