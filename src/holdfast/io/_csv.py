"""Tables of data as text: a header of names, then one row of cells a sample."""

from __future__ import annotations

from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._kernels.decimals import parse_row
from holdfast.io._columns import (
    build_dataset,
    codes_of,
    is_missing,
    labels_of,
    roles_of,
    text_features,
)
from holdfast.io._selection_formats import COMMENT
from holdfast.io._tables import SEPARATOR_NAMES, is_content, records_of, separator_of
from holdfast.io._target import TargetOrigin, check_target
from holdfast.io._text_files import SourceText, quote_value, refuse_repeats
from holdfast.io._values import rows_a_block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from holdfast.io._columns import Roles, Wishes
    from holdfast.io._dataset import Dataset
    from holdfast.io._text_files import TextFile

    Floats = NDArray[np.float64]


def read_table(file: TextFile, wishes: Wishes, source: dict[str, Any]) -> Dataset:
    """Read a table: cells between commas, semicolons or tabs, as the header has them.

    Lines above the header that begin with ``#`` are skipped, and blank lines everywhere.
    """
    line, separator = _header(file)
    records = records_of(_from(file, line), separator, file.error)
    header = next(records)[1]
    names = [name.strip() for name in header]
    _check_header(file, names, line)
    roles = roles_of(file.where, names, wishes)
    rows = RowReader(file, roles, decimal_comma=separator != ",")
    for at, cells in records:
        if len(cells) != len(names):
            raise file.error(_format_row_length_error(len(cells), len(names), separator, line), at)
        rows.add(at, cells)
    data = rows.dataset(source, file.notes)
    _refuse_lost_header(file, names[roles.target], data, line)
    return data


def _header(file: TextFile) -> tuple[int, str]:
    """Return the number of the line that holds the header, and the sign between cells."""
    comment, at = "", 0
    for number, line in enumerate(file.lines(), start=1):
        if is_content(line):
            separator = separator_of(SourceText(file.where, file.suffix, line))
            return (at if _names_columns(comment, line, separator) else number), separator
        if line.strip():
            comment, at = line, number
    raise file.error("a header of column names is needed, got blank lines or comments only.", 1)


def _names_columns(comment: str, row: str, separator: str) -> bool:
    """Tell whether a comment is a header, as in ``#id,x,class``: names above as many values."""
    names, cells = comment[1:].split(separator), row.split(separator)
    return (
        len(names) == len(cells) > 1
        and not comment[1].isspace()
        and any(map(_is_number, cells))
        and not any(map(_is_number, names))
    )


def _from(file: TextFile, header: int) -> Iterator[str]:
    """Yield the lines, blank above the header; below it, # may begin a cell."""
    for number, line in enumerate(file.lines(), start=1):
        if number > header:
            yield line
        else:
            yield line.removeprefix(COMMENT) if number == header else "\n"


def _check_header(file: TextFile, names: list[str], line: int) -> None:
    """Refuse names that are missing, given twice, or no names at all."""
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
            f"{names.index('', 1) + 1:,} (counted from 1); is there a separator too many?",
            line,
        )
    refuse_repeats(names, "column", partial(file.error, line=line))


def _has_numbered_names(names: list[str]) -> bool:
    """Tell whether columns are numbered from 0 or 1, perhaps behind a column of row labels."""
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
    hint = "is the row cut off, or is a separator missing?"
    if got == width + 1:
        hint = "if the first column holds labels of the rows, give it a name in the header."
    return (
        f"each row must have {width:,} cells between {SEPARATOR_NAMES[separator]}, as the "
        "header in line "
        f"{header_line:,} has, got {got:,}; {hint}"
    )


def _refuse_lost_header(file: TextFile, target: str, data: Dataset, line: int) -> None:
    """Refuse names that are numbers but for the target's, which is one of its labels."""
    numbers = sum(map(_is_number, data.feature_names))
    if target in data.classes and 2 * numbers > data.n_features:
        raise file.error(
            f"the first line must be a header of column names, got {quote_value(target)} as "
            "the name of "
            "the target, which is one of its labels, too; add a line of names above it.",
            line,
        )


# Rows of cells, read one by one: features as numbers, all else as text.


class RowReader:
    """Takes the rows of a text file in; cells never stay as text but for those that are text."""

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
        # a list, as Python runs through it faster than through an array
        self._plain = np.isin(np.arange(len(roles.names)), self._numeric).tolist()
        self._texts: dict[int, list[str]] = {column: [] for column in self._text_columns()}
        self._memo: dict[str, str] = {}
        self._lines: list[int] = []
        names = [roles.names[column] for column in self._numeric]
        self._numbers = NumberReader(file, names, decimal_comma=decimal_comma)
        self._blocks = Blocks(len(names))

    def add(self, line: int, cells: list[str]) -> None:
        """Take a row in; there is a cell for each column."""
        self._lines.append(line)
        for column, texts in self._texts.items():
            cell = cells[column].strip()
            texts.append(self._memo.setdefault(cell, cell))
        self._blocks.add(self._numbers.row(line, list(compress(cells, self._plain))))

    def dataset(self, source: dict[str, Any], notes: tuple[str, ...]) -> Dataset:
        """Return all rows as a data set; refuse text in features, and gaps in labels."""
        file, roles = self._file, self._roles
        if not self._lines:
            raise file.error("at least one row is needed below the header, got none.")
        if self._numbers.refused:
            refused = self._numbers.refused
            raise file.error(text_features(refused), next(iter(refused.values()))[0])
        nominal = np.flatnonzero(np.isin(roles.features, roles.nominal)).tolist()
        labels = {name: self._labels(column) for name, column in roles.labels.items()}
        if not roles.classes:
            check_target(file.where, roles.names[roles.target], labels["y"], TargetOrigin.TEXT)
        return build_dataset(
            {
                "X": self._matrix(nominal),
                **labels,
                "feature_names": roles.feature_names,
                "nominal": tuple(nominal),
                "source": source,
                "notes": (*notes, *roles.notes, *self._numbers.notes),
            },
            [roles.names[column] for column in roles.nominal],
        )

    def _text_columns(self) -> list[int]:
        return [*self._roles.labels.values(), *self._roles.nominal]

    def _labels(self, column: int) -> NDArray[np.str_]:
        lines, texts = self._lines, self._texts[column]
        for line, text in zip(lines, texts, strict=True):
            self._file.refuse_control(text, line)
        return labels_of(
            self._file.error,
            self._roles.names[column],
            texts,
            lambda row: f"row {row + 1:,} (line {lines[row]:,})",
        )

    def _matrix(self, nominal: list[int]) -> Floats:
        """Return the numbers with the codes of nominal features in between."""
        if not nominal:
            return self._blocks.joined()
        X = np.empty((len(self._lines), len(self._roles.features)))
        X[:, np.isin(self._roles.features, self._numeric)] = self._blocks.joined()
        for feature, column in zip(nominal, self._roles.nominal, strict=True):
            texts = self._texts[column]
            X[:, feature] = codes_of([None if self._is_missing(text) else text for text in texts])
        return X


# Cells of text as numbers, exact to the last bit; rows of them as a matrix.


class NumberReader:
    """Turns rows of cells into numbers; remembers columns that hold text."""

    def __init__(self, file: TextFile, names: list[str], *, decimal_comma: bool) -> None:
        self._file, self._names, self._decimal_comma = file, names, decimal_comma
        self._text: dict[int, tuple[int | None, str]] = {}
        self._open = np.empty(len(names), dtype=np.int64)
        self._signs = DecimalSigns(file)

    @property
    def refused(self) -> dict[str, tuple[int | None, str]]:
        """The columns that hold text, by name: the line and the first such cell."""
        return {self._names[column]: at for column, at in sorted(self._text.items())}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner of the file should know about its numbers."""
        return self._signs.notes

    def row(self, line: int, cells: list[str]) -> Floats:
        """Return a row as numbers, NaN where missing or text; refuse infinite ones."""
        row = np.empty(len(cells))
        joined = "\n".join(cells)
        if self._decimal_comma:
            self._signs.watch(line, cells, joined)
        text = np.frombuffer(joined.encode(), dtype=np.uint8)
        n_open = parse_row(text, self._decimal_comma, row, self._open) if cells else 0
        # line ends within cells let there seem to be more cells than there are
        left = range(len(cells)) if n_open < 0 else self._open[:n_open].tolist()
        for column in left:
            row[column] = self._cell(line, column, cells[column])
        return row

    def _cell(self, line: int, column: int, cell: str) -> float:
        """Read a cell that is no plain number: missing, infinite, of many digits, or text."""
        if is_missing(cell):
            return np.nan
        value = number_in(with_point(cell) if self._decimal_comma else cell)
        if value is None:
            self._file.refuse_control(cell, line)
            self._text.setdefault(column, (line, cell))
            return np.nan
        if np.isinf(value):
            raise self._file.error(
                f"values must be finite or missing, got {quote_value(cell)} in column "
                f"{quote_value(self._names[column])}.",
                line,
            )
        return value


class Blocks:
    """Rows that are gathered in blocks, as their number is not known before the end."""

    def __init__(self, n_columns: int) -> None:
        self._shape = rows_a_block(n_columns), n_columns
        self._full: list[Floats] = []
        self._used = 0

    def add(self, row: Floats) -> None:
        """Take a row in."""
        if self._used % self._shape[0] == 0:
            self._full.append(np.empty(self._shape))
        self._full[-1][self._used % self._shape[0]] = row
        self._used += 1

    def joined(self, *, as_columns: bool = False) -> Floats:
        """Return all rows, or a matrix with these rows as its columns.

        Blocks are let go one by one, so that memory is not needed twice.
        """
        n_rows, n_columns = self._used, self._shape[1]
        X = np.empty((n_columns, n_rows)).T if as_columns else np.empty((n_rows, n_columns))
        for start in range(0, self._used, self._shape[0]):
            part = X[start : start + self._shape[0]]
            part[:] = self._full.pop(0)[: len(part)]
        return X.T if as_columns else X


# Points and commas before decimals: a file has the one or the other.

_POINT, _COMMA = ".", ","


def number_in(cell: str) -> float | None:
    """Return a cell as a number, None if it is text."""
    try:
        return None if "_" in cell else float(cell)  # float() takes 1_000, too
    except ValueError:
        return None


def with_point(cell: str) -> str:
    """Return a cell with a point for its decimal comma."""
    return cell.replace(_COMMA, _POINT, 1)


class DecimalSigns:
    """Remembers where each sign was met first; refuses a file with both.

    Beside decimal points a comma most likely parts thousands; 1,234 is not to become 1.234 then.
    """

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._met: dict[str, tuple[int, str]] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said about decimal commas, if there are any."""
        if _COMMA not in self._met:
            return ()
        line, cell = self._met[_COMMA]
        return (f"Commas in numbers are read as decimal commas, as in {cell!r} (line {line:,}).",)

    def watch(self, line: int, cells: list[str], text: str) -> None:
        """Look at a row, given as cells and as one text, which is searched much faster."""
        for sign in (_POINT, _COMMA):
            if sign in text and sign not in self._met:
                self._meet(sign, line, cells)

    def _meet(self, sign: str, line: int, cells: list[str]) -> None:
        found = (cell for cell in cells if sign in cell and number_in(with_point(cell)) is not None)
        number = next(found, None)
        if number is None:
            return
        self._met[sign] = (line, number.strip())
        if len(self._met) == 2:
            raise self._both(line)

    def _both(self, line: int) -> Exception:
        listed = " and ".join(
            f"{quote_value(cell)} in line {at:,}" for at, cell in self._met.values()
        )
        return self._file.error(
            f"numbers must have one decimal sign, a point or a comma, got {listed}; write all "
            "with a point, and nothing between thousands.",
            line,
        )
