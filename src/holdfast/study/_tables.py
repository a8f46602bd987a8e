"""Writers of tables: CSV or Parquet, in pieces, under a temporary name until they are whole."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._text import did_you_mean
from holdfast.errors import InvalidInputError, StoreError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


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
