"""Cohorts: do the features found in one recur in another?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._checks import seed_of
from holdfast.errors import InvalidInputError
from holdfast.io import from_arrays
from holdfast.judge._cohorts._compared import cohort_pairs, compare_cohorts
from holdfast.judge._replication._direct import prepared
from holdfast.judge._replication._fits import builder, found_in_blocks
from holdfast.judge._replication._pairs import pair_similarities
from holdfast.measures import get_measure
from holdfast.preferences._ties import count_of
from holdfast.resample._cohorts import CohortDesign, cohort_places
from holdfast.resample._units import Units
from holdfast.select._given import as_selector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.judge._cohorts._result import CohortComparison
    from holdfast.measures import Measure
    from holdfast.resample import Resample


def cohorts(  # noqa: PLR0913  (each says one thing about the comparison)
    selector: Any,  # noqa: ANN401  (a name, a selector, an estimator, a function)
    X: Any,  # noqa: ANN401
    y: Any,  # noqa: ANN401
    cohorts: Any,  # noqa: ANN401
    *,
    size: float | None = None,
    measure: str = "nogueira",
    n_shuffles: int = 100,
    groups: Any = None,  # noqa: ANN401
    random_state: int = 0,
) -> CohortComparison:
    r"""Compare what a selector finds in each of several cohorts, or study sites.

    The selector runs on each cohort by itself. Beside the similarity of each pair of selections
    stands what to expect if the cohorts were samples of one population: the samples of all
    cohorts are dealt anew to cohorts of the same sizes and classes, `n_shuffles` times, and the
    selector runs on these as well. Cohorts that agree less than the shuffles differ.

    Parameters
    ----------
    selector : str, selector, estimator or callable
        As a study takes it: ``"t_score"``, ``"relieff:n_neighbors=5"``, ``hf.SVMRFE()``, any
        selector of scikit-learn, a function ``f(X, y)``.
    X : array-like or frame of shape (n, p)
        The data of all cohorts, samples in rows.
    y : array-like of shape (n,)
        The class of each sample.
    cohorts : array-like of shape (n,)
        The cohort of each sample.
    size : int or float, optional
        How many features are selected, a count or a fraction. Not needed where the selector
        decides itself, or where the measure compares all features.
    measure : str, default "nogueira"
        Any measure of :func:`holdfast.list_measures`; two selections are compared at a time.
    n_shuffles : int, default 100
        How often samples are dealt anew; the selector runs (1 + n_shuffles) times on c samples.
    groups : array-like of shape (n,), optional
        The subject of each sample; a subject belongs to one cohort, and stays whole.
    random_state : int, default 0
        Seed of the shuffles and of the selector.

    Returns
    -------
    CohortComparison

    Raises
    ------
    InvalidInputError
        A cohort has fewer than two samples (subjects) of a class, or a subject is in two cohorts;
        one cohort only; no size although one is needed; data that cannot be used.

    Notes
    -----
    The p-value :math:`p = (1 + \#\{i : v_i \le v\}) / (1 + s)` of s shuffles is valid for any
    selector and measure. It speaks of cohorts that agree *less*. What all samples of a cohort
    share (a batch, a platform) is noise in the shuffles but not in the cohorts, which then agree
    *more* than expected and differences hide; centre the features within cohorts first where
    levels differ.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), sections 1 and 6, on signatures of one cohort that do
    not recur in another.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> site = ["Oslo", "Rome"] * 284 + ["Rome"]
    >>> found = hf.judge.cohorts("t_score", X, y, site, size=5, n_shuffles=30)
    >>> found.overall.low <= found.overall.value <= found.overall.high
    True
    """
    record, seed = get_measure(measure), seed_of(random_state)
    design = CohortDesign(n_shuffles)
    data = from_arrays(X, y, groups=groups, cohorts=cohorts)
    if data.cohorts is None:
        raise InvalidInputError("cohorts must be the cohort of each sample; received None.")
    count = None if size is None else count_of(size, data.n_features, "size")
    ready = prepared(as_selector(selector), data, record, count, seed)
    resamples = design.draw_units(Units.of(data.y, data.groups), data.cohorts, seed)
    found = {
        start + at: row
        for start, rows in found_in_blocks(ready, data, resamples, record, count)
        for at, row in enumerate(rows)
    }
    values, selected = _measured(record, data, resamples, found)
    names, counts = np.unique(data.cohorts, return_counts=True)
    return compare_cohorts(
        values,
        names=names.tolist(),
        sizes=counts.tolist(),
        measure=record.name,
        selected=selected,
        feature_names=data.feature_names,
    )


def _measured(
    record: Measure, data: Dataset, resamples: list[Resample], found: Mapping[int, Any]
) -> tuple[NDArray[np.float64], list[list[NDArray[np.intp]]] | None]:
    """Return the similarities of pairs, and the features that were selected, if some were."""
    places = cohort_places(dict(enumerate(resamples)))
    values = pair_similarities(
        record,
        found,
        cohort_pairs(places),
        builder(record, data.n_features),
        n_features=data.n_features,
        data=data.X,
    )
    if not record.by_size:
        return values, None
    return values, [[features_in(found[at]) for at in row] for row in places.tolist()]


def features_in(row: Any) -> NDArray[np.intp]:  # noqa: ANN401
    """Return the features of a selection: a subset, or groups of which all members count."""
    flat = row if isinstance(row, np.ndarray) else [feature for own in row for feature in own]
    return np.unique(np.asarray(flat, dtype=np.intp))
