"""Execute a plan: open the folder, start the workers, run the units."""

from __future__ import annotations

import json
import logging
import os
import signal
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from typing import NamedTuple

from holdfast._formatting import format_list, plural
from holdfast._interrupts import handle_interrupts
from holdfast._memory import memory_size
from holdfast._study_part import StudyPart, parse_part
from holdfast._typing import JSON, DaskClient
from holdfast.errors import HoldfastWarning, InvalidInputError, StudyError
from holdfast.io import Dataset
from holdfast.resample import Protocol, Resample
from holdfast.study._execution._cost import MIN_SECONDS_SHOWN, cost_from_first_runs
from holdfast.study._execution._local_pool import LocalPool, Pool, resolve_n_jobs
from holdfast.study._execution._progress import Progress, as_progress
from holdfast.study._execution._scheduler import FirstRun, Scheduler
from holdfast.study._execution._sequential_run import SequentialStudy
from holdfast.study._execution._unit import UnitRunner
from holdfast.study._execution._worker import versions
from holdfast.study._planning._make_plan import make_unit_runner
from holdfast.study._planning._plan import Plan, Unit, opaque_parts, plan_depth
from holdfast.study._planning._stopping_rule import StoppingRule
from holdfast.study._result import Result
from holdfast.study._storage._check import delete_damaged_units
from holdfast.study._storage._folder import (
    active_rule,
    check_empty,
    check_same_rule,
    check_storable,
    create_folder,
    load_data,
    open_or_create_store,
    write_plan,
)
from holdfast.study._storage._folder_lock import folder_lock
from holdfast.study._storage._plan_objects import (
    build_objects,
    classifier_parts,
    needs_trust,
    protocol_part,
    selector_parts,
)
from holdfast.study._storage._store import FILE, Store

logger = logging.getLogger(__name__)
MAX_TIMEOUT_SECONDS = 1e7
"""Longest time limit: about four months, chosen by hand within the limits of timers."""


class ExecutionOptions:
    """Where and how units are run, as requested by the caller."""

    def __init__(
        self,
        n_jobs: int | None = None,
        client: DaskClient = None,
        timeout: float | None = None,
        part: str | None = None,
        command: str | None = None,
    ) -> None:
        self.command = command
        self.n_jobs = resolve_n_jobs(n_jobs)
        self.client = client
        self.timeout = _check_timeout(timeout)
        self.part = StudyPart() if part is None else parse_part(part)

    @property
    def n_processes(self) -> int:
        """Number of local processes that share the memory; one on a cluster."""
        return self.n_jobs if self.client is None else 1

    def includes(self, position: int) -> bool:
        """Return whether the unit at a position belongs to the requested part."""
        # interleaved, so that each part has all selectors
        return position % self.part.count == self.part.number - 1

    def check_whole(self) -> None:
        """Raise if a part of a sequential study is requested: it cannot decide when to stop."""
        if self.part.count > 1:
            raise InvalidInputError(
                "a study with until_width must run as a whole, as its parts cannot decide when "
                f"enough resamples are done; got part {self.part}. Omit one of the two."
            )

    @property
    def n_workers(self) -> int:
        """How many units run at a time."""
        return self.n_jobs if self.client is None else max(1, len(self.client.nthreads()))

    def pool(self, runner: UnitRunner) -> Pool:
        """Start the workers."""
        if self.client is None:
            return LocalPool(runner, self.n_jobs, self.timeout)
        from holdfast.study._execution._dask_pool import DaskPool

        return DaskPool(self.client, runner, self.timeout)


def _check_timeout(timeout: float | None) -> float | None:
    if timeout is None:
        return None
    number = isinstance(timeout, Real) and not isinstance(timeout, bool)
    if not number or not 0 < timeout <= MAX_TIMEOUT_SECONDS:
        raise InvalidInputError(
            f"timeout must be a number of seconds above 0, at most {MAX_TIMEOUT_SECONDS:g}, "
            f"got {timeout!r}."
        )
    return float(timeout)


@handle_interrupts(signal.SIGINT)
def execute(
    plan: Plan,
    data: Dataset,
    options: ExecutionOptions,
    *,
    out: str | os.PathLike[str] | None,
    progress: Progress | None,
    save_data: bool,
    protocol: Protocol,
    rule: StoppingRule | None = None,
) -> Result:
    """Run a plan, or continue it, and return the results.

    With `rule`, the plan holds the maximum number of resamples. All objects are those of the
    caller; a folder only has to hold the same plan. So its result is trusted.
    """
    check_storable(plan)
    sequential = None if rule is None else SequentialStudy(plan, data, rule, protocol)
    if out is None:
        store = Store.create(None)
        plan = plan if sequential is None else sequential.current_plan(None)
        write_plan(store, plan, data, rule)
        _run_or_extend(store, plan, protocol, data, options, progress)
        return Result(store, data=lambda: data, trust=True)
    folder = create_folder(out)
    if not (folder / FILE).exists():
        check_empty(folder)  # before the lock leaves its file in somebody else's folder
    with folder_lock(folder):
        plan = plan if sequential is None else sequential.current_plan(folder)
        store = open_or_create_store(folder, plan, data, save_data=save_data, rule=rule)
        with closing(store):
            check_same_rule(store, rule, folder)
            store.verify()
            # the study goes on with the blocks and the depth that it began with
            document = store.fact("plan")
            blocks = tuple(selector["block"] for selector in document["selectors"])
            plan = replace(plan, blocks=blocks, depth=plan_depth(document))
            _run_or_extend(store, plan, protocol, data, options, progress)
    return Result(Store.open(folder / FILE), data=lambda: data, trust=True)


@handle_interrupts(signal.SIGINT)
def resume(
    folder: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    client: DaskClient = None,
    timeout: float | None = None,
    progress: Progress | bool | None = None,
    part: str | None = None,
    command: str | None = None,
    trust: bool = False,
    repair: bool = False,
) -> Result:
    """Continue a study where it stopped; units that failed are retried.

    Parameters
    ----------
    folder : str or path
        The folder of the run.
    data : str or path, optional
        The data file, if it has moved since the plan was made.
    n_jobs, client, timeout, progress, part, command
        As for :meth:`holdfast.Study.run`.
    trust : bool, default False
        Run whatever code the plan of the folder names. By default only selectors and protocols
        of holdfast, estimators of scikit-learn, and estimators of installed packages are run; a
        selector in a file of your own needs trust.
    repair : bool, default False
        Compute damaged units again; without it they are refused. :func:`holdfast.check` lists them.

    Returns
    -------
    Result

    Raises
    ------
    FileFormatError
        The store is damaged.
    StoreError
        The folder holds no study, another run is using it, or the data have changed.
    UntrustedCodeError
        The plan names code that needs trust; nothing of it was imported or run.
    StudyError
        A selector or classifier of the plan cannot be imported, or no selector succeeded on any
        resample; finished units are kept.

    Warns
    -----
    HoldfastWarning
        Versions have changed since the study last ran, or a selector failed on every resample.

    Examples
    --------
    >>> import tempfile
    >>> import holdfast as hf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = hf.Study("f_score", protocol=hf.Subsampling(10, 0.9), classifiers=())
    ...     _ = study.run(hf.io.read_data("@wine"), out=folder, n_jobs=1, part="1/2")
    ...     hf.resume(folder, n_jobs=1).complete
    True
    """
    options = ExecutionOptions(n_jobs, client, timeout, part, command)
    progress = as_progress(progress)
    path = Path(folder)
    Store.open(path / FILE).close()  # fail early if the folder has no study
    with folder_lock(path), closing(Store.open(path / FILE, write=True)) as store:
        document = store.fact("plan")  # read under the lock: nobody else can change it
        sequential = active_rule(store) is not None
        plan, protocol = _restore_plan(
            document, store.resamples(), path, trust=trust, sequential=sequential
        )
        dataset = load_data(path, document, data)
        if repair:
            delete_damaged_units(store, plan)
        store.verify()
        _run_or_extend(store, plan, protocol, dataset, options, progress)
    return Result(Store.open(path / FILE), data=lambda: dataset, trust=trust)


def _restore_plan(
    document: JSON, resamples: list[Resample], folder: Path, *, trust: bool, sequential: bool
) -> tuple[Plan, Protocol | None]:
    """Return the plan that a store holds; and its protocol, if it is to draw more resamples."""
    unknown = opaque_parts(document)
    if unknown:
        raise StudyError(
            f"{', '.join(unknown)} cannot be imported here; continue with Study.run(..., out=) "
            "where it is defined."
        )
    selectors, classifiers = selector_parts(document), classifier_parts(document)
    parts = [*selectors, *classifiers, *([protocol_part(document)] if sequential else [])]
    objects = build_objects(parts, trust=trust, folder=folder)
    plan = Plan(
        selectors={part.name: one for part, one in zip(selectors, objects, strict=False)},
        protocol=document["protocol"],
        resamples=resamples,
        sizes=tuple(document["sizes"]),
        depth=plan_depth(document),
        classifiers={
            part.name: one
            for part, one in zip(classifiers, objects[len(selectors) :], strict=False)
        },
        measures=tuple(document["measures"]),
        impute=document["impute"],
        seed=document["seed"],
        data=document["data"],
        blocks=tuple(selector["block"] for selector in document["selectors"]),
        auxiliary=document.get("beside"),
        weighting=document.get("weighting"),
    )
    return plan, objects[-1] if sequential else None


def _run_or_extend(
    store: Store,
    plan: Plan,
    protocol: Protocol | None,
    data: Dataset,
    options: ExecutionOptions,
    progress: Progress | None,
) -> None:
    """Run the remaining units; a sequential study first extends its plan as far as needed."""
    rule = active_rule(store)
    if rule is None or protocol is None:
        _run_plan(store, plan, data, options, progress)
    else:
        options.check_whole()
        study = SequentialStudy(plan, data, rule, protocol)
        _run_sequentially(store, study, data, options, progress)
    raise_if_all_failed(store, list(plan.selectors))
    warn_of_failed_selectors(store, list(plan.selectors))


def _run_plan(
    store: Store, plan: Plan, data: Dataset, options: ExecutionOptions, progress: Progress | None
) -> None:
    done = store.finished_units()
    units = [unit for position, unit in enumerate(plan.units()) if options.includes(position)]
    remaining = [unit for block in units for unit in _remaining_units(block, done)]
    if not remaining:
        return
    with closing(options.pool(make_unit_runner(plan, data))) as pool:
        _log_run(store, pool.name, options.command)
        _run_units(store, pool, plan, units, remaining, options, data, progress)


def _run_sequentially(
    store: Store,
    study: SequentialStudy,
    data: Dataset,
    options: ExecutionOptions,
    progress: Progress | None,
) -> None:
    """Run the steps on one pool, then the replication resamples on a second pool."""
    stopped: set[int] = set()

    def run_step(plan: Plan, first: int) -> None:
        done = store.finished_units()
        units = [unit for unit in plan.units() if unit.selector not in stopped]
        new = [unit for unit in units if unit.first >= first]  # earlier failures are not retried
        remaining = [unit for block in new for unit in _remaining_units(block, done)]
        if remaining:
            stopped.update(_run_units(store, pool, plan, units, remaining, options, data, progress))
        raise_if_all_failed(store, list(plan.selectors))  # more resamples would fail as well

    def note(text: str) -> None:
        logger.info("%s", text)
        if progress is not None:
            progress.note(text)

    # the first pool knows all resamples of the protocol, so that no step restarts the workers
    with closing(options.pool(make_unit_runner(study.longest_plan(), data))) as pool:
        _log_run(store, pool.name, options.command)
        plan, first, warning = study.extend(store, run_step, note)
    if len(plan.resamples) > first:
        with closing(options.pool(make_unit_runner(plan, data))) as pool:
            run_step(plan, first)
    if warning:
        warnings.warn(warning, HoldfastWarning, stacklevel=2)


def _run_units(
    store: Store,
    pool: Pool,
    plan: Plan,
    units: list[Unit],
    remaining: list[Unit],
    options: ExecutionOptions,
    data: Dataset,
    progress: Progress | None,
) -> set[int]:
    """Run the remaining units, and return the selectors that were stopped.

    Progress is reported against all units of this part. When the first unit of each selector has
    run, the cost of the others is reported, or refused if the memory does not suffice.
    """
    names = list(plan.selectors)
    totals, to_do = _count_resamples(units, names), _count_resamples(remaining, names)

    def report_cost(first_runs: Mapping[int, FirstRun]) -> None:
        cost = cost_from_first_runs(plan, to_do, first_runs, options.n_workers, memory_size(data.X))
        if options.client is None:
            cost.check_memory()
        if progress is not None and cost.seconds >= MIN_SECONDS_SHOWN:
            progress.note(cost.describe())

    rows = store.query("SELECT DISTINCT selector FROM units WHERE status = 'done'")
    proven = {selector for (selector,) in rows}
    scheduler = Scheduler(store, pool, names, progress, proven, report_cost)
    if progress is None:
        scheduler.run(remaining)
        return scheduler.stopped
    progress.start(totals, {name: totals[name] - to_do[name] for name in names}, pool.name)
    try:
        scheduler.run(remaining)
    finally:
        progress.stop()
    return scheduler.stopped


def _remaining_units(unit: Unit, done: set[tuple[int, int]]) -> list[Unit]:
    """Return a unit that is still to do, or the remaining resamples of a block that was begun."""
    # a block that was not begun stays whole: its bits may differ from those of single resamples
    remaining = [s for s in unit.singles() if (s.selector, s.first) not in done]
    return [unit] if len(remaining) == unit.stop - unit.first else remaining


def _count_resamples(units: list[Unit], names: list[str]) -> dict[str, int]:
    """Return the number of resamples of each selector in these units."""
    counts = dict.fromkeys(names, 0)
    for unit in units:
        counts[names[unit.selector]] += unit.stop - unit.first
    return counts


def _log_run(store: Store, where: str, command: str | None) -> None:
    """Store when, where and with which versions a run started; warn if versions changed."""
    details = versions() if command is None else {**versions(), "command": command}
    started = datetime.now(UTC).isoformat(timespec="seconds")
    earlier_runs = store.query("SELECT run, versions FROM runs ORDER BY run")
    if earlier_runs:
        _warn_of_changed_versions(json.loads(earlier_runs[-1][1]))
    with store.transaction():
        store.insert("runs", [(len(earlier_runs), started, where, json.dumps(details))])


def _warn_of_changed_versions(before: dict[str, str]) -> None:
    changed = [
        f"{name} was {before.get(name)} and is {now}"
        for name, now in versions().items()
        if before.get(name) != now
    ]
    if changed:
        warnings.warn(
            f"versions have changed since this study last ran: {'; '.join(changed)}. New "
            "results may differ in the last bits from the earlier ones.",
            HoldfastWarning,
            stacklevel=2,
        )


# Selectors that failed on every resample: an error if all did, a warning if some did.

MAX_SELECTORS_NAMED = 3
"""Most selectors named in one message; chosen by hand."""


class FailedSelectorsWarning(HoldfastWarning):
    """Some selectors of a study failed on every resample, others did not."""


class FailedSelector(NamedTuple):
    """A selector that failed on every resample that was run."""

    name: str
    resamples: int
    not_run: int
    """How many other resamples of the plan it was not run on."""
    message: str
    """Message of the first failure."""

    def __str__(self) -> str:
        tried = plural(self.resamples, "resample")
        others = f" that were tried ({self.not_run:,} not run)" if self.not_run else ""
        return f"{self.name} failed on all {tried}{others}: {self.message}"


def failed_selectors(store: Store, names: Sequence[str]) -> list[FailedSelector]:
    """Return the selectors that failed on every resample that was run."""
    [(n_resamples,)] = store.query("SELECT count(*) FROM resamples")
    rows = store.query(
        "SELECT selector, resample, message FROM units WHERE status = 'failed' AND selector NOT IN "
        "(SELECT selector FROM units WHERE status = 'done') ORDER BY selector, resample"
    )
    messages: dict[int, list[str]] = {}
    for selector, _, message in rows:
        messages.setdefault(selector, []).append(message)
    return [
        FailedSelector(names[i], len(texts), n_resamples - len(texts), texts[0])
        for i, texts in messages.items()
    ]


def raise_if_all_failed(store: Store, names: Sequence[str]) -> None:
    """Raise if no selector succeeded on any resample.

    Raises
    ------
    StudyError
        Names the selectors, their first messages, and the folder that can be resumed.
    """
    failed = failed_selectors(store, names)
    if len(failed) < len(names):
        return
    if store.path is None:
        kept = "Nothing is kept, as no folder was named (out=)."
    else:
        folder = str(store.path.parent)
        trust = ", trust=True" if needs_trust(store.fact("plan")) else ""
        kept = (
            f"The run is kept in {folder}; once the cause is removed: hf.resume({folder!r}{trust})."
        )
    raise StudyError(f"no selector succeeded. {_format_failed(failed)}. {kept}")


def warn_of_failed_selectors(store: Store, names: Sequence[str]) -> None:
    """Warn of selectors that failed on every resample while others succeeded."""
    failed = failed_selectors(store, names)
    if failed:
        warnings.warn(f"{_format_failed(failed)}.", FailedSelectorsWarning, stacklevel=2)


def _format_failed(failed: Sequence[FailedSelector]) -> str:
    return format_list((str(selector).rstrip(".") for selector in failed), most=MAX_SELECTORS_NAMED)
