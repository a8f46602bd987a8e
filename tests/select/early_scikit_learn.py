"""What tests of the Gaussian classifier need of scikit-learn."""

import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

FITS_SINGULAR = "solver" not in QuadraticDiscriminantAnalysis().get_params()
REASON = "before 1.8, scikit-learn fits singular covariances, and every subset is refitted"
refuses_singular = pytest.mark.skipif(FITS_SINGULAR, reason=REASON)
