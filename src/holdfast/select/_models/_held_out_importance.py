"""Importance of features to a classifier: accuracy lost by permutation of held-out samples."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from holdfast._random import RandomState
from holdfast._typing import (
    AnyArray,
    EstimatorLike,
    FloatArray,
    IndexArray,
    MatrixLike,
    ProtocolLike,
)
from holdfast._validation import check_integer
from holdfast.select._ensemble._ensemble import Resampler
from holdfast.select._forest import lower_constant_features
from holdfast.select._registry import selector
from holdfast.select._search._criterion_choice import (
    draw_folds,
    fill_open_seeds,
    resolve_classifier,
)
from holdfast.select._selector import renumber_classes, resample_subjects

MAX_FOLDS = 5
"""Folds without `cv`, if every class has as many samples: scikit-learn's standard."""
MAX_BLOCK_ENTRIES = 2**22
"""Size of the largest array of permuted samples: 32 MB; chosen by hand."""
DEFAULT_CLASSIFIER = "random_forest"


class HeldOutImportance(Resampler):
    """Base class of scores by permutation of held-out samples.

    Children have the parameters ``cv`` and ``n_repeats``, and implement ``_make_classifier``.
    """

    cv: ProtocolLike
    n_repeats: int

    @abstractmethod
    def _make_classifier(self, seed: int) -> EstimatorLike:
        """Return an unfitted classifier; `seed` is used where none is set."""

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        return self._score_rows(X, y, np.arange(len(y)), generator)

    def _score_rows(
        self, X: MatrixLike, y: AnyArray, rows: NDArray[np.integer], generator: np.random.Generator
    ) -> FloatArray:
        n_repeats = check_integer(self.n_repeats, "n_repeats", 1)
        data, labels = np.asarray(X)[rows], self.classes_[y[rows]]
        codes = renumber_classes(y[rows])
        split_seed, seed = generator.integers(2**31, size=2).tolist()
        # copies of a row in both parts of a split would inflate importances
        subjects = resample_subjects(self._subjects, rows)
        splits = draw_folds(self.cv, codes, subjects, split_seed, MAX_FOLDS)
        scores, n_tested = np.zeros(data.shape[1]), 0
        # one thread: threads cost more than they save on small data, and studies run in parallel
        with threadpool_limits(1):
            for train, test in splits:
                model = self._make_classifier(seed).fit(data[train], labels[train])
                order = np.tile(np.arange(len(test)), (n_repeats, 1))
                permutations = generator.permuted(order, axis=1)
                scores += count_lost_predictions(model, data[test], labels[test], permutations)
                n_tested += n_repeats * len(test)
        return lower_constant_features(scores / n_tested, data)


def count_lost_predictions(
    model: EstimatorLike, X: AnyArray, y: AnyArray, permutations: IndexArray
) -> FloatArray:
    """Return how many correct predictions are lost when a feature is permuted, for each feature.

    Parameters
    ----------
    model : classifier
        The fitted model.
    X : ndarray of shape (n, p)
        Held-out samples.
    y : ndarray of shape (n,)
        Their classes.
    permutations : ndarray of shape (n_repeats, n)
        The orders of the samples whose values are used, the same for all features.

    Returns
    -------
    ndarray of shape (p,)
        Sums over the permutations; negative where permuted values are predicted better.
    """
    n_repeats, n = permutations.shape
    before = n_repeats * np.count_nonzero(model.predict(X) == y)
    losses = np.zeros(X.shape[1])
    # the permutation of equal values changes nothing; missing values equal none
    varying = np.flatnonzero(~(X[0] == X).all(axis=0))
    width = max(1, MAX_BLOCK_ENTRIES // (n_repeats * X.size))
    truth = np.tile(y, n_repeats)
    for first in range(0, len(varying), width):
        # one call of `predict` for many features: each call costs much more than a row
        features = varying[first : first + width]
        permuted = np.tile(X, (len(features) * n_repeats, 1))
        blocks = permuted.reshape(len(features), n_repeats, n, X.shape[1])
        for block, feature in zip(blocks, features, strict=True):
            block[:, :, feature] = X[permutations, feature]
        correct = model.predict(permuted).reshape(len(features), -1) == truth
        losses[features] = before - np.count_nonzero(correct, axis=1)
    return losses


@selector(
    name="permutation_importance",
    title="Permutation importance on held-out samples",
    references=("breiman2001", "fisher2019"),
    aliases=("permutation",),
)
class PermutationImportance(HeldOutImportance):
    r"""Score features by the accuracy that a classifier loses when they are permuted.

    .. math:: s_f = \frac{1}{R \, n} \sum_{k} \sum_{r=1}^{R} \sum_{i \in T_k}
       \left( [\hat y_k(x_i) = y_i] - [\hat y_k(x_i^{(f,r)}) = y_i] \right)

    The samples are split into folds :math:`T_k`; a classifier :math:`\hat y_k` is fitted to all
    others and predicts the n samples that are held out in turn, as they are and with the values of
    feature f permuted among the samples of the fold, R times. Scores lie between -1 and 1.

    Parameters
    ----------
    classifier : estimator or str, default None
        A scikit-learn classifier, or a name as for a study, such as ``"lda"``; one given by name
        gets scaled features. None is a random forest of 50 trees.
    cv : None, int, splitter, protocol, str or pairs, default None
        How samples are held out, as for :class:`ForwardSelection`. None: 5 stratified folds, or as
        many as the smallest class has samples.
    n_repeats : int, default 5
        Permutations in each fold. All features share them.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the folds, of the permutations, of the classifier if it has no seed, and of the
        order of features with equal scores.

    Attributes
    ----------
    scores_ : array of shape (p,)
        The mean loss of accuracy. Features that the classifier does not use have 0, constant ones
        the lowest score of all, 0 or less.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    A feature that others can replace costs little when it is permuted, however well it separates
    the classes. With few samples most features of a wide data set lose no prediction at all, and
    share the score 0. Copies of a row, and the samples of a subject, stay in one fold. Models are
    fitted in one thread; a study uses several processes.

    References
    ----------
    L. Breiman (2001). Random forests. Machine Learning 45, 5-32.

    A. Fisher, C. Rudin, F. Dominici (2019). All models are wrong, but many are useful: learning a
    variable's importance by studying an entire class of prediction models simultaneously. Journal
    of Machine Learning Research 20(177), 1-81.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> importance = hf.PermutationImportance("lda", n_features_to_select=2).fit(X, y)
    >>> importance.get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    def __init__(
        self,
        classifier: EstimatorLike = None,
        *,
        cv: ProtocolLike = None,
        n_repeats: int = 5,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.classifier = classifier
        self.cv = cv
        self.n_repeats = n_repeats
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _make_classifier(self, seed: int) -> EstimatorLike:
        given = DEFAULT_CLASSIFIER if self.classifier is None else self.classifier
        return fill_open_seeds(resolve_classifier(given), seed)


@selector(
    name="gradient_boosting",
    title="Permutation importance in gradient boosting",
    references=("friedman2001", "fisher2019"),
    aliases=("hist_gradient_boosting", "gradient_boosting_importance"),
)
class GradientBoostingImportance(HeldOutImportance):
    r"""Score features by the accuracy that gradient boosting loses when they are permuted.

    The score is that of :class:`PermutationImportance`, on held-out samples, of scikit-learn's
    :class:`sklearn.ensemble.HistGradientBoostingClassifier`. That model offers no importances; the
    gains of its splits, which other programs report, are those of the training samples.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees (for each class, if there are more than two).
    learning_rate : float, default 0.1
        Factor of the contribution of each tree.
    max_leaf_nodes : int or None, default 31
        The most leaves of a tree.
    min_samples_leaf : int, default 5
        The fewest samples of a leaf. scikit-learn's 20 allows few splits of a small data set.
    cv : None, int, splitter, protocol, str or pairs, default None
        How samples are held out, as for :class:`PermutationImportance`.
    n_repeats : int, default 5
        Permutations in each fold. All features share them.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the folds, the permutations, the model, and the order of features with equal scores.

    Attributes
    ----------
    scores_ : array of shape (p,)
        The mean loss of accuracy, between -1 and 1. Features that no tree uses have 0, constant
        ones the lowest score of all, 0 or less.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    References
    ----------
    J. H. Friedman (2001). Greedy function approximation: a gradient boosting machine. Annals of
    Statistics 29(5), 1189-1232.

    A. Fisher, C. Rudin, F. Dominici (2019). All models are wrong, but many are useful: learning a
    variable's importance by studying an entire class of prediction models simultaneously. Journal
    of Machine Learning Research 20(177), 1-81.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> boosting = hf.GradientBoostingImportance(n_estimators=20, n_features_to_select=3).fit(X, y)
    >>> boosting.get_feature_names_out().tolist()
    ['flavanoids', 'color_intensity', 'proline']
    """

    _allow_nan = True

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        min_samples_leaf: int = 5,
        cv: ProtocolLike = None,
        n_repeats: int = 5,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.cv = cv
        self.n_repeats = n_repeats
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _make_classifier(self, seed: int) -> EstimatorLike:
        return HistGradientBoostingClassifier(
            max_iter=self.n_estimators,
            learning_rate=self.learning_rate,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            early_stopping=False,
            random_state=seed,
        )
