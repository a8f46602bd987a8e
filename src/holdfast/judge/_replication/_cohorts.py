"""Cohorts: do the features found in one recur in another?"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._validation import seed_of
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.io import from_arrays
from holdfast.judge._replication._cohort_comparison import cohort_pairs, compare_cohorts
from holdfast.judge._replication._fit_resamples import SelectorRunner, check_missing
from holdfast.judge._replication._pair_similarities import builder, pair_similarities
from holdfast.judge._replication._replication import one_measure, prepare_selector
from holdfast.preferences._ranks import count_of
from holdfast.resample._cohort_design import COHORT, CohortDesign, cohort_places
from holdfast.resample._strata import Units
from holdfast.select._adapter import named_selector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from holdfast.judge._replication._cohort_comparison import CohortComparison


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
    impute: str | None = None,
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
    impute : {"median"}, optional
        For a selector that does not take missing values: put the median of the feature, within
        each cohort or sample of a shuffle, in their place.

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
    record, seed = one_measure(measure), seed_of(random_state)
    design = CohortDesign(n_shuffles)
    data = from_arrays(X, y, groups=groups, cohorts=cohorts)
    if data.cohorts is None:
        raise InvalidInputError("cohorts must be the cohort of each sample; received None.")
    count = None if size is None else count_of(size, data.n_features, "size")
    name, given = named_selector(selector)
    ready = prepare_selector(given, data, record, count, seed)
    check_missing(data, {name: ready}, record, impute)
    resamples = design.draw_units(Units.of(data.y, data.groups), data.cohorts, seed)
    values, selected = _measure_cohort_pairs(SelectorRunner(ready, data, resamples, record, count))
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
    fitting: SelectorRunner,
) -> tuple[NDArray[np.float64], list[list[NDArray[np.intp]]] | None]:
    """Return the similarities of pairs, and the features that were selected, if some were."""
    found = {at: row for block in fitting.blocks() for at, row in block.items()}
    places, record = _find_compared_fits(fitting, found), fitting.record
    values = pair_similarities(
        record,
        found,
        cohort_pairs(places),
        builder(record, fitting.data.n_features),
        n_features=fitting.data.n_features,
        data=fitting.data.X,
    )
    if not record.by_size:
        return values, None
    return values, [[features_in(found[at]) for at in row] for row in places.tolist()]


def _find_compared_fits(fitting: SelectorRunner, found: Mapping[int, Any]) -> NDArray[np.intp]:
    """Return which fits are compared; refuse to go on without a cohort, or without shuffles."""
    own = [at for at, one in enumerate(fitting.resamples) if one.role == COHORT]
    for at in own:
        fitting.check([at], "a cohort")
    places = cohort_places({at: fitting.resamples[at] for at in found})
    if len(places) < 2:
        fitting.check([next(at for at in fitting.failures if at not in own)], "every shuffle")
    if fitting.failures:
        warnings.warn(
            f"{fitting.why}; shuffles that need them are left out.", HoldfastWarning, stacklevel=4
        )
    return places


def features_in(row: Any) -> NDArray[np.intp]:  # noqa: ANN401
    """Return the features of a selection: a subset, or groups of which all members count."""
    flat = row if isinstance(row, np.ndarray) else [feature for own in row for feature in own]
    return np.unique(np.asarray(flat, dtype=np.intp))
