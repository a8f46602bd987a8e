"""Yu, Ding and Loscalzo (2008): dense groups of features, K-means clusters, SVM-RFE."""

from __future__ import annotations

from holdfast.papers._record import Experiment, Paper, Setting
from holdfast.papers._registry import PAPERS
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
    FIRST_GROUPS,
    LOGARITHMS,
    MAIN,
    OTHERS,
    PAIRS,
    REVERSED,
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
        title="No group is dropped for low density: isolated features remain as groups of one.",
    ),
    Setting(
        name=PAIRS,
        title="Groups of a single feature are dropped, in addition to the density filter.",
    ),
)
MEANT = (
    "Each feature counts as the first of its five nearest neighbours, as the paper's remark about "
    "K = 1 implies. Groups whose peak is farther from its five nearest features, on average, than "
    "the bandwidth are dropped. Groups of one feature are kept."
)
LOGS = Setting(
    name=LOGARITHMS,
    title="On logarithms of the colon intensities: the public copy has raw intensities, and the "
    "paper does not say which it used. K-means was not run.",
)
FIRST_ONLY = Setting(
    name=FIRST_GROUPS,
    title="The first k groups of each result are matched with each other, as in the alternatives "
    "below. In the main setting the first k groups on all samples are looked for among all groups "
    "of each fold: a group that is found again at a lower place counts.",
)
OTHER_END = Setting(
    name=REVERSED,
    title="SVM-RFE read from the other end: of its last 50 features, the k that leave first. Added "
    "after seeing the published numbers, which it fits better; hardly what the authors meant.",
)
FOLDS = (
    "The paper draws folds at random; here they are stratified by class.",
    (
        "Features are standardised within each training set; the paper standardises each data set, "
        "apparently before folds are drawn."
    ),
)
SELECTED = (
    (
        "The paper does not state from how many clusters K-means selects k: 100 for every k, and "
        "2k as an alternative."
    ),
    "The paper does not state the settings of the SVM in SVM-RFE: C = 1, standardised features.",
)
CENTRAL = (
    "Index of K-means: the higher of two values, for all members and for the 5 most central ones, "
    "as in the paper."
)

YU2008 = Paper(
    name="yu2008",
    title="Dense groups of features, K-means clusters and SVM-RFE",
    sizes=DATASET_SHAPES,
    terms={
        "DGF": "the densest groups of features, regardless of their relevance",
        "DRAGS": "the most relevant dense groups of features, by the F statistic of their members",
        "K-means": "clusters of features",
        "SVM-RFE": "single features, eliminated by the weights of a linear SVM",
        "index": "overlap of the features of matched groups; 1 for identical groups",
        "value": "correlation of the centres of matched groups; 1 for identical centres",
        "representatives": "correlation of the representatives of matched groups, which the paper "
        "names in place of that of the centres",
    },
    seconds=SECONDS,
    experiments=(
        Experiment(
            name="table2",
            place="Section 6.3",
            published_facts=lambda published: {
                "folds": published.rename(columns={"value": "accuracy"}).assign(resample=0)
            },
            row_means=True,
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
                OTHER_END,
                LOGS,
            ),
            choices=(
                *SELECTED,
                (
                    "The paper used WEKA's classifiers; here a linear SVM with C = 1, as in WEKA, "
                    "and 1-NN."
                ),
                "Classifiers get standardised features; WEKA scales them to the range 0 to 1.",
                (
                    "The standard deviation is that over the folds. The paper does not say what "
                    "its deviations are of; those of SVM-RFE are too small for single folds."
                ),
                *FOLDS,
            ),
            claims=ACCURACY,
        ),
        Experiment(
            name="figure1",
            place="Section 6.1",
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
                Setting(name=MAIN, title="Each feature counts as its own first neighbour."),
                Setting(name=OTHERS, title="Only other features are neighbours."),
            ),
            choices=(
                (
                    "The paper prints no numbers; here the table has medians, standard deviations "
                    "and skewness."
                ),
                "Skewness is undefined where all features have the same correlation.",
                (
                    "The paper shows colon and says that other data sets look similar; they are "
                    "included here."
                ),
            ),
            claims=FIGURE1,
        ),
        Experiment(
            name="figure2",
            place="Section 6.2",
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
                FIRST_ONLY,
                *DENSITY,
                LOGS,
            ),
            choices=(
                "The paper plots these numbers but does not print them.",
                (
                    "The paper does not define the densest groups: here those with the most "
                    "features near the peak."
                ),
                CENTRAL,
                *FOLDS,
            ),
            claims=FIGURE2,
        ),
        Experiment(
            name="figure3",
            place="Section 6.3",
            label="Figure 3",
            title="Stability of what DRAGS, K-means and SVM-RFE select",
            make=figure3,
            size=RUN,
            data=DATA,
            reduced=REDUCED,
            work=("selection", "central", "double", "logarithms"),
            keys=GROUP_KEYS,
            part="measure",
            digits=2,
            mean_over="data",
            settings=(
                Setting(name=MAIN, title=f"{MEANT} K-means: the k most relevant of 100 clusters."),
                FIRST_ONLY,
                *DENSITY,
                Setting(
                    name=DOUBLE, title="K-means: the k most relevant of 2k clusters, for each k."
                ),
                OTHER_END,
                LOGS,
            ),
            choices=(
                "The paper plots these numbers but does not print them.",
                *SELECTED,
                CENTRAL,
                "K-means with K = 2k: all members only.",
                *FOLDS,
            ),
            claims=FIGURE3,
        ),
    ),
)
PAPERS.register(YU2008)
