"""The picture of replication stability."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from holdfast.errors import InvalidInputError
from holdfast.plot import COLOURS, replication
from tests.plot.tables import overhang, texts


def curve(predicted=True):
    table = pd.DataFrame(
        {
            "n_samples": [20, 30, 40, 80, 160, 320],
            "value": [0.1, 0.2, 0.3, 0.5, 0.6, 0.7],
            "low": [0.0, 0.1, 0.2, 0.3, 0.3, 0.3],
            "high": [0.2, 0.3, 0.4, 0.6, 0.8, 0.9],
            "kind": ["estimated"] * 3 + ["predicted"] * 3,
        }
    )
    return table if predicted else table.head(3)


def test_points_are_estimates_and_the_dashed_line_goes_on():
    picture = replication(curve(), measure="nogueira")
    lines = [line for line in picture.ax.lines if line.get_transform() == picture.ax.transData]
    points, ahead = lines[:2]
    assert points.get_xdata().tolist() == [20, 30, 40]
    assert ahead.get_xdata().tolist() == [40, 80, 160, 320]
    assert ahead.get_ydata().tolist() == [0.3, 0.5, 0.6, 0.7]
    assert points.get_color() == COLOURS["blue"]
    assert picture.ax.get_xscale() == "log"
    words = texts(picture)
    assert {"estimated", "predicted", "nogueira", "20", "40", "320"} <= set(words)
    assert picture.description == (
        "Replication stability of 0.30 (0.20 to 0.40), estimated for studies of 40; 0.70 (0.30 to "
        "0.90), predicted for studies of 320."
    )
    assert overhang(picture) < 0.02


def test_there_may_be_no_prediction_or_nothing_at_all():
    alone = replication(curve(predicted=False))
    assert "predicted" not in texts(alone)
    assert alone.description.endswith("estimated for studies of 40.")
    nothing = replication(curve().assign(value=np.nan))
    assert nothing.description == "Nothing to show: no replication stability is known."


@pytest.mark.parametrize("style", ["light", "dark"])
def test_it_is_drawn_where_it_is_reported(style):
    figure = Figure()
    axes = figure.subplots(1, 2)
    picture = replication(curve(), ax=axes[1], style=style)
    assert picture.figure is figure
    assert picture.ax is axes[1]


def test_tables_that_lack_columns_are_refused():
    with pytest.raises(InvalidInputError, match="missing: kind"):
        replication(curve().drop(columns="kind"))
