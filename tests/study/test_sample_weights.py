"""Weights of samples: what a study fits with them, and what it refuses."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError, StoreError
from holdfast.judge import Pair
from holdfast.report import make_report
from holdfast.select import sample_weight_argument
from holdfast.study._planning._make_plan import make_plan, make_unit_runner
from holdfast.study._planning._plan import Unit
from holdfast.study._storage._store_checks import StoreContentError, check_plan
from tests.select.test_recognition import L1
from tests.study.small_data import small_data

X, Y = small_data(12)
WEIGHTS = np.random.default_rng(3).integers(1, 5, len(Y)).astype(float)
MODEL = LogisticRegression(tol=1e-10, max_iter=1000)
SETTINGS = {
    "protocol": hf.Bootstrap(6),
    "sizes": [4],
    "measures": ["nogueira", "pearson"],  # which needs the weights of features
    "replication": 2,
}


def weighted_study(**options):
    settings = {"selectors": {"logistic": MODEL}, "classifiers": [GaussianNB()]}
    return hf.Study(**(SETTINGS | settings | options))


@pytest.fixture(scope="module")
def result():
    return weighted_study().run(X, Y, sample_weight=WEIGHTS, n_jobs=1)


def stored_scores(result):
    """Return the scores on each resample as they are stored."""
    query = "SELECT resample, data FROM preferences WHERE form = 'weights' ORDER BY resample"
    return {row: np.frombuffer(data) for row, data in result.store.query(query)}


def test_a_weighted_selector_gives_what_scikit_learn_gives_to_the_last_digit(result):
    scores = stored_scores(result)
    assert len(scores) == len(result.store.resamples())
    for number, resample in enumerate(result.store.resamples()):
        rows = resample.train
        model = clone(MODEL).fit(X[rows], Y[rows], sample_weight=WEIGHTS[rows])
        np.testing.assert_array_equal(scores[number], np.abs(model.coef_[0]))


def test_an_integer_weight_counts_like_copies(result):
    for number, resample in enumerate(result.store.resamples()):
        rows = np.repeat(resample.train, WEIGHTS[resample.train].astype(int))
        model = clone(MODEL).fit(X[rows], Y[rows])
        np.testing.assert_allclose(stored_scores(result)[number], np.abs(model.coef_[0]), rtol=1e-5)


def test_a_weighted_classifier_predicts_as_scikit_learn_does(result):
    told = result.predictions
    for number, resample in enumerate(result.store.resamples()):
        if not len(resample.test):
            continue
        rows, weights = resample.train, WEIGHTS[resample.train]
        best = np.argsort(-stored_scores(result)[number])[:4]
        scaler = StandardScaler().fit(X[rows][:, best], sample_weight=weights)
        model = GaussianNB().fit(scaler.transform(X[rows][:, best]), Y[rows], weights)
        expected = model.predict(scaler.transform(X[resample.test][:, best]))
        ours = told.loc[told["resample"] == number, "predicted"].astype(int)
        assert ours.tolist() == expected.tolist()


def test_equal_weights_change_nothing_and_others_do(result):
    plain = weighted_study().run(X, Y, n_jobs=1)
    equal = weighted_study().run(X, Y, sample_weight=np.ones(len(Y)), n_jobs=1)
    for number, scores in stored_scores(plain).items():
        np.testing.assert_allclose(scores, stored_scores(equal)[number], rtol=1e-12)
        assert not np.allclose(scores, stored_scores(result)[number], rtol=1e-3)


@pytest.mark.integration
def test_results_do_not_depend_on_the_number_of_processes(result):
    other = weighted_study().run(X, Y, sample_weight=WEIGHTS, n_jobs=2)
    for number, scores in stored_scores(result).items():
        np.testing.assert_array_equal(scores, stored_scores(other)[number])
    assert result.predictions.equals(other.predictions)


def test_selectors_of_their_own_size_and_functions_get_weights():

    def score(X, y, sample_weight):
        return np.abs((X * sample_weight[:, None]).sum(axis=0))

    sparse = SelectFromModel(LogisticRegression(C=0.1, solver="liblinear", **L1))
    selectors = {"score": hf.AnySelector(score, returns="scores"), "sparse": sparse}
    study = weighted_study(
        selectors=selectors, classifiers=(), sizes=None, measures=["nogueira"], replication=0
    )
    found = study.run(X, Y, sample_weight=WEIGHTS, n_jobs=1)
    for number, resample in enumerate(found.store.resamples()):
        rows = resample.train
        model = sparse.fit(X[rows], Y[rows], sample_weight=WEIGHTS[rows])
        subset = found.preferences["sparse", "own"][number]
        assert sorted(subset.tolist()) == np.flatnonzero(model.get_support()).tolist()
        expected = np.abs((X[rows] * WEIGHTS[rows, None]).sum(axis=0))
        best = found.preferences["score", 5][number]
        assert sorted(best.tolist()) == sorted(np.argsort(-expected)[:5].tolist())


@pytest.mark.parametrize(
    ("estimator", "argument"),
    [
        (LogisticRegression(), "sample_weight"),
        (KNeighborsClassifier(), None),
        (LinearDiscriminantAnalysis(), None),
        (SelectKBest(), None),
        (SelectFromModel(LogisticRegression()), "sample_weight"),
        (SelectFromModel(KNeighborsClassifier()), None),
        (RFE(LogisticRegression()), "sample_weight"),
        (RFECV(LogisticRegression()), None),
        (GridSearchCV(LogisticRegression(), {"C": [1, 2]}), "sample_weight"),
        (
            Pipeline([("select", SelectKBest(k=2)), ("fit", GaussianNB())]),
            "fit__sample_weight",
        ),
        (Pipeline([("fit", GaussianNB()), ("end", "passthrough")]), None),
        (SelectFromModel(make_pipeline(LogisticRegression())), "logisticregression__sample_weight"),
    ],
    ids=repr,
)
def test_the_argument_that_weighs_samples_is_one_that_fit_takes(estimator, argument):
    assert sample_weight_argument(estimator) == argument
    if argument is None:
        with pytest.raises((TypeError, ValueError, AttributeError)):
            estimator.fit(X, Y, sample_weight=WEIGHTS)
    elif "pipeline" not in argument:  # whose importances SelectFromModel cannot read
        estimator.fit(X, Y, **{argument: WEIGHTS})


def test_what_ignores_the_weights_is_named_before_the_run_in_the_plan_and_in_the_report():
    study = weighted_study(
        selectors={"logistic": LogisticRegression(), "f_score": "f_score"},
        classifiers=["linear_svm", "knn3"],
    )
    with pytest.warns(HoldfastWarning, match="f_score, knn3 ignore the sample weights"):
        found = study.run(X, Y, sample_weight=WEIGHTS, n_jobs=1)
    assert found.plan["weighting"] == {
        "ignored_by": {"selectors": ["f_score"], "classifiers": ["knn3"]}
    }
    methods = make_report(found)["methods"]
    fact = dict(methods["data"])["Sample weights"]
    assert "f_score and knn3 ignore the sample weights" in re.sub("[\u2068\u2069]", "", fact)
    assert "Samples were weighted in all fits that take weights" in methods["paragraph"]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (WEIGHTS[:-1], "one entry per sample"),
        (np.where(np.arange(60) == 7, -1, WEIGHTS), "at least 0, got -1 for sample 7"),
        (np.where(np.arange(60) == 7, np.nan, WEIGHTS), "at least 0, got nan for sample 7"),
        (np.where(np.arange(60) == 7, np.inf, WEIGHTS), "at least 0, got inf for sample 7"),
        (np.zeros(60), "must not all be 0"),
        (["a"] * 60, "one number per sample"),
        (np.ones((60, 2)), "one number per sample"),
        (np.ones(60) * 1j, "one number per sample"),
        (np.where(Y == 1, 0.0, 1.0), "training part of resample 0 holds a class whose samples"),
    ],
)
def test_impossible_weights_are_refused_before_the_run(weights, message):
    with pytest.raises(InvalidInputError, match=message):
        weighted_study().run(X, Y, sample_weight=weights, n_jobs=1)


def test_weights_that_nothing_uses_are_refused():
    study = weighted_study(selectors=["t_score", "relieff"], classifiers=["knn3"])
    with pytest.raises(InvalidInputError, match="no selector or classifier uses the sample weight"):
        study.run(X, Y, sample_weight=WEIGHTS, n_jobs=1)


def test_weights_do_not_fit_samples_that_are_drawn():
    study = weighted_study(protocol=hf.IndependentSamples(3), replication=0)
    data = hf.io.read_data("@simulated")
    weighted = replace(data, sample_weight=np.ones(data.n_samples))
    with pytest.raises(InvalidInputError, match="weights belong to samples"):
        study.run(weighted, n_jobs=1)


def test_a_training_part_of_a_class_without_weight_fails_in_the_run_too(result):
    # as drawn by a study that decides during the run how many resamples it has
    data = hf.io.from_arrays(X, Y, sample_weight=WEIGHTS)
    settings = weighted_study()._settings
    runner = make_unit_runner(make_plan(settings, data), data)
    one_class = replace(runner, sample_weight=np.where(Y == 1, 0.0, 1.0))
    (unit,) = one_class.run(Unit(0, 0, 1))
    assert "holds a class whose samples all have the weight 0" in unit.message


@pytest.mark.parametrize("groups", [None, np.arange(60) // 4 * 2 + np.arange(60) % 2])
def test_weights_go_with_subjects_and_with_a_rule_to_stop(groups, tmp_path):
    study = weighted_study(
        protocol=hf.Subsampling(40, 0.8), measures=["nogueira"], until_width=0.6, replication=None
    )
    found = study.run(X, Y, groups=groups, sample_weight=WEIGHTS, n_jobs=1, out=tmp_path / "run")
    assert found.complete
    assert not len(found.failures)
    assert hf.resume(tmp_path / "run", n_jobs=1).complete


def test_a_data_set_takes_no_other_weights():
    data = hf.io.from_arrays(X, Y, sample_weight=WEIGHTS)
    with pytest.raises(InvalidInputError, match="includes its labels"):
        weighted_study().run(data, sample_weight=WEIGHTS)


def test_weights_are_part_of_the_data(tmp_path, result):
    study = weighted_study()
    study.run(X, Y, sample_weight=WEIGHTS, n_jobs=1, out=tmp_path / "run", part="1/2")
    with pytest.raises(StoreError, match="another study"):
        study.run(X, Y, n_jobs=1, out=tmp_path / "run")
    resumed = hf.resume(tmp_path / "run", n_jobs=1)
    assert resumed.complete
    for number, scores in stored_scores(resumed).items():
        np.testing.assert_array_equal(scores, stored_scores(result)[number])


def test_parts_with_weights_are_merged(tmp_path, result):
    study = weighted_study()
    for part in (1, 2):
        study.run(X, Y, sample_weight=WEIGHTS, n_jobs=1, out=tmp_path / str(part), part=f"{part}/2")
    merged = hf.merge([tmp_path / "1", tmp_path / "2"], tmp_path / "whole")
    assert merged.complete
    assert merged.plan["weighting"] == result.plan["weighting"]
    assert merged.predictions.equals(result.predictions)


def test_the_pipeline_is_fitted_with_weights(result):
    pair = Pair("logistic", "gaussian_nb", 4)
    model = result.pipeline(X, Y, sample_weight=WEIGHTS, chosen=pair)
    of_data = hf.io.from_arrays(X, Y, sample_weight=WEIGHTS)
    frame = pd.DataFrame(X, columns=of_data.feature_names)
    predicted = result.pipeline(of_data, chosen=pair).predict(frame)
    assert predicted.tolist() == model.predict(X).astype(str).tolist()
    fitted = clone(MODEL).fit(X, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(model["select"].scores_, np.abs(fitted.coef_[0]))
    np.testing.assert_array_equal(
        model["classify"].class_prior_, np.bincount(Y, WEIGHTS) / WEIGHTS.sum()
    )
    with pytest.raises(InvalidInputError, match="samples of the study have weights"):
        result.pipeline(X, Y, chosen=pair)


def test_a_plan_without_weights_is_as_before():
    plain = weighted_study().run(X, Y, n_jobs=1)
    assert "weighting" not in json.loads(json.dumps(plain.plan))
    with pytest.raises(InvalidInputError, match="have no weights"):
        plain.pipeline(X, Y, sample_weight=WEIGHTS, chosen=Pair("logistic", "gaussian_nb", 4))


@pytest.mark.parametrize(
    "section",
    [
        None,
        [],
        {},
        {"ignored_by": None},
        {"ignored_by": {"selectors": []}},
        {"ignored_by": {"selectors": [1], "classifiers": []}},
        {"ignored_by": {"selectors": "logistic", "classifiers": []}},
    ],
    ids=repr,
)
def test_a_damaged_section_of_a_plan_is_refused(result, section):
    with pytest.raises(StoreContentError, match=r"weighting|ignored_by"):
        check_plan({**result.plan, "weighting": section})
    check_plan(result.plan)
