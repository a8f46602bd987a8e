"""Groups that are scored by the relevance of their features to the classes."""

from __future__ import annotations

import math
import numbers
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.select._adapter import as_selector, given_by
from holdfast.select._groups._dense_groups import DenseGroups
from holdfast.select._groups._group_selector import Grouped, Grouper
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._groups._dense_groups import Kernel
    from holdfast.select._groups._group_selector import Output
    from holdfast.select._selector import Array, Rows


class RelevanceGrouper(Grouper):
    """A selector that scores groups by what another selector says of their features.

    The parameter ``relevance`` belongs to every child. It may be a selector that draws samples
    itself; those of a subject, and copies of one sample in a resample, then stay together.
    Children work on rows of the data, not on a part of them, so that this is known.
    """

    relevance: Any

    @property
    def takes_subjects(self) -> bool:
        """Whether the relevance draws samples, and then keeps those of one subject together."""
        return self._scorer().takes_subjects

    @property
    def shares_work(self) -> bool:
        """Whether many resamples in one call cost less than as many calls."""
        return False

    def fit(self, X: Any, y: Any = None, groups: Any = None) -> Self:  # noqa: ANN401
        """Find groups of features and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample, where the selector or its relevance draws samples: they
            are then drawn subject by subject, each with all its samples.

        Returns
        -------
        self
        """
        self._set_subjects(groups, X)
        return super().fit(X, y)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._scorer()

    @abstractmethod
    def _group_rows(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Grouped:
        """Return all groups on some rows of the data, the best first."""

    def _group(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Grouped:  # noqa: ANN401
        return self._group_rows(X, y, np.arange(len(X)), generator)

    def _group_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> list[Grouped]:
        return [
            self._group_rows(X, y, own, generator)
            for own, generator in zip(rows, seeded, strict=True)
        ]

    def _relevances(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Array:
        """Return the score of each feature on some rows of the data."""
        scorer = self._scorer().set_params(random_state=int(generator.integers(2**31)))
        judge = scorer.on(X, y, self._subjects if scorer.takes_subjects else None)
        scores: Array = judge.score([own]).values[0]
        return scores

    def _scorer(self) -> Scorer:
        scorer = as_selector(self.relevance)
        if not isinstance(scorer, Scorer):
            raise InvalidInputError(
                "relevance must be a selector that scores features, such as 'f_score' or "
                f"'relieff'; {given_by(scorer)}."
            )
        return scorer


def mean_relevances(scores: Array, members: Sequence[NDArray[np.intp]]) -> Array:
    """Return the mean score of each group; scores may be the largest number there is."""
    return np.array([_mean(scores[own]) for own in members], dtype=np.float64)


def _mean(scores: Array) -> float:
    with np.errstate(over="ignore"):  # rounding may carry it beyond
        mean = (scores / len(scores)).sum()
    return float(np.clip(mean, scores.min(), scores.max()))


def best_first(
    members: Sequence[NDArray[np.intp]], representatives: NDArray[np.intp], scores: Array
) -> Grouped:
    """Put groups into the order of falling scores; equal ones by their representatives."""
    order = np.lexsort((representatives, -scores))
    return Grouped(tuple(members[i] for i in order), representatives[order], scores[order])


# DRAGS: the dense groups of features that are most relevant to the classes.


@selector(
    name="drags",
    title="DRAGS (dense relevant feature groups)",
    references=("yu2008",),
)
class DRAGS(RelevanceGrouper, DenseGroups):
    r"""Select the dense groups of features that are most relevant to the classes.

    The groups are those of :class:`holdfast.DenseGroups`; their density is not looked at any
    more. The relevance of a group G is the mean of the scores of its features,

    .. math:: \Phi(G) = \frac{1}{|G|} \sum_{j \in G} s_j

    with the F statistic as s, if no other score is wanted.

    Parameters
    ----------
    n_groups : int or None, default None
        How many groups to select, the most relevant first; None: all of them.
    threshold : float or None, default None
        Groups of a lower relevance are not selected, so that the data decide how many there are.
    relevance : Scorer, estimator, callable or str, default "f_score"
        What scores the features: a selector that gives scores, or its name.
    kernel : {"flat", "gaussian"}, default "flat"
        Of the mean shift, as all that follow; see :class:`holdfast.DenseGroups`.
    n_neighbors : int, default 5
        K, the neighbours that set the bandwidth and tell dense peaks.
    count_itself : bool, default True
        Whether a feature is the first of its own K nearest neighbours.
    bandwidth : float or None, default None
        h, between features of standard deviation 1; None: from the neighbours.
    width : float, default 0.4
        Standard deviation of the Gaussian kernel as a multiple of h.
    min_size : int, default 1
        Groups of fewer features are dropped.
    density_filter : bool, default True
        Whether groups are dropped whose peaks are not dense.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` gives: the representatives, all features of the selected groups, or the
        mean of each group, its features standardised.
    random_state : int, Generator, RandomState or None, default 0
        Seed of a relevance that depends on chance.

    Attributes
    ----------
    bandwidth_ : float
        h.
    groups_ : Groups
        One result: the selected groups, the most relevant first, with representatives: the
        members with the highest mean correlation with the other members.
    group_scores_ : array of shape (n_selected_groups,)
        The relevance of each group, falling.
    representatives_ : array of shape (n_selected_groups,)
        The feature that stands for each group.
    support_ : array of shape (p,)
        Which features are selected.

    References
    ----------
    L. Yu, C. Ding, S. Loscalzo (2008). Stable feature selection via dense feature groups.
    KDD 2008, 803-811.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> drags = hf.DRAGS(n_groups=2).fit(X, y)
    >>> drags.get_feature_names_out().tolist()
    ['mean concavity', 'worst radius']
    """

    _needs_classes = True

    def __init__(  # noqa: PLR0913  (each setting has a use of its own)
        self,
        *,
        n_groups: int | None = None,
        threshold: float | None = None,
        relevance: Any = "f_score",  # noqa: ANN401  (a selector, or what becomes one)
        kernel: Kernel = "flat",
        n_neighbors: int = 5,
        count_itself: bool = True,
        bandwidth: float | None = None,
        width: float = 0.4,
        min_size: int = 1,
        density_filter: bool = True,
        output: Output = "representatives",
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(
            n_groups=n_groups,
            kernel=kernel,
            n_neighbors=n_neighbors,
            count_itself=count_itself,
            bandwidth=bandwidth,
            width=width,
            min_size=min_size,
            density_filter=density_filter,
            output=output,
            random_state=random_state,
        )
        self.threshold = threshold
        self.relevance = relevance

    @property
    def chooses_size(self) -> bool:
        """Whether a threshold decides how many groups are selected."""
        return self.threshold is not None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        number = isinstance(self.threshold, numbers.Real) and not isinstance(self.threshold, bool)
        if self.threshold is not None and not (number and math.isfinite(self.threshold)):
            raise InvalidInputError(
                f"threshold must be a finite number or None, got {self.threshold!r}."
            )

    def _group_rows(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        own: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> Grouped:
        groups, chosen, _ = self._dense(X[own])
        means = mean_relevances(self._relevances(X, y, own, generator), groups)
        kept = np.flatnonzero(means >= (-np.inf if self.threshold is None else self.threshold))
        return best_first([groups[i] for i in kept], chosen[kept], means[kept])
