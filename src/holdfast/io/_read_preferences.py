"""`read_preferences` and `read_similarity`: choose the reader for a file."""

from __future__ import annotations

import io
import os
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from holdfast._formatting import did_you_mean, format_list
from holdfast._typing import MatrixLike
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._delimited_text import detect_separator, is_content
from holdfast.io._numpy_files import SPARSE_KEY, build_sparse, read_npy, read_npz_arrays
from holdfast.io._preference_tables import (
    check_ranks,
    open_table,
    read_matrix,
    read_numbers,
)
from holdfast.io._selection_formats import read_json, read_selection_lines, to_subsets
from holdfast.io._text_files import (
    SourceText,
    decode_text,
    file_error,
    read_bytes,
    read_source,
    source_name,
)
from holdfast.preferences import Rankings, Subsets, Weights

if TYPE_CHECKING:
    from holdfast.io._selection_formats import Selections


Form: TypeAlias = Literal["subset", "weights", "rankings"]
FORMS = ("subset", "weights", "rankings")


def read_preferences(
    path: str | os.PathLike[str], *, form: Form = "subset", n_features: int | None = None
) -> Subsets | Weights | Rankings:
    r"""Read selections, scores or ranks from a file.

    Parameters
    ----------
    path : str or path
        The file; ``"-"`` reads standard input.
    form : {"subset", "weights", "rankings"}, default "subset"
        What the file holds.
    n_features : int, optional
        Number of features that could have been selected; checked against the file if it states
        this number.

    Returns
    -------
    Subsets, Weights or Rankings

    Raises
    ------
    FileFormatError
        The file is missing, binary, truncated or in another format; the message names the line.
    UnknownNameError
        There is no such form.
    InvalidInputError
        `n_features` is less than 1.

    Notes
    -----
    All text is UTF-8. The extension determines the format, or else the content:

    JSON (``.json``)
        A list of selections, each a list of indices (from 0) or of names; or an object
        ``{"n_features": 2000, "subsets": [...]}``, where ``"feature_names"`` may list all names.
    Table (``.csv``, ``.tsv``)
        A header of feature names and one row per preference: 0 and 1 (or true and false) for
        selections, numbers for weights, ranks with 1 as the best for rankings. Cells are
        separated by commas, semicolons or tabs; with the last two, decimal commas are accepted.
        A first column without a name holds row labels and is left out.
    Plain text (``.txt`` and others; selections only)
        One selection per line, features separated by white space, commas or semicolons. If all
        features of the file are integers they are indices (from 0), else names. A line with a
        single ``-`` is an empty selection.

    In tables and plain text, blank lines and lines that start with ``#`` are skipped. Features
    that are named without a list of all names are numbered in order of appearance.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "markers.txt"
    ...     _ = path.write_text("TP53 KRAS APC\nTP53 APC MYC\n")
    ...     read_preferences(path, n_features=2000)
    <Subsets: 2 selections of 3 out of 2,000 features. Next: ...>
    """
    if form not in FORMS:
        raise UnknownNameError(f"unknown form {form!r}.{did_you_mean(form, FORMS)}")
    if n_features is not None and n_features < 1:
        raise InvalidInputError(f"n_features must be at least 1, got {n_features}.")
    source = read_source(path)
    if form == "subset":
        return to_subsets(source, _read_selections(source), n_features)
    return _read_scores_or_ranks(source, form, n_features)


def read_with_similarity(
    path: str | os.PathLike[str],
    similarity: str | os.PathLike[str],
    *,
    n_features: int | None = None,
) -> tuple[Subsets, Any]:
    """Read selections together with a matrix of similarities between all features.

    Parameters
    ----------
    path : str or path
        The selections, as in :func:`read_preferences`.
    similarity : str or path
        The matrix, as in :func:`read_similarity`. If it names its features, names in the
        selections are matched with them; selections by name need a matrix with names, unless
        their file lists all names in order.
    n_features : int, optional
        Number of features, checked against the matrix.

    Returns
    -------
    subsets : Subsets
        With features numbered as in the matrix.
    matrix : ndarray or scipy sparse array
        The similarities.

    Raises
    ------
    FileFormatError
        One of the files is in another format, or they have different features.
    """
    matrix, names = read_similarity(similarity)
    count = int(matrix.shape[0])
    if n_features not in (None, count):
        raise file_error(
            source_name(similarity),
            f"the matrix must have n_features = {n_features:,} rows, got {count:,}.",
        )
    source = read_source(path)
    selections = _read_selections(source)
    if names is None and selections.names is None and selections.by_name:
        raise source.error(
            f"features are given by name, but {source_name(similarity)} has no names to match them "
            "with; give the similarities as CSV with a header of names."
        )
    return to_subsets(source, selections, count, names), matrix


def _read_selections(source: SourceText) -> Selections:
    kind = detect_format(source)
    if kind == "json":
        return read_json(source)
    return read_matrix(open_table(source)) if kind == "table" else read_selection_lines(source)


def _read_scores_or_ranks(
    source: SourceText, form: str, n_features: int | None
) -> Weights | Rankings:
    if detect_format(source) == "json":
        raise source.error(
            f"{form} are read from CSV or TSV with a header of names, got JSON; "
            "only selections are read from JSON.",
            1,
        )
    table = open_table(source)
    values = read_numbers(table, check_ranks if form == "rankings" else None)
    kind = Rankings if form == "rankings" else Weights
    try:
        return kind(values, n_features=n_features, feature_names=table.names)
    except InvalidInputError as error:
        raise source.error(str(error)) from error


# The format of a file: JSON, a table, or plain text.

_FORMAT_BY_SUFFIX: dict[str, Literal["json", "table"]] = {
    ".json": "json",
    ".csv": "table",
    ".tsv": "table",
}


def detect_format(source: SourceText) -> Literal["json", "table", "lines"]:
    """Detect the format from the extension, else from the first lines."""
    if source.suffix in _FORMAT_BY_SUFFIX:
        return _FORMAT_BY_SUFFIX[source.suffix]
    if source.text.lstrip().startswith(("[", "{")):
        return "json"
    return "table" if _is_selection_table(source) else "lines"


def _is_selection_table(source: SourceText) -> bool:
    """Return whether a line of names is followed by a line of 0 and 1 of the same length."""
    separator = detect_separator(source)
    stripped = (line.strip("\r\n ") for line in source.lines())
    content = filter(is_content, stripped)
    cells = [
        [cell.strip().strip('"') for cell in line.split(separator)] for line in islice(content, 2)
    ]
    if len(cells) < 2 or len(cells[0]) != len(cells[1]) or len(cells[0]) < 2:
        return False
    names, marks = cells
    labels = names[0] == ""
    return set(marks[labels:]) <= {"0", "1"} and not all(name.isdigit() for name in names[labels:])


# A matrix of similarities between features, from a NumPy file or a table.

_NPY, _NPZ = b"\x93NUMPY", b"PK"  # first bytes; an .npz file is a ZIP archive


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
        The names of the features, if the file has them.

    Raises
    ------
    FileFormatError
        Another format, a matrix that is not square, missing or infinite values.
    """
    name, data = source_name(path), read_bytes(path)
    if data.startswith((_NPY, _NPZ)):
        matrix, names = _load_numpy(name, data), None
    else:
        suffix = ".tsv" if str(path).lower().endswith(".tsv") else ".csv"
        table = open_table(SourceText(name, suffix, decode_text(name, data)))
        matrix, names = read_numbers(table), table.names
    _check_similarity_matrix(name, matrix)
    return matrix, names


def _load_numpy(name: str, data: bytes) -> MatrixLike:
    """Return the one array, or the sparse matrix, in the bytes of a file of NumPy."""
    if data.startswith(_NPY):
        return read_npy(name, io.BytesIO(data), len(data))
    arrays = read_npz_arrays(name, io.BytesIO(data))
    if SPARSE_KEY in arrays:
        return build_sparse(name, arrays)
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    raise file_error(
        name,
        f"one array is needed in the file, got {len(arrays):,}: {format_list(arrays) or 'none'}.",
    )


def _check_similarity_matrix(name: str, matrix: MatrixLike) -> None:
    if matrix.dtype.kind not in "biuf":
        raise file_error(name, f"similarities must be numbers, got {matrix.dtype}.")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise file_error(
            name,
            "a square matrix with one row and one column per feature is needed, "
            f"got the shape {tuple(matrix.shape)}.",
        )
    stored = matrix if isinstance(matrix, np.ndarray) else matrix.data
    if not np.isfinite(stored).all():
        raise file_error(name, "similarities must be finite, got missing or infinite ones.")
