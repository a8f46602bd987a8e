"""Pictures on their way into a page: what is refused, what is changed, what stays."""

from __future__ import annotations

import re

import pytest

from holdfast.errors import InvalidInputError
from holdfast.plot import COLOURS, DARK
from holdfast.report._page_engine import colour_rules, embed_svg
from tests.report.sample_report import picture

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{}</svg>'


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        "<foreignObject><p>x</p></foreignObject>",
        '<path onload="alert(1)"/>',
        '<path ONCLICK="alert(1)"/>',
        '<a href="#x"><path d="M 0 0"/></a>',
        '<use xlink:href="https://example.org/a.svg#b"/>',
        '<use href="javascript:alert(1)"/>',
        '<image href="https://example.org/a.png"/>',
        '<image href="data:image/svg+xml;base64,AAAA"/>',
        '<path style="fill: url(https://example.org/a)"/>',
        '<path style="fill: URL( //example.org/a)"/>',
        '<set attributeName="href" to="javascript:alert(1)"/>',
        '<p xmlns="http://www.w3.org/1999/xhtml">x</p>',
    ],
)
def test_a_picture_that_could_act_or_load_is_refused(inside):
    with pytest.raises(InvalidInputError, match="picture 'p1' contains"):
        embed_svg(SVG.format(inside), "p1", "alt")


@pytest.mark.parametrize("text", ["no picture", "<p>x</p>", "<svg>no namespace</svg>"])
def test_what_is_no_picture_is_refused(text):
    with pytest.raises(InvalidInputError, match="picture 'p1': expected"):
        embed_svg(text, "p1", "alt")


def test_pictures_of_one_page_share_no_identifiers():
    one, other = (embed_svg(picture("a"), name, "alt") for name in ("p1", "p2"))
    found = [set(re.findall(r'id="([^"]+)"', svg)) for svg in (one, other)]
    assert found == [{"p1-m1", "p1-p1"}, {"p2-m1", "p2-p1"}]
    assert 'href="#p1-m1"' in one
    assert "url(#p1-p1)" in one


def test_text_in_a_picture_stays_as_it_is():
    label = 'id="m1" #0072b2 <b>'
    assert 'id="m1" #0072b2 &lt;b&gt;</text>' in embed_svg(picture(label), "p1", "alt")


def test_colours_of_the_palette_become_variables_and_others_stay():
    inside = '<path style="fill: #0072B2; stroke: #123456"/>'
    assert 'style="fill: var(--hf-blue); stroke: #123456"' in embed_svg(
        SVG.format(inside), "p1", "alt"
    )


def test_every_colour_of_the_palette_has_a_light_and_a_dark_value():
    light, dark = colour_rules().split("@media")
    for name in COLOURS:
        assert f"--hf-{name}:{COLOURS[name]}" in light
        assert f"--hf-{name}:{DARK[name]}" in dark
