"""ARFF, the format of WEKA: attributes with their types, then dense or sparse rows."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast._formatting import did_you_mean
from holdfast._memory import MemoryUse
from holdfast.io._columns import TARGET, assign_roles, format_text_features
from holdfast.io._csv import RowReader
from holdfast.io._text_files import BYTES_PER_CHARACTER, TextFile, quote_value, refuse_repeats

if TYPE_CHECKING:
    from holdfast.io._columns import ColumnOptions, Roles
    from holdfast.io._dataset import Dataset

_COMMENT, _UNKNOWN = "%", "?"
_NUMERIC = frozenset({"numeric", "real", "integer"})
_OTHER = frozenset({"string", "date"})  # read as text, even if it looks like numbers
_NOMINAL = "nominal"
_QUOTES = "'\""
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s{{]+)(?:\s+|(?=\{{))(\{{.*\}}|\S.*)", re.IGNORECASE
)
_CELL = re.compile(rf"\s*({_QUOTED}|(?:[^,'\"\s][^,]*?)?)\s*(,|$)")
_SPARSE = re.compile(rf"\s*([0-9]{{1,9}})\s+({_QUOTED}|[^,'\"\s][^,]*?)\s*(,|$)")
_ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True)
class _Attribute:
    """A column: its name, type, line in the header, and its values if it is nominal."""

    name: str
    kind: str
    line: int
    values: tuple[str, ...] | None = None

    @property
    def default(self) -> str:
        """The value of a column that a sparse row leaves out: the first value, or 0."""
        return "0" if self.values is None else self.values[0]


def read_arff(file: TextFile, options: ColumnOptions, source: dict[str, Any]) -> Dataset:
    """Read an ARFF file; the target is the attribute called ``class``, else the last one."""
    lines = _content_lines(file)
    attributes = _read_header(file, lines)
    names = [attribute.name for attribute in attributes]
    if options.target is None and TARGET not in map(str.lower, names):
        options = replace(options, target=names[-1])
    declared = [j for j, attribute in enumerate(attributes) if attribute.values is not None]
    roles = assign_roles(file.where, names, options, declared)
    if attributes[roles.target].kind in _OTHER:  # text, even if it looks like numbers
        roles = replace(roles, classes=True)
    plain = [attributes[j] for j in roles.features if j not in roles.nominal]
    texts = {column.name: (column.line, column.kind) for column in plain if column.kind in _OTHER}
    if texts:
        raise file.error(format_text_features(texts), next(iter(texts.values()))[0])
    # NA and similar are ordinary values here if declared
    rows = RowReader(file, roles, decimal_comma=False, is_missing=operator.not_)
    check = _ValueCheck(file, attributes, roles)
    for number, line in lines:
        cells = _parse_row(file, number, line, attributes)
        check(number, cells)
        rows.add(number, cells)
    return rows.to_dataset(source, file.notes)


def _content_lines(file: TextFile) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, without blank lines and comments."""
    for number, raw in enumerate(file.lines(), start=1):
        line = raw.strip()
        if line and not line.startswith(_COMMENT):
            yield number, line


def _read_header(file: TextFile, lines: Iterator[tuple[int, str]]) -> list[_Attribute]:
    """Read the header down to the line that announces the data."""
    attributes: list[_Attribute] = []
    use = MemoryUse(file.error)
    for number, line in lines:
        word = line.split(maxsplit=1)[0].lower()
        if word == "@data":
            if not attributes:
                raise file.error("at least one @attribute is needed above @data, got none.", number)
            names = [attribute.name for attribute in attributes]
            refuse_repeats(names, "attribute", partial(file.error, line=number))
            return attributes
        use.add(BYTES_PER_CHARACTER * len(line), f"a header of {number:,} lines")
        if word == "@attribute":
            attributes.append(_parse_attribute(file, number, line))
        elif word != "@relation":
            hint = did_you_mean(word, ("@relation", "@attribute", "@data"))
            raise file.error(f"an ARFF header has no line {quote_value(line)}.{hint}", number)
    raise file.error("an ARFF file needs a line @data above its rows, got none.")


def _parse_attribute(file: TextFile, number: int, line: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise file.error(f"an attribute needs a name and a type, got {quote_value(line)}.", number)
    name, kind = _unquote(match[1]), match[2].strip()
    if name == match[1] and name[0] in _QUOTES:
        raise file.error(f"the quote in {quote_value(line)} is not closed.", number)
    if kind.startswith("{"):
        return _Attribute(name, _NOMINAL, number, _parse_values(file, number, name, kind))
    word = kind.split()[0].lower()
    if word not in _NUMERIC | _OTHER:
        raise file.error(
            f"attribute {quote_value(name)} must be numeric, real, integer, string, date or "
            f"{{a, list, of, values}}, got {quote_value(kind)}.",
            number,
        )
    return _Attribute(name, word, number)


def _parse_values(file: TextFile, number: int, name: str, kind: str) -> tuple[str, ...]:
    """Return the values of a nominal attribute, given in braces."""
    values = _split_cells(file, number, kind[1:-1]) if kind.endswith("}") else [""]
    if "" in values:
        raise file.error(
            f"attribute {quote_value(name)} needs values between commas in braces, such as "
            f"{{yes,no}}, got {quote_value(kind)}.",
            number,
        )
    refuse_repeats(values, "value", partial(file.error, line=number))
    return tuple(values)


def _parse_row(file: TextFile, number: int, line: str, attributes: list[_Attribute]) -> list[str]:
    """Return the cells of a row, one per attribute, empty where the value is missing."""
    if line.startswith("{"):
        cells = _parse_sparse_row(file, number, line, attributes)
    else:
        cells = _split_cells(file, number, line)
    if len(cells) != len(attributes):
        raise file.error(
            f"each row must have {len(attributes):,} values between commas, one per attribute, "
            f"got {len(cells):,}; is the row truncated, or a comma missing?",
            number,
        )
    return cells


def _parse_sparse_row(
    file: TextFile, number: int, line: str, attributes: list[_Attribute]
) -> list[str]:
    """Return the cells of a row of pairs ``{position value, ...}``; positions count from 0."""
    # in ARFF, a sparse row omits zeros and the first values of nominal attributes
    cells = [attribute.default for attribute in attributes]
    inside, at, given = line[1:].rstrip(), 0, set()
    while inside[at:].strip() not in {"", "}"}:
        pair = _SPARSE.match(inside.removesuffix("}"), at)
        if pair is None or int(pair[1]) >= len(cells) or not inside.endswith("}"):
            raise file.error(
                "a sparse row holds pairs of a position (from 0 to "
                f"{len(cells) - 1:,}) and a value in braces, got {quote_value(inside[at:])}.",
                number,
            )
        position = int(pair[1])
        if position in given:
            raise file.error(
                f"a sparse row may give each position once, got {position} again.", number
            )
        given.add(position)
        cells[position] = _parse_value(pair[2])
        at = pair.end()
    return cells


def _split_cells(file: TextFile, number: int, line: str) -> list[str]:
    """Split a line at its commas, except inside quotes; unknown values become empty."""
    # str.split is much faster than the regular expression, and most files have no quotes
    if "'" not in line and '"' not in line:
        cells = [cell.strip() for cell in line.split(",")]
        return ["" if cell == _UNKNOWN else cell for cell in cells] if _UNKNOWN in line else cells
    cells = []
    at, more = 0, True
    while more:
        match = _CELL.match(line, at)
        if match is None:
            raise file.error(
                f"a quote is not closed, or text follows it: {quote_value(line[at:].strip())}.",
                number,
            )
        cells.append(_parse_value(match[1]))
        at, more = match.end(), match[2] == ","
    return cells


def _parse_value(text: str) -> str:
    """Return a value without its quotes, empty if unknown; a quoted ? is a value."""
    return "" if text == _UNKNOWN else _unquote(text)


def _unquote(text: str) -> str:
    """Return a value without its quotes."""
    if len(text) < 2 or text[0] not in _QUOTES or text[-1] != text[0]:
        return text
    return _ESCAPE.sub(r"\1", text[1:-1])


class _ValueCheck:
    """Raises for values of nominal attributes that the header does not list."""

    def __init__(self, file: TextFile, attributes: list[_Attribute], roles: Roles) -> None:
        used = {*roles.nominal, *roles.labels.values()}
        self._file = file
        self._known = [
            (j, attribute.name, {"", *attribute.values})
            for j, attribute in enumerate(attributes)
            if j in used and attribute.values is not None
        ]

    def __call__(self, number: int, cells: list[str]) -> None:
        for column, name, values in self._known:
            if cells[column] not in values:
                hint = did_you_mean(cells[column], values - {""})
                raise self._file.error(
                    f"attribute {quote_value(name)} has no value "
                    f"{quote_value(cells[column])}.{hint}",
                    number,
                )
