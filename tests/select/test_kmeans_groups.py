"""K-means feature clusters: K-means itself is scikit-learn's; what is made of it is checked."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import f_classif
from sklearn.preprocessing import scale

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError


@pytest.fixture(scope="module")
def tissue():
    return load_breast_cancer(return_X_y=True)


def blocks(p=12, seed=0):
    """Return 40 samples of features in blocks of three, the first of which knows the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(40) % 2
    sources = rng.normal(size=(40, p // 3))
    sources[:, 0] += 3 * y
    return np.repeat(sources, 3, axis=1) + 0.1 * rng.normal(size=(40, p)), y


def members(fitted):
    return [group.tolist() for group in fitted.groups_[0]]


def within(points, groups):
    return sum(np.square(points[own] - points[own].mean(axis=0)).sum() for own in groups)


def test_blocks_of_correlated_features_are_found():
    X, y = blocks()
    found = members(hf.KMeansGroups(n_clusters=4).fit(X, y))
    assert sorted(found) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert found[0] == [0, 1, 2]


def test_clusters_are_at_rest_and_as_good_as_those_of_scikit_learn(tissue):
    X, y = tissue
    points = scale(X).T
    groups = members(hf.KMeansGroups(n_clusters=3).fit(X, y))
    assert sorted(itertools.chain(*groups)) == list(range(30))
    centres = np.array([points[own].mean(axis=0) for own in groups])
    nearest = np.square(points[:, None] - centres).sum(axis=2).argmin(axis=1)
    assert all((nearest[own] == number).all() for number, own in enumerate(groups))
    theirs = KMeans(3, n_init=20, init="random", random_state=7).fit(points)
    assert within(points, groups) == pytest.approx(theirs.inertia_, rel=1e-9)


def test_clusters_are_ranked_by_the_feature_next_to_the_centre(tissue):
    X, y = tissue
    fitted = hf.KMeansGroups(n_clusters=6).fit(X, y)
    points, scores = scale(X).T, f_classif(X, y)[0]
    for own, chosen in zip(members(fitted), fitted.representatives_, strict=True):
        distances = np.square(points[own] - points[own].mean(axis=0)).sum(axis=1)
        assert chosen == own[distances.argmin()] or len(own) == 2
    np.testing.assert_allclose(fitted.group_scores_, scores[fitted.representatives_])


@pytest.mark.parametrize("central", [1, 2, 5])
def test_central_features_are_those_next_to_the_centre(tissue, central):
    X, y = tissue
    points = scale(X).T
    whole = hf.KMeansGroups(n_clusters=4).fit(X, y)
    few = hf.KMeansGroups(n_clusters=4, central=central).fit(X, y)
    assert few.representatives_.tolist() == whole.representatives_.tolist()
    for own, kept in zip(whole.groups_[0], members(few), strict=True):
        distances = np.square(points[own] - points[own].mean(axis=0)).sum(axis=1)
        assert kept == sorted(own[np.argsort(distances)[:central]])


def test_a_representative_stays_central_among_copies():
    X, y = blocks()
    X = np.repeat(X[:, [0, 3]], 9, axis=1) * np.arange(1, 19)
    fitted = hf.KMeansGroups(n_clusters=2, central=3).fit(X, y)
    assert sorted(fitted.representatives_) == [0, 9]
    assert [len(own) for own in fitted.groups_[0]] == [3, 3]


@pytest.mark.parametrize(("p", "clusters"), [(1, 1), (2, 1), (8, 4), (9, 5), (100, 50), (300, 50)])
def test_the_number_of_clusters_follows_the_number_of_features(p, clusters):
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(30, p)), np.full((30, 2), 0.1)])
    assert len(hf.KMeansGroups(n_init=2).fit(X, np.arange(30) % 3).groups_[0]) == clusters


def test_as_many_clusters_as_features_leave_each_alone():
    X, y = blocks()
    X[:, 4] = 2.0
    found = members(hf.KMeansGroups(n_clusters=12).fit(X, y))
    assert sorted(found) == [[feature] for feature in range(12) if feature != 4]
    with pytest.raises(InvalidInputError, match=r"n_clusters must be at most the 12 features.*13"):
        hf.KMeansGroups(n_clusters=13).fit(X, y)


def test_copies_leave_fewer_clusters():
    X, y = blocks()
    X = X[:, [0, 0, 0, 3, 3, 6]]
    found = members(hf.KMeansGroups(n_clusters=5).fit(X, y))
    assert sorted(found) == [[0, 1, 2], [3, 4], [5]]


def test_data_without_any_variation_have_no_groups():
    y = np.arange(10) % 2
    fitted = hf.KMeansGroups().fit(np.ones((10, 3)), y)
    assert members(fitted) == []
    assert not fitted.get_support().any()


@pytest.mark.parametrize("relevance", ["relieff:n_neighbors=5", hf.ReliefF(n_neighbors=5)])
def test_any_score_can_rank_the_clusters(relevance):
    X, y = load_wine(return_X_y=True)
    fitted = hf.KMeansGroups(n_clusters=5, relevance=relevance).fit(X, y)
    scores = hf.ReliefF(n_neighbors=5).fit(X, y).scores_
    np.testing.assert_array_equal(fitted.group_scores_, scores[fitted.representatives_])
    assert sorted(members(fitted)) == sorted(members(hf.KMeansGroups(n_clusters=5).fit(X, y)))


def test_what_gives_no_scores_is_no_relevance():
    X, y = blocks()
    with pytest.raises(InvalidInputError, match="SVMRFE gives a ranking"):
        hf.KMeansGroups(relevance="svm_rfe").fit(X, y)
    with pytest.raises(InvalidInputError, match="RandomSubset gives a subset"):
        hf.KMeansGroups(relevance="random_subset").fit(X, y)
    with pytest.raises(UnknownNameError, match="Did you mean 'f_score'"):
        hf.KMeansGroups(relevance="fscore").fit(X, y)


@pytest.mark.parametrize("name", ["n_clusters", "central", "n_init"])
@pytest.mark.parametrize("wrong", [0, -2, 1.5, True, "five"])
def test_counts_are_whole_numbers(name, wrong):
    X, y = blocks()
    with pytest.raises(InvalidInputError, match=f"{name} must be a whole number of at least 1"):
        hf.KMeansGroups(**{name: wrong}).fit(X, y)
    with pytest.raises(InvalidInputError, match=name):
        hf.KMeansGroups(**{name: wrong}).bind(X, y)


def test_more_starts_are_never_worse(tissue):
    X, y = tissue
    points = scale(X).T
    found = [
        within(points, members(hf.KMeansGroups(n_clusters=8, n_init=starts).fit(X, y)))
        for starts in (1, 50)
    ]
    assert found[1] <= found[0]


def test_clusters_of_a_microarray(data_folder):
    frame = pd.read_parquet(data_folder / "colon.parquet")
    y, X = frame.pop("class"), frame.to_numpy(dtype=float)
    fitted = hf.KMeansGroups(n_init=2, n_groups=10).fit(X, y)
    assert fitted.transform(X).shape == (62, 10)
    assert (np.diff(fitted.group_scores_) <= 0).all()
    everyone = hf.KMeansGroups(n_init=2).fit(X, y)
    assert sorted(itertools.chain(*members(everyone))) == list(range(2000))
    assert members(everyone)[:10] == members(fitted)
