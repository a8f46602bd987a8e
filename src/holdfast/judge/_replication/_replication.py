"""Replication stability of a selector on data: the agreement of independent studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast._typing import LabelsLike, MatrixLike, SelectorLike
from holdfast._validation import check_seed
from holdfast.errors import InvalidInputError
from holdfast.io import Dataset, from_arrays, has_missing, impute_medians
from holdfast.judge._replication._estimate import estimate_replication
from holdfast.judge._replication._feature_chances import (
    DisjointDesign,
    FeatureChances,
    chances_from_groups,
    chances_from_orders,
    chances_from_subsets,
    name_members,
)
from holdfast.judge._replication._fit_resamples import ComparisonRunner, check_missing
from holdfast.judge._replication._pair_similarities import pair_values
from holdfast.measures import Measure, check_confidence, get_measure
from holdfast.preferences import as_feature_count
from holdfast.resample import ReplicationDesign, ReplicationPairs, Units
from holdfast.select import (
    GroupSelector,
    OfferedFeatures,
    Selector,
    describe_preference,
    named_selector,
    settle_form,
)

if TYPE_CHECKING:
    from holdfast.judge._replication._estimate import Replication


def replication(
    selector: SelectorLike,
    X: MatrixLike,
    y: LabelsLike,
    *,
    size: float | None = None,
    measure: str = "nogueira",
    n_pairs: int = 100,
    groups: LabelsLike = None,
    random_state: int = 0,
    confidence: float = 0.95,
    impute: str | None = None,
) -> Replication:
    r"""Estimate how well the selections of two independent studies agree.

    With s the measure and :math:`A, B` two independent samples of n' each, replication stability
    is

    .. math:: \rho(n') = E[s(\text{selection}(A), \text{selection}(B))].

    Two disjoint halves of the data are such a pair for n' = n/2, so the mean over random splits
    is unbiased there; overlapping subsamples and bootstrap samples are not. Splits preserve the
    class proportions and keep the samples of a subject together.

    Parameters
    ----------
    selector : str, selector, estimator or callable
        As a study takes it: ``"t_score"``, ``"relieff:n_neighbors=5"``, ``hf.SVMRFE()``, any
        selector of scikit-learn, a function ``f(X, y)``.
    X : array-like or frame of shape (n, p)
        The data, samples in rows.
    y : array-like of shape (n,)
        The class of each sample.
    size : int or float, optional
        Number of selected features, a count or a fraction. Not needed if the selector chooses it,
        or if the measure compares all features.
    measure : str, default "nogueira"
        Any measure of :func:`holdfast.list_measures`; two selections are compared at a time.
    n_pairs : int, default 100
        Number of splits into halves; with the parts for interval and prediction, the selector runs
        five times as often.
    groups : array-like of shape (n,), optional
        The subject of each sample.
    random_state : int, default 0
        Seed of the splits and of the selector.
    confidence : float, default 0.95
        Level of the intervals.
    impute : {"median"}, optional
        For a selector that does not support missing values: replace them by the median of the
        feature within each part of the data.

    Returns
    -------
    Replication
        Value and interval for two studies of half the size, estimates for smaller studies and
        predictions for larger ones.
        With fewer than 8 samples of a class there are only halves and no prediction. Classes of
        fewer than 4 samples are left out, as long as two others remain, and ``.note`` names them.
        Parts on which the selector fails are left out, and ``.note`` counts them.

    Raises
    ------
    InvalidInputError
        No size although one is needed, fewer than two classes of at least 4 samples, missing
        values that are not imputed, a selector that fails on every half, data or parameters that
        cannot be used.

    Notes
    -----
    The guide, page "Replication", describes the interval and its measured coverage.

    References
    ----------
    Kalousis, Prados and Hilario (2007) define stability over training sets drawn from the
    distribution; Dernoncourt, Hanczar and Zucker (2014), section 5.2, note that samples of one
    data set are not independent.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = hf.replication("t_score", X, y, size=5, n_pairs=20)
    >>> found.n_samples, 0 < found.low < found.value < found.high <= 1
    (284, True)
    """
    record, seed = get_single_measure(measure), check_seed(random_state)
    check_confidence(confidence)
    design = ReplicationDesign(n_pairs)
    data = from_arrays(X, y, groups=groups)
    count = None if size is None else as_feature_count(size, data.n_features, "size")
    name, instance = named_selector(selector)
    ready = prepare_selector(instance, data, record, count, seed)
    check_missing(data, {name: ready}, record, impute)
    units = Units.from_labels(data.y, data.groups)
    fitting = ComparisonRunner(ready, data, design.draw_units(units, seed), record, count)
    values = pair_values(fitting, units)
    return estimate_replication(
        values,
        measure=record.name,
        # measures of rankings and weights compare all p features
        size=count if record.by_size else data.n_features,
        n_features=data.n_features,
        chances=_feature_chances(fitting, values.n_units, seed),
        confidence=confidence,
    )


def _feature_chances(fitting: ComparisonRunner, n_units: int, seed: int) -> FeatureChances | str:
    """Return the chances of the features to be found again, or why they are not known."""
    selector, names = fitting.selector, [str(name) for name in fitting.data.feature_names]
    design = DisjointDesign(
        pairs=ReplicationPairs.from_resamples(fitting.resamples),
        n_features=fitting.data.n_features,
        n_units=n_units,
        seed=seed,
    )
    if fitting.size is None and not selector.selects_own_size:
        return "no size was given"
    try:
        if isinstance(selector, GroupSelector):
            found, groups = chances_from_groups(fitting.preferences, design)
            members = name_members(names, groups)
            return FeatureChances(names=names, found=found, n_units=n_units, members=members)
        if selector.selects_own_size or fitting.size is None:
            found = chances_from_subsets(fitting.preferences, design)
        else:
            found = chances_from_orders(
                fitting.preferences,
                design,
                size=fitting.size,
                scores=fitting.signed_scores(design.pairs),
            )
    # the stability does not need the chances: their absence is reported, not raised
    except InvalidInputError as error:
        return str(error)
    return FeatureChances(names=names, found=found, n_units=n_units)


def get_single_measure(name: object) -> Measure:
    """Return the measure with a name."""
    if not isinstance(name, str):
        raise InvalidInputError(
            f"measure must be the name of one measure, such as 'nogueira', got {name!r}."
        )
    return get_measure(name)


def prepare_selector(
    selector: Selector, data: Dataset, record: Measure, size: int | None, seed: int
) -> Selector:
    """Return the selector for these data, this size and this seed."""
    selector = selector.with_feature_indices(OfferedFeatures(data.n_features, data.feature_names))
    selector = selector.with_class_labels(data.classes)
    if size is None:
        incomplete = has_missing(data.X)
        complete = impute_medians(data.dense_matrix()) if incomplete else data.X
        selector = settle_form(selector, complete, data.codes)
    if size is not None and record.by_size:
        selector = selector.with_size(size)
    elif record.by_size and not selector.selects_own_size:
        raise InvalidInputError(
            f"{describe_preference(selector)}, so size must say how many features are selected, "
            "got None. Give a count or a fraction, as in size=20."
        )
    elif not record.by_size and selector.selects_own_size:
        raise InvalidInputError(
            f"{record.name} compares all features, but {describe_preference(selector)}; take a "
            "measure of subsets, such as nogueira."
        )
    ready: Selector = selector.set_params(random_state=seed)
    return ready
