"""Studies that were run in parts."""

import dataclasses
import itertools
import json
import warnings

import numpy as np
import pytest

from holdfast.errors import HoldfastWarning, InvalidInputError, StoreError
from holdfast.study import load
from holdfast.study._storage._folder_lock import folder_lock
from holdfast.study._storage._merge import merge
from holdfast.study._storage._store import FILE, Store, integers
from tests.study.stores import Made, full, refresh_checksums, subsamples

UNITS = list(itertools.product(range(2), range(6)))
RESULTS = ("units", "preferences", "predictions", "timings", "resamples", "features", "samples")


@pytest.fixture
def made():
    return Made(resamples=subsamples(30, 6))


def contents(folder, tables=RESULTS):
    store = Store.open(folder / FILE)
    return {table: sorted(store.query(f"SELECT * FROM {table}"), key=repr) for table in tables}


def part(made, folder, done, **options):
    full(made, folder, skip=[unit for unit in UNITS if unit not in done], **options).close()
    return folder


def test_parts_make_the_whole(made, tmp_path):
    full(made, tmp_path / "all").close()
    shares = [UNITS[i::3] for i in range(3)]
    folders = [part(made, tmp_path / str(i), share) for i, share in enumerate(shares)]
    result = merge(folders, tmp_path / "out")
    assert result.complete
    assert contents(tmp_path / "out") == contents(tmp_path / "all")
    assert result.stability.equals(load(tmp_path / "all").stability)
    assert result.errors.equals(load(tmp_path / "all").errors)
    assert (tmp_path / "out" / "plan.json").read_bytes() == (folders[0] / "plan.json").read_bytes()


def test_a_merged_study_may_be_incomplete_and_gone_on_with(made, tmp_path):
    folders = [part(made, tmp_path / str(i), UNITS[i : i + 3]) for i in range(2)]
    result = merge(folders, tmp_path / "out")
    assert result.n_done == 4
    store = Store.open(tmp_path / "out" / FILE, write=True)
    with store.transaction():
        store.add([made.outcome(*unit) for unit in UNITS if unit not in store.finished_units()])
    full(made, tmp_path / "all").close()
    assert load(tmp_path / "out").complete
    assert contents(tmp_path / "out") == contents(tmp_path / "all")


def test_done_beats_failed_in_either_order(made, tmp_path):
    full(made, tmp_path / "bad", failed=UNITS[:3], skip=UNITS[6:]).close()
    full(made, tmp_path / "good", failed=UNITS[5:6]).close()
    for number, names in enumerate((("bad", "good"), ("good", "bad"))):
        result = merge([tmp_path / name for name in names], tmp_path / f"out{number}")
        assert result.complete
        assert result.failures.empty


def test_failures_of_all_parts_are_kept(made, tmp_path):
    full(made, tmp_path / "a", failed=[(0, 0)], skip=UNITS[6:]).close()
    full(made, tmp_path / "b", failed=[(1, 5)], skip=UNITS[:6]).close()
    result = merge([tmp_path / "a", tmp_path / "b"], tmp_path / "out")
    assert result.failures[["selector", "resample"]].values.tolist() == [["one", 0], ["two", 5]]


def test_units_done_twice_alike_are_taken_once_in_silence(made, tmp_path):
    folders = [part(made, tmp_path / name, UNITS) for name in "ab"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        merge(folders, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(tmp_path / "a")


def test_units_done_twice_differently_keep_the_first_and_warn(made, tmp_path):
    part(made, tmp_path / "a", UNITS[:8])
    part(made, tmp_path / "b", UNITS)
    store = Store.open(tmp_path / "b" / FILE, write=True)
    with store.transaction():
        run = store.connection.execute
        run(
            "UPDATE preferences SET data = ? WHERE selector = 0 AND resample = 1",
            (integers([5, 6, 7, 8]),),
        )
        run("UPDATE predictions SET scores = NULL WHERE selector = 0 AND resample = 1")
        run("DELETE FROM predictions WHERE selector = 0 AND resample = 2 AND size = 4")
        run("UPDATE predictions SET scores = NULL WHERE selector = 1 AND resample = 5")
    refresh_checksums(store)
    with pytest.warns(HoldfastWarning, match="^2 units"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "out")
    first, whole = (contents(tmp_path / name, ("preferences",)) for name in ("a", "out"))
    assert set(first["preferences"]) <= set(whole["preferences"])


def test_three_ways_of_doing_a_unit_are_counted(made, tmp_path):
    folders = [part(made, tmp_path / str(i), UNITS[:2], seed=i) for i in range(3)]
    with pytest.warns(HoldfastWarning, match="^4 units"):
        merge(folders, tmp_path / "out")


def test_runs_are_kept_and_numbered_on(made, tmp_path):
    folders = [part(made, tmp_path / str(i), UNITS[i::3]) for i in range(3)]
    merge(folders[:2], tmp_path / "some")
    result = merge([tmp_path / "some", folders[2]], tmp_path / "out")
    assert result.versions["run"].tolist() == [0, 1, 2]
    assert result.versions["where"].tolist() == [str(folder) for folder in folders]


def test_saved_data_are_taken_from_whoever_has_them(made, tmp_path):
    folders = [part(made, tmp_path / str(i), UNITS[i::2]) for i in range(2)]
    np.savez(folders[1] / "data.npz", X=np.arange(3))
    merge(folders, tmp_path / "out")
    copied = (tmp_path / "out" / "data.npz").read_bytes()
    assert copied == (folders[1] / "data.npz").read_bytes()
    names = {path.name for path in (tmp_path / "out").iterdir()} - {".lock"}
    assert names == {FILE, "plan.json", "data.npz"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 1}, "seed: 0 there, 1 here"),
        ({"sizes": (2, 5)}, r"sizes: \[2, 4\] there, \[2, 5\] here"),
        (
            {"selectors": ("one", "three")},
            r'selectors: \["one", "two"\] there, \["one", "three"\] here',
        ),
        ({"n": 31}, "data.n_samples: 30 there, 31 here"),
        ({"measures": ("nogueira",)}, "measures: .* there, .* here"),
    ],
)
def test_other_plans_are_refused_by_their_first_difference(made, tmp_path, change, words):
    part(made, tmp_path / "a", UNITS)
    other = dataclasses.replace(made, **{"y": None, **change})
    other.store(tmp_path / "b").close()
    with pytest.raises(InvalidInputError, match=words):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def change_plan(folder, path, value):
    store = Store.open(folder / FILE, write=True)
    with store.transaction():
        store.connection.execute(
            "UPDATE facts SET value = json_set(value, ?, json(?)) WHERE name = 'plan'",
            (path, json.dumps(value)),
        )
    refresh_checksums(store)
    store.close()


def test_sentences_and_blocks_of_plans_may_differ(made, tmp_path):
    folders = [part(made, tmp_path / str(i), UNITS[i::2]) for i in range(2)]
    change_plan(folders[1], "$.protocol.estimates", "In other words.")
    change_plan(folders[1], "$.selectors[0].block", 99)
    assert merge(folders, tmp_path / "out").complete


def test_other_places_of_the_same_data_are_merged(made, tmp_path):
    folders = [part(made, tmp_path / str(i), UNITS[i::2]) for i in range(2)]
    for folder in folders:
        change_plan(folder, "$.data.source", {"file": f"{folder.name}.csv"})
    result = merge(folders, tmp_path / "out")
    assert result.complete
    assert result.plan["data"]["source"] == {"file": "0.csv"}


def test_the_target_must_be_new_or_empty(made, tmp_path):
    folder = part(made, tmp_path / "a", UNITS)
    (tmp_path / "out").mkdir()
    assert merge([folder], tmp_path / "out").complete
    with pytest.raises(StoreError, match="new or an empty"):
        merge([folder], tmp_path / "out")
    with pytest.raises(StoreError, match="new or an empty"):
        merge([folder], folder)


def test_what_is_no_list_of_studies_is_refused(made, tmp_path):
    folder = part(made, tmp_path / "a", UNITS)
    with pytest.raises(InvalidInputError, match="list of folders"):
        merge([], tmp_path / "out")
    with pytest.raises(InvalidInputError, match="list of folders"):
        merge(str(folder), tmp_path / "out")
    with pytest.raises(InvalidInputError, match="list of folders"):
        merge(folder, tmp_path / "out")
    with pytest.raises(InvalidInputError, match="must be given once"):
        merge([folder, tmp_path / "b" / ".." / "a"], tmp_path / "out")
    with pytest.raises(StoreError, match="no such folder"):
        merge([folder, tmp_path / "nowhere"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_running_studies_are_not_merged(made, tmp_path):
    folders = [part(made, tmp_path / str(i), UNITS) for i in range(2)]
    with folder_lock(folders[1]), pytest.raises(StoreError, match="another run"):
        merge(folders, tmp_path / "out")
    assert merge(folders, tmp_path / "out").complete


def test_a_crash_leaves_nothing_behind(made, tmp_path, monkeypatch):
    folders = [part(made, tmp_path / str(i), UNITS) for i in range(2)]

    def full_disk(*_):
        raise OSError("no space left")

    monkeypatch.setattr("holdfast.study._storage._merge.shutil.copyfile", full_disk)
    with pytest.raises(StoreError, match="no space left"):
        merge(folders, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} <= {".lock"}
    monkeypatch.undo()
    assert merge(folders, tmp_path / "out").complete
