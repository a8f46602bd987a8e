"""Objects as import paths and JSON parameters."""

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectKBest, f_classif
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

import holdfast as hf
from holdfast.errors import StudyError
from holdfast.select import halve_then_one
from holdfast.study._storage._plan_objects import _build
from holdfast.study._storage._serialization import import_object, is_opaque, serialize_object
from holdfast.study._storage._trusted_objects import (
    list_references,
    why_not_called,
    why_not_imported,
)


def deserialize_object(document):
    """Return the object of a serialized form, none of which needs trust."""
    references = list(list_references(document))
    assert not any(map(why_not_imported, references))
    imported = {one: import_object(one.text) for one in references}
    assert not any(why_not_called(one, thing) for one, thing in imported.items())
    return _build(document, imported)


THINGS = [
    hf.ReliefF(n_neighbors=7, nominal=[0, 2]),
    hf.SVMRFE(step=halve_then_one),
    hf.AnySelector(RFE(SVC(kernel="linear"), n_features_to_select=3)),
    hf.AnySelector(SelectKBest(f_classif, k=4)),
    hf.AnySelector(f_classif),
    RandomForestClassifier(class_weight={"a": 1.5}),
    hf.Nested(hf.Subsampling(10, 0.9), hf.Bootstrap(40)),
    [None, True, 1, 2.5, "text", (1, 2)],
    make_pipeline(MinMaxScaler(), SimpleImputer(), SVC(class_weight={0: 1.0, 1: 2.0})),
]


@pytest.mark.parametrize("thing", THINGS, ids=lambda one: type(one).__name__)
def test_what_is_spelled_can_be_made_again(thing):
    spelling = json.loads(json.dumps(serialize_object(thing)))
    assert not is_opaque(spelling)
    assert serialize_object(deserialize_object(spelling)) == spelling
    assert type(deserialize_object(spelling)) is type(thing)


def test_public_import_paths_are_preferred():
    assert serialize_object(hf.ReliefF())["class"] == "holdfast.select:ReliefF"
    assert serialize_object(SVC())["class"] == "sklearn.svm:SVC"


def test_numpy_values_become_plain():
    assert serialize_object(np.float64(0.5)) == 0.5
    assert serialize_object(np.array([1, 2])) == [1, 2]


class Local:
    def __repr__(self):
        return f"<Local at {hex(id(self))}>"


def test_what_cannot_be_imported_is_opaque_and_says_so():
    spelling = serialize_object(hf.AnySelector(lambda X, y: X[0]))
    assert is_opaque(spelling)
    with pytest.raises(StudyError, match=r"cannot be imported; continue with Study.run"):
        deserialize_object(spelling)
    assert serialize_object(Local()) == serialize_object(Local())
    assert serialize_object(Local())["opaque"] == "<Local>"


def test_a_change_of_what_cannot_be_imported_is_noticed():
    def function(shift):
        return lambda X, y: X[0] + shift

    first, again, other = (serialize_object(function(shift)) for shift in (1, 1, 2))
    assert first == again
    assert first != other
    assert serialize_object(lambda X, y: X[0]) != serialize_object(lambda X, y: -X[1])


def test_numbers_that_json_does_not_have_are_spelled():
    assert serialize_object([float("nan"), np.inf]) == [{"float": "nan"}, {"float": "inf"}]
    assert deserialize_object({"float": "-inf"}) == -np.inf
    json.dumps(serialize_object(SimpleImputer()), allow_nan=False)


@pytest.mark.parametrize("path", ["no_such_module:x", "holdfast:NoSuchName"])
def test_a_path_that_leads_nowhere_is_reported(path):
    with pytest.raises(StudyError, match="cannot be imported"):
        import_object(path)
