"""Added noise: all samples, each value a little off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast._checks import between, whole
from holdfast._text import plural
from holdfast.resample._base import NO_ROWS, Protocol, Resample
from holdfast.resample._record import protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.resample._units import Units


@protocol(
    name="added_noise",
    title="Added noise",
    estimates="how much the selection changes with errors of measurement",
    tested="never",
    references=("saeys2008",),
)
@dataclass(frozen=True)
class AddedNoise(Protocol):
    """All samples, with Gaussian noise added to every value.

    Nothing is left out for testing. A study draws the noise, seeded by the number of the resample.

    Parameters
    ----------
    n_resamples : int, default 100
        How often noise is drawn.
    level : float, default 0.1
        Standard deviation of the noise, in standard deviations of each feature.

    References
    ----------
    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> from holdfast.resample import AddedNoise
    >>> [resample.noise for resample in AddedNoise(3, level=0.2).draw(["a", "a", "b", "b"])]
    [0.2, 0.2, 0.2]
    """

    grows_by = "n_resamples"
    n_resamples: int = 100
    level: float = 0.1

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_resamples", whole(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "level", between(self.level, "level", np.inf))

    def _described(self, unit: str) -> str:  # noqa: ARG002
        copies = plural(self.n_resamples, "noisy version")
        return f"{copies} of the data, noise of {self.level:g} standard deviations"

    def _estimated(self, unit: str) -> str:
        return (
            f"How much the selection changes when every value is off by random errors of "
            f"{self.level:g} standard deviations of its feature, the samples being the same "
            f"({self._described(unit)}); it says nothing about other samples."
        )

    def _draw(
        self,
        units: Units,
        random_state: int,  # noqa: ARG002
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        rows = np.arange(len(units.y))
        for _ in range(self.n_resamples):
            yield Resample(rows, NO_ROWS, noise=self.level)
