"""Integrated path stability selection: integrals, q-values, and false positives under control."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, spearmanr
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression

import holdfast as hf
from holdfast._random import generators
from holdfast.errors import HoldfastError, InvalidInputError
from holdfast.select._ensemble._stability_parameters import SubsampleDesign
from holdfast.select._ensemble._stability_path import LabelledSamples, draw_halves
from holdfast.select._false_discoveries._integrated_paths import (
    compute_q_values,
    expected_null_value,
    integrate_stability_paths,
)
from holdfast.select._false_discoveries._selection_paths import count_scores_above
from tests.select.early_scikit_learn import L1_PENALTY

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "ipss.json").read_text(encoding="utf-8")
)
CASES = GOLDEN["random"] + GOLDEN["real"]


def integrate(case, scaling="ipss"):
    return integrate_stability_paths(
        np.array(case["paths"]),
        np.array(case["alphas"]),
        case["n_pairs"],
        function=case["function"],
        delta=case["delta"],
        cutoff=case["cutoff"],
        scaling=scaling,
    )


def example(n=120, p=60, informative=6, effect=1.2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :informative] += effect * y[:, None]
    return X, y


@pytest.mark.parametrize("case", CASES)
def test_integrals_and_q_values_are_those_of_ipss(case):
    outcome = integrate(case)
    assert outcome.n_steps == case["stop"] - 1
    assert outcome.scores == pytest.approx(case["scores"], rel=1e-10, abs=1e-15)
    assert outcome.bound == pytest.approx(case["bound"], rel=1e-10)
    # ipss rounds efp to 8 decimals
    assert outcome.efp_scores == pytest.approx(case["efp"], abs=1e-8)
    assert outcome.q_values == pytest.approx(case["q_values"], abs=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_one_measure_for_all_integrals_is_the_theorem(case):
    """Naive means over the steps before the mean bound exceeds the cutoff."""
    outcome = integrate(case, "theorem")
    paths, alphas = np.array(case["paths"]), np.array(case["alphas"])
    power, pairs, p = int(case["function"][1]), case["n_pairs"], paths.shape[1]
    mass, above, below, used = 0.0, [0.0] * p, 0.0, 0
    for step in range(len(alphas) - 1):
        weight = alphas[step + 1] ** (1 - case["delta"])
        r = paths[step].sum() / p
        # moments of a mean of independent pairs, as sums over the number of pairs
        chances = binom.pmf(np.arange(pairs + 1), pairs, r**2)
        bound = p * sum(chances * (np.arange(pairs + 1) / pairs) ** power)
        if below + weight * bound > case["cutoff"] * (mass + weight):
            break
        mass, below, used = mass + weight, below + weight * bound, used + 1
        for j, share in enumerate(paths[step]):
            above[j] += weight * (2 * share - 1) ** power if share > 0.5 else 0.0
    assert outcome.n_steps == used
    assert outcome.bound == pytest.approx(below / mass, abs=1e-15)
    assert outcome.scores == pytest.approx(np.array(above) / mass)
    expected = [min(below / one, p) if one else p for one in above]
    assert outcome.efp_scores == pytest.approx(expected)


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("pairs", [1, 2, 7, 50])
def test_the_bound_is_a_moment_of_independent_pairs(power, pairs):
    """Each pair selects a feature in both halves with probability (q/p)^2."""
    p, q = 40, np.array([0.0, 1.5, 8.0, 40.0])
    shares = np.arange(pairs + 1) / pairs
    moments = [
        (binom.pmf(np.arange(pairs + 1), pairs, (one / p) ** 2) @ shares**power) for one in q
    ]
    assert expected_null_value(q, p, pairs, power) == pytest.approx(p * np.array(moments))


def test_q_values_are_the_best_ratio_of_all_cuts():
    efp = np.array([0.5, 3.0, 0.5, 1.2, 10.0, 1.3, 10.0])
    ratios = {cut: cut / (efp <= cut).sum() for cut in efp}
    expected = [min(ratios[cut] for cut in efp if cut >= own) for own in efp]
    assert compute_q_values(efp).tolist() == expected
    assert compute_q_values(np.full(5, 5.0)).tolist() == [1.0] * 5


def test_a_path_that_starts_above_the_cutoff_supports_nothing():
    paths = np.full((5, 4), 0.9)
    outcome = integrate_stability_paths(paths, np.geomspace(1, 0.1, 5), 10, cutoff=1e-6)
    assert outcome.n_steps == 0
    assert outcome.efp_scores.tolist() == [4.0] * 4
    assert outcome.q_values.tolist() == [1.0] * 4


def test_scores_above_thresholds_are_counted():
    scores = np.array([[0.0, 0.5, -1.0, 1.0], [0.2, 0.1, -2.0, 0.6]])
    counts = count_scores_above(scores, np.array([1.0, 0.5, 0.15, 1e-8]))
    assert counts.tolist() == [[0, 0, 0, 0], [0, 0, 0, 2], [1, 1, 0, 2], [1, 2, 0, 2]]
    assert count_scores_above(-scores[:, 2:3] * 0 - 1, np.array([1.0, 0.1])).sum() == 0


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_the_default_path_holds_the_features_of_scikit_learns_models(target):
    X, y = example(n=80, p=12, informative=3, effect=0.8)
    y = (
        y
        if target == "classes"
        else X[:, :3].sum(axis=1) + np.random.default_rng(1).normal(size=80)
    )
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    path = hf.L1Path(n_penalties=12, tolerance=1e-7)
    (active,) = path.active_features(X, y, [np.arange(80)])
    scaled = y if target == "classes" else y / np.abs(y - y.mean()).max()
    largest = np.abs(Z.T @ (scaled - scaled.mean())).max() / 80
    for share, found in zip(path.shares(), active, strict=True):
        if target == "classes":
            model = LogisticRegression(
                C=1 / (80 * share * largest), solver="saga", tol=1e-8, max_iter=20_000, **L1_PENALTY
            )
        else:
            model = Lasso(share * largest, tol=1e-10)
        assert found.tolist() == (np.abs(model.fit(Z, scaled).coef_.ravel()) > 1e-7).tolist()
    assert active[-1].sum() > active[0].sum()


def test_paths_are_shares_of_the_halves():
    X, y = example(n=60, p=20)
    base = hf.ForestImportance(n_estimators=5, importance="impurity")
    fitted = hf.IntegratedPathSelection(base, n_pairs=6, random_state=3).fit(X, y)
    seed, base_seed = next(generators(3, 1)).integers(2**31, size=2).tolist()
    data = LabelledSamples(X, y, np.array([0, 1]), None)
    halves = draw_halves(
        data, np.arange(60), SubsampleDesign("complementary pairs", "none", 6), seed
    )
    scores = base.set_params(random_state=base_seed).score_resamples(X, y, halves).values
    for step, shares in zip(fitted.path_steps_, fitted.stability_paths_, strict=True):
        assert shares.tolist() == (scores > step * scores.max()).mean(axis=0).tolist()


def test_targets_select_by_their_own_values():
    X, y = example()
    by_rate = hf.IntegratedPathSelection(target_fdr=0.05, n_pairs=20).fit(X, y)
    by_count = hf.IntegratedPathSelection(target_efp=1.0, n_pairs=20).fit(X, y)
    by_size = hf.IntegratedPathSelection(n_features_to_select=3, n_pairs=20).fit(X, y)
    plain = hf.IntegratedPathSelection(n_pairs=20).fit(X, y)
    assert by_rate.support_.tolist() == (by_rate.q_values_ <= 0.05).tolist()
    assert by_count.support_.tolist() == (by_count.efp_scores_ <= 1.0).tolist()
    assert plain.support_.tolist() == (plain.q_values_ <= 0.1).tolist()
    assert by_size.support_.sum() == 3
    assert by_rate.selects_own_size
    assert not by_size.selects_own_size
    for other in (by_count, by_size, plain):
        assert other.q_values_.tolist() == by_rate.q_values_.tolist()


@pytest.mark.slow
def test_signal_is_found_with_few_false_features():
    right, false, selected = 0, 0, 0
    for seed in range(10):
        fitted = hf.IntegratedPathSelection(target_fdr=0.1).fit(*example(seed=seed))
        right += int(fitted.support_[:6].sum())
        false += int(fitted.support_[6:].sum())
        selected += int(fitted.support_.sum())
    assert right >= 48
    assert false <= 0.1 * selected


@pytest.mark.slow
def test_forests_find_an_effect_without_a_difference_of_means():
    """The spread of two features depends on the class, which a linear model cannot see."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 50))
    X[:, :2] *= 1.0 + 3.0 * y[:, None]
    forest = hf.IntegratedPathSelection(hf.ImpurityForest(max_features=0.2), n_pairs=20).fit(X, y)
    assert forest.support_.tolist() == [True] * 2 + [False] * 48
    assert not hf.IntegratedPathSelection(n_pairs=20).fit(X, y).support_[:2].any()


@pytest.mark.slow
@pytest.mark.parametrize(("function", "target", "most"), [("h1", 0.2, 2), ("h2", 0.1, 4)])
def test_of_noise_almost_nothing_is_selected(function, target, most):
    selected = 0
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(60, 200))
        fitted = hf.IntegratedPathSelection(function=function, target_fdr=target)
        selected += int(fitted.fit(X, np.arange(60) % 2).support_.sum())
    assert selected <= most


def test_ipss_ends_a_path_that_stands_still():
    case = GOLDEN["real"][1]
    ratio = case["alphas"][-1] / case["alphas"][-2]
    longer = dict(case)
    longer["paths"] = [*case["paths"], case["paths"][-2], case["paths"][-1]]
    longer["alphas"] = [*case["alphas"], *(case["alphas"][-1] * ratio ** np.arange(1, 3))]
    assert integrate(longer).q_values.tolist() == integrate(case).q_values.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "delta", "case"), [(None, 0.0, 0), (hf.ImpurityForest(max_features=0.1), 1.25, 1)]
)
def test_real_features_are_ordered_as_ipss_orders_them(base, delta, case):
    """With the delta that ipss chooses on these data, and its own halves, solver and forests."""
    X, y = load_breast_cancer(return_X_y=True)
    fitted = hf.IntegratedPathSelection(base, delta=delta, random_state=1).fit(X, y)
    theirs = GOLDEN["real"][case]
    assert spearmanr(fitted.efp_scores_, theirs["efp"]).statistic > 0.85
    certain = np.array(theirs["q_values"]) <= 0.1
    assert certain.any()
    assert (fitted.q_values_[certain] <= 0.1).all()


def test_several_classes_and_numbers():
    three = hf.IntegratedPathSelection(target_fdr=0.2, n_pairs=20)
    wine = three.fit(*load_wine(return_X_y=True, as_frame=True))
    assert {"od280/od315_of_diluted_wines", "proline"} <= set(wine.get_feature_names_out())
    lasso = hf.L1Path(family="gaussian")
    progress = hf.IntegratedPathSelection(lasso, n_pairs=20, target_fdr=0.1)
    progress.fit(*load_diabetes(return_X_y=True, as_frame=True))
    assert {"bmi", "s5"} <= set(progress.get_feature_names_out())
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    linear = hf.IntegratedPathSelection(hf.AnySelector(LinearRegression()), n_pairs=10)
    assert linear.fit(X, y + 0.5).stability_paths_.shape == (100, 10)
    with pytest.raises(InvalidInputError, match="TScore needs classes"):
        hf.IntegratedPathSelection("t_score").fit(X, y + 0.5)


def test_subjects_stay_together():
    X, y = example(n=40, p=10)
    rows, seen = np.repeat(np.arange(40), 2), []

    def scores(half, classes):
        seen.append(np.unique(half[:, 0], return_counts=True)[1])
        return np.abs(half[classes == 1].mean(axis=0) - half[classes == 0].mean(axis=0))

    hf.IntegratedPathSelection(scores, n_pairs=5).fit(X[rows], y[rows], groups=rows)
    assert [counts.tolist() for counts in seen[-10:]] == [[2] * 20] * 10


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target_fdr": 0.1, "target_efp": 1.0}, "one target is needed"),
        ({"target_fdr": 1.5}, "target_fdr must be a number above 0 and below 1"),
        ({"target_efp": -1}, "target_efp must be"),
        ({"function": "h4"}, "unknown function 'h4'"),
        ({"scaling": "none"}, "unknown scaling"),
        ({"delta": float("nan")}, "delta must be"),
        ({"cutoff": 0}, "cutoff must be"),
        ({"n_pairs": 0}, "n_pairs must be"),
        ({"base": "svm_rfe"}, "SVMRFE gives ranks only"),
        ({"base": "dense_groups"}, "ranks features"),
    ],
)
def test_unusable_parameters_are_refused(options, words):
    X, y = example(n=24, p=5)
    with pytest.raises(HoldfastError, match=words):
        hf.IntegratedPathSelection(**options).fit(X, y)
