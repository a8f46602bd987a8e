"""The JSON twin: all of the report but its pictures, for programs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from holdfast.report import to_json
from holdfast.report._formatting import remove_all_name_marks
from tests.report.sample_report import sample
from tests.report.sample_results import NAMES, report_of


@pytest.mark.slow
def test_what_is_read_back_is_the_report():
    report = report_of("simulated")
    assert json.loads(to_json(report)) == remove_all_name_marks(report)
    assert "\u2068" not in to_json(report)


def test_pictures_are_left_out_but_not_their_words():
    report = sample()
    document = json.loads(to_json(report))
    assert len(document["figures"]) == len(report["figures"]) > 0
    assert all("svg" not in figure for figure in document["figures"])
    assert document["figures"][0]["caption"] == report["figures"][0]["caption"]
    assert "svg" in report["figures"][0]


def test_names_are_verbatim():
    rows = json.loads(to_json(report_of("odd names")))["features"]["rows"]
    assert {row["feature"] for row in rows} <= set(NAMES)
    turned = sample()
    turned["features"]["rows"][0]["feature"] = "a\u202e\u2068b\u2069"
    document = json.loads(to_json(turned))
    assert document["features"]["rows"][0]["feature"] == "a\u202e\u2068b\u2069"
    assert "größe 漢" in to_json(sample(title="größe 漢"))


def test_what_is_no_number_is_null():
    report = sample(failures=[{"a": float("nan"), "b": np.float64("inf"), "c": np.int64(3)}])
    assert json.loads(to_json(report))["failures"] == [{"a": None, "b": None, "c": 3}]


def test_it_ends_with_a_line_end():
    assert to_json(sample()).endswith("}\n")
