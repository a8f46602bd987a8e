"""JSON: a list of selections, or an object that holds one."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from holdfast._text import did_you_mean
from holdfast.io._selections import Selections
from holdfast.io._source import refuse_repeats, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.io._source import Source

KEYS = ("feature_names", "n_features", "subsets")
_BLANK = re.compile(r"[ \t\n\r]*")


def read_json(source: Source) -> Selections:
    """Read ``[[0, 3], [3, 7]]``, or ``{"n_features": 10, "subsets": [[0, 3], [3, 7]]}``.

    Features are indices or names, one kind throughout; ``"feature_names"`` may list all names.
    """
    document = _loaded(source)
    if isinstance(document, list):
        document = {"subsets": document}
    _check_object(source, document)
    _check_features(source, document)

    def where(row: int, item: int) -> int:
        return _line(source, row, item)

    rows = document["subsets"]
    _check_kinds(source, rows)
    return Selections(rows, where, document.get("feature_names"), document.get("n_features"))


def _loaded(source: Source) -> Any:  # noqa: ANN401  (any JSON value)
    try:
        return json.loads(source.text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        message, line = f"{error.msg.lower()} in column {error.colno}", error.lineno
        at_end = not source.text[error.pos :].strip()
    except (ValueError, RecursionError) as error:
        message, line, at_end = str(error), None, False
    hint = "the file seems to be cut off" if at_end else "check the syntax there"
    raise source.error(f"valid JSON is needed, got: {message}; {hint}.", line)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object with the same key twice")
    return found


def _check_object(source: Source, document: object) -> None:
    """Refuse anything but an object with a list of subsets and known keys."""
    if not isinstance(document, dict):
        raise source.error(
            f"a list of selections or an object with 'subsets' is needed, got {shown(document)}.",
            1,
        )
    unknown = [key for key in document if key not in KEYS]
    if unknown:
        line = source.line_at(source.text.find(json.dumps(unknown[0])))
        hint = did_you_mean(unknown[0], KEYS)
        raise source.error(f"the object has an unknown key {shown(unknown[0])}.{hint}", line)
    if not isinstance(document.get("subsets"), list):
        raise source.error("the object needs a list of lists under the key 'subsets'.", 1)


def _check_features(source: Source, document: dict[str, Any]) -> None:
    """Refuse a number or a list of names of features that cannot be one."""
    count, names = document.get("n_features"), document.get("feature_names")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        line = source.line_at(_value_of(source.text, "n_features"))
        raise source.error(
            f"n_features must be a whole number from 1 on, got {shown(count)}.", line
        )
    if names is None:
        return
    line = source.line_at(_value_of(source.text, "feature_names"))
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise source.error("feature_names must be a list of names in quotes.", line)
    refuse_repeats(names, "feature", partial(source.error, line=line))
    if count is not None and count != len(names):
        raise source.error(
            f"n_features is {count:,}, but feature_names holds {len(names):,} names.", line
        )


def _check_kinds(source: Source, rows: list[Any]) -> None:
    """Refuse rows that are no lists, and items that are neither indices nor names."""
    first: type | None = None
    for position, row in enumerate(rows):
        if not isinstance(row, list):
            raise source.error(
                f"each selection must be a list of indices or names, got {shown(row)}.",
                _line(source, position),
            )
        for item, value in enumerate(row):
            first = first or type(value)
            if type(value) is not first or first not in (int, str):
                raise source.error(
                    "features must be indices (whole numbers) throughout or names (in quotes) "
                    f"throughout, got {json.dumps(value)[:40]}.",
                    _line(source, position, item),
                )


def _line(source: Source, row: int, item: int | None = None) -> int:
    """Return the line of a row, or of an item in it; walked anew, as only messages need it."""
    text = source.text
    start = _skip(text, 0)
    start = _value_of(text, "subsets") if text[start] == "{" else start
    offset = next(islice(_items(text, start), row, None))
    if item is not None:
        offset = next(islice(_items(text, offset), item, None))
    return source.line_at(offset)


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _items(text: str, start: int) -> Iterator[int]:
    """Yield where each item of the array at `start` begins, in text known to be valid JSON."""
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    while text[at] != "]":
        yield at
        at = _skip(text, decoder.raw_decode(text, at)[1])
        at = _skip(text, at + 1) if text[at] == "," else at


def _value_of(text: str, key: str) -> int:
    """Return where the value of a key of the outer object begins."""
    decoder = json.JSONDecoder()
    at = _skip(text, 0)
    while True:
        name, at = decoder.raw_decode(text, _skip(text, at + 1))
        at = _skip(text, _skip(text, at) + 1)
        if name == key:
            return at
        at = _skip(text, decoder.raw_decode(text, at)[1])
