"""The recommended pair fitted to all data does what the study did."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest

import holdfast as hf
from holdfast.errors import InvalidInputError, StudyError, UnknownNameError
from holdfast.judge import Pair
from holdfast.study._recommendation import fitted_pipeline

WINE = hf.io.read_data("@wine")
NAMES = list(WINE.feature_names)


def holed():
    """Return the wines with every ninth value missing, and a feature nearly so."""
    X = WINE.X.copy()
    X.flat[::9] = np.nan
    X[3:, 4] = np.nan
    return X


def studied(X, **options):
    study = hf.Study(
        {"F": hf.FScore(), "relieff": hf.ReliefF(), "own": SelectKBest(k=3)},
        protocol=hf.Subsampling(3, 0.8),
        sizes=[2, 4],
        classifiers={"svm": "linear_svm", "lda": "lda", "forest": "random_forest"},
        **options,
        replication=0,
    )
    return study.run(X, WINE.y, n_jobs=1)


@pytest.fixture(scope="module")
def whole():
    with pytest.warns(hf.errors.HoldfastWarning, match="chooses? the number of features"):
        return studied(WINE.X)


@pytest.fixture(scope="module")
def missing():
    with pytest.warns(hf.errors.HoldfastWarning, match="chooses? the number of features"):
        return studied(holed(), impute="median")


@pytest.mark.parametrize("selector", [("F", 2), ("F", 4), ("relieff", 4), ("own", "own")])
@pytest.mark.parametrize("classifier", ["svm", "lda"])
@pytest.mark.parametrize("data", ["whole", "missing"])
def test_fitted_to_a_training_part_it_predicts_as_the_study_did(
    selector, classifier, data, request
):
    result = request.getfixturevalue(data)
    X = WINE.X if data == "whole" else holed()
    name, size = selector
    told = result.predictions
    told = told[(told["selector"] == name) & (told["classifier"] == classifier)]
    told = told[told["size"] == size]
    for number, resample in enumerate(result.store.resamples()):
        pair = Pair(name, classifier, size)
        model = fitted_pipeline(result.plan, pair, X[resample.train], WINE.y[resample.train])
        expected = told.loc[told["resample"] == number, "predicted"].astype(str).tolist()
        assert model.predict(X[resample.test]).tolist() == expected
        assert len(expected) == len(resample.test)


def test_medians_come_before_a_selector_that_does_not_take_missing_values(missing):
    before = fitted_pipeline(missing.plan, Pair("F", "lda", 2), holed(), WINE.y)
    after = fitted_pipeline(missing.plan, Pair("relieff", "lda", 2), holed(), WINE.y)
    assert list(before.named_steps) == ["impute", "select", "scale", "classify"]
    assert list(after.named_steps) == ["select", "impute", "scale", "classify"]


def test_labels_stay_as_the_user_gives_them(whole):
    numbers = np.searchsorted(WINE.classes, WINE.y) * 10 - 5
    model = fitted_pipeline(whole.plan, Pair("F", "lda", 4), WINE.X, numbers)
    assert set(model.predict(WINE.X)) == {-5, 5, 15}
    assert model.score(WINE.X, numbers) > 0.9


def test_frames_and_data_sets_keep_the_names_of_features(whole):
    pair = Pair("F", "svm", 2)
    frame = pd.DataFrame(WINE.X, columns=NAMES)
    of_frame = fitted_pipeline(whole.plan, pair, frame, WINE.y)
    of_data = fitted_pipeline(whole.plan, pair, WINE)
    names = of_frame[:-1].get_feature_names_out().tolist()
    assert names == of_data[:-1].get_feature_names_out().tolist()
    assert set(names) <= set(NAMES)
    assert (of_frame.predict(frame) == of_data.predict(frame)).all()
    assert list(of_frame.named_steps) == ["select", "scale", "classify"]


def test_without_a_classifier_it_ends_with_the_selector(whole):
    model = fitted_pipeline(whole.plan, Pair("relieff", None, 4), WINE.X, WINE.y)
    assert list(model.named_steps) == ["select"]
    assert model.transform(WINE.X).shape == (178, 4)


def test_all_that_is_random_is_seeded_by_the_study(whole):
    pair = Pair("F", "forest", 4)
    one, two = (fitted_pipeline(whole.plan, pair, WINE.X, WINE.y) for _ in range(2))
    assert (one.predict_proba(WINE.X) == two.predict_proba(WINE.X)).all()
    other = {**whole.plan, "seed": 1}
    three = fitted_pipeline(other, pair, WINE.X, WINE.y)
    assert (one.predict_proba(WINE.X) != three.predict_proba(WINE.X)).any()
    assert clone(one).get_params()["classify__random_state"] is not None


def test_it_comes_from_the_plan_alone(whole):
    plan = json.loads(json.dumps(whole.plan))
    model = fitted_pipeline(plan, Pair("own", "svm", "own"), WINE.X, WINE.y)
    assert model[0].get_support().sum() == 3


def test_what_cannot_be_imported_is_refused(whole):
    plan = json.loads(json.dumps(whole.plan))
    plan["classifiers"][1]["object"] = {"opaque": "Homemade()", "code": "12"}
    with pytest.raises(StudyError, match=r"lda cannot be rebuilt.*module"):
        fitted_pipeline(plan, Pair("F", "lda", 2), WINE.X, WINE.y)
    assert fitted_pipeline(plan, Pair("F", "svm", 2), WINE.X, WINE.y)


def test_other_features_and_unknown_names_are_refused(whole):
    pair = Pair("F", "lda", 2)
    with pytest.raises(InvalidInputError, match=r"13 features, these data have 12"):
        fitted_pipeline(whole.plan, pair, WINE.X[:, 1:], WINE.y)
    with pytest.raises(InvalidInputError, match="X and y, or only a Dataset"):
        fitted_pipeline(whole.plan, pair, WINE.X)
    with pytest.raises(InvalidInputError, match="X and y, or only a Dataset"):
        fitted_pipeline(whole.plan, pair, WINE, WINE.y)
    with pytest.raises(UnknownNameError, match="no selector of this study is called 'G'"):
        fitted_pipeline(whole.plan, Pair("G", "lda", 2), WINE.X, WINE.y)
    with pytest.raises(UnknownNameError, match="no classifier of this study is called 'ld'"):
        fitted_pipeline(whole.plan, Pair("F", "ld", 2), WINE.X, WINE.y)


def nominal_data():
    """Return data whose first feature tells classes by codes that are no amounts."""
    rng = np.random.default_rng(0)
    y = np.array(["a", "b"])[np.arange(80) % 2]
    codes = np.where(y == "a", rng.choice([0, 3], 80), rng.choice([1, 2, 4], 80)).astype(float)
    X = np.column_stack([codes, rng.normal(size=(80, 5))])
    return dataclasses.replace(hf.io.from_arrays(X, y), nominal=(0,))


def test_features_are_nominal_where_they_were_so_in_the_study():
    data = nominal_data()
    study = hf.Study(
        "relieff", protocol=hf.CrossValidation(4), sizes=[1], classifiers=["knn3"], replication=0
    )
    result = study.run(data, n_jobs=1)
    whole, bare = result.pipeline(data)[0], result.pipeline(data.X, data.y)[0]
    assert list(bare.nominal) == list(whole.nominal) == [0]
    assert (whole.scores_ == bare.scores_).all()


def test_features_of_other_names_or_in_another_order_are_refused():
    frame = pd.DataFrame(WINE.X, columns=NAMES)
    study = hf.Study(
        "f_score", protocol=hf.CrossValidation(3), sizes=[2], classifiers=["lda"], replication=0
    )
    result = study.run(frame, WINE.y, n_jobs=1)
    names = result.pipeline(frame, WINE.y)[:-1].get_feature_names_out()
    assert result.pipeline(WINE)[:-1].get_feature_names_out().tolist() == names.tolist()
    assert result.pipeline(WINE.X, WINE.y)[0].get_support().sum() == 2
    with pytest.raises(InvalidInputError, match=r"feature 1 is 'zzz0', in the study.*'alcohol'"):
        result.pipeline(frame.set_axis([f"zzz{i}" for i in range(13)], axis=1), WINE.y)
    with pytest.raises(InvalidInputError, match=r"another order.*12 of 13 names differ"):
        result.pipeline(frame[NAMES[::-1]], WINE.y)
    unnamed = study.run(WINE.X, WINE.y, n_jobs=1)
    assert unnamed.pipeline(frame, WINE.y)[:-1].get_feature_names_out().tolist() == names.tolist()


def test_a_selector_that_selects_nothing_is_reported_of(whole):
    plan = json.loads(json.dumps(whole.plan))
    parameters = plan["selectors"][2]["object"]["parameters"]
    parameters["estimator"] = {
        "class": "sklearn.feature_selection:SelectPercentile",
        "parameters": {"percentile": 0},
    }
    with pytest.raises(InvalidInputError, match="own selects no feature"):
        fitted_pipeline(plan, Pair("own", "lda", "own"), WINE.X, WINE.y)
