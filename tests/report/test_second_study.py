"""Would a second study find these features? What a report says about it."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from holdfast.report import to_html, to_markdown
from holdfast.report._evidence import Evidence
from holdfast.report._formatting import remove_name_marks
from holdfast.report._second_study import second_study_section
from tests.report.sample_report import HOSTILE, sample
from tests.report.sample_results import made, report_of, result, simulated

NAN = float("nan")


def test_rows_are_those_of_the_result():
    second = report_of("simulated")["replication"]
    table = simulated().replication.query("measure == 'nogueira'")
    rows = pd.DataFrame(second["rows"])
    assert rows["replication"].tolist() == table["value"].tolist()
    assert rows["predicted"].tolist() == table["predicted"].tolist()
    assert rows["stability"].tolist() == simulated().summary()["stability"].tolist()
    assert rows["recommended"].sum() == 1
    chosen = simulated().features.query("selected")
    sums = chosen.groupby(["selector", "size"], sort=False)["found_again"].sum()
    assert rows["expected"].tolist() == pytest.approx(sums.tolist())
    assert (second["n_samples"], second["at"], second["noun"]) == (30, 60, "sample")


def test_the_section_says_what_was_done_and_why_figures_differ():
    told = " ".join(map(remove_name_marks, report_of("simulated")["replication"]["sentences"]))
    pairs = int(simulated().replication["n_pairs"].max())
    assert f"split {pairs} times into disjoint halves of 30 each" in told
    assert "For two studies of 60 samples, as many as in these data, it is predicted" in told
    assert "differs: resamples of one data set share samples" in told
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
    second = second_study_section(Evidence(old))
    assert (second["rows"], second["n_samples"], second["at"]) == ([], None, None)
    assert second["sentences"] == []
    assert "Would a second study" not in to_html(report_of("folds"))
    report = report_of("folds")
    assert "disjoint halves" not in report["methods"]["paragraph"]


def test_independent_samples_are_second_studies():
    second = report_of("drawn")["replication"]
    assert second["rows"] == []
    assert "so the stability of this study is its replication stability" in second["sentences"][0]
    assert report_of("drawn")["verdict"]["headline"].startswith("A second study of 60 samples")


def test_notes_are_reported_once_with_those_they_are_about():
    about = result(made())
    about.summary()  # of the store
    table = pd.DataFrame(
        {"selector": ["one", "one", "two"], "measure": "nogueira", "size": [2, 4, 2]}
    ).assign(n_samples=15, value=0.5, low=0.4, high=0.6, n_pairs=9, note=["", "", "few left."])
    table = table.assign(chance=0.0)
    ahead = ("at", "predicted", "predicted_low", "predicted_high")
    about.replication = table.assign(**dict.fromkeys(ahead))
    told = [remove_name_marks(text) for text in second_study_section(Evidence(about))["sentences"]]
    assert told[-1] == "Please note (two): few left."
    assert not any("predicted" in text for text in told)


def by_jaccard(chance):
    """Return what a report is made from where two random selections have features in common."""
    about = result(made(measures=("jaccard",)))
    table = about.stability[["selector", "size", "measure"]].assign(chance=chance)
    table = table.assign(n_samples=15, value=0.6, low=0.5, high=0.7, n_pairs=9, note="")
    ahead = ("at", "predicted", "predicted_low", "predicted_high")
    about.replication = table.assign(**dict.fromkeys(ahead))
    return Evidence(about)


@pytest.mark.slow
def test_two_random_selections_are_reported_where_they_have_features_in_common():
    second = second_study_section(by_jaccard([0.31, 0.33, 0.32, 0.354]))
    told = " ".join(map(remove_name_marks, second["sentences"]))
    assert "Two random selections of as many features would agree at 0.31 to 0.35;" in told
    assert [row["replication_chance"] for row in second["rows"]] == [0.31, 0.33, 0.32, 0.354]
    assert "random" not in " ".join(second_study_section(by_jaccard(0.0))["sentences"])


def test_long_notes_are_cut_short():
    about = by_jaccard(0.0)
    table = about.result.replication
    about.result.replication = table.assign(value=float("nan"), note="word " * 90)
    sentences = second_study_section(about)["sentences"]
    notes = [text for text in sentences if text.startswith("Please note")]
    assert len(notes) == 1
    assert max(map(len, sentences)) < 450


@pytest.mark.parametrize("show", [to_html, to_markdown])
def test_both_twins_show_the_table_and_the_cohorts(show):
    shown = show(sample())
    assert "Would a second study find these features?" in shown
    assert "wo studies of 31 samples" in shown
    assert "redicted for studies of 62 samples" in shown
    assert "wo at random" in shown
    assert "0.27" in shown
    assert all(head in shown for head in ("first cohort", "95% range", "shuffles"))
    assert "n_a" not in shown
    assert "0.020" in shown
    assert "Cohorts compared" in shown
    assert "Two cohorts agree less than expected." in shown
    assert HOSTILE[0] not in shown


def test_cohorts_are_reported_with_their_numbers():
    evidence = Evidence(simulated())
    pairs = pd.DataFrame({"cohort_a": ["x"], "cohort_b": ["y"], "value": [0.2]})
    evidence.cohorts = SimpleNamespace(
        sentences=("x and y differ.",),
        cohorts={"x": 3, "y": 4},
        pairs=pairs,
        features=pd.DataFrame({"feature": ["f"]}),
    )
    cohorts = second_study_section(evidence)["cohorts"]
    assert cohorts["sentences"] == ["\u2068x\u2069 and \u2068y\u2069 differ."]
    assert cohorts["rows"] == [{"cohort_a": "x", "cohort_b": "y", "value": 0.2}]
    assert "cohorts" not in report_of("simulated")["replication"]


@pytest.mark.parametrize(
    ("needed", "low", "high", "text"),
    [
        (90, 40, 200, "need about 90 samples (95% interval: 40 to 200)."),
        (14, 4, 1200, "need fewer than 15 samples (95% interval: at most 1,200)."),
        (14, 4, 14, "each of two studies is predicted to need fewer than 15 samples."),
        (90, 20, NAN, "need about 90 samples (95% interval: at least 20, at most unknown)."),
        (NAN, 40, NAN, "stability of 0.8 needs at least 40 samples."),
        (
            float("inf"),
            40,
            NAN,
            "cannot be planned for: the data do not show agreement beyond chance.",
        ),
    ],
)
def test_needed_samples_are_reported(monkeypatch, needed, low, high, text):
    plan = SimpleNamespace(needed=needed, needed_low=low, needed_high=high, fewest_compared=15)
    monkeypatch.setattr("holdfast.report._evidence.plan_samples", lambda *_, **__: plan)
    evidence = Evidence(simulated())
    points = pd.DataFrame({"n_samples": [15, 30]})
    curve = pd.DataFrame({"n_samples": [15, 30]})
    evidence.replication = SimpleNamespace(value=0.5, n_samples=30, points=points, curve=curve)
    told = second_study_section(evidence)["sentences"]
    assert any(text in one for one in told)
