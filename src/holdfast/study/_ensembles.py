"""The ensembles of a study that differ by their number of bags alone."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast._spelling import snake_case
from holdfast.errors import InvalidInputError
from holdfast.select._given import as_selector
from holdfast.select._record import SELECTORS
from holdfast.study._objects import spelled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.study._objects import JSON

ENSEMBLE = "holdfast.select:Ensemble"
SET_BY_STUDY = {"random_state", "n_features_to_select"}
NONE, ALONE = 0, -1
"""Instead of a number of bags: there are none, or there is no ensemble."""


def ensemble_curves(plan: JSON) -> pd.DataFrame:
    """Find the ensembles that are equal but for the number of bags.

    Parameters
    ----------
    plan : JSON
        The plan of a study.

    Returns
    -------
    pandas.DataFrame
        Columns ``selector``, its name in the study; ``curve``, what equal ones are called, by
        their base if this tells them apart; ``n_bags``, 1 where there are no bags, and for the
        base by itself, where the study has it, too.
    """
    curves: dict[str, dict[int, str]] = defaultdict(dict)
    bases: dict[str, str] = {}
    alone = {_essence(one["object"]): one["name"] for one in plan["selectors"]}
    for one in plan["selectors"]:
        if isinstance(one["object"], dict) and one["object"].get("class") == ENSEMBLE:
            rest = dict(one["object"]["parameters"])
            n_bags, base = rest.pop("n_bags"), rest.pop("base")
            key = json.dumps({**rest, "base": _essence(base)}, sort_keys=True)
            curves[key][NONE if n_bags is None else n_bags] = one["name"]
            bases.setdefault(key, _named(base))
            if _essence(base) in alone:
                curves[key][ALONE] = alone[_essence(base)]
    single = {key: _one_at_one(own) for key, own in curves.items()}
    return _table({key: own for key, own in single.items() if len(own) > 1}, bases)


def _one_at_one(own: Mapping[int, str]) -> dict[int, str]:
    """Let one selector stand at 1: the base by itself, else an ensemble without bags."""
    bags = {n_bags: name for n_bags, name in own.items() if n_bags > 0}
    without = own.get(ALONE, own.get(NONE))
    return bags if without is None else {**bags, 1: without}


def _table(curves: Mapping[str, Mapping[int, str]], bases: Mapping[str, str]) -> pd.DataFrame:
    if not curves:
        raise InvalidInputError(
            "no two ensembles of this study differ by n_bags alone, so there is no line to draw; "
            "give the study some, as hf.Ensemble('relieff', n_bags=5) and with n_bags=40."
        )
    used = [bases[key] for key in curves]
    names = {
        key: bases[key] if used.count(bases[key]) == 1 else own[min(own)]
        for key, own in curves.items()
    }
    rows = [
        {"selector": selector, "curve": names[key], "n_bags": n_bags}
        for key, own in curves.items()
        for n_bags, selector in sorted(own.items())
    ]
    return pd.DataFrame(rows)


def _essence(spelling: Any) -> str:  # noqa: ANN401
    """Return what a selector comes down to, whether it is given by name or as an object."""
    if spelling is None or (isinstance(spelling, str) and not spelling.startswith("(")):
        spelling = spelled(as_selector(spelling or "f_score"))
    if isinstance(spelling, dict) and "parameters" in spelling:
        kept = {k: v for k, v in spelling["parameters"].items() if k not in SET_BY_STUDY}
        spelling = {**spelling, "parameters": kept}
    return json.dumps(spelling, sort_keys=True)


def _named(base: Any) -> str:  # noqa: ANN401
    """Return what the base of an ensemble is called, from its spelling."""
    if base is None:
        return "f_score"
    if isinstance(base, str):
        return base
    parts = base.get("tuple") if isinstance(base, dict) else base
    if isinstance(parts, list):
        return " + ".join(map(_named, parts))
    path = base.get("class") or base.get("function") or base.get("opaque")
    kind = str(path).rpartition(":")[2]
    known = {record.kind.__name__: name for name, record in SELECTORS.items()}
    return known.get(kind, snake_case(kind))
