"""Write the tables and diagrams of docs/found_again.md from the results in docs/_calibration.

Run it after a result changed; it takes seconds: ``python docs/scripts/make_found_again.py``. The
commands below compute the results. DEVELOPMENT, HOLD_OUT and CONFIRMATION are folders;
HOLDFAST_DATA names the folder of the real data sets::

    python -m benchmarks.calibration.collect DEVELOPMENT
    python -m benchmarks.calibration.collect HOLD_OUT --list hold-out --seed 11
    python -m benchmarks.calibration.collect CONFIRMATION --list confirmation --seed 12
    python -m benchmarks.calibration.evaluate DEVELOPMENT --write docs/_calibration/found_again.json
    python -m benchmarks.calibration.evaluate HOLD_OUT --list hold-out
        --write docs/_calibration/found_again_hold_out.json
    python -m benchmarks.calibration.evaluate CONFIRMATION --list confirmation
        --write docs/_calibration/found_again_confirmation.json
    python -m benchmarks.calibration.frequencies DEVELOPMENT HOLD_OUT CONFIRMATION
        --write docs/_calibration/found_again_frequencies.json
    python -m benchmarks.calibration.noise --write docs/_calibration/found_again_noise.json
"""

import json
import math
import re
import sys
import textwrap
from pathlib import Path

import pandas as pd
from matplotlib.lines import Line2D

from holdfast._formatting import plural
from holdfast.plot import Picture
from holdfast.plot._canvas import draw_legend, open_panels, write_panel_title

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS.parent))  # the benchmarks are not installed

from benchmarks.calibration.noise import PAGE_SIZES, PAIRS, RESAMPLES, SHAPES  # noqa: E402
from benchmarks.calibration.populations import Real  # noqa: E402
from benchmarks.calibration.settings import HOLD_OUT, LISTS  # noqa: E402

PAGE = DOCS / "found_again.md"
RESULTS = DOCS / "_calibration"
PICTURES = DOCS / "_static"
FILES = {
    "development": "found_again.json",
    "hold-out": "found_again_hold_out.json",
    "first run": "found_again_hold_out_first.json",
    "confirmation": "found_again_confirmation.json",
    "frequencies": "found_again_frequencies.json",
    "noise": "found_again_noise.json",
}
KINDS = ("hold-out", "confirmation", "development")
RUNS = {"first run": "hold-out, first run", **{kind: kind for kind in KINDS}}
"""The runs compared with the goals. The first run of the hold-out preceded some corrections."""
SELECTORS = (
    *("t_score", "f_score", "relieff", "information_gain"),
    *("svm_rfe", "l1_path", "forest_importance"),
)
TASKS = {
    "own": "its classes",
    "halves": "half of the classes against the others",
    "one": "one class against the others",
    "three": "three classes",
    "even": "every other class against the rest",
}
MISSING = "Not measured yet."
DOT_AREA = 260.0
"""Area in square points of the dot of a bin with all features."""
N_WORST = 6
"""Number of worst settings listed."""


def read_results():
    """Return the available results by kind."""
    return {
        kind: json.loads((RESULTS / name).read_text(encoding="utf-8"))
        for kind, name in FILES.items()
        if (RESULTS / name).is_file()
    }


def table(head, rows, text_columns=1):
    """Return a Markdown table; the columns after `text_columns` hold numbers."""
    rule = ["---"] * text_columns + ["--:"] * (len(head) - text_columns)
    lines = [head, rule, *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def format_decimals(value, digits=2):
    """Format a number, or a dash if there is none."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def format_signed(value, digits=2):
    """Format a number with its sign."""
    return f"{value:+.{digits}f}".replace("-", "−")


def format_percent(value):
    """Format a share as a percentage, or a dash if there is none."""
    return "–" if value is None or math.isnan(value) else f"{100 * value:.0f}%"


def ordered_selectors(found):
    """Return "all" and the selectors of a result, in the order of the page."""
    return ["all", *(name for name in SELECTORS if name in found["summary"])]


def format_selector(name):
    """Format the name of a selector as code."""
    return "all" if name == "all" else f"`{name}`"


def describe_population(setting):
    """Describe a population in words."""
    one = setting.population
    if isinstance(one, Real):
        words = [f"{one.name}, {TASKS[one.task]}"]
        words += [f"first class {one.share:.0%}"] if one.share else []
        return ", ".join(words)
    words = [f"*{one.effects}*", one.layout]
    words += ["heavy tails"] if one.heavy else []
    words += [f"{one.classes} classes"] if one.classes > 2 else []
    words += [f"first class {one.share:.0%}"] if one.share else []
    words += [f"{one.per_subject} samples per subject"] if one.per_subject > 1 else []
    return ", ".join(words)


def settings_part(found):
    """Return the tables of settings; those of development are folded."""
    features = {
        kind: found.get("frequencies", {}).get(kind, {}).get("features", {}) for kind in KINDS
    }
    counts = {kind: len(own) for kind, own in LISTS.items()}
    real = sum(isinstance(one.population, Real) for own in LISTS.values() for one in own)
    tables = {
        kind: table(
            ["population", "selectors", "n", "p", "k"],
            [
                [
                    describe_population(one),
                    ", ".join(map(format_selector, one.selectors)),
                    one.n,
                    f"{features[kind].get(one.name, getattr(one.population, 'p', 0)):,}",
                    one.size,
                ]
                for one in own
            ],
            text_columns=2,
        )
        for kind, own in LISTS.items()
    }
    total = sum(counts.values())
    return "\n\n".join(
        [
            (
                f"There are {total} settings, {total - real} simulated and {real} on real data: "
                f"{counts['development']} for development, {counts['hold-out']} in the hold-out "
                f"and {counts['confirmation']} for confirmation. The hold-out:"
            ),
            tables["hold-out"],
            "The confirmation:",
            tables["confirmation"],
            "<details><summary>The development settings</summary>",
            tables["development"],
            "</details>",
        ]
    )


def goals_part(found):
    """Return the goals and the results."""
    head = ["goal", *RUNS.values(), "met outside development"]
    own = {kind: found[kind]["summary"] for kind in RUNS if kind in found}

    def row(goal, value_of, words_of, is_met):
        values = {kind: value_of(one) for kind, one in own.items()}
        cells = [words_of(values[kind]) if kind in values else MISSING for kind in RUNS]
        known = [one for kind, one in values.items() if kind != "development"]
        met = _format_goal(all(map(is_met, known))) if known else MISSING
        return [goal, *cells, met]

    def worst_selector(summary):
        return max((one["ece"], name) for name, one in summary.items() if name != "all")

    rows = [
        row(
            "calibration error over all at most 0.04",
            lambda one: one["all"]["ece"],
            lambda value: format_decimals(value, 3),
            lambda value: value <= 0.04,
        ),
        row(
            "calibration error of each selector at most 0.07",
            worst_selector,
            lambda value: f"at most {format_decimals(value[0], 3)} ({format_selector(value[1])})",
            lambda value: value[0] <= 0.07,
        ),
        row(
            "chance of 0.9 or more: found again in at least 90%",
            lambda one: one["all"]["grades"]["very likely"],
            lambda value: f"{format_percent(value[1])} of {value[0]:,}",
            lambda value: value[1] is not None and value[1] >= 0.9,
        ),
        row(
            "lower bound holds for at least 88% in every setting with n ≥ 60",
            lambda one: one["all"]["low_worst"],
            lambda value: f"at least {format_percent(value)}",
            lambda value: value >= 0.88,
        ),
        row(
            "expected share: mean absolute error at most 0.05",
            lambda one: one["all"]["share_mae"],
            lambda value: format_decimals(value, 3),
            lambda value: value <= 0.05,
        ),
    ]
    lines = [table(head, rows, text_columns=len(head))]
    total = sum(map(len, LISTS.values()))
    real = sum(isinstance(one.population, Real) for each in LISTS.values() for one in each)
    lines.append(
        f"At least 40 settings were planned, half of them real, and at least 12 held out: there "
        f"are {total}, of which {real} are real"
        + (", fewer than half," if 2 * real < total else "")
        + f" and {len(HOLD_OUT)} are held out."
    )
    missed = [cells[0] for cells in rows if cells[-1] == "**no**"]
    if missed:
        lines.append(f"Missed: {'; '.join(missed)}.")
    return "\n\n".join(lines)


def _format_goal(is_met):
    return "yes" if is_met else "**no**"


def selectors_part(found):
    """Return the table of each selector, for the hold-out and for development."""
    head = ["selector", "data sets", "features", "calibration error", "of the frequency", "bias",
            "expected share: error", "its bias", "lower bound holds", "worst setting"]  # fmt: skip
    parts = []
    for kind in KINDS:
        if kind not in found:
            parts.append(f"{kind.capitalize()}: {MISSING.lower()}")
            continue
        rows = []
        for name in ordered_selectors(found[kind]):
            one = found[kind]["summary"][name]
            rows.append(
                [
                    format_selector(name), one["data_sets"], f"{one['features']:,}",
                    format_decimals(one["ece"], 3), format_decimals(one["ece_frequency"], 3),
                    format_signed(one["bias"], 3), format_decimals(one["share_mae"], 3),
                    format_signed(one["share_bias"], 3), format_percent(one["low_holds"]),
                    format_percent(one["low_worst"]),
                ]
            )  # fmt: skip
        parts.append(f"{kind.capitalize()}, {found[kind]['date']}:\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def diagrams_part(found):
    """Return the reliability diagrams as images."""
    return "\n\n".join(
        f"![{_describe_diagram(kind)}](_static/{diagram_name(kind)})\n\n"
        f"*{kind.capitalize()}: predicted (horizontal) and true (vertical), by selector.*"
        for kind in KINDS
        if kind in found
    )


def diagram_name(kind):
    """Return the file name of the diagram of a list of settings."""
    return f"found_again_{kind.replace('-', '_')}.svg"


def _describe_diagram(kind):
    return (
        f"Reliability diagrams of the {kind}, one panel per selector: blue dots for chances to be "
        "found again, grey rings for frequencies over halves, and the diagonal"
    )


def grades_part(found):
    """Return how often the features of each grade were found again, by selector."""
    parts = []
    for kind in KINDS:
        if kind not in found:
            continue
        grades = list(found[kind]["summary"]["all"]["grades"])
        rows = [
            [
                format_selector(name),
                *(
                    f"{format_percent(rate)} of {count:,}" if count else "–"
                    for count, rate in found[kind]["summary"][name]["grades"].values()
                ),
            ]
            for name in ordered_selectors(found[kind])
        ]
        parts.append(f"{kind.capitalize()}:\n\n{table(['selector', *grades], rows)}")
    return "\n\n".join(parts) or MISSING


def lists_part(found):
    """Return the lengths of the cautious lists, and the shares found again."""
    head = ["selector", "data sets", "with a list", "mean length", "found again"]
    parts = []
    for kind in KINDS:
        if kind not in found:
            continue
        rows = []
        for name in ordered_selectors(found[kind]):
            one = found[kind]["summary"][name]
            count, share, length = one["lists"]
            rows.append(
                [
                    format_selector(name),
                    one["data_sets"],
                    count,
                    format_decimals(length, 1),
                    format_percent(share),
                ]
            )
        own = [row for row in found[kind]["settings"] if row["lists"][0]]
        below = [row for row in own if row["lists"][1] < 0.8]
        lowest = min(own, key=lambda row: row["lists"][1], default=None)
        text = f"{kind.capitalize()}:\n\n{table(head, rows)}"
        if below:
            text += (
                f"\n\nBy setting and selector, {len(below)} of {len(own)} means lie below 80%; the "
                f"lowest is {format_percent(lowest['lists'][1])} "
                f"({format_selector(lowest['selector'])}, {lowest['setting']}, "
                f"{plural(lowest['lists'][0], 'list')})."
            )
        parts.append(text)
    return "\n\n".join(parts) or MISSING


def worst_part(found):
    """Return the hold-out settings with the largest bias."""
    if "hold-out" not in found:
        return MISSING
    head = ["setting", "selector", "true share", "bias of the chances", "error of the share"]
    rows = sorted(found["hold-out"]["settings"], key=lambda row: -abs(row["bias"]))[:N_WORST]
    cells = [
        [row["setting"], format_selector(row["selector"]), format_decimals(row["true_share"]),
         format_signed(row["bias"]), format_signed(row["share_bias"])]
        for row in rows
    ]  # fmt: skip
    wrong = [
        row
        for row in found["hold-out"]["settings"]
        if row["grades"]["very likely"][0] and row["grades"]["very likely"][1] < 0.8
    ]
    text = [table(head, cells, text_columns=2)]
    if wrong:
        text.append(
            "Features graded *very likely* were found again in less than 80% here: "
            + "; ".join(
                f"{format_percent(row['grades']['very likely'][1])} of "
                f"{row['grades']['very likely'][0]} ({format_selector(row['selector'])}, "
                f"{row['setting']})"
                for row in wrong
            )
            + "."
        )
    return "\n\n".join(text)


def noise_part(found):
    """Return the results on data sets without signal."""
    if "noise" not in found:
        return MISSING
    own = found["noise"]
    total = own["data_sets"]
    rows = [
        [format_selector(name), format_decimals(one["median"]), format_decimals(one["largest"]),
         one["uncertain"], one["likely"]]
        for name, one in own["selectors"].items()
    ]  # fmt: skip
    head = ["selector", "median of the largest chance", "largest of all",
            "data sets with at most an *uncertain* feature", "with a *likely* one"]  # fmt: skip
    shapes = ", ".join(f"{n} × {p:,} ({k})" for n, p, k in SHAPES)
    without = 1 - own["any_likely"] / total
    met = "met" if without >= 0.99 else "missed"
    return "\n\n".join(
        [
            (
                f"{total} data sets, seed 4, {own['date']}; samples × features (size of the list): "
                f"{shapes}; features independent in half of the data sets, in correlated blocks "
                "in the others."
            ),
            table(head, rows),
            (
                f"No selector graded any feature *likely* in {100 * without:.1f}% of the data "
                f"sets. The goal of 99% is {met}."
            ),
            _noise_pages(own),
        ]
    )


def _noise_pages(own):
    """Return how often the report of a study says "nothing" on noise."""
    total, grades = own["page_data_sets"], own["page_grades"]
    nothing = grades.get("nothing", 0) / total
    met = "met" if nothing >= 0.95 else "missed"
    others = ", ".join(
        f"*{grade}* {count} times" for grade, count in grades.items() if grade != "nothing"
    )
    otherwise = f" Otherwise its grades were: {others}." if others else ""
    return (
        f"For each of {total} such data sets a study was run with these selectors, "
        f"{RESAMPLES} resamples, {PAIRS} pairs of halves, lists of "
        f"{' and '.join(map(str, PAGE_SIZES))} and one classifier. For {100 * nothing:.1f}% of "
        f"them its page said that nothing can be expected to be found again. The goal of 95% is "
        f"{met}.{otherwise}"
    )


PARTS = {
    "settings": settings_part,
    "goals": goals_part,
    "selectors": selectors_part,
    "diagrams": diagrams_part,
    "grades": grades_part,
    "lists": lists_part,
    "noise": noise_part,
    "worst": worst_part,
}


def wrap(text):
    """Break the lines of paragraphs; keep tables and images."""
    return "\n\n".join(
        paragraph
        if paragraph.startswith(("|", "!", "<"))
        else textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)
        for paragraph in text.split("\n\n")
    )


def page():
    """Return the page with its generated parts."""
    text, found = PAGE.read_text(encoding="utf-8"), read_results()
    for name, part in PARTS.items():
        start, end = f"<!-- made: {name} -->", f"<!-- end of {name} -->"
        pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise ValueError(f"{PAGE.name} must have {start} and {end} once")
        made = f"{start}\n\n{wrap(part(found))}\n\n{end}"
        text = pattern.sub(lambda _, made=made: made, text)
    return text


def draw(kind, found):
    """Draw the reliability diagrams of a list of settings."""
    own = found[kind]
    naive = found.get("frequencies", {}).get(kind, {}).get("reliability", {})
    names = ordered_selectors(own)
    columns = 4
    places = names + ["."] * (-len(names) % columns)
    rows = [places[at : at + columns] for at in range(0, len(places), columns)]
    sheets = open_panels(rows, "light", 2.0 * len(rows) + 0.5)
    numbers = []
    for name, sheet in sheets.items():
        ax, colours = sheet.ax, sheet.colours
        write_panel_title(sheet, name.replace("_", " "))
        ax.plot([0, 1], [0, 1], color=colours["muted"], linewidth=0.8, linestyle=(0, (4, 3)))
        for series, points in (
            ("frequency over halves", naive.get(name, [])),
            ("chance", own["summary"][name]["reliability"]),
        ):
            total = sum(count for *_, count in points)
            is_chance = series == "chance"
            for predicted, true, count in points:
                ax.scatter(
                    predicted, true, s=max(5.0, DOT_AREA * count / total),
                    facecolor=colours["blue"] if is_chance else "none",
                    edgecolor=colours["blue" if is_chance else "slate"],
                    alpha=0.75 if is_chance else 0.9, linewidth=0.0 if is_chance else 0.9,
                    zorder=3 if is_chance else 2,
                )  # fmt: skip
                numbers.append((name, series, predicted, true, count))
        ax.set(xlim=(-0.06, 1.06), ylim=(-0.06, 1.06), aspect="equal")
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
        ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        if name in rows[-1]:
            ax.set_xlabel("predicted")
        if name in [row[0] for row in rows]:
            ax.set_ylabel("true")
    first = next(iter(sheets.values()))
    colours, round_mark = first.colours, {"marker": "o", "linestyle": "none"}
    draw_legend(
        first,
        [
            Line2D([], [], color=colours["blue"], label="chance to be found again", **round_mark),
            Line2D([], [], markerfacecolor="none", markeredgecolor=colours["slate"],
                   label="frequency over halves of the data", **round_mark),
            Line2D([], [], color=colours["muted"], linestyle=(0, (4, 3)), linewidth=0.8,
                   label="predicted = true"),
        ],
        3,
    )  # fmt: skip
    columns_ = ["selector", "series", "predicted", "true", "features"]
    return Picture(
        first.figure,
        tuple(sheet.ax for sheet in sheets.values()),
        pd.DataFrame(numbers, columns=columns_),
        f"Calibration of the chances to be found again: {kind}",
        f"{_describe_diagram(kind)}. The area of a dot is the share of the features in its bin.",
    )


def main():
    found = read_results()
    for kind in KINDS:
        if kind in found:
            draw(kind, found).save(PICTURES / diagram_name(kind))
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
