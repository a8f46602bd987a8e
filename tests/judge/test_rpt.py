"""The trade-off between robustness and performance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score

from holdfast.errors import InvalidInputError
from holdfast.judge import rpt

SHARES = st.floats(0.001, 1)


@given(SHARES, SHARES, st.floats(0.01, 100))
def test_it_is_the_formula_of_saeys_and_lies_between_both(stability, accuracy, beta):
    square = beta**2
    expected = (square + 1) * stability * accuracy / (square * stability + accuracy)
    got = float(rpt(stability, accuracy, beta))
    assert got == pytest.approx(expected)
    low, high = sorted((stability, accuracy))
    assert low - 1e-12 <= got <= high + 1e-12


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_it_is_the_f_measure_with_stability_for_precision(beta):
    actual, said = [1] * 8 + [0] * 8, [1] * 6 + [0] * 2 + [1] * 3 + [0] * 5
    expected = fbeta_score(actual, said, beta=beta)
    assert float(rpt(6 / 9, 6 / 8, beta)) == pytest.approx(expected)


def test_a_large_beta_weighs_accuracy_a_small_one_stability():
    assert float(rpt(0.2, 0.9, 1e200)) == pytest.approx(0.9)
    assert float(rpt(0.2, 0.9, 1e-200)) == pytest.approx(0.2)


def test_worse_than_chance_counts_as_nothing_and_missing_stays_missing():
    assert rpt([-0.3, 0.0, 0.5], [0.9, 0.0, 0.0]).tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(rpt([np.nan, 0.5], [0.5, np.nan])).all()


@pytest.mark.parametrize("beta", [0, -1, np.nan, np.inf, "1"])
def test_a_beta_that_is_no_weight_is_refused(beta):
    with pytest.raises(InvalidInputError, match="beta"):
        rpt(0.5, 0.5, beta)
