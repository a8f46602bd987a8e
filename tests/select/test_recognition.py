"""How estimators and functions of others are read: what each of them selects, in which form."""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.covariance import EllipticEnvelope, MinCovDet
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_selection import (
    RFE,
    RFECV,
    SelectFdr,
    SelectFromModel,
    SelectKBest,
    SelectPercentile,
    SequentialFeatureSelector,
    VarianceThreshold,
    chi2,
    f_classif,
    mutual_info_classif,
)
from sklearn.linear_model import (
    ElasticNetCV,
    Lasso,
    LassoCV,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from tests.select.early_scikit_learn import states_sparse

P = 30
RELEASE = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
L1 = {"l1_ratio": 1.0} if RELEASE >= (1, 8) else {"penalty": "l1"}


def example(classes=2):
    """Return 90 samples of 30 features, the first 4 of which differ between the classes."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % classes
    X = rng.standard_normal((90, P))
    X[:, :4] += np.outer(y, [1.6, -1.2, 0.9, 0.7])
    return X, y


X, Y = example()
X3, Y3 = example(3)
SPARSE = LogisticRegression(solver="liblinear", C=0.1, **L1)
TWO = {"penalty": "l1", "C": 0.05, "dual": False}


def indices(mask):
    return np.flatnonzero(mask).tolist()


# Estimators whose selection scikit-learn itself tells: what they select is what is read.

SELECTORS = {
    "SelectKBest": SelectKBest(k=7),
    "SelectPercentile": SelectPercentile(percentile=20),
    "SelectFdr": SelectFdr(alpha=0.1),
    "SelectFromModel": SelectFromModel(RandomForestClassifier(20)),
    "SelectFromModel l1": SelectFromModel(SPARSE),
    "RFE": RFE(LinearSVC(), n_features_to_select=5, step=5),
    "RFECV": RFECV(LinearDiscriminantAnalysis(), step=6, cv=3),
    "SequentialFeatureSelector": SequentialFeatureSelector(
        LinearDiscriminantAnalysis(), n_features_to_select=2, cv=2
    ),
    "VarianceThreshold": VarianceThreshold(1.0),
    "TScore": hf.TScore(n_features_to_select=6),
}


@pytest.mark.parametrize("name", SELECTORS)
def test_a_selector_selects_what_it_selects(name):
    fitted = hf.AnySelector(SELECTORS[name]).fit(X, Y)
    assert fitted.get_support().tolist() == fitted.estimator_.get_support().tolist()
    assert fitted.reading_.form == "subset"
    assert fitted.n_found_ == fitted.get_support().sum() > 0
    assert hf.AnySelector(SELECTORS[name]).selects_own_size


SPARSE_MODELS = {
    "LogisticRegression": SPARSE,
    "LassoCV": LassoCV(cv=3),
    "Lasso": Lasso(0.05),
    "ElasticNetCV": ElasticNetCV(cv=3),
    "LinearSVC": LinearSVC(**TWO),
    "SGDClassifier": SGDClassifier(penalty="l1", alpha=0.05),
    "SGDClassifier elasticnet": SGDClassifier(penalty="elasticnet", alpha=0.1, l1_ratio=0.9),
    "Perceptron": Perceptron(penalty="l1", alpha=0.02),
}


@pytest.mark.parametrize("name", SPARSE_MODELS)
def test_a_sparse_model_selects_its_weights_other_than_0(name):
    fitted = hf.AnySelector(SPARSE_MODELS[name]).fit(X, Y)
    weights = np.abs(np.atleast_2d(fitted.estimator_.coef_)).sum(axis=0)
    assert 0 < np.count_nonzero(weights) < P
    assert indices(fitted.get_support()) == indices(weights)
    assert hf.AnySelector(SPARSE_MODELS[name]).selects_own_size
    asked = hf.AnySelector(SPARSE_MODELS[name], n_features_to_select=P).fit(X, Y)
    assert not asked.selects_own_size
    assert indices(asked.get_support()) == indices(weights)
    assert asked.n_found_ == np.count_nonzero(weights)
    best = hf.AnySelector(SPARSE_MODELS[name], n_features_to_select=2).fit(X, Y)
    assert set(indices(best.get_support())) == set(np.argsort(-weights)[:2].tolist())


@pytest.mark.skipif("l1_ratio" not in L1, reason="scikit-learn before 1.8 names the penalty")
@pytest.mark.parametrize("share", [1, 1.0, np.int64(1), np.float32(0.5), [0, 1], (0.5,)])
def test_the_share_of_l1_may_be_any_number(share):
    several = isinstance(share, list | tuple)
    model = LogisticRegressionCV(l1_ratios=share) if several else LogisticRegression(l1_ratio=share)
    assert hf.AnySelector(model).selects_own_size
    none = LogisticRegressionCV(l1_ratios=(0,)) if several else LogisticRegression(l1_ratio=0)
    assert not hf.AnySelector(none).selects_own_size


def test_classes_are_summed_without_signs():
    fitted = hf.AnySelector(LinearSVC(**TWO)).fit(X3, Y3)
    coefficients = fitted.estimator_.coef_
    assert coefficients.shape == (3, P)
    assert indices(fitted.get_support()) == indices(coefficients.any(axis=0))
    assert fitted.scores_ == pytest.approx(np.abs(coefficients).sum(axis=0))
    penalty = {"l1_ratios": (1.0,)} if "l1_ratio" in L1 else L1
    cross_validated = LogisticRegressionCV(
        Cs=[0.05], cv=3, solver="saga", tol=0.01, scoring="accuracy", **penalty
    )
    if RELEASE >= (1, 8):
        cross_validated.set_params(use_legacy_attributes=False)
    fitted = hf.AnySelector(cross_validated).fit(X3, Y3)
    assert indices(fitted.get_support()) == indices(fitted.estimator_.coef_.any(axis=0))
    one_each = hf.AnySelector(OneVsRestClassifier(LinearSVC(**TWO))).fit(X3, Y3)
    parts = [np.abs(one.coef_[0]) for one in one_each.estimator_.estimators_]
    assert one_each.scores_ == pytest.approx(np.sum(parts, axis=0))
    assert indices(one_each.get_support()) == indices(one_each.scores_)


WEIGHTED = {
    "RidgeClassifier": (RidgeClassifier(), "coef_"),
    "LinearSVC": (LinearSVC(), "coef_"),
    "SVC": (SVC(kernel="linear"), "coef_"),
    "SGDClassifier": (SGDClassifier(), "coef_"),
    "LinearDiscriminantAnalysis": (LinearDiscriminantAnalysis(), "coef_"),
    "DecisionTree": (DecisionTreeClassifier(), "feature_importances_"),
    "RandomForest": (RandomForestClassifier(20), "feature_importances_"),
    "ExtraTrees": (ExtraTreesClassifier(20), "feature_importances_"),
    "GradientBoosting": (GradientBoostingClassifier(n_estimators=5), "feature_importances_"),
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_of_all_features_are_weights(name):
    estimator, attribute = WEIGHTED[name]
    fitted = hf.AnySelector(estimator, n_features_to_select=20).fit(X, Y)
    weights = np.abs(np.atleast_2d(getattr(fitted.estimator_, attribute))).sum(axis=0)
    assert fitted.reading_.form == "weights"
    assert fitted.reading_.source == attribute
    assert fitted.scores_ == pytest.approx(weights)
    assert fitted.get_support().sum() == min(20, np.count_nonzero(weights))
    assert not fitted.get_support()[weights == 0].any()
    assert not hf.AnySelector(estimator).selects_own_size


def test_a_constant_feature_does_not_make_a_model_sparse():
    constant = np.column_stack([X, np.ones(90)])
    fitted = hf.AnySelector(RidgeClassifier()).fit(constant, Y)
    assert np.ravel(fitted.estimator_.coef_)[-1] == 0
    assert fitted.reading_.form == "weights"


@pytest.mark.parametrize(
    "estimator",
    [
        NearestCentroid(),
        HistGradientBoostingClassifier(max_iter=2),
        KNeighborsClassifier(),
        GaussianNB(),
        SVC(),  # its support_ are samples
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        make_pipeline(StandardScaler(), "passthrough"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_an_estimator_that_selects_nothing_is_refused(estimator):
    with pytest.raises(InvalidInputError, match=r"selects nothing|no step before it selects"):
        hf.AnySelector(estimator).fit(X, Y)
    with pytest.raises(InvalidInputError, match=r"selects nothing|no step before it selects"):
        hf.explain_selector(estimator)


class SampleMask(BaseEstimator):
    """Has a mask of samples like a robust covariance, but no tag that says so."""

    def fit(self, X, y):
        self.support_ = np.arange(len(X)) % 3 > 0
        self.location_ = X[self.support_].mean(axis=0)
        return self


@pytest.mark.filterwarnings("ignore:Determinant has increased")
@pytest.mark.parametrize(
    "estimator",
    [
        # scikit-learn 1.6 cannot set the fraction itself for as many features as samples
        EllipticEnvelope(support_fraction=0.9),
        MinCovDet(support_fraction=0.9),
        SampleMask(),
        OneClassSVM(kernel="linear"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_mask_of_samples_is_no_mask_of_features(estimator):
    square, classes = X[:P], Y[:P]  # as many samples as features
    with pytest.raises(InvalidInputError, match=r"finds outliers or .* selects no features"):
        hf.AnySelector(estimator).fit(square, classes)


# Estimators of other packages.


class ShadowForest(BaseEstimator):
    """Selects like Boruta: attributes, but no get_support."""

    def __init__(self, n_accepted=3):
        self.n_accepted = n_accepted

    def fit(self, X, y):
        order = np.argsort(-f_classif(X, y)[0])
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[order[: self.n_accepted]] = True
        self.ranking_ = np.empty(X.shape[1], dtype=int)
        self.ranking_[order] = np.maximum(1, np.arange(1, X.shape[1] + 1) - self.n_accepted + 1)


def test_an_accepted_set_is_the_selection_and_the_ranking_gives_other_sizes():
    order = np.argsort(-f_classif(X, Y)[0]).tolist()
    own = hf.AnySelector(ShadowForest()).fit(X, Y)
    assert indices(own.get_support()) == sorted(order[:3])
    assert "support_" in str(own.reading_)
    sized = hf.AnySelector(ShadowForest(), n_features_to_select=8).fit(X, Y)
    assert indices(sized.get_support()) == sorted(order[:8])


class Coefficients(BaseEstimator):
    """A linear model of another package, with coefficients in some container."""

    def __init__(self, weights=None, container=np.asarray):
        self.weights = weights
        self.container = container

    def fit(self, X, y):
        self.coef_ = self.container(self.weights)
        return self


@pytest.mark.parametrize(
    "container", [np.asarray, np.atleast_2d, scipy.sparse.csr_matrix, lambda w: np.array([w]).T]
)
def test_coefficients_of_other_packages(container):
    weights = np.zeros(P)
    weights[[2, 5]] = -3.0, 1.0
    fitted = hf.AnySelector(Coefficients(weights, container)).fit(X, Y)
    assert indices(fitted.get_support()) == [2, 5]
    dense = hf.AnySelector(Coefficients(weights + 0.5, container), n_features_to_select=1)
    assert indices(dense.fit(X, Y).get_support()) == [2]
    assert dense.reading_.form == "weights"


class LinearBooster(BaseEstimator):
    """A linear model of three or more classes whose coefficients are stored in an odd order.

    With ``order="scrambled"`` it is like ``XGBClassifier(booster="gblinear")`` of XGBoost 3.2,
    which holds the weights feature by feature and reshapes them to (classes, features).
    """

    def __init__(self, order="scrambled", with_importances=True):
        self.order = order
        self.with_importances = with_importances

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        means = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        self.table_ = (means - means.mean(axis=0)).T  # one row per feature
        flat, shape = self.table_.ravel(), self.table_.T.shape
        self.coef_ = {
            "scrambled": flat.reshape(shape),
            "flat": flat,
            "by feature": self.table_,
            "by class": self.table_.T,
            "unrelated": np.sort(flat).reshape(shape),
        }[self.order]
        if self.with_importances:
            self.feature_importances_ = (self.table_ / self.table_.sum()).astype(np.float32)
        return self


@pytest.mark.parametrize("n_features", [30, 3, 2])
@pytest.mark.parametrize("order", ["scrambled", "flat", "by feature", "by class"])
def test_coefficients_in_another_order_are_put_in_order_by_the_importances(order, n_features):
    data = X3[:, :n_features]
    fitted = hf.AnySelector(LinearBooster(order), n_features_to_select=1).fit(data, Y3)
    expected = np.abs(fitted.estimator_.table_).sum(axis=1)
    np.testing.assert_allclose(fitted.scores_, expected)


def test_coefficients_without_a_known_order_are_refused():
    with pytest.raises(InvalidInputError, match="contradicts its feature_importances_"):
        hf.AnySelector(LinearBooster("unrelated")).fit(X3, Y3)
    with pytest.raises(InvalidInputError, match="30 features and 3 classes in one row"):
        hf.AnySelector(LinearBooster("flat", with_importances=False)).fit(X3, Y3)
    by_feature = hf.AnySelector(LinearBooster("by feature", with_importances=False)).fit(X3, Y3)
    expected = np.abs(by_feature.estimator_.table_).sum(axis=1)
    np.testing.assert_allclose(by_feature.scores_, expected)


def test_a_declared_form_is_used():
    ranked = hf.AnySelector(ShadowForest(), returns="ranking").fit(X, Y)
    assert ranked.reading_.form == "ranking"
    assert not hf.AnySelector(ShadowForest(), returns="ranking").selects_own_size
    kept = hf.AnySelector(DecisionTreeClassifier(), returns="subset").fit(X, Y)
    assert indices(kept.get_support()) == indices(kept.estimator_.feature_importances_)
    weighted = hf.AnySelector(SelectKBest(k=3), returns="scores").fit(X, Y)
    assert weighted.reading_.form == "weights"
    with pytest.raises(InvalidInputError, match=r"none of .* returns='ranking'"):
        hf.AnySelector(LinearSVC(), returns="ranking").fit(X, Y)
    with pytest.raises(UnknownNameError, match=r"returns must be one of .*Did you mean 'scores'"):
        hf.AnySelector(f_classif, returns="score").fit(X, Y)
    with pytest.raises(InvalidInputError, match="an estimator returns"):
        hf.AnySelector(LinearSVC(), returns="mask").fit(X, Y)
    with pytest.raises(InvalidInputError, match="a function returns"):
        hf.AnySelector(f_classif, returns="subset").fit(X, Y)


# Pipelines and searches.

ORDER = np.argsort(-f_classif(X, Y)[0])


def test_a_pipeline_selects_what_its_last_step_selects():
    scaled = StandardScaler().fit_transform(X)
    lasso = hf.AnySelector(make_pipeline(StandardScaler(), LinearSVC(**TWO))).fit(X, Y)
    alone = hf.AnySelector(LinearSVC(**TWO)).fit(scaled, Y)
    assert indices(lasso.get_support()) == indices(alone.get_support())
    assert hf.AnySelector(make_pipeline(StandardScaler(), LinearSVC(**TWO))).selects_own_size
    best = make_pipeline(MinMaxScaler(), SelectKBest(chi2, k=5))
    expected = indices(SelectKBest(chi2, k=5).fit(MinMaxScaler().fit_transform(X), Y).get_support())
    assert indices(hf.AnySelector(best).fit(X, Y).get_support()) == expected


def test_features_of_a_pipeline_are_those_of_the_data():
    twice = make_pipeline(SelectKBest(k=10), StandardScaler(), SelectKBest(k=4))
    assert set(indices(hf.AnySelector(twice).fit(X, Y).get_support())) == set(ORDER[:4].tolist())
    weighted = hf.AnySelector(make_pipeline(SelectKBest(k=6), RidgeClassifier())).fit(X, Y)
    assert set(indices(weighted.get_support())) == set(ORDER[:6].tolist())
    inner = RidgeClassifier().fit(X[:, np.sort(ORDER[:6])], Y).coef_.ravel()
    largest = np.sort(ORDER[:6])[np.abs(inner).argmax()]
    one = hf.AnySelector(make_pipeline(SelectKBest(k=6), RidgeClassifier()), n_features_to_select=1)
    assert indices(one.fit(X, Y).get_support()) == [largest]
    plain = hf.AnySelector(make_pipeline(SelectKBest(k=6), KNeighborsClassifier())).fit(X, Y)
    assert set(indices(plain.get_support())) == set(ORDER[:6].tolist())
    prepared = make_pipeline(VarianceThreshold(0.9), RidgeClassifier())
    fitted = hf.AnySelector(prepared, n_features_to_select=P).fit(X, Y)
    assert fitted.reading_.form == "weights"
    assert indices(fitted.get_support()) == indices(X.var(axis=0) > 0.9)


def test_columns_are_traced_through_transformers():
    columns = ColumnTransformer([("a", StandardScaler(), [3, 2, 1, 0]), ("b", "passthrough", [7])])
    fitted = hf.AnySelector(make_pipeline(columns, SelectKBest(k=1))).fit(X, Y)
    assert indices(fitted.get_support()) == [ORDER[0]]
    logs = make_pipeline(FunctionTransformer(np.exp), SelectKBest(k=2))
    assert hf.AnySelector(logs).fit(X, Y).get_support().sum() == 2
    nested = make_pipeline(make_pipeline(StandardScaler(), SelectKBest(k=9)), LinearSVC(**TWO))
    assert set(indices(hf.AnySelector(nested).fit(X, Y).get_support())) <= set(ORDER[:9].tolist())


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (PCA(3), r"'pca' of the pipeline \(PCA\) makes new features"),
        (FunctionTransformer(lambda X: X[:, ::-1]), "feature_names_out='one-to-one'"),
    ],
)
def test_new_features_of_a_pipeline_are_refused(step, words):
    with pytest.raises(InvalidInputError, match=words):
        hf.AnySelector(make_pipeline(step, SelectKBest(k=1))).fit(X, Y)


def test_a_search_is_read_by_its_best_estimator():
    grid = GridSearchCV(LinearSVC(penalty="l1", dual=False), {"C": [0.03, 0.05]}, cv=3)
    fitted = hf.AnySelector(grid).fit(X, Y)
    assert indices(fitted.get_support()) == indices(fitted.estimator_.best_estimator_.coef_[0])
    assert hf.AnySelector(grid).selects_own_size
    pipeline = make_pipeline(StandardScaler(), SelectKBest(), GaussianNB())
    random = RandomizedSearchCV(pipeline, {"selectkbest__k": [3, 6]}, n_iter=2, cv=3)
    fitted = hf.AnySelector(random).fit(X, Y)
    k = fitted.estimator_.best_params_["selectkbest__k"]
    assert fitted.get_support().sum() == k
    with pytest.raises(InvalidInputError, match="refit=True"):
        hf.AnySelector(GridSearchCV(SPARSE, {"C": [0.1]}, cv=3, refit=False)).fit(X, Y)


# Functions.

SCORES = f_classif(X, Y)[0]
NAMES = [f"gene {j}" for j in range(P)]
FRAME = pd.DataFrame(X, columns=NAMES)
TOP = ORDER[:5].tolist()
RANKS = np.empty(P, dtype=int)
RANKS[ORDER] = np.arange(1, P + 1)

SELECTIONS = {
    "list": TOP,
    "array": np.array(TOP),
    "tuple of indices": tuple(TOP),
    "with extras": (TOP, SCORES, None),
    "set": set(TOP),
    "series": pd.Series(TOP),
    "mask": RANKS <= 5,
    "list of bool": (RANKS <= 5).tolist(),
    "names": [NAMES[j] for j in TOP],
    "index of names": pd.Index([NAMES[j] for j in TOP]),
    "series of names": pd.Series([NAMES[j] for j in TOP]),
    "mask by name": pd.Series(RANKS <= 5, index=NAMES),
    "some scores by name": pd.Series(SCORES, index=NAMES).nlargest(5),
    "some scores by index": pd.Series(SCORES).nlargest(5),
    "dictionary of some": {NAMES[j]: float(SCORES[j]) for j in TOP},
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_a_function_may_return_a_selection(name):
    fitted = hf.AnySelector(lambda X, y: SELECTIONS[name]).fit(FRAME, Y)
    assert fitted.reading_.form == "subset"
    assert indices(fitted.get_support()) == sorted(TOP)
    assert fitted.n_found_ == 5
    more = hf.AnySelector(lambda X, y: SELECTIONS[name], n_features_to_select=8).fit(FRAME, Y)
    assert indices(more.get_support()) == sorted(TOP)
    if "mask" not in name and name not in ("set", "list of bool"):  # which have no order
        best = hf.AnySelector(lambda X, y: SELECTIONS[name], n_features_to_select=2)
        assert indices(best.fit(FRAME, Y).get_support()) == sorted(TOP[:2])


ORDERS = {
    "scores": SCORES,
    "scores and p-values": (SCORES, np.zeros(P)),
    "series": pd.Series(SCORES),
    "sorted series": pd.Series(SCORES).sort_values(),
    "series by name": pd.Series(SCORES, index=NAMES).sort_values(),
    "dictionary": dict(zip(NAMES, SCORES, strict=True)),
    "counts": (SCORES * 1000).astype(int),
    "ranking": RANKS,
    "ranking of fractions": rankdata(-SCORES),
    "ranking by name": pd.Series(RANKS, index=NAMES).sort_values(),
    "ranking by index": pd.Series(RANKS).sort_values(),
    "ranking in a series of fractions": pd.Series(RANKS * 1.0, index=NAMES),
    "ranking in a dictionary": {NAMES[j]: int(RANKS[j]) for j in ORDER},
    "ranking of fractions in a dictionary": {NAMES[j]: float(RANKS[j]) for j in ORDER},
    "counts of fractions": np.floor(SCORES * 1000),
    "counts by name": pd.Series((SCORES * 1000).astype(int), index=NAMES).sort_values(),
}


@pytest.mark.parametrize("name", ORDERS)
def test_a_function_may_return_scores_or_a_ranking(name):
    fitted = hf.AnySelector(lambda X, y: ORDERS[name], n_features_to_select=5).fit(FRAME, Y)
    assert fitted.reading_.form == ("ranking" if "ranking" in name else "weights")
    assert indices(fitted.get_support()) == sorted(TOP)


def test_scores_of_scikit_learn_are_known_before_a_fit():
    assert not hf.AnySelector(mutual_info_classif).needs_rehearsal
    assert hf.AnySelector(lambda X, y: SCORES).needs_rehearsal


AMBIGUOUS = {
    "tied ranks": (np.minimum(RANKS, 9), "a score per feature or a ranking", "ranking"),
    "zeros and ones": ((RANKS <= 5).astype(int), "a score per feature or a mask", "mask"),
    "averaged ranks": (
        rankdata(np.minimum(RANKS, 9)),
        "a score per feature or a ranking",
        "ranking",
    ),
    "fractions 0 and 1": ((RANKS <= 5) * 1.0, "a score per feature or a mask", "mask"),
    "positions": (ORDER, "a score per feature or a ranking or indices", "indices"),
    "ranks from 0": (RANKS - 1, "a score per feature or a ranking or indices", "ranking"),
    "averaged ranks without a first": (
        rankdata(np.maximum(RANKS, 3)),
        "a score per feature or a ranking",
        None,
    ),
}
AMBIGUOUS |= {
    f"{name} as fractions": (output * 1.0, words, None if name == "positions" else returns)
    for name, (output, words, returns) in AMBIGUOUS.items()
    if output.dtype.kind == "i"
}


@pytest.mark.parametrize("name", AMBIGUOUS)
@pytest.mark.parametrize(
    "container",
    [
        np.asarray,
        pd.Series,
        lambda values: pd.Series(values, index=NAMES)[::-1],
        lambda values: dict(zip(NAMES, values.tolist(), strict=True)),
    ],
    ids=["array", "series", "series by name", "dictionary"],
)
def test_what_may_be_several_things_is_refused_in_any_container(name, container):
    output, words, returns = AMBIGUOUS[name]
    given = container(output)
    with pytest.raises(InvalidInputError, match=f"may be {words}.*returns='{returns or 'scores'}'"):
        hf.AnySelector(lambda X, y: given).fit(FRAME, Y)
    if returns not in (None, "indices"):
        declared = hf.AnySelector(lambda X, y: given, returns=returns, n_features_to_select=5)
        assert indices(declared.fit(FRAME, Y).get_support()) == sorted(TOP)


@pytest.mark.parametrize("name", [name for name, (*_, returns) in AMBIGUOUS.items() if returns])
def test_what_may_be_several_things_must_be_declared(name):
    output, words, returns = AMBIGUOUS[name]
    with pytest.raises(InvalidInputError, match=f"may be {words}.*returns='{returns}'"):
        hf.AnySelector(lambda X, y: output).fit(X, Y)
    declared = hf.AnySelector(lambda X, y: output, returns=returns, n_features_to_select=5)
    assert indices(declared.fit(X, Y).get_support()) == sorted(TOP)
    as_scores = hf.AnySelector(lambda X, y: output, returns="scores").fit(X, Y)
    assert as_scores.scores_.tolist() == output.tolist()


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (None, r"the function gave None"),
        (3.0, r"the function gave 3\.0"),
        (np.zeros((2, P)), r"ndarray of the shape \(2, 30\)"),
        ([1.5, 2.5], "one score per feature is needed, that is 30; the function gave 2"),
        ([True, False], "one entry of a mask per feature"),
        ([1, 1], "one of them twice"),
        ([3, 30], "not all between 0 and 29"),
        ([-1, 3], "not all between 0 and 29"),
        (["gene 3", "gen 4"], "'gen 4', which is not the name of a feature.*Did you mean 'gene 4'"),
        (["gene 3", 4], "the function gave"),
        (np.where(RANKS == 7, np.nan, SCORES), r"1 feature got no score \(NaN\)"),
    ],
)
def test_output_that_cannot_be_read_is_refused(output, words):
    with pytest.raises((InvalidInputError, UnknownNameError), match=words):
        hf.AnySelector(lambda X, y: output).fit(FRAME, Y)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.arange(1, 6), "may be scores or ranks"),
        (np.arange(1.0, 6.0), "may be scores or ranks"),
        (np.array([1.5, 1.5, 3.0, 4.0, 5.0]), "may be scores or ranks"),
        (np.array([2.5, np.nan, 1.5, 1.2, 0.5]), "are not all finite numbers"),
        (np.arange(5) < 2, "are truth values"),
    ],
)
def test_values_of_some_features_that_may_be_no_scores_are_refused(values, words):
    some = pd.Series(values, index=[NAMES[j] for j in TOP])
    with pytest.raises(InvalidInputError, match=f"values of 5 of 30 features, which {words}"):
        hf.AnySelector(lambda X, y: some).fit(FRAME, Y)


def test_declared_names_may_be_those_of_all_features():
    scores = pd.Series(SCORES, index=NAMES)
    fitted = hf.AnySelector(lambda X, y: scores, returns="names").fit(FRAME, Y)
    assert fitted.get_support().all()
    assert np.argsort(-fitted.scores_)[:5].tolist() == TOP


def test_masked_scores_are_refused():
    masked = np.ma.masked_array(SCORES, mask=RANKS <= 2)
    with pytest.raises(InvalidInputError, match="masked features have no score"):
        hf.AnySelector(lambda X, y: masked).fit(X, Y)
    with pytest.raises(InvalidInputError, match="masked features have no score"):
        hf.AnySelector(lambda X, y: (masked, None)).fit(X, Y)
    complete = np.ma.masked_array(SCORES, mask=False)
    assert hf.AnySelector(lambda X, y: complete).fit(X, Y).scores_.tolist() == SCORES.tolist()


def test_names_need_names():
    with pytest.raises(InvalidInputError, match="the data have no names of features"):
        hf.AnySelector(lambda X, y: ["gene 1"]).fit(X, Y)
    with pytest.raises(InvalidInputError, match="declared to return indices"):
        hf.AnySelector(lambda X, y: ["gene 1"], returns="indices").fit(FRAME, Y)


def test_an_empty_selection_selects_nothing():
    fitted = hf.AnySelector(lambda X, y: []).fit(X, Y)
    assert fitted.n_found_ == 0
    assert not fitted.get_support().any()


# What estimators get: frames, labels, sparse matrices, weights of samples.


def test_labels_and_frames_are_passed_on_request():
    seen = []

    def remember(X, y):
        seen.append((type(X), sorted(set(y.tolist()))))
        return np.arange(P) + 0.5

    labels = np.where(Y == 1, "tumor", "normal")
    hf.AnySelector(remember).fit(FRAME, labels)
    hf.AnySelector(remember, class_codes=False, as_frame=True).fit(FRAME, labels)
    assert seen == [(np.ndarray, [0, 1]), (pd.DataFrame, ["normal", "tumor"])]
    weighted = LinearSVC(class_weight={"tumor": 5.0, "normal": 1.0})
    fitted = hf.AnySelector(weighted, class_codes=False).fit(X, labels)
    own = weighted.set_params(random_state=fitted.estimator_.random_state).fit(X, labels)
    assert fitted.scores_ == pytest.approx(np.abs(own.coef_[0]))
    rows = [np.arange(90)]
    again = hf.AnySelector(weighted, class_codes=False).score_resamples(X, labels, rows)
    assert again.values[0] == pytest.approx(fitted.scores_)


@states_sparse
def test_sparse_matrices_reach_estimators_that_take_them():
    counts = scipy.sparse.csr_matrix(np.maximum(X, 0))
    kinds = []

    def remember(X, y):
        kinds.append(X.format)
        return chi2(X, y)

    by_function = hf.AnySelector(remember).fit(counts, Y)
    assert kinds == ["csr"]
    assert by_function.scores_ == pytest.approx(chi2(counts.toarray(), Y)[0])
    estimator = LinearSVC(**TWO, random_state=0)
    fitted = hf.AnySelector(estimator).fit(counts, Y)
    dense = hf.AnySelector(estimator).fit(counts.toarray(), Y)
    assert indices(fitted.get_support()) == indices(dense.get_support())
    rows = [np.arange(60), np.arange(90)]
    ranked = hf.AnySelector(estimator).rank_resamples(counts, Y, rows)
    assert ranked.values[1][fitted.support_].max() == fitted.n_found_
    with pytest.raises(TypeError, match="dense data is required"):
        hf.AnySelector(LinearDiscriminantAnalysis()).fit(counts, Y)


def test_weights_of_samples_are_passed_on():
    weights = np.where(np.arange(90) < 60, 1.0, 0.0)
    part = hf.AnySelector(LinearDiscriminantAnalysis())
    forest = DecisionTreeClassifier(max_depth=2)
    weighted = hf.AnySelector(forest).fit(X, Y, sample_weight=weights)
    alone = hf.AnySelector(forest).fit(X[:60], Y[:60])
    assert weighted.scores_ == pytest.approx(alone.scores_)
    piped = hf.AnySelector(make_pipeline(MinMaxScaler(), forest))
    assert indices(piped.fit(X, Y, sample_weight=weights).scores_) == indices(alone.scores_)
    with pytest.raises(InvalidInputError, match="takes no sample_weight"):
        part.fit(X, Y, sample_weight=weights)


# Messages and explanations.


def test_missing_scores_and_repeated_names_say_what_to_return():
    some = pd.Series(np.where(RANKS <= 5, SCORES, np.nan), index=NAMES)
    with pytest.raises(InvalidInputError, match=r"25 features got no score.*only the selected"):
        hf.AnySelector(lambda X, y: some).fit(FRAME, Y)
    with pytest.raises(InvalidInputError, match="the name 'gene 4' 2 times"):
        hf.AnySelector(lambda X, y: ["gene 4", "gene 1", "gene 4"]).fit(FRAME, Y)


def test_all_candidates_are_listed():
    words = r"by returns='scores' or returns='ranking' or returns='indices'\."
    with pytest.raises(InvalidInputError, match=words):
        hf.AnySelector(lambda X, y: RANKS - 1).fit(FRAME, Y)


class NumberedSupport(BaseEstimator):
    """Has zeros and ones where a mask is needed."""

    def fit(self, X, y):
        self.support_ = (RANKS <= 5).astype(int)
        return self


def test_a_support_of_numbers_is_no_mask():
    with pytest.raises(InvalidInputError, match="support_ is not a mask of truth values"):
        hf.AnySelector(NumberedSupport()).fit(X, Y)


@pytest.mark.parametrize("given", [SelectKBest, hf.ReliefF])
def test_a_class_is_refused_with_a_hint(given):
    with pytest.raises(InvalidInputError, match=rf"got the class .*{given.__name__}\(\)"):
        hf.explain_selector(given)
    with pytest.raises(InvalidInputError, match=rf"got the class .*{given.__name__}\(\)"):
        hf.AnySelector(given).fit(X, Y)


def test_a_file_without_an_object_is_refused_with_a_hint():
    with pytest.raises(InvalidInputError, match=r"names a file.*folder/mine\.py:object"):
        hf.explain_selector("folder/mine.py")


@pytest.mark.parametrize("given", ["f_score:alpha=0.05", "boruta", "knockoffs"])
def test_a_selector_of_its_own_size_is_explained_as_such(given):
    text = str(hf.explain_selector(given))
    assert "a subset of its own size" in text
    assert "It chooses the number itself." in text
    assert "highest" not in text


@pytest.mark.parametrize(
    ("given", "form", "words"),
    [
        (SPARSE, "subset", "coef_"),
        (SelectKBest(), "subset", r"get_support\(\)"),
        (RidgeClassifier(), "weights", "coef_"),
        (make_pipeline(StandardScaler(), SelectKBest()), "subset", "'selectkbest' of the pipeline"),
        (f_classif, "weights", "scikit-learn"),
        ("relieff", "weights", "holdfast"),
        ("drags", "groups", "holdfast"),
        (ShadowForest(), None, "another package"),
        (lambda X, y: SCORES, None, "a function may return"),
    ],
)
def test_explanations_before_a_fit(given, form, words):
    explanation = hf.explain_selector(given)
    assert explanation.form == form
    assert re.search(words, str(explanation))


def test_explanations_by_a_fit():
    explanation = hf.explain_selector(ShadowForest(), X, Y)
    assert explanation.form == "subset"
    assert "support_; ordered by ranking_.\n" in repr(explanation)
    assert "a subset of 3 of 30 features." in repr(explanation)
    assert "a ranking of 30 features" in str(hf.explain_selector(lambda X, y: RANKS, X, Y))
    assert "weights of 30 features, 30 of them not 0" in str(hf.explain_selector(f_classif, X, Y))
    with pytest.raises(InvalidInputError, match="X and y are needed together"):
        hf.explain_selector(f_classif, X)
