"""What is drawn: samples, or subjects with all their samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Units:
    """The units that are drawn: the samples, or the subjects where groups are given.

    A subject whose samples are of several classes counts for the class that most of them have
    (the first such class, where several have as many).

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
    labels : ndarray of int
        The class of each unit, as an index into `classes`.
    order, starts, sizes : ndarray of int
        The rows in the order of their units; where each unit starts in it; rows a unit.
    """

    y: NDArray[Any]
    groups: NDArray[Any] | None
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    labels: NDArray[np.intp]
    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, y: ArrayLike, groups: ArrayLike | None) -> Units:
        """Check classes and subjects, and find the units."""
        labels = _column(y, "y")
        classes, codes = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise InvalidInputError("y must hold at least two classes; received one")
        subjects = None if groups is None else _column(groups, "groups", len(labels))
        unit = np.arange(len(codes)) if subjects is None else _numbered(subjects)
        table = np.zeros((unit.max() + 1, len(classes)), dtype=np.intp)
        np.add.at(table, (unit, codes), 1)
        sizes = table.sum(axis=1)
        return cls(
            y=labels,
            groups=subjects,
            classes=classes,
            codes=codes,
            labels=table.argmax(axis=1),
            order=np.argsort(unit, kind="stable"),
            starts=np.cumsum(sizes) - sizes,
            sizes=sizes,
        )

    @property
    def count(self) -> int:
        """How many units there are."""
        return len(self.labels)

    @property
    def keep(self) -> NDArray[np.intp]:
        """How many units of each class a training part keeps, so that it has 2 samples of it.

        One subject is enough where every subject of the class has several samples.
        """
        smallest = np.full(len(self.classes), 2, dtype=np.intp)
        np.minimum.at(smallest, self.labels, self.sizes)
        return 3 - smallest

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


def _numbered(subjects: NDArray[Any]) -> NDArray[np.intp]:
    return np.unique(subjects, return_inverse=True)[1]


def _column(values: ArrayLike, name: str, length: int | None = None) -> NDArray[Any]:
    column = np.asarray(values)
    if column.ndim != 1 or column.size == 0:
        raise InvalidInputError(f"{name} must be one column; received shape {column.shape}")
    if length is not None and len(column) != length:
        raise InvalidInputError(
            f"{name} must have one entry a sample: {length:,}; received {len(column):,}"
        )
    return column
