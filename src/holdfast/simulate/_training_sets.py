"""Training sets, one after the other: what a selector makes of each, and what LDA errs by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from holdfast.measures import get_measure, measure
from holdfast.preferences import Rankings, Subsets, Weights
from holdfast.preferences._scores import empty_table
from holdfast.select import TScore
from holdfast.simulate._gaussian_model import GaussianModel
from holdfast.simulate._lda import LinearRule, lda
from holdfast.simulate._microarray import CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.preferences import Preferences
    from holdfast.select import Selector
    from holdfast.simulate._microarray import Generator, Simulated

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
class TrainingSetOutcome:
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


class TrainingSetSource(ABC):
    """Where training sets come from, and the selector that looks at them."""

    @abstractmethod
    def at(self, position: int) -> TrainingSetOutcome:
        """Return the outcome of the training set at a position."""


@dataclass(frozen=True, eq=False)
class ExactScores(TrainingSetSource):
    """The t-score on independent Gaussian features, without making data."""

    model: GaussianModel
    counts: tuple[int, int]
    seeds: Seeds

    def at(self, position: int) -> TrainingSetOutcome:
        """Draw the moments of a training set, and the rest only where LDA asks for it."""
        chance = np.random.default_rng(self.seeds.at(position))
        moments = Moments.drawn(self.model.mu, self.counts, chance)

        def learn(features: Sequence[Picked]) -> list[LinearRule]:
            longest = max(features, key=len)
            rules = Discriminants(moments, longest, chance)
            return [rules.on_first(len(own)) for own in features]

        return TrainingSetOutcome(moments.scores, None, None, learn, self.model.n_features)


@dataclass(frozen=True, eq=False)
class DrawnData(TrainingSetSource):
    """Any selector on data sets of any generator."""

    generator: Generator
    selector: Selector
    seeds: Seeds

    def data(self, position: int) -> Simulated:
        """Draw the data set at a position."""
        return self.generator.draw(_seed_to_integer(self.seeds.at(position)))

    def at(self, position: int) -> TrainingSetOutcome:
        """Draw a data set and let the selector judge it."""
        data = self.data(position)
        rows = [np.arange(len(data.y))]
        verdict: Any = self.selector.on(data.X, data.y).judge(rows, position)

        def learn(features: Sequence[Picked]) -> list[LinearRule]:
            return [_rule(data.X[:, own], data.y == CLASSES[0]) for own in features]

        if isinstance(verdict, Subsets):
            return TrainingSetOutcome(None, None, verdict[0], learn, data.X.shape[1])
        weights, rankings = verdict
        scores = None if weights is None else weights.values[0]
        return TrainingSetOutcome(scores, rankings.values[0], None, learn, data.X.shape[1])


def _rule(X: Array, positive: NDArray[np.bool_]) -> LinearRule:
    """Fit LDA; without features there is nothing to go by."""
    return lda(X, positive) if X.shape[1] else LinearRule(np.zeros(0), 0.0)


def source_of(
    generator: Generator, selector: Selector, seeds: Seeds, *, exact: bool | None
) -> TrainingSetSource:
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


def _seed_to_integer(seed: np.random.SeedSequence) -> int:
    """Return a seed as the whole number that generators take."""
    return int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1))


# Training sets of independent Gaussian features that are drawn as what the t-score sees of them.
#
# The t-score looks at a data set through the class means and the pooled variance of each feature.
# For independent Gaussian features these have known distributions and are independent of each
# other,
# so they are drawn directly: the cost is that of p features, whatever the number of samples.


@dataclass(frozen=True, eq=False)
class Moments:
    r"""A training set, as far as the pooled t-score sees it.

    With :math:`n_1` and :math:`n_2` samples of N(μ, 1) and N(-μ, 1), independently by feature,

    .. math:: \bar x_1 - \bar x_2 \sim N(2\mu, 1/n_1 + 1/n_2), \qquad
              (n_1 + n_2 - 2)\, s^2 \sim \chi^2_{n_1 + n_2 - 2}.

    Parameters
    ----------
    counts : tuple of int
        Samples of the two classes.
    mu : array of shape (p,)
        Means of the first class; the second has their negatives.
    difference : array of shape (p,)
        Differences of the class means, first less second.
    variance : array of shape (p,)
        Pooled variances within classes.
    """

    counts: tuple[int, int]
    mu: Array
    difference: Array
    variance: Array

    @classmethod
    def drawn(cls, mu: Array, counts: tuple[int, int], generator: np.random.Generator) -> Moments:
        """Draw the moments of one training set."""
        difference = generator.standard_normal(len(mu))
        difference *= np.sqrt(1 / counts[0] + 1 / counts[1])
        difference += 2 * mu
        freedom = sum(counts) - 2
        variance = generator.chisquare(freedom, len(mu))
        variance /= freedom
        return cls(counts, mu, difference, variance)

    @cached_property
    def scores(self) -> Array:
        """The absolute pooled t-scores."""
        scale = self.variance * (1 / self.counts[0] + 1 / self.counts[1])
        return np.asarray(np.abs(self.difference) / np.sqrt(scale))


class Discriminants:
    r"""LDA on some features of a training set of which only the moments were drawn.

    The classifier also needs the mean of all samples and the correlations within classes. For
    independent Gaussian features neither depends on what was drawn, so they are drawn here: the
    mean is N((n₁ - n₂) μ / n, 1/n), and the scatter within classes is RᵀR with R from the QR
    decomposition of a Gaussian matrix of n - 2 rows (Bartlett: independent normal numbers above the
    diagonal, roots of χ² on it), its columns scaled to the variances that are known. The
    leading columns of R belong to the leading features, so one draw serves all sizes.

    Parameters
    ----------
    moments : Moments
        The training set.
    features : array of int
        Features, best first.
    generator : numpy.random.Generator
        Source of chance.
    """

    def __init__(
        self, moments: Moments, features: NDArray[np.integer[Any]], generator: np.random.Generator
    ) -> None:
        first, second = moments.counts
        n, mu = first + second, moments.mu[features]
        self._freedom = n - 2
        self._difference = moments.difference[features]
        spread = generator.standard_normal(len(features)) / np.sqrt(n)
        mean = (first - second) / n * mu + spread
        self._middle = mean + (second - first) / (2 * n) * self._difference
        root = _bartlett(self._freedom, len(features), generator)
        length = np.sqrt(np.square(root).sum(axis=0))
        self._root = root * (np.sqrt(moments.variance[features] * self._freedom) / length)

    def on_first(self, size: int) -> LinearRule:
        """Return LDA on the first features; the pseudo-inverse where these are too many."""
        difference = self._difference[:size]
        solve = self._inverse if size <= self._freedom else self._pseudo_inverse
        weights = self._freedom * solve(self._root[:size, :size], difference)
        return LinearRule(weights, float(-weights @ self._middle[:size]))

    @staticmethod
    def _inverse(root: Array, difference: Array) -> Array:
        """Solve RᵀR w = difference for a triangular R."""
        inner = solve_triangular(root, difference, trans="T", check_finite=False)
        return np.asarray(solve_triangular(root, inner, check_finite=False))

    @staticmethod
    def _pseudo_inverse(root: Array, difference: Array) -> Array:
        """Return the shortest solution for an R of more columns than rows."""
        basis, inner = qr(root.T, mode="economic", check_finite=False)
        once = solve_triangular(inner, basis.T @ difference, check_finite=False)
        return np.asarray(basis @ solve_triangular(inner, once, trans="T", check_finite=False))


def _bartlett(rows: int, columns: int, generator: np.random.Generator) -> Array:
    """Draw R of the QR decomposition of a Gaussian matrix, never more rows than columns."""
    height = min(rows, columns)
    root = np.triu(generator.standard_normal((height, columns)), 1)
    diagonal = np.sqrt(generator.chisquare(rows - np.arange(height)))
    root[np.arange(height), np.arange(height)] = diagonal
    return root


# Outcomes of many training sets, put together and measured.

OWN_SIZE_LABEL = "own"
"""The size of subsets whose size the selector chooses."""
ERRORS = ["lda_error", "lda_error_sd", "bayes_observed", "bayes_observed_sd", "bayes_optimal"]
_KEPT = ["value", "low", "high", "chance"]


@dataclass(frozen=True)
class SimulationRequest:
    """What is to be found out: at which sizes, by which measures, errors or not."""

    n_sets: int
    sizes: tuple[int, ...]
    measures: tuple[str, ...]
    errors: bool


@dataclass(frozen=True, eq=False)
class SimulatedRows:
    """Rows of the tables: stability, how often each feature is selected by size, errors."""

    stability: list[dict[str, Any]]
    counts: dict[int | str, NDArray[np.intp]]
    errors: list[dict[str, Any]]


def find(
    source: TrainingSetSource, wanted: SimulationRequest, model: GaussianModel | None
) -> SimulatedRows:
    """Let a selector see all training sets and measure what came out."""
    errors = _Errors(model, wanted.sizes) if wanted.errors and model is not None else None
    forms = select_training_sets(source, wanted.n_sets, errors)
    stability, weights = [], forms.pop("weights", None)
    if weights is not None:
        stability += _measure_rows(weights, wanted, wanted.sizes)
        del weights  # tables of many features are large: each goes when it has served
    counts: dict[int | str, NDArray[np.intp]] = {}
    if "ranking" in forms:
        stability += _measure_rows(forms["ranking"], wanted, wanted.sizes)
    selected = _subsets(forms, wanted.sizes)
    forms.clear()
    for size, subsets in selected.items():
        stability += _measure_rows(subsets, wanted, [size])
        counts[size] = np.bincount(subsets.indices, minlength=subsets.n_features or 0)
    sizes = list(selected)
    stability.sort(
        key=lambda row: (sizes.index(row["size"]), wanted.measures.index(row["measure"]))
    )
    return SimulatedRows(stability, counts, errors.rows() if errors else [])


def select_training_sets(
    source: TrainingSetSource, n_sets: int, look: Callable[[TrainingSetOutcome], None] | None = None
) -> dict[str, Any]:
    """Return what the selector made of all training sets, by form; large tables are in files."""
    tables: dict[str, NDArray[Any]] = {}
    subsets: list[NDArray[np.integer[Any]]] = []
    p = 0
    for position in range(n_sets):
        outcome = source.at(position)
        p = outcome.n_features
        if outcome.subset is not None:
            subsets.append(outcome.subset)
        for name, row in outcome.rows().items():
            if name not in tables:
                tables[name] = empty_table((n_sets, p), row.dtype)
            tables[name][position] = row
        if look is not None:
            look(outcome)
    return {"subset": Subsets(subsets, n_features=p)} if subsets else _forms(tables)


def _forms(tables: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Return weights, where there are any, and rankings."""
    forms: dict[str, Any] = {}
    if "scores" in tables:
        forms["weights"] = Weights(tables["scores"])
    ranked = "ranks" in tables
    forms["ranking"] = Rankings(tables["ranks"]) if ranked else forms["weights"].to_rankings()
    return forms


def _subsets(forms: dict[str, Any], sizes: Sequence[int]) -> dict[int | str, Subsets]:
    if "subset" in forms:
        return {OWN_SIZE_LABEL: forms["subset"]}
    return {size: forms["ranking"].top(size) for size in sizes}


def _measure_rows(
    preferences: Preferences, wanted: SimulationRequest, sizes: Sequence[int | str]
) -> list[dict[str, Any]]:
    """Return a row for each measure of this form, and for each size if it does not matter."""
    names = [name for name in wanted.measures if get_measure(name).form == preferences.form]
    if not names:
        return []
    table = measure(names, preferences)[_KEPT].reset_index()
    rows: list[dict[Any, Any]] = table.to_dict("records")
    return [{"size": size, **row} for size in sizes for row in rows]


class _Errors:
    """Errors of LDA on the selected features, and the least possible ones, set by set."""

    def __init__(self, model: GaussianModel, sizes: Sequence[int]) -> None:
        self._model = model
        self._sizes = sizes
        self._found: list[list[tuple[float, float]]] = []
        self._own = False

    def __call__(self, outcome: TrainingSetOutcome) -> None:
        """Add a training set."""
        self._own = outcome.subset is not None
        features = outcome.best(self._sizes)
        self._found.append(
            [
                (
                    float(self._model.linear_error(*rule, features=own)),
                    float(self._model.bayes_error(own)),
                )
                for own, rule in zip(features, outcome.learn(features), strict=True)
            ]
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row a size: means and standard deviations over the training sets."""
        values = np.array(self._found)
        mean, spread = values.mean(axis=0), values.std(axis=0, ddof=1)
        sizes: Sequence[int | str] = [OWN_SIZE_LABEL] if self._own else self._sizes
        return [
            {"size": size, **dict(zip(ERRORS, (*own, self._optimal(size)), strict=True))}
            for size, own in zip(
                sizes, np.stack([mean, spread], axis=2).reshape(-1, 4), strict=True
            )
        ]

    def _optimal(self, size: int | str) -> float:
        return self._model.best_error(size) if isinstance(size, int) else np.nan


# Tables turned round.


def side_by_side(
    table: pd.DataFrame, keys: list[str], column: str, values: str = "value"
) -> pd.DataFrame:
    """Return one row for each keys and one column for each entry of a column, in their order."""
    rows = table[keys].drop_duplicates()
    names = list(dict.fromkeys(table[column]))
    wide = table.set_index([*keys, column])[values].unstack(column)[names]
    return rows.merge(wide.rename_axis(columns=None).reset_index(), on=keys, how="left")
