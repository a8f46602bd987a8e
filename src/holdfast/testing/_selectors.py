"""What holdfast expects of a selector, as a class of tests to inherit."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.select import Ranker


def example(classes: int = 2, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return 60 samples of 8 features, of which the first two tell the classes apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(60) % classes
    X = rng.normal(size=(60, 8))
    X[:, 0] += 2.0 * y
    X[:, 1] -= 1.5 * y
    return X, y


class SelectorConformance:
    """Inherit from this class, name the child ``Test...``, and return a selector from `make`.

    Examples
    --------
    >>> from holdfast.testing import SelectorConformance
    >>> import holdfast as hf
    >>> class TestMine(SelectorConformance):
    ...     def make(self):
    ...         return hf.TScore()
    >>> TestMine().test_ranks_and_support_fit_together()
    """

    #: Number of public scikit-learn checks that must have run; a skip tag would hide them.
    least_checks = 40

    def make(self) -> Ranker:
        """Return a new, unfitted selector."""
        raise NotImplementedError("return your selector from make()")

    def test_scikit_learn_contract(self) -> None:
        """The public check battery passes, and really ran."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkipTestWarning)
            outcome = check_estimator(self.make(), on_fail=None)
        failed = [check["check_name"] for check in outcome if check["status"] == "failed"]
        passed = [check for check in outcome if check["status"] == "passed"]
        assert not failed, failed
        assert len(passed) >= self.least_checks, len(passed)

    def test_ranks_and_support_fit_together(self) -> None:
        """Ranks are 1 to p; the best are selected; scores, if any, fall with the rank."""
        X, y = example()
        fitted = self.make().set_params(n_features_to_select=3).fit(X, y)
        assert sorted(fitted.ranking_) == list(range(1, 9))
        assert fitted.get_support().tolist() == (fitted.ranking_ <= 3).tolist()
        assert fitted.transform(X).shape == (60, 3)
        scores = getattr(fitted, "scores_", None)
        if scores is not None:
            assert np.isfinite(scores).all()
            assert (np.diff(scores[np.argsort(fitted.ranking_)]) <= 0).all()

    def test_parameters_are_stored_untouched(self) -> None:
        """A clone has the same parameters, and fitting leaves them alone."""
        selector = self.make()
        before = repr(selector.get_params())
        X, y = example()
        selector.fit(X, y)
        assert repr(clone(selector).get_params()) == before

    def test_number_of_features(self) -> None:
        """A count, a fraction or None; nothing else."""
        X, y = example()
        for given, count in ((1, 1), (8, 8), (0.25, 2), (1.0, 8)):
            selector = self.make().set_params(n_features_to_select=given)
            assert selector.fit(X, y).get_support().sum() == count
        for wrong in (0, 9, -1, 1.5, "many"):
            _refuses(self.make().set_params(n_features_to_select=wrong), X, y)

    def test_hopeless_data_are_refused(self) -> None:
        """One class, and a class with one sample, are refused with the reason."""
        X, _ = example()
        _refuses(self.make(), X, np.zeros(60, dtype=int), "one class")
        _refuses(self.make(), X, np.arange(60) == 3, "single sample")

    def test_resamples_equal_single_fits(self) -> None:
        """Many resamples at once give what as many fits give, repeated rows included."""
        for classes in (2, 3):
            X, y = example(classes)
            rng = np.random.default_rng(1)
            rows = [rng.integers(0, 60, 50) for _ in range(4)] + [np.arange(60)]
            self._compare(X, y, rows)

    def _compare(self, X: Any, y: Any, rows: Any) -> None:  # noqa: ANN401
        """Compare scores to 1e-10, or ranks where there are no scores."""
        selector = self.make()
        ranks = selector.rank_resamples(X, y, rows).values
        assert np.array_equal(ranks, selector.rank_resamples(X, y, rows).values)
        if self.seeded_by_position:
            return
        if not hasattr(selector, "score_resamples"):
            for own, row in zip(rows, ranks, strict=True):
                assert clone(selector).fit(X[own], y[own]).ranking_.tolist() == row.tolist()
            return
        scores = selector.score_resamples(X, y, rows).values
        assert np.isfinite(scores).all()
        for own, row in zip(rows, scores, strict=True):
            single = clone(selector).fit(X[own], y[own]).scores_
            assert np.allclose(row, single, rtol=1e-10, atol=1e-10)

    #: Whether scores depend on chance: each resample then has a seed of its own.
    seeded_by_position = False

    def test_fitting_twice_gives_the_same(self) -> None:
        """The seed is a parameter, so a second fit repeats the first."""
        X, y = example(3)
        first, second = self.make().fit(X, y), self.make().fit(X, y)
        assert np.array_equal(first.ranking_, second.ranking_)


def _refuses(selector: Any, X: Any, y: Any, words: str = "") -> None:  # noqa: ANN401
    try:
        selector.fit(X, y)
    except ValueError as error:
        assert words in str(error), error  # noqa: PT017  (no test framework is needed here)
        return
    raise AssertionError(f"{selector!r} took what it should refuse")
