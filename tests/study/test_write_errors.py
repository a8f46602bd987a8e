"""Injected write errors lose nothing that was committed, are reported, and a resume is exact."""

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import StoreError
from holdfast.study._storage import _schema, _store
from holdfast.study._storage._store import FILE, Store
from tests.study.inline import work_here
from tests.study.run_folders import tables, units
from tests.study.small_data import small_data

GOLDEN = Path(__file__).parents[1] / "golden" / "store_version4"
CODES = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EROFS": errno.EROFS}
by_code = pytest.mark.parametrize("code", CODES.values(), ids=CODES)
STUDY = {
    "selectors": ["t_score", "relieff"],
    "protocol": hf.Subsampling(30, 0.9),
    "sizes": [3],
    "classifiers": ["knn3"],
    "replication": 0,
}


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch):
    work_here(monkeypatch)


def run(folder):
    return hf.Study(**STUDY).run(*small_data(20), out=folder, n_jobs=1)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the tables of a study that nothing disturbed."""
    with pytest.MonkeyPatch.context() as patch:
        work_here(patch)
        folder = tmp_path_factory.mktemp("whole") / "run"
        run(folder)
    return folder


def failing(code, function, when=lambda *_: True):
    """Return a function that fails with a code whenever its arguments fit."""

    def fail(*arguments, **options):
        if when(*arguments):
            raise OSError(code, os.strerror(code), str(arguments[0]))
        return function(*arguments, **options)

    return fail


def is_named(*names):
    """Return a condition on paths: that one of these names is part of the name."""
    return lambda *arguments: any(
        name in Path(str(path)).name for path in arguments[:2] for name in names
    )


# Files of the folder, which are written before the store exists.


@by_code
def test_a_plan_that_cannot_be_written_leaves_a_folder_to_begin_in(
    code, whole, tmp_path, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(
            Path, "write_bytes", failing(code, Path.write_bytes, is_named(".plan.json.new"))
        )
        with pytest.raises(StoreError, match=rf"plan.json: .*{os.strerror(code)}"):
            run(tmp_path / "run")
    run(tmp_path / "run")
    assert tables(tmp_path / "run") == tables(whole)


@by_code
def test_data_that_cannot_be_saved_leave_a_folder_to_begin_in(code, whole, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", failing(code, np.savez))
        with pytest.raises(StoreError, match=rf"data.npz: .*{os.strerror(code)}"):
            run(tmp_path / "run")
    run(tmp_path / "run")
    assert tables(tmp_path / "run") == tables(whole)


# Transactions: SQLite refuses to write when its file may not grow.


class FullDisk:
    """Limits the pages of new stores, as a full disk does: SQLite reports SQLITE_FULL."""

    def __init__(self, pages):
        self.pages = pages

    def connect(self, address):
        connection = CONNECT(address)
        if "rw" in address.rpartition("mode=")[2]:
            connection.execute(f"PRAGMA max_page_count = {self.pages}")
        return connection


CONNECT = _store._connect_store
PAGE_BYTES = 4096
"""Size of a page of SQLite."""


@pytest.mark.parametrize("share", [0.1, 0.6, 0.75, 0.85, 0.92, 0.97])
def test_a_full_disk_keeps_what_was_committed_and_a_resume_is_exact(
    share, whole, tmp_path, monkeypatch
):
    folder = tmp_path / "run"
    pages = int(share * (whole / FILE).stat().st_size / PAGE_BYTES)
    with monkeypatch.context() as patch:
        patch.setattr(_store, "_connect_store", FullDisk(pages).connect)
        with pytest.raises(StoreError, match="is the disk full"):
            run(folder)
    done = units(folder)
    assert len(done) < 60
    if (folder / FILE).exists():
        assert hf.check(folder).intact
    run(folder)
    assert done.items() <= units(folder).items()
    assert tables(folder) == tables(whole)


def test_a_store_that_turns_read_only_keeps_what_was_committed(whole, tmp_path, monkeypatch):
    folder, add, calls = tmp_path / "run", Store.add, []

    def add_twice(store, results):
        calls.append(results)
        if len(calls) == 3:
            store.connection.execute("PRAGMA query_only = ON")
        add(store, results)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add", add_twice)
        with pytest.raises(StoreError, match="readonly"):
            run(folder)
    done = units(folder)
    assert 0 < len(done) < 60
    run(folder)
    assert tables(folder) == tables(whole)


# Upgrades.


@by_code
@pytest.mark.parametrize("step", ["copy", "keep", "swap"])
def test_an_upgrade_that_cannot_be_written_leaves_the_store(step, code, tmp_path, monkeypatch):
    folder = shutil.copytree(GOLDEN, tmp_path / "run")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with monkeypatch.context() as patch:
        if step == "copy":
            patch.setattr(shutil, "copyfile", failing(code, shutil.copyfile))
        else:
            name = "study.sqlite" if step == "swap" else "study.version4.sqlite"
            fits = lambda source, target: target.name == name  # noqa: E731  (a condition)
            patch.setattr(Path, "replace", failing(code, Path.replace, fits))
        with pytest.raises(StoreError, match=rf"cannot be upgraded.*{os.strerror(code)}"):
            hf.resume(folder, n_jobs=1)
        assert hf.load(folder).complete
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert before.items() <= after.items()
    assert set(after) - set(before) <= {".lock", "study.version4.sqlite"}
    assert hf.resume(folder, n_jobs=1).complete


def test_an_upgrade_on_a_full_disk_leaves_the_store(tmp_path, monkeypatch):
    folder = shutil.copytree(GOLDEN, tmp_path / "run")
    before = (folder / FILE).read_bytes()

    def fill(connection):
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        connection.execute("CREATE TABLE filler AS SELECT randomblob(100000) AS x")

    with monkeypatch.context() as patch:
        patch.setitem(_schema.UPGRADES, 4, fill)
        with pytest.raises(StoreError, match="is the disk full"):
            hf.resume(folder, n_jobs=1)
    assert (folder / FILE).read_bytes() == before
    assert hf.resume(folder, n_jobs=1).complete


# Merges, exports and reports: what they read stays, what they began goes.


@by_code
def test_a_merge_that_cannot_be_written_leaves_no_study(code, whole, tmp_path, monkeypatch):
    before = (whole / FILE).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", failing(code, shutil.copyfile))
        with pytest.raises(StoreError, match=os.strerror(code)):
            hf.merge([whole], tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".lock"]
    assert (whole / FILE).read_bytes() == before
    assert hf.merge([whole], tmp_path / "out").complete
    assert tables(tmp_path / "out") == tables(whole)


def test_a_merge_on_a_full_disk_leaves_no_study(whole, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(_store, "_connect_store", FullDisk(25).connect)
        with pytest.raises(StoreError, match="is the disk full"):
            hf.merge([whole], tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [".lock"]
    assert hf.merge([whole], tmp_path / "out").complete


@by_code
def test_an_export_that_cannot_be_written_leaves_whole_tables(code, whole, tmp_path, monkeypatch):
    result, before = hf.load(whole), (whole / FILE).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", failing(code, Path.replace, is_named("predictions.csv")))
        with pytest.raises(StoreError, match=rf"predictions.csv: .*{os.strerror(code)}"):
            hf.export(result, tmp_path / "tables")
    assert not list((tmp_path / "tables").glob(".*"))
    assert "predictions.csv" not in [path.name for path in (tmp_path / "tables").iterdir()]
    assert (whole / FILE).read_bytes() == before


@pytest.mark.slow
@by_code
def test_a_report_that_cannot_be_written_leaves_the_study(code, whole, tmp_path, monkeypatch):
    result, before = hf.load(whole), (whole / FILE).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", failing(code, Path.replace, is_named("report")))
        patch.setattr(os, "replace", failing(code, os.replace, is_named("report")))
        with pytest.raises(OSError, match=os.strerror(code)):
            result.report(tmp_path / "page")
    assert not list((tmp_path / "page").glob("*.html"))
    assert (whole / FILE).read_bytes() == before
