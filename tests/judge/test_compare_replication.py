"""Two selectors compared by how well they replicate: against plain versions of the formulas."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.judge import PairValues, compare_replication
from holdfast.judge._replication._comparison import (
    MIN_SPLIT_SHARE,
    OVERSTATEMENT,
    T_DEGREES_OF_FREEDOM,
    compare_pair_values,
)
from holdfast.judge._replication._interval import LogOdds

SCALE = LogOdds(0.0, 1.0, 0.05)


def values_of(seed, *, level=0.5, spread=0.1, n_units=80):
    rng = np.random.default_rng(seed)
    return PairValues(
        halves=level + spread * rng.standard_normal(40),
        parts=level - 0.1 + spread * rng.standard_normal((20, 2)),
        quarters=level - 0.2 + spread * rng.standard_normal((10, 6)),
        n_units=n_units,
    )


def data(seed=0, n=60):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 100))
    X[:, :10] += 0.8 * (2 * y - 1)[:, np.newaxis]
    return X, y


def plain_variance(one, two, size):
    """The formulas of the module, written out once more."""
    halves = one.halves - two.halves
    within = np.var(halves, ddof=1)
    gaps = []
    for row in one.quarters - two.quarters:
        gaps += [(row[0] - row[5]) ** 2 / 2, (row[1] - row[4]) ** 2 / 2, (row[2] - row[3]) ** 2 / 2]
    parts = one.parts - two.parts
    added = np.mean([np.var(row, ddof=1) / 2 for row in parts])
    left_out = 3 * (np.var([row.mean() for row in parts], ddof=1) - added)

    def rate(kind):
        means = [np.clip(getattr(own, kind).mean(), 0, 1) for own in (one, two)]
        return np.mean([(x + 0.05) * (1.05 - x) for x in means])

    quarters = np.mean(gaps) * rate("halves") / rate("quarters") - within
    left_out *= rate("halves") / rate("parts")
    both = (quarters + left_out) / 2 / OVERSTATEMENT
    return max(both, MIN_SPLIT_SHARE * within, 0.05**2 / size) + within / len(halves)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_those_of_the_formulas(seed):
    one, two = values_of(seed), values_of(seed + 100, level=0.4, spread=0.2)
    found = compare_pair_values((one, two), (SCALE, SCALE), size=10, measure="nogueira")
    error = math.sqrt(plain_variance(one, two, 10))
    difference = one.halves.mean() - two.halves.mean()
    assert found.difference == pytest.approx(difference)
    assert found.standard_error == pytest.approx(error)
    law = scipy.stats.t(T_DEGREES_OF_FREEDOM)
    assert found.p_value == pytest.approx(2 * law.sf(abs(difference) / error))
    assert found.low == pytest.approx(difference - law.ppf(0.975) * error)
    assert found.high == pytest.approx(difference + law.ppf(0.975) * error)


def test_the_test_and_the_interval_agree():
    for level in np.linspace(0.2, 0.6, 9):
        one, two = values_of(1, level=level), values_of(2, level=0.4)
        found = compare_pair_values((one, two), (SCALE, SCALE), size=10, measure="nogueira")
        assert (found.p_value < 0.05) == (not found.low <= 0 <= found.high)


def test_a_selector_is_equal_to_itself():
    X, y = data()
    found = hf.compare_replication("t_score", "t_score", X, y, size=5, n_pairs=10)
    assert found.difference == 0
    assert found.p_value == 1
    assert found.low < 0 < found.high


def test_estimates_and_selectors_give_the_same_and_order_only_turns_the_sign():
    X, y = data()
    one, two = (
        hf.replication(name, X, y, size=5, n_pairs=20) for name in ("t_score", "random_score")
    )
    found, turned = compare_replication(one, two), compare_replication(two, one)
    direct = hf.compare_replication("t_score", "random_score", X, y, size=5, n_pairs=20)
    assert found == direct
    assert turned.difference == -found.difference
    assert turned.p_value == found.p_value
    assert found.difference == pytest.approx(one.value - two.value)
    assert found.p_value < 0.01
    assert "about the population, not about these samples" in str(found)
    assert f"{found.n_samples} each" in repr(found)


def test_distances_are_better_where_they_are_lower():
    X, y = data()
    found = hf.compare_replication(
        "t_score", "random_score", X, y, size=5, n_pairs=10, measure="anhd"
    )
    assert found.first < found.second
    assert found.difference > 0


def test_without_quarters_the_spread_over_splits_is_taken():
    one, two = (
        replace(own, parts=np.empty((0, 2)), quarters=np.empty((0, 6)))
        for own in (values_of(1), values_of(2))
    )
    found = compare_pair_values((one, two), (SCALE, SCALE), size=10, measure="nogueira")
    within = np.var(one.halves - two.halves, ddof=1)
    assert found.standard_error == pytest.approx(math.sqrt(within * (1 + 1 / 40)))


def test_splits_without_a_value_are_left_out():
    one, two = values_of(1), values_of(2)
    one.halves[:3], two.halves[5:7] = np.nan, np.nan
    found = compare_pair_values((one, two), (SCALE, SCALE), size=10, measure="nogueira")
    both = np.isfinite(one.halves) & np.isfinite(two.halves)
    assert found.n_pairs == 35
    assert found.difference == pytest.approx((one.halves - two.halves)[both].mean())


def test_what_cannot_be_compared_is_refused():
    X, y = data()
    one = hf.replication("t_score", X, y, size=5, n_pairs=5)
    with pytest.raises(InvalidInputError, match="same splits"):
        compare_replication(one, hf.replication("t_score", X, y, size=5, n_pairs=5, random_state=1))
    with pytest.raises(InvalidInputError, match="same splits"):
        compare_replication(one, hf.replication("t_score", X, y, size=5, n_pairs=6))
    with pytest.raises(InvalidInputError, match="one measure"):
        compare_replication(
            one, hf.replication("t_score", X, y, size=5, n_pairs=5, measure="jaccard")
        )
    with pytest.raises(InvalidInputError, match="with X and y"):
        compare_replication("t_score", one)
    with pytest.raises(InvalidInputError, match="n_pairs: only for selectors"):
        compare_replication(one, one, n_pairs=9)
    with pytest.raises(InvalidInputError, match="does not hold the values"):
        compare_replication(one, replace(one, values=None))
    nothing = replace(one.values, halves=np.full(5, np.nan))
    with pytest.raises(InvalidInputError, match="at least 2 splits in common, got 0"):
        compare_replication(one, replace(one, values=nothing))


def test_studies_compare_all_pairs_of_their_selectors():
    X, y = data()
    study = hf.Study(
        ["t_score", "random_score", "relieff"], protocol=hf.Subsampling(10, 0.9), sizes=[3, 5],
        classifiers=(), replication=12,
    )  # fmt: skip
    result = study.run(X, y, n_jobs=1)
    table = result.compare_replication()
    assert table[["selector_a", "selector_b"]].to_numpy().tolist() == [
        ["t_score", "random_score"], ["t_score", "relieff"], ["random_score", "relieff"],
    ]  # fmt: skip
    row = table.iloc[0]
    one, two = (result.replicated(name, 5) for name in ("t_score", "random_score"))
    direct = compare_replication(one, two)
    assert (row["difference"], row["p_value"]) == (direct.difference, direct.p_value)
    assert row["size"] == "5"
    assert table["p_corrected"].tolist() == hf.judge.holm(table["p_value"]).tolist()
    plain = result.compare_replication(3, correction=None)
    assert plain["p_corrected"].tolist() == plain["p_value"].tolist()
    assert set(plain["size"]) == {"3"}


def test_studies_without_halves_have_nothing_to_compare():
    X, y = data()
    study = hf.Study("t_score", protocol=hf.Subsampling(5, 0.9), sizes=[3], classifiers=(),
                     replication=0)  # fmt: skip
    with pytest.raises(InvalidInputError, match="no replication stability"):
        study.run(X, y, n_jobs=1).compare_replication()
