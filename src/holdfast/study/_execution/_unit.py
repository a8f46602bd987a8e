"""The work of one unit: what a selector prefers, and what classifiers make of that."""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from holdfast._classifiers import classifying, clone_with_seed
from holdfast.errors import InvalidInputError
from holdfast.judge._replication._fit_resamples import impute_medians
from holdfast.resample._replication_design import FULL, HALF
from holdfast.select._groups._group_selector import Grouped, Grouper
from holdfast.select._search._subset_selector import SubsetSelector
from holdfast.select._selector import OfferedFeatures, together
from holdfast.study._planning._plan import CLASSIFICATION, DRAW, NOISE, SELECTION, Unit, seed_of
from holdfast.study._storage._reader import OWN_SIZE
from holdfast.study._storage._store import SIGNED, Outcome, floats, integers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.preferences import Rankings, Weights
    from holdfast.resample import Resample
    from holdfast.select import Judge, Selector
    from holdfast.simulate import Generator

    Chosen: TypeAlias = dict[int, NDArray[np.intp]]
    """The features of each size."""


# What classifiers say of test samples: classes and scores.


def fit_predict(
    classifier: Any,  # noqa: ANN401
    train: tuple[NDArray[Any], NDArray[np.intp]],
    test: NDArray[Any],
    n_classes: int,
    *,
    impute: bool,
) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
    """Train on one part, scaled by itself, and return classes and scores for the other.

    Scores have one column for two classes (higher speaks for class 1), else one a class; a
    class that the training part lacks gets the lowest score. None: the classifier has none.
    """
    model = Pipeline(classifying(classifier, impute=impute)).fit(*train)
    classes = model.predict(test)
    if not np.isin(classes, np.arange(n_classes)).all():
        raise InvalidInputError("the classifier predicts what is none of the classes.")
    return classes, _scores(model, test, n_classes)


def _scores(
    model: Any,  # noqa: ANN401
    test: NDArray[Any],
    n_classes: int,
) -> NDArray[np.float64] | None:
    known = model.classes_
    values = _values(model, test)
    if values is None:
        return None
    if n_classes == 2:
        return values if values.ndim == 1 else values[:, 1]
    if values.ndim == 1:  # the training part holds two of the classes only
        values = np.column_stack((-values, values))
    scores = np.full((len(test), n_classes), values.min(initial=0.0) - 1.0)
    scores[:, known] = values
    return scores


def _values(model: Any, test: NDArray[Any]) -> NDArray[np.float64] | None:  # noqa: ANN401
    """Return what a model says for each class; pairs of classes would not do."""
    pairs = len(model.classes_) > 2 and _votes(model) == "ovo"
    names = ["predict_proba"] if pairs else ["decision_function", "predict_proba"]
    for name in names:
        if hasattr(model, name):
            return np.asarray(getattr(model, name)(test), dtype=np.float64)
    return None


def _votes(model: Any) -> str | None:  # noqa: ANN401
    votes: str | None = getattr(model[-1], "decision_function_shape", None)
    return votes


# What selectors learn from: the training part of each resample, altered where it is to be.


class TrainingData(NamedTuple):
    """The training data of one resample, where they are not just rows of the study's data."""

    X: NDArray[Any]
    y: NDArray[np.intp]
    subjects: NDArray[Any] | None = None
    """The subject of each sample, for a selector that takes them."""
    test: tuple[NDArray[Any], NDArray[np.intp]] | None = None
    """Other samples to test on than the study's own."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Training:
    """The data of a study, and what becomes of them in each resample."""

    X: NDArray[Any]
    y: NDArray[np.intp]
    classes: tuple[str, ...]
    seed: int
    missing: bool
    """Whether the data have missing values."""
    nominal: tuple[int, ...]
    generator: Generator | None
    subjects: NDArray[Any] | None
    """The subject of each sample, None where each sample is by itself."""

    def changes(self, selector: Selector, resample: Resample) -> bool:
        """Return whether the selector sees other data than rows of the study's data."""
        imputed = self.missing and not selector.takes_missing
        return imputed or resample.features is not None or resample.noise > 0 or resample.draw >= 0

    def part(self, selector: Selector, resample: Resample, position: int) -> TrainingData:
        """Return what a selector learns from on one resample."""
        if resample.draw >= 0:
            return self._drawn(resample)
        train = self.X[resample.train]
        if resample.noise > 0:
            train = self._noisy(train, resample.noise, position)
        if resample.features is not None:
            train = train[:, resample.features]
        if self.missing and not selector.takes_missing:
            train = impute_medians(train)
        subjects = None
        if selector.takes_subjects:
            subjects = together(self.subjects, resample.train)
        return TrainingData(train, self.y[resample.train], subjects)

    def _noisy(self, train: NDArray[Any], level: float, position: int) -> NDArray[Any]:
        rng = np.random.default_rng(seed_of(self.seed, NOISE, position))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
            spread = np.nanstd(train, axis=0, dtype=np.float64)
        spread[list(self.nominal)] = 0.0  # codes, not amounts
        noisy: NDArray[Any] = train + level * spread * rng.standard_normal(train.shape)
        return noisy.astype(train.dtype)

    def _drawn(self, resample: Resample) -> TrainingData:
        if self.generator is None:
            raise RuntimeError("data sets are to be drawn, but there is no generator")
        sides = [self.generator.draw(seed_of(self.seed, DRAW, resample.draw, i)) for i in (0, 1)]
        train, test = ((one.X, np.searchsorted(self.classes, one.y)) for one in sides)
        return TrainingData(
            train[0][resample.train],
            train[1][resample.train],
            test=(test[0][resample.test], test[1][resample.test]),
        )


def restrict_selector(
    selector: Selector, features: NDArray[np.intp] | None, n_features: int
) -> Selector:
    """Return a selector that speaks of the features it is offered only."""
    if features is None:
        return selector
    return selector.among(OfferedFeatures(n_features, offered=features))


# The work of one unit: what a selector prefers, and what classifiers make of that.


class ResampleRanking(NamedTuple):
    """What a selector that ranks features makes of one resample."""

    weights: NDArray[np.float64] | None
    ranks: NDArray[Any]


Preferred: TypeAlias = ResampleRanking | Grouped


@dataclass(frozen=True, kw_only=True, eq=False)
class Work(Training):
    """Everything that a worker needs to work off units."""

    selectors: Sequence[Selector]
    classifiers: Sequence[Any]
    sizes: tuple[int, ...]
    depth: int
    """How many features of each ranking are kept."""
    forms: frozenset[str]
    resamples: Sequence[Resample]
    _judges: dict[int, Judge[Any]] = field(default_factory=dict, init=False)
    _warm: set[int] = field(default_factory=set, init=False)

    def run(self, unit: Unit) -> list[Outcome]:
        """Work a unit off; a block that fails is run again resample by resample."""
        try:
            return self._outcomes(unit)
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001  (others' code)
            if unit.stop - unit.first > 1:
                return [outcome for one in unit.singles() for outcome in self.run(one)]
            return [Outcome(unit.selector, unit.first, message_of(error))]

    def try_selector(self, selector: int) -> None:
        """Let a selector judge the first resample; what it prefers is not kept."""
        self._judged(Unit(selector, 0, 1))

    def warm_up(self, selector: int) -> None:
        """Let a selector of this package load its compiled code, once, before time counts."""
        own = self.selectors[selector]
        if selector in self._warm or not type(own).__module__.startswith("holdfast."):
            return
        self._warm.add(selector)
        few = [np.flatnonzero(self.y == code)[:3] for code in range(len(self.classes))]
        with suppress(Exception):  # what fails here fails again in a unit, and is told there
            if isinstance(own, SubsetSelector):  # a search among all features would take long
                own.try_out(self.X, self.y)
            else:
                self._judge(selector).judge([np.concatenate(few)])

    def _outcomes(self, unit: Unit) -> list[Outcome]:
        start = time.perf_counter()
        judged = self._judged(unit)
        each = (time.perf_counter() - start) / len(judged)
        for outcome, chosen, part in judged:
            start = time.perf_counter()
            self._classify(outcome, chosen, part)
            outcome.selection = each
            outcome.classification = time.perf_counter() - start
        return [outcome for outcome, _, _ in judged]

    def _judged(self, unit: Unit) -> list[tuple[Outcome, Chosen, TrainingData | None]]:
        """Return for each resample the preferences and the features of each size."""
        selector = self.selectors[unit.selector]
        resamples = self.resamples[unit.first : unit.stop]
        if len(resamples) == 1 and (selector.chooses_size or self.changes(selector, resamples[0])):
            return [self._judged_alone(unit)]
        rows = [one.train for one in resamples]
        found = self._judge(unit.selector).judge(rows, unit.first)
        return [
            (*self._kept(unit.selector, unit.first + at, _get_preferred(found, at)), None)
            for at in range(len(resamples))
        ]

    def _judge(self, selector: int) -> Judge[Any]:
        """Return a selector on the study's data, which are checked once."""
        if selector not in self._judges:
            own = self.selectors[selector]
            subjects = self.subjects if own.takes_subjects else None
            self._judges[selector] = own.on(self.X, self.y, subjects)
        return self._judges[selector]

    def _kept(self, selector: int, resample: int, found: Preferred) -> tuple[Outcome, Chosen]:
        if isinstance(found, Grouped):
            return self._kept_groups(selector, resample, found)
        weights, ranks = found
        top = best(ranks, self.depth)
        kept = [("top", integers(top))]
        if "ranking" in self.forms:
            kept.append(("ranks", integers(ranks)))
        if "weights" in self.forms and weights is not None:
            kept.append(("weights", floats(weights)))
        kept += self._signed(selector, resample)
        return Outcome(selector, resample, preferences=kept), {k: top[:k] for k in self.sizes}

    def _signed(self, selector: int, resample: int) -> list[tuple[str, bytes]]:
        """Keep signed t statistics of halves and of the full data, where the selector has them.

        Studies of earlier versions have no fit of the full data, and their stores no such form.
        """
        part, own = self.resamples[resample], self.selectors[selector]
        if part.role not in (HALF, FULL) or not self._fits_full or self.changes(own, part):
            return []
        found = own.signed_statistics(self.X, self.y, [part.train])
        return [] if found is None else [(SIGNED, floats(found[0]))]

    @cached_property
    def _fits_full(self) -> bool:
        return any(part.role == FULL for part in self.resamples)

    def _kept_groups(self, selector: int, resample: int, found: Grouped) -> tuple[Outcome, Chosen]:
        """Keep groups, and their representatives as the features that were selected.

        A feature that stands for two groups counts once, and the next one follows.
        """
        asked = self.selectors[selector]
        own = asked.chooses_size
        found = found.best(asked.n_groups if own else self.depth)
        groups = [
            (at, int(representative), integers(members))
            for at, (members, representative) in enumerate(
                zip(found.members, found.representatives, strict=True)
            )
        ]
        top = np.array(list(dict.fromkeys(found.representatives.tolist())), dtype=np.intp)
        kept = [("subset" if own else "top", integers(top))]
        chosen = {OWN_SIZE: top} if own else {k: top[:k] for k in self.sizes}
        return Outcome(selector, resample, preferences=kept, groups=groups), chosen

    def _judged_alone(self, unit: Unit) -> tuple[Outcome, Chosen, TrainingData]:
        """Judge one resample on data of its own, or let the selector choose the size."""
        resample = self.resamples[unit.first]
        selector = restrict_selector(
            self.selectors[unit.selector], resample.features, self.X.shape[1]
        )
        part = self.part(selector, resample, unit.first)
        if selector.chooses_size and not isinstance(selector, Grouper):
            return *self._own_subset(unit, selector, part), part
        judge = selector.on(part.X, part.y, part.subjects)
        found = _get_preferred(judge.judge([np.arange(len(part.y))], unit.first), 0)
        if resample.features is not None:
            found = self._renumbered(found, resample.features, unit)
        return *self._kept(unit.selector, unit.first, found), part

    def _own_subset(
        self, unit: Unit, selector: Selector, part: TrainingData
    ) -> tuple[Outcome, Chosen]:
        """Keep the features that a selector chooses, as many as it likes."""
        resample = self.resamples[unit.first]
        fitted = clone(selector).set_params(
            random_state=seed_of(self.seed, SELECTION, unit.selector, unit.first)
        )
        more = {} if part.subjects is None else {"groups": part.subjects}
        chosen = fitted.fit(part.X, part.y, **more).get_support(indices=True)
        value = getattr(fitted, "value_", None) if isinstance(fitted, SubsetSelector) else None
        chosen = chosen if resample.features is None else resample.features[chosen]
        outcome = Outcome(
            unit.selector,
            unit.first,
            preferences=[("subset", integers(chosen))],
            subset_values=[] if value is None else [(float(value),)],
        )
        return outcome, {OWN_SIZE: chosen}

    def _renumbered(self, found: Preferred, features: NDArray[np.intp], unit: Unit) -> Preferred:
        """Number features as all data do, where a selector was offered some of them."""
        if isinstance(found, Grouped):
            members = tuple(features[own] for own in found.members)
            return Grouped(members, features[found.representatives], found.scores)
        return ResampleRanking(None, self._spread(found.ranks, features, unit))

    def _spread(
        self, ranks: NDArray[Any], features: NDArray[np.intp], unit: Unit
    ) -> NDArray[np.int32]:
        """Rank all features: those that were not offered come last, in random order."""
        row = np.zeros(self.X.shape[1], dtype=np.int32)
        row[features] = ranks
        absent = np.flatnonzero(row == 0)
        rng = np.random.default_rng(seed_of(self.seed, SELECTION, unit.selector, unit.first))
        row[absent] = len(features) + 1 + rng.permutation(len(absent))
        return row

    def _classify(self, outcome: Outcome, chosen: Chosen, part: TrainingData | None) -> None:
        """Train each classifier on each selection and keep what it says of the test samples."""
        resample = self.resamples[outcome.resample]
        if not (len(resample.test) and self.classifiers):
            return
        train_X, train_y, test_X, actual = self._sides(resample, part)
        for size, features in chosen.items():
            train, test = train_X[:, features], test_X[:, features]
            for position, classifier in enumerate(self.classifiers):
                seed = seed_of(
                    self.seed, CLASSIFICATION, outcome.selector, outcome.resample, position
                )
                says = self._says(classifier, seed, (train, train_y), test)
                scores = None if says[1] is None else floats(says[1])
                outcome.predictions.append((size, position, integers(says[0]), scores, actual))

    def _sides(
        self, resample: Resample, part: TrainingData | None
    ) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[Any], bytes | None]:
        if part is None or part.test is None:
            train, test = self.X[resample.train], self.X[resample.test]
            return train, self.y[resample.train], test, None
        return part.X, part.y, part.test[0], integers(part.test[1])

    def _says(
        self,
        classifier: Any,  # noqa: ANN401  (scikit-learn is untyped)
        seed: int,
        train: tuple[NDArray[Any], NDArray[np.intp]],
        test: NDArray[Any],
    ) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
        if test.shape[1] == 0:  # nothing was selected: the largest class is all there is to say
            classes = np.full(len(test), np.bincount(train[1]).argmax())
            flat = (len(test),) if len(self.classes) == 2 else (len(test), len(self.classes))
            return classes, np.zeros(flat)
        model = clone_with_seed(classifier, seed)
        return fit_predict(model, train, test, len(self.classes), impute=self.missing)


def _get_preferred(found: list[Grouped] | tuple[Weights | None, Rankings], at: int) -> Preferred:
    """Return what was found on one of several resamples."""
    if isinstance(found, list):
        return found[at]
    weights, ranks = found
    return ResampleRanking(
        None if weights is None else weights.values[at], np.asarray(ranks.values[at])
    )


def message_of(error: BaseException) -> str:
    """Return what an error says, as text that can be stored."""
    try:
        text = f"{type(error).__name__}: {error}".strip(" :")
    except Exception:  # noqa: BLE001  (even saying what is wrong may go wrong)
        text = type(error).__name__
    return text.encode("utf-8", "backslashreplace").decode()


def best(ranks: NDArray[Any], count: int) -> NDArray[np.intp]:
    """Return the numbers of the best features, the best first."""
    if count < len(ranks):
        chosen = np.argpartition(ranks, count - 1)[:count]
        return chosen[np.argsort(ranks[chosen])]
    return np.argsort(ranks)
