"""Similarity of selectors against plain loops."""

import itertools

import numpy as np
import pytest
import scipy.stats

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.judge import selector_similarity

P = 40


@pytest.fixture
def systems():
    rng = np.random.default_rng(0)

    def draw(low, high, size):
        some = [low + rng.permutation(high - low)[:size] for _ in range(6)]
        return hf.Subsets(some, n_features=P)

    return {"early": draw(0, 12, 8), "same": draw(0, 12, 6), "late": draw(8, 20, 8)}


def jaccard(a, b):
    a, b = set(a.tolist()), set(b.tolist())
    return len(a & b) / len(a | b)


def phi(a, b):
    one, other = np.zeros(P), np.zeros(P)
    one[a], other[b] = 1, 1
    return np.corrcoef(one, other)[0, 1]


def mean(score, first, second, skip=()):
    places = [i for i in range(len(first)) if i not in skip]
    return np.mean([score(first[i], second[j]) for i in places for j in places if i != j])


@pytest.mark.parametrize("score", [phi, jaccard])
def test_values_are_means_over_pairs_of_different_resamples(systems, score):
    alike = selector_similarity(systems, score.__name__)
    for a, b in itertools.product(systems, repeat=2):
        expected = mean(score, systems[a], systems[b])
        np.testing.assert_allclose(alike.matrix.loc[a, b], expected, atol=1e-12)


def test_the_diagonal_is_the_stability_of_each_selector(systems):
    alike = selector_similarity(systems)
    stability = [hf.measure("phi", one) for one in systems.values()]
    np.testing.assert_allclose(np.diag(alike.matrix), stability)


def test_the_same_resample_is_compared_apart(systems):
    alike = selector_similarity(systems)
    for a, b in itertools.product(systems, repeat=2):
        expected = np.mean([phi(x, y) for x, y in zip(systems[a], systems[b], strict=True)])
        np.testing.assert_allclose(alike.same.loc[a, b], expected)
    np.testing.assert_allclose(np.diag(alike.same), 1)


def test_intervals_are_by_jackknife_over_resamples(systems):
    table = selector_similarity(systems).table.set_index(["first", "second"])
    first, second = systems["early"], systems["late"]
    without = np.array([mean(phi, first, second, skip=[i]) for i in range(6)])
    half = 2.570582 * np.sqrt(5 / 6 * np.square(without - without.mean()).sum())
    row = table.loc[("early", "late")]
    np.testing.assert_allclose(row["high"] - row["similarity"], half, rtol=1e-6)
    np.testing.assert_allclose(row["similarity"] - row["low"], half, rtol=1e-6)


def test_relative_similarity_is_corrected_for_the_noise_of_both(systems):
    alike = selector_similarity(systems)
    own = np.sqrt(np.outer(np.diag(alike.matrix), np.diag(alike.matrix)))
    np.testing.assert_allclose(alike.relative, alike.matrix / own)


def test_selectors_with_the_same_taste_are_as_alike_as_noise_allows():
    rng = np.random.default_rng(1)
    chance = np.linspace(0.95, 0.05, 60)

    def draw():
        return hf.Subsets(
            [np.flatnonzero(rng.random(60) < chance) for _ in range(80)], n_features=60
        )

    alike = selector_similarity({"a": draw(), "b": draw()})
    row = alike.table.iloc[1]
    assert row["similarity"] < 0.8
    assert 0.95 < row["relative"] < 1.05
    assert row["relative_low"] < 1 < row["relative_high"]


def test_selectors_that_choose_at_random_have_no_relative_similarity():
    rng = np.random.default_rng(2)
    random = {
        name: hf.Subsets([rng.permutation(500)[:20] for _ in range(10)], n_features=500)
        for name in "ab"
    }
    alike = selector_similarity(random)
    assert np.isnan(alike.relative.loc["a", "b"])
    assert "noise" not in alike.sentences[0]


def test_values_are_averaged_over_groups(systems):
    groups = [[0, 1], [2, 3, 5]]
    alike = selector_similarity(systems, groups=groups)
    parts = [selector_similarity({k: s[g] for k, s in systems.items()}) for g in groups]
    np.testing.assert_allclose(alike.matrix, (parts[0].matrix + parts[1].matrix) / 2)
    np.testing.assert_allclose(alike.same, (parts[0].same + parts[1].same) / 2)


def test_a_single_group_has_no_interval(systems):
    alike = selector_similarity(systems, groups=[range(6)])
    np.testing.assert_allclose(alike.matrix, selector_similarity(systems).matrix)
    assert alike.table[["low", "high", "relative_low"]].isna().all(axis=None)


def test_three_groups_have_an_interval_from_their_spread(systems):
    groups = [[0, 1], [2, 3], [4, 5]]
    alike = selector_similarity(systems, groups=groups)
    values = [mean(phi, systems["early"][g], systems["late"][g]) for g in groups]
    row = alike.table.set_index(["first", "second"]).loc[("early", "late")]
    half = scipy.stats.t(2).ppf(0.975) * np.std(values, ddof=1) / np.sqrt(3)
    np.testing.assert_allclose(row["high"] - row["similarity"], half)


def test_two_groups_have_an_interval_too(systems):
    alike = selector_similarity(systems, groups=[[0, 1], [2, 3, 5]])
    equal = (
        mean(phi, *[systems["early"][[0, 1]]] * 2),
        mean(phi, *[systems["early"][[2, 3, 5]]] * 2),
    )
    assert equal[0] == pytest.approx(equal[1])  # no spread, no interval
    assert alike.table["low"].notna().tolist() == [False, *[True] * 5]


def test_two_resamples_give_values_without_intervals(systems):
    alike = selector_similarity({name: one[:2] for name, one in systems.items()})
    assert alike.table["similarity"].notna().all()
    assert alike.table["low"].isna().all()


def test_sentences_name_the_most_and_the_least_alike(systems):
    most, least = selector_similarity(systems).sentences
    assert most.startswith("Most alike: early and same: similarity 0.")
    assert least.startswith("Least alike: ")
    assert "late" in least


def test_sentences_have_the_interval(systems):
    alike = selector_similarity(systems)
    row = alike.table.set_index(["first", "second"]).loc[("early", "same")]
    assert f"({row['low']:.2f} to {row['high']:.2f}; to themselves: " in alike.sentences[0]


def random_systems(seed, count):
    rng = np.random.default_rng(seed)
    return {
        str(i): hf.Subsets([rng.permutation(300)[:10] for _ in range(20)], n_features=300)
        for i in range(count)
    }


def test_random_selectors_are_not_called_alike():
    said = [selector_similarity(random_systems(seed, 20)).sentences for seed in range(10)]
    none = ("No two of the 20 selectors are clearly more alike than chance.",)
    assert sum(one == none for one in said) >= 9


def test_two_random_selectors_are_reported_to_be_no_more_alike_than_chance():
    (sentence,) = selector_similarity(random_systems(1, 2)).sentences
    assert sentence.endswith(", not clearly more than chance.")


def test_a_measure_that_has_chance_in_it_is_not_compared_with_it(systems):
    alike = selector_similarity(systems, "jaccard")
    assert alike.table["beyond_chance"].isna().all()
    assert "chance not taken out" in alike.sentences[0]


def test_an_empty_selection_is_left_out_and_named(systems):
    rows = list(systems["early"])
    rows[2] = np.array([], dtype=int)
    holed = systems | {"early": hf.Subsets(rows, n_features=P)}
    alike = selector_similarity(holed)
    first, second = holed["early"], holed["late"]
    pairs = [(i, j) for i in range(6) for j in range(6) if i not in (j, 2)]
    expected = np.mean([phi(first[i], second[j]) for i, j in pairs])
    np.testing.assert_allclose(alike.matrix.loc["early", "late"], expected)
    assert alike.table[["similarity", "low", "same"]].notna().all(axis=None)
    assert "early: 1 of 6 selections are empty" in alike.note
    assert alike.sentences[-1] == f"{alike.note}."


def test_intervals_without_an_empty_selection_are_by_jackknife_over_what_is_left(systems):
    rows = list(systems["early"])
    rows[2] = np.array([], dtype=int)
    first, second = hf.Subsets(rows, n_features=P), systems["late"]
    alike = selector_similarity({"early": first, "late": second})

    def without(out):
        left = [i for i in range(6) if i != out]
        return np.mean([phi(first[i], second[j]) for i in left for j in left if i not in (2, j)])

    values = np.array([without(i) for i in range(6)])
    half = 2.570582 * np.sqrt(5 / 6 * np.square(values - values.mean()).sum())
    row = alike.table.iloc[1]
    np.testing.assert_allclose(row["high"] - row["similarity"], half, rtol=1e-6)


def test_selections_of_all_features_cannot_be_compared_and_that_is_said(systems):
    full = {name: hf.Subsets([range(P)] * 6, n_features=P) for name in "ab"}
    alike = selector_similarity(full)
    assert alike.matrix.isna().all(axis=None)
    (sentence,) = alike.sentences
    assert sentence == (
        "100% of the pairs of selections are left out, as phi has no value for them "
        "(a: 6 of 6 selections hold all features, b: 6 of 6 selections hold all features)."
    )
    assert "late" not in selector_similarity(full | {"late": systems["late"]}).note


def test_different_sizes_are_named_where_a_measure_cannot_take_them(systems):
    alike = selector_similarity(systems, "kuncheva")
    assert np.isnan(alike.matrix.loc["early", "same"])
    assert "their sizes differ" in alike.note


def test_nothing_is_noted_where_all_is_defined(systems):
    assert selector_similarity(systems).note == ""


def test_the_table_handed_out_is_a_copy(systems):
    alike = selector_similarity(systems)
    table = alike.to_frame()
    table["similarity"] = -1.0
    assert (alike.table["similarity"] > -1).all()


def test_one_selector_is_compared_with_itself_only(systems):
    alike = selector_similarity({"early": systems["early"]})
    assert alike.matrix.shape == (1, 1)
    assert alike.sentences == ()


def test_forty_selectors_are_no_trouble():
    rng = np.random.default_rng(3)
    many = {
        str(i): hf.Subsets([rng.permutation(300)[:10] for _ in range(20)], n_features=300)
        for i in range(40)
    }
    alike = selector_similarity(many)
    assert alike.matrix.shape == (40, 40)
    np.testing.assert_allclose(alike.matrix, alike.matrix.T)
    assert len(alike.to_frame()) == 40 * 41 // 2


@pytest.mark.parametrize("measure", ["nogueira", "yu", "spearman", "anhd"])
def test_measures_that_are_no_similarity_of_two_subsets_are_refused(systems, measure):
    with pytest.raises(InvalidInputError, match="take phi or jaccard"):
        selector_similarity(systems, measure)


def test_selections_on_different_resamples_are_refused(systems):
    systems["late"] = systems["late"][:3]
    with pytest.raises(InvalidInputError, match="same resamples"):
        selector_similarity(systems)


def test_no_selectors_are_refused():
    with pytest.raises(InvalidInputError, match="none"):
        selector_similarity({})
