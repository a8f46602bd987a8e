"""The dictionary of a report: there for every result, of plain values, and true."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import HoldfastWarning
from holdfast.report import make_report, to_html, to_markdown, verdict_sentences
from holdfast.report._formatting import remove_name_marks
from holdfast.report._schema import Report
from tests.report.sample_results import ODD, made, report_of, result, simulated, wine


def walk(value):
    """Yield a value and all that is in it."""
    yield value
    inside = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list | tuple):
        for item in inside:
            yield from walk(item)


@pytest.fixture(scope="module", params=ODD)
def report(request):
    """Return a report without pictures of each kind of result."""
    return report_of(request.param)


def test_every_result_has_a_report_of_all_parts(report):
    assert set(report) == set(Report.__required_keys__)
    assert report["verdict"]["headline"].endswith(".")
    assert report["methods"]["paragraph"].startswith("The data hold")


def test_all_values_are_plain_and_finite(report):
    for value in walk(report):
        assert value is None or type(value) in (str, int, float, bool, list, dict)
        assert not isinstance(value, float) or math.isfinite(value)


def test_sentences_are_sentences(report):
    sections = ("replication", "profile", "similarity", "stand_ins")
    sentences = [*verdict_sentences(report["verdict"]), *report["selectors"]["reasons"]]
    sentences += [text for name in sections for text in report[name]["sentences"]]
    sentences += filter(None, [report["state"]["sentence"], report["features"]["caption"]])
    for sentence in sentences:
        assert sentence.endswith("."), sentence
        assert ".." not in sentence
        assert "nan" not in sentence.lower().split()
        assert "None" not in sentence.split()


def test_rows_are_those_of_the_result():
    study, report = simulated(), report_of("simulated")
    choice, rows = study.recommend(), report["features"]["rows"]
    table = study.frequencies.set_index(["selector", "size", "feature"])["frequency"]
    shares = table[choice.selector, choice.size].to_dict()
    chances = study.replicated(choice.selector, choice.size).features.set_index("feature")
    for row in rows:
        name = row["feature"]
        assert row["frequency"] == shares.get(name, 0.0)
        assert row["found_again"] == chances["found_again"][name]
        assert (row["low"], row["grade"]) == (chances["low"][name], chances["grade"][name])
        assert row["selected"] == chances["selected"][name]
    assert {row["feature"] for row in rows} >= set(shares)
    assert report["features"]["total"] == len(rows)
    selected = [row for row in rows if row["selected"]]
    assert rows[: len(selected)] == selected
    for part in (selected, rows[len(selected) :]):
        order = [row["found_again"] for row in part]
        assert order == sorted(order, reverse=True)


def test_without_chances_no_feature_is_trusted_whatever_resamples_select():
    report = report_of("folds")
    assert report["features"]["rows"][0]["frequency"] > 0
    assert {row["found_again"] for row in report["features"]["rows"]} == {None}
    assert (report["verdict"]["grade"], report["verdict"]["trusted"]) == ("not known", [])


def test_the_truth_is_counted():
    study = simulated()
    report = report_of("simulated")
    row = report["truth"]["rows"][0]
    truth = set(true_names(study))
    hits = len(truth & set(report["verdict"]["trusted"]))
    assert (row["informative"], row["features"]) == (hits, len(report["verdict"]["trusted"]))
    for line in report["features"]["rows"]:
        assert line["informative"] == (line["feature"] in truth)


def true_names(study):
    """Return the features that truly differ."""
    data = study.dataset
    return np.array(data.feature_names)[data.truth]


def test_real_data_have_no_truth():
    report = report_of("wine")
    assert report["truth"] is None
    assert {row["informative"] for row in report["features"]["rows"]} == {None}


def test_observed_effects_are_standardised_differences_between_classes():
    study = simulated()
    row = report_of("simulated")["features"]["rows"][0]
    data = study.dataset
    values = data.X[:, data.feature_names.index(row["feature"])]
    inside = data.y == row["direction"]
    one, other = values[inside], values[~inside]
    pooled = math.sqrt(
        ((len(one) - 1) * one.var(ddof=1) + (len(other) - 1) * other.var(ddof=1))
        / (len(values) - 2)
    )
    assert row["observed_effect"] == pytest.approx((one.mean() - other.mean()) / pooled)


def test_effects_are_corrected_for_the_selection():
    rows = report_of("simulated")["features"]["rows"]
    data = simulated().dataset
    effects = hf.judge.shrunken_effects(data.X, data.codes, data.classes, groups=data.groups)
    effects.index = data.feature_names
    for row in rows:
        expected = effects.loc[row["feature"], ["effect", "low", "high"]].tolist()
        said = [row[key] for key in ("effect", "effect_low", "effect_high")]
        assert said == pytest.approx(expected)
        assert 0 <= row["effect"] < row["observed_effect"]


def test_selectors_are_all_there_and_one_is_recommended():
    study = simulated()
    report = report_of("simulated")
    rows = pd.DataFrame(report["selectors"]["rows"])
    summary = study.summary()
    assert list(zip(rows["selector"], rows["size"], strict=True)) == list(
        zip(summary["selector"], summary["size"], strict=True)
    )
    np.testing.assert_allclose(rows["stability"], summary["stability"])
    assert rows["recommended"].sum() == 1
    assert rows.loc[rows["recommended"], "selector"].item() == report["verdict"]["selector"]
    assert report["selectors"]["choice"] not in report["selectors"]["reasons"]


@pytest.mark.slow
def test_selectors_of_one_title_are_distinguished():
    selectors = {"a": hf.ReliefF(), "b": hf.ReliefF(n_neighbors=3)}
    study = hf.Study(selectors, protocol=hf.Subsampling(3), sizes=[2], classifiers=())
    report = make_report(study.run(hf.io.read_data("@wine"), n_jobs=1), figures=False)
    assert [row["title"] for row in report["selectors"]["rows"]] == ["ReliefF: a", "ReliefF: b"]
    assert "ReliefF (b, n_neighbors = 3; Kononenko 1994" in report["methods"]["paragraph"]


def test_failures_are_counted_by_reason():
    report = report_of("half done")
    assert report["failures"] == [
        {"selector": "two", "resamples": 3, "first": 3, "message": "ValueError: no"}
    ]
    assert report["state"] == {
        "complete": False,
        "done": 6,
        "failed": 3,
        "units": 12,
        "sentence": "Only 6 of 12 fits are done; 3 failed, 3 not run.",
    }


def test_the_glossary_explains_what_occurs_and_nothing_else():
    report = report_of("simulated")
    assert {"stability", "resample", "nogueira", "f_score", "informative"} <= set(
        report["glossary"]
    )
    assert report["glossary"]["knn3"].startswith("Nearest neighbours")
    assert "(n_neighbors = 3)" in report["glossary"]["knn3"]
    assert "nested" not in report["glossary"]
    assert all(text.endswith(".") for text in report["glossary"].values())


def test_the_same_result_gives_the_same_report():
    texts = {json.dumps(make_report(wine(), figures=False)) for _ in range(2)}
    assert len(texts) == 1


@pytest.mark.slow
def test_pictures_are_drawn_with_captions():
    report = make_report(simulated())
    names = [figure["name"] for figure in report["figures"]]
    expected = {"frequencies", "rank_ranges", "truth", "plane", "similarity", "upset", "profiles"}
    assert names[:2] == ["found_again", "replication"]
    assert expected | {
        "found_again",
        "replication",
        "stripes-f_score",
        "stripes-random_score",
    } == set(names)
    for figure in report["figures"]:
        assert figure["svg"].startswith("<svg")
        assert figure["caption"].endswith(".")
        assert figure["alt"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_pictures_never_cost_a_report(name, caplog):
    report = make_report(ODD[name]())
    assert all(figure["svg"] for figure in report["figures"])
    assert not [one for one in caplog.records if one.levelname == "WARNING"]
    bare_of = ("nothing done", "all failed", "one feature")
    assert bool(report["figures"]) == (name not in bare_of)


@pytest.mark.slow
def test_a_picture_that_fails_is_reported_and_the_others_stay(monkeypatch, caplog):
    found = wine()
    monkeypatch.setattr(type(found), "plot_plane", lambda self, **how: 1 / 0)
    names = [figure["name"] for figure in make_report(found)["figures"]]
    assert "plane" not in names
    assert "frequencies" in names
    assert "plane of the report cannot be drawn: ZeroDivisionError" in caplog.text


def test_names_that_are_terms_explain_nothing():
    names = ("AUC", "standard error", "chance level", *(f"x{i}" for i in range(9)))
    about = made(names=names, selectors=("error", "knot"), labels=("AUC", "stability"))
    report = make_report(result(about), figures=False)
    assert report["glossary"]["error"].startswith("The share of test samples")
    told = to_html(report)
    assert not re.search(r"<bdi><a class=.term", told)


def test_the_same_is_said_once_of_all_selectors():
    sentences = report_of("40 selectors")["profile"]["sentences"]
    assert len(sentences) < 6
    assert "s6 and 33 more: " in remove_name_marks(sentences[0])


def test_similarity_is_that_at_the_recommended_size():
    report = report_of("wine")
    size = wine().recommend().size
    assert f"{size} features" in report["similarity"]["sentences"][0]
    table = wine().similarity(size=size).table
    assert [row["similarity"] for row in report["similarity"]["rows"]] == pytest.approx(
        table["similarity"].tolist()
    )
    assert {row["size"] for row in report["similarity"]["rows"]} == {size}


def test_a_study_without_a_control_says_so():
    reasons = report_of("wine")["selectors"]["reasons"]
    assert any("No random selector was tested, so it is not known" in text for text in reasons)
    reasons = report_of("simulated")["selectors"]["reasons"]
    assert not any("was tested, so" in text for text in reasons)


def test_a_table_is_cut_but_says_how_much_there_is():
    about = made(p=500, sizes=(300,), selectors=("one",), classifiers=())
    report = make_report(result(about), figures=False)
    assert len(report["features"]["rows"]) == 200
    assert report["features"]["total"] > 200


@pytest.mark.slow
def test_selectors_that_choose_the_size_show_its_mean_and_deviation():
    study = result(made(own=("two",)))
    report = make_report(study, figures=False)
    sizes = study.preferences["two", "own"].sizes
    rows = {row["selector"]: row for row in report["selectors"]["rows"]}
    assert rows["two"]["size"] == "own"
    assert rows["two"]["selected"] == pytest.approx(sizes.mean())
    assert rows["two"]["selected_sd"] == pytest.approx(sizes.std(ddof=1))
    assert "selected" not in rows["one"]
    text = f"{sizes.mean():.1f} (sd {sizes.std(ddof=1):.1f})"
    assert text in to_markdown(report)
    page = to_html(report)
    assert text in page
    assert "its mean and" in page
    assert "its mean and" not in to_html(make_report(result(made()), figures=False))


@pytest.mark.slow
def test_random_subsets_are_a_control():
    protocol = hf.Subsampling(6, 0.8)
    selectors = ["f_score", "random_subset:n_features_to_select=12"]
    study = hf.Study(selectors, protocol=protocol, sizes=[12], classifiers=["knn3"])
    with pytest.warns(HoldfastWarning, match="sizes do not apply to random_subset"):
        report = make_report(study.run(hf.io.read_data("@wine"), n_jobs=1), figures=False)
    told = " ".join(report["selectors"]["reasons"])
    assert "random subsets classify about as well" in told
    assert "No random selector was tested" not in told
