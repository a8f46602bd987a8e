"""Training sets, one after the other: what a selector makes of each, and what LDA errs by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.preferences import Subsets
from holdfast.select import TScore
from holdfast.simulate._lda import LinearRule, lda
from holdfast.simulate._microarray import CLASSES
from holdfast.simulate._model import GaussianModel
from holdfast.simulate._scores import Discriminants, Moments

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from holdfast.select import Selector
    from holdfast.simulate._base import Generator, Simulated

    Array = NDArray[np.float64]
    Picked = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Seeds:
    """Seeds by position: of the setting within all settings, and of the set within a setting."""

    random_state: int
    setting: int

    def at(self, position: int) -> np.random.SeedSequence:
        """Return the seed of a training set."""
        return np.random.SeedSequence(self.random_state, spawn_key=(self.setting, position))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a selector made of a training set; `learn` fits LDA to its best features.

    Of `scores`, `ranks` and `subset` those are None that the selector does not give.
    """

    scores: Array | None
    ranks: NDArray[Any] | None
    subset: Picked | None
    learn: Callable[[Sequence[Picked]], list[LinearRule]]
    """From lists of features, each the beginning of the longest, to a rule for each."""
    n_features: int

    def rows(self) -> dict[str, NDArray[Any]]:
        """Return scores and ranks, as far as there are any."""
        both = {"scores": self.scores, "ranks": self.ranks}
        return {name: row for name, row in both.items() if row is not None}

    def best(self, sizes: Sequence[int]) -> list[Picked]:
        """Return the best features, the best first, so many; or the subset that was chosen."""
        if self.subset is not None:
            return [self.subset]
        key = -self.scores if self.ranks is None else self.ranks  # type: ignore[operator]
        most = max(sizes)
        chosen = np.argpartition(key, most - 1)[:most]
        order = chosen[np.argsort(key[chosen], kind="stable")]
        return [order[:size] for size in sizes]


class Source(ABC):
    """Where training sets come from, and the selector that looks at them."""

    @abstractmethod
    def at(self, position: int) -> Outcome:
        """Return the outcome of the training set at a position."""


@dataclass(frozen=True, eq=False)
class ExactScores(Source):
    """The t-score on independent Gaussian features, without making data."""

    model: GaussianModel
    counts: tuple[int, int]
    seeds: Seeds

    def at(self, position: int) -> Outcome:
        """Draw the moments of a training set, and the rest only where LDA asks for it."""
        chance = np.random.default_rng(self.seeds.at(position))
        moments = Moments.drawn(self.model.mu, self.counts, chance)

        def learn(features: Sequence[Picked]) -> list[LinearRule]:
            longest = max(features, key=len)
            rules = Discriminants(moments, longest, chance)
            return [rules.on_first(len(own)) for own in features]

        return Outcome(moments.scores, None, None, learn, self.model.n_features)


@dataclass(frozen=True, eq=False)
class DrawnData(Source):
    """Any selector on data sets of any generator."""

    generator: Generator
    selector: Selector
    seeds: Seeds

    def data(self, position: int) -> Simulated:
        """Draw the data set at a position."""
        return self.generator.draw(_whole(self.seeds.at(position)))

    def at(self, position: int) -> Outcome:
        """Draw a data set and let the selector judge it."""
        data = self.data(position)
        rows = [np.arange(len(data.y))]
        verdict: Any = self.selector.on(data.X, data.y).judge(rows, position)

        def learn(features: Sequence[Picked]) -> list[LinearRule]:
            return [_rule(data.X[:, own], data.y == CLASSES[0]) for own in features]

        if isinstance(verdict, Subsets):
            return Outcome(None, None, verdict[0], learn, data.X.shape[1])
        weights, rankings = verdict
        scores = None if weights is None else weights.values[0]
        return Outcome(scores, rankings.values[0], None, learn, data.X.shape[1])


def _rule(X: Array, positive: NDArray[np.bool_]) -> LinearRule:
    """Fit LDA; without features there is nothing to go by."""
    return lda(X, positive) if X.shape[1] else LinearRule(np.zeros(0), 0.0)


def source_of(
    generator: Generator, selector: Selector, seeds: Seeds, *, exact: bool | None
) -> Source:
    """Return the exact source where it serves and is not unwanted, else one of data."""
    model = model_of(generator)
    if model is None or exact is False or not can_be_exact(generator, selector):
        return DrawnData(generator, selector, seeds)
    n_samples: int = generator.n_samples  # type: ignore[attr-defined]
    cases = (n_samples + 1) // 2
    return ExactScores(model, (cases, n_samples - cases), seeds)


def model_of(generator: Generator) -> GaussianModel | None:
    """Return the Gaussian model of a generator; None where it has no such model."""
    model = getattr(generator, "model", None)
    return model if isinstance(model, GaussianModel) else None


def can_be_exact(generator: Generator, selector: Selector) -> bool:
    """Tell whether the scores of a selector can be drawn without making data."""
    model = model_of(generator)
    pooled = type(selector) is TScore and selector.variance == "pooled"
    return pooled and model is not None and model.independent


def _whole(seed: np.random.SeedSequence) -> int:
    """Return a seed as the whole number that generators take."""
    return int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1))
