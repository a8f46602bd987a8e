"""Classifiers by name, for estimating errors; any scikit-learn classifier can be used as well."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast._object_spec import make_object, parse_spec_or_call, snake_case
from holdfast._registry import Registry
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from sklearn.impute import SimpleImputer

    from holdfast._typing import EstimatorLike


@dataclass(frozen=True, kw_only=True)
class ClassifierRecord:
    """A registered classifier.

    Attributes
    ----------
    name : str
        Its name on the command line and in study files.
    title : str
        What it is, in a few words.
    path : str
        Where its scikit-learn class is imported from: ``module:class``.
    options : mapping
        Parameters of the class.
    """

    name: str
    title: str
    path: str
    options: Mapping[str, Any]

    @property
    def kind(self) -> Callable[..., Any]:
        """The scikit-learn class."""
        module, name = self.path.split(":")
        kind: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return kind


def _record(name: str, title: str, path: str, **options: Any) -> ClassifierRecord:
    return ClassifierRecord(name=name, title=title, path=path, options=options)


CLASSIFIERS: Registry[ClassifierRecord] = Registry(
    "classifier",
    (
        _record("linear_svm", "linear SVM, C = 0.5", "sklearn.svm:SVC", kernel="linear", C=0.5),
        _record("rbf_svm", "SVM with an RBF kernel, C = 1", "sklearn.svm:SVC", kernel="rbf"),
        _record(
            "knn1", "nearest neighbour", "sklearn.neighbors:KNeighborsClassifier", n_neighbors=1
        ),
        _record(
            "knn3", "3 nearest neighbours", "sklearn.neighbors:KNeighborsClassifier", n_neighbors=3
        ),
        _record(
            "knn5", "5 nearest neighbours", "sklearn.neighbors:KNeighborsClassifier", n_neighbors=5
        ),
        _record(
            "lda",
            "linear discriminant analysis",
            "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
        ),
        _record(
            "gaussian",
            "Gaussian, one covariance matrix per class, shrunk by 1%",
            "sklearn.discriminant_analysis:QuadraticDiscriminantAnalysis",
            reg_param=0.01,
        ),
        _record(
            "random_forest",
            "forest of 50 trees",
            "sklearn.ensemble:RandomForestClassifier",
            n_estimators=50,
        ),
    ),
)


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
        No classifier has this name; the message suggests the nearest.

    Examples
    --------
    >>> from holdfast.study import get_classifier
    >>> get_classifier("knn3").title
    '3 nearest neighbours'
    """
    return CLASSIFIERS.get_record(name)


def as_classifier(given: EstimatorLike) -> tuple[str, Any]:
    """Return a name for a classifier, and the classifier."""
    from sklearn.base import clone, is_regressor

    if isinstance(given, str):
        name, options = parse_spec_or_call(given)
        record = get_classifier(name)
        return name, make_object(given, record.kind, {**record.options, **options})
    if inspect.isclass(given) or not (hasattr(given, "fit") and hasattr(given, "predict")):
        raise InvalidInputError(
            f"a classifier must be an estimator with fit and predict, or a name; got {given!r}."
        )
    if hasattr(given, "__sklearn_tags__") and is_regressor(given):
        raise InvalidInputError(f"a classifier is needed, got the regressor {given!r}.")
    return snake_case(type(given).__name__), clone(given)


def clone_with_seed(classifier: EstimatorLike, seed: int) -> EstimatorLike:
    """Return a clone with all its random_state parameters set."""
    from sklearn.base import clone

    new = clone(classifier)
    keys = [key for key in new.get_params() if key.split("__")[-1] == "random_state"]
    return new.set_params(**dict.fromkeys(keys, seed)) if keys else new


def takes_counts_only(classifier: EstimatorLike) -> bool:
    """Return whether a classifier refuses negative values, as MultinomialNB does."""
    return bool(getattr(_input_tags(classifier), "positive_only", False))


def takes_sparse_counts(classifier: EstimatorLike) -> bool:
    """Return whether a classifier takes unscaled values of a sparse matrix."""
    tags = _input_tags(classifier)
    return takes_counts_only(classifier) and bool(getattr(tags, "sparse", False))


def _input_tags(classifier: EstimatorLike) -> object:
    from sklearn.utils import get_tags

    try:
        return get_tags(classifier).input_tags
    except (AttributeError, TypeError):  # estimators of other packages may have no tags
        return None


def classification_steps(classifier: EstimatorLike, *, impute: bool) -> list[tuple[str, Any]]:
    """Return the pipeline steps that classify selected features: impute, scale, classify.

    Classifiers that refuse negative values get the features without scaling.
    """
    from sklearn.preprocessing import StandardScaler

    scaling = [] if takes_counts_only(classifier) else [("scale", StandardScaler())]
    steps = [*scaling, ("classify", classifier)]
    return [("impute", median_imputer()), *steps] if impute else steps


def median_imputer() -> SimpleImputer:
    """Return an imputer of medians; a feature without any value becomes 0."""
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy="median", keep_empty_features=True)
