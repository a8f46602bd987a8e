"""Populations to draw studies from: simulated ones, and real data sets with a hidden rest."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

BLOCK = 10
"""Features per block of correlated features."""
WITHIN = 0.6
"""Correlation within a block."""


@dataclass(frozen=True)
class Simulated:
    """Gaussian (or heavy-tailed) classes that differ in the means of some features.

    `effects` names how large the differences are, `layout` how features correlate:
    ``"independent"``, ``"blocks"`` (effects anywhere), ``"modules"`` (whole blocks carry one
    effect). `classes` is the number of classes, `share` the share of the first one, `per_subject`
    the number of samples of each subject.
    """

    effects: str
    p: int
    layout: str = "independent"
    classes: int = 2
    share: float | None = None
    heavy: bool = False
    per_subject: int = 1
    seed: int = 0

    def draw(self, n, rng):
        """Return X, y and the subjects (None without) of a study of n samples."""
        y = self._labels(n // self.per_subject)
        shifts = self._shifts()
        if self.per_subject > 1:  # half of the variance is shared by the samples of a subject
            subjects = np.repeat(np.arange(len(y)), self.per_subject)
            noise = np.sqrt(0.5) * (
                np.repeat(self._noise(len(y), rng), self.per_subject, axis=0)
                + self._noise(len(subjects), rng)
            )
            y = y[subjects]
        else:
            subjects, noise = None, self._noise(n, rng)
        return noise + shifts[y], y, subjects

    def _labels(self, n):
        if self.share is None:
            return np.arange(n) % self.classes
        first = round(self.share * n)
        return np.concatenate([np.zeros(first, int), 1 + np.arange(n - first) % (self.classes - 1)])

    def _noise(self, n, rng):
        X = rng.standard_normal((n, self.p))
        if self.heavy:
            X = rng.standard_t(4, (n, self.p)) / np.sqrt(2)
        if self.layout != "independent":
            shared = np.repeat(rng.standard_normal((n, self.p // BLOCK)), BLOCK, axis=1)
            X = np.sqrt(1 - WITHIN) * X + np.sqrt(WITHIN) * shared
        return X

    def _shifts(self):
        """Return the mean of each feature in each class."""
        rng = np.random.default_rng(self.seed)
        mu = self._effect_sizes(rng)
        if self.layout == "modules":
            mu = np.repeat(np.sort(mu)[::-1][::BLOCK][: self.p // BLOCK], BLOCK)
            mu = mu.reshape(-1, BLOCK)[rng.permutation(self.p // BLOCK)].ravel()
        else:
            mu = rng.permutation(mu)
        if self.classes == 2:
            return np.stack([-mu, mu])
        which = rng.integers(self.classes, size=self.p)  # each feature marks one class
        return np.where(np.arange(self.classes)[:, None] == which, 1.5 * mu, -0.5 * mu)

    def _effect_sizes(self, rng):
        p, mu = self.p, np.zeros(self.p)
        tenth = max(1, p // 10)
        if self.effects == "mixed":
            mu[:tenth] = np.linspace(0.05, 0.6, tenth)
        elif self.effects == "equal":
            mu[:20] = 0.35
        elif self.effects == "weak":
            mu[: p // 5] = 0.15
        elif self.effects == "few":
            mu[:5] = 0.8
        elif self.effects == "steps":
            mu[:3], mu[3:40] = 1.0, 0.3
        elif self.effects == "laplace":
            mu[:] = np.abs(rng.laplace(0, 0.12, p))
        elif self.effects == "normal":
            mu[:] = np.abs(rng.standard_normal(p)) * 0.2
        elif self.effects == "graded":
            mu[:40] = 0.9 * 0.93 ** np.arange(40)
        elif self.effects != "none":
            raise ValueError(self.effects)
        return mu


@dataclass(frozen=True)
class Real:
    """A data set as a population: a study is drawn from it, the truth from the hidden rest.

    `task` says what the classes are: ``"own"``, ``"halves"`` (first half of the classes against
    the others), ``"one"`` (one class against the others), ``"three"`` (three of the classes),
    ``"even"`` (every other class against the rest).
    """

    name: str
    task: str
    share: float | None = None

    def split(self, n, rng):
        """Return a study of n samples and a function that draws others from the rest."""
        X, y = _loaded(self.name, self.task)
        chosen = self._rows(y, np.arange(len(y)), n, rng)
        rest = np.delete(np.arange(len(y)), chosen)

        def another(rng):
            rows = self._rows(y, rest, n, rng)
            return X[rows], y[rows], None

        return (X[chosen], y[chosen], None), another

    def _rows(self, y, among, n, rng):
        labels = np.unique(y)
        shares = np.full(len(labels), 1 / len(labels))
        if self.share is not None:
            shares = np.array(
                [self.share, *([(1 - self.share) / (len(labels) - 1)] * (len(labels) - 1))]
            )
        counts = np.round(shares * n).astype(int)
        own = [among[y[among] == label] for label in labels]
        return np.concatenate(
            [
                rng.choice(rows, count, replace=False)
                for rows, count in zip(own, counts, strict=True)
            ]
        )


@cache
def _loaded(name, task):
    X, labels = _read(name)
    classes = np.unique(labels)
    if task == "own":
        y = np.searchsorted(classes, labels)
    elif task == "three":
        three = classes[[1, 4, 7]]
        kept = np.isin(labels, three)
        X, y = X[kept], np.searchsorted(three, labels[kept])
    else:
        positive = {
            "halves": classes[: len(classes) // 2],
            "one": classes[3:4],
            "even": classes[::2],
        }
        y = np.isin(labels, positive[task]).astype(int)
    return X[:, X.std(axis=0) > 0], y


def _read(name):
    if name in ("digits", "breast_cancer"):
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        return X, y.astype(str)
    import pandas as pd

    table = pd.read_parquet(Path(os.environ["HOLDFAST_DATA"]) / f"{name}.parquet")
    labels = table.pop("class").astype(str).to_numpy()
    X = table.to_numpy(dtype=float)
    if name == "ovarian":  # every third of 15,154 m/z values: neighbours are nearly copies
        X = X[:, ::3]
    return X, labels
