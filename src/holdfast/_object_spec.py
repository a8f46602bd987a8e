"""Objects written as text: ``name:key=value,key=value``, or ``name(value,key=value)``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from holdfast._formatting import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError

Scalar: TypeAlias = int | float | bool | str | None

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
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
            names[-1] += f",{part}"
        else:
            name = names[-1] if names else "name"
            raise InvalidInputError(
                f"{part!r} follows no name with a colon; write options as {name}:{part}."
            )
    return names


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
    known = list(inspect.signature(kind).parameters)
    for key in options:
        if key not in known:
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
