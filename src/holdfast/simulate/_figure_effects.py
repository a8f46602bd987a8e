"""Figures 3 to 5: scores, ranks and selections of features against their true effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from holdfast.select import TScore
from holdfast.simulate._collect import judged
from holdfast.simulate._figure_settings import FEW_SETS, N_SETS
from holdfast.simulate._gaussian import IndependentGaussian
from holdfast.simulate._stability import simulate_stability
from holdfast.simulate._tables import side_by_side
from holdfast.simulate._training import Seeds, source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.simulate._figure_settings import Asked

    Tables = dict[str, pd.DataFrame]

LARGEST = 0.15
D, SIZE = 1000, 100
SMALL_AND_LARGE = (50, 5000)
CURVES = (25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
CURVES_REDUCED = (25, 50, 100, 500, 1000, 5000, 10_000)
OTHERS_REDUCED = (25, 100, 500, 1000)
KEYS = ["n_samples", "selector"]
OTHERS = ("cat_score", "mutual_information")
GRID = np.linspace(0.0, LARGEST, 61)
MAIN = (0.0, 0.05, 0.10, 0.15)
"""Effects at which the main numbers are given."""


def _generator(n_samples: int) -> IndependentGaussian:
    return IndependentGaussian(n_samples=n_samples, n_features=D, largest_effect=LARGEST)


# Figure 3


def scores_and_ranks(asked: Asked) -> Tables:
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


def _points(n_samples: int, asked: Asked, setting: int) -> pd.DataFrame:
    generator, n_sets = _generator(n_samples), N_SETS if asked.full else FEW_SETS
    source = source_of(generator, TScore(), Seeds(asked.seed(3), setting), exact=True)
    forms = judged(source, n_sets)
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


def selection_by_t_score(asked: Asked) -> Tables:
    """Return selection frequencies by the t-score, and logistic curves through them."""
    grid = CURVES if asked.full else CURVES_REDUCED
    return _selection(("t_score",), grid, N_SETS, asked, figure=4)


def selection_by_others(asked: Asked) -> Tables:
    """Return the same of CAT score and mutual information, on data sets."""
    grid = CURVES if asked.full else OTHERS_REDUCED
    return _selection(OTHERS, grid, N_SETS if asked.full else FEW_SETS, asked, figure=5)


def _selection(
    selectors: Sequence[str], grid: Sequence[int], n_sets: int, asked: Asked, figure: int
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
        pd.DataFrame({**dict(zip(KEYS, key, strict=True)), "effect": GRID, "probability": curve})
        for key, own in table.groupby(KEYS, sort=False)
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
