"""Selectors that failed on every resample: an error if all did, a warning if some did."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

from holdfast._formatting import format_list, plural
from holdfast.errors import HoldfastWarning, StudyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.study._storage._store import Store

MAX_SELECTORS_NAMED = 3
"""Most selectors that one message names."""


class FailedSelectorsWarning(HoldfastWarning):
    """Some selectors of a study failed on every resample, others did not."""


class FailedSelector(NamedTuple):
    """A selector that failed on each resample that was tried."""

    name: str
    resamples: int
    message: str
    """What the first failure says."""

    def __str__(self) -> str:
        return f"{self.name} failed on all {plural(self.resamples, 'resample')}: {self.message}"


def failed_selectors(store: Store, names: Sequence[str]) -> list[FailedSelector]:
    """Return the selectors that succeeded on no resample although some were tried."""
    rows = store.query(
        "SELECT selector, resample, message FROM units WHERE status = 'failed' AND selector NOT IN "
        "(SELECT selector FROM units WHERE status = 'done') ORDER BY selector, resample"
    )
    messages: dict[int, list[str]] = {}
    for selector, _, message in rows:
        messages.setdefault(selector, []).append(message)
    return [FailedSelector(names[one], len(said), said[0]) for one, said in messages.items()]


def raise_if_all_failed(store: Store, names: Sequence[str]) -> None:
    """End a study in which no selector succeeded on any resample.

    Raises
    ------
    StudyError
        Names the selectors, what they said first, and the folder that can be resumed.
    """
    failed = failed_selectors(store, names)
    if len(failed) < len(names):
        return
    if store.path is None:
        kept = "Nothing is kept, as no folder was named (out=)."
    else:
        folder = str(store.path.parent)
        kept = f"The run is kept in {folder}; once the cause is removed: hf.resume({folder!r})."
    raise StudyError(f"no selector succeeded. {_format_failed(failed)}. {kept}")


def warn_of_failed_selectors(store: Store, names: Sequence[str]) -> None:
    """Warn of selectors that succeeded on no resample, where others did."""
    failed = failed_selectors(store, names)
    if failed:
        warnings.warn(f"{_format_failed(failed)}.", FailedSelectorsWarning, stacklevel=2)


def _format_failed(failed: Sequence[FailedSelector]) -> str:
    return format_list((str(one).rstrip(".") for one in failed), most=MAX_SELECTORS_NAMED)
