"""Saeys, Abeel and Van de Peer (2008): ensembles of selectors, robustness and accuracy."""

from __future__ import annotations

from holdfast.papers._record import Experiment, Paper, Setting
from holdfast.papers._registry import PAPERS
from holdfast.papers.saeys2008._claims import CLAIMS as ACCURACY_CLAIMS
from holdfast.papers.saeys2008._claims import ROBUST_CLAIMS, SIZE_CLAIMS, TRADE_CLAIMS
from holdfast.papers.saeys2008._studies import (
    AVERAGED,
    CAUTIOUS,
    COLUMN,
    JUDGED,
    MDL,
    PUBLISHED,
    java_ml_tenth,
)
from holdfast.papers.saeys2008._tables import figure1, table2, table3, table4

DATA = ("colon", "leukemia", "lymphoma2", "ovarian", "pancreatic", "prostate_ms")
TITLES = {
    PUBLISHED: "As in Java-ML, the authors' library, in April 2008: Relief (5 neighbours) draws as "
    "many probes as there are samples, at random with replacement. SVM-RFE gets features as they "
    "are, with C = 1, and drops int(0.1 n + 1) of n features per round. Forests of 10 trees try 5 "
    "features per split; their importance is by permutation on out-of-bag samples. Bags have "
    "int(0.9 n + 1) of n samples. Ties, in bags and in rankings, go to the features further left. "
    "SU has 10 bins of equal frequency. The classifiers get features as they are; the SVM has "
    "C = 1, the forest tries 5 features per split.",
    CAUTIOUS: "Every sample is a probe of Relief. SVM-RFE scales features to the range 0 to 1 and "
    "chooses C by cross-validation. Forests try the square root of the number of features per "
    "split. Bags are as large as the data. Features with equal weights are ranked in random "
    "order; in bags they get their average rank before the vote. The classifiers get "
    "standardised features. The rest as published.",
    AVERAGED: "As cautious, but ties get their average rank everywhere; ties for the last place of "
    "a subset are broken at random.",
    COLUMN: "As cautious, but SU and RF break ties by column: features further left come first. "
    "The other selectors have hardly any ties.",
    MDL: "As cautious, but SU discretises features by minimum description length.",
}
SETTINGS = tuple(Setting(name=name, title=title) for name, title in TITLES.items())
WITH_ACCURACY = tuple(setting for setting in SETTINGS if setting.name in JUDGED)
SOURCE = (
    "What the paper leaves open is taken, in the setting as published, from the history of Java-ML "
    "(AbeelLab/javaml, commit e96f51c of 8 April 2008); which revision the paper used is not "
    "known. Until that day its SVM reset C to 1 before each fit, so that tuning C had no effect; "
    "from then on C was chosen by the F-measure in each round."
)
OTHER_WAYS = (
    "Not taken over from Java-ML: its order of ties, which comes from a quicksort (here ties go "
    "to the features further left, which also depends on the columns only); its random values in "
    "place of permuted ones; and its F-measure, which counts true negatives in place of false "
    "ones, in place of the error."
)
BINS = "The paper does not state the number of bins of SU: 10, as in Java-ML."
MISSING = (
    "Missing values (lymphoma2): SU and Relief ignore them; for the others they are replaced by "
    "the median of the training set."
)
BAGS = "Bags are stratified by class."
SELECTION = (SOURCE, OTHER_WAYS, BINS, BAGS, MISSING)
SUBSAMPLES = "The paper does not say whether subsamples are stratified: here they are."
FIRST_BAG = (
    "A curve begins with an ensemble of one bag, which has fewer distinct samples than the "
    "selector alone; the paper does not say what is drawn at 1."
)
SHARE = (
    "Folds are stratified; accuracy is the fraction of all samples that are classified correctly "
    "when their fold is tested."
)
ACCURACY = (SHARE,)

SAEYS2008 = Paper(
    name="saeys2008",
    title="Ensembles of selectors: robustness and accuracy",
    sizes={
        "colon": (62, 2000),
        "leukemia": (72, 7129),
        "lymphoma2": (45, 4026),
        "ovarian": (253, 15154),
        "pancreatic": (181, 6771),
        "prostate_ms": (322, 15154),
    },
    terms={
        "SU": "symmetrical uncertainty",
        "SVM_RFE": "recursive feature elimination by a linear SVM",
        "RF": "random forest; as a classifier with 50 trees",
        "KNN": "5 nearest neighbours",
        "Sp": "Spearman's rank correlation of all features, mean over pairs of subsamples",
        "JC5": "Jaccard index of the top 5% of the features, mean over pairs",
        "JC1": "Jaccard index of the top 1% of the features, mean over pairs",
        "RPT": "harmonic mean of JC1 and accuracy",
    },
    seconds={
        ("robustness", "colon"): (50, 50),
        ("robustness", "leukemia"): (75, 75),
        ("robustness", "lymphoma2"): (55, 55),
        ("robustness", "ovarian"): (340, 340),
        ("robustness", "pancreatic"): (160, 160),
        ("accuracy", "colon"): (46, 46),
        ("accuracy", "leukemia"): (75, 75),
        ("accuracy", "lymphoma2"): (55, 55),
        ("accuracy", "ovarian"): (300, 300),
        ("accuracy", "pancreatic"): (140, 140),
        ("ensemble sizes", "colon"): (25, 45),
        ("ensemble sizes", "leukemia"): (40, 95),
        ("ensemble sizes", "lymphoma2"): (25, 60),
        ("ensemble sizes", "ovarian"): (190, 510),
        ("ensemble sizes", "pancreatic"): (90, 235),
    },
    experiments=(
        Experiment(
            name="table2",
            place="Section 4.4",
            label="Table 2",
            title="Robustness of selectors and of their ensembles",
            make=table2,
            size=(
                "10 subsamples of 90%, ensembles of 40 bags, one data set",
                "10 subsamples of 90%, ensembles of 40 bags, as in the paper",
            ),
            data=DATA,
            reduced=DATA[:1],
            work=("robustness",),
            keys=("data", "measure", "selector", "kind"),
            n_heads=2,
            part="measure",
            mean_over="data",
            settings=SETTINGS,
            choices=(*SELECTION, SUBSAMPLES),
            claims=ROBUST_CLAIMS,
        ),
        Experiment(
            name="table3",
            place="Section 4.5",
            label="Table 3",
            title="Accuracy with the top 1% of the features",
            make=table3,
            size=(
                "10-fold cross-validation, ensembles of 40 bags, one data set",
                "10-fold cross-validation, ensembles of 40 bags, as in the paper",
            ),
            data=DATA,
            reduced=DATA[:1],
            work=("accuracy",),
            keys=("data", "classifier", "selector", "kind"),
            n_heads=2,
            mean_over="data",
            settings=WITH_ACCURACY,
            choices=(*SELECTION, *ACCURACY),
            claims=ACCURACY_CLAIMS,
        ),
        Experiment(
            name="table4",
            place="Section 4.6",
            label="Table 4",
            title="Robustness and accuracy together (RPT)",
            make=table4,
            size=(
                "from JC1 of Table 2 and Table 3, one data set",
                "from JC1 of Table 2 and Table 3, at the size of the paper",
            ),
            data=DATA,
            reduced=DATA[:1],
            work=("robustness", "accuracy"),
            keys=("data", "classifier", "selector", "kind"),
            n_heads=2,
            mean_over="data",
            settings=WITH_ACCURACY,
            choices=(*SELECTION, SUBSAMPLES, *ACCURACY),
            claims=TRADE_CLAIMS,
        ),
        Experiment(
            name="figure1",
            place="Section 4.4",
            label="Figure 1",
            title="Robustness of the top 1% by the number of bags",
            make=figure1,
            size=(
                "10 subsamples of 90%, up to 40 bags, one data set",
                "10 subsamples of 90%, up to 60 bags",
            ),
            data=DATA,
            reduced=DATA[:1],
            work=("robustness", "ensemble sizes"),
            keys=("data", "selector", "bags"),
            mean_over="data",
            settings=WITH_ACCURACY,
            choices=(
                *SELECTION,
                SUBSAMPLES,
                FIRST_BAG,
                "The figure prints no numbers: those for 40 bags are from Table 2.",
            ),
            claims=SIZE_CLAIMS,
        ),
    ),
)
PAPERS.register(SAEYS2008)

__all__ = ["SAEYS2008", "java_ml_tenth"]
