"""Data sets of the papers, and where their files are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast._formatting import did_you_mean
from holdfast.errors import FileFormatError, StoreError, UnknownNameError

if TYPE_CHECKING:
    from holdfast.io import Dataset

DATA_FOLDER_VARIABLE = "HOLDFAST_DATA"
DATA_FILE_ENDINGS = (".parquet", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".arff", ".arff.gz")


@dataclass(frozen=True)
class DataRecord:
    """A data set of a paper.

    Attributes
    ----------
    name : str
        The name, and the file name without its ending.
    title : str
        The topic.
    bundled : bool
        Whether it comes with scikit-learn.
    missing : str
        Why it is not available; empty where there are public copies.
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
            missing="no public copy of these spectra is available",
        ),
        DataRecord("semeion", "handwritten digits"),
        DataRecord("sonar", "sonar echoes of mines and rocks"),
        DataRecord("srbct", "small round blue cell tumours"),
        DataRecord("stroke", "stroke, mass spectra", missing="these spectra were not published"),
        DataRecord("vijver", "breast cancer, survival"),
        DataRecord("wine", "wines of three cultivars", bundled=True),
    )
}


class DatasetLocator:
    """Finds data sets in a folder, or among those that come with scikit-learn.

    Parameters
    ----------
    folder : path, optional
        The folder of the files; None takes the one that ``HOLDFAST_DATA`` names, if it is set.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        path = folder if folder is not None else os.environ.get(DATA_FOLDER_VARIABLE) or None
        self.folder = None if path is None else Path(path)
        if self.folder is not None and not self.folder.is_dir():
            origin = "" if folder is not None else f" ({DATA_FOLDER_VARIABLE})"
            raise StoreError(f"{self.folder}{origin}: there is no such folder of data sets.")

    def source(self, name: str) -> str | Path | None:
        """Return the file or name to read for a data set; None where it is not available."""
        record = get_data(name)
        if record.bundled:
            return f"@{name}"
        if record.missing or self.folder is None:
            return None
        files = (self.folder / f"{name}{ending}" for ending in DATA_FILE_ENDINGS)
        return next((file for file in files if file.is_file()), None)

    def explain_missing(self, name: str) -> str:
        """Return why a data set is not available."""
        if missing := get_data(name).missing:
            return missing
        if self.folder is None:
            return f"no folder of data sets is given by --data or {DATA_FOLDER_VARIABLE}"
        return f"there is no {name}.parquet, .csv or .arff in {self.folder.name}"

    def read(self, name: str) -> Dataset:
        """Read a data set."""
        source = self.source(name)
        if source is None:
            raise FileFormatError(f"{name}: {self.explain_missing(name)}.")
        # bundled data sets and ARFF files define their target themselves
        target = None if isinstance(source, str) or ".arff" in source.suffixes else "class"
        from holdfast.io import read_data

        return read_data(source, target=target, classes=True)


def get_data(name: str) -> DataRecord:
    """Return the record of a data set."""
    if name not in DATA:
        raise UnknownNameError(f"no data set is called {name!r}.{did_you_mean(name, DATA)}")
    return DATA[name]
