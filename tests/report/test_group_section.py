"""Groups of features in a report: counted, named, measured, and never more than was found."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import holdfast as hf
from holdfast._formatting import INVISIBLE_CHARACTERS, spell_out_invisible
from holdfast.report import make_report, to_html, to_json, to_markdown
from holdfast.report._evidence import represented_features
from holdfast.report._formatting import (
    remove_all_name_marks,
    remove_name_marks,
)
from holdfast.report._methods import _describe_kept_groups
from tests.report.page_queries import STICKING_OUT, UNFOLD, exported
from tests.report.sample_report import HOSTILE, grouped
from tests.report.sample_results import few_groups, groups, report_of


@pytest.fixture(scope="module")
def few():
    """Return the report of a study with fewer groups than asked for, names as plain text."""
    study = hf.Study("drags", protocol=hf.Subsampling(6, 0.9), sizes=[8], classifiers=["knn3"])
    return remove_all_name_marks(
        make_report(study.run(hf.io.read_data("@wine"), n_jobs=1), figures=False)
    )


def test_sentences_say_how_many_were_found(few):
    assert "of these 3 groups again" in few["verdict"]["headline"]
    assert few["verdict"]["n_selected"] == 3
    assert "when asked for 8 of them (3 of 8 found)" in few["features"]["caption"]
    assert "DRAGS was asked for 8 features, but only 3 were found." in (few["selectors"]["reasons"])
    assert few["verdict"]["size"] == 8


@pytest.mark.slow
def test_the_table_of_selectors_remarks_where_fewer_were_found():
    rows = report_of("few groups")["selectors"]["rows"]
    remarks = {(row["selector"], row["size"]): row.get("remark") for row in rows}
    found = few_groups().preferences.groups("dense", 8).sizes
    assert set(found) == {3}
    assert remarks == {
        ("dense", 2): None, ("dense", 8): "3 of 8 found", ("F", 2): None, ("F", 8): None
    }  # fmt: skip
    for text in (to_html(report_of("few groups")), to_markdown(report_of("few groups"))):
        assert text.count("3 of 8 found") >= 1


def test_selectors_are_compared_at_what_was_found():
    told = report_of("few groups")["similarity"]["sentences"][0]
    size = few_groups().recommend().size
    assert ("or at as many as were found" in told) == (size == 8)


def test_there_is_no_profile_from_a_few_groups(few):
    assert few["profile"]["sentences"][0] == (
        "DRAGS: there is no profile from so few groups (only 3 were found)."
    )
    assert "looked at up to 1" not in to_markdown(report_of("few groups"))


@pytest.mark.slow
def test_a_feature_stands_for_those_in_half_of_its_groups():
    result = groups()
    found = result.preferences.groups("clusters", 3)
    names = np.array(found.feature_names)
    rows = report_of("groups")["features"]["rows"]
    assert any(row["in_group_total"] for row in rows)
    for row in rows:
        own = [
            set(names[members]) - {row["feature"]}
            for members, chosen in zip(
                (group for one in found for group in one),
                np.concatenate(found.representatives),
                strict=True,
            )
            if names[chosen] == row["feature"]
        ]
        half = {name for name in names if 2 * sum(name in one for one in own) >= len(own)}
        assert set(row["in_group"]) == half
        assert row["in_group_total"] == len(half)


def test_many_in_a_group_are_counted_not_named():
    names = [f"f{i}" for i in range(80)]
    found = hf.Groups([[range(80)]] * 2, feature_names=names, representatives=[[3]] * 2)
    assert represented_features(found, ["f3"]) == {"f3": [name for name in names if name != "f3"]}
    row = grouped()["features"]["rows"][0]
    assert row["in_group_total"] == 300
    assert "and 292 more" in to_html(grouped())
    assert "and 292 more" in to_markdown(grouped())


def test_the_measures_of_groups_stand_in_a_table_of_all_selectors():
    report = report_of("few groups")
    rows = report["groups"]["measures"]["rows"]
    table = few_groups().stability.query("measure == 'group_matching_index'")
    assert [(row["selector"], row["size"], row["value"]) for row in rows] == list(
        zip(table["selector"], table["size"], table["value"], strict=True)
    )
    told = report["groups"]["measures"]["sentences"][0]
    assert "count as groups of one" in told
    assert "not corrected for chance" in told
    for text in (to_html(report), to_markdown(report)):
        assert "group_matching_index" in text.partition("Groups of features")[2]


def test_the_measures_are_there_though_single_features_are_recommended():
    study = hf.Study(
        "f_score", protocol=hf.Subsampling(6, 0.9), sizes=[2], classifiers=["knn3"],
        measures=["nogueira", "group_matching_index"],
    )  # fmt: skip
    report = make_report(study.run(hf.io.read_data("@wine"), n_jobs=1), figures=False)
    assert report["groups"]["rows"] == []
    assert len(report["groups"]["measures"]["rows"]) == 1
    assert "in_group" not in report["features"]["rows"][0]
    assert "In its group" not in to_html(report)
    assert "Features in selected groups" not in to_html(report)
    assert "Measures of groups" in to_html(report)


def test_intervals_are_shown_within_what_a_measure_can_be():
    for text in (to_html(grouped()), to_markdown(grouped())):
        assert "0.51–1.00" in text
        assert "1.16" not in text
    assert json.loads(to_json(grouped()))["groups"]["measures"]["rows"][0]["high"] == 1.16


def test_most_often_is_said_only_where_more_are_left_out(monkeypatch):
    said = remove_name_marks(report_of("groups")["groups"]["sentences"][1])
    assert re.match(r"Of the \d+ features that lay in selected groups, ", said)
    monkeypatch.setattr("holdfast.report._evidence.MAX_MEMBERS_SHOWN", 2)
    monkeypatch.setattr("holdfast.report._report.MAX_MEMBERS_SHOWN", 2)
    cut = make_report(groups(), figures=False)["groups"]
    assert cut["sentences"][1].startswith("Of the 2 features that lay in selected groups most of")
    assert len(cut["rows"]) == 2


def test_the_methods_paragraph_speaks_of_groups_and_of_rankings():
    mixed, alone = (report_of(name)["methods"]["paragraph"] for name in ("few groups", "groups"))
    assert "The best 2 or 8 features of each ranking, where a selector gives one, were" in mixed
    assert "finds groups of features, the best 2 or 8 of them were kept, each by its" in mixed
    assert "The best 3 groups of features were kept, each by its representative." in alone
    assert "ranking" not in alone
    assert _describe_kept_groups([1], alone=True).startswith("The best group of features was kept")
    assert _describe_kept_groups([], alone=False).endswith(
        "of features, all of them were kept, each by its representative."
    )


def test_names_in_groups_are_verbatim_for_programs():
    rows = json.loads(to_json(grouped()))["features"]["rows"]
    assert rows[0]["in_group"] == list(HOSTILE)


def test_names_in_groups_are_nothing_but_text(opened):
    found = opened(to_html(grouped()), viewport={"width": 400, "height": 800})
    page = found.page
    shown = page.locator("#features td.names").first.text_content()
    table = page.locator("#evidence td.names").first.text_content()
    for name in HOSTILE[:6]:
        assert spell_out_invisible(name) in shown
        assert spell_out_invisible(name) in table
    assert found.complaints == []
    assert page.evaluate("window.hurt") is None
    assert page.locator("main script, main img, main b:not(.badge)").count() == 0
    assert not INVISIBLE_CHARACTERS.search(page.content())
    assert page.evaluate(STICKING_OUT) == []


def test_the_groups_are_open_and_exported(opened):
    page = opened(to_html(grouped())).page
    page.evaluate(UNFOLD)
    assert page.locator("#evidence table", has_text="Companions").is_visible()
    _, table = exported(page)
    at = table[0].index("in_its_group")
    assert spell_out_invisible(HOSTILE[1]) in table[1][at]
    assert table[1][at].endswith("and 292 more")
    assert table[3][at] == ""


def test_names_in_groups_do_nothing_in_markdown():
    text = to_markdown(grouped())
    assert "<script" not in text.partition("-->")[2]
    assert r"\$x\_1\$" in text or r"\$x_1\$" in text
    assert not INVISIBLE_CHARACTERS.search(text.replace("\u2068", "").replace("\u2069", ""))
