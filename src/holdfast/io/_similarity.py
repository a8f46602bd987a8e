"""A matrix of similarities between features, from NumPy's files or from a table."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import shortened
from holdfast.io._cells import read_numbers
from holdfast.io._source import Source, decoded, name_of, problem, read_bytes
from holdfast.io._table import open_table

if TYPE_CHECKING:
    import os

_NPY, _NPZ = b"\x93NUMPY", b"PK"


def read_similarity(path: str | os.PathLike[str]) -> tuple[Any, list[str] | None]:
    """Read a square matrix of similarities between features.

    Parameters
    ----------
    path : str or path
        A ``.npy`` file; a ``.npz`` file with a single array or written by
        :func:`scipy.sparse.save_npz`; or CSV or TSV with a header of feature names.

    Returns
    -------
    matrix : ndarray or scipy sparse array
        The p x p similarities, all finite.
    names : list of str or None
        The names of the features, where the file has them.

    Raises
    ------
    FileFormatError
        Anything else, a matrix that is not square, missing or infinite values.
    """
    name, data = name_of(path), read_bytes(path)
    if data.startswith((_NPY, _NPZ)):
        matrix, names = _from_numpy(name, data), None
    else:
        suffix = ".tsv" if str(path).lower().endswith(".tsv") else ".csv"
        matrix, names = _from_table(Source(name, suffix, decoded(name, data)))
    _check(name, matrix)
    return matrix, names


# what NumPy lets through from a damaged file, by the part that is damaged
_UNREADABLE = (
    ValueError, OSError, EOFError, KeyError, RuntimeError, SyntaxError,
    tokenize.TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def _from_table(source: Source) -> tuple[Any, list[str]]:
    table = open_table(source)
    return read_numbers(table), table.names


def _from_numpy(name: str, data: bytes) -> Any:  # noqa: ANN401  (dense or sparse)
    try:
        loaded = np.load(io.BytesIO(data), allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        keys = list(loaded.files)
        if "format" in keys:
            return _sparse(data)
        if len(keys) == 1:
            return loaded[keys[0]]
    except _UNREADABLE as error:
        raise problem(
            name, f"a NumPy file of numbers is needed, got one that cannot be read ({error})."
        ) from None
    raise problem(
        name, f"one array is needed in the file, got {len(keys):,}: {shortened(keys) or 'none'}."
    )


def _sparse(data: bytes) -> Any:  # noqa: ANN401  (scipy has two families of sparse matrices)
    import scipy.sparse  # noqa: PLC0415  (only sparse files need it)

    return scipy.sparse.csr_array(scipy.sparse.load_npz(io.BytesIO(data)))


def _check(name: str, matrix: Any) -> None:  # noqa: ANN401
    if matrix.dtype.kind not in "biuf":
        raise problem(name, f"similarities must be numbers, got {matrix.dtype}.")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise problem(
            name,
            "a square matrix with one row and one column a feature is needed, "
            f"got the shape {tuple(matrix.shape)}.",
        )
    stored = matrix if isinstance(matrix, np.ndarray) else matrix.data
    if not np.isfinite(stored).all():
        raise problem(name, "similarities must be finite, got missing or infinite ones.")
