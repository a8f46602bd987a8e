"""Data in binary files: NumPy's, Parquet, and AnnData."""

from __future__ import annotations

import importlib
import zipfile
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import shortened
from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.io._data_frame import Frame, checked, frame_data, is_categorical
from holdfast.io._data_labels import as_texts
from holdfast.io._data_matrix import Matrix, matrix_data, one_each
from holdfast.io._data_target import TargetOrigin
from holdfast.io._data_values import as_numbers
from holdfast.io._source import problem

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from numpy.typing import NDArray

    from holdfast.io._data_roles import Wishes
    from holdfast.io._dataset import Dataset

_INDEX = "__index_level_"  # what pandas calls its row labels in Parquet
_UNREADABLE = (
    ValueError, OSError, EOFError, KeyError, TypeError, SyntaxError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_npz(path: Path, wishes: Wishes, source: dict[str, Any]) -> Dataset:
    """Read arrays X and y, and feature_names, groups and cohorts if they are there."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays: dict[str, NDArray[Any]] = {key: file[key] for key in file.files}
    except _UNREADABLE as error:
        raise _unreadable(path, "an .npz file of arrays without Python objects", error) from None
    X, names = arrays.pop("X", None), arrays.pop("feature_names", None)
    if X is None:
        raise problem(str(path), f"an array called X is needed, got {', '.join(arrays) or 'none'}.")
    numbers = _matrix(path, X)
    if names is None:
        names = np.array([f"f{j}" for j in range(numbers.shape[1])])
    named = _named(path, names, numbers.shape[1])
    matrix = Matrix(
        where=str(path),
        X=numbers,
        feature_names=named,
        side=arrays,
        target_origin=TargetOrigin.ARRAY,
    )
    return matrix_data(matrix, _with_defaults(wishes, arrays), source)


def _named(path: Path, names: NDArray[Any], count: int) -> list[str]:
    """Return the names of the features as text."""
    texts = as_texts(one_each(str(path), "feature_names", names, count, "feature"))
    if None in texts:
        raise problem(
            str(path),
            f"each feature needs a name, got none for feature {texts.index(None):,} "
            "(counted from 0).",
        )
    return [str(text) for text in texts]


def read_parquet(path: Path, wishes: Wishes, source: dict[str, Any]) -> Dataset:
    """Read a Parquet file, one row a sample."""
    parquet = _optional("pyarrow.parquet", "Parquet files", "parquet")
    try:
        # half the time of read_table where columns are very many
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            table = file.read(use_threads=False)
        index = _index_columns(table)
    except _UNREADABLE as error:
        raise _unreadable(path, "a Parquet file", error) from None
    out = index - {*(wishes.target, wishes.groups, wishes.cohort), *wishes.drop, *wishes.nominal}
    if out:  # by position, as names may be there twice
        table = table.select([j for j, name in enumerate(table.column_names) if name not in out])

    def column(position: int) -> NDArray[Any]:
        return np.asarray(table.column(position).to_numpy())

    frame = Frame(
        where=str(path),
        names=table.column_names,
        n_rows=table.num_rows,
        column=column,
        kind=FileFormatError,
        categorical=_categorical_columns(table),
    )
    return frame_data(checked(frame), wishes, source, _index_note(out))


def _categorical_columns(table: Any) -> frozenset[int]:  # noqa: ANN401
    """Return the columns that hold categories, by their type or by what pandas stored of them."""
    declared = (table.schema.pandas_metadata or {}).get("columns", [])
    named = {one.get("name") for one in declared if one.get("pandas_type") == "categorical"}
    return frozenset(
        j
        for j, column in enumerate(table.schema)
        if column.name in named or str(column.type).startswith("dictionary")
    )


def _index_columns(table: Any) -> set[str]:  # noqa: ANN401
    """Return the names of the columns that were row labels of a frame of pandas."""
    declared = (table.schema.pandas_metadata or {}).get("index_columns", [])
    named = {name for name in declared if isinstance(name, str)}  # ranges are no columns
    return (named & set(table.column_names)) | {
        name for name in table.column_names if name.startswith(_INDEX)
    }


def _index_note(names: set[str]) -> tuple[str, ...]:
    if not names:
        return ()
    return (f"Row labels of pandas ({shortened(sorted(names))}) are left out.",)


def read_h5ad(path: Path, wishes: Wishes, source: dict[str, Any]) -> Dataset:
    """Read an AnnData file: X, names of var as features, columns of obs as labels."""
    anndata = _optional("anndata", "AnnData files", "anndata")
    try:
        found = anndata.read_h5ad(path)
    except _UNREADABLE as error:
        raise _unreadable(path, "an .h5ad file", error) from None
    X = found.X.toarray() if hasattr(found.X, "toarray") else np.asarray(found.X)
    side = {str(name): _column(found.obs[name]) for name in found.obs.columns}
    names = [str(name) for name in found.var_names]
    matrix = Matrix(where=str(path), X=_matrix(path, X), feature_names=names, side=side)
    return matrix_data(matrix, wishes, source)


def _column(series: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return a column of pandas as an array; categories become text, even if they are numbers."""
    values = np.asarray(series)
    return np.array(as_texts(values), dtype=object) if is_categorical(series.dtype) else values


def _with_defaults(wishes: Wishes, side: dict[str, NDArray[Any]]) -> Wishes:
    """Take the arrays called y, groups and cohorts, unless the caller named others."""
    if wishes.target is None and "y" in side:
        wishes = replace(wishes, target="y")
    if wishes.groups is None and "groups" in side:
        wishes = replace(wishes, groups="groups")
    if wishes.cohort is None and "cohorts" in side:
        wishes = replace(wishes, cohort="cohorts")
    return wishes


def _matrix(path: Path, X: NDArray[Any]) -> NDArray[Any]:
    numbers = as_numbers(X)
    if numbers is None or numbers.ndim != 2:
        raise problem(
            str(path), f"X must be a matrix of numbers, got the shape {X.shape} of {X.dtype}."
        )
    return numbers


def _optional(module: str, what: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InvalidInputError(
            f"{what} need the package {module.partition('.')[0]}, which is not installed: "
            f"pip install 'holdfast[{extra}]'."
        ) from None


def _unreadable(path: Path, needed: str, error: Exception) -> Exception:
    told = str(error).splitlines()[0] if str(error) else type(error).__name__
    return problem(str(path), f"{needed} is needed, got one that cannot be read ({told}).")
