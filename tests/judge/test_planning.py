"""Planning: against theory's sample sizes, and what the numbers mean."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.judge import Replication, plan_samples
from holdfast.judge._replication._planning import CORRECTED, SHARES, features_again
from holdfast.theory import expected_stability, required_samples

SETTING = {"effect": 0.35, "n_informative": 20, "n_features": 500, "n_selected": 20}


def found_of(values, n=80, *, measure="nogueira", size=20, error=0.01):
    """Return an estimate as `replication` makes it."""
    points = pd.DataFrame(
        {"n_samples": [n // 4, 3 * n // 8, n // 2], "value": values, "standard_error": error}
    )
    curve = pd.DataFrame({"n_samples": [n // 2, n], "kind": ["estimated", "predicted"]})
    return Replication(
        value=values[-1], low=0.0, high=1.0, n_samples=n // 2, measure=measure, size=size,
        n_features=500, chance=0.0, n_pairs=50, confidence=0.95, standard_error=error,
        points=points, curve=curve,
    )  # fmt: skip


def theory(n, **setting):
    return [
        expected_stability("nogueira", n_per_class=part // 2, **setting)
        for part in (n // 4, 3 * n // 8, n // 2)
    ]


def test_the_samples_that_theory_asks_for_lie_in_the_interval():
    plan = plan_samples(found_of(theory(160, **SETTING), 160))
    truth = required_samples(0.8, **SETTING).n_samples
    assert plan.needed_low <= truth <= plan.needed_high
    assert plan.needed_low <= plan.needed <= plan.needed_high


def test_many_unequal_effects_need_about_what_theory_says():
    setting = {**SETTING, "effect": [0.6] * 5 + [0.4] * 15 + [0.2] * 40, "n_informative": None}
    plan = plan_samples(found_of(theory(160, **setting), 160), target=0.7)
    truth = required_samples(0.7, **setting).n_samples
    assert truth / 1.6 < plan.needed < truth * 1.6


def test_the_curve_reaches_the_target_there_and_not_before():
    found = found_of([0.2, 0.3, 0.4])
    plan = plan_samples(found, target=0.6)
    before, there = hf.judge.extrapolate(
        found.points, at=[plan.needed - 1, plan.needed], n_features=500, size=20
    )["value"]
    assert before < 0.6 <= there


def test_higher_targets_need_more():
    found = found_of([0.3, 0.4, 0.5])
    needed = [plan_samples(found, target=one).needed for one in (0.3, 0.6, 0.9)]
    assert needed == sorted(needed)
    assert needed[0] < 40 < needed[-1]


def test_a_ceiling_below_the_target_is_never_reached():
    plan = plan_samples(found_of([0.49, 0.49, 0.49]), target=0.95)
    assert math.isinf(plan.needed_high)
    assert "0.95" in plan.sentence


@pytest.mark.parametrize("measure", [*CORRECTED, *SHARES])
@pytest.mark.parametrize("overlap", [0, 3, 10])
def test_what_is_found_again_undoes_the_measure(measure, overlap):
    subsets = [list(range(10)), list(range(10 - overlap, 20 - overlap))]
    value = hf.measure(measure, hf.Subsets(subsets, n_features=40))
    again = features_again(value, measure=measure, size=10, n_features=40)
    assert again == pytest.approx(overlap)


def test_what_is_found_again_is_unknown_for_other_measures():
    plan = plan_samples(found_of([0.3, 0.4, 0.5], measure="spearman", size=500))
    assert math.isnan(plan.again)
    assert "again" not in plan.sentence


def test_the_sentence_and_the_table_say_the_same():
    plan = plan_samples(found_of([0.3, 0.4, 0.5]), target=0.7)
    row = plan.to_frame().iloc[0]
    assert row["needed"] == plan.needed
    assert f"about {plan.needed:,.0f}" in plan.sentence
    assert f"expect {plan.again:.0f}" in repr(plan)
    assert "of 20 features again" in repr(plan)


def test_sentences_of_what_is_out_of_reach():
    plan = plan_samples(found_of([0.3, 0.4, 0.5]))
    never = replace(plan, needed=math.inf, needed_low=math.inf, needed_high=math.inf)
    assert "out of reach" in never.sentence
    hardly = replace(plan, needed=math.inf, needed_low=900.0, needed_high=math.inf)
    assert "at least 900" in hardly.sentence
    wide = replace(plan, needed=300.0, needed_low=100.0, needed_high=math.inf)
    assert "300 (100 or more)" in wide.sentence


@pytest.mark.parametrize("target", [0, 1, -0.2, math.nan, "0.8"])
def test_targets_out_of_range_are_refused(target):
    with pytest.raises(InvalidInputError, match="target must be"):
        plan_samples(found_of([0.3, 0.4, 0.5]), target=target)


def test_distances_and_single_points_are_refused():
    with pytest.raises(InvalidInputError, match="distance"):
        plan_samples(found_of([0.03, 0.02, 0.01], measure="anhd"))
    one = found_of([0.3, 0.4, 0.5])
    with pytest.raises(InvalidInputError, match="8 samples"):
        plan_samples(replace(one, points=one.points.tail(1)))
    bare = replace(one, curve=one.curve.head(1), note="nothing is known")
    with pytest.raises(InvalidInputError, match="from this estimate: nothing is known"):
        plan_samples(bare)
    with pytest.raises(InvalidInputError, match="found must be what "):
        plan_samples(3)


@pytest.mark.parametrize("values", [[0.5, 0.6, 0.9], [0.1, 0.5, 0.45], [0.0, 0.0, 0.0]])
@pytest.mark.parametrize("error", [0.01, 0.2])
def test_nothing_is_planned_against_what_was_measured(values, error):
    found = found_of(values, 160, error=error)
    last = max(values[-1], 0.0)
    assert plan_samples(found).value >= last
    for target in (last - 0.05, last + 0.05):
        if 0 < target < 1:
            assert (plan_samples(found, target=target).needed <= 80) == (target <= last)
