"""Training sets drawn as moments have the same distribution as generated data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import holdfast as hf
from holdfast.simulate import GaussianModel, lda
from holdfast.simulate._training_sets import Discriminants, Moments, draw_wishart_root

MU = np.array([0.0, 0.1, 0.3, 0.6, 1.0, -0.5])
N_SETS = 2000
MIN_P_VALUE = 1e-4  # chance of a false alarm per test; the seeds are fixed


def draw_moments(mu, counts, n_sets=N_SETS, seed=0):
    generator = np.random.default_rng(seed)
    return [Moments.from_random(mu, counts, generator) for _ in range(n_sets)]


@pytest.mark.parametrize("counts", [(2, 1), (7, 6), (4, 20), (500_000, 500_000)])
def test_t_follows_the_noncentral_t_distribution(counts):
    mu = MU / np.sqrt(min(counts) / 4)
    error = np.sqrt(1 / counts[0] + 1 / counts[1])
    sets = draw_moments(mu, counts)
    signed = np.array([moments.scores * np.sign(moments.difference) for moments in sets])
    for feature, effect in enumerate(mu):
        law = stats.nct(sum(counts) - 2, 2 * effect / error)
        assert stats.kstest(signed[:, feature], law.cdf).pvalue > MIN_P_VALUE


@pytest.mark.slow
@pytest.mark.parametrize("counts", [(7, 6), (4, 20)])
def test_scores_have_the_distribution_of_the_selector(counts):
    model, generator = GaussianModel(MU), np.random.default_rng(1)
    made = np.array([hf.TScore().fit(*model.draw(counts, generator)).scores_ for _ in range(500)])
    exact = np.array([moments.scores for moments in draw_moments(MU, counts)])
    for feature in range(len(MU)):
        assert stats.ks_2samp(made[:, feature], exact[:, feature]).pvalue > MIN_P_VALUE


def test_features_are_independent():
    scores = np.array([moments.scores for moments in draw_moments(MU, (5, 5))])
    correlations = np.corrcoef(scores.T)[np.triu_indices(len(MU), 1)]
    assert np.abs(correlations).max() < 4 / np.sqrt(N_SETS)


@pytest.mark.parametrize(("rows", "columns"), [(9, 4), (4, 4)])
def test_roots_have_the_distribution_of_wishart_matrices(rows, columns):
    generator = np.random.default_rng(2)
    roots = np.array([draw_wishart_root(rows, columns, generator) for _ in range(N_SETS)])
    scatter = roots.transpose(0, 2, 1) @ roots
    others = stats.wishart(rows, np.eye(columns)).rvs(N_SETS, random_state=3)
    for statistic in (np.linalg.slogdet, np.trace):
        one, other = (
            np.array([np.atleast_1d(statistic(m))[-1] for m in part]) for part in (scatter, others)
        )
        assert stats.ks_2samp(one, other).pvalue > MIN_P_VALUE
    assert stats.ks_2samp(scatter[:, 0, -1], others[:, 0, -1]).pvalue > MIN_P_VALUE


def test_roots_with_few_rows_have_the_distribution_of_gaussian_matrices():
    generator = np.random.default_rng(4)
    roots = [draw_wishart_root(3, 5, generator) for _ in range(N_SETS)]
    plain = generator.standard_normal((N_SETS, 3, 5))
    assert roots[0].shape == (3, 5)
    for i, j in ((0, 4), (3, 4), (4, 4)):
        one, other = ([(r.T @ r)[i, j] for r in part] for part in (roots, plain))
        assert stats.ks_2samp(one, other).pvalue > MIN_P_VALUE


@pytest.mark.slow
@pytest.mark.parametrize("shrinkage", [False, True])
@pytest.mark.parametrize(
    ("counts", "size"), [((10, 10), 4), ((10, 10), 18), ((10, 10), 25), ((5, 15), 6), ((3, 4), 30)]
)
def test_errors_of_lda_have_the_distribution_on_data(counts, size, shrinkage):
    generator = np.random.default_rng(5)
    mu = 1.2 * np.linspace(0, 1, 30) ** 3
    model = GaussianModel(mu / np.linalg.norm(mu))
    made, exact = [], []
    for _ in range(400):
        X, positive = model.draw(counts, generator)
        best = np.argsort(-np.abs(stats.ttest_ind(X[positive], X[~positive]).statistic))[:size]
        rule = lda(X[:, best], positive, shrinkage=shrinkage)
        made.append(model.linear_error(*rule, features=best))
        moments = Moments.from_random(model.mu, counts, generator)
        best = np.argsort(-moments.scores)[:size]
        rule = Discriminants(moments, best, generator).fit_leading(size)[int(shrinkage)]
        exact.append(model.linear_error(*rule, features=best))
    assert stats.ks_2samp(made, exact).pvalue > MIN_P_VALUE
    error = np.sqrt((np.var(made) + np.var(exact)) / 400)
    assert abs(np.mean(made) - np.mean(exact)) < 4 * error


@pytest.mark.parametrize("size", [1, 5, 8, 12])
def test_one_draw_serves_all_sizes(size):
    generator = np.random.default_rng(6)
    moments = Moments.from_random(np.linspace(0, 1, 20), (5, 5), generator)
    rules = Discriminants(moments, np.arange(12), generator)
    scatter = rules._root.T @ rules._root / 8
    np.testing.assert_allclose(np.diag(scatter), moments.variance[:12])
    inverse = np.linalg.pinv(scatter[:size, :size], rcond=1e-10, hermitian=True)
    np.testing.assert_allclose(
        rules.fit_leading(size).plain.weights, inverse @ moments.difference[:size], rtol=1e-6
    )
