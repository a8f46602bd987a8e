"""Similarity-adjusted measures against naive twins, enumeration and limit cases."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from tests import naive
from tests.measures.strategies import similarities, subset_lists

PAIRS = [
    "intersection_count", "intersection_greedy", "intersection_mbm", "intersection_mean",
    "yu", "zucknick",
]  # fmt: skip
INTERSECTIONS = PAIRS[:4]


@pytest.mark.parametrize("name", PAIRS)
@given(data=st.data())
def test_raw_values_equal_the_naive_ones(name, data):
    p, rows = data.draw(subset_lists(least_size=1).filter(lambda system: system[0] <= 9))
    matrix = data.draw(similarities(p))
    threshold = data.draw(st.sampled_from([0.2, 0.5, 0.8]))
    sets = [set(row) for row in rows]
    expected = naive.mean_over_pairs(
        lambda x, y: naive.adjusted(name, x, y, matrix, threshold), sets
    )
    got = hf.measure(
        name,
        hf.Subsets(rows, n_features=p),
        similarity=matrix,
        threshold=threshold,
        corrected=False,
    )
    assert got == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", PAIRS)
@given(data=st.data())
def test_exact_correction_equals_enumeration(name, data):
    p = data.draw(st.integers(3, 5))
    a, b = data.draw(st.integers(1, p - 1)), data.draw(st.integers(1, p - 1))
    matrix = data.draw(similarities(p))
    pairs = list(itertools.product(naive.all_subsets(p, a), naive.all_subsets(p, b)))
    scores = [naive.adjusted(name, x, y, matrix, 0.5) for x, y in pairs]
    expected, best = np.mean(scores), naive.best_possible(name, a, b)
    x, y = data.draw(st.sampled_from(pairs))
    got = hf.measure(
        name,
        hf.Subsets([sorted(x), sorted(y)], n_features=p),
        similarity=matrix,
        threshold=0.5,
        corrected=True,
        correction="exact",
        undefined=99.0,
    )
    value = naive.adjusted(name, x, y, matrix, 0.5)
    wanted = (value - expected) / (best - expected) if abs(best - expected) > 1e-9 else 99.0
    assert got == pytest.approx(wanted, abs=1e-9)


@given(data=st.data())
def test_sechidis_equals_the_traces(data):
    p, rows = data.draw(subset_lists(least_size=1))
    matrix = data.draw(similarities(p))
    sets = [set(row) for row in rows]
    if all(len(s) == p for s in sets):
        return
    got = hf.measure("sechidis", hf.Subsets(rows, n_features=p), similarity=matrix, threshold=0.5)
    assert got == pytest.approx(naive.sechidis(sets, p, matrix, 0.5), abs=1e-7, rel=1e-7)


def example(seed=0, m=8, p=60, sizes=(5, 8), rows=12):
    """Subsets and data with blocks of five highly correlated features."""
    rng = np.random.default_rng(seed)
    base = np.repeat(rng.normal(size=(rows, p // 5)), 5, axis=1)
    data = base + 0.15 * rng.normal(size=(rows, p))
    subsets = hf.Subsets(
        [rng.choice(p, rng.choice(sizes), replace=False) for _ in range(m)], n_features=p
    )
    return subsets, data


@pytest.mark.parametrize("name", [*PAIRS, "sechidis"])
def test_dense_sparse_and_data_agree(name):
    subsets, data = example()
    matrix = np.abs(np.corrcoef(data.T))
    matrix = np.minimum((matrix + matrix.T) / 2, 1.0)
    np.fill_diagonal(matrix, 1.0)
    options = {} if name == "sechidis" else {"corrected": False}
    dense = hf.measure(name, subsets, similarity=matrix, **options)
    sparse = scipy.sparse.csr_array(np.where(matrix >= 0.5, matrix, 0.0))
    bare = sparse.copy()
    bare.setdiag(0.0)
    bare.eliminate_zeros()
    for similarity in (sparse, bare, sparse.tocoo(), np.asfortranarray(matrix)):
        assert hf.measure(name, subsets, similarity=similarity, **options) == dense
    assert hf.measure(name, subsets, data=data, **options) == pytest.approx(dense, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["similarity", "data"])
@pytest.mark.parametrize("name", PAIRS)
def test_simulation_agrees_with_the_exact_expectation_within_its_error(name, source):
    subsets, data = example(m=6, p=10, sizes=(2, 3))
    given_ = data
    if source == "similarity":
        given_ = np.abs(np.corrcoef(data.T))
        np.fill_diagonal(given_, 1.0)
        given_ = np.clip((given_ + given_.T) / 2, 0, 1)
    options = {source: given_, "corrected": True}
    exact = hf.measure([name], subsets, correction="exact", **options).loc[name]
    assert exact["chance_error"] == 0
    drawn = hf.measure([name], subsets, correction="simulate", n_simulations=4000, **options).loc[
        name
    ]
    assert 0 < drawn["chance_error"] < 0.05
    assert abs(drawn["value"] - exact["value"]) < 5 * drawn["chance_error"]


@pytest.mark.slow
@pytest.mark.parametrize("name", INTERSECTIONS)
def test_reported_error_is_the_spread_over_seeds(name):
    subsets, data = example(m=6, p=30, sizes=(4, 6))
    rows = [
        hf.measure(
            [name],
            subsets,
            data=data,
            correction="simulate",
            n_simulations=300,
            random_state=seed,
        ).loc[name]
        for seed in range(40)
    ]
    spread = np.std([row["value"] for row in rows], ddof=1)
    stated = np.mean([row["chance_error"] for row in rows])
    assert 0.6 < stated / spread < 1.7


@pytest.mark.parametrize("name", PAIRS)
def test_jackknife_of_corrected_values(name):
    subsets, data = example(m=5, p=10, sizes=(2, 3))
    options = {"data": data, "corrected": True, "correction": "exact"}
    without = [
        hf.measure(name, subsets[[j for j in range(5) if j != i]], **options) for i in range(5)
    ]
    row = hf.measure([name], subsets, **options).loc[name]
    error = np.sqrt(4 / 5 * np.square(without - np.mean(without)).sum())
    reach = 2.7764451051977987 * error  # Student's t with 4 degrees of freedom
    assert row["low"] == pytest.approx(row["value"] - reach, abs=1e-9)
    assert row["high"] == pytest.approx(min(row["value"] + reach, row["maximum"]), abs=1e-9)


@pytest.mark.parametrize("name", PAIRS)
def test_pairwise_has_each_subset_with_itself_on_the_diagonal(name):
    subsets, data = example(p=10, sizes=(2, 3))
    corrected = hf.pairwise(name, subsets, data=data, corrected=True, correction="exact")
    assert np.diag(corrected) == pytest.approx(1.0)
    raw = hf.pairwise(name, subsets, data=data, corrected=False)
    assert np.diag(raw) == pytest.approx(1.0 if name == "zucknick" else subsets.sizes)


def test_simulation_is_seeded():
    subsets, data = example()
    one, again, other = (
        hf.measure("intersection_mbm", subsets, data=data, n_simulations=50, random_state=seed)
        for seed in (1, 1, 2)
    )
    assert one == again != other


@pytest.mark.parametrize("name", INTERSECTIONS)
def test_nothing_similar_is_the_unadjusted_measure(name):
    subsets, _ = example()
    got = hf.measure([name], subsets, similarity=np.eye(60)).loc[name]
    assert got["value"] == pytest.approx(hf.measure("unadjusted", subsets), abs=1e-12)
    assert got["chance_error"] == 0


@pytest.mark.parametrize(("name", "twin"), [("yu", "kappa"), ("zucknick", "jaccard")])
def test_nothing_similar_has_a_twin(name, twin):
    subsets, _ = example()
    got = hf.measure(name, subsets, similarity=np.eye(60))
    assert got == pytest.approx(hf.measure(twin, subsets), abs=1e-12)


def test_constant_features_are_similar_to_none():
    data = np.array([[1.0, 2.0, 2.0], [2.0, 2.0, 4.0], [3.0, 2.0, 6.0]])
    subsets = hf.Subsets([[0], [1], [2]], n_features=3)
    table = hf.pairwise("intersection_count", subsets, data=data, corrected=False)
    assert table[np.triu_indices(3, 1)].tolist() == [0.0, 1.0, 0.0]


BAD = {
    "square": np.ones((2, 3)),
    "between 0 and 1": np.array([[1, -0.5, 0], [-0.5, 1, 0], [0, 0, 1]]),
    "symmetric": np.array([[1, 0.5, 0], [0.2, 1, 0], [0, 0, 1]]),
    "itself": np.full((3, 3), 0.5),
    "missing": np.array([[1, np.nan, 0], [np.nan, 1, 0], [0, 0, 1.0]]),
    "of 4 features": np.eye(4),
}


@pytest.mark.parametrize("words", BAD)
def test_bad_similarities_are_refused(words):
    subsets = hf.Subsets([[0], [1]], n_features=3)
    with pytest.raises(InvalidInputError, match=words):
        hf.measure("yu", subsets, similarity=BAD[words])


@pytest.mark.parametrize("name", ["zucknick", "yu", "sechidis", "intersection_mbm"])
def test_named_frames_are_put_into_the_order_of_the_features(name):
    subsets, data = example(p=10, sizes=(2, 3))
    names = [f"f{i}" for i in range(10)]
    named = hf.Subsets(list(subsets), feature_names=names)
    expected = hf.measure(name, named, data=data)
    frame = pd.DataFrame(data, columns=names)
    assert hf.measure(name, named, data=frame[names[::-1]]) == pytest.approx(expected)
    matrix = np.clip(np.abs(frame.corr()), 0, 1)
    shuffled = matrix.loc[names[::-1], names[::-1]]
    assert hf.measure(name, named, similarity=shuffled) == pytest.approx(expected)
    with pytest.raises(InvalidInputError, match="in one only: f9, x"):
        hf.measure(name, named, data=frame.rename(columns={"f9": "x"}))


def test_perfect_copies_are_similar_at_the_highest_threshold():
    x = np.random.default_rng(0).normal(size=20)
    data = np.column_stack([x, 2 * x + 5, -x / 3])
    subsets = hf.Subsets([[0], [1], [2]], n_features=3)
    table = hf.pairwise("intersection_mbm", subsets, data=data, threshold=1.0, corrected=False)
    assert table.tolist() == [[1.0] * 3] * 3


def test_bad_options_are_refused():
    subsets = hf.Subsets([[0], [1]], n_features=3)
    with pytest.raises(InvalidInputError, match="either similarity="):
        hf.measure("yu", subsets)
    with pytest.raises(InvalidInputError, match="threshold"):
        hf.measure("yu", subsets, similarity=np.eye(3), threshold=0)
    with pytest.raises(UnknownNameError, match="'exact'"):
        hf.measure("yu", subsets, similarity=np.eye(3), correction="exakt")
    with pytest.raises(InvalidInputError, match="n_simulations"):
        hf.measure("yu", subsets, similarity=np.eye(3), correction="simulate", n_simulations=1)
    with pytest.raises(InvalidInputError, match="feature 0 of the data has missing"):
        hf.measure("yu", subsets, data=np.full((4, 3), np.nan))
    with pytest.raises(InvalidInputError, match="numbers"):
        hf.measure("yu", subsets, similarity=np.array([["a"]]))
    with pytest.raises(InvalidInputError, match="square"):
        hf.measure("yu", subsets, similarity=np.zeros((0, 0)))
    big = hf.Subsets([range(20), range(20)], n_features=60)
    matrix = np.eye(60)
    matrix[0, 1] = matrix[1, 0] = 1
    with pytest.raises(InvalidInputError, match="correction='simulate'"):
        hf.measure("intersection_mbm", big, similarity=matrix, correction="exact")
    named = hf.Subsets([["a"], ["b"]], n_features=3)
    with pytest.raises(InvalidInputError, match="feature_names="):
        hf.measure("yu", named, similarity=np.eye(3))
