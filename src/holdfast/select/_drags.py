"""DRAGS: the dense groups of features that are most relevant to the classes."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.select._dense_groups import DenseGroups
from holdfast.select._record import selector
from holdfast.select._relevance import RelevanceGrouper, best_first, mean_relevances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.preferences._ties import RandomState
    from holdfast.select._dense_groups import Kernel
    from holdfast.select._grouper import Grouped, Output


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
