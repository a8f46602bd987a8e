"""The features that preferences speak about: how many there are, and their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import shortened
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


MOST = 2**53  # numbers up to here are exact as floating-point numbers


@dataclass(frozen=True, slots=True)
class Features:
    """A feature space of `count` features (None: unknown), the first of which have `names`.

    All features have names, or none, or (where selections were given by name together with a
    number of features) just those that were selected at least once.
    """

    count: int | None
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.count is not None and not 1 <= self.count <= MOST:
            raise InvalidInputError(f"n_features must lie between 1 and 2^53, got {self.count}.")
        if self.names is None:
            return
        if len(set(self.names)) < len(self.names):
            doubled = [name for name, times in Counter(self.names).items() if times > 1]
            raise InvalidInputError(
                f"feature names must be unique; given more than once: {shortened(doubled)}."
            )
        if self.count is not None and len(self.names) > self.count:
            raise InvalidInputError(
                f"{len(self.names):,} different feature names, but n_features is {self.count:,}."
            )

    @classmethod
    def of(cls, n_features: int | None, names: Iterable[object] | None) -> Features:
        """Build a feature space from what a user gave: a count, names for all, or both."""
        if names is None:
            return cls(None if n_features is None else _whole(n_features))
        texts = tuple(str(name) for name in names)
        if n_features is not None and n_features != len(texts):
            raise InvalidInputError(
                f"n_features is {n_features:,}, but {len(texts):,} feature names were given."
            )
        return cls(len(texts), texts)

    def with_count(self, count: int, source: str) -> Features:
        """Return the same features with a count learnt from `source`; refuse a contradiction."""
        if self.count is not None and self.count != count:
            raise InvalidInputError(
                f"n_features is {self.count:,}, but {source} has {count:,} features."
            )
        return Features(count, self.names)

    def labels(self, indices: Sequence[int] | NDArray[np.integer]) -> NDArray[np.object_]:
        """Return the names of the features at `indices`, or their numbers where unnamed."""
        names = self.names or ()
        labels = [names[i] if i < len(names) else i for i in map(int, indices)]
        return np.array(labels, dtype=object)

    def all_labels(self) -> tuple[str, ...] | range:
        """Return a label for every feature; the number of features must be known."""
        return self.names if self.names is not None else range(self.count or 0)

    def index_of(self) -> dict[str, int]:
        """Return a dictionary from name to number."""
        return {name: index for index, name in enumerate(self.names or ())}


def _whole(n_features: object) -> int:
    if isinstance(n_features, int | np.integer) and not isinstance(n_features, bool):
        return int(n_features)
    raise InvalidInputError(f"n_features must be a whole number, got {n_features!r}.")
