"""A study as it was asked for: checked, read, run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._conduct import conduct
from holdfast.cli._progress import watcher
from holdfast.cli._reading import read
from holdfast.errors import InvalidInputError, StoreError
from holdfast.resample import as_protocol
from holdfast.study import Study

if TYPE_CHECKING:
    from holdfast.cli._request import Request
    from holdfast.study import Result


def run_study(request: Request) -> int:
    """Run a study and return the exit code; wrong usage is told before the data are read."""
    study = _made(request)
    return conduct(lambda workers: _run(study, request, workers), request.folder, request.run)


def _made(request: Request) -> Study:
    try:
        return Study(**request.study)
    except InvalidInputError as error:
        raise click.UsageError(str(error), click.get_current_context()) from error


def _run(study: Study, request: Request, workers: dict[str, Any]) -> Result:
    quiet = request.run.quiet
    data = read(request.file, request.wishes, quiet=quiet)
    protocol = as_protocol(request.study["protocol"])
    estimates = protocol.estimates_for(subjects=data.groups is not None)
    watch = watcher(estimates, quiet=quiet)
    try:
        result = study.run(data, out=request.folder, progress=watch, **workers)
    except StoreError as error:
        if watch.started or request.out is not None:
            raise
        raise StoreError(f"{error} Name another folder by --out.") from error
    watch.end(result.n_units)
    return result
