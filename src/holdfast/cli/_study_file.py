"""Study files: TOML with the options of ``holdfast study``."""

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
from holdfast._formatting import did_you_mean, format_list
from holdfast._object_spec import is_file_place, is_object_path, names_code, parse_object_path
from holdfast.cli._early_checks import check_study_file
from holdfast.cli._options import MAX_TIMEOUT_SECONDS, search_working_directory
from holdfast.cli._output import log_line
from holdfast.errors import FileFormatError, HoldfastError
from holdfast.measures import get_measure
from holdfast.resample import as_protocol
from holdfast.select import named_selector

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pydantic_core import ErrorDetails


# The keys of a study file mirror the options of ``holdfast study``.

T = TypeVar("T")


def _validate_with(check: Callable[[Any], object]) -> AfterValidator:
    """Return a validator that keeps a value if the library accepts it."""

    def validate(value: T) -> T:
        try:
            check(value)
        except HoldfastError as error:
            raise ValueError(str(error)) from error
        return value

    return AfterValidator(validate)


def _check_column(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"expected the name or number of a column, got {value!r}.")  # noqa: TRY004
    return value


def _check_size(value: object) -> object:
    count = isinstance(value, int) and not isinstance(value, bool) and value > 0
    if not count and not (isinstance(value, float) and 0 < value <= 1):
        raise ValueError(f"expected a count, or a fraction above 0 and at most 1, got {value!r}.")
    return value


def _check_n_jobs(value: int) -> int:
    if value == 0:
        raise ValueError("expected a number of processes, or -1 for all cores; got 0.")
    return value


def _check_not_empty(values: T) -> T:
    if not values:
        raise ValueError(f"expected at least one, got {values!r}; omit the key for defaults.")
    return values


def _build_selectors(table: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return selectors with their options set, by name."""
    errors: list[str] = []
    selectors = {name: named_selector(name)[1] for name in table}
    for name, options in table.items():
        known = selectors[name].get_params()
        errors += [
            f"{name} has no option {key!r}.{did_you_mean(key, known)}"
            for key in options
            if key not in known
        ]
    if errors:
        raise ValueError(" ".join(errors))
    return {name: selectors[name].set_params(**options) for name, options in table.items()}


Column = Annotated[Any, AfterValidator(_check_column)]
Size = Annotated[Any, AfterValidator(_check_size)]
Selector = Annotated[str, _validate_with(named_selector)]
Classifier = Annotated[str, _validate_with(as_classifier)]
Measure = Annotated[str, _validate_with(get_measure)]
Protocol = Annotated[Any, _validate_with(as_protocol)]
Selectors = Annotated[
    Annotated[list[Selector], Tag("list")]
    | Annotated[dict[Selector, dict[str, Any]], AfterValidator(_build_selectors), Tag("table")],
    # without a tag, pydantic would report the errors of both forms
    Discriminator(lambda value: "table" if isinstance(value, dict) else "list"),
]


class StudyFileSection(BaseModel):
    """A table of the file; unknown keys raise an error."""

    model_config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)


class DataSection(StudyFileSection):
    """The data, and the roles of their columns."""

    file: str
    target: Column = None
    drop: list[Column] = []
    nominal: list[Column] = []
    groups: Column = None
    cohort: Column = None
    sample_weight: Column = None
    positive: str = ""
    classes: bool = False


class StudySection(StudyFileSection):
    """The study."""

    selectors: Annotated[Selectors, AfterValidator(_check_not_empty)] = []
    protocol: Protocol = None
    sizes: Annotated[list[Size], AfterValidator(_check_not_empty)] = []
    classifiers: list[Classifier] = []
    measures: list[Measure] = []
    impute: Literal["median"] = "median"
    replication: NonNegativeInt = 0
    seed: NonNegativeInt = 0


class RunSection(StudyFileSection):
    """Execution and output."""

    out: str = ""
    until_width: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    n_jobs: Annotated[int, AfterValidator(_check_n_jobs)] = 1
    dask: str = ""
    timeout: Annotated[float, Field(gt=0, le=MAX_TIMEOUT_SECONDS, allow_inf_nan=False)] = 1.0
    export: Literal["csv", "parquet"] = "csv"
    found_again: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.8


class StudyFile(StudyFileSection):
    """A whole study file; missing keys have the defaults of the command."""

    data: DataSection
    study: StudySection = StudySection()
    run: RunSection = RunSection()

    def get_options(self) -> dict[str, Any]:
        """Return the keys that are set, by the names of the options."""
        sections = (self.data, self.study, self.run)
        return {
            key: getattr(section, key) for section in sections for key in section.model_fields_set
        }


# Reading study files.

SECTION_KEYS = {
    section: set(field.annotation.model_fields)  # type: ignore[union-attr]
    for section, field in StudyFile.model_fields.items()
}


def read_study_file(path: Path, *, trust: bool = False) -> dict[str, Any]:
    """Return the options in a study file; print all of its errors.

    With `trust`, selectors may be objects of modules and files, which are imported.
    """
    document = _locate_code(_read_toml(path), path, trust=trust)
    try:
        options = StudyFile.model_validate(document).get_options()
    except ValidationError as error:
        *others, last = [f"{path}: {_describe_error(detail)}" for detail in error.errors()]
        for message in others:
            log_line("error", message)
        raise FileFormatError(last) from None
    # paths are relative to the folder of the study file
    return {
        key: str(path.parent / value) if isinstance(value, str) and _is_path(key, value) else value
        for key, value in options.items()
    }


def _read_toml(path: Path) -> dict[str, Any]:
    check_study_file(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        problem = f"the file cannot be read ({error.strerror})."
    except UnicodeDecodeError:
        problem = "a study file must be UTF-8 text; save it as such."
    except (ValueError, RecursionError) as error:  # also numbers of too many digits
        problem = f"this is not TOML: {str(error).rstrip('.')}."
    raise FileFormatError(f"{path}: {problem}")


def _locate_code(document: dict[str, Any], path: Path, *, trust: bool) -> dict[str, Any]:
    """Return a document in which files of selectors are relative to the folder of the file."""
    study = document.get("study")
    if not isinstance(study, dict) or not isinstance(study.get("selectors"), dict | list):
        return document
    selectors = study["selectors"]
    code = [text for text in selectors if isinstance(text, str) and names_code(text)]
    if not code:
        return document
    if not trust:
        raise FileFormatError(
            f"{path}: study.selectors names code, which would be run: {format_list(code)}. If you "
            "trust whoever made this file, give --trust; or name it by --selectors."
        )
    search_working_directory(code)

    def locate(text: object) -> object:
        in_file = (
            text in code
            and is_object_path(str(text))
            and is_file_place(parse_object_path(str(text)).place)
        )
        return str(path.parent / str(text)) if in_file else text

    located: Any = (
        {locate(key): value for key, value in selectors.items()}
        if isinstance(selectors, dict)
        else list(map(locate, selectors))
    )
    return {**document, "study": {**study, "selectors": located}}


def _describe_error(error: ErrorDetails) -> str:
    """Return the path of the key and what is wrong with it."""
    place = [str(part) for part in error["loc"] if part != "[key]"]
    if place[:2] == ["study", "selectors"]:
        del place[2:3]  # only shows whether this is a list or a table
    if error["type"] == "extra_forbidden":
        problem = f"there is no such key.{_suggest_key(place)}"
    elif error["type"] == "missing":
        problem = "this key is required."
    elif error["type"] == "model_type":
        problem = f"expected a table, got {error['input']!r:.80}."
    elif error["type"] == "value_error":
        problem = str(error["ctx"]["error"])
    else:
        problem = f"{error['msg'][:1].lower()}{error['msg'][1:]}, got {error['input']!r:.80}."
    return f"{'.'.join(place)}: {problem}"


def _suggest_key(place: list[str]) -> str:
    """Return a similar key of the same table, or the same key of another table."""
    key = place[-1]
    elsewhere = [f"{section}.{key}" for section, keys in SECTION_KEYS.items() if key in keys]
    if elsewhere:
        return f" Did you mean {elsewhere[0]!r}?"
    return did_you_mean(key, SECTION_KEYS if len(place) == 1 else SECTION_KEYS[place[0]])


def _is_path(key: str, value: str) -> bool:
    if key == "file":
        return not value.startswith("@")
    if key == "target":
        return value.lower().endswith(".cls")
    return key == "out" or (key == "dask" and value.lower().endswith(".json"))
