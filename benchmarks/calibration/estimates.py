"""What the estimator says of each data set of the calibration, next to the truth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from benchmarks.calibration.populations import Real
from holdfast.judge._replication._feature_chances import DisjointDesign, chances_from_orders
from holdfast.judge._replication._score_model import signed_scores_of
from holdfast.resample import ReplicationPairs

SIX = list(combinations(range(4), 2))


@dataclass(frozen=True, eq=False)
class Estimate:
    """One data set: chances of the listed features, their bounds, and the truth."""

    selector: str
    setting: str
    n: int
    real: bool
    chance: np.ndarray
    low: np.ndarray
    truth: np.ndarray
    studies: int
    share: float
    resample_frequency: np.ndarray
    """Share of the halves of these data that select the feature: what is wrong to go by."""
    careful_list: np.ndarray
    """Truth of the features of the longest list with an expected share of 0.8."""
    expected: float

    @property
    def low_holds(self) -> np.ndarray:
        """Whether each lower bound holds, one standard error of the simulated truth allowed."""
        spread = np.sqrt((self.truth + 1 / self.studies) * (1 - self.truth) / self.studies)
        return self.low <= self.truth + spread


def estimates(setting, selector, stored):
    """Yield the estimate of each data set of a collected file."""
    from holdfast.judge._replication._chance_model import longest_list

    n_features, size = int(stored["p"]), int(stored["k"])
    n_units = setting.n // getattr(setting.population, "per_subject", 1)
    for number in range(int(stored["data_sets"])):
        rows, at = {}, {}
        for role in ("full", "half", "part", "quarter"):
            ranks = stored.get(f"{role}{number}", np.empty((0, n_features), dtype=np.intp))
            at[role] = np.arange(len(rows), len(rows) + len(ranks))
            rows |= dict(zip(at[role].tolist(), np.argsort(ranks, axis=1), strict=True))
        pairs = ReplicationPairs(
            at["half"].reshape(-1, 2),
            at["part"].reshape(-1, 2, 2),
            at["quarter"].reshape(-1, 4)[:, SIX],
            at["full"],
        )
        scores = None
        if f"z_full{number}" in stored:
            halves = list(stored[f"z_half{number}"].astype(float))
            scores = signed_scores_of(stored[f"z_full{number}"].astype(float), halves, setting.n)
        design = DisjointDesign(pairs=pairs, n_features=n_features, n_units=n_units, seed=number)
        found = chances_from_orders(rows, design, size=size, scores=scores)
        counts = stored[f"truth{number}"]
        truth, studies = counts[:-1] / counts[-1], int(counts[-1])
        listed = np.flatnonzero(found.selected)
        half = stored[f"half{number}"] < size
        yield Estimate(
            selector=selector,
            setting=setting.name,
            n=setting.n,
            real=isinstance(setting.population, Real),
            chance=found.chance[listed],
            low=found.low[listed],
            truth=truth[listed],
            studies=studies,
            share=float((counts[:-1] * (counts[:-1] - 1)).sum() / (studies * (studies - 1)) / size),
            resample_frequency=half.mean(axis=0)[listed],
            careful_list=truth[longest_list(found, 0.8)],
            expected=found.share,
        )
