"""Ensembles: many rankings of the same features, from bags of samples or several selectors."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from holdfast.preferences import Rankings
from holdfast.preferences._ranks import checked_ties
from holdfast.select._ensemble._members import (
    bagging,
    check_scored,
    drawn_bags,
    members_of,
    rank_bags,
)
from holdfast.select._ensemble._rank_aggregation import get_aggregate, votes_of
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._univariate import FScore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from holdfast.preferences._ranks import RandomState, Ties
    from holdfast.select._ranker import Ranker
    from holdfast.select._selector import Array, Rows


# Scorers that draw samples of the data themselves: bags, or halves.


class Resampler(Scorer):
    """A scorer that draws samples itself, on each resample anew; children say how."""

    @abstractmethod
    def _scores_on(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[Any],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Array:
        """Return the scores on some rows of the data, which may repeat."""

    @property
    def takes_subjects(self) -> bool:
        """Whether it draws samples itself, and then keeps those of one subject together."""
        return True

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls: each is drawn from."""
        return False

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:  # noqa: ANN401
        """Score the features on samples drawn from the data, and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample: whole subjects are then drawn, each with all its samples.

        Returns
        -------
        self
        """
        self._set_subjects(groups, X)
        return super().fit(X, y)

    def _score_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[Any],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> Array:
        scores = np.empty((len(rows), X.shape[1]))
        for row, own, generator in zip(scores, rows, seeded, strict=True):
            row[:] = self._scores_on(X, y, own, generator)
        return scores


# Ensembles: many rankings of the same features, from bags of samples or several selectors.


class EnsembleScores(NamedTuple):
    """What an ensemble makes of one data set."""

    ranks: NDArray[Any]
    votes: Array
    scores: Array


@selector(
    name="ensemble",
    title="ensemble of selectors",
    references=("saeys2008", "haury2011", "kolde2012"),
)
class Ensemble(Resampler):
    r"""Let a selector judge many bags of the samples, or let several selectors judge, and vote.

    Each selector ranks the features on each bag; features of equal score share their average rank
    (with ``"rra"`` their last), unless `ties` says otherwise. A ranking votes for each feature by
    a function w of its rank r (1 the best), and the score of a feature is the mean of its votes
    over all rankings,

    .. math:: s_f = \frac1m \sum_{i=1}^{m} w(r_{if}), \quad w(r) = p + 1 - r

    with the linear votes of Saeys et al.; `aggregate` names other ways to a consensus. A
    consensus changes less with the samples than one ranking does.

    Parameters
    ----------
    base : selector, estimator, function, str or list of these, default None
        What ranks the features: a selector of this package, anything that
        :class:`holdfast.AnySelector` takes, or a name as on the command line, such as
        ``"relieff:n_neighbors=5"``. A list, or ``"(relieff,svm_rfe)"``, lets each of several
        selectors judge each bag. None is :class:`holdfast.FScore`.
    n_bags : int or None, default 40
        How many bags. None: no bags; each selector judges all samples once.
    aggregate : str or callable, default "linear"
        The way to a consensus, from ranks:

        - ``"linear"``: mean of the votes p + 1 - r, from 1 to p;
        - ``"exponential"``: mean of the votes exp(-r/k), k being `top` (Haury et al. 2011);
          features beyond rank 700 k or so hardly vote;
        - ``"mean"``, ``"median"``: minus the mean or median rank; the mean gives the order that
          linear votes give;
        - ``"best"``: minus the best rank; among equals the mean rank r̄ decides, by an addition
          of (1 - r̄/(p + 1))/2, which is less than any difference of ranks;
        - ``"frequency"``: the share of rankings that have the feature among the `top`; features
          that tie for the last places share them;
        - ``"rra"``: robust rank aggregation (Kolde et al. 2012), -ln(m ρ), where ρ is how
          probable it is that random rankings place the feature so well, m ρ a bound of the
          p-value and 0 or less stands for the bound 1. Tied features get the last rank of the
          tie, since average ranks would pass for agreement. Bags share samples, so do not take
          it for the p-value of a test;
        - a function, which gets the p ranks of a bag as an array and returns as many finite
          numbers, the votes; their mean counts. For studies that go on in another session the
          function must be one that can be imported.

        Or from scores, where all selectors give some: they are brought to 0 (the lowest) to 1
        (the highest) in each ranking, or to 0 where all are equal; then

        - ``"score_mean"``: their mean;
        - ``"score_norm"``: their quadratic mean (the Euclidean norm over √m), which favours
          features that score high in some rankings.

        One score that towers above all others leaves these near 0 in that ranking, as the F
        statistic of a feature that is constant within the classes of a bag does; ranks are safe.
    ties : {"average", "random", "index"}, default "average"
        What becomes of features with equal scores in a bag before they vote: they share their
        average rank, or get ranks in random order, or in the order of the columns. With the
        latter two no ties are left for ``"frequency"`` and ``"rra"`` to look after. Ranks that a
        selector ties itself are treated alike; aggregates of scores know no ties. Equal scores of
        the ensemble are another matter: their order is random, as with all selectors, and what a
        study keeps can be ranked by any rule (:meth:`holdfast.Weights.to_rankings`).
    bag_size : float or int, default 1.0
        Size of a bag: a fraction of the samples (rounded up), or a count. Where samples belong
        to subjects it counts subjects.
    replace : bool, default True
        Draw bags with replacement (bootstrap), or without (subsamples, smaller than the data).
        Both keep the shares of the classes.
    top : float or int, default 0.05
        The number of top features for ``"exponential"`` and ``"frequency"``: a fraction of the
        features (rounded to nearest, at least 1), or a count.
    nominal : array-like or None, default None
        Which features are nominal: their indices, or a boolean mask of all features. It is told
        to the selectors that have such a parameter and leave it None.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the bags, of the selectors, in place of their own seeds, and of the order of
        features with equal scores, in bags (``ties="random"``) and in the end.

    Attributes
    ----------
    scores_ : array of shape (p,)
        The consensus, higher is better.
    votes_ : array of shape (m, p)
        What each ranking says of each feature, higher is better: votes, for ``"mean"``,
        ``"median"``, ``"best"`` and ``"rra"`` (where a tie has its last rank) minus the ranks,
        scores from 0 to 1. The bags of
        the first selector come first, then those of the second, ...
    rankings_ : Rankings
        The m rankings, in the same order; ``hf.measure("spearman", ensemble.rankings_)`` says how
        far they agree.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Missing values and sparse matrices are taken where all selectors take them. Bags in which a
    class has copies of one sample only are drawn anew (see :class:`holdfast.Bootstrap`). Of a
    resample in which rows repeat, the copies of a row are drawn together.

    Tied ranks are averaged because any other order of ties would vote, too: ten trees leave most
    features of a wide data set with an importance of exactly 0, and ties in the order of the
    columns make them look stable. The other rules are there to see that, and to repeat what
    others did.

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

    def __init__(  # noqa: PLR0913  (all but one by name)
        self,
        base: Any = None,  # noqa: ANN401  (one selector of many kinds, or several)
        *,
        n_bags: int | None = 40,
        aggregate: str | Callable[[Array], ArrayLike] = "linear",
        ties: Ties = "average",
        bag_size: float = 1.0,
        replace: bool = True,
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
        self.top = top
        self.nominal = nominal
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def takes_missing(self) -> bool:
        """Whether the data may hold missing values: where all selectors take them."""
        return all(member.takes_missing for member in self._members())

    @property
    def takes_sparse(self) -> bool:
        """Whether the data may be a sparse matrix: where all selectors take them."""
        return all(member.takes_sparse for member in self._members())

    @property
    def takes_nominal(self) -> bool:
        """Whether all selectors can be told which features are nominal."""
        return all(member.takes_nominal for member in self._members())

    def _score(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Array:  # noqa: ANN401
        verdict = self._verdict(X, y, np.arange(X.shape[0]), generator)
        self.votes_ = verdict.votes
        self.rankings_ = Rankings(verdict.ranks, feature_names=self._names())
        return verdict.scores

    def _scores_on(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Array:
        return self._verdict(X, y, own, generator).scores

    def _verdict(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> EnsembleScores:
        """Judge some rows of the data: draw bags of them, hear all members, count the votes."""
        members, aggregate = self._members(), get_aggregate(self.aggregate)
        scored, ties = aggregate.takes == "scores", checked_ties(self.ties)
        if scored:
            check_scored(members, self.aggregate)
        drawing = bagging(self.n_bags, self.bag_size, self.replace)
        seed, *seeds = generator.integers(2**31, size=1 + len(members)).tolist()
        bags = drawn_bags(drawing, y, self._subjects, own, seed)
        said = rank_bags(members, (X, y, self._subjects), bags, seeds, scored=scored, ties=ties)
        votes = votes_of(getattr(said, aggregate.takes), aggregate, self.top)
        return EnsembleScores(said.ranks, votes, aggregate.combine(votes))

    def _members(self) -> list[Ranker]:
        return members_of(FScore() if self.base is None else self.base, self.nominal)
