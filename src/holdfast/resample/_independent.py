"""Independent samples: every resample is a new data set from a generator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast._checks import whole
from holdfast._text import plural
from holdfast.resample._base import Resample, Standalone
from holdfast.resample._record import protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.resample._units import Units


@protocol(
    name="independent_samples",
    title="Independent data sets from a generator",
    estimates="how well the selections of independent studies agree",
    tested="once",
    references=("dernoncourt2014",),
)
@dataclass(frozen=True)
class IndependentSamples(Standalone):
    """New data sets, drawn from a generator; only simulated data have one.

    Each resample is a data set for training and another one of the same size for testing, both of
    them used once. Nothing is shared between resamples. Its rows are not rows of the data, so it
    is no part of `Nested`.

    Parameters
    ----------
    n_resamples : int, default 100
        How many data sets are drawn.

    References
    ----------
    D. Dernoncourt, B. Hanczar, J.-D. Zucker (2014). Analysis of feature selection stability on
    high dimension and small sample data. Computational Statistics & Data Analysis 71, 681-693.

    Examples
    --------
    >>> from holdfast.resample import IndependentSamples
    >>> [resample.draw for resample in IndependentSamples(3).draw(["a", "a", "b", "b"])]
    [0, 1, 2]
    """

    grows_by = "n_resamples"
    n_resamples: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_resamples", whole(self.n_resamples, "n_resamples", 1))

    def _described(self, unit: str) -> str:  # noqa: ARG002
        return plural(self.n_resamples, "independent data set")

    def _estimated(self, unit: str) -> str:
        return (
            "How well independent studies of this size agree, if the world is as the generator "
            f"has it ({self._described(unit)}, which share no samples)."
        )

    def _draw(
        self,
        units: Units,
        random_state: int,  # noqa: ARG002
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        rows = np.arange(len(units.y))
        for number in range(self.n_resamples):
            yield Resample(rows, rows, draw=number)
