"""False discovery proportion and power of selectors with error control, with known truth."""

from __future__ import annotations

import os
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import holdfast as hf
from benchmarks.claims._claim import Claim, Rows, share_error
from holdfast.select import (
    discover,
    integrate_stability_paths,
    knockoff_e_values,
    select_by_e_values,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Labelled = tuple[NDArray[np.float64], NDArray[np.intp]]
    Selections = dict[float, NDArray[np.bool_]]
    Errors = list[tuple[float, float]]

SEED = 2023
N = 200
LEVELS = (0.1, 0.2)
MARGINAL, CONDITIONAL = "differs", "given all others"
"""What a method calls an effect: the classes differ in the feature, or do so given all others."""
N_SPLITS, N_DRAWS, N_PAIRS = 20, 5, 25
"""Fewer than the defaults, for their time."""
MIN_STANDARD_DEVIATION = 0.05
"""Of proportions; keeps those that are 0 in all data sets from having none."""
MONTE_CARLO_ERRORS = 2.0
"""A level is exceeded if the mean proportion is this many standard errors above it."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Normal features in blocks of equal correlation, two classes of equal size.

    Effects fill the first blocks. With `causes`, only the first feature of each of these blocks
    has an effect given the others, which differ between the classes because of it.
    """

    name: str
    p: int
    n_informative: int = 0
    effect: float = 0.7
    block: int = 1
    correlation: float = 0.0
    causes: bool = False
    heavy_tails: bool = False

    def draw(self, rng: np.random.Generator) -> Labelled:
        """Return data and classes."""
        y = np.arange(N) % 2
        X = np.sqrt(1 - self.correlation) * self._noise(rng, self.p)
        common = self._noise(rng, self.p // self.block)
        X += np.sqrt(self.correlation) * np.repeat(common, self.block, axis=1)
        X += y[:, None] * self._shifts()
        return X, y

    def truth(self, kind: str) -> NDArray[np.bool_]:
        """Return the features that have an effect of this kind."""
        shifts = self._shifts()
        if kind == CONDITIONAL and self.causes:
            return np.asarray(shifts == self.effect)
        return np.asarray(shifts > 0)

    def _noise(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        if self.heavy_tails:
            return rng.standard_t(3, size=(N, count)) / np.sqrt(3.0)
        return rng.normal(size=(N, count))

    def _shifts(self) -> NDArray[np.float64]:
        """Return the differences between the class means.

        The linear discriminant has the coefficients inv(covariance) @ shifts. If the first feature
        of a block has the shift d and the others d r, these are 0 but for the first. If a whole
        block has one shift, they are equal within the block.
        """
        shifts = np.zeros(self.p)
        if not self.causes:
            shifts[: self.n_informative] = self.effect
            return shifts
        members = self.n_informative * self.block
        shifts[:members] = self.effect * self.correlation
        shifts[: members : self.block] = self.effect
        return shifts


SETTINGS = (
    Setting(name="200 independent, 30 strong", p=200, n_informative=30),
    Setting(name="500 independent, 30 strong", p=500, n_informative=30),
    Setting(name="500 independent, 30 weak", p=500, n_informative=30, effect=0.4),
    Setting(
        name="500 in blocks of 10, r = 0.5, 3 blocks",
        p=500, n_informative=30, block=10, correlation=0.5,
    ),
    Setting(
        name="500 in blocks of 10, r = 0.8, 3 blocks",
        p=500, n_informative=30, block=10, correlation=0.8,
    ),
    Setting(
        name="500 in blocks of 10, r = 0.5, 1 cause in each of 30 blocks",
        p=500, n_informative=30, block=10, correlation=0.5, causes=True,
    ),
    Setting(name="1,000 independent, 5 strong", p=1000, n_informative=5),
    Setting(name="1,000 with heavy tails, 50 strong", p=1000, n_informative=50, heavy_tails=True),
    Setting(name="5,000 independent, 50 strong", p=5000, n_informative=50),
    Setting(
        name="5,000 in blocks of 20, r = 0.5, 3 blocks",
        p=5000, n_informative=60, block=20, correlation=0.5,
    ),
    Setting(name="200 independent, noise", p=200),
    Setting(name="1,000 in blocks of 20, r = 0.9, noise", p=1000, block=20, correlation=0.9),
    Setting(name="5,000 independent, noise", p=5000),
)  # fmt: skip


# Methods: the features that each selects at each level.


@dataclass(frozen=True)
class Method:
    """A selector with error control.

    Attributes
    ----------
    name : str
        Its name in the tables.
    effect : {"differs", "given all others"}
        What it calls an effect.
    has_level : bool
        Whether it takes a false discovery rate; others give one selection for all levels.
    """

    name: str
    effect: str
    has_level: bool = True


@dataclass(frozen=True)
class Family:
    """Methods that share their computations.

    Attributes
    ----------
    methods : tuple of Method
        The methods.
    select : callable
        Returns the features that each of them selects at each level.
    max_features : int or None
        The most features that they run on, for their time.
    """

    methods: tuple[Method, ...]
    select: Callable[[Labelled], list[Selections]]
    max_features: int | None = None

    def runs_on(self, setting: Setting) -> bool:
        """Return whether it runs on this setting."""
        return self.max_features is None or setting.p <= self.max_features


def _correct_p_values(data: Labelled) -> list[Selections]:
    return [{fdr: hf.TScore(alpha=fdr).fit(*data).support_ for fdr in LEVELS}]


def _split(data: Labelled, statistic: str) -> list[Selections]:
    selector = hf.DataSplitting(statistic=statistic, n_splits=N_SPLITS).fit(*data)
    return [{fdr: discover(selector.mirror_statistics_, fdr).support for fdr in LEVELS}]


def _draw_knockoffs(data: Labelled) -> list[Selections]:
    selections = {}
    draws = hf.Knockoffs(n_draws=N_DRAWS).fit(*data).statistics_
    for fdr in LEVELS:
        # what a fit at this level does with the same draws
        e_values = np.mean([knockoff_e_values(row, fdr / 2.0) for row in draws], axis=0)
        selections[fdr] = select_by_e_values(e_values, fdr)
    return [selections]


def _integrate_paths(data: Labelled) -> list[Selections]:
    fitted = hf.IntegratedPathSelection(n_pairs=N_PAIRS).fit(*data)
    found = [
        integrate_stability_paths(
            fitted.stability_paths_, fitted.path_steps_, N_PAIRS, function=function
        )
        for function in ("h1", "h2")
    ]
    return [{fdr: paths.q_values <= fdr for fdr in LEVELS} for paths in found]


def _add_synthetic_features(data: Labelled) -> list[Selections]:
    support = hf.SyntheticFeatureSelection(n_pairs=N_PAIRS).fit(*data).support_
    return [dict.fromkeys(LEVELS, support)]


def _select_stably(data: Labelled) -> list[Selections]:
    support = hf.StabilitySelection(n_pairs=N_PAIRS).fit(*data).support_
    return [dict.fromkeys(LEVELS, support)]


FAMILIES = (
    Family((Method("Benjamini-Hochberg (t)", MARGINAL),), _correct_p_values),
    Family((Method("data splitting (t)", MARGINAL),), partial(_split, statistic="t_score")),
    Family((Method("data splitting (L1)", CONDITIONAL),), partial(_split, statistic="l1_path")),
    Family((Method("knockoffs (L1)", CONDITIONAL),), _draw_knockoffs, max_features=500),
    Family(
        (Method("IPSS h1 (L1)", CONDITIONAL), Method("IPSS h2 (L1)", CONDITIONAL)),
        _integrate_paths,
    ),
    Family(
        (Method("Stabl (L1)", CONDITIONAL, has_level=False),),
        _add_synthetic_features,
        max_features=1000,
    ),
    Family(
        (Method("stability selection (L1)", CONDITIONAL, has_level=False),), _select_stably, 1000
    ),
)


def _run(data_sets: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of each setting as soon as it is done; settings run side by side."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for rows in pool.map(partial(_run_setting, data_sets=data_sets), range(len(SETTINGS))):
            yield from rows


def _run_setting(number: int, data_sets: int) -> Rows:
    """Return the rows of a setting, one per method; data sets are seeded by their positions."""
    warnings.simplefilter("ignore")
    setting = SETTINGS[number]
    families = [family for family in FAMILIES if family.runs_on(setting)]
    results: dict[Method, list[Errors]] = {}
    for at in range(data_sets):
        data = setting.draw(np.random.default_rng([SEED, number, at]))
        for family in families:
            for method, selected in zip(family.methods, family.select(data), strict=True):
                truth = setting.truth(method.effect)
                errors = [_errors(selected[fdr], truth) for fdr in LEVELS]
                results.setdefault(method, []).append(errors)
    return [_row(setting, method, np.array(errors)) for method, errors in results.items()]


def _errors(selected: NDArray[np.bool_], truth: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the false discovery proportion, and the power (NaN if nothing has an effect)."""
    false = float((selected & ~truth).sum()) / max(1, int(selected.sum()))
    return false, float(selected[truth].mean()) if truth.any() else np.nan


def _row(setting: Setting, method: Method, results: NDArray[np.float64]) -> dict[str, Any]:
    """Summarise results of shape (data sets, levels, 2)."""
    row: dict[str, Any] = {
        "setting": setting.name,
        "method": method.name,
        "effect": method.effect,
        "has level": method.has_level,
    }
    for fdr, (false, power) in zip(LEVELS, results.transpose(1, 2, 0), strict=True):
        row[f"FDP at {fdr:g}"] = float(false.mean())
        error = max(float(false.std(ddof=1)), MIN_STANDARD_DEVIATION) / np.sqrt(len(false))
        row[f"SE at {fdr:g}"] = error
        row[f"power at {fdr:g}"] = float(power.mean())
    return {**row, "data sets": len(results)}


def exceeds(row: dict[str, Any], fdr: float) -> bool:
    """Return whether a method exceeds its level beyond the errors of the simulation."""
    limit = fdr + MONTE_CARLO_ERRORS * row[f"SE at {fdr:g}"]
    return bool(row["has level"] and row[f"FDP at {fdr:g}"] > limit)


def _missed(rows: Rows, slack: float) -> list[str]:
    missed = []
    for row in rows:
        for fdr in LEVELS:
            false = row[f"FDP at {fdr:g}"]
            # few data sets may agree by chance; a proportion varies no more than a share
            limit = fdr + slack * share_error(fdr, row["data sets"])
            if exceeds(row, fdr) and false > limit:
                missed.append(f"{row['method']} at {fdr:g}, {row['setting']}: {false:.2f}.")
    return missed


CLAIM = Claim(
    name="false_discoveries",
    title="False discovery proportion and power",
    about="See [False discoveries](false_discoveries.md).",
    run=_run,
    missed=_missed,
    data_sets=100,
    few_data_sets=2,
)
