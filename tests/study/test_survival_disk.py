"""A full disk, a read-only folder, a second run: clear errors, and nothing is lost."""

import os
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing, contextmanager

import pytest

import holdfast as hf
from holdfast.errors import StoreError
from holdfast.study._result import Result
from holdfast.study._storage._store import FILE, Store
from tests.conftest import missing
from tests.study.run_folders import contents, units
from tests.study.runs import STUDY, Order, Started, finished, undisturbed
from tests.study.small_data import small_data

pytestmark = pytest.mark.integration

TINY = {
    "selectors": "t_score",
    "protocol": hf.Subsampling(10, 0.9),
    "sizes": [5],
    "classifiers": (),
    "replication": 0,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return undisturbed(tmp_path_factory)


def test_a_disk_that_fills_ends_the_run_and_it_goes_on_when_there_is_room(whole, tmp_path):
    folder = tmp_path / "run"
    limit = (whole / FILE).stat().st_size - 16384
    said = finished(tmp_path, Order(folder, STUDY, {"n_jobs": 1}, file_limit=limit))
    assert said["error"] == "StoreError"
    assert "is the disk full" in said["message"]
    assert 0 < len(units(folder)) < 600
    assert finished(tmp_path, Order(folder, None, {"n_jobs": 1})) == {"error": None}
    assert contents(folder, tmp_path) == contents(whole, tmp_path)


def test_a_disk_without_room_to_begin_is_reported_and_what_it_left_is_no_hindrance(tmp_path):
    folder = tmp_path / "run"
    for limit, save_data, message in [
        (10_000, True, r"data.npz: the data cannot be saved \(File too large\)"),
        (1_000, False, r"plan.json: the file cannot be written \(File too large\)"),
        (10_000, False, r"sqlite: the store cannot be used .* is the disk full"),
    ]:
        options = {"n_jobs": 1, "save_data": save_data}
        said = finished(tmp_path, Order(folder, TINY, options, file_limit=limit))
        assert said["error"] == "StoreError"
        assert re.search(message, said["message"])
    assert finished(tmp_path, Order(folder, TINY, {"n_jobs": 1})) == {"error": None}
    assert len(units(folder)) == 10


def test_no_room_for_the_data_that_processes_share_is_reported(tmp_path):
    order = Order(tmp_path / "run", TINY, {"n_jobs": 1, "save_data": False}, features=2000)
    order.file_limit = 500_000  # enough for the store, too little for the data
    said = finished(tmp_path, order)
    assert said["error"] == "StoreError"
    assert "the data cannot be shared with the workers" in said["message"]


def test_of_two_runs_started_at_once_in_one_folder_one_is_refused(whole, tmp_path):
    folder = tmp_path / "run"
    runs = [Started(tmp_path, Order(folder, STUDY, {"n_jobs": 1})) for _ in range(2)]
    refused = [said for run in runs if (said := run.wait())["error"]]
    assert [said["error"] for said in refused] == ["StoreError"]
    assert "another run is using this folder" in refused[0]["message"]
    assert contents(folder, tmp_path) == contents(whole, tmp_path)


@contextmanager
def read_only(folder):
    """Let nobody write into a folder, not even the superuser."""
    if os.getuid() != 0:
        folder.chmod(0o555)
        yield
        folder.chmod(0o755)
        return
    mount("--bind", str(folder), str(folder))
    try:
        mount("-o", "remount,bind,ro", str(folder))
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def mount(*words):
    done = subprocess.run(["mount", *words], check=False, capture_output=True, text=True)
    if done.returncode:
        missing("mount", f"a folder cannot be made read-only for the superuser ({done.stderr})")


def test_in_a_read_only_folder_a_study_cannot_begin(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    with read_only(folder), pytest.raises(StoreError, match=r"Read-only|Permission denied"):
        hf.Study(**TINY).run(*small_data(), out=folder, n_jobs=1)
    with read_only(folder), pytest.raises(StoreError, match=r"the folder cannot be created"):
        hf.Study(**TINY).run(*small_data(), out=folder / "deeper", n_jobs=1)


def test_in_a_read_only_folder_a_study_can_be_read_but_not_go_on(whole, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(whole, folder)
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("DELETE FROM units WHERE selector = 0 AND resample < 10")
    with read_only(folder):
        with pytest.raises(StoreError, match=r"Read-only|Permission denied"):
            hf.resume(folder, n_jobs=1, trust=True)
        with closing(Store.open(folder / FILE)) as store:
            assert Result(store).n_done == 590
