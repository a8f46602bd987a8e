"""The chances of features: rows, lower bounds, grades by colour and shape, and the chance level."""

from __future__ import annotations

import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.plot._features import GRADE_STYLES

TABLE = pd.DataFrame(
    {
        "feature": ["b", "a", "c", "d", "e"],
        "selected": [True, True, True, True, False],
        "found_again": [0.75, 0.95, 0.5, 0.1, 0.6],
        "low": [0.5, 0.8, 0.2, 0.05, 0.1],
        "grade": ["likely", "very likely", "uncertain", "unlikely", "uncertain"],
    }
)


def test_selected_features_are_rows_with_the_highest_chance_on_top():
    picture = hf.plot.found_again(TABLE, chance_level=0.02)
    assert picture.numbers["feature"].tolist() == ["a", "b", "c", "d"]
    names = [label.get_text() for label in picture.ax.get_yticklabels()]
    assert names == ["a", "b", "c", "d"]
    lower, upper = picture.ax.get_ylim()
    assert lower > upper


def test_dots_lines_and_chance_level_are_where_the_numbers_are():
    picture = hf.plot.found_again(TABLE, chance_level=0.02)
    lines = sorted(
        tuple(map(float, segment[:, 0]))
        for part in picture.ax.collections
        if hasattr(part, "get_segments")
        for segment in part.get_segments()
    )
    assert lines == [(0.05, 0.1), (0.2, 0.5), (0.5, 0.75), (0.8, 0.95)]
    assert list(picture.ax.lines[0].get_xdata()) == [0.02, 0.02]
    texts = [text.get_text() for text in picture.ax.texts]
    assert texts == ["0.95", "0.75", "0.50", "0.10"]


def test_colour_and_shape_each_tell_grades_apart():
    assert len({style.colour for style in GRADE_STYLES.values()}) == len(GRADE_STYLES)
    assert len({style.marker for style in GRADE_STYLES.values()}) == len(GRADE_STYLES)
    legend = hf.plot.found_again(TABLE).ax.get_legend()
    told = [text.get_text() for text in legend.get_texts()]
    assert told == [f"{grade} ({style.range})" for grade, style in GRADE_STYLES.items()]


def test_features_left_out_are_counted():
    picture = hf.plot.found_again(TABLE, most=1)
    assert len(picture.numbers) == 1
    assert "3 more features have lower chances" in picture.ax.get_xlabel()
    assert "1 more feature has a lower chance" in hf.plot.found_again(TABLE, most=3).ax.get_xlabel()


def test_the_description_counts_the_grades():
    told = hf.plot.found_again(TABLE).description
    assert "1 very likely, 1 likely, 1 uncertain, 1 unlikely" in told


def test_without_features_the_picture_says_so():
    assert "no feature is selected" in hf.plot.found_again(TABLE.iloc[4:]).description
    with pytest.raises(InvalidInputError, match="missing: grade"):
        hf.plot.found_again(TABLE.drop(columns="grade"))
