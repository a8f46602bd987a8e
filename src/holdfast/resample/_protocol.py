"""Resamples, and the base class of all protocols."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from holdfast._formatting import format_list
from holdfast._memory import check_resample_memory
from holdfast._typing import IndexArray
from holdfast._validation import check_seed
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.resample._registry import ProtocolRecord, Tested
from holdfast.resample._strata import Units, check_training_part

# Words that the descriptions of protocols share.

NOT_INDEPENDENT = (
    "this is not the stability between independent studies of that size, which is usually lower"
)


def stratified_prefix(stratify: bool) -> str:
    """Return the adjective for resamples that keep the shares of the classes."""
    return "stratified " if stratify else ""


# How often samples are tested.


def times_tested(resamples: Iterable[Resample]) -> Tested:
    """Return how often a sample is tested in the resamples that errors come from.

    Parameters
    ----------
    resamples : iterable of Resample
        As returned by :meth:`holdfast.resample.Protocol.draw`; inner resamples do not count.

    Returns
    -------
    {"once", "repeatedly", "never"}
        ``"once"``: no sample is tested more than once, and some are. ``"never"``: no tests.

    Examples
    --------
    >>> from holdfast.resample import Bootstrap, CrossValidation, times_tested
    >>> y = ["a"] * 10 + ["b"] * 10
    >>> times_tested(CrossValidation(5).draw(y)), times_tested(Bootstrap(50).draw(y))
    ('once', 'repeatedly')
    """
    # inner resamples estimate stability, not the error
    testing = [r for r in resamples if r.role in ("main", "outer") and r.test.size]
    if not testing:
        return "never"
    return "repeatedly" if np.bincount(_tested_rows(testing)).max(initial=1) > 1 else "once"


def warn_of_untested(resamples: Iterable[Resample], units: Units) -> None:
    """Warn about classes that are in no test part, if others are tested."""
    tested = np.bincount(units.codes[_tested_rows(resamples)], minlength=len(units.classes))
    if tested.any() and not tested.all():
        names = format_list(units.class_name(code) for code in np.flatnonzero(tested == 0).tolist())
        warnings.warn(
            f"no test part has samples of class {names}, so the errors say nothing about it. "
            "Smaller training parts may leave some of it out; of 2 samples both are always kept.",
            HoldfastWarning,
            stacklevel=3,
        )


def _tested_rows(resamples: Iterable[Resample]) -> IndexArray:
    """Return the rows of all test parts that errors come from, concatenated."""
    # independent draws have separate test samples
    tests = [r.test for r in resamples if r.role in ("main", "outer") and r.draw < 0]
    return np.concatenate([np.empty(0, dtype=np.intp), *tests])


# Resamples and protocols.


@dataclass(frozen=True, slots=True, eq=False)
class Resample:
    """One resample: rows for selection, rows for testing, and other changes to the data.

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
        full data, whose selection is to be replicated.
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

    train: IndexArray
    test: IndexArray
    role: str = "main"
    outer: int = -1
    features: IndexArray | None = None
    noise: float = 0.0
    draw: int = -1


class Protocol(ABC):
    """A resampling plan: which resamples a selector is run on.

    Subclasses are frozen dataclasses whose fields JSON can hold, registered by
    :func:`holdfast.resample.protocol`; they implement `_draw`, and the texts `_describe`
    and `_explain_estimate`, which name the units: ``"sample"`` or ``"subject"``.
    """

    record: ClassVar[ProtocolRecord]
    grows_by: ClassVar[str | None] = None
    """The parameter that counts the resamples, where more of them begin with those of fewer."""

    @property
    def asked_for(self) -> int:
        """Requested number of resamples, pairs or repeats; only for protocols that can grow."""
        return int(getattr(self, self._growth_parameter()))

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
        return replace(self, **{self._growth_parameter(): count})  # type: ignore[type-var]

    def _growth_parameter(self) -> str:
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
        """One sentence on what the stability over these resamples estimates."""
        return self.estimates_for(subjects=False)

    def description_for(self, *, subjects: bool) -> str:
        """Return the description for data whose samples belong to subjects, or do not.

        Examples
        --------
        >>> from holdfast.resample import Subsampling
        >>> Subsampling(50, 8).description_for(subjects=True)
        '50 stratified subsamples of 8 subjects'
        """
        return self._describe(_noun(subjects))

    def estimates_for(self, *, subjects: bool) -> str:
        """Return the sentence for data whose samples belong to subjects, or do not.

        Examples
        --------
        >>> from holdfast.resample import ComplementaryHalves
        >>> ComplementaryHalves().estimates_for(subjects=True)[:45]
        'How well two studies that share no subjects a'
        """
        return self._explain_estimate(_noun(subjects))

    def training_overlap(self, n_units: int | None = None) -> float | None:
        """Return the share of a training part that another one is expected to hold, too.

        Only training parts that are compared with each other count; of a bootstrap sample, its
        different samples. Strata are left out of account: they change the share little.

        Parameters
        ----------
        n_units : int, optional
            The number of samples, or of subjects; default: many.

        Returns
        -------
        float or None
            None where it depends on the splits, or on an `n_units` that is not given.

        Examples
        --------
        >>> from holdfast.resample import CrossValidation, Subsampling
        >>> round(CrossValidation(10).training_overlap(), 3)
        0.889
        >>> Subsampling(100, 45).training_overlap(n_units=50)
        0.9
        """
        return self._compute_overlap(n_units)

    def _compute_overlap(self, n_units: int | None) -> float | None:
        """Return the overlap of training parts; protocols without one leave this as it is."""
        return None

    @abstractmethod
    def _describe(self, unit: str) -> str: ...

    @abstractmethod
    def _explain_estimate(self, unit: str) -> str: ...

    def count_resamples(self, units: Units) -> int:
        """Return how many resamples will be drawn, as far as this is known before."""
        return 1 if self.grows_by is None else self.asked_for

    @property
    def can_be_outer(self) -> bool:
        """Whether it can draw outer resamples for `Nested`, which need test parts."""
        return self.record.tested != "never"

    @property
    def can_be_inner(self) -> bool:
        """Whether it can draw inner resamples for `Nested`."""
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
            The class of each sample, as labels or as codes. Labels give clearer error messages.
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
        units = Units.from_labels(y, groups)
        resamples = self.draw_units(units, check_seed(random_state), n_features)
        warn_of_untested(resamples, units)
        return resamples

    def draw_units(self, units: Units, random_state: int, n_features: int | None) -> list[Resample]:
        """Draw the resamples of units that are already known."""
        n_resamples = self.count_resamples(units)
        check_resample_memory(self.record.name, n_resamples, len(units.y))
        resamples = list(self._draw(units, random_state, n_features))
        for position, resample in enumerate(resamples):
            # rows of an independent data set are not rows of these data
            if resample.draw < 0:
                check_training_part(units, position, resample.train)
        return resamples

    @abstractmethod
    def _draw(
        self, units: Units, random_state: int, n_features: int | None
    ) -> Iterator[Resample]: ...

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the parameters as values that JSON can hold.

        :func:`holdfast.resample.as_protocol` turns them into an equal protocol.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        parts = {k: v.to_dict() if isinstance(v, Protocol) else v for k, v in values.items()}
        return {"name": self.record.name, **parts}


class Standalone(Protocol):
    """A protocol that cannot be part of `Nested`."""

    @property
    def can_be_outer(self) -> bool:
        """Never."""
        return False

    @property
    def can_be_inner(self) -> bool:
        """Never."""
        return False


def _noun(subjects: bool) -> str:
    return "subject" if subjects else "sample"


NO_ROWS = np.empty(0, dtype=np.intp)
