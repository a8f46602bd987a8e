"""Dense groups, ensembles, stability selection, and selectors with a false discovery rate."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sklearn.cluster import MeanShift
from sklearn.preprocessing import StandardScaler

import holdfast as hf
from benchmarks._inputs import COLON, labelled, real
from benchmarks._record import Goal, Live, benchmark

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchmarks._inputs import Labelled

DATA = "colon" if COLON.is_file() else "noise"
OF_COLON: dict[str, Any] = {
    "inputs": partial(real, name="colon", n=62, p=2000),
    "tiny": partial(labelled, n=20, p=30),
}


def fitted(data: Labelled, *, selector: Any) -> Any:
    return selector.fit(*data)


# Dense groups against scikit-learn's mean shift


def peaks(data: Labelled) -> NDArray[np.float64]:
    """Let scikit-learn climb from every feature with the bandwidth that DRAGS finds."""
    X, y = data
    bandwidth = hf.DRAGS().fit(X, y).bandwidth_
    points = StandardScaler().fit_transform(X).T
    return MeanShift(bandwidth=bandwidth, cluster_all=False).fit(points).cluster_centers_


benchmark(
    task=f"DRAGS, flat kernel, {DATA}, 62 x 2,000, against MeanShift",
    peer=Live(name="MeanShift", run=peaks),
    goal=Goal(ratio=20),
    **OF_COLON,
)(partial(fitted, selector=hf.DRAGS()))
benchmark(
    task=f"DRAGS, Gaussian kernel, {DATA}, 62 x 2,000",
    goal=Goal(seconds=8.6),
    **OF_COLON,
)(partial(fitted, selector=hf.DRAGS(kernel="gaussian")))
benchmark(
    task=f"DRAGS, flat kernel, {'lung' if COLON.is_file() else 'noise'}, 181 x 12,533",
    inputs=partial(real, name="lung", n=181, p=12_533),
    tiny=partial(labelled, n=20, p=30),
    goal=Goal(seconds=30.0, peak_mb=2000),
)(partial(fitted, selector=hf.DRAGS()))


# Ensembles

for _name, _base, _seconds in (
    ("ReliefF", hf.ReliefF(n_neighbors=10), 0.6),
    ("SVM-RFE", hf.SVMRFE(), 1.0),
):
    benchmark(
        task=f"ensemble of 40 bags of {_name}, {DATA}, 62 x 2,000",
        goal=Goal(seconds=_seconds),
        **OF_COLON,
    )(partial(fitted, selector=hf.Ensemble(_base)))


# Stability selection


def informed(rng: np.random.Generator, *, n: int, p: int) -> Labelled:
    """Return two classes that differ in ten features."""
    X, y = labelled(rng, n=n, p=p)
    X[:, :10] += 0.8 * y[:, None]
    return X, y


benchmark(
    task="stability selection, logistic path, 100 half-samples of 100 x 20,000",
    inputs=partial(informed, n=100, p=20_000),
    tiny=partial(informed, n=40, p=200),
    goal=Goal(seconds=30.0, peak_mb=1000),
)(partial(fitted, selector=hf.StabilitySelection()))


# False discovery rates

for _statistic, _goal in (("t_score", 5.0), ("l1_path", 15.0)):
    benchmark(
        task=f"data splitting, {_statistic}, 50 splits of 200 x 10,000",
        inputs=partial(informed, n=200, p=10_000),
        tiny=partial(informed, n=40, p=200),
        goal=Goal(seconds=_goal, peak_mb=1500),
    )(partial(fitted, selector=hf.DataSplitting(statistic=_statistic)))

benchmark(
    task="knockoffs, L1 path, 30 draws of 200 x 1,000",
    inputs=partial(informed, n=200, p=1_000),
    tiny=partial(informed, n=40, p=60),
    goal=Goal(seconds=15.0, peak_mb=1500),
)(partial(fitted, selector=hf.Knockoffs()))
