"""Subset searches around a classifier: what all of them share."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from holdfast._validation import flag
from holdfast.errors import InvalidInputError
from holdfast.preferences._ranks import generators
from holdfast.select._search._criterion import CriterionSplits
from holdfast.select._search._criterion_choice import (
    classifier_of,
    criterion_of,
    drawn_splits,
    fingerprint,
    seeded_where_open,
)
from holdfast.select._search._search_state import (
    SearchSpace,
    SearchState,
    SearchStopped,
    get_best_subset,
)
from holdfast.select._search._subset_selector import Sizes, SubsetSelector
from holdfast.select._selector import present

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._search._search_state import Callback, Memory, Subset
    from holdfast.select._selector import OfferedFeatures

    Names = NDArray[np.object_] | None


class Wrapper(SubsetSelector):
    """A search for the subset on which a classifier does best; children say which search.

    See :class:`holdfast.ForwardSelection` for the parameters and attributes of all children.
    """

    def __init__(  # noqa: PLR0913  (each has its users)
        self,
        classifier: Any = None,  # noqa: ANN401  (an estimator or a name)
        *,
        n_features_to_select: float | tuple[int, int] | None = None,
        cv: Any = None,  # noqa: ANN401  (a splitter of many kinds)
        scoring: Any = "accuracy",  # noqa: ANN401  (a name or a function)
        forced_in: Any = None,  # noqa: ANN401  (names or numbers)
        forced_out: Any = None,  # noqa: ANN401
        feature_groups: Any = None,  # noqa: ANN401
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
    def _search(self, walk: SearchState) -> None:
        """Walk from subset to subset; the best one met is chosen."""

    def _learn(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> None:  # noqa: ANN401
        walk = self._begun(X, y, self._subjects, generator)
        self._forget()
        self._recall(walk)
        try:
            self.finished_ = self._ran(walk)
        finally:  # an interrupt loses nothing
            self._keep(walk)
        get_best_subset(walk)

    def _forget(self) -> None:
        """Leave nothing behind of a fit before this one but what was judged."""
        self.finished_ = False
        for name in ("support_", "value_"):
            self.__dict__.pop(name, None)

    def try_out(self, X: Any, y: Any, groups: Any = None) -> None:  # noqa: ANN401
        """Refuse parameters that cannot be used: one subset is judged, none is searched for."""
        self._checked_callback()
        own = clone(self).set_params(callback=None)  # it is told of searches alone
        own._set_subjects(groups, X)
        data, codes = own._validated(X, y)
        walk = own._begun(data, codes, own._subjects, next(generators(own.random_state, 1)))
        place = walk.start(own._first(walk))
        if walk.criterion.failure and place.value == -np.inf:
            raise InvalidInputError(
                f"the classifier cannot be fitted to the {place.size:,} feature(s) that the search "
                f"starts from: {walk.criterion.failure}"
            )

    def _check_search(self, walk: SearchState) -> None:
        """Check the parameters of the search; children have some."""

    @property
    def sweeps(self) -> str:
        """In which direction the search goes through all sizes, or nothing if it does not."""
        return "forward"

    def extent(self, n_features: int) -> tuple[int, int]:
        """Return how many sizes a search goes through, and how many subsets that takes at least.

        Both are 0 for a search that does not go through all sizes.
        """
        space = SearchSpace.of(
            n_features, None, self.feature_groups, self.forced_in, self.forced_out
        )
        sizes = Sizes.of(self.n_features_to_select, space.least, space.most)
        forced = len(space.forced)
        if self.sweeps == "forward":
            absent = range(space.most - sizes.high + 1, space.most - forced + 1)
            return len(absent), sum(absent)
        if self.sweeps == "backward":  # any of those not forced may leave
            left = range(sizes.low + 1, space.most + 1)
            return len(left) + 1, 1 + sum(left) - forced * len(left)
        return 0, 0

    def _first(self, walk: SearchState) -> Subset:
        """Return a subset that the search begins with, or is to meet soon."""
        if self.sweeps == "backward":
            return walk.space.everything
        return walk.space.forced or walk.space.free[:1]

    def _numbered(self, columns: OfferedFeatures) -> dict[str, Any]:
        numbered: dict[str, Any] = {
            name: columns.among(columns.read(given, name))
            for name in ("forced_in", "forced_out")
            if (given := getattr(self, name)) is not None
        }
        if self.feature_groups is not None:
            groups = columns.read_groups(self.feature_groups, "feature_groups")
            offered = map(columns.among, groups)
            numbered["feature_groups"] = [group for group in offered if group]
        return numbered

    def _recall(self, walk: SearchState) -> None:
        """Let a warm start know what was judged before, by the same classifier and splits."""
        before, known = getattr(self, "_judged", ("", {}))
        origin = walk.origin()
        if flag(self.warm_start, "warm_start") and before == origin:
            walk.memory = known
        self._judged: tuple[str, Memory] = (origin, walk.memory)

    def _choose(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        subjects: NDArray[Any] | None,
        generator: np.random.Generator,
    ) -> NDArray[np.bool_]:
        walk = self._begun(X, y, subjects, generator)
        self._ran(walk)
        return walk.space.mask(get_best_subset(walk).subset)

    def _begun(
        self,
        X: NDArray[Any],
        y: NDArray[np.intp],
        subjects: NDArray[Any] | None,
        generator: np.random.Generator,
    ) -> SearchState:
        """Check all parameters and draw the splits, before any subset is judged."""
        seeds = generator.integers(2**31, size=2).tolist()
        labels, y = self.classes_[y], present(y)
        space = SearchSpace.of(
            X.shape[1], self._names(), self.feature_groups, self.forced_in, self.forced_out
        )
        space = space.without(np.flatnonzero(np.ptp(X, axis=0) == 0))
        sizes = Sizes.of(self.n_features_to_select, space.least, space.most)
        splits = drawn_splits(self.cv, y, subjects, seeds[0])
        trials = CriterionSplits(X.astype(np.float64, copy=False), y, splits, labels)
        classifier = seeded_where_open(classifier_of(self.classifier), seeds[1])
        criterion = criterion_of(classifier, trials, self.scoring, _checked_jobs(self.n_jobs))
        origin = partial(fingerprint, classifier, trials, self.scoring, space)
        walk = SearchState(criterion, space, sizes, origin, self._checked_callback())
        self._check_search(walk)
        return walk

    def _ran(self, walk: SearchState) -> bool:
        """Search, and tell whether the search came to its end."""
        try:
            self._search(walk)
        except SearchStopped:
            return False
        return True

    def _keep(self, walk: SearchState) -> None:
        names = self._names()
        if walk.best is not None:
            self.support_ = walk.space.mask(walk.best.subset)
            self.value_ = walk.best.value
        self.path_ = path_of(walk, names)
        self.best_of_size_ = best_of_size(walk, names)
        self.n_judged_ = walk.n_judged

    def _checked_callback(self) -> Callback | None:
        if self.callback is None or callable(self.callback):
            return self.callback
        raise InvalidInputError(
            f"callback must be a function of a step, or None; received {self.callback!r}."
        )


def _checked_jobs(n_jobs: int | None) -> int | None:
    if n_jobs is None:
        return None
    if isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool) and n_jobs != 0:
        return int(n_jobs)
    raise InvalidInputError(
        f"n_jobs must be a whole number other than 0, or None; received {n_jobs!r}."
    )


# What a search tells afterwards: its path, and the best subset of each size, as tables.


def path_of(walk: SearchState, names: Names) -> pd.DataFrame:
    """Return all steps in order: the move, what moved, size, value, and whether it was the best."""
    steps = [walk.told(position) for position in range(len(walk.steps))]
    return pd.DataFrame(
        {
            "move": [step.move for step in steps],
            "moved": [_label_features(step.moved, names) for step in steps],
            "size": [step.size for step in steps],
            "value": [step.value for step in steps],
            "best": [step.best for step in steps],
        }
    ).rename_axis("step")


def best_of_size(walk: SearchState, names: Names) -> pd.DataFrame:
    """Return the value and the features of the best subset of each size that was met."""
    kept = [walk.kept[size] for size in sorted(walk.kept)]
    features = [
        _label_features(walk.space.features(place.subset).tolist(), names) for place in kept
    ]
    return pd.DataFrame(
        {"value": [place.value for place in kept], "features": features},
        index=pd.Index([place.size for place in kept], name="size"),
    )


def _label_features(features: Iterable[int], names: Names) -> tuple[Any, ...]:
    return tuple(features) if names is None else tuple(names[i] for i in features)
