"""Do the intervals of measures hold what repeating the protocol on the same data gives?"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

import holdfast as hf
from benchmarks.claims._claim import Claim, Rows, share_error
from benchmarks.claims._t_scores import (
    N_FEATURES,
    POPULATIONS,
    best_features,
    draw_resamples,
    draw_samples,
    t_scores,
    t_scores_of_sets,
)
from holdfast.measures import get_measure
from holdfast.measures._interval import estimate_interval
from holdfast.measures._measure import estimate_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from holdfast.measures import Measure
    from holdfast.measures._interval import Interval
    from holdfast.measures._registry import Estimate

    Array = NDArray[np.float64]

SEED = 20
SAMPLES, SIZE = 60, 10
COUNTS = (3, 5, 10, 20, 50, 100)
DRAWS = 4  # systems of each number of resamples that a data set gives
TRUTH = 1200  # resamples that the truth comes from
SYSTEMS = 12  # systems behind the truth of a measure that depends on the number of resamples
RECORDS = [
    get_measure(name)
    for name in ("nogueira", "jaccard", "kuncheva", "hamming", "novovicova", "spearman")
]
BY_COUNT = "novovicova"
PROTOCOLS = {"90% subsamples": 0.9, "halves": 0.5, "disjoint samples": None}
LEAST = 0.9
"""The goal at a nominal 95%, from five resamples on."""


def run(data_sets: int) -> Rows:
    """Draw systems of resamples of each data set and count intervals that hold the truth."""
    held: dict[tuple[str, str, str, int], list[float]] = defaultdict(list)
    outside: dict[tuple[str, str], int] = defaultdict(int)
    for number, population in enumerate(POPULATIONS):
        for protocol, share in PROTOCOLS.items():
            rng = np.random.default_rng([SEED, number, list(PROTOCOLS).index(protocol)])
            truth = None
            for _ in range(data_sets):
                score = _protocol(rng, population, share)
                if truth is None or share is not None:  # independent samples have one truth
                    truth = _truth(score)
                for record, count, found in _intervals(score):
                    name = record.name
                    key = protocol, population, name, count
                    held[key].append(_holds(found.low, truth[name, count], found.high))
                    beyond = found.low < record.minimum or found.high > record.maximum
                    outside[protocol, name] += int(beyond)
    return [
        _row(protocol, one.name, held) | {"ends beyond the range": outside[protocol, one.name]}
        for protocol in PROTOCOLS
        for one in RECORDS
    ]


def _protocol(
    rng: np.random.Generator, population: str, share: float | None
) -> Callable[[int], Array]:
    """Return what gives the scores of this many resamples, or of independent samples."""
    if share is None:
        half = SAMPLES // 2
        return lambda count: t_scores_of_sets(*draw_samples(rng, population, half, count))
    x, y = draw_samples(rng, population, SAMPLES)
    return lambda count: t_scores(x[0], y, draw_resamples(rng, y, share, count))


def _truth(score: Callable[[int], Array]) -> dict[tuple[str, int], float]:
    """Return what each measure gives on average for each number of resamples."""
    scores = score(TRUTH)
    found = zip(RECORDS, _estimates(scores), strict=True)
    truth = {(record.name, count): one.value for record, one in found for count in COUNTS}
    for count in COUNTS:
        systems = np.split(scores[: SYSTEMS * count], SYSTEMS)
        values = [hf.measure(BY_COUNT, _subsets(system)) for system in systems]
        truth[BY_COUNT, count] = float(np.mean(values))
    return truth


def _intervals(score: Callable[[int], Array]) -> Iterator[tuple[Measure, int, Interval]]:
    """Yield intervals of each measure, as `hf.measure` makes them, without its table."""
    for count in COUNTS:
        for scores in np.split(score(DRAWS * count), DRAWS):
            for record, one in zip(RECORDS, _estimates(scores), strict=True):
                yield record, count, estimate_interval(one, 0.95, (record.minimum, record.maximum))


def _estimates(scores: Array) -> list[Estimate]:
    """Measure a system of subsets, and the rankings behind it."""
    places = np.argsort(np.argsort(-scores, axis=1), axis=1) + 1
    systems = {"subset": _subsets(scores), "ranking": hf.Rankings(places)}
    return [
        one
        for form, system in systems.items()
        for one in estimate_all([r for r in RECORDS if r.form == form], system, "warn", None, {})
    ]


def _subsets(scores: Array) -> hf.Subsets:
    return hf.Subsets(best_features(scores, SIZE), n_features=N_FEATURES)


def _holds(low: float, truth: float, high: float) -> float:
    """Return 1 or 0; NaN if there is no interval."""
    return np.nan if np.isnan(low) else float(low <= truth <= high)


def _row(protocol: str, name: str, held: dict[tuple[str, str, str, int], list[float]]) -> dict:
    row: dict[str, object] = {"resamples": protocol, "measure": name}
    by_population = {
        count: [held[protocol, population, name, count] for population in POPULATIONS]
        for count in COUNTS
    }
    for count, found in by_population.items():
        row[f"m = {count}"] = float(np.nanmean(np.concatenate(found)))
    row["least of a population, m ≥ 5"] = min(
        float(np.nanmean(one)) for count in COUNTS[1:] for one in by_population[count]
    )
    row["without, m = 3"] = float(np.isnan(np.concatenate(by_population[3])).mean())
    row["without, m = 5"] = float(np.isnan(np.concatenate(by_population[5])).mean())
    row["systems"] = sum(map(len, by_population[3]))
    return row


def missed(rows: Rows, slack: float) -> list[str]:
    """Name intervals that hold the truth too rarely, or leave the range."""
    found = []
    for row in rows:
        where = f"{row['measure']} on {row['resamples']}"
        for count in COUNTS[1:]:
            share = row[f"m = {count}"]
            if share < LEAST - slack * share_error(share, row["systems"]):
                found.append(
                    f"{where}: {share:.0%} of the intervals contain the truth at m = {count}."
                )
        if row["ends beyond the range"]:
            found.append(f"{where}: {row['ends beyond the range']} intervals leave the range.")
    return found


CLAIM = Claim(
    name="measure_intervals",
    title="The interval of a measure, for repeating the protocol on the same data",
    about=(
        "T-scores select 10 of 200 features of 60 samples, from populations with independent "
        "informative features, with correlated ones, and with none. The truth is the value of "
        "1,200 resamples of the same data (of 12 systems of m for novovicova, which depends on "
        "m); for disjoint samples of 30 it is that of 1,200 samples of the population. The table "
        "has the share of nominal 95% intervals that contain it, by the number m of resamples; "
        "the goal is at least 90% from m = 5 on. *Without* is the share of systems without an "
        "interval, because leaving out any one resample changes nothing."
    ),
    run=run,
    missed=missed,
    data_sets=100,
    few_data_sets=5,
)
