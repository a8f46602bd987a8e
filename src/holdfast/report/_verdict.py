"""The verdict: what a second study would find, what to do next, and how sure that is.

The expected number found again is the sum of the chances of the selected features, everywhere. A
feature is trusted if it is selected on these data and likely to be found again; how often resamples
of the same data select it does not count. Chances that are not known never reassure: the grade is
then "not known".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import beta

from holdfast._formatting import (
    format_number,
    format_percent,
    format_short_percent,
    join_texts,
    plural,
)
from holdfast.judge import GRADE_HIT_RATES, GRADES, empty_feature_table, grade_chances
from holdfast.report._formatting import format_name
from holdfast.report._schema import NOT_KNOWN, NOTHING, Verdict
from holdfast.report._second_study import SharedFeatures

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence


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


# The sentences of the verdict.

MAX_NAMED, MAX_NAME_WORDS, MAX_NAME_LENGTH = 3, 9, 30
"""The verdict names features if they are few and their names short; else it counts them."""
NOTHING_EXPECTED = "Nothing here can be expected to be found again."
NOTHING_CERTAINTY = "How sure: no test data with clear effects got this answer."
"""By ``benchmarks/decision.py``: each data set on which any selector has a true replication of at
least 0.4 got a recommendation."""
REMEDIES = {
    "it was not asked for": "Run the study again with --replication 30.",
    "earlier version": "Run the study again with this version.",
    "class": "Add samples to the smallest class.",
    "nothing is done": "Resume the study.",
}
"""What to do if chances are not known, by a part of the reason."""


def build_verdict(evidence: Evidence) -> Verdict:
    """Return the verdict of a report."""
    outlook, choice = evidence.outlook, evidence.choice
    grade = NOT_KNOWN if evidence.all_selected else outlook.grade
    supported = choice is not None and choice.supported and grade not in (NOTHING, NOT_KNOWN)
    known = outlook.known and not evidence.all_selected
    low, high = (outlook.count_range if known else None) or (None, None)
    headline, why, next_step, certainty = _sentences(evidence, grade)
    return {
        "headline": headline,
        "why": why,
        "next_step": next_step,
        "certainty": certainty,
        "grade": grade,
        "expected": outlook.expected if known else None,
        "expected_low": low,
        "expected_high": high,
        "n_selected": outlook.size if known else None,
        "chance_level": outlook.chance_level if known else None,
        "trusted": evidence.trusted,
        "selector": choice.selector if choice is not None and supported else None,
        "classifier": choice.classifier if choice is not None and supported else None,
        "size": choice.size if choice is not None and supported else None,
    }


def _sentences(evidence: Evidence, grade: str) -> tuple[str, str, str, str]:
    """Return headline, reason, next step and certainty; empty texts where there is none."""
    if not evidence.n_compared and not evidence.outlook.known:
        return _describe_nothing_done(evidence)
    if evidence.all_selected:
        return _describe_all_selected(evidence)
    if grade == NOT_KNOWN:
        return _describe_unknown_chances(evidence)
    if grade == NOTHING:
        why = _explain_nothing_expected(evidence)
        return NOTHING_EXPECTED, why, _ask_for_samples(evidence), NOTHING_CERTAINTY
    why = "" if evidence.beats_guessing else _describe_guessing(evidence)
    return _headline(evidence), why, _next_step(evidence), _certainty(evidence)


def _describe_nothing_done(evidence: Evidence) -> tuple[str, str, str, str]:
    failed = len(evidence.result.failures)
    why = f"All {failed:,} fits that were tried failed." if failed else "No fit is done."
    remedy = "Correct what the failures name, then resume" if failed else "Resume"
    return "Nothing can be said about the features yet.", why, f"{remedy} the study.", ""


def _describe_all_selected(evidence: Evidence) -> tuple[str, str, str, str]:
    count = int(evidence.plan["data"]["n_features"])
    what = "The only feature is" if count == 1 else f"All {count:,} features are"
    headline = f"{what} selected each time, so nothing is chosen."
    return headline, "", "Ask for fewer features." if count > 1 else "Add features.", ""


def _describe_unknown_chances(evidence: Evidence) -> tuple[str, str, str, str]:
    reason = evidence.why_no_chances
    remedy = next((text for part, text in REMEDIES.items() if part in reason), "")
    why = f"{reason[:1].upper()}{reason[1:]}."
    if reason == "it was not asked for":
        why = "The study did not compare disjoint halves of the data."
    next_step = f"{remedy} Until then, act on no feature.".strip()
    return "It is not known what a second study would find again.", why, next_step, ""


def _headline(evidence: Evidence) -> str:
    outlook = evidence.outlook
    study = f"A second study of {plural(evidence.n_sampled_units, evidence.unit_noun)}"
    noun = "group" if evidence.memberships is not None else "feature"
    if outlook.size == 1:
        chance = format_number(outlook.expected)
        return f"{study} would find this {noun} again with a chance of {chance}."
    whole = round(outlook.expected)
    about = f"about {whole:,}" if whole else "probably none"
    return f"{study} would find {about} of these {outlook.size:,} {noun}s again."


def _next_step(evidence: Evidence) -> str:
    outlook = evidence.outlook
    trusted = outlook.trusted
    check = outlook.features_between(WORTH_CHECKING_CHANCE, TRUSTED_CHANCE)
    rest = outlook.features_between(-1.0, WORTH_CHECKING_CHANCE)
    if not evidence.beats_guessing:
        return f"Check on new {evidence.unit_noun}s whether they classify at all."
    all_of_them = f"all {len(trusted):,}" if len(trusted) == outlook.size else ""
    parts = [
        f"Act on {_format_feature_names(trusted, all_of_them)}."
        if trusted
        else "Act on none of them yet."
    ]
    if check:
        many = f"the next {len(check):,}" if trusted else f"the first {len(check):,}"
        parts.append(
            f"Check {_format_feature_names(check, many)} on new {evidence.unit_noun}s first."
        )
    if rest and (trusted or check):
        parts.append(f"Do not rely on the {'last' if len(rest) == 1 else f'last {len(rest):,}'}.")
    elif rest:
        parts.append(_ask_for_samples(evidence))
    return " ".join(parts)


def _format_feature_names(names: list[str], otherwise: str = "") -> str:
    """Return the names of features if they are few and short; else their number."""
    words = sum(len(name.split()) for name in names)
    if len(names) <= MAX_NAMED and words <= MAX_NAME_WORDS:
        return join_texts([format_name(name, MAX_NAME_LENGTH) for name in names])
    if otherwise:
        return otherwise
    first, last = format_name(names[0], MAX_NAME_LENGTH), format_name(names[-1], MAX_NAME_LENGTH)
    return f"the first {len(names):,}, {first} to {last}"


def _ask_for_samples(evidence: Evidence) -> str:
    """Return how many samples are needed at least, if known."""
    plan = evidence.sample_plan
    needed = math.inf if plan is None or math.isinf(plan.needed) else plan.needed_low
    if not evidence.n_sampled_units < needed < math.inf:
        return f"Collect more {evidence.unit_noun}s if you expect effects."
    digits = 1 - math.floor(math.log10(needed))
    count = f"{round(needed, digits):,.0f} {evidence.unit_noun}s"
    return f"Collect at least {count}, or look for stronger effects."


def _explain_nothing_expected(evidence: Evidence) -> str:
    """Return the reasons: agreement at chance, and an error like guessing."""
    outlook, estimates = evidence.outlook, evidence.second_study
    if outlook.at_chance or estimates is None:
        text = (
            f"Chance alone would find {format_number(outlook.size * outlook.chance_level, 1)} of "
            f"{plural(outlook.size, 'feature')} again; for this list, "
            f"{format_number(outlook.expected, 1)} are expected."
        )
    else:
        text = (
            "Two studies would not clearly agree better than chance: "
            f"{format_number(estimates.best.value)}, against "
            f"{format_number(estimates.chance)} for random lists."
        )
    return f"{text} {_describe_guessing(evidence)}".strip()


def _describe_guessing(evidence: Evidence) -> str:
    """Return that the features classify no better than guessing, if so."""
    if evidence.error is None:
        return ""
    error, standard_error = evidence.error
    if error + 2 * (standard_error or 0.0) < evidence.guessing_error:
        return ""
    guessing = format_percent(evidence.guessing_error)
    return (
        f"The expected error, {format_percent(error)}, is not clearly below guessing, {guessing}."
    )


def _certainty(evidence: Evidence) -> str:
    low, high = evidence.outlook.count_range or (0, 0)
    count = "" if low == high else f"it may be {low:,} to {high:,}; "
    if evidence.has_independent_samples:
        return f"How sure: {count}counted on {evidence.resamples_text}."
    return f"How sure: {count}{_describe_hit_rate(evidence.outlook)}"


def _describe_hit_rate(outlook: Outlook) -> str:
    """Return how often features of the best grade in the list were found again in tests."""
    grades = set(outlook.selected["grade"])
    best = next(grade for grade in GRADES if grade in grades)
    rate = format_short_percent(GRADE_HIT_RATES[best])
    return f"on test data, {rate} of features called {best} were found again."
