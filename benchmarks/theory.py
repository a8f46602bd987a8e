"""What theory lets expect, for very many features."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks._record import Goal, benchmark
from holdfast.theory import (
    EffectMixture,
    TriangularEffects,
    expected_stability,
    fit_effects,
    stability_surface,
)

if TYPE_CHECKING:
    import numpy as np

MEASURES = ("nogueira", "relative_weighted_consistency", "jaccard", "ati_pa")


def two_points(rng: np.random.Generator, *, p: int) -> dict[str, Any]:  # noqa: ARG001
    return {"effect": 0.1, "n_informative": p // 100, "n_features": p, "n_selected": p // 100}


def distinct(rng: np.random.Generator, *, p: int) -> dict[str, Any]:
    return {"effect": rng.gamma(1.0, 0.05, size=p), "n_features": p, "n_selected": p // 100}


def mixture(rng: np.random.Generator, *, p: int) -> dict[str, Any]:
    effects = EffectMixture(rng.uniform(0, 0.6, size=100), rng.uniform(size=100))
    return {"effect": effects, "n_features": p, "n_selected": p // 100}


def scores(rng: np.random.Generator, *, p: int) -> np.ndarray:
    effects = TriangularEffects(largest=0.5).effects(p)
    return rng.normal(size=p) + 10 * effects


def expected(setting: dict[str, Any]) -> Any:
    return expected_stability(MEASURES, n_per_class=100, **setting)


for _name, _inputs, _p, _seconds in (
    ("two-point model, p = 10⁶", two_points, 10**6, 1.0),
    ("10⁶ distinct effects", distinct, 10**6, 1.0),
    ("mixture of 100 effects, p = 20,000", mixture, 20_000, 0.2),
):
    benchmark(
        task=f"expected stability by 4 measures, {_name}",
        inputs=partial(_inputs, p=_p),
        tiny=partial(_inputs, p=500),
        goal=Goal(seconds=_seconds),
    )(expected)


@benchmark(
    task="effects fitted to the scores of 20,000 features",
    inputs=partial(scores, p=20_000),
    tiny=partial(scores, p=100),
    goal=Goal(seconds=1.0),
)
def fitted(given: np.ndarray) -> Any:
    return fit_effects(given, n_per_class=50)


@benchmark(
    task="table of S2's Fig. 1, 11 sizes x 6 effects",
    inputs=lambda _: {},
    tiny=lambda _: {"effects": [0.1], "n_per_class": [50]},
    goal=Goal(seconds=2.0),
)
def surface(how: dict[str, Any]) -> Any:
    return stability_surface(**how)
