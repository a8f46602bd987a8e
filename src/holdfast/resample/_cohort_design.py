"""The resamples for comparing cohorts: the cohorts, and random samples of the same sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from holdfast._formatting import format_list, plural
from holdfast._typing import BoolArray, IndexArray
from holdfast._validation import check_integer, check_seed
from holdfast.errors import InvalidInputError
from holdfast.resample._protocol import NO_ROWS, Resample
from holdfast.resample._replication_design import ResamplePlace
from holdfast.resample._strata import Units, label_column, number_entries

COHORT, SHUFFLED = "cohort", "shuffled"
MIN_UNITS_PER_CLASS = 2
"""Units of every class that a cohort needs; derived: one sample has no variance."""
SHUFFLE_STREAM = 3
"""First spawn key of the shuffles; 0 to 2 belong to the replication design of the same seed."""


@dataclass(frozen=True)
class CohortDesign:
    """Resamples that show whether cohorts differ: each cohort, and samples of the same sizes.

    ``"cohort"``: all rows of a cohort; `outer` numbers the cohorts, sorted by name.
    ``"shuffled"``: the units of all cohorts are randomly assigned to as many samples of the
    same sizes, `n_shuffles` times; `outer` numbers the shuffles, and the samples of one shuffle
    follow each other in the order of the cohorts. Each sample has as many units of every class as
    its cohort: exactly as many subjects of every mixture of classes, where subjects have several.
    Subjects stay together. The agreement of the samples of a shuffle is what is expected if the
    cohorts are samples of one population.

    A design of more shuffles begins with the same resamples.

    Parameters
    ----------
    n_shuffles : int, default 50
        How often the units are assigned again.

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
        return self.draw_units(Units.from_labels(y, groups), cohorts, check_seed(random_state))

    def draw_units(self, units: Units, cohorts: ArrayLike, random_state: int) -> list[Resample]:
        """Draw the resamples of units that are already known.

        Raises
        ------
        InvalidInputError
            There is one cohort only, a cohort has fewer than two units of a class, or a subject
            is in two cohorts; the message names them.
        """
        names, rows = cohort_codes(cohorts, len(units.y))
        cohort = _find_unit_cohorts(units, names, rows)
        _check_cohort_classes(units, names, cohort)
        whole = [_make_resample(units, cohort == code, COHORT, code) for code in range(len(names))]
        return [*whole, *self._draw_shuffles(units, cohort, random_state)]

    def _draw_shuffles(self, units: Units, cohort: IndexArray, seed: int) -> Iterator[Resample]:
        # shuffling within mixtures of classes keeps the class counts of every cohort
        strata = np.unique(units.table > 0, axis=0, return_inverse=True)[1].ravel()
        home = np.lexsort((cohort, strata))  # stratum by stratum, in the order of the cohorts
        for shuffle in range(self.n_shuffles):
            generator = np.random.default_rng(
                np.random.SeedSequence(seed, spawn_key=(SHUFFLE_STREAM, shuffle))
            )
            assigned = np.empty_like(cohort)
            assigned[np.lexsort((generator.random(len(cohort)), strata))] = cohort[home]
            for code in range(cohort.max() + 1):
                yield _make_resample(units, assigned == code, SHUFFLED, shuffle)


def cohort_places(resamples: Mapping[int, ResamplePlace]) -> IndexArray:
    """Find the resamples of a cohort design that are compared with each other.

    Parameters
    ----------
    resamples : mapping
        Resamples, or anything with a `role` and an `outer`, by number; those of other roles are
        ignored. Some may be missing.

    Returns
    -------
    ndarray of int, shape (1 + s, c)
        Numbers of the resamples of c cohorts, then of s shuffles, in the order of the cohorts.
        Shuffles that are not complete are left out.
    """
    cohorts = [number for number, place in resamples.items() if place.role == COHORT]
    shuffles: dict[int | None, list[int]] = {}
    for number, place in resamples.items():
        if place.role == SHUFFLED:
            shuffles.setdefault(place.outer, []).append(number)
    # a shuffle with a failed fit has no agreement of all cohorts
    complete = [numbers for numbers in shuffles.values() if len(numbers) == len(cohorts)]
    return np.sort(np.array([cohorts, *complete], dtype=np.intp), axis=1)


def cohort_codes(cohorts: ArrayLike, n_samples: int) -> tuple[list[str], IndexArray]:
    """Return the names of the cohorts, sorted, and the number of each sample's cohort.

    Raises for missing entries, a number other than that of the samples, and a single cohort.
    """
    labels, codes = number_entries(label_column(cohorts, "cohorts", n_samples), "cohorts")
    if len(labels) < 2:
        raise InvalidInputError(
            f"at least two cohorts are needed to compare, got one: {labels[0]!s}. Is this the "
            "right column?"
        )
    return [str(label) for label in labels.tolist()], codes


def _find_unit_cohorts(units: Units, names: Sequence[str], rows: IndexArray) -> IndexArray:
    """Return the cohort of each unit; raise for subjects that are in two."""
    first = units.order[units.starts]
    ordered, unit = rows[units.order], np.repeat(np.arange(units.count), units.sizes)
    # units whose samples do not all have the cohort of their first sample
    torn = np.unique(unit[ordered != rows[first][unit]])
    if torn.size and units.groups is not None:
        subjects = []
        for number in torn:
            samples = units.order[units.starts[number] :][: units.sizes[number]]
            cohorts = ", ".join(names[code] for code in np.unique(rows[samples]))
            subjects.append(f"{units.groups[samples[0]]!s} (in {cohorts})")
        raise InvalidInputError(
            f"{plural(len(subjects), 'subject')} in more than one cohort: {format_list(subjects)}. "
            "A subject belongs to one cohort; give subjects of different cohorts different names, "
            "or leave such subjects out."
        )
    return np.asarray(rows[first])


def _check_cohort_classes(units: Units, names: Sequence[str], cohort: IndexArray) -> None:
    """Raise for cohorts that have too few units of a class."""
    lacking = []
    for code, name in enumerate(names):
        counts = (units.table[cohort == code] > 0).sum(axis=0)
        few = [
            f"{plural(int(count), units.noun) if count else f'no {units.noun}'} of class "
            f"{units.class_name(at)}"
            for at, count in enumerate(counts)
            if count < MIN_UNITS_PER_CLASS
        ]
        if few:
            lacking.append(f"cohort {name} has {' and '.join(few)}")
    if lacking:
        raise InvalidInputError(
            f"{format_list(lacking)}; each cohort needs at least {MIN_UNITS_PER_CLASS} "
            f"{units.noun}s of every class. "
            "Leave out the cohort, or join it with another one."
        )


def _make_resample(units: Units, chosen: BoolArray, role: str, outer: int) -> Resample:
    return Resample(units.rows(np.flatnonzero(chosen)), NO_ROWS, role=role, outer=outer)
