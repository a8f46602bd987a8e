"""Complementary halves: pairs of disjoint subsamples, each half of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast._checks import flag, whole
from holdfast._text import plural
from holdfast.preferences._ties import generators
from holdfast.resample._base import Protocol, Resample
from holdfast.resample._record import protocol
from holdfast.resample._strata import Strata, require
from holdfast.resample._words import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.resample._units import Units


@protocol(
    name="complementary_halves",
    title="Complementary halves",
    estimates="how well the selection of one study agrees with another, each half the size",
    tested="repeatedly",
)
@dataclass(frozen=True)
class ComplementaryHalves(Protocol):
    """Pairs of disjoint halves: what two studies of half the size would select.

    Resamples 2i and 2i + 1 are a pair, with i under `outer`: they share no sample, and only they
    are compared with each other. Each is the other's test part. Of an odd number of samples one
    is left out of both, another one in each pair.
    ``ComplementaryHalves(20)`` begins with the resamples of ``ComplementaryHalves(10)``.

    Parameters
    ----------
    n_pairs : int, default 50
        How many pairs.
    stratify : bool, default True
        Keep the shares of the classes as exactly as possible.

    Examples
    --------
    >>> from holdfast.resample import ComplementaryHalves
    >>> one, other = ComplementaryHalves(1).draw(["a"] * 5 + ["b"] * 4)
    >>> one.train.tolist(), other.train.tolist()
    ([1, 3, 6, 8], [2, 4, 5, 7])
    """

    grows_by = "n_pairs"
    n_pairs: int = 50
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_pairs", whole(self.n_pairs, "n_pairs", 1))
        object.__setattr__(self, "stratify", flag(self.stratify, "stratify"))

    @property
    def can_be_inner(self) -> bool:
        """Whether it makes inner resamples: there, all are compared with all."""
        return False

    def _described(self, unit: str) -> str:  # noqa: ARG002
        return f"{plural(self.n_pairs, 'pair')} of {kind_of(self.stratify)}complementary halves"

    def _estimated(self, unit: str) -> str:
        return (
            f"How well two studies that share no {unit}s agree, each half the size of this one "
            f"({self._described(unit)}, compared within each pair); studies of the full size "
            "usually agree better."
        )

    def _draw(
        self,
        units: Units,
        random_state: int,
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        why = (
            f"halves need at least {{needed}} {units.noun}s of every class, so that each half "
            "keeps {keep}"
        )
        require(units, lambda keep: 2 * keep, why, stratify=self.stratify)
        strata = Strata.of(units, stratify=self.stratify)
        for pair, generator in enumerate(generators(random_state, self.n_pairs)):
            one, other = map(units.rows, _halves(strata, generator))
            yield Resample(one, other, outer=pair)
            yield Resample(other, one, outer=pair)


def _halves(
    strata: Strata, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Halve each stratum; the odd units of the strata are halved in turn, at random."""
    shuffled = strata.shuffled(generator)
    place, half = strata.place, np.repeat(strata.sizes // 2, strata.sizes)
    odd = generator.permutation(shuffled[place == 2 * half])
    few = len(odd) // 2
    one, other = shuffled[place < half], shuffled[(place >= half) & (place < 2 * half)]
    return np.concatenate([one, odd[:few]]), np.concatenate([other, odd[few : 2 * few]])
