"""Kalousis, Prados and Hilario (2005): stability of selectors on mass spectra."""

from holdfast.papers._record import Paper
from holdfast.papers._registry import PAPERS
from holdfast.papers.kalousis2005._figures import FIGURE1, FIGURE2
from holdfast.papers.kalousis2005._study import OVARIAN, PROSTATE, STROKE
from holdfast.papers.kalousis2005._table2 import TABLE2
from holdfast.papers.kalousis2005._table3 import TABLE3

KALOUSIS2005 = Paper(
    name="kalousis2005",
    title="Stability of selectors on mass spectra",
    sizes={OVARIAN: (253, 824), PROSTATE: (322, 2200), STROKE: (208, 4928)},
    terms={
        "IG": "information gain, features cut into bins by the MDL method",
        "RF": "ReliefF, 10 neighbours",
        "SVMONE": "squared weights of one linear SVM, C = 0.5",
        "SVMRFE": "the same SVM, the weakest 10% of the remaining features dropped in each round",
        "S_W": "mean Pearson correlation of weights",
        "S_R": "mean Spearman correlation of ranks",
        "S_S": "mean Tanimoto (Jaccard) index of sets of selected features",
    },
    seconds={"study": (20, 45), "heavy": (15, 35), "wider": (15, 35)},
    experiments=(TABLE2, TABLE3, FIGURE1, FIGURE2),
)
PAPERS.register(KALOUSIS2005)

__all__ = ["KALOUSIS2005"]
