"""What `simulate_stability` is asked for, checked before any work."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from holdfast._checks import flag
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.preferences._ties import count_of
from holdfast.select._given import named_selector
from holdfast.select._record import form_of
from holdfast.simulate._base import Generator
from holdfast.simulate._training import can_be_exact, model_of

if TYPE_CHECKING:
    from holdfast.select import Selector

FEWEST = 4
_GIVES = {"weights": {"weights", "ranking", "subset"}, "ranking": {"ranking", "subset"}}


def settings_of(given: Any) -> dict[str, Generator]:  # noqa: ANN401
    """Return the settings by name; those without one are numbered."""
    if not isinstance(given, Mapping):
        alone = isinstance(given, Generator) or not isinstance(given, Iterable)
        several = [given] if alone else given
        given = {str(position): one for position, one in enumerate(several)}
    odd = [repr(one) for one in given.values() if not isinstance(one, Generator)]
    if odd or not given:
        raise InvalidInputError(
            "generators must be one or more generators of holdfast.simulate, such as "
            f"IndependentGaussian(); received {odd[0] if odd else 'none'}."
        )
    for name, one in given.items():
        _check_samples(str(name), one)
    return {str(name): one for name, one in given.items()}


def _check_samples(name: str, generator: Generator) -> None:
    """Refuse training sets in which a class has no variance."""
    n_samples = getattr(generator, "n_samples", FEWEST)
    if n_samples < FEWEST:
        raise InvalidInputError(
            f"setting {name}: training sets need at least two samples of each class, so "
            f"n_samples={FEWEST} or more; received {n_samples}."
        )


def selectors_of(given: Any) -> dict[str, Selector]:  # noqa: ANN401
    """Return the selectors by name."""
    if isinstance(given, Mapping):
        named = {str(name): named_selector(one)[1] for name, one in given.items()}
    else:
        several = given if isinstance(given, list | tuple) else [given]
        pairs = [named_selector(one) for one in several]
        named = dict(pairs)
        if len(named) < len(pairs):
            raise InvalidInputError(
                "two selectors go by one name; name them: selectors={'one': ..., 'other': ...}."
            )
    for name, selector in named.items():
        if form_of(type(selector)) == "groups":
            raise InvalidInputError(
                f"{name} gives groups of features, not features; give a selector of features."
            )
    if not named:
        raise InvalidInputError("at least one selector is needed; received none.")
    return named


def measures_of(given: Any, selectors: Mapping[str, Selector]) -> tuple[str, ...]:  # noqa: ANN401
    """Return the measures; refuse them if none applies to a selector."""
    several = [given] if isinstance(given, str) else _listed(given, "measures")
    records = {get_measure(name).name: get_measure(name) for name in several}
    forms = {record.form for record in records.values()}
    for name, selector in selectors.items():
        form = form_of(type(selector))
        if not forms & _GIVES.get(form, {"subset"}):
            raise InvalidInputError(
                f"no measure applies to {name}; give one of subsets, such as 'ati_pa', too."
            )
    return tuple(records)


def check_errors(settings: Mapping[str, Generator], *, wanted: bool) -> None:
    """Refuse errors where they are not known exactly."""
    for name, generator in settings.items():
        if wanted and model_of(generator) is None:
            raise InvalidInputError(
                f"setting {name}: exact errors are known of Gaussian models only, not of "
                f"{type(generator).__name__}; leave them out: errors=False."
            )


def check_exact(
    settings: Mapping[str, Generator], selectors: Mapping[str, Selector], exact: bool | None
) -> None:
    """Refuse to draw scores without data where that is not possible."""
    if exact is not None and not flag(exact, "exact"):
        return
    for setting, generator in settings.items():
        for name, selector in selectors.items():
            if exact and not can_be_exact(generator, selector):
                raise InvalidInputError(
                    f"setting {setting}, {name}: scores can be drawn without data for the pooled "
                    "t-score on independent Gaussian features only; leave exact out."
                )


def counts_of(size: Any, generator: Generator) -> tuple[int, ...]:  # noqa: ANN401
    """Return the sizes as counts of the features of a setting, each once."""
    n_features = int(generator.n_features)  # type: ignore[attr-defined]
    several = _listed(size, "size") if isinstance(size, Iterable) else [size]
    return tuple(dict.fromkeys(count_of(one, n_features, "size") for one in several))


def check_jobs(n_jobs: object) -> None:
    """Refuse a number of processes that joblib does not take."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InvalidInputError(
            f"n_jobs must be a whole number of processes, or -1 for all processors; received "
            f"{n_jobs!r}."
        )


def _listed(given: Any, name: str) -> list[Any]:  # noqa: ANN401
    """Return one or more things as a list."""
    items = list(given) if isinstance(given, Iterable) else []
    if not items:
        raise InvalidInputError(
            f"{name} must be one, or a list of at least one; received {given!r}."
        )
    return items
