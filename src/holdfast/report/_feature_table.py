"""The table of features: chances to be found again, and what speaks against each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import percent, plural
from holdfast.report._evidence import MOST_FEATURES, Evidence
from holdfast.report._formatting import (
    features_of,
    format_name,
    is_known_number,
    join_names,
    join_texts,
    number,
    records,
)
from holdfast.report._second_study import NOT_KNOWN, NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.report._schema import FeatureRow, FeatureTable, ReportSection, StandIn
    from holdfast.study import Result


MOST_STAND_INS = 5
MOST_IN_GROUP = 50
"""Most features named that another stands for."""
FOUND_AGAIN = ("selected", "found_again", "low", "grade")


def features(evidence: Evidence) -> FeatureTable:
    """Return the features of the recommended selector and size, the highest chance first."""
    rows = _collect_feature_rows(evidence)
    return {
        "title": _title(evidence),
        "caption": _caption(evidence),
        "interval": _interval(evidence),
        "rows": [_row(evidence, row) for row in rows[:MOST_FEATURES]],
        "total": len(rows),
    }


def _collect_feature_rows(evidence: Evidence) -> list[dict[str, Any]]:
    """Join chances and selection frequencies: selected features first, then by chance."""
    frequencies = {row["feature"]: row for row in records(evidence.found)}
    chances = {row["feature"]: row for row in records(evidence.outlook.table)}
    never = dict.fromkeys(evidence.found.columns) | {
        "frequency": 0.0,
        "count": 0,
        "n": evidence.n_compared,
    }
    unknown = dict.fromkeys(FOUND_AGAIN)
    names = [name for name, row in chances.items() if row["selected"] or name in frequencies]
    names += [name for name in frequencies if name not in chances]
    rows = [
        {
            **frequencies.get(name, never),
            "feature": name,
            "frequency_low": frequencies.get(name, never)["low"],
            "frequency_high": frequencies.get(name, never)["high"],
            **{key: chances.get(name, unknown)[key] for key in FOUND_AGAIN},
        }
        for name in names
    ]
    return sorted(rows, key=lambda row: (not row["selected"], -(row["found_again"] or 0.0)))


def _title(evidence: Evidence) -> str:
    grade = evidence.outlook.grade
    if evidence.all_selected or grade == NOT_KNOWN:
        return "Features whose chance is not known"
    return "Candidates without support" if grade == NOTHING else "Features by chance"


def _caption(evidence: Evidence) -> str:
    if evidence.cell is None:
        return ""
    selector, size = evidence.cell
    who = evidence.spoken(selector)
    grouped = evidence.stood_for is not None
    text = f"Features that {'stand for the groups that ' if grouped else ''}{who} selected"
    if size == "own":
        text += f", {features_of(size)}"
    else:
        short = evidence.fewer(selector, size)
        asked = f"{size:,} of them" if grouped else features_of(size)
        text += f" when asked for {asked}{'' if short is None else f' ({short.remark})'}"
    chance = f"drawn at random, a feature would be selected in {percent(evidence.chance)}"
    return f"{text}; {chance} of the {evidence.resamples}."


def _interval(evidence: Evidence) -> str:
    """Say what the selection frequency is about."""
    if not evidence.n_compared:
        return ""
    if evidence.drawn:
        return "Selection frequencies are over independent data sets of the same population."
    return (
        "Selection frequencies are over resamples of these data, which share samples: they do not "
        "say what a second study would find."
    )


def _row(evidence: Evidence, row: dict[str, Any]) -> FeatureRow:
    name = row["feature"]
    truth = evidence.result.truth
    effect = evidence.effects.get(name, {})
    line: FeatureRow = {
        "feature": name,
        "selected": row["selected"],
        "found_again": row["found_again"],
        "low": row["low"],
        "grade": row["grade"],
        "frequency": row["frequency"],
        "count": row["count"],
        "n": row["n"],
        "frequency_low": row["frequency_low"],
        "frequency_high": row["frequency_high"],
        "rank_low": row["rank_low"],
        "rank_median": row["rank_median"],
        "rank_high": row["rank_high"],
        "direction": row["direction"],
        "effect": effect.get("effect"),
        "effect_low": effect.get("low"),
        "effect_high": effect.get("high"),
        "observed_effect": effect.get("observed"),
        "stand_ins": _stand_ins(evidence, name),
        "caveats": [],
        "informative": None if truth is None else name in evidence.truth,
    }
    if evidence.stood_for is not None:
        others = evidence.stood_for.get(name, [])
        line |= {"in_group": others[:MOST_IN_GROUP], "in_group_total": len(others)}
    line["caveats"] = feature_caveats(evidence, line)
    return line


def _stand_ins(evidence: Evidence, name: str) -> list[StandIn]:
    found = [row for row in evidence.stand_in_rows if row["feature"] == name]
    return [
        {
            "feature": row["stand_in"],
            "correlation": row["correlation"],
            "share": row["share"],
            "count": row["count"],
            "n": row["n"],
            "count_with": row["count_with"],
            "n_with": row["n_with"],
        }
        for row in found[:MOST_STAND_INS]
    ]


# What speaks against relying on a feature, each in half a sentence.

OFTEN = 0.9
"""Share of the resamples from which on a feature is selected often."""
TINY = 0.2
"""Standardised difference that Cohen calls small."""
MAX_RANK_RANGE_FACTOR = 5
"""A rank range is wide if it spans more than this many times the size."""
MISSING = 0.05
"""Share of missing values that is worth a word."""


def feature_caveats(evidence: Evidence, row: FeatureRow) -> list[str]:
    """Return what a reader should know before relying on the feature."""
    return [
        text
        for find in (
            _by_chance,
            _ranks,
            _copy,
            _stand_ins_caveats,
            _effect,
            _missing,
            _single_selector_caveat,
        )
        for text in find(evidence, row)
    ]


def _by_chance(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.all_selected:
        yield "selected each time, as all features are"
    elif row["frequency_low"] is not None and row["frequency_low"] <= evidence.chance:
        yield f"resamples select it hardly more often than by chance ({percent(evidence.chance)})"


def _ranks(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.cell is None or row["rank_low"] is None or evidence.cell[1] == "own":
        return
    low, high = row["rank_low"], row["rank_high"]
    if high is None and "in_group" in row:
        return  # another member stood for its group; that is no rank
    if high is None:
        yield f"rank varies widely: from {low:,} to beyond what was kept"
    elif high - low > MAX_RANK_RANGE_FACTOR * int(evidence.cell[1]):
        yield f"rank varies widely: {low:,} to {high:,}"


def _copy(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if row["feature"] in evidence.copies:
        other, correlation = evidence.copies[row["feature"]]
        yield f"nearly a copy of {format_name(other)} (correlation {number(correlation, 3)})"


def _stand_ins_caveats(_: Evidence, row: FeatureRow) -> Iterator[str]:
    taking = max(row["stand_ins"], key=lambda one: one["share"] or 0.0, default=None)
    if taking is not None:
        yield (
            f"{format_name(taking['feature'])} takes its place: in {taking['count']:,} of "
            f"{plural(taking['n'], 'resample')} without it, in {taking['count_with']:,} of "
            f"{taking['n_with']:,} with it"
        )


def _effect(_: Evidence, row: FeatureRow) -> Iterator[str]:
    observed, low = row["observed_effect"], row["effect_low"]
    if is_known_number(observed) and abs(observed) < TINY:  # type: ignore[arg-type]
        yield "classes hardly differ in it when it is looked at alone"
    elif is_known_number(low) and low <= 0:  # type: ignore[operator]
        yield "looked at alone, it may have no effect: its interval holds 0"


def _missing(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.data is None or row["feature"] not in evidence.position:
        return
    column = evidence.data.X[:, evidence.position[row["feature"]]]
    share = float(np.isnan(column).mean())
    if share >= MISSING:
        yield f"{percent(share)} of its values are missing"


def _single_selector_caveat(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    """Tell of features that are often selected, but by this selector only."""
    often = evidence.n_rivals and row["frequency"] >= OFTEN
    if often and row["feature"] not in evidence.elsewhere:
        yield "selected by no other selector"


# The longest list of each selector of which a share is expected to be found again.


def longest_lists(evidence: Evidence, found_again: float) -> ReportSection:
    """Return the lists as rows and as sentences."""
    rows = records(evidence.result.longest_lists(found_again))
    named = [{**row, "features": ", ".join(map(str, row["features"]))} for row in rows]
    return {"sentences": list(_sentences(evidence, rows, found_again)), "rows": named}


def longest_list_sentences(result: Result, found_again: float) -> list[str]:
    """Say how long the list of each selector may be, and what is on it."""
    rows = records(result.longest_lists(found_again))
    return list(_sentences(Evidence(result), rows, found_again))


def _sentences(evidence: Evidence, rows: list[dict[str, Any]], found_again: float) -> Iterator[str]:
    share = percent(found_again)
    if not rows:
        yield f"Which lists reach {share} is not known, as the chances of the features are not."
        return
    found = [row for row in rows if row["n_features"]]
    for row in found:
        count = plural(row["n_features"], "feature")
        yield (
            f"{evidence.title(row['selector'])}: at least {share} of {count} can be expected "
            f"again: {join_names(row['features'])}."
        )
    without = [row["selector"] for row in rows if not row["n_features"]]
    if not found:
        yield f"No list of these data reaches {share}."
    elif without:
        titles = join_texts([evidence.title(name) for name in without], last="or")
        yield f"No list of {titles} reaches {share}."
