"""Write mrmr.json: rankings of the package mrmr-selection on data sets of scikit-learn.

Run it as ``python tests/golden/make_mrmr.py`` where mrmr-selection 0.2.8 is installed.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import mutual_info_score

N_BINS = 5


def bins(column):
    """Return bins of equal frequency, by the mean rank of a value."""
    return np.floor((rankdata(column) - 0.5) * N_BINS / len(column) + 1e-9).astype(int)


def relevance(X, y):
    """Return the mutual information of each binned column with the classes."""
    return X.apply(lambda column: mutual_info_score(bins(column), y))


def redundancy(target_column, features, X):
    """Return the mutual information of binned columns with one of them."""
    target = bins(X[target_column])
    return X[features].apply(lambda column: mutual_info_score(bins(column), target))


def main():
    from mrmr import mrmr_classif

    settings = {
        "fcq": {"relevance": "f", "redundancy": "c"},
        "miq": {"relevance": relevance, "redundancy": redundancy},
    }
    cases = []
    for load in (load_wine, load_breast_cancer, load_digits):
        X, y = load(return_X_y=True)
        X, y = pd.DataFrame(X[::3]), pd.Series(y[::3])
        for name, options in settings.items():
            order = mrmr_classif(X, y, X.shape[1], **options, n_jobs=1, show_progress=False)
            cases.append(
                {"data": load.__name__, "criterion": name, "order": [int(f) for f in order]}
            )
    document = {"software": f"mrmr-selection {version('mrmr-selection')}", "cases": cases}
    path = Path(__file__).with_name("mrmr.json")
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
