"""Measures of rankings and weights against scipy, definitions and limit cases."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import InvalidInputError, UndefinedMeasureWarning
from tests import naive

tables = st.integers(2, 4).flatmap(
    lambda m: st.integers(2, 9).flatmap(
        lambda p: st.lists(
            st.lists(st.integers(0, 5), min_size=p, max_size=p), min_size=m, max_size=m
        )
    )
)


def expected_over_pairs(score, rows):
    values = [score(rows[i], rows[j]) for i in range(len(rows)) for j in range(i)]
    return np.mean(values)


def varied(rows):
    return all(len(set(row)) > 1 for row in rows)


@given(rows=tables.filter(varied))
def test_spearman_kendall_and_pearson_equal_scipy(rows):
    weights = hf.Weights(np.array(rows, dtype=float))
    rankings = weights.to_rankings(ties="average")
    for name, system, oracle in (
        ("pearson", weights, scipy.stats.pearsonr),
        ("spearman", rankings, scipy.stats.spearmanr),
        ("kendall", rankings, scipy.stats.kendalltau),
    ):
        expected = expected_over_pairs(lambda x, y, o=oracle: o(x, y).statistic, rows)
        assert hf.measure(name, system) == pytest.approx(expected, abs=1e-9)


@given(rows=tables, persistence=st.sampled_from([0.1, 0.5, 0.9, 0.98]))
def test_rbo_equals_its_definition(rows, persistence):
    rankings = hf.Weights(np.array(rows, dtype=float)).to_rankings(ties="average")
    expected = expected_over_pairs(lambda x, y: naive.rbo(x, y, persistence), rankings.values)
    assert hf.measure("rbo", rankings, persistence=persistence) == pytest.approx(expected)


@pytest.mark.parametrize("persistence", [0.5, 0.8])
def test_rbo_cut_at_negligible_depth_equals_the_whole_sum(persistence):
    rng = np.random.default_rng(0)
    rankings = hf.Weights(rng.normal(size=(3, 400)) + np.arange(400) / 50).to_rankings()
    expected = expected_over_pairs(lambda x, y: naive.rbo(x, y, persistence), rankings.values)
    assert hf.measure("rbo", rankings, persistence=persistence) == pytest.approx(expected)


def test_published_rbo_example():
    """Webber et al. (2010): two orders of the same items, weights by depth written out."""
    rankings = hf.Rankings([list("abcd"), list("badc")], feature_names=list("abcd"))
    agreement = [0.0, 1.0, 2 / 3, 1.0]
    weights = [0.5, 0.25, 0.125, 0.125]  # the last takes all deeper ranks
    expected = np.dot(agreement, weights)
    assert hf.measure("rbo", rankings, persistence=0.5) == pytest.approx(expected)


@given(rows=tables.filter(varied))
def test_top_down_correlates_savage_scores(rows):
    rankings = hf.Weights(np.array(rows, dtype=float)).to_rankings(ties="average")
    scores = [naive.savage(row) for row in rankings.values]
    expected = expected_over_pairs(lambda x, y: scipy.stats.pearsonr(x, y).statistic, scores)
    assert hf.measure("top_down", rankings) == pytest.approx(expected, abs=1e-9)


def test_top_weighted_measures_punish_changes_at_the_top_more():
    base = np.arange(1, 21)
    top, bottom = base.copy(), base.copy()
    top[[0, 4]], bottom[[15, 19]] = top[[4, 0]], bottom[[19, 15]]
    at_top, at_bottom = hf.Rankings([base, top]), hf.Rankings([base, bottom])
    assert hf.measure("spearman", at_top) == pytest.approx(hf.measure("spearman", at_bottom))
    for name in ("rbo", "top_down"):
        assert hf.measure(name, at_top) < hf.measure(name, at_bottom) - 0.05


def test_weights_are_ranked_with_random_ties():
    zeros = np.zeros((30, 200))
    zeros[:, 0] = 1.0
    weights = hf.Weights(zeros)
    assert abs(hf.measure("spearman", weights)) < 0.05
    by_index = hf.measure("spearman", weights.to_rankings(ties="index"))
    assert by_index == pytest.approx(1.0)
    again = hf.measure("spearman", weights, random_state=0)
    assert (
        again == hf.measure("spearman", weights) != hf.measure("spearman", weights, random_state=1)
    )


def test_memory_map_and_iterator_stream_to_the_same_value(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(6, 5000)) + 1e6  # a large mean must not cost digits
    mapped = np.memmap(tmp_path / "w.bin", dtype=np.float64, mode="w+", shape=table.shape)
    mapped[:] = table
    monkeypatch.setattr("holdfast.preferences._scores.BLOCK_BYTES", 6 * 8 * 999)
    expected = {
        "pearson": expected_over_pairs(lambda x, y: np.corrcoef(x, y)[0, 1], table),
        "spearman": expected_over_pairs(lambda x, y: scipy.stats.spearmanr(x, y).statistic, table),
    }
    for source in (hf.Weights(mapped), hf.Weights(row for row in table), hf.Weights(table)):
        for name, value in expected.items():
            assert hf.measure(name, source) == pytest.approx(value, abs=1e-9)
    assert isinstance(hf.Weights(mapped).values, np.memmap)


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-320])
def test_extreme_weights_correlate_like_others(scale):
    weights = np.array([[3.0, 1.0, 0.0, 5.0], [2.0, 1.0, 1.0, 2.0]])
    expected = np.corrcoef(weights)[0, 1]
    mixed = hf.Weights(weights * np.array([[scale], [1.0]]))
    assert hf.measure("pearson", mixed) == pytest.approx(expected, rel=1e-3)


def test_large_tables_go_to_disk(monkeypatch):
    monkeypatch.setattr("holdfast.preferences._scores.MAX_BYTES_IN_MEMORY", 100)
    weights = hf.Weights(np.random.default_rng(0).normal(size=(4, 50)))
    rankings = weights.to_rankings()
    assert isinstance(rankings.values, np.memmap)
    value = hf.measure("top_down", rankings)
    monkeypatch.undo()
    assert hf.measure("top_down", weights.to_rankings()) == value


def test_constant_preferences_are_undefined_and_named():
    weights = hf.Weights([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])
    with pytest.warns(UndefinedMeasureWarning, match="pearson .* because of preference 0"):
        hf.measure("pearson", weights)
    tied = weights.to_rankings(ties="average")
    for name in ("spearman", "kendall", "top_down"):
        with pytest.warns(UndefinedMeasureWarning, match=name):
            assert np.isnan(hf.measure(name, tied))


def test_wrong_forms_say_what_to_do():
    weights = hf.Weights([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(InvalidInputError, match=r"takes Subsets, got Weights.*top\(k\)"):
        hf.measure("jaccard", weights)
    with pytest.raises(InvalidInputError, match="takes Weights, got Rankings"):
        hf.measure("pearson", weights.to_rankings())
    with pytest.raises(InvalidInputError, match="persistence"):
        hf.measure("rbo", weights, persistence=1.0)
