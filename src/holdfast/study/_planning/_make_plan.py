"""From settings and data to a plan; whatever cannot work is refused here, before work starts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast._formatting import format_list
from holdfast.errors import HoldfastError, HoldfastWarning, InvalidInputError
from holdfast.io import check_for_study
from holdfast.measures import get_measure
from holdfast.preferences._ranks import count_of
from holdfast.resample._strata import Units
from holdfast.select import AnySelector
from holdfast.select._registry import form_of
from holdfast.select._selector import OfferedFeatures
from holdfast.study._execution._unit import Work
from holdfast.study._planning._plan import (
    SELECTOR,
    Plan,
    beside_facts,
    block_size,
    cohort_parts,
    data_facts,
    depth_of,
    disjoint_parts,
    protocol_facts,
    seed_of,
)
from holdfast.study._planning._plan_checks import (
    check_fitting,
    check_sparse_models,
    is_sparse_model,
    rehearse,
    warn_of_long_searches,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.io import Dataset, DataSummary
    from holdfast.resample import Resample
    from holdfast.select import Selector
    from holdfast.study._storage._serialization import JSON
    from holdfast.study._study import Settings

USUAL_SIZES = (5, 10, 20, 50)


def make_plan(settings: Settings, data: Dataset) -> Plan:
    """Settle what a study of these data will do."""
    _check_selectors(settings.selectors, data)
    _check_missing(settings, check_for_study(data))
    _warn_of_nominal(settings.selectors, data)
    _warn_of_sizes(settings)
    check_fitting(settings.selectors, settings.measures)
    resamples = settings.protocol.draw(
        data.y, data.groups, random_state=settings.seed, n_features=data.n_features
    )
    offered = n_offered(data.n_features, resamples)
    sizes = _counts(settings.sizes, data.n_features, offered)
    _check_generator(resamples, data)
    _check_measures(settings, resamples, missing=_has_missing(data))
    tested = any(len(one.test) for one in resamples)
    classifiers = settings.classifiers if tested else {}
    ready = {name: prepare_selector(one, 0, data) for name, one in settings.selectors.items()}
    rehearse(ready, classifiers, data, resamples[0].features)
    warn_of_long_searches(ready, data.n_features, resamples[0].features)
    beside, facts = beside_of(data, resamples, settings.replication, settings.seed)
    every = [*resamples, *beside]
    plan = Plan(
        selectors=settings.selectors,
        protocol=protocol_facts(settings.protocol, resamples, subjects=data.groups is not None),
        resamples=every,
        sizes=sizes,
        depth=depth_of(sizes, offered, len(settings.selectors) * len(every)),
        classifiers=classifiers,
        measures=settings.measures,
        impute=settings.impute,
        seed=settings.seed,
        data=data_facts(data),
        blocks=tuple(_block(one, resamples, data) for one in settings.selectors.values()),
        beside=facts,
    )
    if any(map(is_sparse_model, settings.selectors.values())):
        check_sparse_models(make_work(plan, data), tuple(settings.selectors))
    return plan


def beside_of(
    data: Dataset, resamples: list[Resample], replication: int | None, seed: int
) -> tuple[list[Resample], dict[str, JSON] | None]:
    """Return the resamples beside those of the protocol, and what the plan says about them."""
    disjoint, why_none = disjoint_parts(data, replication, resamples, seed)
    cohorts = cohort_parts(data, seed)
    if replication == 0 and not cohorts:
        return [], None
    names = [] if data.cohorts is None else [str(name) for name in np.unique(data.cohorts)]
    beside = [*disjoint, *cohorts]
    units = Units.of(data.y, data.groups)
    return beside, beside_facts(beside, why_none, names, units)


def make_work(plan: Plan, data: Dataset) -> Work:
    """Return what workers need to follow a plan."""
    return Work(
        X=data.X,
        y=data.codes,
        classes=data.classes,
        selectors=[
            _set_largest_size(
                prepare_selector(selector, seed_of(plan.seed, SELECTOR, position), data), plan.sizes
            )
            for position, selector in enumerate(plan.selectors.values())
        ],
        classifiers=list(plan.classifiers.values()),
        sizes=plan.sizes,
        depth=plan.depth,
        forms=frozenset(get_measure(name).form for name in plan.measures),
        resamples=plan.resamples,
        seed=plan.seed,
        missing=_has_missing(data),
        nominal=data.nominal,
        generator=data.generator,
        subjects=data.groups,
    )


def prepare_selector(selector: Selector, seed: int, data: Dataset) -> Selector:
    """Return a selector with the study's seed, that goes by the numbers of the features.

    It knows which features are nominal.
    """
    numbered = selector.among(OfferedFeatures(data.n_features, data.feature_names))
    options: dict[str, Any] = {"random_state": seed}
    if data.nominal and numbered.get_params().get("nominal", ...) is None:
        options["nominal"] = list(data.nominal)
    prepared: Selector = numbered.set_params(**options)
    return prepared


def _set_largest_size(selector: Selector, sizes: tuple[int, ...]) -> Selector:
    """Return a selector of other people that knows the largest size, which it must reach."""
    if not isinstance(selector, AnySelector) or selector.chooses_size:
        return selector
    return selector.sized(sizes[-1])


def _block(selector: Selector, resamples: list[Resample], data: Dataset) -> int:
    """Return how many resamples go in one call: one where each sees data of its own."""
    alters = any(one.features is not None or one.noise or one.draw >= 0 for one in resamples)
    imputes = _has_missing(data) and not selector.takes_missing
    if alters or imputes or selector.chooses_size:
        return 1
    return block_size(selector, data.n_features)


def n_offered(n_features: int, resamples: list[Resample]) -> int:
    """Return how many features every resample offers."""
    given = (len(one.features) for one in resamples if one.features is not None)
    return min(given, default=n_features)


def _counts(sizes: tuple[float, ...] | None, n_features: int, offered: int) -> tuple[int, ...]:
    """Return the sizes as counts, all of which every resample can give."""
    if sizes is None:
        return tuple(k for k in USUAL_SIZES if k < offered) or (max(1, offered // 2),)
    counts = tuple(sorted({count_of(size, n_features, "a size") for size in sizes}))
    if counts[-1] > offered:
        raise InvalidInputError(
            f"{counts[-1]:,} features are to be selected, but a resample offers {offered:,} only; "
            "choose smaller sizes."
        )
    return counts


def _has_missing(data: Dataset) -> bool:
    return bool(np.isnan(data.X).any())


def _check_selectors(selectors: Mapping[str, Selector], data: Dataset) -> None:
    """Refuse selectors that hold others, or name features, which cannot be.

    They are looked at here first.
    """
    columns = OfferedFeatures(data.n_features, data.feature_names)
    for name, one in selectors.items():
        try:
            _ = one.takes_missing, one.takes_nominal, one.chooses_size
            one.among(columns)
        except HoldfastError as error:
            raise InvalidInputError(f"selector {name}: {error}") from error


def _check_missing(settings: Settings, summary: DataSummary) -> None:
    refusing = [name for name, one in settings.selectors.items() if not one.takes_missing]
    if summary.n_missing and refusing and settings.impute is None:
        raise InvalidInputError(
            f"the data have {summary.n_missing:,} missing values, which these selectors do not "
            f"take: {format_list(refusing)}. Impute them by the median of the training part "
            "(impute='median', --impute median), or choose other selectors."
        )


def _warn_of_nominal(selectors: Mapping[str, Selector], data: Dataset) -> None:
    numeric = [name for name, one in selectors.items() if not one.takes_nominal]
    if data.nominal and numeric:
        warnings.warn(
            f"nominal features are seen as numbers by {format_list(numeric)}; relieff treats them "
            "as nominal.",
            HoldfastWarning,
            stacklevel=2,
        )


def _warn_of_sizes(settings: Settings) -> None:
    own = [name for name, one in settings.selectors.items() if one.chooses_size]
    if settings.sizes is not None and own:
        warnings.warn(
            f"the sizes do not apply to {format_list(own)}: there the number is chosen, not asked "
            f"for.{_how_to_ask(settings.selectors[name] for name in own)}",
            HoldfastWarning,
            stacklevel=2,
        )


def _how_to_ask(selectors: Iterable[Selector]) -> str:
    """Say how selectors come to go by the sizes, those that can."""
    forms = {form_of(type(one)) for one in selectors}
    advice = ""
    if forms & {"weights", "ranking"}:
        advice += " To go by the sizes, set n_features_to_select, to any number."
    if "groups" in forms:
        advice += " A group selector goes by the sizes without a threshold."
    if "subset" in forms:
        advice += " The size of a subset is set by its own n_features_to_select, one or a range."
    return advice


def _check_generator(resamples: list[Resample], data: Dataset) -> None:
    if data.generator is None and any(one.draw >= 0 for one in resamples):
        raise InvalidInputError(
            "independent samples need data that come from a generator, such as @simulated; for "
            "other data choose a protocol that resamples them."
        )


def _check_measures(settings: Settings, resamples: list[Resample], *, missing: bool) -> None:
    records = [get_measure(name) for name in settings.measures]
    hungry = [one.name for one in records if one.needs & {"similarity", "data"}]
    if missing and hungry:
        raise InvalidInputError(
            f"{format_list(hungry)} compare features by their data, which must not have missing "
            "values; choose other measures, or fill the values first."
        )
    forms = {one.form for one in records}
    if "weights" in forms and any(one.features is not None for one in resamples):
        raise InvalidInputError(
            "measures of weights need a weight for each feature; a protocol that offers a part of "
            "the features has none for the others. Choose measures of subsets."
        )
