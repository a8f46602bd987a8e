"""Which reader a file needs, and the functions that the outside calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast._text import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._cells import check_ranks, read_matrix, read_numbers
from holdfast.io._json import read_json
from holdfast.io._lines import read_lines
from holdfast.io._selections import to_subsets
from holdfast.io._similarity import read_similarity
from holdfast.io._sniff import format_of
from holdfast.io._source import name_of, problem, read_source
from holdfast.io._table import open_table
from holdfast.preferences import Rankings, Subsets, Weights

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from holdfast.io._selections import Selections
    from holdfast.io._source import Source

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
    source: Source, found: Selections, similarity: str, names: Sequence[str] | None
) -> None:
    if names is None and found.names is None and found.by_name:
        raise source.error(
            f"features go by name here, but {similarity} has no names to match them with; "
            "give the similarities as CSV with a header of names."
        )


def _selections(source: Source) -> Selections:
    kind = format_of(source)
    if kind == "json":
        return read_json(source)
    return read_matrix(open_table(source)) if kind == "table" else read_lines(source)


def _numbers(source: Source, form: str, n_features: int | None) -> Weights | Rankings:
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
