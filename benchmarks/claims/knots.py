"""Noise has no knot, but for noise in blocks of highly correlated features, which is shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.claims._claim import Claim, Rows, share_error
from holdfast.judge import find_knot
from holdfast.select import get_selector

SEED = 2005
N, P, RESAMPLES, SHARE = 60, 500, 20, 0.9
MAX_KNOTS, HIGH_CORRELATION = 0.05, 0.9


@dataclass(frozen=True)
class Setting:
    """Features without information, in blocks."""

    block: int
    correlation: float


SETTINGS = (Setting(1, 0.0), Setting(25, 0.6), Setting(10, 0.9), Setting(25, 0.9))


def _run(data_sets: int) -> Rows:
    return [_row(number, setting, data_sets) for number, setting in enumerate(SETTINGS)]


def _row(number: int, setting: Setting, data_sets: int) -> dict[str, object]:
    sizes = [
        _knot_size(setting, np.random.default_rng([SEED, number, at])) for at in range(data_sets)
    ]
    found = sorted(size for size in sizes if size is not None)
    blocks = f"blocks of {setting.block}, r = {setting.correlation:g}"
    return {
        "features without information": blocks if setting.correlation else "independent",
        "correlation": setting.correlation,
        "data sets with a knot": len(found) / data_sets,
        "smallest knot": found[0] if found else np.nan,
        "median knot": float(np.median(found)) if found else np.nan,
        "largest knot": found[-1] if found else np.nan,
        "data sets": data_sets,
    }


def _knot_size(setting: Setting, rng: np.random.Generator) -> int | None:
    y = np.arange(N) % 2
    common = np.repeat(rng.normal(size=(N, P // setting.block)), setting.block, axis=1)
    r = setting.correlation
    X = np.sqrt(r) * common + np.sqrt(1 - r) * rng.normal(size=(N, P))
    members = [np.flatnonzero(y == label) for label in (0, 1)]
    rows = [
        np.concatenate([rng.choice(own, round(SHARE * len(own)), replace=False) for own in members])
        for _ in range(RESAMPLES)
    ]
    ranks = get_selector("t_score").kind().rank_resamples(X, y, rows)
    return find_knot(np.argsort(ranks.values, axis=1), P).size


def _missed(rows: Rows, slack: float) -> list[str]:
    missed = []
    for row in rows:
        share = row["data sets with a knot"]
        limit = MAX_KNOTS + slack * share_error(share, row["data sets"])
        if row["correlation"] < HIGH_CORRELATION and share > limit:
            name = row["features without information"]
            missed.append(f"{name}: {share:.0%} of the data sets have a knot.")
    return missed


CLAIM = Claim(
    name="knots",
    title="Knots of noise",
    about=(
        f"{P} features without information, {N} samples, t-score on {RESAMPLES} subsamples of 90%. "
        "Goal: a knot in at most 5% of the data sets if features correlate by less than 0.9. Rows "
        "with 0.9 have no goal: a knot there may hold part of a block or several blocks."
    ),
    run=_run,
    missed=_missed,
    data_sets=150,
    few_data_sets=20,
)
