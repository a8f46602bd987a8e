"""Data sets by name: ``@wine`` and others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

from holdfast._registry import Registry

if TYPE_CHECKING:
    from holdfast.io._dataset import Dataset

SIGN = "@"


@dataclass(frozen=True)
class DatasetRecord:
    """A data set that is read by its name, which begins with ``@``."""

    name: str
    load: Callable[[], Dataset]


def _load_sklearn(name: str) -> Dataset:
    import numpy as np
    from sklearn import datasets

    from holdfast.io._dataset import Dataset

    bunch: Any = getattr(datasets, f"load_{name}")()
    labels = np.array([str(label) for label in bunch.target_names])[bunch.target]
    return Dataset(
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        y=labels,
        feature_names=tuple(str(feature) for feature in bunch.feature_names),
    )


def _record_from_entry_point(point: EntryPoint) -> DatasetRecord:
    def load() -> Dataset:  # imports the other package only when its data are read
        data: Dataset = point.load()()
        return data

    return DatasetRecord(f"{SIGN}{point.name}", load)


DATASETS: Registry[DatasetRecord] = Registry(
    "data set",
    [
        DatasetRecord(f"{SIGN}{name}", partial(_load_sklearn, name))
        for name in ("breast_cancer", "digits", "wine")
    ],
    entry_point_group="holdfast.datasets",
    record_from_entry_point=_record_from_entry_point,
    prefix=SIGN,
)
"""The data sets that have a name.

Another package offers one by an entry point: a function without arguments that returns a
:class:`Dataset`. So does :mod:`holdfast.simulate`, which this module does not import.
"""
