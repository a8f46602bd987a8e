"""The expected overlap of training parts, against drawn resamples."""

import itertools

import numpy as np
import pytest

from holdfast._formatting import format_short_percent
from holdfast.resample import (
    AddedNoise,
    Bootstrap,
    ComplementaryHalves,
    CrossValidation,
    DisjointParts,
    FeatureSubsets,
    IndependentSamples,
    Nested,
    Splits,
    Subsampling,
    get_protocol,
    list_protocols,
)

DEFAULTS = [
    AddedNoise(), Bootstrap(), ComplementaryHalves(), CrossValidation(), DisjointParts(),
    FeatureSubsets(), IndependentSamples(), Nested(), Splits([([0, 1], [2])]), Subsampling(),
]  # fmt: skip


def shares(resamples):
    """Yield the shares that compared training parts have in common, in both directions."""
    compared = [r for r in resamples if r.role in ("main", "inner")]
    for one, other in itertools.permutations(compared, 2):
        if one.outer == other.outer:
            both = np.intersect1d(one.train, other.train)
            yield len(both) / len(np.unique(one.train))


@pytest.mark.parametrize(
    "plan",
    [
        Subsampling(60, 0.9),
        Subsampling(60, 0.5, stratify=False),
        Subsampling(60, 17),
        Bootstrap(60),
        Bootstrap(60, 0.5, stratify=False),
        Bootstrap(60, 20),
        CrossValidation(10),
        CrossValidation(7),
        CrossValidation(2),
        CrossValidation(3, n_repeats=8),
        Nested(5, Subsampling(30, 0.8)),
        Nested(5, CrossValidation(4)),
        ComplementaryHalves(3),
        DisjointParts(3, n_parts=4),
        AddedNoise(3),
    ],
    ids=repr,
)
def test_drawn_training_parts_share_as_much(plan):
    resamples = plan.draw(["a"] * 33 + ["b"] * 20, random_state=5)
    expected = plan.training_overlap(n_units=53)
    # 60 resamples: a standard error below 0.5%; strata and rounding move the share by up to 1%
    assert np.mean(list(shares(resamples))) == pytest.approx(expected, abs=0.02)


def test_closed_forms():
    assert CrossValidation(10).training_overlap() == 8 / 9
    assert CrossValidation(10).training_overlap(n_units=53) == 8 / 9
    assert CrossValidation(3, n_repeats=10, reference=True).training_overlap() == 1
    assert Subsampling(9, 0.9).training_overlap() == 0.9
    assert Subsampling(9, 0.9).training_overlap(n_units=5) == 0.8  # one is always left out
    assert Bootstrap().training_overlap() == pytest.approx(1 - np.exp(-1))
    assert Bootstrap(9).training_overlap(n_units=2) == 0.75
    assert Nested(10, 10).training_overlap() == 8 / 9
    assert IndependentSamples(3).training_overlap() == 0


def test_what_depends_on_more_is_none():
    assert Splits([([0, 1], [2])]).training_overlap() is None
    assert Subsampling(9, 20).training_overlap() is None
    assert Bootstrap(9, 20).training_overlap() is None


@pytest.mark.parametrize("plan", DEFAULTS, ids=lambda plan: plan.record.name)
def test_the_list_has_the_overlap_of_the_defaults(plan):
    words = {0: "none", 1: "all", None: "depends on the splits"}
    share = plan.training_overlap()
    words = words.get(share) or format_short_percent(share)
    assert words in get_protocol(plan.record.name).overlap


def test_all_protocols_are_tested():
    assert sorted(plan.record.name for plan in DEFAULTS) == sorted(list_protocols().index)


def test_the_sentences_name_the_share():
    for plan in (Subsampling(), CrossValidation(), Bootstrap(), Nested()):
        assert format_short_percent(plan.training_overlap()) in plan.estimates
