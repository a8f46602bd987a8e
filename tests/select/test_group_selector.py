"""What group selectors share: centres in any unit, and a relevance that may draw samples."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.preprocessing import scale

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.select import GroupSelector, Scorer, SelectedGroups

Y = np.repeat(np.arange(10) % 2, 4)
SUBJECTS = np.repeat(np.arange(10), 4)
X = np.random.default_rng(0).normal(size=(40, 6)) + Y[:, None] * [2, 2, 0, 0, 0, 0]


class Halves(GroupSelector):
    """Finds two groups: the first half of the features, and the second."""

    def __init__(self, *, n_groups=None, output="centres", random_state=0):
        self.n_groups = n_groups
        self.output = output
        self.random_state = random_state

    def _group(self, X, y, generator):
        groups = np.array_split(np.arange(X.shape[1]), 2)
        return SelectedGroups(
            tuple(groups), np.array([own[0] for own in groups]), np.array([1.0, 0.0])
        )


class Seen(Scorer):
    """Scores nothing, and keeps which rows it saw."""

    log: ClassVar[list] = []

    def __init__(self, *, n_features_to_select=None, random_state=0):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        return generator.random(X.shape[1])

    def _score_many(self, X, y, rows, rngs):
        self.log.extend(own.copy() for own in rows)
        return super()._score_many(X, y, rows, rngs)


def by_relevance(relevance):
    """Return every group selector that has a relevance."""
    return [
        hf.DRAGS(relevance=relevance),
        hf.KMeansGroups(n_clusters=2, n_init=2, relevance=relevance),
        hf.ConsensusGroups("kmeans_groups:n_init=2", n_bags=2, relevance=relevance),
    ]


@pytest.mark.parametrize("unit", [1.0, 1e300, 1e-200, 1e-306])
def test_centres_are_means_of_standardised_features_in_any_unit(unit):
    centres = Halves().fit(X * unit, Y).transform(X * unit)
    expected = np.column_stack([scale(X)[:, :3].mean(axis=1), scale(X)[:, 3:].mean(axis=1)])
    np.testing.assert_allclose(centres, expected, atol=1e-9)


def test_centres_are_those_of_the_data_of_the_fit():
    fitted = Halves().fit(X[:30], Y[:30])
    deviation = (X - X[:30].mean(axis=0)) / X[:30].std(axis=0)
    np.testing.assert_allclose(fitted.transform(X)[:, 1], deviation[:, 3:].mean(axis=1))
    single = Halves().fit(X[:30].astype(np.float32), Y[:30]).transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, fitted.transform(X), atol=1e-5)


def test_constant_features_are_nothing_to_a_centre():
    padded = np.column_stack([np.full(40, 0.1), X[:, 0], np.zeros(40), X[:, 1]])
    centres = Halves().fit(padded, Y).transform(padded)
    np.testing.assert_allclose(centres, scale(X[:, :2]) / 2, atol=1e-12)


@pytest.mark.parametrize("selector", by_relevance(hf.Ensemble(Seen(), n_bags=3)), ids=repr)
def test_a_relevance_that_draws_samples_keeps_subjects_together(selector):
    assert selector.supports_subjects
    for run in (
        lambda: selector.fit(X, Y, groups=SUBJECTS),
        lambda: selector.bind(X, Y, SUBJECTS).select_resamples([np.arange(8, 40)]),
    ):
        Seen.log.clear()
        run()
        assert len(Seen.log) == 3
        for bag in Seen.log:
            counts = np.bincount(bag, minlength=40).reshape(10, 4)
            assert (counts == counts[:, :1]).all()
    assert counts[:2].sum() == 0


@pytest.mark.parametrize("selector", by_relevance(hf.Ensemble("t_score", n_bags=3)), ids=repr)
def test_a_relevance_that_draws_samples_keeps_copies_together(selector):
    own = np.random.default_rng(1).integers(0, 40, 40)
    (found,) = selector.bind(X, Y).select_resamples([own])
    fitted = selector.fit(X[own], Y[own], groups=own)
    assert [one.tolist() for one in found.members] == [one.tolist() for one in fitted.groups_[0]]
    np.testing.assert_allclose(found.scores, fitted.group_scores_)


def test_subjects_are_refused_where_nothing_is_drawn():
    for selector in by_relevance("f_score")[:2]:
        assert not selector.supports_subjects
        with pytest.raises(InvalidInputError, match="draws no samples"):
            selector.fit(X, Y, groups=SUBJECTS)
    assert by_relevance("f_score")[2].supports_subjects  # it has bags of its own


@pytest.mark.parametrize(
    "selector", by_relevance(hf.StabilitySelection(n_pairs=5, q=2, pfer=None)), ids=repr
)
def test_stability_selection_may_be_the_relevance(selector):
    fitted = selector.fit(X, Y)
    assert {0, 1} & set(fitted.groups_[0][0].tolist())
    assert fitted.group_scores_.max() <= 1


@pytest.mark.parametrize("selector", by_relevance(Seen()), ids=repr)
def test_the_seed_of_a_relevance_is_that_of_the_selector(selector):
    first = selector.fit(X, Y).group_scores_.tolist()
    assert selector.fit(X, Y).group_scores_.tolist() == first
    assert selector.set_params(random_state=1).fit(X, Y).group_scores_.tolist() != first


def test_features_that_separate_the_classes_have_a_finite_relevance():
    y = np.repeat([0, 1], 20)
    perfect = np.column_stack([y, y, y, X[:, 5]]).astype(float)
    for selector in by_relevance("f_score"):
        fitted = selector.fit(perfect, y)
        assert fitted.groups_[0][0].tolist() == [0, 1, 2]
        assert fitted.group_scores_[0] == np.finfo(float).max
