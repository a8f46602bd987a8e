"""CAT scores against the R package sda."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "catscore.json").read_text())
BLOCKS = {
    "cat": {},
    "t_diagonal": {"diagonal": True},
    "cat_empirical_freqs": {"shrinkage_frequencies": 0.0},
    "t_diagonal_empirical_freqs": {"diagonal": True, "shrinkage_frequencies": 0.0},
    "cat_fixed_lambdas": {
        "shrinkage": 0.3,
        "shrinkage_variances": 0.2,
        "shrinkage_frequencies": 0.5,
    },
    "cat_unshrunk": {
        "shrinkage": 0.0,
        "shrinkage_variances": 0.0,
        "shrinkage_frequencies": 0.0,
    },
}
CASES = [(case, block) for case in GOLDEN for block in BLOCKS if case.get(block)]


def test_all_blocks_are_there():
    assert len(CASES) == 29


@pytest.mark.parametrize(
    ("case", "block"), CASES, ids=lambda x: x if isinstance(x, str) else x["id"]
)
def test_scores_and_shrinkage_equal_sda(case, block):
    fitted = hf.CATScore(**BLOCKS[block]).fit(np.array(case["X"]), case["y"])
    expected = case[block]
    assert fitted.class_scores_ == pytest.approx(np.array(expected["scores"]), abs=1e-9)
    assert fitted.shrinkage_.variances == pytest.approx(expected["lambda_var"], abs=1e-9)
    assert fitted.shrinkage_.frequencies == pytest.approx(expected["lambda_freqs"], abs=1e-9)
    if expected["lambda"] is not None:
        assert fitted.shrinkage_.correlations == pytest.approx(expected["lambda"], abs=1e-9)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["id"])
def test_scores_combine_classes_as_sda_ranks(case):
    fitted = hf.CATScore().fit(np.array(case["X"]), case["y"])
    assert fitted.scores_**2 == pytest.approx(case["ranking_score_entropy"], abs=1e-9)
    assert np.argsort(fitted.ranking_).tolist() == case["ranking_order_entropy"]
    if "st_shrinkcat" in case:
        assert fitted.scores_ == pytest.approx(np.abs(case["st_shrinkcat"]), abs=1e-9)


@pytest.mark.parametrize("shape", [(30, 8), (12, 40)])
def test_low_rank_root_equals_the_root_of_the_whole_matrix(shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), np.arange(shape[0]) % 3
    fitted = hf.CATScore(shrinkage=0.2).fit(X, y)
    plain = hf.CATScore(diagonal=True).fit(X, y).class_scores_
    centred = X - np.array([X[y == k].mean(axis=0) for k in range(3)])[y]
    shrunk = 0.2 * np.eye(shape[1]) + 0.8 * np.corrcoef(centred.T)
    root = np.linalg.inv(scipy.linalg.sqrtm(shrunk).real)
    assert fitted.class_scores_ == pytest.approx(root @ plain, abs=1e-9)


def test_features_without_variance_keep_their_t_score():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 15)
    X = np.column_stack([rng.normal(size=(30, 4)), np.ones(30), y * 3.0])
    fitted, plain = hf.CATScore().fit(X, y), hf.CATScore(diagonal=True).fit(X, y)
    assert fitted.scores_[4] == 0
    assert fitted.scores_[5] == pytest.approx(plain.scores_[5])
    assert np.isfinite(fitted.scores_).all()


@pytest.mark.parametrize("shrinkage_variances", [None, 0.0])
def test_constants_score_zero_and_certain_features_most(shrinkage_variances):
    """Constants that are not exact in binary, and a feature that tells the classes apart."""
    rng = np.random.default_rng(0)
    y = (np.arange(100) >= 37).astype(int)
    X = np.column_stack(
        [rng.normal(size=(100, 3)), np.full(100, 0.1), np.full(100, 1e6 / 3), y / 3]
    )
    fitted = hf.CATScore(shrinkage_variances=shrinkage_variances).fit(X, y)
    assert fitted.scores_[[3, 4]].tolist() == [0, 0]
    assert fitted.ranking_[5] == 1
    assert np.isfinite(fitted.scores_).all()


@pytest.mark.parametrize("unit", [1e-100, 1e100, 1e-300])
def test_units_common_to_all_features_change_nothing(unit):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
    expected = hf.CATScore().fit(X, y).scores_
    assert hf.CATScore().fit(X * unit, y).scores_ == pytest.approx(expected, rel=1e-9)


def test_a_batch_leaves_the_fit_alone():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
    fitted = hf.CATScore().fit(X, y)
    before = fitted.class_scores_.copy()
    fitted.score_resamples(X, y, [np.arange(20)])
    assert np.array_equal(fitted.class_scores_, before)


def test_no_shrinkage_of_wide_data_warns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 30)), np.arange(10) % 2
    with pytest.warns(HoldfastWarning, match="pseudo-inverse"):
        hf.CATScore(shrinkage=0.0).fit(X, y)
    with pytest.raises(InvalidInputError, match="shrinkage_variances must lie between 0 and 1"):
        hf.CATScore(shrinkage_variances=2).fit(X, y)
