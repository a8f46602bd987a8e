"""Extrapolation: against theory, against closed forms, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge import extrapolate
from holdfast.judge._replication._extrapolation import LOG_N_GRID, growth_family, overlap_family
from holdfast.theory import TriangularEffects, expected_stability


def points_of(values, *, n_samples=(20, 30, 40), error=0.01):
    return pd.DataFrame({"n_samples": n_samples, "value": values, "standard_error": error})


def theory(n_samples, measure="nogueira", **setting):
    return [expected_stability(measure, n_per_class=n // 2, **setting) for n in n_samples]


def test_curves_of_equal_effects_agree_with_theory():
    setting = {"n_informative": 20, "n_features": 500, "n_selected": 20}
    shifts = np.array([0.5, 1.0, 2.0, 3.0, 5.0])
    effects = shifts / (2 * np.sqrt(50 / 2))
    expected = [
        expected_stability("nogueira", n_per_class=50, effect=one, law="chi2", **setting)
        for one in effects
    ]
    alike = overlap_family(500, 20).values[7]  # as many informative as selected, all alike
    found = np.interp(2 * np.log(shifts), LOG_N_GRID, alike)
    np.testing.assert_allclose(found, expected, atol=0.01)


@pytest.mark.parametrize(
    "family", [overlap_family(500, 20), overlap_family(30, 20), growth_family()]
)
def test_curves_start_at_chance_rise_and_stay_below_1(family):
    assert np.diff(family.values, axis=1).min() > -1e-6
    assert family.values.min() >= 0
    assert family.values.max() <= 1
    assert family.values[:, 0].min() < 0.05


@pytest.mark.parametrize(
    ("setting", "numbers"),
    [
        ({"effect": 0.35, "n_informative": 20, "n_features": 500, "n_selected": 20}, (40, 60, 80)),
        ({"effect": 0.5, "n_informative": 10, "n_features": 500, "n_selected": 20}, (40, 60, 80)),
        (
            {"effect": TriangularEffects(largest=0.5), "n_features": 300, "n_selected": 20},
            (100, 150, 200),
        ),
    ],
)
def test_what_theory_gives_for_larger_samples_is_predicted(setting, numbers):
    points = points_of(theory(numbers, **setting), n_samples=numbers)
    at = [2 * numbers[-1], 4 * numbers[-1]]
    found = extrapolate(points, at=at, n_features=setting["n_features"], size=20)
    truth = np.array(theory(at, **setting))
    assert np.abs(found["value"] - truth).iloc[0] < 0.2  # the rest of a curve is a guess
    # as many equal effects as are selected are the steepest curve: the very end of the interval
    assert ((found["low"] <= truth) & (truth <= found["high"] + 0.02)).all()


def test_half_as_many_informative_features_as_selected_are_a_ceiling():
    setting = {"effect": 0.8, "n_informative": 10, "n_features": 500, "n_selected": 20}
    points = points_of(theory((40, 60, 80), **setting), n_samples=(40, 60, 80))
    found = extrapolate(points, at=[320], n_features=500, size=20).iloc[0]
    assert found["value"] == pytest.approx(0.5, abs=0.06)


def test_scores_follow_spearman_and_brown():
    def grown(n):
        return n / (n + 40)

    points = points_of([grown(20), grown(30), grown(40)], error=0.005)
    found = extrapolate(points, at=[80, 160], n_features=99, size=None, measure="spearman")
    np.testing.assert_allclose(found["value"], [grown(80), grown(160)], atol=0.12)
    assert (found["low"] < [grown(80), grown(160)]).all()
    assert (found["high"] > [grown(80), grown(160)]).all()


def test_a_distance_is_the_mirror_image_of_its_similarity():
    values = np.array([0.1, 0.2, 0.3])
    near = extrapolate(points_of(values), at=[80, 160], n_features=100, size=10)
    least = 2 * 0.1 * 0.9  # two random subsets of 10 of 100 differ in 18 places
    far = extrapolate(
        points_of(least * (1 - values), error=least * 0.01),
        at=[80, 160], n_features=100, size=10, measure="anhd",
    )  # fmt: skip
    np.testing.assert_allclose(far["value"], least * (1 - near["value"]), atol=1e-9)
    np.testing.assert_allclose(far["low"], least * (1 - near["high"]), atol=1e-9)
    np.testing.assert_allclose(far["high"], least * (1 - near["low"]), atol=1e-9)


def test_jaccard_goes_with_the_overlap():
    setting = {"effect": 0.35, "n_informative": 20, "n_features": 500, "n_selected": 20}
    numbers = (40, 60, 80)
    points = points_of(theory(numbers, "jaccard", **setting), n_samples=numbers)
    found = extrapolate(points, at=[160], n_features=500, size=20, measure="jaccard").iloc[0]
    assert found["low"] < theory([160], "jaccard", **setting)[0] < found["high"] + 0.02
    same = extrapolate(
        points_of(theory(numbers, **setting), n_samples=numbers), at=[160], n_features=500, size=20
    ).iloc[0]
    overlap = same["value"] * 0.96 + 0.04
    assert found["value"] == pytest.approx(overlap / (2 - overlap), abs=0.08)


@given(
    values=st.lists(st.floats(-0.2, 1), min_size=1, max_size=3),
    error=st.floats(0, 0.3),
    size=st.sampled_from([1, 10, 30]),
)
def test_predictions_grow_with_samples_and_lie_within_their_interval(values, error, size):
    points = points_of(values, n_samples=(20, 30, 40)[: len(values)], error=error)
    found = extrapolate(points, at=[40, 80, 160, 1e6], n_features=31, size=size)
    rows = found[["low", "value", "high"]].to_numpy()
    assert (np.diff(rows, axis=0) >= 0).all()
    assert (np.diff(rows, axis=1) >= 0).all()
    assert rows.min() >= 0
    assert rows.max() <= 1


def test_no_agreement_at_all_is_not_certainty():
    points = points_of([0.0, 0.0, 0.0], error=0.0)
    found = extrapolate(points, at=[80], n_features=500, size=1).iloc[0]
    assert found["high"] - found["low"] > 0.1


def test_more_confidence_is_a_wider_interval():
    points = points_of([0.1, 0.2, 0.3], error=0.05)
    width = [
        (found := extrapolate(points, at=[80], n_features=99, size=9, confidence=level))["high"][0]
        - found["low"][0]
        for level in (0.5, 0.9, 0.99)
    ]
    assert width == sorted(width)
    assert width[0] < width[-1]


def test_all_features_always_agree():
    points = points_of([1.0, 1.0, 1.0], error=0.0)
    found = extrapolate(points, at=[80], n_features=10, size=10, measure="jaccard").iloc[0]
    assert found["value"] > 0.95


@pytest.mark.slow
def test_intervals_hold_the_truth_of_the_next_data_set():
    """The setting of S2's kind: 20 of 500 features, where two samples of 80 agree at 0.48."""
    model = hf.simulate.GaussianModel(np.append(np.full(20, 0.35), np.zeros(480)))
    rng, held = np.random.default_rng(1), 0
    for seed in range(20):
        X, y = model.draw(40, rng)
        curve = hf.judge.replication("t_score", X, y, size=20, n_pairs=40, random_state=seed).curve
        row = curve[curve["n_samples"] == 80].iloc[0]
        held += row["low"] <= 0.48 <= row["high"]
    assert held >= 14  # equal effects are the steepest curve of all, at the edge of the interval


@pytest.mark.parametrize(
    ("points", "options", "said"),
    [
        (pd.DataFrame({"n_samples": [9], "value": [0.1]}), {}, "standard_error is missing"),
        (points_of([np.nan] * 3), {}, "a value at some number of samples"),
        (points_of([0.1, 0.2, 0.3], error=np.nan), {}, "standard error"),
        (points_of([0.1, 0.2, 0.3], error=-1.0), {}, "standard error"),
        (points_of([0.1], n_samples=(0,)), {}, "above 0"),
        (points_of([0.1] * 3), {"at": [0]}, "at must hold"),
        (points_of([0.1] * 3), {"at": [np.nan]}, "at must hold"),
        (points_of([0.1] * 3), {"size": 51}, "at most n_features"),
        (points_of([0.1] * 3), {"size": 0}, "size must be"),
        (points_of([0.1] * 3), {"confidence": 1}, "confidence"),
    ],
)
def test_what_cannot_be_used_is_refused(points, options, said):
    with pytest.raises(InvalidInputError, match=said):
        extrapolate(points, **{"at": [80], "n_features": 50, "size": 10, **options})


def test_unknown_measures_are_refused():
    with pytest.raises(UnknownNameError, match="nogueira"):
        extrapolate(points_of([0.1] * 3), at=[9], n_features=9, size=3, measure="noguera")
