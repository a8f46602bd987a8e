"""What classifiers say of test samples: classes and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from holdfast._classifiers import classifying
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
