"""The model of signed scores: known priors, a naive simulation, and t statistics of selectors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import holdfast as hf
from holdfast.judge._replication._score_model import (
    MIN_HALVES,
    PRIOR_SCALES,
    SignedScores,
    _normal_scores,
    _posterior_weights,
    signed_scores_of,
    simulate_score_vote,
)

MANY = 1e6
"""Degrees of freedom at which t statistics are normal."""


def normal_scores(effects, rng, n_pairs=40):
    """Return scores of a study with these effects, and of pairs of halves of it."""
    p = len(effects)
    halves = effects / np.sqrt(2) + rng.standard_normal((n_pairs, 2, p))
    return SignedScores(effects + rng.standard_normal(p), halves, MANY, MANY)


def test_without_effects_all_features_have_nearly_the_same_chance():
    rng = np.random.default_rng(0)
    vote = simulate_score_vote(normal_scores(np.zeros(500), rng), 25)
    assert vote.chance.sum() == pytest.approx(25)
    assert vote.share == pytest.approx(25 / 500, abs=0.03)
    assert vote.chance.max() < 0.3
    best = np.argsort(-np.abs(normal_scores(np.zeros(500), rng).full))[:25]
    assert vote.chance[best].mean() == pytest.approx(25 / 500, abs=0.04)  # of another study


def test_huge_effects_are_certain():
    rng = np.random.default_rng(1)
    effects = np.where(np.arange(300) < 6, -20.0, 0.0)
    vote = simulate_score_vote(normal_scores(effects, rng), 6)
    # tails are cut off at 1e-12, a score of 7, which noise of 294 features reaches now and then
    assert vote.chance[:6].min() > 0.95
    assert vote.chance[6:].max() < 0.05
    assert vote.share > 0.95


def test_a_known_prior_gives_the_chances_of_a_naive_simulation():
    """Effects from N(0, 2): given z, mu is N(2/3 z, 2/3), so studies can be drawn directly."""
    rng = np.random.default_rng(2)
    p, size, variance = 800, 40, 2.0
    scores = normal_scores(rng.normal(0, np.sqrt(variance), p), rng)
    vote = simulate_score_vote(scores, size)
    shrink = variance / (1 + variance)
    counts, overlaps = np.zeros(p), []
    for _ in range(300):
        effects = shrink * scores.full + np.sqrt(shrink) * rng.standard_normal(p)
        studies = np.abs(effects + rng.standard_normal((2, p)))
        two = studies >= np.sort(studies, axis=1)[:, [-size]]
        counts += two.sum(axis=0)
        overlaps.append((two[0] & two[1]).sum() / size)
    naive = counts / 600
    listed = np.argsort(-np.abs(scores.full))[:size]
    # 480 and 600 simulated studies, and a prior fitted to 800 features
    assert vote.chance[listed].mean() == pytest.approx(naive[listed].mean(), abs=0.06)
    assert np.sqrt(np.mean((vote.chance - naive) ** 2)) < 0.04
    assert vote.share == pytest.approx(np.mean(overlaps), abs=0.06)


def test_inflated_scores_and_noise_give_the_same_chances():
    """Samples of one subject inflate statistics of studies and of halves by one factor."""
    scores = normal_scores(np.linspace(-3, 3, 100), np.random.default_rng(3))
    narrow = SignedScores(0.4 * scores.full, 0.4 * scores.halves, MANY, MANY)
    one, other = (simulate_score_vote(own, 10) for own in (scores, narrow))
    np.testing.assert_allclose(one.chance, other.chance, atol=0.01)
    assert one.share == pytest.approx(other.share, abs=0.01)


def test_noise_of_correlated_features_moves_together():
    """Copies of one feature have the same noise, and so nearly the same chance."""
    rng = np.random.default_rng(4)
    halves = rng.standard_normal((40, 2, 20)).repeat(10, axis=2)
    copies, alone = (
        simulate_score_vote(SignedScores(np.zeros(200), own, MANY, MANY), 10)
        for own in (halves, rng.standard_normal((40, 2, 200)))
    )
    assert copies.chance.sum() == pytest.approx(10)
    # two studies of one draw of effects share the order of copies only through those effects
    spread = [one.chance.reshape(20, 10).std(axis=1).mean() for one in (copies, alone)]
    assert spread[0] < spread[1]


def test_the_prior_is_fitted():
    rng = np.random.default_rng(5)
    none = _posterior_weights(rng.standard_normal(3000)).mean(axis=0)
    wide = _posterior_weights(rng.normal(0, np.sqrt(1 + 4.0**2), 3000)).mean(axis=0)
    assert none @ PRIOR_SCALES**2 < 0.1
    assert wide @ PRIOR_SCALES**2 == pytest.approx(16, rel=0.1)


def test_columns_may_come_in_any_order():
    scores = normal_scores(np.linspace(0, 3, 60), np.random.default_rng(6))
    columns = np.random.default_rng(9).permutation(60)
    moved = SignedScores(scores.full[columns], scores.halves[:, :, columns], MANY, MANY)
    one, other = (simulate_score_vote(own, 6) for own in (scores, moved))
    np.testing.assert_array_equal(one.chance[columns], other.chance)
    assert one.share == other.share


def test_seeds_decide():
    scores = normal_scores(np.linspace(0, 3, 60), np.random.default_rng(6))
    one, again, other = (simulate_score_vote(scores, 6, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.chance, again.chance)
    assert not np.array_equal(one.chance, other.chance)


def test_there_is_no_vote_without_noise_to_simulate_from():
    scores = normal_scores(np.zeros(30), np.random.default_rng(7))
    few = SignedScores(scores.full, scores.halves[: MIN_HALVES - 1], MANY, MANY)
    enough = SignedScores(scores.full, scores.halves[:MIN_HALVES], MANY, MANY)
    assert simulate_score_vote(few, 3) is None
    assert simulate_score_vote(enough, 3) is not None
    assert simulate_score_vote(SignedScores(scores.full, scores.halves[:0], MANY, MANY), 3) is None
    same = np.repeat(scores.halves[:, :1], 2, axis=1)
    assert simulate_score_vote(SignedScores(scores.full, same, MANY, MANY), 3) is None
    assert simulate_score_vote(scores, 30) is None


def test_scores_need_every_half_and_finite_numbers():
    full, halves = np.ones(3), [np.ones(3), np.zeros(3)] * 2
    known = signed_scores_of(full, halves, 40)
    assert known.halves.shape == (2, 2, 3)
    assert (known.full_freedom, known.half_freedom) == (38, 18)
    assert signed_scores_of(None, halves, 40) is None
    assert signed_scores_of(full, [], 40) is None
    assert signed_scores_of(full, [*halves[:3], None], 40) is None
    assert signed_scores_of(np.array([1, np.inf, 0]), halves, 40) is None
    assert signed_scores_of(full, [*halves[:3], np.array([1, np.nan, 0])], 40) is None


@pytest.mark.parametrize("freedom", [1, 8, 50])
def test_normal_scores_have_the_tail_of_the_t_law(freedom):
    t = np.array([-30.0, -2.0, -0.1, 0.0, 0.5, 3.0])
    z = _normal_scores(t, freedom)
    np.testing.assert_allclose(scipy.stats.norm.cdf(z), scipy.stats.t.cdf(t, freedom), atol=1e-11)
    largest = np.finfo(float).max
    assert np.isfinite(_normal_scores(np.array([-largest, largest]), freedom)).all()


@pytest.fixture(scope="module")
def two_classes():
    rng = np.random.default_rng(8)
    y = np.array([0] * 14 + [1] * 9)
    X = rng.standard_normal((23, 12)) * np.where(y == 1, 2.0, 1.0)[:, np.newaxis]
    X[:, 0] += 3 * y
    X[:, 1] -= 1000 + 3 * y
    return X, y


def signed(selector, X, y):
    """Return the signed statistics on all rows."""
    found = selector.signed_statistics(X, y, [np.arange(len(y)), np.arange(len(y) - 1)])
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("selector", "equal"),
    [(hf.TScore(), True), (hf.FScore(), True), (hf.TScore(variance="welch"), False)],
)
def test_signed_statistics_are_t_statistics(two_classes, selector, equal):
    X, y = two_classes
    expected = scipy.stats.ttest_ind(X[y == 1], X[y == 0], equal_var=equal).statistic
    found = signed(selector, X, y)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert found[0] > 3
    assert found[1] < -1.5


@pytest.mark.parametrize("selector", [hf.TScore(), hf.FScore()])
def test_the_selector_ranks_by_the_absolute_statistic(two_classes, selector):
    X, y = two_classes
    order = np.argsort(selector.fit(X, y).ranking_)
    np.testing.assert_array_equal(order, np.argsort(-np.abs(signed(selector, X, y))))


def test_constant_features_have_the_statistic_zero_or_the_largest(two_classes):
    X, y = two_classes
    X = np.column_stack([X, np.full(len(y), 0.1), -y])
    for selector in (hf.TScore(), hf.FScore()):
        found = signed(selector, X, y)
        assert found[-2] == 0
        assert found[-1] < np.abs(found[:-1]).max() * -1e6
        assert np.isfinite(found).all()


def test_other_scores_have_no_signed_statistics(two_classes):
    X, y = two_classes
    three = np.arange(len(y)) % 3
    assert signed(hf.TScore(), X, three) is None
    assert signed(hf.FScore(), X, three) is None
    assert signed(hf.TScore(variance="squared"), X, y) is None
    assert signed(hf.ReliefF(), X, y) is None


def test_lists_of_all_sizes_share_one_model():
    rng = np.random.default_rng(3)
    scores = normal_scores(rng.normal(0, 2, 200), rng)
    simulate_score_vote(scores, 20)
    again = simulate_score_vote(scores, 5)
    alone = simulate_score_vote(SignedScores(scores.full, scores.halves, MANY, MANY), 5)
    np.testing.assert_array_equal(again.chance, alone.chance)
    assert again.shares == alone.shares
