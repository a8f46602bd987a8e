"""Dernoncourt, Hanczar and Zucker (2014): stability by theory, by simulation, on real data."""

from holdfast.papers._record import Paper
from holdfast.papers._registry import PAPERS
from holdfast.papers.dernoncourt2014._figures1_2 import FIGURE1, FIGURE2
from holdfast.papers.dernoncourt2014._figures3_5 import FIGURE3, FIGURE4, FIGURE5
from holdfast.papers.dernoncourt2014._figures6_7 import FIGURE6, FIGURE7
from holdfast.papers.dernoncourt2014._figures8_9 import FIGURE8, FIGURE9
from holdfast.papers.dernoncourt2014._table2_claims import TABLE2

DERNONCOURT2014 = Paper(
    name="dernoncourt2014",
    title="Small samples and many features",
    sizes={
        "vijver": (295, 2000),
        "lung203": (203, 2000),
        "leukemia": (72, 7129),
        "breast_cancer": (569, 32),
        "sonar": (208, 60),
        "semeion": (1593, 256),
        "isolet": (7797, 617),
        "arrhythmia": (452, 279),
    },
    terms={
        "N/D": "samples (of the training set) per feature",
        "CW_rel": "relative weighted consistency of the selected subsets, 0 to 1",
        "ATI_PA": "mean Tanimoto index over pairs of subsets, adjusted for chance",
        "S_R": "mean rank correlation of scores over pairs of training sets",
        "S_W": "mean correlation of scores over pairs of training sets",
        "γ": "power to which the effects of simulated features are raised",
        "effect": "half the difference of the class means, in standard deviations",
    },
    seconds={
        ("table2", "vijver"): (18, 30),
        ("table2", "lung203"): (15, 21),
        ("table2", "leukemia"): (16, 25),
        ("table2", "breast_cancer"): (13, 16),
        ("table2", "sonar"): (13, 16),
        ("table2", "semeion"): (29, 37),
        ("table2", "isolet"): (50, 110),
        ("table2", "arrhythmia"): (18, 27),
        "figure1": (2, 2),
        "figure3": (1, 1),
        "figure4": (1, 1),
        "figure5": (35, 650),
        "figure6": (2, 4),
        "figure7": (45, 2700),
        "figure8": (24, 32),
        "figure9": (2, 14),
    },
    experiments=(
        TABLE2,
        FIGURE1,
        FIGURE2,
        FIGURE3,
        FIGURE4,
        FIGURE5,
        FIGURE6,
        FIGURE7,
        FIGURE8,
        FIGURE9,
    ),
)
PAPERS.register(DERNONCOURT2014)
__all__ = ["DERNONCOURT2014"]
