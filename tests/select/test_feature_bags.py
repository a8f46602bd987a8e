"""Ensembles whose bags have some of the features only."""

import numpy as np
import pytest
from scipy.stats import rankdata

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.resample import Bootstrap, Units
from holdfast.select._ensemble._members import draw_feature_bags
from holdfast.select._ensemble._rank_aggregation import (
    AGGREGATES,
    combine_votes,
    compute_votes,
    get_aggregate,
)

Y = np.arange(60) % 2
X = np.random.default_rng(0).normal(size=(60, 9)) + Y[:, None] * [2, -1.5, 0, 0, 0, 0, 0, 0, 0]


def naive_ensemble(make_scores, n_bags, size, state):
    """Return the mean votes m + 1 - r over the bags that hold a feature; all in plain loops."""
    fitted = hf.Ensemble(make_scores(), n_bags=n_bags, feature_bag_size=size, random_state=state)
    feature_bags = fitted.fit(X, Y).feature_bags_
    generator = next(iter(hf.select._selector.generators(state, 1)))
    seed = int(generator.integers(2**31, size=2)[0])
    units = Units.from_labels(Y, None)
    bags = [bag.train for bag in Bootstrap(n_bags, 1.0).draw_units(units, seed, None)]
    votes = [[] for _ in range(9)]
    for rows, features in zip(bags, feature_bags, strict=True):
        scores = make_scores().fit(X[np.ix_(rows, features)], Y[rows]).scores_
        ranks = rankdata(-scores)
        for feature, rank in zip(features, ranks, strict=True):
            votes[feature].append(len(features) + 1 - rank)
    return fitted, np.array([np.mean(of_feature) for of_feature in votes])


@pytest.mark.parametrize("size", [0.5, 3])
@pytest.mark.parametrize("kind", [hf.TScore, hf.InformationGain])
def test_scores_are_mean_votes_over_the_bags_that_hold_a_feature(kind, size):
    fitted, expected = naive_ensemble(kind, 11, size, 5)
    assert {len(bag) for bag in fitted.feature_bags_} == {5 if size == 0.5 else 3}
    assert fitted.scores_ == pytest.approx(expected, rel=1e-12)
    assert np.isnan(fitted.votes_).sum() == 11 * (9 - len(fitted.feature_bags_[0]))


def test_all_features_are_in_equally_many_bags():
    for n_bags, size in ((10, 3), (7, 4), (3, 3), (20, 8)):
        bags = draw_feature_bags(size, n_bags, 9, 0)
        assert all(len(set(bag)) == size for bag in bags)
        counts = np.bincount(np.concatenate(bags), minlength=9)
        assert counts.max() - counts.min() <= 1
    again = draw_feature_bags(8, 25, 9, 0)
    assert all(np.array_equal(*pair) for pair in zip(bags, again[:20], strict=True))
    other = draw_feature_bags(8, 20, 9, 1)
    assert not all(np.array_equal(*pair) for pair in zip(bags, other, strict=True))


@pytest.mark.parametrize("size", [1.0, 9])
def test_bags_of_all_features_change_nothing(size):
    plain = hf.Ensemble("relieff", n_bags=6).fit(X, Y)
    full = hf.Ensemble("relieff", n_bags=6, feature_bag_size=size).fit(X, Y)
    assert full.feature_bags_ is None
    assert np.array_equal(plain.scores_, full.scores_)
    assert np.array_equal(plain.votes_, full.votes_)


def test_the_samples_of_bags_do_not_depend_on_the_features():
    """A score of each feature by itself votes the same for the first of its bag."""
    plain = hf.Ensemble("t_score", n_bags=8, aggregate="best").fit(X, Y)
    some = hf.Ensemble("t_score", n_bags=8, aggregate="best", feature_bag_size=4).fit(X, Y)
    for ranks, votes, features in zip(
        plain.rankings_.values, some.votes_, some.feature_bags_, strict=True
    ):
        assert np.array_equal(-votes[features], rankdata(ranks[features]))


@pytest.mark.parametrize("aggregate", [*AGGREGATES, np.negative])
def test_good_features_come_first_whatever_the_aggregate(aggregate):
    fitted = hf.Ensemble("t_score", n_bags=40, aggregate=aggregate, feature_bag_size=0.4, top=2)
    fitted.fit(X, Y)
    assert set(np.argsort(fitted.ranking_)[:2]) == {0, 1}
    assert np.isfinite(fitted.scores_).all()
    rankings = fitted.rankings_.values
    assert np.allclose(rankings.sum(axis=1), 45)
    absent = np.isnan(fitted.votes_)
    assert (rankings[absent] == (4 + 1 + 9) / 2).all()


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_votes_are_combined_feature_by_feature(aggregate):
    """As for each feature alone, from its own rankings; ranks count among the features of a bag."""
    rng = np.random.default_rng(3)
    table = np.full((5, 7), np.nan)
    for row, features in zip(table, draw_feature_bags(4, 5, 7, 1), strict=True):
        row[features] = rng.permutation(4) + 1.0
    way = get_aggregate(aggregate)
    votes = compute_votes(table, way, 2)
    combined = combine_votes(votes, way)
    for feature in range(7):
        own = votes[~np.isnan(votes[:, feature]), feature]
        assert combined[feature] == pytest.approx(way.combine(own[:, None], 4)[0])
    present = ~np.isnan(table)
    for row, votes_of_row, mask in zip(table, votes, present, strict=True):
        assert np.array_equal(votes_of_row[mask], compute_votes(row[mask][None], way, 2)[0])


@pytest.mark.parametrize("base", ["svm_rfe", "(t_score,svm_rfe)", "forest_importance"])
def test_resamples_equal_single_fits(base):
    ensemble = hf.Ensemble(base, n_bags=5, feature_bag_size=0.5)
    rows = [np.arange(60), np.arange(50)]
    many = ensemble.score_resamples(X, Y, rows).values
    assert many[0] == pytest.approx(ensemble.fit(X, Y).scores_)
    assert np.array_equal(many[1], ensemble.score_resamples(X, Y, rows[1:], first=1).values[0])


def test_nominal_features_are_found_by_their_place_in_the_bag():
    """As numbers, the codes of the classes 0, 1 and 2 would be at unequal distances."""
    rng = np.random.default_rng(0)
    data = np.column_stack([rng.normal(size=(60, 3)), rng.integers(0, 3, 60), Y + 1.0])
    nominal = hf.ReliefF(nominal=[3, 4])
    fitted = hf.Ensemble(nominal, n_bags=8, feature_bag_size=3).fit(data, Y)
    generator = next(iter(hf.select._selector.generators(0, 1)))
    seed = int(generator.integers(2**31, size=2)[0])
    bags = Bootstrap(8, 1.0).draw_units(Units.from_labels(Y, None), seed, None)
    for bag, features, votes in zip(bags, fitted.feature_bags_, fitted.votes_, strict=True):
        places = [place for place, feature in enumerate(features) if feature > 2]
        relief = hf.ReliefF(nominal=places)
        scores = relief.fit(data[np.ix_(bag.train, features)], Y[bag.train]).scores_
        assert np.array_equal(votes[features], 4 - rankdata(-scores))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"feature_bag_size": 0.0}, "feature_bag_size must be a number above 0 and up to 1"),
        ({"feature_bag_size": 1}, "feature_bag_size must be a whole number of at least 2"),
        ({"feature_bag_size": 10}, "at most the 9 features"),
        ({"feature_bag_size": 2, "n_bags": 4}, "set n_bags to at least 5"),
        ({"feature_bag_size": 0.5, "n_bags": None}, "needs bags"),
    ],
)
def test_unusable_sizes_are_refused(options, words):
    with pytest.raises(InvalidInputError, match=words):
        hf.Ensemble("t_score", **options).fit(X, Y)
