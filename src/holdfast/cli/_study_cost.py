"""The plan of a study and what it will take, without running it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from holdfast._formatting import plural
from holdfast._interrupts import handle_interrupts
from holdfast._memory import format_bytes
from holdfast.cli._output import Column, log_line, logged_warnings, print_json, print_table
from holdfast.cli._program import FAILED, SIGNALS, cluster
from holdfast.cli._progress import read
from holdfast.cli._study_run import make_study
from holdfast.errors import StudyError
from holdfast.resample import as_protocol
from holdfast.study import default_protocol, format_seconds

if TYPE_CHECKING:
    from holdfast.cli._study_command import StudyRequest
    from holdfast.study import SelectorCost, StudyCost

_COLUMNS = (
    Column("selector"),
    Column("resamples", right=True),
    Column("seconds each", right=True),
    Column("time", right=True),
    Column("memory", right=True),
    Column("problem", free=True),
)


def print_cost(request: StudyRequest) -> int:
    """Print the plan and the cost of a study and return the exit code; nothing is written."""
    study, options = make_study(request), request.run
    with (
        handle_interrupts(*SIGNALS),
        logged_warnings(quiet=options.quiet),
        cluster(options.dask, options.scheduler_file) as client,
    ):
        data = read(request.file, request.column_options, quiet=options.quiet)
        protocol = as_protocol(request.study.get("protocol") or default_protocol(data.n_samples))
        cost = study.estimate_cost(
            data,
            n_jobs=options.n_jobs,
            client=client,
            timeout=options.timeout,
            part=options.part,
        )
    if options.as_json:
        print_json(_document(cost))
    else:
        if not options.quiet:
            parts = protocol.description_for(subjects=data.groups is not None)
            log_line("plan", f"{plural(len(cost.selectors), 'selector')} on {parts}.")
        print_table(_COLUMNS, [*map(_format_row, cost.selectors), _format_total(cost)])
    if client is None:
        try:
            cost.check_memory()
        except StudyError as error:
            log_line("error", str(error))
            return FAILED
    if not options.quiet:
        log_line("next", "nothing was run or written; without --dry-run the study starts.")
    return FAILED if any(selector.problem for selector in cost.selectors) else 0


def _format_row(cost: SelectorCost) -> list[str]:
    return [
        cost.selector,
        f"{cost.resamples:,}",
        "-" if math.isnan(cost.seconds_each) else f"{cost.seconds_each:.3g}",
        format_seconds(cost.seconds),
        format_bytes(cost.peak_memory) if cost.peak_memory else "-",
        cost.problem,
    ]


def _format_total(cost: StudyCost) -> list[str]:
    processes = "1 process" if cost.n_processes == 1 else f"{cost.n_processes:,} processes"
    n_resamples = sum(selector.resamples for selector in cost.selectors)
    time, memory = format_seconds(cost.seconds), format_bytes(cost.memory)
    return [f"all, {processes}", f"{n_resamples:,}", "", time, memory, ""]


def _document(cost: StudyCost) -> dict[str, Any]:
    return {
        "selectors": [
            {**selector._asdict(), "seconds": selector.seconds} for selector in cost.selectors
        ],
        "processes": cost.n_processes,
        "seconds": cost.seconds,
        "memory": cost.memory,
    }
