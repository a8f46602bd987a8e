"""Stability paths as pictures."""

import re

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.plot import COLOURS, DARK, stability_path
from tests.plot.tables import NASTY, nasty, overhang, texts


def table(names, steps=(1, 2, 3), selected=2):
    """Return a path whose features end at falling shares, the first of them selected."""
    ends = np.linspace(1, 0.1, len(names))
    return pd.DataFrame(
        [
            (name, step, end * (place + 1) / len(steps), position < selected)
            for position, (name, end) in enumerate(zip(names, ends, strict=True))
            for place, step in enumerate(steps)
        ],
        columns=["feature", "step", "probability", "selected"],
    )


def test_selected_features_are_coloured_and_named_and_others_grey():
    picture = stability_path(table(["a", "b", "c", "d"]), threshold=0.65)
    drawn = [line for line in picture.ax.lines if line.get_transform() == picture.ax.transData]
    grey, first, second = drawn
    assert grey.get_color() == COLOURS["slate"]
    assert np.isnan(grey.get_ydata()).sum() == 2
    assert first.get_color() != second.get_color() != grey.get_color()
    assert first.get_ydata().tolist() == pytest.approx([1 / 3, 2 / 3, 1])
    words = texts(picture)
    assert {"a", "b", "threshold, 65%", "number of selected features"} <= set(words)
    assert not {"c", "d"} & set(words)
    assert picture.description == (
        "Selection probabilities of 4 features by number of selected features, from 1 to 3. "
        "2 selected in at least 65% of the subsamples: a, b."
    )
    assert len(picture.numbers) == 12


def test_penalties_fall_from_left_to_right():
    for steps in ((0.9, 0.5, 0.2), (1.0, 0.1, 0.01)):
        picture = stability_path(table(["a", "b"], steps), axis="relative penalty")
        left, right = picture.ax.get_xlim()
        assert left > steps[0] > steps[-1] > right
        assert "relative penalty" in texts(picture)
        assert "from" in picture.description
    assert {"1", "0.1", "0.01"} <= set(texts(picture))  # no powers in mathematical type


@pytest.mark.parametrize("style", ["light", "dark"])
def test_paths_of_selectors_are_drawn_as_they_are(style):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = pd.DataFrame(rng.normal(size=(40, 6)) + 2 * np.outer(y, [1, 0, 0, 0, 0, 0]))
    X.columns = [f"gene_{i}" for i in range(6)]
    fitted = hf.StabilitySelection("t_score", n_pairs=5).fit(X, y)
    picture = stability_path(fitted.stability_path_, style=style)
    assert "gene_0" in texts(picture)
    assert "threshold, 75%" in texts(picture)
    pd.testing.assert_frame_equal(picture.numbers, fitted.stability_path_.to_frame())
    used = set(re.findall(r"(?:fill|stroke):(#[0-9a-f]{6})", picture.svg(background=True)))
    assert used <= set((COLOURS if style == "light" else DARK).values())


def test_paths_along_a_penalty_bring_their_axis_and_threshold():
    path = hf.select.StabilityPath(
        axis="relative penalty",
        steps=np.array([0.9, 0.5]),
        features=("a", "b"),
        probabilities=np.array([[0.5, 0.0], [1.0, 0.2]]),
        threshold=0.8,
        selected=np.array([True, False]),
    )
    picture = stability_path(path)
    assert {"relative penalty", "threshold, 80%", "a"} <= set(texts(picture))
    assert picture.ax.xaxis_inverted()


def test_names_are_literal_and_stay_inside():
    picture = stability_path(table(nasty(len(NASTY)), selected=len(NASTY)), threshold=0.6)
    words = " ".join(texts(picture))
    for name in ("$x_1^2$", "_hidden", "=cmd()", "\\alpha {"):
        assert name in words
    assert "<script" not in picture.svg()
    assert overhang(stability_path(table([f"feature {i}" for i in range(40)], selected=40))) < 0.02


def test_many_features_are_thinned_and_the_rest_is_reported():
    names = [f"f{i}" for i in range(500)]
    picture = stability_path(table(names, steps=np.linspace(1, 0.1, 99), selected=30))
    words = " ".join(texts(picture))
    assert "not named: 10 selected features" in words
    assert "not shown: 410 features of lower probability" in words
    assert len(picture.svg()) < 150_000
    assert len(picture.numbers) == 500 * 99


def test_few_steps_and_few_features():
    single = stability_path(table(["a", "b"], steps=(1,), selected=1))
    assert "a" in texts(single)
    none = stability_path(table(["a", "b"], selected=0), threshold=0.9)
    assert none.description.endswith("None is selected in at least 90% of the subsamples.")
    empty = stability_path(table([]))
    assert "no feature was selected on any subsample" in " ".join(texts(empty))
    with pytest.raises(InvalidInputError, match="missing: probability"):
        stability_path(table(["a"]).drop(columns="probability"))


def test_a_fitted_selector_shows_its_path():
    X, y = np.random.default_rng(0).normal(size=(40, 6)), np.arange(40) % 2
    fitted = hf.StabilitySelection("t_score", n_pairs=5, q=2, pfer=None).fit(X, y)
    shown = stability_path(fitted).numbers
    pd.testing.assert_frame_equal(shown, stability_path(fitted.stability_path_).numbers)
