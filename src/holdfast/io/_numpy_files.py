"""Arrays in NumPy's files; shapes and sizes are checked before memory is taken."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from holdfast._memory import MemoryUse
from holdfast._typing import AnyArray, IndexArray, MatrixLike
from holdfast.errors import HoldfastError
from holdfast.io._text_files import file_error, quote_value

_HEADERS = {
    # version 3 is for records with Unicode field names, which are not matrices
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_SUFFIX = ".npy"
_MAX_CODE_POINT = 0x10FFFF  # of Unicode
BYTES_PER_NUMBER = 8
"""Bytes of a value after conversion to float64."""
BYTES_PER_TEXT = 100
"""Bytes of a short text as a Python object; measured: 50 and 4 per character, and a reference."""


def read_npy(name: str, stream: IO[bytes], n_bytes: int) -> AnyArray:
    """Read one array from a stream of at most this many bytes; no Python objects."""
    use = MemoryUse(lambda message: file_error(name, message))
    with refuse_damage(name, "a NumPy file of numbers"):
        return _read_array(name, "the array", stream, n_bytes, use)


def read_npz_arrays(name: str, stream: IO[bytes]) -> dict[str, AnyArray]:
    """Read all arrays of an ``.npz`` file; no Python objects."""
    use = MemoryUse(lambda message: file_error(name, message))
    arrays: dict[str, AnyArray] = {}
    with (
        refuse_damage(name, "an .npz file of arrays without Python objects"),
        zipfile.ZipFile(stream) as archive,
    ):
        for member in archive.infolist():
            key = member.filename.removesuffix(_SUFFIX)
            if key in arrays:
                raise file_error(name, f"the file holds {quote_value(key)} twice.")
            if key == member.filename or member.compress_type not in _COMPRESSIONS:
                raise file_error(
                    name, f"{quote_value(member.filename)} is not an array that NumPy stored."
                )
            with archive.open(member) as part:
                arrays[key] = _read_array(name, quote_value(key), part, member.file_size, use)
    return arrays


@contextmanager
def refuse_damage(name: str, needed: str) -> Iterator[None]:
    """Raise `FileFormatError` for whatever exception a damaged file causes in a library."""
    try:
        yield
    except HoldfastError:
        raise
    except Exception as error:  # of NumPy, pyarrow, h5py and others
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise file_error(
            name, f"{needed} is needed, got one that cannot be read ({reason:.200})."
        ) from error


def _read_array(name: str, what: str, stream: IO[bytes], n_bytes: int, use: MemoryUse) -> AnyArray:
    """Read an array after a check of its header; NumPy would take the memory it announces."""
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"{what} is in version {version} of the format")
    shape, _, kind = _HEADERS[version](stream)
    if kind.names is not None:
        fields = ", ".join(kind.names)
        raise ValueError(f"{what} is a structured array with the fields {fields}: choose one field")
    if kind.hasobject or kind.subdtype is not None:
        raise ValueError(f"{what} holds {'Python objects' if kind.hasobject else 'arrays'}")
    size = math.prod(shape)
    if min(shape, default=0) < 0 or size * kind.itemsize > n_bytes:
        raise ValueError(f"{what} announces the shape {shape}, more than the file holds")
    converted = BYTES_PER_NUMBER if kind.kind in "biuf" else BYTES_PER_TEXT
    use.add(size * (kind.itemsize + converted), f"{what} of the shape {shape}")
    stream.seek(0)
    array: AnyArray = np.lib.format.read_array(stream, allow_pickle=False)
    if stream.read(1):  # also makes zipfile compare the checksum
        raise ValueError(f"{what} has the shape {shape}, but the file holds more data")
    if kind.kind == "U" and kind.itemsize and size:
        points = np.ascontiguousarray(array).view(np.dtype(np.uint32).newbyteorder(kind.byteorder))
        if points.max() > _MAX_CODE_POINT:
            raise file_error(name, f"{what} must be text, got characters outside Unicode.")
    return array


# Sparse matrices, as scipy.sparse.save_npz writes them.

SPARSE_KEY = "format"
"""Name of the array that only files with a sparse matrix have."""
_ARRAYS_BY_FORMAT = {
    "csr": ("indices", "indptr", "data"),
    "csc": ("indices", "indptr", "data"),
    "coo": ("row", "col", "data"),
    "bsr": ("indices", "indptr", "data"),
    "dia": ("offsets", "data"),
}


def build_sparse(name: str, arrays: Mapping[str, AnyArray]) -> MatrixLike:
    """Build a sparse matrix after a check of all its arrays; wrong indices would crash SciPy."""
    import scipy.sparse

    kind = _read_format(name, arrays[SPARSE_KEY])
    missing = [key for key in (*_ARRAYS_BY_FORMAT[kind], "shape") if key not in arrays]
    if missing:
        raise file_error(name, f"a sparse matrix needs the array {missing[0]!r}, got none.")
    shape, data = _read_shape(name, arrays["shape"]), arrays["data"]
    if data.dtype.kind not in "biuf":
        raise file_error(name, f"a sparse matrix must hold numbers, got {data.dtype}.")
    use = MemoryUse(lambda message: file_error(name, message))
    use.add(2 * BYTES_PER_NUMBER * (max(shape) + 1), f"a sparse matrix of the shape {shape}")
    if kind == "dia":
        offsets = _check_indices(name, "offsets", arrays["offsets"], 1 - shape[0], shape[1])
        if len(np.unique(offsets)) < len(offsets):
            raise file_error(name, "each diagonal may be stored once, got one offset again.")
        if data.ndim != 2 or len(data) != len(offsets) or data.shape[1] > shape[1]:
            raise file_error(
                name,
                f"'data' must have one row for each of {len(offsets):,} diagonals, with up to "
                f"{shape[1]:,} values, got the shape {data.shape}.",
            )
        return scipy.sparse.csr_array(scipy.sparse.dia_array((data, offsets), shape=shape))
    if kind == "coo":
        rows = _check_indices(name, "row", arrays["row"], 0, shape[0])
        columns = _check_indices(name, "col", arrays["col"], 0, shape[1])
        if not data.shape == rows.shape == columns.shape:
            raise file_error(name, "'row', 'col' and 'data' must have one length.")
        matrix = scipy.sparse.coo_array((data, (rows, columns)), shape=shape)
    else:
        indices, indptr = arrays["indices"], arrays["indptr"]
        check_compressed(name, kind, shape, data, (indices, indptr))
        make = getattr(scipy.sparse, f"{kind}_array")
        matrix = make((data, indices, indptr), shape=shape)
    _refuse_duplicates(name, matrix)
    return scipy.sparse.csr_array(matrix)


def check_sparse(name: str, matrix: MatrixLike) -> None:
    """Raise unless all indices of a compressed sparse matrix fit its shape."""
    check_compressed(
        name, matrix.format, matrix.shape, matrix.data, (matrix.indices, matrix.indptr)
    )
    _refuse_duplicates(name, matrix)


def check_compressed(
    name: str,
    kind: str,
    shape: tuple[int, int],
    data: AnyArray,
    pointers: tuple[AnyArray, AnyArray],
) -> None:
    """Raise unless the indices of a compressed matrix (csr, csc or bsr) fit its shape."""
    indices, indptr = pointers
    n_stored, block = len(np.atleast_1d(data)), data.shape[1:]
    if data.ndim == 0 or len(block) != (2 if kind == "bsr" else 0) or 0 in block:
        raise file_error(name, f"the data of a sparse matrix ({kind}) have the wrong dimensions.")
    height, width = block or (1, 1)
    if shape[0] % height or shape[1] % width:
        raise file_error(name, f"blocks of {height} x {width} do not fill the shape {shape}.")
    outer, inner = shape[0] // height, shape[1] // width
    if kind == "csc":
        outer, inner = inner, outer
    starts = _check_indices(name, "indptr", indptr, 0, n_stored + 1)
    if len(starts) != outer + 1 or starts[0] != 0 or (np.diff(starts) < 0).any():
        raise file_error(
            name, f"'indptr' must rise from 0 in {outer + 1:,} steps, one per row or column."
        )
    if not int(starts[-1]) == len(indices) == n_stored:
        raise file_error(
            name,
            f"'indptr' announces {int(starts[-1]):,} values; got {len(indices):,} indices and "
            f"{n_stored:,} values.",
        )
    _check_indices(name, "indices", indices, 0, inner)


def _refuse_duplicates(name: str, matrix: MatrixLike) -> None:
    """Raise if a sparse matrix stores a cell twice: readers differ in whether these add up."""
    cells = matrix.tocoo()
    keys = cells.row.astype(np.int64) * matrix.shape[1] + cells.col
    if len(np.unique(keys)) < len(keys):
        raise file_error(name, "a sparse matrix may store each cell once, got one again.")


def _read_format(name: str, values: AnyArray) -> str:
    text: Any = values.item() if values.ndim == 0 else None
    kind = text.decode("ascii", "backslashreplace") if isinstance(text, bytes) else text
    if kind not in _ARRAYS_BY_FORMAT:
        raise file_error(
            name,
            f"a sparse matrix must be in one of the formats {', '.join(_ARRAYS_BY_FORMAT)}, "
            f"got {quote_value(kind)}.",
        )
    return str(kind)


def _read_shape(name: str, values: AnyArray) -> tuple[int, int]:
    if values.shape != (2,) or values.dtype.kind not in "iu" or values.min() < 1:
        raise file_error(name, "a sparse matrix needs a shape of two positive integers.")
    rows, columns = values.tolist()
    if rows * columns > np.iinfo(np.int64).max:
        raise file_error(name, f"the shape {(rows, columns)} of the sparse matrix is too large.")
    return rows, columns


def _check_indices(name: str, what: str, values: AnyArray, low: int, high: int) -> IndexArray:
    """Return indices as integers; raise unless all are at least `low` and below `high`."""
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise file_error(name, f"{what!r} must be a list of integers, got {values.dtype}.")
    if values.size and not (low <= int(values.min()) and int(values.max()) < high):
        raise file_error(
            name,
            f"{what!r} must be from {low:,} to {high - 1:,}, got {int(values.min()):,} to "
            f"{int(values.max()):,}.",
        )
    return values.astype(np.int64)
