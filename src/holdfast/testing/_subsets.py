"""What holdfast expects of a selector that chooses a subset, as a class of tests to inherit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.preferences import Subsets
from holdfast.testing._contract import Contract, classes_apart, refuses

if TYPE_CHECKING:
    from holdfast.testing._contract import Data


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
