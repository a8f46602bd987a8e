"""Expected stability, and the samples that a wanted one needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.theory import (
    EffectMixture,
    TriangularEffects,
    expected_stability,
    required_samples,
    selection_probability,
    stability_surface,
)
from holdfast.theory._expected_stability import FORMULAS
from holdfast.theory._overlap import expectation_over_overlap
from tests.theory import exact

NAMES = list(FORMULAS)
EFFECTS = np.repeat([0.0, 0.3, 0.6], [25, 9, 6])


def measured(rng, n_per_class, d, runs, repeats):
    """Measure systems of so many runs; return means and their standard errors."""
    values = []
    for _ in range(repeats):
        chosen = exact.draw_selections(rng, n_per_class, EFFECTS, d, runs)
        subsets = hf.Subsets(chosen.astype(bool))
        values.append(hf.measure(NAMES, subsets, undefined=0.0)["value"].to_numpy())
    return np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(repeats)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_per_class", "d", "runs"), [((30, 30), 5, 2), ((12, 40), 12, 5), ((60, 60), 22, 3)]
)
def test_measures_of_draws_have_the_expected_means(n_per_class, d, runs):
    mean, error = measured(np.random.default_rng(d), n_per_class, d, runs, 50)
    expected = expected_stability(
        NAMES, n_per_class=n_per_class, effect=EFFECTS, n_features=40, n_selected=d, n_runs=runs
    )
    assert list(expected.index) == NAMES
    assert (np.abs(mean - expected["value"]) < 4 * error + 1e-3).all()


@pytest.mark.parametrize(
    ("n", "effect", "p", "informative", "d"),
    [
        (20, 0.4, 50, 10, 1), (20, 0.4, 50, 10, 2), (20, 0.4, 50, 10, 5), (50, 0.6, 50, 10, 10),
        (20, 0.4, 50, 10, 30), (5, 0.9, 12, 3, 4), (100, 0.4, 200, 20, 20), (9, 0.0, 20, 10, 10),
    ],
)  # fmt: skip
def test_the_jaccard_index_of_two_points_is_nearly_exact(n, effect, p, informative, d):
    pmf = exact.overlap(exact.two_points(n, effect, p, informative, d), p, informative, d)
    r = np.arange(d + 1)
    found = expected_stability(
        ["jaccard", "dice"], n_per_class=n, effect=effect, n_informative=informative,
        n_features=p, n_selected=d,
    )["value"]  # fmt: skip
    assert found["dice"] == pytest.approx(pmf @ r / d, abs=1e-6)
    assert found["jaccard"] == pytest.approx(pmf @ (r / (2 * d - r)), abs=1e-5 if d < 3 else 5e-4)


@pytest.mark.parametrize("d", [399, 403])
def test_many_selected_features_have_a_normal_overlap(d):
    rng, effects = np.random.default_rng(1), np.repeat([0.0, 0.3], [1800, 200])
    one, other = (exact.draw_selections(rng, (40, 40), effects, d, 300) for _ in range(2))
    shared = (one * other).sum(axis=1)
    values = shared / (2 * d - shared)
    found = expected_stability(
        "jaccard", n_per_class=40, effect=0.3, n_informative=200, n_features=2000, n_selected=d
    )
    assert abs(values.mean() - found) < 4 * values.std() / np.sqrt(300)


def test_weighted_consistency_is_the_sum_of_squared_probabilities():
    setting = {"n_per_class": 30, "effect": EFFECTS, "n_features": 40, "n_selected": 8}
    found = selection_probability(**setting)
    wanted = found.counts @ found.probabilities**2 / 8
    for runs in (None, 2, 7):
        value = expected_stability("weighted_consistency", n_runs=runs, **setting)
        assert value == pytest.approx(wanted)
    assert expected_stability("cw", **setting) == pytest.approx(wanted)
    plugged = expected_stability("weighted_consistency", n_runs=5, plug_in=True, **setting)
    counts = 5 * found.probabilities
    assert plugged == pytest.approx(found.counts @ (counts * (counts - 1)) / (5 * 8 * 4))


def test_many_runs_reach_the_limit():
    setting = {"n_per_class": 30, "effect": EFFECTS, "n_features": 40, "n_selected": 8}
    name = "relative_weighted_consistency"
    limit = expected_stability(name, **setting)
    assert limit == pytest.approx(expected_stability("kuncheva", **setting))
    for plug_in in (False, True):
        many = expected_stability(name, n_runs=10**7, plug_in=plug_in, **setting)
        assert many == pytest.approx(limit, abs=1e-6)


def test_stability_lies_between_chance_and_1():
    setting = {"n_informative": 10, "n_features": 100, "n_selected": 10}
    chance = expected_stability(NAMES, n_per_class=20, effect=0.0, **setting)["value"]
    perfect = expected_stability(NAMES, n_per_class=10**6, effect=1.0, **setting)["value"]
    for name in NAMES:
        record = hf.measures.get_measure(name)
        if record.corrected:
            assert chance[name] == pytest.approx(0.0, abs=1e-4)
        if not record.identical:
            assert perfect[name] == pytest.approx(record.best, abs=1e-6)
    everything = expected_stability(
        ["jaccard", "relative_weighted_consistency"], n_per_class=9, effect=[1.0], n_features=4,
        n_selected=4,
    )  # fmt: skip
    assert everything["value"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("d", [10, 500])
def test_a_mixture_of_many_effects_is_as_stable_as_its_features(d):
    mixture = EffectMixture(np.linspace(0, 0.6, 60), np.exp(-np.arange(60) / 8))
    setting = {"n_per_class": 40, "n_features": 3000, "n_selected": d}
    names = ["nogueira", "jaccard"]
    one = expected_stability(names, effect=mixture, **setting)
    other = expected_stability(names, effect=mixture.effects_of(3000), **setting)
    assert one.equals(other)


@given(n=st.integers(3, 5000), factor=st.integers(2, 10), d=st.integers(1, 150))
def test_more_samples_are_more_stable(n, factor, d):
    effect = TriangularEffects(largest=0.4)
    few, many = (
        expected_stability(
            "nogueira", n_per_class=size, effect=effect, n_features=200, n_selected=d
        )
        for size in (n, factor * n)
    )
    assert few < many + 1e-5


CLUMPS = np.concatenate([np.linspace(0.19, 0.21, 50), np.linspace(0.95, 1.05, 10)])
LAWS = [
    ([0.2] * 20, 300, 20),
    ([0.2] * 20, 300, 35),
    (TriangularEffects(gamma=2, largest=0.5), 300, 30),
    (TriangularEffects(gamma=2, largest=0.5), 3000, 450),
    (np.linspace(0.05, 1, 200), 1000, 60),
    (CLUMPS, 500, 60),
    (np.linspace(0.1, 0.9, 150), 160, 120),
]


@pytest.mark.slow
@pytest.mark.parametrize(("effect", "p", "d"), LAWS)
def test_stability_never_falls_with_samples_and_jaccard_goes_with_dice(effect, p, d):
    values = np.array([
        expected_stability(
            ["dice", "jaccard", "ati_pa"], n_per_class=n, effect=effect, n_features=p, n_selected=d
        )["value"]
        for n in (10, 300, 5000, 10**5, 10**7, 10**8, 10**9)
    ])  # fmt: skip
    dice, jaccard = values[:, 0], values[:, 1]
    assert np.diff(values, axis=0).min() > -1e-7
    assert (jaccard >= dice / (2 - dice) - 1e-12).all()  # a convex function of the overlap
    assert (jaccard <= dice + 1e-12).all()
    if d != 35:  # all that are selected differ from the others
        assert values[-1] == pytest.approx(1.0, abs=1e-6)


def test_clumps_that_are_far_apart_are_selected_for_sure():
    for n in (5000, 20_000):
        found = expected_stability(
            ["dice", "jaccard", "ati_pa"], n_per_class=n, effect=CLUMPS, n_features=500,
            n_selected=60,
        )  # fmt: skip
        assert found["value"].to_numpy() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("variance", [0.0, 1e-12, 0.01, 0.6, 30.0, 1e9])
@pytest.mark.parametrize(("p", "d"), [(60, 30), (40, 30), (1000, 500), (3, 1)])
@pytest.mark.parametrize("sure", [1.0, 1 - 1e-9, 0.999, 0.7])
def test_any_mean_and_variance_give_a_possible_index(variance, p, d, sure):
    """Also those that no overlap has."""
    counts = np.array([d, p - d], dtype=float)
    probabilities = np.array([sure, (1 - sure) * d / (p - d)])
    found = expectation_over_overlap(lambda r: r / (2 * d - r), probabilities, counts, variance, d)
    dice = counts @ probabilities**2 / d
    assert dice / (2 - dice) - 1e-12 <= found <= dice + 1e-12


def test_a_jaccard_index_that_is_reachable_is_reached():
    setting = {"effect": TriangularEffects(gamma=2, largest=0.5), "n_features": 300}
    found = required_samples(0.3, "jaccard", n_selected=30, **setting)
    n = found.n_per_class[0]
    assert n < 200
    less = expected_stability("jaccard", n_per_class=n - 1, n_selected=30, **setting)
    assert less < 0.3 <= found.expected


@pytest.mark.parametrize("measure", ["nogueira", "jaccard", "ati_pa"])
def test_required_samples_are_the_fewest(measure):
    setting = {"effect": 0.35, "n_informative": 20, "n_features": 500, "n_selected": 20}
    found = required_samples(0.6, measure, **setting)
    n = found.n_per_class[0]
    assert found.n_per_class == (n, n)
    assert found.n_samples == 2 * n
    less = expected_stability(measure, n_per_class=n - 1, **setting)
    assert less < 0.6 <= found.expected
    assert found.expected == expected_stability(measure, n_per_class=n, **setting)


def test_unequal_classes_need_more_samples():
    setting = {"effect": 0.35, "n_informative": 20, "n_features": 500, "n_selected": 20}
    equal, unequal = (required_samples(0.6, ratio=ratio, **setting) for ratio in (1.0, 3.0))
    first, second = unequal.n_per_class
    assert second == 3 * first
    assert unequal.n_samples > equal.n_samples
    # the harmonic mean of the sizes is what counts
    assert first * second / (first + second) == pytest.approx(equal.n_per_class[0] / 2, rel=0.1)


def test_a_stability_that_is_out_of_reach_is_named():
    setting = {"effect": 0.5, "n_informative": 10, "n_features": 100}
    # 10 of 20 are sure, 10 are chosen at random among 90: an overlap of 10 + 10 / 9
    with pytest.raises(InvalidInputError, match=r"cannot reach 0.9 .* give 0.444") as caught:
        required_samples(0.9, n_selected=20, **setting)
    assert "20 features are selected and 10 have an effect" in str(caught.value)
    assert required_samples(0.4, n_selected=20, **setting).n_samples < 1000
    assert required_samples(0.01, "dice", n_selected=50, **setting).n_per_class == (2, 2)
    with pytest.raises(InvalidInputError, match="a distance"):
        required_samples(0.9, "anhd", n_selected=20, **setting)
    with pytest.raises(InvalidInputError, match="target must be"):
        required_samples(1.0, n_selected=20, **setting)


def test_the_surface_is_figure_1_of_dernoncourt_et_al():
    table = stability_surface(n_per_class=[100, 2000], effects=[0.05, 0.15], n_runs=1000)
    assert table["n_per_class"].tolist() == [100, 2000, 100, 2000]
    row = table[(table["n_per_class"] == 2000) & (table["effect"] == 0.05)].iloc[0]
    found = selection_probability(
        n_per_class=2000, effect=0.05, n_informative=100, n_features=1000, n_selected=100
    )
    assert (row["informative"], row["other"]) == (found.informative, found.other)
    assert row["stability"] == expected_stability(
        "relative_weighted_consistency", n_per_class=2000, effect=0.05, n_informative=100,
        n_features=1000, n_selected=100, n_runs=1000,
    )  # fmt: skip


def test_what_has_no_expectation_is_refused():
    setting = {"n_per_class": 9, "effect": [1.0], "n_features": 5, "n_selected": 2}
    with pytest.raises(InvalidInputError, match=r"no expectation of krizek; it is known for .*ard"):
        expected_stability("krizek", **setting)
    with pytest.raises(UnknownNameError, match="jaccard"):
        expected_stability("jacard", **setting)
    with pytest.raises(InvalidInputError, match="n_runs"):
        expected_stability("jaccard", n_runs=1, **setting)
    for how in ({"plug_in": True}, {"plug_in": True, "n_runs": 5}):
        name = "jaccard" if "n_runs" in how else "weighted_consistency"
        with pytest.raises(InvalidInputError, match="plug_in=True is for"):
            expected_stability(name, **how, **setting)
    with pytest.raises(InvalidInputError, match="undefined where all features are selected"):
        expected_stability("nogueira", **setting | {"n_selected": 5})
