"""A study that grows: its plans, step by step, and how one takes the place of another."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.errors import StoreError
from holdfast.resample._strata import Units
from holdfast.study._planning._make_plan import beside_of, n_offered
from holdfast.study._planning._plan import as_text, depth_of, protocol_facts
from holdfast.study._planning._stopping_rule import (
    STOPPING_RULE_KEY,
    Until,
    intervals,
    is_narrow,
    rule_sentence,
    running_sentence,
    steps,
    too_wide_sentence,
)
from holdfast.study._storage._folder import PLAN, write_whole
from holdfast.study._storage._reader import View
from holdfast.study._storage._serialization import deserialize_object
from holdfast.study._storage._store import FILE, Store, integers
from holdfast.study._tables._stability import LazyDataset

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holdfast.io import Dataset
    from holdfast.study._planning._plan import Plan


class Growing:
    """The plans of a study that does so many resamples as its intervals need.

    Each begins with the resamples of the one before, under the same numbers, so what is done
    stays. Resamples beside those of the protocol come when it is known how many these are.

    Parameters
    ----------
    plan : Plan
        Any plan of the study: all but the number of its resamples is taken over.
    data : Dataset
        The data.
    until : Until
        When to stop.
    """

    def __init__(self, plan: Plan, data: Dataset, until: Until) -> None:
        self._plan, self._data, self._until = plan, data, until
        self._protocol = deserialize_object(plan.protocol["object"]).resized(until.most)
        units = Units.of(data.y, data.groups)
        self._own = self._protocol.draw_units(units, plan.seed, data.n_features)
        self._each = len(self._own) // until.most
        self.steps = steps(len(self._own), self._each, plan.blocks)

    def at(self, count: int) -> Plan:
        """Return the plan of so many resamples, none beside them."""
        own = self._own[:count]
        protocol = self._protocol.resized(max(1, len(own) // self._each))
        facts = protocol_facts(protocol, own, subjects=self._data.groups is not None)
        depth = self._depth(len(own))
        return replace(self._plan, protocol=facts, resamples=own, depth=depth, beside=None)

    def whole(self, count: int) -> Plan:
        """Return the plan of a study that asked for so many resamples."""
        plan = self.at(count)
        beside, facts = beside_of(
            self._data, plan.resamples, self._until.replication, self._plan.seed
        )
        every = [*plan.resamples, *beside]
        return replace(plan, resamples=every, beside=facts, depth=self._depth(len(every)))

    def widest(self) -> Plan:
        """Return a plan for the workers, who serve all steps."""
        return replace(self.at(self.steps[0]), resamples=self._own)

    def _depth(self, count: int) -> int:
        offered = n_offered(self._data.n_features, self._own)
        return depth_of(self._plan.sizes, offered, len(self._plan.selectors) * count)

    def begun(self, folder: Path | None) -> Plan:
        """Return the plan as it is in a folder, if the study there is this one; else the first."""
        if folder is None or not (folder / FILE).exists():
            return self.at(self.steps[0])
        with closing(Store.open(folder / FILE)) as store:
            return self._there(store)

    def _there(self, store: Store) -> Plan:
        plan, fact = store.fact("plan"), store.fact(STOPPING_RULE_KEY)
        as_it_is = self.whole if fact is None or fact["stopped"] else self.at
        return as_it_is(int(plan["protocol"]["resamples"]))

    def grow(
        self, store: Store, do: Callable[[Plan, int], None], note: Callable[[str], None]
    ) -> tuple[Plan, int, str]:
        """Do resamples until the intervals are narrow, and plan what comes beside them.

        Parameters
        ----------
        store : Store
            The store of the study.
        do : callable
            Does the units of a plan from a resample on.
        note : callable
            Is told how wide the intervals are.

        Returns
        -------
        plan : Plan
            The whole plan.
        first : int
            The resample from which on it is still to be done.
        trouble : str
            That the intervals are too wide, if they are.
        """
        plan, first, width = self._there(store), 0, self._until.width
        note(rule_sentence(self.steps[-1], width))
        while True:
            do(plan, first)
            first = len(plan.resamples)
            table = intervals(View(store), LazyDataset(lambda: self._data), first)
            note(running_sentence(table, width))
            if is_narrow(table, width) or first == self.steps[-1]:
                break
            plan = self.at(next(step for step in self.steps if step > first))
            _replace_plan(store, plan, self._until.to_json(stopped=False))
        plan = self.whole(first)
        _replace_plan(store, plan, self._until.to_json(stopped=True))
        trouble = "" if is_narrow(table, width) else too_wide_sentence(table, width)
        return plan, first, trouble


def growing_until(store: Store) -> Until | None:
    """Return how far the study of a store is to grow; None if it does not, or no more."""
    fact = store.fact(STOPPING_RULE_KEY)
    return None if fact is None or fact["stopped"] else Until.from_json(fact)


def check_same_until(store: Store, until: Until | None, folder: object) -> None:
    """Refuse to go on with a study that stops, or stopped, by another rule."""
    there, growing = store.fact(STOPPING_RULE_KEY), growing_until(store)
    if until is None:
        same = growing is None
    else:
        same = there is not None and Until.from_json(there) == until
    if not same:
        rule = "is not given" if until is None else f"is {until.width:g}"
        found = "has none" if there is None else f"has {there['width']:g}"
        raise StoreError(
            f"{folder}: this folder holds another study: until_width {rule} here, the study there "
            f"{found}, or another most number of resamples. Give another folder, or the same "
            "plan to go on."
        )


def _replace_plan(store: Store, plan: Plan, fact: object) -> None:
    """Put a plan in the place of one that it begins with.

    The file comes first: if the process ends in between, the study goes on from the plan in its
    store, and comes here again.
    """
    text = as_text(plan.to_json())
    if store.path is not None:
        write_whole(store.path.parent / PLAN, text.encode())
    with store.transaction():
        store.insert("facts", [("plan", text), (STOPPING_RULE_KEY, json.dumps(fact))], replace=True)
        store.connection.execute("DELETE FROM resamples")
        store.add_resamples(plan.resamples)
        _shorten(store, plan)


def _shorten(store: Store, plan: Plan) -> None:
    """Keep so much of each ranking as the plan says; a study of fewer resamples keeps more."""
    length = len(integers(range(plan.depth)))
    store.connection.execute(
        "UPDATE preferences SET data = substr(data, 1, ?) WHERE form = 'top' AND length(data) > ?",
        (length, length),
    )
    for number, selector in enumerate(plan.selectors.values()):
        if not selector.chooses_size:
            _shorten_groups(store, number, plan.depth)


def _shorten_groups(store: Store, selector: int, depth: int) -> None:
    """Keep the best groups, and the features that stand for them."""
    where = "FROM groups WHERE selector = ? AND position >= ?"
    cut = store.query(f"SELECT DISTINCT resample {where}", (selector, depth))
    store.connection.execute(f"DELETE {where}", (selector, depth))
    for (resample,) in cut:
        unit = (selector, resample)
        rows = store.query(
            "SELECT representative FROM groups WHERE selector = ? AND resample = ? "
            "ORDER BY position",
            unit,
        )
        store.connection.execute(
            "UPDATE preferences SET data = ? WHERE selector = ? AND resample = ? AND form = 'top'",
            (integers([*dict.fromkeys(row[0] for row in rows)]), *unit),
        )
