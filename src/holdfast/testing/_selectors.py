"""What holdfast expects of a selector that ranks features, as a class of tests to inherit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.preferences import Rankings, Weights
from holdfast.testing._contract import Contract, classes_apart, refuses

if TYPE_CHECKING:
    from holdfast.testing._contract import Data


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
