"""The dictionary that a report is, before it is a page: all that HTML, JSON and Markdown show."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

FORMAT = "holdfast report"
VERSION = 2
NOTHING, NOT_KNOWN = "nothing", "not known"
"""Grades of a list that gives nothing to rely on."""


class State(TypedDict):
    """How far the study is."""

    complete: bool
    done: int
    failed: int
    units: int
    sentence: str


class Verdict(TypedDict):
    """What a reader takes away."""

    headline: str
    """What a second study would find, in one sentence."""
    why: str
    """Why nothing can be expected, or why it is not known; else empty."""
    next_step: str
    certainty: str
    """How sure this is; empty where there is nothing to be sure of."""
    grade: str
    """How much of the list would be found again: ``"nearly all"``, ``"most"``, ``"some"``,
    ``"few"``, ``"nothing"`` or ``"not known"``."""
    expected: float | None
    """How many of the selected features a second study selects: the sum of their chances."""
    expected_low: int | None
    expected_high: int | None
    n_selected: int | None
    chance_level: float | None
    """The chance of each feature if as many were drawn at random."""
    trusted: list[str]
    """Selected features with a chance of at least 0.7, the highest first."""
    selector: str | None
    """The recommended selector, classifier and size; None where nothing is supported."""
    classifier: str | None
    size: int | str | None


class StandIn(TypedDict):
    """A feature that takes another's place."""

    feature: str
    correlation: float
    share: float
    """Share of the resamples without the feature in which this one is selected: `count` of `n`."""
    count: int
    n: int
    count_with: int
    """The same for the resamples with the feature: `count_with` of `n_with`."""
    n_with: int


class FeatureRow(TypedDict):
    """A line of the table to act on."""

    feature: str
    selected: bool | None
    """Whether the selector selects it on all of these data."""
    found_again: float | None
    """The chance that a second study of the same size selects it; None where not known."""
    low: float | None
    """One-sided 90% lower bound of this chance."""
    grade: str | None
    frequency: float
    """The share of the resamples of these data that select it."""
    count: int
    n: int
    frequency_low: float | None
    frequency_high: float | None
    rank_low: int | None
    rank_median: int | None
    rank_high: int | None
    direction: str | None
    effect: float | None
    """The effect size, corrected for the selection, with its 95% interval; None where not known."""
    effect_low: float | None
    effect_high: float | None
    observed_effect: float | None
    """The effect size in these data: too high, because the feature was chosen for being high."""
    stand_ins: list[StandIn]
    caveats: list[str]
    informative: bool | None
    """Whether the feature truly matters, where that is known (simulated data)."""
    in_group: NotRequired[list[str]]
    """Where the selector finds groups: the first of the features that this one stands for, which
    lay in at least half of the groups of which it was the representative."""
    in_group_total: NotRequired[int]
    """How many features it stands for."""


class FeatureTable(TypedDict):
    """The features of the recommended selector at the recommended size."""

    title: str
    caption: str
    interval: str
    rows: list[FeatureRow]
    total: int
    """How many features were ever selected, on the data or a resample; the table may show fewer."""


class SelectorRow(TypedDict):
    """A selector with its best classifier at one size."""

    selector: str
    title: str
    size: int | str
    stability: float | None
    low: float | None
    high: float | None
    chance: float | None
    classifier: str | None
    error: float | None
    standard_error: float | None
    balanced_accuracy: float | None
    auc: float | None
    rpt: float | None
    p_value: float | None
    """Of the test against the best pair."""
    rival: bool
    """Not significantly worse than the best."""
    front: bool
    recommended: bool
    selected: NotRequired[float | None]
    """Where the selector chooses the size: the mean number of selected features."""
    selected_sd: NotRequired[float | None]
    """The standard deviation of that number over the resamples."""
    remark: NotRequired[str]
    """How many features were found, if more were requested."""


class SelectorsLeftOut(TypedDict):
    """Which selectors the page shows; profiles, similarities and chances are those of these."""

    shown: list[str]
    sentence: str


class Selectors(TypedDict):
    """The selectors compared."""

    measure: str | None
    rows: list[SelectorRow]
    reasons: list[str]
    choice: str | None
    """What is to be expected of the choice itself, in a sentence."""
    left_out: NotRequired[SelectorsLeftOut]
    """Only if the study has more selectors than the page shows."""


class ReportSection(TypedDict):
    """Sentences about one matter, and the numbers behind them."""

    sentences: list[str]
    rows: list[dict[str, Any]]
    numbers: NotRequired[list[dict[str, Any]]]
    """More numbers, such as all points of a curve; only in the JSON file."""


class ReplicationRow(TypedDict):
    """A selector at a size: what a second study would find, and the usual stability."""

    selector: str
    title: str
    size: int | str
    replication: float | None
    """Agreement of two studies half as large, with its 95% interval at the level of the data."""
    replication_low: float | None
    replication_high: float | None
    replication_chance: float | None
    """What two random selections of as many features give."""
    predicted: float | None
    """The same, predicted for two studies as large as this one."""
    predicted_low: float | None
    predicted_high: float | None
    stability: float | None
    """The usual figure: over the resamples of the protocol."""
    low: float | None
    high: float | None
    expected: float | None
    """How many of the selected features a second study would select: the sum of their chances."""
    recommended: bool


class SecondStudy(TypedDict):
    """Would a second study find these features?"""

    measure: str | None
    n_samples: int | None
    """How many samples (subjects) each half of the data has; None without an estimate."""
    at: int | None
    """The same for the two studies whose agreement is predicted; None without a prediction."""
    noun: str
    """``"sample"`` or ``"subject"``: what is counted."""
    sentences: list[str]
    rows: list[ReplicationRow]
    curve: NotRequired[list[dict[str, Any]]]
    """Of the recommended pair: agreement by number of samples, estimated and predicted."""
    cohorts: NotRequired[ReportSection]
    """How well cohorts agree, where the data have any."""


class GroupSection(ReportSection):
    """Which features lie in selected groups together, and how well groups match."""

    measures: NotRequired[ReportSection]
    """What the measures of groups say, where the study has any."""


class Figure(TypedDict):
    """A picture; the JSON file leaves ``svg`` out."""

    name: str
    section: str
    """``"verdict"``, ``"truth"``, ``"features"``, ``"selectors"``, ``"profile"``, ``"stripes"``,
    ``"stand_ins"``, ``"similarity"``, ``"replication"``, ``"cohorts"``."""
    title: str
    caption: str
    alt: str
    svg: NotRequired[str]


class Methods(TypedDict):
    """What was done."""

    protocol: str
    data: list[tuple[str, str]]
    """What is known of the data: pairs of what and how much."""
    warnings: list[str]
    paragraph: str
    references: list[str]
    versions: list[tuple[str, str]]
    seed: int
    command: str | None
    fingerprint: str


class Report(TypedDict):
    """Everything that a report says.

    Inside sentences, names stand between U+2068 and U+2069; see `holdfast.report._formatting`.
    """

    format: str
    version: int
    generator: str
    title: str
    subtitle: str
    state: State
    verdict: Verdict
    truth: ReportSection | None
    """Simulated data only: the verdict compared with the truth."""
    replication: SecondStudy
    features: FeatureTable
    lists: ReportSection | None
    """The longest list of each selector of which a share is expected to be found again."""
    selectors: Selectors
    profile: ReportSection
    similarity: ReportSection
    groups: GroupSection | None
    """Where the recommended selector finds groups, or groups were measured."""
    stand_ins: ReportSection
    failures: list[dict[str, Any]]
    figures: list[Figure]
    methods: Methods
    glossary: dict[str, str]
    """What each term means, in a sentence."""
