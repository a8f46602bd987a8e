"""Classification by nested selections, against a pipeline of scikit-learn for each selection."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.fixes import parse_version

from holdfast._classifiers import CLASSIFIERS, as_classifier
from holdfast.study._execution import _classification
from holdfast.study._execution._classification import (
    ScaledSplit,
    nested_classifier,
    standardize,
)

COUNTS = [1, 2, 5, 12]
REGISTERED = {name: as_classifier(name)[1] for name in CLASSIFIERS}
COMPILED = ["linear_svm", "rbf_svm", "knn1", "knn3", "knn5"]


def with_ties():
    """Return few different values, a constant feature, and samples that differ in class only."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (90, 12)).astype(float)
    X[:, 4] = 7.0
    X[60:] = X[:30]
    return X, rng.integers(0, 3, 90)


def overlapping(n=300, p=12):
    """Return two classes that overlap so much that most samples are support vectors."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, p)) + 0.2 * y[:, None], y


def few_digits():
    X, y = load_digits(return_X_y=True)
    return X[:200], y[:200]


DATA = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "digits": few_digits,
    "ties": with_ties,
    "overlap": overlapping,
    "single precision": lambda: (overlapping()[0].astype(np.float32), overlapping()[1]),
}
SINGLE_PRECISION = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="before 1.8 scikit-learn scaled single precision by numbers in double precision",
)
DATA_NAMES = [
    pytest.param(name, marks=SINGLE_PRECISION) if name == "single precision" else name
    for name in DATA
]


def splits(name):
    """Yield training rows, test rows and ranked features, with and without repeated rows."""
    X, y = DATA[name]()
    rng = np.random.default_rng(2)
    for repeats in (False, True):
        order = rng.permutation(len(y))
        test, train = order[: len(y) // 10], order[len(y) // 10 :]
        if repeats:
            train = rng.choice(train, len(train))
        features = rng.permutation(X.shape[1])[:12]
        # contiguous columns: scikit-learn sums them in this order whatever their number
        yield X[train][:, features], y[train], X[test][:, features]


def pipeline_prediction(classifier, train, y, test, *, impute=False):
    """Return labels and scores as a pipeline of scikit-learn predicts them."""
    steps = [SimpleImputer(strategy="median", keep_empty_features=True)] if impute else []
    model = make_pipeline(*steps, StandardScaler(), clone(classifier)).fit(train, y)
    if hasattr(model, "decision_function"):
        return model.predict(test), model.decision_function(test)
    scores = model.predict_proba(test)
    return model.predict(test), scores[:, 1] if len(model.classes_) == 2 else scores


@pytest.mark.parametrize("dtype", [pytest.param(np.float32, marks=SINGLE_PRECISION), np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_scaling_is_that_of_scikit_learn_to_the_bit(dtype, order):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 20)) * 10.0 ** rng.integers(-5, 6, 20)
    X[:, 3], X[:, 4] = 0.1, 1e9 + rng.random(700) * 1e-7  # constant, and constant but for rounding
    X = np.asarray(X.astype(dtype), order=order)
    train, test = X[:600].copy("K"), X[600:].copy("K")
    scaler = StandardScaler().fit(train)
    for ours, theirs in zip(
        standardize(train, test), (scaler.transform(train), scaler.transform(test)), strict=True
    ):
        assert ours.dtype == dtype
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", DATA_NAMES)
@pytest.mark.parametrize("classifier", COMPILED)
def test_compiled_predictions_are_those_of_a_pipeline(classifier, name):
    n_compiled = n_disagreements = 0
    for train, y, test in splits(name):
        split = ScaledSplit.make(train, y, test, y.max() + 1, impute=False)
        found = nested_classifier(REGISTERED[classifier])(split, COUNTS)
        for count, (labels, scores) in found.items():
            expected = pipeline_prediction(
                REGISTERED[classifier], train[:, :count], y, test[:, :count]
            )
            n_disagreements += (labels != expected[0]).sum()
            assert scores == pytest.approx(expected[1], rel=1e-9, abs=1e-9)
        n_compiled += len(found)
    assert n_disagreements == 0
    if name in ("overlap", "breast cancer"):
        assert n_compiled >= len(COUNTS)


@pytest.mark.parametrize("name", DATA_NAMES)
@pytest.mark.parametrize("classifier", REGISTERED)
def test_single_fits_are_those_of_a_pipeline_to_the_bit(classifier, name):
    train, y, test = next(splits(name))
    model = clone(REGISTERED[classifier])
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    split = ScaledSplit.make(train, y, test, y.max() + 1, impute=False)
    for count in (1, 5):
        try:
            expected = pipeline_prediction(model, train[:, :count], y, test[:, :count])
        except (np.linalg.LinAlgError, IndexError) as error:  # features without variance
            with pytest.raises(type(error), match=str(error)[:40]):
                split.fit_predict(clone(model), count)
            continue
        found = split.fit_predict(clone(model), count)
        assert np.array_equal(found.labels, expected[0])
        assert np.array_equal(found.scores, expected[1])


@pytest.mark.parametrize("classifier", ["linear_svm", "knn3", "lda"])
def test_missing_values_are_imputed_for_all_selections_together(classifier):
    train, y, test = next(splits("overlap"))
    rng = np.random.default_rng(3)
    for part in (train, test):
        part[rng.random(part.shape) < 0.1] = np.nan
    train[:, 3] = np.nan
    split = ScaledSplit.make(train, y, test, 2, impute=True)
    found = nested_classifier(REGISTERED[classifier])(split, COUNTS)
    for count in COUNTS:
        labels, scores = found.get(count) or split.fit_predict(clone(REGISTERED[classifier]), count)
        expected = pipeline_prediction(
            REGISTERED[classifier], train[:, :count], y, test[:, :count], impute=True
        )
        assert np.array_equal(labels, expected[0])
        assert scores == pytest.approx(expected[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"C": 20.0},
        {"tol": 1e-5},
        {"kernel": "rbf", "gamma": 0.03, "C": 50},
        {"kernel": "rbf", "gamma": "auto", "C": 50},
    ],
)
def test_steps_of_the_solver_are_those_of_libsvm_also_after_entries_are_set_aside(options):
    X, y = overlapping(n=260, p=6)
    model = SVC(**{"kernel": "linear", **options})
    split = ScaledSplit.make(X[:200], y[:200], X[200:], 2, impute=False)
    found = nested_classifier(model)(split, [2, 6])
    assert found
    for count, (_, scores) in found.items():
        assert model.fit(split.train[:, :count], y[:200]).n_iter_[0] > 200
        expected = model.decision_function(split.test[:, :count])
        # an optimum within the tolerance by other steps would differ by about 1e-3
        assert scores == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_decisions_within_the_tolerance_are_left_to_scikit_learn():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0], [0.0], [1.5]])
    y = np.array([0, 0, 1, 1])
    linear = nested_classifier(REGISTERED["linear_svm"])
    assert linear(ScaledSplit.make(X[:4], y, X[4:], 2, impute=False), [1]) == {}
    assert list(linear(ScaledSplit.make(X[:4], y, X[5:], 2, impute=False), [1])) == [1]


def many_samples(sort):
    """Return 1,500 training samples and 300 test samples of 12 features."""
    rng = np.random.default_rng(5)
    n_classes, separation = {"three classes": (3, 0.8), "overlap": (2, 0.2)}.get(sort, (2, 0.8))
    y = rng.integers(0, n_classes, 1800)
    X = rng.normal(size=(1800, 12)) + separation * (y[:, None] == np.arange(12) % n_classes)
    if sort == "tied":
        X = np.round(X)
    elif sort == "copies":
        X[900:], y[900:] = X[:900], y[:900]
    return ScaledSplit.make(X[:1500], y[:1500], X[1500:], n_classes, impute=False)


PRECISION = 1e-4
"""LIBSVM's products have 24 bits: they are off by 1e-7, times multipliers of hundreds in all."""
MANY = ["separated", "overlap", "three classes", "tied", "copies"]


@pytest.mark.parametrize("sort", MANY)
def test_many_samples_are_classified_by_the_optimal_svm(sort):
    split = many_samples(sort)
    found = nested_classifier(REGISTERED["linear_svm"])(split, [2, 12])
    assert list(found) == [2, 12]
    for count, (labels, scores) in found.items():
        optimal = SVC(kernel="linear", C=0.5, tol=1e-8, decision_function_shape="ovo")
        optimal.fit(split.train[:, :count], split.y)
        decisions = optimal.decision_function(split.test[:, :count])
        clear = np.abs(decisions.reshape(300, -1)).min(axis=1) > PRECISION
        assert np.array_equal(labels[clear], optimal.predict(split.test[:, :count])[clear])
        optimal.decision_function_shape = "ovr"
        expected = optimal.decision_function(split.test[:, :count])
        same_votes = clear if scores.ndim == 2 else np.ones(300, dtype=bool)
        assert scores[same_votes] == pytest.approx(expected[same_votes], abs=PRECISION)


@pytest.mark.parametrize("sort", MANY)
def test_optimal_svms_predict_as_scikit_learn_away_from_the_border(sort):
    split = many_samples(sort)
    found = nested_classifier(REGISTERED["linear_svm"])(split, [2, 12])
    for count, (labels, _) in found.items():
        model = clone(REGISTERED["linear_svm"]).set_params(decision_function_shape="ovo")
        model.fit(split.train[:, :count], split.y)
        decisions = model.decision_function(split.test[:, :count]).reshape(300, -1)
        differs = labels != model.predict(split.test[:, :count])
        assert not differs[np.abs(decisions).min(axis=1) > 1e-2].any()
        assert differs.sum() <= 2


def test_samples_on_the_border_of_an_optimal_svm_get_the_decision_0():
    X = np.tile([-1.0, 0.0, 0.0, 1.0], 300)[:, None]
    y = np.tile([0, 0, 1, 1], 300)
    split = ScaledSplit.make(X, y, np.array([[0.0], [0.5]]), 2, impute=False)
    labels, scores = nested_classifier(REGISTERED["linear_svm"])(split, [1])[1]
    assert scores[0] == 0
    assert labels.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("n_samples", "count", "is_optimal"), [(799, 12, False), (800, 12, True), (800, 201, False)]
)
def test_which_linear_svms_are_solved_without_a_gram_matrix(
    n_samples, count, is_optimal, monkeypatch
):
    X, y = overlapping(n=n_samples + 20, p=count)
    split = ScaledSplit.make(X[20:], y[20:], X[:20], 2, impute=False)
    solved = []
    monkeypatch.setattr(
        _classification,
        "linear_svm_decisions",
        lambda train, *_: solved.append(train.shape) or np.ones(20),
    )
    nested_classifier(SVC(kernel="linear", C=1e-4))(split, [count])
    assert solved == [(count, n_samples)] * is_optimal


def test_pairs_of_classes_without_an_optimum_are_left_to_the_steps_of_libsvm(monkeypatch):
    split = many_samples("separated")
    monkeypatch.setattr(_classification, "linear_svm_decisions", lambda *_: None)
    found = nested_classifier(REGISTERED["linear_svm"])(split, [2])
    expected = clone(REGISTERED["linear_svm"]).fit(split.train[:, :2], split.y)
    for labels, scores in found.values():
        assert scores == pytest.approx(expected.decision_function(split.test[:, :2]), rel=1e-9)
        assert np.array_equal(labels, expected.predict(split.test[:, :2]))


def test_ties_of_distances_are_left_to_scikit_learn_only_if_they_decide():
    X = np.array([[0.0], [0.0], [2.0], [2.0], [1.0]])
    nearest = nested_classifier(KNeighborsClassifier(1))
    two_classes = ScaledSplit.make(X[:4], np.array([0, 0, 1, 1]), X[4:], 2, impute=False)
    assert nearest(two_classes, [1]) == {}
    # all four vote, and the lower class wins
    four = nested_classifier(KNeighborsClassifier(4))(two_classes, [1])
    assert four[1].labels.tolist() == [0]
    assert four[1].scores.tolist() == [0.5]
    same_class = ScaledSplit.make(X[:4], np.array([0, 0, 1, 1]), X[:1], 2, impute=False)
    assert nearest(same_class, [1])[1].labels.tolist() == [0]


def test_neighbours_of_many_samples_are_found_in_parts(monkeypatch):
    X, y = overlapping(n=2100)  # more training samples than a tile of the kernel has
    split = ScaledSplit.make(X[:2000], y[:2000], X[2000:], 2, impute=False)
    nearest = nested_classifier(KNeighborsClassifier(3))
    whole = nearest(split, COUNTS)
    n_rows = []
    count_votes = _classification.count_nested_votes
    monkeypatch.setattr(
        _classification,
        "count_nested_votes",
        lambda *given: n_rows.append(given[1].shape[1]) or count_votes(*given),
    )
    monkeypatch.setattr(_classification, "MAX_DISTANCES", 2000 * 30)
    found = nearest(split, COUNTS)
    assert n_rows == [30, 30, 30, 10]
    assert list(found) == list(whole) == COUNTS
    for count, (labels, scores) in found.items():
        model = KNeighborsClassifier(3).fit(split.train[:, :count], split.y)
        assert np.array_equal(labels, model.predict(split.test[:, :count]))
        assert np.array_equal(scores, whole[count].scores)


def test_fewer_training_samples_than_neighbours_fail_as_in_scikit_learn():
    X, y = overlapping(n=10)
    split = ScaledSplit.make(X[:4], y[:4], X[4:], 2, impute=False)
    model = KNeighborsClassifier(5)
    assert nested_classifier(model)(split, [3]) == {}
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit"):
        split.fit_predict(model, 3)


@pytest.mark.parametrize("classifier", [*COMPILED, "lda"])
def test_a_class_without_training_samples_gets_the_lowest_score(classifier):
    X, y = overlapping(n=80)
    split = ScaledSplit.make(X[:60], 2 * y[:60], X[60:], 4, impute=False)
    model = clone(REGISTERED[classifier])
    found = nested_classifier(model)(split, [5]).get(5) or split.fit_predict(model, 5)
    expected, _ = pipeline_prediction(model, X[:60, :5], 2 * y[:60], X[60:, :5])
    assert np.array_equal(found.labels, expected)
    assert found.scores.shape == (20, 4)
    lowest = found.scores[:, [0, 2]].min()
    assert (found.scores[:, [1, 3]] < lowest).all()


def test_the_largest_class_is_predicted_without_features():
    X, y = with_ties()
    for impute in (False, True):
        split = ScaledSplit.make(X[:, :0], np.minimum(y, 1), X[:3, :0], 2, impute=impute)
        labels, scores = split.predict_largest_class()
        assert labels.tolist() == [1, 1, 1]
        assert scores.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "classifier",
    [
        SVC(kernel="linear", class_weight="balanced"),
        SVC(kernel="poly"),
        SVC(kernel="linear", break_ties=True),
        SVC(kernel="linear", max_iter=3),
        SVC(kernel="linear", shrinking=False),
        SVC(kernel="linear", decision_function_shape="ovo"),
        KNeighborsClassifier(3, weights="distance"),
        KNeighborsClassifier(3, p=1),
        KNeighborsClassifier(3, metric="cosine"),
        LinearDiscriminantAnalysis(),
        QuadraticDiscriminantAnalysis(),
        RandomForestClassifier(),
        type("Derived", (SVC,), {})(kernel="linear"),
    ],
)
def test_other_classifiers_and_parameters_are_left_to_scikit_learn(classifier):
    train, y, test = next(splits("overlap"))
    split = ScaledSplit.make(train, y, test, 2, impute=False)
    assert nested_classifier(classifier)(split, COUNTS) == {}


class Silent(SVC):
    """A classifier whose fit returns nothing."""

    def fit(self, X, y):
        super().fit(X, y)


def test_fit_need_not_return_the_classifier():
    train, y, test = next(splits("overlap"))
    split = ScaledSplit.make(train, y, test, 2, impute=False)
    found, expected = (split.fit_predict(kind(kernel="linear"), 3) for kind in (Silent, SVC))
    assert np.array_equal(found.labels, expected.labels)
    assert np.array_equal(found.scores, expected.scores)


def test_infinite_values_are_refused_by_the_classifier():
    train, y, test = next(splits("overlap"))
    train[0, 0] = np.inf
    with np.errstate(all="ignore"):
        split = ScaledSplit.make(train, y, test, 2, impute=False)
    assert not split.is_finite
    model = REGISTERED["knn3"]
    assert nested_classifier(model)(split, [2]) == {}
    with pytest.raises(ValueError, match="contains"):
        split.fit_predict(clone(model), 2)
