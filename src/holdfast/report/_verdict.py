"""The verdict: what a second study would find, what to do next, and how sure that is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from holdfast._formatting import percent, plural
from holdfast.judge._replication._chance_model import GRADE_HIT_RATES, GRADES
from holdfast.judge._replication._sample_plan import plan_samples
from holdfast.report._evidence import Evidence, attempt
from holdfast.report._formatting import format_name, join_texts, number, share
from holdfast.report._second_study import NOT_KNOWN, NOTHING, TRUSTED_CHANCE, WORTH_CHECKING_CHANCE

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.report._schema import Verdict
    from holdfast.report._second_study import Outlook
    from holdfast.study import Result

GOOD_REPLICATION = 0.8
"""Replication stability that samples are planned for."""
MAX_NAMED, MAX_NAME_WORDS, MAX_NAME_LENGTH = 3, 9, 30
"""Features are named in the verdict if they are few and their names short; else counted."""
NOTHING_EXPECTED = "Nothing here can be expected to be found again."
NOTHING_CERTAINTY = "How sure: no test data with clear effects got this answer."
"""By ``benchmarks/decision.py``: of the data sets on which some selector has a true replication of
at least 0.4, none was left without a recommendation."""
REMEDIES = {
    "it was not asked for": "Run the study again with --replication 30.",
    "earlier version": "Run the study again with this version.",
    "class": "Add samples to the smallest class.",
    "nothing is done": "Resume the study.",
}
"""What helps where chances are not known, by a part of the reason."""


def verdict(evidence: Evidence) -> Verdict:
    """Return what a reader takes away."""
    outlook, choice = evidence.outlook, evidence.choice
    grade = NOT_KNOWN if evidence.all_selected else outlook.grade
    supported = choice is not None and choice.supported and grade not in (NOTHING, NOT_KNOWN)
    known = outlook.known and not evidence.all_selected
    span = outlook.span if known else None
    headline, why, next_step, certainty = _sentences(evidence, grade)
    return {
        "headline": headline,
        "why": why,
        "next_step": next_step,
        "certainty": certainty,
        "grade": grade,
        "expected": outlook.expected if known else None,
        "expected_low": None if span is None else span[0],
        "expected_high": None if span is None else span[1],
        "n_selected": outlook.size if known else None,
        "chance_level": outlook.chance_level if known else None,
        "trusted": evidence.trusted,
        "selector": choice.selector if choice is not None and supported else None,
        "classifier": choice.classifier if choice is not None and supported else None,
        "size": choice.size if choice is not None and supported else None,
    }


def conclude(result: Result) -> tuple[Verdict, pd.DataFrame]:
    """Return the verdict of a result, and the selected features with their chances."""
    evidence = Evidence(result)
    return verdict(evidence), evidence.outlook.selected


def verdict_sentences(found: Verdict) -> list[str]:
    """Return the sentences of a verdict, in the order in which they are read."""
    parts = (found["headline"], found["why"], found["next_step"], found["certainty"])
    return [part for part in parts if part]


def _sentences(evidence: Evidence, grade: str) -> tuple[str, str, str, str]:
    """Return headline, reason, next step, and how sure this is; empty where there is none."""
    if not evidence.n_compared and not evidence.outlook.known:
        return _nothing_done(evidence)
    if evidence.all_selected:
        return _all_selected(evidence)
    if grade == NOT_KNOWN:
        return _not_known(evidence)
    if grade == NOTHING:
        return NOTHING_EXPECTED, _why_nothing(evidence), _more_samples(evidence), NOTHING_CERTAINTY
    why = "" if evidence.classifies else _guessing(evidence)
    return _headline(evidence), why, _next_step(evidence), _certainty(evidence)


def _nothing_done(evidence: Evidence) -> tuple[str, str, str, str]:
    failed = len(evidence.result.failures)
    why = f"All {failed:,} fits that were tried failed." if failed else "No fit is done."
    remedy = "Correct what the failures name, then resume" if failed else "Resume"
    return "Nothing can be said about the features yet.", why, f"{remedy} the study.", ""


def _all_selected(evidence: Evidence) -> tuple[str, str, str, str]:
    count = int(evidence.plan["data"]["n_features"])
    what = "The only feature is" if count == 1 else f"All {count:,} features are"
    headline = f"{what} selected each time, so nothing is chosen."
    return headline, "", "Ask for fewer features." if count > 1 else "Add features.", ""


def _not_known(evidence: Evidence) -> tuple[str, str, str, str]:
    reason = evidence.why_no_chances
    remedy = next((text for part, text in REMEDIES.items() if part in reason), "")
    why = f"{reason[:1].upper()}{reason[1:]}."
    if reason == "it was not asked for":
        why = "Disjoint halves of the data were not asked for."
    next_step = f"{remedy} Until then, act on no feature.".strip()
    return "It is not known what a second study would find again.", why, next_step, ""


def _headline(evidence: Evidence) -> str:
    outlook = evidence.outlook
    study = f"A second study of {plural(evidence.n_units, evidence.noun)}"
    noun = "group" if evidence.members is not None else "feature"
    if outlook.size == 1:
        chance = number(outlook.expected)
        return f"{study} would find this {noun} again with a chance of {chance}."
    whole = round(outlook.expected)
    about = f"about {whole:,}" if whole else "probably none"
    return f"{study} would find {about} of these {outlook.size:,} {noun}s again."


def _next_step(evidence: Evidence) -> str:
    outlook = evidence.outlook
    trusted = outlook.trusted
    check = outlook.between(WORTH_CHECKING_CHANCE, TRUSTED_CHANCE)
    rest = outlook.between(-1.0, WORTH_CHECKING_CHANCE)
    if not evidence.classifies:
        return f"Check on new {evidence.noun}s whether they classify at all."
    whole = f"all {len(trusted):,}" if len(trusted) == outlook.size else ""
    parts = [
        f"Act on {_format_feature_names(trusted, whole)}."
        if trusted
        else "Act on none of them yet."
    ]
    if check:
        many = f"the next {len(check):,}" if trusted else f"the first {len(check):,}"
        parts.append(f"Check {_format_feature_names(check, many)} on new {evidence.noun}s first.")
    if rest and (trusted or check):
        parts.append(f"Do not rely on the {'last' if len(rest) == 1 else f'last {len(rest):,}'}.")
    elif rest:
        parts.append(_more_samples(evidence))
    return " ".join(parts)


def _format_feature_names(names: list[str], otherwise: str = "") -> str:
    """Name features that are few and short; else count them in the order of the list."""
    words = sum(len(name.split()) for name in names)
    if len(names) <= MAX_NAMED and words <= MAX_NAME_WORDS:
        return join_texts([format_name(name, MAX_NAME_LENGTH) for name in names])
    if otherwise:
        return otherwise
    first, last = format_name(names[0], MAX_NAME_LENGTH), format_name(names[-1], MAX_NAME_LENGTH)
    return f"the first {len(names):,}, {first} to {last}"


def _more_samples(evidence: Evidence) -> str:
    """Say how many samples are needed at least, as far as that is known."""
    found, what = evidence.replication, f"Collect more {evidence.noun}s"
    plan = None
    if found is not None:
        target = GOOD_REPLICATION
        plan = attempt(lambda: plan_samples(found, target=target), "a plan of samples")
    needed = math.inf if plan is None or math.isinf(plan.needed) else plan.needed_low
    if not evidence.n_units < needed < math.inf:
        return f"{what} if effects are to be expected."
    digits = 1 - math.floor(math.log10(needed))
    count = f"{round(needed, digits):,.0f} {evidence.noun}s"
    return f"Collect at least {count}, or seek stronger effects."


def _why_nothing(evidence: Evidence) -> str:
    """Give the reasons: agreement at chance, and an error of guessing."""
    outlook, second = evidence.outlook, evidence.second
    if outlook.at_chance or second is None:
        text = (
            f"Chance alone would find {number(outlook.size * outlook.chance_level, 1)} of "
            f"{plural(outlook.size, 'feature')} again; this list, {number(outlook.expected, 1)}."
        )
    else:
        text = (
            "Two studies would not clearly agree better than chance: "
            f"{number(second.best.value)}, where random lists have {number(second.chance)}."
        )
    return f"{text} {_guessing(evidence)}".strip()


def _guessing(evidence: Evidence) -> str:
    """Say that the features classify no better than guessing, where they do not."""
    if evidence.error is None:
        return ""
    error, spread = evidence.error
    if error + 2 * (spread or 0.0) < evidence.guessing:
        return ""
    guessing = share(evidence.guessing)
    return f"The error to expect, {share(error)}, is not clearly below guessing, {guessing}."


def _certainty(evidence: Evidence) -> str:
    span = evidence.outlook.span
    count = "" if span is None or span[0] == span[1] else f"it may be {span[0]:,} to {span[1]:,}; "
    if evidence.drawn:
        return f"How sure: {count}counted on {evidence.resamples}."
    return f"How sure: {count}{_hit_rate(evidence.outlook)}"


def _hit_rate(outlook: Outlook) -> str:
    """Say how often features of the best grade in the list were found again in tests."""
    grades = set(outlook.selected["grade"])
    best = next(grade for grade in GRADES if grade in grades)
    rate = percent(GRADE_HIT_RATES[best])
    return f"on test data, {rate} of features called {best} were found again."
