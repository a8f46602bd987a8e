"""Data from anywhere: which reader a source needs."""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import did_you_mean
from holdfast._validation import flag
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.io._arff import read_arff
from holdfast.io._binary import Matrix, matrix_data, read_h5ad, read_npz, read_parquet
from holdfast.io._columns import TARGET, Wishes, as_column, as_columns
from holdfast.io._csv import read_table
from holdfast.io._dataset import Dataset, is_text
from holdfast.io._frames import as_frame, frame_data, is_frame
from holdfast.io._gct import LABELS, read_gct
from holdfast.io._text_files import problem, read_text, refuse_unreadable, suffix_of
from holdfast.simulate import Microarray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from holdfast.io._columns import Column

    Progress: TypeAlias = Callable[[float], None]


_log = logging.getLogger(__name__)
_TEXT_READERS = {
    ".arff": read_arff,
    ".csv": read_table,
    ".gct": read_gct,
    ".tab": read_table,
    ".tsv": read_table,
    ".txt": read_table,
}
_BINARY = {".h5ad": read_h5ad, ".npz": read_npz, ".parquet": read_parquet}


def read_data(  # noqa: PLR0913  (each says one thing about the data)
    source: Any,  # noqa: ANN401  (a path, a name, a frame, a data set)
    *,
    target: str | int | os.PathLike[str] | None = None,
    drop: Column | Iterable[Column] = (),
    nominal: Column | Iterable[Column] = (),
    groups: Column | None = None,
    cohort: Column | None = None,
    positive: str | None = None,
    classes: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    r"""Read data: numbers, one label a sample, names of features.

    Parameters
    ----------
    source : str, path, frame or Dataset
        A file; ``"@wine"``, ``"@breast_cancer"``, ``"@digits"`` or ``"@simulated"`` for data that
        come along; or a frame of pandas or polars.
    target : str, int or path, optional
        The column that holds the labels: by name, or by number from 0 (-1 is the last). A column
        whose name is a number goes by its name. By default the column called ``class``, in ARFF
        files else the last one. For GCT files, the path of a CLS file may be given.
    drop : str, int or list of these, default ()
        Columns to leave out, such as identifiers.
    nominal : str, int or list of these, default ()
        Columns whose values are kinds, not amounts. They are coded 0, 1, ... in the sorted order
        of their values, by number if all are plain ones (9, 10), else by text. Other columns of
        text are refused.
    groups : str or int, optional
        The column that holds the group (the subject, the batch) of each sample.
    cohort : str or int, optional
        The column that holds the cohort (the study site) of each sample.
    positive : str, optional
        The class that is set against all others together.
    classes : bool, default False
        The numbers of the target are class labels. It must be said where a target holds three or
        more distinct numbers: they may as well be amounts, which no study takes yet. Text,
        categories, nominal attributes, CLS files and the integers of an ``.npz`` file are classes
        without it, and `positive` says as much.
    progress : callable, optional
        Called from time to time with the part of the file that is read, from 0 to 1.

    Returns
    -------
    Dataset

    Raises
    ------
    FileFormatError
        The file is missing, damaged or not what it should be; the message says the line.
    InvalidInputError
        No target is named and none is called ``class``; the target holds numbers that may be
        amounts; a column has two roles; a package that the format needs is not installed.
    UnknownNameError
        There is no such column, class or bundled data set; the message names the nearest.

    Notes
    -----
    The ending of the name decides. Text may be packed (``.csv.gz``); it is UTF-8, UTF-16 or UTF-32
    with a byte order mark, or else Latin-1, which the notes of the data set tell.

    ``.csv``, ``.tsv``, ``.tab``, ``.txt``
        A header of names and one row a sample. Cells stand between commas, semicolons or tabs,
        whichever the header has most; with the last two, decimal commas are understood, but not
        beside decimal points. A first column without a name holds labels of the rows and is left
        out.
    ``.arff``
        WEKA's format, dense or sparse. Nominal attributes are nominal features; of their values,
        only an unquoted ``?`` is missing.
    ``.gct``
        GenePattern's format, versions 1.2 and 1.3, features in rows. The target is a row about
        the samples (1.3) or a CLS file.
    ``.npz``
        NumPy arrays ``X`` and ``y``, and ``feature_names``, ``groups`` and ``cohorts`` if there
        are any.
    ``.parquet``
        One row a sample; needs pyarrow (``holdfast[parquet]``). Row labels that pandas stored are
        left out unless they are named.
    ``.h5ad``
        AnnData; target, groups and cohort are columns of ``obs``; needs anndata
        (``holdfast[anndata]``).

    Missing values of features are empty cells, ``NA``, ``NaN``, ``?`` and ``null``. Labels are
    text, exactly as in the file, but for blanks around them: ``NA``, ``1`` and ``True`` are labels
    like others, only an empty cell is missing, and refused. Numbers are read exactly.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from holdfast.io import read_data
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "cells.csv"
    ...     _ = path.write_text("id;TP53;KRAS;class\ns1;0,5;2;tumor\ns2;NA;3;normal\n")
    ...     data = read_data(path, drop="id")
    >>> data.X.tolist(), data.y.tolist()
    ([[0.5, 2.0], [nan, 3.0]], ['tumor', 'normal'])
    """
    wishes = Wishes(
        target=_target(target, source),
        drop=as_columns("drop", drop),
        nominal=as_columns("nominal", nominal),
        groups=None if groups is None else as_column("groups", groups),
        cohort=None if cohort is None else as_column("cohort", cohort),
        classes=flag(classes, "classes") or positive is not None,
    )
    data = _read(source, wishes, progress or _silent)
    for note in data.notes:
        _log.info("%s", note)
    return data if positive is None else data.one_against_rest(positive)


def _read(source: Any, wishes: Wishes, progress: Progress) -> Dataset:  # noqa: ANN401
    if isinstance(source, Dataset):
        return _as_is(source, wishes)
    if is_frame(source):
        return frame_data(as_frame(source), wishes, None)
    if not isinstance(source, str | os.PathLike):
        raise InvalidInputError(
            f"a path, a name such as '@wine' or a frame is needed, got {type(source).__name__}; "
            "from_arrays takes a matrix and labels."
        )
    if isinstance(source, str) and source.startswith(SIGN):
        again = {"file": source, **wishes.as_json()}
        return matrix_data(read_bundled(source), wishes, again)
    return _read_file(Path(source), wishes, progress)


def _read_file(path: Path, wishes: Wishes, progress: Progress) -> Dataset:
    suffix = suffix_of(path)
    refuse_unreadable(path)
    if not is_text(str(path.resolve())):
        raise problem(ascii(path.name), "the path is no text (UTF-8); rename the file or folder.")
    if suffix not in {*_TEXT_READERS, *_BINARY} or (
        suffix in _BINARY and suffix != path.suffix.lower()
    ):
        raise problem(
            str(path),
            "the ending must tell the format, one of "
            f"{', '.join(sorted({*_TEXT_READERS, *_BINARY}))}, "
            f"or .gz behind one of text, got {path.suffix or 'none'!r}.",
        )
    again = {"file": str(path.resolve()), **wishes.as_json()}
    if suffix in _TEXT_READERS:
        read = partial(_TEXT_READERS[suffix], wishes=wishes, source=again)
        return read_text(path, progress, read)
    data = _BINARY[suffix](path, wishes, again)
    progress(1.0)
    return data


def _as_is(data: Dataset, wishes: Wishes) -> Dataset:
    if replace(wishes, classes=False) != Wishes():  # the labels of a data set are classes
        raise InvalidInputError(
            "target, drop, nominal, groups and cohort are for files and frames; a Dataset has them "
            "already."
        )
    return data


def _target(
    target: str | int | os.PathLike[str] | None,
    source: Any,  # noqa: ANN401
) -> Column | None:
    """Return the target such that it can be written down: a file of labels with its whole path."""
    if target is None:
        return None
    name = os.fspath(target) if isinstance(target, os.PathLike) else target
    if isinstance(name, str) and name.lower().endswith(LABELS) and _is_gct(source):
        return str(Path(name).resolve())
    return as_column("target", name)


def _is_gct(source: Any) -> bool:  # noqa: ANN401
    return isinstance(source, str | os.PathLike) and suffix_of(Path(source)) == ".gct"


def _silent(_: float) -> None:
    """Report to nobody."""


# Data sets that come along: ``@wine`` and others.

SIGN = "@"


def read_bundled(name: str) -> Matrix:
    """Return a data set by its name, which begins with @; its target is called ``class``."""
    if name not in BUNDLED:
        raise UnknownNameError(f"no bundled data are called {name!r}.{did_you_mean(name, BUNDLED)}")
    return BUNDLED[name](name)


def _from_sklearn(name: str) -> Matrix:
    from sklearn import datasets  # noqa: PLC0415  (not every study needs it)

    found: Any = getattr(datasets, f"load_{name.removeprefix(SIGN)}")()
    labels = np.array([str(label) for label in found.target_names])[found.target]
    return Matrix(
        where=name,
        X=np.ascontiguousarray(found.data, dtype=np.float64),
        feature_names=[str(feature) for feature in found.feature_names],
        side={TARGET: labels},
    )


def _simulate_matrix(name: str) -> Matrix:
    generator = Microarray()
    drawn = generator.draw(0)
    return Matrix(
        where=name,
        X=drawn.X,
        feature_names=list(drawn.feature_names),
        side={TARGET: drawn.y},
        truth=drawn.informative,
        generator=generator,
    )


BUNDLED: dict[str, Callable[[str], Matrix]] = {
    "@breast_cancer": _from_sklearn,
    "@digits": _from_sklearn,
    "@simulated": _simulate_matrix,
    "@wine": _from_sklearn,
}
