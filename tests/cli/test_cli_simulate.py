"""``holdfast simulate``: files, numbers, and what stays as it is."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from holdfast.simulate import figure_tables
from tests.cli.studies import run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make a figure that takes no time."""
    folder = tmp_path_factory.mktemp("made") / "four"
    return folder, run("simulate", "figure4", "--out", folder, "--seed", 7)


def test_picture_and_tables_are_written_and_named(made):
    folder, result = made
    assert result.exit_code == 0, result.stderr
    names = ("figure4.png", "figure4.svg", "figure4_frequencies.csv", "figure4_curves.csv")
    first, *said = result.stderr.splitlines()
    assert first.startswith("expected: about 1 s")
    assert said == [f"written: {folder / name}" for name in names]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    table = pd.read_csv(folder / "figure4_curves.csv")
    wanted = figure_tables(4, random_state=7)["curves"]
    pd.testing.assert_frame_equal(table, wanted)


def test_main_numbers_are_printed(made):
    lines = made[1].stdout.splitlines()
    assert lines[0] == "How often features are selected, by true effect"
    assert lines[2].split()[:3] == ["selector", "samples", "effect"]
    assert lines[-1].split()[:2] == ["t_score", "10,000"]


@pytest.mark.slow
def test_files_stay_unless_forced(made, tmp_path):
    (tmp_path / "figure4.svg").write_text("mine", encoding="utf-8")
    result = run("simulate", "4", "--out", tmp_path)
    assert result.exit_code == 1
    assert "figure4.svg: this file is there" in result.stderr
    assert "expected" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["figure4.svg"]
    again = run("simulate", "4", "--out", tmp_path, "--force", "--json", "--quiet")
    assert (again.exit_code, again.stderr) == (0, "")
    assert (tmp_path / "figure4.svg").read_text(encoding="utf-8").startswith("<svg")
    told = json.loads(again.stdout)
    assert told["figure"] == 4
    assert told["seed"] == 0
    assert told["full"] is False
    assert len(told["main"]) == 7
    assert str(tmp_path / "figure4.png") in told["files"]


@pytest.mark.parametrize("name", ["figure2", "2", "10", "sixth"])
def test_other_figures_are_wrong_usage(name):
    result = run("simulate", name)
    assert result.exit_code == 2
    assert "no figure is called" in result.stderr
    assert "figure" in result.stderr.partition("called")[2]


def test_the_figures_that_there_are_are_named():
    said = run("simulate", "figure1").stderr
    assert "Known: figure3 to figure9. Fig. 1 is holdfast.theory.stability_surface." in said
    assert "Did you mean 'figure6'?" in run("simulate", "figur6").stderr


def test_a_folder_that_cannot_be_used_is_reported_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("simulate", "figure4", "--out", tmp_path / "file" / "four")
    assert result.exit_code == 1
    assert "the folder cannot be created (Not a directory); use another" in result.stderr
    assert "expected" not in result.stderr

    def no_file(**_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("holdfast.cli._reproduce_run.TemporaryFile", no_file)
    result = run("simulate", "figure4", "--out", tmp_path)
    assert result.exit_code == 1
    assert "files cannot be written there (Read-only file system)" in result.stderr
    assert "expected" not in result.stderr
