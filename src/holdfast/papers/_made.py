"""What an experiment hands over: numbers, pictures, and whatever else its claims need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from holdfast.plot import Picture

SETTING, VALUE = "setting", "value"


@dataclass(frozen=True, kw_only=True)
class Made:
    """What came out of an experiment.

    Attributes
    ----------
    values : pandas.DataFrame
        One number a row: ``setting``, the keys of the experiment, ``value``.
    pictures : mapping
        Pictures by a word for each.
    facts : mapping
        What claims need beyond the numbers, by setting and name.
    notes : tuple of str
        Remarks for the reader: what could not be done, and why.
    """

    values: pd.DataFrame
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    facts: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
