"""Profiles, likeness of selectors, stand-ins and effects at sizes that occur."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import holdfast as hf
from benchmarks._inputs import labelled, selections
from benchmarks._record import Goal, benchmark
from holdfast.judge import (
    effect_sizes,
    find_knot,
    selector_similarity,
    stability_profile,
    stand_ins,
)

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from benchmarks._inputs import Labelled
    from holdfast.judge import Knot, SelectorSimilarity, StabilityProfile, StandIns


def rankings(rng: np.random.Generator, *, m: int, p: int) -> NDArray[np.intp]:
    """Return features in order, best first: a common order blurred again for each resample."""
    scores = rng.normal(size=p)
    return np.argsort(scores + rng.normal(size=(m, p)), axis=1).astype(np.int32)


@benchmark(
    task="profile by nogueira and jaccard at 40 sizes, m=100 p=100,000",
    inputs=partial(rankings, m=100, p=100_000),
    tiny=partial(rankings, m=5, p=200),
    goal=Goal(seconds=6.0, peak_mb=300),
)
def profile(tops: NDArray[np.intp]) -> StabilityProfile:
    return stability_profile({"one": list(tops)}, tops.shape[1])


@benchmark(
    task="knot of a profile, m=100 p=100,000",
    inputs=partial(rankings, m=100, p=100_000),
    tiny=partial(rankings, m=5, p=200),
    goal=Goal(seconds=3.0),
)
def knot(tops: NDArray[np.intp]) -> Knot:
    return find_knot(tops, tops.shape[1])


def systems(rng: np.random.Generator, *, count: int, m: int, p: int) -> dict[str, hf.Subsets]:
    """Return the selections of many selectors."""
    size = p // 20
    rows = [selections(rng, m=m, p=p, sizes=(size, size), core=2 * size) for _ in range(count)]
    return {str(i): hf.Subsets(own, n_features=p) for i, own in enumerate(rows)}


@benchmark(
    task="similarity of 40 selectors by phi, m=100 p=2,000 k=100",
    inputs=partial(systems, count=40, m=100, p=2000),
    tiny=partial(systems, count=3, m=4, p=100),
    goal=Goal(seconds=2.0),
)
def similarity(selected: dict[str, hf.Subsets]) -> SelectorSimilarity:
    return selector_similarity(selected)


def selected_and_data(rng: np.random.Generator, **sizes: Any) -> tuple[hf.Subsets, Labelled]:
    """Return selections and the data they could come from, neighbours being correlated."""
    p = sizes["p"]
    X, y = labelled(rng, n=200, p=p)
    X[:, 1::2] = 0.9 * X[:, : p - 1 : 2] + 0.3 * X[:, 1::2]
    return hf.Subsets(selections(rng, **sizes), n_features=p), (X, y)


WIDE: dict[str, Any] = {
    "inputs": partial(selected_and_data, m=100, p=100_000, sizes=(100, 100), core=300),
    "tiny": partial(selected_and_data, m=6, p=60, sizes=(10, 10), core=20),
}


@benchmark(task="stand-ins, m=100 k=100, data 200 x 100,000", goal=Goal(seconds=8.0), **WIDE)
def found_stand_ins(inputs: tuple[hf.Subsets, Labelled]) -> StandIns:
    return stand_ins(inputs[0], inputs[1][0], frequency=0.1)


@benchmark(task="effect sizes, data 200 x 100,000", goal=Goal(seconds=2.0), **WIDE)
def effects(inputs: tuple[hf.Subsets, Labelled]) -> pd.DataFrame:
    X, y = inputs[1]
    return effect_sizes(X, np.asarray(y), ["0", "1"])
