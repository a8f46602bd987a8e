"""Base class of subset searches around a classifier (wrappers)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from holdfast._random import RandomState, generators
from holdfast._typing import (
    AnyArray,
    BoolArray,
    EstimatorLike,
    FeaturesLike,
    IndexArray,
    LabelsLike,
    MatrixLike,
    ProtocolLike,
)
from holdfast._validation import check_flag
from holdfast.errors import InvalidInputError
from holdfast.select._search._criterion import CriterionSplits
from holdfast.select._search._criterion_choice import (
    choose_criterion,
    draw_splits,
    fill_open_seeds,
    fingerprint,
    resolve_classifier,
)
from holdfast.select._search._search_state import (
    SearchSpace,
    SearchState,
    SearchStopped,
    get_best_subset,
)
from holdfast.select._search._subset_selector import Sizes, SubsetSelector
from holdfast.select._selector import OfferedFeatures, renumber_classes

if TYPE_CHECKING:
    from holdfast.select._search._search_state import Callback, Memory


Names = NDArray[np.object_] | None


class Wrapper(SubsetSelector):
    """Base class of searches for the subset with the highest accuracy of a classifier.

    See :class:`holdfast.ForwardSelection` for the parameters and attributes of all children.
    Children with more parameters repeat the whole list, since scikit-learn reads the parameters
    from the signature of ``__init__``.
    """

    def __init__(
        self,
        classifier: EstimatorLike = None,
        *,
        n_features_to_select: float | tuple[int, int] | None = None,
        cv: ProtocolLike = None,
        scoring: EstimatorLike = "accuracy",
        forced_in: FeaturesLike = None,
        forced_out: FeaturesLike = None,
        feature_groups: FeaturesLike = None,
        warm_start: bool = False,
        callback: Callback | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.classifier = classifier
        self.n_features_to_select = n_features_to_select
        self.cv = cv
        self.scoring = scoring
        self.forced_in = forced_in
        self.forced_out = forced_out
        self.feature_groups = feature_groups
        self.warm_start = warm_start
        self.callback = callback
        self.n_jobs = n_jobs
        self.random_state = random_state

    @abstractmethod
    def _search(self, state: SearchState) -> None:
        """Run the search from subset to subset; the best one visited is chosen."""

    def _fit_subset(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> None:
        state = self._prepare_search(X, y, self._subjects, generator)
        self.finished_ = False
        for name in ("support_", "value_"):  # results of an earlier fit
            self.__dict__.pop(name, None)
        self._restore_memory(state)
        try:
            self.finished_ = self._run_search(state)
        finally:  # an interrupt keeps the results so far
            self._store_results(state)
        get_best_subset(state)

    def check_trial_fit(self, X: MatrixLike, y: LabelsLike, groups: LabelsLike = None) -> None:
        """Raise if parameters are unusable, by evaluating one subset without a search."""
        self._check_callback()
        trial = clone(self).set_params(callback=None)  # callbacks are for real searches
        trial._set_subjects(groups, X)
        data, codes = trial._validate_data(X, y)
        state = trial._prepare_search(
            data, codes, trial._subjects, next(generators(trial.random_state, 1))
        )
        space = state.space
        backward = trial.sweeps == "backward"
        candidate = state.start(space.full_subset if backward else space.forced or space.free[:1])
        if state.criterion.failure and candidate.value == -np.inf:
            raise InvalidInputError(
                f"the classifier cannot be fitted to the {candidate.size:,} feature(s) that the "
                f"search starts from: {state.criterion.failure}"
            )

    def _check_search(self, state: SearchState) -> None:
        """Check the parameters of the search; children with parameters override it."""

    @property
    def sweeps(self) -> str:
        """The direction in which the search passes all sizes; empty if it does not."""
        return "forward"

    def extent(self, n_features: int) -> tuple[int, int]:
        """Return the number of sizes a search passes, and the fewest subsets it evaluates.

        Both are 0 for a search that does not pass all sizes.
        """
        space = SearchSpace.from_parameters(
            n_features, None, self.feature_groups, self.forced_in, self.forced_out
        )
        sizes = Sizes.from_parameter(self.n_features_to_select, space.min_size, space.max_size)
        forced = len(space.forced)
        if self.sweeps == "forward":
            # from size s, max_size - s units can be added; each is evaluated once
            absent = range(space.max_size - sizes.high + 1, space.max_size - forced + 1)
            return len(absent), sum(absent)
        if self.sweeps == "backward":  # any unit that is not forced in can be removed
            starting_sizes = range(sizes.low + 1, space.max_size + 1)
            n_moves = len(starting_sizes)
            return n_moves + 1, 1 + sum(starting_sizes) - forced * n_moves
        return 0, 0

    def _indexed_parameters(self, columns: OfferedFeatures) -> dict[str, Any]:
        numbered: dict[str, Any] = {
            name: columns.offered_positions(columns.read(features, name))
            for name in ("forced_in", "forced_out")
            if (features := getattr(self, name)) is not None
        }
        if self.feature_groups is not None:
            groups = columns.read_groups(self.feature_groups, "feature_groups")
            offered = map(columns.offered_positions, groups)
            numbered["feature_groups"] = [group for group in offered if group]
        return numbered

    def _restore_memory(self, state: SearchState) -> None:
        """Reuse the values of an earlier fit, if warm and with the same data and classifier."""
        earlier_origin, memory = getattr(self, "_evaluated", ("", {}))
        origin = state.origin()  # values are reused only if nothing they depend on has changed
        if check_flag(self.warm_start, "warm_start") and earlier_origin == origin:
            state.memory = memory
        self._evaluated: tuple[str, Memory] = (origin, state.memory)

    def _choose(
        self,
        X: MatrixLike,
        y: IndexArray,
        subjects: AnyArray | None,
        generator: np.random.Generator,
    ) -> BoolArray:
        state = self._prepare_search(X, y, subjects, generator)
        self._run_search(state)
        return state.space.mask(get_best_subset(state).subset)

    def _prepare_search(
        self, X: AnyArray, y: IndexArray, subjects: AnyArray | None, generator: np.random.Generator
    ) -> SearchState:
        """Check all parameters and draw the splits, before any subset is evaluated."""
        # both in one draw, whether or not the classifier needs a seed
        seeds = generator.integers(2**31, size=2).tolist()
        labels, y = self.classes_[y], renumber_classes(y)
        space = SearchSpace.from_parameters(
            X.shape[1], self._feature_names(), self.feature_groups, self.forced_in, self.forced_out
        )
        # a constant feature cannot help, and some classifiers cannot be fitted to it
        space = space.without_features(np.flatnonzero(np.ptp(X, axis=0) == 0))
        sizes = Sizes.from_parameter(self.n_features_to_select, space.min_size, space.max_size)
        splits = draw_splits(self.cv, y, subjects, seeds[0])
        split_data = CriterionSplits(X.astype(np.float64, copy=False), y, splits, labels)
        classifier = fill_open_seeds(resolve_classifier(self.classifier), seeds[1])
        criterion = choose_criterion(
            classifier, split_data, self.scoring, _check_n_jobs(self.n_jobs)
        )
        origin = partial(fingerprint, classifier, split_data, self.scoring, space)
        state = SearchState(criterion, space, sizes, origin, self._check_callback())
        self._check_search(state)
        return state

    def _run_search(self, state: SearchState) -> bool:
        """Run the search; return whether it was completed."""
        try:
            self._search(state)
        except SearchStopped:
            return False
        return True

    def _store_results(self, state: SearchState) -> None:
        names = self._feature_names()
        if state.best is not None:
            self.support_ = state.space.mask(state.best.subset)
            self.value_ = state.best.value
        self.path_ = path_table(state, names)
        self.best_of_size_ = best_subsets_table(state, names)
        self.n_judged_ = state.n_evaluated

    def _check_callback(self) -> Callback | None:
        if self.callback is None or callable(self.callback):
            return self.callback
        raise InvalidInputError(
            f"callback must be a function of a step, or None; got {self.callback!r}."
        )


def _check_n_jobs(n_jobs: int | None) -> int | None:
    if n_jobs is None:
        return None
    if isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool) and n_jobs != 0:
        return int(n_jobs)
    raise InvalidInputError(f"n_jobs must be a non-zero integer, or None; got {n_jobs!r}.")


# The results of a search as tables.


def path_table(state: SearchState, names: Names) -> pd.DataFrame:
    """Return all steps in order: the move, what moved, size, value, and whether it was the best."""
    steps = [state.get_step(position) for position in range(len(state.steps))]
    return pd.DataFrame(
        {
            "move": [step.move for step in steps],
            "moved": [_label_features(step.moved, names) for step in steps],
            "size": [step.size for step in steps],
            "value": [step.value for step in steps],
            "best": [step.best for step in steps],
        }
    ).rename_axis("step")


def best_subsets_table(state: SearchState, names: Names) -> pd.DataFrame:
    """Return the value and the features of the best subset of each size."""
    best = [state.best_by_size[size] for size in sorted(state.best_by_size)]
    features = [
        _label_features(state.space.features(candidate.subset).tolist(), names)
        for candidate in best
    ]
    return pd.DataFrame(
        {"value": [candidate.value for candidate in best], "features": features},
        index=pd.Index([candidate.size for candidate in best], name="size"),
    )


def _label_features(features: Iterable[int], names: Names) -> tuple[Any, ...]:
    return tuple(features) if names is None else tuple(names[i] for i in features)
