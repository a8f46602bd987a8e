"""Stand-ins against plain loops, and adjusted stability against the measures themselves."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.judge import _effects, stand_ins
from holdfast.judge._effects import FilledSimilarity
from holdfast.measures import _feature_similarity
from holdfast.measures._feature_similarity import DataSimilarity

P, M = 30, 40


@pytest.fixture(name="X")
def copies():
    """Ten features, each with two noisy copies; one copy has the opposite sign."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=(80, 10))
    noisy = [first + 0.4 * rng.normal(size=first.shape) for _ in range(2)]
    return np.hstack([first, noisy[0], -noisy[1]])


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    return [np.sort(10 * rng.choice(3, 6, p=[0.6, 0.3, 0.1]) + np.arange(6)) for _ in range(M)]


@pytest.fixture
def subsets(rows):
    return hf.Subsets(rows, n_features=P)


def naive(rows, X, threshold, frequency):
    """Return numbers by feature and stand-in, and resamples with any stand-in by feature."""
    sets = [set(row.tolist()) for row in rows]
    r = np.corrcoef(X, rowvar=False)
    often = [f for f in range(P) if sum(f in own for own in sets) >= frequency * len(sets)]
    tested = {}
    for f, g in itertools.product(often, range(P)):
        without = [own for own in sets if f not in own]
        within = [own for own in sets if f in own]
        if f == g or not without or not any(g in own for own in sets) or abs(r[f, g]) < threshold:
            continue
        count, both = sum(g in own for own in without), sum(g in own for own in within)
        square = [[count, len(without) - count], [both, len(within) - both]]
        p = scipy.stats.fisher_exact(square, alternative="greater").pvalue
        tested[f, g] = (r[f, g], count / len(without), len(without), both / len(within), p)
    pairs, highest = {}, 0.0
    for place, key in enumerate(sorted(tested, key=lambda key: tested[key][-1])):
        highest = max(highest, tested[key][-1] * (len(tested) - place))  # Holm
        if highest <= 0.05:
            pairs[key] = (*tested[key][:-1], highest)
    covered = {
        f: sum(bool(own & {g for one, g in pairs if one == f}) for own in sets if f not in own)
        for f in often
    }
    return pairs, covered


@pytest.mark.parametrize("threshold", [0.7, 0.8, 0.92, 1.0])
@pytest.mark.parametrize("frequency", [0.1, 0.5])
def test_stand_ins_are_those_of_a_plain_loop(subsets, rows, X, threshold, frequency):
    found = stand_ins(subsets, X, threshold=threshold, frequency=frequency)
    pairs, covered = naive(rows, X, threshold, frequency)
    assert (threshold > 0.92) == (not pairs)
    columns = ["correlation", "share", "n", "share_with", "p_value"]
    table = found.table.astype({"feature": int, "stand_in": int})
    table = table.set_index(["feature", "stand_in"])
    assert set(table.index) == set(pairs)
    for key, expected in pairs.items():
        np.testing.assert_allclose(table.loc[key, columns].tolist(), expected)
    np.testing.assert_allclose(table["count"] / table["n"], table["share"])
    np.testing.assert_allclose(table["count_with"] / table["n_with"], table["share_with"])
    features = found.features.set_index("feature")
    assert set(features.index) == set(map(str, covered))
    for name, count in covered.items():
        row = features.loc[str(name)]
        np.testing.assert_allclose(row["frequency_with"], row["frequency"] + count / M)


def test_features_that_are_selected_together_are_no_stand_ins(X):
    rows = [[0, 10]] * 45 + [[0, 5]] * 3 + [[10, 5]] * 2  # 10 is there in 2 of 2 without 0
    found = stand_ins(hf.Subsets(rows, n_features=P), X)
    assert found.table.empty


def test_a_feature_that_takes_anothers_place_is_a_stand_in(X):
    rows = [[0, 5]] * 38 + [[0, 10]] * 2 + [[10, 5]] * 9 + [[5, 6]]
    row = stand_ins(hf.Subsets(rows, n_features=P), X).table.set_index("feature").loc["0"]
    counts = row[["stand_in", "count", "n", "count_with", "n_with"]].tolist()
    assert counts == ["10", 9, 10, 2, 40]


def test_blocks_of_features_give_the_same(subsets, X, monkeypatch):
    whole = stand_ins(subsets, X, frequency=0.1)
    monkeypatch.setattr(_effects, "MAX_BLOCK_CELLS", 7)
    blocks = stand_ins(subsets, X, frequency=0.1)
    pd.testing.assert_frame_equal(whole.table, blocks.table)
    pd.testing.assert_frame_equal(whole.features, blocks.features)
    pd.testing.assert_frame_equal(whole.stability, blocks.stability)


def test_the_most_frequent_feature_and_the_most_votes_come_first(subsets, X):
    table = stand_ins(subsets, X, frequency=0.1).table
    assert table["frequency"].is_monotonic_decreasing
    for _, part in table.groupby("feature"):
        assert part["share"].is_monotonic_decreasing


def test_stability_is_that_of_the_measures(subsets, X):
    found = stand_ins(subsets, X, threshold=0.75).stability.iloc[2:].set_index("measure")
    plain = hf.measure(["nogueira", "kappa"], subsets)
    adjusted = hf.measure(["sechidis", "yu"], subsets, data=X, threshold=0.75)
    for expected in (plain, adjusted):
        for name, row in expected.iterrows():
            for column in ("value", "low", "high", "chance"):
                np.testing.assert_allclose(found.loc[name, column], row[column], atol=1e-12)
    assert found["stand_ins"].to_dict() == {
        "nogueira": False,
        "sechidis": True,
        "kappa": False,
        "yu": True,
    }


def test_shares_are_those_of_a_plain_loop(subsets, rows, X):
    r = np.abs(np.corrcoef(X, rowvar=False))
    plain, more = [], []
    for a, b in itertools.permutations([set(row.tolist()) for row in rows], 2):
        similar = sum(any(r[x, y] >= 0.8 for y in b - a) for x in a - b)
        plain.append(len(a & b) / 6)
        more.append((len(a & b) + similar) / 6)
    found = stand_ins(subsets, X).stability
    assert found["measure"].tolist()[:2] == ["share", "share"]
    np.testing.assert_allclose(found["value"][:2], [np.mean(plain), np.mean(more)])


def test_the_chance_level_of_shares_is_that_of_random_selections(subsets, X):
    rng = np.random.default_rng(4)
    random = hf.Subsets([rng.permutation(P)[:6] for _ in range(400)], n_features=P)
    chance = stand_ins(subsets, X).stability["chance"][:2]
    np.testing.assert_allclose(stand_ins(random, X).stability["value"][:2], chance, rtol=0.03)


def test_common_correlations_are_reported_from_explanations():
    rng = np.random.default_rng(5)
    common = rng.normal(size=(80, 1)) + 0.2 * rng.normal(size=(80, P))
    found = stand_ins(hf.Subsets([rng.permutation(P)[:6] for _ in range(9)], n_features=P), common)
    assert "little more than chance" in found.sentence
    assert "classify well" in found.sentence


def test_stability_is_averaged_over_groups(subsets, X):
    groups = [[0, 1, 2], [3, 4, 5, 6], [7, 8, 9, 10, 11]]
    found = stand_ins(subsets, X, groups=groups).stability
    parts = [stand_ins(subsets[group], X).stability["value"] for group in groups]
    np.testing.assert_allclose(found["value"], np.mean(parts, axis=0))
    half = scipy.stats.t(2).ppf(0.975) * np.std(parts, axis=0, ddof=1) / np.sqrt(3)
    half = np.where(half > 1e-12, half, np.nan)  # no spread, no interval
    best = np.array([1, 1, 1, 1, 1, np.inf])  # sechidis has no range
    np.testing.assert_allclose(found["high"], np.minimum(found["value"] + half, best))
    assert np.isnan(half).sum() == 2


def test_a_single_group_has_no_interval(subsets, X):
    found = stand_ins(subsets, X, groups=[range(12)]).stability
    assert found["value"].notna().all()
    assert found[["low", "high"]].isna().all(axis=None)


@pytest.mark.parametrize("sizes", [[2, 20, 2, 20, 2, 20], [1, 7, 24, 3, 0, 11]])
def test_unequal_sizes_invent_no_stand_ins(sizes):
    noise = np.random.default_rng(0).normal(size=(200, P))
    found = stand_ins(hf.Subsets([np.arange(k) for k in sizes], n_features=P), noise)
    plain, adjusted = found.stability["value"][:2]
    assert found.table.empty
    assert plain == adjusted
    assert "hardly between correlated features" in found.sentence


def test_shares_of_unequal_sizes_are_those_of_a_plain_loop(X):
    rng = np.random.default_rng(6)
    sets = [set(rng.permutation(P)[:k].tolist()) for k in (2, 9, 4, 14)]
    r = np.abs(np.corrcoef(X, rowvar=False))
    more = []
    for a, b in itertools.combinations(sets, 2):
        forth = sum(any(r[x, y] >= 0.8 for y in b - a) for x in a - b)
        back = sum(any(r[x, y] >= 0.8 for y in a - b) for x in b - a)
        more.append((len(a & b) + (forth + back) / 2) / ((len(a) + len(b)) / 2))
    found = stand_ins(hf.Subsets([sorted(one) for one in sets], n_features=P), X).stability
    np.testing.assert_allclose(found["value"][1], np.mean(more))


def test_the_chance_level_of_shares_of_unequal_sizes_is_that_of_random_selections(X):
    rng = np.random.default_rng(7)
    rows = [rng.permutation(P)[: 3 + 9 * (i % 2)] for i in range(400)]
    found = stand_ins(hf.Subsets(rows, n_features=P), X).stability
    np.testing.assert_allclose(found["value"][:2], found["chance"][:2], rtol=0.03)


def test_what_chance_brings_is_not_simulated(subsets, X, monkeypatch):
    def refuse(*_args):
        raise AssertionError

    exact = stand_ins(subsets, X).stability
    monkeypatch.setattr(_feature_similarity, "MAX_AUTO_PRODUCTS", 0)
    monkeypatch.setattr(_feature_similarity, "_simulated_means", refuse)
    pd.testing.assert_frame_equal(stand_ins(subsets, X).stability, exact)


def test_the_table_handed_out_is_a_copy(subsets, X):
    found = stand_ins(subsets, X, frequency=0.1)
    table = found.to_frame()
    table["share"] = -1.0
    assert (found.table["share"] > 0).all()


def test_copies_explain_the_disagreement(X, subsets):
    found = stand_ins(subsets, X)
    assert found.sentence.startswith("Two resamples share ")
    assert "Most of the disagreement" in found.sentence
    assert "classify well" in found.sentence


def test_unrelated_features_explain_nothing(subsets):
    noise = np.random.default_rng(2).normal(size=(80, P))
    found = stand_ins(subsets, noise)
    assert found.table.empty
    assert "hardly between correlated features" in found.sentence
    assert repr(found).startswith("<StandIns: 0 features with stand-ins>")


def test_a_feature_that_is_always_selected_needs_none(X):
    found = stand_ins(hf.Subsets([[0, 1], [0, 11], [0, 1]], n_features=P), X)
    row = found.features.set_index("feature").loc["0"]
    assert np.isnan(row["share"])
    assert row["frequency_with"] == 1
    assert "0" not in set(found.table["feature"])


def test_full_agreement_leaves_nothing_to_explain(X):
    found = stand_ins(hf.Subsets([[0, 1], [0, 1], [0, 1]], n_features=P), X)
    assert found.sentence.startswith("Resamples agree fully")


def test_all_features_selected_leave_stability_undefined(X):
    found = stand_ins(hf.Subsets([range(P), range(P)], n_features=P), X)
    assert "undefined" in found.sentence


def test_medians_take_the_place_of_missing_values(subsets, X):
    holed = X.copy()
    holed[::7, 0] = np.nan
    holed[:, 29] = np.nan
    full = holed.copy()
    full[::7, 0] = np.nanmedian(holed[:, 0])
    full[:, 29] = 0.0
    one, other = (stand_ins(subsets, data, frequency=0.1) for data in (holed, full))
    pd.testing.assert_frame_equal(one.table, other.table)
    pd.testing.assert_frame_equal(one.stability, other.stability)


def test_constant_features_stand_in_for_none(X):
    X[:, :2] = 3.7
    found = stand_ins(hf.Subsets([[0], [1], [0]], n_features=P), X)
    assert found.table.empty


def test_names_of_a_frame_are_looked_up(rows, X):
    names = [f"<b>{i}</b>" for i in range(P)]
    selected = hf.Subsets(rows, feature_names=names)
    frame = pd.DataFrame(X, columns=names)[names[::-1]]
    by_name = stand_ins(selected, frame, frequency=0.1).table
    by_number = stand_ins(hf.Subsets(rows, n_features=P), X, frequency=0.1).table
    assert by_name["stand_in"].tolist() == [f"<b>{i}</b>" for i in by_number["stand_in"]]


def test_many_features_are_sampled_for_what_chance_brings(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 600))
    exact = DataSimilarity(X, 0.5)
    np.testing.assert_allclose(FilledSimilarity(X, 0.5).total, exact.total)
    np.testing.assert_array_equal(FilledSimilarity(X, 0.5).degrees, exact.degrees)
    monkeypatch.setattr(_effects, "MAX_SAMPLED_PAIRS", 600 * 200)
    sampled = FilledSimilarity(X, 0.5)
    np.testing.assert_allclose(sampled.total, exact.total, rtol=0.1)
    assert len(sampled.degrees) == 600
    np.testing.assert_allclose(sampled.degrees.mean(), exact.degrees.mean(), rtol=0.1)


def test_sampling_is_said(subsets, X, monkeypatch):
    assert stand_ins(subsets, X).note == ""
    monkeypatch.setattr(_effects, "MAX_SAMPLED_PAIRS", 10 * P)
    assert "estimated from 10 of 30 features" in stand_ins(subsets, X).note


@pytest.mark.parametrize("options", [{"threshold": 0.0}, {"threshold": 1.2}, {"frequency": 0.0}])
def test_shares_outside_their_range_are_refused(subsets, X, options):
    with pytest.raises(InvalidInputError, match="above 0 and up to 1"):
        stand_ins(subsets, X, **options)


def test_data_of_other_features_are_refused(subsets, X):
    with pytest.raises(InvalidInputError, match="29 features, the selections 30"):
        stand_ins(subsets, X[:, 1:])


def test_a_single_feature_has_no_stand_in():
    found = stand_ins(hf.Subsets([[0], [0]], n_features=1), np.arange(5.0)[:, None])
    assert found.table.empty
