"""How well cohorts agree, beside what is to be expected: tables, sentences, a picture."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.judge._cohorts._power import CohortPower, estimate_power
from holdfast.judge._cohorts._words import sentences_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from holdfast.judge._cohorts._compared import Against
    from holdfast.plot import Picture


@dataclass(frozen=True)
class CohortSelections:
    """How many samples cohorts have, how many features they select, and dealt ones share."""

    sizes: tuple[int, ...]
    n_features: int
    n_selected: int
    n_common: float

    def power(self) -> CohortPower:
        """Estimate what a comparison of such cohorts can show."""
        return estimate_power(self.sizes, self.n_features, self.n_selected, self.n_common)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CohortComparison:
    """Do the features found in one cohort recur in another?

    Attributes
    ----------
    measure : str
        The measure of similarity.
    cohorts : dict
        How many samples each cohort has, by name.
    overall : Against
        The mean over all pairs of cohorts: ``value``; ``expected``, the mean of the shuffles, and
        their 95% range ``low`` to ``high``; ``p_value`` of agreeing less than shuffles do; and
        ``n_shuffles``, how many of them have a value.
    pairs : DataFrame
        The same for each pair, beside ``cohort_a``, ``cohort_b`` and their samples ``n_a`` and
        ``n_b``. The p-values are not adjusted for the number of pairs.
    features : DataFrame
        ``feature``, ``n_cohorts`` (how many cohorts select it) and ``cohorts`` (a tuple of their
        names), the most recurrent first. Empty for measures that look at all features.
    recurrence : DataFrame
        For ``n_cohorts`` from 1 to all: how many ``features`` so many cohorts or more select, and
        ``expected``, ``low`` and ``high`` of the shuffles. Empty for measures that look at all
        features.
    """

    measure: str
    cohorts: dict[str, int]
    overall: Against
    pairs: pd.DataFrame
    features: pd.DataFrame
    recurrence: pd.DataFrame
    _design: CohortSelections | None = field(default=None)

    @cached_property
    def power(self) -> CohortPower:
        """What the comparison could have shown, at these sizes.

        ``all_differ`` and ``half_differ``: the share of studies that would notice, with p at most
        0.05, that cohorts have no informative feature in common, or half of them. Simulated for
        features that do not correlate, with effects at which dealt cohorts agree as those of
        these data do; where informative features correlate, a third to two thirds of that. NaN
        where it is not known: for measures that look at all features, and where all features are
        selected.
        """
        return CohortPower(np.nan, np.nan) if self._design is None else self._design.power()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in words."""
        return sentences_of(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table of pairs."""
        return self.pairs.copy()

    def plot(self, ax: Axes | None = None) -> Picture:
        """Draw the pairs beside what is expected; see :func:`holdfast.plot.cohorts`."""
        # found by name when it is asked for: numbers do not depend on pictures
        drawn: Picture = importlib.import_module("holdfast.plot").cohorts(
            self.pairs, measure=self.measure, ax=ax
        )
        return drawn

    def __repr__(self) -> str:
        head = f"<CohortComparison by {self.measure}: {plural(len(self.cohorts), 'cohort')}>"
        return "\n".join([head, *self.sentences])
