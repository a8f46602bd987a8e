"""What the figures have in common: grids, seeds, what is asked for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from holdfast.errors import UndefinedMeasureWarning
from holdfast.select import TScore
from holdfast.simulate._gaussian import BlockGaussian, IndependentGaussian
from holdfast.simulate._stability import simulate_stability
from holdfast.simulate._training_sets import (
    ERRORS,
    Seeds,
    select_training_sets,
    side_by_side,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.simulate._microarray import Generator
    from holdfast.simulate._stability import SimulatedStability

    Tables = dict[str, pd.DataFrame]


SAMPLE_COUNTS = (25, 50, 100, 200, 350, 500, 750, 1000, 1500, 2000, 3500, 5000, 7500, 10_000)
FEATURES = (50, 100, 150, 250, 350, 500, 750, 1000, 1500, 2500, 5000, 10_000)
SUBSET_SIZES = (2, 5, 10, 20, 35, 50, 75, 100, 125, 150, 180, 210, 250, 300, 400, 500, 600, 700,
                800, 900, 1000)  # fmt: skip
GAMMAS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
N_SETS = 100
FEW_SETS = 50
"""Training sets where each takes its time, on the reduced grid."""


class FigureOptions(NamedTuple):
    """What is asked for: the whole grid or not, the seed, and how many processes."""

    full: bool
    random_state: int
    n_jobs: int

    def some(self, grid: tuple[float, ...]) -> tuple[float, ...]:
        """Return the grid, or about half of it with both ends."""
        return grid if self.full else (*grid[:-1:2], grid[-1])

    def seed(self, *keys: int) -> int:
        """Return a seed of its own for a part of a figure."""
        sequence = np.random.SeedSequence(self.random_state, spawn_key=keys)
        return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))


# Figures 3 to 5: scores, ranks and selections of features against their true effects.

LARGEST = 0.15
D, SIZE = 1000, 100
SMALL_AND_LARGE = (50, 5000)
CURVES = (25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
CURVES_REDUCED = (25, 50, 100, 500, 1000, 5000, 10_000)
OTHERS_REDUCED = (25, 100, 500, 1000)
SELECTION_KEYS = ["n_samples", "selector"]
OTHERS = ("cat_score", "mutual_information")
GRID = np.linspace(0.0, LARGEST, 61)
MAIN = (0.0, 0.05, 0.10, 0.15)
"""Effects at which the main numbers are given."""


def _generator(n_samples: int) -> IndependentGaussian:
    return IndependentGaussian(n_samples=n_samples, n_features=D, largest_effect=LARGEST)


# Figure 3


def scores_and_ranks(asked: FigureOptions) -> Tables:
    """Return scores and ranks in each training set, and their means by feature."""
    points = pd.concat(
        [_points(n, asked, setting) for setting, n in enumerate(SMALL_AND_LARGE)],
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


def _points(n_samples: int, asked: FigureOptions, setting: int) -> pd.DataFrame:
    generator, n_sets = _generator(n_samples), N_SETS if asked.full else FEW_SETS
    source = source_of(generator, TScore(), Seeds(asked.seed(3), setting), exact=True)
    forms = select_training_sets(source, n_sets)
    mu = generator.model.mu
    true_rank = np.empty(D, dtype=np.int64)
    true_rank[np.argsort(-mu)] = np.arange(1, D + 1)
    return pd.DataFrame(
        {
            "n_samples": n_samples,
            "set": np.repeat(np.arange(n_sets), D),
            "feature": np.tile(np.arange(D), n_sets),
            "effect": np.tile(mu, n_sets),
            "true_rank": np.tile(true_rank, n_sets),
            "score": forms["weights"].values.ravel(),
            "rank": forms["ranking"].values.ravel(),
        }
    )


def main_of_ranks(tables: Tables) -> pd.DataFrame:
    """Return mean score and rank of the ten best features, and of the worse half."""
    means, rows = tables["means"], []
    for n_samples, own in means.groupby("n_samples", sort=False):
        ranks = own["true_rank"]
        for name, part in (("best 10", own[ranks <= 10]), ("worse half", own[ranks > D // 2])):
            numbers = part[["score_mean", "score_sd", "rank_mean", "rank_sd"]].mean()
            rows.append({"n_samples": n_samples, "features": name, **numbers.to_dict()})
    return pd.DataFrame(rows)


# Figures 4 and 5


def selection_by_t_score(asked: FigureOptions) -> Tables:
    """Return selection frequencies by the t-score, and logistic curves through them."""
    grid = CURVES if asked.full else CURVES_REDUCED
    return _selection(("t_score",), grid, N_SETS, asked, figure=4)


def selection_by_others(asked: FigureOptions) -> Tables:
    """Return the same of CAT score and mutual information, on data sets."""
    grid = CURVES if asked.full else OTHERS_REDUCED
    return _selection(OTHERS, grid, N_SETS if asked.full else FEW_SETS, asked, figure=5)


def _selection(
    selectors: Sequence[str], grid: Sequence[int], n_sets: int, asked: FigureOptions, figure: int
) -> Tables:
    found = simulate_stability(
        {str(n): _generator(n) for n in grid},
        list(selectors),
        size=SIZE,
        n_sets=n_sets,
        measures="ati_pa",
        errors=False,
        random_state=asked.seed(figure),
        n_jobs=asked.n_jobs,
    )
    table = found.frequencies.drop(columns=["setting", "size"])
    table.insert(0, "n_samples", found.frequencies["setting"].astype(int))
    curves = [
        pd.DataFrame(
            {**dict(zip(SELECTION_KEYS, key, strict=True)), "effect": GRID, "probability": curve}
        )
        for key, own in table.groupby(SELECTION_KEYS, sort=False)
        for curve in [logistic_curve(own["effect"].to_numpy(), own["frequency"].to_numpy(), GRID)]
    ]
    return {"frequencies": table, "curves": pd.concat(curves, ignore_index=True)}


def logistic_curve(
    effect: NDArray[np.float64], frequency: NDArray[np.float64], places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the logistic regression of being selected on the effect, at some places."""
    scale = np.abs(effect).max()
    X = np.tile(effect / scale, 2)[:, np.newaxis]
    y = np.repeat([1, 0], len(effect))
    weights = np.concatenate([frequency, 1 - frequency])
    fitted = LogisticRegression(C=np.inf, max_iter=1000, tol=1e-8).fit(X, y, sample_weight=weights)
    line = fitted.intercept_[0] + fitted.coef_[0, 0] * places / scale
    return np.asarray(expit(line))


def main_of_curves(tables: Tables) -> pd.DataFrame:
    """Return the curves at a few effects."""
    curves = tables["curves"]
    some = curves[np.isclose(curves["effect"].to_numpy()[:, None], MAIN).any(axis=1)]
    named = some.assign(effect=some["effect"].map("effect {:.2f}".format))
    return side_by_side(named, ["selector", "n_samples"], "effect", "probability")


# Figures 6 to 9: stability and errors against what a study has and what it selects.

DEFAULT_SETTING: dict[str, Any] = {
    "n_samples": 100,
    "n_features": 1000,
    "gamma": 2.0,
    "bayes_error": 0.10,
}
SHARE = 0.1
PANELS = ("n_samples", "n_features", "size", "gamma")
ESTIMATE = ["value", "low", "high"]
STRUCTURES: dict[str, Generator] = {
    "independent": IndependentGaussian(),
    "progressive, scattered": BlockGaussian(layout="scattered"),
    "progressive, in blocks": BlockGaussian(layout="blocks"),
    "100 informative, scattered": BlockGaussian(kind="two_point", layout="scattered"),
    "100 informative, in blocks": BlockGaussian(kind="two_point", layout="blocks"),
}
CORRELATED = (25, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
CORRELATED_REDUCED = (25, 50, 100, 200, 500)
RATIOS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)
FEWEST, MOST, MOST_FULL = 50, 10_000, 100_000
"""Features of figure 9; the paper has 10,000 at most."""


# Figures 6 and 8


def stability_sweeps(asked: FigureOptions) -> Tables:
    """Return stability along the four panels."""
    tables = []
    for panel, found in _swept(asked, errors=False).items():
        table = found.stability
        table = table[table["size"] < table["n_features"]]  # all features: nothing to be stable
        own = table[["measure", *ESTIMATE]].assign(panel=panel, x=table[panel])
        tables.append(own[["panel", "x", "measure", *ESTIMATE]])
    return {"stability": pd.concat(tables, ignore_index=True)}


def error_sweeps(asked: FigureOptions) -> Tables:
    """Return errors along the four panels."""
    tables = []
    for panel, found in _swept(asked, errors=True).items():
        own = found.errors[ERRORS].assign(panel=panel, x=found.errors[panel])
        tables.append(own[["panel", "x", *ERRORS]])
    return {"errors": pd.concat(tables, ignore_index=True)}


def _swept(asked: FigureOptions, *, errors: bool) -> dict[str, SimulatedStability]:
    """Let one thing vary at a time; the seeds are the same for both figures."""
    grids = {"n_samples": SAMPLE_COUNTS, "n_features": FEATURES, "gamma": GAMMAS}
    found = {}
    for position, panel in enumerate(PANELS):
        grid = asked.some(grids[panel]) if panel in grids else (100,)
        name = panel if panel in grids else "n_samples"
        settings = [IndependentGaussian(**{**DEFAULT_SETTING, name: value}) for value in grid]
        sizes = SHARE if panel in grids else [int(size) for size in asked.some(SUBSET_SIZES)]
        found[panel] = _simulate_quietly(
            settings, sizes, asked, asked.seed(6, position), errors=errors
        )
    return found


def _simulate_quietly(
    settings: Any,  # noqa: ANN401
    size: Any,  # noqa: ANN401
    asked: FigureOptions,
    seed: int,
    *,
    errors: bool,
    **more: Any,
) -> SimulatedStability:
    with warnings.catch_warnings():  # measures without a value where all features are selected
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        options = {"n_sets": N_SETS, **more}
        return simulate_stability(
            settings, size=size, errors=errors, random_state=seed, n_jobs=asked.n_jobs, **options
        )


def main_of_sweeps(tables: Tables) -> pd.DataFrame:
    """Return the measures at the ends and in the middle of each panel."""
    return _ends(side_by_side(tables["stability"], ["panel", "x"], "measure"), ["panel"])


def main_of_errors(tables: Tables) -> pd.DataFrame:
    """Return the errors at the ends and in the middle of each panel."""
    kept = ["panel", "x", "lda_error", "bayes_observed", "bayes_optimal"]
    return _ends(tables["errors"][kept], ["panel"])


def _ends(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the first, the middle and the last row of each group."""
    parts = [
        own.iloc[sorted({0, len(own) // 2, len(own) - 1})]
        for _, own in table.groupby(keys, sort=False)
    ]
    return pd.concat(parts, ignore_index=True)


# Figure 7


def correlated_structures(asked: FigureOptions) -> Tables:
    """Return stability of both scores on independent and on correlated features."""
    grid = CORRELATED if asked.full else CORRELATED_REDUCED
    settings = {
        f"{name}|{n}": type(kind)(**{**kind.__dict__, "n_samples": n})
        for name, kind in STRUCTURES.items()
        for n in grid
    }
    found = _simulate_quietly(
        settings,
        SHARE,
        asked,
        asked.seed(7),
        errors=False,
        selectors=["t_score", "cat_score"],
        n_sets=N_SETS if asked.full else FEW_SETS,
    )
    table = found.stability
    own = table[["selector", "n_samples", "measure", *ESTIMATE]].copy()
    own.insert(0, "structure", table["setting"].str.partition("|")[0])
    return {"stability": own}


def main_of_correlated(tables: Tables) -> pd.DataFrame:
    """Return CW_rel of both scores side by side."""
    table = tables["stability"]
    own = table[table["measure"] == "relative_weighted_consistency"]
    return side_by_side(own, ["structure", "n_samples"], "selector")


# Figure 9


def constant_ratios(asked: FigureOptions) -> Tables:
    """Return CW_rel where samples and features grow together."""
    most = MOST_FULL if asked.full else MOST
    settings = {
        f"{ratio:g}|{n}": IndependentGaussian(
            **{**DEFAULT_SETTING, "n_samples": n, "n_features": round(n / ratio)}
        )
        for ratio in RATIOS
        for n in asked.some(SAMPLE_COUNTS)
        if FEWEST <= round(n / ratio) <= most
    }
    found = _simulate_quietly(
        settings,
        SHARE,
        asked,
        asked.seed(9),
        errors=False,
        measures="relative_weighted_consistency",
    )
    own = found.stability[["n_samples", "n_features", *ESTIMATE]].copy()
    own.insert(0, "ratio", found.stability["setting"].str.partition("|")[0].astype(float))
    return {"stability": own}


def main_of_ratios(tables: Tables) -> pd.DataFrame:
    """Return the smallest, the middle and the largest study of each ratio."""
    kept = ["ratio", "n_samples", "n_features", "value"]
    return _ends(tables["stability"][kept], ["ratio"])
