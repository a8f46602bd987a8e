"""The judgements of a result: reached from it, made once, refused where nothing supports them."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError

DATA = hf.io.read_data("@wine")


@pytest.fixture(scope="module")
def result():
    study = hf.Study(
        ["f_score", "random_score"],
        protocol=hf.CrossValidation(5),
        sizes=[2, 4],
        classifiers=["knn3"],
        replication=0,
    )
    return study.run(DATA, n_jobs=1)


def test_judgements_are_made_once_for_the_same_question(result):
    assert result.recommend() is result.recommend()
    assert result.recommend() is not result.recommend(rule="one_standard_error")
    assert result.profile() is result.profile()
    assert result.profile() is not result.profile(sizes=[2, 3])
    assert result.similarity() is not result.similarity(size=2)


def test_what_is_recommended_is_a_row_of_the_tables(result):
    chosen = result.recommend()
    errors = result.errors.query("selector == @chosen.selector and size == @chosen.size")
    assert chosen.error == errors["error"].iloc[0]
    stability = result.stability.query(
        "selector == @chosen.selector and size == @chosen.size and measure == 'nogueira'"
    )
    assert chosen.stability == stability["value"].iloc[0]


def test_pairs_are_compared_each_with_each(result):
    table = result.compare()
    assert len(table) == 4 * 3 / 2
    raw = result.compare(correction=None)
    assert (table["p_corrected"] >= table["p_value"]).all()
    assert set(raw["test"]) == {"McNemar's exact test"}
    assert "enlarged for shared training samples" in table["test"][0]


def test_the_pipeline_predicts_labels_of_the_data(result):
    model = result.pipeline(DATA.X, DATA.y)
    assert set(model.predict(DATA.X)) <= set(DATA.classes)
    other = hf.judge.Pair("random_score", "knn3", 2)
    assert result.pipeline(DATA.X, DATA.y, chosen=other)[0].get_support().sum() == 2


def test_stand_ins_are_those_of_the_recommended_selection(result):
    chosen = result.recommend()
    named = result.stand_ins(chosen.selector, chosen.size)
    assert result.stand_ins().features.equals(named.features)


def test_without_predictions_there_is_nothing_to_compare():
    study = hf.Study(
        "f_score", protocol=hf.Subsampling(5, 0.8), sizes=[2], classifiers=(), replication=0
    )
    result = study.run(DATA, n_jobs=1)
    with pytest.raises(InvalidInputError, match="no predictions"):
        result.compare()
    chosen = result.recommend()
    assert chosen.classifier is None
    assert np.isnan(chosen.error)


def test_effects_are_those_of_the_data(result):
    found = result.effects()
    expected = hf.judge.shrunken_effects(DATA.X, DATA.codes, DATA.classes)
    assert found["feature"].tolist() == list(DATA.feature_names)
    assert found.drop(columns="feature").equals(expected)
