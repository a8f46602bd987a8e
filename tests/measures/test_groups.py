"""Group matching against hand-worked cases and all permutations."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import InvalidInputError, UndefinedMeasureWarning, UnknownNameError
from tests import naive

group = st.sets(st.integers(0, 6), min_size=1, max_size=4).map(sorted)
results = st.lists(st.lists(group, min_size=1, max_size=4), min_size=2, max_size=3)


def over_pairs(rows, weight):
    values = [
        naive.best_matching([[weight(g, h) for h in rows[j]] for g in rows[i]])
        for i in range(len(rows))
        for j in range(i)
    ]
    return np.mean(values)


@given(rows=results)
def test_index_matching_equals_all_permutations(rows):
    expected = over_pairs(rows, lambda g, h: naive.dice(set(g), set(h), 7))
    got = hf.measure("group_matching_index", hf.Groups(rows, n_features=7))
    assert got == pytest.approx(expected, abs=1e-12)


@given(rows=results, seed=st.integers(0, 99))
def test_value_matching_equals_all_permutations(rows, seed):
    data = np.random.default_rng(seed).normal(size=(8, 7))
    z = (data - data.mean(axis=0)) / data.std(axis=0)

    def weight(g, h):
        return np.corrcoef(z[:, g].mean(axis=1), z[:, h].mean(axis=1))[0, 1]

    got = hf.measure("group_matching_value", hf.Groups(rows, n_features=7), data=data)
    assert got == pytest.approx(over_pairs(rows, weight), abs=1e-9)


def test_worked_by_hand():
    """{0,1,2},{5} against {5,6},{0,1},{9}: matched by 4/5 and 2/3, {9} is left over."""
    groups = hf.Groups([[[0, 1, 2], [5]], [[5, 6], [0, 1], [9]]])
    assert hf.measure("group_matching_index", groups) == pytest.approx((4 / 5 + 2 / 3) / 2)
    single = hf.Groups([[[0], [1], [2]], [[0], [1], [3]]])
    subsets = hf.Subsets([[0, 1, 2], [0, 1, 3]])
    assert hf.measure("group_matching_index", single) == pytest.approx(hf.measure("dice", subsets))


def test_representatives_and_signs():
    x = np.random.default_rng(0).normal(size=10)
    noise = np.random.default_rng(1).normal(size=10)
    data = np.column_stack([x, -x, noise, 2 * x + 5])
    groups = hf.Groups([[[0, 2]], [[1, 2]]], representatives=[[0], [1]])
    by_hand = {"representative": -1.0}
    z = (data - data.mean(axis=0)) / data.std(axis=0)
    by_hand["mean"] = np.corrcoef(z[:, 0] + z[:, 2], z[:, 1] + z[:, 2])[0, 1]
    for centre, value in by_hand.items():
        got = hf.measure("group_matching_value", groups, data=data, centre=centre)
        assert got == pytest.approx(value)
    bare = hf.Groups([[[0]], [[1]]])
    with pytest.raises(InvalidInputError, match="no representatives"):
        hf.measure("group_matching_value", bare, data=data, centre="representative")
    with pytest.raises(UnknownNameError, match="'mean'"):
        hf.measure("group_matching_value", groups, data=data, centre="meen")


def test_against_a_reference():
    full = hf.Groups([[[0, 1], [4]]], n_features=6)
    parts = hf.Groups([[[0, 1], [4]], [[0], [4]], [[2], [3]]], n_features=6)
    values = [1.0, (2 / 3 + 1) / 2, 0.0]
    got = hf.measure("group_matching_index", parts, reference=full)
    assert got == pytest.approx(np.mean(values))


@given(rows=results, k=st.integers(1, 5))
def test_the_first_groups_are_matched_with_all_groups_of_the_other_result(rows, k):
    def search(one, other):
        return naive.match_with_all(one, other, k, lambda g, h: naive.dice(set(g), set(h), 7))

    options = {"n_groups": k, "against": "all"}
    groups = hf.Groups(rows, n_features=7)
    pairs = [
        (search(one, other) + search(other, one)) / 2
        for one, other in itertools.combinations(rows, 2)
    ]
    got = hf.measure("group_matching_index", groups, **options)
    assert got == pytest.approx(np.mean(pairs), abs=1e-12)
    table = hf.pairwise("group_matching_index", groups, **options)
    np.testing.assert_array_equal(table, table.T)
    np.testing.assert_allclose(np.diag(table), 1)

    reference, parts = groups[:1], groups[1:]  # the k groups of the reference are looked for
    got = hf.measure("group_matching_index", parts, reference=reference, **options)
    forth = [search(rows[0], other) for other in rows[1:]]
    assert got == pytest.approx(np.mean(forth), abs=1e-12)


@given(rows=results, k=st.integers(1, 5))
def test_the_first_groups_alone_are_those_of_cut_results(rows, k):
    cut = hf.Groups([result[:k] for result in rows], n_features=7)
    got = hf.measure("group_matching_index", hf.Groups(rows, n_features=7), n_groups=k)
    assert got == hf.measure("group_matching_index", cut)


@pytest.mark.parametrize("centre", ["mean", "representative"])
def test_centres_of_the_first_groups_are_matched_with_all(centre):
    data = np.random.default_rng(3).normal(size=(9, 8))
    rows = [[[0, 1], [2, 3], [4]], [[4, 5], [2], [0, 6]], [[7], [1, 2], [3, 0]]]
    chosen = [[group[-1] for group in result] for result in rows]
    z = (data - data.mean(axis=0)) / data.std(axis=0)

    def weight(g, h):
        parts = [z[:, x].mean(axis=1) if centre == "mean" else z[:, x[-1]] for x in (g, h)]
        return np.corrcoef(*parts)[0, 1]

    pairs = itertools.permutations(rows, 2)  # both directions
    expected = np.mean([naive.match_with_all(one, other, 2, weight) for one, other in pairs])
    groups = hf.Groups(rows, representatives=chosen, n_features=8)
    options = {"data": data, "centre": centre, "n_groups": 2, "against": "all"}
    assert hf.measure("group_matching_value", groups, **options) == pytest.approx(expected)


def test_the_direction_is_from_the_reference():
    """[0, 1] of the reference is found at place 2; [2] of the result is not in the reference."""
    full, part = hf.Groups([[[0, 1]]]), hf.Groups([[[2], [0, 1]]])
    options = {"n_groups": 1, "against": "all"}
    assert hf.measure("group_matching_index", part, reference=full, **options) == 1
    assert hf.measure("group_matching_index", full, reference=part, **options) == 0
    both = hf.Groups([*full, *part])
    assert hf.measure("group_matching_index", both, **options) == 0.5


def test_options_of_group_matching_are_checked():
    groups = hf.Groups([[[0]], [[1]]])
    with pytest.raises(InvalidInputError, match="n_groups=10, for example"):
        hf.measure("group_matching_index", groups, against="all")
    with pytest.raises(UnknownNameError, match=r"unknown against 'al'\. Did you mean 'all'"):
        hf.measure("group_matching_index", groups, n_groups=1, against="al")
    with pytest.raises(InvalidInputError, match="n_groups must be a whole number of at least 1"):
        hf.measure("group_matching_value", groups, data=np.eye(2), n_groups=0)


def test_no_groups_are_undefined():
    groups = hf.Groups([[[0]], []], n_features=3)
    with pytest.warns(
        UndefinedMeasureWarning, match="1 pair without a value because of preferences 0, 1"
    ):
        assert np.isnan(hf.measure("group_matching_index", groups))
    with pytest.raises(InvalidInputError, match="needs data="):
        hf.measure("group_matching_value", groups)
    wide = hf.Groups([[[0]], [[5]]])
    named = hf.Groups([[["b"]], [["a"]]], feature_names=list("ab"))
    data = pd.DataFrame({"b": [1.0, 2, 3], "a": [1.0, 3, 0]})
    expected = np.corrcoef(data["a"], data["b"])[0, 1]
    assert hf.measure("group_matching_value", named, data=data) == pytest.approx(expected)
    some = hf.Groups([[["b"]], [["a"]]], n_features=3)
    with pytest.raises(InvalidInputError, match="name only some"):
        hf.measure("group_matching_value", some, data=data)
    many = hf.Groups([[[0]], [[1]]], n_features=3)
    with pytest.raises(InvalidInputError, match="the data have 2 features, the groups 3"):
        hf.measure("group_matching_value", many, data=data.to_numpy())
    with pytest.raises(InvalidInputError, match="the data have 2 features"):
        hf.measure("group_matching_value", wide, data=np.eye(2))
