"""The settings of a study, checked as far as possible without data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast._classifiers import as_classifier
from holdfast._object_spec import is_object_path, parse_names
from holdfast._typing import EstimatorLike, ProtocolLike, SelectorLike
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.measures import get_measure
from holdfast.resample import Protocol, Subsampling, as_protocol
from holdfast.select import Selector, named_selector
from holdfast.study._planning._stopping_rule import (
    DEFAULT_MAX_RESAMPLES,
    StoppingRule,
    make_stopping_rule,
)
from holdfast.study._storage._store_checks import MAX_INTEGER

USUAL_RESAMPLES, FEW_RESAMPLES = 100, 30
"""Default number of resamples, and of data with many samples, so that a default study of 50,000
samples of 50 features takes minutes on two cores; chosen by hand."""
MANY_SAMPLES = 20_000
"""Data with more samples get fewer resamples by default; chosen by hand."""


def default_protocol(n_samples: int) -> Protocol:
    """Return the protocol of a study that names none."""
    return Subsampling(FEW_RESAMPLES if n_samples > MANY_SAMPLES else USUAL_RESAMPLES, 0.9)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The checked settings of a study."""

    selectors: dict[str, Selector]
    protocol: Protocol
    adapts_protocol: bool
    """Whether the protocol is the default, which depends on the number of samples."""
    sizes: tuple[float, ...] | None
    classifiers: dict[str, Any]
    measures: tuple[str, ...]
    impute: str | None
    replication: int | None
    stopping_rule: StoppingRule | None
    seed: int


def check_settings(
    *,
    selectors: SelectorLike,
    protocol: ProtocolLike,
    sizes: Sequence[float] | None,
    classifiers: EstimatorLike,
    measures: Sequence[str],
    impute: str | None,
    replication: int | None,
    until_width: float | None,
    seed: int,
) -> Settings:
    """Convert names to objects; raise if a setting is invalid."""
    adapts_protocol = protocol is None and until_width is None
    default = Subsampling(USUAL_RESAMPLES if adapts_protocol else DEFAULT_MAX_RESAMPLES, 0.9)
    protocol = default if protocol is None else as_protocol(protocol)
    measures = tuple(dict.fromkeys(get_measure(name).name for name in _as_list(measures)))
    replication = _check_pairs(replication)
    named_selectors = _name_objects("selector", selectors, named_selector)
    checked_sizes = None if sizes is None else _check_sizes(sizes)
    named_classifiers = _name_objects("classifier", classifiers, as_classifier, least=0)
    if impute not in (None, "median"):
        raise UnknownNameError(f"impute must be 'median' or None, got {impute!r}.")
    stopping_rule = make_stopping_rule(until_width, protocol, measures, replication)
    is_integer = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not is_integer or not 0 <= seed <= MAX_INTEGER:
        raise InvalidInputError(
            f"random_state must be a non-negative integer up to {MAX_INTEGER:,}, got {seed!r}."
        )
    return Settings(
        selectors=named_selectors,
        protocol=protocol,
        adapts_protocol=adapts_protocol,
        sizes=checked_sizes,
        classifiers=named_classifiers,
        measures=measures,
        impute=impute,
        replication=replication,
        stopping_rule=stopping_rule,
        seed=int(seed),
    )


def _name_objects(
    what: str,
    given: Any,  # noqa: ANN401
    convert: Callable[[Any], tuple[str, Any]],
    least: int = 1,
) -> dict[str, Any]:
    """Return objects by name; objects with the same name are named by their full text."""
    if isinstance(given, Mapping):
        named = {str(name): convert(item)[1] for name, item in given.items()}
    else:
        items = parse_names(given) if isinstance(given, str) else list(_as_list(given))
        pairs = [convert(item) for item in items]
        names = [name for name, _ in pairs]
        named = {
            _spell_in_full(item, name) if names.count(name) > 1 else name: converted
            for (name, converted), item in zip(pairs, items, strict=True)
        }
        if len(named) < len(items):
            raise InvalidInputError(
                f"each {what} may be given once, got {', '.join(map(str, items))}; give a mapping "
                "of names to tell them apart."
            )
    if len(named) < least:
        raise InvalidInputError(f"at least one {what} is needed, got none.")
    if any(not name.strip() for name in named):
        raise InvalidInputError(f"the name of a {what} must not be empty.")
    return named


def _spell_in_full(item: object, name: str) -> str:
    """Return an object as text, with its options; the name replaces another name for it."""
    text = str(item)
    if isinstance(item, str) and not is_object_path(item):
        text = re.sub(r"^\s*\w+", name, text)
    return text


def _as_list(given: Any) -> Iterable[Any]:  # noqa: ANN401
    single = isinstance(given, str) or hasattr(given, "fit") or not hasattr(given, "__iter__")
    return [given] if single else given


def _check_sizes(sizes: Any) -> tuple[float, ...]:  # noqa: ANN401
    checked = tuple(_as_list(sizes))
    if not checked:
        raise InvalidInputError(
            "at least one size is needed, got none; None selects the default sizes."
        )
    for size in checked:
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        if not whole and not (isinstance(size, float) and 0 < size <= 1):
            raise InvalidInputError(
                f"a size must be a count, or a fraction above 0 and up to 1; got {size!r}."
            )
    return checked


def _check_pairs(replication: int | None) -> int | None:
    if replication is None:
        return None
    pairs = check_integer(replication, "replication", 0)
    if pairs == 1:
        raise InvalidInputError(
            "replication must be 0, for none, or at least 2 pairs of halves; got 1."
        )
    return pairs
