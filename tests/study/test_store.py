"""The SQLite file of a run, and the folder it lies in."""

import shutil
import sqlite3
from contextlib import closing
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import FileFormatError, HoldfastWarning, StoreError
from holdfast.resample import Resample
from holdfast.study._storage import _schema as schema
from holdfast.study._storage._store import (
    Store,
    UnitResult,
    floats,
    integers,
    to_floats,
    to_integers,
)
from tests.study.runs import locked_or_waiting

STORES = Path(__file__).parents[1] / "golden"
GOLDEN = STORES / "store_version1"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_numbers_come_back_as_they_went_in():
    assert to_integers(integers([3, 1, 2])).tolist() == [3, 1, 2]
    values = np.array([0.1, -np.inf, 5e-324])
    assert np.array_equal(to_floats(floats(values)), values)
    assert integers(np.array([1], dtype=">i8")) == b"\x01\0\0\0"


def test_resamples_come_back_as_they_went_in():
    given = [
        Resample(np.array([0, 0, 2]), np.array([1])),
        Resample(np.array([1]), np.array([], dtype=int), role="inner", outer=3, draw=7),
        Resample(np.array([1]), np.array([0]), features=np.array([4, 5]), noise=0.25),
    ]
    store = Store.create(None)
    store.add_resamples(given)
    for one, other in zip(given, store.resamples(), strict=True):
        assert one.train.tolist() == other.train.tolist()
        assert one.test.tolist() == other.test.tolist()
        assert (one.role, one.outer, one.noise, one.draw) == (
            other.role,
            other.outer,
            other.noise,
            other.draw,
        )
        assert (one.features is None) == (other.features is None)
    assert store.resamples()[2].features.tolist() == [4, 5]


def test_a_failure_is_replaced_by_success():
    store = Store.create(None)
    store.add([UnitResult(0, 0, "ValueError: no"), UnitResult(0, 1, preferences=[("top", b"")])])
    assert store.finished_units() == {(0, 1)}
    store.add([UnitResult(0, 0, preferences=[("top", integers([1]))])])
    assert store.finished_units() == {(0, 0), (0, 1)}
    assert store.query("SELECT count(*) FROM units WHERE message IS NOT NULL") == [(0,)]


def test_a_transaction_is_all_or_nothing(tmp_path):
    store = Store.create(tmp_path / "study.sqlite")
    with pytest.raises(StoreError, match="UNIQUE"), store.transaction():
        store.add([UnitResult(0, 0, preferences=[("top", b""), ("top", b"")])])
    assert store.finished_units() == set()
    with store.transaction():
        store.add([UnitResult(0, 0)])
    store.close()
    assert Store.open(tmp_path / "study.sqlite").finished_units() == {(0, 0)}


def test_the_file_says_whose_it_is_and_has_no_companions(tmp_path):
    path = tmp_path / "study.sqlite"
    Store.create(path).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION
    assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION
    assert names(tmp_path) == ["study.sqlite"]


def test_other_files_are_refused(tmp_path):
    with pytest.raises(StoreError, match="no study in this folder"):
        Store.open(tmp_path / "study.sqlite")
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, but long enough to look like one " * 20)
    with pytest.raises(FileFormatError, match="not an intact store"):
        Store.open(text)
    foreign = tmp_path / "foreign.sqlite"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE x (y)")
    connection.close()
    with pytest.raises(FileFormatError, match="not a store of a holdfast study"):
        Store.open(foreign)
    newer = tmp_path / "newer.sqlite"
    Store.create(newer).close()
    connection = sqlite3.connect(newer)
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    with pytest.raises(FileFormatError, match="upgrade holdfast"):
        Store.open(newer)


def test_an_old_store_is_upgraded_on_a_copy_when_it_is_written_to(tmp_path):
    path = tmp_path / "study.sqlite"
    shutil.copyfile(GOLDEN / "study.sqlite", path)
    before = path.read_bytes()
    with closing(Store.open(path, write=True)) as upgraded:
        assert upgraded.query("PRAGMA user_version") == [(schema.VERSION,)]
        upgraded.verify()
    assert (tmp_path / "study.version1.sqlite").read_bytes() == before
    assert names(tmp_path) == ["study.sqlite", "study.version1.sqlite"]


def test_reading_an_old_store_changes_nothing(tmp_path):
    path = tmp_path / "study.sqlite"
    shutil.copyfile(GOLDEN / "study.sqlite", path)
    before = path.read_bytes()
    with closing(Store.open(path)) as copy:
        assert copy.is_copy
        copy.verify()
        assert len(copy.finished_units()) == 12
    assert path.read_bytes() == before
    assert names(tmp_path) == ["study.sqlite"]


def test_a_store_is_not_upgraded_under_a_run_of_an_earlier_version(tmp_path):
    shutil.copytree(GOLDEN, tmp_path / "run")
    before = (tmp_path / "run" / "study.sqlite").read_bytes()
    with locked_or_waiting(tmp_path / "run"):  # as earlier versions locked it
        with pytest.raises(StoreError, match="a run of an earlier version of holdfast"):
            hf.resume(tmp_path / "run", n_jobs=1)
        assert hf.load(tmp_path / "run").complete
    assert (tmp_path / "run" / "study.sqlite").read_bytes() == before
    assert not list((tmp_path / "run").glob("study.*sqlite*"))[1:]


def test_an_upgrade_that_fails_leaves_the_store_alone(tmp_path, monkeypatch):
    path = tmp_path / "study.sqlite"
    shutil.copyfile(GOLDEN / "study.sqlite", path)
    before = path.read_bytes()
    monkeypatch.setitem(schema.UPGRADES, 3, lambda connection: connection.execute("nonsense"))
    for write in (False, True):
        with pytest.raises(StoreError, match="nonsense"):
            Store.open(path, write=write)
    assert path.read_bytes() == before
    assert names(tmp_path) == ["study.sqlite"]


@pytest.mark.parametrize("version", [1, 4])
def test_a_store_of_an_earlier_version_is_still_read(version, tmp_path):
    golden = STORES / f"store_version{version}"
    shutil.copytree(golden, tmp_path / "run")
    result = hf.load(tmp_path / "run")
    for name in ("stability", "errors"):
        ours = pd.read_csv(StringIO(getattr(result, name).to_csv(index=False)))
        expected = pd.read_csv(golden / f"{name}.csv")
        pd.testing.assert_frame_equal(ours[list(expected)], expected, rtol=1e-12)
    assert result.complete
    assert result.values.empty == (version == 1)
    assert hf.check(tmp_path / "run").intact
    assert hf.resume(tmp_path / "run", n_jobs=1).complete


def test_a_store_that_says_no_depth_keeps_as_many_features_as_it_did(tmp_path):
    shutil.copytree(GOLDEN, tmp_path / "run")
    store = Store.open(tmp_path / "run" / "study.sqlite", write=True)
    before = store.query("SELECT selector, resample, form, data FROM preferences ORDER BY 1, 2, 3")
    for table in ("units", "preferences", "predictions"):
        store.connection.execute(f"DELETE FROM {table} WHERE resample = 0")
    store.connection.execute("DELETE FROM runs")  # versions may differ
    store.close()
    result = hf.resume(tmp_path / "run", n_jobs=1)
    assert result.depth == max(result.plan["sizes"])
    after = result.store.query(
        "SELECT selector, resample, form, length(data) FROM preferences ORDER BY 1, 2, 3"
    )
    assert after == [(*key, len(data)) for *key, data in before]


def test_other_versions_than_before_are_reported(tmp_path):
    shutil.copytree(GOLDEN, tmp_path / "run")
    store = Store.open(tmp_path / "run" / "study.sqlite", write=True)
    store.connection.execute("DELETE FROM units WHERE resample = 0")
    store.connection.execute("DELETE FROM preferences WHERE resample = 0")
    store.connection.execute("DELETE FROM predictions WHERE resample = 0")
    store.connection.execute("UPDATE runs SET versions = json_set(versions, '$.numpy', '1.0')")
    store.close()
    with pytest.warns(HoldfastWarning, match=r"numpy was 1\.0 and is"):
        assert hf.resume(tmp_path / "run", n_jobs=1).complete


def test_a_folder_that_cannot_be_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    study = hf.Study("t_score", protocol=hf.Subsampling(2), sizes=[1], classifiers=())
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    with pytest.raises(StoreError, match="cannot be created"):
        study.run(X, y, out=tmp_path / "file" / "run", n_jobs=1)
    with pytest.raises(StoreError, match="not empty and holds no study"):
        study.run(X, y, out=tmp_path, n_jobs=1)
    assert names(tmp_path) == ["file"]
