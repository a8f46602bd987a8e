"""The three kinds of studies: robustness, accuracy, and robustness by size of the ensemble."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import holdfast as hf
from holdfast.papers.saeys2008._selectors import (
    BASES,
    COLUMN,
    DRAWN,
    MAIN,
    N_BAGS,
    SVM_RFE,
    WAYS,
    ensembles,
    ordered,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.io import Dataset
    from holdfast.papers._workshop import Workshop

JUDGED = (MAIN, COLUMN, DRAWN)
"""The settings with an accuracy, and with ensembles of several sizes."""
SMALLER, LARGER = (5, 10, 20), (60,)
CLASSIFIERS = {"SVM": "linear_svm:C=1", "RF": "random_forest", "KNN": "knn5"}
ALL = "All features"
TOP = 0.01
"""The share of features that classifiers see."""


def robustness(shop: Workshop, name: str) -> hf.Result:
    """Run all selectors and their ensembles on subsamples; scores are kept, to be ranked later.

    SVM-RFE gives none; an ensemble without bags makes some of its ranks.
    """
    scored = {SVM_RFE: hf.Ensemble(BASES[SVM_RFE], n_bags=None)}
    return _on_subsamples(shop, f"robustness {name}", {**BASES, **scored, **ensembles(WAYS)}, name)


def ensemble_sizes(shop: Workshop, name: str) -> hf.Result:
    """Run ensembles of other sizes on the same subsamples."""
    found = {
        called: one
        for n_bags in sizes_of(shop)
        if n_bags not in (1, N_BAGS)
        for called, one in ensembles(JUDGED, n_bags).items()
    }
    return _on_subsamples(shop, f"ensemble sizes {name}", found, name)


def sizes_of(shop: Workshop) -> tuple[int, ...]:
    """Return the numbers of bags: 1 is a selector by itself."""
    return (1, *SMALLER, N_BAGS, *shop.either((), LARGER))


def _on_subsamples(
    shop: Workshop, study: str, selectors: Mapping[str, Any], name: str
) -> hf.Result:
    data = shop.data(name)
    return shop.study(
        study,
        selectors,
        data,
        protocol=hf.Subsampling(10, 0.9),
        sizes=[TOP],
        classifiers=(),
        measures=["pearson"],
        **missing(data),
    )


def accuracy(shop: Workshop, name: str) -> hf.Result:
    """Run the selectors in a cross-validation, and classifiers on the features they choose."""
    selectors = {**ordered(JUDGED), **ensembles(JUDGED)}
    return _cross_validated(shop, f"accuracy {name}", selectors, name, TOP)


def without_selection(shop: Workshop, name: str) -> hf.Result:
    """Run the classifiers on all features, in the same folds."""
    return _cross_validated(shop, f"all features {name}", {ALL: hf.RandomScore()}, name, 1.0)


def _cross_validated(
    shop: Workshop, study: str, selectors: Mapping[str, Any], name: str, size: float
) -> hf.Result:
    data = shop.data(name)
    return shop.study(
        study,
        selectors,
        data,
        protocol=hf.CrossValidation(10),
        sizes=[size],
        classifiers=CLASSIFIERS,
        measures=["jaccard"],
        **missing(data),
    )


def missing(data: Dataset) -> dict[str, str]:
    """Return what a study is told about missing values, where there are some."""
    return {"impute": "median"} if np.isnan(np.asarray(data.X, dtype=float)).any() else {}
