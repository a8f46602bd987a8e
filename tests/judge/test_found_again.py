"""Chances to be found again: rules that always hold, edge cases, and simulated truth."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._chance_model import (
    N_DRAWS,
    STRETCHES,
    DisjointRanks,
    _feature_order,
    _shift_to_sum,
    _stretch_to_share,
    estimate_found_again,
    expected_share,
    longest_list,
)
from holdfast.judge._replication._feature_chances import (
    GRADE_HIT_RATES,
    GRADES,
    DisjointDesign,
    FeatureChances,
    chances_from_groups,
    chances_from_orders,
    chances_from_subsets,
    grade_chances,
    name_members,
    samples_needed,
)
from holdfast.judge._replication._score_model import ScoreVote
from holdfast.resample import ReplicationDesign, ReplicationPairs

Y = np.arange(60) % 2
PAIRS = ReplicationPairs.from_resamples(ReplicationDesign(8).draw(Y))
N_PARTS = max(own.max() for own in (PAIRS.halves, PAIRS.parts, PAIRS.quarters, PAIRS.full)) + 1
SCALES = {"halves": 1.0, "parts": 0.75**0.5, "quarters": 0.5**0.5, "full": 2**0.5}


def design(n_features, pairs=PAIRS, n_units=60):
    return DisjointDesign(pairs=pairs, n_features=n_features, n_units=n_units)


def latent_scores(effects, seed=0, *, tied=False):
    """Return a score of every feature on every part; effects grow with the part's size."""
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((N_PARTS, len(effects)))
    for name, scale in SCALES.items():
        scores[np.unique(getattr(PAIRS, name))] += scale * effects
    scores[PAIRS.full] = scores[PAIRS.full[0]]
    return scores.round(1) if tied else scores


def some_effects(p=80, strong=6):
    return np.where(np.arange(p) < strong, 2.5, 0.0)


def orders_of(scores):
    return {at: np.argsort(-row, kind="stable") for at, row in enumerate(scores)}


def ranks_of(scores, size):
    """Return ranks on all parts, 0 the best."""
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
    return DisjointRanks(
        full=ranks[PAIRS.full],
        halves=ranks[PAIRS.halves],
        quarters=ranks[PAIRS.quarters.reshape(-1, 2)],
        selected=ranks[PAIRS.full[0]] < size,
        size=size,
        part_sizes=(size, size),
    )


def assert_rules(found, size):
    """Check what holds for all chances."""
    assert found.chance.sum() == pytest.approx(size, abs=1e-8)
    np.testing.assert_allclose(found.draws.sum(axis=1), size, atol=1e-8)
    np.testing.assert_allclose(found.draws.mean(axis=0), found.chance, atol=1e-12)
    assert (found.low >= 0).all()
    assert (found.low <= found.chance).all()
    assert (found.chance <= 1).all()
    assert 0 <= found.share <= 1


@pytest.mark.parametrize("size", [1, 2, 6, 40, 79])
@pytest.mark.parametrize("strong", [0, 6])
def test_chances_add_up_to_the_size(size, strong):
    scores = latent_scores(some_effects(strong=strong))
    found = chances_from_orders(orders_of(scores), design(80), size=size)
    assert found.draws.shape == (N_DRAWS, 80)
    assert found.selected.sum() == size
    assert_rules(found, size)
    assert found.expected == pytest.approx(found.chance[found.selected].sum())


@pytest.mark.parametrize("seed", range(4))
def test_chances_fall_with_the_place(seed):
    ranks = ranks_of(latent_scores(some_effects(), seed), 6)
    found = estimate_found_again(ranks, 0.5, 60)
    along = _feature_order(ranks)
    assert (np.diff(found.chance[along]) <= 1e-12).all()


def test_a_vote_of_scores_keeps_the_sum():
    ranks = ranks_of(latent_scores(some_effects()), 6)
    chance = np.r_[np.full(6, 0.9), np.full(74, 0.6 / 74)]
    plain = estimate_found_again(ranks, 0.5, 60)
    voted = estimate_found_again(ranks, 0.5, 60, scores=ScoreVote(chance, 0.9, np.full(4, 0.9)))
    assert_rules(voted, 6)
    assert voted.share > plain.share
    assert voted.chance[:6].mean() > plain.chance[:6].mean()


def test_the_expected_share_goes_with_all_that_is_known():
    ranks = ranks_of(latent_scores(some_effects()), 6)
    shares = [expected_share(ranks, curve) for curve in (0.0, 0.3, 0.6, 1.0)]
    assert shares == sorted(shares)
    assert 6 / 80 <= shares[0] < shares[-1] <= 1
    vote = ScoreVote(np.full(80, 6 / 80), 0.1, np.full(4, 0.1))
    assert expected_share(ranks, 0.6, vote) < shares[2]


def test_log_odds_are_stretched_to_a_share_within_limits():
    """Chances add up to the size, and those of the first places to the share."""
    log_odds = _shift_to_sum(np.repeat([np.linspace(3.0, -5.0, 80)], 4, axis=0), 6)
    natural = expit(log_odds[0, :6]).mean()
    shares = np.array([0.0, natural - 0.05, natural + 0.05, 1.0])
    slopes, shifts = _stretch_to_share(log_odds, 6, shares)
    chance = expit(slopes[:, np.newaxis] * log_odds + shifts[:, np.newaxis])
    np.testing.assert_allclose(chance.sum(axis=1), 6, atol=1e-9)
    np.testing.assert_allclose(chance[1:3, :6].mean(axis=1), shares[1:3], atol=1e-4)
    assert slopes[[0, 3]] == pytest.approx(STRETCHES, abs=1e-4)


def test_chances_of_the_first_places_rise_with_the_curve():
    ranks = ranks_of(latent_scores(some_effects()), 6)
    first = _feature_order(ranks)[:6]
    means = [estimate_found_again(ranks, at, 60).chance[first].mean() for at in (0.3, 0.5, 0.8)]
    assert means[0] < means[1] < means[2]


@pytest.mark.parametrize("tied", [False, True])
def test_the_order_of_features_does_not_matter(tied):
    scores = latent_scores(some_effects(), 3, tied=tied)
    # ties are broken at random by selectors: ranks are given, and go with their features
    ranks = ranks_of(scores + 1e-6 * np.random.default_rng(9).standard_normal(scores.shape), 6)
    columns = np.random.default_rng(1).permutation(80)
    moved = DisjointRanks(
        full=ranks.full[:, columns],
        halves=ranks.halves[:, :, columns],
        quarters=ranks.quarters[:, :, columns],
        selected=ranks.selected[columns],
        size=6,
        part_sizes=(6, 6),
    )
    one, other = (estimate_found_again(own, 0.5, 60) for own in (ranks, moved))
    np.testing.assert_allclose(one.chance[columns], other.chance, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.low[columns], other.low, rtol=0, atol=1e-12)


def draw(rng, n=60, p=100, effects=()):
    """Return two classes whose means differ by these effects in the first features."""
    y = np.arange(n) % 2
    X = rng.standard_normal((n, p))
    X[:, : len(effects)] += np.asarray(effects) * y[:, np.newaxis]
    return X, y


def test_columns_may_come_in_any_order():
    X, y = draw(np.random.default_rng(2), effects=np.linspace(0.2, 1.5, 12))
    columns = np.random.default_rng(3).permutation(100)
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(100)])
    one, other = (
        hf.replication("t_score", own, y, size=8, n_pairs=8).features.set_index("feature")
        for own in (frame, frame.iloc[:, columns])
    )
    other = other.loc[one.index]
    pd.testing.assert_frame_equal(one, other, check_exact=False, rtol=0, atol=1e-9)


@pytest.mark.parametrize("selector", ["t_score", "relieff", "information_gain"])
def test_noise_is_never_likely(selector):
    X, y = draw(np.random.default_rng(4), p=300)
    table = hf.replication(selector, X, y, size=10, n_pairs=12).features
    assert len(table) == 300
    assert table["selected"].sum() == 10
    assert set(table["grade"]) <= {"uncertain", "unlikely"}
    assert table["found_again"].max() < 0.5
    assert table["found_again"].sum() == pytest.approx(10)


@pytest.mark.parametrize("selector", ["t_score", "relieff"])
def test_strong_signal_is_very_likely(selector):
    X, y = draw(np.random.default_rng(5), n=80, p=200, effects=[3.0] * 5)
    table = hf.replication(selector, X, y, size=5, n_pairs=12).features
    first = table.head(5)
    assert sorted(first["feature"]) == sorted(hf.io.from_arrays(X, y).feature_names[:5])
    assert first["selected"].all()
    assert (first["found_again"] >= 0.9).all()
    assert first["grade"].eq("very likely").all()
    assert (first["low"] > 0.5).all()


def test_grades_are_those_of_the_limits():
    chance = np.array([1.0, 0.896, 0.894, 0.696, 0.694, 0.296, 0.294, 0.0])
    assert grade_chances(chance).tolist() == np.repeat(list(GRADES), 2).tolist()


def test_tables_list_the_highest_chances_first():
    found = chances_from_orders(orders_of(latent_scores(some_effects())), design(80), size=6)
    names = [f"f{i}" for i in range(80)]
    table = FeatureChances(names=names, found=found, n_units=60).table()
    assert list(table) == ["feature", "selected", "found_again", "low", "grade"]
    assert table["found_again"].is_monotonic_decreasing
    by_name = table.set_index("feature")
    for number in (0, 5, 79):
        row = by_name.loc[f"f{number}"]
        assert row["found_again"] == found.chance[number]
        assert row["low"] == found.low[number]
        assert row["selected"] == found.selected[number]


def test_longer_lists_promise_less():
    found = chances_from_orders(orders_of(latent_scores(some_effects(), 1)), design(80), size=6)
    lists = [longest_list(found, share).tolist() for share in (0.05, 0.3, 0.6, 0.8, 0.9)]
    for longer, shorter in pairwise(lists):
        assert longer[: len(shorter)] == shorter
    assert len(longest_list(found, 0.0)) == 6  # as many as are selected
    assert len(lists[0]) > len(lists[-1])
    for share, own in zip((0.05, 0.3, 0.6, 0.8, 0.9), lists, strict=True):
        assert not own or found.chance[own].mean() >= share
    noise = chances_from_orders(orders_of(latent_scores(np.zeros(80))), design(80), size=6)
    assert len(longest_list(noise, 0.999)) == 0
    assert len(longest_list(noise, 0.6)) == 0


# --- subsets and groups ---------------------------------------------------------------------------


def subsets_of(scores, cut=1.8):
    """Return the features above a threshold: as many as there are."""
    return {at: np.flatnonzero(row > cut) for at, row in enumerate(scores)}


def test_subsets_add_up_to_their_size():
    subsets = subsets_of(latent_scores(some_effects()))
    found = chances_from_subsets(subsets, design(80))
    size = len(subsets[int(PAIRS.full[0])])
    assert len({len(own) for own in subsets.values()}) > 3
    assert np.flatnonzero(found.selected).tolist() == subsets[int(PAIRS.full[0])].tolist()
    assert_rules(found, size)


def test_what_every_subset_holds_is_nearly_certain():
    effects = np.where(np.arange(80) < 3, 50.0, 0.0)
    found = chances_from_subsets(subsets_of(latent_scores(effects), 3.0), design(80))
    assert found.chance[:3].min() > 0.9
    noisy = chances_from_subsets(subsets_of(latent_scores(effects)), design(80))
    assert noisy.chance[:3].min() > noisy.chance[3:].max()


def test_features_that_nothing_sets_apart_have_the_same_chance():
    subsets = subsets_of(latent_scores(some_effects(), 5))
    found = chances_from_subsets(subsets, design(80))
    used = {*PAIRS.halves.ravel().tolist(), *PAIRS.full.tolist()}
    times = np.bincount(np.concatenate([subsets[at] for at in used]), minlength=80)
    never = times == 0
    assert never.sum() > 3
    assert np.ptp(found.chance[never]) == 0
    assert np.ptp(found.low[never]) == 0


def test_subsets_that_never_change_are_certain():
    always = {at: np.array([4, 7]) for at in range(N_PARTS)}
    found = chances_from_subsets(always, design(30))
    assert_rules(found, 2)
    assert found.chance[[4, 7]].min() > 0.9


def test_features_of_subsets_may_come_in_any_order():
    subsets = subsets_of(latent_scores(some_effects(), 5))
    columns = np.random.default_rng(6).permutation(80)
    place = np.argsort(columns)
    moved = {at: np.sort(place[own]) for at, own in subsets.items()}
    one, other = (chances_from_subsets(own, design(80)) for own in (subsets, moved))
    np.testing.assert_allclose(one.chance[columns], other.chance, rtol=0, atol=1e-9)


def groups_of(subsets):
    """Return each subset cut into groups of two."""
    return {
        at: SimpleNamespace(
            members=[own[i : i + 2] for i in range(0, len(own), 2)],
            representatives=own[::2],
        )
        for at, own in subsets.items()
    }


def test_a_group_has_the_chance_of_its_median_member():
    subsets = subsets_of(latent_scores(some_effects()))
    members = chances_from_subsets(subsets, design(80))
    found, chosen = chances_from_groups(groups_of(subsets), design(80))
    assert np.flatnonzero(found.selected).tolist() == chosen.representatives.tolist()
    for representative, own in zip(chosen.representatives, chosen.members, strict=True):
        assert found.chance[representative] == np.median(members.chance[own])
        assert found.low[representative] == np.median(members.low[own])
    assert (found.chance[~found.selected] == 0).all()
    names = [f"f{i}" for i in range(80)]
    members = name_members(names, chosen)
    table = FeatureChances(names=names, found=found, n_units=60, members=members).table()
    assert len(table) == len(chosen.members)
    row = table.set_index("feature").loc[f"f{chosen.representatives[0]}"]
    assert row["members"] == ", ".join(f"f{i}" for i in chosen.members[0])


# --- edge cases -----------------------------------------------------------------------------------


def test_two_features():
    scores = latent_scores(np.array([1.0, 0.0]))
    found = chances_from_orders(orders_of(scores), design(2), size=1)
    assert_rules(found, 1)
    assert found.chance[0] > found.chance[1]


def test_all_features_are_certain():
    found = chances_from_orders(orders_of(latent_scores(np.zeros(12))), design(12), size=12)
    assert (found.chance == 1).all()
    assert (found.low == 1).all()
    assert len(longest_list(found, 1.0)) == 12


def test_empty_subsets_have_no_chance():
    nothing = {at: np.empty(0, dtype=int) for at in range(N_PARTS)}
    found = chances_from_subsets(nothing, design(20))
    assert (found.chance == 0).all()
    assert not found.selected.any()
    assert len(longest_list(found, 0.1)) == 0


def test_quarters_that_select_nothing_are_left_out():
    subsets = subsets_of(latent_scores(some_effects()))
    empty = {at: subsets[at][:0] for at in np.unique(PAIRS.quarters)}
    found = chances_from_subsets({**subsets, **empty}, design(80))
    assert_rules(found, len(subsets[int(PAIRS.full[0])]))


def test_halves_alone_are_enough():
    pairs = ReplicationPairs.from_resamples(ReplicationDesign(8).draw([0] * 53 + [1] * 7))
    assert len(pairs.quarters) == 0
    scores = latent_scores(some_effects())[: pairs.full.max() + 1]
    scores[pairs.full] = latent_scores(some_effects())[PAIRS.full]
    found = chances_from_orders(orders_of(scores), design(80, pairs), size=6)
    assert_rules(found, 6)
    assert found.chance[:6].mean() > 5 * found.chance[6:].mean()


def test_parts_that_failed_are_left_out():
    orders = orders_of(latent_scores(some_effects()))
    whole = chances_from_orders(orders, design(80), size=6)
    gone = [int(PAIRS.halves[0, 0]), int(PAIRS.quarters[0, 0, 0]), int(PAIRS.full[1])]
    rest = {at: own for at, own in orders.items() if at not in gone}
    found = chances_from_orders(rest, design(80), size=6)
    assert_rules(found, 6)
    assert np.corrcoef(found.chance, whole.chance)[0, 1] > 0.9


def test_too_few_parts_are_refused():
    orders = orders_of(latent_scores(some_effects()))
    lone = {at: own for at, own in orders.items() if at not in PAIRS.halves[1:, 0]}
    with pytest.raises(InvalidInputError, match="results on too few halves"):
        chances_from_orders(lone, design(80), size=6)
    two = {**lone, int(PAIRS.halves[1, 0]): orders[int(PAIRS.halves[1, 0])]}
    assert_rules(chances_from_orders(two, design(80), size=6), 6)
    never = {at: own for at, own in orders.items() if at not in PAIRS.full}
    with pytest.raises(InvalidInputError, match="no result on the full data"):
        chances_from_subsets(never, design(80))


def test_features_that_are_not_named_come_last():
    """Stores keep the first features of each order only; the chances of these hardly change."""
    orders = orders_of(latent_scores(some_effects()))
    whole = chances_from_orders(orders, design(80), size=6)
    cut = {at: own[:20] for at, own in orders.items()}
    found = chances_from_orders(cut, design(80), size=6)
    assert_rules(found, 6)
    np.testing.assert_array_equal(found.selected, whole.selected)
    np.testing.assert_allclose(found.chance[:6], whole.chance[:6], atol=0.1)


def test_constant_features_have_little_chance():
    X, y = draw(np.random.default_rng(6), p=50, effects=[2.0] * 4)
    X[:, 40:] = 1.0
    names = hf.io.from_arrays(X, y).feature_names
    table = hf.replication("t_score", X, y, size=4, n_pairs=8).features.set_index("feature")
    assert table.loc[list(names[40:]), "found_again"].max() < 0.05
    assert table.loc[list(names[:4]), "found_again"].min() > 0.7


def test_small_classes_have_chances_without_quarters():
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((27, 30)), np.array([0] * 20 + [1] * 7)
    X[:, :3] += 3 * y[:, np.newaxis]
    table = hf.replication("t_score", X, y, size=3, n_pairs=8).features
    assert table["found_again"].sum() == pytest.approx(3)
    assert set(table["feature"][:3]) == set(hf.io.from_arrays(X, y).feature_names[:3])


def fails_on_full_data(X, y):
    if len(y) > 50:
        raise ValueError("too many samples")
    return np.abs(X.mean(axis=0))


def test_reasons_are_given_where_chances_are_not_known():
    X, y = draw(np.random.default_rng(8), p=20)
    failed = hf.replication(fails_on_full_data, X, y, size=3, n_pairs=4).features
    assert failed.attrs["why_none"] == "the selector has no result on the full data"
    assert list(failed) == ["feature", "selected", "found_again", "low", "grade"]
    unsized = hf.replication("t_score", X, y, measure="spearman", n_pairs=4).features
    assert (len(failed), len(unsized)) == (0, 0)
    assert unsized.attrs["why_none"] == "no size was given"


# --- simulated truth ------------------------------------------------------------------------------


PATTERNS = {
    "linear": np.linspace(1.0, 0.1, 20),
    "mix": np.linspace(1.2, 0.1, 10),
    "equal": np.full(20, 0.7),
    "weak": np.full(20, 0.3),
    "few": np.full(5, 1.6),
    "two": np.r_[np.full(3, 2.0), np.full(17, 0.6)],
    "none": np.zeros(0),
}
"""Differences of the class means, in standard deviations."""


def chosen_by(X, y, rows, size):
    """Return which features have the highest t-scores on each of several parts."""
    return np.asarray(hf.TScore().rank_resamples(X, y, rows).values) <= size


def errors_of(effects, rng, n_sets, size=10):
    """Return how far chances, and frequencies over halves, of listed features are off."""
    studies = (draw(rng, effects=effects) for _ in range(200))
    truth = np.mean([chosen_by(X, y, [np.arange(60)], size)[0] for X, y in studies], axis=0)
    errors = []
    for seed in range(n_sets):
        X, y = draw(rng, effects=effects)
        table = hf.replication("t_score", X, y, size=size, n_pairs=20, random_state=seed).features
        listed = table[table["selected"]]
        numbers = listed["feature"].str.removeprefix("f").astype(int).to_numpy()
        halves = [one.train for one in ReplicationDesign(20).draw(y, None, seed)[:40]]
        frequency = chosen_by(X, y, halves, size).mean(axis=0)[numbers]
        true = truth[numbers].mean()
        errors.append((listed["found_again"].mean() - true, frequency.mean() - true))
    return np.mean(errors, axis=0)


@pytest.mark.slow
def test_chances_are_those_of_independent_studies_on_average():
    """Over many patterns of effects the mean error is that of chance; not so for halves.

    One pattern alone may be off by more than 0.1: with 20 effects that fall in a line, chances are
    too low by about 0.13, and frequencies over halves, off by 0.03, are closer.
    """
    rng = np.random.default_rng(10)
    said, halves = np.transpose([errors_of(own, rng, n_sets=4) for own in PATTERNS.values()])
    noise = 3 * said.std(ddof=1) / np.sqrt(len(said))  # of the mean over patterns
    assert abs(said.mean()) < noise
    assert halves.mean() > noise
    assert np.abs(said).mean() < 0.6 * np.abs(halves).mean()


def test_the_rates_of_the_grades_are_those_of_the_hold_out():
    stored = Path(__file__).parents[2] / "docs" / "_calibration" / "found_again_hold_out.json"
    measured = json.loads(stored.read_text(encoding="utf-8"))["summary"]["all"]["grades"]
    assert {name: round(rate, 2) for name, (_, rate) in measured.items()} == GRADE_HIT_RATES


def test_the_samples_that_a_chance_needs():
    chances, sizes = np.array([0.2, 0.4, 0.8]), np.array([50.0, 100.0, 200.0])
    assert samples_needed(chances, sizes, 0.1) == 50
    assert samples_needed(chances, sizes, 0.6) == np.ceil(100 * np.sqrt(2))
    assert samples_needed(chances, sizes, 0.9) == np.inf


def test_larger_studies_find_strong_features_more_often():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 120))
    X[:, :5] += 1.4 * y[:, np.newaxis]
    found = hf.replication("t_score", X, y, size=5, n_pairs=20)
    needed = found.samples_for(0.86, ["f1", "f50"])
    assert needed["feature"].tolist() == ["f1", "f50"]
    assert needed["needed"][0] < needed["needed"][1]
    assert found.samples_for(0.999)["feature"].tolist() == (
        found.features.query("selected")["feature"].tolist()
    )
    with pytest.raises(hf.errors.UnknownNameError, match="no feature 'g1'"):
        found.samples_for(0.9, ["g1"])
    with pytest.raises(InvalidInputError, match="chance"):
        found.samples_for(1.5)
