"""Run one unit of a study: select features on its resamples, classify with them, keep the bytes."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from holdfast._classifiers import clone_with_seed, takes_counts_only, takes_sparse_counts
from holdfast._memory import is_sparse, to_dense
from holdfast._typing import AnyArray, EstimatorLike, FloatArray, IndexArray
from holdfast.io import DatasetGenerator
from holdfast.resample import FULL, HALF, Resample
from holdfast.select import (
    OfferedFeatures,
    ResamplePreference,
    ResampleRanking,
    ResampleSubset,
    SelectedGroups,
    Selector,
    SelectorRunner,
    SubsetSelector,
    TrainingPart,
    check_class_weights,
    failure_message,
    run_selector_on_resamples,
)
from holdfast.study._execution._classification import (
    NestedClassifier,
    Prediction,
    ScaledSplit,
    fit_pipeline,
    nested_classifier,
    trial_splits,
)
from holdfast.study._planning._plan import CLASSIFICATION, DRAW, NOISE, SELECTION, Unit, derive_seed
from holdfast.study._planning._sample_weights import classification_weights
from holdfast.study._storage._reader import OWN_SIZE
from holdfast.study._storage._store import SIGNED, UnitResult, floats, integers

MAX_WARM_UP_FEATURES = 50
"""Features on which code is compiled: few, so that it takes no time itself; chosen by hand."""
FeaturesBySize: TypeAlias = dict[int, IndexArray]
"""The selected features of each size."""


class DrawnSample(NamedTuple):
    """A training set and a test set drawn from the generator of the data."""

    train: TrainingPart
    test: TrainingPart


class ClassificationData(NamedTuple):
    """Training and test part of a resample; only values of features in use are copied."""

    train: TrainingPart
    """With the data of all rows."""
    test: AnyArray
    train_rows: IndexArray
    test_rows: IndexArray

    def take(self, features: IndexArray) -> tuple[AnyArray, AnyArray]:
        """Return the values of some features, in both parts."""
        return (
            _take_values(self.train.X, self.train_rows, features),
            _take_values(self.test, self.test_rows, features),
        )


def _take_values(X: AnyArray, rows: IndexArray, features: IndexArray) -> AnyArray:
    return X[rows][:, features] if is_sparse(X) else X[np.ix_(rows, features)]


@dataclass(frozen=True, kw_only=True, eq=False)
class UnitRunner:
    """Everything a worker needs to run the units of a study."""

    X: AnyArray
    y: IndexArray
    classes: tuple[str, ...]
    seed: int
    missing: bool
    """Whether the data have missing values."""
    nominal: tuple[int, ...]
    generator: DatasetGenerator | None
    subjects: AnyArray | None
    """The subject of each sample; None if the samples are independent."""
    sample_weight: FloatArray | None
    """The weight of each sample; None if all count the same."""
    selectors: Sequence[Selector]
    classifiers: Sequence[EstimatorLike]
    sizes: tuple[int, ...]
    depth: int
    """How many features of each ranking are stored."""
    forms: frozenset[str]
    """Forms of preferences that the measures of the study need."""
    resamples: Sequence[Resample]
    rehearses: bool = False
    """Whether units only show the form of what a wrapped selector gives; see `rehearse_forms`."""
    _runners: dict[int, SelectorRunner] = field(default_factory=dict, init=False)
    _warm: set[int] = field(default_factory=set, init=False)

    def run(self, unit: Unit) -> list[UnitResult]:
        """Run a unit; a block that fails is run again resample by resample."""
        return run_selector_on_resamples(
            lambda positions: (
                [self._rehearse(unit.selector, positions[0])]
                if self.rehearses
                else self._run_block(unit.selector, positions)
            ),
            range(unit.first, unit.stop),
            lambda position, error: UnitResult(unit.selector, position, failure_message(error)),
            errors=(BaseException,),  # also SystemExit and GeneratorExit
        )

    def warm_up(self, selector: int) -> None:
        """Load or compile the code of a unit before its time is measured."""
        for classify in self._nested_classifiers.values():
            for split in trial_splits(len(self.y)):
                classify(split, [1])
        instance = self.selectors[selector]
        if selector in self._warm or not type(instance).__module__.startswith("holdfast."):
            return
        self._warm.add(selector)
        rows = [np.flatnonzero(self.y == code)[:3] for code in range(len(self.classes))]
        with suppress(Exception):  # what fails here fails again in a unit and is reported there
            if isinstance(instance, SubsetSelector):  # a search among all features would take long
                instance.check_trial_fit(to_dense(self.X), self.y)
                return
            runner = self._few_features_runner(instance)
            if runner.densifies:
                runner.select_part(runner.training_part(np.concatenate(rows)), 0)
            else:
                runner.select_rows([np.concatenate(rows)], 0)

    def _few_features_runner(self, selector: Selector) -> SelectorRunner:
        """Return a selector with a few features of the data, in arrays of the same kind."""
        n_features = self.X.shape[1]
        features = np.arange(min(n_features, MAX_WARM_UP_FEATURES))
        X = self.X[:, features]
        if not is_sparse(X):
            X = np.ascontiguousarray(X)
            X.flags.writeable = self.X.flags.writeable  # kernels are compiled for either
        selector = restrict_selector(selector, features, n_features)
        return SelectorRunner(selector, X, self.y, self.subjects, self.missing, self.sample_weight)

    def _run_block(self, selector: int, positions: range) -> list[UnitResult]:
        self._check_weights(positions)
        start = time.perf_counter()
        selections = [
            (*self._to_result(selector, position, preference), drawn)
            for position, (preference, drawn) in zip(
                positions, self._select(selector, positions), strict=True
            )
        ]
        seconds_each = (time.perf_counter() - start) / len(selections)
        # a block is selected at once, so each resample is charged an equal share of the time
        for result, features, drawn in selections:
            start = time.perf_counter()
            self._classify(result, features, drawn)
            result.selection = seconds_each
            result.classification = time.perf_counter() - start
        return [result for result, _, _ in selections]

    def _check_weights(self, positions: range) -> None:
        """Raise if a class has no weight: resamples drawn during a run were not checked before."""
        if self.sample_weight is None:
            return
        for position in positions:
            rows = self.resamples[position].train
            check_class_weights(self.y[rows], self.sample_weight[rows], "the training part")

    def _rehearse(self, selector: int, position: int) -> UnitResult:
        """Return the declaration of what a wrapped selector gives on a resample."""
        resample, runner = self.resamples[position], self._restricted_runner(selector, position)
        drawn = self._draw_sample(resample) if resample.draw >= 0 else None
        part = self._training_part(runner, position) if drawn is None else drawn.train
        weights = {} if part.sample_weight is None else {"sample_weight": part.sample_weight}
        reading = clone(runner.selector).fit(part.X, part.y, **weights).reading_
        declaration = (reading.returns, b"sparse" if reading.is_sparse else b"")
        return UnitResult(selector, position, preferences=[declaration])

    # Selection.

    def _runner(self, selector: int) -> SelectorRunner:
        """Return a selector with the study's data, which are checked once."""
        if selector not in self._runners:
            self._runners[selector] = SelectorRunner(
                self.selectors[selector],
                self.X,
                self.y,
                self.subjects,
                self.missing,
                self.sample_weight,
            )
        return self._runners[selector]

    def _select(
        self, selector: int, positions: range
    ) -> list[tuple[ResamplePreference, DrawnSample | None]]:
        """Run a selector on resamples; also return the samples of a resample that draws its own."""
        runner = self._runner(selector)
        if len(positions) == 1 and (
            runner.selector.selects_own_size
            or runner.fits_each
            or runner.alters_data
            or self._alters_resample(positions[0])
        ):
            return [self._select_alone(selector, positions[0])]
        rows = [self.resamples[position].train for position in positions]
        return [(preference, None) for preference in runner.select_rows(rows, positions[0])]

    def _alters_resample(self, position: int) -> bool:
        """Return whether a resample has other values than rows of the study's data."""
        resample = self.resamples[position]
        return resample.features is not None or resample.noise > 0 or resample.draw >= 0

    def _select_alone(
        self, selector: int, position: int
    ) -> tuple[ResamplePreference, DrawnSample | None]:
        """Run a selector on one resample that alters the data, or a selector that sets the size."""
        resample, runner = self.resamples[position], self._restricted_runner(selector, position)
        drawn = self._draw_sample(resample) if resample.draw >= 0 else None
        part = self._training_part(runner, position) if drawn is None else drawn.train
        seed = derive_seed(self.seed, SELECTION, selector, position)
        preference: ResamplePreference
        if runner.fits_each:
            preference = runner.fit_part(part, seed)
        else:
            preference = runner.select_part(part, position)
        if resample.features is not None:
            preference = _renumber_features(preference, resample.features, self.X.shape[1], seed)
        return preference, drawn

    def _restricted_runner(self, selector: int, position: int) -> SelectorRunner:
        """Return a selector with the study's data that refers to the features of a resample."""
        runner, features = self._runner(selector), self.resamples[position].features
        return replace(
            runner, selector=restrict_selector(runner.selector, features, self.X.shape[1])
        )

    def _training_part(self, runner: SelectorRunner, position: int) -> TrainingPart:
        """Return the training part of a resample with its noise, its features, and imputed."""
        resample = self.resamples[position]
        X = self.X[resample.train]
        if resample.noise > 0:
            dense = to_dense(X, "the training part of a resample")
            X = self._add_noise(dense, resample.noise, position)
        if resample.features is not None:
            X = X[:, resample.features]
        return runner.training_part(resample.train, X)

    def _add_noise(self, X: AnyArray, level: float, position: int) -> AnyArray:
        rng = np.random.default_rng(derive_seed(self.seed, NOISE, position))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
            deviations = np.nanstd(X, axis=0, dtype=np.float64)
        deviations[list(self.nominal)] = 0.0  # codes of categories
        noisy: AnyArray = X + level * deviations * rng.standard_normal(X.shape)
        return noisy.astype(X.dtype)

    def _draw_sample(self, resample: Resample) -> DrawnSample:
        """Draw the training set and the test set of a resample."""
        if self.generator is None:
            raise RuntimeError("data sets are to be drawn, but there is no generator")
        parts = []
        for side, rows in enumerate((resample.train, resample.test)):
            data = self.generator.draw(derive_seed(self.seed, DRAW, resample.draw, side))
            codes = np.searchsorted(self.classes, data.y)  # classes are sorted
            parts.append(TrainingPart(data.X[rows], codes[rows]))
        return DrawnSample(*parts)

    # Storage: preferences become bytes.

    def _to_result(
        self, selector: int, position: int, preference: ResamplePreference
    ) -> tuple[UnitResult, FeaturesBySize]:
        """Return what is stored of a preference, and the selected features of each size."""
        if isinstance(preference, ResampleSubset):
            result = UnitResult(
                selector,
                position,
                preferences=[("subset", integers(preference.features))],
                subset_values=[] if preference.value is None else [(preference.value,)],
            )
            return result, {OWN_SIZE: preference.features}
        if isinstance(preference, SelectedGroups):
            return self._groups_to_result(selector, position, preference)
        n_found = preference.n_found
        depth = self.depth if n_found is None else min(self.depth, n_found)
        top = best_features(preference.ranks, depth)
        stored = [("top", integers(top))]
        if "ranking" in self.forms:
            stored.append(("ranks", integers(preference.ranks)))
        if "weights" in self.forms and preference.weights is not None:
            stored.append(("weights", floats(preference.weights)))
        stored += self._signed_statistics(selector, position)
        result = UnitResult(selector, position, preferences=stored)
        return result, {size: top[:size] for size in self.sizes}

    def _groups_to_result(
        self, selector: int, position: int, groups: SelectedGroups
    ) -> tuple[UnitResult, FeaturesBySize]:
        """Store groups, and their representatives as the selected features.

        A feature that represents two groups counts once, and the next one follows.
        """
        instance = self.selectors[selector]
        groups = groups.best(instance.n_groups if instance.selects_own_size else self.depth)
        rows = [
            (number, int(representative), integers(members))
            for number, (members, representative) in enumerate(
                zip(groups.members, groups.representatives, strict=True)
            )
        ]
        top = np.array(list(dict.fromkeys(groups.representatives.tolist())), dtype=np.intp)
        form = "subset" if instance.selects_own_size else "top"
        result = UnitResult(selector, position, preferences=[(form, integers(top))], groups=rows)
        if instance.selects_own_size:
            return result, {OWN_SIZE: top}
        return result, {size: top[:size] for size in self.sizes}

    def _signed_statistics(self, selector: int, position: int) -> list[tuple[str, bytes]]:
        """Return signed t statistics of halves and of the full data, for selectors that have them.

        Studies of earlier versions have no fit of the full data, and their stores no such form.
        """
        resample, runner = self.resamples[position], self._runner(selector)
        if resample.role not in (HALF, FULL) or self._alters_resample(position):
            return []
        if not any(other.role == FULL for other in self.resamples):
            return []
        statistics = runner.signed_statistics(self.y, [resample.train])
        return [] if statistics is None else [(SIGNED, floats(statistics[0]))]

    # Classification.

    @cached_property
    def _nested_classifiers(self) -> dict[int, NestedClassifier]:
        """Those that get scaled features of samples without weights, by position."""
        return {
            position: nested_classifier(classifier)
            for position, classifier in enumerate(self.classifiers)
            if not takes_counts_only(classifier)
            and (
                self.sample_weight is None
                or not classification_weights(classifier, self.sample_weight)
            )
        }

    def _classify(
        self, result: UnitResult, features_by_size: FeaturesBySize, drawn: DrawnSample | None
    ) -> None:
        """Train each classifier on each selection and store the predictions of the test part."""
        resample = self.resamples[result.resample]
        if not (len(resample.test) and self.classifiers and features_by_size):
            return
        parts = self._test_parts(resample, drawn)
        actual = None if drawn is None else integers(drawn.test.y)
        for size, position, prediction in [
            *self._classify_scaled(result, features_by_size, parts),
            *self._classify_in_pipelines(result, features_by_size, parts),
        ]:
            scores = None if prediction.scores is None else floats(prediction.scores)
            row = (size, position, integers(prediction.labels), scores, actual)
            result.predictions.append(row)
        # in the order of sizes and classifiers
        order = {size: place for place, size in enumerate(features_by_size)}
        result.predictions.sort(key=lambda row: (order[row[0]], row[1]))

    def _test_parts(self, resample: Resample, drawn: DrawnSample | None) -> ClassificationData:
        if drawn is not None:
            return ClassificationData(
                drawn.train, drawn.test.X, *(np.arange(len(p.y)) for p in drawn)
            )
        rows = resample.train
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        train = TrainingPart(self.X, self.y[rows], sample_weight=weights)
        return ClassificationData(train, self.X, rows, resample.test)

    def _classify_scaled(
        self, result: UnitResult, features_by_size: FeaturesBySize, parts: ClassificationData
    ) -> Iterator[tuple[int, int, Prediction]]:
        """Yield the predictions of classifiers for which all sizes are scaled together."""
        if not self._nested_classifiers:
            return
        train, test = map(to_dense, parts.take(max(features_by_size.values(), key=len)))
        split = ScaledSplit.make(train, parts.train.y, test, len(self.classes), impute=self.missing)
        # smaller selections are the first features of larger ones
        counts = sorted({len(own) for own in features_by_size.values() if len(own) > 0})
        for position, classify in self._nested_classifiers.items():
            compiled = classify(split, counts)
            for size, own in features_by_size.items():
                prediction = compiled.get(len(own))
                if len(own) == 0:
                    prediction = split.predict_largest_class()
                elif prediction is None:
                    model = self._seed_classifier(result, position)
                    prediction = split.fit_predict(model, len(own))
                yield size, position, prediction

    def _classify_in_pipelines(
        self, result: UnitResult, features_by_size: FeaturesBySize, parts: ClassificationData
    ) -> Iterator[tuple[int, int, Prediction]]:
        """Yield the predictions of classifiers that use weights, or take counts only."""
        for position, classifier in enumerate(self.classifiers):
            if position in self._nested_classifiers:
                continue
            keeps_sparse = not self.missing and takes_sparse_counts(classifier)
            for size, features in features_by_size.items():
                train_X, test = parts.take(features)
                if not keeps_sparse:
                    train_X, test = to_dense(train_X), to_dense(test)
                yield size, position, fit_pipeline(
                    self._seed_classifier(result, position), parts.train._replace(X=train_X), test,
                    len(self.classes), impute=self.missing,
                )  # fmt: skip

    def _seed_classifier(self, result: UnitResult, position: int) -> EstimatorLike:
        seed = derive_seed(self.seed, CLASSIFICATION, result.selector, result.resample, position)
        return clone_with_seed(self.classifiers[position], seed)


def restrict_selector(selector: Selector, features: IndexArray | None, n_features: int) -> Selector:
    """Return a selector whose parameters refer to the offered features only."""
    if features is None:
        return selector
    return selector.with_feature_indices(OfferedFeatures(n_features, offered=features))


def _renumber_features(
    preference: ResamplePreference, features: IndexArray, n_features: int, seed: int
) -> ResamplePreference:
    """Number features as in the whole data, for a selector that was offered some of them."""
    if isinstance(preference, ResampleSubset):
        return preference._replace(features=features[preference.features])
    if isinstance(preference, SelectedGroups):
        members = tuple(features[group] for group in preference.members)
        return SelectedGroups(members, features[preference.representatives], preference.scores)
    ranks = _rank_all_features(preference.ranks, features, n_features, seed)
    return ResampleRanking(None, ranks, preference.n_found)


def _rank_all_features(
    ranks: AnyArray, features: IndexArray, n_features: int, seed: int
) -> NDArray[np.int32]:
    """Rank all features: those that were not offered come last, in random order."""
    row = np.zeros(n_features, dtype=np.int32)
    row[features] = ranks
    absent = np.flatnonzero(row == 0)
    rng = np.random.default_rng(seed)
    row[absent] = len(features) + 1 + rng.permutation(len(absent))
    return row


def best_features(ranks: AnyArray, count: int) -> IndexArray:
    """Return the indices of the best features, best first."""
    if 0 < count < len(ranks):  # partitioning is linear in the number of features
        features = np.argpartition(ranks, count - 1)[:count]
        return features[np.argsort(ranks[features])]
    return np.argsort(ranks)[:count]
