"""The piece of a page that a notebook shows."""

from __future__ import annotations

import re

from holdfast.report._rendering import to_html
from tests.report.page_queries import FEATURES
from tests.report.sample_report import sample


def test_a_fragment_is_a_frame_that_neither_gives_nor_takes_style(opened):
    inner = to_html(sample(), fragment=True)
    style = "<style>* { color: red; display: block }</style>"
    host = f"<!DOCTYPE html><title>notebook</title>{style}{inner}<p id=mine>x"
    found = opened(host)
    frame = found.page.frame_locator("iframe")
    frame.get_by_role("button", name="In resamples").click()
    assert frame.locator("#feature-table [aria-sort]").count() == 1
    assert frame.locator("h1").evaluate("e => getComputedStyle(e).color") != "rgb(255, 0, 0)"
    assert (
        found.page.locator("#mine").evaluate("e => getComputedStyle(e).color") == "rgb(255, 0, 0)"
    )
    assert found.page.locator(".holdfast-plain").is_hidden()
    assert found.complaints == []
    assert [url for url in found.requests if url != "about:srcdoc"] == [found.address]


def test_a_fragment_put_in_by_a_script_shows_and_stays_inside_its_frame(opened):
    found = opened("<!DOCTYPE html><title>notebook</title><div id=output></div>")
    found.page.evaluate(
        "html => document.getElementById('output').innerHTML = html",
        to_html(sample(), fragment=True),
    )
    frame = found.page.frame_locator("iframe")
    assert frame.locator(FEATURES).first.is_visible()
    before = list(found.requests)
    for term in frame.locator(".term").all()[:3]:
        term.click()
        assert term.locator("+ .tip").is_visible()
    found.page.wait_for_timeout(200)
    assert frame.locator("main a").count() == 0
    assert found.requests == before
    assert found.page.url == found.address
    assert frame.locator(FEATURES).first.is_visible()


def test_without_frames_the_sentences_of_a_fragment_remain(opened):
    stripped = re.sub(r"(?s)<iframe.*?</iframe>", "", to_html(sample(), fragment=True))
    page = opened(stripped).page
    assert page.get_by_text("A second study of 62 samples").is_visible()
