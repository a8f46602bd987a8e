"""Export the tables of a result as CSV or Parquet files."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from holdfast._formatting import did_you_mean
from holdfast._typing import AnyArray
from holdfast.errors import InvalidInputError, StoreError, UnknownNameError
from holdfast.study._storage._folder import create_folder
from holdfast.study._storage._reader import OWN_SIZE, StudyReader, cut
from holdfast.study._tables._errors import empty_predictions, prediction_frames
from holdfast.study._tables._replication import has_cohorts, why_none

if TYPE_CHECKING:
    from holdfast.study._result import Result
    from holdfast.study._storage._reader import FeatureGroup


TABLES: dict[str, Callable[[Result], Iterable[pd.DataFrame]]] = {
    "features": lambda result: [result.features],
    "replication": lambda result: [result.replication],
    "cohorts": lambda result: [result.cohorts],
    "stability": lambda result: [result.stability],
    "errors": lambda result: [result.errors],
    "frequencies": lambda result: [result.frequencies],
    "selections": lambda result: selection_frames(StudyReader(result.store)),
    "groups": lambda result: group_frames(StudyReader(result.store)),
    "values": lambda result: [result.values],
    "predictions": lambda result: _all_prediction_frames(StudyReader(result.store)),
    "failures": lambda result: [result.failures],
    "resamples": lambda result: [result.resamples],
    "timings": lambda result: [result.timings],
}


def export(
    result: Result,
    folder: str | os.PathLike[str],
    format: Literal["csv", "parquet"] = "csv",  # noqa: A002
) -> list[Path]:
    r"""Write the tables of a result to files: one row per observation, one column per variable.

    Parameters
    ----------
    result : Result
        The result of a study.
    folder : path
        Created if it does not exist. Existing tables are replaced, each when it is complete.
    format : {"csv", "parquet"}, default "csv"
        CSV is UTF-8 with ``\n`` line ends and empty missing values. Parquet needs pyarrow; there
        the size ``own`` is a missing number.

    Returns
    -------
    list of Path
        The files: features (the chance of each to be found again), replication and cohorts
        (if the study has them), stability, errors, frequencies, selections (the selected
        features of each selector and resample, by rank), groups (members of the groups of group
        selectors), values (criteria of subset searches), predictions, failures, resamples,
        timings. All but the timings have the same bytes whenever the same study is exported.

    Raises
    ------
    StoreError
        The folder cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> import holdfast as hf
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(10, 0.9), sizes=[2], classifiers=())
    >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = hf.export(result, folder)
    >>> [path.name for path in paths][:3]
    ['features.csv', 'replication.csv', 'stability.csv']
    """
    write = get_writer(format)
    target = create_folder(folder)
    reader = StudyReader(result.store)
    has_rows = {
        "groups": any(map(reader.has_groups, reader.selectors)),
        "cohorts": has_cohorts(reader),
        "replication": not why_none(reader),
        "features": not why_none(reader),
        "values": len(result.values) > 0,
    }
    paths = []
    for name, frames in TABLES.items():
        if not has_rows.get(name, True):
            continue
        path = target / f"{name}.{format}"
        with open_atomically(path) as partial:
            write(partial, frames(result))
        paths.append(path)
    return paths


def selection_frames(reader: StudyReader) -> Iterator[pd.DataFrame]:
    """Yield the selected features of each selector; features without an order have no rank."""
    yield _selection_frame(reader, "", [], [], ranked=True)  # the columns
    for selector, name in enumerate(reader.selectors):
        features = reader.selected_features(selector)
        if features:
            size = reader.sizes(selector)[-1]
            rows = cut(list(features.values()), size)
            yield _selection_frame(reader, name, list(features), rows, ranked=size != OWN_SIZE)


def _selection_frame(
    reader: StudyReader, name: str, numbers: list[int], rows: list[AnyArray], *, ranked: bool
) -> pd.DataFrame:
    lengths = [len(row) for row in rows]
    ranks = np.concatenate([np.arange(0), *(np.arange(1, n + 1) for n in lengths)])
    features = np.concatenate([np.arange(0), *rows])
    roles = np.array([reader.resamples[number].role for number in numbers], dtype=object)
    rank = (
        pd.array(ranks, dtype="Int64") if ranked else pd.array([None] * len(ranks), dtype="Int64")
    )
    return pd.DataFrame(
        {
            "selector": np.full(len(ranks), name, dtype=object),
            "resample": np.repeat(np.array(numbers, dtype=np.int64), lengths),
            "role": np.repeat(roles, lengths),
            "rank": rank,
            "feature": reader.feature_names[features],
        }
    )


def group_frames(reader: StudyReader) -> Iterator[pd.DataFrame]:
    """Yield the members of the selected groups of each group selector."""
    for selector, name in enumerate(reader.selectors):
        if reader.has_groups(name):
            groups_by_resample = reader.feature_groups(selector)
            rows = cut(list(groups_by_resample.values()), reader.sizes(selector)[-1])
            for number, groups in zip(groups_by_resample, rows, strict=True):
                yield _group_frame(reader, name, number, groups)


def _group_frame(
    reader: StudyReader, name: str, number: int, groups: list[FeatureGroup]
) -> pd.DataFrame:
    lengths = [len(group.members) for group in groups]
    representatives = np.array([group.representative for group in groups], dtype=np.intp)
    members = np.concatenate([np.arange(0), *(group.members for group in groups)])
    return pd.DataFrame(
        {
            "selector": name,
            "resample": number,
            "role": reader.resamples[number].role,
            "group": np.repeat(np.arange(1, len(groups) + 1), lengths),
            "representative": reader.feature_names[np.repeat(representatives, lengths)],
            "feature": reader.feature_names[members],
        }
    )


def _all_prediction_frames(reader: StudyReader) -> Iterator[pd.DataFrame]:
    yield empty_predictions(reader)  # the columns, even if there are no rows
    yield from prediction_frames(reader)


# Writers of tables: CSV or Parquet, frame by frame, under a temporary name until complete.


def write_csv(path: Path, frames: Iterable[pd.DataFrame]) -> None:
    r"""Write frames with the same columns below each other.

    UTF-8, line ends ``\n``; numbers have the fewest digits that read back as the same.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        for position, frame in enumerate(frames):
            frame.to_csv(
                file,
                index=False,
                header=position == 0,
                lineterminator="\n",
                quoting=csv.QUOTE_NONNUMERIC if _has_carriage_returns(frame) else csv.QUOTE_MINIMAL,
            )


def _has_carriage_returns(frame: pd.DataFrame) -> bool:
    """Return whether a text holds a carriage return, which the csv module does not quote."""
    for column in (frame[name] for name in frame.columns):
        if isinstance(column.dtype, pd.CategoricalDtype):
            texts: Iterable[Any] = column.cat.categories
        elif pd.api.types.is_numeric_dtype(column.dtype):
            continue
        else:
            texts = column.unique()
        if any("\r" in text for text in texts if isinstance(text, str)):
            return True
    return False


def write_parquet(path: Path, frames: Iterable[pd.DataFrame]) -> None:
    """Write frames with the same columns as row groups of one file."""
    pa, parquet = _import_pyarrow()
    writer: Any = None
    try:
        for frame in frames:
            plain = _with_numeric_size(frame)  # a column of Parquet has one type
            schema = _arrow_schema(pa, plain) if writer is None else writer.schema
            table = pa.Table.from_pandas(plain, schema=schema, preserve_index=False)
            if writer is None:
                writer = parquet.ParquetWriter(path, schema)
            # the metadata of pandas has versions in it, and the bytes must not depend on them
            writer.write_table(table.replace_schema_metadata(None))
    finally:
        if writer is not None:
            writer.close()


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise InvalidInputError(
            "Parquet files need pyarrow, which is not installed: pip install 'holdfast[parquet]', "
            'or export with format="csv".'
        ) from None
    return pa, parquet


def _with_numeric_size(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with sizes as numbers; the size ``own`` becomes missing."""
    if "size" not in frame:
        return frame
    size = pd.to_numeric(frame["size"].replace("own", None), errors="coerce")
    return frame.assign(size=size.astype("Int64"))


def _arrow_schema(pa: Any, frame: pd.DataFrame) -> Any:  # noqa: ANN401  (pyarrow is untyped)
    def kind(column: pd.Series[Any]) -> Any:  # noqa: ANN401
        if pd.api.types.is_integer_dtype(column.dtype):
            return pa.int64()
        return pa.float64() if pd.api.types.is_float_dtype(column.dtype) else pa.string()

    return pa.schema([(str(name), kind(column)) for name, column in frame.items()])


WRITERS: dict[str, Callable[[Path, Iterable[pd.DataFrame]], None]] = {
    "csv": write_csv,
    "parquet": write_parquet,
}


def get_writer(form: str) -> Callable[[Path, Iterable[pd.DataFrame]], None]:
    """Return the writer of a format."""
    if form not in WRITERS:
        raise UnknownNameError(f"no format is called {form!r}.{did_you_mean(str(form), WRITERS)}")
    if form == "parquet":
        _import_pyarrow()  # fail before any table is computed
    return WRITERS[form]


@contextmanager
def open_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; the file gets its name on success."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: the table cannot be written ({error}).") from error
    finally:
        partial.unlink(missing_ok=True)
