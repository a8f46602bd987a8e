"""Study files: TOML that says all that the command line of a study can say."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from holdfast._text import did_you_mean
from holdfast.cli._study_model import StudyFile
from holdfast.cli._talk import say
from holdfast.errors import FileFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import ErrorDetails

KEYS = {
    section: set(field.annotation.model_fields)  # type: ignore[union-attr]
    for section, field in StudyFile.model_fields.items()
}


def read_study_file(path: Path) -> dict[str, Any]:
    """Return what a study file says, by the names of the options; tell all its faults."""
    document = _parsed(path)
    try:
        given = StudyFile.model_validate(document).given()
    except ValidationError as error:
        *others, last = [f"{path}: {_fault(one)}" for one in error.errors()]
        for fault in others:
            say("error", fault)
        raise FileFormatError(last) from None
    return {key: _beside(path, key, value) for key, value in given.items()}


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        what = "there is no such file; check the path."
    except OSError as error:
        what = f"the file cannot be read ({error.strerror})."
    except UnicodeDecodeError:
        what = "a study file must be UTF-8 text; save it as such."
    except tomllib.TOMLDecodeError as error:
        what = f"this is not TOML: {error}."
    raise FileFormatError(f"{path}: {what}")


def _fault(error: ErrorDetails) -> str:
    """Say what is wrong, after the path of the key."""
    place = [str(part) for part in error["loc"] if part != "[key]"]
    if place[:2] == ["study", "selectors"]:
        del place[2:3]  # says only whether this is a list or a table
    return f"{'.'.join(place)}: {_message(error, place)}"


def _message(error: ErrorDetails, place: list[str]) -> str:
    if error["type"] == "extra_forbidden":
        return f"there is no such key.{_nearest(place)}"
    if error["type"] == "missing":
        return "this key is needed, but missing."
    if error["type"] == "model_type":
        return f"a table is needed, got {error['input']!r}."
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return f"{error['msg'][:1].lower()}{error['msg'][1:]}, got {error['input']!r}."


def _nearest(place: list[str]) -> str:
    """Name the key that was meant: one of the same table, or the same key of another."""
    key = place[-1]
    elsewhere = [f"{section}.{key}" for section, keys in KEYS.items() if key in keys]
    if elsewhere:
        return f" Did you mean {elsewhere[0]!r}?"
    return did_you_mean(key, KEYS if len(place) == 1 else KEYS[place[0]])


def _beside(path: Path, key: str, value: Any) -> Any:  # noqa: ANN401
    """Take paths as relative to the folder of the study file."""
    if isinstance(value, str) and _is_path(key, value):
        return str(path.parent / value)
    return value


def _is_path(key: str, value: str) -> bool:
    if key == "file":
        return not value.startswith("@")
    if key == "target":
        return value.lower().endswith(".cls")
    return key == "out" or (key == "dask" and value.lower().endswith(".json"))
