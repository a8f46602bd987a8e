"""The base class of all preferences: a feature space, a length, slices, equality, a repr."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from holdfast._formatting import format_list, plural
from holdfast._typing import AnyArray, IndexArray
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd


# The feature space: how many features there are, and their names.

MAX_FEATURES = 2**53  # numbers up to here are exact as floating-point numbers


@dataclass(frozen=True, slots=True)
class FeatureSpace:
    """A feature space of `count` features (None: unknown), the first of which have `names`.

    All features have names, or none, or (where selections were given by name together with a
    number of features) just those that were selected at least once.
    """

    count: int | None
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.count is not None and not 1 <= self.count <= MAX_FEATURES:
            raise InvalidInputError(f"n_features must lie between 1 and 2^53, got {self.count}.")
        if self.names is None:
            return
        if len(set(self.names)) < len(self.names):
            repeated = [name for name, times in Counter(self.names).items() if times > 1]
            raise InvalidInputError(
                f"feature names must be unique; given more than once: {format_list(repeated)}."
            )
        if self.count is not None and len(self.names) > self.count:
            raise InvalidInputError(
                f"{len(self.names):,} different feature names, but n_features is {self.count:,}."
            )

    @classmethod
    def from_input(cls, n_features: int | None, names: Iterable[object] | None) -> FeatureSpace:
        """Build a feature space from user input: a count, names of all features, or both."""
        if names is None:
            if n_features is None:
                return cls(None)
            if not isinstance(n_features, int | np.integer) or isinstance(n_features, bool):
                raise InvalidInputError(f"n_features must be a whole number, got {n_features!r}.")
            return cls(int(n_features))
        texts = tuple(str(name) for name in names)
        if n_features is not None and n_features != len(texts):
            raise InvalidInputError(
                f"n_features is {n_features:,}, but {len(texts):,} feature names were given."
            )
        return cls(len(texts), texts)

    def with_count(self, count: int, source: str) -> FeatureSpace:
        """Return the same features with the count of `source`; raise if another count was given."""
        if self.count is not None and self.count != count:
            raise InvalidInputError(
                f"n_features is {self.count:,}, but {source} has {count:,} features."
            )
        return FeatureSpace(count, self.names)

    def labels(self, indices: Sequence[int] | NDArray[np.integer]) -> NDArray[np.object_]:
        """Return the names of the features at `indices`, or their numbers if they have none."""
        names = self.names or ()
        labels = [names[i] if i < len(names) else i for i in map(int, indices)]
        return np.array(labels, dtype=object)

    def all_labels(self) -> tuple[str, ...] | range:
        """Return a label for every feature; the number of features must be known."""
        return self.names if self.names is not None else range(self.count or 0)

    def index_of(self) -> dict[str, int]:
        """Return a dictionary from name to number."""
        return {name: index for index, name in enumerate(self.names or ())}


# The base class of all preferences.

Form = Literal["weights", "ranking", "subset", "groups"]
P = TypeVar("P", bound="Preferences")


class Preferences(ABC):
    """m results of feature selection on the same p features; see the four subclasses."""

    __slots__ = ("_features",)
    _features: FeatureSpace
    form: ClassVar[Form]

    @property
    def n_features(self) -> int | None:
        """Number of features that could have been selected; None if unknown."""
        return self._features.count

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features, in order; None if features are only numbered."""
        return self._features.names

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _get_preference(self, index: int) -> Any:  # noqa: ANN401  (the type depends on the form)
        """Return one preference as plain arrays."""

    @abstractmethod
    def _take(self, indices: IndexArray) -> Self:
        """Return a system of the preferences at `indices`."""

    @classmethod
    @abstractmethod
    def _concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return one system of all preferences of `parts`, whose features agree."""

    @abstractmethod
    def _same_results(self, other: Self) -> bool:
        """Return whether all m preferences are equal."""

    @abstractmethod
    def _summary(self) -> tuple[str, str]:
        """Return a description of the content and the suggested next call, for the repr."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the preferences as a pandas table."""

    @overload
    def __getitem__(self, key: int) -> Any: ...  # noqa: ANN401
    @overload
    def __getitem__(self, key: slice | Sequence[int] | AnyArray) -> Self: ...
    def __getitem__(self, key: int | slice | Sequence[int] | AnyArray) -> Any:
        # indexing the positions accepts whatever NumPy accepts: negatives, masks, lists
        positions = np.arange(len(self))[key if isinstance(key, int | slice) else np.asarray(key)]
        if np.ndim(positions) == 0:
            return self._get_preference(int(positions))
        if len(positions) == 0:
            raise InvalidInputError(
                f"the slice {key!r} of {plural(len(self), 'preference')} is empty."
            )
        return self._take(positions)

    def __iter__(self) -> Iterator[Any]:
        return (self._get_preference(index) for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return (
            self._features == other._features
            and len(self) == len(other)
            and self._same_results(other)
        )

    __hash__ = None  # type: ignore[assignment]  # equality compares arrays

    def __repr__(self) -> str:
        content, next_call = self._summary()
        return f"<{type(self).__name__}: {content}. Next: {next_call}>"


def concat(parts: Sequence[P]) -> P:
    """Concatenate several systems of preferences of one form.

    Parameters
    ----------
    parts : sequence of preferences
        All of one class, on the same features (number and names).

    Returns
    -------
    preferences
        One system with all preferences, in order.

    Examples
    --------
    >>> import holdfast as hf
    >>> a = hf.Subsets([[0, 1], [0, 2]], n_features=5)
    >>> len(hf.concat([a, a, a]))
    6
    """
    if not parts:
        raise InvalidInputError("concat needs at least one system of preferences, got none.")
    first = parts[0]
    for position, part in enumerate(parts):
        if type(part) is not type(first):
            raise InvalidInputError(
                f"concat takes preferences of one form; part 0 is {type(first).__name__}, "
                f"part {position} is {type(part).__name__}."
            )
        if part._features != first._features:
            raise InvalidInputError(
                f"part {position} has other features than part 0 (number or names differ); "
                "build all parts with the same n_features and feature_names."
            )
    return first._concatenate(parts)


def freeze(array: AnyArray) -> AnyArray:
    """Make an array read-only and return it."""
    array.flags.writeable = False
    return array
