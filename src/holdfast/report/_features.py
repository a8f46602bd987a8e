"""The table of features: chances to be found again, and what speaks against each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.report._caveats import caveats
from holdfast.report._evidence import MOST_FEATURES
from holdfast.report._outlook import NOT_KNOWN, NOTHING
from holdfast.report._plain import records
from holdfast.report._words import features_of
from holdfast.resample._words import percent

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import FeatureRow, Features, StandIn

MOST_STAND_INS = 5
MOST_IN_GROUP = 50
"""Most features named that another stands for."""
FOUND_AGAIN = ("selected", "found_again", "low", "grade")


def features(evidence: Evidence) -> Features:
    """Return the features of the recommended selector and size, the highest chance first."""
    rows = _ordered(evidence)
    return {
        "title": _title(evidence),
        "caption": _caption(evidence),
        "interval": _interval(evidence),
        "rows": [_row(evidence, row) for row in rows[:MOST_FEATURES]],
        "total": len(rows),
    }


def _ordered(evidence: Evidence) -> list[dict[str, Any]]:
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
    line["caveats"] = caveats(evidence, line)
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
