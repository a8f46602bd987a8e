"""Consensus groups: features that many bags of the samples put into one group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast._checks import between, whole
from holdfast.errors import InvalidInputError
from holdfast.select._comembership import Comembership
from holdfast.select._given import as_selector, given_by
from holdfast.select._grouper import Grouped, Grouper
from holdfast.select._members import bagging, drawn_bags
from holdfast.select._record import selector
from holdfast.select._relevance import RelevanceGrouper, best_first, mean_relevances
from holdfast.select._representative import representatives, standardised

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from holdfast.preferences._ties import RandomState
    from holdfast.select._grouper import Output

DEFAULT = "dense_groups"
"""What finds the groups where no base is given."""


@selector(
    name="consensus_groups",
    title="consensus feature groups",
    references=("loscalzo2009", "yu2008"),
)
class ConsensusGroups(RelevanceGrouper):
    r"""Find groups of features on many bags of the samples, and join what comes back together.

    A group selector works on each of t bags. Two features i and j agree to the share

    .. math:: w_{ij} = \frac{1}{t} \sum_{b=1}^{t} [\text{bag } b \text{ has a group with both}]

    of the bags. Average linkage joins features to groups: the two groups A and B with the
    highest mean :math:`\overline{w_{ij}}` over i in A and j in B are joined, as long as that
    mean is at least `agreement`. The groups do not overlap. A group is scored by the mean
    relevance of its members.

    Parameters
    ----------
    base : Grouper or str, default None
        What finds the groups on a bag: a group selector, or its name as on the command line, such
        as ``"kmeans_groups:n_clusters=20"``. None is :class:`holdfast.DenseGroups`. Where it
        has `n_groups`, only so many of each bag count.
    n_groups : int or None, default None
        How many groups to select, the most relevant first; None: all of them.
    n_bags : int, default 20
        How many bags.
    bag_size : float or int, default 1.0
        Size of a bag: a fraction of the samples (rounded up), or a count. Where samples belong
        to subjects it counts subjects.
    replace : bool, default True
        Draw bags with replacement (bootstrap), or without (subsamples, smaller than the data).
        Both keep the shares of the classes.
    agreement : float, default 0.5
        Share of the bags, above 0 and up to 1, that must agree on average.
    min_size : int, default 1
        Groups of fewer features are left out. A single feature is a group where it is in some
        group of at least the share `agreement` of the bags, but with no other often enough.
    relevance : Scorer, estimator, callable or str, default "f_score"
        What scores the features: a selector that gives scores, or its name.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` gives: the representatives, all features of the selected groups, or the
        mean of each group, its features standardised.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the bags, and of the base, in place of its own.

    Attributes
    ----------
    groups_ : Groups
        One result: the selected groups, the most relevant first, with representatives: the
        members with the highest mean correlation with the others, on all samples.
    group_scores_ : array of shape (n_selected_groups,)
        The mean relevance of the members of each group, falling.
    representatives_ : array of shape (n_selected_groups,)
        The feature that stands for each group.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Shares of few bags are often equal, and which of several equal pairs is joined first may
    matter; it is then decided by the order of the features. Pairs are counted
    where groups hold them, and average linkage works on the parts that pairs of at least the
    share `agreement` connect: the result is that of average linkage on all features. A part of
    more than 10,000 features is refused.

    References
    ----------
    S. Loscalzo, L. Yu, C. Ding (2009). Consensus group stable feature selection. KDD 2009,
    567-576.

    L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature groups.
    KDD 2008, 803-811.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> consensus = hf.ConsensusGroups(n_groups=2).fit(X, y)
    >>> consensus.get_feature_names_out().tolist()
    ['mean concavity', 'worst radius']
    >>> X.columns[consensus.groups_[0][0]].tolist()
    ['mean radius', 'mean perimeter', 'mean area', 'worst radius', 'worst perimeter', 'worst area']
    """

    def __init__(  # noqa: PLR0913  (all of them are for users)
        self,
        base: Any = None,  # noqa: ANN401  (a group selector, or its name)
        *,
        n_groups: int | None = None,
        n_bags: int = 20,
        bag_size: float = 1.0,
        replace: bool = True,
        agreement: float = 0.5,
        min_size: int = 1,
        relevance: Any = "f_score",  # noqa: ANN401  (a selector, or what becomes one)
        output: Output = "representatives",
        random_state: RandomState = 0,
    ) -> None:
        self.base = base
        self.n_groups = n_groups
        self.n_bags = n_bags
        self.bag_size = bag_size
        self.replace = replace
        self.agreement = agreement
        self.min_size = min_size
        self.relevance = relevance
        self.output = output
        self.random_state = random_state

    @property
    def takes_subjects(self) -> bool:
        """Whether it draws samples itself, and then keeps those of one subject together."""
        return True

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole(self.n_bags, "n_bags", 1)
        whole(self.min_size, "min_size", 1)
        between(self.agreement, "agreement", 1.0, inclusive=True)
        self._base()

    def _group_rows(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Grouped:
        """Return the groups that bags of some rows of the data agree on."""
        found = self._found(X, y, own, generator)
        joined = Comembership(found, X.shape[1]).joined(self.agreement)
        members = [group for group in joined if len(group) >= self.min_size]
        chosen = representatives(standardised(X[own])[0], members)
        scores = self._relevances(X, y, own, generator)
        return best_first(members, chosen, mean_relevances(scores, members))

    def _found(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> list[tuple[NDArray[np.intp], ...]]:
        """Return the groups that the base finds on each bag."""
        seed, other = generator.integers(2**31, size=2).tolist()
        drawing = bagging(self.n_bags, self.bag_size, self.replace)
        bags = drawn_bags(drawing, y, self._subjects, own, seed)
        base = self._base().set_params(random_state=other)
        judge = base.on(X, y, self._subjects if base.takes_subjects else None)
        return [one.best(base.n_groups).members for one in judge.judge(bags)]

    def _base(self) -> Grouper:
        base = as_selector(DEFAULT if self.base is None else self.base)
        if not isinstance(base, Grouper):
            raise InvalidInputError(
                "base must be a selector that finds groups, such as 'kmeans_groups'; "
                f"{given_by(base)}. hf.list_selectors() says what each gives."
            )
        return base
