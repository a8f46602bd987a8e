"""Knots: where the number of always-selected features is known, and where there is none."""

import itertools

import numpy as np
import pytest

from holdfast.errors import InvalidInputError
from holdfast.judge import find_knot, stability_profile
from holdfast.judge._significance import jackknife_error
from holdfast.judge._stability_profile import agreed_features, agreement
from holdfast.select import get_selector


def core_first(rng, size, p, m, *, ordered=False):
    """Rankings that begin with the same features, in random order or not, random ones behind."""
    heads = (np.arange(size) if ordered else rng.permutation(size) for _ in range(m))
    return [np.append(head, size + rng.permutation(p - size)) for head in heads]


def blurred(rng, p, m, common):
    """Rankings of noise features whose scores share a part, as overlapping resamples do."""
    shared = np.sqrt(common) * rng.normal(size=p)
    scores = np.abs(shared + np.sqrt(1 - common) * rng.normal(size=(m, p)))
    return list(np.argsort(-scores, axis=1))


@pytest.mark.parametrize("core", [1, 7, 40])
def test_a_core_joined_by_random_features_counts_as_agreed_at_each_size(core):
    p, sizes = 100, np.arange(core, 100)
    overlap = core + (sizes - core) ** 2 / (p - core)  # the expectation, hypergeometric
    np.testing.assert_allclose(agreed_features(overlap, sizes, p), core)


def test_full_agreement_counts_all_selected_features():
    sizes = np.arange(1, 50)
    np.testing.assert_allclose(agreed_features(sizes.astype(float), sizes, 50), sizes)


def test_no_more_than_chance_counts_none():
    sizes = np.arange(1, 50)
    np.testing.assert_allclose(agreed_features(sizes**2 / 50, sizes, 50), 0, atol=1e-9)


def test_the_least_possible_overlap_counts_no_less_than_all_features():
    sizes = np.array([10, 20, 30])
    least = np.maximum(2.0 * sizes - 40, 0)
    np.testing.assert_array_equal(agreed_features(least, sizes, 40)[1:], -sizes[1:])
    assert np.isfinite(agreed_features(least, sizes, 40)).all()


def test_agreement_comes_from_overlaps_of_all_pairs():
    rng = np.random.default_rng(1)
    tops = np.array(blurred(rng, 30, 6, 0.5))
    sizes = np.array([1, 4, 9, 20, 29])
    pairs = itertools.combinations(tops.tolist(), 2)
    naive = np.mean([[len(set(a[:k]) & set(b[:k])) for k in sizes] for a, b in pairs], axis=0)
    found = agreement([tops], sizes, 30)
    np.testing.assert_allclose(found.agreed, agreed_features(naive, sizes, 30))


def test_replicates_leave_one_resample_out():
    rng = np.random.default_rng(2)
    tops, sizes = np.array(blurred(rng, 30, 5, 0.5)), np.array([2, 6, 15])
    found = agreement([tops], sizes, 30)
    for out in range(5):
        rest = agreement([np.delete(tops, out, axis=0)], sizes, 30)
        np.testing.assert_allclose(found.replicates[out], rest.agreed)


def test_replicates_leave_one_group_out():
    rng = np.random.default_rng(3)
    groups = [np.array(blurred(rng, 30, 2, 0.5)) for _ in range(4)]
    sizes = np.array([2, 6, 15])
    found = agreement(groups, sizes, 30)
    for out in range(4):
        rest = agreement(groups[:out] + groups[out + 1 :], sizes, 30)
        np.testing.assert_allclose(found.replicates[out], rest.agreed)


def test_the_jackknife_error_of_a_mean_is_that_of_the_textbook():
    rng = np.random.default_rng(4)
    values = rng.normal(size=12)
    without = (values.sum() - values) / 11
    np.testing.assert_allclose(jackknife_error(without), values.std(ddof=1) / np.sqrt(12))


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize(("core", "p"), [(3, 100), (20, 200), (70, 200), (131, 2000)])
def test_the_core_is_found_exactly(core, p, ordered):
    tops = core_first(np.random.default_rng(core), core, p, 10, ordered=ordered)
    knot = find_knot(tops, p)
    assert (knot.size, knot.agreed) == (core, pytest.approx(1))
    assert knot.low <= core <= knot.high
    assert abs(knot.next) < 0.1


@pytest.mark.parametrize("seed", range(40))
def test_the_interval_holds_only_sizes_that_can_be_a_knot(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(8, 60))
    knot = find_knot(core_first(rng, int(rng.integers(2, max(3, p // 4))), p, 4), p)
    if knot.size is not None:
        assert 2 <= knot.low <= knot.size <= knot.high <= 0.4 * p


@pytest.mark.parametrize("seed", range(20))
def test_random_rankings_have_no_knot(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(20, 800))
    assert find_knot([rng.permutation(p) for _ in range(8)], p).size is None


@pytest.mark.parametrize("common", [0.5, 0.9])
def test_noise_that_overlapping_resamples_share_has_hardly_ever_a_knot(common):
    claimed = [
        find_knot(blurred(np.random.default_rng(seed), 500, 12, common), 500).size is not None
        for seed in range(25)
    ]
    assert sum(claimed) <= 1


def test_a_break_in_shared_noise_is_found():
    rng = np.random.default_rng(0)
    scores = np.sqrt(0.9) * rng.normal(size=600) + np.sqrt(0.1) * rng.normal(size=(15, 600))
    scores = np.abs(scores)
    scores[:, :40] += 4
    knot = find_knot(list(np.argsort(-scores, axis=1)), 600)
    assert abs(knot.size - 40) <= 4
    assert 0.3 < knot.next < 0.8  # the noise agrees, too, but less


def test_information_gain_has_its_knot_where_gains_become_zero():
    rng = np.random.default_rng(5)
    n, p, informative = 60, 400, 25
    y = np.arange(n) % 2
    X = rng.integers(0, 2, size=(n, p)).astype(float)
    X[:, :informative] = y[:, None] * 3 + rng.normal(size=(n, informative))
    rows = [np.sort(rng.choice(n, 54, replace=False)) for _ in range(15)]
    gain = get_selector("information_gain").kind()
    positive = (gain.score_resamples(X, y, rows).values > 1e-12).sum(axis=1).mean()
    ranks = gain.rank_resamples(X, y, rows).values
    knot = find_knot(list(np.argsort(ranks, axis=1)), p)
    assert abs(knot.size - positive) <= 0.1 * positive


@pytest.mark.parametrize(("core", "p"), [(100, 200), (300, 500), (535, 824)])
def test_a_knot_beyond_the_default_share_is_found_where_it_is_asked_for(core, p):
    tops = core_first(np.random.default_rng(core), core, p, 40)
    assert find_knot(tops, p).size is None
    knot = find_knot(tops, p, max_share=1)
    assert abs(knot.size - core) <= 1
    assert knot.agreed == pytest.approx(1, abs=0.01)
    assert knot.low <= knot.size <= knot.high


def test_a_small_share_looks_less_far():
    tops = core_first(np.random.default_rng(2), 40, 200, 10)
    assert find_knot(tops, 200).size == 40
    assert find_knot(tops, 200, max_share=0.15).size is None
    assert "up to 29 features" in find_knot(tops, 200, max_share=0.15).sentence


@pytest.mark.parametrize("share", [0, -0.1, 1.01, "all", None])
def test_a_share_outside_0_and_1_is_refused(share):
    with pytest.raises(InvalidInputError, match="max_share must be a number above 0 and up to 1"):
        find_knot([np.arange(9)] * 3, 9, max_share=share)


@pytest.mark.parametrize("seed", range(10))
def test_random_rankings_have_no_knot_at_any_size(seed):
    rng = np.random.default_rng(seed)
    p = int(rng.integers(20, 400))
    assert find_knot([rng.permutation(p) for _ in range(8)], p, max_share=1).size is None


def test_shared_noise_has_hardly_ever_a_knot_at_any_size():
    tops = [blurred(np.random.default_rng(seed), 300, 12, 0.9) for seed in range(25)]
    claimed = [find_knot(rows, 300, max_share=1).size is not None for rows in tops]
    assert sum(claimed) <= 1


@pytest.mark.parametrize(("size", "m"), [(20, 8), (60, 6)])
def test_the_chance_error_is_that_of_random_rankings(size, m):
    rng, p = np.random.default_rng(size), 100
    sizes = np.arange(1, p)
    curves = [
        agreement([np.array([rng.permutation(p) for _ in range(m)], np.int32)], sizes, p)
        for _ in range(200)
    ]
    shares = [curve.share_of_next(curve.agreed)[size - 1] for curve in curves]
    bound = curves[0].chance_error_of_next[size - 1]
    assert 0.5 * bound < np.std(shares) < 1.1 * bound  # a bound, to first order


def test_a_profile_looks_as_far_as_asked_and_says_so():
    tops = {"mine": core_first(np.random.default_rng(1), 100, 200, 40)}
    near = stability_profile(tops, 200, sizes=[10])
    far = stability_profile(tops, 200, sizes=[10], max_knot_share=0.6)
    assert [profile.knots["size"].isna().all() for profile in (near, far)] == [True, False]
    assert "Sizes up to 40% of all features are looked at." in near.how
    assert "Sizes up to 60% of all features are looked at (above 40% only where" in far.how


def test_only_resamples_of_one_group_are_compared():
    rng = np.random.default_rng(6)
    groups = [core_first(rng, 15, 300, 4) for _ in range(3)]
    shuffled = [rng.permutation(300) for _ in groups]  # each group has a core of its own
    tops = [names[row] for names, rows in zip(shuffled, groups, strict=True) for row in rows]
    places = [range(4), range(4, 8), range(8, 12)]
    knot = find_knot(tops, 300, groups=places)
    assert (knot.size, knot.agreed) == (15, pytest.approx(1))
    assert find_knot(tops, 300).agreed != pytest.approx(1)


def test_two_groups_give_a_knot_an_interval():
    rng = np.random.default_rng(6)
    tops = blurred(rng, 300, 12, 0.8)
    for row in tops:
        head = row[row < 20]
        row[:] = np.append(rng.permutation(head), row[row >= 20])
    together = find_knot(tops, 300)
    apart = find_knot(tops, 300, groups=[range(6), range(6, 12)])
    assert apart.size == together.size == 20
    assert np.isfinite([apart.low, apart.high]).all()


def test_a_core_beyond_what_can_be_seen_is_not_guessed():
    tops = core_first(np.random.default_rng(7), 20, 200, 10, ordered=True)
    assert find_knot([row[:30] for row in tops], 200).size is None


def test_the_shortest_row_says_how_far_to_look():
    tops = core_first(np.random.default_rng(7), 20, 200, 10)
    cut = [row[: 80 + 10 * place] for place, row in enumerate(tops)]
    assert find_knot(cut, 200).size == 20


@pytest.mark.parametrize("p", [1, 2, 3, 5, 13])
def test_few_features_give_a_sentence_and_no_knot(p):
    rng = np.random.default_rng(p)
    knot = find_knot([rng.permutation(p) for _ in range(5)], p)
    assert knot.size is None
    assert knot.sentence.startswith("no knot: ")


@pytest.mark.parametrize("groups", [None, [], [[0]]])
def test_fewer_than_two_resamples_have_no_knot(groups):
    assert "too few" in find_knot([np.arange(50)], 50, groups=groups).sentence


def test_two_resamples_give_a_knot_without_an_interval():
    knot = find_knot(core_first(np.random.default_rng(8), 20, 200, 2), 200)
    assert knot.size == 20
    assert np.isnan([knot.low, knot.high]).all()
    assert "20 features:" in knot.sentence


def test_the_sentence_says_what_was_found():
    knot = find_knot(core_first(np.random.default_rng(9), 1, 50, 10), 50)
    assert knot.size is None  # a single feature is no break to build on
    knot = find_knot(core_first(np.random.default_rng(9), 12, 300, 10), 300)
    assert "breaks at 12 features" in knot.sentence
    assert "100%" in knot.sentence
    assert "next 24 features" in knot.sentence
