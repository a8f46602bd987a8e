"""Which measures fit which selectors; what will come out empty is told before work starts."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
from sklearn.base import clone

from holdfast._formatting import format_list
from holdfast._object_spec import snake_case
from holdfast.errors import HoldfastWarning, InvalidInputError, UnknownNameError
from holdfast.measures import get_measure
from holdfast.select import AnySelector, SubsetSelector
from holdfast.select._adapter import SparseModelError
from holdfast.select._registry import form_of
from holdfast.select._search._wrapper import Wrapper
from holdfast.study._execution._unit import restrict_selector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.measures import Measure
    from holdfast.select import Selector
    from holdfast.study._execution._unit import Work


SUBSETS = frozenset({"subset", "groups"})
"""Forms that every selector serves: a feature without a group stands for itself."""
FIXED = ("n_features_to_select", "estimator__k", "estimator__n_features_to_select")
"""Parameters of which a whole number makes all subsets equally large."""


def check_fitting(selectors: Mapping[str, Selector], measures: Sequence[str]) -> None:
    """Refuse measures none of which fits any selector; warn of those that fit some only."""
    records = [get_measure(name) for name in measures]
    served = {name: _available_forms(one) for name, one in selectors.items()}
    lacking = {
        record.name: tuple(name for name, forms in served.items() if record.form not in forms)
        for record in records
    }
    if records and all(len(names) == len(selectors) for names in lacking.values()):
        raise InvalidInputError(
            f"{_format_missing_forms(list(lacking), list(selectors), records)} Nothing is left to "
            f"measure; {_instead(records)}."
        )
    for names in dict.fromkeys(filter(None, lacking.values())):
        unserved = [name for name, own in lacking.items() if own == names]
        _warn(
            f"{_format_missing_forms(unserved, names, records)} There no value comes out; "
            f"{_instead(records)}."
        )
    _warn_of_unequal(selectors, records)


def _available_forms(selector: Selector) -> frozenset[str]:
    """Return the forms of measures for which a study keeps something of this selector."""
    form = form_of(type(selector))
    if selector.chooses_size or form in SUBSETS:
        return SUBSETS
    return SUBSETS | {"ranking", form}  # weights are ranked


def _format_missing_forms(
    measures: Sequence[str], selectors: Sequence[str], records: Sequence[Measure]
) -> str:
    forms = {record.form for record in records if record.name in measures}
    needs = " and ".join("ranks" if form == "ranking" else form for form in sorted(forms))
    return (
        f"{format_list(measures)} cannot be computed for {format_list(selectors)}: {needs} of all "
        "features are needed, and none are given."
    )


def _instead(records: Sequence[Measure]) -> str:
    if any(record.form == "subset" and not _needs_equal(record) for record in records):
        return "the measures of subsets apply"
    return "use measures of subsets, such as nogueira or relative_weighted_consistency"


def _warn_of_unequal(selectors: Mapping[str, Selector], records: Sequence[Measure]) -> None:
    measures = [record.name for record in records if _needs_equal(record)]
    free = [
        name for name, one in selectors.items() if one.chooses_size and not _has_fixed_size(one)
    ]
    if measures and free:
        _warn(
            f"{format_list(measures)} cannot be computed for {format_list(free)} wherever "
            "two subsets "
            "differ in size, as they may there. Use nogueira or relative_weighted_consistency; or "
            "make sizes equal, where the selector can, as in n_features_to_select=5."
        )


def _needs_equal(record: Measure) -> bool:
    return "equal_sizes" in record.needs


def _has_fixed_size(selector: Selector) -> bool:
    """Tell whether a selector with a size of its own always chooses the same."""
    given = selector.get_params()
    if given.get("feature_groups") is not None:  # so many groups, of whatever size
        return False
    return any(isinstance(given.get(name), Integral) for name in FIXED)


def _warn(words: str) -> None:
    warnings.warn(words, HoldfastWarning, stacklevel=4)


# Searches that go through very many sizes of subsets are told of before work starts.

MAX_SIZES_WITHOUT_WARNING = 200
"""Most sizes that a search goes through without a word."""


def warn_of_long_searches(
    selectors: Mapping[str, Selector], n_features: int, features: NDArray[np.intp] | None
) -> None:
    """Warn of searches that take very many steps; `features` are those offered, None for all."""
    n_offered = n_features if features is None else len(features)
    for name, one in selectors.items():
        if not isinstance(one, Wrapper):
            continue
        n_sizes, n_subsets = restrict_selector(one, features, n_features).extent(n_offered)
        if n_sizes > MAX_SIZES_WITHOUT_WARNING:
            warnings.warn(
                f"{name} goes through all {n_sizes:,} sizes of subsets on each resample, at least "
                f"{n_subsets:,} subsets; to stop earlier {_shorter(one)}.",
                HoldfastWarning,
                stacklevel=3,
            )


def _shorter(search: Wrapper) -> str:
    """Say how a search comes to its end earlier; a largest size does not end one backward."""
    if search.sweeps == "backward":
        give, kind = "search forward and give", "forward_selection"
    else:
        give, kind = "give", snake_case(type(search).__name__)
    return f"{give} n_features_to_select, as in {kind}:n_features_to_select=(1,30)"


# A rehearsal on a little noise: options that cannot be are told before work starts.

EACH = 10
"""Samples of each class."""
FEATURES = 3
"""Features that classifiers see."""


def rehearse(
    selectors: Mapping[str, Selector],
    classifiers: Mapping[str, Any],
    data: Dataset,
    features: NDArray[np.intp] | None,
) -> None:
    """Let selectors of this package and classifiers of scikit-learn try their options.

    Other people's code is first run in worker processes, where it may do no harm.

    Parameters
    ----------
    selectors, classifiers : mapping
        By name; selectors go by the numbers of features.
    data : Dataset
        The data of the study, of which the classes and subjects are used.
    features : ndarray of int or None
        The features that a resample offers, where it does not offer all.
    """
    y = np.repeat(np.arange(len(data.classes)), EACH)
    X = _noise(len(y), data.n_features)
    for name, thing in (*selectors.items(), *classifiers.items()):
        _try_sending(name, thing)
    for name, selector in selectors.items():
        if isinstance(selector, AnySelector) or not _is_known(selector):
            continue
        if isinstance(selector, SubsetSelector):
            _try_selector(name, *_as_in_study(selector, data, features))
        else:
            _try_selector(name, selector, X, y)
    for name, classifier in classifiers.items():
        if _is_of(classifier, "sklearn"):
            _try_classifier(name, classifier, X[:, :FEATURES], y)


def check_sparse_models(work: Work, names: Sequence[str]) -> None:
    """Refuse a size that a sparse model of scikit-learn does not reach on the first resample.

    Models that may be slow, and other people's, are left to the workers, where a size that is not
    reached is a failed unit.
    """
    for position, selector in enumerate(work.selectors):
        if not is_sparse_model(selector):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                work.try_selector(position)
            except SparseModelError as error:
                raise InvalidInputError(f"selector {names[position]}: {error}") from error
            except (ValueError, TypeError, ArithmeticError):
                continue  # a unit fails in the same way and says so


def is_sparse_model(selector: Selector) -> bool:
    """Return whether a selector wraps a model of scikit-learn with an L1 penalty."""
    model: Any = selector.estimator if isinstance(selector, AnySelector) else None
    if not hasattr(model, "fit") or not hasattr(model, "get_params"):
        return False
    options = model.get_params()
    parts = [model, *(one for one in options.values() if hasattr(one, "fit"))]
    if not all(_is_of(part, "sklearn") for part in parts):
        return False
    penalised = any(
        value in ("l1", "elasticnet")
        for key, value in options.items()
        if key.endswith("penalty") and isinstance(value, str)
    )
    mixed = any(
        isinstance(value, int | float) and value > 0
        for key, value in options.items()
        if key.endswith("l1_ratio")
    )
    named = any("Lasso" in type(part).__name__ for part in parts)
    return penalised or mixed or named


def _noise(n_samples: int, n_features: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((n_samples, n_features), dtype=np.float32)


def _as_in_study(
    selector: Selector, data: Dataset, features: NDArray[np.intp] | None
) -> tuple[Selector, NDArray[Any], NDArray[np.intp], NDArray[Any] | None]:
    """Return noise with the classes and subjects of the data, which splits are made of."""
    n_offered = data.n_features if features is None else len(features)
    subjects = data.groups if selector.takes_subjects else None
    noise = _noise(data.n_samples, n_offered)
    return restrict_selector(selector, features, data.n_features), noise, data.codes, subjects


def _is_known(selector: Selector) -> bool:
    """Tell whether a selector is of this package, as is what judges its subsets, or of sklearn."""
    judge = getattr(selector, "classifier", None)
    known = not hasattr(judge, "fit") or _is_of(judge, "sklearn")
    return known and _is_of(selector, "holdfast")


def _is_of(thing: object, package: str) -> bool:
    return type(thing).__module__.partition(".")[0] == package


def _try_sending(name: str, thing: object) -> None:
    try:
        cloudpickle.dumps(thing)
    except Exception as error:
        raise InvalidInputError(
            f"{name} cannot be sent to other processes ({error}); what it holds must be picklable."
        ) from error


def _try_selector(
    name: str,
    selector: Selector,
    X: NDArray[Any],
    y: NDArray[np.intp],
    subjects: NDArray[Any] | None = None,
) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about noise; the work warns by itself
            selector.try_out(X, y, subjects)
    except UnknownNameError as error:
        raise UnknownNameError(f"selector {name}: {error}") from error
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"selector {name}: {error}") from error


def _try_classifier(name: str, classifier: Any, X: NDArray[Any], y: NDArray[np.intp]) -> None:  # noqa: ANN401
    try:
        clone(classifier).fit(X, y)
    except (ValueError, TypeError) as error:
        raise InvalidInputError(f"classifier {name}: {error}") from error
