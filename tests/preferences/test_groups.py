"""Groups: nested results with or without representatives."""

import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError

ROWS = [[[0, 1, 2], [5]], [[1, 0]], []]


def as_lists(groups):
    return [[group.tolist() for group in result] for result in groups]


def test_groups_hold_sorted_members():
    groups = hf.Groups(ROWS, n_features=10)
    assert as_lists(groups) == [[[0, 1, 2], [5]], [[0, 1]], []]
    assert groups.sizes.tolist() == [2, 1, 0]
    assert groups.representatives is None
    assert groups == hf.Groups(ROWS, n_features=10)
    assert groups != groups[::-1]
    assert hf.concat([groups[:1], groups[1:]]) == groups
    assert as_lists(groups[1:2]) == [[[0, 1]]]
    assert "3 results of 0 to 2 feature groups" in repr(groups)


def test_names_and_representatives():
    groups = hf.Groups(
        [[["b", "a"], ["c"]], [["c", "a"]]],
        representatives=[["a", "c"], ["c"]],
        feature_names=list("abc"),
    )
    assert [row.tolist() for row in groups.representatives] == [[0, 2], [2]]
    frame = groups.to_frame()
    assert frame["feature"].tolist() == ["a", "b", "c", "a", "c"]
    assert frame["representative"].tolist() == [True, False, True, False, True]
    assert frame["group"].tolist() == [0, 0, 1, 0, 0]
    bare = hf.Groups([[["b", "a"], ["c"]], [["c", "a"]]], feature_names=list("abc"))
    assert groups != bare
    assert groups[:1] != hf.Groups(
        [[["b", "a"], ["c"]]], representatives=[["b", "c"]], feature_names=list("abc")
    )
    assert hf.concat([groups, groups[:1]])[2:] == groups[:1]
    with pytest.raises(InvalidInputError, match="all parts must have representatives or none"):
        hf.concat([groups, bare])


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([], {}, "at least one result"),
        ([[[0], []]], {}, "group 1 of result 0 is empty"),
        ([[[0, 0]]], {}, "more than once"),
        ([[[0, 9]]], {"n_features": 5}, "index 9"),
        ([[[0, 1]]], {"representatives": [[2]]}, "2 of group 0 of result 0 is not in the group"),
        ([[[0, 1]]], {"representatives": [[0, 1]]}, "1 groups, but 2 representatives"),
        ([[[0, 1]]], {"representatives": []}, "0 results were given for 1"),
        ([[["a"]]], {"representatives": [["z"]]}, "'z' of group 0"),
    ],
)
def test_refused_with_the_reason(rows, options, words):
    with pytest.raises(InvalidInputError, match=words):
        hf.Groups(rows, **options)
