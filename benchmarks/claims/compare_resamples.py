"""How often does `hf.compare` find a difference between selectors that are equally stable?"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

import holdfast as hf
from benchmarks.claims._claim import Claim, Rows, share_error
from benchmarks.claims._t_scores import (
    N_FEATURES,
    best_features,
    draw_resamples,
    draw_samples,
    t_scores,
    t_scores_of_sets,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Sides = tuple[Array, Array]

SEED = 21
SAMPLES, SIZE = 40, 10
COUNTS = (10, 20, 50, 100)
MEASURES = ("nogueira", "jaccard")
LEVEL, LEAST, MOST = 0.05, 0.03, 0.07


def independent_samples(rng: np.random.Generator) -> Sides:
    """Score two blocks of features of one law, on independent samples of both."""
    sides = [draw_samples(rng, "independent", SAMPLES, COUNTS[-1]) for _ in range(2)]
    return t_scores_of_sets(*sides[0]), t_scores_of_sets(*sides[1])


def same_data_twice(rng: np.random.Generator) -> Sides:
    """Run one selector twice on subsamples of one data set, other ones each time."""
    x, y = draw_samples(rng, "independent", SAMPLES)
    scores = t_scores(x[0], y, draw_resamples(rng, y, 0.9, 2 * COUNTS[-1]))
    return scores[: COUNTS[-1]], scores[COUNTS[-1] :]


def same_resamples(rng: np.random.Generator) -> Sides:
    """Run one selector twice on the same subsamples, each run on random two thirds of them."""
    x, y = draw_samples(rng, "independent", SAMPLES)
    weights = draw_resamples(rng, y, 0.9, COUNTS[-1])
    sides = [t_scores(x[0], y, _parts(rng, y, weights)) for _ in range(2)]
    return sides[0], sides[1]


def _parts(rng: np.random.Generator, y: Array, weights: Array) -> Array:
    """Keep two thirds of each class of each subsample."""
    kept = np.zeros_like(weights)
    for label in (0, 1):
        rows = np.flatnonzero(y == label)
        order = np.argsort(rng.random((len(weights), len(rows))) - weights[:, rows], axis=1)
        number = round(2 / 3 * weights[0, rows].sum())
        np.put_along_axis(kept, rows[order[:, :number]], 1.0, axis=1)
    return kept


def read_as_population(rng: np.random.Generator) -> Sides:
    """Score two blocks of features of one law on the same subsamples of one data set."""
    x, y = draw_samples(rng, "independent", SAMPLES, 2)
    weights = draw_resamples(rng, y, 0.9, COUNTS[-1])
    return t_scores(x[0], y, weights), t_scores(x[1], y, weights)


def noise(rng: np.random.Generator) -> Sides:
    """Score two blocks without information on independent samples."""
    sides = [draw_samples(rng, "noise", SAMPLES, COUNTS[-1]) for _ in range(2)]
    return t_scores_of_sets(*sides[0]), t_scores_of_sets(*sides[1])


SETTINGS: dict[str, tuple[Callable[[np.random.Generator], Sides], bool, bool]] = {
    "independent samples": (independent_samples, False, True),
    "independent samples, paired": (independent_samples, True, True),
    "one protocol twice on one data set": (same_data_twice, False, True),
    "one protocol twice on the same subsamples, paired": (same_resamples, True, True),
    "random selections, independent samples": (noise, False, False),
    "read as a statement about the population, paired": (read_as_population, True, False),
}
"""How both sides come about, whether they are paired, and whether the level is a goal."""


def run(data_sets: int) -> Rows:
    """Compare equally stable selectors and count p-values up to 5%."""
    rows = []
    for number, (setting, (draw, paired, goal)) in enumerate(SETTINGS.items()):
        rejected: dict[tuple[str, int], int] = defaultdict(int)
        rng = np.random.default_rng([SEED, number])
        for _ in range(data_sets):
            one, two = (_subsets(scores) for scores in draw(rng))
            for count in COUNTS:
                for name in MEASURES:
                    found = hf.compare(one[:count], two[:count], name, paired=paired)
                    rejected[name, count] += found.p_value <= LEVEL
        rows += [
            {
                "setting": setting,
                "measure": name,
                **{f"m = {count}": rejected[name, count] / data_sets for count in COUNTS},
                "goal": "3% to 7%" if goal else "none",
                "data sets": data_sets,
            }
            for name in MEASURES
        ]
    return rows


def _subsets(scores: Array) -> hf.Subsets:
    return hf.Subsets(best_features(scores, SIZE), n_features=N_FEATURES)


def missed(rows: Rows, slack: float) -> list[str]:
    """Name settings where a true hypothesis is rejected too often or too rarely."""
    found = []
    for row in rows:
        for count in COUNTS:
            share = row[f"m = {count}"]
            room = slack * share_error(share, row["data sets"])
            if row["goal"] != "none" and not LEAST - room <= share <= MOST + room:
                where = f"{row['setting']}, {row['measure']}, m = {count}"
                found.append(f"{where}: {share:.1%} of the tests reject.")
    return found


CLAIM = Claim(
    name="compare_resamples",
    title="The p-value of `hf.compare`, for repeating the protocol on the same data",
    about=(
        "T-scores select 10 of 200 features of 40 samples, 20 of them informative. Both sides are "
        "equally stable: the same selector run twice on 90% subsamples of one data set (paired: "
        "on random two thirds of the same subsamples), or two sets of features with the same "
        "distribution. The table has the share of p-values up to 0.05 by the number m of "
        "resamples; the goal is 3% to 7%. Two settings have no goal: tests of random selections "
        "reject too rarely; and the p-value is far too small for a statement about new data, the "
        "more so the more resamples there are (compare replication for that)."
    ),
    run=run,
    missed=missed,
    data_sets=1000,
    few_data_sets=100,
)
