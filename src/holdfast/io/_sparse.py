"""Sparse matrices of features: a checked canonical form, and what is known of them without zeros.

Data sets store them as ``csr_matrix``, as scikit-learn's vectorizers return them and other packages
expect them: rows in order, each cell once, no stored zeros. NaN is a missing value, as in arrays.
Functions on data sets have a branch here where the work would else grow with the number of zeros.
"""

from __future__ import annotations

import hashlib

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from holdfast._typing import AnyArray, FloatArray, IndexArray, MatrixLike
from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.io._numpy_files import check_compressed

FORMATS = ("csr", "csc")


def check_indices(X: MatrixLike) -> None:
    """Raise unless X is a csr or csc matrix of numbers whose indices fit its shape.

    SciPy trusts indices: wrong ones read other memory, or end the process.
    """
    if X.format not in FORMATS or X.ndim != 2:
        raise InvalidInputError(
            f"a sparse X must be a matrix in the format {' or '.join(FORMATS)}, got "
            f"{X.format} in {X.ndim} dimensions; convert it by X.tocsr()."
        )
    data = np.asarray(X.data)
    if data.dtype.kind not in "biuf" or data.dtype.itemsize > np.dtype(np.float64).itemsize:
        raise InvalidInputError(
            f"X must hold numbers of at most 64 bits, got a sparse matrix of {data.dtype}."
        )
    pointers = (np.asarray(X.indices), np.asarray(X.indptr))
    try:
        check_compressed("X", X.format, X.shape, data, pointers)
    except FileFormatError as error:
        raise InvalidInputError(str(error)) from None


def as_canonical_csr(X: MatrixLike) -> MatrixLike:
    """Return X in canonical form: csr, float64 or float32, sorted, each cell once, without zeros.

    Parameters
    ----------
    X : csr or csc matrix or array of shape (n, p)
        Cells that are stored several times are summed, as SciPy does.

    Returns
    -------
    csr_matrix
        X itself if it is in this form already.

    Raises
    ------
    InvalidInputError
        Another format, wrong indices, values that are no numbers, or infinite.
    """
    check_indices(X)
    if _is_canonical(X):
        return X
    kind = X.data.dtype if X.data.dtype == np.float32 else np.float64
    data = np.array(X.data, dtype=kind)
    # before the sum of repeated cells, in which infinite values may become missing ones
    _refuse_infinite(data)
    make = getattr(scipy.sparse, f"{X.format}_matrix")
    rows = make((data, X.indices.copy(), X.indptr.copy()), shape=X.shape).tocsr()
    rows.sum_duplicates()
    rows.eliminate_zeros()
    _refuse_infinite(rows.data)
    index = _index_type(rows)
    pointers = (rows.indices.astype(index), rows.indptr.astype(index))
    return scipy.sparse.csr_matrix((rows.data, *pointers), shape=rows.shape)


def _index_type(X: MatrixLike) -> type[np.int32 | np.int64]:
    """Return the smallest type of indices; some estimators refuse 64 bits."""
    return np.int32 if max(len(X.data), *X.shape) <= np.iinfo(np.int32).max else np.int64


def _is_canonical(X: MatrixLike) -> bool:
    """Return whether X is in canonical form; its own flags may be wrong and are not read."""
    if type(X) is not scipy.sparse.csr_matrix or X.data.dtype not in (np.float64, np.float32):
        return False
    if {X.indices.dtype, X.indptr.dtype} != {np.dtype(_index_type(X))}:
        return False
    is_first = np.zeros(len(X.indices) + 1, dtype=bool)
    is_first[X.indptr] = True
    rises = np.diff(X.indices) > 0
    return bool((rises | is_first[1:-1]).all() and X.data.all() and not np.isinf(X.data).any())


def _refuse_infinite(data: AnyArray) -> None:
    if np.isinf(data).any():
        raise InvalidInputError("values must be finite or missing, got infinite ones in X.")


# What a data set reports about its values.


def stored_rows(X: MatrixLike) -> IndexArray:
    """Return the row of each stored value."""
    return np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))


def count_missing(X: MatrixLike) -> tuple[IndexArray, IndexArray]:
    """Count missing values by row and by column."""
    gaps = np.isnan(X.data)
    rows = np.bincount(stored_rows(X)[gaps], minlength=X.shape[0])
    return rows, np.bincount(X.indices[gaps], minlength=X.shape[1])


def column_extremes(X: MatrixLike) -> tuple[AnyArray, AnyArray]:
    """Return the lowest and the highest value of each column; inf and -inf if all are missing."""
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    np.fmin.at(low, X.indices, X.data)
    np.fmax.at(high, X.indices, X.data)
    has_zeros = np.bincount(X.indices, minlength=X.shape[1]) < X.shape[0]
    low[has_zeros] = np.minimum(low[has_zeros], 0.0)
    high[has_zeros] = np.maximum(high[has_zeros], 0.0)
    return low, high


def row_keys(X: MatrixLike) -> list[bytes]:
    """Return a digest of each row, equal for rows with equal values, missing ones included."""
    values = X.data.copy()
    values[np.isnan(values)] = np.nan  # one bit pattern for NaN
    columns = X.indices.astype(np.int64)
    keys = []
    for start, stop in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True):
        digest = hashlib.blake2b(columns[start:stop].tobytes(), digest_size=16)
        digest.update(values[start:stop].tobytes())
        keys.append(digest.digest())
    return keys


def column_keys(X: MatrixLike, weights: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a weighted sum, modulo 2^64, of the bits of each column; a zero has no bits."""
    values = X.data.astype(np.float64)
    values[np.isnan(values)] = np.nan  # one bit pattern for NaN
    bits = values.view(np.uint64)
    bits ^= bits >> np.uint64(32)
    keys = np.zeros(X.shape[1], dtype=np.uint64)
    np.add.at(keys, X.indices, weights[stored_rows(X)] * bits)
    return keys


def column_sums(X: MatrixLike) -> tuple[FloatArray, AnyArray]:
    """Return the sum of the values of each column, and their number, without missing values."""
    gaps = np.isnan(X.data)
    sums = np.bincount(X.indices[~gaps], X.data[~gaps], minlength=X.shape[1])
    return sums.astype(np.float64), X.shape[0] - np.bincount(X.indices[gaps], minlength=X.shape[1])


def content_digest(X: MatrixLike) -> hashlib._Hash:
    """Return a SHA-256 digest of type, shape and stored values, to be extended.

    It differs from the digest of the same values in an array, which takes time for each zero;
    and sums over stored values may round differently, so that a store must not hold results of
    both.
    """
    digest = hashlib.sha256(f"csr {X.dtype.str} {X.shape}".encode())
    for part in (X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)):
        digest.update(np.ascontiguousarray(part).data)
    return digest
