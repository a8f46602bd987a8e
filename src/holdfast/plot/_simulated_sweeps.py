"""Figures 6 to 9 of S2: stability and errors against what a study has and selects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.plot._margin import Ending, name_endings
from holdfast.plot._numbers import column, numeric, plain
from holdfast.plot._panels import entitle, explain, from_zero, open_panels, shades, spread_out
from holdfast.plot._sheet import check_columns, finish, settle
from holdfast.plot._style import look

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.lines import Line2D

    from holdfast.plot._picture import Picture
    from holdfast.plot._sheet import Sheet

MEASURES = {
    "relative_weighted_consistency": "CW_rel",
    "ati_pa": "ATI_PA",
    "pearson": "S_W, scores",
    "spearman": "S_R, ranks",
}
ERRORS = {
    "lda_error": "LDA",
    "bayes_observed": "best rule, selected features",
    "bayes_optimal": "best rule, best features",
}
PANELS = {
    "n_samples": "number of samples N",
    "n_features": "number of features D",
    "size": "number of selected features d",
    "gamma": "power γ of the effects",
}
LAYOUT = [["n_samples", "n_features"], ["size", "gamma"]]
FILTERS = {"t_score": "t-score", "cat_score": "CAT score"}


def draw_stability(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 6: stability in four panels."""
    table = tables["stability"]
    check_columns(table, ("panel", "x", "measure", "value"), "figure 6")
    sheets = open_panels(LAYOUT, style, 5.6)
    for name, sheet in sheets.items():
        own = table[table["panel"] == name]
        lines = _draw_measures(sheet, own, "x")
        _dress(sheet, own["x"], PANELS[name], "stability" if name in ("n_samples", "size") else "")
        if name in LAYOUT[1]:  # low throughout: a scale of their own shows where they are highest
            from_zero(sheet, _top(own))
    explain(sheet, lines, len(lines))
    return _finished(sheets, table, "Stability of the t-score", _said_of_sweep(table))


def draw_errors(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 8: errors in four panels."""
    table = tables["errors"]
    check_columns(table, ("panel", "x", *ERRORS), "figure 8")
    sheets = open_panels(LAYOUT, style, 5.6)
    for name, sheet in sheets.items():
        own = table[table["panel"] == name]
        lines = [
            _draw_line(sheet, position, own["x"], own[error], title)
            for position, (error, title) in enumerate(ERRORS.items())
        ]
        _dress(sheet, own["x"], PANELS[name], "error" if name in ("n_samples", "size") else "")
        from_zero(sheet, 0.5)
    explain(sheet, lines, len(lines))
    return _finished(sheets, table, "Errors after selection by the t-score", _said_of_errors(table))


def draw_correlated(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 7: a row of panels a structure of the data, a column a selector."""
    table = tables["stability"]
    check_columns(table, ("structure", "selector", "n_samples", "measure", "value"), "figure 7")
    structures, names = (list(dict.fromkeys(table[key])) for key in ("structure", "selector"))
    grid = [[f"{structure}|{name}" for name in names] for structure in structures]
    sheets = open_panels(grid, style, 0.7 + 1.75 * len(structures))
    for key, sheet in sheets.items():
        structure, _, name = key.partition("|")
        own = table[(table["structure"] == structure) & (table["selector"] == name)]
        lines = _draw_measures(sheet, own, "n_samples")
        last, first = structure == structures[-1], name == names[0]
        label = PANELS["n_samples"] if last else ""
        _dress(sheet, own["n_samples"], label, "stability" if first else "")
        from_zero(sheet, _top(table))
        entitle(sheet, f"{FILTERS.get(name, name)}: {structure}")
    explain(sheet, lines, len(lines))
    title = "Stability on correlated features"
    return _finished(sheets, table, title, _said_of_correlated(table))


def draw_ratios(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 9: a line a ratio of samples to features."""
    table = tables["stability"]
    check_columns(table, ("ratio", "n_samples", "value"), "figure 9")
    sheet = open_panels([["all"]], style, 4.2)["all"]
    _dress(sheet, table["n_samples"], PANELS["n_samples"], "CW_rel")
    ratios = sorted(set(table["ratio"]))
    endings = []
    for position, ratio in enumerate(ratios):
        own = table[table["ratio"] == ratio]
        line = _style(sheet, position) | {"color": shades(sheet.colours, len(ratios))[position]}
        sheet.ax.plot(own["n_samples"], own["value"], **line)
        last = own.iloc[-1]
        endings.append(Ending(last["n_samples"], last["value"], f"N/D = {plain(ratio)}", line))
    settle(sheet)
    name_endings(sheet, endings)
    said = _said_of_ratios(table)
    return finish(sheet, table, "Stability at constant ratios of samples to features", said)


def _draw_measures(sheet: Sheet, table: pd.DataFrame, x: str) -> list[Line2D]:
    """Draw a line a measure, with the band of its interval."""
    lines = []
    for position, (measure, title) in enumerate(MEASURES.items()):
        own = table[table["measure"] == measure]
        if len(own):
            lines.append(_draw_line(sheet, position, own[x], own["value"], title))
            sheet.ax.fill_between(
                numeric(own[x]), column(own, "low"), column(own, "high"), alpha=0.13, linewidth=0,
                color=_style(sheet, position)["color"],
            )  # fmt: skip
    return lines


def _draw_line(sheet: Sheet, position: int, x: pd.Series, y: pd.Series, title: str) -> Line2D:
    (line,) = sheet.ax.plot(numeric(x), numeric(y), label=title, **_style(sheet, position))
    return line


def _style(sheet: Sheet, position: int) -> dict[str, Any]:
    own = look(position, sheet.colours)
    return {
        "color": own.colour, "marker": own.marker, "markersize": 4, "linewidth": 1.4,
        "markeredgecolor": sheet.colours["paper"], "markeredgewidth": 0.4,
    }  # fmt: skip


def _dress(sheet: Sheet, x: pd.Series, xlabel: str, ylabel: str) -> None:
    spread_out(sheet, numeric(x))
    from_zero(sheet)
    sheet.ax.set(xlabel=xlabel, ylabel=ylabel)


def _top(table: pd.DataFrame) -> float:
    """Return the highest value or end of an interval."""
    return float(np.nanmax([numeric(table["value"]), column(table, "high")]))


def _finished(
    sheets: Mapping[str, Sheet], table: pd.DataFrame, title: str, description: str
) -> Picture:
    first, *others = sheets.values()
    return finish(first, table, title, description, [sheet.ax for sheet in others])


def _ends(values: Sequence[float]) -> str:
    return f"{values[0]:.2f} to {values[-1]:.2f}"


def _said_of_sweep(table: pd.DataFrame) -> str:
    parts = []
    for panel, title in PANELS.items():
        own = table[
            (table["panel"] == panel) & (table["measure"] == "relative_weighted_consistency")
        ]
        x, y = numeric(own["x"]), numeric(own["value"])
        parts.append(f"{title} from {plain(x[0])} to {plain(x[-1])}: {_ends(list(y))}")
    return f"CW_rel by {'; by '.join(parts)}."


def _said_of_errors(table: pd.DataFrame) -> str:
    parts = []
    for panel, title in PANELS.items():
        own = table[table["panel"] == panel]
        x, y = numeric(own["x"]), numeric(own["lda_error"])
        parts.append(f"{title} from {plain(x[0])} to {plain(x[-1])}: {_ends(list(y))}")
    return f"Error of LDA by {'; by '.join(parts)}."


def _said_of_correlated(table: pd.DataFrame) -> str:
    own = table[table["measure"] == "relative_weighted_consistency"]
    last = own[own["n_samples"] == own["n_samples"].max()]
    parts = []
    for structure, both in last.groupby("structure", sort=False):
        values = [
            f"{FILTERS.get(name, name)} {value:.2f}"
            for name, value in zip(both["selector"], both["value"], strict=True)
        ]
        parts.append(f"{structure}: {', '.join(values)}")
    return f"CW_rel at {plain(float(last['n_samples'].iloc[0]))} samples. {'; '.join(parts)}."


def _said_of_ratios(table: pd.DataFrame) -> str:
    parts = [
        f"{plain(float(str(ratio)))}: {own['value'].min():.2f} to {own['value'].max():.2f}"
        for ratio, own in table.groupby("ratio", sort=True)
    ]
    return f"Range of CW_rel over all numbers of samples by N/D: {'; '.join(parts)}."
