"""Weights and rankings: containers, conversions, ties."""

import gc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.linear_model import LogisticRegression

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError

TABLE = np.array([[0.9, 0.1, 0.5], [0.2, 0.3, 0.1]])
rows = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


@pytest.mark.parametrize(
    "data",
    [TABLE, TABLE.tolist(), list(TABLE), iter(TABLE), TABLE.astype(np.float32), TABLE[:, ::1].T.T],
    ids=lambda data: type(data).__name__,
)
def test_containers(data):
    weights = hf.Weights(data, feature_names=list("abc"))
    assert weights.values == pytest.approx(TABLE)
    assert weights.n_features == 3
    assert weights.feature_names == ("a", "b", "c")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames(kind, require):
    values = {"a": [0.9, 0.2], "b": [0.1, 0.3], "c": [0.5, 0.1]}
    frame = pd.DataFrame(values) if kind == "pandas" else require("polars").DataFrame(values)
    weights = hf.Weights(frame)
    assert weights.values == pytest.approx(TABLE)
    assert weights.to_frame().columns.tolist() == ["a", "b", "c"]
    with pytest.raises(InvalidInputError, match="differ from the column names"):
        hf.Weights(frame, feature_names=list("xyz"))


@pytest.mark.slow
def test_fitted_estimators():
    x, y = load_wine(return_X_y=True, as_frame=True)
    best = SelectKBest(k=3).fit(x, y)
    forest = RandomForestClassifier(5, random_state=0).fit(x, y)
    linear = LogisticRegression(max_iter=10_000).fit(x / x.std(), y)
    assert hf.Weights([best]).values[0] == pytest.approx(best.scores_)
    assert hf.Weights([forest, forest]).values[1] == pytest.approx(forest.feature_importances_)
    assert hf.Weights([linear]).values[0] == pytest.approx(np.abs(linear.coef_).sum(axis=0))
    assert hf.Weights([best]).feature_names == tuple(x.columns)
    wrapper = RFE(LogisticRegression(max_iter=10_000), n_features_to_select=4).fit(x / x.std(), y)
    ranks = scipy.stats.rankdata(wrapper.ranking_)
    assert hf.Rankings([wrapper]).values[0] == pytest.approx(ranks)
    linear.scores_ = {0: "by fold"}  # as LogisticRegressionCV has
    assert hf.Weights([linear]).values[0] == pytest.approx(np.abs(linear.coef_).sum(axis=0))
    with pytest.raises(InvalidInputError, match="estimator 1 was fitted on other features"):
        hf.Weights([best, SelectKBest(k=3).fit(x[x.columns[::-1]], y)])
    with pytest.raises(InvalidInputError, match=r"estimator 0 .* is it fitted"):
        hf.Weights([LogisticRegression()])


@given(row=rows, seed=st.integers(0, 1000))
def test_ranks_equal_scipy(row, seed):
    weights = hf.Weights([np.array(row, dtype=float)])
    average = weights.to_rankings(ties="average").values[0]
    assert average.tolist() == scipy.stats.rankdata(-np.array(row)).tolist()
    by_index = weights.to_rankings(ties="index").values[0]
    assert by_index.tolist() == scipy.stats.rankdata(-np.array(row), method="ordinal").tolist()
    drawn = weights.to_rankings(random_state=seed).values[0]
    assert sorted(drawn) == list(range(1, len(row) + 1))
    assert np.array_equal(np.array(row)[np.argsort(drawn)], np.sort(row)[::-1])


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.int64, np.float32])
def test_all_kinds_of_numbers_are_ranked_alike(dtype):
    row = np.array([0, 1, 1, 0, 1]) if dtype is bool else np.array([0, 5, 3, 100, 7])
    weights = hf.Weights(row.astype(dtype)[None, :])
    ranks = weights.to_rankings(ties="average").values[0]
    assert ranks.tolist() == scipy.stats.rankdata(-row.astype(float)).tolist()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float32, np.float64])
def test_all_kinds_of_ranks_measure_alike(dtype):
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(200) + 1 for _ in range(3)])
    for name in ("kendall", "spearman", "rbo", "top_down"):
        expected = hf.measure(name, hf.Rankings(ranks))
        assert hf.measure(name, hf.Rankings(ranks.astype(dtype))) == pytest.approx(expected)


@pytest.mark.slow
def test_random_ties_are_fair_seeded_and_independent_between_rows():
    weights = hf.Weights(np.zeros((2000, 4)))
    ranks = weights.to_rankings(random_state=5).values
    counts = np.array([[(ranks[:, f] == r).sum() for r in range(1, 5)] for f in range(4)])
    assert scipy.stats.chisquare(counts.ravel()).pvalue > 1e-4
    assert weights.to_rankings(random_state=5) == weights.to_rankings(random_state=5)
    assert weights.to_rankings(random_state=5) != weights.to_rankings(random_state=6)
    again = weights[:10].to_rankings(random_state=5)
    assert again == weights.to_rankings(random_state=5)[:10]  # by position, not by company


@pytest.mark.parametrize(
    "state", [3, None, np.random.default_rng(3), np.random.RandomState(3)], ids=str
)
def test_kinds_of_random_state(state):
    ranks = hf.Weights(np.zeros((3, 5))).to_rankings(random_state=state)
    assert np.sort(ranks.values, axis=1).tolist() == [[1, 2, 3, 4, 5]] * 3


@given(row=rows, data=st.data())
def test_top_takes_the_best(row, data):
    k = data.draw(st.integers(1, len(row)))
    weights = hf.Weights([np.array(row, dtype=float)])
    for ties in ("random", "average", "index"):
        chosen = weights.top(k, ties=ties)[0]
        assert len(chosen) == k
        left = np.delete(np.array(row), chosen)
        assert left.size == 0 or left.max() <= np.array(row)[chosen].min()


@pytest.mark.parametrize(
    ("k", "count"), [(1, 1), (7, 7), (0.01, 1), (0.05, 1), (0.25, 3), (0.5, 5), (1.0, 10)]
)
def test_top_as_count_or_fraction(k, count):
    weights = hf.Weights([np.arange(10.0)])
    assert weights.top(k).sizes.tolist() == [count]
    assert weights.to_rankings().top(k) == weights.top(k)


@pytest.mark.parametrize("k", [0, 11, -1, 1.5, 0.0, "3", True, None])
def test_bad_counts_are_refused(k):
    with pytest.raises(InvalidInputError, match="k "):
        hf.Weights([np.arange(10.0)]).top(k)


def test_thresholds():
    weights = hf.Weights(TABLE)
    assert [row.tolist() for row in weights.above(0.3)] == [[0, 2], [1]]
    assert [row.tolist() for row in weights.below(0.1)] == [[1], [2]]


def test_thresholds_on_ranks_select_ties_together():
    rankings = hf.Rankings([[2, 1, 3, 4], [1, 2, 2, 2], [1, 1, 3, 3]])
    assert rankings.values.tolist()[1:] == [[1, 3, 3, 3], [1.5, 1.5, 3.5, 3.5]]
    assert [row.tolist() for row in rankings.below(1)] == [[1], [0], []]
    assert [row.tolist() for row in rankings.below(2)] == [[0, 1], [0], [0, 1]]
    assert [row.tolist() for row in rankings.below(3)] == [[0, 1, 2], [0, 1, 2, 3], [0, 1]]
    assert rankings.below(9).sizes.tolist() == [4, 4, 4]
    clear = hf.Weights([[0.3, 0.2, 0.9], [0.5, 0.1, 0.2]]).to_rankings()
    assert clear.below(2) == clear.top(2)


@pytest.mark.parametrize("threshold", [np.nan, np.inf, None, "3", True])
def test_thresholds_are_finite_numbers(threshold):
    weights = hf.Weights(TABLE)
    for select in (weights.above, weights.below, weights.to_rankings().below):
        with pytest.raises(InvalidInputError, match="threshold must be a finite number; got"):
            select(threshold)


def test_no_rank_is_below_one():
    with pytest.raises(InvalidInputError, match=r"at least 1, the best rank; got 0\.5"):
        hf.Weights(TABLE).to_rankings().below(0.5)


def test_rankings_from_ranks_orders_and_ties():
    ranks = hf.Rankings([[2, 1, 3], [3.0, 1.0, 2.0]])
    assert ranks.values.tolist() == [[2, 1, 3], [3, 1, 2]]
    orders = hf.Rankings([["b", "a", "c"], ["b", "c", "a"]], feature_names=list("abc"))
    assert orders.values.tolist() == ranks.values.tolist()
    assert hf.Rankings([["b", "a"], ["a", "b"]]).feature_names == ("b", "a")
    for tied in ([1, 1, 3], [1, 1, 2], [2, 2, 3], [1.5, 1.5, 3]):
        assert hf.Rankings([tied]).values.tolist() == [[1.5, 1.5, 3.0]]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([[0, 1, 2]], "ranks from 0 to 2; ranks run from 1"),
        ([[1, 2, 4]], "to 4; ranks run from 1 .* to 3"),
        ([["a", "b"], ["a", "c"]], "ranking 1 must name each of the 2 features once.*b, c"),
        ([["a", "b"], ["a"]], "ranking 1"),
        ([[1, 2], [1, 2, 3]], "rows must have one length"),
        ("ranks", "got str"),
        (5, "got int"),
        ([], "table of m rows"),
        ([[]], "table of m rows"),
        ([[1.0, np.nan]], "row 0, feature 1 holds nan"),
        (np.array([["x"]]), "of <U1"),
    ],
)
def test_bad_rankings_are_refused(data, words):
    with pytest.raises(InvalidInputError, match=words):
        hf.Rankings(data)


def test_bad_weights_are_refused():
    with pytest.raises(InvalidInputError, match="row 1, feature 0 holds inf"):
        hf.Weights([[1.0, 2.0], [np.inf, 1.0]])
    with pytest.raises(InvalidInputError, match="row 1 has the shape"):
        hf.Weights(iter([np.zeros(3), np.zeros(2)]))
    with pytest.raises(InvalidInputError, match="got none"):
        hf.Weights(iter([]))
    with pytest.raises(InvalidInputError, match="row 1 does not hold numbers"):
        hf.Weights(iter([[1.0], ["a"]]))
    with pytest.raises(InvalidInputError, match="n_features is 4"):
        hf.Weights(TABLE, n_features=4)
    with pytest.raises(UnknownNameError, match="'average'"):
        hf.Weights(TABLE).to_rankings(ties="averge")


def test_input_arrays_are_copied_and_results_read_only():
    table = TABLE.copy()
    weights = hf.Weights(table)
    table[0, 0] = -1
    assert weights.values[0, 0] == 0.9
    with pytest.raises(ValueError, match="read-only"):
        weights.values[0, 0] = 1


def test_memory_maps_stay_the_users_but_not_through_us(tmp_path):
    mapped = np.memmap(tmp_path / "w.bin", dtype=np.float64, mode="w+", shape=(2, 3))
    mapped[:] = TABLE
    weights = hf.Weights(mapped)
    with pytest.raises(ValueError, match="read-only"):
        weights.values[0, 0] = 1
    mapped[0, 0] = 0.9  # still writable for its owner


@pytest.mark.slow
def test_temporary_files_go_with_their_tables(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    weights = hf.Weights(iter(TABLE))
    assert len(list(Path(tmp_path).iterdir())) == 1
    part = weights[:1].values
    del weights
    gc.collect()
    assert part.tolist() == TABLE[:1].tolist()
    del part
    gc.collect()
    assert list(Path(tmp_path).iterdir()) == []


def test_slices_joins_and_repr():
    weights = hf.Weights(TABLE)
    assert hf.concat([weights[:1], weights[1:]]) == weights
    assert weights[1].tolist() == TABLE[1].tolist()
    assert weights != hf.Weights(TABLE + 1)
    assert repr(weights).startswith("<Weights: 2 vectors of weights for 3 features. Next: ")
    assert repr(weights.to_rankings()).startswith("<Rankings: 2 rankings of 3 features. Next: ")
