"""Importance of features by the SHAP values of trees, by the package shap."""

from __future__ import annotations

import importlib
from types import ModuleType

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from holdfast._classifiers import as_classifier
from holdfast._random import RandomState
from holdfast._typing import EstimatorLike, FloatArray, IndexArray, MatrixLike
from holdfast.errors import InvalidInputError
from holdfast.select._ranker import Scorer
from holdfast.select._registry import selector
from holdfast.select._search._criterion_choice import fill_open_seeds

N_TREES = 100
"""Trees of the default forest: scikit-learn's standard."""


@selector(
    name="shap_importance",
    title="Mean absolute SHAP value of a tree model",
    references=("lundberg2020",),
    aliases=("shap",),
)
class ShapImportance(Scorer):
    r"""Score features by their mean absolute SHAP value in a tree model; needs the package shap.

    .. math:: s_f = \sum_c \frac1n \sum_i |\phi_{fc}(x_i)|

    where :math:`\phi_{fc}(x_i)` is the Shapley value of feature f for what the model predicts of
    class c for sample i: the probability for forests, a sum of trees for boosting. For two classes
    only the second counts, since the values of the first are their negatives. Samples are those of
    the fit, and expectations over missing features follow the counts of training samples in the
    trees.

    Parameters
    ----------
    classifier : estimator or str, default None
        A model that ``shap.TreeExplainer`` can explain: a tree, a forest or boosted trees of
        scikit-learn, XGBoost, LightGBM or CatBoost; or ``"random_forest"``. None is a random forest
        of 100 trees.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None for half of them.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the classifier, if it has none, and of the order of features with equal scores.

    Attributes
    ----------
    scores_ : array of shape (p,)
        Scores, 0 or more; 0 for features that no tree uses.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Notes
    -----
    Install shap by ``pip install shap``; without it a fit raises an error that says so. The samples
    that the model was fitted to are explained, so that noise to which it is overfitted counts, too;
    :class:`PermutationImportance` uses held-out samples.

    References
    ----------
    S. M. Lundberg, G. Erion, H. Chen, et al. (2020). From local explanations to global
    understanding with explainable AI for trees. Nature Machine Intelligence 2, 56-67.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> shap = hf.ShapImportance(n_features_to_select=3).fit(X, y)  # doctest: +SKIP
    >>> shap.get_feature_names_out().tolist()  # doctest: +SKIP
    ['flavanoids', 'color_intensity', 'proline']
    """

    def __init__(
        self,
        classifier: EstimatorLike = None,
        *,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.classifier = classifier
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        explainers = _import_shap()
        classifier = RandomForestClassifier(N_TREES) if self.classifier is None else self.classifier
        seed = int(generator.integers(2**31))
        model = fill_open_seeds(as_classifier(classifier)[1], seed).fit(X, y)
        try:
            explainer = explainers.TreeExplainer(model)
        except ValueError as error:  # shap's error for models that are no trees
            raise InvalidInputError(
                f"classifier must be a model of trees that shap can explain: {error}"
            ) from error
        # additivity is a check of rounding, which fails for trees in single precision
        values = explainer.shap_values(X, check_additivity=False)
        # earlier releases of shap return one array per class
        table = np.stack(values, axis=-1) if isinstance(values, list) else np.asarray(values)
        return sum_class_importances(table)


def sum_class_importances(values: FloatArray) -> FloatArray:
    """Return the mean absolute SHAP value of each feature, summed over classes.

    Parameters
    ----------
    values : ndarray of shape (n, p) or (n, p, c)
        SHAP values; of two classes only the second counts.
    """
    if values.ndim == 2:
        values = values[:, :, None]
    if values.shape[2] == 2:
        values = values[:, :, 1:]
    importances: FloatArray = np.abs(values).mean(axis=0).sum(axis=1)
    return importances


def _import_shap() -> ModuleType:
    try:
        return importlib.import_module("shap")
    except ImportError as error:
        raise InvalidInputError(
            "SHAP values need the package shap, which is not installed: pip install shap. "
            "permutation_importance and forest_importance need no other package."
        ) from error
