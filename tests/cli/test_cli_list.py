"""``holdfast list``."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from holdfast.cli import main
from holdfast.measures import list_measures
from holdfast.select import list_selectors


def run(*arguments):
    return CliRunner().invoke(main, ["list", *arguments], prog_name="holdfast")


def test_table_holds_every_measure():
    result = run("measures")
    assert result.exit_code == 0
    assert result.stderr == ""
    header, *lines = result.stdout.splitlines()
    assert header.split() == [
        "measure",
        "form",
        "range",
        "corrected",
        "focus",
        "registers",
        "size-biased",
        "title",
        "needs",
        "reference",
    ]
    assert [line.split()[0] for line in lines] == list(list_measures().index)


def test_json_holds_every_record():
    result = run("measures", "--json")
    records = {record.pop("name"): record for record in json.loads(result.stdout)}
    table = list_measures()
    assert list(records) == list(table.index)
    assert set(records["kuncheva"]) == set(table.columns)
    assert records["kuncheva"]["form"] == "subset"
    assert records["kuncheva"]["corrected"] is True
    assert sorted(records["kuncheva"]["needs"]) == ["equal_sizes", "n_features"]
    assert records["jaccard"]["needs"] == []
    taxonomy = ("focus", "registers", "size_biased")
    assert [records["anhd"][key] for key in taxonomy] == [
        "subsets",
        "selection and exclusion",
        True,
    ]
    assert [records["spearman"][key] for key in taxonomy] == ["", "", None]


@pytest.mark.parametrize(
    ("form", "stored"),
    [("subset", "subset"), ("rankings", "ranking"), ("ranking", "ranking"), ("weights", "weights")],
)
def test_only_one_form(form, stored):
    records = json.loads(run("measures", "--form", form, "--json").stdout)
    assert {record["form"] for record in records} == {stored}


def test_unknown_form_is_wrong_usage():
    result = run("measures", "--form", "sets")
    assert result.exit_code == 2
    assert "'subset'" in result.stderr


def test_unknown_list_is_wrong_usage():
    result = run("mesures")
    assert result.exit_code == 2
    assert "Did you mean 'measures'?" in result.stderr


def test_selectors_are_listed():
    result = run("selectors")
    assert result.exit_code == 0
    header, *lines = result.stdout.splitlines()
    columns = ["selector", "gives", "missing", "sparse", "title", "also", "reference"]
    assert header.split() == columns
    assert [line.split()[0] for line in lines] == list(list_selectors().index)
    records = json.loads(run("selectors", "--json").stdout)
    assert [record["name"] for record in records] == list(list_selectors().index)
    assert {record["gives"] for record in records} == {"weights", "ranking", "groups", "subset"}
    aliases = {record["name"]: record["aliases"] for record in records}
    assert aliases["forest_importance"] == ["random_forest"]
    assert aliases["relieff"] == []
