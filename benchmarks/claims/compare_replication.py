"""Comparing the replication stability of two selectors: errors of the first kind, and power."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.claims._claim import Claim, Rows, share_error
from holdfast.judge import PairValues
from holdfast.judge._replication._comparison import compare_pair_values
from holdfast.judge._replication._interval import make_log_odds
from holdfast.measures import get_measure
from holdfast.resample import ReplicationDesign, ReplicationPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20261119
N_PAIRS, N_FEATURES = 50, 300
DATA_SETS_PER_DESIGN = 10
LEVEL, LOW, HIGH = 0.05, 0.03, 0.07
MIN_RIGHT = 8
POWER = 0.5
"""Least power for the larger true difference."""


@dataclass(frozen=True)
class Setting:
    """Two blocks of features: one selector sees the first, the other the second.

    `noise` says how the features of a block correlate, `effects` are half the differences of the
    class means, from the first feature (of each tenth feature, with `spread`) on; those of the
    second block are multiplied by `weaker`. With `shared`, both blocks are noisy copies of the
    same features.
    """

    name: str
    n: int
    size: int
    effects: tuple[float, ...] = ()
    noise: str = "independent"
    spread: bool = False
    shared: bool = False
    weaker: float = 1.0

    def draw(self, rng: np.random.Generator) -> tuple[list[NDArray], NDArray]:
        """Return both blocks and the classes."""
        y = np.arange(self.n) % 2
        means = np.zeros(N_FEATURES)
        at = np.arange(len(self.effects)) * (10 if self.spread else 1)
        means[at] = self.effects
        signs = (2 * y - 1)[:, np.newaxis]
        if self.shared:
            common = self._noise(rng) + means * signs
            return [common + 0.5 * rng.standard_normal(common.shape) for _ in range(2)], y
        return [self._noise(rng) + by * means * signs for by in (1.0, self.weaker)], y

    def _noise(self, rng: np.random.Generator) -> NDArray:
        shape = (self.n, N_FEATURES)
        if self.noise == "heavy tails":
            return rng.standard_t(4, shape) / np.sqrt(2)
        X = rng.standard_normal(shape)
        if self.noise == "autoregressive":
            for column in range(1, N_FEATURES):
                X[:, column] = 0.7 * X[:, column - 1] + np.sqrt(0.51) * X[:, column]
        elif self.noise != "independent":
            within = {"blocks": 0.5, "modules": 0.64}[self.noise]
            factors = np.repeat(rng.standard_normal((self.n, N_FEATURES // 10)), 10, axis=1)
            X = np.sqrt(1 - within) * X + np.sqrt(within) * factors
        return X


def _graded(first: float, ratio: float, count: int) -> tuple[float, ...]:
    return tuple((first * ratio ** np.arange(count)).tolist())


MODULES = tuple(np.repeat(_graded(0.7, 0.85, 6), 10).tolist())
SETTINGS = [
    Setting("independent, 20 equal effects", 60, 20, (0.5,) * 20),
    Setting("independent, 40 graded effects", 60, 10, _graded(0.9, 0.93, 40)),
    Setting("independent, 60 weak effects", 100, 20, (0.2,) * 60),
    Setting("independent, strong effects", 120, 20, tuple(np.linspace(1.2, 0.4, 40).tolist())),
    Setting("heavy tails", 80, 20, tuple(np.linspace(0.7, 0.3, 25).tolist()), "heavy tails"),
    Setting("blocks of 10, filled", 80, 20, (0.4,) * 20, "blocks"),
    Setting("blocks of 10, one each", 80, 20, (0.5,) * 20, "blocks", spread=True),
    Setting("modules of 10", 60, 20, MODULES, "modules"),
    Setting("AR(1) 0.7", 80, 10, _graded(0.7, 0.93, 30), "autoregressive", spread=True),
    Setting("two copies of the same features", 80, 10, _graded(0.9, 0.93, 40), shared=True),
    Setting("noise, independent", 60, 10),
    Setting("noise, blocks of 10", 60, 10, noise="blocks"),
    Setting("power: effects 0.8 times as large", 80, 10, _graded(0.9, 0.93, 40), weaker=0.8),
    Setting("power: effects 0.6 times as large", 80, 10, _graded(0.9, 0.93, 40), weaker=0.6),
    Setting("power, modules: 0.5 times as large", 80, 20, MODULES, "modules", weaker=0.5),
]


def run(data_sets: int) -> Rows:
    """Return one row per setting."""
    return [
        _row(setting, data_sets, np.random.default_rng([SEED, number]))
        for number, setting in enumerate(SETTINGS)
    ]


def _row(setting: Setting, data_sets: int, rng: np.random.Generator) -> dict[str, object]:
    scale = make_log_odds(get_measure("nogueira"), N_FEATURES, setting.size)
    found = []
    for number in range(data_sets):
        if number % DATA_SETS_PER_DESIGN == 0:  # samples are exchangeable
            parts, pairs = _design(setting.n, number)
        blocks, y = setting.draw(rng)
        first, second = (
            _values(_selected(X, y, parts, setting.size), pairs, setting) for X in blocks
        )
        found.append(
            compare_pair_values(
                (first, second), (scale, scale), size=setting.size, measure="nogueira"
            )
        )
    truth = float(np.mean([one.difference for one in found])) if setting.weaker < 1 else 0.0
    spread = np.std([one.difference for one in found], ddof=1)
    return {
        "setting": setting.name,
        "n": setting.n,
        "stability, first": float(np.mean([one.first for one in found])),
        "second": float(np.mean([one.second for one in found])),
        "standard error / sd": float(np.mean([one.standard_error for one in found]) / spread),
        "p at most 0.05": float(np.mean([one.p_value <= LEVEL for one in found])),
        "interval holds the truth": float(np.mean([one.low <= truth <= one.high for one in found])),
        "data sets": data_sets,
    }


def _design(n: int, seed: int) -> tuple[NDArray, ReplicationPairs]:
    """Return which samples (columns) are in which part (rows), and which parts are compared."""
    resamples = ReplicationDesign(N_PAIRS).draw(np.arange(n) % 2, random_state=seed)
    parts = np.zeros((len(resamples), n))
    for row, one in zip(parts, resamples, strict=True):
        row[one.train] = 1
    return parts, ReplicationPairs.from_resamples(resamples)


def _selected(X: NDArray, y: NDArray, parts: NDArray, size: int) -> NDArray:
    """Mark the features of the highest t-scores of each part."""
    sums, squares, counts = [], [], []
    for label in (0, 1):
        own = parts * (y == label)
        sums.append(own @ X)
        squares.append(own @ np.square(X))
        counts.append(own.sum(axis=1, keepdims=True))
    means = [total / count for total, count in zip(sums, counts, strict=True)]
    scatter = sum(
        square - count * np.square(mean)
        for square, count, mean in zip(squares, counts, means, strict=True)
    )
    scores = np.square(means[0] - means[1]) / scatter  # parts of one row have the same counts
    best = np.argpartition(-scores, size, axis=1)[:, :size]
    marked = np.zeros(scores.shape, dtype=np.float32)
    np.put_along_axis(marked, best, 1, axis=1)
    return marked


def _values(marked: NDArray, pairs: ReplicationPairs, setting: Setting) -> PairValues:
    chance = setting.size / N_FEATURES

    def agreement(which: NDArray) -> NDArray:
        flat = which.reshape(-1, 2)
        shared = np.einsum("ij,ij->i", marked[flat[:, 0]], marked[flat[:, 1]]) / setting.size
        return ((shared - chance) / (1 - chance)).reshape(which.shape[:-1])

    return PairValues(
        halves=agreement(pairs.halves),
        parts=agreement(pairs.parts),
        quarters=agreement(pairs.quarters),
        n_units=setting.n,
    )


def missed(rows: Rows, slack: float) -> list[str]:
    """Return the goals that rows miss."""
    found, right = [], 0
    for row in rows:
        rate, name = row["p at most 0.05"], row["setting"]
        reach = slack * share_error(rate, row["data sets"])
        if name.startswith("power"):
            continue
        right += LOW - reach <= rate <= HIGH + reach
        if rate > HIGH + reach:
            found.append(f"{name}: {rate:.1%} of equal selectors called different, goal 3 to 7%.")
        elif rate < LOW - reach and not name.startswith("noise"):
            found.append(f"{name}: {rate:.1%}, conservative, goal 3 to 7%.")
    if right < MIN_RIGHT:
        found.append(f"Only {right} settings within 3 to 7%, goal {MIN_RIGHT}.")
    strong = next(row for row in rows if row["setting"] == SETTINGS[-2].name)
    power = strong["p at most 0.05"]
    if power < POWER - slack * share_error(power, strong["data sets"]):
        difference = strong["stability, first"] - strong["second"]
        found.append(f"Power {power:.0%} at a difference of {difference:.2f}.")
    return found


CLAIM = Claim(
    name="compare_replication",
    title="Comparing the replication stability of two selectors",
    about=(
        "The t-score on two blocks of 300 features with the same distribution, so both selectors "
        "are equally stable in the population; 50 pairs of halves. *p at most 0.05* is the share "
        "of data sets in which `compare_replication` calls them different; the goal is 3 to 7% in "
        "at least eight settings. On noise it may be less. In the last rows the effects truly "
        "differ: power."
    ),
    run=run,
    missed=missed,
    data_sets=800,
    few_data_sets=30,
)
