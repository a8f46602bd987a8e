"""Ensembles: a consensus of rankings from bags of samples or from several selectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from holdfast._random import RandomState
from holdfast._typing import (
    AnyArray,
    FloatArray,
    IndexArray,
    LabelsLike,
    MatrixLike,
    RowLists,
    SelectorLike,
)
from holdfast.preferences import Rankings, Ties, check_ties
from holdfast.select._ensemble._members import (
    as_members,
    bag_protocol,
    check_members_score,
    draw_bags,
    draw_feature_bags,
    rank_bags,
    rank_left_out_last,
)
from holdfast.select._ensemble._rank_aggregation import (
    combine_votes,
    compute_votes,
    get_aggregate,
)
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._univariate import FScore

if TYPE_CHECKING:
    from holdfast.select._ranker import Ranker


class Resampler(Scorer):
    """Base class of scorers that draw samples from each resample: bags, or halves."""

    @abstractmethod
    def _score_rows(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> FloatArray:
        """Return the scores on the given rows of the data, which may repeat."""

    @property
    def supports_subjects(self) -> bool:
        """Whether it draws samples and keeps those of one subject together."""
        return True

    @property
    def has_batch_path(self) -> bool:
        """Whether one call for many resamples costs less than one call per resample."""
        return False

    def fit(self, X: MatrixLike, y: LabelsLike, groups: LabelsLike = None) -> Self:
        """Score the features on samples drawn from the data, and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample; if given, whole subjects are drawn, with all their samples.

        Returns
        -------
        self
        """
        self._set_subjects(groups, X)
        return super().fit(X, y)

    def _score_many(
        self, X: MatrixLike, y: AnyArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        scores = np.empty((len(rows), X.shape[1]))
        for row, indices, generator in zip(scores, rows, rngs, strict=True):
            row[:] = self._score_rows(X, y, indices, generator)
        return scores


class EnsembleScores(NamedTuple):
    """The rankings, votes and scores of an ensemble on one data set."""

    ranks: AnyArray
    votes: FloatArray
    scores: FloatArray
    feature_bags: list[IndexArray] | None


@selector(
    name="ensemble",
    title="ensemble of selectors",
    references=("saeys2008", "haury2011", "kolde2012"),
)
class Ensemble(Resampler):
    r"""Aggregate the rankings of a selector on many bags, or of several selectors.

    Each selector ranks the features on each bag; features of equal score share their average rank
    (with ``"rra"`` their last), unless `ties` is set otherwise. A ranking votes for each feature
    by a function w of its rank r (1 the best), and the score of a feature is the mean of its
    votes over all rankings,

    .. math:: s_f = \frac1m \sum_{i=1}^{m} w(r_{if}), \quad w(r) = p + 1 - r

    with the linear votes of Saeys et al.; `aggregate` offers other ways to a consensus. A
    consensus varies less with the samples than a single ranking.

    Parameters
    ----------
    base : selector, estimator, function, str or list of these, default None
        What ranks the features: a selector of this package, anything that
        :class:`holdfast.AnySelector` takes, or a name as on the command line, such as
        ``"relieff:n_neighbors=5"``. With a list, or ``"(relieff,svm_rfe)"``, each of the
        selectors ranks each bag. None is :class:`holdfast.FScore`.
    n_bags : int or None, default 40
        Number of bags. None: no bags; each selector ranks all samples once.
    aggregate : str or callable, default "linear"
        How rankings become a consensus. From ranks:

        - ``"linear"``: mean of the votes p + 1 - r, from 1 to p;
        - ``"exponential"``: mean of the votes exp(-r/k), k being `top` (Haury et al. 2011);
          beyond rank 700 k or so votes vanish;
        - ``"mean"``, ``"median"``: minus the mean or median rank; the mean gives the same order
          as linear votes;
        - ``"best"``: minus the best rank; ties are broken by the mean rank r̄, by adding
          (1 - r̄/(p + 1))/2, which is less than any difference of ranks;
        - ``"frequency"``: the share of rankings that have the feature among the `top`; features
          that tie for the last places share them;
        - ``"rra"``: robust rank aggregation (Kolde et al. 2012), -ln(m ρ), where ρ is the
          probability that random rankings rank the feature this well, and m ρ bounds the p-value;
          scores of 0 or less mean the bound 1. Tied features get the last rank of the tie, since
          average ranks would look like agreement. Bags share samples, so it is not the p-value of
          a test;
        - a function that gets the p ranks of a bag as an array and returns p finite numbers, the
          votes, which are averaged. For studies that are resumed in another session the function
          must be importable.

        From scores, if all selectors give scores: they are scaled in each ranking from 0 (the
        lowest) to 1 (the highest), or to 0 if all are equal; then

        - ``"score_mean"``: their mean;
        - ``"score_norm"``: their quadratic mean (the Euclidean norm over √m), which favours
          features that score high in some rankings.

        One extreme score, such as the F statistic of a feature that is constant within the classes
        of a bag, moves all others of that ranking to near 0; ranks are not affected.
    ties : {"average", "random", "index"}, default "average"
        How features with equal scores in a bag are ranked before they vote: by their average
        rank, in random order, or in the order of the columns. The latter two leave no ties for
        ``"frequency"`` and ``"rra"`` to handle. Ties in the ranks of a selector are treated in
        the same way; aggregates of scores have no ties. Equal scores of the ensemble are ordered
        at random, as with all selectors, and the scores that a study stores can be ranked by any
        rule (:meth:`holdfast.Weights.to_rankings`).
    bag_size : float or int, default 1.0
        Size of a bag: a fraction of the samples (rounded up), or a count. If samples belong to
        subjects, subjects are counted.
    replace : bool, default True
        Draw bags with replacement (bootstrap), or without (subsamples, smaller than the data).
        Both are stratified by class.
    feature_bag_size : float or int, default 1.0
        Features of a bag: a fraction of all features (rounded up), or a count. If not all, each bag
        has its own random features, which its selectors see alone; a ranking then votes for them as
        if there were no others, and the votes of a feature are combined over the bags that it is
        in. All features are in equally many bags, or in one more.
    top : float or int, default 0.05
        The number of top features for ``"exponential"`` and ``"frequency"``: a fraction of the
        features (rounded to nearest, at least 1), or a count.
    nominal : array-like or None, default None
        Which features are nominal: their indices, or a boolean mask of all features. It is passed
        to the selectors that have this parameter and leave it None.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the bags, of the selectors (it replaces their seeds), and of the order of features
        with equal scores, in bags (``ties="random"``) and in the final ranking.

    Attributes
    ----------
    scores_ : array of shape (p,)
        The consensus, higher is better.
    votes_ : array of shape (m, p)
        The vote of each ranking for each feature, higher is better. For ``"mean"``, ``"median"``,
        ``"best"`` and ``"rra"`` (where a tie has its last rank) these are minus the ranks; for
        aggregates of scores, the scores from 0 to 1. The bags of the first selector come first,
        then those of the second, and so on. NaN for features that a bag does not have.
    rankings_ : Rankings
        The m rankings, in the same order; ``hf.measure("spearman", ensemble.rankings_)`` measures
        their agreement. Features that a bag does not have share the last rank.
    feature_bags_ : list of arrays, or None
        The features of each bag; None if each has all features.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Missing values and sparse matrices are accepted if all selectors accept them. Bags in which a
    class consists of copies of one sample are redrawn (see :class:`holdfast.Bootstrap`). If rows
    of a resample repeat, the copies of a row are drawn together.

    Tied ranks are averaged because any other order of ties would contribute to the votes: ten
    trees leave most features of a wide data set with an importance of exactly 0, and ties in the
    order of the columns make them look stable. The other rules serve to demonstrate this, and to
    reproduce published results.

    References
    ----------
    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    A.-C. Haury, P. Gestraud, J.-P. Vert (2011). The influence of feature selection methods on
    accuracy, stability and interpretability of molecular signatures. PLoS ONE 6(12), e28210.

    R. Kolde, S. Laur, P. Adler, J. Vilo (2012). Robust rank aggregation for gene list integration
    and meta-analysis. Bioinformatics 28(4), 573-580.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ensemble = hf.Ensemble(hf.ReliefF(), n_bags=20, n_features_to_select=2).fit(X, y)
    >>> ensemble.get_feature_names_out().tolist()
    ['flavanoids', 'od280/od315_of_diluted_wines']
    >>> ensemble.votes_.shape
    (20, 13)
    >>> both = hf.Ensemble("(relieff,svm_rfe)", n_bags=None, n_features_to_select=3).fit(X, y)
    >>> both.get_feature_names_out().tolist()
    ['flavanoids', 'color_intensity', 'proline']
    """

    def __init__(
        self,
        base: SelectorLike = None,
        *,
        n_bags: int | None = 40,
        aggregate: str | Callable[[FloatArray], ArrayLike] = "linear",
        ties: Ties = "average",
        bag_size: float = 1.0,
        replace: bool = True,
        feature_bag_size: float = 1.0,
        top: float = 0.05,
        nominal: ArrayLike | None = None,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.base = base
        self.n_bags = n_bags
        self.aggregate = aggregate
        self.ties = ties
        self.bag_size = bag_size
        self.replace = replace
        self.feature_bag_size = feature_bag_size
        self.top = top
        self.nominal = nominal
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def supports_missing(self) -> bool:
        """Whether the data may hold missing values: if all selectors accept them."""
        return all(member.supports_missing for member in self._members())

    @property
    def supports_sparse(self) -> bool:
        """Whether the data may be a sparse matrix: if all selectors accept it."""
        return all(member.supports_sparse for member in self._members())

    @property
    def supports_nominal(self) -> bool:
        """Whether nominal features can be declared to all selectors."""
        return all(member.supports_nominal for member in self._members())

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        outcome = self._aggregate_bags(X, y, np.arange(X.shape[0]), generator)
        self.votes_ = outcome.votes
        self.rankings_ = Rankings(
            rank_left_out_last(outcome.ranks), feature_names=self._feature_names()
        )
        self.feature_bags_ = outcome.feature_bags
        return outcome.scores

    def _score_rows(
        self,
        X: MatrixLike,
        y: IndexArray,
        rows: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> FloatArray:
        # on the rows of the whole data, not on a copy: members share the data of all resamples
        return self._aggregate_bags(X, y, rows, generator).scores

    def _aggregate_bags(
        self,
        X: MatrixLike,
        y: IndexArray,
        rows: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> EnsembleScores:
        """Draw bags of the given rows, rank them by all members, and aggregate the votes."""
        members, aggregate = self._members(), get_aggregate(self.aggregate)
        # checked before any bag is drawn: a wrong parameter must not cost the work of all members
        scored, ties = aggregate.takes == "scores", check_ties(self.ties)
        if scored:
            check_members_score(members, self.aggregate)
        protocol = bag_protocol(self.n_bags, self.bag_size, self.replace)
        # all seeds are drawn at once: another member does not change the bags
        seed, *seeds = generator.integers(2**31, size=1 + len(members)).tolist()
        bags = draw_bags(protocol, y, self._subjects, rows, seed)
        feature_bags = draw_feature_bags(self.feature_bag_size, self.n_bags, X.shape[1], seed)
        rankings = rank_bags(
            members,
            (X, y, self._subjects),
            bags,
            seeds,
            scored=scored,
            ties=ties,
            feature_bags=feature_bags,
        )
        votes = compute_votes(getattr(rankings, aggregate.takes), aggregate, self.top)
        return EnsembleScores(rankings.ranks, votes, combine_votes(votes, aggregate), feature_bags)

    def _members(self) -> list[Ranker]:
        return as_members(FScore() if self.base is None else self.base, self.nominal)
