"""CSV and its relatives: a header of names, then one row of cells per sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from holdfast._kernels.decimals import parse_row
from holdfast._memory import MemoryUse
from holdfast._typing import FloatArray
from holdfast.io._columns import (
    TargetOrigin,
    assign_roles,
    build_dataset,
    check_labels_present,
    check_target,
    encode_nominal,
    format_text_features,
    is_missing,
)
from holdfast.io._dataset import rows_per_block
from holdfast.io._delimited_text import (
    SEPARATOR_NAMES,
    detect_separator,
    is_content,
    read_records,
)
from holdfast.io._text_files import COMMENT, SourceText, TextFile, quote_value, refuse_repeats

if TYPE_CHECKING:
    from holdfast.io._columns import ColumnOptions, Roles
    from holdfast.io._dataset import Dataset


def read_table(file: TextFile, options: ColumnOptions, source: dict[str, Any]) -> Dataset:
    """Read a table; the separator is the one that the header uses.

    Lines above the header that begin with ``#`` are skipped, and blank lines everywhere.
    """
    line, separator = _find_header(file)
    records = read_records(_lines_from_header(file, line), separator, file.error)
    header = next(records)[1]
    names = [name.strip() for name in header]
    _check_header(file, names, line)
    roles = assign_roles(file.where, names, options)
    rows = RowReader(file, roles, decimal_comma=separator != ",")
    for at, cells in records:
        if len(cells) != len(names):
            raise file.error(_format_row_length_error(len(cells), len(names), separator, line), at)
        rows.add(at, cells)
    data = rows.to_dataset(source, file.notes)
    _refuse_lost_header(file, names[roles.target], data, line)
    return data


def _find_header(file: TextFile) -> tuple[int, str]:
    """Return the line number of the header, and the separator."""
    comment, at = "", 0
    for number, line in enumerate(file.lines(), start=1):
        if is_content(line):
            separator = detect_separator(SourceText(file.where, file.suffix, line))
            return (at if _is_commented_header(comment, line, separator) else number), separator
        if line.strip():
            comment, at = line, number
    raise file.error("a header of column names is needed, got blank lines or comments only.", 1)


def _is_commented_header(comment: str, row: str, separator: str) -> bool:
    """Return whether a comment is a header, as in ``#id,x,class`` above a row of values."""
    names, cells = comment[1:].split(separator), row.split(separator)
    return (
        len(names) == len(cells) > 1
        and not comment[1].isspace()
        and any(map(_is_number, cells))
        and not any(map(_is_number, names))
    )


def _lines_from_header(file: TextFile, header: int) -> Iterator[str]:
    """Yield all lines, with those above the header blanked; below it, # may begin a cell."""
    for number, line in enumerate(file.lines(), start=1):
        if number > header:
            yield line
        else:
            yield line.removeprefix(COMMENT) if number == header else "\n"


def _check_header(file: TextFile, names: list[str], line: int) -> None:
    """Raise if a name is missing or repeated, or if the header is a row of numbers."""
    if all(is_missing(name) or _is_number(name) for name in names) and not _has_numbered_names(
        names
    ):
        raise file.error(
            "the first line must be a header of column names, got a row of numbers; "
            "add a line of names above it.",
            line,
        )
    if "" in names[1:]:
        raise file.error(
            f"each column needs a name in the header, got none for column "
            f"{names.index('', 1) + 1:,} (counted from 1); is there an extra separator?",
            line,
        )
    refuse_repeats(names, "column", partial(file.error, line=line))


def _has_numbered_names(names: list[str]) -> bool:
    """Return whether columns are numbered from 0 or 1, possibly after a column of row labels."""
    rest = names[1:] if names[0] == "" else names
    return bool(rest) and any(
        rest == [str(j) for j in range(first, first + len(rest))] for first in (0, 1)
    )


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _format_row_length_error(got: int, width: int, separator: str, header_line: int) -> str:
    hint = "is the row truncated, or a separator missing?"
    if got == width + 1:
        hint = "if the first column holds row labels, give it a name in the header."
    return (
        f"each row must have {width:,} cells between {SEPARATOR_NAMES[separator]}, like the "
        f"header in line {header_line:,}, got {got:,}; {hint}"
    )


def _refuse_lost_header(file: TextFile, target: str, data: Dataset, line: int) -> None:
    """Raise if the first row is data: the target's name is a label and other names are numbers."""
    # checked after reading, as only then the labels are known
    numbers = sum(map(_is_number, data.feature_names))
    if target in data.classes and 2 * numbers > data.n_features:
        raise file.error(
            f"the first line must be a header of column names, got {quote_value(target)} as "
            "the name of the target, which is also one of its labels; add a line of names above "
            "it.",
            line,
        )


# Rows of cells, read one by one: features as numbers, other columns as text.


_BYTES_PER_LABEL = 100
"""Memory of a distinct label next to its characters: as a text, and as a key; measured."""
_BYTES_PER_ROW = 100
"""Memory of a row next to its numbers: its line, and references to its labels; measured."""


class RowReader:
    """Collects the rows of a text file; only labels and nominal features are kept as text."""

    def __init__(
        self,
        file: TextFile,
        roles: Roles,
        *,
        decimal_comma: bool,
        is_missing: Callable[[str], bool] = is_missing,
    ) -> None:
        self._file, self._roles, self._is_missing = file, roles, is_missing
        self._numeric = np.setdiff1d(roles.features, roles.nominal)
        # a list: Python iterates over it faster than over an array
        self._plain = np.isin(np.arange(len(roles.names)), self._numeric).tolist()
        self._texts: dict[int, list[str]] = {
            column: [] for column in (*roles.labels.values(), *roles.nominal)
        }
        self._memo: dict[str, str] = {}  # equal labels share one string, to save memory
        self._use = MemoryUse(file.error)
        self._lines: list[int] = []
        names = [roles.names[column] for column in self._numeric]
        self._numbers = NumberReader(file, names, decimal_comma=decimal_comma)
        self._blocks = RowBlocks(len(names), self._use)

    def add(self, line: int, cells: list[str]) -> None:
        """Add a row with one cell per column."""
        self._lines.append(line)
        for column, texts in self._texts.items():
            cell = cells[column].strip()
            if cell not in self._memo:
                self._use.add(_BYTES_PER_LABEL + 4 * len(cell), "the labels")
            texts.append(self._memo.setdefault(cell, cell))
        self._blocks.add(self._numbers.row(line, list(compress(cells, self._plain))))

    def to_dataset(self, source: dict[str, Any], notes: tuple[str, ...]) -> Dataset:
        """Return all rows as a data set; raise for text in features and missing labels."""
        file, roles = self._file, self._roles
        if not self._lines:
            raise file.error("at least one row is needed below the header, got none.")
        if self._numbers.text_columns:
            text_columns = self._numbers.text_columns
            raise file.error(
                format_text_features(text_columns), next(iter(text_columns.values()))[0]
            )
        nominal = np.flatnonzero(np.isin(roles.features, roles.nominal)).tolist()
        labels = {name: self._check_labels(column) for name, column in roles.labels.items()}
        if not roles.classes:
            check_target(file.where, roles.names[roles.target], labels["y"], TargetOrigin.TEXT)
        return build_dataset(
            {
                "X": self._build_matrix(nominal),
                **labels,
                "feature_names": roles.feature_names,
                "nominal": tuple(nominal),
                "source": source,
                "notes": (*notes, *roles.notes, *self._numbers.notes),
            },
            [roles.names[column] for column in roles.nominal],
        )

    def _check_labels(self, column: int) -> NDArray[np.str_]:
        lines, texts = self._lines, self._texts[column]
        for line, text in zip(lines, texts, strict=True):
            self._file.refuse_control(text, line)
        return check_labels_present(
            self._file.error,
            self._roles.names[column],
            texts,
            lambda row: f"row {row + 1:,} (line {lines[row]:,})",
        )

    def _build_matrix(self, nominal: list[int]) -> FloatArray:
        """Return numeric features and the codes of nominal features in column order."""
        if not nominal:
            return self._blocks.to_matrix()
        X = np.empty((len(self._lines), len(self._roles.features)))
        X[:, np.isin(self._roles.features, self._numeric)] = self._blocks.to_matrix()
        for feature, column in zip(nominal, self._roles.nominal, strict=True):
            texts = self._texts[column]
            X[:, feature] = encode_nominal(
                [None if self._is_missing(text) else text for text in texts]
            )
        return X


# Cells as numbers, exact to the last bit; rows as a matrix.


class NumberReader:
    """Parses rows of cells as numbers; remembers columns that hold text."""

    def __init__(self, file: TextFile, names: list[str], *, decimal_comma: bool) -> None:
        self._file, self._names, self._decimal_comma = file, names, decimal_comma
        self._first_text: dict[int, tuple[int | None, str]] = {}
        self._open = np.empty(len(names), dtype=np.int64)  # columns that the kernel leaves open
        self._signs = DecimalSignCheck(file)

    @property
    def text_columns(self) -> dict[str, tuple[int | None, str]]:
        """The first line and cell of text per column that holds text."""
        return {self._names[column]: at for column, at in sorted(self._first_text.items())}

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the numbers of the file, such as decimal commas."""
        return self._signs.notes

    def row(self, line: int, cells: list[str]) -> FloatArray:
        """Return a row as numbers, NaN where missing or text; raise for infinite values."""
        row = np.empty(len(cells))
        joined = "\n".join(cells)  # one text, as the kernel parses bytes
        if self._decimal_comma:
            self._signs.watch(line, cells, joined)
        text = np.frombuffer(joined.encode(), dtype=np.uint8)
        n_open = parse_row(text, self._decimal_comma, row, self._open) if cells else 0
        # negative: line ends within cells made the kernel count more cells than there are
        left = range(len(cells)) if n_open < 0 else self._open[:n_open].tolist()
        for column in left:
            row[column] = self._parse_open_cell(line, column, cells[column])
        return row

    def _parse_open_cell(self, line: int, column: int, cell: str) -> float:
        """Parse a cell that the kernel left open: missing, infinite, many digits, or text."""
        if is_missing(cell):
            return np.nan
        value = parse_number(with_decimal_point(cell) if self._decimal_comma else cell)
        if value is None:
            self._file.refuse_control(cell, line)
            self._first_text.setdefault(column, (line, cell))
            return np.nan
        if np.isinf(value):
            raise self._file.error(
                f"values must be finite or missing, got {quote_value(cell)} in column "
                f"{quote_value(self._names[column])}.",
                line,
            )
        return value


class RowBlocks:
    """Rows collected in blocks, as their number is unknown until the end."""

    def __init__(self, n_columns: int, use: MemoryUse) -> None:
        self._shape = rows_per_block(n_columns), n_columns
        self._use = use
        self._full: list[FloatArray] = []
        self._used = 0

    def add(self, row: FloatArray) -> None:
        """Add a row."""
        self._use.add(
            _BYTES_PER_ROW + row.nbytes,
            f"a table of more than {self._used:,} rows and {self._shape[1]:,} columns",
        )
        # whole blocks instead of single arrays: a list of rows would double the memory at the end
        if self._used % self._shape[0] == 0:
            self._full.append(np.empty(self._shape))
        self._full[-1][self._used % self._shape[0]] = row
        self._used += 1

    def to_matrix(self, *, as_columns: bool = False) -> FloatArray:
        """Return all rows, or a matrix with these rows as its columns.

        Blocks are released one by one, so that the data are never in memory twice.
        """
        n_rows, n_columns = self._used, self._shape[1]
        X = np.empty((n_columns, n_rows)).T if as_columns else np.empty((n_rows, n_columns))
        for start in range(0, self._used, self._shape[0]):
            part = X[start : start + self._shape[0]]
            part[:] = self._full.pop(0)[: len(part)]
        return X.T if as_columns else X


# Decimal points and decimal commas: a file uses one of them.

_POINT, _COMMA = ".", ","


def parse_number(cell: str) -> float | None:
    """Return a cell as a number, None if it is text."""
    try:
        return None if "_" in cell else float(cell)  # float() accepts 1_000
    except ValueError:
        return None


def with_decimal_point(cell: str) -> str:
    """Return a cell with its decimal comma replaced by a point."""
    return cell.replace(_COMMA, _POINT, 1)


class DecimalSignCheck:
    """Remembers the first decimal point and comma; raises if a file has both.

    Next to decimal points, a comma most likely separates thousands, and 1,234 must not become
    1.234.
    """

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._first_use: dict[str, tuple[int, str]] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """A note on decimal commas, if there are any."""
        if _COMMA not in self._first_use:
            return ()
        line, cell = self._first_use[_COMMA]
        return (f"Commas in numbers are read as decimal commas, as in {cell!r} (line {line:,}).",)

    def watch(self, line: int, cells: list[str], text: str) -> None:
        """Check a row, given as cells and as one text, which is faster to search."""
        for sign in (_POINT, _COMMA):
            if sign in text and sign not in self._first_use:
                self._record_first_use(sign, line, cells)

    def _record_first_use(self, sign: str, line: int, cells: list[str]) -> None:
        numbers = (
            cell
            for cell in cells
            if sign in cell and parse_number(with_decimal_point(cell)) is not None
        )
        number = next(numbers, None)
        if number is None:
            return
        self._first_use[sign] = (line, number.strip())
        if len(self._first_use) < 2:
            return
        listed = " and ".join(
            f"{quote_value(cell)} in line {at:,}" for at, cell in self._first_use.values()
        )
        raise self._file.error(
            f"all numbers must use the same decimal sign, a point or a comma, got {listed}; write "
            "all numbers with a point and without thousands separators.",
            line,
        )
