"""Objects written as text: ``name:key=value,key=value``, or ``name(value,key=value)``.

Objects of modules and files are written as ``module:object`` or ``path/to/file.py:object``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from holdfast._formatting import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError

Scalar: TypeAlias = int | float | bool | str | None

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_IDENTIFIERS = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_OBJECT_PATH = re.compile(
    r"(?P<place>(?:[A-Za-z]:[\\/])?[^:=(),]+\.py|" + _IDENTIFIERS + r")"
    r":(?P<name>" + _IDENTIFIERS + r")(?P<options>[:(].*)?",
    re.DOTALL,
)
_LITERAL_VALUES = {"true": True, "false": False, "none": None}


def parse_object_spec(text: str) -> tuple[str, dict[str, Scalar]]:
    """Parse ``name:key=value,key=value``.

    Values that look like numbers, True, False or None are converted; others stay text. Commas
    within round brackets belong to the value.

    Parameters
    ----------
    text : str
        A name, perhaps with options after a colon.

    Returns
    -------
    name : str
    options : dict

    Raises
    ------
    InvalidInputError
        The text does not have this form.

    Examples
    --------
    >>> from holdfast._object_spec import parse_object_spec
    >>> parse_object_spec("relieff:n_neighbors=5")
    ('relieff', {'n_neighbors': 5})
    >>> parse_object_spec("nested:outer=subsampling(10,0.9),inner=10")
    ('nested', {'outer': 'subsampling(10,0.9)', 'inner': 10})
    """
    name, colon, rest = text.partition(":")
    values, options = _parse_arguments(rest, text) if colon else ([], {})
    if values:
        raise InvalidInputError(
            f"options must have the form key=value; got {values[0]!r} in {text!r}."
        )
    return _check_name(name, text), options


def parse_call(text: str) -> tuple[str, list[Scalar], dict[str, Scalar]]:
    """Parse ``name(value,value,key=value)``; nothing is evaluated.

    Examples
    --------
    >>> from holdfast._object_spec import parse_call
    >>> parse_call("subsampling(10,0.9,stratify=false)")
    ('subsampling', [10, 0.9], {'stratify': False})
    """
    name, bracket, rest = text.strip().partition("(")
    if not bracket or not rest.endswith(")"):
        raise InvalidInputError(f"expected name(value,...); got {text!r}.")
    values, options = _parse_arguments(rest[:-1], text) if rest[:-1].strip() else ([], {})
    return _check_name(name, text), values, options


def parse_spec_or_call(text: str) -> tuple[str, dict[str, Scalar]]:
    """Parse ``name:key=value`` or ``name(key=value)``; only the second form can be nested.

    Examples
    --------
    >>> from holdfast._object_spec import parse_spec_or_call
    >>> parse_spec_or_call("relieff(n_neighbors=5)") == parse_spec_or_call("relieff:n_neighbors=5")
    True
    """
    if ":" in text.partition("(")[0] or "(" not in text:
        return parse_object_spec(text)
    name, values, options = parse_call(text)
    if values:
        raise InvalidInputError(
            f"options must have the form key=value; got {values[0]!r} in {text!r}."
        )
    return name, options


class ObjectPath(NamedTuple):
    """An object of a module or a file, with options if it is a class."""

    place: str
    """A module, or a path that ends in ``.py``."""
    name: str
    options: dict[str, Scalar]


def is_object_path(text: str) -> bool:
    """Return whether a text names an object of a module or a file.

    After the colon follows a name without an equals sign; options of a name have one.

    Examples
    --------
    >>> from holdfast._object_spec import is_object_path
    >>> [is_object_path(text) for text in ("scores.py:mine", "package.module:Mine(step=2)")]
    [True, True]
    >>> [is_object_path(text) for text in ("relieff", "relieff:n_neighbors=5", "svm_rfe(step=2)")]
    [False, False, False]
    """
    return _OBJECT_PATH.fullmatch(text.strip()) is not None


def is_file_place(place: str) -> bool:
    """Return whether what stands before the name of an object is a file, not a module."""
    return place.endswith(".py")


def parse_object_path(text: str) -> ObjectPath:
    """Parse ``module:object`` or ``path/to/file.py:object``; options may follow.

    Examples
    --------
    >>> from holdfast._object_spec import parse_object_path
    >>> parse_object_path("scores.py:Mine:step=2,C=1")
    ObjectPath(place='scores.py', name='Mine', options={'step': 2, 'C': 1})
    """
    match = _OBJECT_PATH.fullmatch(text.strip())
    if match is None:
        raise InvalidInputError(f"expected module:object or path/to/file.py:object; got {text!r}.")
    last = match["name"].rpartition(".")[2]
    return ObjectPath(
        match["place"], match["name"], parse_spec_or_call(last + (match["options"] or ""))[1]
    )


def names_code(text: str) -> bool:
    """Return whether an object given as text, or one of its options, is of a module or a file.

    Examples
    --------
    >>> from holdfast._object_spec import names_code
    >>> [names_code(text) for text in ("a.py:f", "ensemble:base=(a.py:f,relieff)", "relieff:m=5")]
    [True, True, False]
    """
    if is_object_path(text):
        return True
    try:
        _, options = parse_spec_or_call(text)
    except InvalidInputError:
        return False
    return any(any(map(is_object_path, list_names(value))) for value in options.values())


def list_names(value: object) -> list[str]:
    """Return the texts with a colon, or in a list with one, that are the value of an option."""
    return parse_list(value) if isinstance(value, str) and ":" in value else []


def parse_list(text: str) -> list[str]:
    """Parse ``(name,name(key=value))``, a list of objects; other text is a list of one.

    Examples
    --------
    >>> from holdfast._object_spec import parse_list
    >>> parse_list("(relieff(n_neighbors=5),svm_rfe)")
    ['relieff(n_neighbors=5)', 'svm_rfe']
    >>> parse_list("svm_rfe")
    ['svm_rfe']
    """
    text = text.strip()
    if not (text.startswith("(") and text.endswith(")")):
        return [text]
    return parse_names(text[1:-1])


def parse_names(text: str) -> list[str]:
    """Split names with options at commas.

    A part with an equals sign before any colon or bracket is an option of the name before it.

    Examples
    --------
    >>> from holdfast._object_spec import parse_names
    >>> parse_names("relieff,svm_rfe:step=0.5,C=1,ensemble:base=(t_score,relieff)")
    ['relieff', 'svm_rfe:step=0.5,C=1', 'ensemble:base=(t_score,relieff)']
    """
    names: list[str] = []
    for part in map(str.strip, _split_at_commas(text, text)):
        if not part:
            raise InvalidInputError(f"names between commas are needed, got {text!r}.")
        if "=" not in re.split(r"[:(]", part, maxsplit=1)[0]:
            names.append(part)
        elif names and ":" in names[-1]:
            separator = ":" if _is_without_options(names[-1]) else ","
            names[-1] += f"{separator}{part}"
        else:
            name = names[-1] if names else "name"
            raise InvalidInputError(
                f"{part!r} follows no name with a colon; write options as {name}:{part}."
            )
    return names


def _is_without_options(text: str) -> bool:
    """Return whether a text names an object of a module or a file, and nothing else."""
    match = _OBJECT_PATH.fullmatch(text.strip())
    return match is not None and match["options"] is None


def make_object(text: str, kind: Callable[..., Any], options: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Build an object from parsed text, after checking its options.

    Parameters
    ----------
    text : str
        The text, for messages.
    kind : callable
        The class, or a function that builds the object.
    options : mapping
        Options by name.
    """
    parameters = inspect.signature(kind).parameters
    takes_any = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values())
    known = list(parameters)
    for key in options:
        if key not in known and not takes_any:
            raise UnknownNameError(f"{text!r} has no option {key!r}.{did_you_mean(key, known)}")
    return kind(**options)


def snake_case(name: str) -> str:
    """Return the name of a class in snake case, as on the command line.

    Examples
    --------
    >>> from holdfast._object_spec import snake_case
    >>> snake_case("LinearSVMWeights")
    'linear_svm_weights'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _parse_arguments(rest: str, text: str) -> tuple[list[Scalar], dict[str, Scalar]]:
    values: list[Scalar] = []
    options: dict[str, Scalar] = {}
    for part in _split_at_commas(rest, text):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or "(" in key:  # an equals sign within brackets belongs to the value
            values.append(_parse_scalar(part, text))
        elif key in options:
            raise InvalidInputError(f"{key!r} is given twice in {text!r}.")
        else:
            options[_check_name(key, text)] = _parse_scalar(value, text)
    return values, options


def _split_at_commas(rest: str, text: str) -> list[str]:
    """Split at commas outside brackets."""
    parts, depth = [""], 0
    for sign in rest:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    if depth != 0:
        raise InvalidInputError(f"brackets do not match in {text!r}.")
    return parts


def _parse_scalar(value: str, text: str) -> Scalar:
    value = value.strip()
    if not value:
        raise InvalidInputError(f"a value is missing in {text!r}.")
    if _INTEGER.fullmatch(value):
        try:
            return int(value)
        except ValueError:  # Python refuses more than a few thousand digits
            raise InvalidInputError(
                f"a number must have fewer digits; got one of {len(value):,} characters, "
                f"{value[:12]}...."
            ) from None
    if _NUMBER.fullmatch(value):
        return float(value)
    return _LITERAL_VALUES.get(value.lower(), value)


def _check_name(name: str, text: str) -> str:
    name = name.strip()
    if not name.isidentifier():
        raise InvalidInputError(
            f"expected a name, perhaps with options as in name:key=value,key=value; got {text!r}."
        )
    return name
