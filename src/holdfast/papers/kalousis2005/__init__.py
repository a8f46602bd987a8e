"""Kalousis, Prados and Hilario (2005): stability of selectors on mass spectra."""

from holdfast.papers._record import Paper
from holdfast.papers.kalousis2005._figure1 import FIGURE1
from holdfast.papers.kalousis2005._figure2 import FIGURE2
from holdfast.papers.kalousis2005._study import OVARIAN, PROSTATE, STROKE, lowest_gain
from holdfast.papers.kalousis2005._table2 import TABLE2
from holdfast.papers.kalousis2005._table3 import TABLE3

KALOUSIS2005 = Paper(
    name="kalousis2005",
    title="Stability of selectors on mass spectra",
    sizes={OVARIAN: (253, 824), PROSTATE: (322, 2200), STROKE: (208, 4928)},
    seconds={"study": (10, 30), "heavy": (10, 30), "lowest": (5, 10)},
    experiments=(TABLE2, TABLE3, FIGURE1, FIGURE2),
)
"""What is known about the paper."""

__all__ = ["KALOUSIS2005", "lowest_gain"]
