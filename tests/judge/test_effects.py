"""Effect sizes against scipy's t statistic and plain loops."""

import numpy as np
import pytest
import scipy.stats

from holdfast.errors import InvalidInputError
from holdfast.judge import _effects, effect_sizes


def test_two_classes_give_the_absolute_value_of_cohens_d():
    rng = np.random.default_rng(0)
    codes = np.array([0] * 12 + [1] * 20)
    X = rng.normal(size=(32, 6)) + codes[:, None] * [2, 1, 0, -1, -2, 0.3]
    found = effect_sizes(X, codes, ["a", "b"])
    t = scipy.stats.ttest_ind(X[codes == 1], X[codes == 0]).statistic
    np.testing.assert_allclose(found["effect"], np.abs(t) * np.sqrt(1 / 12 + 1 / 20))
    assert found["direction"].tolist() == ["b" if one > 0 else "a" for one in t]


def test_the_interval_is_that_of_hedges_and_olkin():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    row = effect_sizes(X, np.array([0, 0, 1, 1]), ["a", "b"]).iloc[0]
    half = 1.959964 * np.sqrt(4 / 4 + row["effect"] ** 2 / 8)
    halves = [row["effect"] - row["low"], row["high"] - row["effect"]]
    np.testing.assert_allclose(halves, half, rtol=1e-6)


def naive(column, codes):
    known = ~np.isnan(column)
    column, codes = column[known], codes[known]
    labels = np.unique(codes)
    means = [column[codes == k].mean() for k in labels]
    best = labels[int(np.argmax(means))]
    within = sum(
        np.square(column[codes == k] - m).sum() for k, m in zip(labels, means, strict=True)
    )
    spread = np.sqrt(within / (len(column) - len(labels)))
    return (column[codes == best].mean() - column[codes != best].mean()) / spread, best


@pytest.mark.parametrize("cells", [2**22, 40])
def test_more_classes_and_missing_values_are_those_of_a_loop(monkeypatch, cells):
    monkeypatch.setattr(_effects, "MAX_BLOCK_CELLS", cells)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, 40)
    X = rng.normal(loc=1e3, size=(40, 9))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[codes == 2, 3] = np.nan  # a class without known values
    found = effect_sizes(X, codes, list("abcd"))
    for place in range(9):
        effect, best = naive(X[:, place], codes)
        np.testing.assert_allclose(found["effect"][place], effect)
        assert found["direction"][place] == "abcd"[best]


def test_a_constant_feature_has_no_effect():
    X = np.full((6, 2), 0.1)
    X[0, 1] = np.nan
    found = effect_sizes(X, np.arange(6) % 2, ["a", "b"])
    assert found[["effect", "low", "high"]].isna().all(axis=None)
    assert found["direction"].isna().all()


def test_no_spread_within_classes_is_an_infinite_effect():
    codes = np.arange(6) % 2
    row = effect_sizes(codes[:, None] * 0.1, codes, ["a", "b"]).iloc[0]
    assert row["effect"] == np.inf
    assert np.isnan(row["low"])
    assert row["direction"] == "b"


@pytest.mark.parametrize("known", [0, 1, 2])
def test_too_few_known_values_have_no_effect(known):
    X = np.full((6, 1), np.nan)
    X[:known, 0] = np.arange(known)
    assert effect_sizes(X, np.arange(6) % 2, ["a", "b"])["effect"].isna().all()


def test_one_class_that_is_known_has_no_effect():
    X = np.array([[1.0], [np.nan], [2.0], [np.nan]])
    assert effect_sizes(X, np.arange(4) % 2, ["a", "b"])["effect"].isna().all()


def test_the_data_are_left_as_they_are():
    X = np.array([[1.0, np.nan], [2.0, 1.0], [4.0, 2.0], [3.0, 5.0]])
    kept = X.copy()
    effect_sizes(X, np.array([0, 0, 1, 1]), ["a", "b"])
    np.testing.assert_array_equal(X, kept)


@pytest.mark.parametrize("codes", [[0, 1], [0, 1, 2], [0, 1, -1]])
def test_codes_that_name_no_class_are_refused(codes):
    with pytest.raises(InvalidInputError, match="class from 0 to 1"):
        effect_sizes(np.zeros((3, 2)), np.array(codes), ["a", "b"])
