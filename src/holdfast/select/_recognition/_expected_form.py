"""The form of what an estimator selects, as far as it is known before it is fitted."""

from __future__ import annotations

from numbers import Real
from typing import NamedTuple

import numpy as np
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.utils.validation import has_fit_parameter

from holdfast._typing import EstimatorLike
from holdfast.select._recognition._reading import RANKING, SUBSET, WEIGHTS

DECLARED_FORMS = {
    "scores": WEIGHTS,
    "ranking": RANKING,
    "mask": SUBSET,
    "indices": SUBSET,
    "names": SUBSET,
    "subset": SUBSET,
}
"""Forms by the values of the parameter `returns`."""
ESTIMATOR_FORMS = ("scores", "ranking", "subset")
"""What of an estimator can be declared to be used."""
SPARSE_PENALTIES = ("l1", "elasticnet")
DENSE_PENALTIES = ("l2", None)
SPARSE_NAMES = ("Lasso", "Lars", "OrthogonalMatchingPursuit", "ElasticNet")
"""Parts of the names of models of scikit-learn that give most features the weight 0."""
SCORE_FUNCTIONS = "sklearn.feature_selection"
"""The module of functions that return scores."""


class ExpectedForm(NamedTuple):
    """What is known of an estimator before a fit."""

    form: str | None
    """``"subset"``, ``"weights"``, ``"ranking"``; None if only a fit shows it."""
    why: str
    is_sparse: bool = False
    """Whether the subset is that of the features with a weight other than 0."""


def expect_form(estimator: EstimatorLike, returns: str | None = None) -> ExpectedForm:
    """Return the form that an unfitted estimator, or a function, will be read in."""
    if returns is not None:
        form = DECLARED_FORMS[returns]
        is_sparse = form == SUBSET and is_sparse_model(estimator)
        return ExpectedForm(form, f"declared by returns={returns!r}", is_sparse)
    if estimator is None:
        return ExpectedForm(WEIGHTS, "the F statistic, the default")
    if hasattr(estimator, "fit"):
        return _expect_form_of_estimator(estimator)
    if (getattr(estimator, "__module__", None) or "").startswith(SCORE_FUNCTIONS):
        return ExpectedForm(WEIGHTS, "a score function of scikit-learn")
    return ExpectedForm(None, "a function may return scores, a ranking or a selection")


def _expect_form_of_estimator(estimator: EstimatorLike) -> ExpectedForm:
    if (inner := searched_estimator(estimator)) is not None:
        return expect_form(inner)
    if is_pipeline(estimator):
        return _expect_pipeline(estimator)
    if hasattr(estimator, "get_support"):
        return ExpectedForm(SUBSET, "get_support()")
    if is_sparse_model(estimator):
        return ExpectedForm(SUBSET, "coef_, as a penalty makes weights 0", is_sparse=True)
    if is_from_scikit_learn(estimator) or hasattr(type(estimator), "feature_importances_"):
        return ExpectedForm(WEIGHTS, "coef_ or feature_importances_")
    return ExpectedForm(None, "an estimator of another package may select or weigh features")


def searched_estimator(estimator: EstimatorLike) -> EstimatorLike:
    """Return the estimator whose parameters a search of scikit-learn chooses; None for others."""
    is_search = type(estimator).__name__.endswith("SearchCV")
    return getattr(estimator, "estimator", None) if is_search else None


def is_pipeline(estimator: EstimatorLike) -> bool:
    """Return whether an estimator is a pipeline, of scikit-learn or like it."""
    return hasattr(estimator, "steps") and hasattr(estimator, "named_steps")


def sample_weight_argument(estimator: EstimatorLike) -> str | None:
    """Return the argument of ``fit`` that weighs samples; None if an estimator takes no weights.

    It is ``sample_weight`` if ``fit`` has this parameter. Without metadata routing, scikit-learn's
    pipelines want the name of the step in front, here of the last; and its searches, RFE and
    SelectFromModel pass all arguments on to the estimator inside.
    """
    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    if is_pipeline(estimator):
        name, last = estimator.steps[-1]
        inner = None if last in (None, "passthrough") else sample_weight_argument(last)
        return None if inner is None else f"{name}__{inner}"
    passes_on = searched_estimator(estimator) is not None or type(estimator) in (
        RFE,  # RFECV refuses arguments without routing
        SelectFromModel,
    )
    if not passes_on or getattr(estimator, "prefit", False):
        return None
    return sample_weight_argument(estimator.estimator)


def _expect_pipeline(pipeline: EstimatorLike) -> ExpectedForm:
    """Return the form of a pipeline: that of its last step, or of a selector before it."""
    name, last = pipeline.steps[-1]
    final = ExpectedForm(None, "") if last in (None, "passthrough") else expect_form(last)
    selectors = [key for key, step in pipeline.steps[:-1] if is_supervised_selector(step)]
    if final.form == SUBSET or not selectors:
        return final._replace(why=f"{final.why}, in the step {name!r} of the pipeline")
    return ExpectedForm(SUBSET, f"get_support(), in the step {selectors[-1]!r} of the pipeline")


def is_supervised_selector(step: EstimatorLike) -> bool:
    """Return whether a step of a pipeline selects features by more than their variance.

    A threshold of the variance only prepares the data for what follows.
    """
    return hasattr(step, "get_support") and type(step).__name__ != "VarianceThreshold"


def is_sparse_model(estimator: EstimatorLike) -> bool:
    """Return whether an estimator is a model of scikit-learn that makes weights exactly 0."""
    if not is_from_scikit_learn(estimator) or not hasattr(estimator, "get_params"):
        return False
    options = estimator.get_params(deep=False)
    penalty = options.get("penalty", "deprecated")
    if isinstance(penalty, str) and penalty in SPARSE_PENALTIES:
        return True
    if penalty in DENSE_PENALTIES:
        return False
    if any(part in type(estimator).__name__ for part in SPARSE_NAMES):
        return True
    # without a penalty, or where it is deprecated, the share of L1 says it
    shares = options.get("l1_ratio") if "l1_ratio" in options else options.get("l1_ratios")
    known = [share for share in np.ravel(shares) if isinstance(share, Real)]
    return any(float(share) > 0 for share in known)


def is_from_scikit_learn(estimator: EstimatorLike) -> bool:
    """Return whether an estimator is one of scikit-learn itself."""
    return type(estimator).__module__.partition(".")[0] == "sklearn"
