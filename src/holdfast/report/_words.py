"""Words and numbers as the sentences of a report have them."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from holdfast.report._names import apart
from holdfast.select._record import all_selectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.select import SelectorRecord

LONGEST = 60
"""Most characters of a name inside a sentence; tables and lists have all of it."""


def called(name: object, longest: int = LONGEST) -> str:
    """Return a name as part of a sentence: set apart, on one line, not longer than a line."""
    return apart(cut(name, longest))


def cut(name: object, longest: int) -> str:
    """Return a text on one line, cut where it is too long."""
    text = " ".join(str(name).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def listed(items: Iterable[object], most: int = 8, last: str = "and") -> str:
    """Join names as people do: ``a, b and c``; past `most`, say how many more there are."""
    return joined([called(item) for item in items], most, last)


def joined(texts: Sequence[str], most: int = 8, last: str = "and") -> str:
    """Join texts as people do; past `most`, say how many more there are."""
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
    return f"{share(value)} ± {share(spread)}" if known(spread) else share(value)  # type: ignore[arg-type]


def share(value: float) -> str:
    """Return a share of samples in percent, always with one decimal."""
    return f"{100 * value:.1f}%"


def features_of(size: int | str) -> str:
    """Return how many features a selector selects, as people say it."""
    if size == "own":
        return "as many features as it chooses itself"
    return "1 feature" if size == 1 else f"{size:,} features"


def whole_size(cell: tuple[str, int | str] | None) -> int | None:
    """Return the size of a selector at a size as a number, None where it chooses itself."""
    return None if cell is None or cell[1] == "own" else int(cell[1])


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


def title_of(name: str, selectors: Sequence[dict[str, Any]]) -> str:
    """Return the title of a selector of a plan; its name where nothing is registered."""
    spelling = next((one["object"] for one in selectors if one["name"] == name), None)
    record = record_of(spelling)
    return name if record is None or record.name == "any_selector" else record.title
