"""The verdict: what a second study would find, why, what to do next, and how sure that is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holdfast._formatting import (
    format_number,
    format_percent,
    format_short_percent,
    join_texts,
    plural,
)
from holdfast.judge import GRADE_HIT_RATES, GRADES
from holdfast.report._formatting import format_name
from holdfast.report._schema import NOT_KNOWN, NOTHING, Verdict
from holdfast.report._second_study import (
    TRUSTED_CHANCE,
    WORTH_CHECKING_CHANCE,
    Outlook,
    second_study_sentence,
)

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence


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
    if evidence.lacks_effects:
        why = "Looked at alone, none of the likely features clearly differs between the classes."
    return second_study_sentence(evidence), why, _next_step(evidence), _certainty(evidence)


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


def _next_step(evidence: Evidence) -> str:
    outlook = evidence.outlook
    trusted = outlook.trusted
    check = outlook.features_between(WORTH_CHECKING_CHANCE, TRUSTED_CHANCE)
    rest = outlook.features_between(-1.0, WORTH_CHECKING_CHANCE)
    if not evidence.beats_guessing:
        return f"Check on new {evidence.unit_noun}s whether they classify at all."
    if evidence.lacks_effects:
        return "Run the study again with a classifier, to see whether they classify at all."
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
