"""The table of frequencies, against loops, scipy's intervals and numpy's quantiles."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from holdfast.resample import Resample
from holdfast.study._result import Result
from holdfast.study._storage._store import to_integers
from holdfast.study._tables._frequencies import rank_quantiles, wilson
from tests.study.stores import Made, folds, full, subsamples


def naive(made, store, selector, size, numbers):
    """Count, rank and sort with loops and dictionaries."""
    rows = {
        number: to_integers(data).tolist()
        for number, data in store.query(
            "SELECT resample, data FROM preferences WHERE selector = ? AND form = 'top'",
            (selector,),
        )
        if number in numbers
    }
    lines = []
    for feature in range(made.p):
        offered = [
            i
            for i in rows
            if made.resamples[i].features is None or feature in made.resamples[i].features
        ]
        count = sum(feature in rows[i][:size] for i in offered)
        if count == 0:
            continue
        ranks = [rows[i].index(feature) + 1 if feature in rows[i] else np.inf for i in offered]
        quantiles = np.quantile(ranks, [0.05, 0.5, 0.95], method="inverted_cdf")
        interval = binomtest(count, len(offered)).proportion_ci(method="wilson")
        shown = [None if np.isinf(one) else int(one) for one in quantiles]
        lines.append((feature, count, len(offered), interval.low, interval.high, *shown))
    return sorted(lines, key=lambda line: (-line[1] / line[2], line[0]))


def check(made, store, numbers):
    table = Result(store).frequencies
    expected = []
    for selector, name in enumerate(made.selectors):
        for size in made.sizes:
            for line in naive(made, store, selector, size, numbers):
                feature, count, n, low, high, *ranks = line
                way = None if feature == 0 else made.labels[feature % len(made.labels)]
                frequency = count / n
                expected.append(
                    (made.names[feature], name, size, frequency, count, n, low, high, *ranks, way)
                )
    frame = pd.DataFrame(expected, columns=table.columns)
    pd.testing.assert_frame_equal(table, frame.astype(table.dtypes))


def test_frequencies_agree_with_loops():
    made = Made(resamples=subsamples(30, 25))
    check(made, full(made, failed=[(0, 3)], skip=[(1, 4)]), range(25))


def test_inner_resamples_are_pooled_and_outer_ones_and_the_reference_left_out():
    parts = folds(30, 3, role="outer")
    inner = [dataclasses.replace(one, role="inner") for one in parts for _ in range(4)]
    everything = Resample(np.arange(30), np.arange(0), role="reference")
    made = Made(resamples=[*parts, *inner, everything])
    check(made, full(made), range(3, 15))


def test_features_count_where_they_were_offered():
    rng = np.random.default_rng(0)
    parts = [
        dataclasses.replace(one, features=np.sort(rng.choice(12, 8, replace=False)))
        for one in subsamples(30, 15)
    ]
    made = Made(resamples=[*parts, *subsamples(30, 3)])
    check(made, full(made), range(18))


def test_own_sizes_have_no_ranks():
    made = Made(resamples=subsamples(30, 10), own=("two",))
    table = Result(full(made)).frequencies
    own = table[table["selector"] == "two"]
    assert set(own["size"]) == {"own"}
    assert own[["rank_low", "rank_median", "rank_high"]].isna().all(axis=None)
    assert (own["count"] >= 1).all()
    assert own["frequency"].is_monotonic_decreasing


def test_nothing_done_gives_an_empty_table():
    table = Result(Made(resamples=subsamples(30, 5)).store()).frequencies
    assert table.empty
    assert "rank_median" in table


def test_the_table_says_what_its_intervals_cover():
    table = Result(full(Made(resamples=subsamples(30, 5)))).frequencies
    assert "in resamples of these data" in table.attrs["interval"]
    drawn = [Resample(np.arange(20), np.arange(15), draw=i) for i in range(3)]
    assert "new data sets" in Result(full(Made(resamples=drawn))).frequencies.attrs["interval"]


@given(st.integers(1, 300), st.data())
def test_wilson_agrees_with_scipy(n, data):
    count = data.draw(st.integers(0, n))
    expected = binomtest(count, n).proportion_ci(method="wilson")
    low, high = wilson(np.array([count]), np.array([n]))
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 6))
def test_quantiles_of_ranks_are_ranks_that_occurred(seed, m, top):
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(8)[:top].astype(np.int32) for _ in range(m)]
    features = np.unique(np.concatenate(rows))
    found = rank_quantiles(rows, features, np.full(len(features), m))
    for column, feature in enumerate(features):
        ranks = [np.flatnonzero(row == feature) for row in rows]
        ranks = [one[0] + 1.0 if len(one) else np.inf for one in ranks]
        expected = np.quantile(ranks, [0.05, 0.5, 0.95], method="inverted_cdf")
        expected[np.isinf(expected)] = np.nan
        assert found[:, column] == pytest.approx(expected, nan_ok=True)
