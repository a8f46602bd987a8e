"""Dernoncourt, Hanczar and Zucker (2014): stability by theory, by simulation, on real data."""

from holdfast.papers._record import Paper
from holdfast.papers.dernoncourt2014._table2_record import TABLE2

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
    seconds={
        ("table2", "vijver"): (8, 16),
    },
    experiments=(TABLE2,),
)
__all__ = ["DERNONCOURT2014"]
