"""Values against published ones: points, the line of equal values, gaps, kinds."""

import numpy as np
import pandas as pd
import pytest

from holdfast.errors import InvalidInputError
from holdfast.plot import published_values
from tests.plot.tables import texts

TABLE = pd.DataFrame(
    {
        "published": [0.2, 0.5, np.nan, 0.8],
        "value": [0.4, 0.5, 0.6, 0.5],
        "kind": ["one", "two", "two", "one"],
    }
)


def test_points_are_published_and_our_values_by_kind():
    picture = published_values(TABLE)
    equal, *points = picture.ax.get_lines()[:3]
    assert list(equal.get_xdata()) == list(equal.get_ydata())
    assert [line.get_xydata().tolist() for line in points] == [
        [[0.2, 0.4], [0.8, 0.5]],
        [[0.5, 0.5]],
    ]
    assert picture.numbers["difference"].tolist() == pytest.approx([0.2, 0, -0.3])
    assert {"one", "two", "published value", "our value"} <= set(texts(picture))


def test_both_axes_have_the_same_range():
    ax = published_values(TABLE).ax
    assert ax.get_xlim() == ax.get_ylim()
    low, high = ax.get_xlim()
    assert low < 0.2
    assert high > 0.8


def test_the_description_counts_points_on_both_sides():
    expected = "3 values against the published ones. Above: 1, below: 1; mean absolute difference"
    assert published_values(TABLE).description == f"{expected} 0.17."
    alone = published_values(TABLE.drop(columns="kind").head(1))
    assert alone.description.startswith("1 value against")


def test_without_published_values_the_picture_says_so():
    assert "no value was published" in texts(published_values(TABLE.iloc[2:3]))


def test_columns_are_needed():
    with pytest.raises(InvalidInputError, match="published_values needs a table"):
        published_values(TABLE[["value"]])
