"""What holdfast expects of every selector, whatever form its preference has."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from holdfast.errors import HoldfastError
from holdfast.preferences import Rankings, Subsets, Weights

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from holdfast.preferences import Groups

    Data: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]


class Contract:
    """Tests for selectors of all kinds; children say what a kind prefers, and how to compare."""

    #: Number of public scikit-learn checks that must have run; a skip tag would hide them.
    least_checks = 40

    #: Whether chance has a say: each resample then has a seed of its own, by its position.
    seeded_by_position = False

    def make(self) -> Any:  # noqa: ANN401  (each kind has methods of its own)
        """Return a new, unfitted selector."""
        raise NotImplementedError("return your selector from make()")

    @abstractmethod
    def example(self, classes: int = 2) -> Data:
        """Return 60 samples of data in which there is something to find."""

    @abstractmethod
    def of_fit(self, fitted: Any) -> Any:  # noqa: ANN401
        """Return what a fitted selector prefers, as preferences of one result."""

    @abstractmethod
    def of_resamples(self, data: Data, rows: Any, first: int = 0) -> Any:  # noqa: ANN401
        """Return what a new selector prefers on resamples, as preferences."""

    def assert_alike(self, one: Any, other: Any) -> None:  # noqa: ANN401
        """Compare preferences."""
        assert one == other

    def test_scikit_learn_contract(self) -> None:
        """The public check battery passes, and really ran."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkipTestWarning)
            warnings.filterwarnings("ignore", "No features were selected")  # as on mere noise
            outcome = check_estimator(self.make(), on_fail=None)
        failed = [check["check_name"] for check in outcome if check["status"] == "failed"]
        passed = [check for check in outcome if check["status"] == "passed"]
        assert not failed, failed
        assert len(passed) >= self.least_checks, len(passed)

    def test_parameters_are_stored_untouched(self) -> None:
        """A clone has the same parameters, and fitting leaves them alone."""
        selector = self.make()
        before = repr(selector.get_params())
        selector.fit(*self.example())
        assert repr(clone(selector).get_params()) == before

    def test_hopeless_data_are_refused(self) -> None:
        """Where classes are needed, one class, or one sample of a class, is refused."""
        X, _ = self.example()
        if get_tags(self.make()).target_tags.required:
            refuses(self.make(), X, np.zeros(60, dtype=int), "one class")
            refuses(self.make(), X, np.arange(60) == 3, "single sample")

    def test_resamples_equal_single_fits(self) -> None:
        """A resample gives what a fit to its rows gives, repeated rows included.

        Selectors that draw samples are told which rows are copies of one.
        """
        for classes in (2, 3):
            X, y = self.example(classes)
            for own in example_rows():
                copies = {"groups": own} if self.make().takes_subjects else {}
                fitted = self.make().fit(X[own], y[own], **copies)
                self.assert_alike(self.of_resamples((X, y), [own]), self.of_fit(fitted))

    def test_many_resamples_equal_single_ones(self) -> None:
        """Resamples of one call give what calls for each give, seeds going by the position."""
        data, rows = self.example(3), example_rows()
        found = self.of_resamples(data, rows)
        assert found == self.of_resamples(data, rows)
        for position, own in enumerate(rows):
            seed = position if self.seeded_by_position else 0
            self.assert_alike(found[position : position + 1], self.of_resamples(data, [own], seed))

    def test_fitting_twice_gives_the_same(self) -> None:
        """The seed is a parameter, so a second fit repeats the first."""
        first, second = (self.make().fit(*self.example(3)) for _ in range(2))
        assert self.of_fit(first) == self.of_fit(second)
        assert np.array_equal(first.support_, second.support_)


def classes_apart(classes: int) -> Data:
    """Return 60 samples of 8 features, of which the first two tell the classes apart."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % classes
    X = rng.normal(size=(60, 8))
    X[:, 0] += 2.0 * y
    X[:, 1] -= 1.5 * y
    return X, y


def example_rows() -> list[NDArray[np.int64]]:
    """Return resamples of 60 samples: four with repeated rows, and all rows."""
    rng = np.random.default_rng(1)
    return [*(rng.integers(0, 60, 50) for _ in range(4)), np.arange(60)]


def refuses(selector: Any, X: Any, y: Any, words: str = "") -> None:  # noqa: ANN401
    """Fail unless a selector refuses the data, or a parameter, with these words."""
    try:
        selector.fit(X, y)
    except (ValueError, HoldfastError) as error:
        assert words in str(error), error  # noqa: PT017  (no test framework is needed here)
        return
    raise AssertionError(f"{selector!r} took what it should refuse")


# What holdfast expects of a selector that ranks features, as a class of tests to inherit.


class SelectorConformance(Contract):
    """Inherit from this class, name the child ``Test...``, and return a selector from `make`.

    The selector is a :class:`holdfast.select.Ranker` or :class:`holdfast.select.Scorer`; for
    those that find groups see :class:`GroupSelectorConformance`, for those that choose a subset
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
        """Return 60 samples of 8 features, of which the first two tell the classes apart."""
        return classes_apart(classes)

    def of_fit(self, fitted: Any) -> Rankings | Weights:  # noqa: ANN401
        """Return the scores of a fitted selector, or the ranks where there are no scores."""
        scores = getattr(fitted, "scores_", None)
        return Rankings([fitted.ranking_]) if scores is None else Weights([scores])

    def of_resamples(self, data: Data, rows: Any, first: int = 0) -> Rankings | Weights:  # noqa: ANN401
        """Return scores on resamples, or the ranks where there are no scores."""
        selector = self.make()
        found = getattr(selector, "score_resamples", selector.rank_resamples)
        preferred: Rankings | Weights = found(*data, rows, first=first)
        return preferred

    def assert_alike(self, one: Any, other: Any) -> None:  # noqa: ANN401
        """Compare ranks exactly, scores to 1e-10."""
        assert np.isfinite(one.values).all()
        exact = isinstance(one, Rankings)
        close = np.array_equal if exact else lambda a, b: np.allclose(a, b, rtol=1e-10, atol=1e-10)
        assert close(one.values, other.values)

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
        """A count, a fraction or None; nothing else."""
        X, y = self.example()
        for given, count in ((1, 1), (8, 8), (0.25, 2), (1.0, 8)):
            selector = self.make().set_params(n_features_to_select=given)
            assert selector.fit(X, y).get_support().sum() == count
        for wrong in (0, 9, -1, 1.5, "many"):
            refuses(self.make().set_params(n_features_to_select=wrong), X, y)

    def test_fitting_twice_gives_the_same(self) -> None:
        """The seed is a parameter, so a second fit repeats the first, ties included."""
        super().test_fitting_twice_gives_the_same()
        first, second = (self.make().fit(*self.example(3)) for _ in range(2))
        assert np.array_equal(first.ranking_, second.ranking_)


# What holdfast expects of a selector that chooses a subset, as a class of tests to inherit.


class SubsetSelectorConformance(Contract):
    """Inherit from this class, name the child ``Test...``, and return a selector from `make`.

    The selector is a :class:`holdfast.select.SubsetSelector`.

    Examples
    --------
    >>> from holdfast.testing import SubsetSelectorConformance
    >>> import holdfast as hf
    >>> class TestMine(SubsetSelectorConformance):
    ...     def make(self):
    ...         return hf.ForwardSelection(cv=3)
    >>> TestMine().test_number_of_features()
    """

    def example(self, classes: int = 2) -> Data:
        """Return 60 samples of 8 features, of which the first two tell the classes apart."""
        return classes_apart(classes)

    def of_fit(self, fitted: Any) -> Subsets:  # noqa: ANN401
        """Return the subset that a selector was fitted to."""
        return Subsets([fitted.support_])

    def of_resamples(self, data: Data, rows: Any, first: int = 0) -> Subsets:  # noqa: ANN401
        """Return the subsets that are chosen on resamples."""
        chosen: Subsets = self.make().select_resamples(*data, rows, first=first)
        return chosen

    def test_support_tells_what_is_selected(self) -> None:
        """The support is a mask of the features, and their columns are what comes out."""
        X, y = self.example()
        fitted = self.make().fit(X, y)
        support = fitted.get_support()
        assert support.dtype == bool
        assert support.shape == (8,)
        assert np.array_equal(support, fitted.support_)
        assert np.array_equal(fitted.transform(X), X[:, support])

    def test_number_of_features(self) -> None:
        """The selector's own choice, a count, a fraction or a range; nothing else."""
        X, y = self.example()
        allowed = {None: (1, 8), 1: (1, 1), 8: (8, 8), 0.25: (2, 2), (2, 4): (2, 4)}
        for given, (low, high) in allowed.items():
            selector = self.make().set_params(n_features_to_select=given)
            assert low <= selector.fit(X, y).get_support().sum() <= high
        for wrong in (0, 9, -1, 1.5, "many", (4, 2), (0, 2), (2, 9), (2,)):
            refuses(self.make().set_params(n_features_to_select=wrong), X, y)

    def test_it_chooses_the_size_itself(self) -> None:
        """A study takes the subset as it is, whatever sizes it asks of others."""
        assert self.make().chooses_size
        assert self.make().sized(3).chooses_size


# What holdfast expects of a selector that finds groups, as a class of tests to inherit.


class GroupSelectorConformance(Contract):
    """Inherit from this class, name the child ``Test...``, and return a selector from `make`.

    The selector is a :class:`holdfast.select.Grouper`.

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

        The first block tells the classes apart.
        """
        rng = np.random.default_rng(0)
        y = np.arange(60) % classes
        sources = rng.normal(size=(60, 3))
        sources[:, 0] += 2.0 * y
        blocks = np.repeat(sources, 3, axis=1) + 0.2 * rng.normal(size=(60, 9))
        return np.hstack([blocks, rng.normal(size=(60, 3))]), y

    def of_fit(self, fitted: Any) -> Groups:  # noqa: ANN401
        """Return the groups that a selector was fitted to."""
        groups: Groups = fitted.groups_
        return groups

    def of_resamples(self, data: Data, rows: Any, first: int = 0) -> Groups:  # noqa: ANN401
        """Return the groups that are found on resamples."""
        groups: Groups = self.make().group_resamples(*data, rows, first=first)
        return groups

    def test_groups_and_scores_fit_together(self) -> None:
        """Groups are sets of features with a representative each, the best first."""
        fitted = self.make().fit(*self.example())
        groups, chosen = fitted.groups_[0], fitted.representatives_
        assert len(fitted.groups_) == 1
        assert 1 <= len(groups) == len(chosen) == len(fitted.group_scores_)
        assert np.isfinite(fitted.group_scores_).all()
        assert (np.diff(fitted.group_scores_) <= 0).all()
        assert np.array_equal(fitted.groups_.representatives[0], chosen)
        for group, representative in zip(groups, chosen, strict=True):
            assert representative in group
            assert (np.diff(group) > 0).all()

    def test_number_of_groups(self) -> None:
        """A count of groups keeps the best; more than there are, or None, keeps all."""
        X, y = self.example()
        everyone = self.make().set_params(n_groups=None).fit(X, y).groups_[0]
        for given in range(1, len(everyone) + 2):
            kept = self.make().set_params(n_groups=given).fit(X, y).groups_[0]
            assert _groups_to_lists(kept) == _groups_to_lists(everyone[:given])
        for wrong in (0, -1, 1.5, True, "many"):
            refuses(self.make().set_params(n_groups=wrong), X, y, "n_groups")

    def test_representatives_or_members_are_given(self) -> None:
        """What is selected is what `output` says, in the columns of the data."""
        X, y = self.example()
        for output in ("representatives", "members"):
            fitted = self.make().set_params(output=output, n_groups=2).fit(X, y)
            members = np.concatenate(fitted.groups_[0])
            chosen = fitted.representatives_ if output == "representatives" else members
            assert np.flatnonzero(fitted.get_support()).tolist() == np.unique(chosen).tolist()
            assert np.array_equal(fitted.transform(X), X[:, np.unique(chosen)])
        refuses(self.make().set_params(output="centers"), X, y, "centres")

    def test_centres_are_given(self) -> None:
        """A centre is the mean of the members, standardised by the data of the fit."""
        X, y = self.example()
        fitted = self.make().set_params(output="centres").fit(X[:40], y[:40])
        scaled = (X - X[:40].mean(axis=0)) / X[:40].std(axis=0)
        wanted = [scaled[:, group].mean(axis=1) for group in fitted.groups_[0]]
        assert np.allclose(fitted.transform(X), np.transpose(wanted))
        assert len(fitted.get_feature_names_out()) == len(wanted)

    def test_constant_features_are_in_no_group(self) -> None:
        """A feature that never changes is like no other."""
        X, y = self.example()
        X[:, [1, 9]] = 0.1
        found = np.concatenate(self.make().set_params(n_groups=None).fit(X, y).groups_[0])
        assert not np.isin([1, 9], found).any()


def _groups_to_lists(groups: Any) -> list[list[int]]:  # noqa: ANN401
    return [group.tolist() for group in groups]
