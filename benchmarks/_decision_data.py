"""Populations with known truth, for the table of decisions: studies of any size can be drawn.

Simulated: two Gaussian classes, features independent or in blocks of ten that correlate by 0.6.
Real: a small study is drawn from a large data set, the rest of which stays hidden and is the truth.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Labels = NDArray[np.int64]
    Drawn = tuple[Array, Labels]

BLOCK = 10
CORRELATION = 0.6
TEST_SAMPLES = 2000
"""New samples on which a simulated model is tested."""


def mixed_effects(p: int) -> Array:
    """A tenth of the features, with effects from 0.05 to 0.6."""
    return _first(p, np.linspace(0.6, 0.05, p // 10))


def few_strong_effects(p: int) -> Array:
    """Five features with an effect of 0.8."""
    return _first(p, np.full(5, 0.8))


def many_weak_effects(p: int) -> Array:
    """A fifth of the features with an effect of 0.15."""
    return _first(p, np.full(p // 5, 0.15))


def equal_effects(p: int) -> Array:
    """Twenty features with an effect of 0.35."""
    return _first(p, np.full(20, 0.35))


def no_effects(p: int) -> Array:
    """Nothing to find."""
    return np.zeros(p)


def _first(p: int, effects: Array) -> Array:
    return np.concatenate([effects, np.zeros(p - len(effects))])


EFFECTS: dict[str, Callable[[int], Array]] = {
    "mixed": mixed_effects,
    "few": few_strong_effects,
    "weak": many_weak_effects,
    "equal": equal_effects,
    "none": no_effects,
}


@dataclass(frozen=True)
class Simulated:
    """Two balanced Gaussian classes; class means lie at plus and minus the effects."""

    effects: str
    blocks: bool
    n: int
    p: int
    seed: int = 0
    """Where the informative features lie."""

    @property
    def name(self) -> str:
        """What the population is called in files and tables."""
        return f"{self.effects}-{'blocks' if self.blocks else 'independent'}-{self.n}-{self.p}"

    def draw(self, rng: np.random.Generator, n: int | None = None) -> Drawn:
        """Draw a study, or as many samples as are named."""
        n = self.n if n is None else n
        order = np.random.default_rng(self.seed).permutation(self.p)
        means = EFFECTS[self.effects](self.p)[order]
        X, y = rng.standard_normal((n, self.p)), np.arange(n) % 2
        if self.blocks:
            shared = np.repeat(rng.standard_normal((n, self.p // BLOCK)), BLOCK, axis=1)
            X = np.sqrt(1 - CORRELATION) * X + np.sqrt(CORRELATION) * shared
        return X + np.where(y[:, None] == 1, means, -means), y

    def draw_with_test(self, rng: np.random.Generator) -> tuple[Drawn, Drawn]:
        """Draw a study and new samples to test its models on."""
        return self.draw(rng), self.draw(rng, TEST_SAMPLES)


@dataclass(frozen=True)
class Real:
    """A study drawn from a large data set; the rest is hidden."""

    source: str
    positive: str
    """Which classes are the first: ``halves`` of them, every ``other`` one, or the ``first``."""
    n: int

    @property
    def name(self) -> str:
        """What the population is called in files and tables."""
        return f"{self.source}-{self.n}"

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Draw a study with as many samples of each class."""
        (study, _) = self.draw_with_test(rng)
        return study

    def draw_with_test(self, rng: np.random.Generator) -> tuple[Drawn, Drawn]:
        """Draw a study; the rest of the data, as many of each class, is the test."""
        X, y = _labelled(self.source, self.positive)
        members = [rng.permutation(np.flatnonzero(y == label)) for label in (0, 1)]
        half = self.n // 2
        rest = min(map(len, members)) - half
        study = np.concatenate([own[:half] for own in members])
        test = np.concatenate([own[half : half + rest] for own in members])
        return (X[study], y[study]), (X[test], y[test])


@lru_cache(maxsize=4)
def _labelled(source: str, positive: str) -> Drawn:
    X, classes = _read(source)
    names = np.unique(classes)
    chosen = {"halves": names[: len(names) // 2], "other": names[::2], "first": names[:1]}
    X = X[:, X.std(axis=0) > 0]
    # equal values give tied scores; a seeded hundred-millionth of the spread breaks the ties
    noise = np.random.default_rng(1).standard_normal(X.shape)
    return X + 1e-8 * X.std(axis=0) * noise, np.isin(classes, chosen[positive]).astype(np.int64)


def _read(source: str) -> tuple[Array, NDArray[Any]]:
    if source in ("isolet", "semeion"):
        import pandas as pd

        table = pd.read_parquet(Path(os.environ["HOLDFAST_DATA"]) / f"{source}.parquet")
        classes = table.pop("class").astype(str).to_numpy()
        return table.to_numpy(dtype=np.float64), classes
    from sklearn import datasets

    X, classes = getattr(datasets, f"load_{source}")(return_X_y=True)
    return X.astype(np.float64), classes
