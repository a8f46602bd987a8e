"""What a resample is, and what every protocol has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from holdfast._checks import seed_of
from holdfast.errors import InvalidInputError
from holdfast.resample._checks import check_training
from holdfast.resample._tested import warn_of_untested
from holdfast.resample._units import Units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from holdfast.resample._record import ProtocolRecord


@dataclass(frozen=True, slots=True, eq=False)
class Resample:
    """One resample: the rows to select on, the rows to test on, and what else is changed.

    Attributes
    ----------
    train : ndarray of int
        Rows for selection and training, in order; in a bootstrap a row may repeat.
    test : ndarray of int
        Rows for testing, in order; none of them is in `train`. May be empty.
    role : {"main", "outer", "inner", "reference", "half", "part", "quarter", "full"}
        What it is for. ``"main"``: stability and error. ``"outer"``: error, and parent of its
        inner resamples. ``"inner"``: stability, averaged within its outer resample, then
        across. ``"reference"``: the whole data; the others are compared with it. ``"half"``,
        ``"part"``, ``"quarter"``: replication stability, see `ReplicationDesign`. ``"full"``: the
        full data, whose selection these parts are asked about.
    outer : int
        For ``"outer"`` and ``"inner"``, the number of the outer resample. A ``"main"`` resample
        that has a number here is compared only with those of the same number, and so is one of
        replication stability with those of its role. Else -1.
    features : ndarray of int or None
        Only these features are offered to the selector (in order); None: all.
    noise : float
        Noise of this many standard deviations of each feature is added to the training part.
    draw : int
        If not negative, the data are the draw of this number from a generator, one for training
        and one for testing, and `train` and `test` are rows of these two.
    """

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    role: str = "main"
    outer: int = -1
    features: NDArray[np.intp] | None = None
    noise: float = 0.0
    draw: int = -1


class Protocol(ABC):
    """A plan for changing the data: which resamples a selector is run on.

    Children are frozen dataclasses whose fields JSON can hold, registered by
    :func:`holdfast.resample.protocol`; they implement `_draw`, and `_described` and `_estimated`
    for units of a name: ``"sample"`` or ``"subject"``.
    """

    record: ClassVar[ProtocolRecord]
    grows_by: ClassVar[str | None] = None
    """The parameter that counts the resamples, where more of them begin with those of fewer."""

    @property
    def asked_for(self) -> int:
        """How many resamples, pairs or repeats it was asked for; only where it can grow."""
        return int(getattr(self, self._growing()))

    def resized(self, count: int) -> Self:
        """Return the same protocol with more or fewer resamples, pairs or repeats.

        The resamples of the smaller one are the first of the larger one.

        Parameters
        ----------
        count : int
            How many, at least 1.

        Returns
        -------
        Protocol

        Raises
        ------
        InvalidInputError
            The protocol cannot grow: its resamples depend on how many there are.

        Examples
        --------
        >>> from holdfast.resample import Subsampling
        >>> Subsampling(100, 0.8).resized(24)
        Subsampling(n_resamples=24, train_size=0.8, stratify=True)
        """
        return replace(self, **{self._growing(): count})  # type: ignore[type-var]

    def _growing(self) -> str:
        if self.grows_by is None:
            raise InvalidInputError(
                f"{self.record.name} cannot grow: it is planned as a whole. Choose a protocol such "
                "as subsampling or bootstrap, whose resamples are drawn one after the other."
            )
        return self.grows_by

    @property
    def description(self) -> str:
        """The resamples in a few words, such as ``100 stratified subsamples of 90%``."""
        return self.description_for(subjects=False)

    @property
    def estimates(self) -> str:
        """One sentence that says what the stability over these resamples estimates."""
        return self.estimates_for(subjects=False)

    def description_for(self, *, subjects: bool) -> str:
        """Return the description for data whose samples belong to subjects, or do not.

        Examples
        --------
        >>> from holdfast.resample import Subsampling
        >>> Subsampling(50, 8).description_for(subjects=True)
        '50 stratified subsamples of 8 subjects'
        """
        return self._described(_noun(subjects))

    def estimates_for(self, *, subjects: bool) -> str:
        """Return the sentence for data whose samples belong to subjects, or do not.

        Examples
        --------
        >>> from holdfast.resample import ComplementaryHalves
        >>> ComplementaryHalves().estimates_for(subjects=True)[:45]
        'How well two studies that share no subjects a'
        """
        return self._estimated(_noun(subjects))

    @abstractmethod
    def _described(self, unit: str) -> str: ...

    @abstractmethod
    def _estimated(self, unit: str) -> str: ...

    @property
    def can_be_outer(self) -> bool:
        """Whether it makes outer resamples for `Nested`: they must test."""
        return self.record.tested != "never"

    @property
    def can_be_inner(self) -> bool:
        """Whether it makes inner resamples for `Nested`."""
        return True

    def draw(
        self,
        y: ArrayLike,
        groups: ArrayLike | None = None,
        random_state: int = 0,
        n_features: int | None = None,
    ) -> list[Resample]:
        """Draw the resamples; equal arguments give equal resamples.

        Parameters
        ----------
        y : array-like of shape (n,)
            The class of each sample, as labels or as codes. Labels make better error messages.
        groups : array-like of shape (n,), optional
            The subject of each sample; no subject is ever on both sides.
        random_state : int, default 0
            Seed. Each resample is seeded by its position.
        n_features : int, optional
            Number of features, for protocols that change the features.

        Returns
        -------
        list of Resample

        Raises
        ------
        InvalidInputError
            The data are too small for the protocol; the message names the class or the subjects.

        Warns
        -----
        HoldfastWarning
            Samples are tested, but none of some class.
        """
        units = Units.of(y, groups)
        resamples = self.draw_units(units, seed_of(random_state), n_features)
        warn_of_untested(resamples, units)
        return resamples

    def draw_units(self, units: Units, random_state: int, n_features: int | None) -> list[Resample]:
        """Draw the resamples of units that are found already; `draw` is for all others."""
        resamples = list(self._draw(units, random_state, n_features))
        check_training(resamples, units)
        return resamples

    @abstractmethod
    def _draw(
        self, units: Units, random_state: int, n_features: int | None
    ) -> Iterator[Resample]: ...

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the parameters as JSON can hold them.

        :func:`holdfast.resample.as_protocol` makes an equal protocol of it.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        parts = {k: v.to_dict() if isinstance(v, Protocol) else v for k, v in values.items()}
        return {"name": self.record.name, **parts}


class Standalone(Protocol):
    """A protocol that is no part of `Nested`."""

    @property
    def can_be_outer(self) -> bool:
        """Whether it makes outer resamples for `Nested`: no."""
        return False

    @property
    def can_be_inner(self) -> bool:
        """Whether it makes inner resamples for `Nested`: no."""
        return False


def _noun(subjects: bool) -> str:
    return "subject" if subjects else "sample"


NO_ROWS = np.empty(0, dtype=np.intp)
