"""What a study will do, settled before it starts: selectors x resamples x sizes x classifiers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdfast._formatting import format_list
from holdfast.errors import InvalidInputError, StoreError
from holdfast.resample import CohortDesign, ReplicationDesign, times_tested
from holdfast.resample._replication_design import FULL, ROLES, classes_left_out, halved_units
from holdfast.resample._strata import Units
from holdfast.study._storage._serialization import JSON, is_opaque, serialize_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holdfast.io import Dataset
    from holdfast.resample import Protocol, Resample
    from holdfast.select import Selector


FORMAT = "holdfast plan"
BLOCK = 12
"""Most resamples that a selector judges in one call; several workers are to have work.

It must not depend on how many resamples there are: a study of more begins with the same blocks.
"""
TABLE = 1 << 22
"""Most scores that one call gives: resamples times features."""
KEPT = 50_000_000
"""Most features that the rankings of a study name altogether: 200 MB of its store."""


class Unit(NamedTuple):
    """A unit of work: one selector on the resamples from `first` up to, not with, `stop`."""

    selector: int
    first: int
    stop: int

    def singles(self) -> list[Unit]:
        """Return the same work resample by resample."""
        return [Unit(self.selector, at, at + 1) for at in range(self.first, self.stop)]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A study's plan; block boundaries belong to it, the number of workers does not."""

    selectors: Mapping[str, Selector]
    protocol: Mapping[str, JSON]
    resamples: list[Resample]
    sizes: tuple[int, ...]
    depth: int
    classifiers: Mapping[str, Any]
    measures: tuple[str, ...]
    impute: str | None
    seed: int
    data: Mapping[str, JSON]
    blocks: tuple[int, ...]
    beside: Mapping[str, JSON] | None = None
    """About the resamples beside those of the protocol; None where none were asked for."""

    @property
    def n_units(self) -> int:
        """Number of pairs of selector and resample."""
        return len(self.selectors) * len(self.resamples)

    def units(self) -> Iterator[Unit]:
        """Yield all units of work, selector by selector."""
        own = sum(one.role not in AUXILIARY_ROLES for one in self.resamples)
        for selector, block in enumerate(self.blocks):
            for start, stop in ((0, own), (own, len(self.resamples))):
                for first in range(start, stop, block):
                    yield Unit(selector, first, min(first + block, stop))

    def to_json(self) -> dict[str, JSON]:
        """Return the plan as JSON: import paths and parameters, nothing pickled."""
        document: dict[str, JSON] = {
            "format": FORMAT,
            "version": 1,
            "seed": self.seed,
            "data": dict(self.data),
            "selectors": [
                {
                    "name": name,
                    "object": serialize_object(selector),
                    "block": block,
                    "own_size": selector.chooses_size,
                }
                for (name, selector), block in zip(self.selectors.items(), self.blocks, strict=True)
            ],
            "protocol": dict(self.protocol),
            "sizes": list(self.sizes),
            "depth": self.depth,
            "classifiers": [
                {"name": name, "object": serialize_object(one)}
                for name, one in self.classifiers.items()
            ],
            "measures": list(self.measures),
            "impute": self.impute,
        }
        return document if self.beside is None else {**document, "beside": dict(self.beside)}


def data_facts(data: Dataset) -> dict[str, JSON]:
    """Return what a plan says about the data."""
    labels, counts = np.unique(data.y, return_counts=True)
    subjects = None if data.groups is None else len(np.unique(data.groups))
    return {
        "source": None if data.source is None else dict(data.source),
        "n_samples": data.n_samples,
        "n_features": data.n_features,
        "classes": {str(k): int(v) for k, v in zip(labels, counts, strict=True)},
        "subjects": subjects,
        "sha256": data.fingerprint,
    }


def protocol_facts(
    protocol: Protocol, resamples: list[Resample], *, subjects: bool
) -> dict[str, JSON]:
    """Return what a plan says about the resamples; `subjects`: whether samples belong to some."""
    return {
        "object": serialize_object(protocol),
        "description": protocol.description_for(subjects=subjects),
        "estimates": protocol.estimates_for(subjects=subjects),
        "tested": times_tested(resamples),
        "resamples": len(resamples),
        "sha256": _digest(resamples),
    }


def beside_facts(
    resamples: list[Resample], why_none: str, cohorts: list[str], units: Units
) -> dict[str, JSON]:
    """Return what a plan says about the resamples beside those of the protocol.

    `units` are all that are halved; classes that are too small for halves are named.
    """
    pairs = sum(one.role == "half" for one in resamples) // 2
    left_out = classes_left_out(units) if pairs else {}
    return {
        "resamples": len(resamples),
        "pairs": pairs,
        "why_none": why_none,
        **({"left_out": left_out, "units": halved_units(units).count} if left_out else {}),
        "cohorts": cohorts,
        "sha256": _digest(resamples),
    }


def block_size(selector: Selector, n_features: int) -> int:
    """Return how many resamples a selector judges in one call."""
    if not selector.shares_work:
        return 1
    return max(1, min(BLOCK, TABLE // n_features))


def depth_of(sizes: tuple[int, ...], offered: int, n_units: int) -> int:
    """Return how many features of each ranking are kept: all that are offered, if that fits."""
    return max(sizes[-1], min(offered, KEPT // n_units))


def _digest(resamples: list[Resample]) -> str:
    digest = hashlib.sha256()
    for one in resamples:
        digest.update(f"{one.role} {one.outer} {one.noise!r} {one.draw}".encode())
        for rows in (one.train, one.test, one.features):
            digest.update(b"|" if rows is None else np.asarray(rows, "<i8").tobytes() + b"|")
    return digest.hexdigest()


def as_text(plan: JSON) -> str:
    """Return a plan as the text of its file."""
    return json.dumps(plan, indent=2, ensure_ascii=False) + "\n"


def check_same(there: JSON, here: JSON, folder: object) -> None:
    """Refuse to go on with another plan, or with other data, in a folder that has one.

    How deep rankings are kept is as it was when the study began.
    """
    plans = (essence({**plan, "depth": None}) for plan in (there, json.loads(as_text(here))))
    changed = [*differences(*plans)]
    if not changed:
        return
    of_data = [text for text in changed if text.startswith("data.")]
    what = "its data are not these data" if of_data else "its plan is not this plan"
    raise StoreError(
        f"{folder}: this folder holds another study: {what} "
        f"({format_list(of_data or changed, most=2)}). Give another folder, or the same plan and "
        "data to go on."
    )


def essence(plan: JSON) -> JSON:
    """Return what a plan comes down to: not where its data lie, nor sentences about it."""
    data = {key: value for key, value in plan["data"].items() if key != "source"}
    rows = {key: plan["protocol"][key] for key in ("object", "resamples", "sha256")}
    kept = {**plan, "data": data, "protocol": rows}
    if "beside" in plan:
        kept["beside"] = {key: plan["beside"][key] for key in ("resamples", "sha256")}
    for part in ("selectors", "classifiers"):
        kept[f"names of {part}"] = [one["name"] for one in plan[part]]  # their order counts
        kept[part] = {one["name"]: one["object"] for one in plan[part]}
    return kept


def differences(there: JSON, here: JSON, at: str = "") -> Iterator[str]:
    """Yield where two plans differ, and how, entry by entry."""
    same = (
        isinstance(there, dict) and isinstance(here, dict) and (set(there) == set(here) or not at)
    )
    if same:  # of the plan itself, what only one of them has is named
        for key in dict.fromkeys([*there, *here]):
            one, other = there.get(key, "nothing"), here.get(key, "nothing")
            yield from differences(one, other, f"{at}.{key}" if at else key)
    elif there != here:
        yield f"{at}: {_short(there)} there, {_short(here)} here"


def _short(value: JSON) -> str:
    text = json.dumps(sorted(value) if isinstance(value, dict) else value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def kept_depth(plan: JSON) -> int:
    """Return how many features of each ranking a study keeps; once it was the largest size."""
    return int(plan.get("depth", plan["sizes"][-1]))


def opaque_parts(plan: JSON) -> list[str]:
    """Return the names of selectors and classifiers that cannot be imported."""
    parts = (*plan["selectors"], *plan["classifiers"])
    return [one["name"] for one in parts if is_opaque(one["object"])]


# Seeds of units of work: functions of the study's seed and of positions, never of the worker.

RESAMPLING, SELECTOR, SELECTION, CLASSIFICATION, NOISE, DRAW, REPLICATION, COHORTS = range(1, 9)
"""What a seed is for; the first number after the study's own."""


def seed_of(seed: int, purpose: int, *position: int) -> int:
    """Return the seed for a purpose at a position."""
    return int(np.random.SeedSequence((seed, purpose, *position)).generate_state(1)[0])


# Resamples beside those of the protocol: disjoint parts of the data, and its cohorts.
#
# They tell what a second study would find, whatever the protocol; nothing is tested on them.

DISJOINT = ROLES
"""Roles of the resamples that replication stability is estimated from."""
OF_COHORTS = ("cohort", "shuffled")
"""Roles of the resamples that compare cohorts."""
DRAWN = "each resample is an independent sample already"
"""Why there are no disjoint parts where data sets are drawn."""
AUXILIARY_ROLES = (*DISJOINT, FULL, *OF_COHORTS)
LEAST, MOST = 10, 50
"""Fewest and most pairs of halves where nobody says how many."""
SHARE = 0.3
"""So many pairs for each resample of the protocol: some half of its work more."""


def disjoint_parts(
    data: Dataset, pairs: int | None, protocol: list[Resample], seed: int
) -> tuple[list[Resample], str]:
    """Draw disjoint parts of the data; if there are none, say why.

    Parameters
    ----------
    data : Dataset
        The data.
    pairs : int or None
        How many pairs of halves; 0 for none, None as many as go with the protocol.
    protocol : list of Resample
        The resamples of the protocol.
    seed : int
        The study's seed.
    """
    if pairs == 0:
        return [], "it was not asked for"
    if any(one.draw >= 0 for one in protocol):
        return [], DRAWN
    count = pairs or min(MOST, max(LEAST, round(SHARE * len(protocol))))
    try:
        drawn = ReplicationDesign(count).draw_units(
            Units.of(data.y, data.groups), seed_of(seed, REPLICATION)
        )
    except InvalidInputError as error:
        if pairs is not None:
            raise
        return [], str(error)
    return drawn, ""


def cohort_parts(data: Dataset, seed: int) -> list[Resample]:
    """Draw the cohorts of the data, and samples dealt anew to cohorts; none without cohorts."""
    if data.cohorts is None:
        return []
    units = Units.of(data.y, data.groups)
    return CohortDesign().draw_units(units, data.cohorts, seed_of(seed, COHORTS))
