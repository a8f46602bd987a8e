"""Selectors: one fit against peers, many resamples at once, a data set mapped from disk."""

from __future__ import annotations

import warnings
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFE, f_classif, mutual_info_classif
from sklearn.svm import SVC, LinearSVC

import holdfast as hf
from benchmarks._inputs import (
    COLON,
    Labelled,
    Rows,
    labelled,
    mapped_labelled,
    predictable,
    resampled,
    resampled_colon,
)
from benchmarks._record import Goal, Live, Recorded, benchmark
from benchmarks._recorded import live_or_recorded, peer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Resampled = tuple[Labelled, Rows]

WIDE = {"inputs": partial(labelled, n=200, p=10_000), "tiny": partial(labelled, n=20, p=30)}


def fitted(data: Labelled, *, selector: Any) -> NDArray[Any]:
    return selector.fit(*data).ranking_


# One fit, 200 x 10,000, against peers


def skrebate(data: Labelled) -> Any:
    from skrebate import ReliefF

    return ReliefF(n_neighbors=10).fit(*data).feature_importances_


def mrmr_selection(data: Labelled) -> Any:
    import pandas as pd
    from mrmr import mrmr_classif

    X, y = data
    return mrmr_classif(pd.DataFrame(X), pd.Series(y), 50, n_jobs=1, show_progress=False)


def eliminated(data: Labelled, tolerance: float = 1e-9) -> NDArray[np.int64]:
    """Drop a tenth of the remaining features a round with scikit-learn's SVC, solved tightly."""
    X, y = data
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    X = (X - low) / span
    left, gone = np.arange(X.shape[1]), []
    while len(left):
        weights = SVC(kernel="linear", C=0.5, tol=tolerance).fit(X[:, left], y).coef_[0] ** 2
        worst = np.argsort(weights)[: max(1, int(0.1 * len(left)))]
        gone.append(left[worst])
        left = np.delete(left, worst)
    return np.concatenate(gone)


PEERS: list[tuple[str, Any, Live | Recorded, float]] = [
    ("ReliefF", hf.ReliefF(n_neighbors=10), Live(name="skrebate", run=skrebate), 600),
    ("ReliefF", hf.ReliefF(n_neighbors=10), peer("WEKA", "ReliefF"), 40),
    (
        "MRMR, the first 50",
        hf.MRMR(n_features_to_select=0.005),
        live_or_recorded("mrmr-selection", "mrmr", "50 features", mrmr_selection),
        20,
    ),
    ("SVM-RFE", hf.SVMRFE(), Live(name="SVC loop", run=eliminated), 10),
    ("SVM-RFE", hf.SVMRFE(), peer("WEKA", "SVM-RFE"), 25),
    ("information gain", hf.InformationGain(), peer("WEKA", "InfoGain"), 5),
    (
        "forest importance",
        hf.ForestImportance(),
        peer("scikit-learn", "forest and permutation_importance"),
        1000,
    ),
    (
        "mutual information",
        hf.MutualInformation(),
        Live(name="mutual_info_classif", run=lambda data: mutual_info_classif(*data)),
        100,
    ),
]

for _name, _selector, _peer, _ratio in PEERS:
    benchmark(
        task=f"{_name}, 200 x 10,000, against {_peer.name}",
        peer=_peer,
        goal=Goal(ratio=_ratio),
        **WIDE,
    )(partial(fitted, selector=_selector))


# More samples than features


def liblinear_rfe(data: Labelled, *, loss: str, tol: float) -> Any:
    """Drop a tenth of all features a round with scikit-learn's LinearSVC: a third of our fits."""
    X, y = data
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = LinearSVC(loss=loss, C=0.5, tol=tol, dual=loss == "hinge", max_iter=10_000)
        return RFE(machine, n_features_to_select=1, step=0.1).fit(X, y).ranking_


MANY = {"tiny": partial(predictable, n=900, p=10)}
# squared_hinge is another, smooth loss
for _loss, _tolerance, _ratio in (("squared_hinge", 1e-4, 1.0), ("hinge", 1e-4, 1.0)):
    benchmark(
        task=f"SVM-RFE, 5,000 x 100, against RFE(LinearSVC), {_loss}, tolerance {_tolerance:g}",
        inputs=partial(predictable, n=5_000, p=100),
        peer=Live(name="LinearSVC", run=partial(liblinear_rfe, loss=_loss, tol=_tolerance)),
        goal=Goal(ratio=_ratio, peak_mb=100),
        **MANY,
    )(partial(fitted, selector=hf.SVMRFE()))
benchmark(
    task="SVM-RFE, 50,000 x 50",
    inputs=partial(predictable, n=50_000, p=50),
    goal=Goal(seconds=10.0, peak_mb=200),
    **MANY,
)(partial(fitted, selector=hf.SVMRFE()))


def bare_distances(data: Labelled) -> Any:
    return pdist(data[0], "cityblock")


benchmark(
    task="ReliefF, 4,000 x 100, against bare distances of all pairs",
    inputs=partial(predictable, n=4_000, p=100),
    peer=Live(name="pdist", run=bare_distances),
    goal=Goal(ratio=1 / 4, peak_mb=100),
    **MANY,
)(partial(fitted, selector=hf.ReliefF()))
benchmark(
    task="ReliefF, 50,000 x 50, probes drawn",
    inputs=partial(predictable, n=50_000, p=50),
    goal=Goal(seconds=5.0, peak_mb=200),
    **MANY,
)(partial(fitted, selector=hf.ReliefF()))


# Integrated paths, against the package ipss if it is installed


def ipss_peer(base: str) -> Live | None:
    """Return the package ipss with its defaults, for L1 paths or forests."""
    if find_spec("ipss") is None:
        return None

    def run(data: Labelled) -> Any:
        from ipss import ipss

        return ipss(*data, selector=base)

    return Live(name="ipss", run=run)


for _name, _selector, _kind, _p in (
    ("L1 paths", hf.IntegratedPathSelection(), "l1", 2_000),
    # ipss keeps 200 features before it grows its forests: with 200, the work is the same
    ("forests", hf.IntegratedPathSelection(hf.ImpurityForest(max_features=0.1)), "rf", 200),
):
    benchmark(
        task=f"IPSS, {_name}, 200 x {_p:,}, against ipss",
        inputs=partial(labelled, n=200, p=_p),
        tiny=partial(labelled, n=20, p=30),
        peer=ipss_peer(_kind),
        goal=Goal(seconds=3.0, ratio=None if ipss_peer(_kind) is None else 2),
    )(partial(fitted, selector=_selector))


# Boruta, 99 rounds as boruta_py runs by itself


def boruta_py(both: Resampled) -> Any:
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(max_depth=5, n_jobs=1)
    return BorutaPy(forest, n_estimators="auto", random_state=0).fit(*both[0]).support_


@benchmark(
    task=f"Boruta, 99 rounds on {'colon' if COLON.is_file() else 'noise'}, against boruta_py",
    inputs=partial(resampled_colon, m=0),
    tiny=partial(resampled, n=20, p=30, m=0),
    peer=live_or_recorded("boruta_py", "boruta", "99 rounds on colon", boruta_py),
    goal=Goal(ratio=3),
)
def boruta(both: Resampled) -> Any:
    return hf.Boruta(max_rounds=99).fit(*both[0]).support_


# Many resamples at once


def scored(both: Resampled, *, selector: Any) -> NDArray[np.float64]:
    data, rows = both
    return selector.score_resamples(*data, rows).values


def products(both: Resampled) -> None:
    """Only the matrix products that t and F need: two classes of X, all of X squared."""
    (X, y), rows = both
    weights = np.array([np.bincount(own, minlength=len(y)) for own in rows], dtype=float)
    by_class = np.vstack([weights * (y == 0), weights * (y == 1)])
    for start in range(0, X.shape[1], 2000):
        block = X[:, start : start + 2000]
        _ = by_class @ block, weights @ block


def f_loop(both: Resampled) -> None:
    (X, y), rows = both
    for own in rows:
        f_classif(X[own], y[own])


THOUSAND = {
    "inputs": partial(resampled, n=200, p=20_000, m=1000),
    "tiny": partial(resampled, n=20, p=30, m=3),
}
for _name, _selector in (("t", hf.TScore()), ("F", hf.FScore())):
    benchmark(
        task=f"{_name}, 1,000 resamples of 200 x 20,000, against the bare products (goal: 1/3)",
        peer=Live(name="products", run=products),
        goal=Goal(ratio=1 / 3),
        **THOUSAND,
    )(partial(scored, selector=_selector))
benchmark(
    task="F, 1,000 resamples of 200 x 20,000, against a loop over f_classif",
    peer=Live(name="f_classif", run=f_loop),
    goal=Goal(ratio=20),
    **THOUSAND,
)(partial(scored, selector=hf.FScore()))


def ranked(both: Resampled, *, selector: Any) -> NDArray[Any]:
    data, rows = both
    return selector.rank_resamples(*data, rows).values


for _name, _run, _selector, _seconds in (
    ("information gain", scored, hf.InformationGain(), 2.0),
    ("ReliefF", scored, hf.ReliefF(n_neighbors=10), 4.0),
    ("SVM-RFE", ranked, hf.SVMRFE(), 20.0),
):
    benchmark(
        task=f"{_name}, 1,000 bootstraps of {'colon' if COLON.is_file() else 'noise'}, 62 x 2,000",
        inputs=partial(resampled_colon, m=1000),
        tiny=partial(resampled, n=20, p=30, m=3),
        goal=Goal(seconds=_seconds),
    )(partial(_run, selector=_selector))


# A data set that is larger than what may be in memory

for _name, _selector in (
    ("t", hf.TScore()),
    ("F", hf.FScore()),
    ("information gain", hf.InformationGain()),
    ("ReliefF", hf.ReliefF(n_neighbors=10)),
):
    benchmark(
        task=f"{_name}, 200 x 850,000 single precision from a memory map",
        inputs=partial(mapped_labelled, n=200, p=850_000),
        tiny=partial(mapped_labelled, n=20, p=30),
        goal=Goal(seconds=60.0, peak_mb=500),
        mapped=True,
    )(partial(fitted, selector=_selector))
