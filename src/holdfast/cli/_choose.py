"""Which measures to compute: those asked for, or all whose needs are met."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._talk import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.preferences import Rankings, Subsets, Weights

_OPTION = {"n_features": "--n-features", "similarity": "--similarity"}


def chosen_measures(
    asked: Sequence[str] | None,
    preferences: Subsets | Weights | Rankings,
    *,
    similarity: bool,
) -> list[str]:
    """Return the names of the measures to compute."""
    from holdfast.measures import get_measure, list_measures  # noqa: PLC0415  (slow to import)

    if asked is not None:
        names = [get_measure(name).name for name in asked]
        for name in names:
            _require_fit(get_measure(name), preferences, similarity=similarity)
        return names
    records = [get_measure(str(name)) for name in list_measures(preferences.form).index]
    missing = {r.name: _missing(r.needs, preferences, similarity=similarity) for r in records}
    _say_left_out(missing)
    return [name for name, needs in missing.items() if not needs]


def _missing(
    needs: frozenset[str], preferences: Subsets | Weights | Rankings, *, similarity: bool
) -> frozenset[str]:
    """Return the needs of a measure that are not met."""
    met = {"similarity", "data"} if similarity else set()
    if preferences.n_features is not None:
        met.add("n_features")
    sizes = getattr(preferences, "sizes", None)
    if sizes is None or sizes.min() == sizes.max():
        met.add("equal_sizes")
    return needs - met


def _require_fit(
    record: Any,  # noqa: ANN401  (importing the type is slow)
    preferences: Subsets | Weights | Rankings,
    *,
    similarity: bool,
) -> None:
    if record.form != preferences.form:
        raise click.UsageError(
            f"{record.name} measures {record.form}, the file was read as {preferences.form}; "
            "see --form.",
            click.get_current_context(),
        )
    missing = _missing(record.needs, preferences, similarity=similarity) & set(_OPTION)
    if missing:
        options = " and ".join(_OPTION[need] for need in sorted(missing))
        raise click.UsageError(f"{record.name} needs {options}.", click.get_current_context())


def _say_left_out(missing: dict[str, frozenset[str]]) -> None:
    """Say which measures wait for the number of features; without it little can be said."""
    names = [name for name, needs in missing.items() if needs == {"n_features"}]
    if names:
        say(
            "note",
            "the number of features is not known, so these measures are left out: "
            f"{', '.join(names)}. Give it with --n-features.",
        )
