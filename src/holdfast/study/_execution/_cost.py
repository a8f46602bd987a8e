"""What a study will take: time and memory, from the first unit of each selector."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from holdfast._formatting import format_list
from holdfast._memory import check_process_memory, format_bytes, memory_size, peak_memory
from holdfast.errors import StudyError
from holdfast.io import Dataset
from holdfast.study._execution._scheduler import FirstRun, Scheduler
from holdfast.study._planning._make_plan import make_unit_runner
from holdfast.study._planning._plan import Plan, Unit
from holdfast.study._storage._folder import write_plan
from holdfast.study._storage._store import Store

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.study._execution._execute import ExecutionOptions

MIN_SECONDS_SHOWN = 10.0
"""Shorter times are "under 10 s": the start of the workers takes a part of them."""
MAX_SELECTORS_NAMED = 3
"""Most selectors in a sentence about the time, the slowest first; chosen by hand."""


class SelectorCost(NamedTuple):
    """What one selector will take.

    Attributes
    ----------
    selector : str
        Its name.
    resamples : int
        On how many resamples it runs.
    seconds_each : float
        Seconds on one resample, with the classifiers; NaN if it failed.
    peak_memory : int
        Bytes that a process holds while it runs; 0 where that is not known.
    problem : str
        Why it failed; empty if it did not.
    """

    selector: str
    resamples: int
    seconds_each: float
    peak_memory: int
    problem: str = ""

    @property
    def seconds(self) -> float:
        """Seconds on all resamples, one after the other."""
        return self.resamples * self.seconds_each


@dataclass(frozen=True)
class StudyCost:
    """What a study will take, estimated from one fit of each selector on a resample.

    The compilation of code, which happens once per machine, is not part of it. Times of single
    fits vary: expect estimates within a factor of two.

    Attributes
    ----------
    selectors : tuple of SelectorCost
        What each selector will take.
    n_processes : int
        How many processes run at a time.
    shared_memory : int
        Bytes that are held whatever the number of processes: the main process, and the data,
        which all share.
    matrix_memory : int
        Bytes of the data alone; they are part of what each process holds.
    """

    selectors: tuple[SelectorCost, ...]
    n_processes: int
    shared_memory: int
    matrix_memory: int

    @property
    def seconds(self) -> float:
        r"""Seconds from start to end: :math:`\max(\sum_s t_s / n, \max_s t_{s1})`.

        :math:`t_s` is the time of selector s on all resamples, :math:`t_{s1}` that on one, and n
        the number of processes. Selectors that failed are left out.
        """
        known = [cost for cost in self.selectors if not math.isnan(cost.seconds)]
        total = sum(cost.seconds for cost in known)
        slowest = max((cost.seconds_each for cost in known if cost.resamples), default=0.0)
        return max(total / self.n_processes, slowest)

    @property
    def memory(self) -> int:
        """Bytes that all processes together hold at most."""
        return self.shared_memory + self.n_processes * self._memory_each

    @property
    def _memory_each(self) -> int:
        peak = max((cost.peak_memory for cost in self.selectors), default=0)
        return max(0, peak - self.matrix_memory)

    @property
    def table(self) -> pd.DataFrame:
        """One row per selector: resamples, seconds each and in all, memory in bytes, problem."""
        import pandas as pd

        columns = ("selector", "resamples", "seconds_each", "peak_memory", "problem")
        table = pd.DataFrame(self.selectors, columns=list(columns)).set_index("selector")
        table.insert(2, "seconds", [cost.seconds for cost in self.selectors])
        return table

    def check_memory(self) -> None:
        """Raise if the memory of this machine does not suffice.

        Raises
        ------
        StudyError
            It does not; the message names the number of processes that fit.
        """
        check_process_memory(self.n_processes, self._memory_each, self.shared_memory, StudyError)

    def describe(self) -> str:
        """Return the time and the memory in a sentence, without its full stop."""
        shares = [(cost.seconds / self.n_processes, cost.selector) for cost in self.selectors]
        slowest = sorted((share for share in shares if share[0] >= MIN_SECONDS_SHOWN), reverse=True)
        parts = [f"{name} {format_seconds(share)}" for share, name in slowest[:MAX_SELECTORS_NAMED]]
        several = len(self.selectors) > 1 and parts
        return (
            f"estimated time: {format_seconds(self.seconds)}"
            f"{f' ({format_list(parts)})' if several else ''}, memory: "
            f"{format_bytes(self.memory)} in {self.n_processes:,} "
            f"{'process' if self.n_processes == 1 else 'processes'}"
        )

    def __repr__(self) -> str:
        return f"<StudyCost: {self.describe()}. Next: .table>"


def format_seconds(seconds: float) -> str:
    """Return a time in a unit that suits it.

    Examples
    --------
    >>> from holdfast.study._execution._cost import format_seconds
    >>> [format_seconds(seconds) for seconds in (2, 45, 300, 5400, 400_000)]
    ['under 10 s', '45 s', '5 min', '1.5 h', '4.6 days']
    """
    if math.isnan(seconds):
        return "not known"
    if seconds < MIN_SECONDS_SHOWN:
        return f"under {MIN_SECONDS_SHOWN:.0f} s"
    for size, unit in ((86_400, "days"), (3_600, "h")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def cost_from_first_runs(
    plan: Plan,
    resamples: Mapping[str, int],
    first_runs: Mapping[int, FirstRun],
    n_processes: int,
    matrix_memory: int,
    problems: Mapping[int, str] | None = None,
) -> StudyCost:
    """Return the cost of a study from the first unit of each of its selectors.

    Parameters
    ----------
    plan : Plan
        The plan; resamples without a test part cost no classification.
    resamples : mapping
        How many resamples are to be done, by the name of the selector.
    first_runs : mapping
        What the first unit took, by the position of the selector.
    n_processes : int
        How many units run at a time.
    matrix_memory : int
        Bytes of the data.
    problems : mapping, optional
        Messages of failures by the position of the selector.
    """
    names = list(plan.selectors)
    tested = sum(len(resample.test) > 0 for resample in plan.resamples) / len(plan.resamples)
    costs = tuple(
        SelectorCost(
            names[selector],
            resamples[names[selector]],
            run.selection + tested * run.classification,
            run.peak_memory,
            (problems or {}).get(selector, ""),
        )
        for selector, run in sorted(first_runs.items())
    )
    return StudyCost(costs, n_processes, peak_memory() + matrix_memory, matrix_memory)


def rehearse_costs(plan: Plan, data: Dataset, options: ExecutionOptions) -> StudyCost:
    """Run the first unit of each selector, and return what the study will take; keep nothing."""
    names = list(plan.selectors)
    first_units: dict[int, Unit] = {}
    resamples = dict.fromkeys(names, 0)
    for position, unit in enumerate(plan.units()):
        first_units.setdefault(unit.selector, unit)
        if options.includes(position):
            resamples[names[unit.selector]] += unit.stop - unit.first
    runner = make_unit_runner(plan, data)
    with closing(Store.create(None)) as store, closing(options.pool(runner)) as pool:
        write_plan(store, plan, data)
        scheduler = Scheduler(store, pool, names, None)
        scheduler.run(first_units.values())
        problems = dict(store.query("SELECT selector, message FROM units WHERE status = 'failed'"))
    return cost_from_first_runs(
        plan, resamples, scheduler.first_runs, options.n_workers, memory_size(runner.X), problems
    )
