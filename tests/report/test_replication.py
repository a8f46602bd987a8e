"""Would a second study find these features? What a report says about it."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from holdfast.report import to_html, to_markdown
from holdfast.report._evidence import Evidence
from holdfast.report._names import bare
from holdfast.report._replication import second_study
from tests.report.results import made, report_of, result, simulated
from tests.report.sample import HOSTILE, sample


def test_rows_are_those_of_the_result():
    second = report_of("simulated")["replication"]
    table = simulated().replication.query("measure == 'nogueira'")
    rows = pd.DataFrame(second["rows"])
    assert rows["replication"].tolist() == table["value"].tolist()
    assert rows["predicted"].tolist() == table["predicted"].tolist()
    assert rows["stability"].tolist() == simulated().summary()["stability"].tolist()
    assert rows["recommended"].sum() == 1
    assert (second["n_samples"], second["at"], second["noun"]) == (30, 60, "sample")


def test_the_section_says_what_was_done_and_why_figures_differ():
    told = " ".join(map(bare, report_of("simulated")["replication"]["sentences"]))
    pairs = int(simulated().replication["n_pairs"].max())
    assert f"split {pairs} times into disjoint halves, of 30 each" in told
    assert "For two studies of 60 samples, as many as there are, it is predicted" in told
    assert "differs, as resamples of one data set share samples" in told
    assert "0.8" in told


def test_the_curve_is_that_of_the_recommended_pair():
    report = report_of("simulated")
    choice = simulated().recommend()
    curve = simulated().replicated(choice.selector, choice.size).curve
    assert [row["value"] for row in report["replication"]["curve"]] == curve["value"].tolist()


def test_the_methods_count_the_pairs_of_each_size():
    text = report_of("simulated")["methods"]["paragraph"]
    assert "of the samples into disjoint halves of 30, stratified by class" in text
    assert "pairs of 15," in text
    assert "Dernoncourt" in text


def test_an_old_study_has_a_report_that_says_what_it_lacks():
    old = result(made())
    assert "beside" not in old.plan
    second = second_study(Evidence(old))
    assert (second["rows"], second["n_samples"], second["at"]) == ([], None, None)
    assert "was not estimated: it was not asked for." in second["sentences"][0]
    report = report_of("folds")
    assert "disjoint halves" not in report["methods"]["paragraph"]
    assert "replication stability" in report["glossary"]


def test_independent_samples_are_second_studies():
    second = report_of("drawn")["replication"]
    assert second["rows"] == []
    assert "so the stability of this study is its replication stability" in second["sentences"][0]
    assert report_of("drawn")["verdict"]["sentences"][0].startswith("A second study of 60 samples")


def test_notes_are_told_once_with_those_they_are_about():
    about = result(made())
    about.summary()  # of the store
    table = pd.DataFrame(
        {"selector": ["one", "one", "two"], "measure": "nogueira", "size": [2, 4, 2]}
    ).assign(n_samples=15, value=0.5, low=0.4, high=0.6, n_pairs=9, note=["", "", "few left."])
    ahead = ("at", "predicted", "predicted_low", "predicted_high")
    about.replication = table.assign(**dict.fromkeys(ahead))
    told = [bare(text) for text in second_study(Evidence(about))["sentences"]]
    assert told[-1] == "Please note (two): few left."
    assert not any("predicted" in text for text in told)


@pytest.mark.parametrize("show", [to_html, to_markdown])
def test_both_twins_show_the_table_and_the_cohorts(show):
    shown = show(sample())
    assert "Would a second study find these features?" in shown
    assert "wo studies of 31" in shown
    assert "redicted for two of 62" in shown
    assert "Cohorts compared" in shown
    assert "Two cohorts agree less than expected." in shown
    assert HOSTILE[0] not in shown


def test_cohorts_are_told_with_their_numbers():
    evidence = Evidence(simulated())
    pairs = pd.DataFrame({"cohort_a": ["x"], "cohort_b": ["y"], "value": [0.2]})
    evidence.cohorts = SimpleNamespace(
        sentences=("x and y differ.",),
        cohorts={"x": 3, "y": 4},
        pairs=pairs,
        features=pd.DataFrame({"feature": ["f"]}),
    )
    cohorts = second_study(evidence)["cohorts"]
    assert cohorts["sentences"] == ["\u2068x\u2069 and \u2068y\u2069 differ."]
    assert cohorts["rows"] == [{"cohort_a": "x", "cohort_b": "y", "value": 0.2}]
    assert "cohorts" not in report_of("simulated")["replication"]


@pytest.mark.parametrize(
    ("needed", "low", "high", "text"),
    [
        (90, 40, 200, "need 90 samples (95% interval 40 to 200)."),
        (90, 4, 120, "need 90 samples (95% interval fewer than 15 to 120)."),
        (90, 20, float("inf"), "need 90 samples (95% interval 20 or more)."),
        (90, 4, float("inf"), "need 90 samples (95% interval open at both ends)."),
        (float("inf"), 40, float("inf"), "is not predicted for any size of study."),
    ],
)
def test_needed_samples_are_told(monkeypatch, needed, low, high, text):
    plan = SimpleNamespace(needed=needed, needed_low=low, needed_high=high)
    monkeypatch.setattr("holdfast.report._replication.plan_samples", lambda *_, **__: plan)
    evidence = Evidence(simulated())
    points = pd.DataFrame({"n_samples": [15, 30]})
    curve = pd.DataFrame({"n_samples": [15, 30]})
    evidence.replication = SimpleNamespace(value=0.5, n_samples=30, points=points, curve=curve)
    told = second_study(evidence)["sentences"]
    assert any(text in one for one in told)
