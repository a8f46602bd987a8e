"""Studies with more selectors than a page shows."""

from __future__ import annotations

import pytest

import holdfast as hf
from holdfast.judge._replication import _feature_chances
from holdfast.report import make_report, overview_table, to_html, to_json, to_markdown
from holdfast.report._second_study import (
    MAX_SELECTORS_SHOWN,
    choose_selectors_shown,
    describe_selectors_left_out,
)
from holdfast.study import Result
from tests.study.stores import Made, full, subsamples

MANY = tuple(f"s{number:03}" for number in range(150))


def fabricated(selectors=MANY):
    """Return a study of selectors without disjoint halves."""
    made = Made(selectors=selectors, sizes=(2,), classifiers=(), resamples=subsamples(30, 4))
    return Result(full(made, forms=("ranks",)))


@pytest.mark.slow
def test_chances_are_estimated_for_the_selectors_shown_only(monkeypatch):
    calls = []
    estimate = _feature_chances.estimate_found_again

    def count(*arguments, **options):
        calls.append(1)
        return estimate(*arguments, **options)

    monkeypatch.setattr(_feature_chances, "estimate_found_again", count)
    study = hf.Study(
        dict.fromkeys(MANY[:60], "f_score"),
        protocol=hf.Subsampling(3, 0.8),
        sizes=[2],
        classifiers=(),
        replication=4,
    )
    result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    report = make_report(result, figures=False)
    assert len(calls) == MAX_SELECTORS_SHOWN
    expected = [row["expected"] for row in report["replication"]["rows"]]
    assert len(expected) == 60
    assert sum(value is not None for value in expected) == MAX_SELECTORS_SHOWN
    assert all(row["predicted"] is not None for row in report["replication"]["rows"])
    result.replication  # noqa: B018 - a table of numbers that need no chances
    assert len(calls) == MAX_SELECTORS_SHOWN
    assert len(result.features["selector"].unique()) == 60
    assert len(calls) == 60


@pytest.mark.slow
def test_a_report_names_how_many_selectors_it_leaves_out():
    result = fabricated()
    report = make_report(result)
    sentence = report["selectors"]["left_out"]["sentence"]
    assert sentence.startswith("Shown are 50 of 150 selectors, those with the best stability over")
    assert sentence.endswith("100 are left out.")
    shown = report["selectors"]["left_out"]["shown"]
    assert len(report["selectors"]["rows"]) == 150  # the JSON file has all
    assert to_json(report).count('"title": ') > 150
    for text in (to_html(report), to_markdown(report)):
        assert "50 of 150 selectors" in text
        assert "The JSON file has the numbers of all." in text
    names = {row["selector"] for row in report["selectors"]["rows"]} - set(shown)
    assert len(names) == 100
    table = to_markdown(report).split("## Selectors compared")[1].split("\n## ")[0]
    assert sum(line.startswith("| s") for line in table.splitlines()) == 51  # with the head
    captions = {figure["name"]: figure["caption"] for figure in report["figures"]}
    assert {name for name, text in captions.items() if sentence in text} >= {"similarity", "upset"}
    overview = overview_table(result, report["verdict"])
    assert overview.title.startswith(sentence)
    assert overview.columns["selector"] == shown


def test_the_most_stable_selectors_and_the_recommended_one_are_shown():
    result = fabricated(MANY[:60])
    table = result.summary().set_index("selector")["stability"]
    worst = table.idxmin()
    assert worst not in choose_selectors_shown(result, None)
    shown = choose_selectors_shown(result, worst)
    assert len(shown) == MAX_SELECTORS_SHOWN
    assert worst in shown
    assert shown == [name for name in result.selectors if name in set(shown)]
    others = table[[name for name in result.selectors if name not in set(shown)]]
    assert others.max() <= table[[name for name in shown if name != worst]].min()


def test_all_selectors_are_shown_if_they_are_few():
    result = fabricated(MANY[:50])
    assert choose_selectors_shown(result, None) == list(result.selectors)
    assert describe_selectors_left_out(result, result.selectors) == ""
    assert "left_out" not in make_report(result, figures=False)["selectors"]


def test_profiles_and_similarities_of_some_selectors():
    result = fabricated(MANY[:4])
    some = [MANY[2], MANY[0]]
    assert result.profile(selectors=some).table["selector"].unique().tolist() == some
    assert result.similarity(selectors=some).matrix.index.tolist() == some
    whole = result.similarity().matrix
    assert result.similarity(selectors=some).matrix.equals(whole.loc[some, some])
