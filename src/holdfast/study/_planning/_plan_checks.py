"""Checks of a plan before the run starts: measures, long searches, trial fits."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from numpy.typing import DTypeLike
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from holdfast._classifiers import classification_steps
from holdfast._formatting import format_list
from holdfast._memory import check_memory
from holdfast._object_spec import snake_case
from holdfast._typing import AnyArray, FloatArray, IndexArray
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.io import Dataset, has_missing
from holdfast.measures import Measure, get_measure
from holdfast.resample import Resample
from holdfast.select import (
    AnySelector,
    Selector,
    SubsetSelector,
    Wrapper,
    form_of,
)
from holdfast.study._execution._unit import restrict_selector
from holdfast.study._planning._sample_weights import classification_weights

if TYPE_CHECKING:
    from holdfast.study._planning._settings import Settings

SUBSET_FORMS = frozenset({"subset", "groups"})
"""Forms that every selector provides: a single feature counts as a group of one."""
SIZE_PARAMETERS = ("n_features_to_select", "estimator__k", "estimator__n_features_to_select")
"""Parameters that, set to an integer, make all subsets equally large."""


def check_fitting(selectors: Mapping[str, Selector], measures: Sequence[str]) -> None:
    """Refuse measures that fit no selector; warn of measures that fit only some."""
    records = [get_measure(name) for name in measures]
    available = {name: _available_forms(selector) for name, selector in selectors.items()}
    selectors_without = {
        record.name: tuple(name for name, forms in available.items() if record.form not in forms)
        for record in records
    }
    if records and all(len(names) == len(selectors) for names in selectors_without.values()):
        raise InvalidInputError(
            f"{_format_missing_forms(list(selectors_without), list(selectors), records)} Nothing "
            f"is left to measure; {_measure_advice(records)}."
        )
    for names in dict.fromkeys(filter(None, selectors_without.values())):
        affected = [measure for measure, lacking in selectors_without.items() if lacking == names]
        _warn(
            f"{_format_missing_forms(affected, names, records)} There will be no value; "
            f"{_measure_advice(records)}."
        )
    _warn_of_unequal_sizes(selectors, records)


def _available_forms(selector: Selector) -> frozenset[str]:
    """Return the forms of measures for which a study stores preferences of this selector."""
    form = form_of(type(selector))
    if selector.selects_own_size or form in SUBSET_FORMS:
        return SUBSET_FORMS
    return SUBSET_FORMS | {"ranking", form}  # weights are ranked


def _format_missing_forms(
    measures: Sequence[str], selectors: Sequence[str], records: Sequence[Measure]
) -> str:
    forms = {record.form for record in records if record.name in measures}
    needs = " and ".join("ranks" if form == "ranking" else form for form in sorted(forms))
    return (
        f"{format_list(measures)} cannot be computed for {format_list(selectors)}: they need "
        f"{needs} of all features, which are not available."
    )


def _measure_advice(records: Sequence[Measure]) -> str:
    if any(record.form == "subset" and not _needs_equal_sizes(record) for record in records):
        return "the measures of subsets apply"
    return "use measures of subsets, such as nogueira or relative_weighted_consistency"


def _warn_of_unequal_sizes(selectors: Mapping[str, Selector], records: Sequence[Measure]) -> None:
    measures = [record.name for record in records if _needs_equal_sizes(record)]
    varying = [
        name
        for name, selector in selectors.items()
        if selector.selects_own_size and not _has_fixed_size(selector)
    ]
    if measures and varying:
        _warn(
            f"{format_list(measures)} cannot be computed for {format_list(varying)} wherever "
            "two subsets differ in size, as they may there. Use nogueira or "
            "relative_weighted_consistency; or fix the size if the selector can, as in "
            "n_features_to_select=5."
        )


def _needs_equal_sizes(record: Measure) -> bool:
    return "equal_sizes" in record.needs


def _has_fixed_size(selector: Selector) -> bool:
    """Return whether a selector that chooses the size always chooses the same."""
    parameters = selector.get_params()
    if parameters.get("feature_groups") is not None:  # a number of groups, of whatever size
        return False
    return any(isinstance(parameters.get(name), Integral) for name in SIZE_PARAMETERS)


def _warn(text: str) -> None:
    warnings.warn(text, HoldfastWarning, stacklevel=4)


# Searches through very many sizes of subsets: a warning before the run starts.

MAX_SIZES_WITHOUT_WARNING = 200
"""Most sizes of a search without a warning; chosen by hand."""


def warn_of_long_searches(
    selectors: Mapping[str, Selector], n_features: int, features: IndexArray | None
) -> None:
    """Warn of searches with very many steps; `features` are those offered, None for all."""
    n_offered = n_features if features is None else len(features)
    for name, search in selectors.items():
        if not isinstance(search, Wrapper):
            continue
        n_sizes, n_subsets = restrict_selector(search, features, n_features).extent(n_offered)
        if n_sizes <= MAX_SIZES_WITHOUT_WARNING:
            continue
        verb, kind = "set", snake_case(type(search).__name__)
        if search.sweeps == "backward":  # which a largest size does not end earlier
            verb, kind = "search forward and set", "forward_selection"
        warnings.warn(
            f"{name} searches all {n_sizes:,} sizes of subsets on each resample, at least "
            f"{n_subsets:,} subsets; to stop earlier {verb} n_features_to_select, as in "
            f"{kind}:n_features_to_select=(1,30).",
            HoldfastWarning,
            stacklevel=3,
        )


# Trial fits on a little noise: invalid options are reported before the run starts.

SAMPLES_PER_CLASS = 10
DENSE_COPIES = 2
"""Dense copies of a training part at a time: the part, and its rows in the selector."""
N_TRIAL_FEATURES = 3
"""Samples and features in the trial fits of classifiers; chosen by hand to be fast."""


def check_trial_fits(
    selectors: Mapping[str, Selector],
    classifiers: Mapping[str, Any],
    data: Dataset,
    features: IndexArray | None,
) -> None:
    """Fit selectors of this package and classifiers of scikit-learn to noise.

    Third-party code is run in worker processes only, where a crash does no harm.

    Parameters
    ----------
    selectors, classifiers : mapping
        By name; selectors refer to features by index.
    data : Dataset
        The data of the study; classes and subjects are used.
    features : ndarray of int or None
        The features that a resample offers; None for all.
    """
    y = np.repeat(np.arange(len(data.classes)), SAMPLES_PER_CLASS)
    dtype = data.X.dtype
    X = _noise(len(y), data.n_features, dtype)
    for name, thing in (*selectors.items(), *classifiers.items()):
        _check_picklable(name, thing)
    for name, selector in selectors.items():
        model = getattr(selector, "classifier", None)
        foreign_model = hasattr(model, "fit") and not _is_from(model, "sklearn")
        foreign = isinstance(selector, AnySelector) or not _is_from(selector, "holdfast")
        if foreign or foreign_model:
            continue
        if isinstance(selector, SubsetSelector):
            # its splits depend on the classes and subjects of the data
            n_offered = data.n_features if features is None else len(features)
            subjects = data.groups if selector.supports_subjects else None
            restricted = restrict_selector(selector, features, data.n_features)
            noise = _noise(data.n_samples, n_offered, dtype)
            _try_selector(name, restricted, noise, data.codes, subjects)
        else:
            _try_selector(name, selector, X, y)
    for name, classifier in classifiers.items():
        try:
            if _is_from(classifier, "sklearn"):
                arguments = {}
                if data.sample_weight is not None:
                    arguments = classification_weights(classifier, np.ones(len(y)))
                steps = Pipeline(classification_steps(clone(classifier), impute=False))
                steps.fit(np.abs(X[:, :N_TRIAL_FEATURES]), y, **arguments)
        except (ValueError, TypeError) as error:
            raise InvalidInputError(f"classifier {name}: {error}") from error


def check_dense_memory(
    settings: Settings, data: Dataset, resamples: Sequence[Resample], n_processes: int
) -> None:
    """Refuse sparse data whose dense copies would exceed the limit on memory.

    Parameters
    ----------
    settings : Settings
        The settings of the study.
    data : Dataset
        The data.
    resamples : sequence of Resample
        All resamples of the study.
    n_processes : int
        Number of processes that share the memory.
    """
    if not data.is_sparse:
        return
    missing = has_missing(data.X)
    dense = [
        name
        for name, selector in settings.selectors.items()
        if not selector.supports_sparse or (missing and not selector.supports_missing)
    ]
    if any(resample.noise > 0 for resample in resamples):
        dense = list(settings.selectors)
    size = data.X.dtype.itemsize * data.n_features
    if dense:
        largest = max(len(resample.train) for resample in resamples)
        _check_dense(
            DENSE_COPIES * n_processes * size * largest,
            f"dense copies of training parts for {format_list(dense)}, which "
            f"{'does' if len(dense) == 1 else 'do'} not take these data as a sparse matrix "
            f"({n_processes:,} process{'' if n_processes == 1 else 'es'})",
        )
    measures = [
        name for name in settings.measures if get_measure(name).needs & {"similarity", "data"}
    ]
    if measures:
        _check_dense(size * data.n_samples, f"a dense copy of the data for {format_list(measures)}")


def _check_dense(n_bytes: int, what: str) -> None:
    check_memory(
        n_bytes,
        what,
        lambda text: InvalidInputError(
            f"{text} Or leave out what needs it, prepare fewer features, or use fewer processes "
            "(n_jobs)."
        ),
    )


def _noise(n_samples: int, n_features: int, dtype: DTypeLike) -> FloatArray:
    # of the type of the data: kernels are compiled once for each type
    noise = np.random.default_rng(0).standard_normal((n_samples, n_features), dtype=np.float32)
    return noise.astype(dtype, copy=False)


def _is_from(thing: object, package: str) -> bool:
    return type(thing).__module__.partition(".")[0] == package


def _check_picklable(name: str, thing: object) -> None:
    try:
        cloudpickle.dumps(thing)
    except Exception as error:
        raise InvalidInputError(
            f"{name} cannot be sent to other processes ({error}); it must be picklable."
        ) from error


def _try_selector(
    name: str, selector: Selector, X: AnyArray, y: IndexArray, subjects: AnyArray | None = None
) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about the noise; the run warns by itself
            selector.check_trial_fit(X, y, subjects)
    except UnknownNameError as error:
        raise UnknownNameError(f"selector {name}: {error}") from error
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"selector {name}: {error}") from error
