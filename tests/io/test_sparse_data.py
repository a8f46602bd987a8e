"""Sparse matrices of features: the same data set as the array, and hostile ones refused."""

import numpy as np
import pytest
import scipy.sparse

from holdfast._memory import is_sparse, to_dense
from holdfast.errors import InvalidInputError
from holdfast.io import (
    Dataset,
    check_for_study,
    class_means,
    constant_features,
    from_arrays,
    has_missing,
)

Y = np.arange(30) % 2


def holed():
    """Return counts with missing values, an empty, a constant and two equal features and rows."""
    X = np.random.default_rng(0).poisson(0.4, (30, 12)).astype(float)
    X[3, 2], X[:, 4], X[:, 5], X[:, 7], X[9] = np.nan, np.nan, 3.0, X[:, 6], X[8]
    X[:, 8] = -X[:, 6]
    X[:, 9] = 0.0
    return X


KINDS = [
    scipy.sparse.csr_matrix,
    scipy.sparse.csc_matrix,
    scipy.sparse.csr_array,
    scipy.sparse.csc_array,
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, bool])
def test_every_kind_gives_the_values_of_its_array(kind, dtype):
    values = np.nan_to_num(holed()).astype(dtype)
    sparse, dense = from_arrays(kind(values), Y), from_arrays(values, Y)
    assert isinstance(sparse.X, scipy.sparse.csr_matrix)
    assert sparse.X.dtype == dense.X.dtype
    assert sparse.X.indices.dtype == np.int32
    assert sparse.X.has_canonical_format
    np.testing.assert_array_equal(sparse.X.toarray(), dense.X)
    assert sparse.feature_names == dense.feature_names
    assert sparse.fingerprint == from_arrays(scipy.sparse.csr_array(values), Y).fingerprint
    assert sparse.fingerprint != dense.fingerprint


def test_the_summary_is_that_of_the_array():
    sparse, dense = from_arrays(scipy.sparse.csc_array(holed()), Y), from_arrays(holed(), Y)
    ours, theirs = sparse.summary().to_dict(), dense.summary().to_dict()
    stored = ours.pop("density")
    assert stored == np.count_nonzero(holed()) / holed().size
    assert theirs.pop("density") is None
    assert ours == theirs
    assert ours["duplicates"] == (("f6", "f7"),)
    assert (8, 9) in ours["copies"]
    assert ours["empty"] == ("f4",)
    assert ours["constant"] == ("f5", "f9")
    assert ours["n_missing"] == 31


def test_columns_and_means_are_those_of_the_array():
    X = holed()
    matrix = from_arrays(scipy.sparse.csr_array(X), Y).X
    np.testing.assert_array_equal(constant_features(matrix), constant_features(X))
    for code in (0, 1):
        np.testing.assert_allclose(class_means(matrix, code == Y), class_means(X, code == Y))
    assert has_missing(matrix)
    assert not has_missing(matrix[:, [5, 6]])


def test_stored_zeros_repeated_cells_and_unsorted_rows_are_brought_in_order():
    data = np.array([1.0, 2.0, 0.0, 3.0, -0.0, 5.0, np.nan])
    indices, indptr = np.array([2, 2, 0, 1, 1, 0, 3]), np.array([0, 3, 5, 7])
    odd = scipy.sparse.csr_array((data, indices, indptr), shape=(3, 4))
    found = from_arrays(odd, ["a", "b", "a"]).X
    assert found.nnz == 4
    np.testing.assert_array_equal(found.toarray(), [[0, 0, 3, 0], [0, 3, 0, 0], [5, 0, 0, np.nan]])
    assert odd.nnz == 7  # the caller's matrix is not changed
    again = from_arrays(found, ["a", "b", "a"])
    assert again.X is found
    assert again.fingerprint == from_arrays(odd.tocsc(), ["a", "b", "a"]).fingerprint


def test_flags_of_the_caller_are_not_believed():
    lying = scipy.sparse.csr_matrix(([1.0, 2.0], [1, 0], [0, 2, 2]), shape=(2, 2))
    lying.has_canonical_format = True
    found = from_arrays(lying, ["a", "b"]).X
    assert found.indices.tolist() == [0, 1]
    assert found.toarray().tolist() == [[2, 1], [0, 0]]


def damaged(**parts):
    """Return a csr matrix with parts that SciPy would refuse to build it from."""
    matrix = scipy.sparse.csr_matrix(np.eye(4))
    for name, value in parts.items():
        setattr(matrix, name, np.asarray(value))
    return matrix


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (damaged(indices=[0, 1, 2, 4]), "'indices' must be from 0 to 3, got 0 to 4"),
        (damaged(indices=[0, -1, 2, 3]), "'indices' must be from 0 to 3, got -1 to 3"),
        (damaged(indices=[0.0, 1.0, 2.0, 3.0]), "'indices' must be a list of integers"),
        (damaged(indices=[0, 1, 2]), "announces 4 values; got 3 indices"),
        (damaged(indptr=[0, 1, 2, 3, 9]), "'indptr' must be from 0 to 4"),
        (damaged(indptr=[0, 3, 2, 3, 4]), "'indptr' must rise from 0"),
        (damaged(indptr=[1, 1, 2, 3, 4]), "'indptr' must rise from 0"),
        (damaged(indptr=[0, 4]), "'indptr' must rise from 0"),
        (damaged(data=[1.0, 2.0]), "'indptr' must be from 0 to 2"),
        (damaged(data=[1j, 2, 3, 4]), "numbers of at most 64 bits"),
        (damaged(data=np.array([1, "a", None, 2], dtype=object)), "numbers of at most 64 bits"),
        (damaged(data=np.ones(4, dtype=np.longdouble)), "numbers of at most 64 bits"),
        (damaged(data=[1.0, np.inf, 1, 1]), "values must be finite or missing"),
        (scipy.sparse.coo_array(np.eye(4)), "format csr or csc, got coo in 2 dimensions"),
        (scipy.sparse.lil_matrix(np.eye(4)), "format csr or csc, got lil"),
        (scipy.sparse.csr_array((4, 0)), "at least one sample and one feature"),
    ],
)
def test_hostile_matrices_are_refused_with_the_reason(matrix, message):
    with pytest.raises(InvalidInputError, match=message):
        from_arrays(matrix, ["a", "b", "a", "b"])


def test_infinite_values_do_not_hide_in_a_sum():
    for one, other in ((np.inf, -np.inf), (1e308, 1e308)):
        twice = scipy.sparse.csr_array(([one, other], [0, 0], [0, 2, 2]), shape=(2, 2))
        with pytest.raises(InvalidInputError, match="values must be finite or missing"):
            from_arrays(twice, ["a", "b"])


def test_values_too_large_for_a_variance_are_found():
    X = scipy.sparse.csr_array(np.array([[1e200, 0], [0, 1], [2, 3], [-1, 1]]))
    with pytest.raises(InvalidInputError, match="the values of 'f0' are too large"):
        check_for_study(from_arrays(X, ["a", "b", "a", "b"]))


def test_a_dense_copy_needs_memory(monkeypatch):
    data = from_arrays(scipy.sparse.csr_array((1000, 100_000)), np.arange(1000) % 2)
    assert is_sparse(data.X)
    monkeypatch.setenv("HOLDFAST_MAX_MEMORY", "100M")
    with pytest.raises(InvalidInputError, match="about 800 MB of memory, more than the limit"):
        data.dense_matrix()
    assert to_dense(data.X[:, [1, 2]]).shape == (1000, 2)


def test_a_data_set_is_made_of_a_sparse_matrix_directly():
    data = Dataset(
        X=scipy.sparse.csc_array(np.eye(2)), y=np.array(["a", "b"]), feature_names=("u", "v")
    )
    assert data.is_sparse
    assert data.one_against_rest("a").X is data.X
    assert data.dense_matrix().tolist() == [[1, 0], [0, 1]]
