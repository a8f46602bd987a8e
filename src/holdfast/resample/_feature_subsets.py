"""Feature subsets: all samples, a random part of the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast._checks import between, whole
from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.preferences._ties import count_of, generators
from holdfast.resample._base import NO_ROWS, Protocol, Resample
from holdfast.resample._record import protocol
from holdfast.resample._words import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.resample._units import Units


@protocol(
    name="feature_subsets",
    title="Random parts of the features",
    estimates="how much the selection depends on which other features are offered",
    tested="never",
    references=("saeys2008",),
)
@dataclass(frozen=True)
class FeatureSubsets(Protocol):
    """All samples, but only a random part of the features is offered to the selector.

    Nothing is left out for testing. ``FeatureSubsets(20)`` begins with the resamples of
    ``FeatureSubsets(10)``.

    Parameters
    ----------
    n_resamples : int, default 100
        How many parts are drawn.
    fraction : float, default 0.8
        Which fraction of the features is offered; rounded to the nearest count, at least 1, and
        refused where that would be all of them.

    References
    ----------
    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> from holdfast.resample import FeatureSubsets
    >>> resample = FeatureSubsets(1).draw(["a", "a", "b", "b"], n_features=10)[0]
    >>> resample.train.tolist(), resample.features.tolist()
    ([0, 1, 2, 3], [0, 1, 3, 4, 5, 7, 8, 9])
    """

    grows_by = "n_resamples"
    n_resamples: int = 100
    fraction: float = 0.8

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_resamples", whole(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "fraction", between(self.fraction, "fraction", 1.0))

    def _described(self, unit: str) -> str:  # noqa: ARG002
        return (
            f"{plural(self.n_resamples, 'random part')} of {percent(self.fraction)} of the features"
        )

    def _estimated(self, unit: str) -> str:
        return (
            "How much the selection depends on which features are offered, the samples being the "
            f"same ({self._described(unit)}); a feature that one part offers is offered by another "
            f"with probability {self.fraction:g}, so even a perfect selector stays below 1, and "
            "it says nothing about other samples."
        )

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        if n_features is None:
            raise InvalidInputError("feature_subsets needs n_features; received None.")
        count = self._count(n_features)
        rows = np.arange(len(units.y))
        for generator in generators(random_state, self.n_resamples):
            features = np.sort(generator.permutation(n_features)[:count])
            yield Resample(rows, NO_ROWS, features=features)

    def _count(self, n_features: int) -> int:
        count = count_of(self.fraction, n_features, "fraction")
        if count == n_features:
            raise InvalidInputError(
                f"fraction must leave out at least one feature; {percent(self.fraction)} of "
                f"{plural(n_features, 'feature')}, rounded, are all of them. Choose a smaller "
                "fraction, or another protocol where there is one feature only."
            )
        return count
