"""Whatever names a protocol becomes one: text, a dictionary, a splitter, pairs of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from holdfast._spelling import parse_call, parse_spelling
from holdfast._text import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.resample._base import Protocol
from holdfast.resample._record import get_protocol
from holdfast.resample._splits import Splits


def as_protocol(given: Any) -> Protocol:  # noqa: ANN401
    """Return a protocol for whatever stands for one.

    Parameters
    ----------
    given : Protocol, str, mapping, splitter or iterable of pairs
        A protocol stays as it is. Text is a name with options, as on the command line. A mapping
        has the name under ``"name"``, beside the options. A splitter has a method `split`, as
        those of scikit-learn. Pairs are rows for training and rows for testing.

    Returns
    -------
    Protocol

    Raises
    ------
    UnknownNameError
        There is no such protocol, or it has no such option.
    InvalidInputError
        A value cannot be used, or `given` is none of these.

    Examples
    --------
    >>> from holdfast.resample import as_protocol
    >>> as_protocol("subsampling:n_resamples=50,train_size=0.8")
    Subsampling(n_resamples=50, train_size=0.8, stratify=True)
    >>> as_protocol("nested:outer=subsampling(10,0.9),inner=bootstrap(40)").inner
    Bootstrap(n_resamples=40, size=1.0, stratify=True)
    >>> from sklearn.model_selection import KFold
    >>> as_protocol(KFold(5)).description
    'the splits of KFold(n_splits=5, random_state=None, shuffle=False)'
    """
    if isinstance(given, Protocol):
        return given
    if isinstance(given, str):
        return _spelled(given)
    if isinstance(given, Mapping):
        return _from_mapping(given)
    if hasattr(given, "split") or isinstance(given, Iterable):
        return Splits(given)
    raise InvalidInputError(
        "a protocol must be a Protocol, its name, a splitter or pairs of rows (train, test); "
        f"received {given!r}."
    )


def _spelled(text: str) -> Protocol:
    if "(" in text.partition(":")[0]:
        name, values, options = parse_call(text)
        return _made(name, values, options)
    name, options = parse_spelling(text)
    return _made(name, [], options)


def _from_mapping(given: Mapping[str, Any]) -> Protocol:
    options = dict(given)
    if not isinstance(options.get("name"), str):
        raise InvalidInputError(f"a protocol needs a name, as text; received {options!r}.")
    return _made(options.pop("name"), [], options)


def _made(name: str, values: list[Any], options: dict[str, Any]) -> Protocol:
    kind = get_protocol(name).kind
    if kind is Splits:
        raise InvalidInputError(
            "splits must be a splitter or pairs of rows; they have no spelling."
        )
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    if len(values) > len(known):
        raise InvalidInputError(f"{name} takes at most {len(known)} values; received {values!r}.")
    first = dict(zip(known, values, strict=False))
    for key in options:
        if key in first:
            raise InvalidInputError(f"{key!r} of {name} is given twice.")
        if key not in known:
            raise UnknownNameError(f"{name} has no option {key!r}.{did_you_mean(key, known)}")
    return kind(**first, **options)
