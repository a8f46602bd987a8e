"""Everything that a report is based on: a result, and what follows from it, computed once."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from holdfast._formatting import format_plus_minus, join_texts, plural
from holdfast._memory import dense_columns
from holdfast._typing import AnyArray
from holdfast.errors import HoldfastError
from holdfast.io import Dataset
from holdfast.judge import (
    ChoiceError,
    CohortComparison,
    Recommendation,
    Replication,
    SamplePlan,
    SelectorSimilarity,
    SizeShortfall,
    StabilityProfile,
    StandIns,
    empty_feature_table,
    find_shortfall,
    plan_samples,
    shrunken_effects,
)
from holdfast.measures import get_measure
from holdfast.preferences import Groups
from holdfast.report._formatting import (
    MAX_LISTED,
    format_feature_count,
    format_name,
    get_selector_record,
    get_selector_title,
    is_known,
    replace_names,
    requested_size,
    to_records,
)
from holdfast.report._glossary import classifier_titles
from holdfast.report._schema import NOTHING
from holdfast.report._second_study import (
    GOOD_REPLICATION,
    Outlook,
    SecondStudyEstimates,
    SharedFeatures,
    chances_from_data_sets,
    choose_selectors_shown,
    describe_selectors_left_out,
    estimates_from_independent_samples,
    get_estimates,
    read_replication,
    shared_features,
)

if TYPE_CHECKING:
    from holdfast.study import Result


logger = logging.getLogger(__name__)

Value = TypeVar("Value")
# The limits of tables are chosen by hand.
MAX_FEATURES_SHOWN = 200
"""Most features in the table; the store has all of them."""
MAX_MEMBERS_SHOWN = 50
"""Most features in the table of groups."""


class Evidence:
    """A result and what a report derives from it.

    What a result does not allow (no unit is done, the data are gone, a selector chooses its size)
    is None here. The report then says less, but there always is one.
    """

    def __init__(self, result: Result) -> None:
        self.result = result
        self.plan: dict[str, Any] = result.plan

    @cached_property
    def choice(self) -> Recommendation | None:
        """The recommendation; None if nothing can be recommended."""
        return try_compute(self.result.recommend, "a recommendation")

    @cached_property
    def second_study(self) -> SecondStudyEstimates | None:
        """What a second study would find of the recommended pair; None if not known."""
        choice = self.choice
        if choice is None or self.all_selected:
            return None
        if self.has_independent_samples:
            return estimates_from_independent_samples(choice, int(self.plan["data"]["n_samples"]))
        table = self.replication_table
        return get_estimates(table, choice.selector, choice.size, choice.measure)

    @cached_property
    def shared_features(self) -> SharedFeatures | None:
        """How many of the recommended features to expect again; None if not known."""
        second, choice = self.second_study, self.choice
        if second is None or choice is None or self.get_shortfall(choice.selector, choice.size):
            return None
        count = int(self.plan["data"]["n_features"])
        return shared_features(second.best, second.measure, choice.size, count)

    @cached_property
    def replication(self) -> Replication | None:
        """The replication stability of the recommended pair, with its curve."""
        choice = self.choice
        if choice is None or self.has_independent_samples:
            return None
        key = choice.selector, choice.size, choice.measure
        return try_compute(lambda: self.result.replicated(*key), "replication stability")

    @cached_property
    def replication_table(self) -> pd.DataFrame:
        """Replication stability by all measures; by that of the summary for many selectors."""
        return read_replication(self.result)

    @cached_property
    def sample_plan(self) -> SamplePlan | None:
        """How many samples the recommended pair needs for a good replication stability."""
        replication = self.replication
        if replication is None:
            return None
        return try_compute(
            lambda: plan_samples(replication, target=GOOD_REPLICATION), "a plan of samples"
        )

    @cached_property
    def cohorts(self) -> CohortComparison | None:
        """How well cohorts agree on the recommended features; None without cohorts."""
        choice = self.choice
        if choice is None or not len(self.result.cohorts):
            return None
        key = choice.selector, choice.size, choice.measure
        return try_compute(lambda: self.result.compare_cohorts(*key), "cohorts")

    @property
    def unit_noun(self) -> str:
        """What a study has many of: ``"subject"`` if samples belong to subjects."""
        return "subject" if self.plan["data"].get("subjects") else "sample"

    @cached_property
    def error(self) -> tuple[float, float | None] | None:
        """The error to expect, with its standard error; None if nothing was tested.

        The recommended pair was chosen from many, so its error is too low on average. It is
        replaced by the error of the choice itself, if that is known and higher. It is lower if the
        choice mostly falls on other pairs; then the error of the pair counts.
        """
        choice = self.choice
        if choice is None or not is_known(choice.error):
            return None
        higher: Recommendation | ChoiceError = choice
        if choice.choice is not None and choice.choice.error > choice.error:
            higher = choice.choice
        return higher.error, higher.standard_error if is_known(higher.standard_error) else None

    @cached_property
    def random_control(self) -> RandomControl | None:
        """How random selections classify; None if none were tested."""
        if self.choice is None or self.error is None:
            return None
        return compare_with_random(self.result, self.choice)

    @cached_property
    def all_selected(self) -> bool:
        """Whether all features are selected each time, so that nothing is chosen."""
        return self.n_compared > 0 and self.chance > 1 - 1e-9  # a sum of rounded shares

    @cached_property
    def cell(self) -> tuple[str, int | str] | None:
        """Selector and size that the tables show: the recommended ones, else the first."""
        if self.choice is not None:
            return self.choice.selector, self.choice.size
        table = self.result.frequencies
        return (table["selector"].iloc[0], table["size"].iloc[0]) if len(table) else None

    @cached_property
    def cell_frequencies(self) -> pd.DataFrame:
        """Selection frequencies of the features of `cell`, the most frequent first."""
        table = self.result.frequencies
        if self.cell is None:
            return table.iloc[:0]
        selector, size = self.cell
        return table[(table["selector"] == selector) & (table["size"] == size)]

    @cached_property
    def chance(self) -> float:
        """Share of the resamples that would select a feature if features were drawn at random."""
        return float(self.cell_frequencies["frequency"].sum() / self.plan["data"]["n_features"])

    @cached_property
    def outlook(self) -> Outlook:
        """What a second study would find of the features of `cell`."""
        return Outlook(
            table=self._chances,
            n_features=int(self.plan["data"]["n_features"]),
            shared=self.shared_features,
            supported=self.choice is None or self.choice.supported or self._replicates,
        )

    @cached_property
    def _replicates(self) -> bool:
        """Whether the interval of the replication stability lies on the better side of chance.

        A recommendation may lack support only because its features classify no better than
        guessing; they are still found again.
        """
        if self.second_study is None:
            return False
        best, chance = self.second_study.best, self.second_study.chance
        if get_measure(self.second_study.measure).distance:
            return is_known(best.high) and best.high < chance
        return is_known(best.low) and best.low > (chance if is_known(chance) else 0.0)

    @property
    def recommends(self) -> bool:
        """Whether a selector is recommended, rather than being the best of a bad lot."""
        return self.choice is not None and self.outlook.grade != NOTHING

    @property
    def beats_guessing(self) -> bool:
        """False if the recommendation lacks support only because of an error like guessing."""
        return self.choice is None or self.choice.supported or not self._replicates

    @cached_property
    def _chances(self) -> pd.DataFrame:
        """The chance of each feature of `cell` to be found again; empty if not known."""
        if self.cell is None:
            return empty_feature_table("nothing is done yet")
        selector, size = self.cell
        if self.has_independent_samples:
            return chances_from_data_sets(
                self.cell_frequencies, round(self.cell_frequencies["frequency"].sum())
            )
        try:
            # by a measure of subsets, whatever the study measures: only these have features
            return self.result.replicated(selector, size, "nogueira").features
        except HoldfastError as error:
            logger.info("the report omits chances to be found again: %s", error)
            reason = self.replication_table.attrs.get("why_none") or str(error)
            return empty_feature_table(str(reason))

    @property
    def why_no_chances(self) -> str:
        """Why chances to be found again are not known, as part of a sentence."""
        reason = self._chances.attrs.get("why_none") or "no feature is selected"
        return str(reason).removesuffix(".")

    @property
    def trusted(self) -> list[str]:
        """Features that are selected on these data and likely to be found again."""
        return [] if self.all_selected else self.outlook.trusted

    @property
    def n_sampled_units(self) -> int:
        """Number of samples of the study, or of subjects if samples belong to subjects."""
        data = self.plan["data"]
        return int(data.get("subjects") or data["n_samples"])

    @cached_property
    def n_compared(self) -> int:
        """Number of resamples behind the selection frequencies."""
        return int(self.cell_frequencies["n"].max()) if len(self.cell_frequencies) else 0

    @cached_property
    def resamples_text(self) -> str:
        """The number of resamples, in words."""
        return plural(
            self.n_compared, "independent data set" if self.has_independent_samples else "resample"
        )

    @cached_property
    def informative_features(self) -> frozenset[str]:
        """The features that truly differ between the classes, if known."""
        return frozenset(self.result.truth or ())

    @cached_property
    def n_other_selectors(self) -> int:
        """Number of other selectors that selected any feature."""
        names = set(self.result.frequencies["selector"])
        return len(names - {self.cell[0]}) if self.cell is not None else 0

    @cached_property
    def selected_by_others(self) -> frozenset[str]:
        """Features that another selector selected at least once, at any size."""
        table = self.result.frequencies
        if self.cell is None:
            return frozenset()
        return frozenset(table.loc[table["selector"] != self.cell[0], "feature"])

    @cached_property
    def has_independent_samples(self) -> bool:
        """Whether each resample is an independent data set, drawn from a generator."""
        return bool(self.result.resamples["draw"].notna().any())

    @cached_property
    def data(self) -> Dataset | None:
        """The data; None if they are not available."""
        return try_compute(lambda: self.result.dataset, "the data")

    @cached_property
    def feature_positions(self) -> dict[str, int]:
        """The column of each feature in the data."""
        names = () if self.data is None else self.data.feature_names
        return {name: position for position, name in enumerate(names)}

    @cached_property
    def stand_ins(self) -> StandIns | None:
        """Features that take each other's place; None without data or selections."""
        if self.cell is None:
            return None
        selector, size = self.cell
        return try_compute(lambda: self.result.stand_ins(selector, size), "stand-ins")

    @cached_property
    def profile(self) -> StabilityProfile | None:
        """Stability by number of features; None without rankings."""
        return try_compute(lambda: self.result.profile(selectors=self.selectors_shown), "profiles")

    @cached_property
    def effects(self) -> dict[str, dict[str, Any]]:
        """Effect size of each feature; empty without data.

        ``observed``, and corrected for the selection: ``effect`` with interval ``low`` to ``high``.
        """
        data = self.data
        if data is None or self.has_independent_samples:
            return {}
        table = try_compute(
            lambda: shrunken_effects(
                data.dense_matrix(), data.codes, data.classes, groups=data.groups
            ),
            "effect sizes",
        )
        if table is None:
            return {}
        return dict(zip(data.feature_names, to_records(table), strict=True))

    @cached_property
    def lacks_effects(self) -> bool:
        """Whether no classifier was run and no trusted feature clearly differs by class.

        A selector that ignores the classes finds the same features in every study.
        """
        if self.plan["classifiers"]:
            return False
        rows = [self.effects[name] for name in self.trusted if name in self.effects]
        return bool(rows) and all(row["low"] <= 0 <= row["high"] for row in rows)

    @cached_property
    def near_copies(self) -> dict[str, tuple[str, float]]:
        """Features shown that nearly copy another one: that one, and the correlation."""
        if self.data is None:
            return {}
        names = self.data.feature_names
        features = self.cell_frequencies["feature"].head(MAX_FEATURES_SHOWN)
        columns = [self.feature_positions[name] for name in features]
        values = dense_columns(self.data.X, columns)
        found = near_duplicates(values, range(len(columns)))
        return {
            names[columns[place]]: (names[columns[other]], correlation)
            for place, (other, correlation) in found.items()
        }

    def get_shortfall(self, selector: str, size: int | str) -> SizeShortfall | None:
        """Return by how much selections are smaller than requested; None if they are not."""
        if size == "own":
            return None
        what = f"the selections of {selector}"
        sizes = try_compute(lambda: self.result.preferences[selector, size].sizes, what)
        return None if sizes is None else find_shortfall(int(size), sizes)

    @cached_property
    def selectors_shown(self) -> list[str]:
        """The selectors in pictures and in the tables of the page, in the order of the study."""
        recommended = None if self.choice is None else self.choice.selector
        return choose_selectors_shown(self.result, recommended)

    @cached_property
    def selectors_left_out(self) -> str:
        """Which selectors are not shown, as a sentence; empty if all are."""
        return describe_selectors_left_out(self.result, self.selectors_shown)

    @cached_property
    def _selector_objects(self) -> dict[str, Any]:
        """The objects of the selectors in the plan, by name."""
        return {selector["name"]: selector["object"] for selector in self.plan["selectors"]}

    @cached_property
    def group_selectors(self) -> frozenset[str]:
        """The selectors that find groups of features."""
        return frozenset(filter(self._finds_groups, self.result.selectors))

    def _finds_groups(self, name: str) -> bool:
        record = get_selector_record(self._selector_objects[name])
        if record is not None and record.gives == "groups":
            return True
        table = try_compute(lambda: self.result.memberships(name, most=1), f"groups of {name}")
        return table is not None

    @cached_property
    def memberships(self) -> pd.DataFrame | None:
        """How often features were in the groups of `cell`; None if it has no groups."""
        if self.cell is None or self.cell[0] not in self.group_selectors:
            return None
        selector, size = self.cell
        most = MAX_MEMBERS_SHOWN + 1  # one more shows whether there are others
        return try_compute(
            lambda: self.result.memberships(selector, size, most=most), "groups of features"
        )

    @cached_property
    def represented(self) -> dict[str, list[str]] | None:
        """The features that each feature shown stands for; None if `cell` has no groups."""
        if self.memberships is None or self.cell is None:
            return None
        shown = [str(name) for name in self.cell_frequencies["feature"].head(MAX_FEATURES_SHOWN)]
        return represented_features(self.result.preferences.groups(*self.cell), shown)

    def comparable_size(self, selector: str) -> int | str:
        """Return the size of `cell`, or the first size of a selector that does not have it."""
        table = self.result.frequencies
        sizes: list[int | str] = table.loc[table["selector"] == selector, "size"].unique().tolist()
        size = "own" if self.cell is None else self.cell[1]
        return size if size in sizes or not sizes else sizes[0]

    @cached_property
    def guessing_error(self) -> float:
        """The error of always guessing the largest class."""
        counts = self.plan["data"]["classes"].values()
        return 1.0 - float(max(counts) / sum(counts))

    def with_titles(self, sentence: str) -> str:
        """Return a sentence with titles in place of the names of selectors and measures."""
        return replace_names(sentence, self._titles)

    @cached_property
    def _titles(self) -> dict[str, str]:
        """Titles of selectors, classifiers and measures, by name."""
        plan = self.plan
        names = [selector["name"] for selector in plan["selectors"]]
        selectors = {name: self.selector_label(name) for name in names}
        measures = {name: get_measure(name).title for name in plan["measures"]}
        return measures | classifier_titles(plan.get("classifiers", ())) | selectors

    def selector_label(self, selector: str) -> str:
        """Return the title of a selector for a sentence, with its name if others share it."""
        title = self.selector_title(selector)
        if title == selector:
            return format_name(selector)
        short = _shorten_title(title)
        shared = self._short_titles[short] > 1
        return f"{short} ({format_name(selector)})" if shared else short

    def selector_title(self, selector: str) -> str:
        """Return the title of a selector."""
        return self._selector_titles[selector]

    @cached_property
    def _selector_titles(self) -> dict[str, str]:
        """The title of each selector, by name."""
        return {
            selector["name"]: get_selector_title(selector["name"], [selector])
            for selector in self.plan["selectors"]
        }

    @cached_property
    def _short_titles(self) -> Counter[str]:
        """How many selectors share each title without its last part."""
        return Counter(map(_shorten_title, self._selector_titles.values()))

    def join_labels(self, selectors: Iterable[str]) -> str:
        """Return the titles of selectors, joined for a sentence."""
        return join_texts([self.selector_label(name) for name in selectors], MAX_LISTED)

    def row_title(self, selector: str) -> str:
        """Return the title of a selector for a table, with its name if others share the title."""
        title = self.selector_title(selector)
        return title if self._title_counts[title] == 1 else f"{title}: {selector}"

    @cached_property
    def _title_counts(self) -> Counter[str]:
        """How many selectors share each title."""
        return Counter(self._selector_titles.values())

    @cached_property
    def self_sizing_selectors(self) -> set[str]:
        """The selectors that choose the number of features themselves."""
        return {selector["name"] for selector in self.plan["selectors"] if selector["own_size"]}

    @cached_property
    def compared_size(self) -> int | None:
        """The size at which selectors are compared; None if all choose their size.

        It is the recommended one, else the largest below the number of features: with all
        features, nothing is selected.
        """
        if self.self_sizing_selectors.issuperset(self.result.selectors):
            return None
        sizes, count = self.plan["sizes"], self.plan["data"]["n_features"]
        largest = max((int(size) for size in sizes if size < count), default=int(sizes[-1]))
        return requested_size(self.cell) or largest

    @cached_property
    def similarity(self) -> SelectorSimilarity | None:
        """How similar the selectors are; None for a single one."""
        if len(self.result.selectors) < 2:
            return None
        return try_compute(
            lambda: self.result.similarity(size=self.compared_size, selectors=self.selectors_shown),
            "the similarity of selectors",
        )


def _shorten_title(title: str) -> str:
    """Return a title without its part in brackets."""
    return title.partition(" (")[0]


def try_compute(compute: Callable[[], Value], what: str) -> Value | None:
    """Return a computed value; None if the result does not allow it."""
    try:
        return compute()
    except HoldfastError as error:
        logger.info("the report omits %s: %s", what, error)
        return None


# Features that nearly copy each other.

MIN_COPY_CORRELATION = 0.99
"""Absolute correlation from which a feature counts as nearly a copy of another (chosen by hand)."""


def near_duplicates(X: AnyArray, columns: Sequence[int]) -> dict[int, tuple[int, float]]:
    """Return the columns that nearly copy another of them: that one, and the correlation.

    Constant columns, and those with missing values, are no copies.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0, 1.0], [1.0, -2.0, 5.0], [2.0, -4.0, 0.0]])
    >>> near_duplicates(X, [0, 1, 2])
    {0: (1, -1.0), 1: (0, -1.0)}
    """
    # scaled to length 1, the products of centred columns are their Pearson correlations; columns
    # without variance or with missing values become NaN, then 0, and so never reach the limit
    values = X[:, list(columns)].astype(np.float64)
    values -= values.mean(axis=0)
    lengths = np.linalg.norm(values, axis=0)
    with np.errstate(invalid="ignore"):
        values /= np.where(lengths > 0, lengths, np.nan)
    correlations = np.nan_to_num(values.T @ values)
    np.fill_diagonal(correlations, 0.0)
    nearest = np.abs(correlations).argmax(axis=1) if len(correlations) else np.zeros(0, dtype=int)
    return {
        columns[i]: (columns[j], round(float(correlations[i, j]), 12))
        for i, j in enumerate(nearest.tolist())
        if abs(correlations[i, j]) >= MIN_COPY_CORRELATION
    }


# Features that the representative of a group stands for.

MIN_GROUP_SHARE = 0.5
"""A feature stands for those in at least this share of the groups it represents (by hand)."""


def represented_features(groups: Groups, names: Collection[str]) -> dict[str, list[str]]:
    """Return the other features in most of the groups of each feature, most frequent first.

    Examples
    --------
    >>> import holdfast as hf
    >>> rows = [[["a", "b", "c"]], [["a", "b"], ["d"]]]
    >>> groups = hf.Groups(rows, feature_names=list("abcd"), representatives=[["a"], ["a", "d"]])
    >>> represented_features(groups, ["a", "b", "d"])
    {'a': ['b', 'c'], 'b': [], 'd': []}
    """
    labels = groups.feature_names or ()
    counts = {column: Counter[int]() for column, name in enumerate(labels) if name in set(names)}
    for result, representatives in zip(groups, groups.representatives or (), strict=True):
        for members, representative in zip(result, representatives.tolist(), strict=True):
            if representative in counts:
                counts[representative].update(members.tolist())
    companions = {}
    for column, together in counts.items():
        # a representative is a member of each of its groups: this is the number of groups
        least = MIN_GROUP_SHARE * together[column]
        ranked = sorted((-n, other) for other, n in together.items() if n >= least)
        companions[str(labels[column])] = [str(labels[i]) for _, i in ranked if i != column]
    return {name: companions[name] for name in names}


# Features drawn at random, as a control.

RANDOM = "random_score"
"""The selector that draws the requested number of features at random."""
RANDOM_SELECTORS = (RANDOM, "random_subset")
"""All selectors that draw features at random."""
SIGNIFICANCE_LEVEL = 0.05
"""Level of the test against random features (the usual one)."""


class RandomControl(NamedTuple):
    """How well features drawn at random classify, at the recommended size."""

    size: int | str
    classifier: str
    error: float
    standard_error: float
    p_value: float
    """Of the test against the recommended pair: a single test, so without correction."""
    as_good: bool
    """No significant difference, and an error at most one standard error higher."""

    @property
    def sentence(self) -> str:
        """The comparison, as the end of a sentence."""
        error = format_plus_minus(self.error, self.standard_error)
        how = f" (p = {self.p_value:.2f})" if is_known(self.p_value) else ""
        features = (
            "random subsets"
            if self.size == "own"
            else f"{format_feature_count(self.size)} drawn at random"
        )
        return (
            f"{features} classify about as well: an error of {error} with "
            f"{format_name(self.classifier)}{how}"
        )


def random_selector_names(plan: dict[str, list[dict[str, object]]]) -> list[str]:
    """Return the selectors of a plan that draw at random."""
    records = {
        str(selector["name"]): get_selector_record(selector["object"])
        for selector in plan["selectors"]
    }
    return [
        name
        for name, record in records.items()
        if record is not None and record.name in RANDOM_SELECTORS
    ]


def compare_with_random(result: Result, choice: Recommendation) -> RandomControl | None:
    """Compare random features with the recommended ones; None if none were tested.

    They are taken at the recommended size if possible, and with the same classifier, else with
    their best one. The difference is one test, not one of many, as random features were not
    chosen among others.
    """
    table, names = result.errors, random_selector_names(result.plan)
    rows = table[table["selector"].isin(names) & table["error"].notna()]
    rows = rows[rows["selector"] != choice.selector]
    for column, value in (("size", choice.size), ("classifier", choice.classifier)):
        matching = rows[rows[column] == value]
        rows = matching if len(matching) else rows
    if not len(rows):
        return None
    row = rows.sort_values("error", kind="stable").iloc[0]
    p_value = _get_p_value(result, choice, row)
    standard_error = choice.standard_error if is_known(choice.standard_error) else 0.0
    not_significant = not p_value <= SIGNIFICANCE_LEVEL  # or not testable: NaN
    return RandomControl(
        size=row["size"],
        classifier=str(row["classifier"]),
        error=float(row["error"]),
        standard_error=float(row["standard_error"]),
        p_value=p_value,
        as_good=not_significant and float(row["error"]) <= choice.error + standard_error,
    )


def _get_p_value(result: Result, choice: Recommendation, row: pd.Series) -> float:
    pair = {
        (choice.selector, choice.classifier, choice.size),
        (row["selector"], row["classifier"], row["size"]),
    }
    try:
        table = result.compare(correction=None)
    except HoldfastError:
        return float("nan")
    # the table has each pair once, in either order
    keys = ("selector", "classifier", "size")
    sides = (zip(*(table[f"{key}_{side}"] for key in keys), strict=True) for side in "ab")
    rows = zip(*sides, table["p_value"], strict=True)
    return next((float(p) for a, b, p in rows if {a, b} == pair), float("nan"))
