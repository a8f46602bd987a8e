"""What a second study would find, of one selector at one size: numbers and how to say them."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import beta

from holdfast.judge._replication._chance_model import GRADES, grade_chances
from holdfast.judge._replication._estimate import no_features
from holdfast.judge._replication._sample_plan import features_again
from holdfast.measures import get_measure
from holdfast.report._formatting import clip_to_measure, is_known_number, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.judge import Recommendation


WHY_DIFFERENT = (
    "resamples of one data set share samples and have another size than a new study, so it is "
    "about this data set, not about a second study"
)
LONGEST = 160
"""Most characters of a note: it may hold the message of anybody's selector."""


class ReplicationEstimate(NamedTuple):
    """Replication stability of two studies of `n` samples (subjects) each, and its interval."""

    n: int
    value: float
    low: float
    high: float

    def told(self, measure: str, *more: str) -> str:
        """Return value and interval, ``0.71 (95% interval 0.60 to 0.80; more)``."""
        low, high = (number(clip_to_measure(end, measure)) for end in (self.low, self.high))
        ends = (
            f"95% interval {low} to {high}"
            if is_known_number(self.low) and is_known_number(self.high)
            else ""
        )
        inner = "; ".join(part for part in (ends, *more) if part)
        return f"{number(self.value)} ({inner})" if inner else number(self.value)


@dataclass(frozen=True, kw_only=True)
class SecondStudyEstimates:
    """What is known of a second study.

    Attributes
    ----------
    measure : str
        The measure of agreement.
    halves : Estimate or None
        Estimated from disjoint halves of the data; None where data sets were drawn independently.
    full : Estimate or None
        For two studies as large as this one: predicted, or, without halves, measured.
    n_pairs : int
        How many pairs of samples were compared.
    chance : float
        What random selections have in common by the measure, as many as were compared at a time:
        two, unless data sets were drawn independently. NaN where it is not known.
    """

    measure: str
    halves: ReplicationEstimate | None
    full: ReplicationEstimate | None
    n_pairs: int = 0
    chance: float = math.nan

    @property
    def best(self) -> ReplicationEstimate:
        """What is known of studies as large as this one, else of studies half as large."""
        found = self.full or self.halves
        assert found is not None
        return found


def second_study(
    table: pd.DataFrame, selector: str, size: int | str, measure: str
) -> SecondStudyEstimates | None:
    """Find a selector at a size in the table of replication stability; None where it has none."""
    rows = _rows(table, selector, size, measure)
    if not len(rows) or not is_known_number(rows["value"].iloc[0]):
        return None
    row = rows.iloc[0]
    full = ReplicationEstimate(0, row["predicted"], row["predicted_low"], row["predicted_high"])
    return SecondStudyEstimates(
        measure=measure,
        halves=ReplicationEstimate(int(row["n_samples"]), row["value"], row["low"], row["high"]),
        full=full._replace(n=int(row["at"])) if is_known_number(full.value) else None,
        n_pairs=int(row["n_pairs"]),
        chance=float(row["chance"]),
    )


def notes_of(table: pd.DataFrame) -> dict[str, list[str]]:
    """Return what a reader must know of the estimates: each note once, shortened, and of whom."""
    found: dict[str, list[str]] = {}
    for selector, note in zip(table["selector"], table["note"].fillna(""), strict=True):
        if note:
            found.setdefault(_brief(note), []).append(str(selector))
    return {note: list(dict.fromkeys(names)) for note, names in found.items()}


def _brief(note: str) -> str:
    return textwrap.shorten(note.strip().removesuffix("."), LONGEST, placeholder=" ...")


def random_pairs(chances: Iterable[float]) -> str:
    """Say what two random selections have in common, ``0.31 to 0.35``; nothing where it is 0."""
    values = [chance for chance in chances if is_known_number(chance)]
    if not any(values):
        return ""
    low, high = (f"{round(end, 2) + 0.0:.2f}" for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _rows(table: pd.DataFrame, selector: str, size: int | str, measure: str) -> pd.DataFrame:
    same = (table["selector"] == selector) & (table["measure"] == measure)
    if get_measure(measure).by_size:  # others are measured once, on all features
        same &= table["size"] == size
    return table[same]


def second_study_from_independent_samples(
    choice: Recommendation, n_samples: int, data_sets: int
) -> SecondStudyEstimates | None:
    """Return what independent data sets say: their stability is that of a second study."""
    if not is_known_number(choice.stability):
        return None
    found = ReplicationEstimate(n_samples, choice.stability, choice.low, choice.high)
    return SecondStudyEstimates(
        measure=choice.measure,
        halves=None,
        full=found,
        n_pairs=data_sets,
        chance=choice.chance,
    )


class SharedFeatures(NamedTuple):
    """How many of `size` features a second study finds again, and between which numbers."""

    features: int
    low: int
    high: int
    size: int


def shared_features(
    found: ReplicationEstimate, measure: str, size: int | str, n_features: int
) -> SharedFeatures | None:
    """Return how many features of a list to expect again.

    None where the measure does not say, or the selector chooses the size; nor can one feature be
    found in part.
    """
    if size in ("own", 1):
        return None
    asked: dict[str, Any] = {"measure": measure, "size": int(size), "n_features": n_features}
    ends = (
        found.value,
        *(end if is_known_number(end) else found.value for end in (found.low, found.high)),
    )
    counts = [features_again(value, **asked) for value in ends]
    if not all(map(is_known_number, counts)):
        return None
    value, low, high = map(round, counts)
    return SharedFeatures(value, low, high, int(size))


# What a second study would find of the selected features: numbers that every text shares.
#
# The expected number found again is the sum of the chances of the selected features, everywhere. A
# feature is trusted if it is selected on these data and likely to be found again; how often
# resamples
# of the same data select it does not count. Chances that are not known never reassure: the grade is
# then "not known".

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
    shared: SharedFeatures | None
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
