"""What a user asks of a study: the command line over the study file over the defaults."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast.cli._run_options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

SELECTORS = ("f_score", "symmetrical_uncertainty", "relieff", "svm_rfe", "random_score")
CLASSIFIERS = ("linear_svm", "knn3")
PROTOCOL = "subsampling:n_resamples=100,train_size=0.9"
MOST = 1000
"""Most resamples of a study that stops by itself, where no protocol is named."""
GROWING = f"subsampling:n_resamples={MOST},train_size=0.9"
DEFAULTS: dict[str, Any] = {
    "selectors": SELECTORS,
    "classifiers": CLASSIFIERS,
    "seed": 0,
}
OF_DATA = ("target", "drop", "nominal", "groups", "cohort", "positive", "classes")
OF_STUDY = (
    *("selectors", "classifiers", "protocol", "sizes", "measures", "impute"),
    *("replication", "until_width"),
)
OF_RUN = tuple(field.name for field in fields(RunOptions))


@dataclass(frozen=True, kw_only=True)
class Request:
    """A study as it was asked for."""

    file: str
    """The data: a path, or ``@name``."""
    wishes: Mapping[str, Any]
    """What was said about the columns; other arguments of `read_data`."""
    study: Mapping[str, Any]
    """Arguments of `Study`."""
    out: Path | None
    """The folder that was named."""
    run: RunOptions

    @property
    def folder(self) -> Path:
        """Where the run is kept: as named, or else named after the data."""
        return self.out or Path(f"{_stem(self.file)}-study")


def requested(data: str, given: Mapping[str, Any]) -> Request:
    """Put together what the command line says and, for a study file, what that says."""
    said = {key: value for key, value in given.items() if value is not None}
    asked = {**_source(data), **said}
    _check(asked)
    usual = {**DEFAULTS, "protocol": GROWING if "until_width" in asked else PROTOCOL}
    values = {**usual, **asked}
    return Request(
        file=values["file"],
        wishes=_some(values, OF_DATA),
        study={**_some(values, OF_STUDY), "random_state": values["seed"]},
        out=Path(values["out"]) if "out" in values else None,
        run=RunOptions(**_some(values, OF_RUN)),
    )


def _check(asked: Mapping[str, Any]) -> None:
    if "until_width" in asked and "part" in asked:
        raise click.UsageError(
            "--until-width and --part do not go together: a part cannot tell when the study has "
            "resamples enough.",
            click.get_current_context(silent=True),
        )


def _source(data: str) -> dict[str, Any]:
    if not data.lower().endswith(".toml"):
        return {"file": data}
    from holdfast.cli._study_file import read_study_file  # noqa: PLC0415  (slow to import)

    return read_study_file(Path(data))


def _some(values: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: values[key] for key in keys if key in values}


def _stem(file: str) -> str:
    """Return the name of the data: without folder, sign and endings."""
    name = Path(file.removeprefix("@")).name
    return name.removesuffix(".gz").rpartition(".")[0] or name
