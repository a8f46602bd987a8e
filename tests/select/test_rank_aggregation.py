"""The consensus of rankings and of scores, against versions by hand and naive ones."""

import math
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.preferences._ranks import rank_weights
from holdfast.select._ensemble._rank_aggregation import (
    AGGREGATES,
    combine_votes,
    compute_votes,
    get_aggregate,
    robust_scores,
)

RANKS = np.array([[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]])  # features in columns


def scores(table, aggregate, top=0.05):
    way = get_aggregate(aggregate)
    return combine_votes(compute_votes(np.asarray(table), way, top), way)


@st.composite
def tables(draw):
    """Rankings of a few features with ties, tied ranks averaged."""
    p, m = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    row = st.lists(st.integers(0, 4), min_size=p, max_size=p)
    rows = draw(st.lists(row, min_size=m, max_size=m))
    generator = np.random.default_rng(0)
    return np.array([rank_weights(np.array(row, float), "average", generator) for row in rows])


def test_linear_votes_are_those_of_saeys_by_hand():
    # there the best of four features has rank 4, and the sum over three rankings is taken
    sums = np.array([4 + 3 + 4, 3 + 4 + 2, 2 + 2 + 3, 1 + 1 + 1])
    assert scores(RANKS, "linear") * 3 == pytest.approx(sums)


def test_other_consensus_by_hand():
    assert scores(RANKS, "mean") == pytest.approx([-4 / 3, -2, -8 / 3, -4])
    assert scores(RANKS, "median").tolist() == [-1, -2, -3, -4]
    assert scores(RANKS, "frequency", 2) == pytest.approx([1, 2 / 3, 1 / 3, 0])
    assert scores(RANKS, "frequency", 0.25) == pytest.approx([2 / 3, 1 / 3, 0, 0])
    expected = [(2 * math.exp(-0.5) + math.exp(-1)) / 3, math.exp(-2)]
    assert scores(RANKS, "exponential", 2)[[0, 3]] == pytest.approx(expected)
    assert scores(RANKS, lambda ranks: 1 / ranks)[0] == pytest.approx((1 + 1 / 2 + 1) / 3)


def test_the_mean_rank_decides_among_equal_best_ranks():
    found = scores(RANKS, "best")
    assert np.floor(found).tolist() == [-1, -1, -2, -4]
    assert found[0] > found[1]


def test_tied_features_share_the_last_places_at_the_top():
    ranks = [[1, 3, 3, 3, 5]]
    assert scores(ranks, "frequency", 2) == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3, 0])
    assert scores(ranks, "frequency", 4) == pytest.approx([1, 1, 1, 1, 0])


@given(tables(), st.integers(1, 6))
def test_the_frequency_is_the_mean_over_all_orders_of_ties(table, top):
    top = min(top, table.shape[1])
    expected = np.mean([_share_of_orders(row, top) for row in table], axis=0)
    assert scores(table, "frequency", top) == pytest.approx(expected)


def _share_of_orders(row, top):
    """How often each feature is among the top over all orders that the ranks allow."""
    orders = [
        order
        for order in permutations(range(len(row)))
        if all(row[a] <= row[b] for a, b in pairwise(order))
    ]
    inside = [[feature in order[:top] for feature in range(len(row))] for order in orders]
    return np.mean(inside, axis=0)


@given(tables())
def test_votes_by_ranks_against_naive_sums(table):
    m, p = table.shape
    naive = {
        "linear": lambda ranks: sum(p - r + 1 for r in ranks) / m,
        "mean": lambda ranks: -sum(ranks) / m,
        "median": lambda ranks: -np.percentile(ranks, 50),
        "exponential": lambda ranks: sum(math.exp(-r) for r in ranks) / m,
    }
    for name, value in naive.items():
        expected = [value(column.tolist()) for column in table.T]
        assert scores(table, name, 1) == pytest.approx(expected), name


@given(tables())
def test_the_best_rank_comes_first_and_the_mean_second(table):
    found = scores(table, "best")
    keys = list(zip(-table.min(axis=0), -table.mean(axis=0), strict=True))
    for a, value in enumerate(found):
        for b, other in enumerate(found):
            if keys[a][0] != keys[b][0] or abs(keys[a][1] - keys[b][1]) > 1e-9:
                assert (value > other) == (keys[a] > keys[b])


@given(tables())
def test_robust_ranks_against_the_beta_distribution(table):
    m, p = table.shape
    for column, found in zip(table.T, robust_scores(table), strict=True):
        parts = np.sort(column) / p
        rho = min(stats.beta.cdf(x, k, m - k + 1) for k, x in enumerate(parts, start=1))
        assert found == pytest.approx(-math.log(m * rho), abs=1e-9)


@given(tables())
def test_tied_features_have_their_last_place_in_robust_ranks(table):
    last = np.array([stats.rankdata(row, "max") for row in table])
    assert scores(table, "rra").tolist() == robust_scores(last).tolist()


def test_ties_are_no_agreement():
    """Only the first feature is ever told from the others; half of the rest is never used."""
    values = np.zeros((40, 20))
    values[:, 0] = 2.0
    values[np.arange(10), np.arange(10) + 1] = 1.0
    table = np.array([stats.rankdata(-row) for row in values])
    found = scores(table, "rra")
    assert found[0] == pytest.approx(40 * math.log(20) - math.log(40))
    assert (found[11:] == -math.log(40)).all()  # as badly as can be
    assert (found[1:11] > found[11]).all()
    assert (scores(np.full((5, 4), 2.5), "rra") == -math.log(5)).all()


def test_robust_ranks_in_closed_form():
    assert robust_scores(np.array([[1, 2, 3, 4]])) == pytest.approx(-np.log([0.25, 0.5, 0.75, 1]))
    # of two ranks: 1 - (1 - a)^2 for the better, b^2 for the worse, corrected by 2
    two = robust_scores(np.array([[1, 2, 3, 4], [1, 3, 4, 2]]))
    best = [1 / 16, min(3 / 4, 9 / 16), min(15 / 16, 1), min(3 / 4, 1)]
    assert two == pytest.approx(-np.log(2 * np.array(best)))


def test_robust_ranks_beyond_the_range_of_numbers():
    m, p = 200, 5000
    ranks = np.tile(np.arange(1, p + 1), (m, 1))
    found = robust_scores(ranks)
    assert np.isfinite(found).all()
    assert (np.diff(found) <= 0).all()
    assert found[0] == pytest.approx(m * math.log(p) - math.log(m))
    assert found[:20] == pytest.approx([_exact(m, p, rank) for rank in range(1, 21)], rel=1e-12)


def test_robust_ranks_that_vanish_in_the_middle():
    m, p = 300, 2000  # 150 rankings agree on the first places, 150 put the feature last
    ranks = np.full((m, p), p)
    ranks[:150, 0] = 3
    tail = _log_tail(m, 150, Fraction(3, p))
    assert tail < math.log(1e-290)
    assert robust_scores(ranks)[0] == pytest.approx(-tail - math.log(m), rel=1e-12)


def _exact(m, p, rank):
    """Score of a feature that all rankings place alike: the whole tail is the last term."""
    logs = [_log_tail(m, k, Fraction(rank, p)) for k in (1, m // 2, m - 1, m)]
    return -min(logs) - math.log(m)


def _log_tail(m, k, part):
    """ln P(at least k of m are below `part`), by whole numbers."""
    total = sum(
        math.comb(m, j) * part.numerator**j * (part.denominator - part.numerator) ** (m - j)
        for j in range(k, m + 1)
    )
    return math.log(total) - m * math.log(part.denominator)


def test_scores_are_scaled_before_they_are_averaged():
    table = np.array([[0.0, 5.0, 10.0], [1.0, 0.0, -1.0], [2.0, 2.0, 2.0]])
    scaled = np.array([[0, 0.5, 1], [1, 0.5, 0], [0, 0, 0]])
    assert scores(table, "score_mean") == pytest.approx(scaled.mean(axis=0))
    norm = [np.linalg.norm(column) / math.sqrt(3) for column in scaled.T]
    assert scores(table, "score_norm") == pytest.approx(norm)


@pytest.mark.parametrize("name", [name for name in AGGREGATES if not name.startswith("score")])
def test_one_ranking_is_its_own_consensus(name):
    ranks = np.array([[3, 1, 4, 2]])
    found = scores(ranks, name, 2)
    assert (np.diff(found[np.argsort(ranks[0])]) <= 0).all()
    if name != "frequency":
        assert (np.argsort(-found) == np.argsort(ranks[0])).all()


@pytest.mark.parametrize("name", AGGREGATES)
def test_consensus_does_not_depend_on_the_order_of_rankings(name):
    table = np.array([np.random.default_rng(seed).permutation(30) + 1 for seed in range(9)])
    assert scores(table, name, 5) == pytest.approx(scores(table[::-1], name, 5), abs=1e-12)


def test_functions_must_return_a_finite_number_a_feature():
    for wrong, words in (
        (lambda ranks: ranks[:2], r"of shape \(2,\)"),
        (lambda _: 1.0, r"of shape \(\)"),
        (lambda ranks: np.log(ranks - ranks), "NaN or infinite"),
        (lambda ranks: ranks.astype(str), "an array of <U"),
    ):
        with np.errstate(divide="ignore"), pytest.raises(InvalidInputError, match=words):
            scores(RANKS, wrong)


def test_functions_cannot_change_the_ranks():
    def spoils(ranks):
        ranks *= 2
        return ranks

    table = RANKS.astype(float)
    scores(table, spoils)
    assert (table == RANKS).all()


def test_unknown_aggregates_and_top_counts_are_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'linear'"):
        get_aggregate("linea")
    with pytest.raises(UnknownNameError, match="a name or a function of the ranks"):
        get_aggregate(["linear"])
    with pytest.raises(InvalidInputError, match="top as a count"):
        scores(RANKS, "frequency", 5)
    assert scores(RANKS, "linear", 5).shape == (4,)  # which asks for no top
