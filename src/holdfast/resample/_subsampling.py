"""Subsampling: training parts drawn without replacement, the rest for testing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast._checks import count_of_part, flag, part_or_count, whole
from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.preferences._ties import generators
from holdfast.resample._base import Protocol, Resample
from holdfast.resample._record import protocol
from holdfast.resample._shares import Drawing
from holdfast.resample._words import NOT_INDEPENDENT, kind_of, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.resample._units import Units


@protocol(
    name="subsampling",
    title="Random subsampling",
    estimates="how much the selection changes when some samples are left out at random",
    tested="repeatedly",
    references=("dernoncourt2014", "saeys2008", "somol2008"),
)
@dataclass(frozen=True)
class Subsampling(Protocol):
    """Random subsamples without replacement; the samples left out are for testing.

    Each subsample is drawn anew, so a sample may be tested in several of them, or in none. A small
    class may not be tested at all: one of 2 samples, as every subsample keeps 2, and one whose
    share of the samples left out rounds to none. A warning names such classes.
    ``Subsampling(20)`` begins with the resamples of ``Subsampling(10)``.

    Parameters
    ----------
    n_resamples : int, default 100
        How many subsamples.
    train_size : float or int, default 0.9
        Size of a subsample: a fraction of the samples (rounded up, one is always left out), or a
        count. Where samples belong to subjects, subjects are drawn, and it counts subjects.
    stratify : bool, default True
        Keep the shares of the classes as exactly as possible.

    References
    ----------
    D. Dernoncourt, B. Hanczar, J.-D. Zucker (2014). Analysis of feature selection stability on
    high dimension and small sample data. Computational Statistics & Data Analysis 71, 681-693.

    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> from holdfast.resample import Subsampling
    >>> y = ["a"] * 6 + ["b"] * 4
    >>> resamples = Subsampling(3, train_size=0.8).draw(y)
    >>> [len(resample.train) for resample in resamples]
    [8, 8, 8]
    >>> resamples[0].test.tolist()
    [0, 7]
    """

    grows_by = "n_resamples"
    n_resamples: int = 100
    train_size: float = 0.9
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_resamples", whole(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "train_size", part_or_count(self.train_size, "train_size"))
        object.__setattr__(self, "stratify", flag(self.stratify, "stratify"))

    def _described(self, unit: str) -> str:
        size = self.train_size
        wide = f"{size:,} {unit}s" if isinstance(size, int) else percent(size)
        return f"{plural(self.n_resamples, f'{kind_of(self.stratify)}subsample')} of {wide}"

    def _estimated(self, unit: str) -> str:
        if isinstance(self.train_size, int):
            return (
                f"How much the selection changes from one random choice of {self.train_size:,} "
                f"{unit}s to another ({self._described(unit)}); subsamples of one data set share "
                f"{unit}s, the more the larger they are, so {NOT_INDEPENDENT}."
            )
        return (
            f"How much the selection changes when a random {percent(1 - self.train_size)} of the "
            f"{unit}s is left out ({self._described(unit)}); two subsamples share about "
            f"{percent(self.train_size)} of their {unit}s, so {NOT_INDEPENDENT}."
        )

    def _draw(
        self,
        units: Units,
        random_state: int,
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        drawing = Drawing(units, self._size(units), "subsampling", stratify=self.stratify)
        for generator in generators(random_state, self.n_resamples):
            yield Resample(*units.split(drawing.without_replacement(generator)))

    def _size(self, units: Units) -> int:
        if isinstance(self.train_size, float):
            return min(count_of_part(self.train_size, units.count), units.count - 1)
        if self.train_size >= units.count:
            raise InvalidInputError(
                f"train_size must be below the {plural(units.count, units.noun)} that there are, "
                f"so that some are left for testing; received {self.train_size:,}."
            )
        return self.train_size
