"""Compare the selections of a selector between cohorts."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from holdfast._typing import FloatArray, IndexArray, LabelsLike, MatrixLike, SelectorLike
from holdfast._validation import check_seed
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.io import from_arrays
from holdfast.judge._replication._cohort_comparison import (
    CohortComparison,
    cohort_pairs,
    compare_cohorts,
)
from holdfast.judge._replication._fit_resamples import ComparisonRunner, check_missing
from holdfast.judge._replication._pair_similarities import (
    matrix_for,
    pair_similarities,
    preference_builder,
)
from holdfast.judge._replication._replication import get_single_measure, prepare_selector
from holdfast.preferences import as_feature_count
from holdfast.resample import COHORT, CohortDesign, Units, cohort_places
from holdfast.select import named_selector


def cohorts(
    selector: SelectorLike,
    X: MatrixLike,
    y: LabelsLike,
    cohorts: LabelsLike,
    *,
    size: float | None = None,
    measure: str = "nogueira",
    n_shuffles: int = 100,
    groups: LabelsLike = None,
    random_state: int = 0,
    impute: str | None = None,
) -> CohortComparison:
    r"""Compare the selections of a selector between cohorts, or study sites.

    The selector runs on each cohort separately. The similarity of each pair of selections is
    compared with its expectation if the cohorts were samples of one population: the samples of all
    cohorts are reassigned to cohorts of the same sizes and classes `n_shuffles` times, and the
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
        Number of selected features, a count or a fraction. Not needed if the selector chooses it,
        or if the measure compares all features.
    measure : str, default "nogueira"
        Any measure of :func:`holdfast.list_measures`; two selections are compared at a time.
    n_shuffles : int, default 100
        Number of random reassignments; the selector runs (1 + n_shuffles) times on c cohorts.
    groups : array-like of shape (n,), optional
        The subject of each sample; a subject belongs to one cohort and stays together.
    random_state : int, default 0
        Seed of the shuffles and of the selector.
    impute : {"median"}, optional
        For a selector that does not support missing values: replace them by the median of the
        feature within each cohort.

    Returns
    -------
    CohortComparison

    Raises
    ------
    InvalidInputError
        A cohort has fewer than two samples (subjects) of a class, or a subject is in two cohorts;
        one cohort only; no size although one is needed; missing values that are not imputed; a
        selector that fails in a cohort, or in every shuffle; data that cannot be used.

    Warns
    -----
    HoldfastWarning
        The selector fails in some shuffles, which are left out.

    Notes
    -----
    The p-value :math:`p = (1 + \#\{i : v_i \le v\}) / (1 + s)` of s shuffles is valid for any
    selector and measure. It tests whether cohorts agree *less* than expected. What all samples of a
    cohort share (a batch, a platform) is noise in the shuffles but not in the cohorts, which then
    agree *more* than expected, so that differences are hidden; centre the features within cohorts
    first where levels differ.

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
    record, seed = get_single_measure(measure), check_seed(random_state)
    design = CohortDesign(n_shuffles)
    data = from_arrays(X, y, groups=groups, cohorts=cohorts)
    if data.cohorts is None:
        raise InvalidInputError("cohorts must be the cohort of each sample, got None.")
    count = None if size is None else as_feature_count(size, data.n_features, "size")
    name, instance = named_selector(selector)
    ready = prepare_selector(instance, data, record, count, seed)
    check_missing(data, {name: ready}, record, impute)
    resamples = design.draw_units(Units.from_labels(data.y, data.groups), data.cohorts, seed)
    values, selected = _measure_cohort_pairs(
        ComparisonRunner(ready, data, resamples, record, count)
    )
    names, counts = np.unique(data.cohorts, return_counts=True)
    return compare_cohorts(
        values,
        names=names.tolist(),
        sizes=counts.tolist(),
        measure=record.name,
        selected=selected,
        feature_names=data.feature_names,
    )


def _measure_cohort_pairs(
    fitting: ComparisonRunner,
) -> tuple[FloatArray, list[list[IndexArray]] | None]:
    """Return the similarities of pairs, and the selected features if the measure is of subsets."""
    preferences = {position: row for block in fitting.blocks() for position, row in block.items()}
    positions, record = _find_compared_fits(fitting, preferences), fitting.record
    values = pair_similarities(
        record,
        preferences,
        cohort_pairs(positions),
        preference_builder(record, fitting.data.n_features),
        n_features=fitting.data.n_features,
        data=matrix_for(record, fitting.data),
    )
    if not record.by_size:
        return values, None
    return values, [
        [selected_features(preferences[position]) for position in row] for row in positions.tolist()
    ]


def _find_compared_fits(fitting: ComparisonRunner, preferences: Mapping[int, Any]) -> IndexArray:
    """Return the positions of the fits to compare; raise if a cohort or all shuffles failed."""
    cohort_fits = [
        position for position, resample in enumerate(fitting.resamples) if resample.role == COHORT
    ]
    for position in cohort_fits:
        fitting.check([position], "a cohort")
    positions = cohort_places({position: fitting.resamples[position] for position in preferences})
    if len(positions) < 2:
        # every shuffle has a failed fit: report the first
        failed = next(position for position in fitting.failures if position not in cohort_fits)
        fitting.check([failed], "every shuffle")
    if fitting.failures:
        warnings.warn(
            f"{fitting.why}; shuffles that need them are left out.", HoldfastWarning, stacklevel=4
        )
    return positions


def selected_features(row: Any) -> IndexArray:  # noqa: ANN401
    """Return the features of a selection: a subset, or all members of groups."""
    flat = row if isinstance(row, np.ndarray) else [feature for group in row for feature in group]
    return np.unique(np.asarray(flat, dtype=np.intp))
