"""Cohorts of one population are not said to differ, and the power that is printed is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import holdfast as hf
from benchmarks.claims._claim import Claim, Rows, share_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 2014
P, N_INFORMATIVE, N_DEALINGS, BLOCK = 300, 20, 39, 10
ALPHA, MAX_ERROR_OF_POWER = 0.05, 0.15
LEVEL_SLACK = 2.0
"""Standard errors of the simulation that the share of false alarms may be off.

The test is exact: half of all simulations would find a little more than its level.
"""
N_FOR_POWER = 5
"""Data sets whose printed power is averaged: it takes a second each."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Two cohorts of normal features, and how many informative ones they share."""

    shared: float
    n: int = 60
    effect: float = 0.8
    correlation: float = 0.0

    @property
    def name(self) -> str:
        """What differs."""
        return {1.0: "nothing", 0.5: "half of the features", 0.0: "all features"}[self.shared]

    def draw(
        self, rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.str_]]:
        """Return data, classes and cohorts."""
        n = 2 * self.n
        site, y = np.repeat([0, 1], self.n), np.arange(n) % 2
        X = np.sqrt(1 - self.correlation) * rng.normal(size=(n, P))
        common = rng.normal(size=(n, P // BLOCK))
        X += np.sqrt(self.correlation) * np.repeat(common, BLOCK, axis=1)
        # whole blocks are informative, as modules of genes are
        places = (BLOCK * rng.permutation(P // BLOCK)[:, None] + np.arange(BLOCK)).ravel()
        n_shared = round(self.shared * N_INFORMATIVE)
        effects = np.zeros((2, P))
        effects[0, places[:N_INFORMATIVE]] = self.effect
        moved = places[N_INFORMATIVE - n_shared : 2 * N_INFORMATIVE - n_shared]
        effects[1, moved] = self.effect
        return X + effects[site] * y[:, None], y, np.array(["A", "B"])[site]


SETTINGS = tuple(
    Setting(shared=shared, n=n, effect=effect, correlation=correlation)
    for n, effect, correlation in ((60, 0.8, 0.0), (60, 0.8, 0.5), (40, 0.6, 0.5))
    for shared in (1.0, 0.5, 0.0)
)


def _run(data_sets: int) -> Rows:
    rows: Rows = []
    power = {}
    for number, setting in enumerate(SETTINGS):
        found = [
            _compare(setting, np.random.default_rng([SEED, number, at])) for at in range(data_sets)
        ]
        if setting.shared == 1.0:  # the printed power is about cohorts that agree
            printed = np.mean([one.power for one in found[:N_FOR_POWER]], axis=0)
            power = {0.0: float(printed[0]), 0.5: float(printed[1])}
        noticed = float(np.mean([one.overall.p_value <= ALPHA for one in found]))
        features = "independent"
        if setting.correlation:
            features = f"blocks of {BLOCK}, r = {setting.correlation:g}"
        rows.append(
            {
                "samples": f"{setting.n} + {setting.n}",
                "effects": setting.effect,
                "features": features,
                "what differs": setting.name,
                "agreement": float(np.mean([one.overall.value for one in found])),
                "expected": float(np.mean([one.overall.expected for one in found])),
                "p at most 0.05": noticed,
                "printed power": power.get(setting.shared, np.nan),
                "data sets": data_sets,
            }
        )
    return rows


def _compare(setting: Setting, rng: np.random.Generator) -> hf.judge.CohortComparison:
    X, y, site = setting.draw(rng)
    seed = int(rng.integers(2**31))
    asked = {"size": N_INFORMATIVE, "n_shuffles": N_DEALINGS, "random_state": seed}
    return hf.judge.cohorts("t_score", X, y, site, **asked)  # type: ignore[arg-type]


def _missed(rows: Rows, slack: float) -> list[str]:
    missed = []
    for row in rows:
        noticed = row["p at most 0.05"]
        error = slack * share_error(noticed, row["data sets"])
        name = f"{row['samples']}, {row['features']}, {row['what differs']}"
        level = ALPHA + max(slack, LEVEL_SLACK) * share_error(ALPHA, row["data sets"])
        if row["what differs"] == "nothing" and noticed > level:
            missed.append(f"{name}: {noticed:.0%} are called different.")
        apart = abs(noticed - row["printed power"])
        if row["features"] == "independent" and apart > MAX_ERROR_OF_POWER + error:
            missed.append(f"{name}: power {noticed:.0%}, printed {row['printed power']:.0%}.")
    return missed


CLAIM = Claim(
    name="cohorts",
    title="Cohorts that differ, or do not",
    about=(
        f"{N_INFORMATIVE} of {P} features are informative in each of two cohorts; a t-score "
        f"selects {N_INFORMATIVE}; {N_DEALINGS} reassignments. Goals: cohorts of one population "
        "have p ≤ 0.05 in at most 5%, within two standard errors of the simulation; for "
        "independent features, the power printed for cohorts that agree is within 15 points of "
        "that of cohorts that differ. If whole blocks of correlated features are informative, "
        "power is lower than printed."
    ),
    run=_run,
    missed=_missed,
    data_sets=150,
    few_data_sets=20,
)
