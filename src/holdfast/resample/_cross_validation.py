"""Cross-validation: the samples in folds, each left out in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.errors import InvalidInputError
from holdfast.preferences._ties import generators
from holdfast.resample._base import NO_ROWS, Protocol, Resample
from holdfast.resample._checks import flag, whole
from holdfast.resample._record import Tested, protocol
from holdfast.resample._strata import Strata, require
from holdfast.resample._words import NOT_INDEPENDENT, kind_of, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.resample._units import Units


@protocol(
    name="cross_validation",
    title="Cross-validation",
    estimates="how much the selection changes when each fold is left out in turn",
    tested="once",
    references=("kalousis2005", "yu2008"),
)
@dataclass(frozen=True)
class CrossValidation(Protocol):
    """Cross-validation: each fold is left out and tested in turn, perhaps several times over.

    Fold sizes differ by at most one sample, in all and in each class. A class may have fewer
    samples than there are folds, if every training part keeps two of them.

    Parameters
    ----------
    n_folds : int, default 10
        Into how many parts the samples (or the subjects) are divided.
    n_repeats : int, default 1
        How often, each time in another way. More repeats leave the first ones as they are.
    stratify : bool, default True
        Keep the shares of the classes in every fold.
    reference : bool, default False
        Put one resample with all samples first, of role ``"reference"``: the selection on each
        training part is then compared with that on all samples.

    References
    ----------
    A. Kalousis, J. Prados, M. Hilario (2005). Stability of feature selection algorithms.
    ICDM 2005, 218-225.

    L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature groups.
    KDD 2008, 803-811.

    Examples
    --------
    >>> from holdfast.resample import CrossValidation
    >>> y = ["a"] * 6 + ["b"] * 3
    >>> [resample.test.tolist() for resample in CrossValidation(3).draw(y)]
    [[0, 4, 7], [1, 2, 8], [3, 5, 6]]
    """

    n_folds: int = 10
    n_repeats: int = 1
    stratify: bool = True
    reference: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_folds", whole(self.n_folds, "n_folds", 2))
        object.__setattr__(self, "n_repeats", whole(self.n_repeats, "n_repeats", 1))
        object.__setattr__(self, "stratify", flag(self.stratify, "stratify"))
        object.__setattr__(self, "reference", flag(self.reference, "reference"))

    @property
    def tested(self) -> Tested:
        """How often a sample is tested: once in each repeat."""
        return "once" if self.n_repeats == 1 else "repeatedly"

    @property
    def can_be_outer(self) -> bool:
        """Whether it makes outer resamples: those compared with all samples do not."""
        return not self.reference

    @property
    def can_be_inner(self) -> bool:
        """Whether it makes inner resamples: those compared with all samples do not."""
        return not self.reference

    @property
    def description(self) -> str:
        """The resamples in a few words."""
        repeats = f"{plural(self.n_repeats, 'repeat')} of " if self.n_repeats > 1 else ""
        return f"{repeats}{kind_of(self.stratify)}{self.n_folds}-fold cross-validation"

    @property
    def estimates(self) -> str:
        """One sentence that says what the stability over these resamples estimates."""
        left_out = percent(1 / self.n_folds)
        if self.reference:
            return (
                f"How near the selection without {left_out} of the samples comes to the selection "
                f"on all of them ({self.description}, each training part against all samples); "
                f"the two share {percent(1 - 1 / self.n_folds)} of the samples, so "
                f"{NOT_INDEPENDENT}."
            )
        return (
            f"How much the selection changes when {left_out} of the samples are left out, each "
            f"part in turn ({self.description}); {self._shared}, so {NOT_INDEPENDENT}."
        )

    @property
    def _shared(self) -> str:
        within = percent((self.n_folds - 2) / (self.n_folds - 1))
        if self.n_repeats == 1:
            return f"two training parts share about {within} of their samples"
        across = percent(1 - 1 / self.n_folds)
        return (
            f"two training parts share about {within} of their samples in one repeat and "
            f"{across} across repeats"
        )

    def _draw(
        self,
        units: Units,
        random_state: int,
        n_features: int | None,  # noqa: ARG002
    ) -> Iterator[Resample]:
        self._check(units)
        strata = Strata.of(units, stratify=self.stratify)
        if self.reference:
            yield Resample(np.arange(len(units.y)), NO_ROWS, role="reference")
        for generator in generators(random_state, self.n_repeats):
            fold = self._dealt(strata, generator)
            for number in range(self.n_folds):
                yield Resample(*units.split(np.flatnonzero(fold != number)))

    def _dealt(self, strata: Strata, generator: np.random.Generator) -> NDArray[np.intp]:
        """Deal the units out to the folds, class after class; return the fold of each.

        Dealing goes on from one class to the next, so fold sizes differ by one at most.
        """
        fold = np.empty(len(strata.labels), dtype=np.intp)
        shuffled = strata.shuffled(generator)
        names = generator.permutation(self.n_folds)
        fold[shuffled] = names[np.arange(len(fold)) % self.n_folds]
        return fold

    def _check(self, units: Units) -> None:
        if units.count < self.n_folds:
            raise InvalidInputError(
                f"{self.n_folds} folds need at least as many {units.noun}s; there are {units.count}"
            )
        why = (
            f"{self.n_folds} folds need at least {{needed}} of every class, so that each training "
            "part keeps {keep}"
        )
        require(units, self._needed, why, stratify=self.stratify)

    def _needed(self, keep: int) -> int:
        """Return how many units a class needs to keep some of them without its largest fold."""
        return next(n for n in count(keep + 1) if n - math.ceil(n / self.n_folds) >= keep)
