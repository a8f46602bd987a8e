"""Damaged units are named, never read as if they were sound, and can be computed again."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import FileFormatError, StoreError
from holdfast.study._storage._checksums import CONTENT_TABLES, read_units
from holdfast.study._storage._store import FILE, Store, UnitResult
from tests.study.inline import work_here
from tests.study.run_folders import tables
from tests.study.small_data import small_data
from tests.study.stores import Made, full, subsamples

GOLDEN = Path(__file__).parents[1] / "golden" / "store_version4"
MADE = Made(resamples=subsamples(30, 4))


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a store with eight units."""
    full(MADE, tmp_path / "run").close()
    return tmp_path / "run"


def edit(folder, statement, *arguments):
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        assert connection.execute(statement, arguments).rowcount


UNIT_EDITS = {
    "a number": "UPDATE preferences SET data = x'05000000' || substr(data, 5) {where}",
    "a row is gone": "DELETE FROM predictions {where} AND size = 2",
    "all predictions are gone": "DELETE FROM predictions {where}",
    "the unit is gone": "DELETE FROM units {where}",
    "the status": "UPDATE units SET status = 'failed' {where}",
    "the message": "UPDATE units SET message = 'no' {where}",
    "the checksum": "UPDATE units SET checksum = x'00' {where}",
    "a form": "UPDATE preferences SET form = 'subset' {where}",
    "a size": "UPDATE predictions SET size = 3 {where} AND size = 2",
    "a type": "UPDATE preferences SET data = 'text' {where}",
    "scores": "UPDATE predictions SET scores = NULL {where}",
    "a row more": "INSERT INTO groups VALUES (1, 2, 0, 3, x'03000000')",
    "a value more": "INSERT INTO subset_values VALUES (1, 2, 0.5)",
    "text that is not UTF-8": "UPDATE units SET message = CAST(x'ff' AS TEXT) {where}",
}


@pytest.mark.parametrize("change", UNIT_EDITS)
def test_a_changed_unit_is_named_and_gives_no_numbers(change, folder):
    edit(folder, UNIT_EDITS[change].format(where="WHERE selector = 1 AND resample = 2"))
    found = hf.check(folder)
    assert not found.intact
    assert found.damage[["selector", "resample"]].to_numpy().tolist() == [["two", 2]]
    words = r"two on resample 2: .*holdfast resume .*run --repair"
    for name in ("stability", "errors", "frequencies", "predictions", "values", "failures"):
        with pytest.raises(FileFormatError, match=words):
            getattr(hf.load(folder), name)


def test_damage_of_several_units_is_listed_in_order(folder):
    edit(folder, "UPDATE preferences SET data = x'' WHERE resample = 1")
    edit(folder, "DELETE FROM preferences WHERE selector = 0 AND resample = 3")
    units = hf.check(folder).damage[["selector", "resample"]].to_numpy().tolist()
    assert units == [["one", 1], ["one", 3], ["two", 1]]


@pytest.mark.parametrize("selector", [7, -1, "'x'"])
def test_rows_of_no_unit_are_damage(selector, folder):
    edit(folder, f"INSERT INTO subset_values VALUES ({selector}, 0, 0.5)")
    (row,) = hf.check(folder).damage.to_dict("records")
    assert row["problem"] == "its table subset_values has rows of no unit"
    with pytest.raises(FileFormatError, match="rows of no unit"):
        _ = hf.load(folder).values


PLAN_EDITS = {
    "a feature": "UPDATE features SET name = 'g' WHERE feature = 3",
    "a direction": "UPDATE features SET direction = 0 WHERE feature = 3",
    "a label": "UPDATE classes SET label = 'c' WHERE class = 1",
    "a sample": "UPDATE samples SET class = 0 WHERE sample = 1",
    "a subject": "UPDATE samples SET subject = 's' WHERE sample = 1",
    "a selector": "UPDATE selectors SET name = 'three' WHERE selector = 1",
    "a classifier": "UPDATE classifiers SET name = 'svm'",
    "a resample": "UPDATE resamples SET train = test WHERE resample = 0",
    "a role": "UPDATE resamples SET role = 'outer' WHERE resample = 0",
    "the plan": "UPDATE facts SET value = replace(value, 'jaccard', 'ochiai') WHERE name = 'plan'",
    "another fact": "INSERT INTO facts VALUES ('until', 'null')",
    "the checksum": "DELETE FROM facts WHERE name = 'checksum'",
    "a form that no version has": "UPDATE preferences SET form = 'form'",
}


@pytest.mark.parametrize("change", PLAN_EDITS)
def test_a_changed_plan_is_refused(change, folder):
    edit(folder, PLAN_EDITS[change])
    for use in (hf.load, hf.check, lambda path: hf.resume(path, repair=True)):
        with pytest.raises(FileFormatError, match="restore it from a copy"):
            use(folder)


def test_times_and_versions_have_no_checksum(folder):
    edit(folder, "UPDATE timings SET selection = 9")
    edit(folder, "UPDATE runs SET started = 'yesterday'")
    assert hf.check(folder).intact
    assert set(hf.load(folder).timings["selection"]) == {9}


def test_a_merge_refuses_a_damaged_part_and_writes_nothing(folder, tmp_path):
    full(MADE, tmp_path / "other").close()
    edit(folder, "DELETE FROM predictions WHERE selector = 0 AND resample = 0")
    with pytest.raises(FileFormatError, match="one on resample 0"):
        hf.merge([tmp_path / "other", folder], tmp_path / "whole")
    assert [path.name for path in (tmp_path / "whole").iterdir()] == [".lock"]


def test_parts_of_an_earlier_version_are_merged_as_they_are(tmp_path):
    for name in "ab":
        shutil.copytree(GOLDEN, tmp_path / name)
    before = (tmp_path / "a" / FILE).read_bytes()
    result = hf.merge([tmp_path / "a", tmp_path / "b"], tmp_path / "whole")
    assert result.n_done == hf.load(GOLDEN).n_done
    assert hf.check(tmp_path / "whole").intact
    assert (tmp_path / "a" / FILE).read_bytes() == before
    assert not [path for path in (tmp_path / "whole").iterdir() if "part" in path.name]


def run(folder):
    study = hf.Study(
        ["t_score", "relieff"],
        protocol=hf.Subsampling(30, 0.9),
        sizes=[3],
        classifiers=["knn3"],
        replication=0,
    )
    return study.run(*small_data(20), out=folder, n_jobs=1)


def test_a_repair_computes_damaged_units_again_to_the_bit(tmp_path, monkeypatch, caplog):
    work_here(monkeypatch)
    run(tmp_path / "run")
    expected = tables(tmp_path / "run")
    edit(tmp_path / "run", "UPDATE preferences SET data = x'' WHERE resample IN (4, 17)")
    edit(tmp_path / "run", "DELETE FROM units WHERE resample = 9")
    edit(tmp_path / "run", "INSERT INTO groups VALUES (9, 'x', 0, 0, x'')")
    for refused in (lambda: hf.resume(tmp_path / "run", n_jobs=1), lambda: run(tmp_path / "run")):
        with pytest.raises(FileFormatError, match=r"7 units of this store are damaged.*--repair"):
            refused()
    assert hf.resume(tmp_path / "run", n_jobs=1, repair=True).complete
    assert "7 units were damaged and will be computed again" in caplog.text
    assert tables(tmp_path / "run") == expected
    assert hf.check(tmp_path / "run").intact


def test_a_repair_of_an_intact_study_changes_nothing(tmp_path, monkeypatch):
    work_here(monkeypatch)
    run(tmp_path / "run")
    before = (tmp_path / "run" / FILE).read_bytes()
    hf.resume(tmp_path / "run", n_jobs=1, repair=True)
    assert (tmp_path / "run" / FILE).read_bytes() == before


def test_saved_data_are_checked_too(tmp_path):
    shutil.copytree(GOLDEN, tmp_path / "run")
    assert hf.check(tmp_path / "run").has_data
    with np.load(tmp_path / "run" / "data.npz") as parts:
        changed = {**parts, "X": parts["X"] + 1}
    np.savez(tmp_path / "run" / "data.npz", **changed)
    with pytest.raises(StoreError, match="the data have changed"):
        hf.check(tmp_path / "run")


def test_a_store_in_memory_is_not_verified():
    store = full(MADE)
    store.connection.execute("DELETE FROM predictions WHERE resample = 0")
    store.verify()
    assert store.damaged_units()


indices = st.lists(st.integers(0, 11), unique=True).map(lambda row: np.array(row, "<i4").tobytes())
results = st.builds(
    UnitResult,
    st.just(0),
    st.just(0),
    preferences=st.lists(
        st.tuples(st.sampled_from(["top", "ranks", "weights"]), st.binary(max_size=9)),
        unique_by=lambda row: row[0],
    ),
    groups=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), indices), unique_by=lambda row: row[0]
    ),
    subset_values=st.lists(st.tuples(st.floats(allow_nan=False) | st.just(-0.0)), max_size=1),
    predictions=st.lists(
        st.tuples(
            st.integers(0, 3), st.integers(0, 3), indices, st.none() | st.binary(), st.none()
        ),
        unique_by=lambda row: row[:2],
    ),
)


@given(results)
def test_what_is_written_has_the_checksum_of_what_is_read(result):
    store = Store.create(None)
    store.add([result])
    (unit,) = read_units(store.connection, 0)
    assert [(unit.checksum(),)] == store.query("SELECT checksum FROM units")


def test_every_column_of_results_is_covered():
    store = Store.create(None)
    for table, content in CONTENT_TABLES.items():
        columns = [row[1] for row in store.query(f"PRAGMA table_info({table})")]
        assert columns == ["selector", "resample", *content.columns]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", [FILE, "data.npz"])
def test_a_pipe_is_not_waited_for(name, tmp_path):
    folder = shutil.copytree(GOLDEN, tmp_path / "run")
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises((StoreError, FileFormatError), match="regular file"):
        hf.check(folder)
