"""Selectors named by a module or a file."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest, chi2

import holdfast as hf
from holdfast._imported_objects import IMPORTED_FILES, pickle_with_files, unpickle_with_files
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select import as_selector, named_selector

SELECTORS = """
from neighbor_module import double
from sklearn.feature_selection import SelectKBest
from sklearn.tree import DecisionTreeClassifier
from holdfast.select import Scorer

def score(X, y):
    return double(abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)))

best = SelectKBest(k=3)
alias = "relieff"
number = 3

class Trees(DecisionTreeClassifier):
    pass

class Mine(Scorer):
    def __init__(self, power=1, *, n_features_to_select=None, random_state=0):
        self.power = power
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        return score(X, y) ** self.power

class Outer:
    class Inner(SelectKBest):
        def __init__(self, score_func=score, *, k=2):
            super().__init__(score_func, k=k)

class Needy:
    def __init__(self, needed):
        self.needed = needed
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a working directory with a file of selectors, and a module that it imports."""
    (tmp_path / "mine.py").write_text(SELECTORS)
    (tmp_path / "neighbor_module.py").write_text("def double(values):\n    return 2 * values\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "other.py").write_text("def score(X, y):\n    return X.std(axis=0)\n")
    monkeypatch.chdir(tmp_path)
    before = set(IMPORTED_FILES)
    yield tmp_path
    for name in set(IMPORTED_FILES) - before:
        del IMPORTED_FILES[name], sys.modules[name]
    sys.modules.pop("neighbor_module", None)


def data():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    return rng.standard_normal((40, 5)) + np.outer(y, np.arange(5)), y


def test_functions_instances_and_classes_are_taken_from_a_file(here):
    X, y = data()
    expected = 2 * abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
    name, selector = named_selector("mine.py:score")
    assert name == "score"
    assert selector.fit(X, y).scores_ == pytest.approx(expected)
    name, selector = named_selector("mine.py:best")
    assert (name, selector.estimator.k) == ("best", 3)
    name, selector = named_selector("mine.py:Mine:power=2,n_features_to_select=2")
    assert name == "mine"
    assert selector.fit(X, y).scores_ == pytest.approx(expected**2)
    assert selector.get_support().sum() == 2
    assert named_selector("mine.py:Mine(power=2)")[1].power == 2
    assert named_selector(" mine.py:Outer.Inner:k=1 ")[1].fit(X, y).get_support().sum() == 1
    assert named_selector("mine.py:Trees(max_depth=2)")[1].estimator.max_depth == 2


@pytest.mark.parametrize(
    "place", ["folder/other.py", "./folder/other.py", "{here}/folder/other.py"]
)
def test_paths_are_relative_or_absolute(here, place):
    X, y = data()
    selector = named_selector(f"{place.format(here=here)}:score")[1]
    assert selector.fit(X, y).scores_ == pytest.approx(X.std(axis=0))


def test_objects_of_installed_modules():
    name, selector = named_selector("sklearn.feature_selection:chi2")
    assert (name, selector.estimator) == ("chi2", chi2)
    name, selector = named_selector(
        "sklearn.feature_selection:RFE(estimator=sklearn.svm:LinearSVC(C=0.5),step=2)"
    )
    assert name == "rfe"
    assert (selector.estimator.step, selector.estimator.estimator.C) == (2, 0.5)


def test_options_of_holdfast_s_selectors_may_name_objects(here):
    base = named_selector("ensemble:base=mine.py:score,n_bags=3")[1].base
    assert base.__name__ == "score"
    one, two = named_selector("ensemble:base=(mine.py:best,relieff),n_bags=3")[1].base
    assert isinstance(one, SelectKBest)
    assert two == "relieff"
    X, y = data()
    assert named_selector("ensemble:base=mine.py:score,n_bags=3")[1].fit(X, y).ranking_[4] == 1


def test_options_of_names_stay_what_they_were():
    assert named_selector("relieff:n_neighbors=5")[1].n_neighbors == 5
    with pytest.raises(InvalidInputError, match="options must have the form key=value; got 'foo'"):
        named_selector("relieff:foo")


def test_a_file_is_imported_once_and_again_when_it_has_changed(here):
    first = named_selector("mine.py:score")[1].estimator
    assert named_selector("mine.py:score")[1].estimator is first
    (here / "mine.py").write_text("def score(X, y):\n    return X.mean(axis=0)\n")
    assert named_selector("mine.py:score")[1].estimator is not first


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere.py:score", r"nowhere.py: this file does not exist \(.*nowhere.py\)"),
        ("folder.py:score", "folder.py: this file is no regular file"),
        ("mine.py:scor", "mine.py has no 'scor'. Did you mean 'score'"),
        ("mine.py:Outer.Iner", "mine.py has no 'Outer.Iner'. Did you mean 'Inner'"),
        ("mine.py:score:k=3", "has options, but score is no class"),
        ("mine.py:alias", "'mine.py:alias' is a text"),
        ("mine.py:number", "mine.py:number: a selector must be .*; got 3"),
        ("mine.py:Needy", r"'mine.py:Needy' cannot be built \(TypeError: .*'needed'"),
        ("mine.py:Needy(needed=1)", "mine.py:Needy.*: a selector must be a selector, an estimator"),
        ("no_such_module:score", "no module is called 'no_such_module'"),
        ("sklearn.no_such:score", "no module is called 'sklearn.no_such'"),
        ("sklearn.svm:LinearSVX", "sklearn.svm has no 'LinearSVX'. Did you mean 'LinearSV"),
        ("division.py:f", r"ZeroDivisionError: division by zero \(line 3: boom = 1 / 0\)"),
        ("syntax.py:f", r"SyntaxError: .*\(line 2: def f\(:\)"),
        ("ending.py:f", r"ending.py cannot be imported: SystemExit: enough \(line 1: raise"),
        ("indirect.py:f", r"ModuleNotFoundError: No module named 'absent_module' \(line 2: import"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_the_line_of_the_user(here, text, message):
    (here / "folder.py").mkdir()
    (here / "division.py").write_text("a = 1\n\nboom = 1 / 0\n")
    (here / "syntax.py").write_text("a = 1\ndef f(:\n")
    (here / "ending.py").write_text("raise SystemExit('enough')\n")
    (here / "indirect.py").write_text("a = 1\nimport absent_module\n")
    with pytest.raises(InvalidInputError, match=message):
        named_selector(text)
    assert not any("division" in name for name in sys.modules)


def test_unknown_options_of_a_class_are_named(here):
    with pytest.raises(UnknownNameError, match=r"has no option 'powr'\. Did you mean 'power'"):
        named_selector("mine.py:Mine:powr=2")


def test_parameters_import_nothing(here):
    (here / "canary.py").write_text("open('sung', 'w').close()\ndef score(X, y): ...\n")
    for text, place in (("canary.py:score", "file"), ("canary:score", "module")):
        with pytest.raises(InvalidInputError, match=f"names an object of a {place}, which is not"):
            as_selector(text)
        with pytest.raises(InvalidInputError, match="pass the object itself"):
            hf.Ensemble(text, n_bags=2).fit(*data())
    assert not (here / "sung").exists()


def test_a_pickle_brings_the_file_along(here):
    X, y = data()
    selector = named_selector("mine.py:Mine:power=2")[1]
    expected = selector.fit(X, y).scores_
    packed = pickle_with_files(selector)
    for name in [name for name in IMPORTED_FILES if "_mine_" in name]:
        del IMPORTED_FILES[name], sys.modules[name]  # as in a new process, on another machine
    (here / "mine.py").unlink()
    assert unpickle_with_files(packed).fit(X, y).scores_.tolist() == expected.tolist()


@pytest.mark.integration
@pytest.mark.slow
def test_simulations_run_it_in_processes(here):
    population = hf.simulate.IndependentGaussian(n_samples=20, n_features=10)
    selectors = {"file": "mine.py:score", "builtin": "f_score"}
    one, two = (
        hf.simulate.simulate_stability(population, selectors, size=2, n_sets=4, n_jobs=n_jobs)
        for n_jobs in (1, 2)
    )
    assert one.to_frame().equals(two.to_frame())
