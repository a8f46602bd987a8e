"""Figures of Dernoncourt et al. (2014) about simulated data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.plot._canvas import (
    check_columns,
    draw_legend,
    finalize,
    finalize_panels,
    layout,
    make_shades,
    open_panels,
    scale_panel_x,
    scale_panel_y,
    set_round_ticks,
    write_panel_title,
)
from holdfast.plot._labels import LineLabel, draw_line_labels
from holdfast.plot._style import (
    Style,
    format_plain,
    format_values,
    get_floats,
    line_options,
    to_floats,
)

if TYPE_CHECKING:
    from holdfast.plot._canvas import Canvas
    from holdfast.plot._picture import Picture


FILTER_TITLES = {
    "t_score": "t-score",
    "cat_score": "CAT score",
    "mutual_information": "mutual information",
    "svm_rfe": "one-step SVM-RFE",
}

# Figures 3 to 5: scores, ranks and selections of features against their true effects.

EFFECT_LABEL = "true effect μ, in standard deviations"
AVERAGED_FEATURES = 15
"""Neighbouring features averaged for the lines of figure 3 (chosen by eye)."""
MAX_CLOUD_POINTS = 20_000
"""Most points per panel; more would only cover each other."""
SCORE_ROWS = {
    "score": ("effect", "score", EFFECT_LABEL, "score |t|"),
    "rank": ("effect", "rank", EFFECT_LABEL, "rank found"),
    "true": ("true_rank", "rank", "true rank", "rank found"),
}
"""Rows of panels of figure 3: columns of the table for x and y, and their labels."""
CLOUD_SIZES = (50, 5000)
"""Numbers of samples with a panel in figure 4 (those of the paper)."""


def draw_scores(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 3: one column of panels per number of samples."""
    points, means = tables["points"], tables["means"]
    check_columns(points, ("n_samples", "effect", "true_rank", "score", "rank"), "figure 3")
    sizes = list(dict.fromkeys(means["n_samples"]))
    panels = open_panels([[f"{row} {n}" for n in sizes] for row in SCORE_ROWS], style, 8.4)
    for row, (x, y, xlabel, ylabel) in SCORE_ROWS.items():
        for n in sizes:
            panel = panels[f"{row} {n}"]
            # the points of the first sets only: there may be hundreds of thousands
            cloud = points[points["n_samples"] == n].iloc[:MAX_CLOUD_POINTS]
            _draw_cloud(panel, cloud[x], cloud[y], s=2, alpha=0.25)
            set_round_ticks(panel)
            format_values(panel.ax.yaxis)
            _draw_means(panel, means[means["n_samples"] == n], x, y)
            panel.ax.set(xlabel=xlabel, ylabel=ylabel if n == sizes[0] else "")
            if row == "score":
                write_panel_title(panel, f"{format_plain(n)} samples")
    title = "Scores and ranks by true effect"
    return finalize_panels(panels.values(), means, title, _describe_ranks(means))


def _draw_cloud(panel: Canvas, x: pd.Series, y: pd.Series, **options: Any) -> None:
    """Draw points as an image, which keeps the file small."""
    panel.ax.scatter(x, y, linewidths=0, color=panel.colours["sky"], rasterized=True, **options)


def _draw_means(panel: Canvas, means: pd.DataFrame, x: str, y: str) -> None:
    """Draw the mean, and the mean ± one standard deviation, over neighbouring features."""
    ordered = means.sort_values(x)[[x, f"{y}_mean", f"{y}_sd"]]
    # single features are too noisy for a line
    smooth = ordered.rolling(AVERAGED_FEATURES, center=True, min_periods=1).mean()
    place, mean, deviation = (smooth[name] for name in smooth)
    for side in (-1, 1):
        panel.ax.plot(place, mean + side * deviation, color=panel.colours["muted"], linewidth=0.9)
    panel.ax.plot(place, mean, color=panel.colours["ink"], linewidth=1.6)


def _describe_ranks(means: pd.DataFrame) -> str:
    parts = []
    for n, rows in means.groupby("n_samples", sort=False):
        mean_rank = rows[rows["true_rank"] <= 10]["rank_mean"].mean()
        parts.append(f"{mean_rank:,.0f} with {format_plain(float(str(n)))} samples")
    total = means["feature"].nunique()
    return f"Mean rank of the 10 truly best of {total:,} features: {', '.join(parts)}."


def draw_selection(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 4: two clouds with their curves, and below them the curves of all sizes."""
    frequencies, curves = tables["frequencies"], tables["curves"]
    check_columns(frequencies, ("n_samples", "effect", "frequency"), "figure 4")
    sizes = [n for n in CLOUD_SIZES if (curves["n_samples"] == n).any()]
    panels = open_panels([[f"{n}" for n in sizes], ["all"] * len(sizes)], style, 6.2)
    for n in sizes:
        panel = panels[f"{n}"]
        cloud = frequencies[frequencies["n_samples"] == n]
        _draw_cloud(panel, cloud["effect"], cloud["frequency"], s=9, alpha=0.45)
        curve = curves[curves["n_samples"] == n]
        panel.ax.plot(
            curve["effect"], curve["probability"], color=panel.colours["ink"], linewidth=1.6
        )
        _label_selection_panel(panel, f"{format_plain(n)} samples", ylabel=n == sizes[0])
    title_all = "logistic curves, by number of samples"
    _label_selection_panel(panels["all"], title_all, ylabel=True)
    _draw_probabilities(panels["all"], curves, named=True)
    title = "How often features are selected, by true effect"
    return finalize_panels(panels.values(), curves, title, _describe_probabilities(curves))


def draw_other_filters(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 5: the curves of all sizes, one panel per selector."""
    curves = tables["curves"]
    check_columns(curves, ("n_samples", "selector", "effect", "probability"), "figure 5")
    names = list(dict.fromkeys(curves["selector"]))
    panels = open_panels([names], style, 3.6)
    for name, panel in panels.items():
        _label_selection_panel(panel, FILTER_TITLES.get(name, name), ylabel=name == names[0])
        panel.ax.set_xlim(0, to_floats(curves["effect"]).max())
    # after all panels have their limits: the layout of one depends on the others
    for name, panel in panels.items():
        _draw_probabilities(panel, curves[curves["selector"] == name], named=name == names[-1])
    title = "How often other filters select features, by true effect"
    return finalize_panels(panels.values(), curves, title, _describe_probabilities(curves))


def _label_selection_panel(panel: Canvas, title: str, *, ylabel: bool) -> None:
    write_panel_title(panel, title)
    panel.ax.set(xlabel=EFFECT_LABEL, ylabel="share of sets that select it" if ylabel else "")
    scale_panel_y(panel)
    set_round_ticks(panel)


def _draw_probabilities(panel: Canvas, curves: pd.DataFrame, *, named: bool) -> None:
    """Draw one curve per number of samples, darker for more samples; `named` adds labels."""
    sizes = sorted(set(curves["n_samples"]))
    labels = []
    for n, colour in zip(sizes, make_shades(panel.colours, len(sizes)), strict=True):
        curve = curves[curves["n_samples"] == n]
        line: dict[str, Any] = {"color": colour, "linewidth": 1.6}
        panel.ax.plot(curve["effect"], curve["probability"], **line)
        last = curve.iloc[-1]
        labels.append(LineLabel(last["effect"], last["probability"], format_plain(n), line))
    # lines end at the axis, where their names begin
    panel.ax.set_xlim(0, to_floats(curves["effect"]).max())
    layout(panel)
    if named:
        draw_line_labels(panel, labels)


def _describe_probabilities(curves: pd.DataFrame) -> str:
    top = curves[curves["effect"] == curves["effect"].max()]
    parts = []
    for name, rows in top.groupby("selector", sort=False):
        first, last = rows.iloc[0], rows.iloc[-1]
        parts.append(
            f"{FILTER_TITLES.get(str(name), str(name))} selects features of the largest effect "
            f"with probability {first['probability']:.2f} at {format_plain(first['n_samples'])} "
            f"samples and {last['probability']:.2f} at {format_plain(last['n_samples'])}"
        )
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


# Figures 6 to 9: stability and errors against the parameters of a study.

MEASURES = {
    "relative_weighted_consistency": "CW_rel",
    "ati_pa": "ATI_PA",
    "pearson": "S_W, scores",
    "spearman": "S_R, ranks",
}
ERRORS = {
    "lda_error": "LDA",
    "shrinkage_lda_error": "shrunken LDA",
    "bayes_observed": "best on selected",
    "bayes_optimal": "best possible",
}
PANELS = {
    "n_samples": "number of samples N",
    "n_features": "number of features D",
    "size": "number of selected features d",
    "gamma": "power γ of the effects",
}
PANEL_ROWS = [["n_samples", "n_features"], ["size", "gamma"]]
LEFT_PANELS = [row[0] for row in PANEL_ROWS]


def draw_stability(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 6: stability in four panels."""
    table = tables["stability"]
    check_columns(table, ("panel", "x", "measure", "value"), "figure 6")
    panels = open_panels(PANEL_ROWS, style, 5.6)
    for name, panel in panels.items():
        rows = table[table["panel"] == name]
        lines = _draw_measures(panel, rows, "x")
        ylabel = "stability" if name in LEFT_PANELS else ""
        _scale_sweep_panel(panel, rows["x"], PANELS[name], ylabel)
        if name in PANEL_ROWS[1]:  # low values: on a scale of their own, the maximum is visible
            scale_panel_y(panel, _highest_value(rows))
    draw_legend(panel, lines, len(lines))
    consistency = table[table["measure"] == "relative_weighted_consistency"]
    description = f"CW_rel by {_describe_sweeps(consistency, 'value')}."
    return finalize_panels(panels.values(), table, "Stability of the t-score", description)


def draw_errors(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 8: errors in four panels."""
    table = tables["errors"]
    check_columns(table, ("panel", "x", *ERRORS), "figure 8")
    panels = open_panels(PANEL_ROWS, style, 5.6)
    for name, panel in panels.items():
        rows = table[table["panel"] == name]
        lines = [
            _draw_line(panel, position, rows["x"], rows[error], title)
            for position, (error, title) in enumerate(ERRORS.items())
        ]
        ylabel = "error" if name in LEFT_PANELS else ""
        _scale_sweep_panel(panel, rows["x"], PANELS[name], ylabel)
        scale_panel_y(panel, 0.5)
    draw_legend(panel, lines, len(lines))
    title = "Errors after selection by the t-score"
    description = f"Error of LDA by {_describe_sweeps(table, 'lda_error')}."
    return finalize_panels(panels.values(), table, title, description)


def _describe_sweeps(table: pd.DataFrame, value: str) -> str:
    """Return the first and last value of each panel."""
    parts = []
    for panel, title in PANELS.items():
        rows = table[table["panel"] == panel]
        x, y = to_floats(rows["x"]), to_floats(rows[value])
        span = f"{title} from {format_plain(x[0])} to {format_plain(x[-1])}"
        parts.append(f"{span}: {y[0]:.2f} to {y[-1]:.2f}")
    return "; by ".join(parts)


def draw_correlated(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 7: one row of panels per structure of the data, one column per selector."""
    table = tables["stability"]
    check_columns(table, ("structure", "selector", "n_samples", "measure", "value"), "figure 7")
    structures, names = (list(dict.fromkeys(table[key])) for key in ("structure", "selector"))
    grid = [[f"{structure}|{name}" for name in names] for structure in structures]
    panels = open_panels(grid, style, 0.7 + 1.75 * len(structures))
    for key, panel in panels.items():
        structure, _, name = key.partition("|")
        rows = table[(table["structure"] == structure) & (table["selector"] == name)]
        lines = _draw_measures(panel, rows, "n_samples")
        xlabel = PANELS["n_samples"] if structure == structures[-1] else ""
        ylabel = "stability" if name == names[0] else ""
        _scale_sweep_panel(panel, rows["n_samples"], xlabel, ylabel)
        scale_panel_y(panel, _highest_value(table))
        write_panel_title(panel, f"{FILTER_TITLES.get(name, name)}: {structure}")
    draw_legend(panel, lines, len(lines))
    title = "Stability on correlated features"
    return finalize_panels(panels.values(), table, title, _describe_correlated(table))


def _describe_correlated(table: pd.DataFrame) -> str:
    rows = table[table["measure"] == "relative_weighted_consistency"]
    last = rows[rows["n_samples"] == rows["n_samples"].max()]
    parts = []
    for structure, group in last.groupby("structure", sort=False):
        values = [
            f"{FILTER_TITLES.get(name, name)} {value:.2f}"
            for name, value in zip(group["selector"], group["value"], strict=True)
        ]
        parts.append(f"{structure}: {', '.join(values)}")
    n_samples = format_plain(float(last["n_samples"].iloc[0]))
    return f"CW_rel at {n_samples} samples. {'; '.join(parts)}."


def draw_ratios(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 9: one line per ratio of samples to features."""
    table = tables["stability"]
    check_columns(table, ("ratio", "n_samples", "value"), "figure 9")
    panel = open_panels([["all"]], style, 4.2)["all"]
    _scale_sweep_panel(panel, table["n_samples"], PANELS["n_samples"], "CW_rel")
    ratios = sorted(set(table["ratio"]))
    labels = []
    for position, ratio in enumerate(ratios):
        rows = table[table["ratio"] == ratio]
        line = line_options(position, panel.colours, in_panel=True)
        line |= {"color": make_shades(panel.colours, len(ratios))[position], "linestyle": "-"}
        panel.ax.plot(rows["n_samples"], rows["value"], **line)
        last, name = rows.iloc[-1], f"N/D = {format_plain(ratio)}"
        labels.append(LineLabel(last["n_samples"], last["value"], name, line))
    layout(panel)
    draw_line_labels(panel, labels)
    title = "Stability at constant ratios of samples to features"
    ranges = [
        f"{format_plain(float(str(ratio)))}: {rows['value'].min():.2f} to {rows['value'].max():.2f}"
        for ratio, rows in table.groupby("ratio", sort=True)
    ]
    description = f"Range of CW_rel over all numbers of samples by N/D: {'; '.join(ranges)}."
    return finalize(panel, table, title, description)


def _draw_measures(panel: Canvas, table: pd.DataFrame, x: str) -> list[Line2D]:
    """Draw one line per measure, with the band of its interval."""
    lines = []
    for position, (measure, title) in enumerate(MEASURES.items()):
        rows = table[table["measure"] == measure]
        if len(rows):
            line = _draw_line(panel, position, rows[x], rows["value"], title)
            panel.ax.fill_between(
                to_floats(rows[x]), get_floats(rows, "low"), get_floats(rows, "high"), alpha=0.13,
                linewidth=0, color=line.get_color(),
            )  # fmt: skip
            lines.append(line)
    return lines


def _draw_line(panel: Canvas, position: int, x: pd.Series, y: pd.Series, title: str) -> Line2D:
    options = line_options(position, panel.colours, in_panel=True)
    (line,) = panel.ax.plot(to_floats(x), to_floats(y), label=title, **options)
    return line


def _scale_sweep_panel(panel: Canvas, x: pd.Series, xlabel: str, ylabel: str) -> None:
    scale_panel_x(panel, to_floats(x))
    scale_panel_y(panel)
    panel.ax.set(xlabel=xlabel, ylabel=ylabel)


def _highest_value(table: pd.DataFrame) -> float:
    """Return the highest value or upper end of an interval."""
    return float(np.nanmax([to_floats(table["value"]), get_floats(table, "high")]))


SIMULATED_FIGURES = {
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
        Result of :func:`holdfast.simulate.figure_tables` for this figure.
    style : {"light", "dark"}, default "light"
        Colours for a light or a dark page.

    Returns
    -------
    Picture
        A new figure with one or more panels.

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
    if number not in SIMULATED_FIGURES:
        raise UnknownNameError(f"figure must be one of {list(SIMULATED_FIGURES)}, got {number!r}.")
    draw, needed = SIMULATED_FIGURES[number]
    missing = [name for name in needed if name not in tables]
    if missing:
        raise InvalidInputError(
            f"figure {number} needs the tables {', '.join(needed)}; missing: "
            f"{', '.join(missing)}. Compute them with holdfast.simulate.figure_tables({number})."
        )
    return draw(tables, style)
