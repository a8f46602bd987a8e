"""Importance of features in a random forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from holdfast._kernels.forest import Tree, accuracy_decreases
from holdfast._validation import check_integer, one_of
from holdfast.errors import InvalidInputError
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._selector import present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.preferences._ranks import RandomState
    from holdfast.select._selector import Array, Rows

Importance = Literal["permutation", "impurity"]


@selector(
    name="forest_importance",
    title="Random forest importance",
    references=("breiman2001", "saeys2008"),
)
class ForestImportance(Scorer):
    r"""Importance of each feature in a random forest of scikit-learn's trees.

    With ``importance="permutation"``, the mean over trees of what a tree loses in accuracy on
    the samples outside its bootstrap bag when the values of the feature are permuted among them:

    .. math:: s_f = \frac1T \sum_{t=1}^{T} \frac{1}{|O_t|} \sum_{i \in O_t}
       \left( [\hat y_t(x_i) = y_i] - [\hat y_t(x_i^{(f)}) = y_i] \right)

    where O_t are the samples outside the bag of tree t and :math:`x_i^{(f)}` is :math:`x_i` with
    the value of feature f taken from the sample that a random permutation of O_t names. Scores
    lie between -1 and 1; they are raw differences, not divided by their standard error. With
    ``importance="impurity"``, the mean decrease of Gini impurity that splits on the feature
    bring (scikit-learn's ``feature_importances_``), between 0 and 1 with sum 1.

    Parameters
    ----------
    n_estimators : int, default 10
        Number of trees; 10 is what Saeys et al. use.
    importance : {"permutation", "impurity"}, default "permutation"
        Which importance.
    max_features : {"sqrt", "log2"}, int, float or None, default "sqrt"
        Features tried at each split, as in :class:`sklearn.ensemble.RandomForestClassifier`.
    n_repeats : int, default 1
        Permutations of each feature in each tree; their mean counts. No effect on impurity.
    n_features_to_select : int, float or None, default None
        How many features to select: a count, a fraction, or half of them (None).
    random_state : int, Generator, RandomState or None, default 0
        Seed of the bags, the trees, the permutations and the order of tied features.
    n_jobs : int or None, default None
        Threads that grow trees. The scores do not depend on it.

    Attributes
    ----------
    scores_ : ndarray of shape (p,)
        The importance of each feature.
    ranking_ : ndarray of shape (p,)
        Ranks, 1 the best; features of equal score in random order.
    support_ : ndarray of shape (p,)
        Which features are selected.

    Notes
    -----
    A tree that does not use a feature, or has no sample outside its bag, adds 0. A tree on 60
    samples uses about six features, so ten trees leave most scores of a wide data set at exactly
    0, and the order among those is arbitrary.

    Permuting a useless feature may help by accident: its score is then below 0, and below that
    of features never used. Constant features get the lowest score of all, 0 or less. Trees
    compare single-precision values; a feature that is constant there is constant.

    Where a sample occurs several times in the data, as in a bootstrap resample, copies of one
    sample may fall into the bag and outside, which makes importances look larger.

    References
    ----------
    L. Breiman (2001). Random forests. Machine Learning 45, 5-32.

    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import holdfast as hf
    >>> X, y = load_wine(return_X_y=True)
    >>> forest = hf.ForestImportance(n_estimators=50, n_features_to_select=4).fit(X, y)
    >>> forest.get_support(indices=True)
    array([ 0,  6,  9, 12])
    """

    def __init__(
        self,
        *,
        n_estimators: int = 10,
        importance: Importance = "permutation",
        max_features: float | Literal["sqrt", "log2"] | None = "sqrt",
        n_repeats: int = 1,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.importance = importance
        self.max_features = max_features
        self.n_repeats = n_repeats
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _score(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Array:  # noqa: ANN401
        self._check_options()
        data = _single(X)
        forest = self._grown(data, y, generator)
        if self.importance == "impurity":
            return np.asarray(forest.feature_importances_, dtype=np.float64)
        return _permutation_scores(forest, data, y, self.n_repeats, generator)

    def _score_many(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> Array:
        data = _single(X)  # once for all resamples
        scores = np.empty((len(rows), data.shape[1]))
        for position, (own, generator) in enumerate(zip(rows, seeded, strict=True)):
            scores[position] = self._score(data[own], present(y[own]), generator)
        return scores

    def _grown(
        self, data: NDArray[np.float32], y: NDArray[np.intp], generator: np.random.Generator
    ) -> RandomForestClassifier:
        forest = RandomForestClassifier(
            self.n_estimators,
            max_features=self.max_features,
            random_state=int(generator.integers(2**32)),
            n_jobs=self.n_jobs,
        )
        return forest.fit(data, y)

    def _check_options(self) -> None:
        one_of(self.importance, "importance", get_args(Importance))
        check_integer(self.n_repeats, "n_repeats", 1)


def _single(X: Any) -> NDArray[np.float32]:  # noqa: ANN401
    """Return the data as trees see them, without a copy where they are so already."""
    try:
        with np.errstate(over="raise"):
            data: NDArray[np.float32] = X.astype(np.float32, copy=False)
    except FloatingPointError:
        raise InvalidInputError(
            "X holds values too large for single precision (beyond 3.4e38), in which trees are "
            "grown. Scale the data, for example with StandardScaler."
        ) from None
    return data


def _permutation_scores(
    forest: RandomForestClassifier,
    data: NDArray[np.float32],
    y: NDArray[np.intp],
    repeats: int,
    generator: np.random.Generator,
) -> Array:
    """Mean over the trees of a forest of the decreases of out-of-bag accuracy."""
    scores = np.zeros(data.shape[1])
    for grown, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        outside = np.ones(len(data), dtype=np.bool_)
        outside[bag] = False
        if outside.any():
            used, tree = _compact(grown.tree_)
            values = np.ascontiguousarray(data[np.ix_(outside, used)])
            scores[used] += accuracy_decreases(tree, values, y[outside], repeats, generator)
    scores /= len(forest.estimators_)
    lowest = scores.min()
    if lowest < 0:  # else constant features have the lowest score already: 0
        scores[data.min(axis=0) == data.max(axis=0)] = lowest
    return scores


def _compact(grown: Any) -> tuple[NDArray[np.intp], Tree]:  # noqa: ANN401
    """Return the features that a tree uses, and the tree with features numbered among those."""
    inner = grown.children_left >= 0
    used, numbers = np.unique(grown.feature[inner], return_inverse=True)
    feature = np.full(len(inner), -1, dtype=np.int64)
    feature[inner] = numbers
    return used, Tree(
        left=np.ascontiguousarray(grown.children_left, dtype=np.int64),
        right=np.ascontiguousarray(grown.children_right, dtype=np.int64),
        feature=feature,
        threshold=np.ascontiguousarray(grown.threshold, dtype=np.float64),
        winner=grown.value[:, 0, :].argmax(axis=1).astype(np.int64),
    )
