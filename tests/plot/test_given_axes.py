"""Pictures on axes that were given: all of each stays in the space that these had."""

import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

from holdfast import plot
from holdfast.plot._canvas import find_available_box
from tests.plot.tables import DRAW, matrix, nasty, plane_table

KINDS = list(DRAW)
NAMES = ["f_score", "symmetrical_uncertainty of a long name", "relieff", "svm_rfe", "random_score"]


def drawn(ax):
    """Return what axes and all that belongs to them cover, in pixels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font lacks
        return ax.get_tightbbox()


def overlap(one, other):
    """Return by how many pixels two boxes overlap, in the direction where it is least."""
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    return min(wide, min(one.y1, other.y1) - max(one.y0, other.y0))


@pytest.mark.slow
@pytest.mark.parametrize(("layout", "size"), [(None, (6.4, 4.8)), ("constrained", (13, 8))])
def test_pictures_in_a_grid_keep_to_themselves(layout, size):
    figure = Figure(figsize=size, layout=layout)
    # nine in each grid: the second one has the last kinds
    kinds = KINDS[:9] if layout is None else KINDS[-9:]
    assert set(KINDS) == {*KINDS[:9], *KINDS[-9:]}
    grid = list(figure.subplots(3, 3).flat)
    for ax, kind in zip(grid, kinds, strict=True):
        DRAW[kind](NAMES, ax=ax)
    figure.draw_without_rendering()
    boxes = [drawn(ax) for ax in grid]
    for i, box in enumerate(boxes):
        assert overlap(box, figure.bbox) > 20
        reach = (box.extents - figure.bbox.extents) * [-1, -1, 1, 1]
        assert reach.max() < 1, kinds[i]
        for j in range(i):
            assert overlap(box, boxes[j]) < 1.5, (kinds[i], kinds[j])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_axes_that_were_placed_by_hand_stay_in_their_place(kind):
    figure = Figure(figsize=(8, 6))
    ax = figure.add_axes((0.3, 0.2, 0.5, 0.6))
    before = ax.get_window_extent().frozen()
    DRAW[kind](nasty(7), ax=ax)
    after = drawn(ax)
    reach = (after.extents - before.extents) * [-1, -1, 1, 1]
    assert reach.max() < 1
    assert ax.get_window_extent().width > 0.2 * before.width


@pytest.mark.slow
def test_forty_selectors_fit_into_half_a_page():
    figure = Figure(figsize=(9, 5))
    left, right = figure.subplots(1, 2)
    names = [f"selector number {i}" for i in range(40)]
    cells = [figure.transFigure.transform_bbox(find_available_box(ax)) for ax in (left, right)]
    plot.similarity(matrix(names), ax=left)
    plot.plane(plane_table(names), ax=right)
    for ax, cell in zip((left, right), cells, strict=True):
        assert ((drawn(ax).extents - cell.extents) * [-1, -1, 1, 1]).max() < 1


def test_the_space_of_a_subplot_reaches_to_the_middle_of_the_gaps():
    figure = Figure()
    grid = figure.subplots(2, 3)
    cells = np.array([[find_available_box(ax).extents for ax in row] for row in grid])
    assert np.all(cells[:, 1:, 0] > cells[:, :-1, 2])  # next begins after this ends
    assert np.all(cells[:, 1:, 0] - cells[:, :-1, 2] < 0.02)
    assert np.all(cells[0, :, 1] > cells[1, :, 3])
    assert cells.min() > 0
    assert cells.max() < 1


def test_other_subplots_of_a_constrained_layout_are_left_to_it():
    figure = Figure(figsize=(8, 4), layout="constrained")
    other, given = figure.subplots(1, 2)
    other.plot([0, 1], [0, 1e6])
    other.set_ylabel("a label\nof two lines")
    DRAW["profiles"](NAMES, ax=given)
    figure.draw_without_rendering()
    assert other.get_in_layout()
    assert overlap(drawn(other), drawn(given)) < 1.5


def test_labels_of_axes_are_broken_into_lines_but_keep_their_words():
    whole = DRAW["rank_ranges"](NAMES).ax.get_xlabel()
    ax = Figure(figsize=(6, 4)).subplots(1, 2)[0]
    wrapped = DRAW["rank_ranges"](NAMES, ax=ax).ax.get_xlabel()
    assert wrapped.count("\n") > whole.count("\n")
    assert wrapped.split() == whole.split()
