"""Subsets: containers in, indices inside, and what is refused."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, f_classif

import holdfast as hf
from holdfast.errors import HoldfastError, InvalidInputError
from tests.measures.strategies import subset_lists

ROWS = [[0, 3], [1, 3, 4], []]
MASK = np.zeros((3, 5), dtype=bool)
for i, row in enumerate(ROWS):
    MASK[i, row] = True
NAMES = list("abcde")


def as_lists(subsets):
    return [row.tolist() for row in subsets]


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        [tuple(row) for row in ROWS],
        [set(row) for row in ROWS],
        [np.array(row, dtype=np.uint8) for row in ROWS],
        [[3, 0], [4, 1, 3], []],
        (row for row in ROWS),
        MASK,
        list(MASK),
        MASK.tolist(),
        scipy.sparse.csr_array(MASK),
        scipy.sparse.coo_matrix(MASK.astype(float)),
    ],
    ids=lambda data: type(data).__name__,
)
def test_containers_of_indices_and_masks(data):
    subsets = hf.Subsets(data, n_features=5)
    assert as_lists(subsets) == ROWS
    assert subsets.n_features == 5
    assert subsets.sizes.tolist() == [2, 3, 0]
    assert subsets.feature_names is None


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("dtype", [bool, int, float])
def test_frames_bring_names(kind, dtype, require):
    values = {name: MASK[:, j].astype(dtype) for j, name in enumerate(NAMES)}
    frame = pd.DataFrame(values) if kind == "pandas" else require("polars").DataFrame(values)
    subsets = hf.Subsets(frame)
    assert as_lists(subsets) == ROWS
    assert subsets.feature_names == tuple(NAMES)
    assert subsets == hf.Subsets(ROWS, feature_names=NAMES)
    with pytest.raises(InvalidInputError, match="differ from the column names"):
        hf.Subsets(frame, feature_names=NAMES[::-1])


def test_repeated_entries_of_a_sparse_matrix_count_once():
    twice = scipy.sparse.csr_array(
        (np.array([True, True]), np.array([1, 1]), np.array([0, 2])), shape=(1, 3)
    )
    assert as_lists(hf.Subsets(twice)) == [[1]]


def test_names_with_all_some_or_unknown_features():
    rows = [["d", "a"], ["b", "d", "e"], []]
    everything = hf.Subsets(rows, feature_names=NAMES)
    assert as_lists(everything) == ROWS
    some = hf.Subsets(rows, n_features=100)
    assert some.feature_names == ("d", "a", "b", "e")
    assert some.n_features == 100
    assert hf.Subsets(rows).n_features is None
    for measured in (everything, some):
        assert hf.measure("jaccard", measured[:2]) == pytest.approx(1 / 4)


def test_fitted_selectors():
    data = load_wine(as_frame=True)
    fitted = [
        SelectKBest(f_classif, k=3).fit(data.data[start:], data.target[start:])
        for start in (0, 10, 20)
    ]
    subsets = hf.Subsets(fitted)
    assert subsets.feature_names == tuple(data.data.columns)
    assert as_lists(subsets) == [np.flatnonzero(one.get_support()).tolist() for one in fitted]
    turned = SelectKBest(f_classif, k=3).fit(data.data[data.data.columns[::-1]], data.target)
    with pytest.raises(InvalidInputError, match="estimator 3 was fitted on other features"):
        hf.Subsets([*fitted, turned])


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        ([[0, 0, 1]], {}, "selection 0 holds a feature more than once: 0"),
        ([[0, 1, 1, 0]], {}, r"make it boolean"),
        ([["x"], ["y", "y"]], {}, "selection 1 holds a feature more than once: y"),
        ([[0], [-1]], {}, "selection 1 holds the index -1"),
        ([[0], [5]], {"n_features": 5}, "index 5; indices run from 0 to 4"),
        ([["a"], ["f"]], {"feature_names": NAMES}, "'f' is not among the feature names"),
        ([["a"], [1]], {}, "mixed"),
        ([["a", 1]], {}, "row 0 mixes names with other values: 1"),
        ([[0.5, 1.0]], {}, "row 0 must hold whole-number indices"),
        ([[[0]]], {}, "row 0 must hold whole-number indices"),
        (["abc"], {}, "row 0 must be a sequence"),
        ([3], {}, "row 0 must be a sequence"),
        ([], {}, "at least one selection"),
        (np.zeros((0, 3), dtype=bool), {}, "without rows"),
        ("file.csv", {}, "holdfast measure FILE"),
        ({"a": [1]}, {}, "got dict"),
        (7, {}, "at least one selection"),
        (MASK, {"n_features": 6}, "n_features is 6, but the boolean matrix has 5"),
        ([[0]], {"n_features": 0}, "between 1 and"),
        ([[0]], {"n_features": 2**60}, "between 1 and"),
        ([[0]], {"n_features": 2.7}, "whole number, got 2.7"),
        ([[0]], {"n_features": True}, "whole number, got True"),
        (scipy.sparse.csr_array(MASK * 0.3), {}, "0 and 1 only"),
        (pd.DataFrame({"a": [True, None]}, dtype="boolean"), {}, "row 1, column 'a' holds"),
        (pd.DataFrame({"a": ["x", True]}), {}, "0 and 1 only"),
        ([[0]], {"n_features": 3, "feature_names": NAMES}, "5 feature names"),
        ([[0]], {"feature_names": ["a", "b", "a"]}, "more than once: a"),
        ([["a"], ["b"], ["c"]], {"n_features": 2}, "3 different feature names"),
        ([[True, False], [True]], {}, "row 1 has 1 features"),
        (pd.DataFrame({"a": [0, 1], "b": [2, 0]}), {}, "row 0, column 'b' holds .*2"),
    ],
)
def test_refused_with_the_reason(data, options, words):
    with pytest.raises(InvalidInputError, match=words) as caught:
        hf.Subsets(data, **options)
    assert isinstance(caught.value, HoldfastError)
    assert isinstance(caught.value, ValueError)


def test_an_unknown_name_among_many_gives_a_short_message():
    names = [f"gene{i}" for i in range(5000)]
    with pytest.raises(InvalidInputError, match="Did you mean 'gene12'") as caught:
        hf.Subsets([["gene_12"]], feature_names=names)
    assert len(str(caught.value)) < 200
    with pytest.raises(InvalidInputError, match="and 4,970 more") as caught:
        hf.Subsets([["?"]], feature_names=names)
    assert len(str(caught.value)) < 1000


def test_immutable():
    subsets = hf.Subsets(ROWS, n_features=5)
    with pytest.raises(ValueError, match="read-only"):
        subsets.indices[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        subsets[0][0] = 1
    with pytest.raises(AttributeError):
        subsets.n_features = 7
    with pytest.raises(TypeError, match="unhashable"):
        hash(subsets)


@given(system=subset_lists())
def test_slices_joins_and_equality(system):
    p, rows = system
    subsets = hf.Subsets(rows, n_features=p)
    assert as_lists(subsets) == rows
    assert hf.concat([subsets[:1], subsets[1:]]) == subsets
    assert as_lists(subsets[::-1]) == rows[::-1]
    assert as_lists(subsets[[0, 0]]) == [rows[0], rows[0]]
    assert subsets[-1].tolist() == rows[-1]
    assert len(subsets) == len(rows)
    assert (subsets == hf.Subsets(rows[::-1], n_features=p)) == (rows == rows[::-1])
    assert subsets != hf.Subsets(rows, n_features=p + 1)
    mask = np.arange(len(rows)) < 1
    assert subsets[mask] == subsets[:1]


def test_bad_slices_and_joins():
    subsets = hf.Subsets(ROWS, n_features=5)
    with pytest.raises(IndexError):
        subsets[3]
    with pytest.raises(InvalidInputError, match="is empty"):
        subsets[3:]
    with pytest.raises(InvalidInputError, match="part 1 has other features"):
        hf.concat([subsets, hf.Subsets(ROWS, n_features=6)])
    with pytest.raises(InvalidInputError, match="part 1 is Weights"):
        hf.concat([subsets, hf.Weights([[1.0] * 5])])
    with pytest.raises(InvalidInputError, match="at least one"):
        hf.concat([])
    assert subsets != "subsets"


def test_frame_frequencies_and_repr():
    subsets = hf.Subsets([["b", "a"], ["b"], []], n_features=2000)
    frame = subsets.to_frame()
    assert frame["preference"].tolist() == [0, 0, 1]
    assert frame["feature"].tolist() == ["b", "a", "b"]
    assert subsets.frequencies().to_dict() == pytest.approx({"b": 2 / 3, "a": 1 / 3})
    assert repr(subsets) == (
        "<Subsets: 3 selections of 0 to 2 out of 2,000 features. "
        'Next: hf.measure(["nogueira", "jaccard"], subsets)>'
    )
    assert "an unknown number of features" in repr(hf.Subsets([["a"]]))
