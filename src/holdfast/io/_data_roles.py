"""Which column of a table is the target, which are features, which are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.io._data_columns import Columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Sized

    from numpy.typing import NDArray

    from holdfast.io._data_columns import Column

_ROW_LABELS = "row labels"


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the caller said about the columns of a table."""

    target: Any = None
    drop: tuple[Column, ...] = ()
    nominal: tuple[Column, ...] = ()
    groups: Column | None = None
    cohort: Column | None = None
    classes: bool = False
    """Whether the numbers of the target are class labels."""

    def as_json(self) -> dict[str, Any]:
        """Return what differs from the defaults, as arguments of `read_data`."""
        said = {
            "target": self.target,
            "drop": list(self.drop),
            "nominal": list(self.nominal),
            "groups": self.groups,
            "cohort": self.cohort,
            "classes": self.classes or None,
        }
        return {key: value for key, value in said.items() if value not in (None, [])}


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Positions of columns by what they are; `nominal` are positions among all columns."""

    names: tuple[str, ...]
    target: int
    features: NDArray[np.intp]
    nominal: tuple[int, ...]
    groups: int | None = None
    cohort: int | None = None
    classes: bool = False
    """Whether the caller or the file declares the target's values as class labels."""
    notes: tuple[str, ...] = ()

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(self.names[column] for column in self.features)

    @property
    def labels(self) -> dict[str, int]:
        """The columns that become labels of a data set, by the name of its field."""
        found = {"y": self.target, "groups": self.groups, "cohorts": self.cohort}
        return {name: column for name, column in found.items() if column is not None}


def roles_of(
    where: str, names: Sequence[str], wishes: Wishes, declared: Iterable[int] = ()
) -> Roles:
    """Give each column its role; a first column without a name holds row labels.

    Parameters
    ----------
    where : str
        What messages call the table.
    names : sequence of str
        The names of the columns, each once.
    wishes : Wishes
        What the caller said.
    declared : iterable of int
        Columns that are nominal by the file itself, unless the caller gave them another role.
    """
    columns = Columns(where, names)
    declared = tuple(declared)
    target = columns.give_target(wishes.target)
    groups, cohort = give_beside(columns, wishes)
    give_all(columns, wishes)
    columns.give_rest("nominal", declared)
    columns.give_rest(_ROW_LABELS, [0] if names[0] == "" else [])
    out = columns.having("target", "groups", "cohort", "drop", _ROW_LABELS)
    features = np.delete(np.arange(len(names)), out)
    refuse_nothing_left(where, features)
    note = ("The first column has no name: it is taken as labels of the rows and left out.",)
    return Roles(
        names=tuple(names),
        target=target,
        groups=groups,
        cohort=cohort,
        features=features,
        nominal=columns.having("nominal"),
        classes=wishes.classes or target in declared,
        notes=note if columns.having(_ROW_LABELS) else (),
    )


def give_beside(columns: Columns, wishes: Wishes) -> tuple[int | None, int | None]:
    """Give the roles of subjects and of cohorts, and return the positions of their columns."""
    groups = None if wishes.groups is None else columns.give("groups", wishes.groups)
    cohort = None if wishes.cohort is None else columns.give("cohort", wishes.cohort)
    return groups, cohort


def give_all(columns: Columns, wishes: Wishes) -> None:
    """Give the roles that several columns may have."""
    for column in wishes.drop:
        columns.give("drop", column)
    for column in wishes.nominal:
        columns.give("nominal", column)


def refuse_nothing_left(where: str, features: Sized) -> None:
    """Refuse a table in which every column has another role."""
    if not len(features):
        raise InvalidInputError(f"{where}: no column is left as a feature.")
