"""What all readers come down to: features and labels, put together as a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import plural, shortened
from holdfast.io._data_labels import first_missing, number_text
from holdfast.io._dataset import Dataset
from holdfast.io._source import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from holdfast.errors import HoldfastError

    Error: TypeAlias = Callable[[str], HoldfastError]

# how people write that there is no value
MISSING = frozenset({"", "na", "nan", "?", "null"})
_LONGEST = 256  # characters of a label


def is_missing(cell: str) -> bool:
    """Tell whether a cell of a text file says that there is no value."""
    return cell.strip().lower() in MISSING


def labels_of(
    error: Error, name: str, texts: Sequence[str | None], place: Callable[[int], str] | None = None
) -> NDArray[np.str_]:
    """Return the texts of the target, the groups or the cohorts; refuse missing ones.

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
    labels = [str(text).strip() for text in texts]
    _refuse_long(error, name, max(labels, key=len, default=""))
    return np.array(labels, dtype=np.str_)


def _refuse_long(error: Error, name: str, label: str) -> None:
    """Refuse a label that is none; each sample would take the room of the longest one."""
    if len(label) > _LONGEST:
        raise error(
            f"values of {shown(name)} may have {_LONGEST} characters, got {shown(label)} with "
            f"{len(label):,}; is this the right column?"
        )


def codes_of(texts: Sequence[str | None]) -> NDArray[np.float64]:
    """Return nominal values as codes 0, 1, ... in sorted order, NaN where missing.

    Values are one and the same only where they are the same text: 1, 1.0 and 01 are three. They
    are sorted as numbers if each is a number in its plain form (10, not 10.0), else as text.
    """
    kinds = {text for text in texts if text is not None}
    codes: dict[str | None, float] = {None: np.nan}
    codes |= {text: code for code, text in enumerate(sorted(kinds, key=_order(kinds)))}
    return np.array([codes[text] for text in texts], dtype=np.float64)


def _order(kinds: set[str]) -> Callable[[str], Any]:
    """Return what values are sorted by."""
    return float if all(map(_is_plain_number, kinds)) else str


def _is_plain_number(text: str) -> bool:
    try:
        return number_text(float(text)) == text
    except ValueError:
        return False


def nominal_note(names: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence on how nominal features are coded, if there are any."""
    if not names:
        return ()
    told = (
        f"Values of {plural(len(names), 'nominal feature')} ({shortened(names)}) are coded "
        "0, 1, ... in sorted order."
    )
    return (told,)


def text_features(found: Mapping[str, tuple[int | None, str]]) -> str:
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
