"""Check the store of a study in full, and prepare damaged units to be computed again."""

from __future__ import annotations

import logging
import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from holdfast._formatting import plural
from holdfast.study._planning._plan import Plan
from holdfast.study._storage._folder import DATA, load_data
from holdfast.study._storage._merge import load
from holdfast.study._storage._store import Store

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class StudyCheck:
    """What :func:`holdfast.check` has found: the damaged units of a study, if there are any."""

    folder: Path
    """The folder of the study."""
    counts: dict[str, int]
    """How many selectors, samples, features, resamples and units were checked."""
    has_data: bool
    """Whether the data are saved in the folder; they were then compared with the plan."""
    damage: pd.DataFrame
    """The damaged units: selector, resample, problem."""

    @property
    def intact(self) -> bool:
        """Whether no unit is damaged."""
        return not len(self.damage)

    def __repr__(self) -> str:
        if self.intact:
            return f"<StudyCheck: {plural(self.counts['units'], 'unit')} checked, all intact>"
        return (
            f"<StudyCheck: {len(self.damage):,} of {plural(self.counts['units'], 'unit')} damaged. "
            f"Next: holdfast.resume({str(self.folder)!r}, repair=True)>"
        )


def check(folder: str | os.PathLike[str]) -> StudyCheck:
    """Check that a study is as it was written: its plan, its units, and its saved data.

    Every unit (one selector on one resample) has a checksum of its results: preferences, groups,
    subset values, predictions, status and message. The plan, samples, features and resamples
    have one together. Times and versions have none. The study may be running.

    Parameters
    ----------
    folder : path
        The folder of the study.

    Returns
    -------
    StudyCheck
        Its table `damage` has one row per damaged unit; :func:`holdfast.resume` with `repair`
        computes them again.

    Raises
    ------
    StoreError
        There is no study in the folder, or its saved data have changed.
    FileFormatError
        The store, its plan or the saved data are damaged as a whole: restore them from a copy.

    Examples
    --------
    >>> import tempfile
    >>> import holdfast as hf
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(10, 0.9), classifiers=(), replication=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = study.run(hf.io.read_data("@wine"), out=folder, n_jobs=1)
    ...     hf.check(folder)
    <StudyCheck: 10 units checked, all intact>
    """
    path = Path(folder)
    result = load(path)
    with closing(result.store) as store:
        damage = store.damaged_units()
        rows = [
            (None if unit.selector is None else result.selectors[unit.selector], *unit[1:])
            for unit in damage
        ]
        counts = {
            table: store.query(f"SELECT count(*) FROM {table}")[0][0]
            for table in ("selectors", "samples", "features", "resamples", "units")
        }
        has_data = result.plan["data"]["source"] is None and (path / DATA).exists()
        if has_data:
            load_data(path, result.plan)
    table = pd.DataFrame(rows, columns=["selector", "resample", "problem"])
    return StudyCheck(
        folder=path,
        counts=counts,
        has_data=has_data,
        damage=table.astype({"resample": "Int64"}),
    )


def delete_damaged_units(store: Store, plan: Plan) -> None:
    """Delete damaged units, so that they are computed again.

    Whole blocks are deleted: products over many resamples may differ in the last bits from those
    over one.
    """
    damage = store.damaged_units()
    if not damage:
        return
    damaged = {(unit.selector, unit.resample) for unit in damage}
    blocks = [[(one.selector, one.first) for one in unit.singles()] for unit in plan.units()]
    store.delete_units(unit for block in blocks if damaged & set(block) for unit in block)
    logger.warning(
        "%s: %s damaged and will be computed again",
        store.path,
        f"{plural(len(damage), 'unit')} {'was' if len(damage) == 1 else 'were'}",
    )
