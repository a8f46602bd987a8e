"""Which criterion is used for which classifier, and what all of them must agree on."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from holdfast.select._search._criterion import CriterionSplits, Moves, RefitCriterion
from holdfast.select._search._criterion_choice import choose_criterion
from holdfast.select._search._gaussian_criterion import GaussianCriterion
from holdfast.select._search._nearest_svm_criteria import NearestNeighborCriterion
from tests.select.early_scikit_learn import refuses_singular

X, Y = load_wine(return_X_y=True)
X = X + 1e-4 * X.std(axis=0) * np.random.default_rng(0).normal(size=X.shape)  # no ties
SPLITS = [
    (train, test) for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y)
]
FAST = [KNeighborsClassifier(3), QuadraticDiscriminantAnalysis(), SVC(C=2.0)]


def chosen(classifier, X=X, scoring="accuracy"):
    return choose_criterion(classifier, CriterionSplits(X, Y, SPLITS), scoring, None)


@pytest.mark.parametrize("classifier", [*FAST, GaussianNB()], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("scaled", [False, True])
def test_a_subset_has_one_value_however_it_is_asked_for(classifier, scaled):
    if scaled:
        classifier = make_pipeline(StandardScaler(), classifier)
    criterion = chosen(classifier)
    refit = RefitCriterion(classifier, CriterionSplits(X, Y, SPLITS), get_scorer("accuracy"))
    nothing, few, more = np.array([], dtype=np.intp), np.array([0, 6]), np.array([0, 6, 9, 11])
    ways = [
        criterion.values_with(few, Moves.from_units([nothing])),
        criterion.values_with(nothing, Moves.from_units([few])),
        criterion.values_with(few[:1], Moves.from_units([few[1:]])),
        criterion.values_without(more, Moves.from_units([more[2:]])),
        refit.values_with(few, Moves.from_units([nothing])),
    ]
    np.testing.assert_allclose(np.concatenate(ways), ways[0][0], atol=1e-12)


@refuses_singular
def test_compiled_criteria_are_used_where_they_hold():
    assert isinstance(chosen(FAST[0]), NearestNeighborCriterion)
    assert isinstance(chosen(make_pipeline(StandardScaler(), FAST[0])), NearestNeighborCriterion)
    assert isinstance(chosen(FAST[1], scoring="balanced_accuracy"), GaussianCriterion)
    for other in (
        chosen(GaussianNB()),
        chosen(FAST[0], scoring="f1_macro"),
        chosen(make_pipeline(MinMaxScaler(), FAST[0])),
        chosen(make_pipeline(StandardScaler(with_mean=False), FAST[0])),
        chosen(make_pipeline(StandardScaler(), StandardScaler(), FAST[0])),
    ):
        assert isinstance(other, RefitCriterion)


@pytest.mark.parametrize("scale", [1e-158, 1e158])
def test_scales_that_cannot_be_squared_are_left_to_refits(scale):
    for classifier in (*FAST, make_pipeline(StandardScaler(), FAST[0])):
        assert isinstance(chosen(classifier, scale * X), RefitCriterion)
