"""Probabilities of features to be selected."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.theory import (
    EffectMixture,
    TriangularEffects,
    _selection_threshold,
    selection_probability,
)
from holdfast.theory._t_score import TScoreDistribution
from tests.theory import exact

PAPER = {"n_informative": 100, "n_features": 1000, "n_selected": 100}


def sums(found):
    return found.counts @ found.probabilities


@pytest.mark.parametrize(
    ("n", "effect", "law", "wanted"),
    [
        (2000, 0.05, "f", 0.81),
        (2000, 0.01, "f", 0.16),
        (500, 0.15, "f", 0.97),
        (100, 0.15, "f", 0.56),
        (5, 1.0, "f", 0.71),
        (5, 1.0, "chi2", 0.81),
    ],
)
def test_the_figures_of_dernoncourt_et_al(n, effect, law, wanted):
    found = selection_probability(n_per_class=n, effect=effect, law=law, **PAPER)
    assert round(found.informative, 2) == wanted
    assert sums(found) == pytest.approx(100)


@pytest.mark.parametrize(
    ("n", "effect", "p", "informative", "d"),
    [(20, 0.4, 50, 10, 1), (20, 0.4, 50, 10, 10), (5, 0.9, 12, 3, 4), (100, 0.3, 300, 20, 40)],
)
def test_two_points_are_a_sum_of_binomials(n, effect, p, informative, d):
    found = selection_probability(
        n_per_class=n, effect=effect, n_informative=informative, n_features=p, n_selected=d
    )
    mean = exact.two_points(n, effect, p, informative, d) @ np.arange(d + 1)
    assert found.informative == pytest.approx(mean / informative, abs=1e-6)
    assert found.other == pytest.approx((d - mean) / (p - informative), abs=1e-6)


@pytest.mark.parametrize("law", ["f", "chi2"])
@pytest.mark.parametrize("n_per_class", [(2, 2), (4, 9), (60, 20)])
@pytest.mark.parametrize("d", [1, 5, 25])
def test_any_effects_agree_with_draws(n_per_class, law, d):
    rng = np.random.default_rng(d)
    effects, runs = np.repeat([0.0, 0.2, 0.5, 1.0], [12, 8, 6, 4]), 4000
    chosen = exact.draw_selections(rng, n_per_class, effects, d, runs, law)
    found = selection_probability(
        n_per_class=n_per_class, effect=effects, n_features=30, n_selected=d, law=law
    )
    shares = [chosen[:, effects == effect].mean() for effect in found.effects]
    error = np.sqrt(found.probabilities * (1 - found.probabilities) / (runs * found.counts))
    assert (np.abs(shares - found.probabilities) < 4 * error).all()  # selections repel: less


def test_one_of_two_features_is_the_larger_of_two_normals():
    found = selection_probability(
        n_per_class=8, effect=0.3, n_informative=1, n_features=2, n_selected=1, law="chi2"
    )
    shift = 0.3 * 4  # |Z + δ| > |Z'| where both Z + δ - Z' and Z + δ + Z' have one sign
    above = ndtr(shift / math.sqrt(2))
    assert found.informative == pytest.approx(above**2 + (1 - above) ** 2, abs=1e-9)


@given(
    n=st.integers(2, 10**6),
    effects=st.lists(st.floats(0, 3), min_size=1, max_size=12),
    law=st.sampled_from(["f", "chi2"]),
    data=st.data(),
)
def test_probabilities_add_up_and_grow_with_the_effect(n, effects, law, data):
    p = data.draw(st.integers(len(effects), 2000))
    d = data.draw(st.integers(1, p))
    found = selection_probability(
        n_per_class=n, effect=effects, n_features=p, n_selected=d, law=law
    )
    assert found.counts.sum() == p
    assert sums(found) == pytest.approx(d, rel=1e-6)
    assert (np.diff(found.probabilities) > -1e-7).all()
    assert found.probabilities.min() >= 0
    assert found.probabilities.max() <= 1


@pytest.mark.parametrize("d", [1, 1000, 10**5, 10**6 - 1])
@pytest.mark.parametrize("n", [3, 200, 10**9])
def test_a_million_features_add_up(n, d):
    found = selection_probability(
        n_per_class=n, effect=0.2, n_informative=10**4, n_features=10**6, n_selected=d
    )
    assert sums(found) == pytest.approx(d, rel=1e-6)


def test_equal_features_share_and_far_ones_are_sure():
    setting = {"n_features": 200, "n_selected": 30}
    none = selection_probability(n_per_class=50, effect=0.0, n_informative=20, **setting)
    assert none.other == pytest.approx(30 / 200)
    assert math.isnan(none.informative)
    sure = selection_probability(n_per_class=10**9, effect=1.0, n_informative=30, **setting)
    assert (sure.informative, sure.other) == pytest.approx((1.0, 0.0), abs=1e-9)
    few = selection_probability(n_per_class=10**9, effect=1.0, n_informative=60, **setting)
    assert (few.informative, few.other) == pytest.approx((0.5, 0.0), abs=1e-9)
    every = selection_probability(n_per_class=5, effect=1.0, n_informative=200, **setting)
    assert every.informative == pytest.approx(30 / 200)
    assert math.isnan(every.other)
    whole = selection_probability(
        n_per_class=5, effect=1.0, n_informative=2, n_features=9, n_selected=9
    )
    assert whole.probabilities.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("n", "d"), [(10, 30), (100, 1), (100, 200), (10_000, 30)])
def test_joining_many_effects_costs_little(n, d, monkeypatch):
    setting = {"n_features": 300, "n_selected": d, "n_per_class": n}
    effect = TriangularEffects(largest=0.5)
    joined = selection_probability(effect=effect, **setting).probabilities
    monkeypatch.setattr(_selection_threshold.merge_shifts, "__defaults__", (10**6,))
    each = selection_probability(effect=effect, **setting).probabilities
    assert joined == pytest.approx(each, abs=1e-4)
    assert np.square(joined).sum() == pytest.approx(np.square(each).sum(), rel=1e-4)


def clumps(*parts):
    """Effects about some values, each a little different from the next."""
    return np.concatenate([np.linspace(0.95 * at, 1.05 * at, many) for at, many in parts])


@pytest.mark.parametrize("n", [500, 5000, 50_000])
def test_features_far_above_the_threshold_are_sure(n):
    """Joined, their mean less their deviation may be on the threshold, but they are not."""
    effects = np.append(clumps((0.2, 170), (1.0, 30)), np.zeros(1800))
    found = selection_probability(n_per_class=n, effect=effects, n_features=2000, n_selected=200)
    each = np.append(found.probabilities[1:], np.full(1800, found.probabilities[0]))
    runs = 100
    shares = exact.draw_selections(np.random.default_rng(n), (n, n), effects, 200, runs).mean(0)
    assert (np.abs(shares - each) < 5 * np.sqrt(each * (1 - each) / runs) + 2 / runs).all()
    assert abs(shares.mean() - each.mean()) < 1e-7
    if n > 500:
        assert found.probabilities[1:] == pytest.approx(1.0, abs=1e-9)
        assert found.other == pytest.approx(0.0, abs=1e-9)


def test_joined_groups_stay_on_their_side_of_the_threshold():
    scores = TScoreDistribution.from_class_sizes((5000, 5000), "f")
    shifts = np.append(0.0, scores.shifts(clumps((0.2, 170), (1.0, 30))))
    counts = np.append(1800.0, np.ones(200))
    for few in (48, 128):
        groups = _selection_threshold.merge_shifts(scores, shifts, counts, 200, max_groups=few)
        informative = groups.places > 1
        assert groups.places[informative].min() >= scores.to_place(shifts)[1]
        assert groups.counts[informative].sum() == pytest.approx(200)


@pytest.mark.parametrize("width", [1e-12, 1e-6, 1e-5])
def test_effects_that_hardly_differ_are_equal(width):
    effects = np.linspace(0.2, 0.2 + width, 200)
    found = selection_probability(n_per_class=50, effect=effects, n_features=200, n_selected=20)
    assert found.probabilities == pytest.approx(0.1, abs=1e-4)


def test_a_million_different_effects_are_a_few():
    effects = np.random.default_rng(0).gamma(1.0, 0.05, size=10**6)
    found = selection_probability(
        n_per_class=100, effect=effects, n_features=10**6, n_selected=1000
    )
    assert len(found.effects) == 10**6
    assert sums(found) == pytest.approx(1000, rel=1e-3)


def test_signs_and_order_of_effects_do_not_matter():
    setting = {"n_per_class": 20, "n_features": 10, "n_selected": 3}
    one = selection_probability(effect=[0.5, -0.2, 0.5], **setting)
    other = selection_probability(effect=[0.2, -0.5, -0.5] + [0.0] * 7, **setting)
    assert one.to_frame().equals(other.to_frame())
    assert one.counts.tolist() == [7, 1, 2]
    turned = setting | {"n_per_class": (15, 40)}, setting | {"n_per_class": (40, 15)}
    first, second = (selection_probability(effect=[0.5], **how).informative for how in turned)
    assert first == pytest.approx(second)


def test_triangular_effects_have_the_wanted_scale():
    effects = TriangularEffects(gamma=2, largest=0.15).effects(1000)
    assert effects.max() == pytest.approx(0.15)
    assert (np.diff(effects) > 0).all()
    roots = np.sqrt(effects / 0.15)  # of density about 2 - 2x
    assert roots.mean() == pytest.approx(1 / 3, abs=0.02)
    scaled = TriangularEffects(gamma=3, bayes_error=0.1).effects(500)
    assert ndtr(-np.linalg.norm(scaled)) == pytest.approx(0.1)


def test_mixtures_give_each_effect_its_share():
    mixture = EffectMixture([0.4, 0.0, -0.2], [1, 6, 3])
    assert mixture.effects.tolist() == [0.0, 0.2, 0.4]
    assert mixture.counts(1000).tolist() == [600, 300, 100]
    assert mixture.effects_of(10).tolist() == [0.0] * 6 + [0.2] * 3 + [0.4]
    small = EffectMixture(np.arange(100) / 100, np.ones(100))
    assert small.counts(10).sum() == 10
    assert small.effects_of(10).mean() == pytest.approx(0.495, abs=0.01)
    found = selection_probability(n_per_class=9, effect=mixture, n_features=50, n_selected=9)
    assert found.counts.tolist() == [30, 15, 5]
    part = selection_probability(
        n_per_class=9, effect=mixture, n_informative=10, n_features=50, n_selected=9
    )
    assert part.counts.tolist() == [46, 3, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_per_class": 1}, "n_per_class must be a whole number of at least 2"),
        ({"n_per_class": (5, 5, 5)}, "a pair"),
        ({"n_selected": 0}, "n_selected"),
        ({"n_selected": 101}, r"at most n_features \(100\); got 101"),
        ({"n_informative": 101}, "n_informative must be at most"),
        ({"n_informative": None}, "n_informative="),
        ({"effect": [0.1] * 9}, "effect has 9 values"),
        ({"effect": [0.1] * 101, "n_informative": None}, "effect has 101 values"),
        ({"effect": math.nan}, "effect must be"),
        ({"effect": 1000.0}, "standard deviations"),
        ({"effect": "large"}, "effect must be"),
        ({"effect": True}, "effect must be"),
    ],
)
def test_what_cannot_be_used_is_refused(change, message):
    setting = {
        "n_per_class": 20, "effect": 0.2, "n_informative": 10, "n_features": 100, "n_selected": 5,
    }  # fmt: skip
    with pytest.raises(InvalidInputError, match=message):
        selection_probability(**setting | change)


def test_laws_that_cannot_be_used_are_refused():
    with pytest.raises(UnknownNameError, match="unknown law 'normal'"):
        selection_probability(n_per_class=9, effect=[1.0], n_features=5, n_selected=1, law="normal")
    with pytest.raises(InvalidInputError, match="either largest"):
        TriangularEffects()
    with pytest.raises(InvalidInputError, match="either largest"):
        TriangularEffects(largest=1.0, bayes_error=0.1)
    with pytest.raises(InvalidInputError, match=r"below 0\.5"):
        TriangularEffects(bayes_error=0.6)
    with pytest.raises(InvalidInputError, match="a weight for each effect"):
        EffectMixture([0.1, 0.2], [1.0])
    with pytest.raises(InvalidInputError, match="weights must be"):
        EffectMixture([0.1], [-1.0])
