"""Planning: against theory's sample sizes, and what the numbers mean."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.judge import Replication, plan_samples
from holdfast.judge._replication._sample_planning import (
    CORRECTED_MEASURES,
    GROWTH,
    LOGIT_MARGIN,
    MAX_FACTOR,
    SHARE_MEASURES,
    SIZE_FACTORS,
    expected_common_features,
    fit_stability_line,
    is_at_chance,
    value_of_share,
)
from holdfast.theory import expected_stability, required_samples

SETTING = {"effect": 0.35, "n_informative": 20, "n_features": 500, "n_selected": 20}


def found_of(values, n=80, *, measure="nogueira", size=20, error=0.01):
    """Return an estimate as `replication` makes it."""
    points = pd.DataFrame(
        {"n_samples": [n // 4, 3 * n // 8, n // 2], "value": values, "standard_error": error}
    )
    curve = pd.DataFrame({"n_samples": [n // 2, n], "kind": ["estimated", "predicted"]})
    return Replication(
        value=values[-1], low=values[-1] / 2, high=1.0, n_samples=n // 2, measure=measure,
        size=size, n_features=500, chance=0.0, n_pairs=50, confidence=0.95, standard_error=error,
        points=points, curve=curve,
    )  # fmt: skip


def theory(n, **setting):
    return [
        expected_stability("nogueira", n_per_class=part // 2, **setting)
        for part in (n // 4, 3 * n // 8, n // 2)
    ]


@pytest.mark.parametrize("measure", [*CORRECTED_MEASURES, *SHARE_MEASURES])
@pytest.mark.parametrize("overlap", [0, 3, 10])
def test_what_is_found_again_undoes_the_measure(measure, overlap):
    subsets = [list(range(10)), list(range(10 - overlap, 20 - overlap))]
    value = hf.measure(measure, hf.Subsets(subsets, n_features=40))
    again = expected_common_features(value, measure=measure, size=10, n_features=40)
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
    with pytest.raises(InvalidInputError, match="found must be a result of "):
        plan_samples(3)


def log_odds(value):
    inner = LOGIT_MARGIN + (1 - 2 * LOGIT_MARGIN) * value
    return math.log(inner / (1 - inner))


def line_of(found, **more):
    asked = {"n_features": found.n_features, "size": found.size, "measure": found.measure}
    return fit_stability_line(found.points, n_units=80, **asked, **more)


@pytest.mark.parametrize(
    "effect", [0.35, [0.6] * 5 + [0.4] * 15 + [0.2] * 40, [0.8 * 0.93**i for i in range(40)]]
)
def test_the_samples_that_theory_asks_for_lie_in_the_interval(effect):
    setting = {**SETTING, "effect": effect}
    if isinstance(effect, list):
        setting["n_informative"] = None
    plan = plan_samples(found_of(theory(160, **setting), 160), target=0.7)
    truth = required_samples(0.7, **setting).n_samples
    assert plan.needed_low <= truth
    assert not plan.needed_high < truth
    assert truth / 2 < plan.needed < truth * 2


def test_the_line_reaches_the_target_there_and_not_before():
    found = found_of([0.2, 0.3, 0.4])
    plan, line = plan_samples(found, target=0.6), line_of(found)
    before, there = (line.predict(n, 0.95)[0] for n in (plan.needed - 1, plan.needed))
    assert before < 0.6 <= there


def test_the_line_goes_through_the_share_and_on_with_its_slope():
    found = found_of([0.2, 0.3, 0.4])
    share = 0.55 * (1 - 20 / 500) + 20 / 500
    line = line_of(found, share=share)
    assert line.predict(80, 0.95)[0] == pytest.approx(0.55)
    assert line.predict(40, 0.95)[0] == pytest.approx(0.4)
    ahead = line.predict(320, 0.95)[0]
    assert log_odds(ahead) - log_odds(0.55) == pytest.approx(GROWTH * math.log(4))


def test_a_model_of_scores_bends_the_line():
    """Its step is the mean of that of the model and of the Spearman-Brown formula."""
    found = found_of([0.2, 0.3, 0.4])
    values = [0.5, 0.6, 0.6, 0.7, 0.7]
    shares = [value * (1 - 20 / 500) + 20 / 500 for value in values]
    line = line_of(found, share=shares[0], score_shares=shares)
    for factor, value in zip(SIZE_FACTORS.tolist(), values, strict=True):
        step = (log_odds(value) - log_odds(0.5) + math.log(factor)) / 2
        assert log_odds(line.predict(80 * factor, 0.95)[0]) - log_odds(0.5) == pytest.approx(step)


@pytest.mark.parametrize("measure", [*CORRECTED_MEASURES, *SHARE_MEASURES, "jaccard"])
@pytest.mark.parametrize("overlap", [1, 5, 10])
def test_the_measure_follows_from_the_share(measure, overlap):
    subsets = [list(range(10)), list(range(10 - overlap, 20 - overlap))]
    value = hf.measure(measure, hf.Subsets(subsets, n_features=40))
    assert value_of_share(overlap / 10, measure, 10, 40) == pytest.approx(float(value))


def test_other_measures_do_not_follow_from_the_share():
    assert value_of_share(0.5, "spearman", 40, 40) is None
    assert value_of_share(0.5, "nogueira", None, 40) is None


def test_higher_targets_need_more_until_nothing_is_known():
    found = found_of([0.3, 0.4, 0.5])
    plans = [plan_samples(found, target=one) for one in (0.3, 0.6, 0.9, 0.99)]
    needed = [plan.needed for plan in plans[:3]]
    assert needed == sorted(needed)
    assert needed[0] < 40 < needed[-1]
    assert math.isnan(plans[-1].needed)
    assert plans[-1].needed_low <= MAX_FACTOR * 80


def test_a_distance_is_at_chance_unless_it_is_clearly_lower():
    below = replace(found_of([0.03, 0.02, 0.01], measure="anhd"), chance=0.04)
    assert not is_at_chance(below)
    assert is_at_chance(replace(below, standard_error=0.05))
    assert is_at_chance(replace(below, value=0.08))


def test_pilots_with_little_agreement_get_a_least_number():
    plan = plan_samples(found_of([0.05, 0.06, 0.08]), target=0.95)
    assert math.isnan(plan.needed)
    assert math.isnan(plan.needed_high)
    assert 80 < plan.needed_low <= MAX_FACTOR * 80
    assert f"needs at least {plan.needed_low:,.0f}." in plan.sentence


def test_nothing_is_planned_at_chance():
    found = found_of([0.0, 0.01, 0.02], error=0.03)
    assert is_at_chance(found)
    assert not is_at_chance(replace(found, standard_error=0.01))
    plan = plan_samples(found)
    assert math.isinf(plan.needed)
    assert math.isnan(plan.needed_high)
    assert math.isfinite(plan.needed_low)
    assert "do not show agreement beyond chance" in plan.sentence


def test_sentences_say_which_ends_are_known():
    plan = plan_samples(found_of([0.3, 0.4, 0.5]))
    wide = replace(plan, needed=300.0, needed_low=100.0, needed_high=math.nan)
    assert "300 (at least 100, at most unknown)" in wide.sentence
    known = replace(wide, needed_high=900.0)
    assert "300 (100 to 900)" in known.sentence


def test_numbers_below_the_smallest_parts_are_not_named():
    plan = plan_samples(found_of([0.3, 0.4, 0.5]))
    fewest = plan.fewest_compared
    assert fewest == found_of([0.3, 0.4, 0.5]).points["n_samples"].min()
    few = replace(plan, needed=fewest - 1.0, needed_low=4.0, needed_high=math.nan)
    assert f"needs fewer than {fewest} (at most unknown)." in few.sentence
    assert f"fewer than {fewest} (at most 900)." in replace(few, needed_high=900.0).sentence
    assert few.sentence.endswith("(at most unknown).")
    certain = replace(few, needed_high=fewest - 1.0)
    assert certain.sentence.endswith(f"needs fewer than {fewest}.")
    enough = replace(few, needed=float(fewest))
    assert f"needs about {fewest} (at most unknown)." in enough.sentence


@pytest.mark.parametrize("values", [[0.5, 0.6, 0.9], [0.1, 0.5, 0.45], [0.3, 0.3, 0.31]])
@pytest.mark.parametrize("error", [0.01, 0.2])
def test_nothing_is_planned_against_what_was_measured(values, error):
    found = found_of(values, 160, error=error)
    last = values[-1]
    assert plan_samples(found).value >= last
    for target in (last - 0.05, last + 0.05):
        if 0 < target < 1:
            assert (plan_samples(found, target=target).needed <= 80) == (target <= last)


def test_prediction_plan_and_chances_say_the_same():
    rng = np.random.default_rng(3)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 200))
    X[:, :15] += 0.6 * (2 * y - 1)[:, np.newaxis]
    found = hf.replication("t_score", X, y, size=10, n_pairs=20)
    predicted = found.curve.query("kind == 'predicted'")["value"].iloc[0]
    plan = plan_samples(found)
    assert plan.value == pytest.approx(predicted)
    assert plan.again == pytest.approx(10 * found.share)


def test_random_selections_are_not_predicted_to_agree():
    """Near chance log odds are steep: the interval must not reach up to perfect agreement."""
    found = found_of([0.0, -0.01, 0.0], error=0.15)
    value, low, high = line_of(found).predict(80, 0.95)
    assert low == 0 <= value < 0.05
    assert high < 0.5
