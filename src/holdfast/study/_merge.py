"""One study out of several parts of it that were run apart."""

from __future__ import annotations

import os
import shutil
import warnings
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast._text import plural, shortened
from holdfast.errors import HoldfastWarning, InvalidInputError, StoreError
from holdfast.study._folder import DATA, PLAN, made_folder
from holdfast.study._join import joined
from holdfast.study._load import load
from holdfast.study._lock import locked
from holdfast.study._plan import differences, essence
from holdfast.study._store import FILE
from holdfast.study._until import FACT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.study._objects import JSON
    from holdfast.study._result import Result

COMPANIONS = (PLAN, DATA)
"""Files beside the store that belong to the study."""


def merge(folders: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str]) -> Result:
    """Join the parts of a study that were run in several folders, on several machines.

    Parameters
    ----------
    folders : sequence of paths
        Folders of runs of one and the same plan. None of them may be running.
    out : path
        Where the whole study goes: a new or empty folder. It can be resumed.

    Returns
    -------
    Result

    Raises
    ------
    StoreError
        A folder holds no study, is in use, or `out` is not empty.
    InvalidInputError
        The plans differ; the message names the first difference.

    Warns
    -----
    HoldfastWarning
        Units that were done in two folders differ; the first folder's are kept. Machines and
        versions may differ in the last bits.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import holdfast as hf
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(20, 0.9), classifiers=())
    >>> with tempfile.TemporaryDirectory() as name:
    ...     parts = [pathlib.Path(name, part) for part in ("1", "2")]
    ...     for part in parts:
    ...         _ = study.run(
    ...             hf.io.read_data("@wine"), out=part, n_jobs=1, part=f"{part.name}/2"
    ...         )
    ...     hf.merge(parts, pathlib.Path(name, "whole")).complete
    True
    """
    parts, target = _parts(folders), Path(out)
    _check_new(target)
    with ExitStack() as stack:
        for part in parts:
            stack.enter_context(locked(part))
        _check_plans(parts)
        stack.enter_context(locked(made_folder(target)))
        odd = _write(parts, target)
    if odd:
        warnings.warn(
            f"{plural(odd, 'unit')} done in more than one folder came out differently; those of "
            "the first folder are kept. Compare the versions: result.versions.",
            HoldfastWarning,
            stacklevel=2,
        )
    return load(target)


def _parts(folders: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the folders, after a look at whether each holds a study and none comes twice."""
    if isinstance(folders, str | os.PathLike) or not folders:
        raise InvalidInputError(f"merge takes a list of folders, got {folders!r}.")
    parts = [Path(folder) for folder in folders]
    places = [part.resolve() for part in parts]
    doubled = [
        str(part) for part, place in zip(parts, places, strict=True) if places.count(place) > 1
    ]
    if doubled:
        raise InvalidInputError(f"each folder is merged once; given twice: {shortened(doubled)}.")
    for part in parts:
        load(part).store.close()
    return parts


def _check_new(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out}: a merged study goes to a new or an empty folder; this is not.")


def _check_plans(parts: Sequence[Path]) -> None:
    first, *others = (_plan(part) for part in parts)
    for part, plan in zip(parts[1:], others, strict=True):
        found = next(differences(first, plan), None)
        if found is not None:
            raise InvalidInputError(
                f"{parts[0]} (there) and {part} (here) are not parts of one study: {found}. Merge "
                "runs of the same plan on the same data."
            )


def _plan(part: Path) -> JSON:
    """Return what the plan of a part comes down to."""
    with closing(load(part).store) as store:
        if store.fact(FACT) is not None:
            raise InvalidInputError(
                f"{part}: a study with until_width is done as a whole; there are no parts to merge."
            )
        return essence(store.fact("plan"))


def _write(parts: Sequence[Path], target: Path) -> int:
    """Write the whole study; it appears under its name when it is complete."""
    partial = target / f"{FILE}.partial"
    try:
        odd = joined(parts, partial)
        for name in COMPANIONS:
            found = next((part / name for part in parts if (part / name).is_file()), None)
            if found is not None:
                shutil.copyfile(found, target / name)
        partial.replace(target / FILE)
    except BaseException as error:
        for name in (partial.name, *COMPANIONS):
            (target / name).unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, StoreError):
            raise StoreError(f"{target}: the study cannot be written ({error}).") from error
        raise
    return odd
