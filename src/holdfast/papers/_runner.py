"""The papers' data sets: which there are, and where they are found."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from holdfast._formatting import did_you_mean
from holdfast.errors import FileFormatError, StoreError, UnknownNameError
from holdfast.io import read_data
from holdfast.papers._record import file_name
from holdfast.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.io import Dataset
    from holdfast.plot import Picture
    from holdfast.study import Progress, Result


VARIABLE = "HOLDFAST_DATA"
ENDINGS = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".arff", ".arff.gz")


@dataclass(frozen=True)
class DataRecord:
    """A data set.

    Attributes
    ----------
    name : str
        Its name, and that of its file without the ending.
    title : str
        What it is about.
    bundled : bool
        Whether it comes with scikit-learn.
    missing : str
        Why nobody can have it; empty where there are public copies.
    """

    name: str
    title: str
    bundled: bool = False
    missing: str = ""


DATA: dict[str, DataRecord] = {
    record.name: record
    for record in (
        DataRecord("arrhythmia", "cardiac arrhythmia"),
        DataRecord("breast_cancer", "breast cancer Wisconsin (diagnostic)", bundled=True),
        DataRecord("colon", "colon tumour and normal tissue"),
        DataRecord("isolet", "spoken letters"),
        DataRecord("leukemia", "acute leukaemias"),
        DataRecord("lung", "lung adenocarcinoma and mesothelioma"),
        DataRecord("lung203", "lung carcinomas"),
        DataRecord("lymphoma2", "two types of diffuse large B-cell lymphoma"),
        DataRecord("lymphoma3", "three types of lymphoma"),
        DataRecord("ovarian", "ovarian cancer, mass spectra"),
        DataRecord("pancreatic", "pancreatic neoplasia in mice, mass spectra"),
        DataRecord("prostate", "prostate tumour and normal tissue"),
        DataRecord(
            "prostate_ms",
            "prostate cancer, mass spectra",
            missing="no public copy of these spectra could be had",
        ),
        DataRecord("semeion", "handwritten digits"),
        DataRecord("sonar", "sonar echoes of mines and rocks"),
        DataRecord("srbct", "small round blue cell tumours"),
        DataRecord("stroke", "stroke, mass spectra", missing="these spectra were not published"),
        DataRecord("vijver", "breast cancer, survival"),
        DataRecord("wine", "wines of three cultivars", bundled=True),
    )
}


class Library:
    """Finds data sets in a folder.

    Parameters
    ----------
    folder : path, optional
        Where files are; None takes the folder that ``HOLDFAST_DATA`` names, if it is set.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        given = folder if folder is not None else os.environ.get(VARIABLE) or None
        self.folder = None if given is None else Path(given)
        if self.folder is not None and not self.folder.is_dir():
            whose = "" if folder is not None else f" ({VARIABLE})"
            raise StoreError(f"{self.folder}{whose}: there is no such folder of data sets.")

    def source(self, name: str) -> str | Path | None:
        """Return what to read for a data set; None where it is not at hand."""
        record = get_data(name)
        if record.bundled:
            return f"@{name}"
        if record.missing or self.folder is None:
            return None
        files = (self.folder / f"{name}{ending}" for ending in ENDINGS)
        return next((file for file in files if file.is_file()), None)

    def why_not(self, name: str) -> str:
        """Say why a data set is not at hand."""
        if missing := get_data(name).missing:
            return missing
        if self.folder is None:
            return f"no folder of data sets is named, by --data or {VARIABLE}"
        return f"there is no {name}.parquet, .csv or .arff in {self.folder.name}"

    def read(self, name: str) -> Dataset:
        """Return a data set."""
        source = self.source(name)
        if source is None:
            raise FileFormatError(f"{name}: {self.why_not(name)}.")
        target = None if _has_own_target(source) else "class"
        return read_data(source, target=target, classes=True)


def _has_own_target(source: str | Path) -> bool:
    """Return whether the reader itself knows which column holds the classes."""
    return isinstance(source, str) or ".arff" in source.suffixes


def get_data(name: str) -> DataRecord:
    """Return the record of a data set."""
    if name not in DATA:
        raise UnknownNameError(f"no data set is called {name!r}.{did_you_mean(name, DATA)}")
    return DATA[name]


# Where experiments are run: data, studies that are kept, tables that are kept.

STORE = "study.sqlite"
MADE = "made.json"
MAIN_SEED = 0


class Watcher(Protocol):
    """Somebody who wants to know which study is at work, and how far it is."""

    def studying(self, name: str) -> Progress | None:
        """Learn that a study begins, and return who is told how far it is."""

    def making(self, name: str) -> None:
        """Learn that tables are made without a study."""


class NullProgress:
    """A watcher that looks away."""

    def studying(self, name: str) -> Progress | None:  # noqa: ARG002
        """Return nobody."""
        return None

    def making(self, name: str) -> None:
        """Do nothing."""


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Who works: so many local processes, or a Dask cluster."""

    n_jobs: int | None = None
    client: Any = None


@dataclass(kw_only=True)
class ExperimentRunner:
    """What an experiment works with.

    Attributes
    ----------
    paper : str
        Whose experiment it is.
    full : bool
        Whether the run has the size of the paper's.
    seed : int
        Seed of all that is random.
    folder : Path
        Where studies and tables are kept.
    library : Library
        Where data sets are.
    names : tuple of str
        The data sets of this run, all at hand.
    workers : Workers
        Who works.
    force : bool
        Begin studies anew whose folder holds another one.
    watcher : Watcher
        Who is told.
    """

    paper: str
    full: bool
    seed: int
    folder: Path
    library: Library
    names: tuple[str, ...]
    workers: WorkerOptions
    force: bool = False
    watcher: Watcher = field(default_factory=NullProgress)
    _read: dict[str, Dataset] = field(default_factory=dict)

    def data(self, name: str) -> Dataset:
        """Return a data set, read once."""
        if name not in self._read:
            self._read[name] = self.library.read(name)
        return self._read[name]

    def either(self, reduced: Any, full: Any) -> Any:  # noqa: ANN401  (whatever is asked for)
        """Return what belongs to a run of this size."""
        return full if self.full else reduced

    def study(self, name: str, selectors: Mapping[str, Any], data: Dataset, **plan: Any) -> Result:
        """Run a study, or go on with it; one that is done is opened.

        Parameters
        ----------
        name : str
            What it is about; studies of one name are the same wherever they are asked for.
        selectors : mapping
            Selectors by name.
        data : Dataset
            The data.
        **plan
            The rest of the plan, as for :class:`holdfast.Study`; no disjoint parts beside the
            protocol unless they are asked for.
        """
        asked = {"replication": 0, "random_state": self.seed, **plan}
        folder = self._place("studies", name)
        study = Study(selectors, **asked)
        run = {
            "out": folder,
            "n_jobs": self.workers.n_jobs,
            "client": self.workers.client,
            "save_data": False,
            "progress": self.watcher.studying(name),
        }
        try:
            return study.run(data, **run)
        except StoreError:
            if not (self.force and (folder / STORE).is_file()):
                raise
        shutil.rmtree(folder)
        return study.run(data, **run)

    def tables(
        self, name: str, make: Callable[[], Mapping[str, pd.DataFrame]]
    ) -> dict[str, pd.DataFrame]:
        """Make tables without a study, or read those that this version made before."""
        folder = self._place("tables", name)
        if not _is_made(folder):
            self.watcher.making(name)
            _keep(folder, make())
        return {file.stem: pd.read_csv(file) for file in sorted(folder.glob("*.csv"))}

    def _place(self, kind: str, name: str) -> Path:
        seed = "" if self.seed == MAIN_SEED else f"-seed{self.seed}"
        size = "full" if self.full else "reduced"
        return self.folder / kind / f"{self.paper}-{file_name(name)}-{size}{seed}"


def _is_made(folder: Path) -> bool:
    try:
        made = json.loads((folder / MADE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(made == {"holdfast": version("holdfast")})


def _keep(folder: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write tables; the note that they are all there comes last."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")
        note = json.dumps({"holdfast": version("holdfast")})
        (folder / MADE).write_text(note, encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{folder}: tables cannot be written ({error.strerror or error})."
        ) from error


# What an experiment hands over: numbers, pictures, and whatever else its claims need.

SETTING, VALUE = "setting", "value"


@dataclass(frozen=True, kw_only=True)
class ExperimentResult:
    """What came out of an experiment.

    Attributes
    ----------
    values : pandas.DataFrame
        One number a row: ``setting``, the keys of the experiment, ``value``.
    pictures : mapping
        Pictures by a word for each.
    facts : mapping
        What claims need beyond the numbers, by setting and name.
    notes : tuple of str
        Remarks for the reader: what could not be done, and why.
    """

    values: pd.DataFrame
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    facts: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
