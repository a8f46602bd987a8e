"""Names, files and folders of a command line, checked before anything slow is imported.

What is checked here is checked again where it is used, by the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast._object_spec import is_file_place, is_object_path, parse_spec_or_call
from holdfast.errors import FileFormatError, InvalidInputError

if TYPE_CHECKING:
    from holdfast._registry import Registry


def check_names(options: Mapping[str, Any]) -> None:
    """Raise if an option names an unknown selector, classifier, protocol or measure.

    Only names themselves are checked: their options, and objects of modules and files, need
    imports.
    """
    from holdfast.measures import MEASURES
    from holdfast.resample import PROTOCOLS
    from holdfast.select import SELECTORS
    from holdfast.study import CLASSIFIERS

    registries: dict[str, Registry[Any]] = {
        "selectors": SELECTORS,
        "classifiers": CLASSIFIERS,
        "protocol": PROTOCOLS,
        "measures": MEASURES,
        "measure": MEASURES,
    }
    for option, registry in registries.items():
        given = options.get(option) or ()
        for text in [given] if isinstance(given, str) else given:
            if isinstance(text, str) and not (is_object_path(text) or is_file_place(text.strip())):
                _check_name(text, registry)


def _check_name(text: str, registry: Registry[Any]) -> None:
    try:
        name, _ = parse_spec_or_call(text)
    except InvalidInputError:  # positional options of protocols; others are refused later
        name = text.partition("(")[0].partition(":")[0].strip()
        if not name.isidentifier():
            return
    registry.check_name(name)


def check_source(source: str) -> None:
    """Raise if data do not exist: a file, or a data set that is named by ``@name``."""
    from holdfast.io import DATASETS, SIGN, refuse_unreadable

    if source.startswith(SIGN):
        DATASETS.check_name(source)
    else:
        refuse_unreadable(Path(source))


def check_study_file(path: Path) -> None:
    """Raise if a study file does not exist."""
    if not path.exists():
        raise FileFormatError(f"{path}: there is no such file; check the path.")


def check_list(path: str) -> None:
    """Raise if a file of preferences does not exist."""
    from holdfast.io import refuse_missing_list

    refuse_missing_list(path)


def check_folders(folders: Iterable[str]) -> None:
    """Raise if one of these folders of studies does not exist."""
    from holdfast.study import refuse_missing_folder

    for folder in folders:
        refuse_missing_folder(Path(folder))


def check_paper(name: str) -> None:
    """Raise if no paper has this name."""
    from holdfast.papers import ALL_PAPERS, PAPERS

    if name != ALL_PAPERS:
        PAPERS.check_name(name)
