"""Importance of features in a random forest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from holdfast._kernels.forest import Tree, accuracy_decreases
from holdfast._random import RandomState
from holdfast._typing import AnyArray, FloatArray, IndexArray, MatrixLike, RowLists
from holdfast._validation import check_choice, check_integer
from holdfast.errors import InvalidInputError
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._selector import map_resamples

Importance = Literal["permutation", "impurity"]
FittedTree: TypeAlias = Any
"""The ``tree_`` of a fitted tree of scikit-learn."""


@selector(
    name="forest_importance",
    title="Random forest importance",
    references=("breiman2001", "saeys2008"),
    aliases=("random_forest",),
)
class ForestImportance(Scorer):
    r"""Score features by their importance in a random forest of scikit-learn.

    With ``importance="permutation"``, the mean over trees of the decrease in a tree's accuracy
    on its out-of-bag samples when the values of the feature are permuted among them:

    .. math:: s_f = \frac1T \sum_{t=1}^{T} \frac{1}{|O_t|} \sum_{i \in O_t}
       \left( [\hat y_t(x_i) = y_i] - [\hat y_t(x_i^{(f)}) = y_i] \right)

    where O_t are the out-of-bag samples of tree t and :math:`x_i^{(f)}` is :math:`x_i` with the
    value of feature f replaced by that of another sample, by a random permutation of O_t. Scores
    lie between -1 and 1; they are raw differences, not divided by their standard error. With
    ``importance="impurity"``, the mean decrease of Gini impurity by splits on the feature
    (scikit-learn's ``feature_importances_``), between 0 and 1 with sum 1.

    Parameters
    ----------
    n_estimators : int, default 10
        Number of trees; 10 is what Saeys et al. use.
    importance : {"permutation", "impurity"}, default "permutation"
        Which importance.
    max_features : {"sqrt", "log2"}, int, float or None, default "sqrt"
        Features tried at each split, as in :class:`sklearn.ensemble.RandomForestClassifier`.
    n_repeats : int, default 1
        Permutations of each feature in each tree, which are averaged. No effect on impurity.
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
    A tree that does not use a feature, or has no out-of-bag sample, contributes 0. A tree on 60
    samples uses about six features, so ten trees leave most scores of a wide data set at exactly
    0, and the order among those is arbitrary.

    Permuting an uninformative feature may improve the accuracy by chance: its score is then below
    0, and below that of unused features. Constant features get the lowest score of all, 0 or
    less. Trees compare single-precision values; a feature that is constant in single precision
    is constant.

    If a sample occurs several times in the data, as in a bootstrap resample, copies of it may be
    both in the bag and out of it, which inflates importances.

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

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        check_choice(self.importance, "importance", get_args(Importance))
        check_integer(self.n_repeats, "n_repeats", 1)
        data = _to_single_precision(X)
        forest = self._fit_forest(data, y, generator)
        if self.importance == "impurity":
            return np.asarray(forest.feature_importances_, dtype=np.float64)
        return _permutation_scores(forest, data, y, self.n_repeats, generator)

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        data = _to_single_precision(X)  # once for all resamples
        return np.array(map_resamples(self._score, data, y, rows, rngs))

    def _fit_forest(
        self, data: NDArray[np.float32], y: IndexArray, generator: np.random.Generator
    ) -> RandomForestClassifier:
        forest = RandomForestClassifier(
            self.n_estimators,
            max_features=self.max_features,
            random_state=int(generator.integers(2**32)),
            n_jobs=self.n_jobs,
        )
        return forest.fit(data, y)


def _to_single_precision(X: MatrixLike) -> NDArray[np.float32]:
    """Return the data in single precision, which trees use; without a copy if they are so."""
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
    y: IndexArray,
    repeats: int,
    generator: np.random.Generator,
) -> FloatArray:
    """Return the decrease of out-of-bag accuracy for each feature, averaged over the trees."""
    scores = np.zeros(data.shape[1])
    for estimator, bag in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        # rows drawn for a tree are not independent of it
        out_of_bag = np.ones(len(data), dtype=np.bool_)
        out_of_bag[bag] = False
        if out_of_bag.any():
            # a tree uses few features of wide data: the others are neither copied nor permuted
            used, tree = _compact_tree(estimator.tree_)
            values = np.ascontiguousarray(data[np.ix_(out_of_bag, used)])
            scores[used] += accuracy_decreases(tree, values, y[out_of_bag], repeats, generator)
    scores /= len(forest.estimators_)
    return lower_constant_features(scores, data)


def lower_constant_features(scores: FloatArray, data: AnyArray) -> FloatArray:
    """Give constant features, which no model can use, the lowest score, in place."""
    lowest = scores.min()
    if lowest < 0:  # otherwise constant features have the lowest score already: 0
        # a constant feature would otherwise beat noise of negative importance
        scores[data.min(axis=0) == data.max(axis=0)] = lowest
    return scores


def _compact_tree(grown: FittedTree) -> tuple[IndexArray, Tree]:
    """Return the features that a tree uses, and the tree with these features renumbered."""
    inner = grown.children_left >= 0
    used, numbers = np.unique(grown.feature[inner], return_inverse=True)
    feature = np.full(len(inner), -1, dtype=np.int64)
    feature[inner] = numbers
    return used, Tree(
        left=np.ascontiguousarray(grown.children_left, dtype=np.int64),
        right=np.ascontiguousarray(grown.children_right, dtype=np.int64),
        feature=feature,
        threshold=np.ascontiguousarray(grown.threshold, dtype=np.float64),
        predicted=grown.value[:, 0, :].argmax(axis=1).astype(np.int64),
    )
