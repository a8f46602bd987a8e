"""Parts of a list of resamples give what the whole list gives."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.select import Scorer
from holdfast.testing import SelectorConformance

X, Y = SelectorConformance().example(3)
ROWS = [np.random.default_rng(i).integers(0, 60, 50) for i in range(5)]
SEEDED = [hf.RandomScore(), hf.ForestImportance(n_estimators=3), hf.SVMRFE(C="cv"), hf.TScore()]


@pytest.mark.parametrize("selector", SEEDED, ids=lambda one: type(one).__name__)
def test_parts_are_seeded_by_their_positions(selector):
    whole = selector.rank_resamples(X, Y, ROWS).values
    parts = [
        selector.rank_resamples(X, Y, ROWS[:2]).values,
        selector.rank_resamples(X, Y, ROWS[2:], first=2).values,
    ]
    assert np.array_equal(whole, np.concatenate(parts))


def test_weights_and_ranks_come_from_one_call():
    weights, ranks = hf.RandomScore().select_resamples(X, Y, ROWS, first=3)
    assert weights == hf.RandomScore().score_resamples(X, Y, ROWS, first=3)
    assert ranks == hf.RandomScore().rank_resamples(X, Y, ROWS, first=3)
    nothing, ranks = hf.SVMRFE().select_resamples(X, Y, ROWS)
    assert nothing is None
    assert ranks == hf.SVMRFE().rank_resamples(X, Y, ROWS)


def test_whether_work_is_shared_is_known():
    assert hf.ReliefF().has_batch_path
    assert hf.SVMRFE().has_batch_path
    assert not hf.AnySelector().has_batch_path


class Broken(Scorer):
    def __init__(self, *, n_features_to_select=None, random_state=0):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        return np.array([np.nan] * X.shape[1])


def test_scores_that_are_not_numbers_are_refused():
    with pytest.raises(InvalidInputError, match="nan"):
        Broken().fit(X, Y)
    with pytest.raises(InvalidInputError, match="nan"):
        Broken().rank_resamples(X, Y, ROWS)
