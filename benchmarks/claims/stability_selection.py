"""Stability selection keeps its bound where its condition holds; where it does not, is shown."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import holdfast as hf
from benchmarks.claims._claim import Claim, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 2013
N, P, PFER = 60, 200, 1.0
SUBJECTS, ICC = 12, 0.8
N_CONTINUOUS = 10


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Normal features in blocks, those of subjects alike, and how features are selected."""

    name: str
    base: str = "t_score"
    options: tuple[tuple[str, Any], ...] = ()
    block: int = 1
    correlation: float = 0.0
    n_informative: int = 0
    subjects: str = "none"
    """``"none"``, ``"given"`` or ``"not given"``."""
    mixed: bool = False
    share_of_data_sets: float = 1.0
    """Slow bases run on fewer data sets."""

    @property
    def holds(self) -> bool:
        """Whether the condition of the bound holds."""
        return self.subjects != "not given" and not self.mixed

    def draw(
        self, rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp] | None]:
        """Return data, classes and subjects."""
        y = np.arange(N) % 2
        X = np.sqrt(1 - self.correlation) * rng.normal(size=(N, P))
        common = rng.normal(size=(N, P // self.block))
        X += np.sqrt(self.correlation) * np.repeat(common, self.block, axis=1)
        groups = None
        if self.subjects != "none":
            groups = np.repeat(np.arange(SUBJECTS), N // SUBJECTS)
            y = groups % 2
            X = np.sqrt(1 - ICC) * X + np.sqrt(ICC) * rng.normal(size=(SUBJECTS, P))[groups]
        X[:, : self.n_informative] += y[:, None] * 1.5
        if self.mixed:
            X[:, N_CONTINUOUS:] = X[:, N_CONTINUOUS:] > 0
        return X, y, groups if self.subjects == "given" else None


BLOCKS: dict[str, Any] = {"block": 20, "correlation": 0.9}
CALIBRATED = (("threshold", "calibrated"),)
SETTINGS = (
    Setting(name="noise in blocks of 20, r = 0.9", **BLOCKS),
    Setting(
        name="noise in blocks of 20, r = 0.9, r-concave",
        options=(("assumption", "r-concave"),),
        **BLOCKS,
    ),
    Setting(name="5 informative in blocks of 20, r = 0.9", n_informative=5, **BLOCKS),
    Setting(name="noise, calibrated", options=CALIBRATED),
    Setting(name="12 subjects of 5 samples, noise, subjects given", subjects="given"),
    Setting(name="12 subjects of 5 samples, noise, subjects not given", subjects="not given"),
    Setting(
        name="noise, 10 continuous and 190 binary features",
        base="mutual_information",
        mixed=True,
        share_of_data_sets=0.1,
    ),
)


def _run(data_sets: int) -> Rows:
    return [_row(number, setting, data_sets) for number, setting in enumerate(SETTINGS)]


def _row(number: int, setting: Setting, data_sets: int) -> dict[str, object]:
    count = max(3, round(setting.share_of_data_sets * data_sets))
    found = [_select(setting, np.random.default_rng([SEED, number, at])) for at in range(count)]
    false, bounds, warned = np.array(found, dtype=float).T
    return {
        "setting": setting.name,
        "base": setting.base,
        "condition": "holds" if setting.holds else "broken",
        "falsely selected": float(false.mean()),
        "standard error": float(max(false.std(ddof=1), 0.3) / np.sqrt(count)),
        "bound": float(bounds.mean()),
        "studies warned": float(warned.mean()),
    }


def _select(setting: Setting, rng: np.random.Generator) -> tuple[int, float, bool]:
    """Return the number of false selections, the bound, and whether a warning was given."""
    X, y, groups = setting.draw(rng)
    selector = hf.StabilitySelection(setting.base, pfer=PFER, **dict(setting.options))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(X, y, groups=groups)
    false = int(selector.support_[setting.n_informative :].sum())
    return false, selector.error_bound_, any("shuffled" in str(one.message) for one in caught)


def _missed(rows: Rows, slack: float) -> list[str]:
    missed = []
    for row in rows:
        false, bound = row["falsely selected"], row["bound"]
        if row["condition"] == "holds" and false > bound + slack * row["standard error"]:
            missed.append(f"{row['setting']}: {false:.2f} are false, the bound is {bound:.2f}.")
        favours = row["base"] == "mutual_information"
        if favours and row["studies warned"] < 0.9:
            missed.append(f"{row['setting']}: {row['studies warned']:.0%} have a warning.")
        if not favours and row["studies warned"] > 0.05:
            missed.append(f"{row['setting']}: {row['studies warned']:.0%} have a false warning.")
    return missed


CLAIM = Claim(
    name="stability_selection",
    title="False selections of stability selection",
    about=(
        f"{N} samples, {P} features, pfer = {PFER:g}, threshold 0.75 or calibrated. Goal: if "
        "features without information are picked no more often than at random and subjects are "
        "named, the mean number of false selections is at most the bound. Rows with a broken "
        "condition have no goal: the bound does not hold there, and a warning is given if "
        "shuffled labels show it."
    ),
    run=_run,
    missed=_missed,
    data_sets=60,
    few_data_sets=15,
)
