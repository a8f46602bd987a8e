"""What tests look for in a page, and how they take hold of it."""

from __future__ import annotations

import csv
import io

UNFOLD = "document.querySelectorAll('details').forEach(part => { part.open = true; })"
FEATURES = "#feature-table tbody th"
# outside the window, and not inside something that scrolls or is off screen on purpose
STICKING_OUT = """() => [...document.querySelectorAll('body *')].filter(e =>
    !e.closest('.scroll, .skip, [hidden], svg, .tip')
    && e.getBoundingClientRect().right > innerWidth + 1
).map(e => e.outerHTML.slice(0, 80))"""
SMALLEST = """() => Math.min(...[...document.querySelectorAll('body *')].filter(e =>
    !e.closest('svg, script') && e.checkVisibility()
    && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())
).map(e => parseFloat(getComputedStyle(e).fontSize)))"""
# the ratio of the Web Content Accessibility Guidelines; a canvas turns any colour into bytes
CONTRAST = """([selector, own]) => {
  const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = colour => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    return paint.getImageData(0, 0, 1, 1).data;
  };
  const linear = v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = colour => {
    const [r, g, b] = [...rgb(colour)].map(v => linear(v / 255));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const element = document.querySelector(selector);
  let behind = element;
  while (rgb(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const ground = light(getComputedStyle(behind).backgroundColor);
  const text = light(getComputedStyle(element)[own]);
  return (Math.max(ground, text) + .05) / (Math.min(ground, text) + .05);
}"""
DANGLING = """() => [...document.querySelectorAll('[aria-describedby], [aria-labelledby], a[href]')]
  .flatMap(e => [e.getAttribute('aria-describedby'), e.getAttribute('aria-labelledby'),
                 (e.getAttribute('href') || '').slice(1)])
  .filter(id => id && !document.getElementById(id))"""
NAMELESS = """() => [...document.querySelectorAll('figure svg')].filter(
  s => s.getAttribute('role') !== 'img' || !s.getAttribute('aria-label')).length"""


def names(page):
    return page.locator(FEATURES).all_text_contents()


def visible_names(page):
    shown = "cells => cells.filter(c => c.checkVisibility()).map(c => c.textContent)"
    return page.locator(FEATURES).evaluate_all(shown)


def exported(page):
    """Return the exported file, as text and as a table."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download CSV").click()
    assert waiting.value.suggested_filename == "features.csv"
    data = waiting.value.path().read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    text = data.decode("utf-8-sig")
    return text, list(csv.reader(io.StringIO(text, newline="")))
