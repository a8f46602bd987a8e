"""Compiled loops: arrays in, arrays out, no checks of the input.

Every file states its method, its reference, its deviations from the reference and what rounding
can change. Every kernel is tested against something slower that shares no code with it:

=====================  ==========================================================================
file                   checked against
=====================  ==========================================================================
``decimals``           Python's ``float``
``discretization``     WEKA (``tests/golden/weka.json``); slow versions in the test
``forest``             scikit-learn's trees and permutation importance; slow versions in the test
``gaussian``           refits of scikit-learn's ``QuadraticDiscriminantAnalysis``
``impurity_forest``    scikit-learn's trees and forests
``l1_path``            scikit-learn's lasso and logistic regression; proximal gradient steps
``mean_shift``         scikit-learn's ``MeanShift``; distances of all pairs
``moments``            scipy's t-tests and scikit-learn's ``f_classif``; slow versions in the test
``nearest_neighbors``  refits of scikit-learn's ``KNeighborsClassifier``; slow versions in the test
``nested_subsets``     scikit-learn's ``KNeighborsClassifier`` and ``SVC`` (``tests/study``)
``overlaps``           naive twins in ``tests/naive.py``; scipy's hypergeometric distribution
``rank_agreement``     naive twins in ``tests/naive.py``; scipy's ``kendalltau``
``rank_sums``          scipy's ``mannwhitneyu`` and ``kruskal``
``redundancy``         numpy's ``corrcoef`` and scikit-learn's ``mutual_info_score``
``relief``             WEKA and skrebate (``tests/golden``); slow versions in the test
``shuffling``          the distribution of all permutations (test of ``forest``)
``similarity``         naive twins in ``tests/naive.py``; R package stabm (``tests/golden``)
``svm``                WEKA (``tests/golden/weka.json``); scikit-learn's ``SVC``; duality gaps
``svm_elimination``    WEKA (``tests/golden/weka.json``); slow versions in the test
``svm_many_samples``   the Gram matrix solver of ``svm``; scikit-learn's ``SVC``; duality gaps
=====================  ==========================================================================
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.event import Event, Listener, register

logger = logging.getLogger(__name__)
F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function to machine code and cache it on disk for the next process.

    Where neither the package's folder nor the user's cache folder is writable, the function is
    compiled again in every process.
    """
    try:
        compiled: Any = njit(function, cache=True)
    except RuntimeError:
        compiled = njit(function)
    return cast("F", compiled)


class CompilationNotice(Listener):
    """Logs one line when a kernel is compiled: no earlier process has put it into the cache."""

    def __init__(self) -> None:
        self.is_logged = False

    def on_start(self, event: Event) -> None:
        """Log the line, unless the function is not of this package."""
        module = event.data["dispatcher"].py_func.__module__
        if not self.is_logged and module.startswith("holdfast."):
            self.is_logged = True
            logger.info(
                "compiling code for the first time, which takes up to a minute; later runs start "
                "at once."
            )

    def on_end(self, event: Event) -> None:
        """Do nothing: one line is enough."""


NOTICE = CompilationNotice()
register("numba:compile", NOTICE)  # type: ignore[no-untyped-call]
