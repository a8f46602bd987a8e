"""SHAP importances against Shapley values by enumeration, where the package shap is installed."""

import sys
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.select._models._shap_importance import sum_class_importances


def expected_probabilities(tree, x, known, node=0):
    """Return what a tree predicts if only some features are known, by its training counts."""
    left, right = tree.children_left[node], tree.children_right[node]
    if left < 0:
        return tree.value[node, 0] / tree.value[node, 0].sum()
    if tree.feature[node] in known:
        below = np.float32(x[tree.feature[node]]) <= tree.threshold[node]
        return expected_probabilities(tree, x, known, left if below else right)
    counts = tree.weighted_n_node_samples
    parts = [expected_probabilities(tree, x, known, child) for child in (left, right)]
    return (counts[left] * parts[0] + counts[right] * parts[1]) / counts[node]


def naive_shapley_values(tree, x):
    """Return the Shapley value of each feature and class, by all subsets of the features."""
    p = len(x)
    values = np.zeros((p, tree.value.shape[2]))
    for feature in range(p):
        others = [other for other in range(p) if other != feature]
        for size in range(p):
            weight = factorial(size) * factorial(p - size - 1) / factorial(p)
            for known in combinations(others, size):
                with_it = expected_probabilities(tree, x, {*known, feature})
                values[feature] += weight * (with_it - expected_probabilities(tree, x, {*known}))
    return values


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_those_of_shapley_values_by_enumeration(classes, require):
    require("shap")
    rng = np.random.default_rng(0)
    y = np.arange(45) % classes
    X = rng.normal(size=(45, 4)) + np.outer(y, [1.0, 0.5, 0.0, 0.0])
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    scores = hf.ShapImportance(tree).fit(X, y).scores_
    fitted = tree.fit(X, y).tree_
    values = np.array([naive_shapley_values(fitted, x) for x in X])
    # of two classes one counts, as the other mirrors it
    counted = values[:, :, 1:] if classes == 2 else values
    assert scores == pytest.approx(np.abs(counted).mean(axis=0).sum(axis=1), rel=1e-5)
    assert scores.max() > 0.1


def test_the_example_of_the_docstring(require):
    require("shap")
    X, y = load_wine(return_X_y=True, as_frame=True)
    fitted = hf.ShapImportance(n_features_to_select=3).fit(X, y)
    assert fitted.get_feature_names_out().tolist() == ["flavanoids", "color_intensity", "proline"]


def test_boosted_trees_have_one_value_for_two_classes(require):
    require("shap")
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 5))
    X[:, 3] += 3 * y
    boosting = GradientBoostingClassifier(n_estimators=5)
    assert hf.ShapImportance(boosting).fit(X, y).ranking_[3] == 1


def test_models_without_trees_are_refused(require):
    require("shap")
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InvalidInputError, match="must be a model of trees"):
        hf.ShapImportance(LogisticRegression(max_iter=5000)).fit(X, y)


def test_classes_are_summed_and_one_of_two_counts():
    values = np.array([[[1.0, -1.0], [0.5, -0.5]], [[-3.0, 3.0], [0.0, 0.0]]])
    assert sum_class_importances(values).tolist() == [2.0, 0.25]
    assert sum_class_importances(values[:, :, 0]).tolist() == [2.0, 0.25]
    three = np.concatenate([values, np.full((2, 2, 1), -2.0)], axis=2)
    assert sum_class_importances(three).tolist() == [6.0, 2.5]


def test_without_the_package_a_fit_and_a_study_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InvalidInputError, match="pip install shap"):
        hf.ShapImportance().fit(X, y)
    study = hf.Study("shap", protocol=hf.Subsampling(3), sizes=[2], classifiers=(), replication=0)
    with pytest.raises(InvalidInputError, match="pip install shap"):
        study.run(X, y, n_jobs=1)
