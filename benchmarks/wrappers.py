"""Subset searches around a classifier, against those of scikit-learn and mlxtend."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

from mlxtend.feature_selection import SequentialFeatureSelector as Mlxtend
from sklearn.datasets import load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier

import holdfast as hf
from benchmarks._inputs import labelled
from benchmarks._record import Goal, Live, benchmark

if TYPE_CHECKING:
    import numpy as np

    from benchmarks._inputs import Labelled

FOLDS = StratifiedKFold(10)
NEAREST = KNeighborsClassifier(3)


def wine(rng: np.random.Generator) -> Labelled:  # noqa: ARG001
    return load_wine(return_X_y=True)


def most_of_wine(rng: np.random.Generator) -> Labelled:
    """Return 80% of each class of wine, as S3's runs have it."""
    X, y = load_wine(return_X_y=True)
    rows = hf.Subsampling(1, 0.8).draw(y, random_state=int(rng.integers(2**31)))[0].train
    return X[rows], y[rows]


def few(rng: np.random.Generator) -> Labelled:
    """Return a few features of wine, for the warm-up."""
    X, y = wine(rng)
    return X[:, :3], y


def searched(data: Labelled, *, search: Any) -> Any:
    return search.fit(*data)


def by_scikit_learn(data: Labelled) -> Any:
    """Let scikit-learn go to all features but one; it goes no further."""
    size = data[0].shape[1] - 1
    return SequentialFeatureSelector(NEAREST, n_features_to_select=size, cv=FOLDS).fit(*data)


def by_mlxtend(data: Labelled, *, floating: bool) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = (1, data[0].shape[1])
        return Mlxtend(
            NEAREST, k_features=every, floating=floating, scoring="accuracy", cv=FOLDS
        ).fit(*data)


# Wine, 3 nearest neighbours, 10 folds

for _name, _search, _peer in (
    ("forward selection", hf.ForwardSelection, Live(name="scikit-learn", run=by_scikit_learn)),
    (
        "forward selection again",
        hf.ForwardSelection,
        Live(name="mlxtend", run=partial(by_mlxtend, floating=False)),
    ),
    (
        "floating selection",
        hf.FloatingSelection,
        Live(name="mlxtend", run=partial(by_mlxtend, floating=True)),
    ),
):
    benchmark(
        task=f"{_name} to all of wine's 13 features, 3-NN, 10 folds",
        inputs=wine,
        tiny=few,
        peer=_peer,
        goal=Goal(ratio=50),
    )(partial(searched, search=_search(NEAREST, cv=FOLDS)))


# Oscillating search as in S3: 80% of wine, 10 random splits, depth 5

for _name, _classifier, _seconds in (
    ("3-NN", "knn3", 0.1),
    ("Gaussian", "gaussian", 0.1),
    ("linear SVM", "linear_svm:C=1", 2.0),
):
    benchmark(
        task=f"oscillating search, depth 5, {_name}, 80% of wine, 10 splits",
        inputs=most_of_wine,
        tiny=few,
        goal=Goal(seconds=_seconds),
    )(partial(searched, search=hf.OscillatingSearch(_classifier)))


# Many features

benchmark(
    task="forward selection to 30 of 2,000 features, 200 samples, 3-NN, 10 splits",
    inputs=partial(labelled, n=200, p=2000),
    tiny=partial(labelled, n=20, p=30),
    goal=Goal(seconds=20.0, peak_mb=200),
)(partial(searched, search=hf.ForwardSelection(NEAREST, n_features_to_select=(1, 30))))
