"""The page as text: what is in it, what is not, and what is refused."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from holdfast.report._rendering import MAX_ROWS, to_html
from tests.report.sample_report import sample

EMPTY = {"sentences": [], "rows": []}


class Reader(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self):
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def tags(html):
    reader = Reader()
    reader.feed(html)
    return reader.found


def test_the_same_report_gives_the_same_bytes(html):
    assert to_html(sample()) == html


def test_names_make_no_elements_and_no_attributes(html):
    names = [tag for tag, _ in tags(html)]
    assert names.count("script") == 1
    assert "img" not in names
    handlers = [key for _, attributes in tags(html) for key in attributes if key.startswith("on")]
    assert handlers == []


def test_templates_do_not_read_names_as_templates(html):
    assert "{{7*7}}" in html
    assert "$x_1$" in html


def test_no_address_outside_the_page_is_named(html):
    addresses = [
        a[key] for _, a in tags(html) for key in ("href", "src", "srcset", "action") if key in a
    ]
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    assert not re.search(r"url\((?!#)", html)


def test_the_policy_names_the_very_style_and_script_of_the_page(html):
    policy = next(
        a["content"] for _, a in tags(html) if a.get("http-equiv") == "Content-Security-Policy"
    )
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL).group(1)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy


def test_a_page_of_200_features_is_small_without_its_pictures():
    assert len(to_html(sample(rows=200, figures=[])).encode()) < 165_000


def test_every_picture_of_the_report_is_shown_with_its_name(html):
    figures = sample()["figures"]
    labels = [a.get("aria-label") for tag, a in tags(html) if tag == "svg"]
    assert sorted(labels) == sorted(figure["alt"] for figure in figures)
    captioned = [figure for figure in figures if figure["section"] != "verdict"]
    assert all(f"{figure['title']}.</strong>" in html for figure in captioned)


def test_a_picture_without_a_drawing_is_left_out():
    report = sample()
    for figure in report["figures"]:
        del figure["svg"]
    assert "<figure>" not in to_html(report)


def test_long_tables_of_numbers_end_and_say_so():
    rows = [{"selector": "relieff", "size": size, "value": 0.5} for size in range(MAX_ROWS + 5)]
    html = to_html(sample(profile={"sentences": [], "rows": rows}))
    assert f"The first {MAX_ROWS} of {MAX_ROWS + 5} rows" in html
    assert html.count("<td>relieff</td>") == MAX_ROWS + 1  # and one row of similarity


def test_a_report_about_nothing_is_still_a_page():
    report = sample(
        rows=0,
        truth=None,
        profile=EMPTY,
        similarity=EMPTY,
        stand_ins=EMPTY,
        failures=[],
        figures=[],
        glossary={},
    )
    report["selectors"] |= {"measure": None, "rows": [], "reasons": [], "choice": None}
    nothing = {"headline": "Nothing can be said.", "next_step": "Resume the study."}
    report["verdict"] |= {**nothing, "certainty": "", "trusted": [], "grade": "not known"}
    report["replication"] = {**report["replication"], "sentences": [], "rows": []}
    del report["replication"]["cohorts"]
    report["methods"] |= {
        "warnings": [],
        "references": [],
        "command": None,
        "data": [],
        "versions": [],
    }
    html = to_html(report)
    assert "<aside" not in html
    for section in ("features", "replication", "selectors", "evidence", "truth", "glossary"):
        assert f'id="{section}"' not in html
        assert f'href="#{section}"' not in html


def test_columns_that_nobody_filled_are_left_out():
    report = sample()
    for row in report["selectors"]["rows"]:
        row |= {
            "error": None,
            "classifier": None,
            "rpt": None,
            "p_value": None,
            "balanced_accuracy": None,
        }
    html = to_html(report)
    heads = re.search(r'id="selectors".*?</thead>', html, re.DOTALL).group()
    assert "Stability" in heads
    for head in ("Error", "AUC", "RPT", "against the best"):
        assert head not in heads


def test_a_study_that_is_half_done_says_so_at_the_top():
    state = {
        "complete": False,
        "done": 10,
        "failed": 0,
        "units": 300,
        "sentence": "Only 10 of 300 fits are done.",
    }
    html = to_html(sample(state=state))
    assert '<p class="state partial">Only 10 of 300 fits are done.</p>' in html


def test_features_have_chance_lower_bound_and_grade(html):
    row = sample()["features"]["rows"][0]
    assert f"{row['found_again']:.2f} <small>at least {row['low']:.2f}</small>" in html
    assert 'grade very-likely">very likely</td>' in html
    assert "unlikely (not selected)</td>" in html
    assert "100 of 100" in html


def test_unknown_chances_have_no_columns():
    report = sample()
    for row in report["features"]["rows"]:
        row |= {"selected": None, "found_again": None, "low": None, "grade": None}
    heads = re.search(r'id="feature-table".*?</thead>', to_html(report), re.DOTALL).group()
    assert ">Chance<" not in heads
    assert ">In resamples<" in heads


def test_a_fragment_is_shorter_and_names_the_next_step(html):
    fragment = to_html(sample(figures=[]), fragment=True)
    assert len(fragment) < len(html)
    assert "<html" not in re.sub(r'srcdoc="[^"]*"', "", fragment)
    assert "result.report(" in fragment
    assert [a["sandbox"] for tag, a in tags(fragment) if tag == "iframe"] == [
        "allow-scripts allow-downloads"
    ]
