"""Thresholds and p-values against scipy, scikit-learn and simulated noise."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import SelectFdr, SelectFpr, SelectFwe, f_classif
from sklearn.model_selection import StratifiedKFold

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.select import PValueScorer, ThresholdScorer
from holdfast.select._p_values import adjust_p_values

FILTERS = sorted(
    name
    for name in hf.list_selectors().index
    if issubclass(hf.select.get_selector(name).kind, ThresholdScorer)
)
TESTS = [name for name in FILTERS if issubclass(hf.select.get_selector(name).kind, PValueScorer)]


def make(name, **options):
    return hf.select.get_selector(name).kind(**options)


def make_wide_data(n=60, p=400, signals=10, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :signals] += 1.5 * y[:, None]
    return X, y


def test_filters_and_tests_are_those_expected():
    assert {"t_score", "f_score", "cat_score", "relieff", "information_gain"} <= set(FILTERS)
    assert {"t_score", "f_score", "mutual_information"} <= set(TESTS)


# P-values.


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_p_values_of_f_equal_those_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    X = np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0) + X
    fitted = hf.FScore(alpha=0.05).fit(X, y)
    assert fitted.pvalues_ == pytest.approx(f_classif(X, y)[1], rel=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("variance", ["pooled", "welch"])
def test_p_values_of_t_equal_those_of_scipy(variance, sparse):
    X, y = make_wide_data(n=31)
    data = scipy.sparse.csr_matrix(X) if sparse else X
    fitted = hf.TScore(variance=variance, alpha=0.05).fit(data, y)
    expected = scipy.stats.ttest_ind(X[y == 0], X[y == 1], equal_var=variance == "pooled").pvalue
    assert fitted.pvalues_ == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("variance", ["pooled", "welch"])
def test_p_values_of_several_classes_are_three_times_the_smallest(variance):
    X, y = load_wine(return_X_y=True)
    X = X + 5 * np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0)
    equal = variance == "pooled"
    expected = [
        scipy.stats.ttest_ind(X[y == k], X[y != k], equal_var=equal).pvalue for k in range(3)
    ]
    fitted = hf.TScore(variance=variance, alpha=0.05).fit(X, y)
    assert fitted.pvalues_ == pytest.approx(np.minimum(1, 3 * np.min(expected, axis=0)), rel=1e-9)


def naive_g_test(x, y, n_bins):
    """The G statistic of scipy, divided by Williams' factor, of bins by the mean rank."""
    bins = np.floor((scipy.stats.rankdata(x) - 0.5) * n_bins / len(x))
    table = scipy.stats.contingency.crosstab(bins, y).count
    if len(table) == 1:
        return 1.0
    g, _, freedom, _ = scipy.stats.chi2_contingency(
        table, correction=False, lambda_="log-likelihood"
    )
    n = table.sum()
    rows, columns = (n * (1 / table.sum(axis=axis)).sum() - 1 for axis in (1, 0))
    return scipy.stats.chi2.sf(g / (1 + rows * columns / (6 * n * freedom)), freedom)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_p_values_of_mutual_information_are_those_of_the_g_test(load, sparse):
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(0)
    X = rng.permuted(X, axis=0).round(1)  # no information, and ties
    X[:, 0], X[:, 1] = 3.0, rng.integers(0, 2, len(X))
    expected = [naive_g_test(column, y, 6) for column in X.T]
    data = scipy.sparse.csc_matrix(X) if sparse else X
    fitted = hf.MutualInformation(n_bins=6, alpha=0.05).fit(data, y)
    assert fitted.pvalues_ == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    "selector",
    [
        hf.TScore(alpha=0.05),
        hf.TScore(variance="welch", alpha=0.05),
        hf.FScore(alpha=0.05),
        hf.WilcoxonScore(alpha=0.05),
        hf.ModeratedTScore(alpha=0.05),
        hf.MutualInformation(alpha=0.05, n_bins=10),
        hf.MutualInformation(alpha=0.05, n_bins=3),
    ],
)
def test_p_values_keep_their_level_on_noise(selector):
    """Also of mutual information with two samples of the smallest class in a bin on average."""
    rng = np.random.default_rng(1)
    y = (np.arange(60) % 3 == 0).astype(int)
    p_values = np.concatenate(
        [selector.fit(rng.normal(size=(60, 5000)), y).pvalues_ for _ in range(4)]
    )
    for level, low, high in ((0.05, 0.9, 1.15), (0.01, 0.8, 1.35)):
        assert low < (p_values <= level).mean() / level < high


@pytest.mark.parametrize("name", TESTS)
def test_constant_features_have_the_p_value_1_and_perfect_ones_0(name):
    X, y = make_wide_data(n=80, p=6)
    X[:, 3], X[:, 4] = 0.1, 7.0 + y
    options = {"n_bins": 5} if name == "mutual_information" else {}
    for variance in ("pooled", "welch") if name == "t_score" else (None,):
        extra = {} if variance is None else {"variance": variance}
        fitted = make(name, alpha=0.05, **options, **extra).fit(X, y)
        assert fitted.pvalues_[3] == 1.0
        assert fitted.pvalues_[4] < 1e-10
        assert not fitted.support_[3]
        assert fitted.support_[4]


# Corrections.


@pytest.mark.parametrize(
    ("correction", "peer"),
    [("fdr_bh", SelectFdr), ("bonferroni", SelectFwe), ("none", SelectFpr)],
)
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.3])
def test_cuts_equal_those_of_scikit_learn(correction, peer, alpha):
    X, y = make_wide_data()
    fitted = hf.FScore(alpha=alpha, correction=correction).fit(X, y)
    expected = peer(f_classif, alpha=alpha).fit(X, y).get_support()
    assert expected.any()
    assert np.array_equal(fitted.get_support(), expected)


def test_adjusted_p_values_by_hand():
    p_values = np.array([0.01, 0.04, 0.03, 0.5])
    assert adjust_p_values(p_values, "none").tolist() == p_values.tolist()
    assert adjust_p_values(p_values, "bonferroni").tolist() == [0.04, 0.16, 0.12, 1.0]
    # sorted 0.01, 0.03, 0.04, 0.5: times 4/1, 4/2, 4/3, 1 and the least from the right
    expected = [0.04, 0.16 / 3, 0.16 / 3, 0.5]
    assert adjust_p_values(p_values, "fdr_bh") == pytest.approx(expected)


@pytest.mark.parametrize("name", TESTS)
def test_nothing_is_selected_from_noise_at_a_strict_level(name):
    X, y = make_wide_data(signals=0, n=100)
    fitted = make(name, alpha=1e-6).fit(X, y)
    assert not fitted.support_.any()
    assert sorted(fitted.ranking_) == list(range(1, 401))


# Thresholds.


@pytest.mark.parametrize("name", FILTERS)
def test_threshold_keeps_all_scores_that_reach_it(name):
    X, y = load_wine(return_X_y=True)
    scores = make(name).fit(X, y).scores_
    for threshold in (np.sort(scores)[8], scores.max(), scores.max() + 1):
        fitted = make(name, threshold=threshold).fit(X, y)
        assert np.array_equal(fitted.support_, scores >= threshold)
        assert np.array_equal(fitted.scores_, scores)


@pytest.mark.parametrize("name", FILTERS)
def test_rules_exclude_each_other(name):
    X, y = load_wine(return_X_y=True)
    rules = {"threshold": 0.5, "n_features_to_select": 3}
    if name in TESTS:
        rules["alpha"] = 0.05
    for left in rules:
        both = {rule: value for rule, value in rules.items() if len(rules) == 2 or rule != left}
        with pytest.raises(InvalidInputError, match="are different rules"):
            make(name, **both).fit(X, y)


def test_bad_cuts_are_refused():
    X, y = load_wine(return_X_y=True)
    for wrong in (np.nan, np.inf, "high"):
        with pytest.raises(InvalidInputError, match="threshold must be a finite number"):
            hf.TScore(threshold=wrong).fit(X, y)
    for wrong in (0, 1, -0.1, "low"):
        with pytest.raises(InvalidInputError, match="alpha must be a number above 0"):
            hf.TScore(alpha=wrong).fit(X, y)
    with pytest.raises(UnknownNameError, match="Did you mean 'fdr_bh'"):
        hf.TScore(alpha=0.1, correction="fdr").fit(X, y)
    with pytest.raises(InvalidInputError, match="'squared' has no p-value"):
        hf.TScore(alpha=0.1, variance="squared").fit(X, y)
    with pytest.raises(InvalidInputError, match="Use n_bins=24"):
        hf.MutualInformation(alpha=0.1, n_bins=25).fit(X, y)


@pytest.mark.parametrize("name", FILTERS)
def test_a_size_replaces_the_cut(name):
    X, y = load_wine(return_X_y=True)
    cut = make(name, threshold=0.1)
    assert cut.selects_own_size
    sized = cut.with_size(4)
    assert not sized.selects_own_size
    assert sized.fit(X, y).get_support().sum() == 4
    assert not make(name, n_features_to_select=4).selects_own_size


def test_p_values_of_an_earlier_fit_are_removed():
    X, y = load_wine(return_X_y=True)
    fitted = hf.TScore(alpha=0.1).fit(X, y)
    assert fitted.qvalues_.shape == (13,)
    fitted.set_params(alpha=None).fit(X, y)
    assert not hasattr(fitted, "pvalues_")
    assert not hasattr(fitted, "qvalues_")


def test_a_study_uses_the_sizes_that_the_cut_gives():
    """The subsets of a study are those of separate fits, named on the command line."""
    X, y = make_wide_data()
    study = hf.Study(
        {"bh": "f_score:alpha=0.1", "cut": "t_score:threshold=2.5"},
        protocol=hf.Splits(StratifiedKFold(4)),
        classifiers=(),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", HoldfastWarning)
        result = study.run(X, y, n_jobs=1)
    table = result.summary().set_index("selector")
    parts = [train for train, _ in StratifiedKFold(4).split(X, y)]
    for name, selector in (("bh", hf.FScore(alpha=0.1)), ("cut", hf.TScore(threshold=2.5))):
        counts = [selector.fit(X[rows], y[rows]).get_support().sum() for rows in parts]
        assert table.loc[name, "size"] == "own"
        assert table.loc[name, "selected"] == pytest.approx(np.mean(counts))


def test_sizes_that_do_not_apply_are_named():
    X, y = make_wide_data()
    study = hf.Study({"bh": "f_score:alpha=0.1"}, sizes=[5], classifiers=())
    with pytest.warns(HoldfastWarning, match="without a threshold and without alpha uses"):
        study.run(X, y, n_jobs=1)
