"""The tables of features, with chances and caveats, and of the selectors compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._formatting import (
    format_number,
    format_plus_minus,
    format_short_percent,
    join_texts,
    plural,
)
from holdfast._memory import dense_columns
from holdfast.judge import Recommendation
from holdfast.report._evidence import MAX_FEATURES_SHOWN, RANDOM, Evidence
from holdfast.report._formatting import (
    MAX_LISTED,
    format_feature_count,
    format_name,
    is_known,
    join_names,
    to_records,
)
from holdfast.report._schema import (
    NOT_KNOWN,
    NOTHING,
    FeatureRow,
    FeatureTable,
    ReportSection,
    SelectorRow,
    Selectors,
    StandIn,
    Verdict,
)
from holdfast.report._second_study import (
    choose_selectors_shown,
    describe_selectors_left_out,
    expected_counts,
)

if TYPE_CHECKING:
    from holdfast.study import Result


MAX_STAND_INS = 5
MAX_IN_GROUP = 50
"""Most features listed that another one stands for."""
CHANCE_KEYS = ("selected", "found_again", "low", "grade")


def feature_table(evidence: Evidence) -> FeatureTable:
    """Return the features of the recommended selector and size, highest chance first."""
    rows = _collect_feature_rows(evidence)
    stand_ins = _stand_ins_by_feature(evidence)
    return {
        "title": _title(evidence),
        "caption": _caption(evidence),
        "interval": _describe_frequencies(evidence),
        "rows": [
            _feature_row(evidence, row, stand_ins.get(row["feature"], []))
            for row in rows[:MAX_FEATURES_SHOWN]
        ],
        "total": len(rows),
    }


def _collect_feature_rows(evidence: Evidence) -> list[dict[str, Any]]:
    """Join chances and selection frequencies; selected features first, then by chance."""
    frequencies = {row["feature"]: row for row in to_records(evidence.cell_frequencies)}
    chances = {row["feature"]: row for row in to_records(evidence.outlook.table)}
    never = dict.fromkeys(evidence.cell_frequencies.columns) | {
        "frequency": 0.0,
        "count": 0,
        "n": evidence.n_compared,
    }
    unknown = dict.fromkeys(CHANCE_KEYS)
    names = [name for name, row in chances.items() if row["selected"] or name in frequencies]
    names += [name for name in frequencies if name not in chances]
    rows = [
        {
            **frequencies.get(name, never),
            "feature": name,
            "frequency_low": frequencies.get(name, never)["low"],
            "frequency_high": frequencies.get(name, never)["high"],
            **{key: chances.get(name, unknown)[key] for key in CHANCE_KEYS},
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
    label = evidence.selector_label(selector)
    grouped = evidence.represented is not None
    text = f"Features that {'stand for the groups that ' if grouped else ''}{label} selected"
    if size == "own":
        text += f", {format_feature_count(size)}"
    else:
        shortfall = evidence.get_shortfall(selector, size)
        requested = f"{size:,} of them" if grouped else format_feature_count(size)
        remark = "" if shortfall is None else f" ({shortfall.remark})"
        text += f" when asked for {requested}{remark}"
    chance = (
        f"drawn at random, a feature would be selected in {format_short_percent(evidence.chance)}"
    )
    return f"{text}; {chance} of the {evidence.resamples_text}."


def _describe_frequencies(evidence: Evidence) -> str:
    """Return what the selection frequencies are about."""
    if not evidence.n_compared:
        return ""
    if evidence.has_independent_samples:
        return "Selection frequencies are over independent data sets of the same population."
    return (
        "Selection frequencies are over resamples of these data, which share samples: they do not "
        "say what a second study would find."
    )


def _feature_row(evidence: Evidence, row: dict[str, Any], stand_ins: list[StandIn]) -> FeatureRow:
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
        "stand_ins": stand_ins[:MAX_STAND_INS],
        "caveats": [],
        "informative": None if truth is None else name in evidence.informative_features,
    }
    if evidence.represented is not None:
        others = evidence.represented.get(name, [])
        line |= {"in_group": others[:MAX_IN_GROUP], "in_group_total": len(others)}
    line["caveats"] = feature_caveats(evidence, line)
    return line


def _stand_ins_by_feature(evidence: Evidence) -> dict[str, list[StandIn]]:
    """Return the features that stand in for others, by the feature they replace."""
    stand_ins: dict[str, list[StandIn]] = {}
    for row in [] if evidence.stand_ins is None else to_records(evidence.stand_ins.table):
        stand_ins.setdefault(row["feature"], []).append(
            {
                "feature": row["stand_in"],
                "correlation": row["correlation"],
                "share": row["share"],
                "count": row["count"],
                "n": row["n"],
                "count_with": row["count_with"],
                "n_with": row["n_with"],
            }
        )
    return stand_ins


# Reasons not to rely on a feature, each as a clause.

MIN_FREQUENT_SHARE = 0.9
"""Least share of the resamples that select a frequent feature."""
SMALL_EFFECT = 0.2
"""Standardised difference that Cohen calls small (standard)."""
MAX_RANK_RANGE_FACTOR = 5
"""A rank range is wide if it spans more than this many times the size."""
MIN_MISSING_SHARE = 0.05
"""Least share of missing values that is reported."""


def feature_caveats(evidence: Evidence, row: FeatureRow) -> list[str]:
    """Return what a reader should know before relying on the feature."""
    return [
        text
        for find in (
            _find_chance_caveat,
            _find_rank_caveat,
            _find_copy_caveat,
            _find_stand_in_caveat,
            _find_effect_caveat,
            _find_missing_caveat,
            _find_single_selector_caveat,
        )
        for text in find(evidence, row)
    ]


def _find_chance_caveat(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.all_selected:
        yield "selected each time, as all features are"
    elif row["frequency_low"] is not None and row["frequency_low"] <= evidence.chance:
        chance = format_short_percent(evidence.chance)
        yield f"resamples select it hardly more often than by chance ({chance})"


def _find_rank_caveat(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.cell is None or row["rank_low"] is None or evidence.cell[1] == "own":
        return
    low, high = row["rank_low"], row["rank_high"]
    if high is None and "in_group" in row:
        return  # another member represented its group, which is no rank
    if high is None:
        yield f"rank varies widely: from {low:,} to beyond what was kept"
    elif high - low > MAX_RANK_RANGE_FACTOR * int(evidence.cell[1]):
        yield f"rank varies widely: {low:,} to {high:,}"


def _find_copy_caveat(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if row["feature"] in evidence.near_copies:
        other, correlation = evidence.near_copies[row["feature"]]
        yield f"nearly a copy of {format_name(other)} (correlation {format_number(correlation, 3)})"


def _find_stand_in_caveat(_: Evidence, row: FeatureRow) -> Iterator[str]:
    best = max(row["stand_ins"], key=lambda stand_in: stand_in["share"] or 0.0, default=None)
    if best is not None:
        yield (
            f"{format_name(best['feature'])} takes its place: in {best['count']:,} of "
            f"{plural(best['n'], 'resample')} without it, in {best['count_with']:,} of "
            f"{best['n_with']:,} with it"
        )


def _find_effect_caveat(_: Evidence, row: FeatureRow) -> Iterator[str]:
    observed, low = row["observed_effect"], row["effect_low"]
    if is_known(observed) and abs(observed) < SMALL_EFFECT:
        yield "classes hardly differ in it when it is looked at alone"
    elif is_known(low) and low <= 0:
        yield "looked at alone, it may have no effect: its interval holds 0"


def _find_missing_caveat(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    if evidence.data is None or row["feature"] not in evidence.feature_positions:
        return
    column = dense_columns(evidence.data.X, [evidence.feature_positions[row["feature"]]])
    share = float(np.isnan(column).mean())
    if share >= MIN_MISSING_SHARE:
        yield f"{format_short_percent(share)} of its values are missing"


def _find_single_selector_caveat(evidence: Evidence, row: FeatureRow) -> Iterator[str]:
    """Yield that a frequent feature is selected by this selector only."""
    frequent = evidence.n_other_selectors and row["frequency"] >= MIN_FREQUENT_SHARE
    if frequent and row["feature"] not in evidence.selected_by_others:
        yield "selected by no other selector"


# The longest list of each selector with a given expected share found again.


def longest_list_section(evidence: Evidence, found_again: float) -> ReportSection:
    """Return the longest lists as rows and as sentences."""
    rows = to_records(evidence.result.longest_lists(found_again))
    sentences = list(_describe_lists(evidence, rows, found_again))
    shown = [{**row, "features": ", ".join(map(str, row["features"]))} for row in rows]
    return {"sentences": sentences, "rows": shown}


def longest_list_sentences(result: Result, found_again: float) -> list[str]:
    """Return the longest list of each selector in words."""
    rows = to_records(result.longest_lists(found_again))
    return list(_describe_lists(Evidence(result), rows, found_again))


def _describe_lists(
    evidence: Evidence, rows: list[dict[str, Any]], found_again: float
) -> Iterator[str]:
    share = format_short_percent(found_again)
    if not rows:
        yield f"Which lists reach {share} is not known, as the chances of the features are not."
        return
    reaching = [row for row in rows if row["n_features"]]
    for row in reaching:
        count = plural(row["n_features"], "feature")
        yield (
            f"{evidence.selector_title(row['selector'])}: at least {share} of {count} can be "
            f"expected again: {join_names(row['features'])}."
        )
    without = [row["selector"] for row in rows if not row["n_features"]]
    if not reaching:
        yield f"No list of these data reaches {share}."
    elif without:
        titles = join_texts(
            [evidence.selector_title(name) for name in without], MAX_LISTED, last="or"
        )
        yield f"No list of {titles} reaches {share}."


# The selectors compared: each at each size with its best classifier.

NO_RESULTS_REASONS = ["Nothing can be recommended: there are not enough results."]
ALL_SELECTED_REASONS = [
    "Nothing can be recommended: all features are always selected, so no selector chooses."
]
UNSUPPORTED_REASONS = ["No selector is recommended: none has features that can be expected again."]


def selector_table(evidence: Evidence) -> Selectors:
    """Return the comparison, and the reasons for the recommendation."""
    choice = evidence.choice
    expected = None if choice is None or choice.choice is None else choice.choice.sentence
    reasons = choice.reasons if choice is not None else NO_RESULTS_REASONS
    if choice is None and evidence.all_selected:
        reasons = ALL_SELECTED_REASONS
    if choice is not None and not evidence.recommends:
        reasons, expected = UNSUPPORTED_REASONS, None
    sentences = [evidence.with_titles(text) for text in reasons if text != expected]
    return {
        "measure": _get_measure_name(evidence),
        "rows": _selector_rows(evidence),
        "reasons": [*sentences, *_describe_shortfall(evidence), *_describe_control(evidence)],
        "choice": None
        if expected is None
        else evidence.with_titles(expected) + _describe_higher_error(evidence),
    }


def _describe_shortfall(evidence: Evidence) -> Iterator[str]:
    """Yield that the recommended selector found fewer features than requested."""
    choice = evidence.choice
    if choice is None:
        return
    shortfall = evidence.get_shortfall(choice.selector, choice.size)
    if shortfall is not None:
        label = evidence.selector_label(choice.selector)
        yield f"{label} was asked for {format_feature_count(choice.size)}, but {shortfall.clause}."


def _describe_control(evidence: Evidence) -> Iterator[str]:
    """Yield how random features classify, or that this was not tested."""
    control, choice = evidence.random_control, evidence.choice
    if control is not None and control.as_good:
        yield f"Which features are selected may matter little: {control.sentence}."
    elif control is None and choice is not None and evidence.error is not None:
        yield (
            "No random selector was tested, so it is not known whether other features would "
            f"classify as well; add {RANDOM} to find out."
        )


def _describe_higher_error(evidence: Evidence) -> str:
    """Return the error of the recommended pair if it is higher than that of the choice."""
    choice = evidence.choice
    if choice is None or choice.choice is None or evidence.error is None:
        return ""
    if evidence.error[0] == choice.choice.error:
        return ""
    error = format_plus_minus(*evidence.error)
    return f" The error of the recommended pair itself is higher: {error}."


def _get_measure_name(evidence: Evidence) -> str | None:
    if evidence.choice is not None:
        return str(evidence.choice.measure)
    measures = evidence.result.summary()["measure"].dropna()
    return str(measures.iloc[0]) if len(measures) else None


def _cells(evidence: Evidence) -> list[dict[str, Any]]:
    """Return selectors and sizes in the order of the study, with their comparison."""
    rows, choice = to_records(evidence.result.summary()), evidence.choice
    if choice is None:
        return rows
    compared = {
        (row["selector"], row["size"]): row for row in to_records(_keep_best_classifiers(choice))
    }
    return [{**row, **compared.get((row["selector"], row["size"]), {})} for row in rows]


def _keep_best_classifiers(choice: Recommendation) -> pd.DataFrame:
    """Keep one classifier per selector and size: the recommended one, else the best."""
    return choice.table.sort_values(
        ["recommended", "error"], ascending=[False, True], kind="stable"
    ).drop_duplicates(["selector", "size"])


def _selector_rows(evidence: Evidence) -> list[SelectorRow]:
    errors = {
        (row["selector"], row["classifier"], row["size"]): row
        for row in to_records(evidence.result.errors)
    }
    return [
        _selector_row(
            evidence, cell, errors.get((cell["selector"], cell["classifier"], cell["size"]), {})
        )
        for cell in _cells(evidence)
    ]


def _selector_row(evidence: Evidence, cell: dict[str, Any], detail: dict[str, Any]) -> SelectorRow:
    row: SelectorRow = {
        "selector": cell["selector"],
        "title": evidence.row_title(cell["selector"]),
        "size": cell["size"],
        "stability": cell["stability"],
        "low": cell["low"],
        "high": cell["high"],
        "chance": cell["chance"],
        "classifier": cell["classifier"],
        "error": cell["error"],
        "standard_error": cell["standard_error"],
        "balanced_accuracy": detail.get("balanced_accuracy"),
        "auc": detail.get("auc"),
        "rpt": cell.get("rpt"),
        "p_value": cell.get("p_value"),
        "rival": bool(cell.get("rival", False)),
        "front": bool(cell.get("front", False)),
        "recommended": bool(cell.get("recommended", False)) and evidence.recommends,
    }
    if cell["size"] == "own":
        row = {**row, "selected": cell["selected"], "selected_sd": cell["selected_sd"]}
    if cell["selected"] == cell["size"]:
        return row  # as many as requested on each resample
    shortfall = evidence.get_shortfall(cell["selector"], cell["size"])
    return row if shortfall is None else {**row, "remark": shortfall.remark}


# The sizes at which selectors are compared: requested, or chosen by the selector.


def compared_pair_size(evidence: Evidence, first: str, second: str) -> int | str | None:
    """Return the size at which two selectors are compared; if it differs, both."""
    self_sizing, size = evidence.self_sizing_selectors, evidence.compared_size
    size_a, size_b = ("own" if name in self_sizing else size for name in (first, second))
    return size_a if size_a == size_b else f"{size_a} and {size_b}"


def describe_compared_sizes(evidence: Evidence, names: Iterable[str]) -> str:
    """Return at which sizes these selectors are compared."""
    size = evidence.compared_size
    if size is None:
        return "with as many features as they choose themselves"
    choice = evidence.choice
    is_recommended = choice is not None and evidence.recommends and choice.size == size
    text = f"at {'the recommended ' if is_recommended else ''}{format_feature_count(size)}"
    if any(evidence.get_shortfall(name, size) for name in evidence.group_selectors):
        text += ", or at as many as were found"
    self_sizing = [name for name in names if name in evidence.self_sizing_selectors]
    if self_sizing:
        labels = evidence.join_labels(self_sizing)
        who = "it chooses itself" if len(self_sizing) == 1 else "they choose themselves"
        text += f"; {labels} with as many as {who}"
    return text


# The overview of a study for terminals: one row per selector, one column per size.

MAX_SIZES = 6
"""Most sizes in the overview, including the recommended one."""
UNKNOWN = "-"
TEXT_COLUMNS = ("selector", "classifier")
"""Columns of the overview that hold names; the others hold numbers."""


class Overview(NamedTuple):
    """What a second study would find of each selector and size; a star marks the recommended one.

    Where this is not known, the cells hold the stability over resamples.
    """

    title: str
    columns: dict[str, list[str]]
    """The cells of each column, by heading."""


def overview_table(result: Result, verdict: Verdict) -> Overview:
    """Return the overview of a study, with the lowest error of each selector."""
    summary = result.summary()
    shown = choose_selectors_shown(result, verdict["selector"])
    counts = expected_counts(result, shown)
    if counts:
        title = "Features that a second study would find again, by size of the list:"
        cells = {
            (selector, size): f"{expected:.0f}{f' of {count:,}' if size == 'own' else ''}"
            for (selector, size), (expected, count) in counts.items()
        }
    else:
        title = "Stability over resamples of these data, by size of the list:"
        rows = zip(summary["selector"], summary["size"], summary["stability"], strict=True)
        cells = {
            (selector, size): format_number(value, missing=UNKNOWN)
            for selector, size, value in rows
        }
    selectors = [name for name in dict.fromkeys(summary["selector"]) if name in set(shown)]
    if left_out := describe_selectors_left_out(result, shown):
        title = f"{left_out} {title}"
    requested = set(zip(summary["selector"], summary["size"], strict=True))
    recommended = (verdict["selector"], verdict["size"])
    columns = {"selector": selectors}
    for size in _shown_sizes(summary, verdict):
        heading = f"of {size:,}" if isinstance(size, int) and counts else str(size)
        columns[heading] = [
            cells.get((name, size), UNKNOWN if (name, size) in requested else "")
            + ("*" if (name, size) == recommended else " ")
            for name in selectors
        ]
    if result.plan["classifiers"]:
        best = [_lowest_error(summary, name) for name in selectors]
        columns["lowest error, %"] = [error for error, _ in best]
        columns["classifier"] = [classifier for _, classifier in best]
    return Overview(title, columns)


def _shown_sizes(table: pd.DataFrame, verdict: Verdict) -> list[int | str]:
    """Return the sizes of the columns: the first ones, and always the recommended one."""
    sizes: list[int | str] = list(dict.fromkeys(table["size"].tolist()))
    shown = sizes[:MAX_SIZES]
    recommended = verdict["size"]
    if recommended is None or recommended in shown:
        return shown
    return [*shown[:-1], recommended]


def _lowest_error(table: pd.DataFrame, selector: str) -> tuple[str, str]:
    """Return the lowest error of a selector with its standard error, and its classifier."""
    rows = table[table["selector"] == selector].dropna(subset="error")
    if not len(rows):
        return UNKNOWN, ""
    row = rows.sort_values("error", kind="stable").iloc[0]
    percentages = (100 * row[key] for key in ("error", "standard_error"))
    error, spread = (format_number(value, 1, missing=UNKNOWN) for value in percentages)
    return error if spread == UNKNOWN else f"{error} ± {spread}", str(row["classifier"])
