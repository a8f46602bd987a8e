"""The table of features of a study: the same for all ways to run it, and why it may be empty."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectFpr, f_classif

import holdfast as hf
from holdfast.study._planning._plan import hash_resamples
from holdfast.study._storage._store import Store
from holdfast.study._tables._replication import EARLIER_VERSION, MIN_LISTED_CHANCE
from tests.study.stores import refresh_checksums

GOLDEN = Path(__file__).parents[1] / "golden" / "store_version1"
COLUMNS = ["selector", "size", "feature", "selected", "found_again", "low", "grade"]


def data():
    """Return two classes that differ in the first five of 40 features."""
    rng = np.random.default_rng(0)
    y = np.arange(48) % 2
    X = rng.standard_normal((48, 40))
    X[:, :5] += 1.5 * y[:, np.newaxis]
    return X, y


def study(**more):
    settings = {
        "selectors": ["t_score", "relieff"],
        "sizes": [3, 6],
        "classifiers": (),
        "protocol": hf.Subsampling(6, 0.9),
        "replication": 8,
    }
    return hf.Study(**{**settings, **more})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("features") / "run"
    study().run(*data(), out=path, n_jobs=1)
    return path


@pytest.fixture(scope="module")
def result(folder):
    return hf.load(folder)


def assert_same(one, other):
    pd.testing.assert_frame_equal(one, other, check_exact=True)


def test_features_are_listed_by_selector_and_size(result):
    table = result.features
    assert list(table) == COLUMNS
    by = table.groupby(["selector", "size"], sort=False)
    assert [key for key, _ in by] == [(s, k) for s in ("t_score", "relieff") for k in (3, 6)]
    for (_, size), own in by:
        assert own["selected"].sum() == size
        assert own["found_again"].is_monotonic_decreasing
        assert (own["selected"] | (own["found_again"] >= MIN_LISTED_CHANCE)).all()
        assert (own["low"] <= own["found_again"]).all()
        assert own["found_again"].sum() <= size + 1e-8


@pytest.mark.parametrize("selector", ["t_score", "relieff"])
@pytest.mark.parametrize("size", [3, 6])
def test_they_are_those_of_the_replication_estimate(result, selector, size):
    whole = result.replicated(selector, size).features
    assert len(whole) == 40
    assert whole["found_again"].sum() == pytest.approx(size)
    listed = whole[whole["selected"] | (whole["found_again"] >= MIN_LISTED_CHANCE)]
    rows = result.features["selector"].eq(selector) & result.features["size"].eq(size)
    own = result.features[rows].drop(columns=["selector", "size"])
    assert_same(own.reset_index(drop=True), listed.reset_index(drop=True))


def test_what_is_selected_is_what_the_selector_selects_on_the_full_data(result):
    X, y = data()
    ranks = np.asarray(hf.TScore().rank_resamples(X, y, [np.arange(48)]).values)[0]
    rows = result.features.query("selector == 't_score' and size == 6 and selected")
    names = hf.io.from_arrays(X, y).feature_names
    assert set(rows["feature"]) == {names[at] for at in np.flatnonzero(ranks <= 6)}


@pytest.mark.integration
def test_two_processes_give_the_same(result):
    assert_same(study().run(*data(), n_jobs=2).features, result.features)


@pytest.mark.slow
def test_a_resumed_study_gives_the_same(result, folder, tmp_path):
    study().run(*data(), out=tmp_path / "part", n_jobs=1, part="1/2")
    assert_same(hf.resume(tmp_path / "part", n_jobs=1).features, result.features)
    assert_same(hf.load(folder).features, result.features)


def test_signed_statistics_are_kept_for_halves_and_the_full_data(folder):
    query = (
        "SELECT s.name, r.role, count(*) FROM preferences JOIN selectors s USING (selector) "
        "JOIN resamples r USING (resample) WHERE form = 'signed' GROUP BY 1, 2 ORDER BY 2"
    )
    with closing(sqlite3.connect(folder / "study.sqlite")) as store:
        rows = store.execute(query).fetchall()
        (blob, train) = store.execute(
            "SELECT data, train FROM preferences JOIN resamples USING (resample) "
            "WHERE form = 'signed' AND role = 'half'"
        ).fetchone()
    assert rows == [("t_score", "full", 4), ("t_score", "half", 16)]
    X, y = data()
    own = np.frombuffer(train, "<i4")
    expected = hf.TScore().signed_statistics(X, y, [own])[0]
    np.testing.assert_array_equal(np.frombuffer(blob, "<f8"), expected)


def test_export_writes_them(result, tmp_path):
    paths = {path.name: path for path in hf.export(result, tmp_path)}
    table = pd.read_csv(paths["features.csv"], dtype=str)
    assert list(table) == COLUMNS
    np.testing.assert_array_equal(
        table["found_again"].astype(float), result.features["found_again"]
    )


def test_selectors_of_their_own_size_have_chances():
    X, y = data()
    selectors = {"fpr": SelectFpr(f_classif, alpha=0.01)}
    found = study(selectors=selectors, sizes=None).run(X, y, n_jobs=1)
    whole = found.replicated("fpr").features
    chosen = SelectFpr(f_classif, alpha=0.01).fit(X, y).get_support(indices=True)
    names = hf.io.from_arrays(X, y).feature_names
    assert set(whole.loc[whole["selected"], "feature"]) == {names[at] for at in chosen}
    assert whole["found_again"].sum() == pytest.approx(len(chosen))
    assert set(whole.head(4)["feature"]) <= set(names[:5])
    assert len(found.features) <= len(whole)


@pytest.mark.slow
def test_groups_have_one_row_each():
    found = study(selectors=["kmeans_groups"], sizes=[3]).run(*data(), n_jobs=1)
    table = found.features
    assert list(table) == [*COLUMNS, "members"]
    assert len(table) == 3
    assert table["selected"].all()
    for row in table.itertuples():
        assert row.feature in row.members.split(", ")
    assert table["found_again"].between(0, 1).all()


def test_a_study_without_replication_says_so():
    table = study(replication=0).run(*data(), n_jobs=1).features
    assert list(table) == COLUMNS
    assert len(table) == 0
    assert table.attrs["why_none"] == "it was not asked for"


def fails_on_full_data(X, y):
    if len(y) > 44:
        raise ValueError("too many samples")
    return np.abs(X.mean(axis=0))


def test_a_selector_that_fails_on_the_full_data_has_none():
    selectors = {"broken": fails_on_full_data, "t_score": "t_score"}
    found = study(selectors=selectors, sizes=[3]).run(*data(), n_jobs=1)
    assert set(found.features["selector"]) == {"t_score"}
    alone = found.replicated("broken", 3).features
    assert alone.attrs["why_none"] == "the selector has no result on the full data"


def test_a_measure_of_all_features_has_none():
    found = study(selectors="t_score", measures=["nogueira", "spearman"]).run(*data(), n_jobs=1)
    table = found.replicated("t_score", None, "spearman").features
    assert table.attrs["why_none"] == "spearman compares all features"


def test_stores_of_earlier_versions_have_none(tmp_path, folder):
    old = shutil.copytree(GOLDEN, tmp_path / "old")
    table = hf.load(old).features
    assert len(table) == 0
    assert table.attrs["why_none"]
    # a store with disjoint parts, but without fits of the full data
    earlier = shutil.copytree(folder, tmp_path / "earlier")
    with closing(Store.open(earlier / "study.sqlite", write=True)) as store:
        full = "(SELECT resample FROM resamples WHERE role = 'full')"
        for name in ("preferences", "timings", "units", "resamples"):
            store.connection.execute(f"DELETE FROM {name} WHERE resample IN {full}")
        plan = store.fact("plan")
        auxiliary = store.resamples()[plan["protocol"]["resamples"] :]
        plan["beside"] |= {"resamples": len(auxiliary), "sha256": hash_resamples(auxiliary)}
        store.insert("facts", [("plan", json.dumps(plan))], replace=True)
        refresh_checksums(store)
    table = hf.load(earlier).features
    assert list(table) == COLUMNS
    assert table.attrs["why_none"] == EARLIER_VERSION
