"""Dense groups, K-means clusters and SVM-RFE compared, as docs/groups.md shows them.

What comes out is shown there. Here is what must hold whatever comes out.
"""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from sklearn.feature_selection import f_classif
from sklearn.metrics import pairwise_distances

import holdfast as hf
from holdfast.select import halve_then_one

SIZES = (10, 30)
MEASURES = INDEX, VALUE = ("group_matching_index", "group_matching_value")
PROTOCOL = hf.CrossValidation(3, n_repeats=1, reference=True)
SELECTORS = {
    "dgf": hf.DenseGroups(),
    "drags": hf.DRAGS(),
    "clusters": hf.KMeansGroups(n_clusters=30, n_init=5),
    "central": hf.KMeansGroups(n_clusters=50, n_init=5, central=5),
    "svm_rfe": hf.SVMRFE(step=halve_then_one, scale="standard"),
}


def check_comparison(X, y):
    """Run the comparison and check it; the data are no smaller than the numbers of clusters."""
    study = hf.Study(
        SELECTORS, protocol=PROTOCOL, sizes=SIZES, measures=MEASURES,
        classifiers=["linear_svm", "knn1"],
        replication=0,
    )  # fmt: skip
    result = study.run(X, y, n_jobs=1)
    assert result.failures.empty
    check_tables(result)
    check_groups(result, X.shape[1])
    check_dense_groups(result, X, y)
    check_single_features(result, X, y)
    for name in ("dgf", "drags"):
        check_values(result, name, X, y)


def check_tables(result):
    table = result.stability
    assert len(table) == len(SELECTORS) * len(SIZES) * len(MEASURES)
    assert (table["against"] == "reference").all()
    assert table["value"].between(-1, 1).all()
    assert table.query("measure == @INDEX")["value"].between(0, 1).all()
    assert len(result.errors) == len(SELECTORS) * len(SIZES) * 2
    assert result.errors["error"].between(0, 1).all()


def check_groups(result, n_features):
    for name in SELECTORS:
        for size in SIZES:
            groups = result.preferences.groups(name, size)
            assert groups.sizes.tolist() == [size] * 3, name
            for found, chosen in zip(groups, groups.representatives, strict=True):
                assert all(one in own for one, own in zip(chosen, found, strict=True))
    for found in result.preferences.groups("clusters", 30):
        assert sorted(np.concatenate(found)) == list(range(n_features))
    for found in result.preferences.groups("central", 30):
        assert {len(own) for own in found} <= {1, 2, 3, 4, 5}


def check_dense_groups(result, X, y):
    """On each resample: what lies in one group is near, and no other group is more relevant."""
    rows = [one.train for one in PROTOCOL.draw(y, random_state=0) if len(one.test)]
    selected = result.preferences.groups("drags", 30)
    for own, found in zip(rows, selected, strict=True):
        Z = ((X[own] - X[own].mean(axis=0)) / X[own].std(axis=0)).T
        apart = pairwise_distances(Z)
        bandwidth = np.sort(apart, axis=1)[:, :5].mean()
        assert max(apart[np.ix_(group, group)].max() for group in found) <= 2 * bandwidth + 1e-9
        F = f_classif(X[own], y[own])[0]
        every = hf.DenseGroups().fit(X[own]).groups_[0]
        best = np.sort([F[group].mean() for group in every])[::-1][:30]
        np.testing.assert_allclose([F[group].mean() for group in found], best, rtol=1e-6)


def check_single_features(result, X, y):
    """Subsets of equal size are compared by Dice, which is then the share they have in common."""
    table = result.stability.set_index(["selector", "size", "measure"])["value"]
    whole = SELECTORS["svm_rfe"]
    for size in SIZES:
        reference = set(whole.with_size(size).fit(X, y).get_support(indices=True).tolist())
        shared = [len(reference & set(one)) / size for one in result.preferences["svm_rfe", size]]
        assert table["svm_rfe", size, INDEX] == pytest.approx(np.mean(shared))


def check_values(result, name, X, y):
    """Another algorithm finds matchings of the same weight."""
    table = result.stability.set_index(["selector", "size", "measure"])["value"]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for size in SIZES:
        whole = SELECTORS[name].with_size(size).fit(X, y).groups_[0]
        found = result.preferences.groups(name, size)
        for measure, alike in ((INDEX, dice), (VALUE, lambda *two: correlations(Z, *two))):
            values = [matched(alike(whole, one)) for one in found]
            assert table[name, size, measure] == pytest.approx(np.mean(values)), (name, measure)


def matched(weights):
    pairs = min_weight_full_bipartite_matching(csr_array(weights + 2), maximize=True)
    return weights[pairs].mean()


def dice(one, other):
    return np.array([[2 * len({*a} & {*b}) / (len(a) + len(b)) for b in other] for a in one])


def correlations(Z, one, other):
    centres = [Z[:, group].mean(axis=1) for group in (*one, *other)]
    return np.corrcoef(centres)[: len(one), len(one) :]


def test_the_comparison_holds_together_on_small_data():
    rng = np.random.default_rng(0)
    y = np.arange(45) % 2
    X = np.repeat(rng.normal(size=(45, 40)), 3, axis=1) + 0.5 * rng.normal(size=(45, 120))
    X[:, :30] += y[:, None]
    check_comparison(X, y)


@pytest.mark.slow
def test_the_comparison_holds_together_on_colon(data_folder):
    data = hf.io.read_data(data_folder / "colon.parquet", target="class")
    check_comparison(data.X, data.codes)
