"""What was done: enough to do it again, with everything cited that was used."""

from __future__ import annotations

import re

import numpy as np
import pytest

import holdfast as hf
from holdfast._bibliography import REFERENCES
from holdfast.report._evidence import near_duplicates
from holdfast.report._formatting import remove_all_name_marks
from holdfast.report._glossary import describe_classifier, describe_selector, format_options
from tests.report.sample_results import report_of, simulated

X = "\u2068x\u2069"


def methods(name):
    """Return the part of a report that says what was done."""
    return remove_all_name_marks(report_of(name)["methods"])


@pytest.mark.slow
def test_everything_cited_is_listed_and_everything_listed_is_cited():
    told = methods("simulated")
    shorts = {one.short: one.full for one in REFERENCES.values()}
    brackets = " ".join(re.findall(r"\(([^()]*)\)", told["paragraph"]))
    cited = {full for short, full in shorts.items() if short in brackets}
    assert set(told["references"]) == cited
    assert any("Nogueira" in full for full in cited)


@pytest.mark.slow
def test_the_paragraph_names_what_was_used():
    text = methods("wine")["paragraph"]
    assert "13 features of 178 samples (59 class_0, 71 class_1 and 48 class_2)" in text
    assert "F statistic (analysis of variance, F; Yu et al. 2008)" in text
    assert "ReliefF (near, n_neighbors = 3; Kononenko 1994" in text
    assert "The best 2 or 12 features of each ranking were kept" in text
    assert "cross-validation (Kalousis et al. 2005" in text
    assert "lda (LinearDiscriminantAnalysis)" in text
    assert "McNemar's test" in text
    assert "t-test" not in text
    assert f"holdfast {hf.__version__}" in text
    assert "the seed was 0" in text


def test_repeated_tests_are_reported_as_such():
    text = methods("simulated")["paragraph"]
    assert "the t-test on samples, enlarged for shared training samples" in text
    assert "McNemar" not in text


def test_the_error_of_the_choice_is_explained():
    assert "bootstrap bias correction (Tsamardinos et al. 2018)" in methods("folds")["paragraph"]


def test_independent_data_sets_are_no_overlapping_ones():
    text = methods("drawn")["paragraph"]
    assert "standard errors over data sets" in text
    assert "overlapping" not in text


def test_no_classifier_means_no_word_of_errors():
    text = methods("no classifiers")["paragraph"]
    assert "predicted" not in text
    assert "compared" not in text


def test_data_facts_and_provenance_are_there():
    study = simulated()
    told = methods("simulated")
    facts = dict(map(tuple, told["data"]))
    assert (facts["Samples"], facts["Features"]) == ("60", "300")
    assert facts["Classes"] == "case: 30, control: 30"
    assert facts["Missing values"] == "none"
    assert told["fingerprint"] == study.dataset.fingerprint
    assert told["seed"] == 0
    assert told["protocol"] == study.protocol_sentence
    assert dict(map(tuple, told["versions"]))["holdfast"] == hf.__version__


def test_data_that_are_gone_are_warned_of():
    told = methods("folds")
    assert any("no longer available" in text for text in told["warnings"])
    assert "Missing values" not in dict(map(tuple, told["data"]))


def test_few_samples_of_a_class_are_warned_of():
    told = methods("own size")
    assert (
        "Few samples of a (15) and b (15): results for them may be due to chance."
        in (told["warnings"])
    )
    assert not any("Few samples" in text for text in methods("simulated")["warnings"])


def test_only_options_that_were_set_are_reported():
    spelling = {
        "class": "sklearn.svm:SVC",
        "parameters": {"C": 0.5, "kernel": "rbf", "random_state": 3, "gamma": {"opaque": "x"}},
    }
    assert format_options(spelling) == "C = 0.5"
    assert (
        describe_classifier({"name": "svm", "object": spelling}) == "\u2068svm\u2069 (SVC, C = 0.5)"
    )


def test_plans_of_others_import_nothing():
    stranger = {"class": "antigravity:Thing", "parameters": {"a": 1}}
    assert format_options(stranger) == "a = 1"
    assert describe_selector({"name": "x", "object": stranger}) == (X, "a = 1")
    assert describe_selector({"name": "x", "object": {"opaque": "<function>"}}) == (X, "")
    assert format_options({"class": "sklearn.nowhere:Thing", "parameters": {"a": 1}}) == "a = 1"


def test_copies_are_found_whatever_their_sign_and_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    X[:, 1] = 5 - 3 * X[:, 0]
    X[:, 2] = 7.0
    X[0, 3] = np.nan
    assert near_duplicates(X, [0, 1, 2, 3, 4, 5]) == {0: (1, -1.0), 1: (0, -1.0)}
    assert near_duplicates(X, [4, 0, 5]) == {}
    assert near_duplicates(X, []) == {}
