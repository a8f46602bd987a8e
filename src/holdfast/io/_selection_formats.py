"""Selections in JSON and plain text, checked row by row so that messages can name the line."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from holdfast._formatting import did_you_mean, plural
from holdfast._typing import JSON
from holdfast.errors import InvalidInputError
from holdfast.io._text_files import (
    COMMENT,
    SourceText,
    first_repeat,
    long_line_error,
    longest_line,
    quote_value,
    refuse_repeats,
)
from holdfast.preferences import Subsets

_LARGEST_INDEX = 2**63 - 1  # of a 64-bit integer


@dataclass(frozen=True, slots=True)
class Selections:
    """Rows of indices or of names, and their lines in the file.

    Attributes
    ----------
    rows : list of lists
        Indices, or names throughout.
    where : callable
        Takes a row and an item of it, returns the line.
    names : sequence of str or None
        Names of all features, in order, if the file lists them.
    n_features : int or None
        Number of features, if the file states it.
    """

    rows: list[list[Any]]
    where: Callable[[int, int], int]
    names: Sequence[str] | None = None
    n_features: int | None = None

    @property
    def by_name(self) -> bool:
        """Whether rows hold names rather than indices."""
        return any(isinstance(item, str) for row in self.rows for item in row)


def to_subsets(
    source: SourceText,
    selections: Selections,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
) -> Subsets:
    """Check all rows and build the subsets."""
    if not selections.rows:
        raise source.error("at least one selection is needed, got none.")
    if feature_names is not None and selections.names is not None:
        selections = _convert_to_names(source, selections, feature_names)
    names = feature_names if feature_names is not None else selections.names
    count = _check_feature_count(source, selections, n_features, names)
    _check_rows(source, selections, count, names)
    try:
        return Subsets(selections.rows, n_features=count, feature_names=names)
    except InvalidInputError as error:
        raise source.error(str(error)) from error


def _check_feature_count(
    source: SourceText, selections: Selections, requested: int | None, names: Sequence[str] | None
) -> int | None:
    """Return the number of features that the file and the caller agree on."""
    stated = selections.n_features if names is None else len(names)
    if requested is not None and stated is not None and requested != stated:
        raise source.error(
            f"n_features must be {stated:,} as in the file, got {requested:,}; "
            "leave it out or correct it."
        )
    return requested if stated is None else stated


def _convert_to_names(
    source: SourceText, selections: Selections, names: Sequence[str]
) -> Selections:
    """Return rows of names, as the file and `names` may number the features differently."""
    file_names = selections.names or ()
    _check_rows(source, selections, len(file_names), file_names)
    if set(file_names) != set(names):
        odd = min(set(file_names) ^ set(names))
        raise source.error(
            f"the features must be the {len(names):,} of the similarity matrix, got "
            f"{len(file_names):,} of which some differ, such as {quote_value(odd)}."
        )
    rows = [
        [item if isinstance(item, str) else file_names[item] for item in row]
        for row in selections.rows
    ]
    return Selections(rows, selections.where, None, selections.n_features)


def _check_rows(
    source: SourceText, selections: Selections, count: int | None, names: Sequence[str] | None
) -> None:
    known: dict[str, int] = {name: i for i, name in enumerate(names or ())}
    for position, row in enumerate(selections.rows):
        if len(set(row)) < len(row):
            item = first_repeat(row)
            hint = "; drop the repeat."
            if {str(value) for value in row} <= {"0", "1"}:
                hint = " (a matrix of 0 and 1? give it a header of names and save it as .csv)."
            raise source.error(
                f"a feature may occur once per selection, got {quote_value(row[item])} again{hint}",
                selections.where(position, item),
            )
        for item, value in enumerate(row):
            if isinstance(value, str):
                wrong = _name_problem(value, known, count, closed=names is not None)
            else:
                wrong = _index_problem(value, count)
            if wrong:
                raise source.error(wrong, selections.where(position, item))


def _index_problem(value: int, count: int | None) -> str:
    """Return what is wrong with an index, or ""."""
    highest = _LARGEST_INDEX if count is None else count - 1
    if 0 <= value <= highest:
        return ""
    allowed = "0 or more" if count is None and value < 0 else f"0 to {highest:,}"
    return (
        f"indices of features run from {allowed}, got {quote_value(value)}; "
        "names that look like numbers are read from JSON, in quotes."
    )


def _name_problem(name: str, known: dict[str, int], count: int | None, *, closed: bool) -> str:
    """Return what is wrong with a name, or ""; if the list is open, add a new name to `known`."""
    if name in known:
        return ""
    if closed:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {quote_value(near[0])}?" if near else "."
        return (
            f"a name must be among the {plural(len(known), 'feature')}, got "
            f"{quote_value(name)}{hint}"
        )
    known[name] = len(known)
    if count is None or len(known) <= count:
        return ""
    return (
        f"at most {plural(count, 'different name')} may occur, as n_features says, "
        f"got one more: {quote_value(name)}."
    )


# JSON: a list of selections, or an object that holds one.

JSON_KEYS = ("feature_names", "n_features", "subsets")
_BLANK = re.compile(r"[ \t\n\r]*")


def read_json(source: SourceText) -> Selections:
    """Read ``[[0, 3], [3, 7]]``, or ``{"n_features": 10, "subsets": [[0, 3], [3, 7]]}``.

    Features are indices or names, one kind throughout; ``"feature_names"`` may list all names.
    """
    document = _parse_json(source)
    if isinstance(document, list):
        document = {"subsets": document}
    _check_object(source, document)
    _check_feature_fields(source, document)

    def where(row: int, item: int) -> int:
        return _find_line(source, row, item)

    rows = document["subsets"]
    _check_kinds(source, rows)
    return Selections(rows, where, document.get("feature_names"), document.get("n_features"))


def _parse_json(source: SourceText) -> JSON:
    if len(source.text) > longest_line():  # JSON has no rows: all of it is split at once
        raise long_line_error(source.error)
    try:
        return json.loads(source.text, object_pairs_hook=_refuse_repeated_keys)
    except json.JSONDecodeError as error:
        message, line = f"{error.msg.lower()} in column {error.colno}", error.lineno
        at_end = not source.text[error.pos :].strip()
    except (ValueError, RecursionError) as error:
        message, line, at_end = str(error), None, False
    hint = "the file seems to be cut off" if at_end else "check the syntax there"
    raise source.error(f"valid JSON is needed, got: {message}; {hint}.", line)


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        raise ValueError("an object with the same key twice")
    return document


def _check_object(source: SourceText, document: object) -> None:
    """Raise unless the document is an object with a list of subsets and known keys."""
    if not isinstance(document, dict):
        raise source.error(
            "a list of selections or an object with 'subsets' is needed, got "
            f"{quote_value(document)}.",
            1,
        )
    unknown = [key for key in document if key not in JSON_KEYS]
    if unknown:
        line = source.line_at(source.text.find(json.dumps(unknown[0])))
        hint = did_you_mean(unknown[0], JSON_KEYS)
        raise source.error(f"the object has an unknown key {quote_value(unknown[0])}.{hint}", line)
    if not isinstance(document.get("subsets"), list):
        raise source.error("the object needs a list of lists under the key 'subsets'.", 1)


def _check_feature_fields(source: SourceText, document: dict[str, Any]) -> None:
    """Raise for an invalid number of features or list of names."""
    count, names = document.get("n_features"), document.get("feature_names")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        line = source.line_at(_value_offset(source.text, "n_features"))
        raise source.error(
            f"n_features must be a positive integer, got {quote_value(count)}.", line
        )
    if names is None:
        return
    line = source.line_at(_value_offset(source.text, "feature_names"))
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise source.error("feature_names must be a list of names in quotes.", line)
    refuse_repeats(names, "feature", partial(source.error, line=line))
    if count is not None and count != len(names):
        raise source.error(
            f"n_features is {count:,}, but feature_names holds {len(names):,} names.", line
        )


def _check_kinds(source: SourceText, rows: list[Any]) -> None:
    """Raise for rows that are not lists, and items that are neither indices nor names."""
    first: type | None = None
    # exact types: True is an int for isinstance, but no index
    for position, row in enumerate(rows):
        if not isinstance(row, list):
            raise source.error(
                f"each selection must be a list of indices or names, got {quote_value(row)}.",
                _find_line(source, position),
            )
        for item, value in enumerate(row):
            first = first or type(value)
            if type(value) is not first or first not in (int, str):
                raise source.error(
                    "features must be all indices (integers) or all names (in quotes), "
                    f"got {json.dumps(value)[:40]}.",
                    _find_line(source, position, item),
                )


def _find_line(source: SourceText, row: int, item: int | None = None) -> int:
    """Return the line of a row, or of an item in it; parsed again, as only messages need it."""
    text = source.text
    start = _skip_blanks(text, 0)
    start = _value_offset(text, "subsets") if text[start] == "{" else start
    offset = next(islice(_item_offsets(text, start), row, None))
    if item is not None:
        offset = next(islice(_item_offsets(text, offset), item, None))
    return source.line_at(offset)


def _skip_blanks(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _item_offsets(text: str, start: int) -> Iterator[int]:
    """Yield where each item of the array at `start` begins, in text known to be valid JSON."""
    decoder = json.JSONDecoder()
    at = _skip_blanks(text, start + 1)
    while text[at] != "]":
        yield at
        at = _skip_blanks(text, decoder.raw_decode(text, at)[1])
        at = _skip_blanks(text, at + 1) if text[at] == "," else at


def _value_offset(text: str, key: str) -> int:
    """Return the offset of the value of a key of the outer object."""
    decoder = json.JSONDecoder()
    at = _skip_blanks(text, 0)
    while True:
        name, at = decoder.raw_decode(text, _skip_blanks(text, at + 1))
        at = _skip_blanks(text, _skip_blanks(text, at) + 1)
        if name == key:
            return at
        at = _skip_blanks(text, decoder.raw_decode(text, at)[1])


# Plain text: one selection per line.

EMPTY = "-"
_SEPARATORS = re.compile(r"[\s,;]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_MAX_INDEX_DIGITS = 19  # an index of more digits fits no 64-bit number


def read_selection_lines(source: SourceText) -> Selections:
    """Read one selection per line: features separated by white space, commas or semicolons.

    If every feature of the file is an integer they are indices, else they are names.
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    if len(source.text) > longest_line():  # all rows are kept as texts until the last is read
        raise long_line_error(source.error)
    for number, raw in enumerate(source.lines(), start=1):
        line = raw.strip()
        if line and not line.startswith(COMMENT):
            rows.append(_split_features(source, line, number))
            lines.append(number)
    if all(_INTEGER.fullmatch(feature) for row in rows for feature in row):
        return Selections(_parse_indices(source, rows, lines), lambda row, _: lines[row])
    return Selections(rows, lambda row, _: lines[row])


def _split_features(source: SourceText, line: str, number: int) -> list[str]:
    if line == EMPTY:
        return []
    features = [feature for feature in _SEPARATORS.split(line) if feature]
    if not features or EMPTY in features:
        raise source.error(
            f"a line holds features, or a single {EMPTY} for an empty selection, "
            f"got {quote_value(line)}.",
            number,
        )
    if '"' in line:
        odd = next(feature for feature in features if '"' in feature)
        raise source.error(
            f"names in plain text are not quoted, got {quote_value(odd)}; "
            "use JSON for names with blanks or quotes.",
            number,
        )
    return features


def _parse_indices(source: SourceText, rows: list[list[str]], lines: list[int]) -> list[list[int]]:
    for row, number in zip(rows, lines, strict=True):
        long = next((feature for feature in row if len(feature) > _MAX_INDEX_DIGITS), None)
        if long is not None:
            raise source.error(
                f"indices of features have at most {_MAX_INDEX_DIGITS} digits, "
                f"got {quote_value(long)}.",
                number,
            )
    return [[int(feature) for feature in row] for row in rows]
