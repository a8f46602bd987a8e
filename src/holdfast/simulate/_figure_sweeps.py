"""Figures 6 to 9: stability and errors against what a study has and what it selects."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast.errors import UndefinedMeasureWarning
from holdfast.simulate._collect import ERRORS
from holdfast.simulate._figure_settings import (
    FEATURES,
    FEW_SETS,
    GAMMAS,
    N_SETS,
    SAMPLES,
    SIZES,
)
from holdfast.simulate._gaussian import BlockGaussian, IndependentGaussian
from holdfast.simulate._stability import simulate_stability
from holdfast.simulate._tables import side_by_side

if TYPE_CHECKING:
    from holdfast.simulate._base import Generator
    from holdfast.simulate._figure_settings import Asked
    from holdfast.simulate._stability import SimulatedStability

    Tables = dict[str, pd.DataFrame]

USUAL: dict[str, Any] = {"n_samples": 100, "n_features": 1000, "gamma": 2.0, "bayes_error": 0.10}
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


def stability_sweeps(asked: Asked) -> Tables:
    """Return stability along the four panels."""
    tables = []
    for panel, found in _swept(asked, errors=False).items():
        table = found.stability
        table = table[table["size"] < table["n_features"]]  # all features: nothing to be stable
        own = table[["measure", *ESTIMATE]].assign(panel=panel, x=table[panel])
        tables.append(own[["panel", "x", "measure", *ESTIMATE]])
    return {"stability": pd.concat(tables, ignore_index=True)}


def error_sweeps(asked: Asked) -> Tables:
    """Return errors along the four panels."""
    tables = []
    for panel, found in _swept(asked, errors=True).items():
        own = found.errors[ERRORS].assign(panel=panel, x=found.errors[panel])
        tables.append(own[["panel", "x", *ERRORS]])
    return {"errors": pd.concat(tables, ignore_index=True)}


def _swept(asked: Asked, *, errors: bool) -> dict[str, SimulatedStability]:
    """Let one thing vary at a time; the seeds are the same for both figures."""
    grids = {"n_samples": SAMPLES, "n_features": FEATURES, "gamma": GAMMAS}
    found = {}
    for position, panel in enumerate(PANELS):
        grid = asked.some(grids[panel]) if panel in grids else (100,)
        name = panel if panel in grids else "n_samples"
        settings = [IndependentGaussian(**{**USUAL, name: value}) for value in grid]
        sizes = SHARE if panel in grids else [int(size) for size in asked.some(SIZES)]
        found[panel] = _simulated(settings, sizes, asked, asked.seed(6, position), errors=errors)
    return found


def _simulated(
    settings: Any,  # noqa: ANN401
    size: Any,  # noqa: ANN401
    asked: Asked,
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


def correlated(asked: Asked) -> Tables:
    """Return stability of both scores on independent and on correlated features."""
    grid = CORRELATED if asked.full else CORRELATED_REDUCED
    settings = {
        f"{name}|{n}": type(kind)(**{**kind.__dict__, "n_samples": n})
        for name, kind in STRUCTURES.items()
        for n in grid
    }
    found = _simulated(
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


def constant_ratios(asked: Asked) -> Tables:
    """Return CW_rel where samples and features grow together."""
    most = MOST_FULL if asked.full else MOST
    settings = {
        f"{ratio:g}|{n}": IndependentGaussian(
            **{**USUAL, "n_samples": n, "n_features": round(n / ratio)}
        )
        for ratio in RATIOS
        for n in asked.some(SAMPLES)
        if FEWEST <= round(n / ratio) <= most
    }
    found = _simulated(
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
