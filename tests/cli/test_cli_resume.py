"""``holdfast resume``: go on, and come to the same end."""

from __future__ import annotations

import pytest

from tests.cli.studies import SMALL, document, run


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return what a run prints that was never interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return document(run("study", *SMALL, "--out", folder, "--json"))


def test_a_run_that_goes_on_ends_like_one_that_never_stopped(whole, tmp_path):
    folder = tmp_path / "run"
    part = run("study", *SMALL, "--out", folder, "--part", "1/2", "--json")
    assert part.exit_code == 0
    done = document(part)["units"]["done"]
    assert 0 < done < 116
    assert "holdfast merge" in part.stderr
    rest = run("resume", folder, "--n-jobs", 1, "--json", "--export", "csv")
    assert rest.exit_code == 0
    assert document(rest) == whole
    assert f"116 units, {done} of them done already" in rest.stderr
    assert (folder / "tables" / "errors.csv").exists()


@pytest.mark.slow
def test_data_that_moved_are_found_again(tmp_path):
    rows = [f"{i % 7},{i % 3},{i * i % 11},{'ab'[i % 2]}" for i in range(40)]
    before, after = tmp_path / "before.csv", tmp_path / "after.csv"
    before.write_text("\n".join(["x,y,z,class", *rows]))
    small = ["--selectors=f_score", "--sizes=1", "--n-jobs=1", "--protocol=bootstrap(4)"]
    small.append("--replication=0")
    part = run("study", before, *small, "--out", tmp_path / "run", "--part", "1/2")
    assert part.exit_code == 0, part.stderr
    before.rename(after)
    assert run("resume", tmp_path / "run", "--n-jobs", 1).exit_code == 3
    rest = run("resume", tmp_path / "run", "--n-jobs", 1, "--data", after)
    assert rest.exit_code == 0, rest.stderr
    idle = run("resume", tmp_path / "run", "--n-jobs", 1, "--data", after)
    assert "work: nothing was left to do of 4 units." in idle.stderr


def test_a_folder_without_a_study_is_refused(tmp_path):
    result = run("resume", tmp_path)
    assert result.exit_code == 1
    assert "there is no study in this folder" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_folder_at_all_is_refused(tmp_path):
    result = run("resume", tmp_path / "run")
    assert result.exit_code == 1
    assert "there is no such folder" in result.stderr
    assert not (tmp_path / "run").exists()


def test_a_damaged_store_is_bad_data(tmp_path):
    (tmp_path / "study.sqlite").write_bytes(b"no database" * 100)
    result = run("resume", tmp_path)
    assert result.exit_code == 3
    assert result.stderr.count("error: ") == 1
