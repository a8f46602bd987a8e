"""Data in binary files: NumPy's, Parquet, and AnnData."""

from __future__ import annotations

import importlib
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import format_list
from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.io._columns import (
    ColumnAssignment,
    build_dataset,
    codes_of,
    give_all,
    give_beside,
    labels_of,
    refuse_nothing_left,
)
from holdfast.io._frames import Frame, check_frame, frame_data, is_categorical
from holdfast.io._target import TargetOrigin, check_target
from holdfast.io._text_files import problem, quote_value, refuse_repeats
from holdfast.io._values import as_numbers, as_texts, flatten_column

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType

    from numpy.typing import NDArray

    from holdfast.io._columns import Wishes
    from holdfast.io._dataset import Dataset
    from holdfast.simulate import Generator


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
    named = _read_feature_names(path, names, numbers.shape[1])
    matrix = Matrix(
        where=str(path),
        X=numbers,
        feature_names=named,
        side=arrays,
        target_origin=TargetOrigin.ARRAY,
    )
    return matrix_data(matrix, _with_defaults(wishes, arrays), source)


def _read_feature_names(path: Path, names: NDArray[Any], count: int) -> list[str]:
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
    return frame_data(check_frame(frame), wishes, source, _index_note(out))


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
    return (f"Row labels of pandas ({format_list(sorted(names))}) are left out.",)


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


# Data that come as a matrix of features, with what is known of each sample beside it.


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Features as a matrix, and columns beside it: the target, the groups, the cohorts."""

    where: str
    X: NDArray[Any]
    feature_names: list[str]
    side: Mapping[str, NDArray[Any]]
    truth: NDArray[np.bool_] | None = None
    generator: Generator | None = None
    notes: tuple[str, ...] = field(default=())
    target_origin: TargetOrigin = TargetOrigin.TABLE

    def labels(self, column: int) -> NDArray[np.str_]:
        """Return a column beside the matrix as text; it must have a value a sample."""
        name = list(self.side)[column]
        values = one_each(self.where, name, self.side[name], len(self.X), "sample")
        return labels_of(partial(problem, self.where), name, as_texts(values))

    def check_target(self, column: int) -> None:
        """Refuse a target whose numbers may not be class labels."""
        name = list(self.side)[column]
        check_target(self.where, name, flatten_column(self.side[name]), self.target_origin)


def matrix_data(matrix: Matrix, wishes: Wishes, source: dict[str, Any] | None) -> Dataset:
    """Make a data set of a matrix and what stands beside it."""
    _check(matrix)
    beside = ColumnAssignment(matrix.where, list(matrix.side))
    target = beside.give_target(wishes.target)
    groups, cohort = give_beside(beside, wishes)
    columns = ColumnAssignment(matrix.where, matrix.feature_names, noun="feature")
    give_all(columns, wishes)
    labels = matrix.labels(target)
    if not wishes.classes:
        matrix.check_target(target)
    fields = {
        **_features(matrix, columns),
        "y": labels,
        "groups": None if groups is None else matrix.labels(groups),
        "cohorts": None if cohort is None else matrix.labels(cohort),
        "source": source,
        "notes": matrix.notes,
    }
    try:
        return build_dataset(fields, [matrix.feature_names[j] for j in columns.having("nominal")])
    except InvalidInputError as error:
        raise problem(matrix.where, str(error)) from None


def one_each(where: str, name: str, values: NDArray[Any], count: int, noun: str) -> NDArray[Any]:
    """Return an array of one dimension; refuse it unless it has one entry a sample or feature."""
    flat = flatten_column(values)
    if flat.shape != (count,):
        raise problem(
            where,
            f"{quote_value(name)} must have one entry a {noun}, {count:,} in all, "
            f"got the shape {values.shape}.",
        )
    return flat


def _features(matrix: Matrix, columns: ColumnAssignment) -> dict[str, Any]:
    """Return the fields of a data set that are about features, without those to drop."""
    drop, nominal = columns.having("drop"), columns.having("nominal")
    kept = np.delete(np.arange(len(matrix.feature_names)), drop)
    refuse_nothing_left(matrix.where, kept)
    places = np.searchsorted(kept, nominal)
    X = _encode_nominal(matrix.X[:, kept] if drop else matrix.X, places)
    return {
        "X": np.ascontiguousarray(X),
        "feature_names": tuple(matrix.feature_names[j] for j in kept),
        "nominal": tuple(places.tolist()),
        "truth": None if matrix.truth is None else matrix.truth[kept],
        "generator": None if drop or nominal else matrix.generator,
    }


def _check(matrix: Matrix) -> None:
    names = matrix.feature_names
    if len(names) != matrix.X.shape[1]:
        raise problem(
            matrix.where,
            f"each feature needs a name, {matrix.X.shape[1]:,} in all, got {len(names):,}.",
        )
    refuse_repeats(names, "feature", partial(problem, matrix.where))


def _encode_nominal(X: NDArray[Any], nominal: NDArray[np.intp]) -> NDArray[Any]:
    """Return the matrix with codes for the values of nominal features."""
    if not len(nominal):
        return X
    coded = X.copy()
    for j in nominal.tolist():
        coded[:, j] = codes_of(as_texts(X[:, j]))
    return coded
