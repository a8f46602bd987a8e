"""The dictionary of a report: there for every result, of plain values, and true."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.report import make_report
from holdfast.report._schema import Report
from tests.report.results import ODD, made, report_of, result, simulated, wine


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
    assert report["verdict"]["sentences"]
    assert report["methods"]["paragraph"].startswith("The data hold")


def test_all_values_are_plain_and_finite(report):
    for value in walk(report):
        assert value is None or type(value) in (str, int, float, bool, list, dict)
        assert not isinstance(value, float) or math.isfinite(value)


def test_sentences_are_sentences(report):
    sections = ("profile", "similarity", "stand_ins")
    sentences = [*report["verdict"]["sentences"], *report["selectors"]["reasons"]]
    sentences += [text for name in sections for text in report[name]["sentences"]]
    for sentence in [*sentences, report["state"]["sentence"], report["features"]["caption"]]:
        assert sentence.endswith("."), sentence
        assert ".." not in sentence
        assert "nan" not in sentence.lower().split()
        assert "None" not in sentence.split()


def test_frequencies_are_those_of_the_result():
    study = simulated()
    report = report_of("simulated")
    verdict, rows = report["verdict"], report["features"]["rows"]
    table = study.frequencies.set_index(["selector", "size", "feature"])["frequency"]
    cell = table[verdict["selector"], verdict["size"]]
    assert {row["feature"]: row["frequency"] for row in rows} == cell.to_dict()
    assert report["features"]["total"] == len(cell)
    assert [row["frequency"] for row in rows] == sorted(cell, reverse=True)


def test_trusted_features_are_those_found_nearly_always():
    report = report_of("simulated")
    often = [row["feature"] for row in report["features"]["rows"] if row["count"] >= 18]
    assert report["verdict"]["trusted"] == often
    assert often


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


def test_effects_are_standardised_differences_between_classes():
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
    assert row["effect"] == pytest.approx((one.mean() - other.mean()) / pooled, rel=0.05)


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


def test_selectors_of_one_title_are_told_apart():
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
        "sentence": "6 of 12 units of work are done, 3 failed.",
    }


def test_the_glossary_explains_what_occurs_and_nothing_else():
    report = report_of("simulated")
    assert {"stability", "resample", "nogueira", "f_score", "informative"} <= set(
        report["glossary"]
    )
    assert "knn3" not in report["glossary"]
    assert "informative" not in report_of("wine")["glossary"]
    assert all(text.endswith(".") for text in report["glossary"].values())


def test_the_same_result_gives_the_same_report():
    texts = {json.dumps(make_report(wine(), figures=False)) for _ in range(2)}
    assert len(texts) == 1


def test_pictures_are_drawn_with_captions():
    report = make_report(simulated())
    names = [figure["name"] for figure in report["figures"]]
    expected = {"frequencies", "rank_ranges", "truth", "plane", "similarity", "upset", "profiles"}
    assert expected | {"stripes-f_score", "stripes-random_score"} == set(names)
    for figure in report["figures"]:
        assert figure["svg"].startswith("<svg")
        assert figure["caption"].endswith(".")
        assert figure["alt"]


@pytest.mark.parametrize("name", ODD)
def test_pictures_never_cost_a_report(name):
    report = make_report(ODD[name]())
    assert all(figure["svg"] for figure in report["figures"])
    assert bool(report["figures"]) == (name not in ("nothing done", "all failed"))


def test_a_table_is_cut_but_says_how_much_there_is():
    about = made(p=500, sizes=(300,), selectors=("one",), classifiers=())
    report = make_report(result(about), figures=False)
    assert len(report["features"]["rows"]) == 200
    assert report["features"]["total"] > 200
