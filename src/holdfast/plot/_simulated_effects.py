"""Figures 3 to 5 of S2: scores, ranks and selections of features against their true effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.plot._margin import Ending, name_endings
from holdfast.plot._numbers import format_values, numeric, plain
from holdfast.plot._panels import entitle, from_zero, open_panels, shades, space_evenly
from holdfast.plot._sheet import check_columns, finish, settle

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from holdfast.plot._picture import Picture
    from holdfast.plot._sheet import Sheet

EFFECT = "true effect μ, in standard deviations"
AROUND = 15
"""So many neighbouring features are averaged for the lines of figure 3."""
POINTS = 20_000
"""Most points of a panel."""
FILTERS = {
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
                entitle(sheet, f"{plain(n)} samples")
    first, *others = sheets.values()
    more = [sheet.ax for sheet in others]
    return finish(first, means, "Scores and ranks by true effect", _said_of_ranks(means), more)


def _draw_cloud(sheet: Sheet, points: pd.DataFrame, x: str, y: str) -> None:
    """Draw the points as an image, those of the first sets: there may be hundreds of thousands."""
    some = points.iloc[:POINTS]
    sheet.ax.scatter(
        some[x], some[y], s=2, alpha=0.25, linewidths=0, color=sheet.colours["sky"],
        rasterized=True,
    )  # fmt: skip
    space_evenly(sheet)
    format_values(sheet.ax.yaxis)


def _draw_means(sheet: Sheet, means: pd.DataFrame, x: str, y: str) -> None:
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
    return finish(first, curves, title, _said_of(curves), [sheet.ax for sheet in others])


def draw_other_filters(tables: Mapping[str, pd.DataFrame], style: str) -> Picture:
    """Draw figure 5: the curves of all sizes, a panel a selector."""
    curves = tables["curves"]
    check_columns(curves, ("n_samples", "selector", "effect", "probability"), "figure 5")
    names = list(dict.fromkeys(curves["selector"]))
    sheets = open_panels([names], style, 3.6)
    for name, sheet in sheets.items():
        _dress(sheet, FILTERS.get(name, name), ylabel=name == names[0])
        sheet.ax.set_xlim(0, numeric(curves["effect"]).max())
    for name, sheet in sheets.items():
        _draw_curves(sheet, curves[curves["selector"] == name], named=name == names[-1])
    first, *others = sheets.values()
    title = "How often other filters select features, by true effect"
    return finish(first, curves, title, _said_of(curves), [sheet.ax for sheet in others])


def _dress(sheet: Sheet, title: str, *, ylabel: bool) -> None:
    entitle(sheet, title)
    sheet.ax.set(xlabel=EFFECT, ylabel="share of sets that select it" if ylabel else "")
    from_zero(sheet)
    space_evenly(sheet)


def _draw_curves(sheet: Sheet, curves: pd.DataFrame, *, named: bool) -> None:
    """Draw a curve a number of samples, the more samples the darker; name them if asked to."""
    sizes = sorted(set(curves["n_samples"]))
    endings = []
    for n, colour in zip(sizes, shades(sheet.colours, len(sizes)), strict=True):
        own = curves[curves["n_samples"] == n]
        line: dict[str, Any] = {"color": colour, "linewidth": 1.6}
        sheet.ax.plot(own["effect"], own["probability"], **line)
        last = own.iloc[-1]
        endings.append(Ending(last["effect"], last["probability"], plain(n), line))
    sheet.ax.set_xlim(0, numeric(curves["effect"]).max())
    settle(sheet)
    if named:
        name_endings(sheet, endings)


def _said_of(curves: pd.DataFrame) -> str:
    top = curves[curves["effect"] == curves["effect"].max()]
    parts = []
    for name, own in top.groupby("selector", sort=False):
        few, many = own.iloc[0], own.iloc[-1]
        parts.append(
            f"{FILTERS.get(str(name), str(name))} selects features of the largest effect with "
            f"probability {few['probability']:.2f} at {plain(few['n_samples'])} samples and "
            f"{many['probability']:.2f} at {plain(many['n_samples'])}"
        )
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."
