"""Simulated studies: scores drawn without data, and the figures that are made of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks._record import Goal, benchmark
from holdfast.simulate import IndependentGaussian, figure_tables, simulate_stability

if TYPE_CHECKING:
    import numpy as np


def population(rng: np.random.Generator, *, n: int, p: int) -> IndependentGaussian:  # noqa: ARG001
    """Return a population whose means are worked out already."""
    generator = IndependentGaussian(n_samples=n, n_features=p, largest_effect=0.01)
    assert generator.model.n_features == p
    return generator


def simulated(generator: IndependentGaussian, *, size: float, errors: bool) -> Any:
    return simulate_stability(generator, size=size, n_sets=100, errors=errors)


for _name, _size, _errors in (
    ("top 10%, four measures", 0.1, False),
    ("top 100, four measures, error of LDA", 100, True),
):
    benchmark(
        task=f"100 training sets of 10⁶ samples x 10⁶ features, t-score, {_name}",
        inputs=partial(population, n=10**6, p=10**6),
        tiny=partial(population, n=100, p=1000),
        goal=Goal(seconds=60.0, peak_mb=1000),
        mapped=True,  # the table of scores is in a file
    )(partial(simulated, size=_size, errors=_errors))


def nothing(rng: np.random.Generator) -> bool:  # noqa: ARG001
    """Return that the whole grid is wanted."""
    return True


def some(rng: np.random.Generator) -> bool:  # noqa: ARG001
    """Return that the reduced grid is wanted, for the warm-up."""
    return False


@benchmark(
    task="S2's figure 6, stability on the paper's whole grid, 58 points, 100 training sets each",
    inputs=nothing,
    tiny=some,
    goal=Goal(seconds=1200.0),  # 10 minutes on two cores
)
def figure_6(full: bool) -> Any:
    return figure_tables(6, full=full)
