"""The Markdown twin: the same content, and names that do nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.report import to_markdown, verdict_sentences
from holdfast.report._formatting import escape_markdown, format_code_block
from tests.report.sample_report import sample
from tests.report.sample_results import ODD, report_of


def tables(text):
    """Return the tables of a page: lists of lines."""
    return [part.splitlines() for part in text.split("\n\n") if part.startswith("| ")]


def cells(line):
    """Return the cells of a line of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@pytest.mark.parametrize("name", ODD)
def test_tables_are_tables(name):
    text = to_markdown(report_of(name))
    assert len(tables(text)) >= 2
    for table in tables(text):
        widths = {len(cells(line)) for line in table}
        assert len(widths) == 1, table


def test_the_same_content_is_there():
    report = report_of("simulated")
    text = to_markdown(report)
    for sentence in [*verdict_sentences(report["verdict"]), report["methods"]["protocol"]]:
        assert escape_markdown(sentence) in text
    assert "\u2068" not in text
    features = next(table for table in tables(text) if cells(table[0])[0] == "feature")
    assert [cells(line)[0] for line in features[2:]] == [
        escape_markdown(row["feature"]) for row in report["features"]["rows"]
    ]
    assert cells(features[0])[-1] == "informative"
    for heading in (
        "Features by chance",
        "Selectors compared",
        "What was done",
        "Glossary",
    ):
        assert f"\n## {heading}\n" in text


def test_hostile_names_are_inert():
    text = to_markdown(sample())
    mark, _, body = text.partition("\n")
    assert mark == "<!-- holdfast report, holdfast 0.1.0 -->"
    body = re.sub(r"```text\n.*\n```", "", body)  # the command, shown as code
    assert "<" not in body
    assert not re.search(r"(?<!\\)\]\(", body)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", r"a\|b"),
        ("`x`", r"\`x\`"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("&lt;", "&amp;lt;"),
        ("_a_ *b* f_score a__b", r"\_a\_ \*b\* f_score a\_\_b"),
        ("![i](u)", r"!\[i\](u)"),
        ("http://x.y www.z", "http&#58;//x.y www&#46;z"),
        ("two\nlines\r\nand\ttabs", "two lines and tabs"),
        ("# head", r"\# head"),
        ("- item", r"\- item"),
        ("---", r"\---"),
        ("1. one", r"1\. one"),
        ("0.5", "0.5"),
        ("-0.5", "-0.5"),
        ("$x^2$", r"\$x\^2\$"),
        ("back\\slash", r"back\\slash"),
        ("", ""),
        ("a\u202eb\x00", "a⟨U+202E⟩b⟨U+0000⟩"),
        ("by \u2068f_score\u2069", "by f_score"),
        ("by \u2068مرحبا\u2069", "by \u2068مرحبا\u2069"),
    ],
)
def test_text_is_escaped(text, shown):
    assert escape_markdown(text) == shown


@given(text=st.text())
def test_no_text_leaves_its_cell(text):
    line = f"| {escape_markdown(text)} | next |"
    assert len(line.splitlines()) == 1
    assert len(cells(line)) == 2
    assert "<" not in line


@given(text=st.text(alphabet="`a \n", max_size=30))
def test_code_stays_in_its_fence(text):
    opening, inside, closing = format_code_block(text).split("\n")
    assert opening.startswith(closing)
    assert closing not in inside


def test_code_keeps_its_spaces():
    assert format_code_block("a  'b   c'\nd") == "```text\na  'b   c' d\n```"


def test_selectors_have_the_columns_of_the_page():
    text = to_markdown(report_of("wine"))
    table = next(one for one in tables(text) if "classifier" in cells(one[0]))
    assert {"RPT", "p against the best, corrected"} <= set(cells(table[0]))


def test_failures_are_reported():
    text = to_markdown(report_of("half done"))
    assert "## What failed" in text
    assert "| two | 3 | 3 | ValueError: no |" in text
