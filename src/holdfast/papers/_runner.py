"""The runner that gives experiments data, studies and tables."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pandas as pd
from pandas.api.types import is_numeric_dtype

from holdfast.errors import StoreError
from holdfast.io import Dataset
from holdfast.papers._record import file_name
from holdfast.study import Progress, Result, Study, load

if TYPE_CHECKING:
    from holdfast.papers._dataset_locator import DatasetLocator
    from holdfast.plot import Picture


Value = TypeVar("Value")

STORE_FILE = "study.sqlite"
VERSION_FILE = "made.json"
"""Written last, so that tables are complete if it exists."""
DEFAULT_SEED = 0


class Watcher(Protocol):
    """Callback interface for the progress of experiments."""

    def studying(self, name: str) -> Progress | None:
        """Called when a study starts; returns the progress callbacks of the study, if any."""

    def making(self, name: str) -> None:
        """Called when tables are computed without a study."""


class NullProgress:
    """A watcher that ignores all events."""

    def studying(self, name: str) -> Progress | None:
        """Return no callbacks."""
        return None

    def making(self, name: str) -> None:
        """Do nothing."""


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Where studies run: on a number of local processes, or on a Dask cluster."""

    n_jobs: int | None = None
    client: Any = None


@dataclass(kw_only=True)
class ExperimentRunner:
    """Gives an experiment its data sets, and runs its studies.

    Attributes
    ----------
    paper : str
        The paper of the experiment.
    full : bool
        Whether the run has the size of the paper's experiment.
    seed : int
        Random seed.
    folder : Path
        Where studies and tables are stored.
    locator : DatasetLocator
        Finds data sets.
    names : tuple of str
        The data sets of this run, all of them available.
    workers : WorkerOptions
        Where studies run.
    force : bool
        Replace studies whose folder holds another study.
    watcher : Watcher
        Progress callbacks.
    """

    paper: str
    full: bool
    seed: int
    folder: Path
    locator: DatasetLocator
    names: tuple[str, ...]
    workers: WorkerOptions
    force: bool = False
    watcher: Watcher = field(default_factory=NullProgress)
    _read: dict[str, Dataset] = field(default_factory=dict)

    def data(self, name: str) -> Dataset:
        """Return a data set, read once."""
        if name not in self._read:
            self._read[name] = self.locator.read(name)
        return self._read[name]

    def reduced_or_full(self, reduced: Value, full: Value) -> Value:
        """Return the argument for a run of this size."""
        return full if self.full else reduced

    def study(self, name: str, selectors: Mapping[str, Any], data: Dataset, **plan: Any) -> Result:
        """Run a study, continue an unfinished one, or open a finished one.

        Parameters
        ----------
        name : str
            Identifies the study: experiments that request the same name share it.
        selectors : mapping
            Selectors by name.
        data : Dataset
            The data.
        **plan
            The rest of the plan, as for :class:`holdfast.Study`; by default without replication
            resamples.
        """
        options = {"replication": 0, "random_state": self.seed, **plan}
        folder = self._storage_folder("studies", name)
        study = Study(selectors, **options)
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
            if not (self.force and (folder / STORE_FILE).is_file()):
                raise
        # the folder holds another study, which --force replaces
        shutil.rmtree(folder)
        return study.run(data, **run)

    def tables(
        self, name: str, make: Callable[[], Mapping[str, pd.DataFrame]]
    ) -> dict[str, pd.DataFrame]:
        """Compute tables without a study, or read those that this version stored before."""
        folder = self._storage_folder("tables", name)
        if not _has_current_tables(folder):
            self.watcher.making(name)
            _write_tables(folder, make())
        return {file.stem: pd.read_csv(file) for file in sorted(folder.glob("*.csv"))}

    def _storage_folder(self, kind: str, name: str) -> Path:
        seed = "" if self.seed == DEFAULT_SEED else f"-seed{self.seed}"
        size = "full" if self.full else "reduced"
        return self.folder / kind / f"{self.paper}-{file_name(name)}-{size}{seed}"


def has_stored_work(folder: Path) -> bool:
    """Return whether a folder of runs holds tables, or studies with a unit that is done."""
    if any(folder.glob(f"tables/*/{VERSION_FILE}")):
        return True
    return any(_has_done_units(file.parent) for file in folder.glob(f"studies/*/{STORE_FILE}"))


def _has_done_units(folder: Path) -> bool:
    try:
        result = load(folder)
    except StoreError:  # it was just being created
        return False
    with closing(result.store):
        return result.n_done > 0


def _has_current_tables(folder: Path) -> bool:
    try:
        versions = json.loads((folder / VERSION_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(versions == {"holdfast": version("holdfast")})


def _write_tables(folder: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write tables, and last the version that made them."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")
        versions = json.dumps({"holdfast": version("holdfast")})
        (folder / VERSION_FILE).write_text(versions, encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{folder}: tables cannot be written ({error.strerror or error})."
        ) from error


# Results of experiments: numbers, pictures, and facts for the claims.

SETTING, VALUE, SPREAD = "setting", "value", "spread"


@dataclass(frozen=True, kw_only=True)
class ExperimentResult:
    """The result of an experiment.

    Attributes
    ----------
    values : pandas.DataFrame
        One row per number: ``setting``, the keys of the experiment, ``value``; optionally
        ``spread``, its standard deviation.
    pictures : mapping
        Pictures by name.
    facts : mapping
        Further results that claims need, by setting and name.
    notes : tuple of str
        Remarks for the reader.
    marked : frozenset of tuple
        The numbers that get an asterisk: setting and keys of each.
    """

    values: pd.DataFrame
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    facts: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    marked: frozenset[tuple[Any, ...]] = frozenset()


def sort_rows(
    table: pd.DataFrame, keys: Sequence[str], orders: Mapping[str, Iterable[str]]
) -> pd.DataFrame:
    """Sort rows by keys: in the orders given, else by number, else by first appearance."""

    def positions(column: pd.Series[Any]) -> pd.Series[Any]:
        key = str(column.name)
        if key not in orders and is_numeric_dtype(column):
            return column
        order = orders.get(key, column.unique())
        return column.map({name: position for position, name in enumerate(order)})

    return table.sort_values(list(keys), key=positions, kind="stable", ignore_index=True)
