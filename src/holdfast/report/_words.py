"""Words and numbers as the sentences of a report have them."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from holdfast.resample._words import percent
from holdfast.select._record import all_selectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.select import SelectorRecord

LONGEST = 60
"""Most characters of a name inside a sentence; tables and lists have all of it."""


def called(name: object, longest: int = LONGEST) -> str:
    """Return a name as part of a sentence: on one line, and not longer than a line."""
    text = " ".join(str(name).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def listed(items: Iterable[object], most: int = 8, last: str = "and") -> str:
    """Join names as people do: ``a, b and c``; past `most`, say how many more there are."""
    texts = [called(item) for item in items]
    if len(texts) > most:
        texts = [*texts[: most - 1], f"{len(texts) - most + 1:,} more"]
    return f" {last} ".join(part for part in (", ".join(texts[:-1]), *texts[-1:]) if part)


def number(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals; never ``-0.00``."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def known(value: Any) -> bool:  # noqa: ANN401  (numbers, None, and what pandas has for missing)
    """Return whether there is a number that can be talked about."""
    return isinstance(value, int | float) and math.isfinite(value)


def plus_minus(value: float, spread: float | None) -> str:
    """Return a share with its standard error, in percent."""
    return f"{percent(value)} ± {percent(spread)}" if known(spread) else percent(value)  # type: ignore[arg-type]


def features_of(size: int | str) -> str:
    """Return how many features a selector selects, as people say it."""
    if size == "own":
        return "as many features as it chooses itself"
    return "1 feature" if size == 1 else f"{size:,} features"


def record_of(spelling: Any) -> SelectorRecord | None:  # noqa: ANN401  (JSON of a plan)
    """Return what is registered about a selector of a plan; None for somebody else's."""
    path = spelling.get("class", "") if isinstance(spelling, dict) else ""
    for record in _known_selectors():
        if path.partition(":")[2] == record.kind.__name__ and _home(path) == _home_of(record.kind):
            return record
    return None


@cache
def _known_selectors() -> tuple[SelectorRecord, ...]:
    """Return all records, looked up once: asking the installed packages takes its time."""
    return tuple(all_selectors().values())


def _home(path: str) -> str:
    return path.partition(":")[0].partition(".")[0]


def _home_of(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def spoken(name: str, title: str) -> str:
    """Return a selector in a sentence: what it is called in the field, and here."""
    short = title.partition(" (")[0]
    return called(name) if short == name else f"{short} ({called(name)})"


def title_of(name: str, selectors: Sequence[dict[str, Any]]) -> str:
    """Return the title of a selector of a plan; its name where nothing is registered."""
    spelling = next((one["object"] for one in selectors if one["name"] == name), None)
    record = record_of(spelling)
    return name if record is None or record.name == "any_selector" else record.title
