"""Sequential studies: plans that grow step by step until the intervals are narrow."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from holdfast.io import Dataset
from holdfast.resample import Protocol, Units
from holdfast.study._planning._make_plan import draw_auxiliary_resamples, n_offered
from holdfast.study._planning._plan import Plan, as_text, protocol_facts, stored_depth
from holdfast.study._planning._stopping_rule import (
    StoppingRule,
    intervals,
    is_narrow,
    rule_sentence,
    running_sentence,
    steps,
    too_wide_sentence,
)
from holdfast.study._storage._checksums import store_unit_checksums
from holdfast.study._storage._folder import PLAN, write_file
from holdfast.study._storage._reader import StudyReader
from holdfast.study._storage._schema import STOPPING_RULE_KEY
from holdfast.study._storage._store import FILE, Store, integers
from holdfast.study._tables._stability import LazyDataset


class SequentialStudy:
    """The plans of a study that runs as many resamples as its intervals need.

    Each plan begins with the resamples of the one before, under the same numbers, so finished
    units stay valid. Auxiliary resamples are drawn when the number of the others is known.

    Parameters
    ----------
    plan : Plan
        Any plan of the study; everything but the number of resamples is used.
    data : Dataset
        The data.
    rule : StoppingRule
        When to stop.
    protocol : Protocol
        The protocol of the plan.
    """

    def __init__(self, plan: Plan, data: Dataset, rule: StoppingRule, protocol: Protocol) -> None:
        self._plan, self._data, self._rule = plan, data, rule
        self._protocol = protocol.resized(rule.most)
        units = Units.from_labels(data.y, data.groups)
        # all resamples are drawn at once, so each plan begins with those of the one before
        self._resamples = self._protocol.draw_units(units, plan.seed, data.n_features)
        self._resamples_per_repeat = len(self._resamples) // rule.most
        self.steps = steps(len(self._resamples), self._resamples_per_repeat, plan.blocks)

    def plan_with(self, count: int) -> Plan:
        """Return the plan with this many resamples of the protocol and no auxiliary ones."""
        resamples = self._resamples[:count]
        protocol = self._protocol.resized(max(1, len(resamples) // self._resamples_per_repeat))
        facts = protocol_facts(protocol, resamples, subjects=self._data.groups is not None)
        depth = self._stored_depth(len(resamples))
        return replace(self._plan, protocol=facts, resamples=resamples, depth=depth, auxiliary=None)

    def final_plan(self, count: int) -> Plan:
        """Return the plan of a study that requested this many resamples from the start."""
        plan = self.plan_with(count)
        auxiliary, facts = draw_auxiliary_resamples(
            self._data, plan.resamples, self._rule.replication, self._plan.seed
        )
        resamples = [*plan.resamples, *auxiliary]
        depth = self._stored_depth(len(resamples))
        return replace(plan, resamples=resamples, auxiliary=facts, depth=depth)

    def longest_plan(self) -> Plan:
        """Return a plan with all resamples, for workers that serve all steps."""
        return replace(self.plan_with(self.steps[0]), resamples=self._resamples)

    def _stored_depth(self, count: int) -> int:
        offered = n_offered(self._data.n_features, self._resamples)
        return stored_depth(self._plan.sizes, offered, len(self._plan.selectors) * count)

    def current_plan(self, folder: Path | None) -> Plan:
        """Return the plan of the study in a folder; the first one if there is no study."""
        if folder is None or not (folder / FILE).exists():
            return self.plan_with(self.steps[0])
        with closing(Store.open(folder / FILE)) as store:
            return self._stored_plan(store)

    def _stored_plan(self, store: Store) -> Plan:
        plan, fact = store.fact("plan"), store.fact(STOPPING_RULE_KEY)
        # auxiliary resamples are part of the plan as soon as the study has stopped
        make_plan = self.final_plan if fact is None or fact["stopped"] else self.plan_with
        return make_plan(int(plan["protocol"]["resamples"]))

    def extend(
        self, store: Store, run_step: Callable[[Plan, int], None], note: Callable[[str], None]
    ) -> tuple[Plan, int, str]:
        """Run steps until the intervals are narrow, and plan the auxiliary resamples.

        Parameters
        ----------
        store : Store
            The store of the study.
        run_step : callable
            Runs the units of a plan from a resample on.
        note : callable
            Reports the width of the intervals.

        Returns
        -------
        plan : Plan
            The final plan.
        first : int
            The first resample of it that is still to do.
        warning : str
            That the intervals are too wide; empty if they are not.
        """
        plan, first, width = self._stored_plan(store), 0, self._rule.width
        note(rule_sentence(self.steps[-1], width))
        while True:
            run_step(plan, first)
            first = len(plan.resamples)
            table = intervals(StudyReader(store), LazyDataset(lambda: self._data), first)
            note(running_sentence(table, width))
            if is_narrow(table, width) or first == self.steps[-1]:
                break
            # the next step is planned in the store before it runs, so that `resume` can go on
            plan = self.plan_with(next(step for step in self.steps if step > first))
            _replace_plan(store, plan, self._rule.to_json(stopped=False))
        plan = self.final_plan(first)
        _replace_plan(store, plan, self._rule.to_json(stopped=True))
        return plan, first, "" if is_narrow(table, width) else too_wide_sentence(table, width)


def _replace_plan(store: Store, plan: Plan, fact: object) -> None:
    """Replace a plan by one that begins with the same resamples.

    The file comes first: if the process ends in between, the study continues from the plan in
    its store and replaces the file again.
    """
    text = as_text(plan.to_json())
    if store.path is not None:
        write_file(store.path.parent / PLAN, text.encode())
    with store.transaction():
        store.insert("facts", [("plan", text), (STOPPING_RULE_KEY, json.dumps(fact))], replace=True)
        store.connection.execute("DELETE FROM resamples")
        store.add_resamples(plan.resamples)
        store.add_plan_checksum()
        n_changes = store.connection.total_changes
        _shorten_rankings(store, plan)
        if store.connection.total_changes > n_changes:
            store_unit_checksums(store.connection)


def _shorten_rankings(store: Store, plan: Plan) -> None:
    """Cut stored rankings to the depth of the plan; with fewer resamples, more was stored."""
    length = len(integers(range(plan.depth)))
    store.connection.execute(
        "UPDATE preferences SET data = substr(data, 1, ?) WHERE form = 'top' AND length(data) > ?",
        (length, length),
    )
    for number, selector in enumerate(plan.selectors.values()):
        if not selector.selects_own_size:
            _shorten_groups(store, number, plan.depth)


def _shorten_groups(store: Store, selector: int, depth: int) -> None:
    """Keep the best groups and their representatives."""
    where = "FROM groups WHERE selector = ? AND position >= ?"
    shortened = store.query(f"SELECT DISTINCT resample {where}", (selector, depth))
    store.connection.execute(f"DELETE {where}", (selector, depth))
    for (resample,) in shortened:
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
