"""`read_data`: choose the reader for a file, a frame or a bundled data set."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from holdfast._typing import DataLike
from holdfast._validation import check_flag
from holdfast.errors import InvalidInputError
from holdfast.io._arff import read_arff
from holdfast.io._binary import (
    Matrix,
    dataset_from_matrix,
    read_h5ad,
    read_npz,
    read_parquet,
    with_default_columns,
)
from holdfast.io._columns import SAMPLE_ROLES, TARGET, ColumnOptions, as_column, as_columns
from holdfast.io._csv import read_table
from holdfast.io._dataset import Dataset, is_text
from holdfast.io._frames import as_frame, dataset_from_frame, is_frame
from holdfast.io._gct import LABELS, read_gct
from holdfast.io._named_datasets import DATASETS, SIGN
from holdfast.io._text_files import file_error, format_suffix, read_text, refuse_unreadable

if TYPE_CHECKING:
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
_BINARY_READERS = {".h5ad": read_h5ad, ".npz": read_npz, ".parquet": read_parquet}


def read_data(
    source: DataLike,
    *,
    target: str | int | os.PathLike[str] | None = None,
    drop: Column | Iterable[Column] = (),
    nominal: Column | Iterable[Column] = (),
    groups: Column | None = None,
    cohort: Column | None = None,
    sample_weight: Column | None = None,
    positive: str | None = None,
    classes: bool = False,
    progress: Progress | None = None,
) -> Dataset:
    r"""Read a data set: a matrix of numbers, one label per sample, names of features.

    Parameters
    ----------
    source : str, path, frame or Dataset
        A file; ``"@wine"``, ``"@breast_cancer"``, ``"@digits"``, ``"@simulated"`` or the name of
        a data set that another package offers; or a frame of pandas or polars.
    target : str, int or path, optional
        The column that holds the labels: by name, or by number from 0 (-1 is the last). A column
        whose name is a number goes by its name. By default the column called ``class``, in ARFF
        files else the last one. For GCT files, the path of a CLS file may be given.
    drop : str, int or list of these, default ()
        Columns to leave out, such as identifiers.
    nominal : str, int or list of these, default ()
        Categorical columns. They are coded 0, 1, ... in the sorted order of their values: by
        number if all are plain integers or decimals (9, 10), else by text. Other columns of text
        are refused.
    groups : str or int, optional
        The column that holds the group (the subject, the batch) of each sample.
    cohort : str or int, optional
        The column that holds the cohort (the study site) of each sample.
    sample_weight : str or int, optional
        The column that holds the weight of each sample: numbers of at least 0, not all 0.
    positive : str, optional
        The class that is compared with all others merged.
    classes : bool, default False
        Whether the numbers in the target are class labels. Required if a target holds three or
        more distinct numbers, which could be quantities; these are not supported yet. Text,
        categories, nominal attributes, CLS files and the integers of an ``.npz`` file are always
        classes, and so is any target with `positive`.
    progress : callable, optional
        Called now and then with the fraction of the file that has been read, from 0 to 1.

    Returns
    -------
    Dataset

    Raises
    ------
    FileFormatError
        The file is missing, damaged or in another format; the message names the line.
    InvalidInputError
        No target is named and no column is called ``class``; the target holds numbers that may be
        quantities; a column has two roles; a package that the format needs is not installed.
    UnknownNameError
        There is no such column, class or data set; the message suggests the nearest.

    Notes
    -----
    The extension determines the format. Text may be compressed (``.csv.gz``). It is UTF-8, UTF-16
    or UTF-32 with a byte order mark, or else Latin-1, which the notes of the data set mention.

    ``.csv``, ``.tsv``, ``.tab``, ``.txt``
        A header of names and one row per sample. Cells are separated by commas, semicolons or
        tabs, whichever the header has most. With semicolons and tabs, decimal commas are
        accepted, but not together with decimal points. A first column without a name holds row
        labels and is left out.
    ``.arff``
        WEKA's format, dense or sparse. Nominal attributes are nominal features; of their values,
        only an unquoted ``?`` is missing.
    ``.gct``
        GenePattern's format, versions 1.2 and 1.3, features in rows. The target is a row about
        the samples (1.3) or a CLS file.
    ``.npz``
        NumPy arrays ``X`` and ``y``, and ``feature_names``, ``groups``, ``cohorts`` and
        ``sample_weight`` if there are any.
    ``.parquet``
        One row per sample; needs pyarrow (``holdfast[parquet]``). Row labels that pandas stored are
        left out unless they are named.
    ``.h5ad``
        AnnData; target, groups, cohort and weights are columns of ``obs``; needs anndata
        (``holdfast[anndata]``).

    Missing values of features are empty cells, ``NA``, ``NaN``, ``?`` and ``null``. Labels are
    text as in the file, without surrounding blanks: ``NA``, ``1`` and ``True`` are ordinary labels,
    and only an empty cell is missing, which is an error. Numbers are parsed exactly.

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
    options = ColumnOptions(
        target=_as_storable_target(target, source),
        drop=as_columns("drop", drop),
        nominal=as_columns("nominal", nominal),
        groups=None if groups is None else as_column("groups", groups),
        cohort=None if cohort is None else as_column("cohort", cohort),
        sample_weight=(
            None if sample_weight is None else as_column("sample_weight", sample_weight)
        ),
        classes=check_flag(classes, "classes") or positive is not None,
    )
    data = _read_source(source, options, progress or (lambda _: None))
    for note in data.notes:
        _log.info("%s", note)
    return data if positive is None else data.one_against_rest(positive)


def _read_source(source: DataLike, options: ColumnOptions, progress: Progress) -> Dataset:
    if isinstance(source, Dataset):
        # the labels of a data set are classes
        if replace(options, classes=False) != ColumnOptions():
            raise InvalidInputError(
                "target, drop, nominal, sample_weight, groups and cohort are for files and frames; "
                "a Dataset has them already."
            )
        return source
    if not isinstance(source, str | os.PathLike):
        if is_frame(source):
            return dataset_from_frame(as_frame(source), options, None)
        raise InvalidInputError(
            f"a path, a name such as '@wine' or a frame is needed, got {type(source).__name__}; "
            "from_arrays takes a matrix and labels."
        )
    if isinstance(source, str) and source.startswith(SIGN):
        return _read_named(source, options)
    return _read_file(Path(source), options, progress)


def _read_file(path: Path, options: ColumnOptions, progress: Progress) -> Dataset:
    suffix = format_suffix(path)
    refuse_unreadable(path)
    if not is_text(str(path.resolve())):
        raise file_error(
            ascii(path.name), "the path is not valid UTF-8; rename the file or folder."
        )
    if suffix not in {*_TEXT_READERS, *_BINARY_READERS} or (
        suffix in _BINARY_READERS and suffix != path.suffix.lower()
    ):
        raise file_error(
            str(path),
            "the extension must be one of "
            f"{', '.join(sorted({*_TEXT_READERS, *_BINARY_READERS}))}, "
            f"or a text format with .gz, got {path.suffix or 'none'!r}.",
        )
    source = {"file": str(path.resolve()), **options.as_json()}
    if suffix in _TEXT_READERS:
        read = partial(_TEXT_READERS[suffix], options=options, source=source)
        return read_text(path, progress, read)
    data = _BINARY_READERS[suffix](path, options, source)
    progress(1.0)
    return data


def _as_storable_target(
    target: str | int | os.PathLike[str] | None, source: DataLike
) -> Column | None:
    """Return the target in a form that can be stored; a CLS file becomes an absolute path."""
    if target is None:
        return None
    name = os.fspath(target) if isinstance(target, os.PathLike) else target
    is_gct = isinstance(source, str | os.PathLike) and format_suffix(Path(source)) == ".gct"
    if is_gct and isinstance(name, str) and name.lower().endswith(LABELS):
        return str(Path(name).resolve())
    return as_column("target", name)


def _read_named(name: str, options: ColumnOptions) -> Dataset:
    """Read a data set by its name; its target is called ``class``."""
    data = DATASETS.get_record(name).load()
    fields = {name: getattr(data, name) for name in SAMPLE_ROLES.values()}
    columns = {TARGET: data.y, **fields}
    side = {column: values for column, values in columns.items() if values is not None}
    nominal = dict.fromkeys([*options.nominal, *(data.feature_names[j] for j in data.nominal)])
    matrix = Matrix(
        where=name,
        X=data.X,
        feature_names=list(data.feature_names),
        sample_columns=side,
        truth=data.truth,
        generator=data.generator,
        notes=data.notes,
    )
    options_with_roles = with_default_columns(
        replace(options, nominal=tuple(nominal), classes=True), side
    )
    return dataset_from_matrix(matrix, options_with_roles, {"file": name, **options.as_json()})
