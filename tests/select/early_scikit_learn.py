"""What tests need of earlier releases of scikit-learn."""

import pytest
import sklearn
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

FITS_SINGULAR = "solver" not in QuadraticDiscriminantAnalysis().get_params()
REASON = "before 1.8, scikit-learn fits singular covariances, and every subset is refitted"
refuses_singular = pytest.mark.skipif(FITS_SINGULAR, reason=REASON)

RELEASE = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
L1_PENALTY = {"l1_ratio": 1.0} if RELEASE >= (1, 8) else {"penalty": "l1"}
"""Arguments of an L1-penalised logistic regression."""
