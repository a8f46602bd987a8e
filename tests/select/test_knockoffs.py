"""Knockoffs agree with knockpy, with their definitions, and with what they are drawn for."""

import json
from pathlib import Path

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._false_discoveries._knockoff_model import (
    KnockoffModel,
    equicorrelated_distances,
    least_variance_distances,
)
from holdfast.select._false_discoveries._knockoffs import (
    knockoff_e_values,
    knockoff_threshold,
    select_by_e_values,
)

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "knockpy.json").read_text(encoding="utf-8")
)


def two_classes(seed, n=200, p=60, informative=25, shift=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :informative] += shift * y[:, None]
    return X, y


@pytest.mark.parametrize("row", GOLDEN["distances"], ids=lambda row: row["name"])
def test_distances_equal_those_of_knockpy(row):
    correlation = np.array(row["correlation"])
    np.testing.assert_allclose(
        equicorrelated_distances(correlation), row["equicorrelated"], rtol=1e-6
    )
    np.testing.assert_allclose(least_variance_distances(correlation), row["mvr"], rtol=1e-5)


@pytest.mark.parametrize("row", GOLDEN["distances"], ids=lambda row: row["name"])
def test_no_other_distances_have_a_smaller_loss(row):
    correlation = np.array(row["correlation"])

    def loss(distances):
        both = np.block(
            [
                [correlation, correlation - np.diag(distances)],
                [correlation - np.diag(distances), correlation],
            ]
        )
        values = np.linalg.eigvalsh(both)
        return (1 / values).sum() if values[0] > 0 else np.inf

    found = least_variance_distances(correlation)
    rng = np.random.default_rng(1)
    for _ in range(50):
        assert loss(found * rng.uniform(0.9, 1.1, len(found))) > loss(found)


@pytest.mark.parametrize("number", range(len(GOLDEN["thresholds"])))
def test_thresholds_equal_those_of_knockpy(number):
    row = GOLDEN["thresholds"][number]
    expected = np.inf if row["threshold"] is None else row["threshold"]
    assert knockoff_threshold(np.array(row["W"]), row["fdr"], row["offset"]) == expected


def test_thresholds_with_ties_equal_the_definition():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        W = (rng.normal(size=50) + 1.5 * (np.arange(50) < 20)).round(1)
        for fdr in (0.1, 0.3):
            expected = next(
                (
                    t
                    for t in sorted({abs(w) for w in W.tolist() if w})
                    if 1 + sum(-t >= W) <= fdr * max(1, sum(t <= W)) + 1e-12
                ),
                np.inf,
            )
            assert knockoff_threshold(W, fdr) == expected


def test_e_values_of_a_small_example():
    W = np.array([5.0, 4.0, 3.0, 2.0, -1.0, 0.5, 0.0, 0.0])
    # at 2.0: 4 above, none below, (1 + 0) / 4; at 0.5: (1 + 1) / 5
    assert knockoff_threshold(W, 0.25) == 2.0
    assert knockoff_e_values(W, 0.25).tolist() == [8, 8, 8, 8, 0, 0, 0, 0]
    assert knockoff_threshold(W, 0.5) == 0.5
    assert knockoff_e_values(W, 0.5).tolist() == [4, 4, 4, 4, 0, 4, 0, 0]
    assert not knockoff_e_values(W, 0.2).any()


def test_e_values_select_by_the_definition():
    for seed in range(20):
        values = np.random.default_rng(seed).exponential(size=30) ** 4
        ordered = sorted(values, reverse=True)
        sizes = [k for k in range(1, 31) if ordered[k - 1] >= 30 / (0.3 * k)]
        expected = values >= ordered[max(sizes) - 1] if sizes else np.zeros(30, dtype=bool)
        np.testing.assert_array_equal(select_by_e_values(values, 0.3), expected)


@pytest.mark.parametrize("method", ["mvr", "equicorrelated"])
def test_features_and_knockoffs_can_be_swapped(method):
    row = GOLDEN["distances"][0]
    correlation = np.array(row["correlation"])
    p, n = len(correlation), 40_000
    rng = np.random.default_rng(2)
    Z = rng.multivariate_normal(np.zeros(p), correlation, size=n)
    model = KnockoffModel.from_correlation(Z, correlation, method)
    both = np.cov(np.hstack([Z, model.draw(rng)]).T)
    expected = np.block(
        [
            [correlation, correlation - np.diag(model.distances)],
            [correlation - np.diag(model.distances), correlation],
        ]
    )
    # standard error of a covariance of unit variables: at most sqrt(2 / n)
    np.testing.assert_allclose(both, expected, atol=6 * np.sqrt(2 / n))


def test_one_draw_is_the_knockoff_filter():
    X, y = two_classes(3)
    fitted = hf.Knockoffs(0.2, n_draws=1).fit(X, y)
    (W,) = fitted.statistics_
    threshold = knockoff_threshold(W, 0.2)
    assert np.isfinite(threshold)
    np.testing.assert_array_equal(fitted.support_, threshold <= W)


def test_e_values_are_means_over_draws():
    X, y = two_classes(4)
    fitted = hf.Knockoffs(0.3, n_draws=4).fit(X, y)
    expected = np.mean([knockoff_e_values(W, 0.15) for W in fitted.statistics_], axis=0)
    np.testing.assert_allclose(fitted.e_values_, expected)
    np.testing.assert_array_equal(fitted.scores_, fitted.e_values_)
    np.testing.assert_array_equal(fitted.support_, select_by_e_values(expected, 0.3))
    levels = hf.Knockoffs(0.3, n_draws=4, draw_fdr=0.2).fit(X, y)
    expected = np.mean([knockoff_e_values(W, 0.2) for W in fitted.statistics_], axis=0)
    np.testing.assert_allclose(levels.e_values_, expected)


@pytest.mark.parametrize("statistic", ["l1_path", "t_score"])
def test_effects_are_found_and_noise_is_not(statistic):
    options = {"statistic": statistic, "n_draws": 5}
    support = hf.Knockoffs(0.2, **options).fit(*two_classes(5)).support_
    assert support[:25].sum() >= 20
    assert support[25:].sum() <= 8
    noise = [
        hf.Knockoffs(0.2, **options).fit(*two_classes(seed, n=60, informative=0)).support_.any()
        for seed in range(5)
    ]
    assert sum(noise) <= 1


def test_statistics_of_noise_are_symmetric():
    W = np.concatenate(
        [
            hf.Knockoffs(statistic="t_score", method="equicorrelated", n_draws=1, random_state=seed)
            .fit(*two_classes(seed, n=80, p=40, informative=0))
            .statistics_.ravel()
            for seed in range(30)
        ]
    )
    # 1,200 signs: the standard error of their share is 0.5 / sqrt(1,200)
    assert abs((W > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(1200)


def test_equal_features_and_constant_ones_are_possible():
    X, y = two_classes(6)
    X[:, 40], X[:, 41] = X[:, 42], 7.0
    fitted = hf.Knockoffs(0.2, n_draws=5).fit(X, y)
    assert fitted.support_[:25].sum() >= 15
    assert not fitted.statistics_[:, 41].any()
    assert fitted.e_values_[41] == 0


def test_scale_and_sign_of_features_do_not_matter():
    X, y = two_classes(7)
    scale = np.random.default_rng(0).uniform(0.1, 10, 60)
    options = {"n_draws": 3, "statistic": "t_score"}
    first = hf.Knockoffs(**options).fit(X, y).statistics_.copy()
    second = hf.Knockoffs(**options).fit(3.0 + X * scale, y).statistics_
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_a_size_can_be_requested():
    fitted = hf.Knockoffs(n_draws=3, n_features_to_select=7).fit(*two_classes(8))
    assert fitted.support_.sum() == 7
    assert not fitted.selects_own_size


def test_too_many_features_are_refused():
    X, y = two_classes(9, n=20, p=2001)
    with pytest.raises(InvalidInputError, match=r"at most 2,000 features.*got 2,001"):
        hf.Knockoffs().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"fdr": 1.5}, InvalidInputError, "fdr must be"),
        ({"draw_fdr": 0.0}, InvalidInputError, "draw_fdr must be"),
        ({"n_draws": 0}, InvalidInputError, "n_draws must be"),
        ({"max_features": 199}, InvalidInputError, "max_features must leave samples"),
        ({"method": "sdp"}, UnknownNameError, "unknown method 'sdp'"),
        ({"statistic": "f"}, UnknownNameError, "unknown statistic 'f'"),
    ],
)
def test_unusable_parameters_are_refused(parameters, kind, message):
    with pytest.raises(kind, match=message):
        hf.Knockoffs(**parameters).fit(*two_classes(10))
