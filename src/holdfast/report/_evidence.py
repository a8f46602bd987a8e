"""What a report is made from: a result, and what follows from it, each computed once."""

from __future__ import annotations

import logging
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from holdfast._formatting import plural
from holdfast.errors import HoldfastError
from holdfast.judge import shrunken_effects
from holdfast.judge._measurement import find_shortfall
from holdfast.judge._replication._estimate import no_features
from holdfast.measures import get_measure
from holdfast.report._descriptions import classifier_titles
from holdfast.report._escaping import with_titles
from holdfast.report._formatting import format_name, is_known_number, record_of, records, title_of
from holdfast.report._random_control import control
from holdfast.report._second_study import (
    Outlook,
    chances_from_data_sets,
    second_study,
    second_study_from_independent_samples,
    shared_features,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.judge import (
        ChoiceError,
        CohortComparison,
        Recommendation,
        Replication,
        StabilityProfile,
        StandIns,
    )
    from holdfast.judge._measurement import SizeShortfall
    from holdfast.preferences import Groups
    from holdfast.report._random_control import Control
    from holdfast.report._second_study import SecondStudyEstimates, SharedFeatures
    from holdfast.study import Result


logger = logging.getLogger(__name__)

Thing = TypeVar("Thing")
MOST_FEATURES = 200
"""Most features that the table shows; the store has them all."""
MOST_MEMBERS = 50
"""Most features that the table of groups shows."""


class Evidence:
    """A result as a report sees it.

    What the result cannot give (no unit is done, the data are gone, a selector chooses its own
    size) is None here: a report says less then, but there always is one.
    """

    def __init__(self, result: Result) -> None:
        self.result = result
        self.plan: dict[str, Any] = result.plan

    @cached_property
    def choice(self) -> Recommendation | None:
        """The recommendation; None where nothing can be recommended."""
        return attempt(self.result.recommend, "a recommendation")

    @cached_property
    def second(self) -> SecondStudyEstimates | None:
        """What a second study would find of the recommended pair; None where it is not known."""
        choice = self.choice
        if choice is None or self.all_selected:
            return None
        if self.drawn:
            return second_study_from_independent_samples(
                choice, int(self.plan["data"]["n_samples"]), self.n_compared
            )
        table = self.result.replication
        return second_study(table, choice.selector, choice.size, choice.measure)

    @cached_property
    def shared(self) -> SharedFeatures | None:
        """How many of the recommended features to expect again; None where that is not known."""
        second, choice = self.second, self.choice
        if second is None or choice is None or self.fewer(choice.selector, choice.size):
            return None
        count = int(self.plan["data"]["n_features"])
        return shared_features(second.best, second.measure, choice.size, count)

    @cached_property
    def replication(self) -> Replication | None:
        """The replication stability of the recommended pair, with its curve."""
        choice = self.choice
        if choice is None or self.drawn:
            return None
        asked = choice.selector, choice.size, choice.measure
        return attempt(lambda: self.result.replicated(*asked), "replication stability")

    @cached_property
    def cohorts(self) -> CohortComparison | None:
        """How well cohorts agree on the recommended features; None where the data have none."""
        choice = self.choice
        if choice is None or not len(self.result.cohorts):
            return None
        asked = choice.selector, choice.size, choice.measure
        return attempt(lambda: self.result.compare_cohorts(*asked), "cohorts")

    @property
    def noun(self) -> str:
        """What a study has many of: subjects, where samples belong to some."""
        return "subject" if self.plan["data"].get("subjects") else "sample"

    @cached_property
    def error(self) -> tuple[float, float | None] | None:
        """The error to expect, with its standard error; None where nothing was tested.

        The recommended pair was chosen from many, which flatters its error; so it is that of the
        choice itself where this is known and higher. Where it is lower, as when the choice mostly
        falls on other pairs, the pair has shown that it errs more.
        """
        choice = self.choice
        if choice is None or not is_known_number(choice.error):
            return None
        told: Recommendation | ChoiceError = choice
        if choice.choice is not None and choice.choice.error > choice.error:
            told = choice.choice
        return told.error, told.standard_error if is_known_number(told.standard_error) else None

    @cached_property
    def control(self) -> Control | None:
        """How random selections classify; None where none were tested beside the choice."""
        if self.choice is None or self.error is None:
            return None
        return control(self.result, self.choice)

    @cached_property
    def all_selected(self) -> bool:
        """Whether all features are selected each time, so that nothing is chosen at all."""
        return self.n_compared > 0 and self.chance > 1 - 1e-9

    @cached_property
    def cell(self) -> tuple[str, int | str] | None:
        """Selector and size that the tables show: the recommended ones, else the first done."""
        if self.choice is not None:
            return self.choice.selector, self.choice.size
        table = self.result.frequencies
        return (table["selector"].iloc[0], table["size"].iloc[0]) if len(table) else None

    @cached_property
    def found(self) -> pd.DataFrame:
        """Frequencies of the features that the cell selected, the most frequent first."""
        return self.frequencies(self.cell)

    def frequencies(self, cell: tuple[str, int | str] | None) -> pd.DataFrame:
        """Return the frequencies of a selector at a size."""
        table = self.result.frequencies
        if cell is None:
            return table.iloc[:0]
        return table[(table["selector"] == cell[0]) & (table["size"] == cell[1])]

    @cached_property
    def chance(self) -> float:
        """How often a feature would be selected if as many were drawn at random."""
        return float(self.found["frequency"].sum() / self.plan["data"]["n_features"])

    @cached_property
    def outlook(self) -> Outlook:
        """What a second study would find of the features that the cell selects."""
        return Outlook(
            table=self._chances,
            n_features=int(self.plan["data"]["n_features"]),
            shared=self.shared,
            supported=self.choice is None or self.choice.supported or self._replicates,
        )

    @cached_property
    def _replicates(self) -> bool:
        """Whether the interval of the replication stability lies on the better side of chance.

        A recommendation may lack support only because the features classify no better than
        guessing; they are found again all the same.
        """
        if self.second is None:
            return False
        best, chance = self.second.best, self.second.chance
        if get_measure(self.second.measure).distance:
            return is_known_number(best.high) and best.high < chance
        return is_known_number(best.low) and best.low > (chance if is_known_number(chance) else 0.0)

    @property
    def classifies(self) -> bool:
        """Whether the recommendation was not refused for an error of guessing alone."""
        return self.choice is None or self.choice.supported or not self._replicates

    @cached_property
    def _chances(self) -> pd.DataFrame:
        """The chance of each feature at the cell to be found again; empty where not known."""
        if self.cell is None:
            return no_features("nothing is done yet")
        selector, size = self.cell
        if self.drawn:
            return chances_from_data_sets(self.found, round(self.found["frequency"].sum()))
        try:
            # by a measure of subsets, whatever the study measures: others have no features
            return self.result.replicated(selector, size, "nogueira").features
        except HoldfastError as error:
            logger.info("the report goes without chances to be found again: %s", error)
            why = self.result.replication.attrs.get("why_none") or str(error)
            return no_features(str(why))

    @property
    def why_no_chances(self) -> str:
        """Why chances to be found again are not known, as part of a sentence."""
        return str(self._chances.attrs.get("why_none") or "no feature is selected").removesuffix(
            "."
        )

    @property
    def trusted(self) -> list[str]:
        """Features that are selected on these data and likely to be found again."""
        return [] if self.all_selected else self.outlook.trusted

    @property
    def n_units(self) -> int:
        """How many samples (subjects, where there are any) the study has."""
        data = self.plan["data"]
        return int(data.get("subjects") or data["n_samples"])

    @cached_property
    def n_compared(self) -> int:
        """Number of resamples that the frequencies are over."""
        return int(self.found["n"].max()) if len(self.found) else 0

    @cached_property
    def resamples(self) -> str:
        """The resamples with their number, as sentences call them."""
        return plural(self.n_compared, "independent data set" if self.drawn else "resample")

    @cached_property
    def truth(self) -> frozenset[str]:
        """The features that truly matter, where this is known."""
        return frozenset(self.result.truth or ())

    @cached_property
    def n_rivals(self) -> int:
        """Number of other selectors that selected something."""
        names = set(self.result.frequencies["selector"])
        return len(names - {self.cell[0]}) if self.cell is not None else 0

    @cached_property
    def elsewhere(self) -> frozenset[str]:
        """Features that another selector selected at least once, at any size."""
        table = self.result.frequencies
        if self.cell is None:
            return frozenset()
        return frozenset(table.loc[table["selector"] != self.cell[0], "feature"])

    @cached_property
    def drawn(self) -> bool:
        """Whether each resample is a data set of its own, drawn from a generator."""
        return bool(self.result.resamples["draw"].notna().any())

    @cached_property
    def data(self) -> Dataset | None:
        """The data; None where they are not at hand."""
        return attempt(lambda: self.result.dataset, "the data")

    @cached_property
    def position(self) -> dict[str, int]:
        """Where each feature is in the data."""
        names = () if self.data is None else self.data.feature_names
        return {name: position for position, name in enumerate(names)}

    @cached_property
    def stand_ins(self) -> StandIns | None:
        """Features that take each other's place; None without data or selections."""
        if self.cell is None:
            return None
        selector, size = self.cell
        return attempt(lambda: self.result.stand_ins(selector, size), "stand-ins")

    @cached_property
    def stand_in_rows(self) -> list[dict[str, Any]]:
        """The table of stand-ins, row by row; nothing where there is none."""
        return [] if self.stand_ins is None else records(self.stand_ins.table)

    @cached_property
    def profile(self) -> StabilityProfile | None:
        """Stability against the number of features; None where there are no rankings."""
        return attempt(self.result.profile, "profiles")

    @cached_property
    def effects(self) -> dict[str, dict[str, Any]]:
        """By how much each feature differs between classes, where the data are there.

        ``observed``, and corrected for the selection: ``effect`` from ``low`` to ``high``.
        """
        data = self.data
        if data is None or self.drawn:
            return {}
        table = attempt(
            lambda: shrunken_effects(data.X, data.codes, data.classes, groups=data.groups),
            "effect sizes",
        )
        if table is None:
            return {}
        return dict(zip(data.feature_names, records(table), strict=True))

    @cached_property
    def copies(self) -> dict[str, tuple[str, float]]:
        """Which of the features shown nearly are copies of which, and their correlation."""
        if self.data is None:
            return {}
        names = self.data.feature_names
        shown = [self.position[name] for name in self.found["feature"].head(MOST_FEATURES)]
        return {
            names[one]: (names[other], correlation)
            for one, (other, correlation) in near_duplicates(self.data.X, shown).items()
        }

    def fewer(self, selector: str, size: int | str) -> SizeShortfall | None:
        """Return how many features were found where more were asked for, else None."""
        if size == "own":
            return None
        what = f"the selections of {selector}"
        found = attempt(lambda: self.result.preferences[selector, size].sizes, what)
        return None if found is None else find_shortfall(int(size), found)

    @cached_property
    def groupers(self) -> frozenset[str]:
        """The selectors that find groups of features."""
        return frozenset(filter(self._finds_groups, self.result.selectors))

    def _finds_groups(self, name: str) -> bool:
        spelling = next(one["object"] for one in self.plan["selectors"] if one["name"] == name)
        record = record_of(spelling)
        if record is not None and record.gives == "groups":
            return True
        found = attempt(lambda: self.result.memberships(name, most=1), f"groups of {name}")
        return found is not None

    @cached_property
    def members(self) -> pd.DataFrame | None:
        """How often features lay in the groups of the cell; None where it has no groups."""
        if self.cell is None or self.cell[0] not in self.groupers:
            return None
        most, what = MOST_MEMBERS + 1, "groups of features"  # one more tells whether these are all
        return attempt(lambda: self.result.memberships(*self.cell, most=most), what)  # type: ignore[misc]

    @cached_property
    def stood_for(self) -> dict[str, list[str]] | None:
        """Which others each feature shown stands for; None where the cell has no groups."""
        if self.members is None or self.cell is None:
            return None
        shown = [str(name) for name in self.found["feature"].head(MOST_FEATURES)]
        return represented_features(self.result.preferences.groups(*self.cell), shown)

    def size_like(self, selector: str) -> int | str:
        """Return the recommended size, or the one that this selector has instead of it."""
        table = self.result.frequencies
        sizes: list[int | str] = table.loc[table["selector"] == selector, "size"].unique().tolist()
        wanted = "own" if self.cell is None else self.cell[1]
        return wanted if wanted in sizes or not sizes else sizes[0]

    @cached_property
    def guessing(self) -> float:
        """The error of always guessing the largest class."""
        counts = self.plan["data"]["classes"].values()
        return 1.0 - float(max(counts) / sum(counts))

    def told(self, sentence: str) -> str:
        """Return a sentence of a judge with titles in place of names."""
        return with_titles(sentence, self._titles)

    @cached_property
    def _titles(self) -> dict[str, str]:
        """What selectors, classifiers and measures are called in the field, by their names."""
        plan = self.plan
        selectors = {one["name"]: self.spoken(one["name"]) for one in plan["selectors"]}
        measures = {name: get_measure(name).title for name in plan["measures"]}
        return measures | classifier_titles(plan.get("classifiers", ())) | selectors

    def spoken(self, selector: str) -> str:
        """Return what sentences call a selector: its title, with its name where others share it."""
        title = self.title(selector)
        if title == selector:
            return format_name(selector)
        short = title.partition(" (")[0]
        others = (self.title(name) for name in self.result.selectors if name != selector)
        shared = short in {other.partition(" (")[0] for other in others}
        return f"{short} ({format_name(selector)})" if shared else short

    def title(self, selector: str) -> str:
        """Return what a selector is called in the field."""
        return title_of(selector, self.plan["selectors"])


def attempt(make: Callable[[], Thing], what: str) -> Thing | None:
    """Return what can be made, None where the result does not allow it."""
    try:
        return make()
    except HoldfastError as error:
        logger.info("the report goes without %s: %s", what, error)
        return None


# Features that are nearly copies of each other.

COPY = 0.99
"""Correlation from which a feature is nearly a copy of another."""


def near_duplicates(X: NDArray[Any], columns: Sequence[int]) -> dict[int, tuple[int, float]]:
    """Return for each column that nearly is a copy of another of them that one, and how nearly.

    Constant columns, and those with missing values, are like none.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0, 1.0], [1.0, -2.0, 5.0], [2.0, -4.0, 0.0]])
    >>> near_duplicates(X, [0, 1, 2])
    {0: (1, -1.0), 1: (0, -1.0)}
    """
    values = X[:, list(columns)].astype(np.float64)
    values -= values.mean(axis=0)
    lengths = np.linalg.norm(values, axis=0)
    with np.errstate(invalid="ignore"):
        values /= np.where(lengths > 0, lengths, np.nan)
    related = np.nan_to_num(values.T @ values)
    np.fill_diagonal(related, 0.0)
    nearest = np.abs(related).argmax(axis=1) if len(related) else np.zeros(0, dtype=int)
    return {
        columns[one]: (columns[other], round(float(related[one, other]), 12))
        for one, other in enumerate(nearest.tolist())
        if abs(related[one, other]) >= COPY
    }


# The features that others stand for, where a selector finds groups.

HALF = 0.5
"""A feature stands for those in this share of the groups that it is the representative of."""


def represented_features(groups: Groups, names: Collection[str]) -> dict[str, list[str]]:
    """Return for each of these features the others in most of its groups, the most frequent first.

    Examples
    --------
    >>> import holdfast as hf
    >>> rows = [[["a", "b", "c"]], [["a", "b"], ["d"]]]
    >>> found = hf.Groups(rows, feature_names=list("abcd"), representatives=[["a"], ["a", "d"]])
    >>> represented_features(found, ["a", "b", "d"])
    {'a': ['b', 'c'], 'b': [], 'd': []}
    """
    labels = groups.feature_names or ()
    wanted = {at: Counter[int]() for at, name in enumerate(labels) if name in set(names)}
    for result, representatives in zip(groups, groups.representatives or (), strict=True):
        for members, chosen in zip(result, representatives.tolist(), strict=True):
            if chosen in wanted:
                wanted[chosen].update(members.tolist())
    others = {str(labels[at]): _find_companions(counts, at) for at, counts in wanted.items()}
    return {name: [str(labels[at]) for at in others[name]] for name in names}


def _find_companions(counts: Counter[int], feature: int) -> list[int]:
    often = [other for other, count in counts.items() if count >= HALF * counts[feature]]
    return sorted((one for one in often if one != feature), key=lambda one: (-counts[one], one))
