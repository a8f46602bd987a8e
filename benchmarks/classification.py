"""Classification inside studies, on colon: seconds per 1,000 fits with predictions."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import holdfast as hf
from benchmarks._inputs import Labelled, labelled, real
from benchmarks._record import Goal, Live, benchmark
from holdfast.study import get_classifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Predictor: TypeAlias = Callable[
        [NDArray[Any], NDArray[np.int64], NDArray[Any]], NDArray[np.int64]
    ]

SIZES = (5, 10, 20, 50)
N_RESAMPLES = 100
N_FITS = 1000  # how many the seconds are of


def study_seconds(data: Labelled, *, classifier: str) -> float:
    """Classify with random features in a study; return the time by the median unit.

    The median leaves out the first unit, which loads compiled code.
    """
    study = hf.Study(
        "random_score", protocol=hf.Subsampling(N_RESAMPLES, 0.9), sizes=SIZES,
        classifiers=[classifier], replication=0,
    )  # fmt: skip
    result = study.run(*data, n_jobs=1)
    rows = result.store.query("SELECT classification FROM timings")
    result.store.close()
    return N_FITS * float(np.median([seconds for (seconds,) in rows])) / len(SIZES)


def peer_seconds(data: Labelled, *, predict: Predictor) -> float:
    """Return the time that a peer takes for as many, by its median."""
    X, y = data
    rng, times = np.random.default_rng(0), []
    for _ in range(N_RESAMPLES):
        rows, features = rng.permutation(len(y)), rng.permutation(X.shape[1])
        test, train = rows[: len(y) // 10], rows[len(y) // 10 :]
        start = time.perf_counter()
        for size in SIZES:
            own = features[:size]
            predict(X[np.ix_(train, own)], y[train], X[np.ix_(test, own)])
        times.append((time.perf_counter() - start) / len(SIZES))
    return N_FITS * float(np.median(times))


def predict_by_pipeline(
    train: NDArray[Any], y: NDArray[np.int64], test: NDArray[Any], *, classifier: str
) -> NDArray[np.int64]:
    """Fit a pipeline of scikit-learn; predict labels and scores, as a study stores both."""
    record = get_classifier(classifier)
    model = make_pipeline(StandardScaler(), record.kind(**record.options)).fit(train, y)
    if hasattr(model, "decision_function"):
        model.decision_function(test)
    else:
        model.predict_proba(test)
    labels: NDArray[np.int64] = model.predict(test)
    return labels


def predict_by_distances(
    train: NDArray[Any], y: NDArray[np.int64], test: NDArray[Any]
) -> NDArray[np.int64]:
    """Let the 3 nearest neighbours vote, in plain numpy."""
    mean, width = train.mean(axis=0), train.std(axis=0)
    Z, T = (train - mean) / width, (test - mean) / width
    squares = (T**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * T @ Z.T
    nearest = np.argpartition(squares, 2, axis=1)[:, :3]
    return (y[nearest].mean(axis=1) > 0.5).astype(np.int64)


COLON = {
    "inputs": partial(real, name="colon", n=62, p=2000),
    "tiny": partial(labelled, n=30, p=60),
    "clock": float,
}

for name, title, goal in (
    ("linear_svm", "linear SVM", Goal(seconds=0.3, ratio=15)),
    ("knn3", "3-NN", Goal(seconds=0.3, ratio=30)),
    ("lda", "LDA", Goal(ratio=1)),
):
    benchmark(
        task=f"study, 1,000 fits of {title}, 4 sizes of colon, against a pipeline",
        **COLON,
        peer=Live(
            name="scikit-learn",
            run=partial(peer_seconds, predict=partial(predict_by_pipeline, classifier=name)),
        ),
        goal=goal,
    )(partial(study_seconds, classifier=name))

benchmark(
    task="study, 1,000 fits of 3-NN, 4 sizes of colon, against plain numpy",
    **COLON,
    peer=Live(name="plain numpy", run=partial(peer_seconds, predict=predict_by_distances)),
    goal=Goal(seconds=0.3, ratio=1),
)(partial(study_seconds, classifier="knn3"))
