"""Resamples beside those of the protocol: replication stability and cohorts in studies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.judge import cohorts, replication
from holdfast.resample import ReplicationPairs
from holdfast.select._adapter import as_selector
from holdfast.study._planning._plan import AUXILIARY_ROLES, DISJOINT_ROLES
from holdfast.study._storage._store import to_integers

SIZES = [2, 4]
WINE = hf.io.read_data("@wine")
SITES = np.array(["north", "south"])[np.arange(WINE.n_samples) % 2]
TWO_SITES = hf.io.from_arrays(WINE.X, WINE.y, feature_names=WINE.feature_names, cohorts=SITES)


def study(**more):
    settings = {"sizes": SIZES, "classifiers": (), "protocol": hf.Subsampling(6, 0.9)}
    return hf.Study(**{"selectors": ["f_score", "random_score"], **settings, **more})


@pytest.fixture(scope="module")
def result():
    return study(replication=8, measures=["nogueira", "spearman"]).run(TWO_SITES, n_jobs=1)


def test_the_protocol_s_numbers_do_not_depend_on_what_is_next_to(result):
    alone = study(replication=0, measures=["nogueira", "spearman"]).run(WINE, n_jobs=1)
    pd.testing.assert_frame_equal(alone.stability, result.stability)
    pd.testing.assert_frame_equal(alone.frequencies, result.frequencies)
    assert "beside" not in alone.plan
    assert alone.n_units == 12
    assert len(alone.replication) == len(alone.cohorts) == 0
    assert alone.replication.attrs["why_none"] == "it was not asked for"
    with pytest.raises(InvalidInputError, match="no replication stability: it was not asked for"):
        alone.replicated("f_score", 2)
    with pytest.raises(InvalidInputError, match="no cohorts"):
        alone.compare_cohorts("f_score", 2)


def test_units_count_all_work(result):
    roles = result.resamples["role"]
    assert (roles == "main").sum() == result.n_resamples == 6
    assert roles[:6].eq("main").all()
    assert result.n_units == result.n_done == 2 * len(roles)
    assert result.complete
    assert set(roles) == {"main", *AUXILIARY_ROLES}
    assert (result.resamples.loc[6:, "n_test"] == 0).all()


def test_replication_is_the_mean_over_disjoint_halves(result):
    parts = result.store.resamples()
    pairs = ReplicationPairs.from_resamples(parts).halves
    assert len(pairs) == 8
    for one, other in pairs:
        assert not set(parts[one].train) & set(parts[other].train)
    tops = dict(
        result.store.query("SELECT resample, data FROM preferences WHERE selector=0 AND form='top'")
    )
    found = [
        np.mean([_kuncheva(to_integers(tops[i])[:2], to_integers(tops[j])[:2]) for i, j in pairs])
    ]
    row = result.replication.query("selector == 'f_score' and size == 2").iloc[0]
    assert row["value"] == pytest.approx(found[0], abs=1e-12)
    assert row["low"] <= row["value"] <= row["high"]
    assert (row["n_samples"], row["n_pairs"], row["at"]) == (89, 8, 178)


def _kuncheva(one, other, p=13):
    k = len(one)
    return (len(set(one) & set(other)) * p - k * k) / (k * (p - k))


def test_whole_rankings_are_replicated_too(result):
    rows = result.replication.query("measure == 'spearman'").set_index("selector")
    assert rows["size"].eq(13).all()
    assert rows.loc["f_score", "value"] > 0.8
    assert abs(rows.loc["random_score", "value"]) < 0.3


def test_one_row_is_what_the_method_gives(result):
    told = result.replicated("f_score", 4)
    row = result.replication.query("selector == 'f_score' and size == 4 and measure == 'nogueira'")
    for name in ("value", "low", "high", "n_samples", "n_pairs"):
        assert row[name].item() == getattr(told, name)
    predicted = told.curve.query("kind == 'predicted'").iloc[0]
    assert row["predicted"].item() == predicted["value"]
    assert row["at"].item() == predicted["n_samples"] == WINE.n_samples


def test_cohorts_are_compared_as_by_the_function(result):
    table = result.cohorts.query("selector == 'f_score' and measure == 'nogueira'")
    assert table["size"].tolist() == SIZES
    direct = cohorts("f_score", WINE.X, WINE.y, SITES, size=4, n_shuffles=2)
    own = result.compare_cohorts("f_score", 4)
    assert own.overall.value == pytest.approx(direct.overall.value)
    assert own.features["feature"].tolist() == direct_names(direct)
    assert own.overall.n_shuffles == 50
    assert own.overall.low <= own.overall.expected <= own.overall.high


def direct_names(direct):
    return [WINE.feature_names[int(name[1:])] for name in direct.features["feature"]]


def test_small_classes_go_without_and_say_why():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((23, 6)), ["a"] * 20 + ["b"] * 3
    result = study(selectors="f_score", protocol=hf.Subsampling(3, 0.7)).run(X, y, n_jobs=1)
    assert "class 'b' has 3 samples" in result.replication.attrs["why_none"]
    assert result.plan["beside"]["resamples"] == 0
    with pytest.raises(InvalidInputError, match="class 'b' has 3 samples"):
        study(selectors="f_score", protocol=hf.Subsampling(3, 0.7), replication=5).run(
            X, y, n_jobs=1
        )


def test_drawn_data_sets_need_no_halves():
    data = hf.io.read_data("@simulated")
    result = study(selectors="f_score", protocol=hf.IndependentSamples(3)).run(data, n_jobs=1)
    assert result.replication.attrs["why_none"] == "each resample is an independent sample already"


@pytest.mark.parametrize(("count", "pairs"), [(6, 10), (60, 18), (400, 50)])
def test_pairs_go_with_the_protocol(count, pairs):
    plan = hf.study._planning._make_plan.make_plan(
        study(protocol=hf.Subsampling(count, 0.9))._settings, WINE
    )
    assert plan.auxiliary["pairs"] == pairs


def fragile(X, y):
    if len(y) < 80:
        raise ValueError("too few samples")
    return np.abs(X.mean(axis=0))


def test_a_selector_that_fails_on_parts_does_not_fail_the_study():
    result = study(selectors={"fragile": fragile}, replication=4).run(WINE, n_jobs=1)
    assert len(result.failures) == 0
    assert result.complete
    row = result.replication.iloc[0]
    assert "left out" in row["note"]
    assert np.isfinite(row["value"])
    assert np.isnan(row["predicted"])


def hopeless(X, y):
    if len(y) < 100:
        raise ValueError("too few samples")
    return np.abs(X.mean(axis=0))


def test_a_selector_that_fails_on_halves_has_no_replication():
    result = study(selectors={"hopeless": hopeless}, replication=4).run(WINE, n_jobs=1)
    row = result.replication.iloc[0]
    assert np.isnan(row["value"])
    assert "too few samples" in row["note"]
    assert result.summary()["stability"].notna().all()


@pytest.mark.integration
def test_a_study_goes_on_with_what_is_next_to(tmp_path):
    whole = study(replication=4).run(TWO_SITES, n_jobs=1)
    study(replication=4).run(
        WINE.X, WINE.y, cohorts=SITES, out=tmp_path / "run", n_jobs=1, part="1/2"
    )
    resumed = hf.resume(tmp_path / "run", n_jobs=2)
    assert resumed.complete
    pd.testing.assert_frame_equal(resumed.replication, whole.replication)
    pd.testing.assert_frame_equal(resumed.cohorts, whole.cohorts)


def test_export_writes_the_tables(result, tmp_path):
    names = [path.stem for path in hf.export(result, tmp_path)]
    assert names[:4] == ["features", "replication", "cohorts", "stability"]
    alone = study(replication=0).run(WINE, n_jobs=1)
    without = {path.stem for path in hf.export(alone, tmp_path / "alone")}
    assert not without & {"features", "replication"}


def test_the_direct_way_gives_the_same_where_splits_are_the_same(result):
    direct = replication("f_score", WINE.X, WINE.y, size=4, n_pairs=60)
    row = result.replication.query("selector == 'f_score' and size == 4 and measure == 'nogueira'")
    assert direct.value == pytest.approx(row["value"].item(), abs=0.1)


def test_measures_of_similar_features_use_the_data(result):
    told = result.replicated("f_score", 4, "zucknick")
    parts = result.store.resamples()
    tops = dict(
        result.store.query("SELECT resample, data FROM preferences WHERE selector=0 AND form='top'")
    )
    found = {
        i: to_integers(tops[i])[:4] for i, one in enumerate(parts) if one.role in DISJOINT_ROLES
    }
    values = [
        hf.measure("zucknick", hf.Subsets([found[i], found[j]], n_features=13), data=WINE.X)
        for i, j in ReplicationPairs.from_resamples(parts).halves
    ]
    assert told.value == pytest.approx(np.mean(values))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["relative_weighted_consistency", "jaccard", "nogueira"])
def test_chance_is_that_of_two_random_selections(result, measure):
    rng = np.random.default_rng(1)
    pairs = [[rng.permutation(13)[:4] for _ in range(2)] for _ in range(2000)]
    values = [hf.measure(measure, hf.Subsets(pair, n_features=13)) for pair in pairs]
    error = np.std(values) / np.sqrt(len(values))
    assert abs(result.replicated("f_score", 4, measure).chance - np.mean(values)) < 4 * error


SMALL_CLASS = "class 'c' with 3 samples is too small to be halved and is left out of the"


def small_class():
    """Return two classes of 30 samples, and with them a third one of 3."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((63, 20))
    y = np.array(["a"] * 30 + ["b"] * 30 + ["c"] * 3)
    X[y == "a", :3] += 1.0
    return X, y


def small_study(asked):
    """Return a study whose training parts leave a sample of the small class out."""
    return study(replication=asked, protocol=hf.Subsampling(6, 0.6))


@pytest.mark.slow
@pytest.mark.parametrize("asked", [None, 12])
def test_a_class_too_small_for_halves_is_left_out_of_them(asked, tmp_path):
    X, y = small_class()
    there = small_study(asked).run(X, y, n_jobs=1, out=tmp_path / "run")
    table = there.replication
    assert table["note"].str.startswith(SMALL_CLASS).all()
    assert (table["n_samples"] == 30).all()
    without = small_study(asked).run(X[:60], y[:60], n_jobs=1).replication
    # predictions rest on the selection from all classes, estimates on halves alone
    other = ["note", "predicted", "predicted_low", "predicted_high"]
    pd.testing.assert_frame_equal(table.drop(columns=other), without.drop(columns=other))
    assert there.plan["beside"]["left_out"] == {"c": 3}
    assert there.replicated("f_score", 2).note.startswith(SMALL_CLASS)
    pd.testing.assert_frame_equal(hf.load(tmp_path / "run").replication, table)
    pd.testing.assert_frame_equal(hf.resume(tmp_path / "run", n_jobs=1).replication, table)


def test_a_plan_without_left_out_classes_is_as_it_was(result):
    assert not {"left_out", "units"} & set(result.plan["beside"])


def test_one_class_that_can_be_halved_is_not_enough():
    X, y = small_class()
    some = np.r_[0:30, 60:63]
    there = small_study(None).run(X[some], y[some], n_jobs=1)
    assert len(there.replication) == 0
    assert "class 'c' has 3 samples; halves need" in there.replication.attrs["why_none"]
    with pytest.raises(InvalidInputError, match="class 'c' has 3 samples; halves need"):
        small_study(12).run(X[some], y[some], n_jobs=1)


def test_the_direct_estimate_leaves_small_classes_out():
    X, y = small_class()
    whole = replication("f_score", X, y, size=4, n_pairs=12)
    without = replication("f_score", X[:60], y[:60], size=4, n_pairs=12)
    assert whole.note.startswith(SMALL_CLASS)
    assert (whole.value, whole.low, whole.n_samples) == (without.value, without.low, 30)


@pytest.mark.parametrize("name", [*hf.list_selectors().index])
def test_absent_classes_do_not_change_what_selectors_find(name, require):
    """Halves without the small class give what they give where the class never was."""
    if name == "shap_importance":
        require("shap")
    X, y = small_class()
    chosen = as_selector(name)
    if not hasattr(chosen, "rank_resamples"):
        pytest.skip("no ranking")
    rows = [np.sort(np.random.default_rng(i).choice(60, 40, replace=False)) for i in range(2)]
    with_class = chosen.rank_resamples(X, y, rows).values
    np.testing.assert_array_equal(with_class, chosen.rank_resamples(X[:60], y[:60], rows).values)
