"""Bootstrap: samples drawn with replacement; those never drawn are for testing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.preferences._ties import generators
from holdfast.resample._base import Protocol, Resample
from holdfast.resample._checks import count_of_part, flag, part_or_count, whole
from holdfast.resample._record import protocol
from holdfast.resample._strata import Shares, Strata, require
from holdfast.resample._words import kind_of, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.resample._units import Units


@protocol(
    name="bootstrap",
    title="Bootstrap, m-of-n bootstrap",
    estimates="how much the selection changes when the samples are drawn anew with replacement",
    tested="repeatedly",
    references=("saeys2008",),
)
@dataclass(frozen=True)
class Bootstrap(Protocol):
    """Bootstrap samples: drawn with replacement; the samples never drawn are for testing.

    ``Bootstrap(20)`` begins with the resamples of ``Bootstrap(10)``. In small data a bootstrap
    sample may hold every sample; nothing is then left for testing.

    Parameters
    ----------
    n_resamples : int, default 100
        How many bootstrap samples.
    size : float or int, default 1.0
        Size of a bootstrap sample: a fraction of the number of samples (rounded up), or a count;
        less than all gives the m-of-n bootstrap. Where samples belong to subjects, subjects are
        drawn, each with all its samples, and it counts subjects.
    stratify : bool, default True
        Keep the shares of the classes as exactly as possible: draw within each class.

    References
    ----------
    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> from holdfast.resample import Bootstrap
    >>> resample = Bootstrap(2).draw(["a"] * 5 + ["b"] * 4)[1]
    >>> resample.train.tolist(), resample.test.tolist()
    ([1, 2, 3, 3, 4, 6, 7, 7, 8], [0, 5])
    """

    n_resamples: int = 100
    size: float = 1.0
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_resamples", whole(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "size", part_or_count(self.size, "size", inclusive=True))
        object.__setattr__(self, "stratify", flag(self.stratify, "stratify"))

    @property
    def description(self) -> str:
        """The resamples in a few words."""
        samples = plural(self.n_resamples, f"{kind_of(self.stratify)}bootstrap sample")
        if isinstance(self.size, int):
            return f"{samples} of {self.size:,}"
        return f"{samples} of {'the full size' if self.size == 1 else percent(self.size)}"

    @property
    def estimates(self) -> str:
        """One sentence that says what the stability over these resamples estimates."""
        return (
            "How much the selection changes when the samples are drawn anew, with replacement, "
            f"from the same data ({self.description}); {self._held}, so this is not the stability "
            "between independent studies, which may be lower or higher."
        )

    @property
    def _held(self) -> str:
        if isinstance(self.size, int):
            return "bootstrap samples share samples and hold some of them several times"
        return (
            f"a bootstrap sample holds about {percent(1 - math.exp(-self.size))} of the samples, "
            "some of them several times, and shares many with the next"
        )

    def _draw(
        self,
        units: Units,
        random_state: int,
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        why = f"the bootstrap needs at least 2 {units.noun}s of every class"
        require(units, lambda _: 2, why, stratify=self.stratify)
        strata = Strata.of(units, stratify=self.stratify)
        shares = Shares(strata, self._count(units))
        for generator in generators(random_state, self.n_resamples):
            counts = shares.counts(generator)
            yield Resample(*units.split(strata.with_replacement(counts, generator)))

    def _count(self, units: Units) -> int:
        count = count_of_part(self.size, units.count)
        if count > units.count:
            raise InvalidInputError(
                f"size must be at most the {plural(units.count, units.noun)} that there are; "
                f"received {count:,}"
            )
        return count
