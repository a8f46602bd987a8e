"""What all readers come down to: features, target and groups, put together as a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import plural, shortened
from holdfast.io._data_labels import first_missing
from holdfast.io._dataset import Dataset
from holdfast.io._source import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from holdfast.errors import HoldfastError

    Error: TypeAlias = Callable[[str], HoldfastError]

# how people write that there is no value
MISSING = frozenset({"", "na", "nan", "?", "null"})


def is_missing(cell: str) -> bool:
    """Tell whether a cell of a text file says that there is no value."""
    return cell.strip().lower() in MISSING


def labels_of(
    error: Error, name: str, texts: Sequence[str | None], place: Callable[[int], str] | None = None
) -> NDArray[np.str_]:
    """Return the texts of the target or of the groups; refuse missing ones.

    `error` makes the error from a message; `place` says where a sample is to be found; without
    it, samples count from 0.
    """
    gap = first_missing(texts)
    if gap is not None:
        at = place(gap) if place is not None else f"sample {gap:,} (counted from 0)"
        raise error(
            f"each sample needs a value in {shown(name)}, got none in {at}; "
            "fill it in or leave the sample out.",
        )
    return np.array(texts, dtype=np.str_)


def codes_of(texts: Sequence[str | None]) -> NDArray[np.float64]:
    """Return nominal values as codes 0, 1, ... in sorted order, NaN where missing.

    Values that are all numbers are sorted, and told apart, as numbers.
    """
    given = [text is not None for text in texts]
    known = [text for text in texts if text is not None]
    codes = np.full(len(texts), np.nan)
    codes[given] = np.unique(_numbers(known) or known, return_inverse=True)[1]
    return codes


def _numbers(texts: list[str]) -> list[float]:
    """Return texts as numbers, nothing if one of them is none."""
    try:
        return [float(text) for text in texts]
    except ValueError:
        return []


def nominal_note(names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence on how nominal features are coded, if there are any."""
    if not names:
        return ()
    told = (
        f"Values of {plural(len(names), 'nominal feature')} ({shortened(names)}) are coded "
        "0, 1, ... in sorted order."
    )
    return (told,)


def text_features(found: dict[str, tuple[int | None, str]]) -> str:
    """Return the message about features that are text: by name, each with a line and a value."""
    listed = shortened((f"{shown(name)} ({_seen(*at)})" for name, at in found.items()), most=8)
    return (
        f"features must be numbers, got text in {plural(len(found), 'column')}: {listed}. "
        "Leave such columns out (drop), or declare them nominal."
    )


def _seen(line: int | None, value: str) -> str:
    return shown(value) if line is None else f"{shown(value)} in line {line:,}"


def finished(dataset: dict[str, Any], nominal_names: Sequence[str]) -> Dataset:
    """Put a data set together, with the note on its nominal features."""
    notes = (*dataset.pop("notes", ()), *nominal_note(nominal_names))
    return Dataset(**dataset, notes=notes)
