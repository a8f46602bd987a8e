"""Tables behind figures 3 to 9 of Dernoncourt et al. (2014), and summaries of them."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from holdfast._typing import FloatArray, SelectorLike
from holdfast.errors import UndefinedMeasureWarning
from holdfast.select import TScore
from holdfast.simulate._gaussian import BlockGaussian, GaussianGenerator, IndependentGaussian
from holdfast.simulate._microarray import Generator
from holdfast.simulate._stability import MEASURES, SimulatedStability, simulate_stability
from holdfast.simulate._training_sets import (
    ERROR_COLUMNS,
    Seeds,
    choose_source,
    pivot_in_order,
    select_training_sets,
)

Tables = dict[str, pd.DataFrame]


SAMPLE_COUNTS = (25, 50, 100, 200, 350, 500, 750, 1000, 1500, 2000, 3500, 5000, 7500, 10_000)
FEATURE_COUNTS = (50, 100, 150, 250, 350, 500, 750, 1000, 1500, 2500, 5000, 10_000)
SUBSET_SIZES = (2, 5, 10, 20, 35, 50, 75, 100, 125, 150, 180, 210, 250, 300, 400, 500, 600, 700,
                800, 900, 1000)  # fmt: skip
GAMMAS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
N_SETS = 100
N_SETS_REDUCED = 50
"""Number of training sets on the reduced grid if training sets are slow."""


class FigureOptions(NamedTuple):
    """Options of a figure: full or reduced grid, seed and number of processes."""

    full: bool
    random_state: int
    n_jobs: int

    def thin_grid(self, grid: tuple[float, ...]) -> tuple[float, ...]:
        """Return the full grid, or about half of it including both ends."""
        return grid if self.full else (*grid[:-1:2], grid[-1])

    def derive_seed(self, *keys: int) -> int:
        """Return the seed of a part of a figure, which `keys` identify."""
        sequence = np.random.SeedSequence(self.random_state, spawn_key=keys)
        return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


# Figures 3 to 5: scores, ranks and selection frequencies by true effect.

LARGEST_EFFECT = 0.15
N_FEATURES, SUBSET_SIZE = 1000, 100
SCORE_SAMPLE_COUNTS = (50, 5000)
CURVE_SAMPLE_COUNTS = (25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
CURVE_SAMPLE_COUNTS_REDUCED = (25, 50, 100, 500, 1000, 5000, 10_000)
OTHER_SAMPLE_COUNTS_REDUCED = (25, 100, 500, 1000)
SELECTION_KEYS = ["n_samples", "selector"]
OTHER_SELECTORS = ("cat_score", "mutual_information")
ONE_STEP_SVM_RFE = "svm_rfe:step=1.0"
MAX_SVM_SAMPLES = 2500
"""Largest training sets of SVM-RFE; the paper, too, has none of 5,000 samples or more."""
EFFECT_GRID = np.linspace(0.0, LARGEST_EFFECT, 61)
SUMMARY_EFFECTS = (0.0, 0.05, 0.10, 0.15)
"""Effects at which the curves are summarized."""


def _make_generator(n_samples: int) -> IndependentGaussian:
    return IndependentGaussian(
        n_samples=n_samples, n_features=N_FEATURES, largest_effect=LARGEST_EFFECT
    )


# Figure 3


def tabulate_scores_and_ranks(options: FigureOptions) -> Tables:
    """Tabulate scores and ranks in each training set, and their means by feature."""
    points = pd.concat(
        [_tabulate_points(n, options, setting) for setting, n in enumerate(SCORE_SAMPLE_COUNTS)],
        ignore_index=True,
    )
    keys = ["n_samples", "feature", "effect", "true_rank"]
    grouped = points.groupby(keys, sort=False)
    means = grouped.agg(
        score_mean=("score", "mean"),
        score_sd=("score", "std"),
        rank_mean=("rank", "mean"),
        rank_sd=("rank", "std"),
    )
    return {"points": points, "means": means.reset_index()}


def _tabulate_points(n_samples: int, options: FigureOptions, setting: int) -> pd.DataFrame:
    generator, n_sets = _make_generator(n_samples), N_SETS if options.full else N_SETS_REDUCED
    source = choose_source(generator, TScore(), Seeds(options.derive_seed(3), setting), exact=True)
    forms = select_training_sets(source, n_sets)
    mu = generator.model.mu
    true_rank = np.empty(N_FEATURES, dtype=np.int64)
    true_rank[np.argsort(-mu)] = np.arange(1, N_FEATURES + 1)
    return pd.DataFrame(
        {
            "n_samples": n_samples,
            "set": np.repeat(np.arange(n_sets), N_FEATURES),
            "feature": np.tile(np.arange(N_FEATURES), n_sets),
            "effect": np.tile(mu, n_sets),
            "true_rank": np.tile(true_rank, n_sets),
            "score": forms["weights"].values.ravel(),
            "rank": forms["ranking"].values.ravel(),
        }
    )


def summarize_ranks(tables: Tables) -> pd.DataFrame:
    """Return mean scores and ranks of the ten best features and of the worse half."""
    rows = []
    for n_samples, means in tables["means"].groupby("n_samples", sort=False):
        ranks = means["true_rank"]
        parts = {"best 10": means[ranks <= 10], "worse half": means[ranks > N_FEATURES // 2]}
        for name, part in parts.items():
            numbers = part[["score_mean", "score_sd", "rank_mean", "rank_sd"]].mean()
            rows.append({"n_samples": n_samples, "features": name, **numbers.to_dict()})
    return pd.DataFrame(rows)


# Figures 4 and 5


def tabulate_t_score_selection(options: FigureOptions) -> Tables:
    """Tabulate selection frequencies of the t-score and logistic curves fitted to them."""
    grid = CURVE_SAMPLE_COUNTS if options.full else CURVE_SAMPLE_COUNTS_REDUCED
    return _tabulate_selection(("t_score",), grid, N_SETS, options, figure=4)


def tabulate_other_selection(options: FigureOptions) -> Tables:
    """Tabulate selection frequencies and curves of CAT score, mutual information and SVM-RFE."""
    grid = CURVE_SAMPLE_COUNTS if options.full else OTHER_SAMPLE_COUNTS_REDUCED
    n_sets = N_SETS if options.full else N_SETS_REDUCED
    # a training set depends on the position of its size, so all selectors see the same ones
    filters = _tabulate_selection(OTHER_SELECTORS, grid, n_sets, options, figure=5)
    few = [n for n in grid if n <= MAX_SVM_SAMPLES]
    svm = _tabulate_selection((ONE_STEP_SVM_RFE,), few, n_sets, options, figure=5)
    return {
        name: pd.concat([table, svm[name]], ignore_index=True) for name, table in filters.items()
    }


def _tabulate_selection(
    selectors: Sequence[str], grid: Sequence[int], n_sets: int, options: FigureOptions, figure: int
) -> Tables:
    result = simulate_stability(
        {str(n): _make_generator(n) for n in grid},
        list(selectors),
        size=SUBSET_SIZE,
        n_sets=n_sets,
        measures="ati_pa",
        errors=False,
        random_state=options.derive_seed(figure),
        n_jobs=options.n_jobs,
    )
    table = result.frequencies.drop(columns=["setting", "size"])
    table.insert(0, "n_samples", result.frequencies["setting"].astype(int))
    curves = [
        pd.DataFrame(
            {
                **dict(zip(SELECTION_KEYS, key, strict=True)),
                "effect": EFFECT_GRID,
                "probability": curve,
            }
        )
        for key, group in table.groupby(SELECTION_KEYS, sort=False)
        for curve in [
            fit_logistic_curve(
                group["effect"].to_numpy(), group["frequency"].to_numpy(), EFFECT_GRID
            )
        ]
    ]
    return {"frequencies": table, "curves": pd.concat(curves, ignore_index=True)}


def fit_logistic_curve(effect: FloatArray, frequency: FloatArray, grid: FloatArray) -> FloatArray:
    """Fit a logistic regression of selection on effect; return probabilities on a grid."""
    scale = np.abs(effect).max()
    # a frequency f is f successes and 1 - f failures: two weighted rows per feature
    X = np.tile(effect / scale, 2)[:, np.newaxis]
    y = np.repeat([1, 0], len(effect))
    weights = np.concatenate([frequency, 1 - frequency])
    # without a penalty: the curve is a maximum likelihood fit
    fitted = LogisticRegression(C=np.inf, max_iter=1000, tol=1e-8).fit(X, y, sample_weight=weights)
    line = fitted.intercept_[0] + fitted.coef_[0, 0] * grid / scale
    return np.asarray(expit(line))


def summarize_curves(tables: Tables) -> pd.DataFrame:
    """Return the curves at the effects in `SUMMARY_EFFECTS`."""
    curves = tables["curves"]
    rows = curves[np.isclose(curves["effect"].to_numpy()[:, None], SUMMARY_EFFECTS).any(axis=1)]
    labelled = rows.assign(effect=rows["effect"].map("effect {:.2f}".format))
    return pivot_in_order(labelled, ["selector", "n_samples"], "effect", "probability")


# Figures 6 to 9: stability and errors by samples, features, size and effects.

DEFAULT_SETTING: dict[str, Any] = {
    "n_samples": 100,
    "n_features": 1000,
    "gamma": 2.0,
    "bayes_error": 0.10,
}
SELECTED_FRACTION = 0.1
P_VALUE_CUTS = (0.01, 0.05)
"""Levels of the two-sided t-test in the paper's supplement, Fig. 1; it is not said which."""
PANEL_PARAMETERS = ("n_samples", "n_features", "size", "gamma")
ESTIMATE_COLUMNS = ["value", "low", "high"]
CORRELATION_STRUCTURES: dict[str, GaussianGenerator] = {
    "independent": IndependentGaussian(),
    "progressive, scattered": BlockGaussian(layout="scattered"),
    "progressive, in blocks": BlockGaussian(layout="blocks"),
    "100 informative, scattered": BlockGaussian(kind="two_point", layout="scattered"),
    "100 informative, in blocks": BlockGaussian(kind="two_point", layout="blocks"),
}
CORRELATED_SAMPLE_COUNTS = (25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
CORRELATED_SAMPLE_COUNTS_REDUCED = (25, 50, 100, 200, 500)
SAMPLE_FEATURE_RATIOS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)
MIN_FEATURES, MAX_FEATURES, MAX_FEATURES_FULL = 50, 10_000, 100_000
"""Range of feature counts in figure 9; the paper has at most 10,000."""


# Figures 6 and 8


def tabulate_stability_sweeps(options: FigureOptions) -> Tables:
    """Tabulate stability in the four panels."""
    tables = []
    for panel, result in _simulate_panels(options, errors=False).items():
        table = result.stability
        table = table[table["size"] < table["n_features"]]  # stability of all features is undefined
        panel_table = table[["measure", *ESTIMATE_COLUMNS]].assign(panel=panel, x=table[panel])
        tables.append(panel_table[["panel", "x", "measure", *ESTIMATE_COLUMNS]])
    return {
        "stability": pd.concat(tables, ignore_index=True),
        "p_value_cuts": tabulate_p_value_cuts(options),
    }


def tabulate_p_value_cuts(options: FigureOptions) -> pd.DataFrame:
    """Tabulate stability by number of samples where p-values determine how many are selected."""
    settings = [
        IndependentGaussian(**{**DEFAULT_SETTING, "n_samples": n})
        for n in options.thin_grid(SAMPLE_COUNTS)
    ]
    tables = []
    for alpha in P_VALUE_CUTS:
        # the training sets are those of the panel with a fixed number of features
        result = _simulate_quietly(
            settings,
            SELECTED_FRACTION,
            options,
            options.derive_seed(6, 0),
            errors=False,
            selectors=[TScore(alpha=alpha, correction="none")],
        )
        sizes = result.frequencies.groupby("setting", sort=False)["frequency"].sum()
        kept = result.stability[["n_samples", "measure", *ESTIMATE_COLUMNS]]
        tables.append(
            kept.assign(alpha=alpha, mean_size=result.stability["setting"].map(sizes.to_dict()))
        )
    return pd.concat(tables, ignore_index=True)


def tabulate_error_sweeps(options: FigureOptions) -> Tables:
    """Tabulate errors in the four panels."""
    tables = []
    for panel, result in _simulate_panels(options, errors=True).items():
        table = result.errors[ERROR_COLUMNS].assign(panel=panel, x=result.errors[panel])
        tables.append(table[["panel", "x", *ERROR_COLUMNS]])
    return {"errors": pd.concat(tables, ignore_index=True)}


def _simulate_panels(options: FigureOptions, *, errors: bool) -> dict[str, SimulatedStability]:
    """Vary one parameter at a time; both figures use the same seeds."""
    grids = {"n_samples": SAMPLE_COUNTS, "n_features": FEATURE_COUNTS, "gamma": GAMMAS}
    results = {}
    for position, panel in enumerate(PANEL_PARAMETERS):
        grid = options.thin_grid(grids[panel]) if panel in grids else (100,)
        name = panel if panel in grids else "n_samples"
        settings = [IndependentGaussian(**{**DEFAULT_SETTING, name: value}) for value in grid]
        sizes = (
            SELECTED_FRACTION
            if panel in grids
            else [int(size) for size in options.thin_grid(SUBSET_SIZES)]
        )
        # the seed does not depend on `errors`: figures 6 and 8 show the same training sets
        results[panel] = _simulate_quietly(
            settings, sizes, options, options.derive_seed(6, position), errors=errors
        )
    return results


def _simulate_quietly(
    settings: Sequence[Generator] | Mapping[str, Generator],
    size: float | Sequence[float],
    options: FigureOptions,
    seed: int,
    *,
    errors: bool,
    selectors: Sequence[SelectorLike] = ("t_score",),
    measures: str | Sequence[str] = MEASURES,
    n_sets: int | None = None,
) -> SimulatedStability:
    """Simulate without warnings about measures that are undefined if all features are selected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        return simulate_stability(
            settings,
            list(selectors),
            size=size,
            n_sets=N_SETS if n_sets is None else n_sets,
            measures=measures,
            errors=errors,
            random_state=seed,
            n_jobs=options.n_jobs,
        )


def summarize_stability_sweeps(tables: Tables) -> pd.DataFrame:
    """Return the measures at both ends and in the middle of each panel."""
    return _take_first_middle_last(
        pivot_in_order(tables["stability"], ["panel", "x"], "measure"), ["panel"]
    )


def summarize_error_sweeps(tables: Tables) -> pd.DataFrame:
    """Return the errors at both ends and in the middle of each panel."""
    kept = [
        "panel", "x", "lda_error", "shrinkage_lda_error", "bayes_observed", "bayes_optimal",
    ]  # fmt: skip
    return _take_first_middle_last(tables["errors"][kept], ["panel"])


def _take_first_middle_last(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the first, middle and last row of each group."""
    parts = [
        group.iloc[sorted({0, len(group) // 2, len(group) - 1})]
        for _, group in table.groupby(keys, sort=False)
    ]
    return pd.concat(parts, ignore_index=True)


# Figure 7


def tabulate_correlated_stability(options: FigureOptions) -> Tables:
    """Tabulate stability of t-score and CAT score on independent and correlated features."""
    grid = CORRELATED_SAMPLE_COUNTS if options.full else CORRELATED_SAMPLE_COUNTS_REDUCED
    settings = {
        f"{name}|{n}": dataclasses.replace(structure, n_samples=n)
        for name, structure in CORRELATION_STRUCTURES.items()
        for n in grid
    }
    result = _simulate_quietly(
        settings,
        SELECTED_FRACTION,
        options,
        options.derive_seed(7),
        errors=False,
        selectors=["t_score", "cat_score"],
        n_sets=N_SETS if options.full else N_SETS_REDUCED,
    )
    table = result.stability
    stability = table[["selector", "n_samples", "measure", *ESTIMATE_COLUMNS]].copy()
    stability.insert(0, "structure", table["setting"].str.partition("|")[0])
    return {"stability": stability}


def summarize_correlated_stability(tables: Tables) -> pd.DataFrame:
    """Return CW_rel with one column per score."""
    table = tables["stability"]
    consistency = table[table["measure"] == "relative_weighted_consistency"]
    return pivot_in_order(consistency, ["structure", "n_samples"], "selector")


# Figure 9


def tabulate_constant_ratios(options: FigureOptions) -> Tables:
    """Tabulate CW_rel at constant ratios of samples to features."""
    max_features = MAX_FEATURES_FULL if options.full else MAX_FEATURES
    settings = {
        f"{ratio:g}|{n}": IndependentGaussian(
            **{**DEFAULT_SETTING, "n_samples": n, "n_features": round(n / ratio)}
        )
        for ratio in SAMPLE_FEATURE_RATIOS
        for n in options.thin_grid(SAMPLE_COUNTS)
        if MIN_FEATURES <= round(n / ratio) <= max_features
    }
    result = _simulate_quietly(
        settings,
        SELECTED_FRACTION,
        options,
        options.derive_seed(9),
        errors=False,
        measures="relative_weighted_consistency",
    )
    stability = result.stability[["n_samples", "n_features", *ESTIMATE_COLUMNS]].copy()
    stability.insert(0, "ratio", result.stability["setting"].str.partition("|")[0].astype(float))
    return {"stability": stability}


def summarize_constant_ratios(tables: Tables) -> pd.DataFrame:
    """Return the smallest, middle and largest study of each ratio."""
    kept = ["ratio", "n_samples", "n_features", "value"]
    return _take_first_middle_last(tables["stability"][kept], ["ratio"])
