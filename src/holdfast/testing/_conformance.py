"""Conformance tests that every selector must pass, as classes of tests to inherit."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from holdfast._typing import (
    EstimatorLike,
    FloatArray,
    IntArray,
    LabelsLike,
    MatrixLike,
    RowLists,
    SelectorLike,
)
from holdfast.errors import HoldfastError
from holdfast.preferences import Rankings, Subsets, Weights

Data: TypeAlias = tuple[FloatArray, IntArray]
Preferences: TypeAlias = Any
"""`Weights`, `Rankings`, `Subsets` or `Groups`, by the kind of selector."""


class SelectorContract:
    """Tests for all kinds of selectors; children extract and compare preferences."""

    #: Number of public scikit-learn checks that must have run; a skip tag would hide them.
    least_checks = 40

    #: Whether the selector is random: each resample is then seeded by its position.
    seeded_by_position = False

    def make(self) -> SelectorLike:
        """Return a new, unfitted selector."""
        raise NotImplementedError("return your selector from make()")

    @abstractmethod
    def example(self, classes: int = 2) -> Data:
        """Return 60 samples of data with informative features."""

    @abstractmethod
    def preferences_of_fit(self, fitted: EstimatorLike) -> Preferences:
        """Return the preferences of a fitted selector, as one result."""

    @abstractmethod
    def preferences_on_resamples(self, data: Data, rows: RowLists, first: int = 0) -> Preferences:
        """Return the preferences of a new selector on resamples."""

    def assert_equal(self, actual: Preferences, expected: Preferences) -> None:
        """Compare preferences."""
        assert actual == expected

    def test_scikit_learn_contract(self) -> None:
        """The public checks of scikit-learn pass, and were not skipped."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkipTestWarning)
            warnings.filterwarnings("ignore", "No features were selected")  # some data are noise
            outcome = check_estimator(self.make(), on_fail=None)
        failed = [check["check_name"] for check in outcome if check["status"] == "failed"]
        passed = [check for check in outcome if check["status"] == "passed"]
        assert not failed, failed
        assert len(passed) >= self.least_checks, len(passed)

    def test_parameters_are_stored_untouched(self) -> None:
        """A clone has the same parameters, and fitting does not change them."""
        selector = self.make()
        before = repr(selector.get_params())
        selector.fit(*self.example())
        assert repr(clone(selector).get_params()) == before

    def test_hopeless_data_are_refused(self) -> None:
        """If classes are needed, a single class, or a class of one sample, is refused."""
        X, _ = self.example()
        if get_tags(self.make()).target_tags.required:
            assert_refused(self.make(), X, np.zeros(60, dtype=int), "one class")
            assert_refused(self.make(), X, np.arange(60) == 3, "single sample")

    def test_resamples_equal_single_fits(self) -> None:
        """A resample gives the same result as a fit to its rows, with repeated rows, too.

        Selectors that draw samples get the row numbers as subjects, so that copies are known.
        """
        for classes in (2, 3):
            X, y = self.example(classes)
            for indices in example_rows():
                copies = {"groups": indices} if self.make().supports_subjects else {}
                fitted = self.make().fit(X[indices], y[indices], **copies)
                self.assert_equal(
                    self.preferences_on_resamples((X, y), [indices]),
                    self.preferences_of_fit(fitted),
                )

    def test_many_resamples_equal_single_ones(self) -> None:
        """One call for many resamples equals one call per resample, seeded by position."""
        data, rows = self.example(3), example_rows()
        whole = self.preferences_on_resamples(data, rows)
        assert whole == self.preferences_on_resamples(data, rows)
        for position, indices in enumerate(rows):
            first = position if self.seeded_by_position else 0
            self.assert_equal(
                whole[position : position + 1],
                self.preferences_on_resamples(data, [indices], first),
            )

    def test_fitting_twice_gives_the_same(self) -> None:
        """The seed is a parameter, so a second fit repeats the first."""
        first, second = (self.make().fit(*self.example(3)) for _ in range(2))
        assert self.preferences_of_fit(first) == self.preferences_of_fit(second)
        assert np.array_equal(first.support_, second.support_)


def make_separated_classes(classes: int) -> Data:
    """Return 60 samples of 8 features, the first two of which separate the classes."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % classes
    X = rng.normal(size=(60, 8))
    X[:, 0] += 2.0 * y
    X[:, 1] -= 1.5 * y
    return X, y


def example_rows() -> list[IntArray]:
    """Return resamples of 60 samples: four with repeated rows, and all rows."""
    rng = np.random.default_rng(1)
    return [*(rng.integers(0, 60, 50) for _ in range(4)), np.arange(60)]


def assert_refused(selector: SelectorLike, X: MatrixLike, y: LabelsLike, words: str = "") -> None:
    """Fail unless fitting raises an error that contains these words."""
    try:
        selector.fit(X, y)
    except (ValueError, HoldfastError) as error:
        assert words in str(error), error  # noqa: PT017  (no test framework is needed here)
        return
    raise AssertionError(f"{selector!r} accepted what it should refuse")


class SelectorConformance(SelectorContract):
    """Tests for selectors that rank or score features.

    Inherit from this class, name the child ``Test...``, and return a selector from `make`. The
    selector is a :class:`holdfast.select.Ranker` or :class:`holdfast.select.Scorer`; for selectors
    of groups see :class:`GroupSelectorConformance`, for those of subsets
    :class:`SubsetSelectorConformance`.

    Examples
    --------
    >>> from holdfast.testing import SelectorConformance
    >>> import holdfast as hf
    >>> class TestMine(SelectorConformance):
    ...     def make(self):
    ...         return hf.TScore()
    >>> TestMine().test_ranks_and_support_fit_together()
    """

    def example(self, classes: int = 2) -> Data:
        """Return 60 samples of 8 features, the first two of which separate the classes."""
        return make_separated_classes(classes)

    def preferences_of_fit(self, fitted: EstimatorLike) -> Preferences:
        """Return the scores of a fitted selector, or its ranks if it has no scores."""
        scores = getattr(fitted, "scores_", None)
        return Rankings([fitted.ranking_]) if scores is None else Weights([scores])

    def preferences_on_resamples(self, data: Data, rows: RowLists, first: int = 0) -> Preferences:
        """Return the scores on resamples, or the ranks if there are no scores."""
        selector = self.make()
        run = getattr(selector, "score_resamples", selector.rank_resamples)
        return run(*data, rows, first=first)

    def assert_equal(self, actual: Preferences, expected: Preferences) -> None:
        """Compare ranks exactly, scores to 1e-10."""
        assert np.isfinite(actual.values).all()
        if isinstance(actual, Rankings):
            assert np.array_equal(actual.values, expected.values)
        else:
            assert np.allclose(actual.values, expected.values, rtol=1e-10, atol=1e-10)

    def test_ranks_and_support_fit_together(self) -> None:
        """Ranks are 1 to p; the best are selected; scores, if any, fall with the rank."""
        X, y = self.example()
        fitted = self.make().set_params(n_features_to_select=3).fit(X, y)
        assert sorted(fitted.ranking_) == list(range(1, 9))
        assert fitted.get_support().tolist() == (fitted.ranking_ <= 3).tolist()
        assert fitted.transform(X).shape == (60, 3)
        scores = getattr(fitted, "scores_", None)
        if scores is not None:
            assert np.isfinite(scores).all()
            assert (np.diff(scores[np.argsort(fitted.ranking_)]) <= 0).all()

    def test_number_of_features(self) -> None:
        """A count or a fraction is accepted; anything else is refused."""
        X, y = self.example()
        for given, count in ((1, 1), (8, 8), (0.25, 2), (1.0, 8)):
            selector = self.make().set_params(n_features_to_select=given)
            assert selector.fit(X, y).get_support().sum() == count
        for wrong in (0, 9, -1, 1.5, "many"):
            assert_refused(self.make().set_params(n_features_to_select=wrong), X, y)

    def test_fitting_twice_gives_the_same(self) -> None:
        """The seed is a parameter, so a second fit repeats the first, ties included."""
        super().test_fitting_twice_gives_the_same()
        first, second = (self.make().fit(*self.example(3)) for _ in range(2))
        assert np.array_equal(first.ranking_, second.ranking_)


class SubsetSelectorConformance(SelectorContract):
    """Tests for selectors that choose a subset.

    Inherit from this class, name the child ``Test...``, and return a selector from `make`. The
    selector is a :class:`holdfast.select.SubsetSelector`.

    Examples
    --------
    >>> from holdfast.testing import SubsetSelectorConformance
    >>> import holdfast as hf
    >>> class TestMine(SubsetSelectorConformance):
    ...     def make(self):
    ...         return hf.ForwardSelection(cv=3)
    >>> TestMine().test_number_of_features()
    """

    #: Whether n_features_to_select is the most features, of which a sparse model may keep fewer;
    #: ranges of sizes are then not tested.
    keeps_at_most = False

    def example(self, classes: int = 2) -> Data:
        """Return 60 samples of 8 features, the first two of which separate the classes."""
        return make_separated_classes(classes)

    def preferences_of_fit(self, fitted: EstimatorLike) -> Preferences:
        """Return the subset of a fitted selector."""
        return Subsets([fitted.support_])

    def preferences_on_resamples(self, data: Data, rows: RowLists, first: int = 0) -> Preferences:
        """Return the subsets on resamples."""
        return self.make().select_resamples(*data, rows, first=first)

    def test_support_tells_what_is_selected(self) -> None:
        """The support is a mask of the features, and `transform` returns their columns."""
        X, y = self.example()
        fitted = self.make().fit(X, y)
        support = fitted.get_support()
        assert support.dtype == bool
        assert support.shape == (8,)
        assert np.array_equal(support, fitted.support_)
        assert np.array_equal(fitted.transform(X), X[:, support])

    def test_number_of_features(self) -> None:
        """None, a count, a fraction or a range is accepted; anything else is refused."""
        X, y = self.example()
        allowed = {None: (1, 8), 1: (1, 1), 8: (8, 8), 0.25: (2, 2), (2, 4): (2, 4)}
        if self.keeps_at_most:
            allowed = {None: (1, 8), 1: (1, 1), 8: (1, 8), 0.25: (1, 2)}
        for given, (low, high) in allowed.items():
            selector = self.make().set_params(n_features_to_select=given)
            assert low <= selector.fit(X, y).get_support().sum() <= high
        for wrong in (0, 9, -1, 1.5, "many", (4, 2), (0, 2), (2, 9), (2,)):
            assert_refused(self.make().set_params(n_features_to_select=wrong), X, y)

    def test_it_chooses_the_size_itself(self) -> None:
        """A study uses the subset as it is, whatever its sizes are."""
        assert self.make().selects_own_size
        assert self.make().with_size(3).selects_own_size


class GroupSelectorConformance(SelectorContract):
    """Tests for selectors that find groups.

    Inherit from this class, name the child ``Test...``, and return a selector from `make`. The
    selector is a :class:`holdfast.select.GroupSelector`.

    Examples
    --------
    >>> from holdfast.testing import GroupSelectorConformance
    >>> import holdfast as hf
    >>> class TestMine(GroupSelectorConformance):
    ...     def make(self):
    ...         return hf.KMeansGroups(n_clusters=4)
    >>> TestMine().test_groups_and_scores_fit_together()
    """

    def example(self, classes: int = 2) -> Data:
        """Return 60 samples of 12 features: three blocks of three, and three single ones.

        The first block separates the classes.
        """
        rng = np.random.default_rng(0)
        y = np.arange(60) % classes
        sources = rng.normal(size=(60, 3))
        sources[:, 0] += 2.0 * y
        blocks = np.repeat(sources, 3, axis=1) + 0.2 * rng.normal(size=(60, 9))
        return np.hstack([blocks, rng.normal(size=(60, 3))]), y

    def preferences_of_fit(self, fitted: EstimatorLike) -> Preferences:
        """Return the groups of a fitted selector."""
        return fitted.groups_

    def preferences_on_resamples(self, data: Data, rows: RowLists, first: int = 0) -> Preferences:
        """Return the groups on resamples."""
        return self.make().group_resamples(*data, rows, first=first)

    def test_groups_and_scores_fit_together(self) -> None:
        """Groups are sets of features with a representative each, the best first."""
        fitted = self.make().fit(*self.example())
        groups, central = fitted.groups_[0], fitted.representatives_
        assert len(fitted.groups_) == 1
        assert 1 <= len(groups) == len(central) == len(fitted.group_scores_)
        assert np.isfinite(fitted.group_scores_).all()
        assert (np.diff(fitted.group_scores_) <= 0).all()
        assert np.array_equal(fitted.groups_.representatives[0], central)
        for group, representative in zip(groups, central, strict=True):
            assert representative in group
            assert (np.diff(group) > 0).all()

    def test_number_of_groups(self) -> None:
        """A count selects the best groups; a larger count than there are groups, or None, all."""
        X, y = self.example()
        all_groups = self.make().set_params(n_groups=None).fit(X, y).groups_[0]
        for count in range(1, len(all_groups) + 2):
            best = self.make().set_params(n_groups=count).fit(X, y).groups_[0]
            assert _groups_to_lists(best) == _groups_to_lists(all_groups[:count])
        for wrong in (0, -1, 1.5, True, "many"):
            assert_refused(self.make().set_params(n_groups=wrong), X, y, "n_groups")

    def test_representatives_or_members_are_given(self) -> None:
        """The selected columns are the representatives or all members, as `output` is set."""
        X, y = self.example()
        for output in ("representatives", "members"):
            fitted = self.make().set_params(output=output, n_groups=2).fit(X, y)
            members = np.concatenate(fitted.groups_[0])
            selected = np.unique(fitted.representatives_ if output != "members" else members)
            assert np.flatnonzero(fitted.get_support()).tolist() == selected.tolist()
            assert np.array_equal(fitted.transform(X), X[:, selected])
        assert_refused(self.make().set_params(output="centers"), X, y, "centres")

    def test_centres_are_given(self) -> None:
        """A centre is the mean of the members, standardised by the data of the fit."""
        X, y = self.example()
        fitted = self.make().set_params(output="centres").fit(X[:40], y[:40])
        scaled = (X - X[:40].mean(axis=0)) / X[:40].std(axis=0)
        expected = [scaled[:, group].mean(axis=1) for group in fitted.groups_[0]]
        assert np.allclose(fitted.transform(X), np.transpose(expected))
        assert len(fitted.get_feature_names_out()) == len(expected)

    def test_constant_features_are_in_no_group(self) -> None:
        """Constant features belong to no group."""
        X, y = self.example()
        X[:, [1, 9]] = 0.1
        members = np.concatenate(self.make().set_params(n_groups=None).fit(X, y).groups_[0])
        assert not np.isin([1, 9], members).any()


def _groups_to_lists(groups: LabelsLike) -> list[list[int]]:
    return [group.tolist() for group in groups]
