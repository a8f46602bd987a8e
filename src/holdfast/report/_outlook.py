"""What a second study would find of the selected features: numbers that every text shares.

The expected number found again is the sum of the chances of the selected features, everywhere. A
feature is trusted if it is selected on these data and likely to be found again; how often resamples
of the same data select it does not count. Chances that are not known never reassure: the grade is
then "not known".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import beta

from holdfast.judge._replication._found_again import GRADES, grade_chances
from holdfast.judge._replication._result import no_features

if TYPE_CHECKING:
    from holdfast.report._second import Shared

TRUSTED_CHANCE = GRADES["likely"]
"""A selected feature is trusted from this chance on."""
WORTH_CHECKING_CHANCE = GRADES["uncertain"]
"""Features from this chance on are worth a check on new samples."""
LIST_GRADES = {"nearly all": 0.9, "most": 0.7, "some": 0.3, "few": 0.0}
"""Grades of a list, by the least expected share found again."""
NOTHING, NOT_KNOWN = "nothing", "not known"
CLEAR_EXCESS, CLEAR_EXCESS_SHARE = 1.0, 0.05
"""A list without a feature worth checking is at chance unless it has as many features more than a
random list that are found again: a number, or a share of its size if that is more."""
LOW_CONFIDENCE = 0.9
"""Level of the one-sided lower bound of a chance that is counted on independent data sets."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Outlook:
    """The selected features with their chances.

    Attributes
    ----------
    table : pandas.DataFrame
        ``feature``, ``selected``, ``found_again``, ``low``, ``grade``; empty where chances are not
        known.
    n_features : int
        Number of features of the data.
    shared : Shared or None
        The range of the number found again, from the replication stability of the list.
    supported : bool
        Whether the recommendation is: replication above chance, error below guessing.
    """

    table: pd.DataFrame
    n_features: int
    shared: Shared | None
    supported: bool

    @property
    def selected(self) -> pd.DataFrame:
        """The selected features, the highest chance first."""
        return self.table[self.table["selected"].astype(bool)]

    @property
    def known(self) -> bool:
        """Whether chances are known."""
        return len(self.selected) > 0

    @property
    def size(self) -> int:
        """How many features are selected."""
        return len(self.selected)

    @property
    def expected(self) -> float:
        """How many of the selected features a second study selects, on average."""
        return float(self.selected["found_again"].sum())

    @property
    def chance_level(self) -> float:
        """The chance of each feature if as many were drawn at random."""
        return self.size / self.n_features

    @property
    def span(self) -> tuple[int, int] | None:
        """The range of the number found again; it holds the expected number."""
        if self.shared is None or not self.known or self.shared.size != self.size:
            return None
        whole = round(self.expected)
        return min(self.shared.low, whole), max(self.shared.high, whole)

    @property
    def at_chance(self) -> bool:
        """Whether the list is found again no better than a random one, as far as can be told."""
        excess = self.expected - self.size * self.chance_level
        hopeless = (self.selected["found_again"] < WORTH_CHECKING_CHANCE).all()
        return bool(hopeless and excess < max(CLEAR_EXCESS, CLEAR_EXCESS_SHARE * self.size))

    @property
    def grade(self) -> str:
        """How much of the list would be found again: a grade of the list."""
        if not self.known:
            return NOT_KNOWN
        if not self.supported or self.at_chance:
            return NOTHING
        share = self.expected / self.size
        return next(grade for grade, least in LIST_GRADES.items() if share >= least)

    @property
    def trusted(self) -> list[str]:
        """Selected features that are likely to be found again."""
        if self.grade in (NOTHING, NOT_KNOWN):
            return []
        return self.between(TRUSTED_CHANCE, 2.0)

    def between(self, low: float, high: float) -> list[str]:
        """Return the selected features with a chance of at least `low` and below `high`.

        Chances count as they are shown and graded, in hundredths.
        """
        chances = self.selected["found_again"].round(2)
        chosen = self.selected.loc[(chances >= low) & (chances < high), "feature"]
        return [str(name) for name in chosen]


def chances_from_data_sets(frequencies: pd.DataFrame, size: int) -> pd.DataFrame:
    """Return chances where each resample is an independent data set.

    The share of data sets that select a feature then measures its chance itself: mean and lower
    bound are those of its posterior under Jeffreys' prior. The list is that of the `size` features
    selected most often.
    """
    if not len(frequencies):
        return no_features("nothing is done yet")
    posterior = beta(
        frequencies["count"].to_numpy(dtype=float) + 0.5,
        (frequencies["n"] - frequencies["count"]).to_numpy(dtype=float) + 0.5,
    )
    chances = np.asarray(posterior.mean())
    return pd.DataFrame(
        {
            "feature": frequencies["feature"].to_numpy(),
            "selected": [place < size for place in range(len(frequencies))],
            "found_again": chances,
            "low": posterior.ppf(1 - LOW_CONFIDENCE),
            "grade": grade_chances(chances).astype(object),
        }
    )
