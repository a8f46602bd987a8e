"""Ensembles of selectors: bags, members, votes, and what scikit-learn makes of them."""

import warnings
from typing import ClassVar

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select import Ranker, Scorer

Y = np.arange(60) % 2
X = np.random.default_rng(0).normal(size=(60, 8)) + Y[:, None] * [2, -1.5, 0, 0, 0, 0, 0, 0]
SUBJECTS = np.repeat(np.arange(15), 4)
BY_SUBJECT = (SUBJECTS % 2).astype(int)


class Seen(Scorer):
    """Gives random scores, with ties, and keeps which rows it saw and with which seeds."""

    log: ClassVar[list] = []

    def __init__(self, *, n_features_to_select=None, random_state=0):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X, y, generator):
        return generator.integers(4, size=X.shape[1]).astype(float)

    def _score_many(self, X, y, rows, rngs):
        scores = super()._score_many(X, y, rows, rngs)
        self.log.append((self.random_state, [own.copy() for own in rows], scores))
        return scores


@pytest.fixture
def log():
    Seen.log.clear()
    return Seen.log


def test_scores_are_the_mean_of_linear_votes_over_bags(log):
    fitted = hf.Ensemble(Seen(), n_bags=7).fit(X, Y)
    ((_, rows, scores),) = log  # all bags in one call
    assert len(rows) == 7
    ranks = np.array([rankdata(-row) for row in scores])  # ties averaged
    assert fitted.rankings_.values == pytest.approx(ranks)
    assert fitted.votes_ == pytest.approx(8 + 1 - ranks)
    assert fitted.scores_ == pytest.approx((8 + 1 - ranks).mean(axis=0))
    assert (np.diff(fitted.scores_[np.argsort(fitted.ranking_)]) <= 0).all()
    assert -1 <= hf.measure("spearman", fitted.rankings_) <= 1


def test_many_bags_are_heard_in_parts_that_make_no_difference(log, monkeypatch):
    whole = hf.Ensemble([Seen(), "svm_rfe"], n_bags=7).fit(X, Y)
    monkeypatch.setattr("holdfast.select._ensemble._members.MAX_SCORES_PER_CALL", 3 * 8)
    parts = hf.Ensemble([Seen(), "svm_rfe"], n_bags=7).fit(X, Y)
    assert [len(rows) for _, rows, _ in log] == [7, 3, 3, 1]
    assert parts.votes_.tolist() == whole.votes_.tolist()


def test_bags_are_stratified_bootstrap_samples_or_subsamples(log):
    y = np.array([0] * 40 + [1] * 20)
    hf.Ensemble(Seen(), n_bags=3).fit(X, y)
    hf.Ensemble(Seen(), n_bags=3, replace=False, bag_size=0.5).fit(X, y)
    hf.Ensemble(Seen(), n_bags=3, bag_size=12).fit(X, y)
    for own in log[0][1]:
        assert np.bincount(y[own]).tolist() == [40, 20]
        assert len(np.unique(own)) < 60
    for own in log[1][1]:
        assert len(np.unique(own)) == len(own) == 30
    assert [len(own) for own in log[2][1]] == [12] * 3


def test_without_bags_each_selector_judges_all_samples_once():
    both = hf.Ensemble([hf.TScore(), hf.SVMRFE()], n_bags=None).fit(X, Y)
    ranks = [hf.TScore().fit(X, Y).ranking_, hf.SVMRFE().fit(X, Y).ranking_]
    assert both.rankings_.values.tolist() == np.array(ranks).tolist()
    assert both.scores_ == pytest.approx(9 - np.mean(ranks, axis=0))


def test_several_selectors_judge_the_same_bags_one_after_the_other(log):
    fitted = hf.Ensemble([Seen(), hf.TScore(), Seen()], n_bags=4).fit(X, Y)
    assert fitted.votes_.shape == (12, 8)
    (first, rows, scores), (second, others, _) = log
    assert first != second  # chance is not the same for two of a kind
    assert [own.tolist() for own in rows] == [own.tolist() for own in others]
    assert fitted.votes_[:4] == pytest.approx(9 - np.array([rankdata(-row) for row in scores]))
    middle = hf.TScore().rank_resamples(X, Y, rows).values
    assert fitted.votes_[4:8] == pytest.approx(9 - middle)


def test_rankers_give_their_ranking(log):
    fitted = hf.Ensemble([Seen(), hf.SVMRFE()], n_bags=3).fit(X, Y)
    rows = log[0][1]
    expected = hf.SVMRFE().rank_resamples(X, Y, rows).values
    assert fitted.rankings_.values[3:].tolist() == expected.tolist()


@pytest.mark.parametrize("aggregate", ["score_mean", "score_norm"])
def test_scores_are_aggregated_where_there_are_some(aggregate, log):
    fitted = hf.Ensemble(["t_score", Seen()], aggregate=aggregate, n_bags=5).fit(X, Y)
    assert fitted.votes_.min() == 0
    assert fitted.votes_.max() == 1
    t_scores = hf.TScore().score_resamples(X, Y, log[0][1]).values
    assert [np.argmax(row) for row in fitted.votes_[:5]] == t_scores.argmax(axis=1).tolist()
    with pytest.raises(InvalidInputError, match="SVMRFE gives a ranking only"):
        hf.Ensemble(["t_score", "svm_rfe"], aggregate=aggregate).fit(X, Y)


@pytest.mark.parametrize(
    "aggregate",
    ["linear", "exponential", "mean", "median", "best", "frequency", "rra", np.reciprocal],
)
def test_good_features_come_first_whatever_the_aggregate(aggregate):
    fitted = hf.Ensemble("t_score", n_bags=11, aggregate=aggregate, top=2).fit(X, Y)
    assert set(np.flatnonzero(fitted.ranking_ <= 2)) == {0, 1}
    assert np.isfinite(fitted.scores_).all()
    again = clone(fitted).fit(X, Y)
    assert again.scores_.tolist() == fitted.scores_.tolist()


def test_robust_ranks_see_no_agreement_in_ties():
    nothing = hf.Ensemble(n_bags=5, aggregate="rra").fit(np.ones((60, 4)), Y)
    assert nothing.scores_.tolist() == [-np.log(5)] * 4
    assert (nothing.votes_ == -4).all()
    assert (nothing.rankings_.values == 2.5).all()
    wide = np.hstack([X, np.random.default_rng(1).normal(size=(60, 200))])
    trees = hf.ForestImportance(n_estimators=5, importance="impurity")
    forest = hf.Ensemble(trees, n_bags=10, aggregate="rra").fit(wide, Y)
    unused = (forest.votes_ == -208).all(axis=0)
    assert unused.sum() > 20
    assert (forest.scores_[unused] == forest.scores_.min()).all()
    assert forest.scores_.min() < 0
    assert np.mean(forest.scores_ > 0) < 0.2


def test_selectors_are_given_in_many_ways():
    plain = hf.Ensemble(hf.ReliefF(n_neighbors=5), n_bags=4).fit(X, Y)
    for same in ("relieff:n_neighbors=5", "relieff(n_neighbors=5)", ["relieff(n_neighbors=5)"]):
        assert hf.Ensemble(same, n_bags=4).fit(X, Y).scores_ == pytest.approx(plain.scores_)
    listed = hf.Ensemble("(relieff(n_neighbors=5),svm_rfe)", n_bags=4).fit(X, Y)
    assert listed.votes_[:4] == pytest.approx(plain.votes_)
    assert listed.votes_.shape == (8, 8)
    estimator = hf.Ensemble(LogisticRegression(), n_bags=4).fit(X, Y)
    assert estimator.votes_.shape == (4, 8)
    default = hf.Ensemble(n_bags=4).fit(X, Y)
    assert default.scores_ == pytest.approx(hf.Ensemble("f_score", n_bags=4).fit(X, Y).scores_)


def test_seeds_belong_to_the_ensemble(log):
    first = hf.Ensemble(Seen(random_state=1), n_bags=5, random_state=3).fit(X, Y)
    second = hf.Ensemble(Seen(random_state=2), n_bags=5, random_state=3).fit(X, Y)
    third = hf.Ensemble(Seen(random_state=2), n_bags=5, random_state=4).fit(X, Y)
    assert first.votes_.tolist() == second.votes_.tolist()
    assert first.votes_.tolist() != third.votes_.tolist()
    assert log[0][1][0].tolist() != log[2][1][0].tolist()


def test_more_bags_begin_with_the_bags_of_fewer(log):
    hf.Ensemble(Seen(), n_bags=3).fit(X, Y)
    hf.Ensemble(Seen(), n_bags=6).fit(X, Y)
    assert [own.tolist() for own in log[0][1]] == [own.tolist() for own in log[1][1][:3]]


def test_resamples_are_seeded_by_position_and_bagged_from_their_rows(log):
    rng = np.random.default_rng(0)
    rows = [np.sort(rng.choice(60, 40, replace=False)) for _ in range(5)]
    ensemble = hf.Ensemble(Seen(), n_bags=4)
    whole = ensemble.score_resamples(X, Y, rows).values
    for own, (_, bags, _) in zip(rows, log, strict=True):
        assert all(set(bag) <= set(own) for bag in bags)
    parts = [
        ensemble.score_resamples(X, Y, rows[:2]).values,
        ensemble.score_resamples(X, Y, rows[2:], first=2).values,
    ]
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert ensemble.score_resamples(X, Y, [np.arange(60)]).values[0].tolist() == (
        ensemble.fit(X, Y).scores_.tolist()
    )


def test_whole_subjects_are_drawn(log):
    hf.Ensemble(Seen(), n_bags=6).fit(X, BY_SUBJECT, groups=SUBJECTS)
    for own in log[0][1]:
        counts = np.bincount(own, minlength=60).reshape(15, 4)
        assert (counts == counts[:, :1]).all()
    judge = hf.Ensemble(Seen(), n_bags=6).bind(X, BY_SUBJECT, SUBJECTS)
    judge.score([np.arange(4, 60)])
    for own in log[1][1]:
        counts = np.bincount(own, minlength=60).reshape(15, 4)
        assert (counts == counts[:, :1]).all()
        assert counts[0].sum() == 0
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        hf.Ensemble().fit(X, Y, groups=SUBJECTS[1:])


def test_ensembles_of_ensembles_draw_subjects_too(log):
    inner = hf.Ensemble(Seen(), n_bags=2)
    fitted = hf.Ensemble(inner, n_bags=3).fit(X, BY_SUBJECT, groups=SUBJECTS)
    assert fitted.votes_.shape == (3, 8)
    assert len(log) == 3
    for own in (bag for _, bags, _ in log for bag in bags):
        counts = np.bincount(own, minlength=60).reshape(15, 4)
        assert (counts == counts[:, :1]).all()


def test_missing_values_are_taken_where_all_selectors_take_them():
    holes = X.copy()
    holes[3, 4] = np.nan
    assert hf.Ensemble("relieff").supports_missing
    assert sorted(hf.Ensemble("relieff", n_bags=3).fit(holes, Y).ranking_) == list(range(1, 9))
    for refusing in ("f_score", "(relieff,f_score)"):
        assert not hf.Ensemble(refusing).supports_missing
        with pytest.raises(ValueError, match="NaN"):
            hf.Ensemble(refusing, n_bags=3).fit(holes, Y)


def test_sparse_matrices_are_taken_where_all_selectors_take_them():
    thin = np.where(X > 0, X, 0.0)
    usual = hf.Ensemble("symmetrical_uncertainty", n_bags=3)
    dense = clone(usual).fit(thin, Y)
    assert usual.fit(sparse.csr_matrix(thin), Y).scores_ == pytest.approx(dense.scores_)
    assert get_tags(usual).input_tags.sparse
    assert not get_tags(hf.Ensemble("relieff")).input_tags.sparse
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        hf.Ensemble("relieff", n_bags=3).fit(sparse.csr_matrix(thin), Y)


def test_nominal_features_are_passed_to_selectors_that_support_them():
    codes = np.random.default_rng(0).integers(3, size=X.shape).astype(float)
    nominal = hf.Ensemble(["f_score", "relieff"], nominal=[0, 1], n_bags=3).fit(codes, Y)
    by_hand = hf.Ensemble(["f_score", hf.ReliefF(nominal=[0, 1])], n_bags=3).fit(codes, Y)
    assert nominal.votes_.tolist() == by_hand.votes_.tolist()
    numeric = hf.Ensemble(["f_score", "relieff"], n_bags=3).fit(codes, Y)
    assert nominal.votes_.tolist() != numeric.votes_.tolist()
    own = hf.Ensemble(hf.ReliefF(nominal=[2]), nominal=[0, 1], n_bags=3).fit(codes, Y)
    kept = hf.Ensemble(hf.ReliefF(nominal=[2]), n_bags=3).fit(codes, Y)
    assert own.votes_.tolist() == kept.votes_.tolist()


def test_small_classes_are_bagged_without_a_word():
    y = np.array([0] * 50 + [1] * 8 + [2] * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hf.Ensemble("f_score", n_bags=5).fit(X, y).votes_.shape == (5, 8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_odd_data(dtype):
    one = hf.Ensemble("t_score", n_bags=3).fit(X[:, :1].astype(dtype), Y)
    assert one.scores_.tolist() == [1]
    copies = np.hstack([X, X[:, :1], np.full((60, 2), 5.0)]).astype(dtype)
    fitted = hf.Ensemble("relieff", n_bags=5, aggregate="rra").fit(copies, Y)
    assert fitted.scores_[0] == fitted.scores_[8]
    assert (fitted.scores_[9:] == fitted.scores_.min()).all()


def test_pipelines_and_grids_reach_the_selector_within():
    pipe = make_pipeline(hf.Ensemble(hf.ReliefF(), n_bags=3), LogisticRegression())
    grid = {"ensemble__base__n_neighbors": [1, 5], "ensemble__n_features_to_select": [2]}
    search = GridSearchCV(pipe, grid, cv=2).fit(X, Y)
    assert search.best_score_ > 0.8
    assert search.best_estimator_[0].get_support().sum() == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_bags": 0}, "n_bags must be a whole number of at least 1"),
        ({"n_bags": 2.5}, "n_bags must be a whole number"),
        ({"bag_size": 1.5}, "bag_size must be a number above 0 and up to 1"),
        ({"bag_size": 0}, "bag_size must be a whole number"),
        ({"bag_size": 61}, "at most the 60 samples"),
        ({"replace": False}, "bag_size must be below 1 if replace is False"),
        ({"replace": "yes"}, "replace must be True or False"),
        ({"base": []}, "got an empty list"),
        ({"base": 3}, "a selector must be"),
        ({"aggregate": "frequency", "top": 9}, "top as a count"),
        ({"aggregate": 7}, "a name or a function of the ranks"),
        ({"base": "releff"}, "Did you mean 'relieff'"),
        ({"aggregate": "exponentail"}, "Did you mean 'exponential'"),
        ({"ties": "averge"}, "unknown tie rule 'averge'.* Did you mean 'average'"),
    ],
)
def test_invalid_parameters_of_ensembles_are_refused(options, words):
    with pytest.raises((InvalidInputError, UnknownNameError), match=words):
        hf.Ensemble(**{"base": "t_score", **options}).fit(X, Y)


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("kmeans_groups", "KMeansGroups gives groups"),
        ("forward_selection", "ForwardSelection gives a subset without an order"),
        (hf.RandomSubset(), "RandomSubset gives a subset without an order"),
    ],
)
def test_selectors_that_rank_nothing_are_refused(base, words):
    with pytest.raises(InvalidInputError, match=words):
        hf.Ensemble(base).fit(X, Y)


def test_a_bag_of_more_than_there_is_goes_by_its_own_name():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    with pytest.raises(InvalidInputError, match="bag_size must be below the 20 samples"):
        hf.Ensemble(bag_size=500, replace=False).fit(X, y)


class Tied(Ranker):
    """Ranks all features alike, but for the last, which is the best."""

    def __init__(self, *, n_features_to_select=None, random_state=0):
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _rank(self, X, y, generator):
        return np.array([(X.shape[1] + 2) / 2] * (X.shape[1] - 1) + [1])


def test_ties_in_bags_are_averaged_by_default(log):
    usual = hf.Ensemble(Seen(), n_bags=5).fit(X, Y)
    said = hf.Ensemble(Seen(), n_bags=5, ties="average").fit(X, Y)
    assert said.scores_.tolist() == usual.scores_.tolist()
    assert said.ranking_.tolist() == usual.ranking_.tolist()


def test_ties_in_bags_by_index_vote_in_the_order_of_columns(log):
    fitted = hf.Ensemble(Seen(), n_bags=7, ties="index").fit(X, Y)
    ((_, _, scores),) = log
    ranks = np.array([rankdata(-row, method="ordinal") for row in scores])
    assert fitted.rankings_.values.tolist() == ranks.tolist()
    assert fitted.scores_ == pytest.approx((9 - ranks).mean(axis=0))
    usual = hf.Ensemble(Seen(), n_bags=7).fit(X, Y)
    assert log[1][2].tolist() == scores.tolist()  # the rule changes nothing that comes before
    assert usual.scores_.tolist() != fitted.scores_.tolist()


def test_ties_in_bags_at_random_are_seeded_and_independent(log):
    fitted = hf.Ensemble(Seen(), n_bags=40, ties="random").fit(X, Y)
    ((_, _, scores),) = log
    ranks = fitted.rankings_.values.astype(int)
    assert (np.sort(ranks) == np.arange(1, 9)).all()
    for row, own in zip(scores, ranks, strict=True):
        assert (np.diff(row[np.argsort(own)]) <= 0).all()
    tied = scores[:, 0] == scores[:, 1]
    first = (ranks[:, 0] < ranks[:, 1])[tied]
    assert 0 < first.sum() < tied.sum()
    again = hf.Ensemble(Seen(), n_bags=40, ties="random").fit(X, Y)
    assert again.votes_.tolist() == fitted.votes_.tolist()
    fewer = hf.Ensemble(Seen(), n_bags=3, ties="random").fit(X, Y)
    assert fewer.votes_.tolist() == fitted.votes_[:3].tolist()


def test_random_ties_are_the_same_in_parts(monkeypatch):
    rows = [np.arange(first, 40 + first) for first in range(4)]
    ensemble = hf.Ensemble([Seen(), Seen()], n_bags=4, ties="random")
    whole = ensemble.score_resamples(X, Y, rows).values
    last = ensemble.score_resamples(X, Y, rows[2:], first=2).values
    assert whole[2:].tolist() == last.tolist()
    monkeypatch.setattr("holdfast.select._ensemble._members.MAX_SCORES_PER_CALL", 3 * 8)
    assert ensemble.score_resamples(X, Y, rows).values.tolist() == whole.tolist()


def test_ties_in_the_ranks_of_a_selector_are_broken_by_the_same_rule():
    average, index, random = (
        hf.Ensemble(Tied(), n_bags=2, ties=ties).fit(X, Y).rankings_.values
        for ties in ("average", "index", "random")
    )
    assert average.tolist() == [[5.0] * 7 + [1.0]] * 2
    assert index.tolist() == [[2, 3, 4, 5, 6, 7, 8, 1]] * 2
    assert random[:, 7].tolist() == [1, 1]
    assert random[0].tolist() != random[1].tolist()


def test_one_vote_without_bags_is_the_selector_with_a_rule_for_its_ties():
    doubled = X[:, [2, 0, 2, 1, 0, 3, 1, 2]]
    expected = rankdata(-hf.TScore().fit(doubled, Y).scores_, method="ordinal")
    voted = hf.Ensemble("t_score", n_bags=None, ties="index").fit(doubled, Y)
    assert voted.ranking_.tolist() == expected.tolist()
