"""Plain text: one selection a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.io._selections import Selections
from holdfast.io._source import shown

if TYPE_CHECKING:
    from holdfast.io._source import Source

COMMENT = "#"
EMPTY = "-"
_BETWEEN = re.compile(r"[\s,;]+")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DIGITS = 19  # an index of more digits fits no 64-bit number


def read_lines(source: Source) -> Selections:
    """Read one selection a line: features between white space, commas or semicolons.

    If every feature of the file is a whole number they are indices, else they are names.
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    for number, raw in enumerate(source.lines(), start=1):
        line = raw.strip()
        if line and not line.startswith(COMMENT):
            rows.append(_features(source, line, number))
            lines.append(number)
    if all(_WHOLE.fullmatch(feature) for row in rows for feature in row):
        return Selections(_indices(source, rows, lines), lambda row, _: lines[row])
    return Selections(rows, lambda row, _: lines[row])


def _features(source: Source, line: str, number: int) -> list[str]:
    if line == EMPTY:
        return []
    features = [feature for feature in _BETWEEN.split(line) if feature]
    if not features or EMPTY in features:
        raise source.error(
            f"a line holds features, or a single {EMPTY} for an empty selection, "
            f"got {shown(line)}.",
            number,
        )
    if '"' in line:
        odd = next(feature for feature in features if '"' in feature)
        raise source.error(
            f"names stand without quotes in plain text, got {shown(odd)}; "
            "write names with blanks or quotes as JSON.",
            number,
        )
    return features


def _indices(source: Source, rows: list[list[str]], lines: list[int]) -> list[list[int]]:
    for row, number in zip(rows, lines, strict=True):
        long = next((feature for feature in row if len(feature) > _DIGITS), None)
        if long is not None:
            raise source.error(
                f"indices of features have at most {_DIGITS} digits, got {shown(long)}.", number
            )
    return [[int(feature) for feature in row] for row in rows]
