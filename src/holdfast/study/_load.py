"""The result of a study that lies in a folder."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastError, StoreError
from holdfast.study._folder import load_data
from holdfast.study._result import Result
from holdfast.study._store import FILE, Store

if TYPE_CHECKING:
    import os

    from holdfast.io import Dataset

logger = logging.getLogger(__name__)


def load(folder: str | os.PathLike[str]) -> Result:
    """Open the result of a study.

    Parameters
    ----------
    folder : path
        The folder that the study was run in. The study may be running, interrupted or complete:
        what is there is shown.

    Returns
    -------
    Result

    Raises
    ------
    StoreError
        There is no study in the folder.
    FileFormatError
        Its store is damaged, of another program or of a newer version.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.load("no/such/folder")
    Traceback (most recent call last):
    ...
    holdfast.errors.StoreError: no/such/folder: there is no such folder...
    """
    path = Path(folder)
    if not path.is_dir():
        what = (
            "this is a file; give the folder it is in"
            if path.exists()
            else ("there is no such folder; give the folder that a study was run in")
        )
        raise StoreError(f"{path}: {what}.")
    place = path.absolute()  # the working directory may change before the data are asked for
    result = Result(Store.open(place / FILE), data=lambda: _dataset(place, result.plan))
    _ = result.plan  # a store without one is said to be so now, not later
    return result


def _dataset(folder: Path, plan: dict[str, Any]) -> Dataset | None:
    """Return the data of a study, None where they are gone or have changed."""
    try:
        return load_data(folder, plan)
    except HoldfastError as error:  # the notes of the table say so
        logger.info("the data of %s cannot be read again: %s", folder, error)
        return None
