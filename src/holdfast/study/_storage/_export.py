"""The tables of a result as files that any program reads."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from holdfast._formatting import did_you_mean
from holdfast.errors import InvalidInputError, StoreError, UnknownNameError
from holdfast.study._storage._folder import made_folder
from holdfast.study._storage._reader import OWN_SIZE, View, cut
from holdfast.study._tables._feature_chances import why_none
from holdfast.study._tables._predictions import no_predictions, prediction_frames
from holdfast.study._tables._replication import has_cohorts

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from holdfast.study._result import Result
    from holdfast.study._storage._reader import FeatureGroup


TABLES: dict[str, Callable[[Result], Iterable[pd.DataFrame]]] = {
    "features": lambda result: [result.features],
    "replication": lambda result: [result.replication],
    "cohorts": lambda result: [result.cohorts],
    "stability": lambda result: [result.stability],
    "errors": lambda result: [result.errors],
    "frequencies": lambda result: [result.frequencies],
    "selections": lambda result: selection_frames(View(result.store)),
    "groups": lambda result: group_frames(View(result.store)),
    "values": lambda result: [result.values],
    "predictions": lambda result: _predictions(View(result.store)),
    "failures": lambda result: [result.failures],
    "resamples": lambda result: [result.resamples],
    "timings": lambda result: [result.timings],
}


def export(
    result: Result,
    folder: str | os.PathLike[str],
    format: Literal["csv", "parquet"] = "csv",  # noqa: A002
) -> list[Path]:
    r"""Write the tables of a result to files: one observation a row, one variable a column.

    Parameters
    ----------
    result : Result
        What to write.
    folder : path
        Where to; made if need be. Tables that are there are replaced, each when it is whole.
    format : {"csv", "parquet"}, default "csv"
        CSV is UTF-8 with ``\n`` line ends, missing values empty. Parquet needs pyarrow; there a
        selector's own size, ``own`` in CSV, is a missing number.

    Returns
    -------
    list of Path
        The files: features (each one's chance to be found again), replication and cohorts
        (where the study has them), stability, errors, frequencies, selections (the features that
        each selector chose on each resample, by rank), groups (where selectors find any: each
        member of each group), values (where searches say what their subsets are worth),
        predictions, failures, resamples, timings. All but the timings have the same bytes
        whenever the same study is exported.

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
    write = writer_of(format)
    target = made_folder(folder)
    view = View(result.store)
    there = {
        "groups": any(map(view.finds_groups, view.selectors)),
        "cohorts": has_cohorts(view),
        "replication": not why_none(view),
        "features": not why_none(view),
        "values": len(result.values) > 0,
    }
    paths = []
    for name, frames in TABLES.items():
        if not there.get(name, True):
            continue
        path = target / f"{name}.{format}"
        with appearing(path) as partial:
            write(partial, frames(result))
        paths.append(path)
    return paths


def selection_frames(view: View) -> Iterator[pd.DataFrame]:
    """Yield who selected what, selector by selector; features without an order have no rank."""
    yield _selections(view, "", [], [], ranked=True)
    for selector, name in enumerate(view.selectors):
        found = view.choices(selector)
        if found:
            most = view.sizes(selector)[-1]
            rows = cut(list(found.values()), most)
            yield _selections(view, name, list(found), rows, ranked=most != OWN_SIZE)


def _selections(
    view: View, name: str, numbers: list[int], rows: list[NDArray[Any]], *, ranked: bool
) -> pd.DataFrame:
    lengths = [len(row) for row in rows]
    ranks = np.concatenate([np.arange(0), *(np.arange(1, n + 1) for n in lengths)])
    features = np.concatenate([np.arange(0), *rows])
    roles = np.array([view.parts[number].role for number in numbers], dtype=object)
    rank = (
        pd.array(ranks, dtype="Int64") if ranked else pd.array([None] * len(ranks), dtype="Int64")
    )
    return pd.DataFrame(
        {
            "selector": np.full(len(ranks), name, dtype=object),
            "resample": np.repeat(np.array(numbers, dtype=np.int64), lengths),
            "role": np.repeat(roles, lengths),
            "rank": rank,
            "feature": view.feature_names[features],
        }
    )


def group_frames(view: View) -> Iterator[pd.DataFrame]:
    """Yield the members of the groups that each selector found, as many groups as were asked."""
    for selector, name in enumerate(view.selectors):
        if view.finds_groups(name):
            found = view.feature_groups(selector)
            rows = cut(list(found.values()), view.sizes(selector)[-1])
            for number, groups in zip(found, rows, strict=True):
                yield _groups(view, name, number, groups)


def _groups(view: View, name: str, number: int, groups: list[FeatureGroup]) -> pd.DataFrame:
    lengths = [len(group.members) for group in groups]
    stands = np.array([group.representative for group in groups], dtype=np.intp)
    members = np.concatenate([np.arange(0), *(group.members for group in groups)])
    return pd.DataFrame(
        {
            "selector": name,
            "resample": number,
            "role": view.parts[number].role,
            "group": np.repeat(np.arange(1, len(groups) + 1), lengths),
            "representative": view.feature_names[np.repeat(stands, lengths)],
            "feature": view.feature_names[members],
        }
    )


def _predictions(view: View) -> Iterator[pd.DataFrame]:
    yield no_predictions(view)  # the columns, even if there are no rows
    yield from prediction_frames(view)


# Writers of tables: CSV or Parquet, in pieces, under a temporary name until they are whole.


def write_csv(path: Path, frames: Iterable[pd.DataFrame]) -> None:
    r"""Write frames with the same columns below each other.

    UTF-8, line ends ``\n``; numbers are the shortest that read back as the same.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        for position, frame in enumerate(frames):
            frame.to_csv(
                file,
                index=False,
                header=position == 0,
                lineterminator="\n",
                quoting=csv.QUOTE_NONNUMERIC if _has_returns(frame) else csv.QUOTE_MINIMAL,
            )


def _has_returns(frame: pd.DataFrame) -> bool:
    """Tell whether a text holds a carriage return, which the csv module does not quote."""
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
    pa, parquet = _pyarrow()
    writer: Any = None
    try:
        for frame in frames:
            plain = _with_numeric_size(frame)
            schema = _schema(pa, plain) if writer is None else writer.schema
            table = pa.Table.from_pandas(plain, schema=schema, preserve_index=False)
            if writer is None:
                writer = parquet.ParquetWriter(path, schema)
            writer.write_table(table.replace_schema_metadata(None))
    finally:
        if writer is not None:
            writer.close()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415  (optional)
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise InvalidInputError(
            "Parquet files need pyarrow, which is not installed: pip install 'holdfast[parquet]', "
            'or export with format="csv".'
        ) from None
    return pa, parquet


def _with_numeric_size(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with sizes as numbers; a selector's own size is missing there."""
    if "size" not in frame:
        return frame
    size = pd.to_numeric(frame["size"].replace("own", None), errors="coerce")
    return frame.assign(size=size.astype("Int64"))


def _schema(pa: Any, frame: pd.DataFrame) -> Any:  # noqa: ANN401  (pyarrow is untyped)
    def kind(column: pd.Series[Any]) -> Any:  # noqa: ANN401
        if pd.api.types.is_integer_dtype(column.dtype):
            return pa.int64()
        return pa.float64() if pd.api.types.is_float_dtype(column.dtype) else pa.string()

    return pa.schema([(str(name), kind(column)) for name, column in frame.items()])


WRITERS: dict[str, Callable[[Path, Iterable[pd.DataFrame]], None]] = {
    "csv": write_csv,
    "parquet": write_parquet,
}


def writer_of(form: str) -> Callable[[Path, Iterable[pd.DataFrame]], None]:
    """Return the writer of a format, or say which there are."""
    if form not in WRITERS:
        raise UnknownNameError(f"no format is called {form!r}.{did_you_mean(str(form), WRITERS)}")
    if form == "parquet":
        _pyarrow()
    return WRITERS[form]


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """Give a temporary name to write to; the file gets its own name when all went well."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: the table cannot be written ({error}).") from error
    finally:
        partial.unlink(missing_ok=True)
