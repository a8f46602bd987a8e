"""Frequencies and rank ranges: order, how many, intervals, open ends."""

import numpy as np
import pandas as pd

from holdfast.plot import frequencies, rank_ranges
from tests.plot.tables import frequency_table, texts


def shown(picture):
    return [label.get_text() for label in picture.ax.get_yticklabels()]


def test_the_most_frequent_feature_is_on_top():
    table = pd.DataFrame({"feature": ["a", "b", "c"], "frequency": [0.2, 0.9, 0.9]})
    picture = frequencies(table)
    assert shown(picture) == ["b", "c", "a"]
    assert picture.ax.get_ylim() == (2.6, -0.6)
    (dots, _) = picture.ax.collections[1:]
    assert dots.get_offsets().tolist() == [[0.9, 0], [0.9, 1], [0.2, 2]]


def test_intervals_are_lines_from_low_to_high():
    table = frequency_table(["a", "b"])
    segments = frequencies(table).ax.collections[0].get_segments()
    assert [(s[0][0], s[1][0]) for s in segments] == list(
        zip(table["low"], table["high"], strict=True)
    )


def test_of_many_features_some_are_left_out_and_counted():
    picture = frequencies(frequency_table([f"g{i}" for i in range(100)]), most=12)
    assert len(picture.numbers) == 12
    assert "not shown: 88 features, selected in 89.1% or less" in picture.ax.get_xlabel()
    assert "not shown" not in frequencies(frequency_table(["a"])).ax.get_xlabel()


def test_the_height_grows_with_the_rows():
    heights = [
        frequencies(frequency_table([f"g{i}" for i in range(n)])).figure.get_figheight()
        for n in (1, 10, 30)
    ]
    assert heights == sorted(heights)
    assert heights[2] > 2 * heights[1] - heights[0] > heights[0]


def test_the_truth_is_reported_by_colour_and_shape():
    table = frequency_table(["a", "b", "c"]).assign(informative=[True, False, True])
    picture = frequencies(table)
    circles, diamonds = picture.ax.collections[1:]
    assert (len(circles.get_offsets()), len(diamonds.get_offsets())) == (2, 1)
    assert not np.array_equal(circles.get_facecolor()[0], diamonds.get_facecolor()[0])
    assert {"truly informative", "not informative"} <= set(texts(picture))


def test_the_full_name_is_kept_in_the_numbers():
    name = "gene " * 40
    picture = frequencies(frequency_table([name]))
    assert picture.numbers["feature"].tolist() == [name]
    assert name.strip() not in texts(picture)


def test_shortened_names_keep_what_says_them_apart():
    names = ["a" * 50 + str(i) + "b" * 50 for i in range(3)]
    found = shown(frequencies(frequency_table(names)))
    assert len(set(found)) == 3
    assert [name.strip("ab…") for name in found] == ["0", "1", "2"]


def test_ranks_are_ordered_by_their_median_and_open_ends_are_arrows():
    table = pd.DataFrame(
        {
            "feature": ["a", "b", "c", "never"],
            "rank_low": [2, 1, 3, None],
            "rank_median": [4, 1, None, None],
            "rank_high": [6, 2, None, None],
        }
    )
    picture = rank_ranges(table)
    assert shown(picture) == ["b", "a", "c"]
    assert picture.numbers["open"].tolist() == [False, False, True]
    arrows = [line for line in picture.ax.get_lines() if line.get_marker() == ">"]
    assert len(arrows) == 1
    assert arrows[0].get_ydata()[0] == 2
    assert arrows[0].get_xdata()[0] > 6
    assert "arrow: beyond the last stored rank" in picture.ax.get_xlabel()


def test_ranks_over_orders_of_magnitude_are_spread_by_logarithms():
    table = frequency_table(["a", "b"]).assign(rank_high=[10, 2000])
    picture = rank_ranges(table)
    assert picture.ax.get_xscale() == "log"
    assert "1" in texts(picture)


def test_ranks_start_at_one():
    assert rank_ranges(frequency_table(["a", "b", "c"])).ax.get_xticks()[0] == 1
