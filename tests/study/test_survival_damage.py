"""A store that is cut off, or somebody else's, is refused by name and left as it is."""

import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileFormatError, StoreError
from holdfast.study import load
from holdfast.study._storage._store import FILE
from tests.study.runs import STUDY, undisturbed
from tests.study.small_data import small_data

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return undisturbed(tmp_path_factory)


@pytest.fixture
def folder(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    return tmp_path / "run"


def assert_refused(folder):
    before = (folder / FILE).read_bytes()
    for use in (
        lambda: load(folder),
        lambda: hf.resume(folder, n_jobs=1, trust=True),
        lambda: hf.Study(**STUDY).run(*small_data(), out=folder, n_jobs=1),
    ):
        with pytest.raises(FileFormatError, match=r"run/study.sqlite: ") as raised:
            use()
        assert "Traceback" not in str(raised.value)
    assert (folder / FILE).read_bytes() == before


@pytest.mark.parametrize("share", [0, 1e-4, 0.01, 0.02, 0.1, 0.5, 0.77, 0.985, 0.9999])
def test_a_store_that_is_cut_off_is_refused_and_left_alone(share, folder):
    content = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(content[: int(share * len(content))])
    assert_refused(folder)


def test_random_bytes_are_no_store(folder):
    (folder / FILE).write_bytes(np.random.default_rng(0).bytes(50_000))
    assert_refused(folder)


def test_a_text_is_no_store(folder):
    (folder / FILE).write_text("not what you expect\n" * 1000)
    assert_refused(folder)


def test_a_database_of_another_program_is_no_store(folder):
    (folder / FILE).unlink()
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("CREATE TABLE facts (name TEXT, value TEXT)")
    assert_refused(folder)


def test_a_store_overwritten_in_the_middle_is_refused_and_left_alone(folder):
    content = bytearray((folder / FILE).read_bytes())
    content[8192:20480] = np.random.default_rng(0).bytes(12288)
    (folder / FILE).write_bytes(content)
    assert_refused(folder)


def test_saved_data_that_are_cut_off_are_refused(folder):
    content = (folder / "data.npz").read_bytes()
    (folder / "data.npz").write_bytes(content[: len(content) // 2])
    with pytest.raises(FileFormatError, match=r"data.npz: the saved data cannot be read"):
        hf.resume(folder, n_jobs=1, trust=True)


def test_saved_data_that_changed_are_refused(folder):
    with np.load(folder / "data.npz") as parts:
        changed = {**parts, "X": parts["X"] + 1}
    np.savez(folder / "data.npz", **changed)
    with pytest.raises(StoreError, match=r"the data have changed since the study began"):
        hf.resume(folder, n_jobs=1, trust=True)


def test_other_peoples_files_are_not_written_among(tmp_path):
    (tmp_path / "thesis.doc").touch()
    with pytest.raises(StoreError, match=r"the folder is not empty and holds no study"):
        hf.Study(**STUDY).run(*small_data(), out=tmp_path, n_jobs=1)
