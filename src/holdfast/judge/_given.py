"""Errors that come from a table, with the predictions behind them, or none at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast.judge._candidates import Compared, compared, pairs_of
from holdfast.judge._scored import Sheet

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.judge._pair import Tested
    from holdfast.judge._scored import ByUnit, Once

    Array = NDArray[np.float64]


class Given:
    """Errors that are given by a table, and the predictions behind them, if there are any."""

    def __init__(self, table: pd.DataFrame, tested: Tested | None) -> None:
        self.errors: Array = table["error"].to_numpy(dtype=np.float64)
        self.spreads: Array = table["standard_error"].to_numpy(dtype=np.float64)
        self._behind: Once | ByUnit | None = None
        self._tested = tested if np.isfinite(self.errors).any() else None
        if self._tested is not None:
            self._behind = Sheet(self._tested).weighed()
            rows = {pair: row for row, pair in enumerate(self._tested.pairs)}
            self._rows = np.array([rows.get(pair, -1) for pair in pairs_of(table)], dtype=np.intp)

    def test(self, *, as_published: bool) -> str | None:
        """Return what the tests are called; None if there are none."""
        if self._behind is None:
            return None
        return self._behind.published if as_published else self._behind.test

    @property
    def once(self) -> bool:
        """Whether each sample is predicted once."""
        return self._tested is not None and self._tested.once

    def compared(self, fit: NDArray[np.bool_]) -> Compared:
        """Find the pairs that are known on what the others are; all without predictions."""
        if self._tested is None:
            return Compared(np.ones_like(fit), np.zeros(len(fit), dtype=np.int64), 0)
        among = np.zeros(len(self._tested.pairs), dtype=bool)
        among[self._rows[fit & (self._rows >= 0)]] = True
        found = compared(self._tested.known, among)
        lacking = self._rows < 0  # a pair without predictions is not known to have too few
        return Compared(
            lacking | found.enough[self._rows],
            np.where(lacking, 0, found.known[self._rows]),
            found.total,
        )

    def p_values(self, best: int, *, as_published: bool = False) -> Array:
        """Test a pair against each other; NaN where no predictions are known."""
        if self._behind is None or self._rows[best] < 0:
            return np.full(len(self.errors), np.nan)
        found = self._behind.p_values(int(self._rows[best]), as_published=as_published)
        return np.where(self._rows < 0, np.nan, found[self._rows])


@dataclass(frozen=True)
class Alike:
    """No errors: all pairs are alike."""

    errors: Array
    spreads: Array

    def p_values(self, best: int, *, as_published: bool = False) -> Array:  # noqa: ARG002
        """Return no test."""
        return np.full(len(self.errors), np.nan)
