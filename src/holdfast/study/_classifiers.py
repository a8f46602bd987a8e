"""The classifiers that weigh selections by accuracy; any of scikit-learn's can be used too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from holdfast._text import did_you_mean
from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class ClassifierRecord:
    """What is known about a classifier.

    Attributes
    ----------
    name : str
        Its name on the command line and in study files.
    title : str
        What it is, in a few words.
    kind : callable
        What makes it: a class of scikit-learn.
    options : mapping
        The parameters it is made with.
    """

    name: str
    title: str
    kind: Callable[..., Any]
    options: Mapping[str, Any]


def _record(name: str, title: str, kind: Callable[..., Any], **options: Any) -> ClassifierRecord:
    return ClassifierRecord(name=name, title=title, kind=kind, options=options)


CLASSIFIERS: dict[str, ClassifierRecord] = {
    record.name: record
    for record in (
        _record("linear_svm", "linear SVM, C = 0.5", SVC, kernel="linear", C=0.5),
        _record("knn1", "nearest neighbour", KNeighborsClassifier, n_neighbors=1),
        _record("knn3", "3 nearest neighbours", KNeighborsClassifier, n_neighbors=3),
        _record("knn5", "5 nearest neighbours", KNeighborsClassifier, n_neighbors=5),
        _record("lda", "linear discriminant analysis", LinearDiscriminantAnalysis),
        _record(
            "gaussian",
            "Gaussian, a covariance matrix a class, shrunk by 1%",
            QuadraticDiscriminantAnalysis,
            reg_param=0.01,
        ),
        _record("random_forest", "forest of 50 trees", RandomForestClassifier, n_estimators=50),
    )
}


def get_classifier(name: str) -> ClassifierRecord:
    """Return the record of a classifier.

    Parameters
    ----------
    name : str
        Its name on the command line and in study files.

    Returns
    -------
    ClassifierRecord

    Raises
    ------
    UnknownNameError
        No classifier is called so; the message names the nearest.

    Examples
    --------
    >>> from holdfast.study import get_classifier
    >>> get_classifier("knn3").title
    '3 nearest neighbours'
    """
    if name not in CLASSIFIERS:
        near = did_you_mean(name, CLASSIFIERS)
        raise UnknownNameError(f"no classifier is called {name!r}.{near}")
    return CLASSIFIERS[name]


def seeded(classifier: Any, seed: int) -> Any:  # noqa: ANN401  (scikit-learn is untyped)
    """Return a clone with all its seeds set."""
    new = clone(classifier)
    keys = [key for key in new.get_params() if key.split("__")[-1] == "random_state"]
    return new.set_params(**dict.fromkeys(keys, seed)) if keys else new


def classifying(classifier: Any, *, impute: bool) -> list[tuple[str, Any]]:  # noqa: ANN401
    """Return the steps that classify selected features: a classifier sees them scaled."""
    steps = [("scale", StandardScaler()), ("classify", classifier)]
    return [("impute", median_imputer()), *steps] if impute else steps


def median_imputer() -> SimpleImputer:
    """Return what puts the median of a feature, 0 if it has none, for missing values."""
    return SimpleImputer(strategy="median", keep_empty_features=True)


def predicted(
    classifier: Any,  # noqa: ANN401
    train: tuple[NDArray[Any], NDArray[np.intp]],
    test: NDArray[Any],
    n_classes: int,
    *,
    impute: bool,
) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
    """Train on one part, scaled by itself, and return classes and scores for the other.

    Scores have one column for two classes (higher speaks for class 1), else one a class; a
    class that the training part lacks gets the lowest score. None: the classifier has none.
    """
    model = Pipeline(classifying(classifier, impute=impute)).fit(*train)
    classes = model.predict(test)
    if not np.isin(classes, np.arange(n_classes)).all():
        raise InvalidInputError("the classifier predicts what is none of the classes.")
    return classes, _scores(model, test, n_classes)


def _scores(
    model: Any,  # noqa: ANN401
    test: NDArray[Any],
    n_classes: int,
) -> NDArray[np.float64] | None:
    known = model.classes_
    values = _values(model, test)
    if values is None:
        return None
    if n_classes == 2:
        return values if values.ndim == 1 else values[:, 1]
    if values.ndim == 1:  # the training part holds two of the classes only
        values = np.column_stack((-values, values))
    scores = np.full((len(test), n_classes), values.min(initial=0.0) - 1.0)
    scores[:, known] = values
    return scores


def _values(model: Any, test: NDArray[Any]) -> NDArray[np.float64] | None:  # noqa: ANN401
    """Return what a model says for each class; pairs of classes would not do."""
    pairs = len(model.classes_) > 2 and _votes(model) == "ovo"
    names = ["predict_proba"] if pairs else ["decision_function", "predict_proba"]
    for name in names:
        if hasattr(model, name):
            return np.asarray(getattr(model, name)(test), dtype=np.float64)
    return None


def _votes(model: Any) -> str | None:  # noqa: ANN401
    votes: str | None = getattr(model[-1], "decision_function_shape", None)
    return votes
