"""The end of a study: its results for people or programs, what failed, and what was written."""

from __future__ import annotations

import hashlib
import shlex
from contextlib import closing
from typing import TYPE_CHECKING, Any

from holdfast._text import plural
from holdfast.cli._print import print_json
from holdfast.cli._program import FAILED
from holdfast.cli._summary import fewer_than_asked, print_summary, recommended
from holdfast.cli._talk import say
from holdfast.report import conclude
from holdfast.report._names import bare
from holdfast.study import export
from holdfast.study._failed_selectors import failed_selectors
from holdfast.study._folder import DATA, PLAN
from holdfast.study._plan import as_text
from holdfast.study._store import FILE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from holdfast.cli._run_options import RunOptions
    from holdfast.study import Result

MOST = 5
"""Most kinds of failures that are told."""


def close(result: Result, folder: Path, options: RunOptions) -> int:
    """Tell what came out, close its store, and return the exit code."""
    with closing(result.store):
        _tell(result, folder, options)
        return FAILED if len(result.failures) else 0


def _tell(result: Result, folder: Path, options: RunOptions) -> None:
    files = [path for name in (FILE, PLAN, DATA) if (path := folder / name).exists()]
    files += _exported(result, folder, options.export)
    if not options.as_json:
        part = None if result.complete else options.part
        print_summary(result, part=part, found_again=options.found_again)
    reports = _reported(result, folder, options)
    if options.as_json:
        document = _document(result, folder, [*files, *reports])
        print_json(document | _longest_lists(result, options.found_again))
    _say_failures(result)
    if not options.quiet:
        _say_next(result, folder, options.part, files, reports)


def _exported(result: Result, folder: Path, form: str | None) -> list[Path]:
    if form is None:
        return []
    return export(result, folder / "tables", form)  # type: ignore[arg-type]


def _reported(result: Result, folder: Path, options: RunOptions) -> list[Path]:
    """Write the report, but of a part of a study, or of one where nothing is done, none."""
    if result.n_done == 0 or (options.part is not None and not result.complete):
        return []
    return result.report(folder, found_again=options.found_again)


def _longest_lists(result: Result, found_again: float | None) -> dict[str, Any]:
    """Return the longest lists with the share asked for, where one was asked for."""
    if found_again is None:
        return {}
    return {"longest_lists": _records(result.longest_lists(found_again))}


def _document(result: Result, folder: Path, files: Sequence[Path]) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "plan": plan_hash(result.plan),
        "estimates": result.protocol_sentence,
        "units": {
            "all": result.n_units,
            "done": result.n_done,
            "failed": len(result.failures),
        },
        "verdict": _verdict(result),
        "features": _records(result.features),
        "replication": _records(result.replication),
        "stability": _records(result.stability),
        "errors": _records(result.errors),
        "recommended": _recommended(result),
        "failures": _records(result.failures),
        "files": [str(path) for path in files],
        **_cohorts(result),
    }


def _verdict(result: Result) -> dict[str, Any]:
    """Return what a second study would find, with names as they are."""
    verdict, _ = conclude(result)
    return {key: bare(value) if isinstance(value, str) else value for key, value in verdict.items()}


def _cohorts(result: Result) -> dict[str, Any]:
    """Return how well cohorts agree, where the data have any."""
    return {"cohorts": _records(result.cohorts)} if len(result.cohorts) else {}


def _recommended(result: Result) -> dict[str, Any] | None:
    choice = recommended(result)
    if choice is None:
        return None
    short = fewer_than_asked(result, choice)
    remark = {} if short is None else {"remark": short.remark}
    return {**choice.pair._asdict(), **remark, "reasons": list(choice.reasons)}


def plan_hash(plan: dict[str, Any]) -> str:
    """Return the SHA-256 digest of a plan, the same as of its ``plan.json``."""
    return hashlib.sha256(as_text(plan).encode()).hexdigest()


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _say_failures(result: Result) -> None:
    """Say how many units failed, which selectors failed throughout, and why, each reason once."""
    table = result.failures
    if not len(table):
        return
    say("error", f"{len(table):,} of {plural(result.n_units, 'unit')} failed:")
    names = [one["name"] for one in result.plan["selectors"]]
    throughout = failed_selectors(result.store, names)
    for one in throughout:
        say("error", str(one))
    table = table[~table["selector"].isin([one.name for one in throughout])]
    kinds = table.groupby(["selector", "message"], sort=False)["resample"].agg(["count", "min"])
    for kind in kinds.reset_index().head(MOST).to_dict("records"):
        where = f"{plural(kind['count'], 'resample')} (the first is {kind['min']})"
        say("error", f"{kind['selector']} on {where}: {kind['message']}")
    if len(kinds) > MOST:
        say("error", f"and {len(kinds) - MOST:,} more reasons: see the failures of the result.")


def _say_next(
    result: Result,
    folder: Path,
    part: str | None,
    files: Sequence[Path],
    reports: Sequence[Path],
) -> None:
    """Say what is left to do, which files there are, and how to look at them."""
    where = shlex.quote(str(folder))
    state = f"{result.n_done:,} of {plural(result.n_units, 'unit')} are done"
    if part is not None and not result.complete:
        say("next", f"{state}; when all parts are: holdfast merge {where} DIR... --out DIR")
    elif not result.complete:
        say("next", f"{state}; try the others again: holdfast resume {where}")
    say("written", _listed(folder, [*files, *reports[1:]]))
    say("look further in Python", f"import holdfast as hf; hf.load({str(folder)!r})")
    for page in reports[:1]:
        say("report", page)


def _listed(folder: Path, files: Sequence[Path]) -> str:
    """Name files of a folder on one line: the first with its path, the others within the folder."""
    first, *others = files
    within = [str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
              for path in others]  # fmt: skip
    return ", ".join([str(first), *within])
