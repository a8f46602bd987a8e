"""Selectors that failed on every resample: an error if all did, a warning if some did."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

from holdfast._formatting import format_list, plural
from holdfast.errors import HoldfastWarning, StudyError
from holdfast.study._storage._store import Store

MAX_SELECTORS_NAMED = 3
"""Most selectors named in one message."""


class FailedSelectorsWarning(HoldfastWarning):
    """Some selectors of a study failed on every resample, others did not."""


class FailedSelector(NamedTuple):
    """A selector that failed on every resample that was run."""

    name: str
    resamples: int
    message: str
    """Message of the first failure."""

    def __str__(self) -> str:
        return f"{self.name} failed on all {plural(self.resamples, 'resample')}: {self.message}"


def failed_selectors(store: Store, names: Sequence[str]) -> list[FailedSelector]:
    """Return the selectors that failed on every resample that was run."""
    rows = store.query(
        "SELECT selector, resample, message FROM units WHERE status = 'failed' AND selector NOT IN "
        "(SELECT selector FROM units WHERE status = 'done') ORDER BY selector, resample"
    )
    messages: dict[int, list[str]] = {}
    for selector, _, message in rows:
        messages.setdefault(selector, []).append(message)
    return [FailedSelector(names[i], len(texts), texts[0]) for i, texts in messages.items()]


def raise_if_all_failed(store: Store, names: Sequence[str]) -> None:
    """Raise if no selector succeeded on any resample.

    Raises
    ------
    StudyError
        Names the selectors, their first messages, and the folder that can be resumed.
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
    """Warn of selectors that failed on every resample while others succeeded."""
    failed = failed_selectors(store, names)
    if failed:
        warnings.warn(f"{_format_failed(failed)}.", FailedSelectorsWarning, stacklevel=2)


def _format_failed(failed: Sequence[FailedSelector]) -> str:
    return format_list((str(selector).rstrip(".") for selector in failed), most=MAX_SELECTORS_NAMED)
