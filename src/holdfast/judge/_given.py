"""Errors that come from a table, with the predictions behind them, or none at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast.judge._candidates import pairs_of
from holdfast.judge._scored import Sheet

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.judge._pair import Tested
    from holdfast.judge._scored import Once, Repeated

    Array = NDArray[np.float64]


class Given:
    """Errors that are given by a table, and the predictions behind them, if there are any."""

    def __init__(self, table: pd.DataFrame, tested: Tested | None) -> None:
        self.errors: Array = table["error"].to_numpy(dtype=np.float64)
        self.spreads: Array = table["standard_error"].to_numpy(dtype=np.float64)
        self._behind: Once | Repeated | None = None
        if tested is not None and np.isfinite(self.errors).any():
            self._behind = Sheet(tested).weighed()
            rows = {pair: row for row, pair in enumerate(tested.pairs)}
            self._rows = np.array([rows.get(pair, -1) for pair in pairs_of(table)], dtype=np.intp)

    @property
    def test(self) -> str | None:
        """What the tests are called; None if there are none."""
        return None if self._behind is None else self._behind.test

    def p_values(self, best: int) -> Array:
        """Test a pair against each other; NaN where no predictions are known."""
        if self._behind is None or self._rows[best] < 0:
            return np.full(len(self.errors), np.nan)
        p_values = self._behind.p_values(int(self._rows[best]))[self._rows]
        return np.where(self._rows < 0, np.nan, p_values)


@dataclass(frozen=True)
class Alike:
    """No errors: all pairs are alike."""

    errors: Array
    spreads: Array

    def p_values(self, best: int) -> Array:  # noqa: ARG002
        """Return no test."""
        return np.full(len(self.errors), np.nan)
