"""Features as parameters name them."""

import numpy as np
import pytest

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select._selector import OfferedFeatures

NAMES = ["a", "b", "(c,d)", "12", "e"]
COLUMNS = OfferedFeatures(5, NAMES)


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (None, []),
        ([], []),
        ("b", [1]),
        (3, [3]),
        (["e", 0], [4, 0]),
        (("a", np.int64(2)), [0, 2]),
        (np.array([False, True, False, False, True]), [1, 4]),
        ("(b,a)", [1, 0]),
        ("(b, 4)", [1, 4]),
        ("(c,d)", [2]),  # a name, whatever it looks like
        ("12", [3]),
    ],
)
def test_features_go_by_number_name_mask_or_spelling(given, numbers):
    assert COLUMNS.read(given, "forced_in") == numbers


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ("f", UnknownNameError, "forced_in: no feature is called 'f'"),
        (["a", "a"], InvalidInputError, "names a feature twice"),
        (["a", 0], InvalidInputError, "names a feature twice"),
        (5, InvalidInputError, "from 0 to 4"),
        (-1, InvalidInputError, "from 0 to 4"),
        (True, InvalidInputError, "from 0 to 4"),
        (1.0, InvalidInputError, "from 0 to 4"),
        (np.array([True]), InvalidInputError, "one value per feature"),
        ("(a,b", InvalidInputError, r"no feature|brackets"),
    ],
)
def test_what_names_no_features_is_refused(given, error, words):
    with pytest.raises((error, UnknownNameError), match=words):
        COLUMNS.read(given, "forced_in")


def test_groups_are_lists_of_features():
    assert COLUMNS.read_groups(None, "groups") == []
    assert COLUMNS.read_groups([["a", 4], ["b"]], "groups") == [[0, 4], [1]]
    assert COLUMNS.read_groups("((a,4),(b,e))", "groups") == [[0, 4], [1, 4]]
    for wrong in ("a", ["a", "b"], "(a,b)"):
        with pytest.raises(InvalidInputError, match="must be lists of features"):
            COLUMNS.read_groups(wrong, "groups")


def test_those_not_offered_are_left_out():
    offered = OfferedFeatures(5, NAMES, np.array([4, 1, 0]))
    assert offered.offered_positions([0, 2, 4]) == [2, 0]
    assert COLUMNS.offered_positions([0, 2, 4]) == [0, 2, 4]
