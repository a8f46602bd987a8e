"""Tables and numbers as plain Python: what JSON can hold, with None for what is missing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence


def plain(value: Any) -> Any:  # noqa: ANN401  (whatever a table or a report holds)
    """Return a value made of plain Python; NaN, infinities and missing values become None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def records(table: pd.DataFrame, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the rows of a table; of the columns named, those that it has."""
    names = [name for name in columns or table.columns if name in table]
    rows: list[dict[str, Any]] = [plain(row) for row in table[list(names)].to_dict("records")]
    return rows
