"""Forms that only a fit shows: a rehearsal on the workers, before the study is planned."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.io import Dataset
from holdfast.select import DECLARED_FORMS, SUBSET, AnySelector, Selector
from holdfast.study._execution._execute import ExecutionOptions
from holdfast.study._execution._unit import UnitRunner
from holdfast.study._planning._make_plan import make_plan, make_unit_runner
from holdfast.study._planning._plan import Plan, Unit
from holdfast.study._storage._store import UnitResult

if TYPE_CHECKING:
    from holdfast.study._planning._settings import Settings

SECONDS_PER_WAIT = 1.0
"""Longest wait for an event of the workers; chosen by hand."""


def plan_with_known_forms(settings: Settings, data: Dataset, options: ExecutionOptions) -> Plan:
    """Plan a study; a function, or an estimator of another package, first shows its form.

    Whether it chooses the number of features itself is a part of the plan, and is seen only when
    it has run. It runs on the first resample, on a worker, where a crash does no harm.
    """
    unknown = [
        name
        for name, selector in settings.selectors.items()
        if isinstance(selector, AnySelector) and selector.needs_rehearsal
    ]
    if not unknown:
        return make_plan(settings, data, options.n_processes)
    with warnings.catch_warnings():  # the second plan warns
        warnings.simplefilter("ignore")
        plan = make_plan(settings, data, options.n_processes)
    positions = [list(plan.selectors).index(name) for name in unknown]
    results = rehearse_forms(make_unit_runner(plan, data), positions, options)
    selectors = dict(settings.selectors)
    for result in results:
        name = list(plan.selectors)[result.selector]
        selectors[name] = _declare_form(selectors[name], result, settings.sizes)
    return make_plan(replace(settings, selectors=selectors), data, options.n_processes)


def rehearse_forms(
    runner: UnitRunner, selectors: Sequence[int], options: ExecutionOptions
) -> list[UnitResult]:
    """Run selectors on the first resample, and return what those gave that did not fail.

    Failures settle nothing: the units of the study fail in the same way and report it.
    """
    rehearsal = replace(runner, classifiers=(), rehearses=True)
    waiting = [Unit(selector, 0, 1) for selector in selectors]
    results: list[UnitResult] = []
    n_running = 0
    with closing(options.pool(rehearsal)) as pool:
        while waiting or n_running:
            while waiting and pool.n_free() > 0:
                pool.submit([waiting.pop(0)])
                n_running += 1
            events = pool.wait(SECONDS_PER_WAIT)
            n_running -= len(events)
            results += [result for event in events for result in event.results]
    return sorted(
        (result for result in results if result.preferences), key=lambda result: result.selector
    )


def _declare_form(
    selector: Selector, result: UnitResult, sizes: tuple[float, ...] | None
) -> Selector:
    """Return a selector with the form that it gave, if that is a subset of its own size."""
    ((returns, kind),) = result.preferences
    if not isinstance(selector, AnySelector) or DECLARED_FORMS[returns] != SUBSET:
        return selector
    if kind == b"sparse" and sizes is not None:
        return selector  # the sizes take the best features of a sparse model
    return selector.with_own_form(returns)
