"""Replication stability: unbiased, the same as a slow version, sure in the right places."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest, SelectPercentile, f_classif

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge import (
    PairValues,
    Replication,
    estimate_replication,
    pair_similarities,
    replication,
)
from holdfast.resample import ReplicationDesign


def draw(rng, n=40, p=60, informative=5, effect=0.6, n_classes=2):
    """Return samples of classes whose means differ in the first features."""
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, p))
    X[:, :informative] += effect * (2 * y - 1)[:, None]
    return X, y


@pytest.fixture(scope="module")
def data():
    return draw(np.random.default_rng(1))


def same_first(X, y):
    """Score features without a look at the data."""
    return -np.arange(X.shape[1], dtype=float)


@pytest.mark.slow
def test_it_is_unbiased_for_independent_samples_of_half_the_size():
    rng = np.random.default_rng(0)
    values = [
        replication("t_score", *draw(rng), size=5, n_pairs=4, random_state=seed).value
        for seed in range(60)
    ]
    selector = hf.TScore()
    found = [selector.rank_resamples(*draw(rng, n=20), [np.arange(20)]).top(5) for _ in range(300)]
    truth = hf.measure(["nogueira"], hf.preferences.concat(found)).iloc[0]
    error = np.hypot(np.std(values, ddof=1) / np.sqrt(60), (truth["high"] - truth["low"]) / 3.92)
    assert abs(np.mean(values) - truth["value"]) < 4 * error
    assert 0.15 < truth["value"] < 0.6
    assert error < 0.04


@pytest.mark.parametrize(
    "measure", ["nogueira", "kuncheva", "jaccard", "hamming", "krizek", "spearman", "pearson",
                "zucknick", "sechidis", "group_matching_index"],
)  # fmt: skip
def test_it_is_the_mean_over_pairs_that_are_measured_one_by_one(data, measure):
    X, y = data
    found = replication("t_score", X, y, size=6, measure=measure, n_pairs=6, random_state=3)
    record, selector = hf.measures.get_measure(measure), hf.TScore(random_state=3)
    resamples = ReplicationDesign(6).draw(y, None, 3)
    weights, ranks = selector.select_resamples(X, y, [one.train for one in resamples])
    options = {"data": X} if record.needs & {"similarity", "data"} else {}
    forms = {"subset": ranks.top(6), "ranking": ranks, "weights": weights}
    held = forms.get(record.form)
    values = []
    for i in range(0, 12, 2):
        if record.form == "groups":
            two = hf.Groups([[[f] for f in held] for held in list(ranks.top(6))[i : i + 2]],
                            n_features=60)  # fmt: skip
        else:
            two = held[i : i + 2]
        values.append(hf.measure(measure, two, **options))
    assert found.value == pytest.approx(np.mean(values))
    assert found.points["value"].iloc[-1] == found.value
    assert found.n_pairs == 6


@pytest.mark.parametrize(
    "measure", ["nogueira", "jaccard", "kappa", "lustgarten", "consistency", "davis", "ati_pa"]
)
def test_subsets_of_unequal_sizes_are_compared_by_their_overlap(measure, monkeypatch):
    rng = np.random.default_rng(9)
    rows = [rng.choice(40, size, replace=False) for size in rng.integers(1, 12, 20)]
    pairs = rng.integers(0, 20, (15, 2, 2))
    record = hf.measures.get_measure(measure)
    found = dict(enumerate(rows))
    monkeypatch.setattr("holdfast.judge._replication._pair_similarities.MAX_TABLE_CELLS", 200)
    values = pair_similarities(record, found, pairs, hf.Subsets, n_features=40)
    each = [
        hf.measure(measure, hf.Subsets([rows[i], rows[j]], n_features=40))
        for i, j in pairs.reshape(-1, 2)
    ]
    assert values.shape == (15, 2)
    assert values.ravel() == pytest.approx(each)
    del found[int(pairs[0, 0, 0])]
    assert np.isnan(pair_similarities(record, found, pairs, hf.Subsets, n_features=40)[0, 0])


def test_pairs_for_which_a_measure_has_no_value_have_none():
    found = {0: np.arange(3), 1: np.arange(4), 2: np.arange(1, 4)}
    pairs, record = np.array([[0, 1], [0, 2]]), hf.measures.get_measure("kuncheva")
    values = pair_similarities(record, found, pairs, hf.Subsets, n_features=20)
    assert np.isnan(values[0])
    assert values[1] == pytest.approx((2 / 3 - 3 / 20) / (1 - 3 / 20))


def test_blocks_of_resamples_change_nothing(data, monkeypatch):
    X, y = data
    whole = replication("t_score", X, y, size=6, n_pairs=9)
    monkeypatch.setattr("holdfast.judge._replication._fit_resamples.MAX_SCORES_PER_BLOCK", 5 * 60)
    parts = replication("t_score", X, y, size=6, n_pairs=9)
    pd.testing.assert_frame_equal(whole.curve, parts.curve)


def test_a_selector_that_never_changes_its_mind_is_perfect(data):
    found = replication(same_first, *data, size=5, n_pairs=8)
    assert found.value == found.high == 1
    assert 0.8 < found.low < 1
    assert (found.points["value"] == 1).all()
    lone = replication(same_first, *data, size=1, n_pairs=8)
    assert lone.low < found.low  # one feature tells less than five


def test_random_selections_agree_by_chance():
    X, y = draw(np.random.default_rng(2), p=100)
    found = replication("random_score", X, y, size=10, n_pairs=40)
    assert abs(found.value) < 0.06
    assert found.low <= 0 < found.high < 0.4


def test_the_order_of_features_does_not_matter(data):
    X, y = data
    order = np.random.default_rng(4).permutation(X.shape[1])
    one, other = (replication("t_score", data, y, size=6, n_pairs=8) for data in (X, X[:, order]))
    pd.testing.assert_frame_equal(one.curve, other.curve)


def test_seeds_decide(data):
    X, y = data
    one, again, other = (
        replication("random_score", X, y, size=6, n_pairs=8, random_state=seed)
        for seed in (1, 1, 2)
    )
    pd.testing.assert_frame_equal(one.curve, again.curve)
    assert one.value != other.value


def test_several_classes_and_subjects():
    rng = np.random.default_rng(5)
    X, y = draw(rng, n=72, n_classes=3)
    groups = np.array([f"subject {i // 6}-{i % 3}" for i in range(72)])
    plain = replication("f_score", X, y, size=5, n_pairs=8)
    assert plain.n_samples == 36
    assert plain.points["n_samples"].tolist() == [18, 27, 36]
    told = replication("f_score", X, y, size=5, n_pairs=8, groups=groups)
    assert len(np.unique(groups)) == 36
    assert told.n_samples == 18
    assert told.value > 0.5
    named = np.array(["low", "mid", "high"])[y]
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(60)])
    again = replication("f_score", frame, named, size=5, n_pairs=8)
    assert again.value == pytest.approx(plain.value, abs=0.2)


@pytest.mark.parametrize(
    ("selector", "size"),
    [
        ("t_score", 5),
        ("t_score", 0.1),
        (hf.ReliefF(n_neighbors=3), 5),
        (SelectKBest(f_classif, k=5), None),
        (SelectPercentile(percentile=10), None),
        (f_classif, 5),
        (hf.KMeansGroups(n_clusters=20), 5),
        (hf.StabilitySelection(n_pairs=5, q=8, pfer=None), None),
    ],
)
def test_any_selector_will_do(data, selector, size):
    found = replication(selector, *data, size=size, n_pairs=2)
    assert found.low <= found.value <= found.high
    assert found.size == (6 if size == 0.1 else size)


def test_groups_of_features_are_compared_as_groups(data):
    found = replication(
        hf.KMeansGroups(n_clusters=20), *data, size=5, measure="group_matching_index", n_pairs=2
    )
    assert 0 < found.value < 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, InvalidInputError, "so size must say how many features are selected"),
        ({"size": 0}, InvalidInputError, "size as a count must lie between 1 and the 60"),
        ({"size": 5, "n_pairs": 1}, InvalidInputError, "n_pairs must be a whole number"),
        ({"size": 5, "confidence": 1.0}, InvalidInputError, "confidence must lie between 0 and 1"),
        ({"size": 5, "random_state": -1}, InvalidInputError, "random_state must be"),
        ({"size": 5, "measure": "jacard"}, UnknownNameError, "Did you mean 'jaccard'"),
        ({"size": 5, "measure": ["jaccard"]}, InvalidInputError, "the name of one measure"),
        ({"size": 5, "impute": "mean"}, UnknownNameError, "impute must be 'median' or None"),
    ],
)
def test_wrong_questions_are_refused(data, options, error, message):
    with pytest.raises(error, match=message):
        replication("t_score", *data, **options)


def test_measures_that_do_not_fit_the_selector_are_refused(data):
    with pytest.raises(InvalidInputError, match="spearman compares all features, but AnySelector"):
        replication(SelectKBest(k=5), *data, measure="spearman")
    with pytest.raises(InvalidInputError, match="pearson takes weights, but SVMRFE gives a rank"):
        replication("svm_rfe", *data, measure="pearson", n_pairs=2)


def test_small_classes_are_refused_or_noted():
    X = draw(np.random.default_rng(6), n=30)[0]
    with pytest.raises(InvalidInputError, match="class '1' has 3 samples; halves need at least 4"):
        replication("t_score", X, np.repeat([0, 1], [27, 3]), size=5)
    found = replication("t_score", X, np.repeat([0, 1], [24, 6]), size=5, n_pairs=8)
    assert found.points["n_samples"].tolist() == [15]
    assert set(found.curve["kind"]) == {"estimated"}
    assert "a class is too small for quarters" in found.note
    assert "Note: a class is too small" in repr(found)


def test_numbers_are_no_classes(data):
    with pytest.raises(InvalidInputError, match=r"40 distinct numbers .* continuous outcome"):
        replication("t_score", data[0], np.linspace(0, 1, 40), size=5)


def test_all_features_are_no_selection(data):
    found = replication("t_score", *data, size=60, n_pairs=8)
    assert np.isnan(found.value)
    assert found.note == (
        "8 of 8 pairs of halves and 20 of 20 pairs of smaller parts have no value (all features "
        "are selected) and are left out"
    )


def no_first(X, y):
    """Score features by their means; fail where the first sample is not among them."""
    if X[:, 0].max() < 50:
        raise RuntimeError("where is\nthe first?")
    return X.mean(axis=0)


def test_fits_that_fail_are_left_out_and_counted(data):
    X, y = data[0].copy(), data[1]
    X[0, 0] = X[3, 0] = 99.0
    found = replication(no_first, X, y, size=5, n_pairs=20)
    resamples = ReplicationDesign(20).draw(y, None, 0)
    failed = [not {0, 3} & set(one.train.tolist()) for one in resamples]
    whole = [not any(failed[at : at + 2]) for at in range(0, 40, 2)]
    assert 0 < found.n_pairs == sum(whole) < 20
    assert f"{20 - sum(whole)} of 20 pairs of halves" in found.note
    assert (
        f"({sum(failed)} of {len(resamples)} fits failed: RuntimeError: where is the first?)"
        in (found.note)
    )


def test_a_selector_that_always_fails_is_reported(data):
    with pytest.raises(InvalidInputError, match="fails on every half of the data: RuntimeError: w"):
        replication(no_first, *data, size=5, n_pairs=2)


@pytest.fixture
def holes(data):
    X = data[0].copy()
    X[np.arange(0, 40, 5), np.arange(8)] = np.nan
    return X, data[1]


@pytest.mark.parametrize("selector", ["t_score", SelectKBest(f_classif, k=5)])
def test_missing_values_are_refused_before_work(holes, selector):
    with pytest.raises(InvalidInputError, match=r"8 missing values, which .* does not take"):
        replication(selector, *holes, size=5)


@pytest.mark.parametrize("selector", ["t_score", SelectKBest(f_classif, k=6)])
def test_missing_values_are_imputed_within_each_part(holes, selector):
    X, y = holes
    found = replication(selector, X, y, size=6, n_pairs=4, impute="median")
    chosen = []
    for one in ReplicationDesign(4).draw(y, None, 0)[:8]:
        part = pd.DataFrame(X[one.train])
        part = part.fillna(part.median())
        chosen.append(np.argsort(-f_classif(part, y[one.train])[0])[:6])
    values = [
        hf.measure("nogueira", hf.Subsets(chosen[at : at + 2], n_features=60))
        for at in range(0, 8, 2)
    ]
    assert found.value == pytest.approx(np.mean(values))


def test_data_that_the_measure_looks_at_must_be_whole(holes):
    with pytest.raises(InvalidInputError, match="zucknick compares features by their data"):
        replication("t_score", *holes, size=6, measure="zucknick", impute="median")


def test_selectors_that_take_missing_values_see_them(holes):
    one, other = (
        replication("relieff", *holes, size=6, n_pairs=2, impute=impute)
        for impute in (None, "median")
    )
    assert one.value == other.value


def test_the_result_says_itself(data):
    found = replication("t_score", *data, size=6, n_pairs=8)
    assert isinstance(found, Replication)
    assert repr(found).startswith(f"<Replication: nogueira {found.value:.2f} (95% interval ")
    assert "Two independent studies of 20 each would agree this well" in repr(found)
    assert "Predicted for studies of 40: " in repr(found)
    assert found.to_frame().equals(found.curve)
    assert found.to_frame() is not found.curve
    assert found.curve["n_samples"].tolist() == [10, 15, 20, 40, 80, 160]
    assert found.curve["kind"].tolist() == ["estimated"] * 3 + ["predicted"] * 3
    assert found.points["n_pairs"].tolist() == [12, 8, 8]
    assert found.plot().numbers["value"].tolist() == found.curve["value"].tolist()
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.value = 1.0


def values(seed=0, spread=0.1, centre=0.5, n_units=80):
    """Return similarities of pairs that scatter about a centre."""
    rng = np.random.default_rng(seed)
    subsets = centre - spread + spread * rng.standard_normal((20, 1))
    return PairValues(
        halves=centre + spread * rng.standard_normal(40),
        parts=subsets + spread * rng.standard_normal((20, 2)),
        quarters=centre - 2 * spread + spread * rng.standard_normal((10, 6)),
        n_units=n_units,
    )


def estimated(pairs, **options):
    options = {"measure": "nogueira", "size": 20, "n_features": 500} | options
    return estimate_replication(pairs, **options)


def test_pairs_without_a_value_are_left_out():
    pairs = values()
    holes = dataclasses.replace(pairs, halves=np.append(pairs.halves, [np.nan, np.nan]))
    found, whole = estimated(holes), estimated(pairs)
    assert found.note == "2 of 42 pairs of halves have no value and are left out"
    told = estimated(dataclasses.replace(holes, why="so it is"))
    assert told.note == "2 of 42 pairs of halves have no value (so it is) and are left out"
    assert whole.note == ""
    assert found.value == whole.value
    assert found.standard_error == pytest.approx(whole.standard_error)
    assert found.n_pairs == 40
    nothing = estimated(dataclasses.replace(pairs, halves=np.full(4, np.nan)))
    assert np.isnan([nothing.value, nothing.low, nothing.high, nothing.standard_error]).all()
    assert nothing.n_pairs == 0
    lone = estimated(dataclasses.replace(pairs, halves=np.array([0.5, np.nan])))
    assert (lone.value, lone.n_pairs, len(lone.curve)) == (0.5, 1, 3)
    assert lone.note.endswith("; few pairs: 1")
    assert np.isnan(lone.standard_error)


def test_the_standard_error_is_that_of_the_formula():
    pairs = values()
    found = estimated(pairs)
    room = 1 / np.sqrt(499)
    slope = {
        name: 1 / (mean + room) + 1 / (1 + room - mean)
        for name, mean in (("half", pairs.halves.mean()), ("part", pairs.parts.mean()))
    }
    within = pairs.halves.var(ddof=1) * slope["half"] ** 2
    means = pairs.parts.mean(axis=1)
    inside = np.square(pairs.parts - means[:, None]).sum() / 20 / 2
    deleted = 3 * max(means.var(ddof=1) - inside, 0) * slope["part"] ** 2
    variance = (within + deleted) / 2 + within / 40
    assert found.standard_error == pytest.approx(np.sqrt(variance) / slope["half"])


def test_intervals_hold_the_value_and_stay_in_the_range():
    for centre in (-0.05, 0.0, 0.02, 0.3, 0.98):
        found = estimated(values(centre=centre, spread=0.02))
        assert -1 <= found.low <= found.value <= found.high <= 1
    wide, narrow = (estimated(values(), confidence=level) for level in (0.99, 0.8))
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    assert estimated(values(spread=0.2)).standard_error > 1.5 * wide.standard_error


def test_distances_and_uncorrected_measures_have_their_own_scale():
    distance = estimated(values(centre=0.03, spread=0.003), measure="anhd")
    assert 0 <= distance.low < distance.value < distance.high < 0.08
    hamming = estimated(values(centre=0.95, spread=0.005), measure="hamming")
    assert 0.92 < hamming.low < 0.95 < hamming.high <= 1
    alone = estimated(values(), size=None)
    assert alone.low < alone.value < alone.high


@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(8)
    shape = {"p": 100, "informative": 10, "effect": 0.5}
    found = [
        hf.TScore().rank_resamples(*draw(rng, n=30, **shape), [np.arange(30)]).top(10)
        for _ in range(500)
    ]
    truth = hf.measure("nogueira", hf.preferences.concat(found))
    told = [
        replication("t_score", *draw(rng, n=60, **shape), size=10, n_pairs=40, random_state=seed)
        for seed in range(100)
    ]
    covered = np.mean([one.low <= truth <= one.high for one in told])
    assert 0.9 <= covered <= 1
    assert np.mean([one.high - one.low for one in told]) < 0.5


def test_nothing_beyond_the_data_is_predicted_where_halves_agree_by_chance():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 200)), np.arange(80) % 2
    noise = hf.replication("t_score", X, y, size=10, n_pairs=20)
    predicted = noise.curve[noise.curve["kind"] == "predicted"]
    assert predicted["n_samples"].tolist() == [80]
    assert predicted["low"].item() <= 0
    assert hf.judge.plan_samples(noise).needed == np.inf
    X[:, :10] += 2 * y[:, None]
    signal = hf.replication("t_score", X, y, size=10, n_pairs=20)
    assert (signal.curve["kind"] == "predicted").sum() == 3
