"""Pictures of simulated figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.plot._canvas import (
    check_columns,
    draw_legend,
    finalize,
    layout,
    open_panels,
    scale_from_zero,
    scale_panel_values,
    shades,
    space_evenly,
    write_panel_title,
)
from holdfast.plot._labels import LineLabel, draw_line_labels
from holdfast.plot._style import column, format_values, get_line_style, numeric, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.lines import Line2D

    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style


# Figures 3 to 5 of S2: scores, ranks and selections of features against their true effects.

EFFECT = "true effect μ, in standard deviations"
AROUND = 15
"""So many neighbouring features are averaged for the lines of figure 3."""
POINTS = 20_000
"""Most points of a panel."""
FILTER_TITLES = {
    "t_score": "t-score",
    "cat_score": "CAT score",
    "mutual_information": "mutual information",
}
ROWS = {
    "score": ("effect", "score", EFFECT, "score |t|"),
    "rank": ("effect", "rank", EFFECT, "rank found"),
    "true": ("true_rank", "rank", "true rank", "rank found"),
}


def draw_scores(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 3: a column of panels a number of samples."""
    points, means = tables["points"], tables["means"]
    check_columns(points, ("n_samples", "effect", "true_rank", "score", "rank"), "figure 3")
    sizes = list(dict.fromkeys(means["n_samples"]))
    sheets = open_panels([[f"{row} {n}" for n in sizes] for row in ROWS], style, 8.4)
    for row, (x, y, xlabel, ylabel) in ROWS.items():
        for n in sizes:
            sheet = sheets[f"{row} {n}"]
            _draw_cloud(sheet, points[points["n_samples"] == n], x, y)
            _draw_means(sheet, means[means["n_samples"] == n], x, y)
            sheet.ax.set(xlabel=xlabel, ylabel=ylabel if n == sizes[0] else "")
            if row == "score":
                write_panel_title(sheet, f"{plain(n)} samples")
    first, *others = sheets.values()
    more = [sheet.ax for sheet in others]
    return finalize(first, means, "Scores and ranks by true effect", _said_of_ranks(means), more)


def _draw_cloud(sheet: Canvas, points: pd.DataFrame, x: str, y: str) -> None:
    """Draw the points as an image, those of the first sets: there may be hundreds of thousands."""
    some = points.iloc[:POINTS]
    sheet.ax.scatter(
        some[x], some[y], s=2, alpha=0.25, linewidths=0, color=sheet.colours["sky"],
        rasterized=True,
    )  # fmt: skip
    space_evenly(sheet)
    format_values(sheet.ax.yaxis)


def _draw_means(sheet: Canvas, means: pd.DataFrame, x: str, y: str) -> None:
    """Draw mean, and mean ± standard deviation, over neighbouring features."""
    own = means.sort_values(x)
    place, mean, spread = (_running(own[name]) for name in (x, f"{y}_mean", f"{y}_sd"))
    for side in (-1, 1):
        sheet.ax.plot(place, mean + side * spread, color=sheet.colours["muted"], linewidth=0.9)
    sheet.ax.plot(place, mean, color=sheet.colours["ink"], linewidth=1.6)


def _running(values: pd.Series) -> pd.Series:
    return values.rolling(AROUND, center=True, min_periods=1).mean()


def _said_of_ranks(means: pd.DataFrame) -> str:
    parts = []
    for n, own in means.groupby("n_samples", sort=False):
        best = own[own["true_rank"] <= 10]["rank_mean"].mean()
        parts.append(f"{best:,.0f} with {plain(float(str(n)))} samples")
    total = means["feature"].nunique()
    return f"Mean rank of the 10 truly best of {total:,} features: {', '.join(parts)}."


def draw_selection(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 4: two clouds with their curves, and below them the curves of all sizes."""
    frequencies, curves = tables["frequencies"], tables["curves"]
    check_columns(frequencies, ("n_samples", "effect", "frequency"), "figure 4")
    sizes = [n for n in (50, 5000) if (curves["n_samples"] == n).any()]
    sheets = open_panels([[f"{n}" for n in sizes], ["all"] * len(sizes)], style, 6.2)
    for n in sizes:
        sheet = sheets[f"{n}"]
        own = frequencies[frequencies["n_samples"] == n]
        sheet.ax.scatter(
            own["effect"], own["frequency"], s=9, alpha=0.45, linewidths=0,
            color=sheet.colours["sky"], rasterized=True,
        )  # fmt: skip
        curve = curves[curves["n_samples"] == n]
        sheet.ax.plot(
            curve["effect"], curve["probability"], color=sheet.colours["ink"], linewidth=1.6
        )
        _dress(sheet, f"{plain(n)} samples", ylabel=n == sizes[0])
    _dress(sheets["all"], "logistic curves, by number of samples", ylabel=True)
    _draw_curves(sheets["all"], curves, named=True)
    first, *others = sheets.values()
    title = "How often features are selected, by true effect"
    return finalize(first, curves, title, _said_of(curves), [sheet.ax for sheet in others])


def draw_other_filters(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 5: the curves of all sizes, a panel a selector."""
    curves = tables["curves"]
    check_columns(curves, ("n_samples", "selector", "effect", "probability"), "figure 5")
    names = list(dict.fromkeys(curves["selector"]))
    sheets = open_panels([names], style, 3.6)
    for name, sheet in sheets.items():
        _dress(sheet, FILTER_TITLES.get(name, name), ylabel=name == names[0])
        sheet.ax.set_xlim(0, numeric(curves["effect"]).max())
    for name, sheet in sheets.items():
        _draw_curves(sheet, curves[curves["selector"] == name], named=name == names[-1])
    first, *others = sheets.values()
    title = "How often other filters select features, by true effect"
    return finalize(first, curves, title, _said_of(curves), [sheet.ax for sheet in others])


def _dress(sheet: Canvas, title: str, *, ylabel: bool) -> None:
    write_panel_title(sheet, title)
    sheet.ax.set(xlabel=EFFECT, ylabel="share of sets that select it" if ylabel else "")
    scale_from_zero(sheet)
    space_evenly(sheet)


def _draw_curves(sheet: Canvas, curves: pd.DataFrame, *, named: bool) -> None:
    """Draw a curve a number of samples, the more samples the darker; name them if asked to."""
    sizes = sorted(set(curves["n_samples"]))
    endings = []
    for n, colour in zip(sizes, shades(sheet.colours, len(sizes)), strict=True):
        own = curves[curves["n_samples"] == n]
        line: dict[str, Any] = {"color": colour, "linewidth": 1.6}
        sheet.ax.plot(own["effect"], own["probability"], **line)
        last = own.iloc[-1]
        endings.append(LineLabel(last["effect"], last["probability"], plain(n), line))
    sheet.ax.set_xlim(0, numeric(curves["effect"]).max())
    layout(sheet)
    if named:
        draw_line_labels(sheet, endings)


def _said_of(curves: pd.DataFrame) -> str:
    top = curves[curves["effect"] == curves["effect"].max()]
    parts = []
    for name, own in top.groupby("selector", sort=False):
        few, many = own.iloc[0], own.iloc[-1]
        parts.append(
            f"{FILTER_TITLES.get(str(name), str(name))} selects features of the largest "
            "effect with "
            f"probability {few['probability']:.2f} at {plain(few['n_samples'])} samples and "
            f"{many['probability']:.2f} at {plain(many['n_samples'])}"
        )
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


# Figures 6 to 9 of S2: stability and errors against what a study has and selects.

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
FILTERS_SIMULATED_SWEEPS = {"t_score": "t-score", "cat_score": "CAT score"}


def draw_stability(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 6: stability in four panels."""
    table = tables["stability"]
    check_columns(table, ("panel", "x", "measure", "value"), "figure 6")
    sheets = open_panels(LAYOUT, style, 5.6)
    for name, sheet in sheets.items():
        own = table[table["panel"] == name]
        lines = _draw_measures(sheet, own, "x")
        _dress_simulated_sweeps(
            sheet, own["x"], PANELS[name], "stability" if name in ("n_samples", "size") else ""
        )
        if name in LAYOUT[1]:  # low throughout: a scale of their own shows where they are highest
            scale_from_zero(sheet, _top(own))
    draw_legend(sheet, lines, len(lines))
    return _finalize_panels(sheets, table, "Stability of the t-score", _said_of_sweep(table))


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
        _dress_simulated_sweeps(
            sheet, own["x"], PANELS[name], "error" if name in ("n_samples", "size") else ""
        )
        scale_from_zero(sheet, 0.5)
    draw_legend(sheet, lines, len(lines))
    return _finalize_panels(
        sheets, table, "Errors after selection by the t-score", _said_of_errors(table)
    )


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
        _dress_simulated_sweeps(sheet, own["n_samples"], label, "stability" if first else "")
        scale_from_zero(sheet, _top(table))
        write_panel_title(sheet, f"{FILTERS_SIMULATED_SWEEPS.get(name, name)}: {structure}")
    draw_legend(sheet, lines, len(lines))
    title = "Stability on correlated features"
    return _finalize_panels(sheets, table, title, _said_of_correlated(table))


def draw_ratios(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 9: a line a ratio of samples to features."""
    table = tables["stability"]
    check_columns(table, ("ratio", "n_samples", "value"), "figure 9")
    sheet = open_panels([["all"]], style, 4.2)["all"]
    _dress_simulated_sweeps(sheet, table["n_samples"], PANELS["n_samples"], "CW_rel")
    ratios = sorted(set(table["ratio"]))
    endings = []
    for position, ratio in enumerate(ratios):
        own = table[table["ratio"] == ratio]
        line = _style(sheet, position) | {"color": shades(sheet.colours, len(ratios))[position]}
        sheet.ax.plot(own["n_samples"], own["value"], **line)
        last = own.iloc[-1]
        endings.append(LineLabel(last["n_samples"], last["value"], f"N/D = {plain(ratio)}", line))
    layout(sheet)
    draw_line_labels(sheet, endings)
    said = _said_of_ratios(table)
    return finalize(sheet, table, "Stability at constant ratios of samples to features", said)


def _draw_measures(sheet: Canvas, table: pd.DataFrame, x: str) -> list[Line2D]:
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


def _draw_line(sheet: Canvas, position: int, x: pd.Series, y: pd.Series, title: str) -> Line2D:
    (line,) = sheet.ax.plot(numeric(x), numeric(y), label=title, **_style(sheet, position))
    return line


def _style(sheet: Canvas, position: int) -> dict[str, Any]:
    own = get_line_style(position, sheet.colours)
    return {
        "color": own.colour, "marker": own.marker, "markersize": 4, "linewidth": 1.4,
        "markeredgecolor": sheet.colours["paper"], "markeredgewidth": 0.4,
    }  # fmt: skip


def _dress_simulated_sweeps(sheet: Canvas, x: pd.Series, xlabel: str, ylabel: str) -> None:
    scale_panel_values(sheet, numeric(x))
    scale_from_zero(sheet)
    sheet.ax.set(xlabel=xlabel, ylabel=ylabel)


def _top(table: pd.DataFrame) -> float:
    """Return the highest value or end of an interval."""
    return float(np.nanmax([numeric(table["value"]), column(table, "high")]))


def _finalize_panels(
    sheets: Mapping[str, Canvas], table: pd.DataFrame, title: str, description: str
) -> Picture:
    first, *others = sheets.values()
    return finalize(first, table, title, description, [sheet.ax for sheet in others])


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
            f"{FILTERS_SIMULATED_SWEEPS.get(name, name)} {value:.2f}"
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


# Pictures of simulated figures.

DRAWN = {
    3: (draw_scores, ("points", "means")),
    4: (draw_selection, ("frequencies", "curves")),
    5: (draw_other_filters, ("curves",)),
    6: (draw_stability, ("stability",)),
    7: (draw_correlated, ("stability",)),
    8: (draw_errors, ("errors",)),
    9: (draw_ratios, ("stability",)),
}
"""How each figure is drawn, and the tables that it needs."""


def simulated_figure(
    number: int, tables: Mapping[str, pd.DataFrame], *, style: Style = "light"
) -> Picture:
    """Draw a figure of Dernoncourt et al. (2014), section 4, from its tables.

    Parameters
    ----------
    number : int
        The figure, 3 to 9.
    tables : mapping from str to pandas.DataFrame
        What :func:`holdfast.simulate.figure_tables` returns for it.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        A figure of its own, with one or more panels.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Figures 3 to 9.

    Examples
    --------
    >>> from holdfast.plot import simulated_figure
    >>> from holdfast.simulate import figure_tables
    >>> simulated_figure(4, figure_tables(4))
    <Picture: How often features are selected, by true effect. Next: .save("picture.svg")>
    """
    if number not in DRAWN:
        raise UnknownNameError(f"figure must be one of {list(DRAWN)}; received {number!r}.")
    draw, needed = DRAWN[number]
    lacking = [name for name in needed if name not in tables]
    if lacking:
        raise InvalidInputError(
            f"figure {number} needs the tables {', '.join(needed)}; missing: "
            f"{', '.join(lacking)}. Make them: holdfast.simulate.figure_tables({number})."
        )
    return draw(tables, style)
