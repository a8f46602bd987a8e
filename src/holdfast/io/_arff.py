"""ARFF, the format of WEKA: attributes with their types, then dense or sparse rows."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast._formatting import did_you_mean
from holdfast.io._columns import TARGET, roles_of, text_features
from holdfast.io._csv import RowReader
from holdfast.io._text_files import quote_value, refuse_repeats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.io._columns import Roles, Wishes
    from holdfast.io._dataset import Dataset
    from holdfast.io._text_files import TextFile

_COMMENT, _UNKNOWN = "%", "?"
_NUMERIC = frozenset({"numeric", "real", "integer"})
_OTHER = frozenset({"string", "date"})  # text to us, even if it looks like numbers
_NOMINAL = "nominal"
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_ATTRIBUTE = re.compile(
    rf"@attribute\s+({_QUOTED}|[^\s{{]+)(?:\s+|(?=\{{))(\{{.*\}}|\S.*)", re.IGNORECASE
)
_CELL = re.compile(rf"\s*({_QUOTED}|(?:[^,'\"\s][^,]*?)?)\s*(,|$)")
_SPARSE = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,]+?)\s*(,|$)")
_ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True)
class _Attribute:
    """A column: its name, its type and the line that says so, and its values if it is nominal."""

    name: str
    kind: str
    line: int
    values: tuple[str, ...] | None = None

    @property
    def default(self) -> str:
        """What a sparse row means by leaving the column out: the first value, or 0."""
        return "0" if self.values is None else self.values[0]


def read_arff(file: TextFile, wishes: Wishes, source: dict[str, Any]) -> Dataset:
    """Read an ARFF file; the target is the attribute called ``class``, else the last one."""
    lines = _content(file)
    attributes = _attributes(file, lines)
    names = [attribute.name for attribute in attributes]
    if wishes.target is None and TARGET not in map(str.lower, names):
        wishes = replace(wishes, target=names[-1])
    declared = [j for j, attribute in enumerate(attributes) if attribute.values is not None]
    roles = roles_of(file.where, names, wishes, declared)
    if attributes[roles.target].kind in _OTHER:  # text, even if it looks like numbers
        roles = replace(roles, classes=True)
    _refuse_text(file, attributes, roles)
    # NA and its like are values here, if they are declared
    rows = RowReader(file, roles, decimal_comma=False, is_missing=operator.not_)
    check = _ValueCheck(file, attributes, roles)
    for number, line in lines:
        cells = _cells(file, number, line, attributes)
        check(number, cells)
        rows.add(number, cells)
    return rows.dataset(source, file.notes)


def _refuse_text(file: TextFile, attributes: list[_Attribute], roles: Roles) -> None:
    """Refuse features of types that hold text."""
    plain = [attributes[j] for j in roles.features if j not in roles.nominal]
    found = {one.name: (one.line, one.kind) for one in plain if one.kind in _OTHER}
    if found:
        raise file.error(text_features(found), next(iter(found.values()))[0])


def _content(file: TextFile) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, blank ones and comments left out."""
    for number, raw in enumerate(file.lines(), start=1):
        line = raw.strip()
        if line and not line.startswith(_COMMENT):
            yield number, line


def _attributes(file: TextFile, lines: Iterator[tuple[int, str]]) -> list[_Attribute]:
    """Read the header down to the line that announces the data."""
    found: list[_Attribute] = []
    for number, line in lines:
        word = line.split(maxsplit=1)[0].lower()
        if word == "@data":
            return _check_attributes(file, found, number)
        if word == "@attribute":
            found.append(_attribute(file, number, line))
        elif word != "@relation":
            hint = did_you_mean(word, ("@relation", "@attribute", "@data"))
            raise file.error(f"an ARFF header has no line {quote_value(line)}.{hint}", number)
    raise file.error("an ARFF file needs a line @data above its rows, got none.")


def _attribute(file: TextFile, number: int, line: str) -> _Attribute:
    found = _ATTRIBUTE.fullmatch(line)
    if found is None:
        raise file.error(f"an attribute needs a name and a type, got {quote_value(line)}.", number)
    name, kind = _plain(found[1]), found[2].strip()
    if kind.startswith("{"):
        return _Attribute(name, _NOMINAL, number, tuple(_split(kind[1:-1])))
    word = kind.split()[0].lower()
    if word not in _NUMERIC | _OTHER:
        raise file.error(
            f"attribute {quote_value(name)} must be numeric, real, integer, string, date or "
            f"{{a, list, of, values}}, got {quote_value(kind)}.",
            number,
        )
    return _Attribute(name, word, number)


def _check_attributes(file: TextFile, attributes: list[_Attribute], line: int) -> list[_Attribute]:
    names = [attribute.name for attribute in attributes]
    if not names:
        raise file.error("at least one @attribute is needed above @data, got none.", line)
    refuse_repeats(names, "attribute", partial(file.error, line=line))
    return attributes


def _cells(file: TextFile, number: int, line: str, attributes: list[_Attribute]) -> list[str]:
    """Return the cells of a row, empty where the value is missing; one cell an attribute."""
    sparse = line.startswith("{")
    cells = _sparse(file, number, line, attributes) if sparse else _split(line)
    if len(cells) != len(attributes):
        raise file.error(
            f"each row must have {len(attributes):,} values between commas, one an attribute, "
            f"got {len(cells):,}; is the row cut off, or is a comma missing?",
            number,
        )
    return cells


def _sparse(file: TextFile, number: int, line: str, attributes: list[_Attribute]) -> list[str]:
    """Return the cells of a row of pairs ``{position value, ...}``; positions count from 0."""
    cells = [attribute.default for attribute in attributes]
    inside, at = line[1:].rstrip(), 0
    while inside[at:].strip() not in {"", "}"}:
        pair = _SPARSE.match(inside.removesuffix("}"), at)
        if pair is None or int(pair[1]) >= len(cells) or not inside.endswith("}"):
            raise file.error(
                "a sparse row holds pairs of a position (from 0 to "
                f"{len(cells) - 1:,}) and a value in braces, got {quote_value(inside[at:])}.",
                number,
            )
        cells[int(pair[1])] = _value(pair[2])
        at = pair.end()
    return cells


def _split(line: str) -> list[str]:
    """Take a line apart at its commas, but not inside quotes; what is unknown is empty."""
    if "'" not in line and '"' not in line:
        cells = [cell.strip() for cell in line.split(",")]
        return ["" if cell == _UNKNOWN else cell for cell in cells] if _UNKNOWN in line else cells
    cells = []
    at, more = 0, True
    while more:
        found = _CELL.match(line, at)
        if found is None:  # a quote is left open: the row has too few cells then
            return cells
        cells.append(_value(found[1]))
        at, more = found.end(), found[2] == ","
    return cells


def _value(text: str) -> str:
    """Return a value without its quotes, empty if it is unknown; a quoted ? is a value."""
    return "" if text == _UNKNOWN else _plain(text)


def _plain(text: str) -> str:
    """Return a value without its quotes."""
    if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
        return text
    return _ESCAPE.sub(r"\1", text[1:-1])


class _ValueCheck:
    """Refuses values of nominal attributes that the header does not list."""

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
