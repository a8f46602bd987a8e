"""Bootstrap: samples drawn with replacement; those never drawn are for testing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from holdfast._formatting import format_short_percent, plural
from holdfast._random import generators
from holdfast._validation import as_count, check_flag, check_integer, check_part_or_count
from holdfast.errors import InvalidInputError
from holdfast.resample._protocol import Protocol, Resample, stratified_prefix
from holdfast.resample._registry import protocol
from holdfast.resample._strata import Drawing, Units, is_enough

MAX_ATTEMPTS = 1000
"""How often an unusable bootstrap sample is drawn again before it is refused; chosen by hand."""


@protocol(
    name="bootstrap",
    title="Bootstrap, m-of-n bootstrap",
    estimates="how much the selection changes when the samples are drawn again with replacement",
    tested="repeatedly",
    overlap="1 - exp(-size) of the different samples, 63.2% by default",
    references=("saeys2008",),
)
@dataclass(frozen=True)
class Bootstrap(Protocol):
    """Bootstrap samples: drawn with replacement; the samples never drawn are for testing.

    ``Bootstrap(20)`` begins with the resamples of ``Bootstrap(10)``. In small data a bootstrap
    sample may hold every sample; nothing is then left for testing.

    Copies of one sample say nothing about how a class varies. A bootstrap sample in which a class
    has copies of a single sample is therefore drawn again, until each class that is there has at
    least 2 different samples: this is the bootstrap given that selectors can use its samples. It
    matters for classes of a few samples only; one of 2 samples is in every bootstrap sample as a
    whole and never tested, and a warning is issued.

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

    grows_by = "n_resamples"
    n_resamples: int = 100
    size: float = 1.0
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_resamples", check_integer(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "size", check_part_or_count(self.size, "size", inclusive=True))
        object.__setattr__(self, "stratify", check_flag(self.stratify, "stratify"))

    def _describe(self, unit: str) -> str:
        samples = plural(self.n_resamples, f"{stratified_prefix(self.stratify)}bootstrap sample")
        if isinstance(self.size, int):
            return f"{samples} of {self.size:,} {unit}s"
        size = "the full size" if self.size == 1 else format_short_percent(self.size)
        return f"{samples} of {size}"

    def _explain_estimate(self, unit: str) -> str:
        return (
            f"How much the selection changes when the {unit}s are drawn again, with replacement, "
            f"from the same data ({self._describe(unit)}); {self._explain_overlap(unit)}, so "
            "this is not the stability between independent studies, which may be lower or higher."
        )

    def _explain_overlap(self, unit: str) -> str:
        if isinstance(self.size, int):
            return f"bootstrap samples share {unit}s and hold some of them several times"
        share = format_short_percent(1 - math.exp(-self.size))
        return (
            f"a bootstrap sample holds about {share} of the {unit}s, some of them several times, "
            "and as large a part of those of any other"
        )

    def _compute_overlap(self, n_units: int | None) -> float | None:
        # the chance of a sample to be drawn at all
        if n_units is None:
            return -math.expm1(-self.size) if isinstance(self.size, float) else None
        return 1 - (1 - 1 / n_units) ** as_count(self.size, n_units)

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        drawing = Drawing(
            units, self._bootstrap_size(units), "the bootstrap", stratify=self.stratify
        )
        for generator in generators(random_state, self.n_resamples):
            # a class may be drawn as copies of a single sample, which have no variance
            for _ in range(MAX_ATTEMPTS):
                drawn = drawing.with_replacement(generator)
                if is_enough(units.distinct(units.rows(drawn))):
                    break
            yield Resample(*units.split(drawn))  # an unusable last attempt is refused later

    def _bootstrap_size(self, units: Units) -> int:
        count = as_count(self.size, units.count)
        if count > units.count:
            raise InvalidInputError(
                f"size must be at most the {plural(units.count, units.noun)} that there are; "
                f"got {count:,}."
            )
        return count
