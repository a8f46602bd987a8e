"""Dense groups and DRAGS against a slow mean shift, scikit-learn's, and by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.cluster import MeanShift
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import f_classif
from threadpoolctl import threadpool_limits

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.select._groups import _dense_groups
from holdfast.select._groups._group_selector import standardise_features

DISTANCE_TOLERANCE = 1e-9  # what rounding may do to distances


def blocks(seed, n=None, p=None):
    """Return data with blocks of like features, single ones and a copy."""
    rng = np.random.default_rng(seed)
    n, p = n or rng.integers(4, 12), p or rng.integers(3, 30)
    causes = rng.normal(size=(n, 4))
    X = causes[:, rng.integers(0, 4, p)] + rng.choice([0.2, 0.5, 3.0], p) * rng.normal(size=(n, p))
    X[:, 0] = X[:, p // 2]
    return X


def naive(X, kernel="flat", k=5, itself=True, h=None, width=0.4, least=1, dense=True):
    """Return bandwidth and groups as the definition has them, one feature at a time."""
    Z = ((X - X.mean(axis=0)) / X.std(axis=0)).T
    if h is None:
        rows = cdist(Z, Z)
        rows = [
            np.sort(row) if itself else np.sort(np.delete(row, i)) for i, row in enumerate(rows)
        ]
        h = np.mean([row[:k].mean() if len(row) else 0.0 for row in rows])
    reach = h + DISTANCE_TOLERANCE * np.sqrt(len(X))
    ends = [naive_climb(Z, z, kernel, reach, width * h) for z in Z]
    peaks = []
    for end in ends:
        apart = cdist([end], Z)[0]
        members = np.flatnonzero(apart <= reach)
        first = members[0] if len(members) else len(Z)
        peaks.append((-len(members), round(np.sort(apart)[:k].mean(), 8), first, members, end))
    kept = []
    for peak in sorted(peaks, key=lambda peak: peak[:3]):
        if all(np.linalg.norm(peak[4] - other[4]) > reach for other in kept):
            kept.append(peak)
    return h, [
        peak[3].tolist() for peak in kept if -peak[0] >= least and (peak[1] <= reach or not dense)
    ]


def naive_climb(Z, place, kernel, reach, width):
    for _ in range(50_000):
        apart = cdist([place], Z)[0]
        weights = (apart <= reach) if kernel == "flat" else np.exp(-0.5 * (apart / width) ** 2)
        new = weights @ Z / weights.sum()
        if np.linalg.norm(new - place) <= 1e-12 * reach:
            return new
        place = new
    raise AssertionError("no end")


def found(selector, X):
    fitted = selector.fit(X)
    return [group.tolist() for group in fitted.groups_[0]]


@pytest.mark.slow
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 6),
    itself=st.booleans(),
    least=st.integers(1, 3),
    dense=st.booleans(),
)
@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
@pytest.mark.filterwarnings("ignore:all .* features converge")
def test_groups_are_those_of_a_slow_mean_shift(kernel, seed, k, itself, least, dense):
    X = blocks(seed)
    h, expected = naive(X, kernel, k, itself, least=least, dense=dense)
    selector = hf.DenseGroups(
        kernel=kernel, n_neighbors=k, count_itself=itself, min_size=least, density_filter=dense
    )
    assert found(selector, X) == expected
    assert selector.bandwidth_ == pytest.approx(h, rel=1e-12)
    assert selector.group_scores_.tolist() == [len(group) for group in expected]


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), h=st.floats(0.5, 6.0), width=st.floats(0.2, 1.0))
@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
@pytest.mark.filterwarnings("ignore:all .* features converge")
def test_bandwidth_and_width_may_be_given(kernel, seed, h, width):
    X = blocks(seed)
    selector = hf.DenseGroups(kernel=kernel, bandwidth=h, width=width)
    assert found(selector, X) == naive(X, kernel, h=h, width=width)[1]
    assert selector.bandwidth_ == h


def sklearn_order(peaks):
    """Sort peaks as scikit-learn does: by density, then by coordinates, both falling."""
    rows = [(count, *place) for count, place in zip(peaks.counts, peaks.places, strict=True)]
    return np.array(sorted(range(len(rows)), key=rows.__getitem__, reverse=True))


def assert_same_peaks(X):
    """Compare the peaks with scikit-learn's, ties in density broken as there."""
    h = hf.DenseGroups().fit(X).bandwidth_
    points = np.unique(standardise_features(X)[0], axis=0)
    with threadpool_limits(1):
        theirs = MeanShift(bandwidth=h, cluster_all=False).fit(points).cluster_centers_
    peaks = _dense_groups.flat_kernel_modes(_dense_groups.PointSet.from_points(points), h)
    ours = peaks.places[sklearn_order(peaks)]
    ours = ours[_dense_groups.find_distinct_places(ours, h)]
    assert len(ours) == len(theirs)
    assert cdist(ours, theirs).min(axis=1).max() <= 1e-3 * h
    assert cdist(ours, theirs).min(axis=0).max() <= 1e-3 * h


@pytest.mark.parametrize("seed", range(4))
def test_peaks_are_those_of_scikit_learn(seed):
    assert_same_peaks(blocks(seed, n=10, p=80))


@pytest.mark.slow
def test_peaks_on_colon_are_those_of_scikit_learn(data_folder):
    assert_same_peaks(colon(data_folder)[0][:, ::3])


def colon(folder):
    table = pd.read_parquet(folder / "colon.parquet")
    return table.drop(columns="class").to_numpy(), table["class"].to_numpy()


def test_colon_has_many_groups_most_of_them_single_features(data_folder):
    X, y = colon(data_folder)
    groups = hf.DRAGS().fit(X, y).groups_[0]
    assert len(groups) == 504
    assert np.mean([len(group) == 1 for group in groups]) > 0.8


@pytest.mark.slow
def test_gaussian_kernel_leaves_thirty_groups_on_colon(data_folder):
    X, _ = colon(data_folder)
    assert len(hf.DenseGroups(kernel="gaussian").fit(X).group_scores_) >= 30
    with pytest.warns(HoldfastWarning, match="2,000 features converge to one peak: width=1 "):
        hf.DenseGroups(kernel="gaussian", width=1.0).fit(X)


@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
def test_blocks_and_threads_change_nothing(kernel, monkeypatch):
    X = blocks(5, n=20, p=300)
    selector = hf.DenseGroups(kernel=kernel)
    expected, h = found(selector, X), selector.bandwidth_
    with threadpool_limits(1):
        assert found(selector, X) == expected
    for entries in (1, 7_000):
        monkeypatch.setattr(_dense_groups, "MAX_BLOCK_PRODUCTS", entries)
        assert found(selector, X) == expected
        assert selector.bandwidth_ == h


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.parametrize("kernel", ["flat", "gaussian"])
@pytest.mark.filterwarnings("ignore:all .* features converge")
def test_order_unit_and_precision_of_the_data_change_nothing(kernel, seed):
    X = blocks(seed).astype(np.float32).astype(np.float64)
    rng = np.random.default_rng(seed)
    selector = hf.DenseGroups(kernel=kernel)
    expected = found(selector, X)
    assert found(selector, rng.permutation(X)) == expected
    assert found(selector, X * 10.0 ** rng.integers(-200, 200, X.shape[1])) == expected
    assert found(selector, X.astype(np.float32)) == expected
    permuted = rng.permutation(X.shape[1])
    back = [sorted(permuted[group].tolist()) for group in found(selector, X[:, permuted])]
    assert sorted(back) == sorted(expected)


def test_representative_is_the_member_most_like_the_others():
    X = blocks(2, n=12, p=60)
    fitted = hf.DenseGroups(min_size=3).fit(X)
    assert len(fitted.representatives_) > 1
    for group, own in zip(fitted.groups_[0], fitted.representatives_, strict=True):
        likeness = np.corrcoef(X[:, group].T).mean(axis=1)
        assert likeness[group.tolist().index(own)] == pytest.approx(likeness.max())


def test_three_features_by_hand():
    """The first two are √8 apart, both are 4 from the third."""
    a, b = np.array([1.0, 1, -1, -1, 1, 1, -1, -1]), np.array([1.0, -1, 1, -1, 1, -1, 1, -1])
    near = a.copy()
    near[[0, 3]] = near[[3, 0]]
    X = np.column_stack([a, near, b])
    selector = hf.DenseGroups(n_neighbors=2)
    assert found(selector, X) == [[0], [1]]  # the third is 2 from its two nearest on average
    assert selector.bandwidth_ == pytest.approx((np.sqrt(8) / 2 + np.sqrt(8) / 2 + 4 / 2) / 3)
    assert found(hf.DenseGroups(n_neighbors=2, density_filter=False), X) == [[0], [1], [2]]
    others = hf.DenseGroups(n_neighbors=1, count_itself=False)
    assert found(others, X) == [[0, 1], [2]]
    assert others.bandwidth_ == pytest.approx((np.sqrt(8) + np.sqrt(8) + 4) / 3)


def test_densities_of_the_flat_kernel_are_shares_of_features():
    X = blocks(4, n=12, p=40)
    X[:, 7] = 1.0  # constant: not counted
    fitted = hf.DenseGroups().fit(X)
    assert len(fitted.groups_[0]) > 1
    sizes = [len(group) for group in fitted.groups_[0]]
    np.testing.assert_allclose(fitted.group_densities_, np.array(sizes) / 39)
    few = hf.DenseGroups(n_groups=1).fit(X)
    np.testing.assert_array_equal(few.group_densities_, fitted.group_densities_[:1])


@pytest.mark.parametrize("seed", [2, 3])
def test_densities_of_the_gaussian_kernel_are_mean_weights_at_the_peak(seed):
    X = blocks(seed, n=10, p=20)
    fitted = hf.DenseGroups(kernel="gaussian", n_neighbors=3).fit(X)
    Z = ((X - X.mean(axis=0)) / X.std(axis=0)).T
    h, width = fitted.bandwidth_, 0.4 * fitted.bandwidth_
    at_peaks = {}  # the members within h of the peak of each feature, and the density there
    for z in Z:
        apart = cdist([naive_climb(Z, z, "gaussian", h, width)], Z)[0]
        members = tuple(np.flatnonzero(apart <= h).tolist())
        at_peaks.setdefault(members, []).append(np.exp(-0.5 * (apart / width) ** 2).mean())
    assert len(fitted.groups_[0]) > 1
    for group, density in zip(fitted.groups_[0], fitted.group_densities_, strict=True):
        assert np.abs(np.array(at_peaks[tuple(group.tolist())]) - density).min() < 1e-6


def test_relevant_groups_have_the_densities_of_the_same_dense_groups():
    X, y = load_wine(return_X_y=True)
    dense, drags = hf.DenseGroups().fit(X), hf.DRAGS().fit(X, y)
    by_group = {
        tuple(group): density
        for group, density in zip(found(hf.DenseGroups(), X), dense.group_densities_, strict=True)
    }
    order = [tuple(group.tolist()) for group in drags.groups_[0]]
    assert drags.group_densities_.tolist() == [by_group[group] for group in order]
    relevant = hf.DRAGS(threshold=drags.group_scores_[1]).fit(X, y)
    assert relevant.group_densities_.tolist() == drags.group_densities_[:2].tolist()


def test_distance_of_exactly_the_bandwidth_is_within_it():
    rng = np.random.default_rng(0)
    for _ in range(50):
        X = rng.normal(size=(7, 2))
        assert found(hf.DenseGroups(count_itself=False), X) == [[0, 1]]
        assert found(hf.DenseGroups(), X) == [[0], [1]]


def test_with_one_neighbour_every_feature_is_a_group_but_for_copies():
    X = np.random.default_rng(0).normal(size=(9, 6))
    X[:, 4] = X[:, 1]
    X[:, 5] = 3.0 * X[:, 1]
    for kernel in ("flat", "gaussian"):
        assert found(hf.DenseGroups(n_neighbors=1, kernel=kernel), X) == [[1, 4, 5], [0], [2], [3]]


def test_constant_features_are_in_no_group():
    X = blocks(4, n=10, p=12)
    expected = found(hf.DenseGroups(), X)
    padded = np.insert(X, [0, 5], 7.0, axis=1)
    shift = np.flatnonzero(np.ptp(padded, axis=0) > 0)
    assert found(hf.DenseGroups(), padded) == [shift[group].tolist() for group in expected]
    for kernel in ("flat", "gaussian"):
        constant = hf.DenseGroups(kernel=kernel)
        assert found(constant, np.ones((5, 3))) == []
        assert not constant.get_support().any()


@pytest.mark.parametrize("itself", [True, False])
def test_a_single_feature_is_a_group(itself):
    X = np.arange(5.0)[:, None]
    assert found(hf.DenseGroups(count_itself=itself), X) == [[0]]


def test_too_large_a_bandwidth_warns():
    with pytest.warns(HoldfastWarning, match="bandwidth=100 separates no groups"):
        hf.DenseGroups(bandwidth=100.0).fit(blocks(0))


def test_mean_shift_without_convergence_warns(monkeypatch):
    monkeypatch.setattr(_dense_groups, "MAX_ASCENT_STEPS", 3)
    with pytest.warns(HoldfastWarning, match="did not converge for .* within 3 steps"):
        hf.DenseGroups(kernel="gaussian").fit(blocks(0, n=10, p=40))


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"kernel": "flatt"}, UnknownNameError),
        ({"n_neighbors": 0}, InvalidInputError),
        ({"min_size": 0}, InvalidInputError),
        ({"count_itself": "yes"}, InvalidInputError),
        ({"density_filter": 1}, InvalidInputError),
        ({"bandwidth": 0.0}, InvalidInputError),
        ({"width": -1.0}, InvalidInputError),
        ({"n_groups": 0}, InvalidInputError),
        ({"threshold": np.inf}, InvalidInputError),
        ({"threshold": "high"}, InvalidInputError),
        ({"relevance": "svm_rfe"}, InvalidInputError),
    ],
)
def test_wrong_parameters_are_refused(wrong, kind):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(kind, match=next(iter(wrong))):
        hf.DRAGS(**wrong).fit(X, y)


def test_relevance_is_the_mean_score_of_the_members():
    X, y = load_wine(return_X_y=True)
    scores = f_classif(X, y)[0]
    groups = found(hf.DenseGroups(), X)
    fitted = hf.DRAGS().fit(X, y)
    assert sorted(group.tolist() for group in fitted.groups_[0]) == sorted(groups)
    means = [scores[group].mean() for group in fitted.groups_[0]]
    assert fitted.group_scores_ == pytest.approx(means)
    assert (np.diff(fitted.group_scores_) <= 0).all()


def test_any_score_may_be_the_relevance():
    X, y = load_breast_cancer(return_X_y=True)
    named = hf.DRAGS(relevance="relieff:n_neighbors=5").fit(X, y)
    given_object = hf.DRAGS(relevance=hf.ReliefF(n_neighbors=5)).fit(X, y)
    assert named.group_scores_.tolist() == given_object.group_scores_.tolist()
    scores = hf.ReliefF(n_neighbors=5).fit(X, y).scores_
    assert named.group_scores_[0] == pytest.approx(scores[named.groups_[0][0]].mean())


def test_threshold_decides_how_many():
    X, y = load_breast_cancer(return_X_y=True)
    everything = hf.DRAGS().fit(X, y)
    limit = everything.group_scores_[1]
    some = hf.DRAGS(threshold=limit).fit(X, y)
    assert some.group_scores_.tolist() == everything.group_scores_[:2].tolist()
    assert some.selects_own_size
    assert not everything.selects_own_size
    assert not hf.DRAGS(threshold=1e9).fit(X, y).get_support().any()


def test_the_best_groups_are_selected():
    X, y = load_breast_cancer(return_X_y=True)
    two, everything = hf.DRAGS(n_groups=2).fit(X, y), hf.DRAGS(n_groups=99).fit(X, y)
    assert two.representatives_.tolist() == everything.representatives_[:2].tolist()
    assert len(everything.representatives_) == 3


def test_features_that_separate_the_classes_have_a_finite_relevance():
    y = np.repeat([0, 1], 5)
    X = np.column_stack([y, y, y, np.random.default_rng(0).normal(size=10)]).astype(float)
    fitted = hf.DRAGS().fit(X, y)
    assert fitted.groups_[0][0].tolist() == [0, 1, 2]
    assert fitted.group_scores_[0] == np.finfo(float).max


def test_resamples_are_as_many_fits():
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = [rng.integers(0, len(y), len(y)) for _ in range(4)]
    many = hf.DRAGS(n_groups=3).group_resamples(X, y, rows)
    for own, result in zip(rows, many, strict=True):
        single = hf.DRAGS(n_groups=3).fit(X[own], y[own]).groups_[0]
        assert [group.tolist() for group in result] == [group.tolist() for group in single]
