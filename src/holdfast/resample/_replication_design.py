"""The resamples for replication stability: disjoint halves, parts of subsets, and quarters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from holdfast._formatting import format_list, plural
from holdfast._memory import check_resample_memory
from holdfast._typing import IndexArray
from holdfast._validation import check_integer, check_seed
from holdfast.resample._protocol import NO_ROWS, Resample
from holdfast.resample._strata import (
    Strata,
    Units,
    check_class_sizes,
    check_training_part,
    split_disjointly,
)

HALF, PART, QUARTER = "half", "part", "quarter"
ROLES = (HALF, PART, QUARTER)
FULL = "full"
"""Role of the full data, whose selection is to be replicated."""
N_FULL_FITS = 4
"""Fits of the full data, which differ if the selector is random; chosen by hand."""
MIN_CLASSES = 2
"""Fewest classes that selectors accept."""
MAX_CLASSES_NAMED = 3
"""Classes that a note names."""
RESAMPLES_PER_PAIR = 5
"""Resamples per pair of halves, derived: two halves, two parts, and one quarter."""
SHARE_OF_ROWS = 0.4
"""Mean share of the samples in a resample, derived: (2 / 2 + 2 * 3 / 8 + 1 / 4) / 5."""
SPLITS_PER_SUBSET = 2
"""How often each subset of three quarters of the data is split.

Derived: the fewest splits that show how much the similarity varies within a subset.
"""


@dataclass(frozen=True)
class ReplicationDesign:
    """Resamples that show how well independent studies agree, and how certain that is.

    ``"half"``: the data are split into two disjoint halves, `n_pairs` times; `outer` numbers the
    splits. ``"part"``: of `n_pairs` // 2 random subsets of three quarters of the data each is
    split into halves twice (parts of 3/8 of the data); `outer` is subset * 2 + split.
    ``"quarter"``: the data are cut into four disjoint quarters, `n_pairs` // 4 times, at least
    once. Only resamples of one role and one `outer` are compared with each other. Subjects stay
    together and classes keep their shares. Where a class is too small for quarters, there are
    only halves. A class that is too small for halves is left out of them, as long as two classes
    remain (`classes_left_out`). ``"full"``: the full data, four times, for the selection that is
    to be replicated.

    A design of more pairs begins with the same halves, and has the same first parts and quarters.

    Parameters
    ----------
    n_pairs : int, default 100
        Number of splits into halves, at least 2.

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
        return self.draw_units(Units.from_labels(y, groups), check_seed(random_state))

    def draw_units(self, units: Units, random_state: int) -> list[Resample]:
        """Draw the resamples of units that are already known.

        Raises
        ------
        InvalidInputError
            Fewer than two classes are large enough for halves that selectors can use.
        """
        check_resample_memory(
            "replication", RESAMPLES_PER_PAIR * self.n_pairs, round(len(units.y) * SHARE_OF_ROWS)
        )
        rows = halved_rows(units)
        if len(rows) < len(units.y):
            # drawn without the small classes, then numbered as rows of all data
            drawn = self.draw_units(halved_units(units), random_state)
            parts = (resample for resample in drawn if resample.role != FULL)
            moved = [replace(resample, train=rows[resample.train]) for resample in parts]
            return [*moved, *self._draw_full(units)]  # the full data keep all classes
        why = (
            f"halves need at least {{needed}} {units.noun}s of every class, so that each half "
            "keeps {keep}"
        )
        check_class_sizes(units, samples_for_halves, why, stratify=True)
        labels = Strata.from_units(units, stratify=True).labels
        halves = list(self._draw_halves(units, labels, random_state))
        for position, half in enumerate(halves):
            check_training_part(units, position, half.train)
        smaller = [
            *self._draw_parts(units, labels, random_state),
            *self._draw_quarters(units, labels, random_state),
        ]
        # smaller parts are used only if each has two different samples of every class
        usable = all(units.distinct(resample.train).min() >= 2 for resample in smaller)
        return [*halves, *(smaller if usable else []), *self._draw_full(units)]

    def _draw_halves(self, units: Units, labels: IndexArray, seed: int) -> Iterator[Resample]:
        everyone = np.arange(units.count)
        for split in range(self.n_pairs):
            pair = split_disjointly(everyone, labels, 2, _make_generator(seed, HALF, split))
            yield from _make_resamples(units, pair, HALF, split)

    def _draw_parts(self, units: Units, labels: IndexArray, seed: int) -> Iterator[Resample]:
        everyone = np.arange(units.count)
        for subset in range(self.n_pairs // 2):
            generator = _make_generator(seed, PART, subset)
            # one of four stratified quarters: the subset keeps the shares of the classes
            left_out = split_disjointly(everyone, labels, 4, generator)[0]
            kept = np.delete(everyone, left_out)
            for split in range(SPLITS_PER_SUBSET):
                pair = split_disjointly(kept, labels, 2, generator)
                yield from _make_resamples(units, pair, PART, subset * SPLITS_PER_SUBSET + split)

    def _draw_quarters(self, units: Units, labels: IndexArray, seed: int) -> Iterator[Resample]:
        everyone = np.arange(units.count)
        for partition in range(max(1, self.n_pairs // 4)):
            four = split_disjointly(everyone, labels, 4, _make_generator(seed, QUARTER, partition))
            yield from _make_resamples(units, four, QUARTER, partition)

    def _draw_full(self, units: Units) -> Iterator[Resample]:
        everyone = np.arange(units.count)
        for fit in range(N_FULL_FITS):
            yield from _make_resamples(units, [everyone], FULL, fit)


def samples_for_halves(keep: int) -> int:
    """Return how many units a class needs so that each half keeps `keep` of them."""
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
        Empty if every class is large enough, and if fewer than two are: then nothing can be halved.
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


def halved_rows(units: Units) -> IndexArray:
    """Return the rows of all classes that are large enough to be halved."""
    small = classes_left_out(units)
    is_small = np.isin([str(label) for label in units.classes], list(small))
    return np.flatnonzero(~is_small[units.codes])


def halved_units(units: Units) -> Units:
    """Return the units without the classes that are too small to be halved."""
    rows = halved_rows(units)
    if len(rows) == len(units.y):
        return units
    return Units.from_labels(units.y[rows], None if units.groups is None else units.groups[rows])


def left_out_note(classes: Mapping[str, int], noun: str) -> str:
    """Return a note on the classes that a replication estimate leaves out; empty if none.

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


def _make_generator(seed: int, role: str, position: int) -> np.random.Generator:
    # seeded by role and position: a design of more pairs begins with the same resamples
    sequence = np.random.SeedSequence(seed, spawn_key=(ROLES.index(role), position))
    return np.random.default_rng(sequence)


def _make_resamples(
    units: Units, parts: list[IndexArray], role: str, outer: int
) -> Iterator[Resample]:
    for part in parts:
        yield Resample(units.rows(part), NO_ROWS, role=role, outer=outer)


class ResamplePlace(Protocol):
    """The place of a resample in a design: which resamples belong together."""

    @property
    def role(self) -> str:
        """What the resample is for."""

    @property
    def outer(self) -> int | None:
        """The number that resamples share which are compared with each other."""


@dataclass(frozen=True, eq=False)
class ReplicationPairs:
    """Which resamples of a replication design are compared: positions in the list of resamples.

    Attributes
    ----------
    halves : ndarray of int, shape (K, 2)
        One pair per split.
    parts : ndarray of int, shape (B, 2, 2)
        For each subset two splits, one pair each.
    quarters : ndarray of int, shape (Q, 6, 2)
        For each partition the six pairs of its four quarters.
    full : ndarray of int, shape (F,)
        The fits of the full data; none in studies of earlier versions.
    """

    halves: IndexArray
    parts: IndexArray
    quarters: IndexArray
    full: IndexArray

    @classmethod
    def from_resamples(cls, resamples: Sequence[ResamplePlace]) -> ReplicationPairs:
        """Find the pairs in a list of resamples; other roles are ignored."""
        halves, parts, quarters = (_positions_by_role(resamples, role) for role in ROLES)
        six = list(combinations(range(4), 2))
        return cls(
            halves.reshape(-1, 2),
            parts.reshape(-1, SPLITS_PER_SUBSET, 2),
            quarters.reshape(-1, 4)[:, six],
            _positions_by_role(resamples, FULL),
        )


def _positions_by_role(resamples: Sequence[ResamplePlace], role: str) -> IndexArray:
    """Return the positions of the resamples of a role, ordered by `outer`."""
    positions = [i for i, resample in enumerate(resamples) if resample.role == role]
    # a stable sort: the parts of one comparison keep their order
    return np.array(sorted(positions, key=lambda i: resamples[i].outer or 0), dtype=np.intp)
