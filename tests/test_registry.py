"""Records by name."""

from __future__ import annotations

import re
import runpy
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from holdfast._registry import INDEX_FILE, IndexEntry, Registry
from holdfast.errors import UnknownNameError


@dataclass(frozen=True)
class Record:
    name: str


def test_records_are_found_by_name_and_alias():
    registry: Registry[Record] = Registry("thing", [Record("first")])
    second = registry.register(Record("second"), aliases=("other",))
    assert registry.get_record("other") is registry["second"] is second
    assert list(registry) == ["first", "second"]
    assert len(registry) == 2


@pytest.mark.parametrize("name", ["first", "alias"])
def test_a_name_is_taken_once(name):
    registry = Registry("thing")
    registry.register(Record("first"), aliases=("alias",))
    with pytest.raises(RuntimeError, match=f"two things are called '{name}'"):
        registry.register(Record(name))
    with pytest.raises(RuntimeError, match=f"two things are called '{name}'"):
        registry.register(Record("second"), aliases=(name,))


def test_unknown_names_suggest_names_aliases_and_further_names():
    registry = Registry("thing", suggestions=("everything",))
    registry.register(Record("jaccard"), aliases=("tanimoto",))
    for wrong, right in [("jacard", "jaccard"), ("Tanimoto", "tanimoto"), ("everythin", "every")]:
        with pytest.raises(UnknownNameError, match=f"'{wrong}'. Did you mean '{right}"):
            registry.get_record(wrong)
    with pytest.raises(UnknownNameError, match=r"Known: everything, jaccard\.$"):
        registry.get_record("xxx")


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("RandomForestClassifier", "'random_forest', another name of 'forest'"),
        ("random-forest", "'random_forest'"),
        ("randomforest", "'random_forest'"),
        ("Forest", "'forest'?"),
        ("my forest of trees", "'forest'?"),
        ("random_scre", "'random_score'?"),
    ],
)
def test_unknown_names_are_understood_by_their_words_before_their_letters(name, suggestion):
    registry = Registry("thing", [Record("random_score")])
    registry.register(Record("forest"), aliases=("random_forest",))
    with pytest.raises(UnknownNameError, match=f"Did you mean {re.escape(suggestion)}"):
        registry.get_record(name)


@pytest.mark.parametrize("name", ["xgboost", "XGBoost", "xgbost", "XGBoost model"])
def test_names_from_elsewhere_have_a_remedy(name):
    registry = Registry("thing", [Record("score")], remedies={"xgboost": "Install xgboost."})
    with pytest.raises(UnknownNameError, match=rf"no thing is called '{name}'\. Install xgboost\."):
        registry.get_record(name)
    registry.register(Record("xgboost"))
    with pytest.raises(UnknownNameError, match="Did you mean 'xgboost'"):
        registry.get_record("xgbost")


def test_entry_points_add_records_but_replace_none(monkeypatch):
    points = [EntryPoint(name, "somewhere:thing", "things") for name in ("first", "added")]
    monkeypatch.setattr("holdfast._registry.entry_points", lambda group: points)
    registry = Registry(
        "thing",
        [first := Record("first")],
        entry_point_group="things",
        record_from_entry_point=lambda point: Record(point.name),
        describe=lambda record: {"size": len(record.name)},
    )
    assert registry.all_records() == {"first": first, "added": Record("added")}
    assert registry.get_record("added") == Record("added")
    assert list(registry) == ["first"]
    assert registry.rows() == [{"name": "added", "size": 5}, {"name": "first", "size": 5}]
    assert registry.to_frame()["size"].to_dict() == {"added": 5, "first": 5}


def test_the_index_is_current():
    path = Path(__file__).parents[1] / "tools" / "record_index.py"
    make_index = runpy.run_path(str(path))["make_index"]
    message = "run python tools/record_index.py and commit what it writes"
    assert make_index() == INDEX_FILE.read_text(encoding="utf-8"), message


def test_a_name_is_checked_without_an_import(monkeypatch):
    entry = IndexEntry("no.such.module", ["other"], {"size": 1})
    monkeypatch.setattr("holdfast._registry.read_index", lambda: {"thing": {"first": entry}})
    registry: Registry[Record] = Registry("thing", [Record("second")], describe=lambda _: {})
    for name in ("first", "other", "second"):
        registry.check_name(name)
    with pytest.raises(UnknownNameError, match="Did you mean 'other', another name of 'first'"):
        registry.check_name("othr")
    assert registry.rows() == [{"name": "first", "size": 1}, {"name": "second"}]
    assert list(registry) == ["first", "second"]
    assert len(registry) == 2
    with pytest.raises(ModuleNotFoundError, match="No module named"):
        registry.get_record("other")
