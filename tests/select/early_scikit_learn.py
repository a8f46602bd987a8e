"""What tests need of earlier releases of scikit-learn."""

import pytest
import sklearn
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags

FITS_SINGULAR = "solver" not in QuadraticDiscriminantAnalysis().get_params()
REASON = "before 1.8, scikit-learn fits singular covariances, and every subset is refitted"
refuses_singular = pytest.mark.skipif(FITS_SINGULAR, reason=REASON)

TAKES_SPARSE = get_tags(LinearSVC()).input_tags.sparse
states_sparse = pytest.mark.skipif(
    not TAKES_SPARSE, reason="early scikit-learn does not say which estimators take sparse data"
)

RELEASE = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
L1_PENALTY = {"l1_ratio": 1.0} if RELEASE >= (1, 8) else {"penalty": "l1"}
"""Arguments of an L1-penalised logistic regression."""
