"""The plan of a study, fixed before it starts: selectors x resamples x sizes x classifiers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from holdfast._formatting import format_list
from holdfast._typing import JSON
from holdfast.errors import InvalidInputError, StoreError
from holdfast.io import Dataset
from holdfast.resample import (
    FULL,
    ROLES,
    CohortDesign,
    Protocol,
    ReplicationDesign,
    Resample,
    Units,
    classes_left_out,
    halved_units,
    times_tested,
)
from holdfast.select import Selector
from holdfast.study._storage._serialization import is_opaque, serialize_object

FORMAT = "holdfast plan"
MAX_RESAMPLES_PER_BLOCK = 12
"""Most resamples that a selector runs on in one call: few, so that all workers have work.

Chosen by hand. It must not depend on the number of resamples: a longer study begins with the same
blocks.
"""
MAX_SCORES_PER_BLOCK = 1 << 22
"""Most scores that one call returns, resamples times features: 32 MB of floats."""
MAX_STORED_FEATURES = 50_000_000
"""Most features stored in all rankings of a study: 200 MB."""


class Unit(NamedTuple):
    """A unit of work: one selector on the resamples from `first` up to, but excluding, `stop`."""

    selector: int
    first: int
    stop: int

    def singles(self) -> list[Unit]:
        """Return one unit per resample."""
        return [Unit(self.selector, i, i + 1) for i in range(self.first, self.stop)]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The plan of a study; it fixes the blocks, but not the number of workers."""

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
    auxiliary: Mapping[str, JSON] | None = None
    """About the auxiliary resamples; None if none were requested."""
    weighting: Mapping[str, JSON] | None = None
    """About the weights of samples; None if there are none."""

    @property
    def n_units(self) -> int:
        """Number of pairs of selector and resample."""
        return len(self.selectors) * len(self.resamples)

    def units(self) -> Iterator[Unit]:
        """Yield all units of work, selector by selector."""
        # No block mixes resamples of the protocol with auxiliary ones: the blocks of the protocol
        # then do not depend on whether auxiliary ones were requested.
        n_main = sum(resample.role not in AUXILIARY_ROLES for resample in self.resamples)
        for selector, block in enumerate(self.blocks):
            for start, stop in ((0, n_main), (n_main, len(self.resamples))):
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
                    "own_size": selector.selects_own_size,
                }
                for (name, selector), block in zip(self.selectors.items(), self.blocks, strict=True)
            ],
            "protocol": dict(self.protocol),
            "sizes": list(self.sizes),
            "depth": self.depth,
            "classifiers": [
                {"name": name, "object": serialize_object(classifier)}
                for name, classifier in self.classifiers.items()
            ],
            "measures": list(self.measures),
            "impute": self.impute,
        }
        # without keys for what is absent, plans equal those of earlier versions
        sections = {"beside": self.auxiliary, "weighting": self.weighting}
        present = {key: dict(facts) for key, facts in sections.items() if facts is not None}
        return document | present


def data_facts(data: Dataset) -> dict[str, JSON]:
    """Return the section of a plan about the data."""
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
    """Return the section of a plan about the protocol; `subjects`: whether samples have any."""
    return {
        "object": serialize_object(protocol),
        "description": protocol.description_for(subjects=subjects),
        "estimates": protocol.estimates_for(subjects=subjects),
        "tested": times_tested(resamples),
        "resamples": len(resamples),
        "sha256": hash_resamples(resamples),
    }


def auxiliary_facts(
    resamples: list[Resample], why_none: str, cohorts: list[str], units: Units
) -> dict[str, JSON]:
    """Return the section of a plan about the auxiliary resamples.

    `units` are the units that are halved; classes that are too small for halves are listed.
    """
    pairs = sum(resample.role == "half" for resample in resamples) // 2
    left_out = classes_left_out(units) if pairs else {}
    return {
        "resamples": len(resamples),
        "pairs": pairs,
        "why_none": why_none,
        **({"left_out": left_out, "units": halved_units(units).count} if left_out else {}),
        "cohorts": cohorts,
        "sha256": hash_resamples(resamples),
    }


def block_size(selector: Selector, n_features: int) -> int:
    """Return how many resamples a selector runs on in one call."""
    if not selector.has_batch_path:
        return 1
    return max(1, min(MAX_RESAMPLES_PER_BLOCK, MAX_SCORES_PER_BLOCK // n_features))


def stored_depth(sizes: tuple[int, ...], offered: int, n_units: int) -> int:
    """Return how many features of each ranking are stored: all that are offered, if they fit."""
    return max(sizes[-1], min(offered, MAX_STORED_FEATURES // n_units))


def hash_resamples(resamples: list[Resample]) -> str:
    """Return the SHA-256 digest of resamples."""
    digest = hashlib.sha256()
    for resample in resamples:
        outer, noise, draw = resample.outer, resample.noise, resample.draw
        digest.update(f"{resample.role} {outer} {noise!r} {draw}".encode())
        for rows in (resample.train, resample.test, resample.features):
            digest.update(b"|" if rows is None else np.asarray(rows, "<i8").tobytes() + b"|")
    return digest.hexdigest()


def as_text(plan: JSON) -> str:
    """Return a plan as the text of its file."""
    return json.dumps(plan, indent=2, ensure_ascii=False) + "\n"


def check_same_plan(there: JSON, here: JSON, folder: object) -> None:
    """Raise if a folder holds a study with another plan, or of other data.

    The depth of stored rankings is not compared: it stays as it was when the study began.
    """
    plans = (
        comparable_plan({**plan, "depth": None}) for plan in (there, json.loads(as_text(here)))
    )
    changed = [*differences(*plans)]
    if not changed:
        return
    data_changes = [text for text in changed if text.startswith("data.")]
    what = "its data are not these data" if data_changes else "its plan is not this plan"
    raise StoreError(
        f"{folder}: this folder holds another study: {what} "
        f"({format_list(data_changes or changed, most=2)}). Use another folder, or the same plan "
        "and data to continue."
    )


def comparable_plan(plan: JSON) -> JSON:
    """Return a plan without its descriptions and the location of its data, for comparisons."""
    data = {key: value for key, value in plan["data"].items() if key != "source"}
    rows = {key: plan["protocol"][key] for key in ("object", "resamples", "sha256")}
    compared = {**plan, "data": data, "protocol": rows}
    if "beside" in plan:
        compared["beside"] = {key: plan["beside"][key] for key in ("resamples", "sha256")}
    for part in ("selectors", "classifiers"):
        compared[f"names of {part}"] = [entry["name"] for entry in plan[part]]  # in order
        compared[part] = {entry["name"]: entry["object"] for entry in plan[part]}
    return compared


def differences(there: JSON, here: JSON, at: str = "") -> Iterator[str]:
    """Yield the differences of two plans, entry by entry."""
    both_dicts = isinstance(there, dict) and isinstance(here, dict)
    if both_dicts and (set(there) == set(here) or not at):  # at the top, keys may differ
        for key in dict.fromkeys([*there, *here]):
            values = there.get(key, "nothing"), here.get(key, "nothing")
            yield from differences(*values, f"{at}.{key}" if at else key)
    elif there != here:
        yield f"{at}: {_shorten(there)} there, {_shorten(here)} here"


def _shorten(value: JSON) -> str:
    text = json.dumps(sorted(value) if isinstance(value, dict) else value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def plan_depth(plan: JSON) -> int:
    """Return how many features of each ranking are stored; early plans stored the largest size."""
    return int(plan.get("depth", plan["sizes"][-1]))


def opaque_parts(plan: JSON) -> list[str]:
    """Return the names of selectors and classifiers that cannot be imported."""
    parts = (*plan["selectors"], *plan["classifiers"])
    return [part["name"] for part in parts if is_opaque(part["object"])]


# Seeds of units: functions of the seed of the study and of positions, never of the worker.

RESAMPLING, SELECTOR, SELECTION, CLASSIFICATION, NOISE, DRAW, REPLICATION, COHORTS = range(1, 9)
"""Purposes of seeds; the number that follows the seed of the study."""


def derive_seed(seed: int, purpose: int, *position: int) -> int:
    """Return the seed for a purpose at a position."""
    return int(np.random.SeedSequence((seed, purpose, *position)).generate_state(1)[0])


# Auxiliary resamples, drawn in addition to the protocol: disjoint parts of the data, and cohorts.
#
# They show what a second study would find, whatever the protocol; they have no test parts.

DISJOINT_ROLES = ROLES
"""Roles of the resamples that replication stability is estimated from."""
COHORT_ROLES = ("cohort", "shuffled")
"""Roles of the resamples that compare cohorts."""
DRAWN = "each resample is an independent sample already"
"""Why there are no disjoint parts if data sets are drawn."""
AUXILIARY_ROLES = (*DISJOINT_ROLES, FULL, *COHORT_ROLES)
MIN_PAIRS, MAX_PAIRS = 10, 50
"""Bounds of the default number of pairs of halves; chosen by hand."""
PAIRS_PER_RESAMPLE = 0.3
"""Default number of pairs per resample of the protocol: about half of its work in addition."""


def draw_disjoint_parts(
    data: Dataset, pairs: int | None, protocol: list[Resample], seed: int
) -> tuple[list[Resample], str]:
    """Draw disjoint parts of the data; also return why there are none.

    Parameters
    ----------
    data : Dataset
        The data.
    pairs : int or None
        How many pairs of halves; 0 for none, None in proportion to the protocol.
    protocol : list of Resample
        The resamples of the protocol.
    seed : int
        The seed of the study.
    """
    if pairs == 0:
        return [], "it was not asked for"
    if any(resample.draw >= 0 for resample in protocol):
        return [], DRAWN
    count = pairs or min(MAX_PAIRS, max(MIN_PAIRS, round(PAIRS_PER_RESAMPLE * len(protocol))))
    try:
        resamples = ReplicationDesign(count).draw_units(
            Units.from_labels(data.y, data.groups), derive_seed(seed, REPLICATION)
        )
    except InvalidInputError as error:
        if pairs is not None:
            raise
        return [], str(error)
    return resamples, ""


def draw_cohort_parts(data: Dataset, seed: int) -> list[Resample]:
    """Draw the cohorts of the data and random reassignments of samples; none without cohorts."""
    if data.cohorts is None:
        return []
    units = Units.from_labels(data.y, data.groups)
    return CohortDesign().draw_units(units, data.cohorts, derive_seed(seed, COHORTS))
