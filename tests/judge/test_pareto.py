"""The Pareto front, against the definition spelled out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import InvalidInputError
from holdfast.judge import pareto_front

FEW = st.sampled_from([0.1, 0.2, 0.3, None])
ROWS = st.lists(st.tuples(FEW, FEW, st.sampled_from([5, 10, "own"])), max_size=12)


def beats(one, other):
    wins = [one[0] - other[0], other[1] - one[1]]
    if one[2] != "own" and other[2] != "own":
        wins.append(one[2] - other[2])
    return max(wins) <= 0 and min(wins) < 0


@given(ROWS)
def test_the_front_is_what_nothing_beats(rows):
    table = pd.DataFrame(rows, columns=["error", "stability", "size"]).astype(
        {"error": float, "stability": float}
    )
    fit = [row for row in rows if None not in row]
    expected = [None not in row and not any(beats(other, row) for other in fit) for row in rows]
    assert pareto_front(table).tolist() == expected


def test_equal_rows_are_both_on_the_front():
    table = pd.DataFrame({"error": [0.1, 0.1], "stability": [0.5, 0.5], "size": [5, 5]})
    assert pareto_front(table).all()


def test_a_column_that_is_missing_is_named():
    with pytest.raises(InvalidInputError, match="missing: size"):
        pareto_front(pd.DataFrame({"error": [0.1], "stability": [np.nan]}))


def test_means_that_differ_by_rounding_are_equal():
    error = [(0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3]
    assert error[0] != error[1]
    for columns in ({"error": error, "stability": 0.5}, {"error": 0.1, "stability": error}):
        assert pareto_front(pd.DataFrame({**columns, "size": [5, 5]})).all()
