"""Perturbed data: added noise, feature subsets, and independent data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdfast._formatting import format_short_percent, plural
from holdfast._random import generators
from holdfast._validation import check_integer, check_positive_number
from holdfast.errors import InvalidInputError
from holdfast.preferences import as_feature_count
from holdfast.resample._protocol import NO_ROWS, Protocol, Resample, Standalone
from holdfast.resample._registry import protocol
from holdfast.resample._strata import Units


@protocol(
    name="added_noise",
    title="Added noise",
    estimates="how much the selection changes with errors of measurement",
    tested="never",
    overlap="all",
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
        object.__setattr__(self, "n_resamples", check_integer(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "level", check_positive_number(self.level, "level", np.inf))

    def _describe(self, unit: str) -> str:
        copies = plural(self.n_resamples, "noisy version")
        return f"{copies} of the data, noise of {self.level:g} standard deviations"

    def _explain_estimate(self, unit: str) -> str:
        return (
            f"How much the selection changes when every value is off by random errors of "
            f"{self.level:g} standard deviations of its feature, the samples being the same "
            f"({self._describe(unit)}); it says nothing about other samples."
        )

    def _compute_overlap(self, n_units: int | None) -> float:
        return 1.0

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        rows = np.arange(len(units.y))
        for _ in range(self.n_resamples):
            # the noise itself is drawn where the data are: a plan holds no values
            yield Resample(rows, NO_ROWS, noise=self.level)


# Feature subsets: all samples, a random part of the features.


@protocol(
    name="feature_subsets",
    title="Random parts of the features",
    estimates="how much the selection depends on which other features are offered",
    tested="never",
    overlap="all",
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
        Number of parts.
    fraction : float, default 0.8
        Fraction of the features that is offered; rounded to the nearest count, at least 1, and
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
        object.__setattr__(self, "n_resamples", check_integer(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "fraction", check_positive_number(self.fraction, "fraction", 1.0))

    def _describe(self, unit: str) -> str:
        share = format_short_percent(self.fraction)
        return f"{plural(self.n_resamples, 'random part')} of {share} of the features"

    def _explain_estimate(self, unit: str) -> str:
        return (
            "How much the selection depends on which features are offered, the samples being the "
            f"same ({self._describe(unit)}); a feature that one part offers is offered by another "
            f"with probability {self.fraction:g}, so even a perfect selector stays below 1, and "
            "it says nothing about other samples."
        )

    def _compute_overlap(self, n_units: int | None) -> float:
        return 1.0

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        if n_features is None:
            raise InvalidInputError("feature_subsets needs n_features; got None.")
        count = self._feature_count(n_features)
        rows = np.arange(len(units.y))
        for generator in generators(random_state, self.n_resamples):
            features = np.sort(generator.permutation(n_features)[:count])
            yield Resample(rows, NO_ROWS, features=features)

    def _feature_count(self, n_features: int) -> int:
        count = as_feature_count(self.fraction, n_features, "fraction")
        if count == n_features:
            raise InvalidInputError(
                "fraction must leave out at least one feature; "
                f"{format_short_percent(self.fraction)} of {plural(n_features, 'feature')}, "
                "rounded, are all of them. Choose a smaller fraction, or another protocol where "
                "there is one feature only."
            )
        return count


# Independent samples: every resample is a new data set from a generator.


@protocol(
    name="independent_samples",
    title="Independent data sets from a generator",
    estimates="how well the selections of independent studies agree",
    tested="once",
    overlap="none",
    references=("dernoncourt2014",),
)
@dataclass(frozen=True)
class IndependentSamples(Standalone):
    """New data sets, drawn from a generator; only simulated data have one.

    Each resample is a data set for training and another one of the same size for testing, both of
    them used once. Nothing is shared between resamples. Its rows are not rows of the data, so it
    cannot be part of `Nested`.

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
        object.__setattr__(self, "n_resamples", check_integer(self.n_resamples, "n_resamples", 1))

    def _describe(self, unit: str) -> str:
        return plural(self.n_resamples, "independent data set")

    def _explain_estimate(self, unit: str) -> str:
        return (
            "How well independent studies of this size agree, if the world is as the generator "
            f"has it ({self._describe(unit)}, which share no samples)."
        )

    def _compute_overlap(self, n_units: int | None) -> float:
        return 0.0

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        rows = np.arange(len(units.y))
        for number in range(self.n_resamples):
            yield Resample(rows, rows, draw=number)
