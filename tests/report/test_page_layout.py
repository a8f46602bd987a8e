"""The page as it looks: narrow and wide, light and dark, on paper, and to a screen reader."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from holdfast.report._rendering import to_html
from tests.report.page_queries import (
    CONTRAST,
    DANGLING,
    NAMELESS,
    SMALLEST,
    STICKING_OUT,
    UNFOLD,
    visible_names,
)
from tests.report.sample_report import sample

NARROW = {"width": 400, "height": 800}
WIDE = {"width": 1600, "height": 1000}
TEXTS = (
    *("h1", ".brand", ".brand span", ".state", "nav a", ".verdict p", ".tip"),
    *(
        ".verdict .next",
        ".certainty",
        ".grade",
        "small",
        "caption",
        "thead button",
        "tbody th",
        ".badge",
        "b.badge",
    ),
    *(".chosen small", ".warnings h3", ".warnings li", "dt", "summary", "footer p", ".note"),
    *("figcaption", ".truth caption", ".truth th", "pre code", ".tools label", "blockquote p"),
)


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["400 px", "1600 px"])
def test_nothing_sticks_out_and_text_is_large_enough(opened, html, viewport):
    page = opened(html, viewport=viewport).page
    page.evaluate(UNFOLD)
    inside = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(inside)
    assert page.evaluate(STICKING_OUT) == []
    assert page.evaluate(SMALLEST) >= 14


def test_lines_of_text_keep_a_readable_length_on_a_wide_screen(opened, html):
    page = opened(html, viewport=WIDE).page
    widths = page.evaluate("[...document.querySelectorAll('main p')].map(p => p.offsetWidth)")
    assert max(width for width in widths) <= 16 * 76
    assert page.evaluate("document.querySelector('#methods p').offsetWidth") <= 16 * 46


@pytest.mark.parametrize("viewport", [NARROW, WIDE], ids=["400 px", "1600 px"])
def test_every_tooltip_is_reached_by_key_and_seen_whole(opened, html, viewport):
    page = opened(html, viewport=viewport).page
    page.evaluate(UNFOLD)
    terms = page.locator(".term")
    assert terms.count() >= 8
    for term in terms.all():
        tip = page.locator("#" + term.get_attribute("aria-describedby"))
        assert tip.is_hidden()
        term.focus()
        box = tip.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= viewport["width"]
        assert box["width"] >= 150
    page.keyboard.press("Escape")
    assert page.locator(".tip:visible").count() == 0


def test_a_hand_with_a_mouse_sees_the_tooltip_too(opened, html):
    page = opened(html).page
    page.locator(".term").first.hover()
    assert page.locator(".tip").first.is_visible()


def test_paper_is_a4_light_and_complete(opened):
    page = opened(to_html(sample(rows=80)), color_scheme="dark").page
    page.locator("details").first.evaluate("part => part.open = false")
    sheet = page.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", sheet)
    assert len(boxes) >= 4
    assert {(round(float(w)), round(float(h))) for w, h in boxes} == {(595, 842)}
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(visible_names(page)) == 80
    assert page.locator("button:visible >> text=/Download|Show|Copy/").count() == 0
    assert page.locator("details table").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(opened, html, scheme):
    page = opened(html, color_scheme=scheme).page
    page.locator(".term").first.focus()
    ratios = {text: page.evaluate(CONTRAST, [text, "color"]) for text in TEXTS}
    assert {text: ratio for text, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_follow_the_colours_of_the_page(opened, html, scheme):
    page = opened(html, color_scheme=scheme).page
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    paper = "getComputedStyle(document.querySelector('figure svg path')).fill"
    assert page.evaluate(paper) == ground
    assert page.evaluate(CONTRAST, ["figure svg text", "fill"]) >= 4.5


def test_what_a_screen_reader_needs_is_there(opened, html):
    page = opened(html).page
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.locator("table").count() == page.locator("table > caption").count()
    assert page.locator("thead th:not([scope=col]), tbody th:not([scope=row])").count() == 0
    assert page.evaluate(NAMELESS) == 0
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert page.get_by_role(landmark).count() == 1
    assert page.evaluate(DANGLING) == []
    assert page.evaluate("document.documentElement.lang") == "en"
