"""Disjoint parts: several samples of one size that share no unit, drawn again and again."""

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

SHARES = {2: "half", 3: "a third of", 4: "a quarter of", 5: "a fifth of"}


@protocol(
    name="disjoint_parts",
    title="Disjoint parts (thirds, quarters, ...)",
    estimates="how well studies agree that share nothing, each a part of the size of this one",
    tested="repeatedly",
)
@dataclass(frozen=True)
class DisjointParts(Protocol):
    """Thirds, quarters ... of the data: what independent studies of that size would select.

    In each repeat the data are cut into parts of one size that share no sample; only parts of one
    repeat, whose number is under `outer`, are compared with each other. All that is not in a part
    tests it. Samples that are left over are in no part, others in each repeat. Two parts are
    :class:`ComplementaryHalves`.
    ``DisjointParts(20)`` begins with the resamples of ``DisjointParts(10)``.

    Parameters
    ----------
    n_repeats : int, default 20
        How often the data are cut anew.
    n_parts : int, default 3
        How many parts.
    stratify : bool, default True
        Keep the shares of the classes as exactly as possible.

    Examples
    --------
    >>> from holdfast.resample import DisjointParts
    >>> parts = DisjointParts(1).draw(["a"] * 6 + ["b"] * 7)
    >>> [len(part.train) for part in parts]
    [4, 4, 4]
    >>> len(set(parts[0].train) & set(parts[1].train))
    0
    """

    grows_by = "n_repeats"
    n_repeats: int = 20
    n_parts: int = 3
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_repeats", whole(self.n_repeats, "n_repeats", 1))
        object.__setattr__(self, "n_parts", whole(self.n_parts, "n_parts", 2))
        object.__setattr__(self, "stratify", flag(self.stratify, "stratify"))

    @property
    def can_be_inner(self) -> bool:
        """Whether it makes inner resamples: there, all are compared with all."""
        return False

    def _described(self, unit: str) -> str:  # noqa: ARG002
        repeats = plural(self.n_repeats, "repeat")
        return f"{repeats} of {self.n_parts} {kind_of(self.stratify)}disjoint parts"

    def _estimated(self, unit: str) -> str:
        share = SHARES.get(self.n_parts, f"1/{self.n_parts} of")
        return (
            f"How well studies that share no {unit}s agree, each {share} the size of this one "
            f"({self._described(unit)}, compared within each repeat); larger studies usually "
            "agree better."
        )

    def _draw(
        self,
        units: Units,
        random_state: int,
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        why = (
            f"{self.n_parts} disjoint parts need at least {{needed}} {units.noun}s of every "
            "class, so that each part keeps {keep}"
        )
        require(units, lambda keep: self.n_parts * keep, why, stratify=self.stratify)
        labels, everyone = Strata.of(units, stratify=self.stratify).labels, np.arange(units.count)
        for repeat, generator in enumerate(generators(random_state, self.n_repeats)):
            for part in disjoint(everyone, labels, self.n_parts, generator):
                yield Resample(*units.split(part), outer=repeat)


def disjoint(
    chosen: NDArray[np.intp],
    labels: NDArray[np.intp],
    count: int,
    generator: np.random.Generator,
) -> list[NDArray[np.intp]]:
    """Cut units into parts of one size, each stratum as evenly as possible.

    Parameters
    ----------
    chosen : ndarray of int
        The units to cut; those that are left over are in no part.
    labels : ndarray of int
        The stratum of every unit there is.
    count : int
        How many parts.
    generator : Generator
        Decides which unit goes where.

    Returns
    -------
    list of ndarray
        The units of each part.
    """
    turn = generator.permutation(labels.max() + 1)  # whose units are left over is left to chance
    ordered = chosen[np.lexsort((generator.random(len(chosen)), turn[labels[chosen]]))]
    stratum = turn[labels[ordered]]
    sizes = np.bincount(stratum)
    place = np.arange(len(ordered)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    even = place < np.repeat(sizes - sizes % count, sizes)
    rest = ordered[~even]
    rest = rest[: len(rest) - len(rest) % count]  # a stratum's follow each other: dealt out in turn
    parts = np.concatenate([place[even] % count, np.arange(len(rest)) % count])
    units = np.concatenate([ordered[even], rest])
    return [units[parts == part] for part in range(count)]
