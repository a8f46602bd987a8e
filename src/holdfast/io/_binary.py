"""Binary files: NumPy arrays, Parquet and AnnData."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import format_list
from holdfast._memory import check_memory
from holdfast._typing import AnyArray, BoolArray, LabelsLike, MatrixLike
from holdfast.errors import FileFormatError, InvalidInputError
from holdfast.io._columns import (
    SAMPLE_ROLES,
    ColumnAssignment,
    TargetOrigin,
    assign_dropped_and_nominal,
    assign_sample_columns,
    build_dataset,
    check_features_left,
    check_labels_present,
    check_target,
    encode_nominal,
    encoding_note,
)
from holdfast.io._dataset import Dataset, DatasetGenerator
from holdfast.io._frames import Frame, check_frame, dataset_from_frame, is_categorical
from holdfast.io._numpy_files import BYTES_PER_NUMBER, check_sparse, read_npz_arrays, refuse_damage
from holdfast.io._text_files import file_error, quote_value, refuse_repeats
from holdfast.io._values import as_numbers, as_texts, flatten_column

if TYPE_CHECKING:
    from holdfast.io._columns import ColumnOptions


_INDEX = "__index_level_"  # prefix of the row labels of pandas in Parquet


def read_npz(path: Path, options: ColumnOptions, source: dict[str, Any]) -> Dataset:
    """Read the arrays X and y, and those about features and samples if present."""
    with path.open("rb") as raw:
        arrays = read_npz_arrays(str(path), raw)
    X, names = arrays.pop("X", None), arrays.pop("feature_names", None)
    if X is None:
        raise file_error(
            str(path), f"an array called X is needed, got {', '.join(arrays) or 'none'}."
        )
    numbers = _check_numeric_matrix(path, X)
    if names is None:
        names = np.array([f"f{j}" for j in range(numbers.shape[1])])
    matrix = Matrix(
        where=str(path),
        X=numbers,
        feature_names=_read_feature_names(path, names, numbers.shape[1]),
        sample_columns=arrays,
        notes=encoding_note({"feature_names": names}),
        target_origin=TargetOrigin.ARRAY,
    )
    return dataset_from_matrix(matrix, with_default_columns(options, arrays), source)


def _read_feature_names(path: Path, names: AnyArray, count: int) -> list[str]:
    """Return the names of the features as text."""
    texts = as_texts(check_one_entry_each(str(path), "feature_names", names, count, "feature"))
    if None in texts:
        raise file_error(
            str(path),
            f"each feature needs a name, got none for feature {texts.index(None):,} "
            "(counted from 0).",
        )
    return [str(text) for text in texts]


def read_parquet(path: Path, options: ColumnOptions, source: dict[str, Any]) -> Dataset:
    """Read a Parquet file with one row per sample."""
    parquet = _import_optional("pyarrow.parquet", "Parquet files", "parquet")
    with refuse_damage(str(path), "a Parquet file"):
        # twice as fast as read_table for very many columns
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            _check_parquet_size(path, file.metadata)
            table = file.read(use_threads=False)
        table.validate()
        index, categorical = _index_columns(table), _categorical_columns(table)
    out = index - {
        *(options.target, *(getattr(options, role) for role in SAMPLE_ROLES)),
        *options.drop,
        *options.nominal,
    }
    if out:  # by position, as names may be repeated
        kept = [j for j, name in enumerate(table.column_names) if name not in out]
        table = table.select(kept)
        categorical = frozenset(place for place, j in enumerate(kept) if j in categorical)

    frame = Frame(
        where=str(path),
        names=table.column_names,
        n_rows=table.num_rows,
        column=lambda position: _parquet_values(str(path), table, position),
        kind=FileFormatError,
        categorical=categorical,
    )
    note = f"Row labels of pandas ({format_list(sorted(out))}) are left out."
    return dataset_from_frame(check_frame(frame), options, source, (note,) if out else ())


def _check_parquet_size(path: Path, metadata: Any) -> None:  # noqa: ANN401  (pyarrow has no types)
    """Raise if the file announces more than the limit on memory; a few bytes may stand for much."""
    groups = (metadata.row_group(position) for position in range(metadata.num_row_groups))
    stored = sum(max(0, group.total_byte_size) for group in groups)
    n_rows, n_columns = metadata.num_rows, metadata.num_columns
    check_memory(
        max(stored, 2 * BYTES_PER_NUMBER * n_rows * n_columns),  # in Arrow and in NumPy
        f"a table of {n_rows:,} rows and {n_columns:,} columns",
        partial(file_error, str(path)),
    )


def _parquet_values(where: str, table: MatrixLike, position: int) -> AnyArray:
    """Return a column as an array; raise if its entries are lists, maps or records."""
    import pyarrow as pa

    values, name = table.column(position), table.field(position).name
    if pa.types.is_nested(values.type):
        raise file_error(
            where,
            f"column {quote_value(name)} must hold one value per row, got {values.type}; make "
            "each entry a column, or leave it out (drop).",
        )
    with refuse_damage(where, f"column {quote_value(name)} of numbers or text"):
        try:
            return np.asarray(values.to_numpy())
        # text that is not UTF-8, and times of day with nanoseconds
        except (ValueError, pa.ArrowException):
            if pa.types.is_dictionary(values.type):
                values = values.cast(values.type.value_type)
            is_time = pa.types.is_time(values.type)
            return np.asarray(values.cast(pa.string() if is_time else pa.binary()).to_numpy())


def _categorical_columns(table: MatrixLike) -> frozenset[int]:
    """Return the categorical columns, by their type or by the metadata of pandas."""
    # some writers store categories as plain columns, with the type only in the metadata of pandas
    declared = (table.schema.pandas_metadata or {}).get("columns", [])
    named = {entry.get("name") for entry in declared if entry.get("pandas_type") == "categorical"}
    return frozenset(
        j
        for j, column in enumerate(table.schema)
        if column.name in named or str(column.type).startswith("dictionary")
    )


def _index_columns(table: MatrixLike) -> set[str]:
    """Return the names of the columns that were row labels of a frame of pandas."""
    declared = (table.schema.pandas_metadata or {}).get("index_columns", [])
    named = {name for name in declared if isinstance(name, str)}  # ranges are not stored as columns
    return (named & set(table.column_names)) | {
        name for name in table.column_names if name.startswith(_INDEX)
    }


def read_h5ad(path: Path, options: ColumnOptions, source: dict[str, Any]) -> Dataset:
    """Read an AnnData file: X, names of var as features, columns of obs as labels."""
    anndata = _import_optional("anndata", "AnnData files", "anndata")
    where = str(path)
    with refuse_damage(where, "an .h5ad file"):
        _check_h5ad_size(path)
        loaded = anndata.read_h5ad(path)
        X = loaded.X
        if hasattr(X, "toarray"):
            check_sparse(where, X)
            X = X.toarray()
        X = np.asarray(X)
    side = {str(name): _label_values(loaded.obs[name]) for name in loaded.obs.columns}
    names = [str(name) for name in loaded.var_names]
    matrix = Matrix(
        where=where, X=_check_numeric_matrix(path, X), feature_names=names, sample_columns=side
    )
    return dataset_from_matrix(matrix, options, source)


def _check_h5ad_size(path: Path) -> None:
    """Raise if the file announces more than the limit on memory; a few bytes may stand for much."""
    h5py = _import_optional("h5py", "AnnData files", "anndata")
    sizes: list[int] = []

    def add_size(_: str, item: MatrixLike) -> None:
        if isinstance(item, h5py.Dataset):
            sizes.append(item.size * item.dtype.itemsize)

    with h5py.File(path, "r") as file:
        file.visititems(add_size)
        X = file.get("X")
        sparse = X is not None and not isinstance(X, h5py.Dataset)
        shape = X.attrs.get("shape", ()) if sparse else ()  # of a sparse matrix, which is unpacked
    check_memory(
        sum(sizes) + BYTES_PER_NUMBER * math.prod(map(int, shape)),
        "the arrays of this file",
        partial(file_error, str(path)),
    )


def _label_values(series: LabelsLike) -> AnyArray:
    """Return a column of pandas as an array; categories become text, even if they are numbers."""
    values = np.asarray(series)
    return np.array(as_texts(values), dtype=object) if is_categorical(series.dtype) else values


def with_default_columns(options: ColumnOptions, side: dict[str, AnyArray]) -> ColumnOptions:
    """Take the arrays called as the fields of a data set, unless the caller named others."""
    defaults: dict[str, Any] = {
        role: name
        for role, name in {"target": "y", **SAMPLE_ROLES}.items()
        if getattr(options, role) is None and name in side
    }
    return replace(options, **defaults)


def _check_numeric_matrix(path: Path, X: AnyArray) -> AnyArray:
    numbers = as_numbers(X) if X.ndim == 2 else None
    if numbers is None:
        raise file_error(
            str(path), f"X must be a matrix of numbers, got the shape {X.shape} of {X.dtype}."
        )
    return numbers


def _import_optional(module: str, what: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InvalidInputError(
            f"{what} need the package {module.partition('.')[0]}, which is not installed: "
            f"pip install 'holdfast[{extra}]'."
        ) from None


# A matrix of features, with columns of labels next to it.


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Features as a matrix, and columns about the samples: target, groups, cohorts, weights."""

    where: str
    X: AnyArray
    feature_names: list[str]
    sample_columns: Mapping[str, AnyArray]
    truth: BoolArray | None = None
    generator: DatasetGenerator | None = None
    notes: tuple[str, ...] = field(default=())
    target_origin: TargetOrigin = TargetOrigin.TABLE

    def labels(self, column: int) -> NDArray[np.str_]:
        """Return a column of labels as text; raise unless it has one value per sample."""
        name = list(self.sample_columns)[column]
        values = check_one_entry_each(
            self.where, name, self.sample_columns[name], len(self.X), "sample"
        )
        return check_labels_present(partial(file_error, self.where), name, as_texts(values))

    def check_target(self, column: int) -> None:
        """Raise if the numbers in the target may not be class labels."""
        name = list(self.sample_columns)[column]
        check_target(
            self.where, name, flatten_column(self.sample_columns[name]), self.target_origin
        )


def dataset_from_matrix(
    matrix: Matrix, options: ColumnOptions, source: dict[str, Any] | None
) -> Dataset:
    """Build a data set from a matrix and its columns of labels."""
    if len(matrix.feature_names) != matrix.X.shape[1]:
        raise file_error(
            matrix.where,
            f"each feature needs a name, {matrix.X.shape[1]:,} in all, "
            f"got {len(matrix.feature_names):,}.",
        )
    refuse_repeats(matrix.feature_names, "feature", partial(file_error, matrix.where))
    label_columns = ColumnAssignment(matrix.where, list(matrix.sample_columns))
    target = label_columns.assign_target(options.target)
    sample_columns = assign_sample_columns(label_columns, options)
    columns = ColumnAssignment(matrix.where, matrix.feature_names, noun="feature")
    assign_dropped_and_nominal(columns, options)
    labels = matrix.labels(target)
    used = label_columns.with_roles("target", *SAMPLE_ROLES)
    columns_of_labels = list(matrix.sample_columns.items())
    side = dict(columns_of_labels[position] for position in used)
    # after the labels, whose missing values have the clearer message
    if not options.classes:
        matrix.check_target(target)
    fields = {
        **_feature_fields(matrix, columns),
        "y": labels,
        **{name: matrix.labels(column) for name, column in sample_columns.items()},
        "source": source,
        "notes": (*matrix.notes, *encoding_note(side)),
    }
    try:
        return build_dataset(
            fields, [matrix.feature_names[j] for j in columns.with_roles("nominal")]
        )
    except InvalidInputError as error:
        raise file_error(matrix.where, str(error)) from None


def check_one_entry_each(
    where: str, name: str, values: AnyArray, count: int, noun: str
) -> AnyArray:
    """Return a one-dimensional array; raise unless it has one entry per sample or feature."""
    flat = flatten_column(values)
    if flat.shape != (count,):
        raise file_error(
            where,
            f"{quote_value(name)} must have one entry per {noun}, {count:,} in all, "
            f"got the shape {values.shape}.",
        )
    return flat


def _feature_fields(matrix: Matrix, columns: ColumnAssignment) -> dict[str, Any]:
    """Return the fields of a data set that describe features, without dropped ones."""
    drop, nominal = columns.with_roles("drop"), columns.with_roles("nominal")
    kept = np.delete(np.arange(len(matrix.feature_names)), drop)
    check_features_left(matrix.where, kept)
    places = np.searchsorted(kept, nominal)
    X = matrix.X[:, kept] if drop else matrix.X
    if nominal:
        X = X.copy()
        for j in places.tolist():
            X[:, j] = encode_nominal(as_texts(X[:, j]))
    return {
        "X": np.ascontiguousarray(X),
        "feature_names": tuple(matrix.feature_names[j] for j in kept),
        "nominal": tuple(places.tolist()),
        "truth": None if matrix.truth is None else matrix.truth[kept],
        # it would draw data sets with the dropped features, and with uncoded nominal ones
        "generator": None if drop or nominal else matrix.generator,
    }
