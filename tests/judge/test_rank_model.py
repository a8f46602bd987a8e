"""The model of ranks: golden values, a naive version, and effects that are known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr
from sklearn.isotonic import isotonic_regression

from holdfast.judge._replication._chance_model import (
    SMALLEST_CHANCE,
    START_FLOOR,
    START_SPREAD,
    _fit_decreasing,
    _log_odds_of_reselection,
    _shift_to_sum,
)
from holdfast.judge._replication._rank_model import (
    EFFECTS,
    RankTable,
    bin_probabilities,
    fit_effects,
    log_likelihood,
    rank_edges,
    score_thresholds,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "found_again.json"
CASES = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
START = np.exp(-0.5 * (EFFECTS / START_SPREAD) ** 2) + START_FLOOR
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"p{case['n_features']}")


def tables_of(case):
    """Return the tables of halves and of quarters of a golden case."""
    edges = rank_edges(case["size"], case["n_features"])
    return [
        RankTable.from_ranks(np.array(case[name]), edges, case["size"], fraction)
        for name, fraction in (("halves", 0.5), ("quarters", 0.25))
    ]


def scales_of(case):
    return [np.array([(2 * fraction) ** case["growth"]]) for fraction in (0.5, 0.25)]


def plain_tables(case):
    ones = np.ones((1, case["n_features"]))
    return [(table.weighted(ones), table) for table in tables_of(case)]


@each_case
def test_bins_are_the_prototype_s(case):
    edges = rank_edges(case["size"], case["n_features"])
    assert edges.tolist() == case["edges"]


@each_case
def test_tables_are_the_prototype_s(case):
    weights = np.array([np.ones(case["n_features"]), case["weights"]])
    for table, plain, weighted in zip(
        tables_of(case), case["plain"], case["weighted"], strict=True
    ):
        both = table.weighted(weights)
        np.testing.assert_allclose(both[0], plain, rtol=0, atol=1e-12)
        np.testing.assert_allclose(both[1], weighted, rtol=0, atol=1e-12)


@each_case
def test_fits_are_the_prototype_s(case):
    tables, scales = plain_tables(case), scales_of(case)
    found = fit_effects(tables, scales, case["importance"], START[np.newaxis], case["fit"]["steps"])
    np.testing.assert_allclose(found[0], case["fit"]["effects"], rtol=0, atol=1e-9)
    likelihood = log_likelihood(found, tables, scales)
    assert likelihood[0] == pytest.approx(case["log_likelihood"], abs=1e-9)
    own = np.array([case["weights"]])
    again = fit_effects(
        [(table.weighted(own), table) for _, table in tables],
        scales,
        case["importance"],
        np.array([case["refit"]["start"]]),
        case["refit"]["steps"],
    )
    np.testing.assert_allclose(again[0], case["refit"]["effects"], rtol=0, atol=1e-9)


@each_case
def test_thresholds_are_the_prototype_s(case):
    golden = case["thresholds"]
    scores = score_thresholds(
        np.array([case["fit"]["effects"]]), np.array([golden["scale"]]), np.array(golden["shares"])
    )
    np.testing.assert_allclose(scores[0], golden["scores"], rtol=0, atol=1e-9)


@each_case
def test_odds_of_selection_again_are_the_prototype_s(case):
    edges = np.array(case["edges"])
    middles = (edges[1:] + edges[:-1]) / 2 - 0.5
    for (weighted, table), golden in zip(plain_tables(case), case["selected_again"], strict=True):
        found = _log_odds_of_reselection(weighted, table, middles)
        np.testing.assert_allclose(found[0], golden, rtol=0, atol=1e-9)


@each_case
def test_shifted_log_odds_are_the_prototype_s(case):
    golden = case["to_sum"]
    shifted = _shift_to_sum(np.array([golden["log_odds"]]), case["size"])
    np.testing.assert_allclose(shifted[0], golden["shifted"], rtol=0, atol=1e-9)
    assert expit(shifted).sum() == pytest.approx(case["size"], abs=1e-9)


@pytest.mark.parametrize(
    ("size", "n_features"), [(1, 2), (1, 1000), (3, 4), (7, 8), (20, 5000), (999, 1000)]
)
def test_bins_hold_all_ranks_and_end_at_the_size(size, n_features):
    edges = rank_edges(size, n_features)
    assert (edges[0], edges[-1]) == (0, n_features)
    assert (np.diff(edges) > 0).all()
    assert size in edges


def test_tables_count_each_feature_in_each_pair():
    rng = np.random.default_rng(0)
    n_pairs, p = 19, 12  # more pairs than are counted at a time
    ranks = rng.permuted(np.tile(np.arange(p), (n_pairs, 2, 1)), axis=2)
    edges = np.array([0, 2, 5, 12])
    table = RankTable.from_ranks(ranks, edges, 2, 0.5)
    naive = np.zeros((p, 3, 3))
    for one, other in ranks:
        for feature in range(p):
            low = np.searchsorted(edges, one[feature], side="right") - 1
            high = np.searchsorted(edges, other[feature], side="right") - 1
            naive[feature, low, high] += 1
    np.testing.assert_array_equal(table.counts.toarray(), naive.reshape(p, -1))
    both = naive.sum(axis=0)
    both = (both + both.T) / (2 * n_pairs * p)
    np.testing.assert_allclose(table.weighted(np.ones((1, p)))[0], both, atol=1e-12)


def test_weighted_tables_keep_the_margins_of_ranks():
    rng = np.random.default_rng(1)
    ranks = rng.permuted(np.tile(np.arange(40), (30, 2, 1)), axis=2)
    table = RankTable.from_ranks(ranks, rank_edges(4, 40), 4, 0.5)
    weights = rng.gamma(2.0, 0.5, (3, 40))
    weighted = table.weighted(weights)
    np.testing.assert_allclose(weighted, weighted.swapaxes(1, 2), rtol=1e-13)
    raw = (weights @ table.counts.toarray()).reshape(3, table.n_bins, table.n_bins)
    raw = (raw.sum(axis=1) + raw.sum(axis=2)) / (2 * raw.sum(axis=(1, 2))[:, np.newaxis])
    assert (np.abs(raw / table.bin_shares - 1).max(axis=1) > 0.05).all()
    # a fixed number of sweeps comes within a thousandth
    assert (np.abs(weighted.sum(axis=2) / table.bin_shares - 1) < 1e-3).all()


def test_thresholds_invert_the_share_above_them():
    weights = np.zeros((1, len(EFFECTS)))
    weights[0, [12, 20, 30]] = 0.7, 0.2, 0.1
    shares = np.array([0.01, 0.1, 0.5, 0.95])
    scores = score_thresholds(weights, np.array([1.3]), shares)[0]
    above = ndtr(1.3 * EFFECTS[:, np.newaxis] - scores)
    np.testing.assert_allclose(weights[0] @ above, shares, atol=2e-4)  # grid of scores


def test_bin_probabilities_of_each_effect_add_up_to_one():
    case = CASES[0]
    weights = np.array([case["fit"]["effects"]])
    found = bin_probabilities(weights, np.array([1.0]), tables_of(case)[0])
    np.testing.assert_allclose(found.sum(axis=2), 1.0, atol=1e-9)
    shares = np.diff(case["edges"]) / case["n_features"]
    np.testing.assert_allclose(weights[0] @ found[0], shares, atol=2e-3)


def test_em_raises_the_likelihood_and_models_do_not_mix():
    case = CASES[1]
    tables, scales = plain_tables(case), scales_of(case)
    # thresholds stay as they are between two updates; there each EM step gains
    known = [log_likelihood(fit_effects(tables, scales, [1, 1], START[np.newaxis], steps), tables,
                            scales)[0] for steps in (1, 50, 300)]  # fmt: skip
    assert known[0] < known[1] < known[2]
    two = [(np.repeat(one, 2, axis=0), table) for one, table in tables]
    starts = np.array([START, np.ones(len(EFFECTS))])
    both = fit_effects(two, [np.repeat(one, 2) for one in scales], [1, 1], starts, 20)
    for start, found in zip(starts, both, strict=True):
        alone = fit_effects(tables, scales, [1, 1], start[np.newaxis], 20)
        np.testing.assert_allclose(found, alone[0], rtol=0, atol=1e-13)


def test_known_effects_are_recovered():
    """A tenth of the features has the effect 3: the fit says how often they are selected."""
    rng = np.random.default_rng(2)
    p, size, n_pairs = 2000, 200, 20
    effects = np.where(np.arange(p) < size, 3.0, 0.0)
    scores = effects + rng.standard_normal((n_pairs, 2, p))
    ranks = np.argsort(np.argsort(-scores, axis=2), axis=2)
    table = RankTable.from_ranks(ranks, rank_edges(size, p), size, 0.5)
    weights = fit_effects(
        [(table.weighted(np.ones((1, p))), table)], [np.ones(1)], [1.0], START[np.newaxis], 300
    )
    cut = score_thresholds(weights, np.ones(1), np.array([size / p]))[0, 0]
    chance = ndtr(EFFECTS - cut)
    agreement = (weights[0] * chance**2).sum() * p / size
    truth = (ranks[:, 0] < size).astype(float)
    seen = (truth * (ranks[:, 1] < size)).sum(axis=1) / size
    assert agreement == pytest.approx(seen.mean(), abs=4 * seen.std() / np.sqrt(n_pairs) + 0.005)
    strong = EFFECTS - EFFECTS[weights[0].argmax()] >= 1.5  # ranks do not show where zero is
    assert weights[0][strong].sum() == pytest.approx(0.1, abs=0.02)


def test_selection_again_falls_with_the_rank():
    rng = np.random.default_rng(3)
    ranks = rng.permuted(np.tile(np.arange(50), (3, 2, 1)), axis=2)
    table = RankTable.from_ranks(ranks, rank_edges(5, 50), 5, 0.5)
    found = _log_odds_of_reselection(
        table.weighted(rng.gamma(0.3, 1 / 0.3, (8, 50))), table, np.arange(50)
    )
    assert (np.diff(found, axis=1) <= 1e-12).all()
    assert np.abs(found).max() <= logit(1 - SMALLEST_CHANCE)


def test_pooling_gives_the_closest_decreasing_values():
    rng = np.random.default_rng(4)
    for _ in range(20):
        values, weights = rng.standard_normal(15), rng.gamma(1.0, 1.0, 15) + 0.01
        expected = isotonic_regression(values, sample_weight=weights, increasing=False)
        np.testing.assert_allclose(_fit_decreasing(values, weights), expected, atol=1e-12)
