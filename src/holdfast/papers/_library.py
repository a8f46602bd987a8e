"""The papers' data sets: which there are, and where they are found."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast._text import did_you_mean
from holdfast.errors import FileFormatError, StoreError, UnknownNameError
from holdfast.io import read_data

if TYPE_CHECKING:
    from holdfast.io import Dataset

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
