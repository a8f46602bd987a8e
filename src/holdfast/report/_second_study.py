"""What a second study would find: of each selector and size, and of the recommended features.

The expected number found again is the sum of the chances of the selected features, everywhere. A
feature is trusted if it is selected on these data and likely to be found again; how often resamples
of the same data select it does not count. Chances that are not known never reassure: the grade is
then "not known".
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import beta

from holdfast._formatting import format_number, plural
from holdfast.judge import (
    GRADES,
    Recommendation,
    empty_feature_table,
    expected_common_features,
    format_needed,
    format_needed_ends,
    grade_chances,
)
from holdfast.measures import get_measure
from holdfast.report._formatting import (
    format_cell,
    format_p_value,
    format_stability_interval,
    is_known,
    isolate_known_names,
    to_records,
)
from holdfast.report._schema import NOT_KNOWN, NOTHING, ReplicationRow, ReportSection, SecondStudy

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence
    from holdfast.study import Result


GOOD_REPLICATION = 0.8
"""Replication stability that samples are planned for."""
WHY_DIFFERENT = (
    "resamples of one data set share samples and differ in size from a new study, so it is about "
    "these data, not about a second study"
)
MAX_NOTE_LENGTH = 160
"""Most characters of a note: it may contain the message of any selector."""


class ReplicationEstimate(NamedTuple):
    """Replication stability of two studies of `n` samples (subjects) each, and its interval."""

    n: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class SecondStudyEstimates:
    """Estimates of how well a second study would agree.

    Attributes
    ----------
    measure : str
        The measure of agreement.
    halves : ReplicationEstimate or None
        Estimated from disjoint halves of the data; None for independent data sets.
    full : ReplicationEstimate or None
        For two studies as large as this one: predicted, or measured on independent data sets.
    chance : float
        Agreement of as many random selections as were compared at a time: two, unless data sets
        are independent. NaN if not known.
    """

    measure: str
    halves: ReplicationEstimate | None
    full: ReplicationEstimate | None
    chance: float = math.nan

    @property
    def best(self) -> ReplicationEstimate:
        """The estimate for studies as large as this one, else for studies half as large."""
        estimate = self.full or self.halves
        assert estimate is not None
        return estimate


def get_estimates(
    table: pd.DataFrame, selector: str, size: int | str, measure: str
) -> SecondStudyEstimates | None:
    """Look up a selector and size in the table of replication stability; None if not known."""
    same = (table["selector"] == selector) & (table["measure"] == measure)
    if get_measure(measure).by_size:  # others are measured once, on all features
        same &= table["size"] == size
    rows = table[same]
    if not len(rows) or not is_known(rows["value"].iloc[0]):
        return None
    row = rows.iloc[0]
    full = ReplicationEstimate(0, row["predicted"], row["predicted_low"], row["predicted_high"])
    return SecondStudyEstimates(
        measure=measure,
        halves=ReplicationEstimate(int(row["n_samples"]), row["value"], row["low"], row["high"]),
        full=full._replace(n=int(row["at"])) if is_known(full.value) else None,
        chance=float(row["chance"]),
    )


def estimates_from_independent_samples(
    choice: Recommendation, n_samples: int
) -> SecondStudyEstimates | None:
    """Return the estimates from independent data sets: their stability is that of new studies."""
    if not is_known(choice.stability):
        return None
    full = ReplicationEstimate(n_samples, choice.stability, choice.low, choice.high)
    return SecondStudyEstimates(
        measure=choice.measure, halves=None, full=full, chance=choice.chance
    )


class SharedFeatures(NamedTuple):
    """How many of `size` features a second study finds again, with a range."""

    features: int
    low: int
    high: int
    size: int


def shared_features(
    estimate: ReplicationEstimate, measure: str, size: int | str, n_features: int
) -> SharedFeatures | None:
    """Return how many features of a list to expect again.

    None if the measure does not imply a number, the selector chooses the size, or the list has one
    feature.
    """
    if size in ("own", 1):
        return None
    ends = (end if is_known(end) else estimate.value for end in (estimate.low, estimate.high))
    counts = [
        expected_common_features(value, measure=measure, size=int(size), n_features=n_features)
        for value in (estimate.value, *ends)
    ]
    if not all(map(is_known, counts)):
        return None
    value, low, high = map(round, counts)
    return SharedFeatures(value, low, high, int(size))


MAX_SELECTORS_SHOWN = 50
"""Most selectors in the pictures and in the tables of the page (chosen by hand).

Chances to be found again, profiles and similarities, which take longest, are computed for these
selectors only; the JSON file has the other numbers of all selectors.
"""


def choose_selectors_shown(result: Result, recommended: str | None) -> list[str]:
    """Return the selectors that are shown, in the order of the study.

    If there are more than `MAX_SELECTORS_SHOWN`, these are the recommended one and those with the
    best agreement of two studies, at their best size; where that is not known, with the best
    stability over the resamples.
    """
    names = list(result.selectors)
    if len(names) <= MAX_SELECTORS_SHOWN:
        return names
    table = result.summary()
    values = table[_ranking_column(table)].astype(float)
    if (
        table["measure"]
        .map(lambda name: isinstance(name, str) and get_measure(name).distance)
        .any()
    ):
        values = -values
    best = values.fillna(-math.inf).groupby(table["selector"], sort=False).max()
    ranked = best.sort_values(ascending=False, kind="stable").index.tolist()
    ranked.sort(key=lambda name: name != recommended)
    shown = set(ranked[:MAX_SELECTORS_SHOWN])
    return [name for name in names if name in shown]


def _ranking_column(table: pd.DataFrame) -> str:
    """Return the first column of the summary that is known for any selector."""
    columns = ("predicted", "replication", "stability")
    return next((column for column in columns if table[column].notna().any()), "stability")


def describe_selectors_left_out(result: Result, shown: Sequence[str]) -> str:
    """Return which selectors are left out, as a sentence; empty if all are shown."""
    left_out = len(result.selectors) - len(shown)
    if not left_out:
        return ""
    by = {
        "predicted": "predicted replication stability",
        "replication": "replication stability",
        "stability": "stability over the resamples",
    }[_ranking_column(result.summary())]
    return (
        f"Shown are {len(shown):,} of {len(result.selectors):,} selectors, those with the best "
        f"{by} and the recommended one if there is one; {left_out:,} are left out."
    )


def read_replication(result: Result) -> pd.DataFrame:
    """Return replication stability by all measures; by that of the summary for many selectors."""
    if len(result.selectors) <= MAX_SELECTORS_SHOWN:
        return result.replication
    measures = result.summary()["measure"].dropna()
    return result.replication_by(str(measures.iloc[0]) if len(measures) else None)


def expected_counts(
    result: Result, shown: Sequence[str]
) -> dict[tuple[str, int | str], tuple[float, int]]:
    """Return how many selected features a second study would find, and how many are selected.

    By selector shown and size; empty if the chances of the features are not known.
    """
    all_shown = len(shown) == len(result.selectors)
    features = result.features if all_shown else result.features_of(shown)
    selected = features[features["selected"].astype(bool)]
    table = selected.groupby(["selector", "size"], sort=False)["found_again"].agg(["sum", "size"])
    rows = zip(table.index.tolist(), table["sum"].tolist(), table["size"].tolist(), strict=True)
    return {cell: (expected, count) for cell, expected, count in rows}


def collect_notes(table: pd.DataFrame) -> dict[str, list[str]]:
    """Return the notes on estimates, each once and shortened, with the selectors concerned."""
    selectors: dict[str, list[str]] = {}
    for selector, note in zip(table["selector"], table["note"].fillna(""), strict=True):
        if note:
            text = note.strip().removesuffix(".")
            short = textwrap.shorten(text, MAX_NOTE_LENGTH, placeholder=" ...")
            selectors.setdefault(short, []).append(str(selector))
    return {note: list(dict.fromkeys(names)) for note, names in selectors.items()}


# The selected features with their chances.

TRUSTED_CHANCE = GRADES["likely"]
"""Least chance of a selected feature that is trusted."""
WORTH_CHECKING_CHANCE = GRADES["uncertain"]
"""Least chance of a feature that is worth a check on new samples."""
LIST_GRADES = {"nearly all": 0.9, "most": 0.7, "some": 0.3, "few": 0.0}
"""Grades of a list, with the least expected share found again."""
CLEAR_EXCESS, CLEAR_EXCESS_SHARE = 1.0, 0.05
"""A list without a feature worth checking is at chance unless it exceeds a random list by this many
features found again, or by this share of its size if that is more."""
LOW_CONFIDENCE = 0.9
"""Level of the one-sided lower bound of a chance that is measured on independent data sets."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Outlook:
    """The selected features with their chances.

    Attributes
    ----------
    table : pandas.DataFrame
        ``feature``, ``selected``, ``found_again``, ``low``, ``grade``; empty if chances are not
        known.
    n_features : int
        Number of features of the data.
    shared : SharedFeatures or None
        The range of the number found again, from the replication stability of the list.
    supported : bool
        Whether the data support the recommendation: replication above chance, error below
        guessing.
    """

    table: pd.DataFrame
    n_features: int
    shared: SharedFeatures | None
    supported: bool

    @cached_property
    def selected(self) -> pd.DataFrame:
        """The selected features, the highest chance first."""
        return self.table[self.table["selected"].astype(bool)]

    @property
    def known(self) -> bool:
        """Whether chances are known."""
        return len(self.selected) > 0

    @property
    def size(self) -> int:
        """Number of selected features."""
        return len(self.selected)

    @property
    def expected(self) -> float:
        """Expected number of the selected features that a second study selects."""
        return float(self.selected["found_again"].sum())

    @property
    def chance_level(self) -> float:
        """The chance of each feature if features were drawn at random."""
        return self.size / self.n_features

    @property
    def count_range(self) -> tuple[int, int] | None:
        """The range of the number found again; it contains the expected number."""
        if self.shared is None or not self.known or self.shared.size != self.size:
            return None
        whole = round(self.expected)
        return min(self.shared.low, whole), max(self.shared.high, whole)

    @property
    def at_chance(self) -> bool:
        """Whether the list is not clearly found again better than a random one."""
        excess = self.expected - self.size * self.chance_level
        none_worth_checking = (self.selected["found_again"] < WORTH_CHECKING_CHANCE).all()
        least = max(CLEAR_EXCESS, CLEAR_EXCESS_SHARE * self.size)
        return bool(none_worth_checking and excess < least)

    @property
    def grade(self) -> str:
        """The grade of the list: how much of it would be found again."""
        if not self.known:
            return NOT_KNOWN
        if not self.supported or self.at_chance:
            return NOTHING
        expected_share = self.expected / self.size
        return next(grade for grade, least in LIST_GRADES.items() if expected_share >= least)

    @property
    def trusted(self) -> list[str]:
        """Selected features that are likely to be found again."""
        if self.grade in (NOTHING, NOT_KNOWN):
            return []
        return self.features_between(TRUSTED_CHANCE, 2.0)

    def features_between(self, low: float, high: float) -> list[str]:
        """Return the selected features with a chance of at least `low` and below `high`.

        Chances are rounded to two decimals, as they are shown and graded.
        """
        chances = self.selected["found_again"].round(2)
        features = self.selected.loc[(chances >= low) & (chances < high), "feature"]
        return [str(name) for name in features]


def chances_from_data_sets(frequencies: pd.DataFrame, size: int) -> pd.DataFrame:
    """Return the chances of features if each resample is an independent data set.

    The share of data sets that select a feature then estimates its chance directly: mean and lower
    bound are those of the posterior under Jeffreys' prior. The list consists of the `size` features
    selected most often.
    """
    if not len(frequencies):
        return empty_feature_table("nothing is done yet")
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


def second_study_sentence(evidence: Evidence) -> str:
    """Return the headline of the verdict: how much of the list a second study would find."""
    outlook = evidence.outlook
    study = f"A second study of {plural(evidence.n_sampled_units, evidence.unit_noun)}"
    noun = "group" if evidence.memberships is not None else "feature"
    if outlook.size == 1:
        chance = format_number(outlook.expected)
        return f"{study} would find this {noun} again with a chance of {chance}."
    whole = round(outlook.expected)
    about = f"about {whole:,}" if whole else "probably none"
    return f"{study} would find {about} of these {outlook.size:,} {noun}s again."


# The section of a report on the second study.

REPLICATION_KEYS = ("replication", "replication_low", "replication_high", "replication_chance")
PREDICTION_KEYS = ("predicted", "predicted_low", "predicted_high")
STABILITY_KEYS = ("stability", "low", "high")


def second_study_section(evidence: Evidence) -> SecondStudy:
    """Return what is known about a second study, by selector and size."""
    rows = _build_rows(evidence)
    sentences = _describe_replication(evidence) if rows else _describe_missing_estimate(evidence)
    section: SecondStudy = {
        "measure": _summary_measure(evidence),
        "n_samples": _get_common_number(evidence, "n_samples"),
        "at": _get_common_number(evidence, "at"),
        "noun": evidence.unit_noun,
        "sentences": list(sentences),
        "rows": rows,
    }
    if evidence.replication is not None:
        section["curve"] = to_records(evidence.replication.curve)
    if (cohorts := _build_cohort_section(evidence)) is not None:
        section["cohorts"] = cohorts
    return section


def _summary_measure(evidence: Evidence) -> str | None:
    measures = evidence.result.summary()["measure"].dropna()
    return str(measures.iloc[0]) if len(measures) else None


def _get_common_number(evidence: Evidence, column: str) -> int | None:
    """Return a number of samples that all estimates have in common."""
    numbers = evidence.replication_table[column].dropna()
    return int(numbers.max()) if len(numbers) else None


def _build_rows(evidence: Evidence) -> list[ReplicationRow]:
    """Return the selectors and sizes in the order of the study; none without estimates."""
    rows = to_records(evidence.result.summary())
    if not any(is_known(row["replication"]) for row in rows):
        return []
    counts = expected_counts(evidence.result, evidence.selectors_shown)
    return [_build_row(evidence, row, counts) for row in rows]


def _build_row(
    evidence: Evidence,
    row: dict[str, Any],
    counts: dict[tuple[str, int | str], tuple[float, int]],
) -> ReplicationRow:
    cell = (row["selector"], row["size"])
    expected, _ = counts.get(cell, (None, 0))
    return {
        "selector": row["selector"],
        "title": evidence.row_title(row["selector"]),
        "size": row["size"],
        **{key: row[key] for key in (*REPLICATION_KEYS, *PREDICTION_KEYS, *STABILITY_KEYS)},  # type: ignore[typeddict-item]
        "expected": expected,
        "recommended": evidence.recommends and cell == evidence.cell,
    }


def _describe_replication(evidence: Evidence) -> Iterator[str]:
    halves = _get_common_number(evidence, "n_samples") or 0
    measure = get_measure(_summary_measure(evidence) or "")
    pairs = plural(int(evidence.replication_table["n_pairs"].max()), "time")
    yield (
        f"Replication stability is the agreement of the selections of two independent studies, "
        f"measured by {measure.title}. The {evidence.unit_noun}s were split {pairs} into disjoint "
        f"halves of {halves:,} each, which share no {evidence.unit_noun}, like two studies. Their "
        "mean agreement is an unbiased estimate for two studies of "
        f"{plural(halves, evidence.unit_noun)}; its 95% interval is about new data, not about new "
        "splits."
    )
    yield from _describe_chance(evidence)
    if (at := _get_common_number(evidence, "at")) is not None:
        yield (
            f"For two studies of {plural(at, evidence.unit_noun)}, as many as in these data, it is "
            "predicted by the same estimate as the chances of the features."
        )
    yield f"The usual stability, over the resamples, differs: {WHY_DIFFERENT}."
    yield from _describe_needed_samples(evidence)
    yield from _describe_notes(evidence)


def _describe_chance(evidence: Evidence) -> Iterator[str]:
    """Yield the agreement of two random selections, unless it is 0."""
    chances = evidence.result.summary()["replication_chance"].dropna()
    if not chances.any():
        return
    low, high = format_number(chances.min()), format_number(chances.max())
    agreement = low if low == high else f"{low} to {high}"
    yield (
        f"Two random selections of as many features would agree at {agreement}; the chance level "
        "of the usual stability is that of all its resamples together, and may differ."
    )


def _describe_needed_samples(evidence: Evidence) -> Iterator[str]:
    """Yield how many samples the recommended pair needs for a good replication stability."""
    replication, plan = evidence.replication, evidence.sample_plan
    if replication is None or plan is None:
        return
    target = f"replication stability of {GOOD_REPLICATION}"
    if math.isinf(plan.needed):
        yield f"A {target} cannot be planned for: the data do not show agreement beyond chance."
    elif math.isnan(plan.needed):
        yield f"A {target} needs at least {plan.needed_low:,.0f} {evidence.unit_noun}s."
    else:
        about = format_needed(plan.needed, plan.fewest_compared)
        ends = format_needed_ends(plan.needed_low, plan.needed_high, plan.fewest_compared)
        yield (
            f"For a {target}, each of two studies is predicted to need {about} "
            f"{evidence.unit_noun}s{ends and f' (95% interval: {ends})'}."
        )


def _describe_notes(evidence: Evidence) -> Iterator[str]:
    """Yield each note once, with the selectors concerned unless it concerns all."""
    table = evidence.replication_table
    table = table[table["measure"] == _summary_measure(evidence)]
    for note, names in collect_notes(table).items():
        labels = evidence.join_labels(names)
        selectors = "" if len(names) == table["selector"].nunique() else f" ({labels})"
        yield f"Please note{selectors}: {note}."


def _describe_missing_estimate(evidence: Evidence) -> Iterator[str]:
    if evidence.has_independent_samples:
        count = plural(int(evidence.plan["data"]["n_samples"]), "sample")
        yield (
            "Each resample is an independent sample, so the stability of this study is its "
            f"replication stability: how well two independent studies of {count} agree."
        )
        return
    yield from _describe_notes(evidence)


def _build_cohort_section(evidence: Evidence) -> ReportSection | None:
    """Return how well cohorts agree, next to what samples of one population would give."""
    comparison = evidence.cohorts
    if comparison is None:
        return None
    return {
        "sentences": [
            isolate_known_names(text, comparison.cohorts) for text in comparison.sentences
        ],
        "rows": to_records(comparison.pairs),
        "numbers": to_records(comparison.features),
    }


def format_cohort_section(section: ReportSection) -> ReportSection:
    """Return the section with the numbers of each pair as text, under readable headings."""
    return {**section, "rows": list(map(_format_cohort_pair, section["rows"]))}


def _format_cohort_pair(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "first cohort": row["cohort_a"],
        "samples (first)": format_cell(row["n_a"]),
        "second cohort": row["cohort_b"],
        "samples (second)": format_cell(row["n_b"]),
        "agreement": format_number(row["value"]),
        "expected": format_number(row["expected"]),
        "95% range": format_stability_interval(row["low"], row["high"], None),
        "p": format_p_value(row["p_value"]),
        "shuffles": format_cell(row["n_shuffles"]),
    }
