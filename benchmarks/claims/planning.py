"""Plans from pilot studies: samples that a stability needs, and stability at n and 2n.

``python -m benchmarks.claims.planning`` prints the truth of all settings again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import holdfast as hf
from benchmarks.calibration.populations import Real, _loaded
from benchmarks.claims._claim import Claim, Rows, share_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 20261118
N_PAIRS = 50
FACTOR = 2.0
GOALS = {"within": 0.7, "error at n": 0.06, "error at 2n": 0.08}
COVERAGE = (0.9, 0.98)
ERROR_SPREAD = 0.06
"""Standard deviation of the absolute errors of predictions, for the slack of reduced runs."""
TRUTH_FACTORS = (0.75, 1, 1.5, 2, 3, 4, 6)
TRUTH_STUDIES = 200
"""Independent studies (100 disjoint pairs, in real data) that each true stability rests on."""


@dataclass(frozen=True)
class Drawn:
    """Two classes whose means differ by twice the effects; `kind` names effects and noise."""

    kind: str
    n_features: int

    def draw(self, n: int, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
        """Return X and y of a study."""
        p = self.n_features
        y, effects = np.arange(n) % 2, np.zeros(p)
        if self.kind == "autoregressive":
            X = rng.standard_normal((n, p))
            for column in range(1, p):
                X[:, column] = 0.7 * X[:, column - 1] + np.sqrt(0.51) * X[:, column]
            effects[np.arange(40) * 10 % p] = 0.72 * 0.93 ** np.arange(40)
        elif self.kind == "modules":
            shared = np.repeat(rng.standard_normal((n, p // 10)), 10, axis=1)
            X = 0.8 * shared + 0.6 * rng.standard_normal((n, p))
            effects[:60] = np.repeat(0.7 * 0.85 ** np.arange(6), 10)
        elif self.kind == "heavy tails":
            X = rng.standard_t(3, (n, p)) / np.sqrt(3)
            effects[:25] = np.linspace(0.55, 0.25, 25)
        else:  # a quarter of the samples in one class
            y = (np.arange(n) % 4 == 0).astype(int)
            X = rng.standard_normal((n, p))
            effects[:15], effects[15:45] = 0.45, 0.2
        return X + effects * (2 * y - 1)[:, np.newaxis], y


@dataclass(frozen=True)
class Setting:
    """A population, pilots of n samples from it, and what is true of it."""

    name: str
    population: Drawn | Real
    n: int
    size: int
    target: float
    true_n: float
    at_n: float
    at_2n: float

    def draw(self, n: int, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
        """Return X and y of a study."""
        if isinstance(self.population, Real):
            (X, y, _), _ = self.population.split(n, rng)
            return X, y
        return self.population.draw(n, rng)

    @property
    def available(self) -> bool:
        """Whether the data are here: some real ones are in the folder HOLDFAST_DATA."""
        one = self.population
        own = isinstance(one, Drawn) or one.name in ("digits", "breast_cancer")
        return own or "HOLDFAST_DATA" in os.environ


SETTINGS = [
    Setting("AR(1) 0.7, 40 effects", Drawn("autoregressive", 400), 60, 10, 0.8, 138, 0.608, 0.784),
    Setting("AR(1) 0.7, 40 effects", Drawn("autoregressive", 400), 120, 10, 0.8, 136, 0.789, 0.853),
    Setting("modules of 10", Drawn("modules", 600), 60, 20, 0.8, 239, 0.57, 0.68),
    Setting("modules of 10", Drawn("modules", 600), 120, 10, 0.8, 463, 0.511, 0.641),
    Setting("t(3) noise, 25 effects", Drawn("heavy tails", 1000), 80, 20, 0.8, 122, 0.679, 0.836),
    Setting("25% minority", Drawn("minority", 500), 80, 15, 0.8, 186, 0.492, 0.76),
    Setting("isolet", Real("isolet", "even"), 200, 20, 0.4, 743, 0.139, 0.245),
    Setting("semeion", Real("semeion", "even"), 200, 20, 0.85, 503, 0.726, 0.819),
    Setting("digits", Real("digits", "even"), 100, 10, 0.7, 196, 0.562, 0.705),
    Setting("breast cancer", Real("breast_cancer", "own"), 80, 5, 0.85, 148, 0.736, 0.873),
]


def run(data_sets: int) -> Rows:
    """Return one row per population."""
    return [
        _row(setting, data_sets, np.random.default_rng([SEED, number]))
        for number, setting in enumerate(SETTINGS)
        if setting.available
    ]


def _row(setting: Setting, data_sets: int, rng: np.random.Generator) -> dict[str, object]:
    plans, rules = [], []
    for number in range(data_sets):
        X, y = setting.draw(setting.n, rng)
        found = hf.replication(
            "t_score", X, y, size=setting.size, n_pairs=N_PAIRS, random_state=number
        )
        predicted = found.curve[found.curve["kind"] == "predicted"]
        ahead = np.full((2, 3), np.nan)  # at chance nothing is predicted beyond n
        rows = predicted[["value", "low", "high"]].to_numpy(dtype=float)[:2]
        ahead[: len(rows)] = rows
        plan = hf.judge.plan_samples(found, target=setting.target)
        plans.append([plan.needed, plan.needed_low, plan.needed_high, *ahead.ravel()])
        rules.append(spearman_brown(found.value, setting))
    needed, low, high, at_n, low_n, high_n, at_2n, low_2n, high_2n = np.array(plans).T
    known = np.isfinite(at_2n)
    held_2n = (low_2n <= setting.at_2n) & (setting.at_2n <= high_2n)
    rule_needed, rule_n, rule_2n = np.array(rules).T
    true_n = setting.true_n
    return {
        "population": setting.name,
        "real": "yes" if isinstance(setting.population, Real) else "no",
        "pilot n": setting.n,
        "target": setting.target,
        "true n": round(true_n),
        "within": _within(needed, true_n),
        "at least": float(np.isnan(needed).mean()),
        "at chance": float(np.isinf(needed).mean()),
        "n in interval": float(((low <= true_n) & ~(high < true_n)).mean()),
        "end unknown": float(np.isnan(high).mean()),
        "error at n": float(np.abs(at_n - setting.at_n).mean()),
        "covered at n": float(((low_n <= setting.at_n) & (setting.at_n <= high_n)).mean()),
        "error at 2n": float(np.nanmean(np.abs(at_2n - setting.at_2n))),
        "covered at 2n": float(held_2n[known].mean()),
        "rule: within": _within(rule_needed, true_n),
        "rule: error at n": float(np.abs(rule_n - setting.at_n).mean()),
        "rule: error at 2n": float(np.abs(rule_2n - setting.at_2n)[known].mean()),
        "data sets": data_sets,
    }


def spearman_brown(half: float, setting: Setting) -> tuple[float, float, float]:
    """Return what the formula says from halves: needed samples, stability at n and at 2n."""
    half = min(max(half, 0.01), 0.99)
    odds = half / (1 - half)
    needed = setting.n / 2 * setting.target / (1 - setting.target) / odds
    return needed, 2 * odds / (1 + 2 * odds), 4 * odds / (1 + 4 * odds)


def _within(needed: NDArray, true_n: float) -> float:
    ratio = needed / true_n
    return float(((ratio >= 1 / FACTOR) & (ratio <= FACTOR)).mean())


def missed(rows: Rows, slack: float) -> list[str]:
    """Return the goals that the means over all populations miss."""
    count = sum(row["data sets"] for row in rows)
    found = []

    def mean(column: str, real: str | None = None) -> float:
        return float(np.mean([row[column] for row in rows if real in (None, row["real"])]))

    for real, which in (("no", "simulated"), ("yes", "real")):
        within = mean("within", real)
        if within < GOALS["within"] - slack * share_error(within, count // 2):
            found.append(f"Within a factor of 2: {within:.0%} of the {which} pilots, goal 70%.")
    for column in ("n in interval", "covered at n", "covered at 2n"):
        covered = mean(column)
        reach = slack * share_error(covered, count)
        if not COVERAGE[0] - reach <= covered <= COVERAGE[1] + reach:
            found.append(f"{column[0].upper()}{column[1:]}: {covered:.0%}, goal 90 to 98%.")
    for column in ("error at n", "error at 2n"):
        error, reach = mean(column), slack * ERROR_SPREAD / np.sqrt(count)
        if error > GOALS[column] + reach:
            found.append(f"Mean absolute {column}: {error:.3f}, goal {GOALS[column]}.")
    for column, sign in (("within", 1), ("error at n", -1), ("error at 2n", -1)):
        gain = sign * (mean(column) - mean(f"rule: {column}"))
        if gain < -slack * 0.5 / np.sqrt(count):
            found.append(f"Spearman-Brown is better: {column}.")
    return found


CLAIM = Claim(
    name="planning",
    title="The sample size of a plan",
    about=(
        "Pilots of n samples from six simulated and four real populations, t-score, 50 pairs of "
        "halves. *True n* is the number of samples with the target replication stability, by 200 "
        "independent studies at each of 7 sizes. *Within*: share of pilots whose plan is within a "
        "factor of 2 of it; *at least* and *at chance*: share without a number. Errors are mean "
        "absolute errors of the predicted stability at n and, for pilots that are not at chance, "
        "at 2n; *rule* is the Spearman-Brown formula from halves, on the same pilots. Goals, on "
        "average: within in 70%, coverage of all intervals 90 to 98%, errors of at most 0.06 and "
        "0.08, better than the rule."
    ),
    run=run,
    missed=missed,
    data_sets=40,
    few_data_sets=6,
)


def true_stability(setting: Setting, n: int, rng: np.random.Generator) -> float:
    """Return the mean overlap of independent studies, corrected for chance."""
    if isinstance(setting.population, Real):
        shares = []
        for _ in range(TRUTH_STUDIES // 2):
            study, another = setting.population.split(n, rng)
            lists = [_best(X, y, setting.size) for X, y, _ in (study, another(rng))]
            shares.append(len(np.intersect1d(*lists)) / setting.size)
        found, n_features = float(np.mean(shares)), study[0].shape[1]
    else:
        n_features = setting.population.n_features
        counts = np.zeros(n_features)
        for _ in range(TRUTH_STUDIES):
            counts[_best(*setting.draw(n, rng), setting.size)] += 1
        pairs = TRUTH_STUDIES * (TRUTH_STUDIES - 1)
        found = float((counts * (counts - 1)).sum() / pairs / setting.size)
    chance = setting.size / n_features
    return (found - chance) / (1 - chance)


def _best(X: NDArray, y: NDArray, size: int) -> NDArray:
    a, b = X[y == 0], X[y == 1]
    pooled = (len(a) - 1) * a.var(0, ddof=1) + (len(b) - 1) * b.var(0, ddof=1)
    gap = np.abs(a.mean(0) - b.mean(0))
    score = np.divide(gap, np.sqrt(pooled), out=np.zeros_like(gap), where=pooled > 0)
    return np.argsort(-score)[:size]


def _print_truth() -> None:
    for number, setting in enumerate(SETTINGS):
        rng = np.random.default_rng([SEED + 1, number])
        most = np.inf
        if isinstance(setting.population, Real):
            _, counts = np.unique(
                _loaded(setting.population.name, setting.population.task)[1], return_counts=True
            )
            most = counts.min() * len(counts) / 2
        sizes = [int(setting.n * by) for by in TRUTH_FACTORS if setting.n * by <= most]
        found = np.array([true_stability(setting, n, rng) for n in sizes])
        rising = np.maximum.accumulate(found)
        logs = np.log(sizes)
        first = int(np.argmax(rising >= setting.target))
        step = (setting.target - rising[first - 1]) / (rising[first] - rising[first - 1])
        needed = np.exp(logs[first - 1] + step * (logs[first] - logs[first - 1]))
        ahead = np.interp(np.log([setting.n, 2 * setting.n]), logs, found)
        print(setting.name, setting.n, sizes, found.round(3), round(needed), ahead.round(3))


if __name__ == "__main__":
    _print_truth()
