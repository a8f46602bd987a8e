"""Classes that are never tested are named."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from holdfast.errors import HoldfastWarning
from holdfast.resample import (
    AddedNoise,
    Bootstrap,
    CrossValidation,
    IndependentSamples,
    Nested,
    Splits,
    Subsampling,
)

Y = ["common"] * 40 + ["rare"] * 2


@pytest.mark.parametrize(
    "plan", [Subsampling(), Subsampling(9, 0.5), Bootstrap(), Nested(Subsampling(5), AddedNoise(2))]
)
def test_a_class_of_two_is_never_tested_and_that_is_said_once(plan):
    message = "no test part has samples of class 'rare', so the errors say nothing about it"
    with pytest.warns(HoldfastWarning, match=message) as caught:
        plan.draw(Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_classes_are_named_together():
    rows = np.arange(12)
    plan = Splits([(rows[rows != 0], [0])])
    with pytest.warns(HoldfastWarning, match="of class 'b', 'c', so"):
        plan.draw(["a"] * 4 + ["b"] * 4 + ["c"] * 4)


@pytest.mark.parametrize(
    ("plan", "y"),
    [
        (Subsampling(), ["a"] * 40 + ["b"] * 20),
        (CrossValidation(10), ["a"] * 40 + ["b"] * 3),
        (AddedNoise(3), Y),
        (IndependentSamples(3), Y),
        (Nested(3, Subsampling(5)), ["a"] * 12 + ["b"] * 4),  # inner tests are not used
    ],
)
def test_nothing_is_said_where_all_classes_or_none_are_tested(plan, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan.draw(y)
    assert not caught
