"""What is drawn: samples, or subjects with all their samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._text import shortened
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Units:
    """The units that are drawn: the samples, or the subjects where groups are given.

    Attributes
    ----------
    y : ndarray
        The class of each sample, as received.
    groups : ndarray or None
        The subject of each sample, as received.
    classes : ndarray
        The classes, sorted.
    codes : ndarray of int
        The class of each sample, as an index into `classes`.
    table : ndarray of int
        How many samples of each class (columns) each unit (rows) has.
    order, starts, sizes : ndarray of int
        The rows in the order of their units; where each unit starts in it; rows a unit.
    """

    y: NDArray[Any]
    groups: NDArray[Any] | None
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    table: NDArray[np.intp]
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, y: ArrayLike, groups: ArrayLike | None) -> Units:
        """Check classes and subjects, and find the units."""
        labels = label_column(y, "y")
        classes, codes = numbered(labels, "y")
        if len(classes) < 2:
            raise InvalidInputError("y must hold at least two classes; received one.")
        subjects = None if groups is None else label_column(groups, "groups", len(labels))
        unit = np.arange(len(codes)) if subjects is None else numbered(subjects, "groups")[1]
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
        """How many units there are."""
        return len(self.table)

    @property
    def holders(self) -> NDArray[np.intp]:
        """How many units have samples of each class."""
        holders: NDArray[np.intp] = (self.table > 0).sum(axis=0)
        return holders

    @property
    def keep(self) -> NDArray[np.intp]:
        """How many units of each class a training part keeps, so that it has 2 samples of it.

        One subject is enough where every subject of the class has several samples of it.
        """
        fewest: NDArray[np.intp] = np.where(self.table > 0, self.table, 2).min(axis=0, initial=2)
        return 3 - fewest

    @property
    def noun(self) -> str:
        """What a unit is called."""
        return "sample" if self.groups is None else "subject"

    def class_name(self, code: int) -> str:
        """Return the name of a class as messages show it."""
        return repr(self.classes[code].item())

    def rows(self, drawn: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the rows of drawn units, in order; a unit that was drawn twice counts twice."""
        if self.groups is None:
            return np.sort(drawn)
        sizes = self.sizes[drawn]
        before = np.cumsum(sizes) - sizes
        places = np.repeat(self.starts[drawn] - before, sizes) + np.arange(sizes.sum())
        return np.sort(self.order[places])

    def split(self, drawn: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of drawn units, and the rows of all other units."""
        left = np.ones(self.count, dtype=bool)
        left[drawn] = False
        return self.rows(drawn), self.rows(np.flatnonzero(left))

    def distinct(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return how many different samples of each class rows in order have."""
        first = np.diff(rows, prepend=-1) > 0  # copies follow each other
        return np.bincount(self.codes[rows[first]], minlength=len(self.classes))


def numbered(column: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the different entries, sorted, and the number of each entry among them."""
    try:
        if not _has_missing(column):
            return np.unique(column, return_inverse=True)
    except TypeError:
        pass  # entries that cannot be sorted or compared
    kinds = sorted({type(entry).__name__ for entry in column.tolist()})
    raise InvalidInputError(
        f"{name} must be all text or all numbers, with no entry missing; received "
        f"{shortened(kinds)}, or NaN. Give each sample its {name}, or leave the sample out."
    )


def _has_missing(column: NDArray[Any]) -> bool:
    if column.dtype.kind not in "fO":
        return False
    return any(entry is None or entry != entry for entry in column.tolist())  # noqa: PLR0124


def label_column(values: ArrayLike, name: str, length: int | None = None) -> NDArray[Any]:
    """Return labels as one column; refuse other shapes and another length."""
    column = np.asarray(values)
    if column.ndim != 1 or column.size == 0:
        raise InvalidInputError(f"{name} must be one column; received shape {column.shape}.")
    if length is not None and len(column) != length:
        raise InvalidInputError(
            f"{name} must have one entry a sample: {length:,}; received {len(column):,}."
        )
    return column
