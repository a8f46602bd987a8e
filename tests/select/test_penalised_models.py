"""Lasso and elastic net against scikit-learn, and the choice of their penalty by hand."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.select._models._penalised_models import apply_penalty_rule, mean_deviance

RELEASE = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
KIND = {} if RELEASE >= (1, 8) else {"penalty": "elasticnet"}


def make_data(classes=2, n=60, p=12, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, p))
    X[:, 0] += y
    X[:, 1] -= 0.7 * y
    X[:, 2] = X[:, 0] + 0.3 * rng.normal(size=n)
    return X, y


def fit_peer(X, y, penalty, l1_ratio):
    """Fit scikit-learn's model, whose objective is the sum of losses times C plus penalties."""
    return LogisticRegression(
        C=1 / (len(y) * penalty), l1_ratio=l1_ratio, solver="saga", tol=1e-10, max_iter=100_000,
        **KIND,
    ).fit(X, y)  # fmt: skip


def scale(X, train):
    return (X - X[train].mean(axis=0)) / X[train].std(axis=0, ddof=1)


@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5, 0.1])
@pytest.mark.parametrize("classes", [2, 3])
def test_coefficients_equal_those_of_scikit_learn(classes, l1_ratio, rule):
    X, y = make_data(classes)
    net = hf.ElasticNetSelection(l1_ratio=l1_ratio, rule=rule).fit(X * 3.0 - 7.0, y)
    peer = fit_peer(scale(X, np.arange(60)), y, net.penalty_, l1_ratio)
    assert np.abs(peer.coef_).max() > 0.05
    assert net.coef_ == pytest.approx(peer.coef_, abs=1e-6)
    assert np.array_equal(net.get_support(), (np.abs(peer.coef_) > 1e-5).any(axis=0))


def test_wide_data_equal_scikit_learn():
    X, y = make_data(n=40, p=150)
    net = hf.ElasticNetSelection(l1_ratio=0.3).fit(X, y)
    peer = fit_peer(scale(X, np.arange(40)), y, net.penalty_, 0.3)
    assert net.get_support().sum() > 3
    assert net.coef_ == pytest.approx(peer.coef_, abs=1e-6)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("classes", [2, 3])
def test_deviances_are_those_of_models_on_the_folds(classes, l1_ratio):
    X, y = make_data(classes, n=48, p=6)
    folds = StratifiedKFold(3)
    net = hf.ElasticNetSelection(l1_ratio=l1_ratio, cv=folds, n_penalties=5).fit(X, y)
    for number, (train, test) in enumerate(folds.split(X, y)):
        Z = scale(X, train)
        for step in (1, 2):
            peer = fit_peer(Z[train], y[train], net.penalties_[step], l1_ratio)
            expected = 2 * log_loss(y[test], peer.predict_proba(Z[test]))
            assert net.deviances_[number, step] == pytest.approx(expected, abs=1e-6)


def test_the_lasso_is_the_elastic_net_without_a_ridge_penalty():
    X, y = load_wine(return_X_y=True)
    lasso, net = hf.LassoSelection().fit(X, y), hf.ElasticNetSelection(l1_ratio=1.0).fit(X, y)
    assert np.array_equal(lasso.coef_, net.coef_)
    assert lasso.penalty_ == net.penalty_


@pytest.mark.parametrize("kind", [hf.LassoSelection, hf.ElasticNetSelection])
def test_no_feature_is_selected_at_the_largest_penalty_and_one_just_below(kind):
    X, y = make_data()
    fitted = kind(n_penalties=2, smallest=0.999, cv=StratifiedKFold(3)).fit(X, y)
    assert fitted.coef_.any(axis=0).sum() == 1
    Z = scale(X, np.arange(60))
    slope = np.abs((y - y.mean()) @ Z / 60).max()  # the condition of optimality at 0
    assert fitted.penalties_[0] == pytest.approx(slope / fitted._l1_ratio())


# The choice of the penalty.


def test_penalty_rules_by_hand():
    # folds of 10, 10 and 20 samples; the means are 3, 1.75, 1.5 and 2
    deviances = np.array([[3.0, 1.0, 1.0, 2.0], [3.0, 2.0, 1.0, 2.0], [3.0, 2.0, 2.0, 2.0]])
    mean, error, position = apply_penalty_rule(deviances, np.array([10, 10, 20]), "min")
    assert mean.tolist() == [3.0, 1.75, 1.5, 2.0]
    # 0.25 * 0.5^2 + 0.25 * 0.5^2 + 0.5 * 0.5^2 = 0.25, over 2 and under the root
    assert error[2] == pytest.approx(np.sqrt(0.125))
    assert position == 2
    assert apply_penalty_rule(deviances, np.array([10, 10, 20]), "1se")[2] == 1


def test_mean_deviance_by_hand():
    predictors = np.array([[0.0, np.log(3.0), 1e9]])
    # probabilities of the true classes: 1/2, 3/4, and 0, which counts as 1e-5
    expected = -2 * np.log([0.5, 0.75, 1e-5]).mean()
    assert mean_deviance(predictors, np.array([0, 1, 0])) == pytest.approx(expected)
    three = np.log([[1.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    expected = -2 * np.log([0.5, 0.5]).mean()
    assert mean_deviance(three, np.array([2, 0])) == pytest.approx(expected)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_one_standard_error_selects_no_more_features(load):
    X, y = load(return_X_y=True)
    sparse, full = (
        hf.LassoSelection(rule=rule, cv=5, n_penalties=40).fit(X, y) for rule in ("1se", "min")
    )
    assert np.array_equal(sparse.deviances_, full.deviances_)
    assert sparse.penalty_ > full.penalty_
    assert sparse.get_support().sum() <= full.get_support().sum()
    least = full.mean_deviance_.argmin()
    assert full.penalty_ == full.penalties_[least]
    limit = full.mean_deviance_[least] + full.deviance_error_[least]
    assert sparse.penalty_ == full.penalties_[full.mean_deviance_ <= limit][0]


def test_noise_selects_nothing_by_one_standard_error():
    """That is, from most of 20 data sets."""
    empty = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 200)), np.arange(60) % 2
        empty += (
            not hf.LassoSelection(rule="1se", cv=5, n_penalties=40).fit(X, y).get_support().any()
        )
    assert empty >= 14


# What is selected.


@pytest.mark.parametrize("classes", [2, 3])
def test_a_size_is_the_most_features_by_weight(classes):
    X, y = make_data(classes)
    weights = np.abs(hf.ElasticNetSelection().fit(X, y).coef_).sum(axis=0)
    found = np.count_nonzero(weights)
    assert 2 < found < 12
    for size in (1, 3, 12):
        support = hf.ElasticNetSelection(n_features_to_select=size).fit(X, y).get_support()
        assert support.sum() == min(size, found)
        assert set(np.flatnonzero(support)) == set(np.argsort(-weights)[: support.sum()])


def test_equal_features_share_a_coefficient_of_the_elastic_net_only():
    X, y = make_data()
    X[:, 5], X[:, 6] = X[:, 1], -X[:, 1]
    net, lasso = hf.ElasticNetSelection().fit(X, y), hf.LassoSelection().fit(X, y)
    first = net.coef_[0, 1]
    assert abs(first) > 0.05
    assert net.coef_[0, [5, 6]] == pytest.approx([first, -first], abs=1e-6)
    assert np.count_nonzero(lasso.coef_[0, [1, 5, 6]]) == 1


def test_features_without_information_of_any_kind():
    """Constant features leave an empty model; so does a target that no feature follows."""
    X, y = np.ones((20, 4)), np.arange(20) % 2
    fitted = hf.LassoSelection().fit(X, y)
    assert not fitted.get_support().any()
    assert fitted.penalties_.tolist() == [0.0]
    assert fitted.coef_.tolist() == [[0.0] * 4]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rule": "best"}, UnknownNameError, "unknown rule 'best'"),
        ({"l1_ratio": 0.0}, InvalidInputError, "l1_ratio must be a number above 0 and up to 1"),
        ({"l1_ratio": 1.5}, InvalidInputError, "l1_ratio must be"),
        ({"n_penalties": 1}, InvalidInputError, "n_penalties must be"),
        ({"smallest": 1.0}, InvalidInputError, "smallest must be"),
        ({"tolerance": 0}, InvalidInputError, "tolerance must be"),
        ({"cv": 1}, InvalidInputError, "cv must be"),
        ({"n_features_to_select": 13}, InvalidInputError, "n_features_to_select"),
    ],
)
def test_bad_parameters_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        hf.ElasticNetSelection(**options).fit(*make_data())


def test_folds_without_a_class_are_refused():
    X, y = make_data(classes=3, n=30)
    folds = [(np.flatnonzero(y != k), np.flatnonzero(y == k)) for k in range(3)]
    with pytest.raises(InvalidInputError, match="leaves a class without training samples"):
        hf.LassoSelection(cv=folds).fit(X, y)


@pytest.mark.parametrize("name", ["lasso", "elastic_net"])
def test_a_study_never_fills_up_the_size(name):
    """Its subsets are those of separate fits; 50 features of noise are not ranked at random."""
    X, y = make_data(n=40, p=60)
    X[:, 0] += 2 * y
    parts = [train for train, _ in StratifiedKFold(4).split(X, y)]
    make = hf.select.get_selector(name).kind
    for size in (None, 50):
        selector = make(n_features_to_select=size, cv=StratifiedKFold(3))
        study = hf.Study(
            selector,
            protocol=hf.Splits(StratifiedKFold(4)),
            sizes=[20],
            measures=["nogueira"],
            classifiers=(),
            replication=0,
        )
        with pytest.warns(HoldfastWarning, match="sizes do not apply"):
            row = study.run(X, y, n_jobs=1).summary().iloc[0]
        counts = [selector.fit(X[rows], y[rows]).get_support().sum() for rows in parts]
        assert row["size"] == "own"
        assert 0 < row["selected"] < 20
        assert row["selected"] == np.mean(counts)
