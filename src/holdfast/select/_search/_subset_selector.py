"""Selectors that give a subset and no order, of a size that they choose themselves."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from holdfast._object_spec import parse_call
from holdfast._validation import check_integer
from holdfast.errors import InvalidInputError
from holdfast.preferences import Subsets
from holdfast.preferences._ranks import count_of, generators
from holdfast.select._selector import Judge, Selector, together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.select._selector import Rows


class SubsetSelector(Selector):
    """A selector that gives a subset of the features; children say how.

    ``fit`` validates and asks the hook for the subset. The parameters ``n_features_to_select``
    and ``random_state`` belong to every child; sizes that a study asks for do not apply, since
    the subset of a size need not hold the one of a smaller size.
    """

    n_features_to_select: Any

    @abstractmethod
    def _choose(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        subjects: NDArray[Any] | None,
        generator: np.random.Generator,
    ) -> NDArray[np.bool_]:
        """Return which features are chosen.

        `y` numbers ``classes_``, of which a resample may lack some; `subjects` says which samples
        belong together.
        """

    @property
    def takes_subjects(self) -> bool:
        """Whether it draws samples itself, and then keeps those of one subject together."""
        return True

    @property
    def chooses_size(self) -> bool:
        """Whether the selector decides itself how much it selects."""
        return True

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""
        return False

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:  # noqa: ANN401
        """Choose a subset of the features.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample: a subject is never on both sides of a split.

        Returns
        -------
        self
        """
        self._set_subjects(groups, X)
        data, codes = self._validated(X, y)
        self._learn(data, codes, next(generators(self.random_state, 1)))
        return self

    def _learn(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> None:  # noqa: ANN401
        """Set what a fit leaves behind; children that have more to tell do so here."""
        self.support_ = self._choose(X, y, self._subjects, generator)

    def on(self, X: Any, y: Any, groups: Any = None) -> Judge[Subsets]:  # noqa: ANN401
        """Return this selector on data that are checked once; see `Selector.on`."""
        return Judge(self, X, y, groups)

    def select_resamples(
        self,
        X: Any,  # noqa: ANN401
        y: Any,  # noqa: ANN401
        rows: Rows,
        *,
        first: int = 0,
    ) -> Subsets:
        """Choose a subset on each of many resamples, as that many fits would.

        Parameters
        ----------
        X, y
            The data, as for ``fit``.
        rows : sequence of index arrays
            The rows of each resample; a row may occur several times, and its copies then stay on
            one side of every split.
        first : int, default 0
            Position of the first resample, where these are a part of a longer list: resamples
            are seeded by their positions, so the parts together give what the whole gives.

        Returns
        -------
        Subsets
        """
        return self.on(X, y).judge(rows, first)

    def _judge(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> Subsets:
        chosen = [
            self._choose(X[own], y[own], together(self._subjects, own), generator)
            for own, generator in zip(rows, seeded, strict=True)
        ]
        return Subsets(np.array(chosen), feature_names=self._names())


# How many features a subset may have: the best number, a given one, or one within a range.

NAME = "n_features_to_select"


class Sizes(NamedTuple):
    """The smallest and the largest size that a chosen subset may have."""

    low: int
    high: int

    def allow(self, size: int) -> bool:
        """Tell whether a subset of this size may be chosen."""
        return self.low <= size <= self.high

    @classmethod
    def of(cls, given: Any, least: int, most: int) -> Sizes:  # noqa: ANN401
        """Read what `n_features_to_select` says.

        Parameters
        ----------
        given : None, int, float, (int, int) or str
            Any size; a count or a fraction; a range, on the command line spelled ``(2,8)``.
        least, most : int
            The sizes that are possible at all.
        """
        if given is None:
            return cls(least, most)
        if isinstance(given, str):
            given = _parse_size_range(given)
        if not isinstance(given, tuple | list | np.ndarray):
            counted = isinstance(given, int | np.integer)
            size = check_integer(given, NAME, 1) if counted else count_of(given, most, NAME)
            return cls(size, size)._checked(given, least, most)
        if len(given) != 2:
            raise InvalidInputError(f"{NAME} as a range must be (low, high); received {given!r}.")
        low, high = (check_integer(one, NAME, 1) for one in given)
        return cls(low, high)._checked(given, least, most)

    def _checked(self, given: Any, least: int, most: int) -> Sizes:  # noqa: ANN401
        if least <= self.low <= self.high <= most:
            return self
        raise InvalidInputError(
            f"{NAME} must lie between {least:,} and {most:,} (forced and constant features "
            f"considered), a range with the smaller number first; received {given!r}."
        )


def _parse_size_range(text: str) -> list[Any]:
    """Take ``(low,high)`` apart."""
    if not text.strip().startswith("("):
        raise InvalidInputError(
            f"{NAME} must be a number, a range (low, high), or None; received {text!r}."
        )
    return parse_call(f"range{text.strip()}")[1]
