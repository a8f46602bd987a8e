"""Documents of earlier runs: kept outcomes, changed bars, other settings, counts."""

import copy
import json

import pytest

from holdfast.papers import reproduce
from holdfast.papers._pages import to_markdown
from holdfast.papers._stored import NEEDS_RUN, count_outcomes, judge_stored
from tests.papers.sample import NAME, SAMPLE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def document(sample, folder):
    made, _ = reproduce(NAME, out=folder, n_jobs=1, datasets=["wine", "breast_cancer"])
    return json.loads(json.dumps(made.document))


def outcomes(document):
    return [
        [(result["setting"], result["status"]) for result in finding["results"]]
        for finding in document["findings"]
    ]


def test_an_unchanged_document_stays_as_it_is(document):
    assert judge_stored(document, SAMPLE) == document


def test_first_documents_had_statement_and_bar_in_one_text(document):
    old = copy.deepcopy(document) | {"version": 1}
    del old["limits"]
    for finding in old["findings"]:
        for key in ("place", "bar", "published"):
            del finding[key]
        for result in finding["results"]:
            del result["cause"]
    assert judge_stored(old, SAMPLE)["findings"] == document["findings"]


def test_another_bar_is_applied_to_the_stored_numbers(document):
    old = copy.deepcopy(document)
    for finding in old["findings"]:
        finding["bar"] = "another"
        finding["results"] = [dict(one, status="not held") for one in finding["results"]]
    judged = judge_stored(old, SAMPLE)
    assert outcomes(judged)[:2] == outcomes(document)[:2]
    assert judged["findings"][2]["results"][0]["evidence"] == NEEDS_RUN


def test_numbers_of_another_main_setting_are_not_shown(document):
    old = copy.deepcopy(document)
    old["settings"][0]["name"] = "earlier"
    judged = judge_stored(old, SAMPLE)
    assert {one[0][1] for one in outcomes(judged)} == {"cannot be checked"}
    assert "another main setting (earlier)" in judged["notes"][-1]
    text = to_markdown(judged)
    assert "0.90" not in text
    assert "another main setting (earlier)" in text


def test_settings_that_were_withdrawn_changed_or_added_are_named(document):
    old = copy.deepcopy(document)
    old["settings"][0]["title"] = "Two other features."
    old["choices"] = ["Another choice."]
    old["settings"][1]["name"] = "withdrawn"
    for cell in old["cells"]:
        if cell["setting"] == "three":
            cell["setting"] = "withdrawn"
    judged = judge_stored(old, SAMPLE)
    assert [one["name"] for one in judged["settings"]] == ["two"]
    assert {cell["setting"] for cell in judged["cells"]} == {"two"}
    assert judged["notes"][-3].startswith("This run is older than the choices")
    assert "The numbers of two are from a run before" in judged["notes"][-2]
    assert judged["notes"][-1] == "Not yet run at this size: three."


def test_outcomes_are_counted_by_setting_and_cause(document):
    assert count_outcomes([document]) == {
        "held": 1, "not held": 1, "data": 1, "cannot be checked": 1
    }  # fmt: skip
    assert count_outcomes([document, document], "three") == {"held": 2, "cannot be checked": 4}
