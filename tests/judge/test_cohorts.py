"""Cohorts: how well they agree, beside samples of their sizes from all of them."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.judge._replication import _cohort_comparison
from holdfast.judge._replication._cohort_comparison import (
    cohort_pairs,
    compare_cohorts,
    estimate_power,
)
from holdfast.judge._replication._cohorts import cohorts
from holdfast.resample import CohortDesign


def drawn(random, n, effects):
    """Return n samples of two classes that differ by twice the effects."""
    y = np.arange(n) % 2
    return random.standard_normal((n, len(effects))) + np.outer(2 * y - 1, effects), y


def together(*parts):
    X, y = (np.concatenate(own) for own in zip(*parts, strict=True))
    return X, y, np.repeat(np.arange(len(parts)), [len(own) for _, own in parts])


def effects(*informative, p=60, effect=0.6):
    out = np.zeros(p)
    out[list(informative)] = effect
    return out


HERE, THERE = effects(*range(8)), effects(*range(8, 16))


def t_selected(X, y, rows, size):
    """Return the features of largest |t|, one by one."""
    a, b = X[rows][y[rows] == 0], X[rows][y[rows] == 1]
    scores = []
    for f in range(X.shape[1]):
        ss = np.sum((a[:, f] - a[:, f].mean()) ** 2) + np.sum((b[:, f] - b[:, f].mean()) ** 2)
        spread = np.sqrt(ss / (len(rows) - 2) * (1 / len(a) + 1 / len(b)))
        scores.append(abs(a[:, f].mean() - b[:, f].mean()) / spread)
    return set(np.argsort(scores)[-size:].tolist())


@pytest.mark.parametrize("sizes", [(20, 30), (16, 24, 20), (14, 14, 14, 20, 16)])
def test_all_numbers_agree_with_a_plain_version(sizes):
    random = np.random.default_rng(len(sizes))
    X, y, site = together(*(drawn(random, n, HERE) for n in sizes))
    found = cohorts("t_score", X, y, site, size=8, measure="jaccard", n_shuffles=7, random_state=3)
    c = len(sizes)
    chosen = [t_selected(X, y, one.train, 8) for one in CohortDesign(7).draw(y, site, None, 3)]
    systems = [chosen[start : start + c] for start in range(0, len(chosen), c)]
    values = np.array(
        [[len(a & b) / len(a | b) for a, b in combinations(own, 2)] for own in systems]
    )
    np.testing.assert_allclose(found.pairs["value"], values[0])
    np.testing.assert_allclose(found.pairs["expected"], values[1:].mean(axis=0))
    np.testing.assert_allclose(found.pairs["low"], np.quantile(values[1:], 0.025, axis=0))
    p = (1 + (values[1:] <= values[0] + 1e-12).sum(axis=0)) / 8
    np.testing.assert_allclose(found.pairs["p_value"], p)
    means = values.mean(axis=1)
    assert found.overall.value == pytest.approx(means[0])
    assert found.overall.expected == pytest.approx(means[1:].mean())
    assert found.overall.p_value == pytest.approx((1 + np.sum(means[1:] <= means[0] + 1e-12)) / 8)
    everywhere = [len(set.intersection(*own)) for own in systems]
    last = found.recurrence.iloc[-1]
    assert last["n_cohorts"] == c
    assert last["features"] == everywhere[0]
    assert last["expected"] == pytest.approx(np.mean(everywhere[1:]))
    assert found.recurrence["features"].iloc[0] == len(set.union(*systems[0]))
    names = {f"f{f}": tuple(str(i) for i in range(c) if f in systems[0][i]) for f in range(60)}
    for row in found.features.itertuples():
        assert row.cohorts == names[row.feature]
        assert row.n_cohorts == len(row.cohorts)
    assert found.features["n_cohorts"].is_monotonic_decreasing
    assert found.pairs[["n_a", "n_b"]].to_numpy().tolist() == [
        [sizes[a], sizes[b]] for a, b in combinations(range(c), 2)
    ]


@pytest.mark.slow
def test_cohorts_of_one_population_have_uniform_p_values():
    random = np.random.default_rng(0)
    found = []
    for seed in range(80):
        X, y, site = together(drawn(random, 24, HERE), drawn(random, 36, HERE))
        found.append(
            cohorts("t_score", X, y, site, size=8, measure="pearson", n_shuffles=19,
                    random_state=seed).overall
        )  # fmt: skip
    p = np.array([one.p_value for one in found])  # without ties: uniform over 0.05, 0.1, ..., 1
    for level in (0.1, 0.25, 0.5, 0.75):
        assert abs(np.mean(p <= level) - level) < 3.5 * np.sqrt(level * (1 - level) / len(p))
    gap = np.array([one.value - one.expected for one in found])
    assert abs(gap.mean()) < 4 * gap.std() / np.sqrt(len(gap))


def test_cohorts_with_other_informative_features_agree_less():
    random = np.random.default_rng(1)
    X, y, site = together(*(drawn(random, 60, own) for own in (HERE, HERE, THERE)))
    found = cohorts("t_score", X, y, site, size=8)
    assert found.overall.p_value <= 0.02
    same, other, another = found.pairs.itertuples()
    assert same.p_value > 0.5
    for pair in (other, another):
        assert pair.p_value <= 0.02
        assert pair.value < pair.low
    assert "less alike than samples" in found.sentences[0]
    assert "p = 0.010" in found.sentences[0]
    assert "0 and 2" in found.sentences[1] or "1 and 2" in found.sentences[1]
    assert found.sentences[2].startswith("In all 3 cohorts: 0 features, where ")


def test_equal_data_in_both_cohorts_agree_perfectly():
    X, y = drawn(np.random.default_rng(2), 30, HERE)
    found = cohorts("t_score", np.vstack([X, X]), [*y, *y], ["a"] * 30 + ["b"] * 30, size=8)
    assert found.overall.value == 1.0
    assert found.overall.p_value > 0.9
    assert found.recurrence["features"].tolist() == [8, 8]


def test_what_a_cohort_shares_makes_shuffles_noisier_and_centring_helps():
    random = np.random.default_rng(3)
    parts = [drawn(random, 60, HERE) for _ in range(2)]
    X, y, site = together(*((own + 3 * random.standard_normal(60), y) for own, y in parts))
    found = cohorts("t_score", X, y, site, size=8)
    assert found.overall.value > found.overall.high
    assert "centre the features within cohorts" in found.sentences[0]
    for one in (0, 1):
        X[site == one] -= X[site == one].mean(axis=0)
    again = cohorts("t_score", X, y, site, size=8)
    assert again.overall.value == pytest.approx(found.overall.value)
    assert again.overall.low <= again.overall.value <= again.overall.high


@pytest.fixture(scope="module")
def pooled():
    random = np.random.default_rng(4)
    return together(drawn(random, 20, effects(0, 1, 2, p=12)), drawn(random, 24, effects(0, p=12)))


@pytest.mark.parametrize(
    ("selector", "options"),
    [
        ("relieff:n_neighbors=3", {"size": 3}),
        (hf.TScore(), {"size": 0.25, "measure": "jaccard"}),
        (SelectKBest(k=3), {"size": 3}),
        ("t_score", {"measure": "spearman"}),
        ("t_score", {"measure": "pearson"}),
        ("t_score", {"size": 3, "measure": "anhd"}),
        ("t_score", {"size": 3, "measure": "zucknick"}),
        ("drags", {"size": 2, "measure": "group_matching_index"}),
        ("drags", {"size": 2}),
        ("forward_selection", {}),
    ],
)
def test_any_selector_and_any_form_of_measure(pooled, selector, options):
    found = cohorts(selector, *pooled, n_shuffles=5, **options)
    assert np.isfinite(found.overall.value)
    assert found.overall.n_shuffles == 5
    looks_at_all = options.get("measure") in ("spearman", "pearson")
    assert found.features.empty == looks_at_all
    assert found.recurrence.empty == looks_at_all
    assert len(found.sentences) == 2 - looks_at_all


def test_subjects_stay_whole(pooled):
    X, y, site = pooled
    rows = np.repeat(np.arange(len(y)), 2)
    who = [f"patient {row:02}" for row in rows]
    twice = cohorts("t_score", X[rows], y[rows], site[rows], size=3, n_shuffles=9, groups=who)
    assert twice.cohorts == {"0": 40, "1": 48}
    once = cohorts("t_score", X, y, site, size=3, n_shuffles=9)
    assert twice.pairs["value"].tolist() == once.pairs["value"].tolist()
    assert twice.pairs["expected"].tolist() == once.pairs["expected"].tolist()


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"size": None}, InvalidInputError, "size must say how many"),
        ({"measure": "nogueria"}, UnknownNameError, "nogueira"),
        ({"measure": ["nogueira"]}, InvalidInputError, "the name of one measure"),
        ({"n_shuffles": 0}, InvalidInputError, "n_shuffles"),
        ({"random_state": None}, InvalidInputError, "random_state"),
        ({"cohorts": None}, InvalidInputError, "cohorts must be the cohort of each sample"),
        ({"cohorts": ["a"] * 44}, InvalidInputError, "at least two cohorts"),
        ({"cohorts": ["a"] * 43 + [None]}, InvalidInputError, "each sample needs a value"),
    ],
)
def test_bad_input_is_refused(pooled, change, error, match):
    X, y, site = pooled
    given = {"cohorts": site, "size": 3, **change}
    with pytest.raises(error, match=match):
        cohorts("t_score", X, y, **given)


def test_missing_values_are_refused_or_imputed(pooled):
    X, y, site = pooled
    X = X.copy()
    X[3, 2] = np.nan
    with pytest.raises(InvalidInputError, match="1 missing value, which t_score does not take"):
        cohorts("t_score", X, y, site, size=3)
    found = cohorts("t_score", X, y, site, size=3, n_shuffles=5, impute="median")
    X[3, 2] = np.nanmedian(X[site == 0, 2])
    filled = cohorts("t_score", X, y, site, size=3, n_shuffles=5)
    assert found.overall.value == filled.overall.value


def needs(sample):
    """Return a selector that fails where a sample is not among those it sees."""

    def means(X, y):
        if X[:, 0].max() < sample:
            raise RuntimeError("not here")
        return X.mean(axis=0)

    return means


def test_shuffles_in_which_the_selector_fails_are_left_out(pooled):
    X, y, site = pooled
    X = X.copy()
    X[[0, 25, 30], 0] = 99.0
    with pytest.warns(HoldfastWarning, match="of 82 fits failed: RuntimeError: not here; shuf"):
        found = cohorts(needs(99), X, y, site, size=3, n_shuffles=40)
    design = CohortDesign(40).draw(y, site)[2:]
    marked = [bool({0, 25, 30} & set(one.train.tolist())) for one in design]
    assert found.overall.n_shuffles == sum(map(min, zip(marked[::2], marked[1::2], strict=True)))
    X[0, 0] = 0.0
    with pytest.raises(InvalidInputError, match="fails on a cohort: RuntimeError: not here"):
        cohorts(needs(99), X, y, site, size=3, n_shuffles=5)


def test_distances_agree_less_where_they_are_higher():
    values = [[0.3], *([0.1], [0.2], [0.3], [0.1])]
    found = compare_cohorts(values, names=["a", "b"], sizes=[4, 4], measure="anhd")
    assert found.overall.p_value == pytest.approx(2 / 5)
    assert found.pairs["p_value"].tolist() == [found.overall.p_value]


def test_what_has_no_value_is_left_out_or_reported():
    values = [[0.3], [np.nan], [0.5], [0.1]]
    found = compare_cohorts(values, names=["a", "b"], sizes=[4, 4])
    assert found.overall.n_shuffles == 2
    assert found.overall.p_value == pytest.approx(2 / 3)
    none = compare_cohorts([[np.nan], [0.5]], names=["a", "b"], sizes=[4, 4])
    assert np.isnan(none.overall.p_value)
    assert none.sentences == (
        "The cohorts a (4) and b (4) cannot be compared: nogueira has no value for them.",
    )


def test_names_may_be_those_of_columns_or_markup():
    names = ["value", "<b>feature</b>", "cohort_a"]
    values = np.full((3, 3), 0.5)
    selected = [[[0, 1], [1, 2], [1, 3]]] * 3
    found = compare_cohorts(values, names=names, sizes=[4, 5, 6], selected=selected)
    assert found.features["cohorts"].iloc[0] == tuple(names)
    assert found.features["feature"].tolist() == [1, 0, 2, 3]
    assert found.to_frame()["cohort_b"].tolist() == [names[1], names[2], names[2]]
    assert "<b>feature</b> (5)" in repr(found)
    frame = found.to_frame()
    frame["value"] = 0
    assert found.pairs["value"].tolist() == [0.5] * 3


@pytest.mark.parametrize(
    ("values", "names", "match"),
    [
        ([[0.1]], "ab", "at least one; got the shape"),
        ([[0.1], [0.2]], "abc", "each of 3 pairs"),
        ([[0.1], [0.2]], "aa", "different names"),
        ([[0.1], [0.2]], "a", "at least two cohorts"),
    ],
)
def test_tables_that_do_not_fit_are_refused(values, names, match):
    with pytest.raises(InvalidInputError, match=match):
        compare_cohorts(values, names=list(names), sizes=[4] * len(names))


def test_pairs_come_in_the_order_of_combinations():
    pairs = cohort_pairs(np.array([[7, 8, 9], [10, 11, 12]]))
    assert pairs[1].tolist() == [[10, 11], [10, 12], [11, 12]]


def test_power_is_high_for_strong_effects_and_the_level_where_nothing_is_found():
    assert estimate_power((200, 200), 300, 20, 19.5).all_differ > 0.95
    hopeless = estimate_power((30, 30), 300, 20, 20 * 20 / 300)
    assert max(hopeless) <= 0.12


def test_cohorts_of_one_population_are_noticed_at_the_level():
    same = _cohort_comparison._patterns(2, 300, 20, 20)
    noticed = _cohort_comparison._detection_share(np.array([60.0, 60.0]), 300, 20, 0.8 * same)
    assert noticed <= 0.1  # of 100 studies at a level of 5%


def test_dealt_cohorts_have_as_many_features_in_common_as_asked_for():
    n = np.array([50.0, 70.0])
    effect = _cohort_comparison._find_effect(n, 300, 20, 20, 9.0)
    generator, same = np.random.default_rng(5), _cohort_comparison._patterns(2, 300, 20, 20)
    common = [
        _cohort_comparison._simulate_common(n, 20, effect * same, 20, generator)[1:].mean()
        for _ in range(100)
    ]
    assert np.mean(common) == pytest.approx(9.0, abs=0.5)


def test_power_is_that_of_simulated_cohorts():
    """At the size of the docs: 60 and 60 samples, 20 of 300 features of 0.8; see the claim."""
    found = estimate_power((60, 60), 300, 20, 11.4)
    assert found.all_differ == pytest.approx(0.55, abs=0.15)
    assert found.half_differ == pytest.approx(0.24, abs=0.12)


def test_there_is_no_power_where_all_features_are_selected_or_none_are():
    assert np.isnan(estimate_power((60, 60), 20, 20, 20.0)).all()
    values = [[0.2], [0.5], [0.1], [0.4]]
    found = compare_cohorts(values, names=["a", "b"], sizes=[60, 40])
    assert np.isnan(found.power).all()
    assert "does not show that they agree" in found.sentences[0]


def test_a_p_value_that_is_not_small_comes_with_the_power():
    random = np.random.default_rng(4)
    X, y, site = together(*(drawn(random, 20, effects()) for _ in range(2)))
    found = cohorts("t_score", X, y, site, size=8, n_shuffles=19)
    assert 0 <= found.power.half_differ <= found.power.all_differ < 0.5
    assert "20 + 20 samples could hardly have shown a difference" in found.sentences[0]
