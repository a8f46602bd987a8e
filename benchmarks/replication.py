"""Replication stability: pairs of disjoint halves, with and without the interval."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import holdfast as hf
from benchmarks._inputs import labelled
from benchmarks._record import Goal, benchmark
from holdfast.judge import pair_similarities, replication
from holdfast.resample import ComplementaryHalves

if TYPE_CHECKING:
    from benchmarks._inputs import Labelled
    from holdfast.judge import Replication

SIZE = 50
WIDE = {"inputs": partial(labelled, n=200, p=20_000), "tiny": partial(labelled, n=40, p=200)}


@benchmark(
    task="replication stability without its interval, 100 pairs, t-score, data 200 x 20,000",
    goal=Goal(seconds=3.0, peak_mb=500),
    **WIDE,
)
def value_alone(data: Labelled) -> float:
    X, y = data
    halves = ComplementaryHalves(100).draw(y)
    top = hf.TScore().rank_resamples(X, y, [one.train for one in halves]).top(SIZE)
    pairs = np.arange(len(halves)).reshape(-1, 2)
    record = hf.measures.get_measure("nogueira")
    found = dict(enumerate(top))
    return float(pair_similarities(record, found, pairs, hf.Subsets, n_features=X.shape[1]).mean())


@benchmark(
    task="replication stability with its interval, 100 pairs, t-score, data 200 x 20,000",
    goal=Goal(seconds=15.0, peak_mb=500),
    **WIDE,
)
def with_interval(data: Labelled) -> Replication:
    return replication("t_score", *data, size=SIZE)
