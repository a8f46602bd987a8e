"""Run a selector on many simulated training sets; measure its stability and errors of LDA."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.special import stdtrit

from holdfast._typing import AnyArray, FloatArray, IndexArray
from holdfast.measures import get_measure, measure
from holdfast.preferences import Preferences, Rankings, Subsets, Weights, empty_table
from holdfast.select import (
    ResamplePreference,
    ResampleRanking,
    ResampleSubset,
    Selector,
    SelectorRunner,
    SubsetSelector,
    TScore,
)
from holdfast.simulate._gaussian_model import GaussianModel
from holdfast.simulate._lda import LinearRule, lda, shrunken_weights
from holdfast.simulate._microarray import CLASSES, Generator, Simulated

FeatureIndices = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Seeds:
    """Seeds of training sets by the positions of their setting and within the setting."""

    random_state: int
    setting: int

    def get_seed(self, position: int) -> np.random.SeedSequence:
        """Return the seed of a training set."""
        return np.random.SeedSequence(self.random_state, spawn_key=(self.setting, position))


class FittedRules(NamedTuple):
    """LDA on the same features, fitted in two ways."""

    plain: LinearRule
    """By the pseudo-inverse of the covariance matrix."""
    shrunken: LinearRule
    """By the shrunken covariance matrix."""


@dataclass(frozen=True, eq=False)
class TrainingSetOutcome:
    """Output of a selector on one training set.

    `scores`, `ranks` and `subset` are None if the selector does not provide them.
    """

    scores: FloatArray | None
    ranks: AnyArray | None
    subset: FeatureIndices | None
    fit_rules: Callable[[Sequence[FeatureIndices]], list[FittedRules]]
    """Fits LDA to each list of features; every list is a prefix of the longest."""
    n_features: int
    n_found: int | None = None
    """How many features have an order, those of the best ranks; None for all."""

    def get_scores_and_ranks(self) -> dict[str, AnyArray]:
        """Return scores and ranks by name, without those that are None."""
        arrays = {"scores": self.scores, "ranks": self.ranks}
        return {name: array for name, array in arrays.items() if array is not None}

    def get_best_features(self, sizes: Sequence[int]) -> list[FeatureIndices]:
        """Return the best features of each size, best first, or the selected subset."""
        if self.subset is not None:
            return [self.subset]
        key = -self.scores if self.ranks is None else self.ranks  # type: ignore[operator]
        largest = max(sizes)
        # only the best features are sorted
        top = np.argpartition(key, largest - 1)[:largest]
        order = top[np.argsort(key[top], kind="stable")]
        return [order[: self.count_found(size)] for size in sizes]

    def count_found(self, size: int) -> int:
        """Return how many features there are to select if `size` are requested."""
        return size if self.n_found is None else min(size, self.n_found)


NO_RULES = FittedRules(LinearRule(np.zeros(0), 0.0), LinearRule(np.zeros(0), 0.0))
"""The rules without features; their error is 0.5."""


class TrainingSetSource(ABC):
    """A source of training sets together with the selector to run on them."""

    @abstractmethod
    def get_outcome(self, position: int) -> TrainingSetOutcome:
        """Return the outcome of the training set at a position."""


@dataclass(frozen=True, eq=False)
class ExactScores(TrainingSetSource):
    """The t-score on independent Gaussian features, drawn without generating data.

    With a `cut`, the features whose score is at least as high are selected.
    """

    model: GaussianModel
    counts: tuple[int, int]
    seeds: Seeds
    cut: float | None = None

    def get_outcome(self, position: int) -> TrainingSetOutcome:
        """Draw the moments of a training set, and the rest only if LDA is fitted."""
        generator = np.random.default_rng(self.seeds.get_seed(position))
        moments = Moments.from_random(self.model.mu, self.counts, generator)

        def fit_rules(features: Sequence[FeatureIndices]) -> list[FittedRules]:
            longest = max(features, key=len)
            if not len(longest):
                return [NO_RULES] * len(features)
            rules = Discriminants(moments, longest, generator)
            return [rules.fit_leading(len(subset)) for subset in features]

        n_features = self.model.n_features
        if self.cut is None:
            return TrainingSetOutcome(moments.scores, None, None, fit_rules, n_features)
        subset = np.flatnonzero(moments.scores >= self.cut)
        return TrainingSetOutcome(None, None, subset, fit_rules, n_features)


@dataclass(frozen=True, eq=False)
class DrawnData(TrainingSetSource):
    """Any selector on data sets drawn from any generator."""

    generator: Generator
    selector: Selector
    seeds: Seeds

    def draw(self, position: int) -> Simulated:
        """Draw the data set at a position."""
        state = self.seeds.get_seed(position).generate_state(1, np.uint64)[0]
        return self.generator.draw(int(state >> np.uint64(1)))  # `draw` takes a signed integer

    def get_outcome(self, position: int) -> TrainingSetOutcome:
        """Draw a data set and run the selector on it."""
        data = self.draw(position)
        runner, rows = SelectorRunner(self.selector, data.X, data.y), np.arange(len(data.y))
        preference: ResamplePreference
        if self.selector.selects_own_size and not isinstance(self.selector, SubsetSelector):
            # a ranker with a cut selects its own subset only when it is fitted
            seed = int(self.seeds.get_seed(position).generate_state(2)[1])
            preference = runner.fit_part(runner.training_part(rows), seed)
        else:
            (preference,) = runner.select_rows([rows], position)

        def fit_rules(features: Sequence[FeatureIndices]) -> list[FittedRules]:
            positive = data.y == CLASSES[0]
            return [
                FittedRules(
                    lda(data.X[:, columns], positive),
                    lda(data.X[:, columns], positive, shrinkage=True),
                )
                if len(columns)
                else NO_RULES
                for columns in features
            ]

        n_features = data.X.shape[1]
        if isinstance(preference, ResampleRanking):
            return TrainingSetOutcome(
                preference.weights,
                preference.ranks,
                None,
                fit_rules,
                n_features,
                preference.n_found,
            )
        subset = cast("ResampleSubset", preference)  # group selectors are refused earlier
        return TrainingSetOutcome(None, None, subset.features, fit_rules, n_features)


def choose_source(
    generator: Generator, selector: Selector, seeds: Seeds, *, exact: bool | None
) -> TrainingSetSource:
    """Return `ExactScores` if it applies and `exact` is not False, else `DrawnData`."""
    model = get_gaussian_model(generator)
    if model is None or exact is False or not supports_exact_scores(generator, selector):
        return DrawnData(generator, selector, seeds)
    n_samples: int = generator.n_samples  # type: ignore[attr-defined]
    n_cases = (n_samples + 1) // 2
    cut = get_score_cut(cast("TScore", selector), n_samples)
    return ExactScores(model, (n_cases, n_samples - n_cases), seeds, cut)


def get_gaussian_model(generator: Generator) -> GaussianModel | None:
    """Return the Gaussian model of a generator, or None if it has none."""
    model = getattr(generator, "model", None)
    return model if isinstance(model, GaussianModel) else None


def supports_exact_scores(generator: Generator, selector: Selector) -> bool:
    """Return whether the scores of a selector can be drawn without generating data."""
    model = get_gaussian_model(generator)
    if type(selector) is not TScore or selector.variance != "pooled":
        return False
    # corrected p-values are no cut of the score: it depends on the other features
    cuts_score = selector.alpha is None or selector.correction == "none"
    return cuts_score and model is not None and model.independent


def get_score_cut(selector: TScore, n_samples: int) -> float | None:
    """Return the lowest score that a t-score selects, or None if it selects a count of features.

    A two-sided p-value of at most α is a score of at least the 1 - α/2 quantile of Student's
    distribution with n - 2 degrees of freedom.
    """
    if selector.alpha is not None:
        return -float(stdtrit(n_samples - 2, selector.alpha / 2))
    return selector.threshold


# Training sets of independent Gaussian features, drawn as their sufficient statistics.
#
# The t-score depends on a data set only through the class means and the pooled variance of each
# feature. For independent Gaussian features these are independent and have known distributions,
# so they are drawn directly: the cost does not depend on the number of samples.


@dataclass(frozen=True, eq=False)
class Moments:
    r"""The statistics of a training set that determine the pooled t-score.

    With :math:`n_1` and :math:`n_2` samples of N(μ, 1) and N(-μ, 1), each feature has independently

    .. math:: \bar x_1 - \bar x_2 \sim N(2\mu, 1/n_1 + 1/n_2), \qquad
              (n_1 + n_2 - 2)\, s^2 \sim \chi^2_{n_1 + n_2 - 2}.

    Parameters
    ----------
    counts : tuple of int
        Number of samples in the two classes.
    mu : array of shape (p,)
        Means of the first class; those of the second are their negatives.
    difference : array of shape (p,)
        Differences of the class means, first minus second.
    variance : array of shape (p,)
        Pooled variances within classes.
    """

    counts: tuple[int, int]
    mu: FloatArray
    difference: FloatArray
    variance: FloatArray

    @classmethod
    def from_random(
        cls, mu: FloatArray, counts: tuple[int, int], generator: np.random.Generator
    ) -> Moments:
        """Draw the moments of one training set."""
        difference = generator.standard_normal(len(mu))
        # difference ~ N(2 mu, 1/n_1 + 1/n_2), variance ~ chi^2_f / f with f = n - 2, independent
        difference *= np.sqrt(1 / counts[0] + 1 / counts[1])
        difference += 2 * mu
        freedom = sum(counts) - 2
        variance = generator.chisquare(freedom, len(mu))
        variance /= freedom
        return cls(counts, mu, difference, variance)

    @cached_property
    def scores(self) -> FloatArray:
        """The absolute pooled t-scores."""
        scale = self.variance * (1 / self.counts[0] + 1 / self.counts[1])
        return np.asarray(np.abs(self.difference) / np.sqrt(scale))


class Discriminants:
    r"""LDA on features of a training set of which only the moments were drawn.

    LDA also needs the mean of all samples and the correlations within classes. For independent
    Gaussian features both are independent of the moments, so they are drawn here: the mean is
    N((n₁ - n₂) μ / n, 1/n), and the scatter within classes is RᵀR, where R is the triangular factor
    of a Gaussian matrix with n - 2 rows (Bartlett decomposition: independent normal entries above
    the diagonal, square roots of χ² on it), with columns scaled to the variances already drawn.
    The leading columns of R belong to the leading features, so one draw serves all sizes.

    Parameters
    ----------
    moments : Moments
        The training set.
    features : array of int
        Features, best first.
    generator : numpy.random.Generator
        Source of random numbers.
    """

    def __init__(
        self, moments: Moments, features: NDArray[np.integer[Any]], generator: np.random.Generator
    ) -> None:
        first, second = moments.counts
        n, mu = first + second, moments.mu[features]
        self._freedom = n - 2
        self._difference = moments.difference[features]
        noise = generator.standard_normal(len(features)) / np.sqrt(n)
        mean = (first - second) / n * mu + noise
        # the middle of the class means follows from the overall mean and their difference
        self._middle = mean + (second - first) / (2 * n) * self._difference
        root = draw_wishart_root(self._freedom, len(features), generator)
        # the variances were drawn before: columns are
        # rescaled to them, and only the directions are new
        length = np.sqrt(np.square(root).sum(axis=0))
        self._root = root * (np.sqrt(moments.variance[features] * self._freedom) / length)

    def fit_leading(self, size: int) -> FittedRules:
        """Fit LDA to the first features, by the pseudo-inverse if their scatter is singular."""
        difference, root = self._difference[:size], self._root[:size, :size]
        return FittedRules(
            self._make_rule(self._freedom * self._solve(root, difference)),
            self._make_rule(shrunken_weights(root, self._freedom, difference)),
        )

    def _make_rule(self, weights: FloatArray) -> LinearRule:
        return LinearRule(weights, float(-weights @ self._middle[: len(weights)]))

    def _solve(self, root: FloatArray, difference: FloatArray) -> FloatArray:
        """Apply the pseudo-inverse of the scatter matrix with this root."""
        size = len(difference)
        if size <= self._freedom:  # solve RᵀR w = difference for a triangular R
            inner = solve_triangular(root, difference, trans="T", check_finite=False)
            return np.asarray(solve_triangular(root, inner, check_finite=False))
        # the minimum-norm solution for an R with more columns than rows
        basis, factor = qr(root.T, mode="economic", check_finite=False)
        inner = solve_triangular(factor, basis.T @ difference, check_finite=False)
        solution = basis @ solve_triangular(factor, inner, trans="T", check_finite=False)
        return np.asarray(solution)


def draw_wishart_root(rows: int, columns: int, generator: np.random.Generator) -> FloatArray:
    """Draw the triangular factor of a Gaussian matrix, with at most `columns` rows."""
    height = min(rows, columns)
    root = np.triu(generator.standard_normal((height, columns)), 1)
    # Bartlett's decomposition: triangular, chi on the diagonal, normal above it
    diagonal = np.sqrt(generator.chisquare(rows - np.arange(height)))
    root[np.arange(height), np.arange(height)] = diagonal
    return root


# Stability and errors over many training sets.

OWN_SIZE_LABEL = "own"
"""Label in the column ``size`` if the selector chooses the size itself."""
ERROR_COLUMNS = [
    "lda_error",
    "lda_error_sd",
    "shrinkage_lda_error",
    "shrinkage_lda_error_sd",
    "bayes_observed",
    "bayes_observed_sd",
    "bayes_optimal",
]
_ESTIMATE_COLUMNS = ["value", "low", "high", "chance"]


@dataclass(frozen=True)
class SimulationRequest:
    """Number of training sets, sizes and measures, and whether to compute errors."""

    n_sets: int
    sizes: tuple[int, ...]
    measures: tuple[str, ...]
    errors: bool


@dataclass(frozen=True, eq=False)
class SimulatedRows:
    """Rows of the tables of one selector in one setting; selection counts are by size."""

    stability: list[dict[str, Any]]
    counts: dict[int | str, IndexArray]
    errors: list[dict[str, Any]]


def run_simulation(
    source: TrainingSetSource, request: SimulationRequest, model: GaussianModel | None
) -> SimulatedRows:
    """Run the selector on all training sets; measure stability and errors."""
    errors = _ErrorRecorder(model, request.sizes) if request.errors and model is not None else None
    forms = select_training_sets(source, request.n_sets, errors.record if errors else None)
    stability, weights = [], forms.pop("weights", None)
    found_counts = forms.pop("found_counts", None)
    if weights is not None:
        stability += _measure_rows(weights, request, request.sizes)
        del weights  # tables of many features are large: free each one after use
    counts: dict[int | str, IndexArray] = {}
    if "ranking" in forms:
        stability += _measure_rows(forms["ranking"], request, request.sizes)
    selected: dict[int | str, Subsets] = (
        {OWN_SIZE_LABEL: forms["subset"]}
        if "subset" in forms
        else {size: _select_top(forms["ranking"], size, found_counts) for size in request.sizes}
    )
    forms.clear()
    for size, subsets in selected.items():
        stability += _measure_rows(subsets, request, [size])
        counts[size] = np.bincount(subsets.indices, minlength=subsets.n_features or 0)
    sizes = list(selected)
    stability.sort(
        key=lambda row: (sizes.index(row["size"]), request.measures.index(row["measure"]))
    )
    return SimulatedRows(stability, counts, errors.to_rows() if errors else [])


def _select_top(rankings: Rankings, size: int, found_counts: Sequence[int] | None) -> Subsets:
    """Return the best features of each ranking, as far as the selector found as many."""
    if found_counts is None or min(found_counts) >= size:
        return rankings.top(size)
    counts = [min(size, found) for found in found_counts]
    rows = [
        np.flatnonzero(ranks <= count) for ranks, count in zip(rankings.values, counts, strict=True)
    ]
    return Subsets(rows, n_features=rankings.n_features)


def select_training_sets(
    source: TrainingSetSource,
    n_sets: int,
    observe: Callable[[TrainingSetOutcome], None] | None = None,
) -> dict[str, Any]:
    """Return the preferences over all training sets by form; large tables are kept in files."""
    tables: dict[str, AnyArray] = {}
    subsets: list[NDArray[np.integer[Any]]] = []
    found_counts: list[int] = []
    p = 0
    for position in range(n_sets):
        outcome = source.get_outcome(position)
        p = outcome.n_features
        if outcome.subset is not None:
            subsets.append(outcome.subset)
        found_counts.append(outcome.count_found(p))
        for name, row in outcome.get_scores_and_ranks().items():
            if name not in tables:
                tables[name] = empty_table((n_sets, p), row.dtype)
            tables[name][position] = row
        if observe is not None:
            observe(outcome)
    if subsets:
        return {"subset": Subsets(subsets, n_features=p)}
    return {**_as_preferences(tables), "found_counts": found_counts}


def _as_preferences(tables: dict[str, AnyArray]) -> dict[str, Any]:
    """Return the weights, if any, and the rankings."""
    forms: dict[str, Any] = {}
    if "scores" in tables:
        forms["weights"] = Weights(tables["scores"])
    has_ranks = "ranks" in tables
    forms["ranking"] = Rankings(tables["ranks"]) if has_ranks else forms["weights"].to_rankings()
    return forms


def _measure_rows(
    preferences: Preferences, request: SimulationRequest, sizes: Sequence[int | str]
) -> list[dict[str, Any]]:
    """Return one row per measure of this form and size."""
    names = [name for name in request.measures if get_measure(name).form == preferences.form]
    if not names:
        return []
    table = measure(names, preferences)[_ESTIMATE_COLUMNS].reset_index()
    rows: list[dict[Any, Any]] = table.to_dict("records")
    return [{"size": size, **row} for size in sizes for row in rows]


class _ErrorRecorder:
    """Errors of LDA and of the best rule on the selected features of each training set."""

    def __init__(self, model: GaussianModel, sizes: Sequence[int]) -> None:
        self._model = model
        self._sizes = sizes
        self._errors: list[list[tuple[float, ...]]] = []
        self._has_own_size = False

    def record(self, outcome: TrainingSetOutcome) -> None:
        """Add the errors of a training set."""
        self._has_own_size = outcome.subset is not None
        features = outcome.get_best_features(self._sizes)
        self._errors.append(
            [
                (
                    *(float(self._model.linear_error(*rule, features=subset)) for rule in rules),
                    float(self._model.bayes_error(subset)),
                )
                for subset, rules in zip(features, outcome.fit_rules(features), strict=True)
            ]
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per size: means and standard deviations over the training sets."""
        values = np.array(self._errors)
        moments = np.stack([values.mean(axis=0), values.std(axis=0, ddof=1)], axis=2).reshape(
            len(values[0]), -1
        )
        sizes: Sequence[int | str] = [OWN_SIZE_LABEL] if self._has_own_size else self._sizes
        optimal = [self._model.best_error(n) if isinstance(n, int) else np.nan for n in sizes]
        return [
            {"size": size} | dict(zip(ERROR_COLUMNS, (*row, least), strict=True))
            for size, row, least in zip(sizes, moments, optimal, strict=True)
        ]


def pivot_in_order(
    table: pd.DataFrame, keys: list[str], column: str, values: str = "value"
) -> pd.DataFrame:
    """Pivot a long table; rows and columns keep the order of their first occurrence."""
    rows = table[keys].drop_duplicates()
    names = list(dict.fromkeys(table[column]))
    wide = table.set_index([*keys, column])[values].unstack(column)[names]
    return rows.merge(wide.rename_axis(columns=None).reset_index(), on=keys, how="left")
