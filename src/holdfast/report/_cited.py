"""The publications behind what a study used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._references import REFERENCES
from holdfast.measures import get_measure
from holdfast.report._words import record_of
from holdfast.resample import PROTOCOLS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.resample import ProtocolRecord


class Citations:
    """Keys of publications, in the order in which a text first names them."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}

    def __call__(self, *keys: str, after: str = "") -> str:
        """Return `` (after; Author Year; Author Year)``, and remember the publications."""
        self._keys.update(dict.fromkeys(keys))
        texts = [
            *([after] if after else []),
            *(REFERENCES[key].short for key in dict.fromkeys(keys)),
        ]
        return f" ({'; '.join(texts)})" if texts else ""

    def full(self) -> list[str]:
        """Return all publications that were named, in full, sorted by author and year."""
        named = sorted((REFERENCES[key] for key in self._keys), key=lambda one: one.short)
        return [one.full for one in named]


def of_selector(spelling: Any) -> Iterable[str]:  # noqa: ANN401  (JSON of a plan)
    """Return the keys that a selector's record names."""
    record = record_of(spelling)
    return () if record is None else record.references


def of_measure(name: str) -> Iterable[str]:
    """Return the keys that a measure's record names."""
    return get_measure(name).references


def protocol_record(spelling: Any) -> ProtocolRecord | None:  # noqa: ANN401  (JSON of a plan)
    """Return what is registered about the protocol of a plan."""
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    kind = path.removeprefix("holdfast.resample:")
    return next((one for one in PROTOCOLS.values() if one.kind.__name__ == kind), None)
