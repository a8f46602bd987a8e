"""The units that protocols draw: samples, or subjects with all their samples; disjoint parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from holdfast._formatting import format_list, plural
from holdfast._typing import AnyArray, FloatArray, IndexArray
from holdfast.errors import InvalidInputError


@dataclass(frozen=True, eq=False, kw_only=True)
class Units:
    """The units that are drawn: the samples, or the subjects where groups are given.

    Attributes
    ----------
    y : ndarray
        The class of each sample, as given.
    groups : ndarray or None
        The subject of each sample, as given.
    classes : ndarray
        The classes, sorted.
    codes : ndarray of int
        The class of each sample, as an index into `classes`.
    table : ndarray of int
        How many samples of each class (columns) each unit (rows) has.
    order, starts, sizes : ndarray of int
        The rows in the order of their units; where each unit starts in it; rows per unit.
    """

    y: AnyArray
    groups: AnyArray | None
    classes: AnyArray
    codes: IndexArray
    table: IndexArray
    order: IndexArray
    starts: IndexArray
    sizes: IndexArray

    @classmethod
    def from_labels(cls, y: ArrayLike, groups: ArrayLike | None) -> Units:
        """Check classes and subjects, and build the units."""
        labels = label_column(y, "y")
        classes, codes = number_entries(labels, "y")
        if len(classes) < 2:
            raise InvalidInputError("y must hold at least two classes; got one.")
        subjects = None if groups is None else label_column(groups, "groups", len(labels))
        unit = np.arange(len(codes)) if subjects is None else number_entries(subjects, "groups")[1]
        table = np.zeros((unit.max() + 1, len(classes)), dtype=np.intp)
        np.add.at(table, (unit, codes), 1)
        sizes = table.sum(axis=1)
        return cls(
            y=labels,
            groups=subjects,
            classes=classes,
            codes=codes,
            table=table,
            order=np.argsort(unit, kind="stable"),
            starts=np.cumsum(sizes) - sizes,
            sizes=sizes,
        )

    @property
    def count(self) -> int:
        """Number of units."""
        return len(self.table)

    @property
    def holders(self) -> IndexArray:
        """Number of units that have samples of each class."""
        holders: IndexArray = (self.table > 0).sum(axis=0)
        return holders

    @property
    def keep(self) -> IndexArray:
        """How many units of each class a training part keeps, so that it has 2 samples of it.

        One subject is enough where every subject of the class has several samples of it.
        """
        # 2 samples are needed: of units with 1 sample two, of units with more one
        fewest: IndexArray = np.where(self.table > 0, self.table, 2).min(axis=0, initial=2)
        # `fewest` is 1 or 2, so this is 2 or 1
        return 3 - fewest

    @property
    def noun(self) -> str:
        """The noun for a unit in messages."""
        return "sample" if self.groups is None else "subject"

    def class_name(self, code: int) -> str:
        """Return the name of a class as messages show it."""
        return repr(self.classes[code].item())

    def rows(self, drawn: IndexArray) -> IndexArray:
        """Return the rows of drawn units, in order; a unit that was drawn twice counts twice."""
        if self.groups is None:
            return np.sort(drawn)
        sizes = self.sizes[drawn]
        # vectorised concatenation of ranges: the rows of each unit are consecutive in `order`
        before = np.cumsum(sizes) - sizes
        places = np.repeat(self.starts[drawn] - before, sizes) + np.arange(sizes.sum())
        return np.sort(self.order[places])

    def split(self, drawn: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Return the rows of drawn units, and the rows of all other units."""
        left = np.ones(self.count, dtype=bool)
        left[drawn] = False
        return self.rows(drawn), self.rows(np.flatnonzero(left))

    def distinct(self, rows: IndexArray) -> IndexArray:
        """Return how many different samples of each class rows in order have."""
        first = np.diff(rows, prepend=-1) > 0  # copies follow each other
        return np.bincount(self.codes[rows[first]], minlength=len(self.classes))


def number_entries(column: AnyArray, name: str) -> tuple[AnyArray, IndexArray]:
    """Return the distinct entries, sorted, and the index of each entry among them."""
    try:
        # only floats and objects can be missing; NaN is the value that differs from itself
        if column.dtype.kind not in "fO" or not any(
            entry is None or entry != entry  # noqa: PLR0124
            for entry in column.tolist()
        ):
            return np.unique(column, return_inverse=True)
    except TypeError:
        pass  # entries that cannot be sorted or compared
    kinds = sorted({type(entry).__name__ for entry in column.tolist()})
    raise InvalidInputError(
        f"{name} must be all text or all numbers, with no entry missing; got "
        f"{format_list(kinds)}, or NaN. Give each sample its {name}, or leave the sample out."
    )


def label_column(values: ArrayLike, name: str, length: int | None = None) -> AnyArray:
    """Return labels as one column; raise for other shapes and another length."""
    column = np.asarray(values)
    if column.ndim != 1 or column.size == 0:
        raise InvalidInputError(f"{name} must be one column; got shape {column.shape}.")
    if length is not None and len(column) != length:
        raise InvalidInputError(
            f"{name} must have one entry per sample: {length:,}; got {len(column):,}."
        )
    return column


# Strata: protocols draw within each of them.

MAX_CLASSES_NAMED = 3
"""Classes that messages name; more small ones suggest that the labels are numbers."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Units grouped by their classes; one stratum of all units without stratification.

    Attributes
    ----------
    labels : ndarray of int
        The stratum of each unit.
    order : ndarray of int
        The units by stratum.
    starts, sizes : ndarray of int
        Where each stratum starts in `order`, and its number of units.
    least : ndarray of int
        Units of each stratum that stay in every training part.
    """

    labels: IndexArray
    order: IndexArray
    starts: IndexArray
    sizes: IndexArray
    least: IndexArray

    @classmethod
    def from_units(cls, units: Units, *, stratify: bool) -> Strata:
        """Group units by their classes, or take all of them together."""
        if stratify:
            labels = group_by_classes(units.table)
            least = units_to_keep(labels, units.table)
        else:
            labels = np.zeros(units.count, dtype=np.intp)
            least = units.keep.max(keepdims=True)
        sizes = np.bincount(labels)
        order = np.argsort(labels, kind="stable")
        return cls(labels, order, np.cumsum(sizes) - sizes, sizes, least)

    @cached_property
    def place(self) -> IndexArray:
        """The place of each unit of `order` within its stratum, from 0."""
        return np.arange(len(self.order)) - np.repeat(self.starts, self.sizes)

    def shuffle(self, generator: np.random.Generator) -> IndexArray:
        """Return the units by stratum, in random order within each."""
        # one random key per unit, so that draws do not depend on the order of the strata
        return np.lexsort((generator.random(len(self.labels)), self.labels))

    def take_first(self, ordered: IndexArray, counts: IndexArray) -> IndexArray:
        """Return the first `counts` units of each stratum."""
        return ordered[self.place < np.repeat(counts, self.sizes)]

    def with_replacement(self, counts: IndexArray, generator: np.random.Generator) -> IndexArray:
        """Draw `counts` units of each stratum; a unit may be drawn again."""
        sizes, starts = np.repeat(self.sizes, counts), np.repeat(self.starts, counts)
        # one uniform number per draw for strata of any size
        return self.order[starts + (generator.random(len(sizes)) * sizes).astype(np.intp)]


def check_class_sizes(
    units: Units, needed: Callable[[int], int], why: str, *, stratify: bool
) -> None:
    """Raise if a class has too few units.

    Without stratification it is the number of all units that counts.

    Parameters
    ----------
    units : Units
        The units.
    needed : callable
        Returns how many units a class needs if a training part must keep a given number.
    why : str
        Completes the sentence; ``{needed}`` and ``{keep}`` stand for these two numbers.
    stratify : bool
        Whether classes count.
    """
    counts, keeps = units.holders, units.keep
    if not stratify:
        counts, keeps = np.array([units.count]), keeps.max(keepdims=True)
    small = [code for code, keep in enumerate(keeps.tolist()) if counts[code] < needed(keep)]
    if small:
        keep = int(keeps[small[0]])
        amounts = [plural(int(counts[code]), units.noun) for code in small]
        sizes = [f"there are {amount}" for amount in amounts]
        if stratify:
            named = zip(small, amounts, strict=True)
            sizes = [f"class {units.class_name(code)} has {amount}" for code, amount in named]
        hint = " Are these classes, and not numbers?" if len(sizes) > MAX_CLASSES_NAMED else ""
        raise InvalidInputError(
            f"{format_list(sizes, MAX_CLASSES_NAMED)}; "
            f"{why.format(needed=needed(keep), keep=keep)}.{hint}"
        )


# How units are grouped into strata, and how many units of a stratum a training part keeps.
#
# A unit of one class belongs to the stratum of that class. Subjects with samples of several
# classes, as in paired designs, have separate strata, by the class of most samples and by the
# classes that occur.

MIN_UNITS_PER_STRATUM = 5
"""Smaller strata are merged, unless they are the largest of a class; chosen by hand."""


def group_by_classes(table: IndexArray) -> IndexArray:
    """Return the stratum of each unit, from the samples of each class that each unit has."""
    kinds = _number_mixtures(table)
    sizes = np.bincount(kinds)
    held = np.zeros((len(sizes), table.shape[1]), dtype=bool)
    held[kinds] = table > 0
    # for each class, the largest stratum whose units have samples of it
    homes: IndexArray = np.where(held, sizes[:, None], 0).argmax(axis=0)
    small = sizes < MIN_UNITS_PER_STRATUM
    small[homes] = False
    return _renumber_strata(np.where(small[kinds], homes[table.argmax(axis=1)], kinds))


def _number_mixtures(table: IndexArray) -> IndexArray:
    """Number the mixtures of classes; units of one class come first, in the order of classes."""
    kinds = table.argmax(axis=1)
    mixed = np.count_nonzero(table, axis=1) > 1
    if mixed.any():
        traits = np.column_stack([kinds, table > 0])[mixed]
        inverse = np.unique(traits, axis=0, return_inverse=True)[1]
        kinds[mixed] = table.shape[1] + inverse.ravel()
    return _renumber_strata(kinds)


def _renumber_strata(labels: IndexArray) -> IndexArray:
    return np.unique(labels, return_inverse=True)[1]


def units_to_keep(labels: IndexArray, table: IndexArray) -> IndexArray:
    """Return how many units of each stratum give a training part 2 samples of every class.

    Classes are considered from the rarest on; those that have 2 samples already, such as the
    other class of a paired design, need no more.
    """
    shape, held = (labels.max() + 1, table.shape[1]), table > 0
    holders, fewest = np.zeros(shape, dtype=np.intp), np.full(shape, 2, dtype=np.intp)
    np.add.at(holders, labels, held)
    np.minimum.at(fewest, labels, np.where(held, table, 2))
    sizes = np.bincount(labels)
    lacking = sizes[:, None] - holders
    least = np.zeros(shape[0], dtype=np.intp)
    # rare classes first: the units kept for them count for the others as well
    for code in np.argsort(held.sum(axis=0), kind="stable"):
        if np.maximum(least - lacking[:, code], 0) @ fewest[:, code] < 2:
            home = holders[:, code].argmax()
            # all drawn units that lack the class, then as many as have 2 samples of it
            enough = lacking[home, code] + 3 - fewest[home, code]
            least[home] = min(max(least[home], enough), sizes[home])
    return least


# Stratified drawing: how many units of each stratum are drawn, and which.


class Drawing:
    """Random draws of a fixed number of units in which each class keeps its share.

    Parameters
    ----------
    units : Units
        The units.
    total : int
        Number of units to draw.
    who : str
        Name of the protocol, for the error about classes of one unit.
    stratify : bool
        Whether classes keep their shares.
    """

    def __init__(self, units: Units, total: int, who: str, *, stratify: bool) -> None:
        why = f"{who} needs at least 2 {units.noun}s of every class"
        check_class_sizes(units, lambda _: 2, why, stratify=stratify)
        self._strata = Strata.from_units(units, stratify=stratify)
        self._shares = Shares(self._strata, total)

    def without_replacement(self, generator: np.random.Generator) -> IndexArray:
        """Draw each unit at most once."""
        shuffled = self._strata.shuffle(generator)
        return self._strata.take_first(shuffled, self._shares.counts(generator))

    def with_replacement(self, generator: np.random.Generator) -> IndexArray:
        """Draw units, each possibly several times."""
        return self._strata.with_replacement(self._shares.counts(generator), generator)


class Shares:
    """How many of a total each stratum gets: largest remainders, ties at random.

    Every stratum gets at least `least` units, or all it has; strata above their share give way.
    """

    def __init__(self, strata: Strata, total: int) -> None:
        self._quotas = total * strata.sizes / strata.sizes.sum()
        self._lower = np.minimum(strata.least, strata.sizes)
        self._upper = strata.sizes
        self._total = total
        if self._lower.sum() > total:
            raise InvalidInputError(
                f"training parts of {total:,} are too small: with as many of every class as "
                f"selectors need they have at least {self._lower.sum():,}."
            )
        self._cached_counts = lru_cache(maxsize=1024)(
            self._round_quotas
        )  # few classes have few orders
        # if opposite priorities agree, there are no ties, and no random numbers are needed
        priority = range(len(self._quotas))
        first = self._cached_counts(tuple(priority))
        last = self._cached_counts(tuple(reversed(priority)))
        self._fixed = first if (first == last).all() else None

    def counts(self, generator: np.random.Generator) -> IndexArray:
        """Return the number for each stratum."""
        if self._fixed is not None:
            return self._fixed
        return self._cached_counts(tuple(generator.permutation(len(self._quotas)).tolist()))

    def _round_quotas(self, priority: tuple[int, ...]) -> IndexArray:
        """Adjust the rounded shares one unit at a time; `priority` decides between equal claims."""
        # largest remainders within bounds: a stratum never has fewer units than it must keep
        counts: IndexArray = np.floor(self._quotas).astype(np.intp)
        counts = np.clip(counts, self._lower, self._upper)
        while counts.sum() < self._total:
            claims = np.where(counts < self._upper, self._quotas - counts, -np.inf)
            counts[_position_of_largest(claims, priority)] += 1
        while counts.sum() > self._total:
            excess = np.where(counts > self._lower, counts - self._quotas, -np.inf)
            counts[_position_of_largest(excess, priority)] -= 1
        return counts


def _position_of_largest(claims: FloatArray, priority: tuple[int, ...]) -> int:
    rounded = np.round(claims, 9)  # claims that differ only by rounding errors are equal
    return int(np.lexsort((np.asarray(priority), rounded))[-1])


# Disjoint parts of the units.


def split_disjointly(
    chosen: IndexArray, labels: IndexArray, count: int, generator: np.random.Generator
) -> list[IndexArray]:
    """Split units into disjoint parts of one size, each stratum as evenly as possible.

    Parameters
    ----------
    chosen : ndarray of int
        The units to split; those that are left over are in no part.
    labels : ndarray of int
        The stratum of every unit.
    count : int
        Number of parts.
    generator : Generator
        Decides which unit goes where.

    Returns
    -------
    list of ndarray
        The units of each part.
    """
    turn = generator.permutation(labels.max() + 1)  # leftovers come from random strata
    ordered = chosen[np.lexsort((generator.random(len(chosen)), turn[labels[chosen]]))]
    stratum = turn[labels[ordered]]
    sizes = np.bincount(stratum)
    place = np.arange(len(ordered)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    even = place < np.repeat(sizes - sizes % count, sizes)
    rest = ordered[~even]
    rest = rest[: len(rest) - len(rest) % count]  # sorted by stratum, so dealt out evenly
    parts = np.concatenate([place[even] % count, np.arange(len(rest)) % count])
    units = np.concatenate([ordered[even], rest])
    return [units[parts == part] for part in range(count)]


# Resamples that no selector can use are refused before any work starts.


def check_training_part(units: Units, position: int, rows: IndexArray) -> None:
    """Raise for a training part that no selector can use: one class, or a class of one sample."""
    counts = units.distinct(rows)
    if is_enough(counts):
        return
    listed = ", ".join(
        f"{plural(int(count), 'sample')} of class {units.class_name(code)}"
        for code, count in enumerate(counts)
    )
    raise InvalidInputError(
        f"the training part of resample {position} has {listed}; selectors need at least two "
        "classes, and 2 different samples of every class that is there. Larger training parts "
        "avoid this, and so do stratified protocols where no subject has several classes."
    )


def is_enough(counts: IndexArray) -> bool:
    """Return whether these numbers of different samples per class suffice for selectors."""
    # a class is absent or has two different samples: one sample has no variance
    return 1 not in counts and bool(np.count_nonzero(counts) >= 2)
