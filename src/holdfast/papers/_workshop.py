"""Where experiments are run: data, studies that are kept, tables that are kept."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from holdfast.errors import StoreError
from holdfast.papers._names import file_name
from holdfast.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from holdfast.io import Dataset
    from holdfast.papers._library import Library
    from holdfast.study import Progress, Result

STORE = "study.sqlite"
MADE = "made.json"
MAIN_SEED = 0


class Watcher(Protocol):
    """Somebody who wants to know which study is at work, and how far it is."""

    def studying(self, name: str) -> Progress | None:
        """Learn that a study begins, and return who is told how far it is."""

    def making(self, name: str) -> None:
        """Learn that tables are made without a study."""


class Nobody:
    """A watcher that looks away."""

    def studying(self, name: str) -> Progress | None:  # noqa: ARG002
        """Return nobody."""
        return None

    def making(self, name: str) -> None:
        """Do nothing."""


@dataclass(frozen=True, kw_only=True)
class Workers:
    """Who works: so many local processes, or a Dask cluster."""

    n_jobs: int | None = None
    client: Any = None


@dataclass(kw_only=True)
class Workshop:
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
    workers: Workers
    force: bool = False
    watcher: Watcher = field(default_factory=Nobody)
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
