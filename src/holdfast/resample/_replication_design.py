"""The resamples behind replication stability: disjoint halves, parts of subsets, and quarters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np

from holdfast._formatting import format_list, plural
from holdfast._validation import check_integer, seed_of
from holdfast.resample._protocol import NO_ROWS, Resample, check_training
from holdfast.resample._strata import Strata, Units, require
from holdfast.resample._subsampling import disjoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

HALF, PART, QUARTER = "half", "part", "quarter"
ROLES = (HALF, PART, QUARTER)
FULL = "full"
"""Role of the full data, whose selection the disjoint parts are asked about."""
N_FULL_FITS = 4
"""Fits of the full data: where they differ, the selector has noise of its own."""
MIN_CLASSES = 2
"""Fewest classes that a selector tells apart."""
MAX_CLASSES_NAMED = 3
"""Most classes that a note names."""
SPLITS = 2
"""How often each subset of three quarters of the data is split."""


@dataclass(frozen=True)
class ReplicationDesign:
    """Resamples that tell how well independent studies agree, and how sure that is.

    ``"half"``: the data are split into two disjoint halves, `n_pairs` times; `outer` numbers the
    splits. ``"part"``: of `n_pairs` // 2 random subsets of three quarters of the data each is
    split into halves twice (parts of 3/8 of the data); `outer` is subset * 2 + split.
    ``"quarter"``: the data are cut into four disjoint quarters, `n_pairs` // 4 times, at least
    once. Only resamples of one role and one `outer` are compared with each other. Subjects stay
    together and classes keep their shares. Where a class is too small for quarters, there are
    only halves. A class that is too small for halves is left out of them, as long as two classes
    remain (`classes_left_out`). ``"full"``: the full data, four times, for the selection that is
    asked about.

    A design of more pairs begins with the same halves, and has the same first parts and quarters.

    Parameters
    ----------
    n_pairs : int, default 100
        How many splits into halves, at least 2.

    Examples
    --------
    >>> from holdfast.resample import ReplicationDesign
    >>> resamples = ReplicationDesign(4).draw(["a"] * 8 + ["b"] * 8)
    >>> [(one.role, one.outer) for one in resamples[6:10]]
    [('half', 3), ('half', 3), ('part', 0), ('part', 0)]
    """

    n_pairs: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_pairs", check_integer(self.n_pairs, "n_pairs", 2))

    def draw(
        self, y: ArrayLike, groups: ArrayLike | None = None, random_state: int = 0
    ) -> list[Resample]:
        """Draw the resamples; equal arguments give equal resamples.

        Parameters
        ----------
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample; no subject is ever in two halves of one split.
        random_state : int, default 0
            Seed. Each split is seeded by its position.
        """
        return self.draw_units(Units.of(y, groups), seed_of(random_state))

    def draw_units(self, units: Units, random_state: int) -> list[Resample]:
        """Draw the resamples of units that are found already.

        Raises
        ------
        InvalidInputError
            Fewer than two classes are large enough for halves that selectors can use.
        """
        rows = halved_rows(units)
        if len(rows) < len(units.y):
            drawn = self.draw_units(halved_units(units), random_state)
            parts = (one for one in drawn if one.role != FULL)
            moved = [replace(one, train=rows[one.train]) for one in parts]
            return [*moved, *self._full(units)]  # the selection asked about is that of all classes
        why = (
            f"halves need at least {{needed}} {units.noun}s of every class, so that each half "
            "keeps {keep}"
        )
        require(units, samples_for_halves, why, stratify=True)
        labels = Strata.of(units, stratify=True).labels
        halves = list(self._halves(units, labels, random_state))
        check_training(halves, units)
        smaller = [
            *self._parts(units, labels, random_state),
            *self._quarters(units, labels, random_state),
        ]
        usable = all(_usable(one, units) for one in smaller)
        return [*halves, *(smaller if usable else []), *self._full(units)]

    def _halves(self, units: Units, labels: NDArray[np.intp], seed: int) -> Iterator[Resample]:
        everyone = np.arange(units.count)
        for split in range(self.n_pairs):
            pair = disjoint(everyone, labels, 2, _generator(seed, HALF, split))
            yield from _resamples(units, pair, HALF, split)

    def _parts(self, units: Units, labels: NDArray[np.intp], seed: int) -> Iterator[Resample]:
        everyone = np.arange(units.count)
        for subset in range(self.n_pairs // 2):
            generator = _generator(seed, PART, subset)
            left_out = disjoint(everyone, labels, 4, generator)[0]
            kept = np.delete(everyone, left_out)
            for split in range(SPLITS):
                pair = disjoint(kept, labels, 2, generator)
                yield from _resamples(units, pair, PART, subset * SPLITS + split)

    def _quarters(self, units: Units, labels: NDArray[np.intp], seed: int) -> Iterator[Resample]:
        everyone = np.arange(units.count)
        for partition in range(max(1, self.n_pairs // 4)):
            four = disjoint(everyone, labels, 4, _generator(seed, QUARTER, partition))
            yield from _resamples(units, four, QUARTER, partition)

    def _full(self, units: Units) -> Iterator[Resample]:
        everyone = np.arange(units.count)
        for fit in range(N_FULL_FITS):
            yield from _resamples(units, [everyone], FULL, fit)


def samples_for_halves(keep: int) -> int:
    """Return how many units a class needs, of which each half keeps so many."""
    return 2 * keep


def classes_left_out(units: Units) -> dict[str, int]:
    """Return the classes that are too small to be halved, with their numbers of units.

    Parameters
    ----------
    units : Units
        The samples, or the subjects.

    Returns
    -------
    dict
        Empty where every class is large enough, and where fewer than two are: then nothing can be
        halved.
    """
    counts, keeps = units.holders.tolist(), units.keep.tolist()
    small = [
        code
        for code, (count, keep) in enumerate(zip(counts, keeps, strict=True))
        if count < samples_for_halves(keep)
    ]
    if len(units.classes) - len(small) < MIN_CLASSES:
        return {}
    return {str(units.classes[code]): counts[code] for code in small}


def halved_rows(units: Units) -> NDArray[np.intp]:
    """Return the rows of all classes that are large enough to be halved."""
    out = classes_left_out(units)
    left = np.isin([str(label) for label in units.classes], list(out))
    return np.flatnonzero(~left[units.codes])


def halved_units(units: Units) -> Units:
    """Return the units without the classes that are too small to be halved."""
    rows = halved_rows(units)
    if len(rows) == len(units.y):
        return units
    return Units.of(units.y[rows], None if units.groups is None else units.groups[rows])


def left_out_note(classes: Mapping[str, int], noun: str) -> str:
    """Say which classes a replication estimate leaves out; nothing where it leaves out none.

    Parameters
    ----------
    classes : mapping
        The classes and their numbers of units, as `classes_left_out` returns them.
    noun : str
        What a unit is called: ``"sample"`` or ``"subject"``.
    """
    if not classes:
        return ""
    named = [f"class {name!r} with {plural(count, noun)}" for name, count in classes.items()]
    verb = "is" if len(named) == 1 else "are"
    return (
        f"{format_list(named, MAX_CLASSES_NAMED)} {verb} too small to be halved and {verb} left "
        "out of the replication estimate"
    )


def _generator(seed: int, role: str, position: int) -> np.random.Generator:
    sequence = np.random.SeedSequence(seed, spawn_key=(ROLES.index(role), position))
    return np.random.default_rng(sequence)


def _resamples(
    units: Units, parts: list[NDArray[np.intp]], role: str, outer: int
) -> Iterator[Resample]:
    for part in parts:
        yield Resample(units.rows(part), NO_ROWS, role=role, outer=outer)


def _usable(resample: Resample, units: Units) -> bool:
    """Whether two samples of every class are there."""
    return bool(units.distinct(resample.train).min() >= 2)


class Numbered(Protocol):
    """A resample, or what is known of one."""

    @property
    def role(self) -> str: ...
    @property
    def outer(self) -> int | None: ...


class Placed(Protocol):
    """What tells which resamples belong together."""

    @property
    def role(self) -> str:
        """What the resample is for."""

    @property
    def outer(self) -> int | None:
        """The number that those share which are compared with each other."""


@dataclass(frozen=True, eq=False)
class ReplicationPairs:
    """Which resamples of a replication design are compared: positions in the list of resamples.

    Attributes
    ----------
    halves : ndarray of int, shape (K, 2)
        A pair a split.
    parts : ndarray of int, shape (B, 2, 2)
        For each subset two splits, a pair each.
    quarters : ndarray of int, shape (Q, 6, 2)
        For each partition the six pairs of its four quarters.
    full : ndarray of int, shape (F,)
        The fits of the full data; none in studies of earlier versions.
    """

    halves: NDArray[np.intp]
    parts: NDArray[np.intp]
    quarters: NDArray[np.intp]
    full: NDArray[np.intp]

    @classmethod
    def of(cls, resamples: Sequence[Numbered]) -> ReplicationPairs:
        """Find the pairs in a list of resamples; those of other roles are passed over."""
        halves, parts, quarters = (_together(resamples, role) for role in ROLES)
        six = list(combinations(range(4), 2))
        return cls(
            halves.reshape(-1, 2),
            parts.reshape(-1, SPLITS, 2),
            quarters.reshape(-1, 4)[:, six],
            _together(resamples, FULL),
        )


def _together(resamples: Sequence[Numbered], role: str) -> NDArray[np.intp]:
    """Return the positions of the resamples of a role, those of one number side by side."""
    own = [at for at, one in enumerate(resamples) if one.role == role]
    return np.array(sorted(own, key=lambda at: resamples[at].outer or 0), dtype=np.intp)
