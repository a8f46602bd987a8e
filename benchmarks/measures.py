"""Stability measures: all together, one by one against stabm, with similarities, from a map."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

import holdfast as hf
from benchmarks._inputs import Rows, correlation_blocks, mapped_weights, neighbours, selections
from benchmarks._record import Goal, Live, benchmark
from benchmarks._recorded import stabm

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

ADJUSTED = {
    "yu": "Yu",
    "zucknick": "Zucknick",
    "intersection_count": "IntersectionCount",
    "intersection_mean": "IntersectionMean",
    "intersection_greedy": "IntersectionGreedy",
    "intersection_mbm": "IntersectionMBM",
}


def subsets(rng: np.random.Generator, **sizes: Any) -> hf.Subsets:
    """Return selections that are read and checked already."""
    return hf.Subsets(selections(rng, **sizes), n_features=sizes["p"])


TINY: dict[str, Any] = {"m": 6, "p": 60, "sizes": (8, 12), "core": 15}
TINY_EQUAL = {**TINY, "sizes": (10, 10)}


# All measures that need no similarities, with intervals and chance levels


def similarity_free(without: tuple[str, ...] = ()) -> list[str]:
    """Name the measures of subsets that need neither similarities nor what is listed."""
    needs = hf.list_measures("subset")["needs"]
    barred = ("similarity", *without)
    return [str(name) for name, text in needs.items() if not any(word in text for word in barred)]


@benchmark(
    task="all similarity-free measures, m=1,000 p=20,000 k=80..120",
    inputs=partial(subsets, m=1000, p=20_000, sizes=(80, 120), core=150),
    tiny=partial(subsets, **TINY),
    goal=Goal(seconds=1.0),
)
def all_of_unequal_sizes(selected: hf.Subsets) -> pd.DataFrame:
    return hf.measure(similarity_free(without=("equal_sizes",)), selected)


@benchmark(
    task="all similarity-free measures, m=1,000 p=1,000,000 k=1,000",
    inputs=partial(subsets, m=1000, p=1_000_000, sizes=(1000, 1000), core=1500),
    tiny=partial(subsets, **TINY_EQUAL),
    goal=Goal(seconds=2.0, peak_mb=500),
)
def all_of_equal_sizes(selected: hf.Subsets) -> pd.DataFrame:
    return hf.measure(similarity_free(), selected)


# One measure, from lists of indices, against peers


def measured_rows(rows: Rows, *, name: str, p: int = 10_000) -> float:
    """Read lists of indices and measure them, as a peer must."""
    return hf.measure(name, hf.Subsets(rows, n_features=p))


def jaccard_of_sets(rows: Rows) -> float:
    """Return the mean Jaccard index by a plain loop over pairs of Python sets."""
    pairs = combinations([set(row.tolist()) for row in rows], 2)
    return float(np.mean([len(a & b) / len(a | b) for a, b in pairs]))


PAIRS_300 = {
    "inputs": partial(selections, m=300, p=10_000, sizes=(100, 100), core=150),
    "tiny": partial(selections, **TINY_EQUAL),
}

for _name, _function in (("jaccard", "stabilityJaccard"), ("phi", "stabilityPhi")):
    benchmark(
        task=f"{_name}, m=300 p=10,000 k=100",
        peer=stabm(_function, m=300),
        goal=Goal(ratio=100),
        **PAIRS_300,
    )(partial(measured_rows, name=_name))

benchmark(
    task="jaccard, m=300 p=10,000 k=100, against loops in Python",
    peer=Live(name="set loops", run=jaccard_of_sets),
    goal=Goal(ratio=1),
    **PAIRS_300,
)(partial(measured_rows, name="jaccard"))


def subsets_and_matrix(
    rng: np.random.Generator, **sizes: Any
) -> tuple[hf.Subsets, NDArray[np.bool_]]:
    """Return the same selections for us and, as a 0/1 matrix, for the dense formula."""
    rows = selections(rng, **sizes)
    matrix = np.zeros((len(rows), sizes["p"]), dtype=bool)
    for i, row in enumerate(rows):
        matrix[i, row] = True
    return hf.Subsets(rows, n_features=sizes["p"]), matrix


def dense_nogueira(both: tuple[hf.Subsets, NDArray[np.bool_]]) -> float:
    """Return Nogueira's stability by its formula on the m x p matrix."""
    matrix = both[1]
    m, share = len(matrix), matrix.mean()
    variance = matrix.var(axis=0).mean() * m / (m - 1)
    return float(1 - variance / (share * (1 - share)))


@benchmark(
    task="nogueira, m=1,000 p=20,000 k=100, against the dense formula",
    inputs=partial(subsets_and_matrix, m=1000, p=20_000, sizes=(100, 100), core=150),
    tiny=partial(subsets_and_matrix, **TINY_EQUAL),
    peer=Live(name="dense numpy", run=dense_nogueira),
    goal=Goal(ratio=1),
)
def nogueira(both: tuple[hf.Subsets, NDArray[np.bool_]]) -> float:
    return hf.measure("nogueira", both[0])


# Very many features


@benchmark(
    task="read, nogueira and jaccard, m=1,000 p=10,000,000 k=500",
    inputs=partial(selections, m=1000, p=10_000_000, sizes=(500, 500), core=750),
    tiny=partial(selections, **TINY_EQUAL),
    goal=Goal(held_mb=5),
    holds=lambda result: result[0].indices.nbytes + result[0].indptr.nbytes,
)
def ten_million_features(rows: Rows) -> tuple[hf.Subsets, pd.DataFrame]:
    selected = hf.Subsets(rows, n_features=10_000_000)
    return selected, hf.measure(["nogueira", "jaccard"], selected)


# Similar features count, chance level by 1,000 simulations


def similar(rng: np.random.Generator, *, dense: bool, **sizes: Any) -> tuple[hf.Subsets, Any]:
    """Return selections and the similarities of all features."""
    table = correlation_blocks(rng, sizes["p"]) if dense else neighbours(rng, sizes["p"])
    return subsets(rng, **sizes), table


def adjusted(inputs: tuple[hf.Subsets, Any], *, name: str) -> float:
    """Measure with similarities, corrected for chance by simulation."""
    selected, similarity = inputs
    return hf.measure(
        name,
        selected,
        similarity=similarity,
        corrected=True,
        correction="simulate",
        n_simulations=1000,
    )


def register_adjusted(label: str, seconds: float, *, dense: bool, **sizes: Any) -> None:
    """Register a row for each of the six measures; stabm timed them on the dense case."""
    for name, function in ADJUSTED.items():
        benchmark(
            task=f"{name}, 1,000 simulations, {label}",
            inputs=partial(similar, dense=dense, **sizes),
            tiny=partial(similar, dense=dense, **TINY),
            peer=stabm(f"stability{function}", 20, "estimate_N1000") if dense else None,
            goal=Goal(seconds=seconds),
        )(partial(adjusted, name=name))


WIDE: dict[str, Any] = {"dense": False, "m": 100, "p": 20_000, "core": 150}

register_adjusted("m=20 p=500 k=20, dense", 0.3, dense=True, m=20, p=500, sizes=(20, 20), core=30)
register_adjusted("m=100 p=20,000 k=100, sparse", 0.5, sizes=(100, 100), **WIDE)
register_adjusted("m=100 p=20,000 k=80..120, sparse", 10.0, sizes=(80, 120), **WIDE)


# Weights of more features than fit


@benchmark(
    task="spearman and pearson, m=100 p=850,000 from a memory map",
    inputs=partial(mapped_weights, m=100, p=850_000),
    tiny=partial(mapped_weights, m=4, p=50),
    goal=Goal(seconds=12.0, peak_mb=1000),
    mapped=True,
)
def mapped_correlations(table: np.memmap[Any, Any]) -> pd.DataFrame:
    return hf.measure(["spearman", "pearson"], hf.Weights(table))
