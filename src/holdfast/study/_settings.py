"""What a study is to do, checked as far as this is possible without data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._checks import whole
from holdfast._classifiers import as_classifier
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.measures import get_measure
from holdfast.resample import Protocol, Subsampling, as_protocol
from holdfast.select._given import named_selector
from holdfast.study._until import MOST, checked_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.select import Selector
    from holdfast.study._until import Until


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a study, each of the right kind."""

    selectors: dict[str, Selector]
    protocol: Protocol
    sizes: tuple[float, ...] | None
    classifiers: dict[str, Any]
    measures: tuple[str, ...]
    impute: str | None
    replication: int | None
    until: Until | None
    seed: int


def checked_settings(  # noqa: PLR0913  (each says one thing about the study)
    *,
    selectors: Any,  # noqa: ANN401  (a mapping, a sequence, or one of many kinds)
    protocol: Any,  # noqa: ANN401
    sizes: Sequence[float] | None,
    classifiers: Any,  # noqa: ANN401
    measures: Sequence[str],
    impute: str | None,
    replication: int | None,
    until_width: float | None,
    seed: int,
) -> Settings:
    """Turn names into objects; refuse what cannot be."""
    usual = Subsampling(100 if until_width is None else MOST, 0.9)
    protocol = usual if protocol is None else as_protocol(protocol)
    measures = tuple(dict.fromkeys(get_measure(name).name for name in _several(measures)))
    replication = _pairs(replication)
    return Settings(
        selectors=_named("selector", selectors, named_selector),
        protocol=protocol,
        sizes=None if sizes is None else _sizes(sizes),
        classifiers=_named("classifier", classifiers, as_classifier, least=0),
        measures=measures,
        impute=_impute(impute),
        replication=replication,
        until=checked_until(until_width, protocol, measures, replication),
        seed=_seed(seed),
    )


def _named(
    what: str,
    given: Any,  # noqa: ANN401
    convert: Callable[[Any], tuple[str, Any]],
    least: int = 1,
) -> dict[str, Any]:
    """Return names and objects; two of one name are called by all that was said of them."""
    if isinstance(given, Mapping):
        named = {str(name): convert(one)[1] for name, one in given.items()}
    else:
        many = list(_several(given))
        pairs = [convert(one) for one in many]
        twice = {name for name, _ in pairs if [other for other, _ in pairs].count(name) > 1}
        named = {
            str(one) if name in twice else name: made
            for (name, made), one in zip(pairs, many, strict=True)
        }
        if len(named) < len(many):
            raise InvalidInputError(
                f"each {what} may be given once, got {', '.join(map(str, many))}; give a mapping "
                "of names to tell them apart."
            )
    if len(named) < least:
        raise InvalidInputError(f"at least one {what} is needed, got none.")
    if any(not name.strip() for name in named):
        raise InvalidInputError(f"the name of a {what} must not be empty.")
    return named


def _several(given: Any) -> Iterable[Any]:  # noqa: ANN401
    single = isinstance(given, str) or hasattr(given, "fit") or not hasattr(given, "__iter__")
    return [given] if single else given


def _sizes(sizes: Any) -> tuple[float, ...]:  # noqa: ANN401
    given = tuple(_several(sizes))
    if not given:
        raise InvalidInputError("at least one size is needed, got none; None chooses some.")
    for size in given:
        whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
        if not whole and not (isinstance(size, float) and 0 < size <= 1):
            raise InvalidInputError(
                f"a size must be a count, or a fraction above 0 and up to 1; got {size!r}."
            )
    return given


def _impute(impute: str | None) -> str | None:
    if impute not in (None, "median"):
        raise UnknownNameError(f"impute must be 'median' or None, got {impute!r}.")
    return impute


def _pairs(replication: int | None) -> int | None:
    if replication is None:
        return None
    pairs = whole(replication, "replication", 0)
    if pairs == 1:
        raise InvalidInputError(
            "replication must be 0, for none, or at least 2 pairs of halves; received 1."
        )
    return pairs


def _seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInputError(f"random_state must be a whole number from 0 on, got {seed!r}.")
    return int(seed)
