"""Selectors that choose how many features they select: told as such, and no ranks made up."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast.report import make_report, to_html, to_markdown
from holdfast.report._evidence import Evidence
from holdfast.report._formatting import remove_name_marks
from tests.report.sample_report import sample
from tests.report.sample_results import made, report_of, result

SELECTORS = ("f", "g", "own1", "own2")


@pytest.fixture(scope="module")
def mixed():
    """Return a study of two selectors of asked sizes and two that choose theirs."""
    return result(made(selectors=SELECTORS, own=("own1", "own2"), measures=("nogueira",)))


@pytest.fixture
def told(mixed, monkeypatch):
    """Return a function that reports as if a certain selector and size were recommended."""

    def report(selector, size, **how):
        monkeypatch.setattr(Evidence, "cell", (selector, size))
        return make_report(mixed, **{"figures": False} | how)

    return report


def sizes(report):
    """Return the size of each pair of selectors."""
    return {(row["first"], row["second"]): row["size"] for row in report["similarity"]["rows"]}


def test_pairs_have_the_sizes_that_their_selectors_have(told):
    found = sizes(told("f", 2))
    assert len(found) == 10
    assert {found[pair] for pair in (("f", "f"), ("f", "g"), ("g", "g"))} == {2}
    assert {found[pair] for pair in (("own1", "own1"), ("own1", "own2"))} == {"own"}
    assert found["f", "own1"] == found["g", "own2"] == "2 and own"


def test_values_are_those_of_the_sizes_reported(told, mixed):
    for selector, size, asked in (("f", 2, 2), ("own1", "own", 4)):
        report = told(selector, size)
        assert sizes(report)["f", "g"] == asked
        table = mixed.similarity(size=asked).table
        values = [row["similarity"] for row in report["similarity"]["rows"]]
        np.testing.assert_allclose(values, table["similarity"])


def test_a_pair_in_the_other_order_has_its_sizes_in_that_order():
    about = made(selectors=("own1", "f"), own=("own1",), sizes=(2,))
    found = sizes(make_report(result(about), figures=False))
    assert found["own1", "f"] == "own and 2"


@pytest.mark.parametrize(("selector", "size", "asked"), [("f", 2, 2), ("own2", "own", 4)])
def test_the_sentence_names_who_chooses_the_size(told, selector, size, asked):
    sentence = remove_name_marks(told(selector, size)["similarity"]["sentences"][0])
    assert f"{asked} features; own1 and own2 with as many as they choose themselves." in sentence


def test_one_selector_is_reported_as_one():
    sentence = remove_name_marks(report_of("own size")["similarity"]["sentences"][0])
    assert sentence.endswith("features; two with as many as it chooses itself.")


def test_without_asked_sizes_none_is_named():
    section = report_of("own sizes only")["similarity"]
    assert section["sentences"][0] == (
        "Selectors are compared with as many features as they choose themselves."
    )
    assert {row["size"] for row in section["rows"]} == {"own"}


def test_a_study_of_asked_sizes_says_nothing_of_choosing():
    assert "choose" not in report_of("wine")["similarity"]["sentences"][0]


def test_all_features_are_no_size_to_compare_at():
    about = made(own=("two",), sizes=(3, 12))
    evidence = Evidence(result(about))
    evidence.cell = ("two", "own")
    assert evidence.compared_size == 3


@pytest.mark.slow
def test_pictures_of_selectors_are_of_the_sizes_reported(told, mixed):
    figures = {one["name"]: one for one in told("own1", "own", figures=True)["figures"]}
    assert "4 features (or as many as they choose themselves)" in figures["similarity"]["caption"]
    assert figures["upset"]["alt"] == mixed.plot_upset(4).description
    assert figures["upset"]["alt"] != mixed.plot_upset("own").description
    assert "asked for" not in figures["stripes-own1"]["caption"]
    assert "when asked for 2 features" in figures["stripes-f"]["caption"]


@pytest.mark.slow
def test_where_no_ranks_are_known_none_are_shown(told):
    report = told("own1", "own", figures=True)
    assert all(row["rank_low"] is None for row in report["features"]["rows"])
    assert "rank_ranges" not in {figure["name"] for figure in report["figures"]}
    page = to_html(report)
    for text in (">Rank<", "rank_median", "middle rank", "Where features rank"):
        assert text not in page
    assert "rank (range)" not in to_markdown(report)
    assert "rank range" not in report["glossary"]


@pytest.mark.slow
def test_where_ranks_are_known_they_are_shown(told):
    report = told("f", 2, figures=True)
    assert "rank_ranges" in {figure["name"] for figure in report["figures"]}
    page = to_html(report)
    for text in (">Rank<", "rank_median", "Where features rank"):
        assert text in page
    assert "rank (range)" in to_markdown(report)
    assert "rank range" in report["glossary"]


@pytest.mark.parametrize("ranks", [False, True])
def test_all_rows_of_features_are_as_wide_as_their_head(ranks):
    report = sample()
    for row in report["features"]["rows"] if not ranks else ():
        row |= {"rank_low": None, "rank_median": None, "rank_high": None}
    page = to_html(report)
    table = page[page.index('id="feature-table"') :].partition("</table>")[0]
    head, *rows = table.split("<tr>")[1:]
    assert {row.count("<td") + row.count("<th ") for row in rows} == {head.count("<th ")}
    assert head.count("<th ") == 10 + ranks
