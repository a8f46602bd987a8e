"""Subset searches on wine, as Somol and Novovičová (2008) compared them, with fewer runs.

Each run searches 80% of the samples for the best subset; CW_rel says how alike the subsets are.
Published are 1,000 runs, in which oscillating search is the most consistent for each of three
classifiers: Gaussian 0.353 (SFS), 0.365 (SFFS), 0.453 (DOS); 3-NN 0.467, 0.508, 0.643; SVM, its
kernel not said, 0.203, 0.516, 0.615. Measured here, with standard errors of differences by
jackknife:

========== ==== ===== ===== ===== ============== ==============
classifier runs SFS   SFFS  DOS   DOS over SFS   DOS over SFFS
========== ==== ===== ===== ===== ============== ==============
Gaussian   600  0.387 0.378 0.394 0.007 +- 0.015  0.016 +- 0.012
3-NN       600  0.372 0.365 0.390 0.018 +- 0.011  0.025 +- 0.008
RBF SVM    200  0.326 0.422 0.449 0.123 +- 0.021  0.027 +- 0.015
linear SVM 200  0.408 0.454 0.429 0.021 +- 0.027 -0.025 +- 0.010
========== ==== ===== ===== ===== ============== ==============

So 50 runs can tell that DOS is ahead of SFS with the RBF SVM (0.08 to 0.15 in four such sets of
runs), and that the other leads are not as large as the published ones; a lead of DOS over SFS and
SFFS with the Gaussian and with 3-NN is too small to be tested. What is asserted held in each set
of 50 runs: 12 sets of the Gaussian and 3-NN, 4 of the RBF SVM. The numbers behind "measured" below
are the extremes over these sets.
"""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_wine

import holdfast as hf

X, Y = load_wine(return_X_y=True)
RESAMPLES = hf.Subsampling(50, 0.8).draw(Y, random_state=0)
CLASSIFIERS = {
    "gaussian": "gaussian",
    "3-NN": "knn3",
    "RBF SVM": "rbf_svm",
}
SEARCHES = {"SFS": hf.ForwardSelection, "SFFS": hf.FloatingSelection, "DOS": hf.OscillatingSearch}
pytestmark = pytest.mark.slow


@cache
def searched(classifier, search):
    """Return the subsets of all runs and their values."""
    make = SEARCHES[search]
    fitted = [
        make(CLASSIFIERS[classifier], random_state=seed).fit(X[one.train], Y[one.train])
        for seed, one in enumerate(RESAMPLES)
    ]
    return np.array([one.support_ for one in fitted]), np.array([one.value_ for one in fitted])


def consistency(subsets):
    return hf.measure("relative_weighted_consistency", hf.Subsets(subsets))


def consistencies(classifier, *searches):
    return {name: round(consistency(searched(classifier, name)[0]), 3) for name in searches}


def test_random_subsets_are_consistent_by_chance_only():
    random = hf.RandomSubset().select_resamples(X, Y, [one.train for one in RESAMPLES])
    assert abs(hf.measure("relative_weighted_consistency", random)) < 0.04


@pytest.mark.parametrize("classifier", ["gaussian", "3-NN"])
def test_searches_are_far_more_consistent_than_chance_and_alike(classifier):
    """Measured: 0.31 to 0.50; DOS over SFS -0.05 to 0.11, over SFFS -0.03 to 0.11."""
    found = consistencies(classifier, *SEARCHES)
    assert min(found.values()) > 0.25, found
    assert max(found.values()) < 0.55, found
    assert abs(found["DOS"] - found["SFS"]) < 0.15, found
    assert abs(found["DOS"] - found["SFFS"]) < 0.15, found


def test_oscillating_search_is_more_consistent_than_forward_selection_with_an_rbf_svm():
    """Measured: a lead of 0.08 to 0.15; subsets are smaller by 0.12 to 0.74 features."""
    found = consistencies("RBF SVM", "SFS", "DOS")
    assert found["DOS"] > found["SFS"] + 0.03, found
    sizes = {name: searched("RBF SVM", name)[0].sum(axis=1).mean() for name in ("SFS", "DOS")}
    assert sizes["DOS"] < sizes["SFS"], sizes


@pytest.mark.parametrize("classifier", ["gaussian", "3-NN"])
def test_floating_and_oscillating_search_find_better_subsets_than_forward_selection(classifier):
    """Measured: SFFS over SFS 0.0014 to 0.0055, DOS over SFFS -0.0006 to 0.0005."""
    values = {name: searched(classifier, name)[1].mean() for name in SEARCHES}
    assert values["SFFS"] > values["SFS"] + 0.0007, values
    assert values["DOS"] > values["SFS"] + 0.0007, values
    assert abs(values["DOS"] - values["SFFS"]) < 0.0015, values


def test_floating_selection_is_seldom_worse_than_forward_selection():
    """Both go the same way until the first step back. In 600 runs: 347 better, 16 worse."""
    forward, floating = (searched("3-NN", name)[1] for name in ("SFS", "SFFS"))
    better, worse = np.sum(floating > forward), np.sum(floating < forward)
    assert better > 3 * worse, (better, worse)
