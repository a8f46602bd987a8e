"""Groups that are scored by the relevance of their features to the classes; DRAGS."""

from __future__ import annotations

import math
import numbers
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from holdfast._random import RandomState
from holdfast._typing import FloatArray, IndexArray, LabelsLike, MatrixLike, RowLists, SelectorLike
from holdfast.errors import InvalidInputError
from holdfast.select._adapter import as_selector, wrong_kind_error
from holdfast.select._groups._dense_groups import DenseGroups
from holdfast.select._groups._group_selector import GroupSelector, SelectedGroups
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector

if TYPE_CHECKING:
    from holdfast.select._groups._dense_groups import Kernel
    from holdfast.select._groups._group_selector import Output


class RelevanceGrouper(GroupSelector):
    """Base class of selectors that score groups by the scores of their features.

    Every child has the parameter ``relevance``, the selector that scores the features. It may
    draw samples; those of a subject, and copies of one sample in a resample, then stay together.
    For this the hook of children gets the whole data and row indices, from which copies are known.
    """

    relevance: SelectorLike

    @property
    def supports_subjects(self) -> bool:
        """Whether the relevance draws samples and keeps those of one subject together."""
        return self._scorer().supports_subjects

    @property
    def has_batch_path(self) -> bool:
        """Whether one call for many resamples costs less than one call per resample."""
        return False

    def fit(self, X: MatrixLike, y: LabelsLike = None, groups: LabelsLike = None) -> Self:
        """Find groups of features and select the best of them.

        Parameters
        ----------
        X : array-like of shape (n, p)
            The data, samples in rows.
        y : array-like of shape (n,)
            The class of each sample.
        groups : array-like of shape (n,), optional
            The subject of each sample, if the selector or its relevance draws samples: whole
            subjects are then drawn, with all their samples.

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
        X: MatrixLike,
        y: IndexArray,
        rows: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> SelectedGroups:
        """Return all groups on the given rows, the best first."""

    def _group(
        self, X: MatrixLike, y: IndexArray, generator: np.random.Generator
    ) -> SelectedGroups:
        return self._group_rows(X, y, np.arange(len(X)), generator)

    def _select_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> list[SelectedGroups]:
        return [
            self._group_rows(X, y, indices, generator)
            for indices, generator in zip(rows, rngs, strict=True)
        ]

    def _relevances(
        self,
        X: MatrixLike,
        y: IndexArray,
        rows: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> FloatArray:
        """Return the score of each feature on the given rows."""
        scorer = self._scorer().set_params(random_state=int(generator.integers(2**31)))
        # bound to all data and scored on the rows: copies and subjects are known to the scorer
        scores: FloatArray = scorer._bind_supported(X, y, self._subjects).score([rows]).values[0]
        return scores

    def _scorer(self) -> Scorer:
        scorer = as_selector(self.relevance)
        if isinstance(scorer, Scorer):
            return scorer
        raise wrong_kind_error(
            scorer,
            "relevance must be a selector that scores features, such as 'f_score' or 'relieff'",
        )


def mean_relevances(scores: FloatArray, members: Sequence[IndexArray]) -> FloatArray:
    """Return the mean score of each group; scores may be the largest finite number."""
    means = np.empty(len(members))
    for i, group in enumerate(members):
        part = scores[group]
        # divided before the sum, which would overflow; rounding may still exceed the largest number
        with np.errstate(over="ignore"):
            means[i] = np.clip((part / len(part)).sum(), part.min(), part.max())
    return means


def sort_groups(
    members: Sequence[IndexArray],
    representatives: IndexArray,
    scores: FloatArray,
    densities: FloatArray | None = None,
) -> SelectedGroups:
    """Sort groups by descending scores; equal ones by their representatives."""
    # lexsort sorts by its last key first
    order = np.lexsort((representatives, -scores))
    return SelectedGroups(
        tuple(members[i] for i in order),
        representatives[order],
        scores[order],
        None if densities is None else densities[order],
    )


@selector(
    name="drags",
    title="DRAGS (dense relevant feature groups)",
    references=("yu2008",),
)
class DRAGS(RelevanceGrouper, DenseGroups):
    r"""Select the dense groups of features that are most relevant to the classes.

    The groups are those of :class:`holdfast.DenseGroups`, ordered by relevance instead of
    density. The relevance of a group G is the mean score of its features,

    .. math:: \Phi(G) = \frac{1}{|G|} \sum_{j \in G} s_j

    with the F statistic as s by default.

    Parameters
    ----------
    n_groups : int or None, default None
        How many groups to select, the most relevant first; None: all of them.
    threshold : float or None, default None
        Groups of a lower relevance are not selected, so that the data determine their number.
    relevance : Scorer, estimator, callable or str, default "f_score"
        The selector that scores the features, or its name.
    kernel : {"flat", "gaussian"}, default "flat"
        The kernel of the mean shift; for this and the following parameters see
        :class:`holdfast.DenseGroups`.
    n_neighbors : int, default 5
        K, the number of neighbours that determine the bandwidth and the density of peaks.
    count_itself : bool, default True
        Whether a feature counts as the first of its K nearest neighbours.
    bandwidth : float or None, default None
        h, between features of standard deviation 1; None: computed from the neighbours.
    width : float, default 0.4
        Standard deviation of the Gaussian kernel as a multiple of h.
    min_size : int, default 1
        Smaller groups are dropped.
    density_filter : bool, default True
        Whether groups whose peaks are not dense are dropped.
    output : {"representatives", "members", "centres"}, default "representatives"
        What ``transform`` returns: the representatives, all features of the selected groups, or
        the mean of the standardised features of each group.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the relevance, if it is random.

    Attributes
    ----------
    bandwidth_ : float
        h.
    groups_ : Groups
        One result: the selected groups, the most relevant first, with representatives: the
        members with the highest mean correlation with the other members.
    group_scores_ : array of shape (n_selected_groups,)
        The relevance of each group, in descending order.
    group_densities_ : array of shape (n_selected_groups,)
        The density of features at the peak of each group; see :class:`holdfast.DenseGroups`.
    representatives_ : array of shape (n_selected_groups,)
        The representative feature of each group.
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

    def __init__(
        self,
        *,
        n_groups: int | None = None,
        threshold: float | None = None,
        relevance: SelectorLike = "f_score",
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
    def selects_own_size(self) -> bool:
        """Whether a threshold determines the number of groups."""
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
        X: MatrixLike,
        y: IndexArray,
        rows: NDArray[np.integer],
        generator: np.random.Generator,
    ) -> SelectedGroups:
        # density does not use the classes; relevance only orders what is dense
        dense = self._find_dense_groups(X[rows])
        groups, central, densities = dense.members, dense.representatives, dense.densities
        means = mean_relevances(self._relevances(X, y, rows, generator), groups)
        kept = np.flatnonzero(means >= (-np.inf if self.threshold is None else self.threshold))
        dense_kept = None if densities is None else densities[kept]
        return sort_groups([groups[i] for i in kept], central[kept], means[kept], dense_kept)
