"""Features as parameters of selectors name them: by number, by name, as a mask, in groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._spelling import parse_list
from holdfast._text import did_you_mean, shortened
from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Columns:
    """The features of some data, and those of them that a selector is offered.

    Parameters
    ----------
    n_features : int
        How many features the data have.
    names : sequence of str, optional
        Their names; without them features go by number alone.
    offered : ndarray of int, optional
        The features that a selector sees, in this order; None: all of them.
    """

    def __init__(
        self,
        n_features: int,
        names: Sequence[str] | NDArray[np.object_] | None = None,
        offered: NDArray[np.intp] | None = None,
    ) -> None:
        self.n_features = n_features
        self.numbers = {} if names is None else {name: i for i, name in enumerate(names)}
        self._places = None if offered is None else {int(f): at for at, f in enumerate(offered)}

    def read(self, given: Any, what: str) -> list[int]:  # noqa: ANN401
        """Return the numbers of some features; on the command line these are ``(name,name)``."""
        if given is None:
            return []
        if isinstance(given, str) and given not in self.numbers:
            given = [int(one) if one.isdecimal() else one for one in parse_list(given)]
        if isinstance(given, str) or not isinstance(given, Iterable):
            given = [given]
        if isinstance(given, np.ndarray) and given.dtype == bool:
            given = self._marked(given, what)
        numbers = [self._number(one, what) for one in given]
        if len(set(numbers)) < len(numbers):
            raise InvalidInputError(f"{what} names a feature twice: {shortened(list(given))}.")
        return numbers

    def read_groups(self, given: Any, what: str) -> list[list[int]]:  # noqa: ANN401
        """Return the numbers of groups of features; these are spelled ``((a,b),(c,d))``."""
        given = [] if given is None else given
        groups = parse_list(given) if isinstance(given, str) else list(given)
        if any(isinstance(one, str) and not one.startswith("(") for one in groups):
            raise InvalidInputError(f"{what} must be lists of features; received {given!r}.")
        return [self.read(group, what) for group in groups]

    def among(self, numbers: Iterable[int]) -> list[int]:
        """Return the places of features among those offered; those that are not are left out."""
        if self._places is None:
            return list(numbers)
        return [self._places[one] for one in numbers if one in self._places]

    def called(self, features: Iterable[int]) -> str:
        """Return some features by name, or by number where they have none."""
        names = {number: name for name, number in self.numbers.items()}
        return shortened([names.get(int(one), int(one)) for one in features])

    def _marked(self, mask: NDArray[np.bool_], what: str) -> NDArray[np.intp]:
        if mask.shape != (self.n_features,):
            raise InvalidInputError(
                f"{what} as a mask must have one value a feature, that is {self.n_features:,}; "
                f"received the shape {mask.shape}."
            )
        return np.flatnonzero(mask)

    def _number(self, one: Any, what: str) -> int:  # noqa: ANN401
        if isinstance(one, str):
            if one not in self.numbers:
                near = did_you_mean(one, self.numbers) if self.numbers else " The data have none."
                raise UnknownNameError(f"{what}: no feature is called {one!r}.{near}")
            return self.numbers[one]
        whole = isinstance(one, int | np.integer) and not isinstance(one, bool)
        if not whole or not 0 <= one < self.n_features:
            raise InvalidInputError(
                f"{what} must name features, or number them from 0 to {self.n_features - 1:,}; "
                f"received {one!r}."
            )
        return int(one)


def checked_nominal(nominal: ArrayLike | None, n_features: int) -> NDArray[np.bool_]:
    """Return a mask of the nominal features from indices or a mask."""
    mask = np.zeros(n_features, dtype=bool)
    given = np.asarray([] if nominal is None else nominal)
    if given.size == 0:
        return mask
    if not _is_mask(given, n_features) and not _are_indices(given, n_features):
        raise InvalidInputError(
            f"nominal must hold indices from 0 to {n_features - 1:,}, or be a boolean mask of "
            f"{n_features:,} features; got {nominal!r}."
        )
    mask[given] = True
    return mask


def _is_mask(given: NDArray[Any], n_features: int) -> bool:
    return given.dtype == bool and given.shape == (n_features,)


def _are_indices(given: NDArray[Any], n_features: int) -> bool:
    whole = given.dtype.kind in "iu" and given.ndim == 1
    return whole and bool(given.min() >= 0 and given.max() < n_features)
