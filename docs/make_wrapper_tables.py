"""Print the table of docs/wrappers.md: subset searches on wine, beside the published ones.

Run it after a search or a criterion changed: ``python docs/make_wrapper_tables.py 400``, where
the number is that of the runs.
"""

import sys

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import holdfast as hf

X, Y = load_wine(return_X_y=True)
CLASSIFIERS = {
    "Gaussian": "gaussian",
    "3-NN": "knn3",
    "linear SVM": "linear_svm:C=1",
    "RBF SVM": make_pipeline(StandardScaler(), SVC()),
}
SEARCHES = {
    "SFS": hf.ForwardSelection,
    "SFFS": hf.FloatingSelection,
    "DOS": hf.OscillatingSearch,
}
MEASURES = {
    "C": "consistency",
    "CW": "weighted_consistency",
    "CW_rel": "relative_weighted_consistency",
    "GK": "jaccard",
}
PUBLISHED = {  # CW_rel and the mean size in the table of Somol and Novovičová, 1,000 runs
    "Gaussian": {"rand": (0.025, 6.57), "SFS": (0.353, 3.73), "SFFS": (0.365, 3.58)},
    "3-NN": {"rand": (0.026, 6.66), "SFS": (0.467, 7.12), "SFFS": (0.508, 6.91)},
    "SVM": {"rand": (0.026, 6.40), "SFS": (0.203, 9.09), "SFFS": (0.516, 8.46)},
}


def found(classifier, method, train, seed):
    """Return the subset that a search finds on some of the samples, and its value."""
    if method in SEARCHES:
        search = SEARCHES[method](classifier, random_state=seed)
    else:
        subset = hf.RandomSubset(random_state=seed).fit(X[train], Y[train])
        features = subset.get_support(indices=True)
        search = hf.ForwardSelection(
            classifier,
            forced_in=features,
            n_features_to_select=len(features),
            random_state=seed,
        )
    search.fit(X[train], Y[train])
    return search.support_, search.value_


def all_found(classifier, method, n_runs):
    """Return the subsets and values of all runs, each on 80% of the samples."""
    resamples = hf.Subsampling(n_runs, 0.8).draw(Y, random_state=0)
    runs = Parallel(n_jobs=2)(
        delayed(found)(classifier, method, one.train, seed) for seed, one in enumerate(resamples)
    )
    return tuple(map(np.array, zip(*runs, strict=True)))
