"""Subsampling: training parts drawn without replacement, the rest for testing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.preferences._ties import generators
from holdfast.resample._base import Protocol, Resample
from holdfast.resample._checks import count_of_part, flag, part_or_count, whole
from holdfast.resample._record import protocol
from holdfast.resample._strata import Shares, Strata, require
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

    Each subsample is drawn anew, so a sample may be tested in several of them, or in none.
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

    n_resamples: int = 100
    train_size: float = 0.9
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_resamples", whole(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "train_size", part_or_count(self.train_size, "train_size"))
        object.__setattr__(self, "stratify", flag(self.stratify, "stratify"))

    @property
    def description(self) -> str:
        """The resamples in a few words."""
        size = self.train_size
        wide = f"{size:,} samples" if isinstance(size, int) else percent(size)
        return f"{plural(self.n_resamples, f'{kind_of(self.stratify)}subsample')} of {wide}"

    @property
    def estimates(self) -> str:
        """One sentence that says what the stability over these resamples estimates."""
        if isinstance(self.train_size, int):
            return (
                f"How much the selection changes from one random choice of {self.train_size:,} "
                f"samples to another ({self.description}); subsamples of one data set share "
                f"samples, the more the larger they are, so {NOT_INDEPENDENT}."
            )
        return (
            f"How much the selection changes when a random {percent(1 - self.train_size)} of the "
            f"samples is left out ({self.description}); two subsamples share about "
            f"{percent(self.train_size)} of their samples, so {NOT_INDEPENDENT}."
        )

    def _draw(
        self,
        units: Units,
        random_state: int,
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        why = f"subsampling needs at least 2 {units.noun}s of every class"
        require(units, lambda _: 2, why, stratify=self.stratify)
        strata = Strata.of(units, stratify=self.stratify)
        shares = Shares(strata, self._size(units))
        for generator in generators(random_state, self.n_resamples):
            chosen = strata.first(strata.shuffled(generator), shares.counts(generator))
            yield Resample(*units.split(chosen))

    def _size(self, units: Units) -> int:
        if isinstance(self.train_size, float):
            return min(count_of_part(self.train_size, units.count), units.count - 1)
        if self.train_size >= units.count:
            raise InvalidInputError(
                f"train_size must be below the {plural(units.count, units.noun)} that there are, "
                f"so that some are left for testing; received {self.train_size:,}"
            )
        return self.train_size
