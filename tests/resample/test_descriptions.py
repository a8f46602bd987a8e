"""What protocols say about themselves is true of what they draw."""

from __future__ import annotations

import numpy as np
import pytest

from holdfast._formatting import format_short_percent
from holdfast.resample import (
    Bootstrap,
    ComplementaryHalves,
    CrossValidation,
    IndependentSamples,
    Nested,
    Subsampling,
)
from holdfast.study._planning._plan import protocol_facts
from tests.resample.test_all_protocols import all_examples

NOT_INDEPENDENT = "not the stability between independent studies"


@all_examples
@pytest.mark.parametrize("subjects", [False, True])
def test_sentences_are_whole_and_hold_the_numbers(plan, subjects):
    sentence = plan.estimates_for(subjects=subjects)
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert sentence.count(". ") == 0
    assert plan.description_for(subjects=subjects) in sentence or isinstance(plan, Nested)
    for number in [v for v in plan.to_dict().values() if type(v) is int and v > 1]:
        assert str(number) in sentence


@all_examples
def test_sentences_are_about_samples_unless_there_are_subjects(plan):
    assert plan.estimates == plan.estimates_for(subjects=False)
    assert plan.description == plan.description_for(subjects=False)
    assert "subject" not in plan.estimates + plan.description


def test_sentences_say_when_samples_are_shared():
    sharing = [Subsampling(), Subsampling(9, 20), CrossValidation(), Bootstrap(), Nested()]
    for plan in [*sharing, CrossValidation(reference=True), Bootstrap(9, 20)]:
        assert NOT_INDEPENDENT in plan.estimates
    assert "share about 88.9%" in CrossValidation().estimates
    assert "random 10% of the samples is left out" in Subsampling().estimates
    assert "63.2%" in Bootstrap().estimates
    assert "half the size" in ComplementaryHalves().estimates
    assert "independent studies of this size agree" in IndependentSamples().estimates


def test_two_folds_share_nothing():
    y = ["a", "b"] * 10
    one, other = CrossValidation(2).draw(y)
    assert not np.intersect1d(one.train, other.train).size
    for plan in (CrossValidation(2), Nested(5, 2)):
        assert "the two share no samples" in plan.estimates
        assert "two studies of half as many samples agree" in plan.estimates
        assert NOT_INDEPENDENT not in plan.estimates


def test_two_folds_share_half_with_those_of_other_repeats():
    sentence = CrossValidation(2, n_repeats=3).estimates
    assert "share no samples in one repeat and about 50% across repeats" in sentence
    assert NOT_INDEPENDENT in sentence


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Subsampling(1, 8), "one random choice of 8 subjects to another"),
        (Subsampling(), "a random 10% of the subjects is left out"),
        (CrossValidation(), "when 10% of the subjects are left out"),
        (CrossValidation(2), "the two share no subjects"),
        (CrossValidation(reference=True), "against all subjects"),
        (Bootstrap(), "about 63.2% of the subjects"),
        (Bootstrap(9, 20), "bootstrap samples of 20 subjects"),
        (ComplementaryHalves(), "share no subjects"),
        (Nested(), "when 10% of the subjects are left out"),
        (Nested(Subsampling(9, 20), 5), "subsamples of 20 subjects"),
    ],
)
def test_where_subjects_are_drawn_sentences_are_about_subjects(plan, words):
    sentence = plan.estimates_for(subjects=True)
    assert words in sentence
    assert " samples" not in sentence.replace("bootstrap samples", "")


@pytest.mark.parametrize("subjects", [False, True])
def test_plans_say_what_is_drawn(subjects):
    y, groups = ["a", "b"] * 60, np.repeat(range(12), 10)
    plan = Subsampling(1, 8)
    resamples = plan.draw(y, groups if subjects else None)
    facts = protocol_facts(plan, resamples, subjects=subjects)
    assert len(resamples[0].train) == (80 if subjects else 8)
    assert facts["description"].endswith("of 8 subjects" if subjects else "of 8 samples")
    assert facts["estimates"] == plan.estimates_for(subjects=subjects)


@pytest.mark.parametrize(
    ("part", "text"),
    [(0.9, "90%"), (2 / 3, "66.7%"), (1 / 3000, "0.03%"), (1 - 1 / 3000, "99.97%"), (0.1, "10%")],
)
def test_parts_are_neither_none_nor_all(part, text):
    assert format_short_percent(part) == text


def test_small_folds_are_not_nothing():
    sentence = CrossValidation(3000).estimates
    assert "when 0.03% of the samples are left out" in sentence
    assert "share about 99.97% of" in sentence
