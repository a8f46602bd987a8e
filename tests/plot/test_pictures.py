"""What holds for all pictures: names, sizes, styles, places, and what they leave untouched."""

import re
import subprocess
import sys
import warnings

import matplotlib as mpl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from holdfast import plot
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.plot import COLOURS, DARK
from tests.plot.tables import DRAW, NASTY, all_pictures, nasty, overhang, texts

KINDS = list(DRAW)


@pytest.fixture(scope="module")
def troubled():
    return all_pictures(nasty(len(NASTY)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_names_are_literal_and_long_ones_lose_their_middle(troubled, kind):
    words = " ".join(texts(troubled[kind]))
    if kind == "truth":  # names none
        return
    assert "$x_1^2$" in words
    assert "_hidden" in words
    assert "=cmd()" in words
    assert "\\alpha {" in words
    assert "x" * 40 not in words
    assert "xxx…xxx" in words
    assert "<script>" in words or "<scrip…" in words or "…/script>" in words
    assert "<script" not in troubled[kind].svg()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_reaches_over_the_edges(troubled, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font lacks, measured by this test
        assert overhang(troubled[kind]) < 0.02


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_say_in_words_what_is_seen(troubled, kind):
    picture = troubled[kind]
    assert picture.title
    assert picture.description.endswith(".")
    assert 20 < len(picture.description) < 600
    assert picture.ax is picture.axes[0]
    assert isinstance(picture.numbers, pd.DataFrame)
    assert "Next: .save(" in repr(picture)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 40])
def test_one_and_forty_names_are_drawn_inside_the_figure(count):
    names = [f"selector number {i}" for i in range(count)]
    for kind, picture in all_pictures(names).items():
        assert overhang(picture) < 0.02, kind
        assert len(picture.svg()) < 150_000, kind


@pytest.mark.slow
def test_usual_pictures_are_small():
    for kind, picture in all_pictures([f"selector_{i}" for i in range(5)]).items():
        assert len(picture.svg()) < 40_000, kind


@pytest.mark.slow
@pytest.mark.parametrize("style", ["light", "dark"])
def test_only_the_named_colours_are_used(style):
    wanted = set((COLOURS if style == "light" else DARK).values())
    for kind, picture in all_pictures(nasty(9), style=style).items():
        svg = picture.svg(background=True)
        used = set(re.findall(r"(?:fill|stroke):(#[0-9a-f]{6})", svg))
        assert used <= wanted, kind
        assert len(used) > 2


def test_colours_have_names_of_their_own():
    assert COLOURS.keys() == DARK.keys()
    values = [*COLOURS.values(), *DARK.values()]
    assert len(set(values)) == len(values)
    assert all(value == value.lower() and len(value) == 7 for value in values)


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [COLOURS, DARK], ids=["light", "dark"])
def test_words_and_marks_stand_out_from_the_page(colours):
    for name in ("ink", "muted"):
        assert contrast(colours[name], colours["paper"]) >= 4.5
    for name in set(colours) - {"paper", "rule", "orange", "sky"}:
        assert contrast(colours[name], colours["paper"]) >= 3


def test_images_of_a_light_picture_can_be_seen_on_a_dark_page():
    for name in ("blue", "vermilion"):
        assert contrast(COLOURS[name], DARK["paper"]) >= 3


@pytest.mark.slow
def test_a_place_that_is_given_is_drawn_into():
    figure = Figure(figsize=(8, 5), layout="constrained")
    for kind in KINDS:
        ax = figure.add_subplot(label=kind)
        picture = DRAW[kind](["a", "b", "c"], ax=ax)
        assert picture.figure is figure
        assert picture.ax is ax
        figure.clear()


def test_a_place_that_is_none_is_refused():
    with pytest.raises(InvalidInputError, match="ax must be an Axes of matplotlib"):
        plot.upset({"a": ["x"]}, ax="here")


def test_an_unknown_style_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'dark'"):
        plot.upset({"a": ["x"]}, style="drak")


@pytest.mark.parametrize(
    ("draw", "missing"),
    [
        (plot.profiles, "selector, size, value"),
        (plot.ensemble_sizes, "selector, n_bags, value"),
        (plot.plane, "selector, error, stability"),
        (plot.frequencies, "feature, frequency"),
        (plot.rank_ranges, "feature, rank_low, rank_median, rank_high"),
        (plot.truth, "feature, value, informative"),
    ],
)
def test_missing_columns_are_named(draw, missing):
    with pytest.raises(InvalidInputError, match=f"missing: {missing}"):
        draw(pd.DataFrame({"other": [1]}))


@pytest.mark.parametrize("kind", KINDS[1:])
def test_empty_tables_make_a_picture_that_says_so(kind):
    picture = DRAW[kind]([])
    assert "Nothing to show" in picture.description
    assert len(texts(picture)) == 1
    assert len(picture.numbers) == 0


def test_settings_of_matplotlib_stay_as_they_are():
    before = dict(mpl.rcParams)
    picture = DRAW["plane"](["a", "b"])
    picture.svg()
    assert dict(mpl.rcParams) == before


@pytest.mark.integration
def test_no_figures_are_left_with_pyplot():
    code = (
        "import sys; from holdfast import plot; plot.upset({'a': ['x']}).svg(); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


LETTERS = st.text(st.characters(codec="utf-8"), max_size=30)
VALUES = st.one_of(st.floats(-1, 1), st.just(float("nan")))


@pytest.mark.slow
@settings(max_examples=6)
@given(data=st.data(), count=st.integers(1, 40), style=st.sampled_from(["light", "dark"]))
def test_any_names_sizes_and_gaps_can_be_drawn(data, count, style):
    names = data.draw(st.lists(LETTERS, min_size=count, max_size=count, unique=True))
    sizes = data.draw(st.lists(st.integers(1, 10_000), min_size=1, max_size=5, unique=True))
    rows = [
        (name, size, data.draw(VALUES), *(data.draw(VALUES) for _ in "lh"), 0.0)
        for name in names[:5]
        for size in sizes
    ]
    columns = ["selector", "size", "value", "low", "high", "chance"]
    table = pd.DataFrame(rows, columns=columns)
    other = table.rename(columns={"value": "stability"}).assign(error=table["value"].abs())
    pictures = [
        plot.profiles(table, table[["selector", "size"]], style=style),
        plot.plane(other, style=style),
        plot.frequencies(
            pd.DataFrame({"feature": names, "frequency": 0.5, "low": float("nan")}), style=style
        ),
        plot.upset({name: names[: 3 + i % 4] for i, name in enumerate(names)}, style=style),
    ]
    for picture in pictures:
        assert picture.svg().startswith("<svg")


@pytest.mark.parametrize("setting", ["figure.autolayout", "figure.constrained_layout.use"])
def test_settings_of_the_user_do_not_lay_out_a_picture_again(setting):
    table = pd.DataFrame({"feature": ["TP53", "MYC"], "frequency": [0.9, 0.4]})
    plain = plot.frequencies(table)
    with mpl.rc_context({setting: True}):
        picture = plot.frequencies(table)
        assert picture.figure.get_layout_engine() is None
        assert picture.svg() == plain.svg()
