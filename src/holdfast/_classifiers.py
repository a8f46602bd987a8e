"""Classifiers by name, which judge selections; any of scikit-learn's can be used too."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.base import clone, is_regressor
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from holdfast._formatting import did_you_mean
from holdfast._object_spec import made_of, parse_either, snake_case
from holdfast.errors import InvalidInputError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


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
        _record("rbf_svm", "SVM with an RBF kernel, C = 1", SVC, kernel="rbf"),
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


def as_classifier(given: Any) -> tuple[str, Any]:  # noqa: ANN401
    """Return a name for a classifier, and the classifier."""
    if isinstance(given, str):
        name, options = parse_either(given)
        record = get_classifier(name)
        return name, made_of(given, record.kind, {**record.options, **options})
    if inspect.isclass(given) or not (hasattr(given, "fit") and hasattr(given, "predict")):
        raise InvalidInputError(
            f"a classifier must be an estimator with fit and predict, or a name; got {given!r}."
        )
    if hasattr(given, "__sklearn_tags__") and is_regressor(given):
        raise InvalidInputError(f"a classifier is needed, got the regressor {given!r}.")
    return snake_case(type(given).__name__), clone(given)


def clone_with_seed(classifier: Any, seed: int) -> Any:  # noqa: ANN401  (scikit-learn is untyped)
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
