"""The table to act on: the features of the recommended selector, with what speaks against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.report._caveats import caveats
from holdfast.report._evidence import MOST_FEATURES
from holdfast.report._plain import records
from holdfast.report._words import features_of, spoken
from holdfast.resample._words import percent

if TYPE_CHECKING:
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import FeatureRow, Features, StandIn

MOST_STAND_INS = 5
MOST_IN_GROUP = 50
"""Most features named that another stands for."""
NOTHING = "No feature was selected: no unit of work is done."


def features(evidence: Evidence) -> Features:
    """Return the features of the recommended selector and size, the most frequent first."""
    shown = records(evidence.found.head(MOST_FEATURES))
    return {
        "caption": _caption(evidence),
        "interval": _interval(evidence),
        "rows": [_row(evidence, row) for row in shown],
        "total": len(evidence.found),
    }


def _caption(evidence: Evidence) -> str:
    if evidence.cell is None:
        return NOTHING
    selector, size = evidence.cell
    who = spoken(selector, evidence.title(selector))
    grouped = evidence.stood_for is not None
    text = f"Features that {'stand for the groups that ' if grouped else ''}{who} selected"
    if size == "own":
        text += f", {features_of(size)}"
    else:
        short = evidence.fewer(selector, size)
        asked = f"{size:,} of them" if grouped else features_of(size)
        text += f" when asked for {asked}{'' if short is None else f' ({short.remark})'}"
    chance = f"drawn at random, a feature would be selected in {percent(evidence.chance)}"
    return f"{text}, the most frequent first; {chance} of the {evidence.resamples}."


def _interval(evidence: Evidence) -> str:
    """Say what the intervals of frequencies cover."""
    if evidence.drawn:
        return "The 95% intervals are Wilson's, for new data sets of the same population."
    return (
        "The 95% intervals are Wilson's; they cover the noise of resampling only, not what a new "
        "sample of the population would bring."
    )


def _row(evidence: Evidence, row: dict[str, Any]) -> FeatureRow:
    name = row["feature"]
    truth = evidence.result.truth
    line: FeatureRow = {
        "feature": name,
        "frequency": row["frequency"],
        "count": row["count"],
        "n": row["n"],
        "low": row["low"],
        "high": row["high"],
        "rank_low": row["rank_low"],
        "rank_median": row["rank_median"],
        "rank_high": row["rank_high"],
        "direction": row["direction"],
        "effect": evidence.effects.get(name),
        "stand_ins": _stand_ins(evidence, name),
        "caveats": [],
        "informative": None if truth is None else name in evidence.truth,
    }
    if evidence.stood_for is not None:
        others = evidence.stood_for[name]
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
        }
        for row in found[:MOST_STAND_INS]
    ]
