"""The first screen and the rest: short, seen at once, nothing twice; noise gives nothing."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import numpy as np
import pytest

import holdfast as hf
from holdfast.cli._study_summary import print_summary
from holdfast.report import make_report, to_html, to_json, to_markdown
from tests.report.page_queries import UNFOLD
from tests.report.sample_report import sample

SCREEN = {"width": 1300, "height": 900}
WORDS = """() => [...document.querySelectorAll(
    'header p, h1, h2, h3, main p, main li, caption, th, td, label')].filter(
    e => !e.closest('nav, svg') && e.checkVisibility() &&
         e.getBoundingClientRect().top < innerHeight).map(e => e.textContent).join(' ')"""
MOST_WORDS, MOST_LINES = 60, 25


@cache
def study(signal: bool) -> hf.Result:
    """Return a study of fixed data, with strong effects in 12 of 300 features or without any."""
    rng = np.random.default_rng(19)
    X = rng.standard_normal((80, 300))
    y = np.repeat(["a", "b"], 40)
    if signal:
        X[y == "b", :12] += np.linspace(1.6, 0.5, 12)
    selectors = ["f_score", "t_score", "relieff", "symmetrical_uncertainty", "random_score"]
    plan = hf.Study(
        selectors, protocol=hf.Subsampling(20, 0.9), sizes=[5, 10, 20, 40], classifiers=["knn3"]
    )
    names = tuple(f"g{i}" for i in range(300))
    return plan.run(hf.io.Dataset(X=X, y=y, feature_names=names), n_jobs=1)


@cache
def page(signal: bool) -> str:
    """Return the page of such a study, with pictures."""
    return to_html(make_report(study(signal)))


@pytest.mark.parametrize("signal", [True, False])
def test_the_first_screen_is_short_and_seen_at_once(opened, signal):
    found = opened(page(signal), viewport=SCREEN).page
    words = found.evaluate(WORDS).split()
    assert "study" in words or "Nothing" in words
    assert len(words) <= MOST_WORDS, " ".join(words)
    for part in ("h1", ".next", ".certainty", "figure.first svg"):
        box = found.locator(part).bounding_box()
        assert box["y"] + box["height"] <= SCREEN["height"], part
        assert box["x"] + box["width"] <= SCREEN["width"], part


def test_the_picture_names_the_selected_features_with_their_chances(opened):
    report = make_report(study(signal=True), figures=False)
    texts = opened(page(signal=True)).page.locator("figure.first svg text").all_text_contents()
    for row in [row for row in report["features"]["rows"] if row["selected"]][:18]:
        assert row["feature"] in texts
        assert f"{row['found_again']:.2f}" in texts


def test_evidence_is_folded_and_links_unfold_it(opened):
    found = opened(page(signal=True), viewport=SCREEN).page
    for section in ("replication", "selectors", "evidence"):
        table = found.locator(f"#{section} table, #{section} figure").first
        assert not table.is_visible()
        found.locator(f"nav a[href='#{section}']").click()
        table.wait_for()


def test_without_a_script_a_press_unfolds(opened):
    found = opened(page(signal=True), java_script_enabled=False).page
    found.locator("#selectors summary").first.click()
    assert found.locator("#selectors table").is_visible()


@pytest.mark.parametrize("show", [to_html, to_markdown, to_json])
def test_noise_gives_nothing(show):
    text = show(make_report(study(signal=False), figures=False))
    assert "Nothing here can be expected to be found again." in text
    assert "Candidates without support" in text
    assert not re.search(r"\b(Trust|Use|Act on)\b", text)
    assert "recommended</b>" not in text


@pytest.mark.slow
def test_noise_has_neither_trusted_features_nor_a_recommendation():
    verdict = make_report(study(signal=False), figures=False)["verdict"]
    assert (verdict["grade"], verdict["trusted"]) == ("nothing", [])
    assert (verdict["selector"], verdict["classifier"], verdict["size"]) == (None, None, None)
    signal = make_report(study(signal=True), figures=False)["verdict"]
    assert signal["trusted"]
    assert set(signal["trusted"]) <= {f"g{i}" for i in range(12)}


@pytest.mark.parametrize("signal", [True, False])
def test_no_sentence_stands_twice_on_the_page(opened, signal):
    found = opened(page(signal)).page
    found.evaluate(UNFOLD)
    told = found.evaluate(
        """() => [...document.querySelectorAll('h1, p, main li, figcaption')].map(e => {
        const copy = e.cloneNode(true);
        copy.querySelectorAll('.tip').forEach(tip => tip.remove());
        return copy.textContent; })"""
    )
    sentences = [part.strip() for text in told for part in re.split(r"(?<=[.])\s", text)]
    counts = Counter(one for one in sentences if len(one.split()) > 4)
    assert {one: count for one, count in counts.items() if count > 1} == {}


@pytest.mark.parametrize("signal", [True, False])
def test_prose_has_titles_and_no_units_of_work(opened, signal):
    found = opened(page(signal)).page
    told = found.evaluate(
        """() => [...document.querySelectorAll('h1, h2, h3, p, main li, figcaption')].filter(
        e => !e.closest('blockquote')).map(e => e.textContent).join(' ')"""
    )
    assert "unit of work" not in told
    assert "units of work" not in told
    assert "There is no" not in told
    for name in ("f_score", "t_score", "symmetrical_uncertainty", "nogueira"):
        assert name not in told, name


def test_sections_without_content_are_left_out(opened):
    empty = {"sentences": [], "rows": []}
    report = sample(figures=[], profile=empty, similarity=empty, stand_ins=empty, truth=None)
    found = opened(to_html(report)).page
    assert found.locator("#evidence, #truth, nav a[href='#evidence']").count() == 0
    lengths = "[...document.querySelectorAll('section')].map(s => s.textContent.trim().length)"
    assert min(found.evaluate(lengths)) > 60


@pytest.mark.slow
@pytest.mark.parametrize("signal", [True, False])
def test_the_terminal_says_the_same_in_a_few_lines(capsys, signal):
    print_summary(study(signal))
    out = capsys.readouterr().out
    report = make_report(study(signal), figures=False)
    assert report["verdict"]["headline"] in out.splitlines()
    assert len(out.splitlines()) <= MOST_LINES - 4  # what is written is said in a few lines more
    selected = [row for row in report["features"]["rows"] if row["selected"]]
    first = selected[0]
    line = f"{first['found_again']:.2f} (at least {first['low']:.2f})  {first['grade']}"
    assert (line in out) == signal
