"""The resamples behind a comparison of cohorts: the cohorts, and the same sizes dealt anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from holdfast._formatting import format_list, plural
from holdfast._validation import check_integer, seed_of
from holdfast.errors import InvalidInputError
from holdfast.resample._protocol import NO_ROWS, Resample
from holdfast.resample._strata import Units, label_column, number_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

COHORT, SHUFFLED = "cohort", "shuffled"
MIN_UNITS_PER_CLASS = 2
"""So many units of every class a cohort needs."""
STREAM = 3
"""Seeds of shuffles; those before are of a replication design of the same seed."""


class CohortPlacement(Protocol):
    """What tells the place of a resample in a design."""

    @property
    def role(self) -> str: ...
    @property
    def outer(self) -> int | None: ...


@dataclass(frozen=True)
class CohortDesign:
    """Resamples that tell whether cohorts differ: each cohort, and samples of the same sizes.

    ``"cohort"``: all rows of a cohort; `outer` numbers the cohorts, sorted by name.
    ``"shuffled"``: the units of all cohorts together are dealt anew to as many samples of the
    same sizes, `n_shuffles` times; `outer` numbers the shuffles, and the samples of one shuffle
    follow each other in the order of the cohorts. Each sample has as many units of every class as
    its cohort: exactly as many subjects of every mixture of classes, where subjects have several.
    Subjects stay together. How well the samples of a shuffle agree is what is to be expected if
    cohorts are samples of one population.

    A design of more shuffles begins with the same resamples.

    Parameters
    ----------
    n_shuffles : int, default 50
        How often the units are dealt anew.

    Examples
    --------
    >>> from holdfast.resample import CohortDesign
    >>> sites = ["London"] * 4 + ["Paris"] * 6
    >>> resamples = CohortDesign(2).draw(["a", "b"] * 5, sites)
    >>> [(one.role, one.outer, len(one.train)) for one in resamples[:4]]
    [('cohort', 0, 4), ('cohort', 1, 6), ('shuffled', 0, 4), ('shuffled', 0, 6)]
    """

    n_shuffles: int = 50

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_shuffles", check_integer(self.n_shuffles, "n_shuffles", 1))

    def draw(
        self,
        y: ArrayLike,
        cohorts: ArrayLike,
        groups: ArrayLike | None = None,
        random_state: int = 0,
    ) -> list[Resample]:
        """Draw the resamples; equal arguments give equal resamples.

        Parameters
        ----------
        y : array-like of shape (n,)
            The class of each sample.
        cohorts : array-like of shape (n,)
            The cohort of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample; a subject belongs to one cohort.
        random_state : int, default 0
            Seed. Each shuffle is seeded by its position.
        """
        return self.draw_units(Units.of(y, groups), cohorts, seed_of(random_state))

    def draw_units(self, units: Units, cohorts: ArrayLike, random_state: int) -> list[Resample]:
        """Draw the resamples of units that are found already.

        Raises
        ------
        InvalidInputError
            There is one cohort only, a cohort has fewer than two units of a class, or a subject
            is in two cohorts; the message names them.
        """
        names, rows = cohort_codes(cohorts, len(units.y))
        own = _of_units(units, names, rows)
        _check_classes(units, names, own)
        found = [_resample(units, own == code, COHORT, code) for code in range(len(names))]
        return [*found, *self._shuffled(units, own, random_state)]

    def _shuffled(self, units: Units, own: NDArray[np.intp], seed: int) -> Iterator[Resample]:
        strata = np.unique(units.table > 0, axis=0, return_inverse=True)[1].ravel()
        home = np.lexsort((own, strata))  # stratum by stratum, in the order of the cohorts
        for shuffle in range(self.n_shuffles):
            generator = np.random.default_rng(
                np.random.SeedSequence(seed, spawn_key=(STREAM, shuffle))
            )
            dealt = np.empty_like(own)
            dealt[np.lexsort((generator.random(len(own)), strata))] = own[home]
            for code in range(own.max() + 1):
                yield _resample(units, dealt == code, SHUFFLED, shuffle)


def cohort_places(resamples: Mapping[int, CohortPlacement]) -> NDArray[np.intp]:
    """Find the resamples of a cohort design that are compared with each other.

    Parameters
    ----------
    resamples : mapping
        Resamples, or anything with a `role` and an `outer`, by number; those of other roles are
        passed over. Some may be missing.

    Returns
    -------
    ndarray of int, shape (1 + s, c)
        Numbers of the resamples of c cohorts, then of s shuffles, in the order of the cohorts.
        Shuffles that are not complete are left out.
    """
    cohorts = [number for number, one in resamples.items() if one.role == COHORT]
    shuffles: dict[int | None, list[int]] = {}
    for number, one in resamples.items():
        if one.role == SHUFFLED:
            shuffles.setdefault(one.outer, []).append(number)
    whole = [own for own in shuffles.values() if len(own) == len(cohorts)]
    return np.sort(np.array([cohorts, *whole], dtype=np.intp), axis=1)


def cohort_codes(cohorts: ArrayLike, n_samples: int) -> tuple[list[str], NDArray[np.intp]]:
    """Return the names of the cohorts, sorted, and the number of each sample's cohort.

    Refuses missing entries, another number of them than of samples, and a single cohort.
    """
    labels, codes = number_entries(label_column(cohorts, "cohorts", n_samples), "cohorts")
    if len(labels) < 2:
        raise InvalidInputError(
            f"at least two cohorts are needed to compare, got one: {labels[0]!s}. Is this the "
            "right column?"
        )
    return [str(label) for label in labels.tolist()], codes


def _of_units(units: Units, names: Sequence[str], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the cohort of each unit; refuse subjects that are in two."""
    first = units.order[units.starts]
    ordered, unit = rows[units.order], np.repeat(np.arange(units.count), units.sizes)
    torn = np.unique(unit[ordered != rows[first][unit]])
    if torn.size and units.groups is not None:
        found = [_format_split_subject(units, names, rows, int(one)) for one in torn]
        raise InvalidInputError(
            f"{plural(len(found), 'subject')} in more than one cohort: {format_list(found)}. A "
            "subject belongs to one cohort; give subjects of different cohorts different names, "
            "or leave such subjects out."
        )
    return np.asarray(rows[first])


def _format_split_subject(
    units: Units, names: Sequence[str], rows: NDArray[np.intp], unit: int
) -> str:
    own = units.order[units.starts[unit] :][: units.sizes[unit]]
    subject: Any = units.groups[own[0]] if units.groups is not None else unit
    return f"{subject!s} (in {', '.join(names[code] for code in np.unique(rows[own]))})"


def _check_classes(units: Units, names: Sequence[str], own: NDArray[np.intp]) -> None:
    """Refuse cohorts that have too few units of some class."""
    poor = []
    for code, name in enumerate(names):
        counts = (units.table[own == code] > 0).sum(axis=0)
        few = [
            f"{plural(int(count), units.noun) if count else f'no {units.noun}'} of class "
            f"{units.class_name(at)}"
            for at, count in enumerate(counts)
            if count < MIN_UNITS_PER_CLASS
        ]
        if few:
            poor.append(f"cohort {name} has {' and '.join(few)}")
    if poor:
        raise InvalidInputError(
            f"{format_list(poor)}; each cohort needs at least {MIN_UNITS_PER_CLASS} "
            f"{units.noun}s of every class. "
            "Leave out the cohort, or join it with another one."
        )


def _resample(units: Units, chosen: NDArray[np.bool_], role: str, outer: int) -> Resample:
    return Resample(units.rows(np.flatnonzero(chosen)), NO_ROWS, role=role, outer=outer)
