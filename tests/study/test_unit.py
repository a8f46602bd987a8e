"""What a unit of work gives, against the same by hand."""

import re
import warnings
from threading import Lock

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.io import Dataset, from_arrays, read_data
from holdfast.select import Scorer
from holdfast.study._execution._unit import restrict_selector
from holdfast.study._planning._make_plan import make_plan, make_unit_runner
from holdfast.study._planning._plan import Unit
from holdfast.study._planning._settings import check_settings
from holdfast.study._storage._store import to_floats, to_integers

WINE = read_data("@wine")


def planned(selectors, data=WINE, **given):
    """Plan a study, by default of two sizes; selectors with a size of their own take None."""
    usual = {
        "protocol": hf.Subsampling(6, 0.8), "sizes": [2, 5], "classifiers": ["linear_svm"],
        "measures": ["nogueira"], "impute": None, "replication": 0, "until_width": None, "seed": 3,
    }  # fmt: skip
    plan = make_plan(check_settings(selectors=selectors, **{**usual, **given}), data)
    return plan, make_unit_runner(plan, data)


def outcomes(plan, work):
    return [outcome for unit in plan.units() for outcome in work.run(unit)]


def form(outcome, name):
    return dict(outcome.preferences)[name]


def test_a_unit_gives_what_a_fit_by_hand_gives():
    plan, work = planned("t_score")
    for outcome in outcomes(plan, work):
        train = plan.resamples[outcome.resample].train
        fitted = hf.TScore().fit(WINE.X[train], WINE.codes[train])
        best = np.argsort(fitted.ranking_)
        assert to_integers(form(outcome, "top")).tolist() == best.tolist()


def test_whole_rankings_are_kept_unless_they_are_too_many(monkeypatch):
    plan, work = planned("t_score")
    assert plan.depth == len(to_integers(form(outcomes(plan, work)[0], "top"))) == 13
    monkeypatch.setattr(
        "holdfast.study._planning._plan.MAX_STORED_FEATURES", 6 * 8
    )  # one selector on six resamples
    plan, work = planned("t_score")
    assert plan.depth == len(to_integers(form(outcomes(plan, work)[0], "top"))) == 8
    monkeypatch.setattr("holdfast.study._planning._plan.MAX_STORED_FEATURES", 1)
    assert planned("t_score")[0].depth == 5, "the largest size is always there"


def test_no_more_is_kept_than_every_resample_offers():
    plan, work = planned("t_score", protocol=hf.FeatureSubsets(6, 0.5))
    offered = {len(one.features) for one in plan.resamples}
    assert {plan.depth} == offered
    for outcome in outcomes(plan, work):
        features = plan.resamples[outcome.resample].features
        assert set(to_integers(form(outcome, "top"))) == set(features)


def test_inner_resamples_are_classified_as_the_choice_inside_each_fold_needs_it():
    plan, work = planned("t_score", protocol=hf.Nested(3, 2))
    for outcome in outcomes(plan, work):
        tested = len(plan.resamples[outcome.resample].test)
        assert [len(to_integers(row[2])) for row in outcome.predictions] == [tested, tested]


def test_classifiers_see_the_selected_features_of_the_training_part_only():
    plan, work = planned("t_score")
    outcome = outcomes(plan, work)[2]
    resample, top = plan.resamples[2], to_integers(form(outcome, "top"))
    assert [row[:2] for row in outcome.predictions] == [(2, 0), (5, 0)]
    for size, _, predicted, scores, actual in outcome.predictions:
        model = make_pipeline(StandardScaler(), SVC(kernel="linear", C=0.5))
        model.fit(WINE.X[np.ix_(resample.train, top[:size])], WINE.codes[resample.train])
        test = WINE.X[np.ix_(resample.test, top[:size])]
        assert to_integers(predicted).tolist() == model.predict(test).tolist()
        expected = model.decision_function(test)
        assert np.allclose(to_floats(scores).reshape(-1, 3), expected, rtol=1e-12, atol=1e-12)
        assert actual is None


def test_blocks_and_single_units_give_the_same():
    plan, work = planned(["relieff", "random_score", "forest_importance"], classifiers=())
    assert max(plan.blocks) > 1 or len(plan.resamples) <= 8
    for selector in range(3):
        together = work.run(Unit(selector, 0, 6))
        single = [one for at in range(6) for one in work.run(Unit(selector, at, at + 1))]
        assert [o.preferences for o in together] == [o.preferences for o in single]


def test_a_unit_depends_on_its_position_alone():
    plan, work = planned("random_score", classifiers=["random_forest"])
    first, again = (work.run(Unit(0, 4, 5))[0] for _ in range(2))
    assert (first.preferences, first.predictions) == (again.preferences, again.predictions)
    tops = {form(one, "top") for one in outcomes(plan, work)}
    assert len(tops) == 6


def test_two_selectors_do_not_share_their_chance():
    _, work = planned({"one": "random_score", "two": "random_score"})
    one, two = (work.run(Unit(selector, 0, 1))[0] for selector in (0, 1))
    assert one.preferences != two.preferences


def test_weights_and_ranks_are_kept_where_a_measure_wants_them():
    _, work = planned("t_score", measures=["pearson", "spearman"], classifiers=())
    outcome = work.run(Unit(0, 0, 1))[0]
    weights, ranks = to_floats(form(outcome, "weights")), to_integers(form(outcome, "ranks"))
    assert np.array_equal(np.argsort(-weights), np.argsort(ranks))
    _, work = planned("t_score", classifiers=())
    assert [name for name, _ in work.run(Unit(0, 0, 1))[0].preferences] == ["top"]


def test_a_selector_of_scikit_learn_keeps_its_own_size():
    plan, work = planned([SelectKBest(f_classif, k=4)], sizes=None)
    outcome = outcomes(plan, work)[1]
    train = plan.resamples[1].train
    fitted = SelectKBest(f_classif, k=4).fit(WINE.X[train], WINE.codes[train])
    assert (
        to_integers(form(outcome, "subset")).tolist()
        == np.flatnonzero(fitted.get_support()).tolist()
    )
    assert [row[0] for row in outcome.predictions] == [0]


def nothing(X, y):
    return np.zeros(X.shape[1])


class Nobody(hf.AnySelector):
    """Selects nothing at all."""

    selects_own_size = True

    def fit(self, X, y):
        super().fit(X, y)
        self.support_[:] = False
        return self


def test_an_empty_selection_predicts_the_largest_class():
    plan, work = planned([Nobody(nothing)], sizes=None)
    outcome = work.run(Unit(0, 0, 1))[0]
    predicted = to_integers(outcome.predictions[0][2])
    largest = np.bincount(WINE.codes[plan.resamples[0].train]).argmax()
    assert set(predicted.tolist()) == {int(largest)}
    assert not to_floats(outcome.predictions[0][3]).any()  # scores that tell nothing apart


class Picky(Scorer):
    """A batch path that cannot stand one of the resamples."""

    def __init__(self, *, hated=None, n_features_to_select=None, random_state=0):
        self.hated = hated
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        return X.mean(axis=0)

    def _score_many(self, X, y, rows, seeded):
        if any(row[0] == self.hated for row in rows):
            raise ValueError("not this one")
        return super()._score_many(X, y, rows, seeded)


def test_a_failed_block_is_run_again_resample_by_resample():
    plan, _ = planned("t_score")
    hated = int(plan.resamples[1].train[0])
    alike = [int(one.train[0]) == hated for one in plan.resamples]
    _, work = planned([Picky(hated=hated)], classifiers=())
    found = work.run(Unit(0, 0, 6))
    assert [one.resample for one in found] == list(range(6))
    assert [one.message is not None for one in found] == alike
    assert found[1].message == "ValueError: not this one"
    assert found[1].preferences == []


def test_a_classifier_that_fails_says_so():
    class Broken(SVC):
        def fit(self, X, y):
            raise RuntimeError("out of order")

    _, work = planned("t_score", classifiers={"broken": Broken()})
    assert work.run(Unit(0, 0, 1))[0].message == "RuntimeError: out of order"


@pytest.mark.parametrize("error", ["bad \udcff", KeyboardInterrupt(), "mute"])
def test_whatever_a_selector_raises_is_a_message(error):
    class MuteError(Exception):
        def __str__(self):
            raise RuntimeError

    def raising(X, y):
        if isinstance(error, BaseException):
            raise error
        raise MuteError if error == "mute" else ValueError(error)

    message = planned([raising])[1].run(Unit(0, 0, 1))[0].message
    assert message.encode("utf-8")
    assert message in {"ValueError: bad \\udcff", "KeyboardInterrupt", "MuteError"}


def failure_of(error):
    def raising(X, y):
        raise error

    return planned([raising])[1].run(Unit(0, 0, 1))[0].message


@pytest.mark.parametrize("kind", [GeneratorExit, SystemExit, KeyboardInterrupt, BaseException])
def test_what_is_no_exception_fails_its_unit_too(kind):
    assert failure_of(kind("enough")) == f"{kind.__name__}: enough"


def test_messages_of_failures_hold_no_addresses():
    assert re.fullmatch(r"ValueError: <object object>", failure_of(ValueError(object())))


def test_messages_of_failures_do_not_move_the_cursor():
    message = failure_of(ValueError("a\x1b[2Jb\rc\x00d\u202ee\u2028f\ng\x9b"))
    assert message == r"ValueError: a\x1b[2Jb\rc\x00d\u202ee\u2028f" + "\n" + r"g\x9b"


def test_messages_of_failures_are_bounded():
    message = failure_of(ValueError("x" * 10**6))
    assert len(message) == 500
    assert message.endswith("xxx ... (shortened)")


def test_scores_of_pairs_of_classes_are_not_taken_for_scores_of_classes():
    _, work = planned("t_score", classifiers={"ovo": SVC(decision_function_shape="ovo")})
    assert work.run(Unit(0, 0, 1))[0].predictions[0][3] is None
    likely = SVC(decision_function_shape="ovo", probability=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # recent versions deprecate `probability`
        outcome = planned("t_score", classifiers={"p": likely})[1].run(Unit(0, 0, 1))[0]
    assert np.allclose(to_floats(outcome.predictions[0][3]).reshape(-1, 3).sum(axis=1), 1)


def test_features_that_were_not_offered_are_not_selected():
    with pytest.warns(HoldfastWarning, match="spearman cannot be computed for select_k_best"):
        plan, work = planned(
            ["t_score", SelectKBest(k=3)],
            protocol=hf.FeatureSubsets(5, 0.5),
            measures=["nogueira", "spearman"],
            sizes=None,
        )
    assert plan.classifiers == {}  # nothing is left out for testing
    for outcome in outcomes(plan, work):
        offered = plan.resamples[outcome.resample].features
        for name in dict(outcome.preferences).keys() & {"top", "subset"}:
            assert set(to_integers(form(outcome, name))) <= set(offered)
        if outcome.selector == 0:
            ranks = to_integers(form(outcome, "ranks"))
            assert sorted(ranks) == list(range(1, 14))
            assert set(ranks[offered]) == set(range(1, len(offered) + 1))


def test_noise_changes_the_training_part_by_its_position():
    plan, work = planned("t_score", protocol=hf.AddedNoise(3, 0.5), measures=["pearson"])
    weights = [to_floats(form(one, "weights")) for one in outcomes(plan, work)]
    assert not np.array_equal(weights[0], weights[1])
    again = to_floats(form(work.run(Unit(0, 1, 2))[0], "weights"))
    assert np.array_equal(weights[1], again)


def test_independent_samples_are_drawn_for_training_and_testing():
    data = read_data("@simulated")
    plan, work = planned("t_score", data, protocol=hf.IndependentSamples(3), measures=["pearson"])
    found = outcomes(plan, work)
    assert len({form(one, "weights") for one in found}) == 3
    for one in found:
        actual = to_integers(one.predictions[0][4])
        assert len(actual) == data.n_samples
        assert set(actual) == {0, 1}
    with pytest.raises(InvalidInputError, match="data from a generator"):
        planned("t_score", protocol=hf.IndependentSamples(3))


def with_gaps():
    rng = np.random.default_rng(0)
    X = WINE.X.copy()
    X[rng.random(X.shape) < 0.05] = np.nan
    return from_arrays(X, WINE.y)


def test_missing_values_are_refused_or_imputed_within_the_training_part():
    data = with_gaps()
    with pytest.raises(InvalidInputError, match=r"missing values.*: t_score.*--impute median"):
        planned(["relieff", "t_score"], data)
    plan, work = planned(["relieff", "t_score"], data, impute="median")
    assert plan.blocks[1] == 1
    outcome = work.run(Unit(1, 2, 3))[0]
    train = plan.resamples[2].train
    medians = np.nanmedian(data.X[train], axis=0)
    filled = np.where(np.isnan(data.X[train]), medians, data.X[train])
    best = np.argsort(hf.TScore().fit(filled, data.codes[train]).ranking_)
    assert to_integers(form(outcome, "top")).tolist() == best.tolist()
    assert len(outcome.predictions) == 2
    with pytest.raises(InvalidInputError, match="yu compare features by their data"):
        planned("relieff", data, measures=["yu"])
    assert all(one.message is None for one in outcomes(plan, work))


def test_nominal_features_reach_the_selectors_that_know_them():
    rng = np.random.default_rng(1)
    X = np.column_stack((rng.integers(0, 4, 80), rng.normal(size=(80, 5)))).astype(float)
    data = Dataset(
        X=X, y=np.array(["a", "b"])[np.arange(80) % 2], feature_names=tuple("uvwxyz"), nominal=(0,)
    )
    with pytest.warns(HoldfastWarning, match="treated as numbers by t_score"):
        _, work = planned(["relieff", "t_score"], data, sizes=[2])
    assert work.selectors[0].nominal == [0]
    _, work = planned("relieff", data, sizes=[2], protocol=hf.FeatureSubsets(4, 0.5))
    assert work.run(Unit(0, 1, 2))[0].message is None


def test_which_features_are_nominal_is_reported_of_those_offered():
    for nominal in ([2, 3], [False, False, True, True]):
        told = restrict_selector(hf.ReliefF(nominal=nominal), np.array([0, 1, 3]), 4)
        assert told.nominal == [2]
    assert restrict_selector(hf.ReliefF(), np.array([0, 1]), 4).nominal is None


def test_selectors_within_selectors_are_reported_of_nominal_features_offered():
    nested = hf.StabilitySelection(hf.ReliefF(nominal=[2, 3]))
    told = restrict_selector(nested, np.array([0, 1, 3]), 4)
    assert told.base.nominal == [2]
    assert nested.base.nominal == [2, 3]


def test_noise_leaves_nominal_features_alone():
    rng = np.random.default_rng(2)
    y = np.array(["a", "b"])[np.arange(60) % 2]
    X = np.column_stack((np.arange(60) % 2, rng.normal(size=(60, 6)))).astype(float)
    names = tuple("tuvwxyz")
    data = Dataset(X=X, y=y, feature_names=names, nominal=(0,))
    plan, work = planned("relieff", data, sizes=[1], protocol=hf.AddedNoise(4, 0.3))
    assert {to_integers(form(one, "top"))[0] for one in outcomes(plan, work)} == {0}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sizes": [14]}, "between 1 and the 13 features"),
        ({"sizes": [10], "protocol": hf.FeatureSubsets(3, 0.5)}, "offers only 7"),
        ({"measures": ["pearson"], "protocol": hf.FeatureSubsets(3, 0.5)}, "measures of weights"),
        ({"selectors": "svm_rfe:C=-1"}, "selector svm_rfe: C must"),
        ({"selectors": {"lock": hf.AnySelector(Lock().acquire)}}, "lock cannot be sent"),
        ({"classifiers": [LinearRegression()]}, "the regressor LinearRegression"),
        ({"classifiers": ["linear_svm:C=-1"]}, "classifier linear_svm: The 'C' parameter"),
    ],
)
def test_what_cannot_work_is_refused_before_work_starts(given, words):
    with pytest.raises(InvalidInputError, match=words):
        planned(**{"selectors": "t_score", **given})


def test_hopeless_labels_are_refused():
    X = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(InvalidInputError, match="two classes"):
        planned("t_score", from_arrays(X, ["a"] * 10), sizes=[1])
    with pytest.raises(InvalidInputError, match="two samples"):
        planned("t_score", from_arrays(X, ["a"] * 9 + ["b"]), sizes=[1])


def test_usual_sizes_fit_the_data():
    assert planned("t_score", sizes=None)[0].sizes == (5, 10)
    one = from_arrays(np.arange(20.0)[:, None], np.arange(20) % 2)
    assert planned("t_score", one, sizes=None)[0].sizes == (1,)
    assert planned("t_score", sizes=[0.5, 2, 7])[0].sizes == (2, 7)


def test_clones_of_selectors_are_seeded_by_the_study():
    _, work = planned([hf.RandomScore(random_state=77)])
    other = planned([hf.RandomScore(random_state=77)], seed=4)[1]
    assert work.selectors[0].random_state != other.selectors[0].random_state
    assert clone(work.selectors[0]).random_state == work.selectors[0].random_state
