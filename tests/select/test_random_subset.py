"""Random subsets of random size: uniform, seeded, blind to the data."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError

Y = np.repeat([0, 1], 4)


def drawn(p, count, seed=0, **options):
    """Return many subsets as rows of a bool matrix."""
    subsets = hf.RandomSubset(random_state=seed, **options).select_resamples(
        np.zeros((8, p)), Y, [np.arange(8)] * count
    )
    masks = np.zeros((count, p), dtype=bool)
    for mask, subset in zip(masks, subsets, strict=True):
        mask[subset] = True
    return masks


def test_sizes_are_uniform_and_so_are_subsets_of_a_size():
    masks = drawn(4, 6000)
    sizes = masks.sum(axis=1)
    assert set(sizes) == {1, 2, 3}
    assert stats.chisquare(np.bincount(sizes)[1:]).pvalue > 0.001
    pairs = masks[sizes == 2] @ (1 << np.arange(4))
    assert len(set(pairs)) == 6
    assert stats.chisquare(np.unique(pairs, return_counts=True)[1]).pvalue > 0.001


@pytest.mark.parametrize(
    ("given", "sizes"),
    [(3, {3}), (0.5, {4}), ((2, 4), {2, 3, 4}), ((8, 8), {8}), ("(1,2)", {1, 2})],
)
def test_sizes_as_asked_for(given, sizes):
    assert set(drawn(8, 100, n_features_to_select=given).sum(axis=1)) == sizes


def test_one_feature_is_selected_and_sizes_that_cannot_be_are_refused():
    assert drawn(1, 3).all()
    for wrong in (0, 9, (0, 3), (4, 2), "all"):
        with pytest.raises(InvalidInputError, match="n_features_to_select"):
            drawn(8, 1, n_features_to_select=wrong)


@pytest.mark.slow
@pytest.mark.parametrize(("p", "m"), [(13, 100), (12, 60)])
def test_relative_weighted_consistency_is_that_of_the_closed_form(p, m):
    """By chance it is 2 (p + 1) / (3 p m) to 2 (p + 1) / (3 (p - 1) m), for many odd subsets the
    second: their mean size is not a whole number."""
    values = [
        hf.measure("relative_weighted_consistency", hf.Subsets(drawn(p, m, seed)))
        for seed in range(120)
    ]
    error = np.std(values) / np.sqrt(len(values))
    low, high = 2 * (p + 1) / (3 * p * m), 2 * (p + 1) / (3 * (p - 1) * m)
    assert low - 4 * error < np.mean(values) < high + 4 * error
    assert error < 0.05 * low


def test_a_classifier_judges_the_subset_and_has_no_say_in_it():
    X, y = load_wine(return_X_y=True)
    plain, judged = hf.RandomSubset().fit(X, y), hf.RandomSubset("knn3").fit(X, y)
    assert judged.support_.tolist() == plain.support_.tolist()
    assert not hasattr(plain, "value_")
    cell = cross_val_score(  # other splits of the same kind
        make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
        judged.transform(X),
        y,
        cv=StratifiedShuffleSplit(40, test_size=1 / 3, random_state=1),
    )
    assert abs(judged.value_ - cell.mean()) < 4 * cell.std(ddof=1) / np.sqrt(10)


def test_a_second_fit_forgets_the_value_of_the_first():
    X, y = load_wine(return_X_y=True)
    subset = hf.RandomSubset("knn3").fit(X, y)
    assert not hasattr(subset.set_params(classifier=None).fit(X, y), "value_")


def test_a_classifier_that_is_none_is_refused():
    with pytest.raises(UnknownNameError, match="no classifier is called 'knn33'"):
        hf.RandomSubset("knn33").fit(np.arange(16.0).reshape(8, 2), Y)
