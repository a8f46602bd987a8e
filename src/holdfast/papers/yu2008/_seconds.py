"""CPU seconds of the studies, reduced and full, by piece of work and data set."""

from __future__ import annotations

_BY_DATA: dict[str, dict[str, tuple[float, float]]] = {
    "selection": {
        "colon": (12, 80),
        "srbct": (14, 95),
        "lymphoma3": (20, 160),
        "prostate": (50, 440),
        "leukemia": (55, 450),
        "lung": (200, 2200),
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
"""Measured for colon and SRBCT, for the others from the time of single fits."""

SECONDS: dict[str | tuple[str, str], tuple[float, float]] = {
    "logarithms": (6, 12),
    **{
        (piece, name): seconds
        for piece, of_data in _BY_DATA.items()
        for name, seconds in of_data.items()
    },
}
