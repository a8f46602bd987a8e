"""Figures 6 and 7: stability by samples, features and effects; and on correlated features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import holdfast as hf
from holdfast.papers._claims import (
    Check,
    Claim,
    UncheckableClaim,
    format_change,
)
from holdfast.papers._record import Experiment, Setting
from holdfast.papers._runner import ExperimentResult
from holdfast.papers.dernoncourt2014._figures3_5 import (
    FILTER_LABELS,
    MEASURE_SHORT_NAMES,
    MIN_STEADY_TREND,
    ONLY,
    PANELS,
    get_curve,
    get_figure_tables,
    get_value_at,
    pick_spaced_rows,
    position_of_highest,
    trend,
)

if TYPE_CHECKING:
    from holdfast.papers._claims import ClaimInput
    from holdfast.papers._runner import ExperimentRunner


MEASURES = tuple(MEASURE_SHORT_NAMES.values())
SWEEPS = "sweeps"
CUT_SETTINGS = {0.01: "p-values up to 0.01", 0.05: "p-values up to 0.05"}
"""Settings in which a cut on the p-value selects, by its level."""
MEAN_SIZE = "features"


def figure6(runner: ExperimentRunner) -> ExperimentResult:
    """Show stability along four panels, and along the first where p-values are cut."""
    tables = get_figure_tables(runner, 6)
    table = tables["stability"].assign(measure=lambda own: own["measure"].map(MEASURE_SHORT_NAMES))
    table["panel"] = table["panel"].map(PANELS)
    # S_W and S_R compare all scores and ranks, whatever is selected
    whole = table[(table["panel"] == "N") & table["measure"].isin(("S_W", "S_R"))]
    values, facts = [pick_panel_values(table).assign(setting=ONLY)], {(ONLY, SWEEPS): table}
    for alpha, setting in CUT_SETTINGS.items():
        cut = _read_cut_panel(tables["p_value_cuts"], alpha)
        values.append(pick_panel_values(cut).assign(setting=setting))
        facts[setting, SWEEPS] = pd.concat([cut, whole], ignore_index=True)
    return ExperimentResult(
        values=pd.concat(values, ignore_index=True),
        pictures={"stability": hf.plot.simulated_figure(6, tables)},
        facts=facts,
    )


def _read_cut_panel(table: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """Return stability and mean number of selected features by N, for one level."""
    rows = table[np.isclose(table["alpha"], alpha)].rename(columns={"n_samples": "x"})
    rows = rows.assign(panel="N", measure=rows["measure"].map(MEASURE_SHORT_NAMES))
    sizes = rows.drop_duplicates("x").assign(
        measure=MEAN_SIZE, value=lambda first: first["mean_size"]
    )
    return pd.concat([rows, sizes], ignore_index=True)


def pick_panel_values(table: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers at a few points of each panel."""
    parts = [pick_spaced_rows(own) for _, own in table.groupby(["panel", "measure"], sort=False)]
    return pd.concat(parts, ignore_index=True)[["panel", "x", "measure", "value"]]


def curve(inputs: ClaimInput, panel: str, measure: str) -> pd.Series:
    """Return a measure along a panel."""
    return get_curve(inputs.fact_table(SWEEPS), "x", "value", panel=panel, measure=measure)


def check_trend(panel: str, sign: int) -> Check:
    """Return a check that all measures rise, or fall, along a panel."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        curves = {name: curve(inputs, panel, name) for name in MEASURES}
        texts = [
            f"{name} {format_change(values)} (rank correlation {trend(values):+.2f})"
            for name, values in curves.items()
        ]
        return all(
            sign * trend(values) >= MIN_STEADY_TREND for values in curves.values()
        ), "; ".join(texts)

    return check


def check_values_between(
    panel: str, place: float, low: float, high: float, names: tuple[str, ...], *, least: int = 4
) -> Check:
    """Return a check that at least this many measures lie between two thresholds at a position."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        values = {name: get_value_at(curve(inputs, panel, name), place) for name in names}
        texts = [f"{name} {value:.3f}" for name, value in values.items()]
        within = sum(low <= value <= high for value in values.values())
        return within >= least, ", ".join(texts)

    return check


def rises_to_the_top(inputs: ClaimInput) -> tuple[bool, str]:
    """ATI_PA and S_W are as high as the paper has them at N = 10,000."""
    ati, scores = (get_value_at(curve(inputs, "N", name), 10_000) for name in ("ATI_PA", "S_W"))
    return ati > 0.6 and 0.85 <= scores <= 0.95, f"ATI_PA {ati:.2f}, S_W {scores:.2f}"


def best_size(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel is highest at a certain number of selected features."""
    values = curve(inputs, "d", "CW_rel")
    top = position_of_highest(values)
    return 100 <= top <= 250, (
        f"highest at d = {top:g}: {values.max():.3f}; {values.iloc[0]:.3f} at d = "
        f"{values.index[0]:g}, {values.iloc[-1]:.3f} at d = {values.index[-1]:g}"
    )


def few_are_least_stable(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel is lowest for the fewest selected features."""
    values = curve(inputs, "d", "CW_rel")
    least = values.idxmin()
    return bool(least == values.index[0]), (
        f"lowest at d = {least:g}: {values.min():.3f}; "
        f"{values.iloc[0]:.3f} at d = {values.index[0]:g}"
    )


def falls_beyond_best_size(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel falls steadily from its highest value on."""
    values = curve(inputs, "d", "CW_rel")
    beyond = values[values.index >= values.idxmax()]
    if len(beyond) < 3:
        raise UncheckableClaim("fewer than three sizes lie beyond the best one")
    return trend(beyond) <= -MIN_STEADY_TREND, (
        f"{format_change(beyond)} from d = {beyond.index[0]:g} to {beyond.index[-1]:g}, "
        f"rank correlation {trend(beyond):+.2f}"
    )


def size_matters_less(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel varies less with d than with N and D."""
    curves = {panel: curve(inputs, panel, "CW_rel") for panel in ("N", "D", "d")}
    ranges = {panel: float(values.max() - values.min()) for panel, values in curves.items()}
    texts = [f"{panel} {value:.2f}" for panel, value in ranges.items()]
    held = ranges["d"] < min(ranges["N"], ranges["D"]) / 2
    return held, "range of CW_rel along " + ", ".join(texts)


def correlations_ignore_size(inputs: ClaimInput) -> tuple[bool, str]:
    """S_W and S_R do not depend on d."""
    curves = {name: curve(inputs, "d", name) for name in ("S_W", "S_R")}
    texts = [f"{name} {values.min():.3f} to {values.max():.3f}" for name, values in curves.items()]
    return all(values.max() - values.min() < 0.005 for values in curves.values()), ", ".join(texts)


def least_stable_at_triangular(inputs: ClaimInput) -> tuple[bool, str]:
    """All measures are lowest at γ = 1."""
    curves = {name: curve(inputs, "γ", name) for name in MEASURES}
    texts = [
        f"{name} {get_value_at(values, 1.0):.3f}, highest {values.max():.3f}"
        for name, values in curves.items()
    ]
    return all(values.idxmin() == 1.0 for values in curves.values()), "; ".join(texts)


def scores_rise_with_gamma(inputs: ClaimInput) -> tuple[bool, str]:
    """S_W rises with each step of γ."""
    values = curve(inputs, "γ", "S_W")
    evidence = f"{format_change(values)} over {len(values)} values of γ"
    return bool(values.is_monotonic_increasing), evidence


def ranks_have_a_best_gamma(inputs: ClaimInput) -> tuple[bool, str]:
    """S_R rises, then falls."""
    values = curve(inputs, "γ", "S_R")
    top = position_of_highest(values)
    held = 3 <= top <= 7 and values.max() > max(values.iloc[0], values.iloc[-1])
    return bool(held), (
        f"highest at γ = {top:g}: {values.max():.3f}; {values.iloc[0]:.3f} at 1, "
        f"{values.iloc[-1]:.3f} at {values.index[-1]:g}"
    )


def subsets_follow_later(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel and ATI_PA reach their highest values at a larger γ than S_R."""
    tops = {
        name: position_of_highest(curve(inputs, "γ", name)) for name in ("S_R", "CW_rel", "ATI_PA")
    }
    texts = [f"{name} highest at γ = {top:g}" for name, top in tops.items()]
    return min(tops["CW_rel"], tops["ATI_PA"]) > tops["S_R"], ", ".join(texts)


FIGURE6 = Experiment(
    name="figure6",
    place="Section 4.2",
    label="Figure 6",
    title="Stability by samples, features, selected features, and distribution of effects",
    make=figure6,
    size=("100 training sets, half of the grid", "100 training sets, the whole grid"),
    work=("figure6",),
    keys=("panel", "x", "measure"),
    part="measure",
    settings=(
        Setting(name=ONLY, title="A tenth of the features is selected, or d of them."),
        *(
            Setting(
                name=name,
                title=f"All features with a two-sided p-value of the t-test up to {alpha:g} are "
                "selected, however many they are, along N only: Fig. 1 of the paper's supplement. "
                "The level of the supplement is not known here.",
            )
            for alpha, name in CUT_SETTINGS.items()
        ),
    ),
    choices=(
        (
            "The paper does not state its grid points: 14 numbers of samples, 12 of features, 21 "
            "of selected features and 11 powers over the ranges of the paper. The table shows a "
            "few of them, the picture all."
        ),
        "N counts the samples of both classes; the Bayes error is 0.10.",
    ),
    claims=(
        Claim(
            "Stability rises with N (all four measures, rank correlation at least 0.9).",
            check_trend("N", 1),
        ),
        Claim(
            "Stability is close to 0 at N = 100, with 1,000 features (all four measures, threshold "
            "0.1).",
            check_values_between("N", 100, -0.1, 0.1, MEASURES),
        ),
        Claim(
            "At N = 10,000, ATI_PA is above 0.6 and S_W almost 0.9 (threshold 0.85 to 0.95).",
            rises_to_the_top,
        ),
        Claim(
            "Stability falls with D (all four measures, rank correlation -0.9 or lower).",
            check_trend("D", -1),
        ),
        Claim(
            "With 100 samples and 50 features, stability is 0.4 to 0.6 (threshold: three of the "
            "four measures, to one decimal).",
            check_values_between("D", 50, 0.35, 0.65, MEASURES, least=3),
        ),
        Claim(
            "CW_rel is highest when about 150 to 180 features are selected (threshold 100 to 250).",
            best_size,
        ),
        Claim("CW_rel is lowest when very few features are selected.", few_are_least_stable),
        Claim(
            "Beyond its highest value CW_rel falls steadily with d (rank correlation -0.9 or "
            "lower).",
            falls_beyond_best_size,
        ),
        Claim(
            "The number of selected features matters less than N and D (range of CW_rel less "
            "than half as wide).",
            size_matters_less,
        ),
        Claim("S_W and S_R do not depend on d.", correlations_ignore_size),
        Claim("All four measures are lowest at γ = 1.", least_stable_at_triangular),
        Claim("S_W rises with γ throughout.", scores_rise_with_gamma),
        Claim(
            "S_R rises with γ, then falls, and is highest near γ = 5 (threshold 3 to 7).",
            ranks_have_a_best_gamma,
        ),
        Claim(
            "CW_rel and ATI_PA follow S_R, but fall later: they are highest at a larger γ.",
            subsets_follow_later,
        ),
    ),
)


# Figure 7: stability of t-score and CAT score on correlated features.

T, CAT = FILTER_LABELS["t_score"], FILTER_LABELS["cat_score"]
INDEPENDENT = "independent"
LAYOUTS = ("scattered", "in blocks")
KINDS = ("progressive", "100 informative")
STRUCTURES = (INDEPENDENT, *(f"{kind}, {layout}" for kind in KINDS for layout in LAYOUTS))


def figure7(runner: ExperimentRunner) -> ExperimentResult:
    """Show stability of both scores by number of samples, for five structures of the data."""
    tables = get_figure_tables(runner, 7)
    table = tables["stability"].rename(columns={"n_samples": "n"})
    # both scores stand side by side, so that rows of a measure come together
    order = {name: place for place, name in enumerate([*STRUCTURES, *MEASURE_SHORT_NAMES])}
    rows = table.iloc[
        table.replace({"structure": order, "measure": order})
        .sort_values(["structure", "n", "measure"], kind="stable")
        .index
    ]
    values = rows.assign(
        measure=rows["measure"].map(MEASURE_SHORT_NAMES),
        selector=rows["selector"].map(FILTER_LABELS),
    )
    return ExperimentResult(
        values=values[["structure", "n", "measure", "selector", "value"]].assign(setting=ONLY),
        pictures={"stability": hf.plot.simulated_figure(7, tables)},
    )


def consistency_by_structure(inputs: ClaimInput) -> pd.DataFrame:
    """Return CW_rel by structure and N: one column per selector."""
    wide = inputs.pivot(["structure", "n"], "selector", measure="CW_rel")
    if not {T, CAT} <= set(wide.columns):
        raise UncheckableClaim("both scores are needed")
    return wide


def cat_is_below(inputs: ClaimInput) -> tuple[bool, str]:
    """The CAT score is less stable where relevant features fill whole blocks."""
    wide, held, texts = consistency_by_structure(inputs), [], []
    for kind in KINDS:
        rows = get_structure_rows(wide, f"{kind}, in blocks")
        gap = rows[CAT] - rows[T]
        held.append(gap.mean() < 0 and gap.iloc[-1] < 0)
        last = rows.iloc[-1]
        texts.append(
            f"{kind}: {gap.mean():+.2f} on average over {len(rows)} values of N, "
            f"{last[CAT]:.2f} and {last[T]:.2f} at N = {rows.index[-1]:,}"
        )
    return all(held), "; ".join(texts)


def get_structure_rows(wide: pd.DataFrame, structure: str) -> pd.DataFrame:
    """Return the rows of a structure by N."""
    if structure not in wide.index.get_level_values("structure"):
        raise UncheckableClaim(f"no data of the structure {structure!r} were simulated")
    rows = wide[wide.index.get_level_values("structure") == structure]
    return rows.droplevel("structure").sort_index()


def correlation_changes_little(inputs: ClaimInput) -> tuple[bool, str]:
    """The stability of the t-score goes the same way with and without correlation."""
    wide, held, texts = consistency_by_structure(inputs)[T], [], []
    frame = wide.to_frame()
    free = get_structure_rows(frame, INDEPENDENT)[T]
    for structure in STRUCTURES[1:]:
        rows = get_structure_rows(frame, structure)[T].reindex(free.index)
        if rows.isna().any() or len(rows) < 3:
            raise UncheckableClaim("not all numbers of samples were simulated")
        likeness = float(spearmanr(rows, free).statistic)
        gap = float((rows - free).abs().mean())
        held.append(likeness >= MIN_STEADY_TREND and gap <= 0.15)
        texts.append(f"{structure}: rank correlation {likeness:.2f}, mean difference {gap:.2f}")
    return all(held), "; ".join(texts)


def two_point_is_more_stable(inputs: ClaimInput) -> tuple[bool, str]:
    """With 100 informative features, the t-score is more stable than on independent features."""
    frame = consistency_by_structure(inputs)[[T]]
    free = get_structure_rows(frame, INDEPENDENT)[T].mean()
    means = {
        layout: get_structure_rows(frame, f"100 informative, {layout}")[T].mean()
        for layout in LAYOUTS
    }
    texts = [f"{layout} {value:.2f}" for layout, value in means.items()]
    return min(means.values()) > free, (
        f"mean CW_rel over N {', '.join(texts)}; independent features {free:.2f}"
    )


FIGURE7 = Experiment(
    name="figure7",
    place="Section 4.2",
    label="Figure 7",
    title="Stability of t-score and CAT score on correlated features",
    make=figure7,
    size=(
        "50 training sets for each of 5 values of N, 25 to 500",
        "100 training sets for each of 9 values of N, 25 to 10,000",
    ),
    work=("figure7",),
    keys=("structure", "n", "measure", "selector"),
    n_heads=2,
    part="measure",
    choices=(
        (
            "The paper does not say where the relevant features lie: scattered over the blocks, or "
            "filling whole blocks; both are run."
        ),
        "The caption says N = 100, but N varies along the axes: 25 to 10,000.",
    ),
    claims=(
        Claim(
            "The CAT score is less stable than the t-score on correlated features, even in large "
            "samples, where relevant features fill whole blocks (CW_rel on average over N, and at "
            "the largest N, in both kinds of data).",
            cat_is_below,
        ),
        Claim(
            "With correlated features the t-score is about as stable, and gains with N in the same "
            "way (CW_rel compared with that on independent features: rank correlation over N at "
            "least 0.9, mean difference at most 0.15, in each structure).",
            correlation_changes_little,
        ),
        Claim(
            "The second kind of correlated data, with 100 informative features, is more stable "
            "than independent data (t-score, mean CW_rel over N).",
            two_point_is_more_stable,
        ),
    ),
)
