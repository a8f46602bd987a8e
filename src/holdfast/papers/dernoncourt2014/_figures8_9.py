"""Figures 8 and 9: errors by samples, features and effects; stability at constant N/D."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

import holdfast as hf
from holdfast.papers._claims import (
    Check,
    Claim,
    UncheckableClaim,
    format_change,
    require_rows,
)
from holdfast.papers._record import Experiment, Setting
from holdfast.papers._runner import ExperimentResult
from holdfast.papers.dernoncourt2014._figures3_5 import (
    MIN_STEADY_TREND,
    ONLY,
    PANELS,
    get_curve,
    get_figure_tables,
    get_value_at,
    pick_spaced_rows,
    trend,
)
from holdfast.simulate import Generator

if TYPE_CHECKING:
    from holdfast.papers._claims import ClaimInput
    from holdfast.papers._runner import ExperimentRunner


TEXT, CAPTION, PSEUDO_INVERSE = "N = 100", "N = 1000", "pseudo-inverse"
RULES = {
    "lda_error": "LDA",
    "bayes_observed": "best on selected",
    "bayes_optimal": "best possible",
}
DEFAULT_SETTING: dict[str, Any] = {"n_features": 1000, "gamma": 2.0, "bayes_error": 0.10}
SHARE = 0.1
ERRORS, STABILITY = "errors", "stability"
KEPT = ["panel", "x", *RULES]
SHRUNKEN = "shrinkage_lda_error"


def figure8(runner: ExperimentRunner) -> ExperimentResult:
    """Show errors along four panels: with 100 samples, and with 1,000."""
    tables = get_figure_tables(runner, 8)
    few = tables[ERRORS]
    many = runner.tables("figure8 caption", lambda: simulate_many_samples(runner, few))
    sweeps = use_panel_letters(get_figure_tables(runner, 6)[STABILITY])
    text = {
        ERRORS: use_panel_letters(use_shrinkage(few)),
        STABILITY: sweeps.query("measure == 'relative_weighted_consistency'")[
            ["panel", "x", "value"]
        ],
    }
    # the first panel varies N itself, so it is the same in both settings
    caption = {
        ERRORS: use_panel_letters(use_shrinkage(many[ERRORS])),
        STABILITY: use_panel_letters(many[STABILITY]),
    }
    caption[ERRORS] = pd.concat(
        [get_panel_errors(text[ERRORS], "N"), caption[ERRORS]], ignore_index=True
    )
    pseudo_inverse = {**text, ERRORS: use_panel_letters(few[KEPT])}
    tables_by_setting = {TEXT: text, CAPTION: caption, PSEUDO_INVERSE: pseudo_inverse}
    by_samples = few.loc[few["panel"] == "n_samples", [*KEPT, SHRUNKEN]]
    plotted = pd.concat([by_samples, many[ERRORS]], ignore_index=True)
    facts = {
        (name, fact): table
        for name, own in tables_by_setting.items()
        for fact, table in own.items()
    }
    compared = {(TEXT, f"{fact} {CAPTION}"): table for fact, table in caption.items()}
    return ExperimentResult(
        values=pd.concat(
            [
                pick_panel_errors(own[ERRORS]).assign(setting=name)
                for name, own in tables_by_setting.items()
            ]
        ),
        pictures={
            "errors": hf.plot.simulated_figure(8, tables),
            "errors-1000": hf.plot.simulated_figure(8, {ERRORS: plotted}),
        },
        facts=facts | compared,
    )


def simulate_many_samples(runner: ExperimentRunner, few: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Simulate the last three panels with 1,000 samples, at the points of those with 100."""
    errors, stability = [], []
    for position, panel in enumerate(("n_features", "size", "gamma")):
        places = few.loc[few["panel"] == panel, "x"]
        sizes = [int(place) for place in places] if panel == "size" else SHARE
        simulation = hf.simulate.simulate_stability(
            make_panel_generators(panel, places),
            size=sizes,
            measures="relative_weighted_consistency",
            random_state=1000 * runner.seed + position,
            n_jobs=runner.workers.n_jobs or -1,
        )
        kept = [*KEPT, SHRUNKEN]
        errors.append(simulation.errors.assign(panel=panel, x=simulation.errors[panel])[kept])
        values = simulation.stability.assign(panel=panel, x=simulation.stability[panel])
        stability.append(values[values["size"] < values["n_features"]][["panel", "x", "value"]])
    return {ERRORS: pd.concat(errors), STABILITY: pd.concat(stability)}


def use_shrinkage(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the errors with those of LDA with a shrunken covariance as those of LDA."""
    return errors.assign(lda_error=errors[SHRUNKEN])[KEPT]


def make_panel_generators(panel: str, places: pd.Series) -> list[Generator]:
    """Return the data sets of a panel."""
    if panel == "size":
        return [hf.simulate.IndependentGaussian(n_samples=1000, **DEFAULT_SETTING)]
    kinds = (float(place) if panel == "gamma" else int(place) for place in places)
    return [
        hf.simulate.IndependentGaussian(**{"n_samples": 1000, **DEFAULT_SETTING, panel: kind})
        for kind in kinds
    ]


def use_panel_letters(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the paper's letters for the panels."""
    return table.assign(panel=table["panel"].map(PANELS))


def get_panel_errors(table: pd.DataFrame, panel: str) -> pd.DataFrame:
    """Return the errors of one panel."""
    return table.loc[table["panel"] == panel, KEPT]


def pick_panel_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Return the errors at a few points of each panel, one row per number."""
    parts = [pick_spaced_rows(own) for _, own in table.groupby("panel", sort=False)]
    errors = pd.concat(parts, ignore_index=True)[KEPT].rename(columns=RULES)
    return errors.melt(["panel", "x"], var_name="rule")


# Claims about Figure 8, and its record.

LDA, OBSERVED, OPTIMAL = "lda_error", "bayes_observed", "bayes_optimal"


def curve(inputs: ClaimInput, panel: str, error: str, name: str = ERRORS) -> pd.Series:
    """Return an error along a panel."""
    return get_curve(inputs.fact_table(name), "x", error, panel=panel)


def check_errors_fall(panel: str, *errors: str) -> Check:
    """Return a check that errors fall along a panel."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        found = {error: curve(inputs, panel, error) for error in errors}
        texts = [
            f"{ERROR_NAMES[error]} {format_change(one)} (rank correlation {trend(one):+.2f})"
            for error, one in found.items()
        ]
        return all(trend(one) <= -MIN_STEADY_TREND for one in found.values()), "; ".join(texts)

    return check


ERROR_NAMES = {LDA: "LDA", OBSERVED: "best on selected", OPTIMAL: "best possible"}


def gap_is_wide_in_small_samples(inputs: ClaimInput) -> tuple[bool, str]:
    """In small samples, the selected features are far worse than the best ones."""
    gap = curve(inputs, "N", OBSERVED) - curve(inputs, "N", OPTIMAL)
    first, last = gap.index[0], gap.index[-1]
    return bool(gap.iloc[0] >= 0.1), (
        f"best error on the selected features exceeds the best possible by {gap.iloc[0]:.2f} at "
        f"N = {first:g}, by {gap.iloc[-1]:.2f} at {last:,g}"
    )


def few_features(inputs: ClaimInput) -> tuple[bool, str]:
    """With 50 features the error is below 20%, where 16% is the best possible."""
    error, best = (get_value_at(curve(inputs, "D", one), 50) for one in (LDA, OPTIMAL))
    return error < 0.20 and best > 0.16, f"LDA {error:.3f}, best possible {best:.3f}"


def many_features(inputs: ClaimInput) -> tuple[bool, str]:
    """From 2,500 features on the error is above 40%."""
    error, observed = (
        one[one.index >= 2500] for one in (curve(inputs, "D", LDA), curve(inputs, "D", OBSERVED))
    )
    require_rows(error, "no more than 2,500 features were simulated")
    return bool(error.min() > 0.4 and observed.min() > 0.3), (
        f"from D = {error.index[0]:,g} on LDA {error.min():.2f} or more, best on selected "
        f"{observed.min():.2f} or more"
    )


def meets_at_the_end(inputs: ClaimInput) -> tuple[bool, str]:
    """The selected features are as good as the best only when all are selected."""
    gap = curve(inputs, "d", OBSERVED) - curve(inputs, "d", OPTIMAL)
    inner = gap.iloc[:-1]
    widest = inner.idxmax()
    held = gap.iloc[-1] < 0.005 <= inner[inner.index <= 500].min()
    return bool(held), (
        f"gap {gap.iloc[0]:.2f} at d = {gap.index[0]:g}, widest {gap.max():.2f} at d = "
        f"{widest:g}, {abs(gap.iloc[-1]):.3f} at d = {gap.index[-1]:,g}"
    )


def hardly_falls_beyond_200(inputs: ClaimInput) -> tuple[bool, str]:
    """More than 200 features hardly lower the error."""
    errors = curve(inputs, "d", LDA)
    start = min(errors.index, key=lambda size: abs(size - 200))
    beyond = errors[errors.index > start]
    require_rows(beyond, "no more than 200 selected features were simulated")
    gain = float(errors[start] - beyond.min())
    return gain <= 0.05, (
        f"{errors[start]:.2f} at d = {start:g}, lowest beyond it {beyond.min():.2f} at d = "
        f"{beyond.idxmin():,g}; highest of all {errors.max():.2f} at d = {errors.idxmax():g}"
    )


def gamma_closes_the_gap(inputs: ClaimInput) -> tuple[bool, str]:
    """With γ the selected features come closer to the best ones, and LDA follows slower."""
    observed, optimal, lda = (curve(inputs, "γ", one) for one in (OBSERVED, OPTIMAL, LDA))
    gap = observed - optimal
    gains = [float(one.iloc[0] - one.iloc[-1]) for one in (observed, lda)]
    held = trend(gap) <= -MIN_STEADY_TREND and gains[1] < gains[0]
    return held, (
        f"gap {format_change(gap)}; from γ = {gap.index[0]:g} to {gap.index[-1]:g} the best error "
        f"on the selected features falls by {gains[0]:.2f}, that of LDA by {gains[1]:.2f}"
    )


def gamma_matters_more_for_errors(inputs: ClaimInput) -> tuple[bool, str]:
    """γ changes the error more than the stability."""
    error, stable = curve(inputs, "γ", LDA), curve(inputs, "γ", "value", STABILITY)
    spans = [float(one.max() - one.min()) for one in (error, stable)]
    return spans[0] > spans[1], f"range of the error {spans[0]:.3f}, of CW_rel {spans[1]:.3f}"


def thousand_samples_are_better(inputs: ClaimInput) -> tuple[bool, str]:
    """With 1,000 samples errors along d are lower, and stability is higher."""
    few, many = (curve(inputs, "d", LDA, one) for one in (ERRORS, f"{ERRORS} {CAPTION}"))
    low, high = (curve(inputs, "d", "value", one) for one in (STABILITY, f"{STABILITY} {CAPTION}"))
    lower, higher = (many < few.reindex(many.index)), (high > low.reindex(high.index))
    but = ", ".join(f"{size:,.0f}" for size in lower.index[~lower])
    return bool(lower.all() and higher.all()), (
        f"error lower at {lower.sum()} of {len(lower)} sizes{but and f' (not at {but})'}, CW_rel "
        f"higher at {higher.sum()} of {len(higher)}"
    )


CLAIMS = (
    Claim(
        "The errors of LDA and of the best rule on the selected features fall with N (rank "
        "correlation -0.9 or lower).",
        check_errors_fall("N", LDA, OBSERVED),
        main_only=True,
    ),
    Claim(
        "In small samples the selected features are much worse than the best ones (threshold 0.1 "
        "at the smallest N).",
        gap_is_wide_in_small_samples,
        main_only=True,
    ),
    Claim(
        "With 50 features the error is below 20%, with a best possible error above 16%.",
        few_features,
    ),
    Claim(
        "From 2,500 features on the error is above 40%, and at best above 30% on the selected "
        "features.",
        many_features,
    ),
    Claim(
        "The selected features are as good as the best ones only when all are selected (threshold: "
        "gap 0.005 or more up to d = 500).",
        meets_at_the_end,
    ),
    Claim(
        "The error hardly falls when more than 200 features are selected (threshold 0.05).",
        hardly_falls_beyond_200,
    ),
    Claim(
        "The higher γ, the lower the error of LDA (rank correlation -0.9 or lower).",
        check_errors_fall("γ", LDA),
    ),
    Claim(
        "With γ the selected features come closer to the best ones, and the error of LDA falls "
        "less than the best error on them.",
        gamma_closes_the_gap,
    ),
    Claim(
        "γ has more influence on the error than on stability (range of the error of LDA wider "
        "than that of CW_rel).",
        gamma_matters_more_for_errors,
    ),
    Claim(
        "With 1,000 samples instead of 100, errors along d are lower and CW_rel is higher.",
        thousand_samples_are_better,
        main_only=True,
    ),
)
FIGURE8 = Experiment(
    name="figure8",
    place="Section 4.2",
    label="Figure 8",
    title="Errors by samples, features, selected features, and distribution of effects",
    make=figure8,
    size=("100 training sets, half of the grid", "100 training sets, the whole grid"),
    work=("figure8", "figure6"),
    keys=("panel", "x", "rule"),
    part="rule",
    settings=(
        Setting(
            name=TEXT,
            title="N = 100 where N does not vary, as in the paper's text; LDA with a shrunken "
            "covariance matrix.",
        ),
        Setting(name=CAPTION, title="N = 1000 where N does not vary, as in the caption."),
        Setting(
            name=PSEUDO_INVERSE,
            title="N = 100, LDA by the pseudo-inverse of the covariance matrix.",
        ),
    ),
    choices=(
        "Text and caption differ in N: both are run. The numbers in the text fit N = 100.",
        (
            "Errors are computed from the model, without test samples. The paper does not say how "
            "LDA copes with more features than samples. The numbers in its text fit a shrunken "
            "covariance matrix; with the pseudo-inverse the error is highest at N - 2 features."
        ),
        (
            "The paper does not state its grid points: those of Figure 6. The table shows a few of "
            "them, the pictures all."
        ),
    ),
    claims=CLAIMS,
)


# Figure 9: stability where samples and features grow together.

POINTS = "points"
MAX_STABILITY_RANGE = 0.05
"""Highest minus lowest CW_rel that counts as constant; chosen by hand."""
MIN_FEATURES_FOR_TENTH = 100
"""Features of which a tenth is ten: smaller subsets are too noisy."""
MIN_FEATURES_AT_LARGE_RATIO = 200
"""Data with fewer features have the lowest dimensions, which the paper excepts."""


def figure9(runner: ExperimentRunner) -> ExperimentResult:
    """Show CW_rel by N, for each ratio of N to D."""
    tables = get_figure_tables(runner, 9)
    table = tables["stability"]
    parts = [pick_spaced_rows(own) for _, own in table.groupby("ratio", sort=False)]
    shown = pd.concat(parts, ignore_index=True).rename(columns={"ratio": "N/D", "n_samples": "n"})
    values = shown[["N/D", "n", "value"]].assign(measure="CW_rel", setting=ONLY)
    return ExperimentResult(
        values=values,
        pictures={"ratios": hf.plot.simulated_figure(9, tables)},
        facts={(ONLY, POINTS): table},
    )


def stability_ranges(table: pd.DataFrame) -> pd.Series:
    """Return highest minus lowest CW_rel of each ratio."""
    grouped = table.groupby("ratio")["value"]
    ranges: pd.Series = (grouped.max() - grouped.min())[grouped.size() > 1]
    require_rows(ranges, "no ratio was simulated at two sizes")
    return ranges


def constant_from_a_hundred(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel hardly varies at constant N/D, where at least ten features are selected."""
    table = inputs.fact_table(POINTS)
    ranges = stability_ranges(
        table[(table["ratio"] < 5) & (table["n_features"] >= MIN_FEATURES_FOR_TENTH)]
    )
    return bool(
        ranges.max() <= MAX_STABILITY_RANGE
    ), f"highest minus lowest CW_rel: {_format_ranges(ranges)}"


def constant_from_five(inputs: ClaimInput) -> tuple[bool, str]:
    """The same for large ratios, except for the lowest dimensions."""
    table = inputs.fact_table(POINTS)
    table = table[table["ratio"] >= 5]
    ranges = stability_ranges(table[table["n_features"] >= MIN_FEATURES_AT_LARGE_RATIO])
    return bool(ranges.max() <= MAX_STABILITY_RANGE), (
        f"highest minus lowest CW_rel: {_format_ranges(ranges)}; with the lowest dimensions "
        f"{_format_ranges(stability_ranges(table))}"
    )


def _format_ranges(ranges: pd.Series) -> str:
    return ", ".join(f"{value:.3f} at N/D = {ratio:g}" for ratio, value in ranges.items())


def grows_with_ratio(inputs: ClaimInput) -> tuple[bool, str]:
    """CW_rel grows with N/D."""
    means = inputs.fact_table(POINTS).groupby("ratio")["value"].mean().sort_index()
    if len(means) < 2:
        raise UncheckableClaim("fewer than two ratios were simulated")
    texts = [f"{value:.2f} at {ratio:g}" for ratio, value in means.items()]
    return bool(means.is_monotonic_increasing), "mean CW_rel " + ", ".join(texts)


def low_up_to_a_tenth(most: float, *, strictly: bool = False) -> Claim:
    """Claim that CW_rel stays below a threshold for small N/D."""

    def check(inputs: ClaimInput) -> tuple[bool, str]:
        table = inputs.fact_table(POINTS)
        points = table[table["ratio"] <= 0.1]
        if points.empty:
            raise UncheckableClaim("no N/D of 0.1 or less was simulated")
        top = points.iloc[int(points["value"].argmax())]
        return bool(top["value"] < most), (
            f"at most {top['value']:.3f}, at N/D = {top['ratio']:g} with N = "
            f"{top['n_samples']:,.0f}; {len(points)} points from N/D = {points['ratio'].min():g} on"
        )

    text = (
        f"Stability is almost 0 for N/D up to 0.1 (threshold {most:g})."
        if strictly
        else f"Stability is below {most:g} for N/D up to 0.1, as in expression data."
    )
    return Claim(text, check)


FIGURE9 = Experiment(
    name="figure9",
    place="Section 4.2",
    label="Figure 9",
    title="Stability at constant ratios of samples to features",
    make=figure9,
    size=(
        "100 training sets, up to 10,000 features, half of the grid",
        "100 training sets, up to 100,000 features (10,000 in the paper)",
    ),
    work=("figure9",),
    keys=("N/D", "n", "measure"),
    choices=(
        (
            "The paper does not state its grid points and the ratios between 0.01 and 10: 0.01, "
            "0.05, 0.1, 0.5, 1, 5 and 10, with the numbers of samples of Figure 6. The table shows "
            "a few points, the picture all."
        ),
        "The Bayes error is 0.10, and a tenth of the features is selected.",
    ),
    claims=(
        Claim(
            "At constant N/D below 5, stability is constant (threshold: highest minus lowest "
            "CW_rel at most 0.05, from 100 features on, of which 10 or more are selected).",
            constant_from_a_hundred,
        ),
        Claim(
            "At constant N/D from 5 on it is constant except for the lowest dimensions (threshold: "
            "the same, from 200 features on).",
            constant_from_five,
        ),
        Claim("Stability grows with N/D (mean CW_rel at each ratio).", grows_with_ratio),
        low_up_to_a_tenth(0.2),
        low_up_to_a_tenth(0.1, strictly=True),
    ),
)
