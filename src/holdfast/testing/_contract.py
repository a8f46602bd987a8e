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

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

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
