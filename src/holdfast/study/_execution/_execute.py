"""From a plan to results: the folder, the workers, the run."""

from __future__ import annotations

import json
import logging
import warnings
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastWarning, InvalidInputError, StudyError
from holdfast.study._execution._failed_selectors import (
    raise_if_all_failed,
    warn_of_failed_selectors,
)
from holdfast.study._execution._local_pool import LocalPool, count_of_jobs
from holdfast.study._execution._scheduler import Scheduler
from holdfast.study._execution._sequential_run import Growing, check_same_until, growing_until
from holdfast.study._execution._worker import versions
from holdfast.study._planning._make_plan import make_work
from holdfast.study._planning._plan import Plan, kept_depth, opaque_parts
from holdfast.study._result import Result
from holdfast.study._storage._folder import (
    fill,
    folder_lock,
    load_data,
    made_folder,
    open_or_create_store,
)
from holdfast.study._storage._serialization import deserialize_object
from holdfast.study._storage._store import FILE, Store

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from holdfast.io import Dataset
    from holdfast.resample import Resample
    from holdfast.study._execution._local_pool import Pool
    from holdfast.study._execution._scheduler import Progress
    from holdfast.study._execution._unit import Work
    from holdfast.study._planning._plan import Unit
    from holdfast.study._planning._stopping_rule import Until
    from holdfast.study._storage._serialization import JSON

logger = logging.getLogger(__name__)
LONGEST = 1e7
"""Most seconds of a time limit: months."""


class ExecutionOptions:
    """Who is to work, as the caller said it."""

    def __init__(
        self,
        n_jobs: int | None = None,
        client: Any = None,  # noqa: ANN401  (a dask.distributed.Client)
        timeout: float | None = None,
        part: str | None = None,
        command: str | None = None,
    ) -> None:
        self.command = command
        self.n_jobs = count_of_jobs(n_jobs)
        self.client = client
        self.timeout = _checked_timeout(timeout)
        self.part = _checked_part(part)

    def does(self, position: int) -> bool:
        """Return whether the unit at a position belongs to the part that is to be done."""
        number, count = self.part
        return position % count == number - 1

    def check_whole(self) -> None:
        """Refuse to do a part of a study that grows: a part cannot tell when it is enough."""
        if self.part[1] > 1:
            raise InvalidInputError(
                "a study with until_width is done as a whole, as its parts cannot tell when it "
                f"has resamples enough; received part {self.part[0]}/{self.part[1]}. Leave one of "
                "the two out."
            )

    def pool(self, work: Work) -> Pool:
        """Start the workers."""
        if self.client is None:
            return LocalPool(work, self.n_jobs, self.timeout)
        from holdfast.study._execution._dask_pool import DaskPool  # noqa: PLC0415  (an extra)

        return DaskPool(self.client, work, self.timeout)


def _checked_timeout(timeout: float | None) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, Real) or not 0 < timeout <= LONGEST:
        raise InvalidInputError(
            f"timeout must be a number of seconds above 0, at most {LONGEST:g}, got {timeout!r}."
        )
    return float(timeout)


def _checked_part(part: str | None) -> tuple[int, int]:
    """Return which part of how many: ``"2/3"`` is the second of three."""
    if part is None:
        return 1, 1
    number, _, count = str(part).partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise InvalidInputError(f"part must be spelled as 1/3, 2/3 or 3/3, got {part!r}.")
    return int(number), int(count)


def execute(
    plan: Plan,
    data: Dataset,
    workers: ExecutionOptions,
    *,
    out: str | os.PathLike[str] | None,
    progress: Progress | None,
    save_data: bool,
    until: Until | None = None,
) -> Result:
    """Follow a plan, or go on with it, and return the results.

    With `until`, the plan is that of a study which never has enough.
    """
    if out is None:
        store = Store.create(None)
        plan = plan if until is None else Growing(plan, data, until).begun(None)
        fill(store, plan, data, until)
        _follow(store, plan, data, workers, progress)
        return Result(store, data=lambda: data)
    folder = made_folder(out)
    with folder_lock(folder):
        plan = plan if until is None else Growing(plan, data, until).begun(folder)
        with closing(
            open_or_create_store(folder, plan, data, save_data=save_data, until=until)
        ) as store:
            check_same_until(store, until, folder)
            _follow(store, _as_begun(plan, store.fact("plan")), data, workers, progress)
    return Result(Store.open(folder / FILE), data=lambda: data)


def _as_begun(plan: Plan, document: JSON) -> Plan:
    """Return a plan that cuts and keeps as the one that the study began with."""
    blocks = tuple(one["block"] for one in document["selectors"])
    return replace(plan, blocks=blocks, depth=kept_depth(document))


def resume(
    folder: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    client: Any = None,  # noqa: ANN401  (a dask.distributed.Client)
    timeout: float | None = None,
    progress: Progress | None = None,
    part: str | None = None,
    command: str | None = None,
) -> Result:
    """Go on with a study where it stopped; what failed is tried again.

    Parameters
    ----------
    folder : str or path
        The folder of the run.
    data : str or path, optional
        The data file, where it is no longer where the plan says.
    n_jobs, client, timeout, progress, part, command
        As for :meth:`holdfast.Study.run`.

    Returns
    -------
    Result

    Raises
    ------
    StoreError
        The folder holds no study, another run is at work in it, or the data have changed.
    StudyError
        A selector or classifier of the plan cannot be imported, or no selector succeeded on any
        resample; what was done is kept.

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
    workers = ExecutionOptions(n_jobs, client, timeout, part, command)
    path = Path(folder)
    Store.open(path / FILE).close()  # a folder without a study is said to be so
    with folder_lock(path), closing(Store.open(path / FILE, write=True)) as store:
        document = store.fact("plan")  # read when nobody else can change it
        plan, found = _restore_plan(document, store.resamples()), load_data(path, document, data)
        _follow(store, plan, found, workers, progress)
    return Result(Store.open(path / FILE), data=lambda: found)


def _restore_plan(document: JSON, resamples: list[Resample]) -> Plan:
    """Make a plan of what a store says."""
    unknown = opaque_parts(document)
    if unknown:
        raise StudyError(
            f"{', '.join(unknown)} cannot be imported here; go on with Study.run(..., out=) where "
            "it is defined."
        )
    return Plan(
        selectors={one["name"]: deserialize_object(one["object"]) for one in document["selectors"]},
        protocol=document["protocol"],
        resamples=resamples,
        sizes=tuple(document["sizes"]),
        depth=kept_depth(document),
        classifiers={
            one["name"]: deserialize_object(one["object"]) for one in document["classifiers"]
        },
        measures=tuple(document["measures"]),
        impute=document["impute"],
        seed=document["seed"],
        data=document["data"],
        blocks=tuple(one["block"] for one in document["selectors"]),
        beside=document.get("beside"),
    )


def _follow(
    store: Store, plan: Plan, data: Dataset, workers: ExecutionOptions, progress: Progress | None
) -> None:
    """Do what is left of a study, whose plan may have to grow for that."""
    until = growing_until(store)
    if until is None:
        _run(store, plan, data, workers, progress)
    else:
        workers.check_whole()
        _grow(store, Growing(plan, data, until), data, workers, progress)
    raise_if_all_failed(store, list(plan.selectors))
    warn_of_failed_selectors(store, list(plan.selectors))


def _run(
    store: Store, plan: Plan, data: Dataset, workers: ExecutionOptions, progress: Progress | None
) -> None:
    done = store.done()
    own = [unit for at, unit in enumerate(plan.units()) if workers.does(at)]
    todo = [unit for whole in own for unit in _remaining_units(whole, done)]
    if not todo:
        return
    with closing(workers.pool(make_work(plan, data))) as pool:
        _note_run(store, pool.name, workers.command)
        _work_off(store, pool, plan, (own, todo), progress)


def _grow(
    store: Store,
    growing: Growing,
    data: Dataset,
    workers: ExecutionOptions,
    progress: Progress | None,
) -> None:
    """Let the same workers do step after step, then others what comes beside."""

    def do(plan: Plan, first: int) -> None:
        done, own = store.done(), list(plan.units())
        new = [unit for unit in own if unit.first >= first]  # what failed before, failed
        todo = [unit for whole in new for unit in _remaining_units(whole, done)]
        if todo:
            _work_off(store, pool, plan, (own, todo), progress)
        raise_if_all_failed(store, list(plan.selectors))  # more resamples would fail, too

    def note(text: str) -> None:
        logger.info("%s", text)
        if progress is not None:
            progress.note(text)

    with closing(workers.pool(make_work(growing.widest(), data))) as pool:
        _note_run(store, pool.name, workers.command)
        plan, first, trouble = growing.grow(store, do, note)
    if len(plan.resamples) > first:
        with closing(workers.pool(make_work(plan, data))) as pool:
            do(plan, first)
    if trouble:
        warnings.warn(trouble, HoldfastWarning, stacklevel=2)


def _work_off(
    store: Store,
    pool: Pool,
    plan: Plan,
    units: tuple[list[Unit], list[Unit]],
    progress: Progress | None,
) -> None:
    """Have units done; told are all that belong to it, and those that are left."""
    names = list(plan.selectors)
    own, todo = (_counts(some, names) for some in units)
    with _report_progress(progress, own, todo, pool.name):
        Scheduler(store, pool, names, progress).go(units[1])


def _remaining_units(unit: Unit, done: set[tuple[int, int]]) -> list[Unit]:
    """Return what is left of a unit; of a block that was begun, the single resamples left."""
    left = [one for one in unit.singles() if (one.selector, one.first) not in done]
    return [unit] if len(left) == unit.stop - unit.first else left


def _counts(units: list[Unit], names: list[str]) -> dict[str, int]:
    """Return how many resamples each selector has among these units."""
    counts = dict.fromkeys(names, 0)
    for unit in units:
        counts[names[unit.selector]] += unit.stop - unit.first
    return counts


def _note_run(store: Store, where: str, command: str | None) -> None:
    """Write down when, where and with what versions a run started; warn where these changed."""
    notes = versions() if command is None else {**versions(), "command": command}
    started = datetime.now(UTC).isoformat(timespec="seconds")
    before = store.query("SELECT run, versions FROM runs ORDER BY run")
    if before:
        _warn_of_versions(json.loads(before[-1][1]))
    with store.transaction():
        store.insert("runs", [(len(before), started, where, json.dumps(notes))])


def _warn_of_versions(before: dict[str, str]) -> None:
    changed = [
        f"{name} was {before.get(name)} and is {now}"
        for name, now in versions().items()
        if before.get(name) != now
    ]
    if changed:
        warnings.warn(
            f"versions have changed since this study last ran: {'; '.join(changed)}. What is done "
            "now may differ in the last bits from what was done then.",
            HoldfastWarning,
            stacklevel=2,
        )


@contextmanager
def _report_progress(
    progress: Progress | None, totals: dict[str, int], left: dict[str, int], where: str
) -> Iterator[None]:
    if progress is None:
        yield
        return
    progress.start(totals, {name: totals[name] - left[name] for name in totals}, where)
    try:
        yield
    finally:
        progress.stop()
