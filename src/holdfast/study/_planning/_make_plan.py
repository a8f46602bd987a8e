"""Make a plan from settings and data; whatever cannot work is refused before the run starts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from holdfast._formatting import format_list
from holdfast._typing import JSON
from holdfast.errors import HoldfastError, HoldfastWarning, InvalidInputError
from holdfast.io import Dataset, DataSummary, check_for_study, has_missing
from holdfast.measures import get_measure
from holdfast.preferences import as_feature_count
from holdfast.resample import Resample, Units
from holdfast.select import AnySelector, OfferedFeatures, Selector, ThresholdScorer, form_of
from holdfast.study._execution._unit import UnitRunner
from holdfast.study._planning._plan import (
    SELECTOR,
    Plan,
    auxiliary_facts,
    block_size,
    data_facts,
    derive_seed,
    draw_cohort_parts,
    draw_disjoint_parts,
    protocol_facts,
    stored_depth,
)
from holdfast.study._planning._plan_checks import (
    check_dense_memory,
    check_fitting,
    check_trial_fits,
    warn_of_long_searches,
)
from holdfast.study._planning._sample_weights import weighting_facts
from holdfast.study._planning._settings import (
    FEW_RESAMPLES,
    MANY_SAMPLES,
    USUAL_RESAMPLES,
    Settings,
    default_protocol,
)

USUAL_SIZES = (5, 10, 20, 50)
"""Default sizes; chosen by hand."""


def make_plan(settings: Settings, data: Dataset, n_processes: int = 1) -> Plan:
    """Plan a study of these data, for a number of processes that share the memory."""
    settings = replace(
        settings,
        selectors={
            name: use_sizes(selector, settings.sizes)
            for name, selector in settings.selectors.items()
        },
    )
    settings = _adapt_protocol(settings, data.n_samples)
    _check_selectors(settings.selectors, data)
    summary = check_for_study(data)
    _check_missing_values(settings, summary)
    _warn_of_copies(data, summary)
    _warn_of_nominal(settings.selectors, data)
    _warn_of_ignored_sizes(settings)
    check_fitting(settings.selectors, settings.measures)
    resamples = settings.protocol.draw(
        data.y, data.groups, random_state=settings.seed, n_features=data.n_features
    )
    _warn_of_adaptations(settings.selectors, resamples)
    offered = n_offered(data.n_features, resamples)
    sizes = _count_sizes(settings.sizes, data.n_features, offered)
    _check_generator(resamples, data)
    _check_measures(settings, resamples, missing=has_missing(data.X))
    has_tests = any(len(resample.test) for resample in resamples)
    classifiers = settings.classifiers if has_tests else {}
    auxiliary, facts = draw_auxiliary_resamples(
        data, resamples, settings.replication, settings.seed
    )
    # any seed will do for trial fits
    ready = {
        name: prepare_selector(selector, 0, data) for name, selector in settings.selectors.items()
    }
    all_resamples = [*resamples, *auxiliary]
    check_dense_memory(settings, data, all_resamples, n_processes)
    weighting = weighting_facts(settings.selectors, classifiers, data, all_resamples)
    check_trial_fits(ready, classifiers, data, resamples[0].features)
    warn_of_long_searches(ready, data.n_features, resamples[0].features)
    return Plan(
        selectors=settings.selectors,
        protocol=protocol_facts(settings.protocol, resamples, subjects=data.groups is not None),
        resamples=all_resamples,
        sizes=sizes,
        depth=stored_depth(sizes, offered, len(settings.selectors) * len(all_resamples)),
        classifiers=classifiers,
        measures=settings.measures,
        impute=settings.impute,
        seed=settings.seed,
        data=data_facts(data),
        blocks=tuple(
            _block_size(selector, resamples, data) for selector in settings.selectors.values()
        ),
        auxiliary=facts,
        weighting=weighting,
    )


def _adapt_protocol(settings: Settings, n_samples: int) -> Settings:
    """Return the settings with the default protocol for this number of samples, if it applies."""
    if not settings.adapts_protocol or n_samples <= MANY_SAMPLES:
        return settings
    warnings.warn(
        f"{FEW_RESAMPLES} resamples are drawn by default instead of {USUAL_RESAMPLES}, because "
        f"there are more than {MANY_SAMPLES:,} samples; intervals are wider. A protocol "
        f"(subsampling:n_resamples={USUAL_RESAMPLES},train_size=0.9) sets another number.",
        HoldfastWarning,
        stacklevel=3,
    )
    return replace(settings, protocol=default_protocol(n_samples))


def use_sizes(selector: Selector, sizes: tuple[float, ...] | None) -> Selector:
    """Return a selector that selects the best features of a sparse model, if there are sizes.

    Without sizes it keeps all features with a weight.
    """
    if sizes is None or not isinstance(selector, AnySelector):
        return selector
    if not (selector.selects_own_size and selector.expected_form.is_sparse):
        return selector
    sized: Selector = clone(selector).set_params(n_features_to_select=sizes[-1])
    return sized


def draw_auxiliary_resamples(
    data: Dataset, resamples: list[Resample], replication: int | None, seed: int
) -> tuple[list[Resample], dict[str, JSON] | None]:
    """Return the auxiliary resamples, and the section of the plan about them."""
    disjoint, why_none = draw_disjoint_parts(data, replication, resamples, seed)
    cohorts = draw_cohort_parts(data, seed)
    if replication == 0 and not cohorts:
        return [], None
    names = [] if data.cohorts is None else [str(name) for name in np.unique(data.cohorts)]
    auxiliary = [*disjoint, *cohorts]
    units = Units.from_labels(data.y, data.groups)
    return auxiliary, auxiliary_facts(auxiliary, why_none, names, units)


def make_unit_runner(plan: Plan, data: Dataset) -> UnitRunner:
    """Return the runner of the units of a plan."""
    selectors = []
    for position, selector in enumerate(plan.selectors.values()):
        ready = prepare_selector(selector, derive_seed(plan.seed, SELECTOR, position), data)
        if ready.searches_to_size:
            ready = ready.with_size(plan.sizes[-1])  # so that the order is right up to all sizes
        selectors.append(ready)
    return UnitRunner(
        X=data.X,
        y=data.codes,
        classes=data.classes,
        selectors=selectors,
        classifiers=list(plan.classifiers.values()),
        sizes=plan.sizes,
        depth=plan.depth,
        forms=frozenset(get_measure(name).form for name in plan.measures),
        resamples=plan.resamples,
        seed=plan.seed,
        missing=has_missing(data.X),
        nominal=data.nominal,
        generator=data.generator,
        subjects=data.groups,
        sample_weight=data.sample_weight,
    )


def prepare_selector(selector: Selector, seed: int, data: Dataset) -> Selector:
    """Return a selector with a seed, with features named by index, and with nominal features."""
    indexed = selector.with_feature_indices(OfferedFeatures(data.n_features, data.feature_names))
    indexed = indexed.with_class_labels(data.classes)
    options: dict[str, Any] = {"random_state": seed}
    if data.nominal and indexed.get_params().get("nominal", ...) is None:
        options["nominal"] = list(data.nominal)
    prepared: Selector = indexed.set_params(**options)
    return prepared


def _block_size(selector: Selector, resamples: list[Resample], data: Dataset) -> int:
    """Return the number of resamples per call: one if each resample alters the data."""
    alters_data = any(
        resample.features is not None or resample.noise or resample.draw >= 0
        for resample in resamples
    )
    imputes = has_missing(data.X) and not selector.supports_missing
    densifies = data.is_sparse and not selector.supports_sparse
    if alters_data or imputes or densifies or selector.selects_own_size:
        return 1
    return block_size(selector, data.n_features)


def n_offered(n_features: int, resamples: list[Resample]) -> int:
    """Return how many features every resample offers."""
    counts = (len(part.features) for part in resamples if part.features is not None)
    return min(counts, default=n_features)


def _count_sizes(sizes: tuple[float, ...] | None, n_features: int, offered: int) -> tuple[int, ...]:
    """Return the sizes as counts; every resample offers enough features for all of them."""
    if sizes is None:
        return tuple(k for k in USUAL_SIZES if k < offered) or (max(1, offered // 2),)
    counts = tuple(sorted({as_feature_count(size, n_features, "a size") for size in sizes}))
    if counts[-1] > offered:
        raise InvalidInputError(
            f"cannot select {counts[-1]:,} features: a resample offers only {offered:,}; choose "
            "smaller sizes."
        )
    return counts


def _check_selectors(selectors: Mapping[str, Selector], data: Dataset) -> None:
    """Refuse selectors with invalid nested selectors or unknown features."""
    columns = OfferedFeatures(data.n_features, data.feature_names)
    for name, selector in selectors.items():
        try:  # these properties look at nested selectors for the first time
            _ = selector.supports_missing, selector.supports_nominal, selector.selects_own_size
            selector.with_feature_indices(columns)
        except HoldfastError as error:
            raise InvalidInputError(f"selector {name}: {error}") from error


def _check_missing_values(settings: Settings, summary: DataSummary) -> None:
    refusing = [name for name, s in settings.selectors.items() if not s.supports_missing]
    if summary.n_missing and refusing and settings.impute is None:
        raise InvalidInputError(
            f"the data have {summary.n_missing:,} missing values, which these selectors do not "
            f"take: {format_list(refusing)}. Impute them by the median of the training part "
            "(impute='median', --impute median), or choose other selectors."
        )


def _warn_of_copies(data: Dataset, summary: DataSummary) -> None:
    """Warn of equal samples that no subject holds together: they may be on both sides of a split.

    Copies whose subjects are known and equal always stay together.
    """
    if data.groups is not None:
        apart = [rows for rows in summary.copies if len(set(data.groups[list(rows)])) > 1]
    else:
        apart = list(summary.copies)
    if apart:
        first = format_list(apart[0])
        warnings.warn(
            f"{sum(map(len, apart)):,} samples are exact copies of each other (such as samples "
            f"{first}, counted from 0) and may be on both sides of a split: errors then look too "
            "small and selections too stable. Remove the copies, or give them one subject "
            "(groups=, --groups).",
            HoldfastWarning,
            stacklevel=2,
        )


def _warn_of_nominal(selectors: Mapping[str, Selector], data: Dataset) -> None:
    numeric = [name for name, selector in selectors.items() if not selector.supports_nominal]
    if data.nominal and numeric:
        warnings.warn(
            f"nominal features are treated as numbers by {format_list(numeric)}; relieff treats "
            "them as nominal.",
            HoldfastWarning,
            stacklevel=2,
        )


def _warn_of_adaptations(selectors: Mapping[str, Selector], resamples: list[Resample]) -> None:
    n_samples = max(len(resample.train) for resample in resamples)
    for name, selector in selectors.items():
        adaptation = selector.describe_adaptation(n_samples)
        if adaptation:
            warnings.warn(f"{name} {adaptation}.", HoldfastWarning, stacklevel=2)


def _warn_of_ignored_sizes(settings: Settings) -> None:
    names = [name for name, s in settings.selectors.items() if s.selects_own_size]
    if settings.sizes is not None and names:
        one = len(names) == 1
        number = "the number of features"
        choose = f"chooses {number} itself" if one else f"choose {number} themselves"
        advice = _sizes_advice(settings.selectors[name] for name in names)
        warnings.warn(
            f"the sizes do not apply to {format_list(names)}, which {choose}.{advice}",
            HoldfastWarning,
            stacklevel=2,
        )


def _sizes_advice(selectors: Iterable[Selector]) -> str:
    """Return how to make selectors use the sizes, for those that can."""
    selectors = list(selectors)
    with_cut = [selector for selector in selectors if isinstance(selector, ThresholdScorer)]
    forms = {form_of(type(selector)) for selector in selectors if selector not in with_cut}
    advice = " A filter without a threshold and without alpha uses the sizes." if with_cut else ""
    if forms & {"weights", "ranking"}:
        advice += " To use the sizes, set n_features_to_select to any number."
    if "groups" in forms:
        advice += " A group selector without a threshold uses the sizes."
    if "subset" in forms:
        advice += " The size of a subset is set by n_features_to_select, a number or a range."
    return advice


def _check_generator(resamples: list[Resample], data: Dataset) -> None:
    if data.generator is None and any(resample.draw >= 0 for resample in resamples):
        raise InvalidInputError(
            "independent samples need data from a generator, such as @simulated; for other data "
            "choose a protocol that resamples them."
        )


def _check_measures(settings: Settings, resamples: list[Resample], *, missing: bool) -> None:
    records = [get_measure(name) for name in settings.measures]
    needs_data = [record.name for record in records if record.needs & {"similarity", "data"}]
    if missing and needs_data:
        raise InvalidInputError(
            f"{format_list(needs_data)} compare features by their data, which must not have "
            "missing values; choose other measures, or fill the values first."
        )
    forms = {record.form for record in records}
    if "weights" in forms and any(resample.features is not None for resample in resamples):
        raise InvalidInputError(
            "measures of weights need a weight for every feature, but this protocol offers only "
            "some of the features to each resample. Choose measures of subsets."
        )
