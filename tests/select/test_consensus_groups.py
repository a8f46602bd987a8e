"""Consensus groups: shares of bags by hand, average linkage by hand, limits that are known."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import f_classif

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select import GroupSelector, SelectedGroups
from holdfast.select._groups import _consensus_groups
from holdfast.select._groups._consensus_groups import Comembership


class Fixed(GroupSelector):
    """Finds the groups that it is told, whatever the data; remembers the data."""

    seen = []  # noqa: RUF012  (clones write here, too)

    def __init__(self, groups=(), *, n_groups=None, output="representatives", random_state=0):
        self.groups = groups
        self.n_groups = n_groups
        self.output = output
        self.random_state = random_state

    def _group(self, X, y, generator):
        Fixed.seen.append(X)
        groups = tuple(np.array(own) for own in self.groups)
        firsts = np.array([own[0] for own in groups], dtype=np.intp)
        return SelectedGroups(groups, firsts, -np.arange(len(groups), dtype=float))


def data(p=9, n=40, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), np.arange(n) % 2


def members(fitted):
    return [group.tolist() for group in fitted.groups_[0]]


def random_results(rng, p, count, overlapping):
    """Draw results whose groups follow hidden places of the features."""
    places, results = rng.normal(size=p), []
    for _ in range(count):
        moved = places + rng.normal(0, 0.5, p)
        cuts = np.digitize(moved, np.sort(rng.normal(size=3)))
        groups = [np.flatnonzero(cuts == cut) for cut in np.unique(cuts)]
        if overlapping:
            groups += [np.flatnonzero(np.abs(moved - rng.normal()) < 0.4)]
        results.append([own for own in groups[rng.integers(2) :] if len(own)])
    return results


def naive_shares(results, p):
    shares = np.zeros((p, p))
    for groups in results:
        together = {pair for own in groups for pair in itertools.product(own, repeat=2)}
        for i, j in together:
            shares[i, j] += 1 / len(results)
    return shares


def naive_linkage(shares, agreement):
    """Join the two groups with the highest mean share while that is high; None: ties."""
    groups = [[i] for i in range(len(shares)) if shares[i, i] >= agreement - 1e-12]
    while len(groups) > 1:
        means = {
            (a, b): shares[np.ix_(groups[a], groups[b])].mean()
            for a, b in itertools.combinations(range(len(groups)), 2)
        }
        best = max(means, key=means.get)
        if means[best] < agreement - 1e-12:
            break
        if sum(abs(mean - means[best]) < 1e-12 for mean in means.values()) > 1:
            return None
        a, b = best
        groups[a] = sorted(groups[a] + groups.pop(b))
    return sorted(groups)


@pytest.mark.parametrize("overlapping", [False, True])
def test_shares_of_bags_are_counted(overlapping):
    rng = np.random.default_rng(3)
    results = random_results(rng, 12, 15, overlapping)
    shares, found = naive_shares(results, 12), Comembership(results, 12)
    rows, columns = rng.permutation(12)[:5], rng.permutation(12)
    counts = found.counts(rows, found.transpose_memberships(columns)).toarray()
    np.testing.assert_allclose(counts / 15, shares[np.ix_(rows, columns)])
    np.testing.assert_allclose(found.presence, np.diag(shares))


@pytest.mark.slow
@pytest.mark.parametrize("small", [False, True])
def test_groups_are_those_of_average_linkage(small, monkeypatch):
    """In blocks of a few pairs, and batches of a few features, as well."""
    if small:
        monkeypatch.setattr(_consensus_groups, "MAX_PAIRS_PER_BLOCK", 30)
        monkeypatch.setattr(_consensus_groups, "MAX_BATCH_FEATURES", 4)
    compared = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        results = random_results(rng, 9, 41, overlapping=seed % 2 == 1)
        shares = naive_shares(results, 9)
        for agreement in (0.3, 0.6):
            wanted = naive_linkage(shares, agreement)
            found = sorted(own.tolist() for own in Comembership(results, 9).link_groups(agreement))
            if wanted is not None:
                compared += 1
                assert found == wanted
    assert compared > 6


def test_a_low_share_inside_a_part_counts():
    """0 and 2 hang together through 1 only: 0.5 on average over both pairs is not reached."""
    results = [[[0, 1], [2]], [[0, 1], [2]], [[0, 1], [2]], [[0], [1, 2]], [[0], [1, 2]]]
    counts = Comembership(results, 3)
    assert sorted(own.tolist() for own in counts.link_groups(0.4)) == [[0, 1], [2]]
    assert sorted(own.tolist() for own in counts.link_groups(0.2)) == [[0, 1, 2]]


def test_a_part_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(_consensus_groups, "MAX_LINKED_FEATURES", 3)
    assert len(Comembership([[[0, 1, 2], [3, 4]]], 5).link_groups(0.5)) == 2
    with pytest.raises(InvalidInputError, match=r"4 features are linked.*Raise agreement"):
        Comembership([[[0, 1, 2, 3]]], 5).link_groups(0.5)


def test_many_features_are_counted_without_a_table_of_all_pairs():
    rng = np.random.default_rng(0)
    p = 8_000  # a table of all pairs would take 500 MB
    blocks = np.split(rng.permutation(p), p // 5)
    results = [[np.sort(own) for own in blocks]] * 3
    found = Comembership(results, p).link_groups(0.5)
    assert sorted(own.tolist() for own in found) == sorted(sorted(own) for own in blocks)


@pytest.mark.parametrize("agreement", [0.05, 0.5, 1.0])
def test_bags_that_agree_give_the_groups_of_the_base(agreement):
    X, y = data()
    groups = [[2, 3, 7], [0, 8], [5]]
    fitted = hf.ConsensusGroups(Fixed(groups), agreement=agreement).fit(X, y)
    assert sorted(members(fitted)) == [[0, 8], [2, 3, 7], [5]]
    few = hf.ConsensusGroups(Fixed(groups, n_groups=2), agreement=agreement).fit(X, y)
    assert sorted(members(few)) == [[0, 8], [2, 3, 7]]


def test_groups_are_ranked_by_the_mean_relevance_of_their_members():
    X, y = load_wine(return_X_y=True)
    groups = [[0, 1, 2], [4, 6], [11], [8, 9, 12]]
    fitted = hf.ConsensusGroups(Fixed(groups), n_bags=2).fit(X, y)
    scores = f_classif(X, y)[0]
    wanted = sorted(groups, key=lambda own: -scores[own].mean())
    assert members(fitted) == wanted
    np.testing.assert_allclose(fitted.group_scores_, [scores[own].mean() for own in wanted])
    other = hf.ConsensusGroups(Fixed(groups), n_bags=2, relevance="relieff").fit(X, y)
    scores = hf.ReliefF().fit(X, y).scores_
    np.testing.assert_allclose(other.group_scores_, [scores[own].mean() for own in members(other)])


def test_small_groups_are_left_out():
    X, y = data()
    groups = Fixed([[0, 8], [2, 3, 7], [5]])
    for size, left in ((1, 3), (2, 2), (3, 1), (4, 0)):
        found = hf.ConsensusGroups(groups, min_size=size, n_bags=2).fit(X, y).groups_[0]
        assert len(found) == left
        assert all(len(own) >= size for own in found)


@pytest.mark.parametrize("base", ["dense_groups", "kmeans_groups:n_clusters=2", None])
@pytest.mark.parametrize("agreement", [0.5, 1.0])
def test_blocks_of_copies_are_recovered(base, agreement):
    X, y = data(2)
    X = np.repeat(X, 4, axis=1) * np.arange(1, 9)
    fitted = hf.ConsensusGroups(base, agreement=agreement, n_bags=5).fit(X, y)
    assert sorted(members(fitted)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert sorted(fitted.representatives_) == [0, 4]


def test_one_feature_and_three_classes():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [10, 8, 4])
    one = hf.ConsensusGroups(n_bags=3).fit(rng.normal(size=(22, 1)), y)
    assert members(one) == [[0]]
    X = rng.normal(size=(22, 5)).astype(np.float32)
    X[:, 3] = 1.0
    some = hf.ConsensusGroups("kmeans_groups", n_bags=3, agreement=0.1).fit(X, y)
    assert sorted(itertools.chain(*members(some))) == [0, 1, 2, 4]
    none = hf.ConsensusGroups(n_bags=3).fit(np.ones((22, 5)), y)
    assert members(none) == []


def told_apart(X):
    """Return data whose rows can be told by their first value."""
    return np.column_stack([np.arange(len(X)), X])


def seen_rows():
    rows = [X[:, 0].astype(int).tolist() for X in Fixed.seen]
    Fixed.seen.clear()
    return rows


def test_bags_are_drawn_with_or_without_copies():
    X, y = data()
    X = told_apart(X)
    seen_rows()
    hf.ConsensusGroups(Fixed([[0]]), n_bags=3).fit(X, y)
    bags = seen_rows()
    assert [len(bag) for bag in bags] == [40] * 3
    assert all(len(set(bag)) < 40 and sum(y[bag]) == 20 for bag in bags)
    hf.ConsensusGroups(Fixed([[0]]), n_bags=4, bag_size=0.5, replace=False).fit(X, y)
    parts = seen_rows()
    assert [len(set(bag)) for bag in parts] == [20] * 4
    hf.ConsensusGroups(Fixed([[0]]), n_bags=3, random_state=1).fit(X, y)
    assert seen_rows() != bags


def test_samples_of_a_subject_stay_together():
    X, y = data()
    X, subjects = told_apart(X), np.arange(40) // 4
    y = subjects % 2
    selector = hf.ConsensusGroups(Fixed([[0]]), n_bags=3)
    assert selector.supports_subjects
    seen_rows()
    selector.fit(X, y, groups=subjects)
    selector.bind(X, y, subjects).select_resamples([np.arange(4, 40)])
    for bag in seen_rows():
        counts = np.bincount(bag, minlength=40).reshape(10, 4)
        assert (counts == counts[:, :1]).all()
        assert counts.max() > 1
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        selector.fit(X, y, groups=subjects[1:])


def test_what_finds_no_groups_is_no_base():
    X, y = data()
    with pytest.raises(InvalidInputError, match="FScore gives weights"):
        hf.ConsensusGroups("f_score").fit(X, y)
    with pytest.raises(InvalidInputError, match="ForwardSelection gives a subset"):
        hf.ConsensusGroups("forward_selection").fit(X, y)
    with pytest.raises(UnknownNameError, match="Did you mean 'dense_groups'"):
        hf.ConsensusGroups("densegroups").fit(X, y)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("agreement", 0), ("agreement", 1.1), ("agreement", "half"), ("n_bags", 0), ("n_bags", None),
     ("min_size", 0), ("bag_size", 1.5), ("replace", "no")],
)  # fmt: skip
def test_wrong_parameters_are_refused(name, wrong):
    X, y = data()
    with pytest.raises(InvalidInputError, match=name):
        hf.ConsensusGroups("kmeans_groups", **{name: wrong}).fit(X, y)


@pytest.mark.slow
def test_consensus_groups_of_a_microarray_come_back_together(data_folder):
    frame = pd.read_parquet(data_folder / "colon.parquet")
    y, X = frame.pop("class"), frame.to_numpy(dtype=float)[:, :500]
    selector = hf.ConsensusGroups(hf.KMeansGroups(n_clusters=50, n_init=2), min_size=2, n_groups=20)
    rows = [one.train for one in hf.Subsampling(5, 0.9).draw(y)]
    consensus = hf.measure("group_matching_index", selector.group_resamples(X, y, rows))
    single = hf.KMeansGroups(n_clusters=50, n_init=2, n_groups=20).group_resamples(X, y, rows)
    assert consensus > hf.measure("group_matching_index", single)
