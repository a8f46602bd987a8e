"""Yu, Ding and Loscalzo (2008): dense groups of features, K-means clusters, SVM-RFE."""

from __future__ import annotations

from holdfast.papers._record import Experiment, Paper, Setting
from holdfast.papers.yu2008._claims import CLAIMS as ACCURACY
from holdfast.papers.yu2008._claims import FIGURE1, FIGURE2, FIGURE3
from holdfast.papers.yu2008._experiments import (
    ACCURACY_KEYS,
    GROUP_KEYS,
    NEIGHBOUR_KEYS,
    figure1,
    figure2,
    figure3,
    table2,
)
from holdfast.papers.yu2008._studies import (
    DOUBLE,
    LOGARITHMS,
    MAIN,
    OTHERS,
    PAIRS,
    SECONDS,
    UNFILTERED,
)

__all__ = ["YU2008"]

DATASET_SHAPES = {
    "colon": (62, 2000),
    "leukemia": (72, 7129),
    "lung": (181, 12533),
    "prostate": (102, 6034),
    "lymphoma3": (62, 4026),
    "srbct": (63, 2308),
}
DATA, REDUCED = tuple(DATASET_SHAPES), ("colon", "srbct")
RUN = (
    "6 folds (3 folds, twice), 5 random starts of K-means",
    "30 folds (3 folds, ten times), 50 random starts of K-means, as in the paper",
)
DENSITY = (
    Setting(
        name=OTHERS,
        title="The five nearest neighbours that set the bandwidth are five other features: the "
        "bandwidth is larger, so groups are larger and fewer.",
    ),
    Setting(
        name=UNFILTERED,
        title="No group is dropped for its low density: features that lie apart from all others "
        "stay as groups of one.",
    ),
    Setting(
        name=PAIRS,
        title="Groups of a single feature are dropped, in addition to the density filter.",
    ),
)
MEANT = (
    "A feature is the first of its own five nearest neighbours, as the paper's remark about K = 1 "
    "implies; groups are dropped whose peak is farther from its five nearest features, on average, "
    "than the bandwidth; groups of one feature are kept."
)
LOGS = Setting(
    name=LOGARITHMS,
    title="On logarithms of colon's intensities; the public copy has raw ones, and the paper does "
    "not say which it used. K-means was not run on them.",
)
FOLDS = (
    "How folds are drawn is said to be random: here each keeps the shares of the classes.",
    (
        "Features are standardised within each training part; the paper standardises each data "
        "set, it seems before folds are drawn."
    ),
)
SELECTED = (
    "Among how many clusters K-means selects k is not said: 100 for every k, and 2k beside it.",
    "Settings of the SVM inside SVM-RFE are not said: C = 1, standardised features.",
)
CENTRAL = (
    "K-means by index: of all members or the 5 most central ones, the higher, as in the paper."
)

YU2008 = Paper(
    name="yu2008",
    title="Dense groups of features, K-means clusters and SVM-RFE",
    sizes=DATASET_SHAPES,
    terms={
        "DGF": "dense groups of features, the densest of them, whatever their relevance",
        "DRAGS": "dense groups of features, the most relevant by the F statistic of their members",
        "K-means": "clusters of features",
        "SVM-RFE": "single features, eliminated by the weights of a linear SVM",
        "index": "overlap of matched groups by their features; 1 is the same groups",
        "value": "correlation of the centres of matched groups; 1 is the same centres",
    },
    seconds=SECONDS,
    experiments=(
        Experiment(
            name="table2",
            label="Table 2",
            title="Accuracy after selection by DRAGS, K-means and SVM-RFE (percent)",
            make=table2,
            size=RUN,
            data=DATA,
            reduced=REDUCED,
            work=("selection", "double", "logarithms"),
            keys=ACCURACY_KEYS,
            part="method",  # side settings change one method: so they can be compared with the main
            digits=1,
            mean_over="data",
            settings=(
                Setting(name=MAIN, title=f"{MEANT} K-means: the k most relevant of 100 clusters."),
                *DENSITY,
                Setting(
                    name=DOUBLE, title="K-means: the k most relevant of 2k clusters, for each k."
                ),
                LOGS,
            ),
            choices=(
                *SELECTED,
                "The paper took WEKA's classifiers. Here: linear SVM, C = 1 as in WEKA, and 1-NN.",
                "Classifiers get standardised features; WEKA scales them to the range 0 to 1.",
                *FOLDS,
            ),
            claims=ACCURACY,
        ),
        Experiment(
            name="figure1",
            label="Figure 1",
            title="Correlation of features with their nearest neighbours",
            make=figure1,
            size=("as in the paper", "as in the paper, which shows colon only"),
            data=DATA,
            reduced=REDUCED,
            work=("neighbours",),
            keys=NEIGHBOUR_KEYS,
            part="what",
            digits=3,
            settings=(
                Setting(name=MAIN, title="A feature is the first of its own neighbours."),
                Setting(name=OTHERS, title="Only other features are neighbours."),
            ),
            choices=(
                "The paper prints no numbers: here are medians, standard deviations and skewness.",
                "Where all features have the same correlation, there is no skewness.",
                "The paper shows colon and says that others look alike: they are described, too.",
            ),
            claims=FIGURE1,
        ),
        Experiment(
            name="figure2",
            label="Figure 2",
            title="Stability of dense groups and of K-means clusters",
            make=figure2,
            size=RUN,
            data=DATA,
            reduced=REDUCED,
            work=("groups", "clusters", "logarithms"),
            keys=GROUP_KEYS,
            part="measure",
            digits=2,
            mean_over="data",
            settings=(
                Setting(name=MAIN, title=f"{MEANT} K-means: k clusters, all of which count."),
                *DENSITY,
                LOGS,
            ),
            choices=(
                "The paper plots these numbers and does not print them.",
                "Which groups are densest is not said: those with most features near the peak.",
                CENTRAL,
                *FOLDS,
            ),
            claims=FIGURE2,
        ),
        Experiment(
            name="figure3",
            label="Figure 3",
            title="Stability of what DRAGS, K-means and SVM-RFE select",
            make=figure3,
            size=RUN,
            data=DATA,
            reduced=REDUCED,
            work=("selection", "double", "logarithms"),
            keys=GROUP_KEYS,
            part="measure",
            digits=2,
            mean_over="data",
            settings=(
                Setting(name=MAIN, title=f"{MEANT} K-means: the k most relevant of 100 clusters."),
                *DENSITY,
                Setting(
                    name=DOUBLE, title="K-means: the k most relevant of 2k clusters, for each k."
                ),
                LOGS,
            ),
            choices=(
                "The paper plots these numbers and does not print them.",
                *SELECTED,
                CENTRAL,
                "K-means with K = 2k: all members only.",
                *FOLDS,
            ),
            claims=FIGURE3,
        ),
    ),
)
