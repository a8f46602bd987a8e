"""``holdfast check``: intact studies, and damaged results by name."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.cli.studies import document, run
from tests.study.stores import Made, full, subsamples

MADE = Made(resamples=subsamples(30, 4))


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a complete study."""
    full(MADE, tmp_path / "run").close()
    return tmp_path / "run"


@pytest.fixture
def damaged(folder):
    """Return the folder of a study with one damaged unit."""
    with closing(sqlite3.connect(folder / "study.sqlite")) as store, store:
        store.execute("DELETE FROM predictions WHERE selector = 1 AND resample = 3")
    return folder


def test_an_intact_study_is_reported_with_what_was_checked(folder):
    result = run("check", folder)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "checked: plan, 2 selectors, 30 samples, 12 features, 4 resamples, 8 units",
        "intact: no result is damaged",
    ]
    assert result.stderr == ""


def test_damaged_results_are_listed_with_the_command_that_computes_them_again(damaged):
    result = run("check", damaged)
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].split(maxsplit=2) == [
        *("two", "3", "its checksum is not that of its rows")
    ]
    assert f"next: compute them again: holdfast resume {damaged} --repair" in result.stderr


def test_json_has_the_damaged_results(damaged):
    result = run("check", damaged, "--json")
    assert result.exit_code == 3
    found = document(result)
    assert found["intact"] is False
    assert found["checked"]["units"] == 8
    assert found["damage"] == [
        {"selector": "two", "resample": 3, "problem": "its checksum is not that of its rows"}
    ]


def test_other_commands_refuse_a_damaged_study(damaged, tmp_path):
    for command in (("report", damaged), ("merge", damaged, "--out", tmp_path / "whole")):
        result = run(*command)
        assert result.exit_code == 3
        assert "two on resample 3" in result.stderr
        assert f"holdfast resume {damaged} --repair" in result.stderr


def test_a_folder_without_a_study_is_an_error(tmp_path):
    result = run("check", tmp_path)
    assert result.exit_code == 1
    assert "there is no study in this folder" in result.stderr
