"""Saeys, Abeel and Van de Peer (2008): ensembles of selectors, robustness and accuracy."""

from __future__ import annotations

from holdfast.papers._record import Experiment, Paper, Setting
from holdfast.papers.saeys2008._claims import CLAIMS as ACCURACY_CLAIMS
from holdfast.papers.saeys2008._claims import ROBUST_CLAIMS, SIZE_CLAIMS, TRADE_CLAIMS
from holdfast.papers.saeys2008._studies import AVERAGED, COLUMN, DRAWN, MAIN, MDL, RANDOM
from holdfast.papers.saeys2008._tables import figure1, table2, table3, table4

DATA = ("colon", "leukemia", "lymphoma2", "ovarian", "pancreatic", "prostate_ms")
TITLES = {
    MAIN: "SU with 10 bins of equal frequency. Relief with 5 neighbours and every sample as a "
    "probe. SVM-RFE drops 10% of the remaining features per round; C is chosen by "
    "cross-validation. Forests of 10 trees, with permutation importance on out-of-bag samples. "
    "Features with equal weights are ranked in random order; in the bags of an ensemble they "
    "get their average rank before the vote.",
    RANDOM: "As main, but SU and RF also break ties within bags at random before the vote.",
    AVERAGED: "As main, but ties get their average rank everywhere; ties for the last place of a "
    "subset are broken at random.",
    COLUMN: "As main, but SU and RF always break ties by column: features further left come first. "
    "The other selectors have hardly any ties.",
    DRAWN: "As ties by column, but Relief draws as many probes as there are samples, at random "
    "with replacement.",
    MDL: "As main, but SU discretises features by minimum description length.",
}
SETTINGS = tuple(Setting(name=name, title=title) for name, title in TITLES.items())
JUDGED = tuple(setting for setting in SETTINGS if setting.name in (MAIN, COLUMN, DRAWN))
BINS = (
    "The paper does not state the number of bins of SU: 10, as in Java-ML, the authors' library. "
    "MDL cuts are an alternative, although the paper names equal frequency."
)
TIES = (
    "The paper does not say how ties are broken. Java-ML sorts without a rule for ties, so that "
    "their order depends on the columns, not on chance."
)
PROBES = (
    "The paper does not say whether Relief draws its probes at random. A public copy of Java-ML "
    "has an unused line that draws as many as there are samples."
)
BAGS = (
    "The paper does not state the size of the bags: stratified bootstrap samples as large as the "
    "data. In an early copy of Java-ML they have 90% of that size."
)
MISSING = (
    "Missing values (lymphoma2): SU and Relief ignore them; for the others they are replaced by "
    "the median of the training set."
)
SELECTION = (
    BINS,
    TIES,
    PROBES,
    (
        "The paper does not say how C is tuned: by 5-fold cross-validation over 0.01, 0.1, 1, 10 "
        "and 100."
    ),
    BAGS,
    MISSING,
)
SUBSAMPLES = "The paper does not say whether subsamples are stratified: here they are."
ALONE = (
    "The paper does not say what is plotted at 1: here the selector alone, on the whole subsample, "
    "as in Table 2. An ensemble of one bag, which has fewer distinct samples, was not run."
)
SHARE = (
    "Folds are stratified; accuracy is the fraction of all samples that are classified correctly "
    "when their fold is tested."
)
ACCURACY = (
    "The paper does not state C of the SVM classifier: 1. Features are scaled by the training set.",
    SHARE,
)

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
            settings=JUDGED,
            choices=(*SELECTION, *ACCURACY),
            claims=ACCURACY_CLAIMS,
        ),
        Experiment(
            name="table4",
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
            settings=JUDGED,
            choices=(*SELECTION, SUBSAMPLES, *ACCURACY),
            claims=TRADE_CLAIMS,
        ),
        Experiment(
            name="figure1",
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
            settings=JUDGED,
            choices=(
                *SELECTION,
                SUBSAMPLES,
                ALONE,
                "The figure prints no numbers: those for 1 and 40 bags are from Table 2.",
            ),
            claims=SIZE_CLAIMS,
        ),
    ),
)
