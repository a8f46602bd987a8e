"""Stability selection: what is picked on halves, how often, and how many of it are false."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.stats import binom, ttest_ind
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import f_regression
from sklearn.linear_model import LassoLarsIC

import holdfast as hf
from holdfast._random import generators
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.select import error_bound, largest_q, least_threshold
from holdfast.select._adapter import as_selector
from holdfast.select._ensemble import _type_bias
from holdfast.select._ensemble._stability_parameters import (
    THRESHOLDS,
    SubsampleDesign,
    calibrate_q_and_threshold,
    stability_score,
)
from holdfast.select._ensemble._stability_path import LabelledSamples, draw_halves

PAIRS, HALF = "complementary pairs", "half"


def example(classes=2):
    """Return 60 samples of 8 features, of which the first two tell the classes apart."""
    y = np.arange(60) % classes
    X = np.random.default_rng(0).normal(size=(60, 8))
    X[:, 0] += 2.0 * y
    X[:, 1] -= 1.5 * y
    return X, y


def quick(base="t_score", **how):
    return hf.StabilitySelection(hf.TScore() if base == "t_score" else base, n_pairs=10, **how)


def halves(y, subjects=None, sampling=PAIRS, own=None, classes=True, n_pairs=10, seed=0):
    own = np.arange(len(y)) if own is None else own
    names, codes = np.unique(y, return_inverse=True)
    data = LabelledSamples(np.empty((len(y), 1)), codes, names if classes else None, subjects)
    return draw_halves(data, own, SubsampleDesign(sampling, "none", n_pairs), seed)


def test_probabilities_are_those_of_a_loop_over_halves():
    X, y = example()
    fitted = quick(threshold=0.7, q=3, pfer=None, random_state=5).fit(X, y)
    seed = int(next(generators(5, 1)).integers(2**31, size=2)[0])
    picked = []
    for half in halves(y, seed=seed):
        own, codes = X[half], y[half]
        size = [abs(ttest_ind(x[codes == 0], x[codes == 1]).statistic) for x in own.T]
        picked.append(set(np.argsort(size)[-3:].tolist()))
    assert [set(one.tolist()) for one in fitted.selections_] == picked
    shares = np.array([np.mean([f in one for one in picked]) for f in range(8)])
    assert fitted.scores_.tolist() == shares.tolist()
    assert fitted.support_.tolist() == (shares >= 0.7).tolist()
    assert fitted.support_[:2].all()
    assert fitted.mean_selected_ == 3.0
    assert -1 <= hf.measure("kuncheva", fitted.selections_) <= 1


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("n", [40, 41])
def test_pairs_are_disjoint_and_halves_keep_classes(classes, n):
    y = np.arange(n) % 2
    drawn = halves(y, classes=classes)
    assert len(drawn) == 20
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        assert len(one) == len(other) == 20
        assert not set(one) & set(other)
        if classes:
            assert np.bincount(y[one]).tolist() == [10, 10]
    single = halves(y, sampling=HALF, classes=classes)
    assert len(single) == 20
    assert all(len(set(one)) == 20 for one in single)
    assert any(set(a) & set(b) for a, b in zip(single[::2], single[1::2], strict=True))
    assert len({tuple(one) for one in drawn}) == len({tuple(one) for one in single}) == 20


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("sampling", [PAIRS, HALF])
def test_subjects_are_never_split(classes, sampling):
    subjects = np.array([f"s{i // 3}" for i in range(60)])
    y = (np.arange(60) // 3) % 2
    drawn = halves(y, subjects, sampling, classes=classes)
    for one in drawn:
        assert len(one) == 30
        counts = np.unique(subjects[one], return_counts=True)[1]
        assert (counts == 3).all()
    if sampling == PAIRS:
        for one, other in zip(drawn[::2], drawn[1::2], strict=True):
            assert not set(subjects[one]) & set(subjects[other])


def test_copies_of_a_sample_stay_in_one_half_where_they_are_one_subject():
    y = np.arange(60) % 2
    own = np.random.default_rng(0).integers(0, 60, 60)
    drawn = halves(y, np.arange(60), own=own)
    named = halves(y[own], own)
    assert [half.tolist() for half in drawn] == [own[half].tolist() for half in named]
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        assert not set(one) & set(other)
        assert set(one) <= set(own)


def test_subjects_change_what_is_drawn_and_are_checked():
    X, y = example()
    X = np.repeat(X[::2], 2, axis=0)  # each sample twice: halves of rows share samples
    y = np.repeat(np.arange(30) % 2, 2)
    with pytest.warns(HoldfastWarning, match="30 of 60 rows are copies"):
        alone = quick().fit(X, y)
    together = quick().fit(X, y, groups=np.arange(60) // 2)
    assert alone.supports_subjects
    assert alone.scores_.tolist() != together.scores_.tolist()
    with pytest.raises(ValueError, match="inconsistent"):
        quick().fit(X, y, groups=[1, 2, 3])


@pytest.mark.parametrize("base", ["t_score", None])
def test_one_feature_is_always_selected(base):
    X, y = example()
    fitted = quick(base).fit(X[:, :1], y)
    assert fitted.scores_.tolist() == [1.0]
    assert (fitted.q_, fitted.error_bound_, fitted.support_.tolist()) == (1, 1.0, [True])


def test_all_features_are_picked_where_q_is_their_number():
    X, y = example()
    fitted = quick(q=8, pfer=None).fit(X, y)
    assert fitted.scores_.tolist() == [1.0] * 8
    assert fitted.error_bound_ == 8.0


@pytest.mark.parametrize("rest", [{"threshold": 0.9, "pfer": None}, {"threshold": None, "pfer": 8}])
def test_a_q_above_the_number_of_features_is_all_of_them(rest):
    X, y = example()
    fitted, all_of_them = (quick(q=q, **rest).fit(X, y) for q in (25, 8))
    assert fitted.q_ == 8
    assert fitted.scores_.tolist() == [1.0] * 8
    assert fitted.threshold_ == all_of_them.threshold_
    assert fitted.error_bound_ == all_of_them.error_bound_ == 8.0


@pytest.mark.parametrize("base", ["t_score", None])
def test_constant_features_are_not_picked(base):
    X, y = example()
    X[:, [3, 5]] = 2.0
    fitted = quick(base, q=4, pfer=None).fit(X, y)
    assert fitted.scores_[[3, 5]].tolist() == [0.0, 0.0]
    nothing = quick(base).fit(np.ones((60, 4)), y)
    assert nothing.scores_.max() <= (1.0 if base else 0.0)
    assert nothing.stability_path_.probabilities.shape[1] == np.count_nonzero(nothing.scores_)


@pytest.mark.parametrize("base", ["t_score", None])
def test_paths_only_rise_and_end_at_the_probabilities(base):
    X, y = load_wine(return_X_y=True, as_frame=True)
    fitted = quick(base).fit(X, y)
    path = fitted.stability_path_
    assert (np.diff(path.probabilities, axis=0) >= 0).all()
    final = dict(zip(path.features, path.probabilities[-1], strict=True))
    for name, score in zip(X.columns, fitted.scores_, strict=True):
        assert final.get(name, 0.0) == pytest.approx(score, abs=1e-12)
    selected = set(fitted.get_feature_names_out())
    assert {n for n, s in zip(path.features, path.selected, strict=True) if s} == selected
    assert path.threshold == fitted.threshold_
    table = path.to_frame()
    assert table.columns.tolist() == ["feature", "step", "probability", "selected"]
    assert len(table) == len(path.steps) * len(path.features)
    last = table[table["step"] == path.steps[-1]].set_index("feature")["probability"]
    assert last.to_dict() == final
    if base is None:
        assert path.axis == "relative penalty"
        assert (np.diff(path.steps) < 0).all()
        assert 0 < path.steps[-1] < path.steps[0] <= 1
    else:
        assert path.steps.tolist() == list(range(1, fitted.q_ + 1))
        ranks = as_selector("t_score").set_params(random_state=0)
        assert ranks.fit(X, y).ranking_[list(X.columns).index(path.features[0])] <= fitted.q_


def test_long_paths_are_thinned():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 300)), np.arange(40) % 2
    path = quick(q=250, pfer=None).fit(X, y).stability_path_
    assert len(path.steps) == 100
    assert (path.steps[0], path.steps[-1]) == (1, 250)


def test_two_of_three_are_given_and_the_third_follows():
    X, y = example()
    how = {"n_pairs": 10}
    first = quick(threshold=0.8, pfer=0.7).fit(X, y)
    assert first.q_ == largest_q(8, 0.8, 0.7, **how)
    second = quick(threshold=None, pfer=0.7, q=2).fit(X, y)
    assert second.threshold_ == least_threshold(8, 2, 0.7, **how)
    third = quick(threshold=0.9, pfer=None, q=2).fit(X, y)
    for one in (first, second, third):
        assert one.error_bound_ == error_bound(8, one.q_, one.threshold_, **how)
    for wrong in ({"q": 2}, {"pfer": None}, {"threshold": None}):
        with pytest.raises(InvalidInputError, match="exactly two of threshold, pfer and q"):
            quick(**wrong).fit(X, y)


def test_a_pfer_that_cannot_be_guaranteed_warns():
    X, y = example()
    with pytest.warns(HoldfastWarning, match=r"pfer=0\.01 cannot be guaranteed: .* up to 0\.139 "):
        one = quick(pfer=0.01).fit(X, y)
    assert (one.q_, one.threshold_) == (1, 0.75)
    assert one.error_bound_ == error_bound(8, 1, 0.75, n_pairs=10) > 0.01
    with pytest.warns(HoldfastWarning, match="cannot be guaranteed"):
        two = quick(threshold=None, pfer=0.01, q=4).fit(X, y)
    assert two.threshold_ == 1.0
    with pytest.warns(HoldfastWarning, match="cannot be guaranteed"):
        three = quick(threshold="calibrated", pfer=0.001).fit(X, y)
    assert (three.q_, three.threshold_) == (1, 0.9)


def test_a_number_of_features_takes_the_place_of_the_threshold():
    X, y = example()
    free, fixed = quick().fit(X, y), quick(n_features_to_select=5).fit(X, y)
    assert free.selects_own_size
    assert not fixed.selects_own_size
    assert free.scores_.tolist() == fixed.scores_.tolist()
    assert fixed.support_.sum() == 5
    assert fixed.stability_path_.selected.sum() <= 5
    assert free.with_size(2).fit(X, y).support_.sum() == 2


def test_none_may_be_selected():
    rng = np.random.default_rng(0)
    fitted = quick(threshold=1.0, q=1, pfer=None).fit(rng.normal(size=(40, 50)), np.arange(40) % 2)
    assert not fitted.support_.any()
    assert fitted.get_feature_names_out().tolist() == []


@pytest.mark.parametrize("base", [None, LassoLarsIC(), f_regression])
def test_numbers_are_regressed_on(base):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    fitted = quick(base).fit(X, y + 0.5)
    assert {"bmi", "s5"} <= set(fitted.get_feature_names_out())
    assert "sex" not in fitted.get_feature_names_out()
    ranks = fitted.rank_resamples(X, y + 0.5, [np.arange(200), np.arange(100, 400)])
    assert ranks.feature_names == tuple(X.columns)
    assert not hasattr(fitted, "classes_")


def test_integers_are_regressed_on_if_the_base_is_a_regressor():
    X, y = load_diabetes(return_X_y=True)
    path = quick(hf.L1Path(family="gaussian")).fit(X, y)
    lars = quick(LassoLarsIC()).fit(X, y)
    for one in (path, lars):
        assert one.support_[[2, 8]].all()
    with pytest.raises(InvalidInputError, match="To regress on integers"):
        quick().fit(X, y)
    with pytest.raises(InvalidInputError, match="TScore needs classes"):
        quick().fit(X, y + 0.5)
    with pytest.raises(InvalidInputError, match="2 subjects need 4 of them; got 3"):
        path.fit(X, y, groups=np.arange(len(y)) % 3)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32])
def test_whole_numbers_of_any_type_are_one_target(kind):
    X, y = example(10)
    fitted = quick(hf.L1Path(family="gaussian")).fit(X, y.astype(kind))
    assert fitted.scores_.tolist() == quick(None).fit(X, y + 0.5).scores_.tolist()
    assert fitted.support_[:2].all()


@pytest.mark.parametrize(("scale", "kind"), [(1e17, float), (1e307, float), (1e9, np.float32)])
def test_numbers_too_large_for_fractions_are_regressed_on(scale, kind):
    X, y = example(10)
    y = y + 0.1 * X[:, 2]
    large = (scale * y).astype(kind)
    assert (large % 1 == 0).all()
    fitted = quick(None).fit(X, large)
    assert fitted.scores_.tolist() == quick(None).fit(X, y).scores_.tolist()
    with pytest.raises(InvalidInputError, match="TScore needs classes"):
        quick().fit(X, large)


def test_naive_scores_of_calibration():
    counts = np.array([20, 19, 17, 12, 6, 3, 1, 0, 0, 0])
    share = counts.sum() / 200
    expected = []
    for threshold in (0.6, 0.75, 0.9):
        least = 20 * threshold
        groups = [counts >= least, counts <= 20 - least]
        chances = [binom.sf(least - 1, 20, share), binom.cdf(20 - least, 20, share)]
        unstable = 10 - sum(group.sum() for group in groups)
        score = sum(g.sum() * np.log(c) for g, c in zip(groups, chances, strict=True))
        expected.append(-(score + unstable * np.log(1 - sum(chances))))
    found = stability_score(counts, 20, (0.6, 0.75, 0.9))
    assert found == pytest.approx(expected, rel=1e-9)
    always = stability_score(np.array([20, 20, 0, 0]), 20)
    assert (always > stability_score(np.array([10, 10, 10, 10]), 20)).all()
    assert stability_score(np.zeros(5, dtype=int), 20).tolist() == [0.0] * 31
    assert stability_score(np.full(5, 20), 20).tolist() == [0.0] * 31


def test_calibration_takes_the_largest_score_that_is_allowed():
    counts = np.array([[20, 2, 1, 1], [20, 19, 1, 0], [20, 19, 12, 9], [20] * 4])
    scores = np.array([stability_score(row, 20) for row in counts])
    assert scores[1].max() == scores.max()
    assert calibrate_q_and_threshold(counts, 20, None, "none") == (
        2,
        THRESHOLDS[int(scores[1].argmax())],
    )
    q, threshold = calibrate_q_and_threshold(counts, 20, 0.4, "none")
    assert q == 1
    assert error_bound(4, q, threshold, n_pairs=10, assumption="none") <= 0.4


def test_calibrated_thresholds_find_what_is_there():
    rng = np.random.default_rng(1)
    y = np.arange(100) % 2
    X = rng.normal(size=(100, 60))
    X[:, :6] += 1.6 * y[:, None]
    free = quick(threshold="calibrated", pfer=None).fit(X, y)
    assert np.flatnonzero(free.support_).tolist() == list(range(6))
    assert free.q_ == 6
    bound = quick(threshold="calibrated", pfer=0.5).fit(X, y)
    assert bound.error_bound_ <= 0.5
    assert quick(threshold="calibrated", pfer=None, q=3).fit(X, y).q_ <= 3


@pytest.mark.parametrize("base", [hf.L1Path(n_penalties=8), hf.TScore()])
@pytest.mark.parametrize("classes", [2, 3])
def test_what_calibration_found_can_be_asked_for(base, classes):
    """Many features enter at the same penalty of a short path; no order is lost."""
    X, y = example(classes)
    found = quick(base, threshold="calibrated", pfer=None, q=5).fit(X, y)
    again = quick(base, threshold=found.threshold_, pfer=None, q=found.q_).fit(X, y)
    assert again.scores_.tolist() == found.scores_.tolist()
    assert again.support_.tolist() == found.support_.tolist()
    assert again.stability_path_.steps.tolist() == found.stability_path_.steps.tolist()


def test_resamples_are_seeded_by_their_positions():
    X, y = example(3)
    rng = np.random.default_rng(0)
    rows = [rng.permutation(60)[:50] for _ in range(4)] + [rng.integers(0, 60, 60)]
    whole = quick().score_resamples(X, y, rows).values
    parts = [quick().score_resamples(X, y, rows[i : i + 1], first=i).values[0] for i in range(5)]
    assert whole.tolist() == np.array(parts).tolist()
    alone = quick().fit(X[rows[0]], y[rows[0]])
    assert alone.scores_.tolist() == whole[0].tolist()


def test_bases_may_be_spelled_and_options_too():
    X, y = example()
    spelled = as_selector(
        "stability_selection:base=t_score,sampling=half,assumption=none,n_pairs=10"
    )
    made = quick(sampling=HALF, assumption="none")
    assert spelled.fit(X, y).scores_.tolist() == made.fit(X, y).scores_.tolist()
    assert made.error_bound_ == error_bound(8, made.q_, 0.75, assumption=None)


def test_missing_values_are_taken_where_the_base_takes_them():
    X, y = example()
    X[3, 4] = np.nan
    relief = quick(hf.ReliefF())
    assert relief.supports_missing
    assert relief.fit(X, y).support_[0]
    with pytest.raises(ValueError, match="NaN"):
        quick().fit(X, y)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_several_classes_and_narrow_numbers(kind):
    X, y = example(3)
    assert quick(None).fit(X.astype(kind), y).support_[:2].all()


@pytest.mark.parametrize(
    ("how", "error", "words"),
    [
        ({"sampling": "halves"}, UnknownNameError, "Did you mean 'half'"),
        ({"sampling": HALF}, InvalidInputError, "allows assumption='none' only"),
        ({"assumption": "bimodal"}, UnknownNameError, "Did you mean 'unimodal'"),
        ({"threshold": "calibrate"}, InvalidInputError, "None or 'calibrated'"),
        ({"threshold": 0.3}, InvalidInputError, r"from 0\.5 to 1"),
        ({"q": 0, "pfer": None}, InvalidInputError, "q must be"),
        ({"q": 2.5, "pfer": None}, InvalidInputError, "q must be"),
        ({"pfer": 0}, InvalidInputError, "must be above 0"),
        ({"base": hf.KMeansGroups()}, InvalidInputError, "KMeansGroups gives groups"),
        ({"base": hf.RandomSubset()}, InvalidInputError, "RandomSubset gives a subset"),
    ],
)
def test_invalid_parameters_of_stability_selection_are_refused(how, error, words):
    X, y = example()
    with pytest.raises(error, match=words):
        quick(**how).fit(X, y)


def test_few_halves_drawn_one_by_one_are_warned_of():
    X, y = example()
    how = {"assumption": "none", "q": 2, "pfer": None}
    with pytest.warns(
        HoldfastWarning, match="18 unpaired halves are too few.* complementary pairs"
    ):
        hf.StabilitySelection(hf.TScore(), n_pairs=9, sampling=HALF, **how).fit(X, y)
    hf.StabilitySelection(hf.TScore(), n_pairs=10, sampling=HALF, **how).fit(X, y)
    hf.StabilitySelection(hf.TScore(), n_pairs=1, **how).fit(X, y)


def test_classes_that_cannot_be_halved_are_named():
    X, y = example()
    labels = np.where(np.arange(60) < 3, "rare", np.where(y == 0, "a", "b"))
    with pytest.raises(InvalidInputError, match=r"class 'rare' has 3 samples.* 60 samples of 8"):
        quick().fit(X, labels)


def simulated(kind, blocks, seed):
    """Return data whose first three features matter; the noise may come in blocks."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 100))
    if blocks:
        X[:, 3:] = 0.6 * X[:, 3:] + 0.8 * np.repeat(rng.normal(size=(50, 10)), 10, axis=1)[:, 3:]
    if kind == "numbers":
        return X, X[:, :3].sum(axis=1) + rng.normal(size=50)
    y = np.arange(50) % 2
    X[:, :3] += 1.2 * y[:, None]
    return X, y


def correlation(X, y):
    """Return absolute correlations, not scaled by the target's width."""
    return np.abs((y - y.mean()) @ (X - X.mean(axis=0))) / X.std(axis=0)


SETTINGS = {
    "classes, top q, unimodal": (hf.TScore(), "classes", False, PAIRS, "unimodal"),
    "classes, top q, r-concave, blocks": (hf.TScore(), "classes", True, PAIRS, "r-concave"),
    "classes, top q, single halves, blocks": (hf.TScore(), "classes", True, HALF, "none"),
    "numbers, top q, r-concave": (correlation, "numbers", False, PAIRS, "r-concave"),
    "classes, path, unimodal, blocks": (None, "classes", True, PAIRS, "unimodal"),
    "numbers, path, single halves": (None, "numbers", False, HALF, "none"),
}


def false_and_true(setting, repeats):
    """Return the mean numbers of false and of true selections, and the bound."""
    base, kind, blocks, sampling, assumption = SETTINGS[setting]
    base = hf.L1Path(n_penalties=20, smallest=0.1) if base is None else base
    stable = hf.StabilitySelection(
        base, threshold=0.6, q=12, pfer=None, n_pairs=15, sampling=sampling, assumption=assumption
    )
    kept = np.array([stable.fit(*simulated(kind, blocks, s)).support_ for s in range(repeats)])
    return kept[:, 3:].sum() / repeats, kept[:, :3].sum() / repeats, stable.error_bound_


@pytest.mark.slow
@pytest.mark.parametrize("setting", list(SETTINGS)[:4])
def test_false_selections_stay_below_the_bound(setting):
    false, true, bound = false_and_true(setting, 25)
    assert false < bound < 8
    assert true > 2


@pytest.mark.slow
@pytest.mark.parametrize("setting", list(SETTINGS))
def test_false_selections_stay_below_the_bound_over_many_data_sets(setting):
    false, true, bound = false_and_true(setting, 50 if "path" in setting else 200)
    assert false < bound < 8
    assert true > 2


@pytest.mark.slow
@pytest.mark.parametrize(("base", "least"), [(hf.TScore(), 3), (None, 1)])
def test_markers_of_leukemia_come_back(data_folder, base, least):
    frame = pd.read_parquet(data_folder / "leukemia.parquet")
    X, y = frame.drop(columns="class"), frame["class"]
    stable = hf.StabilitySelection(base, assumption="r-concave", n_pairs=25)
    fitted = stable.fit(X, y)
    assert fitted.error_bound_ <= 1.0
    chosen = set(fitted.get_feature_names_out())
    assert least <= len(chosen) <= fitted.q_
    again = stable.set_params(random_state=1).fit(X, y)
    both = chosen & set(again.get_feature_names_out())
    assert len(both) >= 0.7 * len(chosen)


def mixed(kind, seed=0):
    """Return noise: 10 continuous features and 60 binary ones, or of one kind."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 70)), np.arange(60) % 2
    if kind == "mixed":
        X[:, 10:] = X[:, 10:] > 0
    return X, y


def test_a_base_that_favours_a_type_is_warned_of():
    with pytest.warns(HoldfastWarning, match=r"continuous features [\d.]+ times as often"):
        hf.StabilitySelection("mutual_information", n_pairs=10).fit(*mixed("mixed"))


@pytest.mark.parametrize(("base", "kind"), [("t_score", "mixed"), ("mutual_information", "one")])
def test_bases_and_data_without_favour_are_not_warned_of(base, kind):
    stable = hf.StabilitySelection(base, n_pairs=10).fit(*mixed(kind))  # a warning is an error
    assert stable.scores_.shape == (70,)


def test_the_look_for_favour_leaves_the_selection_as_it_is(monkeypatch):
    own = hf.StabilitySelection("t_score", n_pairs=10)
    looked = own.fit(*mixed("mixed")).scores_
    monkeypatch.setattr(_type_bias, "feature_types", lambda _: None)
    np.testing.assert_array_equal(own.fit(*mixed("mixed")).scores_, looked)


def test_feature_types_are_counted_by_distinct_values_without_missing_ones():
    X = np.column_stack([np.arange(30) % 2, np.arange(30) % 7, np.arange(30), np.zeros(30)])
    X = X.astype(float)
    X[3, 0] = X[4, 1] = np.nan
    assert _type_bias.feature_types(X).tolist() == [0, 1, 2, 0]
    assert _type_bias.feature_types(scipy.sparse.csr_array(X)) is None


def test_copies_of_rows_without_subjects_are_warned_of():
    X, y = mixed("one")
    twice = np.vstack([X, X[:10]]), np.append(y, y[:10])
    with pytest.warns(HoldfastWarning, match="10 of 70 rows are copies"):
        hf.StabilitySelection("t_score", n_pairs=5).fit(*twice)
    subjects = np.append(np.arange(60), np.arange(10))
    stable = hf.StabilitySelection("t_score", n_pairs=5).fit(*twice, groups=subjects)
    assert stable.scores_.shape == (70,)
