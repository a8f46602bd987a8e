"""Selectors that fit models: the elastic net and permutation importance, against scikit-learn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

import holdfast as hf
from benchmarks._inputs import Labelled, labelled
from benchmarks._record import Goal, Live, benchmark

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST, N_PENALTIES, N_TREES, N_REPEATS = 0.1, 20, 50, 2


def fit_with_saga(data: Labelled) -> Any:
    """Fit the elastic net of scikit-learn on the same penalties and number of folds."""
    X, y = data
    Z = StandardScaler().fit_transform(X)
    # the smallest penalty at which all coefficients are 0
    largest = np.abs((y - y.mean()) @ Z).max() / len(y) / 0.5
    shares = SMALLEST ** np.linspace(0, 1, N_PENALTIES)
    return LogisticRegressionCV(
        Cs=1 / (len(y) * largest * shares), cv=StratifiedKFold(10), l1_ratios=[0.5], solver="saga",
        max_iter=2000, scoring="neg_log_loss", use_legacy_attributes=False,
    ).fit(Z, y).coef_  # fmt: skip


@benchmark(
    task="elastic net, 20 penalties and 10 folds, 100 x 1,000, against LogisticRegressionCV",
    inputs=partial(labelled, n=100, p=1000),
    tiny=partial(labelled, n=40, p=10),
    peer=Live(name="scikit-learn (saga)", run=fit_with_saga),
    goal=Goal(ratio=50),
)
def select_by_elastic_net(data: Labelled) -> NDArray[np.float64]:
    net = hf.ElasticNetSelection(smallest=SMALLEST, n_penalties=N_PENALTIES)
    return net.fit(*data).coef_


def permute_one_by_one(data: Labelled) -> NDArray[np.float64]:
    X, y = data
    means = [
        permutation_importance(
            RandomForestClassifier(N_TREES).fit(X[train], y[train]), X[test], y[test],
            n_repeats=N_REPEATS,
        ).importances_mean
        for train, test in StratifiedKFold(5).split(X, y)
    ]  # fmt: skip
    return np.mean(means, axis=0)


@benchmark(
    task="permutation importance in a forest, 5 folds, 100 x 500, against permutation_importance",
    inputs=partial(labelled, n=100, p=500),
    tiny=partial(labelled, n=20, p=5),
    peer=Live(name="scikit-learn", run=permute_one_by_one),
    goal=Goal(ratio=10),
)
def score_by_permutation(data: Labelled) -> NDArray[np.float64]:
    forest = RandomForestClassifier(N_TREES)
    return hf.PermutationImportance(forest, n_repeats=N_REPEATS).fit(*data).scores_
