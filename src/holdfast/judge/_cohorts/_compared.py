"""Do cohorts agree as well as samples of their sizes from one population would?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast.errors import InvalidInputError
from holdfast.judge._cohorts._result import CohortComparison, CohortSelections
from holdfast.measures import get_measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PAIRS = ["cohort_a", "cohort_b", "n_a", "n_b"]
"""Columns that say which pair it is; `EXPECTED` are those that say how it agrees."""
RANGE = (0.025, 0.975)
EQUAL = 1e-9
"""Values that differ by less are equal, but for rounding."""


class Against(NamedTuple):
    """A value beside those of the shuffles: their mean, their 95% range, and how many there are.

    The p-value is for agreeing less than shuffles do; NaN where the value or all shuffles lack.
    """

    value: float
    expected: float
    low: float
    high: float
    p_value: float
    n_shuffles: int


EXPECTED = list(Against._fields)


def cohort_pairs(places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the pairs to compare: c places in the last dimension become c (c - 1) / 2 pairs.

    They come in the order 0-1, 0-2, ..., 1-2, ...; each is a pair of places in a new dimension.
    """
    pairs = list(combinations(range(places.shape[-1]), 2))
    return np.asarray(places[..., pairs])


def compare_cohorts(
    values: Array,
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    measure: str = "nogueira",
    selected: Sequence[Sequence[Any]] | None = None,
    feature_names: Sequence[str] | None = None,
) -> CohortComparison:
    r"""Compare how cohorts agree with how shuffled cohorts do.

    With v the value of the cohorts and :math:`v_1, \dots, v_s` those of the shuffles,

    .. math:: p = \frac{1 + \#\{i : v_i \le v\}}{1 + s}

    is valid for any s if cohorts are samples of one population, and never below 1/(1 + s).

    Parameters
    ----------
    values : array of shape (1 + s, pairs)
        The similarity of each pair of cohorts, in the order of :func:`cohort_pairs`; below, that
        of each shuffle. NaN where there is none: such shuffles are left out.
    names : sequence of str
        The names of the c cohorts.
    sizes : sequence of int
        How many samples each has.
    measure : str, default "nogueira"
        The measure of similarity; for a distance, less agreement is a higher value.
    selected : sequence of sequences of arrays, optional
        The features selected in each cohort, then in each sample of each shuffle: 1 + s rows of
        c arrays of feature numbers.
    feature_names : sequence of str, optional
        The names of all features; by default their numbers.

    Returns
    -------
    CohortComparison

    Examples
    --------
    >>> from holdfast.judge import compare_cohorts
    >>> values = [[0.2], [0.5], [0.6], [0.4]]
    >>> found = compare_cohorts(values, names=["London", "Paris"], sizes=[60, 40])
    >>> found.overall.value, found.overall.expected, found.overall.p_value
    (0.2, 0.5, 0.25)
    """
    table = np.asarray(values, dtype=np.float64)
    _check(table, names, sizes)
    record = get_measure(measure)
    sign = -1.0 if record.distance else 1.0
    pairs = [_against(own, sign) for own in table.T]
    return CohortComparison(
        measure=record.name,
        cohorts=dict(zip(names, sizes, strict=True)),
        overall=_against(table.mean(axis=1), sign),
        pairs=_pairs(names, sizes, pairs),
        features=_features(selected, names, feature_names),
        recurrence=_recurrence(selected, len(names)),
        _design=_design(selected, sizes, feature_names),
    )


def _design(
    selected: Sequence[Sequence[Any]] | None,
    sizes: Sequence[int],
    feature_names: Sequence[str] | None,
) -> CohortSelections | None:
    """Return what the power depends on; None where features are not selected, or not named."""
    if selected is None or feature_names is None:
        return None
    rows = [[np.unique(own) for own in row] for row in selected[1:]]
    common = [len(np.intersect1d(a, b)) for row in rows for a, b in combinations(row, 2)]
    return CohortSelections(
        sizes=tuple(sizes),
        n_features=len(feature_names),
        n_selected=round(float(np.mean([len(own) for row in rows for own in row]))),
        n_common=float(np.mean(common)),
    )


def _pairs(names: Sequence[str], sizes: Sequence[int], found: Sequence[Against]) -> pd.DataFrame:
    rows = [
        (names[a], names[b], sizes[a], sizes[b], *against)
        for (a, b), against in zip(combinations(range(len(names)), 2), found, strict=True)
    ]
    return pd.DataFrame(rows, columns=[*PAIRS, *EXPECTED])


def _check(values: Array, names: Sequence[str], sizes: Sequence[int]) -> None:
    c = len(names)
    if c < 2 or len(set(names)) < c or len(sizes) != c:
        raise InvalidInputError(
            f"at least two cohorts, each with a name of its own and a size, are compared; got the "
            f"names {list(names)} and {len(sizes)} sizes."
        )
    if values.ndim != 2 or values.shape[1] != c * (c - 1) // 2 or len(values) < 2:
        raise InvalidInputError(
            f"values must have a column for each of {c * (c - 1) // 2} pairs, a row for the "
            f"cohorts and a row for each shuffle, at least one; got the shape {values.shape}."
        )


def _against(values: Array, sign: float) -> Against:
    """Hold the first value against the others; `sign` is -1 where lower means more agreement."""
    value, shuffled = float(values[0]), values[1:][np.isfinite(values[1:])]
    if not len(shuffled):
        return Against(value, np.nan, np.nan, np.nan, np.nan, 0)
    low, high = np.quantile(shuffled, RANGE)
    less = int(np.sum(sign * shuffled <= sign * value + EQUAL))
    p_value = np.nan if np.isnan(value) else (1 + less) / (1 + len(shuffled))
    return Against(value, float(shuffled.mean()), float(low), float(high), p_value, len(shuffled))


def _features(
    selected: Sequence[Sequence[Any]] | None,
    names: Sequence[str],
    feature_names: Sequence[str] | None,
) -> pd.DataFrame:
    """List the features that some cohort selects, those of most cohorts first."""
    finders: dict[int, list[str]] = {}
    for name, chosen in zip(names, [] if selected is None else selected[0], strict=False):
        for feature in np.unique(chosen).tolist():
            finders.setdefault(int(feature), []).append(name)
    ordered = sorted(finders, key=lambda feature: (-len(finders[feature]), feature))
    labels = ordered if feature_names is None else [str(feature_names[f]) for f in ordered]
    found = [tuple(finders[feature]) for feature in ordered]
    return pd.DataFrame({"feature": labels, "n_cohorts": list(map(len, found)), "cohorts": found})


def _recurrence(selected: Sequence[Sequence[Any]] | None, c: int) -> pd.DataFrame:
    """Count the features that so many cohorts find, and how many would be expected."""
    columns = ["n_cohorts", "features", "expected", "low", "high"]
    if selected is None:
        return pd.DataFrame(columns=columns)
    counts = np.array([_found_by(row, c) for row in selected], dtype=np.float64)
    rows = [(at + 1, *_against(own, 1.0)[:4]) for at, own in enumerate(counts.T)]
    return pd.DataFrame(rows, columns=columns).astype({"features": np.int64})


def _found_by(chosen: Sequence[Any], c: int) -> list[int]:
    """Return how many features are in at least 1, 2, ..., c of the selections."""
    every = np.concatenate([np.unique(own).astype(np.intp) for own in chosen])
    times = np.unique(every, return_counts=True)[1]
    return [int(np.sum(times >= least)) for least in range(1, c + 1)]
