"""Study files: TOML that says all that the command line of a study can say."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    NonNegativeInt,
    Tag,
    ValidationError,
)

from holdfast._classifiers import as_classifier
from holdfast._formatting import did_you_mean
from holdfast.cli._options import LONGEST
from holdfast.cli._output import log_line
from holdfast.errors import FileFormatError, HoldfastError
from holdfast.measures import get_measure
from holdfast.resample import as_protocol
from holdfast.select._adapter import as_selector

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pydantic_core import ErrorDetails


# What a study file may hold; its keys mirror the options of ``holdfast study``.

T = TypeVar("T")


def _validate_with(check: Callable[[Any], object]) -> AfterValidator:
    """Return a validator that keeps a value if the library takes it."""

    def validate(value: T) -> T:
        try:
            check(value)
        except HoldfastError as error:
            raise ValueError(str(error)) from error
        return value

    return AfterValidator(validate)


def _column(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"the name or the number of a column is needed, got {value!r}.")  # noqa: TRY004
    return value


def _size(value: object) -> object:
    count = isinstance(value, int) and not isinstance(value, bool) and value > 0
    if not count and not (isinstance(value, float) and 0 < value <= 1):
        raise ValueError(f"a count, or a fraction above 0 and up to 1 is needed, got {value!r}.")
    return value


def _not_zero(value: int) -> int:
    if value == 0:
        raise ValueError("a number of processes is needed, or -1 for all cores; got 0.")
    return value


def _check_not_empty(values: T) -> T:
    if not values:
        raise ValueError(f"at least one is needed, got {values!r}; leave the key out for defaults.")
    return values


def _build_selectors(table: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return selectors with their options set, by name."""
    faults: list[str] = []
    selectors = {name: as_selector(name) for name in table}
    for name, options in table.items():
        known = selectors[name].get_params()
        faults += [
            f"{name} has no option {key!r}.{did_you_mean(key, known)}"
            for key in options
            if key not in known
        ]
    if faults:
        raise ValueError(" ".join(faults))
    return {name: selectors[name].set_params(**options) for name, options in table.items()}


def _kind(value: object) -> str:
    return "table" if isinstance(value, dict) else "list"


Column = Annotated[Any, AfterValidator(_column)]
Size = Annotated[Any, AfterValidator(_size)]
Selector = Annotated[str, _validate_with(as_selector)]
Classifier = Annotated[str, _validate_with(as_classifier)]
Measure = Annotated[str, _validate_with(get_measure)]
Protocol = Annotated[Any, _validate_with(as_protocol)]
Selectors = Annotated[
    Annotated[list[Selector], Tag("list")]
    | Annotated[dict[Selector, dict[str, Any]], AfterValidator(_build_selectors), Tag("table")],
    Discriminator(_kind),
]


class StudyFileSection(BaseModel):
    """A table of the file; keys that it does not know are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)


class DataSection(StudyFileSection):
    """The data, and what is said about their columns."""

    file: str
    target: Column = None
    drop: list[Column] = []
    nominal: list[Column] = []
    groups: Column = None
    cohort: Column = None
    positive: str = ""
    classes: bool = False


class StudySection(StudyFileSection):
    """What is to be studied."""

    selectors: Annotated[Selectors, AfterValidator(_check_not_empty)] = []
    protocol: Protocol = None
    sizes: Annotated[list[Size], AfterValidator(_check_not_empty)] = []
    classifiers: list[Classifier] = []
    measures: list[Measure] = []
    impute: Literal["median"] = "median"
    replication: NonNegativeInt = 0
    seed: NonNegativeInt = 0


class RunSection(StudyFileSection):
    """Who works, and what is written."""

    out: str = ""
    until_width: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    n_jobs: Annotated[int, AfterValidator(_not_zero)] = 1
    dask: str = ""
    timeout: Annotated[float, Field(gt=0, le=LONGEST, allow_inf_nan=False)] = 1.0
    export: Literal["csv", "parquet"] = "csv"
    found_again: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.8


class StudyFile(StudyFileSection):
    """A whole study file. What is not given is left to the defaults of the command."""

    data: DataSection
    study: StudySection = StudySection()
    run: RunSection = RunSection()

    def given(self) -> dict[str, Any]:
        """Return what the file says, by the names of the options."""
        sections = (self.data, self.study, self.run)
        return {key: getattr(one, key) for one in sections for key in one.model_fields_set}


# Study files: TOML that says all that the command line of a study can say.

SECTION_KEYS = {
    section: set(field.annotation.model_fields)  # type: ignore[union-attr]
    for section, field in StudyFile.model_fields.items()
}


def read_study_file(path: Path) -> dict[str, Any]:
    """Return what a study file says, by the names of the options; tell all its faults."""
    document = _read_toml(path)
    try:
        given = StudyFile.model_validate(document).given()
    except ValidationError as error:
        *others, last = [f"{path}: {_fault(one)}" for one in error.errors()]
        for fault in others:
            log_line("error", fault)
        raise FileFormatError(last) from None
    return {key: _resolve_path(path, key, value) for key, value in given.items()}


def _read_toml(path: Path) -> dict[str, Any]:
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
    elsewhere = [f"{section}.{key}" for section, keys in SECTION_KEYS.items() if key in keys]
    if elsewhere:
        return f" Did you mean {elsewhere[0]!r}?"
    return did_you_mean(key, SECTION_KEYS if len(place) == 1 else SECTION_KEYS[place[0]])


def _resolve_path(path: Path, key: str, value: Any) -> Any:  # noqa: ANN401
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
