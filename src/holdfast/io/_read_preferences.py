"""Which reader a file needs, and the functions that the outside calls."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from holdfast._formatting import did_you_mean, format_list
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._selection_formats import COMMENT, read_json, read_lines, to_subsets
from holdfast.io._tables import check_ranks, open_table, read_matrix, read_numbers, separator_of
from holdfast.io._text_files import (
    SourceText,
    decode_text,
    name_of,
    problem,
    read_bytes,
    read_source,
)
from holdfast.preferences import Rankings, Subsets, Weights

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from holdfast.io._selection_formats import Selections


Form: TypeAlias = Literal["subset", "weights", "rankings"]
FORMS = ("subset", "weights", "rankings")


def read_preferences(
    path: str | os.PathLike[str],
    *,
    form: Form = "subset",
    n_features: int | None = None,
) -> Subsets | Weights | Rankings:
    r"""Read selections, scores or ranks from a file.

    Parameters
    ----------
    path : str or path
        The file; ``"-"`` reads standard input.
    form : {"subset", "weights", "rankings"}, default "subset"
        What the file holds.
    n_features : int, optional
        Number of features that could have been selected, where the file does not tell;
        checked against the file where it does.

    Returns
    -------
    Subsets, Weights or Rankings

    Raises
    ------
    FileFormatError
        The file is missing, binary, cut off or otherwise not what it should be; the message
        says the line.
    UnknownNameError
        There is no such form.
    InvalidInputError
        `n_features` is less than 1.

    Notes
    -----
    All text is UTF-8. What is read, by the ending of the name or else by the content:

    JSON (``.json``)
        A list of selections, each a list of indices (from 0) or of names; or an object
        ``{"n_features": 2000, "subsets": [...]}``, where ``"feature_names"`` may list all names.
    Table (``.csv``, ``.tsv``)
        A header of feature names and one row a preference: 0 and 1 (or true and false) for
        selections, numbers for weights, ranks with 1 as the best for rankings. Cells stand
        between commas, semicolons or tabs; with the last two, decimal commas are understood.
        A first column without a name holds row labels and is left out.
    Plain text (``.txt`` and others; selections only)
        One selection a line, features between white space, commas or semicolons. If all
        features of the file are whole numbers they are indices (from 0), else names. A line
        with a single ``-`` is an empty selection.

    In tables and plain text, blank lines and lines that start with ``#`` are skipped. Features
    that are named without a list of all names are numbered in the order in which they turn up.

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
        return to_subsets(source, _selections(source), n_features)
    return _numbers(source, form, n_features)


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
        One of the files is not what it should be, or they speak of different features.
    """
    matrix, names = read_similarity(similarity)
    count = int(matrix.shape[0])
    if n_features not in (None, count):
        raise problem(
            name_of(similarity),
            f"the matrix must have n_features = {n_features:,} rows, got {count:,}.",
        )
    source = read_source(path)
    found = _selections(source)
    _refuse_unmatched(source, found, name_of(similarity), names)
    return to_subsets(source, found, count, names), matrix


def _refuse_unmatched(
    source: SourceText, found: Selections, similarity: str, names: Sequence[str] | None
) -> None:
    if names is None and found.names is None and found.by_name:
        raise source.error(
            f"features go by name here, but {similarity} has no names to match them with; "
            "give the similarities as CSV with a header of names."
        )


def _selections(source: SourceText) -> Selections:
    kind = format_of(source)
    if kind == "json":
        return read_json(source)
    return read_matrix(open_table(source)) if kind == "table" else read_lines(source)


def _numbers(source: SourceText, form: str, n_features: int | None) -> Weights | Rankings:
    if format_of(source) == "json":
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


# What a file is: JSON, a table, or plain text.

_BY_ENDING: dict[str, Literal["json", "table"]] = {
    ".json": "json",
    ".csv": "table",
    ".tsv": "table",
}


def format_of(source: SourceText) -> Literal["json", "table", "lines"]:
    """Tell the format from the ending of the name, else from the first lines."""
    if source.suffix in _BY_ENDING:
        return _BY_ENDING[source.suffix]
    if source.text.lstrip().startswith(("[", "{")):
        return "json"
    return "table" if _is_matrix(source) else "lines"


def _is_matrix(source: SourceText) -> bool:
    """Tell whether a line of names is followed by a line of as many 0 and 1."""
    separator = separator_of(source)
    stripped = (line.strip("\r\n ") for line in source.lines())
    content = (line for line in stripped if line.strip() and not line.startswith(COMMENT))
    cells = [_cells(line, separator) for line in islice(content, 2)]
    if len(cells) < 2 or len(cells[0]) != len(cells[1]) or len(cells[0]) < 2:
        return False
    names, marks = cells
    labels = names[0] == ""
    return set(marks[labels:]) <= {"0", "1"} and not all(name.isdigit() for name in names[labels:])


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(separator)]


# A matrix of similarities between features, from NumPy's files or from a table.

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
        matrix, names = _from_table(SourceText(name, suffix, decode_text(name, data)))
    _check(name, matrix)
    return matrix, names


# what NumPy lets through from a damaged file, by the part that is damaged
_UNREADABLE = (
    ValueError, OSError, EOFError, KeyError, RuntimeError, SyntaxError,
    tokenize.TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def _from_table(source: SourceText) -> tuple[Any, list[str]]:
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
        name, f"one array is needed in the file, got {len(keys):,}: {format_list(keys) or 'none'}."
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
