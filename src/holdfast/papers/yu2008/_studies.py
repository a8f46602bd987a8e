"""The studies of Yu, Ding and Loscalzo (2008), shared by the table and the figures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import holdfast as hf
from holdfast._typing import AnyArray, FloatArray
from holdfast.select import halve_then_one

if TYPE_CHECKING:
    from holdfast.papers._runner import ExperimentRunner


SELECTION_SIZES = (4, 6, 8, 10, 20, 30, 40, 50)
"""Numbers k of groups, clusters or features."""
ALL_CLUSTERS = 100
"""Clusters of which the k most relevant are selected, in the main setting."""
CLASSIFIERS = {"linear_svm": "SVM", "knn1": "1-NN"}
MEASURES = {"group_matching_index": "index", "group_matching_value": "value"}
REPRESENTATIVES = "representatives"
"""The value with correlations of representatives in place of those of centres."""
DGF, DRAGS, KMEANS, RFE = "DGF", "DRAGS", "K-means", "SVM-RFE"

MAIN = "as published"
FIRST_GROUPS = "first k groups"
REVERSED = "other end of SVM-RFE"
OTHERS = "other features only"
UNFILTERED = "no density filter"
PAIRS = "groups of two or more"
DOUBLE = "K = 2k clusters"
LOGARITHMS = "logarithms"
DENSE: dict[str, dict[str, Any]] = {
    MAIN: {},
    OTHERS: {"count_itself": False},
    UNFILTERED: {"density_filter": False},
    PAIRS: {"min_size": 2},
}
"""Options of dense groups, by setting."""
RAW = "colon"
"""The data set whose public copy has raw positive intensities."""


def study_options(runner: ExperimentRunner) -> dict[str, Any]:
    """Return the common options: three folds, each compared with the result on all samples."""
    return {
        "protocol": hf.CrossValidation(3, n_repeats=runner.reduced_or_full(2, 10), reference=True),
        "sizes": list(SELECTION_SIZES),
        "classifiers": (),
        "measures": list(MEASURES),
    }


def study_options_with_classifiers(runner: ExperimentRunner) -> dict[str, Any]:
    """Return the same with classifiers; C = 1 is WEKA's default."""
    return study_options(runner) | {"classifiers": ["linear_svm:C=1", "knn1"]}


def make_rfe() -> hf.SVMRFE:
    """Return SVM-RFE as in the paper: it drops half of the features, below 50 one at a time."""
    return hf.SVMRFE(step=halve_then_one, scale="standard", C=1.0)


def make_clusters(
    runner: ExperimentRunner, count: int, central: int | None = None
) -> hf.KMeansGroups:
    """Return K-means with this many clusters; 50 random starts, or 5 in a reduced run."""
    return hf.KMeansGroups(n_clusters=count, central=central, n_init=runner.reduced_or_full(5, 50))


LAST_FEATURES = 50
"""Features from which on SVM-RFE removes one at a time."""


def reversed_rfe_scores(X: FloatArray, y: AnyArray) -> FloatArray:
    """Return scores that rank the last 50 features of SVM-RFE in the order of their removal."""
    ranks = np.asarray(make_rfe().fit(X, y).ranking_, dtype=np.float64)
    last = min(LAST_FEATURES, len(ranks))
    return -np.where(ranks <= last, last + 1 - ranks, ranks)


def match_among_all_groups(
    runner: ExperimentRunner, what: str, selector: hf.DenseGroups | hf.DRAGS, data: hf.io.Dataset
) -> pd.DataFrame:
    """Match the first k groups on all samples with all groups of each fold: k, measure, value."""

    def make() -> dict[str, pd.DataFrame]:
        protocol = study_options(runner)["protocol"]
        resamples = protocol.draw(data.y, random_state=runner.seed)
        rows = [resample.train for resample in resamples if resample.role == "main"]
        groups = selector.group_resamples(data.X, data.y, rows)
        reference = selector.group_resamples(data.X, data.y, [np.arange(len(data.y))])
        matchings: dict[str, dict[str, Any]] = {
            "index": {"names": "group_matching_index"},
            "value": {"names": "group_matching_value", "data": data.X},
            REPRESENTATIVES: {
                "names": "group_matching_value", "data": data.X, "centre": "representative",
            },
        }  # fmt: skip
        found = [
            {
                "k": k,
                "measure": name,
                "value": hf.measure(
                    preferences=groups, reference=reference, n_groups=k, against="all", **options
                ),
            }
            for name, options in matchings.items()
            for k in SELECTION_SIZES
        ]
        return {"matching": pd.DataFrame(found)}

    return runner.tables(f"matching {what}", make)["matching"]


def run_selection(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run DRAGS in all its settings, SVM-RFE both ways, and K-means with many clusters."""
    selectors = {
        **{f"{DRAGS}, {setting}": hf.DRAGS(**options) for setting, options in DENSE.items()},
        RFE: make_rfe(),
        f"{RFE}, reversed": hf.AnySelector(reversed_rfe_scores),
        f"{KMEANS}, all": make_clusters(runner, ALL_CLUSTERS),
    }
    return runner.study(
        f"selection {name}", selectors, runner.data(name), **study_options_with_classifiers(runner)
    )


def run_central_members(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run K-means with the same clusters, of which only the central members count."""
    selectors = {f"{KMEANS}, central": make_clusters(runner, ALL_CLUSTERS, 5)}
    return runner.study(f"central {name}", selectors, runner.data(name), **study_options(runner))


def run_double_clusters(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run K-means with twice as many clusters as are selected; `selection` runs 100 of them."""
    counts = [2 * size for size in SELECTION_SIZES if 2 * size != ALL_CLUSTERS]
    selectors = {f"{KMEANS}, {count}": make_clusters(runner, count) for count in counts}
    return runner.study(
        f"double {name}", selectors, runner.data(name), **study_options_with_classifiers(runner)
    )


def run_dense_groups(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run DGF in all its settings."""
    selectors = {
        f"{DGF}, {setting}": hf.DenseGroups(**options) for setting, options in DENSE.items()
    }
    return runner.study(f"groups {name}", selectors, runner.data(name), **study_options(runner))


def run_all_clusters(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run K-means with k clusters, all of them selected, for each k."""
    selectors = {
        f"{KMEANS}, {count}, {kind}": make_clusters(runner, count, central)
        for count in SELECTION_SIZES
        for kind, central in (("all", None), ("central", 5))
    }
    return runner.study(f"clusters {name}", selectors, runner.data(name), **study_options(runner))


def run_logarithmic_selection(runner: ExperimentRunner) -> hf.Result:
    """Run DRAGS and SVM-RFE on logarithms of raw intensities."""
    selectors = {DRAGS: hf.DRAGS(), RFE: make_rfe()}
    return runner.study(
        "selection logarithms",
        selectors,
        take_logarithms(runner),
        **study_options_with_classifiers(runner),
    )


def take_logarithms(runner: ExperimentRunner) -> hf.io.Dataset:
    data = runner.data(RAW)
    # with a source, a study would read the raw file
    return replace(data, X=np.log2(data.X), source=None)


# CPU seconds of the studies, reduced and full, by piece of work and data set.

_SECONDS_BY_DATA: dict[str, dict[str, tuple[float, float]]] = {
    "selection": {
        "colon": (11, 55),
        "srbct": (13, 75),
        "lymphoma3": (18, 100),
        "prostate": (45, 270),
        "leukemia": (50, 280),
        "lung": (180, 1550),
    },
    "central": {
        "colon": (1, 25),
        "srbct": (1, 20),
        "lymphoma3": (2, 60),
        "prostate": (5, 170),
        "leukemia": (5, 170),
        "lung": (20, 650),
    },
    "double": {
        "colon": (9, 105),
        "srbct": (11, 130),
        "lymphoma3": (15, 270),
        "prostate": (35, 710),
        "leukemia": (40, 710),
        "lung": (150, 3900),
    },
    "groups": {
        "colon": (7, 16),
        "srbct": (7, 16),
        "lymphoma3": (10, 30),
        "prostate": (30, 85),
        "leukemia": (40, 125),
        "lung": (220, 780),
    },
    "clusters": {
        "colon": (10, 180),
        "srbct": (12, 190),
        "lymphoma3": (20, 500),
        "prostate": (30, 800),
        "leukemia": (40, 1100),
        "lung": (250, 7000),
    },
    "neighbours": {
        "colon": (1, 1),
        "srbct": (1, 1),
        "lymphoma3": (3, 3),
        "prostate": (6, 6),
        "leukemia": (8, 8),
        "lung": (20, 20),
    },
}
"""Measured for colon and SRBCT, extrapolated from single fits for the others."""

SECONDS: dict[str | tuple[str, str], tuple[float, float]] = {
    "logarithms": (6, 12),
    **{
        (piece, name): seconds
        for piece, by_data_set in _SECONDS_BY_DATA.items()
        for name, seconds in by_data_set.items()
    },
}
