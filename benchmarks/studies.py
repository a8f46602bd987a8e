"""Studies: many rankings against peers, and what the engine itself costs."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import mutual_info_classif
from sklearn.inspection import permutation_importance

import holdfast as hf
from benchmarks._inputs import Labelled, labelled, resampled_colon
from benchmarks._record import Goal, Live, benchmark
from benchmarks.selectors import eliminated, skrebate

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

WORKERS = 2
SELECTORS = ("symmetrical_uncertainty", "relieff", "svm_rfe", "forest_importance")
DEFAULT_SELECTORS = (*("f_score", "symmetrical_uncertainty", "relieff", "svm_rfe", "random_score"),)
RANKINGS = 10 * (1 + 40) * len(SELECTORS)


class Ran(NamedTuple):
    """How long a study took on the clock, and how long the selectors in it, all added up."""

    seconds: float
    selection: float
    units: int

    @property
    def overhead(self) -> float:
        """Seconds of a worker that went into a unit beyond the selector's own."""
        return (self.seconds * WORKERS - self.selection) / self.units


def ran(study: hf.Study, X: NDArray[Any], y: NDArray[Any]) -> Ran:
    """Run a study into a folder."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = study.run(X, y, out=Path(folder) / "run", n_jobs=WORKERS)
        seconds = time.perf_counter() - start
        if not result.complete:
            raise RuntimeError(f"units failed: {result.failures}")
        rows = result.store.query("SELECT sum(selection), count(*) FROM timings")
        result.store.close()
    return Ran(seconds, *rows[0])


def seconds(run: Ran) -> float:
    return run.seconds


# 1,640 rankings on colon, against scikit-learn and skrebate


def colon(rng: np.random.Generator) -> Labelled:
    return resampled_colon(rng, m=1)[0]


def nested(data: Labelled, *, bags: int) -> Ran:
    """Rank the features on 10 subsamples, and on bootstrap bags of each."""
    protocol = hf.Nested(hf.Subsampling(10, 0.9), hf.Bootstrap(bags))
    return ran(hf.Study(SELECTORS, protocol=protocol, classifiers=(), sizes=[20]), *data)


def forest(data: Labelled) -> Any:
    trees = RandomForestClassifier(10, random_state=0).fit(*data)
    return permutation_importance(trees, *data, n_repeats=1, random_state=0).importances_mean


def sampled(data: Labelled, *, per_ranking: int = RANKINGS // len(SELECTORS)) -> Ran:
    """Let the peers rank once on one bag, and scale up to as many rankings."""
    X, y = data
    rows = np.random.default_rng(0).choice(len(y), len(y))
    bag = X[rows], y[rows]
    ways: list[Callable[[Labelled], Any]] = [
        lambda own: mutual_info_classif(*own, random_state=0),
        skrebate,
        eliminated,
        forest,
    ]
    start = time.perf_counter()
    for way in ways:
        way(bag)
    return Ran((time.perf_counter() - start) * per_ranking, 0.0, RANKINGS)


benchmark(
    task="study, 4 selectors x 10 subsamples x (1 + 40 bags) on colon, 2 processes",
    inputs=colon,
    tiny=partial(labelled, n=20, p=30),
    peer=Live(name="scikit-learn and skrebate, one process, a sample scaled up", run=sampled),
    goal=Goal(seconds=60, ratio=100),
    clock=seconds,
)(partial(nested, bags=40))


# Default studies on many samples


def many_samples(rng: np.random.Generator, *, n: int, p: int) -> Labelled:
    """Draw classes that overlap, of features of which 10 matter."""
    return make_classification(
        n, p, n_informative=10, n_redundant=10, random_state=int(rng.integers(2**31))
    )


def default(data: Labelled) -> Ran:
    """Run the default study of the command line."""
    return ran(hf.Study(DEFAULT_SELECTORS), *data)


for n_samples, n_features, limit in ((5_000, 200, 120), (50_000, 50, 300)):
    benchmark(
        task=f"study, defaults, {n_samples:,} samples x {n_features} features, 2 processes",
        inputs=partial(many_samples, n=n_samples, p=n_features),
        tiny=partial(many_samples, n=60, p=25),
        goal=Goal(seconds=limit),
        clock=seconds,
    )(default)


# What the engine costs


def first(X: NDArray[Any], y: NDArray[Any]) -> NDArray[np.float64]:  # noqa: ARG001
    """Prefer the first features: a selector that costs nothing."""
    return np.arange(X.shape[1], 0.0, -1.0)


def small(rng: np.random.Generator, *, units: int) -> tuple[Labelled, int]:
    return labelled(rng, n=20, p=10), units


def trivial(inputs: tuple[Labelled, int]) -> Ran:
    """Run a selector that costs nothing on many resamples."""
    data, units = inputs
    study = hf.Study({"first": first}, protocol=hf.Subsampling(units), classifiers=(), sizes=[3])
    return ran(study, *data)


MANY = {"inputs": partial(small, units=100_000), "tiny": partial(small, units=20)}

benchmark(
    task="study, 100,000 trivial units, 2 processes", **MANY, goal=Goal(seconds=50), clock=seconds
)(trivial)
benchmark(
    task="study, cost of the engine a unit (of 100,000), 2 processes",
    **MANY,
    goal=Goal(seconds=0.0005),
    clock=lambda run: run.overhead,
)(trivial)
