"""Ours beside theirs: pairs, means over the same data sets, agreement."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from holdfast.papers._comparison import MEAN, OVERALL, agreement, compare_with_published
from holdfast.papers._record import Experiment


def record(**given):
    usual = {"name": "t", "label": "T", "title": "t", "make": None, "size": ("", "")}
    return Experiment(**{**usual, "keys": ("data", "measure"), **given})


def frame(rows, columns=("data", "measure", "value")):
    return pd.DataFrame(rows, columns=list(columns))


OURS = frame(
    [("a", "x", 1.0), ("a", "y", 10.0), ("b", "x", 2.0), ("b", "y", np.nan), ("c", "x", 9.0)]
).assign(setting="main")
THEIRS = frame([("a", "x", 1.5), ("a", "y", 14.0), ("b", "x", 1.0), ("b", "y", 3.0)])


def test_numbers_are_paired_by_their_keys():
    table = compare_with_published(OURS, THEIRS, record())
    assert table["published"].tolist()[:4] == [1.5, 14.0, 1.0, 3.0]
    assert np.isnan(table["published"].iloc[4])
    assert table["difference"].tolist()[:3] == [-0.5, -4.0, 1.0]
    assert table["difference"].isna().tolist() == [False, False, False, True, True]


def test_means_are_over_the_same_data_sets_on_both_sides():
    table = compare_with_published(OURS, THEIRS, record(mean_over="data"))
    means = table[table["data"] == MEAN].set_index("measure")
    assert means.loc["x", ["value", "published"]].tolist() == [1.5, 1.25]  # c has no counterpart
    assert "y" not in means.index  # b has none of ours, and one number has no mean


def test_one_data_set_has_no_mean():
    table = compare_with_published(OURS[OURS["data"] == "a"], THEIRS, record(mean_over="data"))
    assert MEAN not in set(table["data"])


def test_without_published_numbers_ours_stand_alone():
    nothing = pd.DataFrame(columns=["value"])
    table = compare_with_published(OURS, nothing, record(mean_over="data"))
    assert table["published"].isna().all()
    assert agreement(table, record()) == []
    assert table.query("data == @MEAN and measure == 'x'")["value"].tolist() == [4.0]


def test_agreement_is_that_of_the_pairs():
    rng = np.random.default_rng(0)
    ours, theirs = rng.random((2, 20))
    keys = [(f"d{i}", "x") for i in range(20)]
    table = compare_with_published(
        frame([(*key, one) for key, one in zip(keys, ours, strict=True)]).assign(setting="s"),
        frame([(*key, one) for key, one in zip(keys, theirs, strict=True)]),
        record(mean_over="data"),
    )
    (row,) = agreement(table, record(mean_over="data"))
    assert row["n"] == 20  # the mean is no pair of its own
    assert row["mean_absolute_difference"] == pytest.approx(np.mean(np.abs(ours - theirs)))
    assert row["rank_correlation"] == pytest.approx(spearmanr(ours, theirs).statistic)


def test_parts_are_not_pooled_and_their_average_is_free_of_scale():
    table = compare_with_published(OURS, THEIRS, record())
    x, y, overall = agreement(table, record(part="measure"))
    assert (x["part"], x["n"], x["mean_absolute_difference"]) == ("x", 2, 0.75)
    assert (y["part"], y["n"], y["rank_correlation"]) == ("y", 1, None)
    assert (overall["part"], overall["n"]) == (OVERALL, 3)
    assert overall["mean_absolute_difference"] == pytest.approx(0.75 / 0.5)  # y has no range
    assert overall["rank_correlation"] == pytest.approx(-1.0)


def test_settings_are_held_apart():
    both = pd.concat([OURS, OURS.assign(setting="other", value=OURS["value"] + 1)])
    rows = agreement(compare_with_published(both, THEIRS, record()), record())
    assert [row["setting"] for row in rows] == ["main", "other"]
    assert rows[0]["mean_absolute_difference"] == pytest.approx(5.5 / 3)
    assert rows[1]["mean_absolute_difference"] == pytest.approx(5.5 / 3)  # 0.5, 3, 2
