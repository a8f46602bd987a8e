"""Build the selectors, classifiers and protocol that a stored plan names."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from holdfast._formatting import format_list
from holdfast._typing import JSON
from holdfast.errors import HoldfastError, StoreError, UntrustedCodeError
from holdfast.resample import Protocol
from holdfast.select import Selector
from holdfast.study._storage._serialization import import_object
from holdfast.study._storage._trusted_objects import (
    CodeReference,
    is_class,
    list_references,
    why_not_called,
    why_not_imported,
)

MAX_REFUSALS_NAMED = 5
"""Most refused names in one message; chosen by hand."""


class PlanPart(NamedTuple):
    """A part of a plan that holds a serialized object."""

    kind: str
    """``"selector"``, ``"classifier"`` or ``"protocol"``."""
    name: str
    document: JSON

    def __str__(self) -> str:
        return f"{self.kind} {self.name[:80]!r}" if self.name else f"the {self.kind}"


def selector_parts(plan: JSON) -> list[PlanPart]:
    """Return the selectors of a plan, in order."""
    return [PlanPart("selector", str(part["name"]), part["object"]) for part in plan["selectors"]]


def classifier_parts(plan: JSON) -> list[PlanPart]:
    """Return the classifiers of a plan, in order."""
    return [
        PlanPart("classifier", str(part["name"]), part["object"]) for part in plan["classifiers"]
    ]


def protocol_part(plan: Mapping[str, JSON]) -> PlanPart:
    """Return the protocol of a plan."""
    return PlanPart("protocol", "", plan["protocol"]["object"])


def build_objects(parts: list[PlanPart], *, trust: bool, folder: Path | None) -> list[Any]:
    """Build the objects of a plan.

    Without trust, nothing is imported unless all names may be, and nothing is called unless
    everything imported may be.

    Parameters
    ----------
    parts : list of PlanPart
        What to build.
    trust : bool
        Whether the caller trusts the folder: any class or function is then imported.
    folder : Path or None
        The folder of the plan, for messages.

    Raises
    ------
    UntrustedCodeError
        A name needs trust.
    StudyError
        A name cannot be imported.
    StoreError
        The plan is malformed, or an object cannot be built from it.
    """
    references = [(part, reference) for part in parts for reference in _references_of(part)]
    if not trust:
        _refuse(references, why_not_imported, folder)
    imported = {
        reference: import_object(reference.text, reference.sha256)
        for _, reference in references
        if reference.kind != "memory"
    }
    if not trust:
        _refuse(references, lambda one: why_not_called(one, imported[one]), folder)
    return [_build_part(part, imported) for part in parts]


def needs_trust(plan: JSON) -> bool:
    """Return whether resuming a plan needs trust, as far as is known without an import."""
    parts = [*selector_parts(plan), *classifier_parts(plan), protocol_part(plan)]
    return any(map(_part_needs_trust, parts))


def _part_needs_trust(part: PlanPart) -> bool:
    try:
        return any(map(why_not_imported, _references_of(part)))
    except HoldfastError:  # `resume` reports what is damaged or cannot be imported
        return False


def _references_of(part: PlanPart) -> list[CodeReference]:
    """Return what a part refers to, each once; raise StoreError if it is malformed."""
    try:
        return list(dict.fromkeys(list_references(part.document)))
    except StoreError as error:
        raise StoreError(f"{part} of the plan is damaged: {error}") from error


def _refuse(
    references: Sequence[tuple[PlanPart, CodeReference]],
    why_not: Callable[[CodeReference], str],
    folder: Path | None,
) -> None:
    """Raise if anything needs trust, and name what would be run."""
    refused = [
        f"{_printable(reference.text)} for {part} ({reason})"
        for part, reference in references
        if (reason := why_not(reference))
    ]
    if refused:
        place = "DIR" if folder is None else str(folder)
        raise UntrustedCodeError(
            f"{place}: the plan of this study names code that needs trust: "
            f"{format_list(refused, MAX_REFUSALS_NAMED)}. Nothing of it was run. Without trust, "
            "only selectors and protocols of holdfast and estimators of installed packages are. If "
            "you trust whoever made this folder to run code here: holdfast resume "
            f"{shlex.quote(place)} --trust, or trust=True in hf.resume and hf.load."
        )


def _printable(text: str) -> str:
    """Return text in which letters that look like others are escaped."""
    return text if text.isascii() else ascii(text)


def _build_part(part: PlanPart, imported: Mapping[CodeReference, Any]) -> Any:  # noqa: ANN401
    try:
        built = _build(part.document, imported)
    except Exception as error:
        problem = str(error).partition("\n")[0][:200]
        raise StoreError(
            f"{part} cannot be built from the plan ({type(error).__name__}: {problem}); the plan "
            "is damaged, or of another version of its package."
        ) from error
    required = {"selector": Selector, "protocol": Protocol}.get(part.kind)
    fits = hasattr(built, "fit") and hasattr(built, "predict")
    if not (fits if required is None else isinstance(built, required)):
        raise StoreError(f"{part} of the plan is no {part.kind}, but a {type(built).__name__}.")
    return built


def _build(document: JSON, imported: Mapping[CodeReference, Any]) -> Any:  # noqa: ANN401
    """Return the object of a serialized form that was checked."""
    match document:
        case list(items):
            built: Any = [_build(item, imported) for item in items]
        case {"float": text}:
            built = float(text)
        case {"tuple": items}:
            built = tuple(_build(items, imported))
        case {"dict": pairs}:
            built = dict(_build(pairs, imported))
        case {"function": path, **rest}:
            built = imported[CodeReference("function", path, str(rest.get("sha256", "")))]
        case {"class": path, "parameters": parameters, **rest}:
            kind = imported[CodeReference("class", path, str(rest.get("sha256", "")))]
            if not is_class(kind):
                raise TypeError(f"{path} is not a class")
            built = kind(**{key: _build(value, imported) for key, value in parameters.items()})
        case value:
            built = value
    return built
